//! The rules by example: a position, some words of a move list, and the expected result. Every row follows from the
//! printed rules by hand.

use buxtehude::rules::{AnyPosition, Game, Seat, Turn, Variant, hase, perft, perft_by_playing};

fn position(text: &str) -> AnyPosition {
    let variant = Variant::by_name("hase-und-igel").unwrap();
    match variant.parse(text) {
        Ok(position) => position,
        Err(refusal) => panic!("{refusal}"),
    }
}

/// A position, moves and cards, and the position that they lead to.
const CONSEQUENCES: &[(&str, &str, &str)] = &[
    // The printed example of a move list.
    ("0,68,3/0,68,3 1 - -", "1 +half 4 4", "5,24,3/4,58,3 2 - H"),
    // n(n+1)/2 carrots for n squares; on a hare square a card is due.
    ("0,68,3/0,68,3 1 - -", "5", "5,53,3/0,68,3 2 - -"),
    ("0,68,3/0,68,3 1 - -", "6", "6,47,3/0,68,3 1?21 - -"),
    // A lettuce is eaten during the missed turn, for 10 x place carrots.
    ("0,68,3/0,68,3 1 - -", "7", "7,40,3!/0,68,3 2 - -"),
    ("0,68,3/0,68,3 1 - -", "7 2 0", "7,50,2/2,65,3 2 - -"),
    ("0,68,3/0,68,3 1 - -", "7 10 0", "7,60,2/10,13,3 2 - -"),
    // Missing a turn on a hare square costs nothing else.
    ("6,20,3!/0,68,3 1 - -", "0", "6,20,3/0,68,3 2 - -"),
    // Income on the square with the place's number, and only there, comes with the next move of any kind.
    ("10,5,3/20,5,3 1 - -", "3", "13,19,3/20,5,3 2 - -"),
    ("10,5,3/20,5,3 1 - -", "-2", "8,45,3/20,5,3 2 - -"),
    ("10,6,3/9,5,3 1 - -", "3", "13,0,3/9,5,3 2 - -"),
    // A flag pays places 1, 5 and 6; finished hares are ahead.
    ("16,5,3/9,5,3 1 - -", "1", "17,14,3/9,5,3 2 - -"),
    ("16,5,3/20,5,3 1 - -", "1", "17,4,3/20,5,3 2 - -"),
    ("16,0,3/20,5,3/21,5,3/23,5,3/26,5,3 1 - -", "1", "17,49,3/20,5,3/21,5,3/23,5,3/26,5,3 2 - -"),
    (
        "16,0,3/64,0,0/20,5,3/21,5,3/23,5,3/26,5,3 1 2 -",
        "1",
        "17,59,3/64,0,0/20,5,3/21,5,3/23,5,3/26,5,3 3 2 -",
    ),
    // A step back gains 10 carrots per square.
    ("23,3,3/30,68,3 1 - -", "-4", "19,63,3/30,68,3 2 - -"),
    // Carrot squares.
    ("2,9,3/0,68,3 1 - -", "1001", "2,19,3/0,68,3 2 - -"),
    ("2,10,3/0,68,3 1 - -", "1002", "2,0,3/0,68,3 2 - -"),
    // Without a legal move: back to the start with its carrots, and the same seat moves again.
    ("4,0,2/0,68,3 1 - -", "0", "0,68,2/0,68,3 1 - -"),
    ("4,0,2/0,68,3 1 - -", "0 1", "1,67,2/0,68,3 1?1 - -"),
    ("12,0,3/11,5,3 1 - -", "0", "0,68,3/11,5,3 1 - -"),
    ("0,0,3/5,68,3 1 - -", "0", "0,68,3/5,68,3 1 - -"),
    // The finish; finished seats are skipped.
    ("63,11,0/0,68,3 1 - -", "1", "64,10,0/0,68,3 2 1 -"),
    ("64,10,0/63,21,0/0,68,3 2 1 -", "1", "64,10,0/64,20,0/0,68,3 3 1,2 -"),
    ("0,68,3/64,10,0/5,68,3 1 2 -", "4", "4,58,3/64,10,0/5,68,3 3 2 -"),
    // More hares behind than ahead, equal numbers, and a finished hare ahead.
    ("14,5,3/0,68,3 1?6 - -", "+behind", "14,5,3!/0,68,3 2 - B"),
    ("14,5,3/0,68,3/20,5,3 1?6 - -", "+behind", "14,5,3/0,68,3/20,5,3 1 - B"),
    ("14,5,3/0,68,3/64,0,0 1?6 3 -", "+behind", "14,5,3/0,68,3/64,0,0 1 3 B"),
    // A second impossible move is a forced stay.
    ("1,0,3/9,5,3 1?1 - -", "+behind 0", "0,68,3/9,5,3 1 - B"),
    ("14,5,3/0,68,3 1?6 - B", "+draw", "14,35,3/0,68,3 2 - BD"),
    ("14,5,0/0,68,3 1?6 - -", "+draw", "14,5,0!/0,68,3 2 - D"),
    ("14,5,3/0,68,3 1?6 - -", "+restore", "14,65,3/0,68,3 2 - R"),
    ("14,99,3/0,68,3 1?6 - R", "+restore", "14,65,3/0,68,3 2 - RR"),
    ("14,5,3/0,68,3 1?6 - -", "+half", "14,3,3/0,68,3 2 - H"),
    ("14,4,3/0,68,3 1?6 - -", "+half", "14,2,3/0,68,3 2 - H"),
    ("14,0,3/0,68,3 1?6 - -", "+half", "14,0,3/0,68,3 2 - H"),
    ("14,5,3/0,68,3 1?6 - -", "+free", "14,11,3/0,68,3 2 - F"),
    ("14,5,3/0,68,3 1?6 - -", "+show", "14,5,3/0,68,3 2 - S"),
    // Gifts of 10, 5, 1 and 0 carrots, only to hares behind.
    (
        "14,30,3/0,68,3/1,7,3/2,0,3/20,4,3 1?6 - -",
        "+give",
        "14,0,3/0,78,3/1,17,3/2,10,3/20,4,3 2 - G",
    ),
    (
        "14,29,3/0,68,3/1,7,3/2,0,3/20,4,3 1?6 - -",
        "+give",
        "14,14,3/0,73,3/1,12,3/2,5,3/20,4,3 2 - G",
    ),
    (
        "14,14,3/0,68,3/1,7,3/2,0,3/20,4,3 1?6 - -",
        "+give",
        "14,11,3/0,69,3/1,8,3/2,1,3/20,4,3 2 - G",
    ),
    ("14,2,3/0,68,3/1,7,3/2,0,3/20,4,3 1?6 - -", "+give", "14,2,3/0,68,3/1,7,3/2,0,3/20,4,3 2 - G"),
    // A carrot from each hare in the race that has one; then the deck is complete again.
    ("14,5,3/0,68,3/20,0,3/64,4,0 1?6 4 BD", "+shuffle", "14,6,3/0,67,3/20,0,3/64,4,0 2 4 -"),
    ("14,5,3/0,68,3 1?6 - BBDDRRHHFFSSGG", "+shuffle", "14,6,3/0,67,3 2 - -"),
    // Carrots beyond 65535 are lost; a payer pays in full nevertheless.
    ("2,65530,3/0,68,3 1 - -", "1001", "2,65535,3/0,68,3 2 - -"),
    ("23,65500,3/30,68,3 1 - -", "-4", "19,65535,3/30,68,3 2 - -"),
    ("10,65530,3/20,5,3 1 - -", "3", "13,65529,3/20,5,3 2 - -"),
    ("7,65530,3!/0,68,3 1 - -", "0", "7,65535,2/0,68,3 2 - -"),
    ("14,65530,3/0,68,3 1?6 - -", "+free", "14,65535,3/0,68,3 2 - F"),
    ("14,65530,3/0,68,3 1?6 - -", "+draw", "14,65535,3/0,68,3 2 - D"),
    ("14,65535,3/0,68,3 1?6 - -", "+half", "14,32768,3/0,68,3 2 - H"),
    ("14,30,3/0,65530,3 1?6 - -", "+give", "14,20,3/0,65535,3 2 - G"),
    ("14,65535,3/0,68,3 1?6 - -", "+shuffle", "14,65535,3/0,67,3 2 - -"),
];

