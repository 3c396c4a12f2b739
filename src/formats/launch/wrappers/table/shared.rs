//! Descriptions that several wrappers share.

use super::describe::{Inherits, PLAIN, Wrapper};

/// srun and salloc.
pub(super) const SLURM_VALUED: &str = "-A --account --acctg-freq -b --begin --bb --bbf -c --cpus-per-task --cpus-per-gpu \
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
pub(super) const SLURM_PLAIN: &str = "-l --label -u --unbuffered -v --verbose -Q --quiet -k --no-kill -K --kill-on-bad-exit -I \
    --immediate -E --preserve-env -O --overcommit -s --oversubscribe --overlap --exact --exclusive --whole -X \
    --disable-status -Z --no-allocate -H --hold --contiguous --spread-job --use-min-nodes --multi-prog --pty --nice \
    --propagate --compress --bcast --reboot --interactive --external --send-libs --test-only --x11 \
    --container-remap-root --no-container-remap-root --container-writable --container-readonly \
    --container-mount-home --no-container-mount-home --no-container-entrypoint --container-entrypoint";

/// mpirun of Open MPI, MPICH and Intel MPI, horovodrun.
pub(super) const MPI: Wrapper = Wrapper {
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

/// uv.
pub(super) const UV_VALUED: &str = "-w --with --with-editable --with-requirements --extra --no-extra --group --no-group \
    --only-group --env-file -p --python --project --directory --package --index --default-index -i --index-url \
    --extra-index-url -f --find-links -P --upgrade-package --refresh-package --reinstall-package --resolution \
    --prerelease --fork-strategy --exclude-newer --link-mode --index-strategy --keyring-provider -C --config-setting \
    --no-build-isolation-package --no-build-package --no-binary-package --cache-dir --color --config-file \
    --allow-insecure-host --python-platform --torch-backend --from -c --constraints --overrides -b --build-constraints";
pub(super) const UV_PLAIN: &str = "--active --all-extras --no-dev --dev --only-dev --isolated --exact --no-sync --locked \
    --frozen --no-project --all-groups --no-default-groups --no-editable --no-env-file -n --no-cache --no-config \
    --offline -q --quiet -v --verbose --native-tls --managed-python --no-managed-python --no-python-downloads -U \
    --upgrade --refresh --reinstall --compile-bytecode --no-index --no-sources --no-build --no-binary \
    --no-build-isolation --all-packages --no-progress -s --script --gui-script -m --module";

/// docker and podman, run and exec, with compose.
pub(super) const CONTAINER_VALUED: &str = "-e --env --env-file -v --volume -w --workdir --name --gpus -p --publish --network --net \
    --ipc --shm-size --ulimit -u --user -m --memory --memory-swap --cpus -c --cpu-shares --cpuset-cpus --mount \
    --runtime --entrypoint -h --hostname -l --label --label-file --add-host --device --cap-add --cap-drop \
    --security-opt --restart --log-driver --log-opt --platform --pull --tmpfs --pid --uts --cidfile --expose \
    --volumes-from --dns --group-add --userns --cgroup-parent --stop-signal --stop-timeout --annotation \
    --sysctl --storage-opt --index --detach-keys -f --file --profile --project-name --project-directory --context -H";
pub(super) const CONTAINER_PLAIN: &str = "-d --detach -i --interactive -t --tty --rm --init --privileged -P --publish-all \
    --read-only --no-healthcheck -q --quiet --sig-proxy --oom-kill-disable --disable-content-trust --build --no-deps \
    --service-ports --quiet-pull --use-aliases -T --no-TTY --remove-orphans";
pub(super) const CONTAINER: Wrapper = Wrapper {
    plain: CONTAINER_PLAIN,
    valued: CONTAINER_VALUED,
    sets: "-e --env",
    loads: "--env-file",
    operands: 1,
    inherits: Inherits::Nothing,
    is_elsewhere: true,
    ..PLAIN
};
/// apptainer and singularity, which see the folder they are started in.
pub(super) const APPTAINER: Wrapper = Wrapper {
    plain: "--nv --rocm --nvccli -c --contain -C --containall -e --cleanenv --no-home -f --fakeroot --writable \
            --writable-tmpfs -w -u --userns -p --pid -i --ipc --no-init --unsquash --no-eval --compat -n --net -s \
            --silent -q --quiet -d --debug -v --verbose --no-umask --no-privs --keep-privs --disable-cache",
    valued: "-B --bind -H --home -W --workdir -S --scratch --pwd --cwd --env --env-file -o --overlay --mount \
             --hostname --network --network-args --no-mount --app --security --dns --add-caps --drop-caps \
             --apply-cgroups --pem-path --fusemount",
    sets: "--env",
    loads: "--env-file",
    operands: 1,
    enters: "--pwd --cwd",
    inherits: Inherits::Unless("-e --cleanenv -C --containall"),
    ..PLAIN
};
/// conda, mamba and micromamba.
pub(super) const CONDA: Wrapper = Wrapper {
    plain: "--no-capture-output --live-stream -s -v --verbose --dev --debug-wrapper-scripts -a --attach \
            --clean-env --clear-env -d --detach -vv",
    valued: "-n --name -p --prefix --cwd -e --env -r --root-prefix --label",
    sets: "-e --env",
    enters: "--cwd",
    ..PLAIN
};
