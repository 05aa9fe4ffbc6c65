//! Number of turns that a lone hare needs to finish: an exact table, computed backwards from the finish.
//!
//! The lone hare avoids hare squares, is paid nothing on number squares, eats its lettuces in first place and finishes
//! with at most ten carrots. A real race also has cards and other hares. But the holdings that are too large, and the
//! way back to spend them, are much the same.

use super::track::{FINISH, KEPT_BY_FIRST, Square, TEN_CARROTS, Track, cost};

/// Largest holding in the table.
const MAX_CARROTS: u16 = 399;

/// Approximate number of carrots that a hare with too many can spend in a turn.
const CARROTS_SPENT_A_TURN: u16 = 50;

/// Turns to the finish by lettuces in hand, square and carrots.
#[derive(Debug)]
pub struct TurnsHome {
    turns: Vec<u8>,
}

/// A lone hare that is to move and does not miss its turn; small, since computing the table lists all of them.
#[derive(Clone, Copy, Debug)]
struct LoneHare {
    lettuces: u8,
    square: u8,
    carrots: u16,
}

impl TurnsHome {
    /// Marks a hare whose number of turns is unknown.
    pub const UNKNOWN: u8 = u8::MAX;

    /// Number of turns that a hare needs, at least 1 before the finish. Each fifty carrots beyond the table count as
    /// one more turn.
    #[inline]
    pub fn turns(&self, lettuces: u8, square: u8, carrots: u16) -> u8 {
        let beyond = carrots.saturating_sub(MAX_CARROTS);
        let hare = LoneHare { lettuces, square, carrots: carrots.min(MAX_CARROTS) };
        let more = (beyond / CARROTS_SPENT_A_TURN).min(100) as u8;
        self.turns[hare.index()].saturating_add(more)
    }

    /// Computes the table of a track for hares with up to `lettuces` lettuces.
    pub(super) fn of(track: &Track, lettuces: u8) -> TurnsHome {
        let at_finish = |lettuces, carrots| LoneHare { lettuces, square: FINISH, carrots };
        let most = at_finish(lettuces, MAX_CARROTS);
        let mut turns = vec![TurnsHome::UNKNOWN; most.index() + 1];
        // Hares that need `count` turns, one more, and two more.
        let mut now: Vec<LoneHare> =
            (0..=KEPT_BY_FIRST).map(|carrots| at_finish(0, carrots)).collect();
        let mut next = Vec::new();
        let mut later = Vec::new();
        for count in 0..TurnsHome::UNKNOWN {
            for hare in std::mem::take(&mut now) {
                if turns[hare.index()] != TurnsHome::UNKNOWN {
                    continue;
                }
                turns[hare.index()] = count;
                hare.for_each_before(track, |before, takes_two_turns| {
                    if before.lettuces <= most.lettuces
                        && turns[before.index()] == TurnsHome::UNKNOWN
                    {
                        let list = if takes_two_turns { &mut later } else { &mut next };
                        list.push(before);
                    }
                });
            }
            now = std::mem::replace(&mut next, std::mem::take(&mut later));
        }
        TurnsHome { turns }
    }
}

impl LoneHare {
    fn index(self) -> usize {
        let squares = usize::from(FINISH) + 1;
        let row = usize::from(self.lettuces) * squares + usize::from(self.square);
        row * (usize::from(MAX_CARROTS) + 1) + usize::from(self.carrots)
    }

