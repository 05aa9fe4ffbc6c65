//! The review of a game, move by move and card by card, for any number of seats.
//!
//! An appraiser ([`Appraise`]) returns the value of each position of the game: each seat's expected share of the
//! points. Before a card, the value is the mean over all cards left, weighted by their number. At the end and in a
//! solved game it is exact, and the appraiser is not asked. The game goes from one value to the next in steps:
//!
//! - from the position to the value after the best move: *noise*, 0 for an exact value. The best move is that of the
//!   search, or the played move if the value after it is no lower;
//! - from there to the value after the played move: its *loss* for the seat that moved, and its gift to the others;
//! - from there to the value after the card: *luck*. Its expectation over the cards is 0 for every seat, for any
//!   values, because no value depends on the card that came.
//!
//! So for each seat the steps add up to its result ([`SeatSums`]). A forced move loses nothing. The moves of the
//! opening, which no engine chose, and their cards do not count.

mod game;
mod values;

use std::ops::ControlFlow;

use buxtehude::rules::Turn;
use thiserror::Error;

use crate::archive::replay::Flaw;
use crate::plan::Opening;
use crate::plan::rules::external::RulesError;
use crate::plan::rules::{Position, PositionError};
use crate::score::shares;
pub(crate) use values::Values;
use values::index_of;

pub use crate::score::review::{
    COSTLY, Line, Mean, Review, ReviewedCard, ReviewedMove, SeatSums, Totals,
};
pub use game::PlayedGame;
pub use values::{Appraisal, Appraise};

#[derive(Debug, Error)]
pub enum ReviewError<E> {
    #[error(transparent)]
    Appraiser(E),
    #[error(transparent)]
    Game(#[from] Flaw),
    /// A rules program failed.
    #[error(transparent)]
    Rules(PositionError),
    /// The value of a position is invalid.
    #[error("asked about {line:?}: {found}, expected {expected}")]
    Unfit {
        /// The position, in the form of the protocol.
        line: String,
        found: String,
        expected: String,
    },
}

impl<E> ReviewError<E> {
    pub fn fault_of_rules(&self) -> Option<&RulesError> {
        match self {
            ReviewError::Game(flaw) => flaw.fault_of_rules(),
            ReviewError::Rules(reason) => reason.fault_of_rules(),
            ReviewError::Appraiser(_) | ReviewError::Unfit { .. } => None,
        }
    }
}

/// Reviews a game; calls `on_move` with each move as soon as it and its cards have values. The review stops when
/// `on_move` returns a break.
///
/// # Errors
/// The first [`ReviewError`].
///
/// # Examples
/// ```
/// use std::convert::Infallible;
/// use std::ops::ControlFlow;
///
/// use buxtehude::rules::Variant;
/// use matches::judge::Question;
/// use matches::review::{Appraisal, Appraise, PlayedGame, review};
///
/// /// Expects the seat to move to win, and prefers its last legal move.
/// struct Optimist;
///
/// impl Appraise for Optimist {
///     type Error = Infallible;
///
///     fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
///         let mut shares = vec![0.0; question.position.seats()];
///         shares[question.mover.index()] = 1000.0;
///         let best = question.position.legal_actions().pop().unwrap_or_default();
///         Ok(Appraisal { shares, best })
///     }
/// }
///
/// let variant = Variant::by_name("hase-und-igel")?;
/// let game = PlayedGame {
///     rules: variant.into(),
///     start: variant.start(2)?.into(),
///     words: vec!["2".to_string(), "7".to_string()],
///     opening: 0,
///     places: None,
/// };
/// let review = review(&game, &mut Optimist, |_| ControlFlow::Continue(()))?;
/// for sums in review.sums() {
///     let steps = sums.skill + sums.gifts + sums.luck + sums.noise + sums.verdict;
///     assert_eq!(sums.start + steps, sums.result);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn review<A: Appraise>(
    game: &PlayedGame,
    appraiser: &mut A,
    on_move: impl FnMut(&ReviewedMove) -> ControlFlow<()>,
) -> Result<Review, ReviewError<A::Error>> {
    let mut reviewer = Reviewer {
        position: game.start.clone(),
        line: game.beginning(),
        values: Values::new(appraiser),
        start: None,
        drawn_first: Vec::new(),
        moves: Vec::new(),
        current: None,
        on_move,
    };
    let mut flow = ControlFlow::Continue(());
    let mut ply = 0;
    for (index, word) in game.words.iter().enumerate() {
        let number = index + 1;
        let is_move = matches!(reviewer.position.turn(), Turn::Seat(_));
        ply += usize::from(is_move);
        if is_move {
            flow = reviewer.end_move();
        }
        if flow.is_break() {
            break;
        }
        let counts = if is_move {
            ply > game.opening
        } else {
            reviewer.start.is_some() || game.opening == 0
        };
        match (counts, is_move) {
            (true, true) => reviewer.value_move(number, ply, word)?,
            (true, false) => reviewer.value_card(number, word)?,
            (false, _) => {}
        }
        reviewer.play(number, word)?;
    }
    let is_whole = flow.is_continue();
    let _ = reviewer.end_move();
    let end = reviewer.value()?;
    let places = game.places.as_deref().filter(|_| is_whole);
    Ok(Review {
        start: reviewer.start.unwrap_or_else(|| end.clone()),
        drawn_first: reviewer.drawn_first,
        moves: reviewer.moves,
        result: places.map_or_else(|| end.clone(), shares),
        end,
        is_whole,
    })
}

