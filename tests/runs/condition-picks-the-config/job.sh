#!/bin/bash
MODE=fp8
if [ "$MODE" = "fp8" ]; then
  CONFIG=te.yaml
else
  CONFIG=bf16.yaml
fi
accelerate launch --config_file $CONFIG train.py --config train.yaml
