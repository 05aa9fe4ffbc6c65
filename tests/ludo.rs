//! A small game of dice for tests, which is not offered to users. It shows what a game needs: this file, and a `mod`
//! line and a row in `src/rules.rs`. A game for users has its evaluation in `src/eval` and its
//! pictures in `src/pictures`, each with a `mod` line.
//!
//! Each of two to four seats has two pawns on the way from square 0 to the goal. Before each move the mover rolls a
//! die, and one of its pawns advances by that number; steps beyond the goal are lost. A rival's pawn on the square that
//! it reaches, between start and goal, goes back to the start. A seat with both pawns in the goal has finished. Places
//! are taken in that order, and the last seat gets the last place.
//!
//! A move is `p0` to `p20`, by the pawn's square; a roll is `+1` to `+6`. A position is, for example, `0,3/5,21 1 4 -`:
//! the pawns of each seat, the turn, the roll or `-`, and the seats that have finished, in order, or `-`.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::str::FromStr;
use std::sync::Arc;
use std::{array, fmt, iter};

use thiserror::Error;

use super::{Game, PositionError, Seat, Turn, joined, seat_number, whole_number};
use crate::eval::{self, Evaluate, Evaluator, Evaluators, STRENGTH_UNIT};
use crate::pictures::{Board, Draw, Fact, Layout, MovePreview, Piece, Scene, SquareKind};

/// Goal square of the pawns.
pub const GOAL: u8 = 21;

/// Pawns per seat.
pub const PAWNS: usize = 2;

const MAX_SEATS: usize = 4;
const FACES: u8 = 6;

/// A position.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Squares of each seat's pawns, the rear one first.
    pawns: [[u8; PAWNS]; MAX_SEATS],
    /// Place of each seat, or 0 while it is open.
    places: [u8; MAX_SEATS],
    seats: u8,
    mover: u8,
    /// Roll for the next move, or 0 if a roll is due.
    roll: u8,
}

/// The rule that a move breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// No move is due.
    #[error("no move is due: expected a roll, or the game is over")]
    NotDue,
    /// The square has no pawn that can move.
    #[error("seat {seat} has no pawn on square {square} that is not home")]
    NoPawn {
        /// Seat to move.
        seat: Seat,
        /// The square.
        square: u8,
    },
}

/// No roll is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no roll is due")]
pub struct IllegalRoll;

impl Position {
    /// Squares of a seat's pawns, the rear one first.
    pub fn pawns(&self, seat: Seat) -> [u8; PAWNS] {
        self.pawns[seat.index()]
    }

    fn is_over(&self) -> bool {
        self.places[..self.seats()].iter().all(|&place| place > 0)
    }

    fn next_place(&self) -> u8 {
        1 + self.places.iter().filter(|&&place| place > 0).count() as u8
    }

    /// Gives the mover its place if it is home, and the last place to the only seat left.
    fn take_places(&mut self) {
        if self.pawns[usize::from(self.mover)] == [GOAL; PAWNS] {
            self.places[usize::from(self.mover)] = self.next_place();
        }
        let seats = self.seats();
        let mut open = self.places[..seats].iter_mut().filter(|place| **place == 0);
        if let (Some(last), None) = (open.next(), open.next()) {
            *last = self.seats;
        }
    }

    fn pass_turn(&mut self) {
        self.roll = 0;
        let next = (1..=self.seats).map(|step| (self.mover + step) % self.seats);
        let mut open = next.filter(|&seat| self.places[usize::from(seat)] == 0);
        self.mover = open.next().unwrap_or(self.mover);
    }
}

impl Game for Position {
    type Rules = ();
    type Move = Move;
    type Card = Die;
    type Moves = Moves;
    type Outcomes = iter::Map<Range<u8>, fn(u8) -> (Die, u32)>;
    type IllegalMove = IllegalMove;
    type IllegalCard = IllegalRoll;

    const HAS_CARDS: bool = true;

