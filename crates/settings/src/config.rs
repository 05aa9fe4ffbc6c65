//! A match as the user asks for it: the command line of all programs, settings from a file (`--config FILE` of a match
//! or a tournament), and the [`Plan`] of both.
//!
//! The file is TOML. Its keys are the long flags of the subcommand; each table `[[engine]]` is an `--engine`, and
//! `[each]` is `--each`. It is read into the structure that the flags fill in; a typed flag replaces the same flag of
//! the file and any flag that it excludes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, Parser};
use matches::input_file;
use matches::own_files::{self, NamedFile};
use matches::plan::deck::Seed;
use matches::plan::openings;
use matches::plan::rules::Rules;
use matches::plan::{
    Adjudication, Format, LuckBy, LuckPlan, Opening, Plan, RefereeLimits, USUAL_LUCK_PERCENT,
};
use matches::record::printable::printable_lines;
use matches::run::exit::{ExitError, SettingsFile, USAGE, print_error};
use matches::run::{NewMatch, Outputs, StoredMatch};
use matches::score::Sprt;
use matches::spelling::did_you_mean;
use rand::seq::SliceRandom;
use serde::de::DeserializeOwned;
use toml::{Table, Value};

use crate::args::engines::engines;
use crate::args::{
    EngineText, FormatArgs, GameArgs, GauntletArgs, MatchArgs, OnInterrupt, OpeningArgs,
    OpeningOrder, Openings, OutputArgs, ResumeArgs, RoundRobinArgs, TournamentArgs, hints,
};

/// Maximum number of games of an SPRT without `--games`.
const MAX_GAMES_OF_A_TEST: u64 = 100_000;

const FLAG: &str = "config";

/// Flags that take the settings of a program.
const PROGRAM_FLAGS: &[&str] = &["engine", "each", "rules", "luck-engine", "review-engine"];

/// Parses a command line; returns also the words that the user typed, without defaults, for the settings file.
///
/// # Errors
/// The parser rejects the words, or they ask for help.
pub fn parse<C: Parser>(
    words: impl IntoIterator<Item = OsString>,
) -> Result<(C, ArgMatches), clap::Error> {
    let words: Vec<OsString> = words.into_iter().collect();
    let mut program = with_negative_numbers(C::command());
    program.build();
    let (command, begin) = subcommand(&program, &words);
    let words = with_joined_settings(command, words);
    hints::refuse_file_key(command, &words[begin..])?;
    let parsed = program.clone().try_get_matches_from(&words);
    let mut typed = parsed.map_err(|error| hints::add_tips(error, command, &words[begin..]))?;
    let cli = C::from_arg_matches(&typed)?;
    while let Some((_, inner)) = typed.remove_subcommand() {
        typed = inner;
    }
    for arg in command.get_arguments() {
        let id = arg.get_id().as_str();
        if typed.value_source(id) == Some(ValueSource::DefaultValue) {
            // The identifier is one of the command.
            let _ = typed.try_clear_id(id);
        }
    }
    Ok((cli, typed))
}

/// Prints the parser's message or help; returns the exit status.
pub fn exit(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if printable_lines(&text) == text {
        error.exit();
    }
    print_error(text.trim_end());
    ExitCode::from(USAGE)
}

/// Converts the arguments of a match, once the settings file has filled in those that were not `typed`.
///
/// # Errors
/// [`ExitError`] names the flag, or the file and its key, with the value and the accepted values.
pub fn new_match(args: &mut MatchArgs, typed: &ArgMatches) -> Result<NewMatch, ExitError> {
    new(args, |args| &mut args.common, typed, plan_of_match)
}

/// Converts the arguments of a tournament.
///
/// # Errors
/// As [`new_match`].
pub fn new_tournament(
    args: &mut TournamentArgs,
    typed: &ArgMatches,
) -> Result<NewMatch, ExitError> {
    match &mut args.format {
        FormatArgs::RoundRobin(args) => {
            new(args, |args| &mut args.common, typed, plan_of_round_robin)
        }
        FormatArgs::Gauntlet(args) => new(args, |args| &mut args.common, typed, plan_of_gauntlet),
    }
}

