//! `fleet status`: prints matches, workers and their speed, refusals, and progress.

use std::process::ExitCode;

use futures_util::StreamExt;
use matches::archive::ArchiveError;
use matches::archive::store::Store;
use matches::output::print;
use matches::record::printable::printable;
use matches::run::display::count;
use matches::run::exit::{USAGE, fail, status_of};
use matches::run::past::Past;

use crate::args::{ServerArgs, StatusArgs};
use crate::message::{AsideTally, Beat, OpenMatches, State, Tally};
use crate::queue::{self, BEATS, MATCHES, Names, OPEN, QueueError, connect};
use crate::signature::Key;
use crate::storage::Bucket;

/// Heartbeats requested from the server at a time.
const MAX_ASKED: usize = 64;

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
    let context = connect(server, "fleet status", None).await?;
    // This command only reads, so it creates nothing on the server.
    let Some(matches) = Bucket::find(&context, MATCHES).await? else {
        return Ok("no match is open, and the server has no earlier ones\n".to_string());
    };
    let (mut text, mut open) = (String::new(), 0);
    for coordinator in matches.keys(OPEN).await? {
        let key = queue::open(&coordinator);
        let found = matches.get_readable(&key, &coordinator).await?;
        let OpenMatches { ids } = found.unwrap_or_default();
        for names in ids.iter().filter_map(|id| Names::of(id)) {
            text += &of_match(&matches, &coordinator, &names).await?;
            open += 1;
        }
    }
    if open == 0 {
        text += "no match is open\n";
    }
    let mut workers = Vec::new();
    if let Some(beats) = Bucket::find(&context, BEATS).await? {
        let keys = beats.keys("").await?.into_iter();
        let asked = keys.map(async |key| {
            let beat = beats.get_readable(key.as_str(), &key).await;
            (beat, key)
        });
        let mut answers = futures_util::stream::iter(asked).buffered(MAX_ASKED);
        while let Some((beat, key)) = answers.next().await {
            workers.extend(beat?.map(|beat: Beat| (key, beat)));
        }
    }
    workers.sort_by(|(_, one), (_, other)| one.label.cmp(&other.label));
    text += &format!("{}\n", count(workers.len() as u64, "worker"));
    for (key, beat) in workers {
        let games_per_second = beat.games as f64 / (beat.seconds.max(1) as f64);
        let lags = [beat.lag_micros, beat.lag_p99_micros];
        let [lag, p99] = lags.map(|micros| micros as f64 / 1000.0);
        let speed = beat.speed.map_or("-".to_string(), |speed| speed.to_string());
        text += &format!(
            "  {}  arbiter {}  playing {} of {}  {} games  {games_per_second:.2} games/s  lag: median {lag:.2} ms, \
             p99 {p99:.2} ms  {speed} positions/s in each slot  key {key}\n",
            printable(&beat.label),
            printable(&beat.arbiter),
            beat.playing,
            beat.concurrency,
            beat.games
        );
        for (id, reason) in beat.refused {
            let text_of_refusal = format!("refuses match {id}: {reason}");
            text += &format!("    {}\n", printable(&text_of_refusal));
        }
    }
    Ok(text)
}

async fn of_match(matches: &Bucket, by: &Key, names: &Names) -> Result<String, QueueError> {
    let id = names.id();
    let state = match matches.get::<State>(&names.state(), by).await {
        Ok(Some(state)) => state,
        Ok(None) => return Ok(format!("match {id}: its state is missing on the server\n")),
        Err(error) => return Ok(format!("match {id}: {error}\n")),
    };
    let mut tally = Tally::default();
    for part in 0.. {
        match matches.get_readable(&names.tally(part), by).await? {
            Some(more) => tally.join(more),
            None => break,
        }
    }
    let phase = format!("{:?}", state.phase).to_lowercase();
    let mut text = format!(
        "match {id}: {phase}, {} of {} games stored; coordinator {by}\n",
        tally.stored, tally.games
    );
    for (worker, tally) in &tally.workers {
        text += &format!(
            "  {worker}  {} games, {} with a fault, {} duplicates, {} refused\n",
            tally.games, tally.faults, tally.doubles, tally.refused
        );
        if let Some(AsideTally { reason, games }) = &tally.set_aside {
            text +=
                &format!("  {worker} is set aside: {reason}; {games} of its games not counted\n");
        }
    }
    Ok(text)
}
