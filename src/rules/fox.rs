//! Rabbits and Wolves, the hunting game known as fox and hounds, for two players on the dark squares of a chess board.
//!
//! Seat 1 has one rabbit, which steps diagonally in all four directions and wins on reaching row 8. Seat 2 has four
//! wolves, which step diagonally down the board and win when the rabbit has no step left. Nothing is captured, and a
//! player who cannot move loses. The notation is the same as in other UCI variant engines: the text of a position is
//! `<board> <turn> - - <half-move clock> <full-move number>` as in chess.

pub mod board;
pub mod solved;

use std::convert::Infallible;
use std::{fmt, iter};

use thiserror::Error;

pub use board::{CardError, Move, MoveError, Moves, NoCard, Square, SquareError};

use super::{Game, PositionError, Seat, Solution, Turn, splitmix64, whole_number};
use board::{ROW_8, SQUARES, down_left, down_right, neighbours, up_left, up_right};
use solved::SOLVED;

/// The seat of the rabbit, which moves first.
pub const RABBIT: Seat = Seat(0);

/// The seat of the wolves.
pub const WOLVES: Seat = Seat(1);

/// Squares next to each square.
const NEIGHBOURS: [u32; SQUARES as usize] = {
    let mut table = [0; SQUARES as usize];
    let mut number = 0;
    while number < SQUARES {
        table[number as usize] = neighbours(1 << number);
        number += 1;
    }
    table
};

/// A position of Rabbits and Wolves. Two positions are equal if and only if their texts are.
///
/// # Examples
/// ```
/// use buxtehude::rules::{Game, fox::Position};
///
/// let mut position = Position::start(&(), 2).unwrap();
/// assert_eq!(position.to_string(), "1h1h1h1h/8/8/8/8/8/8/4F3 w - - 0 1");
/// position.play("e1d2".parse().unwrap()).unwrap();
/// assert_eq!(position.to_string(), "1h1h1h1h/8/8/8/8/8/3F4/8 b - - 0 1");
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    /// Set of four squares without the rabbit's.
    pub(super) wolves: u32,
    pub(super) rabbit: Square,
    pub(super) mover: Seat,
}

impl Position {
    /// Builds a position from the rabbit's square, the set of the wolves' squares and the seat to move. Returns `None`
    /// unless there are four wolves, none of them on the rabbit's square.
    pub fn new(rabbit: Square, wolves: u32, mover: Seat) -> Option<Position> {
        let is_valid = wolves.count_ones() == 4 && wolves & rabbit.bit() == 0 && mover.0 < 2;
        is_valid.then_some(Position::of(rabbit, wolves, mover))
    }

    /// [`Position::new`] without the check.
    pub(super) fn of(rabbit: Square, wolves: u32, mover: Seat) -> Position {
        Position { wolves, rabbit, mover }
    }

    /// Square of the rabbit.
    #[inline]
    pub fn rabbit(&self) -> Square {
        self.rabbit
    }

    /// Set of the squares of the four wolves.
    #[inline]
    pub fn wolves(&self) -> u32 {
        self.wolves
    }

    /// Seat to move; in a finished game the seat that would be next.
    #[inline]
    pub fn mover(&self) -> Seat {
        self.mover
    }

    /// Seat that has won, or `None` if the game is not over.
    #[inline]
    pub fn winner(&self) -> Option<Seat> {
        if self.is_rabbit_home() {
            Some(RABBIT)
        } else if self.moves().is_empty() {
            Some(self.rival())
        } else {
            None
        }
    }

    /// Letter for a dark square: `F` for the rabbit, `h` for a wolf, `None` for a free square.
    pub(crate) fn letter_on(&self, square: Square) -> Option<char> {
        if square == self.rabbit {
            Some('F')
        } else {
            (self.wolves & square.bit() != 0).then_some('h')
        }
    }

    /// Free squares; none once the rabbit is home, since then there are no legal moves.
    #[inline(always)]
    fn free_to_step_on(&self) -> u32 {
        if self.is_rabbit_home() { 0 } else { !(self.wolves | self.rabbit.bit()) }
    }

    #[inline]
    fn is_rabbit_home(&self) -> bool {
        self.rabbit.bit() & ROW_8 != 0
    }

    #[inline]
    fn rival(&self) -> Seat {
        Seat(1 - self.mover.0)
    }

    /// Legal moves in ascending order.
    #[inline(always)]
    pub(super) fn moves(&self) -> Moves {
        let free = self.free_to_step_on();
        if self.mover == RABBIT {
            let next_to_it = NEIGHBOURS[usize::from(self.rabbit.number())];
            return Moves::of_rabbit(self.rabbit, next_to_it & free);
        }
        // A wolf can step down to the left if and only if it is up and right of a free square.
        Moves::of_wolves(self.wolves & up_right(free), self.wolves & up_left(free))
    }