/// Returns a match with this plan; an error about a flag that the settings file sets is about the file.
fn new<A: Args + DeserializeOwned>(
    args: &mut A,
    common: fn(&mut A) -> &mut GameArgs,
    typed: &ArgMatches,
    plan: impl FnOnce(&A) -> Result<(Plan, Vec<String>), ExitError>,
) -> Result<NewMatch, ExitError> {
    let file = fill_in(args, common, typed)?;
    let (plan, remarks) = plan(args).map_err(|error| match &file {
        Some(file) => file.blame(error),
        None => error,
    })?;
    let args = common(args);
    let openings = match &args.openings.openings {
        Some(Openings::File(path)) => Some(path),
        Some(Openings::Lines(_)) | None => None,
    };
    let inputs = [
        ("--config", args.config.as_ref()),
        ("--openings", openings),
        ("--seed-file", args.seed_file.as_ref()),
    ];
    let input =
        |(flag, path): (&str, Option<&PathBuf>)| path.map(|path| NamedFile::input(flag, path));
    Ok(NewMatch {
        plan,
        remarks,
        store: args.store.clone().filter(|file| file.as_os_str() != "none"),
        outputs: outputs(&args.output),
        inputs: inputs.into_iter().filter_map(input).collect(),
        dry_run: args.dry_run,
        changed_engines: args.changed_engines,
        luck_engine: args.luck_engine.clone(),
        settings_file: file,
    })
}

/// Reads the settings file, if the user names one, and replaces its settings by the typed ones, which have no defaults.
///
/// # Errors
/// [`ExitError`] names the file, the key, the value and the accepted values.
fn fill_in<A: Args + DeserializeOwned>(
    args: &mut A,
    common: fn(&mut A) -> &mut GameArgs,
    typed: &ArgMatches,
) -> Result<Option<SettingsFile>, ExitError> {
    let Some(path) = common(args).config.clone() else {
        return Ok(None);
    };
    let wrong = |reason: &str| {
        ExitError::usage(format_args!("--config: {}: {}", path.display(), reason.trim_end()))
    };
    let text = input_file::read_text(&path).map_err(|error| wrong(&error.to_string()))?;
    let mut settings: Table =
        text.parse().map_err(|error: toml::de::Error| wrong(&error.to_string()))?;
    let mut command = A::augment_args(Command::new(FLAG));
    command.build();
    let flags =
        command.get_arguments().filter(|arg| arg.get_id() != FLAG && arg.get_id() != "help");
    let flags: Vec<(&str, &Arg)> = flags.filter_map(|arg| Some((arg.get_long()?, arg))).collect();
    let is_typed = |arg: &Arg| typed.contains_id(arg.get_id().as_str());
    for (key, value) in settings.clone() {
        let Some((_, flag)) = flags.iter().find(|(long, _)| *long == key) else {
            let known = flags.iter().map(|(long, _)| *long);
            let (meant, known) = (did_you_mean(&key, known.clone()), known.collect::<Vec<_>>());
            let known = known.join(", ");
            return Err(wrong(&format!("unknown key {key:?}{meant}; the keys are {known}")));
        };
        let excludes = |one: &Arg, other: &Arg| {
            let conflicts = command.get_arg_conflicts_with(one);
            conflicts.iter().any(|arg| arg.get_id() == other.get_id())
        };
        let mut typed = flags.iter().map(|(_, arg)| *arg).filter(|arg| is_typed(arg));
        if typed.any(|arg| arg == *flag || excludes(arg, flag) || excludes(flag, arg)) {
            settings.remove(&key);
            continue;
        }
        let second = flags
            .iter()
            .find(|(long, other)| settings.contains_key(*long) && excludes(flag, other));
        if let Some((other, _)) = second {
            return Err(wrong(&format!("{key} and {other}: expected only one of them")));
        }
        // Each key alone, so that the error can name it.
        let alone = A::deserialize(Table::from_iter([(key.clone(), value.clone())]));
        alone.map_err(|error| {
            let given = match value {
                Value::Table(_) | Value::Array(_) => String::new(),
                value => format!(" = {value}"),
            };
            wrong(&format!("{key}{given}: {}", error.message()))
        })?;
    }
    let keys = settings.keys().cloned().collect();
    let mut filled = A::deserialize(settings).map_err(|error| wrong(error.message()))?;
    filled.update_from_arg_matches(typed).map_err(|error| wrong(&error.to_string()))?;
    *args = filled;
    Ok(Some(SettingsFile { path, keys }))
}

