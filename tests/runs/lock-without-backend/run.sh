accelerate launch --config_file fp8.yaml train.py --config train.yaml
