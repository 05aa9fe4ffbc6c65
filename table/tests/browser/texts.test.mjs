// Texts of the page: both languages have all of them, and the words of the server can be translated.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { post, serve } from "./common.mjs";

const PAGE = join(import.meta.dirname, "../../src/page");
const [games, texts] = ["games.js", "texts.js"].map((name) => readFileSync(join(PAGE, name), "utf8"));
// Node cannot import the scripts themselves, since their names do not say that they are modules.
const source = `${games}${texts.replace(/^import .*/m, "")}\nexport { ENGLISH, GERMAN };`;
const { ENGLISH, GERMAN, traitsOf } = await import(`data:text/javascript,${encodeURIComponent(source)}`);
const modules = readdirSync(PAGE).filter((name) => name.endsWith(".js") && name !== "texts.js")
  .map((name) => [name, readFileSync(join(PAGE, name), "utf8")]);
const SEARCHED_TURNS = 40;

let server;
before(async () => { server = await serve(["--seed", "3"]); });
after(() => server.end());

test("both languages have the same texts, with the same values in them", () => {
  assert.deepEqual(Object.keys(GERMAN), Object.keys(ENGLISH));
  const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();
  for (const [key, text] of Object.entries(ENGLISH)) assert.deepEqual(values(GERMAN[key]), values(text), key);
});

test("every text that is used exists, and every text that exists is used", () => {
  const all = modules.map(([, text]) => text).join("\n");
  for (const [name, text] of modules) {
    for (const [, argument] of text.matchAll(/\bt\(([^()]*)/g)) {
      const choices = argument.split(", {")[0];
      for (const [, key] of choices.matchAll(/"([^"]+)"/g)) assert.ok(key in ENGLISH, `${name} uses "${key}", which is not a text`);
    }
  }
  const unused = Object.keys(ENGLISH).filter((key) => !all.includes(`"${key}"`));
  assert.deepEqual(unused, []);
});

test("all words that the server uses for any game have a German translation", async () => {
  const { variants, engines } = await (await fetch(`${server.url}api/engines`)).json();
  const missing = new Set();
  // Places are shown as ordinals, and a label "then" is not shown.
  const isShown = (text) => !["", "if place", "place", "then"].includes(text) && !/^[-+]?\d/.test(text);
  const need = (text, known) => { if (isShown(text) && !(text in known)) missing.add(text); };
  // The third game, of the tests, has no texts of its own.
  for (const { name: variant, players } of variants.filter(({ name }) => name !== "ludo")) {
    const { name, words: { de: words }, texts: { de: own = {} }, facts } = traitsOf(variant);
    assert.ok(name.de && name.en, variant);
    let answer = await post(server, "new", { variant, players: players.at(-1) });
    for (const kind of answer.board.squares) need(kind.name, words);
    for (const piece of answer.pieces) need(piece.name, words);
    for (const { label } of answer.facts.flat()) if (!["note", "place"].includes(label) && !facts[label]?.hasNoLabel) need(label, own);
    for (let turn = 0; turn < SEARCHED_TURNS && answer.turn; turn += 1) {
      for (const { rule } of answer.refusals.filter(Boolean)) need(rule, own);
      for (const { label, value } of answer.moves.flatMap((move) => move.facts)) [label, value].forEach((text) => need(text, words));
      for (const { label, value } of answer.facts.flat()) if (label === "note" || facts[label]?.hasNoLabel) need(value, words);
      answer = await post(server, "ai", { game: answer.game, engine: engines[0].name, limit: "nodes 50" });
    }
  }
  const { cards } = await post(server, "play", { game: { variant: "hase-und-igel", players: 2, moves: [] }, move: "1", draw: false });
  for (const { card } of cards) need(card, traitsOf("hase-und-igel").words.de);
  assert.deepEqual([...missing], []);
});
