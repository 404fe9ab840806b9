// The page of a row: its menu stays true while nobody uses it, and the log of an attempt is shown beside it.
import { fragment } from "../shared/fragments.js";
import { hasText, meantForBrowser } from "../shared/hands.js";
import "../shared/refusals.js";
import { say } from "../shared/say.js";
import { follow } from "./log.js";

const row = document.getElementById("row");

// The menu is personal, so the news do not carry it: it is fetched when the state has changed.
row?.addEventListener("live:put", async ({ detail: { node } }) => {
  if (node.id !== "row-state") return;
  const acts = document.querySelector(".acts");
  if (hasText(acts) || acts.contains(document.activeElement) || acts.querySelector("details[open]")) {
    say("This row changed meanwhile. What you typed is still here.");
    return;
  }
  const answer = await fragment(row.dataset.menu);
  if (!answer.ok) return;
  acts.outerHTML = await answer.text();
  htmx.process(document.querySelector(".acts"));
});

// another attempt's log is shown in the same place
document.addEventListener("click", async (event) => {
  const link = event.target.closest("a[data-attempt]");
  const place = document.getElementById("log-here");
  if (!link || !place || meantForBrowser(event)) return;
  event.preventDefault();
  const answer = await fragment(link.href);
  if (!answer.ok) return location.assign(link.href);
  place.innerHTML = await answer.text();
  place.querySelectorAll(".log").forEach(follow);
  place.scrollIntoView({ block: "nearest" });
});

// an attempt that starts while the page is open has its log shown at once
row?.addEventListener("live:put", ({ detail: { node } }) => {
  if (node.id !== "row-attempts") return;
  const link = node.querySelector("a[data-attempt]");
  const shown = document.querySelector("#log-here .log")?.dataset.after;
  if (link && !link.href.endsWith(shown ?? "-") && !document.querySelector("#log-here .log[data-follow]")) link.click();
});
