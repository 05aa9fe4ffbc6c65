//! The state of a game in an answer, with the appearance of its position. Seats count from 1.

use std::sync::LazyLock;

use buxtehude::rules::{self, AnyPosition, Layout, MAX_SEATS, Seat, VARIANTS, Variant};
use matches::score::{points, points_of_a_game};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::game::{Game, Played};

/// All points, in permille.
const WHOLE: f64 = 1000.0;

/// A game with its current state.
#[derive(Clone, Debug, Serialize)]
pub struct State {
    /// Always true; false in errors.
    pub ok: bool,
    /// The game, to be sent with the next request.
    pub game: Game,
    /// Text of the position.
    pub position: String,
    /// The action that is due, or `null` if the game is over.
    pub turn: Option<Turn>,
    /// Board, pieces and facts.
    pub scene: Scene,
    /// Legal moves; none if a card is due.
    pub moves: Vec<Move>,
    /// Kinds of card that are left, if a card is due.
    pub cards: Vec<Card>,
    /// Final place of each seat, from 1; `null` while it is open.
    pub places: Vec<Option<usize>>,
    /// Points for each place from the first on, in permille of all points, as in an estimate.
    pub points: Vec<u32>,
}

/// A legal move.
#[derive(Clone, Debug, Serialize)]
pub struct Move {
    /// The move, as in a list of moves.
    #[serde(rename = "move")]
    pub mv: String,
    /// Index of the piece that moves or stays, from 0, among the pieces of the scene.
    pub piece: usize,
    /// Index of its target square, from 0.
    pub square: usize,
    /// Costs and gains of the move, in display order.
    pub facts: Vec<Fact>,
}

/// The effect of a move or card.
#[derive(Clone, Debug, Serialize)]
pub struct Step {
    /// The move or card.
    pub word: String,
    /// The seat that moved, or that the card was drawn for, from 1.
    pub seat: usize,
    /// The position after it.
    #[serde(flatten)]
    pub after: Moment,
}

/// A card that the server drew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Drawn {
    /// The card, as in a list of moves.
    pub card: String,
    /// Text on the card.
    pub words: &'static str,
    /// The seat that it was drawn for, from 1.
    pub seat: usize,
}

/// A game after a move or a card.
#[derive(Clone, Debug, Serialize)]
pub struct Took {
    /// The current state.
    #[serde(flatten)]
    pub state: State,
    /// The effect of each move and card that was added.
    pub steps: Vec<Step>,
    /// The card that the server drew, or `null`.
    pub card: Option<Drawn>,
}

/// The action that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Turn {
    /// The seat that moves or whose card is due, from 1.
    pub seat: usize,
    /// `move` or `card`.
    pub due: Due,
}

/// Kinds of action.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Due {
    /// A move.
    Move,
    /// A card.
    Card,
}

/// A board with its pieces, and facts about each seat.
#[derive(Clone, Debug, Serialize)]
pub struct Scene {
    /// The board. It is the same in all positions of a game, so its JSON is written only once.
    pub board: Option<&'static RawValue>,
    /// The pieces. All positions of a game have the same ones, in the same order.
    pub pieces: Vec<Piece>,
    /// Facts about each seat, in seat order.
    pub facts: Vec<Vec<Fact>>,
}

/// Position of a game with a known board.
#[derive(Clone, Debug, Serialize)]
pub struct Moment {
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Facts about each seat.
    pub facts: Vec<Vec<Fact>>,
    /// The action that is due.
    pub turn: Option<Turn>,
    /// Text of the position.
    pub position: String,
    /// Final place of each seat, from 1; `null` while it is open.
    pub places: Vec<Option<usize>>,
}

/// A board.
#[derive(Clone, Debug, Serialize)]
pub struct Board {
    /// `track` for a sequence of squares, or `grid` for rows from bottom to top.
    pub layout: &'static str,
    /// Squares in a row, or 0 for a track.
    pub files: u8,
    /// The squares.
    pub squares: Vec<Square>,
}

/// A square.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Square {
    /// Its name.
    pub name: &'static str,
    /// Letter or digit on the square, or empty.
    pub mark: &'static str,
}

/// A piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Piece {
    /// Seat of its owner, from 1.
    pub seat: usize,
    /// Kind of piece.
    pub name: &'static str,
    /// Index of its square, from 0.
    pub square: usize,
}

/// A fact to display.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    /// Name of the fact.
    pub label: &'static str,
    /// Value; may be empty.
    pub value: String,
}

/// A kind of card that is left.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Card {
    /// The card, as in a list of moves.
    pub card: String,
    /// Number of such cards left.
    pub number: u32,
    /// Text on the card.
    pub words: &'static str,
}

