//! `arbiter report`: reports on the recorded games of a match, as a page for a browser or as tables.

use std::collections::HashMap;
use std::fs;
use std::io::{self, IsTerminal};
use std::num::NonZero;
use std::path::Path;
use std::process::ExitCode;
use std::thread;

use arbiter::args::{ReportArgs, ReportFormat};
use arbiter::reports::page::{Page, Subject};
use buxtehude::rules::Variant;
use matches::archive::ArchiveError;
use matches::archive::replay;
use matches::archive::store::{Extent, Store};
use matches::judge::{JudgeError, STALL};
use matches::luck::{Evaluator, LuckMeter, measure_store};
use matches::output::print;
use matches::own_files::{NamedFile, refuse_overwriting};
use matches::plan::rules::external::RulesError;
use matches::plan::{EngineSpec, Limit, LuckBy, Plan, USUAL_LUCK_PERCENT};
use matches::play::interrupt::Interrupt;
use matches::record::GameRecord;
use matches::record::digest::StoredGame;
use matches::record::printable::printable_lines;
use matches::report::Report;
use matches::review::{Review, ReviewError};
use matches::run::display::count;
use matches::run::events::standings_json;
use matches::run::exit::ExitError;
use matches::run::files_of;
use matches::spelling::quote_path;
use settings::args::judge;

