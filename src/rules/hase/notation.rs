//! The text of a position, `<hares> <turn> <finished> <drawn>`: formats, parses and validates it.

use std::fmt;

use super::cards::Card;
use super::position::{Hare, Position};
use super::position_error::PositionError;
use super::ruleset::Ruleset;
use super::track::{FINISH, Square, cost};
use crate::rules::number::{seat_number, whole_number};
use crate::rules::{Game, MAX_SEATS, Seat, joined};

impl fmt::Display for Position {
    /// Writes the text of the position.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (seat, hare) in self.hares().iter().enumerate() {
            let slash = if seat > 0 { "/" } else { "" };
            let mark = if self.misses_turn(Seat(seat as u8)) { "!" } else { "" };
            write!(f, "{slash}{},{},{}{mark}", hare.square, hare.carrots, hare.lettuces)?;
        }
        write!(f, " {}", Seat(self.seat))?;
        if self.paid != 0 {
            write!(f, "?{}", self.paid)?;
        }
        match joined(self.finished(), ",").as_str() {
            "" => f.write_str(" - ")?,
            order => write!(f, " {order} ")?,
        }
        if self.drawn == [0; 8] {
            return f.write_str("-");
        }
        for card in Card::ALL {
            if let Some(letter) = card.letter() {
                for _ in 0..self.drawn[card as usize] {
                    write!(f, "{letter}")?;
                }
            }
        }
        Ok(())
    }
}

/// Parses and validates the text of a position.
pub(super) fn parse(ruleset: &'static Ruleset, text: &str) -> Result<Position, PositionError> {
    let fields: Vec<&str> = text.split(' ').collect();
    let &[hares, turn, finished, drawn] = fields.as_slice() else {
        let names = ["hares", "turn", "finished", "drawn"];
        let field = names[fields.len().min(3)];
        return Err(PositionError::Fields { field, found: fields.len() });
    };
    let mut position = parse_hares(ruleset, hares)?;
    parse_finished(&mut position, finished)?;
    check_finished_hares(&position)?;
    check_marks(&position)?;
    parse_turn(&mut position, turn)?;
    position.drawn = parse_drawn(ruleset, drawn)?;
    Ok(position)
}

/// Parses the squares, holdings and marks of the hares into a position.
pub(super) fn parse_hares(
    ruleset: &'static Ruleset,
    text: &str,
) -> Result<Position, PositionError> {
    let texts: Vec<&str> = text.split('/').collect();
    let start = Position::start(ruleset, texts.len());
    let mut position = start.ok_or(PositionError::Hares { found: texts.len() })?;
    for (seat, text) in Seat::all(texts.len()).zip(texts) {
        let unmarked = text.strip_suffix('!');
        let numbers: Vec<&str> = unmarked.unwrap_or(text).split(',').collect();
        let numbers =
            numbers.try_into().map_err(|_| PositionError::Hare { text: text.to_string() })?;
        place_hare(&mut position, seat, numbers, unmarked.is_some())?;
    }
    Ok(position)
}

/// Places a hare of a seat, given as square, carrots and lettuces. The hares of earlier seats must be placed already.
pub(crate) fn place_hare(
    position: &mut Position,
    seat: Seat,
    [square, carrots, lettuces]: [&str; 3],
    marked: bool,
) -> Result<(), PositionError> {
    let number = |field, text: &str, most| {
        whole_number(text, most).map_err(|problem| PositionError::Number {
            field,
            seat,
            text: text.to_string(),
            problem,
        })
    };
    let hare = Hare {
        square: number("square", square, FINISH.into())? as u8,
        carrots: number("carrots", carrots, u16::MAX.into())? as u16,
        lettuces: number("lettuces", lettuces, position.ruleset.lettuces.into())? as u8,
    };
    let shareable = hare.square == 0 || hare.square == FINISH;
    if !shareable {
        let before = &position.hares()[..seat.index()];
        if let Some(first) = before.iter().position(|other| other.square == hare.square) {
            let first = Seat(first as u8);
            return Err(PositionError::SharedSquare { first, second: seat, square: hare.square });
        }
        position.occupied |= 1 << hare.square;
    }
    position.hares[seat.index()] = hare;
    position.missing |= u8::from(marked) << seat.0;
    Ok(())
}

