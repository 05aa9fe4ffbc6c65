//! The end of a game: by the rules, by a fault of an engine, or by a verdict of the referee; and the places after it.

use buxtehude::rules::Seat;

use super::{Abandoned, number};
use crate::plan::rules::Position;
use crate::plan::rules::facts::places_at_end;
use crate::plan::{Adjudication, Resign};
use crate::play::clock::Wait;
use crate::play::engine::{AnswerError, Engine, StartError};
use crate::record::ending::Ending;
use crate::record::printable::{printable, shortened};
use crate::record::{Fault, TurnRecord};

/// Maximum number of characters of a reason in a record, because it may quote the engine.
const MAX_REASON_LENGTH: usize = 400;

#[derive(Clone, Debug, PartialEq)]
pub enum GameEnd {
    /// The game ended by the rules.
    Over,
    MaxPlies,
    /// The arbiter ended a two-seat game early, with a certain winner.
    Decided {
        /// Winning seat, from 0.
        winner: usize,
        /// Ending of both seats.
        ending: Ending,
    },
    Fault {
        /// Kind of fault.
        ending: Ending,
        fault: Fault,
    },
}

impl GameEnd {
    /// Ends a game by the fault of `engine`, and kills the engine.
    pub fn fault(seat: Seat, engine: &mut Engine, ending: Ending, reason: &str) -> GameEnd {
        engine.dismiss();
        let fault = Fault {
            seat: number(seat),
            reason: shortened(&printable(reason), MAX_REASON_LENGTH).into_owned(),
            stderr: engine.stderr_tail(),
            evidence: Some(engine.evidence()),
        };
        GameEnd::Fault { ending, fault }
    }

    /// Ends a game because an engine did not answer within a wait.
    ///
    /// # Errors
    /// [`Abandoned::Interrupted`] if the interrupt was set, which is not a fault.
    pub fn no_answer(
        seat: Seat,
        engine: &mut Engine,
        error: AnswerError,
        wait: &Wait,
    ) -> Result<GameEnd, Abandoned> {
        let reason = match error {
            AnswerError::Interrupted => return Err(Abandoned::Interrupted),
            AnswerError::Stalled => format!("it did not answer within {wait}"),
            error => error.to_string(),
        };
        let reason = reason + &engine.unfinished_answer(error);
        Ok(GameEnd::fault(seat, engine, ending_of(error), &reason))
    }

    pub fn not_started(seat: Seat, error: StartError) -> GameEnd {
        let (ending, reason, stderr, evidence) = match error {
            StartError::NoAnswer { error, reason, stderr, evidence, .. } => {
                (ending_of(error), reason, stderr, Some(*evidence))
            }
            error => (Ending::Crash, error.to_string(), Vec::new(), None),
        };
        let fault = Fault {
            seat: number(seat),
            reason: format!("it could not be started: {reason}"),
            stderr,
            evidence,
        };
        GameEnd::Fault { ending, fault }
    }
}

fn ending_of(error: AnswerError) -> Ending {
    match error {
        AnswerError::Stalled => Ending::Stall,
        AnswerError::Disconnected => Ending::Disconnect,
        AnswerError::Ended(_) | AnswerError::Interrupted => Ending::Crash,
    }
}

/// Decides a game of two seats early, if the rules have solved `position`, or both engines agreed on the winner in each
/// of their last `turns`.
pub fn verdict(rule: Adjudication, position: &Position, turns: &[TurnRecord]) -> Option<GameEnd> {
    if rule.solved
        && let Some(outcome) = position.solved()
    {
        let winner = outcome.winner.index();
        return Some(GameEnd::Decided { winner, ending: Ending::Solved });
    }
    let resign = rule.resign?;
    let winner = named_winner(resign, turns.last()?)?;
    let agrees = |seat| {
        let own = turns.iter().rev().filter(|turn| turn.seat == seat);
        let mut winners = own.map(|turn| named_winner(resign, turn));
        (0..resign.moves).all(|_| winners.next() == Some(Some(winner)))
    };
    let is_agreed = agrees(1) && agrees(2);
    is_agreed.then_some(GameEnd::Decided { winner, ending: Ending::Agreed })
}

