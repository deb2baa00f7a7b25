// What all pages are made of: the live connection to a session, the frame, and our own controls.

import { Board, drawDisc, svg, thumbnail } from "fourlab/board.js";
import { PAGE_ICONS, PATHS } from "fourlab/icons.js";
import { numbered, onceHeard, remember, settle, shows } from "fourlab/unheard.js";

const MOST_TEXT = 4000; // characters: any field's text is refused before, and no longer message is heard

export const Icon = {
  props: { name: String },
  computed: { path() { return PATHS[this.name]; } },
  template: `<svg class="icon" viewBox="0 0 20 20" aria-hidden="true"><path :d="path"/></svg>`,
};

export const Disc = {
  props: { side: Number, size: { type: Number, default: 22 } },
  mounted() { this.draw(); },
  watch: { side() { this.draw(); } },
  methods: {
    draw() {
      this.$el.replaceChildren();
      if (this.side === 0 || this.side === 1) drawDisc(svg("g", {}, this.$el), this.side, this.size / 2);
    },
  },
  template: `<svg class="disc-icon" :width="size" :height="size" aria-hidden="true"
    :viewBox="[-size / 2, -size / 2, size, size].join(' ')"></svg>`,
};

export const BoardView = {
  props: { state: Object },
  emits: ["play"],
  mounted() {
    this.board = new Board(this.$el, { onPlay: (move) => this.$emit("play", move) });
    this.board.update(this.state);
  },
  watch: { state: { handler(state) { this.board.update(state); } } },
  methods: { focusMove(move) { this.board.focusMove(move); } },
  template: `<div></div>`,
};

export const Thumbnail = {
  props: { game: Object, moves: Array, pitch: { type: Number, default: 9 } },
  mounted() { this.draw(); },
  watch: { moves() { this.draw(); }, game() { this.draw(); } },
  methods: { draw() { thumbnail(this.$el, this.game, this.moves, this.pitch); } },
  template: `<span class="thumbnail"></span>`,
};

export const Segmented = {
  props: { options: Array, value: String, label: String },
  emits: ["choose"],
  methods: {
    step(event, by) {
      const open = this.options.filter((option) => !option.off);
      const index = open.findIndex((option) => option.value === this.value);
      const next = open[(index + by + open.length) % open.length];
      this.$emit("choose", next.value);
      this.$nextTick(() => this.$el.querySelector("[aria-checked=true]")?.focus());
    },
  },
  template: `<div class="segmented" role="radiogroup" :aria-label="label"
      @keydown.left.prevent.stop="step($event, -1)" @keydown.right.prevent.stop="step($event, 1)">
    <button v-for="option in options" type="button" role="radio" :key="option.value"
      :aria-checked="String(option.value === value)" :disabled="option.off" :title="option.tip"
      :tabindex="option.value === value ? 0 : -1"
      @click="$emit('choose', option.value)">{{ option.label }}</button></div>`,
};

export const Picker = {
  props: { options: Array, value: String, label: String, side: { type: Number, default: -1 }, id: String, off: Boolean },
  emits: ["choose"],
  components: { Disc, Icon },
  template: `<span class="picker" :class="{ 'with-disc': side >= 0 }">
    <Disc v-if="side >= 0" :side="side" :size="18"/>
    <select :aria-label="label" :value="value" :disabled="off" @change="$emit('choose', $event.target.value)">
      <option v-for="option in options" :key="option.value" :value="option.value">{{ option.label }}</option>
    </select>
    <svg class="chevron" viewBox="0 0 20 20" aria-hidden="true"><path d="M6 8l4 4 4-4"/></svg></span>`,
};

