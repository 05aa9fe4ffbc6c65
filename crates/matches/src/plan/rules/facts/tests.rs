use buxtehude::rules::{Seat, Turn};

use super::*;

fn parse(text: &str) -> Result<Facts, FactsError> {
    Facts::parse(text, 3, None)
}

fn error(text: &str) -> String {
    match parse(text) {
        Ok(facts) => panic!("{text:?} is accepted: {facts:?}"),
        Err(error) => error.to_string(),
    }
}

fn actions(facts: &Facts) -> Vec<&str> {
    facts.actions.iter().map(String::as_str).collect()
}

#[test]
fn moves_outcomes_and_an_end_are_read() {
    let facts = parse(" 2 legal roll  hold\t7-5*/3\r").unwrap();
    assert_eq!(facts.turn, Turn::Seat(Seat(1)));
    assert_eq!(actions(&facts), ["roll", "hold", "7-5*/3"]);
    assert!(facts.weights.is_empty());
    assert_eq!(facts.places, [None, None, None]);

    let facts = parse("card 3 weights +66 1 +6-5 2 places - 1 -").unwrap();
    assert_eq!(facts.turn, Turn::Card(Seat(2)));
    assert_eq!(actions(&facts), ["+66", "+6-5"]);
    assert_eq!(facts.weights, [1, 2]);
    assert_eq!(facts.places, [None, Some(1), None]);

    let facts = parse("over places 3 1 1").unwrap();
    assert_eq!(facts.turn, Turn::Over);
    assert_eq!(facts.places, [Some(3), Some(1), Some(1)]);
    assert!(facts.winnings.is_empty());
}

#[test]
fn moves_may_be_numbers_and_words_of_other_alphabets() {
    let facts = parse("1 legal 5 0 Größe 兔子 over card").unwrap();
    assert_eq!(actions(&facts), ["5", "0", "Größe", "兔子", "over", "card"]);
}

#[test]
fn an_answer_of_another_form_is_refused_with_the_accepted_one() {
    for (text, words) in [
        ("", "\"\": expected a seat, card or over"),
        ("turn 1", "\"turn\": expected a seat from 1 to 3, card or over"),
        ("0 legal a", "\"0\": expected a seat from 1 to 3"),
        ("4 legal a", "\"4\": expected a seat from 1 to 3"),
        ("+1 legal a", "\"+1\": expected a seat from 1 to 3"),
        ("257 legal a", "\"257\": expected a seat from 1 to 3"),
        ("1", "\"\": expected legal"),
        ("1 moves a", "\"moves\": expected legal"),
        ("1 legal", "\"legal\": expected a legal move after it"),
        ("1 legal places - - -", "\"legal\": expected a legal move after it"),
        ("card", "\"card\": expected a seat from 1 to 3"),
        ("card 1 legal a", "\"legal\": expected weights"),
        ("card 1 weights", "\"weights\": expected an outcome after it"),
        ("over", "\"places - - -\": expected a place for every seat"),
        ("over now", "\"places - - -\": expected a place for every seat"),
        ("over places 1 2 3 4", "\"4\": expected the end of the line, places or winnings"),
        ("1 legal a places - - - a", "\"a\": expected the end of the line"),
        ("1 legal a places - - - places - - -", "\"places\": expected the end of the line"),
    ] {
        assert!(error(text).contains(words), "{text:?}: {}", error(text));
    }
}

#[test]
fn a_move_is_a_visible_word_and_no_word_of_the_protocol() {
    let long = "x".repeat(201);
    let hidden = [
        "a\u{202e}b", "a\u{200b}", "a\u{1b}[2J", "a\u{85}b", "a\u{2028}b", "a\u{a0}b", "a\u{3000}b",
    ];
    let reserved = RESERVED.iter().filter(|word| !matches!(**word, "places" | "winnings"));
    let words = hidden.iter().chain(reserved).copied();
    for word in words.chain([long.as_str(), "+a"]) {
        let text = format!("1 legal a {word} b");
        assert!(error(&text).contains(": expected a move"), "{word:?}: {}", error(&text));
        assert!(!is_action(word) || is_card(word), "{word:?}");
    }
    let longest = "ä".repeat(200);
    assert!(is_action(&longest) && parse(&format!("1 legal {longest}")).is_ok());
    let shown = error(&format!("1 legal {}", "\u{1b}".repeat(5000)));
    assert!(shown.len() < 400 && !shown.contains('\u{1b}'), "{shown}");
}

#[test]
fn no_move_or_outcome_is_listed_twice() {
    assert_eq!(error("1 legal a b a"), "\"a\": expected each move once");
    assert_eq!(error("card 1 weights +a 1 +b 1 +a 2"), "\"+a\": expected each outcome once");
}

#[test]
fn an_outcome_has_a_weight_of_at_least_one() {
    for (text, words) in [
        ("+a 0", "\"+a 0\": expected a weight from 1 to 4294967295"),
        ("+a -1", "\"+a -1\": expected a weight"),
        ("+a +1", "\"+a +1\": expected a weight"),
        ("+a 0.5", "\"+a 0.5\": expected a weight"),
        ("+a 1e3", "\"+a 1e3\": expected a weight"),
        ("+a 4294967296", "\"+a 4294967296\": expected a weight"),
        ("+a 1 +b", "\"+b \": expected a weight"),
        ("+a +b", "\"+a +b\": expected a weight"),
        (
            "+a 1 +b 4294967295",
            "\"+b 4294967295\": expected weights whose sum is at most 4294967295",
        ),
        ("a 1", "\"a\": expected an outcome: +"),
        ("+a\u{200b} 1", "expected an outcome: +"),
    ] {
        let text = format!("card 1 weights {text}");
        assert!(error(&text).contains(words), "{text:?}: {}", error(&text));
    }
}

