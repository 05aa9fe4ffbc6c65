//! The list of engines, and their moves.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::State as Shared;
use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::{AnyPosition, MAX_SEATS, VARIANTS, Variant};
use matches::record::printable::printable;
use serde::{Deserialize, Serialize};

use super::App;
use super::rules::take;
use super::search::{SearchTerms, estimate, highest, is_free, legal_line};
use crate::admission::{JobKind, MAX_BODY_BYTES};
use crate::board::{Game, MAX_WORDS, Took};
use crate::body::{JsonAnswer, JsonRequest, object};
use crate::error::ApiError;
use crate::pool::{Entry, Load};

/// Request of `POST /api/ai`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AiRequest {
    /// The game; a seat must be to move.
    #[serde(deserialize_with = "object")]
    pub game: Game,
    /// Name of the engine; by default the first one.
    #[serde(default)]
    pub engine: Option<String>,
    /// Limit of the search, such as `movetime 100`, `depth 3`, `nodes 1000`, or several of these; by default the
    /// engine's own.
    #[serde(default)]
    pub limit: Option<String>,
    /// Options of the engine for this move, by name.
    #[serde(default)]
    pub options: BTreeMap<String, String>,
}

/// Answer of `POST /api/ai`.
#[derive(Clone, Debug, Serialize)]
pub struct AiAnswer {
    /// The game after the move, and the card drawn for it.
    #[serde(flatten)]
    pub took: Took,
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Name of the engine.
    pub engine: String,
    /// Each seat's expected share of all points before the move, in permille; `null` if the engine reports none.
    pub estimate: Option<Vec<u16>>,
    /// Depth of the search in plies; `null` if the engine reports none.
    pub depth: Option<u32>,
    /// Positions visited; `null` if the engine reports none.
    pub nodes: Option<u64>,
    /// Principal variation: moves and cards that the engine expects, up to the first illegal one.
    pub pv: Vec<String>,
}

/// Answer of `GET /api/engines`.
#[derive(Clone, Debug, Serialize)]
pub struct Engines {
    /// Always true.
    pub ok: bool,
    /// The engines; the first one is the default.
    pub engines: Vec<EngineEntry>,
    /// Load of the engines.
    pub queue: Load,
    /// The games.
    pub variants: Vec<VariantEntry>,
    /// Limits of requests.
    pub limits: Limits,
}

/// An engine.
#[derive(Clone, Debug, Serialize)]
pub struct EngineEntry {
    /// Name in requests.
    pub name: String,
    /// Name that it reports itself.
    pub id: Option<String>,
    /// Reason why it could not be started; `null` if it could.
    pub error: Option<String>,
    /// Options that a request may set.
    pub options: Vec<OptionEntry>,
}

/// An option.
#[derive(Clone, Debug, Serialize)]
pub struct OptionEntry {
    /// Its name.
    pub name: String,
    /// `check` for true or false, `spin` for a number, `combo` for one of `vars`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Value unless a request sets another.
    pub default: String,
    /// Minimum of a `spin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<i64>,
    /// Maximum of a `spin`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<i64>,
    /// Values of a `combo`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub vars: Vec<String>,
}

/// A game.
#[derive(Clone, Debug, Serialize)]
pub struct VariantEntry {
    /// Its name.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Possible numbers of players.
    pub players: Vec<usize>,
    /// Whether the game has cards.
    pub cards: bool,
    /// Whether the game is solved.
    pub solved: bool,
}

/// Limits of requests.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Limits {
    /// Moves and cards in a game.
    pub words: usize,
    /// Bytes in a body.
    pub bytes: usize,
    /// Milliseconds for a search.
    pub movetime: u64,
    /// Number of concurrent engine processes.
    pub processes: usize,
}

pub fn variants() -> Vec<VariantEntry> {
    VARIANTS.iter().map(VariantEntry::of).collect()
}

