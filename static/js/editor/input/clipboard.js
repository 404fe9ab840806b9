// Blocks of cells of the process editor: copied, cut, pasted and emptied as in a spreadsheet.
import { say } from "../../shared/say.js";
import { editing } from "../cell.js";
import { columns, MORE } from "../columns.js";
import { perform } from "../queue.js";
import { columnAt, select, selection, sheet, table, taskAt, textAt } from "../table.js";

function inside() {
  const range = selection();
  return { ...range, left: Math.max(1, range.left), right: Math.min(MORE - 1, range.right), bottom: Math.min(range.bottom, table.view.length - 1) };
}

/** Empty the selected cells. */
export function clear() {
  const { top, bottom, left, right } = inside();
  if (right < left || bottom < top) return true;
  const block = [];
  for (let row = top; row <= bottom; row += 1) block.push(Array(right - left + 1).fill(""));
  if (blockOf(top, bottom, left, right).some((line) => line.some(Boolean))) write(top, left, block);
  return true;
}

function blockOf(top, bottom, left, right) {
  const block = [];
  for (let row = top; row <= bottom; row += 1) {
    const line = [];
    for (let col = left; col <= right; col += 1) line.push(textAt(row, col));
    block.push(line);
  }
  return block;
}

const write = (row, col, block) => perform({ do: "put", row, column: columnAt(col), block, task: taskAt(row) });

const quoted = (text) => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** The cells of what a spreadsheet puts on the clipboard: tabs between, quotes around what holds one. */
function cellsOf(text) {
  const rows = [[]];
  const pattern = /(?:^|\t|\n)(?:"((?:[^"]|"")*)"(?=\t|\n|$)|([^\t\n]*))/g;
  const clean = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  for (const { 0: all, 1: inQuotes, 2: bare, index } of clean.matchAll(pattern)) {
    if (all[0] === "\n" && index > 0) rows.push([]);
    rows.at(-1).push(inQuotes !== undefined ? inQuotes.replaceAll('""', '"') : bare ?? "");
  }
  const width = Math.max(...rows.map((row) => row.length));
  return rows.map((row) => [...row, ...Array(width - row.length).fill("")]);
}

const mine = () => !editing() && sheet.contains(document.activeElement);

function copy(event) {
  if (!mine()) return;
  const { top, bottom, left, right } = inside();
  const block = blockOf(top, bottom, left, right);
  event.clipboardData.setData("text/plain", block.map((line) => line.map(quoted).join("\t")).join("\n"));
  event.preventDefault();
}
document.addEventListener("copy", copy);
document.addEventListener("cut", (event) => {
  if (!mine()) return;
  copy(event);
  clear();
});
document.addEventListener("paste", (event) => {
  if (!mine()) return;
  const text = event.clipboardData.getData("text/plain");
  event.preventDefault();
  if (text) paste(cellsOf(text));
});

function paste(block) {
  const { top, bottom, left, right } = selection();
  const col = Math.max(1, left);
  if (col >= MORE) return say("Go to the cell where the block is to begin, then paste.", "error");
  const named = withHeadings(block, top);
  if (named) return void (write(top, 1, named), select(top, 1, named.length, MORE - 1));
  if (block.length === 1 && block[0].length === 1) {
    const last = Math.min(Math.max(top, bottom), Math.max(top, table.view.length - 1));
    block = Array.from({ length: last - top + 1 }, () => Array(Math.min(right, MORE - 1) - col + 1).fill(block[0][0]));
  }
  write(top, col, block);
  select(top, col, block.length, block[0].length);
}

/** A block whose first line names columns goes where they are; what it does not name stays as it is. */
function withHeadings([head, ...lines], top) {
  const places = head.map((name) => columns.indexOf(name.trim().toLowerCase().replace(/[\s-]+/g, "_")));
  if (!lines.length || places.includes(-1) || !places.includes(0) || places.length < 2) return null;
  return lines.map((line, n) => {
    const texts = top + n < table.view.length ? [...table.view[top + n].texts] : columns.map(() => "");
    places.forEach((place, k) => { texts[place] = line[k]; });
    return texts;
  });
}
