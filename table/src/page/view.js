// Draws a game, and tells what a person does with it: the status, the board with squares to choose, the seats with their
// holdings, the list of moves, and errors. `board.js` is crates/board/src/board.js; pages.rs serves it as well.

import { FIELD, colour, drawArrows, drawBoard, drawing, element, layoutOf, movedPieces, spotsOf } from "./board.js";
import { button, icon, seatMark } from "./controls.js";
import {
  cardWords, factOf, factsText, forcedMove, incomeText, moveText, moveTitle, ordinal, percent, refusalText, squareName,
  stepsOf, t, textAbout, word,
} from "./texts.js";

/** The parts of the page that show a game. It knows nothing of the server, nor of who may move. */
export class View {
  /**
   * The functions in `on` are called if a person chooses something: `choose` with the legal moves to a square, `play`
   * with a card, `visit` with a turn in the list; `undo`, `resume` and `skip` by buttons.
   * What follows comes back by `run` and `showStep`, which animate a step, and by `show`.
   */
  constructor(on) {
    this.on = on;
    /** What is shown; see `show`. */
    this.state = null;
    /** Square of the piece that is chosen to move; null if none is. */
    this.picked = null;
    /** Square that had the focus; null if another part has it. */
    this.focused = null;
    /** Node whose cards are shown to choose from; null if none is. */
    this.asked = null;
    /** Game whose board has been brought into view. */
    this.revealed = null;
    this.board = element("div", { class: "board", id: "board" });
    this.seats = element("div", { id: "seats" });
    this.now = element("span", { class: "now" });
    // The keys scroll it if it is long.
    this.last = element("span", { class: "last", tabindex: 0 });
    this.status = element("p", { id: "status", "aria-live": "polite", role: "status" }, this.now, this.last);
    this.hint = element("p", { id: "hint" });
    this.trouble = element("div", { id: "trouble", role: "alert", hidden: "" });
    this.choices = element("div", { id: "choices", hidden: "" });
    this.comment = element("div", { id: "comment", "aria-live": "polite", hidden: "" });
    this.moves = element("div", { id: "move-list" });
    this.undo = button(t("undo"), on.undo, { id: "undo", disabled: "" });
    this.forced = button("", () => on.choose(this.state.moves), { id: "forced", class: "primary", hidden: "" });
    this.onward = button(t("continues"), on.resume, { id: "continue", hidden: "" });
    this.skip = button(t("skip"), on.skip, { id: "skip", hidden: "" });
  }

  /**
   * Shows a state: the `game` with the `node` on the board and the node `before` it, the `names` of the seats, the
   * `moves` to choose from, `arrows`, and the `estimate` in permille. While a position is set up, `placed` are its
   * pieces, and `set` is called with a square. With `choosesCard` a person chooses the card that is due. The buttons:
   * `canUndo`, `canSkip`, and the text `onward` of the one that continues.
   */
  show(state) {
    // A node has another piece to choose.
    if (this.state?.node !== state.node) this.picked = null;
    this.state = state;
    const { game, node, placed, names, estimate, canUndo, canSkip, onward } = state;
    this.board.className = game.board.files ? "board grid" : "board track";
    // Squares to choose have the mover's colour.
    if (node.turn) this.board.style.setProperty("--glow", colour(node.turn.seat - 1));
    this.drawBoard();
    this.seats.replaceChildren(seatsOf(game, placed ? { ...node, pieces: placed } : node, names, estimate));
    this.showHint("");
    this.showChoices();
    this.moves.replaceChildren(logOf(state, this.on.visit));
    const here = this.moves.querySelector(".here");
    if (here) here.closest("ol").scrollTop = here.offsetTop - here.closest("ol").clientHeight / 2;
    this.showForced();
    this.undo.disabled = !canUndo;
    this.skip.hidden = !canSkip;
    this.onward.hidden = !onward;
    this.onward.textContent = onward || t("continues");
  }

