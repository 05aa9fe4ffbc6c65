// Texts of the page: both languages have all of them, and the words of the server can be translated.

import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { post, serve } from "./common.mjs";

const PAGE = join(import.meta.dirname, "../../src/page");
const contentOf = (name) => readFileSync(join(PAGE, name), "utf8");
const TEXTS = JSON.parse(contentOf("texts.json"));
// Node cannot import the script itself, since its name does not say that it is a module.
const { traitsOf } = await import(`data:text/javascript,${encodeURIComponent(contentOf("games.js"))}`);
const modules = readdirSync(PAGE).filter((name) => name.endsWith(".js")).map((name) => [name, contentOf(name)]);
const SEARCHED_TURNS = 40;

let server;
before(async () => { server = await serve(["--seed", "3"]); });
after(() => server.end());

test("each text is in both languages, with the same values in it", () => {
  const values = (text) => [...text.matchAll(/\{\w+\}/g)].map(([value]) => value).sort();
  for (const [key, { en, de, ...others }] of Object.entries(TEXTS)) {
    assert.deepEqual(values(de), values(en), key);
    assert.deepEqual(others, {}, key);
  }
});

test("every text that is used exists, and every text that exists is used", () => {
  const all = modules.map(([, text]) => text).join("\n");
  for (const [name, text] of modules) {
    for (const [, argument] of text.matchAll(/\bt\(([^()]*)/g)) {
      const choices = argument.split(", {")[0];
      for (const [, key] of choices.matchAll(/"([^"]+)"/g)) assert.ok(key in TEXTS, `${name} uses "${key}", which is not a text`);
    }
  }
  const unused = Object.keys(TEXTS).filter((key) => !all.includes(`"${key}"`));
  assert.deepEqual(unused, []);
});

test("all words that the server uses for any game have a German translation", async () => {
  const { variants, engines } = await (await fetch(`${server.url}api/engines`)).json();
  const missing = new Set();
  // Places are shown as ordinals, and a label "then" is not shown.
  const isShown = (text) => !["", "if place", "place", "then"].includes(text) && !/^[-+]?\d/.test(text);
  const need = (text, known) => { if (isShown(text) && !(text in known)) missing.add(text); };
  // A game that the page does not know has no texts of its own.
  const known = variants.filter(({ name }) => traitsOf(name) !== traitsOf("unknown"));
  assert.ok(known.length > 2);
  for (const { name: variant, players } of known) {
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
