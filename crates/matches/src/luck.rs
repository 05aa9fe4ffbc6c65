//! Luck of finished games: the part of a result that the cards made, to be subtracted from it.
//!
//! The luck of a card is the value after it minus the mean over all cards that are left. No value depends on the card
//! that comes, so the expected luck is 0 for every seat, and a result minus its luck has the same expectation as the
//! result. The better the values, the smaller its variance.
//! Source: Burch, Schmid, Moravčík, Morrill, Bowling, "AIVAT: A New Variance Reduction Technique for Agent Evaluation
//! in Imperfect Information Games", AAAI 2018.

mod built_in;
mod check;
mod sampling;
mod stored;

use std::convert::Infallible;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

use buxtehude::eval::Evaluators;
use buxtehude::rules::{Turn, Variant};
use thiserror::Error;

use crate::archive::replay::Flaw;
use crate::judge::{Judge, JudgeError};
use crate::plan::binary::{hash, hash_arguments, hash_bytes};
use crate::plan::rules::Position;
use crate::plan::{EngineSpec, Limit, LuckBy, Opening, Plan};
use crate::play::interrupt::Interrupt;
use crate::play::runner::OpenFiles;
use crate::play::sandbox::Isolation;
use crate::record::{GameRecord, Luck};
use crate::review::{Appraise, PlayedGame, ReviewError, Values};
use crate::spelling::quote;

use self::sampling::{Allowance, Effort, Pace};
pub use built_in::BuiltIn;
pub use check::LuckChecker;
pub use stored::measure_store;

/// Number of plies until the first draw, beyond which no forecast says how many outcomes it has.
const MAX_LINE_LENGTH: usize = 50;

/// Number of digits of a hash in an identity.
const DIGITS: usize = 12;

#[derive(Debug, Error)]
#[error("luck: {0}")]
pub struct LuckError(String);

/// Returns the luck of each seat in permille: the sum over all cards from the first move on that is not part of the
/// opening.
///
/// Cards before that move are the same in all games of a block, as are the moves before it.
///
/// # Errors
/// [`ReviewError`] if the evaluator fails or the game has a flaw.
pub fn luck<A: Appraise>(
    game: &PlayedGame,
    appraiser: &mut A,
) -> Result<Vec<f64>, ReviewError<A::Error>> {
    luck_within(game, appraiser, None)
}

