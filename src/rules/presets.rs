//! Configs that come with TRL: what is said of them is shown at the word that names them.

use crate::resolve::Config;

use super::{Finding, Key, Label, Subject};

/// Moves the labels out of a preset, which no editor can open, to the word that names it.
pub(super) fn relabel(subject: &Subject<'_>, findings: &mut [Finding]) {
    let Config::File(config) = &subject.run.config else {
        return;
    };
    let named = subject
        .run
        .command
        .as_ref()
        .and_then(|command| command.config.as_ref());
    let Some(named) = named.filter(|_| config.is_preset()) else {
        return;
    };
    let is_within = |label: &Label| label.path == config.file.path;
    for finding in findings {
        if is_within(&finding.primary) {
            let name = &config.file.path;
            finding.notes.push(format!(
                "{name} is a file of the package: copy it to change it"
            ));
            finding.key = Key {
                route: named.route.clone(),
                value: named.file.slice(named.value).to_owned(),
            };
        }
        for label in std::iter::once(&mut finding.primary).chain(&mut finding.related) {
            if !is_within(label) {
                continue;
            }
            let line = label.source.as_ref().map(|(file, span)| {
                let line = file.line_column(span.start).line;
                file.slice(file.line_span(line)).trim().to_owned()
            });
            let said = format!("`{}` in {}", line.unwrap_or_default(), config.file.path);
            let text = match label.text.is_empty() {
                true => said,
                false => format!("{}: {said}", label.text),
            };
            *label = Label::value(named, text);
        }
    }
}
