//! The learned evaluation, compared with its definition: a slow version in f64, computed for each position from the
//! weights of the parts.

use std::path::Path;

use buxtehude::eval::hase::{Features, Net, PARTS, Row, WIDTH, Weights, WeightsError};
use buxtehude::eval::{Evaluate, Evaluators};
use buxtehude::rules::hase::{
    FINISH, HARE_AND_TORTOISE, HASE_UND_IGEL, Position, Ruleset, Square, cost,
};
use buxtehude::rules::{Game, MAX_SEATS, Seat, Turn};
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use rand::{RngExt, SeedableRng};

use crate::common::positions;
use positions::{late_positions, random_positions};

const RULESETS: [&Ruleset; 2] = [&HASE_UND_IGEL, &HARE_AND_TORTOISE];

/// Number of classes of carrot holdings, and quantization steps per unit in the first layer.
const HOLDINGS: usize = 128;
const STEPS: f64 = 256.0;

/// Positions of all kinds for `seats` seats: from games and near the end, after a move, and after a card.
fn all_kinds(seats: usize, count: usize) -> Vec<Position> {
    let mut rng = StdRng::seed_from_u64(seats as u64);
    let mut all = random_positions(seats, count);
    all.extend(late_positions(seats, count));
    for index in 0..all.len() {
        let mv = all[index].legal_moves().choose(&mut rng);
        let next = all[index].play_unchecked(mv.expect("a seat is to move"));
        all.push(next);
        let card = next.outcomes().choose(&mut rng);
        all.extend(card.map(|(card, _)| next.draw_unchecked(card)));
    }
    all
}

/// Random weights of about the size of learned ones.
fn random_weights(variant: &str, seats: usize, seed: u64) -> Weights {
    let mut rng = StdRng::seed_from_u64(seed);
    let mut row = |size: f32| -> Row { std::array::from_fn(|_| rng.random_range(-size..size)) };
    let mut weights = Weights::zero(variant, seats);
    for part in weights.parts.iter_mut().flatten() {
        *part = row(0.3);
    }
    for part in weights.deck.iter_mut().flatten() {
        *part = row(0.1);
    }
    for part in weights.slots.iter_mut().flatten() {
        *part = row(0.3);
    }
    for part in weights.mixing.iter_mut().chain(&mut weights.strength) {
        *part = row(0.4);
    }
    weights.bias = row(0.5);
    weights.mixing_bias = row(0.5);
    weights.strength_bias = row(0.5)[..seats].to_vec();
    weights
}

/// Possible states of a hare: free, missing a turn, about to draw a card.
const STATES: [fn(Square) -> bool; 3] = [
    |_| true,
    |square| matches!(square, Square::Lettuce | Square::Hare),
    |square| square == Square::Hare,
];

/// Class of a holding.
fn holding_of(carrots: usize) -> usize {
    match carrots {
        0..80 => carrots,
        80..144 => 80 + (carrots - 80) / 2,
        144..272 => 112 + (carrots - 144) / 8,
        _ => HOLDINGS - 1,
    }
}

/// Rows of the tables whose sum represents a hare.
fn parts_of(position: &Position, seat: Seat) -> [usize; PARTS] {
    let ruleset = position.ruleset();
    let hare = position.hare(seat);
    let state = match position.turn() {
        _ if position.misses_turn(seat) => 1,
        Turn::Card(drawer) if drawer == seat => 2,
        _ => 0,
    };
    let placements = (0..=FINISH).flat_map(|square| (0..3).map(move |state| (square, state)));
    let mut placements =
        placements.filter(|&(square, state)| STATES[state](ruleset.track.square(square)));
    let placement = placements.position(|placement| placement == (hare.square, state));
    let placement = placement.expect("a way to placement");
    let held = match hare.square {
        FINISH => 0,
        _ => usize::from(hare.carrots) + usize::from(position.income(seat)),
    };
    let holding = holding_of(held);
    let carrots = (0..).find(|&carrots| holding_of(carrots) == holding).unwrap();
    let lettuces = usize::from(hare.lettuces);
    let square = usize::from(hare.square);
    let turns = ruleset.turns_home.turns(hare.lettuces, hare.square, carrots as u16);
    let price = usize::from(cost(u16::from(FINISH - hare.square)));
    let surplus = (carrots as i64 + 64 - price as i64).clamp(0, 127) as usize;
    [
        placement * 4 + lettuces,
        square * 32 + holding / 4,
        (state * 4 + lettuces) * HOLDINGS + holding,
        usize::from(turns).min(31) * 4 + lettuces,
        surplus * 4 + lettuces,
        square / 8 * HOLDINGS + holding,
        (placement * 4 + lettuces) * 16 + holding / 8,
    ]
}

