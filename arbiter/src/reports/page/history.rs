//! Rating, Elo and LLR over the course of a match, in the order of the schedule.

use super::plot::Plot;
use matches::report::Report;
use matches::score::Interval;

/// Maximum number of points of a curve.
const MAX_POINTS: usize = 400;

/// State of the match after a number of games.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Number of games, in whole blocks.
    pub games: u64,
    /// Rating of each engine, in the order of the plan.
    pub ratings: Vec<f64>,
    /// The first engine against the second, if there are only two.
    pub elo: Option<Interval>,
    /// Log-likelihood ratio of the SPRT.
    pub llr: Option<f64>,
}

/// Samples at equal distances; their number is bounded.
#[derive(Clone, Debug, Default)]
pub struct History {
    samples: Vec<Sample>,
    /// Number of times that every other sample was dropped.
    halvings: u32,
    /// Number of samples seen, kept or not.
    seen: u64,
    /// Number of games at the last of them.
    games: u64,
}

impl History {
    /// Takes a sample if a block has been completed since the last one.
    pub fn sample(&mut self, report: &Report) {
        let games = report.standings().games_in_blocks();
        if games == self.games {
            return;
        }
        self.games = games;
        self.seen += 1;
        if !self.seen.is_multiple_of(1 << self.halvings) {
            return;
        }
        self.samples.push(sample(report));
        if self.samples.len() >= 2 * MAX_POINTS {
            // Drop every other sample; the rest are multiples of the new distance.
            let mut number = 0;
            self.samples.retain(|_| {
                number += 1;
                number % 2 == 0
            });
            self.halvings += 1;
        }
    }

    /// The available curves, each with its title.
    pub fn plots(&self, report: &Report) -> Vec<(&'static str, Plot)> {
        let samples = self.samples(report);
        let mut plots = Vec::new();
        if samples.is_empty() {
            return plots;
        }
        if report.ratings().is_some() {
            plots.push(("Rating", ratings(&samples)));
        }
        if samples.iter().any(|sample| sample.elo.is_some()) {
            plots.push(("Elo of the first against the second, 95 % interval", elo(&samples)));
        }
        if let Some(sprt) = report.sprt() {
            let (low, high) = sprt.bounds();
            let llr = samples.iter().filter_map(|sample| Some((sample.games as f64, sample.llr?)));
            let plot = Plot {
                curves: vec![(0, llr.collect())],
                levels: vec![low, high],
                ..of_games("LLR")
            };
            plots.push(("LLR and its bounds", plot));
        }
        plots
    }

    /// The samples, ending with the current state.
    fn samples(&self, report: &Report) -> Vec<Sample> {
        let mut samples = self.samples.clone();
        if samples.last().is_some_and(|last| last.games < self.games) {
            samples.push(sample(report));
        }
        samples
    }
}

fn of_games(y: &'static str) -> Plot {
    Plot { x: "games", y, ..Plot::default() }
}

fn ratings(samples: &[Sample]) -> Plot {
    let engines = samples.first().map_or(0, |sample| sample.ratings.len());
    let curve = |engine: usize| {
        let points = samples.iter();
        let points =
            points.filter_map(|sample| Some((sample.games as f64, *sample.ratings.get(engine)?)));
        (engine, points.collect())
    };
    Plot { curves: (0..engines).map(curve).collect(), levels: vec![0.0], ..of_games("rating") }
}

/// Elo with its interval; an infinite bound is drawn at the edge.
fn elo(samples: &[Sample]) -> Plot {
    let known = || samples.iter().filter_map(|sample| Some((sample.games as f64, sample.elo?)));
    let curve: Vec<(f64, f64)> = known()
        .filter(|(_, interval)| interval.value.is_finite())
        .map(|(games, interval)| (games, interval.value))
        .collect();
    // The first intervals are so wide that they would flatten the rest.
    let late = known().skip(samples.len() / 5);
    let bounds = late.flat_map(|(_, interval)| [interval.low, interval.value, interval.high]);
    let bounds = bounds.filter(|bound| bound.is_finite());
    let (low, high) =
        bounds.fold((-1.0f64, 1.0f64), |(low, high), bound| (low.min(bound), high.max(bound)));
    Plot {
        curves: vec![(0, curve)],
        band: known().map(|(games, interval)| (games, interval.low, interval.high)).collect(),
        levels: vec![0.0],
        range: Some(low..high),
        ..of_games("Elo")
    }
}

fn sample(report: &Report) -> Sample {
    let standings = report.standings();
    let (ratings, scores) = (standings.ratings(), standings.head_to_head());
    Sample {
        games: standings.games_in_blocks(),
        ratings: ratings.iter().map(|rating| rating.rating).collect(),
        elo: scores.and_then(|scores| scores.elo()),
        llr: report.llr(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use matches::record::GameRecord;
    use matches::record::ending::Ending;

    /// A pair of games, both won by the first engine.
    fn pair(block: u64) -> [GameRecord; 2] {
        [["one", "other"], ["other", "one"]].map(|seats| GameRecord {
            game: 2 * block - u64::from(seats[0] == "one"),
            block,
            seats: seats.map(String::from).into(),
            moves: block.to_string(),
            places: seats.map(|name| 1 + u32::from(name == "other")).into(),
            endings: vec![Ending::Finish, Ending::Last],
            ..GameRecord::default()
        })
    }

    #[test]
    fn samples_of_many_games_are_few_and_evenly_spaced() {
        for blocks in [1, 2, 799, 800, 801, 5003] {
            let mut report = Report::new(vec!["one".into(), "other".into()], 2, 2);
            let mut history = History::default();
            for record in (1..=blocks).flat_map(pair) {
                report.add(&record);
                history.sample(&report);
            }
            let samples = history.samples(&report);
            let games: Vec<u64> = samples.iter().map(|sample| sample.games).collect();
            assert!(games.len() <= 2 * MAX_POINTS, "{blocks}: {}", games.len());
            assert!(games.is_sorted_by(|one, next| one < next), "{games:?}");
            assert_eq!(games.last(), Some(&(2 * blocks)), "{games:?}");
            let distance = 2 << history.halvings;
            assert_eq!(games[0], distance.min(2 * blocks), "{games:?}");
            let last = samples.last().unwrap();
            assert_eq!(last.elo, report.standings().head_to_head().unwrap().elo());
            let ratings = sample(&report).ratings;
            assert!(last.ratings == ratings && ratings[0] > ratings[1], "{ratings:?}");
        }
    }
}
