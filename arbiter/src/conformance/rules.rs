//! Check of a rules program by "Rules by another program" of docs/games.md.
//!
//! The arbiter's own client plays random games, and checks each answer as in a match. The other checks are transcripts,
//! which send lines that a match does not, and compare answers about the same positions in other circumstances.

use std::time::{Duration, Instant};
use std::{iter, mem};

use buxtehude::rules::{MAX_SEATS, Turn, is_card};
use clap::Args;
use matches::plan::RefereeLimits;
use matches::plan::rules::external::RulesPlan;
use matches::plan::rules::{Position, PositionError, Rules};
use matches::plan::syntax::{Positive, Seats};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::rules::connect;
use matches::record::printable::ends_of;
use matches::run::exit::ExitError;
use rand::SeedableRng;
use rand::seq::{IteratorRandom, SliceRandom};
use rand_chacha::ChaCha8Rng;
use settings::args::rules;

use super::check::{Check, Outcome, Report, Run, Scope, Verdict};
use super::laws::is_move;
use super::program::{Fault, ensure, wrong};
use super::suite::{self, Block, fact};
use super::talk::Talk;
use super::transcript::ANY_LINES;

/// Positions kept of each game, besides its last one.
const POSITIONS_PER_GAME: usize = 9;

/// Number of positions of checks for `some`.
const SOME: usize = 20;

/// The checks after the games.
const FILE: &str = include_str!("../../conformance/rules.transcript");

/// The program, and its random games.
#[derive(Debug, Args)]
pub struct GamesArgs {
    /// The program, as for `arbiter match --rules`
    #[arg(value_name = "cmd=./x KEY=VALUE...", value_parser = rules)]
    pub rules: RulesPlan,

    /// Numbers of players to check, such as 2,4 [default: all that the program allows]
    #[arg(long, value_name = "N", value_parser = Seats::parse::<usize>, value_delimiter = ',')]
    pub players: Vec<usize>,

    /// Random games for each number of players
    #[arg(long, value_name = "N", default_value = "20", value_parser = Positive::parse::<u64>)]
    pub games: u64,

    /// Plies after which a game is broken off, that is moves of all seats
    #[arg(long, value_name = "N", default_value = "2000", value_parser = Positive::parse::<u64>)]
    pub plies: u64,

    /// Seed of the games
    #[arg(long, value_name = "N", default_value = "1")]
    pub seed: u64,
}

