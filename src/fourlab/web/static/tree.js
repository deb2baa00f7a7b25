// A search tree from left to right: visits as thickness, the column in each node, labels beside it.

import { svg, thumbnail } from "fourlab/board.js";

const NODE = 11, ROW = 34, LABEL = 90;

function layout(root, levels) {
  let next = 0;
  const place = (node, depth) => {
    node.depth = depth;
    levels.deepest = Math.max(levels.deepest, depth);
    if (!node.children.length) { node.y = next++; return; }
    node.children.forEach((child) => place(child, depth + 1));
    node.y = (node.children[0].y + node.children.at(-1).y) / 2;
  };
  place(root, 0);
  return next;
}

export class Tree {
  constructor(host, { onExpand, onPlay }) {
    Object.assign(this, { host, onExpand, onPlay });
    host.classList.add("tree");
    this.preview = document.createElement("div");
    this.preview.className = "tree-preview";
    this.preview.hidden = true;
  }

  // state: game, moves, toMove, tree
  update(state, width) {
    const tree = structuredClone(JSON.parse(JSON.stringify(state.tree)));
    const levels = { deepest: 1 };
    const rows = layout(tree, levels);
    const gap = Math.max(150, (width - 40 - LABEL) / Math.max(3, levels.deepest));
    const total = Math.max(width, 40 + gap * levels.deepest + LABEL);
    const height = Math.max(200, rows * ROW + 12);
    const root = svg("svg", { width: total, height, viewBox: `0 0 ${total} ${height}`, role: "group" });
    root.setAttribute("aria-label", this.describe(tree));
    const edges = svg("g", {}, root);
    const nodes = svg("g", {}, root);
    const held = this.host.contains(document.activeElement) ? this.focused : null;
    this.state = state;
    this.order = [];
    this.most = Math.max(1, tree.visits);
    this.x = (depth) => 18 + gap * depth;
    this.y = (row) => ROW / 2 + 6 + row * ROW;
    this.draw(tree, null, edges, nodes, true);
    this.host.replaceChildren(root, this.preview);
    this.order.sort((one, other) => one.node.depth - other.node.depth || one.y - other.y);
    const known = this.order.find((one) => one.key === this.focused) ?? this.order[0];
    this.order.forEach((one) => one.group.setAttribute("tabindex", one === known ? 0 : -1));
    if (held !== null && known) known.group.focus();
  }

  // Arrow keys walk the tree: right to the first reply, left back, up and down along the rows.
  step(one, key) {
    const rows = this.order.toSorted((a, b) => a.y - b.y || a.x - b.x);
    const same = rows.filter((other) => other.node.depth === one.node.depth);
    const [child] = one.node.children;
    const next = {
      ArrowRight: child && this.order.find((other) => other.node === child),
      ArrowLeft: this.order.find((other) => other.node.children.includes(one.node)),
      ArrowDown: same[same.indexOf(one) + 1],
      ArrowUp: same[same.indexOf(one) - 1],
      Home: rows[0], End: rows.at(-1),
    }[key];
    if (!next) return;
    one.group.setAttribute("tabindex", -1);
    next.group.setAttribute("tabindex", 0);
    this.focused = next.key;
    next.group.focus();
  }

  listen(group, node, x, y, label) {
    const one = { group, node, x, y, key: node.path.join() };
    this.order.push(one);
    group.setAttribute("role", "button");
    group.setAttribute("aria-label", label);
    group.addEventListener("focus", () => { this.focused = one.key; this.show(node, x, y); });
    group.addEventListener("blur", () => { this.preview.hidden = true; });
    group.addEventListener("keydown", (event) => {
      if (event.target !== group || event.ctrlKey || event.altKey || event.metaKey) return;
      if (event.key === "Enter" || event.key === " ") this.onPlay(node.path);
      else if (event.key === "+" && node.hidden) this.onExpand(node.path);
      else if (/^(Arrow|Home|End)/.test(event.key)) this.step(one, event.key);
      else return;
      event.preventDefault();
      event.stopPropagation();
    });
  }

  draw(node, parent, edges, nodes, main) {
    const [x, y] = [this.x(node.depth), this.y(node.y)];
    if (parent) this.edge(edges, parent, node, x, y, main);
    node.children.forEach((child, index) => this.draw(child, node, edges, nodes, main && index === 0));
    this.node(nodes, node, x, y);
  }

