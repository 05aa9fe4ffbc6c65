//! What the rules alone answer: new games, positions, moves and cards.

use axum::Json;
use axum::extract::State as Shared;
use buxtehude::rules::AnyPosition;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::App;
use crate::board::{
    Chance, Drawn, Fact, Game, Piece, Played, State, Step, Took, Turn, number, steps_of,
};
use crate::door::{Refusal, Wanted};

/// The most cards that are drawn after one move.
const MOST_CARDS: usize = 16;

/// What `POST /api/new` takes: a variant, and players or a start.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NewRequest {
    /// The variant, by its name or one of its aliases.
    pub variant: String,
    /// The number of players; left out where there is a start.
    #[serde(default)]
    pub players: Option<usize>,
    /// The text of the position at the start, where that is not the variant's own.
    #[serde(default)]
    pub start: Option<String>,
}

/// What takes a game and nothing else.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct GameRequest {
    /// The game.
    pub game: Game,
}

/// What `POST /api/play` takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PlayRequest {
    /// The game.
    pub game: Game,
    /// A legal move, or where a card is due one that is left.
    #[serde(rename = "move")]
    pub mv: String,
    /// Whether a card that becomes due is drawn.
    #[serde(default = "yes")]
    pub draw: bool,
}

fn yes() -> bool {
    true
}

/// A game with all that led to where it stands.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Shown {
    /// Where it stands.
    #[serde(flatten)]
    pub state: State,
    /// Where it began.
    pub first: First,
    /// What each word led to.
    pub steps: Vec<Step>,
}

/// A position before the first word.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct First {
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// What there is to know of each seat.
    pub facts: Vec<Vec<Fact>>,
    /// What is due.
    pub turn: Option<Turn>,
    /// The text of the position.
    pub position: String,
}

/// A move of a solved game, and what it leads to when both play perfectly from there on.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct SolvedMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The seat that wins, from 1.
    pub wins: usize,
    /// Plies to the end after the move.
    pub plies: u32,
}

/// What `POST /api/solved` answers.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Solved {
    /// Always true.
    pub ok: bool,
    /// All legal moves.
    pub moves: Vec<SolvedMove>,
}

/// `POST /api/new`
///
/// # Errors
/// [`Refusal`] says what is wrong with the request.
pub async fn new(Wanted(request): Wanted<NewRequest>) -> Result<Json<State>, Refusal> {
    let NewRequest {
        variant,
        players,
        start,
    } = request;
    let played = Game {
        variant,
        players,
        start,
        moves: Vec::new(),
    }
    .play()?;
    Ok(Json(State::of(&played)))
}

/// `POST /api/show`
///
/// # Errors
/// As [`new`].
pub async fn show(Wanted(request): Wanted<GameRequest>) -> Result<Json<Shown>, Refusal> {
    let mut steps = Vec::with_capacity(request.game.moves.len());
    let played = request.game.play_with(|word, before, after| {
        steps.push(Step::of(word, before, after));
    })?;
    let scene = played.first.scene();
    let first = First {
        pieces: scene.pieces.into_iter().map(Piece::from).collect(),
        facts: scene
            .facts
            .into_iter()
            .map(|facts| facts.into_iter().map(Fact::from).collect())
            .collect(),
        turn: Turn::of(&played.first),
        position: played.first.to_string(),
    };
    Ok(Json(Shown {
        state: State::of(&played),
        first,
        steps,
    }))
}

/// `POST /api/play`
///
/// # Errors
/// As [`new`].
pub async fn play(
    Shared(app): Shared<App>,
    Wanted(request): Wanted<PlayRequest>,
) -> Result<Json<Took>, Refusal> {
    let mut played = request.game.play()?;
    Ok(Json(take(
        &mut played,
        request.mv,
        request.draw.then_some(app.chance),
    )?))
}

/// `POST /api/draw`
///
/// # Errors
/// As [`new`].
pub async fn draw(
    Shared(app): Shared<App>,
    Wanted(request): Wanted<GameRequest>,
) -> Result<Json<Took>, Refusal> {
    let mut played = request.game.play()?;
    if !played.is_card_due() {
        return Err(Refusal::Wrong(
            "no card is due; expected a game where a card is due".to_string(),
        ));
    }
    let before = (played.position, played.words().len());
    let card = draw_all(&mut played, app.chance)?;
    Ok(Json(took(&played, before, card)))
}

/// `POST /api/solved`
///
/// # Errors
/// As [`new`], and where the game is not solved.
pub async fn solved(Wanted(request): Wanted<GameRequest>) -> Result<Json<Solved>, Refusal> {
    let played = request.game.play()?;
    let not_solved = || {
        let name = played.variant.name;
        Refusal::Wrong(format!(
            "{name} is not solved; expected a game that GET /api/engines lists as solved"
        ))
    };
    played.position.solved().ok_or_else(not_solved)?;
    let mut moves = Vec::new();
    for mv in played.position.legal_actions() {
        let mut after = played.position;
        // The move is one of the legal ones.
        let _ = after.play(&mv);
        let outcome = after.solved().ok_or_else(not_solved)?;
        moves.push(SolvedMove {
            mv,
            wins: number(outcome.winner),
            plies: outcome.plies,
        });
    }
    Ok(Json(Solved { ok: true, moves }))
}

/// Plays a move, and draws the cards that become due where there is a chance to draw from.
pub(super) fn take(
    played: &mut Played,
    word: String,
    chance: Option<Chance>,
) -> Result<Took, Refusal> {
    let before = (played.position, played.words().len());
    played.add(word)?;
    let card = match chance {
        Some(chance) => draw_all(played, chance)?,
        None => None,
    };
    Ok(took(played, before, card))
}

fn took(played: &Played, before: (AnyPosition, usize), card: Option<Drawn>) -> Took {
    let (position, words) = before;
    let added = played.words().get(words..).unwrap_or_default();
    Took {
        state: State::of(played),
        steps: steps_of(position, added),
        card,
    }
}

/// Draws as long as a card is due; returns the first one.
fn draw_all(played: &mut Played, chance: Chance) -> Result<Option<Drawn>, Refusal> {
    let mut first = None;
    for _ in 0..MOST_CARDS {
        let Some(seat) = played
            .position
            .turn()
            .seat()
            .filter(|_| played.is_card_due())
        else {
            break;
        };
        let card = chance.draw(played)?;
        played.add(card.clone())?;
        first.get_or_insert(Drawn {
            words: played.position.card_words(&card).unwrap_or_default(),
            card,
            seat: number(seat),
        });
    }
    Ok(first)
}
