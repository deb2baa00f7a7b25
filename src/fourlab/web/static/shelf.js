// Shelf: what a visitor has, to be opened, named, compared, played and deleted.

import { Frame, Icon, Segmented, Thumbnail, live } from "fourlab/kit.js";
import { Menu, StateTag } from "fourlab/parts.js";
import { percent } from "fourlab/curve.js";

const KEYS = [["↑ ↓", "another row"], ["Space", "choose a run"], ["Enter", "open it"], ["Delete", "delete it, with Undo for ten seconds"], ["?", "this list"]];

const Spark = {
  props: { marks: Array },
  computed: {
    path() {
      const most = Math.max(1, ...this.marks.map((mark) => mark[0]));
      return this.marks.map(([games, share], at) => `${at ? "L" : "M"}${2 + (games / most) * 76} ${26 - share * 22}`).join("");
    },
    end() { const last = this.marks.at(-1); return last ? { x: 78, y: 26 - last[1] * 22 } : null; },
  },
  template: `<svg class="spark" width="86" height="30" viewBox="0 0 86 30" aria-hidden="true"><path class="grid" d="M0 28H86"/><path v-if="marks.length" class="curve" :d="path"/><circle v-if="end" class="curve-end" :cx="end.x" :cy="end.y" r="3"/></svg>`,
};

