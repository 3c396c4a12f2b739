//! `TrainingArguments` (transformers 4.57.6 and 5.24.0, `training_args.py:TrainingArguments.__post_init__`).

use super::super::context::Context;
use super::super::outcome::{Cause, Variable};
use super::super::python::{Argument, Site};
use super::super::run::{Origin, Voice};
use super::super::runtime::Environment;
use super::super::stop::{Step, Stop, raise, unknown};
use super::{Given, Said, deepspeed, fsdp};
use crate::formats::recipe::Framework;
use crate::knowledge::trainers::{
    Bf16WithoutGpu, HalfPrecisionBackend, PrecisionHandover, accelerate_minimum,
};
use crate::source::Object;

const POST_INIT: &str = "transformers/training_args.py:TrainingArguments.__post_init__";
const PARSER: &str = "transformers/hf_argparser.py:HfArgumentParser.parse_dict";
const SITE: Site = Site::new(POST_INIT, Cause::TrainerArgument);

/// The variable through which a precision reaches `Accelerator()`.
pub(super) const MIXED_PRECISION: &str = "ACCELERATE_MIXED_PRECISION";

/// Keys that no `TrainingArguments` has and that people write into its recipes.
pub(super) const NO_ARGUMENTS: [&str; 5] = [
    "fp8",
    "fp8_backend",
    "fp8_config",
    "fp8_enable_fsdp_float8_all_gather",
    "mixed_precision",
];

/// Arguments that scripts which build their own `Accelerator` hardly ever have.
const TRAINER_ALONE: [&str; 14] = [
    "bf16",
    "bf16_full_eval",
    "ddp_find_unused_parameters",
    "do_eval",
    "do_train",
    "eval_strategy",
    "evaluation_strategy",
    "fp16",
    "fp16_full_eval",
    "load_best_model_at_end",
    "logging_strategy",
    "overwrite_output_dir",
    "save_strategy",
    "save_total_limit",
];

/// Keys that were removed with `half_precision_backend`.
pub(super) const REMOVED: [&str; 4] = [
    "half_precision_backend",
    "fp16_backend",
    "fp16_opt_level",
    "no_cuda",
];

/// Builds the arguments.
pub(super) fn build(
    context: &mut Context<'_>,
    environment: &mut Environment,
    said: &Said<'_>,
    mut given: Given,
) -> Step<Given> {
    check_accelerate(context, said)?;
    let (fp16, bf16) = (said.switched_on("fp16")?, said.bf16()?);
    // axolotl itself gives bf16 the word (0.19.0, `utils/config/__init__.py:resolve_dtype`).
    let (fp16, bf16) = match (fp16, bf16) {
        (Some(fp16), Some(bf16)) if said.trainer.framework == Framework::Axolotl => {
            match bf16.value {
                Object::Str(_) => (Some(fp16), None),
                _ => (None, Some(bf16)),
            }
        }
        both => both,
    };
    let asks_bf16 = match &bf16 {
        Some(bf16) => Some(bf16.clone()),
        None => said.switched_on("bf16_full_eval")?,
    };
    check_gpu(context, said, asks_bf16)?;
    exclude(fp16.as_ref(), bf16.as_ref(), "")?;
    let full_eval = |name| said.switched_on(name);
    exclude(
        full_eval("fp16_full_eval")?.as_ref(),
        full_eval("bf16_full_eval")?.as_ref(),
        " for full eval",
    )?;
    check_accelerator_config(said)?;
    // The parser counts what is left over once the arguments are built.
    check_keys(said)?;
    let own = match (fp16, bf16) {
        (Some(fp16), _) => Some(variable("fp16", &fp16.origin)),
        (None, Some(bf16)) => Some(variable("bf16", &bf16.origin)),
        (None, None) => None,
    };
    hand_over(environment, said, own, &mut given)?;
    for name in ["use_cpu", "no_cuda"] {
        if said.switched_on(name)?.is_some() {
            given
                .code
                .arguments
                .insert("cpu".to_owned(), Object::Bool(true));
        }
    }
    fsdp::write(environment, said)?;
    if let Some(file) = said.switched_on("deepspeed")? {
        deepspeed::build(context, environment, said, &file, &mut given)?;
        // Nobody passes the plugin on where no trainer follows.
        if said.trainer.is_arguments_only {
            given.deepspeed = None;
        }
    }
    Ok(given)
}

