//! The games to step through, as JSON for the page's script; each position is stored as changes to the previous one.

use buxtehude::pictures::{Board, Layout, Scene};
use buxtehude::rules::is_card;
use matches::archive::replay::{Flaw, Replay, Step};
use matches::plan::rules::external::RulesError;
use matches::plan::rules::{Position, PositionError};
use matches::record::printable::printable;
use matches::record::{Fault, GameRecord, TurnRecord};
use matches::review::{Review, ReviewedMove};
use serde::Serialize;
use serde_json::Value;

/// All shown games, sorted by number.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ShownGames {
    /// Name and limit of the reviewing engine, if games are reviewed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reviewer: Option<String>,
    boards: Vec<ShownBoard>,
    games: Vec<ShownGame>,
}

/// A board with the kind of each square.
#[derive(Clone, Debug, PartialEq, Serialize)]
struct ShownBoard {
    /// Squares in a row, or 0 for a track.
    files: u8,
    /// Name and mark of each kind.
    kinds: Vec<[&'static str; 2]>,
    /// Index of each square's kind.
    squares: Vec<usize>,
}

#[derive(Clone, Debug, Serialize)]
struct ShownGame {
    number: u64,
    block: u64,
    variant: String,
    /// Engines, in seat order.
    names: Vec<String>,
    places: Vec<u32>,
    endings: Vec<&'static str>,
    fault: Option<Fault>,
    /// The reason if the game, or its rest, cannot be shown.
    flaw: Option<String>,
    /// Number of steps in the opening, which no engine played.
    opening: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    review: Option<GameReview>,
    positions: Option<Positions>,
}

#[derive(Clone, Debug, Default, Serialize)]
struct Positions {
    /// Index of the board; `None` if the rules have only pictures, or nothing to show.
    board: Option<usize>,
    /// Lines of the picture at the start.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    picture: Vec<String>,
    /// Seat, from 0, and name of each piece.
    pieces: Vec<(u8, &'static str)>,
    /// Labels of each seat's facts.
    labels: Vec<&'static str>,
    /// Squares of the pieces at the start.
    squares: Vec<usize>,
    /// Facts of each seat at the start.
    facts: Vec<Vec<String>>,
    /// Seat to move at the start, from 0.
    turn: Option<u8>,
    steps: Vec<ShownStep>,
}

/// A move with its card, the resulting changes, and the engine's report. There are many steps, so the keys are short.
#[derive(Clone, Debug, Default, Serialize)]
struct ShownStep {
    /// Seat that moved, from 0; `None` if it is unknown, because the rules are missing.
    #[serde(rename = "s", skip_serializing_if = "Option::is_none")]
    seat: Option<u8>,
    #[serde(rename = "m")]
    mv: String,
    #[serde(rename = "c", skip_serializing_if = "Option::is_none")]
    card: Option<String>,
    /// Seat to move next, from 0.
    #[serde(rename = "n", skip_serializing_if = "Option::is_none")]
    turn: Option<u8>,
    /// Changed lines of the picture: index, line; `None` for one that is no longer there.
    #[serde(rename = "x", skip_serializing_if = "Vec::is_empty")]
    picture: Vec<(usize, Option<String>)>,
    /// Pieces that moved, each with its new square.
    #[serde(rename = "p", skip_serializing_if = "Vec::is_empty")]
    pieces: Vec<(usize, usize)>,
    /// Changed facts: seat, index, value.
    #[serde(rename = "f", skip_serializing_if = "Vec::is_empty")]
    facts: Vec<(usize, usize, String)>,
    /// The engine's estimate of each seat's share, in permille.
    #[serde(rename = "e", skip_serializing_if = "Vec::is_empty")]
    estimate: Vec<u16>,
    #[serde(rename = "t", skip_serializing_if = "Option::is_none")]
    micros: Option<u64>,
    #[serde(rename = "d", skip_serializing_if = "Option::is_none")]
    depth: Option<u32>,
    #[serde(rename = "v", skip_serializing_if = "Option::is_none")]
    score: Option<String>,
    #[serde(rename = "k", skip_serializing_if = "Option::is_none")]
    nodes: Option<u64>,
    #[serde(rename = "l", skip_serializing_if = "Option::is_none")]
    pv: Option<String>,
    #[serde(rename = "r", skip_serializing_if = "Option::is_none")]
    review: Option<StepReview>,
}

impl ShownGames {
    /// Adds a game, up to its first illegal move, with its review if there is one. Returns the fault of its rules
    /// program if that is why positions are missing.
    pub fn add(&mut self, record: &GameRecord, review: Option<&Review>) -> Option<RulesError> {
        let mut fault;
        let mut game = ShownGame {
            number: record.game,
            block: record.block,
            variant: record.variant.clone(),
            names: record.seats.clone(),
            places: record.places.clone(),
            endings: record.endings.iter().map(|ending| ending.name()).collect(),
            fault: record.fault.as_ref().map(|fault| Fault { evidence: None, ..fault.clone() }),
            flaw: None,
            opening: 0,
            review: review.map(GameReview::of),
            positions: None,
        };
        match Replay::of(record) {
            Err(flaw) => {
                fault = flaw.fault_of_rules().cloned();
                game.flaw = Some(flaw.to_string());
                let results = [record.places.len(), record.endings.len()];
                if lacks_rules(&flaw) && results == [record.seats.len(); 2] {
                    game.opening = record.opening_plies();
                    game.positions = Some(moves_alone(record));
                }
            }
            Ok(walk) => {
                fault = walk.flaw.as_ref().and_then(Flaw::fault_of_rules).cloned();
                game.flaw = walk.flaw.as_ref().map(ToString::to_string);
                // If moves are missing at the end, the last turns have none.
                game.opening = record.opening_plies();
                let mut positions = self.on_board(&walk, record).unwrap_or_else(|| {
                    let (positions, error) = in_pictures(&walk, record);
                    fault = fault.take().or(error);
                    let text = fault.as_ref().map(ToString::to_string);
                    game.flaw = game.flaw.take().or(text);
                    positions
                });
                for reviewed in review.iter().flat_map(|review| &review.moves) {
                    if let Some(step) = positions.steps.get_mut(reviewed.ply - 1) {
                        step.review = Some(StepReview::of(reviewed));
                    }
                }
                game.positions = Some(positions);
            }
        }
        let after = self.games.partition_point(|other| other.number < game.number);
        self.games.insert(after, game);
        fault
    }

