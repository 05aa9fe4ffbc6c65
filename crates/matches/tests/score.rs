//! Laws of the score, and a match computed by hand.

use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};
use matches::report::Report;
use matches::score::{MeanScore, Standings, points};
use proptest::prelude::*;

fn game(number: u64, block: u64, seats: &[&str], places: &[u32]) -> GameRecord {
    let ending =
        |&place: &u32| if place as usize == places.len() { Ending::Last } else { Ending::Finish };
    GameRecord {
        game: number,
        block,
        variant: "hase-und-igel".to_string(),
        moves: number.to_string(),
        seats: seats.iter().map(|name| name.to_string()).collect(),
        places: places.to_vec(),
        endings: places.iter().map(ending).collect(),
        ..GameRecord::default()
    }
}

fn standings(names: &[&str], seats: usize, games: &[GameRecord]) -> Standings {
    let names = names.iter().map(|name| name.to_string()).collect();
    let mut report = Report::new(names, seats, seats);
    games.iter().for_each(|game| report.add(game));
    report.finish();
    report.standings().clone()
}

/// Any places that a game can end with: a finishing order whose last places may be shared.
fn places() -> impl Strategy<Value = Vec<u32>> {
    (2..=6usize)
        .prop_flat_map(|seats| {
            let order = Just((1..=seats as u32).collect::<Vec<u32>>()).prop_shuffle();
            (order, 1..=seats as u32, 0..=seats as u32)
        })
        .prop_map(|(order, from, to)| {
            let shared = |place| {
                if (from..=to).contains(&place) { from } else { place }
            };
            order.into_iter().map(shared).collect()
        })
}

proptest! {
    #[test]
    fn points_add_up_however_places_are_shared(places in places()) {
        let seats = places.len() as f64;
        let total: f64 = points(&places).iter().sum();
        prop_assert!((total - seats * (seats - 1.0) / 2.0).abs() < 1e-9, "{places:?}: {total}");
    }

    #[test]
    fn shares_add_up_to_one(results in prop::collection::vec(places(), 1..30), engines in 1..=6usize) {
        let seats = results[0].len();
        let engines = engines.min(seats);
        let all_names = ["a", "b", "c", "d", "e", "f"];
        let line_up: Vec<&str> = (0..seats).map(|seat| all_names[seat % engines]).collect();
        let games: Vec<GameRecord> = results
            .iter()
            .filter(|places| places.len() == seats)
            .enumerate()
            .map(|(index, places)| {
                let mut seated = line_up.clone();
                seated.rotate_left(index % seats);
                game(index as u64 + 1, (index / seats) as u64 + 1, &seated, places)
            })
            .collect();
        let standings = standings(&all_names[..engines], seats, &games);
        let of_engines: f64 = standings.engines().filter_map(|(_, tally)| tally.share()).sum();
        let of_seats: f64 = standings.seats().iter().filter_map(|tally| tally.share()).sum();
        let par: f64 = standings.engines().filter_map(|(_, tally)| tally.par()).sum();
        prop_assert!((of_engines - 1.0).abs() < 1e-9, "engines: {of_engines}");
        prop_assert!((of_seats - 1.0).abs() < 1e-9, "seats: {of_seats}");
        prop_assert!((par - 1.0).abs() < 1e-9, "par: {par}");
    }
}

#[test]
fn the_error_bar_is_over_blocks() {
    let games = [
        game(1, 1, &["a", "b", "c"], &[1, 2, 3]),
        game(2, 1, &["b", "c", "a"], &[1, 2, 3]),
        game(3, 1, &["c", "a", "b"], &[3, 1, 2]),
        game(4, 2, &["a", "b", "c"], &[1, 2, 3]),
        game(5, 2, &["b", "c", "a"], &[2, 3, 1]),
        game(6, 2, &["c", "a", "b"], &[2, 1, 3]),
        game(7, 3, &["a", "b", "c"], &[2, 1, 3]),
        game(8, 3, &["b", "c", "a"], &[2, 3, 1]),
        game(9, 3, &["c", "a", "b"], &[2, 1, 3]),
    ];
    let standings = standings(&["a", "b", "c"], 3, &games);
    let (name, a) = standings.engines().next().unwrap();
    assert_eq!((name, a.games, a.points, a.places.as_slice()), ("a", 9, 15.0, &[7, 1, 1][..]));
    assert_eq!(a.share(), Some(15.0 / 27.0));
    // Blocks won 4, 6 and 5 of 6 comparisons; the share is 2/3 of the score.
    let score = MeanScore::new([4.0, 6.0, 5.0].map(|won| (won / 6.0, 1)).into_iter());
    let (score, share) = (score.unwrap().interval(), a.interval().unwrap());
    let low = 15.0 / 27.0 - 2.0 / 3.0 * (score.value - score.low);
    let high = 15.0 / 27.0 + 2.0 / 3.0 * (score.high - score.value);
    assert!((share.low - low).abs() < 1e-9, "{share:?}, {low}");
    assert!((share.high - high).abs() < 1e-9, "{share:?}, {high}");
    assert!(share.high < 2.0 / 3.0, "no engine with one of three seats has more: {share:?}");
}

