//! Recorded games of Hase und Igel, replayed by the rules. Their format is the arbiter's: one JSON object per
//! line.

use std::error::Error;
use std::path::Path;

use buxtehude::rules::hase::{Card, HARE_AND_TORTOISE, HASE_UND_IGEL, Move, Position, Ruleset};
use buxtehude::rules::{AnyPosition, Game as _, Seat, Turn};
use matches::archive::ArchiveError;
use matches::archive::replay::{self, Replay};
use matches::input_file;
use matches::plan::rules;
use matches::record::GameRecord;
use matches::record::Seed;
use matches::record::ending::Ending;
use thiserror::Error;

#[derive(Clone, Debug)]
pub struct RecordedGame {
    pub record: GameRecord,
    /// Moves in order.
    pub plies: Vec<Ply>,
    /// Position after the last move and its card.
    pub last: Position,
}

/// A move with its card.
#[derive(Clone, Copy, Debug)]
pub struct Ply {
    pub seat: Seat,
    pub before: Position,
    pub mv: Move,
    pub card: Option<Card>,
    /// Position after the move and its card.
    pub after: Position,
}

#[derive(Debug, Error)]
pub enum RecordError {
    #[error(transparent)]
    File(#[from] ArchiveError),
    /// A line is not a valid game of Hase und Igel.
    #[error("{place}: {problem}")]
    Line {
        /// File and line number, from 1.
        place: String,
        problem: Box<dyn Error>,
    },
}

/// Reads the games of a file one by one; skips empty lines.
///
/// # Errors
/// The file cannot be opened; in the iterator, [`RecordError`].
pub fn read(
    path: &Path,
) -> Result<impl Iterator<Item = Result<RecordedGame, RecordError>> + use<'_>, ArchiveError> {
    let failed = |error| ArchiveError::file(path, error);
    let lines = (1..).zip(input_file::lines(path).map_err(failed)?);
    let games = lines.filter_map(move |(number, line)| match line {
        Ok(line) if line.text.trim_ascii().is_empty() => None,
        Ok(line) => Some(RecordedGame::parse(&line.text).map_err(|problem| {
            let place = format!("{}:{number}", path.display());
            RecordError::Line { place, problem }
        })),
        Err(error) => Some(Err(failed(error).into())),
    });
    Ok(games)
}

impl RecordedGame {
    /// Parses a line of a record file and replays the game.
    ///
    /// # Errors
    /// The first flaw of the line.
    pub fn parse(line: &[u8]) -> Result<RecordedGame, Box<dyn Error>> {
        let record = replay::read(line)?;
        if let Some(flaw) = replay::check(&record).into_iter().next() {
            return Err(flaw.into());
        }
        ruleset(&record.variant)?;
        let walk = Replay::of(&record)?;
        let mut plies = Vec::new();
        let mut before = of_hase(&walk.first)?;
        for step in walk.steps {
            // A card that is due at the start belongs to no move.
            if let Some(card) = step.rolled {
                before.draw(card.parse()?)?;
            }
            let after = of_hase(&step.after)?;
            plies.push(Ply {
                seat: step.seat,
                before,
                mv: step.mv.parse()?,
                card: step.card.map(|card| card.parse()).transpose()?,
                after,
            });
            before = after;
        }
        Ok(RecordedGame { plies, last: of_hase(&walk.last)?, record })
    }

    pub fn seats(&self) -> usize {
        self.last.seats()
    }

    /// Plies that engines chose, after the opening.
    pub fn own_plies(&self) -> &[Ply] {
        &self.plies[self.record.opening_plies()..]
    }

    pub fn is_over(&self) -> bool {
        self.last.turn() == Turn::Over
    }
}

fn of_hase(position: &rules::Position) -> Result<Position, String> {
    match position {
        rules::Position::BuiltIn(AnyPosition::Hase(position)) => Ok(*position),
        _ => Err("expected a position of Hase und Igel".to_string()),
    }
}

/// Returns the record of a game without turns. If it is not over, the maximum number of plies has ended it.
pub fn record(names: &[String], start: &Position, moves: String, last: &Position) -> GameRecord {
    let places = (0..last.seats() as u8).map(|seat| last.place(Seat(seat)));
    let endings = places.clone().map(|place| match place {
        None => Ending::MaxPlies,
        Some(place) => Ending::by_rules(place, last.seats()),
    });
    let shared = last.best_open_place();
    GameRecord {
        game: 1,
        block: 1,
        variant: last.ruleset().name.to_string(),
        start: start.to_string(),
        seats: names.to_vec(),
        seed: Seed::Number(0),
        moves,
        endings: endings.collect(),
        places: places.map(|place| place.unwrap_or(shared) as u32).collect(),
        ..GameRecord::default()
    }
}

/// Returns the ruleset of a variant.
///
/// # Errors
/// Names the known variants.
pub fn ruleset(variant: &str) -> Result<&'static Ruleset, String> {
    let known = [&HASE_UND_IGEL, &HARE_AND_TORTOISE];
    let found = known.into_iter().find(|ruleset| ruleset.name == variant);
    found.ok_or_else(|| {
        format!("unknown variant {variant:?}: expected hase-und-igel or hare-and-tortoise")
    })
}
