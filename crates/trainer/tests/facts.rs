//! Statistics of recorded games, row by row.

use matches::record::GameRecord;
use trainer::facts::of_files;

use super::{file, file_of, game};

const START: &str = "0,68,3/0,68,3 1 - -";

/// Rows of the tables of these games, without the spaces that align them.
fn rows(games: &[GameRecord]) -> Vec<String> {
    let (_folder, path) = file(games);
    let (text, skipped) = of_files(&[path], Some(1)).unwrap();
    assert_eq!(skipped, 0);
    let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
    text.lines().map(words).collect()
}

fn assert_rows(games: &[GameRecord], expected: &[&str]) {
    let rows = rows(games);
    for row in expected {
        let is_there = rows.iter().any(|found| found == row);
        assert!(is_there, "{row:?} is missing in\n{}", rows.join("\n"));
    }
}

#[test]
fn equal_games_count_once_and_invalid_lines_are_skipped() {
    let line = serde_json::to_string(&game(&["a", "b"], START, "5")).unwrap();
    let other_names = line.replace("\"b\"", "\"c\"");
    let wrong_places = line.replace("[1,1]", "[2,1]");
    let other_game = line.replace("hase-und-igel", "fox-and-hounds");
    let valid = format!("{line}\n{line}\n{other_names}\n\n");
    let (_folder, path) = file_of(&format!("{valid}{wrong_places}\n{other_game}\nx"));
    let (text, skipped) = of_files(&[path], None).unwrap();
    let title = "Games of 2 seats: 3, 2 of them different (equal ones count once), 2 stopped";
    assert!(text.starts_with(title), "{text}");
    assert_eq!(skipped, 3);
    let three = game(&["a", "b", "c"], "63,5,0/61,10,0/1,1,1 1 - -", "1");
    let (_folder, path) = file(&[game(&["a", "b"], START, "5"), three]);
    let error = of_files(&[path], None).unwrap_err().to_string();
    assert!(error.contains("the same number of seats"), "{error}");
}

#[test]
fn moves_forced_stays_and_cards_are_counted_apart() {
    let one = game(&["a", "b"], START, "1 +half 7 | 5 +show 0 4");
    assert_rows(
        &[one],
        &[
            "plies a game 1 games 5.0 5 5 5",
            "moves a game (plies without forced stays) 1 games 4.0 4 4 4",
            "forced stays a game 1 games 1.0 1 1 1",
            "opening plies a game, before the engines are asked 1 games 2.0 2 2 2",
            "cards drawn a game 1 games 2.0 2 2 2",
            "by the engines' own moves 1 games 1.0 1 1 1",
            "+half 0 - - - - - - - -",
            "+show 1 0.0 % 100.0 % +0.0 - 0.0 % 100.0 % +0.0 -",
        ],
    );
    // The deck has two cards of each of these kinds.
    let half = game(&["a", "b"], START, "1 +half 7 5 +show 0 4");
    let unpleasant = "unpleasant of 15 cards, those that lower it on average: 7.5; static: 7.5";
    assert_rows(&[half], &[unpleasant]);
    let games = ["1001", "1001 1001", "1001 1001 1002", "1001 1001 1002 1002"]
        .map(|moves| game(&["a", "b"], "26,40,3/40,60,3 1 - -", moves));
    assert_rows(&games, &["plies a game 4 games 2.5 1.8 2.5 3.2"]);
}

#[test]
fn repetitions_count_for_the_seat_that_causes_them() {
    let start = "26,40,3/40,60,3 1 - -";
    // The fourth ply brings back the start, the fifth the position after the first. Ten carrots more are a turn less
    // for the second hare alone.
    assert_rows(
        &[game(&["a", "b"], start, "1001 1001 1002 1002 1001")],
        &[
            "all seats, a game 1 games 5.00 2.00 3.00 0.00 4.00",
            "a, a seat and game 1 seats 3.00 1.00 2.00 0.00 3.00",
            "b, a seat and game 1 seats 2.00 1.00 1.00 0.00 1.00",
        ],
    );
    // Back to the hedgehog on 24, and forward to 26 again.
    assert_rows(
        &[game(&["a", "b"], start, "-2 2 2 0 -2 2")],
        &["a, a seat and game 1 seats 3.00 0.00 0.00 2.00 1.00"],
    );
}

#[test]
fn losers_are_as_far_behind_as_they_are_from_home() {
    // Five squares cost seat 3 15 carrots: 21 are left, more than the second may keep, but not the third.
    let games = [game(&["a", "b", "c"], "63,5,0/61,20,0/59,36,0 1 - -", "1 3")];
    assert_rows(
        &games,
        &[
            "of the others when the first is home b 1 1.0 1 1 1",
            "of the last when all others are home c 1 1.0 1 1 1",
        ],
    );
    let others = "of the others when the first is home (all) 2 ";
    assert!(rows(&games).iter().any(|row| row.starts_with(others)));
    let unfinished = rows(&[game(&["a", "b"], START, "5 4")]);
    assert!(!unfinished.iter().any(|row| row.starts_with("of the others")));
}

#[test]
fn first_places_and_points_are_shares_of_the_games() {
    let start = "63,5,0/61,10,0/59,36,0 1 - -";
    let seatings = [["a", "b", "c"], ["b", "a", "a"]];
    assert_rows(
        &seatings.map(|names| game(&names, start, "1 3")),
        &[
            "a 2 50.0 % 50.0 % 50.0 %", "b 2 50.0 % 50.0 % 33.3 %", "c 1 0.0 % 0.0 % 33.3 %",
            "seat 1 2 100.0 % 66.7 % 33.3 %",
        ],
    );
}

#[test]
fn steps_of_the_estimates_add_up_to_the_result() {
    // Seat 2 draws a card, and seat 1 finishes.
    let with = |estimates: [&[u16]; 2]| {
        let mut game = game(&["a", "b"], "59,15,0/60,10,0 2 - -", "1 +show 5");
        for (turn, estimate) in game.turns.iter_mut().zip(estimates) {
            turn.estimate = estimate.to_vec();
        }
        game
    };
    let all = "all 100.0 % 500";
    assert_rows(
        &[with([&[600, 400], &[900, 100]])],
        &["seat and opening 4.0 % 100", "cards 36.0 % 300", "moves 4.0 % 100", all],
    );
    assert_rows(
        &[with([&[600, 400], &[]])],
        &["seat and opening 4.0 % 100", "cards 64.0 % 400", "moves 0.0 % 0", all],
    );
    assert_rows(&[with([&[], &[]])], &["all - 0"]);
}
