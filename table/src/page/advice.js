// Advice of an engine: a hint before a move, and a comment after a move that lost much.

import { stream } from "./api.js";
import { element } from "./board.js";
import { percent, t } from "./texts.js";
import { button } from "./view.js";
import { lineText, moveText, moveTitle } from "./words.js";

const HINT_SEARCH = "movetime 500";
/** Loss from which on a move gets a comment, in permille of the points. */
const LEAST_LOSS = 100;

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

  // The data of the first `wanted` event of a stream. Ends the last search.
  async search(path, body, wanted) {
    this.controller?.abort();
    this.controller = new AbortController();
    for await (const [event, data] of stream(path, { engine: this.engine.name, ...body }, this.controller.signal)) {
      if (event === wanted) return data;
    }
    throw new Error(`${path}: no ${wanted}`);
  }

  // Shows the best move.
  async advise() {
    const { table } = this;
    const node = table.game.current;
    this.say(element("p", {}, t("thinking")));
    await this.attempt(async () => {
      const body = { game: table.game.request(node), limit: HINT_SEARCH };
      const { move: word } = await this.search("analyse", body, "done");
      if (table.game.current !== node || !table.isDue()) return this.say(null);
      const move = node.moves.find((one) => one.move === word);
      table.mark([{ from: node.pieces[move.piece].square, to: move.square }], null);
      this.say(element("p", {}, t("advice", { move: moveText(table.game, node, move) })));
    });
  }

  /** The loss by a played move in permille, and the best move as text. */
  async judge(before, after) {
    // Another game may begin during the search.
    const { game } = this.table;
    // The review of a game of this one move compares the values of the positions after it and after the best one.
    const one = { variant: game.variant, start: before.position, moves: [after.words[0]] };
    const { loss, best } = await this.search("review", { game: one }, "move");
    const [{ text }] = await lineText(game, before, [best]);
    return { loss, best, text };
  }

  async comment(before, after) {
    const { table } = this;
    this.say(null);
    if (!this.engine || !this.box.checked || table.mode !== "play" || before.moves.length < 2) return;
    const { game } = table;
    await this.attempt(async () => {
      const { loss, best, text } = await this.judge(before, after);
      if (loss < LEAST_LOSS || !table.game.path().includes(after)) return;
      const played = before.moves.find(({ move }) => move === after.words[0]);
      const words = t("comment", { move: moveTitle(game, before, played), loss: percent(loss), better: text });
      const said = [element("p", {}, words), button(t("show it"), async () => {
        await compare(table, before, played.move, best);
        this.say(...said);
      })];
      this.say(...said);
    });
  }

  // Runs a search; advice that fails is no reason to disturb a game.
  async attempt(search) {
    try {
      await search();
    } catch (error) {
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
