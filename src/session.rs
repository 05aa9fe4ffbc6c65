//! One client: reads its commands and writes the engine's replies.
//!
//! Only the session's own thread writes. A reader thread turns lines into commands, the search thread turns tasks into
//! events, and the session handles whichever comes first. So it answers `isready` at once during a search, and lines
//! are never interleaved.
//!
//! # Examples
//! An engine in a program of its own, with the words of the protocol:
//! ```
//! use std::io::Cursor;
//!
//! # fn main() -> std::io::Result<()> {
//! let mut replies = Vec::new();
//! let commands = "position startpos players 3 moves 5\ngo nodes 100\n";
//! buxtehude::session::serve(Cursor::new(commands), &mut replies)?;
//! let replies = String::from_utf8_lossy(&replies);
//! assert!(replies.lines().any(|line| line.starts_with("bestmove ")), "{replies}");
//! # Ok(())
//! # }
//! ```

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod answers;
mod go;
mod options;

use std::fs::File;
use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::ops::ControlFlow;
use std::path::Path;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select_biased};

use crate::bench;
use crate::eval::Evaluators;
use crate::protocol::{Command, CommandError, LineReader, PositionCommand, Reply, Start};
use crate::rules::{ActionError, AnyPosition, SetupError, Turn, Variant};
use crate::search::Past;
use answers::serve_rules;
use go::{Running, SearchThread, Task};
use options::{DEBUG_LOG_FILE, EVAL_FILE, Effect, HASH, Options};

/// Capacity of the command queue; when it is full, the client blocks. Small, since a command can be a long list.
const WAITING_COMMANDS: usize = 4;

/// Longest error message, in characters.
const MAX_ERROR_LENGTH: usize = 1000;

/// Serves a client on standard input and output; if there are arguments, runs them as one command instead, or after
/// `rules` serves the rules of a variant.
///
/// # Returns
/// Success, also if a stream was closed. [`REFUSED`] if the arguments are not a command; the reason goes to standard
/// error. Failure on any other error of the streams.
pub fn serve_stdio(arguments: &[String]) -> ExitCode {
    let output = io::stdout();
    if arguments.is_empty() {
        return exit_code(serve(BufReader::new(io::stdin()), output));
    }
    if let [first, variant @ ..] = arguments
        && first == "rules"
    {
        return serve_rules(variant);
    }
    let text = arguments.join(" ");
    match text.parse::<Command>() {
        Ok(_) => exit_code(serve(Cursor::new(text), output)),
        Err(error) => failed(&error, REFUSED),
    }
}

/// Exit status of a program whose arguments are invalid.
pub const REFUSED: u8 = 2;

fn exit_code(served: io::Result<()>) -> ExitCode {
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failed(&error, 1),
    }
}

/// Prints an error, and returns its exit status.
fn failed(error: &dyn std::error::Error, status: u8) -> ExitCode {
    // If standard error fails too, there is no one left to inform.
    let _ = writeln!(io::stderr(), "buxtehude: {error}");
    ExitCode::from(status)
}

/// Serves one client until it quits, its input ends, or its output is closed.
///
/// At the end of the input, requested work is completed; a search that waits for another command answers at once. The
/// thread that reads `input` ends with it.
///
/// # Errors
/// An error of the output other than its being closed, or a thread could not be started.
pub fn serve<R, W>(input: R, output: W) -> io::Result<()>
where
    R: BufRead + Send + 'static,
    W: Write,
{
    let (sender, commands) = bounded(WAITING_COMMANDS);
    let log = DebugLog::default();
    let copy = log.clone();
    thread::Builder::new()
        .name("reader".into())
        .spawn(move || read_commands(input, &sender, &copy))?;
    let mut session = Session::new(output, log)?;
    unless_closed(session.run(&commands))
}

/// A client that closes the output ends its session without an error.
fn unless_closed(ended: io::Result<()>) -> io::Result<()> {
    match ended {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        ended => ended,
    }
}

/// Sends each line as a command, or its error, until the input or the session ends.
fn read_commands(
    input: impl BufRead,
    sender: &Sender<Result<Command, CommandError>>,
    log: &DebugLog,
) {
    let mut lines = LineReader::new(input);
    while let Some(Ok(line)) = lines.next_line() {
        log.line_in(line.bytes());
        if sender.send(line.command()).is_err() {
            return;
        }
    }
}

