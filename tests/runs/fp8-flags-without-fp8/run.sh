accelerate launch --config_file ddp.yaml --fp8_format E4M3 --fp8_amax_history_len 32 train.py recipe.yaml
