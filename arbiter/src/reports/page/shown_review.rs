//! The review of a shown game, as JSON for the page's script: in permille, rounded.

use serde::Serialize;

use matches::score::review::{Review, ReviewedMove};

/// Number of worst moves to mark.
const MARKED: usize = 5;

#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// Share of each seat where the review begins.
    start: Vec<f64>,
    /// Sums of each seat: the numbers of [`SeatSums`](matches::review::SeatSums).
    sums: Vec<[f64; 7]>,
    /// Plies of the worst moves, the worst first.
    worst: Vec<usize>,
}

/// Review of a move and its card. There are many, so the keys are short.
#[derive(Clone, Debug, Serialize)]
pub struct StepReview {
    /// Loss of the move, and the better move.
    #[serde(rename = "l", skip_serializing_if = "is_zero")]
    loss: f64,
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    better: Option<String>,
    /// Luck of the cards for each seat.
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    luck: Vec<f64>,
    /// Share of each seat after the move and its cards.
    #[serde(rename = "v")]
    values: Vec<f64>,
}

impl GameReview {
    pub fn of(review: &Review) -> GameReview {
        let worst = review.worst(MARKED).into_iter();
        let worst = worst.filter(|reviewed| !is_zero(&rounded(reviewed.loss)));
        GameReview {
            start: rounded_all(&review.start),
            sums: review.sums().iter().map(|sums| sums.numbers().map(rounded)).collect(),
            worst: worst.map(|reviewed| reviewed.ply).collect(),
        }
    }
}

impl StepReview {
    pub fn of(reviewed: &ReviewedMove) -> StepReview {
        let is_best = reviewed.best == reviewed.mv;
        StepReview {
            loss: rounded(reviewed.loss),
            better: (!is_best).then(|| reviewed.best.clone()),
            luck: if reviewed.cards.is_empty() {
                Vec::new()
            } else {
                rounded_all(&reviewed.luck())
            },
            values: rounded_all(&reviewed.after),
        }
    }
}

/// Rounds to one decimal, the precision of the page.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0 + 0.0
}

fn rounded_all(numbers: &[f64]) -> Vec<f64> {
    numbers.iter().copied().map(rounded).collect()
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}
