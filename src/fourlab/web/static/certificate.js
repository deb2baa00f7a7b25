// Certificates: what was proven of a player against every reply, how to check it, and where it fails.

import { Frame, Icon, Picker, Segmented, Thumbnail, Word, live } from "fourlab/kit.js";
import { svg } from "fourlab/board.js";
import { short } from "fourlab/curve.js";

const KEYS = [["?", "this list"]];
const SHOWN = 3; // refuting games at first
const LEFT = 48, RIGHT = 8, BOTTOM = 24, TOP = 26;

// Positions by ply as bars; the places of holes as badges above them.
const Plies = {
  props: { plies: Array, holes: Array, label: String },
  data() { return { width: 0 }; },
  mounted() {
    this.observer = new ResizeObserver(() => { this.width = this.$el.clientWidth; });
    this.observer.observe(this.$el);
  },
  beforeUnmount() { this.observer.disconnect(); },
  watch: { width() { this.draw(); }, plies() { this.draw(); } },
  methods: {
    draw() {
      const { width, plies } = this, height = 190;
      if (width < LEFT + RIGHT + 20 || !plies.length) return;
      const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": this.label });
      const most = Math.max(...plies.map((one) => one.positions));
      const first = Math.min(...plies.map((one) => one.ply)), last = Math.max(...plies.map((one) => one.ply));
      const slot = (width - LEFT - RIGHT) / ((last - first) / 2 + 1);
      const x = (ply) => LEFT + ((ply - first) / 2 + 0.5) * slot;
      const y = (count) => TOP + (height - TOP - BOTTOM) * (1 - count / most);
      for (const share of [0, 0.5, 1]) {
        svg("line", { x1: LEFT, x2: width - RIGHT, y1: y(most * share), y2: y(most * share), class: "grid" }, root);
        svg("text", { x: LEFT - 8, y: y(most * share) + 4, class: "axis", "text-anchor": "end" }, root).textContent = short(most * share);
      }
      const every = Math.max(1, Math.ceil(plies.length / (width / 40)));
      plies.forEach(({ ply, positions }, index) => {
        const wide = Math.min(26, slot * 0.76);
        svg("rect", { x: x(ply) - wide / 2, y: Math.min(y(positions), y(0) - 2), width: wide, height: Math.max(2, y(0) - y(positions)), rx: Math.min(3, wide / 4), class: "histogram" }, root);
        if (index % every === 0) svg("text", { x: x(ply), y: height - 5, class: "axis", "text-anchor": "middle" }, root).textContent = ply;
      });
      for (const { ply, count } of this.holes) {
        const below = plies.find((one) => one.ply === ply)?.positions ?? 0;
        svg("circle", { cx: x(ply), cy: y(below) - 13, r: 10, class: "hole-badge" }, root);
        svg("text", { x: x(ply), y: y(below) - 8.5, "text-anchor": "middle", class: "hole-count" }, root).textContent = count;
      }
      this.$el.replaceChildren(root);
    },
  },
  template: `<div class="plies"></div>`,
};

const isGoingOn = (circle) => ["training", "certifying"].includes(circle?.state);

