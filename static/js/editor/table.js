// The table of the process editor: the rows as the board last said (`server`), as they are seen (`view`: with the edits
// that are still on their way), and the cell one is at.
import { choices, CORE, MORE, root, setColumns } from "./columns.js";
import { applied, blankRow, parsedRow, rowOf, tickOf } from "./edits.js";

export const sheet = document.getElementById("sheet");
export const body = sheet.querySelector("tbody");
const watchers = [];

export const table = {
  server: [],
  view: [],
  at: { row: 0, col: 1 },
  from: { row: 0, col: 1 }, // where the selected range begins; it ends at `at`
};

/** Be told when the rows, the place or what is wrong has changed. */
export const watch = (tell) => { watchers.push(tell); };
export const announce = (what) => { for (const tell of watchers) tell(what); };

/** Show an edit at once. */
export function applyEdit(edit) {
  table.view = applied(table.view, edit);
  show();
}

/** Take over what the board says; a number is the place of a row that stayed as it was. */
export function takeAnswer(answer, waiting) {
  const ticks = table.view.map((row) => tickOf(row.tr).checked);
  const before = table.view;
  setColumns(answer.columns);
  table.server = answer.rows.map((row) => (typeof row === "number" ? table.server[row] : parsedRow(row)));
  rebase(waiting, false);
  if (table.view.length === before.length) {
    table.view.forEach((row, n) => { if (row.tr !== before[n].tr) tickOf(row.tr).checked = ticks[n]; });
  }
  show();
}

/** What is seen: the rows as the board said, with the edits that wait. */
export function rebase(waiting, shows = true) {
  table.view = waiting.reduce(applied, table.server);
  if (shows) show();
}

function show() {
  const focused = sheet.contains(document.activeElement);
  const wanted = new Set(table.view.map((row) => row.tr));
  for (const tr of [...body.children]) if (!wanted.has(tr) && tr !== ghost) tr.remove();
  let at = body.firstElementChild;
  table.view.forEach((row, n) => {
    if (row.tr === at) at = at.nextElementSibling;
    else body.insertBefore(row.tr, at);
    number(row.tr, n);
  });
  body.append(ghost);
  number(ghost, table.view.length);
  sheet.firstElementChild.setAttribute("aria-rowcount", table.view.length + 2);
  table.at.row = Math.min(table.at.row, table.view.length);
  table.from.row = Math.min(table.from.row, table.view.length);
  mark();
  if (focused && !sheet.contains(document.activeElement)) focusCell();
  announce("rows");
}

function number(tr, n) {
  if (tr.dataset.n === String(n)) return;
  tr.dataset.n = n;
  tr.setAttribute("aria-rowindex", n + 2);
  tickOf(tr).tabIndex = -1;
  tickOf(tr).value = n;
  const more = tr.lastElementChild.querySelector("a");
  more.tabIndex = -1;
  more.href = `?row=${n}#row`;
  for (const said of tr.querySelectorAll(".sr[id]")) {
    said.id = said.id.replace(/^m\w*-/, `m${n}-`);
    said.parentElement.setAttribute("aria-describedby", said.id);
  }
}

const ghost = blankRow();
ghost.classList.add("ghost");
ghost.setAttribute("aria-label", "A new row: type to begin it");
tickOf(ghost).hidden = true;

// The place

/** The cell of a place; the row after the last one is the one that typing makes. */
export const cellAt = (row, col) => (row < table.view.length ? table.view[row].tr : ghost).children[col];
/** What is written in a cell. */
export const textAt = (row, col) => (row < table.view.length ? table.view[row].texts[col - 1] : "");
/** The column of the table that a column of the sheet shows; none for the tick and the sum. */
export const columnAt = (col) => (col > 0 && col < MORE ? CORE[col - 1] : "");
/** The id of a row; null for the one that is not there yet. */
export const taskAt = (row) => (row < table.view.length ? table.view[row].texts[0] : null);
const focusable = (cell, col) => (col === 0 || col === MORE ? cell.querySelector("input:not([hidden]), a") ?? cell : cell);

