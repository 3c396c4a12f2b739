cd "$(dirname "$0")"
ACCELERATE_MIXED_PRECISION=fp8 torchrun --nproc_per_node 2 train.py --config recipe.yaml
