//! The search, over any game that can be evaluated: with two seats alpha-beta with iterative deepening, with more a
//! tree search (PUCT) over the expected shares of all seats. The [`crate::articles`] have searches of their own.
//! A solved game needs none.
//!
//! The search does no input or output. It takes a [`Request`], polls a [`Control`], passes each completed iteration to
//! an observer as a [`Report`], and returns an [`Answer`]. It reads the clock only if it has a time budget.
//!
//! # Examples
//! The two best moves, and the expected share of each seat after every iteration:
//! ```
//! use buxtehude::rules::Variant;
//! use buxtehude::search::{Control, Memory, Request, search};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let position = Variant::by_name("hase-und-igel")?.start(3)?;
//! let request = Request { multipv: 2, ..Request::new(position, 4) };
//! let (mut memory, control) = (Memory::new(16), Control::new(None));
//! let mut lines = Vec::new();
//! let answer = search(&request, &mut memory, &control, &mut |report| {
//!     lines.push((report.depth, report.multipv, report.pv[0].clone(), report.value.shares()));
//! });
//! assert_eq!(lines.len(), 2 * 4);
//! assert!(answer.is_some_and(|answer| position.legal_actions().contains(&answer.best)));
//! # Ok(())
//! # }
//! ```

mod alpha_beta;
mod goal;
mod limits;
mod memory;
mod puct;
mod star;
mod strength;

use std::fmt::Display;

use crate::articles::{self, ArticleSettings};
use crate::eval::{self, Evaluate, Evaluators, Judge, Noise, Vector};
use crate::rules::{AnyPosition, Game, Seat, Turn, with_position};

pub(crate) use alpha_beta::PrincipalVariation;
pub(crate) use limits::Visits;
pub use limits::{Control, Limits, MoverClock, TimeBudget};
pub use memory::Memory;
pub use strength::{Foresight, LEVELS, Level, Strength};

/// Deepest iteration, in plies.
pub const MAX_DEPTH: u32 = 96;

/// Searches until the requested depth or number of nodes is reached, nothing is left to search, or `control` stops it.
/// An answer is available from the beginning.
///
/// # Returns
/// `None` if no seat is to move, or none of the requested moves is legal.
pub fn search(
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    if let Preset::Article(settings) = &request.preset
        && let Some(answer) = articles::search(request, settings, control, observe)
    {
        return Some(answer);
    }
    with_position!(&request.position, position => {
        search_in(position, request, memory, control, observe)
    })
}

fn search_in<G: Evaluate>(
    position: &G,
    request: &Request,
    memory: &mut Memory,
    control: &Control,
    observe: &mut dyn FnMut(Report),
) -> Option<Answer> {
    let is_solved = position.solved().is_some();
    let uses_alpha_beta = match request.preset {
        Preset::AlphaBeta => true,
        Preset::Tree => false,
        // At a weaker level, alpha-beta would seek out the largest errors, which a tree evens out.
        Preset::Best | Preset::Article(_) => {
            !is_solved && position.seats() == 2 && request.strength == Strength::FULL
        }
    };
    if uses_alpha_beta {
        alpha_beta::search(position, request, memory, control, observe)
    } else if !is_solved {
        puct::search(position, request, memory, control, observe)
    } else if request.strength.solved == Foresight::PERFECT {
        strength::search_perfectly(position, request, observe)
    } else {
        strength::search_by_foresight(position, request, &memory.evaluators, observe)
    }
}

/// A way of playing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Preset {
    /// Our own way: the table of results if the game is solved. Otherwise alpha-beta with two seats at full strength,
    /// and else the tree search.
    #[default]
    Best,
    /// The table of results if the game is solved, otherwise the tree search for any number of seats.
    Tree,
    /// Alpha-beta with iterative deepening, even if the game is solved. It is paranoid with three or more seats.
    AlphaBeta,
    /// The way of the article about the game; [`Preset::Best`] if there is none.
    Article(ArticleSettings),
}

/// Request to search a position.
#[derive(Clone, Debug)]
pub struct Request {
    /// Position to search, with a seat to move.
    pub position: AnyPosition,
    /// Past positions of the game.
    pub past: Vec<Past>,
    /// Root moves to consider, all legal; empty for all.
    pub searchmoves: Vec<String>,
    /// Deepest iteration, from 1.
    pub depth: u32,
    /// Largest number of positions to visit, as in [`Limits::nodes`]; the strength may allow fewer.
    pub nodes: u64,
    /// Number of best moves to report, from 1.
    pub multipv: usize,
    /// Way of playing.
    pub preset: Preset,
    /// Aim of the seat to move.
    pub aim: Aim,
    /// Playing strength of our own search.
    pub strength: Strength,
}

/// Aim of a seat.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aim {
    /// The largest possible share of the points.
    #[default]
    Placement,
    /// First place; the share only decides between lines with the same chance of it.
    Win,
}

