#!/usr/bin/env bash
set -x
torchrun --nnodes 1 --nproc_per_node 8 --master_port 29501 \
  src/train.py \
  --do_train \
  --output_dir out \
  --per_device_train_batch_size 4 \
  --learning_rate 1e-5 \
  --num_train_epochs 3 \
  --deepspeed conf/ds_z2.json
