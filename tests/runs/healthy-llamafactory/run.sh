#!/bin/bash
FORCE_TORCHRUN=1 NNODES=1 llamafactory-cli train examples/lora_ds3.yaml learning_rate=2.0e-5
llamafactory-cli export examples/merge.yaml
