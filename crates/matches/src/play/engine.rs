//! An engine: one child process that speaks the protocol.
//!
//! [`Engine::start`] checks and sets the options; the referee then asks for one move after the other. An engine belongs
//! to the thread that started it: on Linux the kernel kills the process when that thread ends, so that no engine
//! outlives the arbiter, even if the arbiter is killed.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use buxtehude::protocol::{BestMove, Command, Info, Reply};

use crate::plan::EngineSpec;
use crate::play::{family, interrupt::Interrupt, log::Log, sandbox::Isolation};
use crate::record::Evidence;
use crate::record::printable::{printable, printable_bytes, shortened};
pub use conversation::AnswerError;
use conversation::{Conversation, MAX_ENGINE_LINE_LENGTH, Output};
pub use process::Process;
use process::Usage;
pub(super) use start::explained;
pub use start::{Offers, StartError, VARIANT_OPTION, is_left_out, option_commands, quoted};

pub(super) mod conversation;
mod process;
mod recent;
mod start;

/// Time that an engine has to end after `quit`.
pub(super) const QUIT_PATIENCE: Duration = Duration::from_millis(500);
/// Maximum number of bytes of all option offers.
const BYTES_OF_OFFERS: usize = 1 << 20;
/// Maximum number of characters of the name in `id name`.
const MAX_ID_NAME_LENGTH: usize = 200;
/// Maximum number of characters of an error that rejects options.
const MAX_ERROR_LENGTH: usize = 400;
/// Budget of an engine for the start of a game, before its clock runs: of time, and of CPU time.
const START_OF_A_GAME: Duration = Duration::from_secs(1);
/// Wait that replaces one too long for the system's clock; longer than any match.
const FOR_EVER: Duration = Duration::from_secs(1_000_000_000);

/// Maximum number of lines to read from pondering before `ponderhit`.
const LINES_OF_PONDERING: usize = 10_000;

/// A running engine that has answered `uci`. Dropping it kills its process group.
pub struct Engine {
    conversation: Conversation,
    id_name: Option<String>,
    offers: Offers,
    /// Whether it is idle and has followed the protocol.
    usable: bool,
    /// Last relevant `info` line of the running search.
    info: Vec<u8>,
    /// Whether it has a time limit, so that waiting for a processor must be measured.
    is_timed: bool,
    /// Time beyond [`START_OF_A_GAME`] that it took to begin the game, until its first answer.
    late_start: Duration,
    /// Whether it has received a `go`.
    was_asked: bool,
    /// A `bestmove` between its turns, until its next answer has this flaw.
    flaw: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placement {
    /// Number of the copy in the log, from 0.
    pub copy: usize,
    /// Processor core to pin it to; `None` for any. It cannot start if the system has no such core. Linux only.
    pub core: Option<usize>,
    /// Isolation from all other engines, if possible.
    pub isolation: Option<Isolation>,
}

impl Placement {
    /// Returns the place of a single copy on any core.
    pub fn anywhere(isolation: Option<Isolation>) -> Placement {
        Placement { copy: 0, core: None, isolation }
    }
}

/// A caller that follows a search and may stop it.
pub struct Follower<'a> {
    /// Stop flag; once it is set, the engine receives `stop`.
    pub stop: &'a AtomicBool,
    pub patience_after_stop: Duration,
    /// Called for each line with a depth and a value.
    pub on_info: &'a mut dyn FnMut(Info),
}

impl Engine {
    /// Starts the program of `spec`, sends `uci`, and sets the variant and the options.
    ///
    /// An engine without the option `UCI_Variant` is assumed to play the variant of the match. `timeout` is for
    /// `uciok`; `interrupt` stops every wait for the engine. A directory of `spec` is entered before the
    /// program is looked up.
    ///
    /// # Errors
    /// [`StartError`]: the program does not start, sends no `uciok` in time, or does not offer the variant, an option
    /// or its value.
    pub fn start(
        spec: &EngineSpec,
        variant: &str,
        placement: Placement,
        timeout: Duration,
        log: &Log,
        interrupt: &Interrupt,
    ) -> Result<Engine, StartError> {
        let conversation =
            Conversation::start(spec, placement, MAX_ENGINE_LINE_LENGTH, log, interrupt);
        let mut engine = Engine {
            conversation: conversation.map_err(|source| StartError::NotStarted {
                engine: spec.name.clone(),
                command: spec.command.clone(),
                source: explained(source, &spec.command, spec.dir.as_deref()),
            })?,
            id_name: None,
            offers: Offers::default(),
            usable: true,
            info: Vec::new(),
            is_timed: spec.limit.time.is_some(),
            late_start: Duration::ZERO,
            was_asked: false,
            flaw: None,
        };
        engine.begin_measurement();
        let deadline = deadline(timeout);
        let no_uci_ok = |engine: &Engine, error| engine.no_answer(&spec.name, "uciok", error);
        let offers = engine.introduce(deadline).map_err(|error| no_uci_ok(&engine, error))?;
        let lines = lines(&start::settings(spec, variant, &offers)?);
        let sent = engine.conversation.send(&lines, Output::Drop, deadline);
        sent.map_err(|error| no_uci_ok(&engine, error))?;
        engine.offers = offers;
        Ok(engine)
    }

