//! From what is typed to what is meant: a [`Plan`] in which every field is sensible.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use buxtehude::rules::{SetupError, UnknownVariant, Variant};
use thiserror::Error;

use super::engine_text::{EngineText, EngineTextError};
use super::{LimitArgs, MatchArgs};
use crate::openings::{self, OpeningsError};
use crate::plan::{EngineSpec, Limit, Opening, Patience, Plan};
use crate::score::{Sprt, SprtTextError};

/// The name of the engine that plays where none is named.
const BUILT_IN: &str = "buxtehude";

/// The limit where none is named.
const DEFAULT_LIMIT: Limit = Limit::Movetime(Duration::from_millis(100));

/// The games of a test where their number is not named.
const MOST_GAMES_OF_A_TEST: u64 = 100_000;

/// How long engines have for `uciok` and `readyok`.
const READY_PATIENCE: Duration = Duration::from_secs(10);

/// Why the arguments make no plan. Each message begins with the flag at fault.
#[derive(Debug, Error)]
pub enum ArgsError {
    /// The variant does not exist.
    #[error("--variant: {0}")]
    Variant(#[from] UnknownVariant),
    /// The variant is not for so many players.
    #[error("--players: {0}")]
    Players(#[from] SetupError),
    /// An engine's string is wrong.
    #[error("--engine {text:?}: {reason}")]
    Engine {
        /// The string.
        text: String,
        /// What is wrong with it.
        reason: EngineTextError,
    },
    /// The shared string is wrong.
    #[error("--each {text:?}: {reason}")]
    Each {
        /// The string.
        text: String,
        /// What is wrong with it.
        reason: EngineTextError,
    },
    /// The shared string has a name.
    #[error("--each {text:?}: name= cannot be shared, engines need different names")]
    SharedName {
        /// The string.
        text: String,
    },
    /// An engine without a program.
    #[error("--engine {text:?}: cmd= is missing, expected cmd=PROGRAM here or in --each")]
    NoCommand {
        /// The string.
        text: String,
    },
    /// Two engines with one name.
    #[error("--engine: two engines are called {name:?}, expected a different name= for each")]
    SameName {
        /// The name.
        name: String,
    },
    /// The arbiter does not know where its own program is.
    #[error("--engine: the built-in engine cannot be started, expected one named here: {0}")]
    OwnProgram(io::Error),
    /// The directory of an engine does not exist.
    #[error("--engine {text:?}: dir={}: expected a directory", dir.display())]
    Directory {
        /// The string.
        text: String,
        /// The directory.
        dir: PathBuf,
    },
    /// Two outputs would overwrite each other.
    #[error("--{flag}: expected another file than that of --{other}")]
    SameFile {
        /// The flag of one.
        flag: &'static str,
        /// The flag of the other.
        other: &'static str,
    },
    /// The openings are wrong.
    #[error("--openings: {0}")]
    Openings(#[from] OpeningsError),
    /// The test is wrong.
    #[error("--sprt {text:?}: {reason}")]
    Sprt {
        /// The words, joined by blanks.
        text: String,
        /// What is wrong with them.
        reason: SprtTextError,
    },
    /// A test of more or fewer than two engines.
    #[error("--sprt: a test is between two engines, expected two --engine, found {engines}")]
    SprtEngines {
        /// The number of engines.
        engines: usize,
    },
    /// There are too many games to count.
    #[error("--games: {games} is too many")]
    Games {
        /// The number of games.
        games: u64,
    },
}

/// Makes a plan of what was typed, and a list of remarks on what was changed in doing so.
///
/// # Errors
/// [`ArgsError`] names the flag, what was given and what is accepted.
pub fn plan(args: &MatchArgs) -> Result<(Plan, Vec<String>), ArgsError> {
    let variant = Variant::by_name(&args.variant)?;
    let seats = args.players;
    variant.start(seats)?;
    check_files(args)?;
    let mut remarks = Vec::new();
    let sprt = sprt(args)?;
    let asked = args
        .games
        .or(sprt.map(|_| MOST_GAMES_OF_A_TEST.next_multiple_of(seats as u64)));
    let games = whole_blocks(asked, seats, &mut remarks)?;
    let openings = match &args.openings {
        Some(path) => openings::read(path, variant, seats)?,
        None => vec![Opening::default()],
    };
    let plan = Plan {
        variant,
        seats,
        engines: engines(args)?,
        games,
        seed: args.seed.unwrap_or_else(random_seed),
        concurrency: args.concurrency,
        random_plies: args.random_plies,
        openings,
        patience: Patience {
            ready: READY_PATIENCE,
            margin: Duration::from_millis(args.margin),
            stall: Duration::from_secs(args.stall),
            max_plies: args.max_plies,
        },
        sprt,
        log: args.log.clone(),
        record: args.record.clone(),
    };
    remarks.extend(sameness(&plan));
    Ok((plan, remarks))
}

/// No two of the files that are written are one.
fn check_files(args: &MatchArgs) -> Result<(), ArgsError> {
    let (log, record, store) = (
        ("log", &args.log),
        ("record", &args.record),
        ("store", &args.store),
    );
    for ((flag, file), (other, other_file)) in [(record, log), (store, log), (store, record)] {
        if file.is_some() && file == other_file {
            return Err(ArgsError::SameFile { flag, other });
        }
    }
    Ok(())
}

/// Rounds a number of games up to whole blocks.
fn whole_blocks(
    asked: Option<u64>,
    seats: usize,
    remarks: &mut Vec<String>,
) -> Result<u64, ArgsError> {
    let block = seats as u64;
    let asked = asked.unwrap_or(block);
    let games = asked.checked_next_multiple_of(block);
    let games = games.ok_or(ArgsError::Games { games: asked })?;
    if games != asked {
        remarks.push(format!(
            "--games {asked} is rounded up to {games}: whole blocks of {block} games, each opening in every seat rotation"
        ));
    }
    Ok(games)
}

/// The test, if one is asked for.
fn sprt(args: &MatchArgs) -> Result<Option<Sprt>, ArgsError> {
    let Some(words) = &args.sprt else {
        return Ok(None);
    };
    let text = words.join(" ");
    let sprt = text.parse();
    let sprt = sprt.map_err(|reason| ArgsError::Sprt { text, reason })?;
    match args.engine.len() {
        2 => Ok(Some(sprt)),
        engines => Err(ArgsError::SprtEngines { engines }),
    }
}

/// Says so where nothing but the cards tells the blocks apart.
fn sameness(plan: &Plan) -> Option<String> {
    let is_timeless =
        |engine: &EngineSpec| matches!(engine.limit, Limit::Depth(_) | Limit::Nodes(_));
    let has_one_line = plan.engines.iter().all(is_timeless)
        && plan.random_plies == 0
        && plan.openings.len() == 1
        && plan.games > plan.seats as u64;
    has_one_line.then(|| {
        "all blocks begin alike: engines limited by depth or nodes may repeat a game but for its cards; see --random-plies and --openings".to_string()
    })
}

/// A seed that nobody chose, short enough to be typed again.
fn random_seed() -> u64 {
    // The standard library seeds each hasher from the system's entropy.
    RandomState::new().build_hasher().finish() >> 32
}

fn engines(args: &MatchArgs) -> Result<Vec<EngineSpec>, ArgsError> {
    let shared = match &args.each {
        Some(text) => shared_settings(text)?,
        None => EngineText::default(),
    };
    let mut typed = Vec::new();
    for text in &args.engine {
        let engine = EngineText::parse(text).map_err(|reason| ArgsError::Engine {
            text: text.clone(),
            reason,
        })?;
        typed.push((text.as_str(), engine.or(&shared)));
    }
    if typed.is_empty() {
        typed.push(("", built_in(&shared)?));
    }
    let mut names = names(&typed)?.into_iter();
    let default_limit = args.limit.limit().unwrap_or(DEFAULT_LIMIT);
    let spec = |(text, engine): (&str, EngineText)| {
        let no_command = || ArgsError::NoCommand {
            text: text.to_string(),
        };
        if let Some(dir) = engine.dir.as_ref().filter(|dir| !dir.is_dir()) {
            return Err(ArgsError::Directory {
                text: text.to_string(),
                dir: dir.clone(),
            });
        }
        Ok(EngineSpec {
            command: resolve(&engine.cmd.ok_or_else(no_command)?, engine.dir.as_deref()),
            name: names.next().unwrap_or_default(),
            args: engine.args.unwrap_or_default(),
            dir: engine.dir,
            options: engine.options,
            limit: engine.limit.unwrap_or(default_limit),
            legal: engine.legal.unwrap_or(false),
        })
    };
    typed.into_iter().map(spec).collect()
}

fn shared_settings(text: &str) -> Result<EngineText, ArgsError> {
    let shared = EngineText::parse(text).map_err(|reason| ArgsError::Each {
        text: text.to_string(),
        reason,
    })?;
    match shared.name {
        Some(_) => Err(ArgsError::SharedName {
            text: text.to_string(),
        }),
        None => Ok(shared),
    }
}

/// The engine where none is named: the shared program if there is one, else the arbiter itself.
fn built_in(shared: &EngineText) -> Result<EngineText, ArgsError> {
    if shared.cmd.is_some() {
        return Ok(shared.clone());
    }
    let program = std::env::current_exe().map_err(ArgsError::OwnProgram)?;
    let engine = EngineText {
        cmd: Some(program.to_string_lossy().into_owned()),
        args: Some(vec!["engine".to_string()]),
        name: Some(BUILT_IN.to_string()),
        ..EngineText::default()
    };
    Ok(engine.or(shared))
}

/// A different name for each engine: as given, or else that of its program, numbered where it is shared.
fn names(engines: &[(&str, EngineText)]) -> Result<Vec<String>, ArgsError> {
    let program = |engine: &EngineText| {
        let command = Path::new(engine.cmd.as_deref().unwrap_or_default());
        let file = command.file_name().unwrap_or(command.as_os_str());
        file.to_string_lossy().into_owned()
    };
    let nameless = engines.iter().filter(|(_, engine)| engine.name.is_none());
    let mut shared: HashMap<String, usize> = HashMap::new();
    for (_, engine) in nameless {
        *shared.entry(program(engine)).or_default() += 1;
    }
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut names: Vec<String> = Vec::new();
    for (_, engine) in engines {
        let name = engine.name.clone().unwrap_or_else(|| {
            let program = program(engine);
            let number = numbers.entry(program.clone()).or_default();
            *number += 1;
            match shared.get(&program) {
                Some(&several) if several > 1 => format!("{program}-{number}"),
                _ => program,
            }
        });
        if names.contains(&name) {
            return Err(ArgsError::SameName { name });
        }
        names.push(name);
    }
    Ok(names)
}

/// Where a program is: a relative path counts from the engine's directory, and where there is no such
/// file from the arbiter's own. A bare name is left to the search path.
fn resolve(command: &str, dir: Option<&Path>) -> PathBuf {
    if !command.contains('/') {
        return PathBuf::from(command);
    }
    let in_dir = dir
        .map(|dir| dir.join(command))
        .filter(|path| path.is_file());
    let path = in_dir.unwrap_or_else(|| PathBuf::from(command));
    // The engine is started in its directory, where a relative path would mean another file.
    std::path::absolute(&path).unwrap_or(path)
}

impl LimitArgs {
    /// The limit typed, if any.
    pub fn limit(&self) -> Option<Limit> {
        let movetime = self
            .movetime
            .map(|ms| Limit::Movetime(Duration::from_millis(ms)));
        let depth = self.depth.map(Limit::Depth);
        let nodes = self.nodes.map(Limit::Nodes);
        movetime.or(depth).or(nodes).or(self.tc)
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::args::{Cli, Command};

    fn planned(arguments: &[&str]) -> Result<(Plan, Vec<String>), ArgsError> {
        let cli = Cli::try_parse_from(["arbiter", "match"].iter().chain(arguments)).unwrap();
        let Command::Match(args) = cli.command else {
            panic!("not a match: {:?}", cli.command);
        };
        plan(&args)
    }

    fn engines_of(arguments: &[&str]) -> Vec<EngineSpec> {
        planned(arguments).unwrap().0.engines
    }

    #[test]
    fn without_engines_the_arbiter_plays_itself() {
        let (plan, remarks) = planned(&["--players", "3"]).unwrap();
        let [engine] = plan.engines.as_slice() else {
            panic!("{:?}", plan.engines);
        };
        assert_eq!(engine.name, "buxtehude");
        assert_eq!(engine.command, std::env::current_exe().unwrap());
        assert_eq!(engine.args, ["engine"]);
        assert_eq!(engine.limit, Limit::Movetime(Duration::from_millis(100)));
        assert_eq!((plan.games, remarks), (3, vec![]));
    }

    #[test]
    fn games_are_rounded_up_to_whole_blocks() {
        let (plan, remarks) = planned(&["--players", "4", "--games", "10"]).unwrap();
        assert_eq!(plan.games, 12);
        assert!(
            remarks[0].starts_with("--games 10 is rounded up to 12"),
            "{remarks:?}"
        );
    }

    #[test]
    fn a_test_has_many_games_unless_told() {
        let engines = ["--engine", "cmd=x", "--engine", "cmd=y"];
        let with = |arguments: &[&'static str]| {
            let (plan, remarks) = planned(&[&engines, arguments].concat()).unwrap();
            (plan.games, plan.sprt.map(|sprt| sprt.to_string()), remarks)
        };
        let sprt = "elo0=-1 elo1=2 alpha=0.05 beta=0.05 model=logistic".to_string();
        let (games, found, _) = with(&["--sprt", "elo0=-1", "elo1=2"]);
        assert_eq!((games, found), (100_000, Some(sprt.clone())));
        let (games, found, _) = with(&["--games", "8", "--sprt", "elo0=-1 elo1=2"]);
        assert_eq!((games, found), (8, Some(sprt)));
        let (games, found, _) = with(&["--sprt", "--players", "3"]);
        assert_eq!((games, found.is_some()), (100_002, true));
    }

    #[test]
    fn blocks_that_may_be_the_same_are_remarked() {
        for (arguments, remarked) in [
            (&["--games", "4", "--depth", "3"][..], true),
            (&["--games", "4", "--nodes", "3"], true),
            (&["--games", "2", "--depth", "3"], false),
            (&["--games", "4", "--movetime", "3"], false),
            (
                &["--games", "4", "--depth", "3", "--random-plies", "1"],
                false,
            ),
        ] {
            let (_, remarks) = planned(arguments).unwrap();
            let found = remarks
                .iter()
                .any(|remark| remark.contains("--random-plies"));
            assert_eq!(found, remarked, "{arguments:?}: {remarks:?}");
        }
    }

    #[test]
    fn engines_of_one_program_are_numbered() {
        let engines = engines_of(&[
            "--engine", "cmd=a/x", "--engine", "cmd=b/x", "--engine", "cmd=y",
        ]);
        let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["x-1", "x-2", "y"]);
    }

    #[test]
    fn an_own_limit_overrides_a_shared_one_and_that_the_default() {
        let engines = engines_of(&[
            "--engine",
            "cmd=a depth=2",
            "--engine",
            "cmd=b",
            "--each",
            "nodes=7",
            "--movetime",
            "5",
        ]);
        assert_eq!(engines[0].limit, Limit::Depth(2));
        assert_eq!(engines[1].limit, Limit::Nodes(7));
        let engines = engines_of(&["--engine", "cmd=a", "--tc", "1.5+0.01"]);
        let clock = Limit::Clock {
            time: Duration::from_millis(1500),
            increment: Duration::from_millis(10),
        };
        assert_eq!(engines[0].limit, clock);
    }

    #[test]
    fn a_bare_name_is_left_to_the_search_path() {
        let engines = engines_of(&["--engine", "cmd=x dir=/tmp", "--engine", "cmd=./y"]);
        assert_eq!(engines[0].command, Path::new("x"));
        assert!(engines[1].command.is_absolute(), "{:?}", engines[1].command);
    }

    #[test]
    fn errors_begin_with_the_flag() {
        let cases: [&[&str]; 12] = [
            &["--variant", "chess"],
            &["--engine", "name=x"],
            &["--engine", "cmd=x depth=0"],
            &["--each", "name=x"],
            &["--engine", "cmd=x name=a", "--engine", "cmd=y name=a"],
            &["--openings", "/nonexistent/openings"],
            &["--engine", "cmd=./x dir=/nonexistent"],
            &["--log", "x", "--record", "x"],
            &["--store", "x", "--log", "x"],
            &["--record", "x", "--store", "x"],
            &["--sprt", "elo0=5", "elo1=0"],
            &["--sprt", "--engine", "cmd=x"],
        ];
        let errors = cases.map(|arguments| match planned(arguments) {
            Ok((plan, _)) => panic!("{arguments:?} is accepted: {plan:?}"),
            Err(error) => error.to_string(),
        });
        insta::assert_snapshot!(errors.join("\n"));
    }
}
