// Everything that the page says, in English and German: its texts, numbers, and moves, cards and errors in words.
// `texts.json` has each text in both languages.

import { fileLetter, movedPieces } from "./board.js";
import { traitsOf } from "./games.js";
import { ServerError } from "./server.js";
import TEXTS from "./texts.json" with { type: "json" };

let language = "en";
let game = traitsOf("");

/** Sets the language; by default the one chosen before, or else the browser's. */
export function chooseLanguage(chosen) {
  const wanted = chosen ?? localStorage.getItem("language") ?? navigator.language;
  language = wanted.startsWith("de") ? "de" : "en";
  if (chosen) localStorage.setItem("language", chosen);
  document.documentElement.lang = language;
}

/** Sets the game whose words and texts are used. */
export function chooseGame(variant) {
  game = traitsOf(variant);
}

export const isGerman = () => language === "de";

/** Returns a text of the page with its `{name}` placeholders filled. */
export function t(key, values = {}) {
  const text = game.texts[language]?.[key] ?? TEXTS[key]?.[language] ?? key;
  return text.replace(/\{(\w+)\}/g, (_, name) => values[name]);
}

/** Translates a word of the rules; `otherwise` if there is no translation. */
export const word = (key, otherwise = key) => game.words[language]?.[key] ?? otherwise;

/** Translates a word of a variant that is not on the board. */
export const wordIn = (variant, key) => traitsOf(variant).words[language]?.[key] ?? key;

/** Name of a variant in the language of the page. */
export const nameOf = (variant) => traitsOf(variant).name?.[language] ?? variant;

/** Text of a card in the language of the page. */
export const cardWords = ({ card, words }) => word(card, words);

/** Formats a place, such as "2nd". */
export function ordinal(place) {
  if (isGerman()) return `${place}.`;
  return `${place}${["th", "st", "nd", "rd"][place] ?? "th"}`;
}

