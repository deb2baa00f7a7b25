// A line chart that grows: raw values faint, smoothed on top, the interval as a band.

import { svg } from "fourlab/board.js";

const LEFT = 44, RIGHT = 12, TOP = 10, BOTTOM = 24;

export function short(number) {
  if (number >= 1e6) return `${+(number / 1e6).toFixed(1)}M`;
  return number >= 1e3 ? `${+(number / 1e3).toFixed(number < 1e4 ? 1 : 0)}k` : String(Math.round(number));
}

// A round number that is not passed until the next: axes stay still in between.
function limit(number) {
  const base = 10 ** Math.floor(Math.log10(Math.max(1, number)));
  return [1, 2, 4, 5, 8, 10].map((step) => step * base).find((one) => one >= number);
}

// points: [games, share, smoothed, half of the interval]; options: kind, reference, top
export function drawCurve(host, points, { width, height, kind = "win", reference = null, label = "" }) {
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const most = limit(points.length ? points.at(-1)[0] : 100);
  const top = kind === "win" ? 1 : Math.max(0.2, Math.ceil(Math.max(0, ...points.map((point) => point[1])) * 5) / 5);
  const inner = height - TOP - BOTTOM;
  const x = (games) => LEFT + (games / most) * (width - LEFT - RIGHT);
  const y = (share) => TOP + inner * (1 - share / top);
  const steps = kind === "win" ? 4 : 2;
  for (let step = 0; step <= steps; step++) {
    const share = (top * step) / steps;
    svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share), class: "grid" }, root);
    svg("text", { x: LEFT - 8, y: y(share) + 4, class: "axis", "text-anchor": "end" }, root).textContent = `${Math.round(share * 100)}%`;
  }
  for (const share of [0, 0.5, 1])
    svg("text", { x: x(most * share), y: height - 5, class: "axis", "text-anchor": share === 1 ? "end" : share ? "middle" : "start" }, root)
      .textContent = share ? short(most * share) : "0 games";
  if (reference !== null) {
    svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(reference), y2: y(reference), class: "reference" }, root);
    svg("text", { x: LEFT + 6, y: y(reference) - 6, class: "reference-label" }, root).textContent = `perfect play ${Math.round(reference * 100)}%`;
  }
  if (points.length) drawLines(root, points, x, y, kind, top);
  host.replaceChildren(root);
}

function drawLines(root, points, x, y, kind, top) {
  const path = (index) => points.map((point, at) => `${at ? "L" : "M"}${x(point[0])} ${y(point[index])}`).join("");
  const clip = (share) => Math.max(0, Math.min(top, share));
  if (kind === "win") {
    const upper = points.map((point) => `${x(point[0])} ${y(clip(point[2] + point[3]))}`);
    const lower = points.map((point) => `${x(point[0])} ${y(clip(point[2] - point[3]))}`).reverse();
    svg("path", { d: `M${[...upper, ...lower].join("L")}Z`, class: "curve-band" }, root);
  }
  svg("path", { d: path(1), class: `curve-raw ${kind}` }, root);
  svg("path", { d: path(2), class: `curve ${kind}` }, root);
  const end = points.at(-1);
  svg("circle", { cx: x(end[0]), cy: y(end[2]), r: 4.5, class: `curve-end ${kind}` }, root);
}

export function drawHistogram(host, shares, { width, height, label = "" }) {
  const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label });
  const most = Math.max(0.05, ...shares);
  const slot = (width - LEFT - RIGHT) / shares.length;
  const inner = height - 22 - BOTTOM;
  shares.forEach((share, index) => {
    const tall = (share / most) * inner;
    const [left, top] = [LEFT + slot * index + slot * 0.1, 22 + inner - tall];
    svg("rect", { x: left, y: top, width: slot * 0.8, height: tall, rx: 3, class: "histogram" }, root);
    svg("text", { x: left + slot * 0.4, y: top - 6, class: "bar-label", "text-anchor": "middle" }, root).textContent = `${Math.round(share * 100)}%`;
    svg("text", { x: left + slot * 0.4, y: height - 5, class: "axis", "text-anchor": "middle" }, root).textContent = index + 1;
  });
  svg("line", { x1: LEFT, x2: width - RIGHT, y1: 22 + inner, y2: 22 + inner, class: "grid" }, root);
  host.replaceChildren(root);
}
