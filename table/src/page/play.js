// The table: one game with its seats. People choose their moves, and the server has engines choose theirs.

import { OfflineError, post } from "./api.js";
import { drawArrows, element } from "./board.js";
import { askMove, namesOf, person, showCard } from "./dialogs.js";
import { Game, fetchGame, linkOf } from "./game.js";
import { logOf } from "./log.js";
import { Notices } from "./notices.js";
import { optionsOf } from "./opponents.js";
import { cardWords, chooseGame, t } from "./texts.js";
import { boardOf, button, run, seatsOf, showTip, trackFiles } from "./view.js";
import { factsText, moveText, moveTitle, refusalText, squareName, turnText } from "./words.js";

export class Table extends Notices {
  /** `parts` are the elements to fill. */
  constructor(parts) {
    super(parts);
    this.game = null;
    this.seats = [];
    this.limit = "movetime 700";
    /** The open tab: "play", "study", "review" or "library". */
    this.mode = "play";
    /** Square of the piece that is chosen to move; null if none is. */
    this.picked = null;
    this.arrows = [];
    this.estimate = null;
    /** Pieces of a position that is being set up; shown instead of the game's. */
    this.placed = null;
    this.focused = null;
    this.busy = null;
    this.listeners = [];
    this.playedListeners = [];
    /** Variations of the game that still have to be fetched. */
    this.unrestored = [];
  }

  /** Whether engines are not asked for moves, and cards are chosen by hand. */
  get isStudy() {
    return this.mode !== "play";
  }

  get names() {
    return namesOf(this.seats);
  }

  /** Calls `listener` after each update of the display. */
  onChange(listener) {
    this.listeners.push(listener);
  }

  /** Calls `listener` with the node before and the node after each move that a person plays in a game. */
  onPlayed(listener) {
    this.playedListeners.push(listener);
  }

  // --- Display ---

  show(before) {
    const { game, names } = this;
    const view = { ...game.current, pieces: this.placed ?? game.current.pieces };
    this.parts.board.className = game.board.files ? "board grid" : "board track";
    this.keepFocus();
    const svg = boardOf(game, {
      view,
      before: this.placed ? null : before ?? view.parent,
      moves: this.isDue() && !this.onSquare ? view.moves : [],
      picked: this.picked,
      arrows: this.arrows,
      names,
      on: {
        set: this.onSquare,
        show: (square) => this.preview(square),
        leave: () => this.preview(null),
        choose: (square) => this.choose(square),
        refuse: (square) => this.refuse(square),
        pick: (square) => {
          this.picked = this.picked === square ? null : square;
          this.show();
        },
      },
    });
    this.parts.board.replaceChildren(svg);
    this.parts.seats.replaceChildren(seatsOf(game, view, names, this.estimate));
    this.hint("");
    this.giveFocus(svg);
    this.showChoices();
    this.parts.moves.replaceChildren(logOf(this));
    const here = this.parts.moves.querySelector(".here");
    if (here) here.closest("ol").scrollTop = here.offsetTop - here.closest("ol").clientHeight / 2;
    this.parts.undo.disabled = !view.parent || this.mode === "review";
    this.parts.skip.disabled = !this.busy;
    this.parts.onward.hidden = !this.isWaiting();
    this.keep();
    this.sayWhoseTurn();
    for (const listener of this.listeners) listener();
  }

  // Keeps the game in the address, and what an address cannot hold in the browser's history.
  keep() {
    const names = this.seats.map(({ name }) => name ?? null);
    const variations = [...this.game.variations(), ...this.unrestored];
    history.replaceState({ variations, names }, "", `#${linkOf(this.game, this.seats)}`);
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
    drawArrows(svg, this.game.board, arrows, trackFiles());
    this.parts.seats.replaceChildren(seatsOf(this.game, this.game.current, this.names, estimate));
  }

  hint(text) {
    const haveFacts = this.game.current.moves?.some((move) => move.facts.length > 0);
    this.parts.hint.textContent = text || (this.isDue() && haveFacts ? t("hint") : " ");
  }

  // The legal moves to a square, of the chosen piece if there is one.
  movesTo(square) {
    // The moves are missing until the server has sent them.
    const { moves = [], pieces } = this.game.current;
    const isOpen = ({ piece }) => this.picked === null || pieces[piece].square === this.picked;
    return moves.filter((move) => move.square === square && isOpen(move));
  }

  /** Shows what the moves to a square do, on the square and below the board; null ends it. */
  preview(square) {
    const { game } = this;
    const texts = square === null ? [] : this.movesTo(square).map((move) => moveText(game, game.current, move));
    this.hint(texts.join("\n"));
    showTip(this.parts.board, square, texts.flatMap((text) => text.split(" · ")));
  }

  // Says why no move leads to a square.
  refuse(square) {
    const text = refusalText(this.game, this.game.current, square, this.names);
    this.hint(text);
    showTip(this.parts.board, square, text ? [text] : [], "refusal");
  }

