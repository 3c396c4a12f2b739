accelerate launch --config_file ds.yaml --mixed_precision fp8 train.py
