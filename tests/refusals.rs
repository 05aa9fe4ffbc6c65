//! Position texts and etude lines that the rules reject, with their messages, and edge cases that they accept.

use buxtehude::articles::etudes::Etude;
use buxtehude::rules::hase::{HASE_UND_IGEL, Position};
use buxtehude::rules::{Game, Seat, Variant};

fn variant() -> &'static Variant {
    Variant::by_name("hase-und-igel").unwrap()
}

/// Rejected texts, by the field that the message must name first.
const REFUSED_TEXTS: &[(&str, &[&str])] = &[
    (
        "hares",
        &[
            " 1 - -",
            "- 1 - -",
            "startpos 1 - -",
            "0,68,3 1 - -",
            "0,68,3/0,68,3/0,68,3/0,68,3/0,68,3/0,68,3/0,68,3 1 - -",
            "/0,68,3/0,68,3 1 - -",
            "0,68,3/0,68,3/ 1 - -",
            "0,68,3//0,68,3 1 - -",
            "/ 1 - -",
            "0,68/0,68,3 1 - -",
            "0,68,3,0/0,68,3 1 - -",
            "0,68,3,!/0,68,3 1 - -",
            "0;68;3/0,68,3 1 - -",
            "0,68,3|0,68,3 1 - -",
            "0.68.3/0,68,3 1 - -",
            "!/0,68,3 1 - -",
        ],
    ),
    (
        "square",
        &[
            "65,68,3/0,68,3 1 - -",
            "0,68,3/65,68,3 1 - -",
            "256,68,3/0,68,3 1 - -",
            "4294967297,68,3/0,68,3 1 - -",
            "99999999999999999999999999,68,3/0,68,3 1 - -",
            "-1,68,3/0,68,3 1 - -",
            "-0,68,3/0,68,3 1 - -",
            "+5,68,3/0,68,3 1 - -",
            "05,68,3/0,68,3 1 - -",
            "00,68,3/0,68,3 1 - -",
            ",68,3/0,68,3 1 - -",
            "x,68,3/0,68,3 1 - -",
            "5.0,68,3/0,68,3 1 - -",
            "1e1,68,3/0,68,3 1 - -",
            "0x5,68,3/0,68,3 1 - -",
            "\u{665},68,3/0,68,3 1 - -",
            "\u{ff15},68,3/0,68,3 1 - -",
            "!5,68,3/0,68,3 1 - -",
            "5,68,3/5,68,3 1 - -",
            "0,68,3/63,68,3/1,68,3/63,68,3 1 - -",
        ],
    ),
    (
        "carrots",
        &[
            "0,65536,3/0,68,3 1 - -",
            "0,68,3/0,131072,3 1 - -",
            "0,4294967296,3/0,68,3 1 - -",
            "0,99999999999999999999999999,3/0,68,3 1 - -",
            "0,-1,3/0,68,3 1 - -",
            "0,+68,3/0,68,3 1 - -",
            "0,068,3/0,68,3 1 - -",
            "0,,3/0,68,3 1 - -",
            "0,6_8,3/0,68,3 1 - -",
            "0,68!,3/0,68,3 1 - -",
            "0,\u{666}\u{668},3/0,68,3 1 - -",
            "0,68\t,3/0,68,3 1 - -",
            // Finished with more than 10 x the finishing place.
            "64,11,0/0,68,3 2 1 -",
            "64,0,0/64,21,0/0,68,3 3 1,2 -",
            "64,11,0/64,20,0/0,68,3 3 1,2 -",
            "64,20,0/64,11,0/0,68,3 3 2,1 -",
        ],
    ),
    (
        "lettuces",
        &[
            "0,68,4/0,68,3 1 - -", "0,68,256/0,68,3 1 - -", "0,68,/0,68,3 1 - -",
            "0,68,03/0,68,3 1 - -", "0,68,+3/0,68,3 1 - -", "0,68,-1/0,68,3 1 - -",
            "0,68,t/0,68,3 1 - -", "0,68,\u{ff13}/0,68,3 1 - -", "7,68,3!!/0,68,3 1 - -",
            "7,68,3?/0,68,3 1 - -", "64,0,1/0,68,3 2 1 -", "0,68,3/64,10,3/0,68,3 1 2 -",
        ],
    ),
    (
        "mark",
        &[
            "0,68,3!/0,68,3 1 - -", "2,68,3!/0,68,3 1 - -", "4,68,3!/0,68,3 1 - -",
            "8,68,3!/0,68,3 1 - -", "0,68,3/16,68,3! 1 - -", "7,68,0!/0,68,3 1 - -",
            "0,68,3/22,68,0! 1 - -", "64,0,0!/0,68,3 2 1 -", "64,0,0!/0,68,3/0,68,3 2 1 -",
        ],
    ),
    (
        "turn",
        &[
            "0,68,3/0,68,3", "0,68,3/0,68,3\t1\t-\t-", "0,68,3/0,68,3 0 - -",
            "0,68,3/0,68,3 3 - -", "0,68,3/0,68,3 7 - -", "0,68,3/0,68,3 257 - -",
            "0,68,3/0,68,3 4294967297 - -", "0,68,3/0,68,3 -1 - -", "0,68,3/0,68,3 +1 - -",
            "0,68,3/0,68,3 01 - -", "0,68,3/0,68,3 - - -", "0,68,3/0,68,3 w - -",
            "0,68,3/0,68,3 1! - -", "0,68,3/0,68,3 1,2 - -", "0,68,3/0,68,3 \u{661} - -",
            "1,68,3/0,68,3 ?1 - -", "1,68,3/0,68,3 3?1 - -",
            // A finished hare's turn; all hares finished.
            "64,0,0/0,68,3 1 1 -", "64,0,0/0,68,3/0,68,3 1 1 -", "64,0,0/0,68,3/0,68,3 1?1 1 -",
            "64,0,0/64,0,0 1 1,2 -", "64,0,0/64,0,0/64,0,0 2 3,2,1 -",
        ],
    ),
    (
        "payment",
        &[
            // Not on a hare square, with the mark, in a finished game.
            "0,68,3/0,68,3 1?1 - -",
            "2,68,3/1,68,3 1?1 - -",
            "7,68,3/0,68,3 1?6 - -",
            "1,68,3!/0,68,3 1?1 - -",
            "64,0,0/1,68,3 2?1 1 -",
            // No payment, or one for more squares than there are behind.
            "3,68,3/0,68,3 1? - -",
            "3,68,3/0,68,3 1?0 - -",
            "3,68,3/0,68,3 1?2 - -",
            "3,68,3/0,68,3 1?5 - -",
            "3,68,3/0,68,3 1?10 - -",
            "63,68,3/0,68,3 1?2080 - -",
            "3,68,3/0,68,3 1?65536 - -",
            "3,68,3/0,68,3 1?65539 - -",
            "3,68,3/0,68,3 1?4294967297 - -",
            "3,68,3/0,68,3 1?99999999999999999999 - -",
            "3,68,3/0,68,3 1?+3 - -",
            "3,68,3/0,68,3 1?-3 - -",
            "3,68,3/0,68,3 1?03 - -",
            "3,68,3/0,68,3 1?x - -",
            "3,68,3/0,68,3 1?3? - -",
            "3,68,3/0,68,3 1?3?3 - -",
            "3,68,3/0,68,3 1??3 - -",
            "3,68,3/0,68,3 1?\u{663} - -",
        ],
    ),
    (
        "finished",
        &[
            "0,68,3/0,68,3 1",
            "0,68,3/0,68,3 1  -",
            "0,68,3/0,68,3 1 1 -",
            "0,68,3/0,68,3 1 x -",
            "0,68,3/0,68,3 1 -- -",
            "64,0,0/0,68,3 2 - -",
            "64,0,0/0,68,3 2 2 -",
            "64,0,0/0,68,3 2 0 -",
            "64,0,0/0,68,3 2 3 -",
            "64,0,0/0,68,3 2 257 -",
            "64,0,0/0,68,3 2 01 -",
            "64,0,0/0,68,3 2 +1 -",
            "64,0,0/0,68,3 2 \u{661} -",
            "64,0,0/0,68,3 2 1,1 -",
            "64,0,0/0,68,3 2 1,2 -",
            "64,0,0/0,68,3 2 1, -",
            "64,0,0/0,68,3 2 ,1 -",
            "64,0,0/0,68,3 2 1,- -",
            "64,0,0/64,0,0/0,68,3 3 1 -",
            "64,0,0/64,0,0/0,68,3 3 12 -",
            "64,0,0/64,0,0/0,68,3 3 1/2 -",
            "64,0,0/64,0,0/0,68,3 3 1,,2 -",
            "64,0,0/64,0,0/0,68,3 3 1,2,1,2,1,2,1,2 -",
        ],
    ),
    (
        "drawn",
        &[
            "0,68,3/0,68,3 1 -", "0,68,3/0,68,3 1\u{a0}- -", "0,68,3/0,68,3 1 - - -",
            "0,68,3/0,68,3 1 - - 0 1", "0,68,3/0,68,3  1 - -", "0,68,3/0,68,3 1  - -",
            "0,68,3/0,68,3 1 -  -", " 0,68,3/0,68,3 1 - -", "0,68,3/0,68,3 1 - - ",
            "0,68,3/0,68,3 1 - -\n", "0,68,3/0,68,3 1 - ", "0,68,3/0,68,3 1 - BBB",
            "0,68,3/0,68,3 1 - GGG", "0,68,3/0,68,3 1 - BBDDRRHHFFSSGGG", "0,68,3/0,68,3 1 - DB",
            "0,68,3/0,68,3 1 - GS", "0,68,3/0,68,3 1 - BDB", "0,68,3/0,68,3 1 - b",
            "0,68,3/0,68,3 1 - X", "0,68,3/0,68,3 1 - -B", "0,68,3/0,68,3 1 - B-",
            "0,68,3/0,68,3 1 - B,D", "0,68,3/0,68,3 1 - +behind", "0,68,3/0,68,3 1 - \u{392}",
        ],
    ),
];

