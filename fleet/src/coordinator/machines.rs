//! The machines of a match: their games in the store, the failures of engines there, and the report of them.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::plan::Plan;
use matches::play::runner::Retirement;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::record::printable::printable;
use matches::report::{Column, Rows, explained, percent};
use matches::score::Tally;

use crate::message::AsideTally;
use crate::signature::id_in;

/// Maximum number of listed machines, those with the most games; the others are only counted.
const MAX_LISTED_MACHINES: usize = 40;
/// Minimum difference, in standard errors, that is significant even with many machines: chance of 1 in 16,000.
const MIN_SIGNIFICANT: f64 = 4.0;
/// Number of standard errors in half of a 95 % interval.
const HALF_INTERVAL: f64 = 1.96;

/// Name of the machine of games that `arbiter` has played.
const UNNAMED: &str = "-";

const MACHINES_LEGEND: &str = "\
    games/s: with all its slots busy; lag, p99: the arbiter's own lag there, median and 99th percentile, in ms; \
    time, faults: games ended by a time forfeit, and by another fault; reruns: games rerun because a loss may not \
    have been the engine's fault; speed: thousand nodes per second of the built-in engine in each slot; times: its \
    time limits, as a fraction of those of the match\n";

const SHARES_LEGEND: &str = "\
    share: of the engine on that machine; elsewhere: on all other machines; ±: 95 % interval over complete blocks\n";

/// Consecutive failures of each engine. Failures in a row on one machine count once, since it may be their cause.
#[derive(Clone, Debug)]
pub struct Failures {
    pub retirement: Retirement,
    /// Each engine whose last game has failed, with the machine of that game.
    last: Vec<(String, String)>,
}

impl Failures {
    pub fn new(plan: &Plan) -> Failures {
        Failures { retirement: Retirement::new(plan), last: Vec::new() }
    }

    /// Whether it matters, if an engine fails in the next games, whether there is more than one machine.
    pub fn is_any(&self) -> bool {
        !self.last.is_empty()
    }

    /// Counts the failures in a game of a machine, all of them if it `is_alone`; returns the engine that retires
    /// because of it, with its number of consecutive failures.
    pub fn note(&mut self, record: &GameRecord, is_alone: bool) -> Option<(usize, u32)> {
        let worker = worker_in(record);
        let fault = record.fault.as_ref();
        let offender = fault.and_then(|fault| record.engine_in(fault.seat));
        let is_again = self
            .last
            .iter()
            .any(|(engine, machine)| Some(engine.as_str()) == offender && machine == worker);
        self.last.retain(|(engine, _)| !record.seats.contains(engine));
        self.last.extend(offender.map(|engine| (engine.to_string(), worker.to_string())));
        if is_again && !is_alone { None } else { self.retirement.note(record) }
    }
}

/// Workers and failures of engines, as the games in a store tell them.
pub struct KnownMachines {
    /// Names of the workers by the ids of their keys; a worker keeps its first label.
    pub workers: HashMap<String, String>,
    pub failures: Failures,
}

impl KnownMachines {
    /// Reads the games in a store. If the match `forgives`, the failures in them do not count.
    ///
    /// # Errors
    /// [`ArchiveError`] if it cannot be read.
    pub fn of(store: &Store, plan: &Plan, forgives: bool) -> Result<KnownMachines, ArchiveError> {
        let mut workers = HashMap::new();
        let (mut failures, mut all_failures) = (Failures::new(plan), Failures::new(plan));
        for_each_game(store, |record| {
            note_name(&mut workers, worker_in(record));
            failures.note(record, worker_in(record) == UNNAMED);
            all_failures.note(record, true);
        })?;
        let mut failures = if workers.len() > 1 { failures } else { all_failures };
        failures.retirement.retire_by_last_games();
        if forgives {
            failures = Failures::new(plan);
        }
        Ok(KnownMachines { workers, failures })
    }
}

/// Notes the name of a worker, unless its key has one already.
pub fn note_name(workers: &mut HashMap<String, String>, name: &str) {
    workers.entry(id_in(name).to_string()).or_insert_with(|| name.to_string());
}

/// Name of the worker that has played a game.
pub fn worker_in(record: &GameRecord) -> &str {
    record.machine.as_ref().map_or(UNNAMED, |machine| &machine.worker)
}