export const Strength = {
  props: { family: Object, player: Object, strengths: Array },
  emits: ["choose", "edit"],
  components: { Icon },
  data() { return { moving: null }; },
  computed: {
    level() { return this.moving ?? this.player.level ?? 0; },
    word() { return this.player.level === null && this.moving === null ? "Custom" : this.strengths[this.level]; },
    detail() { return this.player.level === null && this.moving === null ? this.player.spec : this.family.details[this.level]; },
    filled() { return { "--filled": `${(this.level / 5) * 100}%` }; },
  },
  watch: { player() { this.moving = null; } },
  template: `<div class="strength">
    <input type="range" min="0" max="5" step="1" :value="level" :style="filled" aria-label="Strength"
      :aria-valuetext="word + ', ' + detail" @input="moving = Number($event.target.value)"
      @change="$emit('choose', family.specs[Number($event.target.value)])">
    <div class="strength-words"><b>{{ word }}</b>
      <button type="button" class="spec" :title="'Edit the spec string ' + player.spec" @click="$emit('edit')">{{ detail }}<Icon name="pencil"/></button></div></div>`,
};

const navigation = (name) => ({ page: name, title: name[0].toUpperCase() + name.slice(1), icon: PAGE_ICONS[name] ?? "flask" });
const NOTHING = "Nothing was lost.";
const RETRY_SECONDS = 4;

