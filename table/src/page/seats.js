// The seats of a game: people, and opponents, which are engines at a level, or engines that play by name as another does.

import { traitsOf } from "./games.js";
import { t, word, wordIn } from "./texts.js";

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

// --- Opponents ---

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
