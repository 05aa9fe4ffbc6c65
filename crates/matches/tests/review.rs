//! Reviews with invented values: the sums add up, luck averages zero, and only certain moves count.

use std::collections::HashSet;
use std::convert::Infallible;
use std::ops::ControlFlow;

use buxtehude::rules::{Seat, Turn, Variant};
use matches::judge::Question;
use matches::plan::rules::Position;
use matches::review::{
    Appraisal, Appraise, PlayedGame, Review, ReviewError, ReviewedMove, SeatSums, review,
};
use matches::score::shares;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Rounding error of sums of some hundred numbers up to 1000.
const ROUNDING: f64 = 1e-9;

/// Returns arbitrary values and best moves, always the same for the same position.
#[derive(Default)]
struct Invented {
    asked: HashSet<String>,
}

impl Appraise for Invented {
    type Error = Infallible;

    fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
        let position = question.position;
        assert_eq!(position.turn(), Turn::Seat(question.mover), "{position:?}");
        assert!(self.asked.insert(position.to_string()), "asked twice: {position:?}");
        let mut random = ChaCha8Rng::seed_from_u64(position.key());
        let shares = (0..position.seats()).map(|_| f64::from(random.random_range(1..500)));
        Ok(Appraisal {
            shares: shares.collect(),
            best: position.legal_actions().choose(&mut random).unwrap().clone(),
        })
    }
}

/// A judge that must not be called.
struct Nobody;

impl Appraise for Nobody {
    type Error = Infallible;

    fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
        panic!("asked about {:?}", question.position);
    }
}

fn all<A: Appraise>(game: &PlayedGame, appraiser: &mut A) -> Result<Review, ReviewError<A::Error>> {
    review(game, appraiser, |_| ControlFlow::Continue(()))
}

fn invented(game: &PlayedGame) -> Review {
    all(game, &mut Invented::default()).unwrap()
}

/// A game of random moves and cards, at most `words` long.
fn random_game(variant: &str, seats: usize, seed: u64, words: usize) -> PlayedGame {
    let variant = Variant::by_name(variant).unwrap();
    let start = variant.start(seats).unwrap();
    let mut game = PlayedGame {
        rules: variant.into(),
        start: start.into(),
        words: Vec::new(),
        opening: 0,
        places: None,
    };
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut position = start;
    while position.turn() != Turn::Over && game.words.len() < words {
        let word = position.legal_actions().choose(&mut random).unwrap().clone();
        position.play(&word).unwrap();
        game.words.push(word);
    }
    game
}

/// The position after `words` moves and cards.
fn after(game: &PlayedGame, words: usize) -> Position {
    let mut position = game.start.clone();
    for word in &game.words[..words] {
        position.play(word).unwrap();
    }
    position
}

fn games() -> Vec<PlayedGame> {
    let mut games = vec![random_game("hare-and-tortoise", 4, 3, 300)];
    games.extend((2..=6).map(|seats| random_game("hase-und-igel", seats, seats as u64, 600)));
    games.extend((1..=3).map(|seed| random_game("fox-and-hounds", 2, seed, 100)));
    #[cfg(feature = "ludo")]
    games.push(random_game("ludo", 3, 1, 1000));
    games
}

fn assert_near(found: f64, expected: f64, about: &str) {
    assert!((found - expected).abs() < ROUNDING, "{about}: {found}, expected {expected}");
}

/// A seat's result as the sum of its parts.
fn sum(sums: &SeatSums) -> f64 {
    sums.start + sums.skill + sums.gifts + sums.luck + sums.noise + sums.verdict
}

