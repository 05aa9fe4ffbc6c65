//! The evaluation of Hase und Igel: a learned [`net`].

pub mod net;

use std::sync::Arc;

use super::{Evaluate, Evaluators};
use crate::rules::Game;
use crate::rules::hase::Position;
use net::{Net, Nets};

impl Evaluate for Position {
    type Evaluator = Net;

    fn evaluator(&self, evaluators: &Evaluators) -> Arc<Net> {
        evaluators.with(|nets: &mut Nets| nets.net(self.ruleset(), self.seats()))
    }
}
