//! Chance nodes: the mean value over the cards that are left.
//!
//! The mean of leads is truncated towards zero, so that it is the same from both seats' points of view. A result is
//! certain only if it is certain for every card; then the slowest card counts. Source: D. Michie, "Game-playing and
//! game-learning automata" (1966), expectimax.

use crate::eval::CERTAIN;

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
