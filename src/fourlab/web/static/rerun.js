// What the pages of studies share: text from the server, and a quick rerun with its progress.

import { Icon } from "fourlab/kit.js";

// Markup that the server drew, fetched once for each address.
export const Drawn = {
  props: { source: String },
  emits: ["drawn"],
  data() { return { text: "", failed: "" }; },
  mounted() { this.fetch(); },
  watch: { source() { this.fetch(); } },
  methods: {
    async fetch() {
      const source = this.source;
      this.failed = "";
      if (!source) { this.text = ""; return; }
      try {
        const answer = await fetch(source);
        if (!answer.ok) throw new Error((await answer.json().catch(() => ({}))).detail ?? answer.statusText);
        const text = await answer.text();
        if (source !== this.source) return; // another was asked for meanwhile
        this.text = text;
        this.$nextTick(() => this.$emit("drawn", this.$el));
      } catch (error) { if (source === this.source) this.failed = String(error.message ?? error); }
    },
  },
  template: `<div v-if="text" v-html="text"></div>
    <p v-else-if="failed" class="note drawn-failed" role="alert">{{ failed }} <button type="button" class="link" @click="fetch">Try again</button></p>
    <div v-else class="drawing" role="status"><span class="for-readers">Drawing</span></div>`,
};

// Start, watch, stop and go on with a rerun; the slot stands before "Rerun quick".
export const Rerun = {
  props: { name: String, rerun: Object, report: String },
  emits: ["act"],
  components: { Icon },
  computed: {
    state() { return this.rerun?.state ?? ""; },
    active() { return this.state === "running" || this.state === "waiting"; },
    halted() { return this.state === "stopped" || this.state === "failed"; },
    percent() { return Math.round((this.rerun?.share ?? 0) * 100); },
  },
  template: `<div class="rerun" :class="state">
    <template v-if="active">
      <div class="rerun-progress"><span><b>{{ rerun.head }}</b><span>{{ rerun.note }}</span></span>
        <div class="track" role="progressbar" :aria-label="'Rerun of ' + name" :aria-valuetext="rerun.head + ', ' + rerun.note" :aria-valuenow="percent" aria-valuemin="0" aria-valuemax="100"><i :style="{ width: percent + '%' }"></i></div></div>
      <button v-if="!rerun.others" type="button" class="outline" @click="$emit('act', 'stop_rerun', name)"><Icon name="stop"/>Stop</button>
      <p v-else class="note">Started by another visitor; its report will be here for all.</p></template>
    <template v-else>
      <p v-if="halted" class="rerun-said" :class="state" role="status"><Icon :name="state === 'failed' ? 'warn' : 'stop'"/><span><b>{{ rerun.head }}</b><template v-if="rerun.reason">: {{ rerun.reason }}</template></span></p>
      <p v-if="state === 'finished' && report" class="rerun-said finished" role="status"><Icon name="check"/><span><b>{{ rerun.head }}.</b> <a :href="report">Open the quick report</a></span></p>
      <template v-if="halted"><button v-if="!rerun.first" type="button" class="outline" @click="$emit('act', 'go_on', name)"><Icon name="play"/>{{ rerun.goOn }}</button>
        <button type="button" class="outline" @click="$emit('act', 'rerun', name)"><Icon name="reset"/>Start over</button></template>
      <template v-else><slot/><button type="button" class="outline" @click="$emit('act', 'rerun', name)"><Icon name="play"/>Rerun quick</button></template></template>
    <slot name="end"/></div>`,
};
