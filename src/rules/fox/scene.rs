//! Display of the board: scenes and previews for programs that draw it, and a drawing as text.

use super::IllegalMove;
use super::board::Square;
use super::moves::Move;
use super::position::{Position, RABBIT, WOLVES};
use crate::rules::{
    Board, Fact, Game, Layout, MovePreview, Piece, Refusal, Scene, Seat, SquareKind, Turn,
};

/// Number of files and of rows.
const SIDE: u8 = 8;

/// The board with the rabbit and the wolves. The facts of a seat are its side and whether it has won.
pub(super) fn of(position: &Position) -> Scene {
    let fields = (0..SIDE).flat_map(|row| (0..SIDE).map(move |file| (row, file)));
    let kind = |(row, file)| SquareKind {
        name: match Square::at(row, file) {
            Some(_) => "dark",
            None => "light",
        },
        mark: "",
    };
    let piece = |seat, name, square| Piece { seat, name, square: index(square) };
    let rabbit = piece(RABBIT, "rabbit", position.rabbit());
    let wolves = Square::all_in(position.wolves()).map(|square| piece(WOLVES, "wolf", square));
    Scene {
        board: Board { layout: Layout::Grid { files: SIDE }, squares: fields.map(kind).collect() },
        pieces: std::iter::once(rabbit).chain(wolves).collect(),
        facts: [(RABBIT, "rabbit"), (WOLVES, "wolves")]
            .map(|(seat, plays)| facts(position, seat, plays))
            .into(),
    }
}

/// Preview of a legal move. Moves cost nothing in this game, but may end it.
pub(super) fn preview(position: &Position, mv: Move) -> MovePreview {
    let before = |wolf: &Square| *wolf != mv.from;
    let piece = if mv.from == position.rabbit() {
        0
    } else {
        1 + Square::all_in(position.wolves()).take_while(before).count()
    };
    let after = position.play_unchecked(mv);
    let wins = after.turn() == Turn::Over && after.winner() == position.turn().seat();
    let then = wins.then(|| Fact { label: "then", value: "wins".to_string() });
    MovePreview { piece, square: index(mv.to), facts: then.into_iter().collect() }
}

/// The rule that forbids the seat to move a move to a square.
pub(super) fn refusal(position: &Position, square: usize) -> Option<Refusal> {
    let mover = position.turn().mover()?;
    let side = usize::from(SIDE);
    let refused = |rule| Some(Refusal { rule, facts: Vec::new() });
    let Some(to) = Square::at((square / side) as u8, (square % side) as u8) else {
        return refused("light square");
    };
    if position.letter_on(to).is_some() {
        return refused("taken by");
    }
    let own = if mover == RABBIT { position.rabbit().bit() } else { position.wolves() };
    let mut is_above = false;
    for from in Square::all_in(own) {
        let mut after = *position;
        match after.play(Move { from, to }) {
            Ok(()) => return None,
            Err(error) => is_above |= matches!(error, IllegalMove::Upwards { .. }),
        }
    }
    refused(if is_above { "not back" } else { "too far" })
}

/// Index of a square among all squares, light ones included.
fn index(square: Square) -> usize {
    usize::from(SIDE * square.row() + square.file())
}

fn facts(position: &Position, seat: Seat, plays: &str) -> Vec<Fact> {
    let note = match (position.turn(), position.place(seat)) {
        (Turn::Over, Some(1)) => "has won",
        (Turn::Over, _) => "has lost",
        _ => "",
    };
    let facts = [("plays", plays), ("note", note)];
    let fact = |(label, value): (&'static str, &str)| Fact { label, value: value.to_string() };
    facts.map(fact).into()
}

/// Draws the board with row 8 at the top: `F` is the rabbit, `h` a wolf, `.` a free dark square.
pub(super) fn picture(position: &Position) -> String {
    let mut picture = String::new();
    for row in (0..8).rev() {
        let mut line = format!("{}", row + 1);
        for file in 0..8 {
            let dark = Square::at(row, file);
            line.push(' ');
            line.push(dark.map_or(' ', |square| position.letter_on(square).unwrap_or('.')));
        }
        picture.push_str(line.trim_end());
        picture.push('\n');
    }
    picture.push_str("  a b c d e f g h\n");
    picture.push_str(match (position.turn(), position.winner()) {
        (Turn::Over, Some(RABBIT)) => "seat 1, the rabbit, has won",
        (Turn::Over, _) => "seat 2, the wolves, has won",
        (Turn::Seat(RABBIT), _) => "seat 1, the rabbit, moves",
        _ => "seat 2, the wolves, moves",
    });
    picture
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_where_the_text_has_them() {
        let text = "1h1h1h1h/8/8/8/8/8/3F4/8 b - - 0 1";
        let position = Position::parse(&(), text).unwrap();
        let scene = of(&position);
        let found: Vec<(&str, usize)> =
            scene.pieces.iter().map(|piece| (piece.name, piece.square)).collect();
        let wolves = [57, 59, 61, 63].map(|square| ("wolf", square));
        let expected: Vec<(&str, usize)> = [("rabbit", 8 + 3)].into_iter().chain(wolves).collect();
        assert_eq!(found, expected, "{}", position.picture());
        for piece in &scene.pieces {
            let kind = scene.board.squares[piece.square];
            assert_eq!(kind.name, "dark", "{piece:?}");
        }
    }
    #[test]
    fn each_square_without_a_move_has_the_rule_that_forbids_it() {
        let text = "8/8/8/8/1h6/2h5/3h1h2/2F5 b - - 0 1";
        let position = Position::parse(&(), text).unwrap();
        let rule =
            |row: usize, file| refusal(&position, 8 * row + file).map(|refusal| refusal.rule);
        assert_eq!(rule(0, 1), Some("light square"));
        assert_eq!(rule(0, 2), Some("taken by"));
        assert_eq!(rule(2, 4), Some("not back"));
        assert_eq!(rule(7, 7), Some("too far"));
        assert_eq!(rule(1, 1), None);
    }
}