    /// Returns the positions on a board, if the rules have one.
    fn on_board(&mut self, walk: &Replay, record: &GameRecord) -> Option<Positions> {
        let start = walk.first.scene()?;
        let mut before = start.clone();
        let mut steps = Vec::new();
        for (step, turn) in walk.steps.iter().zip(record.answers()) {
            let after = step.after.scene()?;
            steps.push(shown_step(step, &before, &after, turn));
            before = after;
        }
        let board = Some(self.board(&start.board));
        let first = start.facts.first().map_or(&[][..], Vec::as_slice);
        Some(Positions {
            board,
            picture: Vec::new(),
            pieces: start.pieces.iter().map(|piece| (piece.seat.0, piece.name)).collect(),
            labels: first.iter().map(|fact| fact.label).collect(),
            squares: start.pieces.iter().map(|piece| piece.square).collect(),
            facts: values(&start),
            turn: turn(&walk.first),
            steps,
        })
    }

    /// Returns the index of a board; adds a new one.
    fn board(&mut self, board: &Board) -> usize {
        let mut kinds = Vec::new();
        let mut squares = Vec::new();
        for kind in &board.squares {
            let kind = [kind.name, kind.mark];
            let known = kinds.iter().position(|known| *known == kind);
            squares.push(known.unwrap_or_else(|| {
                kinds.push(kind);
                kinds.len() - 1
            }));
        }
        let board = ShownBoard {
            files: match board.layout {
                Layout::Track => 0,
                Layout::Grid { files } => files,
            },
            kinds,
            squares,
        };
        let known = self.boards.iter().position(|known| *known == board);
        known.unwrap_or_else(|| {
            self.boards.push(board);
            self.boards.len() - 1
        })
    }

    pub fn len(&self) -> usize {
        self.games.len()
    }

    pub fn contains(&self, number: u64) -> bool {
        self.games.binary_search_by_key(&number, |game| game.number).is_ok()
    }

