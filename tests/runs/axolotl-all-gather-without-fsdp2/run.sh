axolotl train full.yml
