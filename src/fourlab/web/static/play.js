// Play: a board that plays, what to play against, and what the game was worth move by move.

import { BoardView, Disc, Frame, Icon, Picker, Segmented, Strength, live } from "fourlab/kit.js";
import { pitchFor, pitchOnPhone } from "fourlab/pieces.js";
import { ValueGraph } from "fourlab/graph.js";
import { heat } from "fourlab/heat.js";
import { ReviewSummary, ShareRow, TurningPoints, copyText } from "fourlab/review.js";
import { reviewing } from "fourlab/reviewing.js";
import { unsent } from "fourlab/unsent.js";

const OVERLAYS = ["off", "exact", "visits", "values"];
const NO_VALUES = "Values are those of an agent; choose one as opponent.";
const KEYS = [
  ["1 – 9", "drop in a column"], ["← →", "move along the columns"], ["Enter", "drop there"],
  ["U", "undo"], ["R", "redo"], ["H", "hint"], ["O", "next overlay"], ["N", "new game"],
  ["F", "change sides"], ["B", "turn the board round"], ["C", "copy the address"], ["Space", "run or pause two agents, play a line"],
  ["[ ]", "turning points"], ["Esc", "leave the review"], ["?", "this list"],
];
const BELOW_A_BOARD = 430; // status, chips, buttons, the pages' bar, and a hand's breadth to read
const MARGINS = 100; // above and below the board of a phone held sideways: chips, plate, numbers

const GraphView = {
  props: { graph: Object, height: Number },
  emits: ["look"],
  data() { return { width: 0 }; },
  mounted() {
    this.drawing = new ValueGraph(this.$el, { onLook: (stones) => this.$emit("look", stones) });
    this.observer = new ResizeObserver(() => { this.width = this.$el.clientWidth; });
    this.observer.observe(this.$el);
  },
  beforeUnmount() { this.observer.disconnect(); },
  watch: { width() { this.draw(); }, graph() { this.draw(); }, height() { this.draw(); } },
  methods: { draw() { if (this.width) this.drawing.update(this.graph, this.width, this.height); } },
  template: `<div :style="{ minHeight: height + 'px' }"></div>`,
};

