//! The report as a page for a browser: its numbers, its markup, and the games in it.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use crate::common::{program, stepped};
use matches::archive::ArchiveError;
use matches::archive::store::{Extent, Store};
use matches::record::GameRecord;
use program::{built_in, content, crashing, directory, run, scattered};
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use stepped::{check_game, list, text};

/// Text that breaks a page without escaping.
const HOSTILE: &str = r#"</script><img/src=x>&amp;'"#;

/// The page of a match, its tables as text, and its games.
struct Reported {
    page: Html,
    source: String,
    text: String,
    games: Vec<GameRecord>,
}

impl Reported {
    /// Plays a match and makes its report; ignores the standard error.
    fn of_match(test: &str, arguments: &[&str], report_arguments: &[&str]) -> Reported {
        let directory = directory(test);
        let store = directory.join("match.db").to_str().unwrap().to_string();
        let mut all = vec!["match", "--seed", "5", "--random-plies", "3"];
        all.extend(["--max-plies", "60", "--retire", "0", "--store", &store]);
        all.extend(arguments);
        let (code, stdout, stderr) = run(&all);
        assert!([0, 4, 10, 11].contains(&code), "{stdout}{stderr}");
        Reported::of_file(&store, report_arguments)
    }

    fn of_file(file: &str, arguments: &[&str]) -> Reported {
        let source = content(&[&["report", file], arguments].concat());
        let mut games = Vec::new();
        let read = Store::open_or_import(Path::new(file)).and_then(|store| {
            store.for_each_game(Extent::Whole, |game| {
                games.push(game.record);
                Ok::<(), ArchiveError>(())
            })
        });
        assert!(read.is_ok(), "{read:?}");
        Reported {
            page: Html::parse_document(&source),
            source,
            text: content(&["report", file, "--format", "text"]),
            games,
        }
    }

    /// Text of the first element that matches a selector.
    fn words(&self, selector: &str) -> String {
        let found = self.all(selector);
        let first = found.first().unwrap_or_else(|| panic!("no {selector}"));
        words_of(*first)
    }

    fn all(&self, selector: &str) -> Vec<ElementRef<'_>> {
        let selector = Selector::parse(selector).unwrap();
        self.page.select(&selector).collect()
    }

    /// Rows of a table, without the bars.
    fn rows(&self, table: &str) -> Vec<Vec<String>> {
        let cells = Selector::parse("th:not(.wide), td:not(.wide)").unwrap();
        let row = |row: ElementRef<'_>| row.select(&cells).map(words_of).collect();
        let rows = self.all(&format!("{table} tr"));
        rows.into_iter().map(row).collect()
    }

    /// The data of the page's script.
    fn races(&self) -> Value {
        let script = self.all("script[type='application/json']#shown-games");
        let json: String = script[0].text().collect();
        serde_json::from_str(&json).unwrap_or_else(|error| panic!("{error}: {json}"))
    }

    /// Asserts that the tables of the page equal those of the text, word by word.
    fn check_tables(&self) {
        let lines: Vec<&str> = self.text.lines().collect();
        let mut checked = 0;
        for table in ["#standings", "#seats", "#ratings"] {
            for row in self.rows(table) {
                let row: Vec<&str> = row.iter().flat_map(|cell| cell.split_whitespace()).collect();
                let is_same = |line: &&str| line.split_whitespace().eq(row.iter().copied());
                assert!(lines.iter().any(is_same), "{row:?} in\n{}", self.text);
                checked += 1;
            }
        }
        assert!(checked >= 4, "{}", self.source);
    }

    /// Asserts that the page is well-formed and loads nothing.
    fn check_markup(&self) {
        assert!(self.page.errors.is_empty(), "{:?}", self.page.errors);
        for attribute in ["src", "srcset", "data", "poster", "action"] {
            let found = self.all(&format!("[{attribute}]"));
            assert!(found.is_empty(), "{attribute}: {found:?}");
        }
        for link in self.all("[href]") {
            let target = link.attr("href").unwrap();
            let is_inside = target.starts_with('#') || target == "data:,";
            assert!(is_inside, "{target}");
        }
        let policy = self.all("meta[http-equiv='Content-Security-Policy']");
        let policy = policy[0].attr("content").unwrap();
        assert!(policy.starts_with("default-src 'none';"), "{policy}");
        let styles = self.words("style");
        for loading in ["@import", "url("] {
            assert!(!styles.contains(loading), "{styles}");
        }
        let mut ids = HashSet::new();
        for id in self.all("[id]").iter().map(|element| element.attr("id")) {
            assert!(ids.insert(id), "two elements have the id {id:?}");
        }
        // The page's own two: one with data, one that reads it.
        assert_eq!(self.all("script").len(), 2);
        let targets = self.all("a[href^='#']");
        for link in targets.iter().map(|link| link.attr("href").unwrap()) {
            let is_game = link.starts_with("#game-");
            assert!(is_game || !self.all(link).is_empty(), "{link} leads nowhere");
        }
    }

    /// Asserts that the positions on the page follow from the recorded moves by the rules.
    fn check_games(&self, expected: usize) {
        let races = self.races();
        let games = races["games"].as_array().unwrap();
        assert_eq!(games.len(), expected);
        for game in games {
            let number = game["number"].as_u64().unwrap();
            let record = self.games.iter().find(|record| record.game == number).unwrap();
            check_game(game, &races["boards"], record);
        }
    }
}

