//! Ignore comments: which findings they set aside, and what is wrong with them.

mod mend;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::rules::{Finding, Fix, Label, OPT_IN};
use crate::source::{SourceFile, Span};

use super::comments::{Comment, Commented};
use super::directive::{Directive, Ignore, Malformed, Named, directives};
use super::{Date, Suppressed, Suppression};

/// What is known of the rules.
pub trait Rules {
    /// The codes that a code, a name or a family stands for; none where it names no rule.
    fn named(&self, name: &str) -> Vec<&'static str>;

    /// The rule that was probably meant.
    fn meant(&self, name: &str) -> Option<&'static str>;

    /// Whether the rule was asked in the file of this shown path.
    fn is_asked(&self, path: &str, code: &str) -> bool;

    /// Whether its findings can be ignored in a comment: those about ignores cannot.
    fn can_be_ignored(&self, code: &str) -> bool;
}

/// A file in which comments are looked for.
#[derive(Clone, Debug)]
pub struct IgnoringFile {
    /// The file.
    pub file: Arc<SourceFile>,
    /// Whether it holds launch commands.
    pub is_launch: bool,
    /// Whether all that there is to find in it was found, so that what ignores nothing is unused.
    pub is_judged: bool,
}

/// Something that is wrong with a comment.
#[derive(Clone, Debug)]
pub struct Problem {
    /// What.
    pub kind: ProblemKind,
    /// Where.
    pub place: Label,
    /// How to mend it.
    pub fix: Option<Fix>,
}

/// What is wrong with a comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    /// These rules find nothing there; whether they can be ignored in a comment at all.
    Unused(Vec<String>, bool),
    /// There is no such rule; the one that was probably meant.
    UnknownRule(String, Option<&'static str>),
    /// It held until this day, for these rules.
    Expired(Date, String),
    /// Another word than `ignore` and `ignore-file`.
    Word(String),
    /// It names no rules.
    NoRules,
    /// The bracket is not closed.
    Unclosed,
    /// What stands behind `until=` is no day.
    NoDate(String),
    /// `ignore-file` below the first line of content.
    NotAtTheTop,
}

/// What ignore comments make of findings.
#[derive(Debug, Default)]
pub struct Ignored {
    /// The findings that are left.
    pub left: Vec<Finding>,
    /// Those that were set aside.
    pub suppressed: Vec<Suppressed>,
    /// What is wrong with comments, by file and place.
    pub problems: Vec<Problem>,
}

/// Sets aside what the comments of these files ignore.
pub fn ignore(
    findings: Vec<Finding>,
    files: &[IgnoringFile],
    rules: &dyn Rules,
    today: Date,
) -> Ignored {
    let mut of_path: BTreeMap<&str, FileIgnores<'_>> = files
        .iter()
        .map(|file| (file.file.path.as_str(), FileIgnores::of(file, rules, today)))
        .collect();
    let mut ignored = Ignored::default();
    for finding in findings {
        let ignores = of_path.get_mut(finding.primary.path.as_str());
        match ignores.and_then(|ignores| ignores.suppression(&finding, rules)) {
            Some(by) => ignored.suppressed.push(Suppressed { finding, by }),
            None => ignored.left.push(finding),
        }
    }
    for file in of_path.values() {
        file.problems(rules, today, &mut ignored.problems);
    }
    ignored
}

/// The ignores of a file.
struct FileIgnores<'a> {
    file: &'a IgnoringFile,
    commented: Commented,
    ignores: Vec<Placed>,
    /// The ignores that are alone on a line, by the line that they are meant for.
    above: BTreeMap<usize, Vec<usize>>,
    /// Those behind something, by their line.
    behind: BTreeMap<usize, Vec<usize>>,
    /// Those for the whole file.
    whole: Vec<usize>,
}

/// A directive where it stands.
struct Placed {
    comment: Comment,
    directive: Directive,
    /// What each of its rules stands for.
    codes: Vec<Vec<&'static str>>,
    /// Which of its rules ignore something.
    used: BTreeSet<usize>,
}