    /// The games as JSON for a `script` element: no text in it can end the element.
    pub fn json(&self) -> String {
        // Numbers and texts always serialize.
        let mut json = serde_json::to_value(self).unwrap_or_default();
        escape(&mut json);
        // Outside of strings, JSON contains none of these characters.
        json.to_string().replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
    }
}

fn shown_step(
    step: &Step,
    before: &Scene,
    after: &Scene,
    turn_record: Option<&TurnRecord>,
) -> ShownStep {
    let pieces = before.pieces.iter().zip(&after.pieces).enumerate();
    let moved = pieces.filter(|(_, (before, after))| before.square != after.square);
    let mut facts = Vec::new();
    for (seat, (before, after)) in before.facts.iter().zip(&after.facts).enumerate() {
        for (index, (before, after)) in before.iter().zip(after).enumerate() {
            if before.value != after.value {
                facts.push((seat, index, after.value.clone()));
            }
        }
    }
    ShownStep {
        pieces: moved.map(|(index, (_, after))| (index, after.square)).collect(),
        facts,
        ..ShownStep::of(step, turn_record)
    }
}

impl Positions {
    /// Creates a game without steps, whose seats have no facts.
    fn without_facts(seats: usize) -> Positions {
        Positions { facts: vec![Vec::new(); seats], ..Positions::default() }
    }
}

impl ShownStep {
    /// Creates a step without a position.
    fn of(step: &Step, turn_record: Option<&TurnRecord>) -> ShownStep {
        ShownStep {
            seat: Some(step.seat.0),
            mv: match &step.rolled {
                Some(roll) => format!("{roll} {}", step.mv),
                None => step.mv.clone(),
            },
            card: step.card.clone(),
            turn: turn(&step.after),
            ..ShownStep::reported(turn_record)
        }
    }

