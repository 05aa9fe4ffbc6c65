//! Statistics of recorded games: their length, the number of moves, the effect of the cards, shuffles, the distance of
//! the losers from home, and the share of luck.
//!
//! Every game is replayed under the rules; a line that is not a valid game is named and skipped. The module that prints
//! a row explains it.

mod behind;
mod cards;
mod draw;
mod game;
mod length;
mod luck;
mod near_finish;
mod places;
mod repetition;
mod spread;

use std::collections::HashSet;
use std::path::PathBuf;

use draw::{Judge, JudgedDraw};
use game::Game;
use matches::archive::record_file::{self, RecordFileError};
use matches::record::printable::printable_lines;
use thiserror::Error;

/// Errors of statistics.
#[derive(Debug, Error)]
pub enum FactsError {
    #[error(transparent)]
    File(#[from] RecordFileError),
    #[error("expected games, all of them with the same number of seats")]
    Seats,
}

/// Returns the tables of the games in these record files, and the number of lines skipped.
///
/// A card's effect is searched to `depth` plies, by default 3 for two seats and 2 for more.
///
/// # Errors
/// [`FactsError`] if a file cannot be read, or if the games have different numbers of seats.
pub fn of_files(paths: &[PathBuf], depth: Option<u32>) -> Result<(String, usize), FactsError> {
    let (read, skipped) = read(paths)?;
    let number = read.len();
    let games = different(read);
    let seats = seats_of_all(&games).ok_or(FactsError::Seats)?;
    Ok((facts(&games, number, seats, depth), skipped))
}

/// Returns the games of all files, and the number of lines skipped.
fn read(paths: &[PathBuf]) -> Result<(Vec<Game>, usize), RecordFileError> {
    let mut games = Vec::new();
    let mut skipped = 0;
    for path in paths {
        for (index, line) in record_file::lines(path)?.enumerate() {
            let line = line?;
            if line.trim_ascii().is_empty() {
                continue;
            }
            match Game::read(&line) {
                Ok(game) => games.push(game),
                Err(flaw) => {
                    let place = format!("{}:{}", path.display(), index + 1);
                    eprintln!("{}", printable_lines(&format!("{place}: skipped: {flaw}")));
                    skipped += 1;
                }
            }
        }
    }
    Ok((games, skipped))
}

/// Returns the games without repetitions, as in a block between equal deterministic engines.
fn different(games: Vec<Game>) -> Vec<Game> {
    let mut played = HashSet::new();
    let is_new = |game: &Game| {
        let record = &game.record;
        played.insert((
            record.seats.clone(),
            record.start.clone(),
            record.moves.clone(),
        ))
    };
    games.into_iter().filter(is_new).collect()
}

/// Returns the number of seats, or `None` without games or if it is not the same in all.
fn seats_of_all(games: &[Game]) -> Option<usize> {
    let seats = games.first()?.seats();
    games
        .iter()
        .all(|game| game.seats() == seats)
        .then_some(seats)
}

/// Returns all tables; `number` counts the games with repetitions, `games` has none.
fn facts(games: &[Game], number: usize, seats: usize, depth: Option<u32>) -> String {
    let depth = depth.unwrap_or(if seats == 2 { 3 } else { 2 });
    let mut judge = Judge::new(depth);
    let draws = games.iter().flat_map(Game::draws_of_engines);
    let draws: Vec<JudgedDraw> = draws.map(|draw| judge.judge(draw)).collect();
    let unfinished = games.iter().filter(|game| !game.is_over()).count();
    [
        format!(
            "Games of {seats} seats: {number}, {} of them different (equal ones count once), {unfinished} stopped \
             before their end\n",
            games.len()
        ),
        length::table_of(games),
        cards::table_of(&draws, depth),
        near_finish::table_of(&draws),
        repetition::table_of(games),
        behind::table_of(games),
        places::table_of(games, seats),
        luck::table_of(games),
    ]
    .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use game::examples::stopped;

    const START: &str = "63,5,0/61,10,0 1 - -";

    #[test]
    fn equal_games_count_once() {
        let games = [["a", "b"], ["b", "a"], ["a", "b"]].map(|names| stopped(&names, START, "1"));
        assert_eq!(different(games.to_vec()).len(), 2);
    }

    #[test]
    fn all_tables_are_there() {
        let games = [stopped(&["a", "b"], "30,60,1/63,10,0 1 - -", "1 +half 1")];
        let text = facts(&games, 1, 2, Some(1));
        for begin in [
            "Games of 2 seats: 1, 1 of them different",
            "plies a game",
            "+half 1 ",
            "leaving an excess",
            "all seats, a game",
            "of the others when",
            "seat 2",
        ] {
            let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
            let is_there = text.lines().any(|line| words(line).starts_with(begin));
            assert!(is_there, "{begin:?} is missing in\n{text}");
        }
        let games = [
            stopped(&["a", "b"], START, "1"),
            stopped(&["a", "b", "c"], "63,5,0/61,10,0/1,1,1 1 - -", "1"),
        ];
        assert_eq!(seats_of_all(&games), None);
        assert_eq!(seats_of_all(&games[1..]), Some(3));
    }
}