#[test]
fn for_each_seat_the_steps_add_up_to_the_result() {
    let mut finished = 0;
    for mut game in games() {
        let seats = game.start.seats();
        for places in [None, Some((1..=seats as u32).rev().collect::<Vec<u32>>())] {
            game.places = places;
            let review = invented(&game);
            let last = after(&game, game.words.len());
            if last.turn() == Turn::Over {
                finished += 1;
                let places = (0..seats as u8).map(|seat| last.place(Seat(seat)).unwrap() as u32);
                assert_eq!(review.end, shares(&places.collect::<Vec<u32>>()));
            }
            let result = game.places.as_deref().map_or(review.end.clone(), shares);
            assert_eq!((review.is_whole, &review.result), (true, &result));
            for (seat, sums) in review.sums().iter().enumerate() {
                assert_near(sum(sums), result[seat], &format!("seat {seat}: {sums:?}"));
                assert_near(sums.verdict, result[seat] - review.end[seat], "verdict");
            }
        }
    }
    assert!(finished >= 6, "{finished}");
}

#[test]
fn each_step_leads_from_one_value_to_the_next() {
    for game in games() {
        let review = invented(&game);
        let mut value = review.start.clone();
        for card in &review.drawn_first {
            value.iter_mut().zip(&card.luck).for_each(|(value, luck)| *value += luck);
        }
        let mut cards = review.drawn_first.len();
        for reviewed in &review.moves {
            let ReviewedMove { before, after, noise, change, .. } = reviewed;
            let luck = reviewed.luck();
            for seat in 0..before.len() {
                assert_near(before[seat], value[seat], "the value before");
                let steps = before[seat] + noise[seat] + change[seat] + luck[seat];
                assert_near(steps, after[seat], "the value after");
            }
            let loss = reviewed.loss;
            assert!(loss >= 0.0 && change[reviewed.seat - 1] == -loss, "{reviewed:?}");
            assert_eq!(reviewed.best == reviewed.mv, change.iter().all(|step| *step == 0.0));
            assert_eq!(game.words[reviewed.word - 1], reviewed.mv);
            assert_near(after.iter().sum(), 1000.0, "all shares");
            for card in &reviewed.cards {
                assert_eq!(game.words[card.word - 1], card.card);
                assert_near(card.luck.iter().sum(), 0.0, "what all seats have of a card");
            }
            cards += reviewed.cards.len();
            value.clone_from(after);
        }
        assert_eq!(value, review.end);
        assert_eq!(review.moves.len() + cards, game.words.len());
    }
}

#[test]
fn mean_luck_over_all_cards_is_zero() {
    let mut tried = 0;
    for game in games().into_iter().filter(|game| game.start.has_cards()) {
        let review = invented(&game);
        for card in review.cards().take(12) {
            let mut other = game.clone();
            other.words.truncate(card.word);
            let cards = after(&game, card.word - 1).outcomes();
            assert!(cards.len() > 1, "{cards:?}");
            let mut sums = vec![0.0; game.start.seats()];
            for (word, number) in cards {
                other.words[card.word - 1] = word.clone();
                let with_other = invented(&other);
                let drawn = with_other.cards().last().unwrap();
                assert_eq!(drawn.card, word);
                for (sum, luck) in sums.iter_mut().zip(&drawn.luck) {
                    *sum += f64::from(number) * luck;
                }
                // Earlier moves do not depend on the card.
                let mut moves = with_other.moves.iter().zip(&review.moves);
                assert!(moves.all(|(one, two)| (one.loss, &one.best) == (two.loss, &two.best)));
            }
            sums.iter().for_each(|sum| assert_near(*sum, 0.0, &card.card));
            tried += 1;
        }
    }
    assert!(tried > 50, "{tried}");
}