#[test]
fn a_refused_position_names_its_field() {
    for &(field, texts) in REFUSED_TEXTS {
        for &text in texts {
            let Err(reason) = Position::parse(&HASE_UND_IGEL, text) else {
                panic!("{text:?} is accepted, {field} is wrong");
            };
            let reason = reason.to_string();
            assert!(
                reason.starts_with(&format!("{field}: ")),
                "{text:?} is refused for {reason:?} instead of {field}"
            );
            let refusal = variant().parse(text).unwrap_err().to_string();
            assert_eq!(refusal, format!("position {text:?} refused: {reason}"));
        }
    }
}

#[test]
fn nothing_but_fields_is_refused_by_the_field_that_is_missing() {
    for text in ["", "0", "\u{1f407}", "0,68,3/0,68,3"] {
        let reason = Position::parse(&HASE_UND_IGEL, text).unwrap_err();
        assert!(reason.to_string().starts_with("turn: "), "{text:?}: {reason}");
    }
}

#[test]
fn positions_on_the_edge_are_accepted() {
    for text in [
        // All hares on the start, and several on the finish.
        "0,68,3/0,68,3/0,68,3/0,68,3/0,68,3/0,68,3 6 - -",
        "64,30,0/64,10,0/64,20,0/5,3,1/0,0,0 4 2,3,1 -",
        // Finished games.
        "64,10,0/0,68,3 2 1 -",
        "64,20,0/64,10,0/7,3,1! 3 2,1 BD",
        "63,68,3/64,0,0/64,1,0/64,2,0/64,3,0/64,50,0 1 2,3,4,5,6 -",
        // Holdings.
        "0,0,0/63,65535,3 1 - -",
        // Marks on hare squares with and without lettuces, on lettuce squares with one.
        "1,5,0!/3,5,3!/7,5,1! 2 - -",
        "62,5,3!/61,5,0 1 - -",
        // On a square that no move reaches without a mark, or without eating a lettuce.
        "7,5,0/8,5,3 1 - -",
        // Every payment possible on square 6, and the highest.
        "6,5,0/0,68,3 1?1 - -",
        "6,5,0/0,68,3 1?3 - -",
        "6,5,0/0,68,3 1?6 - -",
        "6,5,0/0,68,3 1?10 - -",
        "6,5,0/0,68,3 1?15 - -",
        "6,5,0/0,68,3 1?21 - -",
        "0,68,3/63,5,0 2?2016 - -",
        "3,5,0/1,5,3! 1?6 - -",
        // Cards.
        "0,68,3/0,68,3 1 - BBDDRRHHFFSSGG",
        "6,5,0/0,68,3 1?1 - BBDDRRHHFFSSGG",
        "0,68,3/0,68,3 1 - BRFG",
        // The examples of the rules.
        "0,68,3/0,68,3/0,68,3 1 - -",
        "45,26,2/29,19,0 1 - BDD",
        "12,60,3/3,62,3 2?6 - -",
        "5,24,3/4,58,3 2 - H",
    ] {
        match variant().parse(text) {
            Ok(position) => assert_eq!(position.to_string(), text, "{position:?}"),
            Err(refusal) => panic!("{refusal}"),
        }
    }
}

