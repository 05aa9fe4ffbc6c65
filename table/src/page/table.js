// The table: one game with its seats. People choose their moves, and the server has engines choose theirs.

import { askMove, button, showCard } from "./controls.js";
import { Game, linkOf, namesOf, optionsOf, person, settled } from "./game.js";
import { OfflineError, post, reconnected } from "./server.js";
import {
  cardWords, chooseGame, factsText, failureText, forcedMove, incomeText, moveTitle, squareName, t, turnText, word,
} from "./texts.js";
import { View } from "./view.js";

// What a person is to do in a position.
function dueText(position, name) {
  if (forcedMove(position)) return t("waits", { name });
  const income = incomeText(position);
  return t(income ? "paid first" : "your turn", { name, income });
}

export class Table {
  constructor(server) {
    this.server = server;
    this.view = new View({
      choose: (moves) => this.choose(moves), play: (card) => this.play(card), visit: (node) => this.visit(node),
      undo: () => this.undo(), resume: () => this.resume(), skip: () => this.skip(),
    });
    this.game = null;
    this.seats = [];
    /** The open tab: "play", "study", "review" or "library". */
    this.mode = "play";
    /** Thinking time of the engines, in milliseconds. */
    this.thinking = 700;
    this.arrows = [];
    this.estimate = null;
    /** Pieces of a position that is being set up, and the function that gets a square for one; shown instead of the game's. */
    this.placed = null;
    this.set = null;
    /** Controller of the current request, animation or card. */
    this.busy = null;
    /** What to do when the server is back, and the wait for it. */
    this.again = null;
    this.reconnecting = null;
    this.changeListeners = [];
    this.playedListeners = [];
  }

  /** Calls `listener` after each update of the view. */
  onChange(listener) {
    this.changeListeners.push(listener);
  }

  /** Calls `listener` with the node before and the node after each move that a person plays in a game. */
  onPlayed(listener) {
    this.playedListeners.push(listener);
  }

  // --- Whose turn it is ---

  /** Limit of the engines' searches. */
  get limit() {
    return this.server.limitOf(this.thinking);
  }

  get names() {
    return namesOf(this.seats);
  }

  /** Whether engines are not asked for moves, and cards are chosen by hand. */
  get isStudy() {
    return this.mode !== "play";
  }

  /** Whether the board shows an earlier position of a game; moves are made at its end, variations in a study. */
  get isEarlier() {
    return this.mode === "play" && this.game.current !== this.game.line().at(-1);
  }

  /** Whether a person may move now; in a study, for any seat. */
  isDue() {
    const { current } = this.game;
    if (this.busy || this.mode === "review" || this.isEarlier) return false;
    return Boolean(current.moves) && this.isPersons(current);
  }

  /** Whether a person is to move in a position; in a study, for any seat. */
  isPersons({ turn }) {
    return turn?.due === "move" && (this.isStudy || !this.seatOf(turn).engine);
  }

  seatOf(turn) {
    return this.seats[turn.seat - 1] ?? person();
  }

  /** Whether an engine or a card is next, but play is paused until the user continues it. */
  isWaiting() {
    const { turn } = this.game.current;
    if (this.busy || this.isStudy || !turn) return false;
    return turn.due === "card" || Boolean(this.seatOf(turn).engine);
  }

  // --- The view ---

  /** Shows the current position, with the pieces that have moved since `before`. */
  show(before) {
    const { game, isEarlier, placed, set } = this;
    const node = game.current;
    this.view.show({
      game, node, placed, set, names: this.names, arrows: this.arrows, estimate: this.estimate,
      before: placed ? null : before ?? node.parent,
      moves: this.isDue() && !set ? node.moves : [],
      choosesCard: this.isStudy && node.turn?.due === "card",
      scrollsToCards: this.mode === "study",
      // In a game, only its last moves can be taken back, so that none are lost unseen.
      canUndo: Boolean(node.parent) && this.mode !== "review" && !isEarlier,
      canSkip: Boolean(this.busy),
      onward: isEarlier ? t("to game") : this.isWaiting() ? t("continues") : "",
    });
    this.keep();
    this.view.say(...this.status());
    for (const listener of this.changeListeners) listener();
    this.view.revealNew();
  }

