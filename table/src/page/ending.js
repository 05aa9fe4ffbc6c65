// The end of a game: places, skill against luck, the costliest moves, a rematch, and the review.

import { colour, drawing, element } from "./board.js";
import { ordinal, percent, signed, t } from "./texts.js";
import { button, seatMark } from "./view.js";

const WIDTH = 340;
/** Height of a seat's name with its bars, and of one bar. */
const ROW = 52;
const BAR = 16;
/** Width kept free for the text beside a bar. */
const TEXT = 100;
const MAX_LISTED = 3;

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
    review.onProgress((text) => { this.progress.textContent = text; });
    review.onDone((data) => this.show(data));
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
    const worst = await this.review.worst(MAX_LISTED, this.persons());
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

  // The bars of a seat: its skill and, in a game with cards, its luck, in permille of the points.
  bars(seats) {
    return seats.map(({ skill, luck }) => [["skill", skill], ...(this.review.hasCards() ? [["luck", luck]] : [])]);
  }

  // Bars from the middle: to the left lost, to the right won.
  picture(seats) {
    const bars = this.bars(seats);
    const most = Math.max(1, ...bars.flat().map(([, value]) => Math.abs(value)));
    const height = seats.length * ROW;
    const middle = WIDTH / 2;
    const viewBox = `0 0 ${WIDTH} ${height}`;
    const svg = drawing("svg", { class: "chart", viewBox, role: "img", "aria-label": this.inWords(seats) });
    bars.forEach((ofSeat, seat) => {
      const y = seat * ROW;
      svg.append(drawing("text", { x: 4, y: y + 12 }, this.table.names[seat]),
        drawing("line", { class: "axis", x1: middle, x2: middle, y1: y + BAR, y2: y + ROW - 2 }));
      ofSeat.forEach(([key, value], index) => {
        const length = (Math.abs(value) / most) * (middle - TEXT);
        const top = y + BAR * (index + 1) + 1;
        const [x, end, anchor] = value < 0
          ? [middle - length, middle - length - 4, "end"]
          : [middle, middle + length + 4, "start"];
        const bar = drawing("rect", { class: key, x, y: top, width: length, height: 12, rx: 2 });
        bar.style.fill = colour(seat);
        const text = { x: end, y: top + 10, "text-anchor": anchor };
        svg.append(bar, drawing("text", text, this.valueText(key, value)));
      });
    });
    return svg;
  }

  valueText(key, value) {
    return `${t(key)} ${signed(value, percent)} %`;
  }

  inWords(seats) {
    return this.bars(seats).map((bars, seat) =>
      `${this.table.names[seat]}: ${bars.map(([key, value]) => this.valueText(key, value)).join(", ")}`).join("; ");
  }
}