/// Returns the plan of a match and remarks on it.
///
/// # Errors
/// [`ExitError`] names the flag, its value and the accepted values.
pub fn plan_of_match(args: &MatchArgs) -> Result<(Plan, Vec<String>), ExitError> {
    let mut plan = plan_of(&args.common, Format::RoundRobin, false)?;
    let mut remarks = Vec::new();
    plan.sprt = sprt(args, &plan)?;
    let block = plan.line_ups().games_per_block();
    let most = plan.sprt.map(|_| MAX_GAMES_OF_A_TEST.next_multiple_of(block));
    let asked = args.games.map(|games| games.0).or(most).unwrap_or(block);
    plan.games = whole_blocks(asked, &plan, &mut remarks)?;
    remarks.extend(sameness(&plan));
    remarks.extend(seed_warning(&args.common, plan.seed));
    Ok((plan, remarks))
}

pub fn plan_of_round_robin(args: &RoundRobinArgs) -> Result<(Plan, Vec<String>), ExitError> {
    plan_of_rounds(Format::RoundRobin, args.rounds.0, &args.common)
}

pub fn plan_of_gauntlet(args: &GauntletArgs) -> Result<(Plan, Vec<String>), ExitError> {
    let (challengers, engines) = (args.challengers.0, args.common.engine.len());
    if challengers >= engines as u64 {
        let reason =
            format!("{challengers}: expected a number below {engines}, the number of engines");
        return Err(ExitError::of_flag("challengers", reason));
    }
    let challengers = challengers as usize;
    plan_of_rounds(Format::Gauntlet { challengers }, args.rounds.0, &args.common)
}

fn plan_of_rounds(
    format: Format,
    rounds: u64,
    args: &GameArgs,
) -> Result<(Plan, Vec<String>), ExitError> {
    let mut plan = plan_of(args, format, true)?;
    let line_ups = plan.line_ups();
    let round = line_ups.count().checked_mul(line_ups.games_per_block());
    let games = round.and_then(|round| round.checked_mul(rounds));
    plan.games =
        games.ok_or_else(|| ExitError::of_flag("rounds", format_args!("{rounds} is too many")))?;
    let warning = seed_warning(args, plan.seed);
    let remarks = sameness(&plan).into_iter().chain(warning).collect();
    Ok((plan, remarks))
}

/// Converts the arguments for the rest of a stored match.
pub fn stored_match(args: &ResumeArgs) -> StoredMatch {
    StoredMatch {
        file: args.file.clone(),
        concurrency: args.concurrency,
        forgive: args.forgive,
        changed_engines: args.changed_engines,
        trust_commands: args.trust_commands,
        drop_wrong: args.drop_wrong,
        outputs: outputs(&args.output),
        inputs: Vec::new(),
        luck_engine: args.luck_engine.clone(),
    }
}

fn outputs(args: &OutputArgs) -> Outputs {
    Outputs {
        log: args.log.clone(),
        record: args.record.clone(),
        events: args.events.clone(),
        report_every: args.report_every.map(|number| number.0),
        finishes_games: args.on_interrupt == OnInterrupt::Finish,
    }
}

/// `true` if the game has cards; one by a rules program may have them.
fn has_cards(plan: &Plan) -> bool {
    let start = plan.rules.built_in().map(|variant| variant.start(plan.seats));
    start.is_none_or(|start| start.is_ok_and(|start| start.has_cards()))
}

/// Returns the measurement of luck: by default with the built-in engine, if the game has cards.
fn luck(args: &GameArgs, plan: &Plan) -> Result<LuckPlan, ExitError> {
    let has_cards = has_cards(plan);
    let usual = if has_cards && plan.rules.built_in().is_some() {
        LuckPlan::beside(&plan.engines)
    } else {
        LuckPlan::default()
    };
    let mut luck = args.luck.unwrap_or(usual);
    if args.luck_engine.is_some() {
        if let Some(luck) = args.luck.filter(|luck| !luck.suits_an_engine()) {
            let reason = format!("{luck}: expected engine or after with --luck-engine");
            return Err(ExitError::of_flag("luck", reason));
        }
        if !matches!(luck.by, Some(LuckBy::Engine { .. })) {
            luck.by = Some(LuckBy::Engine { percent: USUAL_LUCK_PERCENT });
        }
    }
    match luck.by {
        Some(LuckBy::BuiltIn { .. }) if plan.rules.program().is_some() => {
            let expected =
                "the built-in engine does not play this game: expected --luck-engine, or off";
            Err(ExitError::of_flag("luck", expected))
        }
        Some(_) if !has_cards => {
            let reason = format!("{} has no cards: expected off", plan.rules.name());
            Err(ExitError::of_flag("luck", reason))
        }
        _ => Ok(luck),
    }
}

