//! The life of a unit of games, in order: it is due, published, given out, and then complete, or lost and due again. A
//! unit of the sample is complete only after two workers have claimed the same games. Nothing here talks to the server:
//! the coordinator publishes the units that are due, and `collect` counts the games that come back.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::{Duration, Instant};

use matches::plan::Plan;
use matches::plan::rules::PositionError;
use matches::plan::schedule::Schedule;
use matches::play::referee::count_reruns;
use matches::record::GameRecord;
use matches::run::past::Past;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use super::machines::Failures;
use crate::message::{Units, Work};
use crate::signature::{Key, id_in};

/// Number of times that a unit is published before a worker is chosen for it: some workers may take units and never
/// send them.
pub const MAX_PUBLISHED: u32 = 2;
/// Age at which a unit that was published so often is stuck, in times that a worker may be silent.
const STUCK_SILENCES: u32 = 10;
/// Stuck units considered at a time.
const MAX_STUCK: usize = 64;

/// The units of a match, with the games that count and the units that are given out.
pub struct UnitSchedule<'a> {
    plan: &'a Plan,
    schedule: &'a Schedule<'a>,
    units: Units,
    /// Number of the coordinator's session.
    session: u64,
    /// Numbers of the games that count.
    played: HashSet<u64>,
    /// Number of reruns for each engine, in the order of the plan.
    reruns: Vec<u32>,
    pub failures: Failures,
    /// Whether the test of the match has a verdict.
    pub has_verdict: bool,
    /// Units that two workers play.
    pub sample: Sample,
    /// Units that are given out.
    given: BTreeMap<u64, Given>,
    /// Units that must be given out again.
    lost: BTreeSet<u64>,
    /// First unit that was never given out.
    next: u64,
    /// Number of times that each incomplete unit was published.
    times: BTreeMap<u64, u32>,
}

#[derive(Debug)]
struct Given {
    /// Sequence number of the message in its stream.
    sequence: u64,
    at: Instant,
}