fn words_of(element: ElementRef<'_>) -> String {
    let text: String = element.text().collect();
    text.split_whitespace().collect::<Vec<&str>>().join(" ")
}

/// Points of each engine's seats against those of each other, computed independently from the places.
fn crosstable(games: &[GameRecord]) -> BTreeMap<(String, String), (f64, u32)> {
    let mut cells = BTreeMap::new();
    for game in games {
        let seats = || game.seats.iter().zip(&game.places);
        for (one, place) in seats() {
            for (other, other_place) in seats().filter(|(other, _)| *other != one) {
                let cell: &mut (f64, u32) = cells.entry((one.clone(), other.clone())).or_default();
                cell.0 += if place < other_place { 1.0 } else { 0.0 };
                cell.0 += if place == other_place { 0.5 } else { 0.0 };
                cell.1 += 1;
            }
        }
    }
    cells
}

#[test]
fn a_match_of_three_seats() {
    let directory = directory("page_of_three_engines");
    let engines = [("alpha", 1), ("beta", 2)].map(|(name, seed)| scattered(&directory, name, seed));
    let mut arguments = vec!["--players", "3", "--games", "12", "--nodes", "1"];
    arguments.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    let reported = Reported::of_match("page_of_three", &arguments, &[]);
    reported.check_markup();
    reported.check_tables();
    reported.check_games(12);
    let verdict = reported.words("h1");
    assert!(
        verdict.contains("alpha") && verdict.contains("beta") && verdict.contains('%'),
        "{verdict}"
    );
    assert_eq!(reported.words("title"), format!("arbiter: {verdict}"));
    assert_eq!(reported.words(".lead"), "hase-und-igel, 3 seats, 12 games");
    let place = |id: &str| reported.source.find(&format!("id=\"{id}\"")).expect(id);
    let order = ["standings", "games", "seats", "places", "crosstable", "engines"];
    let places = order.map(place);
    assert!(places.is_sorted(), "{places:?}");
    assert_eq!(reported.words("#faults h2"), "Faults: 0");
    assert_eq!(reported.all("#shown").len(), 0, "all games are shown");
    let names: Vec<String> = reported.all("dl.settings dt").into_iter().map(words_of).collect();
    for name in ["started", "duration", "machine", "arbiter"] {
        assert!(names.contains(&name.to_string()), "no {name} in {names:?}");
    }
    let programs = reported.all("#engines td code[title]");
    let hashes = programs.iter().map(|code| code.attr("title").unwrap());
    assert_eq!(hashes.map(str::len).collect::<Vec<_>>(), [64, 64]);
    let rows = reported.rows("#crosstable");
    for ((one, other), (points, pairs)) in crosstable(&reported.games) {
        let column = rows[0].iter().position(|name| *name == other).unwrap();
        let row = rows.iter().find(|row| row[0] == one).unwrap();
        assert_eq!(row[column], format!("{points} / {pairs}"), "{rows:?}");
    }
    // Elo, distribution of times, time by move.
    assert_eq!(reported.all("figure svg").len(), 3);
}

/// Rounded to the page's precision.
fn rounded(value: &Value) -> f64 {
    let number = value.as_f64().unwrap_or_else(|| panic!("{value}"));
    (number * 10.0).round() / 10.0
}

fn all_rounded(value: &Value) -> Vec<f64> {
    list(value).iter().map(rounded).collect()
}

