//! Text of moves, rolls and positions. A move is `p0` to `p20`, by the pawn's square; a roll is `+1` to `+6`. A
//! position is, for example, `0,3/5,21 1 4 -`: the pawns of each seat, the turn, the roll or `-`, and the seats that
//! have finished, in order, or `-`.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::{FACES, GOAL, MAX_SEATS, PAWNS, Position, by_seat};
use crate::rules::number::{seat_number, whole_number};
use crate::rules::{Game, PositionError, Seat, joined};

/// A move: the pawn on this square advances by the roll.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Move(pub(super) u8);

/// A face of the die.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Die(pub(super) u8);

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
        write!(f, "{self}\n{}", self.picture())
    }
}

pub(super) fn parse(text: &str) -> Result<Position, PositionError> {
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
