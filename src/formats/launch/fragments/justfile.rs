//! Justfiles: each line of a recipe is a text of its own, unless the recipe begins with `#!`.

mod expression;

use std::collections::BTreeMap;

use crate::source::Span;

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::container::begins_with_shell;
use super::fill::{self, Filling, between};
use super::paths;
use super::text::{Builder, MappedText, lines};

use expression::Values;

/// What the lines outside of recipes have said so far.
#[derive(Default)]
struct Justfile {
    values: Values,
    exported: Environment,
    is_all_exported: bool,
    folder: Option<String>,
    /// Files of variables that are loaded.
    loaded: BTreeMap<&'static str, (String, Span)>,
}

/// A recipe.
struct Recipe<'t> {
    header: &'t str,
    at: usize,
    /// Attributes before it.
    is_outside: bool,
    lines: Vec<(usize, &'t str)>,
}

pub(super) fn collect(found: &mut Collector<'_>) {
    let mut justfile = Justfile::default();
    let mut recipes: Vec<Recipe<'_>> = Vec::new();
    let mut is_inside = false;
    let mut is_outside = false;
    for (start, line) in lines(found.file.text()) {
        let (start, line) = match line.strip_prefix('\u{feff}') {
            Some(line) if start == 0 => ('\u{feff}'.len_utf8(), line),
            _ => (start, line),
        };
        if line.trim().is_empty() || line.starts_with([' ', '\t']) {
            if let Some(recipe) = recipes.last_mut().filter(|_| is_inside) {
                recipe.lines.push((start, line));
            }
            continue;
        }
        is_inside = false;
        if line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            is_outside |= line.contains("no-cd");
            continue;
        }
        if justfile.read(start, line, found) {
            continue;
        }
        if line.contains(':') {
            is_inside = true;
            recipes.push(Recipe {
                header: line,
                at: start,
                is_outside,
                lines: Vec::new(),
            });
            is_outside = false;
        }
    }
    let loaded: Vec<(String, Span)> = justfile.loaded.values().cloned().collect();
    for recipe in &recipes {
        justfile.collect(recipe, &loaded, found);
    }
}

impl Justfile {
    /// Reads a setting or an assignment; false for any other line.
    fn read(&mut self, start: usize, line: &str, found: &Collector<'_>) -> bool {
        let span = Span::new(start, start + line.len());
        if let Some(setting) = line.strip_prefix("set ") {
            let (name, value) = setting.split_once(":=").unwrap_or((setting, "true"));
            let value = self.values.work_out(value);
            let is_on = value.as_deref() != Ok("false");
            match (name.trim(), value) {
                ("dotenv-load", _) if is_on => {
                    let file = || (".env".to_owned(), span);
                    self.loaded.entry("dotenv").or_insert_with(file);
                }
                ("dotenv-filename" | "dotenv-path", Ok(path)) => {
                    self.loaded.insert("dotenv", (path, span));
                }
                ("export", _) => self.is_all_exported = is_on,
                ("working-directory", value) => {
                    self.folder = Some(value.unwrap_or_else(|_| "$".to_owned()))
                }
                _ => {}
            }
            return true;
        }
        let Some((name, value)) = line.split_once(":=") else {
            return ["alias ", "import", "mod "]
                .iter()
                .any(|word| line.starts_with(word));
        };
        let name = name.trim();
        let (name, is_exported) = match name.strip_prefix("export ") {
            Some(name) => (name.trim(), true),
            None => (name, false),
        };
        // A recipe whose default or dependency holds `:=`.
        if fill::name(&name.replace('-', "_")).is_none_or(|whole| whole.len() != name.len()) {
            return false;
        }
        let content = value.trim();
        let at = start + line.len() - value.trim_start().len();
        let text = self.values.work_out(content);
        let term = found.term(text.clone(), Span::new(at, at + content.len()));
        self.values.set(name, text);
        if is_exported || self.is_all_exported {
            self.exported.add(name, term);
        }
        true
    }

    fn collect(&self, recipe: &Recipe<'_>, loaded: &[(String, Span)], found: &mut Collector<'_>) {
        let mut own = Values::default();
        let mut exported = Environment::default();
        for (at, parameter) in expression::parameters(recipe.header) {
            let (name, default) = parameter.split_once('=').unwrap_or((parameter, ""));
            let variadic = name.trim_start_matches(['*', '+']);
            let bare = variadic.trim_start_matches('$');
            let text = match default {
                "" => Err(format!("`{bare}` is given when the recipe is run")),
                default => self.values.work_out(default),
            };
            if variadic.starts_with('$') || self.is_all_exported {
                let at = recipe.at + at;
                let span = Span::new(at, at + parameter.len());
                exported.add(bare, found.term(text.clone(), span));
            }
            own.set(bare, text);
        }
        let folder = match (&self.folder, recipe.is_outside) {
            (_, true) => Folder::Start(String::new()),
            (Some(path), _) => paths::own(path),
            (None, _) => Folder::Own(String::new()),
        };
        let given = Given {
            layers: &[&self.exported, &exported],
            folder: &folder,
            loaded,
        };
        for text in texts(found.file.text(), &recipe.lines) {
            found.filled_shell(text, &given, &mut |text, unknowns| {
                fill::shell(
                    text,
                    '{',
                    &mut |rest| self.interpolation(rest, &own),
                    unknowns,
                )
            });
        }
    }

    /// `{{ … }}`
    fn interpolation(&self, rest: &str, own: &Values) -> Option<(usize, Filling)> {
        if rest.starts_with("{{{{") {
            return Some((4, Filling::Known("{{".to_owned())));
        }
        let (inner, length) = between(rest, "{{", "}}")?;
        let filling = match self.values.work_out_with(inner, own) {
            Ok(text) => Filling::Known(text),
            Err(why) => Filling::Unknown(why),
        };
        Some((length, filling))
    }
}

/// The texts of a recipe: the whole of it where it begins with the `#!` of a shell, nothing for another program's.
fn texts(file: &str, lines: &[(usize, &str)]) -> Vec<MappedText> {
    let Some((_, first)) = lines.iter().find(|(_, line)| !line.trim().is_empty()) else {
        return Vec::new();
    };
    let indent = first.len() - first.trim_start_matches([' ', '\t']).len();
    let is_script = first[indent..].starts_with("#!");
    if is_script && !begins_with_shell(&first[indent..]) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut open: Option<Builder> = None;
    for (start, line) in lines {
        let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
        let mut dropped = blanks.min(indent);
        if open.is_none() && !is_script {
            let content = line[dropped..].trim_start_matches(['@', '-', ' ', '\t']);
            dropped = line.len() - content.len();
        }
        let builder = open.get_or_insert_with(|| Builder::new(start + dropped));
        builder.verbatim(&line[dropped..], start + dropped);
        builder.line_feed(file, start + line.len());
        if !is_script && !line.ends_with('\\') {
            found.extend(open.take().map(Builder::finish));
        }
    }
    found.extend(open.map(Builder::finish));
    found
}
