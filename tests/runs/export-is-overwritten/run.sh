export ACCELERATE_MIXED_PRECISION=bf16
OMP_NUM_THREADS=8 accelerate launch --config_file te.yaml train.py --config train.yaml
