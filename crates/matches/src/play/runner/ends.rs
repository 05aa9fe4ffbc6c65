//! The ends of games on their way from the workers, and the retirement of engines that fail repeatedly.
//!
//! Failures count in the order of the schedule, even if the games end in another order. The same games are therefore
//! played at any concurrency.

use std::collections::{BTreeMap, HashSet};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{Event, RunError};
use crate::plan::schedule::LineUps;
use crate::plan::{EngineSpec, Plan, RefereeLimits};
use crate::record::GameRecord;

/// Capacity of the event queue; no game starts while it is full.
const MAX_PENDING_EVENTS: usize = 64;
/// Number of finished games that wait for the ends of earlier ones at which no game starts.
const MAX_HELD: usize = 64;

/// Events of all workers on their way to the thread that handles them.
pub struct Outbox<'a> {
    pub ends: Mutex<Ends>,
    pub events: Sender<Result<Event, RunError>>,
    /// Number of events that `on_event` has not handled yet.
    pub pending: &'a AtomicUsize,
}

impl Outbox<'_> {
    /// Sends the game as [`Event::Ended`] once no earlier game can retire one of its engines, after those that it lets
    /// go; then any [`Event::Retired`].
    pub fn end(&self, record: GameRecord) {
        // Locked until all is sent, so that a retirement comes after the game that caused it.
        let mut ends = self.ends();
        for event in ends.end_game(Box::new(record)) {
            self.send(Ok(event));
        }
    }

    pub fn send(&self, event: Result<Event, RunError>) {
        self.pending.fetch_add(1, Ordering::Relaxed);
        // The receiver is gone only after the end of the match.
        let _ = self.events.send(event);
    }

    pub fn ends(&self) -> MutexGuard<'_, Ends> {
        self.ends.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_full(&self) -> bool {
        self.pending.load(Ordering::Relaxed) > MAX_PENDING_EVENTS || self.ends().held() > MAX_HELD
    }
}

/// With the last worker, sends the games that are held back, because no game will decide on them any more.
impl Drop for Outbox<'_> {
    fn drop(&mut self) {
        let released: Vec<Event> = self.ends().release().collect();
        for event in released {
            self.send(Ok(event));
        }
    }
}

/// The ends of the games of a match, in the order of the schedule as far as retirement depends on it.
///
/// A finished game counts only if no earlier game has retired one of its engines. It is held back while earlier games
/// that have not ended could still do so.
#[derive(Clone, Debug)]
pub struct Ends {
    /// State before game `next`.
    retirement: Retirement,
    /// The first game that is not decided.
    next: u64,
    /// Ends of later games, by game number.
    later: BTreeMap<u64, End>,
}

#[derive(Clone, Debug)]
enum End {
    /// It counts; with the index of the engine that failed, if any.
    Counted(Option<usize>),
    /// It may or may not count.
    Held(Box<GameRecord>),
    /// It does not count.
    Skipped,
}

/// Whether a game counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Counts,
    Open,
    Never,
}

impl Ends {
    /// Creates the state before the first game.
    pub fn new(plan: &Plan) -> Ends {
        Ends { retirement: Retirement::new(plan), next: 1, later: BTreeMap::new() }
    }

    /// Takes in a game of an earlier run. Games come in the order of the schedule.
    pub fn recall(&mut self, record: &GameRecord) {
        let known = self.later.first_key_value().map_or(record.game, |(&game, _)| game);
        self.pass_retired(known);
        for engine in self.engines_of(record.game) {
            if self.retirement.has_retired(engine) {
                // An earlier run let it play again.
                self.retirement.forgive(engine);
            }
        }
        self.later.insert(record.game, End::Counted(self.retirement.offender(record)));
        self.advance();
    }

    /// Lets all engines play again; failures in the games of earlier runs, given by their numbers, no longer count.
    pub fn forgive(&mut self, played: &HashSet<u64>) {
        for engine in 0..self.retirement.engines.len() {
            self.retirement.forgive(engine);
        }
        self.next = 1;
        self.later = played.iter().map(|&game| (game, End::Skipped)).collect();
        self.advance();
    }

    /// The retirement of engines by the games that are decided.
    pub fn retirement(&self) -> &Retirement {
        &self.retirement
    }

    fn held(&self) -> usize {
        self.later.values().filter(|end| matches!(end, End::Held(_))).count()
    }

