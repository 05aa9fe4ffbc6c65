//! Units that two workers must play before they count, which exposes workers that invent games.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use matches::record::GameRecord;
use matches::record::digest::StoredGame;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

/// The units that are played twice, and the workers' claims about their games.
#[derive(Debug)]
pub struct Sample {
    /// About one unit in this number is sampled; `None` for no sample.
    one_of: Option<u64>,
    /// Seed of the sample, hidden from workers.
    secret: u64,
    /// Games without agreement by number, with each worker's claim.
    claims: BTreeMap<u64, Vec<(String, StoredGame)>>,
}

/// A game that two workers agree on.
#[derive(Debug, PartialEq)]
pub struct Agreed {
    /// The worker that sent it first.
    pub worker: String,
    pub record: GameRecord,
    /// Workers that sent another game.
    pub others: Vec<String>,
}

impl Sample {
    /// A sample of about one unit in `one_of`, which cannot be predicted without `secret`.
    pub fn new(one_of: Option<u64>, secret: u64) -> Sample {
        Sample {
            one_of,
            secret,
            claims: BTreeMap::new(),
        }
    }

    /// Whether a unit is in the sample.
    pub fn has(&self, unit: u64) -> bool {
        let mut random = StdRng::seed_from_u64(self.secret ^ unit);
        self.one_of
            .is_some_and(|one_of| random.random_range(0..one_of) == 0)
    }

    /// Adds a worker's claim; returns the game once two workers agree. Only a worker's first claim about a game counts.
    pub fn claim(&mut self, number: u64, worker: String, game: StoredGame) -> Option<Agreed> {
        let claims = self.claims.entry(number).or_default();
        if claims.iter().any(|(by, _)| *by == worker) {
            return None;
        }
        let digest = game.record.digest();
        let is_same = |(_, other): &(String, StoredGame)| other.record.digest() == digest;
        let Some(index) = claims.iter().position(is_same) else {
            claims.push((worker, game));
            return None;
        };
        let mut claims = self.claims.remove(&number)?;
        let (worker, game) = claims.swap_remove(index);
        Some(Agreed {
            worker,
            record: game.record,
            others: claims.into_iter().map(|(by, _)| by).collect(),
        })
    }

    /// Whether a worker has made a claim about a game.
    pub fn has_claim(&self, number: u64, worker: &str) -> bool {
        let claims = self.claims.get(&number);
        claims.is_some_and(|claims| claims.iter().any(|(by, _)| by == worker))
    }

    /// Removes the claims of a worker that is no longer trusted.
    pub fn forget(&mut self, worker: &str) {
        for claims in self.claims.values_mut() {
            claims.retain(|(by, _)| by != worker);
        }
    }

    /// Returns the workers with claims about games without agreement.
    pub fn claimants(&self, games: RangeInclusive<u64>) -> Vec<String> {
        let claims = self.claims.range(games).flat_map(|(_, claims)| claims);
        let mut names: Vec<String> = claims.map(|(by, _)| by.clone()).collect();
        names.sort();
        names.dedup();
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn about_one_unit_of_ten_is_in_the_sample() {
        let sample = Sample::new(Some(10), 5);
        let number = (0..10_000).filter(|&unit| sample.has(unit)).count();
        // 1000 expected, with a standard deviation of 30.
        assert!((850..1150).contains(&number), "{number}");
        assert!(!(0..1000).any(|unit| Sample::new(None, 5).has(unit)));
        assert!((0..1000).all(|unit| Sample::new(Some(1), 5).has(unit)));
    }
}
