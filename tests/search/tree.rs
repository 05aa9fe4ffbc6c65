//! The tree search: the guarantees of its reports, proofs of its mates, and agreement of its estimates with the slow
//! search where that reaches the end of the game.

use std::collections::HashSet;

use buxtehude::eval::{CERTAIN, shares};
use buxtehude::rules::hase::Move;
use buxtehude::rules::{Game, MAX_MOVES, Turn};
use buxtehude::search::Report;

use super::lines::play_line;
use super::positions::{late_positions, random_positions};
use super::slow::{best_open_place, exact_leads, is_sound, mover};
use super::{proof, run, tree_request};

/// Numbers of seats, each with a number of positions.
const SAMPLES: [(usize, usize); 4] = [(2, 40), (3, 40), (4, 30), (6, 20)];

/// Rounding error of a sum of many fractions, in leads.
const ROUNDING: i32 = CERTAIN / 500;

/// Reports of the last iteration.
fn last_iteration(reports: &[Report]) -> &[Report] {
    let deepest = reports.last().expect("a report").depth;
    let first = reports.partition_point(|report| report.depth < deepest);
    &reports[first..]
}

fn first_move(report: &Report) -> Move {
    report.pv[0].parse().expect("a move")
}

#[test]
fn estimates_are_sound() {
    for (seats, count) in SAMPLES {
        for position in random_positions(seats, count) {
            for depth in [1, 4, 8] {
                let mut request = tree_request(&position, depth);
                request.multipv = 100;
                for report in run(&request, 4).0 {
                    let context = || format!("{report:?}\n{position:?}");
                    assert!(is_sound(&report.value.leads, seats, ROUNDING), "{}", context());
                    let shares = shares(&report.value.leads[..seats]);
                    assert_eq!(shares.iter().sum::<u16>(), 1000, "{}", context());
                }
            }
        }
    }
}

#[test]
fn reports_come_in_order_and_name_each_move_once() {
    for (seats, count) in SAMPLES {
        for position in random_positions(seats, count) {
            for multipv in [1, 3, 100] {
                let mut request = tree_request(&position, 5);
                request.multipv = multipv;
                let (reports, answer) = run(&request, 1);
                let context = || format!("{reports:?}\n{position:?}");
                assert!(reports.iter().map(|report| report.nodes).is_sorted(), "{}", context());
                let iterations: Vec<&[Report]> =
                    reports.chunk_by(|one, next| one.depth == next.depth).collect();
                for (index, iteration) in iterations.iter().enumerate() {
                    assert_eq!(iteration[0].depth, index as u32 + 1, "{}", context());
                    let moves: HashSet<Move> = iteration.iter().map(first_move).collect();
                    let expected = multipv.min(position.legal_moves().len());
                    assert_eq!(moves.len(), expected, "{}", context());
                    let ranks = iteration.iter().map(|report| report.multipv);
                    assert!(ranks.eq(1..=expected), "{}", context());
                    // Certain good places come first, the soonest first; certain last places come last, the latest
                    // last.
                    let certainty = |report: &Report| {
                        let mate = report.value.mate;
                        (std::cmp::Reverse(mate.signum()), mate)
                    };
                    assert!(iteration.iter().map(certainty).is_sorted(), "{}", context());
                }
                let last = last_iteration(&reports);
                let is_decided = last[0].value.mate != 0;
                assert!(is_decided || last[0].depth == 5, "{}", context());
                assert_eq!(
                    (&answer.best, answer.value, answer.nodes),
                    (&last[0].pv[0], last[0].value, last[0].nodes),
                    "{}",
                    context()
                );
                if let Some(ponder) = &answer.ponder {
                    assert_eq!(seats, 2, "{}", context());
                    assert_eq!(Some(ponder), last[0].pv.get(1), "{}", context());
                }
            }
        }
    }
}

#[test]
fn a_limit_of_positions_is_nearly_used_up() {
    for (seats, count) in SAMPLES {
        for position in random_positions(seats, count) {
            for nodes in [500, 5_000] {
                let mut request = tree_request(&position, 96);
                request.nodes = nodes;
                let (reports, answer) = run(&request, 16);
                let is_decided = reports.iter().any(|report| report.value.mate != 0);
                assert!(answer.nodes <= nodes, "{answer:?}\n{position:?}");
                // The last walk expands a node with all its children.
                assert!(
                    is_decided || answer.nodes + MAX_MOVES as u64 > nodes,
                    "{answer:?}\n{position:?}"
                );
            }
        }
    }
}

#[test]
fn searchmoves_restricts_the_moves() {
    for (seats, count) in SAMPLES {
        for position in random_positions(seats, count) {
            // Every other move, without the best one if there is another.
            let best = run(&tree_request(&position, 5), 1).1.best;
            let words = position.legal_moves().map(|mv| mv.to_string());
            let others: Vec<String> = words.filter(|word| *word != best).collect();
            let asked: Vec<String> = others.iter().step_by(2).cloned().collect();
            if asked.is_empty() {
                continue;
            }
            let mut request = tree_request(&position, 5);
            request.searchmoves = asked.clone();
            request.multipv = 100;
            let (reports, answer) = run(&request, 1);
            let context = || format!("{asked:?}\n{reports:?}\n{position:?}");
            let last = last_iteration(&reports);
            assert_eq!(last.len(), asked.len(), "{}", context());
            for report in &reports {
                assert!(asked.contains(&report.pv[0]), "{}", context());
            }
            assert!(asked.contains(&answer.best), "{}", context());
        }
    }
}