    /// `true` if a game need not be played, because one of its engines has retired.
    pub fn leaves_out(&mut self, game: u64) -> bool {
        let is_left_out = self.fate(game) == Fate::Never;
        if is_left_out && game >= self.next {
            self.later.insert(game, End::Skipped);
            self.advance();
        }
        is_left_out
    }

    /// Takes in the end of a game; returns the events that follow: the games that now count, and the engines that
    /// retire.
    fn end_game(&mut self, record: Box<GameRecord>) -> Vec<Event> {
        if self.retirement.referee_limits.failures == 0 {
            return vec![Event::Ended(record)];
        }
        if record.game >= self.next {
            self.later.insert(record.game, End::Held(record));
        }
        let mut events = Vec::new();
        while let Some((game, fate)) = self.decided() {
            let record = self.settle(game, fate == Fate::Counts);
            events.extend(record.map(Event::Ended));
            events.extend(self.advance());
        }
        events
    }

    /// Ends the games that are still held back when no other game will end, in order, except those that cannot count.
    fn release(&mut self) -> impl Iterator<Item = Event> {
        let held: Vec<u64> = self
            .later
            .iter()
            .filter(|(_, end)| matches!(end, End::Held(_)))
            .map(|(&game, _)| game)
            .collect();
        let release = move |game| self.settle(game, self.fate(game) != Fate::Never);
        held.into_iter().filter_map(release).map(Event::Ended)
    }

    /// Decides on a game that is held back; returns it if it counts.
    fn settle(&mut self, game: u64, counts: bool) -> Option<Box<GameRecord>> {
        let Some(End::Held(record)) = self.later.insert(game, End::Skipped) else {
            return None;
        };
        let offender = self.retirement.offender(&record);
        counts.then(|| {
            self.later.insert(game, End::Counted(offender));
            record
        })
    }

    /// The first game that need no longer be held back, with its fate.
    fn decided(&self) -> Option<(u64, Fate)> {
        let held = self.later.iter().filter(|(_, end)| matches!(end, End::Held(_)));
        let mut fates = held.map(|(&game, _)| (game, self.fate(game)));
        fates.find(|(_, fate)| *fate != Fate::Open)
    }

    fn fate(&self, game: u64) -> Fate {
        if self.retirement.referee_limits.failures == 0 {
            return Fate::Counts;
        }
        let fates = self.engines_of(game).into_iter().map(|engine| self.fate_by(engine, game));
        fates.max().unwrap_or(Fate::Counts)
    }

    /// The fate of a game by the failures of one of its engines in the games before. In the worst case all games fail
    /// that have not ended.
    fn fate_by(&self, engine: usize, game: u64) -> Fate {
        let retires = |failures| self.retirement.referee_limits.retires(failures);
        let (mut failures, mut is_certain) = (0, true);
        for earlier in (self.next..game).rev() {
            if !self.engines_of(earlier).contains(&engine) {
                continue;
            }
            match self.later.get(&earlier) {
                Some(End::Skipped) => {}
                Some(End::Counted(offender)) if *offender == Some(engine) => failures += 1,
                Some(End::Counted(_)) => return Fate::Counts,
                Some(End::Held(record)) => {
                    failures += u32::from(self.retirement.offender(record) == Some(engine));
                    is_certain = false;
                }
                None => {
                    failures += 1;
                    is_certain = false;
                }
            }
            if retires(failures) {
                return if is_certain { Fate::Never } else { Fate::Open };
            }
        }
        match (
            self.retirement.has_retired(engine),
            retires(failures + self.retirement.failures[engine]),
        ) {
            (true, _) => Fate::Never,
            (false, true) => Fate::Open,
            (false, false) => Fate::Counts,
        }
    }

    /// Passes the games that are decided; returns the engines that retire by them.
    fn advance(&mut self) -> Vec<Event> {
        let mut retired = Vec::new();
        while let Some((&known, _)) = self.later.first_key_value() {
            self.pass_retired(known);
            let first = self.later.first_entry().filter(|first| *first.key() == self.next);
            let Some(first) = first.filter(|first| !matches!(first.get(), End::Held(_))) else {
                break;
            };
            if let End::Counted(offender) = first.remove() {
                let engines = self.engines_of(known);
                let failed = self.retirement.count(&engines, offender);
                retired.extend(failed.map(|(engine, failures)| Event::Retired {
                    engine: self.retirement.engines[engine].name.clone(),
                    failures,
                }));
            }
            self.next += 1;
        }
        retired
    }