  /** Brings the board of another game into view. */
  revealNew() {
    const { game } = this.state;
    if (this.revealed && this.revealed !== game) this.reveal();
    this.revealed = game;
  }

  /** Scrolls the status and the board into view. */
  reveal() {
    for (const part of [this.status, this.board]) part.scrollIntoView({ block: "nearest" });
  }

  // --- Texts ---

  /** Shows the status: what is done `now`, by a `seat` from 1 if it is one's turn, and what was done `last`. */
  say(now, seat = null, last = "") {
    this.now.textContent = now;
    this.now.classList.toggle("of-seat", seat !== null);
    this.now.style.setProperty("--seat", seat === null ? "" : colour(seat - 1));
    // A blank between both, for those who hear them.
    this.last.textContent = last && ` ${last}`;
    this.last.scrollTop = 0;
  }

  /** Shows a problem with buttons to solve it; without a text, removes it. */
  showProblem(text, ...buttons) {
    this.trouble.replaceChildren(...(text ? [element("p", {}, text), ...buttons] : []));
    this.trouble.hidden = !text;
  }

  /** Shows content near the board, with a button to close it; without content, hides it. */
  remark(...content) {
    const shown = content.filter(Boolean);
    const close = button("×", () => this.remark(), { class: "close", "aria-label": t("close"), title: t("close") });
    this.comment.replaceChildren(...shown, close);
    this.comment.hidden = shown.length === 0;
    if (!this.comment.hidden) this.comment.scrollIntoView({ block: "nearest" });
  }

  // A turn without a choice is a button.
  showForced() {
    const { game, node, moves } = this.state;
    const move = forcedMove({ ...node, moves });
    this.forced.hidden = !move;
    if (move) this.forced.textContent = [moveTitle(game, node, move), incomeText(node)].filter(Boolean).join(": ");
  }

  showHint(text) {
    const haveFacts = this.state.moves.some((move) => move.facts.length > 0);
    this.hint.textContent = text || (haveFacts ? t("hint") : " ");
  }

  // Shows the cards to choose from.
  showChoices() {
    const { node, choosesCard } = this.state;
    const isNew = this.asked !== node;
    const cards = (choosesCard && node.cards) || [];
    this.asked = cards.length > 0 ? node : null;
    this.choices.hidden = cards.length === 0;
    if (this.choices.hidden) return this.choices.replaceChildren();
    // Cards with the same words differ in their names.
    const haveWords = new Set(cards.map(cardWords)).size === cards.length;
    const nameOf = (card) => (haveWords ? cardWords(card) : card.card);
    const choose = ({ card }) => {
      this.reveal();
      this.on.play(card);
    };
    const all = cards.map((card) =>
      button(`${nameOf(card)} × ${card.number}`, () => choose(card), { "data-card": card.card }));
    const heading = element("h2", {}, t("choose card"));
    this.choices.replaceChildren(heading, element("div", { class: "buttons" }, ...all));
    if (!isNew) return;
    // After a puzzle's move its verdict counts, on the board.
    if (this.state.scrollsToCards) this.choices.scrollIntoView({ block: "nearest" });
    else this.reveal();
  }

  // --- The board ---

  drawBoard() {
    this.keepFocus();
    const svg = this.boardOf(this.state);
    this.board.replaceChildren(svg);
    if (this.focused === null) return;
    const same = svg.querySelector(`.square[data-square="${this.focused}"][tabindex]`);
    (same ?? svg.querySelector("[tabindex='0']"))?.focus();
  }

