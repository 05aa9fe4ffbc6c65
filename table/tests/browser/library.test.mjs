// The library, with recorded games and etudes from files, and the review of a game.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";
import { fakeReview, gameOf, inView, linkTo, look, played, stateOf, withTable } from "./common.mjs";

const ETUDES = ["5;53;3;f;13;13;3;f;1", "14;10;3;f;15;26;3;f;2", "7;60;2;f;14;23;3;f;1"];
const folder = mkdtempSync(join(tmpdir(), "table-"));
const etudes = join(folder, "etudes.csv");
writeFileSync(etudes, `${ETUDES.join("\n")}\n`);
after(() => rmSync(folder, { recursive: true }));

const table = withTable(["--seed", "4", "--games", join(import.meta.dirname, "games.jsonl"), "--etudes", etudes]);
const api = async (path) => (await fetch(`${table.server.url}api/${path}`)).json();

async function library(visit, more = {}) {
  const page = await visit(more);
  await page.locator("#tab-library").click();
  return page;
}

const isAt = (page, ply) => page.waitForFunction((wanted) =>
  [...document.querySelectorAll(".moves li > .turn")].findIndex((turn) => turn.matches(".here")) === wanted - 1, ply);

// --- Recorded games ---

async function openGame(visit, more) {
  const page = await library(visit, more);
  await page.getByRole("button", { name: "games (1)" }).click();
  await page.getByRole("button", { name: /^Game 1:/ }).click();
  await page.locator('#tab-study[aria-selected="true"]').waitFor();
  return page;
}

table.test("a recorded game is opened at its start and leads to its end", async (visit) => {
  const page = await openGame(visit);
  const recorded = await api("games/games/1");
  assert.deepEqual((await gameOf(page)).moves, recorded.game.moves);
  assert.equal(await page.locator(".turn.here").count(), 0);
  await page.locator("#go-last").click();
  await isAt(page, recorded.plies);
  assert.deepEqual((await stateOf(table.server, page)).places, recorded.places);
  assert.match(await page.locator("#status").innerText(), /The game is over/);
});

/** Pastes a text and waits until its game is on the board. */
async function paste(page, text, plies) {
  await page.getByRole("textbox", { name: "Paste a game" }).fill(text);
  await page.locator("#load-game").click();
  await page.waitForFunction((count) => document.querySelectorAll(".moves li").length === count, plies);
}

table.test("games are pasted as a record, a game as text, a position line, or a link", async (visit) => {
  const { game, plies } = await api("games/games/1");
  const record = readFileSync(join(import.meta.dirname, "games.jsonl"), "utf8");
  const turns = game.moves.map((word) => (word.startsWith("+") ? word : `1:${word} {depth 3}`)).join(" ");
  const texts = [
    record, `[Variant "${game.variant}"]\n[Start "0,68,3/0,68,3/0,68,3 1 - -"]\n\n1. ${turns}`,
    `position startpos players 3 moves ${game.moves.join(" ")}`, `${table.server.url}${linkTo(game)}`,
  ];
  for (const text of texts) {
    const page = await library(visit);
    await paste(page, text, plies);
    assert.deepEqual((await gameOf(page)).moves, game.moves, text.slice(0, 30));
  }
});

table.test("a message of the server is not passed off as German", async (visit) => {
  const page = await library(visit, { expected: [/status of 400/], language: "de" });
  await page.locator("#panel-library textarea").first().fill("position startpos players 3 moves 99");
  await page.locator("#load-game").click();
  await page.locator("#trouble", { hasText: "Das ging nicht: der Server meldet auf Englisch: " }).waitFor();
});

table.test("a text that is not a game gives an error message and changes nothing", async (visit) => {
  const page = await library(visit, { expected: [/status of 400/] });
  const before = await look(page);
  for (const text of ["", "hello", "{}", "[Variant]", "position startpos players 3 moves 99", "#v=chess&n=2", "#v=%E0%A4%A"]) {
    await page.getByRole("textbox", { name: "Paste a game" }).fill(text);
    await page.locator("#load-game").click();
    await page.locator("#trouble:not([hidden])").waitFor();
    assert.match(await page.locator("#trouble").innerText(), /as a game|expected/, text);
    assert.deepEqual(await look(page), before, text);
    await page.evaluate(() => { document.getElementById("trouble").hidden = true; });
  }
});

