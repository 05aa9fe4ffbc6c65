//! The rules of a match, and positions by them: of one of this program's own games, or from a rules program.

pub mod external;
pub mod facts;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use buxtehude::pictures::Scene;
use buxtehude::rules::{
    ActionError, AnyPosition, Seat, SetupError, Solution, Turn, UnknownVariant, Variant,
};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::plan::deck::Draws;
use external::{External, ExternalPosition};
use external::{RulesError, RulesPlan};

/// The rules of a game. Rules of a program that were read from a plan are [apart](Rules::apart).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "Spelt", into = "Spelt")]
pub enum Rules {
    BuiltIn(&'static Variant),
    External(Arc<External>),
}

/// The setting of a plan that chooses its rules.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Spelt {
    Variant(String),
    Rules(Box<RulesPlan>),
}

impl From<Rules> for Spelt {
    fn from(rules: Rules) -> Spelt {
        match rules {
            Rules::BuiltIn(variant) => Spelt::Variant(variant.name.to_string()),
            Rules::External(game) => Spelt::Rules(Box::new(game.plan().clone())),
        }
    }
}

impl TryFrom<Spelt> for Rules {
    type Error = String;

    fn try_from(spelt: Spelt) -> Result<Rules, String> {
        match spelt {
            Spelt::Variant(name) => {
                let variant = Variant::by_name(&name).map(Rules::from);
                variant.map_err(|error| format!("variant: {error}"))
            }
            Spelt::Rules(plan) => Ok(Rules::apart(*plan)),
        }
    }
}

/// The rules programs that this process has read of; records name them as they name the built-in games.
static KNOWN: Mutex<Vec<Arc<External>>> = Mutex::new(Vec::new());

