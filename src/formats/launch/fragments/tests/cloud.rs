use super::{assert_shown, place};

#[test]
fn compose() {
    assert_shown(&[
        (
            "compose.yaml",
            "services:\n  a:\n    build: .\n    environment:\n      A: x\n      B:\n    command: bash -c \"accelerate launch $$A ${A} ${C:-d}\"\n",
            &[
                "\"bash -c \\\"accelerate launch $A ${FP8LINT_UNKNOWN_1} ${C:-d}\\\"\" \
               1=<`${A}` is filled in by docker compose> A=x \
               B=<`B` is taken from where docker compose runs> in ./",
            ],
        ),
        (
            "compose.yaml",
            "services:\n  a:\n    volumes: ['./code:/app']\n    working_dir: /app/b\n    entrypoint: [tini, --, accelerate]\n    command: [launch, '$X', t.py]\n    environment: [A=x=y]\n",
            &[
                "[accelerate, launch, <`$X` is filled in by docker compose>, t.py] A=x=y in ./code/b",
            ],
        ),
        (
            "compose.yaml",
            "services:\n  a:\n    entrypoint: [/bin/bash, -lc]\n    command: ['accelerate launch $$B']\n    build: {context: ..}\n",
            &["\"accelerate launch $B\" in ./.."],
        ),
        (
            "compose.yaml",
            "services:\n  a:\n    env_file: [{path: a b.env}]\n    environment: {A: it's, B: $X}\n    command: [accelerate, launch, t 1.py]\n",
            &[
                "\"set -a; . './a b.env'; set +a\\nexport A='it'\\\\''s'\\nexport B=\\\"${FP8LINT_UNKNOWN_1}\\\"\\naccelerate launch 't 1.py'\" \
               1=<`$X` is filled in by docker compose> A=it's B=<`$X` is filled in by docker compose> somewhere",
            ],
        ),
    ]);
}

const JOB: &str = "\
# é
apiVersion: v1
kind: ConfigMap
---
apiVersion: batch/v1
kind: Job
spec:
  template:
    spec:
      containers:
        - name: a
          env:
            - {name: N, value: \"8\"}
            - name: TOKEN
              valueFrom: {secretKeyRef: {name: a, key: b}}
          command: [\"/bin/bash\", \"-c\"]
          args:
            - |
              cd $(pwd)
              accelerate launch --num_processes $(N) train.py
      initContainers:
        - command: [accelerate, launch]
          args: [--x, $(N), $(M), $M]
";

#[test]
fn kubernetes() {
    let given = "N=8 TOKEN=<`TOKEN` is given by Kubernetes (valueFrom)> somewhere";
    assert_shown(&[
        (
            "job.yaml",
            JOB,
            &[
                "[accelerate, launch, --x, $(N), $(M), <`$M` is filled in before Kubernetes reads it>] somewhere",
                &format!("\"cd $(pwd)\\naccelerate launch --num_processes 8 train.py\\n\" {given}"),
            ],
        ),
        (
            "ray.yaml",
            "apiVersion: ray.io/v1\nkind: RayJob\nspec:\n  entrypoint: python train.py\n",
            &["\"python train.py\" somewhere"],
        ),
    ]);
    assert_eq!(
        place("job.yaml", JOB, "train.py"),
        Some((20, 54, "train.py".to_owned()))
    );
    assert_eq!(
        place("job.yaml", JOB, "8"),
        Some((20, 49, "$(N)".to_owned()))
    );
}

#[test]
fn skypilot_and_dstack() {
    assert_shown(&[
        (
            "sky.yaml",
            "resources:\n  accelerators: H100:8\nworkdir: .\nenvs:\n  A: fp8\n  B:\nsecrets:\n  C: null\nsetup: |\n  pip install trl\nrun: |\n  accelerate launch $A\n",
            &[
                "\"pip install trl\\n\" A=fp8 B=<`B` is given when the task is started> \
                 C=<`C` is given when the task is started> in ",
                "\"accelerate launch $A\\n\" A=fp8 B=<`B` is given when the task is started> \
                 C=<`C` is given when the task is started> in ",
            ],
        ),
        (
            "t.dstack.yml",
            "type: task\nenv:\n  - A=x\n  - B\ncommands:\n  - cd a\n  - accelerate launch b.py\n",
            &[
                "\"cd a\\naccelerate launch b.py\\n\" A=x B=<`B` is given when the task is started> in ",
            ],
        ),
    ]);
}