    /// Creates a step with the engine's report alone.
    fn reported(turn: Option<&TurnRecord>) -> ShownStep {
        ShownStep {
            estimate: turn.map_or(Vec::new(), |turn| turn.estimate.clone()),
            micros: turn.and_then(|turn| turn.micros),
            depth: turn.and_then(|turn| turn.depth),
            score: turn.and_then(|turn| turn.score.clone()),
            nodes: turn.and_then(|turn| turn.nodes),
            pv: turn.filter(|turn| !turn.pv.is_empty()).map(|turn| turn.pv.join(" ")),
            ..ShownStep::default()
        }
    }
}

/// `true` if a game cannot be replayed because its rules program is not running.
fn lacks_rules(flaw: &Flaw) -> bool {
    matches!(flaw, Flaw::Variant(_) | Flaw::Start(PositionError::Rules(_)))
}

/// Escapes the invisible characters of all texts, so that the page shows them.
fn escape(value: &mut Value) {
    match value {
        Value::String(text) => *text = printable(text).into_owned(),
        Value::Array(values) => values.iter_mut().for_each(escape),
        Value::Object(fields) => fields.values_mut().for_each(escape),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn values(scene: &Scene) -> Vec<Vec<String>> {
    let facts = scene.facts.iter();
    facts.map(|facts| facts.iter().map(|fact| fact.value.clone()).collect()).collect()
}

/// The seat that moves or draws, from 0.
fn turn(position: &Position) -> Option<u8> {
    position.turn().seat().map(|seat| seat.0)
}

/// Returns the positions of a game in pictures; after an error, without any.
fn in_pictures(walk: &Replay, record: &GameRecord) -> (Positions, Option<RulesError>) {
    let after = walk.steps.iter().map(|step| &step.after);
    let all: Vec<&Position> = [&walk.first].into_iter().chain(after).collect();
    let (pictures, error) = match Position::pictures(&all) {
        Ok(pictures) => (pictures, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let lines = |picture: Option<String>| {
        let picture = picture.unwrap_or_default();
        picture.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let mut pictures = pictures.into_iter().map(lines);
    let start = pictures.next().unwrap_or_default();
    let mut before = start.clone();
    let steps = walk.steps.iter().zip(record.answers()).map(|(step, turn)| {
        let after = pictures.next().unwrap_or_default();
        let picture = changed_lines(&before, &after);
        before = after;
        ShownStep { picture, ..ShownStep::of(step, turn) }
    });
    let positions = Positions {
        steps: steps.collect(),
        picture: start,
        turn: turn(&walk.first),
        ..Positions::without_facts(walk.first.seats())
    };
    (positions, error)
}

fn changed_lines(before: &[String], after: &[String]) -> Vec<(usize, Option<String>)> {
    let lines = 0..before.len().max(after.len());
    let changed = lines.filter(|&line| before.get(line) != after.get(line));
    changed.map(|line| (line, after.get(line).cloned())).collect()
}

/// Returns the moves of a game whose rules are missing. The record names the seats of the engines' moves only, and does
/// not say which seat draws: an outcome belongs to the move before it.
fn moves_alone(record: &GameRecord) -> Positions {
    let mut turns = record.answers();
    let mut steps: Vec<ShownStep> = Vec::new();
    let mut rolled = String::new();
    for word in record.moves.split_whitespace() {
        match (is_card(word), steps.last_mut()) {
            (true, Some(step)) => {
                let drawn = step.card.iter().map(String::as_str).chain([word]);
                step.card = Some(drawn.collect::<Vec<_>>().join(" "));
            }
            (true, None) => rolled += &format!("{word} "),
            (false, _) => {
                let turn = turns.next().flatten();
                steps.push(ShownStep {
                    seat: turn.and_then(|turn| u8::try_from(turn.seat.checked_sub(1)?).ok()),
                    mv: std::mem::take(&mut rolled) + word,
                    ..ShownStep::reported(turn)
                });
            }
        }
    }
    Positions { steps, ..Positions::without_facts(record.seats.len()) }
}

/// Number of worst moves to mark.
const MARKED: usize = 5;

#[derive(Clone, Debug, Serialize)]
pub struct GameReview {
    /// Share of each seat where the review begins.
    start: Vec<f64>,
    /// Sums of each seat: the numbers of [`SeatSums`](matches::review::SeatSums).
    sums: Vec<[f64; 7]>,
    /// Plies of the worst moves, the worst first.
    worst: Vec<usize>,
}

/// Review of a move and its card. There are many, so the keys are short.
#[derive(Clone, Debug, Serialize)]
pub struct StepReview {
    /// Loss of the move, and the better move.
    #[serde(rename = "l", skip_serializing_if = "is_zero")]
    loss: f64,
    #[serde(rename = "b", skip_serializing_if = "Option::is_none")]
    better: Option<String>,
    /// Luck of the cards for each seat.
    #[serde(rename = "u", skip_serializing_if = "Vec::is_empty")]
    luck: Vec<f64>,
    /// Share of each seat after the move and its cards.
    #[serde(rename = "v")]
    values: Vec<f64>,
}

impl GameReview {
    pub fn of(review: &Review) -> GameReview {
        let worst =
            review.worst(MARKED).into_iter().filter(|reviewed| !is_zero(&rounded(reviewed.loss)));
        GameReview {
            start: rounded_all(&review.start),
            sums: review.sums().iter().map(|sums| sums.numbers().map(rounded)).collect(),
            worst: worst.map(|reviewed| reviewed.ply).collect(),
        }
    }
}

impl StepReview {
    pub fn of(reviewed: &ReviewedMove) -> StepReview {
        let is_best = reviewed.best == reviewed.mv;
        StepReview {
            loss: rounded(reviewed.loss),
            better: (!is_best).then(|| reviewed.best.clone()),
            luck: if reviewed.cards.is_empty() {
                Vec::new()
            } else {
                rounded_all(&reviewed.luck())
            },
            values: rounded_all(&reviewed.after),
        }
    }
}

/// Rounds to one decimal, the precision of the page.
fn rounded(number: f64) -> f64 {
    (number * 10.0).round() / 10.0 + 0.0
}

fn rounded_all(numbers: &[f64]) -> Vec<f64> {
    numbers.iter().copied().map(rounded).collect()
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_may_grow_and_shrink() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let changed = |before, after| changed_lines(&lines(before), &lines(after));
        let some = |line: &str| Some(line.to_string());
        assert_eq!(changed("a\nb\nc", "a\nx\nc"), [(1, some("x"))]);
        assert_eq!(changed("a", "b\n\nc"), [(0, some("b")), (1, some("")), (2, some("c"))]);
        assert_eq!(changed("a\nb\nc", "a"), [(1, None), (2, None)]);
        assert!(changed("a\nb", "a\nb").is_empty());
    }
}
