// The list of moves: each turn in words, with the changes that it brought, and its variations.

import { element } from "./board.js";
import { t } from "./texts.js";
import { button, seatMark } from "./view.js";
import { stepsOf, textAbout } from "./words.js";

const classOf = ({ amount }) => (amount < 0 ? "change loss" : amount > 0 ? "change gain" : "change");

// A turn as a button that goes to its position.
function turnOf(table, node) {
  const { game, names } = table;
  const parts = stepsOf(game, node).map((step) => element("span", { class: "step" }, textAbout(step, node.seat, names),
    ...step.changes.map((change) => element("span", { class: classOf(change) }, textAbout(change, step.seat, names)))));
  const isHere = node === game.current;
  const ply = element("span", { class: "ply", "aria-hidden": "true" }, String(node.ply));
  return button(element("span", { class: "unseen" }, `${names[node.seat - 1]}: `), () => table.visit(node), {
    class: isHere ? "turn here" : "turn", "data-seat": node.seat, "data-words": node.words.join(" "),
    "aria-current": isHere ? "step" : "false",
  }, ply, seatMark(node.seat - 1), element("span", { class: "steps" }, ...parts));
}

/** The moves of the displayed line. */
export function logOf(table) {
  const { game } = table;
  const turns = game.line().slice(1);
  if (turns.length === 0) return element("p", { class: "note" }, t("no moves"));
  return element("ol", { class: "moves", "aria-label": t("moves") }, ...turns.map((node) => {
    const others = node.parent.children.filter((child) => child !== node);
    const item = element("li", {}, turnOf(table, node));
    if (others.length === 0) return item;
    item.append(element("span", { class: "variations" }, ...others.map((other) => turnOf(table, other))));
    return item;
  }));
}
