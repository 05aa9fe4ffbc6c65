//! Which machine is not fit for a match: its faults or its lag are far from those of the others.
//!
//! Faults are counted by units, since those within one may have one cause. A machine is looked at when it has played 4, 8,
//! 16 and so on units, and when the match is about to end. Fisher's exact test says how likely so many of all faulty units
//! are on that machine if it is like the others. All looks together, at all machines, set one aside that is not to be with
//! a chance of at most [`FALSE_ALARM`]: half of it for the looks on the way, of which the k-th has its part 1/(k (k + 1)),
//! half for the last, divided by the number of machines.
//!
//! Where time is limited, a machine is set aside, too, whose lag at two looks in a row was above the margin of an engine
//! and [`FAR`] times that of the others, each time by what 99 in 100 do not exceed.

use std::collections::{BTreeMap, HashMap};

use arbiter::plan::Plan;
use arbiter::record::{GameRecord, Machine};

use super::fisher;
use crate::units::Units;

/// The chance that a match sets aside any machine for its faults, if all are alike.
pub const FALSE_ALARM: f64 = 0.001;
/// How many times the lag of the others is far from it.
pub const FAR: u64 = 8;
/// Units after which a machine is looked at first.
const FIRST_LOOK: u64 = 4;

/// What is known of all machines.
#[derive(Debug)]
pub struct Quarantine {
    is_on: bool,
    units: Units,
    /// The least margin of an engine that is limited by time, in microseconds; `None` where there is none.
    margin: Option<u64>,
    machines: BTreeMap<String, Fitness>,
}

/// What is known of a machine.
#[derive(Clone, Debug, Default)]
struct Fitness {
    /// Units of which it has played a game.
    units: u64,
    /// Units among them with a fault.
    faulty: u64,
    /// Units of which it has not played all games, with the number of those played, and whether there was a fault.
    open: HashMap<u64, (u64, bool)>,
    /// Its lag, by what 99 in 100 do not exceed, as it was last.
    lag_p99: u64,
    /// How often it was looked at.
    looks: u32,
    /// Whether its lag was far from that of the others at the last look.
    was_slow: bool,
}

impl Quarantine {
    /// No machine yet; nobody is ever set aside where it is off.
    pub fn new(plan: &Plan, is_on: bool) -> Quarantine {
        let timed = plan
            .engines
            .iter()
            .filter(|engine| !engine.limit.is_timeless());
        let margin = timed.map(|engine| engine.margin).min();
        Quarantine {
            is_on,
            units: Units::of(plan),
            margin: margin.map(|margin| margin.as_micros() as u64),
            machines: BTreeMap::new(),
        }
    }

    /// Whether games are kept out at all.
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Notes a game that counts; returns why its machine is to be set aside, if it is.
    pub fn note(&mut self, record: &GameRecord) -> Option<String> {
        let machine = record.machine.as_ref().filter(|_| self.is_on)?;
        let unit = self.units.of_game(record.game);
        let of_unit = self.units.games(unit).count() as u64;
        let is_due = self
            .fitness(machine)
            .note(unit, of_unit, record.fault.is_some());
        is_due.then(|| self.look(&machine.worker))?
    }

    fn fitness(&mut self, machine: &Machine) -> &mut Fitness {
        let fitness = self.machines.entry(machine.worker.clone()).or_default();
        fitness.lag_p99 = machine.lag_p99;
        fitness
    }

    /// Forgets a machine that is set aside.
    pub fn forget(&mut self, worker: &str) {
        self.machines.remove(worker);
    }

    /// Looks at all machines for the last time; returns who is to be set aside, and why.
    pub fn last_look(&self) -> Option<(String, String)> {
        if !self.is_on {
            return None;
        }
        let level = FALSE_ALARM / 2.0 / self.machines.len().max(1) as f64;
        let mut names = self.machines.keys();
        names.find_map(|name| Some((name.clone(), self.faults(name, level)?)))
    }

    /// Looks at a machine on the way.
    fn look(&mut self, worker: &str) -> Option<String> {
        let others_lag = self.lag_of_others(worker);
        let machines = self.machines.len().max(1) as f64;
        let margin = self.margin;
        let fitness = self.machines.get_mut(worker)?;
        fitness.looks += 1;
        let look = f64::from(fitness.looks);
        let lag = fitness.lag_p99;
        let is_slow = margin
            .zip(others_lag)
            .is_some_and(|(margin, others)| lag > margin && lag > FAR * others);
        let was_slow = std::mem::replace(&mut fitness.was_slow, is_slow);
        let level = FALSE_ALARM / 2.0 / (look * (look + 1.0)) / machines;
        self.faults(worker, level).or_else(|| {
            let others = others_lag? as f64 / 1000.0;
            let lag = lag as f64 / 1000.0;
            (is_slow && was_slow).then(|| {
                format!("1 % of its lag is above {lag:.1} ms, on the other machines above {others:.1} ms")
            })
        })
    }

    /// The median of the lags of all other machines that were looked at; `None` where there is none.
    fn lag_of_others(&self, worker: &str) -> Option<u64> {
        let others = self
            .machines
            .iter()
            .filter(|(name, fitness)| name.as_str() != worker && fitness.units >= FIRST_LOOK);
        let mut lags: Vec<u64> = others.map(|(_, fitness)| fitness.lag_p99).collect();
        lags.sort_unstable();
        lags.get(lags.len() / 2).copied()
    }

