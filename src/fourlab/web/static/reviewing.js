// What Play does while a turning point is shown: the refuting line stone by stone, keys, sharing.

const BETWEEN_STONES = 600; // milliseconds
const PAGE = 9; // ghosts at first
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

export const reviewing = {
  data() { return { ghosts: 0, playing: false, spokenGhost: "", asked: Number(location.hash.slice(1)) || 0 }; },
  mounted() { if (this.asked) this.act("review", this.asked); },
  beforeUnmount() { clearInterval(this.clock); },
  computed: {
    shown() { return this.view.review?.shown ?? null; },
    // What the ghosts depend on: another turning point, or its line now known.
    told() { return this.shown ? `${this.shown.move} ${this.shown.line.length}` : ""; },
    reviewState() {
      const { line, four, marks, played } = this.shown;
      return this.shown.number ? { line, four, marks, played, shown: this.ghosts } : null;
    },
    shareAddress() {
      return this.view.kept ? `/game/${this.view.kept}#${this.view.at}` : this.view.url;
    },
    picture() {
      const { title, change, reason, line, four } = this.shown;
      const ghosts = line.slice(0, Math.min(PAGE, Math.max(this.ghosts, 0)));
      return {
        game: this.view.game, moves: this.view.board.moves, line: ghosts, flipped: this.flipped,
        four: ghosts.length === line.length ? four ?? [] : [], title, change: change ?? "", reason: reason ?? "",
      };
    },
  },
  watch: {
    told: {
      immediate: true,
      handler() { this.halt(); this.ghosts = Math.min(PAGE, this.shown?.line.length ?? 0); this.spokenGhost = ""; },
    },
  },
  methods: {
    halt() { clearInterval(this.clock); this.playing = false; },
    step(by) {
      this.halt();
      this.show(this.ghosts + by);
    },
    show(count) {
      this.ghosts = Math.max(0, Math.min(this.shown.line.length, count));
      if (!this.ghosts) return;
      const number = this.view.board.moves.length + this.ghosts;
      const side = number % 2 ? "Yellow" : "Red";
      this.spokenGhost = `${number}, ${side}, ${this.view.game.unit} ${this.shown.line[this.ghosts - 1] + 1}, ghost`;
    },
    playLine() {
      if (this.playing) return this.halt();
      if (still()) return this.show(this.shown.line.length);
      this.ghosts = this.ghosts >= this.shown.line.length ? 0 : this.ghosts;
      this.playing = true;
      this.clock = setInterval(() => {
        this.show(this.ghosts + 1);
        if (this.ghosts >= this.shown.line.length) this.halt();
      }, BETWEEN_STONES);
    },
    turnTo(by) {
      const points = this.view.review.points;
      const now = points.findIndex((one) => one.move === this.view.review.selected);
      if (points.length) this.act("review", points[(now + by + points.length) % points.length].move);
    },
    // A point of the graph: a turning point is told, any other is looked at.
    lookAt(stones) {
      const isTurning = this.view.review?.points.some((one) => one.move === stones);
      this.act(this.shown && isTurning ? "review" : "look", stones);
    },
    reviewKey(event) {
      const onButton = event.target.closest?.("button, a, input, summary, [role=slider]") && [" ", "Enter"].includes(event.key);
      const keys = {
        "[": () => this.turnTo(-1), "]": () => this.turnTo(1),
        ArrowLeft: () => this.step(-1), ArrowRight: () => this.step(1),
        " ": () => this.playLine(), Escape: () => this.act("leave"),
        Enter: () => this.shown.number && this.act("retry", this.shown.move),
      };
      if (onButton || !(event.key in keys)) return /^[1-9]$/.test(event.key);
      event.preventDefault();
      keys[event.key]();
      return true;
    },
  },
};
