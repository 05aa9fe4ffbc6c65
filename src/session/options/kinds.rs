//! Kinds of options: their offers and the values that they accept.

use crate::protocol::OptionKind;

/// Values of a combo, by name.
pub struct Choices<T: 'static>(pub &'static [(&'static str, T)]);

impl<T: Copy + PartialEq> Choices<T> {
    /// Returns the value of a name; for an unknown name, the first.
    pub fn named(&self, name: &str) -> T {
        let found = self.0.iter().find(|(known, _)| *known == name);
        found.unwrap_or(&self.0[0]).1
    }

    fn name_of(&self, value: T) -> &'static str {
        let found = self.0.iter().find(|(_, known)| *known == value);
        found.unwrap_or(&self.0[0]).0
    }
}

pub fn combo<T: Copy + PartialEq>(choices: &Choices<T>, default: T) -> OptionKind {
    OptionKind::Combo {
        default: choices.name_of(default).into(),
        vars: choices.0.iter().map(|(name, _)| (*name).into()).collect(),
    }
}

pub fn check(default: bool) -> OptionKind {
    OptionKind::Check { default }
}

pub fn spin(default: impl Into<i64>, min: u32, max: u32) -> OptionKind {
    OptionKind::Spin {
        default: default.into(),
        min: min.into(),
        max: max.into(),
    }
}

/// `true` if an option of this kind accepts the value.
pub fn is_taken(kind: &OptionKind, value: &str) -> bool {
    match kind {
        OptionKind::Check { .. } => matches!(value, "true" | "false"),
        OptionKind::Spin { min, max, .. } => {
            let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
            let number = value.parse::<i64>();
            is_plain && number.is_ok_and(|number| (*min..=*max).contains(&number))
        }
        OptionKind::Combo { vars, .. } => vars.iter().any(|var| var == value),
        OptionKind::Button => value.is_empty(),
        OptionKind::String { .. } => true,
    }
}

/// Describes the values that an option of this kind accepts.
pub fn expected_of(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { .. } => "true or false".into(),
        OptionKind::Spin { min, max, .. } => format!("a whole number from {min} to {max}"),
        OptionKind::Combo { vars, .. } => vars.join(" or "),
        OptionKind::Button => "no value".into(),
        OptionKind::String { .. } => "a text".into(),
    }
}

/// Default value of an option of this kind.
pub fn default_of(kind: &OptionKind) -> String {
    match kind {
        OptionKind::Check { default } => default.to_string(),
        OptionKind::Spin { default, .. } => default.to_string(),
        OptionKind::Combo { default, .. } | OptionKind::String { default } => default.clone(),
        OptionKind::Button => String::new(),
    }
}