/// Calls `visit` with the summary of each game in a store.
///
/// # Errors
/// [`ArchiveError`] if a game cannot be read.
pub fn for_each_game(
    store: &Store,
    mut visit: impl FnMut(&GameRecord),
) -> Result<(), ArchiveError> {
    store.for_each_game(Extent::Summary, |game| {
        visit(&game.record);
        Ok(())
    })
}

/// Games of one machine.
#[derive(Default)]
struct MachineTally {
    games: u64,
    /// Time of its games in seconds, each divided by the number of its slots.
    seconds: f64,
    /// Sums over games, in milliseconds.
    lag_median: f64,
    lag_p99: f64,
    forfeits: u64,
    faults: u64,
    reruns: u64,
    /// Number of games with a speed, and the sum of these speeds.
    speeds: (u64, u64),
    /// Lowest and highest scale of its time limits, in permille.
    scales: Option<(u32, u32)>,
    /// Results of each engine, in the order of the plan.
    engines: Vec<Tally>,
}

/// Tables of the machines in a store, then remarks on those whose results differ and on those that are set aside.
///
/// # Errors
/// [`ArchiveError`] if it cannot be read.
pub fn report(
    store: &Store,
    plan: &Plan,
    set_aside: &BTreeMap<String, AsideTally>,
) -> Result<String, ArchiveError> {
    let no_games = Tally::new(plan.seats, plan.line_ups().games_per_block() as usize);
    let mut machines: BTreeMap<String, MachineTally> = BTreeMap::new();
    for_each_game(store, |record| {
        let machine =
            machines.entry(worker_in(record).to_string()).or_insert_with(|| MachineTally {
                engines: vec![no_games.clone(); plan.engines.len()],
                ..MachineTally::default()
            });
        machine.add(record);
        for (tally, engine) in machine.engines.iter_mut().zip(&plan.engines) {
            tally.add(record, &[], |seat| record.seats.get(seat) == Some(&engine.name));
        }
    })?;
    if set_aside.is_empty() && machines.keys().all(|name| name == UNNAMED) {
        return Ok(String::new());
    }
    let all: u64 = machines.values().map(|tally| tally.games).sum();
    let mut listed: Vec<(&String, &MachineTally)> = machines.iter().collect();
    listed.sort_by_key(|(_, tally)| Reverse(tally.games));
    listed.truncate(MAX_LISTED_MACHINES);
    let columns =
        "games part games/s lag p99 time faults reruns speed times".split(' ').map(Column::right);
    let columns = std::iter::once(Column::left("machine")).chain(columns).collect();
    let rows = listed.iter().map(|(name, tally)| tally.row(name, all)).collect();
    let mut text = format!("\n{}", explained(Rows { columns, rows }, MACHINES_LEGEND));
    let mut remarks = Vec::new();
    if machines.len() > 1 && plan.engines.len() > 1 {
        let mut columns = ["machine", "engine"].map(Column::left).to_vec();
        columns.extend(["share", "±", "elsewhere", "±", "games"].map(Column::right));
        let mut rows = Vec::new();
        for &(name, machine) in &listed {
            for (index, here) in machine.engines.iter().enumerate() {
                let mut elsewhere = no_games.clone();
                let others = machines.iter().filter(|(other, _)| *other != name);
                others.for_each(|(_, other)| elsewhere.add_all(&other.engines[index]));
                let engine = &plan.engines[index].name;
                let [share, error] = [here.share(), here.error()].map(known);
                let [other_share, other_error] = [elsewhere.share(), elsewhere.error()].map(known);
                if differs(here, &elsewhere) {
                    remarks.push(format!(
                        "machine {name} stands out: {engine} has {share} there, and {other_share} elsewhere"
                    ));
                }
                let games = here.games.to_string();
                let cells = [name, engine].map(String::clone).into_iter();
                rows.push(cells.chain([share, error, other_share, other_error, games]).collect());
            }
        }
        text += &format!("\n{}", explained(Rows { columns, rows }, SHARES_LEGEND));
    }
    for (worker, AsideTally { reason, games }) in set_aside {
        let are = if *games == 1 { "is" } else { "are" };
        remarks.push(format!(
            "machine {worker} is set aside: {reason}; {games} of its games {are} not counted"
        ));
    }
    let more = machines.len() - listed.len();
    if more > 0 {
        remarks.push(format!("{more} more machines are not listed"));
    }
    for remark in remarks {
        // Names and reasons come from other machines.
        text += &format!("\n{}\n", printable(&remark));
    }
    Ok(text + "\n")
}

