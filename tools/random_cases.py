#!/usr/bin/env python3
"""
Random cases of the oracle's batch contract, the same for the same seed.

  python3 tools/random_cases.py --seed 1 --count 1000 [--versions 1.9.0,1.15.0] > cases.jsonl   (default: every release)
  $ORACLE_HOME/venv/bin/python ../shared/oracle/oracle.py --batch cases.jsonl --out answers.jsonl --jobs 2
  python3 tools/random_cases.py --join cases.jsonl answers.jsonl > recorded.jsonl
  python3 tools/agreement.py recorded.jsonl

Each case starts from a plausible accelerate config and is then bent: wrong types, wrong places, misspellings, flags,
environment, other hardware and packages, arguments in code, a DeepSpeed file. Releases before 1.9.0 also get the keys,
flags and types that only they have.
"""

import argparse
import json
import os
import random
import sys

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "src", "knowledge", "data", "accelerate.json")
BACKENDS = ["AO", "TE", "MSAMP", "NO", "ao", "te", "msamp", "auto", "fp8", "MS-AMP", "torchao", "", None, True, False]
PRECISIONS = ["fp8"] * 24 + ["bf16", "bf16", "fp16", "no", "bf16", "fp16", "no", "FP8", "Bf16", "fp32", "", None, False, True, 8, "fp8row"]
INSTALLED = [
    ["torchao"],
    ["transformer_engine"],
    ["msamp"],
    ["torchao", "transformer_engine"],
    ["torchao", "transformer_engine", "msamp"],
    ["transformer_engine==1.13.0"],
    ["transformer_engine", "msamp"],
    [],
]
TRUTH = [True, False, "true", "false", "yes", "no", "maybe", 1, 0, None, "True"]
FILE = {"zero_optimization": {"stage": 2}, "train_micro_batch_size_per_gpu": 1}


