//! The library's engine: its errors, and a game whose past it takes into account.

use buxtehude::rules::{Seat, Variant};
use buxtehude::{CurrentGame, Engine, EngineError, Limits};

/// Seat 1 gives carrots until it may finish.
const AT_THE_FINISH: &str = "59,35,0/55,80,0 1 - -";

fn engine() -> (Engine, &'static Variant) {
    let variant = Variant::by_name("hase-und-igel").unwrap();
    (Engine::new(variant), variant)
}

#[test]
fn playing_a_game_records_its_past_and_the_engine_does_not_repeat_it() {
    let (mut engine, variant) = engine();
    let start = variant.parse(AT_THE_FINISH).unwrap();
    let answer = engine.best_move(start, Limits::nodes(300)).unwrap();
    assert_eq!(answer.best, "1002");
    let mut game = CurrentGame::from(start);
    for word in ["1002", "1002", "1001", "1001"] {
        game.play(word).unwrap();
    }
    assert_eq!(*game.position(), start);
    let movers: Vec<Seat> = game.past().iter().map(|past| past.mover).collect();
    assert_eq!(movers, [Seat(0), Seat(1), Seat(0), Seat(1)]);
    let answer = engine.best_move(&game, Limits::nodes(300)).unwrap();
    assert_ne!(answer.best, "1002");
    let before = game.clone();
    game.play("64").unwrap_err();
    assert_eq!(game, before);
}

#[test]
fn an_engine_without_a_move_or_a_limit_says_so() {
    let (mut engine, variant) = engine();
    let card = variant.parse("14,5,3/0,68,3 1?6 - -").unwrap();
    let error = engine.best_move(card, Limits::depth(1)).unwrap_err();
    assert!(matches!(&error, EngineError::CardDue { seat: Seat(0), .. }), "{error}");
    assert!(error.to_string().contains("+half"), "{error}");
    let over = variant.parse("64,10,0/0,68,3 2 1 -").unwrap();
    let error = engine.best_move(over, Limits::depth(1)).unwrap_err();
    assert_eq!(error, EngineError::Over);
    let start = engine.start(2).unwrap();
    let error = engine.best_move(&start, Limits::default()).unwrap_err();
    assert_eq!(error, EngineError::Unlimited);
    // A level limits the search itself.
    let answer = engine.level(1).best_move(&start, Limits::default()).unwrap();
    assert!(answer.nodes <= 400, "{}", answer.nodes);
}
