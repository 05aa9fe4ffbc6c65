//! Check of a rules program by "Rules by another program" of docs/games.md.
//!
//! The arbiter's own client plays random games, and checks each answer as in a match. The other checks send lines that
//! a match does not, and compare what the program answers about the same positions in other circumstances.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buxtehude::rules::{MAX_SEATS, Turn, is_card};
use matches::plan::Patience;
use matches::plan::rules::PositionError;
use matches::plan::rules::external::{External, ExternalPosition};
use matches::plan::rules::program::RulesPlan;
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::rules::connect;
use matches::play::sandbox::Isolation;
use matches::record::printable::ends_of;
use matches::run::exit::ExitError;
use rand::SeedableRng;
use rand::seq::{IteratorRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::check::{Check, Level, Outcome, Report, Run, Settings, Verdict};
use super::program::{Fault, expect, is_refusal, wrong};
use super::talk::{Scope, Talk, nothing};
use super::{laws, suite};

/// Positions kept of each game, besides its last one.
const KEPT: usize = 9;

/// Positions after which each invalid line is sent.
const REFUSALS: usize = 20;

/// Questions sent at once.
const TOGETHER: usize = 250;

/// The checks that are transcripts.
const FILE: &str = include_str!("../../conformance/rules.transcript");

#[derive(Clone, Debug)]
pub struct RulesSettings {
    pub plan: RulesPlan,
    /// Isolation of the program, if possible.
    pub isolation: Option<Isolation>,
    /// Numbers of players to check; all that the program allows if empty.
    pub players: Vec<usize>,
    /// Random games for each number of players.
    pub games: u64,
    /// Plies after which a game is broken off.
    pub plies: u64,
    pub seed: u64,
    /// Run only checks whose names contain one of these, after the games; every check if empty.
    pub only: Vec<String>,
    /// Timeout for an expected answer.
    pub patience: Duration,
}

/// Runs all checks of a rules program, and passes each outcome to `observe`, with the number of checks that are left.
///
/// # Errors
/// [`ExitError`] if the program cannot be started.
pub fn run(
    settings: &RulesSettings,
    observe: &mut dyn FnMut(&Outcome, usize),
) -> Result<Report, ExitError> {
    let plain = Settings {
        program: settings.plan.program.clone(),
        isolation: settings.isolation,
        profile: None,
        legal: false,
        rules: None,
        players: None,
        only: settings.only.clone(),
        patience: settings.patience,
        soak: None,
    };
    let games = Rc::new(Games::new(settings));
    let mut run = Run::new(&plain, begin, observe);
    run.checks(introduction(&games))?;
    run.checks(of_each_number(&games))?;
    if !games.samples().is_empty() {
        let mut checks = laws(&games);
        checks.extend(lines(&games, &plain));
        let only = &settings.only;
        checks.retain(|check| only.is_empty() || only.iter().any(|part| check.name.contains(part)));
        run.checks(checks)?;
    }
    let mut report = run.report;
    for outcome in &mut report.outcomes {
        if outcome.verdict == Verdict::Passed {
            outcome.note.get_or_insert_with(|| "passed".into());
        }
    }
    Ok(report)
}

/// Random games, which the first checks play and the others use.
pub struct Games {
    pub settings: RulesSettings,
    game: Arc<External>,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    /// Numbers of players that the program allows.
    players: Vec<usize>,
    /// Some positions of each game, none of them a start.
    samples: Vec<ExternalPosition>,
    /// Time for each new position and its state.
    times: Vec<Duration>,
    /// Number of games that were broken off, and the last of their positions.
    endless: Option<(usize, ExternalPosition)>,
}

impl Games {
    /// Creates games that are yet to be played.
    pub fn new(settings: &RulesSettings) -> Games {
        Games {
            settings: settings.clone(),
            game: Arc::new(External::new(settings.plan.clone())),
            found: RefCell::default(),
        }
    }

    /// Some positions of each game, none of them a start.
    pub fn samples(&self) -> Ref<'_, [ExternalPosition]> {
        Ref::map(self.found.borrow(), |found| found.samples.as_slice())
    }

    /// Finds the numbers of players that the program allows; returns them in words.
    fn find_players(&self) -> Result<String, Fault> {
        let RulesSettings { isolation, patience, players, .. } = &self.settings;
        let (log, interrupt) = (Log::none(), Interrupt::new());
        connect(&self.game, *isolation, *patience, &log, &interrupt)?;
        let all: Vec<usize> = (2..=MAX_SEATS).collect();
        let asked = if players.is_empty() { &all } else { players };
        let mut last_refusal = String::new();
        for &seats in asked {
            match self.game.start(seats) {
                Ok(_) => self.found.borrow_mut().players.push(seats),
                Err(PositionError::Rules(error)) => return Err(error.into()),
                Err(error) if players.is_empty() => last_refusal = error.to_string(),
                Err(error) => return Err(error.into()),
            }
        }
        let allowed = &self.found.borrow().players;
        expect(!allowed.is_empty(), || last_refusal)?;
        let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
        Ok(allowed.join(", "))
    }

    /// Plays games with this number of players; returns their lengths in words.
    fn play_all(&self, seats: usize) -> Result<String, Fault> {
        let start = self.game.start(seats)?;
        expect(!start.facts().actions.is_empty(), || "the game is over at its start".into())?;
        let mut random = ChaCha8Rng::seed_from_u64(self.settings.seed);
        random.set_stream(seats as u64);
        let games = self.settings.games;
        let plies: Result<Vec<u64>, Fault> =
            (0..games).map(|_| self.play(seats, &mut random)).collect();
        let mut plies = plies?;
        plies.sort_unstable();
        let at = |index: usize| plies.get(index).copied().unwrap_or_default();
        let [least, median, most] = [0, plies.len() / 2, plies.len().saturating_sub(1)].map(at);
        let usual = Patience::default().max_plies;
        let long = plies.iter().filter(|&&plies| plies > usual.into()).count();
        let cut = match long {
            0 => String::new(),
            long => format!(
                "; {long} of more than {usual}, where a match ends them unless --max-plies is higher"
            ),
        };
        Ok(format!("{games} games of {least} to {most} plies, median {median}{cut}"))
    }

    /// Plays a game by words at random, outcomes too, so that rare ones come up; returns its number of moves.
    fn play(&self, seats: usize, random: &mut ChaCha8Rng) -> Result<u64, Fault> {
        let mut plies = 0;
        let mut position = self.game.start(seats)?;
        let mut after = Vec::new();
        let mut found = self.found.borrow_mut();
        while let Some(word) = position.facts().actions.iter().choose(random) {
            if plies >= self.settings.plies {
                let count = found.endless.as_ref().map_or(1, |(count, _)| count + 1);
                found.endless = Some((count, position));
                break;
            }
            plies += u64::from(matches!(position.facts().turn, Turn::Seat(_)));
            let begun = Instant::now();
            let next = position.after(word)?;
            found.times.push(begun.elapsed());
            position = next.clone();
            after.push(next);
        }
        let last = after.pop();
        let kept = after.into_iter().sample(random, KEPT);
        found.samples.extend(kept.into_iter().chain(last));
        Ok(plies)
    }
}