  edge(edges, parent, node, x, y, main) {
    const begin = parent.depth === 0 ? this.x(0) + 10 : this.x(parent.depth) + NODE + LABEL - 4;
    const py = this.y(parent.y);
    const bend = begin + (x - NODE - begin) * 0.5;
    const width = Math.max(1.5, 1 + (22 * node.visits) / this.most);
    svg("path", {
      d: `M${begin} ${py}C${bend} ${py} ${bend} ${y} ${x - NODE} ${y}`,
      class: main ? "edge main" : "edge", "stroke-width": Math.min(23, width),
    }, edges);
  }

  node(nodes, node, x, y) {
    const group = svg("g", { transform: `translate(${x} ${y})`, class: "tree-node" }, nodes);
    if (!node.path.length) {
      svg("circle", { r: 14, class: "tree-root" }, group);
      svg("circle", { r: 4, class: "tree-root-dot" }, group);
      if (node.hidden) this.more(group, node, 20, 24);
      return;
    }
    const side = (this.state.toMove + node.path.length - 1) % 2;
    svg("circle", { r: NODE, class: side ? "pill-red" : "pill-yellow" }, group);
    svg("text", { y: 4.5, "text-anchor": "middle", class: side ? "ink-red" : "ink-yellow" }, group).textContent = node.path.at(-1) + 1;
    const label = svg("text", { x: NODE + 7, y: 4.5, class: "tree-label" }, group);
    const visits = svg("tspan", { class: "visits" }, label);
    visits.textContent = node.visits.toLocaleString("en");
    const share = svg("tspan", { dx: 5, class: "share" }, label);
    share.textContent = `${Math.round(node.share * 100)}%${node.proven ? " ✓" : ""}`;
    const said = `${node.visits} visits, ${Math.round(node.share * 100)}% for the side that played it` + (node.proven ? ", proven" : "");
    svg("title", {}, group).textContent = said;
    this.listen(group, node, x, y, `${side ? "Red" : "Yellow"} ${node.path.map((move) => move + 1).join(" ")}: ${said}${node.hidden ? `; plus shows ${node.hidden} more` : ""}`);
    svg("rect", { x: -NODE - 2, y: -NODE - 4, width: LABEL + NODE * 2, height: 2 * NODE + 8, class: "catch" }, group);
    group.addEventListener("click", () => this.onPlay(node.path));
    group.addEventListener("pointerenter", () => this.show(node, x, y));
    group.addEventListener("pointerleave", () => { this.preview.hidden = true; });
    if (node.hidden) this.more(group, node, NODE + 7, 19);
  }

  more(group, node, x, y) {
    const button = svg("g", { class: "tree-more", role: "button", tabindex: node.path.length ? -1 : 0, "aria-label": `Show ${node.hidden} more` }, group);
    svg("rect", { x: x - 4, y: y - 18, width: 64, height: 26, class: "catch" }, button);
    svg("text", { x, y }, button).textContent = `+${node.hidden} more`;
    const open = (event) => { event.stopPropagation(); this.onExpand(node.path); };
    button.addEventListener("click", open);
    button.addEventListener("keydown", (event) => { if (event.key === "Enter" || event.key === " ") { event.preventDefault(); open(event); } });
  }

  show(node, x, y) {
    thumbnail(this.preview, this.state.game, [...this.state.moves, ...node.path], 13);
    const below = y < this.host.clientHeight / 2;
    Object.assign(this.preview.style, { left: `${Math.max(0, x - 50)}px`, top: below ? `${y + 18}px` : "", bottom: below ? "" : `${this.host.clientHeight - y + 18}px` });
    this.preview.hidden = false;
  }

  describe(tree) {
    const best = tree.children[0];
    return best ? `Search tree of ${tree.visits} visits; most visited: ${best.path[0] + 1} with ${best.visits}.` : "Search tree, empty.";
  }
}

// The same as an indented list, for narrow screens and for those who listen.
export function listed(node, depth = 0, rows = []) {
  for (const child of node.children) {
    rows.push({ ...child, depth });
    listed(child, depth + 1, rows);
  }
  return rows;
}
