//! Detection of machines that are unfit for a match because they have far more faults or lag than the others.
//!
//! Events are counted by unit, since all events of one unit may have the same cause: whether a fault happened in the
//! unit and, if time is limited, whether the 99th percentile of the lag exceeded an engine's margin. A machine is
//! tested after 4, 8, 16, … units, and when the match is about to end. Fisher's exact test gives the probability that
//! so large a share of all such units falls on this machine if it is like the others. If all machines are alike, the
//! tests of all machines together set one aside with a probability of at most [`FALSE_ALARM`]. Half of it is for
//! faults, half for lag. Half of each is for the intermediate tests, and half for the last one. The k-th
//! intermediate test gets a share of 1/(k (k + 1)). All is divided by the number of machines.
//!
//! Lag must also be large: above the margin in most units, and on average [`FAR`] times the other machines' lag.

use std::collections::{BTreeMap, HashMap};

use matches::plan::{MAX_MARGIN, Plan};
use matches::record::{GameRecord, Machine};
use statrs::stats_tests::{Alternative, fishers_exact};

use crate::units::Units;

/// Probability that a match sets any machine aside if all are alike.
pub const FALSE_ALARM: f64 = 0.001;
/// Minimum ratio of a machine's mean lag to the other machines' before it is set aside.
pub const FAR: f64 = 8.0;
/// Units before a machine's first test.
const FIRST_LOOK: u64 = 4;

/// Statistics of all machines.
#[derive(Debug)]
pub struct Quarantine {
    is_on: bool,
    units: Units,
    /// Smallest margin of the engines with a time limit while the arbiter lags, in microseconds; `None` if there are
    /// none.
    margin: Option<u64>,
    machines: BTreeMap<String, MachineStatistics>,
}

#[derive(Clone, Debug, Default)]
struct MachineStatistics {
    /// Units with at least one game of this machine.
    units: u64,
    /// Number of these units with each event.
    with: UnitEvents<u64>,
    /// Incomplete units: the number of games played, and the events so far.
    open: HashMap<u64, (u64, UnitEvents<bool>)>,
    /// Number of games, and the sum of their 99th percentiles of lag.
    games: u64,
    lags: u64,
    /// Number of tests so far.
    looks: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct UnitEvents<T> {
    /// An engine was at fault.
    fault: T,
    /// The machine's lag exceeded the margin.
    lag: T,
}

impl Quarantine {
    /// Statistics without any machine; with `is_on` false, no machine is ever set aside.
    pub fn new(plan: &Plan, is_on: bool) -> Quarantine {
        let engines = plan.engines.iter();
        let timed = engines.filter(|engine| !engine.limit.is_timeless());
        let margin = timed.map(|engine| engine.margin.unwrap_or(MAX_MARGIN)).min();
        Quarantine {
            is_on,
            units: Units::of(plan),
            margin: margin.map(|margin| margin.as_micros() as u64),
            machines: BTreeMap::new(),
        }
    }

    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Adds a game that counts; returns the reason if its machine must be set aside.
    pub fn note(&mut self, record: &GameRecord) -> Option<String> {
        let machine = record.machine.as_ref().filter(|_| self.is_on)?;
        let Machine { worker, lag_p99, .. } = machine;
        let unit = self.units.of_game(record.game);
        let of_unit = self.units.games(unit).count() as u64;
        let events = UnitEvents {
            fault: record.fault.is_some(),
            lag: self.margin.is_some_and(|margin| *lag_p99 > margin),
        };
        let machine = self.machines.entry(worker.clone()).or_default();
        machine.games += 1;
        machine.lags = machine.lags.saturating_add(*lag_p99);
        if !machine.note(unit, of_unit, events) {
            return None;
        }
        machine.looks += 1;
        let look = f64::from(machine.looks);
        self.look(worker, 1.0 / (look * (look + 1.0)))
    }

    /// Forgets a machine that is set aside.
    pub fn forget(&mut self, worker: &str) {
        self.machines.remove(worker);
    }

    /// Tests all machines at the end of the match; returns a machine to set aside, with the reason.
    pub fn last_look(&self) -> Option<(String, String)> {
        let mut names = self.machines.keys();
        names.find_map(|name| Some((name.clone(), self.look(name, 1.0)?)))
    }

