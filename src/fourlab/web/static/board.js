// A board of any size: plate, discs that fall behind it, chips above the columns, a button for each
// move. Framework-free. `update(state)` may be called as often as one likes; it draws differences.

import { cellsOf, drawDisc, html, landing, makeChip, padOf, svg } from "fourlab/pieces.js";
import { drawReview } from "fourlab/review_board.js";

export { cellsOf, drawDisc, landing, makeChip, svg, thumbnail } from "fourlab/pieces.js";

const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");
const MOST_COLUMNS = 11; // that fit into the narrowest window as wide as fingers need them; a wider board scrolls
let boards = 0;

export class Board {
  constructor(host, { onPlay = () => {} } = {}) {
    this.host = host;
    this.onPlay = onPlay;
    this.id = `board${boards++}`;
    this.shape = "";
    this.cells = [];
    this.sides = [];
    this.focused = 0;
    host.classList.add("board");
    host.addEventListener("keydown", (event) => this.key(event));
  }

  // state: game, moves, legal, line, toMove, canPlay, chips, hint, pitch, compact, flipped, review
  update(state) {
    this.state = state;
    const { game, pitch } = state;
    const shape = [game.columns, game.rows, game.gravity, pitch, state.showChips, state.flipped].join();
    if (shape !== this.shape) this.build(shape);
    this.updateDiscs(state);
    this.updateMarks(state);
    this.updateChips(state);
    this.updateButtons(state);
  }

  build(shape) {
    this.shape = shape;
    const { game, pitch: p, showChips } = this.state;
    this.chipKey = null;
    this.focused = 0;
    this.pad = padOf(p);
    this.radius = 0.405 * p;
    this.width = game.columns * p + 2 * this.pad;
    this.height = game.rows * p + 2 * this.pad;
    this.host.replaceChildren();
    this.cells = [];
    this.discs = new Map();
    this.host.style.width = `${this.width}px`;
    this.host.classList.toggle("wide", game.columns > MOST_COLUMNS);
    this.chipRow = showChips && game.gravity ? html("div", "chips", this.host) : null;
    if (this.chipRow) this.chipRow.style.padding = `0 ${this.pad}px`;
    this.plate = html("div", "plate", this.host);
    this.plate.style.height = `${this.height}px`;
    this.root = svg("svg", { width: this.width, height: this.height, "aria-hidden": "true" }, this.plate);
    this.drawPlate(game, p);
    this.grid = html("div", "moves", this.plate);
    this.grid.setAttribute("role", "group");
    this.buttons = this.makeButtons(game, p);
    if (game.gravity) this.drawNumbers(game, p);
  }

