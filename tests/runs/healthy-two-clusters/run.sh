#!/bin/bash
accelerate launch --config_file acc/${CLUSTER}.yaml --num_processes ${GPUS:?} train.py --config train.yaml
