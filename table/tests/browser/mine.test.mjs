// Games of people: starts and opponents by name, My games with resume and rating, Save, and the server's record.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import {
  assertOver, awaited, byMouse, clickMove, engine, gameOf, hasten, linkTo, litSquares, playOut, quote, ready, stateOf, withTable,
} from "./common.mjs";

const folder = mkdtempSync(join(tmpdir(), "table-"));
const record = join(folder, "people.jsonl");
after(() => rmSync(folder, { recursive: true }));
// The built-in engine, which keeps what it is told.
const heard = join(folder, "heard.txt");
const script = join(folder, "heard.sh");
writeFileSync(script, `tee -a ${quote(heard)} | ${quote(process.env.TABLE_BINARY)} engine\n`);
const flags = ["--isolate", "off", "--processes", "1", ...engine("buxtehude", "/bin/sh", script)];
const table = withTable(["--record", record, ...flags]);
const HUNT = "fox-and-hounds";
// Opponents by name, with options that their engine gets.
const NAMED = [
  ["hase-und-igel", "Leslie", { Preset: "article" }],
  ["hase-und-igel", "Faith", { Preset: "faith" }],
  ["hase-und-igel", "Hybrid", { Preset: "hybrid" }],
  ...[1, 2, 3, 4, 5, 6].map((level) => [HUNT, `Wolves ${level}`, { Preset: "article", AILevel: String(level) }]),
];
const records = () => readFileSync(record, "utf8").trim().split("\n").filter(Boolean).map((line) => JSON.parse(line));

const combobox = (page, name) => page.getByRole("combobox", { name });

// The options of the engine at the last move that it was asked for.
function optionsHeard() {
  let options = {};
  let found = {};
  for (const line of readFileSync(heard, "utf8").split("\n")) {
    const [, name, value] = /^setoption name (.+) value (.*)$/.exec(line) ?? [];
    if (line === "uci") options = {};
    else if (name) options = { ...options, [name]: value };
    else if (line.startsWith("go nodes 30 ")) found = options;
  }
  return found;
}

// Opens the form for a new game, and sets its fields by label.
async function newGame(page, fields) {
  await page.locator("#new-game").click();
  for (const [label, value] of fields) await combobox(page, label).selectOption(value);
  await page.getByRole("button", { name: "Start", exact: true }).click();
  return awaited(page);
}

const firstEngine = async () => (await (await fetch(`${table.server.url}api/engines`)).json()).engines[0].name;

table.test("the one that flees starts on any dark square of the first row", async (visit) => {
  const page = await visit();
  for (const [label, square] of [["a1", 0], ["c1", 2], ["e1", 4], ["g1", 6]]) {
    await newGame(page, [["Game", HUNT], ["Start on", { label }]]);
    await page.waitForFunction((there) => document.querySelector(`.piece[data-square="${there}"]`), square);
    const { pieces } = await stateOf(table.server, page);
    assert.equal(pieces[0].square, square, label);
    assert.equal((await gameOf(page)).start === undefined, label === "e1");
  }
  await page.locator("#new-game").click();
  await combobox(page, "Game").selectOption("hase-und-igel");
  assert.equal(await combobox(page, "Start on").isVisible(), false);
});

table.test("opponents play by name, with the options of their articles", async (visit) => {
  const page = await visit();
  await hasten(page);
  for (const [variant, name, options] of NAMED) {
    await newGame(page, [["Game", variant], ["Players", "2"], ["Level, Seat 2", name]]);
    await page.locator("#seats").getByText(name).waitFor();
    await awaited(page);
    await page.locator(`.lit[data-square="${(await litSquares(page))[1]}"]`).click();
    await page.locator('.turn[data-seat="2"]').first().waitFor();
    const told = optionsHeard();
    for (const [option, value] of Object.entries(options)) assert.equal(told[option], value, `${option} of ${name}`);
    await awaited(page);
  }
  await page.reload();
  await ready(page);
  assert.match(await page.locator("#seats").innerText(), /Wolves 6/);
  await page.locator("#new-game").click();
  await combobox(page, "Game").selectOption("hase-und-igel");
  const names = await combobox(page, "Level, Seat 2").locator("option").allInnerTexts();
  assert.equal(names[0], "level 1");
  assert.deepEqual(names.slice(10), ["Leslie", "Faith", "Hybrid"]);
});

