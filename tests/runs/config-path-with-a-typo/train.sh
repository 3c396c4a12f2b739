#!/bin/bash
cd "$(dirname "$0")"
accelerate launch --config_file configs/fp8_gpus.yaml train.py --config train.yaml
