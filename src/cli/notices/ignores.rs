//! FP909 to FP913: what is wrong with ignore comments, and with a baseline.

use crate::rules::{Confidence, Example, Finding, Label, Severity};
use crate::suppress::{Entry, Problem, ProblemKind};

use super::super::catalogue::Described;
use super::{FIX_NOT_APPLIED, UNREADABLE_FILE, finding};

const WRITTEN: &str = "`# fp8lint: ignore[RULE] reason`, with until=YYYY-MM-DD if it is to end";

pub(super) const UNUSED_IGNORE: Described = Described {
    code: "FP909",
    name: "unused-ignore",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "An ignore comment names a rule that finds nothing there.",
    explanation: "\
What was ignored has been mended, or has moved, or stands behind a blank line. A comment that ignores nothing would hide
the next fault of that kind. The fix takes the comment away, or only the rules in it that find nothing.

Nothing is called unused that this check cannot know: rules that are not asked, runs that cannot be followed, files
that are named by a file which was left out of the check. The findings about comments and the baseline (FP908 to FP913)
cannot be ignored in a comment: leave them out with --ignore.",
    examples: &[Example::fails(
        "nothing is wrong with this line",
        "distributed_type: MULTI_GPU\nmixed_precision: bf16  # fp8lint: ignore[FP104] for the old cluster\nnum_processes: 8\n",
    )],
};

pub(super) const UNKNOWN_RULE_IN_IGNORE: Described = Described {
    code: "FP910",
    name: "unknown-rule-in-ignore",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "An ignore comment names a rule that does not exist.",
    explanation: "\
A rule is named by its code, its name or its family: FP201, fp8-backend, FP2. The fix spells a rule right that is
close to one that there is. One that is close to none may belong to a newer fp8lint, so taking it out is an unsafe fix.",
    examples: &[Example::fails(
        "a name that is misspelt",
        "distributed_type: MULTI_GPU\nmixed_precision: bf16  # fp8lint: ignore[mixed-precison]\nnum_processes: 8\n",
    )],
};

pub(super) const EXPIRED_IGNORE: Described = Described {
    code: "FP911",
    name: "expired-ignore",
    severity: Severity::Warning,
    confidence: Confidence::Certain,
    summary: "An ignore comment was to hold until a day that has passed.",
    explanation: "\
`until=YYYY-MM-DD` is the last day, in UTC, on which the comment holds. After it what was ignored is reported again,
beside this. Mend what is reported and remove the comment, which is the fix, or set another day.",
    examples: &[Example::fails(
        "a day that has passed",
        "distributed_type: MULTI_GPU\nmixed_precision: bf16  # fp8lint: ignore[FP104] until=2024-12-31\nnum_processes: 8\n",
    )],
};

pub(super) const MALFORMED_IGNORE: Described = Described {
    code: "FP912",
    name: "malformed-ignore",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "A comment speaks to fp8lint, but says nothing that it understands.",
    explanation: "\
There are two comments: `# fp8lint: ignore[RULE, …] reason`, at the end of the line or alone above it, and
`# fp8lint: ignore-file[RULE, …] reason`, above the first line of content. The rules must be named: a comment that ignores
everything would hide what nobody has seen yet. A comment with another word, without rules, or with an `until=` that is
no day ignores nothing. The fix spells the word right; else it takes the comment away, which is unsafe, since something
was meant by it.",
    examples: &[Example::fails(
        "no rules",
        "distributed_type: MULTI_GPU\nmixed_precision: bf16  # fp8lint: ignore\nnum_processes: 8\n",
    )],
};

pub(super) const STALE_BASELINE: Described = Described {
    code: "FP913",
    name: "stale-baseline",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "Entries of the baseline match nothing that is found.",
    explanation: "\
What they let pass has been mended, or is named otherwise now: a file that is moved or renamed, a key that is renamed
and a value that changes make a new finding. Lines that move make none. `--update-baseline` takes such entries out.
Entries for files that were not part of the check, and for rules that were not asked, are left alone.",
    examples: &[],
};

