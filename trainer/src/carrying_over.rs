//! Starts training from a net for another board: rows of the same square and state are copied.

use buxtehude::eval::net::{LETTUCES, Looks, PART_ROWS, Weights};
use buxtehude::rules::hase::Ruleset;

/// Indices of the tables of parts that depend on the numbering of stands.
const BY_STAND: [usize; 2] = [0, 6];

/// Converts weights of any ruleset to weights for `ruleset`.
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
        // A stand that the other board does not have is treated as a hare that moves freely from the square.
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
