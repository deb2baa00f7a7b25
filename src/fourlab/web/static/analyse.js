// Analyse: the truth about a position, and what agents make of it.

import { BoardView, Disc, Frame, Icon, Picker, Segmented, Strength, Thumbnail, live } from "fourlab/kit.js";
import { pitchFor, pitchOnPhone } from "fourlab/pieces.js";
import { heat, written } from "fourlab/heat.js";
import { Tree, listed } from "fourlab/tree.js";
import { onceHeard } from "fourlab/unheard.js";
import { unsent } from "fourlab/unsent.js";

const KEYS = [
  ["1 – 9", "play a column"], ["← →", "one move back, forward"], ["Home", "first position"], ["End", "last position"],
  ["M", "mirror"], ["C", "copy the moves"], ["Tab", "into the search tree, then arrows; Enter plays, + shows more"], ["?", "this list"],
];

const SURE = 900_000; // minimax counts down from a million to the end of the game

const TreeView = {
  props: { state: Object },
  emits: ["expand", "play"],
  data() { return { width: 0 }; },
  mounted() {
    this.drawing = new Tree(this.$el, {
      onExpand: (path) => this.$emit("expand", path), onPlay: (path) => this.$emit("play", path),
    });
    this.observer = new ResizeObserver(() => { this.width = this.$el.clientWidth; });
    this.observer.observe(this.$el);
  },
  beforeUnmount() { this.observer.disconnect(); },
  watch: { width() { this.draw(); }, state() { this.draw(); } },
  methods: { draw() { if (this.width) this.drawing.update(this.state, this.width); } },
  template: `<div></div>`,
};

