//! The shipped weights, and the nets built from them or from others.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Net, Weights};
use crate::eval::Evaluators;
use crate::rules::hase::Ruleset;

/// Weights files by variant, each for two to six seats.
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
    /// Shipped weights for a ruleset and 2 to 6 seats; `None` if there are none.
    pub fn shipped(ruleset: &Ruleset, seats: usize) -> Option<Weights> {
        let (_, files) = FILES.iter().find(|(name, _)| *name == ruleset.name)?;
        Weights::from_bytes(files.get(seats.checked_sub(2)?)?).ok()
    }

    /// `true` if there are shipped weights for the variant.
    pub fn are_shipped_for(variant: &str) -> bool {
        FILES.iter().any(|(name, _)| *name == variant)
    }
}

/// The net built last, and weights to use instead of the shipped ones.
#[derive(Debug, Default)]
pub struct Nets {
    own: Option<Weights>,
    last: Option<(&'static str, Arc<Net>)>,
}

impl Nets {
    /// Returns the net for a ruleset and a number of seats.
    ///
    /// # Panics
    /// If there are no shipped weights for them, which a test excludes.
    pub fn net(&mut self, ruleset: &'static Ruleset, seats: usize) -> Arc<Net> {
        if let Some((variant, net)) = &self.last
            && *variant == ruleset.name
            && net.seats() == seats
        {
            return Arc::clone(net);
        }
        // The new net reuses the memory of the old one, so that two never exist at the same time.
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
    /// Uses these weights for their variant and number of seats from now on; with `None`, the shipped weights for all.
    pub fn use_weights(&self, weights: Option<Weights>) {
        let mut nets = self.lock();
        nets.last = None;
        nets.own = weights;
    }
}