/// Errors of setting up a position, of a move or card, or of an opening.
#[derive(Debug, Error)]
pub enum PositionError {
    #[error(transparent)]
    Setup(#[from] SetupError),
    #[error(transparent)]
    Action(#[from] ActionError),
    /// An opening does not suit the match.
    #[error("{0}")]
    Opening(String),
    /// The rules program does not answer as it must.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

impl PositionError {
    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        match self {
            PositionError::Rules(fault) => Some(fault),
            PositionError::Setup(_) | PositionError::Action(_) | PositionError::Opening(_) => None,
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub enum Position {
    BuiltIn(AnyPosition),
    External(ExternalPosition),
}

impl From<&'static Variant> for Rules {
    fn from(variant: &'static Variant) -> Rules {
        Rules::BuiltIn(variant)
    }
}

impl From<AnyPosition> for Position {
    fn from(position: AnyPosition) -> Position {
        Position::BuiltIn(position)
    }
}

impl Rules {
    /// Returns the rules of a program, which [`Rules::by_name`] finds from now on. The first program of a name stays.
    pub fn external(plan: RulesPlan) -> Rules {
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let same = known.iter().find(|game| game.name() == plan.program.name);
        let game = same.cloned().unwrap_or_else(|| {
            let game = Arc::new(External::new(plan));
            known.push(Arc::clone(&game));
            game
        });
        Rules::External(game)
    }

    /// Makes the rules of a program known to [`Rules::by_name`].
    pub fn made_known(self) -> Rules {
        match self {
            Rules::BuiltIn(_) => self,
            Rules::External(game) => Rules::external(game.plan().clone()),
        }
    }

    /// Returns the rules of a program that [`Rules::by_name`] does not find.
    pub fn apart(plan: RulesPlan) -> Rules {
        Rules::External(Arc::new(External::new(plan)))
    }

    /// Returns the rules that a record names.
    ///
    /// # Errors
    /// [`UnknownVariant`] lists the built-in names.
    pub fn by_name(name: &str) -> Result<Rules, UnknownVariant> {
        let known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        match known.iter().find(|game| game.name() == name) {
            Some(game) => Ok(Rules::External(Arc::clone(game))),
            None => Variant::by_name(name).map(Rules::from),
        }
    }

    pub fn name(&self) -> &str {
        match self {
            Rules::BuiltIn(variant) => variant.name,
            Rules::External(game) => game.name(),
        }
    }

    /// Value of `UCI_Variant` for engines.
    pub fn uci_variant(&self) -> &str {
        match self {
            Rules::BuiltIn(variant) => variant.name,
            Rules::External(game) => &game.plan().uci_variant,
        }
    }

    pub fn draws(&self) -> Draws {
        match self {
            Rules::BuiltIn(_) => Draws::Game,
            Rules::External(game) => game.plan().draws,
        }
    }

    pub fn program(&self) -> Option<&Arc<External>> {
        match self {
            Rules::BuiltIn(_) => None,
            Rules::External(game) => Some(game),
        }
    }

    pub fn built_in(&self) -> Option<&'static Variant> {
        match self {
            Rules::BuiltIn(variant) => Some(variant),
            Rules::External(_) => None,
        }
    }

    /// Returns the usual start for a number of seats.
    ///
    /// # Errors
    /// [`PositionError`] if the game cannot be played by that number.
    pub fn start(&self, seats: usize) -> Result<Position, PositionError> {
        match self {
            Rules::BuiltIn(variant) => Ok(variant.start(seats)?.into()),
            Rules::External(game) => Ok(Position::External(game.start(seats)?)),
        }
    }

    /// Parses the text of a position.
    ///
    /// # Errors
    /// [`PositionError`] names the invalid part.
    pub fn parse(&self, text: &str) -> Result<Position, PositionError> {
        match self {
            Rules::BuiltIn(variant) => Ok(variant.parse(text)?.into()),
            Rules::External(game) => Ok(Position::External(game.parse(text)?)),
        }
    }
}

impl Position {
    pub fn built_in(&self) -> Option<&AnyPosition> {
        match self {
            Position::BuiltIn(position) => Some(position),
            Position::External(_) => None,
        }
    }

    pub fn seats(&self) -> usize {
        match self {
            Position::BuiltIn(position) => position.seats(),
            Position::External(position) => position.seats(),
        }
    }

    /// `true` if the game has cards or other draws, or may have them.
    pub fn has_cards(&self) -> bool {
        match self {
            Position::BuiltIn(position) => position.has_cards(),
            Position::External(_) => true,
        }
    }

    /// The next action: a seat's move, a card, or none.
    pub fn turn(&self) -> Turn {
        match self {
            Position::BuiltIn(position) => position.turn(),
            Position::External(position) => position.facts().turn,
        }
    }

    /// Place of a seat, from 1, or `None` while it is open.
    pub fn place(&self, seat: Seat) -> Option<usize> {
        match self {
            Position::BuiltIn(position) => position.place(seat),
            Position::External(position) => position.place(seat),
        }
    }

    pub fn places(&self) -> impl Iterator<Item = Option<usize>> {
        (0..self.seats() as u8).map(|seat| self.place(Seat(seat)))
    }

    /// Winnings of each seat, after the end of a game with a stake; empty otherwise.
    pub fn winnings(&self) -> &[u32] {
        match self {
            Position::BuiltIn(_) => &[],
            Position::External(position) => &position.facts().winnings,
        }
    }

    /// Legal moves or, if a card is due, the kinds of card left.
    pub fn legal_actions(&self) -> Vec<String> {
        match self {
            Position::BuiltIn(position) => position.legal_actions(),
            Position::External(position) => position.facts().actions.clone(),
        }
    }

    /// Kinds of card that can be drawn, each with its number; empty unless a card is due.
    pub fn outcomes(&self) -> Vec<(String, u32)> {
        match self {
            Position::BuiltIn(position) => position.outcomes(),
            Position::External(position) => position.outcomes(),
        }
    }

    /// Result with perfect play, if there is a table of results.
    pub fn solved(&self) -> Option<Solution> {
        self.built_in()?.solved()
    }

    pub fn key(&self) -> u64 {
        match self {
            Position::BuiltIn(position) => position.key(),
            Position::External(position) => position.key(),
        }
    }

    /// Scene for programs that draw the position, if there is one.
    pub fn scene(&self) -> Option<Scene> {
        self.built_in().map(AnyPosition::scene)
    }

    /// Returns the picture of each position of a game as text, where there is one; asks a rules program for all at
    /// once.
    ///
    /// # Errors
    /// [`RulesError`] if a rules program fails.
    pub fn pictures(positions: &[&Position]) -> Result<Vec<Option<String>>, RulesError> {
        let mut external = Vec::new();
        let mut pictures = Vec::new();
        for position in positions {
            match position {
                Position::BuiltIn(position) => pictures.push(Some(position.picture())),
                Position::External(position) => external.push(position),
            }
        }
        pictures.extend(ExternalPosition::pictures(&external)?);
        Ok(pictures)
    }

    /// Cells with their headings for one row of a table.
    pub fn columns(&self) -> Vec<(&'static str, String)> {
        self.built_in().map_or_else(Vec::new, AnyPosition::columns)
    }

    /// Plays a move or draws a card.
    ///
    /// A built-in game checks that the word is spelled as a move or card and is legal; an external one that its program
    /// listed the word, and asks the program for the position after it.
    ///
    /// # Errors
    /// [`PositionError`] names the broken rule; the position is unchanged.
    pub fn play(&mut self, word: &str) -> Result<(), PositionError> {
        match self {
            Position::BuiltIn(position) => Ok(position.play(word)?),
            Position::External(position) => {
                *position = position.after(word)?;
                Ok(())
            }
        }
    }

    /// Returns the positions after each of `words`, up to the first that cannot be played, with its error.
    pub fn walk<'w>(
        &self,
        words: impl IntoIterator<Item = &'w str>,
    ) -> (Vec<Position>, Option<PositionError>) {
        let mut position = match self {
            Position::BuiltIn(position) => *position,
            Position::External(position) => {
                let (after, error) = position.walk(words);
                return (after.into_iter().map(Position::External).collect(), error);
            }
        };
        let mut after = Vec::new();
        for word in words {
            if let Err(error) = position.play(word) {
                return (after, Some(error.into()));
            }
            after.push(position.into());
        }
        (after, None)
    }

    /// Returns each legal action with the position after it.
    ///
    /// # Errors
    /// [`PositionError`] if a rules program fails.
    pub fn children(&self) -> Result<Vec<(String, Position)>, PositionError> {
        if let Position::External(position) = self {
            let children = position.children()?.into_iter();
            let child = |(word, next)| (word, Position::External(next));
            return Ok(children.map(child).collect());
        }
        let actions = self.legal_actions().into_iter();
        let child = |word: String| {
            let mut next = self.clone();
            next.play(&word)?;
            Ok((word, next))
        };
        actions.map(child).collect()
    }
}

impl fmt::Display for Position {
    /// Writes the text of the position, which [`Rules::parse`] reads; for an external one, its start and the moves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::BuiltIn(position) => position.fmt(f),
            Position::External(position) => position.fmt(f),
        }
    }
}
