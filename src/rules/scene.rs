//! What a position looks like, for programs that draw it without knowing the game.

use super::Seat;

/// A position to look at: a board, the pieces on it, and what else there is to know of each seat.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Layout, Seat, Variant};
///
/// let scene = Variant::by_name("hase-und-igel")?.start(2).unwrap().scene();
/// assert_eq!((scene.board.layout, scene.board.squares.len()), (Layout::Track, 65));
/// assert_eq!((scene.pieces[1].seat, scene.pieces[1].square), (Seat(1), 0));
/// assert_eq!((scene.facts[1][0].label, scene.facts[1][0].value.as_str()), ("carrots", "68"));
/// # Ok::<(), buxtehude::rules::UnknownVariant>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scene {
    /// The board, which is the same in all positions of a game.
    pub board: Board,
    /// The pieces: in all positions of a game as many, in the same order of seats and names.
    pub pieces: Vec<Piece>,
    /// What there is to know of each seat, in seat order; in all positions of a game and for all seats the
    /// same labels in the same order.
    pub facts: Vec<Vec<Fact>>,
}

/// A board: its squares, and how they lie to each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    /// How the squares lie.
    pub layout: Layout,
    /// What each square is.
    pub squares: Vec<SquareKind>,
}

/// How the squares of a board lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One behind the other, from start to finish.
    Track,
    /// In rows of so many squares, from the bottom row to the top one, in each from left to right.
    Grid {
        /// Squares in a row.
        files: u8,
    },
}

/// What a square is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SquareKind {
    /// Its name; two kinds have different ones.
    pub name: &'static str,
    /// One letter or digit that is written on the square, or nothing.
    pub mark: &'static str,
}

/// A piece on the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// To whom it belongs.
    pub seat: Seat,
    /// What it is.
    pub name: &'static str,
    /// The square on which it stands, as an index into [`Board::squares`]. Others may stand there too.
    pub square: usize,
}

/// One thing to know of a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    /// What it is about.
    pub label: &'static str,
    /// What there is to know; may be empty.
    pub value: String,
}

/// A legal move before it is made: how it looks on the board, what it costs, and what it brings.
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
/// assert_eq!(facts, [("cost", "55"), ("carrots", "13"), ("pays", "20"), ("if place", "2")]);
/// # Ok::<(), buxtehude::rules::UnknownVariant>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MovePreview {
    /// The piece that moves, or stays, as an index into [`Scene::pieces`].
    pub piece: usize,
    /// The square on which it will stand, as an index into [`Board::squares`].
    pub square: usize,
    /// What the move costs the mover, leaves it, and will bring it, in the order in which it is to be shown. The
    /// labels are of a closed set, one for each game, as are values that are no numbers: others can translate them.
    pub facts: Vec<Fact>,
}
