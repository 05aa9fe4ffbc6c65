// A game with its variations, as a tree, and the link that holds it.

import { post } from "./api.js";

let made = 0;

function node(parent, words, view) {
  made += 1;
  return { id: made, parent, words, children: [], ply: parent ? parent.ply + 1 : 0, ...view };
}

// What of a state or step is kept with a node. Its legal moves may be missing; `Game.look` fetches them.
function viewOf({ position, turn, places, moves, cards }, { pieces, facts }) {
  return { position, turn, places, moves, cards, pieces, facts };
}

// Splits words into turns: a move with the cards that follow it. A card before any move is a turn of its own.
function turnsOf(steps) {
  const turns = [];
  for (const step of steps) {
    const isCard = step.word.startsWith("+");
    if (isCard && turns.length > 0) turns.at(-1).push(step);
    else turns.push([step]);
  }
  return turns;
}

export class Game {
  /** From an answer of `/api/show` or `/api/new`. */
  constructor(answer) {
    this.variant = answer.game.variant;
    this.players = answer.places.length;
    this.start = answer.game.start;
    this.board = answer.scene.board;
    this.points = answer.points;
    const first = answer.first ? viewOf(answer.first, answer.first) : viewOf(answer, answer.scene);
    this.root = node(null, [], first);
    this.current = this.root;
    for (const turn of turnsOf(answer.steps ?? [])) this.append(turn);
    Object.assign(this.current, viewOf(answer, answer.scene));
  }

  /** Adds a turn behind the current node, unless it is there, and goes to it. */
  append(steps) {
    const words = steps.map((step) => step.word);
    const known = this.current.children.find((child) => child.words.join() === words.join());
    const last = steps.at(-1);
    const added = known ?? node(this.current, words, viewOf(last, last));
    added.seat = steps[0].seat;
    if (!known) this.current.children.push(added);
    this.current = added;
    return added;
  }

  /** Adds what the server played, and keeps what it says of the position reached. */
  take(answer) {
    const before = this.current;
    if (answer.steps[0]?.word.startsWith("+") && before.parent) {
      // A card chosen by hand belongs to the turn whose move is already there, and which is whole only now.
      this.current = before.parent;
      before.parent.children = before.parent.children.filter((child) => child !== before);
      this.append([...before.words.map((word) => ({ word, seat: before.seat })), ...answer.steps]);
    } else this.append(answer.steps);
    Object.assign(this.current, viewOf(answer, answer.scene));
    return before;
  }

  /** The nodes from the start to one of them. */
  path(end = this.current) {
    const nodes = [];
    for (let one = end; one; one = one.parent) nodes.unshift(one);
    return nodes;
  }

  /** The nodes of the line that is shown: to the current one, and on by first children. */
  line() {
    const nodes = this.path();
    while (nodes.at(-1).children.length > 0) {
      const last = nodes.at(-1);
      nodes.push(last.children.find((child) => child.isKept) ?? last.children[0]);
    }
    return nodes;
  }

  /** The game as the server takes it. */
  request(end = this.current) {
    const from = this.start ? { start: this.start } : { players: this.players };
    return { variant: this.variant, ...from, moves: this.path(end).flatMap((one) => one.words) };
  }

  go(target) {
    // The way back leads through the same variation.
    for (const one of this.path()) {
      for (const child of one.parent?.children ?? []) child.isKept = child === one;
    }
    this.current = target;
  }

  /** Takes the current node away, with all that follows. */
  undo() {
    const { parent } = this.current;
    if (!parent) return;
    parent.children = parent.children.filter((child) => child !== this.current);
    this.current = parent;
  }

  /** Sees to it that the moves of the current node are known. */
  async look() {
    const here = this.current;
    if (here.moves) return;
    const answer = await post("show", { game: this.request(here) });
    Object.assign(here, viewOf(answer, answer.scene));
  }
}

// --- Links ---

/** The part of a link behind `#` that holds a game and who sits where. */
export function linkOf(game, seats) {
  const last = game.line().at(-1);
  const parts = [["v", game.variant], ["n", game.players]];
  if (game.start) parts.push(["s", game.start]);
  parts.push(["m", game.request(last).moves.join("_")], ["at", game.current.ply]);
  parts.push(["p", seats.map(({ engine, level }) => (engine ? `${engine}~${level ?? ""}` : "")).join("*")]);
  return parts.map(([key, value]) => `${key}=${encodeURIComponent(value)}`).join("&");
}

/** What a link holds, or null where it holds no game. */
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
    return engine ? { engine, level: level ? Number(level) : null } : { engine: null, level: null };
  });
  return { game: { variant: parts.get("v"), ...from, moves }, at: Number(parts.get("at") ?? moves.length), seats };
}
