//! What keeps fp8 in a run whose trainer drops it: said in the help, and made by the fix.

use crate::resolve::{Cause, Verdict, Voice};
use crate::source::Route;
use crate::source::edit::Editor;

use super::voices::{decided, with_arguments};
use super::{Finding, Fix, Safety, Subject, mend, recipe_fp8};

/// What keeps fp8 in a run whose trainer drops it.
pub(super) struct Keeping {
    /// What to write.
    pub(super) help: String,
    /// The arguments of the trainer that do it.
    arguments: Vec<(&'static str, bool)>,
    /// Whether checkpoints cannot be written then, unless torchao's float8 all-gather is off.
    cannot_save: bool,
}

impl Keeping {
    /// The same as edits of the recipe and of the config. `None` where words of the command stand against it, or where
    /// there is no recipe.
    fn fix(&self, subject: &Subject<'_>) -> Option<Fix> {
        let trainer = subject.run.trainer.as_ref()?;
        let recipe = subject.recipe()?;
        let mut editor = Editor::of(&recipe);
        let mut written = Vec::new();
        for (name, value) in &self.arguments {
            let said = trainer.known(name);
            let by_word = said.is_some_and(|said| said.origin.voice != Voice::RecipeKey);
            let is_on = said.is_some_and(|said| said.value.truthy());
            let by_default = *name == "bf16" && is_on_by_default(subject);
            if is_on == *value && said.is_some() || (said.is_none() && !value && !by_default) {
                continue;
            }
            if by_word && said.is_some_and(|said| said.origin.place.is_some()) {
                return None;
            }
            editor = editor.put(&Route::keys([*name]), *value);
            written.push(format!("{name}: {value}"));
        }
        let mut edits = editor.finish()?;
        if self.cannot_save {
            let config = mend::config(subject)?;
            edits.extend(config.put(&mend::all_gather(), false).finish()?);
        }
        let mut title = format!("write {} in the recipe", written.join(" and "));
        if self.cannot_save {
            title += &format!(", and {}: false in the config", mend::all_gather());
        }
        Fix::of(title, Safety::Unsafe, Some(edits))
    }

    /// Says it, and offers it.
    pub(super) fn advise(self, subject: &Subject<'_>, finding: &mut Finding) {
        finding.fixes.extend(self.fix(subject));
        finding.help = Some(self.help);
    }
}

/// What to write in the recipe so that fp8 is kept, tried out on the run; nothing where no recipe keeps it.
pub(super) fn keeps_fp8(subject: &Subject<'_>) -> Option<Keeping> {
    let off = [("bf16", false), ("fp16", false)];
    let full_eval = [("bf16", false), ("fp16", false), ("bf16_full_eval", true)];
    let is_fp8 = |arguments: &[(&str, bool)]| {
        let run = with_arguments(subject, arguments);
        let mended = subject.of(&run);
        let outcome = mended.last();
        // Other faults may still stand between fp8 and the run.
        matches!(outcome.verdict, Verdict::Fp8(_))
            || (outcome.exception().is_none()
                && decided(outcome).is_some_and(|(value, _)| value == "fp8"))
    };
    let trainer = subject.run.trainer.as_ref();
    let has_key = trainer.is_some_and(recipe_fp8::has_key);
    let (arguments, help): (&[_], _) = if is_fp8(&off) {
        (&off, switched_off(subject))
    } else if has_key && is_fp8(&[("fp8", true)]) {
        (&[("fp8", true)], "write fp8: true in the recipe".to_owned())
    } else if is_fp8(&full_eval) {
        let help = "in the recipe, write bf16: false and bf16_full_eval: true, which DeepSpeed's config is held against";
        (&full_eval, help.to_owned())
    } else {
        return None;
    };
    let run = with_arguments(subject, arguments);
    let mended = subject.of(&run);
    let cannot_save = mended.caused_by(&[Cause::CheckpointSave]).next().is_some();
    let help = match cannot_save {
        true => format!(
            "{help}; and so that checkpoints can be written, in the accelerate config:\nfp8_config:\n  \
             enable_fsdp_float8_all_gather: false"
        ),
        false => help,
    };
    Some(Keeping {
        help,
        arguments: arguments.to_vec(),
        cannot_save,
    })
}

/// Whether the trainer turns bf16 on where nobody says anything.
fn is_on_by_default(subject: &Subject<'_>) -> bool {
    let trainer = subject.run.trainer.as_ref();
    let is_said = trainer.is_some_and(|trainer| trainer.origin("bf16").is_some());
    let decided = decided(subject.last());
    !is_said && decided.is_some_and(|(_, origin)| origin.voice == Voice::Framework)
}

/// How to switch bf16 and fp16 off, where they are switched on.
fn switched_off(subject: &Subject<'_>) -> String {
    let trainer = subject.run.trainer.as_ref();
    let by_default = is_on_by_default(subject);
    let said = |name: &str, by_argument: bool| {
        trainer
            .and_then(|trainer| trainer.known(name))
            .is_some_and(|said| {
                said.value.truthy() && (said.origin.voice == Voice::ScriptArgument) == by_argument
            })
    };
    let words: Vec<_> = ["bf16", "fp16"]
        .into_iter()
        .filter(|name| said(name, true))
        .map(|name| format!("`--{name}`"))
        .collect();
    let in_recipe = match (by_default, said("fp16", false)) {
        (true, true) => "write bf16: false and fp16: false in the recipe",
        (true, false) => "write bf16: false in the recipe: without the key it is on",
        (false, true) if said("bf16", false) => "write bf16: false and fp16: false in the recipe",
        (false, true) => "write fp16: false in the recipe",
        (false, false) => "write bf16: false in the recipe",
    };
    let recipe_says = by_default || said("bf16", false) || said("fp16", false);
    match (words.is_empty(), recipe_says) {
        (true, _) => in_recipe.to_owned(),
        (false, false) => format!("remove {} from the command", words.join(" and ")),
        (false, true) => format!(
            "remove {} from the command, and {in_recipe}",
            words.join(" and ")
        ),
    }
}
