// Conveniences of the page: animation, the size of the board, nothing lost by keys or reloads, and a server that goes away.

import assert from "node:assert/strict";
import { test } from "node:test";
import { join } from "node:path";
import {
  LONG_STATUS, awaited, engine, gameOf, launch, linkTo, litSquares, openPage, played, ready, serve, withTable, wordsOf,
} from "./common.mjs";

const binary = process.env.TABLE_BINARY;
const liar = join(import.meta.dirname, "../../../crates/matches/tests/engines/engine.sh");
const table = withTable([
  "--seed", "9", "--ready", "2000", "--games", join(import.meta.dirname, "games.jsonl"),
  ...engine("broken", "/bin/false"), ...engine("buxtehude", binary, "engine"),
  ...engine("single", "/bin/sh", liar, "echo bestmove nonsense"),
]);
const WOLVES = linkTo({ variant: "fox-and-hounds", moves: ["e1d2", "h8g7", "d2e1"] });
const GONE = [/ERR_CONNECTION_REFUSED|ERR_FAILED|Failed to load|ERR_INCOMPLETE|ERR_EMPTY/];

const boxOf = (page, selector) => page.locator(selector).first().boundingBox();
const trouble = (page) => page.locator("#trouble").innerText();

// --- The board ---

table.test("one wolf moves when one wolf moves", async (visit) => {
  const page = await visit({ hash: WOLVES, motion: "no-preference" });
  await page.evaluate(() => {
    window.animated = [];
    const { animate } = Element.prototype;
    Element.prototype.animate = function record(...given) {
      window.animated.push(this.dataset.square);
      return animate.apply(this, given);
    };
  });
  await page.locator('.square[data-square="54"]').click();
  await page.locator('.lit[data-square="45"]').click();
  await page.locator('.turn[data-words="g7f6"]').waitFor();
  assert.deepEqual(await page.evaluate(() => window.animated), ["54"]);
  await page.waitForFunction(() => document.querySelectorAll(".trail").length === 1);
});

table.test("a click on a wolf shows its moves alone, and squares have coordinates", async (visit) => {
  const page = await visit({ hash: WOLVES });
  const lit = () => page.locator(".lit").evaluateAll((all) => all.map(({ dataset }) => Number(dataset.square)).sort((one, other) => one - other));
  const all = await lit();
  await page.locator('.square[data-square="54"]').click();
  assert.deepEqual(await lit(), [45, 47]);
  await page.locator('.square[data-square="54"]').click();
  assert.deepEqual(await lit(), all);
  const numbers = await page.locator(".field-number").allTextContents();
  assert.deepEqual(numbers.sort(), [..."12345678abcdefgh"]);
  const labels = await page.locator(".square").evaluateAll((squares) => squares.map((square) => square.getAttribute("aria-label")));
  for (const label of labels) assert.doesNotMatch(label, /; ;|; $/);
});

table.test("a choice between two wolves names their squares", async (visit) => {
  const page = await visit({ hash: linkTo({ variant: "fox-and-hounds", moves: ["e1d2"] }) });
  await page.locator('.lit[data-square="50"]').click();
  const choices = await page.locator("dialog .choices button[value], dialog.choices button[value]").allInnerTexts();
  assert.deepEqual(choices, ["wolf on b8", "wolf on d8", "Cancel"]);
  await page.keyboard.press("Escape");
});

table.test("markers never vanish: their colour stays the same while they pulse", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2 }), motion: "no-preference" });
  const strokes = await page.evaluate(() => {
    const field = document.querySelector(".lit .field");
    const [pulse] = field.getAnimations();
    pulse.pause();
    return [0, 450, 900].map((time) => {
      pulse.currentTime = time;
      const { stroke, strokeOpacity } = getComputedStyle(field);
      return [stroke, Number(strokeOpacity) >= 0.4];
    });
  });
  assert.deepEqual(strokes, Array(3).fill([strokes[0][0], true]));
});

