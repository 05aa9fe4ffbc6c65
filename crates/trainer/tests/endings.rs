//! Tests the solver of endings against a slow search without memory, and against positions with a known value.

use buxtehude::eval::hase::Weights;
use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{Game, Seat, Turn};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trainer::endings::{Solver, errors};
use trainer::player::Player;
use trainer::player::opening;
use trainer::records::RecordedGame;

use super::{game, position};

/// Bounds of the first seat's chance from a search `depth` plies deep, with 0 and 1 at its leaves.
fn slow_bounds(position: &Position, depth: u32) -> (f64, f64) {
    if let Some(place) = position.place(Seat(0)) {
        let value = f64::from(u8::from(place == 1));
        return (value, value);
    }
    if depth == 0 {
        return (0.0, 1.0);
    }
    let moves = || {
        let next = position.legal_moves().map(|mv| position.play_unchecked(mv));
        next.map(|next| slow_bounds(&next, depth - 1))
    };
    match position.turn() {
        Turn::Seat(Seat(0)) => {
            moves().fold((0.0, 0.0), |best, next| (next.0.max(best.0), next.1.max(best.1)))
        }
        Turn::Card(_) => {
            let whole: u32 = position.outcomes().map(|(_, weight)| weight).sum();
            position.outcomes().fold((0.0, 0.0), |sum, (card, weight)| {
                let next = slow_bounds(&position.draw_unchecked(card), depth - 1);
                let part = f64::from(weight) / f64::from(whole);
                (sum.0 + part * next.0, sum.1 + part * next.1)
            })
        }
        _ => moves().fold((1.0, 1.0), |best, next| (next.0.min(best.0), next.1.min(best.1))),
    }
}

#[test]
fn a_solved_ending_lies_between_slow_bounds() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    let mut solver = Solver::new(50_000);
    let mut solved = 0;
    let mut inside = 0;
    while solved < 40 {
        let position = opening(&HASE_UND_IGEL, 2, &mut random);
        let ways = [Seat(0), Seat(1)].map(|seat| position.turns_home(seat).unwrap());
        if position.place(Seat(0)).is_some() || ways.iter().any(|&way| way > 3) {
            continue;
        }
        let Some(value) = solver.value(&position) else {
            continue;
        };
        let (least, most) = slow_bounds(&position, 4);
        assert!(
            least - 0.001 <= value && value <= most + 0.001,
            "{value} {least} {most}\n{position:?}"
        );
        solved += 1;
        inside += usize::from(most - least < 0.5);
    }
    assert!(inside > 10, "slow bounds say something of {inside}");
}

#[test]
fn who_is_home_with_the_next_move_has_won() {
    let mut solver = Solver::new(1000);
    for (text, value) in [
        ("63,5,0/61,10,0 1 - -", Some(1.0)),
        ("63,5,0/61,10,0 2 - -", Some(0.0)),
        ("64,5,0/61,10,0 2 1 -", Some(1.0)),
        ("0,68,3/0,68,3 1 - -", None),
    ] {
        assert_eq!(solver.value(&position(text)), value, "{text}");
    }
}

#[test]
fn a_net_that_knows_nothing_errs_by_half_where_all_is_certain() {
    let weights = Weights::zero("hase-und-igel", 2);
    let mut player = Player::new(&HASE_UND_IGEL, &weights, 50);
    let games =
        [("63,5,0/61,10,0 1 - -", "1"), ("0,68,3/0,68,3 1 - -", "5")].map(|(start, moves)| {
            let line = serde_json::to_string(&game(&["a", "b"], start, moves)).unwrap();
            RecordedGame::parse(line.as_bytes()).unwrap()
        });
    let errors = errors(&mut player, &games, 3, &mut Solver::new(1000));
    assert_eq!((errors.solved, errors.given_up), (1, 0));
    assert_eq!(errors.by_static_evaluation, 0.5);
    assert!(errors.searched < 0.02, "{errors:?}");
}
