//! Games: in a request, a start, and the moves and cards since then; the source of cards; and in an answer, the state
//! with the appearance of the position.
//!
//! The server stores no games, so it cannot store a shuffled deck either. It draws each card on its own from those that
//! are left, weighted by their numbers. The distribution is the same as for a shuffled deck.
//!
//! Consequences for fairness: with the system's random numbers no player can know a card before it is drawn, but
//! repeating a request draws again. With a seed, a card is a function of the seed and the game so far: repeating a
//! request, or the whole game, draws the same card, so a player who tries a move knows its card. Both are fine for a
//! board on one's own machine; otherwise play a match by the arbiter.

use std::sync::LazyLock;

use buxtehude::pictures::{self, Layout, MovePreview, Scene};
use buxtehude::protocol::{PositionCommand, Start};
use buxtehude::rules::{
    self, ActionError, AnyPosition, MAX_SEATS, Seat, UnknownVariant, VARIANTS, Variant,
};
use matches::plan::deck::{Deck, Draws, Purpose, Seed, SysError};
use matches::record::printable::{printable, shortened};
use matches::score::{points, points_of_a_game};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};
use sha2::{Digest, Sha256};

use crate::error::ApiError;

/// Maximum number of cards drawn after one move.
const MAX_CARDS: usize = 16;

/// Maximum number of moves and cards in a game.
pub const MAX_WORDS: usize = 4096;
/// Maximum length of a word in an error message.
const MAX_QUOTED_WORD_LENGTH: usize = 40;
const MAX_START_LENGTH: usize = 1000;

/// A game: a variant with either the number of players or a start position, and the moves so far.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Game {
    /// Name of the variant, or one of its aliases.
    pub variant: String,
    /// Number of players; omitted if there is a start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub players: Option<usize>,
    /// Text of the start position, if it is not the variant's default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<String>,
    /// Moves and cards in order.
    #[serde(default)]
    pub moves: Vec<String>,
}

/// A game that has been validated by playing it.
#[derive(Clone, Debug)]
pub struct Played {
    pub variant: &'static Variant,
    /// Text of the start position, if it is not the variant's default.
    start: Option<String>,
    /// The start position.
    pub first: AnyPosition,
    /// Moves and cards.
    words: Vec<String>,
    pub position: AnyPosition,
}

impl Game {
    /// Plays the game, and calls `on_word` for each move and card with the positions before and after it.
    ///
    /// # Errors
    /// [`ApiError`] names the first fault, and the accepted values.
    pub fn replay_with(
        self,
        mut on_word: impl FnMut(&str, &AnyPosition, &AnyPosition),
    ) -> Result<Played, ApiError> {
        let variant = Variant::by_name(&self.variant).map_err(|error| {
            let name = shortened(&error.name, MAX_QUOTED_WORD_LENGTH).into();
            invalid(&UnknownVariant { name })
        })?;
        let first = match (&self.start, self.players) {
            (Some(text), None) if text.len() > MAX_START_LENGTH => {
                let found = text.len();
                let message =
                    format!("start has {found} bytes; expected at most {MAX_START_LENGTH}");
                return Err(invalid(&message));
            }
            (Some(text), None) => variant.parse(text).map_err(|error| invalid(&error))?,
            (None, Some(players)) => variant.start(players).map_err(|error| invalid(&error))?,
            (Some(_), Some(_)) => {
                return Err(invalid("both players and start; expected one of them"));
            }
            (None, None) => {
                return Err(invalid("neither players nor start; expected one of them"));
            }
        };
        check_length(self.moves.len())?;
        let mut played = Played {
            variant,
            // Printed from the parsed position, so that a client cannot smuggle other text into the protocol.
            start: self.start.map(|_| first.to_string()),
            first,
            words: Vec::with_capacity(self.moves.len() + 2),
            position: first,
        };
        for word in self.moves {
            let before = played.position;
            played.add(word)?;
            if let Some(word) = played.words.last() {
                on_word(word, &before, &played.position);
            }
        }
        Ok(played)
    }

    /// Plays the game.
    ///
    /// # Errors
    /// As [`Game::replay_with`].
    pub fn replay(self) -> Result<Played, ApiError> {
        self.replay_with(|_, _, _| {})
    }
}

impl Played {
    /// Plays a move if one is given, and with `draws` draws the cards that are due then; `seed` is as of `draw`.
    ///
    /// # Errors
    /// [`ApiError`] as for [`Played::add`], or if no card can be drawn.
    pub fn advance(
        mut self,
        word: Option<String>,
        draws: bool,
        seed: Option<Seed>,
    ) -> Result<Took, ApiError> {
        let (before, known) = (self.position, self.words().len());
        if let Some(word) = word {
            self.add(word)?;
        }
        let most = if draws { MAX_CARDS } else { 0 };
        for _ in 0..most {
            let rules::Turn::Card(seat) = self.position.turn() else {
                break;
            };
            let card = draw(seed, &self, seat)?;
            self.add(card)?;
        }
        let steps = steps_of(before, self.words().iter().skip(known));
        Ok(Took { steps, state: State::of(&self) })
    }

