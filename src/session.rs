//! One client: its commands in, the engine's replies out.
//!
//! The session's own thread is the only one that speaks. A reader thread turns lines into commands, the
//! search thread turns tasks into events, and the session takes whichever comes first; so it answers
//! `isready` at once while a search runs, and no two lines are ever mixed.

#![deny(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::todo)]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod answers;
mod clock;
mod debug_log;
mod going;
mod options;
mod position;
mod query;
mod worker;

use std::io::{self, BufRead, BufReader, Cursor, Write};
use std::process::ExitCode;
use std::thread;
use std::time::Instant;

use crossbeam_channel::{Receiver, Sender, after, bounded, never, select_biased};

use crate::eval::Evaluators;
use crate::protocol::{BestMove, Command, CommandError, LineReader, Reply};
use debug_log::DebugLog;
use going::Running;
use options::{OptionError, Options};
use position::Game;
use worker::{Event, Worker};

/// Commands that may wait to be taken; beyond them the client waits. Few, since a command may be a long list.
const WAITING_COMMANDS: usize = 4;

/// The longest complaint, in characters.
const LONGEST_COMPLAINT: usize = 1000;

/// Serves a client on standard input and output, or, where there are arguments, runs them as one command.
///
/// # Returns
/// Success; [`REFUSED`] where the arguments are no command, which standard error is told; failure where the streams
/// fail otherwise than by being closed.
pub fn serve_stdio(arguments: &[String]) -> ExitCode {
    let output = io::stdout();
    if arguments.is_empty() {
        return exit_code(serve(BufReader::new(io::stdin()), output));
    }
    let text = arguments.join(" ");
    match text.parse::<Command>() {
        Ok(_) => exit_code(serve(Cursor::new(text), output)),
        Err(error) => {
            complain_on_stderr(&error);
            ExitCode::from(REFUSED)
        }
    }
}

/// The exit code of a program that was given words that are no command.
pub const REFUSED: u8 = 2;

fn exit_code(served: io::Result<()>) -> ExitCode {
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            complain_on_stderr(&error);
            ExitCode::FAILURE
        }
    }
}

fn complain_on_stderr(problem: &dyn std::error::Error) {
    // Nobody is left to tell, should this fail too.
    let _ = writeln!(io::stderr(), "buxtehude: {problem}");
}

/// Serves one client until it quits, its input ends, or its output is closed.
///
/// With its input ended, what it asked for is finished; what would wait for a word of it gives its answer at once.
/// The thread that reads `input` ends with it.
///
/// # Errors
/// Where the output fails otherwise than by being closed, or the system has no threads to give.
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
    match session.run(&commands) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        ended => ended,
    }
}

/// Sends every line as a command or as the reason why it is none, until the input or the session ends.
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

/// Whether to go on after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    Continue,
    Quit,
}

struct Session<W> {
    output: W,
    log: DebugLog,
    options: Options,
    /// Whether the client greeted with `ugi` last: then a `bestmove` is its move alone.
    speaks_ugi: bool,
    /// Whether the client asked for details.
    debug: bool,
    game: Game,
    worker: Worker,
    evaluators: Evaluators,
    /// Tables that the search thread still has to make.
    preparing: usize,
    /// Whether an `isready` came meanwhile.
    ready_owed: bool,
    running: Option<Running>,
}