/// Runs all checks of a rules program, and passes each outcome to `observe`, with the number of checks that are left.
/// `scope.only` concerns the checks after the games.
///
/// # Errors
/// [`ExitError`] if the program cannot be started.
pub fn run(
    args: &GamesArgs,
    scope: Scope,
    observe: &mut dyn FnMut(&Outcome, usize),
) -> Result<Report, ExitError> {
    let mut run = Run::new(scope, begin, observe);
    let mut games = Games {
        args,
        rules: Rules::apart(args.rules.clone()),
        players: Vec::new(),
        samples: Vec::new(),
        times: Vec::new(),
        endless: None,
    };
    run.one(check("ugi", "`ugi` is answered with `ugiok`"), |_| Ok(()))?;
    let explanation = "the start for each number of players is valid or refused, and one is valid";
    run.one(check("players", explanation), |talk| {
        talk.note = Some(games.find_players(&talk.scope)?);
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
    let mut blocks = suite::blocks(&[FILE], &[]);
    // The checks need positions of games.
    blocks.retain(|block| !games.samples.is_empty() && run.wants(&block.check));
    run.left = blocks.len();
    for block in blocks {
        run.one(block.check.clone(), |talk| games.test(talk, &block))?;
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

fn begin(talk: &mut Talk) -> Result<(), Fault> {
    talk.program.run("> ugi\n< ...\n< ugiok*")?;
    talk.program.log.clear();
    Ok(())
}

/// Random games, which the first checks play and the others use.
struct Games<'a> {
    args: &'a GamesArgs,
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
    fn find_players(&mut self, scope: &Scope) -> Result<String, Fault> {
        if let Some(game) = self.rules.program() {
            let (log, interrupt) = (Log::none(), Interrupt::new());
            connect(game, scope.isolation, scope.timeout, &log, &interrupt)
                .map_err(PositionError::from)?;
        }
        let players = &self.args.players;
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
        let mut random = ChaCha8Rng::seed_from_u64(self.args.seed);
        random.set_stream(seats as u64);
        let games = self.args.games;
        let mut plies = (0..games)
            .map(|_| self.play(start.clone(), &mut random))
            .collect::<Result<Vec<u64>, Fault>>()?;
        plies.sort_unstable();
        // Clap requires at least one game.
        let [least, median, most] = [0, plies.len() / 2, plies.len() - 1].map(|game| plies[game]);
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
            if plies >= self.args.plies {
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
        let kept = after.into_iter().sample(random, POSITIONS_PER_GAME);
        self.samples.extend(kept.into_iter().chain(last));
        Ok(plies)
    }

    /// Plays the script of a block in the positions that it asks for.
    fn test(&self, talk: &mut Talk, block: &Block) -> Result<(), Fault> {
        match (block.check.name.as_str(), &self.endless) {
            ("ends", Some((count, position))) => {
                return wrong(format!(
                    "{count} games had no end after {} plies, such as position \"{}\"",
                    self.args.plies,
                    ends_of(&position.to_string())
                ));
            }
            ("speed", _) => talk.note = Some(self.speed()),
            _ => {}
        }
        talk.is_open = !block.ends;
        let (kind, again) = block.places.split_once(", again ").unwrap_or((&block.places, ""));
        let mut positions: Vec<&Position> = self.samples.iter().collect();
        match kind {
            "all" => {}
            "some" => {
                // The last position of a game follows its others: an even step could miss all ends.
                let step = positions.len().div_ceil(SOME) | 1;
                positions = positions.into_iter().rev().step_by(step).collect();
            }
            number => positions.truncate(number.parse().unwrap_or(1)),
        }
        let play = |talk: &mut Talk, positions: &[&Position]| {
            positions.iter().try_for_each(|position| {
                talk.program.log.clear();
                if block.check.name == "end/input" {
                    talk.program.log.push("# end of input".into());
                    talk.program.process.stdin = None;
                }
                let value = |name: &str| value(position, name);
                block.play_with(&mut talk.program, position.seats(), &value)
            })
        };
        play(talk, &positions)?;
        match again {
            "" => return Ok(()),
            "together" => return ask_together(talk, &positions),
            "by another process" => {
                let remembered = mem::take(&mut talk.program.remembered);
                *talk = Talk::start(&talk.scope, None)?;
                begin(talk)?;
                talk.program.remembered = remembered;
            }
            _ => {}
        }
        positions.shuffle(&mut ChaCha8Rng::seed_from_u64(self.args.seed));
        play(talk, &positions)
    }

    fn speed(&self) -> String {
        let mut times = self.times.clone();
        times.sort_unstable();
        let median = times.get(times.len() / 2).copied().unwrap_or_default().as_micros();
        format!("{median} µs for a position with its state (median of {})", times.len())
    }
}

/// Fails unless positions that are set without waiting for answers have the remembered states.
fn ask_together(talk: &mut Talk, positions: &[&Position]) -> Result<(), Fault> {
    let program = &mut talk.program;
    let lines = positions.iter().map(|position| format!("position {position}\nquery state\n"));
    program.send_bytes(lines.collect::<String>().as_bytes())?;
    for position in positions {
        let state = program.remembered.get(&format!("response* of {position}")).cloned();
        let lines = iter::once(ANY_LINES.into()).chain(state.into_iter().flatten());
        program.expect(0, &lines.collect::<Vec<String>>())?;
    }
    program.run("> ugi\n< ...\n< ugiok\n= no response*\n= no info string error: *")
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
