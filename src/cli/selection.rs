//! Which rules are reported, and how bad their findings are: what the command line says, and what the settings say that
//! are nearest to a file.

use crate::rules::{Finding, OPT_IN, Severity};

use super::arguments::RuleArguments;
use super::assumptions::Declared;
use super::catalogue;
use super::failure::Failure;

/// The severity that fails where nobody says another.
pub(super) const FAIL_ON: Severity = Severity::Warning;

/// What the command line says. It is stronger than settings.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    select: Option<Vec<&'static str>>,
    ignore: Vec<&'static str>,
    fail_on: Option<Severity>,
}

/// What settings say about rules, for the files of a pattern or for all.
#[derive(Clone, Debug, Default)]
pub(super) struct RuleSettings {
    /// The codes of the only rules that are reported.
    pub(super) select: Option<Vec<&'static str>>,
    /// The codes of the rules that are not.
    pub(super) ignore: Vec<&'static str>,
    /// How bad findings are, in the order of the text.
    pub(super) severity: Vec<(Named, Severity)>,
}

/// Rules, as somebody names them.
#[derive(Clone, Debug)]
pub(super) struct Named {
    /// The codes, sorted; at least one.
    pub(super) codes: Vec<&'static str>,
    /// How exact the name is: a whole code or name before a long beginning before a short one.
    exactness: usize,
}

impl Named {
    /// A rule is named by its code, its name, or the beginning of its code: `FP3` and `FP3xx` are the family.
    pub(super) fn new(rule: &str) -> Result<Self, Failure> {
        let rule = rule.trim();
        let beginning = rule.to_ascii_uppercase();
        let beginning = beginning.trim_end_matches('X');
        let is_code = beginning.len() > 2 && beginning.starts_with("FP");
        let all = catalogue::all();
        let is_whole = all
            .iter()
            .any(|described| described.name == rule || described.code.eq_ignore_ascii_case(rule));
        let codes: Vec<_> = all
            .into_iter()
            .filter(|described| {
                described.name == rule || (is_code && described.code.starts_with(beginning))
            })
            .map(|described| described.code)
            .collect();
        match codes.is_empty() {
            true => Err(catalogue::unknown(rule)),
            false => Ok(Self {
                codes,
                exactness: if is_whole {
                    usize::MAX
                } else {
                    beginning.len()
                },
            }),
        }
    }
}

/// The codes that a code, a name or a family stands for; none where it names no rule.
pub(super) fn codes_of(rule: &str) -> Vec<&'static str> {
    Named::new(rule)
        .map(|named| named.codes)
        .unwrap_or_default()
}

/// The codes of all these rules.
pub(super) fn codes(rules: &[String]) -> Result<Vec<&'static str>, Failure> {
    let named: Vec<_> = rules
        .iter()
        .map(|rule| Named::new(rule))
        .collect::<Result<_, _>>()?;
    Ok(named.into_iter().flat_map(|named| named.codes).collect())
}

impl RuleSettings {
    /// How bad the findings of this rule are: what the most exact name says, of equally exact ones the last.
    fn severity_of(&self, code: &str) -> Option<Severity> {
        let named = self.severity.iter();
        named
            .filter(|(named, _)| named.codes.contains(&code))
            .max_by_key(|(named, _)| named.exactness)
            .map(|(_, severity)| *severity)
    }
}

impl Selection {
    /// What the arguments say.
    pub(super) fn new(arguments: &RuleArguments) -> Result<Self, Failure> {
        Ok(Self {
            select: match arguments.select.is_empty() {
                true => None,
                false => Some(codes(&arguments.select)?),
            },
            ignore: codes(&arguments.ignore)?,
            fail_on: arguments.fail_on,
        })
    }

    /// Whether findings of this rule are reported in the file of this absolute path, for which these settings hold.
    pub(super) fn holds(
        &self,
        code: &str,
        settings: Option<(&Declared, &std::path::Path)>,
    ) -> bool {
        let rules = settings.map(|(declared, _)| &declared.rules);
        let select = self.select.as_ref();
        let is_selected = match select.or(rules.and_then(|rules| rules.select.as_ref())) {
            Some(select) => select.contains(&code),
            None => !OPT_IN.contains(&code),
        };
        let is_ignored = |rules: &RuleSettings| rules.ignore.contains(&code);
        is_selected
            && !self.ignore.contains(&code)
            && !rules.is_some_and(is_ignored)
            && !settings.is_some_and(|(declared, path)| declared.at(path).any(is_ignored))
    }

    /// Whether a finding is reported; it gets the severity that the settings give it.
    pub(super) fn judge(
        &self,
        finding: &mut Finding,
        settings: Option<(&Declared, &std::path::Path)>,
    ) -> bool {
        if let Some((declared, path)) = settings {
            let there = declared.at(path).collect::<Vec<_>>();
            // The last pattern that says anything about the rule holds.
            let here = there.iter().rev().copied().chain([&declared.rules]);
            let severity = here
                .into_iter()
                .find_map(|rules| rules.severity_of(finding.code));
            finding.severity = severity.unwrap_or(finding.severity);
        }
        self.holds(finding.code, settings)
    }

    /// The severity from which on findings fail in a file for which these settings hold.
    pub(super) fn fail_on(&self, settings: Option<&Declared>) -> Severity {
        self.fail_on
            .or(settings.and_then(|declared| declared.fail_on))
            .unwrap_or(FAIL_ON)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn selection(select: &[&str], ignore: &[&str]) -> Result<Selection, Failure> {
        let owned = |rules: &[&str]| {
            rules
                .iter()
                .map(|rule| (*rule).to_owned())
                .collect::<Vec<_>>()
        };
        Selection::new(&RuleArguments {
            select: owned(select),
            ignore: owned(ignore),
            fail_on: None,
        })
    }

    #[test]
    fn rules_are_named_by_code_name_or_family() {
        assert!(selection(&[], &[]).unwrap().holds("FP901", None));
        for rule in ["FP901", "fp901", "unreadable-file", "FP9", "FP9xx", "FP90"] {
            let holds = |selection: Selection| selection.holds("FP901", None);
            assert!(holds(selection(&[rule], &[]).unwrap()), "{rule}");
            assert!(!holds(selection(&[], &[rule]).unwrap()), "{rule}");
        }
        assert!(!selection(&["FP902"], &[]).unwrap().holds("FP901", None));
    }

    #[test]
    fn what_names_no_rule_is_refused() {
        for rule in ["FP", "F", "", "FP000", "unreadable", "X"] {
            assert!(selection(&[rule], &[]).is_err(), "{rule}");
        }
        let failure = selection(&["unreadable-fil"], &[]).unwrap_err();
        assert!(
            failure
                .to_string()
                .contains("did you mean unreadable-file?")
        );
    }

    #[test]
    fn the_most_exact_name_says_how_bad_it_is() {
        let said = |names: &[(&str, Severity)]| {
            let named = names.iter();
            let severity = named.map(|(name, severity)| (Named::new(name).unwrap(), *severity));
            let rules = RuleSettings {
                severity: severity.collect(),
                ..RuleSettings::default()
            };
            rules.severity_of("FP901")
        };
        let (note, error) = (Severity::Note, Severity::Error);
        assert_eq!(said(&[("FP1", note)]), None);
        assert_eq!(said(&[("FP9", note)]), Some(note));
        for exact in ["FP901", "unreadable-file", "fp901", "FP90"] {
            assert_eq!(said(&[(exact, error), ("FP9xx", note)]), Some(error));
        }
        assert_eq!(
            said(&[("FP901", note), ("unreadable-file", error)]),
            Some(error)
        );
    }
}
