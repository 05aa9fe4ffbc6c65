//! What the moves of engines and seats add up to.

use std::cmp::Reverse;

use serde::Serialize;

use super::game::{JudgedGame, JudgedMove};
use matches::score::half_width;

/// A move that costs more than so many permille is a dear one.
pub const DEAR: u16 = 10;

/// What the moves of all games cost.
#[derive(Clone, Debug, PartialEq)]
pub struct Costs {
    games: u64,
    /// The engines in the order of the first game of each, and of its seats.
    engines: Vec<(String, Sums)>,
    seats: Vec<Sums>,
    /// The costliest moves, the costliest first, of equal ones the earlier.
    worst: Vec<JudgedMove>,
    most_worst: usize,
}

/// What the moves of an engine or a seat add up to.
#[derive(Clone, Debug, Default, PartialEq)]
struct Sums {
    moves: u64,
    dear: u64,
    cost: u64,
    /// The cost of each game, of an engine that had several seats the mean of these.
    games: Vec<f64>,
}

/// A line of a table: what is told of an engine or a seat. Costs are in permille of all points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Line {
    /// Games in which it sat.
    pub games: u64,
    /// Moves that were judged.
    pub moves: u64,
    /// The mean over its games of what its moves cost, in each seat that it had.
    pub cost_per_game: f64,
    /// The half-width of the 95 % interval of that, over games, or `None` for fewer than two.
    pub error: Option<f64>,
    /// The mean cost of its moves, or `None` without any.
    pub cost_per_move: Option<f64>,
    /// The part of its moves that cost more than [`DEAR`], 0 to 1, or `None` without any.
    pub dear: Option<f64>,
}

impl Costs {
    /// Nothing yet; `most_worst` of the costliest moves will be kept.
    pub fn new(most_worst: usize) -> Costs {
        Costs {
            games: 0,
            engines: Vec::new(),
            seats: Vec::new(),
            worst: Vec::new(),
            most_worst,
        }
    }

    /// Adds a game.
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

    /// Games added.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// Moves judged.
    pub fn moves(&self) -> u64 {
        self.seats.iter().map(|sums| sums.moves).sum()
    }

    /// The engines by name, in the order of the first game of each, and of its seats.
    pub fn engines(&self) -> impl Iterator<Item = (&str, Line)> {
        let engines = self.engines.iter();
        engines.map(|(name, sums)| (name.as_str(), sums.line()))
    }

    /// The seats, whoever sat there.
    pub fn seats(&self) -> impl Iterator<Item = Line> {
        self.seats.iter().map(Sums::line)
    }

    /// The costliest moves, the costliest first, of equal ones the earlier.
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
        // 21 and 30 in one game, twice nothing in the other.
        assert_eq!((b.games, b.moves, b.cost_per_game), (2, 4, 12.75));
        // Two samples that differ by twice the standard error.
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
