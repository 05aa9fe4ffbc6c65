//! Games without a board: the pictures of a rules program or, if it is missing, the moves alone.

use buxtehude::rules::is_card;

use super::{Positions, ShownStep, TurnsAfter, turn};
use matches::archive::replay::Replay;
use matches::plan::rules::Position;
use matches::plan::rules::program::RulesError;
use matches::record::GameRecord;

/// Returns the positions of a game in pictures; after an error, without any.
pub fn in_pictures(walk: &Replay, turns: TurnsAfter<'_>) -> (Positions, Option<RulesError>) {
    let after = walk.steps.iter().map(|step| &step.after);
    let all: Vec<&Position> = [&walk.first].into_iter().chain(after).collect();
    let (pictures, error) = match Position::pictures(&all) {
        Ok(pictures) => (pictures, None),
        Err(error) => (Vec::new(), Some(error)),
    };
    let lines = |picture: Option<String>| {
        let picture = picture.unwrap_or_default();
        picture.lines().map(str::to_string).collect::<Vec<_>>()
    };
    let mut pictures = pictures.into_iter().map(lines);
    let start = pictures.next().unwrap_or_default();
    let mut before = start.clone();
    let steps = walk.steps.iter().enumerate().map(|(index, step)| {
        let after = pictures.next().unwrap_or_default();
        let picture = changed_lines(&before, &after);
        before = after;
        ShownStep { picture, ..ShownStep::of(step, turns.get(index)) }
    });
    let positions = Positions {
        steps: steps.collect(),
        picture: start,
        turn: turn(&walk.first),
        ..Positions::without_facts(walk.first.seats())
    };
    (positions, error)
}

fn changed_lines(before: &[String], after: &[String]) -> Vec<(usize, Option<String>)> {
    let lines = 0..before.len().max(after.len());
    let changed = lines.filter(|&line| before.get(line) != after.get(line));
    changed.map(|line| (line, after.get(line).cloned())).collect()
}

/// Returns the moves of a game whose rules are missing. The record names the seats of the engines' moves only, and does
/// not say which seat draws: an outcome belongs to the move before it.
pub fn moves_alone(record: &GameRecord) -> Positions {
    let turns = TurnsAfter(record.opening_plies(), &record.turns);
    let mut steps: Vec<ShownStep> = Vec::new();
    let mut rolled = String::new();
    for word in record.moves.split_whitespace() {
        match (is_card(word), steps.last_mut()) {
            (true, Some(step)) => {
                let drawn = step.card.iter().map(String::as_str).chain([word]);
                step.card = Some(drawn.collect::<Vec<_>>().join(" "));
            }
            (true, None) => rolled += &format!("{word} "),
            (false, _) => {
                let turn = turns.get(steps.len());
                steps.push(ShownStep {
                    seat: turn.and_then(|turn| u8::try_from(turn.seat.checked_sub(1)?).ok()),
                    mv: std::mem::take(&mut rolled) + word,
                    ..ShownStep::reported(turn)
                });
            }
        }
    }
    Positions { steps, ..Positions::without_facts(record.seats.len()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_may_grow_and_shrink() {
        let lines = |text: &str| text.lines().map(str::to_string).collect::<Vec<_>>();
        let changed = |before, after| changed_lines(&lines(before), &lines(after));
        let some = |line: &str| Some(line.to_string());
        assert_eq!(changed("a\nb\nc", "a\nx\nc"), [(1, some("x"))]);
        assert_eq!(changed("a", "b\n\nc"), [(0, some("b")), (1, some("")), (2, some("c"))]);
        assert_eq!(changed("a\nb\nc", "a"), [(1, None), (2, None)]);
        assert!(changed("a\nb", "a\nb").is_empty());
    }
}
