//! The check of memory over many games, which a transcript cannot state.
//!
//! The engine plays games with small limits while the resident memory of its process and all descendants is sampled.
//! Initial allocations, such as tables, do not matter; the check looks for growth that continues.

use std::collections::HashMap;
use std::str::FromStr;
use std::time::{Duration, Instant};

use buxtehude::rules::Turn;
use matches::plan::rules::Rules;
use matches::play::family::resident_memory;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::program::{Fault, ensure};
use super::suite::Place;
use super::talk::Talk;

/// Moves of the engine in each game.
const MOVES_PER_GAME: usize = 12;

/// Memory samples of a soak limited by games.
const READINGS: u64 = 200;

/// Least number of games of a soak limited by time; fewer show the growth of tables that fill up.
const MIN_GAMES: u64 = 200;

/// Number of equal parts of the samples after the warm-up; in a leak, each part is above the previous one.
const SAMPLE_PARTS: usize = 4;

/// Growth that is ignored, in KiB, since an allocator's own reserve varies.
const SMALL: f64 = 512.0;

/// Growth that always fails, in KiB.
const LARGE: f64 = 262_144.0;

/// Length of a soak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Soak {
    Games(u64),
    Time(Duration),
}

impl FromStr for Soak {
    type Err = String;

    /// Parses `1000` (games) or `60s` (seconds).
    fn from_str(text: &str) -> Result<Soak, String> {
        let number = |text: &str| text.parse::<u32>().ok().filter(|&number| number > 0);
        let soak = match text.strip_suffix('s') {
            Some(seconds) => number(seconds).map(|n| Soak::Time(Duration::from_secs(n.into()))),
            None => number(text).map(|n| Soak::Games(n.into())),
        };
        soak.ok_or_else(|| {
            "expected a number of games such as 1000, or of seconds such as 60s".into()
        })
    }
}

/// Number of games, and the memory after them in KiB.
type Reading = (u64, f64);

impl Soak {
    /// Plays games with each number of seats that the engine plays, and samples its memory.
    ///
    /// # Errors
    /// [`Fault`] if the memory keeps growing, or a move is illegal.
    pub fn play(self, talk: &mut Talk) -> Result<(), Fault> {
        let begun = Instant::now();
        let rules = &talk.home()?.table.0;
        let tables = talk.scope.tables.iter().filter(|(other, _)| other.name() == rules.name());
        let seats: Vec<usize> = tables.map(|&(_, seats)| seats).collect();
        let between = match self {
            Soak::Games(games) => (games / READINGS).max(1),
            Soak::Time(_) => 1,
        };
        // Sample after games with the same number of seats, since an engine's memory for a game may depend on it.
        let between = between.next_multiple_of(seats.len() as u64);
        talk.choose(rules)?;
        let mut readings: Vec<Reading> = Vec::new();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        for (game, seats) in (1..).zip(seats.into_iter().cycle()) {
            talk.program.log.clear();
            play_game(talk, rules, seats, &mut rng)?;
            if game % between == 0 {
                let Some(memory) = resident_memory(talk.program.process.id()) else {
                    return Err(Fault::Skipped("/proc does not report its memory".into()));
                };
                readings.push((game, memory as f64));
            }
            let is_over = match self {
                Soak::Games(games) => game >= games,
                Soak::Time(time) => game >= MIN_GAMES && begun.elapsed() >= time,
            };
            if is_over {
                break;
            }
        }
        let (growth, is_steady) = growth(&readings);
        talk.note = Some(growth.clone());
        ensure!(!is_steady, "{growth}");
        Ok(())
    }
}

