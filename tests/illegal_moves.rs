//! Messages for words that are not moves, and for each kind of illegal move.

use buxtehude::rules::hase::{HASE_UND_IGEL, IllegalCard, IllegalMove, Position};
use buxtehude::rules::{Game, Variant};

fn variant() -> &'static Variant {
    Variant::by_name("hase-und-igel").unwrap()
}

#[test]
fn a_word_that_is_no_move_is_refused() {
    let start = variant().start(2).unwrap();
    for word in [
        "", "-", "65", "-64", "100", "1000", "1003", "-1001", "05", "00", "-0", "-05", "1_0",
        "1.0", "1e1", "0x1", " 1", "1 ", "e2e4", "a", "0000", "(none)", "\u{663}", "\u{ff13}",
        "32768", "-32769", "65537", "4294967297", "99999999999999999999", "half", "Half", "1+half",
    ] {
        let mut position = start;
        let refusal = position.play(word).unwrap_err().to_string();
        let expected = "expected 1 to 64, -1 to -63, 1001, 1002 or 0";
        assert_eq!(refusal, format!("{word:?} is not a move: {expected}"));
        assert!(position == start, "{position:?}");
    }
    for word in
        ["+", "+5", "+0", "+Half", "+HALF", "+half ", "++half", "+h\u{e4}lf", "+h", "+cards"]
    {
        let mut position = start;
        let refusal = position.play(word).unwrap_err().to_string();
        let expected = "expected +behind, +draw, +restore, +half, +free, +show, +give or +shuffle";
        assert_eq!(refusal, format!("{word:?} is not a move: {expected}"));
        assert!(position == start, "{position:?}");
    }
}

/// For each kind of illegal move: a position, the move, and the rule that it breaks.
const ILLEGAL_MOVES: &[(&str, &str, &str)] = &[
    ("1,67,3/0,68,3 1?1 - -", "1", "seat 1 must draw a card first"),
    ("64,0,0/0,68,3 2 1 -", "1", "the game is over"),
    ("0,68,3/7,40,3! 2 - -", "2", "seat 2 misses this turn; only 0 is legal"),
    ("0,68,3/0,68,3 1 - -", "0", "seat 1 has other moves than 0 and does not miss this turn"),
    ("0,18,3/0,68,3 1 - -", "6", "seat 1: a move of 6 costs 21 carrots, the hare holds 18"),
    // In third place on square 4, a 3, the hare has 30 carrots more than its text says.
    ("4,2,3/20,68,3/21,68,3 1 - -", "8", "seat 1: a move of 8 costs 36 carrots, the hare holds 32"),
    ("60,500,0/0,68,3 1 - -", "5", "seat 1: square 65 is beyond the finish, 64"),
    ("0,68,3/0,68,3/5,68,3 1 - -", "5", "seat 1: square 5 is taken by seat 3"),
    ("10,20,3/8,30,3 1 - -", "-2", "seat 1: square 8 is taken by seat 2"),
    ("0,68,3/0,68,3 1 - -", "8", "seat 1: square 8 is a hedgehog, reached only backwards"),
    ("0,68,0/0,68,3 1 - -", "7", "seat 1: square 7 is a lettuce square, the hare has no lettuce"),
    ("63,5,2/0,68,3 1 - -", "1", "seat 1: it cannot finish with 2 lettuces in hand"),
    (
        "63,12,0/0,68,3 1 - -",
        "1",
        "seat 1: it would finish with 11 carrots, at most 10 are allowed",
    ),
    (
        "63,22,0/0,68,3/64,10,0 1 3 -",
        "1",
        "seat 1: it would finish with 21 carrots, at most 20 are allowed",
    ),
    ("12,20,3/0,68,3 1 - -", "-4", "seat 1: the nearest hedgehog behind square 12 is 11"),
    ("8,20,3/0,68,3 1 - -", "-1", "seat 1: there is no hedgehog behind square 8"),
    ("0,68,3/0,68,3 1 - -", "1001", "seat 1: square 0 is not a carrot square"),
    ("2,9,3/0,68,3 1 - -", "1002", "seat 1: it cannot give 10 carrots of 9"),
    ("0,68,3/0,68,3 1 - -", "+half", "no card is due"),
    ("64,0,0/1,68,3 2 1 -", "+half", "no card is due"),
    ("1,67,3/0,68,3 1?1 - HH", "+half", "no +half is left in the deck"),
];

#[test]
fn an_illegal_move_names_the_rule_that_it_breaks() {
    for &(text, word, rule) in ILLEGAL_MOVES {
        let before = variant().parse(text).unwrap();
        let mut position = before;
        let refusal = position.play(word).unwrap_err().to_string();
        assert_eq!(refusal, format!("{word} is illegal: {rule}"), "{before:?}");
        assert!(position == before, "{word} changed\n{before:?}\nto\n{position:?}");
    }
}

#[test]
fn the_table_of_illegal_moves_is_complete() {
    // A new kind of error does not compile until it is counted here, and then lacks a row.
    fn kind(illegal: &IllegalMove) -> usize {
        match illegal {
            IllegalMove::CardDue { .. } => 0,
            IllegalMove::GameOver => 1,
            IllegalMove::MissesTurn { .. } => 2,
            IllegalMove::NotForced { .. } => 3,
            IllegalMove::TooFewCarrots { .. } => 4,
            IllegalMove::BeyondFinish { .. } => 5,
            IllegalMove::Taken { .. } => 6,
            IllegalMove::OntoHedgehog { .. } => 7,
            IllegalMove::NoLettuce { .. } => 8,
            IllegalMove::FinishWithLettuces { .. } => 9,
            IllegalMove::FinishWithCarrots { .. } => 10,
            IllegalMove::NotNearestHedgehog { .. } => 11,
            IllegalMove::NoHedgehog { .. } => 12,
            IllegalMove::NotOnCarrots { .. } => 13,
            IllegalMove::TooFewToGive { .. } => 14,
        }
    }
    let mut kinds: Vec<usize> = vec![];
    let mut cards: Vec<IllegalCard> = vec![];
    for &(text, word, _) in ILLEGAL_MOVES {
        let mut position = Position::parse(&HASE_UND_IGEL, text).unwrap();
        if word.starts_with('+') {
            cards.push(position.draw(word.parse().unwrap()).unwrap_err());
        } else {
            kinds.push(kind(&position.play(word.parse().unwrap()).unwrap_err()));
        }
    }
    kinds.sort_unstable();
    kinds.dedup();
    assert_eq!(kinds, (0..15).collect::<Vec<_>>());
    assert!(cards.contains(&IllegalCard::NoneDue), "{cards:?}");
    let none_left = |card: &IllegalCard| matches!(card, IllegalCard::NoneLeft { .. });
    assert!(cards.iter().any(none_left), "{cards:?}");
}

#[test]
fn a_word_list_stops_at_its_first_bad_word() {
    let mut position = variant().start(2).unwrap();
    position.play("1").unwrap();
    let card_due = position;
    for word in ["4", "0", "1001"] {
        let refusal = position.play(word).unwrap_err().to_string();
        let rule = "seat 1 must draw a card first";
        assert_eq!(refusal, format!("{word} is illegal: {rule}"), "{position:?}");
        assert!(position == card_due, "{position:?}");
    }
}
