llamafactory-cli train q.yaml
