// What edits do to the rows of the process editor, as far as that can be known before the board answers.
//
// A row is { tr, texts, notes }: the TR element the board rendered, the texts of its cells, and what is wrong with them.
import { columns, CORE, PARENT } from "./columns.js";

const blank = document.getElementById("blank").content.querySelector("tr");

/** A row of the template, with nothing in it. */
export const blankRow = () => blank.cloneNode(true);

/** The tick of a row. */
export const tickOf = (tr) => tr.children[0].firstElementChild;

/** A row as the board rendered it. */
export const rowOf = (tr) => {
  const [texts, notes] = JSON.parse(tr.dataset.said);
  return { tr, texts, notes };
};

/** A row from the markup of its TR element. */
export function parsedRow(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return rowOf(template.content.firstElementChild);
}

function freshRow(texts) {
  const tr = blankRow();
  return shown({ tr, texts: columns.map(() => ""), notes: [] }, texts);
}

/** A row with other texts, as it looks until the board has said how. */
function shown(row, texts) {
  const tr = row.tr.cloneNode(true);
  texts.forEach((text, place) => {
    if (text === row.texts[place] || place >= CORE.length) return;
    const cell = tr.children[place + 1];
    const said = document.createElement("bdi");
    said.textContent = text;
    cell.replaceChildren(said);
    for (const name of ["title", "aria-invalid", "aria-describedby"]) cell.removeAttribute(name);
    cell.classList.remove("bad", "odd");
  });
  return { tr, texts, notes: row.notes };
}

/** Rows that are moved keep their order, and none passes another or an end. */
function moved(rows, chosen, by) {
  const down = by > 0;
  let limit = down ? rows.length - 1 : 0;
  for (const row of [...chosen].sort((a, b) => (down ? b - a : a - b))) {
    const to = down ? Math.min(limit, row + by) : Math.max(limit, row + by);
    rows.splice(to, 0, ...rows.splice(row, 1));
    limit = down ? to - 1 : to + 1;
  }
  return rows;
}

/** An id that no row has yet. */
function freeId(rows, name) {
  const taken = new Set(rows.map((row) => row.texts[0].trim()));
  let id = name;
  for (let number = 2; taken.has(id); number += 1) id = `${name}_${number}`;
  return id;
}

/** A group row before the first of some rows, named as their parent. */
function grouped(rows, chosen, kind) {
  const word = [...kind].map((letter) => (/[\p{L}\p{N}]/u.test(letter) ? letter : "_")).join("").replace(/^_+|_+$/g, "");
  const name = freeId(rows, `each_${word || "element"}`);
  const cells = { task: name, name: `For each ${kind}`, collection: kind, parent: rows[chosen[0]].texts[PARENT] };
  for (const row of chosen) {
    rows[row] = shown(rows[row], rows[row].texts.map((text, place) => (place === PARENT ? name : text)));
  }
  rows.splice(chosen[0], 0, freshRow(columns.map((column) => cells[column] ?? "")));
  return rows;
}

/** What an edit does to the rows, as far as that can be known here; the rest is seen when the board answers. */
export function applied(rows, edit) {
  rows = [...rows];
  if (edit.do === "put") {
    const first = columns.indexOf(edit.column);
    edit.block.forEach((line, n) => {
      while (rows.length <= edit.row + n) rows.push(freshRow(columns.map(() => "")));
      const texts = [...rows[edit.row + n].texts];
      line.forEach((text, k) => { texts[first + k] = text; });
      rows[edit.row + n] = shown(rows[edit.row + n], texts);
    });
  } else if (edit.do === "add") {
    const above = edit.row > 0 ? rows[edit.row - 1].texts[PARENT] : "";
    rows.splice(edit.row, 0, freshRow(columns.map((_, place) => (place === PARENT ? above : ""))));
  } else if (edit.do === "duplicate") {
    for (const row of [...edit.rows].sort((a, b) => b - a)) {
      const texts = [...rows[row].texts];
      texts[0] = freeId(rows, texts[0].trim() || "task");
      rows.splice(row + 1, 0, shown(rows[row], texts));
      tickOf(rows[row + 1].tr).checked = false;
    }
  } else if (edit.do === "move") {
    moved(rows, edit.rows, edit.by);
  } else if (edit.do === "group") {
    grouped(rows, edit.rows, edit.collection);
  } else if (edit.do === "remove") {
    const gone = new Set(edit.rows);
    rows = rows.filter((_, n) => !gone.has(n));
  }
  return rows;
}
