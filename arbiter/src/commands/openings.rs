//! `arbiter openings`: prints a suite of balanced openings to standard output and its statistics to standard error.
//!
//! The candidates are random openings; one is kept if an engine's estimate gives every seat a similar share. They are
//! numbered, and each follows from the seed and its number. Several are judged concurrently, each with a fresh state of
//! the engine, and kept in the order of their numbers. The suite is therefore the same at any concurrency if the
//! engine's estimates are deterministic.

use std::collections::HashSet;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::process::ExitCode;

use arbiter::args::OpeningsArgs;
use buxtehude::rules::{Seat, Turn};
use matches::judge::{Judge, JudgeError, Question, in_order};
use matches::plan::deck::{Deck, Purpose, Seed};
use matches::plan::rules::{Position, PositionError, Rules};
use matches::plan::schedule::play_random_ply;
use matches::plan::{EngineSpec, Opening};
use matches::play::interrupt::Interrupt;
use matches::record::printable::printable;
use matches::run::exit::ExitError;
use rand::RngExt;
use settings::args::judge;
use settings::config::chosen_seed;

use super::{
    ANSWER_TIMEOUT, CommandError, JUDGE_LIMIT, exit, fail, isolate, progress, start_rules,
    stop_on_signals,
};

/// Candidates for each opening if the user gives no number.
const DEFAULT_CANDIDATES: u64 = 1000;

pub fn openings(args: &OpeningsArgs) -> ExitCode {
    match print_suite(args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(&error),
    }
}

/// Prints the openings as they are found, as arguments of the protocol's `position`, and then the statistics.
fn print_suite(args: &OpeningsArgs) -> Result<(), CommandError> {
    let rules = args.game.rules()?;
    start_rules(&rules, Some(args.players), args.isolation.isolate, ANSWER_TIMEOUT)?;
    let suite = Suite {
        args,
        rules,
        engine: judge(&args.engine, args.limit.limit().unwrap_or(JUDGE_LIMIT))?,
        seed: chosen_seed(args.seed, None)?,
        tries: args.tries.unwrap_or(args.count.saturating_mul(DEFAULT_CANDIDATES)),
    };
    let interrupt = Interrupt::new();
    stop_on_signals(&interrupt)?;
    let isolation = isolate(args.isolation.isolate, std::slice::from_ref(&suite.engine))?;
    let mut stdout = io::stdout().lock();
    writeln!(stdout, "# {}", printable(&suite.settings()))?;
    let bar = progress(args.count, "{pos}/{len} openings  {eta} left  {msg}");
    let interrupted =
        || ExitError { status: exit::INTERRUPTED, message: "interrupted".to_string() };
    let mut summary = Summary::default();
    // Returns whether the suite is complete.
    let mut take = |judged: Result<Judged, JudgeError>| -> Result<bool, CommandError> {
        if interrupt.is_set() {
            return Err(interrupted().into());
        }
        if let Some(line) = summary.take(judged?, args.within)? {
            writeln!(stdout, "{}", printable(&line))?;
            stdout.flush()?;
            bar.inc(1);
            bar.set_message(format!("{} candidates", summary.drawn));
        }
        Ok(summary.kept.number == args.count)
    };
    let flow = in_order(
        (&suite.engine, isolation, args.concurrency),
        suite.candidates(),
        &interrupt,
        |judge, (number, candidate), _| suite.judge_one(judge, number, candidate),
        || (),
        |judged| match take(judged) {
            Ok(false) => ControlFlow::Continue(()),
            taken => ControlFlow::Break(taken),
        },
    );
    bar.finish_and_clear();
    match flow {
        ControlFlow::Break(taken) => drop(taken?),
        ControlFlow::Continue(()) if interrupt.is_set() => return Err(interrupted().into()),
        ControlFlow::Continue(()) => {}
    }
    exit::print_error(summary.text(suite.seed));
    if summary.kept.number < args.count {
        let message = suite.too_few(&summary);
        return Err(ExitError { status: exit::WRONG, message }.into());
    }
    Ok(())
}

