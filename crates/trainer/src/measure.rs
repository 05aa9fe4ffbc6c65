//! Accuracy of a net on recorded games: the cross-entropy of its chances of finishing before a rival, and their
//! calibration. Strength of a net: a match against another one.

use std::error::Error;
use std::fmt;
use std::path::Path;

use buxtehude::eval::hase::Net;
use buxtehude::rules::{Game, Seat, Turn};
use plotters::prelude::*;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use crate::player::{Player, after_random_moves, chance, draw};
use crate::records::RecordedGame;
use crate::self_play::{is_too_long, places};

/// Number of classes of chances.
const TENTHS: usize = 10;

/// Statistics over the pairs of rivals of many positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Summed cross-entropy, in nats.
    loss: f64,
    /// Statistics of the pairs by predicted chance, in tenths.
    tenths: [Tenth; TENTHS],
}

/// Pairs whose predicted chance lies within a tenth.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tenth {
    pub pairs: f64,
    chances: f64,
    before: f64,
}

impl Tenth {
    /// Mean predicted chance, from 0 to 1.
    pub fn expected(&self) -> f64 {
        self.chances / self.pairs
    }

    /// Observed frequency.
    pub fn found(&self) -> f64 {
        self.before / self.pairs
    }

    /// Standard error of the observed frequency, as if all pairs came from different games.
    pub fn error(&self) -> f64 {
        (self.found() * (1.0 - self.found()) / self.pairs).sqrt()
    }
}

impl Calibration {
    fn add(&mut self, chance: f64, is_before: bool) {
        let given = if is_before { chance } else { 1.0 - chance };
        self.loss -= given.max(1e-9).ln();
        let tenth = &mut self.tenths[((chance * TENTHS as f64) as usize).min(TENTHS - 1)];
        tenth.pairs += 1.0;
        tenth.chances += chance;
        tenth.before += f64::from(u8::from(is_before));
    }

    pub fn pairs(&self) -> f64 {
        self.tenths.iter().map(|tenth| tenth.pairs).sum()
    }

    /// Mean cross-entropy, in nats per pair.
    pub fn loss(&self) -> f64 {
        self.loss / self.pairs()
    }

    /// Statistics by predicted chance.
    pub fn tenths(&self) -> &[Tenth; TENTHS] {
        &self.tenths
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.0} pairs, cross-entropy {:.4}", self.pairs(), self.loss())?;
        for (index, tenth) in self.tenths.iter().enumerate() {
            write!(
                f,
                "\n  {:.1} to {:.1}: {:.0} pairs, predicted {:.3}, observed {:.3} ± {:.3}",
                index as f64 / TENTHS as f64,
                (index + 1) as f64 / TENTHS as f64,
                tenth.pairs,
                tenth.expected(),
                tenth.found(),
                2.0 * tenth.error(),
            )?;
        }
        Ok(())
    }
}

/// The parts of a game: the first, second and last third of its moves.
pub const GAME_PARTS: [&str; 3] = ["early", "middle", "late"];

/// Calibration of a net over all positions of games with its number of seats, by part of the game. Each pair of rivals
/// counts once, from the point of view of the lower seat.
pub fn calibrations(net: &Net, games: &[RecordedGame]) -> [Calibration; 3] {
    let mut parts = [Calibration::default(); 3];
    for game in games {
        let places = &game.record.places;
        for (index, ply) in game.plies.iter().enumerate() {
            let part = &mut parts[3 * index / game.plies.len()];
            let position = &ply.before;
            let strengths = net.strengths(position);
            let racing: Vec<usize> = (0..position.seats())
                .filter(|&seat| position.place(Seat(seat as u8)).is_none())
                .collect();
            for (index, &first) in racing.iter().enumerate() {
                for &second in &racing[index + 1..] {
                    let chance = chance(strengths[first] - strengths[second]);
                    part.add(f64::from(chance), places[first] < places[second]);
                }
            }
        }
    }
    parts
}

pub fn whole(parts: &[Calibration]) -> Calibration {
    let mut whole = Calibration::default();
    for part in parts {
        whole.loss += part.loss;
        for (sum, tenth) in whole.tenths.iter_mut().zip(part.tenths) {
            sum.pairs += tenth.pairs;
            sum.chances += tenth.chances;
            sum.before += tenth.before;
        }
    }
    whole
}

const PART_COLOURS: [RGBColor; 3] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115)];

/// Plots predicted against observed frequencies for each part of the games.
///
/// # Errors
/// The file cannot be written.
pub fn plot(path: &Path, title: &str, parts: &[Calibration; 3]) -> Result<(), Box<dyn Error>> {
    let root = SVGBackend::new(path, (480, 420)).into_drawing_area();
    root.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&root)
        .caption(title, ("sans-serif", 18))
        .margin(12)
        .x_label_area_size(36)
        .y_label_area_size(44)
        .build_cartesian_2d(0.0..1.0, 0.0..1.0)?;
    chart.configure_mesh().x_desc("predicted chance").y_desc("observed frequency").draw()?;
    chart.draw_series(LineSeries::new([(0.0, 0.0), (1.0, 1.0)], BLACK.mix(0.3)))?;
    for ((part, name), colour) in parts.iter().zip(GAME_PARTS).zip(PART_COLOURS) {
        let points: Vec<(f64, f64)> = part
            .tenths()
            .iter()
            .filter(|tenth| tenth.pairs > 0.0)
            .map(|tenth| (tenth.expected(), tenth.found()))
            .collect();
        chart
            .draw_series(LineSeries::new(points.clone(), colour.stroke_width(2)))?
            .label(name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour));
        chart
            .draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::UpperLeft)
        .border_style(BLACK.mix(0.3))
        .draw()?;
    root.present()?;
    Ok(())
}

/// Returns the first player's share of the points, in percent, and its 95 % error bar.
///
/// Each opening is played twice, with the players alternating seats, and then in the opposite order. The cards are the
/// same as long as the moves are.
pub fn compare(players: &mut [Player; 2], openings: usize, seed: u64) -> (f64, f64) {
    let mut sum = 0.0;
    let mut squares = 0.0;
    for opening in 0..openings {
        let share = (0..2)
            .map(|first| {
                let mut random = ChaCha8Rng::seed_from_u64(seed);
                random.set_stream(opening as u64);
                share_of_first(players, first, &mut random)
            })
            .sum::<f64>()
            / 2.0;
        sum += share;
        squares += share * share;
    }
    let count = openings.max(1) as f64;
    let mean = sum / count;
    let error = ((squares / count - mean * mean) / count).sqrt();
    (100.0 * mean, 196.0 * error)
}

/// Share of the points that the first player takes in a game. It has every second seat from `offset`, 0 or 1.
fn share_of_first(players: &mut [Player; 2], offset: usize, random: &mut ChaCha8Rng) -> f64 {
    for player in players.iter_mut() {
        player.begin();
    }
    let seats = players[0].seats();
    let mut position = after_random_moves(players[0].ruleset, seats, random);
    let mut plies = 0;
    while let Turn::Seat(seat) = position.turn() {
        if is_too_long(plies, seats) {
            break;
        }
        let player = &mut players[(seat.index() + offset) % 2];
        let mv = player.chosen(&position, seat, 0.0, random);
        position = draw(position.play_unchecked(mv), random);
        plies += 1;
    }
    let places = places(&position);
    let points = |parity: usize| -> f64 {
        let own = (0..seats).filter(|seat| (seat + offset) % 2 == parity);
        own.map(|seat| (seats - usize::from(places[seat])) as f64).sum()
    };
    points(0) / (points(0) + points(1))
}
