#!/usr/bin/env bash
set -euo pipefail
GPUS=${GPUS:-8}
args=(
  --model_name_or_path models/gpt   # the base
  --dataset_name data/wiki
  --output_dir out/clm
  --per_device_train_batch_size 8
  --learning_rate 5e-5
  --do_train --do_eval
  --bf16
)
torchrun --nproc_per_node "$GPUS" run_clm.py "${args[@]}" "$@"
