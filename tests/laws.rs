//! Laws that hold in every position of every game, tested in random games of every variant and number of players; and
//! the bookkeeping of carrots in Hase und Igel.

use std::any::Any;
use std::collections::HashMap;
use std::fmt::Debug;

use crate::common::positions::near_the_end;
use crate::common::reference;
use buxtehude::eval::hase::LETTUCES;
use buxtehude::pictures::{Draw, Piece, Scene};
use buxtehude::rules::hase::{
    Card, FINISH, HARE_AND_TORTOISE, HASE_UND_IGEL, Move, Position, Square,
};
use buxtehude::rules::{
    AnyPosition, Game, MAX_MOVES, MAX_OUTCOMES, MAX_SEATS, Seat, Turn, VARIANTS, Variant, fox,
    perft, perft_by_playing,
};
use buxtehude::with_position;
use rand::SeedableRng;
use rand::rngs::StdRng;
use rand::seq::IteratorRandom;
use reference::Race;

/// Games for each variant, number of players and start.
const GAMES: u64 = 15;

/// Maximum number of moves and cards of a game.
const PLIES: usize = 250;

/// The tables of evaluations are large enough for every ruleset.
#[test]
fn no_ruleset_has_more_lettuces_than_tables_tell_apart() {
    for ruleset in [&HASE_UND_IGEL, &HARE_AND_TORTOISE] {
        assert!(usize::from(ruleset.lettuces) < LETTUCES, "{}", ruleset.name);
    }
}

#[test]
fn every_game_keeps_the_laws() {
    for variant in VARIANTS {
        let start = (2..=MAX_SEATS).find_map(|seats| variant.start(seats).ok());
        with_position!(start.unwrap(), start => laws(&start, variant).hold());
    }
}

fn laws<G: Draw + Into<AnyPosition>>(_: &G, variant: &'static Variant) -> Laws<G> {
    let codes = (-63..=64).chain([1001, 1002]).map(|code| code.to_string());
    let squares = || (0..fox::board::SQUARES).map(fox::Square::new);
    let steps = squares().flat_map(|from| squares().map(move |to| format!("{from}{to}")));
    let pawns = (0..=20).map(|square| format!("p{square}"));
    let faces = (1..=6).map(|face| format!("+{face}"));
    let cards = Card::ALL.iter().map(Card::to_string).chain(faces);
    Laws {
        variant,
        all_moves: codes.chain(steps).chain(pawns).filter_map(|word| word.parse().ok()).collect(),
        all_cards: cards.filter_map(|word| word.parse().ok()).collect(),
        texts: HashMap::new(),
    }
}

/// The position as one of its own type.
fn own<G: Game>(position: AnyPosition) -> G {
    let position: Box<dyn Any> = with_position!(position, position => Box::new(position));
    *position.downcast().unwrap()
}

/// A variant, with statistics of its games.
struct Laws<G: Game> {
    variant: &'static Variant,
    /// All spellings of moves; empty for a game that has none here, whose legal moves alone are tested.
    all_moves: Vec<G::Move>,
    all_cards: Vec<G::Card>,
    /// Text of the position for each key.
    texts: HashMap<u64, String>,
}

impl<G: Draw + Into<AnyPosition>> Laws<G> {
    fn hold(&mut self) {
        let mut played = 0;
        for seats in 0..=MAX_SEATS + 2 {
            let Ok(start) = self.variant.start(seats) else {
                continue;
            };
            let start: G = own(start);
            assert_eq!(start.seats(), seats, "{start:?}");
            let late = own(near_the_end(self.variant, seats));
            let mut ended = 0;
            for seed in 0..GAMES {
                self.walk(start, seed);
                ended += u64::from(self.walk(late, seed).turn() == Turn::Over);
            }
            assert!(ended > 0, "no game of {seats} ended: {}", self.variant.name);
            played += 1;
        }
        assert!(played > 0, "{} has no start", self.variant.name);
    }

    /// Plays at random; returns the last position.
    fn walk(&mut self, start: G, seed: u64) -> G {
        let mut rng = StdRng::seed_from_u64(seed);
        let mut position = start;
        for _ in 0..PLIES {
            self.check(&position);
            let before = places(&position);
            match position.turn() {
                Turn::Seat(_) => {
                    let mv = position.legal_moves().choose(&mut rng).unwrap();
                    position.play(mv).unwrap();
                }
                Turn::Card(_) => {
                    let (card, _) = position.outcomes().choose(&mut rng).unwrap();
                    position.draw(card).unwrap();
                }
                Turn::Over => break,
            }
            for (before, now) in before.into_iter().zip(places(&position)) {
                assert!(before.is_none() || before == now, "a place changed\n{position:?}");
            }
        }
        position
    }

