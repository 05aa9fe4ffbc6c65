// What a person is told: costs before a move, reasons against dark squares, moves in words, hints, comments, the end.

import assert from "node:assert/strict";
import {
  advise, awaited, byMouse, clickMove, fakeReview, gameOf, hasten, inView, launch, linkTo, openPage, played, playOut,
  readCard, saidOf, withTable,
} from "./common.mjs";

const table = withTable(["--seed", "7"]);
const CODES = /\b100[12]\b|\+(behind|draw|restore|half|free|show|give|shuffle)\b|(^|\s)-\d/;
const START = linkTo({ players: 2, seats: ["", "buxtehude~1"] });
const LATE = (position) => `#v=hase-und-igel&n=2&s=${encodeURIComponent(position)}&m=&at=0&p=*`;

const tip = (page) => page.locator(".tip");
const hint = (page) => page.locator("#hint").innerText();
const turns = (page) => page.locator(".moves .turn").count();

/** Opens a page in a browser with a finger. */
async function byTouch(body, options) {
  const browser = await launch();
  try {
    const { page, context, faults } = await openPage(browser, table.server.url, { ...options, touch: true });
    await body(page);
    assert.deepEqual(faults, []);
    await context.close();
  } finally {
    await browser.close();
  }
}

// --- Before a move ---

for (const [language, expected] of [["en", /to 4 \(three\)\ncost 10\ncarrots left 58/], ["de", /auf 4 \(Drei\)\nkostet 10\nKarotten danach 58/]]) {
  table.test(`a tap shows what a move costs and brings, a second one plays it, in ${language}`, () => byTouch(async (page) => {
    await awaited(page);
    const square = page.locator('.lit[data-square="4"]');
    await square.tap();
    assert.match(await tip(page).innerText(), expected);
    assert.match(await tip(page).innerText(), /\n(then in 1st place\nTap again to move|dann auf dem 1\. Platz\nTippe noch einmal, um zu ziehen)\.$/);
    assert.equal(await turns(page), 0, "the first tap plays nothing");
    await page.locator('.lit[data-square="2"]').tap();
    assert.match(await tip(page).innerText(), /2 \((carrot|Karotte)\)/);
    await square.tap();
    await square.tap();
    await page.locator('.turn[data-words="4"]').waitFor();
  }, { hash: START, width: 360, height: 740, language }));
}

table.test("the pointer and the keyboard show the same, and their first press plays", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2 }) });
  await page.locator('.lit[data-square="4"]').hover();
  const shown = await tip(page).innerText();
  assert.match(shown, /to 4 \(three\)/);
  await page.mouse.move(1, 1);
  assert.equal(await tip(page).count(), 0);
  await page.locator('.lit[data-square="3"]').focus();
  await page.keyboard.press("ArrowRight");
  assert.equal(await tip(page).innerText(), shown);
  await page.keyboard.press("Enter");
  await page.locator('.turn[data-words="4"]').waitFor();
});

for (const [start, square, place] of [
  ["64,9,0/64,2,0/62,20,0/30,20,2 3 1,2 -", 64, "then in 3rd place"],
  ["64,9,0/62,20,0/30,20,2 2 1 -", 64, "then in 2nd place"],
  ["4,0,3/0,68,3/0,68,3 1 - -", 0, "then in 1st place"],
]) {
  table.test(`a move to ${square} in ${start} leads to the place that the page names`, async (visit) => {
    const hash = `#v=hase-und-igel&n=${start.split("/").length}&s=${encodeURIComponent(start)}&m=&at=0&p=***`;
    const page = await visit({ hash });
    await page.locator(`.lit[data-square="${square}"]`).hover();
    assert.ok((await tip(page).innerText()).endsWith(place), await tip(page).innerText());
  });
}