class Case:
    def __init__(self, random_numbers, version, trains=False):
        self.random = random_numbers
        self.trains = trains
        self.version = version
        numbers = tuple(int(part) for part in version.split("."))
        self.older = numbers < (1, 9)
        self.knows_fp8_config = numbers >= (0, 34)

    def chance(self, share):
        return self.random.random() < share

    def pick(self, values):
        return self.random.choice(values)

    def recipe(self):
        recipe = {}
        if self.chance(0.8):
            recipe["backend"] = self.pick(BACKENDS[:3]) if self.chance(0.6) else self.pick(BACKENDS)
        options = {
            "fp8_format": ["HYBRID", "E4M3", "E5M2", "hybrid", "auto", None],
            "format": ["E4M3"],
            "margin": [0, 3, "2", 1.5, "x", None],
            "interval": [1, 4, "a"],
            "amax_history_len": [16, "32", 1024, 1.0],
            "amax_history_length": [16],
            "amax_compute_algo": ["max", "most_recent", "MAX", "min"],
            "amax_compute_algorithm": ["max"],
            "override_linear_precision": [
                [False, False, False], [True, False, False], [False, False, True], [False], False, True,
                "(false, false, false)", "false,false,false", "101", None, 0, [0, 0, 1, 1], {"0": 1}, [None, 1, 2],
            ],
            "use_autocast_during_eval": TRUTH,
            "use_mxfp8_block_scaling": TRUTH,
            "opt_level": ["O1", "O2", "O3", "o1", 2],
            "optimization_level": ["O1"],
            "pad_inner_dim": TRUTH,
            "enable_fsdp_float8_all_gather": TRUTH,
            "fp8_recipe": ["tensorwise"],
        }
        for key, values in options.items():
            if self.chance(0.07):
                recipe[key] = self.pick(values)
        return recipe

    def fsdp(self):
        section = {}
        if self.chance(0.5):
            section["fsdp_version"] = self.pick([1, 2, 2, 2, "2", "1", 3, "two", None])
        options = {
            "fsdp_cpu_ram_efficient_loading": [True, False, False, False, "false", "no", None, "x"],
            "fsdp_sync_module_states": [True, False, "true"],
            "fsdp_auto_wrap_policy": ["TRANSFORMER_BASED_WRAP", "SIZE_BASED_WRAP", "NO_WRAP", "transformer_based_wrap", "WRAP"],
            "fsdp_sharding_strategy": ["FULL_SHARD", 1, "HYBRID_SHARD_ZERO2", 9, "full"],
            "fsdp_reshard_after_forward": [True, False, "FULL_SHARD", "maybe"],
            "fsdp_state_dict_type": ["FULL_STATE_DICT", "SHARDED_STATE_DICT", "LOCAL_STATE_DICT", "x"],
            "fsdp_backward_prefetch": ["BACKWARD_PRE", "NO_PREFETCH", "BACKWARD_POST", "PRE"],
            "fsdp_offload_params": [True, False, "maybe"],
            "fsdp_use_orig_params": [True, False, "x"],
            "fsdp_activation_checkpointing": [True, False],
            "fsdp_activation_checkpointing_offload": [True, False],
            "cpu_ram_efficient_loading": [False],
            "fp8": [True, {"backend": "auto"}],
            "fp8_backend": ["TE"],
            "mixed_precision": ["fp8"],
            "fsdp_min_num_params": [0, 1000, "x"],
        }
        if self.older:
            options["fsdp_backward_prefetch_policy"] = ["BACKWARD_PRE", "NO_PREFETCH", "backward_post"]
            options["fsdp_sharding_strategy"] = ["FULL_SHARD", 1, 1, 2, "1", "HYBRID_SHARD_ZERO2", 9, "full", "full_shard"]
            options["my_fsdp_key"] = [1]
        for key, values in options.items():
            if self.chance(0.2):
                section[key] = self.pick(values)
        return section

    def deepspeed(self):
        section = {"zero_stage": self.pick([0, 1, 2, 3, 2, "2", "two"])} if self.chance(0.85) else {}
        options = {
            "gradient_accumulation_steps": [1, 4, "auto", "8"],
            "gradient_clipping": [1.0, "auto", "x"],
            "offload_optimizer_device": ["none"],
            "offload_param_device": ["none", "cpu"],
            "zero3_init_flag": [True, False, "maybe"],
            "zero3_save_16bit_model": [True, False],
            "mixed_precision": ["fp8", "bf16"],
            "fp8_backend": ["TE", "AO"],
            "fp8": [True],
            "deepspeed_multinode_launcher": ["standard", "pdsh"],
        }
        for key, values in options.items():
            if self.chance(0.15):
                section[key] = self.pick(values)
        return section

    def config(self, files):
        kind = self.pick(["NO", "NO", "MULTI_GPU", "MULTI_GPU", "FSDP", "FSDP", "FSDP", "DEEPSPEED", "DEEPSPEED", "MULTI_CPU"])
        if self.chance(0.04):
            kind = self.pick(["XLA", "MEGATRON_LM", "TPU", "multi_gpu", None, False, "DDP"])
        if self.older and self.chance(0.04):
            kind = self.pick(["TPU", "TP", "MPS", "MULTI_XPU", "MULTI_NPU"])
        config = {
            "compute_environment": "LOCAL_MACHINE",
            "distributed_type": kind,
            "mixed_precision": self.pick(PRECISIONS),
            "num_processes": 1 if kind == "NO" else self.pick([2, 4, 8, 8, 8, 1, "8", "auto", -1, 0, None, 8.0]) if self.chance(0.15) else 8,
            "num_machines": 1,
            "machine_rank": 0,
        }
        if self.chance(0.6 if self.knows_fp8_config else 0.06):
            config["fp8_config"] = self.recipe()
        elif self.chance(0.1):
            config["fp8_config"] = self.pick([True, False, "AO", ["TE"], [], None, 0, {1: 2}])
        if kind == "FSDP" or self.chance(0.05):
            config["fsdp_config"] = self.fsdp()
        if kind == "DEEPSPEED" or self.chance(0.05):
            config["deepspeed_config"] = self.deepspeed()
            if self.chance(0.3):
                config["deepspeed_config"] = {"deepspeed_config_file": "ds.json"}
                if self.chance(0.6):
                    config.pop("mixed_precision")
                if self.chance(0.2):
                    config["deepspeed_config"]["zero_stage"] = 2
                files["ds.json"] = self.deepspeed_file()
        self.bend(config)
        return config

    def deepspeed_file(self):
        content = json.loads(json.dumps(FILE))
        if self.chance(0.4):
            content["bf16"] = {"enabled": self.pick([True, False, "auto", "true"])}
        if self.chance(0.3):
            content["fp16"] = {"enabled": self.pick([True, False, "auto"])}
        if self.chance(0.1):
            content.pop("zero_optimization")
        if self.chance(0.2):
            content["gradient_clipping"] = "auto"
        if self.chance(0.1):
            content["wall_clock_breakdown"] = "auto"
        return "{" if self.chance(0.03) else json.dumps(content)

    def bend(self, config):
        extra = {
            "fp8": [True, {"backend": "auto"}],
            "fp8_backend": ["TE"],
            "use_cpu": [True, False, "yes", None],
            "debug": [True, False],
            "gpu_ids": ["all", "0", "0,1", 0, None],
            "dynamo_config": [{}, {"dynamo_backend": "INDUCTOR"}, {"backend": "no"}, {"dynamo_backend": "x"}, {"fp8_backend": "TE"}],
            "dynamo_backend": ["NO", "no", "INDUCTOR", False],
            "downcast_bf16": ["no", True],
            "fp16": [True, False],
            "same_network": [True],
            "rdzv_backend": ["static", "c10d"],
            "main_process_port": [29500, None, 0],
            "enable_cpu_affinity": [True, False],
            "tpu_env": [[]],
            "main_training_function": ["main"],
            "parallelism_config": [{}, {"parallelism_config_dp_shard_size": 8}, {"parallelism_config_dp_replicate_size": 2}],
            "ipex_config": [{}],
            "megatron_lm_config": [{}, {"megatron_lm_tp_degree": 2}],
            "foo": [1],
        }
        if self.older:
            extra["tp_config"] = [{}, {"tp_size": 2}, {"tp_size": 8}, None]
            extra["mpirun_config"] = [{}, {"mpirun_ccl": "1"}, None]
            extra["dynamo_config"] = extra["dynamo_config"] + ["INDUCTOR", ["x"], True]
            extra["command_file"] = [None]
            extra["use_cpu"] = extra["use_cpu"] + [True]
            extra["debug"] = extra["debug"] + [None]
        for key, values in extra.items():
            if self.chance(0.02):
                config[key] = self.pick(values)
        for key in list(config):
            if self.chance(0.01):
                config.pop(key)
        if self.chance(0.02):
            config["num_machines"] = self.pick([2, "2", None, 1.0])

    def build(self, number):
        files, case = {}, {"id": f"random {number}@{self.version}", "accelerate": self.version}
        config = self.config(files)
        if self.chance(0.08):
            case["config_text"], case["config_ext"] = json.dumps(config), ".json"
        else:
            case["config_text"] = dump(config)
        installed = list(self.pick(INSTALLED))
        if config.get("distributed_type") == "DEEPSPEED" or self.chance(0.05):
            installed += ["deepspeed"] if self.chance(0.95) else []
        if config.get("distributed_type") in (("XLA", "TPU") if self.older else ("XLA",)) and self.chance(0.8):
            installed += ["torch_xla"]
        case["installed"] = installed
        if files:
            case["files"] = files
        if self.chance(0.12):
            flags = [
                "--mixed_precision fp8", "--mixed_precision bf16", "--mixed-precision=no", "--mixed_precision fp32",
                "--fp8_backend te", "--fp8_backend ao", "--fp8_format E4M3", "--cpu", "--multi_gpu", "--use_fsdp",
                "--num_processes 8", "--num_processes 1", "--fp8_override_linear_precision true,false,false",
                "--fsdp_version 2 --use_fsdp", "--fsdp_cpu_ram_efficient_loading false", "--use_deepspeed --zero_stage 2",
                "--debug", "--unknown", "--fp8_margin x", "--downcast_bf16", "--fp8_opt_level O1", "-m", "--gpu_ids 0,1",
                "--fp8_pad_inner_dim false", "--main_process_port 29501", "--dynamo_backend inductor",
            ]
            if self.older:
                flags += ["--use_tp", "--mps", "--tp_size 8 --use_tp", "--fsdp_sharding_strategy 1 --use_fsdp", "--multi-gpu",
                          "--fsdp_backward_prefetch_policy BACKWARD_PRE", "--use_xpu", "--ipex", "--use_megatron_lm"]
            case["launch"] = " ".join(self.random.sample(flags, self.pick([1, 1, 2])))
        if self.chance(0.1):
            case["env"] = self.pick([
                {"ACCELERATE_FP8_BACKEND": "TE"}, {"ACCELERATE_FP8_BACKEND": "AO"}, {"ACCELERATE_FP8_BACKEND": "te"},
                {"ACCELERATE_MIXED_PRECISION": "fp8"}, {"ACCELERATE_FP8_FORMAT": "E4M3"}, {"OMP_NUM_THREADS": "4"},
                {"ACCELERATE_USE_FSDP": "True", "ACCELERATE_MIXED_PRECISION": "bf16"},
            ] + ([{"ACCELERATE_USE_DEEPSPEED": "true"}, {"WORLD_SIZE": "2", "RANK": "0"}] if self.older else []))
        if self.chance(0.1):
            case["capability"] = self.pick(["8.0", "7.5", "8.9", "10.0", "12.0"])
        if self.chance(0.06):
            case["gpus"] = self.pick([0, 1, 2])
        if self.chance(0.08):
            case["mode"] = self.pick(["python", "torchrun"])
        if self.chance(0.12):
            case["code"] = self.pick([
                {"mixed_precision": "fp8"}, {"mixed_precision": "bf16"}, {"mixed_precision": "fp16"}, {"mixed_precision": "x"},
                {"kwargs_handlers": [["AORecipeKwargs", {}]]}, {"mixed_precision": "fp8", "kwargs_handlers": [["TERecipeKwargs", {}]]},
                {"mixed_precision": "fp8", "kwargs_handlers": [["MSAMPRecipeKwargs", {"opt_level": "O1"}]]}, {"cpu": True},
                {"kwargs_handlers": [["TERecipeKwargs", {"fp8_format": "E4M3"}]]},
            ] + ([
                {"kwargs_handlers": [["FP8RecipeKwargs", {}]]}, {"mixed_precision": "fp8", "kwargs_handlers": [["FP8RecipeKwargs", {}]]},
                {"mixed_precision": "fp8", "kwargs_handlers": [["FP8RecipeKwargs", {"backend": "te"}]]},
                {"mixed_precision": "fp8", "kwargs_handlers": [["FP8RecipeKwargs", {"fp8_format": "E4M3"}]]},
                {"kwargs_handlers": [["FP8RecipeKwargs", {"fp8_format": "HYBRID", "amax_history_len": 32}]]},
                {"mixed_precision": "fp8"}, {"mixed_precision": "fp8"},
            ] if self.older else []))
        if self.chance(0.03):
            case["default_config"] = True
        if self.trains:
            # With the newest transformers that the oracle has, `Accelerator()` follows in the same process.
            arguments = self.pick([{}, {"bf16": True}, {"fp16": True}, {"bf16": False}, {"bf16_full_eval": True}, {"bf16": "false"}, {"bf16": True, "fp16": True}, {"fp16_full_eval": True, "bf16_full_eval": True}])
            if self.chance(0.1):
                arguments = {**arguments, "half_precision_backend": self.pick(["auto", "cuda_amp", "cpu_amp"])}
            if self.chance(0.15):
                arguments = {**arguments, "fsdp": self.pick(["full_shard", "full_shard auto_wrap", "shard_grad_op", ""]),
                             "fsdp_config": self.pick([{}, {"cpu_ram_efficient_loading": True}, {"fsdp_cpu_ram_efficient_loading": "true"}, {"sync_module_states": False}, {"use_orig_params": "false"}])}
            if self.chance(0.12):
                case["files"] = {**files, "ds.json": self.deepspeed_file()}
                arguments = {**arguments, "deepspeed": "ds.json"}
            if self.chance(0.05):
                arguments = {**arguments, "accelerator_config": self.pick([{"split_batches": True}, {"mixed_precision": "fp8"}])}
            case["code"] = {"training_args": arguments}
        return case


