//! The arbiter's own time for a ply: games between engines that answer at once, beside a bare loop over
//! pipes that says and hears the same, in the same run.
//!
//! `cargo bench -p arbiter --bench turn [-- ROUNDS]`

use std::error::Error;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use buxtehude::rules::{Turn, VARIANTS};
use matches::plan::schedule::{ScheduledGame, SeatedEngine};
use matches::plan::{EngineSpec, Limit, Patience, Plan};
use matches::play::engine::{Engine, Placement};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::referee::Referee;
use matches::record::GameRecord;
use rustix::time::{ClockId, clock_gettime};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// The argument with which this program is an engine that answers at once.
const INSTANT_ENGINE: &str = "instant-engine";
const SEATS: usize = 2;
/// About as long as a game of sensible players.
const PLIES: u32 = 120;
const GAMES: u64 = 20;
const DEFAULT_ROUNDS: usize = 9;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == INSTANT_ENGINE) {
        return answer_at_once();
    }
    let rounds = arguments.iter().find_map(|argument| argument.parse().ok());
    let rounds: usize = rounds.unwrap_or(DEFAULT_ROUNDS);

    let plan = plan()?;
    let (mut refereed, mut bare) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let (time, records) = play_games(&plan)?;
        refereed.push(time);
        let exchanges = records
            .iter()
            .map(exchanges_of)
            .collect::<Outcome<Vec<_>>>()?;
        bare.push(exchange(&exchanges)?);
    }
    println!("{rounds} rounds of {GAMES} games of {PLIES} plies, {SEATS} seats; medians a ply");
    let [wall, cpu] = medians(&mut refereed);
    let [bare_wall, bare_cpu] = medians(&mut bare);
    println!("arbiter    {wall:6.1} us wall   {cpu:6.1} us CPU");
    println!("bare loop  {bare_wall:6.1} us wall   {bare_cpu:6.1} us CPU");
    println!(
        "ratio      {:6.2}           {:6.2}",
        wall / bare_wall,
        cpu / bare_cpu
    );
    Ok(())
}

/// Wall and CPU time of this process for one round.
#[derive(Clone, Copy)]
struct Time {
    wall: Duration,
    cpu: Duration,
}

/// Measures from here to [`Stopwatch::stop`].
struct Stopwatch {
    wall: Instant,
    cpu: Duration,
}

impl Stopwatch {
    fn start() -> Stopwatch {
        Stopwatch {
            wall: Instant::now(),
            cpu: cpu_time(),
        }
    }