export default {
  mixins: [live],
  components: { Frame, Icon, Menu, Segmented, Spark, StateTag, Thumbnail },
  data() { return { keys: KEYS, chosen: [], text: "", tab: "runs", naming: "", asked: null }; },
  computed: {
    runs() { const text = this.text.trim().toLowerCase(); return this.view.runs.filter((run) => `${run.title} ${run.about}`.toLowerCase().includes(text)); },
    picked() { return this.chosen.filter((name) => this.view.runs.some((run) => run.name === name)); },
    compareHref() { const [first, ...others] = this.picked; return `/run/${first}?with=${others.slice(0, 3).join(",")}`; },
    shown() { return (name) => !this.phone || this.tab === name; },
  },
  methods: {
    percent,
    choose(name) { this.chosen = this.chosen.includes(name) ? this.chosen.filter((one) => one !== name) : [...this.chosen, name]; },
    menu(item, kind) {
      const links = kind !== "run" ? [] : [
        ...(item.play ? [{ label: "Play against it", icon: "grid", href: item.play }, { label: "Enter it in Arena", icon: "bars", href: item.arena }, { label: "Ask it in Analyse", icon: "search", href: item.analyse }] : []),
      ];
      if (kind === "run" && this.phone && (item.state === "running" || item.state === "paused"))
        links.unshift({ label: item.state === "running" ? "Pause" : "Go on", icon: item.state === "running" ? "pause" : "play", do: () => this.act("toggle", item.name) });
      return [...links, { label: "Rename", icon: "pencil", do: () => this.rename(item) },
        { label: "Copy link", icon: "link", do: () => navigator.clipboard?.writeText(location.origin + item.href) },
        { label: "Delete…", icon: "trash", bad: true, do: () => this.ask(item) }];
    },
    rename(item) { this.naming = item.name; this.$nextTick(() => this.$el.parentElement.querySelector(".naming")?.select()); },
    named(item, event) { if (this.naming !== item.name) return; this.naming = ""; if (event.target.value.trim() && event.target.value !== item.title) this.act("rename", item.name, event.target.value); },
    ask(item) { this.asked = item; this.$refs.ask.returnValue = ""; this.$refs.ask.showModal(); },
    answered() { if (this.$refs.ask.returnValue === "yes") this.act("delete", this.asked.name); },
    rowKey(event, item, kind) {
      if (event.target !== event.currentTarget) return;
      const rows = [...document.querySelectorAll("[data-row]")], at = rows.indexOf(event.currentTarget);
      if (event.key === "Enter") location.assign(item.href);
      else if (event.key === " " && kind === "run") this.choose(item.name);
      else if (event.key === "Delete") this.ask(item);
      else if (event.key === "ArrowDown") rows[Math.min(rows.length - 1, at + 1)].focus();
      else if (event.key === "ArrowUp") rows[Math.max(0, at - 1)].focus();
      else return;
      event.preventDefault();
    },
  },
  template: `
  <Frame page="shelf" :announce="view.announce" :failure="view.failure" :waiting="view.waiting" :keys="keys" @online="online = $event">
  <div class="shelf">
    <section class="card meters" aria-label="How full it is"><h1>Shelf</h1>
      <div v-for="meter in view.meters" :key="meter.title" class="meter"><span>{{ meter.title }}<span><b>{{ meter.used }}</b> of {{ meter.most }} {{ meter.unit }}</span></span>
        <i role="meter" :aria-label="meter.title" aria-valuemin="0" :aria-valuemax="meter.most" :aria-valuenow="meter.used"><i :style="{ width: Math.min(100, meter.used / meter.most * 100) + '%' }"></i></i></div></section>
    <p v-if="view.deleted" class="banner neutral undo" role="status" data-testid="undo"><Icon name="trash"/><span><b>{{ view.deleted.title }}</b> was deleted.</span><button type="button" class="outline" @click="act('restore', view.deleted.name)">Undo</button></p>
    <p v-if="view.error" class="field-error" role="alert"><Icon name="warn"/>{{ view.error.text }}</p>
    <p v-if="view.problems" class="note">{{ view.problems }} damaged {{ view.problems === 1 ? 'item was' : 'items were' }} set aside when the server started; its folder has them.</p>
    <Segmented v-if="phone" label="What to show" :options="[{ value: 'runs', label: 'Runs' }, { value: 'games', label: 'Games' }, { value: 'events', label: 'Events' }]" :value="tab" @choose="tab = $event"/>
    <section v-show="shown('runs')" class="card shelf-runs" aria-labelledby="runs-title"><div class="shelf-head"><h2 id="runs-title">Runs</h2>
        <span v-if="picked.length" class="note">{{ picked.length }} chosen</span><a v-if="picked.length > 1" class="primary" :href="compareHref" data-testid="compare"><Icon name="flask"/>Compare in one chart</a>
        <label v-if="view.runs.length" class="find"><Icon name="find"/><input v-model="text" aria-label="Find a run" placeholder="Find" spellcheck="false"></label></div>
      <div v-if="!view.runs.length" class="shelf-empty"><svg viewBox="0 0 100 60" width="100" height="60" aria-hidden="true"><circle v-for="n in 15" :cx="10 + (n - 1) % 5 * 20" :cy="10 + Math.floor((n - 1) / 5) * 20" r="8" class="dashed"/></svg>
        <b>No training run yet</b><p class="note">Pick a learner and a board, then press Run.</p><a class="primary" href="/learn"><Icon name="play"/>Start a run</a></div>
      <ul v-else class="rows"><li v-for="run in runs" :key="run.name" data-row class="run-row" :class="{ chosen: picked.includes(run.name) }" tabindex="0" :aria-label="run.title + ', ' + run.state + ', ' + run.next" @keydown="rowKey($event, run, 'run')">
          <label class="tick"><input type="checkbox" :checked="picked.includes(run.name)" :aria-label="'Choose ' + run.title" @change="choose(run.name)"></label>
          <div class="row-name"><input v-if="naming === run.name" class="naming" :value="run.title" :aria-label="'Title of ' + run.title" @keydown.enter.stop="$event.target.blur()" @keydown.esc.stop="naming = ''" @blur="named(run, $event)"><a v-else :href="run.href">{{ run.title }}</a><span>{{ run.about }}</span></div>
          <div class="row-state"><StateTag :state="run.state"/><span>{{ run.soon || run.next }}</span></div>
          <Spark :marks="run.marks"/><div class="row-share"><template v-if="run.share !== null"><b>{{ percent(run.share) }}</b><span>of {{ run.of }}</span></template></div>
          <a v-if="run.state === 'finished' || run.state === 'failed'" class="outline row-act" :href="run.href"><Icon name="arrow"/>Open</a><button v-else type="button" class="outline row-act" @click="act('toggle', run.name)"><Icon :name="run.state === 'running' ? 'pause' : 'play'"/>{{ run.state === 'running' ? 'Pause' : 'Go on' }}</button>
          <Menu :label="'More for ' + run.title" :items="menu(run, 'run')"/></li></ul>
      <div class="stays"><h2>What stays, and how long</h2><p v-for="rule in view.rules" :key="rule" class="note">{{ rule }}</p></div></section>
    <div class="shelf-side">
      <section v-show="shown('games')" class="card padded" aria-labelledby="games-title"><div class="heading"><h2 id="games-title">Games</h2><button v-if="view.gameCount > 5" type="button" class="link" @click="act('all_games')">{{ view.games.length < view.gameCount ? 'All ' + view.gameCount : 'The last five' }}</button></div>
        <p v-if="!view.games.length" class="note">No game yet. <a href="/play">Play one</a></p>
        <ul class="rows game-rows"><li v-for="game in view.games" :key="game.name" data-row tabindex="0" :aria-label="game.title + ', ' + game.tag.text" @keydown="rowKey($event, game, 'game')"><Thumbnail :game="game.game" :moves="game.moves" :pitch="9"/>
          <div class="row-name"><input v-if="naming === game.name" class="naming" :value="game.title" :aria-label="'Title of ' + game.title" @keydown.enter.stop="$event.target.blur()" @keydown.esc.stop="naming = ''" @blur="named(game, $event)"><a v-else :href="game.href">{{ game.title }}</a><span>{{ game.soon || game.about }}</span></div>
          <span class="tag" :class="game.tag.kind">{{ game.tag.text }}</span><Menu :label="'More for ' + game.title" :items="menu(game, 'game')"/></li></ul></section>
      <section v-show="shown('events')" class="card padded" aria-labelledby="events-title"><div class="heading"><h2 id="events-title">Events</h2><span>games kept with them</span></div>
        <p v-if="!view.events.length" class="note">No event yet. <a href="/arena">Hold one</a></p>
        <ul class="rows"><li v-for="event in view.events" :key="event.name" data-row tabindex="0" :aria-label="event.title + ', ' + event.state" @keydown="rowKey($event, event, 'event')">
          <div class="row-name"><input v-if="naming === event.name" class="naming" :value="event.title" :aria-label="'Title of ' + event.title" @keydown.enter.stop="$event.target.blur()" @keydown.esc.stop="naming = ''" @blur="named(event, $event)"><a v-else :href="event.href">{{ event.title }}</a><span>{{ event.soon || event.about }}</span></div>
          <StateTag :state="event.state"/><Menu :label="'More for ' + event.title" :items="menu(event, 'event')"/></li></ul></section></div>
    <dialog ref="ask" class="help" aria-labelledby="ask-title" @close="answered"><form method="dialog"><h2 id="ask-title">Delete {{ asked?.title }}?</h2><p class="note ask-note">For ten seconds it can be brought back.</p><div class="pair-of-buttons"><button class="outline" value="no">Keep it</button><button class="primary" value="yes">Delete it</button></div></form></dialog>
  </div></Frame>`,
};
