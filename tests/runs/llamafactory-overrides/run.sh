llamafactory-cli train full.yaml fp8=false