    /// Waits until a started engine is ready, before anything else is sent to it; an `info string error` rejects its
    /// options. `name` is the engine's name in errors.
    ///
    /// # Errors
    /// The engine rejects an option, or is not ready within `timeout`.
    pub fn confirm_options(&mut self, name: &str, timeout: Duration) -> Result<(), StartError> {
        match self.rejected_options(deadline(timeout)) {
            Ok(None) => Ok(()),
            Ok(Some(words)) => {
                Err(StartError::Options(format!("engine {name} rejects its options: {words}")))
            }
            Err(error) => Err(self.no_answer(name, "readyok", error)),
        }
    }

    /// Sends `isready` and waits for the answer; returns the words of an error that precedes it.
    fn rejected_options(&mut self, deadline: Instant) -> Result<Option<String>, AnswerError> {
        let is_ready = lines(&[Command::IsReady]);
        self.conversation.send(&is_ready, Output::Keep, deadline)?;
        loop {
            let line = self.conversation.next_line(deadline)?;
            if line.text.trim_ascii() == b"readyok" {
                return Ok(None);
            }
            if let Some(words) = error_words(line.text) {
                let words = printable_bytes(words);
                return Ok(Some(shortened(&words, MAX_ERROR_LENGTH).into_owned()));
            }
        }
    }

    /// Describes a missing answer at the start of the engine `name`.
    fn no_answer(&self, name: &str, expected: &str, error: AnswerError) -> StartError {
        match error {
            AnswerError::Interrupted => StartError::Interrupted,
            error => StartError::NoAnswer {
                engine: name.to_string(),
                error,
                reason: format!("no {expected}: {error}{}", self.unfinished_answer(error)),
                stderr: self.stderr_tail(),
                interference: self.interference(),
                evidence: Box::new(self.evidence()),
            },
        }
    }

    pub fn id_name(&self) -> Option<&str> {
        self.id_name.as_deref()
    }

    /// Offered options, in the order of the engine.
    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// Process ID, of the launcher if the engine is isolated; also the ID of its process group.
    pub fn process_id(&self) -> u32 {
        self.conversation.process.id()
    }

    /// `true` if the engine can play another game; after a fault or an interrupt it cannot.
    pub fn is_usable(&self) -> bool {
        self.usable
    }

    /// Ends engines: sends `quit` to each, waits half a second for all, then kills their process groups.
    pub fn quit_all(engines: impl IntoIterator<Item = Engine>) {
        let farewell = lines(&[Command::Quit]);
        let deadline = deadline(QUIT_PATIENCE);
        let mut leaving: Vec<Engine> = engines.into_iter().collect();
        for engine in &mut leaving {
            engine.conversation.take_leave(&farewell);
        }
        for engine in leaving {
            engine.conversation.await_end(deadline);
        }
    }

    /// Sends `uci` and reads the answers up to `uciok`.
    fn introduce(&mut self, deadline: Instant) -> Result<Offers, AnswerError> {
        self.conversation.send(&lines(&[Command::Uci]), Output::Drop, deadline)?;
        let mut offers = Offers::default();
        let mut room = BYTES_OF_OFFERS;
        loop {
            let line = self.conversation.next_line(deadline)?;
            let length = line.text.len();
            let text = String::from_utf8_lossy(line.text);
            match text.trim().parse() {
                Ok(Reply::UciOk) => return Ok(offers),
                Ok(Reply::IdName(name)) => {
                    let name = printable(&name);
                    self.id_name = Some(shortened(&name, MAX_ID_NAME_LENGTH).into_owned());
                }
                // Beyond the limit, the offers might never end.
                _ if length <= room && offers.add(&text) => room -= length,
                _ => {}
            }
        }
    }

