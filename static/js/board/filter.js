// Filtering a board, where the address follows and the place in the text field stays; and replay, which takes a page in
// the same way.
import { fragmentText, parsed } from "../shared/fragments.js";
import { say } from "../shared/say.js";
import { tellTimes } from "../shared/times.js";
import { board, list, pictureBox } from "./page.js";
import { ready } from "./sections.js";
import { counted } from "./ticks.js";

const tools = () => document.getElementById("tools");
let asked = 0;

async function filter() {
  const mine = ++asked;
  const query = new URLSearchParams([...new FormData(tools())].filter(([, value]) => value));
  const url = `${tools().getAttribute("action")}${query.size ? `?${query}` : ""}`;
  try {
    const page = parsed(await fragmentText(url));
    if (mine !== asked) return; // something newer was asked for meanwhile
    history.replaceState(null, "", url);
    take(page);
  } catch {
    say("The rows could not be filtered. Try again in a moment.", "error");
  }
}

function take(page) {
  const { dataset } = page.getElementById("board");
  for (const name of ["news", "v"]) if (dataset[name]) board.dataset[name] = dataset[name];
  list().replaceWith(document.importNode(page.getElementById("list"), true));
  pictureBox?.replaceChildren(...document.importNode(page.getElementById("picture"), true).childNodes); // it stays scrolled
  for (const id of ["head", "feed", "yours"]) {
    const [fresh, old] = [page.getElementById(id), document.getElementById(id)];
    if (fresh && old) old.replaceWith(document.importNode(fresh, true));
  }
  const back = document.querySelector("#bulk [name=back]");
  if (back) back.value = page.querySelector("#bulk [name=back]")?.value ?? back.value;
  tidy(page);
  for (const section of list().querySelectorAll(".sec")) ready(section);
  counted();
  tellTimes(board);
}

/** Show the toolbar anew, but never the field that is being typed in. */
function tidy(page) {
  const fresh = page.getElementById("tools");
  for (const select of fresh.querySelectorAll("select")) {
    const shown = tools().querySelector(`[name="${CSS.escape(select.name)}"]`);
    if (shown && shown !== document.activeElement) shown.replaceWith(document.importNode(select, true));
  }
  const [links, old] = [fresh.querySelector(".tool-links"), tools().querySelector(".tool-links")];
  if (links && old && !old.contains(document.activeElement)) old.replaceWith(document.importNode(links, true));
}

let typing = 0;
document.addEventListener("input", (event) => {
  if (!event.target.closest("#tools") || event.target.matches("select")) return;
  clearTimeout(typing);
  typing = setTimeout(filter, 220);
});
document.addEventListener("change", (event) => { if (event.target.matches("#tools select")) filter(); });
document.addEventListener("submit", (event) => {
  if (event.target.id !== "tools") return;
  event.preventDefault();
  clearTimeout(typing);
  filter();
});

// Replay: the slider shows the board as it was, while it moves.

let sliding = 0;
document.addEventListener("input", (event) => {
  if (event.target.id !== "at") return;
  document.getElementById("at-now").textContent = event.target.value;
  clearTimeout(sliding);
  sliding = setTimeout(() => replay(event.target), 90);
});

async function replay(slider) {
  const url = new URL(location.href);
  url.searchParams.set("at", slider.value);
  try {
    const page = parsed(await fragmentText(url));
    if (page.getElementById("at").value !== slider.value) return;
    history.replaceState(null, "", url);
    take(page);
    document.querySelector(".replay-event").replaceWith(document.importNode(page.querySelector(".replay-event"), true));
    const hidden = tools().querySelector("[name=at]");
    if (hidden) hidden.value = slider.value;
  } catch {
    say("That moment could not be loaded. Try again.", "error");
  }
}
