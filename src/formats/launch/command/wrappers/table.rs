//! Programs that run another program.

/// How a wrapper's words are read. Lists of options are separated by blanks.
pub(super) struct Wrapper {
    /// Its name, with the subcommand: `uv run`.
    pub(super) name: &'static str,
    /// Options without a value.
    pub(super) plain: &'static str,
    /// Options with one value.
    pub(super) valued: &'static str,
    /// Options with two values.
    pub(super) paired: &'static str,
    /// Those whose value sets variables: `NAME=value`, several parted by commas.
    pub(super) sets: &'static str,
    /// Those whose value names a variable that is taken away.
    pub(super) unsets: &'static str,
    /// Those whose value is a file of variables.
    pub(super) loads: &'static str,
    /// Those whose value is the folder to run in.
    pub(super) enters: &'static str,
    /// Those after which the command is a Python module.
    pub(super) modules: &'static str,
    /// Whether variables are set by words before the command: `env NAME=value`.
    pub(super) takes_assignments: bool,
    /// How many operands precede the command.
    pub(super) operands: usize,
    /// Whether the command is what follows `--`, and nothing else.
    pub(super) only_after_dashes: bool,
    /// What becomes of the variables that are exported.
    pub(super) inherits: Inherits,
    /// Whether the command sees other files, those of an image.
    pub(super) is_elsewhere: bool,
    /// Whether a Python file may stand as the command.
    pub(super) runs_python: bool,
}

