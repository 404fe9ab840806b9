// The rows of a board: their menus open below them, and what is done there moves on to the next one to do.
(() => {
  "use strict";
  const list = () => document.getElementById("list");
  const board = document.getElementById("board");

  /** A fragment of this board as text; an expired login is healed, anything but an answer throws. */
  async function fetched(url) {
    const answer = await fetch(url, { headers: { "HX-Request": "true" }, cache: "no-store" });
    if (answer.status === 401) Foldboard.login();
    if (!answer.ok) throw new Error(String(answer.status));
    return answer.text();
  }

  /** Rows from a fragment: they cannot be parsed outside a table. */
  function rowsOf(html) {
    const holder = document.createElement("template");
    holder.innerHTML = `<table><tbody>${html}</tbody></table>`;
    return [...holder.content.querySelectorAll("tbody > tr")];
  }

  // The menu of a row opens below it; the rest of the page stays where it is.

  const drawerOf = (row) => (row.nextElementSibling?.classList.contains("drawer") ? row.nextElementSibling : null);

  async function openDrawer(chip) {
    const row = chip.closest("tr");
    const open = drawerOf(row);
    if (open) return closeDrawer(open, chip);
    if (row.dataset.opening) return;
    row.dataset.opening = "1";
    try {
      const url = chip.href.replace(/#.*/, "").replace(/\/$/, "/menu/?place=board");
      const [drawer] = rowsOf(await fetched(url));
      for (const other of list().querySelectorAll("tr.drawer")) if (!typed(other)) closeDrawer(other);
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

  const typed = (drawer) => [...drawer.querySelectorAll("textarea")].some((field) => field.value.trim());

  function closeDrawer(drawer, focus) {
    const row = drawer.previousElementSibling;
    drawer.remove();
    row?.querySelector(".chip")?.removeAttribute("aria-expanded");
    focus?.focus();
    Foldboard.release();
  }

  document.addEventListener("click", (event) => {
    const chip = event.target.closest("#list .state a.chip");
    if (chip && board.dataset.news && !(event.ctrlKey || event.metaKey || event.shiftKey || event.button)) {
      event.preventDefault();
      openDrawer(chip);
    }
    const close = event.target.closest(".drawer .close");
    if (close) closeDrawer(close.closest("tr"), close.closest("tr").previousElementSibling.querySelector(".chip"));
  });

  document.addEventListener("keydown", (event) => {
    const drawer = event.target.closest?.("tr.drawer") ?? list().querySelector("tr.drawer");
    if (event.key === "Escape" && drawer && !event.target.closest("details[open].ask, details[open].menu, dialog")) {
      const own = drawer.previousElementSibling.querySelector(".chip");
      if (typed(drawer)) own.focus(); // what was typed is closed away by its button only
      else closeDrawer(drawer, own);
    }
    const chip = event.target.closest?.(".state a.chip");
    if (chip && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
      event.preventDefault();
      const chips = [...list().querySelectorAll(".state a.chip")].filter((each) => each.offsetParent);
      chips[chips.indexOf(chip) + (event.key === "ArrowDown" ? 1 : -1)]?.focus();
    }
  });

  // One's own action: the row as it is now came with the answer; the next one to do gets the focus.

  document.addEventListener("htmx:beforeSwap", (event) => {
    // a refusal is an answer: the menu as it is now, with the reason on top
    if (event.detail.xhr.status === 403 && event.detail.elt.closest(".acts")) {
      event.detail.shouldSwap = true;
      event.detail.isError = false;
    }
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    const cell = event.detail.target.closest?.(".drawer-in") ?? document.querySelector(".drawer-in:has(> template)");
    const holder = cell?.querySelector(":scope > template");
    if (!holder) return;
    const fresh = holder.content.querySelector("tr");
    holder.remove();
    const row = cell.closest("tr").previousElementSibling;
    if (!fresh || row?.id !== fresh.id) return;
    Foldboard.own(row.id);
    Foldboard.put(row, fresh).querySelector(".chip").setAttribute("aria-expanded", "true");
    cell.querySelector("[role=alert]")?.scrollIntoView({ block: "nearest" });
    cell.querySelector("[aria-invalid], textarea")?.focus();
  });

  document.body.addEventListener("acted", (event) => {
    const { row: id, said } = event.detail;
    Foldboard.say(said, "success");
    // after the swap that comes with the same answer
    setTimeout(() => {
      const row = document.getElementById(id);
      const drawer = row && drawerOf(row);
      if (drawer) closeDrawer(drawer);
      if (row && document.activeElement === document.body) next(row).focus();
      Foldboard.ask();
    });
  });

  const OPEN = new Set(["open", "doing"]);

  function next(row) {
    let at = row;
    if (OPEN.has(row.dataset.s)) return row.querySelector(".chip");
    while ((at = at.nextElementSibling)) if (OPEN.has(at.dataset.s)) return at.querySelector(".chip");
    return row.querySelector(".chip");
  }

  Object.assign(window.Foldboard, { fetched, rowsOf, drawerOf });
})();
