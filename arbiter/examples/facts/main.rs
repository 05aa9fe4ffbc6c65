//! Facts about recorded games, to put beside what is said of the game: how long it is, how many moves there
//! are, what the cards do, who shuffles, how far behind the losers finish, and how much of it all is luck.
//!
//! `cargo run --release -p arbiter --example facts -- RECORD [RECORD ...]`, where each RECORD was made with
//! `arbiter match --record`. Every game is checked and played over again by the rules; a line that is not in
//! order is named, left out, and makes the exit code 1. What is meant by a row that does not say it itself is
//! said in the module that prints it.

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
use std::process::ExitCode;

use clap::Parser;
use draw::{Judge, JudgedDraw};
use game::Game;
use matches::archive::record_file::{self, RecordFileError};
use matches::output;
use matches::record::printable::printable_lines;

/// Exit code where a game was left out.
const LEFT_OUT: u8 = 1;
/// Exit code where the records cannot be used.
const USAGE: u8 = 2;

/// The deepest search of an effect: more would take days.
const MOST_PLIES: i64 = 20;

#[derive(Debug, Parser)]
#[command(name = "facts", about = "Prints facts about recorded games")]
struct Cli {
    /// Records made with `arbiter match --record`, all of games with as many seats
    #[arg(required = true, value_name = "RECORD")]
    records: Vec<PathBuf>,

    /// Plies searched to see what a card does [default: 3 for two seats, 2 for more]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u32).range(1..=MOST_PLIES))]
    depth: Option<u32>,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let (read, left_out) = match read(&cli.records) {
        Ok(read) => read,
        Err(error) => {
            eprintln!("facts: {error}");
            return ExitCode::from(USAGE);
        }
    };
    let number = read.len();
    let games = different(read);
    let Some(seats) = seats_of_all(&games) else {
        eprintln!("facts: expected games, all of them with the same number of seats");
        return ExitCode::from(USAGE);
    };
    // Whoever closes the output has seen enough.
    let _ = output::print(&facts(&games, number, seats, cli.depth));
    match left_out {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::from(LEFT_OUT),
    }
}

/// The games of all files, and the number of lines that were left out.
fn read(paths: &[PathBuf]) -> Result<(Vec<Game>, usize), RecordFileError> {
    let mut games = Vec::new();
    let mut left_out = 0;
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
                    eprintln!("{}", printable_lines(&format!("{place}: left out: {flaw}")));
                    left_out += 1;
                }
            }
        }
    }
    Ok((games, left_out))
}

/// The games without those that were played before: of deterministic engines that are the same, all games of a
/// block are.
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

/// The number of seats, or `None` where there are no games or not all have as many.
fn seats_of_all(games: &[Game]) -> Option<usize> {
    let seats = games.first()?.seats();
    games
        .iter()
        .all(|game| game.seats() == seats)
        .then_some(seats)
}

/// All tables, with a newline at the end; `number` is that of the games of which `games` are the different ones.
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
