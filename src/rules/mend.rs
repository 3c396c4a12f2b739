//! Fixes that several rules share.

use std::sync::Arc;

use crate::resolve::{Config, ConfigFile, Origin, Place, Run, Verdict, Voice};
use crate::source::edit::{Editor, with_edits};
use crate::source::{Edit, NodeRef, Object, Route, SourceFile, Span};

use super::recipe::variable_of;
use super::{Finding, Fix, Safety, Subject, advice};

/// Edits of the accelerate config of a run, if it is a file of the user's own.
pub(super) fn config(subject: &Subject<'_>) -> Option<Editor> {
    let (config, _) = subject.config()?;
    (!config.is_preset() && subject.works_out_a_fix()).then(|| Editor::of(&config.file))
}

/// Edits of the file in which a place is, if it is a file of keys and values of the user's own.
pub(super) fn file_of(place: &Place) -> Option<Editor> {
    let is_preset = place.file.path.starts_with(ConfigFile::PRESET);
    (!is_preset && !place.route.0.is_empty()).then(|| Editor::of(&place.file))
}

/// Lets the value at an origin be this one: that of a key, or a word of a command.
pub(super) fn value(
    subject: &Subject<'_>,
    origin: &Origin,
    value: impl Into<Object>,
) -> Option<Vec<Edit>> {
    let place = origin.place.as_ref()?;
    let value = value.into();
    match origin.voice {
        Voice::ConfigKey | Voice::DeepSpeedKey | Voice::RecipeKey => {
            file_of(place)?.set(&place.route, value).finish()
        }
        Voice::Flag | Voice::Environment | Voice::ScriptArgument => {
            let (file, span) = word(subject, origin)?;
            Edit::word(&file, span, &value.python_str()).map(|edit| vec![edit])
        }
        Voice::Code | Voice::Framework | Voice::Default => None,
    }
}

/// What is written as the value at an origin; of a flag or a variable, what stands behind its name.
pub(super) fn written(subject: &Subject<'_>, origin: &Origin) -> Option<String> {
    let (file, span) = match origin.voice {
        Voice::Flag | Voice::Environment => word(subject, origin)?,
        _ => {
            let place = origin.place.as_ref()?;
            let (config, document) = subject.config()?;
            let (_, value) = document.at(&place.route)?;
            let is_there = Arc::ptr_eq(&config.file, &place.file);
            return value.text().filter(|_| is_there).map(str::to_owned);
        }
    };
    Some(file.slice(span).to_owned())
}

/// The word that is the value of a flag or a variable, without quotes.
fn word(subject: &Subject<'_>, origin: &Origin) -> Option<(Arc<SourceFile>, Span)> {
    let place = origin.place.as_ref()?;
    let text = place.file.slice(place.value);
    let place = match text.split_once('=') {
        Some((name, _)) => {
            let start = place.value.start + name.len() + 1;
            return Some((
                Arc::clone(&place.file),
                unquoted(&place.file, Span::new(start, place.value.end)),
            ));
        }
        None if origin.voice == Voice::Flag => {
            let mut words = subject.run.flags.iter();
            words.find(|word| word.place.as_ref() == Some(place))?;
            words.next()?.place.as_ref()?
        }
        None => place,
    };
    Some((Arc::clone(&place.file), unquoted(&place.file, place.value)))
}

/// The text between the quotes of a word.
fn unquoted(file: &SourceFile, span: Span) -> Span {
    let word = file.slice(span);
    let is_quoted = |quote| word.len() > 1 && word.starts_with(quote) && word.ends_with(quote);
    match is_quoted('"') || is_quoted('\'') {
        true => Span::new(span.start + 1, span.end - 1),
        false => span,
    }
}

