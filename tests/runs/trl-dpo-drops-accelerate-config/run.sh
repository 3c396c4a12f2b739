trl dpo --accelerate_config fp8.yaml --config dpo.yaml
