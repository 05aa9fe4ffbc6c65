//! Games of a net against itself, and the samples that it learns from.
//!
//! Each seat takes the move with the largest share of the points by static evaluation, except that nearly equal moves
//! are sometimes exchanged. Once the net knows more, the engine's search chooses, except for an occasional hasty move.
//! A sample is a position, including those with a card due, with the final places of its game. The luck of the cards
//! drawn after it is subtracted from the result: its mean is 0, so the net learns the same from far fewer games.
//! Source: N. Burch et al., "AIVAT: a new variance reduction technique for agent evaluation in imperfect information
//! games" (2018).

use buxtehude::eval::hase::{Features, deck_index};
use buxtehude::rules::hase::Position;
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn};
use matches::record::Seed;
use matches::record::{GameRecord, TurnRecord};
use rand::seq::IteratorRandom;
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::player::{Player, Wins, draw, opening, random_card, start};
use crate::records;

/// Largest number of plies per seat; then the hares are ranked by their distance from home.
const MAX_PLIES: usize = 70;

/// Softmax temperature of the moves, in shares of a seat's par.
const MOVE_TEMPERATURE: f32 = 0.015;

/// Temperature in exploring games.
const CURIOUS_TEMPERATURE: f32 = 0.08;

/// Largest number of random moves at the start of a recorded game.
const RECORDED_RANDOM_PLIES: usize = 6;

/// Share of exploring games.
const CURIOUS: f64 = 0.15;

/// Share of moves chosen by static evaluation even when the engine searches, so that it also sees the positions after
/// those.
const HASTY: f64 = 0.15;

/// Weight of the search's expectation in a sample, against the actual result.
const EXPECTED: f32 = 0.5;

/// A position as the net sees it, and the result of its game.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    pub features: [u16; MAX_SEATS],
    /// Number of the deck state.
    pub deck: u16,
    /// Final place of each slot, from 1; 0 if it was decided before this position, and for unused slots.
    pub places: [u8; MAX_SEATS],
    /// Number of rivals still in the race that each slot finishes before, less the luck of later cards; or the mean of
    /// this and the number that a search expected.
    pub wins: Wins,
}

impl Sample {
    /// Features of a position, without a result.
    pub fn of(features: &Features, position: &Position) -> Sample {
        let mut sample = Sample {
            features: [0; MAX_SEATS],
            deck: deck_index(position.drawn()) as u16,
            places: [0; MAX_SEATS],
            wins: [0.0; MAX_SEATS],
        };
        for slot in 0..position.seats() {
            sample.features[slot] = features.index(position, seat_of(position, slot)) as u16;
        }
        sample
    }

    /// Features of a position, with the final place of each seat less the luck of the cards drawn from here on.
    fn labelled(
        features: &Features,
        visited: &Visited,
        places: &[u8; MAX_SEATS],
        luck: &Wins,
    ) -> Sample {
        let position = &visited.position;
        let mut sample = Sample::of(features, position);
        let seats = position.seats();
        for slot in 0..seats {
            let seat = seat_of(position, slot);
            if position.place(seat).is_none() {
                let place = places[seat.index()];
                let wins = (seats - usize::from(place)) as f32 - luck[seat.index()];
                sample.places[slot] = place;
                sample.wins[slot] = visited
                    .expected
                    .map_or(wins, |expected| wins + EXPECTED * (expected[seat.index()] - wins));
            }
        }
        sample
    }
}

/// Seat of a slot: the first slot is the seat that moves or draws.
fn seat_of(position: &Position, slot: usize) -> Seat {
    let mover = position.turn().seat().unwrap_or(Seat(0));
    Seat(((mover.index() + slot) % position.seats()) as u8)
}

/// Plays a game and adds a sample for each of its positions.
pub fn play(
    player: &mut Player,
    features: &Features,
    random: &mut impl Rng,
    samples: &mut Vec<Sample>,
) {
    player.begin();
    let seats = player.seats();
    let mut position = opening(player.ruleset, seats, random);
    let temperature =
        if random.random_bool(CURIOUS) { CURIOUS_TEMPERATURE } else { MOVE_TEMPERATURE };
    let mut visited = Vec::new();
    while let Turn::Seat(seat) = position.turn() {
        if is_too_long(visited.len(), seats) {
            break;
        }
        let before = position;
        let searched = player.searched(&before);
        visited.push(Visited {
            position: before,
            expected: searched.map(|(_, wins)| wins),
            luck: [0.0; MAX_SEATS],
        });
        let mv = match searched {
            Some((mv, _)) if !random.random_bool(HASTY) => mv,
            _ => player.by_static_evaluation(&before, seat, temperature, random),
        };
        position = before.play_unchecked(mv);
        if position.turn() == Turn::Card(seat) {
            let due = position;
            position = draw(due, random);
            visited.push(Visited {
                position: due,
                expected: None,
                luck: player.luck(&due, &position),
            });
        }
    }
    let places = places(&position);
    let mut luck = [0.0; MAX_SEATS];
    for visited in visited.iter().rev() {
        for (sum, more) in luck.iter_mut().zip(visited.luck) {
            *sum += more;
        }
        samples.push(Sample::labelled(features, visited, &places, &luck));
    }
}

struct Visited {
    position: Position,
    /// Result that a search expects.
    expected: Option<Wins>,
    /// Luck of the card that is drawn here, if any.
    luck: Wins,
}

/// `true` if a game is stopped after this number of plies.
pub fn is_too_long(plies: usize, seats: usize) -> bool {
    plies >= MAX_PLIES * seats
}

/// Place of each seat; seats still in the race are ranked by their distance from home.
pub fn places(position: &Position) -> [u8; MAX_SEATS] {
    let mut places = [0; MAX_SEATS];
    let mut open: Vec<Seat> = Vec::new();
    for seat in Seat::all(position.seats()) {
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

/// Plays games of a player against itself without end, each from the start with some random moves at first.
pub fn recorded(mut player: Player, name: &str, seed: u64) -> impl Iterator<Item = GameRecord> {
    let names = vec![name.to_string(); player.seats()];
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (1..).map(move |game| GameRecord {
        game,
        block: game,
        seed: Seed::Number(seed),
        ..record(&mut player, &names, &mut random)
    })
}

fn record(player: &mut Player, names: &[String], random: &mut impl Rng) -> GameRecord {
    player.begin();
    let seats = player.seats();
    let start = start(player.ruleset, seats);
    let mut position = start;
    let opening_plies = random.random_range(0..=RECORDED_RANDOM_PLIES);
    let mut words = Vec::new();
    let mut turns = Vec::new();
    let mut plies = 0;
    while let Turn::Seat(seat) = position.turn() {
        if is_too_long(plies, seats) {
            break;
        }
        let mut mv = player.chosen(&position, seat, MOVE_TEMPERATURE, random);
        if plies < opening_plies {
            mv = position.legal_moves().choose(random).unwrap_or(mv);
        } else {
            turns.push(TurnRecord {
                seat: u32::from(seat.0) + 1,
                mv: mv.to_string(),
                ..TurnRecord::default()
            });
        }
        words.push(mv.to_string());
        position = position.play_unchecked(mv);
        plies += 1;
        if let Some(card) = random_card(&position, random) {
            words.push(card.to_string());
            position = position.draw_unchecked(card);
        }
    }
    GameRecord { turns, ..records::record(names, &start, words.join(" "), &position) }
}
