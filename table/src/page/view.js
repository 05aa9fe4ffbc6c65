// Parts of the page: controls, the board with squares to choose, and the seats with their holdings.

import { FIELD, colour, drawBoard, drawing, element, layoutOf, movedPieces, spotsOf } from "./board.js";
import { ordinal, percent, t, word } from "./texts.js";
import { factOf, factsText, refusalText, squareName } from "./words.js";

// --- Size of the board ---

// Space that the rest of the page needs next to the board, in pixels; as in the style sheet.
const SPACES = [
  ["(max-width: 43rem), (max-width: 62rem) and (max-aspect-ratio: 4/3)", { beside: 26, share: 0.62 }],
  ["(max-height: 32rem)", { beside: 330, above: 100 }],
  ["all", { beside: 430, above: 255 }],
];
// The start counts twice.
const TRACK_SQUARES = 66;
const ROW_LENGTHS = [7, 8, 9, 10, 11, 12, 13];

/** Squares in a row of a track, such that they are as large as the window allows. */
export function trackFiles() {
  const [, { beside, above, share }] = SPACES.find(([query]) => window.matchMedia(query).matches);
  const width = Math.min(window.innerWidth, 2000) - beside;
  const height = share ? window.innerHeight * share : window.innerHeight - above;
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

// --- Controls ---

/** A button that runs `action`. */
export function button(content, action, attributes = {}, ...more) {
  const made = element("button", { type: "button", ...attributes }, content, ...more);
  made.addEventListener("click", action);
  return made;
}

/** A drop-down list of `[value, text]` entries. */
export function select(entries, value, attributes = {}) {
  const made = element("select", attributes, ...entries.map(([key, text]) => element("option", { value: key }, text)));
  if (value !== undefined) made.value = value;
  return made;
}

/** A drop-down list of the engines that work; empty until they are known. */
export function engineSelect(server) {
  const list = select([], undefined, { "aria-label": t("engine") });
  server.onEngines(() => list.append(...server.working.map(({ name }) => element("option", { value: name }, name))));
  return list;
}

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

// Distance between the places where a tip may be, in pixels.
const STEP = 8;

/** The pieces of a view, with seats counted from 0. */
export const piecesOf = (view) => view.pieces.map((piece) => ({ ...piece, seat: piece.seat - 1 }));

function label(game, square, view, moves, names, isDue) {
  const there = view.pieces.filter((piece) => piece.square === square);
  const who = there.map((piece) => `${word(piece.name)}: ${names[piece.seat - 1]}`);
  const options = moves.map((move) => factsText(move.facts));
  const reason = isDue && moves.length === 0 && there.length === 0 ? refusalText(game, view, square, names) : "";
  return [squareName(game.board, square), ...who, ...options, reason].filter(Boolean).join("; ");
}

/**
 * The board of a game at a node. The functions in `on` are called with a square: `show` when a highlighted square is
 * under the pointer, has the focus, or is tapped; `leave` when that ends; `choose` when it is chosen; `pick` when a
 * piece that can move is chosen; `refuse` when another square is; `set` instead of all of these, while a position is
 * set up.
 */
export function boardOf(game, { view, before, moves = [], picked = null, arrows, names, on = {} }) {
  const isDue = moves.length > 0;
  const isOpen = ({ piece }) => picked === null || view.pieces[piece].square === picked;
  const bySquare = Map.groupBy(moves.filter(isOpen), ({ square }) => square);
  const movable = new Set(moves.map(({ piece }) => view.pieces[piece].square));
  const svg = drawBoard(game.board, {
    label: t("board", { ply: view.ply ?? 0 }),
    role: "group",
    pieces: piecesOf(view),
    before: before && piecesOf(before),
    turn: view.turn ? view.turn.seat - 1 : null,
    symbols: game.traits.symbols,
    nameOf: (square) => label(game, square, view, bySquare.get(square) ?? [], names, isDue),
    arrows,
    trackFiles: trackFiles(),
  });
  for (const group of svg.querySelectorAll(".square")) {
    const square = Number(group.dataset.square);
    const isLit = bySquare.has(square);
    const name = group.querySelector("title")?.textContent ?? squareName(game.board, square);
    group.setAttribute("role", isLit || on.set ? "button" : "img");
    group.setAttribute("aria-label", name);
    if (on.set) {
      group.setAttribute("tabindex", 0);
      press(group, () => on.set(square));
    } else if (isLit) light(svg, group, game.board, square, on);
    else if (movable.size > 1 && movable.has(square)) {
      group.classList.add("movable");
      group.classList.toggle("picked", square === picked);
      group.addEventListener("click", () => on.pick(square));
    } else if (isDue) group.addEventListener("click", () => on.refuse(square));
  }
  return svg;
}

function press(group, action) {
  group.addEventListener("click", action);
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    action(event);
  });
}

