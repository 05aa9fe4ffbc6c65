//! A game in a request: a start, and the moves and cards since then; and the source of its cards.
//!
//! The server stores no games, so it cannot store a shuffled deck either. It draws each card on its own from those that
//! are left, weighted by their numbers. The distribution is the same as for a shuffled deck.
//!
//! Consequences for fairness: with the system's random numbers no player can know a card before it is drawn, but
//! repeating a request draws again. With a seed, a card is a function of the seed and the game so far: repeating a
//! request, or the whole game, draws the same card, so a player who tries a move knows its card. Both are fine for a
//! board on one's own machine; otherwise play a match by the arbiter.

use buxtehude::protocol::{PositionCommand, Start};
use buxtehude::rules::{ActionError, AnyPosition, Seat, UnknownVariant, Variant};
use matches::plan::deck::{Deck, Draws};
use matches::plan::seed::{DeckSeed, Purpose, Seed, SysError};
use matches::record::printable::{printable, shortened};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;

use crate::error::ApiError;

/// Maximum number of moves and cards in a game.
pub const MAX_WORDS: usize = 4096;
/// Maximum length of a word in an error message.
const MAX_QUOTED_LENGTH: usize = 40;
const MAX_START_LENGTH: usize = 1000;

/// A game: a variant with either the number of players or a start position, and the moves so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// Name of the variant, or one of its aliases.
    pub variant: String,
    /// Number of players; omitted if there is a start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<usize>,
    /// Text of the start position, if it is not the variant's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Moves and cards in order.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// The game cannot be played; the message names the reason and the accepted values.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct GameError(String);

impl GameError {
    fn of(reason: &(impl ToString + ?Sized)) -> GameError {
        GameError(reason.to_string())
    }

    fn too_long(words: usize) -> GameError {
        GameError(format!("moves has {words} words; expected at most {MAX_WORDS}"))
    }
}

impl From<GameError> for ApiError {
    fn from(error: GameError) -> ApiError {
        ApiError::invalid(error.to_string())
    }
}

/// A game that has been validated by playing it.
#[derive(Clone, Debug)]
pub struct Played {
    pub variant: &'static Variant,
    /// Text of the start position, if it is not the variant's default.
    start: Option<String>,
    /// The start position.
    pub first: AnyPosition,
    /// Moves and cards.
    words: Vec<String>,
    pub position: AnyPosition,
}

/// The source of cards.
#[derive(Clone, Copy, Debug)]
pub enum Chance {
    System,
    Seeded(Seed),
}

impl Game {
    /// Plays the game, and calls `on_word` for each move and card with the positions before and after it.
    ///
    /// # Errors
    /// The first [`GameError`].
    pub fn play_with(
        self,
        mut on_word: impl FnMut(&str, &AnyPosition, &AnyPosition),
    ) -> Result<Played, GameError> {
        let variant = Variant::by_name(&self.variant).map_err(|error| {
            let name = shortened(&error.name, MAX_QUOTED_LENGTH).into();
            GameError::of(&UnknownVariant { name })
        })?;
        let first = match (&self.start, self.players) {
            (Some(text), None) if text.len() > MAX_START_LENGTH => {
                let found = text.len();
                let message =
                    format!("start has {found} bytes; expected at most {MAX_START_LENGTH}");
                return Err(GameError(message));
            }
            (Some(text), None) => variant.parse(text).map_err(|error| GameError::of(&error))?,
            (None, Some(players)) => {
                let start = variant.start(players);
                start.map_err(|error| GameError::of(&error))?
            }
            (Some(_), Some(_)) => {
                return Err(GameError::of("both players and start; expected one of them"));
            }
            (None, None) => {
                return Err(GameError::of("neither players nor start; expected one of them"));
            }
        };
        if self.moves.len() > MAX_WORDS {
            return Err(GameError::too_long(self.moves.len()));
        }
        let mut played = Played {
            variant,
            // Printed from the parsed position, so that a client cannot smuggle other text into the protocol.
            start: self.start.map(|_| first.to_string()),
            first,
            words: Vec::with_capacity(self.moves.len() + 2),
            position: first,
        };
        for word in self.moves {
            let before = played.position;
            played.add(word)?;
            if let Some(word) = played.words.last() {
                on_word(word, &before, &played.position);
            }
        }
        Ok(played)
    }

    /// Plays the game.
    ///
    /// # Errors
    /// As [`Game::play_with`].
    pub fn play(self) -> Result<Played, GameError> {
        self.play_with(|_, _, _| {})
    }
}

impl Played {
    /// Plays a move or draws a card.
    ///
    /// # Errors
    /// [`GameError`] names the broken rule, or says that the game is full. The game is unchanged then.
    pub fn add(&mut self, word: String) -> Result<(), GameError> {
        let number = self.words.len() + 1;
        if number > MAX_WORDS {
            return Err(GameError::too_long(number));
        }
        let played = self.position.play(&word);
        played.map_err(|error| GameError(format!("word {number}: {}", in_short(&error, &word))))?;
        self.words.push(word);
        Ok(())
    }

    /// Returns the game as in a request.
    pub fn game(&self) -> Game {
        Game {
            variant: self.variant.name.to_string(),
            players: self.start.is_none().then(|| self.position.seats()),
            start: self.start.clone(),
            moves: self.words.clone(),
        }
    }

    /// Drops the start if it is the variant's default.
    #[must_use]
    pub fn in_short(mut self) -> Played {
        if self.variant.start(self.first.seats()).is_ok_and(|start| start == self.first) {
            self.start = None;
        }
        self
    }

    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub fn command(&self) -> PositionCommand {
        // With two seats the number is omitted, for engines that only know two.
        let players = u32::try_from(self.position.seats()).ok().filter(|&players| players != 2);
        PositionCommand {
            start: match &self.start {
                Some(text) => Start::Fen(text.clone()),
                None => Start::Startpos { players },
            },
            moves: self.words.clone(),
        }
    }
}

/// Describes an error in a word; quotes only the beginning of a long one.
fn in_short(error: &ActionError, word: &str) -> String {
    if word.chars().count() <= MAX_QUOTED_LENGTH {
        return printable(&error.to_string()).into_owned();
    }
    let word = shortened(word, MAX_QUOTED_LENGTH);
    format!("{word:?} is not a move: expected a move or a card")
}

impl Chance {
    /// Draws the card that is due for `seat` in a game.
    ///
    /// # Errors
    /// [`SysError`] if the system has no random numbers.
    pub fn draw(&self, played: &Played, seat: Seat) -> Result<String, SysError> {
        let mut deck = Deck::new(self.deck_seed(played)?, Draws::Game);
        Ok(deck.draw(seat, &played.position.outcomes()))
    }

    fn deck_seed(&self, played: &Played) -> Result<DeckSeed, SysError> {
        let (seed, number) = match *self {
            Chance::System => (Seed::secret()?, 0),
            Chance::Seeded(seed) => (seed, number_of(played)),
        };
        Ok(seed.numbered(Purpose::Tables, number).0)
    }
}

/// A hash of the game so far.
fn number_of(played: &Played) -> u64 {
    let mut hash = Sha256::new();
    // Neither words nor names nor texts contain a line feed.
    hash.update(format!("{}\n{}", played.variant.name, played.first));
    for word in played.words() {
        hash.update(format!("\n{word}"));
    }
    let first = hash.finalize().into_iter().take(8);
    first.fold(0, |number, byte| number << 8 | u64::from(byte))
}
