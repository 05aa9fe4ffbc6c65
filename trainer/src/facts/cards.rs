//! What the cards do to those who draw them: how often each kind lowers the drawer's own share of the points.
//!
//! The share after a card is compared with the share in the same position had the card done nothing (see
//! [`Draw::without_effect`](super::draw::Draw::without_effect)), once by a search of fixed depth and once by
//! the estimate without search. Only cards that an engine's own move drew are judged, not those of the random
//! plies of an opening.

use buxtehude::rules::hase::{Card, HASE_UND_IGEL};
use matches::report::{self, Column, percent};
use matches::score::half_width;

use super::draw::JudgedDraw;
use super::spread::mean;

/// How a number of draws changed the share.
#[derive(Clone, Debug, Default, PartialEq)]
struct Changes {
    /// Each draw's change, in permille.
    changes: Vec<f64>,
}

impl Changes {
    fn of(changes: impl Iterator<Item = f64>) -> Changes {
        Changes {
            changes: changes.collect(),
        }
    }

    /// The part of the draws that lower the share, 0 to 1, or `None` of no draws.
    fn lowering(&self) -> Option<f64> {
        self.part(|change| change < 0.0)
    }

    /// The part of the draws that change nothing, 0 to 1, or `None` of no draws.
    fn idle(&self) -> Option<f64> {
        self.part(|change| change == 0.0)
    }

    fn part(&self, is_counted: impl Fn(f64) -> bool) -> Option<f64> {
        let counted = self.changes.iter().filter(|&&change| is_counted(change));
        let all = self.changes.len();
        (all > 0).then(|| counted.count() as f64 / all as f64)
    }

    /// The cells of a table: lowering, unchanged, mean and its interval.
    fn cells(&self) -> [String; 4] {
        let part = |part: Option<f64>| part.map_or("-".to_string(), percent);
        let mean = mean(&self.changes).map(|mean| format!("{mean:+.1}"));
        let error = half_width(&self.changes).map(|error| format!("{error:.1}"));
        [
            part(self.lowering()),
            part(self.idle()),
            mean.unwrap_or("-".to_string()),
            error.unwrap_or("-".to_string()),
        ]
    }
}

/// Of a deck of fifteen, the cards that a kind's number stands for: each kind's figure weighted by its number
/// in the deck, kinds without a figure left out. `None` where no kind has one.
fn of_fifteen(figure: impl Fn(Card) -> Option<f64>) -> Option<f64> {
    let deck = Card::ALL.into_iter().zip(HASE_UND_IGEL.deck);
    let mut sum = 0.0;
    let mut known = 0.0;
    for (card, number) in deck {
        if let Some(figure) = figure(card) {
            sum += figure * f64::from(number);
            known += f64::from(number);
        }
    }
    (known > 0.0).then(|| 15.0 * sum / known)
}

/// The table, and the number of fifteen cards that are unpleasant.
pub fn table_of(draws: &[JudgedDraw], depth: u32) -> String {
    let columns = [
        Column::left("card"),
        Column::right("draws"),
        Column::right("lower own share"),
        Column::right("no change"),
        Column::right("mean change, permille"),
        Column::right("±"),
        Column::right("static: lower"),
        Column::right("no change"),
        Column::right("mean change"),
        Column::right("±"),
    ];
    let searched = |kind| changes_of(draws, kind, |judged| judged.searched);
    let estimated = |kind| changes_of(draws, kind, |judged| judged.estimated);
    let kinds = Card::ALL.into_iter().map(Some).chain([None]);
    let rows = kinds.map(|kind| {
        let searched = searched(kind);
        let name = kind.map_or("all".to_string(), |card| card.to_string());
        let mut row = vec![name, searched.changes.len().to_string()];
        row.extend(searched.cells());
        row.extend(estimated(kind).cells());
        row
    });
    let table = report::table(&columns, rows);
    let by_search = unpleasant(searched);
    let by_estimate = unpleasant(estimated);
    format!(
        "Cards drawn by the engines' own moves, searched {depth} plies (one more after a card that lets its drawer \
         move again)\n{table}\
         unpleasant of 15 cards, each counted by how often it lowers the share: {}; static: {}\n\
         unpleasant of 15 cards, those that lower it on average: {}; static: {}\n",
        by_search[0], by_estimate[0], by_search[1], by_estimate[1]
    )
}

/// The changes by draws of a kind, or of all.
fn changes_of(
    draws: &[JudgedDraw],
    kind: Option<Card>,
    change: impl Fn(&JudgedDraw) -> f64,
) -> Changes {
    let of_kind = draws
        .iter()
        .filter(|judged| kind.is_none_or(|card| judged.draw.card == card));
    Changes::of(of_kind.map(change))
}

/// The unpleasant cards of fifteen: by the part of each kind's draws that lower the share, and by its mean.
fn unpleasant(changes: impl Fn(Option<Card>) -> Changes) -> [String; 2] {
    let by_part = of_fifteen(|card| changes(Some(card)).lowering());
    let by_mean = of_fifteen(|card| {
        mean(&changes(Some(card)).changes).map(|mean| f64::from(u8::from(mean < 0.0)))
    });
    [by_part, by_mean].map(|number| number.map_or("-".to_string(), |number| format!("{number:.1}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_that_lower_the_share_are_counted() {
        let changes = Changes::of([-4.0, 0.0, 1.0, -1.0].into_iter());
        assert_eq!(changes.lowering(), Some(0.5));
        assert_eq!(changes.idle(), Some(0.25));
        assert_eq!(changes.cells()[2], "-1.0");
        assert_eq!(Changes::default().lowering(), None);
        assert_eq!(Changes::default().cells(), ["-"; 4]);
    }

    #[test]
    fn a_kind_counts_as_often_as_the_deck_has_it() {
        let is = |wanted: &'static [Card]| {
            of_fifteen(move |card| Some(f64::from(u8::from(wanted.contains(&card)))))
        };
        assert_eq!(is(&[Card::Shuffle]), Some(1.0));
        assert_eq!(is(&[Card::Half, Card::Give, Card::Shuffle]), Some(5.0));
        assert_eq!(is(&Card::ALL), Some(15.0));
        assert_eq!(of_fifteen(|_| None), None);
        // Nothing is known but of half and show, and half of that is unpleasant.
        let two = of_fifteen(|card| match card {
            Card::Half => Some(1.0),
            Card::Show => Some(0.0),
            _ => None,
        });
        assert_eq!(two, Some(7.5));
    }
}
