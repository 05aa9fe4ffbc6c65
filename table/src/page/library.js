// Games to look at: recorded ones and etudes from the server's files, pasted ones, and those that people have played in
// this browser, which are kept in its storage, continued, recorded at their end, and rated.

import { Puzzle } from "./advice.js";
import { element } from "./board.js";
import { button, labelled } from "./controls.js";
import { fetchGame, isName, namesOf, person, ratingOf, readPasted } from "./game.js";
import { ask, post } from "./server.js";
import { isGerman, nameOf, ordinal, t } from "./texts.js";

const PAGE = 50;

// The names of a game, in the order of their places.
function resultOf({ names, places }) {
  const order = names.map((name, seat) => [places[seat] ?? Infinity, name]).sort(([one], [other]) => one - other);
  return order.map(([place, name]) => (place === Infinity ? name : `${ordinal(place)} ${name}`)).join(", ");
}

export class Library {
  /** `opened` is called after a game has been put on the board. */
  constructor(table, advice, opened) {
    this.table = table;
    this.opened = opened;
    this.puzzle = new Puzzle(table, advice);
    this.body = element("div");
    const example = "position startpos players 3 moves …";
    this.text = element("textarea", { "aria-label": t("paste game"), placeholder: example, spellcheck: "false" });
    const load = button(t("load"), () => this.paste(), { id: "load-game" });
    this.panel = element("section", {}, element("h2", {}, t("paste game")),
      element("p", { class: "note" }, t("paste note")), this.text,
      element("div", { class: "buttons" }, load), this.body);
    this.fill();
  }

  fill() {
    return this.table.ensure(async () => {
      const [etudes, games] = await Promise.all([ask("etudes"), ask("games")]);
      const parts = [];
      if (games.files.length > 0) {
        parts.push(element("h2", {}, t("games")), ...games.files.map((file) => this.gamesOf(file)));
      }
      if (etudes.files.length > 0) {
        parts.push(element("h2", {}, t("etudes")), element("p", { class: "note" }, t("puzzle")), this.puzzle.panel,
          ...etudes.files.map((file) => this.etudesOf(file)));
      }
      this.body.replaceChildren(...(parts.length > 0 ? parts : [element("p", { class: "note" }, t("no files"))]));
    });
  }

  // --- Games ---

  gamesOf({ file, games }) {
    const list = element("ul", { class: "lines" });
    let from = 0;
    const more = button(`${file} (${games})`, () => this.table.perform(async () => {
      const answer = await ask(`games/${encodeURIComponent(file)}?from=${from}&count=${PAGE}`);
      list.append(...answer.games.map((game) => element("li", {}, button(
        t("shown", { ...game, names: resultOf(game) }), () => this.openGame(file, game.number)))));
      from += answer.games.length;
      more.disabled = answer.games.length < PAGE;
    }), { class: "file" });
    return element("div", {}, more, list);
  }

  openGame(file, number) {
    return this.table.perform(async () => {
      const { game, names } = await ask(`games/${encodeURIComponent(file)}/${number}`);
      await this.show(game, names);
    });
  }

  paste() {
    const pasted = readPasted(this.text.value, this.table.game.variant);
    if (!pasted) return this.table.view.showProblem(t("no game"));
    return this.table.perform(() => this.show(pasted.game, pasted.names));
  }

  // Puts a game on the board, at its start.
  async show(game, names) {
    const answer = await fetchGame(game);
    await this.table.beginNew(answer, answer.places.map((_, seat) => person(names[seat])));
    await this.table.go(this.table.game.root);
    this.opened();
  }

  // --- Etudes ---

  etudesOf({ file, etudes }) {
    const number = element("input", { type: "number", min: 1, max: etudes, value: 1, "aria-label": t("number") });
    const open = button(t("open"), () => this.table.perform(() => this.openEtude(file, Number(number.value))));
    return element("div", {}, element("h3", {}, `${file} (${etudes})`),
      element("div", { class: "buttons" }, number, open));
  }

  async openEtude(file, number) {
    const from = Math.max(Math.floor(number) - 1, 0);
    const { etudes: [etude], total, variant } = await ask(`etudes/${encodeURIComponent(file)}?from=${from}&count=1`);
    if (!etude || number < 1) throw new Error(t("no such number", { number, most: total }));
    const answer = await post("new", { variant, start: etude.position });
    await this.table.beginNew(answer, answer.places.map(() => person()));
    this.puzzle.begin();
  }
}

// --- The games of this browser ---

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
      const open = async () => this.resume(await fetchGame(game), seats);
      return element("li", {}, button(text, () => this.table.perform(open)));
    };
    this.list.replaceChildren(...games.map(shown));
    if (games.length === 0) this.list.append(element("li", { class: "note" }, t("none played")));
    this.ratings.replaceChildren(...this.server.variants.flatMap(({ name }) => this.ratingIn(name, games)));
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

// --- Ratings ---

const PER_POINT = Math.LN10 / 400;
const NORMAL_95 = 1.96;

const chance = (difference) => 1 / (1 + Math.exp(-PER_POINT * difference));

/**
 * The likeliest rating and half its 95 % interval, from `{ rating, points }` of each opponent, where points are 1 or 0.
 * One more game, drawn against the average opponent, keeps it finite. Null without games.
 */
export function rate(results) {
  if (results.length === 0) return null;
  const mean = results.reduce((sum, { rating }) => sum + rating, 0) / results.length;
  const games = [...results, { rating: mean, points: 0.5 }];
  let [low, high] = [mean - 2000, mean + 2000];
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    const excess = games.reduce((sum, { rating, points }) => sum + points - chance(middle - rating), 0);
    if (excess > 0) low = middle;
    else high = middle;
  }
  const own = (low + high) / 2;
  const information = games.reduce((sum, { rating }) => sum + chance(own - rating) * chance(rating - own), 0);
  return { rating: own, error: NORMAL_95 / (PER_POINT * Math.sqrt(information)) };
}