/// Formats a share; `-` stands for an unknown one.
fn known(share: Option<f64>) -> String {
    share.map_or("-".to_string(), percent)
}

/// Whether the difference of an engine's shares is significant.
fn differs(here: &Tally, elsewhere: &Tally) -> bool {
    let known = |tally: &Tally| tally.share().zip(tally.error());
    let Some(((here, here_error), (elsewhere, elsewhere_error))) =
        known(here).zip(known(elsewhere))
    else {
        return false;
    };
    let error = here_error.hypot(elsewhere_error) / HALF_INTERVAL;
    (here - elsewhere).abs() > MIN_SIGNIFICANT * error
}

impl MachineTally {
    fn add(&mut self, record: &GameRecord) {
        self.games += 1;
        if let Some(machine) = &record.machine {
            self.seconds += machine.micros as f64 / 1e6 / f64::from(machine.slots.max(1));
            self.lag_median += machine.lag_median as f64 / 1000.0;
            self.lag_p99 += machine.lag_p99 as f64 / 1000.0;
            if let Some(speed) = machine.speed {
                self.speeds.0 += 1;
                self.speeds.1 = self.speeds.1.saturating_add(speed);
            }
            if let Some(scale) = machine.time_scale {
                let (low, high) = self.scales.unwrap_or((scale, scale));
                self.scales = Some((low.min(scale), high.max(scale)));
            }
        }
        if record.fault.is_some() {
            let is_late = record.endings.contains(&Ending::TimeForfeit);
            self.forfeits += u64::from(is_late);
            self.faults += u64::from(!is_late);
        }
        self.reruns += record.reruns.len() as u64;
    }