export const Frame = {
  props: { page: String, title: String, announce: String, notice: String, failure: String, waiting: String, keys: Array },
  emits: ["dismiss", "online"],
  components: { Icon },
  inject: { shown: { default: () => ({}) } },
  data() {
    return {
      pages: window.fourlabPages.map(navigation),
      theme: document.documentElement.dataset.theme,
      connection: "on", // lost, back
      before: "", // the address when the connection was lost
      unheard: false,
      told: "", // of what was lost
      seconds: RETRY_SECONDS,
      help: false,
      spoken: "",
    };
  },
  computed: {
    online() { return this.connection !== "lost"; },
    view() { return this.shown.view ?? {}; },
    running() { return this.view.atWork ?? window.fourlabAtWork ?? 0; },
    // What a page says itself; else that nothing was lost, if all that was shown still is.
    regained() {
      if (this.unheard) return "What you did last may not have arrived: look, and do it again if so.";
      return this.view.regained ?? (shows(this.view.url ?? "", this.before) ? NOTHING : "The page is not as it was before.");
    },
  },
  watch: {
    announce(text) { this.spoken = text; },
    regained(now) { if (this.told === NOTHING) this.told = now; }, // a loss stays told
    online(now) { this.$emit("online", now); },
  },
  mounted() {
    if (sessionStorage.fourlabLost) this.greet();
    this.shown.speak = (text) => { this.spoken = text; };
    this.listen();
    this.onKey = (event) => {
      if (event.key === "?" && !isTyping(event)) this.openHelp();
    };
    addEventListener("keydown", this.onKey);
    this.media = matchMedia("(prefers-color-scheme: dark)");
    this.onScheme = () => { if (!localStorage.getItem("fourlab-theme")) this.setTheme(this.media.matches ? "dark" : "light"); };
    this.media.addEventListener("change", this.onScheme);
    this.onPaper = (event) => { document.documentElement.dataset.theme = event.type === "beforeprint" ? "light" : this.theme; };
    for (const when of ["beforeprint", "afterprint"]) addEventListener(when, this.onPaper);
  },
  beforeUnmount() {
    removeEventListener("keydown", this.onKey);
    for (const when of ["beforeprint", "afterprint"]) removeEventListener(when, this.onPaper);
    this.media.removeEventListener("change", this.onScheme);
  },
  methods: {
    listen() {
      if (!window.socket) return setTimeout(() => this.listen(), 20); // made after this is mounted
      const manager = window.socket.io;
      manager.reconnectionDelay(RETRY_SECONDS * 1000);
      manager.reconnectionDelayMax(RETRY_SECONDS * 1000);
      manager.randomizationFactor(0);
      const lost = () => {
        this.connection = "lost";
        remember(this.shown);
        sessionStorage.fourlabLost = `at ${this.view.url ?? ""}`;
        this.count();
      };
      window.socket.on("disconnect", lost);
      manager.on("reconnect_error", lost);
      window.socket.on("connect", () => { if (this.connection === "lost") this.greet(); });
    },
    count() {
      clearInterval(this.clock);
      this.seconds = RETRY_SECONDS;
      this.clock = setInterval(() => { this.seconds = Math.max(0, this.seconds - 1); }, 1000);
    },
    // Say what became of the page once the server hears it: one that it has forgotten is loaded anew, and says it then.
    greet() {
      clearInterval(this.clock);
      onceHeard(() => {
        if (!sessionStorage.fourlabLost) return;
        this.before = sessionStorage.fourlabLost.slice(3);
        delete sessionStorage.fourlabLost;
        this.unheard = settle(this.shown);
        this.connection = "back";
        this.told = this.regained;
        setTimeout(() => { if (this.connection === "back") this.connection = "on"; }, 4000);
      });
    },
    async retry() {
      try {
        await fetch("/play", { method: "HEAD" });
        location.reload();
      } catch { this.count(); }
    },
    setTheme(theme) {
      this.theme = document.documentElement.dataset.theme = theme;
      dispatchEvent(new Event("fourlab-theme"));
    },
    toggleTheme() {
      this.setTheme(this.theme === "dark" ? "light" : "dark");
      localStorage.setItem("fourlab-theme", this.theme);
    },
    openHelp() { this.$refs.help.showModal(); },
  },
  template: `
  <a class="skip" href="#main">Skip to the board</a>
  <header class="header">
    <a class="brand" href="/" aria-label="fourlab, home">
      <svg viewBox="0 0 28 28" width="28" height="28" aria-hidden="true"><rect width="28" height="28" rx="7" class="logo-plate"/>
        <circle cx="9" cy="9" r="3.4" class="logo-red"/><circle cx="19" cy="9" r="3.4" fill="#fff"/>
        <circle cx="9" cy="19" r="3.4" class="logo-yellow"/><circle cx="19" cy="19" r="3.4" class="logo-red"/></svg>
      <b>{{ title ?? 'fourlab' }}</b></a>
    <nav class="tabs" aria-label="Pages">
      <a v-for="one in pages" :href="'/' + one.page" :aria-current="one.page === page ? 'page' : null">{{ one.title }}</a>
    </nav>
    <a class="shelf-link" href="/shelf" :aria-current="page === 'shelf' ? 'page' : null" :aria-label="running ? 'Shelf, ' + running + ' running' : 'Shelf'"><Icon name="shelf"/><span>Shelf</span><small v-if="running">{{ running }} running</small></a>
    <slot name="tools"/>
    <span class="connection" :class="{ off: !online }"><i></i>{{ online ? 'Connected' : 'Not connected' }}</span>
    <button class="plain" type="button" @click="openHelp" aria-label="Keys" title="Keys (?)"><Icon name="help"/></button>
    <button class="plain" type="button" @click="toggleTheme"
      :aria-label="theme === 'dark' ? 'Switch to light' : 'Switch to dark'"><Icon :name="theme === 'dark' ? 'sun' : 'moon'"/></button>
  </header>
  <div v-if="connection === 'lost'" class="banner warn" role="alert"><Icon name="offline"/>
    <div><b>Connection lost</b><span>{{ view.offline ?? 'The board stays as it is.' }} {{ seconds ? 'Trying again in ' + seconds + ' s.' : 'Trying now.' }}</span></div>
    <button type="button" class="outline" @click="retry">Retry</button></div>
  <div v-if="connection === 'back'" class="banner good" role="status"><Icon name="check"/>
    <div><b>Connected again</b><span>{{ told }}</span></div></div>
  <div v-if="notice" class="banner bad" role="alert"><Icon name="warn"/>
    <div><b>Not everything in this address could be used</b><span>{{ notice }}</span></div>
    <button type="button" class="plain" aria-label="Dismiss" @click="$emit('dismiss')"><Icon name="close"/></button></div>
  <div v-if="waiting" class="banner getting-ready" role="status" data-testid="waiting"><Icon name="flask"/>
    <div><b>Getting ready</b><span>{{ waiting }}</span></div></div>
  <div v-if="failure" class="banner bad" role="alert"><Icon name="warn"/>
    <div><b>That did not work</b><span>{{ failure }}</span></div></div>
  <div id="main" class="main" tabindex="-1" :inert="!online"><slot/></div>
  <nav class="bottom-bar" aria-label="Pages">
    <a v-for="one in pages" :href="'/' + one.page" :aria-current="one.page === page ? 'page' : null"><Icon :name="one.icon"/>{{ one.title }}</a>
  </nav>
  <p class="spoken" aria-live="polite">{{ spoken }}</p>
  <dialog ref="help" class="help" aria-labelledby="help-title" @click="$event.target === $refs.help && $refs.help.close()">
    <form method="dialog"><h2 id="help-title">Keys</h2>
      <dl><template v-for="[key, what] in keys"><dt><template v-for="one in key.split(' ')"><kbd v-if="one !== '–'">{{ one }}</kbd><template v-else>–</template></template></dt><dd>{{ what }}</dd></template></dl>
      <p class="note"><a href="/api">API, for programs</a></p>
      <button class="primary">Close</button></form>
  </dialog>`,
};