    /// Returns the position after a legal move.
    #[inline(always)]
    pub(super) fn after_move(&self, mv: Move) -> Position {
        let mover = self.rival();
        if self.mover == RABBIT {
            Position { rabbit: mv.to, mover, ..*self }
        } else {
            Position { wolves: self.wolves ^ (mv.from.bit() | mv.to.bit()), mover, ..*self }
        }
    }
}

impl Game for Position {
    type Rules = ();
    type Move = Move;
    type Card = NoCard;
    type Moves = Moves;
    type Outcomes = iter::Empty<(NoCard, u32)>;
    type IllegalMove = IllegalMove;
    type IllegalCard = Infallible;

    const HAS_CARDS: bool = false;

    fn start(_: &'static (), seats: usize) -> Option<Position> {
        const E1: Square = Square::new(2);
        (seats == 2).then(|| Position::of(E1, ROW_8, RABBIT))
    }

    fn parse(_: &'static (), text: &str) -> Result<Position, PositionError> {
        parse(text)
    }

    #[inline]
    fn seats(&self) -> usize {
        2
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.legal_moves().is_empty() { Turn::Over } else { Turn::Seat(self.mover) }
    }

    #[inline]
    fn place(&self, seat: Seat) -> Option<usize> {
        let winner = self.winner()?;
        Some(if seat == winner { 1 } else { 2 })
    }

    fn turns_home(&self, _: Seat) -> Option<u32> {
        // The rabbit may never get home; games end anyway, since the wolves only move down the board.
        None
    }

    fn solved(&self) -> Option<Solution> {
        Some(SOLVED.outcome(self))
    }

    #[inline(always)]
    fn legal_moves(&self) -> Moves {
        self.moves()
    }

    #[inline]
    fn outcomes(&self) -> iter::Empty<(NoCard, u32)> {
        iter::empty()
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.legal_moves().any(|legal| legal == mv) {
            return Err(self.illegal_move(mv));
        }
        *self = self.play_unchecked(mv);
        Ok(())
    }

    #[inline(always)]
    fn play_unchecked(&self, mv: Move) -> Position {
        self.after_move(mv)
    }

    fn draw(&mut self, card: NoCard) -> Result<(), Infallible> {
        match card {}
    }

    fn draw_unchecked(&self, card: NoCard) -> Position {
        match card {}
    }

    /// In this game different positions always have different keys.
    #[inline]
    fn key(&self) -> u64 {
        let word = u64::from(self.wolves)
            | u64::from(self.rabbit.number()) << 32
            | u64::from(self.mover.0) << 40;
        splitmix64(word)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The rule that a move breaks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum IllegalMove {
    /// The game is over.
    #[error("the game is over")]
    GameOver,
    /// A move of the rabbit from a square where it is not.
    #[error("seat 1 moves the rabbit, which is on {rabbit}, not on {from}")]
    NotTheRabbit {
        /// Square of the rabbit.
        rabbit: Square,
        /// Origin square of the move.
        from: Square,
    },
    /// A move of a wolf from a square without a wolf.
    #[error("seat 2 moves the wolves, and none is on {from}")]
    NotAWolf {
        /// Origin square of the move.
        from: Square,
    },
    /// The destination is not a diagonal neighbour.
    #[error("from {from} to {to} is not one diagonal step")]
    NotAStep {
        /// Origin square of the move.
        from: Square,
        /// Destination of the move.
        to: Square,
    },
    /// A step of a wolf up the board.
    #[error("wolves step down the board only, not from {from} to {to}")]
    Upwards {
        /// Square of the wolf.
        from: Square,
        /// The square above.
        to: Square,
    },
    /// The destination is not free.
    #[error("square {to} is taken")]
    Taken {
        /// Destination of the move.
        to: Square,
    },
}

impl Position {
    /// Returns the rule that an illegal move breaks.
    fn illegal_move(&self, mv: Move) -> IllegalMove {
        let Move { from, to } = mv;
        let Turn::Seat(mover) = self.turn() else {
            return IllegalMove::GameOver;
        };
        let is_rabbit = mover == RABBIT;
        if is_rabbit && from != self.rabbit() {
            let rabbit = self.rabbit();
            return IllegalMove::NotTheRabbit { rabbit, from };
        }
        if !is_rabbit && self.wolves() & from.bit() == 0 {
            return IllegalMove::NotAWolf { from };
        }
        if neighbours(from.bit()) & to.bit() == 0 {
            return IllegalMove::NotAStep { from, to };
        }
        let below = down_left(from.bit()) | down_right(from.bit());
        if !is_rabbit && below & to.bit() == 0 {
            return IllegalMove::Upwards { from, to };
        }
        // All other rules have been checked.
        IllegalMove::Taken { to }
    }
}

impl fmt::Display for Position {
    /// Writes the text of the position. The counters have no meaning and are always `0 1`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for row in (0..8).rev() {
            let mut free = 0;
            for file in 0..8 {
                let letter = Square::at(row, file).and_then(|square| self.letter_on(square));
                match letter {
                    None => free += 1,
                    Some(letter) if free == 0 => write!(f, "{letter}")?,
                    Some(letter) => {
                        write!(f, "{free}{letter}")?;
                        free = 0;
                    }
                }
            }
            if free > 0 {
                write!(f, "{free}")?;
            }
            f.write_str(if row > 0 { "/" } else { " " })?;
        }
        let turn = if self.mover() == RABBIT { 'w' } else { 'b' };
        write!(f, "{turn} - - 0 1")
    }
}