export default {
  mixins: [live, reviewing, unsent],
  components: { BoardView, Disc, Frame, GraphView, Icon, Picker, ReviewSummary, Segmented, ShareRow, Strength, TurningPoints },
  data() {
    return {
      local: null, custom: null, expert: null, spec: "", room: 0, keys: KEYS, theme: 0, noValues: NO_VALUES,
      flipped: sessionStorage.fourlabFlipped === "yes", drawer: "", copied: false, shownGame: this.start.kept,
    };
  },
  mounted() {
    addEventListener("fourlab-theme", () => { this.theme++; });
    addEventListener("popstate", () => location.reload()); // back to a game that was left for a new one
    this.observer = new ResizeObserver(() => { this.room = this.$refs.place?.clientWidth ?? 0; });
    this.observer.observe(this.$refs.place);
    this.followMoves();
  },
  beforeUnmount() { this.observer.disconnect(); },
  computed: {
    landscape() { return this.height < 480 && this.width > this.height; },
    narrow() { return this.landscape && this.width < 700; },
    phone() { return this.width < 768 && !this.landscape; },
    // What a low window does without: first the numbers below the board, then half of the chips.
    spared() {
      const rows = this.view.game.rows;
      if (!this.landscape || (this.height - MARGINS) / rows >= 36) return 0;
      return (this.height - MARGINS + 26) / rows >= 36 ? 1 : 2;
    },
    // In the review of a phone the board stays while the rest scrolls, where enough of the rest is seen.
    stays() { return Boolean(this.shown) && this.phone && !this.landscape && this.height - this.pitch * this.view.game.rows > BELOW_A_BOARD; },
    pitch() {
      if (this.landscape) {
        const down = (this.height - MARGINS + [0, 26, 42][this.spared]) / this.view.game.rows;
        return Math.max(20, Math.floor(Math.min(down, Math.max(36, (this.width - 358) / this.view.game.columns), 96)));
      }
      const room = this.room || (this.phone ? this.width - 24 : Math.min(this.width, 1440) - 64 - 448);
      if (this.phone) return pitchOnPhone(this.view.game, room - 16, this.height - 230);
      return pitchFor(this.view.game, room, this.height - (this.shown ? 328 : 288));
    },
    boardState() {
      const { board, game, chips, hint } = this.view;
      const waiting = this.local !== null;
      const common = { game, pitch: this.pitch, compact: this.phone || this.landscape, showChips: true, flipped: this.flipped };
      if (this.shown) return { ...common, moves: board.moves, legal: [], line: [], toMove: board.toMove, canPlay: false, chips: this.shown.chips, review: this.reviewState };
      return {
        ...common,
        moves: waiting ? this.local : board.moves,
        legal: waiting ? [] : board.legal,
        line: waiting ? [] : board.line,
        toMove: waiting ? 1 - board.toMove : board.toMove,
        canPlay: this.view.canPlay && !waiting && this.online,
        chips: waiting ? null : this.coloured(chips),
        hint: waiting ? [] : hint?.moves,
      };
    },
    overlays() {
      return OVERLAYS.map((value) => ({
        value, label: value[0].toUpperCase() + value.slice(1),
        off: value === "values" && !this.view.hasValues, tip: value === "values" && !this.view.hasValues ? NO_VALUES : null,
      }));
    },
    starts() {
      return [["you", "You"], ["opponent", "Opponent"], ["random", "Random"]].map(([value, label]) => ({ value, label }));
    },
    games() {
      return [...this.view.games.map((one) => ({ value: one.spec, label: one.title })), { value: "other", label: "Another board…" }];
    },
    opponentSide() { return this.view.people === 1 ? 1 - this.view.you : 1; },
    opponentName() {
      const { strength, title, spec } = this.view.players[this.opponentSide];
      return strength ? `${strength}, ${spec.split("=").at(-1)} ${spec.startsWith("mcts") ? "sims" : ""}`.trim() : title;
    },
    watching() { return this.view.people === 0; },
    seats() {
      if (this.watching) return [0, 1].map((side) => ({ side, label: ["Yellow", "Red"][side] }));
      return [{ side: this.opponentSide, label: "Opponent" }];
    },
    over() { return this.view.board.over; },
    unsent() { const { expert, spec, custom } = this; return expert === null && !custom ? null : { expert, spec, custom }; },
    rows() {
      const rows = [];
      for (let index = 0; index < this.view.moves.length; index += 2)
        rows.push({ number: index + 1, moves: [index, index + 1].filter((one) => one < this.view.moves.length) });
      return rows;
    },
    marked() { return Object.fromEntries((this.view.graph.blunders || []).map((one) => [one.move, one])); },
    blunders() { return this.landscape || this.phone ? this.view.graph.blunders.slice(-1) : this.view.graph.blunders; },
    graphHeight() { return this.landscape ? Math.max(this.narrow ? 72 : 84, Math.min(128, this.height - (this.shown ? 298 : 280))) : this.phone ? 112 : this.shown ? 152 : 134; },
    // The whole game goes along, and leads back.
    analysis() {
      const { game, notation, at, kept } = this.view;
      return `/analyse?game=${game.spec}&moves=${notation}&at=${this.shown ? at - 1 : at}${kept ? `&kept=${kept}` : ""}`;
    },
    drawers() {
      const points = this.view.review ? [{ name: "points", title: "Points", icon: "list" }] : [{ name: "setup", title: "Setup", icon: "pencil" }];
      return [{ name: "moves", title: "Moves", icon: "list" }, ...points];
    },
    lastKey() { return Math.min(9, this.view.game.gravity ? this.view.game.columns : this.view.game.columns * this.view.game.rows); },
  },
  methods: {
    coloured(chips) { return this.theme >= 0 && chips?.map((chip) => (chip.heat === undefined ? chip : { ...chip, ...heat(chip.heat) })); },
    received(changes) { if (this.isAnswered(changes)) this.local = null; },
    drop(move) {
      const { board } = this.view;
      if (!this.boardState.canPlay || !this.boardState.legal.includes(move)) return;
      this.local = [...board.moves, move];
      const mark = this.view.kept ? [] : [Math.random().toString(36).slice(2)]; // tells the stone that begins a game from every other
      this.act("play", board.moves.length, move, ...mark);
    },
    // A new game gets an entry of its own in the browser's history: Back leads to the one before.
    keepAddress() {
      if (!this.view.url || location.pathname + location.search === this.view.url) return;
      const isNew = this.shownGame && !this.view.kept;
      this.shownGame = this.view.kept;
      history[isNew ? "pushState" : "replaceState"](history.state, "", this.view.url);
    },
    async copy() {
      if (!(await copyText(location.origin + this.view.url))) return;
      this.copied = true;
      setTimeout(() => { this.copied = false; }, 1500);
    },
    turn() {
      this.flipped = !this.flipped;
      sessionStorage.fourlabFlipped = this.flipped ? "yes" : "";
    },
    key(event) {
      if (this.shown && this.reviewKey(event)) return;
      const actions = { u: "undo", r: "redo", h: "hint", n: "new", f: "flip" };
      const key = event.key.toLowerCase();
      if (/^[1-9]$/.test(key)) this.drop(Number(key) - 1);
      else if (key === "o") this.nextOverlay();
      else if (key === "b") this.turn();
      else if (key === "c") this.copy();
      else if ((key === "[" || key === "]") && this.view.review) this.act("review");
      else if (key === " " && this.watching) { event.preventDefault(); this.act("run"); }
      else if ((key === "arrowleft" || key === "arrowright") && event.target === document.body) this.$refs.board.focusMove();
      else if (actions[key]) this.act(actions[key]);
    },
    nextOverlay() {
      const open = this.overlays.filter((one) => !one.off).map((one) => one.value);
      this.act("overlay", open[(open.indexOf(this.view.overlay) + 1) % open.length]);
    },
    families(side) {
      const options = this.view.families.map((one) => ({ value: one.name, label: one.title }));
      options.push(...this.view.runs.map((one) => ({ value: one.spec, label: `Your run ${one.title}` })));
      const player = this.view.players[side];
      if (player.family === "custom") options.unshift({ value: "custom", label: player.detail ? `${player.title}, ${player.detail}` : player.title });
      if (this.watching) return side === 0 ? [...options, { value: "human", label: "You" }] : options;
      return [...options, { value: "human", label: "Another person" }, { value: "watch", label: "Watch two agents" }];
    },
    family(side) { return this.view.families.find((one) => one.name === this.view.players[side].family); },
    chooseFamily(side, name) {
      const family = this.view.families.find((one) => one.name === name);
      const level = this.view.players[side].level ?? 3;
      const spec = family ? family.specs[Math.min(level, family.specs.length - 1)] : name;
      this.chooseSpec(side, family && family.specs.length > 1 && this.view.players[side].level === 0 && !this.levelled(side) ? family.specs[3] : spec);
    },
    edit(side) {
      this.expert = this.expert === side ? null : side;
      this.spec = this.view.players[side].spec;
      this.$nextTick(() => document.querySelector(".expert input")?.focus());
    },
    levelled(side) { return (this.family(side)?.specs.length ?? 0) > 1; },
    chooseSpec(side, spec) {
      this.expert = null;
      if (this.watching && spec !== "watch") this.act("opponent", spec, side);
      else this.act("opponent", spec);
    },
    chooseGame(spec) {
      const { columns, rows, connect, gravity } = this.view.game;
      if (spec === "other") this.custom = { columns, rows, connect, gravity: gravity ? "connect" : "mnk" };
      else { this.custom = null; this.act("game", spec); }
    },
    makeBoard() {
      const { columns, rows, connect, gravity } = this.custom;
      this.act("game", `${gravity}:columns=${columns},rows=${rows},k=${connect}`);
    },
    // The list scrolls inside itself; the page stays where it is.
    followMoves() {
      const list = this.$refs.moves, now = list?.querySelector(".now");
      if (!now) return;
      const [box, one] = [list.getBoundingClientRect(), now.getBoundingClientRect()];
      if (one.top < box.top) list.scrollTop -= box.top - one.top;
      else if (one.bottom > box.bottom) list.scrollTop += one.bottom - box.bottom;
    },
    fieldError(name) { return this.view.error?.field === name ? this.view.error.text : ""; },
  },
  watch: {
    "view.game.spec"() { this.custom = null; },
    "view.at"() { this.$nextTick(() => this.followMoves()); },
    drawer() { this.$nextTick(() => this.followMoves()); },
  },
  template: `
  <Frame page="play" :title="phone && shown ? 'Review' : undefined" :announce="spokenGhost || view.announce" :notice="view.notice" :failure="view.failure" :waiting="view.waiting" :keys="keys" @dismiss="act('dismiss')" @online="online = $event">
  <template v-if="phone && shown" #tools><button type="button" class="plain tool" aria-label="Copy link" :disabled="!online" @click="$refs.share.copy()"><Icon name="link"/></button>
    <button type="button" class="plain tool" aria-label="Send a picture" :disabled="!online" @click="$refs.share.send()"><Icon name="picture"/></button></template>
  <div class="play" :class="{ landscape, reviewing: shown, stays, over: view.review, 'no-numbers': spared > 0, 'low-chips': spared > 1 }">
    <section class="board-column" ref="place" aria-label="Board">
      <div class="board-box">
        <div v-if="shown" class="status told" data-testid="status"><Disc v-if="shown.number" :side="shown.side"/><h1>{{ shown.title }}</h1>
          <button type="button" class="plain" aria-label="Leave the review" title="Leave the review (Esc)" @click="act('leave')"><Icon name="close"/></button>
          <p class="reason">{{ shown.reason }}</p><span class="caption" v-if="shown.number && !phone">turning point {{ shown.number }} of {{ view.review.points.length }}</span></div>
        <div v-else class="status" data-testid="status"><Disc :side="view.status.side ?? -1" v-if="view.status.side !== null"/>
          <h1>{{ view.status.title }}</h1><span v-if="view.status.busy" class="dots" aria-hidden="true"><i></i><i></i><i></i></span>
          <span class="caption" v-if="!(phone || landscape) || view.hint || over || view.canRedo"><span>{{ view.status.caption }}</span></span>
          <span class="caption" v-else><Disc :side="opponentSide" :size="16"/> {{ opponentName }}</span></div>
        <BoardView ref="board" :state="boardState" @play="drop"/>
        <div class="actions review-actions" v-if="shown">
          <button type="button" class="outline square" aria-label="One stone back" :disabled="ghosts === 0" @click="step(-1)"><Icon name="back"/></button>
          <button type="button" class="primary" :disabled="!shown.line.length" @click="playLine"><Icon :name="playing ? 'pause' : 'play'"/>{{ playing ? 'Pause' : narrow ? 'Play' : 'Play the line' }}</button>
          <button type="button" class="outline square" aria-label="One stone on" :disabled="ghosts >= shown.line.length" @click="step(1)"><Icon name="forward"/></button>
          <span class="note" v-if="!phone && !landscape">{{ ghosts }} of {{ shown.line.length }}</span><span class="space"></span>
          <button type="button" class="outline" v-if="shown.number" @click="act('retry', shown.move)">{{ phone || landscape ? 'Try' : 'Try from here' }}</button>
          <a class="outline" v-if="!phone && !landscape" :href="analysis">Analyse</a></div>
        <div class="actions" v-else>
          <button v-if="over" type="button" class="primary" @click="act('new')">Rematch</button>
          <button v-if="over" type="button" class="outline" @click="act('review')">{{ view.review.asks }}</button>
          <button v-if="watching && !over" type="button" class="primary" @click="act('run')">
            <Icon :name="view.running ? 'pause' : 'play'"/>{{ view.running ? 'Pause' : 'Run' }}</button>
          <button type="button" class="outline" :class="{ square: over && phone }" aria-label="Undo" :disabled="!view.canUndo" @click="act('undo')"><Icon name="undo"/><template v-if="!over || !phone">Undo</template></button>
          <button v-if="view.canRedo" type="button" class="outline" @click="act('redo')"><Icon name="redo"/>Redo</button>
          <button v-if="!over && !watching" type="button" class="outline" :disabled="!view.canPlay" @click="act('hint')"><Icon name="hint"/>Hint</button>
          <button v-if="!over" type="button" class="outline" @click="act('new')"><Icon name="plus"/>{{ phone || landscape ? 'New' : 'New game' }}</button>
          <span class="keys" v-if="!phone && !landscape && !view.canRedo && !over && pitch * view.game.columns > 500"><kbd>1</kbd> – <kbd>{{ lastKey }}</kbd> drop <kbd>U</kbd> undo <kbd>O</kbd> overlay</span>
        </div>
        <template v-if="(phone || landscape) && !shown"><Segmented class="phone-overlay" label="Overlay" :options="overlays" :value="view.overlay" @choose="act('overlay', $event)"/>
          <p v-if="!view.hasValues && phone" class="why">{{ noValues }}</p></template>
      </div>
    </section>
    <aside class="card panel" :class="drawer && 'drawer-' + drawer">
      <ReviewSummary v-if="view.review" :review="view.review" @rematch="act('new')"/>
      <section class="setup" aria-label="Setup" v-if="!shown">
        <label class="row"><span>Game</span><Picker label="Game" :options="games" :value="custom ? 'other' : view.game.spec" @choose="chooseGame"/></label>
        <div v-if="custom" class="row custom"><span></span><div>
          <label>Columns<input type="number" min="1" max="31" v-model.number="custom.columns"></label>
          <label>Rows<input type="number" min="1" max="31" v-model.number="custom.rows"></label>
          <label>In a row<input type="number" min="2" max="9" v-model.number="custom.connect"></label>
          <label class="wide">Stones<Picker label="Stones" :options="[{ value: 'connect', label: 'fall' }, { value: 'mnk', label: 'stay where put' }]" :value="custom.gravity" @choose="custom.gravity = $event"/></label>
          <button type="button" class="outline" @click="makeBoard">Play it</button></div></div>
        <p v-if="fieldError('game')" class="field-error" role="alert"><Icon name="warn"/>{{ fieldError('game') }}</p>
        <template v-for="seat in seats" :key="seat.side">
          <label class="row"><span>{{ seat.label }}</span><Picker :label="seat.label" :side="seat.side" :options="families(seat.side)"
            :value="view.players[seat.side].family" @choose="chooseFamily(seat.side, $event)"/></label>
          <div class="row" v-if="view.players[seat.side].family !== 'human'"><span>{{ levelled(seat.side) ? 'Strength' : '' }}</span>
            <div><Strength v-if="levelled(seat.side)" :family="family(seat.side)" :player="view.players[seat.side]" :strengths="view.strengths" @choose="chooseSpec(seat.side, $event)" @edit="edit(seat.side)"/>
              <button v-else type="button" class="spec" :title="'Edit the spec string ' + view.players[seat.side].spec" @click="edit(seat.side)">{{ view.players[seat.side].detail || 'spec string' }}<Icon name="pencil"/></button>
              <form v-if="expert === seat.side" class="expert" @submit.prevent="send(() => { expert = null; }, 'opponent', spec, ...(watching ? [seat.side] : []))">
                <input v-model="spec" aria-label="Spec string" spellcheck="false" autocomplete="off" :aria-invalid="fieldError('opponent') !== ''">
                <button class="outline">Use</button>
                <p v-if="fieldError('opponent')" class="field-error" role="alert"><Icon name="warn"/>{{ fieldError('opponent') }}</p></form></div></div>
        </template>
        <p v-if="view.doubt" class="doubt" data-testid="doubt">{{ view.doubt }}</p>
        <div class="row starts" v-if="view.people === 1"><span>Who starts</span><div class="with-button"><Segmented label="Who starts" :options="starts" :value="view.starts" @choose="act('setup', $event)"/>
          <button type="button" class="outline square" aria-label="Change sides" title="Change sides (F)" @click="act('flip')"><Icon name="flip"/></button></div></div>
        <div class="row" v-if="!phone && !landscape"><span>Overlay</span><div><Segmented label="Overlay" :options="overlays" :value="view.overlay" @choose="act('overlay', $event)"/>
          <p v-if="!view.hasValues" class="why">{{ noValues }}</p></div></div>
      </section>
      <section class="graph-section" aria-label="Value over the game">
        <div class="heading" v-if="shown && phone"><h2>Turning point {{ shown.number }} of {{ view.review.points.length }}</h2><span class="pager">
          <button type="button" class="plain" aria-label="Turning point before" @click="turnTo(-1)"><Icon name="back"/></button>
          <button type="button" class="plain" aria-label="Next turning point" @click="turnTo(1)"><Icon name="forward"/></button></span></div>
        <div class="heading" v-else><h2>Value over the game</h2><span v-if="view.graph.shown">{{ view.graph.owner }}<template v-if="!phone && !landscape">, by move</template></span></div>
        <template v-if="view.graph.shown && view.moves.length">
          <GraphView :graph="view.graph" :height="graphHeight" @look="lookAt"/>
          <p v-if="view.graph.waiting" class="note">solving {{ view.graph.points.length - view.graph.waiting }} of {{ view.graph.points.length }}</p>
          <p v-else-if="view.graph.unsolved && !view.review" class="note">{{ view.graph.unsolved }} positions were not solved in the time given</p>
          <p v-if="shown && (phone || landscape) && shown.number" class="change"><span class="tag" :class="shown.own ? 'loss' : 'win'">Move {{ shown.move }}</span>{{ shown.change }}</p>
          <ul v-if="!view.review" class="blunders"><li v-for="one in blunders" :key="one.move">
            <component :is="landscape ? 'span' : 'button'" :type="landscape ? null : 'button'" class="tag" :class="one.own ? 'loss' : 'win'" @click="act('look', one.move)">{{ phone || landscape ? 'Move' : 'Blunder' }} {{ one.move }}</component>
            <span>{{ phone || landscape ? '' : one.who + ': ' }}{{ one.text }}</span></li></ul>
          <details class="data" v-if="!landscape"><summary>Show data</summary><table><thead><tr><th>After move</th><th>Value, {{ view.graph.owner }}</th></tr></thead>
            <tbody><tr v-for="(point, index) in view.graph.points"><td>{{ index }}</td><td>{{ point ? point.words : 'not known' }}</td></tr></tbody></table></details>
        </template>
        <p v-else class="note">{{ view.graph.shown ? 'It begins with the first move.' : 'It appears when the game is over, or with the exact overlay.' }}</p>
      </section>
      <TurningPoints v-if="view.review" :review="view.review" @choose="act('review', $event)" @think="act('think')"/>
      <ShareRow v-if="shown" ref="share" :address="shareAddress" :picture="picture" :off="!online"/>
      <section class="move-list" aria-label="Moves">
        <div class="heading"><h2>Moves</h2><code>{{ view.notation }}</code></div>
        <p v-if="!rows.length" class="note">None yet.</p>
        <ol v-else class="moves-grid" ref="moves" tabindex="-1" :style="{ '--rows': Math.ceil(rows.length / 2) }"><li v-for="row in rows" :key="row.number"><span class="ply">{{ row.number }}</span>
          <button v-for="index in row.moves" type="button" :class="{ now: index + 1 === view.at }" @click="act('look', index + 1)"
            :aria-label="'Move ' + (index + 1) + ', ' + view.game.unit + ' ' + (view.moves[index] + 1)">
            <Disc :side="index % 2" :size="13"/>{{ (view.moves[index] + 1) }}<b v-if="marked[index + 1]" :class="marked[index + 1].own ? 'loss' : 'win'">??</b></button></li></ol>
        <ul v-if="view.variations.length" class="variations" aria-label="Variations"><li v-for="(one, index) in view.variations" :key="index">
          <button type="button" @click="act('vary', index)"><span class="note">from move {{ one.from }}</span>
            <span class="pills"><b v-for="(move, step) in one.moves.slice(0, 8)" :class="(one.from + step) % 2 ? 'pill yellow' : 'pill red'">{{ move + 1 }}</b><span v-if="one.moves.length > 8">…</span></span></button></li></ul>
        <div class="tools"><a class="outline" :href="analysis"><Icon name="search"/>Analyse</a>
          <button type="button" class="outline" title="Copy the address of what is on the board (C)" @click="copy"><Icon :name="copied ? 'check' : 'copy'"/>{{ copied ? 'Copied' : 'Copy' }}</button>
          <button type="button" class="outline" :aria-pressed="String(flipped)" title="See the board from the other side (B)" @click="turn"><Icon name="flip"/>Flip board</button></div>
      </section>
      <section v-if="view.games_kept.length && !shown" class="your-games" aria-label="Your games">
        <div class="heading"><h2>Your games</h2><a href="/shelf">All of them</a></div>
        <ul><li v-for="one in view.games_kept" :key="one.name"><a :href="'/game/' + one.name">{{ one.title }}</a><span class="note">{{ one.result }}</span></li></ul></section>
    </aside>
    <div v-if="landscape" class="drawer-buttons">
      <button v-for="one in drawers" type="button" class="outline" :aria-pressed="String(drawer === one.name)" @click="drawer = drawer === one.name ? '' : one.name"><Icon :name="one.icon"/>{{ one.title }}</button>
      <button type="button" class="outline" :aria-pressed="String(flipped)" @click="turn"><Icon name="flip"/>Flip</button></div>
  </div></Frame>`,
};
