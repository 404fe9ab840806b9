// My work, kept true: cards come and go by themselves, but never under a working hand.
(() => {
  "use strict";
  const page = document.getElementById("work");
  const busy = (card) =>
    card.contains(document.activeElement) && document.activeElement !== card
    || card.querySelector("details[open]") !== null
    || card.querySelector("form[data-sent]") !== null;

  // news: the whole list as it is now; only what differs is touched
  page.addEventListener("live:news", ({ detail }) => {
    const lists = document.getElementById("work-lists");
    const fresh = detail.news.querySelector("#work-lists");
    if (!fresh) return;
    const kept = new Map([...lists.querySelectorAll(".job")].map((card) => [card.id, card]));
    const had = new Set(kept.keys());
    for (const card of fresh.querySelectorAll(".job")) {
      const old = kept.get(card.id);
      kept.delete(card.id);
      if (!had.has(card.id)) card.classList.add("new");
      if (!old) continue;
      if (old.dataset.version === card.dataset.version) card.replaceWith(old);
      else if (busy(old)) card.replaceWith(held(old, "This task has changed meanwhile. Close the note to see how it is now."));
    }
    // what is gone but in use stays at the top until it is left, with what was typed
    const orphans = [...kept.values()].filter(busy).map((card) => held(card, "This task is no longer open for you. What you typed is still here to be copied."));
    const focus = document.activeElement?.closest?.(".job")?.id;
    const scroll = scrollY;
    lists.replaceChildren(...fresh.childNodes);
    lists.prepend(...orphans);
    document.getElementById("work-lead").replaceWith(detail.news.querySelector("#work-lead"));
    document.getElementById("work-side").replaceWith(detail.news.querySelector("#work-side"));
    badge(Number(detail.news.dataset.open));
    htmx.process(lists);
    Foldboard.tellTimes(page);
    if (focus && document.activeElement === document.body) document.getElementById(focus)?.focus();
    scrollTo(0, scroll);
  });

  function held(card, words) {
    card.classList.add("held");
    card.dataset.version = "";
    let note = card.querySelector(".held-note");
    if (!note) {
      note = document.createElement("p");
      note.className = "held-note";
      card.append(note);
      Foldboard.say(words);
    }
    note.textContent = words;
    return card;
  }

  // a held card is looked at again as soon as its note is closed
  page.addEventListener("toggle", (event) => {
    if (event.target.open || !event.target.closest(".held")) return;
    page.dataset.v = "";
    Foldboard.ask();
  }, true);

  function badge(count) {
    document.title = document.title.replace(/^My work( \(\d+\))?/, count ? `My work (${count})` : "My work");
    const link = document.querySelector(".top nav a[aria-current]");
    link.querySelector(".badge")?.remove();
    if (count) link.insertAdjacentHTML("beforeend", `<span class="badge">${count}<span class="sr"> open</span></span>`);
  }

  // one's own click: the card goes at once and the next one has the focus; the news confirm it
  page.addEventListener("htmx:afterRequest", (event) => {
    const card = event.target.closest(".job");
    if (!card) return;
    const { successful, xhr, requestConfig } = event.detail;
    if (successful) {
      const wish = requestConfig.parameters.do ?? requestConfig.formData?.get("do") ?? "";
      card.querySelector("details[open]")?.removeAttribute("open");
      card.querySelector("textarea").value = "";
      if (wish.startsWith("finish") || wish === "retry") leave(card);
      else card.focus();
    } else if (xhr.status === 422) {
      const ask = card.querySelector("details.ask");
      ask.open = true;
      ask.querySelector("textarea").focus();
    }
    Foldboard.ask();
  });

  function leave(card) {
    const cards = [...page.querySelectorAll(".job")];
    const next = cards[cards.indexOf(card) + 1] ?? cards[cards.indexOf(card) - 1] ?? page.querySelector("h1");
    card.remove();
    next.focus({ preventScroll: false });
  }
})();