impl<W: Write> Session<W> {
    fn new(output: W, log: DebugLog) -> io::Result<Session<W>> {
        let options = Options::default();
        let evaluators = Evaluators::default();
        let worker = Worker::start(options.memory_size(), evaluators.clone())?;
        let game = Game::start_of(options.variant);
        let mut session = Session {
            preparing: 0,
            ready_owed: false,
            output,
            log,
            options,
            speaks_ugi: false,
            debug: false,
            game,
            worker,
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
            let events = self.worker.events().clone();
            let release = self.running.as_ref().and_then(Running::release_time);
            // The answer to `stop` is due at once: what comes behind it waits for that, and may be a `go`. And
            // nothing that comes behind an `isready` is answered before it.
            let stopping = self.running.as_ref().is_some_and(Running::is_stopping);
            let waiting = stopping || self.ready_owed;
            let taken = if waiting { &never() } else { &commands };
            let timer = release.map_or(never(), |at| after(at - Instant::now().min(at)));
            select_biased! {
                recv(events) -> event => if let Ok(event) = event {
                    self.take_event(event)?;
                },
                recv(taken) -> command => match command {
                    Ok(Ok(command)) => if self.obey(command)? == Flow::Quit {
                        return Ok(());
                    },
                    Ok(Err(error)) => self.refuse_line(&error)?,
                    Err(_) => {
                        at_end_of_input = true;
                        commands = never();
                        self.wait_no_more()?;
                    }
                },
                recv(timer) -> _ => self.release_answer()?,
            }
        }
        Ok(())
    }

    fn obey(&mut self, command: Command) -> io::Result<Flow> {
        match command {
            Command::Uci => self.introduce(false)?,
            Command::Ugi => self.introduce(true)?,
            Command::Debug(on) => self.debug = on,
            Command::IsReady => self.ready()?,
            Command::SetOption { name, value } => self.set_option(&name, value.as_deref())?,
            Command::UciNewGame | Command::UgiNewGame => {
                if self.running.is_some() {
                    self.complain(going::BUSY)?;
                } else {
                    self.worker.forget();
                }
            }
            Command::Position(command) => match self.game.after(&command) {
                Ok(game) => {
                    let seats = self.game.position().seats();
                    self.game = game;
                    if self.game.position().seats() != seats && self.running.is_none() {
                        self.prepare();
                    }
                    if self.debug {
                        self.inform(&format!("position {}", self.game.position()))?;
                    }
                }
                Err(error) => self.complain(&error.to_string())?,
            },
            Command::Go(go) => self.go(&go)?,
            Command::Perft(depth) => self.perft(depth)?,
            Command::Bench(depth) => self.bench(depth)?,
            Command::Solve => self.solve()?,
            Command::Stop => self.stop()?,
            Command::PonderHit => self.ponder_hit()?,
            Command::Query(query) => {
                let words = query::response(query, self.game.position());
                self.say(&Reply::Response(words))?;
            }
            Command::Quit => return Ok(Flow::Quit),
            Command::Display => self.say_lines(&answers::display(self.game.position()))?,
            Command::Eval => {
                self.say_lines(&answers::eval(
                    self.game.position(),
                    &self.options.preset(),
                    &self.evaluators,
                ))?;
            }
            Command::Compiler => self.say_lines(&answers::compiler())?,
            Command::Help => self.say_lines(answers::HELP)?,
        }
        Ok(Flow::Continue)
    }

    fn introduce(&mut self, speaks_ugi: bool) -> io::Result<()> {
        self.speaks_ugi = speaks_ugi;
        let name = format!("buxtehude {}", env!("CARGO_PKG_VERSION"));
        self.say(&Reply::IdName(name))?;
        self.say(&Reply::IdAuthor("the buxtehude authors".into()))?;
        for offer in Options::offers() {
            self.say(&Reply::Option(offer))?;
        }
        self.say(if speaks_ugi {
            &Reply::UgiOk
        } else {
            &Reply::UciOk
        })
    }

    fn set_option(&mut self, name: &str, value: Option<&str>) -> io::Result<()> {
        if self.running.is_some() {
            return self.complain(going::BUSY);
        }
        let before = self.options.clone();
        if let Err(error) = self.options.set(name, value) {
            return self.complain(&error.to_string());
        }
        if Options::is_eval_file(name) {
            if let Err(error) = self.use_eval_file() {
                self.options = before;
                return self.complain(&error.to_string());
            }
            self.prepare();
        }
        if Options::is_debug_log(name) {
            let opened = self.log.write_to(self.options.debug_log.as_deref());
            if let Err(error) = opened {
                let path = self.options.debug_log.take().unwrap_or_default();
                self.options = before;
                let refused = OptionError::DebugLog { path, error };
                return self.complain(&refused.to_string());
            }
        }
        if self.options.memory_size() != before.memory_size() {
            self.worker.replace_memory(self.options.memory_size());
        } else if !Options::is_of_no_matter_to_memory(name) {
            self.worker.forget();
        }
        if Options::is_variant(name) {
            self.game = Game::start_of(self.options.variant);
            self.prepare();
            let chosen = answers::variant(self.options.variant, self.game.position());
            self.inform(&chosen)?;
        }
        Ok(())
    }

