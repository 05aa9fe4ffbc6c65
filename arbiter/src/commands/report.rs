//! `arbiter report`: reports on the recorded games of a match, as a page for a browser or as tables.

mod kind;
mod luck;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs;
use std::io::{self, IsTerminal};
use std::path::Path;
use std::process::ExitCode;

use arbiter::analysis::review::review_all;
use arbiter::args::{ReportArgs, ReportFormat};
use arbiter::reports::page::{Page, Subject};
use matches::archive::ArchiveError;
use matches::archive::game_file::GameFile;
use matches::archive::replay;
use matches::archive::store::Extent;
use matches::judge::JudgeError;
use matches::luck::LuckMeter;
use matches::output::print;
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::plan::rules::program::RulesError;
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;
use matches::record::printable::printable_lines;
use matches::report::Report;
use matches::review::{Review, ReviewError};
use matches::run::events::standings_json;
use matches::run::exit::ExitError;
use matches::run::files_of;
use matches::spelling::quote_path;

use self::luck::Luck;
use super::input::open;
use super::{CommandError, exit, fail, isolate, print_all, stop_on_signals};

pub fn report(args: &ReportArgs) -> ExitCode {
    let is_for_terminal = args.output.is_none() && io::stdout().is_terminal();
    if let Err(error) = refuse_overwriting(&files(args)) {
        return exit::fail(exit::USAGE, error);
    }
    let format = args.format.unwrap_or(if is_for_terminal {
        ReportFormat::Text
    } else {
        ReportFormat::Html
    });
    let interrupt = Interrupt::new();
    let made = match format {
        ReportFormat::Text | ReportFormat::Json if args.review > 0 => {
            return exit::fail(
                exit::USAGE,
                "--review: only the page shows reviews; add --format html or --output",
            );
        }
        ReportFormat::Text => read_tables(args, &interrupt, Report::text),
        ReportFormat::Json => read_tables(args, &interrupt, standings_json),
        ReportFormat::Html => read_page(args, &interrupt),
    };
    let Made { mut text, mut is_whole, fault } = match made {
        // An error of the reviewer sets the interrupt, too; a signal ends a review without an error.
        Err(error) if error.is::<ReviewError<JudgeError>>() => return fail(&error),
        _ if interrupt.is_set() => return ExitCode::from(exit::INTERRUPTED),
        Ok(made) => made,
        Err(error) => return fail(&error),
    };
    match wrong_games(args) {
        Ok(None) => {}
        Ok(Some(wrong)) => {
            is_whole = false;
            let path = &args.input.file;
            let (name, word) = (path.display(), quote_path(path));
            exit::complain(format_args!(
                "{name}: {wrong}; `arbiter resume {word} --drop-wrong` plays them anew"
            ));
        }
        Err(error) => return fail(&error),
    }
    if args.format.is_none() && is_for_terminal {
        let file = quote_path(&args.input.file);
        text +=
            &format!("\n`arbiter report {file} --output report.html` makes a page for a browser\n");
    }
    if let Err(error) = write(&text, args.output.as_deref()) {
        return exit::fail(exit::STORAGE, error);
    }
    match fault {
        Some(fault) => ExitError::from(fault).exit(),
        None if is_whole => ExitCode::SUCCESS,
        None => ExitCode::from(exit::WRONG),
    }
}

/// Checks the games in a store again if its rules program, which runs already, has changed since they were played.
/// Names those that are wrong now, if any.
fn wrong_games(args: &ReportArgs) -> Result<Option<String>, CommandError> {
    let GameFile::Store(store) = GameFile::open(&args.input.file)? else { return Ok(None) };
    let of_store = || {
        let plan = store.trusted_plan(false).ok()?;
        Some(plan.rules.program()?.plan().clone())
    };
    let rules = args.input.rules.clone().or_else(of_store);
    let has_changed = rules.map_or(Ok(false), |rules| store.has_other_rules(&rules))?;
    let wrong = if has_changed { replay::wrong_games::<CommandError>(&store)? } else { Vec::new() };
    Ok((!wrong.is_empty()).then(|| replay::wrong_in_words(&wrong)))
}

