// Rows of the process editor dragged by their numbers; the buttons and Alt with an arrow do the same.
import { tickOf } from "../edits.js";
import { perform } from "../queue.js";
import { body, chosenRows, go, sheet, table } from "../table.js";

const FAR = 5; // pixels from where a press becomes a drag
const EDGE = 30; // pixels from an end of the sheet where it scrolls
let drag = null; // { rows, y, to }

const rowAt = (y) => {
  const rows = table.view.map((row) => row.tr.getBoundingClientRect());
  const below = rows.findIndex((box) => y < box.top + box.height / 2);
  return below < 0 ? rows.length : below; // the row it would be put before
};

function show(to) {
  for (const tr of body.querySelectorAll(".drop")) tr.classList.remove("drop");
  if (to !== null) (table.view[to]?.tr ?? body.lastElementChild).classList.add("drop");
}

sheet.addEventListener("pointerdown", (event) => {
  const cell = event.target.closest("tbody tr:not(.ghost) td.sel");
  if (!cell || event.button || event.target.matches("input") || event.pointerType !== "mouse") return;
  event.preventDefault();
  const row = Number(cell.parentElement.dataset.n);
  const chosen = chosenRows();
  drag = { rows: tickOf(table.view[row].tr).checked ? chosen : [row], y: event.clientY, to: null };
  sheet.setPointerCapture(event.pointerId);
});

sheet.addEventListener("pointermove", (event) => {
  if (!drag || (drag.to === null && Math.abs(event.clientY - drag.y) < FAR)) return;
  drag.to = rowAt(event.clientY);
  sheet.classList.add("dragging");
  const box = sheet.getBoundingClientRect();
  if (event.clientY < box.top + EDGE + 30) sheet.scrollTop -= 12;
  if (event.clientY > box.bottom - EDGE) sheet.scrollTop += 12;
  show(drag.to);
});

function end(event) {
  if (!drag) return;
  const { rows, to } = drag;
  drag = null;
  show(null);
  sheet.classList.remove("dragging");
  if (to === null || event.type === "pointercancel") return;
  // the rows stay together where they are put: each is moved by as much as the first one
  const above = rows.filter((row) => row < to).length;
  const by = to - above - rows[0];
  const together = rows.every((row, n) => row === rows[0] + n);
  if (!by) return;
  if (together) perform({ do: "move", rows, by });
  else for (const [row, target] of steps(rows, to)) perform({ do: "move", rows: [row], by: target - row });
  go(to - above, 1);
}
sheet.addEventListener("pointerup", end);
sheet.addEventListener("pointercancel", end);

/** Single moves that bring scattered rows together before row `to`, in their order. */
function steps(rows, to) {
  const moves = [];
  const up = rows.filter((row) => row >= to);
  const down = rows.filter((row) => row < to).reverse();
  down.forEach((row, n) => moves.push([row, to - 1 - n]));
  up.forEach((row, n) => moves.push([row, to + n]));
  return moves.filter(([row, target]) => row !== target);
}
