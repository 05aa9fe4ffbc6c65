//! Who plays: a net that takes what is best at first sight, or the engine's own search with that net.

use std::sync::Arc;

use buxtehude::eval::net::{Net, Weights};
use buxtehude::eval::{CERTAIN, Evaluate, Evaluators};
use buxtehude::rules::hase::{Move, Position, Ruleset};
use buxtehude::rules::{AnyPosition, Game, MAX_SEATS, Seat};
use buxtehude::search::{Control, MAX_DEPTH, Memory, Request, search};
use rand::{Rng, RngExt};

use crate::openings::start;
use crate::self_play::chance;

/// The expected number of rivals that each seat finishes before, from now on.
pub type Wins = [f32; MAX_SEATS];

/// The memory of a search, in mebibytes: more than a search of some hundred positions fills.
const MEMORY: usize = 1;

/// A net, and how it looks for moves.
#[derive(Debug)]
pub struct Player {
    net: Arc<Net>,
    search: Option<Search>,
}

#[derive(Debug)]
struct Search {
    memory: Memory,
    nodes: u64,
}

impl Player {
    /// A player with these weights, whose searches visit so many positions for a move; with 0 it looks no further than
    /// at first sight.
    pub fn new(ruleset: &'static Ruleset, weights: &Weights, nodes: u64) -> Player {
        // The net at first sight is the one that the search evaluates by.
        let evaluators = Evaluators::default();
        evaluators.use_weights(Some(weights.clone()));
        Player {
            net: start(ruleset, weights.seats).evaluator(&evaluators),
            search: (nodes > 0).then(|| Search {
                memory: Memory::with_evaluators(MEMORY, evaluators),
                nodes,
            }),
        }
    }

    /// Number of seats.
    pub fn seats(&self) -> usize {
        self.net.seats()
    }

    /// Begins a game: what the searches of another left is forgotten.
    pub fn begin(&mut self) {
        if let Some(search) = &mut self.search {
            search.memory.forget();
        }
    }

    /// The move of the search, or without one a move at first sight; see [`Player::at_first_sight`].
    pub fn chosen(
        &mut self,
        position: &Position,
        seat: Seat,
        temperature: f32,
        random: &mut impl Rng,
    ) -> Move {
        match self.searched(position) {
            Some((mv, _)) => mv,
            None => self.at_first_sight(position, seat, temperature, random),
        }
    }

    /// The move of the search, and what the search expects; `None` without a search.
    pub fn searched(&mut self, position: &Position) -> Option<(Move, Wins)> {
        let Search { memory, nodes } = self.search.as_mut()?;
        let mut request = Request::new(AnyPosition::Hase(*position), MAX_DEPTH);
        request.nodes = *nodes;
        let answer = search(&request, memory, &Control::new(None), &mut |_| ())?;
        let mv = position
            .legal_moves()
            .find(|mv| mv.to_string() == answer.best)?;
        let rivals = (position.seats() - 1) as f32;
        let wins = |lead| (lead as f32 / CERTAIN as f32 + rivals) / 2.0;
        Some((mv, answer.value.leads.map(wins)))
    }

    /// A move that is best at first sight, or nearly so: one that is worth `temperature` of a seat's par less is taken
    /// e times less often.
    ///
    /// # Panics
    /// Unless a seat is to move.
    pub fn at_first_sight(
        &self,
        position: &Position,
        seat: Seat,
        temperature: f32,
        random: &mut impl Rng,
    ) -> Move {
        let mut moves = position.legal_moves();
        let mut best = moves.next().expect("a seat to move has a move");
        if moves.is_empty() {
            return best;
        }
        // The largest of shares with Gumbel noise is each with the probability that a softmax gives it.
        let scale = temperature * (position.seats() - 1) as f32;
        let mut most = f32::NEG_INFINITY;
        for mv in position.legal_moves() {
            let next = position.play_unchecked(mv);
            let uniform: f32 = random.random_range(f32::MIN_POSITIVE..1.0);
            let noise = -scale * (-uniform.ln()).ln();
            let value = self.wins(&next, seat) + noise;
            if value > most {
                most = value;
                best = mv;
            }
        }
        best
    }

    /// The expected number of rivals that a seat finishes before, at first sight.
    pub fn wins(&self, position: &Position, seat: Seat) -> f32 {
        if let Some(place) = position.place(seat) {
            return (position.seats() - place) as f32;
        }
        let strengths = self.net.strengths(position);
        let own = strengths[seat.index()];
        (0..position.seats() as u8)
            .map(Seat)
            .filter(|&rival| rival != seat && position.place(rival).is_none())
            .map(|rival| chance(own - strengths[rival.index()]))
            .sum()
    }
}
