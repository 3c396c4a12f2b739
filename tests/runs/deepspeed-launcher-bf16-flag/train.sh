#!/bin/bash
MODEL=models/base
deepspeed --num_gpus 8 train.py \
    --model_name_or_path $MODEL \
    --output_dir out/sft \
    --per_device_train_batch_size 2 \
    --gradient_accumulation_steps 4 \
    --learning_rate 2e-5 \
    --max_steps 1000 \
    --bf16 True \
    --deepspeed zero2.json
