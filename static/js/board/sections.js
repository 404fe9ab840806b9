// The sections of a board: what is folded loads its rows when it is opened, and stays as it was left.
import { fragmentText } from "../shared/fragments.js";
import { meantForBrowser } from "../shared/hands.js";
import { rowsOf } from "./drawers.js";
import { board, list } from "./page.js";
import { counted } from "./ticks.js";

const memory = `fold:${board.dataset.fold}`;
const folds = () => JSON.parse(localStorage.getItem(memory) || "{}");

async function load(section) {
  const link = section.querySelector("a[data-unfold]");
  if (!link || link.dataset.loading) return;
  link.dataset.loading = "1";
  try {
    link.closest(".more").outerHTML = await fragmentText(link.dataset.unfold);
    ready(section);
  } catch {
    delete link.dataset.loading;
  }
}

async function more(link) {
  if (link.dataset.loading) return;
  link.dataset.loading = "1";
  try {
    const rows = rowsOf(await fragmentText(link.dataset.more));
    const at = link.closest("tr");
    const first = rows.find((row) => !document.getElementById(row.id));
    for (const row of rows) if (!row.id || !document.getElementById(row.id)) at.before(row);
    const had = document.activeElement === link;
    at.remove();
    if (had) first?.querySelector(".name a")?.focus({ preventScroll: true });
  } catch {
    delete link.dataset.loading;
  }
}

/** Load a section anew, with as many rows as it shows: after many changes, or when new rows match the filter. */
export async function reload(section) {
  const body = section.querySelector("tbody");
  if (!body) return;
  const url = new URL(board.dataset.news, location.href);
  url.pathname = url.pathname.replace(/news\/$/, `sections/${encodeURIComponent(section.dataset.task)}/`);
  url.searchParams.set("rows", Math.max(200, body.querySelectorAll("tr[id^=r]").length));
  url.searchParams.set("from", 0);
  const rows = rowsOf(await fragmentText(url));
  const open = body.querySelector("tr.drawer");
  const kept = open?.previousElementSibling;
  const ticked = new Set([...body.querySelectorAll("input[name=row]:checked")].map((each) => each.value));
  for (const row of rows) {
    const tick = row.querySelector("input[name=row]");
    if (tick && ticked.has(tick.value)) tick.checked = true;
  }
  const focus = document.activeElement?.closest("tr")?.id;
  body.replaceChildren(...rows.flatMap((row) => (kept && row.id === kept.id ? [kept, open] : [row])));
  if (focus && document.activeElement === document.body) document.getElementById(focus)?.querySelector(".chip")?.focus();
  section.querySelector(".fresh")?.remove();
  counted();
}

document.addEventListener("toggle", (event) => {
  const section = event.target;
  if (!section.matches?.("details.sec")) return;
  if (section.open) load(section);
  else for (const tick of section.querySelectorAll("input:checked")) tick.checked = false; // only what is seen is sent
  counted();
  if (section.dataset.asFound) return delete section.dataset.asFound;
  localStorage.setItem(memory, JSON.stringify({ ...folds(), [section.dataset.task]: section.open }));
}, true);

document.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-more], a[data-unfold], a.fresh, .pic-card a[href*='#s']");
  if (!link || meantForBrowser(event)) return;
  event.preventDefault();
  if (link.dataset.more) more(link);
  else if (link.dataset.unfold) link.closest("details").open = true;
  else if (link.classList.contains("fresh")) reload(link.closest(".sec"));
  else jump(link);
});

function jump(link) {
  const section = document.getElementById(link.getAttribute("href").replace(/^.*#/, ""));
  if (!section) return;
  if (section.matches("details")) section.open = true;
  section.scrollIntoView({ block: "start", behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth" });
  (section.querySelector("summary") ?? section.querySelector("a"))?.focus({ preventScroll: true });
}

/** Make a section that has just come ready for use; the box that ticks all of it works with scripts only. */
export function ready(section) {
  for (const all of section.querySelectorAll("input.all")) all.hidden = false;
  htmx.process(section);
}

/** Open and fold the sections as they were left here. */
export function restoreFolds() {
  const remembered = folds();
  const asked = new URLSearchParams(location.search).has("open");
  for (const section of list().querySelectorAll(".sec")) {
    ready(section);
    const open = remembered[section.dataset.task];
    if (open === undefined || !section.matches("details") || section.open === open || asked) continue;
    section.dataset.asFound = "1";
    section.open = open;
  }
}