  // The board with a state's position, whose squares can be chosen as `moves` and `set` say.
  boardOf({ game, node, before, placed, names, moves, arrows, set }) {
    const position = placed ? { ...node, pieces: placed } : node;
    const isDue = moves.length > 0;
    const isOpen = ({ piece }) => this.picked === null || position.pieces[piece].square === this.picked;
    const bySquare = Map.groupBy(moves.filter(isOpen), ({ square }) => square);
    const movable = new Set(moves.map(({ piece }) => position.pieces[piece].square));
    const svg = drawBoard(game.board, {
      label: t("board", { ply: position.ply ?? 0 }),
      role: "group",
      pieces: piecesOf(position),
      before: before && piecesOf(before),
      turn: position.turn ? position.turn.seat - 1 : null,
      symbols: game.traits.symbols,
      nameOf: (square) => label(game, square, position, bySquare.get(square) ?? [], names, isDue),
      arrows,
      trackFiles: trackFiles(),
    });
    for (const group of svg.querySelectorAll(".square")) {
      const square = Number(group.dataset.square);
      const movesTo = bySquare.get(square);
      group.setAttribute("role", movesTo || set ? "button" : "img");
      group.setAttribute("aria-label", group.querySelector("title").textContent);
      if (set) {
        group.setAttribute("tabindex", 0);
        press(group, () => set(square));
      } else if (movesTo) this.light(svg, group, square, movesTo);
      else if (movable.size > 1 && movable.has(square)) {
        group.classList.add("movable");
        group.classList.toggle("picked", square === this.picked);
        group.addEventListener("click", () => this.pick(square));
      } else if (isDue) group.addEventListener("click", () => this.refuse(square));
    }
    return svg;
  }

  // Highlights a square, and lets a person choose the moves to it: by a click, by the keyboard, or by two taps.
  light(svg, group, square, moves) {
    const show = () => this.preview(square, moves);
    const leave = () => this.preview(square);
    group.classList.add("lit");
    // In front of the neighbouring squares, so that its outline is visible.
    svg.insertBefore(group, svg.querySelector(".trail, .piece"));
    group.setAttribute("tabindex", svg.querySelector("[tabindex='0']") ? -1 : 0);
    // A finger cannot point without touching: its first tap shows the move, the second one plays it.
    let isTouch = false;
    group.addEventListener("pointerdown", ({ pointerType }) => { isTouch = pointerType === "touch"; });
    press(group, ({ type }) => {
      if (type === "click" && isTouch && !group.classList.contains("shown")) this.preview(square, moves, t("tap again"));
      else this.on.choose(moves);
    });
    group.addEventListener("pointerenter", ({ pointerType }) => { if (pointerType !== "touch") show(); });
    group.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") leave(); });
    group.addEventListener("focus", () => {
      // Tab returns to the square that had the focus last.
      svg.querySelector(".lit[tabindex='0']").setAttribute("tabindex", -1);
      group.setAttribute("tabindex", 0);
      if (group.matches(":focus-visible")) show();
    });
    group.addEventListener("blur", leave);
    group.addEventListener("keydown", (event) => walk(svg, group, event));
    const box = group.querySelector("rect");
    const [x, y] = ["x", "y"].map((name) => Number(box.getAttribute(name)) + Number(box.getAttribute("width")) / 2);
    const radius = FIELD * (this.state.game.board.files ? 0.18 : 0.43);
    group.append(drawing("circle", { class: "glow", cx: x, cy: y, r: radius }));
  }

  // Chooses the piece on a square to move, or no longer does.
  pick(square) {
    this.picked = this.picked === square ? null : square;
    this.show(this.state);
  }

