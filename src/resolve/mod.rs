//! Resolve: a run and a target → the outcome, with the origin of every value that decides.
//!
//! [`assemble`] makes the run: of a launch command with the config and the recipe that it names, or of a recipe that no
//! command names. [`Run::assumed`] is the run of a config alone.
//!
//! A run is followed as accelerate follows it: [`launch`] reads the command and the config and builds the environment
//! of the script, [`trainer`] is what the framework makes of it and of the recipe and what it checks itself,
//! [`runtime`] is `Accelerator()`, [`prepare`] is `accelerator.prepare(model, optimizer)`. What differs between
//! versions is looked up in [`crate::knowledge`]; no version is compared here.

mod asks;
pub mod assemble;
mod context;
pub mod deepspeed_blocks;
mod deepspeed_configs;
mod launch;
pub mod outcome;
mod prepare;
mod python;
pub mod run;
mod runtime;
mod stop;
pub mod target;
mod trainer;

pub use asks::asks;
pub use deepspeed_configs::deepspeed_configs;
pub use outcome::{
    Backend, Cause, Decision, Exception, Launch, LauncherKind, Outcome, Prepare, Runtime, Variable,
    Verdict,
};
pub(crate) use python::parse_bool;
pub use run::{
    Argued, Ask, Bypass, Code, Command, Config, ConfigFile, Files, Launcher, Lookup, Machine,
    NoFiles, Origin, Place, Run, Stage, Trainer, Value, Voice, Word,
};
pub use target::Target;
pub(crate) use trainer::{LlamaFactoryHandover, axolotl_other_trainer, llamafactory_handover};

use crate::knowledge::{Facts, Fp8BackendProperty, ProgramImports, TransformerEngineImport};
use context::Context;
use launch::Launched;
use runtime::{Accelerator, Environment};
use stop::{Step, Stop, raise};

/// Follows a run under one release of accelerate.
pub fn resolve(run: &Run, facts: &Facts, files: &dyn Files) -> Outcome {
    let mut outcome = Outcome {
        launch: None,
        trainer: None,
        runtime: None,
        prepare: None,
        verdict: Verdict::LaunchOnly,
        decisions: Vec::new(),
    };
    let mut context = Context {
        run,
        facts,
        behaviours: &facts.behaviours,
        files,
        stage: Stage::Launch,
        decisions: Vec::new(),
    };
    outcome.verdict = follow(&mut context, &mut outcome);
    outcome.decisions = context.decisions;
    match &run.unknown {
        Some(why) if !refuses_config(&outcome) => Outcome {
            launch: None,
            trainer: None,
            runtime: None,
            prepare: None,
            verdict: Verdict::Unknown { why: why.clone() },
            decisions: Vec::new(),
        },
        _ => outcome,
    }
}

/// Whether the launcher refuses the config file, whatever else the command says.
fn refuses_config(outcome: &Outcome) -> bool {
    let launch = outcome.launch.as_ref();
    let exception = launch.and_then(|launch| launch.exception.as_ref());
    exception.is_some_and(|exception| {
        matches!(
            exception.cause,
            Cause::ConfigUnreadable
                | Cause::ConfigNotMapping
                | Cause::ConfigKeyMissing
                | Cause::ComputeEnvironment
                | Cause::UnknownKeys
                | Cause::KeyNotString
                | Cause::EnumValue
        )
    })
}

/// The stages, one after the other, until one of them ends the run.
fn follow(context: &mut Context<'_>, outcome: &mut Outcome) -> Verdict {
    if let Err(stop) = import(context) {
        return stopped(stop, Verdict::RaisesAtImport, |exception| {
            let exception = Some(exception);
            match context.run.launcher {
                Launcher::Accelerate => {
                    outcome.launch = Some(Launch {
                        exception,
                        ..Launch::default()
                    });
                }
                Launcher::Python | Launcher::Torchrun | Launcher::DeepSpeed => {
                    outcome.runtime = Some(Runtime {
                        exception,
                        ..Runtime::default()
                    });
                }
            }
        });
    }
    let environment = match context.run.launcher {
        Launcher::Accelerate => match launch::launch(context) {
            Ok(launched) => {
                outcome.launch = Some(launch_record(&launched));
                let remote = match launched.launcher {
                    LauncherKind::TpuPod => true,
                    LauncherKind::DeepSpeedMultinode => !context.run.follows_machines,
                    _ => false,
                };
                if remote {
                    return Verdict::LaunchOnly;
                }
                Environment::of_launch(context, &launched)
            }
            Err(stop) => {
                return stopped(stop, Verdict::RaisesAtLaunch, |exception| {
                    outcome.launch = Some(Launch {
                        exception: Some(exception),
                        ..Launch::default()
                    });
                });
            }
        },
        Launcher::Python => Environment::of_shell(context, None),
        Launcher::Torchrun | Launcher::DeepSpeed => {
            let processes = i64::from(context.run.machine.gpus.max(1));
            Environment::of_shell(context, Some(processes))
        }
    };
    if context.run.stage == Stage::Launch || context.run.code.no_init {
        return Verdict::LaunchOnly;
    }
    context.stage = Stage::Trainer;
    let mut environment = environment;
    let is_arguments_only =
        (context.run.trainer.as_ref()).is_some_and(|trainer| trainer.is_arguments_only);
    let mut given = match trainer::before(context, &mut environment) {
        Ok(given) => given,
        // As the oracle calls it, which builds them where a script builds its `Accelerator`.
        Err(stop) if is_arguments_only => return stopped_at_init(stop, outcome),
        Err(stop) => return stopped_at_trainer(stop, outcome),
    };
    let (mismatches, derived) = (given.mismatches.take(), given.derived.take());
    context.stage = Stage::Runtime;
    let mut accelerator = match runtime::accelerator(context, environment, given) {
        Ok(accelerator) => accelerator,
        Err(stop) => return stopped_at_init(stop, outcome),
    };
    outcome.runtime = Some(runtime_record(context, &accelerator));
    if let Err(stop) = trainer::after(context, &accelerator, mismatches, derived.as_ref()) {
        return stopped_at_trainer(stop, outcome);
    }
    if context.run.stage == Stage::Runtime || prepare::is_skipped(&accelerator) {
        outcome.prepare = Some(Prepare {
            skipped: true,
            exception: None,
        });
        return init_only(context, outcome);
    }
    context.stage = Stage::Prepare;
    let prepared = trainer::check_prepare(context, &accelerator)
        .and_then(|()| prepare::prepare(context, &mut accelerator));
    match prepared {
        Ok(verdict) => {
            outcome.prepare = Some(Prepare {
                skipped: false,
                exception: None,
            });
            match trainer::check_save(context, &accelerator, &verdict) {
                Ok(()) => verdict,
                Err(stop) => stopped_at_trainer(stop, outcome),
            }
        }
        Err(stop) => stopped(stop, Verdict::RaisesAtPrepare, |exception| {
            outcome.prepare = Some(Prepare {
                skipped: false,
                exception: Some(exception),
            });
        }),
    }
}

