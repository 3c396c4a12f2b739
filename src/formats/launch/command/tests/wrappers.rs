//! Commands inside others.

use std::collections::BTreeMap;

use super::super::super::{Folder, Term, words};
use super::{read, read_with, summaries};

#[test]
fn wrappers_are_taken_away() {
    for wrapper in [
        "env A=1 -u B",
        "env -i",
        "exec",
        "nohup",
        "time -p",
        "nice -n 10",
        "nice -10",
        "ionice -c2 -n 0",
        "stdbuf -oL -eL",
        "timeout -k 10 3h",
        "setsid -w",
        "sudo -E -u user A=1",
        "numactl --cpunodebind=0 --membind=0",
        "numactl -N 0 -m 0",
        "taskset -c 0-7",
        "srun",
        "srun --nodes=2 --ntasks 8 -c4 -l --kill-on-bad-exit=1",
        "srun -K1 --mpi=pmi2 --container-image x.sqsh",
        "srun $SRUN_ARGS",
        "srun --not-known value",
        "srun --gres=gpu:$N --job-name $NAME",
        "mpirun -np 8 -x A=1 --mca btl tcp --bind-to none -H a:8,b:8",
        "bsub -q gpu -n 4 -gpu num=4",
        "addqueue -q gpu -s -n 30 --gpus 1",
        "mpiexec -n $N",
        "horovodrun -np 8 -H localhost:8",
        "uv run",
        "uv run --with x --python 3.11 --env-file .env --project a --no-sync --",
        "uv --directory a run",
        "uvx --from accelerate",
        "uv tool run --from accelerate",
        "poetry run",
        "pdm run -p a",
        "pipenv run",
        "pixi run -e cuda",
        "hatch run",
        "conda run -n env --no-capture-output",
        "mamba run -n env",
        "docker run --rm -it --gpus all -v $PWD:/w -w /w -e A=1 --env-file .env image:tag",
        "docker compose run --rm trainer",
        "docker exec -it name",
        "kubectl exec -it pod -c main --",
        "apptainer exec --nv --env A=1 image.sif",
        "singularity exec --nv -B /data:/data image.sif",
        "dotenv run --",
        "dotenv -f .env run --",
        "screen -dmS name",
        "nsys profile -o out --trace=cuda,nvtx",
        "ncu --set full",
        "py-spy record -o out.svg --",
        "sudo nohup env A=1 time",
        "srun apptainer exec x.sif env A=1",
    ] {
        let text = format!("{wrapper} accelerate launch --cpu a.py b");
        assert_eq!(
            summaries(&text),
            "AccelerateLaunch: --cpu | a.py | b",
            "{text}"
        );
    }
}

#[test]
fn wrappers_change_environment_and_folder() {
    let start = |path: &str| Folder::Start(path.to_owned());
    for (wrapper, environment, folder) in [
        ("nohup", "A=0 B=0", start("")),
        ("env A=1 C=$X", "A=1 B=0 C=?", start("")),
        ("env -u A", "B=0", start("")),
        ("env -i A=1", "A=1", start("")),
        ("env -C sub", "A=0 B=0", start("sub")),
        ("sudo A=1", "A=1", start("")),
        ("sudo -E A=1", "A=1 B=0", start("")),
        ("srun --export=ALL,C=2,D=x", "A=0 B=0 C=2 D=x", start("")),
        ("srun --export=NONE", "", start("")),
        ("srun --export=A,C=2", "A=0 C=2", start("")),
        ("srun -D sub --chdir=sub/x", "A=0 B=0", start("sub/sub/x")),
        ("mpirun -np 2 -x A=1 -x B", "A=1 B=0", start("")),
        ("uv run --env-file .env", "A=0 B=0 FROM_FILE=1", start("")),
        ("uv run --directory sub", "A=0 B=0", start("sub")),
        (
            "docker run -e A -e C=1,2 image",
            "A=0 C=1,2",
            Folder::Unknown,
        ),
        (
            "apptainer exec --env A=1,C=2 image",
            "A=1 B=0 C=2",
            start(""),
        ),
        ("kubectl exec pod --", "", Folder::Unknown),
    ] {
        let text = format!("{wrapper} torchrun a.py");
        let found = read_with(&text, &[("A", "0"), ("B", "0")]);
        let command = &found.commands[0];
        let shown: Vec<String> = command
            .environment
            .iter()
            .map(|(name, value)| format!("{name}={}", value.known().unwrap_or("?")))
            .collect();
        assert_eq!(shown.join(" "), environment, "{text}");
        assert_eq!(command.folder, folder, "{text}");
    }
}

#[test]
fn what_a_wrapper_sets_has_its_place() {
    let found = read("srun --export=ALL,C=2,D=xy torchrun a.py");
    let environment: &BTreeMap<String, Term> = &found.commands[0].environment;
    assert_eq!(words::written(&environment["C"]), "2");
    assert_eq!(words::written(&environment["D"]), "xy");
}