/// Checks without which there are no games.
fn introduction(games: &Rc<Games>) -> Vec<Check> {
    let games = Rc::clone(games);
    vec![
        Check::new("ugi", Level::Needed, "`ugi` is answered with `ugiok`", |_| Ok(())),
        Check::new(
            "players",
            Level::Needed,
            "the start for each number of players is valid or refused, and one is valid",
            move |talk| {
                talk.note = Some(games.find_players()?);
                Ok(())
            },
        ),
    ]
}

/// A check for each number of players that the program allows, which plays the games.
fn of_each_number(games: &Rc<Games>) -> Vec<Check> {
    let players = games.found.borrow().players.clone();
    let check = |seats| {
        let games = Rc::clone(games);
        let explanation =
            "every listed word can be played, and every state is as the protocol says";
        Check::new(format!("games/{seats}"), Level::Needed, explanation, move |talk| {
            talk.note = Some(games.play_all(seats)?);
            Ok(())
        })
    };
    players.into_iter().map(check).collect()
}

/// Checks of all games together.
fn laws(games: &Rc<Games>) -> Vec<Check> {
    let [ends, speed] = [(); 2].map(|()| Rc::clone(games));
    vec![
        Check::new("ends", Level::Needed, "random games end", move |_| {
            match &ends.found.borrow().endless {
                Some((count, position)) => {
                    let plies = ends.settings.plies;
                    wrong(format!(
                        "{count} games had no end after {plies} plies, such as position \"{}\"",
                        ends_of(&position.to_string())
                    ))
                }
                None => Ok(()),
            }
        })
        .lightly(),
        Check::new(
            "speed",
            Level::Needed,
            "no requirement: the median time for a position with its state",
            move |talk| {
                let times = &mut speed.found.borrow_mut().times;
                times.sort_unstable();
                let median = times.get(times.len() / 2).copied().unwrap_or_default();
                let micros = median.as_micros();
                talk.note = Some(format!(
                    "{micros} µs for a position with its state (median of {})",
                    times.len()
                ));
                Ok(())
            },
        ),
    ]
}