    /// Begins a new game, unrelated to earlier requests. `game` is its name in the log.
    ///
    /// A `position` line, if given, precedes `isready`, so that an engine can build its tables for that number of seats
    /// before its clock runs. Time and computing beyond a second count as out of turn, all computing since its last
    /// answer or its start included.
    ///
    /// # Errors
    /// The engine is not ready within `timeout`; it can no longer be used.
    pub fn new_game(
        &mut self,
        game: &str,
        position: Option<&str>,
        timeout: Duration,
    ) -> Result<(), AnswerError> {
        self.usable = false;
        self.conversation.note(game);
        self.begin_measurement();
        let begun = Instant::now();
        let deadline = after(begun, timeout);
        let position = position.map_or(String::new(), |line| format!("{line}\n"));
        let lines = format!("{}\n{position}{}\n", Command::UciNewGame, Command::IsReady);
        self.conversation.send(&lines, Output::Drop, deadline)?;
        let arrived = self.await_ready(deadline)?;
        if self.is_timed {
            let spent = self.conversation.processor.end(arrived);
            let time = (arrived - begun).saturating_sub(spent.waited);
            let used = spent.out_of_turn + spent.computed;
            self.late_start = time.max(used).saturating_sub(START_OF_A_GAME);
        }
        Ok(())
    }

    /// Waits for `readyok`; returns the time of its arrival.
    fn await_ready(&mut self, deadline: Instant) -> Result<Instant, AnswerError> {
        loop {
            let line = self.conversation.next_line(deadline)?;
            if line.text.trim_ascii() == b"readyok" {
                let arrived = line.arrived;
                self.usable = true;
                return Ok(arrived);
            }
        }
    }

    /// Waits until the engine is ready; after a long pause its process may be slow or gone.
    ///
    /// # Errors
    /// As [`Engine::new_game`].
    pub fn make_ready(&mut self, timeout: Duration) -> Result<(), AnswerError> {
        self.usable = false;
        let deadline = deadline(timeout);
        self.conversation.send(&lines(&[Command::IsReady]), Output::Drop, deadline)?;
        self.await_ready(deadline).map(drop)
    }

    /// Sends `request`, whole lines with `position` and `go` as the last, and waits for the answer.
    ///
    /// # Errors
    /// There is no answer within `timeout`; the engine can no longer be used.
    pub fn go(
        &mut self,
        request: &str,
        timeout: Duration,
        follower: Option<Follower<'_>>,
    ) -> Result<Answer, AnswerError> {
        self.usable = false;
        self.info.clear();
        self.begin_measurement();
        let sent = Instant::now();
        let until = after(sent, timeout);
        self.conversation.send(request, Output::Drop, until)?;
        // `send` has read the output before the request.
        self.note_surplus();
        self.was_asked = true;
        let answer = self.await_best_move(sent, until, follower)?;
        Ok(answer.with_flaw(self.flaw.take()))
    }

    /// Notes a flaw if the engine has sent a `bestmove` that answers no `go`.
    fn note_surplus(&mut self) {
        if let Some(line) = self.conversation.take_unclaimed_best_move() {
            let kind = if self.was_asked {
                "a second bestmove for one go"
            } else {
                "a bestmove without a go"
            };
            self.flaw.get_or_insert(format!("{kind}: \"{line}\""));
        }
    }

    /// `true` if the engine sends another `bestmove` within `timeout` after its answer, which therefore may have been
    /// a second one for an earlier `go`. Afterwards the engine cannot be used.
    pub fn answers_again(&mut self, timeout: Duration) -> bool {
        self.usable = false;
        let deadline = deadline(timeout);
        while let Ok(line) = self.conversation.next_line(deadline) {
            if is_best_move(line.text) {
                return true;
            }
        }
        false
    }

