// The exact value of a game, move by move: bands for win and loss, a line, blunders to click.

import { svg } from "fourlab/pieces.js";

const LEFT = 40, BOTTOM = 32, TOP = 6, RIGHT = 12;

export class ValueGraph {
  constructor(host, { onLook }) {
    this.host = host;
    this.onLook = onLook;
    host.classList.add("value-graph");
    host.tabIndex = 0;
    host.setAttribute("role", "slider");
    host.setAttribute("aria-valuemin", 0);
    host.addEventListener("keydown", (event) => this.key(event));
  }

  // Arrow keys lead along the game.
  key(event) {
    const { at, points } = this.graph ?? {};
    const places = { ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1, Home: 0, End: points?.length - 1 };
    if (!(event.key in places) || !points) return;
    event.preventDefault();
    event.stopPropagation();
    if (points[places[event.key]] !== undefined) this.onLook(places[event.key]);
  }

  // graph: points (height and words, or null), blunders, at
  update(graph, width, height) {
    if (!graph.points) return;
    this.graph = graph;
    const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true" });
    this.host.setAttribute("aria-label", describe(graph));
    this.host.setAttribute("aria-valuemax", graph.points.length - 1);
    this.host.setAttribute("aria-valuenow", graph.at);
    this.host.setAttribute("aria-valuetext", `after move ${graph.at}: ${graph.points[graph.at]?.words ?? "not known"}`);
    const inner = height - BOTTOM - TOP;
    const last = Math.max(1, graph.points.length - 1);
    const x = (stones) => LEFT + (stones / last) * (width - LEFT - RIGHT);
    const y = (value) => TOP + inner / 2 - (value * inner) / 2;
    this.bands(root, width, inner);
    this.axis(root, x, height, last);
    for (const { move, own } of graph.blunders)
      svg("line", { x1: x(move), x2: x(move), y1: TOP, y2: TOP + inner, class: own ? "blunder-line" : "blunder-line theirs" }, root);
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
      svg("text", { x: x(stones), y: height - 6, class: "axis", "text-anchor": "middle" }, root).textContent = stones;
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
    const blunder = graph.blunders.find((one) => one.move === stones);
    const group = svg("g", { class: "value-point" }, root);
    svg("circle", { cx, cy, r: 11, class: "catch" }, group);
    if (blunder) {
      const kind = blunder.own ? "" : " theirs";
      if (stones === graph.at) svg("circle", { cx, cy, r: 12.5, class: "here" }, group);
      svg("circle", { cx, cy, r: blunder.own ? 9 : 8, class: `blunder${kind}` }, group);
      svg("text", { x: cx, y: cy + 4.5, class: `blunder-mark${kind}`, "text-anchor": "middle" }, group).textContent = "!";
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
