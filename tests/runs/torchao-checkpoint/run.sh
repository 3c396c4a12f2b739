accelerate launch --config_file ao.yaml train.py recipe.yaml
