// A dry run: the page stays where it is from step to step, and the focus stays where the next step is taken.
(() => {
  "use strict";
  let part = "";

  function fit() {
    const box = document.querySelector(".pic-box");
    const svg = box?.firstElementChild;
    if (svg) svg.classList.toggle("fits", svg.width.baseVal.value <= box.clientWidth * 1.5);
  }

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
})();
