// Study: analysis, cards chosen by hand, positions as text and by clicks, exact outcomes.

import assert from "node:assert/strict";
import { engine, gameOf, inView, linkTo, look, post, stateOf, withTable, wordsOf } from "./common.mjs";

const table = withTable(["--longest-search", "20000"]);
const ENGINES = ["one", "two", "three"];
const three = withTable(["--longest-search", "20000", "--processes", "4",
  ...ENGINES.flatMap((name) => engine(name, process.env.TABLE_BINARY, "engine"))]);
const hasty = withTable(["--longest-search", "200"]);

async function study(visit, game, more = {}) {
  const page = await visit({ hash: linkTo(game), ...more });
  await page.locator("#tab-study").click();
  return page;
}

const load = async () => (await (await fetch(`${table.server.url}api/engines`)).json()).queue;
const text = (page) => page.locator("#panel-study textarea");
const turnsShown = (page, count) =>
  page.waitForFunction((wanted) => document.querySelectorAll(".moves .turn").length === wanted, count);

/** Waits until so many searches run. */
async function searchesRun(count) {
  let running;
  for (let tries = 0; tries < 100; tries += 1) {
    running = (await load()).running;
    if (running === count) return;
    await new Promise((resolve) => { setTimeout(resolve, 50); });
  }
  assert.equal(running, count, "searches that run, as many as pages show");
}

table.test("analysis shows lines, bars and arrows, and ends when it is stopped", async (visit) => {
  const page = await study(visit, { players: 3 });
  assert.equal(await page.locator(".bar").count(), 0);
  await page.locator("#analyse").click();
  await page.waitForFunction(() => document.querySelectorAll(".analyst .lines li").length === 3);
  await page.waitForFunction(() => document.querySelectorAll(".board .arrow").length === 3);
  assert.equal(await page.locator(".seat .bar").count(), 3);
  assert.match(await page.locator(".analyst .note").innerText(), /depth \d+ · [\d,]+ positions/);
  const shares = (await page.locator(".seat .bar-text").allInnerTexts()).map(parseFloat);
  const sum = shares.reduce((one, other) => one + other, 0);
  assert.ok(Math.abs(sum - 100) < 0.5, `the shares of all seats come to ${sum}`);
  assert.equal((await load()).running, 1);

  await page.locator("#analyse").click();
  await searchesRun(0);
  const said = await page.locator(".analyst").allInnerTexts();
  await page.waitForTimeout(300);
  assert.deepEqual(await page.locator(".analyst").allInnerTexts(), said, "it continues after it was stopped");
});

table.test("analysis follows the board, and ends with the game", async (visit) => {
  const page = await study(visit, { players: 2 });
  await page.locator("#lines").fill("2");
  await page.locator("#analyse").click();
  await page.waitForFunction(() => document.querySelectorAll(".analyst .lines li").length === 2);
  const first = await page.locator(".analyst .lines button").first().getAttribute("data-move");
  // The order of nearly equal lines may change before the click.
  await page.locator(`.analyst .lines button[data-move="${first}"]`).first().click();
  await turnsShown(page, 1);
  assert.deepEqual((await gameOf(page)).moves, [first]);
  const { moves } = await stateOf(table.server, page);
  const legal = moves.map(({ move }) => move);
  await page.waitForFunction((known) => {
    const lines = [...document.querySelectorAll(".analyst .lines button")].map((line) => line.dataset.move);
    return lines.length === 2 && lines.every((line) => known.includes(line));
  }, legal);
  // The search of the position before ends. Its moves may be legal in this one, too.
  await searchesRun(1);
  await page.locator("#tab-play").click();
  await searchesRun(0);
});

table.test("a page that is closed leaves no search behind", async (visit) => {
  const page = await study(visit, { players: 2 });
  await page.locator("#analyse").click();
  await page.locator(".analyst .lines li").first().waitFor();
  await page.close();
  await searchesRun(0);
});

table.test("cards are chosen by hand, of those that are left", async (visit) => {
  const page = await study(visit, { players: 2 });
  await page.locator('.lit[data-square="1"]').click();
  const cards = page.locator("#choices button");
  await cards.first().waitFor();
  const { cards: left } = await stateOf(table.server, page);
  assert.deepEqual(await cards.allInnerTexts(), left.map(({ words, number }) => `${words} × ${number}`));
  await page.locator('#choices [data-card="+half"]').click();
  await page.waitForFunction(() => document.querySelector(".turn.here")?.dataset.words === "1 +half");
  assert.deepEqual((await gameOf(page)).moves, ["1", "+half"]);
  assert.ok(await page.locator("#choices").isHidden());

  await page.locator("#go-back").click();
  await page.waitForFunction(() => !document.querySelector(".turn.here"));
  await page.locator('.lit[data-square="1"]').click();
  await page.locator('#choices [data-card="+restore"]').click();
  await page.waitForFunction(() => document.querySelector(".turn.here")?.dataset.words === "1 +restore");
  assert.deepEqual(await wordsOf(page.locator(".variations .turn")), ["1 +half"]);
});

