use std::fmt;
use std::sync::Mutex;

use buxtehude::rules::{Seat, Turn};
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::*;
use crate::plan::deck::{Deck, Draws};
use crate::plan::rules::Position;
use crate::plan::schedule::play_random_ply;
use crate::plan::{EngineSpec, Limit};

/// A rules program that is a function from the argument of `position` and a query to a response, or to a refusal.
struct Fake {
    response: fn(&str, &str) -> Result<String, String>,
    /// Positions of each call.
    asked: Mutex<Vec<Vec<String>>>,
}

impl fmt::Debug for Fake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fake")
    }
}

impl Answers for Fake {
    fn ask(&self, questions: &[Question<'_>]) -> Result<Vec<Answer>, RulesError> {
        let positions = questions.iter().map(|question| question.position.to_string());
        self.asked.lock().unwrap().push(positions.collect());
        let answer = |question: &Question<'_>| {
            let responses =
                question.queries.iter().map(|query| (self.response)(question.position, query));
            responses.collect::<Result<_, _>>().map_or_else(Answer::Refused, Answer::Responses)
        };
        Ok(questions.iter().map(answer).collect())
    }

    fn broken(&self, what: String, asked: &str) -> RulesError {
        RulesError::broken("coins", &what, asked, String::new())
    }
}

/// A seat passes, or tosses a coin after `toss`. The game ends after 100 moves; the last seat to move wins.
fn coins(line: &str, query: &str) -> Result<String, String> {
    let (start, words) = line.split_once(" moves ").unwrap_or((line, ""));
    let seats: usize = match start.strip_prefix("startpos players ") {
        Some(seats) => seats.parse().unwrap(),
        None if start == "fen new table" => 2,
        None => return Err("expected new table".to_string()),
    };
    if !(2..=4).contains(&seats) {
        return Err(format!("{seats} cannot play"));
    }
    let (mut moves, mut is_due) = (0, false);
    for word in words.split(' ').filter(|word| !word.is_empty()) {
        (moves, is_due) = match (word, is_due, moves) {
            ("pass", false, ..100) | ("+heads" | "+tails", true, _) => (moves + 1, false),
            ("toss", false, ..100) => (moves, true),
            _ => return Err(format!("{word} is not possible")),
        };
    }
    let seat = moves % seats + 1;
    Ok(match (query, is_due, moves) {
        ("players", ..) => seats.to_string(),
        ("text", ..) if seats == 2 => "new table".to_string(),
        ("state", true, _) => format!("card {seat} weights +heads 1 +tails 2"),
        ("state", false, 100) => {
            let places = (1..=seats).map(|one| if one == seats { "1" } else { "2" });
            format!("over places {}", places.collect::<Vec<_>>().join(" "))
        }
        ("state", false, _) => format!("{seat} legal toss pass"),
        _ => String::new(),
    })
}

fn external(response: fn(&str, &str) -> Result<String, String>) -> (Arc<External>, Arc<Fake>) {
    let game = External::new(RulesPlan {
        program: EngineSpec::new("coins", "coins", Limit::default()),
        uci_variant: "coins".to_string(),
        draws: Draws::Seat,
    });
    let fake = Arc::new(Fake { response, asked: Mutex::default() });
    game.connect(Arc::clone(&fake) as Arc<dyn Answers>);
    (Arc::new(game), fake)
}

/// Starts a game of two seats and forgets the questions.
fn begun(response: fn(&str, &str) -> Result<String, String>) -> (ExternalPosition, Arc<Fake>) {
    let (game, fake) = external(response);
    let start = game.start(2).unwrap();
    fake.asked.lock().unwrap().clear();
    (start, fake)
}

fn sizes(fake: &Fake) -> Vec<usize> {
    fake.asked.lock().unwrap().iter().map(Vec::len).collect()
}

fn words(position: &ExternalPosition) -> Vec<&str> {
    position.words().collect()
}