for (const [width, height] of [[360, 740], [844, 390], [800, 1100], [1400, 900], [1920, 1080]]) {
  table.test(`the board is whole and large at ${width} by ${height}, and its numbers are legible`, async (visit) => {
    const page = await visit({ hash: linkTo({ players: 6 }), width, height, language: "de" });
    const board = await boxOf(page, ".board svg");
    assert.ok(board.width <= width && board.height <= height && board.y + board.height <= height + 1, JSON.stringify(board));
    if (width > height) assert.ok(board.y + board.height > 0.7 * height, `the lower part of the window is empty: ${JSON.stringify(board)}`);
    const px = await page.evaluate(() => {
      const text = document.querySelector(".field-number");
      return parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a;
    });
    assert.ok(px >= 9.5, `numbers have ${px} px`);
    const hare = await boxOf(page, ".piece-body");
    assert.ok(hare.height >= 24, `one of six hares has ${hare.height} px`);
    const covered = await page.evaluate(() => {
      const boxOf = (node) => node.getBoundingClientRect();
      const middleOf = ({ x, y, width, height }) => [x + width / 2, y + height / 2];
      const start = boxOf(document.querySelector(".field-number"));
      for (const part of document.querySelectorAll(".piece *")) part.style.pointerEvents = "auto";
      return [...document.querySelectorAll(".piece")].filter((piece) => {
        const body = boxOf(piece.querySelector(".piece-body"));
        const top = document.elementFromPoint(...middleOf(boxOf(piece.querySelector(".piece-name"))));
        return !piece.contains(top) || (body.left < start.right && body.top < start.bottom);
      }).length;
    });
    assert.equal(covered, 0, "hares cover the start's number or each other's");
    const controls = await boxOf(page, ".stage .controls");
    assert.ok(controls.y >= board.y + board.height, "the buttons cover the board");
    const isAbove = await page.evaluate(() => {
      const [piece, number] = [".piece", ".field-number"].map((selector) => document.querySelector(selector));
      return Boolean(piece.compareDocumentPosition(number) & Node.DOCUMENT_POSITION_FOLLOWING);
    });
    assert.ok(isAbove, "a hare hides the number of its square");
  });
}

for (const [width, height] of [[360, 740], [740, 360], [844, 390]]) {
  table.test(`a long status leaves the whole board above the buttons at ${width} by ${height}`, async (visit) => {
    for (const language of ["en", "de"]) {
      const page = await visit({ hash: LONG_STATUS, width, height, language });
      await page.locator(".lit").first().waitFor();
      const parts = ["#status", ".board svg", ".stage .controls"].map((part) => boxOf(page, part));
      const [status, board, controls] = await Promise.all(parts);
      const isFree = board.y >= status.y + status.height && board.y + board.height <= controls.y;
      assert.ok(isFree, JSON.stringify([status, board, controls]));
      const read = await page.locator("#status .last").evaluate((part) => {
        part.scrollTop = 10000;
        return part.scrollTop + part.clientHeight >= part.scrollHeight - 1;
      });
      assert.ok(read, "its end cannot be read");
    }
  });
}

for (const [width, height] of [[360, 740], [390, 844]]) {
  table.test(`all that a game needs is in one window of a phone, in this order, at ${width} by ${height}`, async (visit) => {
    const tops = new Set();
    for (const [players, hash] of [[2, linkTo({ players: 2 })], [4, linkTo({ players: 4 })], [6, linkTo({ players: 6 })], [2, LONG_STATUS]]) {
      for (const language of ["en", "de"]) {
        const page = await visit({ hash, width, height, language });
        await page.locator(".lit").first().waitFor();
        const parts = ["#seats", "#status", ".board", ".stage .controls", ".tabs"].map((part) => boxOf(page, part));
        const boxes = await Promise.all(parts);
        const ends = boxes.slice(1).map(({ y }) => y).concat(height + 1);
        const isApart = boxes.every((box, index) => box.y >= 0 && box.y + box.height <= ends[index] + 0.5);
        assert.ok(isApart, `${players} players, ${language}: ${JSON.stringify(boxes)}`);
        const seats = await page.locator(".seat").evaluateAll((all) => all.map((seat) => {
          const { right } = seat.getBoundingClientRect();
          const shown = [...seat.querySelectorAll(".held:not(.unseen), .medal")].map((one) => one.getBoundingClientRect());
          const [held, next] = [shown.at(-2), shown.at(-1)];
          return shown.every((one) => one.right <= right) && (held.right <= next.left + 1 || held.bottom <= next.top + 1 || next.bottom <= held.top + 1);
        }));
        assert.deepEqual(new Set(seats), new Set([true]), `${players} players: what a seat holds is covered`);
        const names = await page.locator(".seat").evaluateAll((all) => all.map((seat) => seat.querySelector(".who").title));
        const heard = await page.locator(".seats").ariaSnapshot();
        for (const name of names) assert.ok(heard.includes(name), `${name} cannot be heard: ${heard}`);
        if (players < 6) tops.add(boxes[2].y);
      }
    }
    assert.equal(tops.size, 1, "the board moves");
  });
}

for (const [width, height] of [[844, 390], [1400, 900], [1920, 1080]]) {
  table.test(`seats have their whole names at ${width} by ${height}`, async (visit) => {
    const seats = ["", ...[1, 3, 7, 10, 20].map((level) => `buxtehude~${level}`)];
    for (const language of ["en", "de"]) {
      const page = await visit({ hash: linkTo({ players: 6, seats }), width, height, language });
      const cut = await page.locator(".who, .who b").evaluateAll((all) => all
        .filter((one) => one.scrollWidth > one.clientWidth || one.scrollHeight > one.clientHeight)
        .map((one) => one.textContent));
      assert.deepEqual(cut, []);
    }
  });

}