    /// Plays a move or draws a card.
    ///
    /// # Errors
    /// [`ApiError`] names the broken rule, or says that the game is full. The game is unchanged then.
    pub fn add(&mut self, word: String) -> Result<(), ApiError> {
        let number = self.words.len() + 1;
        check_length(number)?;
        let played = self.position.play(&word);
        played.map_err(|error| {
            invalid(&format!("word {number}: {}", shortened_error(&error, &word)))
        })?;
        self.words.push(word);
        Ok(())
    }

    /// Returns the game as in a request.
    pub fn game(&self) -> Game {
        Game {
            variant: self.variant.name.to_string(),
            players: self.start.is_none().then(|| self.position.seats()),
            start: self.start.clone(),
            moves: self.words.clone(),
        }
    }

    /// Drops the start if it is the variant's default.
    #[must_use]
    pub fn in_short(mut self) -> Played {
        if self.variant.start(self.first.seats()).is_ok_and(|start| start == self.first) {
            self.start = None;
        }
        self
    }

    pub fn words(&self) -> &[String] {
        &self.words
    }

    pub fn command(&self) -> PositionCommand {
        // With two seats the number is omitted, for engines that only know two.
        let players = u32::try_from(self.position.seats()).ok().filter(|&players| players != 2);
        PositionCommand {
            start: match &self.start {
                Some(text) => Start::Fen(text.clone()),
                None => Start::Startpos { players },
            },
            moves: self.words.clone(),
        }
    }
}

fn invalid(reason: &(impl ToString + ?Sized)) -> ApiError {
    ApiError::invalid(reason.to_string())
}

fn check_length(words: usize) -> Result<(), ApiError> {
    if words > MAX_WORDS {
        let message = format!("moves has {words} words; expected at most {MAX_WORDS}");
        return Err(ApiError::invalid(message));
    }
    Ok(())
}

/// Describes an error in a word; quotes only the beginning of a long one.
fn shortened_error(error: &ActionError, word: &str) -> String {
    if word.chars().count() <= MAX_QUOTED_WORD_LENGTH {
        return printable(&error.to_string()).into_owned();
    }
    let word = shortened(word, MAX_QUOTED_WORD_LENGTH);
    format!("{word:?} is not a move: expected a move or a card")
}

/// Draws the card that is due for `seat` in a game: with a seed the same one for the same game.
///
/// # Errors
/// [`SysError`] if the system has no random numbers.
fn draw(seed: Option<Seed>, played: &Played, seat: Seat) -> Result<String, SysError> {
    let (seed, number) = match seed {
        Some(seed) => (seed, number_of(played)),
        None => (Seed::secret()?, 0),
    };
    let (deck_seed, _) = seed.numbered(Purpose::Tables, number);
    Ok(Deck::new(deck_seed, Draws::Game).draw(seat, &played.position.outcomes()))
}

/// A hash of the game so far.
fn number_of(played: &Played) -> u64 {
    let mut hash = Sha256::new();
    // Neither words nor names nor texts contain a line feed.
    hash.update(format!("{}\n{}", played.variant.name, played.first));
    for word in played.words() {
        hash.update(format!("\n{word}"));
    }
    let first = hash.finalize().into_iter().take(8);
    first.fold(0, |number, byte| number << 8 | u64::from(byte))
}

// --- States ---

/// All points, in permille.
const ALL_POINTS: f64 = 1000.0;

/// JSON of each variant's board, by far the longest part of an answer.
static BOARDS: LazyLock<Vec<(&'static str, Box<RawValue>)>> = LazyLock::new(|| {
    let boards = VARIANTS.iter().filter_map(|variant| {
        let start = (2..=MAX_SEATS).find_map(|seats| variant.start(seats).ok())?;
        Some((variant.name, board_of(&start)?))
    });
    boards.collect()
});

/// A game with its current state; docs/table.md describes the fields.
#[derive(Debug, Serialize)]
pub struct State {
    ok: bool,
    game: Game,
    #[serde(flatten)]
    now: Appearance,
    board: Option<&'static RawValue>,
    moves: Vec<Move>,
    refusals: Vec<Option<Refusal>>,
    cards: Vec<Card>,
    points: Vec<u32>,
}

/// A position.
#[derive(Debug, Serialize)]
pub struct Appearance {
    position: String,
    turn: Option<Turn>,
    pieces: Vec<Piece>,
    facts: Vec<Vec<Fact>>,
    places: Vec<Option<usize>>,
}

/// The effect of a move or card.
#[derive(Debug, Serialize)]
pub struct Step {
    word: String,
    seat: usize,
    /// Words on the card; empty for a move.
    words: &'static str,
    /// The move among the legal ones before; `None` for a card.
    #[serde(rename = "move")]
    mv: Option<Move>,
    #[serde(flatten)]
    after: Appearance,
}

/// A game after moves and cards that were added to it.
#[derive(Debug, Serialize)]
pub struct Took {
    #[serde(flatten)]
    state: State,
    steps: Vec<Step>,
}

