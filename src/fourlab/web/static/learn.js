// Learn: a learner at work, watched at any speed; a draft, or a run at its address.

import { BoardView, Disc, Frame, Icon, Picker, Segmented, Word, live } from "fourlab/kit.js";
import { Chart, Dial, Menu, StateTag } from "fourlab/parts.js";
import { drawCurve, drawHistogram, percent, short } from "fourlab/curve.js";
import { heat } from "fourlab/heat.js";
import { HeatTable, brief, counted } from "fourlab/heat_table.js";
import { unsent } from "fourlab/unsent.js";

const KEYS = [["Space", "run or pause"], [".", "step by a move"], ["P", "step by a phase, where there are phases"], ["G", "step by a game"], ["L", "learn 10 s"], ["T", "play 100 test games"], ["← →", "read a chart that has the focus"], ["?", "this list"]];
const MAX = 70; // of the speed slider: ten steps for each factor of ten; above the last, as fast as it goes
const TICKS = ["1", "10", "100", "1k", "10k", "100k", "1M", "max"];
const FIRST_DIALS = ["epsilon", "alpha", "gamma"]; // that stand in the strip; the others wait behind a button
const OTHER = "other";
const RELOOK = 4000; // milliseconds between two looks at the policy of a run
const TYPING = 250; // milliseconds after which what was typed is looked for

