accelerate launch --config_file ddp.yaml sft.py --config lora.yaml
