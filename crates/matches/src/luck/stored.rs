//! Luck of the games in a store.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::{LuckError, LuckMeter};
use crate::archive::ArchiveError;
use crate::archive::store::Store;
use crate::record::{GameRecord, Luck};

/// A listener to the numbers of games done and due.
type OnGame<'a> = dyn Fn(usize, usize) + Sync + 'a;

/// Games that are read, measured and stored at a time.
const AT_A_TIME: usize = 1000;

/// Measures the luck of all games in a store that have none, on `concurrency` threads; calls `on_game` with the
/// numbers of games done and due after each game. If the store has luck by another evaluator, measures all games anew.
///
/// An interrupt ends the work. The luck so far stays in the store, unless all games are measured anew: then the former
/// luck does, as after an error.
///
/// # Errors
/// [`LuckError`] if the store cannot be read or written, or a game cannot be measured.
pub fn measure_store(
    store: &mut Store,
    meter: &LuckMeter<'_>,
    concurrency: usize,
    on_game: &OnGame<'_>,
) -> Result<(), LuckError> {
    let failed = |error: ArchiveError| LuckError(error.to_string());
    let by = store.luck_by().map_err(failed)?;
    let anew = by.is_some_and(|by| by != meter.evaluator.identity);
    let due = if anew { store.numbers() } else { store.games_without_luck() };
    let due = due.map_err(failed)?;
    let (done, mut replaced) = (AtomicUsize::new(0), Vec::new());
    let on_game = || on_game(1 + done.fetch_add(1, Ordering::Relaxed), due.len());
    for numbers in due.chunks(AT_A_TIME) {
        let mut records = Vec::new();
        for &number in numbers {
            records.extend(store.game(number).map_err(failed)?.map(|game| game.record));
        }
        measure_all(&mut records, meter, concurrency, &on_game)?;
        if meter.interrupt.is_set() {
            return Ok(());
        }
        let measured = records.into_iter();
        let measured = measured.filter_map(|record| Some((record.game, record.luck?)));
        let measured: Vec<(u64, Luck)> = measured.collect();
        if anew { replaced.extend(measured) } else { store.set_luck(&measured).map_err(failed)? }
    }
    if anew { store.replace_luck(&replaced).map_err(failed) } else { Ok(()) }
}

/// Measures the luck of games, on `concurrency` threads.
///
/// # Errors
/// One of the [`LuckError`]s.
fn measure_all(
    records: &mut [GameRecord],
    meter: &LuckMeter<'_>,
    concurrency: usize,
    on_game: &(dyn Fn() + Sync),
) -> Result<(), LuckError> {
    let records: Vec<Mutex<&mut GameRecord>> = records.iter_mut().map(Mutex::new).collect();
    let (next, first_error) = (AtomicUsize::new(0), Mutex::new(None));
    let work = || {
        while let Some(record) = records.get(next.fetch_add(1, Ordering::Relaxed)) {
            if meter.interrupt.is_set() {
                break;
            }
            let mut record = record.lock().unwrap_or_else(PoisonError::into_inner);
            let measured = meter.measure(&mut record);
            on_game();
            if let Err(error) = measured {
                // Stops the other threads after their games.
                next.store(records.len(), Ordering::Relaxed);
                let mut first = first_error.lock().unwrap_or_else(PoisonError::into_inner);
                first.get_or_insert(error);
            }
        }
    };
    thread::scope(|scope| {
        for _ in 0..concurrency.max(1) {
            scope.spawn(work);
        }
    });
    let first = first_error.into_inner();
    let first = first.unwrap_or_else(PoisonError::into_inner);
    first.map_or(Ok(()), Err)
}