/** Formats permille as percent with one decimal. */
export function percent(permille) {
  return (permille / 10).toLocaleString(language, { minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

/** Formats milliseconds as seconds. */
export const seconds = (ms) => `${(ms / 1000).toLocaleString(language)} s`;

/** Formats a change with its sign, such as "+40"; `format` formats its size. */
export const signed = (change, format = String) =>
  `${change > 0 ? "+" : change < 0 ? "−" : ""}${format(Math.abs(change))}`;

/** Formats a number with thousands separators. */
export const count = (number) => number.toLocaleString(language);

// --- Positions ---

/** Value of a seat's fact in a position; "" if there is none. */
export const factOf = (position, seat, label) =>
  position.facts[seat - 1]?.find((fact) => fact.label === label)?.value ?? "";

/** A square in short: file and rank on a grid, such as e1, else its number. */
export const squareLabel = ({ files }, square) =>
  (files ? `${fileLetter(square % files)}${Math.floor(square / files) + 1}` : String(square));

/** Name of a square: file and rank on a grid, else its number and kind. */
export const squareName = (board, square) =>
  (board.files ? squareLabel(board, square) : t("square", { square, kind: word(board.squares[square].name) }));

// Translates what a game says about a move.
function textOf(game, move) {
  const { board, traits } = game;
  const [key, values] = traits.moveText(move);
  const label = (square) => (square === undefined ? "" : squareLabel(board, square));
  return t(key, {
    square: label(values.square), kind: values.square === undefined ? "" : word(board.squares[values.square].name),
    piece: word(values.piece ?? ""), from: label(values.from), to: label(values.to), card: word(values.card ?? ""),
  });
}

// --- Legal moves ---

/** What a legal move does, such as "back to 15 (hedgehog)"; `note` is the seat's after it, if it has been played. */
export function moveTitle(game, position, { move, piece, square, facts }, note = "") {
  const { square: from, name } = position.pieces[piece];
  const changes = (label) => facts.some((fact) => fact.label === label);
  return textOf(game, { word: move, from, to: square, name, changes, note });
}

// Why a seat gets its income, such as "as 3rd".
const reasonOf = (position, seat) => `${word("if place")} ${ordinal(Number(factOf(position, seat, "place")))}`;

const incomeOf = (facts) => Number(facts.find(({ label }) => label === "income")?.value ?? 0);

/** What the seat to move gets first, whatever its move, such as "+30 as 3rd"; "" for nothing. */
export function incomeText(position) {
  const income = incomeOf(position.moves[0]?.facts ?? []);
  return income ? `${signed(income)} ${reasonOf(position, position.turn.seat)}` : "";
}

/** The only legal move if it leaves its piece where it is; undefined if there is something to choose. */
export const forcedMove = ({ moves, pieces }) =>
  (moves.length === 1 && pieces[moves[0].piece].square === moves[0].square ? moves[0] : undefined);

/** Costs and gains of a move in words: "cost 10, carrots left 58, next turn brings 20 if in 2nd place then". */
export function factsText(facts, separator = ", ") {
  const texts = [];
  for (const { label, value } of facts) {
    if (label === "if place") {
      const places = value.split(", ").map((place) => ordinal(Number(place))).join("/");
      texts.push(t("if in place", { fact: texts.pop(), places }));
    } else if (label === "place") texts.push(t("place after", { place: ordinal(Number(value)) }));
    else texts.push(label === "then" ? word(value) : `${word(label)} ${value}`);
  }
  return texts.join(separator);
}

/** A legal move with its costs and gains. */
export const moveText = (game, position, move) =>
  [moveTitle(game, position, move), factsText(move.facts, " · ")].filter(Boolean).join(" · ");

/** The reason why no move leads to a square; "" if the server gives none. */
export function refusalText(game, position, square, names) {
  const refusal = position.refusals?.[square];
  if (!refusal) return "";
  const { seat, ...numbers } = Object.fromEntries(refusal.facts.map(({ label, value }) => [label, value]));
  return t(refusal.rule, { ...numbers, square: squareLabel(game.board, square), name: names[seat - 1] });
}

// --- Steps of a game ---

// What a step did: its text, and the changes that it brought to each seat.
function stepOf(game, step, before) {
  const { seat, word, move } = step;
  const note = factOf(step, seat, "note");
  const text = move ? moveTitle(game, before, move, note) : textOf(game, { word, note });
  // The mover's come first, without a name.
  const others = before.facts.map((_, index) => index + 1).filter((other) => other !== seat);
  return { text, seat, changes: [seat, ...others].flatMap((one) => changesOf(game, step, before, one)) };
}

// The changes of a seat's numbers that the game counts, by their reasons: the move, and the income of the seat's place.
function amountsOf({ traits }, step, before, seat) {
  const { counted } = traits;
  const number = (position, label) => Number(factOf(position, seat, label));
  const numbers = before.facts[seat - 1].filter(({ value }) => value !== "" && !isNaN(value));
  const labels = counted ? [counted] : numbers.map(({ label }) => label);
  const income = incomeOf(seat === step.seat ? step.move?.facts ?? [] : []);
  const reason = reasonOf(before, seat);
  return labels.flatMap((label) => {
    const amount = number(step, label) - number(before, label);
    const parts = [{ amount: amount - income, reason: "" }, { amount: income, reason }];
    return parts.filter((part) => part.amount !== 0).map((part) => {
      const text = [signed(part.amount), counted ? "" : word(label), part.reason].filter(Boolean).join(" ");
      return { seat, amount: part.amount, text };
    });
  });
}

// The changes that a step brought to a seat: its numbers, its pieces that a rival moved, and its place.
function changesOf(game, step, before, seat) {
  const moved = movedPieces(before.pieces, step.pieces).filter(({ index }) => before.pieces[index].seat === seat);
  const thrown = seat === step.seat ? [] : moved;
  const texts = thrown.map(({ index, from, to }) =>
    textOf(game, { word: "", from, to, name: before.pieces[index].name }));
  const [place, known] = [step, before].map(({ places }) => places[seat - 1]);
  if (place && !known) texts.push(t("placed", { place: ordinal(place) }));
  return [...amountsOf(game, step, before, seat), ...texts.map((text) => ({ seat, text }))];
}

/** Steps from a position on, each with its seat, its text and the changes that it brought. */
export const stepsFrom = (game, position, steps) =>
  steps.map((step, index) => stepOf(game, step, steps[index - 1] ?? position));

/** The steps of a node, each with its seat, its text and the changes that it brought. */
export const stepsOf = (game, node) => stepsFrom(game, node.parent, node.steps);

/** A text about a seat, with its name unless it is the expected one. */
export const textAbout = ({ seat, text }, expected, names) =>
  (seat === expected ? text : t("did", { name: names[seat - 1], what: text }));

/** A turn in words, such as "to 4 (hare): −10; card: half of the carrots is lost: −29". */
export function turnText(game, node, names) {
  return stepsOf(game, node).map((step) => {
    const text = textAbout(step, node.seat, names);
    const changes = step.changes.map((change) => textAbout(change, step.seat, names));
    return changes.length > 0 ? `${text}: ${changes.join(", ")}` : text;
  }).join("; ");
}

/** An error in the reader's words; `key` is a text that says what has failed. */
export function failureText(error, key = "failed", values = {}) {
  if (error.isBusy) return t("busy");
  const message = error instanceof ServerError ? t("server says", { error: error.message }) : error.message;
  return t(key, { ...values, error: message });
}
