//! Elo differences and the scores that they let expect.

use std::f64::consts::LN_10;

/// Elo of a difference of strength of e to 1, twice: normalized Elo is in units of it.
/// Source: Michel Van den Bergh, "Normalized Elo", cantate.be/Fishtest/normalized_elo.pdf.
pub const NORMALIZED_ELO: f64 = 800.0 / LN_10;

/// An Elo difference and the bounds of its 95 % interval. What has no finite Elo, a score of 0 or 1, is
/// infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EloInterval {
    /// The difference.
    pub elo: f64,
    /// The lower bound.
    pub low: f64,
    /// The upper bound.
    pub high: f64,
}

impl EloInterval {
    /// Half the width of the interval, or `None` where it has no finite end.
    pub fn error(&self) -> Option<f64> {
        let error = (self.high - self.low) / 2.0;
        error.is_finite().then_some(error)
    }
}

/// The score, 0 to 1, that an Elo difference lets expect.
///
/// # Examples
/// ```
/// use arbiter::score::expected_score;
///
/// assert_eq!(expected_score(0.0), 0.5);
/// assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
/// ```
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The Elo difference that lets expect a score; infinite for 0 and 1, and for what is beyond.
pub fn elo(score: f64) -> f64 {
    match score {
        score if score <= 0.0 => f64::NEG_INFINITY,
        score if score >= 1.0 => f64::INFINITY,
        score => -400.0 * (1.0 / score - 1.0).log10(),
    }
}

/// The interval about a mean score, each end on the scale of `elo`.
pub(super) fn interval(mean: f64, half_width: f64, elo: impl Fn(f64) -> f64) -> EloInterval {
    EloInterval {
        elo: elo(mean),
        low: elo(mean - half_width),
        high: elo(mean + half_width),
    }
}
