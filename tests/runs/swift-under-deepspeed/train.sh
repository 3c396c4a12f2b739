accelerate launch --config_file accelerate.yaml swift/cli/sft.py \
  --model org/model --torch_dtype bfloat16 --dataset org/data \
  --learning_rate 1e-4 --gradient_accumulation_steps 16
