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

mod totals;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::ControlFlow;

use buxtehude::rules::{Seat, Solution, Turn};
use serde::Serialize;
use thiserror::Error;

use crate::archive::replay::Flaw;
use crate::judge::{Judge, JudgeError, Question};
use crate::plan::Opening;
use crate::plan::rules::external::RulesError;
use crate::plan::rules::{Position, PositionError, Rules};
use crate::record::{GameRecord, SUM_OF_SHARES};
use crate::score::shares;

pub use totals::{COSTLY, Line, Mean, Totals};

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
        Opening::of_text(&self.start.to_string(), &self.rules, self.start.seats())
    }
}

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
            position: self.position.to_string(),
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
                line: self.line.to_string(),
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

/// Values of the positions of one game.
pub(crate) struct Values<'a, A> {
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
        let mut found = self.appraiser.appraise(question).map_err(ReviewError::Appraiser)?;
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
    shares.iter_mut().for_each(|share| *share *= f64::from(SUM_OF_SHARES) / sum);
    Some(())
}

/// In a solved game, returns a move that wins soonest or loses latest.
fn perfect_move(position: &Position) -> Option<String> {
    let Turn::Seat(mover) = position.turn() else {
        return None;
    };
    position.solved()?;
    let worth = |outcome: Solution| {
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
fn index_of(position: &Position) -> usize {
    let seat = position.turn().seat();
    seat.map_or(position.seats(), Seat::index)
}

fn seats(position: &Position) -> impl Iterator<Item = Seat> + use<> {
    Seat::all(position.seats())
}

/// A game with the values of its moves and cards.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Review {
    /// Value of the position at the start of the review.
    pub start: Vec<f64>,
    /// Cards drawn before the first reviewed move.
    pub drawn_first: Vec<ReviewedCard>,
    /// Moves in order, without the opening.
    pub moves: Vec<ReviewedMove>,
    /// Value of the position at the end of the review.
    pub end: Vec<f64>,
    /// Result of the seats; the same as `end` if the game ended by the rules.
    pub result: Vec<f64>,
    /// Whether the review covers the whole game; it may have been stopped.
    pub is_whole: bool,
}

/// A move with the cards drawn after it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedMove {
    /// Number of the move among the moves and cards of the game, from 1.
    pub word: usize,
    /// Number of the move among the moves of the game, including the opening, from 1.
    pub ply: usize,
    /// Seat that moved, from 1.
    pub seat: usize,
    #[serde(rename = "move")]
    pub mv: String,
    /// Text of the position before the move.
    #[serde(skip)]
    pub position: String,
    /// Whether it was the only legal move.
    pub is_forced: bool,
    /// Best known move; the move itself if none is better.
    pub best: String,
    /// Value of the best move minus the value of this move, for the seat that moved, at least 0.
    pub loss: f64,
    /// Value of the position before the move.
    pub before: Vec<f64>,
    /// Value after the best move minus `before`: the error of the search, 0 for an exact one.
    pub noise: Vec<f64>,
    /// Value after this move minus the value after the best one: `-loss` for the seat that moved, gifts for the others.
    pub change: Vec<f64>,
    /// Cards drawn between this move and the next one.
    pub cards: Vec<ReviewedCard>,
    /// Value of the position after the move and its cards.
    pub after: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ReviewedCard {
    /// Number of the card among the moves and cards of the game, from 1.
    pub word: usize,
    /// Seat that drew it, from 1.
    pub seat: usize,
    pub card: String,
    /// Value after the card minus the weighted mean over all possible cards.
    pub luck: Vec<f64>,
}

impl ReviewedMove {
    /// Sum of the luck of the cards after the move.
    pub fn luck(&self) -> Vec<f64> {
        let mut luck = vec![0.0; self.before.len()];
        for card in &self.cards {
            add(&mut luck, &card.luck);
        }
        luck
    }
}

/// Sums of a game for a seat, in permille: `start + skill + gifts + luck + noise + verdict` equals `result`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct SeatSums<T = f64> {
    /// Value of the start position.
    pub start: T,
    /// Loss by its own moves, as a negative number.
    pub skill: T,
    /// Gain from the moves of others.
    pub gifts: T,
    /// Gain from cards, including those that others drew.
    pub luck: T,
    /// Error of the search: the difference between the value of a position and that after its best move.
    pub noise: T,
    /// Gain from the arbiter's adjudication of a game that the rules had not ended.
    pub verdict: T,
    /// Share of the points.
    pub result: T,
}

impl SeatSums {
    /// Names of the values, in the order of [`SeatSums::numbers`].
    pub const NAMES: [&str; 7] = ["start", "skill", "gifts", "luck", "noise", "verdict", "result"];

    /// Returns all values: the summands, then the result.
    pub fn numbers(&self) -> [f64; 7] {
        [self.start, self.skill, self.gifts, self.luck, self.noise, self.verdict, self.result]
    }
}

impl Review {
    pub fn sums(&self) -> Vec<SeatSums> {
        let seats = self.start.len();
        let mut sums = vec![SeatSums::default(); seats];
        for (index, sums) in sums.iter_mut().enumerate() {
            let of_seat = |shares: &[f64]| shares.get(index).copied().unwrap_or(0.0);
            sums.start = of_seat(&self.start);
            sums.result = of_seat(&self.result);
            sums.verdict = sums.result - of_seat(&self.end);
            sums.luck = self.cards().map(|card| of_seat(&card.luck)).sum();
            for reviewed in &self.moves {
                sums.noise += of_seat(&reviewed.noise);
                if reviewed.seat == index + 1 {
                    sums.skill += of_seat(&reviewed.change);
                } else {
                    sums.gifts += of_seat(&reviewed.change);
                }
            }
        }
        sums
    }

    /// Returns all cards in order.
    pub fn cards(&self) -> impl Iterator<Item = &ReviewedCard> {
        let after = self.moves.iter().flat_map(|reviewed| &reviewed.cards);
        self.drawn_first.iter().chain(after)
    }

    /// Returns up to `most` moves with a loss, the largest loss first; with equal losses, the earlier move first.
    pub fn worst(&self, most: usize) -> Vec<&ReviewedMove> {
        let mut worst: Vec<&ReviewedMove> = self.moves.iter().collect();
        worst.retain(|reviewed| reviewed.loss > 0.0);
        worst.sort_by(|one, other| other.loss.total_cmp(&one.loss));
        worst.truncate(most);
        worst
    }
}

/// Adds `numbers` to `sums`, element by element.
fn add(sums: &mut [f64], numbers: &[f64]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}
