// The frame of a page that stays open: the worker's mark and banner, the badge, and the day its words are of.
//
// Asked every half minute, apart from the news: what it tells changes without an event, and is different for everybody.
import { fragment, parsed } from "./fragments.js";

const PERIOD = 30000;
const SOON = 5000; // after coming back to the tab, unless it was asked just now
const { dataset } = document.body;
let asked = Date.now();

async function ask() {
  if (document.hidden) return;
  asked = Date.now();
  try {
    const answer = await fragment(dataset.frame, { signal: AbortSignal.timeout(8000) });
    if (answer.status === 200) take(parsed(await answer.text()).querySelector(".frame"));
  } catch {
    // that the connection is lost is said by the news
  }
}

function take(frame) {
  for (const fresh of [...frame.children]) {
    const old = document.getElementById(fresh.id);
    if (!old || old.outerHTML === fresh.outerHTML) continue;
    const focused = old.contains(document.activeElement);
    old.replaceWith(fresh);
    if (focused) (fresh.matches("a") ? fresh : fresh.querySelector("a"))?.focus();
  }
  if (frame.dataset.day === dataset.day) dataset.frame = frame.dataset.frame;
  else if (document.querySelector("[data-news]") && !inUse()) location.reload(); // “due today” was yesterday's word
}

// Whatever a reload would lose; the next question tries again.
function inUse() {
  if (document.querySelector("#editor, tr.drawer, dialog[open], details.menu[open], details.ask[open]")) return true;
  if (document.activeElement?.matches("input, textarea, select") || !document.getSelection().isCollapsed) return true;
  const fields = [...document.querySelectorAll("form[method=post]")].flatMap((form) => [...form.elements]);
  return fields.some((field) => (field.defaultValue ?? field.value) !== field.value || (field.checked ?? false) !== (field.defaultChecked ?? false));
}

setInterval(ask, PERIOD);
document.addEventListener("visibilitychange", () => { if (Date.now() - asked > SOON) ask(); });
addEventListener("pageshow", (event) => { if (event.persisted) ask(); });
