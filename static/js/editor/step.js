// Going on in the process editor from one cell to the next, after an edit or with Tab and Enter.
import { MORE } from "./columns.js";
import { go, table } from "./table.js";

let column = null; // where Tab began, for Enter to go back to

/** Forget where Tab began: somebody went elsewhere. */
export function forgetColumn() {
  column = null;
}

/** Go on after an edit: down and up within the column, right and left over the ends of rows. */
export function step(way) {
  const { row, col } = table.at;
  if (way === "down" || way === "up") {
    go(row + (way === "down" ? 1 : -1), way === "down" && column !== null ? column : col);
    column = null;
    return true;
  }
  column ??= col;
  if (way === "right" && col >= MORE) return row < table.view.length && (go(row + 1, 1), true);
  if (way === "left" && col <= 1) return row > 0 && (go(row - 1, MORE), true);
  go(row, col + (way === "right" ? 1 : -1));
  return true;
}
