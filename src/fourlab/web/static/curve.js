// Charts that grow: raw values faint, smoothed on top, the interval as a band; further runs dashed.

import { svg } from "fourlab/board.js";

const LEFT = 44, RIGHT = 14, TOP = 10, BOTTOM = 24;
const GAMES = 0, RAW = 1, LEVEL = 2, HALF = 3, SECONDS = 4; // of a point

export function short(number) {
  if (number >= 1e6) return `${+(number / 1e6).toFixed(1)}M`;
  return number >= 1e3 ? `${+(number / 1e3).toFixed(number < 1e4 ? 1 : 0)}k` : String(Math.round(number));
}

export const percent = (share) => `${Math.round(share * 100)}%`;

// A round number that is not passed until the next: axes stay still in between.
function limit(number) {
  const base = 10 ** Math.floor(Math.log10(Math.max(1, number)));
  return [1, 2, 4, 5, 8, 10].map((step) => step * base).find((one) => one >= number);
}

// points: [games, share, smoothed, half of the interval, seconds]; further: [{ title, points }];
// options: kind, reference, title of the first, bySeconds
export function drawCurve(host, points, { width, height, kind = "win", reference = null, label = "", title = "", further = [], bySeconds = false }) {
  const axis = bySeconds ? SECONDS : GAMES;
  const lines = [{ title, points }, ...further].filter((line) => line.points.length);
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const most = limit(Math.max(bySeconds ? 10 : 100, ...lines.map((line) => line.points.at(-1)[axis])));
  const highest = Math.max(0, ...lines.flatMap((line) => line.points.map((point) => point[RAW])));
  const top = kind === "win" ? 1 : Math.min(1, Math.max(0.2, Math.ceil(highest * 5) / 5));
  const inner = height - TOP - BOTTOM;
  const x = (at) => LEFT + (at / most) * (width - LEFT - RIGHT);
  const y = (share) => TOP + inner * (1 - Math.min(top, share) / top);
  drawAxes(root, { width, height, top, most, x, y, steps: kind === "win" ? 4 : 2, unit: bySeconds ? "s" : "games" });
  if (reference !== null) svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(reference), y2: y(reference), class: "reference" }, root);
  lines.forEach((line, number) => drawLine(root, line.points, { x, y, axis, kind, top, number: line.points === points ? 0 : Math.max(1, number) }));
  if (reference !== null) nameReference(root, { width, x, y, reference, lines, axis, most });
  const focused = host.firstChild && host.firstChild === document.activeElement;
  host.redrawn = true; // losing the focus by it is not leaving
  host.replaceChildren(root);
  if (focused) { root.setAttribute("tabindex", "0"); root.focus({ preventScroll: true }); }
  host.redrawn = false;
  explore(host, root, { lines, x, y, axis, width, height, most, unit: bySeconds ? "s" : "games", points });
}

function drawAxes(root, { width, height, top, most, x, y, steps, unit }) {
  for (let step = 0; step <= steps; step++) {
    const share = (top * step) / steps;
    svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share), class: "grid" }, root);
    svg("text", { x: LEFT - 8, y: y(share) + 4, class: "axis", "text-anchor": "end" }, root).textContent = percent(share);
  }
  for (const share of [0, 0.5, 1])
    svg("text", { x: x(most * share), y: height - 5, class: "axis", "text-anchor": share === 1 ? "end" : share ? "middle" : "start" }, root)
      .textContent = share ? `${short(most * share)}${unit === "s" ? " s" : ""}` : `0 ${unit}`;
}

// The name stands over or under its line, wherever the curves leave it more room, and on top of them.
function nameReference(root, { width, y, reference, lines, axis, most }) {
  const near = lines.flatMap((line) => line.points.filter((point) => point[axis] > most * 0.55).map((point) => point[LEVEL]));
  const above = near.filter((share) => share > reference && share < reference + 0.2).length;
  const below = near.filter((share) => share <= reference && share > reference - 0.2).length;
  const under = below < above || reference > 0.9;
  svg("text", { x: width - RIGHT, y: y(reference) + (under ? 16 : -6), class: "reference-label", "text-anchor": "end" }, root)
    .textContent = `perfect play ${percent(reference)}`;
}

