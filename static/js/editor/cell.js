// One cell of the process editor: a field laid over it, and a list to pick from for roles, scripts, groups and what a task
// waits for. The field is no part of the row, so a row may be drawn anew below it while somebody types.
import { choices, columns, headingOf, root } from "./columns.js";
import { writeCell } from "./queue.js";
import { step } from "./step.js";
import { cellAt, columnAt, go, sheet, table, taskAt, textAt, watch } from "./table.js";

const MOST = 200; // entries of the list
const SOME_ANSWERS = ["true", "false", "approved", "rejected", "yes", "no"];
let open = null; // { row, col, column }
let active = -1;
let typing = false; // whether the last part of the text is being typed, and so says what to look for

const PICKED = ["role", "depends_on", "script", "collection", "parent"];
const plain = document.createElement("textarea"); // for text, which may have more than one line
plain.rows = 1;
const combo = document.createElement("input"); // for what can be picked
for (const [name, value] of [["role", "combobox"], ["aria-autocomplete", "list"], ["aria-controls", "picks"], ["aria-expanded", "false"]]) {
  combo.setAttribute(name, value);
}
let field = plain;
const list = document.createElement("ul");
list.id = "picks";
list.className = "picks";
list.popover = "manual";
list.setAttribute("role", "listbox");
root.append(list);

// What can be picked: { value, text, hint } each

const once = (entries) => [...new Map(entries.map((entry) => [entry.value, entry])).values()];
const simple = (values) => once(values.filter(Boolean).map((value) => ({ value, text: value, hint: "" })));
const parts = (text) => text.split(",").map((part) => part.trim());
const written = (part) => part.split(":").map((piece) => piece.trim()).filter(Boolean).join(":");

function offered(column, row) {
  const rows = table.view.map((each) => each.texts);
  const place = (name) => columns.indexOf(name);
  if (column === "role") return simple([...choices.role, ...rows.map((texts) => texts[place("role")])]);
  if (column === "script") return simple([...choices.script, ...rows.map((texts) => texts[place("script")])]);
  if (column === "collection") return simple([...rows.map((texts) => texts[place("collection")]), "unit", "country", "region", "month"]);
  const others = rows.filter((texts, n) => n !== row && texts[0]);
  if (column === "parent") {
    return others.filter((texts) => texts[place("collection")]).map((texts) => ({ value: texts[0], text: texts[0], hint: texts[1] }));
  }
  return column === "depends_on" ? dependencies(rows, others) : [];
}

/** Every task and group, and each answer that somebody asks of it or that is being typed. */
function dependencies(rows, others) {
  const asked = new Map();
  for (const texts of rows) {
    for (const part of parts(texts[columns.indexOf("depends_on")])) {
      const [task, ...label] = part.split(":");
      if (label.join(":").trim()) asked.set(task.trim(), (asked.get(task.trim()) ?? new Set()).add(label.join(":").trim()));
    }
  }
  const [typed, ...answer] = last().split(":");
  return others.flatMap(([task, name]) => {
    const answers = new Set(asked.get(task) ?? []);
    if (typing && answer.length && typed.trim() === task) for (const some of SOME_ANSWERS) answers.add(some);
    answers.add("failed");
    const called = name && name !== task ? name : "";
    return [
      { value: task, text: task, hint: called },
      ...[...answers].map((label) => ({ value: `${task}:${label}`, text: `${task} · only ${label}`, hint: called, answer: true })),
    ];
  });
}

const several = () => open.column === "depends_on";
const last = () => (open && several() ? field.value.slice(field.value.lastIndexOf(",") + 1).trim() : field.value.trim());

function fitting() {
  const chosen = new Set(several() ? parts(field.value).map(written) : [field.value.trim()]);
  const typed = typing ? last().toLowerCase() : "";
  if (typing && several()) chosen.delete(written(last()));
  const fits = (entry) => {
    if (!typed) return !entry.value.endsWith(":failed") || !entry.answer || chosen.has(entry.value);
    return `${entry.value} ${entry.text} ${entry.hint}`.toLowerCase().includes(typed);
  };
  return offered(open.column, open.row).filter(fits).slice(0, MOST).map((entry) => ({ ...entry, chosen: chosen.has(entry.value) }));
}

function fill() {
  const entries = fitting();
  active = -1;
  list.replaceChildren(...entries.map((entry, n) => {
    const item = document.createElement("li");
    item.id = `pick-${n}`;
    item.setAttribute("role", "option");
    item.setAttribute("aria-selected", entry.chosen);
    item.dataset.value = entry.value;
    const name = document.createElement("span");
    const [task, only] = entry.text.split(" · ");
    name.textContent = only ? `${task} · ` : task;
    if (only) name.append(Object.assign(document.createElement("em"), { textContent: only }));
    const hint = Object.assign(document.createElement("span"), { className: "soft", textContent: entry.hint });
    item.append(name, hint);
    return item;
  }));
  activate(active);
  const shows = entries.length > 0;
  field.setAttribute("aria-expanded", shows);
  if (shows && !list.matches(":popover-open")) list.showPopover();
  if (!shows && list.matches(":popover-open")) list.hidePopover();
  if (shows) settle();
}

