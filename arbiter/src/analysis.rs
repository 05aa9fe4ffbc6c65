//! Analysis of recorded games and of openings, with an engine as the judge.

pub mod openings_suite;
pub mod review;
pub mod verify;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Mutex, PoisonError};
use std::thread;

use matches::judge::{Judge, STALL};
use matches::plan::EngineSpec;
use matches::play::interrupt::Interrupt;
use matches::play::sandbox::Isolation;

/// Messages of a thread.
enum News<T> {
    /// A step of a task is done.
    Step,
    /// A task is done; with its index.
    Done(usize, T),
}

/// Calls `work` for each task, on up to `concurrency` threads with one engine each; passes the results to `take` in the
/// order of the tasks, until `take` returns a break. Each call of `work`'s last argument leads to one of `on_step`.
///
/// An interrupt ends the work with the results known by then. A break sets the interrupt.
fn in_order<I, T: Send, B>(
    (engine, isolation, concurrency): (&EngineSpec, Option<Isolation>, usize),
    tasks: impl Iterator<Item = I> + Send,
    interrupt: &Interrupt,
    work: impl Fn(&mut Judge<'_>, I, &mut dyn FnMut()) -> T + Sync,
    mut on_step: impl FnMut(),
    mut take: impl FnMut(T) -> ControlFlow<B>,
) -> ControlFlow<B> {
    let tasks = Mutex::new(tasks.enumerate());
    let next_task = || tasks.lock().unwrap_or_else(PoisonError::into_inner).next();
    let run = |sender: Sender<News<T>>| {
        let mut judge = Judge::new(engine, STALL, isolation, interrupt);
        while !interrupt.is_set() {
            let Some((index, task)) = next_task() else {
                break;
            };
            // The receiver is gone only after a break.
            let done = work(&mut judge, task, &mut || {
                let _ = sender.send(News::Step);
            });
            if interrupt.is_set() || sender.send(News::Done(index, done)).is_err() {
                break;
            }
        }
        judge.dismiss();
    };
    let mut waiting = BTreeMap::new();
    let mut taken = 0;
    thread::scope(|scope| {
        let (sender, news) = channel();
        for _ in 0..concurrency {
            let (sender, run) = (sender.clone(), &run);
            scope.spawn(move || run(sender));
        }
        drop(sender);
        for news in news {
            match news {
                News::Step => on_step(),
                News::Done(index, done) => {
                    waiting.insert(index, done);
                }
            }
            while let Some(done) = waiting.remove(&taken) {
                taken += 1;
                let flow = take(done);
                if flow.is_break() {
                    interrupt.set();
                    return flow;
                }
            }
        }
        ControlFlow::Continue(())
    })?;
    // After an interrupt, earlier results may never come.
    waiting.into_values().try_for_each(take)
}
