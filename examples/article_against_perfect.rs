//! Measures the article's way of playing fox-and-hounds against perfect play, by level.
//!
//! Takes the positions some plies from the start. From each that is won for the article's side, that side plays against
//! perfect play; the example counts its wins and the plies by which they are later than necessary. From the lost
//! positions, it counts the plies by which the loss is earlier than necessary. It also checks for each won position
//! whether the article's side wins against every defence.
//!
//! Run it with `cargo run --release --example article_against_perfect [LEVEL ...]`; the default levels are 1 to 4. With
//! the word `height` before the levels it uses that heuristic. With only the word `positions` it prints the positions,
//! one per line, for `arbiter match --openings`.

use std::collections::{HashMap, HashSet};

use buxtehude::eval::fox::{Heuristic, Pursuit};
use buxtehude::rules::fox::{Move, Position, RABBIT, WOLVES};
use buxtehude::rules::{AnyPosition, Game, Outcome, Seat, Turn};
use buxtehude::search::article::Extent;
use buxtehude::search::article::minimax;
use buxtehude::search::{Control, Memory, Request, search};

/// Distance of the positions from the start, in plies.
const PLIES: u32 = 6;

/// Highest level tested against every defence; higher ones would take hours.
const MOST_DEFENDED: u32 = 4;

fn main() {
    let mut positions: Vec<Position> = positions_after(PLIES).into_iter().collect();
    positions.sort_by_key(Position::to_string);
    let words: Vec<String> = std::env::args().skip(1).collect();
    let (heuristic, words) = match words.as_slice() {
        [word] if word == "positions" => {
            positions.iter().for_each(|position| println!("{position}"));
            return;
        }
        [word, levels @ ..] if word == "height" => (Heuristic::Height, levels),
        levels => (Heuristic::Distance, levels),
    };
    let mut levels: Vec<u32> = words
        .iter()
        .map(|word| word.parse().expect("levels are numbers"))
        .collect();
    if levels.is_empty() {
        levels = (1..=4).collect();
    }
    println!("{} positions {PLIES} plies from the start", positions.len());
    println!("side    level  won of         share  plies late  against all   lost  plies early");
    for side in [WOLVES, RABBIT] {
        for &level in &levels {
            measure(&positions, side, Article::new(heuristic, level));
        }
    }
}

/// All positions reachable from the start in this number of plies that are not over.
fn positions_after(plies: u32) -> HashSet<Position> {
    let start = Position::start(&(), 2).expect("the game is for two");
    let mut positions = HashSet::from([start]);
    for _ in 0..plies {
        positions = positions
            .iter()
            .flat_map(|position| position.legal_moves().map(|mv| position.play_unchecked(mv)))
            .collect();
    }
    positions.retain(|position| position.turn() != Turn::Over);
    positions
}

/// Prints the row of a side and a level.
fn measure(positions: &[Position], side: Seat, mut article: Article) {
    let level = article.depth / 2;
    let (won, lost): (Vec<Position>, Vec<Position>) = positions
        .iter()
        .partition(|position| outcome(position).winner == side);
    let mut late = Vec::new();
    for position in &won {
        let end = play_out(&mut article, position, side);
        if end.winner == side {
            late.push(end.plies - outcome(position).plies);
        }
    }
    let early: Vec<u32> = lost
        .iter()
        .filter_map(|position| {
            let end = play_out(&mut article, position, side);
            (end.winner != side).then(|| outcome(position).plies - end.plies)
        })
        .collect();
    let safe = if level <= MOST_DEFENDED {
        let mut known = HashMap::new();
        let is_safe =
            |position: &&Position| wins_against_all(&mut article, position, side, &mut known);
        won.iter().filter(is_safe).count().to_string()
    } else {
        "-".into()
    };
    let name = if side == WOLVES { "wolves" } else { "rabbit" };
    println!(
        "{name}  {level:>5}  {:>4} of {:>4}  {:>5.1} %  {:>10.1}  {safe:>11}  {:>5}  {:>11.1}",
        late.len(),
        won.len(),
        100.0 * late.len() as f64 / won.len() as f64,
        mean(&late),
        early.len(),
        mean(&early),
    );
}

fn outcome(position: &Position) -> Outcome {
    position.solved().expect("the game is solved")
}

fn mean(numbers: &[u32]) -> f64 {
    numbers.iter().sum::<u32>() as f64 / numbers.len().max(1) as f64
}

/// Plays a game between the article's `side` and perfect play; returns its result.
fn play_out(article: &mut Article, position: &Position, side: Seat) -> Outcome {
    let mut position = *position;
    let mut plies = 0;
    while let Turn::Seat(mover) = position.turn() {
        let mv = if mover == side {
            article.best(&position)
        } else {
            perfect(&position)
        };
        position = position.play_unchecked(mv);
        plies += 1;
    }
    let winner = outcome(&position).winner;
    Outcome { winner, plies }
}

/// `true` if the article's `side` wins against every defence.
fn wins_against_all(
    article: &mut Article,
    position: &Position,
    side: Seat,
    known: &mut HashMap<Position, bool>,
) -> bool {
    if outcome(position).winner != side {
        return false;
    }
    if let Some(&known) = known.get(position) {
        return known;
    }
    let wins = match position.turn() {
        Turn::Over => true,
        Turn::Seat(mover) if mover == side => {
            let next = position.play_unchecked(article.best(position));
            wins_against_all(article, &next, side, known)
        }
        _ => position
            .legal_moves()
            .all(|mv| wins_against_all(article, &position.play_unchecked(mv), side, known)),
    };
    known.insert(*position, wins);
    wins
}

/// Move of perfect play.
fn perfect(position: &Position) -> Move {
    let request = Request::new(AnyPosition::Fox(*position), 1);
    let answer = search(
        &request,
        &mut Memory::new(0),
        &Control::new(None),
        &mut |_| {},
    );
    let best = answer.expect("a seat is to move").best;
    best.parse().expect("moves can be read")
}

/// The article's player at a level, with a cache of its moves.
struct Article {
    heuristic: Heuristic,
    depth: u32,
    played: HashMap<Position, Move>,
}

impl Article {
    fn new(heuristic: Heuristic, level: u32) -> Article {
        Article {
            heuristic,
            depth: 2 * level,
            played: HashMap::new(),
        }
    }

    fn best(&mut self, position: &Position) -> Move {
        let depth = self.depth;
        let model = Pursuit::new(self.heuristic);
        *self.played.entry(*position).or_insert_with(|| {
            let extent = Extent {
                moves: position.legal_moves().collect(),
                depth,
                nodes: u64::MAX,
                multipv: 1,
            };
            let line = minimax::search(&model, position, &extent, &Control::new(None), &mut |_| {});
            line.expect("a seat is to move").pv[0]
        })
    }
}
