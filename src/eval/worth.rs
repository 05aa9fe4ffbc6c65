//! Conversion of the worth of a position in the articles' models to leads.
//!
//! The seat with the larger worth is more likely to finish first: a lead is a logistic function of the difference.

use super::{CERTAIN, Vector, exp};
use crate::rules::MAX_SEATS;

/// Worth of a decided place, for itself and for each place behind it. If two worths differ by at least half of this,
/// the order of their seats is decided.
pub const DECIDED_WORTH: i32 = 20_000_000;

/// Step of the table of leads, in hundredths of worth.
const WORTH_STEP: i32 = 32;

/// Difference of worth, in hundredths, at which the odds are e to 1.
pub const WORTH_UNIT: i32 = 2500;

/// Summed lead of each of `seats` seats over all others, from the worth of each seat.
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

/// Lead for a difference of worth: U x tanh(difference / (2 x scale)), which is the logistic chance of finishing first
/// of two, scaled from 0..1 to -U..U.
#[inline]
fn lead(difference: i32) -> i32 {
    // Division rounds towards zero, so that the two seats' leads are exactly opposite.
    let step = difference / WORTH_STEP;
    if let Some(&lead) = LEADS.get((step + FURTHEST_STEP) as usize) {
        return lead;
    }
    let most = if difference.abs() >= DECIDED_WORTH / 2 { CERTAIN } else { LEADS[LEADS.len() - 1] };
    difference.signum() * most
}

/// Size of the table of leads: this many steps either way.
const FURTHEST_STEP: i32 = 511;

/// Entry FURTHEST_STEP + n is the lead for n steps. Both signs have entries, since a branch on the sign is hard to
/// predict and would take longer than the lookup.
const LEADS: [i32; 2 * FURTHEST_STEP as usize + 1] = {
    let mut table = [0; 2 * FURTHEST_STEP as usize + 1];
    let mut step = 0;
    // e to the power of -WORTH_STEP / scale: the ratio of the odds of adjacent steps.
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
