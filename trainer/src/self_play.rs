//! Games of a net against itself, and the samples that it learns from.
//!
//! Each seat takes the move after which its share of the points is largest by the net, but that it takes nearly equal
//! ones for each other now and then. It looks no further at first, and some plies further at a few of the moves once the
//! net knows more. A sample is a position, cards due among them, with the places in which the game ended.

use buxtehude::eval::net::{Looks, Net, Strengths, deck_index};
use buxtehude::rules::hase::{Position, Ruleset};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn};
use rand::seq::IteratorRandom;
use rand::{Rng, RngExt};

use crate::openings::{draw, opening, start};
use crate::records::Record;

/// A game is given up after so many plies a seat; then the hares rank as far as they are from home.
const MOST_PLIES: usize = 70;

/// How much of the points a move may be worth less and yet be taken e times less often, in shares of a seat's par.
const TEMPERATURE: f32 = 0.015;

/// The same in the games that look around.
const CURIOUS_TEMPERATURE: f32 = 0.08;

/// The most random moves at the start of a recorded game.
const RECORDED_RANDOM_PLIES: usize = 6;

/// The share of games that look around.
const CURIOUS: f64 = 0.15;

/// How a seat looks for a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// How many of the moves that are best at first sight it looks at further; with 1 it takes the best.
    pub breadth: usize,
    /// How many plies further.
    pub plies: usize,
}

impl Look {
    /// No further than at first sight.
    pub const FIRST: Look = Look {
        breadth: 1,
        plies: 0,
    };
    /// As far as is worth its time.
    pub const FURTHEST: Look = Look {
        breadth: 4,
        plies: 2,
    };
}

/// A position as the net sees it, and how its game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// The look of each slot.
    pub looks: [u16; MAX_SEATS],
    /// The number of what is drawn.
    pub deck: u16,
    /// The final place of each slot, from 1; 0 where it was decided before, and for slots that there are not.
    pub places: [u8; MAX_SEATS],
}

impl Sample {
    /// What the net sees of a position; the places are all 0.
    pub fn of(looks: &Looks, position: &Position) -> Sample {
        let mut sample = Sample {
            looks: [0; MAX_SEATS],
            deck: deck_index(position.drawn()) as u16,
            places: [0; MAX_SEATS],
        };
        for slot in 0..position.seats() {
            sample.looks[slot] = looks.index(position, seat_of(position, slot)) as u16;
        }
        sample
    }
}

/// The seat that moves or draws.
fn mover(position: &Position) -> Seat {
    position.turn().seat().unwrap_or(Seat(0))
}

fn seat_of(position: &Position, slot: usize) -> Seat {
    Seat(((mover(position).index() + slot) % position.seats()) as u8)
}

/// Plays a game and adds a sample for each of its positions.
pub fn play(
    net: &Net,
    looks: &Looks,
    ruleset: &'static Ruleset,
    look: Look,
    random: &mut impl Rng,
    samples: &mut Vec<Sample>,
) {
    let seats = net.seats();
    let mut position = opening(ruleset, seats, random);
    let temperature = if random.random_bool(CURIOUS) {
        CURIOUS_TEMPERATURE
    } else {
        TEMPERATURE
    };
    let first = samples.len();
    let mut positions = Vec::new();
    while let Turn::Seat(seat) = position.turn() {
        if is_too_long(positions.len(), seats) {
            break;
        }
        positions.push(position);
        position = chosen(net, &position, seat, temperature, look, random);
        if position.turn() == Turn::Card(seat) {
            positions.push(position);
            position = draw(position, random);
        }
    }
    let places = places(&position);
    for before in positions {
        let mut sample = Sample::of(looks, &before);
        for slot in 0..seats {
            let seat = seat_of(&before, slot);
            if before.place(seat).is_none() {
                sample.places[slot] = places[seat.index()];
            }
        }
        samples.push(sample);
    }
    debug_assert!(samples.len() > first);
}

/// The position after a move that is among the best by the net, or nearly so.
pub fn chosen(
    net: &Net,
    position: &Position,
    seat: Seat,
    temperature: f32,
    look: Look,
    random: &mut impl Rng,
) -> Position {
    let moves = position.legal_moves();
    if moves.len() == 1 {
        return moves
            .map(|mv| position.play_unchecked(mv))
            .next()
            .unwrap_or(*position);
    }
    // The largest of shares with Gumbel noise is each with the probability that a softmax gives it.
    let scale = temperature * (position.seats() - 1) as f32;
    let mut best = [Candidate {
        value: f32::NEG_INFINITY,
        noise: 0.0,
        next: *position,
    }; MOST_BREADTH];
    let breadth = look.breadth.clamp(1, MOST_BREADTH);
    for mv in moves {
        let next = position.play_unchecked(mv);
        let share = share(&net.strengths(&next), &next, seat);
        let uniform: f32 = random.random_range(f32::MIN_POSITIVE..1.0);
        let noise = -scale * (-uniform.ln()).ln();
        let value = share + noise;
        if value > best[breadth - 1].value {
            let slot = best
                .iter()
                .position(|other| value > other.value)
                .unwrap_or(breadth - 1);
            best[slot..breadth].rotate_right(1);
            best[slot] = Candidate { value, noise, next };
        }
    }
    if breadth == 1 {
        return best[0].next;
    }
    let mut chosen = best[0].next;
    let mut chosen_value = f32::NEG_INFINITY;
    for candidate in &best[..breadth] {
        if candidate.value.is_finite() {
            let next = &candidate.next;
            let value = looked_ahead(net, next, seat, look.plies) + candidate.noise;
            if value > chosen_value {
                chosen_value = value;
                chosen = *next;
            }
        }
    }
    chosen
}