for (const [width, height] of [[360, 740], [844, 390], [1400, 900], [1920, 1080]]) {
  table.test(`words about a move cover no highlighted square at ${width} by ${height}`, async (visit) => {
    const late = `#v=hase-und-igel&n=2&s=${encodeURIComponent("30,90,3/36,68,3 1 - -")}&m=&at=0&p=*`;
    for (const hash of [linkTo({ players: 2 }), late, WOLVES]) {
      const page = await visit({ hash, width, height, language: "de" });
      for (const square of await litSquares(page)) {
        await page.locator(`.lit[data-square="${square}"]`).hover();
        const covered = await page.locator(".lit rect").evaluateAll((all) => {
          const tip = document.querySelector(".tip").getBoundingClientRect();
          return all.filter((one) => {
            const box = one.getBoundingClientRect();
            return box.left < tip.right && tip.left < box.right && box.top < tip.bottom && tip.top < box.bottom;
          }).length;
        });
        assert.equal(covered, 0, `the words about ${square} of ${hash}`);
      }
    }
  });
}

for (const [width, height] of [[360, 740], [844, 390], [1400, 900]]) {
  table.test(`a review fits at ${width} px, its items leave the board in view, and no move can be played there`, async (visit) => {
    const moves = await played(table.server, { players: 3, turns: 30 });
    const page = await visit({ hash: linkTo({ players: 3, moves }), width, height, language: "de" });
    await page.locator("#tab-review").click();
    assert.equal(await page.locator(".lit").count(), 0);
    await page.locator("#start-review").click();
    const item = page.locator("#review-body .lines button").last();
    await item.waitFor();
    const [whole, seen] = await page.locator("#review-body .scroll").evaluate((box) => [box.scrollWidth, box.clientWidth]);
    assert.ok(whole <= seen, `the table is ${whole} px wide in ${seen}`);
    await item.click();
    await page.locator(".board .arrow").first().waitFor();
    await page.waitForTimeout(100);
    const board = await boxOf(page, ".board svg");
    assert.ok(board.y >= -1 && board.y + board.height <= height + 1, JSON.stringify(board));
  });
}

table.test("the curve of a review is moved by keys", async (visit) => {
  const moves = await played(table.server, { players: 2, turns: 6 });
  const page = await visit({ hash: linkTo({ players: 2, moves }) });
  await page.locator("#tab-review").click();
  await page.locator("#start-review").click();
  await page.locator(".chart").focus();
  await page.keyboard.press("ArrowLeft");
  await page.waitForFunction(() => document.querySelector(".chart")?.getAttribute("aria-valuenow") === "5");
});

// --- Nothing is lost ---

table.test("the key n and Enter leave the game, and Back returns to it", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, moves: ["4"] }) });
  await page.keyboard.press("n");
  await page.keyboard.press("Enter");
  assert.deepEqual((await gameOf(page)).moves, ["4"], "Enter after n discards the game");
  // The first press closes the open list.
  await page.keyboard.press("Escape");
  await page.keyboard.press("Escape");
  await page.locator("dialog").waitFor({ state: "detached" });
  await page.locator("#new-game").click();
  assert.match(await page.locator("dialog").innerText(), /Back in the browser returns/);
  await page.locator("dialog .primary").click();
  await page.waitForFunction(() => document.querySelectorAll(".moves .turn").length === 0);
  await page.goBack();
  await page.locator('.turn[data-words="4"]').waitFor();
});

table.test("a language switch keeps variations, a reload keeps names and the thinking time", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, moves: ["4", "9"] }) });
  await page.locator("#thinking").selectOption("2000");
  await page.locator("#tab-study").click();
  await page.locator("#go-back").click();
  await page.waitForFunction(() => document.querySelector(".turn.here")?.dataset.words === "4");
  await page.locator('.lit[data-square="5"]').click();
  await page.locator(".variations .turn").waitFor();
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.waitForFunction(() => document.documentElement.lang === "de");
  await page.locator(".variations .turn").waitFor();
  assert.deepEqual(await wordsOf(page.locator(".moves .turn")), ["4", "5", "9"]);
  assert.equal(await page.locator("#thinking").inputValue(), "2000");

  await page.locator("#tab-library").click();
  await page.getByRole("button", { name: "games (1)" }).click();
  await page.getByRole("button", { name: /^Spiel 1:/ }).click();
  await page.locator("#tab-study[aria-selected=true]").waitFor();
  const names = await page.locator(".seat .who b").allInnerTexts();
  await page.reload();
  await ready(page);
  assert.deepEqual(await page.locator(".seat .who b").allInnerTexts(), names);
});