#[test]
fn a_line_can_be_played_and_ends_with_a_card() {
    for (seats, count) in SAMPLES {
        for position in random_positions(seats, count) {
            let mut request = tree_request(&position, 8);
            request.multipv = 3;
            for report in run(&request, 4).0 {
                let context = || format!("{report:?}\n{position:?}");
                assert!(!report.pv.is_empty(), "{}", context());
                for length in 1..report.pv.len() {
                    let now = play_line(&position, &report.pv[..length]);
                    // The line continues only if no card is due and a seat is to move.
                    assert!(matches!(now.turn(), Turn::Seat(_)), "{length}: {}", context());
                }
                play_line(&position, &report.pv);
            }
        }
    }
}

#[test]
fn a_memory_that_is_too_small_is_used_again_and_again() {
    for (seats, count) in [(2, 6), (3, 6), (4, 4), (6, 3)] {
        for position in random_positions(seats, count) {
            let mut request = tree_request(&position, 96);
            request.nodes = 200_000;
            let whole = run(&request, 64).1;
            for mebibytes in [0, 1] {
                let (reports, answer) = run(&request, mebibytes);
                let context = || format!("{mebibytes}: {answer:?}, not {whole:?}\n{position:?}");
                assert!(
                    position.legal_moves().any(|mv| mv.to_string() == answer.best),
                    "{}",
                    context()
                );
                assert!(answer.nodes <= request.nodes, "{}", context());
                assert!(is_sound(&answer.value.leads, seats, ROUNDING), "{}", context());
                assert!(reports.iter().all(|report| report.hashfull <= 1000), "{reports:?}");
                let mover = mover(&position).index();
                let share = |leads: &[i32]| i32::from(shares(&leads[..seats])[mover]);
                let difference = share(&answer.value.leads) - share(&whole.value.leads);
                assert!(difference.abs() <= 60, "{}", context());
            }
        }
    }
}

#[test]
fn a_move_that_finishes_in_the_best_open_place_is_played() {
    let mut found = 0;
    for seats in 2..=6 {
        for position in late_positions(seats, 300) {
            let mover = mover(&position);
            let place = best_open_place(&position);
            let finishes = |mv: Move| position.play_unchecked(mv).place(mover) == Some(place);
            if !position.legal_moves().any(finishes) {
                continue;
            }
            for nodes in [1, 50, 3_000] {
                let mut request = tree_request(&position, 8);
                request.nodes = nodes;
                let (reports, answer) = run(&request, 1);
                let context = || format!("{reports:?}\n{position:?}");
                assert!(finishes(answer.best.parse().expect("a move")), "{}", context());
                assert_eq!(answer.value.mate, 1, "{}", context());
                let points = (seats as i32 + 1 - 2 * place as i32) * CERTAIN;
                let lead = answer.value.leads[mover.index()];
                assert!((lead - points).abs() < ROUNDING, "{}", context());
                found += 1;
            }
        }
    }
    assert!(found > 300, "{found}");
}

#[test]
fn mates_are_true() {
    let (mut good, mut long, mut bad) = (0, 0, 0);
    for seats in [2, 3, 4, 6] {
        for position in late_positions(seats, 300) {
            let mut request = tree_request(&position, 96);
            request.nodes = 4_000;
            request.multipv = 100;
            let (reports, _) = run(&request, 4);
            for report in last_iteration(&reports) {
                let mate = report.value.mate;
                if mate == 0 {
                    continue;
                }
                good += u32::from(mate > 0);
                long += u32::from(mate > 1);
                bad += u32::from(mate < 0);
                let next = position.play_unchecked(first_move(report));
                assert!(proof::holds(&position, &next, mate), "{report:?}\n{position:?}");
            }
        }
    }
    assert!(good > 150 && long > 40 && bad > 0, "{good} {long} {bad}");
}

#[test]
fn near_the_end_estimates_approach_those_of_the_slow_search() {
    let mut pairs = 0;
    for (seats, count) in [(2, 900), (3, 900), (4, 500), (6, 350)] {
        let mut compared = 0;
        for position in late_positions(seats, count) {
            let Some(leads) = exact_leads(&position) else {
                continue;
            };
            let mut request = tree_request(&position, 96);
            request.nodes = 30_000;
            let answer = run(&request, 4).1;
            let mover = mover(&position).index();
            compared += 1;
            pairs += u32::from(position.finished().len() + 2 == seats);
            // A proven place needs no estimate.
            if answer.value.mate != 0 {
                let best = best_open_place(&position);
                let place = if answer.value.mate > 0 { best } else { seats };
                let points = (seats as i32 + 1 - 2 * place as i32) * CERTAIN;
                assert!(
                    (leads[mover] - points).abs() < ROUNDING,
                    "{leads:?}, {answer:?}\n{position:?}"
                );
                continue;
            }
            let share = |leads: &[i32]| i32::from(shares(&leads[..seats])[mover]);
            let (found, exact) = (share(&answer.value.leads), share(&leads));
            assert!((found - exact).abs() <= 15, "{found}, not {exact}: {answer:?}\n{position:?}");
        }
        assert!(compared > 25, "{seats} seats: {compared}");
    }
    assert!(pairs > 50, "{pairs} with two seats that race");
}
