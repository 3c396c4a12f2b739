//! Makefiles: each line of a recipe is a text of its own, unless `.ONESHELL` joins them.

mod parse;
mod variables;

use super::super::Folder;
use super::collector::{Collector, Environment, Given};
use super::fill;
use super::text::{Builder, MappedText};

use variables::Resolver;

/// How many values may be worked out for rules that have variables to themselves: for each of them it is all values.
const OWN_LIMIT: usize = 100_000;

pub(super) fn collect(found: &mut Collector<'_>) {
    let makefile = parse::read(found.file.text());
    let folder = match found.file.path.ends_with(".mk") {
        // Included, as a rule, from the root.
        true => Folder::Start(String::new()),
        false => Folder::Own(String::new()),
    };
    let mut base = Resolver::new(&makefile.variables, None);
    let exported = environment(&mut base, makefile.is_all_exported, found);
    let mut own_count = 0;
    for rule in &makefile.rules {
        if rule.recipe.is_empty() {
            continue;
        }
        let own = makefile.of_targets(&rule.targets);
        own_count += own.map_or(0, |_| makefile.variables.count());
        if own.is_some() && own_count > OWN_LIMIT {
            continue;
        }
        let mut special = own.map(|own| {
            let mut resolver = base.with(own);
            let environment = environment(&mut resolver, makefile.is_all_exported, found);
            (resolver, environment)
        });
        let (resolver, exported) = match &mut special {
            Some((resolver, exported)) => (resolver, &*exported),
            None => (&mut base, &exported),
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
        if let Some((resolver, _)) = &special {
            base.count(resolver);
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
