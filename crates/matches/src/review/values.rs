//! Values of positions: requested once for each, and exact if known.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use buxtehude::rules::{Outcome, Seat, Turn};

use super::ReviewError;
use crate::judge::{Judge, JudgeError, Question};
use crate::plan::Opening;
use crate::plan::rules::Position;
use crate::score::shares;

/// Sum of all shares.
const WHOLE: f64 = 1000.0;

/// Result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Appraisal {
    /// Each seat's expected share of the points, in permille; scaled to a sum of 1000.
    pub shares: Vec<f64>,
    /// The best move for the seat to move.
    pub best: String,
}

/// A source of values. If it is deterministic, so are the reviews.
pub trait Appraise {
    type Error;

    /// Returns the value of a position with a seat to move.
    ///
    /// # Errors
    /// The value cannot be determined; the review ends with this error.
    fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Self::Error>;
}

impl Appraise for Judge<'_> {
    type Error = JudgeError;

    fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, JudgeError> {
        let (best, shares) = self.verdict(question)?;
        let shares = shares.into_iter().map(f64::from).collect();
        Ok(Appraisal { shares, best })
    }
}

/// Values of the positions of one game.
pub struct Values<'a, A> {
    appraiser: &'a mut A,
    /// Appraisals so far, by key of the position. Of two positions with the same key the later one is kept.
    known: HashMap<u64, (Position, Appraisal)>,
}

impl<'a, A: Appraise> Values<'a, A> {
    pub fn new(appraiser: &'a mut A) -> Values<'a, A> {
        Values { appraiser, known: HashMap::new() }
    }

    /// Value of `position`, which `line` reaches: exact if the game is solved or over, the mean over all cards before a
    /// card.
    pub fn of(
        &mut self,
        position: &Position,
        line: &mut Opening,
    ) -> Result<Vec<f64>, ReviewError<A::Error>> {
        if let Some(outcome) = position.solved() {
            let places: Vec<u32> =
                seats(position).map(|seat| 1 + u32::from(seat != outcome.winner)).collect();
            return Ok(shares(&places));
        }
        match position.turn() {
            Turn::Seat(mover) => Ok(self.appraisal(position, mover, line)?.shares.clone()),
            Turn::Card(_) => self.mean_of_cards(position, line),
            Turn::Over => {
                let places = seats(position).map(|seat| position.place(seat).unwrap_or(0) as u32);
                Ok(shares(&places.collect::<Vec<u32>>()))
            }
        }
    }

    fn mean_of_cards(
        &mut self,
        position: &Position,
        line: &mut Opening,
    ) -> Result<Vec<f64>, ReviewError<A::Error>> {
        let mut sums = vec![0.0; position.seats()];
        let mut cards = 0;
        let children = position.children().map_err(ReviewError::Rules)?;
        for ((card, number), (_, next)) in position.outcomes().into_iter().zip(children) {
            line.moves.push(card);
            let value = self.of(&next, line);
            line.moves.pop();
            for (sum, share) in sums.iter_mut().zip(value?) {
                *sum += f64::from(number) * share;
            }
            cards += number;
        }
        Ok(sums.into_iter().map(|sum| sum / f64::from(cards)).collect())
    }

    /// Best move in a position with a seat to move.
    pub fn best_move(
        &mut self,
        position: &Position,
        line: &mut Opening,
    ) -> Result<String, ReviewError<A::Error>> {
        match (perfect_move(position), position.turn()) {
            (None, Turn::Seat(mover)) => Ok(self.appraisal(position, mover, line)?.best.clone()),
            (perfect, _) => Ok(perfect.unwrap_or_default()),
        }
    }

    fn appraisal(
        &mut self,
        position: &Position,
        mover: Seat,
        line: &Opening,
    ) -> Result<&Appraisal, ReviewError<A::Error>> {
        let entry = match self.known.entry(position.key()) {
            Entry::Occupied(known) if known.get().0 == *position => return Ok(&known.into_mut().1),
            entry => entry,
        };
        let question = Question { line, position, mover };
        let found = self.appraiser.appraise(question);
        let mut found = found.map_err(ReviewError::Appraiser)?;
        let seats = position.seats();
        if scale(&mut found.shares, seats).is_none() {
            return Err(ReviewError::Unfit {
                line: question.text(),
                found: format!("shares {:?}", found.shares),
                expected: format!("one for each of {seats} seats, none negative"),
            });
        }
        Ok(&entry.insert_entry((position.clone(), found)).into_mut().1)
    }
}

/// Scales shares to a sum of 1000; `None` if they are invalid.
fn scale(shares: &mut [f64], seats: usize) -> Option<()> {
    let sum: f64 = shares.iter().sum();
    let is_good = |share: &f64| share.is_finite() && *share >= 0.0;
    if shares.len() != seats || sum <= 0.0 || !shares.iter().all(is_good) {
        return None;
    }
    shares.iter_mut().for_each(|share| *share *= WHOLE / sum);
    Some(())
}

/// In a solved game, returns a move that wins soonest or loses latest.
fn perfect_move(position: &Position) -> Option<String> {
    let Turn::Seat(mover) = position.turn() else {
        return None;
    };
    position.solved()?;
    let worth = |outcome: Outcome| {
        let plies = i64::from(outcome.plies);
        if outcome.winner == mover { (true, -plies) } else { (false, plies) }
    };
    let mut best = None;
    for word in position.legal_actions() {
        let mut next = position.clone();
        // Cannot fail: the move is legal.
        let _ = next.play(&word);
        let found = worth(next.solved()?);
        if best.as_ref().is_none_or(|(highest, _)| found > *highest) {
            best = Some((found, word));
        }
    }
    best.map(|(_, word)| word)
}

/// Returns the index of the seat that moves or draws; the number of seats if the game is over.
pub fn index_of(position: &Position) -> usize {
    let seat = position.turn().seat();
    seat.map_or(position.seats(), Seat::index)
}

fn seats(position: &Position) -> impl Iterator<Item = Seat> + use<> {
    Seat::all(position.seats())
}
