//! The flags of the commands that play games, as typed; [`config`](crate::config) makes a match of them.

pub(crate) mod engines;
pub(crate) mod hints;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use buxtehude::rules::VARIANTS;
use clap::{Args, Command, Subcommand, ValueEnum};
use matches::plan::deck::Seed;
use matches::plan::rules::Rules;
use matches::plan::rules::external::RulesPlan;
use matches::plan::syntax::{
    Concurrency, Depth, MaxPlies, Milliseconds, MillisecondsOrZero, Positive, Seats, Stall,
    UpTo1000, some_text, text,
};
use matches::plan::{ClockLimit, EngineSpec, Isolate, Limit, LuckPlan};
use matches::run::exit::ExitError;
use matches::spelling::{join, quote};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use toml::{Table, Value};

pub(crate) use engines::EngineText;
pub use engines::{DEFAULT_LIMIT, engines_of, judge, local_engines, luck_engine, rules};

/// The keys of an engine, for help texts.
macro_rules! keys {
    () => {
        "\
KEYS OF --engine AND --each
  cmd=PROGRAM       program to start (a path is looked up in dir= first, a
                    name on the PATH)
  args='A B'        its arguments
  name=NAME         its name in tables and records
  dir=DIR           directory to start it in
  option.NAME=VALUE option to set (repeatable)
  movetime=MS       time for each move
  tc=[MOVES/][MINUTES:]SECONDS[+SECONDS]
                    clock, instead of movetime
  depth=PLIES, nodes=N
                    limits of each move
  margin=MS         margin by which it may exceed its time limit
  legal=on          send the legal moves as `searchmoves` with each `go`
  ponder=on         let it think on its opponent's time (two seats)
  restart=on|off    restart it for every game (default: on in tournaments)
  memory=MIB        memory limit of its process
  cpu=SECONDS       CPU time limit of its process
  processes=N       limit of its processes and threads (isolated engines only)
  filesize=MIB      size limit of each file that it writes
  net=off           no network (isolated engines only)
"
    };
}

/// Examples, broken by hand: if clap broke them before a backslash, they could not be copied.
macro_rules! match_examples {
    () => {
        "\
EXAMPLES
  arbiter match --players 3 --games 30 --movetime 20
  arbiter match --engine cmd=./mine legal=on --games 200 --tc 5+0.05 \\
                --engine cmd=./old option.Hash=16 args='-q 3'
  arbiter match --engine cmd=./a --engine cmd=./b --nodes 5000 \\
                --random-plies 6 --games 1000 --store match.db
  arbiter match --engine cmd=./new --engine cmd=./old --tc 2+0.02 \\
                --random-plies 6 --sprt elo0=0 elo1=5"
    };
}

/// `arbiter match`.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(after_help = match_examples!(), after_long_help = concat!(keys!(), "\n", match_examples!()))]
pub struct MatchArgs {
    /// Number of games, rounded up to whole blocks [default: one block; with --sprt at most 100000]
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub games: Option<Positive>,

    /// Test the first of two engines against the second; stop once the evidence favours H1, stronger by elo1 (exit code
    /// 10), or H0, stronger by elo0 (exit code 11); model is logistic or normalized; luck=on tests luck-adjusted scores
    /// [default: elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic luck=off]
    #[arg(long, value_name = "KEY=VALUE", num_args = 0.., help_heading = GAMES)]
    #[serde(deserialize_with = "some_words")]
    pub sprt: Option<Vec<String>>,

    /// Arguments common to matches and tournaments
    #[command(flatten)]
    #[serde(flatten)]
    pub common: GameArgs,
}

/// `arbiter tournament`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter tournament round-robin --rounds 100 --nodes 5000 --engine cmd=./a \\
                                 --engine cmd=./b --engine cmd=./c
  arbiter tournament gauntlet --players 3 --all-orders --engine cmd=./new \\
                              --engine cmd=./a --engine cmd=./b")]
pub struct TournamentArgs {
    /// Pairing system
    #[command(subcommand)]
    pub format: FormatArgs,
}

impl TournamentArgs {
    pub fn common(&self) -> &GameArgs {
        match &self.format {
            FormatArgs::RoundRobin(args) => &args.common,
            FormatArgs::Gauntlet(args) => &args.common,
        }
    }
}

