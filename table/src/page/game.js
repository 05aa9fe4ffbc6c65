// A game with its variations as a tree, the seats of a game, links to games, and pasted games.

import { traitsOf } from "./games.js";
import { post } from "./server.js";
import { t, word, wordIn } from "./texts.js";

let made = 0;

// `steps` are the moves and cards of a turn, each with the position after it.
function node(parent, steps, fields) {
  made += 1;
  const words = steps.map(({ word }) => word);
  return { id: made, parent, steps, words, children: [], ply: parent ? parent.ply + 1 : 0, ...fields };
}

// The fields of a state or step that a node keeps. Its legal moves may be missing; `Game.look` fetches them.
function fieldsOf({ position, turn, places, pieces, facts, moves, refusals, cards }) {
  return { position, turn, places, pieces, facts, moves, refusals, cards };
}

// Groups steps into turns: a move with the cards that follow it. A card before the first move is its own turn.
function turnsOf(steps) {
  const turns = [];
  for (const step of steps) {
    const isCard = step.word.startsWith("+");
    if (isCard && turns.length > 0) turns.at(-1).push(step);
    else turns.push([step]);
  }
  return turns;
}

/** Fetches a game with all its steps, which come in parts. */
export async function fetchGame(game) {
  const answer = await post("show", { game });
  while (answer.steps.length < answer.game.moves.length) {
    const { steps } = await post("show", { game, from: answer.steps.length });
    if (steps.length === 0) break;
    answer.steps.push(...steps);
  }
  return answer;
}

export class Game {
  /** `answer` comes from `fetchGame` or `/api/new`; `id` is the game's among those that this browser keeps. */
  constructor(answer, id) {
    this.id = id;
    this.variant = answer.game.variant;
    /** Description of the game by `games.js`. */
    this.traits = traitsOf(this.variant);
    this.players = answer.places.length;
    this.start = answer.game.start;
    this.board = answer.board;
    this.root = node(null, [], fieldsOf(answer.first ?? answer));
    this.current = this.root;
    for (const turn of turnsOf(answer.steps ?? [])) this.append(turn);
    Object.assign(this.current, fieldsOf(answer));
  }

  /** Goes to a turn after the current node; adds it if it is new. */
  append(steps) {
    const words = steps.map((step) => step.word).join();
    const known = this.current.children.find((child) => child.words.join() === words);
    const last = steps.at(-1);
    const added = known ?? node(this.current, steps, fieldsOf(last));
    added.seat = steps[0].seat;
    if (!known) this.current.children.push(added);
    this.current = added;
    return added;
  }

  /** Adds the turns of an answer, and keeps its state with the last one. */
  addAnswer(answer) {
    const before = this.current;
    if (answer.steps[0]?.word.startsWith("+") && before.parent) {
      // A card chosen by hand completes the turn of the preceding move.
      this.current = before.parent;
      before.parent.children = before.parent.children.filter((child) => child !== before);
      this.append([...before.steps, ...answer.steps]);
    } else this.append(answer.steps);
    Object.assign(this.current, fieldsOf(answer));
  }

  /** The nodes from the start to `end`. */
  path(end = this.current) {
    const nodes = [];
    for (let one = end; one; one = one.parent) nodes.unshift(one);
    return nodes;
  }

  /** The nodes of the displayed line: through the current one, then along the last visited or first children. */
  line() {
    const nodes = this.path();
    while (nodes.at(-1).children.length > 0) {
      const last = nodes.at(-1);
      nodes.push(last.children.find((child) => child.isKept) ?? last.children[0]);
    }
    return nodes;
  }

  /** The moves of every variation outside the displayed line. */
  variations() {
    const last = this.line().at(-1);
    const leaves = (one) => (one.children.length > 0 ? one.children.flatMap(leaves) : [one]);
    return leaves(this.root).filter((leaf) => leaf !== last).map((leaf) => this.request(leaf).moves);
  }

  /** Adds the turns of a variation from the start; the current node remains. */
  addVariation({ steps }) {
    const here = this.current;
    this.current = this.root;
    for (const turn of turnsOf(steps)) this.append(turn);
    this.current = here;
  }

