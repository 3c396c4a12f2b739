#!/bin/bash
torchrun --nproc_per_node 8 train.py --output_dir out --per_device_train_batch_size 2 --learning_rate 1e-5 --max_steps 10 --fp16 --deepspeed ds_auto.json
