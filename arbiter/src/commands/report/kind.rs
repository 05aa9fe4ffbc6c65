//! Selection of the games in a record: a report is about one kind, but people may have recorded several.

use arbiter::args::ReportArgs;
use matches::archive::ArchiveError;
use matches::archive::game_file::{GameFile, Kind};

use super::super::{CommandError, exit};

/// Restricts a record to the kind of games that the user asks for, by default its first game's. Names the kinds
/// that are left out.
pub fn select(file: GameFile, args: &ReportArgs) -> Result<(GameFile, Kind), CommandError> {
    let path = args.input.file.display();
    let mut kinds = kinds_in(&file)?;
    let is_wanted = |Kind { variant, seats }: &Kind| {
        args.variant.as_ref().is_none_or(|wanted| wanted == variant)
            && args.players.is_none_or(|wanted| wanted == *seats)
    };
    let flags = |Kind { variant, seats }: &Kind| format!("--variant {variant} --players {seats}");
    let Some(wanted) = kinds.iter().position(|(kind, _)| is_wanted(kind)) else {
        let known: Vec<String> = kinds.iter().map(|(kind, _)| flags(kind)).collect();
        return Err(match known.as_slice() {
            [] => format!("{path}: no games in this file"),
            _ => format!("{path}: no such games: expected {}", known.join(" or ")),
        }
        .into());
    };
    let (kind, _) = kinds.remove(wanted);
    for (other, games) in &kinds {
        let number = match games {
            1 => "1 game".to_string(),
            _ => format!("{games} games"),
        };
        exit::complain(format_args!("{path}: {number} left out, see {}", flags(other)));
    }
    let file = match file {
        GameFile::Lines { path, .. } => GameFile::Lines { path, kind: Some(kind.clone()) },
        store @ GameFile::Store(_) => store,
    };
    Ok((file, kind))
}

/// Returns the kinds of games in a file by their first games, with their numbers in a record.
fn kinds_in(file: &GameFile) -> Result<Vec<(Kind, u64)>, CommandError> {
    if let GameFile::Store(store) = file {
        let plan = store.plan()?;
        return Ok(vec![(Kind { variant: plan.rules.name().to_string(), seats: plan.seats }, 0)]);
    }
    let mut kinds: Vec<(Kind, u64)> = Vec::new();
    file.for_each(|_, game| {
        let Ok(game) = game else { return Ok(()) };
        let kind = Kind::of(&game);
        match kinds.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, games)) => *games += 1,
            None => kinds.push((kind, 1)),
        }
        Ok::<(), ArchiveError>(())
    })?;
    Ok(kinds)
}