#[test]
fn moves_and_cards_have_their_consequences() {
    for &(before, words, after) in CONSEQUENCES {
        let mut race = position(before);
        for word in words.split(' ') {
            if let Err(refusal) = race.play(word) {
                panic!("{before} {words}: {refusal}\n{race:?}");
            }
        }
        assert_eq!(race.to_string(), after, "{before} {words}\n{race:?}");
    }
}

/// A position and its legal moves or cards.
const LEGAL: &[(&str, &str)] = &[
    ("0,68,3/0,68,3 1 - -", "1 2 3 4 5 6 7 9 10"),
    // No lettuce; another hare on 5.
    ("0,68,0/5,0,3 1 - -", "1 2 3 4 6 9 10"),
    // Income counts: 5 carrots and 20 for second place on a 2 pay for 6 squares.
    ("10,5,3/40,5,3 1 - -", "-2 2 3 4 6"),
    // Only the mark.
    ("7,40,3!/0,68,3 1 - -", "0"),
    // Carrot squares, with too few carrots to pay and with enough.
    ("2,9,3/0,68,3 1 - -", "1 2 3 1001"),
    ("2,10,3/0,68,3 1 - -", "1 2 3 4 1001 1002"),
    // The nearest hedgehog square behind, free and occupied; never the hare's own.
    ("12,1,3/5,5,3 1 - -", "-1 1"),
    ("12,1,3/11,5,3 1 - -", "1"),
    ("11,0,3/0,5,3 1 - -", "-3"),
    // The finish: limits of carrots and lettuces, and another hare already there.
    ("63,12,0/0,68,3 1 - -", "-7"),
    ("63,11,0/0,68,3 1 - -", "-7 1"),
    ("63,11,1/0,68,3 1 - -", "-7"),
    ("63,21,0/0,68,3/64,10,0 1 3 -", "-7 1"),
    ("63,22,0/0,68,3/64,10,0 1 3 -", "-7"),
    // Without a legal move, even at the start.
    ("4,0,2/0,68,3 1 - -", "0"),
    ("0,0,3/5,68,3 1 - -", "0"),
    // All 64 squares at once, with no lettuce and 2080 to 2090 carrots.
    (
        "0,2079,0/8,68,3 1 - -",
        "1 2 3 4 5 6 9 10 12 13 14 16 17 18 20 21 23 25 26 27 28 29 31 32 33 34 35 36 38 39 40 41 44 45 46 47 \
         48 49 51 52 53 54 55 58 59 60 61 63",
    ),
    (
        "0,2080,0/8,68,3 1 - -",
        "1 2 3 4 5 6 9 10 12 13 14 16 17 18 20 21 23 25 26 27 28 29 31 32 33 34 35 36 38 39 40 41 44 45 46 47 \
         48 49 51 52 53 54 55 58 59 60 61 63 64",
    ),
    (
        "0,2090,0/8,68,3 1 - -",
        "1 2 3 4 5 6 9 10 12 13 14 16 17 18 20 21 23 25 26 27 28 29 31 32 33 34 35 36 38 39 40 41 44 45 46 47 \
         48 49 51 52 53 54 55 58 59 60 61 63 64",
    ),
    (
        "0,2091,0/8,68,3 1 - -",
        "1 2 3 4 5 6 9 10 12 13 14 16 17 18 20 21 23 25 26 27 28 29 31 32 33 34 35 36 38 39 40 41 44 45 46 47 \
         48 49 51 52 53 54 55 58 59 60 61 63",
    ),
    // The cards left, in deck order.
    ("14,5,3/0,68,3 1?6 - -", "+behind +draw +restore +half +free +show +give +shuffle"),
    ("14,5,3/0,68,3 1?6 - BBDHHG", "+draw +restore +free +show +give +shuffle"),
    ("14,5,3/0,68,3 1?6 - BBDDRRHHFFSSGG", "+shuffle"),
    // The game is over.
    ("64,10,0/0,68,3 2 1 -", ""),
];

