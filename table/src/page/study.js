// The analysis board: engines that analyse the current position, exact outcomes, and positions set up by hand.

import { element } from "./board.js";
import { button, engineSelect, icon, labelled, seatMark, select } from "./controls.js";
import { person } from "./game.js";
import { OfflineError, post, stream } from "./server.js";
import { count, failureText, moveTitle, percent, squareLabel, stepsFrom, t, word } from "./texts.js";
import { piecesOf } from "./view.js";

const MAX_LINES = 8;

// One analysing engine with its output.
class Analyst {
  constructor(study, name) {
    this.study = study;
    this.name = name;
    this.controller = null;
    this.said = new Map();
    this.state = element("p", { class: "note", "aria-live": "off" });
    this.list = element("ol", { class: "lines" });
    this.block = element("section", { class: "analyst", "aria-label": name },
      element("h2", {}, name), this.state, this.list);
  }

  async start() {
    this.clear();
    this.controller = new AbortController();
    const { signal } = this.controller;
    const body = { game: this.study.table.game.request(), engine: this.name, options: this.study.optionsOf(this.name) };
    try {
      for await (const [event, data] of stream("analyse", body, signal)) {
        if (event === "queue") this.state.textContent = t("waiting", data);
        else if (event === "info") this.take(data);
      }
    } catch (error) {
      if (!signal.aborted) this.fail(error);
    }
    if (signal.aborted) return;
    this.controller = null;
    this.study.ended();
  }

  fail(error) {
    if (error instanceof OfflineError) this.study.table.fail(error);
    else this.state.textContent = failureText(error, "engine failed", { name: this.name });
  }

  take(info) {
    this.said.set(info.line ?? 1, info);
    // Several lines arrive at once; they are drawn together.
    this.frame ??= requestAnimationFrame(() => {
      this.frame = null;
      this.draw();
    });
  }

  draw() {
    const lines = [...this.said].sort(([one], [other]) => one - other).map(([, info]) => info);
    const { depth, nodes } = lines[0] ?? {};
    const known = [depth && t("depth", { depth }), nodes && t("nodes", { nodes: count(nodes) })];
    this.state.textContent = known.filter(Boolean).join(" · ");
    this.list.replaceChildren(...lines.map((info) => this.item(info)));
    this.study.draw(this);
  }

  item({ pv, steps, estimate }) {
    const { names, game } = this.study.table;
    const shares = (estimate ?? []).map((share, seat) =>
      element("span", { class: "held", title: names[seat] }, seatMark(seat), `${percent(share)} %`));
    const move = game.current.moves?.find((one) => one.move === pv[0]);
    const title = move ? moveTitle(game, game.current, move) : "";
    const choose = () => {
      // A move that is being played belongs to this position, too.
      if (!this.study.table.isDue()) return;
      this.study.table.view.reveal();
      this.study.table.play(pv[0]);
    };
    const first = button(title, choose, { "data-move": pv[0] ?? "" });
    const rest = stepsFrom(game, game.current, steps).slice(1)
      .map(({ seat, text }) => element("span", {}, seatMark(seat - 1), text));
    return element("li", {}, element("span", { class: "buttons" }, first, ...shares),
      element("span", { class: "pv" }, ...rest));
  }

  /** Ends the search, and removes its output, which belongs to one position. */
  clear() {
    this.stop();
    this.said.clear();
    this.list.replaceChildren();
    this.state.textContent = "";
  }

  stop() {
    this.controller?.abort();
    this.controller = null;
    // Its last output must not be drawn on the next position.
    cancelAnimationFrame(this.frame);
    this.frame = null;
  }
}

export class Study {
  constructor(table, server) {
    this.table = table;
    this.server = server;
    this.analysts = [];
    this.isOn = false;
    this.shown = null;
    this.engine = engineSelect(server);
    this.lines = element("input", { type: "number", min: 1, max: MAX_LINES, value: 3, id: "lines" });
    this.lines.addEventListener("change", () => this.isOn && this.restart());
    const toggle = () => (this.isOn ? this.stop() : this.begin());
    this.toggle = button(t("analyse"), toggle, { class: "primary", id: "analyse" });
    this.more = button(t("add engine"), () => this.add(this.engine.value));
    for (const one of [this.toggle, this.more]) one.disabled = server.working.length === 0;
    this.blocks = element("div", { class: "analysts" });
    this.exact = button(t("exact"), () => this.solve(), { id: "exact" });
    this.outcomes = element("div");
    this.text = element("textarea", { "aria-label": t("paste"), spellcheck: "false" });
    const set = button(t("set"), () => this.setUp(this.text.value.trim()));
    this.setup = new Setup(table, (text) => this.setUp(text));
    this.panel = element("section", {}, element("p", { class: "note" }, t("by hand")),
      element("div", { class: "buttons" }, this.toggle, this.engine, labelled(t("lines"), this.lines), this.more),
      this.blocks, this.exact, this.outcomes,
      element("h2", {}, t("position")), this.text,
      element("div", { class: "buttons" }, set, this.setup.toggle), this.setup.panel);
    table.onChange(() => this.follow());
  }

