// What every page needs: one send a click, menus that close, pictures that fade, and words for what happened.
import { say } from "./say.js";
import { tellTimes } from "./times.js";

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

document.addEventListener("say", (event) => say(event.detail.text, event.detail.kind));
document.addEventListener("htmx:responseError", (event) => {
  const status = event.detail.xhr.status;
  if (event.detail.xhr.getResponseHeader("HX-Trigger")) return; // the answer says it better
  if (status === 401) return; // live.js lays the login over the page
  say(`That did not work (the board answered ${status}). Nothing you typed is lost: try again.`, "error");
});
document.addEventListener("htmx:sendError", () => {
  say("The board cannot be reached. Nothing you typed is lost: try again in a moment.", "error");
});

document.addEventListener("DOMContentLoaded", () => tellTimes());
document.addEventListener("htmx:load", (event) => tellTimes(event.detail.elt));
setInterval(() => tellTimes(), 20000);
