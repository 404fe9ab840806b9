// The edits of the process editor: seen at once, sent one after the other, kept until the board has taken them.
import { byId } from "../shared/by_id.js";
import { fragment, loginExpired, parsed } from "../shared/fragments.js";
import { fitPicture } from "../shared/picture.js";
import { say } from "../shared/say.js";
import { tellTimes } from "../shared/times.js";
import { columns, headingOf, root } from "./columns.js";
import { announce, applyEdit, flash, focusCell, rebase, table, takeAnswer, taskAt } from "./table.js";

const queue = [];
const WAITS = [1000, 2000, 4000, 8000];
let state = { draft: Number(root.dataset.draft), edits: Number(root.dataset.edits), base: root.dataset.base };
let sending = false;
let failures = 0;
let timer = 0;
let renewed = false; // whether the token was fetched anew since the last edit that came through
const done = []; // who waits for the queue to be empty

/** Make an edit: it is seen at once and sent when its turn comes. */
export function perform(edit) {
  edit.called = crypto.randomUUID?.() ?? String(Math.random()).slice(2) + Date.now();
  queue.push(edit);
  applyEdit(edit);
  tell();
  pump();
}

/** Write one cell, if that changes it. */
export function writeCell(row, column, text) {
  const place = columns.indexOf(column);
  const before = row < table.view.length ? table.view[row].texts[place] : "";
  if (text === before) return false;
  perform({ do: "put", row, column, block: [[text]], task: taskAt(row) });
  return true;
}

/** How many edits are on their way. */
export const waiting = () => queue.length;

/** Resolves once every edit has been taken. */
export const settled = () => new Promise((resolve) => { if (queue.length) done.push(resolve); else resolve(); });

const token = () => JSON.parse(document.body.getAttribute("hx-headers") || "{}")["X-CSRFToken"] || "";

async function pump() {
  if (sending || !queue.length) return;
  clearTimeout(timer);
  sending = true;
  const edit = queue[0];
  let answer;
  let said = null;
  try {
    answer = await fetch(root.dataset.op, {
      method: "POST",
      headers: { "Content-Type": "application/json", "HX-Request": "true", "X-CSRFToken": token() },
      body: JSON.stringify({ ...edit, ...state, more: queue.length > 1 }),
      signal: AbortSignal.timeout(20000),
    });
    if ([200, 409, 422].includes(answer.status)) said = await answer.json();
  } catch {
    answer = null;
  }
  sending = false;
  if (answer === null || answer.status >= 500 || answer.status === 429) return again();
  if (answer.status === 401) return outside();
  if (answer.status === 403 && !renewed) return renew();
  failures = 0;
  renewed = false;
  byId("ed-lost").hidden = true;
  if (said) return take(answer.status, edit, said);
  queue.shift();
  notTaken([edit], `The board did not take this (${answer.status}).`);
  if (answer.status === 403) say("You may not edit this process any more.", "error");
  settle();
}

function take(status, edit, said) {
  if (status === 409) notTaken(queue.splice(0), said.message);
  else queue.shift();
  const whole = ["undo", "redo", "group", "ungroup"].includes(edit.do);
  state = { draft: said.draft, edits: said.edits, base: said.base };
  const before = columns.join("\n");
  takeAnswer(said, queue);
  if (status === 422 && !followed(edit)) notTaken([edit], said.message);
  if (status === 200) renamed(edit);
  if (whole) flash(said.rows.flatMap((row, n) => (typeof row === "number" ? [] : [n])));
  byId("ed-discard").hidden = !state.draft;
  put("problems", said.problems);
  for (const part of template(said.state).children) swap(part);
  if (said.picture === null) planPicture();
  else if ("picture" in said) picture(said.picture);
  for (const button of document.querySelectorAll("#ops button[value=undo], #ops button[value=redo]")) {
    button.disabled = !said[button.value];
  }
  const count = said.errors === 1 ? "1 error" : `${said.errors || "No"} errors`;
  if (byId("ed-count").textContent !== count) byId("ed-count").textContent = count;
  announce("said");
  if (before !== said.columns.join("\n")) settled().then(() => location.reload()); // the form has other fields now
  settle();
}

/** Say what it means that a task has another id now. */
function renamed(edit) {
  const id = edit.do === "put" && edit.column === "task" && edit.block.length === 1 ? edit.block[0][0].trim() : "";
  if (!id || !edit.task || id === edit.task.trim()) return;
  say(`“${edit.task.trim()}” is “${id}” now, also where it is waited for. Instances that run keep the old id.`);
}

/** Whether the row of a cell that was typed stands somewhere else by now, so that the cell can be written there. */
function followed(edit) {
  const row = edit.do === "put" && edit.task && !edit.again ? table.server.findIndex((each) => each.texts[0] === edit.task) : -1;
  if (row < 0) return false;
  queue.unshift({ ...edit, row, again: true });
  rebase(queue);
  return true;
}

