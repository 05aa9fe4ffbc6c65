//! From `go` to `bestmove`: starts searches, holds answers back until they are due, stops.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::search_thread::Task;
use super::{Session, answers};
use crate::protocol::{BestMove, Clock, ClockTimes, Excerpt, GO_WORDS, Go, Reply};
use crate::rules::{AnyPosition, Seat, Turn};
use crate::search::{Answer, Control, Limits, MAX_DEPTH, MoverClock, Report, Request, Strength};

/// Error for a command that is refused during a search.
const SEARCHING: &str = "a search is running: expected `stop` and its `bestmove` first";
/// Error for a command that is refused during other work.
const WORKING: &str = "`perft` or `bench` is running: expected `stop` or its end first";

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
    limits: Limits,
    overhead: Duration,
    /// Event that the answer waits for.
    hold: Hold,
    /// The same after `ponderhit`.
    hold_after_ponderhit: Hold,
    /// `true` if the search plays below full strength and so leaves much unsearched.
    is_weak: bool,
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
        let limits = match limits_of(go, &position) {
            Ok(limits) => limits,
            Err(problem) => {
                self.report_error(&problem)?;
                return self.answer_refused_go();
            }
        };
        let overhead = Duration::from_millis(self.options.move_overhead.into());
        let budget = limits.time_budget(overhead);
        let control = Control::new(if go.ponder { None } else { budget });
        let hold_after_ponderhit = if go.infinite {
            Hold::Infinite
        } else if limits.is_infinite() {
            Hold::Unlimited
        } else {
            Hold::No
        };
        let strength = self.options.strength();
        let search = RunningSearch {
            limits,
            overhead,
            hold: if go.ponder { Hold::Ponder } else { hold_after_ponderhit },
            hold_after_ponderhit,
            is_weak: strength != Strength::FULL,
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
            past: self.game.past().to_vec(),
            searchmoves: go.searchmoves.clone(),
            depth: limits.depth.unwrap_or(MAX_DEPTH),
            nodes: limits.nodes.unwrap_or(u64::MAX),
            multipv: self.options.multi_pv as usize,
            preset: self.options.preset(),
            aim: self.options.aim,
            strength,
        };
        self.search_thread.begin(Task::Search(request), control);
        Ok(())
    }

    /// Prints the report of a search iteration.
    pub(super) fn report(&mut self, report: Report) -> io::Result<()> {
        let Some(running) = &self.running else {
            return Ok(());
        };
        let worth = answers::worth(&report);
        let mut info = answers::info(report, &running.position, running.control.elapsed());
        if self.options.show_wdl {
            info.wdl = answers::wdl(&info.estimate, &running.position);
        }
        self.say(&Reply::Info(info))?;
        worth.map_or(Ok(()), |worth| self.inform(&worth))
    }

    /// Takes the answer of a search, or `None` if no move is possible, and sends it as soon as it is due.
    pub(super) fn take_answer(&mut self, answer: Option<Answer>) -> io::Result<()> {
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

    /// Gives the answer if there is one and it need not wait, for example for the end of its movetime.
    fn release_unless_held(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running
            && let Some(search) = &mut running.search
        {
            if search.hold == Hold::Unlimited && search.answer.is_some() && search.is_final {
                search.hold = Hold::No;
            }
            if search.hold == Hold::No && search.answer.is_some() {
                search.hold = search.hold_for_movetime(&running.control);
            }
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
            if let Some(budget) = search.limits.time_budget(search.overhead) {
                running.control.limit_from_now(budget);
            }
            search.hold = search.hold_after_ponderhit;
            return self.release_unless_held();
        }
        self.report_error("`ponderhit` without `go ponder`: expected `go ponder` first")
    }

    /// Starts work other than a search, or prints the reason why not.
    pub(super) fn begin(&mut self, task: Task) -> io::Result<()> {
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
    pub(super) fn finish(&mut self, name: &str, output: Option<&str>) -> io::Result<()> {
        self.running = None;
        // The bench needs the tables of other games.
        self.prepare();
        match output {
            Some(output) => self.say_lines(output),
            None => self.inform(&format!("{name} stopped")),
        }
    }
}

impl RunningSearch {
    /// Decides whether the answer waits for the end of its movetime. It does if the search merely has nothing left to
    /// do. It does not if the answer is final, comes from a weaker level or reached another limit, or if the search was
    /// stopped.
    fn hold_for_movetime(&self, control: &Control) -> Hold {
        let Limits { depth, nodes, movetime, .. } = self.limits;
        let is_open = !self.is_final && !self.is_weak;
        let must_use_movetime = is_open && movetime.is_some() && depth.is_none() && nodes.is_none();
        match control.deadline() {
            Some(deadline) if must_use_movetime && !control.should_stop() => Hold::Until(deadline),
            _ => Hold::No,
        }
    }
}

/// Limits of a `go`, checked against the position.
fn limits_of(go: &Go, position: &AnyPosition) -> Result<Limits, String> {
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
    let clock = go.clock.as_ref();
    let clock = clock.map(|clock| mover_clock(clock, position));
    Ok(Limits {
        depth: go.depth,
        nodes: go.nodes,
        movetime: go.movetime.map(milliseconds),
        clock: clock.transpose()?,
    })
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