const CertificateCard = {
  props: { one: Object, alone: Boolean, off: Boolean, circle: Object },
  emits: ["train"],
  components: { Icon, Plies, Thumbnail, Word },
  data() { return { all: this.alone, copied: false }; },
  computed: {
    circling() { return isGoingOn(this.circle); },
    games() { return this.all ? this.one.games : this.one.games.slice(0, SHOWN); },
    picture() { return `Positions by ply, ${this.one.totals[0].value} in all; most at ply ${this.one.plies.reduce((a, b) => (b.positions > a.positions ? b : a)).ply}.`; },
    digest() { return this.one.digest.slice(0, 16).replace(/(.{4})/g, "$1 ").trim() + " … " + this.one.digest.slice(-4); },
  },
  methods: {
    async copy() {
      try { await navigator.clipboard.writeText(this.one.digest); } catch { return; }
      this.copied = true;
      setTimeout(() => { this.copied = false; }, 1500);
    },
    file(suffix) { return `/certificate/${this.one.name}/file.${suffix}`; },
  },
  template: `
  <article v-if="one.damaged" class="card padded certificate-card"><h2>{{ one.name }}</h2><p class="field-error"><Icon name="warn"/>{{ one.damaged }}</p></article>
  <article v-else class="card certificate-card" :class="{ alone }" :aria-label="one.title + ', ' + one.player">
    <div class="certificate-part"><section class="certificate-verdict"><span class="seal" :class="one.certified ? 'good' : 'bad'"><Icon :name="one.certified ? 'shield' : 'warn'"/></span>
      <div><h2><a v-if="!alone" :href="'/certificate/' + one.name">{{ one.title }}</a><template v-else>{{ one.title }}</template></h2><p>{{ one.sentence }}</p></div></section>
    <section class="certificate-totals"><dl v-for="total in one.totals" :key="total.label"><dt>{{ total.label }}</dt><dd :class="total.kind">{{ total.value }}</dd></dl></section>
    <section class="certificate-facts"><dl>
      <dt>Player</dt><dd><code>{{ one.player }}</code></dd>
      <template v-if="one.learner"><dt>Learner</dt><dd>{{ one.learner }}; comes with fourlab</dd></template>
      <dt>Game</dt><dd>{{ one.title_of_game }}, worth {{ one.value }} to the {{ one.side }} player</dd>
      <dt><Word term="digest">Digest</Word></dt><dd class="digest"><code :title="one.digest">sha256 {{ digest }}</code><button type="button" class="outline square" :aria-label="copied ? 'Copied' : 'Copy the digest'" @click="copy"><Icon :name="copied ? 'check' : 'copy'"/></button></dd>
      <dt>Made</dt><dd>{{ one.made }}</dd></dl></section>
    <section><div class="heading"><h3>{{ one.holes.length ? 'Positions and holes by' : 'Positions by' }} <Word term="ply">ply</Word></h3><span v-if="one.holes.length && one.refuted > one.games.length">places of the first {{ one.games.length }} holes</span></div>
      <Plies :plies="one.plies" :holes="one.holes" :label="picture"/>
      <details class="data"><summary>Show data</summary><table><thead><tr><th>Ply</th><th>Positions</th></tr></thead><tbody><tr v-for="row in one.plies"><td>{{ row.ply }}</td><td>{{ row.positions.toLocaleString('en') }}</td></tr></tbody></table></details></section></div>
    <div class="certificate-part"><section v-if="circle" class="circle" role="status" aria-label="Training on" data-testid="circle">
      <div v-if="circling" class="progress"><b>{{ circle.said }}</b><div class="track" role="progressbar" aria-label="Training on" :aria-valuenow="Math.round(circle.share * 100)" aria-valuemin="0" aria-valuemax="100"><i :style="{ width: circle.share * 100 + '%' }"></i></div></div>
      <p v-else :class="circle.better ? 'win' : 'loss'"><Icon :name="circle.better ? 'check' : 'warn'"/>{{ circle.said }}</p>
      <p class="actions"><a v-if="circle.after && circle.after !== one.name" class="outline" :href="'/certificate/' + circle.after"><Icon name="shield"/>The new certificate</a><a v-if="circle.after === one.name" class="outline" :href="'/certificate/' + circle.before">The one before</a><a class="outline" :href="circle.run"><Icon name="flask"/>The run</a></p></section>
    <section v-if="one.games.length"><p class="actions train-on"><button v-if="!one.whyNot" type="button" class="primary" data-testid="train-on" :disabled="off" @click="$emit('train', one.name)"><Icon name="play"/>Train on from the holes</button>
        <span class="note">{{ one.whyNot || 'It trains ten seconds, half of its games from there, and is certified again.' }}</span></p>
      <div class="heading"><h3>Refuting games, shortest first</h3><button v-if="!alone && one.games.length > games.length" type="button" class="link" @click="all = true">All {{ one.games.length }}</button></div>
      <ol class="refuting"><li v-for="game in games" :key="game.notation"><Thumbnail :game="one.game" :moves="game.moves" :pitch="Math.min(9, 60 / one.game.columns)"/><div><b>{{ game.turn }}</b><code>{{ game.notation }}</code></div><a class="outline" :href="game.href" :aria-label="'Analyse ' + game.notation">Analyse</a></li></ol>
      <p v-if="one.refuted > one.games.length" class="note">{{ one.games.length }} of {{ one.refuted.toLocaleString('en') }} are kept with the certificate.</p>
      <p v-if="one.files.includes('holes')" class="actions"><a class="outline" :href="file('holes')" download><Icon name="down"/>Save the holes</a><span class="note">positions to train from, a line each</span></p></section>
    <section><h3>Check it yourself</h3>
      <div class="commands"><p v-for="command in one.commands" :key="command.line"><code>{{ command.line }}</code><span>{{ command.what }}</span></p></div>
      <p v-if="one.caveat" class="note">{{ one.caveat }}</p>
      <p class="actions"><a v-if="one.play" class="outline" :href="one.play"><Icon name="grid"/>Play against it</a><a v-for="suffix in one.files.filter((name) => name !== 'holes')" :key="suffix" class="outline" :href="file(suffix)" download><Icon name="down"/>{{ suffix === 'json' ? 'Certificate' : 'Its moves' }}</a></p>
      <p class="note"><Word :term="one.strict ? 'strict' : 'weak'">{{ one.strict ? 'Strict' : 'Weak' }}</Word>: {{ one.strict ? 'in every position that it can be led to.' : 'only positions that its own moves reach.' }} Nothing is said of the {{ one.side === 'first' ? 'second' : 'first' }} player. {{ one.mirrors ? 'Equal and mirrored positions' : 'Equal positions' }} count once.</p></section></div>
  </article>`,
};