/// The arguments, with what follows from them.
struct Suite<'a> {
    args: &'a OpeningsArgs,
    rules: Rules,
    /// The judging engine, with the limit of each estimate.
    engine: EngineSpec,
    seed: Seed,
    /// Maximum number of candidates.
    tries: u64,
}

/// A random opening, to be judged.
struct Candidate {
    opening: Opening,
    position: Position,
    mover: Seat,
}

/// Reasons to reject a candidate without judging it.
enum Rejected {
    /// An earlier candidate has the same position.
    Repeated,
    /// A seat would have finished before the last ply.
    Short,
    /// The rules program failed.
    Failed(PositionError),
}

/// An opening with each seat's share by the engine's estimate, in permille.
type Judged = Result<(String, Vec<u16>), Rejected>;

impl Suite<'_> {
    /// The settings that determine the suite, as one line.
    fn settings(&self) -> String {
        let plies = match (self.args.plies.start(), self.args.plies.end()) {
            (least, most) if least == most => least.to_string(),
            (least, most) => format!("{least}-{most}"),
        };
        format!(
            "{}, {} seats, {plies} random plies, seed {}; each seat within {} of {:.0} by {} ({})",
            self.rules.name(),
            self.args.players,
            self.seed,
            self.args.within,
            par(self.args.players),
            self.engine.name,
            self.engine.limit,
        )
    }

    /// All candidates in the order of their numbers, which are counted from 0.
    fn candidates(&self) -> impl Iterator<Item = (u64, Result<Candidate, Rejected>)> {
        let mut seen = HashSet::new();
        (0..self.tries).map(move |number| {
            let drawn = self.draw(number).map_err(Rejected::Failed);
            let candidate = drawn.and_then(|candidate| candidate.ok_or(Rejected::Short));
            let fresh = candidate.and_then(|candidate| {
                let is_new = seen.insert(candidate.position.to_string());
                if is_new { Ok(candidate) } else { Err(Rejected::Repeated) }
            });
            (number, fresh)
        })
    }

    /// Draws the candidate of a number; `None` if a seat would finish too early.
    fn draw(&self, number: u64) -> Result<Option<Candidate>, PositionError> {
        let (cards, mut rng) = self.seed.numbered(Purpose::Candidates, number);
        let mut deck = Deck::new(cards, self.rules.draws());
        let plies = rng.random_range(self.args.plies.clone());
        let mut position = self.rules.start(self.args.players)?;
        let mut opening = Opening::usual(self.args.players);
        for _ in 0..plies {
            if !play_random_ply(&mut position, &mut opening.moves, &mut rng, &mut deck)? {
                return Ok(None);
            }
        }
        let Turn::Seat(mover) = position.turn() else {
            return Ok(None);
        };
        Ok(Some(Candidate { opening, position, mover }))
    }

    /// Judges a candidate by an engine that has forgotten earlier ones.
    fn judge_one(
        &self,
        judge: &mut Judge<'_>,
        number: u64,
        drawn: Result<Candidate, Rejected>,
    ) -> Result<Judged, JudgeError> {
        let Candidate { opening, position, mover } = match drawn {
            Ok(candidate) => candidate,
            Err(rejected) => return Ok(Err(rejected)),
        };
        judge.begin(&self.rules, &format!("candidate {}", number + 1))?;
        let question = Question { line: &opening, position: &position, mover };
        let shares = judge.estimate(question)?;
        Ok(Ok((question.text(), shares)))
    }

    fn too_few(&self, summary: &Summary) -> String {
        let nearest = summary.nearest_miss.map_or(String::new(), |distance| {
            format!("; the nearest rejected one is {distance:.0} from par")
        });
        let repeated = match summary.repeated {
            0 => String::new(),
            repeated => format!("; {repeated} of them repeat an earlier one"),
        };
        format!(
            "only {} of {} openings after {} candidates: expected every seat within {} of {:.0}{nearest}{repeated}; \
             increase --within, --plies or --tries",
            summary.kept.number,
            self.args.count,
            summary.drawn,
            self.args.within,
            par(self.args.players),
        )
    }
}

