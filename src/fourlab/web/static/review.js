// The game told by the truth: how both sides did, the turning points, and a place to share one.

import { Disc, Icon } from "fourlab/kit.js";
import { sendPicture } from "fourlab/review_picture.js";

const percent = (share) => (share === null ? "–" : `${Math.round(share * 100)}%`);

// How the game ended, and what each side kept.
export const ReviewSummary = {
  props: { review: Object, phone: Boolean },
  emits: ["rematch"],
  components: { Disc, Icon },
  methods: {
    percent,
    words(one) { return `${one.kept} of ${one.of} kept, ${one.best} best`; },
  },
  computed: {
    left() {
      const count = this.review.sides[0].unjudged + this.review.sides[1].unjudged;
      return count && `${count} ${count === 1 ? "move is" : "moves are"} not solved and not counted.`;
    },
  },
  template: `<section class="summary" aria-label="How it was played">
    <div class="heading"><h2>{{ review.title }}</h2><button type="button" class="outline" @click="$emit('rematch')"><Icon name="undo"/>Rematch</button></div>
    <ul class="tallies"><li v-for="one in review.sides" :key="one.side"><Disc :side="one.side" :size="20"/><span>{{ one.who }}</span>
      <span class="kept-bar" aria-hidden="true"><i class="won" :style="{ flexGrow: one.share ?? 0 }"></i><i class="lost" :style="{ flexGrow: one.share === null ? 0 : 1 - one.share }"></i></span>
      <b>{{ percent(one.share) }}</b><span class="note">{{ words(one) }}</span></li></ul>
    <p class="note">Kept: the move did not change win, draw or loss.<template v-if="left"><br>{{ left }}</template></p></section>`,
};

// Every move that changed the outcome; a click tells it on the board.
export const TurningPoints = {
  props: { review: Object, phone: Boolean },
  emits: ["choose", "think"],
  template: `<section class="turning" aria-label="Turning points">
    <div class="heading"><h2>Turning points</h2><span>{{ review.waiting || review.counts }}</span></div>
    <p v-if="!review.points.length && !review.waiting && !review.unsolved" class="note">No move changed the outcome.</p>
    <ol class="points"><li v-for="one in review.points" :key="one.move">
      <button type="button" :aria-current="String(one.move === review.selected)" @click="$emit('choose', one.move)">
        <span class="tag" :class="one.own ? 'loss' : 'win'">Move {{ one.move }}</span>
        <span><span>{{ one.sentence }}</span><span class="note">{{ one.change }}</span></span></button></li></ol>
    <p v-if="review.unsolved" class="unsolved"><span>{{ review.unsolved }}</span><button type="button" class="outline" @click="$emit('think')">Think longer</button></p></section>`,
};

// An address that leads here, and a picture to send.
export const ShareRow = {
  props: { address: String, picture: Object, off: Boolean },
  components: { Icon },
  data() { return { copied: false, said: "" }; },
  computed: { whole() { return location.origin + this.address; } },
  methods: {
    async copy() {
      if (!(await copyText(this.whole))) return this.tell("Copying is not allowed here");
      this.copied = true;
      setTimeout(() => { this.copied = false; }, 1500);
    },
    async send() {
      const saved = await sendPicture({ ...this.picture, address: this.whole });
      if (saved) this.tell(saved);
    },
    tell(text) {
      this.said = text;
      setTimeout(() => { this.said = ""; }, 4000);
    },
  },
  template: `<section class="share" aria-label="Share"><div>
    <input readonly aria-label="Address of this turning point" :value="address" @focus="$event.target.select()">
    <button type="button" class="outline" :disabled="off" @click="copy"><Icon :name="copied ? 'check' : 'link'"/>{{ copied ? 'Copied' : 'Copy link' }}</button>
    <button type="button" class="outline" :disabled="off" @click="send"><Icon name="picture"/>Picture</button></div>
    <p class="note" role="status">{{ said }}</p></section>`,
};

export async function copyText(text) {
  try { await navigator.clipboard.writeText(text); return true; } catch { return copySelected(text); }
}

// Without a secure context a browser copies only what is selected.
function copySelected(text) {
  const field = document.createElement("textarea");
  field.value = text;
  field.style.cssText = "position:fixed;top:0;opacity:0";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  return done;
}
