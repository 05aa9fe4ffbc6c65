//! `fleet status`: prints matches, workers and their speed, refusals, and progress.

use std::process::ExitCode;

use matches::archive::ArchiveError;
use matches::archive::store::Store;
use matches::output::print;
use matches::run::announcement::count;
use matches::run::exit::{USAGE, fail, status_of};
use matches::run::past::Past;

use crate::args::{ServerArgs, StatusArgs};
use crate::message::{AsideTally, Beat, OpenMatches, State, Tally};
use crate::names::{Names, OPEN};
use crate::queue::{Bucket, QueueError, connect};

/// Prints the state of the fleet; returns the exit status.
pub async fn status(server: &ServerArgs, args: &StatusArgs) -> ExitCode {
    let mut text = String::new();
    if let Some(path) = &args.file {
        let stored = || -> Result<String, ArchiveError> {
            let store = Store::open(path)?;
            let plan = store.plan()?;
            let played = Past::of(&store, &plan)?.played.len();
            let (all, path) = (count(plan.games, "game"), path.display());
            Ok(format!("{path}: {played} of {all} stored\n"))
        };
        match stored() {
            Ok(line) => text += &line,
            Err(error) => return fail(status_of(&error), error),
        }
    }
    match on_server(server).await {
        Ok(lines) => text += &lines,
        Err(error) => return fail(USAGE, error),
    }
    let _ = print(&text);
    ExitCode::SUCCESS
}

async fn on_server(server: &ServerArgs) -> Result<String, QueueError> {
    let context = connect(server, "fleet status").await?;
    // This command only reads, so it creates nothing on the server.
    let Some(matches) = Bucket::find_matches(&context).await? else {
        return Ok("no match is open, and the server has no earlier ones\n".to_string());
    };
    let open: OpenMatches = matches.get(OPEN).await?.unwrap_or_default();
    let mut text = match open.ids.len() {
        0 => "no match is open\n".to_string(),
        _ => String::new(),
    };
    for names in open.ids.iter().filter_map(|id| Names::of(id)) {
        text += &of_match(&matches, &names).await?;
    }
    let beats: Vec<Beat> = match Bucket::find_beats(&context).await? {
        Some(beats) => beats.all().await?,
        None => Vec::new(),
    };
    text += &format!("{}\n", count(beats.len() as u64, "worker"));
    for beat in beats {
        let games_per_second = beat.games as f64 / (beat.seconds.max(1) as f64);
        let lags = [beat.lag_micros, beat.lag_p99_micros];
        let [lag, p99] = lags.map(|micros| micros as f64 / 1000.0);
        let speed = beat
            .speed
            .map_or("-".to_string(), |speed| speed.to_string());
        text += &format!(
            "  {}  arbiter {}  playing {} of {}  {} games  {games_per_second:.2} games/s  lag: median {lag:.2} ms, \
             p99 {p99:.2} ms  {speed} positions/s in each slot\n",
            beat.worker, beat.arbiter, beat.playing, beat.concurrency, beat.games
        );
        for (id, reason) in beat.refused {
            text += &format!("    refuses match {id}: {reason}\n");
        }
    }
    Ok(text)
}

async fn of_match(matches: &Bucket, names: &Names) -> Result<String, QueueError> {
    let id = names.id();
    let state = matches.get::<State>(&names.state()).await;
    let state = match state {
        Ok(Some(state)) => state,
        Ok(None) => return Ok(format!("match {id}: its state is missing on the server\n")),
        Err(error) => return Ok(format!("match {id}: {error}\n")),
    };
    let mut tally = Tally::default();
    for part in 0.. {
        match matches.get::<Tally>(&names.tally(part)).await? {
            Some(more) => tally.join(more),
            None => break,
        }
    }
    let phase = format!("{:?}", state.phase).to_lowercase();
    let mut text = format!(
        "match {id}: {phase}, {} of {} games stored\n",
        tally.stored, tally.games
    );
    for (worker, tally) in &tally.workers {
        text += &format!(
            "  {worker}  {} games, {} with a fault, {} duplicates, {} refused\n",
            tally.games, tally.faults, tally.doubles, tally.refused
        );
    }
    for (worker, AsideTally { reason, games }) in &tally.set_aside {
        text += &format!("  {worker} is set aside: {reason}; {games} of its games not counted\n");
    }
    Ok(text)
}