const REASONS = [
  ["62,20,1/5,68,3 1 - -", 64, "64 needs no lettuces: you have 1", "64 verlangt, dass du keinen Salat hast: du hast 1"],
  ["62,90,0/5,68,3 1 - -", 64, "64 allows at most 10 carrots: you would have 87", "64 erlaubt höchstens 10 Karotten: du hättest 87"],
  ["5,30,3/6,68,3 1 - -", 6, "6: Human 2 stands there", "6: dort steht Mensch 2"],
  ["5,30,3/6,68,3 1 - -", 8, "8: a hedgehog is reached only by going back", "8: ein Igelfeld erreicht man nur rückwärts"],
  ["5,30,3/6,68,3 1 - -", 20, "20 costs 120 carrots: you have 30", "20 kostet 120 Karotten: du hast 30"],
  ["5,30,0/6,68,3 1 - -", 7, "7 is for eating a lettuce: you have none", "Auf 7 frisst man einen Salat: du hast keinen"],
  ["20,30,3/6,68,3 1 - -", 12, "12: hares go back only to a hedgehog", "12: rückwärts geht es nur auf einen Igel"],
  ["20,30,3/6,68,3 1 - -", 11, "11: only the nearest hedgehog is open, 19", "11: nur der nächste Igel ist erlaubt, 19"],
];

for (const [index, language] of ["en", "de"].entries()) {
  table.test(`a dark square says why it is not available, in ${language}`, async (visit) => {
    for (const [position, square, ...texts] of REASONS) {
      const page = await visit({ hash: LATE(position), language });
      await page.locator(`.square[data-square="${square}"]`).click();
      assert.equal(await tip(page).innerText(), texts[index], position);
      assert.equal(await hint(page), texts[index]);
      const label = await page.locator(`.square[data-square="${square}"]`).getAttribute("aria-label");
      assert.ok(label.includes(texts[index]) || label.includes("Human 2") || label.includes("Mensch 2"), label);
    }
  });
}

// --- Moves in words ---

for (const language of ["en", "de"]) {
  table.test(`moves, cards and lines are words, never codes, in ${language}`, async (visit) => {
    const moves = await played(table.server, { players: 3, turns: 60 });
    assert.ok(moves.some((word) => word.startsWith("+")) && moves.some((word) => word.startsWith("-")), "the game has too little in it");
    const page = await visit({ hash: linkTo({ players: 3, moves }), language });
    for (const text of await page.locator(".moves .turn").allInnerTexts()) assert.doesNotMatch(text, CODES);
    await page.locator("#go-first").click();
    await page.locator("#tab-study").click();
    await page.locator("#analyse").click();
    await page.locator(".analyst .pv span").first().waitFor();
    assert.doesNotMatch(await page.locator(".analyst .lines").innerText(), CODES);
    await page.locator("#analyse").click();
    assert.doesNotMatch(await page.locator("#status").innerText(), CODES);
  });
}

table.test("the list of moves shows what each turn cost and brought, and why", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, moves: ["7", "10", "0", "-2", "7", "+half"] }) });
  assert.deepEqual(await saidOf(page), [
    "to 7 (lettuce) −28", "to 10 (two) −55", "eats a lettuce +20 as 2nd", "back to 8 (hedgehog) +20",
    "to 14 (hare) −28 card: half of the carrots is lost −16",
  ]);
  assert.equal(await page.locator("#status .now").innerText(), "Human 2: choose a square");
  assert.equal(await page.locator("#status .last").innerText(), "Human 1: to 14 (hare): −28; card: half of the carrots is lost: −16");
});

for (const [language, two, expected] of [
  ["en", "(two)", "next turn brings 20 if in 2nd place then"],
  ["de", "(Zwei)", "bringt beim nächsten Zug 20, falls dann auf dem 2. Platz"],
]) {
  table.test(`a square with a number says when it pays, in ${language}`, async (visit) => {
    const page = await visit({ hash: linkTo({ players: 2 }), language });
    for (const square of await page.locator(".lit").all()) {
      await square.hover();
      const told = (await tip(page).innerText()).split("\n");
      assert.equal(told.includes(expected), told[0].includes(two), told.join("; "));
    }
  });
}

