//! Costs as tables or as one JSON object.

use serde::Serialize;

use super::sums::{Costs, DEAR, Line};
use super::{CostPlan, JudgedMove};
use crate::analysis::added_up::{self, AddedUp};
use matches::report::{Column, decimals, percent, table};

/// The JSON object.
#[derive(Serialize)]
struct Told<'a> {
    judge: &'a str,
    #[serde(flatten)]
    sums: AddedUp<'a, Line>,
    worst: &'a [JudgedMove],
}

impl Costs {
    /// The tables, with a newline at the end.
    pub fn text(&self) -> String {
        let engines = self.engines().map(|(name, line)| row(name.into(), &line));
        let seats = self.seats().enumerate();
        let seats = seats.map(|(index, line)| row((index + 1).to_string(), &line));
        let mut text = table(&columns("engine"), engines);
        text.push('\n');
        text += &table(&columns("seat"), seats);
        text += &format!(
            "cost: loss of a move, in permille of all points; ±: 95 % interval over games; \
             dear: moves with a cost above {DEAR}\n"
        );
        if !self.worst().is_empty() {
            text += "\nThe costliest moves\n";
            text += &self.worst_table();
        }
        text
    }

    /// One JSON object, with a newline at the end; `left_out` is the number of skipped games.
    ///
    /// # Errors
    /// A [`serde_json::Error`] if the object cannot be serialized.
    pub fn json(&self, plan: &CostPlan, left_out: u64) -> serde_json::Result<String> {
        let counts = [self.games(), self.moves(), left_out];
        added_up::text(&Told {
            judge: &plan.engine.name,
            sums: AddedUp::new(&plan.engine, counts, self.engines(), self.seats()),
            worst: self.worst(),
        })
    }

    fn worst_table(&self) -> String {
        let columns = [
            Column::right("game"),
            Column::right("ply"),
            Column::right("seat"),
            Column::left("engine"),
            Column::right("cost"),
            Column::right("played"),
            Column::right("best"),
            Column::left("position"),
        ];
        let rows = self.worst().iter().map(|judged| {
            vec![
                judged.game.to_string(),
                judged.ply.to_string(),
                judged.seat.to_string(),
                judged.engine.clone(),
                judged.cost.to_string(),
                judged.played.clone(),
                judged.best.clone(),
                judged.position.clone(),
            ]
        });
        table(&columns, rows)
    }
}

fn columns(first: &'static str) -> [Column; 7] {
    [
        Column::left(first),
        Column::right("games"),
        Column::right("moves"),
        Column::right("cost/game"),
        Column::right("±"),
        Column::right("cost/move"),
        Column::right("dear"),
    ]
}

fn row(first: String, line: &Line) -> Vec<String> {
    let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_string());
    vec![
        first,
        line.games.to_string(),
        line.moves.to_string(),
        decimals(line.cost_per_game, 1),
        or_none(line.error.map(|error| format!("{error:.1}"))),
        or_none(line.cost_per_move.map(|cost| decimals(cost, 2))),
        or_none(line.dear.map(percent)),
    ]
}