// --- Review ---

/** Reviews the game of a page; returns the data of the server's events by name. */
async function review(page) {
  await page.locator("#tab-review").click();
  const answered = page.waitForResponse((response) => response.url().endsWith("/api/review"));
  await page.locator("#start-review").click();
  const text = await (await answered).text();
  await page.locator("#review-body table").waitFor();
  const events = { move: [], done: [], error: [] };
  for (const [, name, data] of text.matchAll(/event: *(\w+)\ndata: *(.*)\n/g)) events[name].push(JSON.parse(data));
  return events;
}

const shown = (permille) => (permille / 10).toFixed(1);

table.test("a review shows each seat's skill and luck, and leads to the costliest moves", async (visit) => {
  const page = await openGame(visit);
  const { move: moves, done: [{ seats }], error } = await review(page);
  assert.deepEqual(error, []);
  assert.equal(moves.length, (await api("games/games/1")).plies);

  const rows = await page.locator("#review-body tbody tr").evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll("td")].map((cell) => Number(cell.textContent.replace("−", "-")))));
  const expected = seats.map(({ skill, luck, gifts, result }) => [skill, luck, gifts, result].map((value) => Number(shown(value))));
  const off = rows.flat().map((value, index) => Math.abs(value - expected.flat()[index]));
  assert.ok(rows.length === seats.length && Math.max(...off) < 0.11, `${JSON.stringify(rows)} for ${JSON.stringify(expected)}`);
  assert.equal(await page.locator(".chart .curve").count(), seats.length);

  const worst = [...moves].sort((one, other) => other.loss - one.loss)[0];
  const first = page.locator("#review-body ol").first().getByRole("button").first();
  assert.ok((await first.innerText()).startsWith(`${worst.ply}. `) && (await first.innerText()).includes(`lost ${shown(worst.loss)}\u00a0%`), await first.innerText());
  await first.click();
  // The position before the move, with the move and the better one as arrows.
  await page.locator('.arrow[data-rank="bad"]').waitFor();
  await page.locator('.arrow[data-rank="0"]').waitFor();
  await isAt(page, worst.ply - 1);

  const cards = moves.flatMap((move) => move.cards ?? []);
  assert.ok(cards.length > 0, "the recorded game has cards");
  assert.ok(await page.locator("#review-body ol").nth(1).getByRole("button").count() > 0, "no card is listed");

  const box = await page.locator(".chart").boundingBox();
  await page.mouse.click(box.x + box.width - 2, box.y + box.height / 2);
  await isAt(page, moves.length);
  await page.locator('#tab-review[aria-selected="true"]').waitFor();
});

table.test("the curve of a review shows the current position", async (visit) => {
  const page = await openGame(visit);
  const { move: moves } = await review(page);
  const cursor = () => page.locator(".chart .cursor").getAttribute("x1").then(Number);
  const left = await cursor();
  await page.locator("#go-last").click();
  await isAt(page, moves.length);
  const right = await cursor();
  await page.keyboard.press("ArrowLeft");
  await isAt(page, moves.length - 1);
  assert.ok(left < await cursor() && await cursor() < right);
});

const plyOf = (page) => page.locator(".chart").getAttribute("aria-valuenow").then(Number);

/** Middle of a chart's height at a share of its width. */
async function spotter(page) {
  await page.locator(".chart").scrollIntoViewIfNeeded();
  const { x, y, width, height } = await page.locator(".chart").boundingBox();
  return (share) => ({ x: x + width * share, y: y + height / 2 });
}

const SHARES = [0.3, 0.45, 0.6, 0.75, 0.6, 0.4];