table.test("a game is kept, resumed, recorded once at its end, saved and rated", async (visit) => {
  const page = await visit({ hash: linkTo({ variant: HUNT, seats: ["", `${await firstEngine()}~1`] }) });
  await hasten(page);
  await page.locator("#tab-library").click();
  assert.match(await page.locator("#my-games").innerText(), /No games yet/);
  await page.getByLabel("My name").fill("Anna");
  await page.getByLabel("My name").blur();
  await page.locator("#tab-play").click();
  assert.equal(await page.locator("#save-game").isDisabled(), true);
  const { moves } = await stateOf(table.server, page);
  await clickMove(page, moves[0]);
  await awaited(page);
  const begun = await gameOf(page);

  // Another game, a reload, and back to the first one.
  await newGame(page, [["Game", "hase-und-igel"]]);
  await page.reload();
  await ready(page);
  await page.locator("#tab-library").click();
  assert.equal(await page.locator("#my-games li").count(), 1);
  assert.match(await page.locator("#my-games").innerText(), /Rabbits and Wolves · Human, .*\(level 1\) · unfinished/);
  await page.locator("#my-games button").click();
  await page.waitForFunction((variant) => location.hash.includes(variant), begun.variant);
  await awaited(page);
  assert.deepEqual(await gameOf(page), begun);

  await playOut(page, byMouse(table.server, page));
  await assertOver(table.server, page);
  const { places } = await stateOf(table.server, page);
  await page.locator("#tab-library").click();
  assert.equal(await page.locator("#my-games li").count(), 1);
  assert.match(await page.locator("#my-games").innerText(), places[0] === 1 ? /1st place/ : /2nd place/);
  const rating = /My rating in Rabbits and Wolves: (\d+) ± (\d+)/.exec(await page.locator("#my-rating").innerText());
  assert.equal(Number(rating[1]) > 1200, places[0] === 1, rating[0]);
  assert.ok(Number(rating[2]) > 100 && Number(rating[2]) < 1000, rating[0]);

  await page.locator("#tab-play").click();
  const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#save-game").click()]);
  const saved = JSON.parse(readFileSync(await download.path(), "utf8"));
  const [kept, ...others] = records();
  assert.deepEqual(others, []);
  assert.deepEqual(saved.moves, kept.moves);
  assert.deepEqual(kept.places, places);
  assert.equal(kept.seats[0], "Anna");
  assert.match(kept.seats[1], /\(level 1\), movetime 700$/);

  // Moves that are taken back change neither the result nor the record, also after a reload; what follows is a game of
  // its own.
  const finished = await gameOf(page);
  const listed = page.locator("#my-games li");
  const [entry] = await listed.allTextContents();
  await page.locator("#undo").click();
  await awaited(page);
  assert.deepEqual(await listed.allTextContents(), [entry]);
  await page.reload();
  await ready(page);
  await awaited(page);
  await playOut(page, byMouse(table.server, page));
  assert.equal(records().length, 1);
  assert.equal(await listed.count(), 2);
  assert.equal((await listed.allTextContents())[1], entry);
  assert.equal(await page.locator("#my-rating").textContent(), rating.input);
  await page.locator("#tab-library").click();
  await listed.nth(1).locator("button").click();
  await page.waitForFunction(() => !document.getElementById("ending").hidden);
  assert.deepEqual(await gameOf(page), finished);
});

// A kept game of a person against an engine, which the person has won.
const wonBy = (engine) => ({
  id: 1, game: { variant: HUNT, players: 2, moves: [] }, places: [1, 2], isAgain: false,
  seats: [{ engine: null, level: null }, { engine, level: 1 }],
});
const storing = (text) => (page) => page.addInitScript((kept) => localStorage.setItem("my games", kept), text);

for (const [language, expected] of [
  ["en", / \(95 %; results against levels: 1\)$/], ["de", / \(95 %; Ergebnisse gegen Stufen: 1\)$/],
]) {
  table.test(`the rating after one game does not speak of several, in ${language}`, async (visit) => {
    const prepare = storing(JSON.stringify([wonBy(await firstEngine())]));
    const page = await visit({ hash: linkTo({ variant: HUNT }), language, prepare });
    assert.match(await page.locator("#my-rating").textContent(), expected);
  });
}

