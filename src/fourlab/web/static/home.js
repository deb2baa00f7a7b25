// Home: what this is in one screen. A board with the truth above it, and a learner that grows up.

import { BoardView, Disc, Frame, Icon, Segmented, Word, live } from "fourlab/kit.js";
import { pitchFor } from "fourlab/pieces.js";
import { svg } from "fourlab/board.js";
import { short } from "fourlab/curve.js";

const KEYS = [["1 – 7", "drop in a column"], ["← →", "move along the columns"], ["Enter", "drop there"], ["U", "undo"], ["N", "new game"], ["T", "truth on or off"], ["?", "this list"]];
const DOORS = [
  { page: "learn", title: "Learn", icon: "flask", text: "Values that move while it plays" },
  { page: "arena", title: "Arena", icon: "bars", text: "Players compete, with intervals" },
  { page: "analyse", title: "Analyse", icon: "search", text: "Any position, exactly" },
  { page: "studies", title: "Studies", icon: "book", text: "Published experiments, rerun" },
];
const LEFT = 46, BOTTOM = 24, TOP = 12, RIGHT = 8;

// The share of test games won, over the games learned from: each step to the right is ten times as many.
const Growth = {
  props: { points: Array, width: Number, height: Number, label: String },
  mounted() { this.draw(); },
  watch: { points() { this.draw(); }, width() { this.draw(); }, label() { this.draw(); } },
  methods: {
    draw() {
      const { width, height, points } = this;
      const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.label });
      const most = Math.max(1e6, points.at(-1)?.[0] ?? 0);
      const x = (games) => LEFT + (Math.log10(1 + games) / Math.log10(1 + most)) * (width - LEFT - RIGHT);
      const y = (share) => TOP + (1 - share) * (height - TOP - BOTTOM);
      for (const share of [0, 0.5, 1]) {
        svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share), class: "grid" }, root);
        svg("text", { x: LEFT - 8, y: y(share) + 4, class: "axis", "text-anchor": "end" }, root).textContent = `${share * 100}%`;
      }
      for (const [games, anchor] of [[0, "start"], [1000, "middle"], [most, "end"]])
        svg("text", { x: anchor === "end" ? width : x(games), y: height - 5, class: "axis", "text-anchor": anchor }, root).textContent = games === most ? `${short(games)} games` : short(games);
      if (points.length) {
        svg("path", { d: points.map(([games, share], at) => `${at ? "L" : "M"}${x(games)} ${y(share)}`).join(""), class: "curve" }, root);
        svg("circle", { cx: x(points.at(-1)[0]), cy: y(points.at(-1)[1]), r: 4.5, class: "curve-end" }, root);
      }
      this.$el.replaceChildren(root);
    },
  },
  template: `<div class="chart"></div>`,
};

