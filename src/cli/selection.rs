//! `--select` and `--ignore`.

use crate::rules::OPT_IN;

use super::catalogue;
use super::failure::Failure;

/// Which rules are reported.
#[derive(Clone, Debug)]
pub(super) struct Selection {
    codes: Vec<&'static str>,
}

impl Selection {
    /// All rules, or those of `select`, without those of `ignore`. A rule is named by its code, its name, or the
    /// beginning of its code: `FP3` and `FP3xx` are the family.
    pub(super) fn new(select: &[String], ignore: &[String]) -> Result<Self, Failure> {
        let mut codes: Vec<_> = catalogue::all()
            .into_iter()
            .map(|described| described.code)
            .collect();
        match select.is_empty() {
            true => codes.retain(|code| !OPT_IN.contains(code)),
            false => {
                let selected = named(select)?;
                codes.retain(|code| selected.contains(code));
            }
        }
        let ignored = named(ignore)?;
        codes.retain(|code| !ignored.contains(code));
        Ok(Self { codes })
    }

    /// Whether the rule of this code is reported.
    pub(super) fn holds(&self, code: &str) -> bool {
        self.codes.contains(&code)
    }
}

/// The codes that a code, a name or a family stands for; none where it names no rule.
pub(super) fn codes_of(rule: &str) -> Vec<&'static str> {
    let beginning = rule.to_ascii_uppercase();
    let beginning = beginning.trim_end_matches('X');
    let is_code = beginning.len() > 2 && beginning.starts_with("FP");
    catalogue::all()
        .into_iter()
        .filter(|described| {
            described.name == rule || (is_code && described.code.starts_with(beginning))
        })
        .map(|described| described.code)
        .collect()
}

fn named(rules: &[String]) -> Result<Vec<&'static str>, Failure> {
    let mut codes = Vec::new();
    for rule in rules {
        let rule = rule.trim();
        let named = codes_of(rule);
        if named.is_empty() {
            return Err(catalogue::unknown(rule));
        }
        codes.extend(named);
    }
    Ok(codes)
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
        Selection::new(&owned(select), &owned(ignore))
    }

    #[test]
    fn rules_are_named_by_code_name_or_family() {
        assert!(selection(&[], &[]).unwrap().holds("FP901"));
        for rule in ["FP901", "fp901", "unreadable-file", "FP9", "FP9xx", "FP90"] {
            assert!(selection(&[rule], &[]).unwrap().holds("FP901"), "{rule}");
            assert!(!selection(&[], &[rule]).unwrap().holds("FP901"), "{rule}");
        }
        assert!(!selection(&["FP902"], &[]).unwrap().holds("FP901"));
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
}
