//! The tables as users see them.

use matches::record::ending::Ending;
use matches::record::{Fault, GameRecord, Luck, TurnRecord};
use matches::report::Report;
use matches::run::events::standings_json;
use matches::score::Verdict;
use serde_json::Value;

use crate::common::program;
use program::{built_in, content, directory, run};

fn game(number: u64, seats: [&str; 3], places: [u32; 3]) -> GameRecord {
    let turn = |seat| TurnRecord {
        seat,
        mv: "1".to_string(),
        micros: Some(19_000 + 500 * u64::from(seat) * number),
        depth: (seat != 3).then_some(6 + seat),
        ..TurnRecord::default()
    };
    GameRecord {
        game: number,
        block: (number - 1) / 3 + 1,
        variant: "hase-und-igel".to_string(),
        seats: seats.map(String::from).to_vec(),
        // No game repeats another.
        moves: number.to_string(),
        places: places.to_vec(),
        endings: places
            .map(|place| if place == 3 { Ending::Last } else { Ending::Finish })
            .to_vec(),
        turns: (1..=3).map(turn).collect(),
        ..GameRecord::default()
    }
}

#[test]
fn a_match_with_a_fault() {
    let mut report = Report::new(["swift", "steady"].map(String::from).to_vec(), 3, 3);
    let mut games = [
        game(1, ["swift", "steady", "swift"], [2, 1, 3]),
        game(2, ["steady", "swift", "swift"], [1, 2, 3]),
        game(3, ["swift", "swift", "steady"], [3, 1, 2]),
        game(4, ["swift", "steady", "swift"], [3, 1, 2]),
        game(5, ["steady", "swift", "swift"], [1, 3, 2]),
        game(6, ["swift", "swift", "steady"], [1, 3, 1]),
    ];
    games[5].endings = vec![Ending::Ended, Ending::TimeForfeit, Ending::Ended];
    games[5].fault = Some(Fault {
        seat: 2,
        reason:
            "it answered after 93.4 ms, 73.4 ms over its limit of 20.0 ms; the margin is 50.0 ms"
                .to_string(),
        stderr: vec!["warning: out of breath".to_string()],
        ..Fault::default()
    });
    games.iter().for_each(|game| report.add(game));
    insta::assert_snapshot!(report.text());
}

#[test]
fn games_that_the_limit_of_their_length_ended_are_told_if_they_are_many() {
    let names = ["swift", "steady"].map(String::from).to_vec();
    for (cut, is_told) in [(3, false), (4, true), (30, true)] {
        let mut report = Report::new(names.clone(), 3, 3);
        for number in 1..=30 {
            let mut game = game(number, ["swift", "steady", "swift"], [1, 1, 1]);
            if number <= cut {
                game.endings = vec![Ending::MaxPlies; 3];
            }
            report.add(&game);
        }
        let line = format!("\n{cut} of 30 games were ended by the limit of their length, ");
        assert_eq!(report.text().contains(&line), is_told, "{}", report.text());
    }
}

#[test]
fn the_score_of_more_than_two_seats_is_no_share() {
    let mut report = Report::new(["swift", "steady"].map(String::from).to_vec(), 3, 3);
    for number in 1..=3 {
        report.add(&game(number, ["swift", "steady", "swift"], [1, 2, 3]));
    }
    let text = report.text();
    assert!(
        text.contains("\nscore: part of the comparisons") && text.contains(": score 50.0 %"),
        "{text}"
    );
    assert!(
        text.lines().all(|line| line.starts_with(['─', ' ']) || line.chars().count() <= 80),
        "{text}"
    );
}

#[test]
fn a_match_without_games() {
    let report = Report::new(vec!["swift".to_string()], 2, 2);
    insta::assert_snapshot!(report.text());
}

