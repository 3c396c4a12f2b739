llamafactory-cli train full.yaml
