// The process editor, keyboard, mouse and clipboard: as in a spreadsheet.
(() => {
  "use strict";
  const E = window.Foldboard?.editor;
  if (!E) return;
  const { sheet, MORE } = E;
  const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  let column = null; // where Tab began, for Enter to go back to
  let leaving = false; // after Escape, Tab leaves the table

  // Going

  /** Go on after an edit: down and up within the column, right and left over the ends of rows. */
  E.step = (way) => {
    const { row, col } = E.at;
    if (way === "down" || way === "up") {
      E.go(row + (way === "down" ? 1 : -1), way === "down" && column !== null ? column : col);
      column = null;
      return true;
    }
    column ??= col;
    if (way === "right" && col >= MORE) return row < E.view.length && (E.go(row + 1, 1), true);
    if (way === "left" && col <= 1) return row > 0 && (E.go(row - 1, MORE), true);
    E.go(row, col + (way === "right" ? 1 : -1));
    return true;
  };

  /** To the last filled cell in a direction, or over a gap to the next one, or to the end. */
  function far(dr, dc) {
    let { row, col } = E.at;
    const inside = (r, c) => r >= 0 && r < E.view.length && c >= 1 && c < MORE;
    const filled = (r, c) => inside(r, c) && E.text(r, c).trim() !== "";
    const run = filled(row, col) && filled(row + dr, col + dc);
    while (inside(row + dr, col + dc) && (!run || filled(row + dr, col + dc))) {
      row += dr;
      col += dc;
      if (!run && filled(row, col)) break;
    }
    return [row, col];
  }

  sheet.addEventListener("keydown", (event) => {
    if (event.isComposing || E.editing() || !event.target.closest("td")) return;
    if (pressed(event)) event.preventDefault();
    if (event.key !== "Escape" && event.key !== "Shift") leaving = false;
  });

  /** Whether a key meant something. */
  function pressed(event) {
    const { key, shiftKey, altKey } = event;
    const typing = event.getModifierState("AltGraph"); // a character of its own on many keyboards
    const ctrl = (event.ctrlKey || event.metaKey) && !typing;
    if (altKey && (key === "ArrowUp" || key === "ArrowDown")) return E.act(key === "ArrowUp" ? "up" : "down"), true;
    if (altKey && !typing) return false;
    if (ARROWS[key]) {
      const [dr, dc] = ARROWS[key];
      const [row, col] = ctrl ? far(dr, dc) : [E.at.row + dr, E.at.col + dc];
      return move(row, col, shiftKey);
    }
    if (ctrl) return command(key.toLowerCase(), shiftKey);
    switch (key) {
      case "Home": return move(E.at.row, 1, shiftKey);
      case "End": return move(E.at.row, MORE - 1, shiftKey);
      case "PageDown": return move(E.at.row + page(), E.at.col, shiftKey);
      case "PageUp": return move(E.at.row - page(), E.at.col, shiftKey);
      case "Tab":
        if (leaving) return leaving = false;
        return E.step(shiftKey ? "left" : "right");
      case "Enter":
        if (E.at.col === MORE) return E.openRow(), true;
        return E.step(shiftKey ? "up" : "down");
      case "F2": return E.at.col === MORE ? (E.openRow(), true) : E.edit(E.at.row, E.at.col);
      case "Escape":
        leaving = true;
        E.go(E.at.row, E.at.col);
        Foldboard.say("Tab leaves the table now.");
        return true;
      case "Delete": case "Backspace": return clear();
      case " ":
        if (E.at.col === 0 && !shiftKey) return false; // the tick itself takes it
        if (!shiftKey) return E.edit(E.at.row, E.at.col, "");
        if (E.at.row < E.view.length) E.tick(E.view[E.at.row].tr).click();
        return true;
      default:
        if ([...key].length !== 1 && key !== "Process" && key !== "Dead") return false;
        E.edit(E.at.row, E.at.col, ""); // and the key goes on into the field
        return false;
    }
  }

  function move(row, col, extend) {
    column = null;
    E.go(row, col, { extend });
    return true;
  }

  const page = () => Math.max(1, Math.floor(sheet.clientHeight / 36) - 2);

  function command(key, shift) {
    switch (key) {
      case "z": return E.act(shift ? "redo" : "undo"), true;
      case "y": return E.act("redo"), true;
      case "home": return move(0, 1, shift);
      case "end": return move(E.view.length - 1, MORE - 1, shift);
      case "a":
        E.from = { row: 0, col: 1 };
        E.go(E.view.length - 1, MORE - 1, { extend: true });
        return true;
      case "f": return E.find(), true;
      case "enter": return E.openRow(), true;
      default: return false;
    }
  }

  // Blocks of cells

  function inside() {
    const range = E.range();
    return { ...range, left: Math.max(1, range.left), right: Math.min(MORE - 1, range.right), bottom: Math.min(range.bottom, E.view.length - 1) };
  }

  function clear() {
    const { top, bottom, left, right } = inside();
    if (right < left || bottom < top) return true;
    const block = [];
    for (let row = top; row <= bottom; row += 1) block.push(Array(right - left + 1).fill(""));
    if (blockOf(top, bottom, left, right).some((line) => line.some(Boolean))) write(top, left, block);
    return true;
  }

  function blockOf(top, bottom, left, right) {
    const block = [];
    for (let row = top; row <= bottom; row += 1) {
      const line = [];
      for (let col = left; col <= right; col += 1) line.push(E.text(row, col));
      block.push(line);
    }
    return block;
  }

  const write = (row, col, block) => E.do({ do: "put", row, column: E.column(col), block, task: E.task(row) });

  const quoted = (text) => (/[\t\n"]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  /** The cells of what a spreadsheet puts on the clipboard: tabs between, quotes around what holds one. */
  function cellsOf(text) {
    const rows = [[]];
    const pattern = /(?:^|\t|\n)(?:"((?:[^"]|"")*)"(?=\t|\n|$)|([^\t\n]*))/g;
    const clean = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
    for (const found of clean.matchAll(pattern)) {
      if (found[0][0] === "\n" && found.index > 0) rows.push([]);
      rows.at(-1).push(found[1] !== undefined ? found[1].replaceAll('""', '"') : found[2] ?? "");
    }
    const width = Math.max(...rows.map((row) => row.length));
    return rows.map((row) => [...row, ...Array(width - row.length).fill("")]);
  }
  E.cellsOf = cellsOf;

  const mine = () => !E.editing() && sheet.contains(document.activeElement);

  document.addEventListener("copy", (event) => {
    if (!mine()) return;
    const { top, bottom, left, right } = inside();
    event.clipboardData.setData("text/plain", blockOf(top, bottom, left, right).map((line) => line.map(quoted).join("\t")).join("\n"));
    event.preventDefault();
  });
  document.addEventListener("cut", (event) => {
    if (!mine()) return;
    const { top, bottom, left, right } = inside();
    event.clipboardData.setData("text/plain", blockOf(top, bottom, left, right).map((line) => line.map(quoted).join("\t")).join("\n"));
    event.preventDefault();
    clear();
  });
  document.addEventListener("paste", (event) => {
    if (!mine()) return;
    const text = event.clipboardData.getData("text/plain");
    event.preventDefault();
    if (text) paste(cellsOf(text));
  });

  function paste(block) {
    const { top, bottom, left, right } = E.range();
    const col = Math.max(1, left);
    if (col >= MORE) return Foldboard.say("Go to the cell where the block is to begin, then paste.", "error");
    const named = withHeadings(block, top);
    if (named) return void (write(top, 1, named), select(top, 1, named.length, MORE - 1));
    if (block.length === 1 && block[0].length === 1) {
      const last = Math.min(Math.max(top, bottom), Math.max(top, E.view.length - 1));
      block = Array.from({ length: last - top + 1 }, () => Array(Math.min(right, MORE - 1) - col + 1).fill(block[0][0]));
    }
    write(top, col, block);
    select(top, col, block.length, block[0].length);
  }

  /** A block whose first line names columns goes where they are; what it does not name stays as it is. */
  function withHeadings([head, ...lines], top) {
    const places = head.map((name) => E.columns.indexOf(name.trim().toLowerCase().replace(/[\s-]+/g, "_")));
    if (!lines.length || places.includes(-1) || !places.includes(0) || places.length < 2) return null;
    return lines.map((line, n) => {
      const texts = top + n < E.view.length ? [...E.view[top + n].texts] : E.columns.map(() => "");
      places.forEach((place, k) => { texts[place] = line[k]; });
      return texts;
    });
  }

  function select(row, col, height, width) {
    E.go(row, col);
    E.from = { row, col };
    E.go(row + height - 1, col + width - 1, { extend: true });
  }

  // Mouse and touch

  const placeOf = (target) => {
    const cell = target.closest?.("tbody td");
    return cell && sheet.contains(cell) ? [Number(cell.parentElement.dataset.n), cell.cellIndex] : null;
  };
  let drag = false;
  let again = false; // whether the press was on the cell one is at already
  sheet.addEventListener("pointerdown", (event) => {
    const place = placeOf(event.target);
    if (!place || event.button) return;
    const [row, col] = place;
    again = row === E.at.row && col === E.at.col && E.from.row === row && E.from.col === col && sheet.contains(document.activeElement);
    if (col === 0 || event.target.closest("a")) return;
    if (event.pointerType === "mouse") event.preventDefault();
    column = null;
    if (E.editing()) E.close("keep", "stay");
    E.go(row, col, { extend: event.shiftKey });
    drag = event.pointerType === "mouse";
  });
  sheet.addEventListener("pointermove", (event) => {
    const place = drag && event.buttons ? placeOf(event.target) : null;
    if (place && (place[0] !== E.at.row || place[1] !== E.at.col)) E.go(place[0], Math.max(1, place[1]), { extend: true });
  });
  addEventListener("pointerup", () => { drag = false; });
  sheet.addEventListener("click", (event) => {
    const place = placeOf(event.target);
    if (!place) return;
    const [row, col] = place;
    if (col === 0) return E.go(row, 0);
    if (col === MORE) {
      event.preventDefault();
      E.go(row, col);
      return E.openRow();
    }
    if (again && event.detail === 1 && !event.shiftKey) E.edit(row, col);
  });
  sheet.addEventListener("dblclick", (event) => {
    const place = placeOf(event.target);
    if (place && place[1] > 0 && place[1] < MORE && !E.editing()) E.edit(...place);
  });
  sheet.addEventListener("focusin", (event) => {
    const place = placeOf(event.target);
    if (place && (place[0] !== E.at.row || place[1] !== E.at.col)) E.go(...place, { focus: false });
  });
})();