    /// Evaluates by the file of weights that is set, or by what comes with the engine.
    fn use_eval_file(&self) -> Result<(), OptionError> {
        match &self.options.eval_file {
            Some(path) => self.evaluators.load(path)?,
            None => self.evaluators.use_shipped(),
        }
        Ok(())
    }

    /// Answers `isready` at once, but for the first moments, in which tables are made: so that no clock
    /// runs while they are.
    fn ready(&mut self) -> io::Result<()> {
        if self.preparing > 0 {
            self.ready_owed = true;
            return Ok(());
        }
        self.say(&Reply::ReadyOk)
    }

    /// Has the tables of the position's game made, before the next search.
    fn prepare(&mut self) {
        self.worker.prepare(*self.game.position());
        self.preparing += 1;
    }

    fn finish_preparing(&mut self) -> io::Result<()> {
        self.preparing -= 1;
        if self.preparing == 0 && std::mem::take(&mut self.ready_owed) {
            return self.ready();
        }
        Ok(())
    }

    /// Answers a line that is no command. An empty one deserves no answer.
    fn refuse_line(&mut self, error: &CommandError) -> io::Result<()> {
        if *error == CommandError::Empty {
            return Ok(());
        }
        self.complain(&error.to_string())?;
        if error.is_go() {
            self.answer_refused_go()
        } else {
            Ok(())
        }
    }

    fn answer_refused_go(&mut self) -> io::Result<()> {
        if self.running.is_some() {
            return Ok(());
        }
        self.answer_go(BestMove {
            best: None,
            ponder: None,
            estimate: Vec::new(),
        })
    }

    /// Gives the answer to a `go`. In UGI that is a move and no more; its clients look for a line of two words.
    fn answer_go(&mut self, mut answer: BestMove) -> io::Result<()> {
        if self.speaks_ugi {
            answer.ponder = None;
            answer.estimate.clear();
        }
        self.say(&Reply::BestMove(answer))
    }

    fn take_event(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Prepared => self.finish_preparing(),
            Event::Report(report) => self.report(report),
            Event::Answer(answer) => self.take_answer(answer),
            Event::Perft(counts) => self.finish_perft(counts),
            Event::Bench(result) => self.finish_bench(result),
            Event::Solved(solved) => self.finish_solve(&solved),
        }
    }

    /// Says what is wrong. A complaint that quotes a long line is shortened in the middle: it begins with
    /// what was wrong and ends with what was expected.
    fn complain(&mut self, problem: &str) -> io::Result<()> {
        let characters = problem.chars().count();
        if characters <= LONGEST_COMPLAINT {
            return self.inform(&format!("error: {problem}"));
        }
        let half = LONGEST_COMPLAINT / 2;
        let start: String = problem.chars().take(half).collect();
        let end: String = problem.chars().skip(characters - half).collect();
        self.inform(&format!("error: {start} ... {end}"))
    }

    fn inform(&mut self, words: &str) -> io::Result<()> {
        self.say(&Reply::Say(words.into()))
    }

    fn say_lines(&mut self, text: &str) -> io::Result<()> {
        text.lines()
            .try_for_each(|line| self.say(&Reply::Text(line.into())))
    }

    fn say(&mut self, reply: &Reply) -> io::Result<()> {
        let lines = format!("{reply}\n");
        self.log.lines_out(&lines);
        self.output.write_all(lines.as_bytes())?;
        self.output.flush()
    }
}
