//! The machines of a match on several machines: number of games, quality, and whether engines did as well there as
//! elsewhere.

use std::collections::BTreeMap;

use super::{Column, Rows, percent};
use crate::archive::store::SetAside;
use crate::record::GameRecord;
use crate::record::ending::Ending;
use crate::record::printable::printable;
use crate::score::Tally;

/// Maximum number of listed machines, those with the most games; the others are only counted.
const MAX_LISTED: usize = 40;
/// Number of standard errors that is significant, even with many machines: 1 in 16,000.
const NO_CHANCE: f64 = 4.0;
/// Number of standard errors in half of a 95 % interval.
const OF_AN_INTERVAL: f64 = 1.96;
/// Label of games without a machine.
const UNNAMED: &str = "-";

pub const LEGEND: &str = "\
    games/s: with all its slots busy; lag, p99: the arbiter's own lag there, median and 99th percentile, in ms; \
    time, faults: games ended by a time forfeit, and by another fault; reruns: games rerun because a loss may not \
    have been the engine's fault; speed: thousand nodes per second of the built-in engine in each slot; times: its \
    time limits, as a fraction of those of the match\n";

pub const SHARES_LEGEND: &str = "\
    share: of the engine on that machine, over complete blocks; elsewhere: on all other machines\n";

#[derive(Clone, Debug)]
pub struct Machines {
    names: Vec<String>,
    /// Results before the first game.
    no_games: Tally,
    machines: BTreeMap<String, MachineTally>,
    aside: Vec<SetAside>,
}

#[derive(Clone, Debug, Default)]
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
    engines: Vec<Tally>,
}

impl Machines {
    pub fn new(names: Vec<String>, seats: usize, games_per_block: usize) -> Machines {
        Machines {
            names,
            no_games: Tally::new(seats, games_per_block),
            machines: BTreeMap::new(),
            aside: Vec::new(),
        }
    }

    pub fn set_aside(&mut self, aside: Vec<SetAside>) {
        self.aside = aside;
    }

    /// Counts a game, without its result.
    pub fn add(&mut self, record: &GameRecord) {
        self.machine_of(record).add(record);
    }

    pub fn add_result(&mut self, record: &GameRecord) {
        let names = self.names.clone();
        for (tally, name) in self.machine_of(record).engines.iter_mut().zip(&names) {
            tally.add(record, name);
        }
    }

    fn machine_of(&mut self, record: &GameRecord) -> &mut MachineTally {
        let machine = record.machine.as_ref();
        let name = machine.map_or(UNNAMED, |machine| machine.worker.as_str());
        let machine = self.machines.entry(name.to_string());
        machine.or_insert_with(|| MachineTally {
            engines: vec![self.no_games.clone(); self.names.len()],
            ..MachineTally::default()
        })
    }

    /// Returns the listed machines, those with the most games first, and the number of the others.
    fn listed(&self) -> (Vec<(&str, &MachineTally)>, usize) {
        let machines = self.machines.iter();
        let mut machines: Vec<(&str, &MachineTally)> =
            machines.map(|(name, tally)| (name.as_str(), tally)).collect();
        machines.sort_by_key(|(_, tally)| std::cmp::Reverse(tally.games));
        let more = machines.len().saturating_sub(MAX_LISTED);
        machines.truncate(MAX_LISTED);
        (machines, more)
    }

    /// Table of machines; `None` if the match was played on one.
    pub fn rows(&self) -> Option<Rows> {
        if self.machines.keys().all(|name| name == UNNAMED) {
            return None;
        }
        let mut columns = vec![Column::left("machine")];
        columns.extend(
            [
                "games", "part", "games/s", "lag", "p99", "time", "faults", "reruns", "speed",
                "times",
            ]
            .map(Column::right),
        );
        let all: u64 = self.machines.values().map(|tally| tally.games).sum();
        let (listed, _) = self.listed();
        let rows = listed.into_iter().map(|(name, tally)| tally.row(name, all));
        Some(Rows { columns, rows: rows.collect() })
    }

    /// Table of each engine's share on each machine; `None` unless there are at least two engines and two machines.
    pub fn shares(&self) -> Option<Rows> {
        if self.machines.len() < 2 || self.names.len() < 2 {
            return None;
        }
        let mut columns = ["machine", "engine"].map(Column::left).to_vec();
        columns.extend(["share", "±", "elsewhere", "±", "games"].map(Column::right));
        let mut rows = Vec::new();
        let everywhere = self.everywhere();
        for (name, tally) in self.listed().0 {
            for (engine, (here, all)) in tally.engines.iter().zip(&everywhere).enumerate() {
                let elsewhere = all.less(here);
                rows.push(vec![
                    name.to_string(),
                    self.names[engine].clone(),
                    known(here.share()),
                    known(here.error()),
                    known(elsewhere.share()),
                    known(elsewhere.error()),
                    here.games.to_string(),
                ]);
            }
        }
        Some(Rows { columns, rows })
    }

