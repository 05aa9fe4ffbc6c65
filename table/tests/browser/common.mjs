// What the tests in a browser share: a server and a browser of their own, and pages in which nothing goes wrong unseen.
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
/** The script that finds faults of access in a page. */
export const AXE = require("axe-core").source;

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync"];
const PATIENCE_MS = 30_000;
const MOST_TURNS = 400;

/** A server that runs until `end` is called. */
export async function serve(args = []) {
  const binary = process.env.TABLE_BINARY;
  assert.ok(binary, "TABLE_BINARY is not set: expected the path of the program `table`");
  const child = spawn(binary, ["--listen", "127.0.0.1:0", ...args], { stdio: ["ignore", "pipe", "inherit"] });
  const exit = once(child, "exit");
  const [line] = await Promise.race([once(createInterface(child.stdout), "line"), exit]);
  assert.match(String(line), /^http:/, `${binary} did not begin with its address`);
  const end = async () => {
    child.kill("SIGTERM");
    await exit;
  };
  return { url: String(line).trim(), end };
}

/** A browser without a window. */
export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: FLAGS });

/** A page in a context of its own, and the list of what goes wrong in it. */
export async function openPage(browser, url, { hash = "", width = 1400, height = 900, scheme = "light", language = "en", motion = "reduce", isReady = true } = {}) {
  const context = await browser.newContext({
    viewport: { width, height }, colorScheme: scheme, locale: language, reducedMotion: motion,
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
  await page.goto(url + hash);
  if (isReady) await ready(page);
  return { page, context, faults };
}

/** Waits until the page has begun. */
export const ready = (page) => page.waitForFunction(() => document.body.dataset.ready === "yes");

/**
 * A server with these arguments and a browser for all tests of a file. `test` is node's own, but its body is called with
 * `visit(options)`, which opens a page, and fails where a page reports an error that is none of its `expected` ones.
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

// --- The server's own words ---

/** The answer of the server to a request made beside the page. */
export async function post({ url }, path, body) {
  const headers = { "Content-Type": "application/json" };
  const response = await fetch(`${url}api/${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  const answer = await response.json();
  assert.ok(answer.ok, `${path}: ${answer.error}`);
  return answer;
}

/** The words of a game that the first engine plays with itself for so many turns. */
export async function played(server, { variant = "hase-und-igel", players, turns }) {
  const { engines } = await (await fetch(`${server.url}api/engines`)).json();
  let game = { variant, players, moves: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    ({ game } = await post(server, "ai", { game, engine: engines[0].name, limit: "nodes 100" }));
  }
  return game.moves;
}

/** The part of a link that holds a game. */
export const linkTo = ({ variant = "hase-und-igel", players = 2, moves = [], at = moves.length, seats = [] }) =>
  `#v=${variant}&n=${players}&m=${moves.join("_")}&at=${at}&p=${encodeURIComponent(seats.join("*"))}`;

/** The game in the link of a page, as the server takes it. */
export const gameOf = (page) => page.evaluate(async () => (await import("/game.js")).readLink(location.hash).game);

/** What the server says of the position in the link of a page. */
export const stateOf = async (server, page) => post(server, "show", { game: await gameOf(page) });

/** The move that the first engine would make in the game of a page. */
export async function advise(server, page) {
  const game = await gameOf(page);
  const { engines } = await (await fetch(`${server.url}api/engines`)).json();
  const { move } = await post(server, "ai", { game, engine: engines[0].name, limit: "nodes 300" });
  const { moves } = await post(server, "show", { game });
  return moves.find((one) => one.move === move);
}

// --- Going through a game ---

/** Lets engines think no longer than it takes to look at a few positions, which the page itself does not offer. */
export const hasten = (page) => page.route("**/api/ai", (route) =>
  route.continue({ postData: JSON.stringify({ ...route.request().postDataJSON(), limit: "nodes 30" }) }));

/** What the page waits for: "card", "move", "over" or "trouble". */
export async function awaited(page) {
  const found = await page.waitForFunction(() => {
    if (document.querySelector("dialog.card[open]")) return "card";
    if (!document.getElementById("trouble").hidden) return "trouble";
    if (document.querySelector("dialog") || !document.getElementById("skip").disabled) return null;
    if (document.querySelector(".lit")) return "move";
    return document.getElementById("status").textContent.includes("The game is over") ? "over" : null;
  });
  return found.jsonValue();
}

/** Plays until the game is over: `move` makes a person's move, `card` puts a card away. Returns how many moves it made. */
export async function playOut(page, { move, card }) {
  let made = 0;
  for (let turns = 0; turns < MOST_TURNS; turns += 1) {
    const what = await awaited(page);
    if (what === "over") return made;
    assert.notEqual(what, "trouble", await page.locator("#trouble").innerText());
    if (what === "card") await card();
    else {
      await move();
      made += 1;
    }
  }
  assert.fail(`the game is not over after ${MOST_TURNS} turns`);
}

/** Puts away the card that is shown, if it has not gone by itself. */
export const readCard = (page) => page.evaluate(() => document.querySelector("dialog.card button")?.click());

/** Makes a move by a click on its square, and on its button where a square leaves a choice. */
export async function clickMove(page, { move, square }) {
  await page.locator(`.lit[data-square="${square}"]`).click();
  const choice = page.locator(`dialog button[value="${move}"]`);
  if (await choice.count()) await choice.click();
}

/** The lit squares, in the order of the board. */
export const litSquares = (page) =>
  page.locator(".lit").evaluateAll((all) => all.map((one) => Number(one.dataset.square)));

/** What the seats hold, where the pieces are, and which move is marked: all that tells one position from another. */
export const look = (page) => page.evaluate(() => ({
  pieces: [...document.querySelectorAll(".pawn")].map((pawn) => `${pawn.dataset.piece}@${pawn.dataset.square}`).sort(),
  seats: [...document.querySelectorAll(".seat .holding")].map((seat) => seat.textContent),
  here: document.querySelector(".turn.here")?.textContent ?? "",
  moves: [...document.querySelectorAll(".moves .turn")].map((turn) => turn.textContent),
}));