  /** Animates the pieces from one position to the next; ends when they have arrived, or `signal` aborts. */
  async run(from, to, signal) {
    if (calm.matches || signal.aborted) return;
    const svg = this.board.querySelector("svg");
    const layout = layoutOf(this.state.game.board, trackFiles());
    const spots = spotsOf(piecesOf(from), layout);
    const runs = movedPieces(from.pieces, to.pieces).map(({ index, from: start, to: target }) => {
      const shown = svg.querySelector(`[data-piece="${index}"]`);
      const { cx, cy } = spots[index];
      const stops = way(layout, start, target).map((square) => layout.middle(square));
      const frames = [[cx, cy], ...stops].map(([x, y]) => ({ transform: `translate(${x - cx}px, ${y - cy}px)` }));
      const duration = Math.min(900, 250 + 70 * frames.length);
      svg.append(shown);
      return shown.animate(frames, { duration, easing: "ease-in-out", fill: "forwards" });
    });
    signal.addEventListener("abort", () => runs.forEach((one) => one.finish()), { once: true });
    await Promise.all(runs.map((one) => one.finished.catch(() => null)));
  }

  /** Shows an intermediate position, without squares to choose. */
  showStep(step) {
    const { game, names, estimate } = this.state;
    this.keepFocus();
    this.board.replaceChildren(this.boardOf({ game, node: step, names, moves: [] }));
    this.seats.replaceChildren(seatsOf(game, step, names, estimate));
  }

  // Remembers the focused square, so that a keyboard user returns to it at the next turn. Until then the redrawn board
  // has no focusable squares, and the focus falls to the body.
  keepFocus() {
    const now = document.activeElement;
    if (this.board.contains(now)) this.focused = now.dataset.square;
    else if (now && now !== document.body && !now.closest("dialog")) this.focused = null;
  }

  // Shows what the moves to a square do, on the square and below the board, with `more`; without moves, ends it.
  preview(square, moves = [], ...more) {
    const { game, node } = this.state;
    const texts = [...moves.map((move) => moveText(game, node, move)), ...more];
    this.showHint(texts.join("\n"));
    showTip(this.board, square, texts.flatMap((text) => text.split(" · ")));
  }

  // Says why no move leads to a square.
  refuse(square) {
    const { game, node, names } = this.state;
    const text = refusalText(game, node, square, names);
    this.showHint(text);
    showTip(this.board, square, text ? [text] : [], "refusal");
  }

  /** Shows arrows and an estimate without redrawing the board. */
  mark(arrows, estimate) {
    const { game, node, names } = this.state;
    Object.assign(this.state, { arrows, estimate });
    drawArrows(this.board.querySelector("svg"), game.board, arrows, trackFiles());
    this.seats.replaceChildren(seatsOf(game, node, names, estimate));
  }
}

// --- Size of the board ---

// Space that the rest of the page needs next to the board, in pixels; as in the style sheet.
const SPACES = [
  ["(max-width: 43rem), (max-width: 62rem) and (max-aspect-ratio: 4/3)", { beside: 26, above: 275 }],
  ["(max-height: 32rem)", { beside: 330, above: 100 }],
  ["all", { beside: 430, above: 260 }],
];
// The start counts twice.
const TRACK_SQUARES = 66;
const ROW_LENGTHS = [7, 8, 9, 10, 11, 12, 13];

/** Squares in a row of a track, such that they are as large as the window allows. */
export function trackFiles() {
  const [, { beside, above }] = SPACES.find(([query]) => window.matchMedia(query).matches);
  const width = Math.min(window.innerWidth, 2000) - beside;
  const height = window.innerHeight - above;
  const sizeOf = (files) => Math.min(width / files, height / Math.ceil(TRACK_SQUARES / files));
  return ROW_LENGTHS.reduce((best, files) => (sizeOf(files) >= sizeOf(best) ? files : best));
}

/** Calls `callback` whenever the length of the rows changes. */
export function onResize(callback) {
  let before = trackFiles();
  window.addEventListener("resize", () => {
    if (trackFiles() === before) return;
    before = trackFiles();
    callback();
  });
}

// --- Squares and tips ---

// Distance between the places where a tip may be, in pixels.
const STEP = 8;

/** The pieces of a position, with seats counted from 0. */
export const piecesOf = (position) => position.pieces.map((piece) => ({ ...piece, seat: piece.seat - 1 }));

