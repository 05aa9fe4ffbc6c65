//! Chance nodes of alpha-beta: the mean over the cards that are left, and comparisons with it in the manner of Star1
//! and Star2.
//!
//! Bounds on the lead after each card give bounds on the mean. Once the mean is certainly above alpha, or certainly
//! not, the search of the node ends. Each card is compared with the lead that it would need for the mean to equal
//! alpha. Nine out of ten nodes end after one comparison per card. Otherwise more comparisons narrow the bounds.
//!
//! Source: B. Ballard, "The *-minimax search procedure for trees containing chance nodes" (1983); T. Hauk, M. Buro and
//! J. Schaeffer, "*-Minimax performance in backgammon" (2004).
//!
//! The mean of leads is truncated towards zero, so that it is the same from both seats' points of view. A result is
//! certain only if it is certain for every card; then the slowest card counts. Source: D. Michie, "Game-playing and
//! game-learning automata" (1966), expectimax.

use super::alpha_beta::{AlphaBeta, INFINITY, Path, Side};
use crate::eval::{CERTAIN, Evaluate};
use crate::rules::MAX_OUTCOMES;

impl<G: Evaluate> AlphaBeta<'_, G> {
    /// Compares the lead of `side` over all cards that can be drawn now with `alpha`, `depth` plies deep, at least one.
    /// The card is the first ply: otherwise the nodes below hare squares, eight for one, would take most of the time.
    pub fn bound_over_cards(
        &mut self,
        side: Side,
        position: &G,
        depth: u32,
        path: Path,
        alpha: i32,
    ) -> i32 {
        let key = self.key(position);
        let known = self.table.get(key);
        if let Some(bound) = known.and_then(|entry| self.bound_in_table(entry, depth, path, alpha))
        {
            return bound;
        }
        let mut cards = Cards::of(position, side, self);
        let bound = 'decided: loop {
            for (index, (card, _)) in position.outcomes().take(MAX_OUTCOMES).enumerate() {
                let Some(target) = cards.target(index, alpha) else {
                    continue;
                };
                let next = position.draw_unchecked(card);
                let static_lead = Some(cards.known[index].static_lead);
                let bound = self.bound_after(side, &next, depth - 1, path, target, static_lead);
                if self.visits.stopped {
                    return 0;
                }
                cards.learn(index, bound, target);
                if let Some(bound) = cards.decide(alpha) {
                    break 'decided bound;
                }
            }
            cards.begin_pass();
        };
        self.remember(key, bound, depth, 0, path, alpha);
        bound
    }
}

/// Bounds on the lead after one card.
#[derive(Clone, Copy, Debug)]
struct Known {
    weight: u32,
    least: i32,
    most: i32,
    static_lead: i32,
    /// Last bound found, or else the static lead.
    guess: i32,
    /// `true` if it was compared in this pass over the cards.
    is_compared: bool,
}

/// Bounds on the leads after all cards of a chance node.
#[derive(Debug)]
struct Cards {
    known: [Known; MAX_OUTCOMES],
    len: usize,
    weight: i64,
    /// Completed passes over the cards.
    passes: u32,
}

impl Cards {
    const NONE: Cards = Cards {
        known: [Known {
            weight: 0,
            least: -INFINITY,
            most: INFINITY,
            static_lead: 0,
            guess: 0,
            is_compared: false,
        }; MAX_OUTCOMES],
        len: 0,
        weight: 0,
        passes: 0,
    };

    /// Cards that can be drawn now, with the static leads of `side`.
    fn of<G: Evaluate>(position: &G, side: Side, search: &AlphaBeta<'_, G>) -> Cards {
        let mut cards = Cards::NONE;
        for (card, weight) in position.outcomes().take(MAX_OUTCOMES) {
            let lead = search.static_lead(side, &position.draw_unchecked(card));
            cards.push(weight, lead);
        }
        cards
    }