    /// Calls `visit` with each hare that one move turns into this one, and with whether that takes two turns, as on a
    /// lettuce square, where the next turn is for eating.
    fn for_each_before(self, track: &Track, mut visit: impl FnMut(LoneHare, bool)) {
        let LoneHare { square, carrots, .. } = self;
        let kind = track.square(square);
        if kind == Square::Hedgehog {
            for from in square + 1..FINISH {
                let is_nearest = track.hedgehog_behind[usize::from(from)] == square;
                if let Some(carrots) = carrots.checked_sub(TEN_CARROTS * u16::from(from - square))
                    && is_nearest
                {
                    let before = LoneHare { square: from, carrots, ..self };
                    visit(before, false);
                }
            }
            return;
        }
        if kind == Square::Carrot {
            if let Some(carrots) = carrots.checked_sub(TEN_CARROTS) {
                visit(LoneHare { carrots, ..self }, false);
            }
            let carrots = carrots + TEN_CARROTS;
            if carrots <= MAX_CARROTS {
                visit(LoneHare { carrots, ..self }, false);
            }
        }
        let eats = kind == Square::Lettuce;
        let eaten = u8::from(eats);
        let Some(carrots) = carrots.checked_sub(TEN_CARROTS * u16::from(eaten)) else {
            return;
        };
        if kind == Square::Hare {
            return;
        }
        for steps in 1..=square {
            let before = LoneHare {
                lettuces: self.lettuces + eaten,
                square: square - steps,
                carrots: carrots + cost(u16::from(steps)),
            };
            if before.carrots > MAX_CARROTS {
                return;
            }
            visit(before, eats);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL, Ruleset};

    fn from_table(ruleset: &Ruleset, lettuces: u8, square: u8, carrots: u16) -> u32 {
        match ruleset.turns_home.turns(lettuces, square, carrots) {
            TurnsHome::UNKNOWN => 10_000,
            turns => turns.into(),
        }
    }

    /// One turn more than the best hare that a move leads to, or two on a lettuce square.
    fn by_looking_ahead(ruleset: &Ruleset, lettuces: u8, square: u8, carrots: u16) -> u32 {
        let turns = |lettuces, square, carrots| from_table(ruleset, lettuces, square, carrots);
        let mut best = 10_000;
        for target in square + 1..=64 {
            let price = cost(u16::from(target - square));
            if price > carrots {
                break;
            }
            let left = carrots - price;
            let then = match ruleset.track.square(target) {
                Square::Hare | Square::Hedgehog => continue,
                Square::Lettuce if lettuces == 0 => continue,
                Square::Finish if lettuces > 0 || left > KEPT_BY_FIRST => continue,
                Square::Lettuce if left + TEN_CARROTS > MAX_CARROTS => continue,
                Square::Lettuce => 1 + turns(lettuces - 1, target, left + TEN_CARROTS),
                Square::Finish => 0,
                _ => turns(lettuces, target, left),
            };
            best = best.min(1 + then);
        }
        let behind = (1..square).rev();
        let mut hedgehogs = behind.filter(|&at| ruleset.track.square(at) == Square::Hedgehog);
        if let Some(at) = hedgehogs.next()
            && carrots + TEN_CARROTS * u16::from(square - at) <= MAX_CARROTS
        {
            let carrots = carrots + TEN_CARROTS * u16::from(square - at);
            best = best.min(1 + turns(lettuces, at, carrots));
        }
        if ruleset.track.square(square) == Square::Carrot {
            if carrots + TEN_CARROTS <= MAX_CARROTS {
                best = best.min(1 + turns(lettuces, square, carrots + TEN_CARROTS));
            }
            if carrots >= TEN_CARROTS {
                best = best.min(1 + turns(lettuces, square, carrots - TEN_CARROTS));
            }
        }
        best
    }

    #[test]
    fn every_entry_is_what_looking_ahead_finds() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            for lettuces in 0..=3 {
                for square in 0..64 {
                    for carrots in 0..=MAX_CARROTS {
                        let found = from_table(ruleset, lettuces, square, carrots);
                        let expected = by_looking_ahead(ruleset, lettuces, square, carrots);
                        assert_eq!(found, expected, "{lettuces} {square} {carrots}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_hare_with_the_right_holding_is_home_in_one_turn() {
        for (square, carrots) in [(63, 1), (63, 11), (61, 16), (43, 231), (43, 241)] {
            assert_eq!(HASE_UND_IGEL.turns_home.turns(0, square, carrots), 1, "{square} {carrots}");
        }
        assert_eq!(HASE_UND_IGEL.turns_home.turns(0, 64, 3), 0);
        assert!(HASE_UND_IGEL.turns_home.turns(0, 43, 242) > 1);
    }
}
