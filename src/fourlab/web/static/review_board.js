// A turning point on a board: the stone that was wrong, and the line that refutes it as ghosts.

import { cellsOf, drawDisc, svg } from "fourlab/pieces.js";

export const PAGE = 9; // ghosts at once

// review: line (all its moves), shown (how many), four (cells of the line that it ends in), marks
// (cells that the reason speaks of), played (the column or cell of the wrong stone)
export function drawReview(board, review) {
  const group = board.told;
  group.replaceChildren();
  if (!review) return;
  const { game, moves } = board.state;
  const cells = cellsOf(game, [...moves, ...review.line]).slice(moves.length);
  const begin = pageOf(review.shown);
  cells.slice(0, review.shown).forEach((cell, index) => {
    const number = moves.length + index + 1;
    if (index < begin) earlier(board, cell, (number - 1) % 2);
    else ghost(board, cell, (number - 1) % 2, number);
  });
  const isAtEnd = review.shown === review.line.length && review.shown > 0;
  for (const cell of isAtEnd ? review.four : review.shown ? [] : review.marks)
    circle(board, cell, board.radius + 2.5, "ring dashed", { "stroke-width": 3 });
  if (moves.length) wrong(board, cellsOf(game, moves).at(-1));
}

export function pageOf(shown) { return Math.max(0, Math.ceil(shown / PAGE) - 1) * PAGE; }

function circle(board, cell, r, name, more = {}) {
  const [cx, cy] = board.centre(cell);
  return svg("circle", { cx, cy, r, class: name, ...more }, board.told);
}

function earlier(board, cell, side) {
  const [x, y] = board.centre(cell);
  drawDisc(svg("g", { transform: `translate(${x} ${y})`, class: "earlier" }, board.told), side, board.radius);
}

function ghost(board, cell, side, number) {
  const [x, y] = board.centre(cell);
  const name = side === 0 ? "yellow" : "red";
  circle(board, cell, board.radius, "hole");
  circle(board, cell, board.radius - 1.5, `ghost ghost-${name}`);
  circle(board, cell, Math.max(10, 0.17 * board.state.pitch), `badge badge-${name}`);
  svg("text", { x, y: y + 4.5, class: "badge-number", "text-anchor": "middle" }, board.told).textContent = number;
}

function wrong(board, cell) {
  const [x, y] = board.centre(cell);
  const [cx, cy] = [x + board.radius * 0.72, y - board.radius * 0.62];
  svg("circle", { cx, cy, r: 9, class: "wrong" }, board.told);
  svg("text", { x: cx, y: cy + 4.5, class: "blunder-mark", "text-anchor": "middle" }, board.told).textContent = "!";
}