/// transformers is too new for this accelerate. Only where it is known to stand beside it: else it is of its time.
fn check_accelerate(context: &Context<'_>, said: &Said<'_>) -> Step<()> {
    let oldest = accelerate_minimum(&said.trainer.transformers);
    let Some(oldest) =
        oldest.filter(|oldest| context.run.machine.is_newest && context.facts.version < **oldest)
    else {
        return Ok(());
    };
    let message = format!(
        "Using the `Trainer` with `PyTorch` requires `accelerate>={oldest}`: Please run `pip install \
         transformers[torch]` or `pip install 'accelerate>={oldest}'`"
    );
    let site = Site::new(
        "transformers/training_args.py:TrainingArguments._setup_devices",
        Cause::Version,
    );
    Err(site.raise(
        "ImportError",
        message,
        &Origin::of(Voice::Default, "transformers"),
    ))
}

/// bf16 needs a GPU, unless the CPU is asked for.
fn check_gpu(context: &Context<'_>, said: &Said<'_>, bf16: Option<Argument>) -> Step<()> {
    let on_cpu = said.switched_on("use_cpu")?.is_some() || said.switched_on("no_cuda")?.is_some();
    let is_refused = said.transformers.bf16_without_gpu == Bf16WithoutGpu::Refused
        && context.run.machine.gpus == 0
        && !context.has_xla()
        && !on_cpu;
    match bf16.filter(|_| is_refused) {
        Some(bf16) => {
            let message = "Your setup doesn't support bf16/gpu.";
            Err(Site::new(POST_INIT, Cause::Device).raise("ValueError", message, &bf16.origin))
        }
        None => Ok(()),
    }
}

/// `HfArgumentParser` refuses keys that none of the script's dataclasses has.
fn check_keys(said: &Said<'_>) -> Step<()> {
    if said.trainer.framework != Framework::Transformers || said.trainer.is_arguments_only {
        return Ok(());
    }
    let is_removed = said.transformers.half_precision_backend == HalfPrecisionBackend::Removed;
    let removed = REMOVED.iter().filter(|_| is_removed);
    let mut refused = Vec::new();
    for name in NO_ARGUMENTS.iter().chain(removed) {
        refused.extend(said.get(name)?.map(|argument| (*name, argument.origin)));
    }
    if refused.is_empty() {
        return Ok(());
    }
    for (name, _) in &refused {
        if !is_of_trainer(said, name)? {
            let why = format!("the script may well read `{name}` itself: that is in its code");
            return Err(unknown(why));
        }
    }
    let names: Vec<String> = refused.iter().map(|(name, _)| (*name).to_owned()).collect();
    let on_command_line = refused
        .iter()
        .all(|(_, origin)| origin.voice == Voice::ScriptArgument);
    let list = super::super::python::list_repr(&names);
    let message = match on_command_line {
        true => format!("Some specified arguments are not used by the HfArgumentParser: {list}"),
        false => format!("Some keys are not used by the HfArgumentParser: {list}"),
    };
    let origins = refused.into_iter().map(|(_, origin)| origin);
    Err(raise(
        "ValueError",
        message,
        PARSER,
        Cause::TrainerKey,
        origins,
    ))
}

