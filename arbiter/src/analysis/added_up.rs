//! Totals of an analysis as a JSON object.

use serde::Serialize;

use matches::plan::EngineSpec;
use matches::record::printable::printable_json;

/// The fields that all such objects have.
#[derive(Serialize)]
pub(super) struct AddedUp<'a, L> {
    limit: String,
    games: u64,
    left_out: u64,
    moves: u64,
    engines: Vec<OfEngine<'a, L>>,
    seats: Vec<OfSeat<L>>,
}

#[derive(Serialize)]
struct OfEngine<'a, L> {
    engine: &'a str,
    #[serde(flatten)]
    line: L,
}

#[derive(Serialize)]
struct OfSeat<L> {
    seat: usize,
    #[serde(flatten)]
    line: L,
}

impl<'a, L> AddedUp<'a, L> {
    /// Collects the totals of the engine `by`, with one line for each engine and seat. The counts are of analysed
    /// games, their moves and skipped games.
    pub(super) fn new(
        by: &EngineSpec,
        [games, moves, left_out]: [u64; 3],
        engines: impl Iterator<Item = (&'a str, L)>,
        seats: impl Iterator<Item = L>,
    ) -> AddedUp<'a, L> {
        let engines = engines.map(|(engine, line)| OfEngine { engine, line });
        let seats = seats.enumerate().map(|(index, line)| OfSeat {
            seat: index + 1,
            line,
        });
        AddedUp {
            limit: by.limit.to_string(),
            games,
            left_out,
            moves,
            engines: engines.collect(),
            seats: seats.collect(),
        }
    }
}

/// The object as JSON text, with a newline at the end.
pub(super) fn text(object: &impl Serialize) -> serde_json::Result<String> {
    let json = serde_json::to_string_pretty(object)?;
    Ok(format!("{}\n", printable_json(&json)))
}
