//! Searches for hare traps: positions where the article's preset with its first remedy, the penalty, wrongly steps on a
//! hare square. Also searches for refusals: positions where the preset with its final remedy wrongly avoids one.
//!
//! `cargo run --release --example find_traps -- traps 2 48 7 20000`: the arguments are `traps` or `refusals`, the
//! number of seats, the lowest square of the hares, a seed, and the number of random positions, of which illegal ones
//! are skipped. Each result is a line: the position, the move played and the better one, the shares of both in a search
//! in permille, and the preset's moves at depths 3 to 6 with each hare model.

#[path = "../tests/common"]
mod common {
    pub mod evaluators;
}
#[path = "../tests/article/traps/proof.rs"]
#[allow(dead_code, reason = "the tests use more of it")]
mod proof;

use std::process::ExitCode;

use buxtehude::eval::lookahead::HareModel;
use buxtehude::rules::Game;
use buxtehude::rules::hase::{HASE_UND_IGEL, Move, Position};
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};

use proof::{article_plays_at_all, is_to_a_hare, search};

/// Depths of the searches that must confirm a result, each with the smallest loss in permille.
const SIEVES: [(u32, u16); 3] = [(4, 60), (6, 80), (8, 80)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let find = match words.first() {
        Some(&"traps") => trap,
        Some(&"refusals") => refusal,
        _ => return usage(),
    };
    let numbers: Vec<u64> = words[1..].iter().flat_map(|word| word.parse()).collect();
    let [seats @ 2..=6, from @ 0..=63, seed, tries] = numbers[..] else {
        return usage();
    };
    let mut rng = StdRng::seed_from_u64(seed);
    let mut positions = 0;
    for _ in 0..tries {
        let Some(position) = random_position(&mut rng, seats, from as u8) else {
            continue;
        };
        positions += 1;
        if let Some(found) = find(&position) {
            println!("{found}");
        }
    }
    eprintln!("{positions} positions");
    ExitCode::SUCCESS
}

fn usage() -> ExitCode {
    eprintln!(
        "find_traps: expected traps or refusals, 2 to 6 seats, a square from 0 to 63, a seed and the number of positions"
    );
    ExitCode::from(2)
}

/// Generates a random position; returns `None` if it breaks a rule.
fn random_position(rng: &mut StdRng, seats: u64, from: u8) -> Option<Position> {
    let last = (from + 16).min(63);
    let hares: Vec<String> = (0..seats)
        .map(|_| {
            let square = rng.random_range(from..=last);
            let carrots = rng.random_range(0..70);
            let most = HASE_UND_IGEL.track.lettuces_ahead(square).min(3);
            let lettuces = if square > 57 {
                0
            } else {
                rng.random_range(0..=most)
            };
            format!("{square},{carrots},{lettuces}")
        })
        .collect();
    let mut drawn = String::new();
    if rng.random_range(0..4) == 0 {
        for letter in "BDRHFSG".chars() {
            let number = rng.random_range(0..=2);
            drawn.extend(std::iter::repeat_n(letter, number));
        }
    }
    if drawn.is_empty() {
        drawn.push('-');
    }
    Position::parse(&HASE_UND_IGEL, &format!("{} 1 - {drawn}", hares.join("/"))).ok()
}

/// A trap: with the penalty the preset steps on a hare square at one of the depths, which is a mistake.
fn trap(position: &Position) -> Option<String> {
    let played = article_plays_at_all(position, HareModel::ArticlePenalty);
    let tempting = played
        .iter()
        .find(|mv| is_to_a_hare(position, mv.parse().expect("a move")))?;
    let (better, shares) = loss(position, tempting, |_| true)?;
    Some(describe(position, tempting, &better, &shares))
}

/// A refusal: a step on one of the last hare squares is best, but with the final remedy the preset never plays it.
fn refusal(position: &Position) -> Option<String> {
    let played = article_plays_at_all(position, HareModel::Article);
    let square = position.hare(proof::mover(position)).square;
    let is_right = |mv: &str| {
        let mv: Move = mv.parse().expect("a move");
        let target = i16::from(square) + mv.code();
        is_to_a_hare(position, mv) && position.ruleset().last_hares >> target & 1 == 1
    };
    if played.iter().any(|mv| is_right(mv)) {
        return None;
    }
    let (better, shares) = loss(position, &played[played.len() - 1], is_right)?;
    Some(describe(
        position,
        &played[played.len() - 1],
        &better,
        &shares,
    ))
}

/// Returns the best move with the shares of both moves in the last search. The move must satisfy `is_right`, and
/// `played` must be sufficiently worse in every search.
fn loss(
    position: &Position,
    played: &str,
    is_right: impl Fn(&str) -> bool,
) -> Option<(String, String)> {
    let mut found = None;
    for (depth, least) in SIEVES {
        let depth = if position.seats() == 2 {
            depth
        } else {
            depth.min(6)
        };
        let best = search(position, None, depth);
        if best.mv == played || !is_right(&best.mv) {
            return None;
        }
        let less = search(position, Some(played), depth).share;
        if best.share < less + least {
            return None;
        }
        let certain = if best.is_certain { " certain" } else { "" };
        found = Some((best.mv, format!("{less} {}{certain}", best.share)));
    }
    found
}

fn describe(position: &Position, played: &str, better: &str, shares: &str) -> String {
    let by = |hare_model| article_plays_at_all(position, hare_model).join(",");
    format!(
        "{position} | {played} < {better} | {shares} | penalty {} | article {} | chance {}",
        by(HareModel::ArticlePenalty),
        by(HareModel::Article),
        by(HareModel::Chance),
    )
}
