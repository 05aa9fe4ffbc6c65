//! The variants to check, each with its numbers of seats.

use buxtehude::rules::{AnyPosition, MAX_SEATS, VARIANTS, Variant};

use super::{Profile, Settings};

/// Returns each variant to check with each number of seats that it allows.
pub fn tables(settings: &Settings) -> Vec<(&'static Variant, usize)> {
    let asked = |variant: &&Variant| {
        settings
            .variant
            .is_none_or(|only| only.name == variant.name)
    };
    // Plain UCI knows two seats and no cards.
    let is_plain = |start: &AnyPosition| start.seats() == 2 && !start.has_cards();
    let mut tables = Vec::new();
    for variant in VARIANTS.iter().filter(asked) {
        for seats in 2..=MAX_SEATS {
            let is_said = |start| settings.profile != Profile::Uci || is_plain(&start);
            if variant.start(seats).is_ok_and(is_said) {
                tables.push((variant, seats));
            }
        }
    }
    tables
}