/// Whether a key that no `TrainingArguments` has stands among the arguments of a Trainer, not among those of a script that
/// builds its own `Accelerator` and shares many names. `mixed_precision` is such a script's word: it must stand beside a
/// precision in transformers' way, or be fp8.
fn is_of_trainer(said: &Said<'_>, name: &str) -> Step<bool> {
    let has = |name: &&str| said.trainer.arguments.contains_key(*name);
    let has_trainer = TRAINER_ALONE.iter().any(has);
    if name.starts_with("fp8") {
        return Ok(has_trainer || has(&"per_device_train_batch_size"));
    }
    if name != "mixed_precision" || ["bf16", "fp16", "fp8"].iter().any(has) {
        return Ok(true);
    }
    let asked = said.get("mixed_precision")?;
    let is_fp8 = asked.is_some_and(|asked| asked.value == Object::from("fp8"));
    Ok(is_fp8 && has_trainer)
}

/// The keys of `accelerator_config` (transformers 4.57.6, trainer_pt_utils.py:AcceleratorConfig).
const ACCELERATOR_CONFIG: [&str; 7] = [
    "dispatch_batches",
    "even_batches",
    "gradient_accumulation_kwargs",
    "non_blocking",
    "split_batches",
    "use_configured_state",
    "use_seedable_sampler",
];

fn exclude(fp16: Option<&Argument>, bf16: Option<&Argument>, when: &str) -> Step<()> {
    let (Some(fp16), Some(bf16)) = (fp16, bf16) else {
        return Ok(());
    };
    let message = format!("At most one of fp16 and bf16 can be True{when}, but not both");
    let origins = [bf16.origin.clone(), fp16.origin.clone()];
    Err(raise(
        "ValueError",
        message,
        POST_INIT,
        Cause::TrainerArgument,
        origins,
    ))
}

/// `accelerator_config` knows nothing about precision.
fn check_accelerator_config(said: &Said<'_>) -> Step<()> {
    let Some(config) = said.get("accelerator_config")? else {
        return Ok(());
    };
    let Object::Dict(pairs) = &config.value else {
        return Ok(());
    };
    let named = pairs.iter().find_map(|(key, _)| match key {
        Object::Str(key) if !ACCELERATOR_CONFIG.contains(&key.as_str()) => Some(key),
        _ => None,
    });
    match named {
        Some(name) => Err(SITE.raise(
            "TypeError",
            format!("AcceleratorConfig.__init__() got an unexpected keyword argument '{name}'"),
            &config.origin,
        )),
        None => Ok(()),
    }
}

/// The precision on its way to `Accelerator()`.
fn hand_over(
    environment: &mut Environment,
    said: &Said<'_>,
    own: Option<Variable>,
    given: &mut Given,
) -> Step<()> {
    let precision = match own {
        Some(own) => own,
        None => environment.or(MIXED_PRECISION, "no")?,
    };
    match said.transformers.precision_handover {
        PrecisionHandover::Argument => {
            let arguments = &mut given.code.arguments;
            if !arguments.contains_key("mixed_precision") {
                let value = Object::from(precision.value.as_str());
                arguments.insert("mixed_precision".to_owned(), value);
                given.precision = Some(precision.origin);
            }
        }
        PrecisionHandover::Environment => {
            let backend = match said.get("half_precision_backend")? {
                Some(backend) => Some(backend),
                None => said.get("fp16_backend")?,
            };
            let is_apex = backend.is_some_and(|backend| backend.value == Object::from("apex"));
            let stops =
                said.transformers.half_precision_backend == HalfPrecisionBackend::StopsTheWrite;
            if !(is_apex && stops) {
                environment.set(MIXED_PRECISION, precision);
            }
        }
    }
    Ok(())
}

/// `os.environ[name] = value`, said by an argument.
pub(super) fn variable(value: impl Into<String>, origin: &Origin) -> Variable {
    Variable {
        value: value.into(),
        origin: origin.clone(),
    }
}

