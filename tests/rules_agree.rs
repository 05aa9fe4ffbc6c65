//! The library's rules, compared with the slow ones of `reference/` in random games played side by side.
//!
//! After every move and card, both must have the same text, turn, legal moves, cards and places. A tally of the rules
//! applied proves that each rare event occurred. Games come from a fixed seed, so a failure repeats; it is shrunk to a
//! short game and shown with its picture.

use std::cell::RefCell;
use std::collections::BTreeMap;

use crate::common::reference;
use buxtehude::rules::{AnyPosition, Seat, Turn};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use reference::{DECK, Hare, LETTUCES, Race, Variant, cost};

/// Games for each variant and number of players: from the start, and from random positions.
const GAMES_FROM_START: u32 = 150;
const GAMES_FROM_SET_UPS: u32 = 1500;

/// Maximum number of moves and cards of a game.
const PLIES_FROM_START: usize = 400;
const PLIES_FROM_SET_UP: usize = 60;

#[test]
fn hase_und_igel_agrees_with_the_reference() {
    agrees(Variant::named("hase-und-igel"));
}

#[test]
fn hare_and_tortoise_agrees_with_the_reference() {
    agrees(Variant::named("hare-and-tortoise"));
}

/// Number of occurrences of each event.
type Tally = BTreeMap<String, u64>;

fn agrees(variant: &'static Variant) {
    let tally = RefCell::new(Tally::new());
    for players in 2..=6 {
        let start = Just(Race::start(variant, players)).boxed();
        run(GAMES_FROM_START, start, PLIES_FROM_START, &tally);
        let set_up = set_up(variant, players).boxed();
        run(GAMES_FROM_SET_UPS, set_up, PLIES_FROM_SET_UP, &tally);
    }
    let tally = tally.into_inner();
    let missing: Vec<String> =
        events_to_see(variant).into_iter().filter(|event| !tally.contains_key(event)).collect();
    assert!(missing.is_empty(), "never happened: {missing:#?}\nof {tally:#?}");
}

