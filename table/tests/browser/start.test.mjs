// The start of the page: the usual opponents, the engines to choose from, and the seats of a link.

import assert from "node:assert/strict";
import { awaited, engine, gameOf, linkTo, stateOf, withTable, wordsOf } from "./common.mjs";

const binary = process.env.TABLE_BINARY;
const table = withTable(["--seed", "3", ...engine("first", binary, "engine"), ...engine("other", binary, "engine")]);

const namesOf = (page) => page.locator(".seat .who b").allInnerTexts();
const turnsOf = (page) => wordsOf(page.locator(".moves .turn"));
const seat = (page, number) => page.locator(`dialog .seat-rows label:nth-of-type(${number}) select`);

table.test("the usual opponents sit at the table, and answer a move", async (visit) => {
  const page = await visit();
  assert.equal(await page.locator(".piece").count(), 3);
  assert.deepEqual(await namesOf(page), ["Human", "first 2 (level 3)", "first 3 (level 3)"]);
  await page.locator('.lit[data-square="4"]').click();
  await page.locator('.turn[data-words="4"]').waitFor();
  while (await awaited(page) === "card") await page.locator("dialog.card button").click();
  const words = await turnsOf(page);
  assert.equal(words[0], "4");
  assert.ok(words.length >= 3, `the opponents have not moved: ${words}`);
});

table.test("the page is drawn before any script, and names all that will be imported", async (visit) => {
  const isPage = (request) => request.resourceType() === "document";
  const empty = await visit({
    isReady: false, expected: [/ERR_FAILED/], width: 390, height: 844,
    prepare: (page) => page.route("**", (route) => (isPage(route.request()) ? route.continue() : route.abort())),
  });
  await empty.waitForFunction(() => performance.getEntriesByName("first-contentful-paint").length === 1);
  const board = await empty.locator(".board").boundingBox();
  assert.ok(board.width > 300 && board.height > 300, JSON.stringify(board));

  const page = await visit();
  const [named, fetched] = await page.evaluate(() => {
    const links = [...document.querySelectorAll("link[rel=modulepreload], script[src]")];
    const scripts = performance.getEntriesByType("resource").filter(({ name }) => /\.js(on)?$/.test(name));
    return [links.map(({ href, src }) => href ?? src), scripts.map(({ name }) => name)].map((urls) => urls.toSorted());
  });
  assert.deepEqual(fetched, named);
});

table.test("the form of a new game offers the engines with their levels", async (visit) => {
  const page = await visit();
  await page.locator("#new-game").click();
  await page.getByRole("combobox", { name: "Players" }).selectOption("4");
  assert.deepEqual(await seat(page, 1).first().locator("option").allInnerTexts(), ["Human", "first", "other"]);
  await seat(page, 3).first().selectOption({ label: "Human" });
  const chosen = await page.locator(".seat-rows select:first-of-type").evaluateAll((all) => all.map(({ value }) => value));
  assert.deepEqual(chosen, ["", "first", "", "first"]);
  assert.equal(await seat(page, 2).last().inputValue(), "3");
  await seat(page, 4).first().selectOption("other");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll(".piece").length === 4);
  assert.deepEqual(await namesOf(page), ["Human 1", "first (level 3)", "Human 3", "other (level 3)"]);
});

table.test("a missing engine of a link is told, and a person sits in its place", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 3, moves: ["4"], seats: ["", "stranger", "other~5"] }) });
  await page.locator("#trouble:not([hidden])").waitFor();
  assert.match(await page.locator("#trouble").innerText(), /no engine stranger here/);
  assert.deepEqual(await namesOf(page), ["Human 1", "Human 2", "other (level 5)"]);
  assert.deepEqual((await gameOf(page)).moves, ["4"]);
  assert.equal((await stateOf(table.server, page)).turn.seat, 2);
});
