// The dialog that turns a hare card over.

import { element } from "./board.js";
import { cardWords } from "./seats.js";
import { t } from "./texts.js";
import { icon } from "./view.js";

const SHOWN_MS = 2600;

/** Shows a card for a moment, or with `isOwn` until a person closes it; ends early if `signal` aborts. */
export function turnOver(card, name, { isOwn, signal }) {
  const go = element("button", { class: "primary" }, t("continue"));
  const back = element("div", { class: "card-side card-back-side" }, icon("hare", "card-picture"));
  const front = element("div", { class: "card-side card-front-side" },
    element("h2", { id: "card-title" }, t("it says")), icon("hare", "card-picture"), element("p", {}, cardWords(card)));
  const paper = element("div", { class: "card-paper" }, back, front);
  const dialog = element("dialog", { class: "card", "aria-labelledby": "card-title" },
    element("p", { class: "card-owner" }, t("card due", { name })), paper, go);
  document.body.append(dialog);
  dialog.showModal();
  go.focus();
  return new Promise((resolve) => {
    const timer = isOwn ? null : setTimeout(() => dialog.close(), SHOWN_MS);
    go.addEventListener("click", () => dialog.close());
    signal.addEventListener("abort", () => dialog.close(), { once: true });
    dialog.addEventListener("close", () => {
      clearTimeout(timer);
      dialog.remove();
      resolve();
    });
  });
}