    /// Waits for the `bestmove` of a search that was requested at `sent`.
    fn await_best_move(
        &mut self,
        sent: Instant,
        mut until: Instant,
        mut follower: Option<Follower<'_>>,
    ) -> Result<Answer, AnswerError> {
        let mut is_stopped = false;
        loop {
            let line = match &follower {
                Some(follower) if !is_stopped && follower.stop.load(Ordering::Relaxed) => {
                    is_stopped = true;
                    until = deadline(follower.patience_after_stop);
                    self.conversation.send(&lines(&[Command::Stop]), Output::Keep, until)?;
                    continue;
                }
                Some(_) if !is_stopped => self.conversation.next_line_soon(until)?,
                _ => Some(self.conversation.next_line(until)?),
            };
            let Some(line) = line else { continue };
            let kind = kind(line.text);
            if let (Kind::Info | Kind::Lesser, Some(follower)) = (&kind, &mut follower)
                && let Some(info) = read_info(line.text)
            {
                (follower.on_info)(info);
            }
            match kind {
                Kind::BestMove => {
                    let arrived = line.arrived;
                    let mut answer = Answer::read(arrived - sent, line.text, &self.info);
                    // Another one between this and the next `go` would be a second answer.
                    self.conversation.take_unclaimed_best_move();
                    self.usable = true;
                    let spent = self.conversation.processor.end(arrived);
                    answer.waited = spent.waited;
                    answer.out_of_turn = spent.out_of_turn + std::mem::take(&mut self.late_start);
                    return Ok(answer);
                }
                Kind::Info => {
                    self.info.clear();
                    self.info.extend_from_slice(line.text);
                }
                Kind::Lesser | Kind::Other => {}
            }
        }
    }

    /// Starts pondering: sends `request`, the lines of `position` and `go ponder`. Either [`Engine::ponder_hit`] or
    /// [`Engine::stop_pondering`] must follow. An engine that does not read gets the rest of the request then, on its
    /// own time.
    ///
    /// # Errors
    /// The engine can no longer be used.
    pub fn ponder(&mut self, request: &str) -> Result<(), AnswerError> {
        self.usable = false;
        self.info.clear();
        let sent = self.conversation.send_at_once(request);
        self.note_surplus();
        self.was_asked = true;
        sent
    }

    /// Sends `ponderhit`, because the expected move was played, and waits for the answer. The time counts from here.
    /// Returns `None` if the engine has answered before, which is a flaw of its next answer.
    ///
    /// # Errors
    /// As [`Engine::go`].
    pub fn ponder_hit(&mut self, timeout: Duration) -> Result<Option<Answer>, AnswerError> {
        let answer = self.end_pondering(Command::PonderHit, timeout)?;
        Ok(answer.map(|answer| answer.with_flaw(self.flaw.take())))
    }

    /// Sends `stop`, because another move was played, and waits for the answer. Only its time counts. Returns `None` as
    /// [`Engine::ponder_hit`].
    ///
    /// # Errors
    /// There is no answer before the deadline; the engine can no longer be used.
    pub fn stop_pondering(&mut self, timeout: Duration) -> Result<Option<Answer>, AnswerError> {
        self.end_pondering(Command::Stop, timeout)
    }

    fn end_pondering(
        &mut self,
        command: Command,
        timeout: Duration,
    ) -> Result<Option<Answer>, AnswerError> {
        // Reads the `info` lines of the pondering, up to a limit because they might never end.
        for _ in 0..LINES_OF_PONDERING {
            let Some(line) = self.conversation.next_line_there() else {
                break;
            };
            if let Kind::Info = kind(line.text) {
                self.info.clear();
                self.info.extend_from_slice(line.text);
            }
        }
        if let Some(line) = self.conversation.take_unclaimed_best_move() {
            self.usable = true;
            self.flaw = Some(format!("bestmove before ponderhit or stop: \"{line}\""));
            return Ok(None);
        }
        self.begin_measurement();
        let sent = Instant::now();
        let until = after(sent, timeout);
        self.conversation.send(&lines(&[command]), Output::DropWhileFull, until)?;
        self.await_best_move(sent, until, None).map(Some)
    }

    /// Starts the processor meter if the engine has a time limit.
    fn begin_measurement(&mut self) {
        if self.is_timed {
            self.conversation.processor.begin();
        }
    }

    /// Returns the last lines, and resource usage if the process has ended.
    pub fn evidence(&self) -> Evidence {
        let usage = self.conversation.process.usage();
        Evidence {
            lines: self.conversation.recent.lines(),
            exit: usage.map(Usage::exit),
            memory_kib: usage.map(|usage| usage.end.memory_kib),
            cpu_micros: usage.map(|usage| usage.end.cpu_micros),
        }
    }

    /// Describes an end or stop of its process that another process may have caused, such as a signal; `None` while it
    /// runs, and if it ended by itself.
    pub fn interference(&self) -> Option<String> {
        let usage = self.conversation.process.usage();
        usage.and_then(Usage::interference)
    }

    /// Describes the output since the last command if an answer is missing, as the end of a sentence or an empty text.
    pub fn unfinished_answer(&self, error: AnswerError) -> String {
        self.conversation.unfinished_answer(error)
    }

