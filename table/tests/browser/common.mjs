// Helpers of the browser tests: a server, a browser, and pages whose errors fail the test.
//
// TABLE_BINARY is the server's program, TABLE_PACKAGES the folder with `node_modules`, CHROMIUM the browser.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createRequire } from "node:module";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

const require = createRequire(join(process.env.TABLE_PACKAGES ?? import.meta.dirname, "any.js"));
const { chromium } = require("playwright-core");
/** The axe-core script, which finds accessibility faults in a page. */
export const AXE = require("axe-core").source;

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const PATIENCE_MS = 30_000;
const MAX_TURNS = 400;

/** Quotes a word as for a shell. */
export const quote = (word) => `'${word.replaceAll("'", "'\\''")}'`;

/** The flag of an engine with this name, which runs a program with arguments. */
export const engine = (name, program, ...args) =>
  ["--engine", `cmd=${quote(program)} args=${quote(args.map(quote).join(" "))} name=${name}`];

/** Starts a server that runs until `end` is called; on any free port unless one is given. */
export async function serve(args = [], port = 0) {
  const binary = process.env.TABLE_BINARY;
  assert.ok(binary, "TABLE_BINARY is not set: expected the path of the program `table`");
  const child = spawn(binary, ["--listen", `127.0.0.1:${port}`, ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), exit]);
  assert.match(String(line), /^http:/, `${binary} did not print its address first`);
  const end = async () => {
    child.kill("SIGTERM");
    await exit;
  };
  return { url: String(line).trim(), end };
}

/** Starts a headless browser. */
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** Opens a page in its own context, after `prepare`; returns it with the list of its errors. */
export async function openPage(browser, url, {
  hash = "", width = 1400, height = 900, scheme = "light", language = "en", motion = "reduce", touch = false,
  isReady = true, prepare = () => {},
} = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: scheme, locale: language, reducedMotion: motion, hasTouch: touch,
    permissions: ["clipboard-read", "clipboard-write"],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  await context.addInitScript(() => document.addEventListener("securitypolicyviolation",
    ({ violatedDirective, blockedURI }) => console.error(`against the policy: ${violatedDirective} ${blockedURI}`)));
  const faults = [];
  const page = await context.newPage();
  page.on("pageerror", (error) => faults.push(error.stack));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(`${message.text()} ${message.location().url}`);
  });
  await prepare(page);
  await page.goto(url + hash);
  if (isReady) await ready(page);
  return { page, context, faults };
}

/** Waits until the page is ready. */
export const ready = (page) => page.waitForFunction(() => document.body.dataset.ready === "yes");

/**
 * Starts a server with these arguments and a browser for all tests of a file. Its `test` is like node's, but the body
 * gets `visit(options)`, which opens a page. The test fails if a page reports an error that is not `expected`.
 */
export function withTable(args = []) {
  const here = { server: null, browser: null };
  before(async () => {
    [here.server, here.browser] = await Promise.all([serve(args), launch()]);
  });
  after(() => Promise.all([here.server?.end(), here.browser?.close()]));
  here.test = (name, body, options = {}) => test(name, options, async (t) => {
    const visits = [];
    const visit = async (more = {}) => {
      const visited = await openPage(here.browser, here.server.url, more);
      visits.push({ ...visited, expected: more.expected ?? [] });
      return visited.page;
    };
    try {
      await body(visit, t);
    } finally {
      for (const { context } of visits) await context.close();
    }
    const faults = visits.flatMap((one) => one.faults.filter((text) => !one.expected.some((known) => known.test(text))));
    assert.deepEqual(faults, [], "the page reported errors");
  });
  return here;
}

// --- Requests to the server ---

/** Sends a POST request to the server, independently of the page; returns the answer. */
export async function post({ url }, path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${url}api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  assert.ok(answer.ok, `${path}: ${answer.error}`);
  return answer;
}

/** Name of the first engine that works. */
async function engineOf({ url }) {
  const { engines } = await (await fetch(`${url}api/engines`)).json();
  return engines.find(({ error }) => !error).name;
}

/** Moves and cards of a game of at most `turns` turns that the first engine plays against itself. */
export async function played(server, { variant = "hase-und-igel", players, turns }) {
  const engine = await engineOf(server);
  let game = { variant, players, moves: [] };
  for (let turn = 0, next = true; turn < turns && next; turn += 1) {
    ({ game, turn: next } = await post(server, "ai", { game, engine, limit: "nodes 100" }));
  }
  return game.moves;
}

/** The fragment of a link to a game. */
export const linkTo = ({ variant = "hase-und-igel", players = 2, moves = [], at = moves.length, seats = [] }) =>
  `#v=${variant}&n=${players}&m=${moves.join("_")}&at=${at}&p=${encodeURIComponent(seats.join("*"))}`;

const GIVEN = encodeURIComponent("20,90,2/33,60,3/10,68,3/8,50,3 2 - -");
/** The fragment of a link to a game of four whose last card has changed the carrots of all, which the status tells. */
export const LONG_STATUS = `#v=hase-und-igel&n=4&s=${GIVEN}&m=1_%2Bgive&at=1&p=%2Abuxtehude~10%2A%2A`;

