//! Head-to-head scores, which do not depend on the order where games end.

use matches::record::GameRecord;
use matches::record::ending::Ending;
use matches::report::Report;
use matches::score::{Crosstable, Standings, points};
use proptest::prelude::*;

fn game(number: u64, seats: &[&str], places: &[u32]) -> GameRecord {
    GameRecord {
        game: number,
        block: (number - 1) / seats.len() as u64 + 1,
        variant: "hase-und-igel".to_string(),
        moves: number.to_string(),
        seats: seats.iter().map(|name| name.to_string()).collect(),
        places: places.to_vec(),
        endings: vec![Ending::Finish; seats.len()],
        ..GameRecord::default()
    }
}

fn standings(names: &[&str], games: &[GameRecord]) -> Standings {
    let names = names.iter().map(|name| name.to_string()).collect();
    let mut report = Report::new(names, games[0].seats.len(), games[0].seats.len());
    games.iter().for_each(|game| report.add(game));
    report.finish();
    report.standings().clone()
}

#[test]
fn pairs_of_games_make_a_pentanomial() {
    let games = [
        game(1, &["a", "b"], &[1, 2]),
        game(2, &["b", "a"], &[1, 2]),
        game(3, &["a", "b"], &[1, 2]),
        game(4, &["b", "a"], &[1, 1]),
        game(5, &["a", "b"], &[2, 1]),
        game(6, &["b", "a"], &[1, 2]),
        game(7, &["a", "b"], &[1, 2]),
    ];
    let standings = standings(&["a", "b"], &games);
    let scores = standings.head_to_head().unwrap();
    assert_eq!(scores.as_pentanomial(), Some([1, 0, 1, 1, 0]), "{scores:?}");
    assert_eq!(scores.mean(), Some((0.0 + 0.5 + 0.75) / 3.0));
}

/// The verdict on games of two, where `first` wins these of 20 pairs of games and loses the others.
fn verdict(wins: usize, names: [&str; 2]) -> String {
    let names = names.map(String::from);
    let mut report = Report::new(names.to_vec(), 2, 2);
    for number in 1..=40 {
        let is_won = (number as usize - 1) / 2 < wins;
        let seats = if number % 2 == 1 { ["a", "b"] } else { ["b", "a"] };
        let place = |name: &str| if (name == "a") == is_won { 1 } else { 2 };
        report.add(&game(number, &seats, &seats.map(place)));
    }
    report.verdict_in_words().unwrap()
}

#[test]
fn the_verdict_names_the_better_engine_if_it_is_known() {
    let won = verdict(16, ["a", "b"]);
    assert!(won.starts_with("a beats b: 80.0 %"), "{won}");
    // The first engine of the list is not the one that wins.
    let lost = verdict(16, ["b", "a"]);
    assert_eq!(lost, won);
    let open = verdict(11, ["a", "b"]);
    assert!(open.starts_with("a against b: undecided, 55.0 %"), "{open}");
}

#[test]
fn a_single_engine_shows_the_shares_of_the_seats() {
    let mut report = Report::new(vec!["a".to_string()], 2, 2);
    assert_eq!(report.summary(), None);
    (1..=4).for_each(|number| report.add(&game(number, &["a", "a"], &[1, 2])));
    let expected = "seat 1 100.0 % ± 84.2, seat 2 0.0 % ± 84.2 of the points (4 games)";
    assert_eq!(report.summary().as_deref(), Some(expected));
}

#[test]
fn with_more_seats_all_pairs_of_them_are_compared() {
    let games = [
        game(1, &["a", "b", "a"], &[1, 2, 3]),
        game(2, &["b", "a", "a"], &[1, 2, 2]),
        game(3, &["a", "a", "b"], &[1, 2, 2]),
    ];
    let standings = standings(&["a", "b"], &games);
    let scores = standings.head_to_head().unwrap();
    assert_eq!((scores.blocks(), scores.pairs_per_block()), (1, 6));
    // 1 of 2, 0 of 2, and 1 1/2 of 2.
    assert_eq!(scores.mean(), Some(2.5 / 6.0));
    assert_eq!(scores.as_pentanomial(), None);
}

/// Places of several games with three seats.
fn results() -> impl Strategy<Value = Vec<[u32; 3]>> {
    let places = prop_oneof![
        Just([1, 2, 3]),
        Just([3, 1, 2]),
        Just([2, 1, 3]),
        Just([1, 1, 3]),
        Just([1, 2, 2]),
        Just([1, 1, 1]),
    ];
    prop::collection::vec(places, 1..30)
}

proptest! {
    #[test]
    fn the_order_in_which_games_end_makes_no_difference(
        (results, order) in results().prop_flat_map(|results| {
            let order: Vec<usize> = (0..results.len()).collect();
            (Just(results), Just(order).prop_shuffle())
        })
    ) {
        let mut seats = ["a", "b", "a"];
        let mut games = Vec::new();
        for (index, places) in results.iter().enumerate() {
            games.push(game(index as u64 + 1, &seats, places));
            seats.rotate_left(1);
        }
        let in_order = standings(&["a", "b"], &games);
        let shuffled: Vec<GameRecord> = order.iter().map(|&index| games[index].clone()).collect();
        let shuffled = standings(&["a", "b"], &shuffled);
        prop_assert_eq!(in_order.ratings(), shuffled.ratings());
        prop_assert_eq!(in_order.head_to_head(), shuffled.head_to_head());
    }

    #[test]
    fn a_score_tells_the_difference_of_points(
        results in prop::collection::vec(1..=6u32, 2..=6), split in 1..=5usize
    ) {
        // Places by definition: 1 + the number of better results.
        let better = |result: &u32| results.iter().filter(|other| *other < result).count() as u32;
        let places: Vec<u32> = results.iter().map(|result| 1 + better(result)).collect();
        let seats = places.len();
        let split = split.min(seats - 1);
        let engines: Vec<Option<usize>> = (0..seats).map(|seat| Some(usize::from(seat >= split))).collect();
        let mut crosstable = Crosstable::default();
        crosstable.add(&engines, &places);
        let game = crosstable.between(0, 1);
        let score = f64::from(game.halves) / f64::from(2 * game.pairs);
        let points = points(&places);
        let mean = |points: &[f64]| points.iter().sum::<f64>() / points.len() as f64;
        let difference = mean(&points[..split]) - mean(&points[split..]);
        let expected = seats as f64 * (score - 0.5);
        prop_assert!((difference - expected).abs() < 1e-9, "{places:?}: {difference}, {expected}");
    }

    #[test]
    fn what_the_one_wins_the_other_loses(
        places in prop::array::uniform6(1..=6u32), seats in prop::array::uniform6(prop::option::of(0..3usize))
    ) {
        let mut crosstable = Crosstable::default();
        crosstable.add(&seats, &places);
        let (one, other) = (crosstable.between(0, 1), crosstable.between(1, 0));
        prop_assert_eq!(one.pairs, other.pairs);
        prop_assert_eq!(one.halves + other.halves, 2 * one.pairs);
    }
}
