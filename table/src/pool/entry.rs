//! An engine that can be asked, and how it introduced itself.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::{VARIANTS, Variant};
use matches::plan::EngineSpec;
use matches::play::engine::{Engine, Placement, StartError};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::walls::Isolation;

/// What an engine says of itself.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// Its name in its own words.
    pub id: Option<String>,
    /// The options that it offers.
    pub offers: Vec<OptionOffer>,
    /// Why it could not be started; `None` where it could.
    pub failing: Option<String>,
}

/// An engine.
#[derive(Debug)]
pub struct Entry {
    /// How it is started.
    pub spec: EngineSpec,
    introduction: Mutex<Introduction>,
}

impl Entry {
    /// An engine that nothing is known of.
    pub fn new(spec: EngineSpec) -> Entry {
        Entry {
            spec,
            introduction: Mutex::default(),
        }
    }

    /// How it last introduced itself.
    pub fn introduction(&self) -> Introduction {
        self.introduced().clone()
    }

    fn introduced(&self) -> MutexGuard<'_, Introduction> {
        self.introduction
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it for the first variant that it plays, to hear what it says, and ends it.
    pub(super) fn introduce(
        &self,
        isolation: Option<Isolation>,
        ready: Duration,
        interrupt: &Interrupt,
    ) {
        for variant in VARIANTS {
            match self.start(variant, isolation, ready, interrupt) {
                Ok(engine) => return Engine::quit_all([engine]),
                Err(StartError::UnknownVariant { .. }) => {}
                Err(_) => return,
            }
        }
    }

    /// Starts a process of it.
    ///
    /// # Errors
    /// [`StartError`], which is kept as the reason for which it cannot be started.
    pub(super) fn start(
        &self,
        variant: &'static Variant,
        isolation: Option<Isolation>,
        ready: Duration,
        interrupt: &Interrupt,
    ) -> Result<Engine, StartError> {
        let placement = Placement {
            isolation,
            ..Placement::default()
        };
        let started = Engine::start(
            &self.spec,
            variant,
            placement,
            ready,
            &Log::none(),
            interrupt,
        );
        let mut introduction = self.introduced();
        match &started {
            Ok(engine) => {
                *introduction = Introduction {
                    id: engine.id_name().map(String::from),
                    offers: engine.offers().to_vec(),
                    failing: None,
                };
            }
            Err(error) => introduction.failing = Some(error.to_string()),
        }
        started
    }

    /// What an option is unless a request says otherwise: as it was configured, or the engine's default. `None` for
    /// a button, and for what is not offered.
    pub fn usual(&self, name: &str) -> Option<String> {
        let configured = self.spec.options.iter();
        let mut configured = configured.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((_, value)) = configured.next_back() {
            return Some(value.clone());
        }
        let introduction = self.introduced();
        let offer = introduction
            .offers
            .iter()
            .find(|offer| offer.name.eq_ignore_ascii_case(name));
        match &offer?.kind {
            OptionKind::Check { default } => Some(default.to_string()),
            OptionKind::Spin { default, .. } => Some(default.to_string()),
            OptionKind::Combo { default, .. } | OptionKind::String { default } => {
                Some(default.clone())
            }
            OptionKind::Button => None,
        }
    }
}
