//! Number of turns that a lone hare needs to finish: an exact table, computed backwards from the finish.
//!
//! The lone hare avoids hare squares, is paid nothing on number squares, eats its lettuces in first place and finishes
//! with at most ten carrots. A real race also has cards and other hares. But the holdings that are too large, and the
//! way back to spend them, are much the same.

use super::cost;
use super::position::KEPT_BY_FIRST;
use super::ruleset::Ruleset;
use super::track::{FINISH, Square};

/// Largest holding in the table.
const MOST_CARROTS: usize = 399;

/// Approximate number of carrots that a hare with too many can spend in a turn.
const CARROTS_SPENT_A_TURN: usize = 50;

/// Carrots for a square back, on a carrot square, and for a lettuce eaten in first place.
const TEN: usize = 10;

/// Turns to the finish by lettuces in hand, square and carrots.
#[derive(Debug)]
pub struct TurnsHome {
    turns: Vec<u8>,
}

/// A lone hare that is to move and does not miss its turn.
#[derive(Clone, Copy, Debug)]
struct LoneHare {
    lettuces: usize,
    square: usize,
    carrots: usize,
}

impl TurnsHome {
    /// Marks a hare whose number of turns is unknown.
    pub const UNKNOWN: u8 = u8::MAX;

    /// Number of turns that a hare needs, at least 1 before the finish. Each fifty carrots beyond the table count as
    /// one more turn.
    #[inline]
    pub fn turns(&self, lettuces: u8, square: u8, carrots: u16) -> u8 {
        let beyond = usize::from(carrots).saturating_sub(MOST_CARROTS);
        let hare = LoneHare {
            lettuces: lettuces.into(),
            square: square.into(),
            carrots: usize::from(carrots).min(MOST_CARROTS),
        };
        let more = (beyond / CARROTS_SPENT_A_TURN).min(100) as u8;
        self.turns[hare.index()].saturating_add(more)
    }

