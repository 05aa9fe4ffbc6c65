// Advice of an engine: a hint before a move, and a comment after a move that lost much.

import { OfflineError, post, stream } from "./api.js";
import { element } from "./board.js";
import { failureText } from "./notices.js";
import { percent, t } from "./texts.js";
import { button } from "./view.js";
import { lineText, moveText, moveTitle } from "./words.js";

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
    server.onEngines(() => {
      // An engine with this option is made for analysis, so it is likely to send estimates.
      this.engine = server.working.find(({ options }) => options.some(({ name }) => name === "MultiPV"));
    });
    this.button = button(t("advise"), () => this.advise(), { id: "advise", disabled: "" });
    this.box = element("input", { type: "checkbox", id: "comments" });
    this.box.checked = localStorage.getItem("comments") !== "off";
    this.box.addEventListener("change", () => {
      localStorage.setItem("comments", this.box.checked ? "on" : "off");
      this.say(null);
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
    this.say(element("p", {}, t("thinking")));
    try {
      const limit = this.server.limitOf(HINT_MS);
      const body = { game: table.game.request(node), engine: this.engine.name, limit };
      const { move: word } = await post("ai", body, this.next());
      if (!isHere()) return this.say(null);
      const move = node.moves.find((one) => one.move === word);
      table.mark([{ from: node.pieces[move.piece].square, to: move.square }], null);
      this.say(element("p", {}, t("advice", { move: moveText(table.game, node, move) })));
    } catch (error) {
      if (error.name === "AbortError") return;
      this.say(isHere() && !(error instanceof OfflineError) ? element("p", {}, failureText(error)) : null);
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
      const [{ text }] = await lineText(game, before, [data.best]);
      return { loss: data.loss, best: data.best, text };
    }
    throw new Error("the review has no move");
  }

  async comment(before, after) {
    const { table } = this;
    this.say(null);
    if (!this.engine || !this.box.checked || table.mode !== "play" || before.moves.length < 2) return;
    const { game } = table;
    try {
      const { loss, best, text } = await this.judge(before, after);
      if (loss < MIN_LOSS || !table.game.path().includes(after)) return;
      const played = before.moves.find(({ move }) => move === after.words[0]);
      const words = t("comment", { move: moveTitle(game, before, played), loss: percent(loss), better: text });
      const said = [element("p", {}, words), button(t("show it"), async () => {
        await compare(table, before, played.move, best);
        this.say(...said);
      })];
      this.say(...said);
    } catch (error) {
      // The comment appears by itself, so its failure should not disturb the game.
      if (error.name !== "AbortError") this.say(null);
    }
  }

  /** Shows content near the board, with a button to close it; without content, hides it. */
  say(...content) {
    const shown = content.filter(Boolean);
    const { comment } = this.table.parts;
    const close = button("×", () => this.say(null), { class: "close", "aria-label": t("close"), title: t("close") });
    comment.replaceChildren(...shown, close);
    comment.hidden = shown.length === 0;
    if (!comment.hidden) comment.scrollIntoView({ block: "nearest" });
  }
}