    /// Why a machine has too many faults for chance, at this level.
    fn faults(&self, worker: &str, level: f64) -> Option<String> {
        let here = self.machines.get(worker)?;
        let others = self
            .machines
            .iter()
            .filter(|(name, _)| name.as_str() != worker);
        let (units, faulty) = others.fold((0, 0), |(units, faulty), (_, fitness)| {
            (units + fitness.units, faulty + fitness.faulty)
        });
        let chance = fisher::chance(here.faulty, here.units, faulty, units);
        (chance < level).then(|| {
            format!(
                "{} of its {} blocks had a fault, on the other machines {faulty} of {units}",
                here.faulty, here.units
            )
        })
    }
}

impl Fitness {
    /// Notes a game of a unit of so many; whether it is time to look.
    fn note(&mut self, unit: u64, of_unit: u64, is_fault: bool) -> bool {
        let (played, was_faulty) = self.open.get(&unit).copied().unwrap_or_default();
        self.units += u64::from(played == 0);
        self.faulty += u64::from(is_fault && !was_faulty);
        let is_whole = played + 1 >= of_unit;
        match is_whole {
            true => self.open.remove(&unit),
            false => self.open.insert(unit, (played + 1, was_faulty || is_fault)),
        };
        is_whole && self.units >= FIRST_LOOK << self.looks.min(40)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use arbiter::plan::{EngineSpec, Limit};
    use arbiter::record::Fault;
    use arbiter::record::seed::Seed;
    use buxtehude::rules::VARIANTS;
    use std::time::Duration;

    /// A match of pairs of games by one engine with this limit.
    fn plan(limit: Limit) -> Plan {
        let engines = ["a", "b"].map(|name| EngineSpec::new(name, "/bin/sh", limit));
        let mut plan = Plan::new(&VARIANTS[0], 2, engines.into());
        plan.games = 1_000_000;
        plan
    }

    fn game(number: u64, worker: &str, is_fault: bool, lag_p99: u64) -> GameRecord {
        let fault = Fault {
            seat: 1,
            reason: String::new(),
            stderr: Vec::new(),
            evidence: None,
        };
        GameRecord {
            game: number,
            block: number.div_ceil(2),
            variant: String::new(),
            start: String::new(),
            seats: Vec::new(),
            seed: Seed::Number(1),
            moves: String::new(),
            places: Vec::new(),
            endings: Vec::new(),
            fault: is_fault.then_some(fault),
            turns: Vec::new(),
            replays: Vec::new(),
            machine: Some(Machine {
                worker: worker.to_string(),
                lag_p99,
                ..Machine::default()
            }),
        }
    }

    /// Random numbers that are good enough for a simulation.
    struct Random(u64);

    impl Random {
        /// From 0 to 1.
        fn next(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 11) as f64 / (1u64 << 53) as f64
        }
    }

    /// Has machines play units in a random order, each with its own chance of a fault; returns who is set aside, after
    /// how many units.
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
            // The second game of a unit fails mostly where the first has.
            let is_fault = random.next() < chances[machine];
            for number in [2 * unit + 1, 2 * unit + 2] {
                let name = machine.to_string();
                if quarantine
                    .note(&game(number, &name, is_fault, lag(machine)))
                    .is_some()
                {
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
        // At most 2 are expected; the test is discrete, so that it is rather none.
        assert!(alarms <= 4, "{alarms} of {matches}");
    }

    #[test]
    fn a_machine_with_faults_is_found_and_it_alone() {
        let mut random = Random(2);
        for (bad, good, most) in [(1.0, 0.0, 80), (1.0, 0.2, 200), (0.5, 0.05, 400)] {
            for _ in 0..50 {
                let found = simulate(&mut random, &[good, bad, good, good], 1000, |_| 300);
                assert!(
                    matches!(found[..], [(1, unit)] if unit < most),
                    "{bad} {good}: {found:?}"
                );
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
        assert!(reason.ends_with("on the other machines 0 of 3"), "{reason}");
    }

    #[test]
    fn a_machine_whose_lag_is_far_from_the_others_is_found_where_time_counts() {
        for (lag, limit, is_found) in [
            (60_000, Limit::movetime(Duration::from_millis(9)), true),
            // Within the margin, or not far from the others, or where no time is limited.
            (49_000, Limit::movetime(Duration::from_millis(9)), false),
            (60_000, Limit::nodes(9), false),
        ] {
            let mut quarantine = Quarantine::new(&plan(limit), true);
            let mut found = Vec::new();
            for number in 1..=100 {
                let (worker, lag) =
                    [("good", 2000), ("slow", lag), ("fair", 4000)][(number as usize - 1) / 2 % 3];
                found.extend(quarantine.note(&game(number, worker, false, lag)));
            }
            let expected = "1 % of its lag is above 60.0 ms, on the other machines above 4.0 ms";
            assert_eq!(
                found.first().map(String::as_str),
                is_found.then_some(expected),
                "{lag}"
            );
        }
        let mut random = Random(3);
        let alike = |machine: usize| 20_000 * (1 + machine as u64);
        assert_eq!(simulate(&mut random, &[0.0; 5], 1000, alike), []);
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
