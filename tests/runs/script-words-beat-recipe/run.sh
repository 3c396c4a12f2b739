accelerate launch --config_file te.yaml sft.py --config sft.yaml --bf16 false