/// The formats of a tournament.
#[derive(Debug, Subcommand)]
pub enum FormatArgs {
    /// Every combination of engines that fills the seats plays
    RoundRobin(RoundRobinArgs),
    /// One challenger per game plays every combination of the other engines
    Gauntlet(GauntletArgs),
}

/// `arbiter tournament round-robin`.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(after_long_help = concat!(keys!(), "
EXAMPLE
  arbiter tournament round-robin --rounds 100 --nodes 5000 --engine cmd=./a \\
                                 --engine cmd=./b --engine cmd=./c"))]
pub struct RoundRobinArgs {
    /// Number of rounds; in each, every combination of engines plays one block of games
    #[arg(long, value_name = "N", default_value = "1", help_heading = GAMES)]
    pub rounds: Positive,

    /// Arguments common to matches and tournaments
    #[command(flatten)]
    #[serde(flatten)]
    pub common: GameArgs,
}

/// `arbiter tournament gauntlet`.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(after_long_help = concat!(keys!(), "
EXAMPLE
  arbiter tournament gauntlet --players 3 --rounds 50 --engine cmd=./new \\
                              --engine cmd=./a --engine cmd=./b"))]
pub struct GauntletArgs {
    /// Number of rounds; in each, every challenger plays one block of games against every combination of the others
    #[arg(long, value_name = "N", default_value = "1", help_heading = GAMES)]
    pub rounds: Positive,

    /// Number of challengers; the first engines are the challengers
    #[arg(long, value_name = "N", default_value = "1", help_heading = GAMES)]
    pub challengers: Positive,

    /// Arguments common to matches and tournaments
    #[command(flatten)]
    #[serde(flatten)]
    pub common: GameArgs,
}

/// Arguments common to matches and tournaments.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
pub struct GameArgs {
    /// Read settings from a TOML file; flags on the command line override them. Its keys are the long flags;
    /// `[[engine]]` and `[each]` have the keys of --engine; paths are relative to the current directory
    #[arg(long, value_name = "FILE", help_heading = GAMES, hide_short_help = true)]
    #[serde(skip)]
    pub config: Option<PathBuf>,

    /// An engine and its settings, in several words or one in quotes (repeatable); without any, levels 10, 7 and 4 of
    /// the built-in engine play, or with --each copies of it
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", help_heading = ENGINES)]
    #[serde(deserialize_with = "texts_of_programs")]
    pub engine: Vec<String>,

    /// Settings shared by all engines; an engine's own take precedence, and options apply where they are offered
    #[arg(long, value_name = "KEY=VALUE...", help_heading = ENGINES)]
    #[serde(deserialize_with = "text_of_program")]
    pub each: Option<String>,

    /// Number of seats, 2 to 6
    #[arg(long, value_name = "N", default_value = "2", help_heading = GAMES)]
    pub players: Seats,

    /// Limits of engines that set none
    #[command(flatten)]
    #[serde(flatten)]
    pub limit: LimitArgs,

    /// The game to play
    #[command(flatten, next_help_heading = GAMES)]
    #[serde(flatten)]
    pub game: RulesArgs,

    /// Seed of all randomness; the same seed gives the same match. Engines can read a seed given here, and could guess
    /// a plain number [default: secret; kept in the store and printed at the end]
    #[arg(long, value_name = "N", help_heading = GAMES)]
    pub seed: Option<Seed>,

    /// File that holds the seed, a number or 32 hexadecimal digits; engines do not see it
    #[arg(long, value_name = "FILE", conflicts_with = "seed", help_heading = GAMES, hide_short_help = true)]
    pub seed_file: Option<PathBuf>,

    /// Games played concurrently
    #[arg(long, value_name = "N", default_value = "1", help_heading = RUNNING)]
    pub concurrency: Concurrency,

    /// Pin the engines of each concurrent game to a processor core of its own (Linux)
    #[arg(long, help_heading = RUNNING, hide_short_help = true)]
    pub pin: bool,

    /// Isolate engines, so that they can neither see nor signal each other or the arbiter: auto (if the kernel allows
    /// it), on or off (docs/security.md)
    #[arg(long, value_name = "CHOICE", default_value_t = Isolate::Auto, help_heading = RUNNING, hide_short_help = true)]
    #[serde(deserialize_with = "text::deserialize")]
    pub isolate: Isolate,

