git clone https://example.org/trainer.git && cd trainer
accelerate launch --config_file configs/fp8.yaml train.py --config configs/sft.yaml
