//! Settings of a match, as shown on the page.

use matches::archive::store::Circumstances;
use matches::plan::{Adjudication, EngineSpec, Plan};
use matches::record::GameRecord;

#[derive(Clone, Debug)]
pub struct Subject {
    /// Heading of the page.
    pub title: String,
    pub settings: Vec<(&'static str, String)>,
    /// The engines, if their settings are known.
    pub engines: Vec<EngineEntry>,
}

#[derive(Clone, Debug)]
pub struct EngineEntry {
    /// Name in all tables.
    pub name: String,
    /// The engine's own name, from `id name`.
    pub id_name: Option<String>,
    /// Limit of each move.
    pub limit: String,
    /// Options set by the user.
    pub options: String,
    /// The program with its arguments.
    pub command: String,
    /// SHA-256 of the program.
    pub sha256: Option<String>,
}

impl Subject {
    /// Describes a stored match, given its engines' own names and its circumstances.
    pub fn of_match(
        plan: &Plan,
        id_names: &[Option<String>],
        circumstances: &Circumstances,
    ) -> Subject {
        let id_names = id_names.iter().cloned().chain(std::iter::repeat(None));
        let programs = circumstances.programs.iter().cloned();
        let programs = programs.chain(std::iter::repeat(None));
        let patience = &plan.patience;
        let mut settings = vec![
            ("variant", plan.rules.name().to_string()),
            ("format", plan.format.to_string()),
            ("seats", plan.seats.to_string()),
            ("games planned", plan.games.to_string()),
            ("seed", plan.seed.to_string()),
            ("openings", openings(plan)),
            ("random plies", plan.random_plies.to_string()),
            ("stall", format!("{} s", patience.stall.as_secs_f64())),
            ("most plies", patience.max_plies.to_string()),
        ];
        let Adjudication { resign, solved } = plan.adjudication;
        settings.extend(resign.map(|resign| ("resign", resign.to_string())));
        settings.extend(
            solved.then(|| ("solved", "games end where the rules know the outcome".to_string())),
        );
        settings.extend(plan.sprt.map(|sprt| ("test", sprt.to_string())));
        settings.extend(played(circumstances));
        Subject {
            title: title(plan.rules.name(), plan.seats),
            settings,
            engines: plan.engines.iter().zip(id_names).zip(programs).map(entry).collect(),
        }
    }

    /// Describes the match of a recorded game, as far as the record tells.
    pub fn of_record(game: &GameRecord) -> Subject {
        let settings = [
            ("variant", game.variant.clone()),
            ("seats", game.seats.len().to_string()),
            ("seed", game.seed.to_string()),
        ];
        Subject {
            title: title(&game.variant, game.seats.len()),
            settings: settings.into(),
            engines: Vec::new(),
        }
    }
}

fn title(variant: &str, seats: usize) -> String {
    format!("{variant}, {seats} seats")
}

fn openings(plan: &Plan) -> String {
    match plan.openings.as_slice() {
        [only] => {
            let start = only.start.as_deref().unwrap_or("the start");
            let moves = only.moves.iter().map(|word| format!(" {word}"));
            moves.fold(start.to_string(), |text, word| text + &word)
        }
        several => format!("{} in turn", several.len()),
    }
}

/// Start, duration, machine and version of the arbiter, as far as they are known.
fn played(circumstances: &Circumstances) -> impl Iterator<Item = (&'static str, String)> {
    let known = circumstances.clone();
    let took = known.seconds.map(|seconds| {
        let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
        format!("{hours}:{minutes:02}:{:02} h", seconds % 60)
    });
    let facts = [
        ("started", known.begun),
        ("duration", took),
        ("machine", known.machine),
        ("arbiter", known.arbiter),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?)))
}

fn entry(
    ((engine, id_name), sha256): ((&EngineSpec, Option<String>), Option<String>),
) -> EngineEntry {
    let mut options: Vec<String> =
        engine.options.iter().map(|(name, value)| format!("{name}={value}")).collect();
    options.extend(engine.switches());
    let command = engine.command.display().to_string();
    let words = std::iter::once(&command).chain(&engine.args);
    EngineEntry {
        name: engine.name.clone(),
        id_name,
        limit: engine.limit.in_words(),
        options: options.join(", "),
        command: words.map(String::as_str).collect::<Vec<&str>>().join(" "),
        sha256,
    }
}
