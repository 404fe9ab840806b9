// The keyboard in the table of the process editor, as in a spreadsheet.
import { say } from "../../shared/say.js";
import { act } from "../actions.js";
import { editing, openCell } from "../cell.js";
import { clear } from "./clipboard.js";
import { MORE } from "../columns.js";
import { tickOf } from "../edits.js";
import { openFind } from "../find.js";
import { openRow } from "../row_form.js";
import { forgetColumn, step } from "../step.js";
import { go, sheet, table, textAt } from "../table.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
let leaving = false; // after Escape, Tab leaves the table

/** To the last filled cell in a direction, or over a gap to the next one, or to the end. */
function far(down, right) {
  let { row, col } = table.at;
  const inside = (atRow, atCol) => atRow >= 0 && atRow < table.view.length && atCol >= 1 && atCol < MORE;
  const filled = (atRow, atCol) => inside(atRow, atCol) && textAt(atRow, atCol).trim() !== "";
  const run = filled(row, col) && filled(row + down, col + right);
  while (inside(row + down, col + right) && (!run || filled(row + down, col + right))) {
    row += down;
    col += right;
    if (!run && filled(row, col)) break;
  }
  return [row, col];
}

sheet.addEventListener("keydown", (event) => {
  if (event.isComposing || editing() || !event.target.closest("td")) return;
  if (pressed(event)) event.preventDefault();
  if (event.key !== "Escape" && event.key !== "Shift") leaving = false;
});

/** Whether a key meant something. */
function pressed(event) {
  const { key, shiftKey, altKey } = event;
  const typing = event.getModifierState("AltGraph"); // a character of its own on many keyboards
  const ctrl = (event.ctrlKey || event.metaKey) && !typing;
  if (altKey && (key === "ArrowUp" || key === "ArrowDown")) return act(key === "ArrowUp" ? "up" : "down"), true;
  if (altKey && !typing) return false;
  if (ARROWS[key]) {
    const [down, right] = ARROWS[key];
    const [row, col] = ctrl ? far(down, right) : [table.at.row + down, table.at.col + right];
    return move(row, col, shiftKey);
  }
  if (ctrl) return command(key.toLowerCase(), shiftKey);
  switch (key) {
    case "Home": return move(table.at.row, 1, shiftKey);
    case "End": return move(table.at.row, MORE - 1, shiftKey);
    case "PageDown": return move(table.at.row + page(), table.at.col, shiftKey);
    case "PageUp": return move(table.at.row - page(), table.at.col, shiftKey);
    case "Tab":
      if (leaving) return leaving = false;
      return step(shiftKey ? "left" : "right");
    case "Enter":
      if (table.at.col === MORE) return openRow(), true;
      return step(shiftKey ? "up" : "down");
    case "F2": return table.at.col === MORE ? (openRow(), true) : openCell(table.at.row, table.at.col);
    case "Escape":
      leaving = true;
      go(table.at.row, table.at.col);
      say("Tab leaves the table now.");
      return true;
    case "Delete": case "Backspace": return clear();
    case " ":
      if (table.at.col === 0 && !shiftKey) return false; // the tick itself takes it
      if (!shiftKey) return openCell(table.at.row, table.at.col, "");
      if (table.at.row < table.view.length) tickOf(table.view[table.at.row].tr).click();
      return true;
    default:
      if ([...key].length !== 1 && key !== "Process" && key !== "Dead") return false;
      openCell(table.at.row, table.at.col, ""); // and the key goes on into the field
      return false;
  }
}

function move(row, col, extend) {
  forgetColumn();
  go(row, col, { extend });
  return true;
}

const page = () => Math.max(1, Math.floor(sheet.clientHeight / 36) - 2);

function command(key, shift) {
  switch (key) {
    case "z": return act(shift ? "redo" : "undo"), true;
    case "y": return act("redo"), true;
    case "home": return move(0, 1, shift);
    case "end": return move(table.view.length - 1, MORE - 1, shift);
    case "a":
      table.from = { row: 0, col: 1 };
      go(table.view.length - 1, MORE - 1, { extend: true });
      return true;
    case "f": return openFind(), true;
    case "enter": return openRow(), true;
    default: return false;
  }
}
