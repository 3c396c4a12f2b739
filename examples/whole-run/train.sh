#!/usr/bin/env bash
#SBATCH --gres=gpu:8
set -euo pipefail

CONFIG=accelerate.yaml
ARGS=(--config recipe.yaml)

srun accelerate launch --config_file "$CONFIG" sft.py "${ARGS[@]}"