const HUNT = "fox-and-hounds";
const ENDS = [
  ["hase-und-igel", "62,10,0/5,68,3 1 - -", "2", [
    "to 64 (finish) −3 1st place Human 2: 2nd place", "auf 64 (Ziel) −3 1. Platz Mensch 2: 2. Platz",
  ]],
  [HUNT, "8/6F1/8/8/8/8/1h1h1h1h/8 w - - 0 1", "g7h8", [
    "rabbit g7 to h8, and has reached row 8 1st place Human 2: 2nd place",
    "Hase von g7 auf h8: Reihe 8 ist erreicht 1. Platz Mensch 2: 2. Platz",
  ]],
  [HUNT, "8/8/8/8/1h6/2h5/3h1h2/2F5 b - - 0 1", "c3b2", [
    "wolf c3 to b2, and the rabbit has no step left 1st place Human 1: 2nd place",
    "Wolf von c3 auf b2: der Hase hat keinen Schritt mehr 1. Platz Mensch 1: 2. Platz",
  ]],
  [HUNT, "8/8/8/8/8/2F5/8/h1h1h1h1 w - - 0 1", "c3b4", [
    "rabbit c3 to b4, and the wolves have no step left 1st place Human 2: 2nd place",
    "Hase von c3 auf b4: die Wölfe haben keinen Schritt mehr 1. Platz Mensch 2: 2. Platz",
  ]],
];

for (const [index, language] of ["en", "de"].entries()) {
  table.test(`the last move says why the game is over, and the places that it brought, in ${language}`, async (visit) => {
    for (const [variant, start, move, texts] of ENDS) {
      const hash = `#v=${variant}&n=2&s=${encodeURIComponent(start)}&m=${move}&at=1&p=*`;
      const page = await visit({ hash, language });
      assert.deepEqual(await saidOf(page), [texts[index]]);
    }
  });
}

table.test("a place is said once, not again after later moves", async (visit) => {
  const start = encodeURIComponent("64,9,0/31,20,1/20,44,2 2 1 -");
  const page = await visit({ hash: `#v=hase-und-igel&n=3&s=${start}&m=2_3&at=2&p=**` });
  assert.doesNotMatch((await saidOf(page)).join(), /place/);
  assert.equal((await saidOf(page)).length, 2);
});

for (const [language, paid, forced] of [
  ["en", "Human 1: +20 as 2nd, choose a square", "eats a lettuce: +10 as 1st"],
  ["de", "Mensch 1: +20 als 2., wähle ein Feld", "frisst einen Salat: +10 als 1."],
]) {
  table.test(`what a turn brings in any case is said before it, and a turn without a choice is a button, in ${language}`, async (visit) => {
    const page = await visit({ hash: LATE("10,68,3/15,68,3 1 - -"), language });
    const now = page.locator("#status .now");
    assert.equal(await now.innerText(), paid);
    assert.ok(await page.locator("#forced").isHidden());

    const eats = await visit({ hash: LATE("22,68,3!/15,68,3 1 - -"), language, width: 360, height: 740, touch: true });
    assert.equal(await eats.locator("#forced").innerText(), forced.replace(/^./, (letter) => letter.toUpperCase()));
    await eats.locator("#forced").tap();
    await eats.locator('.turn[data-words="0"]').waitFor();
    assert.ok(await eats.locator("#forced").isHidden());
  });
}

for (const [language, expected] of [["en", ["1 carrot", "1 lettuce", "68 carrots", "3 lettuces"]], ["de", ["1 Karotte", "1 Salat", "68 Karotten", "3 Salate"]]]) {
  table.test(`what a seat holds is read with its number, in ${language}`, async (visit) => {
    const page = await visit({ hash: LATE("10,1,1/15,68,3 1 - -"), language });
    assert.deepEqual(await page.locator(".held").evaluateAll((all) => all.map(({ title }) => title)), expected);
  });
}

