// The board under a working hand: what the news mean for the rows that are shown, and the picture beside them.
import { fragmentText } from "../shared/fragments.js";
import { say } from "../shared/say.js";
import { drawerOf } from "./drawers.js";
import "./filter.js";
import { board, list, pictureBox } from "./page.js";
import { reload, restoreFolds } from "./sections.js";
import { counted } from "./ticks.js";

// News: rows that no longer match stay, marked; rows that newly match are counted, so nothing jumps.

board.addEventListener("live:news", ({ detail: { news, missing } }) => {
  const gone = new Set(news.dataset.gone.split(" ").filter(Boolean));
  for (const id of gone) document.getElementById(id)?.classList.add("gone");
  for (const fresh of news.querySelectorAll("tr[id]")) if (!gone.has(fresh.id)) document.getElementById(fresh.id)?.classList.remove("gone");
  for (const id of news.dataset.reload.split(" ").filter(Boolean)) {
    const section = document.getElementById(id);
    if (section) reload(section).catch(() => {});
  }
  for (const row of missing) if (row.matches("tr") && !gone.has(row.id)) matched(row);
  for (const head of news.querySelectorAll(".sec-head[id]")) {
    const section = document.getElementById(head.id)?.closest(".sec");
    if (section && Number(head.dataset.matches)) section.hidden = false;
  }
  counted();
});

function matched(row) {
  const section = document.querySelector(`.sec[data-task="${CSS.escape(row.dataset.t)}"]`);
  if (!section) return;
  const body = section.querySelector("tbody");
  if (!body) return; // folded: its head says how many match
  if (!section.matches("details")) {
    section.hidden = false;
    reload(section).catch(() => {});
    return;
  }
  const shown = [...body.querySelectorAll("tr[id^=r]")];
  const after = shown.length && Number(row.id.slice(1)) > Number(shown.at(-1).id.slice(1));
  if (after && body.querySelector("tr.more")) return; // the rows to come have it
  const known = new Set((section.dataset.fresh || "").split(" ").filter(Boolean)).add(row.id);
  section.dataset.fresh = [...known].join(" ");
  let note = section.querySelector("a.fresh");
  if (!note) {
    note = document.createElement("a");
    note.className = "fresh";
    note.href = location.href;
    section.querySelector("table").before(note);
  }
  note.textContent = `${known.size} more ${known.size === 1 ? "matches" : "match"}: show`;
}

board.addEventListener("live:held", ({ detail: { old, fresh } }) => {
  const word = fresh.querySelector(".chip span")?.textContent ?? "changed";
  const name = fresh.querySelector(".name")?.textContent.trim();
  const drawer = old.matches("tr") && drawerOf(old);
  if (drawer && !drawer.querySelector(".meanwhile")) {
    const note = document.createElement("p");
    note.className = "meanwhile warn";
    note.textContent = `Changed meanwhile: it is “${word}” now. What you typed is still here.`;
    drawer.querySelector(".drawer-in").prepend(note);
  }
  if (name) say(`${name} changed meanwhile: ${word}.`);
});

board.addEventListener("live:put", ({ detail: { node } }) => {
  if (!node.matches("tr")) return;
  late(node);
  setTimeout(() => node.classList.remove("new"), 2600);
});

// What is left for oneself is nobody else's news: it is asked for after one's own actions.
async function yours() {
  const old = document.getElementById("yours");
  if (!old || !board.dataset.news) return;
  try {
    const html = await fragmentText(board.dataset.news.replace(/news\/.*$/, "yours/"));
    if (!old.contains(document.activeElement)) old.outerHTML = html;
  } catch {
    // it is told anew with the next action
  }
}
for (const event of ["acted", "ticked"]) document.body.addEventListener(event, yours);

// What the clock changes is worked out here.
function late(root) {
  for (const time of root.querySelectorAll(".date time")) time.closest("td").classList.toggle("late", new Date(time.dateTime) <= new Date());
}
setInterval(() => late(list()), 20000);

// The picture beside the list, or above it over the whole width.
const widen = document.getElementById("widen");
function wide(on) {
  board.classList.toggle("wide", on);
  widen.textContent = on ? "Beside the list" : "Larger";
  widen.setAttribute("aria-pressed", String(on));
}
if (widen) {
  widen.hidden = false;
  const here = document.querySelector("#picture :is(.failed, .doing, .open)")?.getBoundingClientRect();
  if (here) pictureBox.scrollLeft += here.left - pictureBox.getBoundingClientRect().left - pictureBox.clientWidth / 3; // where it goes on
  wide(localStorage.getItem("picture") === "wide");
  widen.addEventListener("click", () => {
    const on = !board.classList.contains("wide");
    localStorage.setItem("picture", on ? "wide" : "beside");
    wide(on);
  });
}

restoreFolds();
document.documentElement.classList.add("js");
late(list());
