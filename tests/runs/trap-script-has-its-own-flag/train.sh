#!/bin/bash
accelerate launch --num_cpu_threads_per_process 2 train_network.py \
  --pretrained_model_name_or_path models/sd --output_dir out --mixed_precision bf16 --save_precision bf16
accelerate launch main.py --mixed-precision=fp16
accelerate launch --mixed_precision bf16 flux_train.py --save_precision bf16 --mixed_precision bf16
