torchrun --nproc_per_node 8 run_clm.py --output_dir out --per_device_train_batch_size 4 --learning_rate 1e-4 --max_steps 10 --fp16 --bf16
