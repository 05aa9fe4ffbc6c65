//! The list of engines and games.

use axum::Json;
use axum::extract::State as Shared;
use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::{AnyPosition, MAX_SEATS, VARIANTS, Variant};
use matches::record::printable::printable;
use serde::Serialize;

use super::App;
use super::search::{highest, is_free};
use crate::clients::MAX_BODY_BYTES;
use crate::game::MAX_WORDS;
use crate::pool::{Entry, Load};

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
