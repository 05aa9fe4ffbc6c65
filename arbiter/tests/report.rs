//! The tables as a person sees them.

use arbiter::ending::Ending;
use arbiter::record::{Fault, GameRecord, TurnRecord};
use arbiter::report::Report;

fn game(number: u64, seats: [&str; 3], places: [u32; 3]) -> GameRecord {
    let turn = |seat| TurnRecord {
        seat,
        mv: "1".to_string(),
        micros: Some(19_000 + 500 * u64::from(seat) * number),
        depth: (seat != 3).then_some(6 + seat),
        estimate: Vec::new(),
        score: None,
    };
    GameRecord {
        game: number,
        block: (number - 1) / 3 + 1,
        variant: "hase-und-igel".to_string(),
        start: String::new(),
        seats: seats.map(String::from).to_vec(),
        seed: 1,
        moves: String::new(),
        places: places.to_vec(),
        endings: places
            .map(|place| {
                if place == 3 {
                    Ending::Last
                } else {
                    Ending::Finish
                }
            })
            .to_vec(),
        fault: None,
        turns: (1..=3).map(turn).collect(),
    }
}

#[test]
fn a_match_with_a_fault() {
    let mut report = Report::new(["swift", "steady"].map(String::from).to_vec(), 3);
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
        reason: "it answered after 93.4 ms, 73.4 ms over its limit of 20.0 ms, and the margin is 50.0 ms".to_string(),
        stderr: vec!["warning: out of breath".to_string()],
    });
    games.iter().for_each(|game| report.add(game));
    insta::assert_snapshot!(report.text());
}

#[test]
fn a_match_without_games() {
    let report = Report::new(vec!["swift".to_string()], 2);
    insta::assert_snapshot!(report.text());
}

#[test]
fn faults_beyond_the_first_few_are_counted() {
    let mut report = Report::new(vec!["swift".to_string()], 3);
    for number in 1..=25 {
        let mut game = game(number, ["swift"; 3], [1, 1, 3]);
        game.fault = Some(Fault {
            seat: 3,
            reason: "it stumbled".to_string(),
            stderr: Vec::new(),
        });
        report.add(&game);
    }
    let text = report.text();
    assert!(
        text.contains("Faults: 25\n") && text.ends_with("  and 15 more\n"),
        "{text}"
    );
}
