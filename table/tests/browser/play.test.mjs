// Whole games: a person against an engine, by mouse and by keyboard alone, and a table of six.

import assert from "node:assert/strict";
import { advise, assertOver, awaited, byMouse, hasten, litSquares, playOut, withTable } from "./common.mjs";

const table = withTable();
const MAX_TABS = 60;

const seated = (page, players) =>
  page.waitForFunction((count) => document.querySelectorAll(".seat").length === count, players);

// --- By mouse ---

/** Starts a game by mouse; `persons` are the seats without an engine. */
async function beginByMouse(page, variant, players, persons, level = "1") {
  await page.locator("#thinking").selectOption("100");
  await page.locator("#new-game").click();
  const dialog = page.locator("dialog");
  await dialog.getByRole("combobox", { name: "Game" }).selectOption(variant);
  await dialog.getByRole("combobox", { name: "Players" }).selectOption(String(players));
  for (let seat = 1; seat <= players; seat += 1) {
    const isPerson = persons.includes(seat);
    const row = dialog.locator(`.seat-rows label:nth-of-type(${seat}) select`);
    await row.nth(0).selectOption({ label: isPerson ? "Human" : "buxtehude" });
    if (!isPerson) await row.nth(1).selectOption(level);
  }
  await dialog.getByRole("button", { name: "Start" }).click();
  await seated(page, players);
}

table.test("a game of Hase und Igel against an engine is played to its end by mouse", async (visit) => {
  const page = await visit();
  await beginByMouse(page, "hase-und-igel", 2, [1]);
  const made = await playOut(page, byMouse(table.server, page));
  assert.ok(made > 10, `a person made only ${made} moves`);
  await assertOver(table.server, page);
});

table.test("Rabbits and Wolves is played to its end by mouse, as the wolves", async (visit) => {
  const page = await visit();
  await beginByMouse(page, "fox-and-hounds", 2, [2]);
  assert.ok(await playOut(page, byMouse(table.server, page)) > 3);
  await assertOver(table.server, page);
});

table.test("a game of six with five engines reaches its end", async (visit) => {
  const page = await visit();
  await hasten(page);
  await beginByMouse(page, "hase-und-igel", 6, [4], "10");
  await playOut(page, byMouse(table.server, page));
  await assertOver(table.server, page);
  const medals = (await page.locator(".medal").allInnerTexts()).map((text) => text.slice(0, 3));
  assert.deepEqual(medals.sort(), ["1st", "2nd", "3rd", "4th", "5th", "6th"]);
});

// --- By keyboard alone ---

const hasFocus = (page, selector) => page.evaluate((wanted) => document.activeElement?.matches(wanted), selector);

/** Presses Tab until something has the focus. */
async function tabTo(page, selector) {
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    if (await hasFocus(page, selector)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`${selector} is not reached by Tab`);
}

/** Selects an option of the focused list with the arrow keys. */
async function chooseByKeys(page, value) {
  await page.keyboard.press("Home");
  for (let pressed = 0; pressed < MAX_TABS; pressed += 1) {
    if (await page.evaluate(() => document.activeElement.value) === value) return;
    await page.keyboard.press("ArrowDown");
  }
  assert.fail(`${value} is not reached by the arrow keys`);
}

async function beginByKeys(page, variant, engineSeat) {
  await tabTo(page, "#thinking");
  await chooseByKeys(page, "100");
  await tabTo(page, "#tab-play");
  await page.keyboard.press("n");
  assert.ok(await hasFocus(page, "dialog[open] *"), "the dialog has no focus");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  assert.ok(await hasFocus(page, "#tab-play"), "the focus is not back where it was");

  await page.keyboard.press("n");
  await tabTo(page, "dialog label:nth-of-type(1) select");
  await chooseByKeys(page, variant);
  await tabTo(page, "dialog label:nth-of-type(2) select");
  await chooseByKeys(page, "2");
  for (const seat of [1, 2]) {
    const isEngine = seat === engineSeat;
    await tabTo(page, `.seat-rows label:nth-of-type(${seat}) select`);
    await chooseByKeys(page, isEngine ? "buxtehude" : "");
    if (!isEngine) continue;
    await tabTo(page, `.seat-rows label:nth-of-type(${seat}) select[aria-label]`);
    await chooseByKeys(page, "1");
  }
  await tabTo(page, "dialog .primary");
  await page.keyboard.press("Enter");
  await page.locator("dialog").waitFor({ state: "detached" });
  await seated(page, 2);
}

/** Goes to a highlighted square with the arrow keys and chooses it; returns the number of Tabs needed to reach the board. */
async function moveByKeys(page) {
  const { move, square } = await advise(table.server, page);
  const stayed = await hasFocus(page, ".lit");
  if (!stayed) await tabTo(page, ".lit");
  const lit = await litSquares(page);
  for (let walked = 0; walked <= lit.length && !await hasFocus(page, `[data-square="${square}"]`); walked += 1) {
    await page.keyboard.press("ArrowRight");
  }
  await page.keyboard.press("Enter");
  if (await page.locator("dialog.choices, dialog .choices").count() === 0) return stayed;
  await tabTo(page, `dialog button[value="${move}"]`);
  await page.keyboard.press("Enter");
  return stayed;
}

const byKeys = (page, counted) => ({
  move: async () => {
    counted.moves += 1;
    if (await moveByKeys(page)) counted.stayed += 1;
  },
  card: async () => {
    if (await page.locator("dialog.card[open]").count()) await page.keyboard.press("Enter");
  },
});

async function playByKeys(visit, variant, engineSeat) {
  const page = await visit();
  await awaited(page);
  await beginByKeys(page, variant, engineSeat);
  const counted = { moves: 0, stayed: 0 };
  await playOut(page, byKeys(page, counted));
  await assertOver(table.server, page);
  assert.ok(counted.stayed >= counted.moves - 1, `the board kept the focus for ${counted.stayed} of ${counted.moves} moves`);
}

table.test("a game of Hase und Igel is played to its end by keyboard alone", (visit) =>
  playByKeys(visit, "hase-und-igel", 2));

table.test("Rabbits and Wolves is played to its end by keyboard alone, as the wolves", (visit) =>
  playByKeys(visit, "fox-and-hounds", 1));
