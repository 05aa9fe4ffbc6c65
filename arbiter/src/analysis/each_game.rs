//! Recorded games handed to engines that judge, several at the same time, and what comes of it in their order.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use matches::judge::Judge;
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;

/// Has `judge_one` judge each game, up to `concurrency` of them at the same time, each by an engine of its own. It
/// calls its last argument after each turn, and so `on_turn` is called here; `add` gets the games in their order.
///
/// An interrupt ends it after what was judged by then, of whole games. It is set where there is an error.
///
/// # Errors
/// The first error of `judge_one`.
pub(super) fn each_game<'a, T: Send, E: Send>(
    (engine, concurrency): (&EngineSpec, usize),
    games: &'a [GameRecord],
    interrupt: &Interrupt,
    judge_one: impl Fn(&mut Judge<'_>, &'a GameRecord, &mut dyn FnMut()) -> Result<T, E> + Sync,
    mut on_turn: impl FnMut(),
    mut add: impl FnMut(T),
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let mut waiting = BTreeMap::new();
    let mut added = 0;
    thread::scope(|scope| {
        let (sender, judged) = channel();
        for _ in 0..concurrency.min(games.len()) {
            let (sender, next, judge_one) = (sender.clone(), &next, &judge_one);
            scope.spawn(move || {
                let mut judge = Judge::new(engine, interrupt);
                work(&mut judge, games, next, interrupt, judge_one, &sender);
                judge.dismiss();
            });
        }
        drop(sender);
        for news in judged {
            let (index, game) = match news {
                News::Turn => {
                    on_turn();
                    continue;
                }
                News::Game(index, game) => (index, game),
            };
            waiting.insert(index, game.inspect_err(|_| interrupt.set())?);
            while let Some(game) = waiting.remove(&added) {
                add(game);
                added += 1;
            }
        }
        Ok::<(), E>(())
    })?;
    // After an interrupt those before them do not come any more.
    waiting.into_values().for_each(add);
    Ok(())
}

/// What a thread has to tell.
enum News<T, E> {
    /// A turn was looked at.
    Turn,
    /// A game was judged, by its place among the games, or cannot be.
    Game(usize, Result<T, E>),
}

/// Judges one game after the other, until there are no more or it is told to end.
fn work<'a, T, E>(
    judge: &mut Judge<'_>,
    games: &'a [GameRecord],
    next: &AtomicUsize,
    interrupt: &Interrupt,
    judge_one: &impl Fn(&mut Judge<'_>, &'a GameRecord, &mut dyn FnMut()) -> Result<T, E>,
    sender: &Sender<News<T, E>>,
) {
    while !interrupt.is_set() {
        let index = next.fetch_add(1, Ordering::Relaxed);
        let Some(record) = games.get(index) else {
            break;
        };
        let game = judge_one(judge, record, &mut || {
            // Who does not listen any more has been told why.
            let _ = sender.send(News::Turn);
        });
        let is_last = game.is_err();
        if interrupt.is_set() || sender.send(News::Game(index, game)).is_err() || is_last {
            break;
        }
    }
}