#[test]
fn a_game_is_played_with_what_the_program_says() {
    let (start, fake) = begun(coins);
    assert_eq!((start.seats(), start.facts().turn), (2, Turn::Seat(Seat(0))));
    let toss = start.after("toss").unwrap();
    assert_eq!(toss.facts().turn, Turn::Card(Seat(0)));
    assert_eq!(toss.outcomes(), [("+heads".to_string(), 1), ("+tails".to_string(), 2)]);
    let tails = toss.after("+tails").unwrap();
    assert_eq!(tails.facts().actions, ["toss", "pass"]);
    assert_eq!(words(&tails), ["toss", "+tails"]);
    assert_eq!(tails.to_string(), "startpos players 2 moves toss +tails");
    assert_eq!(sizes(&fake), [1, 1]);
    let (all, error) = start.walk(["pass"; 100]);
    assert!(error.is_none(), "{error:?}");
    let last = all.last().unwrap();
    assert_eq!(last.facts().turn, Turn::Over);
    assert_eq!([0, 1].map(|seat| last.place(Seat(seat))), [Some(2), Some(1)]);
}

#[test]
fn a_start_is_found_again_by_its_text() {
    let (game, _) = external(coins);
    for (seats, text) in [(2, "new table"), (3, "startpos players 3")] {
        let start = game.start(seats).unwrap();
        assert_eq!((start.start_text(), start.to_string().as_str()), (text, text));
        let again = game.parse(text).unwrap();
        assert_eq!((&start, start.key()), (&again, again.key()));
        let [one, other] = [&start, &again].map(|start| start.after("pass").unwrap());
        assert_eq!((&one, one.key()), (&other, other.key()));
        assert!(start != one && start.key() != one.key(), "{one:?}");
    }
    let fen = game.parse(" new\ttable ").unwrap().after("pass").unwrap();
    assert_eq!(fen.to_string(), "fen new table moves pass");
}

#[test]
fn a_start_that_the_program_refuses_is_a_wrong_start() {
    let (game, _) = external(coins);
    for (begun, words) in [
        (game.start(5), "position \"startpos players 5\" refused: 5 cannot play"),
        (game.parse("old table"), "position \"fen old table\" refused: expected new table"),
    ] {
        let error = begun.unwrap_err();
        assert!(matches!(error, PositionError::Setup(_)), "{error:?}");
        assert_eq!(error.to_string(), words);
    }
}

#[test]
fn a_text_that_is_no_text_never_reaches_the_program() {
    let (game, fake) = external(coins);
    for text in [
        "", "new\u{2028}table", "new table moves pass", "new\u{b}table",
        "startpos players 2 moves pass", "startpos", "startpos players 7", "\u{1b}[2J",
    ] {
        let error = game.parse(text).unwrap_err();
        assert!(matches!(error, PositionError::Setup(_)), "{error:?}");
        assert!(
            error
                .to_string()
                .contains("refused: expected startpos players N with N from 2 to 6, or words"),
            "{error}"
        );
    }
    assert!(sizes(&fake).is_empty());
    // A line feed separates words, and does not reach the program either.
    assert!(game.parse("new\r\ntable").is_ok());
    assert_eq!(*fake.asked.lock().unwrap(), [["fen new table"]]);
}

#[test]
fn a_word_that_is_not_listed_never_reaches_the_program() {
    let (start, fake) = begun(coins);
    let long = "x".repeat(300);
    for word in [
        "", "stand", "+heads", "pass pass", "pass\rquit", "pass\nquit", "pass\u{2028}quit",
        "moves", "-", &long,
    ] {
        let error = start.after(word).unwrap_err();
        assert!(matches!(error, PositionError::Action(_)), "{word:?}: {error:?}");
        let error = error.to_string();
        assert!(error.ends_with("expected one of toss, pass"), "{error}");
        assert!(!error.contains(['\r', '\n', '\u{2028}']), "{error:?}");
    }
    assert!(sizes(&fake).is_empty());
    let (after, error) = start.walk(["pass", "toss", "a\rquit", "pass"]);
    assert_eq!(after.len(), 2);
    assert_eq!(
        error.unwrap().to_string(),
        "\"a\\rquit\" is not a move: expected one of +heads, +tails"
    );
    assert_eq!(sizes(&fake), [2]);
}

#[test]
fn a_walk_ends_at_the_first_word_that_is_not_legal() {
    let (start, fake) = begun(coins);
    let (after, error) = start.walk(["pass", "toss", "pass", "+heads"]);
    assert_eq!(after.iter().map(words).collect::<Vec<_>>(), [vec!["pass"], vec!["pass", "toss"]]);
    assert_eq!(error.unwrap().to_string(), "pass is illegal: expected one of +heads, +tails");
    assert_eq!(sizes(&fake), [4]);
    let (after, error) = start.walk(["pass"; 101]);
    assert_eq!(after.len(), 100);
    assert_eq!(error.unwrap().to_string(), "pass is illegal: the game is over");
    // The last query asks for the result again.
    assert_eq!(sizes(&fake), [4, 32, 32, 32, 5, 1]);
    let (after, error) = start.walk([]);
    assert!(after.is_empty() && error.is_none());
}

