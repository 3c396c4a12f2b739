#!/usr/bin/env bash
set -eu
cat > fp8.yaml <<'YAML'
compute_environment: LOCAL_MACHINE
distributed_type: MULTI_GPU
mixed_precision: fp8
num_machines: 1
num_processes: 4
fp8_config:
  backend: TE
YAML
accelerate launch --config_file fp8.yaml grpo.py --config grpo.yaml
