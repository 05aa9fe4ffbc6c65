// Engines that fail during a game: the page reports it, and the game can continue.

import assert from "node:assert/strict";
import { join } from "node:path";
import { advise, awaited, clickMove, engine, linkTo, look, readCard, withTable } from "./common.mjs";

const binary = process.env.TABLE_BINARY;
const shaky = (goes) => ["/bin/sh", join(import.meta.dirname, "shaky.sh"), binary, String(goes)];
const liar = join(import.meta.dirname, "../../../crates/matches/tests/engines/engine.sh");

// With few processes, searches by another engine would restart the one that is to fail, which would count from 0 again.
const table = withTable([
  "--seed", "6", "--processes", "8",
  ...engine("buxtehude", binary, "engine"), ...engine("shaky", ...shaky(2)), ...engine("lost", ...shaky(0)),
  ...engine("liar", "/bin/sh", liar, "echo bestmove nonsense"),
]);
const SERVER_FAILED = [/status of 50\d/];

const turns = async (page) => (await look(page)).moves.length;

/** Makes the person's moves until the page reports a failed engine; returns the number of turns until then. */
async function playToFailure(page) {
  for (;;) {
    const what = await awaited(page);
    if (what === "trouble") return turns(page);
    if (what === "card") await readCard(page);
    else await clickMove(page, await advise(table.server, page));
    assert.notEqual(what, "over", "the engine did not fail");
  }
}

table.test("after a crash the same engine can be asked again, and the game continues", async (visit) => {
  const page = await visit({ hash: linkTo({ seats: ["", "shaky"] }), expected: SERVER_FAILED });
  const before = await playToFailure(page);
  assert.equal(await page.locator('.turn[data-seat="2"]').count(), 2, "the engine was to fail at its third move");
  assert.match(await page.locator("#trouble").innerText(), /shaky failed/);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForFunction((count) => document.querySelectorAll(".moves .turn").length > count, before);
  assert.ok(await page.locator("#trouble").isHidden());
  assert.ok(await playToFailure(page) > before + 1, "the game went on until the next crash");
});

table.test("a person can move instead of an engine that always crashes", async (visit) => {
  const page = await visit({ hash: linkTo({ seats: ["", "lost"] }), expected: SERVER_FAILED });
  await playToFailure(page);
  await page.getByRole("button", { name: "Try again" }).click();
  await page.waitForFunction(() => !document.getElementById("trouble").hidden);
  await page.getByRole("button", { name: "Move by hand" }).click();
  assert.equal(await awaited(page), "move");
  assert.match(await page.locator(".seat .who b").nth(1).innerText(), /^Human/);
  const before = await turns(page);
  await clickMove(page, await advise(table.server, page));
  await page.waitForFunction((count) => document.querySelectorAll(".moves .turn").length > count, before);
});

table.test("an answer without a valid move counts as a failure, and other engines continue", async (visit) => {
  const page = await visit({ hash: linkTo({ seats: ["", "liar"] }), expected: SERVER_FAILED });
  await playToFailure(page);
  const said = await page.locator("#trouble").innerText();
  assert.match(said, /liar failed: .*nonsense/);
  await page.locator("#reseat").click();
  await page.locator("dialog label:nth-of-type(2) select").first().selectOption("buxtehude");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 2);
  assert.ok(await page.locator("#trouble").isHidden(), "the trouble is over");
});