    fn push(&mut self, weight: u32, static_lead: i32) {
        let known = &mut self.known[self.len];
        known.weight = weight;
        known.static_lead = static_lead;
        known.guess = static_lead;
        self.len += 1;
        self.weight += i64::from(weight);
    }

    fn known(&self) -> &[Known] {
        &self.known[..self.len]
    }

    /// Updates the bounds of a card from a comparison with `target`.
    fn learn(&mut self, index: usize, bound: i32, target: i32) {
        let known = &mut self.known[index];
        known.guess = bound;
        known.is_compared = true;
        if bound > target {
            known.least = known.least.max(bound);
        } else {
            known.most = known.most.min(bound);
        }
    }

    /// Mean with one of the bounds of each card.
    fn mean(&self, bound: impl Fn(&Known) -> i32) -> Mean {
        let mut mean = Mean::NOTHING;
        for known in self.known() {
            mean.add(bound(known), known.weight);
        }
        mean
    }

    /// A lower bound of the mean that is above `alpha`, or an upper one that is not, if there is one. The mean is
    /// monotonic in each card's lead.
    fn decide(&self, alpha: i32) -> Option<i32> {
        let most = self.mean(|known| known.most).value();
        if most <= alpha {
            return Some(most);
        }
        let least = self.mean(|known| known.least).value();
        (least > alpha).then_some(least)
    }

    /// Begins another pass over the cards.
    fn begin_pass(&mut self) {
        self.passes += 1;
        self.known.iter_mut().for_each(|known| known.is_compared = false);
    }

    /// Lead to compare a card with; `None` once its bounds meet.
    ///
    /// If alpha is between -[`CERTAIN`] and [`CERTAIN`], decided leads count as these limits, so larger ones need not
    /// be told apart. Beyond them, the mean is decided as soon as one card is, or all are.
    fn target(&self, index: usize, alpha: i32) -> Option<i32> {
        if !(-CERTAIN..CERTAIN).contains(&alpha) {
            return Some(alpha);
        }
        let Known { least, most, .. } = self.known[index];
        let (least, most) = (least.max(-CERTAIN), most.min(CERTAIN));
        if least >= most {
            return None;
        }
        // Guesses lead to the end soon, but halving does for certain.
        let target = if self.passes < PASSES_BY_GUESS {
            self.needed(index, alpha)
        } else {
            i64::from((least + most).div_euclid(2))
        };
        Some(target.clamp(i64::from(least), i64::from(most) - 1) as i32)
    }

    /// Lead that a card would need for the mean to be alpha, if the compared cards have the leads found, and the others
    /// differ from each other as their guesses do.
    fn needed(&self, index: usize, alpha: i32) -> i64 {
        let mut missing = largest_sum(alpha, self.weight);
        let mut open_weight = 0;
        for known in self.known() {
            let weight = i64::from(known.weight);
            missing -= weight * i64::from(known.guess.clamp(-CERTAIN, CERTAIN));
            open_weight += if known.is_compared { 0 } else { weight };
        }
        i64::from(self.known[index].guess) + missing.div_euclid(open_weight.max(1))
    }
}

/// Passes over the cards that guess their leads.
const PASSES_BY_GUESS: u32 = 16;

/// Largest weighted sum whose mean, truncated towards zero, is `alpha`.
fn largest_sum(alpha: i32, weight: i64) -> i64 {
    let alpha = i64::from(alpha);
    if alpha < 0 { alpha * weight } else { (alpha + 1) * weight - 1 }
}

/// Accumulates the mean of one seat's lead, including decided results.
#[derive(Clone, Copy, Debug)]
pub struct Mean {
    sum: i64,
    weight: i64,
    least: i32,
    most: i32,
}

impl Mean {
    /// An empty mean.
    pub const NOTHING: Mean = Mean { sum: 0, weight: 0, least: i32::MAX, most: i32::MIN };

