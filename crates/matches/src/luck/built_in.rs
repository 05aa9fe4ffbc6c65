//! The built-in engine as an evaluator, in this process.

use std::convert::Infallible;

use buxtehude::eval::{CERTAIN, Evaluators};
use buxtehude::rules::{AnyPosition, Turn, Variant};
use buxtehude::search::{Answer, Control, MAX_DEPTH, Memory, Request, search};

use super::DIGITS;
use crate::judge::Question;
use crate::plan::binary::hash_bytes;
use crate::review::{Appraisal, Appraise};

/// First word of an identity.
pub(super) const NAME: &str = "built-in";

/// Size of the search memory; a few hundred nodes need no more.
const MEBIBYTES: usize = 1;

/// Number of plies of the game whose values identify the evaluator.
const SIGNED_PLIES: usize = 12;

/// The built-in engine with a budget for each value. The value of a position depends on nothing else.
#[derive(Debug)]
pub struct BuiltIn {
    nodes: u64,
    memory: Memory,
}

impl BuiltIn {
    /// Creates an evaluator that visits `nodes` positions for each value, at least 1.
    pub fn new(nodes: u64) -> BuiltIn {
        BuiltIn::sharing(nodes, Evaluators::default())
    }

    /// [`BuiltIn::new`] with shared tables.
    pub(super) fn sharing(nodes: u64, tables: Evaluators) -> BuiltIn {
        BuiltIn { nodes, memory: Memory::for_threads(1, MEBIBYTES, tables) }
    }

    /// Returns the budget with a hash of the values in a fixed game, which changes with the search and the net.
    pub fn identity(&mut self, variant: &Variant, seats: usize) -> String {
        let mut values = Vec::new();
        // A number of seats that the variant does not allow has no values.
        let mut position = variant.start(seats).ok();
        for _ in 0..SIGNED_PLIES {
            let Some(open) = position.as_mut() else {
                break;
            };
            let word = match open.turn() {
                Turn::Seat(_) => self.search(open).map(|answer| {
                    for lead in answer.value.leads {
                        values.extend(lead.to_le_bytes());
                    }
                    answer.best
                }),
                Turn::Card(_) => open.outcomes().into_iter().next().map(|(card, _)| card),
                Turn::Over => None,
            };
            // Cannot fail: the word is legal.
            let played = word.is_some_and(|word| open.play(&word).is_ok());
            position = position.filter(|_| played);
        }
        let mut hash = hash_bytes(&values);
        hash.truncate(DIGITS);
        format!("{NAME} {hash} nodes={}", self.nodes)
    }

    /// Returns the budget in an identity; `None` if it is not an identity of the built-in engine.
    pub(super) fn nodes_in(identity: &str) -> Option<u64> {
        let (_, nodes) = identity.strip_prefix(NAME)?.split_once("nodes=")?;
        nodes.parse().ok().filter(|&nodes| nodes > 0)
    }

    fn search(&mut self, position: &AnyPosition) -> Option<Answer> {
        self.memory.forget();
        let request = Request { nodes: self.nodes, ..Request::new(*position, MAX_DEPTH) };
        search(&request, &mut self.memory, &Control::new(None), &mut |_| {})
    }
}

impl Appraise for BuiltIn {
    type Error = Infallible;

    fn appraise(&mut self, question: Question<'_>) -> Result<Appraisal, Infallible> {
        let seats = question.position.seats();
        let answer = question.position.built_in();
        // There is always an answer, because a seat is to move in a game that the engine plays.
        let Some(answer) = answer.and_then(|position| self.search(position)) else {
            let shares = vec![1.0; seats];
            let best = String::new();
            return Ok(Appraisal { shares, best });
        };
        let lowest = (seats as i32 - 1) * CERTAIN;
        let leads = answer.value.leads.iter().take(seats);
        // Shares are scaled to their sum.
        let shares = leads.map(|lead| f64::from((lead + lowest).max(0)));
        Ok(Appraisal { shares: shares.collect(), best: answer.best })
    }
}
