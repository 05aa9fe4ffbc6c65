//! Disturbances of the engines by the machine and by other engines: waiting for a processor, late ends of pondering,
//! CPU use out of turn, and reruns.

use statrs::distribution::{Binomial, DiscreteCDF};

use super::{Column, Rows, percent};
use crate::record::{GameRecord, TurnSums};

/// A machine is too busy if engines wait for a processor for at least this share of their time.
const TOO_BUSY: f64 = 0.1;
/// Least total time of the engines for this warning, in microseconds.
const MIN_REPORTED_MICROS: u64 = 1_000_000;
/// The table is shown from this share of waiting time.
const WORTH_TELLING: f64 = 0.05;
/// An engine with at least this CPU use out of turn, as a share of its own time, must be searching.
const MIN_THINKING_SHARE: f64 = 0.25;
/// An engine lives in its margin if its mean overrun is at least this long, in milliseconds ...
const OVERRUN_MS: f64 = 1.0;
/// ... and its overruns are at least this share of its time ...
const OVERRUN: f64 = 0.02;
/// ... and last this long in total, in microseconds.
const MIN_OVERRUNS: u64 = 100_000;
/// Probability that reruns accuse any engine of a match of honest ones, at most.
const FALSE_ALARMS: f64 = 0.01;

pub const FAIRNESS_LEGEND: &str = "\
    waited: share of its time in which it waited for a processor, which does not count; overrun: mean time of its \
    answers beyond the limit; out of turn: CPU time used during other seats' turns, and time or CPU time beyond 1 s \
    before readyok, as a share of its own time; after stop: time charged for stopping its pondering late; reruns: \
    games rerun because its loss may not have been its own fault; share before: its mean share before all reruns of \
    its games, and its par, below which a weaker engine is anyway\n";

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
    /// Number of reruns of its games with a recorded share of this engine.
    valued: usize,
    /// Sums of these shares and of its pars, in permille.
    shares: [f64; 2],
}

