#!/bin/bash
CONFIG=${1:-acc.yaml}
accelerate launch --config_file "$CONFIG" train.py