    /// Continue even if an engine's program is replaced during the match
    #[arg(long, help_heading = RUNNING, hide_short_help = true)]
    pub changed_engines: bool,

    /// Play each block in every seating of its engines instead of only the rotations of one
    #[arg(long, help_heading = GAMES, hide_short_help = true)]
    pub all_orders: bool,

    /// Openings of the games
    #[command(flatten)]
    #[serde(flatten)]
    pub openings: OpeningArgs,

    /// Print the schedule without playing
    #[arg(long, help_heading = GAMES, hide_short_help = true)]
    pub dry_run: bool,

    /// Positions that the built-in engine visits for each value, to measure the luck of the cards and report
    /// luck-adjusted results; "engine P%", with --luck-engine, in at most P % of the time of play; off; or after, alone
    /// or before N or engine, to measure once the last game is stored (docs/rating.md) [default: 300, or a fiftieth of
    /// the engines' nodes, but at least 20; 20 with --depth; with --luck-engine 100 %]
    #[arg(long, value_name = "N|off|engine|after", help_heading = RUNNING, hide_short_help = true)]
    #[serde(deserialize_with = "some_text::deserialize")]
    pub luck: Option<LuckPlan>,

    /// Engine that measures the luck instead, with the keys of --engine; it must give estimates
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", value_parser = luck_engine)]
    #[arg(help_heading = RUNNING, hide_short_help = true)]
    #[serde(deserialize_with = "some_engine")]
    pub luck_engine: Option<EngineSpec>,

    /// Output files
    #[command(flatten)]
    #[serde(flatten)]
    pub output: OutputArgs,

    /// Store the match in this new file, which `arbiter resume` can continue; `none` keeps nothing [default: none, but
    /// an unused match-N.db if no engine is named]
    #[arg(long, value_name = "FILE", help_heading = OUTPUT)]
    pub store: Option<PathBuf>,

    /// Margin by which an engine may exceed its time limit, in milliseconds
    ///
    /// [default: a twentieth of the time for a move, from 10 to 50; up to 50 while the arbiter itself lags]
    #[arg(long, value_name = "MS")]
    #[arg(help_heading = LIMITS, hide_short_help = true)]
    pub margin: Option<MillisecondsOrZero>,

    /// Longest thinking time of an engine limited by depth or nodes, in seconds
    #[arg(long, value_name = "SECONDS", default_value = "60")]
    #[arg(help_heading = LIMITS, hide_short_help = true)]
    pub stall: Stall,

    /// Timeout for `uciok` and for `readyok`, in milliseconds
    #[arg(long, value_name = "MS", default_value = "30000")]
    #[arg(help_heading = LIMITS, hide_short_help = true)]
    pub ready: Milliseconds,

    /// End a game after this many plies
    #[arg(long, value_name = "N", default_value = "1000")]
    #[arg(help_heading = EARLY_ENDS, hide_short_help = true)]
    pub max_plies: MaxPlies,

    /// End a two-seat game once the estimates of both engines have agreed on the winner for several moves in a row
    /// [default: moves=3 permille=950]
    #[arg(long, value_name = "KEY=VALUE", num_args = 0.., help_heading = EARLY_ENDS, hide_short_help = true)]
    #[serde(deserialize_with = "some_words")]
    pub resign: Option<Vec<String>>,

    /// End a game as soon as the rules determine its outcome (in a solved game, right after the opening)
    #[arg(long, help_heading = EARLY_ENDS, hide_short_help = true)]
    pub solved: bool,

    /// Retire an engine that loses this many games in a row through its own fault; 0 means never
    #[arg(long, value_name = "K", default_value = "3")]
    #[arg(help_heading = RUNNING, hide_short_help = true)]
    pub retire: UpTo1000,

    /// Pause between two games, in milliseconds
    #[arg(long, value_name = "MS", default_value = "0")]
    #[arg(help_heading = RUNNING, hide_short_help = true)]
    pub wait: MillisecondsOrZero,
}

no_flags!(MatchArgs, RoundRobinArgs, GauntletArgs, GameArgs);