    /// Adds a value with its weight. A value beyond [`CERTAIN`] is a decided result and counts as [`CERTAIN`].
    pub fn add(&mut self, value: i32, weight: u32) {
        let weight = i64::from(weight);
        self.sum += weight * i64::from(value.clamp(-CERTAIN, CERTAIN));
        self.weight += weight;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    /// Value of the chance node.
    pub fn value(&self) -> i32 {
        if self.least > CERTAIN {
            return self.least;
        }
        if self.most < -CERTAIN {
            return self.most;
        }
        // Whenever a card is due, at least one is left.
        (self.sum / self.weight.max(1)) as i32
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    /// Possible result of a comparison of `lead` with `target`: a bound on the same side.
    fn bound_of(rng: &mut StdRng, lead: i32, target: i32) -> i32 {
        if lead > target {
            rng.random_range(target + 1..=lead)
        } else {
            rng.random_range(lead..=target)
        }
    }

    /// A random lead of any kind: open, nearly certain, or decided.
    fn random_lead(rng: &mut StdRng) -> i32 {
        match rng.random_range(0..6) {
            0 => CERTAIN + rng.random_range(1..20),
            1 => -CERTAIN - rng.random_range(1..20),
            2 => CERTAIN - rng.random_range(1..20),
            3 => -CERTAIN + rng.random_range(1..20),
            _ => rng.random_range(-60..60),
        }
    }

    #[test]
    fn a_mean_is_found_to_be_above_alpha_or_not() {
        let mut rng = StdRng::seed_from_u64(1);
        for _ in 0..200_000 {
            let len = rng.random_range(1..=4);
            let only_wins = rng.random_range(0..4) == 0;
            let mut cards = Cards::NONE;
            let mut leads = Vec::new();
            let mut mean = Mean::NOTHING;
            for _ in 0..len {
                let lead = random_lead(&mut rng);
                let lead = if only_wins { CERTAIN + 1 + lead.abs() % 20 } else { lead };
                let weight = rng.random_range(1..=2);
                cards.push(weight, random_lead(&mut rng));
                leads.push(lead);
                mean.add(lead, weight);
            }
            let mean = mean.value();
            let sign = if rng.random() { 1 } else { -1 };
            let near = if rng.random() { mean } else { sign * random_lead(&mut rng) };
            let alpha = near - rng.random_range(0..3);
            let context = format!("{leads:?} {cards:?} {alpha}");
            let bound = loop {
                for (index, &lead) in leads.iter().enumerate() {
                    if let Some(target) = cards.target(index, alpha) {
                        let bound = bound_of(&mut rng, lead, target);
                        cards.learn(index, bound, target);
                    }
                }
                if let Some(bound) = cards.decide(alpha) {
                    break bound;
                }
                assert!(cards.passes < 40, "{context}");
                cards.begin_pass();
            };
            if bound > alpha {
                assert!(mean >= bound, "{bound}, not {mean}: {context}");
            } else {
                assert!(mean <= bound, "{bound}, not {mean}: {context}");
            }
        }
    }

    fn mean(values: &[(i32, u32)]) -> i32 {
        let mut mean = Mean::NOTHING;
        for &(value, weight) in values {
            mean.add(value, weight);
        }
        mean.value()
    }

    #[test]
    fn the_mean_is_weighted_and_the_same_from_either_side() {
        assert_eq!(mean(&[(100, 2), (10, 1)]), 70);
        assert_eq!(mean(&[(100, 2), (11, 1)]), 70);
        assert_eq!(mean(&[(-100, 2), (-11, 1)]), -70);
    }

    #[test]
    fn a_result_is_decided_only_if_it_is_so_whatever_the_card() {
        let (fast, slow) = (CERTAIN + 90, CERTAIN + 80);
        assert_eq!(mean(&[(fast, 1), (slow, 2)]), slow);
        assert_eq!(mean(&[(-fast, 1), (-slow, 2)]), -slow);
        assert_eq!(mean(&[(fast, 1), (-slow, 1)]), 0);
        assert!(mean(&[(fast, 14), (CERTAIN - 1, 1)]) < CERTAIN);
    }
}
