#!/usr/bin/env python3
"""
The same cases under every release, in the oracle's batch contract: where one release changes from the other.

  python3 tools/boundary_cases.py [--versions 1.9.0,1.15.0] > cases.jsonl   (default: every release)
  $ORACLE_HOME/venv/bin/python ../shared/oracle/oracle.py --batch cases.jsonl --out answers.jsonl --jobs 2
  python3 tools/random_cases.py --join cases.jsonl answers.jsonl > recorded.jsonl
  python3 tools/agreement.py recorded.jsonl
  python3 tools/select_recorded.py --boundaries recorded.jsonl > tests/recorded/boundaries.jsonl
"""

import argparse
import json

from random_cases import DATA


def yaml(**keys):
    """Every JSON value is YAML."""
    return "".join(f"{key}: {json.dumps(value)}\n" for key, value in keys.items())


def json_text(**keys):
    return json.dumps(keys)


NO = dict(compute_environment="LOCAL_MACHINE", distributed_type="NO", mixed_precision="fp8", num_processes=1)
MULTI_GPU = dict(NO, distributed_type="MULTI_GPU", num_processes=8)
FSDP = dict(NO, distributed_type="FSDP", num_processes=8)
DEEPSPEED = dict(NO, distributed_type="DEEPSPEED", num_processes=8)
ALL = ["torchao", "transformer_engine", "msamp", "deepspeed"]
CASES = [
    (yaml(**NO), dict(installed=["transformer_engine"])),
    (yaml(**MULTI_GPU), dict(installed=ALL)),
    (yaml(**NO), dict(installed=["transformer_engine"], capability="8.9")),
    (yaml(**NO), dict(installed=["transformer_engine"], capability="8.0")),
    (yaml(**NO), dict(installed=["transformer_engine"], gpus=0)),
    (yaml(**MULTI_GPU), dict(installed=["transformer_engine"], gpus=0)),
    (yaml(**MULTI_GPU, use_cpu=True), dict(installed=["transformer_engine"])),
    (yaml(**dict(MULTI_GPU, mixed_precision="bf16")), dict(installed=[], gpus=0)),
    (yaml(**dict(FSDP, mixed_precision="bf16")), dict(installed=[])),
    (yaml(**dict(FSDP, mixed_precision="fp16"), fsdp_config={"fsdp_sharding_strategy": 1, "fsdp_version": 2}), dict(installed=[])),
    (yaml(**dict(FSDP, mixed_precision="bf16"), fsdp_config={"fsdp_sharding_strategy": "1", "fsdp_version": 2, "fsdp_state_dict_type": "FULL_STATE_DICT"}), dict(installed=[])),
    (yaml(**FSDP, fsdp_config={"fsdp_sharding_strategy": "full_shard"}), dict(installed=["transformer_engine"])),
    (
        yaml(**dict(FSDP, mixed_precision="no"), fsdp_config={"fsdp_sharding_strategy": 2, "fsdp_backward_prefetch": "backward_pre", "fsdp_offload_params": "yes"}),
        dict(installed=[]),
    ),
    (
        yaml(**dict(FSDP, mixed_precision="bf16"), fsdp_config={"fsdp_sharding_strategy": 2, "fsdp_cpu_ram_efficient_loading": True, "fsdp_sync_module_states": False}),
        dict(installed=[]),
    ),
    (yaml(**FSDP, fsdp_config={"fsdp_sharding_strategy": 1}), dict(installed=["msamp", "transformer_engine"])),
    (yaml(**dict(FSDP, mixed_precision="bf16"), fsdp_config={"fsdp_sharding_strategy": 1}), dict(installed=[], gpus=0)),
    (yaml(**DEEPSPEED, deepspeed_config={"zero_stage": 3}), dict(installed=ALL)),
    (yaml(**DEEPSPEED, deepspeed_config={"zero_stage": 2, "gradient_accumulation_steps": "auto", "gradient_clipping": "auto"}), dict(installed=ALL)),
    (yaml(**dict(DEEPSPEED, mixed_precision="fp16"), deepspeed_config={"zero_stage": 1}), dict(installed=ALL, gpus=0)),
    (yaml(**DEEPSPEED, deepspeed_config={"zero_stage": 2}), dict(installed=ALL, capability="8.0")),
    (
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n",
        dict(installed=ALL, files={"ds.json": json_text(zero_optimization={"stage": 2}, bf16={"enabled": "auto"}, gradient_clipping="auto")}),
    ),
    (
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n  zero3_init_flag: true\n",
        dict(
            installed=ALL,
            launch="--mixed_precision bf16",
            files={
                "ds.json": json_text(
                    zero_optimization={"stage": 3, "offload_param": {"device": "none", "nvme_path": "auto"}}, bf16={"enabled": "auto"}, train_micro_batch_size_per_gpu="auto"
                )
            },
        ),
    ),
    (
        "compute_environment: LOCAL_MACHINE\ndistributed_type: DEEPSPEED\nnum_processes: 8\ndeepspeed_config:\n  deepspeed_config_file: missing.json\n  offload_param_nvme_path: none\n",
        dict(installed=ALL),
    ),
    (
        yaml(
            **DEEPSPEED, num_machines=2, machine_rank=0, main_process_ip="10.0.0.1", main_process_port=29501, deepspeed_config={"zero_stage": 2, "deepspeed_hostfile": "hostfile"}
        ),
        dict(installed=ALL),
    ),
    (yaml(**dict(NO, num_processes=2), num_machines=2), dict(installed=["transformer_engine"])),
    (yaml(**dict(NO, num_processes=2), main_process_port=0), dict(installed=["transformer_engine"])),
    ("distributed_type: 'NO'\nmixed_precision: no\n", dict(installed=[])),
    ("mixed_precision: no\nnum_processes: 1\nfoo: 1\n1: 2\n", dict(installed=[])),
    ("compute_environment: LOCAL_MACHINE\ndistributed_type: NO\nmixed_precision: no\nnum_processes: 1\nfoo: 1\nbar: 2\n", dict(installed=[])),
    ("compute_environment: LOCAL_MACHINE\ndistributed_type: 'NO'\nmixed_precision: no\nnum_processes: 1\n", dict(installed=[])),
    (json.dumps(dict(NO, mixed_precision=False)), dict(installed=[], config_ext=".json")),
    (yaml(**dict(MULTI_GPU, num_processes=-1)), dict(installed=ALL)),
    (yaml(**dict(MULTI_GPU, num_processes=-1)), dict(installed=ALL, launch="--num_processes 4 --mixed_precision bf16")),
    (yaml(**dict(NO, mixed_precision="bf16"), use_cpu=True, ipex_config={"ipex_enabled": True, "ipex": True}), dict(installed=[])),
    (yaml(**dict(NO, distributed_type="MPS", mixed_precision="fp16")), dict(installed=[])),
    (yaml(**dict(MULTI_GPU, distributed_type="MULTI_XPU", mixed_precision="fp16")), dict(installed=[])),
    (yaml(**dict(MULTI_GPU, distributed_type="TP", mixed_precision="bf16"), tp_config={"tp_size": 8}), dict(installed=[])),
    (yaml(**dict(MULTI_GPU, distributed_type="TP", mixed_precision="bf16")), dict(installed=[])),
    (yaml(**dict(MULTI_GPU, distributed_type="TPU", mixed_precision="bf16")), dict(installed=["torch_xla"])),
    (yaml(**dict(MULTI_GPU, distributed_type="TPU", mixed_precision="bf16"), downcast_bf16="yes"), dict(installed=["torch_xla"], gpus=0)),
    (yaml(**dict(MULTI_GPU, distributed_type="XLA", mixed_precision="fp8")), dict(installed=["torch_xla", "transformer_engine"], gpus=0)),
    (yaml(**dict(MULTI_GPU, distributed_type="XLA", mixed_precision="fp8", num_processes=4)), dict(installed=["torch_xla", "transformer_engine"])),
    (yaml(**dict(MULTI_GPU, mixed_precision="fp16")), dict(installed=["torch_xla"], gpus=0)),
    (yaml(**dict(MULTI_GPU, mixed_precision="bf16"), use_cpu=True), dict(installed=["torch_xla"], gpus=0)),
    (yaml(**dict(MULTI_GPU, mixed_precision="fp8")), dict(installed=["torch_xla", "transformer_engine"], launch="--mixed_precision bf16")),
    (yaml(**dict(MULTI_GPU, distributed_type="MEGATRON_LM"), megatron_lm_config={"megatron_lm_tp_degree": 2}), dict(installed=ALL + ["megatron"])),
    (yaml(**MULTI_GPU, fsdp_config="x"), dict(installed=ALL)),
    (yaml(**MULTI_GPU, dynamo_config=["a"]), dict(installed=ALL)),
    (yaml(**MULTI_GPU, deepspeed_config={"mixed_precision": "bf16", "num_machines": 1}), dict(installed=ALL, launch="--mixed_precision fp16")),
    (None, dict(installed=ALL, launch="--num_processes 1 --mixed_precision bf16")),
    (None, dict(installed=ALL, launch="--num_processes 8 --mixed_precision fp16 --multi_gpu")),
    (None, dict(installed=ALL, launch="--mixed_precision bf16")),
    (None, dict(installed=["transformer_engine"], mode="python", code={"mixed_precision": "fp8"})),
    (None, dict(installed=["transformer_engine", "msamp"], mode="torchrun", code={"mixed_precision": "fp8"})),
    (
        None,
        dict(
            installed=["transformer_engine", "msamp"],
            mode="torchrun",
            code={"mixed_precision": "fp8", "kwargs_handlers": [["FP8RecipeKwargs", {"backend": "te", "fp8_format": "hybrid"}]]},
        ),
    ),
    (None, dict(installed=["transformer_engine"], mode="python", code={"mixed_precision": "bf16", "kwargs_handlers": [["FP8RecipeKwargs", {"margin": 1}]]})),
    (None, dict(installed=["transformer_engine", "deepspeed"], mode="python", env={"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_MIXED_PRECISION": "bf16"})),
    (
        None,
        dict(
            installed=["transformer_engine", "deepspeed"],
            mode="torchrun",
            env={"ACCELERATE_USE_DEEPSPEED": "true", "ACCELERATE_MIXED_PRECISION": "fp8", "ACCELERATE_FP8_BACKEND": "MSAMP"},
        ),
    ),
    (None, dict(installed=["transformer_engine"], mode="python", env={"WORLD_SIZE": "2", "RANK": "0"}, code={"mixed_precision": "bf16"})),
    (None, dict(installed=["transformer_engine"], mode="python", env={"WORLD_SIZE": "2", "RANK": "0", "MASTER_ADDR": "localhost"}, code={"mixed_precision": "fp16"})),
    (None, dict(installed=["transformer_engine"], mode="torchrun", env={"ACCELERATE_USE_FSDP": "true", "ACCELERATE_MIXED_PRECISION": "fp32"})),
    (None, dict(installed=["transformer_engine"], mode="python", code={"cpu": True, "mixed_precision": "fp8"})),
    (None, dict(installed=["transformer_engine"], mode="python", gpus=0, code={"mixed_precision": "fp16"})),
]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--versions", help="comma-separated; every known release by default")
    options = arguments.parse_args()
    with open(DATA, encoding="utf-8") as data:
        versions = options.versions.split(",") if options.versions else json.load(data)["releases"]
    for version in versions:
        for number, (text, rest) in enumerate(CASES):
            case = {"id": f"boundary {number}@{version}", "accelerate": version}
            if text is not None:
                case["config_text"] = text
            print(json.dumps({**case, **rest}))


if __name__ == "__main__":
    main()
