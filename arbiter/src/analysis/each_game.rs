//! Analysis of many games by several engines at once, with results in the order of the games.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::thread;

use matches::judge::Judge;
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;

/// Calls `judge_one` for each game, on up to `concurrency` threads with one engine each; passes the results to `add` in
/// the order of the games. `judge_one` reports each turn by its last argument, which leads to a call of `on_turn` here.
///
/// An interrupt ends the analysis with the games completed by then. An error sets the interrupt.
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
    // After an interrupt, earlier games may be missing for good.
    waiting.into_values().for_each(add);
    Ok(())
}

/// Messages of a thread.
enum News<T, E> {
    /// A turn is done.
    Turn,
    /// A game is done, or failed; with its index.
    Game(usize, Result<T, E>),
}

/// Judges games until none is left or the interrupt is set.
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
            // The receiver is gone only after an error, which it has reported.
            let _ = sender.send(News::Turn);
        });
        let is_last = game.is_err();
        if interrupt.is_set() || sender.send(News::Game(index, game)).is_err() || is_last {
            break;
        }
    }
}
