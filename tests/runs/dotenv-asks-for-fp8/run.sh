#!/bin/bash
set -a
source .env
set +a
torchrun --nproc_per_node 4 train.py --config train.yaml
