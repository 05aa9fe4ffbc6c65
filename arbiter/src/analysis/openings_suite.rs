//! Balanced openings: random candidates, kept if an engine's estimate gives every seat a similar share.
//!
//! The candidates are numbered, and each follows from the seed and its number. Several are judged concurrently, each
//! with a fresh state of the engine, and kept in the order of their numbers. The suite is therefore the same at any
//! concurrency if the engine's estimates are deterministic.

use std::collections::HashSet;
use std::io;
use std::ops::{ControlFlow, RangeInclusive};

use buxtehude::rules::{Seat, Turn};
use rand::RngExt;
use thiserror::Error;

use super::in_order;
use matches::judge::{Judge, JudgeError, Question};
use matches::plan::deck::Deck;
use matches::plan::deck::{Purpose, Seed};
use matches::plan::rules::{Position, PositionError, Rules};
use matches::plan::schedule::play_random_ply;
use matches::plan::{EngineSpec, Opening};
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;

/// Settings of a suite; every field is valid.
#[derive(Clone, Debug)]
pub struct SuitePlan {
    pub rules: Rules,
    pub seats: usize,
    /// Number of openings to find.
    pub count: u64,
    /// Random plies of each opening.
    pub plies: RangeInclusive<u32>,
    /// Largest deviation of a seat's estimate from par, in permille.
    pub within: u32,
    /// Maximum number of candidates.
    pub tries: u64,
    /// The judging engine, with the limit of each estimate.
    pub engine: EngineSpec,
    pub seed: Seed,
    /// Candidates judged concurrently, at least 1.
    pub concurrency: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    pub drawn: u64,
    /// Candidates with the position of an earlier one.
    pub repeated: u64,
    /// Candidates where a seat would have finished before the last ply.
    pub short: u64,
    pub judged: Means,
    pub kept: Means,
    /// Smallest deviation from par among rejected candidates, in permille.
    pub nearest_miss: Option<f64>,
}

/// Mean of estimates.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Means {
    pub number: u64,
    /// Sum for each seat, in permille.
    sums: Vec<u64>,
}

