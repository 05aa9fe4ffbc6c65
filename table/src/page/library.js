// Recorded games to look at, and etudes as puzzles, from the files that the server was started with.

import { ask, post } from "./api.js";
import { element } from "./board.js";
import { fetchGame, readPasted } from "./game.js";
import { Puzzle } from "./puzzle.js";
import { person } from "./seats.js";
import { ordinal, t } from "./texts.js";
import { button } from "./view.js";

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
    if (!pasted) return this.table.complain(t("no game"));
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