table.test("a seat shows its place once one is ahead, and a chance only if an engine gives one", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 3 }) });
  assert.equal(await page.locator(".medal").count(), 0);
  await page.locator('.lit[data-square="4"]').click();
  await page.locator(".medal").first().waitFor();
  assert.deepEqual(await page.locator(".medal").allInnerTexts(), ["1st\nplace", "2nd\nplace", "2nd\nplace"]);
  assert.equal(await page.locator(".bar").count(), 0);
});

for (const scheme of ["light", "dark"]) {
  table.test(`squares to choose have the colour of the one who moves, in ${scheme}`, async (visit) => {
    const page = await visit({ hash: linkTo({ players: 3, moves: ["4"] }), scheme });
    const lit = page.locator(".lit .field").first();
    const mover = page.locator('[data-piece="1"] .piece-body');
    assert.equal(await lit.evaluate((one) => getComputedStyle(one).stroke), await mover.evaluate((one) => getComputedStyle(one).fill));
  });
}

// --- Cards ---

for (const [width, height] of [[844, 390], [740, 360], [360, 740]]) {
  table.test(`one's own card is closed by a finger at ${width} by ${height}`, () => byTouch(async (page) => {
    await page.locator("dialog.card[open]").waitFor();
    const { bottom, words } = await page.evaluate(() => {
      const [button, front, text] = ["button", ".card-front-side", ".card-front-side p"].map((one) =>
        document.querySelector(`dialog.card ${one}`).getBoundingClientRect());
      return { bottom: button.bottom, words: text.bottom < front.bottom && front.bottom < button.top };
    });
    assert.ok(bottom <= height, `the button ends at ${bottom} px`);
    assert.ok(words, "the card's words are not on it");
    await page.locator("dialog.card button").tap();
    await page.locator("dialog.card").waitFor({ state: "detached" });
  }, { hash: linkTo({ players: 2, moves: ["1"] }), width, height, language: "de", isReady: false }));
}

table.test("only an engine is thinking, not a person whose move is on its way", async (visit) => {
  const page = await visit({ hash: START });
  let go;
  const released = new Promise((resolve) => { go = resolve; });
  for (const path of ["play", "ai"]) {
    await page.route(`**/api/${path}`, async (route) => {
      await released;
      await route.continue();
    });
  }
  const status = page.locator("#status .now");
  await page.locator('.lit[data-square="4"]').click();
  await page.waitForFunction(() => !document.getElementById("skip").hidden);
  assert.equal(await status.innerText(), "Human to move");
  go();
  await page.waitForFunction(() => document.getElementById("status").textContent.includes("is thinking"));
  assert.match(await status.innerText(), /^buxtehude \(level 1\) is thinking …$/);
});

// --- Advice ---

table.test("a hint names a move and shows it as an arrow", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2 }) });
  await page.locator("#advise").click();
  await page.locator(".board .arrow").waitFor();
  assert.match(await page.locator("#comment").innerText(), /^Hint: to \d+ \(.*cost \d+/);
});

for (const [width, height] of [[360, 740], [844, 390], [1400, 900]]) {
  table.test(`a hint and a comment are in view with the whole board at ${width} by ${height}`, async (visit) => {
    const page = await visit({ hash: LATE("9,68,3/10,68,3 1 - -"), width, height, language: "de" });
    await fakeReview(page, 200, "4");
    const isInView = () => page.evaluate(() => {
      const [comment, board] = ["#comment", ".board svg"].map((one) => document.querySelector(one).getBoundingClientRect());
      const [x, top, bottom] = [comment.left + 8, comment.top + 4, comment.bottom - 4];
      const isOnTop = (y) => document.elementFromPoint(x, y)?.closest("#comment");
      const isBeside = comment.left >= board.right;
      const covered = isBeside ? 0 : Math.min(comment.bottom, board.bottom) - Math.max(comment.top, board.top);
      return isOnTop(top) && isOnTop(bottom) && covered < 4 && board.top >= 0 && board.bottom <= innerHeight;
    });
    await page.locator("#advise").click();
    await page.locator(".board .arrow").waitFor();
    assert.ok(await isInView(), "the hint");
    await page.locator('.lit[data-square="12"]').click();
    await page.getByRole("button", { name: "Zeigen" }).waitFor();
    assert.ok(await isInView(), "the comment");
  });
}

