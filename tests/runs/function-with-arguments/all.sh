#!/bin/bash
launch() {
  local config=$1; shift
  accelerate launch --config_file "$config" "$@"
}
launch te.yaml train.py --config train.yaml
