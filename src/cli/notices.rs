//! FP9xx: findings about the checking itself, for files of which no run can be worked out, and about pins.

mod ignores;

use std::sync::Arc;

use crate::fix::NotFixed;
use crate::formats::pins::Pin;
use crate::knowledge;
use crate::rules::{Confidence, Example, Finding, Key, Label, Severity};
use crate::source::{SourceFile, Span};

use super::assumptions::SeveralPins;
use super::catalogue::Described;

pub(super) use ignores::{can_be_ignored, can_pass, problem, stale_entries};

const UNREADABLE_FILE: Described = Described {
    code: "FP901",
    name: "unreadable-file",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "A file or folder cannot be read, so nothing is known about it.",
    explanation: "\
The path does not exist, is not a regular file, or must not be read. The rest of the run goes on; where nothing at all
could be read, the exit code is 3. Correct the path, or the permissions of the file.",
    examples: &[],
};

pub(super) const FILE_TOO_LARGE: Described = Described {
    code: "FP902",
    name: "file-too-large",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "A file is larger than 4 MiB, or than `max-file-size` in the settings, and was not read.",
    explanation: "\
An accelerate config has a few kilobytes. Data that happens to look like one is left out, so that a check stays quick;
the note is only given for a file that was named itself, or that begins as a config does.",
    examples: &[],
};

const TEMPLATE: Described = Described {
    code: "FP903",
    name: "template",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "An accelerate config is a template whose values another program fills in.",
    explanation: "\
With `{{ … }}`, `{% … %}`, `${…}` or `$NAME` in the place of values it cannot be said what will run. Fill the template
in, as your build does, and check the result; it can be given on standard input:

    envsubst < config.yaml.tmpl | fp8lint - --stdin-filename config.yaml",
    examples: &[Example::fails(
        "a placeholder in the place of a value",
        "distributed_type: FSDP\nmixed_precision: {{ precision }}\nnum_processes: 8\n",
    )],
};

const NO_CONFIG_IN_FILE: Described = Described {
    code: "FP904",
    name: "no-config-in-file",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "A file that was named itself holds no config, no recipe and no launch command.",
    explanation: "\
A launch file, an accelerate config, a recipe or a DeepSpeed config would be checked. This file is empty, is no text, cannot
be parsed, is no mapping, or has the keys of an accelerate config one level too deep: accelerate reads top-level keys only.
Files that are found in a folder are passed over silently; a file that is named itself was meant to be checked, so it is
said that it was not.",
    examples: &[Example::fails(
        "one level too deep",
        "accelerate:\n  distributed_type: FSDP\n  mixed_precision: bf16\n",
    )],
};

const UNKNOWN_PIN: Described = Described {
    code: "FP905",
    name: "unknown-pin",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "Nothing is known of the accelerate that is pinned, so the newest known release is assumed.",
    explanation: "\
The nearest lock, requirements file, environment or project allows no release of accelerate that fp8lint knows: it is
older than the first of them, or a range that begins behind the last. What the configs below it come to is worked out for the
newest known release instead. Another one can be assumed with --target accelerate=VERSION, or `target` in the settings.
One exact version that is newer than the last known release is taken for that release; the last line says so.",
    examples: &[],
};

const SEVERAL_PINS: Described = Described {
    code: "FP907",
    name: "several-pins",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "The files of a project pin different versions of a package.",
    explanation: "\
Locks, requirements, environments and projects above a config name different exact versions of accelerate, or of another
package that decides about precision, and which of them will be installed depends on the file that is used. fp8lint takes
the one that is nearest to the config; within a folder a lock comes before requirements, those before an environment and
a project. Versions under a marker, in an extra or in a group do not count, and neither does one that --target or the
settings overrule. Pin one version, or say with --target which one runs.",
    examples: &[],
};

const FIX_NOT_APPLIED: Described = Described {
    code: "FP908",
    name: "fix-not-applied",
    severity: Severity::Note,
    confidence: Confidence::Certain,
    summary: "A fix could not be made, so the file stays as it was.",
    explanation: "\
The file is read-only, is not a regular file, or was changed by somebody else while it was checked. A fix is made in
all its files or in none of them. The finding that it would mend is reported beside this one; correct what is said here,
or mend it by hand.",
    examples: &[],
};

/// The notices, sorted by code.
pub(super) const NOTICES: &[Described] = &[
    UNREADABLE_FILE,
    FILE_TOO_LARGE,
    TEMPLATE,
    NO_CONFIG_IN_FILE,
    UNKNOWN_PIN,
    SEVERAL_PINS,
    FIX_NOT_APPLIED,
    ignores::UNUSED_IGNORE,
    ignores::UNKNOWN_RULE_IN_IGNORE,
    ignores::EXPIRED_IGNORE,
    ignores::MALFORMED_IGNORE,
    ignores::STALE_BASELINE,
];

/// The path cannot be read, because of `reason`.
pub(super) fn unreadable(path: &str, reason: &str, help: Option<String>) -> Finding {
    finding(
        &UNREADABLE_FILE,
        format!("cannot be read: {reason}"),
        Label::file(path, ""),
        help,
    )
}

/// The fix of a finding could not be made.
pub(super) fn not_fixed(not_fixed: &NotFixed) -> Finding {
    let NotFixed {
        finding: of,
        reason,
    } = not_fixed;
    let mut finding = finding(
        &FIX_NOT_APPLIED,
        format!("{} is not fixed: {reason}", of.code),
        Label {
            text: String::new(),
            ..of.primary.clone()
        },
        None,
    );
    finding.key = Key {
        value: of.code.to_owned(),
        ..of.key.clone()
    };
    finding
}

