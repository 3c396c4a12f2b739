//! Named behaviours: what `data/behaviours.toml` says which release does.
//!
//! Data chooses among the names below by interval of releases; the code elsewhere does each named thing once and never
//! compares versions. docs/knowledge.md says how to add one.

use std::sync::LazyLock;

use serde::Deserialize;

use super::interval::Span;

const TEXT: &str = include_str!("../data/behaviours.toml");

/// A file that does not parse is found by this module's tests; at run time every release would be as good as unknown.
static TABLE: LazyLock<Table<'static>> = LazyLock::new(|| toml::from_str(TEXT).unwrap_or_default());

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row<'a, Behaviour> {
    is: Behaviour,
    first: &'a str,
    last: Option<&'a str>,
    /// Read by people, and by the test that no row lacks it.
    #[cfg_attr(
        not(test),
        expect(dead_code, reason = "read by people and by the tests")
    )]
    source: &'a str,
}

impl<'a, Behaviour> Row<'a, Behaviour> {
    fn span(&self) -> Span<'a> {
        Span {
            first: self.first,
            last: self.last,
        }
    }
}

/// Declares one enum for each behaviour, the table that the file is read into, and [`Behaviours`].
macro_rules! behaviours {
    ($(
        $(#[doc = $about:literal])+
        $field:ident: $Behaviour:ident {
            $( $(#[doc = $means:literal])+ $Name:ident, )+
        }
    )+) => {
        $(
            $(#[doc = $about])+
            #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
            #[serde(rename_all = "snake_case")]
            pub enum $Behaviour {
                $( $(#[doc = $means])+ $Name, )+
            }

            impl $Behaviour {
                /// The releases that behave so.
                pub fn intervals(self) -> Vec<Interval> {
                    Interval::joined(TABLE.$field.iter().filter(|row| row.is == self).map(Row::span))
                }
            }
        )+

        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub(super) struct Table<'a> {
            $( #[serde(borrow)] $field: Vec<Row<'a, $Behaviour>>, )+
        }

        /// How one release behaves, where releases differ.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct Behaviours {
            $( $(#[doc = $about])+ pub $field: $Behaviour, )+
        }

        impl Behaviours {
            /// The behaviours of the known release at this position; `None` where the file lacks one, which a test
            /// excludes.
            pub(in crate::knowledge) fn at(release: usize) -> Option<Self> {
                Some(Self {
                    $( $field: TABLE.$field.iter().find(|row| row.span().holds(release))?.is, )+
                })
            }
        }

        #[cfg(test)]
        impl Table<'_> {
            pub(super) fn rows(&self) -> Vec<(&'static str, Vec<(crate::knowledge::interval::Span<'_>, &str)>)> {
                vec![$((
                    stringify!($field),
                    self.$field.iter().map(|row| (row.span(), row.source)).collect(),
                ),)+]
            }
        }
    };
}

mod list;

use list::Table;
pub use list::*;

#[cfg(test)]
mod tests {
    use super::super::{Interval, accelerate, releases};
    use super::*;

    #[test]
    fn the_file_parses_and_knows_no_other_names() {
        toml::from_str::<Table<'_>>(TEXT).unwrap();
    }

    #[test]
    fn every_behaviour_covers_every_release_once() {
        for (name, rows) in TABLE.rows() {
            for (release, version) in releases().iter().enumerate() {
                let count = rows.iter().filter(|(span, _)| span.holds(release)).count();
                assert_eq!(count, 1, "{name} in {version}");
            }
        }
    }

    #[test]
    fn every_row_has_a_source_and_known_releases() {
        for (name, rows) in TABLE.rows() {
            for (span, source) in rows {
                assert!(source.contains(".py"), "{name}");
                let (first, last) = span.positions().unwrap();
                assert!(last.is_none_or(|last| first <= last), "{name}");
            }
        }
    }

    #[test]
    fn every_release_has_all_behaviours() {
        for version in releases() {
            let known = accelerate(version).unwrap();
            assert!(known.exact, "{version}");
        }
    }

    #[test]
    fn a_behaviour_names_its_releases() {
        let texts = |intervals: Vec<Interval>| {
            intervals
                .iter()
                .map(Interval::to_string)
                .collect::<Vec<_>>()
        };
        assert_eq!(texts(DynamoSection::Prefixed.intervals()), ["from 1.14.0"]);
        assert_eq!(texts(AoRecipe::Plain.intervals()), ["up to 1.12.0"]);
        assert_eq!(
            texts(AutomaticRecipe::Nothing.intervals()),
            ["up to 0.25.0", "0.30.0–0.33.0"]
        );
    }
}
