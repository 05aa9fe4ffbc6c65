//! Places and endings of all seats.

use crate::record::Fault;
use crate::record::ending::Ending;

/// End of a game.
#[derive(Clone, Debug, PartialEq)]
pub enum GameEnd {
    /// The game ended by the rules.
    Over,
    /// The maximum number of plies was reached.
    MaxPlies,
    /// The arbiter ended a two-seat game early, with a certain winner.
    Decided {
        /// Winning seat, from 0.
        winner: usize,
        /// Ending of both seats.
        ending: Ending,
    },
    /// A seat committed a fault.
    Fault {
        /// Kind of fault.
        ending: Ending,
        /// The fault with its offender.
        fault: Fault,
    },
}

/// Returns the places and endings of all seats.
///
/// `decided` contains the place, from 1, of each seat that the rules have placed; these keep their places. An offender
/// takes the last place. All others share the best remaining place.
pub fn places_and_endings(decided: &[Option<usize>], end: &GameEnd) -> (Vec<u32>, Vec<Ending>) {
    let seats = decided.len();
    let shared = 1 + decided.iter().flatten().count();
    let of_seat = |(seat, place): (usize, &Option<usize>)| match (place, end) {
        (Some(place), _) if *place == seats => (*place, Ending::Last),
        (Some(place), _) => (*place, Ending::Finish),
        (None, GameEnd::Fault { ending, fault }) if seat + 1 == fault.seat as usize => {
            (seats, *ending)
        }
        (None, GameEnd::Decided { winner, ending }) => (1 + usize::from(seat != *winner), *ending),
        (None, GameEnd::MaxPlies) => (shared, Ending::MaxPlies),
        (None, GameEnd::Fault { .. } | GameEnd::Over) => (shared, Ending::Ended),
    };
    // There are at most six places.
    decided
        .iter()
        .enumerate()
        .map(of_seat)
        .map(|(place, ending)| (place as u32, ending))
        .unzip()
}

#[cfg(test)]
mod tests {
    use super::*;

    const CRASH: Ending = Ending::Crash;

    #[test]
    fn a_game_played_out_has_all_places() {
        let (places, endings) = places_and_endings(&[Some(2), Some(3), Some(1)], &GameEnd::Over);
        assert_eq!(places, [2, 3, 1]);
        assert_eq!(endings, [Ending::Finish, Ending::Last, Ending::Finish]);
    }

    #[test]
    fn the_offender_is_last_and_the_rest_share() {
        let fault = |seat| GameEnd::Fault {
            ending: CRASH,
            fault: Fault {
                seat,
                ..Fault::default()
            },
        };
        let ended = Ending::Ended;
        for (decided, end, expected) in [
            (
                &[None, None][..],
                fault(1),
                (vec![2, 1], vec![CRASH, ended]),
            ),
            (
                &[None, None, None],
                fault(3),
                (vec![1, 1, 3], vec![ended, ended, CRASH]),
            ),
            (
                &[None, Some(1), None],
                fault(1),
                (vec![3, 1, 2], vec![CRASH, Ending::Finish, ended]),
            ),
            (
                &[None, Some(1), None, None],
                fault(4),
                (vec![2, 1, 2, 4], vec![ended, Ending::Finish, ended, CRASH]),
            ),
        ] {
            assert_eq!(
                places_and_endings(decided, &end),
                expected,
                "{decided:?} {end:?}"
            );
        }
    }

    #[test]
    fn who_is_known_to_win_is_first() {
        let decided = |winner| GameEnd::Decided {
            winner,
            ending: Ending::Solved,
        };
        let (places, endings) = places_and_endings(&[None, None], &decided(1));
        assert_eq!(places, [2, 1]);
        assert_eq!(endings, [Ending::Solved, Ending::Solved]);
    }

    #[test]
    fn at_the_most_plies_the_unfinished_share() {
        let (places, endings) = places_and_endings(&[None, Some(1), None], &GameEnd::MaxPlies);
        assert_eq!(places, [2, 1, 2]);
        assert_eq!(
            endings,
            [Ending::MaxPlies, Ending::Finish, Ending::MaxPlies]
        );
    }
}
