//! What stands below the findings of `text` and `concise`: the fixes that were made, the statistics, the closing line.

use crate::fix::Fixed;
use crate::formats::Kind;
use crate::rules::Severity;
use crate::suppress::Suppression;

use super::fixable::FixableCounts;
use super::{Checked, RuleCount, one_line, versions};

/// What files of a kind are called, and which they are.
type KindOfFile = (&'static str, fn(Kind) -> bool);

/// The closing line: how many findings, in how many files, under which version.
pub(super) fn closing_line(checked: &Checked) -> String {
    let plural = |count: usize, noun: &str| {
        let ending = if count == 1 { "" } else { "s" };
        format!("{count} {noun}{ending}")
    };
    let place = if checked.files.is_empty() {
        let read = plural(checked.files_read, "file");
        format!("no accelerate config, recipe or launch command among {read} read")
    } else {
        let kinds: [KindOfFile; 4] = [
            ("accelerate config", |kind| kind == Kind::Accelerate),
            ("recipe", |kind| matches!(kind, Kind::Recipe(_))),
            ("DeepSpeed config", |kind| kind == Kind::DeepSpeed),
            ("launch file", |kind| kind == Kind::Launch),
        ];
        let counted = kinds.iter().filter_map(|(noun, is_one)| {
            let files = checked.files.iter();
            let count = files.filter(|file| is_one(file.kind)).count();
            (count > 0).then(|| plural(count, noun))
        });
        let counted: Vec<_> = counted.collect();
        let listed = match counted.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            counted => counted.concat(),
        };
        format!("{listed}, {}", versions::assumed(&checked.files))
    };
    let counts: Vec<_> = [Severity::Error, Severity::Warning, Severity::Note]
        .into_iter()
        .map(|severity| (severity, checked.count(severity)))
        .filter(|(_, count)| *count > 0)
        .map(|(severity, count)| plural(count, severity.as_str()))
        .collect();
    let narrowed = match &checked.scope {
        Some(scope) => format!(", in {}", one_line(scope)),
        None => String::new(),
    };
    let place = format!("{place}{narrowed}");
    let said = match (counts.is_empty(), checked.files.is_empty()) {
        (false, false) => format!("Found {} in {place}.", counts.join(", ")),
        (false, true) => format!("Found {}; {place}.", counts.join(", ")),
        (true, false) => format!("No findings in {place}."),
        (true, true) => format!("Nothing to check: {place}."),
    };
    let said = match checked.fixed.len() {
        0 => said,
        count if checked.fixes_are_written => {
            format!("Fixed {}. {said}", plural(count, "finding"))
        }
        count => format!(
            "The patch fixes {}. With it: {said}",
            plural(count, "finding")
        ),
    };
    let said = [Some(said), fixable(checked), set_aside(checked)];
    let said = said.into_iter().flatten().collect::<Vec<_>>().join(" ");
    match checked.not_followed {
        0 => said,
        count => format!(
            "{said} {} could not be followed: `fp8lint resolve FILE` says why.",
            plural(count, "launch command")
        ),
    }
}

/// How many findings can be fixed, and how.
fn fixable(checked: &Checked) -> Option<String> {
    match FixableCounts::of(&checked.findings) {
        FixableCounts {
            safe: 0,
            unsafe_: 0,
        } => None,
        FixableCounts { safe, unsafe_: 0 } => Some(format!("{safe} fixable with --fix.")),
        FixableCounts { safe: 0, unsafe_ } => {
            Some(format!("{unsafe_} fixable with --fix --unsafe-fixes."))
        }
        FixableCounts { safe, unsafe_ } => Some(format!(
            "{safe} fixable with --fix, {unsafe_} more with --unsafe-fixes."
        )),
    }
}

/// How many findings somebody has set aside, and by what.
fn set_aside(checked: &Checked) -> Option<String> {
    let by_comment = |by: &Suppression| matches!(by, Suppression::Comment { .. });
    let suppressed = checked.suppressed.iter();
    let ignored = suppressed.filter(|one| by_comment(&one.by)).count();
    match (ignored, checked.suppressed.len() - ignored) {
        (0, 0) => None,
        (ignored, 0) => Some(format!("{ignored} ignored.")),
        (0, baseline) => Some(format!("{baseline} in the baseline.")),
        (ignored, baseline) => Some(format!("{ignored} ignored, {baseline} in the baseline.")),
    }
}

/// The fixes that were made, one line each.
pub(super) fn fixes(checked: &Checked) -> String {
    let line = |fixed: &Fixed| {
        let Fixed {
            code,
            line,
            title,
            safety,
            edited,
            ..
        } = fixed;
        let path = one_line(&fixed.path);
        let others = edited.iter().filter(|edited| **edited != fixed.path);
        let others: Vec<_> = others.map(|other| one_line(other)).collect();
        let also = match others.as_slice() {
            [] => String::new(),
            others => format!(", in {}", others.join(", ")),
        };
        format!(
            "Fixed {path}:{line}: {code} {} ({safety}{also})\n",
            one_line(title)
        )
    };
    checked.fixed.iter().map(line).collect()
}

/// The number of findings of each rule, one line each.
pub(super) fn statistics(checked: &Checked) -> String {
    checked
        .count_by_rule()
        .into_iter()
        .map(|count| {
            let RuleCount {
                code,
                name,
                findings,
                fixable,
            } = count;
            let fixable = match fixable {
                0 => String::new(),
                fixable => format!("  ({fixable} fixable)"),
            };
            format!("{findings:>5}  {code}  {name}{fixable}\n")
        })
        .collect()
}
