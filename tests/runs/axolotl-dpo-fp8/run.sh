axolotl train dpo.yml
