//! Places and endings of all seats.

use crate::plan::rules::facts::free_places;
use crate::record::Fault;
use crate::record::ending::Ending;

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

/// Returns the places and endings of all seats, given their engines.
///
/// `decided` contains the place, from 1, of each seat that the rules have placed; these keep their places. An offender
/// takes the last place that is left, and the other seats of its engine share the places before it, so that no copy
/// gains by the failure of another. All others share the best remaining place.
pub fn places_and_endings(
    engines: &[&str],
    decided: &[Option<usize>],
    end: &GameEnd,
) -> (Vec<u32>, Vec<Ending>) {
    let seats = decided.len();
    let free = free_places(decided);
    // A seat without a place takes one of these, so there is one wherever it counts.
    let free_at = |index: usize| free.get(index).copied().unwrap_or(seats);
    let shared = free_at(0);
    let offender = match end {
        GameEnd::Fault { fault, .. } => Some(fault.seat as usize - 1),
        _ => None,
    };
    let is_copy = |seat: usize| offender.is_some_and(|offender| engines[seat] == engines[offender]);
    let copies = (0..seats).filter(|&seat| decided[seat].is_none() && is_copy(seat));
    let of_copies = free_at(free.len().saturating_sub(copies.count()));
    let of_seat = |(seat, place): (usize, &Option<usize>)| match (place, end) {
        (Some(place), _) => (*place, Ending::by_rules(*place, seats)),
        (None, GameEnd::Fault { ending, .. }) if Some(seat) == offender => {
            (free_at(free.len().saturating_sub(1)), *ending)
        }
        (None, GameEnd::Decided { winner, ending }) => (1 + usize::from(seat != *winner), *ending),
        (None, GameEnd::MaxPlies) => (shared, Ending::MaxPlies),
        (None, _) if is_copy(seat) => (of_copies, Ending::Ended),
        (None, GameEnd::Fault { .. } | GameEnd::Over) => (shared, Ending::Ended),
    };
    // There are at most six places.
    decided.iter().enumerate().map(of_seat).map(|(place, ending)| (place as u32, ending)).unzip()
}

#[cfg(test)]
mod tests {
    use std::cmp::Ordering;

    use super::*;
    use crate::score::{points, points_of_a_game};

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
}
