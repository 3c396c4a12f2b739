//! The known releases, and intervals of them.

use std::collections::HashMap;
use std::fmt;
use std::sync::LazyLock;

use serde::Deserialize;

use super::Version;
use super::facts::DATA;

/// The known releases, ascending, and where each stands.
pub(super) struct Releases {
    pub(super) versions: Vec<Version>,
    index: HashMap<&'static str, usize>,
}

pub(super) static RELEASES: LazyLock<Releases> = LazyLock::new(|| Releases {
    versions: DATA
        .releases
        .iter()
        .filter_map(|release| release.parse().ok())
        .collect(),
    index: DATA
        .releases
        .iter()
        .enumerate()
        .map(|(index, release)| (*release, index))
        .collect(),
});

impl Releases {
    /// The newest known release that is not newer than `version`.
    pub(super) fn at(&self, version: &Version) -> Option<usize> {
        let version = version.clone().without_local();
        self.versions
            .partition_point(|known| *known <= version)
            .checked_sub(1)
    }
}

/// The releases for which a row of the data files holds, both ends inclusive, as they are written there.
#[derive(Clone, Copy, Deserialize)]
pub(super) struct Span<'a> {
    #[serde(borrow)]
    pub(super) first: &'a str,
    /// `None`: the row holds in the newest known release.
    pub(super) last: Option<&'a str>,
}

impl Span<'_> {
    /// The positions of both ends among the known releases; `None` for a row that names an unknown release.
    pub(super) fn positions(&self) -> Option<(usize, Option<usize>)> {
        let position = |release| RELEASES.index.get(release).copied();
        let first = position(self.first)?;
        match self.last {
            None => Some((first, None)),
            Some(last) => Some((first, Some(position(last)?))),
        }
    }

    /// Whether the row holds in the known release at this position.
    pub(super) fn holds(&self, release: usize) -> bool {
        self.positions().is_some_and(|(first, last)| {
            first <= release && last.is_none_or(|last| release <= last)
        })
    }
}

/// A run of consecutive releases of accelerate in which something holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The first release.
    pub first: &'static Version,
    /// The last release; `None`: up to the newest known one, and presumably on.
    pub last: Option<&'static Version>,
}

impl Interval {
    /// Whether it holds in this version. A version that is not a known release counts as the newest known one below it.
    pub fn contains(&self, version: &Version) -> bool {
        RELEASES
            .at(version)
            .and_then(|index| RELEASES.versions.get(index))
            .is_some_and(|known| self.first <= known && self.last.is_none_or(|last| known <= last))
    }

    /// The intervals that these releases make together; unknown ones count as the known one below.
    pub(super) fn folded(releases: &[Version]) -> Vec<Self> {
        let newest = RELEASES.versions.len().saturating_sub(1);
        let positions = releases.iter().filter_map(|release| RELEASES.at(release));
        let single = |at: usize| (at, (at != newest).then_some(at));
        Self::of_positions(positions.map(single).collect())
    }

    /// The intervals that these rows make together: rows that touch or overlap become one.
    pub(super) fn joined<'a>(spans: impl Iterator<Item = Span<'a>>) -> Vec<Self> {
        Self::of_positions(spans.filter_map(|span| span.positions()).collect())
    }

    fn of_positions(mut positions: Vec<(usize, Option<usize>)>) -> Vec<Self> {
        positions.sort_unstable();
        let mut joined: Vec<(usize, Option<usize>)> = Vec::new();
        for (first, last) in positions {
            match joined.last_mut() {
                Some((_, end)) if end.is_none_or(|end| first <= end + 1) => {
                    *end = end.zip(last).map(|(end, last)| end.max(last));
                }
                _ => joined.push((first, last)),
            }
        }
        let version = |index| &RELEASES.versions[index];
        joined
            .into_iter()
            .map(|(first, last)| Self {
                first: version(first),
                last: last.map(version),
            })
            .collect()
    }
}

/// As messages put it: `1.4.0–1.8.1`, `1.4.0`, `from 1.9.0`, `up to 0.33.0` (the oldest known release included),
/// `every known release`.
impl fmt::Display for Interval {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let from_oldest = RELEASES.versions.first() == Some(self.first);
        match self.last {
            None if from_oldest => write!(formatter, "every known release"),
            None => write!(formatter, "from {}", self.first),
            Some(last) if from_oldest => write!(formatter, "up to {last}"),
            Some(last) if last == self.first => write!(formatter, "{last}"),
            Some(last) => write!(formatter, "{}–{last}", self.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(spans: &[(&str, Option<&str>)]) -> Vec<String> {
        let spans = spans.iter().map(|&(first, last)| Span { first, last });
        Interval::joined(spans)
            .iter()
            .map(Interval::to_string)
            .collect()
    }

    #[test]
    fn intervals_read_as_messages_put_them() {
        assert_eq!(joined(&[("1.4.0", Some("1.8.1"))]), ["1.4.0–1.8.1"]);
        assert_eq!(joined(&[("1.4.0", Some("1.4.0"))]), ["1.4.0"]);
        assert_eq!(joined(&[("1.9.0", None)]), ["from 1.9.0"]);
        assert_eq!(joined(&[("0.18.0", Some("0.33.0"))]), ["up to 0.33.0"]);
        assert_eq!(joined(&[("0.18.0", None)]), ["every known release"]);
    }

    #[test]
    fn rows_that_touch_or_overlap_become_one() {
        assert_eq!(
            joined(&[
                ("1.10.0", None),
                ("1.4.0", Some("1.8.1")),
                ("1.9.0", Some("1.9.0"))
            ]),
            ["from 1.4.0"]
        );
        assert_eq!(
            joined(&[("1.4.0", Some("1.9.0")), ("1.5.0", Some("1.6.0"))]),
            ["1.4.0–1.9.0"]
        );
        assert_eq!(
            joined(&[("1.4.0", Some("1.6.0")), ("1.8.0", Some("1.8.1"))]),
            ["1.4.0–1.6.0", "1.8.0–1.8.1"]
        );
    }

    #[test]
    fn a_row_of_an_unknown_release_holds_nowhere() {
        assert_eq!(joined(&[("1.4.0", Some("9.9.9"))]), Vec::<String>::new());
    }

    #[test]
    fn unknown_versions_count_as_the_release_below() {
        let spans = [Span {
            first: "1.9.0",
            last: Some("1.10.1"),
        }];
        let interval = Interval::joined(spans.into_iter())[0];
        for (version, expected) in [
            ("1.8.1", false),
            ("1.9.0", true),
            ("1.10.1.post1", true),
            ("1.11.0.dev0", true),
            ("1.11.0", false),
            ("0.1.0", false),
        ] {
            assert_eq!(
                interval.contains(&version.parse().unwrap()),
                expected,
                "{version}"
            );
        }
    }
}