    fn check(&mut self, position: &G) {
        self.check_turn(position);
        self.check_moves(position);
        self.check_cards(position);
        self.check_text_and_key(position);
        self.check_any(position);
    }

    /// Either a move or a card is due, or the game is over with all places decided and no actions.
    fn check_turn(&self, position: &G) {
        let (moves, cards) = (position.legal_moves().len(), position.outcomes().len());
        assert!(
            moves <= MAX_MOVES && cards <= MAX_OUTCOMES,
            "{moves} moves, {cards} cards: the search would leave some out\n{position:?}"
        );
        match position.turn() {
            Turn::Seat(seat) => {
                assert!(moves > 0 && cards == 0, "{moves} moves, {cards} cards\n{position:?}");
                assert_eq!(position.place(seat), None, "{position:?}");
            }
            Turn::Card(seat) => {
                assert!(moves == 0 && cards > 0, "{moves} moves, {cards} cards\n{position:?}");
                assert_eq!(position.place(seat), None, "{position:?}");
            }
            Turn::Over => {
                assert!(moves == 0 && cards == 0, "{moves} moves, {cards} cards\n{position:?}");
                let mut places = places(position);
                places.sort_unstable();
                let all: Vec<_> = (1..=position.seats()).map(Some).collect();
                assert_eq!(places, all, "{position:?}");
            }
        }
        for (depth, leaves) in [(0, 1), (1, (moves + cards) as u64)] {
            let bulk = perft(position, depth, &mut || false);
            assert_eq!(bulk, Some(leaves), "perft {depth}\n{position:?}");
            let played = perft_by_playing(position, depth, &mut || false);
            assert_eq!(played, Some(leaves), "perft {depth}, played\n{position:?}");
        }
        if position.turn() == Turn::Over {
            for depth in 1..=4 {
                let leaves = perft(position, depth, &mut || false);
                assert_eq!(leaves, Some(0), "perft {depth}\n{position:?}");
            }
        }
    }

    /// Legal moves are ascending, counted, and accepted; all others are rejected.
    fn check_moves(&self, position: &G) {
        let moves = counted(position.legal_moves(), position);
        ascending(&moves, position);
        for mv in &self.all_moves {
            let mut next = *position;
            let answer = next.play(*mv);
            if moves.contains(mv) {
                assert!(answer.is_ok(), "{mv} is refused\n{position:?}");
                let unchecked = position.play_unchecked(*mv);
                assert!(next == unchecked, "{mv}: {next:?}\n{unchecked:?}");
            } else {
                assert!(answer.is_err(), "{mv} is accepted\n{position:?}");
                assert!(next == *position, "{mv} changed {position:?}\nto {next:?}");
            }
        }
        for mv in moves {
            let is_known = self.all_moves.is_empty() || self.all_moves.contains(&mv);
            assert!(is_known, "{mv} is unknown\n{position:?}");
            let read = mv.to_string().parse::<G::Move>();
            assert!(read.is_ok_and(|read| read == mv), "{mv} is not read back");
        }
    }

    /// The cards left are in deck order, counted, and accepted; all others are rejected.
    fn check_cards(&self, position: &G) {
        let outcomes = counted(position.outcomes(), position);
        let cards: Vec<G::Card> = outcomes.iter().map(|&(card, _)| card).collect();
        ascending(&cards, position);
        for (card, number) in outcomes {
            assert!(number > 0, "{card} is not left\n{position:?}");
            let is_known = self.all_cards.is_empty() || self.all_cards.contains(&card);
            assert!(is_known, "{card} is unknown\n{position:?}");
            let read = card.to_string().parse::<G::Card>();
            assert!(read.is_ok_and(|read| read == card), "{card} is not read back");
        }
        for card in &self.all_cards {
            let mut next = *position;
            let answer = next.draw(*card);
            if cards.contains(card) {
                assert!(answer.is_ok(), "{card} is refused\n{position:?}");
                let unchecked = position.draw_unchecked(*card);
                assert!(next == unchecked, "{card}: {next:?}\n{unchecked:?}");
            } else {
                assert!(answer.is_err(), "{card} is accepted\n{position:?}");
                assert!(next == *position, "{card} changed {position:?}\nto {next:?}");
            }
        }
    }

