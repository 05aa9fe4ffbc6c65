// The display of a game: its board, seats, moves and buttons, and what may be done with them now.

import { drawArrows, element } from "./board.js";
import { linkOf } from "./game.js";
import { logOf } from "./log.js";
import { Notices } from "./notices.js";
import { namesOf } from "./seats.js";
import { cardWords, t } from "./texts.js";
import { boardOf, button, seatsOf, showTip, trackFiles } from "./view.js";
import { moveText, refusalText, turnText } from "./words.js";

/** A base of the table, whose methods `choose` and `play` make moves. */
export class Display extends Notices {
  /** `parts` are the elements to fill. */
  constructor(parts, server) {
    super(parts);
    this.server = server;
    this.game = null;
    this.seats = [];
    /** The open tab: "play", "study", "review" or "library". */
    this.mode = "play";
    /** Square of the piece that is chosen to move; null if none is. */
    this.picked = null;
    this.arrows = [];
    this.estimate = null;
    /** Pieces of a position that is being set up; shown instead of the game's. */
    this.placed = null;
    this.focused = null;
    /** Game whose board has been brought into view. */
    this.revealed = null;
    /** Node whose cards are shown to choose from; null if none is. */
    this.asked = null;
    /** Controller of the current request, animation or card. */
    this.busy = null;
    /** Variations of the game that still have to be fetched. */
    this.unrestored = [];
    this.listeners = [];
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
    return turn?.due === "move" && (this.isStudy || !this.seats[turn.seat - 1]?.engine);
  }

  /** Whether an engine or a card is next, but play is paused until the user continues it. */
  isWaiting() {
    const { turn } = this.game.current;
    if (this.busy || this.isStudy || !turn) return false;
    return turn.due === "card" || (this.server.isKnown && Boolean(this.seats[turn.seat - 1]?.engine));
  }

  // --- The whole ---

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
    const { isEarlier } = this;
    // In a game, only its last moves can be taken back, so that none are lost unseen.
    this.parts.undo.disabled = !view.parent || this.mode === "review" || isEarlier;
    this.parts.skip.disabled = !this.busy;
    this.parts.onward.hidden = !isEarlier && !this.isWaiting();
    this.parts.onward.textContent = t(isEarlier ? "to game" : "continues");
    this.keep();
    this.sayWhoseTurn();
    for (const listener of this.listeners) listener();
    if (this.revealed === game) return;
    if (this.revealed) this.reveal();
    this.revealed = game;
  }

  /** Scrolls the status and the board into view. */
  reveal() {
    for (const part of [this.parts.status, this.parts.board]) part.scrollIntoView({ block: "nearest" });
  }

  // Keeps the game in the address, and what an address cannot hold in the browser's history.
  keep() {
    const names = this.seats.map(({ name }) => name ?? null);
    const variations = [...this.game.variations(), ...this.unrestored];
    const state = { variations, names, mode: this.mode, id: this.game.id };
    history.replaceState(state, "", `#${linkOf(this.game, this.seats)}`);
  }

  // Shows an intermediate position, without squares to choose.
  showStep(step) {
    this.keepFocus();
    const svg = boardOf(this.game, { view: step, names: this.names });
    this.parts.board.replaceChildren(svg);
    this.parts.seats.replaceChildren(seatsOf(this.game, step, this.names, this.estimate));
  }

  // --- The board ---

  // Remembers the focused square, so that a keyboard user returns to it at the next turn. Until then the redrawn board
  // has no focusable squares, and the focus falls to the body.
  keepFocus() {
    const now = document.activeElement;
    if (this.parts.board.contains(now)) this.focused = now.dataset.square;
    else if (now && now !== document.body && !now.closest("dialog")) this.focused = null;
  }

  giveFocus(svg) {
    if (this.focused === null) return;
    const same = svg.querySelector(`.square[data-square="${this.focused}"][tabindex]`);
    (same ?? svg.querySelector("[tabindex='0']"))?.focus();
  }

  /** Shows everything again, and the moves to a square if they were shown. */
  refresh() {
    const shown = this.parts.board.querySelector(".shown");
    this.show();
    if (shown) this.preview(Number(shown.dataset.square));
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
      : turn.due === "card" ? t(this.isStudy ? "choose card" : "card due", { name })
        : this.isDue() ? t("your turn", { name }) : t(this.waitingText(turn), { name });
    this.say(last ? `${last.replace(/\.$/, "")}. ${now}` : now);
  }

  waitingText(turn) {
    if (this.isStudy || !this.seats[turn.seat - 1]?.engine) return "waits";
    if (this.busy) return "their turn";
    return this.server.isKnown ? "waits" : "engines due";
  }

  /** A turn in words, with the name of its seat. */
  tell(node) {
    return t("did", { name: this.names[node.seat - 1], what: turnText(this.game, node, this.names) });
  }

  // Shows the cards to choose from in a study.
  showChoices() {
    const { current } = this.game;
    const { turn, cards } = current;
    const isDue = this.isStudy && turn?.due === "card" && cards?.length > 0;
    const isNew = this.asked !== current;
    this.asked = isDue ? current : null;
    this.parts.choices.hidden = !isDue;
    if (!isDue) return this.parts.choices.replaceChildren();
    // Cards with the same words differ in their names.
    const haveWords = new Set(cards.map(cardWords)).size === cards.length;
    const nameOf = (card) => (haveWords ? cardWords(card) : card.card);
    const choose = ({ card }) => {
      this.reveal();
      this.play(card);
    };
    const all = cards.map((card) =>
      button(`${nameOf(card)} × ${card.number}`, () => choose(card), { "data-card": card.card }));
    const heading = element("h2", {}, t("choose card"));
    this.parts.choices.replaceChildren(heading, element("div", { class: "buttons" }, ...all));
    if (!isNew) return;
    // After a puzzle's move its verdict counts, on the board.
    if (this.mode === "study") this.parts.choices.scrollIntoView({ block: "nearest" });
    else this.reveal();
  }
}
