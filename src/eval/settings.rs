//! What can be chosen about the models of the articles: each game owns its choices, and says which options set them.

use super::{fox, hase};

/// The choices about all models; each game heeds its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ModelSettings {
    /// Those of Hase und Igel.
    pub hase: hase::Settings,
    /// Those of Rabbits and Wolves.
    pub fox: fox::Settings,
}

/// An option that sets one of the choices.
#[derive(Debug)]
pub struct ModelOption {
    /// Its name.
    pub name: &'static str,
    /// The values that it takes.
    pub values: Values,
    /// The choice as a number: the value, or which of the names it has, from 0.
    pub get: fn(&ModelSettings) -> u32,
    /// Sets the choice to such a number, which is within the values.
    pub set: fn(&mut ModelSettings, u32),
}

/// The values of a [`ModelOption`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Values {
    /// Whole numbers from 0 to the one given.
    UpTo(u32),
    /// Names.
    Names(&'static [&'static str]),
}

impl ModelOption {
    /// The options of all games.
    pub fn all() -> impl Iterator<Item = &'static ModelOption> {
        hase::OPTIONS.iter().chain(fox::OPTIONS)
    }
}
