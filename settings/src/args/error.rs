//! Errors in the arguments as a whole.

use std::io;
use std::path::PathBuf;

use buxtehude::rules::{SetupError, UnknownVariant};
use thiserror::Error;

use super::engine_text::EngineTextError;
use matches::plan::ResignTextError;
use matches::plan::openings::OpeningsError;
use matches::plan::seed::{SeedTextError, SysError};
use matches::score::SprtTextError;

/// Arguments that make no plan. Each message begins with the flag at fault.
#[derive(Debug, Error)]
pub enum ArgsError {
    /// Unknown variant.
    #[error("--variant: {0}")]
    Variant(#[from] UnknownVariant),
    /// The variant does not allow this number of players.
    #[error("--players: {0}")]
    Players(#[from] SetupError),
    /// Invalid string of an engine.
    #[error("--engine {text:?}: {reason}")]
    Engine {
        /// The string.
        text: String,
        /// The error in it.
        reason: EngineTextError,
    },
    /// Invalid string of shared settings.
    #[error("--each {text:?}: {reason}")]
    Each {
        /// The string.
        text: String,
        /// The error in it.
        reason: EngineTextError,
    },
    /// The shared settings contain a name.
    #[error("--each {text:?}: name= cannot be shared, engines need different names")]
    SharedName {
        /// The string.
        text: String,
    },
    /// An engine without a program.
    #[error("--engine {text:?}: cmd= is missing, expected cmd=PROGRAM here or in --each")]
    NoCommand {
        /// The string.
        text: String,
    },
    /// Two engines with the same name.
    #[error("--engine: two engines are called {name:?}, expected a different name= for each")]
    SameName {
        /// The name.
        name: String,
    },
    /// The path of the running program is unknown.
    #[error("--engine: the built-in engine cannot be started; name an engine here: {0}")]
    OwnProgram(io::Error),
    /// The directory of an engine does not exist.
    #[error("--engine {text:?}: dir={}: expected a directory", dir.display())]
    Directory {
        /// The string.
        text: String,
        /// The directory.
        dir: PathBuf,
    },
    /// Two outputs to the same file.
    #[error("--{flag}: expected a different file from --{other}")]
    SameFile {
        /// The flag of one.
        flag: &'static str,
        /// The flag of the other.
        other: &'static str,
    },
    /// Invalid openings.
    #[error("--openings: {0}")]
    Openings(#[from] OpeningsError),
    /// Invalid SPRT parameters.
    #[error("--sprt {text:?}: {reason}")]
    Sprt {
        /// The words, joined by spaces.
        text: String,
        /// The error in them.
        reason: SprtTextError,
    },
    /// An SPRT with more or fewer than two engines.
    #[error("--sprt: a test compares two engines: expected two --engine, found {engines}")]
    SprtEngines {
        /// The number of engines.
        engines: usize,
    },
    /// Invalid rule for resigning.
    #[error("--resign {text:?}: {reason}")]
    Resign {
        /// The words, joined by spaces.
        text: String,
        /// The error in them.
        reason: ResignTextError,
    },
    /// Resigning in a game that does not have two seats.
    #[error("--resign: expected two seats, found {seats}")]
    ResignSeats {
        /// The number of seats.
        seats: usize,
    },
    /// Pondering in a game that does not have two seats. Only with two can an engine tell whose move comes next.
    #[error("engine {engine}: ponder=on: expected two seats, found {seats}")]
    PonderSeats {
        /// The engine.
        engine: String,
        /// The number of seats.
        seats: usize,
    },
    /// The seed file cannot be read.
    #[error("--seed-file: {}: {reason}", path.display())]
    SeedFile {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// The seed file holds no seed. The message does not quote its text, which may be part of a secret.
    #[error("--seed-file: {}: {reason}", path.display())]
    SeedText {
        /// The file.
        path: PathBuf,
        /// The accepted values.
        reason: SeedTextError,
    },
    /// The system has no random numbers for a secret seed.
    #[error("--seed: the system has no random numbers; give a seed: {0}")]
    NoSecret(SysError),
    /// The first opening is beyond the end of the list.
    #[error(
        "--openings-start: {start}: expected a number from 1 to {number}, the number of openings"
    )]
    OpeningsStart {
        /// The value.
        start: usize,
        /// The number of openings.
        number: usize,
    },
    /// All engines are challengers, and no opponent is left.
    #[error(
        "--challengers: {challengers}: expected a number below {engines}, the number of engines"
    )]
    Challengers {
        /// The value.
        challengers: u64,
        /// The number of engines.
        engines: usize,
    },
    /// Too many rounds for the number of games to fit in a `u64`.
    #[error("--rounds: {rounds} is too many")]
    Rounds {
        /// The value.
        rounds: u64,
    },
    /// Too many games for the rounded number to fit in a `u64`.
    #[error("--games: {games} is too many")]
    Games {
        /// The number of games.
        games: u64,
    },
}