    /// Passes the games of retired engines before a number.
    fn pass_retired(&mut self, until: u64) {
        let is_retired = |&engine: &usize| self.retirement.has_retired(engine);
        while self.next < until && self.engines_of(self.next).iter().any(is_retired) {
            // Without a line-up that is left, there may be very many such games.
            self.next = if self.retirement.leaves_nothing() { until } else { self.next + 1 };
        }
    }

    /// Engines of a game, in seat order.
    fn engines_of(&self, game: u64) -> Vec<usize> {
        let seats = self.retirement.line_ups.seats(game);
        seats.into_iter().map(|seated| seated.engine).collect()
    }
}

/// Consecutive failures of each engine.
#[derive(Clone, Debug)]
pub struct Retirement {
    engines: Vec<EngineSpec>,
    referee_limits: RefereeLimits,
    line_ups: LineUps,
    failures: Vec<u32>,
    has_retired: Vec<bool>,
}

impl Retirement {
    /// Creates the state before the first game.
    pub fn new(plan: &Plan) -> Retirement {
        Retirement {
            engines: plan.engines.clone(),
            referee_limits: plan.referee_limits,
            line_ups: plan.line_ups(),
            failures: vec![0; plan.engines.len()],
            has_retired: vec![false; plan.engines.len()],
        }
    }

    /// `true` if no line-up without a retired engine is left.
    pub fn leaves_nothing(&self) -> bool {
        !self.line_ups.can_do_without(|engine| self.has_retired[engine])
    }

    pub fn has_retired(&self, engine: usize) -> bool {
        self.has_retired[engine]
    }

    pub fn retired(&self) -> Vec<String> {
        let engines = self.engines.iter().zip(&self.has_retired);
        let retired = engines.filter(|(_, has_retired)| **has_retired);
        retired.map(|(engine, _)| engine.name.clone()).collect()
    }

    /// Counts the failures of a game; returns the engine that retires because of it, with its number of consecutive
    /// failures.
    pub fn note(&mut self, record: &GameRecord) -> Option<(usize, u32)> {
        let index = |name: &String| self.engines.iter().position(|engine| engine.name == *name);
        let engines: Vec<usize> = record.seats.iter().filter_map(index).collect();
        self.count(&engines, self.offender(record))
    }

    /// Retires exactly those engines whose last games so far have failed too often in a row: an earlier run may have
    /// let others play again.
    pub fn retire_by_last_games(&mut self) {
        let retires = |&failures: &u32| self.referee_limits.retires(failures);
        self.has_retired = self.failures.iter().map(retires).collect();
    }

    /// [`Retirement::note`] of a game of these engines, with the one that failed, if any.
    fn count(&mut self, engines: &[usize], offender: Option<usize>) -> Option<(usize, u32)> {
        for &engine in engines.iter().filter(|engine| Some(**engine) != offender) {
            self.failures[engine] = 0;
        }
        let offender = offender?;
        self.failures[offender] += 1;
        let failures = self.failures[offender];
        let is_new = self.referee_limits.retires(failures) && !self.has_retired[offender];
        self.has_retired[offender] |= is_new;
        is_new.then_some((offender, failures))
    }

    /// Index of the engine that failed in a game.
    fn offender(&self, record: &GameRecord) -> Option<usize> {
        let fault = record.fault.as_ref()?;
        let name = record.engine_in(fault.seat)?;
        self.engines.iter().position(|engine| engine.name == name)
    }

