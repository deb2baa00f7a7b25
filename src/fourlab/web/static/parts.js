// Parts of pages where things are kept: menus, states, numbers to turn, charts.

import { Icon } from "fourlab/kit.js";

// A button with a list of things to do: [{ label, icon, do, href, bad }].
export const Menu = {
  props: { items: Array, label: String },
  components: { Icon },
  data() { return { open: false }; },
  mounted() {
    this.onOutside = (event) => { if (this.open && !this.$el.contains(event.target)) this.open = false; };
    addEventListener("pointerdown", this.onOutside);
  },
  beforeUnmount() { removeEventListener("pointerdown", this.onOutside); },
  methods: {
    toggle() { this.open = !this.open; if (this.open) this.$nextTick(() => this.entries()[0]?.focus()); },
    entries() { return [...this.$el.querySelectorAll("[role=menuitem]")]; },
    step(by) {
      const all = this.entries(), at = all.indexOf(document.activeElement);
      all[(at + by + all.length) % all.length]?.focus();
    },
    close() { this.open = false; this.$refs.button.focus(); },
    pick(item) { this.close(); item.do?.(); },
  },
  template: `<span class="menu-box" @keydown.esc.stop="close" @keydown.down.prevent.stop="step(1)" @keydown.up.prevent.stop="step(-1)">
    <button ref="button" type="button" class="outline square" :aria-label="label" aria-haspopup="menu" :aria-expanded="String(open)" @click="toggle"><Icon name="more"/></button>
    <span v-if="open" class="menu" role="menu" :aria-label="label"><template v-for="item in items" :key="item.label">
      <a v-if="item.href" role="menuitem" :href="item.href"><Icon :name="item.icon"/>{{ item.label }}</a>
      <button v-else type="button" role="menuitem" :class="{ bad: item.bad }" @click="pick(item)"><Icon :name="item.icon"/>{{ item.label }}</button></template></span></span>`,
};

// What a run or an event is doing: running, paused, finished, failed.
const STATES = { running: ["Running", "play"], paused: ["Paused", "pause"], finished: ["Finished", "check"], failed: ["Failed", "warn"] };
export const StateTag = {
  props: { state: String },
  components: { Icon },
  computed: { shown() { return STATES[this.state] ?? [this.state, "pause"]; } },
  template: `<span class="state-tag" :class="state"><Icon :name="shown[1]"/>{{ shown[0] }}</span>`,
};

// A number that is typed, or dragged by its name; what is being typed is never overwritten.
export const Dial = {
  props: { dial: Object },
  emits: ["turn"],
  data() { return { draft: null }; },
  computed: {
    number() { return typeof this.dial.value === "number" ? this.dial.value : null; },
    own() { return this.number !== null && this.dial.step < 1 ? this.number.toFixed(Math.max(2, String(this.number).split(".")[1]?.length ?? 0)) : String(this.dial.value); },
    text() { return this.draft ?? this.own; },
  },
  methods: {
    commit() { if (this.draft !== null && this.draft !== this.own) this.$emit("turn", this.draft); this.draft = null; },
    nudge(by) {
      const { low, high, step } = this.dial, from = Number(this.draft ?? this.number);
      if (Number.isNaN(from)) return;
      const next = Math.max(low, Math.min(high, from + by * step));
      this.draft = String(+next.toFixed(4));
    },
    grab(event) {
      if (this.number === null) return;
      const start = event.clientX, from = this.number;
      const move = (now) => { this.draft = String(from); this.nudge(Math.round((now.clientX - start) / 3)); };
      const drop = () => { removeEventListener("pointermove", move); removeEventListener("pointerup", drop); this.commit(); };
      addEventListener("pointermove", move);
      addEventListener("pointerup", drop);
    },
  },
  template: `<label class="narrow-field dial" :title="dial.help"><span @pointerdown.prevent="grab" :title="dial.help + '; drag sideways to turn it'">{{ dial.label }}</span><input :value="text" inputmode="decimal"
    @input="draft = $event.target.value" @change="commit" @blur="commit" @keydown.up.prevent="nudge(1); commit()" @keydown.down.prevent="nudge(-1); commit()" @keydown.esc="draft = null"></label>`,
};

export const Chart = {
  props: { draw: Function, data: null, height: Number },
  inject: { shown: { default: () => ({}) } },
  data() { return { width: 0 }; },
  mounted() {
    this.$el.said = (text) => this.shown.speak?.(text);
    this.observer = new ResizeObserver(() => { this.width = this.$el.clientWidth; });
    this.observer.observe(this.$el);
  },
  beforeUnmount() { this.observer.disconnect(); },
  watch: { width() { this.paint(); }, data() { this.paint(); } },
  methods: { paint() { if (this.width) this.draw(this.$el, this.width, this.height); } },
  template: `<div class="chart" :style="{ height: height + 'px' }"></div>`,
};
