// Accessibility, also in small windows: no state of the page violates a rule of axe-core.

import assert from "node:assert/strict";
import { AXE, LONG_STATUS, awaited, linkTo, played, readCard, withTable } from "./common.mjs";

const table = withTable(["--seed", "1"]);
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
const MIN_TARGET = 24;

const WRONG = linkTo({ players: 2, moves: ["no move"] });
const CARD_DUE = linkTo({ players: 2, moves: ["1"] });
const TWO_MOVES = linkTo({
  variant: "fox-and-hounds",
  moves: "e1d2 b8a7 d2c3 a7b6 c3d4 b6c5 d4e5 f8e7 e5d6 d8c7 d6e5 h8g7 e5d6".split(" "),
});

/** Faults in a part of the page: axe's violations, targets that are too small, and horizontal scrolling. */
async function faultsOf(page, part) {
  if (!await page.evaluate(() => "axe" in window)) await page.evaluate(AXE);
  return page.evaluate(async ({ tags, least, within }) => {
    const { violations } = await window.axe.run(within, {
      runOnly: { type: "tag", values: tags }, resultTypes: ["violations"], preload: false,
    });
    const found = violations.flatMap(({ id, nodes }) => nodes.map(({ target, any, all }) =>
      `${id}: ${target.join(" ")}: ${[...any, ...all].map(({ message }) => message).join("; ").slice(0, 200)}`));
    const dialog = document.querySelector("dialog[open]");
    for (const target of (dialog ?? document).querySelectorAll("button, select, input, textarea, nav a, [role=button]")) {
      const { width, height } = target.getBoundingClientRect();
      if (width > 0 && Math.min(width, height) < least) {
        found.push(`target: ${target.outerHTML.slice(0, 90)} has ${width.toFixed(1)} by ${height.toFixed(1)} px`);
      }
    }
    const { scrollWidth, clientWidth } = document.scrollingElement;
    if (scrollWidth > clientWidth) found.push(`the page is ${scrollWidth} px wide in a window of ${clientWidth}`);
    for (const box of document.querySelectorAll("dialog[open], .tabs")) {
      const { scrollWidth: whole, clientWidth: seen } = box;
      if (whole > seen) found.push(`${box.tagName} ${box.className} is ${whole} px wide, but only ${seen} are visible`);
    }
    return found;
  }, { tags: RULES, least: MIN_TARGET, within: part });
}

/** Visits all states of the page, and calls `check` with each state's name and the part that has changed. */
async function goThrough(visit, check) {
  const page = await visit();
  await awaited(page);
  await check(page, "start");

  await page.locator("#new-game").click();
  await check(page, "dialog of a new game", "dialog");
  await page.keyboard.press("Escape");
  await page.locator("#reseat").click();
  await check(page, "dialog of the seats", "dialog");
  await page.keyboard.press("Escape");

  const moves = await played(table.server, { players: 4, turns: 16 });
  const game = await visit({ hash: linkTo({ players: 4, moves, seats: ["", "buxtehude~3"] }) });
  await awaited(game);
  await game.locator(".lit").first().hover();
  await check(game, "mid-game");
  await game.locator("#advise").click();
  await game.locator(".board .arrow").waitFor();
  await check(game, "a hint", ".stage");
  await game.locator("#tab-study").click();
  await game.locator("#analyse").click();
  await game.locator(".analyst .lines li").first().waitFor();
  await game.locator("#analyse").click();
  await check(game, "study", "aside");
  await game.locator("#set-up").click();
  await check(game, "a position being set up");
  await game.locator("#set-up").click();
  await game.locator("#tab-review").click();
  await game.locator("#start-review").click();
  await game.locator("#review-body table").waitFor();
  await check(game, "review", "aside");
  await game.locator("#tab-library").click();
  await check(game, "library", "aside");

  const over = await visit({ hash: linkTo({ players: 2, moves: await played(table.server, { players: 2, turns: Infinity }) }) });
  await over.locator("#ending").waitFor();
  await check(over, "the end of a game", "aside");

  const card = await visit({ hash: CARD_DUE, isReady: false });
  await card.locator("dialog.card[open]").waitFor();
  await check(card, "hare card", "dialog");
  await readCard(card);

  const wrong = await visit({ hash: WRONG, expected: [/status of 400/] });
  await wrong.locator("#trouble:not([hidden])").waitFor();
  await check(wrong, "a link that holds no game", ".stage");

  const long = await visit({ hash: LONG_STATUS });
  await long.locator(".lit").first().waitFor();
  await check(long, "a long status", ".stage");

  const wolves = await visit({ hash: TWO_MOVES });
  await wolves.locator('.lit[data-square="45"]').click();
  await check(wolves, "dialog of several moves", "dialog");
  await wolves.keyboard.press("Escape");
  await check(wolves, "Rabbits and Wolves", ".stage");
}

// German texts are longer, so most widths are tested with them; colours do not depend on the width.
const WINDOWS = [
  { width: 360, scheme: "light", language: "de" }, { width: 360, scheme: "dark", language: "en" },
  { width: 800, scheme: "dark", language: "de" }, { width: 1400, scheme: "light", language: "de" },
  { width: 844, height: 390, scheme: "light", language: "de" }, { width: 1920, height: 1080, scheme: "dark", language: "en" },
];

const RULES_PAGES = { en: "rules", de: "regeln" };

for (const window of WINDOWS) {
  const { width, scheme, language } = window;
  table.test(`the page is accessible at ${width} px, ${scheme}, in ${language}`, async (visit) => {
    const found = [];
    await goThrough((more) => visit({ height: 800, ...window, ...more }), async (page, state, part = "html") => {
      found.push(...(await faultsOf(page, part)).map((fault) => `${state}: ${fault}`));
    });
    const rules = await visit({ height: 800, ...window });
    await rules.goto(table.server.url + RULES_PAGES[language]);
    await rules.locator("svg").nth(2).waitFor();
    found.push(...(await faultsOf(rules, "html")).map((fault) => `rules: ${fault}`));
    assert.ok(found.length === 0, found.join("\n"));
  });
}
