
// What a review says of a game that is shown: what moves lost, how lucky cards were, and what both add up to.

const REVIEW_COLUMNS = ["start", "skill", "gifts", "luck", "noise", "verdict", "result"];
const VERDICT = REVIEW_COLUMNS.indexOf("verdict");

// What rounds to zero has no sign.
const percent = (permille) => `${(Math.round(permille) / 10 || 0).toFixed(1)} %`;
const signedPercent = (permille) => (Math.round(permille) > 0 ? "+" : "") + percent(permille);

/** What is said of a move with its card, in a list of words. */
function reviewWords(step) {
  const { l: loss, b: better, u: luck } = step.r || {};
  const words = [];
  if (loss) words.push(`loses ${percent(loss)} against ${better}`);
  if (luck) words.push(`luck ${luck.map(signedPercent).join(" / ")}`);
  return words;
}

/** A seat's share after a step; before the first of those reviewed, where the review begins. */
function valueOf(game, step, seat) {
  return percent(step && step.r ? step.r.v[seat] : game.review.start[seat]);
}

/** A seat's share by plies, in permille: where the review begins, and after each move. */
function reviewedShares(game, seat) {
  const points = [[game.opening, game.review.start[seat]]];
  game.positions.steps.forEach((step, index) => {
    if (step.r) points.push([index + 1, step.r.v[seat]]);
  });
  return points;
}

/** The worst moves, the worst first, each with the share of the seat that made it. */
function worstMoves(game) {
  const worst = game.review ? game.review.worst : [];
  return worst.filter((ply) => game.positions.steps[ply - 1]).map((ply) => {
    const step = game.positions.steps[ply - 1];
    const words = `move ${ply}: ${step.m} of seat ${step.s + 1} lost ${percent(step.r.l || 0)} against ${step.r.b}`;
    return { ply, permille: step.r.v[step.s], words };
  });
}

/** Links to those moves. */
function worstList(game) {
  const links = worstMoves(game).map(({ ply, words }) =>
    element("li", {}, element("a", { href: `#game-${game.number}-${ply}` }, words)));
  return element("ol", {}, ...links);
}

/** What the game was for each seat: numbers that add up to its result. */
function reviewTable(game) {
  const isCut = game.review.sums.some((sums) => sums[VERDICT] !== 0);
  const shown = (_, index) => isCut || index !== VERDICT;
  const heads = ["seat", ...REVIEW_COLUMNS.filter(shown)].map((name) => element("th", {}, name));
  const body = element("tbody");
  game.review.sums.forEach((sums, seat) => {
    const spot = element("i", { class: "spot" });
    spot.style.background = colour(seat);
    const cells = sums.map((permille, index) =>
      /start|result/.test(REVIEW_COLUMNS[index]) ? percent(permille) : signedPercent(permille));
    const head = element("th", { scope: "row", title: game.names[seat] }, spot, `${seat + 1} ${game.names[seat]}`);
    const numbers = cells.filter(shown).map((text) => element("td", { class: "number" }, text));
    body.append(element("tr", {}, head, ...numbers));
  });
  const table = element("table", {}, element("thead", {}, element("tr", {}, ...heads)), body);
  const legend = "From start to result: skill, what the own moves lost; gifts, what those of others brought; " +
    "luck, what cards brought; noise, what the search got wrong.";
  return element("div", {}, element("div", { class: "scroll" }, table), element("p", { class: "note" }, legend));
}