/// The answer to a faulty line. A long message that quotes user input is shortened in the middle, since its beginning
/// and its end are the most useful parts.
fn error_reply(problem: &str) -> Reply {
    let characters = problem.chars().count();
    if characters <= MAX_ERROR_LENGTH {
        return Reply::InfoString(format!("error: {problem}"));
    }
    let half = MAX_ERROR_LENGTH / 2;
    let start: String = problem.chars().take(half).collect();
    let end: String = problem.chars().skip(characters - half).collect();
    Reply::InfoString(format!("error: {start} ... {end}"))
}

struct Session<W> {
    output: W,
    log: DebugLog,
    options: Options,
    /// `true` if the client last greeted with `ugi`: then a `bestmove` has the move alone.
    speaks_ugi: bool,
    game: LastPosition,
    search_thread: SearchThread,
    evaluators: Evaluators,
    /// Number of table sets that are still to be built.
    preparing: usize,
    /// `true` if an `isready` waits for them.
    is_ready_pending: bool,
    running: Option<Running>,
}

impl<W: Write> Session<W> {
    fn new(output: W, log: DebugLog) -> io::Result<Session<W>> {
        let options = Options::default();
        let evaluators = Evaluators::default();
        let search_thread = SearchThread::start(options.memory_size(), evaluators.clone())?;
        let game = LastPosition::new(options.variant);
        let mut session = Session {
            preparing: 0,
            is_ready_pending: false,
            output,
            log,
            options,
            speaks_ugi: false,
            game,
            search_thread,
            evaluators,
            running: None,
        };
        session.prepare();
        Ok(session)
    }

    fn run(&mut self, commands: &Receiver<Result<Command, CommandError>>) -> io::Result<()> {
        let mut commands = commands.clone();
        let mut at_end_of_input = false;
        while !(at_end_of_input && self.running.is_none()) {
            let events = self.search_thread.events().clone();
            let release = self.running.as_ref().and_then(Running::release_time);
            // `stop` must be answered before the next command is read, which may be a `go`. Likewise `isready` is
            // answered before any command after it.
            let stopping = self.running.as_ref().is_some_and(Running::is_stopping);
            let waiting = stopping || self.is_ready_pending;
            let taken = if waiting { &never() } else { &commands };
            let timer = release.map_or(never(), |at| after(at - Instant::now().min(at)));
            select_biased! {
                recv(events) -> event => if let Ok(event) = event {
                    self.take_event(event)?;
                },
                recv(taken) -> command => match command {
                    Ok(Ok(command)) => if self.obey(command)?.is_break() {
                        return Ok(());
                    },
                    Ok(Err(error)) => self.refuse_line(&error)?,
                    Err(_) => {
                        at_end_of_input = true;
                        commands = never();
                        self.end_waiting_search()?;
                    }
                },
                recv(timer) -> _ => self.release_answer()?,
            }
        }
        Ok(())
    }

    /// Obeys a command; breaks after `quit`.
    fn obey(&mut self, command: Command) -> io::Result<ControlFlow<()>> {
        match command {
            Command::Uci => self.introduce(false)?,
            Command::Ugi => self.introduce(true)?,
            Command::IsReady => self.ready(),
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::UciNewGame | Command::UgiNewGame => {
                if let Some(running) = &self.running {
                    self.report_error(running.refusal())?;
                } else {
                    self.search_thread.queue(Task::Forget);
                }
            }
            Command::Position(command) => {
                let seats = self.game.position().seats();
                if let Err(error) = self.game.set(command) {
                    self.report_error(&error)?;
                } else if self.game.position().seats() != seats {
                    self.prepare();
                }
            }
            Command::Go(go) => self.go(&go)?,
            // The position itself is the only leaf.
            Command::Perft(0) if self.running.is_none() => {
                self.say_lines("\nNodes searched: 1")?;
            }
            Command::Perft(depth) => self.start_work(Task::Perft(*self.game.position(), depth))?,
            Command::Bench(depth) => {
                self.start_work(Task::Bench(depth.unwrap_or(bench::DEFAULT_DEPTH)))?;
            }
            Command::Stop => self.stop()?,
            Command::PonderHit => self.ponder_hit()?,
            Command::Query(query) => {
                let words = answers::query(query, self.game.position());
                self.say(&Reply::Response(words))?;
            }
            Command::Quit => return Ok(ControlFlow::Break(())),
            Command::Display => self.say_lines(&answers::display(self.game.position()))?,
            Command::Eval => {
                self.say_lines(&answers::eval(
                    self.game.position(),
                    &self.options.preset(),
                    &self.evaluators,
                ))?;
            }
            Command::Help => self.say_lines(answers::HELP)?,
        }
        Ok(ControlFlow::Continue(()))
    }

