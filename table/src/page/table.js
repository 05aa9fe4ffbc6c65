// The page: its parts, its keyboard shortcuts, and its start.

import { ask, post } from "./api.js";
import { element } from "./board.js";
import { readLink } from "./game.js";
import { Library } from "./library.js";
import { Table, button } from "./play.js";
import { Review } from "./review.js";
import { askGame, askSeats, mediumLevel } from "./seats.js";
import { Study } from "./study.js";
import { chooseLanguage, isGerman, t } from "./texts.js";
import { SYMBOLS } from "./symbols.js";
import { icon, onNarrow } from "./view.js";

const DEFAULT = { variant: "hase-und-igel", players: 3 };
const THINKING = [100, 300, 700, 2000, 5000];

chooseLanguage();
const root = document.getElementById("table");

function partsOf() {
  const part = (tag, attributes) => element(tag, attributes);
  return {
    board: part("div", { class: "board", id: "board" }),
    seats: part("div", { id: "seats" }),
    status: part("p", { id: "status", "aria-live": "polite", role: "status" }),
    hint: part("p", { id: "hint" }),
    trouble: part("div", { id: "trouble", role: "alert", hidden: "" }),
    choices: part("div", { id: "choices", hidden: "" }),
    moves: part("div", { id: "move-list" }),
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
    button(icon(key, "icon", SYMBOLS.controls), () => table.step(turns), { "aria-label": t(key), title: t(key), id: `go-${key}` });
  return element("div", { class: "controls" },
    step("first", -Infinity), step("back", -1), step("on", 1), step("last", Infinity),
    parts.undo, parts.skip, parts.onward);
}

function thinkingTime() {
  const options = THINKING.map((time) => element("option", { value: time }, `${time / 1000} s`));
  const select = element("select", { id: "thinking" }, ...options);
  select.value = "700";
  select.addEventListener("change", () => { table.limit = `movetime ${select.value}`; });
  return element("label", {}, element("span", {}, t("thinking time")), select);
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

// Default seats: a person against engines of medium strength.
function usualSeats(players) {
  const seat = { engine: info.engines[0]?.name ?? null, level: mediumLevel(info.engines[0]) };
  return Array.from({ length: players }, (_, number) => (number === 0 ? { engine: null, level: null } : { ...seat }));
}

// Opens the game of the link, or a new one.
async function open() {
  const link = readLink(location.hash);
  if (!link) {
    const start = await post("new", DEFAULT);
    return table.begin(start, usualSeats(DEFAULT.players));
  }
  const answer = await post("show", { game: link.game });
  const players = answer.places.length;
  const known = (seat) => (info.engines.some(({ name }) => name === seat?.engine) ? seat : { engine: null, level: null });
  const seats = Array.from({ length: players }, (_, seat) => known(link.seats[seat]));
  await table.begin(answer, seats, link.at);
}

// Shows an error and a new game if the link is invalid.
async function openLink() {
  try {
    await open();
  } catch (error) {
    history.replaceState(null, "", location.pathname);
    await open();
    table.complain(t("failed", { error: error.message }));
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
const table = new Table(parts, info);
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
