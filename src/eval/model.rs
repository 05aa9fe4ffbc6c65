//! A game as a search for vectors sees it.

use std::fmt::Debug;

use crate::rules::{Seat, Turn};

/// A tree of positions with what they are worth: a game as it is, or simplified for looking ahead.
pub trait Model {
    /// A position.
    type Position: Copy + Debug;
    /// A move; of two that are worth the same to all seats the lower is taken.
    type Move: Copy + Ord + Debug;

    /// Number of seats.
    fn seats(&self, position: &Self::Position) -> usize;

    /// What is due in a position. A card is due only where [`Model::play`] led.
    fn turn(&self, position: &Self::Position) -> Turn;

    /// The legal moves of the seat to move, ascending.
    fn moves(&self, position: &Self::Position) -> impl ExactSizeIterator<Item = Self::Move>;

    /// The position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The positions after each card that can be drawn, with the number of such cards.
    fn outcomes(&self, position: &Self::Position) -> impl Iterator<Item = (Self::Position, u32)>;

    /// Whether a seat's place is decided.
    fn is_decided(&self, position: &Self::Position, seat: Seat) -> bool;

    /// What a position in which no card is due is worth to each of its `N` seats.
    fn worth<const N: usize>(&self, position: &Self::Position) -> [i32; N];
}