/// Statistics of a suite.
#[derive(Default)]
struct Summary {
    drawn: u64,
    /// Candidates with the position of an earlier one.
    repeated: u64,
    /// Candidates where a seat would have finished before the last ply.
    short: u64,
    judged: Means,
    kept: Means,
    /// Smallest deviation from par among rejected candidates, in permille.
    nearest_miss: Option<f64>,
}

impl Summary {
    /// Counts a candidate; returns the opening if each seat's share is at most `within` permille from par.
    fn take(&mut self, judged: Judged, within: u32) -> Result<Option<String>, ExitError> {
        self.drawn += 1;
        match judged {
            Err(Rejected::Repeated) => self.repeated += 1,
            Err(Rejected::Short) => self.short += 1,
            Err(Rejected::Failed(error)) => {
                let message = error.to_string();
                return Err(ExitError { status: exit::RULES_FAULT, message });
            }
            Ok((line, shares)) => {
                self.judged.add(&shares);
                let distance = distance_from_par(&shares);
                if distance <= f64::from(within) {
                    self.kept.add(&shares);
                    return Ok(Some(line));
                }
                let nearest = self.nearest_miss.unwrap_or(distance);
                self.nearest_miss = Some(nearest.min(distance));
            }
        }
        Ok(None)
    }

    fn text(&self, seed: Seed) -> String {
        let mut text =
            format!("{} kept of {} candidates, seed {seed}", self.kept.number, self.drawn);
        if self.repeated > 0 {
            text += &format!("; {} repeat an earlier one", self.repeated);
        }
        if self.short > 0 {
            text += &format!("; in {} a seat would have finished", self.short);
        }
        text += "\nmean estimate of each seat\n";
        text += &format!("  candidates {}\n", self.judged.text());
        text += &format!("  openings   {}", self.kept.text());
        text
    }
}

/// Mean of estimates.
#[derive(Default)]
struct Means {
    number: u64,
    /// Sum for each seat, in permille.
    sums: Vec<u64>,
}

impl Means {
    fn add(&mut self, shares: &[u16]) {
        self.number += 1;
        self.sums.resize(shares.len(), 0);
        for (sum, &share) in self.sums.iter_mut().zip(shares) {
            *sum += u64::from(share);
        }
    }

    /// Mean estimate of each seat in permille.
    fn text(&self) -> String {
        let mean = |&sum: &u64| format!("{:6.1}", sum as f64 / self.number as f64);
        match self.number {
            0 => "     -".to_string(),
            _ => self.sums.iter().map(mean).collect::<Vec<_>>().join(" "),
        }
    }
}

/// Largest deviation of any seat's estimate from an equal share, in permille.
fn distance_from_par(shares: &[u16]) -> f64 {
    let distances = shares.iter().map(|&share| (f64::from(share) - par(shares.len())).abs());
    distances.fold(0.0, f64::max)
}

/// An equal share, in permille.
fn par(seats: usize) -> f64 {
    1000.0 / seats.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seat_farthest_from_par_counts() {
        for (shares, expected) in [
            (&[500, 500][..], 0.0),
            (&[460, 540], 40.0),
            (&[250, 250, 250, 250], 0.0),
            (&[0, 1000], 500.0),
        ] {
            assert_eq!(distance_from_par(shares), expected, "{shares:?}");
        }
        let of_three = distance_from_par(&[333, 334, 333]);
        assert!((0.6..0.7).contains(&of_three), "{of_three}");
    }

    #[test]
    fn means_are_of_each_seat() {
        let mut means = Means::default();
        assert_eq!(means.text(), "     -");
        means.add(&[400, 600]);
        means.add(&[500, 500]);
        assert_eq!(means.text(), " 450.0  550.0");
    }
}
