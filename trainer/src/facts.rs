//! Statistics of recorded games: their length, the number of moves, the effect of the cards, repetitions, the distance
//! of the losers from home, and the share of luck.

mod cards;
mod luck;
mod seats;

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use buxtehude::rules::Game as _;
use buxtehude::rules::hase::Move;
use matches::record::printable::printable_lines;
use matches::report::{self, Column, percent};
use matches::score::{Standings, Tally};
use thiserror::Error;

use crate::records::{self, Ply, RecordError, RecordedGame};

/// Errors of statistics.
#[derive(Debug, Error)]
pub enum FactsError {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("expected games, all of them with the same number of seats")]
    Seats,
}

/// Returns the tables of the games in these files, and the number of invalid lines, which are reported and skipped.
///
/// The effect of a card is searched to `depth` plies, by default 3 for two seats and 2 for more.
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
                Err(RecordError::Line {
                    path,
                    line,
                    problem,
                }) => {
                    let text = format!("{}:{line}: skipped: {problem}", path.display());
                    eprintln!("{}", printable_lines(&text));
                    skipped += 1;
                }
            }
        }
    }
    let seats = games.first().map(RecordedGame::seats);
    let seats = seats.filter(|&seats| games.iter().all(|game| game.seats() == seats));
    let seats = seats.ok_or(FactsError::Seats)?;
    let depth = depth.unwrap_or(if seats == 2 { 3 } else { 2 });
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
    let per_game = |count: &dyn Fn(&RecordedGame) -> usize| -> Vec<f64> {
        games.iter().map(|game| count(game) as f64).collect()
    };
    let plies = games.iter().flat_map(|game| &game.plies);
    let free = plies.filter(|ply| ply.mv != Move::STAY);
    let moves = free.map(|ply| ply.before.legal_moves().len() as f64);
    let moves: Vec<f64> = moves.collect();
    let all_stays = games.iter().map(stays).sum();
    let with_stays = [moves.clone(), vec![1.0; all_stays]].concat();
    let of_games = [
        ("plies a game", per_game(&|game| game.plies.len())),
        (
            "  moves a game (plies without forced stays)",
            per_game(&|game| game.plies.len() - stays(game)),
        ),
        ("  forced stays a game", per_game(&stays)),
        (
            "  opening plies a game, before the engines are asked",
            per_game(&|game| game.record.opening_plies()),
        ),
        ("cards drawn a game", per_game(&|game| cards(&game.plies))),
        (
            "  by the engines' own moves",
            per_game(&|game| cards(game.own_plies())),
        ),
    ];
    let of_positions = [
        ("legal moves a position, forced stays apart", moves),
        ("legal moves a position, a forced stay as one", with_stays),
    ];
    let rows = of_games.map(|row| (row, "games")).into_iter();
    let rows = rows.chain(of_positions.map(|row| (row, "positions")));
    let rows = rows.map(|((name, numbers), unit)| {
        let of = numbers.len().to_string();
        let labels = [name.to_string(), of, unit.to_string()];
        labels.into_iter().chain(spread(&numbers)).collect()
    });
    let mut columns = vec![
        Column::left("length"),
        Column::right("of"),
        Column::left(""),
    ];
    columns.extend(SPREAD);
    report::table(&columns, rows)
}

/// Table of first places and points, by engine and by seat. A shared first place counts in full.
fn places(games: &[RecordedGame], seats: usize) -> String {
    let names: BTreeSet<&String> = games.iter().flat_map(|game| &game.record.seats).collect();
    let mut standings = Standings::new(names.into_iter().cloned().collect(), seats, seats);
    for game in games {
        standings.add(&game.record);
    }
    let row = |name: String, tally: &Tally| {
        let first = tally.places[0] as f64 / tally.games as f64;
        let share = |share: Option<f64>| share.map_or("-".to_string(), percent);
        vec![
            name,
            tally.games.to_string(),
            share(Some(first)),
            share(tally.share()),
            share(tally.par()),
        ]
    };
    let engines = standings.engines();
    let engines = engines.map(|(name, tally)| row(name.to_string(), tally));
    let seats = (1..).zip(standings.seats());
    let seats = seats.map(|(seat, tally)| row(format!("seat {seat}"), tally));
    let columns = [
        Column::left("won by"),
        Column::right("games"),
        Column::right("first, shared or not"),
        Column::right("points"),
        Column::right("of equals"),
    ];
    report::table(&columns, engines.chain(seats))
}

/// Columns of [`spread`].
const SPREAD: [Column; 4] = [
    Column::right("mean"),
    Column::right("lower quartile"),
    Column::right("median"),
    Column::right("upper quartile"),
];

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
