#!/usr/bin/env python3
"""
Holds `fp8lint resolve --batch` against answers of the real accelerate.

  python3 tools/agreement.py --binary target/release/fp8lint [--from 0.18.0] [--to 1.15.0] [--show 40]
                             [--training-args] FILE.jsonl ...

--training-args keeps only the cases that build TrainingArguments first.

Each FILE holds the oracle's answers, one {"case": ..., "result": ...} a line (../shared/oracle/recorded/*.jsonl by
default). Left out: answers that are the oracle machine's rather than the config's
(../shared/oracle/README.md names them). Prints how many agree on: verdict, exception type where the launch fails,
ACCELERATE_MIXED_PRECISION and ACCELERATE_FP8_* and the launcher kind where it succeeds.
"""

import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile

MACHINE = (
    "cpu_adam op",
    "mpirun or mpiexec were not found",
    "Megatron is not installed",
    "DeepSpeed backend not set",
    "skip_fwd_side_effects_in_bwd",
    "Cannot re-initialize CUDA in forked subprocess",
)
STAGES = ("launch", "runtime", "prepare")


def version_key(text):
    return tuple(int(part) for part in text.split("."))


def exception_of(answer, stage):
    return (answer.get(stage) or {}).get("exception") or {}


def left_out(case, result):
    if result.get("verdict") == "oracle-error":
        return "oracle error"
    messages = [exception_of(result, stage).get("message") or "" for stage in STAGES]
    messages.append(((result.get("prepare") or {}).get("forward_exception") or {}).get("message") or "")
    if any(part in message for part in MACHINE for message in messages):
        return "machine"
    return None


def read(files, first, last):
    kept, dropped = [], collections.Counter()
    for name in files:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                case, result = record["case"], record["result"]
                if not first <= version_key(case["accelerate"]) <= last:
                    continue
                reason = left_out(case, result)
                if reason:
                    dropped[reason] += 1
                    continue
                if case.get("config") and not os.path.isabs(case["config"]):
                    beside = os.path.join(os.path.dirname(os.path.abspath(name)), "..", case["config"])
                    if os.path.isfile(beside):
                        case = {**case, "config": os.path.abspath(beside)}
                kept.append((case, result))
    return kept, dropped


def answers(binary, cases):
    with tempfile.TemporaryDirectory() as folder:
        question, answer = os.path.join(folder, "in.jsonl"), os.path.join(folder, "out.jsonl")
        with open(question, "w", encoding="utf-8") as out:
            for case in cases:
                out.write(json.dumps(case) + "\n")
        subprocess.run([binary, "resolve", "--batch", question, "--out", answer], check=True)
        with open(answer, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines]


def recipe(environment):
    names = (name for name in environment if name == "ACCELERATE_MIXED_PRECISION" or name.startswith("ACCELERATE_FP8_"))
    return {name: environment[name] for name in names}


def compare(case, real, ours, tally, differences):
    def count(what, left, right):
        tally[what, "all"] += 1
        if left == right:
            tally[what, "equal"] += 1
        else:
            differences.append((what, case, left, right, ours.get("why"), exception_of(real, "launch") or exception_of(real, "runtime") or exception_of(real, "prepare")))

    tally["unknown", "all"] += 1
    tally["unknown", "equal"] += ours["verdict"] == "unknown"
    count("verdict", real["verdict"], ours["verdict"])
    launch, launched = real.get("launch"), ours.get("launch")
    if launch is None or real["verdict"] == "raises@import":
        return
    if not launch.get("ok"):
        count("launch exception", exception_of(real, "launch").get("type"), exception_of(ours, "launch").get("type"))
        return
    count("launcher", launch.get("launcher"), (launched or {}).get("launcher"))
    count("environment", recipe(launch.get("env") or {}), recipe((launched or {}).get("env") or {}))
    for stage in ("runtime", "prepare"):
        kind = exception_of(real, stage).get("type")
        if kind:
            count(f"{stage} exception", kind, exception_of(ours, stage).get("type"))


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default="target/release/fp8lint")
    arguments.add_argument("--from", dest="first", default="0.18.0")
    arguments.add_argument("--to", dest="last", default="99")
    arguments.add_argument("--show", type=int, default=20, help="how many differences to print")
    arguments.add_argument("--require", type=float, help="fail below this share of equal verdicts, in percent")
    arguments.add_argument("files", nargs="*")
    arguments.add_argument("--training-args", action="store_true", help="only cases that build TrainingArguments first")
    options = arguments.parse_args()
    shared = os.environ.get("FP8LINT_SHARED") or os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "shared")
    files = options.files or sorted(glob.glob(os.path.join(shared, "oracle", "recorded", "*.jsonl")))
    kept, dropped = read(files, version_key(options.first), version_key(options.last))
    if options.training_args:
        kept = [(case, real) for case, real in kept if "training_args" in json.dumps(case.get("code"))]
    tally, differences = collections.Counter(), []
    for (case, real), ours in zip(kept, answers(options.binary, [case for case, _ in kept]), strict=True):
        compare(case, real, ours, tally, differences)
    for what, case, left, right, why, exception in differences[: options.show]:
        print(f"--- {what}: {case.get('id')} accelerate {case['accelerate']}\n  real {left}\n  ours {right} {why or ''}")
        if exception:
            print(f"  real exception {exception.get('type')}: {exception.get('message', '')[:200]} @ {exception.get('where')}")
    print(f"{len(kept)} cases; left out: {dict(dropped)}")
    for what in sorted({what for what, _ in tally}):
        total, equal = tally[what, "all"], tally[what, "equal"]
        word = "are" if what == "unknown" else "equal"
        print(f"{what}: {equal} of {total} {word} ({100 * equal / total:.2f} %)")
    share = 100 * tally["verdict", "equal"] / max(tally["verdict", "all"], 1)
    return 1 if options.require is not None and share < options.require else 0


if __name__ == "__main__":
    sys.exit(main())
