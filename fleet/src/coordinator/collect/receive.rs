//! Checking what workers have sent.

use std::time::Instant;

use async_nats::jetstream::{AckKind, Message as Delivered};
use matches::plan::Plan;
use matches::plan::rules::PositionError;
use matches::plan::seed::Seed;
use matches::record::digest::StoredGame;
use matches::record::printable::{printable, shortened};
use matches::run::exit::complain;

use super::{Accepted, Collector, DriveError};
use crate::check::{GameError, check, check_luck};
use crate::coordinator::sample::Claimed;
use crate::message::{Message, MessageError, Outcome, RulesFault};
use crate::names::label_of;
use crate::plan_file::NO_SEED;
use crate::signature::{Key, claimed_key, name_of};
use crate::time_scale;

/// The luck of about one game in this many is measured again.
const LUCK_SAMPLE: u32 = 16;
/// Maximum number of messages of unknown authors to report.
const MAX_ANONYMOUS: u64 = 100;
/// Number of faults of the rules program on one machine alone before that is set aside.
const MAX_RULES_FAULTS: u32 = 3;
/// Maximum number of words of a ply in a worker's report about the rules program: a move and the outcomes after it.
const MAX_WORDS_OF_A_PLY: usize = 8;
/// Label of a worker whose messages cannot be read.
const UNNAMED: &str = "unnamed";
/// Maximum number of characters of a worker's report about the rules program.
const MAX_FAULT_LENGTH: usize = 4000;

impl Collector<'_> {
    /// Checks what a worker sent; returns the answer to the server.
    pub(super) fn check_message(
        &mut self,
        message: &Delivered,
        accepted: &mut Vec<Accepted>,
    ) -> Result<AckKind, DriveError> {
        let (bytes, scope) = (&message.payload, self.prepared.names.id());
        let claimed = claimed_key(bytes);
        if claimed.is_some_and(|key| !self.admits(key)) {
            return Ok(AckKind::Term);
        }
        let error = match Outcome::decode(bytes, scope) {
            Ok((key, outcome)) => return self.check_game(&key, outcome, accepted),
            // It may have another purpose.
            Err(MessageError::Signature(error)) => match RulesFault::decode(bytes, scope) {
                Ok((key, fault)) => {
                    self.check_fault(&key, &fault)?;
                    return Ok(AckKind::Term);
                }
                Err(MessageError::Signature(_)) => error.into(),
                Err(error) => error,
            },
            Err(error) => error,
        };
        match claimed.and_then(|key| key.parse::<Key>().ok()) {
            Some(key) if error.is_by_signer() => {
                let worker = self.worker_of(&key, UNNAMED);
                self.set_aside(&worker, &error.to_string());
            }
            // Its author is unknown, so no worker is set aside.
            _ => self.report_anonymous(&error),
        }
        Ok(AckKind::Term)
    }

    /// Ends the match if the rules program fails here, too. If it repeatedly fails only on the worker, sets the worker
    /// aside.
    fn check_fault(&mut self, key: &Key, fault: &RulesFault) -> Result<(), DriveError> {
        check_rules(self.plan, &fault.position)?;
        let worker = self.worker_of(key, &fault.label);
        let reason = shortened(&printable(&fault.reason), MAX_FAULT_LENGTH).into_owned();
        complain(format_args!("worker {worker}: {reason}; it does not fail so here"));
        let faults = self.rules_faults.entry(worker.clone()).or_default();
        *faults += 1;
        if *faults >= MAX_RULES_FAULTS {
            let reason = format!("the rules program failed {faults} times there, but not here");
            self.set_aside(&worker, &reason);
        }
        Ok(())
    }

    /// Name of the worker with this key.
    fn worker_of(&self, key: &Key, label: &str) -> String {
        let known = self.workers.get(key.id()).cloned();
        known.unwrap_or_else(|| name_of(&label_of(label), key))
    }

    /// Reports a message whose author is unknown, unless there were too many.
    fn report_anonymous(&mut self, error: &MessageError) {
        self.anonymous += 1;
        if self.anonymous <= MAX_ANONYMOUS {
            complain(format_args!("result refused: {}", printable(&error.to_string())));
        }
    }

    fn check_game(
        &mut self,
        key: &Key,
        outcome: Outcome,
        accepted: &mut Vec<Accepted>,
    ) -> Result<AckKind, DriveError> {
        let worker = self.worker_of(key, &outcome.label);
        let number = outcome.game.record.game;
        let is_known = |other: &Accepted| other.record.game == number;
        if self.planned.past.played.contains(&number) || accepted.iter().any(is_known) {
            self.count_worker(&worker, |tally| tally.doubles += 1);
            return Ok(AckKind::Ack);
        }
        let game = completed(outcome.game, &worker, self.plan.seed);
        if let Err(refusal) = self.check_record(&game) {
            if let Some(fault) = refusal.fault_of_rules() {
                return Err(PositionError::from(fault.clone()).into());
            }
            self.count_worker(&worker, |tally| tally.refused += 1);
            self.set_aside(&worker, &format!("game {number} is refused: {refusal}"));
            return Ok(AckKind::Term);
        }
        self.workers.insert(key.id().to_string(), worker.clone());
        if self.sample.has(self.units.of_game(number)) {
            self.claim(&worker, game, accepted);
        } else {
            let record = game.record;
            accepted.push(Accepted { worker, record });
        }
        Ok(AckKind::Ack)
    }

    fn check_record(&self, game: &StoredGame) -> Result<(), GameError> {
        check(self.plan, self.schedule, game)?;
        let is_sampled = rand::random_range(0..LUCK_SAMPLE) == 0;
        check_luck(self.luck.as_ref(), &game.record, is_sampled)?;
        time_scale::check(self.plan, self.prepared.reference_speed, &game.record)
    }

    /// Notes a worker's claim to a game that two must play; accepts its unit once two agree.
    fn claim(&mut self, worker: &str, game: StoredGame, accepted: &mut Vec<Accepted>) {
        let number = game.record.game;
        let unit = self.units.of_game(number);
        let played = &self.planned.past.played;
        let missing = self.units.games(unit).filter(|game| !played.contains(game));
        let missing: Vec<u64> = missing.collect();
        match self.sample.claim(unit, &missing, worker, game) {
            None => {}
            Some(Claimed::Whole) => self.changes.claimed.push(unit),
            Some(Claimed::Agreed { worker, records, others }) => {
                for inventor in others {
                    self.count_worker(&inventor, |tally| tally.refused += 1);
                    let reason = "two other workers agree on another game";
                    self.set_aside(&inventor, &format!("game {number} is refused: {reason}"));
                }
                accepted.extend(
                    records.into_iter().map(|record| Accepted { worker: worker.clone(), record }),
                );
            }
        }
    }
}

