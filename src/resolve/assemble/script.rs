//! What the text of a training script says about its precision, as far as that can be seen without reading Python.

use crate::formats::launch::LaunchCommand;
use crate::resolve::run::{Files, Lookup};

/// Whether the script of a command, where it is at hand, gives `Accelerator()` a precision or a recipe of its own. What
/// these are is not read.
pub(super) fn says_precision(command: &LaunchCommand, files: &dyn Files) -> bool {
    let script = command.script.as_ref().filter(|script| !script.is_module);
    let path = script.and_then(|script| script.name.known());
    match path.map(|path| files.look_up(path)) {
        Some(Lookup::Found(file)) => is_said(file.text()),
        _ => false,
    }
}

fn is_said(text: &str) -> bool {
    let code = text.lines().map(|line| match line.trim_start() {
        comment if comment.starts_with('#') => "",
        _ => line,
    });
    let code = code.collect::<Vec<_>>().join("\n");
    let makes_recipe = code.contains("RecipeKwargs(");
    let sets_variable = code.contains("ACCELERATE_MIXED_PRECISION");
    let mut calls = code.split("Accelerator(").skip(1).map(arguments);
    sets_variable
        || calls.any(|arguments| {
            arguments.contains("mixed_precision")
                || makes_recipe && arguments.contains("kwargs_handlers")
        })
}

/// The text up to the closing parenthesis.
fn arguments(text: &str) -> &str {
    let mut depth = 1usize;
    let end = text.char_indices().find_map(|(at, character)| {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        (depth == 0).then_some(at)
    });
    text.get(..end.unwrap_or(text.len())).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::is_said;

    #[test]
    fn a_precision_or_a_recipe_given_to_accelerator_is_seen() {
        for (text, expected) in [
            ("accelerator = Accelerator(mixed_precision='fp8')\n", true),
            (
                "Accelerator(\n    project_config=Config(\n        'out'),\n    mixed_precision=args.precision,\n)",
                true,
            ),
            (
                "k = [TERecipeKwargs(margin=1)]\nAccelerator(kwargs_handlers=k)",
                true,
            ),
            (
                "os.environ['ACCELERATE_MIXED_PRECISION'] = 'fp8'\nAccelerator()",
                true,
            ),
            (
                "Accelerator(kwargs_handlers=[DistributedDataParallelKwargs()])",
                false,
            ),
            ("# Accelerator(mixed_precision='fp8')\nAccelerator()", false),
            ("Accelerator()\nTrainingArguments(mixed_precision=1)", false),
            ("Accelerator(", false),
            ("", false),
        ] {
            assert_eq!(is_said(text), expected, "{text}");
        }
    }
}
