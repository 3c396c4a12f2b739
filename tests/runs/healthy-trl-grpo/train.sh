#!/bin/bash
CUDA_VISIBLE_DEVICES=7 trl vllm-serve --model models/base &
sleep 60
CUDA_VISIBLE_DEVICES=0,1,2,3,4,5,6 accelerate launch --config_file zero2.yaml --num_processes=7 grpo.py --config grpo.yaml --vllm_mode server