    fn start(_: &'static (), seats: usize) -> Option<Position> {
        (2..=MAX_SEATS).contains(&seats).then_some(Position {
            pawns: [[0; PAWNS]; MAX_SEATS],
            places: [0; MAX_SEATS],
            seats: seats as u8,
            mover: 0,
            roll: 0,
        })
    }

    fn parse(_: &'static (), text: &str) -> Result<Position, PositionError> {
        parse(text)
    }

    fn seats(&self) -> usize {
        usize::from(self.seats)
    }

    fn turn(&self) -> Turn {
        if self.is_over() {
            Turn::Over
        } else if self.roll == 0 {
            Turn::Card(Seat(self.mover))
        } else {
            Turn::Seat(Seat(self.mover))
        }
    }

    fn place(&self, seat: Seat) -> Option<usize> {
        match self.places[seat.index()] {
            0 => None,
            place => Some(usize::from(place)),
        }
    }

    fn turns_home(&self, seat: Seat) -> Option<u32> {
        // The mean of a roll is 3.5.
        let way: u32 = self.pawns(seat).iter().map(|pawn| u32::from(GOAL - pawn)).sum();
        Some((2 * way).div_ceil(7))
    }

    fn legal_moves(&self) -> Moves {
        let Turn::Seat(seat) = self.turn() else {
            return Moves::default();
        };
        let [rear, front] = self.pawns(seat);
        let end = if front == rear || front == GOAL { 1 } else { 2 };
        Moves { squares: [rear, front], next: 0, end }
    }

    fn outcomes(&self) -> Self::Outcomes {
        let is_due = matches!(self.turn(), Turn::Card(_));
        let faces = if is_due { 1..FACES + 1 } else { 0..0 };
        faces.map(|face| (Die(face), 1))
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        let Turn::Seat(seat) = self.turn() else {
            return Err(IllegalMove::NotDue);
        };
        if !self.legal_moves().any(|legal| legal == mv) {
            let square = mv.0;
            return Err(IllegalMove::NoPawn { seat, square });
        }
        *self = self.play_unchecked(mv);
        Ok(())
    }

    fn play_unchecked(&self, mv: Move) -> Position {
        let mut next = *self;
        let to = (mv.0 + self.roll).min(GOAL);
        for (seat, pawns) in next.pawns.iter_mut().enumerate() {
            if seat == usize::from(self.mover) {
                if let Some(pawn) = pawns.iter_mut().find(|pawn| **pawn == mv.0) {
                    *pawn = to;
                }
            } else if to < GOAL {
                *pawns = pawns.map(|pawn| if pawn == to { 0 } else { pawn });
            }
            pawns.sort_unstable();
        }
        next.take_places();
        next.pass_turn();
        next
    }

    fn draw(&mut self, card: Die) -> Result<(), IllegalRoll> {
        if !self.outcomes().any(|(face, _)| face == card) {
            return Err(IllegalRoll);
        }
        *self = self.draw_unchecked(card);
        Ok(())
    }

    fn draw_unchecked(&self, card: Die) -> Position {
        Position { roll: card.0, ..*self }
    }

    fn key(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.hash(&mut hasher);
        hasher.finish()
    }
}

/// Legal moves: at most one for each pawn, the rear one first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Moves {
    squares: [u8; PAWNS],
    next: usize,
    end: usize,
}

impl Iterator for Moves {
    type Item = Move;

