//! An engine that plays a random legal move, each with the same probability: an opponent for tests, and the smallest
//! complete engine in Rust.
//!
//! `arbiter match --engine "cmd=target/release/examples/random_mover args=7 name=random" ...`; the argument, a whole
//! number, is a seed, by default 0. It answers every `go` at once, and the same `position` line always in the same way.

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use buxtehude::protocol::{
    BestMove, Command, Go, LineReader, OptionKind, OptionOffer, PositionCommand, Reply, Start,
};
use buxtehude::rules::{AnyPosition, Turn, VARIANTS, Variant};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Number of players if a client does not set it.
const DEFAULT_PLAYERS: u32 = 2;

/// The option that chooses the variant.
const VARIANT_OPTION: &str = "UCI_Variant";

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "0".to_string());
    let Ok(seed) = argument.parse() else {
        eprintln!("random_mover: {argument:?} is not a seed, expected a whole number from 0");
        return ExitCode::from(2);
    };
    match serve(seed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("random_mover: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Answers a client's lines until it quits or its input ends.
///
/// # Errors
/// Errors of the streams.
fn serve(seed: u64) -> io::Result<()> {
    let mut mover = RandomMover {
        seed,
        variant: &VARIANTS[0],
        position: None,
        words: 0,
    };
    let mut output = io::stdout().lock();
    let mut lines = LineReader::new(io::stdin().lock());
    while let Some(line) = lines.next_line() {
        let replies = match line?.command() {
            Ok(Command::Quit) => return Ok(()),
            Ok(command) => mover.obey(&command),
            Err(error) => Err(error.into()),
        };
        let complaint = |error| vec![Reply::Say(format!("error: {error}"))];
        for reply in replies.unwrap_or_else(complaint) {
            writeln!(output, "{reply}")?;
        }
        output.flush()?;
    }
    Ok(())
}

/// State of the engine.
struct RandomMover {
    seed: u64,
    variant: &'static Variant,
    /// `None` until a client sets one.
    position: Option<AnyPosition>,
    /// Number of moves and cards that led to it. They affect the choice, because otherwise two random movers that return
    /// to a position would repeat themselves forever.
    words: u64,
}

impl RandomMover {
    /// Carries out a command; ignores those that mean nothing to it.
    fn obey(&mut self, command: &Command) -> Result<Vec<Reply>, Box<dyn Error>> {
        match command {
            Command::Uci => return Ok(introduction()),
            Command::IsReady => return Ok(vec![Reply::ReadyOk]),
            Command::SetOption {
                name,
                value: Some(value),
            } if name.eq_ignore_ascii_case(VARIANT_OPTION) => {
                self.variant = Variant::by_name(value)?;
                self.position = None;
            }
            Command::Position(command) => self.set_position(command)?,
            Command::Go(go) => {
                return Ok(vec![Reply::BestMove(BestMove {
                    best: self.choose(go),
                    ponder: None,
                    estimate: Vec::new(),
                })]);
            }
            _ => {}
        }
        Ok(Vec::new())
    }

    fn set_position(&mut self, command: &PositionCommand) -> Result<(), Box<dyn Error>> {
        let mut position = match &command.start {
            Start::Startpos { players } => {
                let players = players.unwrap_or(DEFAULT_PLAYERS);
                self.variant.start(players as usize)?
            }
            Start::Fen(text) => self.variant.parse(text)?,
            Start::Etude(line) => self.variant.parse_etude(line)?,
        };
        for word in &command.moves {
            position.play(word)?;
        }
        self.position = Some(position);
        self.words = command.moves.len() as u64;
        Ok(())
    }

    /// Chooses a legal move, or one of the moves after `searchmoves`; `None` if no seat is to move.
    fn choose(&self, go: &Go) -> Option<String> {
        let position = self.position.as_ref()?;
        let Turn::Seat(_) = position.turn() else {
            return None;
        };
        let mut moves = position.legal_actions();
        moves.retain(|mv| go.searchmoves.is_empty() || go.searchmoves.contains(mv));
        let numbers = [position.key(), self.words, self.seed, 0];
        let mut seed = [0; 32];
        for (bytes, number) in seed.chunks_exact_mut(8).zip(numbers) {
            bytes.copy_from_slice(&number.to_le_bytes());
        }
        moves.choose(&mut ChaCha8Rng::from_seed(seed)).cloned()
    }
}

fn introduction() -> Vec<Reply> {
    let names = Variant::names().into_iter().map(str::to_string);
    vec![
        Reply::IdName("random mover".to_string()),
        Reply::IdAuthor("the buxtehude authors".to_string()),
        Reply::Option(OptionOffer {
            name: VARIANT_OPTION.to_string(),
            kind: OptionKind::Combo {
                default: VARIANTS[0].name.to_string(),
                vars: names.collect(),
            },
        }),
        Reply::UciOk,
    ]
}