/// A key that the framework's parser refuses.
pub(super) fn refused_key(argument: &Argument, name: &str) -> Stop {
    let message = format!("Some keys are not used by the HfArgumentParser: ['{name}']");
    Site::new(PARSER, Cause::TrainerKey).raise("ValueError", message, &argument.origin)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::formats::recipe::Framework;
    use crate::knowledge;
    use crate::resolve::assemble::assemble_recipe;
    use crate::resolve::{NoFiles, Target, resolve};
    use crate::source::{SourceFile, Syntax};

    /// What a recipe comes to under the newest releases: the exception, why it is not known, or the precision.
    fn comes_to(framework: Framework, recipe: &str) -> String {
        let text = format!(
            "output_dir: out\nper_device_train_batch_size: 4\nlearning_rate: 0.00002\n{recipe}\n"
        );
        let document = Syntax::Yaml.read(&text).unwrap();
        let file = Arc::new(SourceFile::from_text("recipe.yaml", text.as_str()));
        let target = Target::newest(knowledge::releases());
        let run = assemble_recipe(framework, &file, &Arc::new(document), &target);
        let known = knowledge::accelerate(knowledge::newest()).unwrap();
        let outcome = resolve(&run, known.facts, &NoFiles);
        match outcome.exception() {
            Some(exception) => format!("{}: {}", exception.kind, exception.message),
            None => outcome.verdict.to_string(),
        }
    }

    #[test]
    fn precisions_exclude_each_other() {
        let both = "ValueError: At most one of fp16 and bf16 can be True, but not both";
        for (framework, recipe, expected) in [
            (Framework::Transformers, "bf16: true\nfp16: true", both),
            (Framework::Transformers, "bf16: true\nfp16: 'no'", both),
            (
                Framework::Transformers,
                "bf16: true\nfp16: false",
                "no-fp8:bfloat16",
            ),
            (Framework::Trl, "bf16: true\nfp16: 'no'", "no-fp8:bfloat16"),
            (
                Framework::Axolotl,
                "bf16: true\nfp16: true",
                "no-fp8:bfloat16",
            ),
            (
                Framework::Axolotl,
                "bf16: auto\nfp16: true",
                "no-fp8:float16",
            ),
        ] {
            assert_eq!(
                comes_to(framework, recipe),
                expected,
                "{framework} {recipe}"
            );
        }
    }

    #[test]
    fn texts_are_only_converted_where_a_switch_is_meant() {
        for (recipe, expected) in [
            ("fsdp: full_shard auto_wrap", "no-fp8:fsdp-bfloat16"),
            ("deepspeed: ds.json", "unknown"),
        ] {
            assert_eq!(comes_to(Framework::Trl, recipe), expected, "{recipe}");
        }
        assert!(
            comes_to(Framework::Trl, "bf16: maybe")
                .starts_with("SystemExit: argument --bf16: Truthy value expected")
        );
    }

    #[test]
    fn keys_of_no_trainer_are_refused_unless_a_script_of_its_own_may_read_them() {
        let refused = |names: &str| {
            format!("ValueError: Some keys are not used by the HfArgumentParser: [{names}]")
        };
        for (recipe, expected) in [
            ("fp8: false", refused("'fp8'")),
            (
                "fp8: true\nmixed_precision: fp8",
                refused("'fp8', 'mixed_precision'"),
            ),
            (
                "mixed_precision: no\nbf16: true",
                refused("'mixed_precision'"),
            ),
            (
                "mixed_precision: fp8\nsave_strategy: steps",
                refused("'mixed_precision'"),
            ),
            (
                "mixed_precision: bf16\nsave_strategy: steps",
                "unknown".to_owned(),
            ),
            (
                "mixed_precision: fp8\nlr_scheduler_type: cosine",
                "unknown".to_owned(),
            ),
            (
                "half_precision_backend: auto",
                refused("'half_precision_backend'"),
            ),
            (
                "bf16: true\nfp16: true\nfp8: true",
                "ValueError: At most one of fp16 and bf16 can be True, but not both".to_owned(),
            ),
        ] {
            assert_eq!(
                comes_to(Framework::Transformers, recipe),
                expected,
                "{recipe}"
            );
        }
    }
}