#[test]
fn places_fit_to_each_other() {
    let seats = 4;
    // Every list of places that some order of four seats, with ties, agrees with.
    let mut possible = HashSet::new();
    for code in 0..seats * seats * seats * seats {
        let strength: Vec<usize> = (0..4).map(|seat| code / 4_usize.pow(seat) % 4).collect();
        let places = strength.iter().map(|one| {
            let better = strength.iter().filter(|other| *other < one).count();
            Some(better + 1)
        });
        let places: Vec<Option<usize>> = places.collect();
        for open in 0..16 {
            let is_open = |seat: &usize| open >> seat & 1 == 1;
            let some = places.iter().enumerate();
            possible.insert(
                some.map(|(seat, place)| place.filter(|_| !is_open(&seat))).collect::<Vec<_>>(),
            );
        }
    }
    for code in 0..5_usize.pow(4) {
        let place = |seat| Some(code / 5_usize.pow(seat) % 5).filter(|&place| place > 0);
        let places: Vec<Option<usize>> = (0..4).map(place).collect();
        let words: Vec<String> = places
            .iter()
            .map(|place| place.map_or("-".to_string(), |place| place.to_string()))
            .collect();
        let open = places.iter().position(Option::is_none);
        let turn = open.map_or("over".to_string(), |seat| format!("{} legal a", seat + 1));
        let text = format!("{turn} places {}", words.join(" "));
        let found = Facts::parse(&text, seats, None);
        assert_eq!(found.is_ok(), possible.contains(&places), "{text}: {found:?}");
    }
}

#[test]
fn places_are_complete_at_the_end_and_open_for_the_seat_that_acts() {
    for (text, words) in [
        (
            "over places 1 2 -",
            "\"places 1 2 -\": expected a place for every seat when the game is over",
        ),
        ("over places 1 2", "\"places\": expected for each of 3 seats - or a place from 1 to 3"),
        ("over places 1 2 4", "\"4\": expected for each of 3 seats"),
        ("over places 0 1 2", "\"0\": expected for each of 3 seats"),
        (
            "over places 1 1 2",
            "\"places 1 1 2\": expected equal seats to share the best of their places",
        ),
        ("over places 2 2 3", "\"places 2 2 3\": expected equal seats"),
        ("1 legal a places 1 - -", "\"places 1 - -\": expected - for the seat that moves or draws"),
        ("card 1 weights +a 1 places 3 1 2", "\"places 3 1 2\": expected - for the seat"),
    ] {
        assert!(error(text).contains(words), "{text:?}: {}", error(text));
    }
}

#[test]
fn a_decided_place_stays() {
    let facts = |text| Facts::parse(text, 2, None).unwrap();
    let [open, decided, over] = ["1 legal a", "2 legal a places 1 -", "over places 1 2"].map(facts);
    assert_eq!(decided.check_decided(&open), Ok(()));
    assert_eq!(over.check_decided(&decided), Ok(()));
    let error = open.check_decided(&decided).unwrap_err().to_string();
    let expected = "\"places - -\": expected no change of decided places after places 1 -";
    assert_eq!(error, expected);
}

#[test]
fn winnings_are_given_at_the_end_of_a_game_with_a_stake_and_nowhere_else() {
    let parse = |text| Facts::parse(text, 2, Some(3)).map_err(|error| error.to_string());
    assert_eq!(parse("over places 1 2 winnings 3 0").unwrap().winnings, [3, 0]);
    for (text, words) in [
        ("over places 1 2", "\"over places 1 2\": expected winnings at the end"),
        ("over places 1 2 winnings 3", "\"winnings\": expected 2 whole numbers"),
        (
            "over places 1 2 winnings 2 2",
            "\"2\": expected 2 whole numbers whose sum is at most the stake, 3",
        ),
        ("over places 1 2 winnings 4 0", "\"4\": expected 2 whole numbers"),
        ("over places 1 2 winnings -1 0", "\"-1\": expected 2 whole numbers"),
        ("over places 1 2 winnings 1 0 0", "\"0\": expected the end of the line"),
        ("1 legal a winnings 1 0", "\"winnings\": expected no winnings before the game is over"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(words), "{text:?}: {error}");
    }
    let error = Facts::parse("over places 1 2 winnings 1 0", 2, None).unwrap_err();
    assert!(error.to_string().contains("`query stake` has no answer"), "{error}");
}

#[test]
fn free_places_are_those_of_the_open_seats() {
    for (decided, free) in [
        (vec![None, None, None], vec![1, 2, 3]),
        (vec![Some(1), None, None], vec![2, 3]),
        (vec![Some(1), None, Some(1)], vec![3]),
        (vec![None, Some(3), None], vec![1, 2]),
        (vec![None, Some(2), Some(2)], vec![1]),
        (vec![Some(1), Some(1), Some(1)], vec![]),
    ] {
        assert_eq!(free_places(&decided), free, "{decided:?}");
    }
}
