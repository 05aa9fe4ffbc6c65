//! What is reviewed: a game as it was played, wherever it comes from.

use buxtehude::rules::{AnyPosition, Variant};

use crate::archive::replay::Flaw;
use crate::plan::Opening;
use crate::record::GameRecord;

/// A game, or as much of one as was played.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// What is played.
    pub variant: &'static Variant,
    /// The position at the start.
    pub start: AnyPosition,
    /// The moves and cards from there on.
    pub words: Vec<String>,
    /// How many of the moves are of an opening, which nobody chose.
    pub opening: usize,
    /// The places of all seats where they are known, be it by the rules or by a verdict; shared ones as the best of
    /// them.
    pub places: Option<Vec<u32>>,
}

impl PlayedGame {
    /// The game of a record that is in order.
    ///
    /// # Errors
    /// [`Flaw`] where there is no such variant or position.
    pub fn of_record(record: &GameRecord) -> Result<PlayedGame, Flaw> {
        let variant = Variant::by_name(&record.variant)?;
        Ok(PlayedGame {
            variant,
            start: variant.parse(&record.start)?,
            words: record.moves.split_whitespace().map(String::from).collect(),
            opening: record.opening_plies(),
            places: Some(record.places.clone()),
        })
    }

    /// The line of the start, as engines are told it.
    pub(super) fn beginning(&self) -> Opening {
        let usual = self.variant.start(self.start.seats());
        let is_usual = usual.is_ok_and(|usual| usual == self.start);
        Opening {
            start: (!is_usual).then(|| self.start.to_string()),
            moves: Vec::new(),
        }
    }
}