  /** The game for a request to the server. */
  request(end = this.current) {
    const from = this.start ? { start: this.start } : { players: this.players };
    return { variant: this.variant, ...from, moves: this.path(end).flatMap((one) => one.words) };
  }

  go(target) {
    // Remembers this variation, so that stepping forward follows it again.
    for (const one of this.path()) {
      for (const child of one.parent?.children ?? []) child.isKept = child === one;
    }
    this.current = target;
  }

  /** Removes the current node and everything after it. */
  undo() {
    const { parent } = this.current;
    if (!parent) return;
    parent.children = parent.children.filter((child) => child !== this.current);
    this.current = parent;
  }

  /** Fetches the legal moves of a node if they are missing. */
  async look(node = this.current) {
    if (node.moves) return;
    const game = this.request(node);
    const answer = await post("show", { game, from: game.moves.length });
    Object.assign(node, fieldsOf(answer));
  }
}

// --- Seats: people, and opponents, which are engines at a level, or engines that play by name as another does ---

/** A seat of a person. */
export const person = (name) => ({ engine: null, level: null, name });

/** Default of a seat, counted from 0: a person against the first engine that works, at a low level. */
export function usualSeat({ working: [first] }, seat) {
  return seat === 0 || !first ? person() : { engine: first.name, level: usualLevel(first) };
}

/** Seats with a person in place of each missing engine, and the names of those. */
export function settled(seats, server) {
  const isMissing = ({ engine }) => engine && !server.named(engine);
  const missing = seats.filter(isMissing).map(({ engine }) => engine);
  return { seats: seats.map((seat) => (isMissing(seat) ? person() : seat)), missing };
}

/** Names of all seats; a name that occurs twice is followed by the seat number. */
export function namesOf(seats) {
  const called = seats.map(({ engine, level, name }) =>
    name ?? (isName(level) ? word(level) : engine) ?? t("person"));
  return seats.map(({ engine, level }, seat) => {
    const isOnly = called.indexOf(called[seat]) === called.lastIndexOf(called[seat]);
    const own = isOnly ? called[seat] : `${called[seat]} ${seat + 1}`;
    return engine && level && !isName(level) ? `${own} (${t("level", { level })})` : own;
  });
}

const USUAL_LEVEL = 3;

// Range of an engine's option `Level`, or null if it has none.
function levelsOf(engine) {
  const option = engine?.options.find(({ name, type }) => name === "Level" && type === "spin");
  return option ? { least: Number(option.min), most: Number(option.max) } : null;
}

/** The default level of an engine as an opponent; null if it has no levels. */
export function usualLevel(engine) {
  const range = levelsOf(engine);
  return range && Math.min(range.most, Math.max(range.least, USUAL_LEVEL));
}

function offers(engine, options) {
  return Object.entries(options).every(([wanted, value]) => {
    const option = engine.options.find(({ name }) => name === wanted);
    return option && (option.type !== "combo" || option.vars.includes(value));
  });
}

/** The ways an engine can play at a seat of a variant, as `[value, text]`: its levels, and the opponents by name. */
export function strengthsOf(engine, variant, seat) {
  if (!engine) return [];
  const { opponents = {}, opponentSeat = seat } = traitsOf(variant);
  const range = levelsOf(engine);
  const levels = range ? Array.from({ length: range.most - range.least + 1 }, (_, index) => range.least + index) : [];
  const named = seat === opponentSeat ? Object.keys(opponents).filter((name) => offers(engine, opponents[name])) : [];
  return [...levels.map((level) => [level, t("level", { level })]),
    ...named.map((name) => [name, wordIn(variant, name)])];
}

/** Whether a strength is the name of an opponent. */
export const isName = (level) => typeof level === "string";

/** Whether an opponent by name sits on the only seat that it can play. */
export const isBound = (seats, { opponentSeat }) => Boolean(opponentSeat) && isName(seats[opponentSeat - 1].level);

/** Options for the engine at a seat. */
export function optionsOf({ level }, { opponents = {} }) {
  if (isName(level)) return opponents[level] ?? {};
  return level ? { Level: String(level) } : {};
}

