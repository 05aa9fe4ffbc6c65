//! A small game of dice for tests. It shows that a game consists of one folder and a few lines elsewhere. It is not
//! offered to users.
//!
//! Each of two to four seats has two pawns on the way from square 0 to the goal. Before each move the mover rolls a
//! die, and one of its pawns advances by that number; steps beyond the goal are lost. A rival's pawn on the square that
//! it reaches, between start and goal, goes back to the start. A seat with both pawns in the goal has finished. Places
//! are taken in that order, and the last seat gets the last place.

mod notation;
mod scene;

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::{array, iter};

use thiserror::Error;

pub use notation::{Die, Move, WordError};

use super::{Game, MovePreview, PositionError, Scene, Seat, Turn};

/// Goal square of the pawns.
pub const GOAL: u8 = 21;

/// Pawns per seat.
pub const PAWNS: usize = 2;

const MAX_SEATS: usize = 4;
const FACES: u8 = 6;

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Squares of each seat's pawns, the rear one first.
    pawns: [[u8; PAWNS]; MAX_SEATS],
    /// Place of each seat, or 0 while it is open.
    places: [u8; MAX_SEATS],
    seats: u8,
    mover: u8,
    /// Roll for the next move, or 0 if a roll is due.
    roll: u8,
}

/// The rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// No move is due.
    #[error("no move is due: expected a roll, or the game is over")]
    NotDue,
    /// The square has no pawn that can move.
    #[error("seat {seat} has no pawn on square {square} that is not home")]
    NoPawn {
        /// Seat to move.
        seat: Seat,
        /// The square.
        square: u8,
    },
}

/// No roll is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no roll is due")]
pub struct IllegalRoll;

impl Position {
    /// Squares of a seat's pawns, the rear one first.
    pub fn pawns(&self, seat: Seat) -> [u8; PAWNS] {
        self.pawns[seat.index()]
    }

    fn is_over(&self) -> bool {
        self.places[..self.seats()].iter().all(|&place| place > 0)
    }

    fn next_place(&self) -> u8 {
        1 + self.places.iter().filter(|&&place| place > 0).count() as u8
    }

    /// Gives the mover its place if it is home, and the last place to the only seat left.
    fn take_places(&mut self) {
        if self.pawns[usize::from(self.mover)] == [GOAL; PAWNS] {
            self.places[usize::from(self.mover)] = self.next_place();
        }
        let seats = self.seats();
        let mut open = self.places[..seats].iter_mut().filter(|place| **place == 0);
        if let (Some(last), None) = (open.next(), open.next()) {
            *last = self.seats;
        }
    }

    fn pass_turn(&mut self) {
        self.roll = 0;
        let next = (1..=self.seats).map(|step| (self.mover + step) % self.seats);
        let mut open = next.filter(|&seat| self.places[usize::from(seat)] == 0);
        self.mover = open.next().unwrap_or(self.mover);
    }
}

impl Game for Position {
    type Rules = ();
    type Move = Move;
    type Card = Die;
    type Moves = Moves;
    type Outcomes = iter::Map<Range<u8>, fn(u8) -> (Die, u32)>;
    type IllegalMove = IllegalMove;
    type IllegalCard = IllegalRoll;

    const HAS_CARDS: bool = true;

    fn start(_: &'static (), seats: usize) -> Option<Position> {
        (2..=MAX_SEATS).contains(&seats).then_some(Position {
            pawns: [[0; PAWNS]; MAX_SEATS],
            places: [0; MAX_SEATS],
            seats: seats as u8,
            mover: 0,
            roll: 0,
        })
    }

    fn parse(_: &'static (), text: &str) -> Result<Position, PositionError> {
        notation::parse(text)
    }

    fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    fn turn(&self) -> Turn {
        if self.is_over() {
            Turn::Over
        } else if self.roll == 0 {
            Turn::Card(Seat(self.mover))
        } else {
            Turn::Seat(Seat(self.mover))
        }
    }

    fn place(&self, seat: Seat) -> Option<usize> {
        match self.places[seat.index()] {
            0 => None,
            place => Some(usize::from(place)),
        }
    }

    fn turns_home(&self, seat: Seat) -> Option<u32> {
        // The mean of a roll is 3.5.
        let way: u32 = self.pawns(seat).iter().map(|pawn| u32::from(GOAL - pawn)).sum();
        Some((2 * way).div_ceil(7))
    }

    fn legal_moves(&self) -> Moves {
        let Turn::Seat(seat) = self.turn() else {
            return Moves::default();
        };
        let [rear, front] = self.pawns(seat);
        let end = if front == rear || front == GOAL { 1 } else { 2 };
        Moves { squares: [rear, front], next: 0, end }
    }

    fn outcomes(&self) -> Self::Outcomes {
        let is_due = matches!(self.turn(), Turn::Card(_));
        let faces = if is_due { 1..FACES + 1 } else { 0..0 };
        faces.map(|face| (Die(face), 1))
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let Turn::Seat(seat) = self.turn() else {
            return Err(IllegalMove::NotDue);
        };
        if !self.legal_moves().any(|legal| legal == mv) {
            let square = mv.0;
            return Err(IllegalMove::NoPawn { seat, square });
        }
        *self = self.play_unchecked(mv);
        Ok(())
    }

    fn play_unchecked(&self, mv: Move) -> Position {
        let mut next = *self;
        let to = (mv.0 + self.roll).min(GOAL);
        for (seat, pawns) in next.pawns.iter_mut().enumerate() {
            if seat == usize::from(self.mover) {
                if let Some(pawn) = pawns.iter_mut().find(|pawn| **pawn == mv.0) {
                    *pawn = to;
                }
            } else if to < GOAL {
                *pawns = pawns.map(|pawn| if pawn == to { 0 } else { pawn });
            }
            pawns.sort_unstable();
        }
        next.take_places();
        next.pass_turn();
        next
    }

    fn draw(&mut self, card: Die) -> Result<(), IllegalRoll> {
        if !self.outcomes().any(|(face, _)| face == card) {
            return Err(IllegalRoll);
        }
        *self = self.draw_unchecked(card);
        Ok(())
    }

    fn draw_unchecked(&self, card: Die) -> Position {
        Position { roll: card.0, ..*self }
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }

    fn picture(&self) -> String {
        scene::picture(self)
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        scene::columns(self)
    }

    fn scene(&self) -> Scene {
        scene::of(self)
    }

    fn preview(&self, mv: Move) -> MovePreview {
        scene::preview(self, mv)
    }

    fn card_words(_: Die) -> &'static str {
        "Move one of your pawns as far as the die says."
    }
}

/// Legal moves: at most one for each pawn, the rear one first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moves {
    squares: [u8; PAWNS],
    next: usize,
    end: usize,
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let square = *self.squares[..self.end].get(self.next)?;
        self.next += 1;
        Some(Move(square))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}

/// Pads an array to the largest number of seats.
fn by_seat<T: Copy>(seats: &[T], absent: T) -> [T; MAX_SEATS] {
    array::from_fn(|seat| seats.get(seat).copied().unwrap_or(absent))
}
