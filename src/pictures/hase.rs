//! Pictures of a race.

use std::fmt::Write;

use super::{Board, Draw, Fact, Layout, MovePreview, Piece, Refusal, Scene, SquareKind};
use crate::rules::hase::{
    Card, FINISH, Hare, IllegalMove, Move, Position, Square, TEN_CARROTS, cost,
};
use crate::rules::{Game, Seat, Turn, joined};

/// Squares per row of the drawing.
const ROW: u8 = 16;

impl Draw for Position {
    /// Draws the track in rows, and a table of the hares. The squares are `h` hare, `c` carrot, `L` lettuce, `^`
    /// hedgehog, `2` to `4` number and `F` flag. Under a square is the seat whose hare is on it.
    fn picture(&self) -> String {
        let mut picture = String::new();
        for first in (0..=FINISH).step_by(ROW.into()) {
            draw_row(&mut picture, self, first);
        }
        picture.push_str("seat  square  carrots  lettuces  place\n");
        let mover = self.turn().seat();
        for seat in Seat::all(self.seats()) {
            let hare = self.hare(seat);
            let pointer = if mover == Some(seat) { '>' } else { ' ' };
            let line = format!(
                "{pointer}{seat:>3}  {:>6}  {:>7}  {:>8}  {:>5}  {}",
                hare.square,
                hare.carrots,
                hare.lettuces,
                rank(self, seat),
                note(self, seat)
            );
            // Writing to a string never fails.
            let _ = writeln!(picture, "{}", line.trim_end());
        }
        picture.truncate(picture.trim_end().len());
        picture
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        let column = |cell: fn(&Hare) -> String| joined(self.hares().iter().map(cell), " ");
        vec![
            ("squares", column(|hare| format!("{:>2}", hare.square))),
            ("carrots", column(|hare| format!("{:>3}", hare.carrots))),
        ]
    }

    /// The track with a hare for each seat. The facts of a seat are carrots, lettuces, place, and a note on its state.
    fn scene(&self) -> Scene {
        let track = &self.ruleset().track;
        let squares = (0..=FINISH).map(|square| kind(track.square(square)));
        let seats = Seat::all(self.seats());
        Scene {
            board: Board { layout: Layout::Track, squares: squares.collect() },
            pieces: seats
                .clone()
                .map(|seat| Piece { seat, name: "hare", square: self.hare(seat).square.into() })
                .collect(),
            facts: seats.map(|seat| facts(self, seat)).collect(),
        }
    }

    /// The facts of a move are its costs and gains.
    fn preview(&self, mv: Move) -> MovePreview {
        let seat = Seat(self.seat);
        let after = self.play_unchecked(mv);
        let (before, hare) = (self.hare(seat), after.hare(seat));
        let mut facts = Vec::new();
        let mut add = |label, value: String| facts.push(Fact { label, value });

        let restarts = mv == Move::STAY && !self.misses_turn(seat);
        let income = self.income(seat);
        let held = before.carrots.saturating_add(income);
        if income > 0 {
            add("income", income.to_string());
        }
        match mv.code() {
            steps @ 1..=64 => add("cost", cost(steps as u16).to_string()),
            back @ -63..=-1 => add("gain", (TEN_CARROTS * back.unsigned_abs()).to_string()),
            _ if mv == Move::TAKE => add("gain", TEN_CARROTS.to_string()),
            _ if mv == Move::GIVE => add("cost", TEN_CARROTS.to_string()),
            _ if restarts && held > hare.carrots => add("cost", (held - hare.carrots).to_string()),
            _ => {}
        }
        add("carrots", hare.carrots.to_string());
        if hare.lettuces != before.lettuces {
            add("lettuces", hare.lettuces.to_string());
        }

        let has_moved = hare.square != before.square;
        let places = places_paid(self, hare.square);
        if !places.is_empty() && has_moved {
            let carrots = places.iter().map(|place| usize::from(TEN_CARROTS) * place);
            add("pays", joined(carrots, ", "));
            add("if place", joined(&places, ", "));
        }
        let then = match self.ruleset().track.square(hare.square) {
            _ if restarts => "back to the start, and moves again",
            Square::Hare if has_moved => "draws a card",
            Square::Lettuce if has_moved => "misses the next turn and eats a lettuce",
            Square::Finish => "finishes",
            _ => "",
        };
        if !then.is_empty() {
            add("then", then.to_string());
        }
        add("place", rank(&after, seat).to_string());
        MovePreview { piece: seat.index(), square: hare.square.into(), facts }
    }