impl<'a> UnitSchedule<'a> {
    /// The units of a match after the games of earlier runs, with none given out.
    pub fn new(
        plan: &'a Plan,
        schedule: &'a Schedule<'a>,
        session: u64,
        past: &Past,
        failures: Failures,
        sample: Sample,
    ) -> UnitSchedule<'a> {
        UnitSchedule {
            plan,
            schedule,
            units: Units::of(plan),
            session,
            played: past.played.clone(),
            reruns: past.reruns.clone(),
            failures,
            has_verdict: false,
            sample,
            given: BTreeMap::new(),
            lost: BTreeSet::new(),
            next: 0,
            times: BTreeMap::new(),
        }
    }

    /// Returns the next unit to publish: the first lost one that is due, else the first due one that was never given
    /// out.
    pub fn next_due(&mut self) -> Option<u64> {
        while let Some(unit) = self.lost.pop_first() {
            if self.is_due(unit) {
                return Some(unit);
            }
        }
        while self.next < self.units.count() {
            let unit = self.next;
            self.next += 1;
            if !self.given.contains_key(&unit) && self.is_due(unit) {
                return Some(unit);
            }
        }
        None
    }

    /// Whether games of a unit are missing, no worker has claimed it, and no engine of it is retired.
    fn is_due(&self, unit: u64) -> bool {
        let seats = self.schedule.seats(*self.units.games(unit).start());
        let mut engines = seats.iter().map(|seated| seated.engine);
        !engines.any(|engine| self.failures.retirement.has_retired(engine))
            && self.missing(unit).next().is_some()
            && !self.sample.is_claimed(unit)
    }

    /// Numbers of the games of a unit that do not count yet.
    fn missing(&self, unit: u64) -> impl Iterator<Item = u64> {
        self.units.games(unit).filter(|game| !self.played.contains(game))
    }

    /// The message that gives a unit to a worker.
    ///
    /// # Errors
    /// [`PositionError`] if a rules program fails.
    pub fn work(&self, unit: u64) -> Result<Work, PositionError> {
        Ok(Work {
            session: self.session,
            unit,
            reruns: self.reruns.clone(),
            dealt: self.schedule.dealt(*self.units.games(unit).start())?,
        })
    }

    /// Notes that a unit is being published; [`UnitSchedule::sent`] or [`UnitSchedule::lose`] must follow.
    pub fn note_published(&mut self, unit: u64) {
        *self.times.entry(unit).or_default() += 1;
    }

    /// Notes that the server has a unit, in the message with this sequence number.
    pub fn sent(&mut self, unit: u64, sequence: u64) {
        let at = Instant::now();
        self.given.insert(unit, Given { sequence, at });
    }

    /// Notes that a unit is lost, so that it is published again.
    pub fn lose(&mut self, unit: u64) {
        self.given.remove(&unit);
        self.lost.insert(unit);
    }

    /// Counts a game of a worker, which `is_alone` if there is no other; returns the engine that retires because of it,
    /// with its number of consecutive failures.
    pub fn count(&mut self, record: &GameRecord, is_alone: bool) -> Option<(usize, u32)> {
        count_reruns(&self.plan.engines, record, &mut self.reruns);
        self.played.insert(record.game);
        let unit = self.units.of_game(record.game);
        if self.missing(unit).next().is_none() {
            self.sample.remove(unit);
            self.take_back(unit);
        }
        self.failures.note(record, is_alone)
    }

    /// Notes that a unit need not be given out any longer.
    fn take_back(&mut self, unit: u64) {
        self.given.remove(&unit);
        self.lost.remove(&unit);
        self.times.remove(&unit);
    }

    /// Marks all units that are given out as lost; returns their number.
    pub fn lose_all(&mut self) -> usize {
        let given = std::mem::take(&mut self.given);
        let number = given.len();
        self.lost.extend(given.into_keys());
        number
    }

    /// Notes that games no longer count, or their claims were dropped, so that their units are published again.
    pub fn give_again(&mut self, games: impl IntoIterator<Item = u64>) {
        for game in games {
            let unit = self.units.of_game(game);
            if !self.given.contains_key(&unit) {
                self.lost.insert(unit);
            }
        }
    }

    /// Whether a game counts.
    pub fn has_played(&self, game: u64) -> bool {
        self.played.contains(&game)
    }

    /// Number of games that count.
    pub fn played(&self) -> u64 {
        self.played.len() as u64
    }

    /// Takes over the games that count according to the store, after some have left it.
    pub fn recount(&mut self, past: &Past, failures: Failures) {
        self.failures = failures;
        self.played.clone_from(&past.played);
        self.reruns.clone_from(&past.reruns);
    }

    /// Whether two workers must play the unit of a game.
    pub fn is_sampled(&self, game: u64) -> bool {
        self.sample.has(self.units.of_game(game))
    }

    /// Notes a worker's claim to a game that two must play; returns the new state of its unit if it changes.
    pub fn claim(&mut self, worker: &str, record: GameRecord) -> Option<Claimed> {
        let unit = self.units.of_game(record.game);
        let missing: Vec<u64> = self.missing(unit).collect();
        let claimed = self.sample.claim(unit, &missing, worker, record);
        if claimed == Some(Claimed::Whole) {
            self.take_back(unit);
        }
        claimed
    }

    /// Drops the claims of a worker that is no longer trusted.
    pub fn forget(&mut self, worker: &str) {
        let units = self.sample.forget(worker);
        let games: Vec<u64> = units.iter().map(|&unit| *self.units.games(unit).start()).collect();
        self.give_again(games);
    }

    /// Has a worker chosen for each due unit that has been out for long, or lost, although it was published again.
    pub fn note_stuck(&mut self, ack_wait: Duration) {
        let is_old = |unit| {
            let given = self.given.get(unit);
            given.is_some_and(|given| given.at.elapsed() > ack_wait * STUCK_SILENCES)
        };
        let often = self.times.iter().filter(|(_, times)| **times >= MAX_PUBLISHED);
        let stuck: Vec<u64> = often
            .filter(|&(unit, times)| *times > MAX_PUBLISHED || is_old(unit))
            .map(|(&unit, _)| unit)
            .take(MAX_STUCK)
            .collect();
        for unit in stuck {
            if self.is_due(unit) {
                self.sample.note_stuck(unit);
            }
        }
    }

    /// Returns the first `number` units that were published longer ago than `age`, with their messages: those from
    /// `unit` on, then those before.
    pub fn first(&self, unit: u64, number: usize, age: Duration) -> Vec<(u64, u64)> {
        let all = self.given.range(unit..).chain(self.given.range(..unit));
        let old = all
            .filter(|(_, given)| given.at.elapsed() > age)
            .map(|(&unit, given)| (unit, given.sequence));
        old.take(number).collect()
    }

    /// Returns the first `number` units that were published only once, and longer ago than `age`.
    pub fn late(&self, number: usize, age: Duration) -> Vec<u64> {
        let old = self.given.iter().filter(|(_, given)| given.at.elapsed() > age);
        let is_rare = |unit: &u64| self.times.get(unit).is_none_or(|&times| times < MAX_PUBLISHED);
        old.map(|(&unit, _)| unit).filter(is_rare).take(number).collect()
    }

    /// Returns the units with messages after `sequence`, with these messages.
    pub fn after(&self, sequence: u64) -> Vec<(u64, u64)> {
        let given = self.given.iter().map(|(&unit, given)| (unit, given.sequence));
        given.filter(|(_, given)| *given > sequence).collect()
    }

    /// Number of units that are given out.
    pub fn given(&self) -> u64 {
        self.given.len() as u64
    }

    /// Whether every unit has been given out since it was last lost.
    pub fn has_given_all(&self) -> bool {
        self.lost.is_empty() && self.next >= self.units.count()
    }

    /// Whether the test has a verdict, or all engines of the missing games are retired.
    pub fn is_decided(&self) -> bool {
        self.has_verdict || self.failures.retirement.leaves_nothing()
    }

    /// Whether the match is decided, or every unit is complete.
    pub fn is_over(&self) -> bool {
        let is_complete =
            self.given.is_empty() && self.has_given_all() && !self.sample.has_claimed();
        self.is_decided() || is_complete
    }
}

