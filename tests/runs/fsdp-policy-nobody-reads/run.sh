accelerate launch --config_file fsdp.yaml train.py --config train.yaml