#[test]
fn a_record_of_several_kinds_of_games_is_reported_by_kind() {
    let file = directory("kinds").join("games.jsonl").to_str().unwrap().to_string();
    let three = game(2, ["swift", "steady", "swift"], [2, 1, 3]);
    let games = [duel(1, [1, 2]), three, duel(3, [2, 1])];
    let lines: Vec<String> =
        games.iter().map(|game| serde_json::to_string(game).unwrap()).collect();
    std::fs::write(&file, lines.join("\n")).unwrap();
    let report = |flags: &[&str]| run(&[&["report", &file, "--format", "json"], flags].concat());
    let games = |json: &str| serde_json::from_str::<Value>(json).unwrap()["games"].clone();
    let (two, three) =
        ("--variant hase-und-igel --players 2", "--variant hase-und-igel --players 3");

    let (code, stdout, stderr) = report(&[]);
    assert_eq!((code, stderr), (0, format!("{file}: 1 game left out, see {three}\n")));
    assert_eq!(games(&stdout), 2);
    let (code, stdout, stderr) = report(&["--players", "3"]);
    assert_eq!((code, stderr), (0, format!("{file}: 2 games left out, see {two}\n")));
    assert_eq!(games(&stdout), 1);
    let (code, _, stderr) = report(&["--players", "4"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.ends_with(&format!("no such games: expected {two} or {three}\n")), "{stderr}");
}

#[test]
fn a_game_saved_from_the_table_is_reported() {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../table/tests/data/saved.jsonl");
    let (code, stdout, stderr) = run(&["report", file, "--format", "json"]);
    assert_eq!((code, stderr.as_str()), (0, ""));
    let json: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(json["games"], 1);
    assert_eq!(
        (&json["engines"][0]["name"], &json["engines"][0]["points"]),
        (&"Anna".into(), &1.0.into())
    );
}

#[test]
fn faults_beyond_the_first_few_are_counted() {
    let mut report = Report::new(vec!["swift".to_string()], 3, 3);
    for number in 1..=25 {
        let mut game = game(number, ["swift"; 3], [1, 1, 3]);
        game.fault = Some(Fault { seat: 3, reason: "it stumbled".to_string(), ..Fault::default() });
        report.add(&game);
    }
    report.finish();
    let text = report.text();
    assert!(text.contains("Faults: 25\n") && text.ends_with("  and 15 more\n"), "{text}");
}

/// A game of two seats; two successive games share a block.
fn duel(number: u64, places: [u32; 2]) -> GameRecord {
    let three = game(number, ["swift", "steady", "-"], [1, 2, 3]);
    let mut seats = vec!["swift".to_string(), "steady".to_string()];
    let mut places = places.to_vec();
    if number.is_multiple_of(2) {
        seats.reverse();
        places.reverse();
    }
    GameRecord {
        block: number.div_ceil(2),
        endings: vec![Ending::Finish; 2],
        turns: three.turns[..2].to_vec(),
        seats,
        places,
        ..three
    }
}

/// Adds games that the first engine wins, draws and loses in turn, with more wins than losses.
fn duels(report: Report, games: u64) -> Report {
    let mut report = report;
    for number in 1..=games {
        let places = match number % 7 {
            0..4 => [1, 2],
            4 => [1, 1],
            _ => [2, 1],
        };
        report.add(&duel(number, places));
    }
    report
}

fn two() -> Report {
    Report::new(["swift", "steady"].map(String::from).to_vec(), 2, 2)
}

#[test]
fn a_match_of_two() {
    insta::assert_snapshot!(duels(two(), 40).text());
}

#[test]
fn a_test_that_is_decided() {
    let sprt = "elo0=0 elo1=60".parse().unwrap();
    let report = duels(two().with_test(sprt), 1000);
    assert_eq!(report.verdict(), Verdict::H1);
    assert!(report.standings().games() < 1000, "{}", report.text());
    assert_eq!(report.played(), 1000);
    insta::assert_snapshot!(report.text());
}

#[test]
fn a_test_that_is_open() {
    let sprt = "elo0=0 elo1=60 model=normalized".parse().unwrap();
    let report = duels(two().with_test(sprt), 40);
    insta::assert_snapshot!(report.text());
}

#[test]
fn every_block_won_has_no_finite_elo() {
    let mut report = two().with_test("elo0=0 elo1=400".parse().unwrap());
    for number in 1..=4 {
        report.add(&duel(number, [1, 2]));
    }
    insta::assert_snapshot!(report.text());
}

#[test]
fn the_games_of_a_test_do_not_depend_on_their_order() {
    let games: Vec<GameRecord> = (1..=400)
        .map(|number| duel(number, if number % 5 == 0 { [2, 1] } else { [1, 2] }))
        .collect();
    let text = |games: &[&GameRecord]| {
        let mut report = two().with_test("elo0=0 elo1=100".parse().unwrap());
        games.iter().for_each(|game| report.add(game));
        report.finish();
        assert_eq!(report.verdict(), Verdict::H1, "{}", report.text());
        report.text()
    };
    let in_order: Vec<&GameRecord> = games.iter().collect();
    let backwards: Vec<&GameRecord> = games.iter().rev().collect();
    let mut shuffled = in_order.clone();
    shuffled.chunks_mut(7).for_each(<[_]>::reverse);
    assert_eq!(text(&in_order), text(&backwards));
    assert_eq!(text(&in_order), text(&shuffled));
}

#[test]
fn without_a_complete_block_the_games_there_are_count() {
    let mut report = two().with_test("elo0=0 elo1=5".parse().unwrap());
    for number in [2, 3, 4] {
        report.add(&duel(number, [1, 2]));
    }
    assert_eq!((report.standings().games(), report.played()), (3, 3));
    report.finish();
    assert_eq!((report.standings().games(), report.played()), (3, 3));
    assert_eq!((report.standings().head_to_head(), report.llr()), (None, Some(0.0)));
}

/// The numbers of games in the table and of blocks behind the Elo and, with a test, its LLR.
fn figures(report: &Report) -> (u64, u64, Option<f64>) {
    let standings = report.standings();
    let scores = standings.head_to_head().unwrap();
    let llr = report.sprt().map(|sprt| sprt.llr(scores));
    assert_eq!(report.llr(), llr, "{}", report.text());
    let by_engine: Vec<u64> = standings.engines().map(|(_, tally)| tally.games).collect();
    assert_eq!(by_engine, [standings.games(); 2]);
    let pairs = standings.crosstable().between(0, 1).pairs;
    (standings.games(), scores.blocks(), llr.or(Some(f64::from(pairs))))
}

#[test]
fn all_figures_are_of_the_same_blocks() {
    // Interrupted with games in progress: block 9 lacks its second game, block 10 is complete, block 11 has one game.
    let games: Vec<u64> = (1..=17).chain(19..=21).collect();
    let add = |mut report: Report| {
        for &number in &games {
            report.add(&duel(number, if number % 5 == 0 { [2, 1] } else { [1, 2] }));
        }
        report.finish();
        report
    };
    let tested = add(two().with_test("elo0=0 elo1=20".parse().unwrap()));
    assert_eq!(tested.played(), 20);
    let (counted, blocks, llr) = figures(&tested);
    assert_eq!((counted, blocks), (16, 8), "{}", tested.text());
    assert!(llr.unwrap() > 0.0);
    let left_out = "\n4 games are not counted: their blocks, or earlier ones, are not complete\n";
    assert!(tested.text().contains(left_out), "{}", tested.text());

    let untested = add(two());
    assert_eq!(figures(&untested), (18, 9, Some(18.0)), "{}", untested.text());
    let left_out = "\n2 games are not counted: their blocks are not complete\n";
    assert!(untested.text().contains(left_out), "{}", untested.text());
}

#[test]
fn faults_of_games_that_do_not_count_are_listed() {
    let fault = Some(Fault { seat: 1, reason: "it stumbled".to_string(), ..Fault::default() });
    for report in [two(), two().with_test("elo0=0 elo1=20".parse().unwrap())] {
        let mut report = report;
        for number in 1..=3 {
            let fault = fault.clone().filter(|_| number == 3);
            report.add(&GameRecord { fault, ..duel(number, [1, 2]) });
        }
        report.finish();
        assert_eq!((report.standings().games(), report.faults()), (2, 1), "{}", report.text());
    }
}

/// Adds twenty blocks that repeat only two different ones.
fn repeated(mut report: Report) -> Report {
    for number in 1..=40 {
        let moves = format!("opening{} 1 1", number % 4);
        report.add(&GameRecord { moves, ..duel(number, [1, 2]) });
    }
    report.finish();
    report
}

#[test]
fn blocks_that_repeat_earlier_ones_are_no_evidence() {
    let report = repeated(two());
    let words = "\n36 of 40 games repeat earlier ones: add --random-plies or openings\n";
    assert!(report.text().contains(words), "{}", report.text());
    assert_eq!(figures(&report), (4, 2, Some(4.0)));
    assert_eq!(report.played(), 40);
    // The same as four games without repetition.
    let mut four = two();
    (1..=4).for_each(|number| four.add(&duel(number, [1, 2])));
    assert_eq!(report.summary(), four.summary());
    let json = |report| serde_json::from_str::<Value>(&standings_json(report)).unwrap();
    assert_eq!((&json(&report)["games"], &json(&report)["repeated"]), (&4.into(), &36.into()));
    assert_eq!(json(&four)["repeated"], Value::Null);

    let sprt = "elo0=0 elo1=100".parse().unwrap();
    let tested = repeated(two().with_test(sprt));
    assert_eq!((tested.verdict(), figures(&tested).1), (Verdict::Open, 2));
    let names = ["swift", "steady", "slow"].map(String::from).to_vec();
    let rated = repeated(Report::new(names.clone(), 2, 2));
    let mut four = Report::new(names, 2, 2);
    (1..=4).for_each(|number| four.add(&duel(number, [1, 2])));
    assert_eq!(rated.standings().ratings(), four.standings().ratings());
}

#[test]
fn equal_blocks_are_samples_if_their_opening_led_to_different_ones() {
    // Nine of ten games follow one drawn line; the first engine wins the others.
    let add = |mut report: Report| {
        for block in 1..=1000 {
            for (number, is_won) in [(2 * block - 1, false), (2 * block, block % 5 == 0)] {
                let places = if is_won { [1, 2] } else { [1, 1] };
                let moves = format!("e {} {}", places[0], places[1]);
                report.add(&GameRecord { moves, ..duel(number, places) });
            }
        }
        report.finish();
        report
    };
    let report = add(two());
    assert_eq!((report.standings().games(), report.repeated()), (2000, 0), "{}", report.text());
    let score = report.standings().head_to_head().unwrap().mean_score().unwrap();
    assert!((score.interval().value - 0.55).abs() < 0.001, "{}", report.text());
    let tested = add(two().with_test("elo0=0 elo1=20".parse().unwrap()));
    assert_eq!(tested.verdict(), Verdict::H1, "{}", tested.text());
}

#[test]
fn a_report_shows_single_games_until_a_block_counts() {
    let mut report = two();
    for number in [1, 3] {
        let fault = Some(Fault { seat: 1, reason: "it stumbled".to_string(), ..Fault::default() });
        report.add(&GameRecord { fault, ..duel(number, [1, 2]) });
    }
    let json: Value = serde_json::from_str(&standings_json(&report)).unwrap();
    assert_eq!((&json["games"], report.faults()), (&2.into(), 2), "{}", report.text());
    assert!(report.text().contains("it stumbled"), "{}", report.text());
    report.add(&duel(4, [1, 2]));
    assert_eq!((figures(&report).0, report.faults()), (2, 2), "{}", report.text());
    report.finish();
    assert_eq!((figures(&report).0, report.faults()), (2, 2), "{}", report.text());
}

#[test]
fn luck_adjustment_is_of_blocks_that_are_no_repetitions() {
    let mut report = two();
    for number in 1..=60 {
        let luck = 100.0 + (number % 24) as f64;
        let moves = format!("{} 1 1", number % 24);
        let place = if number % 3 == 0 { [2, 1] } else { [1, 2] };
        report.add(&with_luck(GameRecord { moves, ..duel(number, place) }, luck));
    }
    let standings = report.standings();
    assert_eq!((standings.games(), standings.adjusted().unwrap().blocks()), (24, 12));
}

/// A round robin of engines with two seats: `rounds` pairs of games of each two engines. The first engine of the list
/// wins most games.
fn round_robin(names: &[&str], rounds: usize) -> Report {
    let mut report = Report::new(names.iter().map(|name| name.to_string()).collect(), 2, 2);
    let mut games = 0u64;
    for round in 0..rounds {
        for (index, one) in names.iter().enumerate() {
            for other in &names[index + 1..] {
                for seats in [[*one, *other], [*other, *one]] {
                    games += 1;
                    let is_upset = (round as u64 + games).is_multiple_of(3);
                    let places = if (seats[0] == *one) != is_upset { [1, 2] } else { [2, 1] };
                    report.add(&GameRecord {
                        game: games,
                        block: games.div_ceil(2),
                        seats: seats.map(String::from).into(),
                        moves: games.to_string(),
                        places: places.into(),
                        endings: vec![Ending::Finish; 2],
                        ..GameRecord::default()
                    });
                }
            }
        }
    }
    report
}

#[test]
fn a_match_of_three() {
    insta::assert_snapshot!(round_robin(&["steady", "swift", "slow"], 10).text());
}

#[test]
fn a_crosstable_of_eight_fits_into_120_columns() {
    let names =
        ["swift-2.1", "steady", "slow", "lazy", "patient", "hasty", "bold", "a-longer-name"];
    for more in [0, 1] {
        let mut report = round_robin(&names, 100);
        for game in 0..2 * more {
            // One more block: the numbers of comparisons differ.
            report.add(&GameRecord {
                game: 100_000 + game,
                block: 50_000,
                seats: ["swift-2.1", "steady"].map(String::from).into(),
                moves: format!("more {game}"),
                places: vec![1, 2],
                endings: vec![Ending::Finish; 2],
                ..GameRecord::default()
            });
        }
        let text = report.ratings().unwrap().text();
        let widest = text.lines().map(|line| line.chars().count()).max().unwrap();
        assert!(widest <= 120, "{widest} columns:\n{text}");
        assert_eq!(text.contains("/202"), more == 1, "{text}");
    }
}

/// Adds the luck of the first seat to a game.
fn with_luck(game: GameRecord, first: f64) -> GameRecord {
    let by = "built-in 0123456789ab nodes=20".to_string();
    let others = game.seats.len() - 1;
    let shares = [&[first][..], &vec![-first / others as f64; others]].concat();
    GameRecord { luck: Some(Luck { by, shares }), ..game }
}

/// The text, the headline of the page, and the JSON form.
fn all_forms(report: &Report) -> String {
    let headline = report.verdict_in_words().unwrap();
    let json: Value = serde_json::from_str(&standings_json(report)).unwrap();
    format!("{}\n{headline}\n\n{json:#}\n", report.text())
}

#[test]
fn luck_of_two() {
    let mut report = two();
    for number in 1..=16 {
        let places = if number % 4 == 1 { [2, 1] } else { [1, 2] };
        let game = duel(number, places);
        let luck = 300.0 * (1.5 - f64::from(game.places[0])) + number as f64;
        report.add(&if number <= 12 { with_luck(game, luck) } else { game });
    }
    insta::assert_snapshot!(all_forms(&report));
}

#[test]
fn luck_of_three() {
    let mut report = Report::new(["swift", "steady", "slow"].map(String::from).to_vec(), 3, 3);
    for number in 1..=18 {
        let mut seats = ["swift", "steady", "slow"];
        let mut places = [[1, 2, 3], [1, 3, 2], [2, 3, 1], [3, 1, 2]][number as usize % 4];
        seats.rotate_left(number as usize % 3);
        places.rotate_left(number as usize % 3);
        let game = game(number, seats, places);
        let luck = 200.0 * (2.0 - f64::from(game.places[0]));
        report.add(&with_luck(game, luck));
    }
    insta::assert_snapshot!(all_forms(&report));
}

#[test]
fn equal_luck_adjusted_blocks_are_not_taken_as_certain() {
    let mut report = two();
    for number in 1..=80 {
        report.add(&with_luck(duel(number, [1, 1]), 0.0));
    }
    let line = report.adjusted_summary().unwrap();
    assert!(line.starts_with("luck-adjusted: 50.0 % ± 0.8, Elo 0.0 ± 5.6, LOS 50.0 %, "), "{line}");
    let table = report.engines().rows;
    assert!(table.iter().all(|row| row[3..5] == ["50.0 %", "0.8 %"]), "{table:?}");
}

#[test]
fn an_infinite_elo_has_no_finite_error() {
    let mut report = two();
    for number in 1..=6 {
        let luck = if number % 2 == 1 { -20.0 - number as f64 } else { 0.0 };
        report.add(&with_luck(duel(number, [1, 2]), luck));
    }
    let line = report.adjusted_summary().unwrap();
    assert!(
        line.starts_with(
            "luck-adjusted: 101.2 % ± 27.1, Elo infinity, at least +182.1, LOS 99.3 %,"
        ),
        "{line}"
    );
    let json: Value = serde_json::from_str(&standings_json(&report)).unwrap();
    for infinite in ["adjusted_elo", "adjusted_elo_error", "adjusted_elo_high"] {
        assert!(json[infinite].is_null(), "{json}");
    }
    let low = json["adjusted_elo_low"].as_f64().unwrap();
    assert_eq!(format!("{low:+.1}"), "+182.1");
}

#[test]
fn adjustment_that_is_less_precise_is_no_gain() {
    // The luck varies far more than the results.
    let noisy = |number: u64| [900.0, -700.0, 300.0, -500.0, 100.0][number as usize * 2 % 5];
    let all = |report: &Report| {
        let headline = report.verdict_in_words().unwrap();
        (report.text(), headline, report.adjusted_summary().unwrap())
    };
    let mut two = two();
    for number in 1..=24 {
        let places = if number % 5 == 0 { [2, 1] } else { [1, 2] };
        two.add(&with_luck(duel(number, places), noisy(number)));
    }
    let mut three = Report::new(["swift", "steady", "slow"].map(String::from).to_vec(), 3, 3);
    for number in 1..=18 {
        let mut seats = ["swift", "steady", "slow"];
        seats.rotate_left(number as usize % 3);
        three.add(&with_luck(game(number, seats, [1, 2, 3]), noisy(number)));
    }
    for report in [two, three] {
        let (text, headline, summary) = all(&report);
        assert!(!headline.contains("adjusted"), "{headline}");
        let words = "luck-adjusted: no gain from adjustment; luck by buxtehude, 20 nodes";
        assert_eq!(summary, words);
        assert!(!text.contains("luck-adjusted +") && !text.contains("as precise as"), "{text}");
        let table = report.engines().rows;
        assert!(table.iter().all(|row| row[3..5] == ["no gain", "-"]), "{text}");
        if let Some(ratings) = report.ratings() {
            assert!(ratings.rows.iter().all(|row| row[4..6] == ["no gain", "-"]), "{text}");
        }
        // Programs get the numbers with their errors.
        let json: Value = serde_json::from_str(&standings_json(&report)).unwrap();
        assert!(json["engines"][0]["adjusted_error"].as_f64().unwrap() > 0.1, "{json}");
    }
}

#[test]
fn with_few_blocks_adjustment_is_no_gain() {
    let mut report = two();
    for (number, luck) in [(1, 300.0), (2, -100.0), (3, -300.0), (4, 100.0)] {
        report.add(&with_luck(duel(number, [1, 1]), luck));
    }
    let summary = report.adjusted_summary().unwrap();
    assert!(summary.starts_with("luck-adjusted: no gain from adjustment;"), "{summary}");
}

/// Runs a program on a terminal of a number of columns, both as arguments.
const ON_A_TERMINAL: &str = r#"
import fcntl, os, pty, struct, sys, termios
child, terminal = pty.fork()
if child == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 50, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
try:
    while output := os.read(terminal, 4096):
        sys.stdout.buffer.write(output)
except OSError:
    pass
"#;

#[test]
fn tables_fit_the_terminal_without_broken_words() {
    let directory = directory("report_on_a_terminal");
    let record = directory.join("games.jsonl").to_str().unwrap().to_string();
    let engines = ["name=a-rather-long-name", "name=b", "name=c"].map(built_in);
    let mut arguments = vec!["match", "--players", "3", "--games", "6", "--nodes", "1"];
    arguments.extend(["--random-plies", "4", "--max-plies", "60", "--record", &record]);
    engines.iter().for_each(|engine| arguments.extend(["--engine", engine]));
    let (code, stdout, stderr) = run(&arguments);
    assert_eq!(code, 0, "{stdout}{stderr}");
    let whole = content(&["report", &record, "--format", "text"]);
    let is_of_table =
        |line: &str| whole.contains(line.trim_end()) || line.chars().all(|c| c == '─');
    for columns in [60, 80, 100, 120] {
        let output = std::process::Command::new("python3")
            .args(["-c", ON_A_TERMINAL, &columns.to_string(), env!("CARGO_BIN_EXE_arbiter")])
            .args(["report", &record, "--format", "text"])
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap().replace('\r', "");
        if columns <= 80 {
            assert!(text.contains("no room for: "), "{text}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= columns), "{text}");
        let mut borders = 0;
        for line in text.lines() {
            borders += usize::from(line.starts_with('─'));
            // A table has three.
            assert!(borders % 3 == 0 || is_of_table(line), "{line:?} in\n{text}");
        }
        assert!(borders >= 6, "{text}");
    }
}