/** Checks positions that a drag over `SHARES` has shown. */
function assertDragged(plies) {
  const rises = plies.slice(1).map((ply, index) => Math.sign(ply - plies[index]));
  assert.deepEqual(rises, [1, 1, 1, -1, -1], `the drag led to ${plies}`);
}

table.test("the mouse drags through the game on the curve, also beyond its edge", async (visit) => {
  const page = await openGame(visit);
  const { move: moves } = await review(page);
  const at = await spotter(page);
  const moveTo = (share) => page.mouse.move(at(share).x, at(share).y);
  const plies = [];
  await moveTo(SHARES[0]);
  await page.mouse.down();
  for (const share of SHARES) {
    await moveTo(share);
    plies.push(await plyOf(page));
  }
  assertDragged(plies);
  await moveTo(1.2);
  assert.equal(await plyOf(page), moves.length);
  await moveTo(0.5);
  const last = await plyOf(page);
  await page.mouse.up();
  await moveTo(0.9);
  await isAt(page, last);
  assert.equal(await plyOf(page), last, "the pointer moves on without a button");

  // The slider has the focus now.
  await page.keyboard.press("ArrowUp");
  await isAt(page, last + 1);
  await page.keyboard.press("ArrowLeft");
  await isAt(page, last);
  await page.keyboard.press("End");
  await isAt(page, moves.length);
});

table.test("a finger drags through the game on the curve, and scrolls the page from it", async (visit) => {
  const page = await openGame(visit, { touch: true, width: 360, height: 740 });
  await review(page);
  const finger = await page.context().newCDPSession(page);
  const touch = (type, ...touchPoints) => finger.send("Input.dispatchTouchEvent", { type, touchPoints });
  const at = await spotter(page);
  const plies = [];
  await touch("touchStart", at(SHARES[0]));
  for (const share of SHARES) {
    await touch("touchMove", at(share));
    // The browser passes movements on with the next frame; each goes to another ply.
    await page.waitForFunction((before) => document.querySelector(".chart").ariaValueNow !== before, String(plies.at(-1) ?? 0));
    plies.push(await plyOf(page));
  }
  await touch("touchEnd");
  assertDragged(plies);
  const last = plies.at(-1);
  await isAt(page, last);

  const top = await page.evaluate(() => window.scrollY);
  const start = at(0.8);
  await touch("touchStart", start);
  for (let up = 10; up <= 150; up += 10) await touch("touchMove", { x: start.x, y: start.y - up });
  await touch("touchEnd");
  await page.waitForFunction((before) => window.scrollY > before + 50, top);
  await isAt(page, last);
});

table.test("a review goes when another game begins", async (visit) => {
  const page = await openGame(visit);
  await review(page);
  await page.evaluate((hash) => { location.hash = hash; }, linkTo({ players: 2, moves: ["4"] }));
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 1);
  assert.equal(await page.locator("#review-body").innerText(), "");
});

table.test("one's own game can be reviewed, even if it is unfinished", async (visit) => {
  const words = await played(table.server, { players: 2, turns: 8 });
  const page = await visit({ hash: linkTo({ players: 2, moves: words }) });
  const { move: moves } = await review(page);
  assert.equal(moves.length, 8);
  const before = await look(page);
  await page.locator(".chart").click();
  await isAt(page, 4);
  assert.deepEqual((await look(page)).moves, before.moves, "a review changes nothing of the game");
});

table.test("a review that begins ends the one before", async (visit) => {
  const { game } = await api("games/games/1");
  const page = await visit({ hash: linkTo({ players: 2, moves: await played(table.server, { players: 2, turns: 4 }) }) });
  await page.route("**/api/review", () => {}, { times: 1 });
  const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/review"));
  await page.locator("#tab-review").click();
  await page.locator("#start-review").click();
  await page.evaluate((hash) => {
    location.hash = hash;
    // Before the page knows that its address has changed.
    document.getElementById("tab-play").click();
  }, linkTo(game));
  await page.locator("#end-review").click();
  await ended;
  await page.locator("#review-body table").waitFor();
});

// --- Etudes ---

