// An etude as a puzzle: a person chooses a move, then learns what the engine says; with a running score.

import { element } from "./board.js";
import { percent, t } from "./texts.js";

/** Loss up to which a move solves a puzzle, in permille of the points. */
const MAX_LOSS = 20;

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
      if (this.table.game === game) this.advice.say(text && element("p", {}, text));
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
