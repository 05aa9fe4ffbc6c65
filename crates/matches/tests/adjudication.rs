//! Games that the arbiter ends early because their outcome is certain.

use crate::common::table;
use matches::archive::replay;
use matches::plan::rules::Rules;
use matches::plan::{Adjudication, EngineSpec, Resign};
use matches::record::ending::Ending;
use table::{Table, tiny};

/// An engine that always reports the same estimate.
fn sure(estimate: &str) -> EngineSpec {
    tiny(&[&format!("echo \"bestmove $1 estimate {estimate}\"")])
}

fn resigning(engines: Vec<EngineSpec>) -> Table {
    let mut table = Table::new(engines);
    table.plan.referee_limits.max_plies = 12;
    table.plan.adjudication.resign = Some(Resign { moves: 3, permille: 900 });
    table
}

#[test]
fn two_engines_that_agree_end_the_game() {
    let record = resigning(vec![sure("80 920"), sure("50 950")]).play().record().clone();
    assert_eq!(record.endings, [Ending::Agreed; 2], "{record:?}");
    assert_eq!(record.places, [2, 1], "{record:?}");
    assert_eq!(record.turns.len(), 6, "{record:?}");
    assert!(replay::check(&record).is_empty(), "{:?}", replay::check(&record));
}

#[test]
fn engines_that_do_not_agree_play_on() {
    for (one, other) in [("80 920", "950 50"), ("80 920", "101 899"), ("80 920", "")] {
        let other = if other.is_empty() { tiny(&[]) } else { sure(other) };
        let record = resigning(vec![sure(one), other]).play().record().clone();
        assert_eq!(record.endings, [Ending::MaxPlies; 2], "{one}: {record:?}");
    }
}

#[test]
fn no_game_is_adjudicated_by_default() {
    let mut table = resigning(vec![sure("80 920"), sure("80 920")]);
    table.plan.adjudication = Adjudication::default();
    let record = table.play().record().clone();
    assert_eq!(record.endings, [Ending::MaxPlies; 2], "{record:?}");
}

#[test]
fn a_solved_game_ends_where_its_opening_ends() {
    let mut table = Table::new(vec![tiny(&[]), tiny(&[])]);
    table.plan.rules = Rules::by_name("fox-and-hounds").unwrap();
    table.plan.adjudication.solved = true;
    let played = table.play();
    let record = played.result.unwrap();
    assert_eq!(record.endings, [Ending::Solved; 2], "{record:?}");
    assert_eq!(record.places, [2, 1], "{record:?}");
    assert!(replay::check(&record).is_empty(), "{:?}", replay::check(&record));
    let mut wrong = record.clone();
    wrong.places = vec![1, 2];
    let flaws: Vec<String> = replay::check(&wrong).iter().map(ToString::to_string).collect();
    assert_eq!(flaws, ["endings: solved, but by the rules seat 2 wins"]);
    // A game with an open outcome continues.
    let mut table = Table::new(vec![tiny(&[]), tiny(&[])]);
    table.plan.adjudication.solved = true;
    let record = table.play().record().clone();
    assert_eq!(record.endings, [Ending::MaxPlies; 2], "{record:?}");
}
