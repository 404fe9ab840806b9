// The board under a working hand: folding, filtering, replay, and what the news mean for the rows that are shown.
(() => {
  "use strict";
  const board = document.getElementById("board");
  const list = () => document.getElementById("list");
  const pane = document.getElementById("picture");
  const { counted, drawerOf, fetched, rowsOf, say } = Foldboard;

  // Folding: what is folded loads its rows when it is opened, and stays as it was left.

  const memory = `fold:${board.dataset.fold}`;
  const folds = () => JSON.parse(localStorage.getItem(memory) || "{}");

  async function load(section) {
    const link = section.querySelector("a[data-unfold]");
    if (!link || link.dataset.loading) return;
    link.dataset.loading = "1";
    try {
      link.closest(".more").outerHTML = await fetched(link.dataset.unfold);
      ready(section);
    } catch {
      delete link.dataset.loading;
    }
  }

  async function more(link) {
    if (link.dataset.loading) return;
    link.dataset.loading = "1";
    try {
      const rows = rowsOf(await fetched(link.dataset.more));
      const at = link.closest("tr");
      const first = rows.find((row) => !document.getElementById(row.id));
      for (const row of rows) if (!row.id || !document.getElementById(row.id)) at.before(row);
      const had = document.activeElement === link;
      at.remove();
      if (had) first?.querySelector(".name a")?.focus({ preventScroll: true });
    } catch {
      delete link.dataset.loading;
    }
  }

  // a section anew, with as many rows as it shows: after many changes, or when new rows match the filter
  async function reload(section) {
    const body = section.querySelector("tbody");
    if (!body) return;
    const url = new URL(board.dataset.news, location.href);
    url.pathname = url.pathname.replace(/news\/$/, `sections/${encodeURIComponent(section.dataset.task)}/`);
    url.searchParams.set("rows", Math.max(200, body.querySelectorAll("tr[id^=r]").length));
    url.searchParams.set("from", 0);
    const rows = rowsOf(await fetched(url));
    const open = body.querySelector("tr.drawer");
    const kept = open?.previousElementSibling;
    const ticked = new Set([...body.querySelectorAll("input[name=row]:checked")].map((each) => each.value));
    for (const row of rows) {
      const tick = row.querySelector("input[name=row]");
      if (tick && ticked.has(tick.value)) tick.checked = true;
    }
    const focus = document.activeElement?.closest("tr")?.id;
    body.replaceChildren(...rows.flatMap((row) => (kept && row.id === kept.id ? [kept, open] : [row])));
    if (focus && document.activeElement === document.body) document.getElementById(focus)?.querySelector(".chip")?.focus();
    section.querySelector(".fresh")?.remove();
    counted();
  }

  document.addEventListener("toggle", (event) => {
    const section = event.target;
    if (!section.matches?.("details.sec")) return;
    if (section.open) load(section);
    else for (const tick of section.querySelectorAll("input:checked")) tick.checked = false; // R115: only what is seen
    counted();
    if (section.dataset.asFound) return delete section.dataset.asFound;
    localStorage.setItem(memory, JSON.stringify({ ...folds(), [section.dataset.task]: section.open }));
  }, true);

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-more], a[data-unfold], a.fresh, .pic-card a[href*='#s']");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    if (link.dataset.more) more(link);
    else if (link.dataset.unfold) link.closest("details").open = true;
    else if (link.classList.contains("fresh")) reload(link.closest(".sec"));
    else jump(link);
  });

  function jump(link) {
    const section = document.getElementById(link.getAttribute("href").replace(/^.*#/, ""));
    if (!section) return;
    if (section.matches("details")) section.open = true;
    section.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
    (section.querySelector("summary") ?? section.querySelector("a"))?.focus({ preventScroll: true });
  }

  // Filtering: the address follows, the place in the text field stays.

  const tools = () => document.getElementById("tools");
  let asked = 0;

  async function filter() {
    const mine = ++asked;
    const query = new URLSearchParams([...new FormData(tools())].filter(([, value]) => value));
    const url = `${tools().getAttribute("action")}${query.size ? `?${query}` : ""}`;
    try {
      const page = new DOMParser().parseFromString(await fetched(url), "text/html");
      if (mine !== asked) return; // something newer was asked for meanwhile
      history.replaceState(null, "", url);
      take(page);
    } catch {
      say("The rows could not be filtered. Try again in a moment.", "error");
    }
  }

  function take(page) {
    const fresh = page.getElementById("board");
    for (const name of ["news", "v"]) if (fresh.dataset[name]) board.dataset[name] = fresh.dataset[name];
    list().replaceWith(document.importNode(page.getElementById("list"), true));
    pane?.replaceChildren(...document.importNode(page.getElementById("picture"), true).childNodes); // it stays scrolled
    for (const id of ["head", "feed", "yours"]) {
      const [now, then] = [page.getElementById(id), document.getElementById(id)];
      if (now && then) then.replaceWith(document.importNode(now, true));
    }
    const back = document.querySelector("#bulk [name=back]");
    if (back) back.value = page.querySelector("#bulk [name=back]")?.value ?? back.value;
    tidy(page);
    for (const section of list().querySelectorAll(".sec")) ready(section);
    counted();
    Foldboard.tellTimes(board);
  }

  // the toolbar anew, but never the field that is being typed in
  function tidy(page) {
    const fresh = page.getElementById("tools");
    for (const now of fresh.querySelectorAll("select")) {
      const then = tools().querySelector(`[name="${CSS.escape(now.name)}"]`);
      if (then && then !== document.activeElement) then.replaceWith(document.importNode(now, true));
    }
    const [links, old] = [fresh.querySelector(".tool-links"), tools().querySelector(".tool-links")];
    if (links && old && !old.contains(document.activeElement)) old.replaceWith(document.importNode(links, true));
  }

  let typing = 0;
  document.addEventListener("input", (event) => {
    if (!event.target.closest("#tools") || event.target.matches("select")) return;
    clearTimeout(typing);
    typing = setTimeout(filter, 220);
  });
  document.addEventListener("change", (event) => { if (event.target.matches("#tools select")) filter(); });
  document.addEventListener("submit", (event) => {
    if (event.target.id !== "tools") return;
    event.preventDefault();
    clearTimeout(typing);
    filter();
  });

  // Replay: the slider shows the board as it was, while it moves.

  let sliding = 0;
  document.addEventListener("input", (event) => {
    if (event.target.id !== "at") return;
    document.getElementById("at-now").textContent = event.target.value;
    clearTimeout(sliding);
    sliding = setTimeout(() => replay(event.target), 90);
  });

  async function replay(slider) {
    const url = new URL(location.href);
    url.searchParams.set("at", slider.value);
    try {
      const page = new DOMParser().parseFromString(await fetched(url), "text/html");
      if (page.getElementById("at").value !== slider.value) return;
      history.replaceState(null, "", url);
      take(page);
      document.querySelector(".replay-event").replaceWith(document.importNode(page.querySelector(".replay-event"), true));
      const hidden = tools().querySelector("[name=at]");
      if (hidden) hidden.value = slider.value;
    } catch {
      say("That moment could not be loaded. Try again.", "error");
    }
  }

  // News: rows that no longer match stay, marked; rows that newly match are counted, so nothing jumps.

  board.addEventListener("live:news", ({ detail: { news, missing } }) => {
    const gone = new Set(news.dataset.gone.split(" ").filter(Boolean));
    for (const id of gone) document.getElementById(id)?.classList.add("gone");
    for (const fresh of news.querySelectorAll("tr[id]")) if (!gone.has(fresh.id)) document.getElementById(fresh.id)?.classList.remove("gone");
    for (const id of news.dataset.reload.split(" ").filter(Boolean)) {
      const section = document.getElementById(id);
      if (section) reload(section).catch(() => {});
    }
    for (const row of missing) if (row.matches("tr") && !gone.has(row.id)) matched(row);
    for (const head of news.querySelectorAll(".sec-head[id]")) {
      const section = document.getElementById(head.id)?.closest(".sec");
      if (section && Number(head.dataset.matches)) section.hidden = false;
    }
    counted();
  });

  function matched(row) {
    const section = document.querySelector(`.sec[data-task="${CSS.escape(row.dataset.t)}"]`);
    if (!section) return;
    const body = section.querySelector("tbody");
    if (!body) return; // folded: its head says how many match
    if (!section.matches("details")) {
      section.hidden = false;
      reload(section).catch(() => {});
      return;
    }
    const shown = [...body.querySelectorAll("tr[id^=r]")];
    const after = shown.length && Number(row.id.slice(1)) > Number(shown.at(-1).id.slice(1));
    if (after && body.querySelector("tr.more")) return; // the rows to come have it
    const known = new Set((section.dataset.fresh || "").split(" ").filter(Boolean)).add(row.id);
    section.dataset.fresh = [...known].join(" ");
    let note = section.querySelector("a.fresh");
    if (!note) {
      note = document.createElement("a");
      note.className = "fresh";
      note.href = location.href;
      section.querySelector("table").before(note);
    }
    note.textContent = `${known.size} more ${known.size === 1 ? "matches" : "match"}: show`;
  }

  board.addEventListener("live:held", ({ detail: { old, fresh } }) => {
    const word = fresh.querySelector(".chip span")?.textContent ?? "changed";
    const name = fresh.querySelector(".name")?.textContent.trim();
    const drawer = old.matches("tr") && drawerOf(old);
    if (drawer && !drawer.querySelector(".meanwhile")) {
      const note = document.createElement("p");
      note.className = "meanwhile warn";
      note.textContent = `Changed meanwhile: it is “${word}” now. What you typed is still here.`;
      drawer.querySelector(".drawer-in").prepend(note);
    }
    if (name) say(`${name} changed meanwhile: ${word}.`);
  });

  board.addEventListener("live:put", ({ detail: { node } }) => {
    if (!node.matches("tr")) return;
    late(node);
    setTimeout(() => node.classList.remove("new"), 2600);
  });

  // What is left for oneself is nobody else's news: it is asked for after one's own actions.
  async function yours() {
    const old = document.getElementById("yours");
    if (!old || !board.dataset.news) return;
    try {
      const html = await fetched(board.dataset.news.replace(/news\/.*$/, "yours/"));
      if (!old.contains(document.activeElement)) old.outerHTML = html;
    } catch {
      // it is told anew with the next action
    }
  }
  for (const event of ["acted", "ticked"]) document.body.addEventListener(event, yours);

  // What the clock changes is worked out here.
  function late(root) {
    for (const time of root.querySelectorAll(".date time")) time.closest("td").classList.toggle("late", new Date(time.dateTime) <= new Date());
  }
  setInterval(() => late(list()), 20000);

  // A section that has just come: the box that ticks all of it works with scripts only.
  function ready(section) {
    for (const all of section.querySelectorAll("input.all")) all.hidden = false;
    htmx.process(section);
  }

  // The picture beside the list, or above it over the whole width.
  const widen = document.getElementById("widen");
  function wide(on) {
    board.classList.toggle("wide", on);
    widen.textContent = on ? "Beside the list" : "Larger";
    widen.setAttribute("aria-pressed", String(on));
  }
  if (widen) {
    widen.hidden = false;
    const here = document.querySelector("#picture :is(.failed, .doing, .open)")?.getBoundingClientRect();
    if (here) pane.scrollLeft += here.left - pane.getBoundingClientRect().left - pane.clientWidth / 3; // where it goes on
    wide(localStorage.getItem("picture") === "wide");
    widen.addEventListener("click", () => {
      const on = !board.classList.contains("wide");
      localStorage.setItem("picture", on ? "wide" : "beside");
      wide(on);
    });
  }

  const remembered = folds();
  for (const section of list().querySelectorAll(".sec")) {
    ready(section);
    const open = remembered[section.dataset.task];
    if (open === undefined || !section.matches("details") || section.open === open || new URLSearchParams(location.search).has("open")) continue;
    section.dataset.asFound = "1";
    section.open = open;
  }
  document.documentElement.classList.add("js");
  late(list());
})();
