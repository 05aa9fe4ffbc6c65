//! Judgement of one game, move by move.

use buxtehude::rules::{Turn, Variant};
use serde::Serialize;

use super::CostError;
use matches::archive::replay::Flaw;
use matches::judge::{Judge, Question};
use matches::plan::Opening;
use matches::record::GameRecord;

/// A judged game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JudgedGame {
    /// Names of the engines, in seat order.
    pub seats: Vec<String>,
    /// The moves for which an engine had a choice, in order.
    pub moves: Vec<JudgedMove>,
}

/// A judged move.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct JudgedMove {
    /// Number of the game.
    pub game: u64,
    /// Number of the move in the game, from 1; opening moves count, cards do not.
    pub ply: usize,
    /// Seat that moved, from 1.
    pub seat: usize,
    /// Name of the engine in this seat.
    pub engine: String,
    /// Position before the move.
    pub position: String,
    pub played: String,
    /// Move that the judge prefers.
    pub best: String,
    /// Loss of the seat's expectation by this move, in permille of all points.
    pub cost: u16,
}

/// Judges a game; calls `on_turn` after each turn of an engine.
pub fn judge_game(
    judge: &mut Judge<'_>,
    record: &GameRecord,
    on_turn: &mut dyn FnMut(),
) -> Result<JudgedGame, CostError> {
    let wrong = |flaw: Flaw| CostError::Game {
        game: record.game,
        flaw,
    };
    let variant = Variant::by_name(&record.variant).map_err(|reason| wrong(reason.into()))?;
    let mut position = variant
        .parse(&record.start)
        .map_err(|reason| wrong(reason.into()))?;
    let seats = position.seats();
    let is_usual = variant.start(seats).is_ok_and(|start| start == position);
    let mut so_far = Opening {
        start: (!is_usual).then(|| record.start.clone()),
        moves: Vec::new(),
    };
    let opening = record.opening_plies();
    judge.begin(variant, &format!("game {}", record.game))?;
    let mut moves = Vec::new();
    let mut ply = 0;
    for (index, word) in record.moves.split_whitespace().enumerate() {
        if let Turn::Seat(mover) = position.turn() {
            ply += 1;
            if ply > opening {
                let question = Question {
                    line: &so_far.line(seats),
                    position: &position,
                    mover,
                };
                if let Some((best, cost)) = cost_of(judge, question, word)? {
                    let engine = record.seats.get(mover.index());
                    moves.push(JudgedMove {
                        game: record.game,
                        ply,
                        seat: mover.index() + 1,
                        engine: engine.cloned().unwrap_or_default(),
                        position: position.to_string(),
                        played: word.to_string(),
                        best,
                        cost,
                    });
                }
                on_turn();
            }
        }
        position.play(word).map_err(|reason| {
            let number = index + 1;
            wrong(Flaw::Action { number, reason })
        })?;
        so_far.moves.push(word.to_string());
    }
    Ok(JudgedGame {
        seats: record.seats.clone(),
        moves,
    })
}

/// The move that the judge prefers and the cost of the played one, or `None` if only one action is legal.
fn cost_of(
    judge: &mut Judge<'_>,
    question: Question<'_>,
    played: &str,
) -> Result<Option<(String, u16)>, CostError> {
    if question.position.legal_actions().len() < 2 {
        return Ok(None);
    }
    let (best, _) = judge.verdict(question)?;
    if best == played {
        return Ok(Some((best, 0)));
    }
    let shares = judge.compare(question, [&best, played])?;
    let of_mover = |shares: Vec<u16>| shares.get(question.mover.index()).copied().unwrap_or(0);
    let [after_best, after_played] = shares.map(of_mover);
    Ok(Some((best, after_best.saturating_sub(after_played))))
}
