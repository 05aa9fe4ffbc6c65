//! Disturbances of the engines by the machine and by other engines: waiting for a processor, late ends of pondering,
//! CPU use out of turn, and reruns.

use super::{Column, Rows, percent};
use crate::record::{GameRecord, TurnSums};

/// A machine is too busy if engines wait for a processor for at least this share of their time.
const TOO_BUSY: f64 = 0.1;
/// Least total time of the engines for this warning, in microseconds.
const TELLING_MICROS: u64 = 1_000_000;
/// The table is shown from this share of waiting time.
const WORTH_TELLING: f64 = 0.05;
/// An engine with at least this CPU use out of turn, as a share of its own time, must be searching.
const THOUGHT: f64 = 0.25;
/// An engine lives in its margin if its mean overrun is at least this long, in milliseconds ...
const OVERRUN_MS: f64 = 1.0;
/// ... and its overruns are at least this share of its time ...
const OVERRUN: f64 = 0.02;
/// ... and last this long in total, in microseconds.
const TELLING_OVERRUNS: u64 = 100_000;
/// Least number of reruns for a statistical test.
const TELLING_RERUNS: usize = 5;
/// Number of standard errors that is significant: 1 %, one-sided.
const NO_CHANCE: f64 = 2.33;

/// Explanation of the columns.
pub const LEGEND: &str = "\
waited: share of its time in which it waited for a processor, which does not count; overrun: mean time of its answers
beyond the limit; out of turn: CPU time used during other seats' turns, and time or CPU time beyond 1 s before
readyok, as a share of its own time; after stop: time charged for stopping its pondering late; reruns: games rerun
because its loss may not have been its own fault; share before: its mean share before all reruns of its games, and its
par
";

/// Disturbances of each engine of a match.
#[derive(Clone, Debug)]
pub struct Fairness {
    engines: Vec<Engine>,
}

#[derive(Clone, Debug, Default)]
struct Engine {
    name: String,
    turns: TurnSums,
    /// Number of seats in games that were rerun, counted for each rerun.
    seatings: usize,
    /// Number of reruns after a loss of this engine.
    reruns: usize,
    /// Share minus par before each rerun of its games, in permille.
    leads: Vec<f64>,
    /// Sums of these shares and of these pars, in permille.
    shares: [f64; 2],
}

impl Fairness {
    /// Creates empty statistics of these engines.
    pub fn new(names: &[String]) -> Fairness {
        let engine = |name: &String| Engine { name: name.clone(), ..Engine::default() };
        Fairness { engines: names.iter().map(engine).collect() }
    }

    /// Counts a game, given the totals of each seat's turns.
    pub fn add(&mut self, record: &GameRecord, sums: &[TurnSums]) {
        for engine in &mut self.engines {
            let own = |(seat, name): (usize, &String)| (*name == engine.name).then_some(seat);
            let seats: Vec<usize> = record.seats.iter().enumerate().filter_map(own).collect();
            for &sums in seats.iter().filter_map(|&seat| sums.get(seat)) {
                engine.turns += sums;
            }
            for rerun in &record.reruns {
                engine.seatings += seats.len();
                engine.reruns +=
                    usize::from(seats.iter().any(|seat| seat + 1 == rerun.seat as usize));
                let shares: Vec<f64> = seats
                    .iter()
                    .filter_map(|&seat| rerun.shares.get(seat).copied().map(f64::from))
                    .collect();
                if seats.is_empty() || shares.len() < seats.len() {
                    continue;
                }
                let par = 1000.0 * seats.len() as f64 / record.seats.len() as f64;
                let share: f64 = shares.iter().sum();
                engine.leads.push(share - par);
                engine.shares[0] += share;
                engine.shares[1] += par;
            }
        }
    }

