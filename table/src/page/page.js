// The page: its parts, its keyboard shortcuts, and its start.

import { Advice } from "./advice.js";
import { element } from "./board.js";
import { askGame, askSeats, button, icon, labelled, select, showLink } from "./controls.js";
import { fetchGame, isBound, person, readLink, usualSeat } from "./game.js";
import { Library, Mine } from "./library.js";
import { Table } from "./table.js";
import { Ending, Review } from "./review.js";
import { OfflineError, Server, ask, post } from "./server.js";
import { Study } from "./study.js";
import { chooseLanguage, isGerman, seconds, t } from "./texts.js";
import { onResize } from "./view.js";

const USUAL_THINKING = 700;
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

// Tabs next to the board, or at the bottom of a phone's window. They follow the ARIA tabs pattern: arrow keys change the
// tab.
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
    const choose = () => {
      select(key);
      // At the bottom, they are far from their panels.
      if (getComputedStyle(list).position === "fixed") (key === "play" ? root : panel).scrollIntoView();
    };
    const tab = button(t(key), choose, { role: "tab", id: `tab-${key}`, "aria-controls": `panel-${key}` });
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

// The buttons that step through the game.
function arrows() {
  const step = (key, turns) =>
    button(icon(ARROWS[key]), () => table.step(turns), { "aria-label": t(key), title: t(key), id: `go-${key}` });
  return element("div", { class: "buttons" },
    step("first", -Infinity), step("back", -1), step("on", 1), step("last", Infinity));
}

function thinkingTime() {
  const [shortest, ...longer] = THINKING;
  const times = [shortest, ...longer.filter((ms) => ms <= server.longest)];
  const kept = times.find((ms) => String(ms) === localStorage.getItem("thinking"));
  const usual = times.includes(USUAL_THINKING) ? USUAL_THINKING : times.at(-1);
  table.thinking = kept ?? usual;
  const time = select(times.map((ms) => [ms, seconds(ms)]), table.thinking, { id: "thinking" });
  time.addEventListener("change", () => {
    localStorage.setItem("thinking", time.value);
    table.thinking = Number(time.value);
  });
  return labelled(t("thinking time"), time);
}

function playPanel() {
  const copied = element("output", {});
  const copy = button(t("copy"), async () => {
    try {
      await navigator.clipboard.writeText(location.href);
      copied.textContent = t("copied");
    } catch {
      // Without https, a browser offers no clipboard; with it, the reader may forbid its use.
      await showLink(location.href);
    }
  });
  const seats = button(t("change seats"), async () => {
    const chosen = await askSeats(server, table.game.variant, table.seats);
    if (chosen) await table.reseat(chosen);
  }, { id: "reseat" });
  const buttons = element("div", { class: "buttons" }, seats, copy, mine.save, copied);
  return element("section", {}, buttons, thinkingTime(), advice.setting);
}

async function newGame() {
  const { game, seats: now } = table;
  const isUnfinished = game.current.turn && game.root.children.length > 0;
  const before = { variant: game.variant, players: game.players, start: game.start, seats: now };
  const chosen = await askGame(server, before, isUnfinished ? t("back to it") : "");
  if (chosen) await startGame(chosen);
}

const startGame = ({ variant, players, start, seats }) => table.perform(async () => {
  await play(await post("new", start ? { variant, start } : { variant, players }), seats);
});

// Puts a game on the board to be played.
async function play(answer, seats) {
  tabbed.select("play");
  await table.beginNew(answer, seats);
}

// The same game again, with the seats moved on by one, so that another one begins, unless an opponent must keep its seat.
const rematch = () => {
  const [first, ...others] = table.seats;
  const { variant, players, start, traits } = table.game;
  const seats = isBound(table.seats, traits) ? table.seats : [...others, first];
  return startGame({ variant, players, start, seats });
};

function header() {
  const language = button(t("language"), () => table.perform(async () => {
    // A reload without a server would leave nothing of the page.
    await ask("games");
    chooseLanguage(isGerman() ? "en" : "de");
    location.reload();
  }), { lang: isGerman() ? "en" : "de" });
  return element("header", { class: "top" },
    element("h1", {}, "buxtehude"),
    element("nav", {}, button(t("new game"), () => table.game && newGame(), { class: "primary", id: "new-game" }),
      element("a", { href: t("rules path"), target: "_blank", id: "rules-link" }, t("rules")), language));
}

// Opens the game of the link, or the new one that came with the page.
async function open() {
  const link = readLink(location.hash);
  if (!link) {
    const answer = JSON.parse(root.dataset.game);
    return table.begin(answer, answer.places.map((_, seat) => usualSeat(server, seat)));
  }
  const answer = await fetchGame(link.game);
  const { variations: kept = [], names = [], id = null } = history.state ?? {};
  const variations = await Promise.all(kept.map((moves) => fetchGame({ ...link.game, moves })));
  const seats = answer.places.map((_, index) => ({ ...person(), ...link.seats[index], name: names[index] ?? undefined }));
  await table.begin(answer, seats, { at: link.at, variations, id });
}

// Shows an error and a new game if the link is invalid.
async function openLink() {
  try {
    await open();
  } catch (error) {
    if (error instanceof OfflineError) throw error;
    history.replaceState(null, "", location.pathname);
    await table.perform(open);
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

const server = new Server(JSON.parse(root.dataset.offer));
const table = new Table(server);
const study = new Study(table, server);
const review = new Review(table, server);
const advice = new Advice(table, server);
const library = new Library(table, advice, () => tabbed.select("study"));
const mine = new Mine(table, server, play);
library.panel.prepend(mine.panel);
const ending = new Ending(table, review, { rematch, showReview: () => tabbed.select("review") });
const panels = { play: playPanel(), study: study.panel, review: review.panel, library: library.panel };
const tabbed = tabs(Object.entries(panels), (key) => {
  table.mode = key;
  if (key !== "study") study.leave();
  if (table.game && !table.busy) table.look();
});
const { view } = table;
const stage = element("section", { class: "stage", "aria-label": t("play") },
  view.status, view.trouble, view.board, view.hint, view.comment, view.choices,
  element("div", { class: "controls" }, view.forced, view.undo, advice.button, view.skip, view.onward));
const aside = element("aside", {},
  ending.panel, tabbed.list, ...tabbed.panels, element("h2", {}, t("moves")), arrows(), view.moves);
// Its buttons need a game.
const layout = element("div", { class: "layout", inert: "" }, view.seats, stage, aside);
table.onChange(() => { layout.inert = false; });
root.replaceChildren(header(), layout);
view.say(t("loading"));
// After a reload, a study or a puzzle must not become a game that plays on.
tabbed.select(history.state?.mode ?? "play");

// An animation ends with the new size.
onResize(() => table.game && !table.busy?.skip && table.show());
window.addEventListener("hashchange", ({ newURL }) => {
  // The page may have put the address of the former game there again before this event.
  if (location.href !== newURL) history.replaceState(null, "", newURL);
  table.ensure(openLink);
});
await table.ensure(openLink);
document.body.dataset.ready = "yes";
