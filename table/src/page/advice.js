// Advice of an engine: a hint before a move, a comment after a move that lost much, and the verdict on a puzzle.

import { element } from "./board.js";
import { button } from "./controls.js";
import { OfflineError, post, stream } from "./server.js";
import { failureText, moveText, moveTitle, percent, t } from "./texts.js";

const HINT_MS = 500;
/** Loss from which on a move gets a comment, in permille of the points. */
const MIN_LOSS = 100;

/** Shows the position before a move, with the move as a red arrow and the better one as another. */
export async function compare(table, node, played, best, estimate = null) {
  await table.visit(node);
  const arrowOf = (word, rank) => {
    const found = node.moves?.find(({ move }) => move === word);
    return found && { from: node.pieces[found.piece].square, to: found.square, rank };
  };
  table.mark([played !== best && arrowOf(played, "bad"), arrowOf(best, 0)].filter(Boolean), estimate);
}

export class Advice {
  constructor(table, server) {
    this.table = table;
    this.server = server;
    // An engine with this option is made for analysis, so it is likely to send estimates.
    this.engine = server.working.find(({ options }) => options.some(({ name }) => name === "MultiPV"));
    this.button = button(t("advise"), () => this.advise(), { id: "advise", disabled: "" });
    this.box = element("input", { type: "checkbox", id: "comments" });
    this.box.checked = localStorage.getItem("comments") !== "off";
    this.box.addEventListener("change", () => {
      localStorage.setItem("comments", this.box.checked ? "on" : "off");
      this.table.view.remark();
    });
    this.setting = element("label", {}, this.box, element("span", {}, t("comments")));
    table.onPlayed((before, after) => this.comment(before, after));
    table.onChange(() => { this.button.disabled = !this.engine || !table.isDue(); });
  }

  // Ends the last search; returns a signal that ends the next one.
  next() {
    this.controller?.abort();
    this.controller = new AbortController();
    return this.controller.signal;
  }

  // Shows the best move.
  async advise() {
    const { table } = this;
    const node = table.game.current;
    const isHere = () => table.game.current === node && table.isDue();
    this.table.view.remark(element("p", {}, t("thinking")));
    try {
      const limit = this.server.limitOf(HINT_MS);
      const body = { game: table.game.request(node), engine: this.engine.name, limit };
      const { move: word } = await post("ai", body, this.next());
      if (!isHere()) return this.table.view.remark();
      const move = node.moves.find((one) => one.move === word);
      table.mark([{ from: node.pieces[move.piece].square, to: move.square }], null);
      this.table.view.remark(element("p", {}, t("advice", { move: moveText(table.game, node, move) })));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.table.view.remark(isHere() && !(error instanceof OfflineError) ? element("p", {}, failureText(error)) : null);
    }
  }

  /** The loss by a played move in permille, and the best move as text. */
  async judge(before, after) {
    // Another game may begin during the search.
    const { game } = this.table;
    // The review of a game of this one move compares the values of the positions after it and after the best one.
    const one = { variant: game.variant, start: before.position, moves: [after.words[0]] };
    for await (const [event, data] of stream("review", { game: one, engine: this.engine.name }, this.next())) {
      if (event !== "move") continue;
      const best = before.moves.find(({ move }) => move === data.best);
      return { loss: data.loss, best: data.best, text: moveTitle(game, before, best) };
    }
    throw new Error("the review has no move");
  }

  async comment(before, after) {
    const { table } = this;
    this.table.view.remark();
    if (!this.engine || !this.box.checked || table.mode !== "play" || before.moves.length < 2) return;
    const { game } = table;
    try {
      const { loss, best, text } = await this.judge(before, after);
      if (loss < MIN_LOSS || !table.game.path().includes(after)) return;
      const played = before.moves.find(({ move }) => move === after.words[0]);
      const words = t("comment", { move: moveTitle(game, before, played), loss: percent(loss), better: text });
      const said = [element("p", {}, words), button(t("show it"), async () => {
        await compare(table, before, played.move, best);
        this.table.view.remark(...said);
      })];
      this.table.view.remark(...said);
    } catch (error) {
      // The comment appears by itself, so its failure should not disturb the game.
      if (error.name !== "AbortError") this.table.view.remark();
    }
  }
}

// --- Puzzles ---

/** Loss up to which a move solves a puzzle, in permille of the points. */
const MAX_LOSS = 20;

/** An etude as a puzzle: a person chooses a move, then learns what the engine says; with a running score. */
export class Puzzle {
  constructor(table, advice) {
    this.table = table;
    this.advice = advice;
    this.start = null;
    this.tried = 0;
    this.solved = 0;
    this.panel = element("div", { id: "puzzle", "aria-live": "polite" });
    table.onPlayed((before, after) => this.check(before, after));
  }

  /** Makes the position on the board the puzzle. */
  begin() {
    this.start = this.table.game.root;
    this.panel.replaceChildren(...this.score());
  }

  score() {
    const { solved, tried } = this;
    return tried > 0 ? [element("p", { id: "score" }, t("score", { solved, tried }))] : [];
  }

  async check(before, after) {
    // Only the first move counts.
    if (before !== this.start || !this.advice.engine) return;
    this.start = null;
    const { game } = this.table;
    const tell = (text) => {
      // Another game may begin during the search.
      if (this.table.game === game) this.table.view.remark(text && element("p", {}, text));
    };
    tell(t("thinking"));
    try {
      const { loss, text } = await this.advice.judge(before, after);
      this.tried += 1;
      if (loss <= MAX_LOSS) this.solved += 1;
      tell(loss <= MAX_LOSS ? t("solved") : t("not solved", { loss: percent(loss), better: text }));
      this.panel.replaceChildren(...this.score());
    } catch (error) {
      this.panel.replaceChildren(...this.score());
      // A hint ends the search.
      if (error.name === "AbortError") return;
      tell("");
      this.table.fail(error);
    }
  }
}
