//! Check of a rules program by "Rules by another program" of docs/games.md.
//!
//! The arbiter's own client plays random games, and checks each answer as in a match. The other checks send lines that
//! a match does not, and compare what the program answers about the same positions in other circumstances.

use std::mem;
use std::time::{Duration, Instant};

use buxtehude::rules::{MAX_SEATS, Turn, is_card};
use matches::plan::RefereeLimits;
use matches::plan::rules::external::RulesPlan;
use matches::plan::rules::{Position, PositionError, Rules};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::rules::connect;
use matches::record::printable::ends_of;
use matches::run::exit::ExitError;
use rand::SeedableRng;
use rand::seq::{IteratorRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;

use super::check::{Check, Outcome, Report, Run, Settings, Verdict};
use super::laws::{self, is_move};
use super::program::{Fault, ensure, is_refusal, wrong};
use super::suite::{self, Block, fact};
use super::talk::{Talk, nothing};

/// Positions kept of each game, besides its last one.
const KEPT: usize = 9;

/// Positions after which each invalid line is sent.
const REFUSALS: usize = 20;

/// Questions sent at once.
const TOGETHER: usize = 250;

/// The checks after the games, most of which are transcripts.
const FILE: &str = include_str!("../../conformance/rules.transcript");

#[derive(Clone, Debug)]
pub struct RulesSettings {
    /// Settings of the check of the program; `only` concerns the checks after the games.
    pub checked: Settings,
    pub plan: RulesPlan,
    /// Numbers of players to check; all that the program allows if empty.
    pub players: Vec<usize>,
    /// Random games for each number of players.
    pub games: u64,
    /// Plies after which a game is broken off.
    pub plies: u64,
    pub seed: u64,
}

/// Runs all checks of a rules program, and passes each outcome to `observe`, with the number of checks that are left.
///
/// # Errors
/// [`ExitError`] if the program cannot be started.
pub fn run(
    settings: &RulesSettings,
    observe: &mut dyn FnMut(&Outcome, usize),
) -> Result<Report, ExitError> {
    let mut run = Run::new(&settings.checked, begin, observe);
    let mut games = Games {
        settings,
        rules: Rules::apart(settings.plan.clone()),
        players: Vec::new(),
        samples: Vec::new(),
        times: Vec::new(),
        endless: None,
    };
    // The other checks need the games.
    let only = mem::take(&mut run.scope.settings.only);
    run.one(check("ugi", "`ugi` is answered with `ugiok`"), |_| Ok(()))?;
    let explanation = "the start for each number of players is valid or refused, and one is valid";
    run.one(check("players", explanation), |talk| {
        talk.note = Some(games.find_players()?);
        Ok(())
    })?;
    run.left = games.players.len();
    for seats in games.players.clone() {
        let explanation =
            "every listed word can be played, and every state is as the protocol says";
        run.one(check(&format!("games/{seats}"), explanation), |talk| {
            talk.note = Some(games.play_all(seats)?);
            Ok(())
        })?;
    }
    run.scope.settings.only = only;
    if !games.samples.is_empty() {
        games.check(&mut run)?;
    }
    let mut report = run.report;
    let passed = report.outcomes.iter_mut().filter(|outcome| outcome.verdict == Verdict::Passed);
    for outcome in passed {
        outcome.note.get_or_insert_with(|| "passed".into());
    }
    Ok(report)
}

fn check(name: &str, explanation: &str) -> Check {
    Check { name: name.into(), explanation: explanation.into(), ..Check::default() }
}

/// Random games, which the first checks play and the others use.
struct Games<'a> {
    settings: &'a RulesSettings,
    rules: Rules,
    /// Numbers of players that the program allows.
    players: Vec<usize>,
    /// Some positions of each game, none of them a start.
    samples: Vec<Position>,
    /// Time for each new position and its state.
    times: Vec<Duration>,
    /// Number of games that were broken off, and the last of their positions.
    endless: Option<(usize, Position)>,
}

