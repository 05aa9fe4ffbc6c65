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

    #[test]
    fn the_offender_is_last_and_the_rest_share() {
        use Ending::{Crash, Ended, Finish, Last, MaxPlies, Solved};
        let fault = |seat| GameEnd::Fault {
            ending: Crash,
            fault: Fault {
                seat,
                ..Fault::default()
            },
        };
        let decided = GameEnd::Decided {
            winner: 1,
            ending: Solved,
        };
        for (places, end, expected, endings) in [
            (
                &[Some(2), Some(3), Some(1)][..],
                GameEnd::Over,
                &[2, 3, 1][..],
                &[Finish, Last, Finish][..],
            ),
            (&[None, None], fault(1), &[2, 1], &[Crash, Ended]),
            (
                &[None, None, None],
                fault(3),
                &[1, 1, 3],
                &[Ended, Ended, Crash],
            ),
            (
                &[None, Some(1), None, None],
                fault(4),
                &[2, 1, 2, 4],
                &[Ended, Finish, Ended, Crash],
            ),
            (&[None, None], decided, &[2, 1], &[Solved, Solved]),
            (
                &[None, Some(1), None],
                GameEnd::MaxPlies,
                &[2, 1, 2],
                &[MaxPlies, Finish, MaxPlies],
            ),
        ] {
            let found = places_and_endings(places, &end);
            assert_eq!(found, (expected.to_vec(), endings.to_vec()), "{end:?}");
        }
    }
}