impl<'a> FileIgnores<'a> {
    fn of(file: &'a IgnoringFile, rules: &dyn Rules, today: Date) -> Self {
        let commented = Commented::of(&file.file, file.is_launch);
        let mut ignores = Self {
            file,
            ignores: Vec::new(),
            above: BTreeMap::new(),
            behind: BTreeMap::new(),
            whole: Vec::new(),
            commented,
        };
        let opening = ignores.commented.opening();
        for comment in ignores.commented.comments.clone() {
            for directive in directives(file.file.text(), comment.span, opening) {
                ignores.place(comment, directive, rules, today);
            }
        }
        ignores
    }

    fn place(&mut self, comment: Comment, directive: Directive, rules: &dyn Rules, today: Date) {
        let index = self.ignores.len();
        let mut codes = Vec::new();
        if let Ok(ignore) = &directive.said {
            let names = ignore.rules.iter();
            codes = names.map(|named| rules.named(&named.text)).collect();
            let holds = ignore.until.is_none_or(|(until, _)| today <= until);
            if holds && !ignore.is_file {
                let (map, line) = match comment.is_alone {
                    true => (&mut self.above, comment.target),
                    false => (&mut self.behind, Some(comment.line)),
                };
                if let Some(line) = line {
                    map.entry(line).or_default().push(index);
                }
            } else if holds && comment.line < self.commented.first_line {
                self.whole.push(index);
            }
        }
        self.ignores.push(Placed {
            comment,
            directive,
            codes,
            used: BTreeSet::new(),
        });
    }

    /// What sets the finding aside: every comment that does is used.
    fn suppression(&mut self, finding: &Finding, rules: &dyn Rules) -> Option<Suppression> {
        if self.ignores.is_empty() || !rules.can_be_ignored(finding.code) {
            return None;
        }
        let mut candidates = Vec::new();
        if let Some((_, span)) = &finding.primary.source {
            let lines = self.commented.lines(span.start);
            for (lines, map) in [(lines.at, &self.behind), (lines.below, &self.above)] {
                let lines = lines.iter().filter_map(|line| map.get(line));
                candidates.extend(lines.flatten().copied());
            }
        }
        candidates.extend(&self.whole);
        let mut by = None;
        for index in candidates {
            let Some(placed) = self.ignores.get_mut(index) else {
                continue;
            };
            let Ok(ignore) = &placed.directive.said else {
                continue;
            };
            let named = placed.codes.iter().enumerate();
            let holding: Vec<_> = named
                .filter(|(_, codes)| codes.contains(&finding.code))
                .map(|(position, _)| position)
                .collect();
            if holding.is_empty() {
                continue;
            }
            placed.used.extend(holding);
            by.get_or_insert_with(|| Suppression::Comment {
                place: Label::at(&self.file.file, placed.directive.span, ""),
                reason: ignore.reason.clone(),
            });
        }
        by
    }

    fn problems(&self, rules: &dyn Rules, today: Date, problems: &mut Vec<Problem>) {
        for placed in &self.ignores {
            match &placed.directive.said {
                Err(malformed) => problems.push(self.malformed(placed, malformed)),
                Ok(ignore) => self.faults(placed, ignore, rules, today, problems),
            }
        }
    }

    fn malformed(&self, placed: &Placed, malformed: &Malformed) -> Problem {
        let words = |span: &Span| self.file.file.slice(*span).to_owned();
        let removal = || self.removal(placed);
        let (kind, fix) = match malformed {
            Malformed::Word(span) => {
                let word = words(span);
                let fix = mend::word(&self.file.file, *span, &word).or_else(removal);
                (ProblemKind::Word(word), fix)
            }
            Malformed::NoRules => (ProblemKind::NoRules, removal()),
            Malformed::Unclosed => (ProblemKind::Unclosed, removal()),
            Malformed::NoDate(span) => (ProblemKind::NoDate(words(span)), removal()),
        };
        self.problem(kind, placed.directive.span, fix)
    }