  drawPlate(game, p) {
    const { root, width, height } = this;
    const defs = svg("defs", {}, root);
    const gradient = svg("linearGradient", { id: `${this.id}-plate`, x1: 0, y1: 0, x2: 0, y2: 1 }, defs);
    for (const [offset, name] of [["0", "hi"], ["0.08", "mid"], ["1", "lo"]])
      svg("stop", { offset, class: `plate-${name}` }, gradient);
    const corner = Math.min(24, 0.3 * p);
    svg("rect", { x: 2, y: 2, width: width - 4, height: height - 4, rx: corner, class: "hole" }, root);
    if (!game.gravity) this.drawCellNumbers(game);
    this.fallen = svg("g", { "clip-path": `inset(0 round ${corner}px)` }, root);
    let path = `M0 ${corner}a${corner} ${corner} 0 0 1 ${corner} ${-corner}H${width - corner}` +
      `a${corner} ${corner} 0 0 1 ${corner} ${corner}V${height - corner}a${corner} ${corner} 0 0 1 ${-corner} ${corner}` +
      `H${corner}a${corner} ${corner} 0 0 1 ${-corner} ${-corner}Z`;
    const r = this.radius;
    for (let cell = 0; cell < game.columns * game.rows; cell++) {
      const [x, y] = this.centre(cell);
      path += `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    }
    svg("path", { d: path, fill: `url(#${this.id}-plate)`, "fill-rule": "evenodd" }, root);
    const rims = svg("g", { class: "rims" }, root);
    for (let cell = 0; cell < game.columns * game.rows; cell++) {
      const [cx, cy] = this.centre(cell); // a crescent, so that the shadow thins out to both sides
      svg("path", { d: `M${cx - r} ${cy}a${r} ${r} 0 0 1 ${2 * r} 0a${r} ${r - 2} 0 0 0 ${-2 * r} 0Z`, class: "rim" }, rims);
    }
    this.band = svg("path", { class: "band", "fill-rule": "evenodd" }, root);
    this.marks = svg("g", {}, root);
    this.ghost = svg("g", { class: "ghosts" }, root);
    this.told = svg("g", { class: "told-line" }, root);
  }

  // Where stones stay where they are put, a move is a cell: each carries its number.
  drawCellNumbers(game) {
    const numbers = this.cellNumbers = svg("g", { class: "cell-numbers" }, this.root);
    for (let cell = 0; cell < game.columns * game.rows; cell++) {
      const [x, y] = this.centre(cell);
      svg("text", { x, y: y + 4.5, "text-anchor": "middle" }, numbers).textContent = cell + 1;
    }
  }

  drawNumbers(game, p) {
    const row = html("div", "numbers", this.host);
    row.setAttribute("aria-hidden", "true");
    row.style.padding = `0 ${this.pad}px`;
    for (const column of this.inSight([...Array(game.columns).keys()])) {
      const number = html("span", "", row);
      number.style.width = `${p}px`;
      number.textContent = column + 1;
    }
    this.numbers = this.inSight([...row.children]);
  }

  // Columns as they are seen, from the left: the other way round on a board that was turned.
  inSight(columns) { return this.state.flipped ? columns.reverse() : columns; }

  makeButtons(game, p) {
    const count = game.gravity ? game.columns : game.columns * game.rows;
    return Array.from({ length: count }, (_, move) => {
      const button = html("button", "move", this.grid);
      button.type = "button";
      button.dataset.move = move;
      const [left, top] = this.centre(move).map((c) => c - p / 2 + 2);
      const [x, y] = [left, game.gravity ? 6 : top];
      Object.assign(button.style, {
        left: `${x}px`, top: `${y}px`, width: `${p - 4}px`,
        height: `${game.gravity ? this.height - 12 : p - 4}px`,
      });
      button.addEventListener("click", () => this.choose(move));
      button.addEventListener("pointerenter", () => this.hover(move));
      button.addEventListener("pointerleave", () => this.hover(null));
      button.addEventListener("focus", () => { this.focused = move; this.hover(button.matches(":focus-visible") ? move : null); });
      button.addEventListener("blur", () => this.hover(null));
      return button;
    });
  }

  centre(cell) {
    const { game, pitch, flipped } = this.state;
    const column = cell % game.columns;
    return [
      this.pad + ((flipped ? game.columns - 1 - column : column) + 0.5) * pitch,
      this.pad + (Math.floor(cell / game.columns) + 0.5) * pitch,
    ];
  }

  // `discs` (0, 1 or 2 for each cell) takes the place of moves where a board is set up by hand.
  updateDiscs({ game, moves, discs }) {
    const placed = discs ? [...discs.keys()].filter((cell) => discs[cell]) : [];
    const cells = discs ? placed : cellsOf(game, moves);
    const sides = discs ? placed.map((cell) => discs[cell] - 1) : cells.map((_, index) => index % 2);
    const known = this.cells;
    let same = 0;
    while (same < cells.length && same < known.length && cells[same] === known[same] && sides[same] === this.sides[same]) same++;
    const animate = known.length > 0 || cells.length <= 1;
    const steps = Math.max(cells.length, known.length) - same;
    for (const cell of known.slice(same)) this.lift(cell, animate && steps <= 2 && cells.length === same);
    cells.slice(same).forEach((cell, index) => {
      this.drop(cell, sides[same + index], animate && steps <= 2 && known.length === same);
    });
    this.cells = cells;
    this.sides = sides;
  }

  drop(cell, side, animate) {
    const [x, y] = this.centre(cell);
    const outer = svg("g", { transform: `translate(${x} ${y})` }, this.fallen);
    const group = svg("g", { class: "disc" }, outer);
    drawDisc(group, side, this.radius);
    this.discs.set(cell, outer);
    if (!animate || REDUCED.matches) return;
    if (!this.state.game.gravity) {
      group.animate([{ transform: "scale(.6)", opacity: 0 }, { transform: "none", opacity: 1 }],
        { duration: 120, easing: "cubic-bezier(.2,.8,.2,1)" });
      return;
    }
    const row = Math.floor(cell / this.state.game.columns);
    const fall = 90 + 35 * row;
    this.marks.animate([{ opacity: 0 }, { opacity: 0 }], { duration: fall }); // none before it lies
    const whole = fall + 60;
    group.animate(
      [
        { transform: `translateY(${-y - this.radius}px)`, easing: "cubic-bezier(.5,0,.9,.6)", offset: 0 },
        { transform: "none", easing: "ease-out", offset: fall / whole },
        { transform: "translateY(-3px)", easing: "ease-in", offset: (fall + 30) / whole },
        { transform: "none", offset: 1 },
      ],
      { duration: whole },
    );
  }

  lift(cell, animate) {
    const outer = this.discs.get(cell);
    this.discs.delete(cell);
    if (!outer) return;
    if (!animate || REDUCED.matches) return outer.remove();
    const [, y] = this.centre(cell);
    const target = this.state.game.gravity ? `translateY(${-y - this.radius}px)` : "scale(.6)";
    outer.firstChild.animate([{ transform: "none" }, { transform: target }], { duration: 120, easing: "ease-in" })
      .finished.then(() => outer.remove(), () => outer.remove());
  }

  updateMarks({ line, pitch, hint }) {
    const r = this.radius;
    this.marks.replaceChildren();
    const won = new Set(line);
    for (const [cell, group] of this.discs)
      group.classList.toggle("faded", won.size > 0 && !won.has(cell));
    if (this.cellNumbers) // a faded disc would let its cell's number through
      [...this.cellNumbers.children].forEach((number, cell) => { number.style.display = this.discs.has(cell) ? "none" : ""; });
    if (won.size) {
      for (const ends of this.lines(line)) {
        const [[x1, y1], [x2, y2]] = ends.map((cell) => this.centre(cell));
        svg("line", { x1, y1, x2, y2, class: "win-line", "stroke-width": 0.1 * pitch }, this.marks);
      }
      for (const cell of won) {
        const [cx, cy] = this.centre(cell);
        svg("circle", { cx, cy, r: r + 1, class: "ring", "stroke-width": 3.5 }, this.marks);
        svg("circle", { cx, cy, r: r * 0.2, class: "win-dot" }, this.marks);
      }
    } else if (this.cells.length && !this.state.discs) {
      const [cx, cy] = this.centre(this.cells.at(-1));
      svg("circle", { cx, cy, r: r + 2.5, class: "ring", "stroke-width": 3 }, this.marks);
    }
    drawReview(this, this.state.review);
    this.hinted = hint || [];
    this.hover(this.hovered ?? null);
  }

  // The winning cells lie on one line or several: give the two ends of each.
  lines(cells) {
    const { columns, connect } = this.state.game;
    const all = new Set(cells);
    const found = [];
    for (const [dx, dy] of [[1, 0], [0, 1], [1, 1], [1, -1]]) {
      const next = (cell, n) => {
        const x = (cell % columns) + n * dx;
        const target = cell + n * (dx + dy * columns);
        return x >= 0 && x < columns && all.has(target) ? target : -1;
      };
      for (const cell of cells) {
        if (next(cell, -1) >= 0) continue;
        let length = 1;
        while (next(cell, length) >= 0) length++;
        if (length >= connect) found.push([cell, cell + (length - 1) * (dx + dy * columns)]);
      }
    }
    return found;
  }

  hover(move) {
    this.hovered = move;
    const { game, moves, canPlay, toMove, legal, review } = this.state;
    const open = move !== null && canPlay && legal.includes(move);
    const banded = review ? review.played : open ? move : null;
    this.band.setAttribute("d", banded !== null && game.gravity ? this.bandPath(banded) : "");
    this.ghost.replaceChildren();
    const ghosts = new Set(this.hinted);
    if (open) ghosts.add(move);
    for (const target of ghosts) {
      const cell = landing(game, moves, target);
      if (cell < 0 || !legal.includes(target)) continue;
      const [cx, cy] = this.centre(cell);
      svg("circle", { cx, cy, r: this.radius - 1.5, class: `ghost ghost-${toMove === 0 ? "yellow" : "red"}` }, this.ghost);
    }
    if (this.numbers && game.gravity)
      this.numbers.forEach((number, index) => number.classList.toggle("current", index === banded));
  }

  // The column of a move without its holes: what lies in them keeps its colour.
  bandPath(move) {
    const { game, pitch } = this.state;
    const r = this.radius;
    const [middle] = this.centre(move);
    const [left, right, round] = [middle - pitch / 2 + 2, middle + pitch / 2 - 2, Math.min(14, pitch / 5)];
    const corner = (x, y) => `a${round} ${round} 0 0 1 ${x * round} ${y * round}`;
    let path = `M${left + round} 6H${right - round}${corner(1, 1)}V${this.height - 6 - round}${corner(-1, 1)}` +
      `H${left + round}${corner(-1, -1)}V${6 + round}${corner(1, -1)}Z`;
    for (let row = 0; row < game.rows; row++) {
      const [x, y] = this.centre(row * game.columns + move);
      path += `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    }
    return path;
  }

  updateChips({ chips, game, pitch, compact, review }) {
    if (!game.gravity) return this.updateCellChips(chips);
    if (!this.chipRow) return;
    const key = JSON.stringify([chips, compact, review?.played]);
    if (key === this.chipKey && this.chipRow.children.length) return;
    this.chipKey = key;
    this.chipRow.replaceChildren();
    const made = (chips || []).map((chip) => makeChip(chip, pitch, compact));
    if (review) made[review.played]?.classList.add("played");
    this.chipRow.append(...this.inSight(made));
  }

  updateCellChips(chips) {
    for (const label of this.grid.querySelectorAll(".cell-chip")) label.remove();
    (chips || []).forEach((chip, move) => {
      if (chip.kind === "full") return;
      const small = makeChip(chip, this.radius * 2 + 4, true);
      small.classList.add("cell-chip");
      this.buttons[move].append(small);
    });
  }

  updateButtons({ game, moves, legal, canPlay, chips, toMove }) {
    const side = toMove === 0 ? "Yellow" : "Red";
    this.buttons.forEach((button, move) => {
      const open = legal.includes(move);
      const cell = landing(game, moves, move);
      const row = game.rows - Math.floor(cell / game.columns);
      let label = game.gravity ? `Column ${move + 1}` : `Cell ${move + 1}, row ${Math.floor(move / game.columns) + 1}, column ${(move % game.columns) + 1}`;
      label += open ? (game.gravity ? `, lands on row ${row}` : "") : game.gravity && cell < 0 ? ", full" : "";
      const chip = chips?.[move];
      if (open && chip && chip.kind !== "wait")
        label += `, ${chip.first} ${chip.second || ""}`.trimEnd() + (chip.best ? ", best move" : "");
      if (!game.gravity && !open && this.cells.includes(move))
        label += this.cells.indexOf(move) % 2 === 0 ? ", yellow" : ", red";
      button.setAttribute("aria-label", label);
      button.setAttribute("aria-disabled", String(!(canPlay && open)));
      button.tabIndex = move === this.focused ? 0 : -1;
      button.title = open && chip?.tip ? chip.tip : "";
    });
    this.grid.setAttribute("aria-label", `Board, ${side} to move, ${moves.length} stones`);
  }

  choose(move) {
    const { canPlay, legal } = this.state;
    if (canPlay && legal.includes(move)) this.onPlay(move);
  }

  key(event) {
    const { game, flipped, review } = this.state;
    if (review) return; // there the keys lead along the line
    const steps = flipped ? { ArrowLeft: 1, ArrowRight: -1 } : { ArrowLeft: -1, ArrowRight: 1 };
    if (!game.gravity) Object.assign(steps, { ArrowUp: -game.columns, ArrowDown: game.columns });
    const step = steps[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.focusMove(Math.max(0, Math.min(this.buttons.length - 1, this.focused + step)));
  }

  focusMove(move = this.focused) {
    this.buttons[this.focused].tabIndex = -1;
    this.focused = move;
    this.buttons[move].tabIndex = 0;
    this.buttons[move].focus({ focusVisible: true });
    this.hover(move);
  }
}