/// Maximum number of a worker's games that wait for agreement; more are dropped, and played again.
const MAX_CLAIMED_GAMES: usize = 30_000;

/// Units whose workers the coordinator chooses, and the workers' claims about them. To expose workers that invent
/// games, a unit of the sample counts only after two workers have played it. A unit is stuck if no worker has sent it
/// although it was given out again.
///
/// The first claim may come from any worker; each further one only
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
    games: BTreeMap<String, BTreeMap<u64, GameRecord>>,
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
        /// Games of the worker that was first.
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
        record: GameRecord,
    ) -> Option<Claimed> {
        let held = self.held.entry(worker.to_string()).or_default();
        let claims = self.units.entry(unit).or_default();
        let may_claim = claims.complete.is_empty() || claims.has_chosen(id_in(worker));
        let has_claimed = claims.complete.iter().any(|name| name == worker);
        if *held >= MAX_CLAIMED_GAMES || has_claimed || !may_claim {
            return None;
        }
        let games = claims.games.entry(worker.to_string()).or_default();
        *held += usize::from(games.insert(record.game, record).is_none());
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
            let digest = |number| games.get(number).map(GameRecord::digest);
            missing.iter().map(digest).collect()
        };
        let own = digests(claims.complete.last()?);
        let mut earlier = claims.complete.split_last()?.1.iter();
        let Some(first) = earlier.find(|first| digests(first) == own).cloned() else {
            return Some(Claimed::Whole);
        };
        let mut claims = self.remove(unit)?;
        let games =
            claims.games.remove(&first)?.into_iter().filter(|(number, _)| missing.contains(number));
        let others = claims.complete.into_iter();
        Some(Claimed::Agreed {
            others: others.filter(|other| *other != first && other != worker).collect(),
            records: games.map(|(_, record)| record).collect(),
        })
    }

    /// Notes that no worker has sent a unit, so that one must be chosen for it.
    pub fn note_stuck(&mut self, unit: u64) {
        self.units.entry(unit).or_default().is_stuck = true;
    }

    /// Removes and returns the claims about a unit, such as one whose games all count.
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
    use buxtehude::rules::VARIANTS;
    use matches::plan::{EngineSpec, Limit};
    use matches::record::{Fault, Machine};

    /// A plan of four units of two games each.
    fn plan() -> Plan {
        let engine = |name: &str| EngineSpec::new(name, "/bin/sh", Limit::nodes(1));
        let mut plan = Plan::new(&VARIANTS[0], 2, vec![engine("a"), engine("b")]);
        plan.games = 8;
        plan.referee_limits.failures = 3;
        plan
    }

    fn with_units<T>(sample: Option<u64>, test: impl Fn(UnitSchedule<'_>) -> T) -> T {
        let plan = plan();
        let schedule = Schedule::new(&plan).unwrap();
        let (past, failures) = (Past::none(&plan), Failures::new(&plan));
        test(UnitSchedule::new(&plan, &schedule, 7, &past, failures, Sample::new(sample, 5)))
    }

    /// A game of the worker `one`.
    fn game(number: u64) -> GameRecord {
        let seats = ["a", "b"].map(String::from).into();
        let machine = Some(Machine { worker: "one".to_string(), ..Machine::default() });
        GameRecord { game: number, seats, machine, ..GameRecord::default() }
    }

    /// Gives out the next unit, in the message with its number plus 10; returns it.
    fn give(units: &mut UnitSchedule<'_>) -> Option<u64> {
        let unit = units.next_due()?;
        units.note_published(unit);
        units.sent(unit, unit + 10);
        Some(unit)
    }

    #[test]
    fn lost_units_come_first() {
        with_units(None, |mut units| {
            assert_eq!([(); 3].map(|()| give(&mut units)), [Some(0), Some(1), Some(2)]);
            units.count(&game(3), true);
            assert_eq!(units.given(), 3);
            units.count(&game(4), true);
            units.lose(2);
            assert_eq!(units.first(0, 9, Duration::ZERO), [(0, 10)]);
            assert_eq!((units.after(9), units.after(10)), (vec![(0, 10)], vec![]));
            assert_eq!(give(&mut units), Some(2));
            assert_eq!(units.late(9, Duration::ZERO), [0]);
            assert_eq!([give(&mut units), give(&mut units)], [Some(3), None]);
            assert!(units.has_given_all() && !units.is_over());
            assert_eq!(units.lose_all(), 3);
            for number in [1, 2, 5, 6, 7, 8] {
                assert_eq!(units.count(&game(number), true), None);
            }
            assert_eq!(give(&mut units), None);
            assert!(units.is_over());
        });
    }

    #[test]
    fn a_unit_whose_games_no_longer_count_is_given_out_again() {
        with_units(None, |mut units| {
            while give(&mut units).is_some() {}
            for number in 1..=8 {
                assert_eq!(units.count(&game(number), true), None);
            }
            assert!(units.is_over());
            let mut past = Past::none(&plan());
            past.played = (1..=7).collect();
            units.recount(&past, Failures::new(&plan()));
            units.give_again([8]);
            assert!(!units.is_over());
            assert_eq!(give(&mut units), Some(3));
            // It is out already.
            units.give_again([8]);
            assert_eq!(give(&mut units), None);
        });
    }

    #[test]
    fn a_match_is_decided_by_a_verdict_or_when_engines_retire() {
        with_units(None, |mut units| {
            units.has_verdict = true;
            assert!(units.is_over());
        });
        with_units(None, |mut units| {
            let fault = |number, worker: &str| {
                let fault = Some(Fault { seat: 1, ..Fault::default() });
                let machine = Some(Machine { worker: worker.to_string(), ..Machine::default() });
                GameRecord { fault, machine, ..game(number) }
            };
            assert_eq!(units.count(&fault(1, "one"), true), None);
            assert_eq!(units.count(&fault(2, "one"), false), None);
            assert_eq!(units.count(&fault(3, "two"), false), None);
            assert_eq!(units.count(&fault(4, "one"), false), Some((0, 3)));
            assert!(units.is_decided());
            assert_eq!(give(&mut units), None);
        });
    }

    #[test]
    fn a_claimed_unit_is_not_due_until_its_claim_is_dropped() {
        with_units(Some(1), |mut units| {
            assert_eq!(give(&mut units), Some(0));
            assert!(units.is_sampled(1));
            let claim = |units: &mut UnitSchedule<'_>, number| units.claim("one", game(number));
            assert_eq!(claim(&mut units, 1), None);
            assert_eq!(claim(&mut units, 2), Some(Claimed::Whole));
            assert_eq!(units.given(), 0);
            units.lose(0);
            assert_eq!(give(&mut units), Some(1));
            units.forget("one");
            assert_eq!(give(&mut units), Some(0));
        });
    }

    #[test]
    fn a_unit_that_is_lost_again_and_again_needs_a_chosen_worker() {
        with_units(None, |mut units| {
            for _ in 0..3 {
                assert!(units.sample.due().is_empty());
                assert_eq!(give(&mut units), Some(0));
                units.lose(0);
                units.note_stuck(Duration::from_secs(30));
            }
            assert_eq!(units.sample.due(), [(0, None)]);
        });
    }

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

    fn game_of(number: u64, moves: &str) -> GameRecord {
        GameRecord { game: number, moves: moves.to_string(), ..GameRecord::default() }
    }

    #[test]
    fn only_a_chosen_worker_confirms_a_unit() {
        let mut sample = Sample::new(Some(1), 5);
        let keys = [key(), key(), key(), key()];
        let names = keys.each_ref().map(|key| name_of("worker", key));
        let claim = |sample: &mut Sample, by: usize, moves: &str| {
            let first = sample.claim(0, &[1, 2], &names[by], game_of(1, moves));
            assert_eq!(first, None);
            sample.claim(0, &[1, 2], &names[by], game_of(2, moves))
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
        let Some(Claimed::Agreed { records, others }) = agreed else { panic!("{agreed:?}") };
        assert_eq!(others, [names[1].clone()]);
        assert_eq!(records.len(), 2);
        assert!(!sample.has_claimed());
        assert_eq!(claim(&mut sample, 0, "good"), Some(Claimed::Whole));
        assert_eq!(sample.forget(&names[0]), [0]);
        assert!(!sample.is_claimed(0));
        assert!(sample.held.values().all(|number| *number == 0), "{sample:?}");
    }
}
