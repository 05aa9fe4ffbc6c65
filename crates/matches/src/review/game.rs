//! A game to review, from any source.

use crate::archive::replay::Flaw;
use crate::plan::Opening;
use crate::plan::rules::{Position, Rules};
use crate::record::GameRecord;

/// A game, finished or not.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    pub rules: Rules,
    pub start: Position,
    /// Moves and cards from the start position.
    pub words: Vec<String>,
    /// Number of moves of the opening, which no engine chose.
    pub opening: usize,
    /// Places of all seats by the rules or by adjudication, if any; shared places as the best of them.
    pub places: Option<Vec<u32>>,
}

impl PlayedGame {
    /// Converts a record without flaws.
    ///
    /// # Errors
    /// [`Flaw`] if the variant or the start position does not exist.
    pub fn of_record(record: &GameRecord) -> Result<PlayedGame, Flaw> {
        let rules = Rules::by_name(&record.variant)?;
        Ok(PlayedGame {
            start: rules.parse(&record.start)?,
            rules,
            words: record.moves.split_whitespace().map(String::from).collect(),
            opening: record.opening_plies(),
            places: Some(record.places.clone()),
        })
    }

    /// Returns the start as an opening without moves.
    pub(crate) fn beginning(&self) -> Opening {
        let usual = self.rules.start(self.start.seats());
        let is_usual = usual.is_ok_and(|usual| usual == self.start);
        Opening { start: (!is_usual).then(|| self.start.to_string()), moves: Vec::new() }
    }
}
