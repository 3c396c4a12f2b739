torchrun --nproc_per_node 2 grpo.py --config grpo.yaml
