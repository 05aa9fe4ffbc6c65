//! Games of a net against itself, and the samples that it learns from.
//!
//! Each seat takes the move after which its share of the points is largest by the net, without looking further, but
//! that it takes nearly equal ones for each other now and then. A sample is a position, cards due among them, with the
//! places in which the game ended.

use buxtehude::eval::net::{Looks, Net, Strengths, deck_index};
use buxtehude::rules::hase::{Position, Ruleset};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn};
use rand::{Rng, RngExt};

use crate::openings::{draw, opening};

/// A game is given up after so many plies a seat; then the hares rank as far as they are from home.
const MOST_PLIES: usize = 70;

/// How much of the points a move may be worth less and yet be taken e times less often, in shares of a seat's par.
const TEMPERATURE: f32 = 0.015;

/// The same in the games that look around.
const CURIOUS_TEMPERATURE: f32 = 0.08;

/// The share of games that look around.
const CURIOUS: f64 = 0.15;

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

fn mover(position: &Position) -> Seat {
    match position.turn() {
        Turn::Seat(seat) | Turn::Card(seat) => seat,
        Turn::Over => Seat(0),
    }
}

fn seat_of(position: &Position, slot: usize) -> Seat {
    Seat(((mover(position).index() + slot) % position.seats()) as u8)
}

/// Plays a game and adds a sample for each of its positions.
pub fn play(
    net: &Net,
    looks: &Looks,
    ruleset: &'static Ruleset,
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
    let most_plies = MOST_PLIES * seats;
    while let Turn::Seat(seat) = position.turn() {
        if positions.len() >= most_plies {
            break;
        }
        positions.push(position);
        position = chosen(net, &position, seat, temperature, random);
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
fn chosen(
    net: &Net,
    position: &Position,
    seat: Seat,
    temperature: f32,
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
    let mut best = *position;
    let mut best_value = f32::NEG_INFINITY;
    for mv in moves {
        let next = position.play_unchecked(mv);
        let share = share(&net.strengths(&next), &next, seat);
        let uniform: f32 = random.random_range(f32::MIN_POSITIVE..1.0);
        let value = share - scale * (-uniform.ln()).ln();
        if value > best_value {
            best_value = value;
            best = next;
        }
    }
    best
}

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

/// The place of each seat; of those still in the race by how far they have to go.
fn places(position: &Position) -> [u8; MAX_SEATS] {
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

/// Experiment: one-ply matches between two nets, same openings and deck seeds, rotated.
pub fn versus(
    nets: &[Net; 2],
    learners: &[crate::learner::Learner; 2],
    looks: &Looks,
    ruleset: &'static Ruleset,
    random: &mut impl Rng,
    blocks: usize,
) {
    use rand::SeedableRng;
    let seats = nets[0].seats();
    let mut sum = 0.0;
    let mut squares = 0.0;
    let mut losses = [0.0f64; 2];
    let mut pairs = 0;
    let mut plies = 0;
    for _ in 0..blocks {
        let seed: u64 = random.random();
        let mut score = 0.0;
        for who in 0..2 {
            let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(seed);
            let mut position = crate::openings::after_random_moves(ruleset, seats, &mut random);
            let mut samples = Vec::new();
            let mut positions = Vec::new();
            while let Turn::Seat(seat) = position.turn() {
                if positions.len() > MOST_PLIES * seats {
                    break;
                }
                let mut sample = Sample::of(looks, &position);
                for slot in 0..seats {
                    sample.places[slot] =
                        u8::from(position.place(seat_of(&position, slot)).is_none());
                }
                samples.push(sample);
                positions.push(position);
                position = chosen(
                    &nets[(seat.index() + who) % 2],
                    &position,
                    seat,
                    0.0,
                    &mut random,
                );
                position = draw(position, &mut random);
            }
            let places = places(&position);
            plies += positions.len();
            for (before, mut sample) in positions.into_iter().zip(samples) {
                for slot in 0..seats {
                    sample.places[slot] *= places[seat_of(&before, slot).index()];
                }
                for (loss, learner) in losses.iter_mut().zip(learners) {
                    let (l, p) = learner.loss(&sample);
                    *loss += f64::from(l);
                    pairs += p;
                }
            }
            for seat in 0..seats {
                if (seat + who) % 2 == 0 {
                    score += (seats - usize::from(places[seat])) as f64;
                }
            }
        }
        let share = score / (seats * (seats - 1)) as f64;
        sum += share;
        squares += share * share;
    }
    let n = blocks as f64;
    let mean = sum / n;
    let error = ((squares / n - mean * mean) / n).sqrt();
    println!(
        "share {:.2} % ± {:.2} (se), losses {:.4} {:.4}, plies {:.1}",
        mean * 100.0,
        error * 100.0,
        losses[0] * 2.0 / f64::from(pairs),
        losses[1] * 2.0 / f64::from(pairs),
        plies as f64 / n / 2.0
    );
}
