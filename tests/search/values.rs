//! Values of alpha-beta equal the slow search's values, with any table size and MultiPV.

use buxtehude::eval::{shares, static_leads};
use buxtehude::rules::Game;
use buxtehude::search::Value;

use super::evaluators::net;
use super::lines::play_line;
use super::positions::random_positions;
use super::slow::{
    self, Found, SlowSearch, affordable_depth, goodness, move_values, ranking, value_of,
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
            for report in &reports {
                let values = move_values(&position, report.depth);
                let found = Found::of(&report.value, &position);
                let context = || format!("{report:?}\n{values:?}\n{position:?}");
                assert_eq!(found, ranking(&values)[0], "{}", context());
                assert_eq!(found, value_of(&values, &report.pv[0]), "{}", context());
                let leads = &report.value.leads;
                let rounding = 2 * seats as i32 - 3;
                assert!(slow::is_sound(leads, seats, rounding), "{}", context());
                let shares = shares(&leads[..seats]);
                assert_eq!(shares.iter().sum::<u16>(), 1000, "{}", context());
            }
            // A search that stops early has searched everything.
            let values = move_values(&position, depth);
            assert_eq!(
                Found::of(&answer.value, &position),
                ranking(&values)[0],
                "{values:?}\n{position:?}"
            );
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
                lines.iter().map(|line| Found::of(&line.value, &position)).collect();
            assert_eq!(found, ranking(&values)[..found.len()], "{}", context());
            for (index, line) in lines.iter().enumerate() {
                assert_eq!(line.multipv, index + 1, "{}", context());
                assert_eq!(found[index], value_of(&values, &line.pv[0]), "{}", context());
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
        values.sort_by_key(|(_, value)| std::cmp::Reverse(goodness(*value)));
        let asked: Vec<_> = values.iter().copied().skip(1).step_by(2).collect();
        if asked.is_empty() {
            continue;
        }
        let mut request = request(&position, depth);
        request.searchmoves = asked.iter().map(|(mv, _)| mv.to_string()).collect();
        let (reports, answer) = run(&request, 1);
        let context = || format!("{:?}\n{reports:?}\n{position:?}", request.searchmoves);
        assert_eq!(Found::of(&answer.value, &position), ranking(&asked)[0], "{}", context());
        for report in &reports {
            assert!(request.searchmoves.contains(&report.pv[0]), "{}", context());
        }
    }
}

#[test]
fn a_line_can_be_played_and_ends_with_a_card() {
    for position in random_positions(2, 200) {
        let depth = affordable_depth(&position, 5, 100_000);
        let mut request = request(&position, depth);
        request.multipv = 3;
        for report in run(&request, 1).0 {
            let context = || format!("{report:?}\n{position:?}");
            assert!(
                !report.pv.is_empty() && report.pv.len() <= report.depth as usize,
                "{}",
                context()
            );
            assert!(report.seldepth <= report.depth, "{}", context());
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

/// The static value at the end of a line without cards is the value of the line, within the margins on the way.
#[test]
fn a_line_without_cards_leads_to_its_value() {
    let mut full_lines = 0;
    for position in random_positions(2, 200) {
        let depth = affordable_depth(&position, 5, 100_000);
        for report in run(&request(&position, depth), 1).0 {
            let end = play_line(&position, &report.pv);
            let is_full = report.pv.len() == report.depth as usize || end.legal_moves().is_empty();
            if end.outcomes().len() == 0 && is_full {
                full_lines += 1;
                let slow = SlowSearch::of(&position);
                let found = Found::of(&report.value, &position);
                let leads = static_leads(&*net(&end), &end);
                let value = Value { leads, mate: 0 };
                let mut lead = Found::of(&value, &position);
                for length in (1..report.pv.len()).rev() {
                    let now = play_line(&position, &report.pv[..length]);
                    lead = slow.limited(&now, report.depth - length as u32, lead);
                }
                assert_eq!(lead.lead, found.lead, "{report:?}\n{position:?}");
            }
        }
    }
    assert!(full_lines > 50, "only {full_lines} lines without cards");
}
