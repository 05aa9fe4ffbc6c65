// Recorded games to look at, and etudes to judge, from the files that the server was started with.

import { Refusal, ask, post } from "./api.js";
import { element } from "./board.js";
import { button } from "./play.js";
import { readPasted } from "./pasted.js";
import { t } from "./texts.js";

const PAGE = 50;
const personsOf = (names) => names.map((name) => ({ engine: null, level: null, name }));

export class Library {
  /** `opened` is called after a game has been put on the board. */
  constructor(table, opened) {
    this.table = table;
    this.opened = opened;
    this.body = element("div");
    this.text = element("textarea", { "aria-label": t("paste game"), placeholder: "position startpos players 3 moves 5 7 1 +free", spellcheck: "false" });
    const load = button(t("load"), () => this.paste(), { id: "load-game" });
    this.panel = element("section", {}, element("h2", {}, t("paste game")), element("p", { class: "note" }, t("paste note")),
      this.text, element("div", { class: "buttons" }, load), this.body);
    this.fill();
  }

  complain(error) {
    this.table.complain(t("failed", { error: error.message }));
  }

  async fill() {
    try {
      const [etudes, games] = await Promise.all([ask("etudes"), ask("games")]);
      const parts = [];
      if (games.files.length > 0) parts.push(element("h2", {}, t("games")), ...games.files.map((file) => this.gamesOf(file)));
      if (etudes.files.length > 0) parts.push(element("h2", {}, t("etudes")), ...etudes.files.map((file) => this.etudesOf(file)));
      this.body.replaceChildren(...(parts.length > 0 ? parts : [element("p", { class: "note" }, t("no files"))]));
    } catch (error) {
      this.complain(error);
    }
  }

  // --- Games ---

  gamesOf({ file, games }) {
    const list = element("ul", { class: "lines" });
    let from = 0;
    const more = button(`${file} (${games})`, async () => {
      try {
        const answer = await ask(`games/${encodeURIComponent(file)}?from=${from}&count=${PAGE}`);
        list.append(...answer.games.map((game) => element("li", {}, button(
          t("shown", { number: game.number, names: game.names.join(", ") }), () => this.openGame(file, game.number)))));
        from += answer.games.length;
        more.disabled = answer.games.length < PAGE;
      } catch (error) {
        this.complain(error);
      }
    }, { class: "file" });
    return element("div", {}, more, list);
  }

  async openGame(file, number) {
    try {
      const { game, names } = await ask(`games/${encodeURIComponent(file)}/${number}`);
      await this.show(game, names);
    } catch (error) {
      this.complain(error);
    }
  }

  async paste() {
    const pasted = readPasted(this.text.value, this.table.game.variant);
    if (!pasted) return this.table.complain(t("no game"));
    try {
      await this.show(pasted.game, pasted.names);
    } catch (error) {
      this.complain(error);
    }
  }

  // Puts a game on the board, at its start.
  async show(game, names) {
    const answer = await post("show", { game });
    this.table.isStudy = true;
    await this.table.begin(answer, personsOf(answer.places.map((_, seat) => names[seat])));
    await this.table.go(this.table.game.root);
    this.opened();
  }

  // --- Etudes ---

  etudesOf({ file, etudes }) {
    const number = element("input", { type: "number", min: 1, max: etudes, value: 1, "aria-label": t("number") });
    const verdict = element("select", { "aria-label": t("verdict") });
    const save = button(t("save verdict"), () => this.judge(file, verdict.value), { disabled: "" });
    const open = button(t("open"), async () => {
      const etude = await this.openEtude(file, Number(number.value));
      if (!etude) return;
      const seats = etude.position.split(" ")[0].split("/").map((_, seat) => element("option", { value: seat + 1 }, t("seat", { seat: seat + 1 })));
      verdict.replaceChildren(element("option", { value: "" }, t("undecided")), ...seats);
      verdict.value = etude.verdict ?? "";
      save.disabled = false;
    });
    return element("div", {}, element("h3", {}, `${file} (${etudes})`), element("div", { class: "buttons" }, number, open),
      element("label", {}, element("span", {}, t("verdict")), verdict), save);
  }

  async openEtude(file, number) {
    try {
      const { etudes, variant } = await ask(`etudes/${encodeURIComponent(file)}`);
      const etude = etudes[number - 1];
      if (!etude) throw new Refusal(t("no such number", { number, most: etudes.length }));
      this.etude = etude;
      const answer = await post("new", { variant, start: etude.position });
      this.table.isStudy = true;
      await this.table.begin(answer, personsOf(answer.places.map(() => null)));
      return etude;
    } catch (error) {
      this.complain(error);
      return null;
    }
  }

  // Judges the open etude, even if another number has been typed since.
  async judge(file, value) {
    try {
      const verdict = value === "" ? null : Number(value);
      const { etude } = await post(`etudes/${encodeURIComponent(file)}`, { number: this.etude.number, line: this.etude.line, verdict });
      this.etude = etude;
      this.table.say(t("saved"));
    } catch (error) {
      this.complain(error);
    }
  }
}
