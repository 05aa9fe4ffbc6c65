//! Hase und Igel (Hare and Tortoise), the board game by David Parlett, for two to six players.
//!
//! A [`Ruleset`] defines a variant: track, starting carrots, lettuces and deck. A [`Position`] is a state of the race
//! under a ruleset; [`Move`]s and [`Card`]s change it. Its text is `<hares> <turn> <finished> <drawn>`.

mod moves;
mod race;
mod track;

use std::fmt;

pub use moves::{Card, IllegalCard, IllegalMove, Move, Moves, Outcomes};
pub use race::{Hare, Position};
pub use track::{
    FINISH, HARE_AND_TORTOISE, HASE_UND_IGEL, Ruleset, Square, Track, TurnsHome, cost,
};

use super::{Game, MAX_SEATS, PositionError, Seat, Turn, joined, seat_number, whole_number};
use track::KEPT_BY_FIRST;
pub(crate) use track::TEN_CARROTS;

impl Game for Position {
    type Rules = Ruleset;
    type Move = Move;
    type Card = Card;
    type Moves = Moves;
    type Outcomes = Outcomes;
    type IllegalMove = IllegalMove;
    type IllegalCard = IllegalCard;

    const HAS_CARDS: bool = true;

    fn start(ruleset: &'static Ruleset, seats: usize) -> Option<Position> {
        (2..=MAX_SEATS).contains(&seats).then(|| Position::at_start(ruleset, seats))
    }

    fn parse(ruleset: &'static Ruleset, text: &str) -> Result<Position, PositionError> {
        parse(ruleset, text)
    }

    #[inline]
    fn seats(&self) -> usize {
        self.seats.into()
    }

    #[inline]
    fn turn(&self) -> Turn {
        if self.paid != 0 {
            Turn::Card(Seat(self.seat))
        } else if self.is_over() {
            Turn::Over
        } else {
            Turn::Seat(Seat(self.seat))
        }
    }

    #[inline]
    fn place(&self, seat: Seat) -> Option<usize> {
        if self.finished == 0 {
            return None;
        }
        match self.finished().position(|finisher| finisher == seat) {
            Some(before) => Some(before + 1),
            None => self.is_over().then_some(self.seats()),
        }
    }

    fn turns_home(&self, seat: Seat) -> Option<u32> {
        let Hare { carrots, square, lettuces } = self.hare(seat);
        let misses = self.misses_turn(seat);
        let held = carrots.saturating_add(self.income(seat));
        // The table is for the first hare to finish; later ones may keep more.
        let spare = self.most_at_finish() - KEPT_BY_FIRST;
        let eats = misses && self.ruleset.track.square(square) == Square::Lettuce;
        let lettuces = lettuces - u8::from(eats);
        let turns = self.ruleset.turns_home.turns(lettuces, square, held.saturating_sub(spare));
        Some(u32::from(turns) + u32::from(misses))
    }

    #[inline(always)]
    fn legal_moves(&self) -> Moves {
        if self.paid != 0 || self.is_over() {
            return Moves::NONE;
        }
        if self.misses_turn(Seat(self.seat)) {
            return Moves::FORCED;
        }
        let moves = self.free_moves();
        if moves.is_empty() { Moves::FORCED } else { moves }
    }

    #[inline]
    fn outcomes(&self) -> Outcomes {
        if self.paid == 0 {
            return Outcomes::NONE;
        }
        Outcomes::left_of(&self.ruleset.deck, &self.drawn)
    }

    fn play(&mut self, mv: Move) -> Result<(), IllegalMove> {
        if !self.legal_moves().contains(mv) {
            return Err(self.illegal_move(mv));
        }
        *self = self.play_unchecked(mv);
        Ok(())
    }

    #[inline(always)]
    fn play_unchecked(&self, mv: Move) -> Position {
        self.after_move(mv)
    }

    fn draw(&mut self, card: Card) -> Result<(), IllegalCard> {
        if self.paid == 0 {
            return Err(IllegalCard::NoneDue);
        }
        if !self.outcomes().any(|(left, _)| left == card) {
            return Err(IllegalCard::NoneLeft { card });
        }
        *self = self.draw_unchecked(card);
        Ok(())
    }

    #[inline(always)]
    fn draw_unchecked(&self, card: Card) -> Position {
        self.after_card(card)
    }