#[test]
fn legal_moves_and_cards_are_these() {
    for &(text, legal) in LEGAL {
        let race = position(text);
        assert_eq!(race.legal_actions().join(" "), legal, "{race:?}");
    }
}

#[test]
fn the_later_board_starts_again_with_65_carrots() {
    let later = Variant::by_name("hare-and-tortoise").unwrap();
    let mut race = later.parse("12,0,3/11,5,3 1 - -").unwrap();
    race.play("0").unwrap();
    assert_eq!(race.to_string(), "0,65,3/11,5,3 1 - -", "{race:?}");
    assert_eq!(race.legal_actions().join(" "), "1 2 3 4 5 6 7 8 9 10");
}

#[test]
fn cards_are_weighted_by_what_is_left() {
    let race = position("14,5,3/0,68,3 1?6 - BDDRHHFSG");
    assert_eq!(race.turn(), Turn::Card(Seat(0)), "{race:?}");
    let expected = [
        ("+behind", 1),
        ("+restore", 1),
        ("+free", 1),
        ("+show", 1),
        ("+give", 1),
        ("+shuffle", 1),
    ]
    .map(|(card, number)| (card.to_string(), number));
    assert_eq!(race.outcomes(), expected, "{race:?}");
    let whole: u32 =
        position("14,5,3/0,68,3 1?6 - -").outcomes().iter().map(|(_, number)| number).sum();
    assert_eq!(whole, 15);
}

