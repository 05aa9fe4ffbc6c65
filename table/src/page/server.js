// The server's offer: its games, which come with the page, and its engines, which it tells later.

export class Server {
  /** `variants` are the games, as `GET /api/engines` lists them. */
  constructor(variants) {
    this.variants = variants;
    this.engines = [];
    /** Maximum time of a search, in milliseconds. */
    this.longest = Infinity;
    /** Whether the server has told its engines. */
    this.isKnown = false;
    this.listeners = [];
  }

  /** The engines that work. */
  get working() {
    return this.engines.filter(({ error }) => !error);
  }

  /** The engine of this name; undefined if there is none. */
  named(name) {
    return this.engines.find((engine) => engine.name === name);
  }

  /** Calls `listener` when the engines are known; at once if they are. */
  onEngines(listener) {
    if (this.isKnown) listener();
    else this.listeners.push(listener);
  }

  /** The limit of a search that takes this time, in milliseconds, or as long as the server admits. */
  limitOf(ms) {
    return `movetime ${Math.min(ms, this.longest)}`;
  }

  /** Takes the answer of `GET /api/engines`. */
  learn({ engines, limits }) {
    this.engines = engines;
    this.longest = limits.movetime;
    this.isKnown = true;
    for (const listener of this.listeners.splice(0)) listener();
  }
}
