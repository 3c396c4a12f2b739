//! FP327: LLaMA-Factory's `fp8: true`, and the run does not train in fp8.

use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{
    LlamaFactoryFp8, PrecisionHandover, TrainerHandlers, Transformers,
};
use crate::resolve::{LlamaFactoryHandover, llamafactory_handover};

use super::{
    AskedAndRuns, Confidence, Example, Finding, Rule, Severity, Subject, advice, recipe_fp8, voices,
};

pub(crate) static RULE: Rule = Rule {
    code: "FP327",
    name: "llamafactory-fp8",
    severity: Severity::Error,
    confidence: Confidence::Certain,
    summary: "`fp8: true` of LLaMA-Factory is without effect in these versions or in this stage.",
    explanation: "\
LLaMA-Factory 0.9.4 reads `fp8` and hands it to no trainer (its issue 9500). From 0.9.5 on, the trainers of the stages `pt` and
`sft` set `ACCELERATE_MIXED_PRECISION=fp8` after `TrainingArguments` was built (llamafactory/train/fp8_utils.py:
configure_fp8_environment), which is too late for transformers 5: there the Trainer passes its own precision to
`Accelerator()`. `fp8_backend: te` patches `Accelerator.__init__` as well, where it is called without `kwargs_handlers`: up to
transformers 5.2. The other stages (dpo, kto, rm, ppo) never look at `fp8`. One line of the log says that fp8 may not be
working; the training goes on in bf16, or in fp32.",
    examples: &[
        Example::fails(
            "transformers 5 takes its own precision",
            "stage: sft\ndo_train: true\nfinetuning_type: full\nmodel_name_or_path: org/model\ndataset: demo\ntemplate: default\nbf16: true\nfp8: true\n",
        )
        .named("sft.yaml")
        .with(&[("requirements.txt", "llamafactory==0.9.5\ntransformers==5.5.4\naccelerate==1.11.0\n")]),
        Example::fails(
            "a stage that does not look at it",
            "FORCE_TORCHRUN=1 llamafactory-cli train dpo.yaml\n",
        )
        .named("train.sh")
        .with(&[
            ("dpo.yaml", "stage: dpo\ndo_train: true\nfinetuning_type: lora\nmodel_name_or_path: org/model\ndataset: demo\ntemplate: default\nbf16: true\nfp8: true\n"),
            ("requirements.txt", "llamafactory==0.9.5\ntransformers==4.57.6\naccelerate==1.11.0\ntorchao==0.14.1\n"),
        ]),
        Example::passes(
            "transformers 4 and a stage that hears of it",
            "stage: sft\ndo_train: true\nfinetuning_type: full\nmodel_name_or_path: org/model\ndataset: demo\ntemplate: default\nbf16: true\nfp8: true\n",
        )
        .named("sft.yaml")
        .with(&[("requirements.txt", "llamafactory==0.9.5\ntransformers==4.57.6\naccelerate==1.11.0\ntorchao==0.14.1\n")]),
    ],
    check,
};

/// Why nothing comes of it.
enum Reason {
    /// No trainer is told.
    Inert,
    /// The trainer of this stage does not ask.
    Stage(String),
    /// transformers took the precision before, with `fp8_backend: te` or without.
    Transformers { is_te: bool },
    /// accelerate converts nothing.
    Accelerate,
}

