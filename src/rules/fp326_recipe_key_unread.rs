//! FP326: keys for accelerate's launcher in a TRL recipe that a script reads.

use crate::formats::recipe::Framework;
use crate::resolve::{Config, Voice};

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, mend, precision_that_runs,
    voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP326",
    name: "recipe-key-unread",
    severity: Severity::Warning,
    confidence: Confidence::Likely,
    summary: "Keys for accelerate's launcher in a TRL recipe are read by the `trl` program only, not by a script.",
    explanation: "\
`mixed_precision`, `accelerate_config` and the like are no fields of TRL's configs. The program `trl` hands them to accelerate's
launcher; a script that reads the recipe itself is launched already. TRL's own scripts let unknown keys vanish
(trl/scripts/sft.py, return_remaining_strings); in a script of one's own TrlParser raises `Unknown arguments from config file`
unless it is told not to (trl/scripts/utils.py:TrlParser.parse_args_and_config, from 0.19 on). A class of the script's own may
have such a field, which is not looked for.",
    examples: &[
        Example::fails(
            "fp8 in a recipe that TRL's script reads",
            "accelerate launch trl/scripts/sft.py --config recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[(
            "recipe.yaml",
            "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\nmixed_precision: fp8\n",
        )]),
        Example::passes(
            "said to the launcher",
            "accelerate launch --mixed_precision bf16 trl/scripts/sft.py --config recipe.yaml\n",
        )
        .named("train.sh")
        .with(&[(
            "recipe.yaml",
            "model_name_or_path: org/model\ndataset_name: org/data\nmax_length: 2048\noutput_dir: out\nper_device_train_batch_size: 4\nnum_train_epochs: 1\n",
        )]),
    ],
    check,
};

/// Keys that only the `trl` program hands on.
const KEYS: [&str; 3] = ["mixed_precision", "fp8_backend", "accelerate_config"];

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let (Some(trainer), true) = (&subject.run.trainer, subject.run.command.is_some()) else {
        return;
    };
    if trainer.framework != Framework::Trl {
        return;
    }
    let runs = precision_that_runs(subject.last());
    for name in KEYS {
        let Some(said) = trainer
            .known(name)
            .filter(|said| said.origin.voice == Voice::RecipeKey)
        else {
            continue;
        };
        let asked = match name {
            "mixed_precision" => Some(said.text()),
            _ => None,
        };
        // What happens all the same is no fault, nor what is switched off, nor a config beside one that is named.
        let is_harmless = match name {
            "mixed_precision" => asked == runs || said.text() == "no",
            "accelerate_config" => !matches!(subject.run.config, Config::None),
            _ => !said.value.truthy(),
        };
        if is_harmless {
            continue;
        }
        let message = format!(
            "`{name}` of the recipe is no key of TRL's configs: {} leaves it aside or refuses it, and accelerate's launcher, \
             which would know it, never reads the recipe",
            voices::trainer_version(trainer)
        );
        let mut finding = RULE.finding(message, subject.label(said.origin, "not read"));
        finding.key = subject.key(said.origin);
        finding.related.extend(voices::command(subject));
        finding.help = Some(match name {
            "accelerate_config" => "name the config with `accelerate launch --config_file`, or start the recipe by `trl`",
            "mixed_precision" => "write it in the accelerate config or as `accelerate launch --mixed_precision`",
            _ => "write `mixed_precision: fp8` and `fp8_config` in the accelerate config, and `bf16: false` in the recipe",
        }
        .to_owned());
        if let (Some("fp8"), Some(runs)) =
            (asked.as_deref(), runs.clone().filter(|runs| runs != "fp8"))
        {
            finding.severity = Severity::Error;
            finding.outcome = Some(AskedAndRuns {
                asked: "fp8".to_owned(),
                runs,
            });
        }
        let asks_for_fp8 = name.starts_with("fp8") || asked.as_deref() == Some("fp8");
        finding
            .fixes
            .extend(mend::drop_key(said.origin, asks_for_fp8));
        findings.push(finding);
    }
}