/// `arbiter resume`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLE
  arbiter resume match.db --concurrency 4

Plays the missing games with the original settings and engines. If no game is
missing, exits with code 0 at once.")]
pub struct ResumeArgs {
    /// A store made with `arbiter match --store`
    #[arg(value_name = "FILE")]
    pub file: PathBuf,

    /// Games played concurrently [default: as at the start]
    #[arg(long, value_name = "N", value_parser = Concurrency::parse::<usize>)]
    pub concurrency: Option<usize>,

    /// Let retired engines play again
    #[arg(long)]
    pub forgive: bool,

    /// Continue even if an engine's program has changed since the start, or is replaced during the match
    #[arg(long)]
    pub changed_engines: bool,

    /// Run the programs that the store names although another user made it
    #[arg(long)]
    pub trust_commands: bool,

    /// Check all games by the rules as they are now, and play those anew that are wrong; for a rules program that has
    /// changed
    #[arg(long)]
    pub drop_wrong: bool,

    /// Engine that measures luck, if the match began with --luck-engine
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", value_parser = luck_engine)]
    pub luck_engine: Option<EngineSpec>,

    /// Output files
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `arbiter engine`.
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  arbiter engine
  arbiter engine go perft 5")]
pub struct EngineArgs {
    /// Arguments of the engine
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub args: Vec<String>,
}

impl GameArgs {
    /// `true` if the user names no engine, so that levels of the built-in one play.
    pub fn plays_levels(&self) -> bool {
        self.engine.is_empty() && self.each.is_none()
    }
}

// Headings of the help text.
const GAMES: &str = "Games";
const ENGINES: &str = "Engines";
const LIMITS: &str = "Limits";
const OPENINGS: &str = "Openings";
const RUNNING: &str = "Running";
const EARLY_ENDS: &str = "Early ends";
const OUTPUT: &str = "Output";

/// Output files of a running match.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = OUTPUT)]
pub struct OutputArgs {
    /// Log every line exchanged with the engines to this file, with time stamps
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub log: Option<PathBuf>,

    /// Append every finished game to this file, one JSON object per line
    #[arg(long, value_name = "FILE")]
    pub record: Option<PathBuf>,

    /// Stream all events of the match to this file, one JSON object per line (docs/formats.md)
    #[arg(long, value_name = "FILE", hide_short_help = true)]
    pub events: Option<PathBuf>,

    /// Print interim tables every N games
    #[arg(long, value_name = "N", hide_short_help = true)]
    pub report_every: Option<Positive>,

    /// Drop or finish running games on an interrupt (SIGINT, SIGTERM); a second interrupt drops them
    #[arg(long, value_name = "CHOICE", value_enum, default_value_t = OnInterrupt::Drop)]
    #[arg(hide_possible_values = true, help_heading = RUNNING, hide_short_help = true)]
    pub on_interrupt: OnInterrupt,
}

/// Values of `--on-interrupt`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnInterrupt {
    /// Drop running games
    Drop,
    /// Finish running games
    Finish,
}

/// Openings of the games.
#[derive(Debug, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = OPENINGS)]
pub struct OpeningArgs {
    /// File of openings, one per line: the text of a position, or the arguments of the protocol's `position`
    #[arg(long, value_name = "FILE")]
    pub openings: Option<Openings>,

    /// Order of the openings: sequential, or random by the seed
    #[arg(long, value_name = "ORDER", value_enum, default_value_t = OpeningOrder::Sequential)]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    pub openings_order: OpeningOrder,

    /// First opening to play, counted from 1 in that order
    #[arg(long, value_name = "N", default_value = "1", hide_short_help = true)]
    pub openings_start: Positive,

    /// Play at most this many plies of each opening
    #[arg(long, value_name = "K", hide_short_help = true)]
    pub openings_plies: Option<UpTo1000>,

    /// Random plies played after each opening
    #[arg(long, value_name = "K", default_value = "0")]
    pub random_plies: UpTo1000,
}

/// The file of `--openings`, or its lines in a settings file.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, expecting = "expected the name of a file, or a list of its lines")]
pub enum Openings {
    File(PathBuf),
    Lines(Vec<String>),
}

