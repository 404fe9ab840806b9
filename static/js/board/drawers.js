// The rows of a board: their menus open below them, and what is done there moves on to the next one to do.
import { fragmentText } from "../shared/fragments.js";
import { hasText, meantForBrowser } from "../shared/hands.js";
import { ask, own, put, release } from "../shared/live.js";
import "../shared/refusals.js";
import { say } from "../shared/say.js";
import { board, list } from "./page.js";

/** Rows from a fragment: they cannot be parsed outside a table. */
export function rowsOf(html) {
  const holder = document.createElement("template");
  holder.innerHTML = `<table><tbody>${html}</tbody></table>`;
  return [...holder.content.querySelectorAll("tbody > tr")];
}

// The menu of a row opens below it; the rest of the page stays where it is.

/** The open menu below a row, if there is one. */
export const drawerOf = (row) => (row.nextElementSibling?.classList.contains("drawer") ? row.nextElementSibling : null);

async function openDrawer(chip) {
  const row = chip.closest("tr");
  const open = drawerOf(row);
  if (open) return closeDrawer(open, chip);
  if (row.dataset.opening) return;
  row.dataset.opening = "1";
  try {
    const url = chip.href.replace(/#.*/, "").replace(/\/$/, "/menu/?place=board");
    const [drawer] = rowsOf(await fragmentText(url));
    for (const other of list().querySelectorAll("tr.drawer")) if (!hasText(other)) closeDrawer(other);
    row.after(drawer);
    chip.setAttribute("aria-expanded", "true");
    htmx.process(drawer);
    const first = drawer.querySelector("form.act .btn.primary") ?? drawer.querySelector("button, summary, a");
    first.focus({ preventScroll: true });
    drawer.scrollIntoView({ block: "nearest" });
  } catch {
    location.href = chip.href; // the row's page has the same forms
  } finally {
    delete row.dataset.opening;
  }
}

function closeDrawer(drawer, focus) {
  const row = drawer.previousElementSibling;
  drawer.remove();
  row?.querySelector(".chip")?.removeAttribute("aria-expanded");
  focus?.focus();
  release();
}

document.addEventListener("click", (event) => {
  const chip = event.target.closest("#list .state a.chip");
  if (chip && board.dataset.news && !meantForBrowser(event)) {
    event.preventDefault();
    openDrawer(chip);
  }
  const close = event.target.closest(".drawer .close");
  if (close) closeDrawer(close.closest("tr"), close.closest("tr").previousElementSibling.querySelector(".chip"));
});

document.addEventListener("keydown", (event) => {
  const drawer = event.target.closest?.("tr.drawer") ?? list().querySelector("tr.drawer");
  if (event.key === "Escape" && drawer && !event.target.closest("details[open].ask, details[open].menu, dialog")) {
    const opener = drawer.previousElementSibling.querySelector(".chip");
    if (hasText(drawer)) opener.focus(); // what was typed is closed away by its button only
    else closeDrawer(drawer, opener);
  }
  const chip = event.target.closest?.(".state a.chip");
  if (chip && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    const chips = [...list().querySelectorAll(".state a.chip")].filter((each) => each.offsetParent);
    chips[chips.indexOf(chip) + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
  }
});

// One's own action: the row as it is now came with the answer; the next one to do gets the focus.

document.addEventListener("htmx:afterSwap", (event) => {
  const cell = event.detail.target.closest?.(".drawer-in") ?? document.querySelector(".drawer-in:has(> template)");
  const holder = cell?.querySelector(":scope > template");
  if (!holder) return;
  const fresh = holder.content.querySelector("tr");
  holder.remove();
  const row = cell.closest("tr").previousElementSibling;
  if (!fresh || row?.id !== fresh.id) return;
  own(row.id);
  put(row, fresh).querySelector(".chip").setAttribute("aria-expanded", "true");
  cell.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
  cell.querySelector("[aria-invalid], textarea")?.focus();
});

document.body.addEventListener("acted", (event) => {
  const { row: id, said } = event.detail;
  say(said, "success");
  // after the swap that comes with the same answer
  setTimeout(() => {
    const row = document.getElementById(id);
    const drawer = row && drawerOf(row);
    if (drawer) closeDrawer(drawer);
    if (row && document.activeElement === document.body) next(row).focus();
    ask();
  });
});

const OPEN = new Set(["open", "doing"]);

function next(row) {
  for (let below = row; below; below = below.nextElementSibling) {
    if (OPEN.has(below.dataset.s)) return below.querySelector(".chip");
  }
  return row.querySelector(".chip");
}