/// A move as it looks at first sight.
#[derive(Clone, Copy)]
struct Candidate {
    /// What it is worth, with the noise.
    value: f32,
    noise: f32,
    /// The position after it.
    next: Position,
}

/// What a position is worth to a seat by the net, after so many plies in which each seat makes the move that is best at
/// first sight; where a card is due, the mean over the cards.
fn looked_ahead(net: &Net, position: &Position, seat: Seat, plies: usize) -> f32 {
    let worth = |position: &Position| share(&net.strengths(position), position, seat);
    match position.turn() {
        Turn::Card(_) => {
            let (mut sum, mut whole) = (0.0, 0.0);
            for (card, weight) in position.outcomes() {
                sum += weight as f32 * worth(&position.draw_unchecked(card));
                whole += weight as f32;
            }
            sum / whole
        }
        Turn::Seat(mover) if plies > 0 => {
            let mut best = f32::NEG_INFINITY;
            let mut best_next = *position;
            for mv in position.legal_moves() {
                let next = position.play_unchecked(mv);
                let value = share(&net.strengths(&next), &next, mover);
                if value > best {
                    best = value;
                    best_next = next;
                }
            }
            looked_ahead(net, &best_next, seat, plies - 1)
        }
        _ => worth(position),
    }
}

/// The most moves that are looked at further.
const MOST_BREADTH: usize = 8;

/// The expected number of rivals that a seat finishes before.
pub fn share(strengths: &Strengths, position: &Position, seat: Seat) -> f32 {
    if let Some(place) = position.place(seat) {
        return (position.seats() - place) as f32;
    }
    let own = strengths[seat.index()];
    (0..position.seats() as u8)
        .map(Seat)
        .filter(|&rival| rival != seat && position.place(rival).is_none())
        .map(|rival| chance(own - strengths[rival.index()]))
        .sum()
}

/// The logistic function.
pub fn chance(difference: f32) -> f32 {
    1.0 / (1.0 + (-difference).exp())
}

/// Whether a game is given up after so many plies.
pub fn is_too_long(plies: usize, seats: usize) -> bool {
    plies >= MOST_PLIES * seats
}

/// The place of each seat; of those still in the race by how far they have to go.
pub fn places(position: &Position) -> [u8; MAX_SEATS] {
    let mut places = [0; MAX_SEATS];
    let mut open: Vec<Seat> = Vec::new();
    for seat in (0..position.seats() as u8).map(Seat) {
        match position.place(seat) {
            Some(place) => places[seat.index()] = place as u8,
            None => open.push(seat),
        }
    }
    open.sort_by_key(|&seat| {
        let hare = position.hare(seat);
        let turns = position.turns_home(seat).unwrap_or(u32::MAX);
        (turns, 64 - hare.square, hare.carrots)
    });
    let finished = position.seats() - open.len();
    for (index, seat) in open.into_iter().enumerate() {
        places[seat.index()] = (finished + index + 1) as u8;
    }
    places
}

/// Plays a game from the start, the first moves of which are random, with a look further at the best moves.
pub fn record(net: &Net, ruleset: &'static Ruleset, random: &mut impl Rng) -> Record {
    let mut position = start(ruleset, net.seats());
    let opening_plies = random.random_range(0..=RECORDED_RANDOM_PLIES);
    let start = position.to_string();
    let mut moves = Vec::new();
    while let Turn::Seat(seat) = position.turn() {
        let is_opening = moves.len() < opening_plies;
        let mut next = chosen(net, &position, seat, TEMPERATURE, Look::FURTHEST, random);
        if is_opening && let Some(mv) = position.legal_moves().choose(random) {
            next = position.play_unchecked(mv);
        }
        let played = position
            .legal_moves()
            .find(|mv| position.play_unchecked(*mv) == next);
        moves.extend(played.map(|mv| mv.to_string()));
        let drawn = draw(next, random);
        let outcomes = next.outcomes();
        let card = outcomes
            .map(|(card, _)| card)
            .find(|card| next.draw_unchecked(*card) == drawn);
        moves.extend(card.map(|card| card.to_string()));
        position = drawn;
        if is_too_long(moves.len(), net.seats()) {
            break;
        }
    }
    Record {
        variant: ruleset.name.into(),
        start,
        moves: moves.join(" "),
        places: places(&position)[..net.seats()].to_vec(),
    }
}