// --- Engines ---

table.test("the opponent is the first engine that works, at level 3", async (visit) => {
  const page = await visit();
  assert.match((await page.locator(".seat .who b").allInnerTexts()).join(), /buxtehude.*level 3/);
  await page.locator("#new-game").click();
  const select = page.locator(".seat-rows select").first();
  assert.match((await select.locator("option").allInnerTexts()).join(), /broken \(does not work\)/);
  await select.selectOption("buxtehude");
  assert.equal(await page.locator(".seat-rows select[aria-label]").first().inputValue(), "3");
  await page.keyboard.press("Escape");
  await page.locator("#tab-study").click();
  assert.deepEqual(await page.locator("#panel-study select option").allInnerTexts(), ["buxtehude", "single"]);
});

table.test("an engine without the option MultiPV is not asked for several lines", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2 }) });
  await page.locator("#tab-study").click();
  await page.locator("#panel-study select").first().selectOption("single");
  const asked = page.waitForRequest("**/api/analyse");
  await page.locator("#analyse").click();
  assert.deepEqual((await asked).postDataJSON().options, {});
  await page.waitForFunction(() => document.getElementById("analyse").textContent === "Analyse", null);
});

table.test("a link to a missing engine says so", async (visit) => {
  const page = await visit({ hash: linkTo({ seats: ["", "stranger"] }) });
  assert.match(await trouble(page), /no engine stranger here/);
});

table.test("the library tells results and lengths, and a study has the list of moves", async (visit) => {
  const page = await visit();
  await page.locator("#tab-library").click();
  await page.getByRole("button", { name: "games (1)" }).click();
  const entry = page.getByRole("button", { name: /^Game 1:/ });
  assert.match(await entry.innerText(), /1st .*2nd .*; \d+ moves/);
  await entry.click();
  await page.locator("#tab-study[aria-selected=true]").waitFor();
  assert.ok(await page.locator(".moves .turn").first().isVisible());
});

table.test("the rules begin with the game, not with engines", async (visit) => {
  const page = await visit();
  for (const path of ["rules", "regeln"]) {
    await page.goto(table.server.url + path);
    assert.doesNotMatch(await page.locator(".rules > p").first().innerText(), /engine|protocol|Programm/);
  }
});

// --- The server ---

table.test("a page whose requests are blocked says so, and goes on when they are not", async (visit) => {
  const page = await visit({ isReady: false, expected: GONE });
  await page.route("**/api/**", (route) => route.abort());
  await page.reload();
  await page.locator("#trouble:not([hidden])").waitFor();
  assert.match(await trouble(page), /does not answer/);
  await page.unroute("**/api/**");
  await ready(page);
  await page.locator(".lit").first().waitFor();
});

table.test("a change of the language without a server says so, and comes when it is back", async (visit) => {
  const page = await visit({ expected: GONE });
  const gone = (route) => route.abort();
  await page.route("**", gone);
  await page.getByRole("button", { name: "Deutsch" }).click();
  await page.locator("#trouble:not([hidden])").waitFor();
  assert.match(await trouble(page), /The server does not answer/);
  assert.ok(await page.locator(".lit").count() > 0, "the board is gone");
  await page.unroute("**", gone);
  await page.getByRole("button", { name: "English" }).waitFor();
});

for (const [language, expected] of [["en", /The server does not answer/], ["de", /Der Server antwortet nicht/]]) {
  test(`a move that no server answered is played when it is back, in ${language}`, async () => {
    const browser = await launch();
    let server = await serve(["--seed", "1"]);
    const { port } = new URL(server.url);
    try {
      const { page } = await openPage(browser, server.url, { hash: linkTo({ players: 2 }), language });
      await page.locator("#tab-study").click();
      await page.locator("#analyse").click();
      await page.locator(".analyst .lines li").first().waitFor();
      await server.end();
      await page.waitForFunction(() => /^Anal/.test(document.getElementById("analyse").textContent), null);
      await page.locator("#tab-play").click();
      await page.locator('.lit[data-square="4"]').click();
      await page.locator("#trouble:not([hidden])").waitFor();
      assert.match(await trouble(page), expected);
      await page.locator("#new-game").click();
      await page.locator("dialog .primary").click();
      await page.locator("dialog").waitFor({ state: "detached" });
      assert.match(await trouble(page), expected, "a new game fails silently");
      await page.locator('.lit[data-square="4"]').click();
      server = await serve(["--seed", "1"], Number(port));
      await page.locator('.turn[data-words="4"]').waitFor();
      assert.ok(await page.locator("#trouble").isHidden());
      assert.ok(["move", "card"].includes(await awaited(page)));
    } finally {
      await browser.close();
      await server.end();
    }
  });
}
