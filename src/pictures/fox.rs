//! Pictures of a hunt.

use super::{Board, Draw, Fact, Layout, MovePreview, Piece, Refusal, Scene, SquareKind};
use crate::rules::fox::{IllegalMove, Move, NoCard, Position, RABBIT, Square, WOLVES};
use crate::rules::{Game, Seat, Turn, joined};

/// Number of files and of rows.
const SIDE: u8 = 8;

impl Draw for Position {
    /// Draws the board with row 8 at the top: `F` is the rabbit, `h` a wolf, `.` a free dark square.
    fn picture(&self) -> String {
        let mut picture = String::new();
        for row in (0..8).rev() {
            let mut line = format!("{}", row + 1);
            for file in 0..8 {
                let dark = Square::at(row, file);
                line.push(' ');
                line.push(dark.map_or(' ', |square| self.letter_on(square).unwrap_or('.')));
            }
            picture.push_str(line.trim_end());
            picture.push('\n');
        }
        picture.push_str("  a b c d e f g h\n");
        picture.push_str(match (self.turn(), self.winner()) {
            (Turn::Over, Some(RABBIT)) => "seat 1, the rabbit, has won",
            (Turn::Over, _) => "seat 2, the wolves, has won",
            (Turn::Seat(RABBIT), _) => "seat 1, the rabbit, moves",
            _ => "seat 2, the wolves, moves",
        });
        picture
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        let wolves = joined(Square::all_in(self.wolves()), " ");
        vec![("rabbit", self.rabbit().to_string()), ("wolves", wolves)]
    }

    /// The board with the rabbit and the wolves. The facts of a seat are its side and whether it has won.
    fn scene(&self) -> Scene {
        let fields = (0..SIDE).flat_map(|row| (0..SIDE).map(move |file| (row, file)));
        let kind = |(row, file)| SquareKind {
            name: match Square::at(row, file) {
                Some(_) => "dark",
                None => "light",
            },
            mark: "",
        };
        let piece = |seat, name, square| Piece { seat, name, square: index(square) };
        let rabbit = piece(RABBIT, "rabbit", self.rabbit());
        let wolves = Square::all_in(self.wolves()).map(|square| piece(WOLVES, "wolf", square));
        Scene {
            board: Board {
                layout: Layout::Grid { files: SIDE },
                squares: fields.map(kind).collect(),
            },
            pieces: std::iter::once(rabbit).chain(wolves).collect(),
            facts: [(RABBIT, "rabbit"), (WOLVES, "wolves")]
                .map(|(seat, plays)| facts(self, seat, plays))
                .into(),
        }
    }

    /// Moves cost nothing in this game, but may end it.
    fn preview(&self, mv: Move) -> MovePreview {
        let before = |wolf: &Square| *wolf != mv.from;
        let piece = if mv.from == self.rabbit() {
            0
        } else {
            1 + Square::all_in(self.wolves()).take_while(before).count()
        };
        let after = self.play_unchecked(mv);
        let wins = after.turn() == Turn::Over && after.winner() == self.turn().seat();
        let then = wins.then(|| Fact { label: "then", value: "wins".to_string() });
        MovePreview { piece, square: index(mv.to), facts: then.into_iter().collect() }
    }

    /// The rule that forbids the seat to move a move to a square.
    fn refusal(&self, square: usize) -> Option<Refusal> {
        let mover = self.turn().mover()?;
        let side = usize::from(SIDE);
        let refused = |rule| Some(Refusal { rule, facts: Vec::new() });
        let Some(to) = Square::at((square / side) as u8, (square % side) as u8) else {
            return refused("light square");
        };
        if self.letter_on(to).is_some() {
            return refused("taken by");
        }
        let own = if mover == RABBIT { self.rabbit().bit() } else { self.wolves() };
        let mut is_above = false;
        for from in Square::all_in(own) {
            let mut after = *self;
            match after.play(Move { from, to }) {
                Ok(()) => return None,
                Err(error) => is_above |= matches!(error, IllegalMove::Upwards { .. }),
            }
        }
        refused(if is_above { "not back" } else { "too far" })
    }

    fn card_words(card: NoCard) -> &'static str {
        match card {}
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_stand_where_the_text_has_them() {
        let text = "1h1h1h1h/8/8/8/8/8/3F4/8 b - - 0 1";
        let position = Position::parse(&(), text).unwrap();
        let scene = position.scene();
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
        let rule = |row: usize, file| position.refusal(8 * row + file).map(|refusal| refusal.rule);
        assert_eq!(rule(0, 1), Some("light square"));
        assert_eq!(rule(0, 2), Some("taken by"));
        assert_eq!(rule(2, 4), Some("not back"));
        assert_eq!(rule(7, 7), Some("too far"));
        assert_eq!(rule(1, 1), None);
    }
}
