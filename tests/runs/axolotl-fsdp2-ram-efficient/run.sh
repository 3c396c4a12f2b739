#!/bin/bash
set -e
accelerate launch -m axolotl.cli.train conf/full.yml