function label(game, square, position, moves, names, isDue) {
  const there = position.pieces.filter((piece) => piece.square === square);
  const who = there.map((piece) => `${word(piece.name)}: ${names[piece.seat - 1]}`);
  const options = moves.map((move) => factsText(move.facts));
  const reason = isDue && moves.length === 0 && there.length === 0 ? refusalText(game, position, square, names) : "";
  return [squareName(game.board, square), ...who, ...options, reason].filter(Boolean).join("; ");
}

function press(group, action) {
  group.addEventListener("click", action);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    action(event);
  });
}

/** Shows lines of text at a square of the board; without lines, removes them. */
function showTip(board, square, lines, kind = "") {
  board.querySelector(".tip")?.remove();
  for (const shown of board.querySelectorAll(".shown")) shown.classList.remove("shown");
  if (lines.length === 0) return;
  const group = board.querySelector(`.square[data-square="${square}"]`);
  group.classList.add("shown");
  const [first, ...rest] = lines;
  const tip = element("div", { class: `tip ${kind}`, "aria-hidden": "true" }, element("b", {}, first),
    ...rest.map((line) => element("span", {}, line)));
  board.append(tip);
  place(tip, board, group);
}

// Puts a tip where it covers the fewest of the lit squares and of its own one, as near to its own as possible.
function place(tip, board, group) {
  const outer = board.getBoundingClientRect();
  const boxes = [group, ...board.querySelectorAll(".lit:not(.shown)")].map((square) => {
    const { x, y, width, height } = square.querySelector("rect").getBoundingClientRect();
    return { x: x - outer.x, y: y - outer.y, width, height };
  });
  const [own] = boxes;
  const { width, height } = tip.getBoundingClientRect();
  const steps = (room) => Array.from({ length: Math.max(1, room / STEP - 1) }, (_, step) => STEP * (step + 1));
  const costOf = (x, y) => {
    const isCovered = (box) =>
      x < box.x + box.width && box.x < x + width && y < box.y + box.height && box.y < y + height;
    const distance = Math.hypot(x + width / 2 - own.x - own.width / 2, y + height / 2 - own.y - own.height / 2);
    return distance + 10000 * boxes.filter(isCovered).length;
  };
  const places = steps(outer.height - height)
    .flatMap((y) => steps(outer.width - width).map((x) => ({ x, y, cost: costOf(x, y) })));
  const nearest = places.reduce((best, one) => (one.cost < best.cost ? one : best));
  tip.style.left = `${nearest.x}px`;
  tip.style.top = `${nearest.y}px`;
}

// Arrow keys move the focus between highlighted squares.
function walk(svg, group, event) {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const lit = [...svg.querySelectorAll(".lit")];
  lit[(lit.indexOf(group) + step + lit.length) % lit.length].focus();
}

// --- The seats ---

const DISC = [["circle", { cx: 12, cy: 12, r: 10 }]];

// The medal of a place, or nothing if the game has no places.
function medal(place) {
  if (!place) return "";
  return element("span", { class: `medal medal-${place}` }, ordinal(Number(place)), element("small", {}, t("place")));
}

// The facts of a seat, except for its place and note, which are shown elsewhere.
function holding({ traits }, position, seat) {
  const shown = position.facts[seat].filter(({ label, value }) => label !== "place" && label !== "note" && value !== "");
  return shown.map(({ label, value }) => {
    const { icon: name, one, isRepeated, hasNoLabel } = traits.facts[label] ?? {};
    if (hasNoLabel) return element("span", { class: "held" }, word(value));
    const unit = value === "1" && one ? word(one) : t(label);
    const title = `${value} ${unit}`;
    if (!name) return element("span", { class: "held" }, title);
    const picture = () => icon(traits.symbols.kinds[name]);
    const unseen = (text) => element("span", { class: "unseen" }, text);
    if (!isRepeated) {
      return element("span", { class: "held", title }, picture(), element("b", {}, value), unseen(unit));
    }
    const pictures = Array.from({ length: Number(value) }, picture);
    return element("span", { class: "held repeated", title }, ...pictures, unseen(title));
  });
}

