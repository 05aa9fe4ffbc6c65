// The analysis board: engines that analyse the current position, exact outcomes, and positions set up by hand.

import { OfflineError, post, stream } from "./api.js";
import { element } from "./board.js";
import { failureText } from "./notices.js";
import { person } from "./seats.js";
import { Setup } from "./setup.js";
import { count, percent, t } from "./texts.js";
import { button, engineSelect, labelled, seatMark } from "./view.js";
import { lineText, moveTitle } from "./words.js";

const MAX_LINES = 8;
/** Number of moves and cards of a line that are shown. */
const MAX_WORDS = 10;

// One analysing engine with its output.
class Analyst {
  constructor(study, name) {
    this.study = study;
    this.name = name;
    this.controller = null;
    this.said = new Map();
    this.texts = new Map();
    this.state = element("p", { class: "note", "aria-live": "off" });
    this.list = element("ol", { class: "lines" });
    this.block = element("section", { class: "analyst", "aria-label": name },
      element("h2", {}, name), this.state, this.list);
  }

  async start() {
    this.clear();
    this.hasEnded = false;
    const controller = new AbortController();
    this.controller = controller;
    const { table } = this.study;
    const body = { game: table.game.request(), engine: this.name, lines: this.study.linesOf(this.name) };
    try {
      for await (const [event, data] of stream("analyse", body, controller.signal)) {
        if (this.controller !== controller) return;
        if (event === "queue") this.state.textContent = t("waiting", data);
        else if (event === "info") this.take(data);
      }
    } catch (error) {
      if (this.controller === controller) this.fail(error);
    }
    if (this.controller === controller) this.study.ended(this);
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
    this.translate(lines);
  }

  // Fetches the words of the lines, one round at a time.
  async translate(lines) {
    if (this.isTranslating) return;
    this.isTranslating = true;
    const { game } = this.study.table;
    const node = game.current;
    const { controller } = this;
    const isCurrent = () => controller && this.controller === controller;
    try {
      for (const { line, pv } of lines) {
        const steps = await lineText(game, node, pv.slice(0, MAX_WORDS));
        if (isCurrent()) this.texts.set(line ?? 1, { first: pv[0], steps });
      }
      if (isCurrent()) this.list.replaceChildren(...lines.map((info) => this.item(info)));
    } catch {
      // The next report of the engine tries again.
    }
    this.isTranslating = false;
  }

  item({ line, pv, estimate }) {
    const { names, game } = this.study.table;
    const shares = (estimate ?? []).map((share, seat) =>
      element("span", { class: "held", title: names[seat] }, seatMark(seat), `${percent(share)} %`));
    const move = game.current.moves?.find((one) => one.move === pv[0]);
    const title = move ? moveTitle(game, game.current, move) : "";
    const choose = () => {
      // A move that is being played belongs to this position, too.
      if (!this.study.table.isDue()) return;
      this.study.table.reveal();
      this.study.table.play(pv[0]);
    };
    const first = button(title, choose, { "data-move": pv[0] ?? "" });
    const known = this.texts.get(line ?? 1);
    const steps = known?.first === pv[0] ? known.steps.slice(1) : [];
    const rest = steps.map(({ seat, text }) => element("span", {}, seatMark(seat - 1), text));
    return element("li", {}, element("span", { class: "buttons" }, first, ...shares),
      element("span", { class: "pv" }, ...rest));
  }

  /** Ends the search, and removes its output, which belongs to one position. */
  clear() {
    this.stop();
    this.said.clear();
    this.texts.clear();
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
    this.toggle = button(t("analyse"), toggle, { class: "primary", id: "analyse", disabled: "" });
    this.more = button(t("add engine"), () => this.add(this.engine.value), { disabled: "" });
    server.onEngines(() => {
      for (const one of [this.toggle, this.more]) one.disabled = server.working.length === 0;
    });
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

  /** Number of lines to ask an engine for: 1 if it can report only its best one. */
  linesOf(name) {
    const { options } = this.server.named(name);
    const most = options.find((option) => option.name === "MultiPV")?.max ?? 1;
    return Math.min(MAX_LINES, most, Math.max(1, Number(this.lines.value) || 1));
  }

  /** Called when an engine's analysis has ended by itself. */
  ended(analyst) {
    analyst.hasEnded = true;
    if (this.analysts.every(({ hasEnded }) => hasEnded)) this.finish();
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
