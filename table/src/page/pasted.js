// Pasted games: a line of a record, a game as text, a `position` line of the protocol, or a link.

import { readLink } from "./game.js";

// A line of JSON from a record or from `arbiter export`.
function ofRecord(text) {
  const { variant, start, moves, seats } = JSON.parse(text.split("\n")[0]);
  if (typeof variant !== "string" || typeof start !== "string" || typeof moves !== "string") return null;
  return { game: { variant, start, moves: moves.split(" ").filter(Boolean) }, names: Array.isArray(seats) ? seats.map(String) : [] };
}

// Tags, then moves such as `1. 1:4 +half {depth 7} 2. 2:6`.
function ofGameText(text) {
  const tag = (name) => new RegExp(`^\\[${name} "(.*)"\\]`, "m").exec(text)?.[1];
  const [variant, start] = [tag("Variant"), tag("Start")];
  if (!variant || !start) return null;
  const played = text.replace(/^\[.*\]$/gm, "").replace(/\{[^}]*\}/g, " ").split(/\s+/);
  const moves = played.map((word) => /^\d+:(.+)$/.exec(word)?.[1] ?? (word.startsWith("+") ? word : "")).filter(Boolean);
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
