//! Exact pruning and sorting change no result.

use buxtehude::articles::strategy::Prune;
use buxtehude::rules::perft;

use super::positions::random_positions;
use super::slow::Slow;
use super::{HARE_MODELS, Report, STRATEGIES, result, run, settings};

/// Greatest depth, up to `most`, whose search has at most about `leaves` leaves.
fn affordable_depth(position: &super::Position, most: u32, leaves: u64) -> u32 {
    let affordable =
        |depth: &u32| perft(position, *depth, &mut || false).is_some_and(|count| count <= leaves);
    (2..=most).take_while(affordable).last().unwrap_or(1)
}

#[test]
fn each_depth_finds_what_the_slow_search_finds() {
    for (seats, count) in [(2, 120), (3, 80), (4, 60), (6, 30)] {
        for position in random_positions(seats, count) {
            let depth = affordable_depth(&position, 4, 4_000);
            for strategy in STRATEGIES {
                for hare_model in HARE_MODELS {
                    let slow = Slow { strategy, hare_model, caps: Vec::new() };
                    let settings = settings(strategy, hare_model, Prune::Exact, true);
                    for report in run(&position, &settings, depth) {
                        let (vector, line) = slow.best(&position, report.depth);
                        let line: Vec<String> = line.iter().map(ToString::to_string).collect();
                        assert_eq!(
                            result(&report),
                            (&vector[..], &line[..]),
                            "{strategy:?}, {hare_model:?}, depth {} in\n{position:?}",
                            report.depth
                        );
                    }
                }
            }
        }
    }
}

/// The vector and the line at a depth. A search stops early when nothing is left to search, and with pruning it may
/// stop earlier still.
fn result_at(reports: &[Report], index: usize) -> (&[i32], &[String]) {
    result(&reports[index.min(reports.len() - 1)])
}

#[test]
fn neither_sorting_nor_exact_pruning_changes_vector_or_line() {
    let count = 400;
    for seats in [2, 3, 4] {
        let mut cut = 0;
        for position in random_positions(seats, count) {
            let depth = affordable_depth(&position, 5, 1_500);
            for strategy in STRATEGIES {
                for hare_model in HARE_MODELS {
                    let plain = settings(strategy, hare_model, Prune::Off, false);
                    let expected = run(&position, &plain, depth);
                    for (prune, sort) in
                        [(Prune::Off, true), (Prune::Exact, false), (Prune::Exact, true)]
                    {
                        let other = settings(strategy, hare_model, prune, sort);
                        let found = run(&position, &other, depth);
                        for index in 0..expected.len().max(found.len()) {
                            assert_eq!(
                                result_at(&found, index),
                                result_at(&expected, index),
                                "{other:?}, depth {} in\n{position:?}",
                                index + 1
                            );
                        }
                        let nodes = |reports: &[Report]| reports.last().map(|r| r.nodes);
                        cut += usize::from(nodes(&found) < nodes(&expected));
                    }
                }
            }
        }
        assert!(cut > count, "{seats} seats: pruning cut in {cut} searches only");
    }
}

#[test]
fn capped_searches_find_what_the_slow_search_finds_among_the_best_moves() {
    for (seats, count) in [(2, 150), (3, 100)] {
        for (index, position) in random_positions(seats, count).iter().enumerate() {
            let caps: &[usize] = [&[0, 3, 2][..], &[2], &[1, 0, 4]][index % 3];
            let strategy = STRATEGIES[index % 2];
            let hare_model = HARE_MODELS[index / 2 % 3];
            let slow = Slow { strategy, hare_model, caps: caps.to_vec() };
            let words: Vec<String> = caps.iter().map(ToString::to_string).collect();
            for prune in [Prune::Off, Prune::Exact] {
                let mut settings = settings(strategy, hare_model, prune, index % 5 == 0);
                settings.search.caps = words.join(",").parse().expect("caps");
                for report in run(position, &settings, 4) {
                    let (vector, line) = slow.best(position, report.depth);
                    let line: Vec<String> = line.iter().map(ToString::to_string).collect();
                    let expected = (&vector[..], &line[..]);
                    let depth = report.depth;
                    assert_eq!(
                        result(&report),
                        expected,
                        "{settings:?}, depth {depth} in\n{position:?}"
                    );
                }
            }
        }
    }
}
