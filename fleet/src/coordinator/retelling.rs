//! A game that has come, told as one machine would have told it while it went on.

use buxtehude::rules::is_card;
use matches::plan::schedule::ScheduledGame;
use matches::play::runner::News;
use matches::record::GameRecord;

/// That a game was played again, each time.
pub fn repeats(record: &GameRecord) -> impl Iterator<Item = News> {
    record.replays.iter().map(|replay| News::Again {
        game: record.game,
        reason: replay.reason.clone(),
    })
}

/// That a game began, and each move and card behind its opening, in their order.
pub fn course(game: ScheduledGame, record: &GameRecord) -> impl Iterator<Item = News> {
    let words = record.moves.split_whitespace().skip(game.opening.len());
    let mut turns = record.turns.iter();
    let played = words.map(move |word| News::Played {
        game: record.game,
        turn: match is_card(word) {
            true => None,
            false => turns.next().cloned(),
        },
        word: word.to_string(),
    });
    std::iter::once(News::Begun(game)).chain(played)
}
