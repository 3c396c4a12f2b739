//! Routes of keys through a document: the name of a place that survives moving lines.

use std::fmt;

/// One step of a [`Route`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Step {
    /// The value under this key of a mapping (Python's `str()` of the key).
    Key(String),
    /// The element at this position of a sequence.
    Index(usize),
}

/// The keys and positions that lead from a document's root to a value: `fp8_config.backend`.
///
/// Fingerprints, ignores and the baseline name places by route and value, never by line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Route(pub Vec<Step>);

impl Route {
    /// The route through these keys.
    pub fn keys<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        Self(
            keys.into_iter()
                .map(|key| Step::Key(key.to_owned()))
                .collect(),
        )
    }

    /// This route, one key further.
    #[must_use]
    pub fn key(&self, key: &str) -> Self {
        let mut steps = self.0.clone();
        steps.push(Step::Key(key.to_owned()));
        Self(steps)
    }

    /// The last key, if the last step is one.
    pub fn last_key(&self) -> Option<&str> {
        match self.0.last() {
            Some(Step::Key(key)) => Some(key),
            _ => None,
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.0.iter().enumerate() {
            match step {
                Step::Key(key) if position == 0 => write!(f, "{key}")?,
                Step::Key(key) => write!(f, ".{key}")?,
                Step::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}
