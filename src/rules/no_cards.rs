//! Card types of a game without cards.

use std::convert::Infallible;
use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// Card of a game that has none: this type has no values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoCard(Infallible);

impl NoCard {
    /// Converts to any type, since there is no value to convert.
    pub fn never<T>(self) -> T {
        match self.0 {}
    }
}

impl fmt::Display for NoCard {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.never()
    }
}

/// The game has no cards, so no word is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("this game has no cards, expected a move")]
pub struct NotACard;

impl FromStr for NoCard {
    type Err = NotACard;

    fn from_str(_: &str) -> Result<NoCard, NotACard> {
        Err(NotACard)
    }
}

/// Empty list of cards to draw.
#[derive(Clone, Copy, Debug)]
pub struct NoOutcomes;

impl Iterator for NoOutcomes {
    type Item = (NoCard, u32);

    #[inline]
    fn next(&mut self) -> Option<(NoCard, u32)> {
        None
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        (0, Some(0))
    }
}

impl ExactSizeIterator for NoOutcomes {}
