//! Validation of results: a game must be legal, and be the scheduled one; a fault of the rules program must be this
//! machine's, too.

use std::fmt::Display;
use std::time::Instant;

use buxtehude::rules::Turn;
use matches::archive::replay::{self, Flaw};
use matches::luck::{Evaluator, LuckError};
use matches::plan::Plan;
use matches::plan::deck::{Deck, Draws};
use matches::plan::rules::external::RulesError;
use matches::plan::rules::{Position, PositionError};
use matches::plan::schedule::{Schedule, ScheduledGame};
use matches::play::referee::MAX_OF_A_GAME;
use matches::record::GameRecord;
use matches::record::ending::Ending;
use thiserror::Error;

/// Maximum of times, in microseconds: about a year. Sums of them cannot overflow in the store.
const MAX_MICROS: u64 = 1 << 45;
/// Maximum of other numbers, far above the nodes of any search.
const MAX_NUMBER: u64 = 1 << 50;
/// Maximum number of words of a ply in a worker's report about the rules program: a move and the outcomes after it.
const MAX_WORDS_OF_A_PLY: usize = 8;

#[derive(Debug, Error)]
pub enum GameError {
    /// The record contradicts the rules or itself.
    #[error("{0}")]
    Impossible(#[from] Flaw),
    /// The scheduled game cannot be played.
    #[error(transparent)]
    Rules(#[from] PositionError),
    /// The luck is missing, or is not what the cards gave.
    #[error("{0}")]
    Luck(#[from] LuckError),
    /// The game is not the scheduled one, or is impossible in this match. The reason hides scheduled values: workers
    /// read it, and could learn a secret seed, or openings and cards of other blocks.
    #[error("{0}")]
    Unfit(String),
}

impl GameError {
    /// The fault of this machine's rules program, if that is the reason.
    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        match self {
            GameError::Impossible(flaw) => flaw.fault_of_rules(),
            GameError::Rules(reason) => reason.fault_of_rules(),
            _ => None,
        }
    }
}

/// Checks that a game is the scheduled one of its number, legal, and played with the scheduled cards.
///
/// # Errors
/// The first [`GameError`].
pub fn check(plan: &Plan, schedule: &Schedule<'_>, record: &GameRecord) -> Result<(), GameError> {
    if !(1..=plan.games).contains(&record.game) {
        return Err(GameError::Unfit(format!("the match has games 1 to {}", plan.games)));
    }
    let game = schedule.game(record.game)?;
    same("block", &record.block, &game.block)?;
    same("variant", &record.variant, &plan.rules.name().to_string())?;
    same("seed", &record.seed.to_string(), &plan.seed.to_string())?;
    let names: Vec<&str> =
        game.seats.iter().map(|seated| plan.engines[seated.engine].name.as_str()).collect();
    same("seats", &record.seats.join(", "), &names.join(", "))?;
    let start = game.opening.start(&plan.rules)?;
    same("start", &record.start, &start.to_string())?;
    check_numbers(record)?;
    if let Some(flaw) = replay::check(record).into_iter().next() {
        return Err(flaw.into());
    }
    check_cards(record, &game, start, plan.rules.draws())?;
    check_ending(plan, record)
}

fn same<T: PartialEq + Display>(what: &str, found: &T, expected: &T) -> Result<(), GameError> {
    if found == expected {
        return Ok(());
    }
    Err(GameError::Unfit(format!("{what}: found {found}, which is not the match's")))
}

/// Checks that no number is too large to be stored and summed.
fn check_numbers(record: &GameRecord) -> Result<(), GameError> {
    let turns = record.turns.iter().flat_map(|turn| {
        let times = [turn.micros, turn.overrun, turn.waited];
        times.into_iter().chain([turn.out_of_turn, turn.late_stop])
    });
    let machine = record.machine.as_ref();
    let lags = machine.map(|machine| [machine.micros, machine.lag_median, machine.lag_p99]);
    let times = turns.flatten().chain(lags.into_iter().flatten());
    let others = record
        .turns
        .iter()
        .filter_map(|turn| turn.nodes)
        .chain(machine.and_then(|machine| machine.speed));
    let times = times.map(|number| (number, MAX_MICROS));
    let mut all = times.chain(others.map(|number| (number, MAX_NUMBER)));
    match all.find(|(number, most)| number > most) {
        None => Ok(()),
        Some((number, most)) => {
            Err(GameError::Unfit(format!("numbers: found {number}, expected at most {most}")))
        }
    }
}

/// Checks that the game begins with the scheduled opening, and that every later card is the next of its deck.
fn check_cards(
    record: &GameRecord,
    game: &ScheduledGame,
    mut position: Position,
    draws: Draws,
) -> Result<(), GameError> {
    let words: Vec<&str> = record.moves.split_whitespace().collect();
    let expected = &game.opening.moves;
    let opening: Vec<&str> = words.iter().take(expected.len()).copied().collect();
    same("opening", &opening.join(" "), &expected.join(" "))?;
    let reruns = record.reruns.len();
    if reruns > MAX_OF_A_GAME {
        let reason = format!("reruns: found {reruns}, expected at most {MAX_OF_A_GAME}");
        return Err(GameError::Unfit(reason));
    }
    // Each rerun has another deck.
    let seed = (0..reruns).fold(game.deck_seed, |seed, _| seed.another());
    let mut deck = Deck::new(seed, draws);
    for (index, word) in words.into_iter().enumerate() {
        if let Turn::Card(seat) = position.turn() {
            let expected = deck.draw(seat, &position.outcomes());
            // Cards of the opening replace drawn ones.
            if index >= opening.len() && word != expected {
                let number = index + 1;
                return Err(GameError::Unfit(format!(
                    "word {number} of the moves: found {word}, which is not the next card of its deck"
                )));
            }
        }
        if let Err(reason) = position.play(word) {
            let number = index + 1;
            return Err(Flaw::Action { number, reason }.into());
        }
    }
    // However a game ended, the record has all that the arbiter plays before it asks an engine.
    Ok(())
}

/// Checks that a game has its luck, if the match measures it with `evaluator`; measures it again if `is_sampled`.
///
/// # Errors
/// [`GameError`].
pub fn check_luck(
    evaluator: Option<&Evaluator>,
    record: &GameRecord,
    is_sampled: bool,
) -> Result<(), GameError> {
    match evaluator {
        Some(evaluator) if is_sampled => Ok(evaluator.check(record)?),
        Some(evaluator) => Ok(evaluator.named_luck(record).map(drop)?),
        None => same("luck", &record.luck.is_some(), &false),
    }
}

/// Checks endings that depend on settings of the match.
fn check_ending(plan: &Plan, record: &GameRecord) -> Result<(), GameError> {
    for &ending in &record.endings {
        let reason = match ending {
            Ending::MaxPlies if record.turns.len() < plan.referee_limits.max_plies as usize => {
                "the game has fewer plies"
            }
            Ending::Agreed if plan.adjudication.resign.is_none() => "the match does not allow it",
            Ending::Solved if !plan.adjudication.solved => "the match does not allow it",
            _ => continue,
        };
        return Err(GameError::Unfit(format!("ending {ending}: {reason}")));
    }
    Ok(())
}

/// Asks the rules program of a match about a position at which it failed on a worker, and about all positions before.
/// A game that is too long for the match is no reason to ask, and a late answer is no failure.
///
/// # Errors
/// [`PositionError::Rules`] if it fails here too.
pub fn check_rules(plan: &Plan, position: &str) -> Result<(), PositionError> {
    let (start, words) = position.split_once(" moves ").unwrap_or((position, ""));
    if words.split_ascii_whitespace().nth(most_words(plan)).is_some() {
        return Ok(());
    }
    let mut asked = Instant::now();
    let mut starts = plan.openings.iter().map(|opening| opening.start.to_string());
    let started = match start.strip_prefix("fen ") {
        Some(text) if starts.any(|known| is_same_text(&known, start)) => plan.rules.parse(text),
        None => plan.rules.start(plan.seats),
        Some(_) => return Ok(()),
    };
    let played = started.and_then(|mut position| {
        words.split_ascii_whitespace().try_for_each(|word| {
            asked = Instant::now();
            position.play(word)
        })
    });
    match played {
        // Another machine may only be faster than this one at the moment.
        Err(PositionError::Rules(_)) if asked.elapsed() >= plan.referee_limits.ready => Ok(()),
        Err(error @ PositionError::Rules(_)) => Err(error),
        _ => Ok(()),
    }
}

fn most_words(plan: &Plan) -> usize {
    let opening = plan.openings.iter().map(|opening| opening.moves.len()).max();
    let plies = (plan.random_plies as usize).saturating_add(plan.referee_limits.max_plies as usize);
    plies.saturating_mul(MAX_WORDS_OF_A_PLY).saturating_add(opening.unwrap_or(0))
}

fn is_same_text(one: &str, other: &str) -> bool {
    one.split_ascii_whitespace().eq(other.split_ascii_whitespace())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread::sleep;
    use std::time::Duration;

    use matches::plan::deck::Draws;
    use matches::plan::rules::Rules;
    use matches::plan::rules::external::External;
    use matches::plan::rules::external::{Answer, Answers, Question, RulesError, RulesPlan};
    use matches::plan::{EngineSpec, Limit};

    use super::*;

    const TIMEOUT: Duration = Duration::from_millis(300);

    /// A rules program with the move `x`, which fails when it sees `slow` or `bad` after that.
    #[derive(Debug, Default)]
    struct Endless {
        questions: AtomicUsize,
    }

    impl Answers for Endless {
        fn ask(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, RulesError> {
            let answer = |question: &Question<'_>| {
                self.questions.fetch_add(1, Ordering::Relaxed);
                if question.position.ends_with("slow") {
                    sleep(TIMEOUT);
                }
                if question.position.ends_with("slow") || question.position.ends_with("bad") {
                    return Err(self.broken("no answer".to_string(), ""));
                }
                let response = |query: &&str| match *query {
                    "state" => "1 legal x slow bad".to_string(),
                    _ => String::new(),
                };
                Ok(Answer::Responses(question.queries.iter().map(response).collect()))
            };
            questions.iter().map(answer).collect()
        }

        fn broken(&self, what: String, asked: &str) -> RulesError {
            RulesError::broken("endless", &what, asked, String::new())
        }
    }

    #[test]
    fn a_report_about_the_rules_program_cannot_keep_the_coordinator_busy() {
        let program = EngineSpec::new("endless", "endless", Limit::default());
        let told = "endless".to_string();
        let game = External::new(RulesPlan { program, uci_variant: told, draws: Draws::Seat });
        let answers = Arc::new(Endless::default());
        game.connect(Arc::clone(&answers) as Arc<dyn Answers>);
        let engine = |name: &str| EngineSpec::new(name, "/bin/sh", Limit::depth(1));
        let built_in = &buxtehude::rules::VARIANTS[0];
        let mut plan = Plan::new(built_in, 2, vec![engine("a"), engine("b")]);
        plan.rules = Rules::External(Arc::new(game));
        plan.referee_limits.ready = TIMEOUT;
        plan.referee_limits.max_plies = 50;
        let ends = |words: usize, last: &str| {
            let words = "x ".repeat(words - 1) + last;
            check_rules(&plan, &format!("startpos players 2 moves {words}"))
        };
        let most = most_words(&plan);
        for words in [1, 50, most] {
            assert!(matches!(ends(words, "bad"), Err(PositionError::Rules(_))), "{words}");
        }
        assert!(ends(2, "slow").is_ok());
        let before = answers.questions.load(Ordering::Relaxed);
        for words in [most + 1, 500_000] {
            assert!(ends(words, "bad").is_ok(), "{words}");
        }
        assert_eq!(answers.questions.load(Ordering::Relaxed), before);
    }
}