/// Returns the luck as [`luck`] does. With an allowance and the time of each move after the opening, some draws count
/// as no luck, and of others only some outcomes are valued.
fn luck_within<A: Appraise>(
    game: &PlayedGame,
    appraiser: &mut A,
    mut allowance: Option<(Allowance<'_>, &[Duration])>,
) -> Result<Vec<f64>, ReviewError<A::Error>> {
    let mut values = Values::new(appraiser);
    let (mut position, mut line) = (game.start.clone(), game.beginning());
    let mut luck = vec![0.0; position.seats()];
    let mut plies = 0_usize;
    for (index, word) in game.words.iter().enumerate() {
        let mut next = position.clone();
        next.play(word).map_err(|reason| Flaw::Action { number: index + 1, reason })?;
        let is_card = matches!(position.turn(), Turn::Card(_));
        if !is_card {
            plies += 1;
            if let Some((allowance, times)) = &mut allowance {
                let time = plies.checked_sub(game.opening + 1).and_then(|turn| times.get(turn));
                allowance.earn(time.copied().unwrap_or_default());
            }
        } else if plies > game.opening {
            let outcomes = position.outcomes();
            let effort =
                allowance.as_ref().map_or(Effort::All, |(it, _)| it.effort(outcomes.len()));
            let begun = Instant::now();
            let (gain, valued) = match (effort, &mut allowance) {
                (Effort::Nothing, _) => (Vec::new(), 0),
                (Effort::Samples(number), Some((allowance, _))) => {
                    let sample = |weights: &[u32]| allowance.samples(weights, number);
                    let gain = sampled_gain(&mut values, &position, &mut line, word, sample)?;
                    (gain, number + 1)
                }
                (_, _) => {
                    let mean = values.of(&position, &mut line)?;
                    line.moves.push(word.clone());
                    let value = values.of(&next, &mut line)?;
                    line.moves.pop();
                    let gain = value.iter().zip(mean).map(|(value, mean)| value - mean);
                    (gain.collect(), outcomes.len())
                }
            };
            if let Some((allowance, _)) = allowance.as_mut().filter(|_| valued > 0) {
                allowance.spend(valued, begun);
            }
            for (luck, gain) in luck.iter_mut().zip(gain) {
                *luck += gain;
            }
        }
        line.moves.push(word.clone());
        position = next;
    }
    Ok(luck)
}

/// Returns the value after the drawn word less the mean value of all outcomes. To estimate the mean, `sample` chooses
/// some of the other outcomes by their weights.
fn sampled_gain<A: Appraise>(
    values: &mut Values<'_, A>,
    position: &Position,
    line: &mut Opening,
    drawn: &str,
    sample: impl FnOnce(&[u32]) -> Vec<usize>,
) -> Result<Vec<f64>, ReviewError<A::Error>> {
    let (words, mut weights): (Vec<String>, Vec<u32>) = position.outcomes().into_iter().unzip();
    let sum: u64 = weights.iter().copied().map(u64::from).sum();
    let own = words.iter().position(|word| word == drawn);
    let own = own.map_or(0, |own| std::mem::take(&mut weights[own]));
    let samples = sample(&weights);
    let mut after = |word: &str| -> Result<Vec<f64>, ReviewError<A::Error>> {
        let (mut next, number) = (position.clone(), line.moves.len() + 1);
        next.play(word).map_err(|reason| Flaw::Action { number, reason })?;
        line.moves.push(word.to_string());
        let value = values.of(&next, line);
        line.moves.pop();
        value
    };
    let mut gain = after(drawn)?;
    for &sample in &samples {
        for (gain, value) in gain.iter_mut().zip(after(&words[sample])?) {
            *gain -= value / samples.len() as f64;
        }
    }
    // The drawn outcome is part of the mean by its own weight.
    let others = 1.0 - f64::from(own) / sum as f64;
    gain.iter_mut().for_each(|gain| *gain *= others);
    Ok(gain)
}

#[derive(Clone, Debug)]
pub struct Evaluator {
    source: Source,
    identity: String,
}

#[derive(Clone, Debug)]
enum Source {
    BuiltIn { nodes: u64, tables: Evaluators },
    Engine { spec: Box<EngineSpec>, stall: Duration, percent: u32, _open: Arc<OpenFiles> },
}

impl Evaluator {
    /// Returns the evaluator of a match, or `None` if the match measures no luck.
    ///
    /// # Errors
    /// [`LuckError`] if the plan needs an engine and there is none, or needs none.
    pub fn of(plan: &Plan, engine: Option<&EngineSpec>) -> Result<Option<Evaluator>, LuckError> {
        match (plan.luck.by, engine) {
            (None, None) => Ok(None),
            (None, Some(_)) => {
                Err(LuckError("--luck-engine: the match measures no luck".to_string()))
            }
            (Some(LuckBy::BuiltIn { .. }), Some(_)) => {
                let measured = "--luck-engine: the match measures luck with the built-in engine";
                Err(LuckError(measured.to_string()))
            }
            (Some(LuckBy::BuiltIn { nodes }), None) => {
                let variant = plan.rules.built_in().ok_or_else(|| {
                    let game = plan.rules.name();
                    LuckError(format!(
                        "the built-in engine does not play {game}: expected --luck-engine"
                    ))
                })?;
                Ok(Some(Evaluator::built_in(nodes, variant, plan.seats)))
            }
            (Some(LuckBy::Engine { percent }), Some(engine)) => {
                Ok(Some(Evaluator::engine(engine.clone(), plan.patience.stall, percent)))
            }
            (Some(LuckBy::Engine { .. }), None) => {
                let missing =
                    "expected --luck-engine, the engine that measures it; a store does not keep it";
                Err(LuckError(missing.to_string()))
            }
        }
    }

    /// The built-in engine, visiting `nodes` positions for each value.
    pub fn built_in(nodes: u64, variant: &Variant, seats: usize) -> Evaluator {
        let tables = Evaluators::default();
        let mut built_in = BuiltIn::sharing(nodes, tables.clone());
        Evaluator {
            identity: built_in.identity(variant, seats),
            source: Source::BuiltIn { nodes, tables },
        }
    }

    /// An engine that gives estimates, with a timeout for answers without a time limit, and its largest time in percent
    /// of the time of play. Its identity is its name, a hash of its program, its arguments and the files among them,
    /// its limit and its options.
    pub fn engine(spec: EngineSpec, stall: Duration, percent: u32) -> Evaluator {
        let mut parts = vec![hash(&spec.command).unwrap_or_default()];
        parts.extend(spec.args.iter().cloned());
        let files = hash_arguments(&spec.args, spec.dir.as_deref());
        parts.extend(files.into_iter().map(|(_, hash)| hash));
        let mut hash = hash_bytes(parts.join("\n").as_bytes());
        hash.truncate(DIGITS);
        let mut identity = format!("{} {hash} {}", spec.name, spec.limit);
        for (name, value) in &spec.options {
            identity += &format!(" option.{name}={value}");
        }
        let open = Arc::new(OpenFiles::of(&spec));
        let source = Source::Engine { spec: Box::new(spec), stall, percent, _open: open };
        Evaluator { source, identity }
    }

    /// The flag that names this evaluator, as words of a command line.
    pub fn flag(&self) -> String {
        match &self.source {
            Source::BuiltIn { nodes, .. } => format!("--luck {nodes}"),
            Source::Engine { spec, .. } => format!("--luck-engine {}", quote(&spec.words())),
        }
    }

    /// Starts the engine, if it is one, has it value the start of a match, and quits it; returns a forecast of its
    /// time.
    ///
    /// # Errors
    /// [`LuckError`] if that fails.
    pub fn try_out(
        &self,
        plan: &Plan,
        isolation: Option<Isolation>,
        interrupt: &Interrupt,
    ) -> Result<Option<String>, LuckError> {
        let Source::Engine { spec, stall, percent, .. } = &self.source else {
            return Ok(None);
        };
        let failed = |error: &dyn ToString| LuckError(error.to_string());
        let mut line = Opening::default();
        let start = line.position(&plan.rules, plan.seats).map_err(|error| failed(&error))?;
        let mut judge = Judge::new(spec, *stall, isolation, interrupt);
        let found = judge
            .begin(&plan.rules, "the start of the match")
            .map_err(|error| failed(&error))
            .and_then(|()| {
                let begun = Instant::now();
                let mut values = Values::new(&mut judge);
                let value = values.of(&start, &mut line).map_err(|error| failed(&error));
                value.map(|_| begun.elapsed())
            });
        judge.dismiss();
        let outcomes = outcomes_of_first_draw(start);
        Ok(Some(format!(
            "luck by {}: the first value took {:.1} ms, a draw has {outcomes} outcomes; beyond {percent} % of the time \
             of play, only some are valued: --luck \"engine {percent}%\"",
            spec.name,
            found?.as_secs_f64() * 1000.0,
        )))
    }

    /// Name, version and budget, as records and stores keep them.
    pub fn identity(&self) -> &str {
        &self.identity
    }
}

/// Number of outcomes of the first draw in a line of play; 0 if none comes soon.
fn outcomes_of_first_draw(mut position: Position) -> usize {
    for _ in 0..MAX_LINE_LENGTH {
        let outcomes = position.outcomes().len();
        let word = position.legal_actions().into_iter().next();
        // A legal word can be played.
        if outcomes > 0 || word.is_none_or(|word| position.play(&word).is_err()) {
            return outcomes;
        }
    }
    0
}

/// Flag of `arbiter report` that measures luck with this evaluator.
pub fn flag(identity: &str) -> String {
    match BuiltIn::nodes_in(identity) {
        Some(nodes) => format!("--luck {nodes}"),
        None => "--luck-engine ...".to_string(),
    }
}

/// Name and budget of an evaluator from its identity: `buxtehude, 20 nodes`.
pub fn in_words(identity: &str) -> String {
    let is_hash =
        |word: &&str| word.len() == DIGITS && word.bytes().all(|digit| digit.is_ascii_hexdigit());
    let hash = identity.split(' ').find(is_hash);
    let parts = hash.and_then(|hash| identity.split_once(hash));
    let Some((name, budget)) = parts.filter(|(name, _)| !name.trim().is_empty()) else {
        return identity.to_string();
    };
    let name = if name.trim() == built_in::NAME { "buxtehude" } else { name.trim() };
    let limit = budget.parse().map(|limit: Limit| limit.in_words());
    format!("{name}, {}", limit.unwrap_or_else(|_| budget.trim().to_string()))
}

/// Measures the luck of games, in any number of threads.
#[derive(Debug)]
pub struct LuckMeter<'a> {
    evaluator: &'a Evaluator,
    isolation: Option<Isolation>,
    interrupt: &'a Interrupt,
    /// Those that no thread uses at the moment. An engine ends with the thread that started it, so no other takes it.
    idle: Mutex<Vec<(ThreadId, Running<'a>)>>,
}

/// An evaluator in use.
#[derive(Debug)]
enum Running<'a> {
    BuiltIn(Box<BuiltIn>),
    Engine { judge: Box<Judge<'a>>, percent: u32, pace: Pace },
}

impl<'a> LuckMeter<'a> {
    /// Creates a meter; engines start with the first game, isolated if `isolation` says so.
    pub fn new(
        evaluator: &'a Evaluator,
        isolation: Option<Isolation>,
        interrupt: &'a Interrupt,
    ) -> LuckMeter<'a> {
        LuckMeter { evaluator, isolation, interrupt, idle: Mutex::new(Vec::new()) }
    }

    /// Measures the luck of a game, and writes it into the record. A rerun game has none: its first attempt was
    /// discarded for a reason that depends on the play.
    ///
    /// # Errors
    /// [`LuckError`] if an engine fails or the game has a flaw.
    pub fn measure(&self, record: &mut GameRecord) -> Result<(), LuckError> {
        let shares = if record.reruns.is_empty() {
            self.luck_of(record)?
        } else {
            vec![0.0; record.seats.len()]
        };
        record.luck = Some(Luck {
            by: self.evaluator.identity.clone(),
            shares: shares.into_iter().map(Luck::round).collect(),
        });
        Ok(())
    }

    fn luck_of(&self, record: &GameRecord) -> Result<Vec<f64>, LuckError> {
        let failed = |error: &dyn ToString| LuckError(error.to_string());
        let game = PlayedGame::of_record(record).map_err(|flaw| failed(&flaw))?;
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let thread = thread::current().id();
        let is_usable = |(starter, running): &(ThreadId, Running)| {
            *starter == thread || matches!(running, Running::BuiltIn(_))
        };
        let found = {
            let mut idle = idle();
            let index = idle.iter().position(is_usable);
            index.map(|index| idle.swap_remove(index).1)
        };
        let mut running = found.unwrap_or_else(|| self.start());
        let mut measured = running.luck_of(&game, record);
        if let (Err(_), Running::Engine { .. }) = (&measured, &running) {
            // A crash need not end the match: the game is measured from its start by a new process.
            running.quit();
            running = self.start();
            measured = running.luck_of(&game, record);
        }
        idle().push((thread, running));
        measured
    }

    fn start(&self) -> Running<'a> {
        match &self.evaluator.source {
            Source::BuiltIn { nodes, tables } => {
                Running::BuiltIn(Box::new(BuiltIn::sharing(*nodes, tables.clone())))
            }
            Source::Engine { spec, stall, percent, .. } => {
                let judge = Judge::new(spec, *stall, self.isolation, self.interrupt);
                Running::Engine { judge: Box::new(judge), percent: *percent, pace: Pace::default() }
            }
        }
    }
}

