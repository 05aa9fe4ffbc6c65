// During a game: reloads, links, steps back and forth, variations, taking back moves, and changing seats.

import assert from "node:assert/strict";
import {
  advise, awaited, clickMove, gameOf, linkTo, litSquares, look, played, post, readCard, ready, withTable, wordsOf,
} from "./common.mjs";

const table = withTable(["--seed", "2"]);
const [FIRST, LAST] = ["#go-first", "#go-last"];

/** A link to a game of three people, and its moves. */
async function persons(turns = 12) {
  const moves = await played(table.server, { players: 3, turns });
  return { moves, hash: linkTo({ players: 3, moves }) };
}

const statusOf = (page) => page.locator("#status").innerText();
const here = (page) => wordsOf(page.locator(".turn.here"));

table.test("a reload and a second browser show the same position", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, seats: ["", "buxtehude~1"] }) });
  await awaited(page);
  for (let turn = 0; turn < 3; turn += 1) {
    await clickMove(page, await advise(table.server, page));
    while (await awaited(page) === "card") await page.locator("dialog.card button").click();
  }
  const before = await look(page);
  assert.ok(before.moves.length >= 6, "too few moves were made to tell positions apart");
  const lit = await litSquares(page);
  await page.reload();
  await ready(page);
  assert.deepEqual(await look(page), before);
  assert.deepEqual(await litSquares(page), lit);

  const other = await visit({ hash: new URL(page.url()).hash });
  await awaited(other);
  assert.deepEqual(await look(other), before);
});

table.test("a reload while a card is open keeps the move and the card", async (visit) => {
  const page = await visit({ hash: `#v=hase-und-igel&n=2&s=${encodeURIComponent("9,68,3/10,68,3 1 - -")}&m=&at=0&p=*` });
  await page.locator('.lit[data-square="14"]').click();
  await page.locator("dialog.card[open]").waitFor();
  await page.reload();
  await ready(page);
  const { moves: [move, card] } = await gameOf(page);
  assert.equal(move, "5");
  assert.match(card, /^\+/);
  assert.deepEqual((await wordsOf(page.locator(".moves .turn"))).slice(0, 1), [`5 ${card}`]);
});

table.test("the copied link leads to the same game", async (visit) => {
  const { hash, moves } = await persons();
  const page = await visit({ hash });
  await page.getByRole("button", { name: "Copy link" }).click();
  await page.locator("#panel-play output").getByText("Link copied").waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const other = await visit({ hash: new URL(copied).hash });
  assert.deepEqual((await gameOf(other)).moves, moves);
});

for (const [language, name, told] of [["en", "Copy link", /Copy the link from here/], ["de", "Link kopieren", /Kopiere den Link von hier/]]) {
  table.test(`without a clipboard, the link is shown and selected, in ${language}`, async (visit) => {
    const { hash } = await persons(4);
    // As under plain http with the name of a host.
    const prepare = (page) => page.addInitScript(() => Object.defineProperty(navigator, "clipboard", { value: undefined }));
    const page = await visit({ hash, language, prepare });
    await page.getByRole("button", { name }).click();
    const dialog = page.getByRole("dialog", { name });
    assert.match(await dialog.innerText(), told);
    assert.equal(await page.evaluate(() => getSelection().toString()), page.url());
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });
}

table.test("another link in the same window opens another game", async (visit) => {
  const { hash, moves } = await persons(4);
  const page = await visit();
  await page.evaluate((next) => { location.hash = next; }, hash);
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length > 0);
  assert.deepEqual((await gameOf(page)).moves, moves);
});

table.test("buttons and keys step through the moves, and every position is the server's", async (visit) => {
  const { hash, moves } = await persons();
  const page = await visit({ hash });
  const end = await look(page);
  await page.locator(FIRST).click();
  await page.waitForFunction(() => !document.querySelector(".turn.here"));
  const { first, steps } = await post(table.server, "show", { game: { variant: "hase-und-igel", players: 3, moves } });
  const squares = (pieces) => pieces.map(({ square }, piece) => `${piece}@${square}`).sort();
  assert.deepEqual((await look(page)).pieces, squares(first.pieces));

  const turns = await wordsOf(page.locator(".moves .turn"));
  let words = 0;
  for (const [index, turn] of turns.entries()) {
    await page.keyboard.press("ArrowRight");
    // By number, since two turns in a row may have the same words.
    await page.waitForFunction((at) => document.querySelectorAll(".moves .turn")[at].matches(".here"), index);
    words += turn.split(" ").length;
    assert.deepEqual((await look(page)).pieces, squares(steps[words - 1].pieces), `after ${turn}`);
  }
  assert.deepEqual(await look(page), end);
  await page.keyboard.press("Home");
  await page.waitForFunction(() => !document.querySelector(".turn.here"));
  await page.locator(LAST).click();
  await page.waitForFunction(() => document.querySelector(".moves li:last-child .here"));
  await page.locator(".moves .turn").nth(2).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn")[2].matches(".here"));
  assert.deepEqual(await look(page).then(({ pieces }) => pieces),
    squares(steps[turns.slice(0, 3).join(" ").split(" ").length - 1].pieces));
});

table.test("a reload at an earlier move stays there and keeps the later moves", async (visit) => {
  const page = await visit({ hash: (await persons()).hash });
  await page.locator("#go-back").click();
  await page.locator("#go-back").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn")[9].matches(".here"));
  const before = await look(page);
  await page.reload();
  await ready(page);
  assert.deepEqual(await look(page), before);
});

