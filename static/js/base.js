// What every page needs: words for times, one send a click, menus that close, and a voice for what happened.
"use strict";

window.Foldboard = {
  ...window.Foldboard,

  /** Say something to everybody: shown at the foot of the window for a while, and read out politely. */
  say(text, kind = "info") {
    const box = document.getElementById("say");
    box.className = kind;
    box.textContent = text;
    clearTimeout(Foldboard.quiet);
    Foldboard.quiet = setTimeout(() => { box.textContent = ""; }, kind === "error" ? 12000 : 5000);
  },

  /** Words of now for <time class="ago">; what the server wrote stays in `title`. */
  tellTimes(root = document) {
    const now = Date.now();
    for (const time of root.querySelectorAll("time.ago")) {
      const at = new Date(time.dateTime);
      const seconds = (now - at) / 1000;
      if (Number.isNaN(seconds) || seconds < -5 || seconds > 3600) continue;
      const minutes = Math.floor(seconds / 60);
      const words = seconds < 45 ? "just now" : minutes < 2 ? "a minute ago" : `${minutes} minutes ago`;
      time.dataset.wrote ??= time.textContent;
      if (time.textContent !== words) time.textContent = words;
    }
    for (const due of root.querySelectorAll("time.due:not(.late)")) {
      if (new Date(due.dateTime) > now) continue;
      due.classList.add("late");
      due.textContent = due.textContent.replace(/^due/, "was due");
    }
  },
};

// one send a form: a second click before the answer is dropped here, and the server would refuse it too
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method !== "post" || event.defaultPrevented) return;
  if (form.dataset.sent) {
    event.preventDefault();
    event.stopImmediatePropagation();
    return;
  }
  form.dataset.sent = "1";
  event.submitter?.setAttribute("aria-disabled", "true");
}, true);
const unsend = (form) => {
  delete form.dataset.sent;
  for (const button of form.querySelectorAll("[aria-disabled=true]")) button.removeAttribute("aria-disabled");
};
document.addEventListener("htmx:afterRequest", (event) => {
  const form = event.detail.elt.closest?.("form");
  if (form) unsend(form);
});
window.addEventListener("pageshow", () => document.querySelectorAll("form[data-sent]").forEach(unsend));

// a menu closes on Escape and on a click elsewhere, and gives the focus back; a note somebody is writing stays open
document.addEventListener("click", (event) => {
  if (event.target.closest("dialog")) return;
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (!menu.contains(event.target) && !menu.querySelector("textarea")?.value) menu.open = false;
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  const menu = event.target.closest?.("details.menu[open], details.ask[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// a form that asks for a note opens with the cursor in it
document.addEventListener("toggle", (event) => {
  if (event.target.matches?.("details.ask[open]")) event.target.querySelector("textarea, input:not([type=hidden])")?.focus();
}, true);

// a picture that goes on beyond an edge fades there, so that nobody takes the part for the whole
const fade = (root) => {
  for (const box of root.querySelectorAll(".pic-box")) {
    const edges = () => {
      box.classList.toggle("more-left", box.scrollLeft > 1);
      box.classList.toggle("more-right", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    };
    edges();
    box.addEventListener("scroll", edges, { passive: true });
    new ResizeObserver(edges).observe(box);
    new MutationObserver(edges).observe(box, { childList: true });
  }
};
fade(document);
document.addEventListener("htmx:load", (event) => { if (event.detail.elt !== document.body) fade(event.detail.elt); });

document.addEventListener("say", (event) => Foldboard.say(event.detail.text, event.detail.kind));
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if (event.detail.xhr.getResponseHeader("HX-Trigger")) return; // the answer says it better
  if (status === 401) return; // live.js lays the login over the page
  Foldboard.say(`That did not work (the board answered ${status}). Nothing you typed is lost: try again.`, "error");
});
document.addEventListener("htmx:sendError", () => {
  Foldboard.say("The board cannot be reached. Nothing you typed is lost: try again in a moment.", "error");
});

document.addEventListener("DOMContentLoaded", () => Foldboard.tellTimes());
document.addEventListener("htmx:load", (event) => Foldboard.tellTimes(event.detail.elt));
setInterval(() => Foldboard.tellTimes(), 20000);
