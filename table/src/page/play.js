// The table: one game with its seats. People choose their moves, and the server has engines choose theirs.

import { post } from "./api.js";
import { drawArrows, element } from "./board.js";
import { askMove, namesOf, optionsOf, person, showCard } from "./dialogs.js";
import { Game, linkOf } from "./game.js";
import { cardWords, chooseGame, t } from "./texts.js";
import { boardOf, button, factsText, isNarrow, run, seatsOf, squareName } from "./view.js";

export class Table {
  /** `parts` are the elements to fill. */
  constructor(parts) {
    this.parts = parts;
    this.game = null;
    this.seats = [];
    this.limit = "movetime 700";
    /** In a study, engines are not asked for moves, and cards are chosen by hand. */
    this.isStudy = false;
    this.arrows = [];
    this.estimate = null;
    /** Pieces of a position that is being set up; shown instead of the game's. */
    this.placed = null;
    this.focused = null;
    this.busy = null;
    this.listeners = [];
  }

  get names() {
    return namesOf(this.seats);
  }

  /** Calls `listener` after each update of the display. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  // --- Display ---

  say(text) {
    this.parts.status.textContent = text;
  }

  complain(text, ...buttons) {
    this.parts.trouble.replaceChildren(...(text ? [element("p", {}, text), ...buttons] : []));
    this.parts.trouble.hidden = !text;
  }

  /** Reports an error. */
  fail(error) {
    this.complain(t("failed", { error: error.message }));
  }

  show(before) {
    const { game, names } = this;
    const view = { ...game.current, pieces: this.placed ?? game.current.pieces };
    this.parts.board.className = game.board.files ? "board grid" : "board track";
    this.keepFocus();
    const svg = boardOf(game, {
      view,
      before: this.placed ? null : before ?? view.parent,
      moves: this.isDue() ? view.moves ?? [] : [],
      arrows: this.arrows,
      names,
      onSquare: this.onSquare,
      choose: (moves) => this.choose(moves),
      show: (moves) => this.hint(moves),
    });
    this.parts.board.replaceChildren(svg);
    this.parts.seats.replaceChildren(seatsOf(game, view, names, this.estimate));
    this.hint(null);
    this.giveFocus(svg);
    this.showChoices();
    this.showMoves();
    this.parts.undo.disabled = !view.parent;
    this.parts.skip.disabled = !this.busy;
    this.parts.onward.hidden = !this.isWaiting();
    history.replaceState(null, "", `#${linkOf(game, this.seats)}`);
    this.sayWhoseTurn();
    for (const listener of this.listeners) listener();
  }

  // Remembers the focused square, so that a keyboard user returns to it at the next turn. Until then the redrawn board
  // has no focusable squares, and the focus falls to the body.
  keepFocus() {
    const now = document.activeElement;
    if (this.parts.board.contains(now)) this.focused = now.dataset.square;
    else if (now && now !== document.body && !now.closest("dialog")) this.focused = null;
  }

  giveFocus(svg) {
    if (this.focused === null) return;
    const same = this.onSquare && svg.querySelector(`.square[data-square="${this.focused}"]`);
    (same || svg.querySelector("[tabindex='0']"))?.focus();
  }

  /** Shows arrows and an estimate without redrawing the board. */
  mark(arrows, estimate) {
    this.arrows = arrows;
    this.estimate = estimate;
    const svg = this.parts.board.querySelector("svg");
    drawArrows(svg, this.game.board, arrows, isNarrow());
    this.parts.seats.replaceChildren(seatsOf(this.game, this.game.current, this.names, estimate));
  }

  hint(moves) {
    const text = moves ? moves.map((move) =>
      [this.nameOf(move), factsText(move.facts, " · ")].filter(Boolean).join(": ")).join("\n") : "";
    const haveFacts = this.game.current.moves?.some((move) => move.facts.length > 0);
    this.parts.hint.textContent = text || (this.isDue() && haveFacts ? t("hint") : " ");
  }

  nameOf({ move, square }) {
    return this.game.board.files ? move : squareName(this.game.board, square);
  }

