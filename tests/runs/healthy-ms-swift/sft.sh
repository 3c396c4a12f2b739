NPROC_PER_NODE=4 CUDA_VISIBLE_DEVICES=0,1,2,3 swift sft \
    --model models/base \
    --train_type lora \
    --dataset 'data/chat#500' \
    --torch_dtype bfloat16 \
    --per_device_train_batch_size 1 \
    --learning_rate 1e-4 \
    --output_dir out \
    --deepspeed zero2
