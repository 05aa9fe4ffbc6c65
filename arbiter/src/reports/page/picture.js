// Games without a board: the picture that a rules program draws of a position, and the list of moves.

/** The picture of a position. A single line may wrap, because it is no drawing. */
function drawPicture(picture) {
  const lines = picture.filter((line) => line !== null);
  if (lines.length === 0) return element("p", { class: "note" }, "There is no picture of this position.");
  return element("pre", { class: lines.length > 1 ? "picture drawn" : "picture" }, lines.join("\n"));
}

/** Links to the positions after each move; `choose` receives the number of moves. */
function listOfMoves(game, choose) {
  const links = game.positions.steps.map((step, index) => {
    const spot = element("i", { class: "spot" });
    if (step.s !== undefined) spot.style.background = colour(step.s);
    const words = step.c ? `${step.m} ${step.c}` : step.m;
    const link = element("a", { href: `#game-${game.number}-${index + 1}` }, spot, words);
    link.addEventListener("click", (event) => {
      event.preventDefault();
      choose(index + 1);
    });
    return element("li", {}, link);
  });
  return element("ol", { class: "moves" }, ...links);
}

/** Marks a move in the list and scrolls the list to it. */
function markMove(list, ply) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = list.children[ply - 1]?.firstChild;
  link?.setAttribute("aria-current", "true");
  list.scrollTop = link ? link.offsetTop - list.clientHeight / 2 : 0;
}

