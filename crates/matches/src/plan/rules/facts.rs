//! The facts of a position, as a rules program states them, and their laws.

use std::collections::HashSet;
use std::iter::Peekable;
use std::ops::RangeInclusive;
use std::str::{FromStr, SplitAsciiWhitespace};

use buxtehude::rules::{Seat, Turn, is_card};
use thiserror::Error;

use crate::record::printable::{is_hidden, printable, shortened};

/// Maximum number of characters of a move or outcome.
const MAX_WORD_LENGTH: usize = 200;
/// Maximum number of characters quoted from an answer.
pub const MAX_QUOTED_ANSWER_LENGTH: usize = 80;
/// The protocol's own words, which no move may be.
const RESERVED: [&str; 9] =
    ["moves", "legal", "places", "winnings", "weights", "ponder", "estimate", "(none)", "-"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facts {
    pub turn: Turn,
    /// Legal moves, or the outcomes that can be drawn; empty if the game is over.
    pub actions: Vec<String>,
    /// Weight of each outcome; empty unless one is due.
    pub weights: Vec<u32>,
    /// Place of each seat, from 1; `None` while it is open.
    pub places: Vec<Option<usize>>,
    /// Winnings of each seat at the end of a game with a stake; empty otherwise.
    pub winnings: Vec<u32>,
}

/// An answer breaks a law of the protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{found:?}: expected {expected}")]
pub struct FactsError {
    pub found: String,
    pub expected: String,
}

impl FactsError {
    /// Quotes and shortens `found`.
    pub fn new(found: &str, expected: impl Into<String>) -> FactsError {
        FactsError {
            found: shortened(&printable(found), MAX_QUOTED_ANSWER_LENGTH).into_owned(),
            expected: expected.into(),
        }
    }
}

/// `true` if a text can be a move, an outcome or a part of a position's text: it has no spaces or invisible characters
/// and is not too long.
pub fn is_word(text: &str) -> bool {
    let stays = |c: char| !c.is_whitespace() && !is_hidden(c);
    !text.is_empty() && text.chars().all(stays) && text.chars().count() <= MAX_WORD_LENGTH
}

/// `true` if a word can be in a list of moves and outcomes.
pub fn is_action(word: &str) -> bool {
    is_word(word) && !RESERVED.contains(&word)
}

/// Returns the places that no decided seat takes, ascending. Seats that share a place take it and those after it.
pub fn free_places(decided: &[Option<usize>]) -> Vec<usize> {
    let sharing = |place: usize| decided.iter().flatten().filter(|&&one| one == place).count();
    let is_taken = |place: usize| (1..=place).any(|first| first + sharing(first) > place);
    (1..=decided.len()).filter(|&place| !is_taken(place)).collect()
}

/// Returns the place of each seat, from 1, when a game ends, given the engines of the seats.
///
/// Seats that the rules have placed, in `decided`, keep their places. An offender takes the last place that is left,
/// and the other seats of its engine share the places before it, so that no copy gains by the failure of another. All
/// others share the best remaining place.
pub fn places_at_end(
    engines: &[impl AsRef<str>],
    decided: &[Option<usize>],
    offender: Option<usize>,
) -> Vec<usize> {
    let free = free_places(decided);
    // A seat without a place takes one of these, so there is one wherever it counts.
    let free_at = |index: usize| free.get(index).copied().unwrap_or(decided.len());
    let name = |seat: usize| engines[seat].as_ref();
    let is_copy = |seat| offender.is_some_and(|offender| name(seat) == name(offender));
    let copies =
        (0..decided.len()).filter(|&seat| decided[seat].is_none() && is_copy(seat)).count();
    let place = |(seat, place): (usize, &Option<usize>)| match place {
        Some(place) => *place,
        None if Some(seat) == offender => free_at(free.len().saturating_sub(1)),
        None if is_copy(seat) => free_at(free.len().saturating_sub(copies)),
        None => free_at(0),
    };
    decided.iter().enumerate().map(place).collect()
}

/// Words of an answer that are still unread.
type Words<'a> = Peekable<SplitAsciiWhitespace<'a>>;

impl Facts {
    /// Parses the answer to `query state`, without `response`. `stake` is the largest sum of winnings.
    ///
    /// # Errors
    /// [`FactsError`] if the answer breaks a law of the protocol.
    pub fn parse(text: &str, seats: usize, stake: Option<u32>) -> Result<Facts, FactsError> {
        let mut words = text.split_ascii_whitespace().peekable();
        let mut facts = Facts {
            turn: Turn::Over,
            actions: Vec::new(),
            weights: Vec::new(),
            places: vec![None; seats],
            winnings: Vec::new(),
        };
        match words.next() {
            Some("over") => {}
            Some("card") => {
                facts.turn = Turn::Card(seat_of(words.next().unwrap_or("card"), seats)?);
                keyword(&mut words, "weights")?;
                facts.read_outcomes(&mut words)?;
            }
            Some(seat) => {
                facts.turn = Turn::Seat(seat_of(seat, seats)?);
                keyword(&mut words, "legal")?;
                facts.read_moves(&mut words)?;
            }
            None => return Err(FactsError::new(text, "a seat, card or over")),
        }
        if words.next_if_eq(&"places").is_some() {
            facts.read_places(&mut words)?;
        }
        facts.check_places()?;
        if words.next_if_eq(&"winnings").is_some() {
            facts.read_winnings(&mut words, stake)?;
        } else if let (None, Turn::Over, Some(_)) = (words.peek(), facts.turn, stake) {
            let expected = "winnings at the end, because `query stake` has an answer";
            return Err(FactsError::new(text, expected));
        }
        match words.next() {
            None => Ok(facts),
            Some(word) => Err(FactsError::new(word, "the end of the line, places or winnings")),
        }
    }

    fn read_moves(&mut self, words: &mut Words<'_>) -> Result<(), FactsError> {
        let mut known = HashSet::new();
        while let Some(word) = next_action(words) {
            if !is_action(word) || is_card(word) {
                return Err(FactsError::new(
                    word,
                    "a move: at most 200 visible characters, which do not begin with + and are not a word of the \
                     protocol",
                ));
            }
            if !known.insert(word) {
                return Err(FactsError::new(word, "each move once"));
            }
            self.actions.push(word.to_owned());
        }
        if self.actions.is_empty() {
            Err(FactsError::new("legal", "a legal move after it"))
        } else {
            Ok(())
        }
    }

    fn read_outcomes(&mut self, words: &mut Words<'_>) -> Result<(), FactsError> {
        let mut known = HashSet::new();
        let mut sum: u32 = 0;
        while let Some(word) = next_action(words) {
            if !is_word(word) || !is_card(word) {
                return Err(FactsError::new(
                    word,
                    "an outcome: + and at most 199 visible characters",
                ));
            }
            if !known.insert(word) {
                return Err(FactsError::new(word, "each outcome once"));
            }
            let number = words.next().unwrap_or_default();
            let weight = whole_number(number, 1..=u32::MAX).ok_or_else(|| {
                FactsError::new(
                    &format!("{word} {number}"),
                    format!("a weight from 1 to {}", u32::MAX),
                )
            })?;
            sum = sum.checked_add(weight).ok_or_else(|| {
                let expected = format!("weights whose sum is at most {}", u32::MAX);
                FactsError::new(&format!("{word} {number}"), expected)
            })?;
            self.actions.push(word.to_owned());
            self.weights.push(weight);
        }
        if self.actions.is_empty() {
            Err(FactsError::new("weights", "an outcome after it"))
        } else {
            Ok(())
        }
    }

    fn read_places(&mut self, words: &mut Words<'_>) -> Result<(), FactsError> {
        let seats = self.places.len();
        for place in &mut self.places {
            let word = words.next().unwrap_or("places");
            *place = match word {
                "-" => None,
                _ => Some(whole_number(word, 1..=seats).ok_or_else(|| {
                    let expected =
                        format!("for each of {seats} seats - or a place from 1 to {seats}");
                    FactsError::new(word, expected)
                })?),
            };
        }
        Ok(())
    }

    /// Checks that the places can belong to one final order, and fit to the next action.
    fn check_places(&self) -> Result<(), FactsError> {
        let broken = |expected: &str| Err(FactsError::new(&self.places_in_words(), expected));
        let open = self.places.iter().filter(|place| place.is_none()).count();
        if free_places(&self.places).len() != open {
            return broken("equal seats to share the best of their places, such as 1 1 3");
        }
        match self.turn.seat() {
            None if open > 0 => broken("a place for every seat when the game is over"),
            Some(seat) if self.places[seat.index()].is_some() => {
                broken("- for the seat that moves or draws")
            }
            _ => Ok(()),
        }
    }

    /// Checks that the places that were decided before stay.
    ///
    /// # Errors
    /// [`FactsError`] if one has changed.
    pub fn check_decided(&self, before: &Facts) -> Result<(), FactsError> {
        let mut pairs = before.places.iter().zip(&self.places);
        if pairs.all(|(before, now)| before.is_none() || before == now) {
            Ok(())
        } else {
            let expected =
                format!("no change of decided places after {}", before.places_in_words());
            Err(FactsError::new(&self.places_in_words(), expected))
        }
    }

    fn places_in_words(&self) -> String {
        let word = |place: &Option<usize>| place.map_or("-".to_string(), |place| place.to_string());
        let words: Vec<String> = self.places.iter().map(word).collect();
        format!("places {}", words.join(" "))
    }

    fn read_winnings(
        &mut self,
        words: &mut Words<'_>,
        stake: Option<u32>,
    ) -> Result<(), FactsError> {
        let stake = match (self.turn, stake) {
            (Turn::Over, Some(stake)) => stake,
            (Turn::Over, None) => {
                return Err(FactsError::new(
                    "winnings",
                    "no winnings, because `query stake` has no answer",
                ));
            }
            _ => {
                return Err(FactsError::new("winnings", "no winnings before the game is over"));
            }
        };
        let seats = self.places.len();
        let mut sum: u32 = 0;
        for _ in 0..seats {
            let word = words.next().unwrap_or("winnings");
            let amount = whole_number(word, 0..=stake);
            let total = amount.and_then(|amount| sum.checked_add(amount));
            let within = total.filter(|&total| total <= stake);
            let expected =
                || format!("{seats} whole numbers whose sum is at most the stake, {stake}");
            sum = within.ok_or_else(|| FactsError::new(word, expected()))?;
            self.winnings.extend(amount);
        }
        Ok(())
    }
}

/// Parses a whole number of digits alone.
pub fn whole_number<N: FromStr + PartialOrd>(text: &str, range: RangeInclusive<N>) -> Option<N> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| digits)?;
    range.contains(&number).then_some(number)
}

