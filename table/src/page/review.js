// The review of a game: the loss of each move, the luck of each card, and their sums for each seat.

import { compare } from "./advice.js";
import { stream } from "./api.js";
import { element } from "./board.js";
import { Chart } from "./chart.js";
import { percent, signed, t } from "./texts.js";
import { button, engineSelect, seatMark } from "./view.js";
import { lineText, stepsOf } from "./words.js";

const MAX_LISTED = 6;

// Luck of the cards after a move, for the seat that moved.
const luckOf = ({ seat, cards }) => cards.reduce((sum, { luck }) => sum + luck[seat - 1], 0);

export class Review {
  constructor(table, server) {
    this.table = table;
    this.game = null;
    this.moves = [];
    this.engine = engineSelect(server);
    const toggle = () => (this.controller ? this.stop() : this.begin());
    this.start = button(t("start review"), toggle, { class: "primary", id: "start-review", disabled: "" });
    server.onEngines(() => { this.start.disabled = server.working.length === 0; });
    this.state = element("p", { class: "note", "aria-live": "polite" });
    this.body = element("div", { id: "review-body" });
    const buttons = element("div", { class: "buttons" }, this.start, this.engine);
    this.panel = element("section", {}, buttons, this.state, this.body);
    this.progressListeners = [];
    this.doneListeners = [];
    this.onProgress((text) => { this.state.textContent = text; });
    table.onChange(() => this.follow());
  }

  /** Calls `listener` with a text about each move that has been reviewed. */
  onProgress(listener) {
    this.progressListeners.push(listener);
  }

  /** Calls `listener` with the data of the server's event `done` when a review is complete. */
  onDone(listener) {
    this.doneListeners.push(listener);
  }

  // Called whenever the current position may have changed.
  follow() {
    if (this.game === this.table.game) return this.chart?.point();
    this.stop();
    this.game = this.table.game;
    this.chart = null;
    this.line = null;
    this.state.textContent = "";
    this.body.replaceChildren();
  }

  stop() {
    this.controller?.abort();
    this.controller = null;
    this.start.textContent = t("start review");
  }

  async begin() {
    const { game } = this.table;
    const controller = new AbortController();
    this.controller?.abort();
    this.controller = controller;
    this.start.textContent = t("stop");
    this.moves = [];
    this.line = game.line();
    const all = this.line.length - 1;
    try {
      const body = { game: game.request(this.line.at(-1)), engine: this.engine.value };
      for await (const [event, data] of stream("review", body, controller.signal)) {
        if (this.controller !== controller) return;
        if (event === "queue") for (const listener of this.progressListeners) listener(t("waiting", data));
        else if (event === "move") {
          this.moves.push(data);
          for (const listener of this.progressListeners) listener(t("reviewing", { done: this.moves.length, all }));
        } else if (event === "done") await this.show(data);
      }
    } catch (error) {
      if (this.controller === controller) this.table.fail(error);
    }
    if (this.controller === controller) this.stop();
  }

  async show(data) {
    const { seats } = data;
    const { game } = this;
    const worst = await this.worst(MAX_LISTED);
    if (this.game !== game) return;
    this.state.textContent = this.note();
    const sums = this.hasCards() ? ["skill", "luck", "gifts"] : ["skill", "gifts"];
    const rows = seats.map((sumsOf, seat) => {
      const cells = sums.map((key) => element("td", { class: "number" }, signed(sumsOf[key], percent)));
      const name = element("th", { scope: "row" }, seatMark(seat), this.table.names[seat]);
      return element("tr", {}, name, ...cells, element("td", { class: "number" }, percent(sumsOf.result)));
    });
    const heads = [...sums, "share"].map((key) =>
      element("th", { class: "number", scope: "col" }, t(key)));
    const head = element("tr", {}, element("th", { scope: "col" }, t("players")), ...heads);
    const table = element("table", { class: "sums" }, element("thead", {}, head), element("tbody", {}, ...rows));
    this.chart = new Chart(this.table, this.line, this.moves, this.highest(({ loss }) => loss, MAX_LISTED));
    this.body.replaceChildren(element("div", { class: "scroll", tabindex: 0 }, table), this.chart.svg,
      element("h2", {}, t("worst moves")), worst);
    if (this.hasCards()) {
      const unlucky = this.highest((move) => Math.abs(luckOf(move)), MAX_LISTED);
      const cards = this.list(unlucky.map((move) => [move, this.luckText(move)]));
      this.body.append(element("h2", {}, t("cards by luck")), cards);
    }
    this.chart.point();
    await Promise.all(this.doneListeners.map((listener) => listener(data)));
  }

  /** `true` if a card was drawn in the reviewed game. */
  hasCards() {
    return this.moves.some(({ cards }) => cards.length > 0);
  }

  /** Explanation of the sums. */
  note() {
    return [t("skill note"), this.hasCards() && t("luck note"), t("percent note")].filter(Boolean).join(" ");
  }

  // The steps of a turn in words.
  words(ply) {
    return stepsOf(this.table.game, this.line[ply]).map(({ text }) => text);
  }

  async lossText({ ply, seat, loss, best }) {
    // Before the wait, during which another game may begin.
    const name = this.table.names[seat - 1];
    const played = `${ply}. ${name}: ${this.words(ply)[0]} · ${t("loss", { loss: percent(loss) })}`;
    const [{ text }] = await lineText(this.game, this.line[ply - 1], [best]);
    return `${played} · ${t("better")}: ${text}`;
  }

  luckText(move) {
    const cards = this.words(move.ply).slice(-move.cards.length).join(", ");
    return `${move.ply}. ${this.table.names[move.seat - 1]}: ${cards} · ${signed(luckOf(move), percent)} %`;
  }

  /** The moves that lost most, as buttons that show the better moves, or a note; only of `seats` if they are given. */
  async worst(most, seats) {
    const lossOf = ({ seat, loss }) => (!seats || seats.includes(seat) ? loss : 0);
    const moves = this.highest(lossOf, most);
    if (moves.length === 0) return element("p", { class: "note" }, t("nothing lost"));
    return this.list(await Promise.all(moves.map(async (move) => [move, await this.lossText(move)])));
  }

  compare({ ply, move, best, before }) {
    return compare(this.table, this.line[ply - 1], move, best, before);
  }

  // The moves with the highest measure above 0.
  highest(measure, most) {
    const chosen = this.moves.filter((move) => measure(move) > 0).sort((one, other) => measure(other) - measure(one));
    return chosen.slice(0, most);
  }

  // Moves with their texts, as buttons that show the positions before them.
  list(entries) {
    const items = entries.map(([move, text]) =>
      element("li", {}, button(text, () => this.compare(move), { "data-ply": move.ply })));
    return element("ol", { class: "lines" }, ...items);
  }
}