#[test]
fn children_come_in_the_order_of_the_program() {
    let (start, fake) = begun(coins);
    let children = start.children().unwrap();
    let found: Vec<_> =
        children.iter().map(|(word, child)| (word.as_str(), words(child))).collect();
    assert_eq!(found, [("toss", vec!["toss"]), ("pass", vec!["pass"])]);
    assert_eq!(sizes(&fake), [2]);

    let (start, fake) = begun(|line, query| match (line.contains("moves"), query) {
        (false, "state") => {
            let moves: Vec<String> = (0..70).map(|number| number.to_string()).collect();
            Ok(format!("1 legal {}", moves.join(" ")))
        }
        (true, "state") => Ok("over places 1 1".to_string()),
        _ => Ok(String::new()),
    });
    let children = start.children().unwrap();
    assert_eq!((children.len(), sizes(&fake)), (70, vec![32, 32, 6]));
    assert!(children.iter().enumerate().all(|(index, (word, _))| *word == index.to_string()));
}

#[test]
fn pictures_are_drawings_or_else_texts_and_safe_to_show() {
    let (start, fake) = begun(|line, query| match (query, line.split(' ').count()) {
        ("picture", 3) => Ok(r"  o\n\n x".to_string()),
        ("picture", 5) => Ok("\u{1b}[31m\u{202e}red".to_string()),
        ("picture", 6) => Ok("x".repeat(5000)),
        _ => coins(line, query),
    });
    let (after, _) = start.walk(["pass"; 100]);
    fake.asked.lock().unwrap().clear();
    let all: Vec<&ExternalPosition> = [&start].into_iter().chain(&after).collect();
    let pictures = ExternalPosition::pictures(&all).unwrap();
    assert_eq!((pictures.len(), sizes(&fake)), (101, vec![32, 32, 32, 5]));
    let text = |position: usize| pictures[position].as_deref().unwrap();
    assert_eq!(text(0), "  o\n\n x");
    assert_eq!(text(1), "\\u{1b}[31m\\u{202e}red");
    assert_eq!(text(2), "x".repeat(4000) + "...");
    assert_eq!(text(3), "new table");
    assert!(ExternalPosition::pictures(&[]).unwrap().is_empty());

    let (start, _) = begun(|line, query| match query {
        "text" => Ok(String::new()),
        _ => coins(line, query),
    });
    assert_eq!(ExternalPosition::pictures(&[&start]).unwrap(), [None]);
    let (start, _) = begun(|line, query| match query {
        "picture" => Err("out of ink".to_string()),
        _ => coins(line, query),
    });
    let error = ExternalPosition::pictures(&[&start]).unwrap_err();
    assert!(error.to_string().contains("refuses a position of its own: out of ink"), "{error}");
}

#[test]
fn a_program_that_breaks_a_law_is_broken() {
    fn state(after: &'static str) -> impl Fn(&str, &str) -> Result<String, String> {
        move |line, query| match (line.contains("moves"), query) {
            (true, "state") => Ok(after.to_string()),
            _ => coins(line, query),
        }
    }
    let words = |error: PositionError| match error {
        PositionError::Rules(error @ RulesError::Broken { .. }) => error.to_string(),
        error => panic!("{error:?}"),
    };
    let (start, _) = begun(|line, query| {
        if line.contains("moves") {
            Err("changed my\u{1b} mind".to_string())
        } else {
            coins(line, query)
        }
    });
    let refuses = "rules program coins: it listed pass, but refuses it: changed my\\u{1b} mind; asked `position \
                   startpos players 2 moves pass; query state`";
    assert_eq!(words(start.after("pass").unwrap_err()), refuses);
    assert_eq!(words(start.walk(["pass"]).1.unwrap()), refuses);
    assert!(start.children().is_err());

    let (start, _) = begun(|line, query| state("1 legal a a")(line, query));
    let twice = words(start.after("pass").unwrap_err());
    assert!(
        twice.contains("its answer has \"a\": expected each move once; asked `position"),
        "{twice}"
    );
    // The answer about an illegal word does not matter.
    let error = start.after("stand").unwrap_err();
    assert!(matches!(error, PositionError::Action(_)), "{error:?}");
}

