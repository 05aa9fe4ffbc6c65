//! Random games by a rules program, and the laws about whole games.

use std::cell::{Ref, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use buxtehude::rules::{MAX_SEATS, Turn};
use matches::plan::Patience;
use matches::plan::rules::PositionError;
use matches::plan::rules::external::{External, ExternalPosition};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::rules::connect;
use matches::record::printable::ends_of;
use rand::SeedableRng;
use rand::seq::IteratorRandom;
use rand_chacha::ChaCha8Rng;

use super::super::Check;
use super::super::talk::{Fault, expect, wrong};
use super::RulesSettings;

/// Positions kept of each game, besides its last one.
const KEPT: usize = 9;

/// Random games, which the first checks play and the others use.
pub struct Games {
    pub settings: RulesSettings,
    game: Arc<External>,
    found: RefCell<Found>,
}

#[derive(Default)]
struct Found {
    /// Numbers of players that the program allows.
    players: Vec<usize>,
    /// Some positions of each game, none of them a start.
    samples: Vec<ExternalPosition>,
    /// Time for each new position and its state.
    times: Vec<Duration>,
    /// Number of games that were broken off, and the last of their positions.
    endless: Option<(usize, ExternalPosition)>,
}

impl Games {
    /// Creates games that are yet to be played.
    pub fn new(settings: &RulesSettings) -> Games {
        Games {
            settings: settings.clone(),
            game: Arc::new(External::new(settings.plan.clone())),
            found: RefCell::default(),
        }
    }

    /// Some positions of each game, none of them a start.
    pub fn samples(&self) -> Ref<'_, [ExternalPosition]> {
        Ref::map(self.found.borrow(), |found| found.samples.as_slice())
    }

    /// Finds the numbers of players that the program allows; returns them in words.
    fn find_players(&self) -> Result<String, Fault> {
        let RulesSettings { isolation, patience, players, .. } = &self.settings;
        let (log, interrupt) = (Log::none(), Interrupt::new());
        connect(&self.game, *isolation, *patience, &log, &interrupt)?;
        let all: Vec<usize> = (2..=MAX_SEATS).collect();
        let asked = if players.is_empty() { &all } else { players };
        let mut last_refusal = String::new();
        for &seats in asked {
            match self.game.start(seats) {
                Ok(_) => self.found.borrow_mut().players.push(seats),
                Err(PositionError::Rules(error)) => return Err(error.into()),
                Err(error) if players.is_empty() => last_refusal = error.to_string(),
                Err(error) => return Err(error.into()),
            }
        }
        let allowed = &self.found.borrow().players;
        expect(!allowed.is_empty(), || last_refusal)?;
        let allowed: Vec<String> = allowed.iter().map(usize::to_string).collect();
        Ok(allowed.join(", "))
    }

    /// Plays games with this number of players; returns their lengths in words.
    fn play_all(&self, seats: usize) -> Result<String, Fault> {
        let start = self.game.start(seats)?;
        expect(!start.facts().actions.is_empty(), || "the game is over at its start".into())?;
        let mut random = ChaCha8Rng::seed_from_u64(self.settings.seed);
        random.set_stream(seats as u64);
        let games = self.settings.games;
        let plies: Result<Vec<u64>, Fault> =
            (0..games).map(|_| self.play(seats, &mut random)).collect();
        let mut plies = plies?;
        plies.sort_unstable();
        let at = |index: usize| plies.get(index).copied().unwrap_or_default();
        let [least, median, most] = [0, plies.len() / 2, plies.len().saturating_sub(1)].map(at);
        let usual = Patience::default().max_plies;
        let long = plies.iter().filter(|&&plies| plies > usual.into()).count();
        let cut = match long {
            0 => String::new(),
            long => format!(
                "; {long} of more than {usual}, where a match ends them unless --max-plies is higher"
            ),
        };
        Ok(format!("{games} games of {least} to {most} plies, median {median}{cut}"))
    }

    /// Plays a game by words at random, outcomes too, so that rare ones come up; returns its number of moves.
    fn play(&self, seats: usize, random: &mut ChaCha8Rng) -> Result<u64, Fault> {
        let mut plies = 0;
        let mut position = self.game.start(seats)?;
        let mut after = Vec::new();
        let mut found = self.found.borrow_mut();
        while let Some(word) = position.facts().actions.iter().choose(random) {
            if plies >= self.settings.plies {
                let count = found.endless.as_ref().map_or(1, |(count, _)| count + 1);
                found.endless = Some((count, position));
                break;
            }
            plies += u64::from(matches!(position.facts().turn, Turn::Seat(_)));
            let begun = Instant::now();
            let next = position.after(word)?;
            found.times.push(begun.elapsed());
            position = next.clone();
            after.push(next);
        }
        let last = after.pop();
        let kept = after.into_iter().sample(random, KEPT);
        found.samples.extend(kept.into_iter().chain(last));
        Ok(plies)
    }
}

/// Checks without which there are no games.
pub fn introduction(games: &Rc<Games>) -> Vec<Check> {
    let games = Rc::clone(games);
    vec![
        Check::new("ugi", "`ugi` is answered with `ugiok`", |_| Ok(())),
        Check::new(
            "players",
            "the start for each number of players is valid or refused, and one is valid",
            move |talk| {
                talk.note = Some(games.find_players()?);
                Ok(())
            },
        ),
    ]
}

/// A check for each number of players that the program allows, which plays the games.
pub fn of_each_number(games: &Rc<Games>) -> Vec<Check> {
    let players = games.found.borrow().players.clone();
    let check = |seats| {
        let games = Rc::clone(games);
        let explanation =
            "every listed word can be played, and every state is as the protocol says";
        Check::new(format!("games/{seats}"), explanation, move |talk| {
            talk.note = Some(games.play_all(seats)?);
            Ok(())
        })
    };
    players.into_iter().map(check).collect()
}

/// Checks of all games together.
pub fn laws(games: &Rc<Games>) -> Vec<Check> {
    let [ends, speed] = [(); 2].map(|()| Rc::clone(games));
    vec![
        Check::new("ends", "random games end", move |_| match &ends.found.borrow().endless {
            Some((count, position)) => {
                let plies = ends.settings.plies;
                wrong(format!(
                    "{count} games had no end after {plies} plies, such as position \"{}\"",
                    ends_of(&position.to_string())
                ))
            }
            None => Ok(()),
        })
        .lightly(),
        Check::new(
            "speed",
            "no requirement: the median time for a position with its state",
            move |talk| {
                let times = &mut speed.found.borrow_mut().times;
                times.sort_unstable();
                let median = times.get(times.len() / 2).copied().unwrap_or_default();
                let micros = median.as_micros();
                talk.note = Some(format!(
                    "{micros} µs for a position with its state (median of {})",
                    times.len()
                ));
                Ok(())
            },
        ),
    ]
}
