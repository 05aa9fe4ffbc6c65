//! Tuning: finds the triples of factors that agree best with the verdicts.
//!
//! Source: the article "AI in Hase und Igel: minimax for three". It tries each factor from 0.5 to 2 in steps of 0.1 and
//! picks one of the best triples "by eye". Here it is the one nearest to their mean.

use std::fmt::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use super::check::{JudgedEtude, share};
use super::factors;
use crate::eval::article::Factors;

/// Number of values of each factor; the first value and the step are in hundredths.
const VALUES: usize = 16;
const FIRST: i32 = 50;
const STEP: i32 = 10;

/// Number of triples.
pub const TRIPLES: usize = VALUES.pow(3);

/// Result of tuning.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// Largest number of hits of a triple.
    pub hits: usize,
    /// Triples with that number, ascending; at least one.
    pub best: Vec<Factors>,
}

impl Tuning {
    /// Tries every triple on up to `threads` threads; their number does not affect the result. Calls `progress` from
    /// time to time with the number of triples started.
    pub fn of(etudes: &[JudgedEtude], threads: usize, mut progress: impl FnMut(usize)) -> Tuning {
        let counts: Vec<AtomicUsize> = (0..TRIPLES).map(|_| AtomicUsize::new(0)).collect();
        let next = AtomicUsize::new(0);
        // Relaxed ordering is enough: the counts are independent, and are read after all threads have ended.
        let try_next = || {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let count = counts.get(index)?;
            let factors = triple(index);
            let hits = etudes.iter().filter(|etude| etude.is_hit(&factors));
            count.store(hits.count(), Ordering::Relaxed);
            Some(index)
        };
        thread::scope(|scope| {
            for _ in 1..threads {
                let worker = thread::Builder::new().name("tuner".into());
                let _ = worker.spawn_scoped(scope, || while try_next().is_some() {});
            }
            while let Some(index) = try_next() {
                progress(index + 1);
            }
        });
        let counts = counts.into_iter().map(AtomicUsize::into_inner).enumerate();
        let mut tuning = Tuning {
            hits: 0,
            best: Vec::new(),
        };
        for (index, hits) in counts {
            if hits > tuning.hits {
                tuning.hits = hits;
                tuning.best.clear();
            }
            if hits == tuning.hits {
                tuning.best.push(triple(index));
            }
        }
        tuning
    }

    /// The best triple that is nearest to the mean of all best ones; the smallest if there are several.
    pub fn nearest(&self) -> Factors {
        let triples = || self.best.iter().map(coordinates);
        let number = self.best.len() as i64;
        let sum = triples().fold([0; 3], |sum, triple| [0, 1, 2].map(|i| sum[i] + triple[i]));
        // Multiplies all coordinates by the number of triples, to compute in whole numbers.
        let distance = |factors: &&Factors| -> i64 {
            let triple = coordinates(factors);
            (0..3).map(|i| (number * triple[i] - sum[i]).pow(2)).sum()
        };
        let nearest = self.best.iter().min_by_key(distance);
        nearest.copied().unwrap_or_default()
    }

    /// Report of the result; `of` is the number of etudes.
    pub fn report(&self, of: usize) -> String {
        let share = share(self.hits, of);
        let number = self.best.len();
        let mut text = format!(
            "best {share}, reached by {number} of {TRIPLES} triples, in hundredths:\n   Ks   Kc   Kp\n"
        );
        for factors in &self.best {
            let [lettuces, carrots, path] = coordinates(factors);
            // Writing to a string never fails.
            let _ = writeln!(text, "{lettuces:>5}{carrots:>5}{path:>5}");
        }
        let nearest = factors::spell(self.nearest());
        let _ = writeln!(text, "nearest to their mean: {nearest}");
        text
    }
}

/// The triple of an index below [`TRIPLES`], in ascending order.
fn triple(index: usize) -> Factors {
    let value = |digit: usize| FIRST + STEP * (digit % VALUES) as i32;
    Factors {
        lettuces: value(index / VALUES.pow(2)),
        carrots: value(index / VALUES),
        path: value(index),
    }
}

fn coordinates(factors: &Factors) -> [i64; 3] {
    [factors.lettuces, factors.carrots, factors.path].map(i64::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{Etude, HASE_UND_IGEL};

    fn judged(lines: &[&str]) -> Vec<JudgedEtude> {
        let etudes = lines
            .iter()
            .map(|line| Etude::parse(&HASE_UND_IGEL, line).unwrap());
        JudgedEtude::all(&etudes.enumerate().collect::<Vec<_>>())
    }

    #[test]
    fn triples_ascend_from_a_half_to_two() {
        let triples: Vec<Factors> = (0..TRIPLES).map(triple).collect();
        assert!(triples.is_sorted());
        let all = |value| Factors {
            lettuces: value,
            carrots: value,
            path: value,
        };
        assert_eq!((triples[0], triples[TRIPLES - 1]), (all(50), all(200)));
        assert!(triples.contains(&Factors::default()));
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let etudes = judged(&[
            "45;26;2;f;29;19;0;f;2",
            "45;26;2;f;29;19;0;f;1",
            "20;60;3;f;30;20;2;f;1",
            "50;5;1;f;30;80;1;f;33;60;0;f;2",
        ]);
        let mut told = Vec::new();
        let alone = Tuning::of(&etudes, 1, |done| told.push(done));
        assert_eq!(told, Vec::from_iter(1..=TRIPLES));
        for threads in [0, 2, 7] {
            assert_eq!(Tuning::of(&etudes, threads, |_| ()), alone, "{threads}");
        }
    }

    #[test]
    fn the_nearest_to_the_mean_is_the_smallest_of_several() {
        let of = |triples: &[[i32; 3]]| {
            let best = triples.iter().map(|&[lettuces, carrots, path]| Factors {
                lettuces,
                carrots,
                path,
            });
            let best = best.collect();
            coordinates(&Tuning { hits: 1, best }.nearest())
        };
        assert_eq!(of(&[[50, 60, 70]]), [50, 60, 70]);
        assert_eq!(of(&[[50, 50, 50], [50, 50, 200]]), [50, 50, 50]);
        assert_eq!(
            of(&[[50, 200, 200], [60, 100, 100], [200, 50, 50], [200, 60, 50]]),
            [60, 100, 100]
        );
    }
}
