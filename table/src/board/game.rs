//! A game in a request: a start, and the words of moves and cards since.

use buxtehude::protocol::{PositionCommand, Start};
use buxtehude::rules::{
    ActionError, AnyPosition, MAX_SEATS, SetupError, Turn, UnknownVariant, Variant,
};
use matches::record::printable::{printable, shortened};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The most moves and cards that a game may have.
pub const MOST_WORDS: usize = 4096;
/// The most characters of a word that an error quotes.
const LONGEST_QUOTED: usize = 40;
/// The most characters of a position's text that is read.
const LONGEST_START: usize = 1000;

/// A game: a variant's start for so many players, or a start of its own, and what happened since.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// The variant, by its name or one of its aliases.
    pub variant: String,
    /// The number of players; left out where there is a start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub players: Option<usize>,
    /// The text of the position at the start, where that is not the variant's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Moves and cards in the order in which they happened.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// Why a game cannot be played.
#[derive(Debug, Error)]
pub enum GameError {
    /// There is no such variant.
    #[error(transparent)]
    Variant(#[from] UnknownVariant),
    /// The start is none.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// Neither players nor a start, or both.
    #[error("{found}; expected one of them")]
    Start {
        /// What there was.
        found: &'static str,
    },
    /// The text of the start is too long.
    #[error("start has {length} bytes; expected at most {LONGEST_START}")]
    LongStart {
        /// Its length.
        length: usize,
    },
    /// There are too many moves.
    #[error("moves has {words} words; expected at most {MOST_WORDS}")]
    TooLong {
        /// How many there are.
        words: usize,
    },
    /// A word is refused.
    #[error("word {number}: {reason}")]
    Word {
        /// Its number, from 1.
        number: usize,
        /// What is wrong with it.
        reason: String,
    },
}

/// A game that was played through.
#[derive(Clone, Debug)]
pub struct Played {
    /// The variant.
    pub variant: &'static Variant,
    /// The text of the start, where it is not the variant's own.
    start: Option<String>,
    /// The position at the start.
    pub first: AnyPosition,
    /// Moves and cards.
    words: Vec<String>,
    /// The position now.
    pub position: AnyPosition,
}

impl Game {
    /// Plays it through, and hands each position on the way to `on_word`: the word, and the positions before and after
    /// it.
    ///
    /// # Errors
    /// [`GameError`] says what is wrong first.
    pub fn play_with(
        self,
        mut on_word: impl FnMut(&str, &AnyPosition, &AnyPosition),
    ) -> Result<Played, GameError> {
        let variant = Variant::by_name(&self.variant).map_err(|error| UnknownVariant {
            name: shortened(&error.name, LONGEST_QUOTED).into(),
        })?;
        let first = match (&self.start, self.players) {
            (Some(text), None) if text.len() > LONGEST_START => {
                return Err(GameError::LongStart { length: text.len() });
            }
            (Some(text), None) => variant.parse(text)?,
            (None, Some(players)) => variant.start(players.min(MAX_SEATS + 1))?,
            (Some(_), Some(_)) => {
                return Err(GameError::Start {
                    found: "both players and start",
                });
            }
            (None, None) => {
                return Err(GameError::Start {
                    found: "neither players nor start",
                });
            }
        };
        if self.moves.len() > MOST_WORDS {
            return Err(GameError::TooLong {
                words: self.moves.len(),
            });
        }
        let mut played = Played {
            variant,
            // Spelt as we spell it, so that a line of the protocol has nothing else in it.
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

    /// Plays it through.
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
    /// [`GameError::Word`] names the rule that it breaks, [`GameError::TooLong`] a game that has no room for it; the
    /// game is as it was.
    pub fn add(&mut self, word: String) -> Result<(), GameError> {
        let number = self.words.len() + 1;
        if number > MOST_WORDS {
            return Err(GameError::TooLong { words: number });
        }
        self.position.play(&word).map_err(|error| GameError::Word {
            number,
            reason: in_short(&error, &word),
        })?;
        self.words.push(word);
        Ok(())
    }

    /// The game as a client sends it.
    pub fn game(&self) -> Game {
        Game {
            variant: self.variant.name.to_string(),
            players: self.start.is_none().then(|| self.position.seats()),
            start: self.start.clone(),
            moves: self.words.clone(),
        }
    }

    /// The same game, without a start of its own where that is the variant's.
    #[must_use]
    pub fn in_short(mut self) -> Played {
        if self
            .variant
            .start(self.first.seats())
            .is_ok_and(|start| start == self.first)
        {
            self.start = None;
        }
        self
    }

    /// Moves and cards so far.
    pub fn words(&self) -> &[String] {
        &self.words
    }

    /// What an engine is told of it.
    pub fn command(&self) -> PositionCommand {
        // With two seats their number is left out, so that an engine that knows nothing else understands.
        let players = u32::try_from(self.position.seats())
            .ok()
            .filter(|&players| players != 2);
        PositionCommand {
            start: match &self.start {
                Some(text) => Start::Fen(text.clone()),
                None => Start::Startpos { players },
            },
            moves: self.words.clone(),
        }
    }

    /// Whether a seat is to move.
    pub fn is_to_move(&self) -> bool {
        matches!(self.position.turn(), Turn::Seat(_))
    }

    /// Whether a card is due.
    pub fn is_card_due(&self) -> bool {
        matches!(self.position.turn(), Turn::Card(_))
    }
}

/// What is wrong with a word; of a long one only the beginning.
fn in_short(error: &ActionError, word: &str) -> String {
    if word.chars().count() <= LONGEST_QUOTED {
        return printable(&error.to_string()).into_owned();
    }
    let word = shortened(word, LONGEST_QUOTED);
    format!("{word:?} is not a move: expected a move or a card")
}