/// Parses and validates the text of a position. Missing fields at the end default to `w - - 0 1`.
fn parse(text: &str) -> Result<Position, PositionError> {
    let mut fields = text.split(' ');
    // Even an empty text has one, empty, field.
    let (rabbit, wolves) = parse_board(fields.next().unwrap_or_default())?;
    let mover = match fields.next() {
        None | Some("w") => RABBIT,
        Some("b") => WOLVES,
        Some(text) => {
            let expected = "`w` for the rabbit or `b` for the wolves";
            return Err(PositionError::expected("turn", expected, text));
        }
    };
    for (field, text) in ["castling", "en passant"].into_iter().zip(&mut fields) {
        if text != "-" {
            return Err(PositionError::expected(field, "`-`", text));
        }
    }
    for field in ["half-move clock", "full-move number"] {
        let Some(text) = fields.next() else {
            break;
        };
        whole_number(text, u32::MAX)
            .map_err(|problem| PositionError::new(field, format!("{text:?} {problem}")))?;
    }
    if fields.next().is_some() {
        let found = text.split(' ').count();
        let form = "<board> <turn> - - <half-move clock> <full-move number>";
        let problem = format!("expected the end behind `{form}`, found {found} fields");
        return Err(PositionError::new("full-move number", problem));
    }
    let position = Position::new(rabbit, wolves, mover);
    // `parse_board` has found one rabbit and four wolves on different squares.
    Ok(position.unwrap_or_else(|| unreachable!("no position: {text:?}")))
}

/// Returns the rabbit's square and the set of the wolves.
fn parse_board(text: &str) -> Result<(Square, u32), PositionError> {
    let rows: Vec<&str> = text.split('/').collect();
    if rows.len() != 8 {
        let expected = "8 rows joined by `/`, row 8 first";
        return Err(PositionError::expected("board", expected, rows.len()));
    }
    let mut rabbits = Vec::new();
    let mut wolves = 0u32;
    for (row, text) in (0..8).rev().zip(rows) {
        for (letter, file) in parse_row(row, text)? {
            let square = Square::at(row, file).ok_or_else(|| {
                let name = format!("{}{}", char::from(b'a' + file), row + 1);
                let problem = format!(
                    "`{letter}` on {name}, a light square, expected dark ones such as a1 or b2"
                );
                PositionError::new("square", problem)
            })?;
            match letter {
                'F' => rabbits.push(square),
                _ => wolves |= square.bit(),
            }
        }
    }
    let &[rabbit] = rabbits.as_slice() else {
        return Err(PositionError::expected("rabbit", "one `F`", rabbits.len()));
    };
    match wolves.count_ones() {
        4 => Ok((rabbit, wolves)),
        found => Err(PositionError::expected("wolves", "four `h`", found)),
    }
}

/// Letters of a row with their files. Rows and files count from 0.
fn parse_row(row: u8, text: &str) -> Result<Vec<(char, u8)>, PositionError> {
    let wrong = || {
        let row = row + 1;
        let problem = format!(
            "row {row}: expected 8 squares, `F` the rabbit, `h` a wolf and a number for free ones in a row, \
             found {text:?}"
        );
        PositionError::new("board", problem)
    };
    let mut letters = Vec::new();
    let mut file = 0;
    let mut after_number = false;
    for letter in text.chars() {
        let free = match letter {
            'F' | 'h' => None,
            '1'..='8' if !after_number => letter.to_digit(10),
            _ => return Err(wrong()),
        };
        if free.is_none() {
            letters.push((letter, file));
        }
        after_number = free.is_some();
        file += free.unwrap_or(1) as u8;
        if file > 8 {
            return Err(wrong());
        }
    }
    if file == 8 { Ok(letters) } else { Err(wrong()) }
}
