// The table: one game with its seats. People choose their moves, and the server has engines choose theirs.

import { OfflineError, post } from "./api.js";
import { askMove, showCard } from "./dialogs.js";
import { Display } from "./display.js";
import { Game, fetchGame } from "./game.js";
import { failureText } from "./notices.js";
import { optionsOf } from "./opponents.js";
import { person, settled } from "./seats.js";
import { cardWords, chooseGame, t, word } from "./texts.js";
import { button, run } from "./view.js";
import { factsText, moveTitle, squareName } from "./words.js";

export class Table extends Display {
  /** `parts` are the elements to fill. */
  constructor(parts, server) {
    super(parts, server);
    /** Thinking time of the engines, in milliseconds. */
    this.thinking = 700;
    this.playedListeners = [];
  }

  /** Limit of the engines' searches. */
  get limit() {
    return this.server.limitOf(this.thinking);
  }

  /** Calls `listener` with the node before and the node after each move that a person plays in a game. */
  onPlayed(listener) {
    this.playedListeners.push(listener);
  }

  // --- Begin ---

  /** Starts another game; the browser's button Back returns to the one before. */
  async beginNew(answer, seats) {
    if (this.game) history.pushState(null, "");
    await this.begin(answer, seats);
  }

  /** Starts with a game from the server: at its end, or paused after `at` turns; with the moves of its variations, and
   * with its `id` if this browser keeps it. */
  async begin(answer, seats, { at = Infinity, variations = [], id = null } = {}) {
    this.abort();
    this.unrestored = [...variations];
    const game = new Game(answer, id);
    this.game = game;
    chooseGame(game.variant);
    this.forget();
    const report = this.settle(seats);
    const there = game.line()[at];
    await this.restore();
    if (there?.children.length > 0) await this.go(there);
    else await this.proceed();
    if (this.game === game) report();
  }

  // Brings back the variations that the browser's history held.
  async restore() {
    const { game } = this;
    while (this.unrestored.length > 0 && this.game === game) {
      const moves = this.unrestored[0];
      const answer = await fetchGame({ ...game.request(game.root), moves });
      if (this.game !== game) return;
      this.unrestored.shift();
      game.addVariation(answer);
      this.show();
    }
  }

  // Takes seats; once the server has named its engines, replaces missing ones. Returns a function that reports those.
  settle(seats) {
    const { seats: now, missing } = this.server.isKnown ? settled(seats, this.server) : { seats, missing: [] };
    this.seats = now;
    return () => missing.length > 0 && this.complain(t("missing engine", { names: missing.join(", ") }));
  }

  /** Seats the engines once they are known. What has been played, chosen or shown until then remains. */
  async meetEngines() {
    if (!this.game) return;
    const { turn, children } = this.game.current;
    const isEngines = turn?.due === "move" && this.seats[turn.seat - 1].engine;
    const isAwaited = isEngines && !this.busy && !this.isStudy && children.length === 0;
    const report = this.settle(this.seats);
    if (isAwaited) await this.proceed();
    else if (!this.busy) this.refresh();
    report();
  }

  // --- Play ---