    fn next(&mut self) -> Option<Move> {
        let square = *self.squares[..self.end].get(self.next)?;
        self.next += 1;
        Some(Move(square))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.end - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for Moves {}

/// Pads an array to the largest number of seats.
fn by_seat<T: Copy>(seats: &[T], absent: T) -> [T; MAX_SEATS] {
    array::from_fn(|seat| seats.get(seat).copied().unwrap_or(absent))
}

/// A move: the pawn on this square advances by the roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(u8);

/// A face of the die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Die(u8);

/// The word is not a move or a roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum WordError {
    /// The word is not a move.
    #[error("expected p and the square of a pawn, p0 to p{}", GOAL - 1)]
    Move,
    /// The word is not a roll.
    #[error("expected +1 to +{FACES}")]
    Roll,
}

impl FromStr for Move {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Move, WordError> {
        let square = text.strip_prefix('p').ok_or(WordError::Move)?;
        let square = whole_number(square, u32::from(GOAL) - 1);
        square.map(|square| Move(square as u8)).map_err(|_| WordError::Move)
    }
}

impl fmt::Display for Move {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "p{}", self.0)
    }
}

impl FromStr for Die {
    type Err = WordError;

    fn from_str(text: &str) -> Result<Die, WordError> {
        let face = text.strip_prefix('+').ok_or(WordError::Roll)?;
        match whole_number(face, u32::from(FACES)) {
            Ok(face) if face > 0 => Ok(Die(face as u8)),
            _ => Err(WordError::Roll),
        }
    }
}

impl fmt::Display for Die {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "+{}", self.0)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pawns = self.pawns[..self.seats()].iter();
        let pawns = joined(pawns.map(|[a, b]| format!("{a},{b}")), "/");
        let dash_or = |text: String| if text.is_empty() { "-".into() } else { text };
        let roll = if self.roll == 0 { String::new() } else { self.roll.to_string() };
        let mut finished: Vec<(usize, Seat)> = (0..self.seats)
            .filter_map(|seat| Some((self.place(Seat(seat))?, Seat(seat))))
            .filter(|&(_, seat)| self.pawns(seat) == [GOAL; PAWNS])
            .collect();
        finished.sort_unstable_by_key(|&(place, _)| place);
        let finished = joined(finished.iter().map(|(_, seat)| seat), ",");
        write!(f, "{} {} {} {}", pawns, Seat(self.mover), dash_or(roll), dash_or(finished))
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

fn parse(text: &str) -> Result<Position, PositionError> {
    let mut fields = text.split(' ');
    let mut field = || fields.next().unwrap_or_default();
    let (pawns, turn, roll, finished) = (field(), field(), field(), field());
    if let Some(more) = fields.next() {
        return Err(PositionError::expected("end", "`<pawns> <turn> <roll> <finished>`", more));
    }

    let squares: Vec<[u8; PAWNS]> = pawns
        .split('/')
        .map(|seat| {
            let (rear, front) = seat.split_once(',')?;
            let square = |text| whole_number(text, u32::from(GOAL)).ok();
            let pawns = [square(rear)? as u8, square(front)? as u8];
            pawns.is_sorted().then_some(pawns)
        })
        .collect::<Option<_>>()
        .filter(|seats: &Vec<_>| (2..=MAX_SEATS).contains(&seats.len()))
        .ok_or_else(|| {
            PositionError::expected("pawns", "2 to 4 pairs of squares, the rear one first", pawns)
        })?;
    let seats = squares.len();
    let seat_of = |text: &str| seat_number(text, seats).map(Seat::index);

    let mut places = [0; MAX_SEATS];
    let order = finished.split(',').filter(|_| finished != "-");
    for (index, text) in order.enumerate() {
        let seat =
            seat_of(text).filter(|&seat| squares[seat] == [GOAL; PAWNS] && places[seat] == 0);
        let seat = seat.ok_or_else(|| {
            PositionError::expected("finished", "seats that are home, or `-`", finished)
        })?;
        places[seat] = index as u8 + 1;
    }
    let is_open = |seat: usize| places[seat] == 0;
    if (0..seats).any(|seat| is_open(seat) && squares[seat] == [GOAL; PAWNS]) {
        return Err(PositionError::expected("finished", "all seats that are home", finished));
    }
    let open = (0..seats).filter(|&seat| is_open(seat)).count();
    if open == 0 {
        return Err(PositionError::expected("finished", "at most all seats but one", finished));
    }
    if open == 1 {
        // The last seat's place is decided too.
        places[..seats]
            .iter_mut()
            .filter(|place| **place == 0)
            .for_each(|place| *place = seats as u8);
    }

    let mover = seat_of(turn)
        .filter(|&seat| open == 1 || places[seat] == 0)
        .ok_or_else(|| PositionError::expected("turn", "a seat that has not finished", turn))?;
    let roll = match roll {
        "-" => 0,
        text => match whole_number(text, u32::from(FACES)) {
            Ok(face) if face > 0 && open > 1 => face as u8,
            _ => {
                return Err(PositionError::expected(
                    "roll", "1 to 6 while the game lasts, or `-`", text,
                ));
            }
        },
    };
    Ok(Position {
        pawns: by_seat(&squares, [0; PAWNS]),
        places,
        seats: seats as u8,
        mover: mover as u8,
        roll,
    })
}

