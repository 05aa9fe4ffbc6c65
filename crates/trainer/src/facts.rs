//! Statistics of recorded games: their length, the number of moves, the effect of the cards, repetitions, the distance
//! of the losers from home, and the share of luck.

mod cards;
mod luck;
mod seats;

use std::collections::{BTreeSet, HashSet};
use std::fmt::Display;
use std::path::PathBuf;

use buxtehude::rules::Game as _;
use buxtehude::rules::hase::Move;
use matches::record::printable::printable_lines;
use matches::report::{self, Column, percent};
use matches::score::{Standings, Tally};
use thiserror::Error;

use crate::records::{self, Ply, RecordError, RecordedGame};

#[derive(Debug, Error)]
pub enum FactsError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("expected games, all of them with the same number of seats")]
    Seats,
}

/// Returns the tables of the games in these files, and the number of invalid lines, which are reported and skipped.
///
/// The effect of a card is searched to `depth` plies, by default 6 for two seats, where a card is a ply too, and
/// 2 for more.
///
/// # Errors
/// [`FactsError`] if a file cannot be read, or if the games have different numbers of seats.
pub fn of_files(paths: &[PathBuf], depth: Option<u32>) -> Result<(String, usize), FactsError> {
    let mut games: Vec<RecordedGame> = Vec::new();
    let (mut played, mut skipped) = (0, 0);
    // Equal games, such as those of equal deterministic engines in a block, count once.
    let mut known = HashSet::new();
    for path in paths {
        for game in records::read(path).map_err(RecordError::from)? {
            match game {
                Ok(game) => {
                    played += 1;
                    let record = &game.record;
                    let (seats, start) = (record.seats.clone(), record.start.clone());
                    if known.insert((seats, start, record.moves.clone())) {
                        games.push(game);
                    }
                }
                Err(error @ RecordError::File(_)) => return Err(error.into()),
                Err(RecordError::Line { place, problem }) => {
                    let text = format!("{place}: skipped: {problem}");
                    eprintln!("{}", printable_lines(&text));
                    skipped += 1;
                }
            }
        }
    }
    let seats = games.first().map(RecordedGame::seats);
    let seats = seats.filter(|&seats| games.iter().all(|game| game.seats() == seats));
    let seats = seats.ok_or(FactsError::Seats)?;
    let depth = depth.unwrap_or(if seats == 2 { 6 } else { 2 });
    let unfinished = games.iter().filter(|game| !game.is_over()).count();
    let title = format!(
        "Games of {seats} seats: {played}, {} of them different (equal ones count once), {unfinished} stopped before \
         their end\n",
        games.len()
    );
    let [of_cards, near_finish] = cards::tables(&games, depth);
    let tables = [
        title,
        lengths(&games),
        of_cards,
        near_finish,
        seats::repetitions(&games),
        seats::turns_behind(&games),
        places(&games, seats),
        luck::table(&games),
    ];
    Ok((tables.join("\n"), skipped))
}

/// Table of the length of the games and the number of legal moves.
///
/// A ply is a move with its card; the plies of the opening count too. A forced stay is the move `0`: a missed turn, or
/// a hare without any other move.
fn lengths(games: &[RecordedGame]) -> String {
    let stays = |game: &RecordedGame| game.plies.iter().filter(|ply| ply.mv == Move::STAY).count();
    let cards = |plies: &[Ply]| plies.iter().filter_map(|ply| ply.card).count();
    let row = |name: &str, unit: &str, numbers: &[f64]| {
        row(&[&name, &numbers.len(), &unit], spread(numbers))
    };
    let per_game = |name: &str, count: &dyn Fn(&RecordedGame) -> usize| {
        let numbers: Vec<f64> = games.iter().map(|game| count(game) as f64).collect();
        row(name, "games", &numbers)
    };
    let plies = games.iter().flat_map(|game| &game.plies);
    let free = plies.filter(|ply| ply.mv != Move::STAY);
    let moves = free.map(|ply| ply.before.legal_moves().len() as f64);
    let moves: Vec<f64> = moves.collect();
    let all_stays = games.iter().map(stays).sum();
    let with_stays = [moves.clone(), vec![1.0; all_stays]].concat();
    let without_stays = "  moves a game (plies without forced stays)";
    let opening = "  opening plies a game, before the engines are asked";
    let own_cards = "  by the engines' own moves";
    let apart = "legal moves a position, forced stays apart";
    let as_one = "legal moves a position, a forced stay as one";
    let rows = [
        per_game("plies a game", &|game| game.plies.len()),
        per_game(without_stays, &|game| game.plies.len() - stays(game)),
        per_game("  forced stays a game", &stays),
        per_game(opening, &|game| game.record.opening_plies()),
        per_game("cards drawn a game", &|game| cards(&game.plies)),
        per_game(own_cards, &|game| cards(game.own_plies())),
        row(apart, "positions", &moves),
        row(as_one, "positions", &with_stays),
    ];
    table(&["length|of|", SPREAD], &[0, 2], rows.into_iter())
}