  forget() {
    this.arrows = [];
    this.estimate = null;
    this.picked = null;
    this.parts.comment.hidden = true;
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
      const isEngines = turn?.due === "move" && seat?.engine && this.server.isKnown && !this.isStudy;
      const draws = turn?.due === "card" && !this.isStudy;
      if (!isEngines && !draws) break;
      const search = () => ({ engine: seat.engine, limit: this.limit, options: optionsOf(seat, this.game.traits) });
      if (!await (draws ? this.attempt("draw") : this.attempt("ai", search()))) return;
    }
    await this.look();
  }

  /** Continues a paused game at its end. */
  async resume() {
    this.turnTo(this.game.line().at(-1));
    await this.proceed();
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
      await this.animate(answer, busy, path === "play");
      return this.busy === null;
    } catch (error) {
      if (this.busy !== busy) return false;
      this.busy = null;
      this.show();
      if (path === "ai" && !(error instanceof OfflineError)) this.explain(error);
      else this.fail(error, () => (path === "play" ? this.play(more.move) : this.proceed()));
      return false;
    }
  }

  // Reports the failure of the engine whose turn it is, and offers two ways to continue.
  explain(error) {
    const { seat } = this.game.current.turn;
    const name = this.names[seat - 1];
    const again = button(t("try again"), () => { this.complain(""); this.proceed(); });
    const byHand = button(t("play it myself"), () => {
      this.seats[seat - 1] = person();
      this.complain("");
      this.look();
    });
    this.complain(failureText(error, "engine failed", { name }), again, byHand);
  }

  // Adds the steps of an answer to the game, and animates them.
  async animate(answer, busy, isPersons) {
    const { game } = this;
    const before = game.take(answer);
    const after = game.current;
    // A reload during the animation must not lose the move and its cards.
    this.keep();
    game.current = before;
    const skipping = new AbortController();
    busy.skip = () => skipping.abort();
    busy.signal.addEventListener("abort", () => skipping.abort(), { once: true });
    // A card that a person has chosen needs no showing.
    const isChosen = isPersons && before.turn.due === "card";
    let from = before;
    for (const step of answer.steps) {
      if (step.word.startsWith("+")) {
        const name = this.names[step.seat - 1];
        const isOwn = !this.seats[step.seat - 1]?.engine;
        const card = { card: step.word, words: step.words };
        this.say(t("drew", { name, words: cardWords(card) }));
        const { signal } = skipping;
        if (!signal.aborted && !isChosen) await showCard(card, name, { traits: game.traits, isOwn, signal });
      } else {
        const svg = this.parts.board.querySelector("svg");
        await run(svg, game, from, step, skipping.signal);
      }
      if (this.busy !== busy) return;
      from = step;
      this.showStep(step);
    }
    this.busy = null;
    this.arrows = [];
    this.picked = null;
    game.current = after;
    // First, since the end of a game is shown differently if a person has just played it.
    const isMove = isPersons && before.turn.due === "move";
    if (isMove) for (const listener of this.playedListeners) listener(before, after);
    this.show(before);
  }

  /** Plays a move to the chosen square; asks which one if there are several. */
  async choose(square) {
    const { game } = this;
    const moves = this.movesTo(square);
    if (moves.length === 0) return;
    const move = moves.length === 1 ? moves[0] : await askMove(moves, (one) => {
      const { square: from, name } = game.current.pieces[one.piece];
      const piece = t("from", { piece: word(name), from: squareName(game.board, from) });
      const title = game.board.files ? piece : moveTitle(game, game.current, one);
      return [title, factsText(one.facts)].filter(Boolean).join(": ");
    });
    if (move) await this.play(move.move);
  }

  /** Plays a move, or a card if one is due. */
  async play(text) {
    if (!this.game.current.turn) return;
    // The comment on the move before.
    this.parts.comment.hidden = true;
    if (await this.attempt("play", { move: text, draw: !this.isStudy })) await this.proceed();
  }

  // --- Navigation ---

  /** Shows a node of the game; play is paused there. */
  async go(node) {
    this.turnTo(node);
    await this.look();
  }

  /** Shows a node that was chosen elsewhere on the page, and brings the board into view. */
  async visit(node) {
    await this.go(node);
    this.reveal();
  }

  turnTo(node) {
    this.abort();
    this.forget();
    this.game.go(node);
  }

  /** Shows a node in passing, without fetching its legal moves. */
  glance(node) {
    if (node === this.game.current) return;
    this.turnTo(node);
    this.show();
  }

  /** Goes `turns` turns forward, or back if negative. */
  async step(turns) {
    const line = this.game.line();
    const index = line.indexOf(this.game.current) + turns;
    await this.go(line[Math.min(Math.max(index, 0), line.length - 1)]);
  }

  /** Takes moves back until a person is to move. */
  async undo() {
    if (this.parts.undo.disabled) return;
    this.abort();
    this.forget();
    do this.game.undo(); while (this.game.current.parent && !this.isPersons(this.game.current) && this.hasPersons());
    await this.look();
  }

  hasPersons() {
    return this.seats.some(({ engine }) => !engine);
  }

  /** Changes the seats during a game. */
  async reseat(seats) {
    this.abort();
    this.forget();
    this.settle(seats);
    await this.proceed();
  }
}