    /// The rule that forbids the hare to move a move to `square`.
    fn refusal(&self, square: usize) -> Option<Refusal> {
        let from = self.hare(self.turn().mover()?).square;
        let mut after = *self;
        let mv = Move::by(square as i16 - i16::from(from));
        let (rule, facts) = match after.play(mv).err()? {
            IllegalMove::MissesTurn { .. } => ("miss now", vec![]),
            IllegalMove::NotForced { .. } => ("you are here", vec![]),
            IllegalMove::TooFewCarrots { cost, held, .. } => {
                ("too dear", vec![("cost", cost), ("carrots", held)])
            }
            IllegalMove::Taken { by, .. } => ("taken by", vec![("seat", u16::from(by.0) + 1)]),
            IllegalMove::OntoHedgehog { .. } => ("hedgehog ahead", vec![]),
            IllegalMove::NoLettuce { .. } => ("no lettuce", vec![]),
            IllegalMove::FinishWithLettuces { lettuces, .. } => {
                ("lettuces left", vec![("lettuces", lettuces.into())])
            }
            IllegalMove::FinishWithCarrots { left, most, .. } => {
                ("carrots left", vec![("most", most), ("carrots", left)])
            }
            IllegalMove::NotNearestHedgehog { nearest, .. }
                if self.ruleset().track.square(square as u8) == Square::Hedgehog =>
            {
                ("nearest hedgehog", vec![("nearest", nearest.into())])
            }
            _ => ("only hedgehogs", vec![]),
        };
        let fact = |(label, value): (&'static str, u16)| Fact { label, value: value.to_string() };
        Some(Refusal { rule, facts: facts.into_iter().map(fact).collect() })
    }

    fn card_words(card: Card) -> &'static str {
        match card {
            Card::Behind => {
                "If there are more hares behind you than ahead of you, miss your next turn; if not, move again at once."
            }
            Card::Draw => {
                "Take 10 carrots for each lettuce that you still hold. If you hold none, miss your next turn."
            }
            Card::Restore => "You now hold exactly 65 carrots.",
            Card::Half => "Lose half of your carrots. Of an odd number you keep the larger half.",
            Card::Free => {
                "Your last move costs nothing: take back the carrots that you paid for it."
            }
            Card::Show => "Show your carrots to all players.",
            Card::Give => {
                "Give 10 carrots to each hare behind you. If you do not have enough, give 5, or 1, or nothing."
            }
            Card::Shuffle => {
                "Take one carrot from every other hare in the race. Then all hare cards are shuffled."
            }
        }
    }
}

fn kind(square: Square) -> SquareKind {
    let (name, mark) = match square {
        Square::Start => ("start", "S"),
        Square::Finish => ("finish", "Z"),
        Square::Hare => ("hare", "h"),
        Square::Carrot => ("carrot", "c"),
        Square::Lettuce => ("lettuce", "L"),
        Square::Hedgehog => ("hedgehog", "^"),
        Square::Number(2) => ("place 2", "2"),
        Square::Number(3) => ("place 3", "3"),
        Square::Number(4) => ("place 4", "4"),
        Square::Number(_) => ("place", "#"),
        Square::Flag => ("flag", "F"),
    };
    SquareKind { name, mark }
}

fn facts(position: &Position, seat: Seat) -> Vec<Fact> {
    let hare = position.hare(seat);
    let facts = [
        ("carrots", hare.carrots.to_string()),
        ("lettuces", hare.lettuces.to_string()),
        ("place", rank(position, seat).to_string()),
        ("note", note(position, seat).to_string()),
    ];
    facts.map(|(label, value)| Fact { label, value }).into()
}

/// Final place of a seat or, while that is open, its place in the race.
fn rank(position: &Position, seat: Seat) -> usize {
    let place = position.place(seat);
    place.unwrap_or(position.rank(seat).into())
}

