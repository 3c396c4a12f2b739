//! `--add-ignores`: findings → texts in which comments ignore them.
//!
//! A comment is put where the language allows one, and that is proven: the new text must read as the old one did, and
//! the comment must ignore the finding. What proves wrong is tried at the next place.

mod reading;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::formats::launch::Comments;
use crate::rules::{Finding, Label};
use crate::source::edit::with_edits;
use crate::source::{SourceFile, Span, TextEdit};

use super::Date;
use super::comments::Commented;
use super::directive::directives;
use super::ignores::{IgnoringFile, Rules, ignore};

pub use reading::is_pin_file;
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
    /// The places for a comment, the best one first.
    places: Vec<Place>,
}

/// Adds comments for these findings, all of which lie in this file. `is_launch` where it holds launch commands.
pub fn add_ignores(
    file: &Arc<SourceFile>,
    is_launch: bool,
    findings: &[&Finding],
    reason: &str,
    rules: &dyn Rules,
    today: Date,
) -> Added {
    let commented = Commented::of(file, is_launch);
    let merges = Merges::of(&commented, reason);
    let writer = Writer {
        file,
        is_launch,
        commented,
        findings,
        reason,
        rules,
        today,
    };
    let mut groups: BTreeMap<usize, Group> = BTreeMap::new();
    for finding in findings {
        let offset = finding.primary.source.as_ref().map(|(_, span)| span.start);
        let line = offset.map_or(0, |offset| file.line_column(offset).line);
        let group = groups.entry(line).or_insert_with(|| Group {
            offset,
            codes: BTreeSet::new(),
            count: 0,
            places: writer.places(offset, &merges),
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
        text: writer.written(&writer.edits(&settled.placed)),
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
    today: Date,
}

/// The comments that are there and that more rules can be written into: the first one for each line.
#[derive(Default)]
struct Merges {
    /// By the line that a comment alone on its line is meant for.
    above: BTreeMap<usize, Place>,
    /// By the line at whose end it stands.
    behind: BTreeMap<usize, Place>,
    whole: Option<Place>,
}

impl Merges {
    fn of(commented: &Commented, reason: &str) -> Self {
        let mut merges = Self::default();
        for comment in &commented.comments {
            let said = directives(commented.file.text(), comment.span, commented.opening());
            for ignore in said.into_iter().filter_map(|directive| directive.said.ok()) {
                // It must go on without an end, for the same reason.
                let fits = ignore.until.is_none() && (reason.is_empty() || ignore.reason == reason);
                if !fits {
                    continue;
                }
                let place = Place::Merge(ignore.bracket.end);
                let (map, line) = match (ignore.is_file, comment.is_alone) {
                    (true, _) => {
                        if comment.line < commented.first_line {
                            merges.whole.get_or_insert(place);
                        }
                        continue;
                    }
                    (false, true) => (&mut merges.above, comment.target),
                    (false, false) => (&mut merges.behind, Some(comment.line)),
                };
                if let Some(line) = line {
                    map.entry(line).or_insert(place);
                }
            }
        }
        merges
    }
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
                if position + 1 < group.places.len() {
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

    /// The places for a comment, the best one first.
    fn places(&self, offset: Option<usize>, merges: &Merges) -> Vec<Place> {
        let mut places = Vec::new();
        if let Some(offset) = offset {
            let lines = self.commented.lines(offset);
            let above = lines.below.iter().filter_map(|line| merges.above.get(line));
            let behind = lines.at.iter().filter_map(|line| merges.behind.get(line));
            places.extend(above.chain(behind).copied());
            places.sort_unstable();
            let is_behind = self.commented.kind == Comments::Hash;
            if is_behind {
                let ends = lines.at.iter();
                let ends = ends.filter(|line| !self.commented.line(**line).ends_with('\\'));
                places.extend(ends.map(|line| Place::Behind(*line)));
            }
            places.extend(lines.below.iter().map(|line| Place::Above(*line)));
        }
        places.extend(merges.whole);
        places.push(Place::Top);
        let mut known = BTreeSet::new();
        places.retain(|place| known.insert(*place));
        places
    }

    /// The text with these edits, which are sorted and only add something.
    fn written(&self, edits: &[TextEdit]) -> String {
        let text = self.file.text();
        with_edits(text, edits.iter()).unwrap_or_else(|| text.to_owned())
    }

    fn edits(&self, groups: &[(&Group, usize)]) -> Vec<TextEdit> {
        let mut codes: BTreeMap<Place, BTreeSet<&'static str>> = BTreeMap::new();
        for (group, position) in groups {
            if let Some(place) = group.places.get(*position) {
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
                let content = format!("{indentation}{}{}", comment("ignore"), self.file.line_end());
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
                    format!("{}{}", comment("ignore-file"), self.file.line_end()),
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

    /// Whether the text with these comments reads as before, and they ignore these findings.
    fn is_right(&self, groups: &[(&Group, usize)]) -> bool {
        let edits = self.edits(groups);
        let text = self.written(&edits);
        let after = Arc::new(SourceFile::from_text(self.file.path.clone(), text));
        if !reads_as(self.file, &after, self.is_launch) {
            return false;
        }
        let lines: BTreeSet<Option<usize>> = groups
            .iter()
            .map(|(group, _)| self.line(group.offset))
            .collect();
        // What the edits add up to each of them.
        let added = edits.iter().scan(0, |added, edit| {
            *added += edit.content.len();
            Some(*added)
        });
        let added: Vec<usize> = std::iter::once(0).chain(added).collect();
        let mut moved = Vec::new();
        for finding in self.findings {
            let span = finding.primary.source.as_ref().map(|(_, span)| *span);
            if !lines.contains(&self.line(span.map(|span| span.start))) {
                continue;
            }
            let mut finding = (*finding).clone();
            if let Some(span) = span {
                let ends = edits.partition_point(|edit| edit.span.start <= span.start);
                let before = added[ends];
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
        let ignored = ignore(moved, &files, self.rules, self.today);
        ignored.left.is_empty()
    }

    fn line(&self, offset: Option<usize>) -> Option<usize> {
        offset.map(|offset| self.file.line_column(offset).line)
    }
}

#[cfg(test)]
mod tests;
