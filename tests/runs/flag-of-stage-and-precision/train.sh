#!/bin/bash
ACC="accelerate launch --config_file"
$ACC old.yaml --mixed_precision bf16 --zero_stage 2 train.py --config train.yaml
