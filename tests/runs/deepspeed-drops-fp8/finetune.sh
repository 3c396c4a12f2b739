#!/bin/sh
export TOKENIZERS_PARALLELISM=false
nohup accelerate launch --config_file=z3_fp8.yaml finetune.py conf.yaml > log.txt 2>&1 &
