//! What is said of a game in an answer.

use buxtehude::rules::AnyPosition;
use matches::score::{points, points_of_a_game};
use schemars::JsonSchema;
use serde::Serialize;

use super::look::{self, Card, Fact, Piece, Scene, Turn};
use super::{Game, Played};

/// A whole, in permille.
const WHOLE: f64 = 1000.0;

/// A game and where it stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct State {
    /// Always true: an error looks otherwise.
    pub ok: bool,
    /// The game as it is to be sent with the next request.
    pub game: Game,
    /// The text of the position.
    pub position: String,
    /// What is due, or `null` where the game is over.
    pub turn: Option<Turn>,
    /// What it looks like.
    pub scene: Scene,
    /// The legal moves; none where a card is due.
    pub moves: Vec<Move>,
    /// The kinds of card that are left, where one is due.
    pub cards: Vec<Card>,
    /// The final place of each seat, from 1, `null` while it is open.
    pub places: Vec<Option<usize>>,
    /// What the places from the first on are worth, in permille of all points of a game, as in an estimate.
    pub points: Vec<u32>,
}

/// A legal move.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Move {
    /// The move, as it stands in a list of moves.
    #[serde(rename = "move")]
    pub mv: String,
    /// The piece that moves, or stays, counted from 0 among those of the scene.
    pub piece: usize,
    /// The square on which it will stand, counted from 0.
    pub square: usize,
    /// What the move costs and brings, in the order in which it is to be shown.
    pub facts: Vec<Fact>,
}

/// What a move or a card led to.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Step {
    /// The move or card.
    pub word: String,
    /// Who played it, or for whom it was drawn, from 1.
    pub seat: usize,
    /// The pieces after it.
    pub pieces: Vec<Piece>,
    /// What there is to know of each seat after it.
    pub facts: Vec<Vec<Fact>>,
    /// What is due after it.
    pub turn: Option<Turn>,
    /// The places after it.
    pub places: Vec<Option<usize>>,
    /// The text of the position after it.
    pub position: String,
}

/// A card that the server drew.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Drawn {
    /// The card, as it stands in a list of moves.
    pub card: String,
    /// What it says.
    pub words: &'static str,
    /// For whom, from 1.
    pub seat: usize,
}

/// A game after a move or a card.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Took {
    /// Where it stands now.
    #[serde(flatten)]
    pub state: State,
    /// What each word that was added led to.
    pub steps: Vec<Step>,
    /// The card that the server drew, or `null`.
    pub card: Option<Drawn>,
}

impl State {
    /// Where a game stands.
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
            cards: cards
                .map(|(card, number)| Card::of(card, number, position))
                .collect(),
            places: look::places(position),
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
        facts: look::all(preview.facts),
    });
    moves.collect()
}

/// What the places are worth, from the first on.
fn points_of_places(seats: usize) -> Vec<u32> {
    let places: Vec<u32> = (1..=seats as u32).collect();
    let all = points_of_a_game(seats);
    let permille = |points: f64| (points / all * WHOLE).round() as u32;
    points(&places).into_iter().map(permille).collect()
}

impl Step {
    /// What a word led to from one position to the next.
    pub fn of(word: &str, before: &AnyPosition, after: &AnyPosition) -> Step {
        let scene = after.scene();
        Step {
            word: word.to_string(),
            seat: before.turn().seat().map_or(0, look::number),
            pieces: scene.pieces.into_iter().map(Piece::from).collect(),
            facts: scene.facts.into_iter().map(look::all).collect(),
            turn: Turn::of(after),
            places: look::places(after),
            position: after.to_string(),
        }
    }
}

/// Plays words that are known to be legal from a position on, and says what each led to.
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