impl Request {
    /// Requests a search to a depth with the default preset and default values: all moves, no node limit, only the best
    /// line, and no past.
    pub fn new(position: AnyPosition, depth: u32) -> Request {
        Request {
            position,
            past: Vec::new(),
            searchmoves: Vec::new(),
            depth,
            nodes: u64::MAX,
            multipv: 1,
            preset: Preset::Best,
            aim: Aim::default(),
            strength: Strength::FULL,
        }
    }

    /// Evaluator of the tree and alpha-beta searches. Its errors depend on the start of the game and on the seat, so
    /// that a seat makes the same errors throughout a game, and each seat makes different ones.
    fn judge<G: Evaluate>(&self, position: &G, evaluators: &Evaluators) -> Judge<G> {
        let start = self.past.first().map_or(position.key(), |past| past.key);
        let seat = position.turn().seat().map_or(0, |seat| seat.0);
        let noise =
            Noise { size: self.strength.noise, seed: start.rotate_left(8 * u32::from(seat)) };
        Judge::new(position, evaluators, noise)
    }

    /// `true` if a legal move is among those requested.
    fn asks_for<M: Display>(&self, mv: M) -> bool {
        self.searchmoves.is_empty() || self.searchmoves.contains(&mv.to_string())
    }

    /// Legal moves among those requested.
    pub(crate) fn asked<G: Game>(&self, position: &G) -> Vec<G::Move> {
        let legal = position.legal_moves();
        legal.filter(|mv| self.asks_for(*mv)).collect()
    }

    /// Requested moves that our own search considers.
    fn considered<G: Game>(&self, position: &G, mover: Seat) -> Vec<G::Move> {
        with_progress(position, mover, self.asked(position), &self.past)
    }

    /// Deepest iteration for this number of root moves: 1 for a single move with a clock, to save time.
    pub(crate) fn deepest(&self, moves: usize, control: &Control) -> u32 {
        if moves == 1 && control.is_timed() { 1 } else { self.depth.min(MAX_DEPTH) }
    }
}

/// A root move with its value and principal variation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Report {
    /// Plies searched in full.
    pub depth: u32,
    /// Deepest ply reached.
    pub seldepth: u32,
    /// Rank of this move, from 1 for the best.
    pub multipv: usize,
    /// The value of the move.
    pub value: Value,
    /// Value to each seat in hundredths, from a vector search; otherwise empty.
    pub worth: Vec<i32>,
    /// Positions visited since the search began.
    pub nodes: u64,
    /// Used part of the transposition table, in permille.
    pub hashfull: u16,
    /// Principal variation, from the root move.
    pub pv: Vec<String>,
}

/// Value of a search to all seats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Value {
    /// Summed lead of each seat, as in [`expected_leads`](crate::eval::expected_leads).
    pub leads: Vector,
    /// Number of moves of the root's mover until its place is certain, whatever the cards: positive for the best place
    /// still open, negative for the last place, 0 if neither is certain.
    pub mate: i32,
    /// Number of seats.
    pub seats: usize,
}

impl Value {
    /// Expected share of the points of each seat, in permille; see [`shares`](eval::shares).
    pub fn shares(&self) -> Vec<u16> {
        eval::shares(&self.leads[..self.seats])
    }
}

/// Final result of a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The best move.
    pub best: String,
    /// Expected reply, in a two-seat game if the rival moves after `best`.
    pub ponder: Option<String>,
    /// The value of `best`.
    pub value: Value,
    /// Positions visited.
    pub nodes: u64,
    /// `true` if no further search could improve it: there was no choice, or the game is solved.
    pub is_final: bool,
}

impl Answer {
    /// Expected share of the points of each seat after [`Answer::best`], in permille; see [`shares`](eval::shares).
    pub fn shares(&self) -> Vec<u16> {
        self.value.shares()
    }

