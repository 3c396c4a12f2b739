#!/usr/bin/env bash
cd "$(dirname "$0")/.."
FORCE_TORCHRUN=1 llamafactory-cli train examples/full_fp8.yaml
