//! Curves of the page, drawn by `plotters`: the course of a match in the order of its schedule, and thinking times.

use std::ops::Range;

use matches::record::GameRecord;
use matches::report::Report;
use matches::score::Interval;
use plotters::coord::ranged1d::{AsRangedCoord, ValueFormatter};
use plotters::prelude::*;

/// Width and height of a plot, small enough for its text to be readable on a telephone.
const SIZE: (u32, u32) = (360, 240);

/// Font size.
const FONT_SIZE: u32 = 15;

/// Colours of engines and seats, in order. page.css has the same ones, and lighter ones for dark mode.
///
/// Source: M. Okabe and K. Ito, "Color universal design" (2008), with the lightest colours darkened.
pub const COLOURS: [RGBColor; 6] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(179, 134, 0),
    RGBColor(110, 86, 207),
];

/// Margin at either end of an axis, as a share of its length.
const AIR: f64 = 0.06;

/// A coordinate system with curves in it.
#[derive(Clone, Debug, Default)]
pub struct Plot {
    /// Label of the horizontal axis.
    pub x: &'static str,
    /// Label of the vertical axis.
    pub y: &'static str,
    /// `true` if the horizontal axis is logarithmic.
    pub is_logarithmic: bool,
    /// The curves, in the order of the colours.
    pub curves: Vec<Vec<(f64, f64)>>,
    /// Band around the first curve: x, lower and upper bound.
    pub band: Vec<(f64, f64, f64)>,
    /// Heights of horizontal lines.
    pub levels: Vec<f64>,
    /// Range of the vertical axis, or `None` to fit all points.
    pub range: Option<Range<f64>>,
}

impl Plot {
    /// The plot as an `svg` element, or `None` without points.
    pub fn svg(&self) -> Option<String> {
        let points = || self.curves.iter().flatten();
        let x = extent(points().map(|&(x, _)| x))?;
        let heights = points().map(|&(_, y)| y).chain(self.levels.iter().copied());
        let y = self.range.clone().or_else(|| extent(heights))?;
        let air = AIR * (y.end - y.start);
        let y = y.start - air..y.end + air;
        let mut svg = String::new();
        let drawn = if self.is_logarithmic {
            let x = x.start.max(f64::MIN_POSITIVE)..x.end;
            self.draw(&mut svg, x.log_scale(), y)
        } else {
            self.draw(&mut svg, x, y)
        };
        // Drawing to a string never fails.
        drawn.ok().map(|()| svg)
    }

    fn draw<X>(
        &self,
        svg: &mut String,
        x: X,
        y: Range<f64>,
    ) -> Result<(), DrawingAreaErrorKind<std::io::Error>>
    where
        X: AsRangedCoord<Value = f64, CoordDescType: ValueFormatter<f64>>,
    {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        let mut chart = ChartBuilder::on(&area)
            .margin(8)
            .x_label_area_size(42)
            .y_label_area_size(54)
            .build_cartesian_2d(x, y.clone())?;
        chart
            .configure_mesh()
            .x_desc(self.x)
            .y_desc(self.y)
            .x_labels(5)
            .y_labels(6)
            .x_label_formatter(&label)
            .y_label_formatter(&label)
            .label_style(("sans-serif", FONT_SIZE))
            .axis_desc_style(("sans-serif", FONT_SIZE))
            .disable_x_mesh()
            .light_line_style(TRANSPARENT)
            .draw()?;
        let within = |height: f64| height.clamp(y.start, y.end);
        let colour = |index: usize| COLOURS[index % COLOURS.len()];
        let lower = self.band.iter().map(|&(x, low, _)| (x, within(low)));
        let upper = self.band.iter().rev().map(|&(x, _, high)| (x, within(high)));
        let outline: Vec<(f64, f64)> = lower.chain(upper).collect();
        chart.draw_series([Polygon::new(outline, colour(0).mix(0.18))])?;
        for &level in &self.levels {
            let ends = chart.x_range();
            let line = [(ends.start, level), (ends.end, level)];
            chart.draw_series([PathElement::new(line, BLACK.mix(0.6))])?;
        }
        for (index, points) in self.curves.iter().enumerate() {
            let points = points.iter().map(|&(x, y)| (x, within(y)));
            let style = colour(index).stroke_width(2);
            if let [only] = points.clone().collect::<Vec<_>>()[..] {
                chart.draw_series([Circle::new(only, 3, colour(index).filled())])?;
            }
            chart.draw_series(LineSeries::new(points, style))?;
        }
        area.present()
    }
}

/// Range of the values, widened if they are all equal; `None` without values.
fn extent(values: impl Iterator<Item = f64> + Clone) -> Option<Range<f64>> {
    let least = values.clone().reduce(f64::min)?;
    let greatest = values.reduce(f64::max)?;
    if least < greatest {
        return Some(least..greatest);
    }
    let more = (greatest.abs() / 2.0).max(0.5);
    Some(least - more..greatest + more)
}

