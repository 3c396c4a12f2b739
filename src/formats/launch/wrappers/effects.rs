//! What wrappers do to the environment and the folder of the command.

use std::collections::BTreeMap;

use super::super::words::{self, part};
use super::super::{Folder, Loaded, Term, shell};
use super::Peeled;
use super::dotenv;
use super::reader::{Given, has};
use super::table::{Inherits, Wrapper};

/// What the wrapper does to the environment and the folder.
pub(super) fn apply(
    wrapper: &Wrapper,
    options: &[Given],
    assignments: Vec<(String, Term)>,
    peeled: &mut Peeled<'_>,
    loaded: &dyn Loaded,
) {
    let given = |list: &str| options.iter().any(|option| has(list, &option.name));
    let start = peeled.folder.clone();
    let outside = peeled.environment.clone();
    let inherits = match wrapper.inherits {
        Inherits::All => true,
        Inherits::Nothing => false,
        Inherits::Unless(list) => !given(list),
        Inherits::Only(list) => keep_named(list, options, peeled),
        Inherits::SlurmExport => {
            slurm_export(options, peeled);
            true
        }
    };
    if !inherits {
        peeled.environment.clear();
        peeled.set.clear();
    }
    if wrapper.is_elsewhere {
        peeled.folder = Folder::Unknown;
    }
    for option in options {
        let Some(value) = &option.value else {
            continue;
        };
        if has(wrapper.loads, &option.name)
            && let Some(path) = value.known()
            && let Some(file) = loaded.load(path, &start)
        {
            peeled.set.extend(dotenv::read(&file));
        }
        if has(wrapper.unsets, &option.name)
            && let Some(name) = value.known()
        {
            peeled.environment.remove(name);
            peeled.set.retain(|(set, _)| set != name);
        }
        if has(wrapper.sets, &option.name) {
            peeled.set.extend(set_by(value, &outside));
        }
        if has(wrapper.enters, &option.name) {
            peeled.folder = value
                .known()
                .map_or(Folder::Unknown, |path| shell::joined(&peeled.folder, path));
        }
    }
    if wrapper.inherits == Inherits::SlurmExport
        && let Some(list) = last(options, "--export")
    {
        let set = items(list).filter_map(|item| words::assignment(&item));
        peeled.set.extend(set);
    }
    peeled.set.extend(assignments);
    peeled.environment.extend(peeled.set.iter().cloned());
}

/// `-e NAME=value`, `-e NAME` (as it is outside), `--env A=1,B=2`.
fn set_by(value: &Term, outside: &BTreeMap<String, Term>) -> Vec<(String, Term)> {
    if let Some(name) = value.known()
        && words::is_variable_name(name)
    {
        let kept = outside.get_key_value(name);
        return kept
            .map(|(name, value)| (name.clone(), value.clone()))
            .into_iter()
            .collect();
    }
    // A comma parts two variables only where another assignment follows it.
    let all: Option<Vec<_>> = items(value).map(|item| words::assignment(&item)).collect();
    all.or_else(|| words::assignment(value).map(|one| vec![one]))
        .unwrap_or_default()
}

/// The parts of a list with commas; the whole where it is not known.
fn items(list: &Term) -> impl Iterator<Item = Term> {
    let text = list.known().unwrap_or_default();
    let starts = std::iter::once(0).chain(text.match_indices(',').map(|(at, _)| at + 1));
    let ends = text
        .match_indices(',')
        .map(|(at, _)| at)
        .chain([text.len()]);
    starts.zip(ends).map(move |(start, end)| {
        let mut item = part(list, start);
        if let Ok(text) = &mut item.text {
            text.truncate(end.saturating_sub(start));
            // Where the word stands as it is, so does its part.
            let whole = list.spot.span;
            if item.spot.span != whole
                || start == 0 && words::written(list) == list.known().unwrap_or_default()
            {
                item.spot.span.end = item.spot.span.start + (end - start);
            }
        }
        item
    })
}

fn last<'a>(options: &'a [Given], name: &str) -> Option<&'a Term> {
    let given = options.iter().rev().find(|option| option.name == name);
    given.and_then(|option| option.value.as_ref())
}

/// Whether one of these options keeps variables; those that its value names, if it has one.
fn keep_named(list: &str, options: &[Given], peeled: &mut Peeled<'_>) -> bool {
    let mut names = Vec::new();
    for option in options.iter().filter(|option| has(list, &option.name)) {
        match option.value.as_ref().map(Term::known) {
            Some(Some(text)) => names.extend(text.split(',')),
            None | Some(None) => return true,
        }
    }
    retain(&names, peeled);
    !names.is_empty()
}

/// Slurm passes the variables on that are exported; where `--export` names some without `ALL`, those.
fn slurm_export(options: &[Given], peeled: &mut Peeled<'_>) {
    let Some(text) = last(options, "--export").and_then(Term::known) else {
        return;
    };
    let names: Vec<&str> = text.split(',').collect();
    if !names.contains(&"ALL") {
        retain(&names, peeled);
    }
}

/// Keeps the variables with these names.
fn retain(names: &[&str], peeled: &mut Peeled<'_>) {
    peeled
        .environment
        .retain(|name, _| names.contains(&name.as_str()));
    peeled
        .set
        .retain(|(name, _)| names.contains(&name.as_str()));
}