    fn introduce(&mut self, speaks_ugi: bool) -> io::Result<()> {
        self.speaks_ugi = speaks_ugi;
        let name = format!("buxtehude {}", env!("CARGO_PKG_VERSION"));
        self.say(&Reply::IdName(name))?;
        self.say(&Reply::IdAuthor("the buxtehude authors".into()))?;
        for offer in Options::offers() {
            self.say(&Reply::Option(offer))?;
        }
        self.say(if speaks_ugi { &Reply::UgiOk } else { &Reply::UciOk })
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        if let Some(running) = &self.running {
            return self.report_error(running.refusal());
        }
        let before = self.options.clone();
        let set = self.options.set(name, value);
        match set.and_then(|effect| self.apply(effect).map(|()| effect)) {
            Ok(Effect::NewGame) => {
                let chosen = answers::variant(self.options.variant, self.game.position());
                self.inform(&chosen)
            }
            Ok(_) => Ok(()),
            Err(error) => {
                self.options = before;
                self.report_error(&error)
            }
        }
    }

    /// Brings the session in line with an option that was set.
    fn apply(&mut self, effect: Effect) -> Result<(), String> {
        match effect {
            Effect::None => return Ok(()),
            Effect::OpenLog => {
                let path = self.options.debug_log.as_deref();
                return self.log.write_to(path).map_err(|error| {
                    let path = path.unwrap_or(Path::new("")).display();
                    format!("option {DEBUG_LOG_FILE}: {path}: {error}, expected a writable file")
                });
            }
            Effect::ReplaceMemory => {
                let size = self.options.memory_size();
                let mebibytes = size.mebibytes;
                if Vec::<u8>::new().try_reserve_exact(mebibytes << 20).is_err() {
                    return Err(format!(
                        "option {HASH}: not enough memory for {mebibytes} MiB, expected a smaller size"
                    ));
                }
                self.search_thread.queue(Task::Replace(size));
            }
            Effect::LoadWeights => {
                let loaded = self.evaluators.load(self.options.eval_file.as_deref());
                loaded.map_err(|error| format!("option {EVAL_FILE}: {error}"))?;
                self.prepare();
            }
            Effect::NewGame => {
                self.game = LastPosition::new(self.options.variant);
                self.prepare();
            }
            Effect::Forget => {}
        }
        self.search_thread.queue(Task::Forget);
        Ok(())
    }

    /// Answers `isready` once the tables of the position's game exist and the search thread can begin, so that no clock
    /// runs meanwhile.
    fn ready(&mut self) {
        // The search of another position may have replaced the tables.
        self.prepare();
        self.is_ready_pending = true;
    }

    /// Builds the tables of the position's game before the next search, unless they exist.
    fn prepare(&mut self) {
        let position = *self.game.position();
        if self.running.is_some() {
            self.search_thread.prepare_meanwhile(position);
        } else {
            self.search_thread.queue(Task::Prepare(position));
        }
        self.preparing += 1;
    }

    fn finish_preparing(&mut self) -> io::Result<()> {
        self.preparing -= 1;
        if self.preparing == 0 && std::mem::take(&mut self.is_ready_pending) {
            return self.say(&Reply::ReadyOk);
        }
        Ok(())
    }

    /// Answers a line that is not a command. An empty line gets no answer.
    fn refuse_line(&mut self, error: &CommandError) -> io::Result<()> {
        if *error == CommandError::Empty {
            return Ok(());
        }
        self.report_error(&error.to_string())?;
        if error.is_go() { self.answer_refused_go() } else { Ok(()) }
    }

    fn report_error(&mut self, problem: &str) -> io::Result<()> {
        self.say(&error_reply(problem))
    }

    fn inform(&mut self, words: &str) -> io::Result<()> {
        self.say(&Reply::InfoString(words.into()))
    }

    fn say_lines(&mut self, text: &str) -> io::Result<()> {
        text.lines().try_for_each(|line| self.say(&Reply::Text(line.into())))
    }

    fn say(&mut self, reply: &Reply) -> io::Result<()> {
        let lines = format!("{reply}\n");
        self.log.lines_out(&lines);
        self.output.write_all(lines.as_bytes())?;
        self.output.flush()
    }
}

/// Default number of players.
const DEFAULT_PLAYERS: usize = 2;

/// The last `position` command, with the positions on its way.
struct LastPosition {
    variant: &'static Variant,
    start: Start,
    first: AnyPosition,
    /// Each word of the move list, with the position after it.
    steps: Vec<(String, AnyPosition)>,
}

