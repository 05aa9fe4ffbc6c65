//! The vector search by its definition: every move, every position, no order, no bounds.

use std::cmp::Ordering;

use buxtehude::articles::DECIDED_WORTH;
use buxtehude::articles::evaluation::{Factors, terms};
use buxtehude::articles::lookahead::HareModel;
use buxtehude::articles::strategy::Strategy;
use buxtehude::rules::hase::{Move, Position, Square, cost};
use buxtehude::rules::{Game, Seat, Turn};

use super::HALF;

/// A search whose only shortcut is its caps.
pub struct Slow {
    pub strategy: Strategy,
    pub hare_model: HareModel,
    /// Number of moves to search at each ply; 0, or none given, means all.
    pub caps: Vec<usize>,
}

impl Slow {
    /// The vector of a position with a seat to move, and the expected moves up to the first card.
    pub fn best(&self, position: &Position, depth: u32) -> (Vec<i32>, Vec<Move>) {
        self.best_at(position, depth, 0)
    }

    fn best_at(&self, position: &Position, depth: u32, ply: usize) -> (Vec<i32>, Vec<Move>) {
        let mover = mover_of(position);
        let mut moves: Vec<Move> = position.legal_moves().collect();
        let cap = self.caps.get(ply).or(self.caps.last()).copied();
        if let Some(cap) = cap.filter(|cap| *cap > 0) {
            let worth = |mv: &Move| self.after(&self.play(position, *mv), mover, 0, ply).0;
            // The sort is stable, so the lower of two equal moves comes first.
            moves.sort_by(|a, b| self.compare(mover, &worth(b), &worth(a)));
            moves.truncate(cap);
            moves.sort();
        }
        let mut lines: Vec<(Vec<i32>, Vec<Move>)> = Vec::new();
        for mv in moves {
            let next = self.play(position, mv);
            let (vector, mut below) = self.after(&next, mover, depth - 1, ply + 1);
            below.insert(0, mv);
            lines.push((vector, below));
        }
        // Of equally good moves, the lowest comes first.
        let vectors = lines.iter().map(|(vector, _)| vector);
        let best = vectors.max_by(|a, b| self.compare(mover, a, b)).expect("a legal move").clone();
        let mut lines = lines.into_iter();
        lines.find(|(vector, _)| *vector == best).expect("it is one of them")
    }

    fn after(
        &self,
        position: &Position,
        moved: Seat,
        depth: u32,
        ply: usize,
    ) -> (Vec<i32>, Vec<Move>) {
        if position.hare(moved).square == 64 {
            return (self.worth(position), Vec::new());
        }
        if let Turn::Card(_) = position.turn() {
            let mut sums = vec![0i64; position.seats()];
            let mut cards = 0;
            for (card, count) in position.outcomes() {
                let next = position.draw_unchecked(card);
                let (vector, _) = self.after(&next, moved, depth, ply);
                for (sum, component) in sums.iter_mut().zip(vector) {
                    *sum += i64::from(component) * i64::from(count);
                }
                cards += i64::from(count);
            }
            let mean = |sum: &i64| (*sum as f64 / cards as f64).floor() as i32;
            return (sums.iter().map(mean).collect(), Vec::new());
        }
        if depth == 0 || position.turn() == Turn::Over {
            return (self.worth(position), Vec::new());
        }
        self.best_at(position, depth, ply)
    }

    /// The vector and the move found by the article's pruning, taken literally: moves in ascending order, the first of
    /// equal ones, alpha and beta passed down and updated with the component of seat 1.
    pub fn best_as_in_the_article(
        &self,
        position: &Position,
        depth: u32,
        mut alpha: i32,
        mut beta: i32,
    ) -> (Vec<i32>, Move) {
        let mover = mover_of(position);
        let mut best: Option<(Vec<i32>, Move)> = None;
        for mv in position.legal_moves() {
            let next = self.play(position, mv);
            let is_leaf = next.hare(mover).square == 64 || depth == 1 || next.turn() == Turn::Over;
            let vector = if is_leaf {
                self.worth(&next)
            } else {
                self.best_as_in_the_article(&next, depth - 1, alpha, beta).0
            };
            let first = vector[0];
            let is_larger = |best: &Vec<i32>| self.value(mover, &vector) > self.value(mover, best);
            if best.as_ref().is_none_or(|(best, _)| is_larger(best)) {
                best = Some((vector, mv));
            }
            if mover == Seat(0) {
                alpha = alpha.max(first);
            } else {
                beta = beta.min(first);
            }
            if beta <= alpha {
                break;
            }
        }
        best.expect("a legal move")
    }

