// A game that no script of the page knows, the dice game of the engine's tests, is played with generic texts.

import assert from "node:assert/strict";
import {
  assertOver, awaited, byMouse, gameOf, hasten, linkTo, playOut, readCard, saidOf, stateOf, withTable,
} from "./common.mjs";

const table = withTable(["--seed", "8"]);
const LINK = linkTo({ variant: "ludo", players: 3, seats: ["", "buxtehude", ""] });

/** Closes cards until a person is to move. */
async function readCards(page) {
  while (await awaited(page) === "card") await readCard(page);
  assert.equal(await awaited(page), "move");
}

table.test("it is offered in the dialog of a new game, and begins with a roll", async (visit) => {
  const page = await visit();
  await page.locator("#new-game").click();
  const dialog = page.locator("dialog");
  await dialog.getByRole("combobox", { name: "Game" }).selectOption({ label: "ludo" });
  await dialog.getByRole("combobox", { name: "Players" }).selectOption("4");
  await dialog.getByRole("button", { name: "Start" }).click();
  const card = page.locator("dialog.card[open]");
  await card.waitFor();
  assert.match(await card.innerText(), /Human draws a card/);
  const shown = await card.locator(".card-front-side").innerText();
  await readCard(page);
  assert.equal(await awaited(page), "move");
  const { variant, players, moves } = await gameOf(page);
  assert.deepEqual([variant, players, moves.length], ["ludo", 4, 1]);
  assert.ok(shown.includes(moves[0]) && shown.includes("as far as the die says"), `${shown} does not show ${moves[0]}`);
});

table.test("people and an engine play it to its end", async (visit) => {
  const page = await visit({ hash: LINK, isReady: false });
  await hasten(page);
  const made = await playOut(page, byMouse(table.server, page));
  assert.ok(made > 10, `people made only ${made} moves`);
  await assertOver(table.server, page);
  const { facts, places } = await stateOf(table.server, page);
  const home = facts.map(([{ label, value }]) => `${value} ${label}`);
  assert.deepEqual(await page.locator(".seat .holding").allInnerTexts(), home);
  const medals = (await page.locator(".medal").allInnerTexts()).map((text) => text.slice(0, 3));
  assert.deepEqual(medals, places.map((place) => ["1st", "2nd", "3rd"][place - 1]));
  for (const text of await saidOf(page)) assert.match(text, /^(card: \+[1-6]|pawn \d+ to \d+ .*(card: \+[1-6]|place))$/);
});

for (const [language, expected] of [
  ["en", [
    "card: +5", "pawn 0 to 5 Human 2: card: +5", "pawn 0 to 5 Human 1: pawn 5 to 0 Human 1: card: +2",
    "pawn 0 to 2 Human 2: card: +1",
  ]],
  ["de", [
    "Karte: +5", "pawn von 0 auf 5 Mensch 2: Karte: +5", "pawn von 0 auf 5 Mensch 1: pawn von 5 auf 0 Mensch 1: Karte: +2",
    "pawn von 0 auf 2 Mensch 2: Karte: +1",
  ]],
]) {
  table.test(`the list of moves says where each led and whom it threw back, in ${language}`, async (visit) => {
    const moves = ["+5", "p0", "+5", "p0", "+2", "p0", "+1"];
    const page = await visit({ hash: linkTo({ variant: "ludo", players: 2, moves }), language });
    assert.deepEqual(await saidOf(page), expected);
  });
}

table.test("the last move says that a pawn is home, and both places", async (visit) => {
  const start = encodeURIComponent("19,21/16,20 1 - -");
  const page = await visit({ hash: `#v=ludo&n=2&s=${start}&m=${encodeURIComponent("+4_p19")}&at=2&p=*` });
  assert.deepEqual(await saidOf(page), ["card: +4", "pawn 19 to 21 +1 home 1st place Human 2: 2nd place"]);
  const said = ["Human 1 wins!", "The game is over. Human 1: pawn 19 to 21: +1 home, 1st place, Human 2: 2nd place"];
  assert.deepEqual(await page.locator("#status span").allInnerTexts(), said);
});

table.test("its squares and pieces are drawn and named, and its moves can be taken back", async (visit) => {
  const page = await visit({ hash: LINK, isReady: false });
  await readCards(page);
  const numbers = (await page.locator(".board .field-number").allTextContents()).map(Number);
  assert.deepEqual(numbers.sort((one, other) => one - other), Array.from({ length: 22 }, (_, square) => square));
  assert.equal(await page.locator(".board circle.piece-body").count(), 6);
  const target = page.locator(".lit").first();
  assert.match(await target.getAttribute("aria-label"), /^square \d+ \(way\)/);
  const { moves } = await gameOf(page);
  await target.click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length > 1);
  await readCards(page);
  await page.locator("#undo").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 1);
  assert.deepEqual((await gameOf(page)).moves, moves);
});

table.test("it is studied: rolls are chosen by hand, and positions set up as text", async (visit) => {
  const page = await visit({ hash: linkTo({ variant: "ludo", players: 2, moves: ["+5", "p0"] }), isReady: false });
  await readCards(page);
  await page.locator("#tab-study").click();
  assert.ok(await page.locator("#set-up").isHidden(), "clicks cannot set up a position whose notation is not known");
  const position = "0,15/16,20 2 - -";
  await page.locator("#panel-study textarea").fill(position);
  await page.getByRole("button", { name: "Set up", exact: true }).click();
  const rolls = page.locator("#choices button");
  await page.waitForFunction(() => document.querySelectorAll("#choices button").length === 6);
  assert.deepEqual(await rolls.allInnerTexts(), [1, 2, 3, 4, 5, 6].map((face) => `+${face} × 1`));
  await rolls.nth(4).click();
  await page.locator('.lit[data-square="21"]').click();
  // Both pawns reach the goal.
  await page.locator('dialog button[value="p16"]').click();
  await page.waitForFunction(() => document.querySelector('.piece[data-piece="3"]').dataset.square === "21");
  assert.deepEqual((await gameOf(page)).moves, ["+5", "p16"]);
});
