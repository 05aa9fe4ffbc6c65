//! The library's engine: its errors, and a game whose past it takes into account.

use buxtehude::rules::{Seat, Variant};
use buxtehude::search::Strength;
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
    let answer = engine.level(1).unwrap().best_move(&start, Limits::default()).unwrap();
    assert!(answer.nodes <= 400, "{}", answer.nodes);
}

#[test]
fn a_level_or_a_limit_that_does_not_exist_is_refused() {
    for level in [0, 11, 77, u32::MAX] {
        let error = engine().0.level(level).unwrap_err();
        assert_eq!(error.to_string(), format!("level {level}: expected 1 to 10"));
    }
    let (mut engine, variant) = engine();
    let start = variant.start(2).unwrap();
    for (limits, limit) in [
        (Limits::nodes(0), "nodes"),
        (Limits::depth(0), "depth"),
        (Limits::movetime(0), "movetime"),
        (Limits { depth: Some(0), ..Limits::movetime(10) }, "depth"),
    ] {
        let error = engine.best_move(start, limits).unwrap_err();
        assert_eq!(error, EngineError::ZeroLimit { limit });
        assert_eq!(error.to_string(), format!("{limit} 0: expected at least 1"));
    }
    let mut engine = engine.strength(Strength { nodes: 0, ..Strength::FULL });
    let error = engine.best_move(start, Limits::depth(1)).unwrap_err();
    assert_eq!(error, EngineError::ZeroLimit { limit: "nodes" });
}

#[test]
fn an_answer_has_a_share_for_each_seat() {
    let variant = Variant::by_name("hase-und-igel").unwrap();
    for seats in 2..=6 {
        let start = variant.start(seats).unwrap();
        let answer = Engine::new(variant).best_move(start, Limits::nodes(200)).unwrap();
        let shares = answer.shares();
        assert_eq!((shares.len(), shares.iter().sum::<u16>()), (seats, 1000), "{shares:?}");
    }
    let (mut engine, variant) = engine();
    let won = variant.parse("63,5,0/10,68,3/20,68,3 1 - -").unwrap();
    assert_eq!(engine.best_move(won, Limits::depth(1)).unwrap().shares()[0], 667);
}