#[test]
fn the_page_and_the_command_have_the_same_reviews() {
    let engines = ["name=weak nodes=1", "name=strong"].map(built_in);
    let [weak, strong] = engines.each_ref();
    let games = ["--players", "3", "--games", "6", "--nodes", "30"];
    let arguments = [&games[..], &["--engine", weak, "--engine", strong]].concat();
    let reviewed = ["--review", "4", "--review-nodes", "40"];
    let reported = Reported::of_match("page_of_reviews", &arguments, &reviewed);
    reported.check_markup();
    reported.check_games(6);
    let store = Path::new(env!("CARGO_TARGET_TMPDIR")).join("page_of_reviews/match.db");
    let numbers: Vec<&str> = "--game 1 --game 2 --game 3 --game 4 --nodes 40".split(' ').collect();
    let command = ["review", store.to_str().unwrap(), "--format", "json"];
    let output: Value = serde_json::from_str(&content(&[&command[..], &numbers].concat())).unwrap();
    let races = reported.races();
    assert_eq!(races["reviewer"], "buxtehude (40 nodes)");
    let games = list(&races["games"]);
    assert!(games[4].get("review").is_none());
    let (mut losses, mut cards) = (0, 0);
    for (game, review) in games.iter().zip(list(&output["reviews"])) {
        assert_eq!(all_rounded(&game["review"]["start"]), all_rounded(&review["start"]));
        for (shown, sums) in list(&game["review"]["sums"]).iter().zip(list(&review["sums"])) {
            let names = ["start", "skill", "gifts", "luck", "noise", "verdict", "result"];
            assert_eq!(all_rounded(shown), names.map(|name| rounded(&sums[name])));
        }
        let steps = list(&game["positions"]["steps"]);
        let opening = steps.len() - list(&review["moves"]).len();
        assert_eq!(opening, 3, "{game}");
        assert!(steps[..opening].iter().all(|step| step.get("r").is_none()));
        for (step, reviewed) in steps[opening..].iter().zip(list(&review["moves"])) {
            let shown = &step["r"];
            assert_eq!(all_rounded(&shown["v"]), all_rounded(&reviewed["after"]));
            assert_eq!(shown.get("l").map_or(0.0, rounded), rounded(&reviewed["loss"]));
            let is_best = reviewed["best"] == reviewed["move"];
            assert_eq!(shown.get("b"), (!is_best).then_some(&reviewed["best"]));
            losses += usize::from(!is_best);
            if let [card] = list(&reviewed["cards"]) {
                assert_eq!(all_rounded(&shown["u"]), all_rounded(&card["luck"]));
                cards += 1;
            }
        }
        let lost = steps.iter().filter_map(|step| step["r"].get("l"));
        let mut most: Vec<f64> = lost.map(rounded).collect();
        most.sort_by(|one, other| other.total_cmp(one));
        most.truncate(5);
        let worst = list(&game["review"]["worst"])
            .iter()
            .map(|ply| rounded(&steps[ply.as_u64().unwrap() as usize - 1]["r"]["l"]));
        assert_eq!(worst.collect::<Vec<f64>>(), most);
    }
    assert!(losses > 4 && cards > 1, "{losses} {cards}");
    let (code, _, stderr) =
        run(&["report", store.to_str().unwrap(), "--format", "text", "--review", "1"]);
    assert_eq!(code, 2, "{stderr}");
    assert!(stderr.starts_with("error: --review: only the page shows reviews"), "{stderr}");
}

#[test]
fn a_test_on_a_board_with_some_of_its_games() {
    let engines = ["name=one", "name=other"].map(built_in);
    let mut arguments = vec!["--variant", "fox-and-hounds", "--games", "8", "--nodes", "50"];
    arguments.extend(["--sprt", "elo0=0 elo1=5"]);
    arguments.extend(engines.iter().flat_map(|engine| ["--engine", engine]));
    let reported = Reported::of_match("page_of_a_board", &arguments, &["--games", "3"]);
    reported.check_markup();
    reported.check_tables();
    reported.check_games(3);
    let shown = reported.words("#shown");
    assert!(shown.starts_with("3 of 8 games can be shown"), "{shown}");
    // Elo, LLR, distribution of times, time by move.
    assert_eq!(reported.all("figure svg").len(), 4);
    let lines: Vec<String> = reported.all("#head-to-head div").into_iter().map(words_of).collect();
    assert!(lines.iter().any(|line| line.starts_with("LLR")), "{lines:?}");
    let text: Vec<String> =
        reported.text.lines().map(|line| line.split_whitespace().collect::<String>()).collect();
    for line in lines {
        let line: String = line.split_whitespace().collect();
        assert!(text.contains(&line), "{line} in\n{}", reported.text);
    }
    let estimates = reported.races()["games"][0]["positions"]["steps"].to_string();
    assert!(estimates.contains("\"e\":["), "{estimates}");
}