/** The seats as cards, with the estimate in permille, if there is one. */
function seatsOf(game, position, names, estimate) {
  const list = element("ol", { class: "seats", "aria-label": t("who plays") });
  const places = names.map((_, seat) => position.places[seat] ?? factOf(position, seat + 1, "place"));
  // At the start all are in the same place.
  const haveOrder = new Set(places).size > 1;
  names.forEach((name, seat) => {
    const piece = position.pieces.find((one) => one.seat === seat + 1);
    const isDue = position.turn?.seat === seat + 1;
    const figure = icon(game.traits.symbols.pieces[piece?.name] ?? DISC, "icon seat-icon");
    figure.style.fill = colour(seat);
    const number = element("span", { class: "seat-number" }, String(seat + 1));
    const note = factOf(position, seat + 1, "note");
    const state = element("small", {}, isDue && !note ? t("turn now") : word(note));
    const card = element("li", { class: isDue ? "seat at-turn" : "seat" },
      element("span", { class: "figure" }, figure, number),
      element("span", { class: "who", title: name }, element("b", {}, name), state),
      element("span", { class: "holding" }, ...holding(game, position, seat)),
      medal(haveOrder && places[seat]));
    card.style.setProperty("--seat", colour(seat));
    if (estimate) card.append(bar(estimate[seat], seat));
    list.append(card);
  });
  return list;
}

function bar(share, seat) {
  const text = t("of points", { share: percent(share) });
  const name = `${t("estimate of")}: ${text}`;
  const meter = element("span", { class: "bar", role: "img", "aria-label": name, title: text });
  const part = element("span", { class: "bar-part" });
  part.style.width = `${share / 10}%`;
  part.style.background = colour(seat);
  meter.append(part, element("span", { class: "bar-text" }, `${percent(share)} %`));
  return meter;
}

// --- The list of moves ---

const classOf = ({ amount }) => (amount < 0 ? "change loss" : amount > 0 ? "change gain" : "change");

// A turn as a button that goes to its position.
function turnOf({ game, node: here, names }, node, visit) {
  const parts = stepsOf(game, node).map((step) => element("span", { class: "step" }, textAbout(step, node.seat, names),
    ...step.changes.map((change) => element("span", { class: classOf(change) }, textAbout(change, step.seat, names)))));
  const isHere = node === here;
  const ply = element("span", { class: "ply", "aria-hidden": "true" }, String(node.ply));
  return button(element("span", { class: "unseen" }, `${names[node.seat - 1]}: `), () => visit(node), {
    class: isHere ? "turn here" : "turn", "data-seat": node.seat, "data-words": node.words.join(" "),
    "aria-current": isHere ? "step" : "false",
  }, ply, seatMark(node.seat - 1), element("span", { class: "steps" }, ...parts));
}

// The moves of the displayed line with their variations; `visit` is called with a node that is chosen.
function logOf(state, visit) {
  const turns = state.game.line().slice(1);
  if (turns.length === 0) return element("p", { class: "note" }, t("no moves"));
  return element("ol", { class: "moves", "aria-label": t("moves") }, ...turns.map((node) => {
    const others = node.parent.children.filter((child) => child !== node);
    const item = element("li", {}, turnOf(state, node, visit));
    if (others.length === 0) return item;
    item.append(element("span", { class: "variations" }, ...others.map((other) => turnOf(state, other, visit))));
    return item;
  }));
}

// --- Movement ---

const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

// The squares on a piece's way: on a track all of them, else only the target.
function way(layout, from, to) {
  if (!layout.isTrack) return [to];
  const step = Math.sign(to - from);
  return Array.from({ length: Math.abs(to - from) }, (_, index) => from + step * (index + 1));
}
