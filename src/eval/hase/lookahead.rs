//! Hase und Igel as the article's search sees it: what it takes a hare square for.
//!
//! Source: the article "AI in Hase und Igel: minimax for three", "hare trap".

use super::COST_OF_WAY_HOME;
use super::article::{Evaluation, Factors};
use super::curves::{CURVES, Curves};
use crate::eval::Model;
use crate::rules::hase::{Card, Move, Position, Ruleset, Square};
use crate::rules::{Game, Seat, Turn};

/// Carrots that a hare square takes where no card is drawn.
const TOLL: u16 = 7;

/// E that standing on a hare square costs, in hundredths.
const PENALTY: i32 = 3_000;

/// E that standing there costs a hare that could finish with its next move, in hundredths.
const PENALTY_BEFORE_HOME: i32 = 30_000;

/// What a search takes a hare square for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HareModel {
    /// It takes 7 carrots; one of the last takes the hope to finish soon: the holding becomes 65.
    #[default]
    Article,
    /// It takes 7 carrots, and standing on it at the end of a line is penalised.
    ArticlePenalty,
    /// A card is drawn, each with its chance.
    Chance,
}

/// What is asked of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// Ks, Kc and Kp.
    pub factors: Factors,
    /// What a hare square is taken for.
    pub hare_model: HareModel,
}

/// The model of a variant under given settings.
#[derive(Clone, Debug)]
pub struct Lookahead {
    evaluation: Evaluation,
    hare_model: HareModel,
}

impl Lookahead {
    /// The model with the preset's curves.
    pub fn new(ruleset: &Ruleset, settings: &ModelSettings) -> Lookahead {
        Lookahead::with_curves(ruleset, settings, &CURVES)
    }

    /// The model with other curves, to compare them.
    pub fn with_curves(ruleset: &Ruleset, settings: &ModelSettings, curves: &Curves) -> Lookahead {
        Lookahead {
            evaluation: Evaluation::new(ruleset, curves, &settings.factors),
            hare_model: settings.hare_model,
        }
    }

    /// The position after a card that is due but not drawn.
    #[inline(always)]
    fn pass_over_card(&self, position: &Position, seat: Seat) -> Position {
        let hare = position.hare(seat);
        let is_last = position.ruleset().last_hares >> hare.square & 1 == 1;
        position.pass_over_card(if is_last && self.hare_model == HareModel::Article {
            Card::RESTORED
        } else {
            hare.carrots.saturating_sub(TOLL)
        })
    }

    fn penalty(position: &Position, seat: Seat) -> i32 {
        let hare = position.hare(seat);
        if position.ruleset().track.square(hare.square) != Square::Hare {
            return 0;
        }
        let could_finish = hare.lettuces == 0
            && !position.misses_turn(seat)
            && usize::from(hare.carrots)
                .checked_sub(COST_OF_WAY_HOME[usize::from(hare.square)])
                .is_some_and(|left| left <= position.most_at_finish().into());
        if could_finish {
            PENALTY_BEFORE_HOME
        } else {
            PENALTY
        }
    }
}

impl Model for Lookahead {
    type Position = Position;
    type Move = Move;

    #[inline(always)]
    fn seats(&self, position: &Position) -> usize {
        position.seats()
    }

    #[inline(always)]
    fn turn(&self, position: &Position) -> Turn {
        position.turn()
    }

    #[inline(always)]
    fn moves(&self, position: &Position) -> impl ExactSizeIterator<Item = Move> {
        position.legal_moves()
    }

    #[inline(always)]
    fn play(&self, position: &Position, mv: Move) -> Position {
        let next = position.play_unchecked(mv);
        match next.turn() {
            Turn::Card(seat) if self.hare_model != HareModel::Chance => {
                self.pass_over_card(&next, seat)
            }
            _ => next,
        }
    }

    fn outcomes(&self, position: &Position) -> impl Iterator<Item = (Position, u32)> {
        position
            .outcomes()
            .map(|(card, weight)| (position.draw_unchecked(card), weight))
    }

    #[inline(always)]
    fn is_decided(&self, position: &Position, seat: Seat) -> bool {
        position.hare(seat).square == crate::rules::hase::FINISH
    }

    #[inline(always)]
    fn worth<const N: usize>(&self, position: &Position) -> [i32; N] {
        let mut worth = self.evaluation.worth(position);
        if self.hare_model == HareModel::ArticlePenalty {
            for (seat, worth) in worth.iter_mut().enumerate() {
                *worth -= Lookahead::penalty(position, Seat(seat as u8));
            }
        }
        worth
    }
}
