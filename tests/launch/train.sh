#!/bin/bash
#SBATCH --nodes=2
set -euo pipefail
export ACCELERATE_LOG_LEVEL=info
ZERO=3
FLAGS="--num_processes 8 --multi_gpu"

pip install 'accelerate==1.12.0' \
    'trl>=0.19'  # the trainer

cat > fsdp.yaml <<'END'
mixed_precision: fp8
END

accelerate launch $FLAGS --config_file fsdp.yaml \
    train.py --config_file its-own.yaml
srun --export=ALL,NCCL_DEBUG=INFO bash -c "accelerate launch --config_file configs/zero$ZERO.yaml -m trl.scripts.sft"
if [ -n "${SINGLE:-}" ]; then
    nohup torchrun --nproc-per-node 8 train.py > log.txt 2>&1 &
else
    trl sft --config recipe.yaml
fi