export default {
  mixins: [live],
  components: { CertificateCard, Frame, Icon, Picker, Segmented, Word },
  data() {
    const known = this.start.players.some((one) => one.value === this.start.asked);
    return { keys: KEYS, open: Boolean(this.start.walk?.failure), player: known ? this.start.asked : "", typed: known ? "" : this.start.asked, side: "first", claim: "weak",
      sides: [{ value: "first", label: "First" }, { value: "second", label: "Second" }], claims: [{ value: "weak", label: "Weak" }, { value: "strict", label: "Strict" }] };
  },
  computed: {
    running() { return this.view.walk?.state === "running"; },
    circling() { return isGoingOn(this.view.circle); },
    asking() { return this.open || this.running || !(this.view.cards.length + this.view.shipped.length); },
    refused() { return this.view.error?.field === "train_on" ? this.view.error.text : ""; },
    error() { return ["certify", "board"].includes(this.view.error?.field) ? this.view.error.text : ""; },
  },
  methods: {
    circleOf({ name }) { const { circle } = this.view; return circle && [circle.before, circle.after].includes(name) ? circle : null; },
    certify() { this.act("certify", this.player || this.typed, this.side, this.claim === "strict"); this.open = true; },
  },
  template: `
  <Frame page="analyse" :announce="view.announce" :notice="view.notice" :failure="view.failure" :waiting="view.waiting" :keys="keys" @online="online = $event">
  <div class="studies-head"><h1><a v-if="view.name" class="crumb" href="/certificate">Certificates</a><template v-else>Certificates</template></h1><span class="note">A player without dice, played against every reply. Equal positions count once.</span>
    <button v-if="!view.name" type="button" class="outline" :aria-expanded="asking" @click="open = !open"><Icon name="shield"/>Certify a player</button></div>
  <section v-if="!view.name && asking" class="card padded certify-form" aria-label="Certify a player">
    <form class="strip-like" @submit.prevent="certify">
      <label>Board<Picker label="Board" :options="view.games" :value="view.game.spec" :off="running" @choose="act('board', $event)"/></label>
      <label>Player<Picker label="Player" :options="view.players" :value="player" :off="running" @choose="player = $event"/></label>
      <label v-if="!player"><Word term="spec">Spec</Word><input v-model="typed" aria-label="Player as a spec" placeholder="minimax:depth=5" spellcheck="false" autocomplete="off" :disabled="running"></label>
      <label>Side<Segmented label="Side" :options="sides" :value="side" @choose="side = $event"/></label>
      <label>Claim<Segmented label="Claim" :options="claims" :value="claim" @choose="claim = $event"/></label>
      <button v-if="!running" class="primary" :disabled="!player && !typed.trim()"><Icon name="shield"/>Certify</button>
      <button v-else type="button" class="outline" @click="act('stop_walk')"><Icon name="stop"/>Stop</button></form>
    <div v-if="running" class="progress" data-testid="walk"><span><b>{{ view.walk.player }}: {{ view.walk.said }}</b><span>{{ view.walk.about }}</span></span>
      <div class="track" role="progressbar" aria-label="Plies walked" :aria-valuenow="Math.round(view.walk.share * 100)" aria-valuemin="0" aria-valuemax="100"><i :style="{ width: view.walk.share * 100 + '%' }"></i></div></div>
    <p v-else-if="view.walk?.failure" class="field-error" role="alert"><Icon name="warn"/>{{ view.walk.failure }}</p>
    <p v-else-if="view.walk?.name" class="note" data-testid="done">Done: <a :href="'/certificate/' + view.walk.name">{{ view.walk.player }}, {{ view.walk.about }}</a></p>
    <p v-if="error" class="field-error" role="alert"><Icon name="warn"/>{{ error }}</p>
    <p class="note">Boards of at most 20 cells here, 300,000 positions, three minutes. On larger ones: <code>fourlab certify SPEC --out runs/certificates/NAME.json</code>; those are shown here too.</p>
  </section>
  <p v-if="refused" class="field-error" role="alert"><Icon name="warn"/>{{ refused }}</p>
  <div class="certificates" :class="{ alone: view.name }"><CertificateCard v-for="one in view.cards" :key="one.name" :one="one" :alone="Boolean(view.name)" :off="circling" :circle="circleOf(one)" @train="act('train_on', $event)"/></div>
  <section v-if="view.list.length > view.cards.length" class="card padded" aria-label="All certificates"><h2>All certificates</h2>
    <ul class="certificate-list"><li v-for="one in view.list" :key="one.name"><span class="verdict" :class="one.certified ? 'win' : 'loss'"><Icon :name="one.certified ? 'check' : 'close'"/>{{ one.damaged ? 'Damaged' : one.certified ? 'Proven' : 'Not proven' }}</span>
      <a :href="'/certificate/' + one.name">{{ one.player || one.name }}</a><span class="note">{{ one.damaged || one.about }}</span></li></ul></section>
  <section v-if="view.shipped.length" class="shipped" aria-labelledby="shipped"><div class="heading"><h2 id="shipped">Comes with fourlab</h2><span class="note">We know of no earlier networks proven over the whole tree of 7 × 6; strategies made by hand came before.</span></div>
    <div class="certificates"><CertificateCard v-for="one in view.shipped" :key="one.name" :one="one"/></div></section>
  </Frame>`,
};
