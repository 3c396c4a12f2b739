"""Random edits of configs, read by PyYAML 6.0.4 and by fp8lint's reader; prints where they disagree.

    python tools/fuzz_pyyaml.py [COUNT] [SEED] [CORPUS]
"""

import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from pyyaml_oracle import canonical, fnv, load, typed

SEEDS = [
    "compute_environment: LOCAL_MACHINE\ndebug: false\ndistributed_type: FSDP\ndowncast_bf16: 'no'\nfsdp_config:\n  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP\n  fsdp_offload_params: true\n  fsdp_version: 2\nmachine_rank: 0\nmixed_precision: fp8\nfp8_config:\n  backend: TE\n  amax_history_len: 1024\n  override_linear_precision: [false, false, false]\nnum_processes: 8\nrdzv_backend: static\nsame_network: true\ntpu_env: []\n",
    "commands:\n- \"accelerate launch --x 'y'\"\n- 'echo \"a\"'\nnotes: |\n  first\n   second\n\n  third\nfolded: >-\n  a\n  b\n",
    "base: &base\n  lr: 1e-5\n  wd: 0.1\nrun:\n  <<: *base\n  lr: 5.0e-4\n  list: [1, {a: b, c: [d, 'e']}, \"f\"] # c\n  date: 2024-01-02\n",
    "? a\n: b\n? [c, d]\n: - e\n  - f\nx: !!int '3'\ny: !!str 4\n--- # end\n",
    "{\"fp16\": {\"enabled\": \"auto\", \"x\": [1, 2.5, null]}, \"zero\": {\"stage\": 3}}\n",
]
PIECES = [
    "\n", "\n  ", "\n- ", " ", "  ", "\t", ":", ": ", "- ", "-", "? ", "?", ",", ", ", "[", "]", "{", "}", "#", " #", "'", "\"", "\\", "|", ">", "|-\n  x\n", "&a ", "*a", "*base", "!", "!!str ", "!!int ", "!x ", "%", "@", "`", "<<: ", "---\n", "...\n", "~", "no", "1", "é", "\r\n", "\r", "\ufeff", "=", "a", "0x1", "1:30", ".", "''", "\"\"", "\u0085", "\n\n", "# c\n",
]


def mutate(rng, text):
    for _ in range(rng.choice([1, 1, 1, 2, 2, 3, 5])):
        at = rng.randrange(len(text) + 1)
        kind = rng.randrange(6)
        if kind < 3:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind == 3:
            text = text[:at] + text[at + rng.randrange(1, 4):]
        elif kind == 4:
            lines = text.split("\n")
            line = rng.randrange(len(lines))
            lines[line] = rng.choice(["", " ", "  ", "    "]) + lines[line].lstrip(" ")
            text = "\n".join(lines)
        else:
            end = at + rng.randrange(1, 20)
            to = rng.randrange(len(text) + 1)
            text = text[:to] + text[at:end] + text[to:]
    return text


def ask(texts):
    """Our reader's answers: a hash of the value, or the exception's class."""
    with tempfile.TemporaryDirectory() as folder:
        asked = pathlib.Path(folder) / "texts.jsonl"
        asked.write_text("".join(json.dumps(text) + "\n" for text in texts))
        command = ["cargo", "test", "--quiet", "--test", "reader", "--", "--ignored", "answers"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=os.environ | {"FP8LINT_TEXTS": str(asked)})
        return asked.with_suffix(".answers").read_text().splitlines()


def main():
    rest = sys.argv[1:]
    count, seed = int(rest[0]) if rest else 20_000, int(rest[1]) if len(rest) > 1 else 1
    rng = random.Random(seed)
    seeds = list(SEEDS)
    if len(rest) > 2:
        for path in sorted(pathlib.Path(rest[2]).rglob("*.y*ml")):
            text = path.read_bytes().decode("utf-8", "ignore")
            if 0 < len(text) < 1500:
                seeds.append(text)
    texts = [mutate(rng, rng.choice(seeds)) for _ in range(count)]
    answers = ask(texts)
    kinds = collections.Counter()
    for text, answer in zip(texts, answers, strict=True):
        answer, _, message = answer.partition("\t")
        kind, outcome = load("yaml", text)
        expected = outcome if kind == "error" else fnv(canonical(typed(outcome)))
        if expected == answer:
            kinds["same"] += 1
            continue
        ours_refuses = answer[0].isupper()
        difference = ("refused by both, other class" if ours_refuses else "refused by PyYAML only") if kind == "error" else ("refused by fp8lint only" if ours_refuses else "other value")
        kinds[difference] += 1
        print(json.dumps({"difference": difference, "pyyaml": expected, "ours": answer, "message": message, "text": text}))
    print(dict(kinds), file=sys.stderr)


if __name__ == "__main__":
    main()
