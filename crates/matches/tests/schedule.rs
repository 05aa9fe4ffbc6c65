//! Laws of the schedule, for any plan.

use std::collections::HashMap;

use buxtehude::rules::{Seat, Turn, VARIANTS};
use matches::plan::deck::Seed;
use matches::plan::deck::{Deck, Draws};
use matches::plan::rules::Position;
use matches::plan::schedule::{Schedule, ScheduledGame};
use matches::plan::{EngineSpec, Limit, Plan};
use proptest::prelude::*;

fn plan(seats: usize, engines: usize, seed: Seed, random_plies: u32) -> Plan {
    let engine = |number| EngineSpec::new(&format!("engine {number}"), "true", Limit::depth(1));
    Plan {
        games: 100 * seats as u64,
        seed,
        random_plies,
        ..Plan::new(&VARIANTS[0], seats, (0..engines).map(engine).collect())
    }
}

/// Games of a block, counted from 0.
fn block(schedule: &Schedule, seats: usize, block: u64) -> Vec<ScheduledGame> {
    let first = block * seats as u64 + 1;
    (first..first + seats as u64).map(|number| schedule.game(number).unwrap()).collect()
}

fn after(game: &ScheduledGame, plan: &Plan) -> Position {
    game.opening.position(&plan.rules, plan.seats).unwrap()
}

fn seeds() -> impl Strategy<Value = Seed> {
    prop_oneof![any::<u64>().prop_map(Seed::Number), any::<[u8; 16]>().prop_map(Seed::Key)]
}

fn plans() -> impl Strategy<Value = Plan> {
    (2..=6usize, 1..=8usize, seeds(), 0..20u32)
        .prop_map(|(seats, engines, seed, random_plies)| plan(seats, engines, seed, random_plies))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn every_engine_sits_equally_often_in_each_seat_of_a_block(plan in plans(), number in 0..90u64) {
        let schedule = Schedule::new(&plan).unwrap();
        let games = block(&schedule, plan.seats, number);
        let mut sittings = HashMap::new();
        for game in &games {
            prop_assert_eq!(game.block, number + 1);
            prop_assert_eq!(game.seats.len(), plan.seats);
            for (seat, seated) in game.seats.iter().enumerate() {
                *sittings.entry((seated.engine, seat)).or_insert(0) += 1;
            }
        }
        for (&(engine, _), &times) in &sittings {
            let first = sittings.get(&(engine, 0)).copied().unwrap_or(0);
            prop_assert_eq!(times, first, "engine {}: {:?}", engine, sittings);
        }
    }

    #[test]
    fn every_process_of_a_game_is_another(plan in plans(), number in 1..100u64) {
        let mut seats = Schedule::new(&plan).unwrap().game(number).unwrap().seats;
        seats.sort();
        seats.dedup();
        prop_assert_eq!(seats.len(), plan.seats);
    }

    #[test]
    fn a_block_has_one_opening_and_one_deck(plan in plans(), number in 0..90u64) {
        let schedule = Schedule::new(&plan).unwrap();
        let games = block(&schedule, plan.seats, number);
        for game in &games {
            prop_assert_eq!(&game.opening, &games[0].opening);
            prop_assert_eq!(game.deck_seed, games[0].deck_seed);
        }
        let other = block(&schedule, plan.seats, number + 1);
        prop_assert_ne!(other[0].deck_seed, games[0].deck_seed);
    }

    #[test]
    fn the_same_seed_gives_the_same_game(plan in plans(), number in 1..100u64) {
        let again = plan.clone();
        let game = Schedule::new(&plan).unwrap().game(number).unwrap();
        prop_assert_eq!(Schedule::new(&again).unwrap().game(number).unwrap(), game);
    }

    #[test]
    fn a_game_follows_from_what_its_block_was_dealt_whatever_the_seed(plan in plans(), number in 1..100u64) {
        let schedule = Schedule::new(&plan).unwrap();
        let other = Plan { seed: Seed::Number(0), ..plan.clone() };
        let other = Schedule::new(&other).unwrap().game_dealt(number, schedule.dealt(number).unwrap());
        prop_assert_eq!(other, schedule.game(number).unwrap());
    }

    #[test]
    fn random_plies_finish_no_hare_and_draw_their_cards(plan in plans(), number in 1..100u64) {
        let game = Schedule::new(&plan).unwrap().game(number).unwrap();
        let plies = game.opening.moves.iter().filter(|word| !word.starts_with('+')).count();
        prop_assert_eq!(plies, plan.random_plies as usize, "{:?}", game);
        let position = after(&game, &plan);
        prop_assert!(matches!(position.turn(), Turn::Seat(_)), "{position}");
        for seat in 0..plan.seats {
            prop_assert_eq!(position.place(Seat(seat as u8)), None, "{}", position);
        }
    }

    /// Drawing again from the seed gives the cards of the opening.
    #[test]
    fn the_cards_of_random_plies_are_the_first_of_the_deck(plan in plans(), number in 1..100u64) {
        let game = Schedule::new(&plan).unwrap().game(number).unwrap();
        let mut deck = Deck::new(game.deck_seed, Draws::Game);
        let mut position = plan.rules.start(plan.seats).unwrap();
        for word in &game.opening.moves {
            if let Turn::Card(seat) = position.turn() {
                prop_assert_eq!(&deck.draw(seat, &position.outcomes()), word);
            }
            position.play(word).unwrap();
        }
    }
}

