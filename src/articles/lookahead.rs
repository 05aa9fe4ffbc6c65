//! Model of Hase und Igel for the article's search, with its treatment of hare squares.
//!
//! Source: the article "AI in Hase und Igel: minimax for three", "hare trap".

use std::ops::ControlFlow;

use super::evaluation::{COST_OF_WAY_HOME, CURVES, Evaluation, Factors, finished_worth};
use super::vectors::{Model, each_worth_by_playing};
use crate::rules::hase::{Card, FINISH, Hare, Move, Position, Ruleset, Square, Track, cost};
use crate::rules::{Game, Seat, Turn};

/// Carrots that a hare square costs if no card is drawn.
const TOLL: u16 = 7;

/// First of the last hare squares, where a card may cost the race.
const LAST_HARES: u8 = 58;

/// Penalty in E for standing on a hare square, in hundredths.
const PENALTY: i32 = 3_000;

/// Penalty in E if the hare could finish with its next move, in hundredths.
const PENALTY_BEFORE_HOME: i32 = 30_000;

/// Effect of a hare square in the search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HareModel {
    /// It costs 7 carrots; one of the last hare squares sets the holding to 65 instead, so the hare cannot finish soon.
    #[default]
    Article,
    /// It costs 7 carrots, and standing on it at the end of a line is penalised.
    ArticlePenalty,
    /// A card is drawn, each with its chance.
    Chance,
}

/// Model of a variant with given settings.
#[derive(Clone, Debug)]
pub struct Lookahead {
    track: &'static Track,
    evaluation: Evaluation,
    hare_model: HareModel,
}

impl Lookahead {
    /// The model with the preset's curves.
    pub fn new(ruleset: &'static Ruleset, factors: &Factors, hare_model: HareModel) -> Lookahead {
        Lookahead {
            track: &ruleset.track,
            evaluation: Evaluation::new(ruleset, &CURVES, factors),
            hare_model,
        }
    }

    /// Position with the due card skipped. `Show` stands for it: it has no effect, and the model never looks at the
    /// drawn cards.
    #[inline(always)]
    fn pass_over_card(&self, position: &Position, seat: Seat) -> Position {
        let hare = position.hare(seat);
        let carrots = self.after_hare(hare.square, hare.carrots);
        position.draw_unchecked(Card::Show).with_carrots(seat, carrots)
    }

    /// Holding of a hare that arrives on the hare square `square` with `carrots`.
    #[inline(always)]
    fn after_hare(&self, square: u8, carrots: u16) -> u16 {
        if square >= LAST_HARES && self.hare_model == HareModel::Article {
            Card::RESTORED
        } else {
            carrots.saturating_sub(TOLL)
        }
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
        if could_finish { PENALTY_BEFORE_HOME } else { PENALTY }
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
    fn moves(&self, position: &Position) -> impl Iterator<Item = Move> {
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
        position.outcomes().map(|(card, weight)| (position.draw_unchecked(card), weight))
    }

    #[inline(always)]
    fn is_decided(&self, position: &Position, seat: Seat) -> bool {
        position.hare(seat).square == FINISH
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

    #[inline(always)]
    fn each_worth<const N: usize>(
        &self,
        position: &Position,
        mover: Seat,
        mut take: impl FnMut(Move, [i32; N], bool) -> ControlFlow<()>,
    ) {
        let moves = position.legal_moves();
        // A forced stay is then the only move; it can change lettuces, or the square.
        if self.hare_model != HareModel::Article || moves.contains(Move::STAY) {
            return each_worth_by_playing(self, position, mover, take);
        }
        let steps = Steps::<N>::new(self, position, mover);
        for mv in moves {
            let (worth, is_decided) = steps.worth_after(mv);
            if take(mv, worth, is_decided).is_break() {
                return;
            }
        }
    }
}

/// Evaluates each move of a hare under [`HareModel::Article`] without building the positions. No other hare moves; the
/// others are affected only by whether the mover is ahead of them.
struct Steps<'a, const N: usize> {
    model: &'a Lookahead,
    mover: usize,
    hare: Hare,
    /// The hare's carrots, including its income.
    held: u16,
    /// Squares of all hares.
    squares: [u8; N],
    /// Mask of the other hares' squares, except start and finish.
    others: u64,
    /// Number of seats that have finished.
    finished: u16,
    /// E of each seat if the mover is not ahead of it, and if it is.
    worth: [[i32; N]; 2],
}

impl<'a, const N: usize> Steps<'a, N> {
    #[inline(always)]
    fn new(model: &'a Lookahead, position: &Position, mover: Seat) -> Steps<'a, N> {
        let hare = position.hare(mover);
        let mut steps = Steps {
            model,
            mover: mover.index(),
            hare,
            held: hare.carrots.saturating_add(position.income(mover)),
            squares: [0; N],
            others: position.occupied() & !(1u64.unbounded_shl(hare.square.into())),
            finished: position.finished().len() as u16,
            worth: [[0; N]; 2],
        };
        for (index, rival) in position.hares().iter().enumerate().take(N) {
            steps.squares[index] = rival.square;
            if index == steps.mover {
                continue;
            }
            let seat = Seat(index as u8);
            if rival.square == FINISH {
                let finished = model.evaluation.worth_of(position, seat);
                steps.worth[0][index] = finished;
                steps.worth[1][index] = finished;
                continue;
            }
            let misses_turn = position.misses_turn(seat);
            for is_ahead in 0..2 {
                let place = || steps.place_on(rival.square) + is_ahead;
                let income = model.track.income(rival.square, place, misses_turn);
                let held = rival.carrots.saturating_add(income);
                steps.worth[usize::from(is_ahead)][index] =
                    model.evaluation.worth_on(rival.square, rival.lettuces, held);
            }
        }
        steps
    }

    /// Place of a hare on a square before the finish, not counting the mover.
    #[inline(always)]
    fn place_on(&self, square: u8) -> u16 {
        1 + (self.others >> square >> 1).count_ones() as u16 + self.finished
    }

    /// Evaluation after a move that is not a forced stay, and whether the hare finishes.
    #[inline(always)]
    fn worth_after(&self, mv: Move) -> ([i32; N], bool) {
        let code = mv.code();
        let (square, mut carrots) = match code {
            1..=64 => (self.hare.square + code as u8, self.held - cost(code as u16)),
            -63..=-1 => (
                self.hare.square - code.unsigned_abs() as u8,
                self.held.saturating_add(10 * code.unsigned_abs()),
            ),
            _ if mv == Move::TAKE => (self.hare.square, self.held.saturating_add(10)),
            _ => (self.hare.square, self.held - 10),
        };
        let mut worth: [i32; N] =
            std::array::from_fn(|seat| self.worth[usize::from(square > self.squares[seat])][seat]);
        if square == FINISH {
            worth[self.mover] = finished_worth(usize::from(self.finished) + 1, N);
            return (worth, true);
        }
        let track = self.model.track;
        if track.hares >> square & 1 == 1 && code > 0 {
            carrots = self.model.after_hare(square, carrots);
        }
        let eats = track.lettuces >> square & 1 == 1;
        let income = track.income(square, || self.place_on(square), eats);
        worth[self.mover] = self.model.evaluation.worth_on(
            square,
            self.hare.lettuces,
            carrots.saturating_add(income),
        );
        (worth, false)
    }
}
