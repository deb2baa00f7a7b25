// Learn: a learner at work, watched at any speed.

import { BoardView, Disc, Frame, Icon, Picker, Segmented, Thumbnail, live } from "fourlab/kit.js";
import { drawCurve, drawHistogram } from "fourlab/curve.js";
import { heat, written } from "fourlab/heat.js";

const KEYS = [["Space", "run or pause"], [".", "step by a move"], ["G", "step by a game"], ["T", "play 100 test games"], ["?", "this list"]];
const MAX = 40; // of the speed slider: ten steps for each factor of ten, above 1,000 as fast as it goes
const FIRST_DIALS = 3; // that stand in the strip; the others wait behind a button

const Chart = {
  props: { draw: Function, data: null, height: Number },
  data() { return { width: 0 }; },
  mounted() {
    this.observer = new ResizeObserver(() => { this.width = this.$el.clientWidth; });
    this.observer.observe(this.$el);
  },
  beforeUnmount() { this.observer.disconnect(); },
  watch: { width() { this.paint(); }, data() { this.paint(); } },
  methods: { paint() { if (this.width) this.draw(this.$el, this.width, this.height); } },
  template: `<div class="chart" :style="{ height: height + 'px' }"></div>`,
};

export default {
  mixins: [live],
  components: { BoardView, Chart, Disc, Frame, Icon, Picker, Segmented, Thumbnail },
  data() { return { tab: "game", theme: 0, keys: KEYS, sliding: null, more: false, settings: false }; },
  mounted() { addEventListener("fourlab-theme", () => { this.theme++; }); },
  computed: {
    pitch() {
      const { columns, rows } = this.view.game;
      const room = this.phone ? this.width - 24 - 40 : 294;
      return Math.min(56, Math.floor((room - 14) / columns), Math.floor(330 / rows));
    },
    boardState() {
      const { game, board } = this.view;
      return { game, pitch: this.pitch, compact: true, showChips: false, moves: board.moves, legal: [], line: board.line, toMove: board.toMove, canPlay: false, chips: null };
    },
    moveCount() { return this.view.game.gravity ? this.view.game.columns : this.view.game.columns * this.view.game.rows; },
    slider() { return this.sliding ?? (this.view.pace > 1000 ? MAX : Math.round(Math.log10(this.view.pace) * 10)); },
    speedWords() {
      if (this.slider > 30) return "max";
      const moves = 10 ** (this.slider / 10);
      return `${moves < 10 ? +moves.toFixed(1) : Math.round(moves).toLocaleString("en")} moves/s`;
    },
    winHead() { const last = this.view.wins.at(-1); return last ? { share: Math.round(last[2] * 100), half: Math.max(1, Math.round(last[3] * 100)) } : null; },
    truthHead() { const last = this.view.truth.at(-1); return last ? Math.round(last[2] * 100) : null; },
    against() { return this.view.against; },
    cells() {
      const changed = this.view.changed;
      return this.theme >= 0 && this.view.rows.map((row, index) => row.values.map((value, move) => {
        const trials = row.trials[move];
        if (value === null) return { kind: "full" };
        const seen = trials === null || trials > 0;
        return {
          kind: seen ? "seen" : "unseen", value, trials, style: seen ? this.paint(value) : {},
          chosen: row.move === move, best: row.best.includes(move),
          changed: changed && changed.row === index && changed.move === move ? changed.difference : null,
        };
      }));
    },
    tested() {
      const test = this.view.tested;
      if (!test) return null;
      const total = test.wins + test.draws + test.losses;
      const half = Math.round(((test.high - test.low) / 2) * 100);
      return { ...test, total, words: `${test.wins} won · ${test.draws} drawn · ${test.losses} lost`, half, score: Math.round(test.score * 100) };
    },
    policy() {
      return this.view.rows.map((row) => {
        const best = row.values.reduce((top, value, move) => (value !== null && (top < 0 || value > row.values[top]) ? move : top), -1);
        return { stones: row.stones, state: row.moves.map((move) => move + 1).join(this.moveCount > 9 ? "," : ""), move: best, value: row.values[best], trials: row.trials[best] };
      });
    },
    open() { return !this.phone || this.settings; },
    summary() {
      const { learner, game, opponent } = this.view.choices;
      const title = (choice) => choice.options.find((one) => one.value === choice.value)?.label ?? choice.value;
      return `${title(learner)}, ${title(game)}, against ${title(opponent)}`;
    },
    dials() { return this.view.dials.filter((dial) => !dial.switch).slice(0, FIRST_DIALS); },
    others() { return this.view.dials.filter((dial) => !this.dials.includes(dial)); },
    colourScale() { return this.theme >= 0 && Array.from({ length: 41 }, (_, index) => heat(index / 20 - 1).back).join(","); },
    shown() { return (name) => !this.phone || this.tab === name; },
  },
  methods: {
    written,
    paint(value) { const { back, ink } = heat(value / this.view.scale); return { background: back, color: ink }; },
    value(number) { return Math.abs(number) >= 100 ? String(Math.round(number)).replace("-", "−") : written(number); },
    trials(count) {
      if (count === null) return "";
      if (count >= 1e6) return `${(count / 1e6).toFixed(1)}M`;
      return count >= (this.moveCount > 6 ? 10000 : 100000) ? `${Math.round(count / 1000)}k` : count.toLocaleString("en");
    },
    difference(number) { return (number < 0 ? "" : "+") + this.value(number); },
    drawWins(host, width, height) { drawCurve(host, this.view.wins, { width, height, reference: this.view.reference, label: this.winHead ? `Win rate against ${this.against}: ${this.winHead.share}%` : "No win rate yet" }); },
    drawTruth(host, width, height) { drawCurve(host, this.view.truth, { width, height, kind: "loss", label: this.truthHead === null ? "Not known yet" : `${this.truthHead}% of moves throw away value` }); },
    drawColumns(host, width, height) { drawHistogram(host, this.view.columns.shares, { width, height, label: "Columns chosen" }); },
    slide(event) { this.sliding = Number(event.target.value); },
    setSpeed() { const at = this.sliding; this.sliding = null; this.view.pace = at > 30 ? 1e6 : 10 ** (at / 10); this.act("speed", this.view.pace); },
    tune(name, event) { this.act("tune", name, event.target.value); },
    fieldError(name) { return this.view.error?.field === name ? this.view.error.text : ""; },
    key(event) {
      const key = event.key.toLowerCase();
      if (key === " ") { event.preventDefault(); if (event.target.tagName === "BUTTON") event.target.blur(); this.act("run"); }
      else if (key === ".") this.act("step", "move");
      else if (key === "g") this.act("step", "game");
      else if (key === "t") this.act("test");
    },
    async challenge() { this.leaving = true; this.act("save"); },
    received(changes) { if (changes.saved && this.leaving) { this.leaving = false; location.assign(this.view.saved.play); } },
  },
  template: `
  <Frame page="learn" :announce="view.announce" :notice="view.notice" :failure="view.failure" :waiting="view.waiting" :keys="keys" @dismiss="view.notice = ''" @online="online = $event">
  <h1 class="for-readers">Learn</h1>
  <div class="learn">
    <section class="card strip" :class="{ open }" aria-label="Settings">
      <label v-show="open">Learner<Picker label="Learner" :options="view.choices.learner.options" :value="view.choices.learner.value" @choose="act('choose', 'learner', $event)"/></label>
      <label v-show="open">Board<Picker label="Board" :options="view.choices.game.options" :value="view.choices.game.value" @choose="act('choose', 'game', $event)"/></label>
      <label v-show="open">Against<Picker label="Against" :options="view.choices.opponent.options" :value="view.choices.opponent.value" @choose="act('choose', 'opponent', $event)"/></label>
      <div class="strip-run"><button type="button" class="primary" data-testid="run" @click="act('run')"><Icon :name="view.running ? 'pause' : 'play'"/>{{ view.running ? 'Pause' : 'Run' }}</button>
        <button type="button" class="outline" title="Step by a move (.)" @click="act('step', 'move')"><Icon name="step"/>Move</button>
        <button v-if="view.late" type="button" class="outline" @click="act('step', 'phase')">Phase</button>
        <button type="button" class="outline" title="Step by a game (G)" @click="act('step', 'game')">Game</button></div>
      <label class="strip-speed"><span><span>Speed</span><b>{{ speedWords }}</b></span><input type="range" min="0" :max="40" :value="slider" aria-label="Speed" :aria-valuetext="speedWords"
        :style="{ '--filled': slider / 40 * 100 + '%' }" @input="slide" @change="setSpeed"><span class="ticks"><i>1</i><i>10</i><i>100</i><i>1k</i><i>max</i></span></label>
      <label v-for="dial in dials" :key="dial.name" v-show="open" class="narrow-field" :title="dial.help">{{ dial.label }}<input :value="dial.value" inputmode="decimal" @change="tune(dial.name, $event)"></label>
      <div v-show="open" class="reset-box"><button v-if="others.length" type="button" class="link" :aria-expanded="String(more)" @click="more = !more">Rewards</button>
        <button type="button" class="outline reset" @click="act('reset')"><Icon name="reset"/>Reset</button></div>
      <button v-if="phone" type="button" class="link settings" :aria-expanded="String(settings)" @click="settings = !settings">{{ settings ? 'Hide the settings' : summary }}</button>
      <div v-if="more && open" class="more">
        <template v-for="dial in others" :key="dial.name">
          <label v-if="dial.switch" class="check"><input type="checkbox" :checked="dial.value" @change="act('tune', dial.name, $event.target.checked ? 'yes' : 'no')">{{ dial.label }}</label>
          <label v-else class="narrow-field" :title="dial.help">{{ dial.label }}<input :value="dial.value" inputmode="decimal" @change="tune(dial.name, $event)"></label></template></div>
      <p v-if="view.fixed.length || view.ended" class="note also-set" data-testid="fixed"><template v-if="view.fixed.length">Also set: <code>{{ view.fixed.join(', ') }}</code></template> <b v-if="view.ended">All games are played; Reset begins again.</b></p>
      <p v-if="view.error" class="field-error" role="alert"><Icon name="warn"/>{{ view.error.text }}</p>
    </section>
    <Segmented v-if="phone" label="What to show" :options="[{ value: 'game', label: 'Game' }, { value: 'values', label: 'Values' }, { value: 'curves', label: 'Curves' }]" :value="tab" @choose="tab = $event"/>
    <section v-show="shown('game')" class="card padded learn-game" aria-label="Game">
      <div class="heading"><h2>{{ view.number ? 'Game ' + view.number.toLocaleString('en') : 'No game yet' }}</h2><span>{{ view.caption }}</span></div>
      <BoardView :state="boardState"/>
      <p v-if="view.preparing" class="note waiting">Preparing this learner; the first time on a machine it is compiled <span class="dots"><i></i><i></i><i></i></span></p>
      <p v-else class="said"><template v-if="view.said"><Disc :side="view.said.side" :size="18"/>{{ view.said.text }}</template><template v-else>The game begins.</template></p>
      <p v-if="view.late && view.phase" class="note">Phase: {{ view.phase }}</p>
      <div class="formula"><template v-if="view.update"><div><b>{{ view.update.title }}</b><b class="accent">{{ value(view.update.old) }} → {{ value(view.update.new) }}</b></div><span>{{ view.update.formula }}</span></template>
        <span v-else>What is learned from a move is known at the next turn.</span></div>
      <dl class="figures"><dt>{{ view.sizeLabel }}</dt><dd>{{ view.size.toLocaleString('en') }}</dd>
        <dt>Won in training</dt><dd>{{ view.record.wins.toLocaleString('en') }} of {{ view.record.games.toLocaleString('en') }}</dd></dl>
      <div class="last-test"><div class="heading"><span>Last test</span><span data-testid="tested">{{ tested ? tested.words : 'none yet' }}</span></div>
        <div class="result-bar" role="img" :aria-label="tested ? tested.words : 'no test yet'"><template v-if="tested"><i class="won" :style="{ flexGrow: tested.wins }"></i><i class="drawn" :style="{ flexGrow: tested.draws }"></i><i class="lost" :style="{ flexGrow: tested.losses }"></i></template></div>
        <p v-if="tested" class="note">score {{ tested.score }}% ± {{ tested.half }} points against {{ against }}</p></div>
      <button type="button" class="outline wide" :disabled="view.preparing" @click="act('test')"><Icon name="flask"/>Play 100 test games</button>
      <button type="button" class="outline wide" :disabled="view.preparing" @click="act('save')"><Icon name="down"/>Save this run</button>
      <p v-if="view.saved" class="note">Saved in <code>{{ view.saved.path }}</code></p>
      <button type="button" class="primary wide" :disabled="view.preparing" @click="challenge">Play against it now</button>
    </section>
    <section v-show="shown('values')" class="card padded learn-values" aria-label="Values">
      <div class="heading"><h2>Q(s, a) in this game</h2><span>value, and trials below</span></div>
      <p v-if="!view.rows.length" class="note">The learner’s turns appear here, one row each.</p>
      <div class="heat-scroll" ref="heat"><table v-if="view.rows.length" class="heat" :class="{ tight: moveCount > 6 }" :style="{ '--moves': moveCount }"><thead><tr><th colspan="2">Move</th><th v-for="move in moveCount">{{ move }}</th></tr></thead>
        <tbody><tr v-for="(row, index) in view.rows" :key="row.stones"><th :class="{ now: index === view.rows.length - 1 }">{{ row.stones + 1 }}</th><td><Thumbnail :game="view.game" :moves="row.moves" :pitch="view.game.columns > 5 ? 7 : 9"/></td>
          <td v-for="(cell, move) in cells[index]" :key="move"><div class="heat-cell" :class="[cell.kind, { chosen: cell.chosen, changed: cell.changed !== null && cell.changed !== undefined }]" :style="cell.style">
            <template v-if="cell.kind === 'full'">full</template><template v-else-if="cell.kind === 'unseen'">–</template>
            <template v-else><b>{{ value(cell.value) }}</b><span>{{ trials(cell.trials) }}</span></template>
            <i v-if="cell.best" class="exact" title="exactly best"></i><em v-if="Math.abs(cell.changed ?? 0) >= 0.005">{{ difference(cell.changed) }}</em></div></td></tr></tbody></table></div>
      <div class="legend"><span><i class="key chosen"></i>chosen</span><span><i class="key changed"></i>just changed</span><span><i class="key exact"></i>exact best</span></div>
      <div class="scale"><span>−{{ view.scale }}</span><i :style="{ background: 'linear-gradient(90deg,' + colourScale + ')' }"></i><span>+{{ view.scale }}</span></div>
      <details v-if="view.rows.length" class="data"><summary>Show the policy as a list</summary><table><thead><tr><th>Move</th><th>State</th><th>Action</th><th>Q</th><th>Trials</th></tr></thead>
        <tbody><tr v-for="one in policy" :key="one.stones"><td>{{ one.stones + 1 }}</td><td><code>{{ one.state || 'empty board' }}</code></td><td>{{ one.move + 1 }}</td><td>{{ value(one.value) }}</td><td>{{ trials(one.trials) }}</td></tr></tbody></table></details>
    </section>
    <section v-show="shown('curves')" class="card learn-curves" aria-label="Curves">
      <section><div class="heading"><h2>Win rate against {{ against }}</h2><span v-if="winHead"><b>{{ winHead.share }}%</b> ± {{ winHead.half }} points</span></div>
        <Chart :draw="drawWins" :data="[view.wins, view.reference, theme]" :height="210"/>
        <p class="note">Without exploring, 200 games a point, sides in turn</p></section>
      <section><div class="heading"><h2>Distance to truth</h2><span v-if="truthHead !== null"><b>{{ truthHead }}%</b> of moves throw away value</span></div>
        <Chart v-if="view.truth.length" :draw="drawTruth" :data="[view.truth, theme]" :height="130"/><p v-else class="note">Known once some positions of this board are solved.</p></section>
      <section><div class="heading"><h2>{{ view.game.gravity ? 'Columns' : 'Cells' }} chosen</h2><span>last {{ view.columns.games === 1 ? 'game' : view.columns.games + ' games' }} shown</span></div>
        <Chart :draw="drawColumns" :data="[view.columns, theme]" :height="130"/></section>
      <details class="data padded"><summary>Show data</summary><table><thead><tr><th>Games</th><th>Win rate</th></tr></thead><tbody><tr v-for="point in view.wins.slice(-20)"><td>{{ point[0].toLocaleString('en') }}</td><td>{{ Math.round(point[1] * 100) }}%</td></tr></tbody></table></details>
    </section>
  </div></Frame>`,
  watch: { "view.rows"() { this.$nextTick(() => { const box = this.$refs.heat; if (box) box.scrollTop = box.scrollHeight; }); } },
};
