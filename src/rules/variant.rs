//! The table of variants, and positions of any variant for clients that work with text.

use std::fmt;

use thiserror::Error;

use super::{
    AnyPosition, Game, MAX_SEATS, PositionError, Seat, Solution, Turn, VARIANTS, perft,
    with_position,
};

/// A game with its tables, chosen by name.
#[derive(Debug)]
pub struct Variant {
    /// The name.
    pub name: &'static str,
    /// Further names accepted for it.
    pub aliases: &'static [&'static str],
    pub(super) start: fn(usize) -> Option<AnyPosition>,
    pub(super) parse: fn(&str) -> Result<AnyPosition, PositionError>,
}

/// Defines what depends on the list of games: the table of variants, and the position of any game. A row has the name
/// of a game, its module, and its variants: the name, further names, and the tables.
macro_rules! games {
    ($dollar:tt $(
        #[$condition:meta]
        $game:ident: $module:ident { $($name:literal $($alias:literal)* => $rules:expr),* }
    )*) => {
        /// All variants; the first is the default.
        pub static VARIANTS: &[Variant] = &[
            $($(
                #[$condition]
                Variant {
                    name: $name,
                    aliases: &[$($alias),*],
                    start: |seats| Some($module::Position::start($rules, seats)?.into()),
                    parse: |text| Ok($module::Position::parse($rules, text)?.into()),
                },
            )*)*
        ];

        /// A position of any game.
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub enum AnyPosition {
            $(
                #[doc = concat!("Position of [`", stringify!($module), "`](", stringify!($module), ").")]
                #[$condition]
                $game($module::Position),
            )*
        }

        $(
            #[$condition]
            impl From<$module::Position> for AnyPosition {
                fn from(position: $module::Position) -> AnyPosition {
                    AnyPosition::$game(position)
                }
            }
        )*

        /// Evaluates an expression on the position of any game.
        #[doc(hidden)]
        #[macro_export]
        macro_rules! with_position {
            ($dollar any:expr, $dollar position:pat => $dollar body:expr) => {
                match $dollar any {
                    $(
                        #[$condition]
                        $crate::rules::AnyPosition::$game($dollar position) => $dollar body,
                    )*
                }
            };
        }
        pub(crate) use with_position;
    };
}

/// No variant has this name.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown variant {name:?}: expected {}", Variant::names().join(", "))]
pub struct UnknownVariant {
    /// The name.
    pub name: String,
}

