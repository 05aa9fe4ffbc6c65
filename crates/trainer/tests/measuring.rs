//! Records of games, and measurements on them.

use buxtehude::eval::hase::{Net, Weights};
use buxtehude::rules::hase::HASE_UND_IGEL;
use matches::record::GameRecord;
use trainer::measure::{calibrations, whole};
use trainer::player::Player;
use trainer::records::{RecordedGame, read};
use trainer::self_play::recorded;

use super::{file, file_of, game};

fn know_nothing() -> Weights {
    Weights::zero("hase-und-igel", 3)
}

#[test]
fn games_are_read_as_they_were_written() {
    for nodes in 0..4 {
        let player = Player::new(&HASE_UND_IGEL, &know_nothing(), nodes);
        let games: Vec<GameRecord> = recorded(player, "net", 1).take(5).collect();
        let (_folder, path) = file(&games);
        for (game, written) in read(&path).unwrap().zip(&games) {
            let game = game.unwrap();
            assert_eq!(game.record, *written);
            let words = written.moves.split_whitespace();
            let moves = words.filter(|word| !word.starts_with('+'));
            assert_eq!(game.plies.len(), moves.count());
        }
    }
}

#[test]
fn plies_have_the_positions_around_them() {
    let start = "0,68,3/0,68,3 1 - -";
    let (_folder, path) = file(&[game(&["a", "b"], start, "1 +half | 4 6 1 0")]);
    let game: RecordedGame = read(&path).unwrap().next().unwrap().unwrap();
    assert_eq!((game.plies.len(), game.own_plies().len()), (5, 4));
    let first = &game.plies[0];
    assert_eq!(first.before.to_string(), start);
    assert_eq!(first.after.to_string(), "1,34,3/0,68,3 2 - H");
    assert_eq!(game.plies[1].before, first.after);
    assert_eq!(game.plies[4].after, game.last);
    assert!(!game.is_over());
}

#[test]
fn a_line_that_is_no_game_is_named() {
    let good = serde_json::to_string(&game(&["a", "b"], "0,68,3/0,68,3 1 - -", "5")).unwrap();
    let bad = [
        (good.replace("hase-und", "hund-und"), "unknown variant"),
        (good.replace("\"5\"", "\"50\""), "50 is illegal"),
        (good.replace("\"5\"", "\"+half\""), "+half is illegal"),
        (good.replace("\"5\"", "\"five\""), "five"),
        (good.replace(",68,3 1", ",68 1"), "hares"),
        (good.replace("moves", "plies"), "missing field `moves`"),
    ];
    for (line, expected) in bad {
        let (_folder, path) = file_of(&format!("{good}\n{line}\n"));
        let error = read(&path).unwrap().nth(1).unwrap().unwrap_err().to_string();
        let place = format!("{}:2: ", path.display());
        assert!(error.starts_with(&place) && error.contains(expected), "{error}");
    }
}

/// A net that predicts even chances has a loss of log 2 per pair, and its predictions come true about half of the time.
#[test]
fn even_chances_cost_the_logarithm_of_two() {
    let end = game(&["a", "b", "c"], "63,5,0/61,1,0/64,0,0 1 3 -", "1");
    let (_folder, path) = file(&[end]);
    let games: Vec<RecordedGame> = read(&path).unwrap().map(Result::unwrap).collect();
    assert!(games[0].is_over());
    let net = Net::new(&HASE_UND_IGEL, &know_nothing());
    let all = whole(&calibrations(&net, &games));
    assert_eq!(all.pairs(), 1.0);
    assert!((all.loss() - 2f64.ln()).abs() < 1e-6, "{}", all.loss());
    let tenth = all.tenths()[5];
    assert_eq!((tenth.pairs, tenth.expected(), tenth.found()), (1.0, 0.5, 1.0));
}