function activate(n) {
  list.children[active]?.classList.remove("on");
  active = n;
  const item = list.children[n];
  if (!item) return field.removeAttribute("aria-activedescendant");
  item.classList.add("on");
  item.scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", item.id);
}

function pick(value) {
  if (!several()) {
    field.value = value;
    return closeCell("keep", "down");
  }
  const all = parts(field.value).filter(Boolean);
  if (typing && last()) all.pop();
  const there = all.map(written).indexOf(value);
  if (there >= 0) all.splice(there, 1);
  else all.push(value);
  field.value = all.length ? `${all.join(", ")}, ` : "";
  typing = false;
  grow();
  fill();
}

// Opening and closing

const picks = () => field === combo;

/** Edit a cell; with `typed`, what was in it is overwritten. */
export function openCell(row, col, typed) {
  const column = columnAt(col);
  if (!column) return false;
  go(row, col, { focus: false });
  const before = textAt(row, col);
  open = { row, col, column };
  field = PICKED.includes(column) ? combo : plain;
  field.value = typed ?? before;
  typing = typed !== undefined;
  field.setAttribute("aria-label", `${headingOf(column)}, ${taskAt(row) || `row ${row + 1}`}`);
  field.hidden = false;
  place();
  field.focus({ preventScroll: true });
  field.setSelectionRange(field.value.length, field.value.length);
  if (picks()) fill();
  return true;
}

/** The cell that is open, if one is. */
export const editing = () => open;

function place() {
  const cell = cellAt(open.row, open.col);
  Object.assign(field.style, {
    left: `${cell.offsetLeft}px`, top: `${cell.offsetTop}px`,
    width: `${Math.max(cell.offsetWidth, 160)}px`, minHeight: `${cell.offsetHeight}px`,
  });
  grow();
}

function grow() {
  if (field === combo) return void (field.style.height = field.style.minHeight);
  field.style.height = "auto";
  field.style.height = `${field.scrollHeight + 2}px`;
}

function settle() {
  const box = field.getBoundingClientRect();
  const below = innerHeight - box.bottom - 8;
  const up = below < 180 && box.top > below;
  Object.assign(list.style, {
    left: `${Math.max(6, Math.min(box.left, innerWidth - list.offsetWidth - 6))}px`, minWidth: `${box.width}px`,
    top: up ? "auto" : `${box.bottom + 3}px`, bottom: up ? `${innerHeight - box.top + 3}px` : "auto",
    maxHeight: `${Math.min(300, up ? box.top - 12 : below)}px`,
  });
}

/** `keep` what was typed, or not; then go on in a direction, or stay where somebody clicked. */
export function closeCell(how, way = "") {
  if (!open) return;
  const { row, col, column } = open;
  const text = several() ? field.value.replace(/[\s,]+$/, "") : field.value;
  open = null;
  field.hidden = true;
  if (list.matches(":popover-open")) list.hidePopover();
  if (how === "keep") writeCell(row, column, text);
  if (way === "stay") return;
  go(row, col);
  if (way) step(way);
}

list.addEventListener("pointerdown", (event) => {
  event.preventDefault(); // the field keeps the focus
  const item = event.target.closest("li");
  if (!item) return;
  pick(item.dataset.value);
});
for (const target of [sheet, window]) target.addEventListener("scroll", () => { if (open && list.matches(":popover-open")) settle(); }, { passive: true });

function key(event) {
  if (!(event.ctrlKey || event.metaKey)) event.stopPropagation();
  if (event.isComposing) return;
  const count = list.matches(":popover-open") ? list.children.length : 0;
  const { key: pressed } = event;
  if (count && (pressed === "ArrowDown" || pressed === "ArrowUp")) {
    activate(pressed === "ArrowDown" ? (active + 1) % count : (active <= 0 ? count : active) - 1);
  } else if (pressed === "Enter" && event.altKey && field === plain) {
    field.setRangeText("\n", field.selectionStart, field.selectionEnd, "end");
    grow();
  } else if (pressed === "Enter" && active >= 0 && !event.ctrlKey) {
    pick(list.children[active].dataset.value);
  } else if (pressed === "Enter") closeCell("keep", event.shiftKey ? "up" : "down");
  else if (pressed === "Tab") closeCell("keep", event.shiftKey ? "left" : "right");
  else if (pressed === "Escape") closeCell("leave");
  else if (pressed === "ArrowUp" || pressed === "ArrowDown") {
    if (field.value.includes("\n")) return;
    closeCell("keep", pressed === "ArrowUp" ? "up" : "down");
  } else return;
  event.preventDefault();
}

for (const each of [plain, combo]) {
  Object.assign(each, { className: "cell-edit", spellcheck: false, autocomplete: "off", hidden: true });
  each.addEventListener("input", () => { typing = true; grow(); if (picks()) fill(); });
  each.addEventListener("blur", () => closeCell("keep", "stay"));
  each.addEventListener("keydown", key);
  sheet.append(each);
}

watch((what) => { if (what === "rows" && open) place(); });