#[test]
fn the_variant_decides_what_a_square_is() {
    let later = Variant::by_name("hare-and-tortoise").unwrap();
    for (text, accepted_by_the_first) in [
        ("7,5,3!/0,68,3 1 - -", true),
        ("10,5,3!/0,68,3 1 - -", false),
        ("61,5,3/0,68,3 1?1 - -", true),
        ("62,5,3/0,68,3 1?1 - -", false),
    ] {
        assert_eq!(variant().parse(text).is_ok(), accepted_by_the_first, "{text}");
        assert_eq!(later.parse(text).is_ok(), !accepted_by_the_first, "{text}");
    }
}

/// Rejected etude lines, by the field that the message must name first.
const REFUSED_ETUDES: &[(&str, &[&str])] = &[
    (
        "hares",
        &[
            "",
            ";",
            "45;26;2;f;2",
            "45;26;2;f;29;19;0;f",
            "45;26;2;f;29;19;0;f;2;",
            "45;26;2;f;29;19;0;f;2;1",
            "45;26;2;29;19;0;2",
            "45,26,2,f,29,19,0,f,2",
            "45,26,2/29,19,0 1 - -",
            "0;9;3;f;0;9;3;f;0;9;3;f;0;9;3;f;0;9;3;f;0;9;3;f;0;9;3;f;-",
        ],
    ),
    (
        "square",
        &[
            "65;26;2;f;29;19;0;f;2", "045;26;2;f;29;19;0;f;2", " 45;26;2;f;29;19;0;f;2",
            ";26;2;f;29;19;0;f;2", "29;26;2;f;29;19;0;f;2",
        ],
    ),
    ("carrots", &["45;65536;2;f;29;19;0;f;2", "45;-26;2;f;29;19;0;f;2", "45; 26;2;f;29;19;0;f;2"]),
    ("lettuces", &["45;26;4;f;29;19;0;f;2", "45;26;;f;29;19;0;f;2", "45;26;2!;f;29;19;0;f;2"]),
    (
        "mark",
        &[
            "45;26;2;F;29;19;0;f;2", "45;26;2;true;29;19;0;f;2", "45;26;2;;29;19;0;f;2",
            "45;26;2;!;29;19;0;f;2", "45;26;2;f ;29;19;0;f;2",
            // Squares where no turn can be missed.
            "45;26;2;t;29;19;0;f;2", "45;26;2;f;42;19;0;t;2",
        ],
    ),
    ("finished", &["64;0;0;f;29;19;0;f;2", "45;26;2;f;64;10;0;f;-"]),
    (
        "verdict",
        &[
            "45;26;2;f;29;19;0;f;", "45;26;2;f;29;19;0;f;0", "45;26;2;f;29;19;0;f;3",
            "45;26;2;f;29;19;0;f;02", "45;26;2;f;29;19;0;f;+2", "45;26;2;f;29;19;0;f;-1",
            "45;26;2;f;29;19;0;f;--", "45;26;2;f;29;19;0;f;2 ", "45;26;2;f;29;19;0;f;\u{ff12}",
            "45;26;2;f;29;19;0;f;t",
        ],
    ),
];

