accelerate launch --mixed_precision no --num_processes 1 train.py --config_file te.yaml