/// `GET /api/engines`
pub async fn engines(Shared(app): Shared<App>) -> Json<Engines> {
    let bounds = app.pool.bounds();
    let entries = app.pool.entries().iter();
    Json(Engines {
        ok: true,
        engines: entries.map(|entry| EngineEntry::of(&app, entry)).collect(),
        queue: app.pool.load(),
        variants: variants(),
        limits: Limits {
            words: MAX_WORDS,
            bytes: MAX_BODY_BYTES,
            movetime: u64::try_from(app.bounds.longest.as_millis()).unwrap_or(u64::MAX),
            processes: bounds.processes,
        },
    })
}

/// `POST /api/ai`
///
/// # Errors
/// [`ApiError`] if the request is invalid or the engine fails.
pub async fn ai(
    Shared(app): Shared<App>,
    request: JsonRequest<AiRequest>,
) -> Result<JsonAnswer, ApiError> {
    let place = request.place.clone();
    let queued = place.queue_long_job(JobKind::Move)?;
    let terms_of = app.clone();
    let prepare = move |request: AiRequest| {
        let played = request.game.play()?;
        let (engine, limit) = (request.engine.as_deref(), request.limit.as_deref());
        let terms = SearchTerms::new(&terms_of, engine, limit, &request.options)?;
        let question = terms.question(&played)?;
        Ok((played, terms, question))
    };
    let (played, terms, question) = request.run(prepare).await?;
    let _job = queued.turn().await?;
    let permit = app.pool.ask(place.client(), question, false)?;
    let found = permit.wait().await?;
    let answer = move || {
        let before = played.position;
        Ok(AiAnswer {
            took: take(played, found.mv.clone(), Some(app.chance))?,
            mv: found.mv,
            engine: terms.engine.spec.name.clone(),
            estimate: estimate([&found.estimate, &found.info.estimate], &before),
            depth: found.info.depth,
            nodes: found.info.nodes,
            pv: legal_line(&found.info, before),
        })
    };
    JsonAnswer::by(&place, answer).await
}

impl EngineEntry {
    fn of(app: &App, entry: &Entry) -> EngineEntry {
        let introduction = entry.introduction();
        let free = introduction.offers.iter().filter(|offer| is_free(offer));
        let error = introduction.error.as_deref();
        EngineEntry {
            name: entry.spec.name.clone(),
            options: free
                .map(|offer| OptionEntry::of(app, offer, entry.usual(&offer.name)))
                .collect(),
            id: introduction.id,
            error: error.map(|error| printable(error).into_owned()),
        }
    }
}

impl OptionEntry {
    fn of(app: &App, offer: &OptionOffer, usual: Option<String>) -> OptionEntry {
        let mut entry = OptionEntry {
            name: printable(&offer.name).into_owned(),
            kind: "check",
            default: usual.unwrap_or_default(),
            min: None,
            max: None,
            vars: Vec::new(),
        };
        match &offer.kind {
            OptionKind::Spin { min, max, .. } => {
                entry.kind = "spin";
                entry.min = Some(*min);
                entry.max =
                    Some(highest(app, &offer.name).map_or(*max, |highest| highest.min(*max)));
            }
            OptionKind::Combo { vars, .. } => {
                entry.kind = "combo";
                entry.vars.clone_from(vars);
            }
            OptionKind::Check { .. } | OptionKind::Button | OptionKind::String { .. } => {}
        }
        entry
    }
}

impl VariantEntry {
    fn of(variant: &'static Variant) -> VariantEntry {
        let starts: Vec<AnyPosition> =
            (2..=MAX_SEATS).filter_map(|seats| variant.start(seats).ok()).collect();
        VariantEntry {
            name: variant.name,
            aliases: variant.aliases,
            players: starts.iter().map(AnyPosition::seats).collect(),
            cards: starts.iter().any(AnyPosition::has_cards),
            solved: starts.first().is_some_and(|start| start.solved().is_some()),
        }
    }
}
