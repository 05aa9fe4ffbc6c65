//! The way from `go` to `bestmove`: starts searches, prints their reports, holds answers back until they are due, and
//! stops. The search thread runs one task at a time and sends events back; a second thread builds the tables for a
//! position that arrives meanwhile.

use std::io::{self, Write};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};

use super::{Session, answers};
use crate::bench;
use crate::eval::{Evaluate, Evaluators};
use crate::protocol::{BestMove, Clock, ClockTimes, Excerpt, GO_WORDS, Go, Info, Reply, Score};
use crate::rules::{AnyPosition, Seat, Turn, joined, with_position};
use crate::search::{
    Answer, Control, Limits, MAX_DEPTH, Memory, MoverClock, Report, Request, Strength, TimeBudget,
    search,
};

/// Error for a command that is refused during a search.
const SEARCHING: &str = "a search is running: expected `stop` and its `bestmove` first";
/// Error for a command that is refused during other work.
const WORKING: &str = "`perft` or `bench` is running: expected `stop` or its end first";
/// Error after a panic of another thread.
pub const PANICKED: &str = "internal error: the search panicked, and the session ends";

/// Work of the search thread, running or finished with its answer withheld.
pub struct Running {
    control: Control,
    position: AnyPosition,
    /// `None` for other work than a search.
    search: Option<RunningSearch>,
    /// Set by `stop`.
    stopping: bool,
}

struct RunningSearch {
    /// The time limit, which begins with `ponderhit` if the client ponders.
    budget: Option<TimeBudget>,
    /// `true` if the movetime is the only limit, and the search plays at full strength.
    must_use_movetime: bool,
    /// Event that the answer waits for.
    hold: Hold,
    /// The same after `ponderhit`.
    hold_after_ponderhit: Hold,
    /// The answer, once the search has finished.
    answer: Option<BestMove>,
    /// `true` if no further search could improve the answer.
    is_final: bool,
}

/// Event that an answer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// Nothing.
    No,
    /// `stop`.
    Infinite,
    /// `stop`, unless no further search could improve the answer.
    Unlimited,
    /// `ponderhit` or `stop`.
    Ponder,
    /// A point in time.
    Until(Instant),
}

impl Running {
    /// `true` for a search, whose `bestmove` is still due.
    pub fn is_search(&self) -> bool {
        self.search.is_some()
    }

    /// The error for a command that is refused meanwhile.
    pub fn refusal(&self) -> &'static str {
        if self.is_search() { SEARCHING } else { WORKING }
    }

    /// `true` if the search was asked to stop and its last event is still due.
    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// Time at which a finished search may give its answer, if it waits for a time.
    pub fn release_time(&self) -> Option<Instant> {
        match &self.search {
            Some(RunningSearch { hold: Hold::Until(at), answer: Some(_), .. }) => Some(*at),
            _ => None,
        }
    }
}

