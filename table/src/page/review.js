// The review of a game: the loss of each move, the luck of each card, and their sums for each seat.

import { compare } from "./advice.js";
import { stream } from "./api.js";
import { colour, drawing, element } from "./board.js";
import { percent, signed, t } from "./texts.js";
import { button, engineSelect, seatMark } from "./view.js";
import { lineText, stepsOf } from "./words.js";

const CHART = { width: 360, height: 190, left: 38, right: 8, top: 10, bottom: 22 };
const MOST_LISTED = 6;

// Luck of the cards after a move, for the seat that moved.
const luckOf = ({ seat, cards }) => cards.reduce((sum, { luck }) => sum + luck[seat - 1], 0);

export class Review {
  constructor(table, info) {
    this.table = table;
    this.moves = [];
    this.engine = engineSelect(info);
    const toggle = () => (this.controller ? this.stop() : this.begin());
    this.start = button(t("start review"), toggle, { class: "primary", id: "start-review" });
    this.state = element("p", { class: "note", "aria-live": "polite" });
    this.body = element("div", { id: "review-body" });
    const buttons = element("div", { class: "buttons" }, this.start, this.engine);
    this.panel = element("section", {}, buttons, this.state, this.body);
    this.doneListeners = [];
    table.onChange(() => this.point());
  }

