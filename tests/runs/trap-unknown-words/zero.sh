accelerate launch --config_file zero.yaml train.py --output_dir out --per_device_train_batch_size 2 --learning_rate 1e-5 --max_steps 9 $ARGS