  /** Options for an engine: the number of its lines, unless it can report only its best one. */
  optionsOf(engine) {
    const option = this.server.named(engine).options.find(({ name }) => name === "MultiPV");
    const lines = Math.max(1, Number(this.lines.value) || 1);
    return option ? { MultiPV: String(Math.min(MAX_LINES, option.max, lines)) } : {};
  }

  /** Called when an engine's analysis has ended by itself. */
  ended() {
    if (this.analysts.every(({ controller }) => !controller)) this.finish();
  }

  // Offers to analyse again; the results remain.
  finish() {
    this.isOn = false;
    this.toggle.textContent = t("analyse");
  }

  begin() {
    if (this.analysts.length === 0) this.analysts.push(new Analyst(this, this.engine.value));
    this.isOn = true;
    this.toggle.textContent = t("stop");
    this.blocks.replaceChildren(...this.analysts.map(({ block }) => block));
    this.restart();
  }

  add(name) {
    if (this.analysts.some((analyst) => analyst.name === name)) return;
    this.analysts.push(new Analyst(this, name));
    this.begin();
  }

  restart() {
    const isDue = this.table.game.current.turn?.due === "move";
    for (const analyst of this.analysts) isDue ? analyst.start() : analyst.clear();
  }

  stop() {
    this.finish();
    for (const analyst of this.analysts) analyst.stop();
    this.analysts = [];
  }

  /** Stops everything that runs only while the study is shown. */
  leave() {
    this.stop();
    this.setup.end();
  }

  // Called whenever the current position may have changed.
  follow() {
    const { current, traits, variant } = this.table.game;
    const isSolved = this.server.variants.find(({ name }) => name === variant)?.solved;
    this.exact.hidden = !isSolved;
    this.setup.toggle.hidden = !traits.setup;
    if (this.shown === current) return;
    this.shown = current;
    this.outcomes.replaceChildren();
    if (document.activeElement !== this.text) this.text.value = current.position;
    // An analysis belongs to one position.
    if (this.blocks.children.length > 0 && this.table.mode === "study") this.table.mark([], null);
    if (this.isOn) this.restart();
    else this.blocks.replaceChildren();
  }

  // Shows the first engine's estimate at the seats, and the best moves of each engine as arrows.
  draw(analyst) {
    const { moves, pieces } = this.table.game.current;
    const arrows = this.analysts.flatMap(({ said }) => [...said.values()].map((info) => {
      const move = moves?.find((one) => one.move === info.pv[0]);
      const rank = (info.line ?? 1) - 1;
      return move && { from: pieces[move.piece].square, to: move.square, weight: 1 / (1 + rank), rank };
    })).filter(Boolean);
    const estimate = this.analysts[0].said.get(1)?.estimate ?? this.table.estimate;
    if (this.analysts.includes(analyst)) this.table.mark(arrows, estimate);
  }

  async solve() {
    const { game } = this.table;
    const node = game.current;
    try {
      const { moves } = await post("solved", { game: game.request() });
      if (this.shown !== node) return;
      const titleOf = (word) => moveTitle(game, node, node.moves.find(({ move }) => move === word));
      // Of the plies, every other one is the winner's, the last one too.
      const resultOf = ({ wins, plies }) => {
        const count = Math.ceil(plies / 2);
        return t(["has won", "wins in 1"][count] ?? "wins in", { name: this.table.names[wins - 1], moves: count });
      };
      const items = moves.map((found) => element("li", { "data-move": found.move },
        element("b", {}, titleOf(found.move)), ": ", resultOf(found)));
      this.outcomes.replaceChildren(element("ul", { class: "lines" }, ...items));
    } catch (error) {
      if (this.shown !== node) return;
      this.outcomes.replaceChildren(element("p", { class: "note" }, failureText(error)));
    }
  }

  async setUp(start) {
    try {
      const answer = await post("new", { variant: this.table.game.variant, start });
      const seats = answer.places.map((_, seat) => this.table.seats[seat] ?? person());
      await this.table.beginNew(answer, seats);
    } catch (error) {
      this.table.fail(error);
    }
  }
}

// --- Positions set up by hand ---

/** Choose a piece, then click its square; fill in the fields of each seat. */
class Setup {
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
    this.table.set = (square) => this.put(square);
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
    this.table.set = null;
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