fn play_game(
    talk: &mut Talk,
    rules: &Rules,
    seats: usize,
    rng: &mut ChaCha8Rng,
) -> Result<(), Fault> {
    let mut place = Place::start(rules, seats)?;
    talk.tell("ucinewgame")?;
    for _ in 0..MOVES_PER_GAME {
        while let Turn::Card(_) = place.position.turn()
            && let Some(card) = place.position.legal_actions().into_iter().choose(rng)
        {
            place = place.after(card)?;
        }
        if place.position.turn() == Turn::Over {
            break;
        }
        let command = place.command_of(talk.scope.profile);
        talk.program.known = HashMap::from([(command.clone(), place.position.clone())]);
        talk.program.run(&format!(
            "> {command}\n> go nodes 20\n< ...\n< bestmove *\n= the move is legal"
        ))?;
        let best = talk.program.answer.last().and_then(|line| line.split_whitespace().nth(1));
        place = place.after(best.unwrap_or_default().into())?;
    }
    Ok(())
}

/// The growth of memory after the warm-up, which is the first fifth of the samples, in words; and whether it is steady:
/// memory grows in every part, or by more than [`LARGE`] in total.
fn growth(readings: &[Reading]) -> (String, bool) {
    let games = readings.last().map_or(0, |&(game, _)| game);
    let warm = &readings[readings.len() / 5..];
    let memory = |part: &[Reading]| median(part.iter().map(|&(_, memory)| memory).collect());
    let parts: Vec<f64> =
        warm.chunks(warm.len().div_ceil(SAMPLE_PARTS).max(1)).map(memory).collect();
    let last = parts.last().copied().unwrap_or_default();
    let total = last - parts.first().unwrap_or(&last);
    // KiB per 1000 games: the median slope between samples of the first and the second half.
    let (early, late) = warm.split_at(warm.len() / 2);
    let slopes = early.iter().zip(late).map(|(&(from, before), &(to, after))| {
        (after - before) / (to - from).max(1) as f64 * 1000.0
    });
    let slope = median(slopes.collect());
    let least = total / (4 * SAMPLE_PARTS) as f64;
    let goes_on = parts.windows(2).all(|pair| pair[1] - pair[0] >= least);
    let is_steady = total > LARGE || (total > SMALL && slope > 0.0 && goes_on);
    let text = format!(
        "{games} games, {last:.0} KiB at the end, {total:+.0} KiB since the warm-up, {slope:+.0} KiB per 1000 games"
    );
    (text, is_steady)
}

/// The median, or 0 without numbers.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers.get(numbers.len() / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn growth_of(memory: impl Fn(u64) -> f64) -> (String, bool) {
        let readings: Vec<Reading> = (1..=200).map(|n| (n * 5, memory(n * 5))).collect();
        growth(&readings)
    }

    #[test]
    fn steady_growth_is_told_from_other_growth() {
        let noise = |game: u64| (game * 7919 % 101) as f64 * 4.0;
        for (expected, (growth, is_steady)) in [
            (false, growth_of(|_| 8000.0)),
            (false, growth_of(noise)),
            // Tables that fill up and then stay the same.
            (false, growth_of(|game| 8000.0 + 40.0 * game.min(400) as f64)),
            // A single step.
            (false, growth_of(|game| if game < 600 { 8000.0 } else { 12_000.0 })),
            (false, growth_of(|game| 8000.0 - game as f64)),
            (true, growth_of(|game| 8000.0 + game as f64)),
            (true, growth_of(|game| 8000.0 + 2.0 * game as f64 + noise(game))),
            (true, growth_of(|game| if game < 600 { 8000.0 } else { 400_000.0 })),
        ] {
            assert_eq!(is_steady, expected, "{growth}");
        }
        let (text, _) = growth_of(|game| 8000.0 + game as f64);
        assert!(text.ends_with("+1000 KiB per 1000 games"), "{text}");
    }

    #[test]
    fn a_soak_is_a_number_of_games_or_of_seconds() {
        assert_eq!("1000".parse(), Ok(Soak::Games(1000)));
        assert_eq!("60s".parse(), Ok(Soak::Time(Duration::from_secs(60))));
        for wrong in ["", "s", "0", "0s", "-1", "1m"] {
            let error = wrong.parse::<Soak>().unwrap_err();
            assert!(error.contains("such as 60s"), "{wrong:?}: {error}");
        }
    }
}
