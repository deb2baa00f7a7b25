// A board of any size: plate, discs that fall behind it, chips above the columns, a button for each
// move. Framework-free. `update(state)` may be called as often as one likes; it draws differences.

const SVG = "http://www.w3.org/2000/svg";
const REDUCED = matchMedia("(prefers-reduced-motion: reduce)");
let boards = 0;

export function svg(tag, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

function html(tag, className, parent) {
  const element = document.createElement(tag);
  element.className = className;
  parent?.append(element);
  return element;
}

// The marks that tell the sides apart without colour: a ring, and a dot.
export function drawDisc(group, side, radius) {
  const name = side === 0 ? "yellow" : "red";
  const tiny = radius < 6.5;
  svg("circle", { r: radius - (tiny ? 0 : 0.75), class: `disc-${name}`, "stroke-width": tiny ? 0 : 1.5 }, group);
  if (side === 0 && tiny) svg("circle", { r: radius * 0.4, class: "mark-yellow-solid" }, group);
  else if (side === 0) {
    const width = Math.max(1, radius * 0.085);
    svg("circle", { r: radius * 0.56, class: "mark-yellow", "stroke-width": width }, group);
  } else if (!tiny) svg("circle", { r: radius * 0.22, class: "mark-red" }, group);
}

// The cell of each move, counted row by row from the top left; columns fill from the bottom.
export function cellsOf(game, moves) {
  if (!game.gravity) return [...moves];
  const heights = new Array(game.columns).fill(0);
  return moves.map((column) => (game.rows - 1 - heights[column]++) * game.columns + column);
}

export function landing(game, moves, move) {
  if (!game.gravity) return move;
  const height = moves.filter((column) => column === move).length;
  return height < game.rows ? (game.rows - 1 - height) * game.columns + move : -1;
}

// A picture of a position, a few pixels a cell.
export function thumbnail(host, game, moves, pitch = 9) {
  const pad = Math.max(2, pitch * 0.2);
  const [width, height] = [game.columns * pitch + 2 * pad, game.rows * pitch + 2 * pad];
  host.replaceChildren();
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" }, host);
  svg("rect", { width, height, rx: Math.min(6, pitch * 0.3), class: "thumb-plate" }, root);
  const played = new Map(cellsOf(game, moves).map((cell, index) => [cell, index % 2]));
  for (let cell = 0; cell < game.columns * game.rows; cell++) {
    const x = pad + ((cell % game.columns) + 0.5) * pitch;
    const y = pad + (Math.floor(cell / game.columns) + 0.5) * pitch;
    const group = svg("g", { transform: `translate(${x} ${y})` }, root);
    if (played.has(cell)) drawDisc(group, played.get(cell), pitch * 0.405);
    else svg("circle", { r: pitch * 0.38, class: "hole" }, group);
  }
}

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

  // state: game, moves, legal, line, toMove, canPlay, chips, hint, pitch, labels, compact
  update(state) {
    this.state = state;
    const { game, pitch } = state;
    const shape = [game.columns, game.rows, game.gravity, pitch, state.showChips].join();
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
    this.pad = p < 60 ? 8 : p < 76 ? 12 : 16;
    this.radius = 0.405 * p;
    this.width = game.columns * p + 2 * this.pad;
    this.height = game.rows * p + 2 * this.pad;
    this.host.replaceChildren();
    this.cells = [];
    this.discs = new Map();
    this.host.style.width = `${this.width}px`;
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
      const [cx, cy] = this.centre(cell);
      svg("path", { d: `M${cx - r} ${cy}a${r} ${r} 0 0 1 ${2 * r} 0`, class: "rim" }, rims);
    }
    this.band = svg("path", { class: "band", "fill-rule": "evenodd" }, root);
    this.marks = svg("g", {}, root);
    this.ghost = svg("g", { class: "ghosts" }, root);
  }

  drawNumbers(game, p) {
    const row = html("div", "numbers", this.host);
    row.setAttribute("aria-hidden", "true");
    row.style.padding = `0 ${this.pad}px`;
    for (let column = 0; column < game.columns; column++) {
      const number = html("span", "", row);
      number.style.width = `${p}px`;
      number.textContent = column + 1;
    }
    this.numbers = row.children;
  }

  makeButtons(game, p) {
    const count = game.gravity ? game.columns : game.columns * game.rows;
    return Array.from({ length: count }, (_, move) => {
      const button = html("button", "move", this.grid);
      button.type = "button";
      button.dataset.move = move;
      const [x, y] = game.gravity ? [this.pad + move * p + 2, 6] : this.centre(move).map((c) => c - p / 2 + 2);
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
    const { game, pitch } = this.state;
    return [
      this.pad + ((cell % game.columns) + 0.5) * pitch,
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
    const { game, moves, canPlay, toMove, legal, pitch } = this.state;
    const open = move !== null && canPlay && legal.includes(move);
    const showBand = open && game.gravity;
    this.band.setAttribute("d", showBand ? this.bandPath(move) : "");
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
      [...this.numbers].forEach((number, index) => number.classList.toggle("current", open && index === move));
  }

  // The column of a move without its holes: what lies in them keeps its colour.
  bandPath(move) {
    const { game, pitch } = this.state;
    const r = this.radius;
    const [left, right, round] = [this.pad + move * pitch + 2, this.pad + (move + 1) * pitch - 2, Math.min(14, pitch / 5)];
    const corner = (x, y) => `a${round} ${round} 0 0 1 ${x * round} ${y * round}`;
    let path = `M${left + round} 6H${right - round}${corner(1, 1)}V${this.height - 6 - round}${corner(-1, 1)}` +
      `H${left + round}${corner(-1, -1)}V${6 + round}${corner(1, -1)}Z`;
    for (let row = 0; row < game.rows; row++) {
      const [x, y] = this.centre(row * game.columns + move);
      path += `M${x - r} ${y}a${r} ${r} 0 1 0 ${2 * r} 0a${r} ${r} 0 1 0 ${-2 * r} 0Z`;
    }
    return path;
  }

  updateChips({ chips, game, pitch, legal, compact }) {
    if (!game.gravity) return this.updateCellChips(chips);
    if (!this.chipRow) return;
    const key = JSON.stringify([chips, compact]);
    if (key === this.chipKey && this.chipRow.children.length) return;
    this.chipKey = key;
    this.chipRow.replaceChildren();
    (chips || []).forEach((chip) => this.chipRow.append(makeChip(chip, pitch, compact)));
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
      let label = game.gravity ? `Column ${move + 1}` : `Cell ${move + 1}`;
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
    const { game } = this.state;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
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

export function makeChip(chip, pitch, compact) {
  const element = html("div", `chip chip-${chip.kind}${chip.best ? " best" : ""}`);
  element.style.width = `${pitch - (compact ? 4 : 8)}px`;
  element.style.margin = `0 ${compact ? 2 : 4}px`;
  if (chip.tip) element.title = chip.tip;
  html("b", "", element).textContent = chip.first;
  if (chip.second) html("span", "", element).textContent = chip.second;
  if (chip.share !== undefined) {
    const bar = html("i", "", element);
    bar.style.width = `${chip.share * 100}%`;
  }
  if (chip.back) Object.assign(element.style, { background: chip.back, color: chip.ink });
  return element;
}
