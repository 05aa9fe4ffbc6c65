// Takes screenshots of the page for developers: `node screenshots.mjs FOLDER`, with the variables of `common.mjs`.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { awaited, launch, linkTo, openPage, played, serve } from "./common.mjs";

const [folder] = process.argv.slice(2);
assert.ok(folder, "expected a folder for the screenshots");
mkdirSync(folder, { recursive: true });
const WINDOWS = [[360, 740], [844, 390], [800, 1100], [1400, 900], [1920, 1080]];
const SCHEMES = ["light", "dark"];

const [server, browser] = await Promise.all([serve(["--seed", "5"]), launch()]);
const race = await played(server, { players: 4, turns: 30 });
const hunt = await played(server, { variant: "fox-and-hounds", players: 2, turns: 15 });
const three = await played(server, { players: 3, turns: 40 });

const analysed = async (page) => {
  await page.locator("#tab-study").click();
  await page.locator("#analyse").click();
  await page.waitForFunction(() => document.querySelectorAll(".board .arrow").length === 3);
  await page.locator("#analyse").click();
};
const SUBJECTS = [
  ["start", "", () => {}],
  ["mid-game", linkTo({ players: 4, moves: race, seats: ["", "buxtehude~3", "", ""] }), async (page) => {
    await page.locator(".lit").first().focus();
  }],
  ["card", linkTo({ players: 2, moves: ["1"] }), (page) => page.waitForTimeout(1200)],
  ["new-game", "", (page) => page.locator("#new-game").click()],
  ["study", linkTo({ players: 3, moves: three.slice(0, 14) }), analysed],
  ["set-up", linkTo({ players: 3, moves: three.slice(0, 14) }), async (page) => {
    await page.locator("#tab-study").click();
    await page.locator("#set-up").click();
  }],
  ["wolves", linkTo({ variant: "fox-and-hounds", moves: hunt }), analysed],
  ["review", linkTo({ players: 3, moves: three }), async (page) => {
    await page.locator("#tab-review").click();
    await page.locator("#start-review").click();
    await page.locator("#review-body table").waitFor();
  }],
  ["library", "", (page) => page.locator("#tab-library").click()],
];

for (const [name, hash, prepare] of SUBJECTS) {
  for (const [width, height] of WINDOWS) {
    for (const scheme of SCHEMES) {
      const { page, context } = await openPage(browser, server.url, { hash, width, height, scheme, isReady: name !== "card" });
      if (name !== "card") await awaited(page);
      await prepare(page);
      await page.screenshot({ path: join(folder, `${name}-${width}-${scheme}.png`), fullPage: width < 800 });
      await context.close();
    }
  }
}
for (const path of ["rules", "regeln"]) {
  const page = await browser.newPage({ viewport: { width: 800, height: 900 } });
  await page.goto(server.url + path);
  await page.locator("svg").first().waitFor();
  await page.screenshot({ path: join(folder, `${path}.png`), fullPage: true });
  await page.close();
}
await Promise.all([server.end(), browser.close()]);
