// What a visitor did while the connection was gone without a word: done again where that is safe, else told.

const KEY = "fourlabUnheard";
const ASKS = ["resync", "find", "typed"]; // that change nothing
const SAFE = ["play", "drop"]; // they say on which position: a stone that did arrive is not played twice

// Number an action; the server's view says in `heard` which was the last that arrived.
export function numbered(page, name, args) {
  if (ASKS.includes(name)) return page.sent ?? 0;
  page.sent = (page.sent ?? 0) + 1;
  page.last = { name, args, url: page.view.url };
  return page.sent;
}

// Note what did not arrive, for this page or the one that is loaded in its place.
export function remember(page) {
  if ((page.sent ?? 0) > (page.view?.heard ?? 0)) sessionStorage[KEY] = JSON.stringify(page.last);
}

// The connection is back: play what did not arrive, and return whether there is something else to tell.
export function settle(page) {
  const last = JSON.parse(sessionStorage[KEY] ?? "null");
  delete sessionStorage[KEY];
  if (!last) return false;
  if (!SAFE.includes(last.name)) return true;
  if (last.url !== page.view.url) return false;
  onceHeard(() => page.act(last.name, ...last.args));
  return false;
}

// Do something as soon as the server listens: a page is drawn before it does.
export function onceHeard(act) {
  if (window.did_handshake) act();
  else setTimeout(() => onceHeard(act), 50);
}

// Whether an address still shows all that another did; an answer may have come meanwhile.
export function shows(now, before) {
  if (now === before) return true;
  const [one, other] = [before, now].map((url) => new URL(url || "/", location.origin));
  const moves = (url) => (url.searchParams.get("moves") ?? "") + (url.searchParams.get("then") ?? "");
  return one.pathname === other.pathname && one.searchParams.get("game") === other.searchParams.get("game") && moves(other) !== "" && moves(other).startsWith(moves(one));
}
