accelerate launch --config_file te.yaml train.py recipe.yaml