  sayWhoseTurn() {
    const { turn, places } = this.game.current;
    const last = this.game.current.words.length > 0 ? this.tell(this.game.current) : "";
    const name = turn ? this.names[turn.seat - 1] : this.names[places.indexOf(1)];
    const now = !turn ? `${t("over")} ${t("won by", { name })}`
      : turn.due === "card" ? t("choose card")
        : this.isDue() ? t("your turn", { name }) : t(this.busy ? "their turn" : "waits", { name });
    this.say(last ? `${last.replace(/\.$/, "")}. ${now}` : now);
  }

  /** A turn in words, with the name of its seat. */
  tell(node) {
    return t("did", { name: this.names[node.seat - 1], what: turnText(this.game, node, this.names) });
  }

  // Shows the cards to choose from in a study.
  showChoices() {
    const { turn, cards } = this.game.current;
    const isDue = this.isStudy && turn?.due === "card" && cards?.length > 0;
    this.parts.choices.hidden = !isDue;
    if (!isDue) return this.parts.choices.replaceChildren();
    // The cards of a game that the page does not know may share their words, so their names tell them apart.
    const nameOf = (card) => (this.game.traits.moveText ? cardWords(card) : card.card);
    const all = cards.map((card) =>
      button(`${nameOf(card)} × ${card.number}`, () => this.play(card.card), { "data-card": card.card }));
    const heading = element("h2", {}, t("choose card"));
    this.parts.choices.replaceChildren(heading, element("div", { class: "buttons" }, ...all));
  }

  // --- Play ---

  /** Whether a person may move now; in a study, for any seat. */
  isDue() {
    const { turn } = this.game.current;
    if (this.busy || turn?.due !== "move" || this.mode === "review" || !this.game.current.moves) return false;
    return this.isStudy || !this.seats[turn.seat - 1]?.engine;
  }

  /** Whether an engine or a card is next, but play is paused until the user continues it. */
  isWaiting() {
    const { turn } = this.game.current;
    if (this.busy || this.isStudy || !turn) return false;
    return turn.due === "card" || Boolean(this.seats[turn.seat - 1]?.engine);
  }

  /** Starts another game; the browser's button Back returns to the one before. */
  async beginNew(answer, seats) {
    if (this.game) history.pushState(null, "");
    await this.begin(answer, seats);
  }

  /** Starts with a game from the server: at its end, or paused after `at` turns; with the moves of its variations. */
  async begin(answer, seats, { at = Infinity, variations = [] } = {}) {
    this.abort();
    this.unrestored = [...variations];
    this.game = new Game(answer);
    chooseGame(this.game.variant);
    this.seats = seats;
    this.forget();
    const there = this.game.line()[at];
    await this.restore();
    if (there?.children.length > 0) await this.go(there);
    else await this.proceed();
  }

  forget() {
    this.arrows = [];
    this.estimate = null;
    this.picked = null;
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
      const search = () => ({ engine: seat.engine, limit: this.limit, options: optionsOf(seat, this.game.traits) });
      if (!await (draws ? this.attempt("draw") : this.attempt("ai", search()))) return;
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
      if (path === "ai" && !(error instanceof OfflineError)) this.explain(error);
      else this.fail(error, () => (path === "play" ? this.play(more.move) : this.proceed()));
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
        const { signal } = skipping;
        if (!signal.aborted && card.words) await showCard(card, name, { traits: this.game.traits, isOwn, signal });
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
    this.picked = null;
    const before = this.game.take(answer);
    this.show(before);
  }

  // Shows an intermediate position, without squares to choose.
  showStep(step) {
    this.keepFocus();
    const svg = boardOf(this.game, { view: step, names: this.names });
    this.parts.board.replaceChildren(svg);
    this.parts.seats.replaceChildren(seatsOf(this.game, step, this.names, this.estimate));
  }

  /** Plays a move to the chosen square; asks which one if there are several. */
  async choose(square) {
    const { game } = this;
    const moves = this.movesTo(square);
    if (moves.length === 0) return;
    const move = moves.length === 1 ? moves[0] : await askMove(moves, (one) => {
      const from = squareName(game.board, game.current.pieces[one.piece].square);
      const title = game.board.files ? t("from", { from }) : moveTitle(game, game.current, one);
      return [title, factsText(one.facts)].filter(Boolean).join(": ");
    });
    if (move) await this.play(move.move);
  }

  /** Plays a move, or a card if one is due. */
  async play(text) {
    const before = this.game.current;
    if (!before.turn) return;
    if (!await this.attempt("play", { move: text, draw: !this.isStudy })) return;
    if (before.turn.due === "move") for (const listener of this.playedListeners) listener(before, this.game.current);
    await this.proceed();
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
    if (this.parts.undo.disabled) return;
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