// What was reached by key is pressed by Space; what was clicked lets it through to the page.
let reached = null;
addEventListener("focusin", ({ target }) => { reached = target.matches(":focus-visible") ? target : null; });

export function isTyping(event) {
  const { tagName, type } = event.target;
  return tagName === "TEXTAREA" || tagName === "SELECT" || (tagName === "INPUT" && type !== "range") ||
    (event.key === " " && event.target === reached && reached.matches("button:not(.move), summary")) ||
    event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]") !== null;
}

// A page that shows a session: `view` is the session's, `act` sends what the visitor does.
export const live = {
  props: { start: Object },
  emits: ["act"],
  provide() { return { shown: this }; },
  data() { return { view: this.start, number: 0, online: true, width: innerWidth, height: high() }; },
  computed: { phone() { return this.width < 768; }, sideways() { return this.height < 480 && this.width > this.height; } },
  mounted() {
    this.keepAddress();
    this.onResize = () => { [this.width, this.height] = [innerWidth, high()]; };
    this.onKeydown = (event) => { if (!isTyping(event) && this.online) this.key?.(event); };
    addEventListener("resize", this.onResize);
    addEventListener("keydown", this.onKeydown);
  },
  beforeUnmount() {
    removeEventListener("resize", this.onResize);
    removeEventListener("keydown", this.onKeydown);
  },
  methods: {
    receive(number, changes, fresh) {
      if (!fresh && number !== this.number + 1) return this.act("resync");
      this.number = number;
      this.view = fresh ? changes : { ...this.view, ...changes };
      this.received?.(changes);
      this.keepAddress();
    },
    // Whether the board is as the server has it: a stone that was played and taken back between two updates changes none.
    isAnswered(changes) { return Boolean(changes.board) || this.view.heard >= (this.sent ?? 0); },
    act(name, ...given) {
      const args = given.map((one) => (typeof one === "string" ? one.slice(0, MOST_TEXT) : one));
      this.$emit("act", { name, args, serial: numbered(this, name, args) });
    },
    keepAddress() {
      if (this.view.url && location.pathname + location.search !== this.view.url)
        history.replaceState(history.state, "", this.view.url);
    },
  },
};

// The window's height without a phone's bars, which come and go: no board grows under a finger.
function high() { return document.documentElement.clientHeight; }

// A word that explains itself: pressed, it shows what the server's glossary says of it.
let words = 0;
export const Word = {
  props: { term: String },
  data() { return { id: `word-${words++}`, said: window.fourlabWords?.[this.term] ?? "" }; },
  methods: {
    place(event) {
      if (event.newState !== "open") return;
      const at = this.$refs.term.getBoundingClientRect(), note = this.$refs.note;
      note.style.left = `${Math.max(12, Math.min(at.left, innerWidth - note.offsetWidth - 12))}px`;
      const below = at.bottom + 6;
      note.style.top = `${below + note.offsetHeight > innerHeight ? Math.max(6, at.top - note.offsetHeight - 6) : below}px`;
    },
  },
  template: `<button ref="term" type="button" class="word" :popovertarget="id"><slot/></button><span ref="note" :id="id" popover role="note" class="word-note" @toggle="place"><b>{{ term[0].toUpperCase() + term.slice(1) }}</b>{{ said }}</span>`,
};
