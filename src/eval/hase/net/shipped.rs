//! The weights that come with the engine, and the nets made of them or of others.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Net, Weights};
use crate::eval::Evaluators;
use crate::rules::hase::Ruleset;

/// The files of weights by variant; for each two to six seats.
const FILES: &[(&str, [&[u8]; 5])] = &[
    (
        "hase-und-igel",
        [
            include_bytes!("../../../../data/nets/hase-und-igel-2.net"),
            include_bytes!("../../../../data/nets/hase-und-igel-3.net"),
            include_bytes!("../../../../data/nets/hase-und-igel-4.net"),
            include_bytes!("../../../../data/nets/hase-und-igel-5.net"),
            include_bytes!("../../../../data/nets/hase-und-igel-6.net"),
        ],
    ),
    (
        "hare-and-tortoise",
        [
            include_bytes!("../../../../data/nets/hare-and-tortoise-2.net"),
            include_bytes!("../../../../data/nets/hare-and-tortoise-3.net"),
            include_bytes!("../../../../data/nets/hare-and-tortoise-4.net"),
            include_bytes!("../../../../data/nets/hare-and-tortoise-5.net"),
            include_bytes!("../../../../data/nets/hare-and-tortoise-6.net"),
        ],
    ),
];

impl Weights {
    /// The weights that come with the engine for a ruleset and 2 to 6 seats; `None` where there are none.
    pub fn shipped(ruleset: &Ruleset, seats: usize) -> Option<Weights> {
        let (_, files) = FILES.iter().find(|(name, _)| *name == ruleset.name)?;
        Weights::from_bytes(files.get(seats.checked_sub(2)?)?).ok()
    }

    /// Whether the engine comes with weights for the variant of this name.
    pub fn are_shipped_for(variant: &str) -> bool {
        FILES.iter().any(|(name, _)| *name == variant)
    }
}

/// The net that was made last, and weights that are used instead of those that come with the engine.
#[derive(Debug, Default)]
pub struct Nets {
    own: Option<Weights>,
    last: Option<(&'static str, Arc<Net>)>,
}

impl Nets {
    /// The net for a ruleset and a number of seats.
    ///
    /// # Panics
    /// If the engine comes with no weights for them, which a test excludes.
    pub fn net(&mut self, ruleset: &'static Ruleset, seats: usize) -> Arc<Net> {
        if let Some((variant, net)) = &self.last
            && *variant == ruleset.name
            && net.seats() == seats
        {
            return Arc::clone(net);
        }
        // The new one takes the room of the old, so that there are never two.
        let old = self.last.take().and_then(|(_, net)| Arc::into_inner(net));
        let own = self.own.as_ref();
        let own = own.filter(|own| own.variant == ruleset.name && own.seats == seats);
        let shipped = || Weights::shipped(ruleset, seats).expect("weights for every variant");
        let weights = own.map_or_else(|| Cow::Owned(shipped()), Cow::Borrowed);
        let net = Arc::new(Net::in_place_of(old, ruleset, &weights));
        self.last = Some((ruleset.name, Arc::clone(&net)));
        net
    }
}

impl Evaluators {
    /// Uses these weights for their variant and number of seats from now on; without any, those that come with the
    /// engine.
    pub fn use_weights(&self, weights: Option<Weights>) {
        let mut nets = self.lock();
        nets.last = None;
        nets.own = weights;
    }
}