impl<W: Write> Session<W> {
    /// Starts a search, or prints the reason why not.
    pub(super) fn go(&mut self, go: &Go) -> io::Result<()> {
        if let Some(running) = &self.running {
            self.report_error(running.refusal())?;
            return self.answer_refused_go();
        }
        let position = *self.game.position();
        let clock = match mover_clock_of(go, &position) {
            Ok(clock) => clock,
            Err(problem) => {
                self.report_error(&problem)?;
                return self.answer_refused_go();
            }
        };
        let movetime = go.movetime.map(milliseconds);
        let overhead = Duration::from_millis(self.options.move_overhead.into());
        let budget = Limits { movetime, clock, ..Limits::default() }.time_budget(overhead);
        let control = Control::new(if go.ponder { None } else { budget });
        let is_time_the_only_limit = go.depth.is_none() && go.nodes.is_none();
        let hold_after_ponderhit = if go.infinite {
            Hold::Infinite
        } else if is_time_the_only_limit && budget.is_none() {
            Hold::Unlimited
        } else {
            Hold::No
        };
        let strength = self.options.strength();
        let search = RunningSearch {
            budget,
            must_use_movetime: is_time_the_only_limit
                && movetime.is_some()
                && strength == Strength::FULL,
            hold: if go.ponder { Hold::Ponder } else { hold_after_ponderhit },
            hold_after_ponderhit,
            answer: None,
            is_final: false,
        };
        self.running = Some(Running {
            control: control.clone(),
            position,
            search: Some(search),
            stopping: false,
        });
        let Turn::Seat(_) = position.turn() else {
            return self.take_answer(None);
        };
        let request = Request {
            position,
            past: self.game.past(),
            searchmoves: go.searchmoves.clone(),
            depth: go.depth.unwrap_or(MAX_DEPTH),
            nodes: go.nodes.unwrap_or(u64::MAX),
            multipv: self.options.multi_pv as usize,
            preset: self.options.preset(),
            aim: self.options.aim,
            strength,
        };
        self.search_thread.begin(Task::Search(request), control);
        Ok(())
    }
}

/// Task of the search thread.
#[derive(Debug)]
pub enum Task {
    Search(Request),
    /// Counts the leaves below each move, to a depth of at least 1.
    Perft(AnyPosition, u32),
    /// Searches the fixed positions to a depth.
    Bench(u32),
    /// Replaces the search memory by an empty one. Sends no event.
    Replace(MemorySize),
    /// Clears the search memory. Sends no event.
    Forget,
    /// Builds the tables of the position's game, so that no search has to.
    Prepare(AnyPosition),
}

/// Size of the search memory, and the number of threads that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemorySize {
    /// MiB for all threads together.
    pub mebibytes: usize,
    /// Number of search threads.
    pub threads: usize,
}

impl MemorySize {
    fn memory(self, evaluators: &Evaluators) -> Memory {
        Memory::for_threads(self.threads, self.mebibytes, evaluators.clone())
    }
}

/// The search thread. Dropping it stops the task and joins the thread.
#[derive(Debug)]
pub struct SearchThread {
    tasks: Option<Sender<(Task, Control)>>,
    /// Sends positions to the thread that builds their tables.
    positions: Sender<AnyPosition>,
    events: Receiver<Event>,
    thread: Option<JoinHandle<()>>,
    /// Control of the last task.
    control: Option<Control>,
}

impl SearchThread {
    /// Starts the threads.
    ///
    /// # Errors
    /// A thread could not be started.
    pub fn start(size: MemorySize, evaluators: Evaluators) -> io::Result<SearchThread> {
        let (task_sender, tasks) = bounded::<(Task, Control)>(1);
        // Unbounded, so that a client that does not read never blocks a search that should stop. A task sends at most
        // one event per iteration.
        let (event_sender, events) = unbounded();
        // Unbounded, so that tables never hold back the session. A client's last position is the one to search.
        let (positions, to_prepare) = unbounded::<AnyPosition>();
        let (builder_events, tables) = (event_sender.clone(), evaluators.clone());
        thread::Builder::new().name("tables".into()).spawn(move || {
            let events = EventSender(builder_events);
            for position in &to_prepare {
                if to_prepare.is_empty() {
                    build_tables(&position, &tables);
                }
                if events.0.send(Event::Prepared).is_err() {
                    return;
                }
            }
        })?;
        let thread = thread::Builder::new().name("search".into()).spawn(move || {
            let events = EventSender(event_sender);
            let mut memory = size.memory(&evaluators);
            for (task, control) in tasks {
                if run_task(task, &control, &mut memory, &evaluators, &events.0).is_none() {
                    return;
                }
            }
        })?;
        let (tasks, thread) = (Some(task_sender), Some(thread));
        Ok(SearchThread { tasks, positions, events, thread, control: None })
    }

