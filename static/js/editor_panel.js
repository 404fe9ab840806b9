// The process editor, around its table: the form of the current row, the buttons, find, and what leads to a cell.
(() => {
  "use strict";
  const E = window.Foldboard?.editor;
  if (!E) return;
  const byId = (id) => document.getElementById(id);
  const panel = byId("row");
  const form = byId("row-form");
  const fields = [...form.querySelectorAll("[data-column]")];
  const sections = [...form.querySelectorAll("[data-kind]")];
  let shown = null; // the row the form shows

  // The form of the current row

  function fill() {
    shown = E.at.row;
    const row = E.view[shown];
    form.hidden = false;
    arrange(row);
    byId("row-title").textContent = row ? row.texts[1] || row.texts[0] || "A row without an id" : "A new row";
    for (const input of fields) {
      const text = row ? row.texts[E.columns.indexOf(input.dataset.column)] ?? "" : "";
      if (input !== document.activeElement && input.value !== text) input.value = text;
      const notes = row ? row.notes.filter(([column]) => column === input.dataset.column) : [];
      const said = byId(input.id.replace("f-", "e-"));
      said.replaceChildren(...coded(notes.map(([, , message]) => message).join(" ")));
      said.className = `says-wrong ${notes[0]?.[1] ?? ""}`;
      if (notes.some(([, level]) => level === "error")) input.setAttribute("aria-invalid", "true");
      else input.removeAttribute("aria-invalid");
    }
  }

  /** What stands between backticks as code. */
  const coded = (text) => text.split("`").map((part, n) => (n % 2 ? Object.assign(document.createElement("code"), { textContent: part }) : part));

  /** The fields that a row of its kind needs come first. */
  function arrange(row) {
    const texts = row?.texts ?? [];
    const kind = texts[E.columns.indexOf("collection")] ? "group" : texts[E.columns.indexOf("role")] === "system" ? "script" : "people";
    const first = sections.find((each) => each.dataset.kind === kind);
    if (first === first.parentElement.firstElementChild || form.contains(document.activeElement)) return;
    first.parentElement.replaceChildren(first, ...sections.filter((each) => each !== first));
  }

  form.addEventListener("change", (event) => {
    const { column } = event.target.dataset;
    if (column) E.put(shown, column, event.target.value);
  });
  form.addEventListener("keydown", (event) => {
    const { target } = event;
    if (event.key === "Escape") {
      target.value = stored(target);
      E.focus();
    } else if (event.key === "Enter" && target.matches("input")) {
      event.preventDefault();
      E.put(shown, target.dataset.column, target.value);
      E.focus();
    }
    else if ((event.ctrlKey || event.metaKey) && ["z", "y"].includes(event.key) && target.value === stored(target)) {
      event.preventDefault();
      E.act(event.key === "z" ? "undo" : "redo");
    }
  });
  const stored = (input) => E.view[shown]?.texts[E.columns.indexOf(input.dataset.column)] ?? "";

  /** To the form of the current row, or to one field of it. */
  E.openRow = (column) => {
    fill();
    const input = fields.find((each) => each.dataset.column === column) ?? fields.find((each) => !E.CORE.includes(each.dataset.column));
    input.focus();
    input.scrollIntoView({ block: "center" });
  };

  E.watch((what) => {
    if (what === "place" || what === "rows" || what === "said") fill();
    if (what === "rows" && byId("find").value) search();
  });

  // Buttons

  const ops = byId("ops");
  ops.addEventListener("click", (event) => {
    const button = event.target.closest("button[name=do]");
    if (!button) return;
    event.preventDefault();
    E.act(button.value);
  });
  byId("per").addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();
    E.act("group");
  });

  /** What the buttons and their keys do, to the ticked rows or those of the range. */
  E.act = (what) => {
    if (E.editing()) E.close("keep", "stay");
    const rows = E.chosen();
    const first = rows[0] ?? 0;
    const none = !rows.length && ["up", "down", "duplicate", "remove", "group", "ungroup"].includes(what);
    if (none) return Foldboard.say("Tick the rows first, or go to one of them.", "error");
    if (what === "undo" || what === "redo") {
      if (!ops.querySelector(`[value=${what}]`).disabled || E.waiting()) E.do({ do: what });
      return;
    }
    if (what === "add") return add();
    if (what === "up" || what === "down") return shift(rows, what === "up" ? -1 : 1);
    if (what === "group") {
      const collection = byId("per").value.trim();
      if (!collection) return void (byId("per").focus(), Foldboard.say("What are the rows repeated per? Type it here, for example: unit.", "error"));
      E.untick();
      E.do({ do: "group", rows, collection });
      byId("per").value = "";
      E.go(first, 2);
    } else if (what === "ungroup") {
      E.do({ do: "ungroup", row: first });
    } else {
      if (what === "remove") E.untick();
      E.do({ do: what, rows });
      if (what === "duplicate") E.go(first + 1, 1);
      else E.go(Math.min(first, E.view.length), Math.max(1, E.at.col));
      if (what === "remove") Foldboard.say(`${rows.length === 1 ? "1 row" : `${rows.length} rows`} removed. Ctrl+Z brings ${rows.length === 1 ? "it" : "them"} back.`);
    }
  };

  function add() {
    const ticked = E.view.some((row) => E.tick(row.tr).checked);
    const inside = E.sheet.contains(document.activeElement) || ticked;
    const at = inside || E.at.row < E.view.length - 1 ? Math.min(E.view.length, (E.chosen().at(-1) ?? E.view.length - 1) + 1) : E.view.length;
    E.do({ do: "add", row: at });
    E.go(at, 1);
  }

  function shift(rows, by) {
    const edge = by < 0 ? 0 : E.view.length - 1;
    const fixed = rows.length === (by < 0 ? rows.at(-1) + 1 : E.view.length - rows[0]); // they stand at the end already
    if (fixed && rows.includes(edge)) return;
    const { at, from } = E;
    E.do({ do: "move", rows, by });
    if (!rows.includes(at.row)) return E.focus();
    E.from = { ...from, row: from.row + by };
    E.go(at.row + by, at.col, { extend: true });
  }

  byId("tick-all").hidden = false;
  byId("tick-all").addEventListener("change", (event) => {
    for (const row of E.view) E.tick(row.tr).checked = event.target.checked;
  });

  /** Show for a moment which rows an undo or a group touched. */
  E.flash = (rows) => {
    for (const n of rows.slice(0, 50)) E.view[n]?.tr.classList.add("new");
  };

  // Find

  const find = byId("find");
  find.closest(".find").hidden = false;
  let hits = [];

  E.find = () => { find.focus(); find.select(); };

  function search() {
    for (const cell of E.body.querySelectorAll("td.hit")) cell.classList.remove("hit");
    const wanted = find.value.trim().toLowerCase();
    hits = [];
    if (wanted) {
      E.view.forEach(({ texts, tr }, row) => texts.forEach((text, place) => {
        const col = Math.min(place + 1, E.MORE);
        const said = place < E.CORE.length ? `${text} ${tr.children[col].textContent}` : text;
        if (!said.toLowerCase().includes(wanted)) return;
        tr.children[col].classList.add("hit");
        if (hits.at(-1)?.[0] !== row || hits.at(-1)[1] !== col) hits.push([row, col]);
      }));
    }
    tell();
  }

  function tell() {
    const at = hits.findIndex(([row, col]) => row === E.at.row && col === E.at.col);
    const count = at >= 0 ? `${at + 1} of ${hits.length}` : `${hits.length} found`;
    byId("found").textContent = !find.value.trim() ? "" : hits.length ? count : "not found";
  }

  function next(back) {
    if (!hits.length) return;
    const here = E.at.row * 100 + E.at.col;
    const places = hits.map(([row, col]) => row * 100 + col);
    let n = back ? places.findLastIndex((place) => place < here) : places.findIndex((place) => place > here);
    if (n < 0) n = back ? hits.length - 1 : 0;
    E.go(...hits[n], { focus: false });
    E.cell(...hits[n]).scrollIntoView({ block: "nearest", inline: "nearest" });
    tell();
  }

  find.addEventListener("input", () => {
    search();
    if (hits.length && !hits.some(([row, col]) => row === E.at.row && col === E.at.col)) next(false);
  });
  find.addEventListener("keydown", (event) => {
    if (event.key === "Enter") next(event.shiftKey);
    else if (event.key === "Escape") { find.value = ""; search(); E.focus(); }
    else return;
    event.preventDefault();
  });
  byId("find-next").addEventListener("click", () => next(false));
  byId("find-before").addEventListener("click", () => next(true));
  document.addEventListener("keydown", (event) => {
    if (!(event.ctrlKey || event.metaKey)) return;
    if (event.key === "s") {
      event.preventDefault();
      document.activeElement.blur(); // takes what is being typed
      byId("ed-save").click();
    } else if (event.key === "f" && E.root.contains(document.activeElement)) {
      event.preventDefault();
      E.find();
    }
  });

  // What leads to a cell: problems, the picture

  byId("problems").addEventListener("click", (event) => {
    const link = event.target.closest("a[data-row]");
    if (!link) return;
    event.preventDefault();
    const col = E.CORE.indexOf(link.dataset.column) + 1;
    E.go(Number(link.dataset.row), col || E.MORE);
    if (!col) E.openRow(link.dataset.column);
  });
  byId("picture").addEventListener("click", (event) => {
    const link = event.target.closest("a[href^='#row-']");
    if (!link) return;
    event.preventDefault();
    const task = decodeURIComponent(link.getAttribute("href").slice(5));
    const row = E.view.findIndex((each) => each.texts[0].trim() === task);
    if (row >= 0) E.go(row, 1);
  });

  E.begin();
  const wanted = new URLSearchParams(location.search).get("row");
  if (wanted !== null) {
    history.replaceState(null, "", location.pathname);
    E.go(Number(wanted), 1, { focus: false });
  }
})();