/// The files that the command reads and writes.
fn files(args: &ReportArgs) -> Vec<NamedFile> {
    let games = args.input.file.display().to_string();
    let mut files = vec![NamedFile::games(games, &args.input.file)];
    files.extend(args.output.as_deref().map(|path| NamedFile::output("--output", path)));
    let rules = args.input.rules.as_ref().map(|rules| &rules.program);
    let reviewer = args.review_plan().ok().map(|plan| plan.engine);
    let programs = rules.into_iter().chain(&args.luck_engine).chain(&reviewer);
    files.extend(programs.flat_map(files_of));
    files
}

/// A report that was made.
struct Made {
    text: String,
    /// `true` if every line of the file is a game.
    is_whole: bool,
    /// The first fault of a rules program that hides positions.
    fault: Option<RulesError>,
}

/// Writes a text to a file, or to standard output.
fn write(text: &str, path: Option<&Path>) -> Result<(), String> {
    let text = printable_lines(text);
    if let Some(path) = path {
        let written = fs::write(path, text.as_bytes());
        written.map_err(|error| format!("--output: {}: {error}", path.display()))?;
        // The file is written, even if nothing reads this line.
        let _ = print(&format!("written to {}\n", path.display()));
        return Ok(());
    }
    print_all(text.as_bytes())
}

/// The report on the games in a file as text.
fn read_tables(
    args: &ReportArgs,
    interrupt: &Interrupt,
    text: impl Fn(&Report) -> String,
) -> Result<Made, CommandError> {
    let (file, luck) = measured(args, interrupt)?;
    let (_, mut report) = beginning(&file, &args.input.file)?;
    let is_whole = match &file {
        GameFile::Store(store) => {
            store.for_each_game(Extent::Summary, None, |game| {
                report.add_summary(&game.record, &game.turn_sums());
                Ok::<(), ArchiveError>(())
            })?;
            true
        }
        GameFile::Lines { .. } => {
            let meter = luck.as_ref().map(|luck| luck.meter(interrupt));
            for_each_outline(&file, meter.as_ref(), |record| report.add(record))?
        }
    };
    report.finish();
    Ok(Made { text: text(&report), is_whole, fault: None })
}

/// Opens the file, after its games' luck was measured if the user asks for it. The evaluator, if any, still has to
/// measure games that no store keeps.
fn measured(
    args: &ReportArgs,
    interrupt: &Interrupt,
) -> Result<(GameFile, Option<Luck>), CommandError> {
    let (file, kind) = kind::select(open(&args.input, false)?, args)?;
    match (Luck::of(args, &file, &kind)?, &file) {
        (Some(luck), GameFile::Store(_)) => {
            drop(file);
            luck.measure(&args.input.file, interrupt)?;
            Ok((open(&args.input, false)?, None))
        }
        (luck, _) => Ok((file, luck)),
    }
}

/// The page of the games in a file, some of them move by move.
fn read_page(args: &ReportArgs, interrupt: &Interrupt) -> Result<Made, CommandError> {
    let (file, luck) = measured(args, interrupt)?;
    let (subject, report) = beginning(&file, &args.input.file)?;
    let mut page = Page::new(subject, report, args.games);
    let meter = luck.as_ref().map(|luck| luck.meter(interrupt));
    let is_whole = for_each_outline(&file, meter.as_ref(), |record| page.add(record))?;
    page.finish();
    let wanted = page.wanted();
    let first: BTreeSet<u64> = wanted.iter().copied().take(args.review).collect();
    let reviews = if first.is_empty() {
        HashMap::new()
    } else {
        let mut games = Vec::new();
        for_each_of(&file, &first, |record| games.push(record))?;
        reviews_of(args, games, interrupt, &mut page)?
    };
    let mut fault = None;
    for_each_of(&file, &wanted, |record| {
        let found = page.show(&record, reviews.get(&record.game));
        // Without its program, a game is shown by its moves alone.
        fault = fault.take().or(found.filter(RulesError::is_broken));
    })?;
    Ok(Made { text: page.html(), is_whole, fault })
}