for (const [width, height] of [[360, 740], [1400, 900]]) {
  table.test(`the cards to choose from come into view, and then the board, at ${width} by ${height}`, async (visit) => {
    const page = await study(visit, { players: 2 }, { width, height, language: "de" });
    // The panels are longer than the window.
    await text(page).evaluate((box) => { box.style.height = "70rem"; });
    await page.locator('.lit[data-square="1"]').click();
    await inView(page, "#choices");
    await page.locator('#choices [data-card="+half"]').click();
    await page.locator('.turn[data-words="1 +half"]').waitFor();
    await inView(page, ".board");
  });
}

table.test("a position can be set up as text, and a wrong one gives an error message", async (visit) => {
  const page = await study(visit, { players: 2 }, { expected: [/status of 400/] });
  const position = "20,30,1/35,12,2 2 - -";
  await text(page).fill(position);
  await page.getByRole("button", { name: "Set up", exact: true }).click();
  await page.waitForFunction(() => document.querySelector('.piece[data-piece="1"]').dataset.square === "35");
  assert.equal((await stateOf(table.server, page)).position, position);
  assert.match(await page.locator("#status").innerText(), /^Human 2: choose a square/);

  const before = await look(page);
  await text(page).fill("20,30,1/999,12,2 2 - -");
  await page.getByRole("button", { name: "Set up", exact: true }).click();
  await page.locator("#trouble:not([hidden])").waitFor();
  assert.match(await page.locator("#trouble").innerText(), /999/);
  assert.deepEqual(await look(page), before);
});

table.test("a race is set up by clicks", async (visit) => {
  const page = await study(visit, { players: 2 });
  const row = (number) => page.locator("#panel-study label").filter({ has: page.locator(`input[type=radio][value="${number - 1}"]`) });
  await page.locator("#set-up").click();
  await page.locator('.square[data-square="25"]').click();
  await row(1).getByRole("spinbutton", { name: "carrots" }).fill("41");
  await row(1).getByRole("checkbox").check();
  await row(2).getByRole("radio").check();
  await page.locator('.square[data-square="26"]').click();
  await row(2).getByRole("spinbutton", { name: "lettuces" }).fill("1");
  await page.getByRole("combobox", { name: "To move" }).selectOption("2");
  await page.locator("#apply-position").click();
  await page.waitForFunction(() => document.querySelector(".seat:nth-child(2).at-turn"));
  assert.equal((await stateOf(table.server, page)).position, "25,41,3!/26,68,1 2 - -");
  assert.ok(await page.locator(".lit").count() > 0, "the game continues from there");
});

table.test("an unfinished position is shown on the board", async (visit) => {
  const page = await study(visit, { players: 2 });
  await page.locator("#set-up").click();
  await page.locator('.square[data-square="12"]').click();
  await page.waitForFunction(() => document.querySelector('.piece[data-piece="0"]').dataset.square === "12");
  await page.locator("#set-up").click();
  await page.waitForFunction(() => document.querySelector('.piece[data-piece="0"]').dataset.square === "0");

  await page.locator("#set-up").click();
  await page.locator('.square[data-square="12"]').click();
  await page.locator("#tab-play").click();
  await page.waitForFunction(() => document.querySelectorAll(".lit").length > 0, null);
  assert.ok((await look(page)).pieces.includes("0@0"), "leaving the study discards a position that was not applied");
});

table.test("Rabbits and Wolves is set up by clicks, and its outcomes are exact", async (visit) => {
  const page = await study(visit, { variant: "fox-and-hounds" });
  await page.locator("#set-up").click();
  await page.locator("#panel-study input[type=radio]").nth(0).check();
  await page.locator('.square[data-square="20"]').click();
  await page.locator("#apply-position").click();
  await page.waitForFunction(() => document.querySelector('.piece[data-piece="0"]').dataset.square === "20");

  await page.locator("#exact").click();
  await page.locator("#exact + div li").first().waitFor();
  const { moves } = await post(table.server, "solved", { game: await gameOf(page) });
  const lengthOf = (count) => (count === 1 ? "1 move" : `${count} moves`);
  const expected = moves.map(({ move, wins, plies }) => `rabbit ${move.slice(0, 2)} to ${move.slice(2)}: Human ${wins} wins in ${lengthOf(Math.ceil(plies / 2))}`);
  assert.deepEqual(await page.locator("#exact + div li").allInnerTexts(), expected);
  await page.locator(".lit").first().click();
  await page.waitForFunction(() => !document.querySelector("#exact + div li"), null);
});

