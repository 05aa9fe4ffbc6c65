// Parts of the page: controls, the board with squares to choose, and the seats with what they hold.

import { FIELD, colour, drawBoard, drawing, element, layoutOf, spotsOf } from "./board.js";
import { ordinal, percent, t, word } from "./texts.js";

const narrow = window.matchMedia("(max-width: 40rem)");
/** Whether the board is drawn for a narrow window. */
export const isNarrow = () => narrow.matches;
/** Calls `callback` whenever that changes. */
export const onNarrow = (callback) => narrow.addEventListener("change", callback);

// --- Controls ---

/** A button that runs `action`. */
export function button(content, action, attributes = {}) {
  const made = element("button", { type: "button", ...attributes }, content);
  made.addEventListener("click", action);
  return made;
}

/** A drop-down list of `[value, text]` entries. */
export function select(entries, value, attributes = {}) {
  const made = element("select", attributes, ...entries.map(([key, text]) => element("option", { value: key }, text)));
  if (value !== undefined) made.value = value;
  return made;
}

/** A drop-down list of engines. */
export const engineSelect = ({ engines }) => select(engines.map(({ name }) => [name, name]), undefined, { "aria-label": t("engine") });

/** A control with its label. */
export const labelled = (text, control, ...more) => element("label", {}, element("span", {}, text), control, ...more);

/** The mark of a seat's colour, counted from 0. */
export function seatMark(seat) {
  const spot = element("i", { class: "spot" });
  spot.style.background = colour(seat);
  return spot;
}

/** An inline picture. */
export function icon(shapes, className = "icon") {
  const parts = shapes.map(([tag, attributes]) => drawing(tag, attributes));
  return drawing("svg", { viewBox: "0 0 24 24", class: className, "aria-hidden": "true" }, ...parts);
}

// --- Board ---

/** Costs and gains of a move in words: "cost 10, carrots left 58, pays 20 as 2nd". */
export function factsText(facts, separator = ", ") {
  const texts = [];
  for (const { label, value } of facts) {
    const places = () => value.split(", ").map((place) => ordinal(Number(place))).join("/");
    if (label === "if place") texts.push(`${texts.pop()} ${word(label)} ${places()}`);
    else texts.push(label === "then" ? word(value) : `${word(label)} ${value}`);
  }
  return texts.join(separator);
}

const factOf = (view, seat, label) => view.facts[seat]?.find((fact) => fact.label === label)?.value ?? "";
/** The pieces of a view, with seats counted from 0. */
export const piecesOf = (view) => view.pieces.map((piece) => ({ ...piece, seat: piece.seat - 1 }));

/** A square in short: file and rank on a grid, such as e1, else its number. */
export const squareLabel = ({ files }, square) =>
  (files ? `${"abcdefghijklmnopqrstuvwxyz"[square % files]}${Math.floor(square / files) + 1}` : String(square));

/** Name of a square: file and rank on a grid, else its number and kind. */
export const squareName = (board, square) =>
  (board.files ? squareLabel(board, square) : t("square", { square, kind: word(board.squares[square].name) }));

function label(board, square, view, moves, names) {
  const there = view.pieces.filter((piece) => piece.square === square);
  const who = there.map((piece) => `${word(piece.name)}: ${names[piece.seat - 1]}`);
  const options = moves.map((move) => factsText(move.facts));
  return [squareName(board, square), ...who, ...options].join("; ");
}

/**
 * The board of a game at a node. `choose` is called with the moves to a highlighted square when it is chosen; `show`
 * with the moves to a square under the pointer or with the focus, or with null.
 */
export function boardOf(game, { view, before, moves, arrows, names, choose, show, onSquare }) {
  const bySquare = new Map();
  for (const move of moves) bySquare.set(move.square, [...(bySquare.get(move.square) ?? []), move]);
  const svg = drawBoard(game.board, {
    label: t("board", { ply: view.ply ?? 0 }),
    role: "group",
    pieces: piecesOf(view),
    before: before && piecesOf(before),
    turn: view.turn ? view.turn.seat - 1 : null,
    symbols: game.traits.symbols,
    nameOf: (square) => label(game.board, square, view, bySquare.get(square) ?? [], names),
    arrows,
    isNarrow: isNarrow(),
  });
  for (const group of svg.querySelectorAll(".square")) {
    const square = Number(group.dataset.square);
    const here = bySquare.get(square);
    const name = group.querySelector("title")?.textContent ?? squareName(game.board, square);
    group.setAttribute("role", here || onSquare ? "button" : "img");
    group.setAttribute("aria-label", name);
    if (onSquare) {
      group.setAttribute("tabindex", 0);
      press(group, () => onSquare(square));
    } else if (here) light(svg, group, here, game.board, { choose, show });
  }
  return svg;
}

function press(group, action) {
  group.addEventListener("click", action);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    action();
  });
}

function light(svg, group, moves, board, { choose, show }) {
  group.classList.add("lit");
  // In front of the neighbouring squares, so that its outline is visible.
  svg.insertBefore(group, svg.querySelector(".trail, .piece"));
  group.setAttribute("tabindex", svg.querySelector("[tabindex='0']") ? -1 : 0);
  press(group, () => choose(moves));
  group.addEventListener("pointerenter", () => show(moves));
  group.addEventListener("focus", () => { if (group.matches(":focus-visible")) show(moves); });
  for (const event of ["pointerleave", "blur"]) group.addEventListener(event, () => show(null));
  const box = group.querySelector("rect");
  const [x, y] = ["x", "y"].map((name) => Number(box.getAttribute(name)) + Number(box.getAttribute("width")) / 2);
  group.append(drawing("circle", { class: "glow", cx: x, cy: y, r: FIELD * (board.files ? 0.18 : 0.43) }));
  group.addEventListener("keydown", (event) => walk(svg, group, event));
}