table.test("damaged games in the browser's storage count as none", async (visit) => {
  const seatless = '[{"id":1,"game":{"variant":"fox-and-hounds"},"seats":[null]}]';
  for (const text of ["{", "null", "[null]", '[{"id":1}]', seatless]) {
    const page = await visit({ prepare: storing(text) });
    assert.ok(await page.locator(".lit").count() > 0, text);
    assert.match(await page.locator("#my-games").textContent(), /No games yet/, text);
  }
});

table.test("in a record, players have the same name at each seat and in each language", async (visit) => {
  const start = encodeURIComponent("62,10,0/64,9,0/20,44,2 1 2 -");
  const engine = await firstEngine();
  const seats = encodeURIComponent(["", `${engine}~7`, `${engine}~7`].join("*"));
  const player = `${engine} (level 7), movetime 700`;
  for (const language of ["en", "de"]) {
    const page = await visit({ hash: `#v=hase-und-igel&n=3&s=${start}&m=&at=0&p=${seats}`, language });
    const recorded = page.waitForRequest("**/api/record");
    await page.locator('.lit[data-square="64"]').click();
    assert.deepEqual((await recorded).postDataJSON().seats, ["Human", player, player], language);
  }
});

table.test("a rematch keeps the seat of an opponent that plays only the wolves", async (visit) => {
  const start = "8/6F1/8/8/8/8/1h1h1h1h/8 w - - 0 1";
  const hashOf = (level) =>
    `#v=${HUNT}&n=2&s=${encodeURIComponent(start)}&m=g7h8&at=1&p=${encodeURIComponent(`*buxtehude~${level}`)}`;
  for (const [level, isKept] of [["Wolves 2", true], ["1", false]]) {
    const page = await visit({ hash: hashOf(level) });
    const names = () => page.locator(".seat .who b").allInnerTexts();
    const before = await names();
    // An engine that moves first may end the next game before the page is looked at again.
    await page.evaluate(() => {
      const ending = document.getElementById("ending");
      const watch = new MutationObserver(() => { window.wasHidden ||= ending.hidden; });
      watch.observe(ending, { attributeFilter: ["hidden"] });
    });
    await page.locator("#rematch").click();
    await page.waitForFunction(() => window.wasHidden);
    assert.deepEqual(await names(), isKept ? before : before.toReversed(), level);
  }
});

table.test("a game that ends while the server is away is recorded when it is back", async (visit) => {
  const before = records().length;
  const start = "8/8/1F6/8/8/8/1h6/2h1h1h1 w - - 0 1";
  const hash = `#v=${HUNT}&n=2&s=${encodeURIComponent(start)}&m=&at=0&p=*`;
  const page = await visit({ hash, expected: [/ERR_FAILED/] });
  for (let turn = 0; turn < 2; turn += 1) {
    assert.equal(await awaited(page), "move");
    await page.locator(".lit").first().click();
    await page.waitForFunction((count) => document.querySelectorAll(".moves .turn").length > count, turn);
  }
  await awaited(page);
  for (const path of ["record", "review"]) await page.route(`**/api/${path}`, (route) => route.abort(), { times: 1 });
  await page.route("**/api/engines", (route) => route.abort());
  await page.locator(".lit").first().click();
  await page.locator("#trouble:not([hidden])").waitFor();
  const recorded = page.waitForResponse((response) => response.url().endsWith("/api/record"));
  await page.unroute("**/api/engines");
  await recorded;
  assert.equal(records().length, before + 1);
  await page.locator("#trouble").waitFor({ state: "hidden" });
});

table.test("a rating is that at which the results are expected, with its error", async (visit) => {
  const page = await visit();
  const rate = (results) => page.evaluate(async (all) => (await import("/library.js")).rate(all), results);
  const games = (wins, losses, rating) =>
    [...Array(wins).fill({ rating, points: 1 }), ...Array(losses).fill({ rating, points: 0 })];
  assert.equal(await rate([]), null);
  const even = await rate(games(50, 50, 1500));
  assert.ok(Math.abs(even.rating - 1500) < 1);
  // The error of a share of one half after 101 games, 1.96 × 0.5 ÷ √101, in Elo.
  assert.ok(Math.abs(even.error - 67.8) < 0.5, even.error);
  const better = await rate(games(75, 25, 1500));
  assert.ok(Math.abs(better.rating - 1690) < 6, better.rating);
  const unbeaten = await rate(games(3, 0, 1200));
  assert.ok(unbeaten.rating > 1400 && unbeaten.error > 300);
});