/// The plan of one block from the common arguments; `restart` as for [`engines`].
fn plan_of(args: &GameArgs, format: Format, restart: bool) -> Result<Plan, ExitError> {
    let ready = Duration::from_millis(args.ready.0);
    let players = args.players.0 as usize;
    let rules = args.game.rules()?;
    if let Some(Err(error)) = rules.built_in().map(|variant| variant.start(players)) {
        return Err(ExitError::of_flag("players", error));
    }
    let resign = args.resign.as_ref().map(|words| {
        let text = words.join(" ");
        let resign = text.parse();
        resign.map_err(|reason| ExitError::of_text("resign", &text, reason))
    });
    let seed = chosen_seed(args.seed, args.seed_file.as_deref())?;
    let mut plan = Plan {
        format,
        all_orders: args.all_orders,
        seed,
        concurrency: args.concurrency.0 as usize,
        pin: args.pin,
        isolate: args.isolate,
        random_plies: args.openings.random_plies.0 as u32,
        openings: chosen_openings(&args.openings, &rules, players, seed)?,
        referee_limits: RefereeLimits {
            stall: Duration::from_secs(args.stall.0),
            max_plies: args.max_plies.0 as u32,
            failures: args.retire.0 as u32,
            wait: Duration::from_millis(args.wait.0),
            ready,
        },
        adjudication: Adjudication { resign: resign.transpose()?, solved: args.solved },
        ..Plan::new(rules, players, engines(args, restart)?)
    };
    plan.luck = luck(args, &plan)?;
    if plan.seats != 2 && plan.adjudication.resign.is_some() {
        let reason = format!("expected two seats, found {}", plan.seats);
        return Err(ExitError::of_flag("resign", reason));
    }
    // Only with two seats can an engine tell whose move comes next.
    let ponders = plan.engines.iter().find(|engine| engine.ponder);
    match ponders.filter(|_| plan.seats != 2) {
        Some(engine) => Err(ExitError::usage(format!(
            "engine {}: ponder=on: expected two seats, found {}",
            engine.name, plan.seats
        ))),
        None => Ok(plan),
    }
}

/// The openings in playing order, shortened to `--openings-plies`.
fn chosen_openings(
    args: &OpeningArgs,
    rules: &Rules,
    seats: usize,
    seed: Seed,
) -> Result<Vec<Opening>, ExitError> {
    let mut openings = match &args.openings {
        Some(given) => {
            let read = match given {
                Openings::File(path) => openings::read(path, rules, seats),
                Openings::Lines(lines) => {
                    openings::of_lines(lines.iter().map(String::as_str), "line ", rules, seats)
                }
            };
            read.map_err(|error| ExitError::of_flag("openings", error))?
        }
        None => vec![Opening::usual(seats)],
    };
    if let Some(plies) = args.openings_plies {
        for opening in &mut openings {
            opening.shorten(plies.0 as u32);
        }
    }
    if args.openings_order == OpeningOrder::Random {
        openings.shuffle(&mut seed.order_of_openings());
    }
    let number = openings.len();
    if number == 0 {
        return Err(ExitError::of_flag("openings", "the list is empty"));
    }
    let start = usize::try_from(args.openings_start.0).unwrap_or(usize::MAX);
    if start > number {
        let reason =
            format!("{start}: expected a number from 1 to {number}, the number of openings");
        return Err(ExitError::of_flag("openings-start", reason));
    }
    openings.rotate_left(start - 1);
    Ok(openings)
}

/// Rounds the number of games up to whole blocks.
fn whole_blocks(asked: u64, plan: &Plan, remarks: &mut Vec<String>) -> Result<u64, ExitError> {
    let block = plan.line_ups().games_per_block();
    let games = asked.checked_next_multiple_of(block);
    let games =
        games.ok_or_else(|| ExitError::of_flag("games", format_args!("{asked} is too many")))?;
    if games != asked {
        let seatings = if plan.all_orders { "order" } else { "rotation" };
        remarks.push(format!(
            "--games {asked} is rounded up to {games}: whole blocks of {block} games, each opening in every \
             {seatings} of the seats"
        ));
    }
    Ok(games)
}