  /** Shows arrows and an estimate. */
  mark(arrows, estimate) {
    Object.assign(this, { arrows, estimate });
    this.view.mark(arrows, estimate);
  }

  // Keeps the game in the address, and what an address cannot hold in the browser's history.
  keep() {
    const names = this.seats.map(({ name }) => name ?? null);
    const state = { variations: this.game.variations(), names, mode: this.mode, id: this.game.id };
    history.replaceState(state, "", `#${linkOf(this.game, this.seats)}`);
  }

  // Whose turn it is or who has won, in words, the seat, and the last turn in words, or the goal of the game.
  status() {
    const { current } = this.game;
    const { turn, places } = current;
    const seat = turn?.seat ?? places.indexOf(1) + 1;
    const name = this.names[seat - 1];
    const now = !turn ? t("won by", { name })
      : turn.due === "card" ? t(this.isStudy ? "choose card" : "card due", { name })
        : this.isDue() ? dueText(current, name) : t(this.waitingText(turn), { name });
    const last = current.words.length === 0 ? t("goal")
      : t("did", { name: this.names[current.seat - 1], what: turnText(this.game, current, this.names) });
    return [now, seat, turn ? last : `${t("over")} ${last}`];
  }

  waitingText(turn) {
    return this.busy && !this.isStudy && this.seatOf(turn).engine ? "their turn" : "waits";
  }

  // --- Begin ---

  /** Starts another game; the browser's button Back returns to the one before. */
  async beginNew(answer, seats) {
    if (this.game) history.pushState(null, "");
    await this.begin(answer, seats);
  }

  /** Starts with a game from the server: at its end, or paused after `at` turns; with its variations, which come from the
   * server, too, and with its `id` if this browser keeps it. */
  async begin(answer, seats, { at = Infinity, variations = [], id = null } = {}) {
    this.forget();
    const game = new Game(answer, id);
    for (const variation of variations) game.addVariation(variation);
    this.game = game;
    chooseGame(game.variant);
    const { seats: now, missing } = settled(seats, this.server);
    this.seats = now;
    const there = game.line()[at];
    if (there?.children.length > 0) await this.go(there);
    else await this.proceed();
    if (this.game !== game || missing.length === 0) return;
    this.view.showProblem(t("missing engine", { names: missing.join(", ") }));
  }

  // --- Play ---

  /** Plays one of the moves to a chosen square; asks which one if there are several. */
  async choose(moves) {
    const { game } = this;
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
    this.view.remark();
    if (await this.advance("play", { move: text, draw: !this.isStudy })) await this.proceed();
  }

  /** Draws cards and lets engines move until a person's turn, then shows the position. */
  async proceed() {
    for (;;) {
      const { turn } = this.game.current;
      if (!turn || this.isStudy) break;
      const seat = this.seatOf(turn);
      const isCard = turn.due === "card";
      if (!isCard && !seat.engine) break;
      const search = { engine: seat.engine, limit: this.limit, options: optionsOf(seat, this.game.traits) };
      if (!await (isCard ? this.advance("draw") : this.advance("ai", search))) return;
    }
    await this.look();
  }

