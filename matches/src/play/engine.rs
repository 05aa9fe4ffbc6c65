//! An engine: one child process that speaks the protocol.
//!
//! [`Engine::start`] begins the talk, checks and sets options; the referee then asks for one move after
//! the other. An engine lives in the thread that started it: on Linux the kernel kills the process when
//! that thread ends, so that no engine outlives the arbiter, however it dies.

mod answer;
mod child;
mod conversation;
mod last_words;
mod lines;
mod options;
mod process;
mod recent;
mod search;
mod start_error;
mod usage;

use std::fmt;
use std::time::{Duration, Instant};

use buxtehude::protocol::{Command, Info, OptionOffer, Reply};
use buxtehude::rules::Variant;

pub use answer::Answer;
use answer::Kind;
use conversation::Conversation;
pub use conversation::Failure;
pub use options::option_commands;
pub use process::Process;
pub use search::Search;
pub use start_error::StartError;

use crate::plan::EngineSpec;
use crate::play::family;
use crate::play::interrupt::Interrupt;
use crate::play::log::Log;
use crate::play::walls::Isolation;
use crate::record::Evidence;
use crate::record::printable::{printable, shortened};

/// How long an engine has for ending after `quit`.
const QUIT_PATIENCE: Duration = Duration::from_millis(500);
/// Bytes of offers of options that are kept.
const BYTES_OF_OFFERS: usize = 1 << 20;
/// Characters of the name by which an engine introduces itself that are kept.
const LONGEST_ID_NAME: usize = 200;
/// Lines of pondering that are read before `ponderhit`.
const LINES_OF_PONDERING: usize = 10_000;
/// A wait that never ends within a match, where the one asked for is beyond what a clock can count.
const FOR_EVER: Duration = Duration::from_secs(1_000_000_000);

/// A running engine that has introduced itself. Dropping it kills its process group.
pub struct Engine {
    conversation: Conversation,
    id_name: Option<String>,
    /// The options that it offers.
    offers: Vec<OptionOffer>,
    /// Whether it is idle and keeps to the protocol, as far as we know.
    usable: bool,
    /// The last line about the running search that is worth reading.
    info: Vec<u8>,
    /// Whether its time is limited, so that it matters what it gets of the processors.
    is_timed: bool,
    /// Whether it is to do nothing while it is not its turn.
    rests: bool,
}

/// Which process of an engine is started, and where.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    /// Tells several processes of one engine apart in the log, from 0.
    pub copy: usize,
    /// The processor core to which it is pinned, or `None` for any; where the system has no such core it cannot
    /// be started. On Linux only.
    pub core: Option<usize>,
    /// Whether it is isolated from all others, where that is possible here.
    pub isolation: Option<Isolation>,
}

impl Engine {
    /// Starts the program of `spec`, asks it to introduce itself, and sets the variant and its options.
    ///
    /// An engine that offers no `UCI_Variant` is taken to play what it is asked. `patience` is for `uciok`. The
    /// directory of `spec`, where there is one, is entered before the program is looked for.
    ///
    /// # Errors
    /// [`StartError`]: the program does not start, gives no `uciok` in time, or does not offer the
    /// variant, an option or an option's value.
    pub fn start(
        spec: &EngineSpec,
        variant: &'static Variant,
        placement: Placement,
        patience: Duration,
        log: &Log,
        interrupt: &Interrupt,
    ) -> Result<Engine, StartError> {
        let conversation = Conversation::start(spec, placement, log);
        let mut engine = Engine {
            conversation: conversation.map_err(|source| StartError::NotStarted {
                engine: spec.name.clone(),
                command: spec.command.clone(),
                source,
            })?,
            id_name: None,
            offers: Vec::new(),
            usable: true,
            info: Vec::new(),
            is_timed: spec.limit.time.is_some(),
            rests: spec.limit.time.is_some() && !spec.ponder,
        };
        engine.measure();
        let deadline = deadline(patience);
        let no_uci_ok = |engine: &Engine, failure| match failure {
            Failure::Interrupted => StartError::Interrupted,
            failure => StartError::NoUciOk {
                engine: spec.name.clone(),
                failure,
                stderr: engine.last_words(),
                interference: engine.interference(),
                evidence: Box::new(engine.evidence()),
            },
        };
        let offers = engine
            .introduce(deadline, interrupt)
            .map_err(|failure| no_uci_ok(&engine, failure))?;
        let mut lines = String::new();
        for command in options::settings(spec, variant, &offers)? {
            lines.push_str(&format!("{command}\n"));
        }
        engine
            .conversation
            .send(lines.as_bytes(), deadline, interrupt)
            .map_err(|failure| no_uci_ok(&engine, failure))?;
        engine.offers = offers;
        Ok(engine)
    }