/** The selected range, ends included. */
export const selection = () => ({
  top: Math.min(table.at.row, table.from.row), bottom: Math.max(table.at.row, table.from.row),
  left: Math.min(table.at.col, table.from.col), right: Math.max(table.at.col, table.from.col),
});

let marked = [];
function mark() {
  for (const cell of marked) {
    cell.classList.remove("at", "in-range");
    cell.removeAttribute("aria-selected");
    for (const each of [cell, ...cell.querySelectorAll("input, a")]) if (each.tabIndex === 0) each.tabIndex = -1;
  }
  const { top, bottom, left, right } = selection();
  marked = [];
  for (let row = top; row <= bottom; row += 1) {
    for (let col = left; col <= right; col += 1) {
      const cell = cellAt(row, col);
      cell.setAttribute("aria-selected", "true");
      if (top !== bottom || left !== right) cell.classList.add("in-range");
      marked.push(cell);
    }
  }
  const at = cellAt(table.at.row, table.at.col);
  at.classList.add("at");
  focusable(at, table.at.col).tabIndex = 0;
  for (const tr of body.querySelectorAll("tr.here")) tr.classList.remove("here");
  at.parentElement.classList.add("here");
}

/** Go to a cell; `extend` keeps where the range begins. */
export function go(row, col, { extend = false, focus = true } = {}) {
  table.at = { row: Math.max(0, Math.min(table.view.length, row)), col: Math.max(0, Math.min(MORE, col)) };
  if (!extend) table.from = { ...table.at };
  mark();
  if (focus) focusCell();
  announce("place");
}

/** Give the focus to the cell one is at, in sight. */
export function focusCell() {
  const cell = cellAt(table.at.row, table.at.col);
  focusable(cell, table.at.col).focus({ preventScroll: true });
  const head = sheet.querySelector("thead").offsetHeight;
  const left = sheet.querySelector(".sel").offsetWidth;
  const { offsetTop: top, offsetLeft: start, offsetHeight: height, offsetWidth: width } = cell;
  if (top - head < sheet.scrollTop) sheet.scrollTop = top - head;
  else if (top + height > sheet.scrollTop + sheet.clientHeight) sheet.scrollTop = top + height - sheet.clientHeight;
  if (start - left < sheet.scrollLeft) sheet.scrollLeft = start - left;
  else if (start + width > sheet.scrollLeft + sheet.clientWidth) sheet.scrollLeft = Math.min(start - left, start + width - sheet.clientWidth);
  const box = cell.getBoundingClientRect();
  if (box.top < 60 || box.bottom > innerHeight) cell.scrollIntoView({ block: "center", inline: "nearest" });
}

/** The rows an action is meant for: those that are ticked, else those of the range. */
export function chosenRows() {
  const ticked = table.view.flatMap((row, n) => (tickOf(row.tr).checked ? [n] : []));
  if (ticked.length) return ticked;
  const { top, bottom } = selection();
  return table.view.flatMap((_, n) => (n >= top && n <= bottom ? [n] : []));
}
export const untickAll = () => { for (const row of table.view) tickOf(row.tr).checked = false; };

/** Begin with the rows the page came with. */
export function begin() {
  root.classList.add("scripted");
  setColumns(choices.columns);
  table.server = [...body.children].map(rowOf);
  table.view = [...table.server];
  sheet.firstElementChild.setAttribute("aria-colcount", MORE + 1);
  show();
  announce("place");
}

/** Select a block of cells, from its first one on. */
export function select(row, col, height, width) {
  go(row, col);
  go(row + height - 1, col + width - 1, { extend: true });
}

/** Show for a moment which rows an undo or a group touched. */
export function flash(places) {
  for (const place of places.slice(0, 50)) table.view[place]?.tr.classList.add("new");
}
