//! The arbiter's own time for a ply, in games between engines that answer at once: by built-in rules, and by the same
//! rules from a program.
//!
//! `cargo bench -p arbiter --bench turn [-- ROUNDS]`

use std::error::Error;
use std::fs;
use std::io::{BufRead, BufWriter, Write};
use std::time::{Duration, Instant};

use buxtehude::rules::VARIANTS;
use matches::plan::deck::Draws;
use matches::plan::rules::Rules;
use matches::plan::rules::external::RulesPlan;
use matches::plan::schedule::{ScheduledGame, SeatedEngine};
use matches::plan::{EngineSpec, Limit, Opening, Plan, RefereeLimits};
use matches::play::engine::{Engine, Placement};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::referee::{Game, Referee};
use matches::play::rules::connect;
use rustix::time::{ClockId, clock_gettime};

type Outcome<T> = Result<T, Box<dyn Error>>;

/// Argument that makes this program an engine that answers at once.
const INSTANT_ENGINE: &str = "instant-engine";
/// Argument that makes the engine a rules program.
const RULES: &str = "rules";
const SEATS: usize = 2;
/// Plies of a typical game.
const PLIES: u32 = 120;
const GAMES: u64 = 20;
const DEFAULT_ROUNDS: usize = 9;

fn main() -> Outcome<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.iter().any(|argument| argument == INSTANT_ENGINE) {
        return answer_at_once();
    }
    let rounds: usize =
        arguments.iter().find_map(|argument| argument.parse().ok()).unwrap_or(DEFAULT_ROUNDS);

    println!("{rounds} rounds of {GAMES} games of {PLIES} plies, {SEATS} seats; medians a ply");
    for (name, rules) in [("built-in", (&VARIANTS[0]).into()), ("program ", program()?)] {
        let plan = plan(rules)?;
        let mut times = (0..rounds).map(|_| play_games(&plan)).collect::<Outcome<Vec<Time>>>()?;
        let [wall, cpu, rules_cpu] = medians(&mut times);
        println!(
            "{name}: {wall:.1} us wall, {cpu:.1} us CPU, {rules_cpu:.1} us CPU of the program"
        );
    }
    Ok(())
}

/// Wall time of one round, and CPU time of this process and of the rules program.
#[derive(Clone, Copy)]
struct Time {
    wall: Duration,
    cpu: Duration,
    rules_cpu: Duration,
}

/// Measures from here to [`Stopwatch::stop`].
struct Stopwatch {
    wall: Instant,
    cpu: Duration,
    rules_cpu: Duration,
}

impl Stopwatch {
    fn start() -> Outcome<Stopwatch> {
        Ok(Stopwatch { rules_cpu: rules_cpu_time()?, wall: Instant::now(), cpu: cpu_time() })
    }

    fn stop(self) -> Outcome<Time> {
        Ok(Time {
            wall: self.wall.elapsed(),
            cpu: cpu_time().saturating_sub(self.cpu),
            rules_cpu: rules_cpu_time()?.saturating_sub(self.rules_cpu),
        })
    }
}

fn cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}

/// CPU time of the rules program, which this thread has started; zero before.
fn rules_cpu_time() -> Outcome<Duration> {
    let mut sum = Duration::ZERO;
    for child in fs::read_to_string("/proc/thread-self/children")?.split_whitespace() {
        let command = fs::read_to_string(format!("/proc/{child}/cmdline"))?;
        if command.split('\0').any(|argument| argument == RULES) {
            let nanoseconds = fs::read_to_string(format!("/proc/{child}/schedstat"))?;
            let nanoseconds = nanoseconds.split_whitespace().next().unwrap_or_default();
            sum += Duration::from_nanos(nanoseconds.parse()?);
        }
    }
    Ok(sum)
}

/// Microseconds a ply: wall, CPU and CPU of the rules program.
fn medians(times: &mut [Time]) -> [f64; 3] {
    let plies = (GAMES * u64::from(PLIES)) as f64;
    let mut median = |of: fn(&Time) -> Duration| {
        times.sort_by_key(of);
        of(&times[times.len() / 2]).as_secs_f64() * 1e6 / plies
    };
    [median(|time| time.wall), median(|time| time.cpu), median(|time| time.rules_cpu)]
}

/// The first variant's rules from the engine as a rules program.
fn program() -> Outcome<Rules> {
    let arguments = format!("engine {RULES} {}", VARIANTS[0].name);
    let rules = Rules::external(RulesPlan {
        program: EngineSpec {
            args: arguments.split(' ').map(str::to_string).collect(),
            ..EngineSpec::new("x", env!("CARGO_BIN_EXE_arbiter"), Limit::default())
        },
        uci_variant: VARIANTS[0].name.to_string(),
        draws: Draws::Game,
    });
    if let Some(game) = rules.program() {
        let timeout = RefereeLimits::default().ready;
        connect(game, None, timeout, &Log::none(), &Interrupt::new())?;
    }
    Ok(rules)
}

fn plan(rules: Rules) -> Outcome<Plan> {
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
        referee_limits: RefereeLimits { max_plies: PLIES, ..RefereeLimits::default() },
        ..Plan::new(rules, SEATS, engines)
    })
}

/// Plays the games with the arbiter.
fn play_games(plan: &Plan) -> Outcome<Time> {
    let interrupt = Interrupt::new();
    let mut engines = Vec::new();
    for (copy, spec) in plan.engines.iter().enumerate() {
        let engine = Engine::start(
            spec,
            plan.rules.uci_variant(),
            Placement { copy, ..Placement::anywhere(None) },
            plan.referee_limits.ready,
            &Log::none(),
            &interrupt,
        )?;
        engines.push(Some(engine));
    }
    let mut game = ScheduledGame {
        number: 0,
        block: 1,
        seats: (0..SEATS).map(|engine| SeatedEngine { engine, copy: 0 }).collect(),
        opening: Opening::usual(SEATS),
        deck_seed: 0.into(),
    };
    let mut records = Vec::new();
    let stopwatch = Stopwatch::start()?;
    for number in 1..=GAMES {
        game.number = number;
        game.deck_seed = number.into();
        records.push(Game::new(&game, Referee::new(plan, &interrupt))?.play(&mut engines)?);
    }
    let time = stopwatch.stop()?;
    for record in &records {
        if record.turns.len() != PLIES as usize {
            return Err(format!("a game of other length: {record:?}").into());
        }
    }
    Ok(time)
}

/// Runs an engine that plays the first of the listed moves.
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