fn begin(talk: &mut Talk) -> Result<(), Fault> {
    talk.program.forget();
    fence(talk)?;
    talk.program.forget();
    Ok(())
}

/// Sends `ugi` and returns the answers and errors before its answer.
fn fence(talk: &mut Talk) -> Result<Vec<String>, Fault> {
    talk.program.send("ugi")?;
    talk.program.expect(0, &["...".into(), "ugiok*".into()])?;
    let answers = talk.program.answer.iter().filter(|line| is_answer(line));
    Ok(answers.cloned().collect())
}

fn is_answer(line: &str) -> bool {
    is_refusal(line) || line.split_ascii_whitespace().next() == Some("response")
}

/// Sends lines and returns the answers and errors.
fn ask(talk: &mut Talk, lines: &[&str]) -> Result<Vec<String>, Fault> {
    for line in lines {
        talk.program.send(line)?;
    }
    fence(talk)
}

/// Returns the answer to lines with one query.
fn response(talk: &mut Talk, lines: &[&str]) -> Result<String, Fault> {
    let mut answers = ask(talk, lines)?;
    let is_one = answers.len() == 1 && !is_refusal(&answers[0]);
    expect(is_one, || format!("expected one response, got {answers:?}"))?;
    Ok(answers.remove(0))
}

/// Returns the state of a valid position.
fn state(talk: &mut Talk, position: &str) -> Result<String, Fault> {
    talk.program.forget();
    response(talk, &[&format!("position {position}"), "query state"])
}

fn states(talk: &mut Talk, positions: &[String]) -> Result<Vec<String>, Fault> {
    positions.iter().map(|position| state(talk, position)).collect()
}

/// Fails unless positions have these states, asked in an order by the seed.
fn expect_states(
    talk: &mut Talk,
    positions: &[String],
    states: &[String],
    seed: u64,
) -> Result<(), Fault> {
    let mut asked: Vec<_> = positions.iter().zip(states).collect();
    asked.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    for (position, expected) in asked {
        let now = state(talk, position)?;
        expect(now == *expected, || {
            format!("position {:?}: first {expected:?}, then {now:?}", ends_of(position))
        })?;
    }
    Ok(())
}

/// An illegal word: a draw for a move, a move for a draw, or the last word again after the end.
fn of_other_kind(position: &ExternalPosition) -> String {
    let last =
        |is_card_wanted| position.words().filter(|word| is_card(word) == is_card_wanted).last();
    match position.facts().turn {
        Turn::Seat(_) => last(true).unwrap_or("+1").into(),
        Turn::Card(_) => last(false).unwrap_or("no-such-move").into(),
        Turn::Over => position.words().last().unwrap_or_default().into(),
    }
}