    fn key(&self) -> u64 {
        self.hash()
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

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
fn parse(ruleset: &'static Ruleset, text: &str) -> Result<Position, PositionError> {
    let fields: Vec<&str> = text.split(' ').collect();
    let &[hares, turn, finished, drawn] = fields.as_slice() else {
        let names = ["hares", "turn", "finished", "drawn"];
        let field = names[fields.len().min(3)];
        let expected = "`<hares> <turn> <finished> <drawn>`, four fields";
        return Err(PositionError::expected(field, expected, fields.len()));
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
fn parse_hares(ruleset: &'static Ruleset, text: &str) -> Result<Position, PositionError> {
    let texts: Vec<&str> = text.split('/').collect();
    let start = Position::start(ruleset, texts.len());
    let mut position =
        start.ok_or_else(|| PositionError::expected("hares", "2 to 6", texts.len()))?;
    for (seat, text) in Seat::all(texts.len()).zip(texts) {
        let unmarked = text.strip_suffix('!');
        let numbers: Vec<&str> = unmarked.unwrap_or(text).split(',').collect();
        let numbers = numbers.try_into().map_err(|_| {
            let expected = "`square,carrots,lettuces` and `!` for a missed turn";
            PositionError::expected("hares", expected, text)
        })?;
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
        whole_number(text, most).map_err(|problem| {
            PositionError::of_seat(field, seat, format!("seat {seat}: {text:?} {problem}"))
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
            let (first, square) = (Seat(first as u8), hare.square);
            let problem = format!(
                "seats {first} and {seat} share square {square}, only 0 and 64 can be shared"
            );
            return Err(PositionError::of_seat("square", seat, problem));
        }
        position.occupied |= 1 << hare.square;
    }
    position.hares[seat.index()] = hare;
    position.missing |= u8::from(marked) << seat.0;
    Ok(())
}

fn parse_finished(position: &mut Position, text: &str) -> Result<(), PositionError> {
    let wrong = || {
        let expected = "expected the seats on square 64, each once, joined by `,`, or `-` for none";
        PositionError::new("finished", format!("{expected}; found {text:?}"))
    };
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
        let problem = "all hares have finished, at least one must still be racing";
        return Err(PositionError::new("turn", problem));
    }
    for (before, seat) in position.finished().enumerate() {
        let Hare { carrots, lettuces, .. } = position.hare(seat);
        let place = before + 1;
        if usize::from(carrots) > 10 * place {
            let problem = format!(
                "seat {seat} finished in place {place} with {carrots}, at most 10 a place are allowed"
            );
            return Err(PositionError::of_seat("carrots", seat, problem));
        }
        if lettuces > 0 {
            let problem = format!("seat {seat} finished with {lettuces}, none are allowed");
            return Err(PositionError::of_seat("lettuces", seat, problem));
        }
    }
    Ok(())
}

/// Checks that each hare marked as missing its turn can legally do so.
pub(crate) fn check_marks(position: &Position) -> Result<(), PositionError> {
    for seat in Seat::all(position.seats()).filter(|&seat| position.misses_turn(seat)) {
        let Hare { square, lettuces, .. } = position.hare(seat);
        let reason = match position.ruleset.track.square(square) {
            Square::Hare => continue,
            Square::Lettuce if lettuces > 0 => continue,
            Square::Lettuce => format!("on lettuce square {square} without a lettuce in hand"),
            _ => format!("on square {square}, which is neither lettuce nor hare"),
        };
        let problem = format!("seat {seat} cannot miss its turn {reason}");
        return Err(PositionError::of_seat("mark", seat, problem));
    }
    Ok(())
}

fn parse_turn(position: &mut Position, text: &str) -> Result<(), PositionError> {
    let (seat, payment) = match text.split_once('?') {
        Some((seat, payment)) => (seat, Some(payment)),
        None => (text, None),
    };
    let seats = position.seats();
    let wrong = || {
        let expected = format!("a seat from 1 to {seats}, or `seat?paid` where a card is due");
        PositionError::expected("turn", expected, text)
    };
    let seat = seat_number(seat, seats).ok_or_else(wrong)?;
    if position.hare(seat).square == FINISH {
        return Err(PositionError::of_seat("turn", seat, format!("seat {seat} has finished")));
    }
    position.seat = seat.0;
    if let Some(payment) = payment {
        position.paid = parse_payment(position, seat, payment)?;
    }
    Ok(())
}

fn parse_payment(position: &Position, seat: Seat, text: &str) -> Result<u16, PositionError> {
    let square = position.hare(seat).square;
    let no_card = if position.is_over() {
        Some("in a finished game")
    } else if position.misses_turn(seat) {
        Some("while it misses its next turn")
    } else if position.ruleset.track.square(square) != Square::Hare {
        Some("off the hare squares")
    } else {
        None
    };
    if let Some(reason) = no_card {
        let problem = format!("seat {seat} has no card to draw {reason}");
        return Err(PositionError::of_seat("payment", seat, problem));
    }
    let payment = whole_number(text, cost(square.into()).into()).ok();
    (1..=u16::from(square)).map(cost).find(|&price| payment == Some(price.into())).ok_or_else(
        || {
            let expected = format!("n(n+1)/2 for an n from 1 to {square}");
            PositionError::expected("payment", expected, text)
        },
    )
}

fn parse_drawn(ruleset: &Ruleset, text: &str) -> Result<[u8; 8], PositionError> {
    let mut drawn = [0; 8];
    if text == "-" {
        return Ok(drawn);
    }
    let expected = "letters in the order BDRHFSG, or `-` for none";
    let wrong = || PositionError::expected("drawn", expected, text);
    if text.is_empty() {
        return Err(wrong());
    }
    let mut rest = text;
    for card in Card::ALL {
        let Some(letter) = card.letter() else {
            continue;
        };
        let after = rest.trim_start_matches(letter);
        let found = rest.len() - after.len();
        let most = ruleset.deck[card as usize];
        if found > usize::from(most) {
            let problem = format!("{letter} drawn {found} times, the deck has {most}");
            return Err(PositionError::new("drawn", problem));
        }
        drawn[card as usize] = found as u8;
        rest = after;
    }
    if rest.is_empty() { Ok(drawn) } else { Err(wrong()) }
}
