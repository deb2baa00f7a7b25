// The colour of a value from -1 to 1, and an ink that can be read on it.

const TOKENS = ["--heat-low", "--heat-zero", "--heat-high"];
const READABLE = 4.6;

function tokens() {
  const style = getComputedStyle(document.documentElement);
  return TOKENS.map((name) => {
    const hex = style.getPropertyValue(name).trim().slice(1);
    return [0, 2, 4].map((at) => parseInt(hex.slice(at, at + 2), 16));
  });
}

function luminance(colour) {
  const [r, g, b] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const INKS = [[[255, 255, 255], "#fff"], [[11, 15, 23], "#0b0f17"]];

// Mixed with exponent 0.9 toward most of the end colour, then moved until the ink is readable.
export function heat(value) {
  const [low, zero, high] = tokens();
  const dark = document.documentElement.dataset.theme === "dark";
  const bounded = Math.max(-1, Math.min(1, value));
  const end = bounded < 0 ? low : high;
  let share = Math.abs(bounded) ** 0.9 * (dark ? 0.95 : 0.92);
  for (let tries = 0; ; tries++) {
    const back = zero.map((part, index) => Math.round(part + (end[index] - part) * share));
    const [ratio, ink] = INKS.map(([colour, name]) => [contrast(back, colour), name]).sort((a, b) => b[0] - a[0])[0];
    if (ratio >= READABLE || tries > 20) return { back: `rgb(${back.join(" ")})`, ink };
    share += share > 0.6 ? 0.03 : -0.03;
  }
}

export function written(value, digits = 2) {
  return (+value.toFixed(digits) || 0).toFixed(digits).replace("-", "−"); // −0 is 0
}
