accelerate-launch --config_file te.yaml train.py --config train.yaml
