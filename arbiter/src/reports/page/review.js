
// The review of a shown game: the loss of each move, the luck of each card, and their sums.

const REVIEW_COLUMNS = ["start", "skill", "gifts", "luck", "noise", "verdict", "result"];
const VERDICT = REVIEW_COLUMNS.indexOf("verdict");

// A value that rounds to zero has no sign.
const percent = (permille) => `${(Math.round(permille) / 10 || 0).toFixed(1)} %`;
const signedPercent = (permille) => (Math.round(permille) > 0 ? "+" : "") + percent(permille);

/** Texts about a move and its card: its loss and its luck. */
function reviewWords(step) {
  const { l: loss, b: better, u: luck } = step.r || {};
  const words = [];
  if (loss) words.push(`loses ${percent(loss)} against ${better}`);
  if (luck) words.push(`luck ${luck.map(signedPercent).join(" / ")}`);
  return words;
}

/** A seat's share after a step; without a reviewed step, at the start of the review. */
function valueOf(game, step, seat) {
  return percent(step && step.r ? step.r.v[seat] : game.review.start[seat]);
}

/** Points [ply, permille] of a seat's share: at the start of the review, and after each move. */
function reviewedShares(game, seat) {
  const points = [[game.opening, game.review.start[seat]]];
  game.positions.steps.forEach((step, index) => {
    if (step.r) points.push([index + 1, step.r.v[seat]]);
  });
  return points;
}

/** The worst moves, the worst first, each with the mover's share. */
function worstMoves(game) {
  const worst = game.review ? game.review.worst : [];
  return worst.filter((ply) => game.positions.steps[ply - 1]).map((ply) => {
    const step = game.positions.steps[ply - 1];
    const words = `move ${ply}: ${step.m} of seat ${step.s + 1} lost ${percent(step.r.l || 0)} against ${step.r.b}`;
    return { ply, permille: step.r.v[step.s], words };
  });
}

/** Links to the worst moves. */
function worstList(game) {
  const links = worstMoves(game).map(({ ply, words }) =>
    element("li", {}, element("a", { href: `#game-${game.number}-${ply}` }, words)));
  return element("ol", {}, ...links);
}

/** Table of each seat's sums; they add up to its result. */
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
  const legend = "From start to result: skill, minus the loss of a seat's own moves; gifts, gain from others' moves; " +
    "luck, gain from cards; noise, errors of the search values.";
  return element("div", {}, element("div", { class: "scroll" }, table), element("p", { class: "note" }, legend));
}