    /// Tests a machine at its `part` of the false alarm probability.
    fn look(&self, worker: &str, part: f64) -> Option<String> {
        let here = self.machines.get(worker)?;
        let others = || {
            let machines = self.machines.iter();
            machines.filter(|(name, _)| name.as_str() != worker)
        };
        let units: u64 = others().map(|(_, machine)| machine.units).sum();
        let level = part * FALSE_ALARM / 4.0 / self.machines.len().max(1) as f64;
        let is_chance = |here_with: u64, with: u64| {
            let table = [here_with, here.units - here_with, with, units - with];
            fishers_exact(&table, Alternative::Greater).is_ok_and(|chance| chance >= level)
        };
        let faults: u64 = others().map(|(_, machine)| machine.with.fault).sum();
        if !is_chance(here.with.fault, faults) {
            return Some(format!(
                "{} of its {} blocks had a fault, against {faults} of {units} on the other machines",
                here.with.fault, here.units
            ));
        }
        let lags: u64 = others().map(|(_, machine)| machine.with.lag).sum();
        let mut means: Vec<f64> = others().map(|(_, machine)| machine.mean_lag()).collect();
        means.sort_by(f64::total_cmp);
        let (own, median) = (here.mean_lag(), *means.get(means.len() / 2)?);
        let is_far = 2 * here.with.lag > here.units && own > FAR * median;
        (is_far && !is_chance(here.with.lag, lags)).then(|| {
            let ms = |micros: f64| micros / 1000.0;
            format!(
                "its lag exceeded the margin in {} of its {} blocks (mean {:.1} ms), against {lags} of {units} on the \
                 other machines (median {:.1} ms)",
                here.with.lag,
                here.units,
                ms(own),
                ms(median)
            )
        })
    }
}

impl MachineStatistics {
    /// Adds a game of a unit of `of_unit` games; returns whether a test is due.
    fn note(&mut self, unit: u64, of_unit: u64, events: UnitEvents<bool>) -> bool {
        let (played, before) = self.open.get(&unit).copied().unwrap_or_default();
        self.units += u64::from(played == 0);
        self.with.fault += u64::from(events.fault && !before.fault);
        self.with.lag += u64::from(events.lag && !before.lag);
        let is_whole = played + 1 >= of_unit;
        if is_whole {
            self.open.remove(&unit);
        } else {
            let all =
                UnitEvents { fault: events.fault || before.fault, lag: events.lag || before.lag };
            self.open.insert(unit, (played + 1, all));
        }
        is_whole && self.units >= FIRST_LOOK << self.looks.min(40)
    }