    /// Starts a task; the previous one must have sent its last event.
    pub fn begin(&mut self, task: Task, control: Control) {
        self.control = Some(control.clone());
        if let Some(tasks) = &self.tasks {
            // The thread ends only after the sender is dropped, or by a panic, which it reports.
            let _ = tasks.send((task, control));
        }
    }

    /// Builds the tables of the position's game while a task is running, unless another position follows at once.
    pub fn prepare_meanwhile(&self, position: AnyPosition) {
        // As for tasks.
        let _ = self.positions.send(position);
    }

    /// Starts a task that nothing stops.
    pub fn queue(&mut self, task: Task) {
        self.begin(task, Control::new(None));
    }

    /// Events from the thread.
    pub fn events(&self) -> &Receiver<Event> {
        &self.events
    }
}

impl Drop for SearchThread {
    fn drop(&mut self) {
        if let Some(control) = &self.control {
            control.stop();
        }
        self.tasks = None;
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The sender of a thread, which reports the thread's panic.
struct EventSender(Sender<Event>);

impl Drop for EventSender {
    fn drop(&mut self) {
        if thread::panicking() {
            // Without a receiver, the session has ended.
            let _ = self.0.send(Event::Panicked);
        }
    }
}

fn build_tables(position: &AnyPosition, evaluators: &Evaluators) {
    position.turns_home(Seat(0));
    position.solved();
    with_position!(position, position => drop(position.evaluator(evaluators)));
}

/// Runs a task; returns `None` once the receiver of the events is gone.
fn run_task(
    task: Task,
    control: &Control,
    memory: &mut Memory,
    evaluators: &Evaluators,
    events: &Sender<Event>,
) -> Option<()> {
    let event = match task {
        Task::Search(request) => {
            let mut observe = |report| {
                // A session that has dropped the receiver has stopped the search too.
                let _ = events.send(Event::Report(report));
            };
            Event::Answer(search(&request, memory, control, &mut observe))
        }
        Task::Perft(position, depth) => {
            let counts = position.perft_by_action(depth, &mut || control.should_stop());
            Event::Finished { name: "perft", output: counts.map(|counts| answers::perft(&counts)) }
        }
        Task::Bench(depth) => {
            // The signature must depend neither on options nor on the current game.
            let mut own = Memory::for_threads(1, bench::MEBIBYTES, evaluators.clone());
            let result = bench::run(depth, &mut own, control);
            Event::Finished { name: "bench", output: result.map(|result| answers::bench(&result)) }
        }
        Task::Replace(size) => {
            // Frees the old memory first, so that two never exist at the same time.
            *memory = Memory::for_threads(1, 1, evaluators.clone());
            *memory = size.memory(evaluators);
            return Some(());
        }
        Task::Forget => {
            memory.forget();
            return Some(());
        }
        Task::Prepare(position) => {
            build_tables(&position, evaluators);
            Event::Prepared
        }
    };
    events.send(event).ok()
}

/// Event from the search thread.
#[derive(Debug)]
pub enum Event {
    /// The requested tables are built.
    Prepared,
    /// An iteration is complete.
    Report(Report),
    /// The search is over; `None` if there was nothing to move.
    Answer(Option<Answer>),
    /// Any other work is over.
    Finished {
        /// Name of the work.
        name: &'static str,
        /// Its output, or `None` if it was stopped.
        output: Option<String>,
    },
    /// A thread has panicked, and sends nothing more.
    Panicked,
}

impl<W: Write> Session<W> {
    /// Handles an event from another thread.
    pub(super) fn take_event(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Prepared => self.finish_preparing(),
            Event::Report(report) => self.report(report),
            Event::Answer(answer) => self.take_answer(answer),
            Event::Finished { name, output } => self.finish_work(name, output.as_deref()),
            Event::Panicked => {
                self.report_error(PANICKED)?;
                Err(io::Error::other(PANICKED))
            }
        }
    }

    /// Prints the report of a search iteration.
    fn report(&mut self, report: Report) -> io::Result<()> {
        let Some(running) = &self.running else {
            return Ok(());
        };
        let is_worth_given = report.multipv == 1 && !report.worth.is_empty();
        let worth = is_worth_given.then(|| format!("e {}", joined(&report.worth, " ")));
        let mut info = info(report, &running.position, running.control.elapsed());
        if self.options.show_wdl {
            info.wdl = wdl(&info.estimate, &running.position);
        }
        self.say(&Reply::Info(info))?;
        worth.map_or(Ok(()), |worth| self.inform(&worth))
    }

    /// Takes the answer of a search, or `None` if no move is possible, and sends it as soon as it is due.
    fn take_answer(&mut self, answer: Option<Answer>) -> io::Result<()> {
        let Some(Running { search: Some(search), position, .. }) = &mut self.running else {
            return Ok(());
        };
        search.is_final = answer.as_ref().is_none_or(|answer| answer.is_final);
        search.answer = Some(match answer {
            Some(answer) => BestMove {
                estimate: answer.shares(),
                best: Some(answer.best),
                ponder: answer.ponder,
            },
            None => BestMove {
                estimate: answers::static_estimate(position, &self.evaluators),
                ..BestMove::default()
            },
        });
        self.release_unless_held()
    }

    /// Gives the answer if there is one and it need not wait.
    ///
    /// It waits for the end of its movetime if the search merely has nothing left to do. It does not if the answer is
    /// final, comes from a weaker level or reached another limit, or if the search was stopped.
    fn release_unless_held(&mut self) -> io::Result<()> {
        if let Some(Running { search: Some(search), control, .. }) = &mut self.running
            && search.answer.is_some()
        {
            let must_wait = search.must_use_movetime && !search.is_final && !control.should_stop();
            search.hold = match search.hold {
                Hold::Unlimited if search.is_final => Hold::No,
                Hold::No if must_wait => control.deadline().map_or(Hold::No, Hold::Until),
                hold => hold,
            };
            if search.hold != Hold::No {
                return Ok(());
            }
        }
        self.release_answer()
    }

    /// Gives the answer if there is one.
    pub(super) fn release_answer(&mut self) -> io::Result<()> {
        let search = self.running.as_mut().and_then(|it| it.search.as_mut());
        match search.and_then(|search| search.answer.take()) {
            Some(answer) => {
                self.running = None;
                self.answer_go(answer)
            }
            None => Ok(()),
        }
    }

    /// Ends the running work, if any.
    pub(super) fn stop(&mut self) -> io::Result<()> {
        let Some(running) = &mut self.running else {
            return Ok(());
        };
        running.control.stop();
        running.stopping = true;
        if let Some(search) = &mut running.search {
            search.hold = Hold::No;
        }
        self.release_answer()
    }

    /// Ends a search that waits for a command, since the input has ended.
    pub(super) fn end_waiting_search(&mut self) -> io::Result<()> {
        let search = self.running.as_ref().and_then(|it| it.search.as_ref());
        match search.map(|search| search.hold) {
            Some(Hold::Infinite | Hold::Unlimited | Hold::Ponder) => self.stop(),
            _ => Ok(()),
        }
    }

    /// Handles `ponderhit`: the clock of the search starts.
    pub(super) fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running
            && let Some(search) = &mut running.search
            && search.hold == Hold::Ponder
        {
            if let Some(budget) = search.budget {
                running.control.limit_from_now(budget);
            }
            search.hold = search.hold_after_ponderhit;
            return self.release_unless_held();
        }
        self.report_error("`ponderhit` without `go ponder`: expected `go ponder` first")
    }

