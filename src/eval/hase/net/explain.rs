//! The net's evaluation of a position as text.

use super::Net;
use crate::eval::{CERTAIN, Evaluator, STRENGTH_UNIT, Vector, lead, shares, static_leads};
use crate::rules::hase::Position;
use crate::rules::{Game, MAX_SEATS, Seat, joined};

/// Number of best moves shown.
const MOVES: usize = 5;

impl Evaluator<Position> for Net {
    #[inline]
    fn strengths(&self, position: &Position) -> Vector {
        Net::strengths(self, position).map(|strength| (strength * STRENGTH_UNIT as f32) as i32)
    }

    /// A line for each seat: its share, its chance of finishing before each rival, in permille, and the turns that it
    /// would need home alone. Then the best moves, with the shares after each.
    fn explain(&self, position: &Position) -> Vec<String> {
        let strengths = Evaluator::strengths(self, position);
        let shares = shares(&static_leads(self, position)[..position.seats()]);
        let seats = || Seat::all(position.seats());
        let mut lines: Vec<String> = seats()
            .map(|seat| {
                if let Some(place) = position.place(seat) {
                    return format!("seat {seat}: place {place}");
                }
                let chances = seats()
                    .filter(|&rival| rival != seat && position.place(rival).is_none())
                    .map(|rival| {
                        let lead = lead(strengths[seat.index()] - strengths[rival.index()]);
                        let permille = (i64::from(lead) + i64::from(CERTAIN)) * 1000
                            / (2 * i64::from(CERTAIN));
                        format!("{rival} {permille}")
                    });
                let turns = position.turns_home(seat).unwrap_or_default();
                let share = shares[seat.index()];
                format!(
                    "seat {seat}: share {share}, before {}, turns home {turns}",
                    joined(chances, " ")
                )
            })
            .collect();
        lines.extend(best_moves(self, position));
        lines
    }
}

/// A line for each of the best moves, best first.
fn best_moves(net: &Net, position: &Position) -> Vec<String> {
    let Some(mover) = position.turn().mover() else {
        return Vec::new();
    };
    let mut moves: Vec<_> = position
        .legal_moves()
        .map(|mv| {
            let leads: [i32; MAX_SEATS] = static_leads(net, &position.play_unchecked(mv));
            (leads[mover.index()], mv, leads)
        })
        .collect();
    moves.sort_by_key(|&(lead, mv, _)| (std::cmp::Reverse(lead), mv));
    let spelled = moves.iter().take(MOVES).map(|(_, mv, leads)| {
        let shares = shares(&leads[..position.seats()]);
        format!("move {mv}: {}", joined(shares, " "))
    });
    spelled.collect()
}