    /// The name by which the engine introduced itself.
    pub fn id_name(&self) -> Option<&str> {
        self.id_name.as_deref()
    }

    /// The options that it offered, in its order.
    pub fn offers(&self) -> &[OptionOffer] {
        &self.offers
    }

    /// The number of its process, or of its launcher where it is isolated; it is also that of its process group.
    pub fn process_id(&self) -> u32 {
        self.conversation.process_id()
    }

    /// Whether the engine can play another game; one that is at fault, or was interrupted, cannot.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// Ends engines in order: `quit` to each, half a second for all to end, then death to their process groups.
    pub fn quit_all(engines: impl IntoIterator<Item = Engine>) {
        let farewell = format!("{}\n", Command::Quit);
        let deadline = deadline(QUIT_PATIENCE);
        let mut leaving: Vec<Engine> = engines.into_iter().collect();
        for engine in &mut leaving {
            engine.conversation.take_leave(farewell.as_bytes());
        }
        for engine in leaving {
            engine.conversation.await_end(deadline);
        }
    }

    /// Sends `uci` and reads what comes before `uciok`.
    fn introduce(
        &mut self,
        deadline: Instant,
        interrupt: &Interrupt,
    ) -> Result<Vec<OptionOffer>, Failure> {
        let hello = format!("{}\n", Command::Uci);
        self.conversation
            .send(hello.as_bytes(), deadline, interrupt)?;
        let mut offers = Vec::new();
        let mut room = BYTES_OF_OFFERS;
        loop {
            let line = self.conversation.next_line(deadline, interrupt)?;
            let length = line.text.len();
            match String::from_utf8_lossy(line.text).trim().parse() {
                Ok(Reply::UciOk) => return Ok(offers),
                Ok(Reply::IdName(name)) => {
                    let name = printable(&name);
                    self.id_name = Some(shortened(&name, LONGEST_ID_NAME).into_owned());
                }
                // Beyond that they come without end.
                Ok(Reply::Option(offer)) if length <= room => {
                    room -= length;
                    offers.push(offer);
                }
                // What is malformed here is missed only by those who ask for that very option.
                Ok(_) | Err(_) => {}
            }
        }
    }

    /// Says that a new game begins; [`Engine::await_ready`] waits for the answer. `game` is for the log.
    ///
    /// The line of `position`, where it is known, goes ahead of `isready`: an engine that has tables to make for that
    /// many seats makes them before its clock runs.
    pub fn begin_game(
        &mut self,
        game: &str,
        position: Option<&str>,
        deadline: Instant,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        self.usable = false;
        self.conversation.note(game);
        self.measure();
        let position = position.map_or(String::new(), |line| format!("{line}\n"));
        let lines = format!("{}\n{position}{}\n", Command::UciNewGame, Command::IsReady);
        self.conversation
            .send(lines.as_bytes(), deadline, interrupt)
    }

    /// Waits for `readyok`.
    pub fn await_ready(&mut self, deadline: Instant, interrupt: &Interrupt) -> Result<(), Failure> {
        loop {
            let line = self.conversation.next_line(deadline, interrupt)?;
            if line.text.trim_ascii() == b"readyok" {
                self.usable = true;
                return Ok(());
            }
        }
    }

    /// Sends `request`, the lines of `position` and `go`, and waits for the answer.
    ///
    /// # Errors
    /// Why there is none after `patience`; the engine cannot be used any more then.
    pub fn ask(
        &mut self,
        request: &[u8],
        patience: Duration,
        interrupt: &Interrupt,
    ) -> Result<Answer, Failure> {
        self.usable = false;
        self.info.clear();
        self.ask_on(request, patience, interrupt, |_| {})
    }

    /// Sends `request`, which ends with a `go` that is to tell of several moves, and waits until it is answered:
    /// what the search last said of each of the two `moves`, by the first move of its line.
    ///
    /// # Errors
    /// As [`Engine::ask`].
    pub fn ask_about(
        &mut self,
        request: &[u8],
        moves: [&str; 2],
        patience: Duration,
        interrupt: &Interrupt,
    ) -> Result<[Option<Info>; 2], Failure> {
        self.usable = false;
        self.info.clear();
        let mut said = [None, None];
        self.ask_on(request, patience, interrupt, |line| {
            let info = answer::read_info(line);
            let first = info.as_ref().and_then(|info| info.pv.first());
            let index = moves
                .iter()
                .position(|mv| first.is_some_and(|first| first == mv));
            if let Some(index) = index {
                said[index] = info;
            }
        })?;
        Ok(said)
    }