impl State {
    pub fn of(played: &Played) -> State {
        let position = &played.position;
        let cards = position.outcomes().into_iter();
        State {
            ok: true,
            game: played.game(),
            position: position.to_string(),
            turn: Turn::of(position),
            scene: Scene::of(played.variant, position),
            moves: moves(position),
            cards: cards.map(|(card, number)| Card::of(card, number, position)).collect(),
            places: places(position),
            points: points_of_places(position.seats()),
        }
    }
}

fn moves(position: &AnyPosition) -> Vec<Move> {
    let previews = position.previews().into_iter();
    let moves = previews.map(|(mv, preview)| Move {
        mv,
        piece: preview.piece,
        square: preview.square,
        facts: all(preview.facts),
    });
    moves.collect()
}

/// Points for each place, from the first on.
fn points_of_places(seats: usize) -> Vec<u32> {
    let places: Vec<u32> = (1..=seats as u32).collect();
    let all = points_of_a_game(seats);
    let permille = |points: f64| (points / all * WHOLE).round() as u32;
    points(&places).into_iter().map(permille).collect()
}

impl Step {
    pub fn of(word: &str, before: &AnyPosition, after: &AnyPosition) -> Step {
        Step {
            word: word.to_string(),
            seat: before.turn().seat().map_or(0, number),
            after: Moment::of(after),
        }
    }
}

/// Plays words, which must be legal, from a position, and describes the effect of each.
pub fn steps_of(mut position: AnyPosition, words: &[String]) -> Vec<Step> {
    let mut steps = Vec::with_capacity(words.len());
    for word in words {
        let before = position;
        if position.play(word).is_ok() {
            steps.push(Step::of(word, &before, &position));
        }
    }
    steps
}

impl Card {
    /// Describes a kind of card with `number` left, in the game of `position`.
    pub fn of(card: String, number: u32, position: &AnyPosition) -> Card {
        let words = position.card_words(&card).unwrap_or_default();
        Card { card, number, words }
    }
}

/// Number of a seat in JSON, from 1.
pub fn number(seat: Seat) -> usize {
    seat.index() + 1
}

impl Turn {
    /// Returns the action that is due in a position; `None` if the game is over.
    pub fn of(position: &AnyPosition) -> Option<Turn> {
        let (seat, due) = match position.turn() {
            rules::Turn::Seat(seat) => (seat, Due::Move),
            rules::Turn::Card(seat) => (seat, Due::Card),
            rules::Turn::Over => return None,
        };
        Some(Turn { seat: number(seat), due })
    }
}

/// JSON of each variant's board, by far the longest part of an answer.
static BOARDS: LazyLock<Vec<(&'static str, Box<RawValue>)>> = LazyLock::new(|| {
    let boards = VARIANTS.iter().filter_map(|variant| {
        let start = (2..=MAX_SEATS).find_map(|seats| variant.start(seats).ok())?;
        let board = to_raw_value(&Board::from(start.scene().board)).ok()?;
        Some((variant.name, board))
    });
    boards.collect()
});

impl Scene {
    pub fn of(variant: &Variant, position: &AnyPosition) -> Scene {
        let scene = position.scene();
        let mut boards = BOARDS.iter();
        Scene {
            board: boards.find(|(name, _)| *name == variant.name).map(|(_, board)| &**board),
            pieces: scene.pieces.into_iter().map(Piece::from).collect(),
            facts: scene.facts.into_iter().map(all).collect(),
        }
    }
}

impl Moment {
    pub fn of(position: &AnyPosition) -> Moment {
        let scene = position.scene();
        Moment {
            pieces: scene.pieces.into_iter().map(Piece::from).collect(),
            facts: scene.facts.into_iter().map(all).collect(),
            turn: Turn::of(position),
            position: position.to_string(),
            places: places(position),
        }
    }
}

impl From<rules::Board> for Board {
    fn from(board: rules::Board) -> Board {
        let (layout, files) = match board.layout {
            Layout::Track => ("track", 0),
            Layout::Grid { files } => ("grid", files),
        };
        let squares =
            board.squares.into_iter().map(|kind| Square { name: kind.name, mark: kind.mark });
        Board { layout, files, squares: squares.collect() }
    }
}

impl From<rules::Piece> for Piece {
    fn from(piece: rules::Piece) -> Piece {
        Piece { seat: number(piece.seat), name: piece.name, square: piece.square }
    }
}

impl From<rules::Fact> for Fact {
    fn from(fact: rules::Fact) -> Fact {
        Fact { label: fact.label, value: fact.value }
    }
}

pub fn all(facts: Vec<rules::Fact>) -> Vec<Fact> {
    facts.into_iter().map(Fact::from).collect()
}

/// Place of each seat, from 1; `None` while it is open.
pub fn places(position: &AnyPosition) -> Vec<Option<usize>> {
    let seats = Seat::all(position.seats());
    seats.map(|seat| position.place(seat)).collect()
}