  /** Calls `listener` with the data of the server's event `done` when a review is complete. */
  onDone(listener) {
    this.doneListeners.push(listener);
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
        if (event === "move") {
          this.moves.push(data);
          this.state.textContent = t("reviewing", { done: this.moves.length, all });
        } else if (event === "done") await this.show(data);
        else if (event === "error") throw new Error(data.error);
      }
    } catch (error) {
      if (this.controller === controller) this.table.fail(error);
    }
    if (this.controller === controller) this.stop();
  }

  async show(data) {
    const { seats } = data;
    this.texts = await this.betterMoves();
    this.state.textContent = t("review note");
    const rows = seats.map(({ skill, luck, gifts, result }, seat) => {
      const cells = [skill, luck, gifts].map((value) => element("td", { class: "number" }, signed(value, percent)));
      const name = element("th", { scope: "row" }, seatMark(seat), this.table.names[seat]);
      return element("tr", {}, name, ...cells, element("td", { class: "number" }, percent(result)));
    });
    const heads = ["skill", "luck", "gifts", "share"].map((key) =>
      element("th", { class: "number", scope: "col" }, t(key)));
    const head = element("tr", {}, element("th", { scope: "col" }, t("players")), ...heads);
    const table = element("table", { class: "sums" }, element("thead", {}, head), element("tbody", {}, ...rows));
    this.chart = this.curves(seats.length);
    const worst = this.worst(MOST_LISTED);
    const cards = this.ranked((move) => Math.abs(luckOf(move)), (move) => this.luckText(move));
    this.body.replaceChildren(element("div", { class: "scroll", tabindex: 0 }, table), this.chart,
      element("h2", {}, t("worst moves")), worst, element("h2", {}, t("cards by luck")), cards);
    this.point();
    for (const listener of this.doneListeners) listener(data);
  }

  // The better moves in words, by ply.
  async betterMoves() {
    const worse = this.highest((move) => move.loss ?? 0, MOST_LISTED).filter(({ best, move }) => best && best !== move);
    const texts = worse.map(async ({ ply, best }) => {
      const [{ text }] = await lineText(this.table.game, this.line[ply - 1], [best]);
      return [ply, text];
    });
    return new Map(await Promise.all(texts));
  }

  // The steps of a turn in words.
  words(ply) {
    return stepsOf(this.table.game, this.line[ply]).map(({ text }) => text);
  }

  lossText({ ply, seat, loss }) {
    const better = this.texts.has(ply) ? `, ${t("better")}: ${this.texts.get(ply)}` : "";
    return `${ply}. ${this.table.names[seat - 1]} ${this.words(ply)[0]}: ${t("loss")} ${percent(loss)} %${better}`;
  }

  luckText(move) {
    const cards = this.words(move.ply).slice(-move.cards.length).join(", ");
    return `${move.ply}. ${this.table.names[move.seat - 1]} ${cards}: ${signed(luckOf(move), percent)}`;
  }

  /** The moves that lost most, as buttons that show the better moves; only of `seats` if they are given. */
  worst(most, seats) {
    const isShown = ({ seat, move, best }) => best && best !== move && (!seats || seats.includes(seat));
    const lossOf = (move) => (isShown(move) ? move.loss ?? 0 : 0);
    return this.ranked(lossOf, (move) => this.lossText(move), most);
  }

  compare({ ply, move, best, before }) {
    return compare(this.table, this.line[ply - 1], move, best, before);
  }

  // The moves with the highest measure above 0.
  highest(measure, most) {
    const chosen = this.moves.filter((move) => measure(move) > 0).sort((one, other) => measure(other) - measure(one));
    return chosen.slice(0, most);
  }

  // The moves with the highest measure, as buttons that show the positions before them.
  ranked(measure, text, most = MOST_LISTED) {
    const items = this.highest(measure, most).map((move) => element("li", {},
      button(text(move), () => this.compare(move), { "data-ply": move.ply })));
    return element("ol", { class: "lines" }, ...items);
  }

  x(ply) {
    return CHART.left + (ply / Math.max(1, this.line.length - 1)) * (CHART.width - CHART.left - CHART.right);
  }

  // Curves of each seat's expected share after each move, with marks at the costliest moves.
  curves(seats) {
    const { width, height, top, bottom, left, right } = CHART;
    const y = (share) => top + (1 - share / 1000) * (height - top - bottom);
    const svg = drawing("svg", {
      class: "chart", viewBox: `0 0 ${width} ${height}`, role: "slider", tabindex: 0, "aria-label": t("estimate of"),
      "aria-valuemin": 0, "aria-valuemax": this.line.length - 1,
    });
    for (const share of [0, 250, 500, 750, 1000]) {
      svg.append(drawing("line", { class: "axis", x1: left, x2: width - right, y1: y(share), y2: y(share) }),
        drawing("text", { x: left - 4, y: y(share) + 3, "text-anchor": "end" }, `${share / 10} %`));
    }
    for (let seat = 0; seat < seats; seat += 1) {
      const points = this.moves.map(({ ply, after }) => `${this.x(ply).toFixed(1)},${y(after[seat]).toFixed(1)}`);
      const curve = drawing("polyline", { class: "curve", points: points.join(" ") });
      curve.style.stroke = colour(seat);
      svg.append(curve);
    }
    for (const { ply, seat, after } of this.highest((move) => move.loss ?? 0, MOST_LISTED)) {
      const mark = drawing("circle", { class: "mark", cx: this.x(ply), cy: y(after[seat - 1]), r: 4 });
      mark.style.fill = colour(seat - 1);
      svg.append(mark);
    }
    svg.append(drawing("line", { class: "cursor", y1: top, y2: height - bottom }));
    svg.addEventListener("click", (event) => {
      const { left: start, width: shown } = svg.getBoundingClientRect();
      const part = (((event.clientX - start) / shown) * width - left) / (width - left - right);
      const ply = Math.round(part * (this.line.length - 1));
      this.table.go(this.line[Math.min(Math.max(ply, 0), this.line.length - 1)]);
    });
    return svg;
  }

  // Moves the cursor to the current position.
  point() {
    const cursor = this.chart?.querySelector(".cursor");
    if (!cursor) return;
    const x = this.x(this.table.game.current.ply);
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    const { ply } = this.table.game.current;
    this.chart.setAttribute("aria-valuenow", ply);
    this.chart.setAttribute("aria-valuetext", t("board", { ply }));
  }
}
