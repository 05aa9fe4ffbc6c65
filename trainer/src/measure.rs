//! How much a net knows: the cross-entropy of its chances to finish before a rival over recorded games, and how often
//! what it gives a chance comes about.

use buxtehude::eval::net::Net;
use buxtehude::rules::{Game, Seat};

use crate::records::Played;
use crate::self_play::chance;

/// Chances are told apart by tenths.
pub const TENTHS: usize = 10;

/// What was found over the pairs of rivals of many positions.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Calibration {
    /// Summed cross-entropy, in nats.
    loss: f64,
    /// By tenth of the chance that was given: pairs, summed chances, and how many of the first did finish before.
    tenths: [Tenth; TENTHS],
}

/// The pairs to which a chance within a tenth was given.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Tenth {
    /// How many there are.
    pub pairs: f64,
    chances: f64,
    before: f64,
}

impl Tenth {
    /// The mean chance that was given, from 0 to 1.
    pub fn expected(&self) -> f64 {
        self.chances / self.pairs
    }

    /// The share that did finish before.
    pub fn found(&self) -> f64 {
        self.before / self.pairs
    }

    /// The standard error of what was found, were all pairs of games of their own.
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

    /// Pairs of rivals.
    pub fn pairs(&self) -> f64 {
        self.tenths.iter().map(|tenth| tenth.pairs).sum()
    }

    /// The mean cross-entropy, in nats a pair.
    pub fn loss(&self) -> f64 {
        self.loss / self.pairs()
    }

    /// By tenth of the chance.
    pub fn tenths(&self) -> &[Tenth; TENTHS] {
        &self.tenths
    }
}

/// The parts of games: the first third of their moves, the second, the last.
pub const PARTS: [&str; 3] = ["early", "middle", "late"];

/// What a net gives the pairs of rivals in all positions of games with its number of seats, by part of the game. Each
/// pair counts once, for the lower seat.
pub fn calibrations(net: &Net, games: &[Played]) -> [Calibration; 3] {
    let mut parts = [Calibration::default(); 3];
    for (positions, places) in games {
        for (index, position) in positions.iter().enumerate() {
            let part = &mut parts[3 * index / positions.len()];
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

/// The sum of several.
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