/// The position cannot be set up.
#[derive(Debug, Error)]
pub enum SetupError {
    /// The game cannot be played by this number of players.
    #[error("{variant} cannot be played by {seats} players: expected {expected}")]
    Players {
        /// The variant.
        variant: &'static str,
        /// Requested number of players.
        seats: usize,
        /// Possible numbers of players.
        expected: String,
    },
    /// The text is not a position.
    #[error("position {text:?} refused: {reason}")]
    Text {
        /// The text.
        text: String,
        /// The invalid field and the accepted values.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// A word of a move list is invalid or illegal.
#[derive(Debug, Error)]
pub enum ActionError {
    /// The word is neither a move nor a card.
    #[error("{word:?} is not a move: {expected}")]
    Unreadable {
        /// The word.
        word: String,
        /// Words that would be accepted.
        expected: String,
    },
    /// The move or card is illegal.
    #[error("{word} is illegal: {reason}")]
    Illegal {
        /// The move or card.
        word: String,
        /// The rule that it breaks.
        reason: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl Variant {
    /// Returns the variant with a name.
    ///
    /// # Errors
    /// [`UnknownVariant`] lists the names.
    pub fn by_name(name: &str) -> Result<&'static Variant, UnknownVariant> {
        let found =
            VARIANTS.iter().find(|variant| variant.names_of_one().any(|known| known == name));
        found.ok_or_else(|| UnknownVariant { name: name.to_string() })
    }

    /// Names of all variants, starting with the default.
    pub fn names() -> Vec<&'static str> {
        VARIANTS.iter().flat_map(Variant::names_of_one).collect()
    }

    fn names_of_one(&self) -> impl Iterator<Item = &'static str> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Returns the start for a number of players.
    ///
    /// # Errors
    /// [`SetupError::Players`] if the game cannot be played by that number.
    pub fn start(&self, seats: usize) -> Result<AnyPosition, SetupError> {
        (self.start)(seats).ok_or_else(|| SetupError::Players {
            variant: self.name,
            seats,
            expected: self.player_counts(),
        })
    }

    /// The possible numbers of players, in words.
    fn player_counts(&self) -> String {
        let counts: Vec<String> = (2..=MAX_SEATS)
            .filter(|&seats| (self.start)(seats).is_some())
            .map(|seats| seats.to_string())
            .collect();
        match counts.as_slice() {
            [only] => only.clone(),
            _ => format!("one of {}", counts.join(", ")),
        }
    }

    /// Parses the text of a position.
    ///
    /// # Errors
    /// [`SetupError::Text`] names the invalid field.
    pub fn parse(&self, text: &str) -> Result<AnyPosition, SetupError> {
        (self.parse)(text)
            .map_err(|reason| SetupError::Text { text: text.into(), reason: reason.into() })
    }
}

impl AnyPosition {
    /// Number of seats.
    pub fn seats(&self) -> usize {
        with_position!(self, position => position.seats())
    }

    /// `true` if the game has cards; see [`Game::HAS_CARDS`].
    pub fn has_cards(&self) -> bool {
        fn has_cards<G: Game>(_: &G) -> bool {
            G::HAS_CARDS
        }
        with_position!(self, position => has_cards(position))
    }

    /// The next action: a seat's move, a card, or none.
    pub fn turn(&self) -> Turn {
        with_position!(self, position => position.turn())
    }

    /// Final place of a seat, from 1, or `None` while it is open.
    pub fn place(&self, seat: Seat) -> Option<usize> {
        with_position!(self, position => position.place(seat))
    }

    /// Number of turns that a seat would need to its goal if it were alone; see [`Game::turns_home`].
    pub fn turns_home(&self, seat: Seat) -> Option<u32> {
        with_position!(self, position => position.turns_home(seat))
    }

    /// A 64-bit key of the position; see [`Game::key`].
    pub fn key(&self) -> u64 {
        with_position!(self, position => position.key())
    }

    /// Result with perfect play; see [`Game::solved`].
    pub fn solved(&self) -> Option<Solution> {
        with_position!(self, position => position.solved())
    }

    /// Legal moves in ascending order or, if a card is due, the kinds of card left, in deck order.
    pub fn legal_actions(&self) -> Vec<String> {
        with_position!(self, position => match position.turn() {
            Turn::Card(_) => position.outcomes().map(|(card, _)| card.to_string()).collect(),
            _ => position.legal_moves().map(|mv| mv.to_string()).collect(),
        })
    }

    /// Kinds of card that can be drawn, each with its number; empty unless a card is due.
    pub fn outcomes(&self) -> Vec<(String, u32)> {
        with_position!(self, position => {
            position.outcomes().map(|(card, number)| (card.to_string(), number)).collect()
        })
    }

    /// Plays a move or draws a card, given as a word of a move list.
    ///
    /// # Errors
    /// [`ActionError`] quotes the word and names the broken rule; the position is unchanged.
    pub fn play(&mut self, word: &str) -> Result<(), ActionError> {
        with_position!(self, position => play_word(position, word))
    }

    /// Counts the leaves below each move or card, in the order of [`AnyPosition::legal_actions`], to `depth` plies (at
    /// least 1). Returns `None` once `should_stop` returns `true`.
    pub fn perft_by_action(
        &self,
        depth: u32,
        should_stop: &mut impl FnMut() -> bool,
    ) -> Option<Vec<(String, u64)>> {
        let mut counts = Vec::new();
        for word in self.legal_actions() {
            let mut next = *self;
            // Cannot fail: the word is a legal action.
            let _ = next.play(&word);
            let below = depth.saturating_sub(1);
            let leaves = with_position!(&next, position => perft(position, below, should_stop))?;
            counts.push((word, leaves));
        }
        Some(counts)
    }
}

/// `true` if a word of a move list is a card.
pub fn is_card(word: &str) -> bool {
    word.starts_with('+')
}

fn play_word<G: Game>(position: &mut G, word: &str) -> Result<(), ActionError> {
    let unreadable = |expected: String| ActionError::Unreadable { word: word.into(), expected };
    let illegal = |reason| ActionError::Illegal { word: word.into(), reason };
    if is_card(word) {
        let card = word.parse::<G::Card>().map_err(|error| unreadable(error.to_string()))?;
        position.draw(card).map_err(|reason| illegal(reason.into()))
    } else {
        let mv = word.parse::<G::Move>().map_err(|error| unreadable(error.to_string()))?;
        position.play(mv).map_err(|reason| illegal(reason.into()))
    }
}

impl fmt::Display for AnyPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_position!(self, position => position.fmt(f))
    }
}

impl fmt::Debug for AnyPosition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        with_position!(self, position => position.fmt(f))
    }
}
