// Arena: a cross table that fills, ratings with intervals, and the games behind them.

import { Disc, Frame, Icon, Picker, Thumbnail, Word, live } from "fourlab/kit.js";
import { heat } from "fourlab/heat.js";
import { unsent } from "fourlab/unsent.js";

const KEYS = [["Space", "start or stop"], ["?", "this list"]];

export default {
  mixins: [live, unsent],
  components: { Disc, Frame, Icon, Picker, Thumbnail, Word },
  data() { return { keys: KEYS, theme: 0, typed: "", shown: 0 }; },
  mounted() { addEventListener("fourlab-theme", () => { this.theme++; }); this.replay(); },
  beforeUnmount() { clearInterval(this.clock); },
  watch: { replayed() { this.replay(); } },
  computed: {
    games() { return this.view.games.map((one) => ({ value: one.spec, label: one.title })); },
    share() { return this.view.total ? this.view.played / this.view.total : 0; },
    // Between games the last one is played once more, so that short events are seen as well.
    replayed() { return this.view.now ? null : this.view.latest[0]?.href; },
    current() {
      const [last] = this.view.latest;
      return this.view.now ?? (last ? { ...last, moves: last.moves.slice(0, this.shown), caption: "Latest game" } : null);
    },
    unsent() { return this.typed ? { typed: this.typed } : null; },
    begun() { return this.view.played > 0; },
    cells() {
      return this.theme >= 0 && this.view.cross.map((row, at) => row.map((cell, column) => {
        if (!cell) return null;
        const { back, ink } = heat((cell.score - 0.5) * 1.16);
        const playing = this.view.now?.pair.includes(at) && this.view.now.pair.includes(column);
        return { ...cell, playing, style: cell.games ? { background: back, color: ink } : {} };
      }));
    },
    axis() {
      const { centre, ratings } = this.view, all = ratings.flatMap((one) => [one.elo - one.half, one.elo + one.half]);
      const low = Math.floor(Math.min(centre - 500, ...all) / 500) * 500, high = Math.ceil(Math.max(centre + 500, ...all) / 500) * 500;
      const step = high - low > (this.phone ? 1000 : 1500) ? 1000 : 500;
      const ticks = [];
      for (let at = centre - Math.floor((centre - low) / step) * step; at <= high; at += step) ticks.push(at);
      return { low, high, ticks, place: (elo) => ((elo - low) / (high - low)) * 100 };
    },
    specs() {
      const options = [{ value: "", label: "Add a player" }, ...this.view.runs.map((one) => ({ value: one.spec, label: `Run: ${one.title}` }))];
      for (const family of this.view.families)
        family.specs.forEach((spec, index) => options.push({ value: spec, label: family.specs.length > 1 ? `${family.title}: ${family.details[index]}` : family.title }));
      return options.filter((one) => !this.view.players.some((player) => player.spec === one.value));
    },
  },
  methods: {
    replay() {
      clearInterval(this.clock);
      const moves = this.view.latest[0]?.moves.length ?? 0;
      this.shown = matchMedia("(prefers-reduced-motion: reduce)").matches ? moves : 0;
      if (this.replayed) this.clock = setInterval(() => { if (++this.shown >= moves) clearInterval(this.clock); }, 250);
    },
    isShown(row, column) { const { pair } = this.view; return pair !== null && pair.row === row && pair.column === column; },
    turn(by) { const { row, column, page } = this.view.pair; this.act("between", row, column, page + by); },
    addTyped() { this.send(() => { this.typed = ""; }, "add", this.typed); },
    act2(name, event) { this.act(name, event.target.value); },
    key(event) { if (event.key === " ") { event.preventDefault(); this.act("run"); } },
    bar(one) {
      const [from, to] = [this.axis.place(this.view.centre), this.axis.place(one.elo)].sort((a, b) => a - b);
      return { left: `${from}%`, width: `${to - from}%` };
    },
    whisker(one) {
      const left = this.axis.place(one.elo - one.half);
      return { left: `${left}%`, width: `${this.axis.place(one.elo + one.half) - left}%` };
    },
    save() {
      const link = document.createElement("a");
      link.href = URL.createObjectURL(new Blob([JSON.stringify(this.view.export, null, 2)], { type: "application/json" }));
      link.download = "arena.json";
      link.click();
      URL.revokeObjectURL(link.href);
    },
    fieldError() { return this.view.error ? this.view.error.text : ""; },
  },
  template: `
  <Frame page="arena" :announce="view.announce" :notice="view.notice" :failure="view.failure" :waiting="view.waiting" :keys="keys" @dismiss="act('dismiss')" @online="online = $event">
  <h1 class="for-readers">Arena</h1>
  <div class="arena">
    <section class="card strip" aria-label="Event">
      <label>Game<Picker label="Game" :options="games" :value="view.game.spec" :off="view.running" @choose="act('game', $event)"/></label>
      <label>Games begin<Picker label="Games begin" :options="view.begins.options" :value="view.begins.value" :off="view.running" @choose="act('begins', $event)"/></label>
      <label class="narrow-field wider">Games a pair<input :value="view.perPair" inputmode="numeric" :disabled="view.running" @change="act2('games', $event)"></label>
      <label class="narrow-field">Seed<input :value="view.seed" inputmode="numeric" :disabled="view.running" @change="act2('seed', $event)"></label>
      <div class="progress"><span><b>{{ view.played.toLocaleString('en') }} of {{ view.total.toLocaleString('en') }} games<template v-if="view.underWay">, {{ view.underWay.toLocaleString('en') }} under way</template></b><span>{{ view.left || view.estimate }}</span></span>
        <div class="track" role="progressbar" aria-label="Games played" :aria-valuenow="Math.round(share * 100)" aria-valuemin="0" aria-valuemax="100"><i :style="{ width: share * 100 + '%' }"></i></div></div>
      <button type="button" class="primary" data-testid="run" :disabled="(share >= 1 && !view.running) || !view.owner" @click="act('run')"><Icon :name="view.running ? 'stop' : 'play'"/>{{ view.running ? 'Stop' : begun ? 'Go on' : 'Start' }}</button>
      <button type="button" class="outline" :disabled="!view.export" @click="save"><Icon name="down"/>Export</button>
      <div class="player-row"><span v-for="(player, index) in view.players" :key="player.spec" class="player" :class="{ bare: view.running }" :title="player.spec">{{ player.short }}
          <button v-if="!view.running" type="button" :aria-label="'Remove ' + player.short" @click="act('remove', index)"><Icon name="close"/></button></span>
        <Picker v-if="!view.running && view.players.length < 8" label="Add a player" :options="specs" value="" @choose="$event && act('add', $event)"/>
        <form v-if="!view.running && view.players.length < 8" class="add-spec" @submit.prevent="addTyped"><input v-model="typed" aria-label="Player as a spec" placeholder="mcts:sims=500" spellcheck="false" autocomplete="off" autocapitalize="off"><button class="outline" :disabled="!typed.trim()">Add</button><Word term="spec">spec</Word></form></div>
      <p class="note openings" data-testid="openings">{{ view.openings }}<template v-if="view.wasOdd">{{ ' ' }}{{ view.perPair }} games a pair are played: an odd one would leave a side without its turn.</template>
<template v-if="view.kept">{{ ' ' }}{{ view.owner ? 'This event has an address of its own and goes on when nobody looks; all games are kept.' : 'Only the browser that began this event can stop it or go on.' }}</template></p>
      <p v-if="view.error" class="field-error" role="alert"><Icon name="warn"/>{{ fieldError() }}</p>
    </section>
    <section class="card padded cross-card" aria-label="Cross table">
      <div class="heading"><h2>Cross table</h2><span>score of the row player; wins, draws, losses below</span></div>
      <div class="cross-scroll"><table class="cross" :style="{ '--players': view.players.length }"><thead><tr><th></th><th v-for="player in view.players" :key="player.spec" scope="col">{{ player.short }}</th></tr></thead>
        <tbody><tr v-for="(row, index) in cells" :key="view.players[index].spec"><th scope="row">{{ view.players[index].short }}</th>
          <td v-for="(cell, column) in row" :key="column"><div v-if="!cell" class="cross-cell diagonal"></div>
            <button v-else-if="cell.games" type="button" class="cross-cell" :class="{ playing: cell.playing }" :style="cell.style" :aria-pressed="String(isShown(index, column))" :title="'Games of ' + view.players[index].short + ' against ' + view.players[column].short" @click="act('between', index, column)"><b>{{ Math.round(cell.score * 100) }}%</b><span>{{ cell.counts.join('–') }}</span></button>
            <div v-else class="cross-cell" :class="{ playing: cell.playing }">–</div></td></tr></tbody></table></div>
      <p v-if="begun && !view.pair" class="note">A cell opens the games of its pair.</p>
      <div v-if="view.pair" class="pair-games" data-testid="pair"><div class="heading"><h2>{{ view.pair.title }}</h2><span>{{ view.pair.total.toLocaleString('en') }} games; each opens in Analyse</span></div>
        <p v-if="!view.pair.games" class="note">Reading…</p>
        <ol v-else :start="view.pair.from"><li v-for="(one, index) in view.pair.games" :key="view.pair.from + index"><span>{{ view.pair.from + index }}</span><a :href="one.href">{{ one.first }} – {{ one.second }}</a><span>{{ one.moves.length }} moves</span><b>{{ one.result }}</b></li></ol>
        <p class="actions"><button v-if="view.pair.page" type="button" class="outline" @click="turn(-1)"><Icon name="back"/>Before</button><button v-if="view.pair.more" type="button" class="outline" @click="turn(1)">{{ view.pair.more.toLocaleString('en') }} more<Icon name="forward"/></button>
          <button type="button" class="outline" @click="turn(0)"><Icon name="close"/>Close</button></p></div>
    </section>
    <section class="card padded latest" aria-label="Games">
      <template v-if="current"><Thumbnail data-testid="current" :game="view.game" :moves="current.moves" :pitch="Math.min(18, 126 / view.game.columns)"/>
        <div><span class="note">{{ current.caption }}</span><p><Disc :side="0" :size="18"/>{{ current.first }}</p><p><Disc :side="1" :size="18"/>{{ current.second }}</p><code>{{ current.notation }}</code></div>
        <ul v-if="view.latest.length"><li class="note">Latest results</li><li v-for="one in view.latest.slice(0, 4)" :key="one.href"><a :href="one.href">{{ one.first }} – {{ one.second }}</a><b>{{ one.result }}</b></li></ul></template>
      <p v-else class="note">Games appear here as they are played; each opens in Analyse.</p>
    </section>
    <section class="card elo-card" aria-label="Ratings">
      <section><div class="heading"><h2><Word term="Elo">Elo</Word> with <Word term="95% interval">95% intervals</Word></h2><span>field mean {{ view.centre }}</span></div>
        <p v-if="!view.ratings.length" class="note">Ratings appear with the first games.</p>
        <ol v-else class="elo"><li v-for="(one, index) in view.ratings" :key="one.name" :class="{ close: one.close || view.ratings[index - 1]?.close }">
          <span class="elo-name">{{ one.name }}</span><span class="elo-track" aria-hidden="true"><u v-for="tick in axis.ticks" :style="{ left: axis.place(tick) + '%' }" :class="{ mean: tick === view.centre }"></u>
            <i class="elo-bar" :style="bar(one)"></i><i class="whisker" :style="whisker(one)"></i><i class="elo-dot" :style="{ left: axis.place(one.elo) + '%' }"></i></span>
          <span class="elo-number"><b>{{ one.elo }}</b> ± {{ one.half }}</span></li>
          <li v-for="name in view.unrated" :key="name"><span class="elo-name">{{ name }}</span><span class="note">no games yet</span><span></span></li>
          <li class="elo-axis" aria-hidden="true"><span></span><span class="elo-track"><em v-for="tick in axis.ticks" :style="{ left: axis.place(tick) + '%' }">{{ tick }}</em></span><span></span></li></ol></section>
      <section v-if="view.remarks.length"><div class="separated"><Icon name="warn"/><div><b>Not separated yet</b><p v-for="text in view.remarks">{{ text }}</p></div></div></section>
    </section>
  </div></Frame>`,
};
