//! Hase und Igel (Hare and Tortoise), the board game by David Parlett, for two to six players.
//!
//! A [`Ruleset`] defines a variant: track, starting carrots, lettuces and deck. A [`Position`] is a state of the race
//! under a ruleset; [`Move`]s and [`Card`]s change it.

mod cards;
mod effects;
mod illegal;
mod moves;
pub(crate) mod notation;
mod position;
mod ruleset;
mod scene;
mod track;
mod turns_home;

use std::fmt;

pub use cards::{Card, Outcomes};
pub use illegal::{IllegalCard, IllegalMove};
pub use moves::{Move, Moves};
pub use position::{Hare, Position};
pub use ruleset::{HARE_AND_TORTOISE, HASE_UND_IGEL, Ruleset};
pub use track::{FINISH, Square, Track, cost};
pub use turns_home::TurnsHome;

use super::{Game, MAX_SEATS, MovePreview, PositionError, Refusal, Scene, Seat, Turn, joined};
use track::KEPT_BY_FIRST;

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
        notation::parse(ruleset, text)
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

    fn picture(&self) -> String {
        scene::picture(self)
    }

    fn scene(&self) -> Scene {
        scene::of(self)
    }

    fn preview(&self, mv: Move) -> MovePreview {
        scene::preview(self, mv)
    }

    fn refusal(&self, square: usize) -> Option<Refusal> {
        scene::refusal(self, square)
    }

    fn card_words(card: Card) -> &'static str {
        card.words()
    }

    fn columns(&self) -> Vec<(&'static str, String)> {
        let column = |cell: fn(&Hare) -> String| joined(self.hares().iter().map(cell), " ");
        vec![
            ("squares", column(|hare| format!("{:>2}", hare.square))),
            ("carrots", column(|hare| format!("{:>3}", hare.carrots))),
        ]
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}\n{}", self.picture())
    }
}