/// The file has more than `limit` bytes.
pub(super) fn too_large(path: &str, limit: u64) -> Finding {
    finding(
        &FILE_TOO_LARGE,
        format!("this file is larger than {} and was not read", size(limit)),
        Label::file(path, ""),
        Some(
            "a config or script of that size is hardly meant: leave the file out with --exclude, or set max-file-size \
             in the settings"
                .to_owned(),
        ),
    )
}

/// A size in the largest unit that makes it a whole number.
pub(super) fn size(bytes: u64) -> String {
    let units = [("GiB", 30), ("MiB", 20), ("KiB", 10)];
    let unit = units.iter().find(|(_, bits)| {
        let count = bytes >> bits;
        count > 0 && count << bits == bytes
    });
    match unit {
        Some((unit, bits)) => format!("{} {unit}", bytes >> bits),
        None => format!("{bytes} bytes"),
    }
}

/// The file is a template, the first placeholder of which is at `span`.
pub(super) fn template(file: &Arc<SourceFile>, span: Span) -> Finding {
    finding(
        &TEMPLATE,
        "this accelerate config is a template, so it cannot be said what will run".to_owned(),
        Label::at(file, span, "filled in by another program"),
        Some("fill it in and check the result, for example with `… | fp8lint -`".to_owned()),
    )
}

/// Why no config was found in a file that was named itself.
pub(super) enum NoConfig {
    Empty,
    NotText,
    /// The exception that the reader raises, its message, and where.
    Unparsable(String, Option<Span>),
    NotAMapping,
    /// The key below which the config stands.
    Nested(Span),
}

/// The file holds nothing that is checked.
pub(super) fn no_config(path: &str, file: Option<&Arc<SourceFile>>, why: NoConfig) -> Finding {
    let (message, span, help) = match why {
        NoConfig::Empty => (
            "this file is empty, so there is nothing to check; accelerate cannot load it as a config".to_owned(),
            None,
            "for a config, write at least `distributed_type`, or let `accelerate config --config_file` write it"
                .to_owned(),
        ),
        NoConfig::NotText => (
            "this file is no UTF-8 text, so it can be neither a config nor a launch file".to_owned(),
            None,
            "save it as UTF-8 if it is meant to be checked".to_owned(),
        ),
        NoConfig::Unparsable(reason, span) => (
            format!("no config, recipe or launch command can be made out in this file: {reason}"),
            span,
            "correct the syntax if it is meant to be a config or a recipe".to_owned(),
        ),
        NoConfig::NotAMapping => (
            "this file is no mapping of keys to values and holds no launch command".to_owned(),
            None,
            "write `key: value` lines if it is meant to be a config or a recipe".to_owned(),
        ),
        NoConfig::Nested(key) => {
            let name = file.map_or("", |file| file.slice(key));
            (
                format!(
                    "the keys of an accelerate config stand below `{name}` here; accelerate reads top-level keys only"
                ),
                Some(key),
                format!(
                    "move what is below `{name}` into a file of its own and give that to --config_file"
                ),
            )
        }
    };
    let label = match (file, span) {
        (Some(file), Some(span)) => Label::at(file, span, ""),
        _ => Label::file(path, ""),
    };
    finding(&NO_CONFIG_IN_FILE, message, label, Some(help))
}

/// No known release is allowed by this pin.
pub(super) fn unknown_pin(pin: &Pin) -> Finding {
    let releases = knowledge::releases();
    let known = match (releases.first(), releases.last()) {
        (Some(oldest), Some(newest)) => format!("{oldest} to {newest}"),
        _ => "none".to_owned(),
    };
    let mut finding = finding(
        &UNKNOWN_PIN,
        format!(
            "`accelerate{}` is pinned here, of which nothing is known; {} is assumed, the newest known release",
            pin.specifiers,
            knowledge::newest()
        ),
        Label::at(&pin.file, pin.span, ""),
        Some(format!(
            "known are {known}; assume another one of them with --target accelerate=VERSION"
        )),
    );
    finding.key.value = pin.specifiers.to_string();
    finding
}

/// How many other pins are shown.
const OTHER_PINS: usize = 5;

/// Several versions of a package are pinned.
pub(super) fn several_pins(several: &SeveralPins) -> Finding {
    let SeveralPins { used, others } = several;
    let pinned = others.iter().take(OTHER_PINS).map(|pin| {
        let version = pin.exact().map(ToString::to_string);
        let version = version.unwrap_or_default();
        format!("{}:{} pins {version}", pin.file.path, pin.line)
    });
    let mut pinned: Vec<_> = pinned.collect();
    if let more @ 1.. = others.len().saturating_sub(OTHER_PINS) {
        pinned.push(format!("{more} more pin others"));
    }
    let mut finding = finding(
        &SEVERAL_PINS,
        format!(
            "`{}` is taken, but {}",
            used.requirement(),
            pinned.join(", ")
        ),
        Label::at(&used.file, used.span, "this is taken"),
        Some(format!(
            "pin one version, or say which one runs with --target {}=VERSION",
            used.package.name
        )),
    );
    let others = others.iter().take(OTHER_PINS);
    finding.related = others
        .map(|pin| Label::at(&pin.file, pin.span, pin.requirement()))
        .collect();
    finding.key.value = used.requirement();
    finding
}

fn finding(notice: &Described, message: String, primary: Label, help: Option<String>) -> Finding {
    Finding {
        code: notice.code,
        name: notice.name,
        severity: notice.severity,
        confidence: notice.confidence,
        message,
        primary,
        related: Vec::new(),
        notes: Vec::new(),
        help,
        outcome: None,
        key: Key::default(),
        occurrence: 0,
        fixes: Vec::new(),
    }
}