    /// Answers a `go` that starts no search, unless the answer of a running one is still to come.
    pub(super) fn answer_refused_go(&mut self) -> io::Result<()> {
        if self.running.as_ref().is_some_and(Running::is_search) {
            return Ok(());
        }
        self.answer_go(BestMove::default())
    }

    /// Answers a `go`. For UGI the answer is the move alone, since UGI clients expect a line of two words.
    fn answer_go(&mut self, mut answer: BestMove) -> io::Result<()> {
        if self.speaks_ugi {
            answer.ponder = None;
            answer.estimate.clear();
        }
        self.say(&Reply::BestMove(answer))
    }

    /// Starts work other than a search, or prints the reason why not.
    pub(super) fn start_work(&mut self, task: Task) -> io::Result<()> {
        if let Some(running) = &self.running {
            return self.report_error(running.refusal());
        }
        let control = Control::new(None);
        self.running = Some(Running {
            control: control.clone(),
            position: *self.game.position(),
            search: None,
            stopping: false,
        });
        self.search_thread.begin(task, control);
        Ok(())
    }

    /// Prints the output of such work, or that it was stopped.
    fn finish_work(&mut self, name: &str, output: Option<&str>) -> io::Result<()> {
        self.running = None;
        // The bench needs the tables of other games.
        self.prepare();
        match output {
            Some(output) => self.say_lines(output),
            None => self.inform(&format!("{name} stopped")),
        }
    }
}

