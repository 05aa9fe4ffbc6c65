//! From `go` to `bestmove`: starting searches, holding answers back until they may be given, stopping.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use super::clock::{milliseconds, mover_clock};
use super::worker::{SolvedVariant, Task};
use super::{Session, answers};
use crate::bench;
use crate::limits::Limits;
use crate::protocol::{BestMove, Go, Reply};
use crate::rules::{AnyPosition, Turn};
use crate::search::{Answer, Control, MAX_DEPTH, Report, Request, Strength};

/// Why a command is refused while a search runs.
pub const BUSY: &str = "a search is running: expected `stop` and its `bestmove` first";

/// Work that the search thread does, or has done with its answer held back.
pub struct Running {
    control: Control,
    /// The position that is searched.
    position: AnyPosition,
    kind: Kind,
    /// Whether the client said `stop`.
    stopping: bool,
}

enum Kind {
    Search(Search),
    Perft,
    Bench,
    Solve,
}

struct Search {
    limits: Limits,
    overhead: Duration,
    /// What has to happen before the answer is given.
    hold: Hold,
    /// Whether it leaves much unsearched, so as to play below its full strength.
    is_weak: bool,
    /// The answer, once it is there.
    answer: Option<BestMove>,
    /// Whether no search could better the answer.
    is_final: bool,
}

/// What an answer waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Hold {
    /// Nothing.
    No,
    /// `stop`.
    Infinite,
    /// `stop`, unless no search could better the answer.
    Unlimited,
    /// `ponderhit` or `stop`.
    Ponder,
    /// This moment.
    Until(Instant),
}

impl Running {
    /// Whether it was told to stop, and its last word is still to come.
    pub fn is_stopping(&self) -> bool {
        self.stopping
    }

    /// When an answer that is there may be given, if that is a matter of time.
    pub fn release_time(&self) -> Option<Instant> {
        match &self.kind {
            Kind::Search(Search {
                hold: Hold::Until(at),
                answer: Some(_),
                ..
            }) => Some(*at),
            _ => None,
        }
    }
}

