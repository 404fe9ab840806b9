// Mouse and touch in the table of the process editor.
import { closeCell, editing, openCell } from "../cell.js";
import { MORE } from "../columns.js";
import { openRow } from "../row_form.js";
import { forgetColumn } from "../step.js";
import { go, sheet, table } from "../table.js";

const placeOf = (target) => {
  const cell = target.closest?.("tbody td");
  return cell && sheet.contains(cell) ? [Number(cell.parentElement.dataset.n), cell.cellIndex] : null;
};
let drag = false;
let again = false; // whether the press was on the cell one is at already
sheet.addEventListener("pointerdown", (event) => {
  const place = placeOf(event.target);
  if (!place || event.button) return;
  const [row, col] = place;
  again = row === table.at.row && col === table.at.col && table.from.row === row && table.from.col === col && sheet.contains(document.activeElement);
  if (col === 0 || event.target.closest("a")) return;
  if (event.pointerType === "mouse") event.preventDefault();
  forgetColumn();
  if (editing()) closeCell("keep", "stay");
  go(row, col, { extend: event.shiftKey });
  drag = event.pointerType === "mouse";
});
sheet.addEventListener("pointermove", (event) => {
  const place = drag && event.buttons ? placeOf(event.target) : null;
  if (place && (place[0] !== table.at.row || place[1] !== table.at.col)) go(place[0], Math.max(1, place[1]), { extend: true });
});
addEventListener("pointerup", () => { drag = false; });
sheet.addEventListener("click", (event) => {
  const place = placeOf(event.target);
  if (!place) return;
  const [row, col] = place;
  if (col === 0) return go(row, 0);
  if (col === MORE) {
    event.preventDefault();
    go(row, col);
    return openRow();
  }
  if (again && event.detail === 1 && !event.shiftKey) openCell(row, col);
});
sheet.addEventListener("dblclick", (event) => {
  const place = placeOf(event.target);
  if (place && place[1] > 0 && place[1] < MORE && !editing()) openCell(...place);
});
sheet.addEventListener("focusin", (event) => {
  const place = placeOf(event.target);
  if (place && (place[0] !== table.at.row || place[1] !== table.at.col)) go(...place, { focus: false });
});