    /// Answer that begins with the first move of `line`, which must not be empty.
    pub(crate) fn of_line<G: Game>(
        position: &G,
        line: &[G::Move],
        value: Value,
        nodes: u64,
    ) -> Answer {
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

/// Number of own turns without coming nearer home than ever before, after which a seat becomes impatient.
const MAX_IDLE_TURNS: usize = 4;

/// A past position of the game, before a seat's move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Past {
    /// Key of the position.
    pub key: u64,
    /// The seat that moved.
    pub mover: Seat,
    /// Number of turns that the mover would have needed home alone; `None` if the game has no such measure.
    pub turns_home: Option<u32>,
}

impl Past {
    /// The entry for `position`; `None` unless a seat is to move.
    ///
    /// [`CurrentGame::play`](crate::CurrentGame::play) collects it move by move.
    pub fn of(position: &AnyPosition) -> Option<Past> {
        let mover = position.turn().mover()?;
        Some(Past { key: position.key(), mover, turns_home: position.turns_home(mover) })
    }
}

/// Restricts `moves` to those that make progress; if there are none, returns all.
///
/// The rules do not limit the length of a game, so an engine that shuffles could do so for ever. The engine looks at
/// the past positions of the game and restricts the moves at the root, and only there:
/// - It avoids a move that repeats a position of the game, as long as there is another move.
/// - If a seat has not come nearer home than ever before for [`MAX_IDLE_TURNS`] turns of its own, it plays a move that
///   brings it nearer home than it is now, if there is one. The distance is the number of turns that it would need if
///   it were alone ([`Game::turns_home`]).
///
/// Each time that happens, the seat goes home move by move until it is nearer than ever before. That happens at most
/// once for each turn of the way home, so no shuffling lasts for ever.
fn with_progress<G: Game>(
    position: &G,
    mover: Seat,
    moves: Vec<G::Move>,
    past: &[Past],
) -> Vec<G::Move> {
    let is_new = |mv: &G::Move| {
        let key = position.play_unchecked(*mv).key();
        past.iter().all(|past| past.key != key)
    };
    let moves = narrowed(moves, is_new);
    match position.turns_home(mover) {
        Some(now) if is_impatient(mover, now, past) => narrowed(moves, |mv| {
            let next = position.play_unchecked(*mv);
            let is_certain = !matches!(next.turn(), Turn::Card(_));
            is_certain && next.turns_home(mover).is_some_and(|then| then < now)
        }),
        _ => moves,
    }
}

/// Returns the moves that satisfy `is_wanted`, or all if none does.
fn narrowed<M: Copy>(moves: Vec<M>, is_wanted: impl Fn(&M) -> bool) -> Vec<M> {
    let wanted: Vec<M> = moves.iter().copied().filter(is_wanted).collect();
    if wanted.is_empty() { moves } else { wanted }
}

/// `true` if a seat, now `now` turns from home, was already at least as near before its last turns.
fn is_impatient(mover: Seat, now: u32, past: &[Past]) -> bool {
    let own = past.iter().filter(|past| past.mover == mover);
    let way: Vec<u32> = own.filter_map(|past| past.turns_home).collect();
    let Some(long_ago) = way.len().checked_sub(MAX_IDLE_TURNS) else {
        return false;
    };
    let nearest = |turns: &[u32]| turns.iter().copied().min();
    let lately = nearest(&way[long_ago + 1..]).unwrap_or(now).min(now);
    nearest(&way[..=long_ago]).is_some_and(|before| before <= lately)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::hase::{HASE_UND_IGEL, Move, Position};

    fn position(text: &str) -> Position {
        Position::parse(&HASE_UND_IGEL, text).unwrap()
    }

    fn past(turns_home: &[u32]) -> Vec<Past> {
        let own = turns_home.iter().enumerate().map(|(index, &turns)| Past {
            key: index as u64,
            mover: Seat(0),
            turns_home: Some(turns),
        });
        own.collect()
    }

    #[test]
    fn a_position_does_not_come_back_where_there_is_a_choice() {
        let here = position("26,40,3/12,60,3 1 - -");
        let moves: Vec<Move> = here.legal_moves().collect();
        assert!(moves.contains(&Move::TAKE));
        let key = here.play_unchecked(Move::TAKE).key();
        let past = [Past { key, mover: Seat(0), turns_home: None }];
        let left = with_progress(&here, Seat(0), moves.clone(), &past);
        assert_eq!(left.len(), moves.len() - 1);
        assert!(!left.contains(&Move::TAKE));
        assert_eq!(with_progress(&here, Seat(0), vec![Move::TAKE], &past), [Move::TAKE]);
    }

    #[test]
    fn patience_ends_when_nothing_was_gained_for_many_turns() {
        let waits = |seat, now, turns: &[u32]| !is_impatient(Seat(seat), now, &past(turns));
        let mut stuck = vec![8; MAX_IDLE_TURNS];
        stuck[0] = 7;
        assert!(!waits(0, 7, &stuck));
        assert!(waits(0, 6, &stuck), "it is nearer than ever before");
        assert!(waits(0, 7, &stuck[1..]), "it has not waited long enough");
        assert!(waits(1, 7, &stuck), "others have waited");
        let slow: Vec<u32> = (0..20).map(|turn| 20 - turn / 3).collect();
        assert!(waits(0, 13, &slow), "it comes nearer slowly");
    }

    #[test]
    fn an_impatient_seat_goes_home() {
        let here = position("59,39,0/12,60,3 1 - -");
        let now = here.turns_home(Seat(0)).unwrap();
        let moves = here.legal_moves().collect();
        let left = with_progress(&here, Seat(0), moves, &past(&[now; MAX_IDLE_TURNS]));
        assert!(!left.is_empty());
        for mv in left {
            let then = here.play_unchecked(mv).turns_home(Seat(0)).unwrap();
            assert!(then < now, "{mv} leads from {now} to {then}\n{here:?}");
        }
    }
}
