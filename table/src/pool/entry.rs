//! An engine of the pool, with its reported name and options.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use buxtehude::protocol::{OptionKind, OptionOffer};
use buxtehude::rules::{VARIANTS, Variant};
use matches::plan::EngineSpec;
use matches::play::engine::{Engine, Placement, StartError};
use matches::play::interrupt::Interrupt;
use matches::play::log::Log;
use matches::play::sandbox::Isolation;

/// An engine's report about itself.
#[derive(Clone, Debug, Default)]
pub struct Introduction {
    /// Its name.
    pub id: Option<String>,
    pub offers: Vec<OptionOffer>,
    /// Reason why it could not be started; `None` if it could.
    pub error: Option<String>,
}

/// An engine of the pool.
#[derive(Debug)]
pub struct Entry {
    pub spec: EngineSpec,
    introduction: Mutex<Introduction>,
}

impl Entry {
    /// An engine that has not been started yet.
    pub fn new(spec: EngineSpec) -> Entry {
        Entry { spec, introduction: Mutex::default() }
    }

    /// Its last report about itself.
    pub fn introduction(&self) -> Introduction {
        self.introduced().clone()
    }

    fn introduced(&self) -> MutexGuard<'_, Introduction> {
        self.introduction.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts it once, for the first variant that it plays, to get its report.
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

    /// Starts a process.
    ///
    /// # Errors
    /// [`StartError`], which is also kept in the introduction.
    pub(super) fn start(
        &self,
        variant: &'static Variant,
        isolation: Option<Isolation>,
        ready: Duration,
        interrupt: &Interrupt,
    ) -> Result<Engine, StartError> {
        let started = Engine::start(
            &self.spec,
            variant.name,
            Placement::anywhere(isolation),
            ready,
            &Log::none(),
            interrupt,
        );
        let mut introduction = self.introduced();
        match &started {
            Ok(engine) => {
                *introduction = Introduction {
                    id: engine.id_name().map(String::from),
                    offers: engine.offers().readable.clone(),
                    error: None,
                };
            }
            Err(error) => introduction.error = Some(error.to_string()),
        }
        started
    }

    /// Returns the value of an option unless a request sets another: the configured one, or the engine's default.
    /// `None` for a button, and for an unknown option.
    pub fn usual(&self, name: &str) -> Option<String> {
        let configured = self.spec.options.iter();
        let mut configured = configured.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        if let Some((_, value)) = configured.next_back() {
            return Some(value.clone());
        }
        let introduction = self.introduced();
        let offer = introduction.offers.iter().find(|offer| offer.name.eq_ignore_ascii_case(name));
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
