// The process editor: what leads to a cell, the keys of the page, and the beginning. Everything else is in its own module.
import { byId } from "../shared/by_id.js";
import { CORE, MORE, root } from "./columns.js";
import "./input/drag.js";
import { openFind } from "./find.js";
import "./input/keys.js";
import "./input/pointer.js";
import { openRow } from "./row_form.js";
import { begin, go, table } from "./table.js";

// What leads to a cell: problems, the picture

byId("problems").addEventListener("click", (event) => {
  const link = event.target.closest("a[data-row]");
  if (!link) return;
  event.preventDefault();
  const col = CORE.indexOf(link.dataset.column) + 1;
  go(Number(link.dataset.row), col || MORE);
  if (!col) openRow(link.dataset.column);
});
byId("picture").addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#row-']");
  if (!link) return;
  event.preventDefault();
  const task = decodeURIComponent(link.getAttribute("href").slice(5));
  const row = table.view.findIndex((each) => each.texts[0].trim() === task);
  if (row >= 0) go(row, 1);
});

// Keys that work on the whole page

document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey)) return;
  if (event.key === "s") {
    event.preventDefault();
    document.activeElement.blur(); // takes what is being typed
    byId("ed-save").click();
  } else if (event.key === "f" && root.contains(document.activeElement)) {
    event.preventDefault();
    openFind();
  }
});

begin();
const wanted = new URLSearchParams(location.search).get("row");
if (wanted !== null) {
  history.replaceState(null, "", location.pathname);
  go(Number(wanted), 1, { focus: false });
}
