//! Levels and ratings in Rabbits and Wolves, played by engine processes.

use buxtehude::rules::fox::{Position, RABBIT, WOLVES};
use buxtehude::rules::{Game, Turn};
use buxtehude::search::LEVELS;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;

use super::random_positions;
use crate::common::client::Engine;

fn engine(options: &[&str]) -> Engine {
    let mut engine = Engine::start();
    engine.ask("setoption name UCI_Variant value fox-and-hounds");
    for option in options {
        assert_eq!(engine.ask(&format!("setoption name {option}")), [""; 0]);
    }
    engine
}

fn at_level(level: usize) -> Engine {
    engine(&[&format!("Level value {level}")])
}

/// The engine's answer to `go depth 1`.
fn answer(engine: &mut Engine, position: &str) -> String {
    engine.send(&format!("position {position}"));
    engine.send("go depth 1");
    engine.line_of("bestmove")
}

/// A game after random opening moves, and the winner's seat; a seat without an engine moves at random.
fn winner(seats: [Option<&mut Engine>; 2], opening: usize, rng: &mut StdRng) -> usize {
    let mut seats = seats;
    let mut position = Position::start(&(), 2).unwrap();
    let mut moves = String::new();
    let mut ply = 0;
    while let Turn::Seat(seat) = position.turn() {
        let mv = match &mut seats[seat.index()] {
            Some(engine) if ply >= opening => {
                let answer = answer(engine, &format!("startpos moves{moves}"));
                answer.split(' ').nth(1).unwrap().parse().unwrap()
            }
            _ => position.legal_moves().choose(rng).unwrap(),
        };
        position.play(mv).unwrap();
        moves += &format!(" {mv}");
        ply += 1;
    }
    usize::from(position.winner() == Some(WOLVES))
}

/// Number of points of the first engine in pairs of games, each pair from the same random opening.
fn points(first: &mut Engine, second: &mut Engine, pairs: u64) -> usize {
    let play = |seed| {
        let rng = || StdRng::seed_from_u64(seed);
        let as_rabbit = winner([Some(&mut *first), Some(&mut *second)], 4, &mut rng()) == 0;
        let as_wolves = winner([Some(&mut *second), Some(&mut *first)], 4, &mut rng()) == 1;
        usize::from(as_rabbit) + usize::from(as_wolves)
    };
    (0..pairs).map(play).sum()
}

#[test]
fn a_higher_level_wins_more_games() {
    for levels in [[1, 4], [4, 7], [7, 10]] {
        let [mut lower, mut higher] = levels.map(at_level);
        let points = points(&mut higher, &mut lower, 20);
        assert!(points > 24, "{levels:?}: {points} of 40");
    }
}

#[test]
fn the_lowest_wolves_lose_most_games_to_a_rabbit_that_moves_at_random() {
    let mut wolves = at_level(1);
    let mut rng = StdRng::seed_from_u64(1);
    let mut play = || winner([None, Some(&mut wolves)], 0, &mut rng);
    let lost = (0..40).filter(|_| play() == RABBIT.index()).count();
    assert!(lost > 24, "{lost} of 40");
}

#[test]
fn the_last_level_and_rating_are_perfect_and_others_err_alike_each_time() {
    let positions: Vec<String> =
        random_positions(25, 40).iter().map(|position| format!("fen {position}")).collect();
    let answers = |mut engine: Engine| -> Vec<String> {
        let answers = positions.iter().map(|position| answer(&mut engine, position));
        answers.collect()
    };
    let perfect = answers(engine(&[]));
    assert_eq!(answers(at_level(LEVELS.len())), perfect);
    for level in [1, 5, 9] {
        let rating = format!("UCI_Elo value {}", LEVELS[level - 1].elo);
        let weaker = answers(at_level(level));
        assert_ne!(weaker, perfect);
        assert_eq!(answers(at_level(level)), weaker);
        assert_eq!(answers(engine(&["UCI_LimitStrength value true", &rating])), weaker);
    }
    let full = answers(engine(&["UCI_LimitStrength value true", "UCI_Elo value 2000"]));
    assert_eq!(full, perfect);
}

#[test]
fn even_the_lowest_level_takes_a_win_that_is_there() {
    let mut engine = at_level(1);
    for (position, best) in [
        ("7h/4F3/8/8/8/8/8/h1h1h3 w", "e7d8 estimate 1000 0"),
        ("8/8/8/8/8/2h5/7h/F3h1h1 b", "c3b2 estimate 0 1000"),
    ] {
        let answer = answer(&mut engine, &format!("fen {position}"));
        assert_eq!(answer, format!("bestmove {best}"));
    }
}

#[test]
fn a_level_ranks_the_moves_that_it_is_asked_for_and_keeps_to_searchmoves() {
    let mut engine = engine(&["Level value 3", "MultiPV value 8"]);
    engine.send("position startpos moves e1d2");
    engine.send("go depth 5 searchmoves d8c7 d8e7 f8e7");
    let lines = engine.lines_to("bestmove");
    let first = lines[0].split(' ').next_back().unwrap();
    assert_eq!(lines.len(), 4, "{lines:?}");
    assert!(lines[3].starts_with(&format!("bestmove {first} ")), "{lines:?}");
}
