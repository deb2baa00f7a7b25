// Studies: every study as a card with its most telling picture.

import { Frame, Icon, live } from "fourlab/kit.js";
import { Drawn, Rerun } from "fourlab/rerun.js";

const KEYS = [["Tab", "from card to card"], ["Enter", "open the report"], ["?", "this list"]];
const TONES = { confirmed: ["win", "check"], refuted: ["loss", "close"], undecided: ["draw", "help"], "not run": ["none", "minus"] };

export default {
  mixins: [live],
  components: { Drawn, Frame, Icon, Rerun },
  data() { return { keys: KEYS }; },
  computed: {
    busy() { return this.view.cards.every((card) => ["running", "waiting"].includes(this.view.reruns[card.name]?.state)); },
  },
  methods: {
    tone(one) { return [TONES[one.ruling][0], { zero: !one.count }]; },
    sign(one) { return TONES[one.ruling][1]; },
    quick(card) { return `/studies/${card.name}?run=quick`; },
  },
  template: `
  <Frame page="studies" :announce="view.announce" notice="" :failure="view.failure" :waiting="view.waiting" :keys="keys" @online="online = $event">
  <div class="studies-head"><h1>Studies</h1><p class="note">Published experiments rerun, each claim tested at 95%, the exact solver beside them.</p>
    <button type="button" class="outline" :disabled="!view.cards.length || busy" data-testid="all" @click="act('rerun_all')"><Icon name="play"/>Rerun all quick</button></div>
  <p v-if="view.error" class="field-error" role="alert"><Icon name="warn"/>{{ view.error.text }}</p>
  <div v-if="!view.cards.length" class="empty"><h1>No studies yet</h1><p>A study is a file, or a package that offers one: <code>fourlab study my_study.py</code></p></div>
  <div class="studies">
    <article v-for="card in view.cards" :key="card.name" class="card study" :aria-labelledby="'study-' + card.name">
      <div class="study-top"><h2 :id="'study-' + card.name"><a :href="'/studies/' + card.name">{{ card.title ?? card.name }}</a></h2><code>{{ card.name }}</code></div>
      <p class="note study-line">{{ card.line }}</p>
      <div class="study-picture">
        <div v-if="!card.title" class="drawing"></div>
        <Drawn v-else-if="card.picture" :source="card.picture"/>
        <div v-else-if="card.told" class="published"><p><b>Not run yet.</b> <span v-if="card.told.source" class="note">Published in {{ card.told.source }}</span></p>
          <p v-if="card.told.said || card.about">{{ card.told.said || card.about }}</p>
          <table v-if="card.told.rows.length"><thead><tr><th v-for="head in card.told.heads">{{ head }}</th></tr></thead>
            <tbody><tr v-for="row in card.told.rows"><td v-for="cell in row">{{ cell }}</td></tr></tbody></table>
          <p v-if="card.told.left" class="note">and {{ card.told.left }} more</p></div>
        <p v-else class="note">Its figure cannot be drawn here; the report has the tables.</p></div>
      <p v-if="card.counts?.length" class="verdicts"><span v-for="one in card.counts" :key="one.ruling" class="verdict" :class="tone(one)"><Icon :name="sign(one)"/>{{ one.count }} {{ one.ruling }}</span></p>
      <p v-else class="verdicts"></p>
      <Rerun :name="card.name" :rerun="view.reruns[card.name]" :report="card.size === 'quick' ? '' : quick(card)" @act="act">
        <a class="outline" :href="'/studies/' + card.name"><Icon name="book"/>Open report</a>
        <template #end><span v-if="!view.reruns[card.name] && card.seeds" class="note study-seeds">{{ card.seeds }}</span></template></Rerun>
    </article></div></Frame>`,
};