impl<W: Write> Session<W> {
    /// Starts a search, or says why not.
    pub(super) fn go(&mut self, go: &Go) -> io::Result<()> {
        if self.running.is_some() {
            return self.complain(BUSY);
        }
        let position = *self.game.position();
        let limits = match limits_of(go, &position) {
            Ok(limits) => limits,
            Err(problem) => {
                self.complain(&problem)?;
                return self.answer_refused_go();
            }
        };
        let overhead = Duration::from_millis(self.options.move_overhead);
        let budget = limits.time_budget(overhead);
        let control = Control::new(if go.ponder { None } else { budget });
        if self.debug {
            self.inform(&format!("limits {limits:?}, time {budget:?}"))?;
        }
        let hold = if go.ponder {
            Hold::Ponder
        } else if go.infinite {
            Hold::Infinite
        } else if limits.is_infinite() {
            Hold::Unlimited
        } else {
            Hold::No
        };
        let strength = self.options.strength();
        let search = Search {
            limits,
            overhead,
            hold,
            is_weak: strength != Strength::FULL,
            answer: None,
            is_final: false,
        };
        self.running = Some(Running {
            control: control.clone(),
            position,
            kind: Kind::Search(search),
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
            nodes: limits.nodes.unwrap_or(u64::MAX).min(strength.nodes),
            multipv: self.options.multi_pv,
            preset: self.options.preset(),
            aim: self.options.aim,
            noise: strength.noise,
        };
        self.worker.begin(Task::Search(request), control);
        Ok(())
    }

    /// Prints an iteration of the running search.
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

    /// Takes the answer of a search, or that there is nothing to move, and gives it unless it has to wait.
    pub(super) fn take_answer(&mut self, answer: Option<Answer>) -> io::Result<()> {
        let Some(running) = &mut self.running else {
            return Ok(());
        };
        let Kind::Search(search) = &mut running.kind else {
            return Ok(());
        };
        let seats = running.position.seats();
        search.is_final = answer.as_ref().is_none_or(|answer| answer.is_final);
        search.answer = Some(match answer {
            Some(answer) => BestMove {
                best: Some(answer.best),
                ponder: answer.ponder,
                estimate: answers::estimate(&answer.value, seats),
            },
            None => BestMove {
                best: None,
                ponder: None,
                estimate: answers::static_estimate(&running.position, &self.evaluators),
            },
        });
        self.release_unless_held()
    }

    /// Gives the answer that is there, if any, unless it has to wait, be it for the end of its movetime.
    fn release_unless_held(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running
            && let Kind::Search(search) = &mut running.kind
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

    /// Gives the answer that is there.
    pub(super) fn release_answer(&mut self) -> io::Result<()> {
        match self.running.take() {
            Some(Running {
                kind:
                    Kind::Search(Search {
                        answer: Some(answer),
                        ..
                    }),
                ..
            }) => self.answer_go(answer),
            running => {
                self.running = running;
                Ok(())
            }
        }
    }

    /// Ends what is running; without effect where nothing is.
    pub(super) fn stop(&mut self) -> io::Result<()> {
        let Some(running) = &mut self.running else {
            return Ok(());
        };
        running.control.stop();
        running.stopping = true;
        if let Kind::Search(search) = &mut running.kind {
            search.hold = Hold::No;
        }
        self.release_answer()
    }

    /// Ends a search that waits for a word of the client, who has none left.
    pub(super) fn wait_no_more(&mut self) -> io::Result<()> {
        match &self.running {
            Some(Running {
                kind: Kind::Search(search),
                ..
            }) if matches!(search.hold, Hold::Infinite | Hold::Unlimited | Hold::Ponder) => {
                self.stop()
            }
            _ => Ok(()),
        }
    }

    /// The move pondered on was played: the clock of the search begins to run.
    pub(super) fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running
            && let Kind::Search(search) = &mut running.kind
            && search.hold == Hold::Ponder
        {
            if let Some(budget) = search.limits.time_budget(search.overhead) {
                running.control.limit_from_now(budget);
            }
            search.hold = if search.limits.is_infinite() {
                Hold::Unlimited
            } else {
                Hold::No
            };
            return self.release_unless_held();
        }
        self.complain("`ponderhit` without `go ponder`: expected `go ponder` first")
    }

    /// Starts counting leaves, or says why not.
    pub(super) fn perft(&mut self, depth: u32) -> io::Result<()> {
        if self.running.is_some() {
            return self.complain(BUSY);
        }
        if depth == 0 {
            return self.say_lines(&answers::perft(&[], 1));
        }
        self.begin(Kind::Perft, Task::Perft(*self.game.position(), depth));
        Ok(())
    }

    /// Starts the bench, or says why not.
    pub(super) fn bench(&mut self, depth: Option<u32>) -> io::Result<()> {
        if self.running.is_some() {
            return self.complain(BUSY);
        }
        self.begin(
            Kind::Bench,
            Task::Bench(depth.unwrap_or(bench::DEFAULT_DEPTH)),
        );
        Ok(())
    }

    /// Starts counting the positions of the games that are solved, or says why not.
    pub(super) fn solve(&mut self) -> io::Result<()> {
        if self.running.is_some() {
            return self.complain(BUSY);
        }
        self.begin(Kind::Solve, Task::Solve);
        Ok(())
    }

    fn begin(&mut self, kind: Kind, task: Task) {
        let control = Control::new(None);
        let position = *self.game.position();
        self.running = Some(Running {
            control: control.clone(),
            position,
            kind,
            stopping: false,
        });
        self.worker.begin(task, control);
    }

    pub(super) fn finish_perft(&mut self, counts: Option<Vec<(String, u64)>>) -> io::Result<()> {
        self.running = None;
        match counts {
            Some(counts) => {
                let total = counts.iter().map(|(_, leaves)| leaves).sum();
                self.say_lines(&answers::perft(&counts, total))
            }
            None => self.inform("perft stopped"),
        }
    }

    pub(super) fn finish_solve(&mut self, solved: &[SolvedVariant]) -> io::Result<()> {
        self.running = None;
        solved
            .iter()
            .try_for_each(|(variant, census)| self.say_lines(&answers::census(variant, census)))
    }

    pub(super) fn finish_bench(&mut self, result: Option<bench::BenchResult>) -> io::Result<()> {
        self.running = None;
        match result {
            Some(result) => self.say_lines(&answers::bench(&result)),
            None => self.inform("bench stopped"),
        }
    }
}

impl Search {
    /// A movetime is there to be used: an answer that has nothing left to search waits for its end. One
    /// that no search could better, is of a weaker level, has reached another limit, or was stopped, does not.
    fn hold_for_movetime(&self, control: &Control) -> Hold {
        let Limits {
            depth,
            nodes,
            movetime,
            ..
        } = self.limits;
        let is_open = !self.is_final && !self.is_weak;
        let is_all = is_open && movetime.is_some() && depth.is_none() && nodes.is_none();
        match control.deadline() {
            Some(deadline) if is_all && !control.should_stop() => Hold::Until(deadline),
            _ => Hold::No,
        }
    }
}

/// The limits that a `go` asks for, checked against the position.
fn limits_of(go: &Go, position: &AnyPosition) -> Result<Limits, String> {
    let legal = position.legal_actions();
    let is_move = matches!(position.turn(), Turn::Seat(_));
    for word in &go.searchmoves {
        if !is_move || !legal.contains(word) {
            let word = crate::protocol::Excerpt::new(word);
            let moves = if is_move {
                legal.join(" ")
            } else {
                "no move here".into()
            };
            return Err(format!(
                "go searchmoves: {word} is not legal, expected {moves}"
            ));
        }
    }
    let clock = go
        .clock
        .as_ref()
        .map(|clock| mover_clock(clock, position))
        .transpose()?;
    Ok(Limits {
        depth: go.depth,
        nodes: go.nodes,
        movetime: go.movetime.map(milliseconds),
        clock,
    })
}
