//! Settings of the articles' models. Each game defines its settings and the options for them.

use super::{fox, hase};

/// Settings of all models; each game uses its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// Settings of Hase und Igel.
    pub hase: hase::Settings,
    /// Settings of Rabbits and Wolves.
    pub fox: fox::Settings,
}

/// An option for one of the settings.
#[derive(Debug)]
pub struct ModelOption {
    /// Its name.
    pub name: &'static str,
    /// Accepted values.
    pub values: Values,
    /// Returns the setting as a number: its value, or the index of its name.
    pub get: fn(&ModelSettings) -> u32,
    /// Sets it to a number as returned by `get`, which must be in range.
    pub set: fn(&mut ModelSettings, u32),
}

/// Accepted values of a [`ModelOption`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Whole numbers from 0 to this.
    UpTo(u32),
    /// One of these names.
    Names(&'static [&'static str]),
}

impl ModelOption {
    /// Options of all games.
    pub fn all() -> impl Iterator<Item = &'static ModelOption> {
        hase::OPTIONS.iter().chain(fox::OPTIONS)
    }
}
