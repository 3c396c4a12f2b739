//! What torchrun does with the numbers that a launcher gives it
//! (torch 2.9.1, `distributed/run.py:config_from_args`, `elastic/agent/server/api.py:WorkerSpec`).

use super::super::context::Context;
use super::super::outcome::{Cause, LauncherKind};
use super::super::python::{Argument, Site, parse_int};
use super::super::stop::{Step, raise};
use super::namespace::Namespace;
use super::{Launched, Pending};
use crate::source::Object;

/// How many processes and machines torchrun is asked for.
pub(crate) struct Size {
    /// `--nproc_per_node`, as text.
    pub(crate) processes: String,
    /// `--nnodes`, as text.
    pub(crate) machines: String,
}

impl Size {
    /// From `num_processes`, `num_machines` and `machine_rank`.
    pub(crate) fn of(namespace: &Namespace<'_>, source: &'static str) -> Step<Self> {
        let site = Site::new(source, Cause::NumProcesses);
        let (processes, machines) = (
            namespace.get("num_processes"),
            namespace.get("num_machines"),
        );
        if machines.compare(">", 1, Site::new(source, Cause::LaunchValue))? {
            let per_machine = processes.floor_divided(&machines, site)?;
            namespace
                .get("machine_rank")
                .int(Site::new(source, Cause::LaunchValue))?;
            return Ok(Self {
                processes: per_machine,
                machines: machines.value.python_str(),
            });
        }
        Ok(Self {
            processes: processes.value.python_str(),
            machines: "1".to_owned(),
        })
    }
}

/// Starts the processes, or fails as torchrun does.
pub(crate) fn start(
    context: &Context<'_>,
    namespace: &Namespace<'_>,
    size: &Size,
    pending: Pending,
    source: &'static str,
) -> Step<Launched> {
    let count = namespace.get("num_processes");
    let machines = namespace.get("num_machines");
    let site = Site::new(source, Cause::NumProcesses);
    let machine_count = parse_int(&size.machines).ok_or_else(|| {
        let shown = Object::from(size.machines.as_str()).python_repr();
        let message = format!("invalid literal for int() with base 10: {shown}");
        Site::new(source, Cause::LaunchValue).raise("ValueError", message, &machines.origin)
    })?;
    let restarts = namespace.get("max_restarts");
    if restarts.compare("<", 0, Site::new(source, Cause::LaunchValue))? {
        return Err(raise(
            "AssertionError",
            "",
            source,
            Cause::LaunchValue,
            [restarts.origin],
        ));
    }
    let gpus = i64::from(context.run.machine.gpus);
    let processes = match (parse_int(&size.processes), size.processes.as_str()) {
        (Some(number), _) => number,
        (None, "gpu") if gpus == 0 => {
            return Err(site.raise("ValueError", "Cuda is not available.", &count.origin));
        }
        (None, "gpu") => gpus,
        // How many cores the machine has is not known, and one is enough to go on.
        (None, "auto") => gpus.max(1),
        (None, "cpu") => 1,
        _ => {
            let message = format!("Unsupported nproc_per_node value: {}", size.processes);
            return Err(site.raise("ValueError", message, &count.origin));
        }
    };
    if processes <= 0 {
        return Err(raise(
            "AssertionError",
            "",
            source,
            Cause::NumProcesses,
            [count.origin],
        ));
    }
    let launcher = LauncherKind::Torchrun;
    Ok(Launched {
        launcher,
        environment: pending.into_texts(),
        processes,
        machines: machine_count,
    })
}

/// `main_process_port`, filled where it is missing.
pub(crate) fn fill_port(namespace: &mut Namespace<'_>) {
    let port = namespace.get("main_process_port");
    if matches!(port.value, Object::None) {
        namespace.set("main_process_port", Argument::new(29500, port.origin));
    }
}
