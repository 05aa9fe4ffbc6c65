// Draws the boards of the rules page, one in each element with a variant.

import { post } from "./server.js";
import { drawBoard } from "./board.js";
import { traitsOf } from "./games.js";
import { piecesOf, trackFiles } from "./view.js";

for (const place of document.querySelectorAll("[data-variant]")) {
  const { variant, label } = place.dataset;
  const { board, pieces } = await post("new", { variant, players: 2 });
  const { symbols } = traitsOf(variant);
  place.className = board.files ? "board grid" : "board track";
  place.replaceChildren(drawBoard(board, { label, symbols, pieces: piecesOf({ pieces }), trackFiles: trackFiles() }));
}