for (const [language, name] of [["en", "Close"], ["de", "Schließen"]]) {
  table.test(`a hint leaves the status in view on a phone on its side, and can be closed, in ${language}`, async (visit) => {
    const page = await visit({ hash: linkTo({ players: 2 }), width: 844, height: 390, language });
    for (const close of [(button) => button.click(), (button) => button.press("Enter")]) {
      await page.locator("#advise").click();
      await page.locator("#comment").getByText(/^(Hint|Tipp): /).waitFor();
      for (const part of ["#status", ".board", "#comment"]) await inView(page, part);
      await close(page.locator("#comment").getByRole("button", { name }));
      assert.ok(await page.locator("#comment").isHidden());
    }
  });
}

table.test("a costly move gets a comment with the better one, which can be switched off", async (visit) => {
  const page = await visit({ hash: LATE("9,68,3/10,68,3 1 - -") });
  await fakeReview(page, 200, "4");
  await page.locator('.lit[data-square="12"]').click();
  await page.locator("#comment:not([hidden])").waitFor();
  const said = await page.locator("#comment").innerText();
  assert.match(said, /Your move “to 12 \(three\)” lost 20\.0\s% of the points\. Better: to 13 \(carrot\)\./);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.locator('.arrow[data-rank="bad"]').waitFor();
  assert.equal(await page.locator(".arrow").count(), 2);
  await page.getByRole("button", { name: "Back to the game" }).click();
  await page.locator(".turn.here").waitFor();

  await page.locator("#comments").uncheck();
  const again = page.waitForRequest("**/api/review", { timeout: 1500 }).then(() => true, () => false);
  await page.locator('.lit[data-square="13"]').click();
  assert.equal(await again, false, "a search runs although comments are off");
  assert.ok(await page.locator("#comment").isHidden());
  await page.reload();
  assert.equal(await page.locator("#comments").isChecked(), false);
});

table.test("a good move gets no comment, although it pays only after many moves", async (visit) => {
  const page = await visit({ hash: LATE("23,16,1/62,100,1 1 - -") });
  const reviewed = page.waitForResponse("**/api/review");
  await page.locator('.lit[data-square="27"]').click();
  await (await reviewed).finished();
  await page.waitForTimeout(300);
  assert.ok(await page.locator("#comment").isHidden(), await page.locator("#comment").innerText());
});

table.test("a comment on a move of the last game does not come in the next", async (visit) => {
  const page = await visit({ hash: LATE("9,68,3/10,68,3 1 - -") });
  let begin;
  const hasBegun = new Promise((resolve) => { begin = resolve; });
  await fakeReview(page, 200, "4", hasBegun);
  await page.locator('.lit[data-square="12"]').click();
  await page.locator("#new-game").click();
  await page.getByRole("combobox", { name: "Game" }).selectOption("fox-and-hounds");
  await page.getByRole("button", { name: "Start", exact: true }).click();
  await page.waitForFunction(() => document.querySelectorAll(".piece").length === 5);
  const reviewed = page.waitForResponse("**/api/review");
  begin();
  assert.ok((await reviewed).ok());
  await page.waitForTimeout(300);
  assert.ok(await page.locator("#comment").isHidden());
});

