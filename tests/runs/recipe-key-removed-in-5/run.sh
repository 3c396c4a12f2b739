accelerate launch train.py recipe.yaml