fn seat_of(word: &str, seats: usize) -> Result<Seat, FactsError> {
    let number = whole_number(word, 1..=u8::MAX).filter(|&number| usize::from(number) <= seats);
    let expected = || format!("a seat from 1 to {seats}, card or over");
    number.map(|number| Seat(number - 1)).ok_or_else(|| FactsError::new(word, expected()))
}

fn next_action<'a>(words: &mut Words<'a>) -> Option<&'a str> {
    words.next_if(|word| !matches!(*word, "places" | "winnings"))
}

fn keyword(words: &mut Words<'_>, keyword: &'static str) -> Result<(), FactsError> {
    match words.next() {
        Some(word) if word == keyword => Ok(()),
        word => Err(FactsError::new(word.unwrap_or_default(), keyword)),
    }
}

#[cfg(test)]
mod tests {
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
            "a\u{202e}b", "a\u{200b}", "a\u{1b}[2J", "a\u{85}b", "a\u{2028}b", "a\u{a0}b",
            "a\u{3000}b",
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
            let places: Vec<Option<usize>> = strength
                .iter()
                .map(|one| {
                    let better = strength.iter().filter(|other| *other < one).count();
                    Some(better + 1)
                })
                .collect();
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
            (
                "over places 1 2",
                "\"places\": expected for each of 3 seats - or a place from 1 to 3",
            ),
            ("over places 1 2 4", "\"4\": expected for each of 3 seats"),
            ("over places 0 1 2", "\"0\": expected for each of 3 seats"),
            (
                "over places 1 1 2",
                "\"places 1 1 2\": expected equal seats to share the best of their places",
            ),
            ("over places 2 2 3", "\"places 2 2 3\": expected equal seats"),
            (
                "1 legal a places 1 - -",
                "\"places 1 - -\": expected - for the seat that moves or draws",
            ),
            ("card 1 weights +a 1 places 3 1 2", "\"places 3 1 2\": expected - for the seat"),
        ] {
            assert!(error(text).contains(words), "{text:?}: {}", error(text));
        }
    }

    #[test]
    fn a_decided_place_stays() {
        let facts = |text| Facts::parse(text, 2, None).unwrap();
        let [open, decided, over] =
            ["1 legal a", "2 legal a places 1 -", "over places 1 2"].map(facts);
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
            (
                "1 legal a winnings 1 0",
                "\"winnings\": expected no winnings before the game is over",
            ),
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
}
