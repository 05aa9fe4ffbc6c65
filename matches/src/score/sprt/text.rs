//! The text form of a test: `elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic`.

use std::fmt;
use std::str::FromStr;

use super::{EloModel, Sprt, SprtError};

const KEYS: &str = "elo0, elo1, alpha, beta, model";

impl FromStr for Sprt {
    type Err = SprtError;

    /// Parses `key=value` words separated by blanks. The defaults are `elo0=0`, `elo1=5`, `alpha=0.05`, `beta=0.05` and
    /// `model=logistic`.
    fn from_str(text: &str) -> Result<Sprt, SprtError> {
        let (mut elo0, mut elo1, mut alpha, mut beta, mut model) = (None, None, None, None, None);
        for word in text.split_whitespace() {
            let no_value =
                || SprtError::Text(format!("{word:?} is not KEY=VALUE; the keys are {KEYS}"));
            let (key, value) = word.split_once('=').ok_or_else(no_value)?;
            match key {
                "elo0" => once(&mut elo0, key, number(key, value)?)?,
                "elo1" => once(&mut elo1, key, number(key, value)?)?,
                "alpha" => once(&mut alpha, key, number(key, value)?)?,
                "beta" => once(&mut beta, key, number(key, value)?)?,
                "model" => once(&mut model, key, model_named(value)?)?,
                _ => {
                    let unknown = format!("unknown key {key:?}; the keys are {KEYS}");
                    return Err(SprtError::Text(unknown));
                }
            }
        }
        Sprt::new(
            elo0.unwrap_or(0.0),
            elo1.unwrap_or(5.0),
            alpha.unwrap_or(0.05),
            beta.unwrap_or(0.05),
            model.unwrap_or(EloModel::Logistic),
        )
    }
}

/// Writes all keys in the form that [`FromStr`] parses.
impl fmt::Display for Sprt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Sprt {
            elo0,
            elo1,
            alpha,
            beta,
            model,
        } = self;
        write!(
            f,
            "elo0={elo0} elo1={elo1} alpha={alpha} beta={beta} model={model}"
        )
    }
}

impl fmt::Display for EloModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            EloModel::Logistic => "logistic",
            EloModel::Normalized => "normalized",
        })
    }
}

fn number(key: &str, value: &str) -> Result<f64, SprtError> {
    let number = value.parse().ok().filter(|number: &f64| number.is_finite());
    let expected = || format!("{key}={value}: expected a number such as 2.5");
    number.ok_or_else(|| SprtError::Text(expected()))
}

fn model_named(name: &str) -> Result<EloModel, SprtError> {
    let models = [EloModel::Logistic, EloModel::Normalized];
    let model = models.into_iter().find(|model| model.to_string() == name);
    let expected = || format!("model={name}: expected logistic or normalized");
    model.ok_or_else(|| SprtError::Text(expected()))
}

fn once<T>(field: &mut Option<T>, key: &str, value: T) -> Result<(), SprtError> {
    match field.replace(value) {
        None => Ok(()),
        Some(_) => Err(SprtError::Text(format!("{key} is given twice"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_has_a_default() {
        let read = |text: &str| text.parse::<Sprt>().unwrap().to_string();
        assert_eq!(
            read(""),
            "elo0=0 elo1=5 alpha=0.05 beta=0.05 model=logistic"
        );
        let full = "elo0=-1.75 elo1=0.25 alpha=0.01 beta=0.1 model=normalized";
        assert_eq!(read(full), full);
        assert_eq!(
            read(" elo1=2  "),
            "elo0=0 elo1=2 alpha=0.05 beta=0.05 model=logistic"
        );
    }

    #[test]
    fn errors_name_what_was_given_and_what_is_accepted() {
        let texts = [
            "elo0",
            "elo2=5",
            "elo0=1 elo0=1",
            "elo0=low",
            "elo1=inf",
            "model=bayesian",
            "elo0=5",
            "elo1=1001",
            "alpha=0",
            "beta=0.6",
            "alpha=0.5 beta=0.5",
        ];
        let errors = texts.map(|text| match text.parse::<Sprt>() {
            Ok(sprt) => panic!("{text}: {sprt}"),
            Err(error) => format!("{text}\n  {error}"),
        });
        insta::assert_snapshot!(errors.join("\n"));
    }
}