/** Rating of a level of an engine, on the scale of its option `UCI_Elo`; null if it has none. */
export function ratingOf(engine, level) {
  const range = levelsOf(engine);
  const elo = engine?.options.find(({ name }) => name === "UCI_Elo");
  if (!range || !elo || isName(level) || range.most === range.least) return null;
  const share = (level - range.least) / (range.most - range.least);
  return Number(elo.min) + share * (Number(elo.max) - Number(elo.min));
}

// --- Links ---

/** The fragment of a link, with a game and its seats. */
export function linkOf(game, seats) {
  const last = game.line().at(-1);
  const parts = [["v", game.variant], ["n", game.players]];
  if (game.start) parts.push(["s", game.start]);
  parts.push(["m", game.request(last).moves.join("_")], ["at", game.current.ply]);
  parts.push(["p", seats.map(({ engine, level }) => (engine ? `${engine}~${level ?? ""}` : "")).join("*")]);
  return parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

/** Parses a link's fragment; null if it contains no game. */
export function readLink(hash) {
  const parts = new Map(hash.replace(/^#/, "").split("&").map((part) => {
    const [key, value = ""] = part.split("=");
    return [key, decodeURIComponent(value)];
  }));
  if (!parts.has("v")) return null;
  const from = parts.has("s") ? { start: parts.get("s") } : { players: Number(parts.get("n")) };
  const moves = (parts.get("m") ?? "").split("_").filter((word) => word !== "");
  const seats = (parts.get("p") ?? "").split("*").map((text) => {
    const [engine, level] = text.split("~");
    return { engine: engine || null, level: engine && level ? Number(level) || level : null };
  });
  return { game: { variant: parts.get("v"), ...from, moves }, at: Number(parts.get("at") ?? moves.length), seats };
}

// --- Pasted games: a line of a record, a game as text, a `position` line of the protocol, or a link ---

// A line of JSON from a record or from `arbiter export`.
function ofRecord(text) {
  const { variant, start, moves, seats } = JSON.parse(text.split("\n")[0]);
  if (typeof variant !== "string" || typeof start !== "string" || typeof moves !== "string") return null;
  const names = Array.isArray(seats) ? seats.map(String) : [];
  return { game: { variant, start, moves: moves.split(" ").filter(Boolean) }, names };
}

// Tags, then moves such as `1. 1:4 +half {depth 7} 2. 2:6`.
function ofGameText(text) {
  const tag = (name) => new RegExp(`^\\[${name} "(.*)"\\]`, "m").exec(text)?.[1];
  const [variant, start] = [tag("Variant"), tag("Start")];
  if (!variant || !start) return null;
  const played = text.replace(/^\[.*\]$/gm, "").replace(/\{[^}]*\}/g, " ").split(/\s+/);
  const wordOf = (text) => /^\d+:(.+)$/.exec(text)?.[1] ?? (text.startsWith("+") ? text : "");
  const moves = played.map(wordOf).filter(Boolean);
  const names = Array.from({ length: 6 }, (_, seat) => tag(`Seat${seat + 1}`)).filter(Boolean);
  return { game: { variant, start, moves }, names };
}

// `position startpos players 3 moves 1 +half`, in the current variant.
function ofPosition(text, variant) {
  const found = /^(?:position\s+)?(?:startpos(?:\s+players\s+(\d+))?|fen\s+(.+?))(?:\s+moves\s+(.+))?$/s.exec(text);
  if (!found) return null;
  const [, players, start, moves] = found;
  const from = start ? { start } : { players: Number(players ?? 2) };
  return { game: { variant, ...from, moves: (moves ?? "").split(/\s+/).filter(Boolean) }, names: [] };
}

/** Parses a game and the names of its seats, if it has any; null if the text is not a game. */
export function readPasted(pasted, variant) {
  const text = pasted.trim();
  try {
    if (text.startsWith("{")) return ofRecord(text);
    if (text.startsWith("[")) return ofGameText(text);
    if (text.includes("#v=")) return { game: readLink(text.slice(text.indexOf("#"))).game, names: [] };
  } catch {
    return null;
  }
  return ofPosition(text, variant);
}
