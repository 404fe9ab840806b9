// The process editor, its table: the rows as the board last said (`server`), as they are seen (`view`: with the edits
// that are still on their way), and the cell one is at. Rows are TR elements that the board rendered; each carries its
// cells and what is wrong with them. What happens to them is in editor_send.js, editor_keys.js, editor_cell.js and
// editor_panel.js, which share `Foldboard.editor`.
(() => {
  "use strict";
  const root = document.getElementById("editor");
  if (!root) return;
  const sheet = document.getElementById("sheet");
  const body = sheet.querySelector("tbody");
  const blank = document.getElementById("blank").content.querySelector("tr");
  const CORE = ["task", "name", "role", "depends_on", "script", "collection", "parent"];
  const MORE = CORE.length + 1; // column 0 of the sheet is the tick, then these, then what sums up the others
  const PARENT = CORE.indexOf("parent");
  const watchers = [];

  const E = Foldboard.editor = {
    root, sheet, body, CORE, MORE,
    choices: JSON.parse(document.getElementById("choices").textContent),
    columns: [],
    server: [],
    view: [],
    at: { row: 0, col: 1 },
    from: { row: 0, col: 1 }, // where the selected range begins; it ends at `at`
    width: MORE + 1,

    /** What people call a column. */
    heading: (column) => document.querySelector(`#row-form [data-column="${CSS.escape(column)}"]`)?.labels[0].textContent ?? column,

    /** Be told when the rows, the place or what is wrong has changed. */
    watch(tell) { watchers.push(tell); },
    changed(what) { for (const tell of watchers) tell(what); },
  };

  // Rows

  const record = (tr) => {
    const [texts, notes] = JSON.parse(tr.dataset.said);
    return { tr, texts, notes };
  };

  function parsed(html) {
    const template = document.createElement("template");
    template.innerHTML = html;
    return record(template.content.firstElementChild);
  }

  function fresh(texts) {
    const tr = blank.cloneNode(true);
    return shown({ tr, texts: E.columns.map(() => ""), notes: [] }, texts);
  }

  /** A row with other texts, as it looks until the board has said how. */
  function shown(row, texts) {
    const tr = row.tr.cloneNode(true);
    texts.forEach((text, place) => {
      if (text === row.texts[place] || place >= CORE.length) return;
      const cell = tr.children[place + 1];
      const said = document.createElement("bdi");
      said.textContent = text;
      cell.replaceChildren(said);
      for (const name of ["title", "aria-invalid", "aria-describedby"]) cell.removeAttribute(name);
      cell.classList.remove("bad", "odd");
    });
    return { tr, texts, notes: row.notes };
  }

  /** Rows that are moved keep their order, and none passes another or an end. */
  function moved(rows, chosen, by) {
    const down = by > 0;
    let limit = down ? rows.length - 1 : 0;
    for (const row of [...chosen].sort((a, b) => (down ? b - a : a - b))) {
      const to = down ? Math.min(limit, row + by) : Math.max(limit, row + by);
      rows.splice(to, 0, ...rows.splice(row, 1));
      limit = down ? to - 1 : to + 1;
    }
    return rows;
  }

  function free(rows, name) {
    const taken = new Set(rows.map((row) => row.texts[0].trim()));
    let found = name;
    for (let n = 2; taken.has(found); n += 1) found = `${name}_${n}`;
    return found;
  }

  /** A group row before the first of some rows, named as their parent. */
  function grouped(rows, chosen, kind) {
    const word = [...kind].map((c) => (/[\p{L}\p{N}]/u.test(c) ? c : "_")).join("").replace(/^_+|_+$/g, "");
    const name = free(rows, `each_${word || "element"}`);
    const cells = { task: name, name: `For each ${kind}`, collection: kind, parent: rows[chosen[0]].texts[PARENT] };
    for (const row of chosen) {
      rows[row] = shown(rows[row], rows[row].texts.map((text, place) => (place === PARENT ? name : text)));
    }
    rows.splice(chosen[0], 0, fresh(E.columns.map((column) => cells[column] ?? "")));
    return rows;
  }

  /** What an edit does to the rows, as far as that can be known here; the rest is seen when the board answers. */
  function applied(rows, op) {
    rows = [...rows];
    if (op.do === "put") {
      const first = E.columns.indexOf(op.column);
      op.block.forEach((line, n) => {
        while (rows.length <= op.row + n) rows.push(fresh(E.columns.map(() => "")));
        const texts = [...rows[op.row + n].texts];
        line.forEach((text, k) => { texts[first + k] = text; });
        rows[op.row + n] = shown(rows[op.row + n], texts);
      });
    } else if (op.do === "add") {
      const above = op.row > 0 ? rows[op.row - 1].texts[PARENT] : "";
      rows.splice(op.row, 0, fresh(E.columns.map((_, place) => (place === PARENT ? above : ""))));
    } else if (op.do === "duplicate") {
      for (const row of [...op.rows].sort((a, b) => b - a)) {
        const texts = [...rows[row].texts];
        texts[0] = free(rows, texts[0].trim() || "task");
        rows.splice(row + 1, 0, shown(rows[row], texts));
        tick(rows[row + 1].tr).checked = false;
      }
    } else if (op.do === "move") {
      moved(rows, op.rows, op.by);
    } else if (op.do === "group") {
      grouped(rows, op.rows, op.collection);
    } else if (op.do === "remove") {
      const gone = new Set(op.rows);
      rows = rows.filter((_, n) => !gone.has(n));
    }
    return rows;
  }

  E.apply = (op) => {
    E.view = applied(E.view, op);
    show();
  };

  /** Take over what the board says; a number is the place of a row that stayed as it was. */
  E.take = (answer, waiting) => {
    const ticks = E.view.map((row) => tick(row.tr).checked);
    const before = E.view;
    const stayed = new Set();
    E.columns = answer.columns;
    E.server = answer.rows.map((row) => {
      if (typeof row !== "number") return parsed(row);
      stayed.add(row);
      return E.server[row];
    });
    E.rebase(waiting, false);
    if (E.view.length === before.length) {
      E.view.forEach((row, n) => { if (row.tr !== before[n].tr) tick(row.tr).checked = ticks[n]; });
    }
    show();
  };

  /** What is seen: the rows as the board said, with the edits that wait. */
  E.rebase = (waiting, now = true) => {
    E.view = waiting.reduce(applied, E.server);
    if (now) show();
  };

  const tick = (tr) => tr.children[0].firstElementChild;

  function show() {
    const focused = sheet.contains(document.activeElement);
    const wanted = new Set(E.view.map((row) => row.tr));
    for (const tr of [...body.children]) if (!wanted.has(tr) && tr !== ghost) tr.remove();
    let at = body.firstElementChild;
    E.view.forEach((row, n) => {
      if (row.tr === at) at = at.nextElementSibling;
      else body.insertBefore(row.tr, at);
      number(row.tr, n);
    });
    body.append(ghost);
    number(ghost, E.view.length);
    sheet.firstElementChild.setAttribute("aria-rowcount", E.view.length + 2);
    E.at.row = Math.min(E.at.row, E.view.length);
    E.from.row = Math.min(E.from.row, E.view.length);
    mark();
    if (focused && !sheet.contains(document.activeElement)) E.focus();
    E.changed("rows");
  }

  function number(tr, n) {
    if (tr.dataset.n === String(n)) return;
    tr.dataset.n = n;
    tr.setAttribute("aria-rowindex", n + 2);
    tick(tr).tabIndex = -1;
    tick(tr).value = n;
    const more = tr.lastElementChild.querySelector("a");
    more.tabIndex = -1;
    more.href = `?row=${n}#row`;
    for (const said of tr.querySelectorAll(".sr[id]")) {
      said.id = said.id.replace(/^m\w*-/, `m${n}-`);
      said.parentElement.setAttribute("aria-describedby", said.id);
    }
  }

  const ghost = blank.cloneNode(true);
  ghost.classList.add("ghost");
  ghost.setAttribute("aria-label", "A new row: type to begin it");
  tick(ghost).hidden = true;

  // The place

  /** The cell of a place; the row after the last one is the one that typing makes. */
  E.cell = (row, col) => (row < E.view.length ? E.view[row].tr : ghost).children[col];
  E.text = (row, col) => (row < E.view.length ? E.view[row].texts[col - 1] : "");
  E.column = (col) => (col > 0 && col < MORE ? CORE[col - 1] : "");
  E.task = (row) => (row < E.view.length ? E.view[row].texts[0] : null);
  const focusable = (cell, col) => (col === 0 || col === MORE ? cell.querySelector("input:not([hidden]), a") ?? cell : cell);

  E.range = () => ({
    top: Math.min(E.at.row, E.from.row), bottom: Math.max(E.at.row, E.from.row),
    left: Math.min(E.at.col, E.from.col), right: Math.max(E.at.col, E.from.col),
  });

  let marked = [];
  function mark() {
    for (const cell of marked) {
      cell.classList.remove("at", "in-range");
      cell.removeAttribute("aria-selected");
      for (const each of [cell, ...cell.querySelectorAll("input, a")]) if (each.tabIndex === 0) each.tabIndex = -1;
    }
    const { top, bottom, left, right } = E.range();
    marked = [];
    for (let row = top; row <= bottom; row += 1) {
      for (let col = left; col <= right; col += 1) {
        const cell = E.cell(row, col);
        cell.setAttribute("aria-selected", "true");
        if (top !== bottom || left !== right) cell.classList.add("in-range");
        marked.push(cell);
      }
    }
    const at = E.cell(E.at.row, E.at.col);
    at.classList.add("at");
    focusable(at, E.at.col).tabIndex = 0;
    for (const tr of body.querySelectorAll("tr.here")) tr.classList.remove("here");
    at.parentElement.classList.add("here");
  }

  /** Go to a cell; `extend` keeps where the range begins. */
  E.go = (row, col, { extend = false, focus = true } = {}) => {
    E.at = { row: Math.max(0, Math.min(E.view.length, row)), col: Math.max(0, Math.min(MORE, col)) };
    if (!extend) E.from = { ...E.at };
    mark();
    if (focus) E.focus();
    E.changed("place");
  };

  E.focus = () => {
    const cell = E.cell(E.at.row, E.at.col);
    focusable(cell, E.at.col).focus({ preventScroll: true });
    const head = sheet.querySelector("thead").offsetHeight;
    const left = sheet.querySelector(".sel").offsetWidth;
    const { offsetTop: y, offsetLeft: x, offsetHeight: h, offsetWidth: w } = cell;
    if (y - head < sheet.scrollTop) sheet.scrollTop = y - head;
    else if (y + h > sheet.scrollTop + sheet.clientHeight) sheet.scrollTop = y + h - sheet.clientHeight;
    if (x - left < sheet.scrollLeft) sheet.scrollLeft = x - left;
    else if (x + w > sheet.scrollLeft + sheet.clientWidth) sheet.scrollLeft = Math.min(x - left, x + w - sheet.clientWidth);
    const box = cell.getBoundingClientRect();
    if (box.top < 60 || box.bottom > innerHeight) cell.scrollIntoView({ block: "center", inline: "nearest" });
  };

  /** The rows an action is meant for: those that are ticked, else those of the range. */
  E.chosen = () => {
    const ticked = E.view.flatMap((row, n) => (tick(row.tr).checked ? [n] : []));
    if (ticked.length) return ticked;
    const { top, bottom } = E.range();
    return E.view.flatMap((_, n) => (n >= top && n <= bottom ? [n] : []));
  };
  E.untick = () => { for (const row of E.view) tick(row.tr).checked = false; };
  E.tick = tick;

  E.begin = () => {
    root.classList.add("scripted");
    E.columns = E.choices.columns;
    E.server = [...body.children].map(record);
    E.view = [...E.server];
    sheet.firstElementChild.setAttribute("aria-colcount", E.width);
    show();
    E.changed("place");
  };
})();
