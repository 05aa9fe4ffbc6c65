//! Units whose workers the coordinator chooses.
//!
//! To expose workers that invent games, a unit of the sample counts only after two workers have played it. A unit is
//! stuck if no worker has sent it although it was given out again.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use matches::record::GameRecord;
use matches::record::digest::StoredGame;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use crate::signature::{Key, id_in};

/// Maximum number of a worker's games that wait for agreement; more are dropped, and played again.
const MAX_GAMES: usize = 30_000;

/// These units, and the workers' claims about them. The first claim may come from any worker; each further one only
/// from a worker that the coordinator has chosen for it.
#[derive(Debug)]
pub struct Sample {
    /// About one unit in this number is sampled; `None` for no sample.
    one_of: Option<u64>,
    /// Seed of the sample, hidden from workers.
    secret: u64,
    units: BTreeMap<u64, Claims>,
    /// Number of games in each worker's claims.
    held: BTreeMap<String, usize>,
}

/// Claims about the games of one unit.
#[derive(Debug, Default)]
struct Claims {
    /// Games by worker and number.
    games: BTreeMap<String, BTreeMap<u64, StoredGame>>,
    /// Workers that have claimed all missing games, in order.
    complete: Vec<String>,
    chosen: Option<Chosen>,
    /// Ids of the workers that were chosen and did not answer in time.
    silent: BTreeSet<String>,
    /// Whether a worker must be chosen although none has claimed the unit.
    is_stuck: bool,
}

impl Claims {
    /// Whether a worker must be chosen, now or later.
    fn needs_choice(&self) -> bool {
        self.is_stuck || !self.complete.is_empty()
    }

    fn has_chosen(&self, id: &str) -> bool {
        let chosen = self.chosen.as_ref();
        chosen.is_some_and(|chosen| chosen.key.id() == id) || self.silent.contains(id)
    }
}

/// A worker that the coordinator has chosen to play a unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chosen {
    pub key: Key,
    pub since: Instant,
    /// Deadline for its answer, or for a heartbeat that lists the unit.
    pub until: Instant,
}

/// A new state of the claims about a unit.
#[derive(Debug, PartialEq)]
pub enum Claimed {
    /// A worker has claimed the whole unit, and another one must confirm it.
    Whole,
    /// Two workers agree.
    Agreed {
        /// The worker that was first.
        worker: String,
        records: Vec<GameRecord>,
        /// Workers that sent other games.
        others: Vec<String>,
    },
}

impl Sample {
    /// A sample of about one unit in `one_of`, which cannot be predicted without `secret`.
    pub fn new(one_of: Option<u64>, secret: u64) -> Sample {
        Sample { one_of, secret, units: BTreeMap::new(), held: BTreeMap::new() }
    }

    pub fn has(&self, unit: u64) -> bool {
        let mut random = StdRng::seed_from_u64(self.secret ^ unit);
        self.one_of.is_some_and(|one_of| random.random_range(0..one_of) == 0)
    }

    /// Adds a worker's claim about a game of a unit with these missing games, if it may make one; returns the new state
    /// if it changes.
    pub fn claim(
        &mut self,
        unit: u64,
        missing: &[u64],
        worker: &str,
        game: StoredGame,
    ) -> Option<Claimed> {
        let held = self.held.entry(worker.to_string()).or_default();
        let claims = self.units.entry(unit).or_default();
        let may_claim = claims.complete.is_empty() || claims.has_chosen(id_in(worker));
        let has_claimed = claims.complete.iter().any(|name| name == worker);
        if *held >= MAX_GAMES || has_claimed || !may_claim {
            return None;
        }
        let games = claims.games.entry(worker.to_string()).or_default();
        *held += usize::from(games.insert(game.record.game, game).is_none());
        if !missing.iter().all(|number| games.contains_key(number)) {
            return None;
        }
        claims.chosen = None;
        claims.complete.push(worker.to_string());
        claims.games.retain(|name, games| {
            let is_kept = claims.complete.contains(name);
            release(&mut self.held, name, if is_kept { 0 } else { games.len() });
            is_kept
        });
        let digests = |worker: &String| -> Vec<Option<String>> {
            let games = &claims.games[worker];
            let digest = |number| games.get(number).map(|game| game.record.digest());
            missing.iter().map(digest).collect()
        };
        let own = digests(claims.complete.last()?);
        let mut earlier = claims.complete.split_last()?.1.iter();
        let Some(first) = earlier.find(|first| digests(first) == own).cloned() else {
            return Some(Claimed::Whole);
        };
        let mut claims = self.remove(unit)?;
        let games = claims.games.remove(&first)?;
        let games = games.into_iter().filter(|(number, _)| missing.contains(number));
        let others = claims.complete.into_iter();
        Some(Claimed::Agreed {
            others: others.filter(|other| *other != first && other != worker).collect(),
            worker: first,
            records: games.map(|(_, game)| game.record).collect(),
        })
    }

    /// Notes that no worker has sent a unit, so that one must be chosen for it.
    pub fn note_stuck(&mut self, unit: u64) {
        self.units.entry(unit).or_default().is_stuck = true;
    }

    /// Notes that all games of a unit count.
    pub fn complete(&mut self, unit: u64) {
        self.remove(unit);
    }

    fn remove(&mut self, unit: u64) -> Option<Claims> {
        let claims = self.units.remove(&unit)?;
        for (name, games) in &claims.games {
            release(&mut self.held, name, games.len());
        }
        Some(claims)
    }

    /// Whether a worker has claimed a whole unit, so that another one must confirm it.
    pub fn is_claimed(&self, unit: u64) -> bool {
        let claims = self.units.get(&unit);
        claims.is_some_and(|claims| !claims.complete.is_empty())
    }