#[test]
fn a_start_has_laws_as_well() {
    type Response = fn(&str, &str) -> Result<String, String>;
    let cases: [(Response, &str); 6] = [
        (|_, query| Ok(if query == "players" { "3" } else { "" }.to_string()), "\"3\": expected 2"),
        (
            |_, query| Ok(if query == "players" { "two" } else { "" }.to_string()),
            "\"two\": expected 2",
        ),
        (|_, _| Ok(String::new()), "`query state` has \"\": expected a seat, card or over"),
        (
            |_, query| Ok(if query == "text" { "a moves b" } else { "" }.to_string()),
            "`query text` has \"a moves b\": expected words",
        ),
        (
            |_, query| Ok(if query == "text" { "startpos a" } else { "" }.to_string()),
            "`query text` has \"startpos a\": expected words",
        ),
        (
            |_, query| Ok(if query == "stake" { "0" } else { "" }.to_string()),
            "`query stake` has \"0\": expected a whole number from 1",
        ),
    ];
    for (response, words) in cases {
        let (game, _) = external(response);
        let error = game.start(2).unwrap_err();
        assert!(matches!(error, PositionError::Rules(_)), "{error:?}");
        assert!(error.to_string().contains(words), "{error}");
    }
    let (game, _) = external(|_, query| Ok(if query == "players" { "8" } else { "" }.to_string()));
    let error = game.parse("x").unwrap_err().to_string();
    assert!(error.contains("it has 8 players, expected 2 to 6"), "{error}");
    let (game, _) = external(|_, _| Ok(String::new()));
    let error = game.parse("x").unwrap_err().to_string();
    assert!(error.contains("`query players` has \"\": expected a number of players"), "{error}");
}

#[test]
fn a_stake_allows_winnings() {
    let (start, _) = begun(|line, query| match (query, line.contains("moves")) {
        ("stake", _) => Ok("3".to_string()),
        ("state", true) => Ok("over places 1 2 winnings 2 0".to_string()),
        _ => coins(line, query),
    });
    assert_eq!(start.after("pass").unwrap().facts().winnings, [2, 0]);
}

#[test]
fn nothing_is_asked_of_a_program_that_does_not_run() {
    let game = Arc::new(External::new(RulesPlan {
        program: EngineSpec::new("coins", "coins", Limit::default()),
        uci_variant: "coins".to_string(),
        draws: Draws::Seat,
    }));
    let error = game.start(2).unwrap_err();
    assert!(matches!(error, PositionError::Rules(RulesError::Absent { .. })), "{error:?}");
    assert!(error.to_string().contains("the rules of coins come from a program"), "{error}");
}

#[test]
fn an_answer_of_another_length_is_refused() {
    #[derive(Debug)]
    struct Short;
    impl Answers for Short {
        fn ask(&self, _: &[Question<'_>]) -> Result<Vec<Answer>, RulesError> {
            Ok(vec![Answer::Responses(vec![String::new()])])
        }
        fn broken(&self, what: String, asked: &str) -> RulesError {
            RulesError::broken("coins", &what, asked, String::new())
        }
    }
    let (game, _) = external(coins);
    game.connect(Arc::new(Short));
    let error = game.start(2).unwrap_err().to_string();
    assert_eq!(error, "rules program coins: it gave another number of answers");
}

#[test]
fn a_game_too_long_for_a_line_is_not_sent() {
    let (game, fake) = external(coins);
    let text = "x".repeat(200) + &" y".repeat(MAX_RULES_LINE_LENGTH / 2);
    let error = game.parse(&text).unwrap_err().to_string();
    assert!(error.contains("too long for a line") && error.len() < 500, "{error}");
    assert!(sizes(&fake).is_empty());
}

#[test]
fn a_random_ply_whose_draw_decides_a_place_is_taken_back() {
    let (start, _) = begun(|line, query| {
        let state = match line.split(' ').next_back() {
            Some("toss") => "card 1 weights +end 1",
            Some("+end") => "over places 1 2",
            _ => "1 legal toss",
        };
        Ok(if query == "state" { state } else { "" }.to_string())
    });
    let (mut position, mut played) = (Position::External(start.clone()), Vec::new());
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut deck = Deck::new(1.into(), Draws::Seat);
    let is_played = play_random_ply(&mut position, &mut played, &mut random, &mut deck);
    assert!(!is_played.unwrap() && played.is_empty(), "{played:?}");
    assert_eq!(position, Position::External(start));
}
