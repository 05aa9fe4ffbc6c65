//! Costs and gains of a move, for display before it is made.

use super::cost;
use super::moves::Move;
use super::position::{Position, TEN_CARROTS};
use super::track::Square;
use crate::rules::{Fact, Game, MovePreview, Seat};

/// Preview of a legal move.
pub(super) fn of(position: &Position, mv: Move) -> MovePreview {
    let seat = Seat(position.seat);
    let after = position.play_unchecked(mv);
    let (before, hare) = (position.hare(seat), after.hare(seat));
    let misses = position.misses_turn(seat);
    let mut facts = Vec::new();
    let mut add = |label, value: String| facts.push(Fact { label, value });

    let income = position.income(seat);
    if income > 0 {
        add("income", income.to_string());
    }
    match mv.code() {
        steps @ 1..=64 => add("cost", cost(steps as u16).to_string()),
        back @ -63..=-1 => add("gain", (TEN_CARROTS * back.unsigned_abs()).to_string()),
        code if code == Move::TAKE.code() => add("gain", TEN_CARROTS.to_string()),
        code if code == Move::GIVE.code() => add("cost", TEN_CARROTS.to_string()),
        _ => {}
    }
    add("carrots", hare.carrots.to_string());
    if hare.lettuces != before.lettuces {
        add("lettuces", hare.lettuces.to_string());
    }

    let has_moved = hare.square != before.square;
    let places = places_paid(position, hare.square);
    if !places.is_empty() && has_moved {
        let in_words = |numbers: Vec<usize>| {
            let numbers: Vec<String> = numbers.iter().map(usize::to_string).collect();
            numbers.join(", ")
        };
        let carrots = places.iter().map(|place| usize::from(TEN_CARROTS) * place);
        add("pays", in_words(carrots.collect()));
        add("if place", in_words(places));
    }
    let then = match position.ruleset().track.square(hare.square) {
        _ if mv.code() == 0 && !misses => "back to the start, and moves again",
        Square::Hare if has_moved => "draws a card",
        Square::Lettuce if has_moved => "misses the next turn and eats a lettuce",
        Square::Finish => "finishes",
        _ => "",
    };
    if !then.is_empty() {
        add("then", then.to_string());
    }
    MovePreview {
        piece: seat.index(),
        square: hare.square.into(),
        facts,
    }
}

/// Places that `square` pays for with the hare's next move, up to the number of seats.
fn places_paid(position: &Position, square: u8) -> Vec<usize> {
    let places = match position.ruleset().track.square(square) {
        Square::Number(number) => vec![usize::from(number)],
        Square::Flag => vec![1, 5, 6],
        _ => Vec::new(),
    };
    let there_is = |place: &usize| *place <= position.seats();
    places.into_iter().filter(there_is).collect()
}

#[cfg(test)]
mod tests {
    use crate::rules::hase::HASE_UND_IGEL;
    use crate::rules::{AnyPosition, Game};

    fn preview(text: &str, word: &str) -> (usize, String) {
        let position = super::Position::parse(&HASE_UND_IGEL, text).unwrap();
        let previews = AnyPosition::from(position).previews();
        let found = previews.into_iter().find(|(found, _)| found == word);
        let (_, preview) = found.unwrap_or_else(|| panic!("{word}: {position:?}"));
        let facts = preview.facts.iter();
        let facts: Vec<String> = facts
            .map(|fact| format!("{} {}", fact.label, fact.value))
            .collect();
        (preview.square, facts.join("; "))
    }

    #[test]
    fn each_kind_of_move_says_what_it_costs_and_brings() {
        // Seat 1 is second, on a number square 2, and is paid 20.
        let text = "10,40,2/20,30,1/5,68,3 1 - -";
        let expect = |word, square, facts: &str| {
            assert_eq!(preview(text, word), (square, facts.to_string()), "{word}");
        };
        expect(
            "2",
            12,
            "income 20; cost 3; carrots 57; pays 30; if place 3",
        );
        expect("4", 14, "income 20; cost 10; carrots 50; then draws a card");
        expect(
            "6",
            16,
            "income 20; cost 21; carrots 39; pays 10; if place 1",
        );
        expect("-2", 8, "income 20; gain 20; carrots 80");
    }
}