    /// `true` if the vector of the move is worth less to the mover than `best`, the vector of the best move.
    pub fn is_worse_move(&self, position: &Position, mv: Move, best: &[i32], depth: u32) -> bool {
        let mover = mover_of(position);
        let (vector, _) = self.after(&self.play(position, mv), mover, depth - 1, 1);
        self.value(mover, &vector) < self.value(mover, best)
    }

    /// The position after a move and its card, without drawing the card: made from its text.
    fn play(&self, position: &Position, mv: Move) -> Position {
        let next = position.play_unchecked(mv);
        let Turn::Card(Seat(drawer)) = next.turn() else {
            return next;
        };
        if self.hare_model == HareModel::Chance {
            return next;
        }
        let text = next.to_string();
        let (hares, rest) = text.split_once(' ').expect("four fields");
        let (_, finished_and_drawn) = rest.split_once(' ').expect("four fields");
        let mut hares: Vec<String> = hares.split('/').map(String::from).collect();
        let hare = next.hare(Seat(drawer));
        let is_last = hare.square > 57 && self.hare_model == HareModel::Article;
        let carrots = if is_last { 65 } else { i64::from(hare.carrots).max(7) - 7 };
        hares[usize::from(drawer)] = format!("{},{carrots},{}", hare.square, hare.lettuces);
        let seats = next.seats() as u8;
        let in_race = |seat: &u8| next.hare(Seat(*seat)).square < 64;
        let later = (1..=seats).map(|step| (drawer + step) % seats).find(in_race);
        let turn = later.expect("the drawer is in the race") + 1;
        let text = format!("{} {turn} {finished_and_drawn}", hares.join("/"));
        Position::parse(next.ruleset(), &text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn worth(&self, position: &Position) -> Vec<i32> {
        let seats = Seat::all(position.seats());
        let worth = |seat: Seat| {
            let hare = position.hare(seat);
            if hare.square == 64 {
                let before = position.finished().take_while(|other| *other != seat).count();
                return DECIDED_WORTH * (position.seats() - before) as i32;
            }
            let e = terms(position, seat).worth(&Factors::default());
            let square = position.ruleset().track.square(hare.square);
            if self.hare_model != HareModel::ArticlePenalty || square != Square::Hare {
                return e;
            }
            let left = i64::from(hare.carrots) - i64::from(cost(64 - u16::from(hare.square)));
            let most = 10 * (position.finished().len() as i64 + 1);
            let could_finish =
                hare.lettuces == 0 && !position.misses_turn(seat) && (0..=most).contains(&left);
            e - if could_finish { 30_000 } else { 3_000 }
        };
        seats.map(worth).collect()
    }

    fn compare(&self, mover: Seat, a: &[i32], b: &[i32]) -> Ordering {
        let from_mover = |vector: &[i32]| {
            let seats = vector.len();
            let seat = |step| vector[(mover.index() + step) % seats];
            (0..seats).map(seat).collect::<Vec<i32>>()
        };
        let by_value = self.value(mover, a).cmp(&self.value(mover, b));
        // Two seats under `relative`: seat 2 wants the lower pair.
        let is_lower_wanted =
            self.strategy == Strategy::RELATIVE && a.len() == 2 && mover == Seat(1);
        by_value.then(if is_lower_wanted {
            b[0].cmp(&a[0])
        } else {
            from_mover(a).cmp(&from_mover(b))
        })
    }

    /// The quantities that the strategy maximizes, in order.
    fn value(&self, mover: Seat, vector: &[i32]) -> Vec<i32> {
        let mover = mover.index();
        let rivals = (0..vector.len()).filter(|rival| *rival != mover);
        let leads = rivals.map(|rival| vector[mover] - vector[rival]);
        let lead = leads.min().expect("a rival");
        match self.strategy {
            Strategy::ABSOLUTE => vec![vector[mover]],
            Strategy::RELATIVE => vec![lead],
            Strategy::HYBRID => vec![vector[mover], lead],
            // Twice its own component less half of the best rival's.
            HALF => vec![vector[mover] + lead],
            other => panic!("{other:?} is not implemented"),
        }
    }
}

fn mover_of(position: &Position) -> Seat {
    match position.turn() {
        Turn::Seat(mover) => mover,
        turn => panic!("{turn:?} in\n{position:?}"),
    }
}
