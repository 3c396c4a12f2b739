accelerate launch --config_file ddp.yaml train.py --config train.yaml