  // Asks the server for the next step, and shows it, or the failure: `path` is "play", "draw" or "ai", below /api/.
  // Returns whether the game continues.
  async advance(path, more = {}) {
    const busy = new AbortController();
    this.abort();
    this.busy = busy;
    this.show();
    try {
      const answer = await post(path, { game: this.game.request(), ...more }, busy.signal);
      if (this.busy !== busy) return false;
      this.view.showProblem("");
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

  // Adds the steps of an answer to the game, and animates them.
  async animate(answer, busy, isByPerson) {
    const { game } = this;
    const before = game.current;
    game.addAnswer(answer);
    const after = game.current;
    // A reload during the animation must not lose the move and its cards.
    this.keep();
    game.current = before;
    const skipping = new AbortController();
    const { signal } = skipping;
    busy.skip = () => skipping.abort();
    busy.signal.addEventListener("abort", busy.skip, { once: true });
    // A card that a person has chosen needs no showing.
    const isChosen = isByPerson && before.turn.due === "card";
    let from = before;
    for (const step of answer.steps) {
      if (step.move) await this.view.run(from, step, signal);
      else {
        const name = this.names[step.seat - 1];
        const card = { card: step.word, words: step.words };
        this.view.say(t("card due", { name }), step.seat, cardWords(card));
        const isOwn = !this.seatOf(step).engine;
        if (!signal.aborted && !isChosen) await showCard(card, name, { traits: game.traits, isOwn, signal });
      }
      if (this.busy !== busy) return;
      from = step;
      this.view.showStep(step);
    }
    this.busy = null;
    this.arrows = [];
    game.current = after;
    // First, since the end of a game is shown differently if a person has just played it.
    const isMove = isByPerson && before.turn.due === "move";
    if (isMove) for (const listener of this.playedListeners) listener(before, after);
    this.show(before);
  }

  // Reports the failure of the engine whose turn it is, and offers two ways to continue.
  explain(error) {
    const { seat } = this.game.current.turn;
    const name = this.names[seat - 1];
    const again = button(t("try again"), () => { this.view.showProblem(""); this.proceed(); });
    const byHand = button(t("play it myself"), () => {
      this.seats[seat - 1] = person();
      this.view.showProblem("");
      this.look();
    });
    this.view.showProblem(failureText(error, "engine failed", { name }), again, byHand);
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

  /** Stops the current request, animation or card. */
  abort() {
    this.busy?.abort();
    this.busy = null;
  }

  /** Skips the current animation. */
  skip() {
    this.busy?.skip?.();
  }

  // Stops what runs, and removes what was shown about the position.
  forget() {
    this.abort();
    this.arrows = [];
    this.estimate = null;
    this.view.remark();
    this.view.showProblem("");
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
    this.view.reveal();
  }

  turnTo(node) {
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
    if (this.view.undo.disabled) return;
    this.forget();
    do this.game.undo(); while (this.game.current.parent && !this.isPersons(this.game.current) && this.hasPersons());
    await this.look();
  }

  hasPersons() {
    return this.seats.some(({ engine }) => !engine);
  }

  /** Changes the seats during a game. */
  async reseat(seats) {
    this.forget();
    this.seats = seats;
    await this.proceed();
  }

  // --- Failures ---

  /** Runs what the user asked for; reports its error. */
  async perform(action) {
    try {
      await action();
    } catch (error) {
      this.fail(error, () => this.perform(action));
    }
  }

  /** Does what no later action of the user replaces: as often as it takes until the server answers. Reports its error. */
  async ensure(action) {
    try {
      await action();
    } catch (error) {
      if (!(error instanceof OfflineError)) return this.fail(error);
      this.view.showProblem(t("offline"));
      await reconnected();
      this.view.showProblem("");
      await this.ensure(action);
    }
  }

  /** Reports an error. If the server does not answer, waits until it does, then runs the last `again`, or `look`. */
  fail(error, again = null) {
    if (!(error instanceof OfflineError)) return this.view.showProblem(failureText(error));
    this.view.showProblem(t("offline"));
    this.again = again ?? this.again;
    this.reconnecting ??= reconnected().then(() => {
      this.reconnecting = null;
      this.view.showProblem("");
      const action = this.again ?? (() => this.look());
      this.again = null;
      action();
    });
  }
}