    fn faults(
        &self,
        placed: &Placed,
        ignore: &Ignore,
        rules: &dyn Rules,
        today: Date,
        problems: &mut Vec<Problem>,
    ) {
        let mut push = |kind, span, fix| problems.push(self.problem(kind, span, fix));
        let whole = placed.directive.span;
        if let Some((until, span)) = ignore.until
            && today > until
        {
            let fix = self.removal(placed).map(mend::safely);
            let rules: Vec<_> = ignore.rules.iter().map(|named| &*named.text).collect();
            push(ProblemKind::Expired(until, rules.join(", ")), span, fix);
            return;
        }
        if ignore.is_file && placed.comment.line >= self.commented.first_line {
            push(ProblemKind::NotAtTheTop, whole, self.removal(placed));
            return;
        }
        let named = ignore.rules.iter().zip(&placed.codes);
        for (named, _) in named.filter(|(_, codes)| codes.is_empty()) {
            let meant = rules.meant(&named.text);
            let fix = match meant {
                Some(meant) => Some(mend::rule(&self.file.file, named, meant)),
                None if ignore.rules.len() == 1 => self.removal(placed),
                None => mend::without_rule(&self.file.file, ignore.bracket, named),
            };
            let kind = ProblemKind::UnknownRule(named.text.clone(), meant);
            push(kind, named.span, fix);
        }
        if !self.file.is_judged {
            return;
        }
        let named = ignore.rules.iter().zip(&placed.codes).enumerate();
        let unused: Vec<&Named> = named
            .filter(|(position, (_, codes))| {
                !codes.is_empty()
                    && !placed.used.contains(position)
                    && are_asked(&self.file.file.path, codes, rules)
            })
            .map(|(_, (named, _))| named)
            .collect();
        if let Some(first) = unused.first() {
            let last = unused.last().unwrap_or(first);
            let span = match unused.len() == ignore.rules.len() {
                true => whole,
                false => first.span.to(last.span),
            };
            let codes = unused.iter().flat_map(|named| rules.named(&named.text));
            let can = codes.into_iter().any(|code| rules.can_be_ignored(code));
            let starts: BTreeSet<_> = unused.iter().map(|named| named.span.start).collect();
            let names = unused.iter().map(|named| named.text.clone()).collect();
            let fix = self
                .without(placed, ignore, |named| starts.contains(&named.span.start))
                .map(mend::safely);
            push(ProblemKind::Unused(names, can), span, fix);
        }
    }

    fn problem(&self, kind: ProblemKind, span: Span, fix: Option<Fix>) -> Problem {
        Problem {
            kind,
            place: Label::at(&self.file.file, span, ""),
            fix,
        }
    }

    fn removal(&self, placed: &Placed) -> Option<Fix> {
        mend::removal(&self.file.file, &placed.comment, placed.directive.span)
    }

    /// The comment without some of its rules; without any left, it goes.
    fn without(
        &self,
        placed: &Placed,
        ignore: &Ignore,
        goes: impl Fn(&Named) -> bool,
    ) -> Option<Fix> {
        let kept: Vec<_> = ignore.rules.iter().filter(|named| !goes(named)).collect();
        match kept.is_empty() {
            true => self.removal(placed),
            false => Some(mend::only(&self.file.file, ignore.bracket, &kept)),
        }
    }
}

/// Whether all that a name stands for was asked in a file, so that it is known to find nothing. A family is not held
/// against its rules that must be selected.
fn are_asked(path: &str, codes: &[&'static str], rules: &dyn Rules) -> bool {
    let is_usual = |code: &&&str| !OPT_IN.contains(*code);
    match codes.iter().any(|code| is_usual(&code)) {
        true => codes
            .iter()
            .filter(is_usual)
            .all(|code| rules.is_asked(path, code)),
        false => codes.iter().all(|code| rules.is_asked(path, code)),
    }
}

#[cfg(test)]
mod tests;
