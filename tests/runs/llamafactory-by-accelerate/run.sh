accelerate launch --config_file fsdp.yaml src/train.py qlora.yaml