/// Whether a comment can ignore what has this code.
pub(in crate::cli) fn can_be_ignored(code: &str) -> bool {
    let cannot = [
        &FIX_NOT_APPLIED,
        &UNUSED_IGNORE,
        &UNKNOWN_RULE_IN_IGNORE,
        &EXPIRED_IGNORE,
        &MALFORMED_IGNORE,
        &STALE_BASELINE,
    ];
    !cannot.iter().any(|notice| notice.code == code)
}

/// Whether a baseline can let pass what has this code: not what is about the check itself.
pub(in crate::cli) fn can_pass(code: &str) -> bool {
    can_be_ignored(code) && code != UNREADABLE_FILE.code
}

/// Something is wrong with a comment.
pub(in crate::cli) fn problem(problem: &Problem) -> Finding {
    let (notice, message, help) = match &problem.kind {
        ProblemKind::Unused(rules, can_be_ignored) => {
            let named = rules.join(", ");
            let message = match can_be_ignored {
                true => format!("nothing of {named} is found here, so there is nothing to ignore"),
                false => format!("{named} cannot be ignored in a comment"),
            };
            let help = match can_be_ignored {
                true => {
                    "remove it; it counts for its own line or, alone on a line, for the one below"
                }
                false => "remove it, or leave the rule out with --ignore",
            };
            (&UNUSED_IGNORE, message, help.to_owned())
        }
        ProblemKind::UnknownRule(rule, meant) => {
            let help = match meant {
                Some(meant) => format!("did you mean {meant}? `fp8lint rules` lists them all"),
                None => "`fp8lint rules` lists them all".to_owned(),
            };
            let message = format!("there is no rule `{rule}`, so it ignores nothing");
            (&UNKNOWN_RULE_IN_IGNORE, message, help)
        }
        ProblemKind::Expired(until, rules) => (
            &EXPIRED_IGNORE,
            format!("this held until {until}; {rules} is reported again"),
            "mend what is reported and remove the comment, or set another day".to_owned(),
        ),
        ProblemKind::Word(word) => (
            &MALFORMED_IGNORE,
            format!("`fp8lint: {word}` is not understood, so nothing is ignored"),
            format!("write {WRITTEN}"),
        ),
        ProblemKind::NoRules => (
            &MALFORMED_IGNORE,
            "this names no rules, so nothing is ignored".to_owned(),
            format!("name them: {WRITTEN}"),
        ),
        ProblemKind::Unclosed => (
            &MALFORMED_IGNORE,
            "the bracket is not closed, so nothing is ignored".to_owned(),
            format!("write {WRITTEN}"),
        ),
        ProblemKind::NoDate(written) => (
            &MALFORMED_IGNORE,
            format!("`{written}` names no day, so nothing is ignored"),
            "write a day of the calendar, as in until=2027-01-31".to_owned(),
        ),
        ProblemKind::NotAtTheTop => (
            &MALFORMED_IGNORE,
            "`ignore-file` stands below the first line of content, so nothing is ignored"
                .to_owned(),
            "move it to the top of the file, or write `ignore` for one line".to_owned(),
        ),
    };
    let mut finding = finding(notice, message, problem.place.clone(), Some(help));
    if let Some((file, span)) = &problem.place.source {
        finding.key.value = file.slice(*span).to_owned();
    }
    finding.fixes.extend(problem.fix.clone());
    finding
}

/// How many entries are named.
const NAMED: usize = 5;

/// Entries of the baseline match nothing.
pub(in crate::cli) fn stale_entries(baseline: &str, entries: &[Entry]) -> Finding {
    let (count, verb) = match entries.len() {
        1 => ("1 entry".to_owned(), "matches"),
        count => (format!("{count} entries"), "match"),
    };
    let mut finding = finding(
        &STALE_BASELINE,
        format!("{count} of this baseline {verb} nothing any more"),
        Label::file(baseline, ""),
        Some("take them out with --update-baseline".to_owned()),
    );
    let named = entries.iter().take(NAMED).map(|entry| {
        let route = match entry.route.as_str() {
            "" => String::new(),
            route => format!(" at `{route}`"),
        };
        format!("{} in {}{route}", entry.rule, entry.path)
    });
    finding.notes.extend(named);
    if let more @ 1.. = entries.len().saturating_sub(NAMED) {
        finding.notes.push(format!("and {more} more"));
    }
    finding
}