use super::review::{ReviewedGame, review_all};
use super::{CommandError, exit, fail, isolate, open, print_all, progress, stop_on_signals};

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
    if args.review > 0 && format != ReportFormat::Html {
        return exit::fail(
            exit::USAGE,
            "--review: only the page shows reviews; add --format html or --output",
        );
    }
    let interrupt = Interrupt::new();
    let made = make(args, format, &interrupt);
    let Made { mut text, store, fault } = match made {
        // An error of the reviewer sets the interrupt, too; a signal ends a review without an error.
        Err(error) if error.is::<ReviewError<JudgeError>>() => return fail(&error),
        _ if interrupt.is_set() => return ExitCode::from(exit::INTERRUPTED),
        Ok(made) => made,
        Err(error) => return fail(&error),
    };
    let mut is_whole = store.flaws().is_empty();
    match wrong_games(args, &store) {
        Ok(None) => {}
        Ok(Some(wrong)) => {
            is_whole = false;
            let path = &args.input.file;
            let (name, word) = (path.display(), quote_path(path));
            exit::print_error(format_args!(
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
fn wrong_games(args: &ReportArgs, store: &Store) -> Result<Option<String>, CommandError> {
    if store.is_record() {
        return Ok(None);
    }
    let of_store = || {
        let plan = store.trusted_plan(false).ok()?;
        Some(plan.rules.program()?.plan().clone())
    };
    let rules = args.input.rules.clone().or_else(of_store);
    let has_changed = rules.map_or(Ok(false), |rules| store.has_other_rules(&rules))?;
    let wrong = if has_changed { replay::wrong_games::<CommandError>(store)? } else { Vec::new() };
    Ok((!wrong.is_empty()).then(|| replay::wrong_in_words(&wrong)))
}

/// The files that the command reads and writes.
fn files(args: &ReportArgs) -> Vec<NamedFile> {
    let games = args.input.file.display().to_string();
    let mut files = vec![NamedFile::games(games, &args.input.file)];
    files.extend(args.output.as_deref().map(|path| NamedFile::output("--output", path)));
    let rules = args.input.rules.as_ref().map(|rules| &rules.program);
    let reviewer = review_engine(args).ok();
    let programs = rules.into_iter().chain(&args.luck_engine).chain(&reviewer);
    files.extend(programs.flat_map(files_of));
    files
}

fn review_engine(args: &ReportArgs) -> Result<EngineSpec, ExitError> {
    judge(&args.review_engine, Limit::nodes(args.review_nodes))
}

/// A report that was made.
struct Made {
    text: String,
    /// Its games.
    store: Store,
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

fn make(
    args: &ReportArgs,
    format: ReportFormat,
    interrupt: &Interrupt,
) -> Result<Made, CommandError> {
    let (store, plan) = measured(args, interrupt)?;
    let (subject, mut report) = beginning(&store, plan.as_ref())?;
    if format == ReportFormat::Html {
        return make_page(args, store, Page::new(subject, report, args.games), interrupt);
    }
    store.for_each_game(Extent::Summary, |game| {
        report.add_summary(&game.record, &game.turn_sums());
        Ok::<(), ArchiveError>(())
    })?;
    report.finish();
    let text = match format {
        ReportFormat::Json => standings_json(&report),
        _ => report.text(),
    };
    Ok(Made { text, store, fault: None })
}

/// Makes the page of the games in a file, some of them move by move.
fn make_page(
    args: &ReportArgs,
    store: Store,
    mut page: Page,
    interrupt: &Interrupt,
) -> Result<Made, CommandError> {
    store.for_each_game(Extent::Outline, |game| {
        page.add(&game.record);
        Ok::<(), ArchiveError>(())
    })?;
    page.finish();
    let wanted = page.wanted();
    let mut reviewed = Vec::new();
    for &number in wanted.iter().take(args.review) {
        reviewed.extend(store.game(number)?.map(|game| game.record));
    }
    let reviews = if reviewed.is_empty() {
        HashMap::new()
    } else {
        reviews_of(args, reviewed, interrupt, &mut page)?
    };
    let mut fault = None;
    for number in wanted {
        let Some(StoredGame { record, .. }) = store.game(number)? else { continue };
        let found = page.show(&record, reviews.get(&number));
        // Without its program, a game is shown by its moves alone.
        fault = fault.or(found.filter(RulesError::is_broken));
    }
    Ok(Made { text: page.html(), store, fault })
}

/// Opens the games of one match, and prints the lines that are no games. Measures the luck of the games first if the
/// user asks for it. A record has no plan.
fn measured(
    args: &ReportArgs,
    interrupt: &Interrupt,
) -> Result<(Store, Option<Plan>), CommandError> {
    let store = open(&args.input, false)?;
    let plan = if store.is_record() { None } else { Some(store.plan()?) };
    let (mut store, kind) = select(store, plan.as_ref(), args)?;
    store.flaws().iter().for_each(exit::print_error);
    if let Some((game, place)) = store.repeated_game()? {
        let expected = "expected each game of one match once";
        return Err(format!("{place}: game {game} occurs twice; {expected}").into());
    }
    if let Some(evaluator) = evaluator(args, plan.as_ref(), &kind)? {
        let isolation = isolate(args.isolation.isolate, args.luck_engine.as_slice())?;
        let meter = LuckMeter::new(&evaluator, isolation, interrupt);
        if store.is_record() {
            measure_luck(&mut store, &meter, interrupt)?;
        } else {
            measure_luck(&mut Store::resume(&args.input.file)?, &meter, interrupt)?;
        }
    }
    Ok((store, plan))
}

/// Variant and number of seats of a game. All games of a match are of one kind; people may record several in a file.
#[derive(Clone, PartialEq, Eq)]
struct Kind {
    variant: String,
    seats: usize,
}

impl Kind {
    fn of(game: &GameRecord) -> Kind {
        Kind { variant: game.variant.clone(), seats: game.seats.len() }
    }

    /// Flags that select these games.
    fn flags(&self) -> String {
        format!("--variant {} --players {}", self.variant, self.seats)
    }
}

/// Restricts a record to the kind of games that the user asks for, by default its first game's. Names the kinds that
/// are left out.
fn select(
    store: Store,
    plan: Option<&Plan>,
    args: &ReportArgs,
) -> Result<(Store, Kind), CommandError> {
    let path = args.input.file.display();
    // The kinds by their first games, with their numbers in a record.
    let mut kinds: Vec<(Kind, u64)> = Vec::new();
    if let Some(plan) = plan {
        kinds.push((Kind { variant: plan.rules.name().to_string(), seats: plan.seats }, 0));
    } else {
        store.for_each_game(Extent::Summary, |game| {
            let kind = Kind::of(&game.record);
            match kinds.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, games)) => *games += 1,
                None => kinds.push((kind, 1)),
            }
            Ok::<(), ArchiveError>(())
        })?;
    }
    let is_wanted = |Kind { variant, seats }: &Kind| {
        args.variant.as_ref().is_none_or(|wanted| wanted == variant)
            && args.players.is_none_or(|wanted| wanted == *seats)
    };
    let Some(wanted) = kinds.iter().position(|(kind, _)| is_wanted(kind)) else {
        let known: Vec<String> = kinds.iter().map(|(kind, _)| kind.flags()).collect();
        return Err(match known.as_slice() {
            [] => format!("{path}: no games in this file"),
            _ => format!("{path}: no such games: expected {}", known.join(" or ")),
        }
        .into());
    };
    let (kind, _) = kinds.remove(wanted);
    for (other, games) in &kinds {
        let games = count(*games, "game");
        exit::print_error(format_args!("{path}: {games} left out, see {}", other.flags()));
    }
    if kinds.is_empty() {
        return Ok((store, kind));
    }
    let store = Store::import(&args.input.file, |game| Kind::of(game) == kind)?;
    Ok((store, kind))
}

/// Returns the evaluator of luck that the user asks for, if any.
fn evaluator(
    args: &ReportArgs,
    plan: Option<&Plan>,
    kind: &Kind,
) -> Result<Option<Evaluator>, CommandError> {
    if let Some(engine) = &args.luck_engine {
        // As in the plan of the match, if it has such a limit.
        let percent = match plan.and_then(|plan| plan.luck.by) {
            Some(LuckBy::Engine { percent }) => percent,
            _ => USUAL_LUCK_PERCENT,
        };
        return Ok(Some(Evaluator::engine(engine.clone(), STALL, percent)));
    }
    let Some(nodes) = args.luck else { return Ok(None) };
    let variant = match plan {
        None => Variant::by_name(&kind.variant)?,
        Some(plan) => plan.rules.built_in().ok_or_else(|| {
            let game = &kind.variant;
            format!("--luck: the built-in engine does not play {game}: expected --luck-engine")
        })?,
    };
    Ok(Some(Evaluator::built_in(nodes, variant, kind.seats)))
}

/// Measures the luck of the games in a store that have none; of a record, of all games.
fn measure_luck(
    store: &mut Store,
    meter: &LuckMeter<'_>,
    interrupt: &Interrupt,
) -> Result<(), CommandError> {
    stop_on_signals(interrupt)?;
    if store.is_record() {
        // Several evaluators may have measured it.
        store.replace_luck(&[])?;
    }
    let bar = progress(0, "luck of {pos}/{len} games  {eta} left");
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let measured = measure_store(store, meter, threads, &|done, due| {
        bar.set_length(due as u64);
        bar.set_position(done as u64);
    });
    bar.finish_and_clear();
    Ok(measured?)
}

/// Reviews the valid games; prints the flaws of the others.
fn reviews_of(
    args: &ReportArgs,
    games: Vec<GameRecord>,
    interrupt: &Interrupt,
    page: &mut Page,
) -> Result<HashMap<u64, Review>, CommandError> {
    let engine = review_engine(args)?;
    page.set_reviewer(&format!("{} ({})", engine.name, engine.limit.in_words()));
    let is_valid = |game: &GameRecord| match replay::check(game).first() {
        None => true,
        Some(flaw) => {
            exit::print_error(format_args!("game {} is not reviewed: {flaw}", game.game));
            false
        }
    };
    let valid: Vec<GameRecord> = games.into_iter().filter(is_valid).collect();
    stop_on_signals(interrupt)?;
    let isolation = isolate(args.isolation.isolate, std::slice::from_ref(&engine))?;
    let mut reviews = HashMap::new();
    let add = |game: ReviewedGame<'_>| {
        reviews.insert(game.record.game, game.review);
    };
    review_all((&engine, isolation, 1), &valid, interrupt, || (), add)?;
    Ok(reviews)
}

/// The subject of a file of games, and its report before the first game.
fn beginning(store: &Store, plan: Option<&Plan>) -> Result<(Subject, Report), CommandError> {
    if let Some(plan) = plan {
        let subject = Subject::of_match(plan, &store.id_names()?, &store.circumstances()?);
        return Ok((subject, Report::of(plan)));
    }
    // Engines in the order of their first games.
    let mut names: Vec<String> = Vec::new();
    let (mut first_game, mut blocks) = (GameRecord::default(), HashMap::new());
    store.for_each_game(Extent::Summary, |StoredGame { record, .. }| {
        for name in &record.seats {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        *blocks.entry(record.block).or_default() += 1;
        if first_game.seats.is_empty() {
            first_game = record;
        }
        Ok::<(), ArchiveError>(())
    })?;
    let seats = first_game.seats.len();
    // A block has a game for each seat, or more with `--all-orders`.
    let games_per_block = blocks.into_values().fold(seats, usize::max);
    Ok((Subject::of_record(&first_game), Report::new(names, seats, games_per_block)))
}
