// What was begun and not sent, a text half typed or a board half set up, stays in this tab: a reload brings it back.

const KEY = "fourlabUnsent";
const MOST = 4000; // characters of one page's; more than the longest board as text
const PAGES = 8; // addresses; the oldest goes first

const here = () => location.pathname + location.search;

function kept() {
  try { return JSON.parse(sessionStorage[KEY] ?? "[]"); } catch { return []; }
}

// For pages whose `unsent` names the data that is not sent yet, null where there is none.
export const unsent = {
  created() {
    this.keptAt = here();
    const [, found] = kept().find(([address]) => address === this.keptAt) ?? [];
    for (const name in found) if (name in this.$data) this[name] = found[name];
  },
  // The address tells a page; where it changes, what is unsent goes along.
  mounted() {
    this.$watch(() => JSON.stringify([this.unsent, this.view.url]), this.keepUnsent);
    this.$watch("view.heard", this.arrived);
  },
  methods: {
    // Send what was begun; `clear` takes it off the page once it has arrived and was not refused.
    send(clear, name, ...args) {
      this.act(name, ...args);
      this.sending = { number: this.sent, clear };
    },
    arrived(heard) {
      if (!this.sending || heard < this.sending.number) return;
      if (!this.view.error) this.sending.clear();
      this.sending = null;
    },
    keepUnsent() {
      const others = kept().filter(([address]) => address !== this.keptAt && address !== here());
      this.keptAt = here();
      const now = this.unsent ? [[this.keptAt, this.unsent]] : [];
      const all = JSON.stringify(now).length > MOST ? others : [...others, ...now];
      sessionStorage[KEY] = JSON.stringify(all.slice(-PAGES));
    },
  },
};
