//! `--add-ignores`: findings → texts in which comments ignore them.
//!
//! A comment is put where the language allows one, and that is proven: the new text must read as the old one did, and
//! the comment must ignore the finding. What proves wrong is tried at the next place.

mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::formats::launch::Comments;
use crate::rules::{Finding, Label};
use crate::source::edit::spliced;
use crate::source::{SourceFile, Span, TextEdit};

use super::Date;
use super::comments::{Comment, Commented};
use super::directive::directives;
use super::ignores::{IgnoringFile, Rules, ignore};

use reading::reads_as;

/// A text with comments for its findings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Added {
    /// The new text.
    pub text: String,
    /// How many findings it ignores.
    pub ignored: usize,
    /// The codes of the findings for which no place was found, sorted.
    pub unplaced: Vec<&'static str>,
}

/// Findings of one line that are ignored together.
struct Group {
    offset: Option<usize>,
    codes: BTreeSet<&'static str>,
    count: usize,
}

/// Adds comments for these findings, all of which lie in this file. `is_launch` where it holds launch commands.
pub fn add_ignores(
    file: &Arc<SourceFile>,
    is_launch: bool,
    findings: &[&Finding],
    reason: &str,
    rules: &dyn Rules,
) -> Added {
    let writer = Writer {
        file,
        is_launch,
        commented: Commented::of(file, is_launch),
        findings,
        reason,
        rules,
    };
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for finding in findings {
        let offset = finding.primary.source.as_ref().map(|(_, span)| span.start);
        let line = offset.map_or(0, |offset| file.line_column(offset).line);
        let group = groups.entry(line).or_insert_with(|| Group {
            offset,
            codes: BTreeSet::new(),
            count: 0,
        });
        group.codes.insert(finding.code);
        group.count += 1;
    }
    let groups: Vec<_> = groups.into_values().collect();
    let mut settled = Settled::default();
    if writer.commented.kind == Comments::None {
        settled.unplaced.extend(&groups);
    } else {
        let numbered: Vec<_> = groups.iter().map(|group| (group, 0)).collect();
        writer.settle(&numbered, &mut settled);
    }
    let unplaced = settled
        .unplaced
        .iter()
        .flat_map(|group| group.codes.clone());
    let unplaced: BTreeSet<_> = unplaced.collect();
    let left: usize = settled.unplaced.iter().map(|group| group.count).sum();
    Added {
        text: writer
            .written(&settled.placed)
            .unwrap_or_else(|| file.text().to_owned()),
        ignored: findings.len() - left,
        unplaced: unplaced.into_iter().collect(),
    }
}

#[derive(Default)]
struct Settled<'a> {
    /// Groups, with the place at which each is ignored.
    placed: Vec<(&'a Group, usize)>,
    unplaced: Vec<&'a Group>,
}

struct Writer<'a> {
    file: &'a Arc<SourceFile>,
    is_launch: bool,
    commented: Commented,
    findings: &'a [&'a Finding],
    reason: &'a str,
    rules: &'a dyn Rules,
}

/// Where a comment is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Place {
    /// Into the brackets of one that is there: where they end.
    Merge(usize),
    /// At the end of this line.
    Behind(usize),
    /// On a line of its own above this one.
    Above(usize),
    /// On the first line that may hold one, for the whole file.
    Top,
}

