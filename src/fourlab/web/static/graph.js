// The exact value of a game, move by move: bands for win and loss, a line, blunders to click.

import { svg } from "fourlab/board.js";

const LEFT = 40, BOTTOM = 22, TOP = 6, RIGHT = 12;

export class ValueGraph {
  constructor(host, { onLook }) {
    this.host = host;
    this.onLook = onLook;
    host.classList.add("value-graph");
  }

  // graph: points (height and words, or null), blunders, at
  update(graph, width, height) {
    if (!graph.points) return;
    const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    root.setAttribute("aria-label", describe(graph));
    const inner = height - BOTTOM - TOP;
    const last = Math.max(1, graph.points.length - 1);
    const x = (stones) => LEFT + (stones / last) * (width - LEFT - RIGHT);
    const y = (value) => TOP + inner / 2 - (value * inner) / 2;
    this.bands(root, width, inner);
    this.axis(root, x, height, last);
    for (const blunder of graph.blunders.filter((one) => one.own)) {
      svg("line", { x1: x(blunder.move), x2: x(blunder.move), y1: TOP, y2: TOP + inner, class: "blunder-line" }, root);
    }
    this.line(root, graph.points, x, y);
    graph.points.forEach((point, stones) => point && this.point(root, graph, point, stones, x(stones), y(point.height)));
    this.host.replaceChildren(root);
  }

  bands(root, width, inner) {
    const wide = width - LEFT - RIGHT;
    const band = inner * 0.35;
    svg("rect", { x: LEFT, y: TOP, width: wide, height: band, class: "band-win" }, root);
    svg("rect", { x: LEFT, y: TOP + inner - band, width: wide, height: band, class: "band-loss" }, root);
    const middle = TOP + inner / 2;
    svg("line", { x1: LEFT, x2: LEFT + wide, y1: middle, y2: middle, class: "draw-line" }, root);
    for (const [word, at] of [["Win", TOP + band / 2], ["Draw", middle], ["Loss", TOP + inner - band / 2]])
      svg("text", { x: LEFT - 8, y: at + 4, class: "axis", "text-anchor": "end" }, root).textContent = word;
  }

  axis(root, x, height, last) {
    const step = last <= 8 ? 2 : last <= 20 ? 4 : 8;
    const ticks = [];
    for (let stones = 0; stones < last - step / 2; stones += step) ticks.push(stones);
    ticks.push(last);
    for (const stones of ticks)
      svg("text", { x: x(stones), y: height - 4, class: "axis", "text-anchor": "middle" }, root).textContent = stones;
  }

  line(root, points, x, y) {
    let path = "", pen = "M";
    points.forEach((point, stones) => {
      path += point ? `${pen}${x(stones)} ${y(point.height)}` : "";
      pen = point ? "L" : "M";
    });
    svg("path", { d: path, class: "value-line" }, root);
  }

  point(root, graph, point, stones, cx, cy) {
    const blunder = graph.blunders.find((one) => one.move === stones && one.own);
    const group = svg("g", { class: "value-point", tabindex: -1 }, root);
    svg("circle", { cx, cy, r: 11, class: "catch" }, group);
    if (blunder) {
      svg("circle", { cx, cy, r: 9, class: "blunder" }, group);
      svg("text", { x: cx, y: cy + 4.5, class: "blunder-mark", "text-anchor": "middle" }, group).textContent = "!";
      if (stones === graph.at) svg("circle", { cx, cy, r: 11, class: "here-ring" }, group);
    } else svg("circle", { cx, cy, r: stones === graph.at ? 5 : 2.5, class: stones === graph.at ? "here" : "dot" }, group);
    svg("title", {}, group).textContent = `after move ${stones}: ${point.words}`;
    group.addEventListener("click", () => this.onLook(stones));
  }
}

function describe(graph) {
  const known = graph.points.filter(Boolean);
  const now = graph.points[graph.at];
  const said = now ? `now ${now.words}` : "not known now";
  return `Value over ${graph.points.length - 1} moves, ${graph.owner}: ${said}, ` +
    `${graph.blunders.length} blunders, ${known.length} positions solved.`;
}