    /// Computes the table of a ruleset.
    pub(super) fn of(ruleset: &Ruleset) -> TurnsHome {
        let most = LoneHare {
            lettuces: ruleset.lettuces.into(),
            square: FINISH.into(),
            carrots: MOST_CARROTS,
        };
        let mut turns = vec![TurnsHome::UNKNOWN; most.index() + 1];
        let finished = |carrots| LoneHare {
            lettuces: 0,
            square: FINISH.into(),
            carrots,
        };
        // Hares that need `count` turns, one more, and two more.
        let mut now: Vec<LoneHare> = (0..=usize::from(KEPT_BY_FIRST)).map(finished).collect();
        let mut next = Vec::new();
        let mut later = Vec::new();
        for count in 0..TurnsHome::UNKNOWN {
            for hare in std::mem::take(&mut now) {
                if turns[hare.index()] != TurnsHome::UNKNOWN {
                    continue;
                }
                turns[hare.index()] = count;
                hare.for_each_before(ruleset, |before, takes_two_turns| {
                    if turns[before.index()] == TurnsHome::UNKNOWN {
                        let list = if takes_two_turns {
                            &mut later
                        } else {
                            &mut next
                        };
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
        (self.lettuces * squares + self.square) * (MOST_CARROTS + 1) + self.carrots
    }

    /// Calls `visit` with each hare that one move turns into this one, and with whether that takes two turns, as on a
    /// lettuce square, where the next turn is for eating.
    fn for_each_before(self, ruleset: &Ruleset, mut visit: impl FnMut(LoneHare, bool)) {
        let LoneHare {
            lettuces,
            square,
            carrots,
        } = self;
        let kind = ruleset.track.square(square as u8);
        if kind == Square::Hedgehog {
            for from in square + 1..usize::from(FINISH) {
                let gained = TEN * (from - square);
                let is_nearest = usize::from(ruleset.track.hedgehog_behind[from]) == square;
                if is_nearest && carrots >= gained {
                    visit(
                        LoneHare {
                            square: from,
                            carrots: carrots - gained,
                            ..self
                        },
                        false,
                    );
                }
            }
            return;
        }
        if kind == Square::Carrot {
            if carrots >= TEN {
                visit(
                    LoneHare {
                        carrots: carrots - TEN,
                        ..self
                    },
                    false,
                );
            }
            if carrots + TEN <= MOST_CARROTS {
                visit(
                    LoneHare {
                        carrots: carrots + TEN,
                        ..self
                    },
                    false,
                );
            }
        }
        let eats = kind == Square::Lettuce;
        let lettuces = lettuces + usize::from(eats);
        if kind == Square::Hare || lettuces > ruleset.lettuces.into() {
            return;
        }
        let Some(carrots) = carrots.checked_sub(if eats { TEN } else { 0 }) else {
            return;
        };
        for steps in 1..=square {
            let carrots = carrots + usize::from(cost(steps as u16));
            if carrots > MOST_CARROTS {
                return;
            }
            visit(
                LoneHare {
                    lettuces,
                    square: square - steps,
                    carrots,
                },
                eats,
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};

    /// One turn more than the best hare that a move leads to, or two on a lettuce square.
    fn by_looking_ahead(ruleset: &Ruleset, lettuces: usize, square: usize, carrots: usize) -> u32 {
        let turns = |lettuces: usize, square: usize, carrots: usize| {
            let home = ruleset
                .turns_home
                .turns(lettuces as u8, square as u8, carrots as u16);
            if home == TurnsHome::UNKNOWN {
                10_000
            } else {
                u32::from(home)
            }
        };
        let mut best = 10_000;
        for target in square + 1..=64 {
            let price = usize::from(cost((target - square) as u16));
            if price > carrots {
                break;
            }
            let left = carrots - price;
            let then = match ruleset.track.square(target as u8) {
                Square::Hare | Square::Hedgehog => continue,
                Square::Lettuce if lettuces == 0 => continue,
                Square::Finish if lettuces > 0 || left > usize::from(KEPT_BY_FIRST) => continue,
                Square::Lettuce if left + TEN > MOST_CARROTS => continue,
                Square::Lettuce => 1 + turns(lettuces - 1, target, left + TEN),
                Square::Finish => 0,
                _ => turns(lettuces, target, left),
            };
            best = best.min(1 + then);
        }
        let behind = (1..square).rev();
        let mut hedgehogs = behind.filter(|&at| ruleset.track.square(at as u8) == Square::Hedgehog);
        if let Some(at) = hedgehogs.next()
            && carrots + TEN * (square - at) <= MOST_CARROTS
        {
            best = best.min(1 + turns(lettuces, at, carrots + TEN * (square - at)));
        }
        if ruleset.track.square(square as u8) == Square::Carrot {
            if carrots + TEN <= MOST_CARROTS {
                best = best.min(1 + turns(lettuces, square, carrots + TEN));
            }
            if carrots >= TEN {
                best = best.min(1 + turns(lettuces, square, carrots - TEN));
            }
        }
        best
    }

    #[test]
    fn every_entry_is_what_looking_ahead_finds() {
        for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
            for lettuces in 0..=3 {
                for square in 0..64 {
                    for carrots in 0..=MOST_CARROTS {
                        let found = ruleset.turns_home.turns(lettuces, square, carrots as u16);
                        let found = if found == TurnsHome::UNKNOWN {
                            10_000
                        } else {
                            found.into()
                        };
                        let expected =
                            by_looking_ahead(ruleset, lettuces.into(), square.into(), carrots);
                        assert_eq!(found, expected, "{lettuces} {square} {carrots}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_hare_with_the_right_holding_is_home_in_one_turn() {
        for (square, carrots) in [(63, 1), (63, 11), (61, 16), (43, 231), (43, 241)] {
            assert_eq!(
                HASE_UND_IGEL.turns_home.turns(0, square, carrots),
                1,
                "{square} {carrots}"
            );
        }
        assert_eq!(HASE_UND_IGEL.turns_home.turns(0, 64, 3), 0);
        assert!(HASE_UND_IGEL.turns_home.turns(0, 43, 242) > 1);
    }
}
