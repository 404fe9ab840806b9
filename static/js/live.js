// Live: asks each second whether the page is still true, and swaps what is not.
//
// A page that wants this has one element with data-news (where to ask) and data-v (the position it shows). The answer is
// 204, or fragments that carry the ids of what they replace. What is being used (focus, an open drawer, selected text)
// is only marked, and swapped when it is left. `Foldboard.ask()` asks at once; `live:put` tells what was swapped.
(() => {
  "use strict";
  const PERIOD = 1000;
  const SLOW_PERIOD = 5000;
  const LOST_PERIOD = 2000;
  const SLOW_AFTER = 10 * 60 * 1000; // since somebody last touched the page
  const LOST_AFTER = 3; // answers missing in a row
  const FRAGMENTS = ".news > [id], .news > table > tbody > tr[id], .news > svg > g[id]";
  const root = document.querySelector("[data-news]");
  const held = new Map(); // id -> the element that waits to be swapped in
  const mine = new Map(); // id -> when one's own action put it there
  const source = new WeakMap(); // element -> the markup it came as
  let failures = 0;
  let timer = 0;
  let asking = false;
  let out = false;
  let touched = Date.now();

  function say(text) {
    const place = document.getElementById("say");
    if (place) place.textContent = text;
  }

  // Asking

  function period() {
    if (failures >= LOST_AFTER) return LOST_PERIOD;
    return Date.now() - touched > SLOW_AFTER ? SLOW_PERIOD : PERIOD;
  }

  function plan(started) {
    clearTimeout(timer);
    timer = setTimeout(ask, Math.max(0, started + period() - performance.now()));
  }

  async function ask() {
    if (!root || !root.dataset.news || asking || out || document.hidden) return;
    asking = true;
    const started = performance.now();
    const asked = root.dataset.news;
    try {
      const url = new URL(asked, location.href);
      url.searchParams.set("v", root.dataset.v);
      const answer = await fetch(url, { headers: { "HX-Request": "true" }, signal: AbortSignal.timeout(8000), cache: "no-store" });
      const text = answer.status === 200 ? await answer.text() : "";
      if (asked === root.dataset.news) take(answer, text, started);
    } catch {
      missed();
    } finally {
      asking = false;
      plan(started);
    }
  }

  function take(answer, text, started) {
    if (answer.status === 401) return login();
    if (answer.status === 409) return location.reload(); // the log was replaced: nothing shown can be relied on
    if (answer.status === 404) return gone();
    if (answer.status !== 200 && answer.status !== 204) throw new Error(String(answer.status));
    root.dataset.v = answer.headers.get("X-Position") || root.dataset.v;
    failures = 0;
    document.getElementById("lost")?.remove();
    if (text) apply(text, started);
  }

  function missed() {
    failures += 1;
    if (failures === LOST_AFTER) banner("lost", "Connection lost. What you see may be out of date; it catches up by itself.");
  }

  function gone() {
    out = true;
    banner("lost", "This page is no longer yours to see, or no longer there. Load it again.");
  }

  function banner(id, text) {
    if (document.getElementById(id)) return;
    const note = document.createElement("p");
    note.id = id;
    note.className = "note lost";
    note.setAttribute("role", "alert");
    note.textContent = text;
    document.getElementById("main").prepend(note);
  }

  // Swapping

  function apply(text, started) {
    const news = new DOMParser().parseFromString(text, "text/html").querySelector(".news");
    if (!news) return;
    const missing = [];
    for (const fresh of news.parentNode.querySelectorAll(FRAGMENTS)) {
      const old = document.getElementById(fresh.id);
      if (!old) missing.push(fresh);
      else if ((mine.get(fresh.id) || 0) < started) swap(old, fresh);
    }
    root.dispatchEvent(new CustomEvent("live:news", { detail: { news, missing } }));
  }

  function swap(old, fresh) {
    if ((source.get(old) ?? old.outerHTML) === fresh.outerHTML) {
      held.delete(old.id);
      return;
    }
    if (!busy(old)) return put(old, fresh);
    held.set(old.id, fresh);
    if (old.classList.contains("changed")) return;
    old.classList.add("changed");
    root.dispatchEvent(new CustomEvent("live:held", { detail: { old, fresh } }));
  }

  function busy(element) {
    if (element.contains(document.activeElement)) return true;
    if (element.nextElementSibling?.classList.contains("drawer")) return true;
    const selection = document.getSelection();
    return Boolean(selection && !selection.isCollapsed && selection.containsNode(element, true));
  }

  function put(old, fresh) {
    held.delete(old.id);
    const node = document.importNode(fresh, true);
    source.set(node, fresh.outerHTML);
    const tick = old.querySelector("input[name=row]");
    if (tick?.checked) node.querySelector("input[name=row]").checked = true;
    old.replaceWith(node);
    node.classList.add("new");
    root.dispatchEvent(new CustomEvent("live:put", { detail: { old, node } }));
    return node;
  }

  function release() {
    for (const [id, fresh] of [...held]) {
      const old = document.getElementById(id);
      if (!old) held.delete(id);
      else if (!busy(old)) put(old, fresh);
    }
  }

  function own(id) {
    mine.set(id, performance.now());
    held.delete(id);
  }

  // The login laid over the page: nothing below it is touched, so nothing typed is lost.

  async function login() {
    if (out) return;
    out = true;
    const dialog = document.createElement("dialog");
    dialog.className = "login-over";
    dialog.setAttribute("aria-label", "Log in again");
    document.body.append(dialog);
    dialog.addEventListener("cancel", (event) => event.preventDefault());
    try {
      await show(dialog, await (await fetch("/account/login/", { cache: "no-store" })).text());
      dialog.showModal();
      dialog.querySelector("input:not([type=hidden])")?.focus();
    } catch {
      dialog.remove();
      out = false; // the server is away as well: the next question finds out
      missed();
    }
  }

  function show(dialog, page) {
    const form = new DOMParser().parseFromString(page, "text/html").querySelector("form:has([type=password])");
    if (!form) return back(dialog, page);
    const title = document.createElement("h2");
    title.textContent = "Your login has expired";
    const why = document.createElement("p");
    why.className = "soft";
    why.textContent = "Log in again here. What you typed is still there.";
    dialog.replaceChildren(title, why, document.importNode(form, true));
    const said = new DOMParser().parseFromString(page, "text/html").querySelector(".message.error, .errorlist");
    if (said) dialog.insertBefore(document.importNode(said, true), dialog.lastChild);
    const name = dialog.querySelector("[name=username]");
    if (name && !name.value && root?.dataset.user) name.value = root.dataset.user;
    dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      send(dialog, event.target);
    });
  }

  async function send(dialog, form) {
    try {
      const answer = await fetch("/account/login/", { method: "POST", body: new FormData(form), cache: "no-store" });
      await show(dialog, await answer.text());
    } catch {
      form.querySelector("button").insertAdjacentText("afterend", " The server does not answer. Try again.");
    }
  }

  // Somebody is logged in again: take over the new token, or the whole page if it is somebody else's now.
  function back(dialog, page) {
    const fresh = new DOMParser().parseFromString(page, "text/html");
    const token = JSON.parse(fresh.body.getAttribute("hx-headers") || "{}")["X-CSRFToken"];
    const user = fresh.body.dataset.user;
    if (user && root?.dataset.user && user !== root.dataset.user) return location.reload();
    if (token) {
      document.body.setAttribute("hx-headers", JSON.stringify({ "X-CSRFToken": token }));
      for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
    }
    dialog.remove();
    out = false;
    say("You are logged in again. What you typed is still there; send it again.");
    ask();
  }

  // When to ask, and when not

  for (const kind of ["pointerdown", "keydown", "wheel", "touchstart"]) {
    addEventListener(kind, () => { touched = Date.now(); }, { passive: true, capture: true });
  }
  document.addEventListener("visibilitychange", () => { if (!document.hidden) ask(); });
  addEventListener("online", ask);
  addEventListener("pageshow", (event) => { if (event.persisted) ask(); });
  addEventListener("focusout", () => setTimeout(release));
  let selecting = 0;
  document.addEventListener("selectionchange", () => { clearTimeout(selecting); selecting = setTimeout(release, 300); });
  document.addEventListener("htmx:responseError", (event) => { if (event.detail.xhr.status === 401) login(); });
  document.addEventListener("htmx:sendError", () => say("The server does not answer. What you typed is still there; try again."));

  window.Foldboard = { ...window.Foldboard, ask, say, own, release, banner, live: root };
  if (root) plan(performance.now());
})();
