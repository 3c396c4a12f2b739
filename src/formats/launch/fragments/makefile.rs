//! Makefiles: each line of a recipe is a text of its own, unless `.ONESHELL` joins them.

mod parse;
mod variables;

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::fill;
use super::text::{Builder, MappedText};

use variables::Resolver;

pub(super) fn collect(found: &mut Collector<'_>) {
    let makefile = parse::read(found.file.text());
    let folder = match found.file.path.ends_with(".mk") {
        // Included, as a rule, from the root.
        true => Folder::Start(String::new()),
        false => Folder::Own(String::new()),
    };
    let mut base = Resolver::new(&makefile.variables, None);
    let exported = environment(&mut base, makefile.is_all_exported, found);
    for rule in &makefile.rules {
        if rule.recipe.is_empty() {
            continue;
        }
        let own = makefile.of_targets(&rule.targets);
        let mut special;
        let (resolver, exported) = match own {
            None => (&mut base, &exported),
            Some(own) => {
                let mut resolver = base.with(own);
                let environment = environment(&mut resolver, makefile.is_all_exported, found);
                special = (resolver, environment);
                (&mut special.0, &special.1)
            }
        };
        let given = Given {
            layers: &[exported],
            folder: &folder,
            loaded: &[],
        };
        let target = rule.targets.trim();
        let joined = makefile.is_one_shell.then(|| joined(&rule.recipe));
        for line in joined
            .as_ref()
            .map_or(rule.recipe.as_slice(), std::slice::from_ref)
        {
            let text = without_prefix(line);
            found.filled_shell(text, &given, &mut |text, unknowns| {
                fill::shell(
                    text,
                    '$',
                    &mut |rest| resolver.reference(rest, target),
                    unknowns,
                )
            });
        }
    }
}

/// The exported variables.
fn environment(resolver: &mut Resolver<'_>, is_all: bool, found: &Collector<'_>) -> Environment {
    let mut environment = Environment::default();
    for (name, span) in resolver.exported(is_all) {
        let text = resolver.value(&name);
        environment.add(name, found.term(text, span));
    }
    environment
}

/// A line without the `@`, `-` and `+` that are for make.
fn without_prefix(line: &MappedText) -> MappedText {
    let rest = line.text.trim_start_matches(['@', '-', '+', ' ', '\t']);
    line.slice(line.text.len() - rest.len()..line.text.len())
}

fn joined(lines: &[MappedText]) -> MappedText {
    let mut builder = Builder::new(lines.first().map_or(0, |line| line.source().start));
    for line in lines {
        builder.whole(line);
        builder.replaced("\n", crate::source::Span::at(line.source().end));
    }
    builder.finish()
}