    fn forgive(&mut self, engine: usize) {
        self.failures[engine] = 0;
        self.has_retired[engine] = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Limit;
    use crate::record::Fault;

    /// A match of two engines, which retire after this number of failures.
    fn plan(failures: u32) -> Plan {
        let engine = |name| EngineSpec::new(name, name, Limit::nodes(1));
        let mut plan = Plan::new(&buxtehude::rules::VARIANTS[0], 2, ["a", "b"].map(engine).into());
        plan.referee_limits.failures = failures;
        plan
    }

    fn record(plan: &Plan, game: u64, offender: Option<&str>) -> Box<GameRecord> {
        let seats = plan.line_ups().seats(game).into_iter();
        let seats: Vec<String> =
            seats.map(|seated| plan.engines[seated.engine].name.clone()).collect();
        let seat = seats.iter().position(|name| Some(name.as_str()) == offender);
        let fault = seat.map(|seat| Fault { seat: seat as u32 + 1, ..Fault::default() });
        Box::new(GameRecord { game, seats, fault, ..GameRecord::default() })
    }

    /// The games that count and the engines that retire, if games end in this order.
    fn outcome(
        plan: &Plan,
        ended: &[u64],
        offender: impl Fn(u64) -> Option<&'static str>,
    ) -> (Vec<u64>, Vec<(String, u32)>) {
        let mut ends = Ends::new(plan);
        let (mut counted, mut retired) = (Vec::new(), Vec::new());
        for &game in ended {
            for event in ends.end_game(record(plan, game, offender(game))) {
                match event {
                    Event::Ended(record) => counted.push(record.game),
                    Event::Retired { engine, failures } => retired.push((engine, failures)),
                    other => panic!("{other:?}"),
                }
            }
        }
        assert_eq!(ends.held(), 0, "{ends:?}");
        counted.sort_unstable();
        (counted, retired)
    }

    #[test]
    fn the_order_in_which_games_end_makes_no_difference() {
        let plan = plan(3);
        // `b` fails in these games, `a` in the last one.
        let offender = |game: u64| match game {
            1 | 2 | 4 | 5 | 6 | 7 => Some("b"),
            12 => Some("a"),
            _ => None,
        };
        let expected = (vec![1, 2, 3, 4, 5, 6], vec![("b".to_string(), 3)]);
        for window in 1..=12 {
            for turned in 0..window {
                let mut ended: Vec<u64> = (1..=12).collect();
                for games in ended.chunks_mut(window) {
                    let turned = turned % games.len();
                    games.rotate_left(turned);
                }
                assert_eq!(outcome(&plan, &ended, offender), expected, "{ended:?}");
                ended.reverse();
                assert_eq!(outcome(&plan, &ended, offender), expected, "{ended:?}");
            }
        }
    }

    #[test]
    fn a_game_is_held_back_only_while_an_engine_could_retire_before_it() {
        let plan = plan(3);
        let mut ends = Ends::new(&plan);
        let mut counted = |game, offender| {
            let events = ends.end_game(record(&plan, game, offender));
            let counted = events.into_iter().filter_map(|event| match event {
                Event::Ended(record) => Some(record.game),
                _ => None,
            });
            counted.collect::<Vec<u64>>()
        };
        // Games 1 and 2 could fail, but not three before game 3.
        assert_eq!(counted(3, None), [3]);
        // After the good game 3 the long game 1 makes no difference.
        assert_eq!(counted(2, Some("a")), [2]);
        // Games 4 to 6 could fail.
        assert_eq!(counted(7, None), [0; 0]);
        assert_eq!(counted(5, Some("a")), [5]);
        assert_eq!(counted(6, Some("b")), [6, 7]);
    }

    #[test]
    fn games_are_released_at_the_end_unless_they_cannot_count() {
        let plan = plan(2);
        let mut ends = Ends::new(&plan);
        // Game 1 does not end. `b` retires by games 2 and 3 at the latest.
        for (game, offender, counted) in [(2, Some("b"), 1), (3, Some("b"), 0), (4, None, 0)] {
            assert_eq!(ends.end_game(record(&plan, game, offender)).len(), counted, "{game}");
        }
        let released: Vec<Event> = ends.release().collect();
        assert!(matches!(&released[..], [Event::Ended(record)] if record.game == 3));
        assert_eq!(ends.held(), 0);
    }

    #[test]
    fn a_resumed_match_counts_as_one_that_was_not_interrupted() {
        let plan = plan(2);
        let mut ends = Ends::new(&plan);
        // Game 3 was dropped.
        for (game, offender) in [(1, None), (2, Some("a")), (4, None)] {
            ends.recall(&record(&plan, game, offender));
        }
        assert!(!ends.leaves_out(3) && !ends.leaves_out(5));
        let retired = ends.end_game(record(&plan, 3, Some("a")));
        let [Event::Ended(_), Event::Retired { engine, failures: 2 }] = &retired[..] else {
            panic!("{retired:?}");
        };
        assert_eq!(engine, "a");
        assert!(ends.leaves_out(5) && ends.retirement().leaves_nothing());
        // Games without an engine that is left are not counted one by one.
        ends.recall(&record(&plan, u64::MAX / 2, None));
        ends.forgive(&(1..=4).collect());
        assert!(!ends.leaves_out(5) && !ends.retirement().leaves_nothing());
        // A game that was played by a forgiven engine proves that it was forgiven.
        let mut ends = Ends::new(&plan);
        for (game, offender) in [(1, Some("a")), (2, Some("a")), (5, None)] {
            ends.recall(&record(&plan, game, offender));
        }
        assert_eq!(ends.retirement().retired(), [""; 0]);
    }
}
