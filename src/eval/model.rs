//! A game as the searches of the articles see it.

use std::convert::Infallible;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::{ModelSettings, Vector};
use crate::rules::{Game, Seat, Turn};

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
    fn moves(&self, position: &Self::Position) -> impl Iterator<Item = Self::Move>;

    /// The position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The positions after each card that can be drawn, with the number of such cards.
    fn outcomes(&self, position: &Self::Position) -> impl Iterator<Item = (Self::Position, u32)>;

    /// Whether a seat's place is decided.
    fn is_decided(&self, position: &Self::Position, seat: Seat) -> bool;

    /// What a position in which no card is due is worth to each of its `N` seats.
    fn worth<const N: usize>(&self, position: &Self::Position) -> [i32; N];

    /// What a position is worth to each of its `N` seats without looking further; where a card is due,
    /// the [`mean`] over the cards.
    #[inline(always)]
    fn static_worth<const N: usize>(&self, position: &Self::Position) -> [i32; N] {
        match self.turn(position) {
            Turn::Card(_) => mean(
                self.outcomes(position)
                    .map(|(next, weight)| (self.worth(&next), weight)),
            ),
            _ => self.worth(position),
        }
    }

    /// Hands each move of `mover`, whose turn it is, to `take`, in ascending order, with the static worth of
    /// the position it leads to, and whether the mover's place is decided there; until `take` breaks.
    #[inline(always)]
    fn each_worth<const N: usize>(
        &self,
        position: &Self::Position,
        mover: Seat,
        mut take: impl FnMut(Self::Move, [i32; N], bool) -> ControlFlow<()>,
    ) {
        for mv in self.moves(position) {
            let next = self.play(position, mv);
            let worth = self.static_worth(&next);
            if take(mv, worth, self.is_decided(&next, mover)).is_break() {
                return;
            }
        }
    }
}

/// A tree of positions with one number for what they are worth, which one side wants large and the other
/// small.
pub trait MinimaxModel {
    /// A position.
    type Position: Copy;
    /// A move.
    type Move: Copy + Eq;

    /// The legal moves of the side to move, in an order that decides between equal ones; none where the tree
    /// ends.
    fn moves(&self, position: &Self::Position) -> impl Iterator<Item = Self::Move>;

    /// The position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Whether the side to move wants the number large.
    fn wants_large(&self, position: &Self::Position) -> bool;

    /// The number of a position without looking further.
    fn value(&self, position: &Self::Position) -> i32;

    /// What a number is worth to each seat, in hundredths.
    fn worth(&self, value: i32) -> Vector;
}

/// How the article about a game plays it; [`NoArticle`] where there is none.
pub trait Article<G: Game> {
    /// The model for a search for vectors; [`NoModel`] where the article has none.
    type Vectors: Model<Position = G, Move = G::Move>;

    /// The model for a search for a single number; [`NoModel`] where the article has none.
    type Minimax: MinimaxModel<Position = G, Move = G::Move>;

    /// The model that the article searches in a position; `None` where there is no article.
    fn model(
        position: &G,
        settings: &ModelSettings,
    ) -> Option<ArticleModel<Self::Vectors, Self::Minimax>>;

    /// The worth of each seat in the model, in hundredths, as the position stands; `None` where there is no article.
    fn worth(position: &G, settings: &ModelSettings) -> Option<Vector>;

    /// How that comes about, a line a seat, for a person.
    fn explain(position: &G, settings: &ModelSettings) -> Vec<String>;
}

/// That no article tells how a game is played.
#[derive(Clone, Copy, Debug)]
pub struct NoArticle;

impl<G: Game> Article<G> for NoArticle {
    type Vectors = NoModel<G>;
    type Minimax = NoModel<G>;

    fn model(_: &G, _: &ModelSettings) -> Option<ArticleModel<NoModel<G>, NoModel<G>>> {
        None
    }

    fn worth(_: &G, _: &ModelSettings) -> Option<Vector> {
        None
    }

    fn explain(_: &G, _: &ModelSettings) -> Vec<String> {
        Vec::new()
    }
}

/// The model that the article about a game searches.
#[derive(Clone, Copy, Debug)]
pub enum ArticleModel<V, M> {
    /// One of vectors.
    Vectors(V),
    /// One of a single number.
    Minimax(M),
}

/// The kind of model that a game has not: there is no value of this type.
#[derive(Clone, Copy, Debug)]
pub struct NoModel<G>(Infallible, PhantomData<G>);

impl<G: Game> Model for NoModel<G> {
    type Position = G;
    type Move = G::Move;

    fn seats(&self, _: &G) -> usize {
        match self.0 {}
    }

    fn turn(&self, _: &G) -> Turn {
        match self.0 {}
    }

    fn moves(&self, position: &G) -> impl Iterator<Item = G::Move> {
        position.legal_moves()
    }

    fn play(&self, _: &G, _: G::Move) -> G {
        match self.0 {}
    }

    fn outcomes(&self, _: &G) -> impl Iterator<Item = (G, u32)> {
        std::iter::empty()
    }

    fn is_decided(&self, _: &G, _: Seat) -> bool {
        match self.0 {}
    }

    fn worth<const N: usize>(&self, _: &G) -> [i32; N] {
        match self.0 {}
    }
}

impl<G: Game> MinimaxModel for NoModel<G> {
    type Position = G;
    type Move = G::Move;

    fn moves(&self, position: &G) -> impl Iterator<Item = G::Move> {
        position.legal_moves()
    }

    fn play(&self, _: &G, _: G::Move) -> G {
        match self.0 {}
    }

    fn wants_large(&self, _: &G) -> bool {
        match self.0 {}
    }

    fn value(&self, _: &G) -> i32 {
        match self.0 {}
    }

    fn worth(&self, _: i32) -> Vector {
        match self.0 {}
    }
}

/// The mean of vectors with their weights, each component rounded down; zeros of none.
pub fn mean<const N: usize>(vectors: impl Iterator<Item = ([i32; N], u32)>) -> [i32; N] {
    let mut sums = [0i64; N];
    let mut total = 0;
    for (vector, weight) in vectors {
        for (sum, component) in sums.iter_mut().zip(vector) {
            *sum += i64::from(weight) * i64::from(component);
        }
        total += i64::from(weight);
    }
    sums.map(|sum| sum.div_euclid(total.max(1)) as i32)
}
