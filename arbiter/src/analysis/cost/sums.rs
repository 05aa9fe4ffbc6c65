//! Totals of the costs of engines and seats.

use std::cmp::Reverse;

use serde::Serialize;

use super::game::{JudgedGame, JudgedMove};
use matches::score::half_width;

/// Cost above which a move counts as dear, in permille.
pub const DEAR: u16 = 10;

/// Costs of the moves of all games.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    games: u64,
    /// Engines in the order of their first games, then of their seats there.
    engines: Vec<(String, Sums)>,
    seats: Vec<Sums>,
    /// The costliest moves, the costliest first; of equal ones, the earlier first.
    worst: Vec<JudgedMove>,
    most_worst: usize,
}

/// Totals of an engine or a seat.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sums {
    moves: u64,
    dear: u64,
    cost: u64,
    /// Cost of each game; for an engine in several seats, the mean over its seats.
    games: Vec<f64>,
}

/// Table row of an engine or a seat. Costs are in permille of all points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Games of the engine or seat.
    pub games: u64,
    /// Judged moves.
    pub moves: u64,
    /// Mean over its games of the cost of its moves, per seat.
    pub cost_per_game: f64,
    /// Half-width of the 95 % interval of `cost_per_game`, over games; `None` for fewer than two.
    pub error: Option<f64>,
    /// Mean cost of its moves; `None` without moves.
    pub cost_per_move: Option<f64>,
    /// Share of its moves that cost more than [`DEAR`], 0 to 1; `None` without moves.
    pub dear: Option<f64>,
}

impl Costs {
    /// Creates empty totals that keep the `most_worst` costliest moves.
    pub fn new(most_worst: usize) -> Costs {
        Costs {
            games: 0,
            engines: Vec::new(),
            seats: Vec::new(),
            worst: Vec::new(),
            most_worst,
        }
    }

    pub fn add(&mut self, game: JudgedGame) {
        self.games += 1;
        let seats = game.seats.len();
        if self.seats.len() < seats {
            self.seats.resize_with(seats, Sums::default);
        }
        for name in &game.seats {
            self.engine(name);
        }
        let mut of_seats = vec![0; seats];
        for judged in &game.moves {
            let Some(seat) = judged.seat.checked_sub(1).filter(|&seat| seat < seats) else {
                continue;
            };
            of_seats[seat] += u64::from(judged.cost);
            self.seats[seat].add_move(judged.cost);
            self.engine(&judged.engine).add_move(judged.cost);
        }
        for (sums, &cost) in self.seats.iter_mut().zip(&of_seats) {
            sums.games.push(cost as f64);
        }
        for (index, name) in game.seats.iter().enumerate() {
            if game.seats[..index].contains(name) {
                continue;
            }
            let own = game.seats.iter().zip(&of_seats);
            let own = own.filter(|(other, _)| *other == name);
            let own: Vec<u64> = own.map(|(_, &cost)| cost).collect();
            let mean = own.iter().sum::<u64>() as f64 / own.len() as f64;
            self.engine(name).games.push(mean);
        }
        let dear = game.moves.into_iter().filter(|judged| judged.cost > 0);
        self.worst.extend(dear);
        self.worst.sort_by_key(|judged| Reverse(judged.cost));
        self.worst.truncate(self.most_worst);
    }

    /// Number of games added.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Number of moves judged.
    pub fn moves(&self) -> u64 {
        self.seats.iter().map(|sums| sums.moves).sum()
    }

    /// Engines by name, in the order of their first games, then of their seats there.
    pub fn engines(&self) -> impl Iterator<Item = (&str, Line)> {
        let engines = self.engines.iter();
        engines.map(|(name, sums)| (name.as_str(), sums.line()))
    }

    /// Seats, with the moves of all engines that sat there.
    pub fn seats(&self) -> impl Iterator<Item = Line> {
        self.seats.iter().map(Sums::line)
    }

    /// The costliest moves, the costliest first; of equal ones, the earlier first.
    pub fn worst(&self) -> &[JudgedMove] {
        &self.worst
    }

    fn engine(&mut self, name: &str) -> &mut Sums {
        let known = self.engines.iter().position(|(known, _)| known == name);
        let index = known.unwrap_or_else(|| {
            self.engines.push((name.to_string(), Sums::default()));
            self.engines.len() - 1
        });
        &mut self.engines[index].1
    }
}

impl Sums {
    fn add_move(&mut self, cost: u16) {
        self.moves += 1;
        self.dear += u64::from(cost > DEAR);
        self.cost += u64::from(cost);
    }

    fn line(&self) -> Line {
        let games = self.games.len();
        let per_move = |sum: u64| (self.moves > 0).then(|| sum as f64 / self.moves as f64);
        Line {
            games: games as u64,
            moves: self.moves,
            cost_per_game: self.games.iter().sum::<f64>() / games.max(1) as f64,
            error: half_width(&self.games),
            cost_per_move: per_move(self.cost),
            dear: per_move(self.dear),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(number: u64, seats: [&str; 3], costs: &[(usize, u16)]) -> JudgedGame {
        let judged = |(index, &(seat, cost)): (usize, &(usize, u16))| JudgedMove {
            game: number,
            ply: index + 1,
            seat,
            engine: seats[seat - 1].to_string(),
            position: String::new(),
            played: "1".to_string(),
            best: "2".to_string(),
            cost,
        };
        JudgedGame {
            seats: seats.map(String::from).to_vec(),
            moves: costs.iter().enumerate().map(judged).collect(),
        }
    }

    #[test]
    fn sums_worked_by_hand() {
        let mut costs = Costs::new(2);
        let first = [(1, 10), (2, 0), (3, 30), (1, 11)];
        costs.add(game(1, ["b", "a", "b"], &first));
        costs.add(game(2, ["a", "b", "b"], &[(1, 30), (2, 0)]));
        assert_eq!((costs.games(), costs.moves()), (2, 6));
        let engines: Vec<(&str, Line)> = costs.engines().collect();
        assert_eq!(engines[0].0, "b");
        let b = &engines[0].1;
        // 21 and 30 in one game, 0 and 0 in the other.
        assert_eq!((b.games, b.moves, b.cost_per_game), (2, 4, 12.75));
        // Two samples; they differ by twice the standard error.
        let error = 12.706 * 12.75;
        assert!((b.error.unwrap() - error).abs() < 1e-9, "{b:?}");
        assert_eq!((b.cost_per_move, b.dear), (Some(12.75), Some(0.5)));
        let seats: Vec<Line> = costs.seats().collect();
        assert_eq!((seats[0].moves, seats[0].cost_per_game), (3, 25.5));
        assert_eq!((seats[2].moves, seats[2].cost_per_game), (1, 15.0));
        let worst: Vec<(u64, usize)> = costs.worst().iter().map(|w| (w.game, w.ply)).collect();
        assert_eq!(worst, [(1, 3), (2, 1)]);
    }

    #[test]
    fn without_moves_there_is_no_mean() {
        let mut costs = Costs::new(2);
        costs.add(game(1, ["a", "b", "c"], &[]));
        let line = costs.seats().next().unwrap();
        assert_eq!((line.games, line.cost_per_game), (1, 0.0));
        let means = (line.error, line.cost_per_move, line.dear);
        assert_eq!(means, (None, None, None));
    }
}
