accelerate launch --config_file te.yaml -m swift.cli.sft --model models/base --train_type full --dataset data/chat --torch_dtype bfloat16 --output_dir out