export default {
  mixins: [live],
  components: { BoardView, Disc, Frame, Growth, Icon, Segmented, Word },
  data() { return { local: null, mini: [null, null], lastBar: 0.5, keys: KEYS, doors: DOORS, truths: [{ value: "off", label: "Off" }, { value: "exact", label: "On" }], holes: 16 }; },
  computed: {
    story() { return this.view.story; },
    pitch() {
      const game = this.view.game;
      if (this.sideways) return Math.max(28, Math.min(72, Math.floor((this.height - 160) / game.rows)));
      if (this.phone) return Math.max(36, Math.min(72, Math.floor((this.width - 24 - 16) / game.columns)));
      if (this.width < 1200) return pitchFor(game, Math.min(this.width - 64, 620) - 44, 1000);
      return Math.max(44, Math.min(72, pitchFor(game, 528, this.height - 336)));
    },
    boardState() {
      const { board, game, chips, canPlay } = this.view;
      const waiting = this.local !== null;
      return {
        game, pitch: this.pitch, compact: this.phone || this.sideways, showChips: true,
        moves: waiting ? this.local : board.moves, legal: waiting ? [] : board.legal, line: waiting ? [] : board.line,
        toMove: waiting ? 1 - board.toMove : board.toMove, canPlay: canPlay && !waiting && this.online, chips: waiting ? null : chips,
      };
    },
    minis() {
      return this.story.boards.map((board, age) => {
        const waiting = this.mini[age] !== null;
        return {
          game: this.story.game, pitch: 40, compact: true, showChips: false, chips: null, line: waiting ? [] : board.line,
          moves: waiting ? this.mini[age] : board.moves, legal: waiting ? [] : board.legal, toMove: board.toMove,
          canPlay: board.canPlay && !waiting && this.online,
        };
      });
    },
    barHeight() { return this.view.game.rows * this.pitch + 2 * (this.pitch < 60 ? 8 : this.pitch < 76 ? 12 : 16); },
    bar() { return this.view.bar ?? this.lastBar; },
    learning() { return this.story.state === "learning"; },
    paused() { return this.story.state === "paused"; },
    said() { return this.story.boards.map((board) => board.result); },
    curve() { return this.story.to ? `It won ${this.story.from} of 1,000 games against Baseline when it was born, and ${this.story.to} after ${this.story.games.toLocaleString("en")} games.` : "Nothing learned yet."; },
    // What comes next has the one primary button of the card.
    next() {
      if (!this.story.grown) return this.said[0] || this.paused ? "learn" : "beat";
      return "again";
    },
  },
  watch: { "view.bar"(bar) { if (bar !== null) this.lastBar = bar; } },
  methods: {
    received(changes) {
      if (this.isAnswered(changes)) this.local = null;
      if (changes.story) this.mini = [null, null];
    },
    drop(move) {
      if (!this.boardState.canPlay || !this.boardState.legal.includes(move)) return;
      this.local = [...this.view.board.moves, move];
      this.act("play", this.view.board.moves.length, move);
    },
    dropMini(age, move) {
      const moves = this.story.boards[age].moves;
      if (!this.minis[age].canPlay || !this.minis[age].legal.includes(move)) return;
      this.mini = this.mini.map((one, at) => (at === age ? [...moves, move] : one));
      this.act("drop", age, moves.length, move);
    },
    key(event) {
      const key = event.key.toLowerCase();
      const age = [...document.querySelectorAll(".mini-board")].findIndex((one) => one.contains(event.target));
      if (/^[1-7]$/.test(key)) age < 0 ? this.drop(Number(key) - 1) : this.dropMini(age, Number(key) - 1);
      else if (key === "u") this.act("undo");
      else if (key === "n") this.act("new");
      else if (key === "t") this.act("truth", this.view.overlay !== "exact");
      else if ((key === "arrowleft" || key === "arrowright") && event.target === document.body) this.$refs.board.focusMove();
    },
  },
  template: `
  <Frame page="home" :announce="view.announce" :notice="view.notice" :failure="view.failure" :waiting="view.waiting" :keys="keys" @dismiss="act('new')" @online="online = $event">
  <div class="home-head"><p class="home-title">Four in a row, with the truth beside it</p><p>Play, see what every move is worth, watch a machine learn.</p></div>
  <div class="home" :class="{ sideways }">
    <section class="home-board" aria-label="Board">
      <div class="status" data-testid="status"><Disc :side="view.status.side" v-if="view.status.side !== null"/>
        <h1>{{ view.board.moves.length || !view.canPlay ? view.status.title : 'You start' }}</h1><span v-if="view.status.busy" class="dots" aria-hidden="true"><i></i><i></i><i></i></span>
        <span class="caption"><Disc :side="1" :size="16"/>{{ view.opponent.strength }}, {{ view.opponent.detail }}</span></div>
      <div class="with-bar shifted"><div v-if="!phone" class="bar" aria-hidden="true" :style="{ height: barHeight + 'px' }"><div class="bar-red" :style="{ height: (1 - bar) * 100 + '%' }"></div><i></i><Disc class="top" :side="1" :size="18"/><Disc class="foot" :side="0" :size="18"/></div>
        <div><BoardView ref="board" :state="boardState" @play="drop"/>
        <div class="actions">
          <button type="button" class="outline" :disabled="!view.canUndo" @click="act('undo')"><Icon name="undo"/>Undo</button>
          <button type="button" class="outline" @click="act('new')"><Icon name="plus"/>{{ phone ? 'New' : 'New game' }}</button>
          <span class="keys" v-if="!phone"><kbd>1</kbd> – <kbd>7</kbd> drop</span>
          <span class="truth"><span>Truth</span><Segmented label="Truth above the columns" :options="truths" :value="view.overlay" @choose="act('truth', $event === 'exact')"/></span>
        </div>
        <p class="note counted"><template v-if="view.counted">“{{ view.counted }}” counts the winner’s own stones still to come, with perfect play.</template></p></div></div>
    </section>
    <div class="home-side">
      <section class="card padded story" aria-label="Watch it learn">
        <div class="heading"><h2>Watch it learn</h2><span>three in a row on 4 × 4; it starts, you are red</span></div>
        <ol class="steps-of-three">
          <li><h3>Newborn</h3><p class="note">no games yet</p>
            <div class="mini-board" data-testid="newborn"><BoardView :state="minis[0]" @play="dropMini(0, $event)"/></div>
            <p class="verdict-line"><template v-if="said[0]"><Disc v-if="said[0].side !== null" :side="said[0].side" :size="18"/><b>{{ said[0].text }}</b><span>{{ said[0].stones }} stones</span></template>
              <template v-else><Disc :side="1" :size="18"/><b>Your move</b></template></p></li>
          <li><h3>Learning</h3><p class="note">wins against <Word term="baseline">Baseline</Word></p>
            <Growth :points="story.points" :width="200" :height="176" :label="curve"/>
            <p class="verdict-line"><template v-if="story.to"><b>{{ story.from }} → {{ story.to }}</b><span>of 1,000</span></template><span v-else>it will play itself</span></p></li>
          <li><h3>{{ story.age }}</h3><p class="note">{{ story.grown ? story.games.toLocaleString('en') + ' games' : 'not yet' }}</p>
            <div v-if="story.grown" class="mini-board" data-testid="grown"><BoardView :state="minis[1]" @play="dropMini(1, $event)"/></div>
            <div v-else class="mini-board unborn" aria-hidden="true"><i v-for="hole in holes" :key="hole"></i></div>
            <p class="verdict-line"><template v-if="said[1]"><Disc v-if="said[1].side !== null" :side="said[1].side" :size="18"/><b>{{ said[1].text }}</b><span>{{ said[1].stones }} stones</span></template>
              <span v-else-if="learning">your game in {{ story.left }} s</span>
              <template v-else-if="story.grown"><Disc :side="1" :size="18"/><b>Your move</b></template><span v-else>your second game</span></p></li>
        </ol>
        <p class="told">It was told the rules and who won, nothing else. <span class="note">It learns by <Word term="self-play">playing itself</Word> and never meets Baseline, which wins or blocks if it can, else moves at random.</span></p>
        <p v-if="story.failure" class="field-error" role="alert"><Icon name="warn"/>The learner did not start: {{ story.failure }}</p>
        <div v-if="learning || paused" class="actions learning"><div class="progress"><span><b>{{ story.spent }} of {{ story.of }} s</b><span>{{ story.games.toLocaleString('en') }} games so far</span></span>
            <div class="track" role="progressbar" aria-label="Ten seconds of learning" :aria-valuenow="Math.round(story.share * 100)" aria-valuemin="0" aria-valuemax="100"><i :style="{ width: story.share * 100 + '%' }"></i></div></div>
          <button type="button" :class="paused ? 'primary' : 'outline'" data-testid="learn" @click="act('learn')"><Icon :name="paused ? 'play' : 'pause'"/>{{ paused ? story.failure ? 'Try again' : 'Go on' : 'Pause' }}</button></div>
        <div v-else class="actions">
          <button v-if="next === 'again'" type="button" class="primary" data-testid="again" @click="act('again', 1)"><Icon name="play"/>Play it again</button>
          <button type="button" :class="next === 'learn' ? 'primary' : 'outline'" data-testid="learn" @click="act('learn')"><Icon name="clock"/>{{ story.grown ? 'Learn ten seconds more' : 'Let it learn ten seconds' }}</button>
          <button v-if="said[0] && !story.grown" type="button" class="outline" @click="act('again', 0)">Beat it again</button>
          <a class="quiet" :href="story.href">Watch one in Learn</a></div>
      </section>
      <nav class="card doors" aria-label="More"><a v-for="door in doors" :key="door.page" :href="'/' + door.page"><Icon :name="door.icon"/><span><b>{{ door.title }}</b><span>{{ door.text }}</span></span></a></nav>
    </div>
  </div></Frame>`,
};