export default {
  mixins: [live, unsent],
  components: { BoardView, Disc, Frame, Icon, Picker, Segmented, Strength, Thumbnail, TreeView },
  data() { return { local: null, text: this.start.text, typing: false, placing: null, copied: false, expert: null, spec: "", seconds: 0, keys: KEYS, theme: 0 }; },
  created() { if (this.placing?.length !== this.view.game.columns * this.view.game.rows) this.placing = null; },
  mounted() {
    addEventListener("fourlab-theme", () => { this.theme++; });
    if (this.typing) onceHeard(() => this.act("typed", this.text));
  },
  beforeUnmount() { clearInterval(this.clock); },
  computed: {
    pitch() {
      const { columns, rows } = this.view.game;
      if (this.sideways) return Math.max(28, Math.floor(Math.min((this.phone ? this.width - 108 : 324) / columns, (this.height - 160) / rows)));
      if (this.phone) return pitchOnPhone(this.view.game, this.width - 40, this.height - 230);
      const room = this.width < 1200 ? this.width - 64 : 544;
      return Math.min(pitchFor(this.view.game, room - 44, this.height - 360), 96);
    },
    boardState() {
      const { board, game, chips } = this.view;
      if (this.placing) return {
        game: { ...game, gravity: false }, pitch: this.pitch, compact: this.phone || this.sideways, showChips: true, discs: this.placing,
        moves: [], legal: this.placing.map((_, cell) => cell), line: [], toMove: 0, canPlay: true, chips: null,
      };
      const waiting = this.local !== null;
      return {
        game, pitch: this.pitch, compact: this.phone || this.sideways, showChips: true,
        moves: waiting ? this.local : board.moves, legal: waiting ? [] : board.legal, line: waiting ? [] : board.line,
        toMove: board.toMove, canPlay: !waiting && this.online && !board.over, chips: waiting ? null : chips,
      };
    },
    games() { return this.view.games.map((one) => ({ value: one.spec, label: one.title })); },
    tabs() { return [["tree", "Search tree"], ["compare", "Compare"], ["cells", "Cell values"]].map(([value, label]) => ({ value, label })); },
    offered() { return this.view.offered.map((count) => ({ value: String(count), label: count.toLocaleString("en") })); },
    treeState() { const { game, board, tree } = this.view; return { game, moves: board.moves, toMove: board.toMove, tree }; },
    branches() { return listed(this.view.tree); },
    unsent() {
      const typed = this.typing && this.text !== this.view.notation ? { typing: true, text: this.text } : null;
      return typed || this.placing ? { ...typed, placing: this.placing } : null;
    },
    bad() { return this.typing && this.view.reading?.error ? this.view.reading : null; },
    parts() {
      if (!this.bad || this.bad.end <= this.bad.start) return [this.text, "", ""];
      return [this.text.slice(0, this.bad.start), this.text.slice(this.bad.start, this.bad.end), this.text.slice(this.bad.end)];
    },
    loadLabel() { return this.bad && this.bad.kind === "moves" && this.bad.stones ? `Load ${this.bad.stones}` : "Load"; },
    canLoad() { return this.typing && (!this.bad || (this.bad.kind === "moves" && this.bad.stones > 0)); },
    moveNames() { return this.view.board.legal; },
    heatCells() {
      const { cells } = this.view;
      return this.theme >= 0 && cells ? cells.values.map((value) => value === null ? null : { value, ...heat(value) }) : [];
    },
    stones() {
      const sides = new Map();
      const { game, board } = this.view;
      const heights = new Array(game.columns).fill(0);
      board.moves.forEach((move, index) => sides.set(game.gravity ? (game.rows - 1 - heights[move]++) * game.columns + move : move, index % 2));
      return sides;
    },
    scale() { return Array.from({ length: 41 }, (_, index) => heat(index / 20 - 1).back).join(","); },
  },
  watch: {
    "view.text"(text) { if (!this.typing || text !== this.text) { this.text = text; } },
    "view.game.spec"() { this.placing = null; },
    "view.notation"() { this.placing = null; if (!this.view.reading) this.typing = false; this.text = this.view.text; },
    "view.pair"() { if (!this.fieldError("compare")) this.expert = null; },
    "view.thinking": { immediate: true, handler(now) {
      clearInterval(this.clock);
      this.seconds = now?.spent ?? 0;
      if (now?.busy) this.clock = setInterval(() => { this.seconds = Math.min(now.limit, this.seconds + 1); }, 1000);
    } },
  },
  methods: {
    written,
    received(changes) { if (this.isAnswered(changes)) this.local = null; },
    play(move) {
      if (this.placing) {
        this.placing = this.placing.map((stone, cell) => (cell === move ? (stone + 1) % 3 : stone));
        return;
      }
      if (!this.boardState.canPlay || !this.boardState.legal.includes(move)) return;
      this.local = [...this.view.board.moves, move];
      this.act("play", this.view.board.moves.length, move);
    },
    key(event) {
      const { at, length } = this.view;
      const places = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: length };
      if (event.target.closest?.(".board, .segmented, .tree")) return /^[1-9]$/.test(event.key) ? this.play(Number(event.key) - 1) : undefined;
      if (event.key in places) { event.preventDefault(); this.look(places[event.key]); }
      else if (/^[1-9]$/.test(event.key)) this.play(Number(event.key) - 1);
      else if (event.key.toLowerCase() === "m") this.act("mirror");
      else if (event.key.toLowerCase() === "c") this.copy();
    },
    look(stones) { if (stones >= 0 && stones <= this.view.length) this.act("look", stones); },
    type(event) {
      this.text = event.target.value;
      this.typing = true;
      clearTimeout(this.pause);
      this.pause = setTimeout(() => this.act("typed", this.text), 60);
    },
    // A text with a fault in it is loaded only by the button that says how far.
    load(partly) {
      if (!this.typing || (this.bad && !(partly && this.canLoad))) return;
      clearTimeout(this.pause);
      this.act("load", this.text, partly && this.bad !== null);
    },
    useSpec(side) { this.act("compare", side, this.spec); },
    edit(side) {
      this.expert = this.expert === side ? null : side;
      this.spec = this.view.pair[side].spec;
      this.$nextTick(() => document.querySelector(".expert input")?.focus());
    },
    playLine(path) { path.forEach((move, index) => this.act("play", this.view.board.moves.length + index, move)); },
    async copy() {
      try { await navigator.clipboard.writeText(this.view.notation); } catch { return; }
      this.copied = true;
      setTimeout(() => { this.copied = false; }, 1500);
    },
    setUp() { this.placing = Array.from({ length: this.view.game.columns * this.view.game.rows }, (_, cell) => this.stones.has(cell) ? this.stones.get(cell) + 1 : 0); },
    familyOf(side) { return this.view.families.find((one) => one.name === this.view.pair[side].family); },
    families(side) {
      const options = this.view.families.map((one) => ({ value: one.name, label: one.title }));
      const player = this.view.pair[side];
      return player.family === "custom" ? [{ value: "custom", label: player.spec }, ...options] : options;
    },
    chooseFamily(side, name) {
      const family = this.view.families.find((one) => one.name === name);
      if (family) this.act("compare", side, family.specs[Math.min(3, family.specs.length - 1)]);
    },
    share(side, move) { return this.view.opinions[side]?.policy[move] ?? 0; },
    tried(side) {
      const { visits, move } = this.view.opinions[side];
      return visits.length ? `${visits[move].toLocaleString("en")} of ${visits.reduce((sum, one) => sum + one).toLocaleString("en")} visits` : "";
    },
    worth(side, move) {
      const values = this.view.opinions[side]?.values ?? [];
      const value = values[move] ?? null;
      if (value === null) return "";
      if (Math.abs(value) > SURE) return value > 0 ? "wins" : "loses";
      return written(value, values.every((one) => one === null || Number.isInteger(one)) ? 0 : 2);
    },
    fieldError(name) { return this.view.error?.field === name ? this.view.error.text : ""; },
  },
  template: `
  <Frame page="analyse" :announce="view.announce" :notice="view.notice" :failure="view.failure" :waiting="view.waiting" :keys="keys" @dismiss="act('dismiss')" @online="online = $event">
  <div class="analyse">
    <section class="analyse-board" aria-label="Position">
      <div class="status" data-testid="status"><Disc v-if="view.headline.side !== null" :side="view.headline.side"/>
        <h1>{{ placing ? 'Set up a board' : view.headline.title }}</h1><span v-if="view.headline.busy" class="dots" aria-hidden="true"><i></i><i></i><i></i></span>
        <span class="caption">{{ placing ? '' : phone ? view.headline.caption.split(', ').at(-1) : view.headline.caption }}</span></div>
      <div class="with-bar" :class="{ shifted: view.game.gravity && !placing }">
        <div v-if="!phone && !placing" class="bar" role="img" :aria-label="view.bar === null ? 'Evaluation not known yet' : 'Evaluation, yellow’s share ' + Math.round(view.bar * 100) + '%'">
          <div class="bar-red" :style="{ height: (view.bar === null ? 50 : 100 - view.bar * 100) + '%' }"></div><i></i>
          <Disc :side="1" :size="18" class="top"/><Disc :side="0" :size="18" class="foot"/></div>
        <BoardView :state="boardState" @play="play"/>
      </div>
      <div v-if="view.thinking && !placing" class="think" data-testid="thinking">
        <span v-if="view.thinking.busy">Thinking, {{ seconds }} of {{ view.thinking.limit }} s; {{ view.thinking.solved }}</span>
        <span v-else>Not solved in {{ view.thinking.limit }} s; {{ view.thinking.solved }}</span>
        <button v-if="view.thinking.more" type="button" class="outline" @click="act('longer')"><Icon name="clock"/>Think {{ view.thinking.added }} s longer</button></div>
      <div v-if="placing" class="actions"><button type="button" class="primary" @click="send(() => { placing = null; }, 'place', placing)">Use this board</button>
        <button type="button" class="outline" @click="placing = placing.map(() => 0)">Clear</button>
        <button type="button" class="outline" @click="placing = null">Cancel</button>
        <span class="note">Click a cell: yellow, red, empty.</span>
        <p v-if="fieldError('place')" class="field-error" role="alert"><Icon name="warn"/>{{ fieldError('place') }}</p></div>
      <div v-else class="actions steps">
        <button type="button" class="outline square" aria-label="First position" :disabled="view.at === 0" @click="look(0)"><Icon name="first"/></button>
        <button type="button" class="outline square" aria-label="Back" :disabled="view.at === 0" @click="look(view.at - 1)"><Icon name="back"/></button>
        <button type="button" class="outline square" aria-label="Forward" :disabled="view.at === view.length" @click="look(view.at + 1)"><Icon name="forward"/></button>
        <button type="button" class="outline square" aria-label="Last position" :disabled="view.at === view.length" @click="look(view.length)"><Icon name="last"/></button>
        <span class="note">{{ view.at }} of {{ view.length }}</span><span class="space"></span>
        <button type="button" class="outline" @click="setUp"><Icon name="pencil"/>Set up</button>
        <button type="button" class="outline" @click="act('mirror')"><Icon name="mirror"/>Mirror</button>
        <button type="button" class="outline" @click="copy"><Icon :name="copied ? 'check' : 'copy'"/>{{ copied ? 'Copied' : 'Copy' }}</button></div>
      <form class="paste" @submit.prevent="load(true)">
        <label for="paste">Moves, Kaggle list, UCI row or text board</label><span class="note">{{ bad ? 'board unchanged' : '' }}</span>
        <div class="paste-field"><div class="mirror" aria-hidden="true">{{ parts[0] }}<mark v-if="parts[1]">{{ parts[1] }}</mark>{{ parts[2] }}</div>
          <textarea id="paste" rows="1" :value="text" @input="type" @keydown.enter.exact="text.includes('.') || text.includes('[') ? null : ($event.preventDefault(), load(false))"
            spellcheck="false" autocomplete="off" :aria-invalid="String(bad !== null)" aria-describedby="paste-error" :class="{ tall: text.includes('\\n') }"></textarea></div>
        <button class="outline" :disabled="!canLoad">{{ loadLabel }}</button>
        <p id="paste-error" class="field-error" role="alert"><template v-if="bad"><Icon name="warn"/>{{ bad.error }}</template></p></form>
      <label class="game-row"><span>Game</span><Picker label="Game" :options="games" :value="view.game.spec" @choose="act('game', $event)"/></label>
      <div class="actions to-play"><a class="outline" :href="view.kept ? '/game/' + encodeURIComponent(view.kept) : '/play?game=' + view.game.spec + '&moves=' + view.notation"><Icon name="grid"/>{{ view.kept ? 'Back to the game' : 'Play from here' }}</a>
        <a class="outline" href="/certificate" title="Players proven against every reply"><Icon name="shield"/>Certificates</a></div>
    </section>
    <div class="analyse-cards">
      <section class="card padded" aria-label="Best lines">
        <div class="heading"><h2>Best lines</h2><span>{{ view.cost }}</span></div>
        <p v-if="view.board.over" class="note">The game is over; step back to see what could have been played.</p>
        <p v-else-if="!view.lines" class="note">They appear when the moves are solved.</p>
        <ol v-else class="lines"><li v-for="line in view.lines" :key="line.moves[0]">
          <button type="button" class="tag" :class="line.kind" @click="playLine(line.moves.slice(0, 1))">{{ line.words }}</button>
          <span class="pills"><b v-for="(move, index) in line.moves" :class="(view.board.toMove + index) % 2 ? 'pill red' : 'pill yellow'">{{ move + 1 }}</b><span v-if="line.more">…</span></span>
          <span :class="line.best ? line.kind : 'note'">{{ line.remark }}</span></li></ol>
      </section>
      <section class="card padded" aria-label="Thinking">
        <div class="heading tabs-row"><Segmented label="What to show" :options="tabs" :value="view.tab" @choose="act('tab', $event)"/>
          <Segmented v-if="view.tab === 'tree'" class="small" label="Simulations" :options="offered" :value="String(view.simulations)" @choose="act('simulate', Number($event))"/></div>
        <p v-if="view.board.over" class="note">There is nothing to think about: the game is over.</p>
        <template v-else-if="view.tab === 'tree'">
          <p class="note">{{ view.simulations.toLocaleString('en') }} simulations; visits, then the win share of the side that plays the move. Click a node to play its line.</p>
          <p v-if="!view.tree" class="waiting note">searching <span class="dots"><i></i><i></i><i></i></span></p>
          <template v-else><ol v-if="phone" class="tree-list"><li v-for="one in branches" :style="{ paddingLeft: one.depth * 20 + 'px' }">
              <button type="button" @click="playLine(one.path)"><b :class="(view.board.toMove + one.depth) % 2 ? 'pill red' : 'pill yellow'">{{ one.path[one.path.length - 1] + 1 }}</b>{{ one.visits.toLocaleString('en') }} <span>{{ Math.round(one.share * 100) }}%</span></button>
              <button v-if="one.hidden" type="button" class="spec" @click="act('expand', one.path)">+{{ one.hidden }} more</button></li></ol>
            <TreeView v-else :state="treeState" @expand="act('expand', $event)" @play="playLine"/>
            <p v-if="view.agreement" class="agreement"><b>Most visited: {{ view.game.unit }} {{ view.agreement.move + 1 }}</b><span :class="view.agreement.text.startsWith('also') ? 'win' : 'loss'">{{ view.agreement.text }}</span></p></template>
        </template>
        <template v-else-if="view.tab === 'compare'">
          <div class="pair"><div v-for="side in [0, 1]" :key="side"><Picker :label="'Agent ' + (side + 1)" :options="families(side)" :value="view.pair[side].family" @choose="chooseFamily(side, $event)"/>
            <Strength v-if="familyOf(side)?.specs.length > 1" :family="familyOf(side)" :player="view.pair[side]" :strengths="view.strengths" @choose="act('compare', side, $event)" @edit="edit(side)"/>
            <button v-else type="button" class="spec" :title="'Edit the spec string ' + view.pair[side].spec" @click="edit(side)">{{ view.pair[side].detail || 'spec string' }}<Icon name="pencil"/></button>
            <form v-if="expert === side" class="expert" @submit.prevent="useSpec(side)"><input v-model="spec" aria-label="Spec string" spellcheck="false" autocomplete="off" :aria-invalid="fieldError('compare') !== ''"><button class="outline">Use</button>
              <p v-if="fieldError('compare')" class="field-error" role="alert"><Icon name="warn"/>{{ fieldError('compare') }}</p></form></div></div>
          <table class="opinions"><thead><tr><th>{{ view.game.unit === 'cell' ? 'Cell' : 'Column' }}</th><th v-for="side in [0, 1]" :key="side">{{ view.pair[side].title }}</th><th>Exact</th></tr></thead>
            <tbody><tr v-for="move in moveNames" :key="move"><td>{{ move + 1 }}</td>
              <td v-for="side in [0, 1]" :key="side"><span class="lean" :class="{ chosen: view.opinions[side]?.move === move }"><i :style="{ width: share(side, move) * 100 + '%' }"></i><b>{{ view.opinions[side] ? Math.round(share(side, move) * 100) + '%' : '…' }}</b><span>{{ worth(side, move) }}</span></span></td>
              <td><span v-if="view.chips" class="tag" :class="view.chips[move].kind">{{ view.chips[move].first }} {{ view.chips[move].second }}</span></td></tr></tbody></table>
          <ol class="lines"><template v-for="side in [0, 1]" :key="side"><li v-if="view.opinions[side]?.line.length"><span class="note">{{ view.pair[side].title }}</span>
            <span class="pills"><b v-for="(move, index) in view.opinions[side].line.slice(0, 8)" :class="(view.board.toMove + index) % 2 ? 'pill red' : 'pill yellow'">{{ move + 1 }}</b><span v-if="view.opinions[side].line.length > 8">…</span></span>
            <span class="note">{{ tried(side) }}</span></li></template></ol>
          <p class="note">How strongly each leans to a move, and what it thinks the move is worth to the side to move, in its own measure. The chosen move is outlined. Below, how each expects the game to go on, and how much of its search went to the first move.</p>
        </template>
        <template v-else>
          <p v-if="!view.cells" class="waiting note">playing random games <span class="dots"><i></i><i></i><i></i></span></p>
          <template v-else><div class="cell-map" :style="{ gridTemplateColumns: 'repeat(' + view.game.columns + ', minmax(0, 60px))' }">
            <span v-for="(cell, index) in heatCells" :key="index" :style="cell ? { background: cell.back, color: cell.ink } : {}"><template v-if="cell">{{ written(cell.value) }}</template><Disc v-else-if="stones.has(index)" :side="stones.get(index)" :size="30"/></span></div>
            <div class="scale"><span>−1</span><i :style="{ background: 'linear-gradient(90deg,' + scale + ')' }"></i><span>+1</span></div>
            <p class="note">How {{ view.cells.games }} random games from here end for Yellow when Yellow holds the cell: 1 always won, −1 always lost. Over all games: {{ written(view.cells.baseline) }}.</p></template>
        </template>
      </section>
    </div>
  </div></Frame>`,
};