/// Converts a report to the facts of an info line; `position` is the searched position.
fn info(report: Report, position: &AnyPosition, elapsed: Duration) -> Info {
    let seats = position.seats();
    let estimate = report.value.shares();
    let score = match (report.value.mate, position.turn()) {
        (0, Turn::Seat(mover)) => Score::Centipawns(centipawns(estimate[mover.index()], seats)),
        (mate, _) => Score::Mate(mate),
    };
    Info {
        depth: Some(report.depth),
        seldepth: Some(report.seldepth),
        multipv: Some(report.multipv as u32),
        estimate,
        score: Some(score),
        wdl: Vec::new(),
        nodes: Some(report.nodes),
        nps: Some(per_second(report.nodes, elapsed)),
        hashfull: Some(report.hashfull),
        time: Some(elapsed.as_millis() as u64),
        pv: report.pv,
    }
}

/// Mover's chances to win, to draw and to lose according to the estimate; empty unless there are two seats.
fn wdl(estimate: &[u16], position: &AnyPosition) -> Vec<u16> {
    match (estimate, position.turn()) {
        (&[first, second], Turn::Seat(mover)) if mover.0 == 0 => vec![first, 0, second],
        (&[first, second], Turn::Seat(_)) => vec![second, 0, first],
        _ => Vec::new(),
    }
}

/// Score of a share on the Elo scale: 400 x log10 of the odds between the share and the rest of the first place's
/// share. A share within half a permille of either end counts as half a permille away from it.
fn centipawns(share: u16, seats: usize) -> i32 {
    let most = 2000.0 / seats as f64;
    let share = f64::from(share).clamp(0.5, most - 0.5);
    (400.0 * (share / (most - share)).log10()).round() as i32
}

pub fn per_second(nodes: u64, time: Duration) -> u64 {
    let nanos = time.as_nanos().max(1);
    (u128::from(nodes) * 1_000_000_000 / nanos) as u64
}

/// Checks a `go` against the position, and returns the mover's clock.
fn mover_clock_of(go: &Go, position: &AnyPosition) -> Result<Option<MoverClock>, String> {
    let legal = position.legal_actions();
    let is_move = matches!(position.turn(), Turn::Seat(_));
    for word in &go.searchmoves {
        if !is_move || !legal.contains(word) {
            let mut expected = if is_move { legal.join(" ") } else { "no moves here".into() };
            if GO_WORDS.contains(&word.as_str()) {
                expected = format!("`{word}` before `searchmoves`, which takes all words after it");
            }
            let word = Excerpt::new(word);
            return Err(format!("go searchmoves: {word} is not legal, expected {expected}"));
        }
    }
    go.clock.as_ref().map(|clock| mover_clock(clock, position)).transpose()
}

