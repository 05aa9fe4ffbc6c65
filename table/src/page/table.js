// The page: its parts, its keyboard shortcuts, and its start.

import { ask, post } from "./api.js";
import { element } from "./board.js";
import { askGame, askSeats, person, usualSeat } from "./dialogs.js";
import { fetchGame, readLink } from "./game.js";
import { Library } from "./library.js";
import { Table } from "./play.js";
import { Review } from "./review.js";
import { Study } from "./study.js";
import { chooseLanguage, isGerman, t } from "./texts.js";
import { button, icon, labelled, onNarrow, select } from "./view.js";

const USUAL_PLAYERS = 3;
const THINKING = [100, 300, 700, 2000, 5000];
/** Pictures of the buttons that step through a game. */
const ARROWS = {
  first: [["path", { d: "M5 5h2.6v14H5zM19 5v14l-10-7z" }]],
  back: [["path", { d: "M17 5v14L6 12z" }]],
  on: [["path", { d: "M7 5v14l11-7z" }]],
  last: [["path", { d: "M16.4 5H19v14h-2.6zM5 5v14l10-7z" }]],
};

chooseLanguage();
const root = document.getElementById("table");

function partsOf() {
  return {
    board: element("div", { class: "board", id: "board" }),
    seats: element("div", { id: "seats" }),
    status: element("p", { id: "status", "aria-live": "polite", role: "status" }),
    hint: element("p", { id: "hint" }),
    trouble: element("div", { id: "trouble", role: "alert", hidden: "" }),
    choices: element("div", { id: "choices", hidden: "" }),
    moves: element("div", { id: "move-list" }),
    undo: button(t("undo"), () => table.undo(), { id: "undo" }),
    onward: button(t("continues"), () => table.proceed(), { id: "continue", hidden: "" }),
    skip: button(t("skip"), () => table.skip(), { id: "skip" }),
  };
}

// Tabs next to the board, following the ARIA tabs pattern: arrow keys change the tab.
function tabs(entries, onChange) {
  const list = element("div", { role: "tablist", class: "tabs" });
  const select = (name, focus) => {
    for (const { key, tab, panel } of made) {
      const isChosen = key === name;
      tab.setAttribute("aria-selected", isChosen);
      tab.setAttribute("tabindex", isChosen ? 0 : -1);
      panel.hidden = !isChosen;
      if (isChosen && focus) tab.focus();
    }
    onChange(name);
  };
  const made = entries.map(([key, panel]) => {
    const tab = button(t(key), () => select(key), { role: "tab", id: `tab-${key}`, "aria-controls": `panel-${key}` });
    panel.setAttribute("role", "tabpanel");
    panel.id = `panel-${key}`;
    panel.setAttribute("aria-labelledby", `tab-${key}`);
    list.append(tab);
    return { key, tab, panel };
  });
  list.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    event.stopPropagation();
    const now = made.findIndex(({ tab }) => tab === document.activeElement);
    select(made[(now + step + made.length) % made.length].key, true);
  });
  return { list, select, panels: made.map(({ panel }) => panel) };
}

function controls() {
  const step = (key, turns) =>
    button(icon(ARROWS[key]), () => table.step(turns), { "aria-label": t(key), title: t(key), id: `go-${key}` });
  return element("div", { class: "controls" },
    step("first", -Infinity), step("back", -1), step("on", 1), step("last", Infinity),
    parts.undo, parts.skip, parts.onward);
}

function thinkingTime() {
  const time = select(THINKING.map((ms) => [ms, `${ms / 1000} s`]), 700, { id: "thinking" });
  time.addEventListener("change", () => { table.limit = `movetime ${time.value}`; });
  return labelled(t("thinking time"), time);
}

function playPanel() {
  const copy = button(t("copy"), async () => {
    await navigator.clipboard.writeText(location.href);
    table.say(t("copied"));
  });
  const seats = button(t("change seats"), async () => {
    const chosen = await askSeats(info.engines, table.seats);
    if (chosen) await table.reseat(chosen);
  }, { id: "reseat" });
  return element("section", {}, element("div", { class: "buttons" }, seats, copy), thinkingTime(),
    element("h2", {}, t("moves")), parts.moves);
}

async function newGame() {
  const before = { variant: table.game.variant, players: table.game.players, seats: table.seats };
  const chosen = await askGame(info, before);
  if (!chosen) return;
  tabbed.select("play");
  const { variant, players, seats } = chosen;
  await table.begin(await post("new", { variant, players }), seats);
}

function header() {
  const language = button(t("language"), () => {
    chooseLanguage(isGerman() ? "en" : "de");
    location.reload();
  }, { lang: isGerman() ? "en" : "de" });
  return element("header", { class: "top" },
    element("h1", {}, "buxtehude"),
    element("nav", {}, button(t("new game"), newGame, { class: "primary", id: "new-game" }),
      element("a", { href: t("rules path"), target: "_blank", id: "rules-link" }, t("rules")), language));
}

// Opens the game of the link, or a new one.
async function open() {
  const link = readLink(location.hash);
  if (!link) {
    const [{ name, players: numbers }] = info.variants;
    const players = numbers.includes(USUAL_PLAYERS) ? USUAL_PLAYERS : numbers[0];
    const seats = Array.from({ length: players }, (_, seat) => usualSeat(info, seat));
    return table.begin(await post("new", { variant: name, players }), seats);
  }
  const answer = await fetchGame(link.game);
  const known = (seat) => (info.engines.some(({ name }) => name === seat?.engine) ? seat : person());
  await table.begin(answer, answer.places.map((_, seat) => known(link.seats[seat])), link.at);
}

// Shows an error and a new game if the link is invalid.
async function openLink() {
  try {
    await open();
  } catch (error) {
    history.replaceState(null, "", location.pathname);
    await open();
    table.fail(error);
  }
}

document.addEventListener("keydown", (event) => {
  const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || document.querySelector("dialog[open]");
  if (isTyping || event.ctrlKey || event.altKey || event.metaKey || !table.game) return;
  const action = {
    ArrowLeft: () => table.step(-1), ArrowRight: () => table.step(1), Home: () => table.step(-Infinity),
    End: () => table.step(Infinity), Escape: () => table.skip(), u: () => table.undo(), n: () => newGame(),
  }[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

const info = await ask("engines");
const parts = partsOf();
const table = new Table(parts);
const study = new Study(table, info);
const review = new Review(table, info);
const library = new Library(table, () => tabbed.select("study"));
const tabbed = tabs([["play", playPanel()], ["study", study.panel], ["review", review.panel], ["library", library.panel]], (key) => {
  table.isStudy = key === "study" || key === "library" || key === "review";
  if (key !== "study") study.leave();
  if (table.game && !table.busy) table.look();
});
root.replaceChildren(header(),
  element("div", { class: "layout" },
    element("section", { class: "stage", "aria-label": t("play") }, parts.status, parts.trouble, parts.board, parts.hint, parts.choices, controls()),
    element("aside", {}, parts.seats, tabbed.list, ...tabbed.panels)));
onNarrow(() => table.show());
window.addEventListener("hashchange", openLink);
tabbed.select("play");
await openLink();
document.body.dataset.ready = "yes";
