#!/bin/bash
#SBATCH -J run
#SBATCH --gres=gpu:8
HERE=$(dirname "$(realpath "$0")")
CONFIGS=(te.yaml)
for config in "${CONFIGS[@]}"; do
  srun conda run -n train accelerate launch --config_file "$config" train.py --config train.yaml
done
