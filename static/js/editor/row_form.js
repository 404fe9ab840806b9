// The form of the row one is at, beside the table of the process editor; its buttons are those of undo as well.
import { byId } from "../shared/by_id.js";
import { act } from "./actions.js";
import { columns, CORE } from "./columns.js";
import { writeCell } from "./queue.js";
import { focusCell, table, watch } from "./table.js";

const form = byId("row-form");
const fields = [...form.querySelectorAll("[data-column]")];
const sections = [...form.querySelectorAll("[data-kind]")];
let shown = null; // the row the form shows

// The form of the current row

function fill() {
  shown = table.at.row;
  const row = table.view[shown];
  form.hidden = false;
  arrange(row);
  byId("row-title").textContent = row ? row.texts[1] || row.texts[0] || "A row without an id" : "A new row";
  for (const input of fields) {
    const text = row ? row.texts[columns.indexOf(input.dataset.column)] ?? "" : "";
    if (input !== document.activeElement && input.value !== text) input.value = text;
    const notes = row ? row.notes.filter(([column]) => column === input.dataset.column) : [];
    const said = byId(input.id.replace("f-", "e-"));
    said.replaceChildren(...coded(notes.map(([, , message]) => message).join(" ")));
    said.className = `says-wrong ${notes[0]?.[1] ?? ""}`;
    if (notes.some(([, level]) => level === "error")) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
  }
}

/** What stands between backticks as code. */
const coded = (text) => text.split("`").map((part, n) => (n % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part));

/** The fields that a row of its kind needs come first. */
function arrange(row) {
  const texts = row?.texts ?? [];
  const kind = texts[columns.indexOf("collection")] ? "group" : texts[columns.indexOf("role")] === "system" ? "script" : "people";
  const first = sections.find((each) => each.dataset.kind === kind);
  if (first === first.parentElement.firstElementChild || form.contains(document.activeElement)) return;
  first.parentElement.replaceChildren(first, ...sections.filter((each) => each !== first));
}

form.addEventListener("change", (event) => {
  const { column } = event.target.dataset;
  if (column) writeCell(shown, column, event.target.value);
});
form.addEventListener("keydown", (event) => {
  const { target } = event;
  if (event.key === "Escape") {
    target.value = stored(target);
    focusCell();
  } else if (event.key === "Enter" && target.matches("input")) {
    event.preventDefault();
    writeCell(shown, target.dataset.column, target.value);
    focusCell();
  }
  else if ((event.ctrlKey || event.metaKey) && ["z", "y"].includes(event.key) && target.value === stored(target)) {
    event.preventDefault();
    act(event.key === "z" ? "undo" : "redo");
  }
});
const stored = (input) => table.view[shown]?.texts[columns.indexOf(input.dataset.column)] ?? "";

/** To the form of the current row, or to one field of it. */
export function openRow(column) {
  fill();
  const input = fields.find((each) => each.dataset.column === column) ?? fields.find((each) => !CORE.includes(each.dataset.column));
  input.focus();
  input.scrollIntoView({ block: "center" });
}

watch((what) => {
  if (what === "place" || what === "rows" || what === "said") fill();
});
