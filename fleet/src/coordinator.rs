//! `fleet match`, `fleet tournament` and `fleet resume`: the truth is kept here, in the arbiter's own store; the server
//! holds only what is to be played and what has just been played.

mod drive;
mod ending;
mod fisher;
mod giving;
mod machines;
mod outstanding;
mod prepared;
mod quarantine;
mod results;
mod retelling;
mod retiring;
mod sample;
mod share;
mod watch;
mod withdraw;

use std::process::ExitCode;

use async_nats::jetstream::Context;
use matches::archive::store::Store;
use matches::output::print;
use matches::plan::Plan;
use matches::play::interrupt::Interrupt;
use matches::play::runner;
use matches::play::signals;
use matches::play::walls::Isolation;
use matches::run::announcement::{count, header, print_schedule};
use matches::run::exit::{
    INTERRUPTED, USAGE, accuse_aloud, code_of, code_of_verdict, complain, complain_of, fail,
};
use matches::score::Verdict;
use settings::args::validate::ArgsError;
use settings::args::{GameArgs, OnInterrupt, ResumeArgs};

use crate::args::ServerArgs;
use crate::queue::{QueueError, connect, patiently};
use prepared::Prepared;

/// Coordinates what was planned for the first time; the exit code says how it went, as that of `arbiter match`.
pub async fn begin(
    server: &ServerArgs,
    planned: Result<(Plan, Vec<String>), ArgsError>,
    args: &GameArgs,
) -> ExitCode {
    let (plan, remarks) = match planned {
        Ok(planned) => planned,
        Err(error) => return fail(USAGE, error),
    };
    if args.dry_run {
        return match print_schedule(&plan) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => fail(USAGE, error),
        };
    }
    if args.store.is_none() {
        return fail(
            USAGE,
            "--store: expected a new file, in which the match is kept",
        );
    }
    // Before there is a store: who has no server has nothing to remove.
    let context = match reach(server).await {
        Ok(context) => context,
        Err(error) => return fail(USAGE, error),
    };
    match Prepared::new(&plan, remarks, args) {
        Ok(prepared) => {
            let on_interrupt = args.output.on_interrupt;
            coordinate(&context, prepared, server, on_interrupt).await
        }
        Err((code, error)) => fail(code, error),
    }
}

/// Goes on with a match that was stored; the exit code says how it went.
pub async fn resume(server: &ServerArgs, args: &ResumeArgs) -> ExitCode {
    let prepared = match Prepared::stored(args) {
        Ok(prepared) => prepared,
        Err((code, error)) => return fail(code, error),
    };
    let report = &prepared.ledger.report;
    let verdict = report.verdict();
    let context = reach(server).await;
    if prepared.played.len() as u64 >= prepared.plan.games || verdict != Verdict::Open {
        let (text, path) = (report.text(), args.file.display());
        let games = count(prepared.played.len() as u64, "game");
        let _ = print(&format!("{text}\n{games}, all stored in {path}\n"));
        if let Ok(context) = &context {
            ending::clear(context, &prepared.names).await;
        }
        return code_of_verdict(verdict);
    }
    let changed = prepared.ledger.store.as_ref().map(Store::changed_engines);
    match changed.transpose().map(Option::unwrap_or_default) {
        Err(error) => return fail(code_of(&error), error),
        Ok(changed) if !changed.is_empty() && !args.changed_engines => {
            let changed: Vec<String> = changed.iter().map(ToString::to_string).collect();
            let accepted = "expected the original programs, or --changed-engines";
            return fail(USAGE, format_args!("{}; {accepted}", changed.join("; ")));
        }
        Ok(_) => {}
    }
    match context {
        Ok(context) => {
            let on_interrupt = args.output.on_interrupt;
            coordinate(&context, prepared, server, on_interrupt).await
        }
        Err(error) => fail(USAGE, error),
    }
}