/// All checks, in the order of execution.
fn lines(games: &Rc<Games>, settings: &Settings) -> Vec<Check> {
    let samples: Rc<[ExternalPosition]> = Rc::from(&*games.samples());
    let positions: Rc<[String]> = samples.iter().map(ExternalPosition::to_string).collect();
    let mut checks = same(&positions, games.settings.seed, settings);
    checks.push(texts(&positions));
    let every = samples.len().div_ceil(REFUSALS);
    // The last position of a game follows its others: an even step could miss all ends.
    let some: Rc<[ExternalPosition]> = samples.iter().rev().step_by(every | 1).cloned().collect();
    let first: Rc<[ExternalPosition]> = samples.iter().take(1).cloned().collect();
    for block in suite::blocks(FILE) {
        let places = match block.positions.as_str() {
            "all" => Rc::clone(&samples),
            "some" => Rc::clone(&some),
            _ => Rc::clone(&first),
        };
        let (name, explanation) = (block.name.clone(), block.explanation.clone());
        let is_warning = block.is_warning;
        let check = Check::new(name, Level::Needed, explanation, move |talk| {
            talk.is_open = !block.ends;
            for place in places.iter() {
                talk.program.forget();
                let script = block.script(place.seats(), &|name| value(place, name))?;
                talk.program.play(&script)?;
            }
            Ok(())
        });
        checks.push(if is_warning { check.lightly() } else { check });
    }
    let explanation = "the end of its input ends the program";
    checks.push(Check::new("end/input", Level::Needed, explanation, |talk| {
        talk.is_open = false;
        talk.program.close_input();
        laws::check(&mut talk.program, "the program ends", None)
    }));
    checks
}

/// The value of a placeholder.
fn value(position: &ExternalPosition, name: &str) -> Option<String> {
    Some(match name {
        "position" => position.to_string(),
        "players" => position.seats().to_string(),
        "word of the other kind" => of_other_kind(position),
        "position with an illegal first word" => {
            position.to_string().replacen(" moves", " moves no-such-move", 1)
        }
        _ => return None,
    })
}

/// Checks that the same position has the same state.
fn same(positions: &Rc<[String]>, seed: u64, settings: &Settings) -> Vec<Check> {
    let [order, process, together] = [(); 3].map(|()| Rc::clone(positions));
    let scope = Scope::new(settings);
    vec![
        Check::new(
            "same/order",
            Level::Needed,
            "the same position has the same state in any order",
            move |talk| {
                let states = states(talk, &order)?;
                expect_states(talk, &order, &states, seed)
            },
        ),
        Check::new(
            "same/process",
            Level::Needed,
            "the same position has the same state in another process",
            move |talk| {
                let states = states(talk, &process)?;
                let mut other = Talk::start(&scope, None)?;
                begin(&mut other)?;
                expect_states(&mut other, &process, &states, seed.wrapping_add(1))
            },
        ),
        Check::new(
            "same/together",
            Level::Needed,
            "many questions can be sent at once",
            move |talk| {
                let positions = &together[..together.len().min(TOGETHER)];
                let states = states(talk, positions)?;
                let lines =
                    positions.iter().map(|position| format!("position {position}\nquery state\n"));
                talk.program.send_bytes(lines.collect::<String>().as_bytes())?;
                for expected in &states {
                    talk.program.expect(0, &["...".into(), expected.clone()])?;
                }
                nothing(&fence(talk)?)
            },
        ),
    ]
}

/// Checks that `position fen` reads the answers to `query text`.
fn texts(positions: &Rc<[String]>) -> Check {
    let positions = Rc::clone(positions);
    let explanation = "`position fen` reads the answer to `query text` as a position of the same state and players";
    Check::new("text", Level::Needed, explanation, move |talk| {
        for position in positions.iter() {
            let before = [state(talk, position)?, response(talk, &["query players"])?];
            let text = response(talk, &["query text"])?;
            let text = text.trim_start_matches("response").trim();
            if text.is_empty() {
                return Err(Fault::Skipped("it has no texts of positions".into()));
            }
            let after = [state(talk, &format!("fen {text}"))?, response(talk, &["query players"])?];
            expect(before == after, || {
                let position = ends_of(position);
                format!("position {position:?} has {before:?}, but its text {text:?} {after:?}")
            })?;
        }
        Ok(())
    })
}
