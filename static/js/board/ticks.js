// Ticking rows of a board: a bar at the foot says how many, and only what is ticked and in sight is sent.
import { ask } from "../shared/live.js";
import { list } from "./page.js";

/** Say how many rows are ticked. */
export function counted() {
  const bar = document.getElementById("bulk");
  if (!bar) return;
  const ticked = list().querySelectorAll("input[name=row]:checked").length;
  bar.classList.toggle("on", ticked > 0);
  bar.querySelector(".count").textContent = ticked === 1 ? "1 row ticked" : `${ticked} rows ticked`;
  for (const all of list().querySelectorAll("input.all")) {
    const boxes = [...all.closest("table").querySelectorAll("tbody input[name=row]")];
    const on = boxes.filter((box) => box.checked).length;
    all.checked = on > 0 && on === boxes.length;
    all.indeterminate = on > 0 && on < boxes.length;
  }
}

let last = null; // for a range of ticks with Shift
document.addEventListener("click", (event) => {
  const box = event.target.closest?.("#list input[type=checkbox]");
  if (!box) return;
  const boxes = [...box.closest("table").querySelectorAll("tbody input[name=row]")];
  if (box.classList.contains("all")) for (const each of boxes) each.checked = box.checked;
  else if (event.shiftKey && last && boxes.includes(last)) {
    const [a, b] = [boxes.indexOf(last), boxes.indexOf(box)].sort((x, y) => x - y);
    for (const each of boxes.slice(a, b + 1)) each.checked = box.checked;
  }
  if (box.name === "row") last = box;
  counted();
});
document.addEventListener("reset", (event) => {
  if (event.target.id !== "bulk") return;
  document.getElementById("bulk-panel").replaceChildren();
  setTimeout(counted);
});
document.body.addEventListener("ticked", (event) => {
  const keep = new Set(event.detail.keep.map(String));
  for (const box of list().querySelectorAll("input[name=row]:checked")) box.checked = keep.has(box.value);
  counted();
  ask();
});
document.addEventListener("click", (event) => {
  if (!event.target.closest("#bulk-panel .close")) return;
  event.preventDefault();
  document.getElementById("bulk-panel").replaceChildren();
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.id === "bulk-panel") event.target.querySelector("h2")?.focus();
});

counted();