    /// The text describes the position completely, and so, almost surely, does the key.
    fn check_text_and_key(&mut self, position: &G) {
        let text = position.to_string();
        let read: G = match self.variant.parse(&text) {
            Ok(read) => own(read),
            Err(reason) => panic!("{text} is not read back: {reason}\n{position:?}"),
        };
        assert!(read == *position, "{position:?}\nis read back as {read:?}");
        assert_eq!(read.to_string(), text);
        assert_eq!(read.key(), position.key(), "{position:?}");
        let legal = |position: &G| position.legal_moves().collect::<Vec<_>>();
        assert_eq!(legal(&read), legal(position), "{position:?}");
        let known = self.texts.entry(position.key()).or_insert_with(|| text.clone());
        assert_eq!(*known, text, "two positions have the key {}", position.key());
    }

    /// The interface in words agrees with the position's own type.
    fn check_any(&self, position: &G) {
        let any: AnyPosition = (*position).into();
        let text = position.to_string();
        assert_eq!(any.to_string(), text);
        assert_eq!(any.seats(), position.seats(), "{position:?}");
        assert_eq!(any.turn(), position.turn(), "{position:?}");
        assert_eq!(any.key(), position.key(), "{position:?}");
        assert_eq!(any.picture(), position.picture());
        assert_eq!(any.columns(), position.columns());
        assert_eq!(any.scene(), position.scene());
        check_scene(self.variant, position);
        check_previews(position);
        let words: Vec<String> = any.previews().into_iter().map(|(word, _)| word).collect();
        let is_move = matches!(position.turn(), Turn::Seat(_));
        let legal = is_move.then(|| any.legal_actions());
        assert_eq!(words, legal.unwrap_or_default(), "{position:?}");
        assert_eq!(format!("{any:?}"), format!("{position:?}"));
        for seat in Seat::all(position.seats()) {
            assert_eq!(any.place(seat), position.place(seat), "{position:?}");
        }
        let cards: Vec<(String, u32)> =
            position.outcomes().map(|(card, number)| (card.to_string(), number)).collect();
        assert_eq!(any.outcomes(), cards, "{position:?}");

        let mut next: Vec<(String, G)> = vec![];
        for mv in position.legal_moves() {
            let after = position.play_unchecked(mv);
            next.push((mv.to_string(), after));
        }
        for (card, _) in position.outcomes() {
            let after = position.draw_unchecked(card);
            next.push((card.to_string(), after));
        }
        let words: Vec<String> = next.iter().map(|(word, _)| word.clone()).collect();
        assert_eq!(any.legal_actions(), words, "{position:?}");
        for (word, after) in next {
            let mut played = any;
            played.play(&word).unwrap();
            assert!(played == after.into(), "{word}: {played:?}\n{after:?}");
        }
        let counts = any.perft_by_action(1, &mut || false).unwrap();
        let ones: Vec<(String, u64)> = words.into_iter().map(|word| (word, 1)).collect();
        assert_eq!(counts, ones, "{position:?}");
    }
}

fn places<G: Game>(position: &G) -> Vec<Option<usize>> {
    let seats = Seat::all(position.seats());
    seats.map(|seat| position.place(seat)).collect()
}

/// Collects the items; asserts that iteration and folding agree, and that `len` is always the number of items left.
fn counted<T, G: Game>(mut items: impl ExactSizeIterator<Item = T> + Clone, position: &G) -> Vec<T>
where
    T: PartialEq + Debug,
{
    let mut all = vec![];
    let total = items.len();
    let mut folded = vec![];
    items.clone().for_each(|item| folded.push(item));
    while let Some(item) = items.next() {
        all.push(item);
        assert_eq!(items.len() + all.len(), total, "{position:?}");
    }
    assert_eq!(all.len(), total, "{position:?}");
    assert_eq!(folded, all, "{position:?}");
    all
}

/// Asserts that the items are strictly ascending.
fn ascending<T: Ord + Debug, G: Game>(items: &[T], position: &G) {
    let ordered = items.windows(2).all(|pair| pair[0] < pair[1]);
    assert!(ordered, "{items:?}\n{position:?}");
}

/// Carrots of each seat.
fn holdings(position: &Position) -> Vec<i32> {
    let hares = position.hares().iter();
    hares.map(|hare| i32::from(hare.carrots)).collect()
}

#[test]
fn carrots_come_and_go_as_the_rules_say() {
    for slow in &reference::VARIANTS {
        let variant = Variant::by_name(slow.name).unwrap();
        for players in 2..=6 {
            for seed in 0..GAMES {
                let mut rng = StdRng::seed_from_u64(seed);
                let mut race = Race::start(slow, players);
                let mut position = own::<Position>(variant.start(players).unwrap());
                for _ in 0..PLIES {
                    let before = position;
                    match position.turn() {
                        Turn::Seat(seat) => {
                            let mv = position.legal_moves().choose(&mut rng).unwrap();
                            let expected = holdings_after_move(&before, seat, mv, race.income());
                            position.play(mv).unwrap();
                            race.play(mv.code().into());
                            assert_eq!(holdings(&position), expected, "{mv} in {before:?}");
                        }
                        Turn::Card(seat) => {
                            let (card, _) = position.outcomes().choose(&mut rng).unwrap();
                            let paid = race.paid.unwrap();
                            position.draw(card).unwrap();
                            race.draw(card.token());
                            check_card(&before, &position, seat, card, paid);
                        }
                        Turn::Over => break,
                    }
                }
            }
        }
    }
}

