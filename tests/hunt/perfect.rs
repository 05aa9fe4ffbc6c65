//! Perfect play compared with the table of outcomes, and its resistance compared with a slow version.

use std::cmp::Ordering;

use buxtehude::eval::{CERTAIN, Vector};
use buxtehude::rules::fox::{Move, Position};
use buxtehude::rules::{Game, Solution, Turn};
use buxtehude::search::{Preset, Report};

use super::{mate, position, random_positions, request, run};

fn outcome(position: &Position) -> Solution {
    position.solved().expect("the game is solved")
}

/// All moves, ranked.
fn ranking(position: &Position) -> Vec<Report> {
    let mut request = request(position, Preset::Best);
    request.multipv = 72;
    let (reports, answer) = run(&request);
    assert_eq!(reports[0].pv[0], answer.best, "{position:?}");
    assert_eq!(reports[0].pv.get(1), answer.ponder.as_ref(), "{position:?}");
    assert!(answer.is_final, "{position:?}");
    reports
}

fn after(position: &Position, mv: &str) -> Position {
    let mut position = *position;
    position.play(mv.parse().unwrap()).unwrap();
    position
}

#[test]
fn the_wolves_win_in_22_moves_from_each_start() {
    for rabbit in ["F7", "2F5", "4F3", "6F1"] {
        let start = position(&format!("1h1h1h1h/8/8/8/8/8/8/{rabbit} w"));
        let (reports, _) = run(&request(&start, Preset::Best));
        let [report] = reports.as_slice() else {
            panic!("one line: {reports:?}");
        };
        assert_eq!((report.depth, report.value.mate), (44, -22), "{report:?}");
        assert_eq!(report.pv.len(), 44, "{report:?}");
    }
}

#[test]
fn every_move_is_ranked_by_its_outcome_with_its_line_to_the_end() {
    for position in random_positions(1, 3000) {
        let Turn::Seat(mover) = position.turn() else {
            unreachable!("a seat is to move");
        };
        let reports = ranking(&position);
        assert_eq!(reports.len(), position.legal_moves().len(), "{position:?}");
        // Wins before losses, short wins and long losses first.
        let order = reports.iter().map(|report| {
            let plies = report.depth as i32;
            if report.value.mate > 0 { plies - 1000 } else { 1000 - plies }
        });
        assert!(order.is_sorted(), "{position:?} {reports:?}");
        assert_eq!(reports[0].depth, outcome(&position).plies, "{position:?}");
        for report in &reports {
            let reached = after(&position, &report.pv[0]);
            let Solution { winner, plies } = outcome(&reached);
            assert_eq!(report.depth, plies + 1, "{report:?} in {position:?}");
            assert_eq!(
                report.value.mate,
                mate(mover, winner, plies + 1),
                "{report:?} in {position:?}"
            );
            let mut leads: Vector = [-CERTAIN, -CERTAIN, 0, 0, 0, 0];
            leads[winner.index()] = CERTAIN;
            assert_eq!(report.value.leads, leads, "{report:?} in {position:?}");
            let end = report.pv.iter().fold(position, |position, mv| after(&position, mv));
            assert_eq!(report.pv.len() as u32, report.depth, "{report:?} in {position:?}");
            assert_eq!(outcome(&end), Solution { winner, plies: 0 }, "{report:?} in {position:?}");
        }
    }
}

#[test]
fn searchmoves_restricts_the_moves() {
    let start = position("1h1h1h1h/8/8/8/8/8/8/4F3 w");
    let mut request = request(&start, Preset::Best);
    request.searchmoves = vec!["e1f2".into()];
    let (reports, answer) = run(&request);
    assert_eq!((reports.len(), answer.best.as_str()), (1, "e1f2"));
}

/// Share of winning replies, as a fraction.
#[derive(Clone, Copy, Debug)]
struct Share {
    winning: usize,
    replies: usize,
}

fn compare(a: &[Share], b: &[Share]) -> Ordering {
    let pairs = a.iter().zip(b);
    pairs
        .map(|(a, b)| (a.winning * b.replies).cmp(&(b.winning * a.replies)))
        .find(|ordering| ordering.is_ne())
        .unwrap_or(Ordering::Equal)
}

fn moves_with_outcome(position: &Position, plies: u32) -> Vec<Position> {
    let winner = outcome(position).winner;
    let reached = position.legal_moves().map(|mv| position.play_unchecked(mv));
    reached.filter(|reached| outcome(reached) == Solution { winner, plies }).collect()
}

/// Shares of winning replies in a position won by the side to move: now, and at each of its next `later` turns.
fn shares(position: &Position, later: usize) -> Vec<Share> {
    let winner = outcome(position).winner;
    let reached: Vec<Position> =
        position.legal_moves().map(|mv| position.play_unchecked(mv)).collect();
    let winning = reached.iter().filter(|reached| outcome(reached).winner == winner).count();
    let now = Share { winning, replies: reached.len() };
    let none = vec![Share { winning: 0, replies: 1 }; later];
    let mut worst = none.clone();
    if later > 0 {
        for reply in moves_with_outcome(position, outcome(position).plies - 1) {
            let answers = moves_with_outcome(&reply, outcome(&reply).plies.saturating_sub(1));
            let best =
                answers.iter().map(|answer| shares(answer, later - 1)).min_by(|a, b| compare(a, b));
            let best = best.unwrap_or(none.clone());
            if compare(&best, &worst).is_gt() {
                worst = best;
            }
        }
    }
    let mut all = vec![now];
    all.extend(worst);
    all
}

#[test]
fn the_loser_leaves_the_fewest_winning_replies() {
    let mut decided = [0; 4];
    for position in random_positions(2, 12_000) {
        let lost = outcome(&position);
        if position.turn() == Turn::Seat(lost.winner) {
            continue;
        }
        let latest = |mv: &Move| outcome(&position.play_unchecked(*mv)).plies + 1 == lost.plies;
        let latest: Vec<Move> = position.legal_moves().filter(latest).collect();
        if latest.len() == 1 {
            continue;
        }
        let shares_after = |mv: &Move| shares(&position.play_unchecked(*mv), 2);
        let expected = latest
            .iter()
            .min_by(|a, b| compare(&shares_after(a), &shares_after(b)))
            .expect("a lost position that is not over has moves");
        let (_, answer) = run(&request(&position, Preset::Best));
        assert_eq!(answer.best, expected.to_string(), "{position:?}");
        let kept = shares_after(expected);
        let ties = |later: usize| {
            let others = latest.iter().filter(|mv| *mv != expected);
            others.map(shares_after).any(|other| compare(&kept[..=later], &other[..=later]).is_eq())
        };
        decided[(0..3).take_while(|&later| ties(later)).count()] += 1;
    }
    // Each share decides in some positions, and in some none does.
    assert!(decided[0] > 500 && decided[1..].iter().all(|&count| count > 10), "{decided:?}");
}