impl Fairness {
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
                engine.valued += 1;
                engine.shares[0] += shares.iter().sum::<f64>();
                engine.shares[1] += par;
            }
        }
    }

    /// Table of waits and reruns; `None` if there were no disturbances.
    pub fn rows(&self) -> Option<Rows> {
        let is_telling = |engine: &Engine| {
            engine.waited_share() >= WORTH_TELLING
                || engine.thinks_out_of_turn()
                || engine.uses_its_margin()
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
        (micros >= MIN_REPORTED_MICROS && share >= TOO_BUSY).then(|| {
            let share = percent(share);
            format!(
                "warning: this machine is too busy for a fair match: engines waited for a processor in {share} \
                 of their time; use a lower --concurrency, a longer time (--tc, --movetime) or a larger margin="
            )
        })
    }

    /// Engines with significantly many reruns, overruns or CPU use out of turn, each with the reason.
    ///
    /// The shares before reruns accuse no engine, because they are the engines' own estimates, and some engines
    /// overestimate their chances.
    pub fn suspects(&self) -> Vec<String> {
        let reruns: usize = self.engines.iter().map(|engine| engine.reruns).sum();
        let mut suspects = Vec::new();
        for engine in &self.engines {
            let name = &engine.name;
            let chance = self.chance_of_reruns(engine, reruns);
            if chance < FALSE_ALARMS / self.engines.len() as f64 {
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
            if engine.uses_its_margin() {
                let mean = engine.mean_overrun();
                suspects.push(format!(
                    "{name}: it uses its margin: its answers exceed their limit by {mean:.1} ms on average"
                ));
            }
        }
        suspects
    }

    /// Probability that the observed number of reruns, or more, would follow losses of an engine by chance alone. The
    /// engine then loses in proportion to the larger of two parts: its part of the seats, and its part of the time when
    /// a delay can strike.
    fn chance_of_reruns(&self, engine: &Engine, reruns: usize) -> f64 {
        let seatings: usize = self.engines.iter().map(|engine| engine.seatings).sum();
        let micros: u64 = self.engines.iter().map(|engine| engine.turns.micros).sum();
        let part_of_seats = engine.seatings as f64 / seatings.max(1) as f64;
        let part_of_time = engine.turns.micros as f64 / micros.max(1) as f64;
        at_least(engine.reruns as u64, reruns as u64, part_of_seats.max(part_of_time))
    }
}

/// Probability of at least `successes` in this number of trials, each with the same probability: the upper tail of the
/// binomial distribution.
fn at_least(successes: u64, trials: u64, probability: f64) -> f64 {
    let below = successes.checked_sub(1);
    let binomial = Binomial::new(probability, trials).ok();
    // No success is certain; the probability is always between 0 and 1.
    below.zip(binomial).map_or(1.0, |(below, binomial)| binomial.sf(below))
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
        self.turns.out_of_turn >= MIN_REPORTED_MICROS
            && self.share_out_of_turn() >= MIN_THINKING_SHARE
    }

    /// Mean time of its answers beyond their limit, in milliseconds.
    fn mean_overrun(&self) -> f64 {
        self.turns.overruns as f64 / self.turns.turns.max(1) as f64 / 1000.0
    }

    fn uses_its_margin(&self) -> bool {
        let TurnSums { overruns, micros, .. } = self.turns;
        overruns >= MIN_OVERRUNS
            && self.mean_overrun() >= OVERRUN_MS
            && overruns as f64 >= OVERRUN * micros as f64
    }

    /// Its mean share before reruns, and its mean par, 0 to 1.
    fn mean_shares(&self) -> [f64; 2] {
        let count = self.valued.max(1) as f64;
        self.shares.map(|sum| sum / count / 1000.0)
    }

    fn row(&self) -> Vec<String> {
        let before = match self.valued {
            0 => "-".to_string(),
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
    use rand::seq::SliceRandom;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    fn rerun() -> Rerun {
        Rerun { seat: 1, reason: String::new(), shares: Vec::new() }
    }

    /// A two-seat game that was rerun once after seat `late` was late, with these shares before.
    fn game(number: u64, seats: [&str; 2], late: u32, shares: [u16; 2]) -> GameRecord {
        GameRecord {
            game: number,
            seats: seats.map(String::from).to_vec(),
            reruns: vec![Rerun { seat: late, shares: shares.to_vec(), ..rerun() }],
            ..GameRecord::default()
        }
    }

    fn fairness(games: &[GameRecord], micros: u64, waited: u64) -> Fairness {
        let mut fairness = Fairness::new(&["fair", "foul"].map(String::from));
        let sums = TurnSums { micros, waited, ..TurnSums::default() };
        for game in games {
            fairness.add(game, &vec![sums; game.seats.len()]);
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
    fn the_tail_of_the_binomial_distribution_is_exact() {
        for (successes, trials, probability, expected) in [
            (0, 5, 0.3, 1.0),
            (5, 5, 0.5, 1.0 / 32.0),
            (2, 3, 1.0 / 6.0, 16.0 / 216.0),
            (1, 4, 0.5, 15.0 / 16.0),
            (3, 3, 1.0, 1.0),
            (1, 0, 0.5, 0.0),
        ] {
            let found = at_least(successes, trials, probability);
            assert!((found - expected).abs() < 1e-12, "{successes} of {trials}: {found}");
        }
    }

    #[test]
    fn a_weaker_engine_is_not_accused_of_standing_badly() {
        // Its rival thinks too well of itself.
        let weaker = |number: u64| {
            let late = 1 + number as u32 % 2;
            game(number, ["fair", "foul"], late, [100 + number as u16, 900 - number as u16])
        };
        let games: Vec<GameRecord> = (1..=20).map(weaker).collect();
        let fairness = fairness(&games, 1, 0);
        assert_eq!(fairness.suspects(), [""; 0]);
        let row = &fairness.rows().unwrap().rows[0];
        assert_eq!(row[6], "11.1 % of 50.0 %");
    }

    /// Whether chance accuses an engine of a match where all are honest. In each rerun the loser is an engine in one of
    /// `seats` seats, with a probability in proportion to its time for a move.
    fn is_anyone_accused(engines: usize, seats: usize, reruns: u64, rng: &mut ChaCha8Rng) -> bool {
        let names: Vec<String> = (0..engines).map(|engine| engine.to_string()).collect();
        let times: Vec<u64> = names.iter().map(|_| 10u64.pow(rng.random_range(3..=5))).collect();
        let mut fairness = Fairness::new(&names);
        for number in 0..reruns {
            let mut line_up: Vec<usize> = (0..engines).collect();
            line_up.shuffle(rng);
            line_up.truncate(seats);
            let all: u64 = line_up.iter().map(|&engine| times[engine]).sum();
            let mut moment = rng.random_range(0..all);
            let is_hit = |&engine: &usize| match moment.checked_sub(times[engine]) {
                Some(rest) => {
                    moment = rest;
                    false
                }
                None => true,
            };
            let late = line_up.iter().position(is_hit).unwrap();
            let record = GameRecord {
                game: number,
                seats: line_up.iter().map(|&engine| names[engine].clone()).collect(),
                reruns: vec![Rerun { seat: late as u32 + 1, ..rerun() }],
                ..GameRecord::default()
            };
            let of = |&engine: &usize| TurnSums { micros: times[engine], ..TurnSums::default() };
            fairness.add(&record, &line_up.iter().map(of).collect::<Vec<TurnSums>>());
        }
        !fairness.suspects().is_empty()
    }

    #[test]
    fn honest_engines_are_accused_in_one_match_of_a_hundred_at_most() {
        const MATCHES: u32 = 2000;
        let mut rng = ChaCha8Rng::seed_from_u64(8);
        for (engines, seats) in [(2, 2), (6, 2), (6, 6)] {
            for reruns in [5, 10, 40] {
                let accused = (0..MATCHES)
                    .filter(|_| is_anyone_accused(engines, seats, reruns, &mut rng))
                    .count();
                assert!(
                    accused as u32 <= MATCHES / 100,
                    "{engines} engines, {seats} seats, {reruns} reruns: {accused} of {MATCHES}"
                );
            }
        }
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