/// Reviews the valid games; prints the flaws of the others.
fn reviews_of(
    args: &ReportArgs,
    games: Vec<GameRecord>,
    interrupt: &Interrupt,
    page: &mut Page,
) -> Result<HashMap<u64, Review>, CommandError> {
    let plan = args.review_plan()?;
    let engine = &plan.engine;
    page.set_reviewer(&format!("{} ({})", engine.name, engine.limit.in_words()));
    let is_valid = |game: &GameRecord| match replay::check(game).first() {
        None => true,
        Some(flaw) => {
            exit::complain(format_args!("game {} is not reviewed: {flaw}", game.game));
            false
        }
    };
    let valid: Vec<GameRecord> = games.into_iter().filter(is_valid).collect();
    stop_on_signals(interrupt)?;
    let isolation = isolate(args.isolation.isolate, std::slice::from_ref(&plan.engine))?;
    let mut reviews = HashMap::new();
    review_all(
        &plan,
        isolation,
        &valid,
        interrupt,
        || (),
        |game| {
            reviews.insert(game.record.game, game.review);
        },
    )?;
    Ok(reviews)
}

fn for_each_of(
    file: &GameFile,
    wanted: &BTreeSet<u64>,
    mut visit: impl FnMut(GameRecord),
) -> Result<(), ArchiveError> {
    let GameFile::Store(store) = file else {
        return file.for_each(|_, game| {
            game.ok().filter(|record| wanted.contains(&record.game)).map(&mut visit);
            Ok(())
        });
    };
    for &number in wanted {
        store.for_each_game(Extent::Whole, Some(number), |game| {
            visit(game.record);
            Ok::<(), ArchiveError>(())
        })?;
    }
    Ok(())
}

/// The subject of a file of games, and its report before the first game.
fn beginning(file: &GameFile, path: &Path) -> Result<(Subject, Report), CommandError> {
    if let GameFile::Store(store) = file {
        let plan = store.plan()?;
        let id_names = store.id_names()?;
        let circumstances = store.circumstances()?;
        let subject = Subject::of_match(&plan, &id_names, &circumstances);
        return Ok((subject, Report::of(&plan)));
    }
    let mut first_game = None;
    let mut blocks: HashMap<u64, usize> = HashMap::new();
    let mut first_seats: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    file.for_each(|_, game| {
        let Ok(record) = game else { return Ok(()) };
        for (seat, name) in record.seats.iter().enumerate() {
            let here = (record.game, seat);
            let first = first_seats.entry(name.clone()).or_insert(here);
            *first = here.min(*first);
        }
        *blocks.entry(record.block).or_default() += 1;
        first_game.get_or_insert(record);
        Ok::<(), CommandError>(())
    })?;
    // Engines in the order of their first games.
    let mut names: Vec<(String, (u64, usize))> = first_seats.into_iter().collect();
    names.sort_by_key(|&(_, first)| first);
    let names = names.into_iter().map(|(name, _)| name).collect();
    let game = first_game.ok_or_else(|| format!("{}: no games in this file", path.display()))?;
    let seats = game.seats.len();
    // A block has a game for each seat, or more with `--all-orders`.
    let games_per_block = blocks.into_values().fold(seats, usize::max);
    let report = Report::new(names, seats, games_per_block);
    Ok((Subject::of_record(&game), report))
}

/// Calls `visit` with each game, in outline if it is from a store; returns `true` if every line is a game. Prints the
/// flaws of the other lines. A meter measures the luck of games that no store keeps.
fn for_each_outline(
    file: &GameFile,
    meter: Option<&LuckMeter<'_>>,
    mut visit: impl FnMut(&GameRecord),
) -> Result<bool, CommandError> {
    if let GameFile::Store(store) = file {
        store.for_each_game(Extent::Outline, None, |game| {
            visit(&game.record);
            Ok::<(), ArchiveError>(())
        })?;
        return Ok(true);
    }
    let mut seen = HashSet::new();
    let mut is_whole = true;
    file.for_each(|place, game| {
        let mut record = match game {
            Ok(record) => record,
            Err(flaw) => {
                is_whole = false;
                exit::complain(format_args!("{place}: {flaw}"));
                return Ok(());
            }
        };
        let game = record.game;
        if !seen.insert(game) {
            return Err(format!(
                "{place}: game {game} occurs twice; expected each game of one match once"
            )
            .into());
        }
        if let Some(meter) = meter {
            meter.measure(&mut record)?;
        }
        visit(&record);
        Ok::<(), CommandError>(())
    })?;
    Ok(is_whole)
}
