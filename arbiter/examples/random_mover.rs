//! An engine that plays random legal moves: a baseline in strength, and the smallest complete engine to read.
//!
//! `arbiter match --engine "cmd=target/release/examples/random_mover args=7 name=random" ...`; the argument is the seed
//! (default: 0). It answers every `go` at once, even `go infinite`, and the same `position` always with the same move.

use std::error::Error;
use std::io::{self, BufRead, BufReader, Write};
use std::process::ExitCode;

use buxtehude::protocol::{
    BestMove, Command, Go, LineReader, OptionKind, OptionOffer, PositionCommand, Reply, Start,
};
use buxtehude::rules::{AnyPosition, Turn, VARIANTS, Variant};
use rand::SeedableRng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;

/// Number of players unless the client sets one.
const DEFAULT_PLAYERS: u32 = 2;

/// The option that chooses the variant.
const VARIANT_OPTION: &str = "UCI_Variant";

fn main() -> ExitCode {
    let argument = std::env::args().nth(1).unwrap_or_else(|| "0".to_string());
    let Ok(seed) = argument.parse() else {
        eprintln!("random_mover: {argument:?} is no seed, expected a whole number of at least 0");
        return ExitCode::from(2);
    };
    match serve(BufReader::new(io::stdin()), io::stdout(), seed) {
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
fn serve(input: impl BufRead, mut output: impl Write, seed: u64) -> io::Result<()> {
    let mut mover = RandomMover::new(&VARIANTS[0], seed);
    let mut lines = LineReader::new(input);
    while let Some(line) = lines.next_line() {
        let replies = match line?.command() {
            Ok(Command::Quit) => return Ok(()),
            Ok(command) => mover.obey(&command),
            Err(error) => Err(error.into()),
        };
        let refused = |error| vec![Reply::InfoString(format!("error: {error}"))];
        for reply in replies.unwrap_or_else(refused) {
            writeln!(output, "{reply}")?;
        }
        output.flush()?;
    }
    Ok(())
}

/// State of the engine.
#[derive(Debug)]
struct RandomMover {
    seed: u64,
    variant: &'static Variant,
    /// `None` until a client has set one.
    position: Option<AnyPosition>,
    /// Number of moves and cards that led to it. The choice depends on it, because two random movers that repeat a
    /// position would otherwise go round in circles for ever.
    words: u64,
}

impl RandomMover {
    fn new(variant: &'static Variant, seed: u64) -> RandomMover {
        RandomMover { seed, variant, position: None, words: 0 }
    }

    /// Executes a command; other commands have no answer.
    fn obey(&mut self, command: &Command) -> Result<Vec<Reply>, Box<dyn Error>> {
        Ok(match command {
            Command::Uci => introduction(),
            Command::IsReady => vec![Reply::ReadyOk],
            Command::SetOption { name, value: Some(value) }
                if name.eq_ignore_ascii_case(VARIANT_OPTION) =>
            {
                *self = RandomMover::new(Variant::by_name(value)?, self.seed);
                Vec::new()
            }
            Command::Position(command) => {
                self.set_position(command)?;
                Vec::new()
            }
            Command::Go(go) => vec![Reply::BestMove(BestMove {
                best: self.choose(go),
                ponder: None,
                estimate: Vec::new(),
            })],
            _ => Vec::new(),
        })
    }

    fn set_position(&mut self, command: &PositionCommand) -> Result<(), Box<dyn Error>> {
        let mut position = match &command.start {
            Start::Startpos { players } => {
                let players = players.unwrap_or(DEFAULT_PLAYERS);
                self.variant.start(players as usize)?
            }
            Start::Fen(text) => self.variant.parse(text)?,
        };
        for word in &command.moves {
            position.play(word)?;
        }
        self.position = Some(position);
        self.words = command.moves.len() as u64;
        Ok(())
    }

    /// Returns one of the legal moves, or of those in `searchmoves`; `None` unless a seat is to move.
    fn choose(&self, go: &Go) -> Option<String> {
        let position = self.position.as_ref()?;
        let Turn::Seat(_) = position.turn() else {
            return None;
        };
        let mut moves = position.legal_actions();
        moves.retain(|mv| go.searchmoves.is_empty() || go.searchmoves.contains(mv));
        let mut seed = [0; 32];
        for (bytes, number) in seed.chunks_exact_mut(8).zip([position.key(), self.words, self.seed])
        {
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
