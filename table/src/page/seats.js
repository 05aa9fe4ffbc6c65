// Seats: their names, and the dialogs to choose them.

import { element } from "./board.js";
import { isGerman, t, word } from "./texts.js";

/** Range of an engine's option `Level`, or null if it has none. */
export function levelsOf(engine) {
  const option = engine?.options.find(({ name, type }) => name === "Level" && type === "spin");
  return option ? { least: Number(option.min), most: Number(option.max) } : null;
}

/** Default level of an engine, or null if it has none. */
export function mediumLevel(engine) {
  const range = levelsOf(engine);
  return range && Math.floor((range.least + range.most) / 2);
}

/** Names of all seats; a name that occurs twice is followed by the seat number. */
export function namesOf(seats) {
  const called = seats.map(({ engine, name }) => name ?? engine ?? t("you"));
  return seats.map(({ engine, level }, seat) => {
    const isOnly = called.indexOf(called[seat]) === called.lastIndexOf(called[seat]);
    const own = isOnly ? called[seat] : `${called[seat]} ${seat + 1}`;
    return engine && level ? `${own} (${t("level", { level })})` : own;
  });
}

/** Options for the engine at a seat. */
export const optionsOf = ({ level }) => (level ? { Level: String(level) } : {});

function choice(label, entries, value) {
  const options = entries.map(([key, text]) => element("option", { value: key }, text));
  const select = element("select", {}, ...options);
  select.value = value;
  return [element("label", {}, element("span", {}, label), select), select];
}

// A form row to choose a person or an engine with its level.
function seatRow(engines, number, seat) {
  const entries = [["", t("person")], ...engines.map(({ name }) => [name, name])];
  const [row, who] = choice(t("seat", { seat: number }), entries, seat.engine ?? "");
  const level = element("select", { "aria-label": `${t("level of")}, ${t("seat", { seat: number })}` });
  const refill = () => {
    const range = levelsOf(engines.find(({ name }) => name === who.value));
    const levels = range ? Array.from({ length: range.most - range.least + 1 }, (_, index) => range.least + index) : [];
    level.replaceChildren(...levels.map((one) => element("option", { value: one }, t("level", { level: one }))));
    level.hidden = levels.length === 0;
    if (range) level.value = String(Math.min(range.most, seat.level ?? range.most));
  };
  refill();
  who.addEventListener("change", refill);
  row.append(level);
  return { row, read: () => ({ engine: who.value || null, level: who.value && !level.hidden ? Number(level.value) : null }) };
}

// Opens a dialog with a form; resolves to the result of `read`, or to null if it is cancelled.
function asked(title, fields, action, read) {
  const confirm = element("button", { class: "primary", value: "yes" }, action);
  const leave = element("button", { value: "", formnovalidate: "" }, t("cancel"));
  const heading = element("h2", { id: "dialog-title" }, title);
  const form = element("form", { method: "dialog" }, heading, ...fields, element("p", { class: "buttons" }, confirm, leave));
  const dialog = element("dialog", { "aria-labelledby": "dialog-title" }, form);
  document.body.append(dialog);
  dialog.showModal();
  confirm.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      const answer = dialog.returnValue === "yes" ? read() : null;
      dialog.remove();
      resolve(answer);
    });
  });
}

/** Asks for the seats from now on. */
export function askSeats(engines, seats) {
  const rows = seats.map((seat, index) => seatRow(engines, index + 1, seat));
  return asked(t("change seats"), [element("div", { class: "seat-rows" }, ...rows.map(({ row }) => row))], t("apply"), () => rows.map(({ read }) => read()));
}

/** Asks for a new game: `{ variant, players, seats }`. */
export function askGame({ engines, variants }, before) {
  const named = variants.map(({ name }) => [name, word(name)]);
  const [game, variant] = choice(t("game"), named, before.variant);
  const [number, players] = choice(t("players"), [], "");
  const rows = element("div", { class: "seat-rows" });
  let seats = [];
  const [first] = engines;
  const refillSeats = () => {
    const known = seats.map(({ read }) => read());
    const usual = (index) => ({ engine: index === 0 ? null : first?.name ?? null, level: mediumLevel(first) });
    seats = Array.from({ length: Number(players.value) }, (_, index) =>
      seatRow(engines, index + 1, known[index] ?? before.seats[index] ?? usual(index)));
    rows.replaceChildren(...seats.map(({ row }) => row));
  };
  const refill = () => {
    const chosen = variants.find(({ name }) => name === variant.value);
    const kept = chosen.players.includes(Number(players.value)) ? players.value : String(before.players);
    players.replaceChildren(...chosen.players.map((one) => element("option", { value: one }, one)));
    if (chosen.players.includes(Number(kept))) players.value = kept;
    refillSeats();
  };
  refill();
  variant.addEventListener("change", refill);
  players.addEventListener("change", refillSeats);
  const read = () => ({ variant: variant.value, players: Number(players.value), seats: seats.map((seat) => seat.read()) });
  return asked(t("new game"), [game, number, element("h3", {}, t("who plays")), rows], t("start"), read);
}

/** Asks for one of several moves; null if cancelled. */
export function askMove(moves, describe) {
  const heading = element("h2", { id: "dialog-title" }, t("several moves"));
  const buttons = moves.map((move) => element("button", { value: move.move }, describe(move)));
  const leave = element("button", { value: "" }, t("cancel"));
  const form = element("form", { method: "dialog", class: "choices" }, heading, ...buttons, leave);
  const dialog = element("dialog", { "aria-labelledby": "dialog-title" }, form);
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(moves.find(({ move }) => move === dialog.returnValue) ?? null);
    });
  });
}

/** Text of a card in the language of the page. */
export const cardWords = ({ card, words }) => (isGerman() ? word(card, words) : words);
