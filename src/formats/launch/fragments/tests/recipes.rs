use super::{assert_shown, place};

const MAKEFILE: &str = "\
# é
N := 8
CONFIG ?= configs/fsdp.yaml # the default
ARGS = --num_processes $(N) \\
  $(MORE)
MORE = --config_file $(CONFIG)
MORE += $(X)
export WANDB = a$$b
ifdef A
B = 1
else
B = 2
endif
ifndef C
C = 3
endif
export
define D
accelerate
endef

train: export N := 4
train: data
\t@echo no
\t-@accelerate launch $(ARGS) \\
\t  train.py $$HOME ${B} $@ $(shell ls $(N))
eval:
\taccelerate launch $C $(N) '$(D)'
";

#[test]
fn makefiles() {
    let given = |n, more| {
        format!(
            "ARGS=<{more}> B=<`B` depends on a condition of the Makefile> C=3 CONFIG=configs/fsdp.yaml \
             D=<`D` is a `define` of the Makefile> MORE=<{more}> N={n} WANDB=a$b in ./"
        )
    };
    let missing = "`$(X)` is not assigned in this Makefile";
    assert_shown(&[
        (
            "Makefile",
            MAKEFILE,
            &[
                &format!(
                    "\"accelerate launch --num_processes 4 --config_file configs/fsdp.yaml ${{FP8LINT_UNKNOWN_1}} \\\\\\n  train.py $HOME ${{FP8LINT_UNKNOWN_2}} train ${{FP8LINT_UNKNOWN_3}}\" \
                     1=<{missing}> 2=<`B` depends on a condition of the Makefile> 3=<`$(shell ls $(N))` is worked out by make> {}",
                    given(4, missing)
                ),
                &format!(
                    "\"accelerate launch 3 8 ''\\\"${{FP8LINT_UNKNOWN_1}}\\\"''\" 1=<`D` is a `define` of the Makefile> {}",
                    given(8, missing)
                ),
            ],
        ),
        (
            "a/rules.mk",
            ".ONESHELL:\nRUN = accelerate launch\na b: X = 1\na b:\n\t@cd x\n\t$(RUN) $(X) $@\n",
            &[
                "\"cd x\\naccelerate launch 1 ${FP8LINT_UNKNOWN_1}\\n\" 1=<`$(@)` is worked out by make> in ",
            ],
        ),
        (
            "Makefile",
            "A = $(B)\nB = $(A)\nC := accelerate\nC := $(C) launch\nt:\n\t$(C) $(A)\n",
            &["\"accelerate launch ${FP8LINT_UNKNOWN_1}\" 1=<`A` is assigned from itself> in ./"],
        ),
    ]);
    let at = |word| place("Makefile", MAKEFILE, word);
    assert_eq!(at("train.py"), Some((26, 4, "train.py".to_owned())));
    let text = "N = 8\nt:\n\ttorchrun $(N)\n";
    assert_eq!(
        place("Makefile", text, "8"),
        Some((3, 11, "$(N)".to_owned()))
    );
}

const JUSTFILE: &str = "\
# é
set dotenv-load
config := \"configs/fsdp.yaml\" # c
dir := 'a' / \"b\" + '_c'
n := env(\"N\", \"8\")
export P := 'fp8'
alias t := train

[no-cd]
train model=\"m\" $x='1' *args: build
    @accelerate launch --config_file {{config}} \\
      {{ dir }} {{model}} '{{n}}' {{args}} {{{{

script:
  #!/usr/bin/env bash
  set -e
  if true; then
    accelerate launch
  fi

other:
  #!/usr/bin/env python
  import accelerate
";

#[test]
fn justfiles() {
    assert_shown(&[(
        "justfile",
        JUSTFILE,
        &[
            "\"set -a; . ./.env; set +a\\nexport P=fp8\\nexport x=1\\naccelerate launch --config_file configs/fsdp.yaml \\\\\\n  \
             a/b_c m ''\\\"${FP8LINT_UNKNOWN_1}\\\"'' ${FP8LINT_UNKNOWN_2} {{\\n\" \
             1=<`env(\"N\", \"8\")` is worked out by just> 2=<`args` is given when the recipe is run> P=fp8 x=1 in ",
            "\"set -a; . ./.env; set +a\\nexport P=fp8\\n#!/usr/bin/env bash\\nset -e\\nif true; then\\n  accelerate launch\\nfi\\n\\n\" \
             P=fp8 in ./",
        ],
    )]);
    assert_eq!(
        place("justfile", JUSTFILE, "m "),
        Some((12, 17, "{{model}} ".to_owned()))
    );
}

#[test]
fn scripts() {
    assert_shown(&[(
        "a.sh",
        "accelerate\ttrain.py é\n",
        &["\"accelerate\\ttrain.py é\\n\" in "],
    )]);
    assert_eq!(
        place("a.sh", "é\r\naccelerate\té x\r\n", "x"),
        Some((2, 14, "x".to_owned()))
    );
}

#[test]
fn vscode() {
    let text = "{ // é\n  \"configurations\": [\n    {\"type\": \"debugpy\", \"module\": \"accelerate.commands.launch\", /* x */ \"args\": [\"${workspaceFolder}/t.py\", \"${file}\",],\n     \"env\": {\"A\": \"${workspaceFolder}\"}, \"cwd\": \"${workspaceFolder}/a/b\"},\n    {\"program\": \"${workspaceFolder}/t.py\", \"args\": \"--fp8 x\"},\n    {\"program\": \"t.py\", \"envFile\": \"${workspaceFolder}/.env\"},\n  ]\n}\n// accelerate\n";
    assert_shown(&[(
        ".vscode/launch.json",
        text,
        &[
            "[python, -m, accelerate.commands.launch, ../../t.py, <`${file}` is filled in by Visual Studio Code>] A=../../. in a/b",
            "[python, t.py, --fp8, x] in ",
            "\"set -a; . ./.env; set +a\\npython t.py\" in ",
        ],
    )]);
    assert_eq!(
        place("launch.json", text, "x"),
        Some((5, 59, "x".to_owned()))
    );
}