/// Returns the clock of the seat to move; if no seat is to move, the first seat's.
///
/// # Errors
/// An error message if the clocks do not match the number of seats, or the mover has none.
fn mover_clock(clock: &Clock, position: &AnyPosition) -> Result<MoverClock, String> {
    let seats = position.seats();
    let mover = position.turn().seat().unwrap_or(Seat(0));
    let (left, increment) = match &clock.time {
        ClockTimes::Seats { time, inc } => {
            if time.len() != seats {
                let found = time.len();
                return Err(format!(
                    "go time: expected {seats} clocks, one per seat, found {found}"
                ));
            }
            (time[mover.index()], inc.get(mover.index()).copied())
        }
        ClockTimes::Uci { .. } if seats != 2 => {
            return Err(format!(
                "go wtime and btime are for two seats: expected `time` with {seats} clocks"
            ));
        }
        ClockTimes::Uci { wtime, btime, winc, binc } => {
            let (name, time, inc) =
                if mover.0 == 0 { ("wtime", wtime, winc) } else { ("btime", btime, binc) };
            let time = time.ok_or_else(|| format!("go: expected {name}, the mover's clock"))?;
            (time, *inc)
        }
        ClockTimes::Ugi { time, inc } => {
            let (word, clocks) =
                if time.len() > seats { ("time", time.len()) } else { ("inc", inc.len()) };
            if clocks > seats {
                return Err(format!(
                    "go p{clocks}{word}: there is no seat {clocks}, expected p1{word} to p{seats}{word}"
                ));
            }
            let of_mover = time.get(mover.index()).copied().flatten();
            let time =
                of_mover.ok_or_else(|| format!("go: expected p{mover}time, the mover's clock"))?;
            (time, inc.get(mover.index()).copied().flatten())
        }
    };
    Ok(MoverClock {
        left: milliseconds(left.max(0) as u64),
        increment: milliseconds(increment.unwrap_or(0)),
        moves_to_go: clock.movestogo,
        turns_home: position.turns_home(mover),
    })
}

/// Converts milliseconds, capped at a century: an `Instant` may not be able to represent a later time.
fn milliseconds(time: u64) -> Duration {
    const CENTURY: u64 = 100 * 365 * 24 * 3600 * 1000;
    Duration::from_millis(time.min(CENTURY))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::VARIANTS;
    use std::time::Duration;

    #[test]
    fn the_score_is_zero_at_an_even_share_and_grows_with_it() {
        assert_eq!(centipawns(500, 2), 0);
        assert_eq!(centipawns(333, 3), 0);
        assert_eq!(centipawns(250, 4), 0);
        assert_eq!(centipawns(909, 2), 400);
        for seats in 2..=6 {
            let scores: Vec<i32> = (0..=2000_u16.div_ceil(seats as u16))
                .map(|share| centipawns(share, seats))
                .collect();
            assert!(scores.is_sorted(), "{seats} seats: {scores:?}");
            assert_eq!(scores.first().map(|score| score.abs()), scores.last().copied());
        }
    }

    #[test]
    fn positions_never_wait_for_the_tables_of_those_before() {
        const POSITIONS: usize = 40;
        let size = MemorySize { mebibytes: 1, threads: 1 };
        let threads = SearchThread::start(size, Evaluators::default()).unwrap();
        let variant = &VARIANTS[0];
        for seats in (3..=6).cycle().take(POSITIONS) {
            threads.prepare_meanwhile(variant.start(seats).unwrap());
        }
        let prepared = threads.events().len();
        assert!(prepared < POSITIONS / 2, "{prepared} were prepared first");
        for _ in 0..POSITIONS {
            let event = threads.events().recv_timeout(Duration::from_secs(60)).unwrap();
            assert!(matches!(event, Event::Prepared), "{event:?}");
        }
        assert!(threads.events().is_empty());
    }
}