fn sprt(args: &MatchArgs, plan: &Plan) -> Result<Option<Sprt>, ExitError> {
    let Some(words) = &args.sprt else {
        return Ok(None);
    };
    let measures_luck = plan.luck.by.is_some() && !plan.luck.after;
    let text = words.join(" ");
    let sprt: Result<Sprt, _> = text.parse();
    let sprt = sprt.map_err(|reason| ExitError::of_text("sprt", &text, reason))?;
    match args.common.engine.len() {
        2 if sprt.uses_luck() && !has_cards(plan) => {
            let reason = format!("luck=on: {} has no cards", plan.rules.name());
            Err(ExitError::of_flag("sprt", reason))
        }
        2 if sprt.uses_luck() && !measures_luck => {
            let reason = "luck=on: expected luck to be measured after each game; see --luck";
            Err(ExitError::of_flag("sprt", reason))
        }
        2 => Ok(Some(sprt)),
        engines => {
            let reason =
                format!("a test compares two engines: expected two --engine, found {engines}");
            Err(ExitError::of_flag("sprt", reason))
        }
    }
}

/// Warns if blocks differ only in their cards.
fn sameness(plan: &Plan) -> Option<String> {
    let mut limits = plan.engines.iter().map(|engine| engine.limit);
    let has_one_line = limits.all(|limit| limit.is_timeless())
        && plan.random_plies == 0
        && plan.openings.len() == 1
        && plan.games > plan.line_ups().count() * plan.line_ups().games_per_block();
    has_one_line.then(|| {
        "all blocks have the same opening: engines limited by depth or nodes may repeat games; for variety, see \
         --random-plies and --openings".to_string()
    })
}

/// Returns the typed seed, the one in the file, or a secret one.
///
/// # Errors
/// [`ExitError`] about `--seed-file`, or if the system has no random numbers.
pub fn chosen_seed(typed: Option<Seed>, file: Option<&Path>) -> Result<Seed, ExitError> {
    let Some(path) = file.filter(|_| typed.is_none()) else {
        let no_secret = |error| {
            let reason = format!("the system has no random numbers; give a seed: {error}");
            ExitError::of_flag("seed", reason)
        };
        return typed.map_or_else(|| Seed::secret().map_err(no_secret), Ok);
    };
    let wrong = |reason: String| {
        let path = path.display();
        ExitError::of_flag("seed-file", format_args!("{path}: {reason}"))
    };
    let text = input_file::read_text(path).map_err(|error| wrong(error.to_string()))?;
    own_files::add(path);
    // The message does not quote the text, which may be part of a secret.
    let seed = text.trim().parse::<Seed>();
    seed.map_err(|error| wrong(error.to_string()))
}

/// Warns if engines can learn the seed, and with it all cards.
fn seed_warning(args: &GameArgs, seed: Seed) -> Option<String> {
    let text = match seed {
        Seed::Number(_) => {
            "the seed is a number: an engine that reads or guesses it knows all cards; without --seed, it is secret"
        }
        Seed::Key(_) if args.seed.is_some() => {
            "the seed is on the command line: an engine that reads it knows all cards; --seed-file keeps it secret"
        }
        Seed::Key(_) => return None,
    };
    Some(text.to_string())
}

/// Lets every option take negative numbers, so that their range is checked, and not the `-`.
fn with_negative_numbers(command: Command) -> Command {
    let is_option = |arg: &Arg| arg.get_long().is_some() && arg.get_action().takes_values();
    let command = command
        .mut_args(|arg| if is_option(&arg) { arg.allow_negative_numbers(true) } else { arg });
    command.mut_subcommands(with_negative_numbers)
}

/// The subcommand that the words name, and the index of its first word.
fn subcommand<'a>(program: &'a Command, typed: &[OsString]) -> (&'a Command, usize) {
    let mut command = program;
    let mut begin = typed.len().min(1);
    while let Some(next) = typed.get(begin).and_then(|word| command.find_subcommand(word)) {
        command = next;
        begin += 1;
    }
    (command, begin)
}

