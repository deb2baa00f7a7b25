// The values of a learner's turns, one row each; where stones stay where they are put, one board each.

import { Disc, Thumbnail } from "fourlab/kit.js";
import { heat, written } from "fourlab/heat.js";

const WIDEST = 60; // pixels of a cell
const ROOMY = 47; // below that the thumbnails go, so that cells are wider
const TIGHT = 6; // from so many columns on gaps are narrow
const NUMBER = 24; // pixels of a move's number
const WIDEST_TEXTS = ["−0.00", "−.00", "−.0"]; // whole, without the zero, with one digit

export const HeatTable = {
  props: { rows: Array, game: Object, changed: Object, scale: Number, theme: Number },
  components: { Disc, Thumbnail },
  data() { return { room: 0 }; },
  mounted() {
    this.observer = new ResizeObserver(() => { this.room = this.$el.clientWidth; });
    this.observer.observe(this.$el);
    this.toLastRow();
  },
  beforeUnmount() { this.observer.disconnect(); },
  watch: { rows: { handler() { this.toLastRow(); }, flush: "post" } },
  computed: {
    gap() { return this.room < 360 || this.game.columns > TIGHT ? 2 : 4; },
    pitch() { return this.game.columns > 5 ? 7 : 9; },
    thumbnails() { return this.game.gravity && this.widthBeside(this.game.columns * this.pitch + 4 + this.gap) >= ROOMY; },
    width() { return this.widthBeside(this.thumbnails ? this.game.columns * this.pitch + 4 + this.gap : 0); },
    brevity() {
      const ink = document.createElement("canvas").getContext("2d");
      ink.font = `700 13px ${getComputedStyle(document.body).fontFamily}`;
      const found = WIDEST_TEXTS.findIndex((text) => ink.measureText(text).width <= this.width);
      return found < 0 ? WIDEST_TEXTS.length - 1 : found;
    },
    lines() { return this.game.gravity ? 1 : this.game.rows; },
    turns() {
      return this.theme >= 0 && this.rows.map((row, index) => {
        const cells = row.values.map((value, move) => this.cell(row, index, value, move));
        const { columns } = this.game;
        return { row, lines: Array.from({ length: this.lines }, (_, at) => cells.slice(at * columns, (at + 1) * columns)) };
      });
    },
  },
  methods: {
    widthBeside(thumbnail) { return Math.min(WIDEST, Math.floor((this.room - NUMBER - 2 * this.gap - thumbnail) / this.game.columns) - this.gap); },
    cell(row, index, value, move) {
      const { changed } = this;
      if (value === null) return { kind: "full", side: this.game.gravity ? null : row.moves.indexOf(move) % 2 };
      const trials = row.trials[move], seen = trials === null || trials > 0;
      const { back, ink } = heat(value / this.scale);
      return {
        kind: seen ? "seen" : "unseen", value, trials, style: seen ? { background: back, color: ink } : {},
        chosen: row.move === move, best: row.best.includes(move),
        changed: changed && changed.row === index && changed.move === move ? changed.difference : null,
      };
    },
    shown(number) { return brief(number, this.brevity); },
    tried(count) { return counted(count, this.brevity); },
    whole(cell) { return cell.kind === "seen" && this.brevity ? `${brief(cell.value, 0)}${cell.trials === null ? "" : `, ${cell.trials.toLocaleString("en")} trials`}` : null; },
    difference(number) { return (number < 0 ? "" : "+") + this.shown(number); },
    toLastRow() { requestAnimationFrame(() => { this.$el.scrollTop = this.$el.scrollHeight; }); },
  },
  template: `
  <div class="heat-scroll"><table v-if="rows.length && room" class="heat" :class="{ brief: brevity, laid: !game.gravity }" :style="{ '--cell': width + 'px', borderSpacing: gap + 'px' }">
    <thead v-if="game.gravity"><tr><th :colspan="thumbnails ? 2 : 1">{{ thumbnails ? 'Move' : '' }}</th><th v-for="move in game.columns">{{ move }}</th></tr></thead>
    <tbody v-for="({ row, lines }, index) in turns" :key="row.stones"><tr v-for="(line, at) in lines">
      <th v-if="!at" :rowspan="lines.length" :class="{ now: index === rows.length - 1 }">{{ row.stones + 1 }}</th>
      <td v-if="thumbnails"><Thumbnail :game="game" :moves="row.moves" :pitch="pitch"/></td>
      <td v-for="(cell, move) in line" :key="move"><div class="heat-cell" :class="[cell.kind, { chosen: cell.chosen, changed: cell.changed !== null && cell.changed !== undefined }]" :style="cell.style" :title="whole(cell)"><span v-if="!game.gravity" class="for-readers">cell {{ at * game.columns + move + 1 }}</span>
        <template v-if="cell.kind === 'full'"><Disc v-if="cell.side !== null" :side="cell.side" :size="18"/><template v-else>full</template></template><template v-else-if="cell.kind === 'unseen'">–</template>
        <template v-else><b>{{ shown(cell.value) }}</b><span>{{ tried(cell.trials) }}</span></template>
        <i v-if="cell.best" class="exact" title="exactly best"></i><em v-if="Math.abs(cell.changed ?? 0) >= 0.005">{{ difference(cell.changed) }}</em></div></td></tr></tbody></table></div>`,
};

// A value as long as there is room for it: −0.31, −.31, −.3.
export function brief(number, brevity) {
  if (Math.abs(number) >= 100) return String(Math.round(number)).replace("-", "−");
  if (!brevity) return written(number);
  const digits = 3 - brevity, near = Number(number.toFixed(digits));
  return Math.abs(near) < 1 ? written(number, digits).replace("0.", ".") : written(number, digits - 1);
}

// A number of trials in at most six, or at most three characters and a letter.
export function counted(count, brevity) {
  if (count === null) return "";
  if (count >= 1e6) return `${(count / 1e6).toFixed(count < 1e7 ? 1 : 0)}M`;
  if (!brevity) return count >= 100000 ? `${Math.round(count / 1000)}k` : count.toLocaleString("en");
  if (count >= 99500) return `${written(count / 1e6, 1).replace("0.", ".")}M`;
  return count >= 1000 ? `${Math.round(count / 1000)}k` : String(count);
}