impl Games<'_> {
    /// Finds the numbers of players that the program allows; returns them in words.
    fn find_players(&mut self) -> Result<String, Fault> {
        let RulesSettings { checked, players, .. } = &self.settings;
        if let Some(game) = self.rules.program() {
            let (log, interrupt) = (Log::none(), Interrupt::new());
            connect(game, checked.isolation, checked.timeout, &log, &interrupt)?;
        }
        let all: Vec<usize> = (2..=MAX_SEATS).collect();
        let asked = if players.is_empty() { &all } else { players };
        let mut last_refusal = String::new();
        for &seats in asked {
            match self.rules.start(seats) {
                Ok(_) => self.players.push(seats),
                Err(error @ PositionError::Setup(_)) if players.is_empty() => {
                    last_refusal = error.to_string();
                }
                Err(error) => return Err(error.into()),
            }
        }
        ensure!(!self.players.is_empty(), "{last_refusal}");
        let allowed: Vec<String> = self.players.iter().map(usize::to_string).collect();
        Ok(allowed.join(", "))
    }

    /// Plays games with this number of players; returns their lengths in words.
    fn play_all(&mut self, seats: usize) -> Result<String, Fault> {
        let start = self.rules.start(seats)?;
        ensure!(!start.legal_actions().is_empty(), "the game is over at its start");
        let mut random = ChaCha8Rng::seed_from_u64(self.settings.seed);
        random.set_stream(seats as u64);
        let games = self.settings.games;
        let mut plies = (0..games)
            .map(|_| self.play(start.clone(), &mut random))
            .collect::<Result<Vec<u64>, Fault>>()?;
        plies.sort_unstable();
        let at = |index: usize| plies.get(index).copied().unwrap_or_default();
        let [least, median, most] = [0, plies.len() / 2, plies.len().saturating_sub(1)].map(at);
        let usual = RefereeLimits::default().max_plies;
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
    fn play(&mut self, mut position: Position, random: &mut ChaCha8Rng) -> Result<u64, Fault> {
        let mut plies = 0;
        let mut after = Vec::new();
        while let Some(word) = position.legal_actions().into_iter().choose(random) {
            if plies >= self.settings.plies {
                let count = self.endless.as_ref().map_or(1, |(count, _)| count + 1);
                self.endless = Some((count, position));
                break;
            }
            plies += u64::from(is_move(position.turn()));
            let begun = Instant::now();
            position.play(&word)?;
            self.times.push(begun.elapsed());
            after.push(position.clone());
        }
        let last = after.pop();
        let kept = after.into_iter().sample(random, KEPT);
        self.samples.extend(kept.into_iter().chain(last));
        Ok(plies)
    }

    /// Runs the checks of all games together.
    fn check(&self, run: &mut Run<'_>) -> Result<(), ExitError> {
        let positions: Vec<String> = self.samples.iter().map(Position::to_string).collect();
        let blocks = suite::blocks(FILE);
        run.left = blocks.len();
        for block in blocks {
            run.one(block.check.clone(), |talk| self.test(talk, &block, &positions))?;
        }
        Ok(())
    }

    /// Tests what the check of a block expects: by its script or, if it has none, as follows.
    fn test(&self, talk: &mut Talk, block: &Block, positions: &[String]) -> Result<(), Fault> {
        let seed = self.settings.seed;
        match block.check.name.as_str() {
            "ends" => match &self.endless {
                None => Ok(()),
                Some((count, position)) => wrong(format!(
                    "{count} games had no end after {} plies, such as position \"{}\"",
                    self.settings.plies,
                    ends_of(&position.to_string())
                )),
            },
            "speed" => {
                talk.note = Some(self.speed());
                Ok(())
            }
            "same/order" => {
                let states = states(talk, positions)?;
                expect_states(talk, positions, &states, seed)
            }
            "same/process" => {
                let states = states(talk, positions)?;
                let mut other = Talk::start(&talk.scope, None)?;
                begin(&mut other)?;
                expect_states(&mut other, positions, &states, seed.wrapping_add(1))
            }
            "same/together" => ask_together(talk, &positions[..positions.len().min(TOGETHER)]),
            "text" => positions.iter().try_for_each(|position| expect_text(talk, position)),
            "end/input" => {
                talk.is_open = false;
                talk.program.close_input();
                laws::check(&mut talk.program, "the program ends", None)
            }
            _ => self.play_block(talk, block),
        }
    }

    fn speed(&self) -> String {
        let mut times = self.times.clone();
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default().as_micros();
        format!("{median} µs for a position with its state (median of {})", times.len())
    }

    /// Plays the script of a block in the positions that it asks for.
    fn play_block(&self, talk: &mut Talk, block: &Block) -> Result<(), Fault> {
        // The last position of a game follows its others: an even step could miss all ends.
        let step = self.samples.len().div_ceil(REFUSALS) | 1;
        let places: Vec<&Position> = match block.places.as_str() {
            "all" => self.samples.iter().collect(),
            "some" => self.samples.iter().rev().step_by(step).collect(),
            _ => self.samples.iter().take(1).collect(),
        };
        talk.is_open = !block.ends;
        for position in places {
            talk.program.forget();
            let value = |name: &str| value(position, name);
            block.play_with(&mut talk.program, position.seats(), &value)?;
        }
        Ok(())
    }
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
    let is_answer = |line: &&String| {
        is_refusal(line) || line.split_ascii_whitespace().next() == Some("response")
    };
    Ok(talk.program.answer.iter().filter(is_answer).cloned().collect())
}