#[test]
fn places_are_those_of_the_finish() {
    let race = position("64,20,0/0,68,3/64,10,0/7,68,3 2 3,1 -");
    let places: Vec<_> = (0..4).map(|seat| race.place(Seat(seat))).collect();
    assert_eq!(places, [Some(2), None, Some(1), None], "{race:?}");
    assert_eq!(race.turn(), Turn::Seat(Seat(1)), "{race:?}");

    let over = position("64,20,0/0,68,3/64,10,0/64,30,0 2 3,1,4 -");
    let places: Vec<_> = (0..4).map(|seat| over.place(Seat(seat))).collect();
    assert_eq!(places, [Some(2), Some(4), Some(1), Some(3)], "{over:?}");
    assert_eq!(over.turn(), Turn::Over, "{over:?}");
}

#[test]
fn perft_counts_a_card_as_a_ply_and_nothing_after_the_end() {
    for (text, counts) in [
        // After 1, 3 or 6, eight cards each; after 2, 4, 5, 7, 9 or 10, the other eight moves.
        ("0,68,3/0,68,3 1 - -", &[1, 9, 72][..]),
        ("14,5,3/0,68,3 1?6 - BBDDRRHHFFSSGG", &[1, 1, 9]),
        ("64,10,0/0,68,3 2 1 -", &[1, 0, 0, 0]),
        // The last move, and then the end.
        ("63,11,0/56,68,3 1 - -", &[1, 1, 0, 0]),
    ] {
        let race = <hase::Position as Game>::parse(&hase::HASE_UND_IGEL, text).unwrap();
        for (depth, &leaves) in counts.iter().enumerate() {
            let depth = depth as u32;
            let bulk = perft(&race, depth, &mut || false);
            assert_eq!(bulk, Some(leaves), "depth {depth}\n{race:?}");
            let played = perft_by_playing(&race, depth, &mut || false);
            assert_eq!(played, Some(leaves), "played, depth {depth}\n{race:?}");
        }
    }
}