    /// Results of each engine over all machines.
    fn everywhere(&self) -> Vec<Tally> {
        let mut sums = vec![self.no_games.clone(); self.names.len()];
        for tally in self.machines.values() {
            for (sum, engine) in sums.iter_mut().zip(&tally.engines) {
                sum.add_all(engine);
            }
        }
        sums
    }

    /// Remarks about machines, one sentence each: machines that were set aside, with the reason; machines where engines
    /// did significantly better or worse; and the number of machines that are not listed.
    pub fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        for aside in &self.aside {
            let (worker, reason) = (&aside.worker, &aside.reason);
            let games = match aside.games {
                1 => "1 of its games is not counted".to_string(),
                games => format!("{games} of its games are not counted"),
            };
            remarks.push(format!("machine {worker} is set aside: {reason}; {games}"));
        }
        let (listed, more) = self.listed();
        let everywhere = self.everywhere();
        for (name, tally) in listed {
            let engines = self.names.iter().zip(&tally.engines).zip(&everywhere);
            for ((engine, here), all) in engines {
                let elsewhere = all.less(here);
                if stands_out(here, &elsewhere) {
                    let [here, elsewhere] = [here, &elsewhere].map(|tally| known(tally.share()));
                    remarks.push(format!(
                        "machine {name} stands out: {engine} has {here} there, and {elsewhere} elsewhere"
                    ));
                }
            }
        }
        if more > 0 {
            remarks.push(format!("{more} more machines are not listed"));
        }
        // Names and reasons come from other machines.
        let escape = |remark: String| printable(&remark).into_owned();
        remarks.into_iter().map(escape).collect()
    }
}

/// Formats a share; `-` stands for an unknown one.
fn known(share: Option<f64>) -> String {
    share.map_or("-".to_string(), percent)
}

/// `true` if the difference of the shares is significant.
fn stands_out(here: &Tally, elsewhere: &Tally) -> bool {
    let [Some(here), Some(elsewhere)] = [here, elsewhere].map(|tally| {
        let (share, error) = tally.share().zip(tally.error())?;
        Some((share, error / OF_AN_INTERVAL))
    }) else {
        return false;
    };
    let error = here.1.hypot(elsewhere.1);
    (here.0 - elsewhere.0).abs() > NO_CHANCE * error
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
        let mean = |sum: f64| format!("{:.2}", sum / self.games.max(1) as f64);
        let is_known = self.seconds > 0.0;
        let if_known = |text: String| if is_known { text } else { "-".to_string() };
        let speed = match self.speeds {
            (0, _) => "-".to_string(),
            (games, sum) => format!("{}", sum / games / 1000),
        };
        let scales = match self.scales {
            None => "1".to_string(),
            Some((low, high)) => {
                let text = |scale: u32| format!("{:.3}", f64::from(scale) / 1000.0);
                if low == high { text(low) } else { format!("{} to {}", text(low), text(high)) }
            }
        };
        vec![
            name.to_string(),
            self.games.to_string(),
            percent(self.games as f64 / all.max(1) as f64),
            if_known(format!("{:.2}", self.games as f64 / self.seconds)),
            if_known(mean(self.lag_median)),
            if_known(mean(self.lag_p99)),
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
    use crate::record::{Fault, Machine};

    /// A game between a and b that a won or lost.
    fn game(number: u64, worker: &str, a_wins: bool) -> GameRecord {
        let is_first = number % 2 == 1;
        let seats = if is_first { ["a", "b"] } else { ["b", "a"] };
        GameRecord {
            game: number,
            block: number.div_ceil(2),
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

    fn machines(games: impl Iterator<Item = GameRecord>) -> Machines {
        let mut machines = Machines::new(["a", "b"].map(String::from).into(), 2, 2);
        for game in games {
            machines.add(&game);
            machines.add_result(&game);
        }
        machines
    }

    #[test]
    fn a_machine_has_its_games_its_speed_and_its_faults() {
        let mut late = game(5, "two", true);
        late.endings = vec![Ending::Ended, Ending::TimeForfeit];
        late.fault = Some(Fault { seat: 2, ..Fault::default() });
        let games = (1..5).map(|number| game(number, "one", true)).chain([late]);
        let rows = machines(games).rows().unwrap().rows;
        let one = ["one", "4", "80.0 %", "2.00", "0.08", "0.40", "0", "0", "0", "1234", "1"];
        assert_eq!(rows[0], one);
        assert_eq!(rows[1][6..8], ["1", "0"]);
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
        let machines = machines(games);
        let remarks = machines.remarks();
        let expected = "machine odd stands out: a has 2.5 % there, and 52.5 % elsewhere";
        assert!(remarks.iter().any(|remark| remark == expected), "{remarks:?}");
        let alike = (1..=80).map(|number| {
            let worker = if number <= 40 { "one" } else { "two" };
            game(number, worker, number % 2 == 1 || number == 2)
        });
        let machines = self::machines(alike);
        assert_eq!(machines.remarks(), [""; 0]);
        assert_eq!(machines.shares().unwrap().rows.len(), 4);
    }
}