async fn reach(server: &ServerArgs) -> Result<Context, QueueError> {
    // Signals are not listened to yet: they end the coordinator.
    patiently(&Interrupt::new(), || connect(server, "fleet coordinator")).await
}

/// Gives out what is missing, takes what was played, and ends with the tables.
async fn coordinate(
    context: &Context,
    mut prepared: Prepared,
    server: &ServerArgs,
    on_interrupt: OnInterrupt,
) -> ExitCode {
    let interrupt = prepared.ledger.interrupt.clone();
    if let Err(error) = stop_on_signals(&interrupt, on_interrupt) {
        return fail(USAGE, format_args!("cannot handle signals: {error}"));
    }
    let id_names = match tokio::task::block_in_place(|| try_engines(&prepared, &interrupt)) {
        Ok((id_names, remarks)) => {
            prepared.remarks.extend(remarks);
            id_names
        }
        Err(_) if interrupt.is_set() => return ExitCode::from(INTERRUPTED),
        Err(error) => return prepared.give_up(USAGE, error),
    };
    let named = prepared.ledger.store.as_mut();
    if let Some(Err(error)) = named.map(|store| store.set_id_names(&id_names)) {
        return fail(
            code_of(&error),
            format_args!("no game could be stored: {error}"),
        );
    }
    if let Err((code, error)) = share::choose(&mut prepared, &server.share_engine) {
        return prepared.give_up(code, error);
    }
    let timed = prepared
        .plan
        .engines
        .iter()
        .find(|engine| !engine.limit.is_timeless());
    if let Some(engine) = timed.filter(|_| server.check_sample.is_some()) {
        let name = engine.name.clone();
        let error =
            format!("--check-sample: engine {name} is limited by time, expected depth or nodes");
        return prepared.give_up(USAGE, error);
    }
    prepared.reference_speed = match machines::reference_speed(&mut prepared, server) {
        Ok(speed) => speed,
        Err(error) => return prepared.give_up(USAGE, error),
    };
    if let Some(speed) = prepared.reference_speed {
        prepared.remarks.push(format!(
            "times are those of a machine with {speed} positions a second, and scaled for others"
        ));
    }
    let walls = format!("match {}: `fleet work` plays it", prepared.names.id());
    if print(&header(
        &prepared.plan,
        &id_names,
        &walls,
        &prepared.remarks,
    ))
    .is_err()
    {
        return ExitCode::from(INTERRUPTED);
    }
    let played = prepared.played.len() as u64;
    if let Some(events) = &mut prepared.ledger.events
        && let Err(error) = events.start(&prepared.plan, &id_names, played)
    {
        return fail(
            matches::run::exit::STORAGE,
            format_args!("--events: {error}"),
        );
    }
    ending::end(drive::drive(context, prepared, server).await)
}

/// Starts every engine once, as `arbiter match` does.
fn try_engines(
    prepared: &Prepared,
    interrupt: &Interrupt,
) -> Result<(Vec<Option<String>>, Vec<String>), String> {
    let Prepared { plan, log, .. } = prepared;
    let (isolation, _) = Isolation::of_plan(plan).map_err(|error| error.to_string())?;
    let checked = runner::check_engines(plan, isolation, log, interrupt);
    complain_of(log);
    checked.map_err(|error| error.to_string())
}

/// The first signal pauses the match, at once or after the running games; the last one ends the coordinator at once.
fn stop_on_signals(interrupt: &Interrupt, choice: OnInterrupt) -> std::io::Result<()> {
    let stopped = interrupt.clone();
    let on_signal = move || {
        if stopped.is_set() {
            std::process::exit(INTERRUPTED.into());
        }
        if choice == OnInterrupt::Finish && !stopped.ends() {
            stopped.finish();
            complain("stopping after the running games; interrupt again to drop them");
        } else {
            stopped.set();
            complain("stopping; interrupt again to stop at once");
        }
    };
    signals::listen(interrupt, on_signal, accuse_aloud)
}