export default {
  mixins: [live, unsent],
  components: { BoardView, Chart, Dial, Disc, Frame, HeatTable, Icon, Menu, Picker, Segmented, StateTag, Word },
  data() {
    return { tab: "game", theme: 0, keys: KEYS, ticks: TICKS, sliding: null, more: false, settings: false, other: null, wanted: "", typed: "", adding: false, naming: false, leaving: false, savedAt: null, now: Date.now() };
  },
  mounted() {
    addEventListener("fourlab-theme", () => { this.theme++; });
    this.noteSaved(this.view.run);
    this.wanted = this.typed.trim();
    this.clock = setInterval(() => { this.now = Date.now(); this.lookAgain(); }, 1000);
  },
  beforeUnmount() { clearInterval(this.clock); },
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
    slider() { return this.sliding ?? (this.view.pace > 10 ** 6.05 ? MAX : Math.round(Math.log10(this.view.pace) * 10)); },
    wish() {
      if (this.slider > 60) return "as fast as it goes";
      const moves = 10 ** (this.slider / 10);
      return `${moves < 10 ? +moves.toFixed(1) : short(moves)} moves/s`;
    },
    // What was reached, not what was wished for.
    speedWords() {
      const { reached, running } = this.view;
      if (this.sliding !== null || !running || !reached) return this.wish;
      if (this.view.counted.unit !== "games") return `${short(reached.games)} ${this.view.counted.unit}/s`;
      return `${short(reached.moves)} moves/s, ${reached.games < 10 ? reached.games : short(reached.games)} games/s`;
    },
    winHead() { const last = this.view.wins.at(-1); return last ? { share: percent(last[2]), half: Math.max(1, Math.round(last[3] * 100)) } : null; },
    aboveTruth() { const last = this.view.wins.at(-1), { reference } = this.view; return last && reference !== null && last[2] > reference + 0.01; },
    ownHead() { const last = this.view.own.at(-1); return last ? percent(last[2]) : null; },
    truthHead() { const last = this.view.truth.at(-1); return last ? percent(last[2]) : null; },
    against() { return this.view.against; },
    title() { return this.view.run?.title ?? "this run"; },
    gone() { return Boolean(this.view.run?.gone); },
    canAdd() { return this.view.others.filter((one) => !this.view.compared.some((other) => other.name === one.value)); },
    tested() {
      const test = this.view.tested;
      if (!test) return null;
      const half = Math.round(((test.high - test.low) / 2) * 100);
      return { ...test, words: `${test.wins} won · ${test.draws} drawn · ${test.losses} lost`, half, score: Math.round(test.score * 100) };
    },
    unsent() { return this.typed || this.other ? { typed: this.typed, other: this.other } : null; },
    policy() { const found = this.view.policy; return found && found.text === this.wanted ? found : null; },
    open() { return !this.phone || this.settings; },
    boards() { return [...this.view.choices.game.options, { value: OTHER, label: "Another board…" }]; },
    summary() {
      const { learner, game, opponent } = this.view.choices;
      return `${learner.title}, ${game.title}, against ${opponent.title}`;
    },
    savedWords() {
      const { name, state, why } = this.view.run;
      const saved = this.savedAt === null ? null : Math.round((this.now - this.savedAt) / 1000);
      const when = saved === null ? "not saved yet" : saved < 3 ? "saved now" : saved < 120 ? `saved ${saved} s ago` : "saved";
      return `/run/${name} · ${why && state !== "running" ? why : when}`;
    },
    dials() {
      const first = this.view.dials.filter((dial) => FIRST_DIALS.includes(dial.name));
      return first.length ? FIRST_DIALS.map((name) => first.find((dial) => dial.name === name)).filter(Boolean) : this.view.dials.slice(0, 3);
    },
    others() { return this.view.dials.filter((dial) => !this.dials.includes(dial)); },
    menu() {
      const { run } = this.view;
      const kept = [{ label: "New run like this", icon: "plus", href: this.view.again }, { label: "All runs, on the shelf", icon: "shelf", href: "/shelf" }];
      if (this.gone) return kept;
      const items = [{ label: "Step by a game", icon: "step", do: () => this.act("step", "game") }];
      if (this.others.length) items.push({ label: this.more ? "Hide the rewards" : "Rewards", icon: "pencil", do: () => { this.more = !this.more; } });
      if (!run) return items;
      if (run.own) items.push({ label: "Rename", icon: "pencil", do: () => this.rename() });
      items.push({ label: "Copy link", icon: "link", do: () => navigator.clipboard?.writeText(location.origin + "/run/" + run.name) });
      items.push({ label: "Copy into a run of my own", icon: "copy", do: () => this.act("fork") });
      return [...items, ...kept];
    },
    colourScale() { return this.theme >= 0 && Array.from({ length: 41 }, (_, index) => heat(index / 20 - 1).back).join(","); },
    shown() { return (name) => !this.phone || this.tab === name; },
  },
  methods: {
    percent, short,
    thrown(games) { const found = this.view.own.find((point) => point[0] === games); return found ? percent(found[1]) : '–'; },
    value(number) { return brief(number, 0); },
    trials(count) { return counted(count, 0); },
    drawWins(host, width, height) {
      const { wins, reference, compared, bySeconds } = this.view;
      const label = this.winHead ? `Win rate against ${this.against}: ${this.winHead.share}` : "No win rate yet";
      drawCurve(host, wins, { width, height, reference, label, title: compared.length ? this.title : "", further: compared, bySeconds });
    },
    drawTruth(host, width, height) {
      const { own, truth, bySeconds } = this.view;
      const further = own.length ? [{ title: "all positions", points: truth }] : [];
      const label = `${this.ownHead ?? this.truthHead} of moves throw away value`;
      drawCurve(host, own.length ? own : truth, { width, height, kind: "loss", label, title: own.length ? "its own paths" : "all positions", further, bySeconds });
    },
    drawColumns(host, width, height) {
      const { chosen, best } = this.view.columns;
      drawHistogram(host, chosen, { width, height, others: best, label: `Chosen: ${chosen.map((share, move) => `${move + 1} ${percent(share)}`).join(", ")}` });
    },
    slide(event) { this.sliding = Number(event.target.value); },
    setSpeed() { const at = this.sliding; this.sliding = null; this.view.pace = at > 60 ? 1e9 : 10 ** (at / 10); this.act("speed", this.view.pace); },
    chooseBoard(value) {
      const { columns, rows, connect, gravity } = this.view.game;
      if (value === OTHER) this.other = { columns, rows, connect, gravity };
      else this.act("choose", "game", value);
    },
    setBoard() { const { columns, rows, connect, gravity } = this.other; this.act("board", Number(columns), Number(rows), Number(connect), gravity); this.other = null; },
    rename() { this.naming = true; this.$nextTick(() => this.$refs.name?.select()); },
    named(event) { this.naming = false; if (event.target.value.trim() && event.target.value !== this.view.run.title) this.act("rename", event.target.value); },
    search() {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => { this.wanted = this.typed.trim(); this.lookUp(); }, TYPING);
    },
    lookUp() { this.act("find", this.wanted); },
    // What it knows changes while it runs; nobody reads faster than this.
    lookAgain() {
      const due = !this.policy || (this.view.running && this.now - (this.looked ?? 0) > RELOOK);
      if (due && this.view.told && this.online && !this.view.preparing && !document.hidden) { this.looked = this.now; this.lookUp(); }
    },
    add(name) { this.adding = false; this.act("compare", [...this.view.compared.map((one) => one.name), name]); },
    drop(name) { this.act("compare", this.view.compared.map((one) => one.name).filter((other) => other !== name)); },
    key(event) {
      if (this.gone) return;
      const key = event.key.toLowerCase();
      if (key === " ") { event.preventDefault(); if (event.target.tagName === "BUTTON") event.target.blur(); this.act("run"); }
      else if (key === ".") this.act("step", "move");
      else if (key === "p" && this.view.late) this.act("step", "phase");
      else if (key === "g") this.act("step", "game");
      else if (key === "l") this.act("learn", 10);
      else if (key === "t") this.act("test");
    },
    // The server says how long ago; this clock goes on from there.
    noteSaved(run) { this.now = Date.now(); this.savedAt = !run || run.saved === null ? null : this.now - run.saved * 1000; },
    challenge() { this.leaving = true; this.act("challenge"); },
    received(changes) {
      if (changes.challenged && this.leaving) { this.leaving = false; location.assign(changes.challenged); }
      if ("run" in changes) this.noteSaved(changes.run);
      if (changes.running === false || ("preparing" in changes && !changes.preparing)) this.lookUp();
    },
  },
  template: `
  <Frame page="learn" :announce="view.announce" :notice="view.notice" :failure="view.failure" :waiting="view.waiting" :keys="keys" @dismiss="view.notice = ''" @online="online = $event">
  <h1 class="for-readers">Learn</h1>
  <div v-if="gone" class="banner neutral" role="status"><Icon name="trash"/><div><b>This run was deleted.</b> <span>On the shelf it can be brought back for ten seconds.</span></div><a class="outline" href="/shelf">Shelf</a></div>
  <div v-else-if="view.run && (view.run.watchers > 1 || !view.run.own)" class="banner neutral" role="status" data-testid="watchers"><Icon name="eye"/>
    <div><b>{{ view.run.watchers > 1 ? (view.run.watchers === 2 ? 'Two' : view.run.watchers) + ' tabs watch this run.' : 'This run is another visitor’s.' }}</b>
      <span>All see the same; what one changes, the others show. It goes on for {{ view.run.minutes }} minutes when nobody looks.</span></div>
    <button type="button" class="outline" @click="act('fork')">Copy into a run of my own</button></div>
  <div class="learn" :class="{ untold: !view.told }">
    <section class="card strip" :class="{ open, kept: view.run }" aria-label="Settings">
      <div v-if="view.run" class="run-name"><input v-if="naming" ref="name" :value="view.run.title" aria-label="Title of the run" @keydown.enter="$event.target.blur()" @keydown.esc="naming = false" @blur="named">
        <div v-else><b>{{ view.run.title }}</b> <StateTag :state="view.run.state"/></div><span>{{ savedWords }}</span></div>
      <template v-else>
        <label v-show="open">Learner<Picker label="Learner" :options="view.choices.learner.options" :value="view.choices.learner.value" @choose="act('choose', 'learner', $event)"/></label>
        <label v-show="open">Board<Picker label="Board" :options="boards" :value="view.choices.game.value" @choose="chooseBoard"/></label>
        <label v-show="open">Against<Picker label="Against" :options="view.choices.opponent.options" :value="view.choices.opponent.value" @choose="act('choose', 'opponent', $event)"/></label></template>
      <div class="strip-run"><button type="button" class="primary" data-testid="run" :disabled="gone" @click="act('run')"><Icon :name="view.running ? 'pause' : 'play'"/>{{ view.running ? 'Pause' : view.run ? 'Go on' : 'Run' }}</button>
        <button type="button" class="outline" :disabled="gone" title="Step by a move (.)" @click="act('step', 'move')"><Icon name="step"/>Step</button>
        <button v-if="view.late" type="button" class="outline" :disabled="gone" title="Step by a phase (P)" @click="act('step', 'phase')">Phase</button>
        <button type="button" class="outline" :disabled="gone" title="Learn as fast as it goes for ten seconds (L)" data-testid="sprint" @click="act('learn', 10)"><Icon name="clock"/>Learn 10 s</button></div>
      <label class="strip-speed"><span><span>Speed</span><b data-testid="speed">{{ speedWords }}</b></span><input type="range" min="0" max="70" :disabled="gone" :value="slider" aria-label="Speed" :aria-valuetext="wish"
        :style="{ '--filled': slider / 70 * 100 + '%' }" @input="slide" @change="setSpeed"><span class="ticks set"><i v-for="(tick, index) in ticks" :style="{ '--at': index / 7 }">{{ tick }}</i></span></label>
      <Dial v-for="dial in dials" :key="dial.name" v-show="open && !gone" :dial="dial" @turn="act('tune', dial.name, $event)"/>
      <Menu v-show="open" label="More" :items="menu"/>
      <button v-if="phone" type="button" class="link settings" :aria-expanded="String(settings)" @click="settings = !settings">{{ settings ? 'Hide the settings' : summary }}</button>
      <form v-if="other" class="more" aria-label="Another board" @submit.prevent="setBoard">
        <label class="narrow-field">Columns<input v-model="other.columns" type="number" min="1" max="9"></label><label class="narrow-field">Rows<input v-model="other.rows" type="number" min="1" max="9"></label>
        <label class="narrow-field">Connect<input v-model="other.connect" type="number" min="2" max="9"></label><label class="check"><input v-model="other.gravity" type="checkbox">stones fall</label>
        <button class="primary">Take this board</button><button type="button" class="outline" @click="other = null">Cancel</button></form>
      <div v-if="more && open && !gone" class="more">
        <template v-for="dial in others" :key="dial.name">
          <label v-if="dial.switch" class="check"><input type="checkbox" :checked="dial.value" @change="act('tune', dial.name, $event.target.checked ? 'yes' : 'no')">{{ dial.label }}</label>
          <Dial v-else :dial="dial" @turn="act('tune', dial.name, $event)"/></template></div>
      <p v-if="view.fixed.length || view.ended" class="note also-set" data-testid="fixed"><template v-if="view.fixed.length">Also set: <code>{{ view.fixed.join(', ') }}</code></template> <b v-if="view.ended">All {{ view.counted.unit === 'games' ? 'games are played' : view.counted.unit + ' are learned' }}.</b></p>
      <p v-if="view.error" class="field-error" role="alert"><Icon name="warn"/>{{ view.error.text }}</p>
    </section>
    <Segmented v-if="phone" label="What to show" :options="[{ value: 'game', label: 'Game' }, { value: 'values', label: 'Values' }, { value: 'curves', label: 'Curves' }]" :value="tab" @choose="tab = $event"/>
    <section v-show="shown('game')" class="card padded learn-game" aria-label="Game">
      <div class="heading"><h2>{{ view.number ? 'Game ' + view.number.toLocaleString('en') : view.record.games ? view.record.games.toLocaleString('en') + ' ' + view.counted.unit : 'No ' + view.counted.unit + ' yet' }}</h2><span>{{ view.caption }}</span></div>
      <BoardView :state="boardState"/>
      <p v-if="view.preparing" class="note waiting">Preparing this learner; the first time on a machine it is compiled <span class="dots"><i></i><i></i><i></i></span></p>
      <p v-else-if="!view.told" class="note" data-testid="untold">{{ view.counted.untold }}; the curves show what comes of it.</p>
      <p v-else class="said"><template v-if="view.said"><Disc :side="view.said.side" :size="18"/><span>{{ view.said.text }}<small v-if="view.said.why" data-testid="why"> {{ value(view.said.why.value) }}, {{ view.said.why.word }}</small></span></template><template v-else>The game begins.</template></p>
      <p v-if="view.late && view.phase.name" class="note phase"><b>Phase: {{ view.phase.name }}</b> {{ view.phase.does }}</p>
      <div v-if="view.told" class="formula"><template v-if="view.update"><div><b>{{ view.update.title }}</b><b class="accent">{{ value(view.update.old) }} → {{ value(view.update.new) }}</b></div><span>{{ view.update.formula }}</span></template>
        <span v-else>What is learned from a move is known {{ view.late ? 'when the game is over' : 'at the next turn' }}.</span></div>
      <dl class="figures"><dt>{{ view.sizeLabel }}</dt><dd>{{ view.size.toLocaleString('en') }}</dd>
        <dt>{{ view.counted.result }}</dt><dd>{{ view.record.wins.toLocaleString('en') }} of {{ view.record.games.toLocaleString('en') }}</dd></dl>
      <div class="last-test"><div class="heading"><span>Last test</span><span data-testid="tested">{{ tested ? tested.words : 'none yet' }}</span></div>
        <div class="result-bar" role="img" :aria-label="tested ? tested.words : 'no test yet'"><template v-if="tested"><i class="won" :style="{ flexGrow: tested.wins }"></i><i class="drawn" :style="{ flexGrow: tested.draws }"></i><i class="lost" :style="{ flexGrow: tested.losses }"></i></template></div>
        <p v-if="tested" class="note">score {{ tested.score }}% ± {{ tested.half }} points against {{ against }}</p></div>
      <div class="pair-of-buttons"><button type="button" class="outline" :disabled="view.preparing || gone" title="Play 100 test games (T)" @click="act('test')"><Icon name="flask"/>Test it</button>
        <button type="button" class="outline" :disabled="view.preparing || gone" @click="challenge"><Icon name="grid"/>Play against it</button></div>
    </section>
    <section v-if="!view.told" v-show="shown('values')" class="card padded learn-values" aria-label="Inside the learner">
      <div class="heading"><h2>Inside the learner</h2><span>{{ view.running ? 'now' : 'when it paused' }}</span></div>
      <dl v-if="view.inside.length" class="figures" data-testid="inside"><template v-for="[name, figure] in view.inside"><dt>{{ name }}</dt><dd>{{ figure }}</dd></template></dl>
      <p v-else class="note">{{ view.preparing ? 'It is being prepared.' : view.running ? 'Its first ' + view.counted.unit + ' are under way.' : 'Run it, and it says here what it does.' }}</p>
    </section>
    <section v-else v-show="shown('values')" class="card padded learn-values" aria-label="Values">
      <div class="heading"><h2><Word term="Q(s, a)">Q(s, a)</Word> in this game</h2><span>value, and trials below</span></div>
      <p v-if="!view.rows.length" class="note">The learner’s turns appear here, one row each.</p>
      <HeatTable :rows="view.rows" :game="view.game" :changed="view.changed" :scale="view.scale" :theme="theme"/>
      <div class="legend"><span><i class="key chosen"></i>chosen</span><span><i class="key changed"></i>just changed</span><span><i class="key exact"></i>exact best</span></div>
      <div class="scale"><span>−{{ view.scale }}</span><i :style="{ background: 'linear-gradient(90deg,' + colourScale + ')' }"></i><span>+{{ view.scale }}</span></div>
      <div class="policy"><div class="heading"><h2>Policy</h2><label>after moves <input v-model="typed" placeholder="such as 1 2" aria-label="Moves after which the policy is shown" spellcheck="false" @input="search"></label></div>
        <p v-if="view.ahead" class="note" data-testid="ahead">As it is when this game is learned from; the table above is as far as the game is shown.</p>
        <p v-if="!policy" class="note">Looking…</p><p v-else-if="policy.error" class="field-error"><Icon name="warn"/>{{ policy.error }}</p><p v-else-if="!policy.rows.length" class="note">It has learned nothing about these positions.</p>
        <div v-else class="policy-scroll" tabindex="0" role="region" aria-label="Policy as a list"><table><thead><tr><th>State</th><th>Action</th><th>Q</th><th>Trials</th></tr></thead>
          <tbody><tr v-for="one in policy.rows" :key="one.state"><td><code>{{ one.state || 'empty board' }}</code></td><td>{{ one.move + 1 }}</td><td>{{ value(one.value) }}</td><td>{{ trials(one.trials) }}</td></tr></tbody></table>
          <p v-if="policy.more" class="note">The first {{ policy.rows.length }}; more moves lead further.</p></div></div>
    </section>
    <section v-show="shown('curves')" class="card learn-curves" aria-label="Curves">
      <section><div class="heading"><h2>Win rate against <Word v-if="against === 'Baseline'" term="baseline">Baseline</Word><template v-else>{{ against }}</template></h2><span v-if="winHead"><b>{{ winHead.share }}</b> ± {{ winHead.half }} points</span></div>
        <ul v-if="view.compared.length || canAdd.length" class="curve-key"><template v-if="view.compared.length"><li><i></i>{{ title }} <b>{{ winHead ? winHead.share : '' }}</b></li>
          <li v-for="(one, index) in view.compared" :key="one.name"><i :class="'further-' + Math.min(2, index + 1)"></i>{{ one.title }} <b>{{ one.points.length ? percent(one.points.at(-1)[2]) : '' }}</b> <button type="button" class="drop" :aria-label="'Take ' + one.title + ' off the chart'" @click="drop(one.name)"><Icon name="close"/></button></li></template>
          <li v-if="canAdd.length && view.compared.length < 3" class="add"><button v-if="!adding" type="button" class="link" @click="adding = true">Add a run</button><Picker v-else label="Run to add" :options="[{ value: '', label: 'Which run?' }, ...canAdd]" value="" @choose="add"/></li></ul>
        <Chart :draw="drawWins" :data="[view.wins, view.reference, view.compared, theme]" :height="196"/>
        <p class="note">Without exploring, 200 games a point, sides in turn</p>
        <p v-if="aboveTruth" class="note explain" data-testid="above">Above perfect play: {{ against }} errs, and using its errors wins more than playing safe.</p></section>
      <section><div class="heading"><h2>Distance to truth</h2><span v-if="ownHead || truthHead"><b>{{ ownHead ?? truthHead }}</b> of moves throw away value</span></div>
        <Chart v-if="view.truth.length" :draw="drawTruth" :data="[view.own, view.truth, theme]" :height="120"/><p v-else class="note">Known once some positions of this board are solved.</p>
        <p v-if="ownHead && truthHead" class="note explain" data-testid="own">Solid: on its own paths, {{ ownHead }}. Dashed: all kinds of positions, {{ truthHead }}; most of them never occur in its games.</p></section>
      <section v-if="view.columns"><div class="heading"><h2>{{ view.game.gravity ? 'Columns' : 'Cells' }} chosen</h2><span>{{ view.columns.note }}</span></div>
        <Chart :draw="drawColumns" :data="[view.columns, theme]" :height="112"/>
        <p v-if="view.columns.best" class="note">Solid: chosen. Outlined: where the best value of a state lies{{ view.columns.states }}.{{ view.columns.mirrored ? ' Mirror images count as one.' : '' }}</p></section>
      <details class="data padded"><summary>Show data</summary><table><thead><tr><th>Games</th><th>Seconds</th><th>Win rate</th><th v-if="view.own.length">Thrown away</th></tr></thead><tbody><tr v-for="point in view.wins.slice(-20)"><td>{{ point[0].toLocaleString('en') }}</td><td>{{ point[4] }}</td><td>{{ percent(point[1]) }}</td><td v-if="view.own.length">{{ thrown(point[0]) }}</td></tr></tbody></table></details>
    </section>
  </div></Frame>`,
};