impl Running<'_> {
    fn luck_of(&mut self, game: &PlayedGame, record: &GameRecord) -> Result<Vec<f64>, LuckError> {
        let failed = |error: &dyn ToString| LuckError(error.to_string());
        match self {
            Running::BuiltIn(built_in) => luck(game, built_in.as_mut())
                .map_err(|error: ReviewError<Infallible>| failed(&error)),
            Running::Engine { judge, percent, pace } => {
                let begun = judge.begin(&game.rules, &format!("game {}", record.game));
                begun.map_err(|error: JudgeError| failed(&error))?;
                let times = record.turns.iter().map(|turn| turn.micros.map(Duration::from_micros));
                // A record without times sets no limit.
                let times: Option<Vec<Duration>> = times.collect();
                let random = record.seed.samples(record.game);
                let allowance = times
                    .as_ref()
                    .map(|times| (Allowance::new(random, pace, *percent), times.as_slice()));
                luck_within(game, judge.as_mut(), allowance).map_err(|error| failed(&error))
            }
        }
    }

    fn quit(self) {
        if let Running::Engine { judge, .. } = self {
            judge.dismiss();
        }
    }
}

impl Drop for LuckMeter<'_> {
    fn drop(&mut self) {
        let idle = self.idle.get_mut().unwrap_or_else(PoisonError::into_inner);
        for (_, running) in idle.drain(..) {
            running.quit();
        }
    }
}

