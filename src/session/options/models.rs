//! Protocol options for the settings of the articles' models, which the games define.

use super::kinds::spin;
use crate::eval::{ModelOption, ModelSettings, Values};
use crate::protocol::OptionKind;

/// Kind and default of an option.
pub fn kind_of(option: &ModelOption) -> OptionKind {
    let default = (option.get)(&ModelSettings::default());
    match option.values {
        Values::UpTo(most) => spin(default, 0, most),
        Values::Names(names) => OptionKind::Combo {
            default: names[default as usize].into(),
            vars: names.iter().map(|name| (*name).into()).collect(),
        },
    }
}

/// Sets an option to a value that its kind accepts.
pub fn set(option: &ModelOption, settings: &mut ModelSettings, value: &str) {
    let number = match option.values {
        Values::UpTo(_) => value.parse().ok(),
        Values::Names(names) => names
            .iter()
            .position(|name| *name == value)
            .map(|i| i as u32),
    };
    if let Some(number) = number {
        (option.set)(settings, number);
    }
}
