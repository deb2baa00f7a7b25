// An engine of my own: reads lines, answers lines; docs/engines.md has the protocol.
//
// Is it sound?     fourlab check engine:{file}
// How good?        fourlab arena engine:{file} random baseline
const COLUMNS = 7, ROWS = 6;
let moves = [], state = 1;

const below = (limit) => {           // dice that a seed repeats
  state = (state * 48271) % 2147483647;
  return state % limit;
};

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [word, ...rest] = line.trim().split(/\s+/);
  if (word === "fourlab") {
    console.log("id name {file}\nready");
  } else if (word === "game" && !line.startsWith("game columns 7 rows 6 ")) {
    console.log("error I play on 7 columns and 6 rows");
  } else if (word === "isready") {
    console.log("readyok");
  } else if (word === "position") {  // all moves so far, columns from 1
    moves = [...rest.join("")].map(Number);
  } else if (word === "seed") {
    state = Number(BigInt(rest[0]) % 2147483646n) + 1;
  } else if (word === "go") {
    const open = [];
    for (let c = 1; c <= COLUMNS; c++)
      if (moves.filter((move) => move === c).length < ROWS) open.push(c);
    console.log("bestmove " + open[below(open.length)]);
  } else if (word === "quit") {
    process.exit(0);
  }
});