fn check(subject: &Subject<'_>, findings: &mut Vec<Finding>) {
    let Some(trainer) = subject
        .run
        .trainer
        .as_ref()
        .filter(|trainer| trainer.framework == Framework::LlamaFactory)
    else {
        return;
    };
    let (Some(fp8), Some(runs)) = (recipe_fp8::asked(trainer), recipe_fp8::lost(subject)) else {
        return;
    };
    let Some(reason) = reason(subject) else {
        return;
    };
    let transformers = &trainer.transformers;
    let why = match &reason {
        Reason::Inert => "it hands `fp8` to no trainer (LLaMA-Factory issue 9500)".to_owned(),
        Reason::Stage(stage) => {
            format!("only the stages pt and sft look at `fp8`, {stage} does not")
        }
        Reason::Transformers { is_te: false } => {
            format!(
                "transformers {transformers} has taken its precision before LLaMA-Factory sets fp8"
            )
        }
        Reason::Transformers { is_te: true } => {
            format!(
                "transformers {transformers} passes handlers of its own, so that the patch for `te` does not apply"
            )
        }
        Reason::Accelerate => format!("{} makes no fp8 layers of it", subject.version()),
    };
    let versions = voices::versions(subject);
    let message =
        format!("fp8 is asked for, and {versions} trains in {runs}, without an error: {why}");
    let mut finding = RULE.finding(message, subject.label(&fp8, "without effect"));
    finding.key = subject.key(&fp8);
    let takes_part: &[(&str, &str)] = match reason {
        Reason::Inert | Reason::Accelerate => &[("bf16", "what is trained in instead")],
        Reason::Stage(_) => &[
            ("stage", "this stage does not look at `fp8`"),
            ("bf16", "what is trained in instead"),
        ],
        Reason::Transformers { .. } => &[
            ("fp8_backend", "the backend"),
            ("bf16", "this has the last word"),
        ],
    };
    for (name, text) in takes_part {
        if let Some(origin) = trainer.origin(name).filter(|origin| origin.place.is_some()) {
            finding.related.push(subject.label(origin, *text));
        }
    }
    finding
        .related
        .extend(voices::others(subject, None, &finding.primary));
    // Read, or by a version of transformers that nobody names.
    let is_supposed = matches!(reason, Reason::Transformers { .. })
        && !subject.target.packages.contains_key("transformers");
    if is_supposed || matches!(reason, Reason::Inert | Reason::Stage(_)) {
        finding.confidence = Confidence::Likely;
    }
    let packages: &[&'static str] = match reason {
        Reason::Inert => &["llamafactory"],
        Reason::Stage(_) => &[],
        Reason::Transformers { .. } => &["transformers"],
        Reason::Accelerate => &["accelerate"],
    };
    finding.notes.extend(recipe_fp8::pinned(subject, packages));
    finding.help = Some(help(subject, &reason));
    finding.outcome = Some(AskedAndRuns {
        asked: "fp8".to_owned(),
        runs,
    });
    findings.push(finding);
}

fn reason(subject: &Subject<'_>) -> Option<Reason> {
    let trainer = subject.run.trainer.as_ref()?;
    let transformers = Transformers::of(&trainer.transformers)?;
    Some(match llamafactory_handover(trainer)? {
        LlamaFactoryHandover::Inert => Reason::Inert,
        LlamaFactoryHandover::Stage(stage) => Reason::Stage(stage),
        LlamaFactoryHandover::Environment { is_te }
            if transformers.precision_handover == PrecisionHandover::Argument =>
        {
            Reason::Transformers { is_te }
        }
        LlamaFactoryHandover::Environment { .. } | LlamaFactoryHandover::Patched => {
            Reason::Accelerate
        }
    })
}

fn help(subject: &Subject<'_>, reason: &Reason) -> String {
    let newest = LlamaFactoryFp8::PretrainingAndSft.versions();
    let handover = PrecisionHandover::Environment.versions();
    match reason {
        Reason::Inert => {
            format!("use llamafactory {newest} with transformers {handover}, or remove fp8")
        }
        Reason::Stage(_) => "remove fp8: this stage trains in bf16 or fp16 only".to_owned(),
        Reason::Transformers { is_te: true } => {
            format!(
                "pin transformers {}, or remove fp8",
                TrainerHandlers::Absent.versions()
            )
        }
        Reason::Transformers { is_te: false } => {
            format!("pin transformers {handover}, or remove fp8")
        }
        Reason::Accelerate => match advice::trains_in_fp8_from(subject) {
            Some(version) => format!("use accelerate {version} or newer, or remove fp8"),
            None => "remove fp8".to_owned(),
        },
    }
}
