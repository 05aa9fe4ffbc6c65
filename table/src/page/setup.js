// Setting up a position: choose a piece, then click its square; fill in the fields of each seat.

import { element } from "./board.js";
import { t, word } from "./texts.js";
import { button, icon, labelled, piecesOf, select } from "./view.js";
import { squareLabel } from "./words.js";

export class Setup {
  /** `set` is called with the finished position as text. */
  constructor(table, set) {
    this.table = table;
    this.set = set;
    this.toggle = button(t("set up"), () => (this.panel.hidden ? this.begin() : this.end()), { id: "set-up" });
    this.panel = element("div", { hidden: "" });
  }

  begin() {
    const { current, traits } = this.table.game;
    this.notation = traits.setup;
    this.state = this.notation.read(current.position);
    this.pieces = piecesOf(current);
    this.turn = current.turn?.seat ?? 1;
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
    this.show();
  }

  fill() {
    const { names, game } = this.table;
    const rows = this.pieces.map(({ name, seat, square }, index) => {
      const checked = index === this.piece ? { checked: "" } : {};
      const chosen = element("input", { type: "radio", name: "piece", value: index, ...checked });
      chosen.addEventListener("change", () => { this.piece = index; });
      const text = element("span", {}, `${word(name)}, ${names[seat]}: ${squareLabel(game.board, square)}`);
      const fields = this.notation.fields.map((field) => this.input(field, seat));
      return element("label", { class: "placed" }, chosen, text, ...fields);
    });
    const turn = select(names.map((name, seat) => [seat + 1, name]), this.turn, { "aria-label": t("to move") });
    turn.addEventListener("change", () => { this.turn = Number(turn.value); });
    const apply = button(t("apply"), () => {
      this.end();
      this.set(this.notation.write(this.state, this.pieces, this.turn, game.board));
    }, { class: "primary", id: "apply-position" });
    const note = element("p", { class: "note" }, t("click to place"));
    this.panel.replaceChildren(note, ...rows, labelled(t("to move"), turn), apply);
  }

  // A field of a seat: a number with its picture, or a checkbox.
  input({ key, icon: name, most }, seat) {
    const values = this.state.seats[seat];
    const isNumber = most !== undefined;
    const kind = isNumber
      ? { type: "number", min: 0, max: most, value: values[key] }
      : { type: "checkbox", ...(values[key] ? { checked: "" } : {}) };
    const input = element("input", { ...kind, "aria-label": t(key), title: t(key) });
    input.addEventListener("change", () => { values[key] = isNumber ? input.value : input.checked; });
    if (!isNumber) return element("span", { class: "held" }, input, element("span", { "aria-hidden": "true" }, t(key)));
    return element("span", { class: "held" }, icon(this.table.game.traits.symbols.kinds[name]), input);
  }
}