async function openEtude(page, number) {
  await page.getByRole("spinbutton", { name: "number" }).fill(String(number));
  await page.getByRole("button", { name: "Open", exact: true }).click();
  const [, second] = ETUDES[number - 1].split(";").map(Number);
  await page.waitForFunction((carrots) => document.querySelector(".seat .held b")?.textContent === String(carrots), second);
}

table.test("an etude is opened as its file has it", async (visit) => {
  const page = await library(visit);
  await openEtude(page, 2);
  assert.equal((await gameOf(page)).start, "14,10,3/15,26,3 1 - -");
});

table.test("an etude is a puzzle: after the move the engine's verdict and the score are shown", async (visit) => {
  const page = await library(visit);
  await openEtude(page, 1);
  const { moves } = await stateOf(table.server, page);
  for (const [tried, loss, expected] of [[1, 0, /^Right/], [2, 300, /loses 30\.0\s% of the points\. Better: /]]) {
    await page.unrouteAll();
    await fakeReview(page, loss, moves[0].move);
    await page.locator(`.lit[data-square="${moves[tried - 1].square}"]`).click();
    await page.getByText(`Solved: 1 of ${tried}`).waitFor();
    assert.match(await page.locator("#comment").innerText(), expected);
    await openEtude(page, 1);
    await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 0, null);
  }
});

for (const [width, height] of [[360, 740], [844, 390], [1400, 900]]) {
  table.test(`a puzzle's move to a hare leaves the board, a reload the puzzle, at ${width} by ${height}`, async (visit) => {
    const page = await library(visit, { width, height });
    await page.locator("#panel-library textarea").evaluate((box) => { box.style.height = "70rem"; });
    await openEtude(page, 1);
    const { moves, board } = await stateOf(table.server, page);
    const { square } = moves.find((move) => board.squares[move.square].name === "hare");
    await fakeReview(page, 300, moves[0].move);
    await page.locator(`.lit[data-square="${square}"]`).click();
    await page.getByText(/loses 30\.0/).waitFor();
    await page.locator("#choices button").first().waitFor();
    for (const part of [".board", "#comment"]) await inView(page, part);
    // A game would draw a card.
    const before = await gameOf(page);
    await page.reload();
    await page.locator("#choices button").first().waitFor();
    assert.equal(await page.locator("#tab-library").getAttribute("aria-selected"), "true");
    assert.deepEqual(await gameOf(page), before);
  });
}

for (const [width, height] of [[360, 740], [844, 390]]) {
  table.test(`an etude's board comes into view, and then the verdict with it, at ${width} by ${height}`, async (visit) => {
    const page = await library(visit, { width, height });
    await openEtude(page, 1);
    for (const part of ["#status", ".board"]) await inView(page, part);
    const { moves } = await stateOf(table.server, page);
    await fakeReview(page, 300, moves[0].move);
    await page.locator(`.lit[data-square="${moves[1].square}"]`).click();
    await page.getByText(/loses 30\.0/).waitFor();
    for (const part of [".board", "#comment"]) await inView(page, part);
  });
}

table.test("a hint ends the verdict on a puzzle, without an error", async (visit) => {
  const page = await library(visit);
  await openEtude(page, 1);
  const { moves, board } = await stateOf(table.server, page);
  // A move that is not followed by a card.
  const { square } = moves.find((move) => board.squares[move.square].name !== "hare");
  await page.route("**/api/review", () => {});
  await page.locator(`.lit[data-square="${square}"]`).click();
  await page.getByText("Thinking …").waitFor();
  await page.locator("#advise").click();
  await page.getByText("Hint: ").waitFor();
  assert.equal(await page.locator("#puzzle").innerText(), "");
  assert.ok(await page.locator("#trouble").isHidden());
});

table.test("a missing etude gives an error message", async (visit) => {
  const page = await library(visit);
  await page.getByRole("spinbutton", { name: "number" }).fill("99");
  await page.getByRole("button", { name: "Open", exact: true }).click();
  await page.locator("#trouble:not([hidden])").waitFor();
  assert.match(await page.locator("#trouble").innerText(), /99.*1 to 3/);
});

