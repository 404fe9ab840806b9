// Find in the table of the process editor.
import { byId } from "../shared/by_id.js";
import { CORE, MORE } from "./columns.js";
import { body, cellAt, focusCell, go, table, watch } from "./table.js";

const find = byId("find");
find.closest(".find").hidden = false;
let hits = [];

/** Go to the field that says what to find. */
export const openFind = () => { find.focus(); find.select(); };

function search() {
  for (const cell of body.querySelectorAll("td.hit")) cell.classList.remove("hit");
  const wanted = find.value.trim().toLowerCase();
  hits = [];
  if (wanted) {
    table.view.forEach(({ texts, tr }, row) => texts.forEach((text, place) => {
      const col = Math.min(place + 1, MORE);
      const said = place < CORE.length ? `${text} ${tr.children[col].textContent}` : text;
      if (!said.toLowerCase().includes(wanted)) return;
      tr.children[col].classList.add("hit");
      if (hits.at(-1)?.[0] !== row || hits.at(-1)[1] !== col) hits.push([row, col]);
    }));
  }
  tell();
}

function tell() {
  const at = hits.findIndex(([row, col]) => row === table.at.row && col === table.at.col);
  const count = at >= 0 ? `${at + 1} of ${hits.length}` : `${hits.length} found`;
  byId("found").textContent = !find.value.trim() ? "" : hits.length ? count : "not found";
}

function next(back) {
  if (!hits.length) return;
  const here = table.at.row * 100 + table.at.col;
  const places = hits.map(([row, col]) => row * 100 + col);
  let n = back ? places.findLastIndex((place) => place < here) : places.findIndex((place) => place > here);
  if (n < 0) n = back ? hits.length - 1 : 0;
  go(...hits[n], { focus: false });
  cellAt(...hits[n]).scrollIntoView({ block: "nearest", inline: "nearest" });
  tell();
}

find.addEventListener("input", () => {
  search();
  if (hits.length && !hits.some(([row, col]) => row === table.at.row && col === table.at.col)) next(false);
});
find.addEventListener("keydown", (event) => {
  if (event.key === "Enter") next(event.shiftKey);
  else if (event.key === "Escape") { find.value = ""; search(); focusCell(); }
  else return;
  event.preventDefault();
});
byId("find-next").addEventListener("click", () => next(false));
byId("find-before").addEventListener("click", () => next(true));

watch((what) => { if (what === "rows" && find.value) search(); });