/// Joins the words after each flag that takes the settings of a program, as in `--engine cmd=./a nodes=5`, to one word,
/// as if the user had quoted them. In a command with arguments of its own, only words such as `nodes=5` are joined.
fn with_joined_settings(command: &Command, typed: Vec<OsString>) -> Vec<OsString> {
    let has_arguments = command.get_positionals().next().is_some();
    let is_value = |word: &str| !word.starts_with('-');
    let is_setting = |word: &str| {
        if has_arguments {
            word.split_once('=').is_some_and(|(key, _)| !key.contains(['/', '-']))
        } else {
            is_value(word)
        }
    };
    let mut joined: Vec<OsString> = Vec::new();
    let mut words = typed.into_iter().peekable();
    while let Some(word) = words.next() {
        let Some((flag, value)) = word.to_str().and_then(flag_of_settings) else {
            let is_last = word == "--";
            joined.push(word);
            if is_last {
                joined.extend(words.by_ref());
            }
            continue;
        };
        let mut next = |is_wanted: &dyn Fn(&str) -> bool| {
            let word = words.next_if(|word| word.to_str().is_some_and(is_wanted));
            word.map(|word| word.to_string_lossy().into_owned())
        };
        let first = value.map(String::from).or_else(|| next(&is_value));
        // The program to check may follow, as in `arbiter check --rules cmd=./rules ./mine`.
        let has_program = first.as_ref().is_some_and(|first| first.contains("cmd="));
        let is_more = |word: &str| {
            is_setting(word) && !(has_arguments && has_program && word.starts_with("cmd="))
        };
        let rest = std::iter::from_fn(|| next(&is_more));
        let settings: Vec<String> = first.into_iter().chain(rest).collect();
        joined.push(flag.into());
        if !settings.is_empty() {
            let settings: Vec<&str> = settings.iter().map(String::as_str).collect();
            joined.push(EngineText::joined(&settings).into());
        }
    }
    joined
}

