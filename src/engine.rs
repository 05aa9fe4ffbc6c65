//! A player for programs: an [`Engine`] with its strength and memory, and a [`CurrentGame`] for it to play.

use std::time::Duration;

use thiserror::Error;

use crate::rules::{ActionError, AnyPosition, Seat, SetupError, Turn, Variant};
use crate::search::Limits;
use crate::search::{Answer, Control, LEVELS, MAX_DEPTH, Memory, Past, Request, Strength, search};

/// Size of the default search memory, in MiB.
const MEBIBYTES: usize = 16;

/// A player of a variant. It keeps what its searches find for the next one.
///
/// For reports of each iteration, a stop flag or another preset, see [`search`].
///
/// # Examples
/// A position without its past:
/// ```
/// use buxtehude::rules::Variant;
/// use buxtehude::{Engine, Limits};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let variant = Variant::by_name("hase-und-igel")?;
/// let position = variant.parse("63,11,0/0,68,3 1 - -")?;
/// let answer = Engine::new(variant).level(5)?.best_move(&position, Limits::movetime(100))?;
/// assert_eq!(answer.best, "1");
/// assert_eq!(answer.shares(), [1000, 0]);
/// # Ok(())
/// # }
/// ```
/// A game, which the engine does not repeat; the caller draws the cards:
/// ```
/// use buxtehude::rules::{Turn, Variant};
/// use buxtehude::{Engine, Limits};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let mut engine = Engine::new(Variant::by_name("hare-and-tortoise")?);
/// let mut game = engine.start(3)?;
/// for _ in 0..9 {
///     match game.position().turn() {
///         Turn::Seat(_) => game.play(&engine.best_move(&game, Limits::nodes(100))?.best)?,
///         Turn::Card(_) => game.play("+half")?,
///         Turn::Over => break,
///     }
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Engine {
    variant: &'static Variant,
    strength: Strength,
    memory: Memory,
}

/// Reasons why an engine has no move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EngineError {
    /// A card must be played first.
    #[error("seat {seat} is to draw: expected one of {cards} to be played first")]
    CardDue {
        /// Seat that draws.
        seat: Seat,
        /// The cards that are left.
        cards: String,
    },
    /// There is no such level.
    #[error("level {level}: expected 1 to {}", LEVELS.len())]
    Level {
        /// The requested level.
        level: u32,
    },
    /// A limit, named as in the protocol, that allows no search.
    #[error("{limit} 0: expected at least 1")]
    ZeroLimit {
        /// `depth`, `nodes` or `movetime`.
        limit: &'static str,
    },
    /// Every place is decided.
    #[error("the game is over")]
    Over,
    /// The search would not end.
    #[error("the search has no limit: expected a depth, nodes, a movetime or a clock")]
    Unlimited,
}

impl Engine {
    /// Creates an engine of full strength, with one thread and a search memory of 16 MiB.
    pub fn new(variant: &'static Variant) -> Engine {
        Engine { variant, strength: Strength::FULL, memory: Memory::new(MEBIBYTES) }
    }

    /// Plays at a level, from 1 to the number of [`LEVELS`], which is full strength.
    ///
    /// # Errors
    /// [`EngineError::Level`] for another number.
    pub fn level(self, level: u32) -> Result<Engine, EngineError> {
        if !(1..=LEVELS.len()).contains(&(level as usize)) {
            return Err(EngineError::Level { level });
        }
        Ok(self.strength(Strength::of_level(level)))
    }

    /// Plays with another strength, such as [`Strength::of_elo`].
    #[must_use]
    pub fn strength(mut self, strength: Strength) -> Engine {
        self.strength = strength;
        self.memory.forget();
        self
    }

    /// Searches with another memory, which has the number of threads and the weights; see [`Memory::for_threads`].
    #[must_use]
    pub fn memory(mut self, memory: Memory) -> Engine {
        self.memory = memory;
        self
    }

    /// Starts a game and forgets the searches of earlier ones.
    ///
    /// # Errors
    /// [`SetupError::Players`] if the variant cannot be played by that number.
    pub fn start(&mut self, seats: usize) -> Result<CurrentGame, SetupError> {
        self.memory.forget();
        self.variant.start(seats).map(CurrentGame::from)
    }

    /// Searches a `&CurrentGame`, or a single `&AnyPosition`, within `limits` and the number of positions of the level.
    ///
    /// # Errors
    /// [`EngineError`] if no seat is to move, a limit is 0, or the search would never end.
    pub fn best_move(
        &mut self,
        game: impl Into<CurrentGame>,
        limits: Limits,
    ) -> Result<Answer, EngineError> {
        let CurrentGame { position, past } = game.into();
        if let Turn::Card(seat) = position.turn() {
            let cards = position.legal_actions().join(" ");
            return Err(EngineError::CardDue { seat, cards });
        }
        let zeros = [
            ("depth", limits.depth == Some(0)),
            ("nodes", limits.nodes == Some(0) || self.strength.nodes == 0),
            ("movetime", limits.movetime == Some(Duration::ZERO)),
        ];
        if let Some((limit, _)) = zeros.into_iter().find(|(_, is_zero)| *is_zero) {
            return Err(EngineError::ZeroLimit { limit });
        }
        if limits == Limits::default() && self.strength.nodes == u64::MAX {
            return Err(EngineError::Unlimited);
        }
        let request = Request {
            past,
            nodes: limits.nodes.unwrap_or(u64::MAX),
            strength: self.strength,
            ..Request::new(position, limits.depth.unwrap_or(MAX_DEPTH))
        };
        let control = Control::new(limits.time_budget(Duration::ZERO));
        // There is an answer whenever a seat is to move.
        search(&request, &mut self.memory, &control, &mut |_| ()).ok_or(EngineError::Over)
    }
}

/// A game so far: its position, and what a search needs of the positions before it to make progress.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CurrentGame {
    position: AnyPosition,
    past: Vec<Past>,
}

impl CurrentGame {
    /// The current position.
    pub fn position(&self) -> &AnyPosition {
        &self.position
    }

    /// Positions that a seat has moved from, in order, without the current one.
    pub fn past(&self) -> &[Past] {
        &self.past
    }

    /// Plays a move or draws a card, given as a word of a move list.
    ///
    /// # Errors
    /// [`ActionError`] quotes the word and names the broken rule; the game is unchanged.
    pub fn play(&mut self, word: &str) -> Result<(), ActionError> {
        let past = Past::of(&self.position);
        self.position.play(word)?;
        self.past.extend(past);
        Ok(())
    }
}

impl From<AnyPosition> for CurrentGame {
    /// Starts a game at a position.
    fn from(position: AnyPosition) -> CurrentGame {
        CurrentGame { position, past: Vec::new() }
    }
}

impl From<&AnyPosition> for CurrentGame {
    fn from(position: &AnyPosition) -> CurrentGame {
        CurrentGame::from(*position)
    }
}

impl From<&CurrentGame> for CurrentGame {
    fn from(game: &CurrentGame) -> CurrentGame {
        game.clone()
    }
}