#[test]
fn fewer_engines_than_seats_are_filled_in_order() {
    let plan = plan(5, 2, Seed::Number(1), 0);
    let seats: Vec<(usize, usize)> = Schedule::new(&plan)
        .unwrap()
        .game(1)
        .unwrap()
        .seats
        .iter()
        .map(|seat| (seat.engine, seat.copy))
        .collect();
    assert_eq!(seats, [(0, 0), (1, 0), (0, 1), (1, 1), (0, 2)]);
}

#[test]
fn more_engines_than_seats_play_in_every_combination() {
    let plan = plan(2, 4, Seed::Number(1), 0);
    let schedule = Schedule::new(&plan).unwrap();
    let pairs: Vec<Vec<usize>> = (1..=14)
        .map(|number| schedule.game(number).unwrap().seats.iter().map(|seat| seat.engine).collect())
        .collect();
    let expected = [
        [0, 1],
        [1, 0],
        [0, 2],
        [2, 0],
        [0, 3],
        [3, 0],
        [1, 2],
        [2, 1],
        [1, 3],
        [3, 1],
        [2, 3],
        [3, 2],
        [0, 1],
        [1, 0],
    ];
    assert_eq!(pairs, expected);
}

#[test]
fn every_combination_plays_an_opening_before_the_next_one_begins() {
    let mut plan = plan(2, 3, Seed::Number(1), 0);
    plan.openings =
        ["1", "3"].map(|mv| format!("startpos moves {mv} +show").parse().unwrap()).to_vec();
    let schedule = Schedule::new(&plan).unwrap();
    let first_moves: Vec<String> =
        (1..=14).map(|number| schedule.game(number).unwrap().opening.moves[0].clone()).collect();
    let expected = ["1", "1", "1", "1", "1", "1", "3", "3", "3", "3", "3", "3", "1", "1"];
    assert_eq!(first_moves, expected);
}

#[test]
fn different_seeds_give_different_openings() {
    let seeds = (0..5).map(Seed::Number).chain((0..5).map(|byte| Seed::Key([byte; 16])));
    let openings: Vec<Vec<String>> = seeds
        .map(|seed| Schedule::new(&plan(3, 3, seed, 8)).unwrap().game(1).unwrap().opening.moves)
        .collect();
    for (index, opening) in openings.iter().enumerate() {
        assert!(!openings[..index].contains(opening), "{openings:?}");
    }
}