/// Says how the config asks for fp8 where accelerate reads it, behind the words `lead`, and offers it. Where the run
/// would lose fp8 all the same, silently, nothing is offered, and the release is named that keeps it.
pub(super) fn offer_fp8(
    subject: &Subject<'_>,
    finding: &mut Finding,
    lead: &str,
    stray: (&Route, NodeRef<'_>),
    backend: Option<&str>,
) {
    let named = subject.within("fp8_config", "backend");
    let named = named.and_then(|place| advice::backend_meant(place.file.slice(place.value)));
    let backend = backend.or(named);
    let mut help = format!("{lead}write\n{}", advice::write_fp8(subject, backend));
    if let Some(fix) = write_fp8(subject, Some(stray), backend)
        && let Some(run) = mended(subject, &fix)
    {
        if matches!(subject.of(&run).last().verdict, Verdict::Fp8(_)) {
            finding.fixes.push(fix);
        } else if let Some(version) = advice::trains_so_from(subject, &run) {
            help += &format!(
                "\nand use accelerate {version} or newer: {} loses fp8 here",
                subject.version()
            );
        }
    }
    finding.help = Some(help);
}

/// Lets the config ask for fp8 where accelerate reads it, as [`advice::write_fp8`] says, and takes the block or switch
/// `stray` away; what accelerate reads of such a block goes along. Changes what will run.
fn write_fp8(
    subject: &Subject<'_>,
    stray: Option<(&Route, NodeRef<'_>)>,
    backend: Option<&str>,
) -> Option<Fix> {
    let backend = backend.unwrap_or("AO");
    let mut editor = config(subject)?;
    if let Some((route, _)) = stray {
        editor = editor.remove(route);
    }
    editor = editor.put(&Route::keys(["mixed_precision"]), "fp8");
    if !advice::knows_fp8_config(subject) {
        return Fix::of(
            "write mixed_precision: fp8",
            Safety::Unsafe,
            editor.finish(),
        );
    }
    editor = editor.put(&Route::keys(["fp8_config", "backend"]), backend);
    let settings = stray.into_iter().flat_map(|(_, block)| block.entries());
    for setting in settings {
        if let (Some(key), Some(value)) = (setting.key.text(), setting.value.object())
            && key != "backend"
            && !subject.facts.readers(&variable_of(key)).is_empty()
        {
            editor = editor.put(&Route::keys(["fp8_config", key]), value);
        }
    }
    if backend == "AO" && advice::uses_fsdp(subject) {
        editor = ao_under_fsdp(subject, editor);
    }
    let title = format!("write mixed_precision: fp8 and fp8_config.backend: {backend}");
    Fix::of(title, Safety::Unsafe, editor.finish())
}

/// The run with its config as the fix makes it.
fn mended(subject: &Subject<'_>, fix: &Fix) -> Option<Run> {
    let (config, _) = subject.config()?;
    let edits = fix.edits.iter().map(|edit| &edit.text);
    let text = with_edits(config.file.text(), edits)?;
    let file = Arc::new(SourceFile::from_text(config.file.path.clone(), text));
    Some(Run {
        config: Config::of_file(file),
        ..subject.run.clone()
    })
}

/// Turns torchao's float8 all-gather off, with which checkpoints cannot be written.
pub(super) fn without_all_gather(subject: &Subject<'_>) -> Option<Fix> {
    let edits = config(subject)?.put(&all_gather(), false).finish();
    let title = "write fp8_config.enable_fsdp_float8_all_gather: false";
    Fix::of(title, Safety::Unsafe, edits)
}

/// The key of torchao's float8 all-gather.
pub(super) fn all_gather() -> Route {
    Route::keys(["fp8_config", "enable_fsdp_float8_all_gather"])
}

/// Lets the config ask for another precision.
pub(super) fn precision(subject: &Subject<'_>, precision: &str) -> Option<Fix> {
    let edits = config(subject)?
        .put(&Route::keys(["mixed_precision"]), precision)
        .finish();
    let title = format!("write mixed_precision: {precision}");
    Fix::of(title, Safety::Unsafe, edits)
}

/// Takes a key of the config away.
pub(super) fn remove(subject: &Subject<'_>, route: &Route, safety: Safety) -> Option<Fix> {
    let edits = config(subject)?.remove(route).finish();
    Fix::of(format!("remove `{route}`"), safety, edits)
}

/// Takes the key at an origin away: of a recipe or of the config. Nothing reads it. One that asks for fp8 is a matter
/// for a person: with the key the wish would be gone.
pub(super) fn drop_key(origin: &Origin, asks_for_fp8: bool) -> Option<Fix> {
    let place = origin.place.as_ref()?;
    let is_key = matches!(origin.voice, Voice::ConfigKey | Voice::RecipeKey);
    let edits = file_of(place)
        .filter(|_| is_key)?
        .remove(&place.route)
        .finish();
    let safety = match asks_for_fp8 {
        true => Safety::DisplayOnly,
        false => Safety::Unsafe,
    };
    Fix::of(format!("remove `{}`", place.route), safety, edits)
}

/// What torchao needs under FSDP.
pub(super) fn ao_under_fsdp(subject: &Subject<'_>, editor: Editor) -> Editor {
    let key = match subject.within("fsdp_config", "cpu_ram_efficient_loading") {
        Some(_) => "cpu_ram_efficient_loading",
        None => "fsdp_cpu_ram_efficient_loading",
    };
    let editor = editor.put(&Route::keys(["fsdp_config", key]), false);
    match advice::ao_fails_under_fsdp2(subject) {
        true => editor.put(&Route::keys(["fsdp_config", "fsdp_version"]), 1),
        false => editor,
    }
}