/// Returns the answer to a query.
fn response(talk: &mut Talk, query: &str) -> Result<String, Fault> {
    talk.program.send(query)?;
    let mut answers = fence(talk)?;
    let is_single = answers.len() == 1 && !is_refusal(&answers[0]);
    ensure!(is_single, "expected one response, got {answers:?}");
    Ok(answers.remove(0))
}

/// Returns the state of a valid position.
fn state(talk: &mut Talk, position: &str) -> Result<String, Fault> {
    talk.program.forget();
    talk.program.send(&format!("position {position}"))?;
    response(talk, "query state")
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
        let position = ends_of(position);
        ensure!(now == *expected, "position {position:?}: first {expected:?}, then {now:?}");
    }
    Ok(())
}

fn ask_together(talk: &mut Talk, positions: &[String]) -> Result<(), Fault> {
    let states = states(talk, positions)?;
    let lines = positions.iter().map(|position| format!("position {position}\nquery state\n"));
    talk.program.send_bytes(lines.collect::<String>().as_bytes())?;
    for expected in &states {
        talk.program.expect(0, &["...".into(), expected.clone()])?;
    }
    nothing(&fence(talk)?)
}

fn expect_text(talk: &mut Talk, position: &str) -> Result<(), Fault> {
    let before = [state(talk, position)?, response(talk, "query players")?];
    let text = response(talk, "query text")?;
    let text = text.trim_start_matches("response").trim();
    if text.is_empty() {
        return Err(Fault::Skipped("it has no texts of positions".into()));
    }
    let after = [state(talk, &format!("fen {text}"))?, response(talk, "query players")?];
    let position = ends_of(position);
    ensure!(
        before == after,
        "position {position:?} has {before:?}, but its text {text:?} {after:?}"
    );
    Ok(())
}

/// The value of a placeholder.
fn value(position: &Position, name: &str) -> Option<String> {
    let text = position.to_string();
    Some(match name {
        // An illegal word: a draw for a move, a move for a draw, or the last word again after the end.
        "word of the other kind" => {
            let mut words = text.split(' ').rev();
            match position.turn() {
                Turn::Seat(_) => words.find(|word| is_card(word)).unwrap_or("+1").into(),
                Turn::Card(_) => words.find(|word| !is_card(word))?.into(),
                Turn::Over => words.next()?.into(),
            }
        }
        "position with an illegal first word" => text.replacen(" moves", " moves no-such-move", 1),
        "position" => text,
        _ => return fact(position, name),
    })
}