type Valued<T, A> = Result<T, ReviewError<<A as Appraise>::Error>>;

struct Reviewer<'a, A, F> {
    position: Position,
    line: Opening,
    values: Values<'a, A>,
    /// Value at the start of the review, once it has begun.
    start: Option<Vec<f64>>,
    drawn_first: Vec<ReviewedCard>,
    moves: Vec<ReviewedMove>,
    /// Last move, while cards may follow it.
    current: Option<ReviewedMove>,
    on_move: F,
}

impl<A: Appraise, F: FnMut(&ReviewedMove) -> ControlFlow<()>> Reviewer<'_, A, F> {
    fn value(&mut self) -> Valued<Vec<f64>, A> {
        self.values.of(&self.position, &mut self.line)
    }

    /// Value after a legal move or card.
    fn value_after(&mut self, next: &Position, word: &str) -> Valued<Vec<f64>, A> {
        self.line.moves.push(word.to_string());
        let value = self.values.of(next, &mut self.line);
        self.line.moves.pop();
        value
    }

    /// Position after a move or card of the game.
    fn next(&self, number: usize, word: &str) -> Result<Position, Flaw> {
        let mut next = self.position.clone();
        let played = next.play(word);
        played.map_err(|reason| Flaw::Action { number, reason })?;
        Ok(next)
    }

    fn play(&mut self, number: usize, word: &str) -> Result<(), Flaw> {
        self.position = self.next(number, word)?;
        self.line.moves.push(word.to_string());
        Ok(())
    }

    fn value_move(&mut self, number: usize, ply: usize, word: &str) -> Valued<(), A> {
        let next = self.next(number, word)?;
        let before = self.value()?;
        let after = self.value_after(&next, word)?;
        let mover = index_of(&self.position);
        let is_forced = self.position.legal_actions().len() == 1;
        let better = if is_forced { None } else { self.better_move(word, &after, mover)? };
        let (best, after_best) = better.unwrap_or_else(|| (word.to_string(), after.clone()));
        let change = less(&after, &after_best);
        self.start.get_or_insert_with(|| before.clone());
        self.current = Some(ReviewedMove {
            word: number,
            ply,
            seat: mover + 1,
            mv: word.to_string(),
            is_forced,
            best,
            loss: less(&after_best, &after).get(mover).copied().unwrap_or(0.0),
            noise: less(&after_best, &before),
            before,
            change,
            cards: Vec::new(),
            after,
        });
        Ok(())
    }

    /// Returns the best known move and the value after it, if this is higher for the mover than the value after the
    /// played move.
    fn better_move(
        &mut self,
        played: &str,
        after: &[f64],
        mover: usize,
    ) -> Valued<Option<(String, Vec<f64>)>, A> {
        let best = self.values.best_move(&self.position, &mut self.line)?;
        if best == played {
            return Ok(None);
        }
        let mut next = self.position.clone();
        if let Err(reason) = next.play(&best) {
            return Err(ReviewError::Unfit {
                line: self.line.line(self.position.seats()),
                found: format!("its best move is {best}: {reason}"),
                expected: "a legal move".to_string(),
            });
        }
        let after_best = self.value_after(&next, &best)?;
        let is_better = after_best.get(mover) > after.get(mover);
        Ok(is_better.then_some((best, after_best)))
    }

    fn value_card(&mut self, number: usize, word: &str) -> Valued<(), A> {
        let next = self.next(number, word)?;
        let before = self.value()?;
        let after = self.value_after(&next, word)?;
        let card = ReviewedCard {
            word: number,
            seat: index_of(&self.position) + 1,
            card: word.to_string(),
            luck: less(&after, &before),
        };
        self.start.get_or_insert(before);
        match &mut self.current {
            Some(reviewed) => {
                reviewed.cards.push(card);
                reviewed.after = after;
            }
            None => self.drawn_first.push(card),
        }
        Ok(())
    }

    /// Reports the last move, when no more cards follow it.
    fn end_move(&mut self) -> ControlFlow<()> {
        let Some(reviewed) = self.current.take() else {
            return ControlFlow::Continue(());
        };
        let flow = (self.on_move)(&reviewed);
        self.moves.push(reviewed);
        flow
    }
}

/// Subtracts `others` from `numbers`, element by element.
fn less(numbers: &[f64], others: &[f64]) -> Vec<f64> {
    let pairs = numbers.iter().zip(others);
    pairs.map(|(number, other)| number - other).collect()
}
