//! Limits, stopping and repeatability.

use std::time::Duration;

use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{AnyPosition, Game, MAX_MOVES};
use buxtehude::search::TimeBudget;
use buxtehude::search::{Control, Memory, Preset, Request, search};

use super::evaluators::memory;
use super::positions::random_positions;
use super::{request, run, run_in, tree_request};

/// Makes a request for a position and a depth.
type Ask = fn(&Position, u32) -> Request;

/// Numbers of seats, each with a search.
const SEARCHES: [(usize, Ask); 7] = [
    (2, request),
    (2, tree_request),
    (3, request),
    (3, tree_request),
    (4, tree_request),
    (6, request),
    (6, tree_request),
];

#[test]
fn a_search_stopped_at_its_start_has_a_legal_move() {
    for (seats, request) in SEARCHES {
        for position in random_positions(seats, 50) {
            let control = Control::new(None);
            control.stop();
            let request = request(&position, 5);
            let answer = search(&request, &mut memory(&position, 1), &control, &mut |_| ())
                .expect("a seat is to move");
            let mv = answer.best.parse().expect("a move");
            assert!(position.legal_moves().any(|legal| legal == mv), "{answer:?}\n{position:?}");
            // A tree search begins with all children of the root.
            let is_tree = request.preset == Preset::Tree;
            let most = if is_tree { MAX_MOVES as u64 } else { 1 };
            assert!(answer.nodes <= most, "{answer:?}");
        }
    }
}

#[test]
fn a_search_without_time_answers_at_once_with_a_legal_move() {
    for position in random_positions(2, 20) {
        let none = TimeBudget { soft: None, hard: Duration::ZERO };
        let request = request(&position, 96);
        let answer =
            search(&request, &mut memory(&position, 1), &Control::new(Some(none)), &mut |_| ());
        let mv = answer.expect("a seat is to move").best.parse().expect("a move");
        assert!(position.legal_moves().any(|legal| legal == mv), "{position:?}");
    }
}

#[test]
fn no_more_positions_are_visited_than_allowed() {
    for (seats, request) in SEARCHES {
        for position in random_positions(seats, 20) {
            for nodes in [1, 2, 10, 511, 512, 513, 1000, 5000] {
                let mut request = request(&position, 12);
                request.nodes = nodes;
                let (reports, answer) = run(&request, 1);
                assert!(answer.nodes <= nodes, "{nodes}: {answer:?}\n{position:?}");
                assert!(reports.iter().all(|report| report.nodes <= nodes), "{nodes}: {reports:?}");
                let mv = answer.best.parse().expect("a move");
                assert!(
                    position.legal_moves().any(|legal| legal == mv),
                    "{answer:?}\n{position:?}"
                );
            }
        }
    }
}

#[test]
fn a_limit_of_positions_is_used_up() {
    let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
    for nodes in [1000, 20_000] {
        let mut request = request(&start, 96);
        request.nodes = nodes;
        let (_, answer) = run(&request, 1);
        assert_eq!(answer.nodes, nodes);
    }
}

#[test]
fn the_same_search_reports_the_same_again_also_in_a_memory_that_was_used() {
    let mut used = Memory::new(1);
    for (seats, request) in SEARCHES.into_iter().chain(SEARCHES) {
        for position in random_positions(seats, 20) {
            let mut request = request(&position, 4);
            request.multipv = 2;
            let first = run(&request, 1);
            assert_eq!(first, run_in(&mut used, &request), "{position:?}");
            assert_eq!(first, run(&request, 1), "{position:?}");
        }
    }
}

#[test]
fn reports_come_in_order() {
    for position in random_positions(2, 30) {
        let mut request = request(&position, 4);
        request.multipv = 3;
        let (reports, _) = run(&request, 1);
        assert_eq!(reports[0].depth, 1, "{reports:?}");
        let order: Vec<_> = reports.iter().map(|report| (report.depth, report.multipv)).collect();
        assert!(order.is_sorted(), "{order:?}");
        assert!(reports.iter().map(|report| report.nodes).is_sorted(), "{reports:?}");
    }
}

#[test]
fn without_a_seat_to_move_there_is_no_answer() {
    for text in ["14,60,3/3,62,3 1?6 - -", "64,0,0/3,62,3 2 1 -"] {
        let position = super::lines::parse(text);
        let request = request(&position, 3);
        assert!(matches!(request.position, AnyPosition::Hase(_)));
        let answer = search(&request, &mut memory(&position, 1), &Control::new(None), &mut |_| ());
        assert_eq!(answer, None, "{position:?}");
    }
}
