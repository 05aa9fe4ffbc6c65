// The chart of a review: each seat's expected share over the game, as a slider through its moves.

import { colour, drawing } from "./board.js";
import { t } from "./texts.js";

const SIZE = { width: 360, height: 190, left: 38, right: 8, top: 10, bottom: 22 };
const KEYS = { ArrowUp: 1, ArrowDown: -1 };

const y = (share) => SIZE.top + (1 - share / 1000) * (SIZE.height - SIZE.top - SIZE.bottom);

export class Chart {
  /** `line` are the nodes of the game, `moves` the server's events, `marked` those of the moves to mark. */
  constructor(table, line, moves, marked) {
    this.table = table;
    this.line = line;
    const { width, height, left, right, top, bottom } = SIZE;
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
    const { width, left, right } = SIZE;
    return [0, 250, 500, 750, 1000].flatMap((share) => [
      drawing("line", { class: "axis", x1: left, x2: width - right, y1: y(share), y2: y(share) }),
      drawing("text", { x: left - 4, y: y(share) + 3, "text-anchor": "end" }, `${share / 10} %`),
    ]);
  }

  curves(moves) {
    return this.table.seats.map((_, seat) => {
      const points = moves.map(({ ply, after }) => `${this.x(ply).toFixed(1)},${y(after[seat]).toFixed(1)}`);
      const curve = drawing("polyline", { class: "curve", points: points.join(" ") });
      curve.style.stroke = colour(seat);
      return curve;
    });
  }

  marks(moves) {
    return moves.map(({ ply, seat, after }) => {
      const mark = drawing("circle", { class: "mark", cx: this.x(ply), cy: y(after[seat - 1]), r: 4 });
      mark.style.fill = colour(seat - 1);
      return mark;
    });
  }

  // The node under a pointer.
  nodeAt({ clientX }) {
    const { left: start, width: shown } = this.svg.getBoundingClientRect();
    const { width, left, right } = SIZE;
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
      if (!KEYS[event.key]) return;
      event.preventDefault();
      table.step(KEYS[event.key]);
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
