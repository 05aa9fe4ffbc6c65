//! Records of games, and measurements on them.

use buxtehude::eval::net::{Net, Weights};
use buxtehude::rules::hase::HASE_UND_IGEL;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use trainer::measure::{calibrations, whole};
use trainer::player::Player;
use trainer::records::{Record, RecordError, read};
use trainer::self_play::record;

fn know_nothing() -> Weights {
    Weights::zero("hase-und-igel", 3)
}

fn games() -> String {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut lines = Vec::new();
    for game in 0..20 {
        let mut player = Player::new(&HASE_UND_IGEL, &know_nothing(), game % 4);
        record(&mut player, &HASE_UND_IGEL, &mut random)
            .write(&mut lines)
            .unwrap();
    }
    String::from_utf8(lines).unwrap()
}

#[test]
fn games_are_read_as_they_were_written() {
    let text = games();
    for line in text.lines() {
        let record: Record = serde_json::from_str(line).unwrap();
        let mut again = Vec::new();
        record.write(&mut again).unwrap();
        assert_eq!(String::from_utf8(again).unwrap().trim_end(), line);
        let moves = record
            .moves
            .split_whitespace()
            .filter(|word| !word.starts_with('+'));
        assert_eq!(record.positions().unwrap().len(), moves.count());
    }
}

#[test]
fn a_line_that_is_no_game_is_named() {
    let good =
        r#"{"variant":"hase-und-igel","start":"0,68,3/0,68,3 1 - -","moves":"5","places":[1,2]}"#;
    let bad = [
        (good.replace("hase-und", "hund-und"), "unknown variant"),
        (good.replace("\"5\"", "\"50\""), "50:"),
        (good.replace("\"5\"", "\"+half\""), "+half:"),
        (good.replace("\"5\"", "\"five\""), "five:"),
        (good.replace(",68,3 1", ",68 1"), "hares"),
        (good.replace("moves", "plies"), "expected a game with"),
    ];
    for (line, expected) in bad {
        let error: RecordError = read(format!("{good}\n{line}\n").as_bytes()).unwrap_err();
        let error = error.to_string();
        assert!(
            error.starts_with("line 2: ") && error.contains(expected),
            "{error}"
        );
    }
}

/// A net that predicts even chances has a loss of log 2 per pair, and its predictions come true about half of the time.
#[test]
fn even_chances_cost_the_logarithm_of_two() {
    let end = r#"{"variant":"hase-und-igel","start":"63,5,0/63,68,3/62,1,3 1 - -","moves":"1","places":[1,2,3]}"#;
    assert!(
        read(end.as_bytes())
            .unwrap_err()
            .to_string()
            .contains("square")
    );
    let text = r#"{"variant":"hase-und-igel","start":"63,5,0/61,1,0/64,0,0 1 3 -","moves":"1","places":[2,3,1]}"#;
    let games = read(text.as_bytes()).unwrap();
    assert_eq!(games.len(), 1);
    let net = Net::new(&HASE_UND_IGEL, &know_nothing());
    let all = whole(&calibrations(&net, &games));
    assert_eq!(all.pairs(), 1.0);
    assert!((all.loss() - 2f64.ln()).abs() < 1e-6, "{}", all.loss());
    let tenth = all.tenths()[5];
    assert_eq!(
        (tenth.pairs, tenth.expected(), tenth.found()),
        (1.0, 0.5, 1.0)
    );
}
