#!/bin/bash
accelerate launch --config_file accelerate_ds.yaml train.py --config train.yaml
