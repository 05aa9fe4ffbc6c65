// Setting up a position: choose a piece, then click its square; type the carrots and lettuces of each seat.

import { element } from "./board.js";
import { button } from "./play.js";
import { t, word } from "./texts.js";
import { coordinates, icon, piecesOf } from "./view.js";

// Parsing and printing of positions; only the server can tell if they are legal.
const RACE = {
  read(text) {
    const [hares, turn, , drawn] = text.split(" ");
    return {
      seats: hares.split("/").map((hare) => {
        const [square, carrots, lettuces] = hare.replace("!", "").split(",");
        return { square: Number(square), carrots, lettuces, misses: hare.endsWith("!") };
      }),
      turn: parseInt(turn, 10),
      drawn,
    };
  },
  write({ seats, turn, drawn }, goal) {
    const hares = seats.map(({ square, carrots, lettuces, misses }) => `${square},${carrots},${lettuces}${misses ? "!" : ""}`);
    const home = seats.flatMap(({ square }, seat) => (square === goal ? [seat + 1] : []));
    return `${hares.join("/")} ${turn} ${home.join(",") || "-"} ${drawn}`;
  },
};

const GRID = {
  write(pieces, turn) {
    const rows = [];
    for (let row = 7; row >= 0; row -= 1) {
      let [text, empty] = ["", 0];
      for (let file = 0; file < 8; file += 1) {
        const piece = pieces.find(({ square }) => square === 8 * row + file);
        if (!piece) empty += 1;
        else {
          text += `${empty || ""}${piece.seat === 0 ? "F" : "h"}`;
          empty = 0;
        }
      }
      rows.push(`${text}${empty || ""}`);
    }
    return `${rows.join("/")} ${turn === 1 ? "w" : "b"} - - 0 1`;
  },
};

export class Setup {
  /** `set` is called with the finished position as text. */
  constructor(table, set) {
    this.table = table;
    this.set = set;
    this.toggle = button(t("set up"), () => (this.panel.hidden ? this.begin() : this.end()), { id: "set-up" });
    this.panel = element("div", { hidden: "" });
  }

  begin() {
    const { current, board } = this.table.game;
    this.isRace = !board.files;
    this.pieces = piecesOf(current);
    this.state = this.isRace ? RACE.read(current.position) : { turn: current.turn?.seat ?? 1 };
    this.piece = 0;
    this.table.onSquare = (square) => this.put(square);
    this.panel.hidden = false;
    this.show();
  }

  // Shows the unfinished position on the board and in the form.
  show() {
    this.table.placed = this.pieces.map((piece) => ({ ...piece, seat: piece.seat + 1 }));
    this.fill();
    this.table.show();
  }

  end() {
    if (this.panel.hidden) return;
    this.table.onSquare = undefined;
    this.table.placed = null;
    this.panel.hidden = true;
    this.table.show();
  }

  put(square) {
    this.pieces[this.piece] = { ...this.pieces[this.piece], square };
    if (this.isRace) this.state.seats[this.piece].square = square;
    this.show();
  }

  fill() {
    const names = this.table.names;
    const rows = this.pieces.map((piece, index) => {
      const chosen = element("input", { type: "radio", name: "piece", value: index, ...(index === this.piece ? { checked: "" } : {}) });
      chosen.addEventListener("change", () => { this.piece = index; });
      const row = element("label", { class: "placed" }, chosen, element("span", {}, `${word(piece.name)}, ${names[piece.seat]}: ${this.squareName(piece.square)}`));
      if (this.isRace) row.append(...this.holding(index));
      return row;
    });
    const turn = element("select", { "aria-label": t("to move") }, ...names.map((name, seat) => element("option", { value: seat + 1 }, name)));
    turn.value = String(this.state.turn);
    turn.addEventListener("change", () => { this.state.turn = Number(turn.value); });
    const apply = button(t("apply"), () => {
      this.end();
      const goal = this.table.game.board.squares.length - 1;
      this.set(this.isRace ? RACE.write(this.state, goal) : GRID.write(this.pieces, this.state.turn));
    }, { class: "primary", id: "apply-position" });
    this.panel.replaceChildren(element("p", { class: "note" }, t("click to place")), ...rows,
      element("label", {}, element("span", {}, t("to move")), turn), apply);
  }

  squareName(square) {
    const { board } = this.table.game;
    return board.files ? coordinates(board, square) : String(square);
  }

  holding(index) {
    const seat = this.state.seats[index];
    const number = (key, label, most) => {
      const input = element("input", { type: "number", min: 0, max: most, value: seat[key], "aria-label": label, title: label });
      input.addEventListener("change", () => { seat[key] = input.value; });
      return element("span", { class: "held" }, icon(key === "carrots" ? "carrot" : "lettuce"), input);
    };
    const misses = element("input", { type: "checkbox", "aria-label": t("misses"), title: t("misses"), ...(seat.misses ? { checked: "" } : {}) });
    misses.addEventListener("change", () => { seat.misses = misses.checked; });
    const skips = element("span", { class: "held" }, misses, element("span", { "aria-hidden": "true" }, t("misses")));
    return [number("carrots", t("set carrots"), 65535), number("lettuces", t("lettuces"), 3), skips];
  }
}
