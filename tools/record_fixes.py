#!/usr/bin/env python3
"""Records what the real accelerate says of configs before and after fp8lint's safe fixes.

    tools/record_fixes.py --binary target/debug/fp8lint --oracle "PYTHON ORACLE.py" OUT.jsonl

Faults that have a safe fix are written into healthy configs, one or two at a time, under several releases. fp8lint
mends them (`--fix`), the oracle is asked about both texts, and each line of OUT holds the case: release, ending, both
texts, the rules that were mended, and both answers. tests/fixed_recorded.rs holds fp8lint to them.
"""

import argparse
import itertools
import json
import pathlib
import shlex
import subprocess
import tempfile

RELEASES = ["1.15.0", "1.12.0", "1.10.1", "1.6.0", "1.4.0", "1.1.0", "0.34.2", "0.28.0"]

HEALTHY = {
    "alone, TE": [("distributed_type", "'NO'"), ("mixed_precision", "fp8"), ("num_processes", "1"),
                  ("fp8_config", {"backend": "TE"})],
    "alone, AO": [("distributed_type", "'NO'"), ("mixed_precision", "fp8"), ("num_processes", "1"),
                  ("fp8_config", {"backend": "AO"})],
    "several GPUs, TE": [("distributed_type", "MULTI_GPU"), ("mixed_precision", "fp8"), ("num_processes", "8"),
                         ("fp8_config", {"backend": "TE", "fp8_format": "HYBRID"})],
    "FSDP, AO": [("distributed_type", "FSDP"), ("mixed_precision", "fp8"), ("num_processes", "8"),
                 ("fsdp_config", {"fsdp_version": "2", "fsdp_cpu_ram_efficient_loading": "false",
                                  "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}),
                 ("fp8_config", {"backend": "AO"})],
    "FSDP1, TE": [("distributed_type", "FSDP"), ("mixed_precision", "fp8"), ("num_processes", "8"),
                  ("fsdp_config", {"fsdp_version": "1", "fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"}),
                  ("fp8_config", {"backend": "TE"})],
    "MS-AMP": [("distributed_type", "MULTI_GPU"), ("mixed_precision", "fp8"), ("num_processes", "8"),
               ("fp8_config", {"backend": "MSAMP"})],
    "bf16": [("distributed_type", "MULTI_GPU"), ("mixed_precision", "bf16"), ("num_processes", "8")],
    "fp16, FSDP": [("distributed_type", "FSDP"), ("mixed_precision", "fp16"), ("num_processes", "8"),
                   ("fsdp_config", {"fsdp_auto_wrap_policy": "TRANSFORMER_BASED_WRAP"})],
    "none": [("distributed_type", "'NO'"), ("mixed_precision", "'no'"), ("num_processes", "1")],
}

# Route -> wrong values, or a wrong key in place of one.
FAULTS = [
    ("value", "fp8_config.backend", {"TE": ["te", "Te", "'te'", "\"transformer_engine\"", "TransformerEngine"],
                                     "AO": ["ao", "torchao", "'ao'", "Ao"], "MSAMP": ["msamp", "MS-AMP", "ms_amp"]}),
    ("add", "fp8_config.override_linear_precision", ["false", "true", "(false, false, false)", "\"(true, false, true)\""]),
    ("add", "fp8_config.fp8_format", ["hybrid", "e4m3", "'Hybrid'"]),
    ("add", "fp8_config.amax_history_length", ["1024", "16"]),
    ("add", "fp8_config.amax_compute_algorithm", ["max", "most_recent"]),
    ("add", "fp8_config.amax_compute_algo", ["MAX", "Most_Recent"]),
    ("add", "fp8_config.margin", ["'0'", "\"1\""]),
    ("add", "fp8_config.use_autocast_during_eval", ["'false'", "'true'", "'off'"]),
    ("add", "fp8_config.opt_level", ["o1", "o2"]),
    ("add", "fp8_config.optimization_level", ["O2", "O1"]),
    ("add", "fp8_config.enable_fsdp_float8_all_gather", ["'false'", "'true'"]),
    ("value", "mixed_precision", {"'no'": ["no", "off", "False", "fp32"], "bf16": ["BF16", "Bf16"], "fp16": ["FP16"]}),
    ("key", "mixed_precision", ["mixed_precison", "mixed-precision", "mixed_precisions"]),
    ("key", "num_processes", ["num_process", "num_proceses"]),
    ("key", "distributed_type", ["distributed_typ"]),
    ("key", "fsdp_config.fsdp_version", ["fsdp_versoin"]),
    ("key", "fsdp_config.fsdp_cpu_ram_efficient_loading", ["fsdp_cpu_ram_eficient_loading"]),
    ("key", "fsdp_config.fsdp_auto_wrap_policy", ["fsdp_auto_wrap_polcy"]),
    ("add", "fp8", ["false", "null"]),
    ("value", "fp8_config", ["TE", "AO", "ao", "'transformer_engine'"]),
]


def broken(config, fault):
    """The config with each variant of the fault; nothing where it does not apply."""
    kind, route, variants = fault
    *above, name = route.split(".")
    section = above[0] if above else None

    def changed(change):
        new = [(key, dict(value) if isinstance(value, dict) else value) for key, value in config]
        if section is None:
            return change(new)
        for index, (key, value) in enumerate(new):
            if key == section and isinstance(value, dict):
                pairs = change(list(value.items()))
                if pairs is None:
                    return None
                new[index] = (key, dict(pairs))
                return new
        return None

    def put(value):
        def change(pairs):
            keys = [key for key, _ in pairs]
            if kind == "add":
                return None if name in keys and name != "fp8_format" else [p for p in pairs if p[0] != name] + [(name, value)]
            if name not in keys:
                return None
            if kind == "key":
                return [(value if key == name else key, old) for key, old in pairs]
            return [(key, value if key == name else old) for key, old in pairs]
        return change

    if isinstance(variants, dict):
        for healthy, wrong in variants.items():
            now = dict(config).get(section) or {} if section else dict(config)
            if isinstance(now, dict) and now.get(name) == healthy:
                yield from (new for value in wrong if (new := changed(put(value))) is not None)
    else:
        yield from (new for value in variants if (new := changed(put(value))) is not None)


def written(config):
    lines = []
    for key, value in config:
        if isinstance(value, dict):
            lines.append(f"{key}:")
            lines += [f"  {inner}: {text}" for inner, text in value.items()]
        else:
            lines.append(f"{key}: {value}")
    return "\n".join(lines) + "\n"


def cases():
    number = 0
    for name, config in HEALTHY.items():
        texts = [text for fault in FAULTS for text in broken(config, fault)]
        pairs = [text for one, other in itertools.combinations(FAULTS[:8], 2)
                 for first in itertools.islice(broken(config, one), 1) for text in itertools.islice(broken(first, other), 1)]
        for config_number, text in enumerate(texts + pairs):
            # Each text under the newest release, and under one of the others in turn.
            for release in dict.fromkeys([RELEASES[0], RELEASES[1 + config_number % (len(RELEASES) - 1)]]):
                number += 1
                yield {"id": f"{number} {name}", "accelerate": release, "before": written(text)}


def fixed(binary, cases):
    """The cases that have a safe fix, with the text afterwards and the rules."""
    by_release = {}
    for case in cases:
        by_release.setdefault(case["accelerate"], []).append(case)
    for release, group in by_release.items():
        with tempfile.TemporaryDirectory() as folder:
            for number, case in enumerate(group):
                (pathlib.Path(folder) / f"{number}.yaml").write_text(case["before"])
            run = [binary, "--isolated", "--target", f"accelerate={release}", "--exit-zero", "--fix", "--show-fixes", "."]
            shown = subprocess.run(run, cwd=folder, capture_output=True, text=True, check=True).stdout
            rules = {}
            for line in shown.splitlines():
                if line.startswith("Fixed ") and ".yaml:" in line:
                    number, rest = line[6:].split(".yaml:", 1)
                    rules.setdefault(int(number), []).append(rest.split()[1])
            for number, case in enumerate(group):
                if number in rules:
                    after = (pathlib.Path(folder) / f"{number}.yaml").read_text()
                    yield case | {"after": after, "rules": sorted(rules[number])}


def main():
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--binary", required=True)
    arguments.add_argument("--oracle", required=True)
    arguments.add_argument("out")
    arguments = arguments.parse_args()
    binary = str(pathlib.Path(arguments.binary).resolve())
    mended = list(fixed(binary, cases()))
    installed = ["torchao", "transformer_engine", "msamp", "deepspeed"]
    with tempfile.TemporaryDirectory() as folder:
        asked, answered = pathlib.Path(folder) / "in.jsonl", pathlib.Path(folder) / "out.jsonl"
        with asked.open("w") as file:
            for number, case in enumerate(mended):
                for which in ("before", "after"):
                    line = {"id": f"{number} {which}", "accelerate": case["accelerate"], "config_text": case[which],
                            "installed": installed}
                    file.write(json.dumps(line) + "\n")
        subprocess.run([*shlex.split(arguments.oracle), "--batch", asked, "--out", answered, "--jobs", "1"], check=True)
        answers = {}
        for line in answered.read_text().splitlines():
            answer = json.loads(line)
            answers[answer["id"]] = answer
    with open(arguments.out, "w") as file:
        for number, case in enumerate(mended):
            verdicts = {which: answers[f"{number} {which}"]["verdict"] for which in ("before", "after")}
            file.write(json.dumps(case | {"verdicts": verdicts}) + "\n")
    print(f"{len(mended)} cases with a safe fix, {len({rule for case in mended for rule in case['rules']})} rules")


if __name__ == "__main__":
    main()