function drawLine(root, points, { x, y, axis, kind, top, number }) {
  const path = (index) => points.map((point, at) => `${at ? "L" : "M"}${x(point[axis])} ${y(point[index])}`).join("");
  const clip = (share) => Math.max(0, Math.min(top, share));
  const style = number ? `further-${Math.min(2, number)}` : "";
  if (kind === "win") {
    const upper = points.map((point) => `${x(point[axis])} ${y(clip(point[LEVEL] + point[HALF]))}`);
    const lower = points.map((point) => `${x(point[axis])} ${y(clip(point[LEVEL] - point[HALF]))}`).reverse();
    svg("path", { d: `M${[...upper, ...lower].join("L")}Z`, class: `curve-band ${style}` }, root);
  }
  if (!number) svg("path", { d: path(RAW), class: `curve-raw ${kind}` }, root);
  svg("path", { d: path(LEVEL), class: `curve ${kind} ${style}` }, root);
  const end = points.at(-1);
  svg("circle", { cx: x(end[axis]), cy: y(end[LEVEL]), r: 4.5, class: `curve-end ${kind} ${style}` }, root);
}

// Pointer or arrow keys: a vertical line, hollow dots, and a box with names and values.
function explore(host, root, { lines, x, y, axis, width, height, most, unit, points }) {
  if (!lines.length) return;
  const main = points.length ? points : lines[0].points;
  root.setAttribute("tabindex", "0");
  const mark = svg("g", { class: "curve-mark" }, root);
  const at = (line, where) => line.points.reduce((near, point) => (Math.abs(point[axis] - where) < Math.abs(near[axis] - where) ? point : near));
  const show = (where) => {
    host.at = where;
    mark.replaceChildren();
    if (where === null) return;
    svg("line", { x1: x(where), x2: x(where), y1: TOP, y2: height - BOTTOM }, mark);
    const rows = lines.map((line) => [line.title, at(line, where)]);
    for (const [, point] of rows) svg("circle", { cx: x(point[axis]), cy: y(point[LEVEL]), r: 5 }, mark);
    const head = unit === "s" ? `at ${short(where)} s` : `at ${Math.round(where).toLocaleString("en")} games`;
    const texts = [head, ...rows.map(([title, point]) => `${title ? `${title} ` : ""}${percent(point[LEVEL])}`)];
    const wide = Math.max(...texts.map((text) => text.length)) * 8 + 20;
    const left = x(where) + 10 + wide > width ? Math.max(0, x(where) - 10 - wide) : x(where) + 10;
    const down = Math.min(height - BOTTOM - texts.length * 18 - 14, TOP + 44);
    svg("rect", { x: left, y: down, width: wide, height: texts.length * 18 + 10, rx: 8 }, mark);
    texts.forEach((text, index) => { svg("text", { x: left + 10, y: down + 19 + index * 18, class: index ? "value" : "" }, mark).textContent = text; });
    if (host.said) host.said(texts.join(", "));
  };
  const nearest = (event) => {
    const box = root.getBoundingClientRect();
    const where = ((event.clientX - box.left - LEFT) / (width - LEFT - RIGHT)) * most;
    show(at({ points: main }, where)[axis]);
  };
  root.addEventListener("pointermove", nearest);
  root.addEventListener("pointerdown", nearest);
  root.addEventListener("pointerleave", () => show(null));
  root.addEventListener("blur", () => { if (!host.redrawn) show(null); });
  root.addEventListener("keydown", (event) => {
    const by = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const index = host.at === null || host.at === undefined ? (by < 0 ? main.length : -1) : main.findIndex((point) => point[axis] >= host.at);
    show(main[Math.max(0, Math.min(main.length - 1, index + by))][axis]);
  });
  if (host.at !== null && host.at !== undefined) show(host.at);
}

// shares: of each move; others: hollow bars beside them
export function drawHistogram(host, shares, { width, height, label = "", others = null }) {
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const most = Math.max(0.05, ...shares, ...(others ?? []));
  const slot = (width - LEFT - RIGHT) / shares.length;
  const inner = height - 22 - BOTTOM;
  const wide = others ? slot * 0.42 : slot * 0.8;
  const bar = (share, left, kind, named = true) => {
    const tall = (share / most) * inner;
    svg("rect", { x: left, y: 22 + inner - tall, width: wide, height: tall, rx: 3, class: kind }, root);
    if (named && slot > 26)
      svg("text", { x: left + wide / 2, y: 22 + inner - tall - 6, class: "bar-label", "text-anchor": "middle" }, root).textContent = percent(share);
  };
  shares.forEach((share, index) => {
    const left = LEFT + slot * index + slot * 0.06;
    bar(share, others ? left : left + slot * 0.04, "histogram");
    if (others) bar(others[index], left + slot * 0.46, "histogram hollow", slot > 76);
    svg("text", { x: LEFT + slot * (index + 0.5), y: height - 5, class: "axis", "text-anchor": "middle" }, root).textContent = index + 1;
  });
  svg("line", { x1: LEFT, x2: width - RIGHT, y1: 22 + inner, y2: 22 + inner, class: "grid" }, root);
  host.replaceChildren(root);
}