def dump(value, indent=0):
    """YAML by hand, so that no library quotes what a person would not."""
    lines = []
    for key, item in value.items():
        head = " " * indent + f"{key}:"
        if isinstance(item, dict) and item:
            lines += [head, dump(item, indent + 2).rstrip("\n")]
        else:
            lines.append(f"{head} {flow(item)}")
    return "\n".join(lines) + "\n"


def flow(item):
    if item is None:
        return "null"
    if isinstance(item, bool):
        return str(item).lower()
    if isinstance(item, (list, dict)):
        return json.dumps(item)
    if isinstance(item, str) and item.lower() in ("", "no", "yes", "on", "off", "true", "false", "null", "1", "2", "8", "101", "32"):
        return f"'{item}'"
    return str(item)


def join(cases, answers):
    with open(cases, encoding="utf-8") as left, open(answers, encoding="utf-8") as right:
        for case, result in zip(left, right, strict=True):
            print(json.dumps({"case": json.loads(case), "result": json.loads(result)}))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--count", type=int, default=1000)
    arguments.add_argument("--versions", help="comma-separated; every known release by default")
    arguments.add_argument("--training-args", action="store_true", help="every case builds TrainingArguments first")
    arguments.add_argument("--join", nargs=2, metavar=("CASES", "ANSWERS"))
    options = arguments.parse_args()
    if options.join:
        return join(*options.join)
    numbers = random.Random(options.seed)
    with open(DATA, encoding="utf-8") as data:
        versions = options.versions.split(",") if options.versions else json.load(data)["releases"]
    for number in range(options.count):
        print(json.dumps(Case(numbers, numbers.choice(versions), options.training_args).build(number)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
