//! What a review says of a game that is shown, as JSON for the page's script: in permille, rounded.

use serde::Serialize;

use matches::score::review::{Review, ReviewedMove};

/// How many of the moves that lost most are marked.
const MARKED: usize = 5;

/// The whole of a game.
#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// Each seat's share where the review begins.
    start: Vec<f64>,
    /// What the game was for each seat: the numbers of [`SeatSums`](matches::score::review::SeatSums).
    sums: Vec<[f64; 7]>,
    /// The plies that lost most, the worst first.
    worst: Vec<usize>,
}

/// A move with its card. The keys are short, since there are many.
#[derive(Clone, Debug, Serialize)]
pub struct StepReview {
    /// What the move lost, and the better one.
    #[serde(rename = "l", skip_serializing_if = "is_zero")]
    loss: f64,
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    better: Option<String>,
    /// What the cards brought each seat.
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    luck: Vec<f64>,
    /// Each seat's share after move and cards.
    #[serde(rename = "v")]
    values: Vec<f64>,
}

impl GameReview {
    /// The whole of a game that was reviewed.
    pub fn of(review: &Review) -> GameReview {
        let worst = review.worst(MARKED).into_iter();
        let worst = worst.filter(|reviewed| !is_zero(&rounded(reviewed.loss)));
        GameReview {
            start: rounded_all(&review.start),
            sums: review
                .sums()
                .iter()
                .map(|sums| sums.numbers().map(rounded))
                .collect(),
            worst: worst.map(|reviewed| reviewed.ply).collect(),
        }
    }
}

impl StepReview {
    /// What is said of a move.
    pub fn of(reviewed: &ReviewedMove) -> StepReview {
        let is_best = reviewed.best == reviewed.mv;
        StepReview {
            loss: rounded(reviewed.loss),
            better: (!is_best).then(|| reviewed.best.clone()),
            luck: match reviewed.cards.is_empty() {
                true => Vec::new(),
                false => rounded_all(&reviewed.luck()),
            },
            values: rounded_all(&reviewed.after),
        }
    }
}

/// With one decimal, as much as the page shows.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0 + 0.0
}

fn rounded_all(numbers: &[f64]) -> Vec<f64> {
    numbers.iter().copied().map(rounded).collect()
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}
