// The process editor, rows dragged by their numbers; the buttons and Alt with an arrow do the same.
(() => {
  "use strict";
  const E = window.Foldboard?.editor;
  if (!E) return;
  const FAR = 5; // pixels from where a press becomes a drag
  const EDGE = 30; // pixels from an end of the sheet where it scrolls
  let drag = null; // { rows, y, to }

  const rowAt = (y) => {
    const rows = E.view.map((row) => row.tr.getBoundingClientRect());
    const found = rows.findIndex((box) => y < box.top + box.height / 2);
    return found < 0 ? rows.length : found; // the row it would be put before
  };

  function show(to) {
    for (const tr of E.body.querySelectorAll(".drop")) tr.classList.remove("drop");
    if (to !== null) (E.view[to]?.tr ?? E.body.lastElementChild).classList.add("drop");
  }

  E.sheet.addEventListener("pointerdown", (event) => {
    const cell = event.target.closest("tbody tr:not(.ghost) td.sel");
    if (!cell || event.button || event.target.matches("input") || event.pointerType !== "mouse") return;
    event.preventDefault();
    const row = Number(cell.parentElement.dataset.n);
    const chosen = E.chosen();
    drag = { rows: E.tick(E.view[row].tr).checked ? chosen : [row], y: event.clientY, to: null };
    E.sheet.setPointerCapture(event.pointerId);
  });

  E.sheet.addEventListener("pointermove", (event) => {
    if (!drag || (drag.to === null && Math.abs(event.clientY - drag.y) < FAR)) return;
    drag.to = rowAt(event.clientY);
    E.sheet.classList.add("dragging");
    const box = E.sheet.getBoundingClientRect();
    if (event.clientY < box.top + EDGE + 30) E.sheet.scrollTop -= 12;
    if (event.clientY > box.bottom - EDGE) E.sheet.scrollTop += 12;
    show(drag.to);
  });

  function end(event) {
    if (!drag) return;
    const { rows, to } = drag;
    drag = null;
    show(null);
    E.sheet.classList.remove("dragging");
    if (to === null || event.type === "pointercancel") return;
    // the rows stay together where they are put: each is moved by as much as the first one
    const above = rows.filter((row) => row < to).length;
    const by = to - above - rows[0];
    const together = rows.every((row, n) => row === rows[0] + n);
    if (!by) return;
    if (together) E.do({ do: "move", rows, by });
    else for (const [row, target] of steps(rows, to)) E.do({ do: "move", rows: [row], by: target - row });
    E.go(to - above, 1);
  }
  E.sheet.addEventListener("pointerup", end);
  E.sheet.addEventListener("pointercancel", end);

  /** Single moves that bring scattered rows together before row `to`, in their order. */
  function steps(rows, to) {
    const found = [];
    const up = rows.filter((row) => row >= to);
    const down = rows.filter((row) => row < to).reverse();
    down.forEach((row, n) => found.push([row, to - 1 - n]));
    up.forEach((row, n) => found.push([row, to + n]));
    return found.filter(([row, target]) => row !== target);
  }
})();