    pub fn has_claimed(&self) -> bool {
        self.units.values().any(|claims| !claims.complete.is_empty())
    }

    /// Returns the units that must be played by a chosen worker, and the worker that was chosen and is due to answer.
    pub fn due(&self) -> Vec<(u64, Option<Chosen>)> {
        let due = |(&unit, claims): (&u64, &Claims)| {
            let chosen = claims.chosen.clone();
            let is_due = chosen.as_ref().is_none_or(|chosen| chosen.until <= Instant::now());
            (is_due && claims.needs_choice()).then_some((unit, chosen))
        };
        self.units.iter().filter_map(due).collect()
    }

    pub fn choose(&mut self, unit: u64, chosen: Chosen) {
        if let Some(claims) = self.units.get_mut(&unit) {
            claims.chosen = Some(chosen);
        }
    }

    /// Notes that the worker chosen for a unit does not answer.
    pub fn give_up(&mut self, unit: u64) {
        if let Some(claims) = self.units.get_mut(&unit) {
            let silent = claims.chosen.take().map(|chosen| chosen.key.id().to_string());
            claims.silent.extend(silent);
        }
    }

    /// Number of workers that were chosen for a unit and did not answer.
    pub fn silent(&self, unit: u64) -> usize {
        self.units.get(&unit).map_or(0, |claims| claims.silent.len())
    }

    /// Whether a worker may be chosen for a unit: it has not claimed it. Silent ones may only be chosen `again`.
    pub fn may_choose(&self, unit: u64, key: &Key, again: bool) -> bool {
        let Some(claims) = self.units.get(&unit) else {
            return false;
        };
        let mut complete = claims.complete.iter();
        !complete.any(|name| id_in(name) == key.id())
            && (again || !claims.silent.contains(key.id()))
    }

    /// Removes the claims of a worker that is no longer trusted; returns the units without any further claim.
    pub fn forget(&mut self, worker: &str) -> Vec<u64> {
        let mut free = Vec::new();
        for (&unit, claims) in &mut self.units {
            claims.games.remove(worker);
            let before = claims.complete.len();
            claims.complete.retain(|by| by != worker);
            if claims.complete.is_empty() && before > 0 {
                claims.chosen = None;
                free.push(unit);
            }
        }
        self.units.retain(|_, claims| claims.is_stuck || !claims.games.is_empty());
        self.held.remove(worker);
        free
    }
}

/// Subtracts from the number of games in a worker's claims.
fn release(held: &mut BTreeMap<String, usize>, worker: &str, games: usize) {
    if let Some(number) = held.get_mut(worker) {
        *number -= games;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::{Signer, name_of};

    #[test]
    fn about_one_unit_of_ten_is_in_the_sample() {
        let sample = Sample::new(Some(10), 5);
        let number = (0..10_000).filter(|&unit| sample.has(unit)).count();
        // 1000 expected, with a standard deviation of 30.
        assert!((850..1150).contains(&number), "{number}");
        assert!(!(0..1000).any(|unit| Sample::new(None, 5).has(unit)));
        assert!((0..1000).all(|unit| Sample::new(Some(1), 5).has(unit)));
    }

    fn key() -> Key {
        Signer::default().key().clone()
    }

    fn game(number: u64, moves: &str) -> StoredGame {
        let record = GameRecord { game: number, moves: moves.to_string(), ..GameRecord::default() };
        StoredGame { record, digest: None, totals: None }
    }

    #[test]
    fn only_a_chosen_worker_confirms_a_unit() {
        let mut sample = Sample::new(Some(1), 5);
        let keys = [key(), key(), key(), key()];
        let names = keys.each_ref().map(|key| name_of("worker", key));
        let claim = |sample: &mut Sample, by: usize, moves: &str| {
            let first = sample.claim(0, &[1, 2], &names[by], game(1, moves));
            assert_eq!(first, None);
            sample.claim(0, &[1, 2], &names[by], game(2, moves))
        };
        let choose = |sample: &mut Sample, by: usize| {
            let (key, now) = (keys[by].clone(), Instant::now());
            assert!(sample.may_choose(0, &key, false));
            let (since, until) = (now, now);
            sample.choose(0, Chosen { key, since, until });
        };
        assert_eq!(claim(&mut sample, 0, "good"), Some(Claimed::Whole));
        // Others are not asked, and a worker cannot confirm its own games.
        assert_eq!(claim(&mut sample, 1, "good"), None);
        assert_eq!(claim(&mut sample, 0, "good"), None);
        assert!(!sample.may_choose(0, &keys[0], true));
        choose(&mut sample, 1);
        assert_eq!(claim(&mut sample, 2, "good"), None);
        assert_eq!(claim(&mut sample, 1, "bad"), Some(Claimed::Whole));
        choose(&mut sample, 2);
        sample.give_up(0);
        assert!(!sample.may_choose(0, &keys[2], false) && sample.may_choose(0, &keys[2], true));
        choose(&mut sample, 3);
        assert_eq!(sample.due().len(), 1);
        let agreed = claim(&mut sample, 3, "good");
        let Some(Claimed::Agreed { worker, records, others }) = agreed else {
            panic!("{agreed:?}")
        };
        assert_eq!((worker, others), (names[0].clone(), vec![names[1].clone()]));
        assert_eq!(records.len(), 2);
        assert!(!sample.has_claimed());
        assert_eq!(claim(&mut sample, 0, "good"), Some(Claimed::Whole));
        assert_eq!(sample.forget(&names[0]), [0]);
        assert!(!sample.is_claimed(0));
        assert!(sample.held.values().all(|number| *number == 0), "{sample:?}");
    }
}
