//! Conversions between Elo differences and expected scores.

use std::f64::consts::LN_10;

/// Elo of odds of e to 1.
pub(super) const ELO: f64 = 400.0 / LN_10;

/// Elo per unit of normalized Elo: twice the Elo of odds of e to 1.
/// Source: Michel Van den Bergh, "Normalized Elo", cantate.be/Fishtest/normalized_elo.pdf.
pub(super) const NORMALIZED_ELO: f64 = 2.0 * ELO;

/// Returns the expected score, 0 to 1, for an Elo difference.
///
/// # Examples
/// ```
/// use matches::score::expected_score;
///
/// assert_eq!(expected_score(0.0), 0.5);
/// assert!((expected_score(400.0) - 10.0 / 11.0).abs() < 1e-12);
/// ```
pub fn expected_score(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// Returns the Elo difference for an expected score; infinite unless the score is between 0 and 1.
pub fn elo(score: f64) -> f64 {
    match score {
        score if score <= 0.0 => f64::NEG_INFINITY,
        score if score >= 1.0 => f64::INFINITY,
        score => -400.0 * (1.0 / score - 1.0).log10(),
    }
}