table.test("a hint goes with its position: by a step, a move taken back, and a new game", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, moves: ["4", "9", "8"] }) });
  // There are hints at earlier positions, too.
  await page.locator("#tab-study").click();
  const newGame = async () => {
    await page.locator("#new-game").click();
    await page.getByRole("button", { name: "Start", exact: true }).click();
  };
  const steps = [() => page.locator("#go-back").click(), () => page.locator("#go-last").click(), () => page.keyboard.press("u"), newGame];
  for (const step of steps) {
    await page.locator("#advise").click();
    await page.locator("#comment", { hasText: "Hint: " }).waitFor();
    await step();
    await page.locator("#comment").waitFor({ state: "hidden" });
  }
});

table.test("a comment stays while engines answer and while it is shown, and goes with a step", async (visit) => {
  const page = await visit({ hash: START });
  await fakeReview(page, 200, "5");
  const comment = page.locator("#comment");
  await page.locator('.lit[data-square="4"]').click();
  await comment.waitFor();
  while (await awaited(page) === "card") await readCard(page);
  assert.ok(await turns(page) >= 2, "the engine has not moved");
  assert.match(await comment.innerText(), /Your move “to 4/);
  await page.getByRole("button", { name: "Show it" }).click();
  await page.locator('.arrow[data-rank="bad"]').waitFor();
  assert.match(await comment.innerText(), /Your move “to 4/);
  await page.locator("#go-last").click();
  await comment.waitFor({ state: "hidden" });
});

table.test("a comment on a move that was taken back does not come", async (visit) => {
  const page = await visit({ hash: LATE("9,68,3/10,68,3 1 - -") });
  let begin;
  const isTakenBack = new Promise((resolve) => { begin = resolve; });
  await fakeReview(page, 200, "4", isTakenBack);
  await page.locator('.lit[data-square="12"]').click();
  await page.locator(".moves .turn").waitFor();
  await page.locator("#undo").click();
  await page.locator(".moves .turn").waitFor({ state: "detached" });
  const reviewed = page.waitForResponse("**/api/review");
  begin();
  await reviewed;
  await page.waitForTimeout(300);
  assert.ok(await page.locator("#comment").isHidden());
});

// --- The end ---

table.test("a finished game shows places, skill and luck, the costliest moves, and a rematch", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, seats: ["", "buxtehude~1"] }) });
  await hasten(page);
  await page.locator("#comments").uncheck();
  await page.locator("#advise").waitFor();
  await playOut(page, byMouse(table.server, page));
  const ending = page.locator("#ending");
  await ending.locator(".chart").waitFor();
  assert.deepEqual((await ending.locator(".places li").allInnerTexts()).map((text) => text.slice(0, 3)), ["1st", "2nd"]);
  assert.equal(await ending.locator(".chart rect").count(), 4);
  const worst = ending.locator(".lines button");
  assert.ok(await worst.count() <= 3);
  for (const text of await worst.allInnerTexts()) assert.match(text, / · lost \d.* · better: /);
  if (await worst.count() > 0) {
    await worst.first().click();
    await page.locator('.arrow[data-rank="0"]').waitFor();
    await page.locator("#go-last").click();
  }
  await page.locator("#end-review").click();
  await page.locator("#review-body table").waitFor();
  await page.locator("#tab-play").click();
  await page.locator("#rematch").click();
  await page.waitForFunction(() => document.getElementById("ending").hidden);
  assert.match(await page.locator(".seat .who b").first().innerText(), /^buxtehude/, "another seat begins");
  while (await awaited(page) === "card") await readCard(page);
  await page.goBack();
  await page.waitForFunction(() => !document.getElementById("ending").hidden);
  assert.ok((await gameOf(page)).moves.length > 10, "the browser's button Back returns to the game before");
});

table.test("a game whose first move after a load ends it shows skill and luck", async (visit) => {
  const page = await visit({ hash: LATE("62,10,0/5,68,3 1 - -") });
  await page.locator('.lit[data-square="64"]').click();
  await page.locator("#ending .chart").waitFor();
});