#[test]
fn a_refused_etude_names_its_field() {
    for &(field, lines) in REFUSED_ETUDES {
        for &line in lines {
            let Err(reason) = Etude::parse(&HASE_UND_IGEL, line) else {
                panic!("{line:?} is accepted, {field} is wrong");
            };
            let reason = reason.to_string();
            assert!(
                reason.starts_with(&format!("{field}: ")),
                "{line:?} is refused for {reason:?} instead of {field}"
            );
        }
    }
}

#[test]
fn an_etude_is_a_position_with_a_verdict() {
    for (line, text, winner) in [
        ("45;26;2;f;29;19;0;f;2", "45,26,2/29,19,0 1 - -", Some(1)),
        ("45;26;2;f;29;19;0;f;1", "45,26,2/29,19,0 1 - -", Some(0)),
        ("46;26;0;t;42;19;1;t;-", "46,26,0!/42,19,1! 1 - -", None),
        (
            "0;68;3;f;0;68;3;f;0;68;3;f;0;68;3;f;0;68;3;f;63;65535;0;f;6",
            "0,68,3/0,68,3/0,68,3/0,68,3/0,68,3/63,65535,0 1 - -",
            Some(5),
        ),
    ] {
        let etude = Etude::parse(&HASE_UND_IGEL, line).unwrap();
        assert_eq!(etude.position.to_string(), text, "{line}");
        assert_eq!(etude.winner, winner.map(Seat), "{line}");
        let parsed = Position::parse(&HASE_UND_IGEL, text).unwrap();
        assert!(etude.position == parsed, "{line}: {parsed:?}");
    }
}

#[test]
fn a_variant_that_does_not_exist_is_refused_with_those_that_do() {
    for name in ["", "chess", "Hase-und-Igel", "hase-und-igel ", "hase und igel"] {
        let refusal = Variant::by_name(name).unwrap_err().to_string();
        let expected =
            format!("unknown variant {name:?}: expected {}", Variant::names().join(", "));
        assert_eq!(refusal, expected);
        assert!(refusal.contains("hase-und-igel, hare-and-tortoise"), "{refusal}");
    }
}