    pub fn stderr_tail(&self) -> Vec<String> {
        self.conversation.stderr.lines()
    }

    /// Kills the engine after a fault.
    pub fn dismiss(&mut self) {
        self.usable = false;
        self.conversation.kill();
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Engine({})", self.conversation.name)
    }
}

/// Returns commands as lines, each with its newline.
pub fn lines(commands: &[Command]) -> String {
    let lines = commands.iter().map(|command| format!("{command}\n"));
    lines.collect()
}

/// Returns the process ID of the engine to which a process belongs, by descent, process group or session; `None` if it
/// belongs to none or no longer exists.
pub fn engine_of(process: u32) -> Option<u32> {
    family::child_of(std::process::id(), process)
}

/// Returns the deadline of a wait that begins now.
pub fn deadline(timeout: Duration) -> Instant {
    after(Instant::now(), timeout)
}

fn after(start: Instant, timeout: Duration) -> Instant {
    start.checked_add(timeout).unwrap_or(start + FOR_EVER)
}

/// The answer to a `go`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// Time from sending `go` to the arrival of the answer.
    pub elapsed: Duration,
    /// Part of this time that the engine waited for a processor, or its answer waited for the arbiter; zero below a
    /// millisecond.
    pub waited: Duration,
    /// CPU time used out of turn since its previous answer.
    pub out_of_turn: Duration,
    /// The move, or why it is malformed.
    pub best_move: Result<BestMove, String>,
    /// Why the rest of the answer is malformed; the move counts nevertheless.
    pub flaw: Option<String>,
    /// Last reported depth, score and estimate.
    pub info: Info,
}

/// Kind of a line that an engine sends during a search.
enum Kind {
    BestMove,
    /// Information about the best line.
    Info,
    /// Information about a line other than the best.
    Lesser,
    Other,
}

/// `true` if the first word of a line is `bestmove`.
fn is_best_move(line: &[u8]) -> bool {
    let rest = line.trim_ascii_start().strip_prefix(b"bestmove");
    rest.is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_whitespace))
}

/// Determines the kind of a line without parsing it, because engines may print thousands of lines.
///
/// An `info` line counts if it has a depth and a score or an estimate, unless the score is only a bound.
fn kind(line: &[u8]) -> Kind {
    if is_best_move(line) {
        return Kind::BestMove;
    }
    let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    if words.next() != Some(b"info") {
        return Kind::Other;
    }
    let (mut has_depth, mut has_value, mut is_best) = (false, false, true);
    while let Some(word) = words.next() {
        match word {
            b"depth" => has_depth = true,
            b"score" | b"estimate" => has_value = true,
            b"multipv" => is_best = words.next() == Some(b"1"),
            b"lowerbound" | b"upperbound" => return Kind::Other,
            b"pv" | b"string" => break,
            _ => {}
        }
    }
    if !(has_depth && has_value) {
        Kind::Other
    } else if is_best {
        Kind::Info
    } else {
        Kind::Lesser
    }
}

impl Answer {
    /// Time that the engine used itself.
    pub fn charged_time(&self) -> Duration {
        self.elapsed.saturating_sub(self.waited)
    }

    /// Puts a flaw before the answer's own.
    pub fn with_flaw(self, flaw: Option<String>) -> Answer {
        let flaws: Vec<String> = flaw.into_iter().chain(self.flaw).collect();
        Answer { flaw: Some(flaws.join("; ")).filter(|flaw| !flaw.is_empty()), ..self }
    }

    /// Parses an answer with no waiting time, from its line and the last `info` line before it.
    pub fn read(elapsed: Duration, line: &[u8], info: &[u8]) -> Answer {
        let text = String::from_utf8_lossy(line);
        let (best_move, flaw) = match text.trim().parse() {
            Ok(Reply::BestMove(best_move)) => (Ok(best_move), None),
            Ok(other) => (Err(format!("{other}: expected a bestmove")), None),
            Err(error) => match move_alone(&text) {
                Some(best_move) => (Ok(best_move), Some(error.to_string())),
                None => (Err(error.to_string()), None),
            },
        };
        Answer {
            elapsed,
            waited: Duration::ZERO,
            out_of_turn: Duration::ZERO,
            best_move,
            flaw,
            info: read_info(info).unwrap_or_default(),
        }
    }
}

