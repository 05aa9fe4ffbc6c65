//! The ways to play Rabbits and Wolves: perfectly, as in its article, and by our search.

mod article;
mod drawn_tree;
mod levels;
mod perfect;
mod searched;
mod slow_minimax;

use buxtehude::rules::fox::{Position, RABBIT, Square, WOLVES};
use buxtehude::rules::{AnyPosition, Game, Seat, Turn};
use buxtehude::search::{Answer, Control, Memory, Preset, Report, Request, search};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

/// `count` positions with a seat to move, half of them random placements, half from random games.
fn random_positions(seed: u64, count: usize) -> Vec<Position> {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut positions = Vec::new();
    while positions.len() < count {
        let position =
            if positions.len() % 2 == 0 { placement(&mut rng) } else { from_a_game(&mut rng) };
        positions.extend(position.filter(|position| position.turn() != Turn::Over));
    }
    positions
}

fn placement(rng: &mut StdRng) -> Option<Position> {
    let mut square = || Square::new(rng.random_range(0..32));
    let wolves = (0..4).fold(0, |wolves, _| wolves | square().bit());
    let rabbit = square();
    let mover = [RABBIT, WOLVES][rng.random_range(0..2)];
    Position::new(rabbit, wolves, mover)
}

fn from_a_game(rng: &mut StdRng) -> Option<Position> {
    let rabbit = Square::new(rng.random_range(0..4));
    let mut position = Position::new(rabbit, 0xF000_0000, RABBIT)?;
    for _ in 0..rng.random_range(0..30) {
        let mv = position.legal_moves().choose(rng)?;
        position = position.play_unchecked(mv);
    }
    Some(position)
}

fn position(text: &str) -> Position {
    Position::parse(&(), text).unwrap()
}

fn request(position: &Position, preset: Preset) -> Request {
    Request { preset, ..Request::new(AnyPosition::Fox(*position), 1) }
}

/// Reports and answer of a search with a seat to move.
fn run(request: &Request) -> (Vec<Report>, Answer) {
    let mut reports = Vec::new();
    let mut memory = Memory::new(1);
    let control = Control::new(None);
    let answer = search(request, &mut memory, &control, &mut |report| {
        reports.push(report);
    });
    (reports, answer.expect("a seat is to move"))
}

/// The expected `score mate` if the game ends after `plies` plies.
fn mate(mover: Seat, winner: Seat, plies: u32) -> i32 {
    let own_moves = plies.div_ceil(2) as i32;
    if winner == mover { own_moves } else { -own_moves }
}