/// The strengths by definition, each with the error allowed for the integers of the first layer. The error by those of
/// the second layer is far smaller.
fn slow_strengths(weights: &Weights, position: &Position) -> Vec<(f64, f64)> {
    let seats = position.seats();
    let mover = position.turn().seat().map_or(0, Seat::index);
    let mut first = weights.bias.map(f64::from);
    for (kind, &drawn) in position.drawn().iter().take(7).enumerate() {
        for (sum, &x) in first.iter_mut().zip(&weights.deck[kind][usize::from(drawn)]) {
            *sum += f64::from(x);
        }
    }
    for slot in 0..seats {
        let parts = parts_of(position, Seat(((mover + slot) % seats) as u8));
        for unit in 0..WIDTH {
            let rows = weights.parts.iter().zip(parts).map(|(table, part)| &table[part]);
            let number = rows.map(|row| f64::from(row[unit])).sum::<f64>();
            for (sum, &factor) in first.iter_mut().zip(&weights.slots[slot][unit]) {
                *sum += number * f64::from(factor);
            }
        }
    }
    assert!(first.iter().all(|x| x.abs() < 120.0), "{first:?}\n{position:?}");
    let step = (seats + 1) as f64 * 0.501 / STEPS;
    let mut strengths = vec![(0.0, 0.0); seats];
    let mut second = weights.mixing_bias.map(f64::from);
    let mut wrong = [0.0; WIDTH];
    for (x, row) in first.iter().zip(&weights.mixing) {
        for unit in 0..WIDTH {
            second[unit] += x.max(0.0) * f64::from(row[unit]);
            wrong[unit] += step * f64::from(row[unit]).abs();
        }
    }
    for slot in 0..seats {
        let mut strength = f64::from(weights.strength_bias[slot]);
        let mut most_wrong = 1e-3;
        for unit in 0..WIDTH {
            let factor = f64::from(weights.strength[slot][unit]);
            strength += second[unit].max(0.0) * factor;
            most_wrong += wrong[unit] * factor.abs();
        }
        strengths[(mover + slot) % seats] = (strength, most_wrong);
    }
    strengths
}

#[test]
fn strengths_are_those_of_the_definition() {
    for seats in 2..=MAX_SEATS {
        let nets = RULESETS.map(|ruleset| {
            let weights = random_weights(ruleset.name, seats, 7);
            (Net::new(ruleset, &weights), weights)
        });
        let (mut rounding, mut count) = (0.0, 0);
        let all = all_kinds(seats, 300);
        let is_any = |is: fn(&Position) -> bool| assert!(all.iter().any(is), "{seats} seats");
        is_any(|position| matches!(position.turn(), Turn::Card(_)));
        is_any(|position| position.turn() == Turn::Over);
        is_any(|position| position.misses_turn(Seat(0)));
        is_any(|position| position.place(Seat(1)).is_some());
        for position in all {
            let (net, weights) = &nets[usize::from(position.ruleset().name != "hase-und-igel")];
            let found = net.strengths(&position);
            assert!(found[seats..].iter().all(|&strength| strength == 0.0));
            for (found, (exact, most_wrong)) in
                found.into_iter().zip(slow_strengths(weights, &position))
            {
                let wrong = (f64::from(found) - exact).abs();
                assert!(wrong <= most_wrong, "{found}, not {exact}\n{position:?}");
                rounding += wrong;
                count += 1;
            }
        }
        // Most rounding errors cancel out.
        let mean = rounding / f64::from(count);
        assert!(mean < 0.01, "{mean}");
    }
}