fn stopped_at_trainer(stop: Stop, outcome: &mut Outcome) -> Verdict {
    stopped(stop, Verdict::RaisesAtTrainer, |exception| {
        outcome.trainer = Some(exception);
    })
}

fn stopped_at_init(stop: Stop, outcome: &mut Outcome) -> Verdict {
    stopped(stop, Verdict::RaisesAtInit, |exception| {
        outcome.runtime = Some(Runtime {
            exception: Some(exception),
            ..Runtime::default()
        });
    })
}

/// The imports of accelerate and of its program, which in some releases need what the package does not require.
fn import(context: &Context<'_>) -> Step<()> {
    let machine = &context.run.machine;
    let missing = |package: &str, source, by: &str| {
        Err(raise(
            "ModuleNotFoundError",
            format!("No module named '{package}'"),
            source,
            Cause::PackageMissing,
            [Origin::of(Voice::Default, by)],
        ))
    };
    let imports = context.behaviours.transformer_engine_import;
    if imports == TransformerEngineImport::IfAnyFp8Package
        && machine.has("msamp")
        && !machine.has("transformer_engine")
    {
        let source = "utils/transformer_engine.py";
        return missing("transformer_engine", source, "import accelerate");
    }
    let needs_pytest = context.run.launcher == Launcher::Accelerate
        && context.behaviours.program_imports == ProgramImports::Pytest;
    if needs_pytest && machine.lacks("pytest") {
        return missing("pytest", "commands/test.py", "accelerate launch");
    }
    Ok(())
}

/// The verdict of a run that ends early; `record` takes the exception, if it is one.
fn stopped(stop: Stop, raised: Verdict, record: impl FnOnce(Exception)) -> Verdict {
    match stop {
        Stop::Raised(exception) => {
            record(*exception);
            raised
        }
        Stop::Unknown(why) => Verdict::Unknown { why },
    }
}

fn launch_record(launched: &Launched) -> Launch {
    Launch {
        launcher: Some(launched.launcher),
        processes: Some(launched.processes),
        environment: launched.environment.clone(),
        exception: None,
    }
}

fn runtime_record(context: &Context<'_>, accelerator: &Accelerator) -> Runtime {
    Runtime {
        mixed_precision: Some(accelerator.precision()),
        fp8_backend: match context.behaviours.fp8_backend {
            Fp8BackendProperty::Absent => None,
            _ => accelerator.fp8_backend(context).ok().flatten(),
        },
        distributed_type: Some(accelerator.distributed_type.as_str().to_owned()),
        exception: None,
    }
}

fn init_only(context: &Context<'_>, outcome: &Outcome) -> Verdict {
    let no_backend = match context.behaviours.fp8_backend {
        Fp8BackendProperty::Absent => "n/a",
        Fp8BackendProperty::HandlerIfFp8 | Fp8BackendProperty::Handler => "None",
        Fp8BackendProperty::HandlerOrEnvironment => "NO",
    };
    let runtime = outcome.runtime.as_ref();
    let mixed_precision = runtime.and_then(|runtime| runtime.mixed_precision.clone());
    let fp8_backend = runtime
        .and_then(|runtime| runtime.fp8_backend)
        .map_or(no_backend, Backend::as_str);
    Verdict::InitOnly {
        mixed_precision: mixed_precision.unwrap_or_else(|| "no".to_owned()),
        fp8_backend: fp8_backend.to_owned(),
    }
}