/// Returns the winner by the estimate of a turn, if one of two seats has a large enough share.
fn named_winner(resign: Resign, turn: &TurnRecord) -> Option<usize> {
    let [_, _] = turn.estimate[..] else {
        return None;
    };
    turn.estimate.iter().position(|&share| share >= resign.permille)
}

/// Returns the places and endings of all seats, given their engines, and the place of each seat that the rules have
/// placed.
pub fn places_and_endings(
    engines: &[&str],
    decided: &[Option<usize>],
    end: &GameEnd,
) -> (Vec<u32>, Vec<Ending>) {
    let offender = match end {
        GameEnd::Fault { fault, .. } => Some(fault.seat as usize - 1),
        _ => None,
    };
    let places = places_at_end(engines, decided, offender);
    let of_seat = |(seat, place): (usize, usize)| match (decided[seat], end) {
        (Some(_), _) => (place, Ending::by_rules(place, decided.len())),
        (None, GameEnd::Fault { ending, .. }) if Some(seat) == offender => (place, *ending),
        (None, GameEnd::Decided { winner, ending }) => (1 + usize::from(seat != *winner), *ending),
        (None, GameEnd::MaxPlies) => (place, Ending::MaxPlies),
        (None, GameEnd::Fault { .. } | GameEnd::Over) => (place, Ending::Ended),
    };
    // There are at most six places.
    let narrow = |(place, ending)| (place as u32, ending);
    places.into_iter().enumerate().map(of_seat).map(narrow).unzip()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::{points, points_of_a_game};
    use buxtehude::rules::VARIANTS;
    use std::cmp::Ordering;

    #[test]
    fn the_offender_is_last_behind_its_copies_and_the_rest_share() {
        use Ending::{Crash, Ended, Finish, Last, MaxPlies, Solved};
        let fault =
            |seat| GameEnd::Fault { ending: Crash, fault: Fault { seat, ..Fault::default() } };
        let decided = GameEnd::Decided { winner: 1, ending: Solved };
        for (engines, places, end, expected, endings) in [
            (
                "abc",
                &[Some(2), Some(3), Some(1)][..],
                GameEnd::Over,
                &[2, 3, 1][..],
                &[Finish, Last, Finish][..],
            ),
            ("ab", &[None, None], fault(1), &[2, 1], &[Crash, Ended]),
            ("aa", &[None, None], fault(1), &[2, 1], &[Crash, Ended]),
            ("aba", &[None, None, None], fault(1), &[3, 1, 2], &[Crash, Ended, Ended]),
            (
                "abaab",
                &[None, None, Some(1), None, None],
                fault(4),
                &[4, 2, 1, 5, 2],
                &[Ended, Ended, Finish, Crash, Ended],
            ),
            ("abc", &[None, None, None], fault(3), &[1, 1, 3], &[Ended, Ended, Crash]),
            (
                "abcd",
                &[None, Some(1), None, None],
                fault(4),
                &[2, 1, 2, 4],
                &[Ended, Finish, Ended, Crash],
            ),
            (
                "abcd",
                &[None, Some(4), None, None],
                fault(4),
                &[1, 4, 1, 3],
                &[Ended, Last, Ended, Crash],
            ),
            ("ab", &[None, None], decided, &[2, 1], &[Solved, Solved]),
            (
                "abc",
                &[None, Some(1), None],
                GameEnd::MaxPlies,
                &[2, 1, 2],
                &[MaxPlies, Finish, MaxPlies],
            ),
        ] {
            let engines: Vec<&str> = engines.split("").filter(|name| !name.is_empty()).collect();
            let found = places_and_endings(&engines, places, &end);
            assert_eq!(found, (expected.to_vec(), endings.to_vec()), "{end:?}");
        }
    }

    /// All orders of the seats.
    fn rankings(seats: usize) -> Vec<Vec<usize>> {
        if seats == 0 {
            return vec![Vec::new()];
        }
        let shorter = rankings(seats - 1);
        let longer = shorter.iter().flat_map(|ranking| {
            (0..seats).map(|at| {
                let mut ranking = ranking.clone();
                ranking.insert(at, seats - 1);
                ranking
            })
        });
        longer.collect()
    }

    /// Points of an engine's seats, and its comparisons won against each seat of other engines.
    fn gain(places: &[u32], copies: &[bool]) -> (f64, Vec<f64>) {
        let all = points(places);
        let of_copies = || (0..copies.len()).filter(|&seat| copies[seat]);
        let against = |rival: usize| -> f64 {
            let halves = |seat: usize| match places[seat].cmp(&places[rival]) {
                Ordering::Less => 1.0,
                Ordering::Equal => 0.5,
                Ordering::Greater => 0.0,
            };
            of_copies().map(halves).sum()
        };
        let rivals = (0..copies.len()).filter(|&seat| !copies[seat]);
        (of_copies().map(|seat| all[seat]).sum(), rivals.map(against).collect())
    }

    #[test]
    fn no_failure_pays() {
        for seats in 2..=6 {
            // Every set of copies of one engine, every final order, every moment of it, and every copy that fails.
            for set in 1..1_u32 << seats {
                let copies: Vec<bool> = (0..seats).map(|seat| set >> seat & 1 == 1).collect();
                let engine = |&is_copy: &bool| if is_copy { "a" } else { "b" };
                let engines: Vec<&str> = copies.iter().map(engine).collect();
                for ranking in rankings(seats) {
                    let mut last = vec![0; seats];
                    for (place, &seat) in ranking.iter().enumerate() {
                        last[seat] = place as u32 + 1;
                    }
                    let without = gain(&last, &copies);
                    for finished in 0..=seats - 2 {
                        let place =
                            |&place: &u32| Some(place as usize).filter(|it| *it <= finished);
                        let decided: Vec<Option<usize>> = last.iter().map(place).collect();
                        let open = ranking[finished..].iter().filter(|&&seat| copies[seat]);
                        for &seat in open {
                            let fault = Fault { seat: seat as u32 + 1, ..Fault::default() };
                            let ending = Ending::Crash;
                            let end = GameEnd::Fault { ending, fault };
                            let (places, _) = places_and_endings(&engines, &decided, &end);
                            let with = gain(&places, &copies);
                            let rivals = with.1.iter().zip(&without.1);
                            assert!(
                                with.0 <= without.0 && rivals.into_iter().all(|(a, b)| a <= b),
                                "{engines:?}: {places:?} instead of {last:?}"
                            );
                            assert_eq!(
                                points(&places).iter().sum::<f64>(),
                                points_of_a_game(seats)
                            );
                        }
                    }
                }
            }
        }
    }

    /// Whether a game is decided after each of its turns, given their seats and estimates.
    fn agreed(heard: &[(u32, &[u16])]) -> Vec<bool> {
        let rule = Adjudication { resign: Some(Resign { moves: 2, permille: 900 }), solved: false };
        let position = VARIANTS[0].start(2).unwrap().into();
        let turn = |&(seat, estimate): &(u32, &[u16])| TurnRecord {
            seat,
            estimate: estimate.to_vec(),
            ..TurnRecord::default()
        };
        let turns: Vec<TurnRecord> = heard.iter().map(turn).collect();
        let decided = |played| verdict(rule, &position, &turns[..played]).is_some();
        (1..=turns.len()).map(decided).collect()
    }

    #[test]
    fn both_have_to_agree_long_enough() {
        let sure = &[900, 100][..];
        let game = [(1, sure), (2, sure), (1, sure), (2, sure)];
        assert_eq!(agreed(&game), [false, false, false, true]);
        // A turn without an estimate, without a winner, or with another one restarts the count.
        for doubt in [&[][..], &[899, 101], &[50, 950]] {
            let game =
                [(1, sure), (2, sure), (1, doubt), (2, sure), (1, sure), (2, sure), (1, sure)];
            assert_eq!(
                agreed(&game),
                [false, false, false, false, false, false, true],
                "{doubt:?}"
            );
        }
        let other = &[50, 950][..];
        let each_its_own = [(1, sure), (2, other), (1, sure), (2, other)];
        assert_eq!(agreed(&each_its_own), [false; 4]);
    }
}