function settle() {
  tell();
  if (queue.length) return void pump();
  for (const resolve of done.splice(0)) resolve();
}

function template(html) {
  const holder = document.createElement("template");
  holder.innerHTML = html;
  tellTimes(holder.content);
  return holder.content;
}

function put(id, html) {
  const box = byId(id);
  const at = box.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  box.replaceChildren(template(html));
  if (at !== null) (box.querySelector(`a[href="${CSS.escape(at)}"]`) ?? box).focus({ preventScroll: true });
}

function swap(part) {
  const old = byId(part.id);
  if (!old || old.outerHTML === part.outerHTML) return;
  const focused = old === document.activeElement;
  const copy = document.importNode(part, true);
  old.replaceWith(copy);
  if (focused) copy.focus();
}

function picture(svg) {
  const box = byId("picture");
  const { scrollLeft, scrollTop } = box;
  box.innerHTML = svg;
  box.hidden = !svg;
  fit();
  byId("no-picture").hidden = Boolean(svg);
  Object.assign(box, { scrollLeft, scrollTop });
}

let drawing = 0;

/** A large picture is asked for once nobody has typed for a moment. */
function planPicture() {
  clearTimeout(drawing);
  byId("picture").setAttribute("aria-busy", "true");
  drawing = setTimeout(async () => {
    const { edits } = state;
    try {
      const answer = await fragment(root.dataset.picture);
      const svg = answer.ok ? await answer.text() : null;
      if (edits === state.edits && svg !== null) picture(svg);
    } catch {
      // the next edit asks again
    }
    byId("picture").removeAttribute("aria-busy");
  }, 500);
}

const fit = () => fitPicture(byId("picture"));
addEventListener("resize", fit);
fit();

// When it does not come through

function again() {
  const wait = WAITS[Math.min(failures, WAITS.length - 1)];
  failures += 1;
  lost(`Connection lost. ${many(queue.length)} kept here and sent as soon as the board answers.`);
  timer = setTimeout(pump, wait);
  tell();
}

function lost(text) {
  const box = byId("ed-lost");
  if (box.textContent !== text) box.textContent = text;
  box.hidden = false;
}

function outside() {
  lost(`Your login has expired. ${many(queue.length)} kept here and sent when you are logged in again.`);
  loginExpired();
  tell();
}

// Logged in again, here or in the page that is fetched below: live.js takes over the new token.
new MutationObserver(() => { failures = 0; pump(); }).observe(document.body, { attributeFilter: ["hx-headers"] });
addEventListener("online", () => { failures = 0; pump(); });

/** A login in another window makes the token of this page stale: take over the one of a new page. */
async function renew() {
  renewed = true;
  try {
    const answer = await fetch(location.pathname, { cache: "no-store" });
    const page = parsed(await answer.text());
    if (page.body.dataset.user !== document.body.dataset.user) return outside();
    document.body.setAttribute("hx-headers", page.body.getAttribute("hx-headers"));
  } catch {
    again();
  }
}

/** Edits that were not taken: what was typed is shown, so that it can be typed or copied again. */
function notTaken(edits, why) {
  const typed = edits.filter((edit) => edit.do === "put").map((edit) => [edit, edit.block.map((line) => line.join("\t")).join("\n")]);
  const box = byId("ed-not-taken");
  const text = document.createElement("div");
  text.append(why);
  for (const [edit, said] of typed.filter(([, said]) => said.trim())) {
    const line = document.createElement("p");
    const what = document.createElement("code");
    what.textContent = said;
    line.append(`Not taken, ${edit.task ? `${edit.task}, ` : ""}${headingOf(edit.column)}: `, what);
    text.append(line);
  }
  const close = document.createElement("button");
  close.className = "btn";
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => { box.hidden = true; focusCell(); });
  box.replaceChildren(text, close);
  box.hidden = false;
  say(why, "error");
}

const many = (count) => (count === 1 ? "1 change is" : `${count} changes are`);

let slow = 0;
function tell() {
  const box = byId("ed-sent");
  clearTimeout(slow);
  if (!queue.length) box.textContent = state.draft ? "Kept in your draft" : "";
  else if (failures) box.textContent = `${many(queue.length)} not sent yet`;
  else slow = setTimeout(() => { box.textContent = "Keeping…"; }, 400);
}

addEventListener("beforeunload", (event) => { if (queue.length) event.preventDefault(); });

// What leaves the page waits for the edits that are still on their way.
document.addEventListener("click", async (event) => {
  const link = event.target.closest?.("a[data-leave], #ed-save, .menu-body a");
  if (!link || !root.contains(link) || event.ctrlKey || event.metaKey) return;
  if (!queue.length) {
    if (link.getAttribute("href") === "#editor") event.preventDefault(); // nothing to save yet
    return;
  }
  event.preventDefault();
  await settled();
  (link.id ? byId(link.id) : link).click(); // what can be saved, and why not, is known only now
});