impl Draw for Position {
    fn picture(&self) -> String {
        let line = |seat| {
            let [rear, front] = self.pawns(seat);
            format!("seat {seat}: {rear} {front}")
        };
        let mut lines: Vec<String> = Seat::all(self.seats()).map(line).collect();
        if self.roll > 0 {
            lines.push(format!("rolled {}", self.roll));
        }
        lines.join("\n")
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        let pawns = Seat::all(self.seats()).map(|seat| joined(self.pawns(seat), ","));
        vec![("pawns", joined(pawns, " "))]
    }

    fn scene(&self) -> Scene {
        let kind = |square| SquareKind {
            name: match square {
                0 => "start",
                GOAL => "goal",
                _ => "way",
            },
            mark: "",
        };
        let seats = Seat::all(self.seats());
        let pieces = seats.clone().flat_map(|seat| {
            self.pawns(seat).map(|square| Piece { seat, name: "pawn", square: usize::from(square) })
        });
        let fact = |seat| Fact { label: "home", value: home(self, seat).to_string() };
        Scene {
            board: Board { layout: Layout::Track, squares: (0..=GOAL).map(kind).collect() },
            pieces: pieces.collect(),
            facts: seats.map(|seat| vec![fact(seat)]).collect(),
        }
    }

    fn preview(&self, mv: Move) -> MovePreview {
        let seat = Seat(self.mover);
        let pawns = self.pawns(seat);
        let pawn = pawns.iter().position(|pawn| *pawn == mv.0).unwrap_or(0);
        MovePreview {
            piece: PAWNS * seat.index() + pawn,
            square: usize::from((mv.0 + self.roll).min(GOAL)),
            facts: Vec::new(),
        }
    }

    fn card_words(_: Die) -> &'static str {
        "Move one of your pawns as far as the die says."
    }
}

fn home(position: &Position, seat: Seat) -> usize {
    let pawns = position.pawns(seat);
    pawns.iter().filter(|pawn| **pawn == GOAL).count()
}

/// Squares of lead at which the odds are e to 1.
const SQUARES: i32 = 6;

/// The evaluator: squares that a seat's pawns have covered.
#[derive(Clone, Copy, Debug)]
pub struct Squares;

impl Evaluator<Position> for Squares {
    fn strengths(&self, position: &Position) -> eval::Vector {
        let mut strengths = eval::Vector::default();
        for (seat, strength) in strengths.iter_mut().enumerate().take(position.seats()) {
            let way: i32 = position.pawns(Seat(seat as u8)).map(i32::from).iter().sum();
            *strength = way * STRENGTH_UNIT / SQUARES;
        }
        strengths
    }

    fn explain(&self, position: &Position) -> Vec<String> {
        position.picture().lines().map(String::from).collect()
    }
}

impl Evaluate for Position {
    type Evaluator = Squares;

    fn evaluator(&self, _: &Evaluators) -> Arc<Squares> {
        Arc::new(Squares)
    }
}