#[test]
fn only_comparisons_with_other_engines_have_an_error() {
    // The first engine wins every comparison with two seats of three, and then with one.
    let mut games = Vec::new();
    for block in 1..=20 {
        let (line_up, places) = match block % 2 {
            0 => (["a", "b", "a"], [1, 3, 2]),
            _ => (["b", "b", "a"], [2, 3, 1]),
        };
        for index in 0..3 {
            let (mut line_up, mut places) = (line_up, places);
            line_up.rotate_left(index);
            places.rotate_left(index);
            games.push(game(games.len() as u64 + 1, block, &line_up, &places));
        }
    }
    let standings = standings(&["a", "b"], 3, &games);
    let (_, a) = standings.engines().next().unwrap();
    let share = a.interval().unwrap();
    // With two seats 3 of 3 points per game, with one 2 of 3.
    assert_eq!(share.value, 2.5 / 3.0);
    assert!((share.high - 2.5 / 3.0).abs() < 1e-9, "{share:?}");
    let low = 2.5 / 3.0 - 2.0 / 3.0 * (1.0 - 0.025f64.powf(1.0 / 20.0));
    assert!((share.low - low).abs() < 1e-9, "{share:?}, {low}");
}

#[test]
fn a_block_that_is_not_whole_is_left_out_of_the_error_bar() {
    let mut games = vec![
        game(1, 1, &["a", "b"], &[1, 2]),
        game(2, 1, &["b", "a"], &[1, 2]),
        game(3, 2, &["a", "b"], &[1, 2]),
        game(4, 2, &["b", "a"], &[1, 2]),
    ];
    let error = |games: &[GameRecord]| {
        let standings = standings(&["a", "b"], 2, games);
        let (_, tally) = standings.engines().next()?;
        tally.interval().map(|interval| interval.error())
    };
    let of_two = error(&games).unwrap();
    games.push(game(5, 3, &["a", "b"], &[1, 2]));
    let of_more = error(&games).unwrap();
    assert!((of_more - of_two).abs() < 1e-9, "{of_two} {of_more}");
    games.truncate(3);
    assert_eq!(error(&games), None);
}

#[test]
fn an_engine_alone_has_no_error_bar() {
    let games = [1, 2].map(|number| game(number, 1, &["a", "a"], &[1, 2]));
    let standings = standings(&["a"], 2, &games);
    let (_, a) = standings.engines().next().unwrap();
    assert_eq!((a.share(), a.interval()), (Some(1.0), None), "{a:?}");
}

#[test]
fn copies_share_a_row() {
    let games = [game(1, 1, &["a", "b", "a"], &[1, 2, 3])];
    let standings = standings(&["a", "b"], 3, &games);
    let (_, a) = standings.engines().next().unwrap();
    assert_eq!((a.games, a.seatings, a.points), (1, 2, 2.0));
    assert_eq!(a.share(), Some(2.0 / 3.0));
    assert_eq!(a.par(), Some(2.0 / 3.0));
}

#[test]
fn depth_and_time_are_means_over_answers() {
    let mut one = game(1, 1, &["a", "b"], &[1, 2]);
    let turn = |seat, micros, depth| TurnRecord {
        seat,
        mv: "1".to_string(),
        micros: Some(micros),
        depth,
        ..TurnRecord::default()
    };
    one.turns = vec![turn(1, 1000, Some(4)), turn(2, 7, None), turn(1, 3000, Some(6))];
    let standings = standings(&["a", "b"], 2, &[one]);
    let means: Vec<_> =
        standings.engines().map(|(_, tally)| (tally.mean_depth(), tally.mean_ms())).collect();
    assert_eq!(means, [(Some(5.0), Some(2.0)), (None, Some(0.007))]);
}