/// Only the mover's holding changes.
fn holdings_after_move(before: &Position, seat: Seat, mv: Move, income: i32) -> Vec<i32> {
    let mut holdings = holdings(before);
    let square = before.hare(seat).square;
    let eats = before.ruleset().track.square(square) == Square::Lettuce;
    let held = &mut holdings[seat.index()];
    let code = i32::from(mv.code());
    match code {
        0 if before.misses_turn(seat) && eats => *held += 10 * i32::from(before.rank(seat)),
        0 if before.misses_turn(seat) => {}
        0 => *held = before.ruleset().carrots.into(),
        1001 => *held += 10,
        1002 => *held -= 10,
        ..0 => *held += income + 10 * -code,
        1.. => *held += income - code * (code + 1) / 2,
    }
    holdings
}

/// A gift or a collection moves carrots between hares; any other card changes one holding.
fn check_card(before: &Position, after: &Position, seat: Seat, card: Card, paid: i32) {
    let (old, new) = (holdings(before), holdings(after));
    let held = old[seat.index()];
    let mut expected = old.clone();
    expected[seat.index()] = match card {
        Card::Give | Card::Shuffle => {
            let change: i32 = new.iter().sum::<i32>() - old.iter().sum::<i32>();
            assert_eq!(change, 0, "{card} in {before:?}\nled to {after:?}");
            for (other, hare) in before.hares().iter().enumerate() {
                let gained = new[other] - old[other];
                let possible: &[i32] = match card {
                    _ if other == seat.index() => continue,
                    _ if hare.square == FINISH => &[0],
                    Card::Give => &[0, 1, 5, 10],
                    _ => &[0, -1],
                };
                assert!(possible.contains(&gained), "{card}: {gained}\n{before:?}");
            }
            return;
        }
        Card::Behind | Card::Show => held,
        Card::Draw => held + 10 * i32::from(before.hare(seat).lettuces),
        Card::Restore => 65,
        Card::Half => held - held / 2,
        Card::Free => held + paid,
    };
    assert_eq!(new, expected, "{card} in {before:?}");
}

/// Asserts that board, labels and pieces match the start.
fn check_scene<G: Draw>(variant: &Variant, position: &G) {
    let scene = position.scene();
    let start = variant.start(position.seats()).unwrap().scene();
    assert_eq!(scene.board, start.board, "{position:?}");
    assert_eq!(scene.facts.len(), position.seats(), "{position:?}");
    let labels = |scene: &Scene| -> Vec<Vec<&str>> {
        let facts = scene.facts.iter();
        facts.map(|facts| facts.iter().map(|fact| fact.label).collect()).collect()
    };
    assert_eq!(labels(&scene), labels(&start), "{position:?}");
    let pieces = |scene: &Scene| -> Vec<(Seat, &str)> {
        let pieces = scene.pieces.iter();
        pieces.map(|piece| (piece.seat, piece.name)).collect()
    };
    assert_eq!(pieces(&scene), pieces(&start), "{position:?}");
    for piece in scene.pieces {
        let squares = scene.board.squares.len();
        assert!(piece.square < squares, "{piece:?} in {position:?}");
    }
}

/// Asserts that a preview shows one piece of the mover at its new square, and that its facts equal the facts of the
/// scene after the move.
fn check_previews<G: Draw>(position: &G) {
    let scene = position.scene();
    for mv in position.legal_moves() {
        let preview = position.preview(mv);
        let seat = scene.pieces[preview.piece].seat;
        assert_eq!(Some(seat), position.turn().seat(), "{mv}: {position:?}");
        let after = position.play_unchecked(mv).scene();
        let stands = |piece: &Piece| piece.seat == seat && piece.square == preview.square;
        assert!(after.pieces.iter().any(stands), "{mv}: {position:?}");
        for fact in preview.facts {
            let facts = &after.facts[seat.index()];
            let same = facts.iter().find(|known| known.label == fact.label);
            assert!(same.is_none_or(|same| *same == fact), "{mv} {fact:?}: {position:?}");
        }
    }
}
