//! Openings: the start, a position after some random moves, or a random position in the middle of a race.

use buxtehude::rules::Game;
use buxtehude::rules::hase::{Card, FINISH, Position, Ruleset, Square, cost};
use rand::seq::{IndexedRandom, SliceRandom};
use rand::{Rng, RngExt};

/// Largest number of random moves from the start.
const RANDOM_PLIES: u32 = 8;

/// Share of games that begin with a random position.
const MADE_UP: f64 = 0.5;

/// Number of attempts to find a position that is not over.
const TRIES: u32 = 1000;

/// Returns an opening position with a seat to move.
///
/// # Panics
/// If `seats` is not 2 to 6.
pub fn opening(ruleset: &'static Ruleset, seats: usize, random: &mut impl Rng) -> Position {
    for _ in 0..TRIES {
        let position = if random.random_bool(MADE_UP) {
            made_up(ruleset, seats, random)
        } else {
            Some(after_random_moves(ruleset, seats, random))
        };
        if let Some(position) = position.filter(|position| !position.legal_moves().is_empty()) {
            return position;
        }
    }
    start(ruleset, seats)
}

/// Returns the start of the game.
///
/// # Panics
/// If `seats` is not 2 to 6.
pub fn start(ruleset: &'static Ruleset, seats: usize) -> Position {
    Position::start(ruleset, seats).expect("a game for two to six")
}

pub fn after_random_moves(
    ruleset: &'static Ruleset,
    seats: usize,
    random: &mut impl Rng,
) -> Position {
    let mut position = start(ruleset, seats);
    for _ in 0..random.random_range(0..=RANDOM_PLIES) {
        let moves: Vec<_> = position.legal_moves().collect();
        if let Some(&mv) = moves.choose(random) {
            position = draw(position.play_unchecked(mv), random);
        }
    }
    position
}

/// Draws a card if one is due.
pub fn draw(position: Position, random: &mut impl Rng) -> Position {
    random_card(&position, random).map_or(position, |card| position.draw_unchecked(card))
}

/// Returns a random card; `None` if none is due.
pub fn random_card(position: &Position, random: &mut impl Rng) -> Option<Card> {
    let whole: u32 = position.outcomes().map(|(_, weight)| weight).sum();
    if whole == 0 {
        return None;
    }
    let mut left = random.random_range(0..whole);
    for (card, weight) in position.outcomes() {
        if left < weight {
            return Some(card);
        }
        left -= weight;
    }
    None
}

/// Generates a random position; returns `None` if it breaks a rule.
fn made_up(ruleset: &'static Ruleset, seats: usize, random: &mut impl Rng) -> Option<Position> {
    let finished = if random.random_bool(0.3) { random.random_range(0..seats - 1) } else { 0 };
    let mut order: Vec<usize> = (0..seats).collect();
    order.shuffle(random);
    let mut hares = vec![String::new(); seats];
    let last = random.random_range(8..=u32::from(FINISH));
    let mut taken = [false; FINISH as usize];
    for (index, &seat) in order.iter().enumerate() {
        hares[seat] = if index < finished {
            format!("{FINISH},{},0", random.random_range(0..=10 * (index + 1)))
        } else {
            racing_hare(ruleset, last, &mut taken, random)?
        };
    }
    let turn = order[finished..].choose(random)? + 1;
    let finishers = order[..finished].iter().map(|seat| (seat + 1).to_string());
    let finishers = match finished {
        0 => "-".to_string(),
        _ => Vec::from_iter(finishers).join(","),
    };
    let text = format!("{} {turn} {finishers} {}", hares.join("/"), drawn(random));
    Position::parse(ruleset, &text).ok()
}

fn racing_hare(
    ruleset: &Ruleset,
    last: u32,
    taken: &mut [bool],
    random: &mut impl Rng,
) -> Option<String> {
    let square = random.random_range(0..last.min(64)) as u8;
    if square > 0 && std::mem::replace(&mut taken[usize::from(square)], true) {
        return None;
    }
    let price = cost(u16::from(FINISH - square));
    let carrots = if price < 260 && random.random_bool(0.4) {
        (price + random.random_range(0..=40)).saturating_sub(15)
    } else {
        random.random_range(0..=140)
    };
    let most = if random.random_bool(0.7) && square > 40 { 1 } else { ruleset.lettuces };
    let lettuces = random.random_range(0..=most);
    let misses = match ruleset.track.square(square) {
        Square::Lettuce => lettuces > 0 && random.random_bool(0.6),
        Square::Hare => random.random_bool(0.15),
        _ => false,
    };
    let mark = if misses { "!" } else { "" };
    Some(format!("{square},{carrots},{lettuces}{mark}"))
}

/// Letters of a random set of drawn cards; in half of all cases none.
fn drawn(random: &mut impl Rng) -> String {
    if random.random_bool(0.5) {
        return "-".into();
    }
    let deck: Vec<char> = "BBDDRRHHFFSSGG".chars().collect();
    let mut order: Vec<usize> = (0..deck.len()).collect();
    order.shuffle(random);
    order.truncate(random.random_range(1..=10));
    order.sort_unstable();
    order.into_iter().map(|index| deck[index]).collect()
}
