// The buttons above the table of the process editor; their keys do the same.
import { byId } from "../shared/by_id.js";
import { say } from "../shared/say.js";
import { closeCell, editing } from "./cell.js";
import { tickOf } from "./edits.js";
import { perform, waiting } from "./queue.js";
import { chosenRows, focusCell, go, sheet, table, untickAll } from "./table.js";

const ops = byId("ops");
ops.addEventListener("click", (event) => {
  const button = event.target.closest("button[name=do]");
  if (!button) return;
  event.preventDefault();
  act(button.value);
});
byId("per").addEventListener("keydown", (event) => {
  if (event.key !== "Enter") return;
  event.preventDefault();
  act("group");
});

/** What the buttons and their keys do, to the ticked rows or those of the range. */
export function act(what) {
  if (editing()) closeCell("keep", "stay");
  const rows = chosenRows();
  const first = rows[0] ?? 0;
  const none = !rows.length && ["up", "down", "duplicate", "remove", "group", "ungroup"].includes(what);
  if (none) return say("Tick the rows first, or go to one of them.", "error");
  if (what === "undo" || what === "redo") {
    if (!ops.querySelector(`[value=${what}]`).disabled || waiting()) perform({ do: what });
    return;
  }
  if (what === "add") return add();
  if (what === "up" || what === "down") return shift(rows, what === "up" ? -1 : 1);
  if (what === "group") {
    const collection = byId("per").value.trim();
    if (!collection) return void (byId("per").focus(), say("What are the rows repeated per? Type it here, for example: unit.", "error"));
    untickAll();
    perform({ do: "group", rows, collection });
    byId("per").value = "";
    go(first, 2);
  } else if (what === "ungroup") {
    perform({ do: "ungroup", row: first });
  } else {
    if (what === "remove") untickAll();
    perform({ do: what, rows });
    if (what === "duplicate") go(first + 1, 1);
    else go(Math.min(first, table.view.length), Math.max(1, table.at.col));
    if (what === "remove") say(`${rows.length === 1 ? "1 row" : `${rows.length} rows`} removed. Ctrl+Z brings ${rows.length === 1 ? "it" : "them"} back.`);
  }
}

function add() {
  const ticked = table.view.some((row) => tickOf(row.tr).checked);
  const inside = sheet.contains(document.activeElement) || ticked;
  const at = inside || table.at.row < table.view.length - 1 ? Math.min(table.view.length, (chosenRows().at(-1) ?? table.view.length - 1) + 1) : table.view.length;
  perform({ do: "add", row: at });
  go(at, 1);
}

function shift(rows, by) {
  const edge = by < 0 ? 0 : table.view.length - 1;
  const fixed = rows.length === (by < 0 ? rows.at(-1) + 1 : table.view.length - rows[0]); // they stand at the end already
  if (fixed && rows.includes(edge)) return;
  const { at, from } = table;
  perform({ do: "move", rows, by });
  if (!rows.includes(at.row)) return focusCell();
  table.from = { ...from, row: from.row + by };
  go(at.row + by, at.col, { extend: true });
}

byId("tick-all").hidden = false;
byId("tick-all").addEventListener("change", (event) => {
  for (const row of table.view) tickOf(row.tr).checked = event.target.checked;
});