/// What becomes of the variables that are exported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Inherits {
    /// The command gets them.
    All,
    /// The command gets none.
    Nothing,
    /// The command gets them unless one of these options is given.
    Unless(&'static str),
    /// The command gets them only if one of these options is given.
    Only(&'static str),
    /// Slurm's `--export`: `ALL` among its names keeps them, `NONE` or other names alone do not.
    SlurmExport,
}

const PLAIN: Wrapper = Wrapper {
    name: "",
    plain: "",
    valued: "",
    paired: "",
    sets: "",
    unsets: "",
    loads: "",
    enters: "",
    modules: "",
    takes_assignments: false,
    operands: 0,
    only_after_dashes: false,
    inherits: Inherits::All,
    is_elsewhere: false,
    runs_python: false,
};

const SLURM_VALUED: &str = "-A --account --acctg-freq -b --begin --bb --bbf -c --cpus-per-task --cpus-per-gpu \
    --comment -C --constraint --container --container-id --container-image --container-mounts --container-name \
    --container-workdir --container-env --container-save -S --core-spec --cores-per-socket --cpu-bind --cpu-freq \
    --deadline --delay-boot -d --dependency -D --chdir -e --error --epilog -x --exclude --export --export-file \
    --extra -B --extra-node-info --gid --gpu-bind --gpu-freq -G --gpus --gpus-per-node --gpus-per-socket \
    --gpus-per-task --gres --gres-flags --het-group --hint -i --input -J --job-name --jobid -L --licenses \
    --mail-type --mail-user --mcs-label --mem --mem-bind --mem-per-cpu --mem-per-gpu --mincpus --mpi --msg-timeout \
    --network -w --nodelist -F --nodefile -N --nodes -n --ntasks --ntasks-per-core --ntasks-per-gpu \
    --ntasks-per-node --ntasks-per-socket --open-mode -o --output -p --partition --power --prefer --priority \
    --profile --prolog -q --qos --reservation -m --distribution -r --relative --signal --slurmd-debug \
    --sockets-per-node --switches --task-epilog --task-prolog --thread-spec -T --threads --threads-per-core -t \
    --time --time-min --tmp --treewidth --tres-bind --tres-per-task --uid -W --wait --wckey";
const SLURM_PLAIN: &str = "-l --label -u --unbuffered -v --verbose -Q --quiet -k --no-kill -K --kill-on-bad-exit -I \
    --immediate -E --preserve-env -O --overcommit -s --oversubscribe --overlap --exact --exclusive --whole -X \
    --disable-status -Z --no-allocate -H --hold --contiguous --spread-job --use-min-nodes --multi-prog --pty --nice \
    --propagate --compress --bcast --reboot --interactive --external --send-libs --test-only --x11 \
    --container-remap-root --no-container-remap-root --container-writable --container-readonly \
    --container-mount-home --no-container-mount-home --no-container-entrypoint --container-entrypoint";

const MPI: Wrapper = Wrapper {
    plain: "--allow-run-as-root -allow-run-as-root --oversubscribe --tag-output --report-bindings --display-map -v \
            --verbose -q --quiet --bynode --bycore --byslot --prefix-output -bynode -l --enable-recovery \
            --display-allocation --gloo --mpi --use-gloo --use-mpi -tag-output",
    valued: "-n -np --np -c --n -N -npernode --npernode -ppn --ppn -H -host --host --hosts -hostfile --hostfile \
             -machinefile --machinefile -f -bind-to --bind-to -map-by --map-by --rank-by -rank-by -wdir --wdir -wd \
             -x -output-filename --output-filename --prefix -cpus-per-proc --cpus-per-proc --timeout --mca-file \
             -env --tune -p --ssh-port --network-interface --start-timeout -genvlist -bootstrap -launcher \
             --mpi-args --log-level --max-restarts",
    paired: "-mca --mca -gmca --gmca -genv -genvs --prtemca",
    sets: "-x",
    enters: "-wdir --wdir -wd",
    ..PLAIN
};

const UV_VALUED: &str = "-w --with --with-editable --with-requirements --extra --no-extra --group --no-group \
    --only-group --env-file -p --python --project --directory --package --index --default-index -i --index-url \
    --extra-index-url -f --find-links -P --upgrade-package --refresh-package --reinstall-package --resolution \
    --prerelease --fork-strategy --exclude-newer --link-mode --index-strategy --keyring-provider -C --config-setting \
    --no-build-isolation-package --no-build-package --no-binary-package --cache-dir --color --config-file \
    --allow-insecure-host --python-platform --torch-backend --from -c --constraints --overrides -b --build-constraints";
const UV_PLAIN: &str = "--active --all-extras --no-dev --dev --only-dev --isolated --exact --no-sync --locked \
    --frozen --no-project --all-groups --no-default-groups --no-editable --no-env-file -n --no-cache --no-config \
    --offline -q --quiet -v --verbose --native-tls --managed-python --no-managed-python --no-python-downloads -U \
    --upgrade --refresh --reinstall --compile-bytecode --no-index --no-sources --no-build --no-binary \
    --no-build-isolation --all-packages --no-progress -s --script --gui-script -m --module";

const CONTAINER_VALUED: &str = "-e --env --env-file -v --volume -w --workdir --name --gpus -p --publish --network --net \
    --ipc --shm-size --ulimit -u --user -m --memory --memory-swap --cpus -c --cpu-shares --cpuset-cpus --mount \
    --runtime --entrypoint -h --hostname -l --label --label-file --add-host --device --cap-add --cap-drop \
    --security-opt --restart --log-driver --log-opt --platform --pull --tmpfs --pid --uts --cidfile --expose \
    --volumes-from --dns --group-add --userns --cgroup-parent --stop-signal --stop-timeout --annotation \
    --sysctl --storage-opt --index --detach-keys -f --file --profile --project-name --project-directory --context -H";
const CONTAINER_PLAIN: &str = "-d --detach -i --interactive -t --tty --rm --init --privileged -P --publish-all \
    --read-only --no-healthcheck -q --quiet --sig-proxy --oom-kill-disable --disable-content-trust --build --no-deps \
    --service-ports --quiet-pull --use-aliases -T --no-TTY --remove-orphans";
const CONTAINER: Wrapper = Wrapper {
    plain: CONTAINER_PLAIN,
    valued: CONTAINER_VALUED,
    sets: "-e --env",
    loads: "--env-file",
    operands: 1,
    inherits: Inherits::Nothing,
    is_elsewhere: true,
    ..PLAIN
};
const APPTAINER: Wrapper = Wrapper {
    plain: "--nv --rocm --nvccli -c --contain -C --containall -e --cleanenv --no-home -f --fakeroot --writable \
            --writable-tmpfs -w -u --userns -p --pid -i --ipc --no-init --unsquash --no-eval --compat -n --net -s \
            --silent -q --quiet -d --debug -v --verbose --no-umask --no-privs --keep-privs --disable-cache",
    valued: "-B --bind -H --home -W --workdir -S --scratch --pwd --cwd --env --env-file -o --overlay --mount \
             --hostname --network --network-args --no-mount --app --security --dns --add-caps --drop-caps \
             --apply-cgroups --pem-path --fusemount",
    sets: "--env",
    loads: "--env-file",
    operands: 1,
    inherits: Inherits::Unless("-e --cleanenv -C --containall"),
    is_elsewhere: true,
    ..PLAIN
};
const CONDA: Wrapper = Wrapper {
    plain: "--no-capture-output --live-stream -s -v --verbose --dev --debug-wrapper-scripts -a --attach \
            --clean-env --clear-env -d --detach -vv",
    valued: "-n --name -p --prefix --cwd -e --env -r --root-prefix --label",
    sets: "-e --env",
    enters: "--cwd",
    ..PLAIN
};

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
        enters: "-D --chdir",
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
];