/** The game in the link of a page, for a request. */
export const gameOf = (page) => page.evaluate(async () => (await import("/game.js")).readLink(location.hash).game);

/** The server's state of the game in the link of a page. */
export const stateOf = async (server, page) => post(server, "show", { game: await gameOf(page) });

/** The move that the first engine chooses in the game of a page. */
export async function advise(server, page) {
  const game = await gameOf(page);
  const { move } = await post(server, "ai", { game, engine: await engineOf(server), limit: "nodes 300" });
  const { moves } = await post(server, "show", { game });
  return moves.find((one) => one.move === move);
}

// --- Playing a game ---

/** Limits the page's engine searches to a few nodes, which the page itself does not offer. */
export const hasten = (page) => page.route("**/api/ai", (route) =>
  route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), limit: "nodes 30" }) }));

/** Answers requests for a review of one move, once `until` has passed: it lost `loss` permille against `best`. */
export const fakeReview = (page, loss, best, until) => page.route("**/api/review", async (route) => {
  await until;
  const body = `event: move\ndata: ${JSON.stringify({ loss, best })}\n\n`;
  await route.fulfill({ headers: { "Content-Type": "text/event-stream" }, body });
});

/** Waits until the page needs input or the game is over; returns "card", "move", "over" or "trouble". */
export async function awaited(page) {
  const found = await page.waitForFunction(() => {
    if (document.querySelector("dialog.card[open]")) return "card";
    if (!document.getElementById("trouble").hidden) return "trouble";
    if (document.querySelector("dialog") || !document.getElementById("skip").hidden) return null;
    if (document.querySelector(".lit")) return "move";
    return /The game is over|Das Spiel ist aus/.test(document.getElementById("status").textContent) ? "over" : null;
  });
  return found.jsonValue();
}

/** Plays to the end of the game: `move` makes a person's move, `card` closes a card. Returns the number of moves made. */
export async function playOut(page, { move, card }) {
  let made = 0;
  for (let turns = 0; turns < MAX_TURNS; turns += 1) {
    const what = await awaited(page);
    if (what === "over") return made;
    assert.notEqual(what, "trouble", await page.locator("#trouble").innerText());
    if (what === "card") await card();
    else {
      await move();
      made += 1;
    }
  }
  assert.fail(`the game is not over after ${MAX_TURNS} turns`);
}

/** Closes the card that is shown, unless it has closed by itself. */
export const readCard = (page) => page.evaluate(() => document.querySelector("dialog.card button")?.click());

/** Makes a move by a click on its square, and on its button if there are several moves to that square. */
export async function clickMove(page, { move, square }) {
  await page.locator(`.lit[data-square="${square}"]`).click();
  const choice = page.locator(`dialog button[value="${move}"]`);
  if (await choice.count()) await choice.click();
}

/** How a person plays by mouse, for `playOut`. */
export const byMouse = (server, page) => ({
  move: async () => clickMove(page, await advise(server, page)),
  card: () => readCard(page),
});

/** Checks that the game in the link is over, and that the page names the winner. */
export async function assertOver(server, page) {
  const { turn, places } = await stateOf(server, page);
  assert.equal(turn, null);
  const winner = await page.locator(".seat b").nth(places.indexOf(1)).innerText();
  const said = await page.locator("#status").innerText();
  assert.ok(said.includes("The game is over.") && said.includes("wins!"), said);
  const name = await page.locator(".seat .who b").nth(places.indexOf(1)).innerText();
  assert.ok(said.includes(name), `${said} does not name ${winner}`);
}

/** Waits until a part of the page is wholly in the window, with nothing on its first and last pixels. */
export const inView = (page, selector) => page.waitForFunction((wanted) => {
  const { left, top, bottom } = document.querySelector(wanted).getBoundingClientRect();
  const isOnTop = (y) => Boolean(document.elementFromPoint(left + 8, y)?.closest(wanted));
  return top < bottom && isOnTop(top + 4) && isOnTop(bottom - 4);
}, selector);

/** The highlighted squares, in the order of the board. */
export const litSquares = (page) =>
  page.locator(".lit").evaluateAll((all) => all.map((one) => Number(one.dataset.square)));

/** The moves and cards of turns in the list of moves. */
export const wordsOf = (turns) => turns.evaluateAll((all) => all.map((turn) => turn.dataset.words));

/** The turns in the list of moves as texts. */
export const saidOf = async (page) =>
  (await page.locator(".moves .turn .steps").allInnerTexts()).map((text) => text.replace(/\s+/g, " "));

/** Everything that identifies a position on the page: pieces, holdings of the seats, the moves and the marked one. */
export const look = (page) => page.evaluate(() => ({
  pieces: [...document.querySelectorAll(".piece")].map(({ dataset }) => `${dataset.piece}@${dataset.square}`).sort(),
  seats: [...document.querySelectorAll(".seat .holding")].map((seat) => seat.textContent),
  here: document.querySelector(".turn.here")?.dataset.words ?? "",
  moves: [...document.querySelectorAll(".moves .turn")].map((turn) => turn.dataset.words),
}));
