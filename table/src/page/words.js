// Moves, cards and lines of engines in words: squares, costs and gains, and the reason why a square is not available.

import { post } from "./api.js";
import { fileLetter, movedPieces } from "./board.js";
import { ordinal, signed, t, word } from "./texts.js";

/** Value of a seat's fact in a view; "" if there is none. */
export const factOf = (view, seat, label) => view.facts[seat - 1]?.find((fact) => fact.label === label)?.value ?? "";

/** A square in short: file and rank on a grid, such as e1, else its number. */
export const squareLabel = ({ files }, square) =>
  (files ? `${fileLetter(square % files)}${Math.floor(square / files) + 1}` : String(square));

/** Name of a square: file and rank on a grid, else its number and kind. */
export const squareName = (board, square) =>
  (board.files ? squareLabel(board, square) : t("square", { square, kind: word(board.squares[square].name) }));

// Translates what a game says about a move; unknown games show the word of the notation.
function textOf(game, move) {
  const { board, traits } = game;
  if (!traits.moveText) return move.word;
  const [key, values] = traits.moveText(move);
  const label = (square) => (square === undefined ? "" : squareLabel(board, square));
  return t(key, {
    square: label(values.square), kind: values.square === undefined ? "" : word(board.squares[values.square].name),
    piece: word(values.piece ?? ""), from: label(values.from), to: label(values.to), card: word(values.card ?? ""),
  });
}

// --- Legal moves ---

/** What a legal move does, such as "back to 15 (hedgehog)". */
export function moveTitle(game, view, { move, piece, square, facts }) {
  const { square: from, name } = view.pieces[piece];
  const changes = (label) => facts.some((fact) => fact.label === label);
  return textOf(game, { word: move, from, to: square, name, changes });
}

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

/** A legal move with its costs and gains, and the place that it leads to. */
export function moveText(game, view, move) {
  const { placeOn } = game.traits;
  const { seat } = view.pieces[move.piece];
  const place = placeOn ? t("place after", { place: ordinal(placeOn(view.pieces, seat, move.square)) }) : "";
  return [moveTitle(game, view, move), factsText(move.facts, " · "), place].filter(Boolean).join(" · ");
}

/** The reason why no move leads to a square; "" if the game gives none. */
export function refusalText(game, view, square, names) {
  const { refusal } = game.traits;
  if (!refusal || !view.turn) return "";
  const { seat } = view.turn;
  const [key, values] = refusal({
    square, seat, pieces: view.pieces, squares: game.board.squares, files: game.board.files, moves: view.moves ?? [],
    valueOf: (label) => Number(factOf(view, seat, label)),
  });
  const name = values.name ? names[values.name - 1] : "";
  return t(key, { ...values, square: squareLabel(game.board, square), name });
}

// --- Steps of a game ---

// What a step did: its text, and the changes of what the game counts, of each seat and for each reason.
function stepOf(game, step, before) {
  const [moved] = movedPieces(before.pieces, step.pieces);
  const own = before.pieces.findIndex((piece) => piece.seat === step.seat);
  const from = moved?.from ?? before.pieces[own]?.square;
  const number = (view, seat, label) => Number(factOf(view, seat, label));
  const text = textOf(game, {
    word: step.word, from, to: moved?.to ?? from, name: before.pieces[moved?.index ?? own]?.name,
    changes: (label) => factOf(step, step.seat, label) !== factOf(before, step.seat, label),
    note: factOf(step, step.seat, "note"),
  });
  const { counted, partsOf } = game.traits;
  const seats = counted ? before.facts.map((_, seat) => seat + 1) : [];
  const changes = seats.flatMap((seat) => {
    const amount = number(step, seat, counted) - number(before, seat, counted);
    const place = number(before, seat, "place");
    const parts = seat === step.seat && partsOf ? partsOf({ word: step.word, amount, place }) : [{ amount }];
    return parts.filter((part) => part.amount !== 0).map((part) => ({ seat, ...part }));
  });
  return { text, changes };
}

// Steps from a position on, each with its seat, its text and the changes that it brought.
const stepsFrom = (game, position, steps) =>
  steps.map((step, index) => ({ ...stepOf(game, step, steps[index - 1] ?? position), seat: step.seat }));

/** The steps of a node, each with its seat, its text and the changes that it brought. */
export const stepsOf = (game, node) => stepsFrom(game, node.parent, node.steps);

/** A change such as "+20 as 2nd", with the name of its seat unless it is the mover's. */
export function changeText({ seat, amount, place }, mover, names) {
  const reason = place ? `${word("if place")} ${ordinal(place)}` : "";
  return [seat === mover ? "" : names[seat - 1], signed(amount), reason].filter(Boolean).join(" ");
}

/** A turn in words, such as "to 4 (hare): −10; card: half of the carrots is lost: −29". */
export function turnText(game, node, names) {
  return stepsOf(game, node).map(({ text, seat, changes }) => {
    const all = changes.map((change) => changeText(change, seat, names));
    return all.length > 0 ? `${text}: ${all.join(", ")}` : text;
  }).join("; ");
}

const known = new Map();

/** The moves and cards after a position in words; the server plays them. */
export async function lineText(game, node, words) {
  const request = game.request(node);
  const key = JSON.stringify([document.documentElement.lang, request, words]);
  if (!known.has(key)) {
    if (known.size > 500) known.clear();
    const from = request.moves.length;
    const { steps } = await post("show", { game: { ...request, moves: [...request.moves, ...words] }, from });
    known.set(key, stepsFrom(game, node, steps));
  }
  return known.get(key);
}
