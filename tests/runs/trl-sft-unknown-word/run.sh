trl sft --config sft.yaml
