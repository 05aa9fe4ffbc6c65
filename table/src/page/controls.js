// Controls and dialogs of the page.

import { colour, drawing, element } from "./board.js";
import { settled, strengthsOf, usualLevel, usualSeat } from "./game.js";
import { traitsOf } from "./games.js";
import { cardWords, nameOf, t } from "./texts.js";

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

/** A drop-down list of the engines that work. */
export const engineSelect = ({ working }) =>
  select(working.map(({ name }) => [name, name]), undefined, { "aria-label": t("engine") });

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

// --- Rows of seats ---

// A form row to choose a person or an engine with its level or name.
function seatRow(server, variant, number, before) {
  const [{ engine, level: usual }] = settled([before], server).seats;
  const engines = server.engines.map(({ name, error }) => [name, error ? t("broken", { name }) : name]);
  const who = select([["", t("person")], ...engines], engine ?? "");
  const level = element("select", { "aria-label": `${t("level of")}, ${t("seat", { seat: number })}` });
  const fillLevels = () => {
    const chosen = server.named(who.value);
    const strengths = strengthsOf(chosen, variant, number);
    level.replaceChildren(...strengths.map(([value, text]) => element("option", { value }, text)));
    level.hidden = strengths.length === 0;
    const strength = strengths.find(([value]) => value === usual)?.[0] ?? usualLevel(chosen);
    if (strength !== null) level.value = String(strength);
  };
  fillLevels();
  who.addEventListener("change", fillLevels);
  const strength = () => (isNaN(level.value) ? level.value : Number(level.value));
  const read = () => ({ engine: who.value || null, level: who.value && !level.hidden ? strength() : null });
  return { row: labelled(t("seat", { seat: number }), who, level), read };
}

// --- Dialogs ---

// Opens a dialog; resolves to its return value when it is closed.
function opened(dialog, focused) {
  document.body.append(dialog);
  dialog.showModal();
  focused?.focus();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue);
    });
  });
}

function formDialog(title, attributes, ...content) {
  const heading = element("h2", { id: "dialog-title" }, title);
  const form = element("form", { method: "dialog", ...attributes }, heading, ...content);
  return element("dialog", { "aria-labelledby": "dialog-title" }, form);
}

const cancelButton = () => element("button", { value: "", formnovalidate: "" }, t("cancel"));

// Opens a dialog with a form; resolves to the result of `read`, or to null if it is cancelled.
async function askForm(title, fields, action, read, focused) {
  const confirm = element("button", { class: "primary", value: "yes" }, action);
  const dialog = formDialog(title, {}, ...fields, element("p", { class: "buttons" }, confirm, cancelButton()));
  return await opened(dialog, focused ?? confirm) === "yes" ? read() : null;
}

/** Asks for the seats from now on. */
export function askSeats(server, variant, seats) {
  const rows = seats.map((seat, index) => seatRow(server, variant, index + 1, seat));
  const list = element("div", { class: "seat-rows" }, ...rows.map(({ row }) => row));
  return askForm(t("change seats"), [list], t("apply"), () => rows.map(({ read }) => read()));
}

/** Asks for a new game: `{ variant, players, start, seats }`; `start` is empty for the usual start. */
export function askGame(server, before, note) {
  const variant = select(server.variants.map(({ name }) => [name, nameOf(name)]), before.variant);
  const players = select([]);
  const start = select([]);
  const starts = labelled(t("start square"), start);
  const rows = element("div", { class: "seat-rows" });
  let seats = [];
  const refillSeats = () => {
    const known = seats.map(({ read }) => read());
    seats = Array.from({ length: Number(players.value) }, (_, index) =>
      seatRow(server, variant.value, index + 1, known[index] ?? before.seats[index] ?? usualSeat(server, index)));
    rows.replaceChildren(...seats.map(({ row }) => row));
  };
  const refill = () => {
    const numbers = server.variants.find(({ name }) => name === variant.value).players;
    const kept = [Number(players.value), before.players].find((number) => numbers.includes(number));
    players.replaceChildren(...numbers.map((one) => element("option", { value: one }, one)));
    if (kept) players.value = kept;
    const places = Object.entries(traitsOf(variant.value).starts ?? {});
    start.replaceChildren(...places.map(([square, position], index) =>
      element("option", { value: index ? position : "" }, square)));
    starts.hidden = places.length === 0;
    if (before.start) start.value = before.start;
    if (start.selectedIndex < 0) start.selectedIndex = 0;
    refillSeats();
  };
  refill();
  variant.addEventListener("change", refill);
  players.addEventListener("change", refillSeats);
  const fields = [labelled(t("game"), variant), labelled(t("players"), players), starts,
    element("h3", {}, t("who plays")), rows, element("p", { class: "note" }, note)];
  const read = () => ({
    variant: variant.value, players: Number(players.value), start: start.value, seats: seats.map((seat) => seat.read()),
  });
  return askForm(t("new game"), fields, t("start"), read, variant);
}

/** Asks for one of several moves; resolves to undefined if cancelled. */
export async function askMove(moves, describe) {
  const buttons = moves.map((move) => element("button", { value: move.move }, describe(move)));
  const chosen = await opened(formDialog(t("several moves"), { class: "choices" }, ...buttons, cancelButton()));
  return moves.find(({ move }) => move === chosen);
}

/** Shows a link to be copied by hand. */
export function showLink(link) {
  const text = element("textarea", { "aria-label": t("copy"), readonly: "", spellcheck: "false" }, link);
  text.addEventListener("focus", () => text.select());
  const close = element("button", { class: "primary", value: "" }, t("continue"));
  return opened(formDialog(t("copy"), {}, element("p", {}, t("copy by hand")), text,
    element("p", { class: "buttons" }, close)), text);
}

const CARD_SHOWN_MS = 2600;

/** Turns a card over; shows it for a moment, or with `isOwn` until a person closes it. Closes if `signal` aborts. */
export async function showCard(card, name, { traits, isOwn, signal }) {
  const shapes = traits.symbols.kinds[traits.card];
  const picture = () => (shapes ? icon(shapes, "card-picture") : element("strong", {}, card.card));
  const go = element("button", { class: "primary" }, t("continue"));
  const back = element("div", { class: "card-side card-back-side" }, shapes ? picture() : "");
  const front = element("div", { class: "card-side card-front-side" },
    element("h2", { id: "card-title" }, t("it says")), picture(), element("p", {}, cardWords(card)));
  const dialog = element("dialog", { class: "card", "aria-labelledby": "card-title" },
    element("p", { class: "card-owner" }, t("card due", { name })),
    element("div", { class: "card-paper" }, back, front), go);
  const close = () => dialog.close();
  go.addEventListener("click", close);
  signal.addEventListener("abort", close, { once: true });
  const timer = isOwn ? null : setTimeout(close, CARD_SHOWN_MS);
  await opened(dialog, go);
  clearTimeout(timer);
}
