cd "$(dirname "$0")/.."
accelerate launch --config_file te.yaml train.py --config recipe.yaml --seed 4
