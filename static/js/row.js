// The page of a row: its menu stays true while nobody uses it, and the log of a running attempt is followed.
(() => {
  "use strict";
  const MOST = 2_000_000; // characters of a log kept on the page; the file has all of them
  const row = document.getElementById("row");

  // The menu is personal, so the news do not carry it: it is fetched when the state has changed.
  row?.addEventListener("live:put", async ({ detail: { node } }) => {
    if (node.id !== "row-state") return;
    const acts = document.querySelector(".acts");
    const typed = [...acts.querySelectorAll("textarea")].some((field) => field.value.trim());
    if (typed || acts.contains(document.activeElement) || acts.querySelector("details[open]")) {
      Foldboard.say("This row changed meanwhile. What you typed is still here.");
      return;
    }
    const answer = await fetch(row.dataset.menu, { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (!answer.ok) return;
    acts.outerHTML = await answer.text();
    htmx.process(document.querySelector(".acts"));
  });

  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status === 403 && event.detail.elt.closest(".acts")) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });

  // Following a log: what is new is appended; it stops when the attempt ends or the page is left.
  const size = (bytes) => (bytes < 1024 ? `${bytes} bytes` : bytes < 1048576 ? `${(bytes / 1024).toFixed(1)} KB` : `${(bytes / 1048576).toFixed(1)} MB`);

  async function follow(log) {
    const out = log.querySelector(".out");
    let wait = 1000;
    if (log.isConnected && !document.hidden) {
      try {
        const answer = await fetch(`${log.dataset.after}?after=${log.dataset.next}`, { headers: { "HX-Request": "true" }, cache: "no-store" });
        if (answer.status === 401) Foldboard.login?.();
        if (answer.ok) {
          append(log, out, await answer.text());
          const [next, whole] = [answer.headers.get("X-Next"), Number(answer.headers.get("X-Size"))];
          if (Number(next) < whole && next !== log.dataset.next) wait = 50;
          else if (answer.headers.get("X-Running") === "no") return delete log.dataset.follow;
          log.dataset.next = next;
          const said = log.querySelector(".size");
          if (said) said.textContent = size(whole);
        }
      } catch {
        wait = 3000;
      }
    }
    if (log.isConnected) setTimeout(() => follow(log), wait);
  }

  function append(log, out, text) {
    if (!text) return;
    const below = out.scrollHeight - out.scrollTop - out.clientHeight < 40;
    out.append(text);
    while (out.textContent.length > MOST && out.firstChild !== out.lastChild) out.firstChild.remove();
    if (below) out.scrollTop = out.scrollHeight;
  }

  function begin(log) {
    const out = log.querySelector(".out");
    out.scrollTop = out.scrollHeight;
    if ("follow" in log.dataset) follow(log);
  }

  // another attempt's log is shown in the same place
  document.addEventListener("click", async (event) => {
    const link = event.target.closest("a[data-attempt]");
    const place = document.getElementById("log-here");
    if (!link || !place || event.ctrlKey || event.metaKey || event.shiftKey || event.button) return;
    event.preventDefault();
    const answer = await fetch(link.href, { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (!answer.ok) return location.assign(link.href);
    place.innerHTML = await answer.text();
    place.querySelectorAll(".log").forEach(begin);
    place.scrollIntoView({ block: "nearest" });
  });

  // an attempt that starts while the page is open has its log shown at once
  row?.addEventListener("live:put", ({ detail: { node } }) => {
    if (node.id !== "row-attempts") return;
    const link = node.querySelector("a[data-attempt]");
    const shown = document.querySelector("#log-here .log")?.dataset.after;
    if (link && !link.href.endsWith(shown ?? "-") && !document.querySelector("#log-here .log[data-follow]")) link.click();
  });

  document.querySelectorAll(".log").forEach(begin);
})();
