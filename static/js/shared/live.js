// Live: asks each second whether the page is still true, and swaps what is not.
//
// A page that wants this has one element with data-news (where to ask) and data-v (the position it shows). The answer is
// 204, or fragments that carry the ids of what they replace. What is being used (focus, an open drawer, selected text)
// is only marked, and swapped when it is left. `ask()` asks at once; `live:put` tells what was swapped.
import { fragment, parsed } from "./fragments.js";
import { hasText } from "./hands.js";
import { say } from "./say.js";
import { tellTimes } from "./times.js";

const PERIOD = 1000;
const SLOW_PERIOD = 5000;
const LOST_PERIOD = 2000;
const SLOW_AFTER = 10 * 60 * 1000; // since somebody last touched the page
const LOST_AFTER = 3; // answers missing in a row
const LOGIN = "/account/login/";
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

// Asking

function period() {
  if (failures >= LOST_AFTER) return LOST_PERIOD;
  return Date.now() - touched > SLOW_AFTER ? SLOW_PERIOD : PERIOD;
}

function plan(started) {
  clearTimeout(timer);
  timer = setTimeout(ask, Math.max(0, started + period() - performance.now()));
}

/** Ask at once whether the page is still true. */
export async function ask() {
  if (!root || !root.dataset.news || asking || out || document.hidden) return;
  asking = true;
  const started = performance.now();
  const asked = root.dataset.news;
  try {
    const url = new URL(asked, location.href);
    url.searchParams.set("v", root.dataset.v);
    const answer = await fragment(url, { signal: AbortSignal.timeout(8000) });
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
  if (answer.status === 401) return; // the login is laid over the page already
  if (answer.status === 409) return stale();
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

// The log was replaced: nothing shown can be relied on any more, but what was typed is not thrown away.
function stale() {
  if (!hasText(document)) return location.reload();
  out = true;
  banner("lost", "The log was replaced meanwhile. Copy what you typed, then load this page again.");
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
  note.innerHTML = '<svg class="i" aria-hidden="true"><use href="#i-warn"/></svg><span></span>';
  note.lastElementChild.textContent = text;
  document.getElementById("main").prepend(note);
}

// Swapping

function apply(text, started) {
  const news = parsed(text).querySelector(".news");
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

/** Put a fragment in the place of what it replaces; returns what stands there now. */
export function put(old, fresh) {
  held.delete(old.id);
  const node = document.importNode(fresh, true);
  source.set(node, fresh.outerHTML);
  const tick = old.querySelector("input[name=row]");
  if (tick?.checked) node.querySelector("input[name=row]").checked = true;
  old.replaceWith(node);
  node.classList.add("new");
  tellTimes(node);
  root.dispatchEvent(new CustomEvent("live:put", { detail: { old, node } }));
  return node;
}

/** Swap in what was held back, as far as it is no longer in use. */
export function release() {
  for (const [id, fresh] of [...held]) {
    const old = document.getElementById(id);
    if (!old) held.delete(id);
    else if (!busy(old)) put(old, fresh);
  }
}

/** Note that one's own action put an element there: news asked for before it do not undo it. */
export function own(id) {
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
  dialog.addEventListener("cancel", (event) => event.preventDefault());
  document.body.append(dialog);
  try {
    const answer = await fetch(LOGIN, { cache: "no-store" });
    show(dialog, parsed(await answer.text()));
    if (!dialog.isConnected) return;
    dialog.showModal();
    dialog.querySelector("[name=password]")?.focus();
  } catch {
    dialog.remove();
    out = false; // the server is away as well: the next question finds out
    missed();
  }
}

function show(dialog, page) {
  const form = page.querySelector("form:has([type=password])");
  if (!form && page.body.dataset.user) return back(dialog, page);
  const title = document.createElement("h2");
  title.textContent = "Your login has expired";
  const why = document.createElement("p");
  why.className = "soft";
  why.textContent = "Log in again here. What you typed is still there.";
  const body = document.importNode(form ?? page.querySelector("#main"), true);
  body.querySelector("[name=next]")?.remove();
  dialog.replaceChildren(title, why, body);
  if (!form) return;
  const name = dialog.querySelector("[name=username]");
  name.value ||= document.body.dataset.user || "";
  body.addEventListener("submit", (event) => send(event, dialog, body));
}

async function send(event, dialog, form) {
  event.preventDefault();
  try {
    const answer = await fetch(LOGIN, { method: "POST", body: new FormData(form), cache: "no-store" });
    show(dialog, parsed(await answer.text()));
    dialog.querySelector("[name=password]")?.focus();
  } catch {
    delete form.dataset.sent;
    say("The board cannot be reached. Try again in a moment.", "error");
  }
}

// Somebody is logged in again: take over the new token, or the whole page if it is somebody else's now.
function back(dialog, page) {
  if (page.body.dataset.user !== document.body.dataset.user) return location.reload();
  const headers = page.body.getAttribute("hx-headers");
  document.body.setAttribute("hx-headers", headers);
  const token = JSON.parse(headers)["X-CSRFToken"];
  for (const field of document.querySelectorAll("[name=csrfmiddlewaretoken]")) field.value = token;
  dialog.remove();
  out = false;
  say(`You are logged in again.${whatNow()}`, "success");
  ask();
}

function whatNow() {
  if (document.getElementById("editor")) return " What you typed is sent now.";
  return hasText(document) ? " What you typed is still there: send it again." : "";
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
document.addEventListener("htmx:beforeOnLoad", (event) => {
  if (event.detail.xhr.status !== 401) return;
  event.preventDefault(); // no answer for the page: the form stays as it is
  login();
});
document.addEventListener("login:expired", login);

if (root) plan(performance.now());