#[test]
fn a_solved_game_needs_no_judge_and_has_no_noise() {
    let (mut blunders, mut sound) = (0, 0);
    for seed in 0..40 {
        let game = random_game("fox-and-hounds", 2, seed, 100);
        let review = all(&game, &mut Nobody).unwrap();
        for reviewed in &review.moves {
            assert!(reviewed.noise.iter().all(|noise| *noise == 0.0), "{reviewed:?}");
            let before = after(&game, reviewed.word - 1);
            let winner_after = |word: &str| {
                let mut next = before.clone();
                next.play(word).unwrap();
                next.solved().unwrap().winner
            };
            let mover = Seat(reviewed.seat as u8 - 1);
            let is_blunder =
                before.solved().unwrap().winner == mover && winner_after(&reviewed.mv) != mover;
            let expected = if is_blunder { 1000.0 } else { 0.0 };
            assert_eq!(reviewed.loss, expected, "{before:?} {}", reviewed.mv);
            blunders += u32::from(is_blunder);
            sound += u32::from(!is_blunder);
            if is_blunder {
                assert_eq!(winner_after(&reviewed.best), mover, "{before:?}");
            }
        }
        for sums in review.sums() {
            assert_eq!((sums.luck, sums.noise, sum(&sums)), (0.0, 0.0, sums.result));
        }
    }
    assert!(blunders > 10 && sound > 100, "{blunders} {sound}");
}

#[test]
fn a_forced_move_loses_nothing() {
    let mut forced = 0;
    for game in games() {
        for reviewed in invented(&game).moves {
            let is_only = after(&game, reviewed.word - 1).legal_actions().len() == 1;
            assert_eq!(reviewed.is_forced, is_only);
            if is_only {
                assert_eq!((reviewed.loss, &reviewed.best), (0.0, &reviewed.mv));
                forced += 1;
            }
        }
    }
    assert!(forced > 5, "{forced}");
}

#[test]
fn an_opening_counts_neither_as_skill_nor_as_luck() {
    for mut game in games() {
        let whole = invented(&game);
        game.opening = 7;
        let rest = invented(&game);
        assert_eq!(rest.moves, whole.moves[7..]);
        assert_eq!((&rest.start, &rest.end), (&rest.moves[0].before, &whole.end));
        assert!(rest.drawn_first.is_empty());
        for sums in rest.sums() {
            assert_near(sum(&sums), sums.result, &format!("{sums:?}"));
        }
    }
}

#[test]
fn each_move_is_told_at_once_until_one_is_told_to_stop() {
    let game = random_game("hase-und-igel", 3, 5, 200);
    let whole = invented(&game);
    let mut told = Vec::new();
    let stopped = review(&game, &mut Invented::default(), |reviewed| {
        told.push(reviewed.clone());
        if told.len() < 9 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })
    .unwrap();
    assert_eq!(told, whole.moves[..9]);
    assert_eq!((stopped.is_whole, &stopped.moves), (false, &told));
    assert_eq!(stopped.end, told[8].after);
    for sums in stopped.sums() {
        assert_near(sum(&sums), sums.result, &format!("{sums:?}"));
    }
}

/// Always returns the same values.
struct Stubborn {
    shares: &'static [f64],
    best: &'static str,
}

impl Appraise for Stubborn {
    type Error = Infallible;

    fn appraise(&mut self, _: Question<'_>) -> Result<Appraisal, Infallible> {
        Ok(Appraisal { shares: self.shares.to_vec(), best: self.best.to_string() })
    }
}

#[test]
fn values_and_moves_that_cannot_be_are_refused() {
    let game = PlayedGame { words: vec!["2".to_string()], ..random_game("hase-und-igel", 2, 1, 0) };
    for (shares, best, expected) in [
        (
            &[300.0, 300.0, 400.0][..],
            "1",
            "shares [300.0, 300.0, 400.0], expected one for each of 2 seats",
        ),
        (&[f64::NAN, 400.0], "1", "shares [NaN, 400.0], expected one for each of 2 seats"),
        (&[-1.0, 1001.0], "1", "shares [-1.0, 1001.0], expected one for each of 2 seats"),
        (&[0.0, 0.0], "1", "shares [0.0, 0.0], expected one for each of 2 seats"),
        (&[500.0, 500.0], "64", "asked about \"startpos\": its best move is 64: 64 is illegal"),
    ] {
        let error = all(&game, &mut Stubborn { shares, best }).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let illegal = PlayedGame { words: vec!["2".to_string(), "2".to_string()], ..game };
    let error = all(&illegal, &mut Invented::default()).unwrap_err().to_string();
    assert!(error.starts_with("word 2 of the moves: "), "{error}");
}
