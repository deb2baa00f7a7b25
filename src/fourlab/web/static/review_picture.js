// A picture of a turning point to send: 1200 x 630, drawn here, so that no server keeps it.

import { cellsOf } from "fourlab/pieces.js";

const [WIDTH, HEIGHT, MARGIN] = [1200, 630, 56];
const COLOURS = ["yellow", "red"];

// picture: game, moves, line, four, flipped, title, change, reason, address
export function drawPicture(picture) {
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [WIDTH, HEIGHT];
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(document.documentElement);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  pen.fillStyle = token("bg");
  pen.fillRect(0, 0, WIDTH, HEIGHT);
  const wide = drawBoard(pen, token, picture);
  drawWords(pen, token, picture, MARGIN + wide + 56);
  return canvas;
}

function drawBoard(pen, token, { game, moves, line, four, flipped }) {
  const p = Math.min((HEIGHT - 2 * MARGIN) / (game.rows + 0.4), 600 / (game.columns + 0.4));
  const [width, height] = [(game.columns + 0.4) * p, (game.rows + 0.4) * p];
  const [left, top, r] = [MARGIN, (HEIGHT - height) / 2, 0.405 * p];
  const shade = pen.createLinearGradient(0, top, 0, top + height);
  [["0", "board-hi"], ["0.08", "board"], ["1", "board-lo"]].forEach(([at, name]) => shade.addColorStop(Number(at), token(name)));
  pen.fillStyle = shade;
  pen.beginPath();
  pen.roundRect(left, top, width, height, Math.min(24, 0.3 * p));
  pen.fill();
  const cells = cellsOf(game, [...moves, ...line]);
  const played = new Map(cells.map((cell, index) => [cell, index]));
  for (let cell = 0; cell < game.columns * game.rows; cell++) {
    const column = cell % game.columns;
    const x = left + (0.2 + (flipped ? game.columns - 1 - column : column) + 0.5) * p;
    const y = top + (0.2 + Math.floor(cell / game.columns) + 0.5) * p;
    const index = played.get(cell);
    disc(pen, token, x, y, r, index, index >= moves.length);
    if (index === moves.length - 1) ring(pen, x, y, r + 3, []);
    if (four.includes(cell)) ring(pen, x, y, r + 3, [9, 6]);
  }
  return width;
}

function disc(pen, token, x, y, r, index, isGhost) {
  const name = COLOURS[index % 2];
  round(pen, x, y, r, token("hole"));
  if (index === undefined) return;
  pen.globalAlpha = isGhost ? 0.3 : 1;
  round(pen, x, y, r, token(name));
  pen.globalAlpha = 1;
  pen.lineWidth = 2.5;
  pen.setLineDash(isGhost ? [7, 5] : []);
  pen.strokeStyle = isGhost && index % 2 ? token("red") : token(`${name}-edge`);
  pen.beginPath();
  pen.arc(x, y, r - 1.5, 0, 7);
  pen.stroke();
  pen.setLineDash([]);
  if (isGhost) {
    round(pen, x, y, r * 0.46, "#fff");
    pen.fillStyle = "#141925";
    pen.font = `700 ${Math.round(r * 0.5)}px ${token("sans")}`;
    pen.textAlign = "center";
    pen.fillText(index + 1, x, y + r * 0.18);
    pen.textAlign = "left";
  } else if (index % 2 === 0) {
    pen.strokeStyle = token("yellow-mark");
    pen.lineWidth = r * 0.085;
    pen.beginPath();
    pen.arc(x, y, r * 0.56, 0, 7);
    pen.stroke();
  } else round(pen, x, y, r * 0.22, token("red-mark"));
}

function round(pen, x, y, r, fill) {
  pen.fillStyle = fill;
  pen.beginPath();
  pen.arc(x, y, r, 0, 7);
  pen.fill();
}

function ring(pen, x, y, r, dash) {
  pen.strokeStyle = "#fff";
  pen.lineWidth = 4;
  pen.setLineDash(dash);
  pen.beginPath();
  pen.arc(x, y, r, 0, 7);
  pen.stroke();
  pen.setLineDash([]);
}

function drawWords(pen, token, { title, change, reason, address }, left) {
  const wide = WIDTH - left - MARGIN;
  let y = 150;
  for (const [text, size, weight, colour, after] of [
    [title, 40, 700, "text", 24], [change, 28, 500, "text-2", 20], [reason, 26, 400, "text-2", 0],
  ]) {
    pen.font = `${weight} ${size}px ${token("sans")}`;
    pen.fillStyle = token(colour);
    for (const line of wrapped(pen, text, wide)) pen.fillText(line, left, (y += size * 1.3));
    y += after;
  }
  pen.font = `700 24px ${token("sans")}`;
  pen.fillStyle = token("text");
  pen.fillText("fourlab", left, HEIGHT - MARGIN - 36);
  pen.font = `400 20px ${token("mono")}`;
  pen.fillStyle = token("text-3");
  pen.fillText(wrapped(pen, address.replace(/^https?:\/\//, ""), wide)[0], left, HEIGHT - MARGIN);
}

function wrapped(pen, text, wide) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const longer = `${lines.at(-1)} ${word}`.trim();
    if (pen.measureText(longer).width <= wide || !lines.at(-1)) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

// Give the picture to the system's sheet where there is one, else save it; say what was done.
export async function sendPicture(picture) {
  const blob = await new Promise((done) => drawPicture(picture).toBlob(done, "image/png"));
  const file = new File([blob], "fourlab.png", { type: "image/png" });
  if (matchMedia("(pointer: coarse)").matches && navigator.canShare?.({ files: [file] })) {
    try {
      await navigator.share({ files: [file], text: picture.title, url: picture.address });
      return "";
    } catch (error) { if (error.name === "AbortError") return ""; }
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = "fourlab.png";
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
  return "Saved as fourlab.png";
}