table.test("a study is one after a reload, too, and plays nothing on its own", async (visit) => {
  const page = await study(visit, { players: 2, seats: ["", "buxtehude~1"] });
  await page.locator('.lit[data-square="1"]').click();
  await page.locator("#choices button").first().waitFor();
  await page.reload();
  await page.locator("#choices button").first().waitFor();
  assert.equal(await page.locator("#tab-study").getAttribute("aria-selected"), "true");
  assert.deepEqual((await gameOf(page)).moves, ["1"]);
});

table.test("a move that ends the game has won, and does not win in 0 moves", async (visit) => {
  for (const [language, expected] of [["en", "Human 1 has won"], ["de", "Mensch 1 hat gewonnen"]]) {
    const start = encodeURIComponent("8/6F1/8/8/8/8/1h1h1h1h/8 w - - 0 1");
    const page = await visit({ hash: `#v=fox-and-hounds&n=2&s=${start}&m=&at=0&p=**`, language });
    await page.locator("#tab-study").click();
    await page.locator("#exact").click();
    await page.locator('#exact + div li[data-move="g7h8"]', { hasText: expected }).waitFor();
  }
});

table.test("exact outcomes are offered only where there are any", async (visit) => {
  const page = await study(visit, { players: 2 });
  assert.ok(await page.locator("#exact").isHidden());
});

three.test("a third analysis waits for its turn, and a hint and another game do not", async (visit) => {
  const page = await study(visit, { players: 2 });
  const choice = page.locator("#panel-study select").first();
  for (const name of ENGINES) {
    await choice.selectOption(name);
    await (name === "one" ? page.locator("#analyse") : page.getByRole("button", { name: "Add engine" })).click();
  }
  // Their requests may arrive in another order.
  await page.locator(".analyst .note", { hasText: "1 ahead in the queue" }).first().waitFor();
  const other = await page.context().newPage();
  await other.goto(three.server.url + linkTo({ players: 2, seats: ["one", ""] }));
  await other.locator(".lit").first().waitFor();
  await page.bringToFront();
  await page.locator("#advise").click();
  await page.locator("#comment", { hasText: "Hint: " }).waitFor();
  for (const analyst of await page.locator(".analyst").all()) await analyst.locator(".lines li").first().waitFor();
  assert.doesNotMatch(await page.locator("#panel-study").innerText(), /failed|in progress/);
});

table.test("an analysis goes with its position, and what it knew of it", async (visit) => {
  const page = await study(visit, { players: 2, moves: ["4", "9", "8"] });
  const lines = page.locator(".analyst .lines li");
  const steps = [
    async () => page.locator("#go-back").click(),
    async () => lines.first().locator("button").click(),
    async () => {
      await page.locator("#new-game").click();
      await page.getByRole("button", { name: "Start", exact: true }).click();
      await page.locator("#tab-study").click();
    },
  ];
  for (const step of steps) {
    await page.locator("#analyse").click();
    await lines.nth(2).waitFor();
    await page.locator("#analyse").click();
    assert.equal(await lines.count(), 3, "the end of an analysis leaves its lines");
    await step();
    await page.waitForFunction(() => !document.querySelector(".analyst, .seat .bar, .board .arrow"), null);
  }
});

hasty.test("a search takes no longer than the server admits", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, seats: ["buxtehude", ""] }) });
  await page.locator(".lit").first().waitFor();
  const values = (all) => all.map(({ value }) => value);
  assert.deepEqual(await page.locator("#thinking option").evaluateAll(values), ["100"]);
  await page.locator("#advise").click();
  await page.locator("#comment", { hasText: "Hint: " }).waitFor();
});

table.test("a server with too much to do is no engine's failure, in the reader's words", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, seats: ["", ""] }), language: "de", expected: [/429/] });
  const refusal = { ok: false, error: "18 long requests of this client", status: 429 };
  await page.route(/api\/(ai|analyse)/, (route) => route.fulfill({ status: 429, json: refusal }));
  const words = "Der Server hat zu viel zu tun. Versuche es gleich noch einmal.";
  await page.locator("#advise").click();
  await page.locator("#comment", { hasText: words }).waitFor();
  await page.locator("#tab-study").click();
  await page.locator("#analyse").click();
  await page.locator(".analyst .note", { hasText: words }).waitFor();
  assert.equal(await page.locator(".analyst .note").innerText(), words);
});
