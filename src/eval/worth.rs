//! What positions are worth in the models of the articles, and how that becomes leads.
//!
//! Of two seats the one with the larger worth is the more likely to come in first of the two: a lead is a logistic
//! function of the difference.

use super::{CERTAIN, Vector, exp};
use crate::rules::MAX_SEATS;

/// Worth of a decided place, for itself and for each place behind it: two worths that differ by at least this much are
/// in a decided order.
pub const DECIDED_WORTH: i32 = 20_000_000;

/// Differences of worth are looked up in steps of this many hundredths.
const WORTH_STEP: i32 = 32;

/// The difference of worth, in hundredths, at which the odds are e to 1.
pub const WORTH_UNIT: i32 = 2500;

/// Each seat's summed lead over all others, from what a position is worth to each of `seats` seats.
#[inline]
pub fn leads(worth: &Vector, seats: usize) -> Vector {
    let mut leads = [0; MAX_SEATS];
    if seats == 2 {
        // One pair needs no loops: a tenth faster.
        leads[0] = lead(worth[0] - worth[1]);
        leads[1] = -leads[0];
        return leads;
    }
    for first in 0..seats {
        for second in first + 1..seats {
            let lead = lead(worth[first] - worth[second]);
            leads[first] += lead;
            leads[second] -= lead;
        }
    }
    leads
}

/// The lead that a difference of worth gives: U x tanh(difference / (2 x scale)), which is the logistic
/// chance to come in first of two, spread from 0..1 to -U..U.
#[inline]
fn lead(difference: i32) -> i32 {
    // Division rounds towards zero, so that what one seat leads by is what the other is behind.
    let step = difference / WORTH_STEP;
    if let Some(&lead) = LEADS.get((step + FURTHEST_STEP) as usize) {
        return lead;
    }
    let most = if difference.abs() >= DECIDED_WORTH / 2 {
        CERTAIN
    } else {
        LEADS[LEADS.len() - 1]
    };
    difference.signum() * most
}

/// The differences of worth that are told apart: this many steps either way.
const FURTHEST_STEP: i32 = 511;

/// Entry FURTHEST_STEP + n is the lead for n steps. Both signs have entries, for which of two seats leads is
/// hard to predict: a branch would take more time than the table.
const LEADS: [i32; 2 * FURTHEST_STEP as usize + 1] = {
    let mut table = [0; 2 * FURTHEST_STEP as usize + 1];
    let mut step = 0;
    // e to the power of -difference / scale, from one step to the next.
    let factor = exp(-(WORTH_STEP as f64) / WORTH_UNIT as f64);
    let mut odds = 1.0;
    while step <= FURTHEST_STEP as usize {
        let lead = (CERTAIN as f64 * (1.0 - odds) / (1.0 + odds)) as i32;
        table[FURTHEST_STEP as usize + step] = lead;
        table[FURTHEST_STEP as usize - step] = -lead;
        odds *= factor;
        step += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leads_grow_and_never_reach_certainty() {
        for step in 1..LEADS.len() {
            assert!(LEADS[step] > LEADS[step - 1], "at {step}");
        }
        assert!(LEADS[LEADS.len() - 1] < CERTAIN);
        assert_eq!(lead(-5000), -lead(5000));
        assert_eq!(lead(DECIDED_WORTH - 900_000), CERTAIN);
        let one_scale = f64::from(lead(WORTH_UNIT)) / f64::from(CERTAIN);
        assert!((one_scale - 0.5f64.tanh()).abs() < 0.01, "{one_scale}");
    }
}
