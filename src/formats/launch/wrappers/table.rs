//! Programs that run another program.

mod describe;
mod shared;

use describe::PLAIN;
pub(super) use describe::{Inherits, Wrapper};
use shared::{APPTAINER, CONDA, CONTAINER, MPI, SLURM_PLAIN, SLURM_VALUED, UV_PLAIN, UV_VALUED};

/// Every wrapper. Of those whose names begin alike the longer one stands first.
pub(super) const WRAPPERS: &[Wrapper] = &[
    Wrapper {
        name: "env",
        plain: "- -i --ignore-environment -v --debug -0 --null",
        valued: "-u --unset -C --chdir",
        unsets: "-u --unset",
        enters: "-C --chdir",
        takes_assignments: true,
        inherits: Inherits::Unless("- -i --ignore-environment"),
        ..PLAIN
    },
    Wrapper {
        name: "sudo",
        plain: "-E --preserve-env -H --set-home -n --non-interactive -S --stdin -b --background -A --askpass -k -i \
                --login -P",
        valued: "-u --user -g --group -p --prompt -D --chdir -h --host -C -R --chroot -T -r --role -t --type",
        enters: "-D --chdir",
        takes_assignments: true,
        inherits: Inherits::Only("-E --preserve-env"),
        ..PLAIN
    },
    Wrapper {
        name: "exec",
        plain: "-c -l",
        valued: "-a",
        ..PLAIN
    },
    Wrapper {
        name: "command",
        plain: "-p",
        ..PLAIN
    },
    Wrapper {
        name: "builtin",
        ..PLAIN
    },
    Wrapper {
        name: "nohup",
        ..PLAIN
    },
    Wrapper {
        name: "time",
        plain: "-p -v --verbose -a --append -q --quiet --portability",
        valued: "-f --format -o --output",
        ..PLAIN
    },
    Wrapper {
        name: "nice",
        valued: "-n --adjustment",
        ..PLAIN
    },
    Wrapper {
        name: "ionice",
        plain: "-t --ignore",
        valued: "-c --class -n --classdata",
        ..PLAIN
    },
    Wrapper {
        name: "chrt",
        plain: "-f -r -o -b -i -d",
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        name: "stdbuf",
        valued: "-i --input -o --output -e --error",
        ..PLAIN
    },
    Wrapper {
        name: "unbuffer",
        plain: "-p",
        ..PLAIN
    },
    Wrapper {
        name: "screen",
        plain: "-d -D -m -L -A -O -U",
        valued: "-S -Logfile -t -T -c -h -e -s",
        ..PLAIN
    },
    Wrapper {
        name: "timeout",
        plain: "--preserve-status --foreground -v --verbose -f -p",
        valued: "-k --kill-after -s --signal",
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        name: "setsid",
        plain: "-c --ctty -f --fork -w --wait",
        ..PLAIN
    },
    Wrapper {
        name: "caffeinate",
        plain: "-d -i -m -s -u",
        valued: "-t -w",
        ..PLAIN
    },
    Wrapper {
        name: "catchsegv",
        ..PLAIN
    },
    Wrapper {
        name: "numactl",
        plain: "-l --localalloc -a --all",
        valued: "-N --cpunodebind -m --membind -C --physcpubind -i --interleave -p --preferred",
        ..PLAIN
    },
    Wrapper {
        name: "taskset",
        plain: "-a --all-tasks -c --cpu-list",
        operands: 1,
        ..PLAIN
    },
    Wrapper {
        name: "srun",
        plain: SLURM_PLAIN,
        valued: SLURM_VALUED,
        enters: "-D --chdir --container-workdir",
        inherits: Inherits::SlurmExport,
        ..PLAIN
    },
    Wrapper {
        name: "salloc",
        plain: SLURM_PLAIN,
        valued: SLURM_VALUED,
        enters: "-D --chdir",
        ..PLAIN
    },
    // LSF.
    Wrapper {
        name: "bsub",
        plain: "-I -Is -K -x -N -B -r -H -k",
        valued: "-q -n -W -J -o -e -oo -eo -i -R -M -P -G -g -w -m -u -b -t -c -C -D -F -gpu -cwd -app -env -L -Lp -sla",
        enters: "-cwd",
        ..PLAIN
    },
    // The queue of Oxford's physics department.
    Wrapper {
        name: "addqueue",
        plain: "-s -i",
        valued: "-q -n -m -c -o --gpus --gputype --runafter --requeue -d",
        ..PLAIN
    },
    Wrapper {
        name: "mpirun",
        ..MPI
    },
    Wrapper {
        name: "mpiexec",
        ..MPI
    },
    Wrapper {
        name: "horovodrun",
        ..MPI
    },
    Wrapper {
        name: "ibrun",
        ..PLAIN
    },
    Wrapper {
        name: "jsrun",
        valued: "-n --nrs -a --tasks_per_rs -c --cpu_per_rs -g --gpu_per_rs -r --rs_per_host -b --bind -d \
                 --launch_distribution --smpiargs -E",
        sets: "-E",
        ..PLAIN
    },
    Wrapper {
        name: "uv tool run",
        plain: UV_PLAIN,
        valued: UV_VALUED,
        loads: "--env-file",
        enters: "--directory",
        ..PLAIN
    },
    Wrapper {
        name: "uv run",
        plain: UV_PLAIN,
        valued: UV_VALUED,
        loads: "--env-file",
        enters: "--directory",
        modules: "-m --module",
        runs_python: true,
        ..PLAIN
    },
    Wrapper {
        name: "uvx",
        plain: UV_PLAIN,
        valued: UV_VALUED,
        loads: "--env-file",
        enters: "--directory",
        ..PLAIN
    },
    Wrapper {
        name: "poetry run",
        plain: "-q --quiet -v -vv -vvv -n --no-interaction --ansi --no-ansi --no-cache --no-plugins",
        valued: "-C --directory -P --project",
        enters: "-C --directory",
        ..PLAIN
    },
    Wrapper {
        name: "pdm run",
        plain: "-s --site-packages -v --verbose -q --quiet --recreate",
        valued: "-p --project --venv -S --skip",
        runs_python: true,
        ..PLAIN
    },
    Wrapper {
        name: "pipenv run",
        ..PLAIN
    },
    Wrapper {
        name: "rye run",
        plain: "-v -q",
        valued: "--pyproject",
        ..PLAIN
    },
    Wrapper {
        name: "pixi run",
        plain: "--frozen --locked --no-install --as-is --clean-env --force-activate -x --executable -q -v",
        valued: "-e --environment --manifest-path -m --color",
        ..PLAIN
    },
    Wrapper {
        name: "hatch run",
        plain: "-v -q --verbose --quiet",
        valued: "-e --env -p --project",
        ..PLAIN
    },
    Wrapper {
        name: "conda run",
        ..CONDA
    },
    Wrapper {
        name: "mamba run",
        ..CONDA
    },
    Wrapper {
        name: "micromamba run",
        ..CONDA
    },
    Wrapper {
        name: "docker compose run",
        ..CONTAINER
    },
    Wrapper {
        name: "docker compose exec",
        ..CONTAINER
    },
    Wrapper {
        name: "docker-compose run",
        ..CONTAINER
    },
    Wrapper {
        name: "docker-compose exec",
        ..CONTAINER
    },
    Wrapper {
        name: "docker container run",
        ..CONTAINER
    },
    Wrapper {
        name: "docker run",
        ..CONTAINER
    },
    Wrapper {
        name: "docker exec",
        ..CONTAINER
    },
    Wrapper {
        name: "nvidia-docker run",
        ..CONTAINER
    },
    Wrapper {
        name: "podman run",
        ..CONTAINER
    },
    Wrapper {
        name: "podman exec",
        ..CONTAINER
    },
    Wrapper {
        name: "podman-hpc run",
        ..CONTAINER
    },
    Wrapper {
        name: "kubectl exec",
        plain: "-i --stdin -t --tty -q --quiet",
        valued: "-n --namespace -c --container --context --cluster --kubeconfig",
        only_after_dashes: true,
        inherits: Inherits::Nothing,
        is_elsewhere: true,
        ..PLAIN
    },
    Wrapper {
        name: "apptainer exec",
        ..APPTAINER
    },
    Wrapper {
        name: "apptainer run",
        ..APPTAINER
    },
    Wrapper {
        name: "singularity exec",
        ..APPTAINER
    },
    Wrapper {
        name: "singularity run",
        ..APPTAINER
    },
    Wrapper {
        name: "dotenv run",
        plain: "--override --no-override",
        valued: "-f --file -q --quote -e --export",
        loads: "-f --file",
        ..PLAIN
    },
    Wrapper {
        name: "nsys profile",
        plain: "-v --verbose",
        valued: "-t --trace -o --output -f --force-overwrite -s --sample -c --capture-range -x --stop-on-exit -y \
                 --delay -d --duration -w --show-output --stats --stop-on-range-end --cudabacktrace -b --backtrace \
                 --capture-range-end --cuda-memory-usage --gpu-metrics-devices --python-backtrace --session-new \
                 --pytorch --cpuctxsw --nic-metrics --trace-fork-before-exec -e --env-var",
        sets: "-e --env-var",
        ..PLAIN
    },
    Wrapper {
        name: "ncu",
        plain: "-f --force-overwrite --nvtx --csv",
        valued: "-o --export --set --section -k --kernel-name -c --launch-count -s --launch-skip --target-processes \
                 --metrics --nvtx-include --profile-from-start --clock-control --replay-mode --import-source",
        ..PLAIN
    },
    Wrapper {
        name: "py-spy record",
        plain: "-n --native -s --subprocesses -F --function --nolineno -t --threads -g --gil -i --idle --nonblocking",
        valued: "-o --output -d --duration -r --rate -f --format -p --pid",
        ..PLAIN
    },
    Wrapper {
        name: "viztracer",
        plain: "--log_async --log_sparse --log_torch --log_multiprocess --quiet -q --open",
        valued: "-o --output_file --output_dir --tracer_entries --max_stack_depth --min_duration",
        runs_python: true,
        ..PLAIN
    },
    Wrapper {
        name: "memray run",
        plain: "-f --force --native --follow-fork --trace-python-allocators -q --quiet --live --aggregate",
        valued: "-o --output --live-port",
        runs_python: true,
        ..PLAIN
    },
    Wrapper {
        name: "parallel",
        only_shells: true,
        ..PLAIN
    },
    Wrapper {
        name: "xargs",
        only_shells: true,
        ..PLAIN
    },
    Wrapper {
        name: "tmux",
        only_shells: true,
        ..PLAIN
    },
    Wrapper {
        name: "ssh",
        only_shells: true,
        inherits: Inherits::Nothing,
        is_elsewhere: true,
        ..PLAIN
    },
];