table.test("a finished game tells how far its review is", async (visit) => {
  const page = await visit({ hash: LATE("62,10,0/5,68,3 1 - -") });
  await fakeReview(page, 0, "2");
  await page.locator('.lit[data-square="64"]').click();
  await page.locator("#ending").getByText("Reviewing move 1 of 1 …").waitFor();
});

table.test("a game without cards has skill, and no luck", async (visit) => {
  const start = encodeURIComponent("8/6F1/8/8/8/8/1h1h1h1h/8 w - - 0 1");
  const page = await visit({ hash: `#v=${HUNT}&n=2&s=${start}&m=&at=0&p=*` });
  await clickMove(page, { move: "g7h8", square: 63 });
  const ending = page.locator("#ending");
  await ending.locator(".chart").waitFor();
  assert.match(await ending.innerText(), /Skill[^]*Costliest moves\s+None\b/);
  await page.locator("#end-review").click();
  const heads = page.locator("#review-body thead th");
  assert.deepEqual(await heads.allInnerTexts(), ["Players", "skill", "others’ mistakes", "share"]);
  assert.deepEqual(await page.locator("#review-body h2").allInnerTexts(), ["Costliest moves"]);
  assert.doesNotMatch(await page.locator("body").innerText(), /luck/i);
});

table.test("a game that ends while the window gets another size shows skill and luck", async (visit) => {
  const page = await visit({ hash: LATE("62,10,0/5,68,3 1 - -"), motion: "no-preference" });
  const played = page.waitForResponse("**/api/play");
  await page.locator('.lit[data-square="64"]').click();
  await played;
  await page.setViewportSize({ width: 360, height: 740 });
  await page.locator("#ending .chart").waitFor();
});

table.test("the game is over at its end, and not at an earlier position", async (visit) => {
  const page = await visit({ hash: linkTo({ players: 2, moves: await played(table.server, { players: 2, turns: Infinity }) }) });
  const over = page.getByText("The game is over.");
  await page.locator("#ending h2", { hasText: "The game is over." }).waitFor();
  await page.locator("#go-back").click();
  await page.waitForFunction(() => /to move/.test(document.getElementById("status").textContent));
  assert.deepEqual(await over.filter({ visible: true }).allInnerTexts(), []);
  await page.locator("#go-last").click();
  await page.locator("#ending h2").first().waitFor();
});

// --- A whole game by someone who does not know the rules ---

table.test("after each move of a whole game by touch, the page has said what it cost, what it brought and where it led", () => byTouch(async (page) => {
  await hasten(page);
  await page.locator("#comments").setChecked(false);
  let tapped = 0;
  const move = async () => {
    const { square } = await advise(table.server, page);
    const target = page.locator(`.lit[data-square="${square}"]`);
    const before = await turns(page);
    await target.tap();
    const told = await tip(page).innerText();
    assert.match(told, /kostet|bringt|Einkommen|Karotten danach/, told);
    assert.match(told, /Platz/, told);
    assert.doesNotMatch(told, CODES);
    await target.tap();
    const choice = page.locator("dialog.choices button, dialog .choices button").first();
    if (await choice.count()) {
      assert.doesNotMatch(await choice.innerText(), CODES);
      await choice.tap();
    }
    await page.waitForFunction((count) => document.querySelectorAll(".moves .turn").length > count || document.querySelector("dialog.card"), before);
    tapped += 1;
  };
  await playOut(page, { move, card: () => readCard(page) });
  assert.ok(tapped > 10);
  for (const text of await page.locator('.moves .turn[data-seat="1"]').allInnerTexts()) {
    assert.doesNotMatch(text, CODES);
    assert.match(text, /[+−]\d|setzt aus|zeigt|noch ein Zug|behält|Start/, `${text} tells no change`);
  }
}, { hash: START, width: 360, height: 740, language: "de" }));