table.test("in a study, another move at an earlier position begins a variation, and both stay", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, moves: ["4", "9", "8"] }) });
  await page.locator("#tab-study").click();
  const main = await wordsOf(page.locator(".moves .turn"));
  await page.locator("#go-back").click();
  await page.locator("#go-back").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn")[0].matches(".here"));
  await page.locator('.lit[data-square="5"]').click();
  await page.waitForFunction(() => document.querySelector(".variations .turn"));
  assert.deepEqual(await wordsOf(page.locator(".moves li > .turn")), ["4", "5"]);
  assert.deepEqual(await wordsOf(page.locator(".variations .turn")), ["9"]);
  assert.deepEqual((await gameOf(page)).moves, ["4", "5"]);

  await page.locator(".variations .turn").click();
  await page.locator(LAST).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves li").length === 3);
  assert.deepEqual(await wordsOf(page.locator(".moves li > .turn")), main);
  assert.deepEqual(await wordsOf(page.locator(".variations .turn")), ["5"]);
});

table.test("after a reload, too, only the last turns are taken back, and only at the end of the line", async (visit) => {
  const moves = await played(table.server, { players: 2, turns: 6 });
  const page = await visit({ hash: linkTo({ players: 2, moves, seats: ["", "buxtehude~1"] }) });
  await awaited(page);
  await page.reload();
  await awaited(page);
  await page.locator("#go-back").click();
  await page.waitForFunction(() => document.getElementById("undo").disabled);
  await page.locator("#go-last").click();
  await page.waitForFunction(() => !document.getElementById("undo").disabled);
  await page.locator("#undo").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 4);
  const left = (await gameOf(page)).moves;
  assert.deepEqual(left, moves.slice(0, left.length));
});

table.test("taking back returns to the last turn of a person", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, seats: ["", "buxtehude~1"] }) });
  await awaited(page);
  const before = await look(page);
  await page.locator('.lit[data-square="4"]').click();
  await awaited(page);
  assert.ok((await look(page)).moves.length >= 2);
  await page.locator("#undo").click();
  await page.waitForFunction(() => document.querySelector(".lit") && !document.querySelector(".turn"));
  assert.deepEqual(await look(page), before);
  assert.ok(await page.locator("#undo").isDisabled(), "there is nothing left to be taken back");

  await page.locator('.lit[data-square="5"]').click();
  await awaited(page);
  await page.keyboard.press("u");
  await page.waitForFunction(() => document.querySelector(".lit") && !document.querySelector(".turn"));
});

table.test("seats can change during a game: an engine takes a seat, moves, and leaves it", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, moves: ["4"] }) });
  const seat = (number) => page.locator(`dialog label:nth-of-type(${number}) select`).first();
  await page.locator("#reseat").click();
  await seat(2).selectOption({ label: "buxtehude" });
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 2);
  assert.match(await page.locator(".seat .who b").nth(1).innerText(), /^buxtehude/);
  await awaited(page);

  await page.locator("#reseat").click();
  await seat(1).selectOption({ label: "buxtehude" });
  await seat(2).selectOption({ label: "Human" });
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 3);
  await awaited(page);
  assert.match(await statusOf(page), /^Human: choose a square/);

  await page.locator("#reseat").click();
  await seat(1).selectOption({ label: "Human" });
  await page.getByRole("button", { name: "Cancel" }).click();
  assert.match(await page.locator(".seat .who b").nth(0).innerText(), /^buxtehude/, "a dialog that is left changes nothing");
});

for (const [language, back, on] of [
  ["en", "Back to the game", "Continue from here"], ["de", "Zurück zum Spiel", "Von hier weiterspielen"],
]) {
  table.test(`an earlier position offers the way back to the game instead of moves, in ${language}`, async (visit) => {
    const moves = ["4", "9", "10"];
    const page = await visit({ hash: linkTo({ players: 2, moves, at: 2, seats: ["", "buxtehude~1"] }), language });
    assert.deepEqual(await here(page), ["9"]);
    assert.equal(await page.locator(".lit").count(), 0, "a tap would replace the moves that follow");
    const button = page.locator("#continue");
    assert.equal(await button.innerText(), back);
    await page.locator("#go-last").click();
    await page.waitForFunction((text) => document.getElementById("continue").textContent === text, on);
    await page.locator("#go-back").click();
    await page.waitForFunction((text) => document.getElementById("continue").textContent === text, back);
    await button.click();
    while (await awaited(page) === "card") await readCard(page);
    assert.deepEqual((await gameOf(page)).moves.slice(0, 3), moves);
    assert.ok((await gameOf(page)).moves.length > 3, "the engine does not continue");
  });
}

table.test("the dialog of a new game offers every variant with its numbers of players", async (visit) => {
  const page = await visit();
  const { variants } = await (await fetch(`${table.server.url}api/engines`)).json();
  await page.locator("#new-game").click();
  const [game, players] = [0, 1].map((index) => page.locator("dialog form > label select").nth(index));
  for (const variant of variants) {
    await game.selectOption(variant.name);
    assert.deepEqual(await players.locator("option").allInnerTexts(), variant.players.map(String));
    const most = variant.players.at(-1);
    await players.selectOption(String(most));
    assert.equal(await page.locator(".seat-rows label").count(), most);
  }
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
});
