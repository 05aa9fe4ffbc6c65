//! What can be wrong with what was typed, beyond single words.

use std::io;
use std::path::PathBuf;

use buxtehude::rules::{SetupError, UnknownVariant};
use thiserror::Error;

use super::engine_text::EngineTextError;
use matches::plan::ResignTextError;
use matches::plan::openings::OpeningsError;
use matches::plan::seed::{SeedTextError, SysError};
use matches::score::SprtTextError;

/// Why the arguments make no plan. Each message begins with the flag at fault.
#[derive(Debug, Error)]
pub enum ArgsError {
    /// The variant does not exist.
    #[error("--variant: {0}")]
    Variant(#[from] UnknownVariant),
    /// The variant is not for so many players.
    #[error("--players: {0}")]
    Players(#[from] SetupError),
    /// An engine's string is wrong.
    #[error("--engine {text:?}: {reason}")]
    Engine {
        /// The string.
        text: String,
        /// What is wrong with it.
        reason: EngineTextError,
    },
    /// The shared string is wrong.
    #[error("--each {text:?}: {reason}")]
    Each {
        /// The string.
        text: String,
        /// What is wrong with it.
        reason: EngineTextError,
    },
    /// The shared string has a name.
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
    /// Two engines with one name.
    #[error("--engine: two engines are called {name:?}, expected a different name= for each")]
    SameName {
        /// The name.
        name: String,
    },
    /// The arbiter does not know where its own program is.
    #[error("--engine: the built-in engine cannot be started, expected one named here: {0}")]
    OwnProgram(io::Error),
    /// The directory of an engine does not exist.
    #[error("--engine {text:?}: dir={}: expected a directory", dir.display())]
    Directory {
        /// The string.
        text: String,
        /// The directory.
        dir: PathBuf,
    },
    /// Two outputs would overwrite each other.
    #[error("--{flag}: expected another file than that of --{other}")]
    SameFile {
        /// The flag of one.
        flag: &'static str,
        /// The flag of the other.
        other: &'static str,
    },
    /// The openings are wrong.
    #[error("--openings: {0}")]
    Openings(#[from] OpeningsError),
    /// The test is wrong.
    #[error("--sprt {text:?}: {reason}")]
    Sprt {
        /// The words, joined by blanks.
        text: String,
        /// What is wrong with them.
        reason: SprtTextError,
    },
    /// A test of more or fewer than two engines.
    #[error("--sprt: a test is between two engines, expected two --engine, found {engines}")]
    SprtEngines {
        /// The number of engines.
        engines: usize,
    },
    /// The rule for resigning is wrong.
    #[error("--resign {text:?}: {reason}")]
    Resign {
        /// The words, joined by blanks.
        text: String,
        /// What is wrong with them.
        reason: ResignTextError,
    },
    /// Resigning in another game than one of two seats.
    #[error("--resign: expected two seats, where both engines can agree, found {seats}")]
    ResignSeats {
        /// The number of seats.
        seats: usize,
    },
    /// Pondering in another game than one of two seats.
    #[error(
        "engine {engine}: ponder=on: expected two seats, where an engine can tell whose move comes next, found {seats}"
    )]
    PonderSeats {
        /// The engine.
        engine: String,
        /// The number of seats.
        seats: usize,
    },
    /// The file of the seed cannot be read.
    #[error("--seed-file: {}: {reason}", path.display())]
    SeedFile {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        reason: io::Error,
    },
    /// The file of the seed holds something else. What it is may be a part of a secret, and is not told.
    #[error("--seed-file: {}: {reason}", path.display())]
    SeedText {
        /// The file.
        path: PathBuf,
        /// What would have been accepted.
        reason: SeedTextError,
    },
    /// The system cannot make a secret.
    #[error("--seed: expected a seed, for the system has no random numbers: {0}")]
    NoSecret(SysError),
    /// There are not so many openings.
    #[error(
        "--openings-start: {start}: expected a number from 1 to {number}, as many as there are"
    )]
    OpeningsStart {
        /// What was given.
        start: usize,
        /// The number of openings.
        number: usize,
    },
    /// Nobody is left to be challenged.
    #[error(
        "--challengers: {challengers}: expected fewer than there are engines, found {engines} --engine"
    )]
    Challengers {
        /// What was given.
        challengers: u64,
        /// The number of engines named.
        engines: usize,
    },
    /// There are too many rounds to count their games.
    #[error("--rounds: {rounds} is too many")]
    Rounds {
        /// What was given.
        rounds: u64,
    },
    /// There are too many games to count.
    #[error("--games: {games} is too many")]
    Games {
        /// The number of games.
        games: u64,
    },
}
