//! Games of a net against itself, and the samples that it learns from.
//!
//! Each seat takes the move after which its share of the points is largest at first sight, but that it takes nearly
//! equal ones for each other now and then; once the net knows more, it is the engine's search that chooses, but for a
//! hasty move now and then. A sample is a position, cards due among them, with the places in which the game ended.

use buxtehude::eval::net::{Looks, deck_index};
use buxtehude::rules::hase::{Position, Ruleset};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn};
use rand::seq::IteratorRandom;
use rand::{Rng, RngExt};

use crate::openings::{draw, opening, start};
use crate::player::{Player, Wins};
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

/// The share of moves that are chosen at first sight where the engine searches, so that it sees what follows from
/// those.
const HASTY: f64 = 0.15;

/// How much what a search expects counts in a sample, beside what came.
const EXPECTED: f32 = 0.5;

/// A position as the net sees it, and how its game ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// The look of each slot.
    pub looks: [u16; MAX_SEATS],
    /// The number of what is drawn.
    pub deck: u16,
    /// The final place of each slot, from 1; 0 where it was decided before, and for slots that there are not.
    pub places: [u8; MAX_SEATS],
    /// How many rivals still in the race each slot finishes before: as it came, or where a search expected something,
    /// half of both.
    pub wins: Wins,
}

impl Sample {
    /// What the net sees of a position; nothing is known of how it ends.
    pub fn of(looks: &Looks, position: &Position) -> Sample {
        let mut sample = Sample {
            looks: [0; MAX_SEATS],
            deck: deck_index(position.drawn()) as u16,
            places: [0; MAX_SEATS],
            wins: [0.0; MAX_SEATS],
        };
        for slot in 0..position.seats() {
            sample.looks[slot] = looks.index(position, seat_of(position, slot)) as u16;
        }
        sample
    }

    /// The same, with the place of each seat at the end, and what a search expected.
    pub fn labelled(
        looks: &Looks,
        position: &Position,
        places: &[u8; MAX_SEATS],
        expected: Option<&Wins>,
    ) -> Sample {
        let mut sample = Sample::of(looks, position);
        let seats = position.seats();
        for slot in 0..seats {
            let seat = seat_of(position, slot);
            if position.place(seat).is_none() {
                let place = places[seat.index()];
                let wins = (seats - usize::from(place)) as f32;
                sample.places[slot] = place;
                sample.wins[slot] = expected.map_or(wins, |expected| {
                    wins + EXPECTED * (expected[seat.index()] - wins)
                });
            }
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
    player: &mut Player,
    looks: &Looks,
    ruleset: &'static Ruleset,
    random: &mut impl Rng,
    samples: &mut Vec<Sample>,
) {
    player.begin();
    let seats = player.seats();
    let mut position = opening(ruleset, seats, random);
    let temperature = if random.random_bool(CURIOUS) {
        CURIOUS_TEMPERATURE
    } else {
        TEMPERATURE
    };
    let mut positions = Vec::new();
    while let Turn::Seat(seat) = position.turn() {
        if is_too_long(positions.len(), seats) {
            break;
        }
        let before = position;
        let searched = player.searched(&before);
        positions.push((before, searched.map(|(_, wins)| wins)));
        let mv = match searched {
            Some((mv, _)) if !random.random_bool(HASTY) => mv,
            _ => player.at_first_sight(&before, seat, temperature, random),
        };
        position = before.play_unchecked(mv);
        if position.turn() == Turn::Card(seat) {
            positions.push((position, None));
            position = draw(position, random);
        }
    }
    let places = places(&position);
    samples.extend(
        positions
            .iter()
            .map(|(before, expected)| Sample::labelled(looks, before, &places, expected.as_ref())),
    );
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

/// Plays a game from the start, the first moves of which are random.
pub fn record(player: &mut Player, ruleset: &'static Ruleset, random: &mut impl Rng) -> Record {
    player.begin();
    let seats = player.seats();
    let mut position = start(ruleset, seats);
    let opening_plies = random.random_range(0..=RECORDED_RANDOM_PLIES);
    let start = position.to_string();
    let mut words = Vec::new();
    let mut plies = 0;
    while let Turn::Seat(seat) = position.turn() {
        if is_too_long(plies, seats) {
            break;
        }
        let chosen = player.chosen(&position, seat, TEMPERATURE, random);
        let mv = if plies < opening_plies {
            position.legal_moves().choose(random).unwrap_or(chosen)
        } else {
            chosen
        };
        words.push(mv.to_string());
        position = position.play_unchecked(mv);
        plies += 1;
        let drawn = draw(position, random);
        let card = position
            .outcomes()
            .map(|(card, _)| card)
            .find(|card| position.draw_unchecked(*card) == drawn);
        words.extend(card.map(|card| card.to_string()));
        position = drawn;
    }
    Record {
        variant: ruleset.name.into(),
        start,
        moves: words.join(" "),
        places: places(&position)[..seats].to_vec(),
    }
}