// Arrow keys move the focus between highlighted squares.
function walk(svg, group, event) {
  const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
  if (!step) return;
  event.preventDefault();
  event.stopPropagation();
  const lit = [...svg.querySelectorAll(".lit")];
  const next = lit[(lit.indexOf(group) + step + lit.length) % lit.length];
  group.setAttribute("tabindex", -1);
  next.setAttribute("tabindex", 0);
  next.focus();
}

// --- Seats ---

const DISC = [["circle", { cx: 12, cy: 12, r: 10 }]];

// The medal of a place with its points, or nothing if the game has no places.
function medal(place, worth) {
  if (!place) return "";
  const points = `${Math.round(worth / 10)} %`;
  const title = t("worth", { place: ordinal(Number(place)), points });
  return element("span", { class: `medal medal-${place}`, title }, ordinal(Number(place)), element("small", {}, points));
}

// The facts of a seat, except for its place and note, which are shown elsewhere.
function holding({ traits }, view, seat) {
  const shown = view.facts[seat].filter(({ label, value }) => label !== "place" && label !== "note" && value !== "");
  return shown.map(({ label, value }) => {
    const { icon: name, isRepeated, hasNoLabel } = traits.facts[label] ?? {};
    if (hasNoLabel) return element("span", { class: "held" }, word(value));
    const title = `${value} ${t(label)}`;
    if (!name) return element("span", { class: "held" }, title);
    const picture = () => icon(traits.symbols.kinds[name]);
    if (!isRepeated) return element("span", { class: "held", title }, picture(), element("b", {}, value), element("span", { class: "unseen" }, t(label)));
    const pictures = Array.from({ length: Number(value) }, picture);
    return element("span", { class: "held repeated", title }, ...pictures, element("span", { class: "unseen" }, title));
  });
}

/** The seats as cards, with the estimate in permille, if there is one. */
export function seatsOf(game, view, names, estimate) {
  const list = element("ol", { class: "seats", "aria-label": t("who plays") });
  names.forEach((name, seat) => {
    const piece = view.pieces.find((one) => one.seat === seat + 1);
    const place = view.places[seat] ?? factOf(view, seat, "place");
    const isDue = view.turn?.seat === seat + 1;
    const figure = icon(game.traits.symbols.pieces[piece?.name] ?? DISC, "icon seat-icon");
    figure.style.fill = colour(seat);
    const number = element("span", { class: "seat-number" }, String(seat + 1));
    const note = factOf(view, seat, "note");
    const card = element("li", { class: isDue ? "seat at-turn" : "seat" },
      element("span", { class: "figure" }, figure, number),
      element("span", { class: "who" }, element("b", {}, name), element("small", {}, isDue && !note ? t("turn now") : word(note))),
      element("span", { class: "holding" }, ...holding(game, view, seat)),
      medal(place, game.points[Number(place) - 1]));
    card.style.setProperty("--seat", colour(seat));
    if (estimate) card.append(bar(estimate[seat], seat));
    list.append(card);
  });
  return list;
}

function bar(share, seat) {
  const text = t("of points", { share: percent(share) });
  const meter = element("span", { class: "bar", role: "img", "aria-label": `${t("estimate of")}: ${text}`, title: text });
  const part = element("span", { class: "bar-part" });
  part.style.width = `${share / 10}%`;
  part.style.background = colour(seat);
  meter.append(part, element("span", { class: "bar-text" }, percent(share)));
  return meter;
}

// --- Movement ---

const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Animates the pieces from one position to the next; ends when they have arrived, or `signal` aborts. */
export async function run(svg, game, from, to, signal) {
  if (calm.matches || signal.aborted) return;
  const layout = layoutOf(game.board, isNarrow());
  const spots = spotsOf(piecesOf(from), layout);
  const runs = [];
  from.pieces.forEach((piece, index) => {
    const target = to.pieces[index].square;
    if (target === piece.square) return;
    const shown = svg.querySelector(`[data-piece="${index}"]`);
    const { cx, cy } = spots[index];
    const stops = way(layout, piece.square, target).map((square) => layout.middle(square));
    const frames = [[cx, cy], ...stops].map(([x, y]) => ({ transform: `translate(${x - cx}px, ${y - cy}px)` }));
    const duration = Math.min(900, 250 + 70 * frames.length);
    svg.append(shown);
    runs.push(shown.animate(frames, { duration, easing: "ease-in-out", fill: "forwards" }));
  });
  signal.addEventListener("abort", () => runs.forEach((one) => one.finish()), { once: true });
  await Promise.all(runs.map((one) => one.finished.catch(() => null)));
}

// The squares on a piece's way: on a track all of them, else only the target.
function way(layout, from, to) {
  if (!layout.isTrack) return [to];
  const step = Math.sign(to - from);
  return Array.from({ length: Math.abs(to - from) }, (_, index) => from + step * (index + 1));
}
