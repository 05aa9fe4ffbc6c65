//! Beginning with a net of another board: what it knows of a way of standing on a square is taken over.

use buxtehude::eval::net::{LETTUCES, Looks, PART_ROWS, Weights};
use buxtehude::rules::hase::Ruleset;

/// The tables of parts whose rows depend on the numbers of ways of standing.
const BY_STAND: [usize; 2] = [0, 6];

/// The weights for a ruleset, made of those of any.
pub fn carried_over(weights: &Weights, ruleset: &Ruleset) -> Weights {
    let mut carried = weights.clone();
    let from = crate::records::ruleset(&weights.variant);
    let Some(from) = from.ok().filter(|from| from.name != ruleset.name) else {
        return carried;
    };
    carried.variant = ruleset.name.into();
    let from = Looks::of(from);
    for (stand, at) in Looks::of(ruleset).stands().enumerate() {
        let known = from.stands().position(|other| other == at);
        // A way of standing that the other board has not: as if the hare stood there freely.
        let free = from.stands().position(|(square, _)| square == at.0);
        let Some(known) = known.or(free) else {
            continue;
        };
        for table in BY_STAND {
            let rows = PART_ROWS[table] / PART_ROWS[0] * LETTUCES;
            for row in 0..rows {
                carried.parts[table][stand * rows + row] = weights.parts[table][known * rows + row];
            }
        }
    }
    carried
}
