// The columns of the process editor: what a row and an edit are written in.
export const root = document.getElementById("editor");

/** The columns every table has; column 0 of the sheet is the tick, then these, then what sums up the others. */
export const CORE = ["task", "name", "role", "depends_on", "script", "collection", "parent"];
export const MORE = CORE.length + 1;
export const PARENT = CORE.indexOf("parent");
export const choices = JSON.parse(document.getElementById("choices").textContent);

/** The columns of the table, others than these included; the rows' texts are in their order. */
export let columns = [];
export const setColumns = (names) => { columns = names; };

/** What people call a column. */
export const headingOf = (column) => document.querySelector(`#row-form [data-column="${CSS.escape(column)}"]`)?.labels[0].textContent ?? column;
