//! Models of a game for the searches of the articles.

use std::convert::Infallible;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::ops::ControlFlow;

use super::{ModelSettings, Vector};
use crate::rules::{Game, Seat, Turn};

/// A tree of positions with a value for each seat: a game as it is, or simplified for the search.
pub trait Model {
    /// A position.
    type Position: Copy + Debug;
    /// A move; of two with equal values for all seats the lower is taken.
    type Move: Copy + Ord + Debug;

    /// Number of seats.
    fn seats(&self, position: &Self::Position) -> usize;

    /// The next action in a position. A card can be due only after [`Model::play`].
    fn turn(&self, position: &Self::Position) -> Turn;

    /// Legal moves of the seat to move, in ascending order.
    fn moves(&self, position: &Self::Position) -> impl Iterator<Item = Self::Move>;

    /// Returns the position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// Positions after each kind of card that can be drawn, with its number of cards.
    fn outcomes(&self, position: &Self::Position) -> impl Iterator<Item = (Self::Position, u32)>;

    /// `true` if a seat's place is decided.
    fn is_decided(&self, position: &Self::Position, seat: Seat) -> bool;

    /// Value of a position to each of its `N` seats; no card may be due.
    fn worth<const N: usize>(&self, position: &Self::Position) -> [i32; N];

    /// Static value of a position to each of its `N` seats; if a card is due, the [`mean`] over the cards.
    #[inline(always)]
    fn static_worth<const N: usize>(&self, position: &Self::Position) -> [i32; N] {
        match self.turn(position) {
            Turn::Card(_) => {
                mean(self.outcomes(position).map(|(next, weight)| (self.worth(&next), weight)))
            }
            _ => self.worth(position),
        }
    }

    /// Calls `take` for each move of `mover`, the seat to move, in ascending order, with the static value of the
    /// position after it and whether the mover's place is decided there; stops when `take` breaks.
    #[inline(always)]
    fn each_worth<const N: usize>(
        &self,
        position: &Self::Position,
        mover: Seat,
        take: impl FnMut(Self::Move, [i32; N], bool) -> ControlFlow<()>,
    ) {
        each_worth_by_playing(self, position, mover, take);
    }
}

/// [`Model::each_worth`] for any model: plays each move.
#[inline(always)]
pub fn each_worth_by_playing<M: Model + ?Sized, const N: usize>(
    model: &M,
    position: &M::Position,
    mover: Seat,
    mut take: impl FnMut(M::Move, [i32; N], bool) -> ControlFlow<()>,
) {
    for mv in model.moves(position) {
        let next = model.play(position, mv);
        let worth = model.static_worth(&next);
        if take(mv, worth, model.is_decided(&next, mover)).is_break() {
            return;
        }
    }
}

/// A tree of positions with a single number as value, which one side maximises and the other minimises.
pub trait MinimaxModel {
    /// A position.
    type Position: Copy;
    /// A move.
    type Move: Copy + Eq;

    /// Legal moves of the side to move, in the order that decides between equal ones; none at the end of the tree.
    fn moves(&self, position: &Self::Position) -> impl Iterator<Item = Self::Move>;

    /// Returns the position after a legal move.
    fn play(&self, position: &Self::Position, mv: Self::Move) -> Self::Position;

    /// `true` if the side to move maximises the value.
    fn wants_large(&self, position: &Self::Position) -> bool;

    /// Static value of a position.
    fn value(&self, position: &Self::Position) -> i32;

    /// Converts a value to a worth for each seat, in hundredths.
    fn worth(&self, value: i32) -> Vector;
}

/// The way of playing of the article about a game; [`NoArticle`] if there is none.
pub trait Article<G: Game> {
    /// Model for a vector search; [`NoModel`] if the article has none.
    type Vectors: Model<Position = G, Move = G::Move>;

    /// Model for a search with a single number; [`NoModel`] if the article has none.
    type Minimax: MinimaxModel<Position = G, Move = G::Move>;

    /// Model that the article searches in a position; `None` without an article.
    fn model(
        position: &G,
        settings: &ModelSettings,
    ) -> Option<ArticleModel<Self::Vectors, Self::Minimax>>;

    /// Static worth of each seat in the model, in hundredths; `None` without an article.
    fn worth(position: &G, settings: &ModelSettings) -> Option<Vector>;

    /// Terms of the worth as text, a line for each seat.
    fn explain(position: &G, settings: &ModelSettings) -> Vec<String>;
}

/// Placeholder for a game without an article.
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

/// Model that the article about a game searches.
#[derive(Clone, Copy, Debug)]
pub enum ArticleModel<V, M> {
    /// Model with a vector of values.
    Vectors(V),
    /// Model with a single number.
    Minimax(M),
}

/// Kind of model that a game does not have: this type has no values.
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

/// Mean of weighted vectors, each component rounded down; zeros if there are none.
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