/// Returns the move of an answer whose rest is malformed; `None` if the move is malformed, too.
fn move_alone(line: &str) -> Option<BestMove> {
    let words = line.split([' ', '\t', '\r']).filter(|word| !word.is_empty());
    let beginning: Vec<&str> = words.take(2).collect();
    match beginning.join(" ").parse() {
        Ok(Reply::BestMove(best_move)) => Some(best_move),
        _ => None,
    }
}

/// Returns the words of an `info string error` line after this beginning, in any case and with or without a colon.
pub(super) fn error_words(line: &[u8]) -> Option<&[u8]> {
    let mut rest = line.trim_ascii();
    for word in [&b"info"[..], b"string", b"error"] {
        let (beginning, after) = rest.split_at_checked(word.len())?;
        if !beginning.eq_ignore_ascii_case(word) {
            return None;
        }
        rest = after.trim_ascii_start();
    }
    Some(rest.strip_prefix(b":").unwrap_or(rest).trim_ascii_start())
}

/// Parses an `info` line; `None` if it is malformed.
fn read_info(line: &[u8]) -> Option<Info> {
    match String::from_utf8_lossy(line).trim().parse() {
        Ok(Reply::Info(info)) => Some(info),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use buxtehude::protocol::Score;

    #[test]
    fn lines_are_told_apart() {
        for (line, expected) in [
            ("bestmove 5", "bestmove"),
            (" \tbestmove\r", "bestmove"),
            ("bestmoves 5", "other"),
            ("info depth 3 score cp 5 pv 1", "info"),
            ("info depth 3 estimate 600 400", "info"),
            ("info depth 3 multipv 1 score cp 5", "info"),
            ("info depth 3 multipv 2 score cp 5", "lesser"),
            ("info depth 3 multipv 2 score cp 5 lowerbound", "other"),
            ("info depth 3 multipv 2 currmove 5", "other"),
            ("info depth 3 score cp 5 lowerbound pv 1", "other"),
            ("info depth 3 score cp 5 upperbound", "other"),
            ("info depth 3 currmove 5", "other"),
            ("info score cp 3", "other"),
            ("info string depth score", "other"),
            ("info", "other"),
            ("", "other"),
        ] {
            let found = match kind(line.as_bytes()) {
                Kind::BestMove => "bestmove",
                Kind::Info => "info",
                Kind::Lesser => "lesser",
                Kind::Other => "other",
            };
            assert_eq!(found, expected, "{line:?}");
        }
    }

    #[test]
    fn an_answer_is_read_with_its_info() {
        let answer = Answer::read(
            Duration::from_millis(3),
            b"bestmove 5 estimate 600 400\r",
            b"info depth 7 score cp -31 nodes 5 pv 5 3",
        );
        let best_move = answer.best_move.unwrap();
        assert_eq!(best_move.best.as_deref(), Some("5"));
        assert_eq!(best_move.estimate, [600, 400]);
        assert_eq!(answer.info.depth, Some(7));
        assert_eq!(answer.info.score, Some(Score::Centipawns(-31)));
    }

    #[test]
    fn a_move_stands_whatever_is_behind_it() {
        for (line, flaw) in [
            (&b"bestmove 5 6"[..], "bestmove: unexpected \"6\""),
            (b"bestmove 5 ponder", "bestmove ponder: missing argument"),
            (b"bestmove 5 ponder estimate 1 2", "bestmove ponder: unexpected \"estimate\""),
            (b"\tbestmove\t5 estimate x\r", "bestmove estimate: \"x\" is not"),
            (b"bestmove 5 estimate -1 1001", "bestmove estimate: \"-1\" is not"),
            (b"bestmove 5 estimate 70000 0", "bestmove estimate: \"70000\" is not"),
            (b"bestmove 5 \x1b[31m", "bestmove: unexpected \"\\u{1b}[31m\""),
        ] {
            let answer = Answer::read(Duration::ZERO, line, b"");
            let best_move = answer.best_move.unwrap();
            assert_eq!((best_move.best.as_deref(), best_move.ponder), (Some("5"), None));
            assert!(best_move.estimate.is_empty());
            let found = answer.flaw.unwrap();
            assert!(found.starts_with(flaw), "{found}");
        }
    }

    #[test]
    fn rubbish_is_quoted() {
        for line in [&b"bestmove"[..], b"bestmove ponder 5", b"bestmove estimate 500 500"] {
            let answer = Answer::read(Duration::ZERO, line, b"");
            let error = answer.best_move.unwrap_err();
            assert!(error.starts_with("bestmove: "), "{error}");
        }
    }
}
