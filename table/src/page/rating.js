// The rating of a person from games against rated opponents.

const PER_POINT = Math.LN10 / 400;
const NORMAL_95 = 1.96;

const chance = (difference) => 1 / (1 + Math.exp(-PER_POINT * difference));

/**
 * The likeliest rating and half its 95 % interval, from `{ rating, points }` of each opponent, where points are 1 or 0.
 * One more game, drawn against the average opponent, keeps it finite. Null without games.
 */
export function rate(results) {
  if (results.length === 0) return null;
  const mean = results.reduce((sum, { rating }) => sum + rating, 0) / results.length;
  const games = [...results, { rating: mean, points: 0.5 }];
  let [low, high] = [mean - 2000, mean + 2000];
  while (high - low > 0.5) {
    const middle = (low + high) / 2;
    const excess = games.reduce((sum, { rating, points }) => sum + points - chance(middle - rating), 0);
    if (excess > 0) low = middle;
    else high = middle;
  }
  const own = (low + high) / 2;
  const information = games.reduce((sum, { rating }) => sum + chance(own - rating) * chance(rating - own), 0);
  return { rating: own, error: NORMAL_95 / (PER_POINT * Math.sqrt(information)) };
}
