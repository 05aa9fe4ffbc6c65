//! Accuracy of a net on recorded games: the cross-entropy of its chances of finishing before a rival, and their
//! calibration.

use std::fmt;

use buxtehude::eval::net::Net;
use buxtehude::rules::{Game, Seat};

use crate::player::chance;
use crate::records::RecordedGame;

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
pub const PARTS: [&str; 3] = ["early", "middle", "late"];

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
