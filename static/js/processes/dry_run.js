// A dry run: the page stays where it is from step to step, and the focus stays where the next step is taken.
import { fitPicture } from "../shared/picture.js";

let part = "";

const fit = () => fitPicture(document.querySelector(".pic-box"));

document.addEventListener("htmx:beforeRequest", (event) => {
  part = document.activeElement?.closest(".part")?.id ?? document.activeElement?.value ?? "";
  event.detail.elt.dataset.scroll = document.querySelector(".pic-box")?.scrollLeft ?? 0;
});
document.addEventListener("htmx:afterSettle", (event) => {
  fit();
  if (document.activeElement !== document.body) return;
  const again = document.getElementById(part)?.querySelector("button") ?? document.querySelector(`button[value="${CSS.escape(part)}"]:enabled`);
  (again ?? document.querySelector(".part.ready button") ?? document.getElementById("stand"))?.focus({ preventScroll: true });
});
addEventListener("resize", fit);
fit();