#[derive(Debug, Serialize)]
struct Turn {
    seat: usize,
    due: &'static str,
}

#[derive(Debug, Serialize)]
struct Piece {
    seat: usize,
    name: &'static str,
    square: usize,
}

#[derive(Debug, Serialize)]
struct Fact {
    label: &'static str,
    value: String,
}

#[derive(Debug, Serialize)]
struct Move {
    #[serde(rename = "move")]
    mv: String,
    piece: usize,
    square: usize,
    facts: Vec<Fact>,
}

#[derive(Debug, Serialize)]
struct Refusal {
    rule: &'static str,
    facts: Vec<Fact>,
}

#[derive(Debug, Serialize)]
struct Card {
    card: String,
    number: u32,
    words: &'static str,
}

impl State {
    pub fn of(played: &Played) -> State {
        let position = &played.position;
        let previews = position.previews().into_iter();
        let moves: Vec<Move> = previews.map(|(mv, preview)| Move::of(mv, preview)).collect();
        let cards = position.outcomes().into_iter().map(|(card, number)| {
            let words = position.card_words(&card).unwrap_or_default();
            Card { card, number, words }
        });
        let board = BOARDS.iter().find(|(name, _)| *name == played.variant.name);
        let scene = position.scene();
        State {
            ok: true,
            game: played.game(),
            board: board.map(|(_, board)| &**board),
            refusals: refusals(position, scene.board.squares.len(), &moves),
            now: Appearance::with(position, scene),
            moves,
            cards: cards.collect(),
            points: points_of_places(position.seats()),
        }
    }
}

/// The rule against each square of the board that no legal move reaches.
fn refusals(position: &AnyPosition, squares: usize, moves: &[Move]) -> Vec<Option<Refusal>> {
    let refusals = (0..squares).map(|square| {
        if moves.iter().any(|mv| mv.square == square) {
            return None;
        }
        let refusal = position.refusal(square)?;
        Some(Refusal { rule: refusal.rule, facts: facts_of(refusal.facts) })
    });
    refusals.collect()
}

/// Points for each place, from the first on.
fn points_of_places(seats: usize) -> Vec<u32> {
    let places: Vec<u32> = (1..=seats as u32).collect();
    let all = points_of_a_game(seats);
    let permille = |points: f64| (points / all * ALL_POINTS).round() as u32;
    points(&places).into_iter().map(permille).collect()
}

fn board_of(position: &AnyPosition) -> Option<Box<RawValue>> {
    let board = position.scene().board;
    let files = match board.layout {
        Layout::Track => 0,
        Layout::Grid { files } => files,
    };
    let squares: Vec<_> =
        board.squares.iter().map(|kind| json!({ "name": kind.name, "mark": kind.mark })).collect();
    to_raw_value(&json!({ "files": files, "squares": squares })).ok()
}

impl Appearance {
    pub fn of(position: &AnyPosition) -> Appearance {
        Appearance::with(position, position.scene())
    }

    fn with(position: &AnyPosition, scene: Scene) -> Appearance {
        let turn = match position.turn() {
            rules::Turn::Seat(seat) => Some(Turn { seat: number(seat), due: "move" }),
            rules::Turn::Card(seat) => Some(Turn { seat: number(seat), due: "card" }),
            rules::Turn::Over => None,
        };
        let pieces = scene.pieces.into_iter().map(|piece| Piece {
            seat: number(piece.seat),
            name: piece.name,
            square: piece.square,
        });
        let seats = Seat::all(position.seats());
        Appearance {
            position: position.to_string(),
            turn,
            pieces: pieces.collect(),
            facts: scene.facts.into_iter().map(facts_of).collect(),
            places: seats.map(|seat| position.place(seat)).collect(),
        }
    }
}

impl Step {
    pub fn of(word: &str, before: &AnyPosition, after: &AnyPosition) -> Step {
        let preview = before.preview(word);
        Step {
            word: word.to_string(),
            seat: before.turn().seat().map_or(0, number),
            words: before.card_words(word).unwrap_or_default(),
            mv: preview.map(|preview| Move::of(word.to_string(), preview)),
            after: Appearance::of(after),
        }
    }
}

/// The effects of words, which must be legal, from a position on.
pub fn steps_of<'a>(mut before: AnyPosition, words: impl Iterator<Item = &'a String>) -> Vec<Step> {
    let steps = words.map(|word| {
        let mut after = before;
        // The words are legal.
        let _ = after.play(word);
        let step = Step::of(word, &before, &after);
        before = after;
        step
    });
    steps.collect()
}

impl Move {
    fn of(mv: String, preview: MovePreview) -> Move {
        let MovePreview { piece, square, facts } = preview;
        Move { mv, piece, square, facts: facts_of(facts) }
    }
}

fn facts_of(facts: Vec<pictures::Fact>) -> Vec<Fact> {
    let facts = facts.into_iter().map(|fact| Fact { label: fact.label, value: fact.value });
    facts.collect()
}

/// Number of a seat in JSON, from 1.
pub fn number(seat: Seat) -> usize {
    seat.index() + 1
}