  sayWhoseTurn() {
    const { turn, places } = this.game.current;
    const last = this.game.current.words.length > 0 ? this.tell(this.game.current) : "";
    const name = turn ? this.names[turn.seat - 1] : this.names[places.indexOf(1)];
    const now = !turn ? `${t("over")} ${t("won by", { name })}`
      : turn.due === "card" ? t("choose card")
        : this.isDue() ? t("your turn", { name }) : t(this.busy ? "their turn" : "waits", { name });
    this.say(last ? `${last}. ${now}` : now);
  }

  // Describes a turn. On a track with one piece for each seat, it names the square that the piece went to.
  tell({ words, seat, parent, pieces }) {
    const name = this.names[seat - 1];
    const own = pieces.findIndex((piece) => piece.seat === seat);
    const isOnlyOne = pieces.filter((piece) => piece.seat === seat).length === 1;
    if (this.game.board.files || !isOnlyOne || words[0].startsWith("+")) return t("played", { name, move: words.join(" ") });
    const { square } = pieces[own];
    const text = parent.pieces[own].square === square ? "stayed" : "went";
    return [t(text, { name, square: squareName(this.game.board, square) }), ...words.slice(1)].join(", ");
  }

  // Shows the cards to choose from in a study.
  showChoices() {
    const { turn, cards } = this.game.current;
    const isDue = this.isStudy && turn?.due === "card" && cards?.length > 0;
    this.parts.choices.hidden = !isDue;
    if (!isDue) return this.parts.choices.replaceChildren();
    const all = cards.map((card) => button(`${card.card} × ${card.number}`, () => this.play(card.card), { title: cardWords(card) }));
    this.parts.choices.replaceChildren(element("h2", {}, t("choose card")), element("div", { class: "buttons" }, ...all));
  }

  showMoves() {
    const list = element("ol", { class: "moves", "aria-label": t("moves") });
    const shown = (node) => button(node.words.join(" "), () => this.go(node), {
      class: node === this.game.current ? "turn here" : "turn",
      "data-seat": node.seat,
      "aria-current": node === this.game.current ? "step" : "false",
      title: this.tell(node),
    });
    for (const node of this.game.line().slice(1)) {
      const item = element("li", {}, shown(node));
      const others = node.parent.children.filter((child) => child !== node);
      if (others.length > 0) item.append(element("span", { class: "variations" }, ...others.map(shown)));
      list.append(item);
    }
    this.parts.moves.replaceChildren(list.children.length > 0 ? list : element("p", { class: "note" }, t("no moves")));
    const here = list.querySelector(".here");
    if (here) list.scrollTop = here.offsetTop - list.clientHeight / 2;
  }

  // --- Play ---

  /** Whether a person may move now; in a study, for any seat. */
  isDue() {
    const { turn } = this.game.current;
    if (this.busy || turn?.due !== "move") return false;
    return this.isStudy || !this.seats[turn.seat - 1]?.engine;
  }

  /** Whether an engine or a card is next, but play is paused until the user continues it. */
  isWaiting() {
    const { turn } = this.game.current;
    if (this.busy || this.isStudy || !turn) return false;
    return turn.due === "card" || Boolean(this.seats[turn.seat - 1]?.engine);
  }

  /** Starts with a game from the server: at its end, or paused after `at` turns. */
  async begin(answer, seats, at = Infinity) {
    this.abort();
    this.game = new Game(answer);
    chooseGame(this.game.variant);
    this.seats = seats;
    this.forget();
    const there = this.game.line()[at];
    if (there?.children.length > 0) await this.go(there);
    else await this.proceed();
  }

  forget() {
    this.arrows = [];
    this.estimate = null;
    this.complain("");
  }

  /** Stops the current request, animation or card. */
  abort() {
    this.busy?.abort();
    this.busy = null;
  }

  /** Skips the current animation. */
  skip() {
    this.busy?.skip?.();
  }

  /** Draws cards and lets engines move until a person's turn, then shows the position. */
  async proceed() {
    for (;;) {
      const here = this.game.current;
      const { turn } = here;
      const seat = turn && this.seats[turn.seat - 1];
      const isEngines = turn?.due === "move" && seat?.engine && !this.isStudy;
      const draws = turn?.due === "card" && !this.isStudy;
      if (!isEngines && !draws) break;
      const done = draws
        ? await this.attempt("draw")
        : await this.attempt("ai", { engine: seat.engine, limit: this.limit, options: optionsOf(seat) });
      if (!done) return;
    }
    await this.look();
  }

