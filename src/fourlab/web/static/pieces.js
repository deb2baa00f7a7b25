// What boards are made of: discs, chips, where moves land, and small pictures of positions.

const SVG = "http://www.w3.org/2000/svg";

export function svg(tag, attributes = {}, parent = null) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

export function html(tag, className, parent) {
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

const WORDY = 34; // pixels a column from which a word fits above it

// What of a chip can be read above a narrow column: the number of a share, the initial of a word, else its colour alone.
function brief({ kind, first }) {
  if (kind === "full") return "";
  return /^\d+%$/.test(first) ? first.slice(0, -1) : /^[A-Za-z…]/.test(first) ? first[0] : "";
}

export function makeChip(chip, pitch, compact) {
  const element = html("div", `chip chip-${chip.kind}${chip.best ? " best" : ""}`);
  const gap = pitch < 44 ? 2 : compact ? 4 : 8;
  element.style.width = `${pitch - gap}px`;
  element.style.margin = `0 ${gap / 2}px`;
  element.classList.toggle("tight", pitch < 44);
  const isWordy = pitch >= WORDY;
  if (chip.tip || !isWordy) element.title = chip.tip ?? `${chip.first} ${chip.second ?? ""}`.trimEnd();
  html("b", "", element).textContent = isWordy ? chip.first : brief(chip);
  if (chip.second && isWordy) html("span", "", element).textContent = chip.second;
  if (chip.share !== undefined) {
    const bar = html("i", "", element);
    bar.style.width = `${chip.share * 100}%`;
  }
  if (chip.back) Object.assign(element.style, { background: chip.back, color: chip.ink });
  return element;
}

// The largest pitch at which a board of this size fits, a multiple of 4 where there is room.
export function pitchFor(game, width, height) {
  const narrow = (width - 24) / game.columns;
  const across = narrow < 76 ? narrow : (width - 32) / game.columns;
  const down = height / (game.rows + 0.4);
  const room = Math.min(across, down, 96);
  if (room >= 44) return Math.floor(room / 4) * 4;
  return Math.max(24, Math.min(44, Math.floor((width - 16) / game.columns)));
}

export const padOf = (pitch) => (pitch < 60 ? 8 : pitch < 76 ? 12 : 16);

// As wide as a phone held upright, pads of 8 left out; a tall board is as high as it, as far as fingers allow.
export function pitchOnPhone(game, width, height) {
  const pads = 2 * (padOf(width / game.columns) - 8);
  const [across, down] = [(width - pads) / game.columns, Math.max(36, height / game.rows)];
  return Math.max(24, Math.floor(Math.min(across, down, 96)));
}