    /// Table of waits and reruns; `None` if there were no disturbances.
    pub fn rows(&self) -> Option<Rows> {
        let is_telling = |engine: &Engine| {
            engine.waited_share() >= WORTH_TELLING
                || engine.thinks_out_of_turn()
                || engine.lives_in_its_margin()
                || engine.turns.late_stops > 0
                || engine.seatings > 0
        };
        if !self.engines.iter().any(is_telling) {
            return None;
        }
        let mut columns = vec![Column::left("engine")];
        columns.extend(
            ["waited", "overrun", "out of turn", "after stop", "reruns", "share before"]
                .map(Column::right),
        );
        Some(Rows { columns, rows: self.engines.iter().map(Engine::row).collect() })
    }

    /// Warning that the machine is too busy for a fair match, with a remedy; `None` if it is not.
    pub fn warning(&self) -> Option<String> {
        let micros: u64 = self.engines.iter().map(|engine| engine.turns.micros).sum();
        let waited: u64 = self.engines.iter().map(|engine| engine.turns.waited).sum();
        let share = waited as f64 / micros.max(1) as f64;
        (micros >= TELLING_MICROS && share >= TOO_BUSY).then(|| {
            let share = percent(share);
            format!(
                "warning: this machine is too busy for a fair match: engines waited for a processor in {share} \
                 of their time; use a lower --concurrency, a longer time (--tc, --movetime) or a larger margin="
            )
        })
    }

    /// Engines with significant reruns, overruns or CPU use out of turn, each with the reason.
    pub fn suspects(&self) -> Vec<String> {
        let all: usize = self.engines.iter().map(|engine| engine.seatings).sum();
        let reruns: usize = self.engines.iter().map(|engine| engine.reruns).sum();
        let mut suspects = Vec::new();
        for engine in &self.engines {
            let name = &engine.name;
            let part = engine.seatings as f64 / all.max(1) as f64;
            let excess = engine.reruns as f64 - part * reruns as f64;
            let deviation = (reruns as f64 * part * (1.0 - part)).sqrt();
            if reruns >= TELLING_RERUNS && excess > NO_CHANCE * deviation && deviation > 0.0 {
                let own = engine.reruns;
                suspects.push(format!(
                    "{name}: {own} of {reruns} reruns followed its losses, significantly more than its share"
                ));
            }
            if engine.thinks_out_of_turn() {
                let share = percent(engine.share_out_of_turn());
                suspects.push(format!(
                    "{name}: it computes out of turn, for {share} of its own time: while its opponents are to move, \
                     without ponder=on, or for over 1 s before readyok"
                ));
            }
            if engine.lives_in_its_margin() {
                let mean = engine.mean_overrun();
                suspects.push(format!(
                    "{name}: it uses its margin: its answers exceed their limit by {mean:.1} ms on average"
                ));
            }
            if engine.stood_badly() {
                let [share, par] = engine.mean_shares().map(percent);
                suspects.push(format!(
                    "{name}: its games were rerun when it was losing, at a mean share of {share} with a par \
                     of {par}, which is significant"
                ));
            }
        }
        suspects
    }
}

impl Engine {
    fn waited_share(&self) -> f64 {
        self.turns.waited as f64 / self.turns.micros.max(1) as f64
    }

    fn share_out_of_turn(&self) -> f64 {
        self.turns.out_of_turn as f64 / self.turns.micros.max(1) as f64
    }

    /// `true` if its CPU use out of turn shows that it is searching.
    fn thinks_out_of_turn(&self) -> bool {
        self.turns.out_of_turn >= TELLING_MICROS && self.share_out_of_turn() >= THOUGHT
    }

    /// Mean time of its answers beyond their limit, in milliseconds.
    fn mean_overrun(&self) -> f64 {
        self.turns.overruns as f64 / self.turns.turns.max(1) as f64 / 1000.0
    }

    /// `true` if it counts on its margin.
    fn lives_in_its_margin(&self) -> bool {
        let TurnSums { overruns, micros, .. } = self.turns;
        overruns >= TELLING_OVERRUNS
            && self.mean_overrun() >= OVERRUN_MS
            && overruns as f64 >= OVERRUN * micros as f64
    }

    /// Its mean share before reruns, and its mean par, 0 to 1.
    fn mean_shares(&self) -> [f64; 2] {
        let count = self.leads.len().max(1) as f64;
        self.shares.map(|sum| sum / count / 1000.0)
    }

