//! Our search compared with the table: its wins are correct, and it finds all within its depth.

use buxtehude::rules::{Game, Solution, Turn};
use buxtehude::search::Preset;

use super::{mate, random_positions, request, run};

/// Last plies of a search, which can change a value only so far that they may miss a mate.
const LIMITED: u32 = 3;

#[test]
fn mates_are_those_of_the_table_and_none_above_the_last_plies_is_missed() {
    let mut found = 0;
    for (index, position) in random_positions(3, 3000).into_iter().enumerate() {
        let Turn::Seat(mover) = position.turn() else {
            unreachable!("a seat is to move");
        };
        let mut request = request(&position, Preset::AlphaBeta);
        request.depth = [6, 9, 13][index % 3];
        request.multipv = [1, 1, 1, 3][index % 4];
        let (reports, _) = run(&request);
        for report in reports {
            let mut reached = position;
            reached.play(report.pv[0].parse().unwrap()).unwrap();
            let Some(Solution { winner, plies }) = reached.solved() else {
                unreachable!("the game is solved");
            };
            let expected = mate(mover, winner, plies + 1);
            let mate = report.value.mate;
            if plies + LIMITED < report.depth {
                assert_eq!(mate, expected, "{report:?} in {position:?}");
            } else if mate == 0 {
                continue;
            } else {
                // A line of forced moves beyond the depth need not be the shortest.
                let is_right = mate.signum() == expected.signum() && mate.abs() >= expected.abs();
                assert!(is_right, "{expected}: {report:?} in {position:?}");
            }
            found += 1;
        }
    }
    assert!(found > 4000, "{found}");
}

#[test]
fn a_search_without_limit_comes_to_the_end_of_short_games() {
    for position in random_positions(4, 400) {
        let Some(Solution { winner, plies }) = position.solved() else {
            unreachable!("the game is solved");
        };
        if plies > 14 {
            continue;
        }
        let mut request = request(&position, Preset::AlphaBeta);
        request.depth = 14 + LIMITED;
        let (reports, answer) = run(&request);
        let Turn::Seat(mover) = position.turn() else {
            unreachable!("a seat is to move");
        };
        assert_eq!(answer.value.mate, mate(mover, winner, plies), "{reports:?} in {position:?}");
    }
}
