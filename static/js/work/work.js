// My work, kept true: cards come and go by themselves, but never under a working hand.
import { ask } from "../shared/live.js";
import { say } from "../shared/say.js";
import { tellTimes } from "../shared/times.js";

const page = document.getElementById("work");
const lists = document.getElementById("work-lists");
const CHANGED = "This task has changed meanwhile. Close the note to see how it is now.";
const GONE = "This task is no longer open for you. What you typed is still here to be copied.";

function busy(card) {
  const focused = card.contains(document.activeElement) && document.activeElement !== card;
  return focused || card.querySelector("details[open], form[data-sent]") !== null;
}

// News: the lists as they are now. Only what differs is touched, and what has the focus is never moved.

page.addEventListener("live:news", ({ detail }) => {
  const fresh = detail.news.querySelector("#work-lists");
  if (!fresh) return;
  const focused = document.activeElement?.closest?.(".job")?.id;
  const places = new Map([...fresh.querySelectorAll(".job")].map((card) => [card.id, card.parentElement.id]));
  for (const old of [...lists.querySelectorAll(".job")]) {
    const stays = places.get(old.id) === old.parentElement.id;
    if (stays) continue;
    if (!busy(old)) old.remove();
    else {
      hold(old, GONE);
      fresh.querySelector(`#${old.id}`)?.remove(); // it is in another list now; once only on the page
    }
  }
  arrange(lists, [...fresh.children], (old, section) => {
    if (old.matches(".jobs") && section.matches(".jobs")) arrange(old, [...section.children], keepCard);
    return old.matches(".jobs") ? old : section;
  });
  document.getElementById("work-lead").replaceWith(detail.news.querySelector("#work-lead"));
  document.getElementById("work-side").replaceWith(detail.news.querySelector("#work-side"));
  title(Number(detail.news.dataset.open));
  htmx.process(lists);
  tellTimes(page);
  if (focused && document.activeElement === document.body) document.getElementById(focused)?.focus();
});

// `keep(old, fresh)` says which of two elements with the same id is shown
function arrange(parent, wanted, keep) {
  const known = new Map([...parent.children].filter((child) => child.id).map((child) => [child.id, child]));
  let at = parent.firstElementChild;
  for (const fresh of wanted) {
    const old = known.get(fresh.id);
    const chosen = old ? keep(old, fresh) : fresh;
    if (!old && fresh.matches(".job")) fresh.classList.add("new");
    while (at && at !== old && stays(at, wanted, old)) at = at.nextElementSibling;
    if (chosen === old) at = settle(parent, old, at);
    else if (old) {
      if (at === old) at = old.nextElementSibling;
      old.remove();
      parent.insertBefore(chosen, at);
    } else parent.insertBefore(chosen, at);
  }
  while (at) {
    const next = at.nextElementSibling;
    if (!at.matches(".held") && !at.querySelector(".held")) at.remove();
    at = next;
  }
}

// what is held and has no place in the new order stays where it is
function stays(child, wanted, old) {
  const held = child.matches(".held") || child.querySelector(".held") !== null;
  return held && child !== old && !wanted.some((fresh) => fresh.id === child.id);
}

function settle(parent, old, at) {
  if (old === at) return at.nextElementSibling;
  if (!old.contains(document.activeElement)) {
    parent.insertBefore(old, at);
    return at;
  }
  // the focus stays with what does not move: what is before it steps aside, and comes back in its turn
  while (at && at !== old) {
    const next = at.nextElementSibling;
    at.remove();
    at = next;
  }
  return old.nextElementSibling;
}

function keepCard(old, fresh) {
  if (!old.matches(".job")) return old.outerHTML === fresh.outerHTML ? old : fresh;
  if (old.dataset.version === fresh.dataset.version) return old;
  return busy(old) ? hold(old, CHANGED) : fresh;
}

function hold(card, words) {
  card.classList.add("held");
  card.dataset.version = "";
  let note = card.querySelector(".held-note");
  if (!note) {
    note = document.createElement("p");
    note.className = "held-note";
    card.append(note);
    say(words);
  }
  note.textContent = words;
  return card;
}

// a held card is looked at again as soon as its note is closed
page.addEventListener("toggle", (event) => {
  if (event.target.open || !event.target.closest(".held")) return;
  document.activeElement?.blur();
  again();
}, true);

function again() {
  page.dataset.v = "";
  ask();
}

function title(count) {
  document.title = document.title.replace(/^My work( \(\d+\))?/, count ? `My work (${count})` : "My work");
}

// One's own click: the card goes at once and the next one has the focus; the news confirm it.

page.addEventListener("htmx:afterRequest", (event) => {
  const card = event.target.closest(".job");
  if (!card) return;
  const { xhr, requestConfig } = event.detail;
  if (!xhr.status) return; // no answer at all: base.js says so, and everything stays as it is
  const note = card.querySelector("details.ask");
  if (xhr.status < 400) {
    const wish = requestConfig.formData.get("do");
    if (note) {
      note.querySelector("textarea").value = "";
      note.open = false;
    }
    if (wish.startsWith("finish") || wish === "retry") leave(card);
    else card.focus();
  } else if (xhr.status === 422 && note) {
    note.open = true;
    note.querySelector("textarea").focus();
  }
  again();
});

function leave(card) {
  const cards = [...page.querySelectorAll(".job")];
  const next = cards[cards.indexOf(card) + 1] ?? cards[cards.indexOf(card) - 1] ?? page.querySelector("h1");
  card.remove();
  next.focus();
}
