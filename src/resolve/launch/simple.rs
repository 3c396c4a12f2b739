//! The simple launcher: one process, started with `Popen`
//! (accelerate 1.15.0, `utils/launch.py:prepare_simple_launcher_cmd_env`, `commands/launch.py:simple_launcher`).

use super::super::context::Context;
use super::super::outcome::{Cause, LauncherKind};
use super::super::python::{Argument, Site, parse_bool};
use super::super::run::{Origin, Voice};
use super::super::stop::{Step, raise, unknown};
use super::cluster_environment as cluster;
use super::namespace::Namespace;
use super::{Launched, Pending};
use crate::knowledge::{Ipex, MainProcessAddress, UseCpuFlag};
use crate::source::Object;

const PREPARE: &str = "utils/launch.py:prepare_simple_launcher_cmd_env";
const START: &str = "commands/launch.py:simple_launcher";

pub(crate) fn launch(context: &mut Context<'_>, namespace: &Namespace<'_>) -> Step<Launched> {
    cluster::check_script_kind(namespace, PREPARE)?;
    if let Some(hostfile) = namespace.of_flag("mpirun_hostfile")
        && !matches!(hostfile.value, Object::None)
    {
        return Err(unknown(
            "`mpirun_hostfile` is set: what happens depends on the MPI that is installed",
        ));
    }
    let mut pending = Pending::default();
    let by_flag = namespace.get("cpu");
    let use_cpu = if by_flag.value.truthy() {
        by_flag
    } else {
        namespace.get("use_cpu")
    };
    pending.set_text("ACCELERATE_USE_CPU", &use_cpu);
    cluster::set_debug(context, namespace, &mut pending);
    match namespace.of_flag("mps") {
        Some(mps) => {
            pending.set_text("ACCELERATE_USE_MPS_DEVICE", &mps);
            if !mps.value.truthy() {
                cluster::set_visible_devices(namespace, &mut pending);
            }
        }
        None => cluster::set_visible_devices(namespace, &mut pending),
    }
    match context.behaviours.main_process_address {
        MainProcessAddress::PassedOn => pass_main_process_on(namespace, &mut pending)?,
        MainProcessAddress::Checked => set_main_process(namespace, &mut pending)?,
    }
    if context.behaviours.use_cpu_flag == UseCpuFlag::MustBeBoolean {
        let text = use_cpu.value.python_str();
        if parse_bool(&text).is_none() {
            let message = format!("invalid truth value {}", text.to_lowercase());
            let site = Site::new("utils/environment.py:str_to_bool", Cause::LaunchValue);
            return Err(site.raise("ValueError", message, &use_cpu.origin));
        }
    }
    cluster::set_mixed_precision(context, namespace, &mut pending, PREPARE)?;
    cluster::set_dynamo(context, namespace, &mut pending, PREPARE)?;
    pending.set_text(
        "OMP_NUM_THREADS",
        &namespace.get("num_cpu_threads_per_process"),
    );
    let ipex = namespace.get("ipex_enabled");
    if context.behaviours.ipex == Ipex::Enabled && use_cpu.value.truthy() && ipex.value.truthy() {
        pending.set_lowered("IPEX_ENABLED", &ipex);
    }
    cluster::set_affinity(namespace, &mut pending);
    check_environment(&pending, START)?;
    let environment = pending.into_texts();
    Ok(Launched {
        launcher: LauncherKind::Simple,
        environment,
        processes: 1,
        machines: 1,
    })
}

/// `MASTER_ADDR` and `MASTER_PORT`, whatever they are, where more than one process takes part.
fn pass_main_process_on(namespace: &Namespace<'_>, pending: &mut Pending) -> Step<()> {
    let site = Site::new(PREPARE, Cause::LaunchValue);
    if namespace.get("num_machines").compare(">", 1, site)? {
        pending.set("MASTER_ADDR", namespace.get("main_process_ip"));
        pending.set_text("MASTER_PORT", &namespace.get("main_process_port"));
    } else if namespace.get("num_processes").compare(">", 1, site)? {
        set_address(namespace, pending);
    }
    Ok(())
}

/// `MASTER_ADDR` and `MASTER_PORT`, where more than one process takes part.
fn set_main_process(namespace: &Namespace<'_>, pending: &mut Pending) -> Step<()> {
    let site = Site::new(PREPARE, Cause::LaunchValue);
    let (processes, machines) = (
        namespace.get("num_processes"),
        namespace.get("num_machines"),
    );
    let several_machines = machines.compare(">", 1, site)?;
    if several_machines {
        for (name, shown) in [("main_process_ip", "IP"), ("main_process_port", "port")] {
            if namespace.is_none(name) {
                let message = format!(
                    "When using multiple machines, you need to specify the main process {shown}."
                );
                return Err(raise(
                    "AssertionError",
                    message,
                    PREPARE,
                    Cause::LaunchValue,
                    [machines.origin],
                ));
            }
        }
    }
    let several = !matches!(processes.value, Object::None) && processes.compare(">", 1, site)?;
    if several || several_machines {
        set_address(namespace, pending);
    }
    Ok(())
}

/// `MASTER_ADDR` and `MASTER_PORT`, filled where they are missing.
fn set_address(namespace: &Namespace<'_>, pending: &mut Pending) {
    let default = |value: &str, name: &str| Argument::new(value, Origin::of(Voice::Default, name));
    let (address, port) = (
        namespace.get("main_process_ip"),
        namespace.get("main_process_port"),
    );
    let address = match address.value {
        Object::None => default("127.0.0.1", "main_process_ip"),
        _ => address,
    };
    pending.set("MASTER_ADDR", address);
    match port.value {
        Object::None => pending.set("MASTER_PORT", default("29500", "main_process_port")),
        _ => pending.set_text("MASTER_PORT", &port),
    }
}

/// `Popen` takes only texts.
pub(crate) fn check_environment(pending: &Pending, source: &'static str) -> Step<()> {
    let site = Site::new(source, Cause::LaunchValue);
    for (name, argument) in &pending.0 {
        if name.contains('=') {
            return Err(site.raise(
                "ValueError",
                "illegal environment variable name",
                &argument.origin,
            ));
        }
        match &argument.value {
            Object::Str(text) if name.contains('\0') || text.contains('\0') => {
                return Err(site.raise("ValueError", "embedded null byte", &argument.origin));
            }
            Object::Str(_) | Object::Bytes(_) => {}
            other => {
                let message = format!(
                    "expected str, bytes or os.PathLike object, not {}",
                    other.type_name()
                );
                return Err(site.raise("TypeError", message, &argument.origin));
            }
        }
    }
    Ok(())
}