/// Table of first places and points, by engine and by seat. A shared first place counts in full.
fn places(games: &[RecordedGame], seats: usize) -> String {
    let names: BTreeSet<&String> = games.iter().flat_map(|game| &game.record.seats).collect();
    let mut standings = Standings::new(names.into_iter().cloned().collect(), seats, seats);
    for game in games {
        standings.add((&game.record, &game.record.turn_sums()));
    }
    let row = |name: &str, tally: &Tally| {
        let first = tally.places[0] as f64 / tally.games as f64;
        let shares = [Some(first), tally.share(), tally.par()];
        let shares = shares.map(|share| dash(share.map(percent)));
        row(&[&name, &tally.games], shares)
    };
    let engines = standings.engines().map(|(name, tally)| row(name, tally));
    let seats = (1..).zip(standings.seats());
    let seats = seats.map(|(seat, tally)| row(&format!("seat {seat}"), tally));
    let columns = "won by|games|first, shared or not|points|of equals";
    table(&[columns], &[0], engines.chain(seats))
}

/// Formats a table. The names of the columns are separated by `|`; those at the indices `words` hold words, the others
/// numbers.
fn table(
    names: &[&'static str],
    words: &[usize],
    rows: impl Iterator<Item = Vec<String>>,
) -> String {
    let names = names.iter().flat_map(|names| names.split('|')).enumerate();
    let columns =
        names.map(
            |(index, name)| {
                if words.contains(&index) { Column::left(name) } else { Column::right(name) }
            },
        );
    report::table(&columns.collect::<Vec<Column>>(), rows)
}

fn row(labels: &[&dyn Display], cells: impl IntoIterator<Item = String>) -> Vec<String> {
    let labels = labels.iter().map(ToString::to_string);
    labels.chain(cells).collect()
}

/// Cell of a number that may be unknown.
fn dash(number: Option<String>) -> String {
    number.unwrap_or("-".to_string())
}

/// Columns of [`spread`].
const SPREAD: &str = "mean|lower quartile|median|upper quartile";

/// Mean and quartiles as cells of a table; dashes if there are no numbers.
///
/// Source: Hyndman and Fan, Sample Quantiles in Statistical Packages, definition 7.
fn spread(numbers: &[f64]) -> [String; 4] {
    let Some(mean) = mean(numbers) else {
        return ["-"; 4].map(String::from);
    };
    let mut sorted = numbers.to_vec();
    sorted.sort_by(f64::total_cmp);
    let [lower, median, upper] = [0.25, 0.5, 0.75].map(|part| {
        let at = part * (sorted.len() - 1) as f64;
        let below = sorted[at.floor() as usize];
        let above = sorted[at.ceil() as usize];
        let quartile = below + (above - below) * at.fract();
        let decimals = usize::from(quartile.fract() != 0.0);
        format!("{quartile:.decimals$}")
    });
    [format!("{mean:.1}"), lower, median, upper]
}

/// Mean; `None` if there are no numbers.
fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}
