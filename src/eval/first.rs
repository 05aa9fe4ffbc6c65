//! A seat's chance of first place.

use super::{CERTAIN, Evaluator, Vector, lead};
use crate::rules::{Game, MAX_SEATS, Seat};

/// Chance of `seat` to finish first, from 0 to 1, according to the evaluator; 1 or 0 once first place is taken. A card
/// may be due.
///
/// If differences of strengths are logarithms of odds, the chance of a seat to be first of many is proportional to e to
/// the power of its strength.
///
/// Source: R. Plackett, "The analysis of permutations" (1975); R. D. Luce, "Individual choice behavior" (1959).
pub fn first_chance<G: Game, E: Evaluator<G>>(evaluator: &E, position: &G, seat: Seat) -> f32 {
    let mut racing = [false; MAX_SEATS];
    for rival in (0..position.seats() as u8).map(Seat) {
        match position.place(rival) {
            Some(1) => return f32::from(u8::from(rival == seat)),
            // In last place while first place is open: no longer a rival.
            Some(_) => (),
            None => racing[rival.index()] = true,
        }
    }
    if !racing[seat.index()] {
        return 0.0;
    }
    chance_among(&evaluator.strengths(position), &racing, seat)
}

fn chance_among(strengths: &Vector, racing: &[bool; MAX_SEATS], seat: Seat) -> f32 {
    let entrants = strengths.iter().zip(racing).filter(|(_, racing)| **racing);
    let strongest = entrants.clone().map(|(&strength, _)| strength).max();
    let strongest = strongest.unwrap_or_default();
    let whole: f32 = entrants
        .map(|(&strength, _)| odds(strongest - strength))
        .sum();
    odds(strongest - strengths[seat.index()]) / whole
}

/// Odds against a seat that is stronger by `difference`: e to the power of -`difference`, from the table of leads.
fn odds(difference: i32) -> f32 {
    let lead = lead(difference);
    (CERTAIN - lead) as f32 / (CERTAIN + lead) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::STRENGTH_UNIT;

    #[test]
    fn chances_are_a_softmax_of_strengths() {
        let units = [0.5, -1.0, 2.0, 0.0, 3.0, 1.0];
        let strengths = units.map(|unit| (unit * f64::from(STRENGTH_UNIT)) as i32);
        let racing = [true, true, true, true, false, false];
        let whole: f64 = units[..4].iter().map(|unit: &f64| unit.exp()).sum();
        let mut sum = 0.0;
        for seat in 0..4 {
            let chance = chance_among(&strengths, &racing, Seat(seat));
            let exact = units[usize::from(seat)].exp() / whole;
            assert!((f64::from(chance) - exact).abs() < 1e-3, "{chance} {exact}");
            sum += chance;
        }
        assert!((sum - 1.0).abs() < 1e-5, "{sum}");
    }
}
