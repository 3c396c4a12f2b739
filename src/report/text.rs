//! `text`: for people, with the lines in question.

use std::io::{self, Write};
use std::sync::Arc;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Origin, Renderer, Snippet};

use crate::rules::{Confidence, Finding, Label, Severity};
use crate::source::SourceFile;

use super::fixable::fixable;
use super::{
    Checked, Report, RepositoryPaths, Style, closing_line, escape, fixes, links, one_line,
    statistics, window,
};

/// The findings, each with its lines, its labels, its notes and what to write instead.
pub(super) struct Text(pub(super) Style);

impl Report for Text {
    fn write(&self, checked: &Checked, out: &mut dyn Write) -> io::Result<()> {
        let renderer = renderer(self.0.colour);
        let links = self.0.links_in(checked);
        for finding in &checked.findings {
            writeln!(out, "{}\n", renderer.render(&groups(finding, links)))?;
        }
        if self.0.show_fixes {
            write!(out, "{}", fixes(checked))?;
        }
        if self.0.statistics {
            write!(out, "{}", statistics(checked))?;
        }
        if !self.0.quiet {
            writeln!(out, "{}", closing_line(checked))?;
        }
        Ok(())
    }
}

/// How lines are drawn.
pub(super) fn renderer(colour: bool) -> Renderer {
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer.decor_style(DecorStyle::Ascii)
}

/// Why the program cannot do its work, with the line that is at fault.
pub fn failure(message: &str, place: &Label, help: Option<&str>) -> String {
    let title = Level::ERROR.primary_title(one_line(message).into_owned());
    let labels = vec![(place, AnnotationKind::Primary)];
    let mut group = with_snippets(Group::with_title(title), labels, None);
    if let Some(help) = help {
        group = group.element(Level::HELP.message(one_line(help).into_owned()));
    }
    format!("{}\n", renderer(false).render(&[group]))
}

fn groups(finding: &Finding, links: Option<&RepositoryPaths>) -> Vec<Group<'static>> {
    let level = match finding.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
        Severity::Note => Level::NOTE,
    };
    let title = level
        .primary_title(one_line(&finding.message).into_owned())
        .id(finding.code);
    let mut group = Group::with_title(title);
    let related = finding.related.iter();
    let mut labels = vec![(&finding.primary, AnnotationKind::Primary)];
    labels.extend(related.map(|label| (label, AnnotationKind::Context)));
    group = with_snippets(group, labels, links);
    if let Some(outcome) = &finding.outcome {
        let text = format!("asked: {}; runs: {}", outcome.asked, outcome.runs);
        group = group.element(Level::NOTE.message(escape::lines(&text)));
    }
    for note in &finding.notes {
        group = group.element(Level::NOTE.message(escape::lines(note)));
    }
    if finding.confidence == Confidence::Likely {
        group = group.element(Level::NOTE.message("this is likely, not certain"));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(escape::lines(help)));
    }
    // Where there is help, it says what the fix does.
    if let (None, Some(fix)) = (&finding.help, finding.fixes.first()) {
        group = group.element(Level::HELP.message(escape::lines(&fix.title)));
    }
    if let Some(fixable) = fixable(finding) {
        let text = format!("fixable with {}", fixable.flags());
        group = group.element(Level::HELP.message(text));
    }
    vec![group]
}

enum Shown {
    Lines(Snippet<'static, annotate_snippets::Annotation<'static>>),
    Path(Origin<'static>),
}

/// The group with the lines of the labels.
pub(super) fn with_snippets(
    group: Group<'static>,
    labels: Vec<(&Label, AnnotationKind)>,
    links: Option<&RepositoryPaths>,
) -> Group<'static> {
    snippets(labels, links)
        .into_iter()
        .fold(group, |group, element| match element {
            Shown::Lines(snippet) => group.element(snippet),
            Shown::Path(origin) => group.element(origin),
        })
}

/// The labels, those of one file together, the first one's file first.
fn snippets(
    mut left: Vec<(&Label, AnnotationKind)>,
    links: Option<&RepositoryPaths>,
) -> Vec<Shown> {
    let mut shown = Vec::new();
    while let Some((first, _)) = left.first() {
        let path = first.path.clone();
        let (here, elsewhere): (Vec<_>, Vec<_>) =
            left.into_iter().partition(|(label, _)| label.path == path);
        left = elsewhere;
        let file = here.iter().find_map(|(label, _)| label.source.as_ref());
        match file {
            Some((file, _)) => shown.extend(lines(file, &here, links)),
            None => shown.push(Shown::Path(Origin::path(links::path(&path, links)))),
        }
    }
    shown
}

fn lines(
    file: &Arc<SourceFile>,
    labels: &[(&Label, AnnotationKind)],
    links: Option<&RepositoryPaths>,
) -> Vec<Shown> {
    let placed: Vec<_> = labels
        .iter()
        .filter_map(|(label, kind)| Some((label.source.as_ref()?.1, &label.text, *kind)))
        .collect();
    let spans: Vec<_> = placed.iter().map(|(span, ..)| *span).collect();
    window::windows(file, &spans)
        .into_iter()
        .map(|window| {
            let annotations: Vec<_> = window
                .marks
                .into_iter()
                .map(|mark| {
                    let (_, text, kind) = placed[mark.index];
                    let label = (!text.is_empty()).then(|| one_line(text).into_owned());
                    kind.span(mark.range).label(label)
                })
                .collect();
            Shown::Lines(
                Snippet::source(window.text)
                    .path(links::path(&file.path, links))
                    .line_start(window.first_line)
                    .annotations(annotations),
            )
        })
        .collect()
}
