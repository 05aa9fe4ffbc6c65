// The start of the page: the game is there before the server has told its engines, and nothing is lost when it has.

import assert from "node:assert/strict";
import { awaited, engine, gameOf, linkTo, ready, stateOf, withTable, wordsOf } from "./common.mjs";

const binary = process.env.TABLE_BINARY;
const table = withTable(["--seed", "3", ...engine("first", binary, "engine"), ...engine("other", binary, "engine")]);

const namesOf = (page) => page.locator(".seat .who b").allInnerTexts();
const turnsOf = (page) => wordsOf(page.locator(".moves .turn"));
const seat = (page, number) => page.locator(`dialog .seat-rows label:nth-of-type(${number}) select`);

/** Opens a page whose server does not tell its engines; returns it with a function that ends this. */
async function early(visit, options = {}) {
  let release;
  const held = new Promise((resolve) => { release = resolve; });
  const prepare = (page) => page.route("**/api/engines", async (route) => {
    await held;
    await route.continue();
  });
  const page = await visit({ ...options, isReady: false, prepare });
  await page.locator(".piece").first().waitFor();
  const tell = async () => {
    release();
    await ready(page);
  };
  return { page, tell };
}

/** Makes a move for the seat to move. */
async function move(page, square) {
  const before = await page.locator(".moves .turn").count();
  await page.locator(`.lit[data-square="${square}"]`).click();
  await page.waitForFunction((count) => document.querySelectorAll(".moves .turn").length > count, before);
}

table.test("board, seats and buttons are there, and two people play", async (visit) => {
  const { page, tell } = await early(visit);
  assert.equal(await page.locator(".piece").count(), 3);
  assert.deepEqual(await namesOf(page), ["Human", "Opponent 2", "Opponent 3"]);
  for (const id of ["new-game", "undo", "advise", "reseat", "thinking", "tab-review"]) {
    assert.ok(await page.locator(`#${id}`).isVisible(), id);
  }
  assert.ok(await page.locator("#advise").isDisabled(), "a hint needs an engine");

  await page.locator("#new-game").click();
  await page.getByRole("combobox", { name: "Players" }).selectOption("2");
  await seat(page, 2).first().selectOption({ label: "Human" });
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll(".piece").length === 2);
  await move(page, 4);
  await move(page, 9);
  await page.locator(".lit").first().waitFor();

  const before = [await turnsOf(page), await namesOf(page), page.url()];
  await tell();
  assert.equal(await awaited(page), "move");
  assert.deepEqual([await turnsOf(page), await namesOf(page), page.url()], before);
  assert.deepEqual(before.slice(0, 2), [["4", "9"], ["Human 1", "Human 2"]]);
  assert.ok(await page.locator("#advise").isEnabled());
  await page.locator("#reseat").click();
  assert.deepEqual(await seat(page, 1).first().locator("option").allInnerTexts(), ["Human", "first", "other"]);
});

table.test("the usual opponents appear, answer the move that was made, and keep it", async (visit) => {
  const { page, tell } = await early(visit);
  await move(page, 4);
  assert.match(await page.locator("#status").innerText(), /Opponent 2 to move: the engines are loading/);
  assert.ok(await page.locator("#continue").isHidden(), "nobody can go on");
  await page.reload();
  await page.locator('.turn[data-words="4"]').waitFor();
  assert.deepEqual(await namesOf(page), ["Human", "Opponent 2", "Opponent 3"]);
  await tell();
  while (await awaited(page) === "card") await page.locator("dialog.card button").click();
  assert.deepEqual(await namesOf(page), ["Human", "first 2 (level 3)", "first 3 (level 3)"]);
  const words = await turnsOf(page);
  assert.equal(words[0], "4");
  assert.ok(words.length >= 3, `the opponents have not moved: ${words}`);
});

table.test("a form that is open gets the engines, and keeps what is chosen", async (visit) => {
  const { page, tell } = await early(visit);
  await page.locator("#new-game").click();
  await page.getByRole("combobox", { name: "Players" }).selectOption("4");
  await seat(page, 3).first().selectOption({ label: "Human" });
  assert.deepEqual(await seat(page, 2).first().locator("option").allInnerTexts(), ["Human", "Opponent"]);
  await tell();
  assert.equal(await page.getByRole("combobox", { name: "Players" }).inputValue(), "4");
  const chosen = await page.locator(".seat-rows select:first-of-type").evaluateAll((all) => all.map(({ value }) => value));
  assert.deepEqual(chosen, ["", "first", "", "first"]);
  assert.equal(await seat(page, 2).last().inputValue(), "3");
  await seat(page, 4).first().selectOption("other");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll(".piece").length === 4);
  assert.deepEqual(await namesOf(page), ["Human 1", "first (level 3)", "Human 3", "other (level 3)"]);
});

table.test("a move that is shown by a tap stays shown", async (visit) => {
  const { page, tell } = await early(visit, { touch: true });
  await page.locator('.lit[data-square="4"]').tap();
  const shown = await page.locator(".tip").innerText();
  await tell();
  assert.equal(await page.locator(".tip").innerText(), shown);
  await page.locator('.lit[data-square="4"]').tap();
  await page.locator('.turn[data-words="4"]').waitFor();
});

table.test("the seats of a link wait for their engines, and a missing one is told", async (visit) => {
  const { page, tell } = await early(visit, { hash: linkTo({ players: 3, moves: ["4"], at: 0, seats: ["", "stranger", "other~5"] }) });
  assert.deepEqual(await namesOf(page), ["Human", "stranger", "other (level 5)"]);
  await page.locator("#go-last").click();
  await page.waitForFunction(() => document.querySelector(".turn.here"));
  await tell();
  await page.locator("#trouble:not([hidden])").waitFor();
  assert.match(await page.locator("#trouble").innerText(), /no engine stranger here/);
  assert.equal(await awaited(page).catch(() => ""), "trouble");
  assert.deepEqual(await namesOf(page), ["Human 1", "Human 2", "other (level 5)"]);
  assert.deepEqual((await gameOf(page)).moves, ["4"]);
  assert.equal((await stateOf(table.server, page)).turn.seat, 2);
});
