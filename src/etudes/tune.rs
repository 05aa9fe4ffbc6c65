//! Tuning: finds the triples of factors that agree best with the verdicts.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It tries each factor from 0.5 to 2 in steps of 0.1 and
//! picks one of the best triples "by eye". Here it is the one nearest to their mean.

use std::cmp::Ordering;

use super::check::{JudgedEtude, share};
use super::factors;
use crate::eval::article::Factors;

/// Number of values of each factor; the first value and the step are in hundredths.
const VALUES: usize = 16;
const FIRST: i32 = 50;
const STEP: i32 = 10;

/// Number of triples.
const TRIPLES: usize = VALUES.pow(3);

/// Result of tuning.
pub struct Tuning {
    /// Largest number of hits of a triple.
    hits: usize,
    /// Triples with that number, ascending; at least one.
    best: Vec<Factors>,
}

impl Tuning {
    /// Tries every triple.
    pub fn of(etudes: &[JudgedEtude]) -> Tuning {
        let mut tuning = Tuning { hits: 0, best: Vec::new() };
        for factors in (0..TRIPLES).map(triple) {
            let hits = etudes.iter().filter(|etude| etude.is_hit(&factors));
            let hits = hits.count();
            match hits.cmp(&tuning.hits) {
                Ordering::Less => {}
                Ordering::Equal => tuning.best.push(factors),
                Ordering::Greater => {
                    let best = vec![factors];
                    tuning = Tuning { hits, best };
                }
            }
        }
        tuning
    }

    /// The best triple that is nearest to the mean of all best ones; the smallest if there are several.
    pub fn nearest(&self) -> Factors {
        let triple = |factors: &Factors| factors::to_array(factors).map(i64::from);
        let number = self.best.len() as i64;
        let sum = self
            .best
            .iter()
            .map(triple)
            .fold([0; 3], |sum, triple| [0, 1, 2].map(|i| sum[i] + triple[i]));
        // Multiplies all coordinates by the number of triples, to compute in whole numbers.
        let distance = |factors: &&Factors| -> i64 {
            let triple = triple(factors);
            (0..3).map(|i| (number * triple[i] - sum[i]).pow(2)).sum()
        };
        let nearest = self.best.iter().min_by_key(distance);
        nearest.copied().unwrap_or_default()
    }

    /// Report of the result; `of` is the number of etudes.
    pub fn report(&self, of: usize) -> String {
        let best = self.best.iter().map(|factors| {
            let [ks, kc, kp] = factors::to_array(factors);
            format!("{ks:>5}{kc:>5}{kp:>5}\n")
        });
        format!(
            "best {}, reached by {} of {TRIPLES} triples, in hundredths:\n   Ks   Kc   Kp\n\
             {}nearest to their mean: {}\n",
            share(self.hits, of),
            self.best.len(),
            best.collect::<String>(),
            factors::spell(&self.nearest())
        )
    }
}

/// The triple of an index below [`TRIPLES`], in ascending order.
fn triple(index: usize) -> Factors {
    let digits = [index / VALUES.pow(2), index / VALUES, index];
    factors::from_array(digits.map(|digit| FIRST + STEP * (digit % VALUES) as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_to_the_mean_is_the_smallest_of_several() {
        for (best, nearest) in [
            (vec![[50, 50, 50], [50, 50, 200]], [50, 50, 50]),
            (vec![[50, 200, 200], [60, 100, 100], [200, 50, 50], [200, 60, 50]], [60, 100, 100]),
        ] {
            let best = best.into_iter().map(factors::from_array).collect();
            let tuning = Tuning { hits: 1, best };
            assert_eq!(factors::to_array(&tuning.nearest()), nearest);
        }
    }
}