    fn stop(self) -> Time {
        Time {
            wall: self.wall.elapsed(),
            cpu: cpu_time().saturating_sub(self.cpu),
        }
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// Microseconds a ply: wall and CPU.
fn medians(times: &mut [Time]) -> [f64; 2] {
    let plies = (GAMES * u64::from(PLIES)) as f64;
    let mut median = |of: fn(&Time) -> Duration| {
        times.sort_by_key(of);
        of(&times[times.len() / 2]).as_secs_f64() * 1e6 / plies
    };
    [median(|time| time.wall), median(|time| time.cpu)]
}

fn plan() -> Outcome<Plan> {
    let engine = |seat| -> Outcome<EngineSpec> {
        let limit = Limit::movetime(Duration::from_millis(1000));
        Ok(EngineSpec {
            args: vec![INSTANT_ENGINE.to_string()],
            legal: true,
            ..EngineSpec::new(&format!("instant {seat}"), std::env::current_exe()?, limit)
        })
    };
    let engines = (1..=SEATS).map(engine).collect::<Outcome<Vec<_>>>()?;
    Ok(Plan {
        games: GAMES,
        patience: Patience {
            max_plies: PLIES,
            ..Patience::default()
        },
        ..Plan::new(&VARIANTS[0], SEATS, engines)
    })
}

/// Plays the games with the arbiter.
fn play_games(plan: &Plan) -> Outcome<(Time, Vec<GameRecord>)> {
    let interrupt = Interrupt::new();
    let mut engines = Vec::new();
    for (copy, spec) in plan.engines.iter().enumerate() {
        let engine = Engine::start(
            spec,
            plan.variant,
            Placement {
                copy,
                ..Placement::default()
            },
            plan.patience.ready,
            &Log::none(),
            &interrupt,
        )?;
        engines.push(Some(engine));
    }
    let mut game = ScheduledGame {
        number: 0,
        block: 1,
        seats: (0..SEATS)
            .map(|engine| SeatedEngine { engine, copy: 0 })
            .collect(),
        start: None,
        opening: Vec::new(),
        deck_seed: 0.into(),
    };
    let mut records = Vec::new();
    let stopwatch = Stopwatch::start();
    for number in 1..=GAMES {
        game.number = number;
        game.deck_seed = number.into();
        records.push(Referee::new(plan, &interrupt).play(&game, &mut engines)?);
    }
    let time = stopwatch.stop();
    for record in &records {
        if record.turns.len() != PLIES as usize {
            return Err(format!("a game of other length: {record:?}").into());
        }
    }
    Ok((time, records))
}

/// What was sent to the engines in a game, ply by ply, in seat order.
fn exchanges_of(record: &GameRecord) -> Outcome<Vec<String>> {
    let mut position = VARIANTS[0].parse(&record.start)?;
    let mut line = "position startpos".to_string();
    let mut exchanges = Vec::new();
    for word in record.moves.split(' ') {
        if let Turn::Seat(_) = position.turn() {
            let moves = position.legal_actions().join(" ");
            exchanges.push(format!("{line}\ngo movetime 1000 searchmoves {moves}\n"));
        }
        position.play(word)?;
        line.push_str(if line.ends_with("startpos") {
            " moves "
        } else {
            " "
        });
        line.push_str(word);
    }
    Ok(exchanges)
}

/// Says the same to the same engines, and reads their answers as far as the newline.
fn exchange(games: &[Vec<String>]) -> Outcome<Time> {
    let mut engines = (0..SEATS)
        .map(|_| BareEngine::start())
        .collect::<Outcome<Vec<_>>>()?;
    let mut answer = String::new();
    let stopwatch = Stopwatch::start();
    for game in games {
        for (ply, text) in game.iter().enumerate() {
            let engine = &mut engines[ply % SEATS];
            engine.stdin.write_all(text.as_bytes())?;
            answer.clear();
            engine.stdout.read_line(&mut answer)?;
            if !answer.starts_with("bestmove ") {
                return Err(format!("answered {answer:?} to {text:?}").into());
            }
        }
    }
    let time = stopwatch.stop();
    for mut engine in engines {
        drop(engine.stdin);
        engine.child.wait()?;
    }
    Ok(time)
}

/// An engine at the other end of two blocking pipes.
struct BareEngine {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
}

impl BareEngine {
    fn start() -> Outcome<BareEngine> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg(INSTANT_ENGINE)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let stdin = child.stdin.take().ok_or("no input")?;
        let stdout = child.stdout.take().ok_or("no output")?;
        Ok(BareEngine {
            child,
            stdin,
            stdout: BufReader::new(stdout),
        })
    }
}

/// Is an engine: answers the first of the moves listed.
fn answer_at_once() -> Outcome<()> {
    let mut input = std::io::stdin().lock();
    let mut output = BufWriter::new(std::io::stdout().lock());
    let mut line = String::new();
    while input.read_line(&mut line)? > 0 {
        let text = line.trim_end();
        if let Some((_, moves)) = text.split_once(" searchmoves ") {
            let first = moves.split(' ').next().unwrap_or("(none)");
            writeln!(output, "bestmove {first}")?;
        } else if text == "uci" {
            writeln!(output, "id name instant\nuciok")?;
        } else if text == "isready" {
            writeln!(output, "readyok")?;
        } else if text == "quit" {
            return Ok(());
        }
        output.flush()?;
        line.clear();
    }
    Ok(())
}
