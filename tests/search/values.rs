//! Values of alpha-beta equal the slow search's values, with any table size and MultiPV.

use buxtehude::eval::{shares, static_leads};
use buxtehude::rules::Game;
use buxtehude::rules::hase::Position;
use buxtehude::search::Value;

use super::evaluators::net;
use super::lines::play_line;
use super::positions::random_positions;
use super::slow::{
    self, Found, affordable_depth, assert_best, best_by_iteration, goodness, move_values,
};
use super::{request, run};

/// Maximum number of positions that the slow search may visit for each position.
const BUDGET: u64 = 60_000;

#[test]
fn each_iteration_has_the_value_of_the_slow_search() {
    let mut mates = 0;
    for (seats, number) in [(2, 700), (3, 300), (4, 100), (6, 60)] {
        for position in random_positions(seats, number) {
            let depth = affordable_depth(&position, 4, BUDGET);
            let (reports, answer) = run(&request(&position, depth), 1);
            let bests = best_by_iteration(&position, depth);
            for (report, (mv, value)) in reports.iter().zip(&bests) {
                let found = Found::of(&report.value, &position);
                let context = || format!("{report:?}\n{bests:?}\n{position:?}");
                assert_eq!((&report.pv[0], &found), (mv, value), "{}", context());
                let leads = &report.value.leads;
                let rounding = 2 * seats as i32 - 3;
                assert!(slow::is_sound(leads, seats, rounding), "{}", context());
                let shares = shares(&leads[..seats]);
                assert_eq!(shares.iter().sum::<u16>(), 1000, "{}", context());
            }
            // A search that stops early has searched everything.
            let found = Found::of(&answer.value, &position);
            let whole = bests.last().map(|(mv, value)| (mv, value));
            assert_eq!(Some((&answer.best, &found)), whole, "{bests:?}\n{position:?}");
            let last = reports.last().expect("a report");
            assert_eq!((&answer.best, answer.value), (&last.pv[0], last.value));
            mates += usize::from(answer.value.mate != 0);
        }
    }
    assert!(mates > 50, "only {mates} positions with a certain place");
}

#[test]
fn the_table_changes_no_value() {
    let positions = random_positions(2, 80).into_iter().chain(random_positions(3, 30));
    for position in positions {
        let depth = affordable_depth(&position, 6, 400_000);
        let request = request(&position, depth);
        let with = run(&request, 1).0;
        let without = run(&request, 0).0;
        let values = |reports: &[buxtehude::search::Report]| -> Vec<_> {
            reports
                .iter()
                .map(|report| (report.depth, Found::of(&report.value, &position)))
                .collect()
        };
        assert_eq!(values(&with), values(&without), "{position:?}");
    }
}

#[test]
fn the_best_moves_are_listed_in_order_with_their_values() {
    let positions = random_positions(2, 80).into_iter().chain(random_positions(3, 30));
    for position in positions {
        let depth = affordable_depth(&position, 3, BUDGET);
        let values = move_values(&position, depth);
        for multipv in [2, 4, 100] {
            let mut request = request(&position, depth);
            request.multipv = multipv;
            let (reports, answer) = run(&request, 1);
            let deepest = reports.last().expect("a report").depth;
            let lines: Vec<_> = reports.iter().filter(|report| report.depth == deepest).collect();
            let context = || format!("multipv {multipv}: {lines:?}\n{values:?}\n{position:?}");
            assert_eq!(lines.len(), multipv.min(values.len()), "{}", context());
            let found: Vec<_> =
                lines.iter().map(|line| (&line.pv[0], Found::of(&line.value, &position))).collect();
            assert_best(&values, &position, &found, &context());
            for (index, line) in lines.iter().enumerate() {
                assert_eq!(line.multipv, index + 1, "{}", context());
            }
            let mut first_moves: Vec<_> = lines.iter().map(|line| &line.pv[0]).collect();
            first_moves.sort();
            first_moves.dedup();
            assert_eq!(first_moves.len(), lines.len(), "{}", context());
            assert_eq!(answer.best, lines[0].pv[0], "{}", context());
        }
    }
}

#[test]
fn searchmoves_restricts_the_moves() {
    for position in random_positions(2, 80) {
        let depth = affordable_depth(&position, 3, BUDGET);
        let mut values = move_values(&position, depth);
        // Every other move, without the best one if there is another.
        values.sort_by_key(|value| std::cmp::Reverse(goodness(value.exact)));
        let asked: Vec<_> = values.iter().copied().skip(1).step_by(2).collect();
        if asked.is_empty() {
            continue;
        }
        let mut request = request(&position, depth);
        request.searchmoves = asked.iter().map(|value| value.mv.to_string()).collect();
        let (reports, answer) = run(&request, 1);
        let context = || format!("{:?}\n{reports:?}\n{position:?}", request.searchmoves);
        let found = Found::of(&answer.value, &position);
        assert_best(&asked, &position, &[(&answer.best, found)], &context());
        for report in &reports {
            assert!(request.searchmoves.contains(&report.pv[0]), "{}", context());
        }
    }
}

/// Plies of a line: its first move, and each further one that was not forced.
fn plies_of(position: &Position, line: &[String]) -> u32 {
    let is_choice = |&length: &usize| {
        length == 0 || play_line(position, &line[..length]).legal_moves().len() > 1
    };
    (0..line.len()).filter(is_choice).count() as u32
}

#[test]
fn a_line_can_be_played_and_ends_with_a_card() {
    for position in random_positions(2, 200) {
        let depth = affordable_depth(&position, 5, 100_000);
        let mut request = request(&position, depth);
        request.multipv = 3;
        for report in run(&request, 1).0 {
            let context = || format!("{report:?}\n{position:?}");
            assert!(!report.pv.is_empty(), "{}", context());
            assert!(plies_of(&position, &report.pv) <= report.depth, "{}", context());
            assert!(report.seldepth as usize >= report.pv.len(), "{}", context());
            for length in 1..report.pv.len() {
                let now = play_line(&position, &report.pv[..length]);
                // The line continues only if no card is due and a seat is to move.
                assert_eq!(now.outcomes().len(), 0, "{length}: {}", context());
                assert!(!now.legal_moves().is_empty(), "{length}: {}", context());
            }
            play_line(&position, &report.pv);
        }
    }
}

#[test]
fn a_line_without_cards_is_full_and_has_the_value_at_its_end() {
    let mut full_lines = 0;
    for (seats, number) in [(2, 200), (3, 100), (4, 40)] {
        for position in random_positions(seats, number) {
            let depth = affordable_depth(&position, 5, 100_000);
            let mut request = request(&position, depth);
            request.multipv = 2;
            for report in run(&request, 1).0 {
                let end = play_line(&position, &report.pv);
                if end.outcomes().len() > 0 {
                    continue;
                }
                let context = || format!("{report:?}\n{position:?}");
                let is_decided = end.place(slow::mover(&position)).is_some();
                let is_full = plies_of(&position, &report.pv) == report.depth;
                assert!(is_full || is_decided, "{}", context());
                let leads = static_leads(&*net(&end), &end);
                let value = Value { leads, ..report.value };
                let found = Found::of(&report.value, &position);
                assert_eq!(found, Found::of(&value, &position), "{}", context());
                full_lines += 1;
            }
        }
    }
    assert!(full_lines > 400, "only {full_lines} lines without cards");
}
