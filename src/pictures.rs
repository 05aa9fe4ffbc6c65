//! Pictures of positions: scenes for programs that draw them without knowing the game, and drawings as text.

mod fox;
mod hase;

use crate::rules::{AnyPosition, Game, Seat, with_position};

/// A position for display: a board, the pieces on it, and facts about each seat.
///
/// # Examples
/// ```
/// use buxtehude::pictures::Layout;
/// use buxtehude::rules::{Seat, Variant};
///
/// let scene = Variant::by_name("hase-und-igel")?.start(2).unwrap().scene();
/// assert_eq!((scene.board.layout, scene.board.squares.len()), (Layout::Track, 65));
/// assert_eq!((scene.pieces[1].seat, scene.pieces[1].square), (Seat(1), 0));
/// assert_eq!((scene.facts[1][0].label, scene.facts[1][0].value.as_str()), ("carrots", "68"));
/// # Ok::<(), buxtehude::rules::UnknownVariant>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// Board; the same in all positions of a game.
    pub board: Board,
    /// Pieces; in all positions of a game the same number, in the same order of seats and names.
    pub pieces: Vec<Piece>,
    /// Facts of each seat, in seat order; all seats in all positions of a game have the same labels in the same order.
    pub facts: Vec<Vec<Fact>>,
}

/// A board: its squares and their layout.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// Arrangement of the squares.
    pub layout: Layout,
    /// Kind of each square.
    pub squares: Vec<SquareKind>,
}

impl Board {
    /// Number of files and of rows, if the squares are a grid.
    pub fn grid(&self) -> Option<(usize, usize)> {
        let Layout::Grid { files } = self.layout else {
            return None;
        };
        let files = usize::from(files);
        Some((files, self.squares.len() / files))
    }
}

/// Arrangement of the squares of a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One after the other, from start to finish.
    Track,
    /// In rows of equal length, from bottom to top, each from left to right.
    Grid {
        /// Squares per row.
        files: u8,
    },
}

/// Kind of a square.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareKind {
    /// Name, unique to the kind.
    pub name: &'static str,
    /// One letter or digit to print on the square, or nothing.
    pub mark: &'static str,
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Seat that owns the piece.
    pub seat: Seat,
    /// Kind of piece.
    pub name: &'static str,
    /// Square, as an index into [`Board::squares`]. Several pieces may share a square.
    pub square: usize,
}

/// A fact about a seat or a move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// Name of the fact.
    pub label: &'static str,
    /// Value; may be empty.
    pub value: String,
}

/// A legal move for display before it is made: its effect on the board, its cost and its gain.
///
/// # Examples
/// ```
/// use buxtehude::rules::Variant;
///
/// let start = Variant::by_name("hase-und-igel")?.start(2).unwrap();
/// let previews = start.previews();
/// let (word, preview) = previews.iter().find(|(word, _)| word == "10").unwrap();
/// assert_eq!((word.as_str(), preview.piece, preview.square), ("10", 0, 10));
/// let facts: Vec<_> = preview.facts.iter().map(|fact| (fact.label, fact.value.as_str())).collect();
/// assert_eq!(facts, [("cost", "55"), ("carrots", "13"), ("pays", "20"), ("if place", "2"), ("place", "1")]);
/// # Ok::<(), buxtehude::rules::UnknownVariant>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovePreview {
    /// Piece that moves, or stays, as an index into [`Scene::pieces`].
    pub piece: usize,
    /// Square of the piece after the move, as an index into [`Board::squares`].
    pub square: usize,
    /// Cost, remaining holding and later gains of the move, in display order. Labels and non-numeric values come from a
    /// fixed set for each game, so that clients can translate them.
    pub facts: Vec<Fact>,
}

/// The rule that forbids a move to a square, for display.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Name of the rule, from a fixed set for each game.
    pub rule: &'static str,
    /// Its numbers.
    pub facts: Vec<Fact>,
}

/// A game whose positions can be drawn.
pub trait Draw: Game {
    /// Drawing as text: several lines, without a newline at the end.
    fn picture(&self) -> String;

    /// Cells that show the position in one row of a table, with their headings; the headings are the same for all
    /// positions of a game.
    fn columns(&self) -> Vec<(&'static str, String)>;

    /// Scene for programs that draw the position.
    fn scene(&self) -> Scene;

    /// Preview of a legal move. With an illegal move the result is meaningless, or the call panics.
    fn preview(&self, mv: Self::Move) -> MovePreview;

    /// The rule that forbids the seat to move a move to a square of the scene's board; `None` if no seat is to move, or
    /// if the game names no rules. If a legal move leads to the square, the result is meaningless.
    fn refusal(&self, _square: usize) -> Option<Refusal> {
        None
    }

    /// Instruction on a card, as a sentence to the player who draws it.
    fn card_words(card: Self::Card) -> &'static str;
}

impl AnyPosition {
    /// Drawing as text, without a newline at the end.
    pub fn picture(&self) -> String {
        with_position!(self, position => position.picture())
    }

    /// Cells with their headings for one row of a table; see [`Draw::columns`].
    pub fn columns(&self) -> Vec<(&'static str, String)> {
        with_position!(self, position => position.columns())
    }

    /// Scene for programs that draw the position; see [`Draw::scene`].
    pub fn scene(&self) -> Scene {
        with_position!(self, position => position.scene())
    }

    /// Each legal move as a word of a move list, ascending, with its preview; see [`Draw::preview`].
    pub fn previews(&self) -> Vec<(String, MovePreview)> {
        with_position!(self, position => {
            let moves = position.legal_moves();
            moves.map(|mv| (mv.to_string(), position.preview(mv))).collect()
        })
    }

    /// Preview of a legal move, given as a word of a move list; `None` if it is not a move of this game.
    pub fn preview(&self, word: &str) -> Option<MovePreview> {
        with_position!(self, position => word.parse().ok().map(|mv| position.preview(mv)))
    }

    /// The rule that forbids a move to a square; see [`Draw::refusal`].
    pub fn refusal(&self, square: usize) -> Option<Refusal> {
        with_position!(self, position => position.refusal(square))
    }

    /// Instruction on a card, given as a word of a move list; `None` if it is not a card of this game.
    pub fn card_words(&self, word: &str) -> Option<&'static str> {
        fn words<G: Draw>(_: &G, word: &str) -> Option<&'static str> {
            word.parse().ok().map(G::card_words)
        }
        with_position!(self, position => words(position, word))
    }
}
