// Where the page is scrolled: what is chosen next to or below the board shows the board.

import assert from "node:assert/strict";
import { join } from "node:path";
import { inView, linkTo, played, withTable } from "./common.mjs";

const table = withTable(["--seed", "3", "--games", join(import.meta.dirname, "games.jsonl")]);

const click = (page, selector) => page.locator(selector).first().click();
const isScrolled = (page) => page.evaluate(() => scrollY > 0);

/** A game of three people, played to its end. */
const whole = async () => linkTo({ players: 3, moves: await played(table.server, { players: 3, turns: Infinity }) });

// What is done after the game of a link has been opened, and what it leads to.
const ACTIONS = {
  "a turn in the list of moves": [whole, async (page) => {
    await click(page, ".moves li:nth-last-child(9) .turn");
    await page.locator(".moves li:nth-last-child(9) .here").waitFor();
  }],
  "a line of an engine": [async () => linkTo({ players: 2 }), async (page) => {
    await click(page, "#tab-study");
    await click(page, "#analyse");
    await click(page, ".analyst .lines button");
    await page.locator(".moves .turn").waitFor();
  }],
  "a recorded game": [async () => "", async (page) => {
    await click(page, "#tab-library");
    await page.getByRole("button", { name: "games (1)" }).click();
    await page.getByRole("button", { name: /^Game 1:/ }).click();
    await page.locator('#tab-study[aria-selected="true"]').waitFor();
  }],
  "one's own game": [async () => linkTo({ players: 2 }), async (page) => {
    await click(page, '.lit[data-square="4"]');
    await page.locator(".moves .turn").waitFor();
    await click(page, "#tab-library");
    await click(page, "#my-games button");
    await page.locator('#tab-play[aria-selected="true"]').waitFor();
  }],
  "a rematch": [whole, async (page) => {
    await click(page, "#rematch");
    await page.locator("#ending").waitFor({ state: "hidden" });
  }],
};

for (const [width, height] of [[360, 740], [844, 390]]) {
  for (const [name, [hashOf, act]] of Object.entries(ACTIONS)) {
    table.test(`${name} brings the board into view at ${width} by ${height}`, async (visit) => {
      const page = await visit({ hash: await hashOf(), width, height });
      await page.evaluate(() => scrollTo(0, 10000));
      assert.ok(await isScrolled(page), "the page fits into the window");
      await act(page);
      for (const part of ["#status", ".board"]) await inView(page, part);
    });
  }
}

table.test("a tab at the bottom of a phone shows its panel, and Play the board", async (visit) => {
  const page = await visit({ hash: await whole(), width: 390, height: 844, touch: true });
  for (const key of ["study", "review", "library"]) {
    await page.locator(`#tab-${key}`).tap();
    await page.waitForFunction((id) => {
      const { top } = document.getElementById(id).getBoundingClientRect();
      return top >= 0 && top < innerHeight / 2;
    }, `panel-${key}`);
    await inView(page, ".tabs");
  }
  await page.locator("#tab-play").tap();
  for (const part of ["#seats", "#status", ".board"]) await inView(page, part);
});