impl LastPosition {
    fn new(variant: &'static Variant) -> LastPosition {
        #[expect(clippy::expect_used, reason = "every variant can be played by two")]
        let first = variant.start(DEFAULT_PLAYERS).expect("a game for two");
        LastPosition { variant, start: Start::Startpos { players: None }, first, steps: Vec::new() }
    }

    fn position(&self) -> &AnyPosition {
        self.steps.last().map_or(&self.first, |(_, after)| after)
    }

    /// Positions that a seat has moved from, in order, without the current one.
    fn past(&self) -> Vec<Past> {
        let after = self.steps.iter().map(|(_, after)| after);
        let before = std::iter::once(&self.first).chain(after).take(self.steps.len());
        before.filter_map(Past::of).collect()
    }

    /// Sets the position, and plays only the words that are new.
    ///
    /// # Errors
    /// A message that names the invalid field or word; the position is unchanged.
    fn set(&mut self, command: PositionCommand) -> Result<(), String> {
        let PositionCommand { start, moves } = command;
        let (first, known) = if start == self.start {
            let pairs = self.steps.iter().zip(&moves);
            let known = pairs.take_while(|((word, _), sent)| word == *sent).count();
            (self.first, known)
        } else {
            (self.first_of(&start).map_err(|error| error.to_string())?, 0)
        };
        let mut position = match self.steps.get(..known) {
            Some([.., (_, after)]) => *after,
            _ => first,
        };
        let mut new = Vec::new();
        for (number, word) in (1..).zip(moves).skip(known) {
            if let Err(reason) = position.play(&word) {
                let expected = match (&reason, position.turn()) {
                    // The reason names the legal words.
                    (ActionError::Unreadable { .. }, _) => String::new(),
                    (_, Turn::Over) => ", expected the end of the list".into(),
                    _ => format!(", expected {}", position.legal_actions().join(" ")),
                };
                return Err(format!("move {number} of the list: {reason}{expected}"));
            }
            new.push((word, position));
        }
        self.start = start;
        self.first = first;
        self.steps.truncate(known);
        self.steps.extend(new);
        Ok(())
    }

    /// Returns the position before the first word of a move list.
    fn first_of(&self, start: &Start) -> Result<AnyPosition, SetupError> {
        match start {
            Start::Startpos { players } => {
                self.variant.start(players.map_or(DEFAULT_PLAYERS, |players| players as usize))
            }
            Start::Fen(text) => self.variant.parse(text),
        }
    }
}

/// Copy of all lines in and out, in a file named by the client, if any; clones share it. The log ends at the first
/// failed write.
#[derive(Clone, Debug, Default)]
struct DebugLog {
    file: Arc<Mutex<Option<File>>>,
}

impl DebugLog {
    /// Starts a new file, or ends the log if `path` is `None`.
    ///
    /// # Errors
    /// The file cannot be created; the log stays as it was.
    fn write_to(&self, path: Option<&Path>) -> io::Result<()> {
        let file = path.map(File::create).transpose()?;
        *self.lock() = file;
        Ok(())
    }

    /// Logs a line from the client.
    fn line_in(&self, bytes: &[u8]) {
        self.write(b">> ", bytes);
    }

    /// Logs lines to the client, each with its newline.
    fn lines_out(&self, text: &str) {
        for line in text.lines() {
            self.write(b"<< ", line.as_bytes());
        }
    }

    fn write(&self, direction: &[u8], line: &[u8]) {
        let mut file = self.lock();
        if let Some(open) = file.as_mut() {
            // A single write, so that the line is complete in the file even if the program dies.
            if open.write_all(&[direction, line, b"\n"].concat()).is_err() {
                *file = None;
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, Option<File>> {
        self.file.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::go::{MemorySize, PANICKED};
    use super::*;

    #[test]
    fn a_panic_of_the_search_ends_the_session_with_an_error() {
        let (sender, ended) = mpsc::channel();
        thread::spawn(move || {
            let mut output = Vec::new();
            let mut session = Session::new(&mut output, DebugLog::default()).unwrap();
            // No list has room for this number of trees.
            session
                .search_thread
                .queue(Task::Replace(MemorySize { mebibytes: 1, threads: usize::MAX }));
            let (_client, commands) = bounded(1);
            let error = session.run(&commands).unwrap_err();
            drop(session);
            sender.send((error.to_string(), String::from_utf8(output).unwrap()))
        });
        let (error, output) = ended.recv_timeout(Duration::from_secs(60)).expect("an end");
        assert_eq!(error, PANICKED);
        assert_eq!(output, format!("info string error: {PANICKED}\n"));
    }
}