fn note(position: &Position, seat: Seat) -> &'static str {
    let place = position.place(seat);
    match position.turn() {
        Turn::Over if place == Some(position.seats()) => "last",
        _ if place.is_some() => "finished",
        Turn::Card(drawing) if drawing == seat => "draws a card",
        _ if position.misses_turn(seat) => "misses a turn",
        _ => "",
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

fn draw_row(picture: &mut String, position: &Position, first: u8) {
    let squares = first..=(first + ROW - 1).min(FINISH);
    let mut numbers = String::new();
    let mut kinds = String::new();
    let mut hares = String::new();
    for square in squares {
        let mark = kind(position.ruleset().track.square(square)).mark;
        let here: String = Seat::all(position.seats())
            .filter(|&seat| position.hare(seat).square == square)
            .map(|seat| seat.to_string())
            .collect();
        let width = here.len().max(2) + 1;
        numbers += &format!("{square:>width$}");
        kinds += &format!("{mark:>width$}");
        hares += &format!("{here:>width$}");
    }
    for line in [numbers, kinds, hares] {
        picture.push_str(line.trim_end());
        picture.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::HASE_UND_IGEL;

    #[test]
    fn a_race_with_all_that_can_be_said_of_a_hare() {
        let text = "64,9,0/31,20,1/22,44,2! 2?28 1 -";
        let position = Position::parse(&HASE_UND_IGEL, text).unwrap();
        let scene = position.scene();
        let squares: Vec<usize> = scene.pieces.iter().map(|piece| piece.square).collect();
        assert_eq!(squares, [64, 31, 22], "{}", position.picture());
        let values = |seat: usize| -> Vec<&str> {
            let facts = scene.facts[seat].iter();
            facts.map(|fact| fact.value.as_str()).collect()
        };
        assert_eq!(values(0), ["9", "0", "1", "finished"]);
        assert_eq!(values(1), ["20", "1", "2", "draws a card"]);
        assert_eq!(values(2), ["44", "2", "3", "misses a turn"]);
        let marks: String = scene.board.squares.iter().map(|kind| kind.mark).collect();
        assert!(marks.starts_with("Shch3chL^42") && marks.ends_with("hLhZ"), "{marks}");
    }

    #[test]
    fn each_kind_of_move_says_what_it_costs_and_brings() {
        // Seat 1 is second, on a number square 2, and is paid 20.
        let text = "10,40,2/20,30,1/5,68,3 1 - -";
        let position = Position::parse(&HASE_UND_IGEL, text).unwrap();
        for (word, square, expected) in [
            ("2", 12, "income 20; cost 3; carrots 57; pays 30; if place 3; place 2"),
            ("4", 14, "income 20; cost 10; carrots 50; then draws a card; place 2"),
            ("6", 16, "income 20; cost 21; carrots 39; pays 10; if place 1; place 2"),
            ("-2", 8, "income 20; gain 20; carrots 80; place 2"),
        ] {
            let preview = position.preview(word.parse().unwrap());
            let facts = preview.facts.iter();
            let facts: Vec<String> =
                facts.map(|fact| format!("{} {}", fact.label, fact.value)).collect();
            assert_eq!((preview.square, facts.join("; ").as_str()), (square, expected));
        }
    }

    #[test]
    fn each_square_without_a_move_has_the_rule_that_forbids_it() {
        for (text, square, expected) in [
            ("62,20,1/5,68,3 1 - -", 64, "lettuces left: lettuces 1"),
            ("62,90,0/5,68,3 1 - -", 64, "carrots left: most 10, carrots 87"),
            ("5,30,3/6,68,3 1 - -", 5, "you are here: "),
            ("5,30,3/6,68,3 1 - -", 6, "taken by: seat 2"),
            ("5,30,3/6,68,3 1 - -", 8, "hedgehog ahead: "),
            ("5,30,3/6,68,3 1 - -", 20, "too dear: cost 120, carrots 30"),
            ("5,30,0/6,68,3 1 - -", 7, "no lettuce: "),
            ("20,30,3/6,68,3 1 - -", 11, "nearest hedgehog: nearest 19"),
            ("20,30,3/6,68,3 1 - -", 12, "only hedgehogs: "),
            ("20,30,3/19,68,3 1 - -", 19, "taken by: seat 2"),
            ("5,30,3/22,44,2! 2 - -", 23, "miss now: "),
        ] {
            let position = Position::parse(&HASE_UND_IGEL, text).unwrap();
            let Refusal { rule, facts } = position.refusal(square).unwrap();
            let facts = facts.iter().map(|fact| format!("{} {}", fact.label, fact.value));
            assert_eq!(format!("{rule}: {}", joined(facts, ", ")), expected, "{text}");
        }
        let start = Position::start(&HASE_UND_IGEL, 2).unwrap();
        assert_eq!(start.refusal(1), None);
    }
}