/// A match with faults, whose names and last lines are then replaced by hostile text.
#[test]
fn hostile_text_does_not_break_the_page() {
    let directory = directory("page_of_faults");
    let record = directory.join("games.jsonl").to_str().unwrap().to_string();
    let (good, bad) = (scattered(&directory, "good", 1), crashing(&directory, "bad"));
    let mut arguments = vec!["--games", "6", "--nodes", "1", "--record", &record];
    arguments.extend(["--engine", &good, "--engine", &bad]);
    let reported = Reported::of_match("page_of_faults_stored", &arguments, &["--games", "2"]);
    reported.check_markup();
    reported.check_tables();
    reported.check_games(2);
    assert_eq!(reported.words("#faults h2"), "Faults: 6");
    assert_eq!(reported.words(".fault pre"), "out of carrots");

    let json = |text: &str| serde_json::to_string(text).unwrap();
    let lines = std::fs::read_to_string(&record)
        .unwrap()
        .replace(&json("bad"), &json(HOSTILE))
        .replace(&json("out of carrots"), &json(&format!("{HOSTILE}<!--<script>")));
    std::fs::write(&record, lines).unwrap();
    let reported = Reported::of_file(&record, &[]);
    assert!(reported.text.contains(HOSTILE), "{}", reported.text);
    reported.check_markup();
    reported.check_tables();
    reported.check_games(6);
    assert!(!reported.source.contains(HOSTILE), "{}", reported.source);
    let fault = [".fault h3", ".fault p", ".fault pre"].map(|part| reported.words(part));
    let expected = [
        format!("game 1, seat 2, {HOSTILE}: crash"),
        "its process ended with exit status: 3".to_string(),
        format!("{HOSTILE}<!--<script>"),
    ];
    assert_eq!(fault, expected);
}

/// Records two short games of the built-in engine.
fn record_of_two_games(directory: &Path) -> String {
    let record = directory.join("games.jsonl").to_str().unwrap().to_string();
    let settings = "match --nodes 1 --games 2 --max-plies 8 --record";
    let words: Vec<&str> = settings.split(' ').chain([record.as_str()]).collect();
    content(&[&words[..], &["--engine", &built_in("name=buxtehude")]].concat());
    record
}

#[test]
fn illegal_games_are_shown_up_to_the_illegal_move() {
    let directory = directory("page_of_flaws");
    let record = record_of_two_games(&directory);
    let lines = std::fs::read_to_string(&record).unwrap();
    let mut games: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let moves = text(&games[0]["moves"]);
    let last = moves.rfind(' ').unwrap();
    games[0]["moves"] = Value::from(format!("{} 1000", &moves[..last]));
    games[1]["start"] = Value::from("nowhere");
    let lines: Vec<String> = games.iter().map(Value::to_string).collect();
    std::fs::write(&record, lines.join("\n")).unwrap();
    let reported = Reported::of_file(&record, &[]);
    reported.check_markup();
    let races = reported.races();
    let [half, none] = list(&races["games"]) else {
        panic!("{races}");
    };
    let steps = list(&half["positions"]["steps"]).len();
    assert!(text(&half["flaw"]).contains("1000") && steps > 0, "{half}");
    assert!(text(&none["flaw"]).contains("nowhere") && none["positions"].is_null(), "{none}");
}

#[test]
fn the_page_can_go_into_a_file() {
    let directory = directory("page_in_a_file");
    let record = record_of_two_games(&directory);
    let page = directory.join("page.html").to_str().unwrap().to_string();
    assert_eq!(content(&["report", &record, "--output", &page]), format!("written to {page}\n"));
    let written = std::fs::read_to_string(&page).unwrap();
    assert_eq!(written, content(&["report", &record]));
    assert!(written.starts_with("<!DOCTYPE html>"), "{written}");
    let arguments = ["report", &record, "--format", "text", "--output", &page];
    assert_eq!(content(&arguments), format!("written to {page}\n"));
    let written = std::fs::read_to_string(&page).unwrap();
    assert_eq!(written, content(&["report", &record, "--format", "text"]));
    let nowhere = directory.join("none/page.html").to_str().unwrap().to_string();
    let (code, stdout, stderr) = run(&["report", &record, "--output", &nowhere]);
    assert_eq!((code, stdout.as_str()), (3, ""), "{stderr}");
    assert!(stderr.starts_with(&format!("error: --output: {nowhere}: ")), "{stderr}");
}
