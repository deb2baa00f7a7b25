// The report of one study: the full run or the last quick rerun, to read, rerun and keep.

import { Frame, Icon, Segmented, live } from "fourlab/kit.js";
import { Drawn, Rerun } from "fourlab/rerun.js";

const KEYS = [["Tab", "to the tables; arrows scroll them"], ["?", "this list"]];

export default {
  mixins: [live],
  components: { Drawn, Frame, Icon, Rerun, Segmented },
  data() { return { keys: KEYS, contents: [] }; },
  computed: {
    rerun() { return this.view.reruns[this.view.name]; },
    title() { return this.view.card?.title ?? this.view.name; },
    quick() { return this.view.run === "quick" || !this.view.card?.runs.quick ? "" : `/studies/${this.view.name}?run=quick`; },
  },
  mounted() {
    this.onClick = (event) => document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target) || event.target.closest(".menu a")) menu.open = false; });
    addEventListener("click", this.onClick);
  },
  beforeUnmount() { removeEventListener("click", this.onClick); },
  methods: {
    drawn(place) {
      document.title = `${this.title} · fourlab`;
      this.contents = [...place.querySelectorAll(".contents a")].map((link) => ({ href: link.getAttribute("href"), text: link.textContent }));
      if (location.hash) document.getElementById(location.hash.slice(1))?.scrollIntoView();
    },
    key(event) { if (event.key === "Escape") document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; }); },
  },
  template: `
  <Frame page="studies" :announce="view.announce" notice="" :failure="view.failure" :waiting="view.waiting" :keys="keys" @online="online = $event">
  <div v-if="view.missing" class="empty"><h1>There is no study “{{ view.name }}”</h1>
    <p v-if="view.studies.length">There are: <template v-for="(name, index) in view.studies"><template v-if="index">, </template><a :href="'/studies/' + name">{{ name }}</a></template></p>
    <a class="outline" href="/studies">All studies</a></div>
  <template v-else>
  <div class="report-head">
    <nav class="crumbs" aria-label="Where you are"><a href="/studies">Studies</a><Icon name="forward"/></nav>
    <h1>{{ title }}</h1><code>{{ view.name }}</code><span v-if="view.run" class="size">{{ view.run }}</span>
    <div class="report-actions">
      <Segmented v-if="view.runs.length > 1" label="Run" :options="view.runs" :value="view.run" @choose="act('choose', $event)"/>
      <details v-if="contents.length" class="menu"><summary class="outline"><Icon name="list"/>Contents</summary>
        <ol><li v-for="one in contents" :key="one.href"><a :href="one.href">{{ one.text }}</a></li></ol></details>
      <Rerun :name="view.name" :rerun="rerun" :report="quick" @act="act"/>
      <details v-if="view.run" class="menu"><summary class="outline"><Icon name="down"/>Download</summary>
        <ul><li><a :href="view.downloads.html" download>HTML, one file with everything</a></li><li><a :href="view.downloads.zip" download>Markdown and figures, a ZIP file</a></li></ul></details></div></div>
  <p v-if="view.error" class="field-error" role="alert"><Icon name="warn"/>{{ view.error.text }}</p>
  <Drawn v-if="view.source" class="embedded" :source="view.source" @drawn="drawn"/>
  <div v-else-if="view.card" class="card empty not-run"><h1>Not run yet</h1>
    <p v-if="view.card.told?.said">Published{{ view.card.told.source ? ' in ' + view.card.told.source : '' }}: {{ view.card.told.said }}</p>
    <p>A quick rerun takes about a minute; the full study is run in the terminal: <code>fourlab study {{ view.name }}</code></p></div>
  </template></Frame>`,
};
