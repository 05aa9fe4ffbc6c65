//! The state of a game in an answer.

use buxtehude::rules::AnyPosition;
use matches::score::{points, points_of_a_game};
use serde::Serialize;

use super::scene::{self, Card, Fact, Moment, Scene, Turn};
use super::{Game, Played};

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
            places: scene::places(position),
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
        facts: scene::all(preview.facts),
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
            seat: before.turn().seat().map_or(0, scene::number),
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
