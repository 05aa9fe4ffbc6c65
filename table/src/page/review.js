// The review of a game: the loss of each move, the luck of each card, their sums for each seat, and a chart of the shares;
// and the end of a game, which begins with a review.

import { compare } from "./advice.js";
import { colour, drawing, element } from "./board.js";
import { button, engineSelect, seatMark } from "./controls.js";
import { stream } from "./server.js";
import { moveTitle, ordinal, percent, signed, stepsOf, t } from "./texts.js";

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
    this.start = button(t("start review"), toggle, { class: "primary", id: "start-review" });
    this.start.disabled = server.working.length === 0;
    this.state = element("p", { class: "note", "aria-live": "polite" });
    this.body = element("div", { id: "review-body" });
    const buttons = element("div", { class: "buttons" }, this.start, this.engine);
    this.panel = element("section", {}, buttons, this.state, this.body);
    /** The end of the game, which shows the progress of a review, and its result. */
    this.ending = null;
    table.onChange(() => this.follow());
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
    this.stop();
    this.controller = new AbortController();
    const { signal } = this.controller;
    this.start.textContent = t("stop");
    this.moves = [];
    this.line = game.line();
    const all = this.line.length - 1;
    const body = { game: game.request(this.line.at(-1)), engine: this.engine.value };
    try {
      for await (const [event, data] of stream("review", body, signal)) {
        if (event === "queue") this.tell(t("waiting", data));
        else if (event === "move") {
          this.moves.push(data);
          this.tell(t("reviewing", { done: this.moves.length, all }));
        } else if (event === "done") await this.show(data);
      }
    } catch (error) {
      if (!signal.aborted) this.table.fail(error);
    }
    if (!signal.aborted) this.stop();
  }

  // Shows how far the review is.
  tell(text) {
    this.state.textContent = text;
    this.ending.progress.textContent = text;
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
    await this.ending.show(data);
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
    const { game, line } = this;
    const name = this.table.names[seat - 1];
    const played = `${ply}. ${name}: ${this.words(ply)[0]} · ${t("loss", { loss: percent(loss) })}`;
    const node = line[ply - 1];
    await game.look(node);
    const text = moveTitle(game, node, node.moves.find(({ move }) => move === best));
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

// --- The chart ---

const CHART = { width: 360, height: 190, left: 38, right: 8, top: 10, bottom: 22 };
const CHART_KEYS = { ArrowUp: 1, ArrowDown: -1 };

const heightOf = (share) => CHART.top + (1 - share / 1000) * (CHART.height - CHART.top - CHART.bottom);

/** Each seat's expected share over the game, as a slider through its moves. */
class Chart {
  /** `line` are the nodes of the game, `moves` the server's events, `marked` those of the moves to mark. */
  constructor(table, line, moves, marked) {
    this.table = table;
    this.line = line;
    const { width, height, left, right, top, bottom } = CHART;
    const last = line.length - 1;
    this.x = (ply) => left + (ply / Math.max(1, last)) * (width - left - right);
    this.cursor = drawing("line", { class: "cursor", y1: top, y2: height - bottom });
    this.svg = drawing("svg", {
      class: "chart", viewBox: `0 0 ${width} ${height}`, role: "slider", tabindex: 0, "aria-label": t("estimate of"),
      "aria-valuemin": 0, "aria-valuemax": last,
    }, ...this.axes(), ...this.curves(moves), ...this.marks(marked), this.cursor);
    this.listen();
  }

  axes() {
    const { width, left, right } = CHART;
    return [0, 250, 500, 750, 1000].flatMap((share) => [
      drawing("line", { class: "axis", x1: left, x2: width - right, y1: heightOf(share), y2: heightOf(share) }),
      drawing("text", { x: left - 4, y: heightOf(share) + 3, "text-anchor": "end" }, `${share / 10} %`),
    ]);
  }

  curves(moves) {
    return this.table.seats.map((_, seat) => {
      const points = moves.map(({ ply, after }) => `${this.x(ply).toFixed(1)},${heightOf(after[seat]).toFixed(1)}`);
      const curve = drawing("polyline", { class: "curve", points: points.join(" ") });
      curve.style.stroke = colour(seat);
      return curve;
    });
  }

  marks(moves) {
    return moves.map(({ ply, seat, after }) => {
      const mark = drawing("circle", { class: "mark", cx: this.x(ply), cy: heightOf(after[seat - 1]), r: 4 });
      mark.style.fill = colour(seat - 1);
      return mark;
    });
  }

  // The node under a pointer.
  nodeAt({ clientX }) {
    const { left: start, width: shown } = this.svg.getBoundingClientRect();
    const { width, left, right } = CHART;
    const part = (((clientX - start) / shown) * width - left) / (width - left - right);
    const last = this.line.length - 1;
    return this.line[Math.min(Math.max(Math.round(part * last), 0), last)];
  }

  // A press goes to its move, and moving on goes through the game. The last position stays, with its legal moves; if
  // the browser takes a finger over, to scroll the page, the one before the press.
  listen() {
    const { svg, table } = this;
    let before = null;
    svg.addEventListener("pointerdown", (event) => {
      if (event.button !== 0) return;
      svg.setPointerCapture(event.pointerId);
      before = table.game.current;
      table.glance(this.nodeAt(event));
    });
    svg.addEventListener("pointermove", (event) => {
      if (svg.hasPointerCapture(event.pointerId)) table.glance(this.nodeAt(event));
    });
    svg.addEventListener("pointerup", (event) => {
      if (svg.hasPointerCapture(event.pointerId)) table.go(this.nodeAt(event));
    });
    svg.addEventListener("pointercancel", () => table.go(before));
    svg.addEventListener("keydown", (event) => {
      if (!CHART_KEYS[event.key]) return;
      event.preventDefault();
      table.step(CHART_KEYS[event.key]);
    });
  }

  /** Moves the cursor to the current position. */
  point() {
    const { ply } = this.table.game.current;
    this.cursor.setAttribute("x1", this.x(ply));
    this.cursor.setAttribute("x2", this.x(ply));
    this.svg.setAttribute("aria-valuenow", ply);
    this.svg.setAttribute("aria-valuetext", t("board", { ply }));
  }
}

// --- The end of a game ---

const BARS_WIDTH = 340;
/** Height of a seat's name with its bars, and of one bar. */
const ROW = 52;
const BAR = 16;
/** Width kept free for the text beside a bar. */
const TEXT = 100;
const MAX_LISTED_AT_END = 3;

/** Places, skill against luck, the costliest moves, a rematch, and the review. */
export class Ending {
  /** `rematch` starts the same game again, `showReview` opens the review. */
  constructor(table, review, { rematch, showReview }) {
    this.table = table;
    this.review = review;
    this.places = element("ol", { class: "places" });
    this.found = element("div", { "aria-live": "polite" });
    this.progress = element("p", { class: "note", "aria-live": "off" });
    const more = button(t("review"), () => {
      showReview();
      if (review.line?.at(-1) !== this.end) review.begin();
    }, { id: "end-review" });
    this.heading = element("h2", {}, t("over"));
    this.panel = element("section", { id: "ending", hidden: "" }, this.heading, this.places, this.found,
      element("div", { class: "buttons" }, button(t("rematch"), rematch, { class: "primary", id: "rematch" }), more));
    this.end = null;
    this.played = null;
    table.onPlayed((_, after) => { this.played = after; });
    table.onChange(() => this.follow());
    review.ending = this;
  }

  follow() {
    const { game, mode, names } = this.table;
    const { current } = game;
    const last = game.line().at(-1);
    this.panel.hidden = mode !== "play" || last.turn !== null || !last.places.every(Boolean);
    this.heading.hidden = current !== last;
    if (this.panel.hidden || this.end === last) return;
    this.end = last;
    const order = this.end.places.map((place, seat) => [place, seat]).sort(([one], [other]) => one - other);
    this.places.replaceChildren(...order.map(([place, seat]) =>
      element("li", {}, `${ordinal(place)} `, seatMark(seat), names[seat])));
    this.found.replaceChildren();
    // A game that was played here is reviewed at once; one that is only looked at, on demand.
    const isOwn = current === this.end && game.path(current).includes(this.played);
    if (!isOwn || this.review.engine.options.length === 0) return;
    this.progress.textContent = t("reviewing it");
    this.found.append(this.progress);
    this.review.begin();
  }

  async show({ seats }) {
    const { end } = this;
    if (this.review.line.at(-1) !== end) return;
    const worst = await this.review.worst(MAX_LISTED_AT_END, this.persons());
    if (this.end !== end) return;
    const heading = t(this.review.hasCards() ? "skill and luck" : "skill alone");
    this.found.replaceChildren(element("h3", {}, heading), this.picture(seats),
      element("p", { class: "note" }, this.review.note()), element("h3", {}, t("worst moves")), worst);
  }

  // The seats of people, from 1; undefined if there are none.
  persons() {
    const persons = this.table.seats.flatMap(({ engine }, seat) => (engine ? [] : [seat + 1]));
    return persons.length > 0 ? persons : undefined;
  }

  // The bars of each seat: its skill and, in a game with cards, its luck, in permille of the points.
  bars(seats) {
    const keys = this.review.hasCards() ? ["skill", "luck"] : ["skill"];
    const bar = (key, value) => ({ key, value, text: `${t(key)} ${signed(value, percent)} %` });
    return seats.map((sums) => keys.map((key) => bar(key, sums[key])));
  }

  // Bars from the middle: to the left lost, to the right won.
  picture(seats) {
    const bars = this.bars(seats);
    const { names } = this.table;
    const inWords = bars.map((ofSeat, seat) => `${names[seat]}: ${ofSeat.map(({ text }) => text).join(", ")}`);
    const most = Math.max(1, ...bars.flat().map(({ value }) => Math.abs(value)));
    const height = seats.length * ROW;
    const middle = BARS_WIDTH / 2;
    const viewBox = `0 0 ${BARS_WIDTH} ${height}`;
    const svg = drawing("svg", { class: "chart", viewBox, role: "img", "aria-label": inWords.join("; ") });
    bars.forEach((ofSeat, seat) => {
      const y = seat * ROW;
      svg.append(drawing("text", { x: 4, y: y + 12 }, names[seat]),
        drawing("line", { class: "axis", x1: middle, x2: middle, y1: y + BAR, y2: y + ROW - 2 }));
      ofSeat.forEach(({ key, value, text }, index) => {
        const length = (Math.abs(value) / most) * (middle - TEXT);
        const top = y + BAR * (index + 1) + 1;
        const [x, end, anchor] = value < 0
          ? [middle - length, middle - length - 4, "end"]
          : [middle, middle + length + 4, "start"];
        const bar = drawing("rect", { class: key, x, y: top, width: length, height: 12, rx: 2 });
        bar.style.fill = colour(seat);
        svg.append(bar, drawing("text", { x: end, y: top + 10, "text-anchor": anchor }, text));
      });
    });
    return svg;
  }
}
