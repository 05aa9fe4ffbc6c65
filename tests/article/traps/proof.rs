//! Value of a move by proof, and the article's choice in a position.
//!
//! The proof has two parts, and neither uses the article's evaluation: a deep search with our own preset, which
//! averages over the remaining cards, and races played out between equally deep searches of that preset.

use buxtehude::articles::ArticleSettings;
use buxtehude::articles::lookahead::HareModel;
use buxtehude::eval::{expected_leads, shares};
use buxtehude::rules::hase::{Move, Position, Square};
use buxtehude::rules::{AnyPosition, Game, Seat, Turn};
use buxtehude::search::{self, Answer, Control, Memory, Past, Preset, Request};
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;

use crate::common::evaluators::{memory, net};

/// Depths at which the article's presets are tested.
pub const DEPTHS: std::ops::RangeInclusive<u32> = 3..=6;

/// Size of a search's transposition table, in mebibytes.
const TABLE: usize = 16;

/// Number of turns after which a race is stopped and counts by its estimate.
const MAX_TURNS: usize = 300;

/// The seat to move.
pub fn mover(position: &Position) -> Seat {
    match position.turn() {
        Turn::Seat(seat) => seat,
        other => panic!("{other:?} is due in\n{position:?}"),
    }
}

/// `true` if a move leads forward to a hare square.
pub fn is_to_a_hare(position: &Position, mv: Move) -> bool {
    let square = position.hare(mover(position)).square;
    let target = i16::from(square) + mv.code();
    (1..=64).contains(&mv.code()) && position.ruleset().track.square(target as u8) == Square::Hare
}

/// Move of the article's preset at a depth, with a hare model, `relative` and exact pruning.
pub fn article_plays(position: &Position, hare_model: HareModel, depth: u32) -> String {
    let mut settings = ArticleSettings::best();
    settings.hare_model = hare_model;
    let request = Request { preset: Preset::Article(settings), ..request(position, depth) };
    answer(&request, &mut Memory::new(0)).best
}

/// Moves of the article's preset at each of [`DEPTHS`].
pub fn article_plays_at_all(position: &Position, hare_model: HareModel) -> Vec<String> {
    DEPTHS.map(|depth| article_plays(position, hare_model, depth)).collect()
}

/// A move with its value by a search.
#[derive(Debug)]
pub struct Searched {
    pub mv: String,
    /// The mover's share of the points, in permille.
    pub share: u16,
    /// `true` if the mover's place is certain with all cards.
    pub is_certain: bool,
}

/// Searches for the best move, or for the value of the `asked` one.
pub fn search(position: &Position, asked: Option<&str>, depth: u32) -> Searched {
    let request = Request {
        searchmoves: asked.map(String::from).into_iter().collect(),
        ..request(position, depth)
    };
    let Answer { best, value, .. } = answer(&request, &mut memory(position, TABLE));
    Searched {
        mv: best,
        share: shares(&value.leads[..position.seats()])[mover(position).index()],
        is_certain: value.mate != 0,
    }
}

/// The mover's mean share of the points, in permille, over `races` races played out after a move until its place is
/// decided.
///
/// All seats search to the same depth, which is one ply greater in each further third of the races. Card n of race m is
/// the same for every move.
pub fn played_share(position: &Position, mv: &str, races: u64) -> u16 {
    let mover = mover(position);
    let first = mv.parse().expect("a move");
    let shallowest = if position.seats() == 2 { 3 } else { 2 };
    let share = |race: u64| {
        let end = play_out(position, first, shallowest + (race % 3) as u32, race);
        u64::from(shares(&expected_leads(&*net(&end), &end)[..end.seats()])[mover.index()])
    };
    let sum: u64 = (0..races).map(share).sum();
    (sum / races) as u16
}

/// Plays a race from a given first move until the mover's place is decided.
fn play_out(start: &Position, first: Move, depth: u32, seed: u64) -> Position {
    let mut cards = StdRng::seed_from_u64(seed);
    let mut memory = memory(start, 1);
    let mut past = Vec::from_iter(Past::of(&AnyPosition::Hase(*start)));
    let mut position = start.play_unchecked(first);
    while position.place(mover(start)).is_none() && past.len() < MAX_TURNS {
        position = match position.turn() {
            Turn::Over => return position,
            Turn::Card(_) => {
                let left: Vec<_> = position.outcomes().collect();
                let drawn = left.choose_weighted(&mut cards, |(_, number)| *number);
                position.draw_unchecked(drawn.expect("a card is left").0)
            }
            Turn::Seat(_) => {
                let request = Request { past: past.clone(), ..request(&position, depth) };
                let best = answer(&request, &mut memory).best;
                past.extend(Past::of(&AnyPosition::Hase(position)));
                position.play_unchecked(best.parse().expect("a move"))
            }
        };
    }
    position
}

/// A search with our own evaluation.
fn request(position: &Position, depth: u32) -> Request {
    Request::new(AnyPosition::Hase(*position), depth)
}

fn answer(request: &Request, memory: &mut Memory) -> Answer {
    search::search(request, memory, &Control::new(None), &mut |_| ())
        .unwrap_or_else(|| panic!("nothing to search in {request:?}"))
}
