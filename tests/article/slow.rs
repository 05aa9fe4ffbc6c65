//! The search for vectors as its definition has it: every move, every position, no order, no bounds.

use std::cmp::Ordering;

use buxtehude::eval::DECIDED_WORTH;
use buxtehude::eval::article::{Factors, terms};
use buxtehude::eval::lookahead::HareModel;
use buxtehude::rules::hase::{Move, Position, Square, cost};
use buxtehude::rules::{Game, Seat, Turn};
use buxtehude::search::vectors::Strategy;

/// A search without any short cut.
pub struct Slow {
    pub strategy: Strategy,
    pub hare_model: HareModel,
}

impl Slow {
    /// The vector of a position in which a seat is to move, and the moves expected up to the first card.
    pub fn best(&self, position: &Position, depth: u32) -> (Vec<i32>, Vec<Move>) {
        let Turn::Seat(mover) = position.turn() else {
            panic!("nobody moves in\n{position:?}");
        };
        let mut lines: Vec<(Vec<i32>, Vec<Move>)> = Vec::new();
        for mv in position.legal_moves() {
            let (vector, mut below) = self.after(&self.play(position, mv), mover, depth - 1);
            below.insert(0, mv);
            lines.push((vector, below));
        }
        // Of the best, the lowest move, which comes first.
        let best = lines
            .iter()
            .map(|(vector, _)| vector)
            .max_by(|a, b| self.compare(mover, a, b));
        let best = best.expect("a legal move").clone();
        lines
            .into_iter()
            .find(|(vector, _)| *vector == best)
            .expect("it is one of them")
    }

    fn after(&self, position: &Position, moved: Seat, depth: u32) -> (Vec<i32>, Vec<Move>) {
        if position.place(moved).is_some() && position.hare(moved).square == 64 {
            return (self.worth(position), Vec::new());
        }
        if let Turn::Card(_) = position.turn() {
            let mut sums = vec![0i64; position.seats()];
            let mut cards = 0;
            for (card, count) in position.outcomes() {
                let (vector, _) = self.after(&position.draw_unchecked(card), moved, depth);
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
        self.best(position, depth)
    }

    /// The position after a move, and after the card that is not drawn: made by its text.
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
        let carrots = if is_last {
            65
        } else {
            i64::from(hare.carrots).max(7) - 7
        };
        hares[usize::from(drawer)] = format!("{},{carrots},{}", hare.square, hare.lettuces);
        let seats = next.seats() as u8;
        let in_race = |seat: &u8| next.hare(Seat(*seat)).square < 64;
        let later = (1..=seats)
            .map(|step| (drawer + step) % seats)
            .find(in_race);
        let turn = later.expect("the drawer is in the race") + 1;
        let text = format!("{} {turn} {finished_and_drawn}", hares.join("/"));
        Position::parse(next.ruleset(), &text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn worth(&self, position: &Position) -> Vec<i32> {
        let seats = (0..position.seats() as u8).map(Seat);
        let worth = |seat: Seat| {
            let hare = position.hare(seat);
            if hare.square == 64 {
                let before = position
                    .finished()
                    .take_while(|other| *other != seat)
                    .count();
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
        let mover = mover.index();
        let lead = |vector: &[i32]| {
            let rivals = (0..vector.len()).filter(|rival| *rival != mover);
            rivals
                .map(|rival| vector[mover] - vector[rival])
                .min()
                .expect("a rival")
        };
        let from_mover = |vector: &[i32]| {
            let seats = vector.len();
            (0..seats)
                .map(|step| vector[(mover + step) % seats])
                .collect::<Vec<i32>>()
        };
        let by_own = a[mover].cmp(&b[mover]);
        let by_lead = lead(a).cmp(&lead(b));
        let by_vector = from_mover(a).cmp(&from_mover(b));
        match self.strategy {
            Strategy::Absolute => by_own.then(by_vector),
            Strategy::Relative if a.len() == 2 && mover == 1 => by_lead.then(b[0].cmp(&a[0])),
            Strategy::Relative => by_lead.then(by_vector),
            Strategy::Hybrid => by_own.then(by_lead).then(by_vector),
        }
    }
}