    fn row(&self, name: &str, all: u64) -> Vec<String> {
        let is_known = self.seconds > 0.0;
        let decimals =
            |number: f64| if is_known { format!("{number:.2}") } else { "-".to_string() };
        let games = self.games as f64;
        let speed = match self.speeds {
            (0, _) => "-".to_string(),
            (games, sum) => (sum / games / 1000).to_string(),
        };
        let scale = |scale: u32| format!("{:.3}", f64::from(scale) / 1000.0);
        let scales = match self.scales {
            None => "1".to_string(),
            Some((low, high)) if low == high => scale(low),
            Some((low, high)) => format!("{} to {}", scale(low), scale(high)),
        };
        vec![
            name.to_string(),
            self.games.to_string(),
            percent(games / all as f64),
            decimals(games / self.seconds),
            decimals(self.lag_median / games),
            decimals(self.lag_p99 / games),
            self.forfeits.to_string(),
            self.faults.to_string(),
            self.reruns.to_string(),
            speed,
            scales,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::rules::VARIANTS;
    use matches::plan::{EngineSpec, Limit};
    use matches::record::{Fault, Machine};

    fn plan() -> Plan {
        let engine = |name: &str| EngineSpec::new(name, "/bin/sh", Limit::nodes(1));
        let mut plan = Plan::new(&VARIANTS[0], 2, vec![engine("a"), engine("b")]);
        plan.referee_limits.failures = 2;
        plan
    }

    /// A game between a and b that a won or lost.
    fn game(number: u64, worker: &str, a_wins: bool) -> GameRecord {
        let is_first = number % 2 == 1;
        let seats = if is_first { ["a", "b"] } else { ["b", "a"] };
        GameRecord {
            game: number,
            block: number.div_ceil(2),
            variant: VARIANTS[0].name.to_string(),
            seats: seats.map(String::from).into(),
            places: if a_wins == is_first { vec![1, 2] } else { vec![2, 1] },
            endings: vec![Ending::Finish, Ending::Last],
            machine: Some(Machine {
                worker: worker.to_string(),
                slots: 2,
                micros: 1_000_000,
                lag_median: 80,
                lag_p99: 400,
                speed: Some(1_234_567),
                time_scale: None,
            }),
            ..GameRecord::default()
        }
    }

    fn report_of(games: impl Iterator<Item = GameRecord>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let mut store = Store::create(&folder.path().join("match.db"), &plan()).unwrap();
        let games: Vec<GameRecord> = games.collect();
        store.add(&games.iter().collect::<Vec<_>>()).unwrap();
        let aside = AsideTally { reason: "its engines crash".to_string(), games: 4 };
        report(&store, &plan(), &[("bad".to_string(), aside)].into()).unwrap()
    }

    #[test]
    fn failures_in_a_row_on_one_of_several_machines_count_once() {
        let failed_on = |machines: &[&str]| {
            let folder = tempfile::tempdir().unwrap();
            let mut store = Store::create(&folder.path().join("match.db"), &plan()).unwrap();
            let mut games = vec![game(1, "one", true)];
            for (number, worker) in (2..).zip(machines) {
                let seat = if number % 2 == 1 { 2 } else { 1 };
                let fault = Some(Fault { seat, ..Fault::default() });
                games.push(GameRecord { fault, ..game(number, worker, true) });
            }
            store.add(&games.iter().collect::<Vec<_>>()).unwrap();
            KnownMachines::of(&store, &plan(), false).unwrap().failures.retirement.retired()
        };
        assert_eq!(failed_on(&["two", "two", "two"]), Vec::<String>::new());
        assert_eq!(failed_on(&["two", "one"]), ["b"]);
        assert_eq!(failed_on(&["one"]), Vec::<String>::new());
        // A machine alone is not suspected.
        assert_eq!(failed_on(&["one", "one"]), ["b"]);
    }

    #[test]
    fn a_machine_has_its_games_its_speed_and_its_faults() {
        let mut late = game(5, "two", true);
        late.endings = vec![Ending::Ended, Ending::TimeForfeit];
        late.fault = Some(Fault { seat: 2, ..Fault::default() });
        let report = report_of((1..5).map(|number| game(number, "one", true)).chain([late]));
        let cells = |name: &str| -> Vec<String> {
            let line = report.lines().find(|line| line.trim_start().starts_with(name)).unwrap();
            line.split_whitespace().map(String::from).collect()
        };
        let one = ["one", "4", "80.0", "%", "2.00", "0.08", "0.40", "0", "0", "0", "1234", "1"];
        assert_eq!(cells("one"), one);
        assert_eq!(cells("two")[7..9], ["1", "0"]);
        let aside =
            "\nmachine bad is set aside: its engines crash; 4 of its games are not counted\n";
        assert!(report.contains(aside), "{report}");
    }

    #[test]
    fn a_machine_whose_results_differ_stands_out() {
        let games = (1..=80).map(|number| {
            let worker = if number <= 40 { "fair" } else { "odd" };
            // On the odd machine b wins nearly always, elsewhere about half of the games.
            let a_wins = match worker {
                "odd" => number == 41,
                _ => number % 2 == 1 || number == 2,
            };
            game(number, worker, a_wins)
        });
        let report = report_of(games);
        let expected = "machine odd stands out: a has 2.5 % there, and 52.5 % elsewhere";
        assert!(report.contains(expected), "{report}");
        let alike = (1..=80).map(|number| {
            let worker = if number <= 40 { "one" } else { "two" };
            game(number, worker, number % 2 == 1 || number == 2)
        });
        assert!(!report_of(alike).contains("stands out"));
    }

    #[test]
    fn failures_on_one_machine_are_one_until_another_or_a_good_game_comes_between() {
        let failed = |seat: Option<u32>, worker: &str| {
            let fault = seat.map(|seat| Fault { seat, ..Fault::default() });
            GameRecord { fault, ..game(1, worker, true) }
        };
        let mut failures = Failures::new(&plan());
        for (offender, worker, retired) in [
            (Some(1), "one", None),
            (Some(1), "one", None),
            (None, "one", None),
            (Some(1), "two", None),
            (Some(1), "two", None),
            (Some(2), "two", None),
            (Some(1), "two", None),
            (Some(1), "one", Some((0, 2))),
        ] {
            let found = failures.note(&failed(offender, worker), false);
            assert_eq!(found, retired, "{offender:?} {worker}");
        }
        let mut failures = Failures::new(&plan());
        assert_eq!(failures.note(&failed(Some(1), "one"), true), None);
        assert_eq!(failures.note(&failed(Some(1), "one"), true), Some((0, 2)));
    }
}