#[test]
fn shipped_nets_have_their_shipped_weights() {
    for ruleset in RULESETS {
        for seats in 2..=MAX_SEATS {
            let weights = Weights::shipped(ruleset, seats).expect("weights");
            let net = Net::new(ruleset, &weights);
            for position in all_kinds(seats, 40) {
                if position.ruleset().name != ruleset.name {
                    continue;
                }
                let found = net.strengths(&position).into_iter();
                for (found, (exact, most_wrong)) in found.zip(slow_strengths(&weights, &position)) {
                    let wrong = (f64::from(found) - exact).abs();
                    assert!(wrong <= most_wrong, "{found}, not {exact}\n{position:?}");
                }
            }
        }
    }
}

/// The same position with all seats shifted by `shift`.
fn rotated(position: &Position, shift: usize) -> Position {
    let seats = position.seats();
    let text = position.to_string();
    let [hares, turn, order, drawn] = text.split(' ').collect::<Vec<_>>()[..] else {
        panic!("{text}");
    };
    let mut hares: Vec<&str> = hares.split('/').collect();
    hares.rotate_right(shift);
    let later = |seat: &str| {
        let seat: usize = seat.parse().expect("a seat");
        ((seat - 1 + shift) % seats + 1).to_string()
    };
    let turn = match turn.split_once('?') {
        Some((seat, paid)) => format!("{}?{paid}", later(seat)),
        None => later(turn),
    };
    let order = match order {
        "-" => order.to_string(),
        order => order.split(',').map(later).collect::<Vec<_>>().join(","),
    };
    let text = format!("{} {turn} {order} {drawn}", hares.join("/"));
    Position::parse(position.ruleset(), &text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn seats_count_from_the_one_to_move() {
    for seats in 2..=MAX_SEATS {
        let nets =
            RULESETS.map(|ruleset| Net::new(ruleset, &random_weights(ruleset.name, seats, 8)));
        for position in all_kinds(seats, 50) {
            if position.turn() == Turn::Over {
                continue;
            }
            let net = &nets[usize::from(position.ruleset().name != "hase-und-igel")];
            let mut strengths = net.strengths(&position)[..seats].to_vec();
            for shift in 1..seats {
                strengths.rotate_right(1);
                let turned = rotated(&position, shift);
                assert_eq!(net.strengths(&turned)[..seats], strengths, "{shift}\n{position:?}");
            }
        }
    }
}

#[test]
fn looks_sum_the_rows_of_their_hares() {
    for ruleset in RULESETS {
        let features = Features::of(ruleset);
        for seats in [2, 4, 6] {
            for position in all_kinds(seats, 200) {
                if position.ruleset().name != ruleset.name {
                    continue;
                }
                for seat in Seat::all(seats) {
                    let feature = features.index(&position, seat);
                    assert!(feature < features.count());
                    let expected = parts_of(&position, seat);
                    assert_eq!(features.parts(ruleset, feature), expected, "{seat}\n{position:?}");
                }
            }
        }
    }
}

#[test]
fn weights_are_the_same_after_a_file() {
    for seats in 2..=MAX_SEATS {
        for seed in 0..5 {
            let weights = random_weights("hase-und-igel", seats, seed);
            let bytes = weights.to_bytes();
            let read = Weights::from_bytes(&bytes).expect("a file");
            assert!(read.to_bytes() == bytes, "{seats} seats, {seed}: bytes differ");
            for (table, read) in weights.parts.iter().zip(&read.parts) {
                let numbers = || table.iter().flatten().zip(read.iter().flatten());
                // Half a unit in a table whose largest number is 0.3.
                assert!(numbers().all(|(x, read)| (x - read).abs() < 0.6 * 0.3 / 32767.0));
            }
            let dense = Weights { parts: weights.parts.clone(), ..read };
            assert!(dense == weights, "all else is as it was");
        }
    }
    let zero = Weights::zero("hare-and-tortoise", 3);
    assert!(Weights::from_bytes(&zero.to_bytes()) == Ok(zero));
}

#[test]
fn bytes_that_are_no_weights_are_refused() {
    let good = random_weights("hase-und-igel", 3, 1).to_bytes();
    let start = good.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    assert_eq!(&good[..start], b"buxtehude net 1 hase-und-igel 3\n");
    let with_header = |header: &str| [header.as_bytes(), &good[start..]].concat();
    let header = |found: &str| Err(WeightsError::Header { found: found.into() });
    for line in [
        "buxtehude net 2 hase-und-igel 3", "buxtehude net 1 hase-und-igel",
        "buxtehude net 1 hase-und-igel 1", "buxtehude net 1 hase-und-igel 7",
        "buxtehude net 1 hase-und-igel 03", "buxtehude net 1 hase-und-igel 3 3", "",
    ] {
        let found = Weights::from_bytes(&with_header(&format!("{line}\n")));
        assert!(found == header(line), "{line}");
    }
    assert!(Weights::from_bytes(b"") == header(""));
    assert!(Weights::from_bytes(b"buxtehude net 1 x 3") == header("buxtehude net 1 x 3"));
    let numbers = good.len() - start;
    for (bytes, found) in [
        (good[..good.len() - 1].to_vec(), numbers - 1),
        ([&good[..], &[0]].concat(), numbers + 1),
        (good[..start].to_vec(), 0),
    ] {
        let expected = numbers;
        let refused = WeightsError::Length { expected, found };
        assert!(Weights::from_bytes(&bytes) == Err(refused), "{found} bytes");
    }
    let four = Weights::from_bytes(&with_header("buxtehude net 1 hase-und-igel 4\n"));
    assert!(matches!(four, Err(WeightsError::Length { .. })));
    for number in [f32::NAN, f32::INFINITY] {
        // The last number, and the unit of the first table.
        for place in [good.len() - 4, start] {
            let mut bytes = good.clone();
            bytes[place..place + 4].copy_from_slice(&number.to_le_bytes());
            assert!(Weights::from_bytes(&bytes) == Err(WeightsError::NotFinite));
        }
    }
}

#[test]
fn the_files_are_those_of_their_variant_and_seats() {
    for ruleset in RULESETS {
        for seats in 2..=MAX_SEATS {
            let name = format!("{}-{seats}.net", ruleset.name);
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("data/nets");
            let bytes = std::fs::read(folder.join(&name)).unwrap();
            let weights =
                Weights::from_bytes(&bytes).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert_eq!((weights.variant.as_str(), weights.seats), (ruleset.name, seats), "{name}");
            assert!(Weights::shipped(ruleset, seats) == Some(weights), "{name}");
        }
        assert!(Weights::shipped(ruleset, 1).is_none());
        assert!(Weights::shipped(ruleset, 7).is_none());
    }
}

#[test]
fn custom_weights_apply_only_to_their_variant_and_seats() {
    let evaluators = Evaluators::default();
    let strengths = |ruleset, seats| {
        let start = Position::start(ruleset, seats).expect("2 to 6 seats");
        start.evaluator(&evaluators).strengths(&start)
    };
    let shipped = [strengths(&HASE_UND_IGEL, 2), strengths(&HASE_UND_IGEL, 3)];
    evaluators.use_weights(Some(Weights::zero("hase-und-igel", 3)));
    assert_eq!(strengths(&HASE_UND_IGEL, 3), [0.0; MAX_SEATS]);
    assert_eq!(strengths(&HASE_UND_IGEL, 2), shipped[0]);
    assert_ne!(strengths(&HARE_AND_TORTOISE, 3), [0.0; MAX_SEATS]);
    evaluators.use_weights(None);
    assert_eq!(strengths(&HASE_UND_IGEL, 3), shipped[1]);
}
