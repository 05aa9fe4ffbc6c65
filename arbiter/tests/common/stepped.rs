//! Checks the games on a page against the rules.

use buxtehude::pictures::Scene;
use buxtehude::rules::{AnyPosition, Seat, Turn, Variant};
use matches::record::GameRecord;
use serde_json::Value;

/// Asserts that a game on the page equals the recorded one: the changes of each step lead to the position that the
/// rules give for its move.
pub fn check_game(game: &Value, boards: &Value, record: &GameRecord) {
    let names: Vec<&str> = list(&game["names"]).iter().map(|name| name.as_str().unwrap()).collect();
    assert_eq!(names, record.seats);
    assert_eq!(game["flaw"], Value::Null, "{game}");
    let track = &game["positions"];
    let mut position = Variant::by_name(&record.variant).unwrap().parse(&record.start).unwrap();
    check_board(&boards[number(&track["board"])], &position.scene());
    let mut squares: Vec<usize> = list(&track["squares"]).iter().map(number).collect();
    let mut facts: Vec<Vec<String>> =
        list(&track["facts"]).iter().map(|facts| list(facts).iter().map(text).collect()).collect();
    check_position(track, &squares, &facts, &position);
    let mut words = record.moves.split_whitespace().peekable();
    let steps = list(&track["steps"]);
    let opening = number(&game["opening"]);
    assert_eq!(opening + record.turns.len(), steps.len(), "{game}");
    for (index, step) in steps.iter().enumerate() {
        let Turn::Seat(mover) = position.turn() else {
            panic!("{step} in {position:?}");
        };
        assert_eq!(number(&step["s"]), mover.index(), "{step}");
        let played = [&step["m"], &step["c"]];
        for word in played.into_iter().filter_map(Value::as_str) {
            assert_eq!(Some(word), words.next(), "{step}");
            position.play(word).unwrap();
        }
        for change in step["p"].as_array().into_iter().flatten() {
            squares[number(&change[0])] = number(&change[1]);
        }
        for change in step["f"].as_array().into_iter().flatten() {
            facts[number(&change[0])][number(&change[1])] = text(&change[2]);
        }
        check_position(track, &squares, &facts, &position);
        let turn = position.turn().seat().map(Seat::index);
        assert_eq!(step.get("n").map(number), turn, "{step}");
        let Some(turn) = index.checked_sub(opening).map(|turn| &record.turns[turn]) else {
            assert_eq!(step.get("e"), None, "{step} of the opening");
            continue;
        };
        let estimate: Vec<u16> =
            step["e"].as_array().into_iter().flatten().map(|share| number(share) as u16).collect();
        assert_eq!(estimate, turn.estimate, "{step}");
        let line = (!turn.pv.is_empty()).then(|| turn.pv.join(" "));
        assert_eq!(step.get("l").map(text), line, "{step}");
        assert_eq!(step.get("k").and_then(Value::as_u64), turn.nodes, "{step}");
        assert_eq!(step.get("t").and_then(Value::as_u64), turn.micros, "{step}");
    }
    assert_eq!(words.next(), None, "{game}");
}

fn check_board(board: &Value, scene: &Scene) {
    let kinds: Vec<[String; 2]> = list(&board["squares"])
        .iter()
        .map(|kind| &board["kinds"][number(kind)])
        .map(|kind| [text(&kind[0]), text(&kind[1])])
        .collect();
    let expected = scene.board.squares.iter();
    let expected: Vec<[String; 2]> =
        expected.map(|kind| [kind.name.into(), kind.mark.into()]).collect();
    assert_eq!(kinds, expected);
}

fn check_position(track: &Value, squares: &[usize], facts: &[Vec<String>], position: &AnyPosition) {
    let scene = position.scene();
    for (index, piece) in scene.pieces.iter().enumerate() {
        let found = &track["pieces"][index];
        assert_eq!(
            (number(&found[0]), text(&found[1])),
            (piece.seat.index(), piece.name.to_string())
        );
        assert_eq!(squares[index], piece.square, "piece {index} in\n{}", position.picture());
    }
    assert_eq!(squares.len(), scene.pieces.len());
    for (seat, expected) in scene.facts.iter().enumerate() {
        for (index, fact) in expected.iter().enumerate() {
            let label = text(&track["labels"][index]);
            let found = (label.as_str(), facts[seat][index].as_str());
            assert_eq!(found, (fact.label, fact.value.as_str()), "{}", position.picture());
        }
        assert_eq!(facts[seat].len(), expected.len());
    }
}

pub fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

fn number(value: &Value) -> usize {
    value.as_u64().unwrap_or_else(|| panic!("no number: {value}")) as usize
}

pub fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_string()
}