fn run(games: u32, races: BoxedStrategy<Race>, plies: usize, tally: &RefCell<Tally>) {
    let config = Config {
        cases: games,
        failure_persistence: None,
        max_shrink_iters: 10_000,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let policies = prop::collection::vec(prop::sample::select(&POLICIES), 6);
    let choices = prop::collection::vec(any::<u32>(), 1..=plies);
    let result = TestRunner::new_with_rng(config, rng)
        .run(&(races, policies, choices), |(race, policies, choices)| {
            walk(race, &policies, &choices, &mut tally.borrow_mut())
        });
    match result {
        Ok(()) => {}
        Err(TestError::Fail(difference, _)) => panic!("{difference}"),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

/// Plays one game in both implementations; each choice selects a move or a card.
fn walk(
    mut race: Race,
    policies: &[Policy],
    choices: &[u32],
    tally: &mut Tally,
) -> Result<(), TestCaseError> {
    let variant = buxtehude::rules::Variant::by_name(race.variant.name).unwrap();
    let start = race.text();
    let mut position =
        variant.parse(&start).map_err(|error| TestCaseError::fail(error.to_string()))?;
    let mut words: Vec<String> = vec![];
    let fail = |difference: String, words: &[String], position: &AnyPosition| {
        let moves = words.join(" ");
        Err(TestCaseError::fail(format!(
            "{difference}\nin {} from {start} after {moves}\n{position:?}",
            variant.name
        )))
    };
    for choice in choices {
        if let Err(difference) = compare(&race, &position) {
            return fail(difference, &words, &position);
        }
        let Some(word) = choose(&race, policies[race.turn], *choice) else {
            break;
        };
        let before = position;
        words.push(word.clone());
        if let Err(error) = position.play(&word) {
            return fail(format!("{word} refused: {error}"), &words, &before);
        }
        if word.starts_with('+') {
            race.draw(&word);
        } else {
            race.play(word.parse().unwrap());
        }
        count_events(&race, &words, tally);
    }
    match compare(&race, &position) {
        Ok(()) => Ok(()),
        Err(difference) => fail(difference, &words, &position),
    }
}

/// Compares the reference with the library; the error names the difference.
fn compare(race: &Race, position: &AnyPosition) -> Result<(), String> {
    fn same<T: PartialEq + std::fmt::Debug>(what: &str, slow: &T, fast: &T) -> Result<(), String> {
        if slow == fast {
            return Ok(());
        }
        Err(format!("{what}: the reference has {slow:?}, the library {fast:?}"))
    }
    same("text", &race.text(), &position.to_string())?;
    same("seats", &race.hares.len(), &position.seats())?;
    let seat = Seat(race.turn as u8);
    let turn = match race.paid {
        _ if race.is_over() => Turn::Over,
        Some(_) => Turn::Card(seat),
        None => Turn::Seat(seat),
    };
    same("turn", &turn, &position.turn())?;
    let cards: Vec<(String, u32)> =
        race.cards().into_iter().map(|(card, number)| (card.to_string(), number)).collect();
    same("cards", &cards, &position.outcomes())?;
    let actions = match turn {
        Turn::Card(_) => cards.into_iter().map(|(card, _)| card).collect(),
        _ => race.moves().iter().map(i32::to_string).collect::<Vec<_>>(),
    };
    same("legal actions", &actions, &position.legal_actions())?;
    for seat in 0..race.hares.len() {
        let place = position.place(Seat(seat as u8));
        same("final place", &race.final_place(seat), &place)?;
    }
    Ok(())
}

/// A seat's way to choose moves. Games between different policies cover more of the rules.
#[derive(Clone, Copy, Debug)]
enum Policy {
    Uniform,
    /// Prefers moves forward.
    Forward,
    /// Prefers hare squares, to draw cards.
    HareSquares,
    /// Collects carrots.
    Hoard,
    /// Eats its lettuces, sheds its carrots and finishes.
    Finish,
}

const POLICIES: [Policy; 5] =
    [Policy::Uniform, Policy::Forward, Policy::HareSquares, Policy::Hoard, Policy::Finish];

/// The move or card selected by `choice`, or `None` if the game is over.
fn choose(race: &Race, policy: Policy, choice: u32) -> Option<String> {
    let mut weighted: Vec<(String, u32)> = vec![];
    for (card, number) in race.cards() {
        weighted.push((card.into(), number));
    }
    for mv in race.moves() {
        weighted.push((mv.to_string(), weight(race, policy, mv)));
    }
    let total: u32 = weighted.iter().map(|(_, weight)| weight).sum();
    if total == 0 {
        return None;
    }
    let mut rest = choice % total;
    for (word, weight) in weighted {
        if rest < weight {
            return Some(word);
        }
        rest -= weight;
    }
    None
}

fn weight(race: &Race, policy: Policy, mv: i32) -> u32 {
    let forward = (1..=64).contains(&mv);
    let target = match mv {
        1..=64 => race.kind(race.hares[race.turn].square + mv),
        _ => "",
    };
    match policy {
        Policy::Uniform => 1,
        Policy::Forward if forward => 20,
        Policy::HareSquares if target == "hare" => 20,
        Policy::Hoard if !forward && mv != 1002 => 20,
        Policy::Finish if ["lettuce", "finish"].contains(&target) => 100,
        Policy::Finish if race.hares[race.turn].lettuces == 0 && mv == 1002 => 20,
        Policy::Finish if forward => 5,
        _ => 1,
    }
}

/// Random valid positions: hares all over the track, close together or near the finish, with any holding.
fn set_up(variant: &'static Variant, players: usize) -> impl Strategy<Value = Race> {
    let square = prop_oneof![6 => 0..=64, 1 => Just(0), 1 => Just(64)];
    let close = (0..=60i32)
        .prop_flat_map(move |from| prop::collection::vec(from..=(from + 8).min(64), players));
    let late = prop_oneof![2 => Just(64), 1 => 48..=63];
    let squares = prop_oneof![
        2 => prop::collection::vec(square, players),
        2 => close,
        1 => prop::collection::vec(late, players),
    ];
    let carrots = prop_oneof![0..=12, 0..=100, 0..=2100, 65400..=65535];
    let lettuces = prop_oneof![1 => Just(0), 2 => 0..=LETTUCES];
    let hare = (carrots, lettuces, any::<bool>(), any::<u32>());
    (
        squares,
        prop::collection::vec(hare, players),
        0..players,
        prop::option::of(1..=64),
        prop::array::uniform7(0..=2u32),
        prop::bool::weighted(0.3),
    )
        .prop_map(move |(squares, hares, turn, from, drawn, most_drawn)| {
            let mut race = Race::start(variant, players);
            for (seat, (carrots, lettuces, misses, _)) in hares.iter().enumerate() {
                race.hares[seat] = Hare {
                    square: squares[seat],
                    carrots: *carrots,
                    lettuces: *lettuces,
                    misses: *misses,
                };
            }
            race.turn = turn;
            race.drawn[..7].copy_from_slice(&if most_drawn { [2; 7] } else { drawn });
            let lots: Vec<u32> = hares.iter().map(|hare| hare.3).collect();
            make_valid(&mut race, &lots, from);
            race
        })
}

/// Changes a race so that the rules accept its text; `lots` decide the finishing order, and `from` the payment if a
/// card is due.
fn make_valid(race: &mut Race, lots: &[u32], from: Option<i32>) {
    let players = race.hares.len();
    for seat in 0..players {
        // From an occupied square, a hare goes back to the next free one.
        while ![0, 64].contains(&race.hares[seat].square)
            && (0..seat).any(|other| race.hares[other].square == race.hares[seat].square)
        {
            race.hares[seat].square -= 1;
        }
    }
    race.finished = (0..players).filter(|&seat| race.hares[seat].square == 64).collect();
    if race.finished.len() == players {
        race.hares[race.turn].square = 63;
        race.finished.retain(|&seat| seat != race.turn);
    }
    race.finished.sort_by_key(|&seat| lots[seat]);
    for (before, &seat) in race.finished.iter().enumerate() {
        race.hares[seat].carrots %= 10 * (before as i32 + 1) + 1;
        race.hares[seat].lettuces = 0;
    }
    while race.finished.contains(&race.turn) {
        race.turn = (race.turn + 1) % players;
    }
    for seat in 0..players {
        let kind = race.kind(race.hares[seat].square);
        let may_miss = kind == "hare" || kind == "lettuce" && race.hares[seat].lettuces > 0;
        race.hares[seat].misses &= may_miss;
    }
    let mover = &race.hares[race.turn];
    if race.kind(mover.square) == "hare" && !mover.misses && !race.is_over() {
        race.paid = from.map(|n| cost((n - 1) % mover.square + 1));
    }
}

fn count_events(race: &Race, words: &[String], tally: &mut Tally) {
    for event in &race.events {
        *tally.entry(event.clone()).or_default() += 1;
        // A second impossible move in a row.
        if event == "back to the start" && words.iter().rev().nth(1).is_some_and(|w| w == "+behind")
        {
            *tally.entry("+behind: move again, but no move".into()).or_default() += 1;
        }
    }
}

/// Every event that must occur for the comparison to cover all rules.
fn events_to_see(variant: &Variant) -> Vec<String> {
    let mut events: Vec<String> = [
        "turn missed", "back to the start", "hedgehog taken", "back to a hedgehog", "take", "give",
        "lettuce square reached", "carrots lost beyond 65535", "+behind: miss a turn",
        "+behind: move again", "+behind: move again, but no move", "+draw: miss a turn",
        "+draw: with 1 lettuces", "+draw: with 2 lettuces", "+draw: with 3 lettuces", "+restore",
        "+half: even", "+half: odd", "+free", "+show", "+give: 10 each", "+give: 5 each",
        "+give: 1 each", "+give: 0 each", "+give: nobody behind", "+shuffle: cards left",
        "+shuffle: last card", "+shuffle: carrot taken", "+shuffle: hare without carrots spared",
        "+shuffle: finished hare spared",
    ]
    .map(String::from)
    .to_vec();
    for (square, kind) in variant.track().iter().enumerate() {
        let places: &[i32] = match *kind {
            "flag" => &[1, 5, 6],
            "2" => &[2],
            "3" => &[3],
            "4" => &[4],
            _ => &[],
        };
        for place in places {
            events.push(format!("income on {square} in place {place}"));
        }
    }
    for place in 1..=6 {
        events.push(format!("lettuce eaten in place {place}"));
    }
    for players in 2..=6 {
        for place in 1..players {
            events.push(format!("finish in place {place} of {players}"));
        }
    }
    events
}

#[test]
fn both_implementations_have_the_same_start() {
    for slow in &reference::VARIANTS {
        let variant = buxtehude::rules::Variant::by_name(slow.name).unwrap();
        for players in 2..=6 {
            let start = variant.start(players).unwrap();
            let text = Race::start(slow, players).text();
            assert_eq!(start.to_string(), text, "{start:?}");
            assert!(start == variant.parse(&text).unwrap(), "{start:?}");
        }
        for players in [0, 1, 7, 8, 255, 256, usize::MAX] {
            let refusal = variant.start(players).unwrap_err().to_string();
            assert!(refusal.contains(&players.to_string()), "{refusal}");
        }
    }
    assert_eq!(DECK.iter().map(|card| card.2).sum::<u32>(), 15);
}