/// Errors that leave a suite incomplete.
#[derive(Debug, Error)]
pub enum SuiteError {
    /// The engine gives no estimates.
    #[error(transparent)]
    Judge(#[from] JudgeError),
    #[error("standard output: {0}")]
    Output(#[from] io::Error),
    /// The rules program failed.
    #[error(transparent)]
    Rules(#[from] PositionError),
    #[error("{}", too_few(.0, .1))]
    TooFew(Box<Summary>, Box<SuitePlan>),
    #[error("interrupted")]
    Interrupted,
}

/// Makes a suite. Calls `on_opening` with each opening, as arguments of the protocol's `position`, and with the number
/// of candidates drawn so far.
///
/// Sets `interrupt` once the suite is complete, to stop its threads.
///
/// # Errors
/// [`SuiteError::TooFew`] after the plan's maximum number of candidates; `on_opening` has received the openings found
/// by then. The first error of the engine or of `on_opening` also ends the suite.
pub fn make(
    plan: &SuitePlan,
    isolation: Option<Isolation>,
    interrupt: &Interrupt,
    mut on_opening: impl FnMut(&str, u64) -> io::Result<()>,
) -> Result<Summary, SuiteError> {
    let mut summary = Summary::default();
    let flow = in_order(
        (&plan.engine, isolation, plan.concurrency),
        candidates(plan),
        interrupt,
        |judge, (number, drawn), _| judge_one(judge, plan, number, drawn),
        || (),
        |judged| {
            if interrupt.is_set() {
                return ControlFlow::Break(Err(SuiteError::Interrupted));
            }
            let take = || -> Result<(), SuiteError> {
                if let Some(line) = summary.take(judged?, plan)? {
                    on_opening(&line, summary.drawn)?;
                }
                Ok(())
            };
            match take() {
                Ok(()) if summary.kept.number < plan.count => ControlFlow::Continue(()),
                taken => ControlFlow::Break(taken),
            }
        },
    );
    match flow {
        ControlFlow::Break(taken) => taken?,
        ControlFlow::Continue(()) if interrupt.is_set() => return Err(SuiteError::Interrupted),
        ControlFlow::Continue(()) => {}
    }
    if summary.kept.number < plan.count {
        Err(SuiteError::TooFew(Box::new(summary), Box::new(plan.clone())))
    } else {
        Ok(summary)
    }
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

/// All candidates of a plan in the order of their numbers, which are counted from 0.
fn candidates(
    plan: &SuitePlan,
) -> impl Iterator<Item = (u64, Result<Candidate, Rejected>)> + use<'_> {
    let mut seen = HashSet::new();
    (0..plan.tries).map(move |number| {
        let drawn = draw(plan, number).map_err(Rejected::Failed);
        let candidate = drawn.and_then(|candidate| candidate.ok_or(Rejected::Short));
        let fresh = candidate.and_then(|candidate| {
            if seen.insert(candidate.position.to_string()) {
                Ok(candidate)
            } else {
                Err(Rejected::Repeated)
            }
        });
        (number, fresh)
    })
}

/// Draws the candidate of a number; `None` if a seat would finish too early.
fn draw(plan: &SuitePlan, number: u64) -> Result<Option<Candidate>, PositionError> {
    let (cards, mut rng) = plan.seed.numbered(Purpose::Candidates, number);
    let mut deck = Deck::new(cards, plan.rules.draws());
    let plies = rng.random_range(plan.plies.clone());
    let mut position = plan.rules.start(plan.seats)?;
    let mut moves = Vec::new();
    for _ in 0..plies {
        if !play_random_ply(&mut position, &mut moves, &mut rng, &mut deck)? {
            return Ok(None);
        }
    }
    let Turn::Seat(mover) = position.turn() else {
        return Ok(None);
    };
    Ok(Some(Candidate { opening: Opening { start: None, moves }, position, mover }))
}

/// Judges a candidate by an engine that has forgotten earlier ones.
fn judge_one(
    judge: &mut Judge<'_>,
    plan: &SuitePlan,
    number: u64,
    drawn: Result<Candidate, Rejected>,
) -> Result<Judged, JudgeError> {
    let candidate = match drawn {
        Ok(candidate) => candidate,
        Err(rejected) => return Ok(Err(rejected)),
    };
    judge.begin(&plan.rules, &format!("candidate {}", number + 1))?;
    let question = Question {
        line: &candidate.opening,
        position: &candidate.position,
        mover: candidate.mover,
    };
    let shares = judge.estimate(question)?;
    Ok(Ok((question.text(), shares)))
}

impl Summary {
    /// Counts a candidate; returns the opening if it is kept.
    fn take(&mut self, judged: Judged, plan: &SuitePlan) -> Result<Option<String>, PositionError> {
        self.drawn += 1;
        match judged {
            Err(Rejected::Repeated) => self.repeated += 1,
            Err(Rejected::Short) => self.short += 1,
            Err(Rejected::Failed(error)) => return Err(error),
            Ok((line, shares)) => {
                self.judged.add(&shares);
                let distance = distance_from_par(&shares);
                if distance <= f64::from(plan.within) {
                    self.kept.add(&shares);
                    return Ok(Some(line));
                }
                let nearest = self.nearest_miss.unwrap_or(distance);
                self.nearest_miss = Some(nearest.min(distance));
            }
        }
        Ok(None)
    }
}

/// Largest deviation of any seat's estimate from an equal share, in permille.
fn distance_from_par(shares: &[u16]) -> f64 {
    let par = 1000.0 / shares.len().max(1) as f64;
    let distances = shares.iter().map(|&share| (f64::from(share) - par).abs());
    distances.fold(0.0, f64::max)
}

impl Means {
    /// Mean estimate of each seat in permille; empty without estimates.
    pub fn of_seats(&self) -> Vec<f64> {
        let mean = |&sum: &u64| sum as f64 / self.number as f64;
        self.sums.iter().map(mean).collect()
    }

    fn add(&mut self, shares: &[u16]) {
        self.number += 1;
        self.sums.resize(shares.len(), 0);
        for (sum, &share) in self.sums.iter_mut().zip(shares) {
            *sum += u64::from(share);
        }
    }
}

fn too_few(summary: &Summary, plan: &SuitePlan) -> String {
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
        plan.count,
        summary.drawn,
        plan.within,
        1000.0 / plan.seats as f64,
    )
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
        assert_eq!(means.of_seats(), [0.0; 0]);
        means.add(&[400, 600]);
        means.add(&[500, 500]);
        assert_eq!(means.of_seats(), [450.0, 550.0]);
    }
}
