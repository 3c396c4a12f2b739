#!/usr/bin/env python3
"""
Holds the findings of `fp8lint check` on the corpus against what the real accelerate does with the same files.

  python3 tools/corpus_findings.py --binary target/release/fp8lint --accelerate 1.15.0 [--list]

Each accelerate file that the real package refuses or raises on must have a finding of at least `warning`, each that it
runs must have none at `error` unless fp8 was asked for and did not run. Left out: the oracle machine's own failures, and
DeepSpeed files that were not beside the config. --list prints every finding.
"""

import argparse
import json
import os
import subprocess
import sys

from agreement import MACHINE, STAGES, exception_of

NOT_BESIDE = "Expected a string path to an existing deepspeed config"
# `check` counts what a config asks for as installed.
NOT_INSTALLED = "No module named 'torch_xla'"


def recorded(shared, version):
    with open(os.path.join(shared, "oracle", "recorded-corpus.jsonl"), encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            if record["case"]["accelerate"] == version:
                yield record["case"]["config"].removeprefix("corpus/"), record["result"]


def excused(result):
    messages = [exception_of(result, stage).get("message") or "" for stage in STAGES]
    return any(part in message for part in (*MACHINE, NOT_BESIDE, NOT_INSTALLED) for message in messages)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default="target/release/fp8lint")
    arguments.add_argument("--accelerate", default="1.15.0")
    arguments.add_argument("--list", action="store_true")
    options = arguments.parse_args()
    shared = os.environ.get("FP8LINT_SHARED") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared")
    binary = os.path.abspath(options.binary)
    corpus = os.path.join(shared, "corpus")
    target = f"accelerate={options.accelerate}"
    command = [binary, "--report", "json", "--target", target, "files"]
    report = json.loads(subprocess.run(command, cwd=corpus, stdout=subprocess.PIPE, check=False).stdout)
    by_path = {}
    for finding in report["findings"]:
        by_path.setdefault(finding["primary"]["path"], []).append(finding)
    if options.list:
        for path, findings in sorted(by_path.items()):
            for finding in findings:
                print(f"{finding['code']}\t{finding['severity']}\t{path}:{finding['primary']['start']['line']}\t{finding['message'][:160]}")
    wrong = checked = left_out = 0
    for path, result in recorded(shared, options.accelerate):
        if excused(result):
            left_out += 1
            continue
        checked += 1
        findings = by_path.get(path, [])
        worst = {finding["severity"] for finding in findings}
        ends = result["verdict"].startswith("raises@")
        codes = sorted({finding["code"] for finding in findings})
        if ends and not worst & {"error", "warning"}:
            wrong += 1
            print(f"SILENT  {path}: {result['verdict']}; findings {codes}")
        fp8_is_lost = result["verdict"].startswith("no-fp8") and all(
            (finding["outcome"] or {}).get("asked") == "fp8" for finding in findings if finding["severity"] == "error"
        )
        if not ends and "error" in worst and not fp8_is_lost:
            wrong += 1
            print(f"WRONG   {path}: {result['verdict']}; findings {codes}")
    print(f"accelerate {options.accelerate}: {checked} files, {wrong} contradict the real package, {left_out} left out")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