    /// Sends what is to be answered with a `bestmove`, and waits for it; hands each line about the search that is
    /// worth reading to `on_info`.
    fn ask_on(
        &mut self,
        request: &[u8],
        patience: Duration,
        interrupt: &Interrupt,
        mut on_info: impl FnMut(&[u8]),
    ) -> Result<Answer, Failure> {
        self.measure();
        let sent = Instant::now();
        let deadline = after(sent, patience);
        self.conversation.send(request, deadline, interrupt)?;
        loop {
            let line = self.conversation.next_line(deadline, interrupt)?;
            match answer::kind(line.text) {
                Kind::BestMove => {
                    let arrived = line.arrived;
                    let answer = Answer::read(arrived - sent, line.text, &self.info);
                    self.usable = true;
                    let processor = self.conversation.processor();
                    return Ok(Answer {
                        out_of_turn: processor.used_at_rest(),
                        waited: processor.end(arrived, self.rests),
                        ..answer
                    });
                }
                Kind::Info => {
                    on_info(line.text);
                    self.info.clear();
                    self.info.extend_from_slice(line.text);
                }
                Kind::Lesser => on_info(line.text),
                Kind::Other => {}
            }
        }
    }

    /// Has the engine think on its opponent's time: sends `request`, the lines of `position` and `go ponder`.
    /// Then either [`Engine::ponder_hit`] or [`Engine::stop_pondering`] follows.
    pub fn ponder(
        &mut self,
        request: &[u8],
        deadline: Instant,
        interrupt: &Interrupt,
    ) -> Result<(), Failure> {
        self.usable = false;
        self.info.clear();
        self.conversation.send(request, deadline, interrupt)
    }

    /// Says that the move pondered on was played, and waits for the answer; time counts from here.
    ///
    /// # Errors
    /// As [`Engine::ask`].
    pub fn ponder_hit(
        &mut self,
        patience: Duration,
        interrupt: &Interrupt,
    ) -> Result<Answer, Failure> {
        // What it said of its search on the way counts, as long as it does not come without end.
        for _ in 0..LINES_OF_PONDERING {
            let Some(line) = self.conversation.next_line_there() else {
                break;
            };
            if let Kind::Info = answer::kind(line.text) {
                self.info.clear();
                self.info.extend_from_slice(line.text);
            }
        }
        let hit = format!("{}\n", Command::PonderHit);
        self.ask_on(hit.as_bytes(), patience, interrupt, |_| {})
    }

    /// Says that another move was played, and waits for the answer, of which only the time counts.
    ///
    /// # Errors
    /// Why there is none before the deadline; the engine cannot be used any more then.
    pub fn stop_pondering(
        &mut self,
        patience: Duration,
        interrupt: &Interrupt,
    ) -> Result<Answer, Failure> {
        let stop = format!("{}\n", Command::Stop);
        self.ask_on(stop.as_bytes(), patience, interrupt, |_| {})
    }

    /// Begins to measure what it gets of the processors, where that matters.
    fn measure(&mut self) {
        if self.is_timed {
            self.conversation.processor().begin();
        }
    }

    /// What is known of the engine's last moments.
    pub fn evidence(&self) -> Evidence {
        self.conversation.evidence()
    }

    /// In words, what happened to its process that somebody else may have done, such as a signal; `None` before its
    /// end, and where it did it itself.
    pub fn interference(&self) -> Option<String> {
        self.conversation.interference()
    }

    /// The last lines that the engine wrote to its standard error.
    pub fn last_words(&self) -> Vec<String> {
        self.conversation.last_words()
    }

    /// Kills the engine, which is at fault.
    pub fn dismiss(&mut self) {
        self.usable = false;
        self.conversation.kill();
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({})", self.conversation.name())
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Stalled => f.write_str("it did not answer in time"),
            Failure::Ended(Some(status)) => write!(f, "its process ended with {status}"),
            Failure::Ended(None) => f.write_str("its process ended"),
            Failure::Disconnected => f.write_str("it closed its output or input"),
            Failure::Interrupted => f.write_str("interrupted"),
        }
    }
}

/// The process of the engine to which a process belongs, by descent, process group or session; `None` where it belongs
/// to none, or is not there any more.
pub fn engine_of(process: u32) -> Option<u32> {
    family::child_of(std::process::id(), process)
}

/// The time when a wait that begins now ends.
pub fn deadline(patience: Duration) -> Instant {
    after(Instant::now(), patience)
}

fn after(start: Instant, patience: Duration) -> Instant {
    start.checked_add(patience).unwrap_or(start + FOR_EVER)
}