#[cfg(test)]
mod tests {
    use std::hash::{DefaultHasher, Hash, Hasher};

    use super::sampling::systematic;
    use super::*;
    use crate::judge::Question;
    use crate::plan::rules::Rules;
    use crate::review::Appraisal;

    /// Values without any sense.
    struct Random;

    impl Appraise for Random {
        type Error = Infallible;

        fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
            let share = |seat: usize| {
                let mut hasher = DefaultHasher::new();
                (question.position.to_string(), seat).hash(&mut hasher);
                (hasher.finish() % 1000 + 1) as f64
            };
            let shares = (0..question.position.seats()).map(share).collect();
            Ok(Appraisal { shares, best: String::new() })
        }
    }

    #[test]
    fn sampled_luck_has_mean_zero_over_draws_and_samples() {
        let rules = Rules::by_name("hase-und-igel").unwrap();
        let mut line = Opening { start: None, moves: vec!["5".into(), "6".into()] };
        let position = line.position(&rules, 3).unwrap();
        let outcomes = position.outcomes();
        assert!(outcomes.len() > 5, "{outcomes:?}");
        for number in [2, 3, 5] {
            let (mut mean, mut size) = (vec![0.0; 3], 0.0);
            for (drawn, weight) in &outcomes {
                let others: u32 = outcomes.iter().map(|(_, weight)| weight).sum::<u32>() - weight;
                for begin in 0..others.into() {
                    let mut values = Random;
                    let mut values = Values::new(&mut values);
                    let sample = |weights: &[u32]| systematic(weights, number, begin);
                    let gain = sampled_gain(&mut values, &position, &mut line, drawn, sample);
                    for (mean, gain) in mean.iter_mut().zip(gain.unwrap()) {
                        *mean += f64::from(*weight) / f64::from(others) * gain;
                        size += gain.abs();
                    }
                }
            }
            assert!(mean.iter().all(|mean| mean.abs() < 1e-9) && size > 1.0, "{number}: {mean:?}");
        }
    }
}