/// A flag that takes the settings of a program, and its value behind an equals sign.
fn flag_of_settings(word: &str) -> Option<(&str, Option<&str>)> {
    let (flag, value) = match word.split_once('=') {
        Some((flag, value)) => (flag, Some(value)),
        None => (word, None),
    };
    let name = flag.strip_prefix("--")?;
    PROGRAM_FLAGS.contains(&name).then_some((flag, value))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt, symlink};

    use buxtehude::rules::Variant;
    use clap::Parser;

    use super::*;
    use crate::args::local_engines;
    use matches::plan::{EngineSpec, Limit};

    #[derive(Parser)]
    struct Typed {
        #[command(flatten)]
        args: MatchArgs,
    }

    fn planned(arguments: &[&str]) -> Result<(Plan, Vec<String>), ExitError> {
        let typed = Typed::try_parse_from(["match"].iter().chain(arguments)).unwrap();
        plan_of_match(&typed.args)
    }

    fn engines_of(arguments: &[&str]) -> Vec<EngineSpec> {
        planned(arguments).unwrap().0.engines
    }

    #[test]
    fn without_engines_levels_of_the_built_in_engine_play_or_copies_of_it() {
        let (plan, remarks) = planned(&["--players", "3"]).unwrap();
        let names: Vec<&str> = plan.engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["level-10", "level-7", "level-4"]);
        assert_eq!((plan.games, remarks), (3, vec![]));
        let copies = engines_of(&["--players", "3", "--each", "option.Hash=4"]);
        assert_eq!((copies.len(), copies[0].name.as_str()), (1, "buxtehude"));
        for (engine, level) in plan.engines.iter().chain(&copies).zip(["10", "7", "4", ""]) {
            let levels = engine.options.iter().filter(|(name, _)| name == "Level");
            assert!(
                levels.map(|(_, level)| level.as_str()).eq((!level.is_empty()).then_some(level))
            );
            assert_eq!(engine.command, std::env::current_exe().unwrap());
            assert_eq!(engine.args, ["engine"]);
            assert_eq!(engine.limit, Limit::movetime(Duration::from_millis(100)));
        }
    }

    #[test]
    fn games_are_rounded_up_to_whole_blocks() {
        let (plan, remarks) = planned(&["--players", "4", "--games", "10"]).unwrap();
        assert_eq!(plan.games, 12);
        assert!(remarks[0].starts_with("--games 10 is rounded up to 12"), "{remarks:?}");
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
            (&["--games", "4", "--depth", "3", "--random-plies", "1"], false),
        ] {
            let copies = [arguments, &["--each", "restart=off"]].concat();
            let (_, remarks) = planned(&copies).unwrap();
            let found = remarks.iter().any(|remark| remark.contains("--random-plies"));
            assert_eq!(found, remarked, "{arguments:?}: {remarks:?}");
        }
    }

    #[test]
    fn engines_of_one_program_are_numbered() {
        let engines =
            engines_of(&["--engine", "cmd=a/x", "--engine", "cmd=b/x", "--engine", "cmd=y"]);
        let names: Vec<&str> = engines.iter().map(|engine| engine.name.as_str()).collect();
        assert_eq!(names, ["x-1", "x-2", "y"]);
    }

    #[test]
    fn a_worker_says_only_where_its_engines_are() {
        let local = |text: &str| local_engines(&[text.to_string()]);
        let engines = local("cmd=./x dir=/tmp").unwrap();
        let [engine] = engines.as_slice() else {
            panic!("{engines:?}");
        };
        assert_eq!((engine.name.as_str(), engine.dir.as_deref()), ("x", Some(Path::new("/tmp"))));
        for text in ["name=a", "cmd=a nodes=5", "cmd=a option.b=c"] {
            let error = local(text).unwrap_err().to_string();
            assert!(error.contains(text) && error.contains("expected cmd=PROGRAM"), "{error}");
        }
    }

    #[test]
    fn an_own_limit_overrides_a_shared_one_and_that_the_default() {
        let engines = engines_of(&[
            "--engine", "cmd=a depth=2", "--engine", "cmd=b", "--each", "nodes=7", "--movetime",
            "5",
        ]);
        assert_eq!(engines[0].limit, Limit::depth(2));
        assert_eq!(engines[1].limit, Limit::nodes(7));
        let engines = engines_of(&["--engine", "cmd=a", "--tc", "1.5+0.01"]);
        let clock = Limit::clock(Duration::from_millis(1500), Duration::from_millis(10));
        assert_eq!(engines[0].limit, clock);
    }

    #[test]
    fn a_bare_name_is_left_to_the_search_path() {
        let engines = engines_of(&["--engine", "cmd=x dir=/tmp", "--engine", "cmd=./y"]);
        assert_eq!(engines[0].command, Path::new("x"));
        assert!(engines[1].command.is_absolute(), "{:?}", engines[1].command);
    }

    #[test]
    fn a_bare_name_never_hides_a_program_in_the_directory_of_the_engine() {
        let (directory, on_path) = (tempfile::tempdir().unwrap(), which::which("sh").unwrap());
        let dir = directory.path();
        let executable = |name: &str| {
            let path = dir.join(name);
            fs::write(&path, "#!/bin/sh\n").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            path
        };
        let (sh, own) = (executable("sh"), executable("program-of-this-test"));
        let engine = |cmd: &str| {
            let text = format!("cmd={cmd} dir={}", dir.display());
            local_engines(&[text]).map(|engines| engines[0].command.clone())
        };
        let error = engine("sh").unwrap_err().to_string();
        let [sh_text, path_text] = [&sh, &on_path].map(|path| path.display().to_string());
        for part in [&sh_text, &path_text, "cmd=./sh ", &format!("cmd={path_text}")] {
            assert!(error.contains(part), "{part}: {error}");
        }
        assert_eq!(engine("./sh").unwrap(), sh);
        assert_eq!(engine(&path_text).unwrap(), on_path);
        assert_eq!(engine("program-of-this-test").unwrap(), own);
        // Neither a file that cannot be run nor another name of the same program is a second program.
        fs::set_permissions(&sh, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(engine("sh").unwrap(), Path::new("sh"));
        fs::remove_file(&sh).unwrap();
        symlink(&on_path, &sh).unwrap();
        assert_eq!(engine("sh").unwrap(), Path::new("sh"));
    }

    #[test]
    fn errors_begin_with_the_flag() {
        let cases: [&[&str]; 9] = [
            &["--variant", "chess"],
            &["--engine", "name=x"],
            &["--engine", "cmd=x depth=0"],
            &["--each", "name=x"],
            &["--engine", "cmd=x name=a", "--engine", "cmd=y name=a"],
            &["--openings", "/nonexistent/openings"],
            &["--engine", "cmd=./x dir=/nonexistent"],
            &["--sprt", "elo0=5", "elo1=0"],
            &["--sprt", "--engine", "cmd=x"],
        ];
        let errors = cases.map(|arguments| match planned(arguments) {
            Ok((plan, _)) => panic!("{arguments:?} is accepted: {plan:?}"),
            Err(error) => error.to_string(),
        });
        let variants = Variant::names().join(", ");
        insta::assert_snapshot!(errors.join("\n").replace(&variants, "VARIANTS"));
    }
}