impl Writer<'_> {
    /// Settles where the comments of these groups stand: all at their places if that proves right, else in halves; one
    /// alone goes to its next place.
    fn settle<'g>(&self, groups: &[(&'g Group, usize)], settled: &mut Settled<'g>) {
        let mut open = vec![groups.to_vec()];
        while let Some(mut groups) = open.pop() {
            if groups.is_empty() {
                continue;
            }
            let all: Vec<_> = settled.placed.iter().chain(&groups).copied().collect();
            if self.is_right(&all) {
                settled.placed = all;
            } else if let [(group, position)] = groups.as_slice() {
                if position + 1 < self.places(group).len() {
                    open.push(vec![(group, position + 1)]);
                } else {
                    settled.unplaced.push(group);
                }
            } else {
                let second = groups.split_off(groups.len() / 2);
                open.push(second);
                open.push(groups);
            }
        }
    }

    /// The places for a group, the best one first.
    fn places(&self, group: &Group) -> Vec<Place> {
        let mut places = Vec::new();
        if let Some(offset) = group.offset {
            let lines = self.commented.lines(offset);
            let beside = self
                .commented
                .comments
                .iter()
                .filter(|comment| match comment.is_alone {
                    true => self
                        .commented
                        .target(comment)
                        .is_some_and(|target| lines.below.contains(&target)),
                    false => lines.at.contains(&comment.line),
                });
            places.extend(beside.filter_map(|comment| self.merge(comment, false)));
            let is_behind = self.commented.kind == Comments::Hash;
            if is_behind {
                let ends = lines.at.iter();
                let ends = ends.filter(|line| !self.commented.line(**line).ends_with('\\'));
                places.extend(ends.map(|line| Place::Behind(*line)));
            }
            places.extend(lines.below.iter().map(|line| Place::Above(*line)));
        }
        let whole = self.commented.comments.iter();
        let whole = whole.filter(|comment| comment.line < self.commented.first_line);
        places.extend(whole.filter_map(|comment| self.merge(comment, true)));
        places.push(Place::Top);
        let mut known = BTreeSet::new();
        places.retain(|place| known.insert(*place));
        places
    }

    /// Into a comment that ignores something, for the whole file or not, and that goes on without an end.
    fn merge(&self, comment: &Comment, is_file: bool) -> Option<Place> {
        let opening = self.commented.opening();
        let mut found = directives(self.file.text(), comment.span, opening).into_iter();
        found.find_map(|directive| {
            let ignore = directive.said.ok()?;
            let fits = ignore.is_file == is_file
                && ignore.until.is_none()
                && (self.reason.is_empty() || ignore.reason == self.reason);
            fits.then_some(Place::Merge(ignore.bracket.end))
        })
    }

    /// The new text: one comment for each place.
    fn written(&self, groups: &[(&Group, usize)]) -> Option<String> {
        self.edits(groups)
            .iter()
            .rev()
            .try_fold(self.file.text().to_owned(), |text, edit| {
                spliced(&text, edit)
            })
    }

    fn edits(&self, groups: &[(&Group, usize)]) -> Vec<TextEdit> {
        let mut codes: BTreeMap<Place, BTreeSet<&'static str>> = BTreeMap::new();
        for (group, position) in groups {
            if let Some(place) = self.places(group).get(*position) {
                codes.entry(*place).or_default().extend(&group.codes);
            }
        }
        let edits = codes.into_iter().map(|(place, codes)| {
            let codes: Vec<_> = codes.into_iter().collect();
            self.edit(place, &codes.join(", "))
        });
        let mut edits: Vec<_> = edits.collect();
        // What is put at the same offset stays in the order of the places: a line above before others.
        edits.sort_by_key(|edit| edit.span);
        edits
    }

    fn edit(&self, place: Place, codes: &str) -> TextEdit {
        let comment = |word: &str| {
            let reason = match self.reason {
                "" => String::new(),
                reason => format!(" {reason}"),
            };
            match self.commented.kind {
                Comments::Html => format!("<!-- fp8lint: {word}[{codes}]{reason} -->"),
                _ => format!("# fp8lint: {word}[{codes}]{reason}"),
            }
        };
        let (offset, content) = match place {
            Place::Merge(offset) => (offset, format!(", {codes}")),
            Place::Behind(line) => {
                let text = self.commented.line(line);
                let end =
                    self.file.line_span(line).start + text.trim_end_matches([' ', '\t']).len();
                (end, format!("  {}", comment("ignore")))
            }
            Place::Above(line) => {
                let text = self.commented.line(line);
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                let indentation = &text[..text.len() - text.trim_start_matches([' ', '\t']).len()];
                // To make, what stands behind a tab is a command.
                let indentation = if self.is_make() { "" } else { indentation };
                let content = format!("{indentation}{}{}", comment("ignore"), self.line_break());
                (self.start(line), content)
            }
            Place::Top => {
                let mut line = 1;
                while line < self.commented.first_line && self.stays_first(line) {
                    line += 1;
                }
                let start = match line > self.file.line_count() {
                    true => self.file.text().len(),
                    false => self.start(line),
                };
                (
                    start,
                    format!("{}{}", comment("ignore-file"), self.line_break()),
                )
            }
        };
        TextEdit {
            span: Span::at(offset),
            content,
        }
    }

    /// Where a line starts, behind a byte order mark.
    fn start(&self, line: usize) -> usize {
        let span = self.file.line_span(line);
        let mark = self.file.slice(span).starts_with('\u{feff}') && line == 1;
        span.start + if mark { '\u{feff}'.len_utf8() } else { 0 }
    }

    /// Whether a line has to come first: what names the shell, what YAML or a page begins with.
    fn stays_first(&self, line: usize) -> bool {
        let text = self.commented.line(line).trim_start_matches('\u{feff}');
        let is_directive = [
            "# syntax=",
            "# escape=",
            "#syntax=",
            "#SBATCH",
            "#PBS",
            "#BSUB",
        ]
        .iter()
        .any(|begin| text.starts_with(begin));
        text.starts_with("#!")
            || is_directive
            || text.starts_with("%YAML")
            || (text.trim_end() == "---" && self.commented.kind == Comments::Hash)
            || self.commented.kind == Comments::Html
    }

    fn is_make(&self) -> bool {
        self.is_launch && (self.file.path.ends_with("akefile") || self.file.path.ends_with(".mk"))
    }

    fn line_break(&self) -> &'static str {
        let text = self.file.text();
        match text.find(['\n', '\r']) {
            Some(at) if text[at..].starts_with("\r\n") => "\r\n",
            Some(at) if text[at..].starts_with('\r') => "\r",
            _ => "\n",
        }
    }

    /// Whether the text with these comments reads as before, and they ignore these findings.
    fn is_right(&self, groups: &[(&Group, usize)]) -> bool {
        let edits = self.edits(groups);
        let Some(text) = self.written(groups) else {
            return false;
        };
        let after = Arc::new(SourceFile::from_text(self.file.path.clone(), text));
        if !reads_as(self.file, &after, self.is_launch) {
            return false;
        }
        let lines: BTreeSet<Option<usize>> = groups
            .iter()
            .map(|(group, _)| self.line(group.offset))
            .collect();
        let mut moved = Vec::new();
        for finding in self.findings {
            let span = finding.primary.source.as_ref().map(|(_, span)| *span);
            if !lines.contains(&self.line(span.map(|span| span.start))) {
                continue;
            }
            let mut finding = (*finding).clone();
            if let Some(span) = span {
                let ends = edits.partition_point(|edit| edit.span.start <= span.start);
                let before: usize = edits[..ends].iter().map(|edit| edit.content.len()).sum();
                let span = Span::new(span.start + before, span.end + before);
                finding.primary = Label::at(&after, span, "");
            }
            moved.push(finding);
        }
        let files = [IgnoringFile {
            file: after,
            is_launch: self.is_launch,
            is_judged: false,
        }];
        let ignored = ignore(moved, &files, self.rules, Date::today());
        ignored.left.is_empty()
    }

    fn line(&self, offset: Option<usize>) -> Option<usize> {
        offset.map(|offset| self.file.line_column(offset).line)
    }
}

#[cfg(test)]
mod tests;