    /// `true` if its share before reruns is significantly below its par.
    fn stood_badly(&self) -> bool {
        let count = self.leads.len() as f64;
        let mean = self.leads.iter().sum::<f64>() / count;
        let squares: f64 = self.leads.iter().map(|lead| (lead - mean).powi(2)).sum();
        let error = (squares / (count - 1.0) / count).sqrt();
        self.leads.len() >= TELLING_RERUNS && mean < -NO_CHANCE * error
    }

    fn row(&self) -> Vec<String> {
        let before = match self.leads.as_slice() {
            [] => "-".to_string(),
            _ => {
                let [share, par] = self.mean_shares().map(percent);
                format!("{share} of {par}")
            }
        };
        vec![
            self.name.clone(),
            percent(self.waited_share()),
            format!("{:.1} ms", self.mean_overrun()),
            percent(self.share_out_of_turn()),
            format!("{:.1} ms", self.turns.late_stops as f64 / 1000.0),
            self.reruns.to_string(),
            before,
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Rerun;

    /// A two-seat game that was rerun once after seat `late` was late, with these shares before.
    fn game(number: u64, seats: [&str; 2], late: u32, shares: [u16; 2]) -> GameRecord {
        GameRecord {
            game: number,
            seats: seats.map(String::from).to_vec(),
            reruns: vec![Rerun { seat: late, reason: String::new(), shares: shares.to_vec() }],
            ..GameRecord::default()
        }
    }

    fn fairness(games: &[GameRecord], micros: u64, waited: u64) -> Fairness {
        let mut fairness = Fairness::new(&["fair", "foul"].map(String::from));
        let sums = TurnSums { micros, waited, ..TurnSums::default() };
        for game in games {
            fairness.add(game, &[sums; 2]);
        }
        fairness
    }

    #[test]
    fn who_is_late_more_often_than_its_rival_is_named() {
        let foul = |number| game(number, ["fair", "foul"], 2, [500, 500]);
        let games: Vec<GameRecord> = (1..=8).map(foul).collect();
        let suspects = fairness(&games, 1, 0).suspects();
        assert_eq!(
            suspects,
            ["foul: 8 of 8 reruns followed its losses, significantly more than its share"]
        );
        assert_eq!(fairness(&games[..4], 1, 0).suspects(), [""; 0]);
    }

    #[test]
    fn who_stood_badly_before_each_replay_is_named_whoever_was_late() {
        let foul = |number: u64| {
            game(number, ["foul", "fair"], 1 + number as u32 % 2, [100 + 10 * number as u16, 890])
        };
        let games: Vec<GameRecord> = (1..=6).map(foul).collect();
        let suspects = fairness(&games, 1, 0).suspects();
        assert_eq!(suspects.len(), 1, "{suspects:?}");
        assert!(
            suspects[0].starts_with(
                "foul: its games were rerun when it was losing, at a mean share of 13.5 %"
            ),
            "{suspects:?}"
        );
        let both = |number: u64| {
            game(
                number,
                ["foul", "fair"],
                1 + number as u32 % 2,
                if number.is_multiple_of(2) { [300, 700] } else { [700, 300] },
            )
        };
        let games: Vec<GameRecord> = (1..=8).map(both).collect();
        assert_eq!(fairness(&games, 1, 0).suspects(), [""; 0]);
    }

    #[test]
    fn a_machine_is_too_busy_where_engines_wait_in_a_tenth_of_their_time() {
        let games = [GameRecord {
            seats: ["fair", "foul"].map(String::from).to_vec(),
            ..GameRecord::default()
        }];
        assert_eq!(fairness(&games, 1_000_000, 99_000).warning(), None);
        assert!(fairness(&games, 1_000_000, 101_000).warning().is_some());
        assert!(fairness(&games, 1_000_000, 49_000).rows().is_none());
        assert!(fairness(&games, 1_000_000, 51_000).rows().is_some());
    }
}
