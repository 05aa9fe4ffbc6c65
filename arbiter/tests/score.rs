//! Laws of the score, and a match computed by hand.

use matches::record::ending::Ending;
use matches::record::{GameRecord, TurnRecord};
use matches::score::{Standings, points};
use proptest::prelude::*;

fn game(number: u64, block: u64, seats: &[&str], places: &[u32]) -> GameRecord {
    let ending = |&place: &u32| match place as usize == places.len() {
        true => Ending::Last,
        false => Ending::Finish,
    };
    GameRecord {
        game: number,
        block,
        variant: "hase-und-igel".to_string(),
        seats: seats.iter().map(|name| name.to_string()).collect(),
        places: places.to_vec(),
        endings: places.iter().map(ending).collect(),
        ..GameRecord::default()
    }
}

fn standings(names: &[&str], seats: usize, games: &[GameRecord]) -> Standings {
    let names = names.iter().map(|name| name.to_string()).collect();
    let mut standings = Standings::new(names, seats, seats);
    games.iter().for_each(|game| standings.add(game));
    standings
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
                if (from..=to).contains(&place) {
                    from
                } else {
                    place
                }
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
    let two_blocks = standings(&["a", "b", "c"], 3, &games[..6]);
    // 12.706 times a standard error of 1/9 exceeds the whole range of shares.
    let of_two = two_blocks.engines().next().unwrap().1;
    assert_eq!(of_two.error(), None, "{of_two:?}");
    let standings = standings(&["a", "b", "c"], 3, &games);
    let (name, a) = standings.engines().next().unwrap();
    assert_eq!(
        (name, a.games, a.points, a.places.as_slice()),
        ("a", 9, 15.0, &[7, 1, 1][..])
    );
    assert_eq!(a.share(), Some(15.0 / 27.0));
    // 4, 6 and 5 of 9: a standard error of 1/9 divided by the root of 3, and Student's t for two degrees of freedom.
    let error = a.error().unwrap();
    assert!(
        (error - 4.302_652_73 / 9.0 / 3f64.sqrt()).abs() < 1e-8,
        "{error}"
    );
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
        standings
            .engines()
            .next()
            .and_then(|(_, tally)| tally.error())
    };
    assert_eq!(error(&games), Some(0.0));
    games.push(game(5, 3, &["a", "b"], &[1, 2]));
    assert_eq!(error(&games), Some(0.0));
    games.truncate(3);
    assert_eq!(error(&games), None);
}

#[test]
fn an_engine_alone_has_no_error_bar() {
    let games = [1, 2].map(|number| game(number, number, &["a", "a"], &[1, 2]));
    let standings = standings(&["a"], 2, &games);
    let (_, a) = standings.engines().next().unwrap();
    assert_eq!((a.share(), a.error()), (Some(1.0), None), "{a:?}");
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
    one.turns = vec![
        turn(1, 1000, Some(4)),
        turn(2, 7, None),
        turn(1, 3000, Some(6)),
    ];
    let standings = standings(&["a", "b"], 2, &[one]);
    let means: Vec<_> = standings
        .engines()
        .map(|(_, tally)| (tally.mean_depth(), tally.mean_ms()))
        .collect();
    assert_eq!(means, [(Some(5.0), Some(2.0)), (None, Some(0.007))]);
}
