//! The search: iterative deepening over any game that can be evaluated. Our own is a tree search (PUCT) over expected
//! shares, for any number of seats; two seats may be searched by alpha-beta as well. In [`article`] are those of the
//! articles. A solved game needs none.
//!
//! The search has no mouth. It takes a [`Request`], asks a [`Control`] whether to go on, hands each
//! completed iteration to an observer as a [`Report`], and returns an [`Answer`]. It reads the clock only
//! where its budget is one of time.

mod alpha_beta;
pub mod article;
mod chance;
mod control;
mod deepening;
mod memory;
mod order;
mod perfect;
mod preset;
mod principal_variation;
mod progress;
mod puct;
mod star;
mod strength;
mod table;
mod team;
mod tree;
mod visits;

use std::fmt::Display;

use crate::eval::{Evaluate, Evaluators, Judge, Noise, Vector};
use crate::rules::{AnyPosition, Game, Seat};

pub use control::Control;
pub use memory::Memory;
pub use preset::{ArticleSettings, Preset, search};
pub use progress::Past;
use progress::with_progress;
pub use strength::{LEVELS, Level, Strength};
use table::Table;

/// The deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 96;

/// What to search.
#[derive(Clone, Debug)]
pub struct Request {
    /// The position; a seat is to move.
    pub position: AnyPosition,
    /// The positions that the game has been through.
    pub past: Vec<Past>,
    /// The only moves to consider at the root, all legal; empty for all.
    pub searchmoves: Vec<String>,
    /// The deepest iteration, from 1.
    pub depth: u32,
    /// Positions to visit at most.
    pub nodes: u64,
    /// How many of the best moves to report, from 1.
    pub multipv: usize,
    /// The way of playing.
    pub preset: Preset,
    /// What the seat that moves is after.
    pub aim: Aim,
    /// How much our search errs about each position; see [`Noise::size`].
    pub noise: i32,
}

/// What a seat is after.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// As large a share of the points as possible.
    #[default]
    Placement,
    /// The first place, and of lines with the same chance of it the one with the larger share.
    Win,
}

impl Request {
    /// To search a position to a depth by the default preset, with nothing else asked for: all moves, no
    /// limit of positions, the best line alone, and no past.
    pub fn new(position: AnyPosition, depth: u32) -> Request {
        Request {
            position,
            past: Vec::new(),
            searchmoves: Vec::new(),
            depth,
            nodes: u64::MAX,
            multipv: 1,
            preset: Preset::Default,
            aim: Aim::default(),
            noise: 0,
        }
    }

    /// What judges positions for our search. Its errors depend on how the game began and on who moves, so that they
    /// stay the same for a seat as long as the game lasts, and each seat has its own.
    fn judge<G: Evaluate>(&self, position: &G, evaluators: &Evaluators) -> Judge<G> {
        let start = self.past.first().map_or(position.key(), |past| past.key);
        let seat = position.turn().seat().map_or(0, |seat| seat.0);
        let noise = Noise {
            size: self.noise,
            seed: start.rotate_left(8 * u32::from(seat)),
        };
        Judge::new(position, evaluators, noise)
    }

    /// Whether a legal move is to be considered at the root.
    fn asks_for<M: Display>(&self, mv: M) -> bool {
        self.searchmoves.is_empty() || self.searchmoves.contains(&mv.to_string())
    }

    /// The legal moves that are asked for.
    fn asked<G: Game>(&self, position: &G) -> Vec<G::Move> {
        let legal = position.legal_moves();
        legal.filter(|mv| self.asks_for(*mv)).collect()
    }

    /// Those of them that our own search considers.
    fn considered<G: Game>(&self, position: &G, mover: Seat) -> Vec<G::Move> {
        with_progress(position, mover, self.asked(position), &self.past)
    }

    /// The deepest iteration for so many moves at the root: where nothing is to be chosen, time is better kept.
    fn deepest(&self, moves: usize, control: &Control) -> u32 {
        if moves == 1 && control.is_timed() {
            1
        } else {
            self.depth.min(MAX_DEPTH)
        }
    }
}

/// A root move with its value and principal variation, as far as it is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Plies searched in full.
    pub depth: u32,
    /// The deepest ply reached.
    pub seldepth: u32,
    /// The rank of this move among the best, from 1.
    pub multipv: usize,
    /// The value of the move.
    pub value: Value,
    /// What it is worth to each seat in hundredths, where the search is one for such vectors.
    pub worth: Vec<i32>,
    /// Positions visited since the search began.
    pub nodes: u64,
    /// Permille of the transposition table in use.
    pub hashfull: u16,
    /// The principal variation, the root move first.
    pub pv: Vec<String>,
}

/// What a search is worth to the seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Each seat's summed lead, as [`expected_leads`](crate::eval::expected_leads) has it.
    pub leads: Vector,
    /// Own moves of the root's mover until its place is certain, whatever the cards: positive for the
    /// best place still open, negative for the last one, 0 where neither is certain.
    pub mate: i32,
}

/// What a search ends with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The best move.
    pub best: String,
    /// The reply expected, in a game of two seats where the rival moves after `best`.
    pub ponder: Option<String>,
    /// The value of `best`.
    pub value: Value,
    /// Positions visited.
    pub nodes: u64,
    /// Whether no search could better it: there was no choice, or the game is solved.
    pub is_final: bool,
}

impl Answer {
    /// The answer that begins with the first move of `line`, which has at least one.
    fn of_line<G: Game>(position: &G, line: &[G::Move], value: Value, nodes: u64) -> Answer {
        let next = position.play_unchecked(line[0]).turn().mover();
        let is_rival = next.is_some() && next != position.turn().mover();
        let expected = line.get(1).filter(|_| is_rival && position.seats() == 2);
        Answer {
            best: line[0].to_string(),
            ponder: expected.map(G::Move::to_string),
            value,
            nodes,
            is_final: position.legal_moves().len() == 1,
        }
    }
}