  /** Shows the current position; fetches its moves if they are missing. */
  async look() {
    try {
      await this.game.look();
    } catch (error) {
      this.fail(error);
    }
    this.show();
  }

  // Asks the server for the next step, and shows it. Returns false if it was aborted or failed.
  async attempt(path, more = {}) {
    const busy = new AbortController();
    this.abort();
    this.busy = busy;
    this.show();
    try {
      const answer = await post(path, { game: this.game.request(), ...more }, busy.signal);
      if (this.busy !== busy) return false;
      this.complain("");
      await this.animate(answer, busy);
      return this.busy === null;
    } catch (error) {
      if (this.busy !== busy) return false;
      this.busy = null;
      this.show();
      if (path === "ai") this.explain(error);
      else this.fail(error);
      return false;
    }
  }

  // Reports the failure of the engine whose turn it is, and offers two ways to go on.
  explain(error) {
    const { seat } = this.game.current.turn;
    const name = this.names[seat - 1];
    const again = button(t("try again"), () => { this.complain(""); this.proceed(); });
    const byHand = button(t("play it myself"), () => {
      this.seats[seat - 1] = person();
      this.complain("");
      this.look();
    });
    this.complain(t("engine failed", { name, error: error.message }), again, byHand);
  }

  // Animates the steps of an answer, then adds them to the game.
  async animate(answer, busy) {
    const skipping = new AbortController();
    busy.skip = () => skipping.abort();
    busy.signal.addEventListener("abort", () => skipping.abort(), { once: true });
    let from = this.game.current;
    for (const step of answer.steps) {
      if (step.word.startsWith("+")) {
        const card = answer.card ?? { card: step.word, words: "" };
        const name = this.names[step.seat - 1];
        const isOwn = !this.seats[step.seat - 1]?.engine;
        this.say(t("drew", { name, words: cardWords(card) }));
        if (!skipping.signal.aborted && card.words) await showCard(card, name, { traits: this.game.traits, isOwn, signal: skipping.signal });
      } else {
        const svg = this.parts.board.querySelector("svg");
        await run(svg, this.game, from, step, skipping.signal);
      }
      if (this.busy !== busy) return;
      from = step;
      this.showStep(step);
    }
    this.busy = null;
    this.arrows = [];
    const before = this.game.take(answer);
    this.show(before);
  }

  // Shows an intermediate position, without squares to choose.
  showStep(step) {
    this.keepFocus();
    const svg = boardOf(this.game, { view: step, moves: [], names: this.names, choose: () => {}, show: () => {} });
    this.parts.board.replaceChildren(svg);
    this.parts.seats.replaceChildren(seatsOf(this.game, step, this.names, this.estimate));
  }

  /** Plays a move to the chosen square; asks which one if there are several. */
  async choose(moves) {
    const move = moves.length === 1 ? moves[0] : await askMove(moves, (one) => {
      const facts = factsText(one.facts);
      return facts ? `${one.move}: ${facts}` : one.move;
    });
    if (move) await this.play(move.move);
  }

  /** Plays a move, or a card if one is due. */
  async play(text) {
    const { turn } = this.game.current;
    if (!turn) return;
    if (await this.attempt("play", { move: text, draw: !this.isStudy })) await this.proceed();
  }

  // --- Navigation ---

  /** Shows a node of the game; play is paused there. */
  async go(node) {
    this.abort();
    this.forget();
    this.game.go(node);
    await this.look();
  }

  /** Goes `turns` turns forward, or back if negative. */
  async step(turns) {
    const line = this.game.line();
    const index = line.indexOf(this.game.current) + turns;
    await this.go(line[Math.min(Math.max(index, 0), line.length - 1)]);
  }

  /** Takes moves back until a person is to move. */
  async undo() {
    this.abort();
    this.forget();
    do this.game.undo(); while (this.game.current.parent && !this.isStudy && !this.isDue() && this.hasPersons());
    await this.look();
  }

  hasPersons() {
    return this.seats.some(({ engine }) => !engine);
  }

  /** Changes the seats during a game. */
  async reseat(seats) {
    this.abort();
    this.seats = seats;
    await this.proceed();
  }
}
