//! Thinking times of the engines: their distribution, and their mean at each move of the game.

use super::plot::Plot;
use matches::record::GameRecord;

/// Number of histogram classes for each factor of ten.
const CLASSES_PER_DECADE: f64 = 5.0;

/// Number of classes, from 1 microsecond to beyond 1000 seconds.
const CLASSES: usize = 46;

/// Maximum number of moves of a game; later ones are not counted.
const MAX_MOVES: usize = 2000;

/// Maximum number of groups of moves, each with a mean time.
const MAX_GROUPS: usize = 60;

#[derive(Clone, Debug)]
pub struct TimeUse {
    names: Vec<String>,
    engines: Vec<Times>,
}

#[derive(Clone, Debug)]
struct Times {
    /// Number of answers in each class.
    classes: [u64; CLASSES],
    /// Number of answers at each move of the game, and their total in microseconds.
    by_move: Vec<(u64, u64)>,
}

impl TimeUse {
    pub fn new(names: Vec<String>) -> TimeUse {
        let none = Times { classes: [0; CLASSES], by_move: Vec::new() };
        TimeUse { engines: vec![none; names.len()], names }
    }

    /// Counts the answers of a game whose times are known.
    pub fn add(&mut self, record: &GameRecord) {
        let engine = |name: &String| self.names.iter().position(|known| known == name);
        let engines: Vec<Option<usize>> = record.seats.iter().map(engine).collect();
        for (index, turn) in record.turns.iter().enumerate() {
            let seat = (turn.seat as usize).wrapping_sub(1);
            let engine = engines.get(seat).copied().flatten();
            let Some((times, micros)) =
                engine.and_then(|engine| self.engines.get_mut(engine)).zip(turn.micros)
            else {
                continue;
            };
            times.classes[class(micros)] += 1;
            if index < MAX_MOVES {
                if times.by_move.len() <= index {
                    times.by_move.resize(index + 1, (0, 0));
                }
                times.by_move[index].0 += 1;
                times.by_move[index].1 += micros;
            }
        }
    }

    /// The curves, each with its title; empty if no times are known.
    pub fn plots(&self) -> Vec<(&'static str, Plot)> {
        if self.engines.iter().all(|times| times.by_move.is_empty()) {
            return Vec::new();
        }
        let plot = |x, y, curves: Vec<Vec<(f64, f64)>>| Plot {
            x,
            y,
            curves: curves.into_iter().enumerate().collect(),
            ..Plot::default()
        };
        let distribution =
            Plot { is_logarithmic: true, ..plot("ms/move", "% of answers", self.distributions()) };
        let by_move = plot("move of the game", "mean ms", self.by_move());
        vec![("Time of an answer", distribution), ("Mean time by move", by_move)]
    }

    /// Distribution for each engine: milliseconds, and the percentage of answers in that class.
    fn distributions(&self) -> Vec<Vec<(f64, f64)>> {
        let distribution = |times: &Times| {
            let all: u64 = times.classes.iter().sum();
            let used = |index: &usize| times.classes[*index] > 0;
            let Some(first) = (0..CLASSES).find(used) else {
                return Vec::new();
            };
            let last = (0..CLASSES).rfind(used).unwrap_or(first);
            // The curve begins and ends at zero.
            let shown = first.saturating_sub(1)..=(last + 1).min(CLASSES - 1);
            let percentage = |index: usize| 100.0 * times.classes[index] as f64 / all as f64;
            shown.map(|index| (middle_ms(index), percentage(index))).collect()
        };
        self.engines.iter().map(distribution).collect()
    }

    /// Mean milliseconds for each engine at each move, counted from 1 after the opening; in a long game, moves are
    /// grouped.
    fn by_move(&self) -> Vec<Vec<(f64, f64)>> {
        let moves = self.engines.iter().map(|times| times.by_move.len()).max();
        let together = moves.unwrap_or(0).div_ceil(MAX_GROUPS).max(1);
        let means = |times: &Times| {
            let groups = times.by_move.chunks(together).enumerate();
            let mean = |(group, moves): (usize, &[(u64, u64)])| {
                let count: u64 = moves.iter().map(|(count, _)| count).sum();
                let micros: u64 = moves.iter().map(|(_, micros)| micros).sum();
                let middle = (group * together) as f64 + (moves.len() + 1) as f64 / 2.0;
                (count > 0).then(|| (middle, micros as f64 / 1000.0 / count as f64))
            };
            groups.filter_map(mean).collect()
        };
        self.engines.iter().map(means).collect()
    }
}

fn class(micros: u64) -> usize {
    let class = (micros.max(1) as f64).log10() * CLASSES_PER_DECADE;
    (class as usize).min(CLASSES - 1)
}

/// Middle of a class on the logarithmic scale, in milliseconds.
fn middle_ms(class: usize) -> f64 {
    10f64.powf((class as f64 + 0.5) / CLASSES_PER_DECADE) / 1000.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use matches::record::TurnRecord;
    use matches::record::ending::Ending;

    #[test]
    fn times_are_counted_for_each_engine() {
        let turn = |seat, micros| TurnRecord { seat, micros, ..TurnRecord::default() };
        let record = GameRecord {
            game: 1,
            block: 1,
            seats: vec!["slow".into(), "quick".into()],
            places: vec![1, 2],
            endings: vec![Ending::Finish; 2],
            turns: vec![
                turn(1, Some(30_000)),
                turn(2, Some(20)),
                turn(1, Some(10_000)),
                turn(2, None),
            ],
            ..GameRecord::default()
        };
        let mut times = TimeUse::new(vec!["quick".into(), "slow".into()]);
        times.add(&record);
        assert_eq!(times.by_move(), [vec![(2.0, 0.02)], vec![(1.0, 30.0), (3.0, 10.0)]]);
        let distributions = times.distributions();
        let shares = |engine: usize| -> Vec<f64> {
            let points = distributions[engine].iter();
            points.map(|&(_, share)| share).filter(|share| *share > 0.0).collect()
        };
        assert_eq!((shares(0), shares(1)), (vec![100.0], vec![50.0, 50.0]), "{distributions:?}");
        let (ms, _) = distributions[0][1];
        assert!((0.015..0.03).contains(&ms), "{distributions:?}");
    }
}
