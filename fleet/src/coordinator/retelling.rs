//! Events of a finished game, as a machine that plays it emits them.

use buxtehude::rules::is_card;
use matches::plan::schedule::ScheduledGame;
use matches::play::runner::{Event, Played};
use matches::record::GameRecord;

/// Returns an event for each rerun of a game.
pub fn repeats(record: &GameRecord) -> impl Iterator<Item = Event> {
    record.reruns.iter().map(|rerun| Event::Rerun {
        game: record.game,
        reason: rerun.reason.clone(),
    })
}

/// Returns the events of a game: its start, then each move and card after its opening.
pub fn course(game: ScheduledGame, record: &GameRecord) -> impl Iterator<Item = Event> {
    let words = record.moves.split_whitespace().skip(game.opening.len());
    let mut turns = record.turns.iter();
    let played = words.map(move |word| {
        Event::Played(Played {
            game: record.game,
            turn: match is_card(word) {
                true => None,
                false => turns.next().cloned(),
            },
            word: word.to_string(),
        })
    });
    std::iter::once(Event::Begun(game)).chain(played)
}