/// Label of a number on an axis, as short as possible.
fn label(value: &f64) -> String {
    match value.abs() {
        // A rounding error instead of zero.
        size if size < 1e-9 => "0".to_string(),
        size if size >= 10_000.0 => format!("{}k", (value / 1000.0 * 10.0).round() / 10.0),
        _ => format!("{}", (value * 1000.0).round() / 1000.0),
    }
}

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
            let plot =
                Plot { curves: vec![llr.collect()], levels: vec![low, high], ..of_games("LLR") };
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
        points
            .filter_map(|sample| Some((sample.games as f64, *sample.ratings.get(engine)?)))
            .collect()
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
    let bounds = late
        .flat_map(|(_, interval)| [interval.low, interval.value, interval.high])
        .filter(|bound| bound.is_finite());
    let (low, high) =
        bounds.fold((-1.0f64, 1.0f64), |(low, high), bound| (low.min(bound), high.max(bound)));
    Plot {
        curves: vec![curve],
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

/// Number of histogram classes for each factor of ten.
const CLASSES_PER_DECADE: f64 = 5.0;

/// Number of classes, from 1 microsecond to beyond 1000 seconds.
const TIME_CLASSES: usize = 46;

/// Maximum number of moves of a game; later ones are not counted.
const MAX_COUNTED_MOVES: usize = 2000;

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
    classes: [u64; TIME_CLASSES],
    /// Number of answers at each move of the game, and their total in microseconds.
    by_move: Vec<(u64, u64)>,
}

impl TimeUse {
    pub fn new(names: Vec<String>) -> TimeUse {
        let none = Times { classes: [0; TIME_CLASSES], by_move: Vec::new() };
        TimeUse { engines: vec![none; names.len()], names }
    }

    /// Counts the answers of a game that have times.
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
            if index < MAX_COUNTED_MOVES {
                if times.by_move.len() <= index {
                    times.by_move.resize(index + 1, (0, 0));
                }
                times.by_move[index].0 += 1;
                times.by_move[index].1 += micros;
            }
        }
    }

    /// The curves, each with its title; empty without times.
    pub fn plots(&self) -> Vec<(&'static str, Plot)> {
        if self.engines.iter().all(|times| times.by_move.is_empty()) {
            return Vec::new();
        }
        let distribution = Plot {
            x: "ms/move",
            y: "% of answers",
            is_logarithmic: true,
            curves: self.distributions(),
            ..Plot::default()
        };
        let (x, y) = ("move of the game", "mean ms");
        let by_move = Plot { x, y, curves: self.by_move(), ..Plot::default() };
        vec![("Time of an answer", distribution), ("Mean time by move", by_move)]
    }

    /// Distribution for each engine: milliseconds, and the percentage of answers in that class.
    fn distributions(&self) -> Vec<Vec<(f64, f64)>> {
        let distribution = |times: &Times| {
            let all: u64 = times.classes.iter().sum();
            let used = |index: &usize| times.classes[*index] > 0;
            let Some(first) = (0..TIME_CLASSES).find(used) else {
                return Vec::new();
            };
            let last = (0..TIME_CLASSES).rfind(used).unwrap_or(first);
            // The curve begins and ends at zero.
            let shown = first.saturating_sub(1)..=(last + 1).min(TIME_CLASSES - 1);
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
    (class as usize).min(TIME_CLASSES - 1)
}

/// Middle of a class on the logarithmic scale, in milliseconds.
fn middle_ms(class: usize) -> f64 {
    10f64.powf((class as f64 + 0.5) / CLASSES_PER_DECADE) / 1000.0
}

#[cfg(test)]
mod tests {
    use matches::record::TurnRecord;
    use matches::record::ending::Ending;

    use super::*;

    #[test]
    fn the_style_sheets_know_all_colours() {
        let css = format!("{}{}", board::STYLE, include_str!("page.css"));
        for (index, RGBColor(red, green, blue)) in COLOURS.into_iter().enumerate() {
            let colour = format!("#{red:02X}{green:02X}{blue:02X}");
            for rule in [
                format!("--colour-{index}: light-dark({colour}, "),
                format!("[stroke=\"{colour}\"]"),
                format!("[fill=\"{colour}\"]"),
            ] {
                assert!(css.contains(&rule), "no {rule} in board.css or page.css");
            }
        }
    }

    #[test]
    fn numbers_on_axes_are_short() {
        let labels = [0.1, -2.94, 1e-12, 250.0, 100_000.0, 0.30000000000000004].map(|x| label(&x));
        assert_eq!(labels, ["0.1", "-2.94", "0", "250", "100k", "0.3"]);
    }

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
