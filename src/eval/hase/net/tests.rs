//! Checks the net's sums against a scalar computation, so that every machine computes the same.

use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

use super::*;
use crate::rules::Turn;
use crate::rules::hase::{HARE_AND_TORTOISE, HASE_UND_IGEL};

/// Positions of random games with a move or a card due.
fn positions(ruleset: &'static Ruleset, seats: usize) -> Vec<Position> {
    let mut rng = StdRng::seed_from_u64(seats as u64);
    let mut positions = Vec::new();
    for _ in 0..5 {
        let mut position = Position::start(ruleset, seats).unwrap();
        for _ in 0..200 {
            positions.push(position);
            position = match position.turn() {
                Turn::Seat(_) => {
                    position.play_unchecked(position.legal_moves().choose(&mut rng).unwrap())
                }
                Turn::Card(_) => {
                    position.draw_unchecked(position.outcomes().choose(&mut rng).unwrap().0)
                }
                Turn::Over => break,
            };
        }
    }
    positions
}

/// Strengths from the rows of a net, computed one number at a time.
fn scalar_strengths(net: &Net, position: &Position) -> Strengths {
    let seats = position.seats();
    let mover = position.turn().seat().map_or(0, Seat::index);
    let first: Row = std::array::from_fn(|unit| {
        let mut sum = net.decks[deck_index(position.drawn())].0[unit];
        for slot in 0..seats {
            let seat = Seat(((mover + slot) % seats) as u8);
            let row = slot * net.looks.count() + net.looks.index(position, seat);
            sum = sum.saturating_add(net.hares[row].0[unit]);
        }
        f32::from(sum.max(0))
    });
    let second: Row = std::array::from_fn(|unit| {
        let mut low = net.mixing_bias[unit];
        let mut high = 0.0;
        for below in 0..WIDTH / 2 {
            low += first[below] * net.mixing[below][unit];
            high += first[below + WIDTH / 2] * net.mixing[below + WIDTH / 2][unit];
        }
        f32::max(low + high, 0.0)
    });
    let mut strengths = [0.0; MAX_SEATS];
    for slot in 0..seats {
        let mut strength = net.strength_bias[slot];
        for offset in 0..4 {
            let mut sum = 0.0;
            for unit in (offset..WIDTH).step_by(4) {
                sum += second[unit] * net.strength[unit][slot];
            }
            strength += sum;
        }
        strengths[(mover + slot) % seats] = strength;
    }
    strengths
}

#[test]
fn the_sum_is_the_same_to_the_last_bit() {
    for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
        for seats in 2..=MAX_SEATS {
            let mut rng = StdRng::seed_from_u64(seats as u64);
            let mut row =
                |size: f32| -> Row { std::array::from_fn(|_| rng.random_range(-size..size)) };
            let mut weights = Weights::zero(ruleset.name, seats);
            // Large enough for some sums of the first layer to saturate.
            weights
                .parts
                .iter_mut()
                .flatten()
                .for_each(|part| *part = row(6.0));
            weights
                .slots
                .iter_mut()
                .flatten()
                .for_each(|part| *part = row(1.0));
            weights
                .deck
                .iter_mut()
                .flatten()
                .for_each(|part| *part = row(1.0));
            weights.mixing.iter_mut().for_each(|part| *part = row(1.0));
            weights
                .strength
                .iter_mut()
                .for_each(|part| *part = row(1.0));
            weights.mixing_bias = row(1.0);
            weights.strength_bias = row(1.0)[..seats].to_vec();
            let net = Net::new(ruleset, &weights);
            for position in positions(ruleset, seats) {
                let bits = |strengths: Strengths| strengths.map(f32::to_bits);
                assert_eq!(
                    bits(net.strengths(&position)),
                    bits(scalar_strengths(&net, &position)),
                    "{position:?}"
                );
            }
        }
    }
}
