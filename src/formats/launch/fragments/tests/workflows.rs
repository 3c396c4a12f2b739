use super::{assert_shown, place};

#[test]
fn github() {
    let workflow = "\
name: é
on: [push]
env:
  ACCELERATE_MIXED_PRECISION: fp8
  N: 8
defaults:
  run:
    working-directory: ./examples
jobs:
  train:
    env:
      MODEL: ${{ matrix.model }}
      N: 4
    steps:
      - uses: actions/checkout@v4
      - run: accelerate launch --num_processes ${{ env.N }} train.py '${{ matrix.x }}' $MODEL
        env: {ACCELERATE_MIXED_PRECISION: 'no', D: \"${{ env.N }}\"}
        working-directory: ${{ github.workspace }}/b
      - run: |
          # don't ${{ matrix.y }}
          accelerate launch \"${{ inputs.x }}\"
      - run: import accelerate
        shell: python
      - run: echo no
      - run: $RUN
        env: {RUN: accelerate launch x.py}
";
    assert_shown(&[(
        ".github/workflows/train.yml",
        workflow,
        &[
            "\"accelerate launch --num_processes 4 train.py ''\\\"${FP8LINT_UNKNOWN_1}\\\"'' $MODEL\" \
             1=<`${{ matrix.x }}` is filled in by GitHub> ACCELERATE_MIXED_PRECISION=fp8 N=8 \
             MODEL=<`${{ matrix.model }}` is filled in by GitHub> N=4 ACCELERATE_MIXED_PRECISION=no D=4 in b",
            "\"# don't ${FP8LINT_UNKNOWN_1}\\naccelerate launch \\\"${FP8LINT_UNKNOWN_2}\\\"\\n\" \
             1=<`${{ matrix.y }}` is filled in by GitHub> 2=<`${{ inputs.x }}` is filled in by GitHub> \
             ACCELERATE_MIXED_PRECISION=fp8 N=8 MODEL=<`${{ matrix.model }}` is filled in by GitHub> N=4 in examples",
            "\"$RUN\" ACCELERATE_MIXED_PRECISION=fp8 N=8 \
             MODEL=<`${{ matrix.model }}` is filled in by GitHub> N=4 RUN=accelerate launch x.py in examples",
        ],
    )]);
    let at = |word| place("a.yml", workflow, word);
    assert_eq!(at("train.py"), Some((16, 61, "train.py".to_owned())));
    assert_eq!(at("4"), Some((16, 48, "${{ env.N }}".to_owned())));
}

#[test]
fn composite_actions() {
    assert_shown(&[(
        "action.yml",
        "name: a\nruns:\n  using: composite\n  steps:\n    - shell: bash -el {0}\n      run: torchrun ${{ inputs.a }}\n",
        &["\"torchrun ${FP8LINT_UNKNOWN_1}\" 1=<`${{ inputs.a }}` is filled in by GitHub> in "],
    )]);
}

#[test]
fn gitlab() {
    assert_shown(&[(
        ".gitlab-ci.yml",
        "variables:\n  A: 1\ndefault:\n  before_script: [cd a]\ntrain:\n  variables: {B: x}\n  script:\n    - - pip install trl\n    - >-\n      accelerate launch\n      train.py\n",
        &["\"cd a\\npip install trl\\naccelerate launch train.py\\n\" A=1 B=x in "],
    )]);
}