impl From<OsString> for Openings {
    fn from(path: OsString) -> Openings {
        Openings::File(path.into())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OpeningOrder {
    /// As in the file
    Sequential,
    /// Shuffled by the seed
    Random,
}

/// Limits of engines that set none: at most one time limit.
#[derive(Clone, Debug, Default, Args, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
#[command(next_help_heading = LIMITS)]
pub struct LimitArgs {
    /// Time for each move, in milliseconds [default: 100 if there is no other limit]
    #[arg(long, value_name = "MS")]
    pub movetime: Option<Milliseconds>,

    /// Plies to search for each move
    #[arg(long, value_name = "PLIES")]
    pub depth: Option<Depth>,

    /// Positions to visit for each move
    #[arg(long, value_name = "N")]
    pub nodes: Option<Positive>,

    /// Clock: seconds, increment in seconds per move, and moves to the next time control
    #[arg(long, value_name = "[MOVES/]SECONDS[+SECONDS]", conflicts_with = "movetime")]
    #[serde(deserialize_with = "some_text::deserialize")]
    pub tc: Option<ClockLimit>,
}

/// Arguments that choose the game.
#[derive(Debug, Args, Deserialize)]
#[serde(default)]
pub struct RulesArgs {
    /// Variant to play
    #[arg(long, value_name = "NAME", default_value = VARIANTS[0].name)]
    pub variant: String,

    /// Program that gives the rules of another game, with the keys cmd, args, name (of the game), dir and limits of
    /// --engine, and with variant and draws (docs/games.md)
    #[arg(long, value_name = "cmd=./x KEY=VALUE...", value_parser = rules, conflicts_with = "variant")]
    #[serde(deserialize_with = "some_rules")]
    pub rules: Option<RulesPlan>,
}

impl RulesArgs {
    /// Returns the rules of the game. A rules program does not run yet.
    ///
    /// # Errors
    /// [`ExitError`] about `--variant`.
    pub fn rules(&self) -> Result<Rules, ExitError> {
        let rules = match &self.rules {
            Some(plan) => Ok(Rules::external(plan.clone())),
            None => Rules::by_name(&self.variant),
        };
        rules.map_err(|error| ExitError::of_flag("variant", error))
    }
}

no_flags!(OutputArgs, OpeningArgs, RulesArgs);

impl LimitArgs {
    /// The limits given, combined; `None` without any.
    pub fn limit(&self) -> Option<Limit> {
        let movetime = self.movetime.map(|ms| Limit::movetime(Duration::from_millis(ms.0)));
        let clock = self.tc.map(Limit::of_clock);
        let depth = self.depth.map(|depth| Limit::depth(depth.0 as u32));
        let nodes = self.nodes.map(|nodes| Limit::nodes(nodes.0));
        [movetime, clock, depth, nodes].into_iter().flatten().reduce(Limit::or)
    }
}

// What a settings file has in place of flags: values that stand for the text of a flag, such as a table for `KEY=VALUE`
// words, and the defaults of flags that it lacks.

/// The arguments of a command line without flags.
fn without_flags<A: Args>() -> A {
    let command = A::augment_args(Command::new("flags"));
    let parsed =
        command.try_get_matches_from(["flags"]).and_then(|none| A::from_arg_matches(&none));
    // Cannot fail, since no flag is required.
    parsed.unwrap_or_else(|error| error.exit())
}

/// Gives settings that a file lacks the defaults of their flags.
macro_rules! no_flags {
    ($($args:ty),*) => {
        $(impl Default for $args {
            fn default() -> $args {
                crate::args::without_flags()
            }
        })*
    };
}
use no_flags;

/// Engines, each as a table or a text.
fn texts_of_programs<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<String>, D::Error> {
    let engines = match Value::deserialize(from)? {
        Value::Array(engines) => engines,
        engine => vec![engine],
    };
    let number_of_engines = engines.len();
    let text = |(index, engine): (usize, &Value)| {
        engine_text(engine).map_err(|reason| match number_of_engines {
            1 => D::Error::custom(reason),
            _ => D::Error::custom(format_args!("engine {}: {reason}", index + 1)),
        })
    };
    engines.iter().enumerate().map(text).collect()
}

/// The settings that all engines share, as a table or a text.
fn text_of_program<'de, D: Deserializer<'de>>(from: D) -> Result<Option<String>, D::Error> {
    engine_text(&Value::deserialize(from)?).map(Some).map_err(D::Error::custom)
}

/// An engine that measures luck, as a table or a text.
fn some_engine<'de, D: Deserializer<'de>>(from: D) -> Result<Option<EngineSpec>, D::Error> {
    let text = program_text(&Value::deserialize(from)?).map_err(D::Error::custom)?;
    luck_engine(&text).map(Some).map_err(D::Error::custom)
}

/// A rules program, as a table or a text.
fn some_rules<'de, D: Deserializer<'de>>(from: D) -> Result<Option<RulesPlan>, D::Error> {
    let text = program_text(&Value::deserialize(from)?).map_err(D::Error::custom)?;
    rules(&text).map(Some).map_err(D::Error::custom)
}

/// The words of a flag that takes any number of them: a table, a list or a text; `true` for none and `false` for no
/// flag.
fn some_words<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Vec<String>>, D::Error> {
    let words = match Value::deserialize(from)? {
        Value::Boolean(is_on) => return Ok(is_on.then(Vec::new)),
        Value::Table(table) => {
            let pairs = pairs(&table).map_err(D::Error::custom)?.into_iter();
            Some(pairs.map(|(key, value)| format!("{key}={value}")).collect())
        }
        Value::Array(values) => list(&values),
        value => scalar(&value).map(|word| vec![word]),
    };
    let expected = || D::Error::custom("expected true, false, a table, texts or numbers");
    words.map(Some).ok_or_else(expected)
}

/// The text of an engine, whose keys and values are checked.
fn engine_text(value: &Value) -> Result<String, String> {
    let text = program_text(value)?;
    EngineText::parse(&text).map_err(|reason| format!("{text}: {reason}"))?;
    Ok(text)
}

/// The text of a program: a table becomes `KEY=VALUE ...`, quoted as for a shell.
fn program_text(value: &Value) -> Result<String, String> {
    let Value::Table(table) = value else {
        let expected = "expected a table, or a text as on the command line";
        return scalar(value).ok_or_else(|| expected.to_string());
    };
    let word = |(name, value): (String, String)| {
        if quote(&name) == name {
            format!("{name}={}", quote(&value))
        } else {
            quote(&format!("{name}={value}"))
        }
    };
    Ok(pairs(table)?.into_iter().map(word).collect::<Vec<_>>().join(" "))
}

/// The pairs of key and value of a table. Keys of nested tables are joined by a dot; a list becomes one text of words.
fn pairs(table: &Table) -> Result<Vec<(String, String)>, String> {
    let mut pairs = Vec::new();
    for (key, value) in table {
        let unfit =
            |key: &str, value: &Value, expected: &str| format!("{key} = {value}: {expected}");
        match value {
            Value::Table(inner) => {
                for (name, value) in inner {
                    let key = format!("{key}.{name}");
                    let text =
                        value.as_bool().map(|value| value.to_string()).or_else(|| scalar(value));
                    let expected = "expected a text, a number, true or false";
                    let text = text.ok_or_else(|| unfit(&key, value, expected))?;
                    pairs.push((key, text));
                }
            }
            Value::Array(values) => {
                let expected = "expected a list of texts or numbers";
                let words = list(values).ok_or_else(|| unfit(key, value, expected))?;
                pairs.push((key.clone(), join(words.iter().map(String::as_str))));
            }
            Value::Boolean(true) => pairs.push((key.clone(), "on".to_string())),
            Value::Boolean(false) => pairs.push((key.clone(), "off".to_string())),
            value => {
                let expected = "expected a text, a number, true, false, or a list";
                let text = scalar(value).ok_or_else(|| unfit(key, value, expected))?;
                pairs.push((key.clone(), text));
            }
        }
    }
    Ok(pairs)
}

/// All values of a list as typed, or `None` if one of them cannot be typed.
fn list(values: &[Value]) -> Option<Vec<String>> {
    values.iter().map(scalar).collect()
}

/// A text or a number as typed; a text with a NUL cannot be.
fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => (!text.contains('\0')).then(|| text.clone()),
        Value::Integer(number) => Some(number.to_string()),
        Value::Float(number) => Some(number.to_string()),
        _ => None,
    }
}
