// The games that people have played in this browser: kept in its storage, continued, recorded at their end, and rated.

import { post } from "./api.js";
import { element } from "./board.js";
import { fetchGame } from "./game.js";
import { isName, ratingOf } from "./opponents.js";
import { rate } from "./rating.js";
import { namesOf } from "./seats.js";
import { isGerman, nameOf, ordinal, t } from "./texts.js";
import { button, labelled } from "./view.js";

const GAMES = "my games";
const NAME = "my name";
const MAX_GAMES = 200;

const isOver = (node) => node.turn === null && node.places.every(Boolean);
const isPrefix = (moves, all) => moves.every((move, index) => move === all[index]);
const isGame = ({ game, seats }) => typeof game?.variant === "string" && Array.isArray(seats) && seats.every(Boolean);

// The kept games; without those that are damaged.
function kept() {
  try {
    return JSON.parse(localStorage.getItem(GAMES) ?? "[]").filter(isGame);
  } catch {
    return [];
  }
}

// The seat of the only person, or -1.
function ownSeat(seats) {
  const own = seats.findIndex(({ engine }) => !engine);
  return seats.some(({ engine }, seat) => !engine && seat !== own) ? -1 : own;
}

export class Mine {
  /** `resume` puts a game on the board, given the server's answer and the seats. */
  constructor(table, server, resume) {
    this.table = table;
    this.server = server;
    this.resume = resume;
    /** Ends that have been shown, and the roots of their games. */
    this.ended = new WeakSet();
    this.save = button(t("save game"), () => this.table.perform(() => this.download()), { id: "save-game", disabled: "" });
    const name = localStorage.getItem(NAME) ?? "";
    this.name = element("input", { type: "text", maxlength: 40, value: name, id: "my-name" });
    this.name.addEventListener("change", () => localStorage.setItem(NAME, this.name.value.trim()));
    this.ratings = element("div", { id: "my-rating" });
    this.list = element("ul", { class: "lines", id: "my-games" });
    this.panel = element("section", {}, element("h2", {}, t("my games")),
      labelled(t("my name"), this.name), this.ratings, this.list);
    table.onPlayed((before) => this.own(before));
    table.onChange(() => this.follow());
    this.fill();
    // Ratings need the levels of engines.
    server.onEngines(() => this.fill());
  }

  // Makes the game one of this browser's, at a person's first move: a new one, or the continuation of one that is kept.
  // A finished one stays as it is.
  own(before) {
    const { game } = this.table;
    const games = kept();
    const old = games.find(({ id }) => id === game.id);
    if (game.id && !old?.places) return;
    // Its end may have been shown before a reload.
    if (old) this.ended.add(game.root);
    const { moves, ...start } = game.request(before);
    const isSame = ({ game: { moves: known, ...from }, places }) =>
      !places && JSON.stringify(from) === JSON.stringify(start) && isPrefix(known, moves);
    game.id = games.find(isSame)?.id ?? Date.now();
  }

  follow() {
    const { game, seats, mode } = this.table;
    const last = game.line().at(-1);
    this.save.disabled = !isOver(last);
    if (mode !== "play" || this.ended.has(last)) return;
    const { id } = game;
    const old = kept().find((entry) => entry.id === id);
    const places = isOver(last) ? last.places : null;
    // Only the first end is recorded and rated, even if the person takes moves back later.
    const isAgain = old?.isAgain ?? this.ended.has(game.root);
    if (places) this.ended.add(last).add(game.root);
    if (!id || old?.places) return;
    const sitting = seats.map(({ engine, level, name }) => ({ engine, level, name }));
    const entry = { id, game: game.request(last), seats: sitting, places, isAgain };
    const games = [entry, ...kept().filter((one) => one.id !== id)].slice(0, MAX_GAMES);
    localStorage.setItem(GAMES, JSON.stringify(games));
    if (places && !isAgain) {
      const body = this.forRecord(true);
      this.table.ensure(() => post("record", body));
    }
    this.fill();
  }

  // Names for a record: engines with level and limit, and the person by name. A player has the same name at each seat
  // and in each language, so that reports add up its games.
  names() {
    const { seats, limit } = this.table;
    const own = ownSeat(seats) >= 0 ? this.name.value.trim() : "";
    return seats.map(({ engine, level, name }) => {
      if (!engine) return own || (name ?? "Human");
      const player = isName(level) ? level : engine + (level ? ` (level ${level})` : "");
      return `${player}, ${limit}`;
    });
  }

  // A request for the record of the game on the board; with `keep` the server appends it to its file, if it has one, and
  // only once for each `id`.
  forRecord(keep) {
    const { game } = this.table;
    return { id: game.id, game: game.request(game.line().at(-1)), seats: this.names(), keep };
  }

  async download() {
    const { record } = await post("record", this.forRecord(false));
    const href = URL.createObjectURL(new Blob([`${record}\n`], { type: "application/jsonl" }));
    element("a", { href, download: `${this.table.game.variant}.jsonl` }).click();
    URL.revokeObjectURL(href);
  }

  // --- The list ---

  fill() {
    const games = kept();
    const shown = ({ id, game, seats, places }) => {
      const own = ownSeat(seats);
      const result = !places ? t("unfinished") : own >= 0 ? t("placed", { place: ordinal(places[own]) }) : t("over");
      const date = new Date(id).toLocaleDateString(isGerman() ? "de" : "en");
      const text = [date, nameOf(game.variant), namesOf(seats).join(", "), result].join(" · ");
      return element("li", {}, button(text, () => this.table.perform(() => this.open(game, seats))));
    };
    this.list.replaceChildren(...games.map(shown));
    if (games.length === 0) this.list.append(element("li", { class: "note" }, t("none played")));
    this.ratings.replaceChildren(...this.server.variants.flatMap(({ name }) => this.ratingIn(name, games)));
  }

  async open(game, seats) {
    await this.resume(await fetchGame(game), seats);
  }

  // The rating against levels in a variant.
  ratingIn(variant, games) {
    const ended = games.filter(({ game, places, isAgain }) => places && !isAgain && game.variant === variant);
    const results = ended.flatMap(({ seats, places }) => {
      const own = ownSeat(seats);
      const rivals = seats.map(({ engine, level }, seat) => {
        const rating = engine && own >= 0 ? ratingOf(this.server.named(engine), level) : null;
        return { rating, points: places[own] < places[seat] ? 1 : 0 };
      });
      return rivals.filter(({ rating }) => rating !== null);
    });
    const found = rate(results);
    if (!found) return [];
    const numbers = { rating: Math.round(found.rating), error: Math.round(found.error), games: results.length };
    return [element("p", { class: "rating" }, t("my rating", { game: nameOf(variant), ...numbers }))];
  }
}
