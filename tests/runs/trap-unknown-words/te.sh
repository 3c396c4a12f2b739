accelerate launch --config_file te.yaml sft.py --config sft.yaml $EXTRA_ARGS