fn parse_finished(position: &mut Position, text: &str) -> Result<(), PositionError> {
    let wrong = || PositionError::Finished { text: text.to_string() };
    let on_finish = position.hares().iter().filter(|hare| hare.square == FINISH).count();
    let mut order = [0; MAX_SEATS];
    let mut named = 0;
    if text != "-" {
        for name in text.split(',') {
            let seat = seat_number(name, position.seats()).ok_or_else(wrong)?;
            let twice = order[..named].contains(&seat.0);
            if twice || position.hare(seat).square != FINISH {
                return Err(wrong());
            }
            order[named] = seat.0;
            position.racing &= !(1 << seat.0);
            named += 1;
        }
    }
    if named != on_finish {
        return Err(wrong());
    }
    position.order = order;
    position.finished = named as u8;
    Ok(())
}

fn check_finished_hares(position: &Position) -> Result<(), PositionError> {
    if position.finished().len() == position.seats() {
        return Err(PositionError::AllFinished);
    }
    for (before, seat) in position.finished().enumerate() {
        let Hare { carrots, lettuces, .. } = position.hare(seat);
        let place = before + 1;
        if usize::from(carrots) > 10 * place {
            return Err(PositionError::FinishedCarrots { seat, place, carrots });
        }
        if lettuces > 0 {
            return Err(PositionError::FinishedLettuces { seat, lettuces });
        }
    }
    Ok(())
}

/// Checks that each hare marked as missing its turn can legally do so.
pub(crate) fn check_marks(position: &Position) -> Result<(), PositionError> {
    for seat in Seat::all(position.seats()).filter(|&seat| position.misses_turn(seat)) {
        let Hare { square, lettuces, .. } = position.hare(seat);
        let lettuces = match position.ruleset.track.square(square) {
            Square::Hare => continue,
            Square::Lettuce if lettuces > 0 => continue,
            Square::Lettuce => Some(lettuces),
            _ => None,
        };
        return Err(PositionError::Mark { seat, square, lettuces });
    }
    Ok(())
}

fn parse_turn(position: &mut Position, text: &str) -> Result<(), PositionError> {
    let (seat, payment) = match text.split_once('?') {
        Some((seat, payment)) => (seat, Some(payment)),
        None => (text, None),
    };
    let seats = position.seats();
    let wrong = || PositionError::Turn { text: text.to_string(), seats };
    let seat = seat_number(seat, seats).ok_or_else(wrong)?;
    if position.hare(seat).square == FINISH {
        return Err(PositionError::TurnFinished { seat });
    }
    position.seat = seat.0;
    if let Some(payment) = payment {
        position.paid = parse_payment(position, seat, payment)?;
    }
    Ok(())
}

fn parse_payment(position: &Position, seat: Seat, text: &str) -> Result<u16, PositionError> {
    let square = position.hare(seat).square;
    let marked = position.misses_turn(seat);
    let over = position.is_over();
    if over || marked || position.ruleset.track.square(square) != Square::Hare {
        return Err(PositionError::NoCardDue { seat, marked, over });
    }
    let payment = whole_number(text, cost(square.into()).into()).ok();
    (1..=u16::from(square))
        .map(cost)
        .find(|&price| payment == Some(price.into()))
        .ok_or_else(|| PositionError::Payment { text: text.to_string(), most: square })
}

fn parse_drawn(ruleset: &Ruleset, text: &str) -> Result<[u8; 8], PositionError> {
    let mut drawn = [0; 8];
    if text == "-" {
        return Ok(drawn);
    }
    let wrong = || PositionError::Drawn { text: text.to_string() };
    if text.is_empty() {
        return Err(wrong());
    }
    let mut rest = text;
    for card in Card::ALL {
        let Some(letter) = card.letter() else {
            continue;
        };
        let behind = rest.trim_start_matches(letter);
        let found = rest.len() - behind.len();
        let most = ruleset.deck[card as usize];
        if found > usize::from(most) {
            return Err(PositionError::DrawnTooOften { letter, found, most });
        }
        drawn[card as usize] = found as u8;
        rest = behind;
    }
    if rest.is_empty() { Ok(drawn) } else { Err(wrong()) }
}