fn is_same_text(one: &str, other: &str) -> bool {
    one.split_ascii_whitespace().eq(other.split_ascii_whitespace())
}

/// Asks the rules program of a match about a position at which it failed on a worker, and about all positions before.
/// A game that is too long for the match is no reason to ask, and a late answer is no failure.
///
/// # Errors
/// [`PositionError::Rules`] if it fails here too.
fn check_rules(plan: &Plan, position: &str) -> Result<(), PositionError> {
    let (start, words) = position.split_once(" moves ").unwrap_or((position, ""));
    if words.split_ascii_whitespace().nth(most_words(plan)).is_some() {
        return Ok(());
    }
    let mut asked = Instant::now();
    let mut starts = plan.openings.iter().filter_map(|opening| opening.start.as_deref());
    let started = match start.strip_prefix("fen ") {
        Some(text) if starts.any(|known| is_same_text(known, text)) => plan.rules.parse(text),
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
        Err(PositionError::Rules(_)) if asked.elapsed() >= plan.patience.ready => Ok(()),
        Err(error @ PositionError::Rules(_)) => Err(error),
        _ => Ok(()),
    }
}

fn most_words(plan: &Plan) -> usize {
    let opening = plan.openings.iter().map(|opening| opening.moves.len()).max();
    let plies = (plan.random_plies as usize).saturating_add(plan.patience.max_plies as usize);
    plies.saturating_mul(MAX_WORDS_OF_A_PLY).saturating_add(opening.unwrap_or(0))
}

/// A game with what only the coordinator knows: the worker's name, and the seed of the match.
fn completed(mut game: StoredGame, worker: &str, seed: Seed) -> StoredGame {
    let machine = game.record.machine.get_or_insert_default();
    machine.worker = worker.to_string();
    if game.record.seed == NO_SEED {
        let is_whole = game.digest.as_ref() == Some(&game.record.digest());
        game.record.seed = seed;
        // A wrong digest stays wrong; a right one is computed again when the game is stored.
        if is_whole {
            game.digest = None;
        }
    }
    game
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
    use matches::plan::rules::program::{Answer, Answers, Question, RulesError, RulesPlan};
    use matches::plan::{EngineSpec, Limit};

    use super::*;

    const PATIENCE: Duration = Duration::from_millis(300);

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
                    sleep(PATIENCE);
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
        let game = External::new(RulesPlan { program, told, draws: Draws::Seat });
        let answers = Arc::new(Endless::default());
        game.connect(Arc::clone(&answers) as Arc<dyn Answers>);
        let engine = |name: &str| EngineSpec::new(name, "/bin/sh", Limit::depth(1));
        let built_in = &buxtehude::rules::VARIANTS[0];
        let mut plan = Plan::new(built_in, 2, vec![engine("a"), engine("b")]);
        plan.rules = Rules::External(Arc::new(game));
        plan.patience.ready = PATIENCE;
        plan.patience.max_plies = 50;
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