    /// Mean of its lags, in microseconds.
    fn mean_lag(&self) -> f64 {
        self.lags as f64 / self.games.max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::{EngineSpec, Limit};
    use matches::record::Fault;
    use std::time::Duration;

    /// A match in pairs of games, by two engines with this limit.
    fn plan(limit: Limit) -> Plan {
        let engines = ["a", "b"].map(|name| EngineSpec::new(name, "/bin/sh", limit));
        let mut plan = Plan::new(&VARIANTS[0], 2, engines.into());
        plan.games = 1_000_000;
        plan
    }

    fn game(number: u64, worker: &str, is_fault: bool, lag_p99: u64) -> GameRecord {
        let fault = Fault { seat: 1, ..Fault::default() };
        GameRecord {
            game: number,
            block: number.div_ceil(2),
            fault: is_fault.then_some(fault),
            machine: Some(Machine { worker: worker.to_string(), lag_p99, ..Machine::default() }),
            ..GameRecord::default()
        }
    }

    /// A random number generator that is good enough for a simulation.
    struct Random(u64);

    impl Random {
        /// Returns a number in 0..1.
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Simulates machines that play units in random order, each with its own fault probability; returns the machine
    /// that is set aside, and the number of units until then.
    fn simulate(
        random: &mut Random,
        chances: &[f64],
        units: u64,
        lag: impl Fn(usize) -> u64,
    ) -> Vec<(usize, u64)> {
        let mut quarantine =
            Quarantine::new(&plan(Limit::movetime(Duration::from_millis(9))), true);
        let mut aside: Vec<(usize, u64)> = Vec::new();
        for unit in 0..units {
            let machine = (random.next() * chances.len() as f64) as usize;
            if aside.iter().any(|(known, _)| *known == machine) {
                continue;
            }
            // The second game of a unit usually fails if the first does.
            let is_fault = random.next() < chances[machine];
            for number in [2 * unit + 1, 2 * unit + 2] {
                let name = machine.to_string();
                if quarantine.note(&game(number, &name, is_fault, lag(machine))).is_some() {
                    quarantine.forget(&name);
                    aside.push((machine, unit));
                    break;
                }
            }
        }
        if let Some((name, _)) = quarantine.last_look() {
            aside.push((name.parse().unwrap(), units));
        }
        aside
    }

    #[test]
    fn machines_that_are_alike_are_left_alone_as_often_as_is_said() {
        let mut random = Random(1);
        let mut alarms = 0;
        let (matches, lag) = (2000, |machine: usize| 300 + 200 * machine as u64);
        for number in 0..matches {
            let (machines, chance) = [(2, 0.01), (4, 0.1), (8, 0.3), (3, 0.5)][number % 4];
            alarms += simulate(&mut random, &vec![chance; machines], 400, lag).len();
        }
        // At most 2 are expected, and fewer in practice, since the test is discrete.
        assert!(alarms <= 4, "{alarms} of {matches}");
    }

    #[test]
    fn a_machine_with_faults_is_found_and_it_alone() {
        let mut random = Random(2);
        for (bad, good, most) in [(1.0, 0.0, 80), (1.0, 0.2, 200), (0.5, 0.05, 400)] {
            for _ in 0..50 {
                let found = simulate(&mut random, &[good, bad, good, good], 1000, |_| 300);
                assert!(matches!(found[..], [(1, unit)] if unit < most), "{bad} {good}: {found:?}");
            }
        }
    }

    #[test]
    fn a_fast_machine_that_always_fails_is_found_by_few_games_of_others() {
        let mut quarantine = Quarantine::new(&plan(Limit::nodes(1)), true);
        for number in 1..=6 {
            assert_eq!(quarantine.note(&game(number, "good", false, 0)), None);
        }
        let reason = (7..2000)
            .find_map(|number| Some((number, quarantine.note(&game(number, "bad", true, 0))?)));
        let (number, reason) = reason.unwrap();
        assert!(number < 7 + 2 * 128, "{number}");
        assert!(reason.ends_with("against 0 of 3 on the other machines"), "{reason}");
    }

    #[test]
    fn a_machine_whose_lag_is_far_from_the_others_is_found_where_time_counts() {
        for (lag, limit, is_found) in [
            (60_000, Limit::movetime(Duration::from_millis(9)), true),
            // Within the margin, or without a time limit.
            (49_000, Limit::movetime(Duration::from_millis(9)), false),
            (60_000, Limit::nodes(9), false),
        ] {
            let mut quarantine = Quarantine::new(&plan(limit), true);
            let mut found = Vec::new();
            for number in 1..=300 {
                let (worker, lag) =
                    [("good", 2000), ("slow", lag), ("fair", 4000)][(number as usize - 1) / 2 % 3];
                found.extend(quarantine.note(&game(number, worker, false, lag)));
            }
            let expected = "its lag exceeded the margin in 8 of its 8 blocks (mean 60.0 ms), against 0 of 15 on the \
                            other machines (median 4.0 ms)";
            assert_eq!(found.first().map(String::as_str), is_found.then_some(expected), "{lag}");
        }
    }

    #[test]
    fn machines_that_are_all_slow_or_slow_for_a_while_are_left_alone() {
        let mut random = Random(3);
        let alike = |machine: usize| 20_000 * (1 + machine as u64);
        assert_eq!(simulate(&mut random, &[0.0; 5], 1000, alike), []);
        let mut quarantine =
            Quarantine::new(&plan(Limit::movetime(Duration::from_millis(9))), true);
        for number in 1..=2000 {
            let is_busy = (400..700).contains(&number);
            let (worker, lag) = match (number - 1) / 2 % 2 {
                0 => ("good", 2000),
                _ => ("busy", if is_busy { 900_000 } else { 2000 }),
            };
            assert_eq!(quarantine.note(&game(number, worker, false, lag)), None, "{number}");
        }
        assert_eq!(quarantine.last_look(), None);
    }

    #[test]
    fn nobody_is_set_aside_where_it_is_off() {
        let mut quarantine = Quarantine::new(&plan(Limit::nodes(1)), false);
        for number in 1..200 {
            let is_bad = number % 4 < 2;
            let worker = if is_bad { "bad" } else { "good" };
            assert_eq!(quarantine.note(&game(number, worker, is_bad, 0)), None);
        }
        assert_eq!(quarantine.last_look(), None);
    }
}
