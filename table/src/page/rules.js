// Draws the boards of the rules page, one in each element with a variant.

import { post } from "./api.js";
import { drawBoard } from "./board.js";
import { SYMBOLS } from "./symbols.js";
import { isNarrow, piecesOf } from "./view.js";

for (const place of document.querySelectorAll("[data-variant]")) {
  const answer = await post("new", { variant: place.dataset.variant, players: 2 });
  const { board, pieces } = answer.scene;
  place.className = board.files ? "board grid" : "board track";
  place.replaceChildren(drawBoard(board, {
    label: place.dataset.label, pieces: piecesOf({ pieces }), symbols: SYMBOLS, isNarrow: isNarrow(),
  }));
}
