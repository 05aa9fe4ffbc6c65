// The seats of a game: people, engines at a level, and opponents whose engine the server names later.

import { isName, usualLevel } from "./opponents.js";
import { t, word } from "./texts.js";

/** Name of the first engine that works, until the engines are known. */
const USUAL = "?";

/** A seat of a person. */
export const person = (name) => ({ engine: null, level: null, name });

/** Default of a seat, counted from 0: a person against the usual opponent. */
export const usualSeat = (seat) => (seat === 0 ? person() : { engine: USUAL, level: null });

/** Name of an engine; of the usual one while it is not known. */
export const engineName = (engine) => (engine === USUAL ? t("opponent") : engine);

/**
 * Seats with engines that exist: the usual opponent is the first that works, at a low level, and a person sits in place
 * of a missing engine. Returns the names of the missing ones too.
 */
export function settled(seats, server) {
  const [first] = server.working;
  const missing = [];
  const now = seats.map((seat) => {
    if (seat.engine === USUAL) return first ? { engine: first.name, level: usualLevel(first) } : person();
    if (!seat.engine || server.named(seat.engine)) return seat;
    missing.push(seat.engine);
    return person();
  });
  return { seats: now, missing };
}

/** Names of all seats; a name that occurs twice is followed by the seat number. */
export function namesOf(seats) {
  const called = seats.map(({ engine, level, name }) =>
    name ?? (isName(level) ? word(level) : engine && engineName(engine)) ?? t("person"));
  return seats.map(({ engine, level }, seat) => {
    const isOnly = called.indexOf(called[seat]) === called.lastIndexOf(called[seat]);
    const own = isOnly ? called[seat] : `${called[seat]} ${seat + 1}`;
    return engine && level && !isName(level) ? `${own} (${t("level", { level })})` : own;
  });
}