function light(svg, group, board, square, on) {
  group.classList.add("lit");
  // In front of the neighbouring squares, so that its outline is visible.
  svg.insertBefore(group, svg.querySelector(".trail, .piece"));
  group.setAttribute("tabindex", svg.querySelector("[tabindex='0']") ? -1 : 0);
  // A finger cannot point without touching: its first tap shows the move, the second one plays it.
  let isTouch = false;
  group.addEventListener("pointerdown", ({ pointerType }) => { isTouch = pointerType === "touch"; });
  press(group, ({ type }) => {
    if (type === "click" && isTouch && !group.classList.contains("shown")) on.show(square);
    else on.choose(square);
  });
  group.addEventListener("pointerenter", ({ pointerType }) => { if (pointerType !== "touch") on.show(square); });
  group.addEventListener("pointerleave", ({ pointerType }) => { if (pointerType !== "touch") on.leave(); });
  group.addEventListener("focus", () => {
    // Tab returns to the square that had the focus last.
    svg.querySelector(".lit[tabindex='0']").setAttribute("tabindex", -1);
    group.setAttribute("tabindex", 0);
    if (group.matches(":focus-visible")) on.show(square);
  });
  group.addEventListener("blur", () => on.leave());
  const box = group.querySelector("rect");
  const [x, y] = ["x", "y"].map((name) => Number(box.getAttribute(name)) + Number(box.getAttribute("width")) / 2);
  group.append(drawing("circle", { class: "glow", cx: x, cy: y, r: FIELD * (board.files ? 0.18 : 0.43) }));
  group.addEventListener("keydown", (event) => walk(svg, group, event));
}

/** Shows lines of text at a square of the board; without lines, removes them. */
export function showTip(board, square, lines, kind = "") {
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

// --- Seats ---

const DISC = [["circle", { cx: 12, cy: 12, r: 10 }]];

// The medal of a place, or nothing if the game has no places.
function medal(place) {
  if (!place) return "";
  return element("span", { class: `medal medal-${place}` }, ordinal(Number(place)), element("small", {}, t("place")));
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
    const unseen = (text) => element("span", { class: "unseen" }, text);
    if (!isRepeated) {
      return element("span", { class: "held", title }, picture(), element("b", {}, value), unseen(t(label)));
    }
    const pictures = Array.from({ length: Number(value) }, picture);
    return element("span", { class: "held repeated", title }, ...pictures, unseen(title));
  });
}

/** The seats as cards, with the estimate in permille, if there is one. */
export function seatsOf(game, view, names, estimate) {
  const list = element("ol", { class: "seats", "aria-label": t("who plays") });
  names.forEach((name, seat) => {
    const piece = view.pieces.find((one) => one.seat === seat + 1);
    const place = view.places[seat] ?? factOf(view, seat + 1, "place");
    const isDue = view.turn?.seat === seat + 1;
    const figure = icon(game.traits.symbols.pieces[piece?.name] ?? DISC, "icon seat-icon");
    figure.style.fill = colour(seat);
    const number = element("span", { class: "seat-number" }, String(seat + 1));
    const note = factOf(view, seat + 1, "note");
    const state = element("small", {}, isDue && !note ? t("turn now") : word(note));
    const card = element("li", { class: isDue ? "seat at-turn" : "seat" },
      element("span", { class: "figure" }, figure, number),
      element("span", { class: "who" }, element("b", {}, name), state),
      element("span", { class: "holding" }, ...holding(game, view, seat)),
      medal(place));
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

// --- Movement ---

const calm = window.matchMedia("(prefers-reduced-motion: reduce)");

/** Animates the pieces from one position to the next; ends when they have arrived, or `signal` aborts. */
export async function run(svg, game, from, to, signal) {
  if (calm.matches || signal.aborted) return;
  const layout = layoutOf(game.board, trackFiles());
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

// The squares on a piece's way: on a track all of them, else only the target.
function way(layout, from, to) {
  if (!layout.isTrack) return [to];
  const step = Math.sign(to - from);
  return Array.from({ length: Math.abs(to - from) }, (_, index) => from + step * (index + 1));
}
