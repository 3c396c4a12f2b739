#!/usr/bin/env python3
"""
What becomes of the real accelerate files of ../shared/corpus, by cause: docs/corpus.md.

  python3 tools/corpus_table.py --binary target/release/fp8lint > docs/corpus.md

Each file is judged under the newest release of accelerate and under one of its own time: the oldest release that knows
all of its top-level keys and neither refuses it nor raises on it; where there is none, the newest that knows its keys.
"""

import argparse
import collections
import json
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
FAMILIES = (
    ("refused", "refused by `accelerate launch`", lambda finding: finding["code"].startswith("FP1")),
    ("raises", "raises in `Accelerator()` or `prepare()`", lambda finding: finding["code"].startswith("FP2")),
    ("lost", "runs, not in the precision asked for", lambda finding: finding["code"] >= "FP3" and finding["severity"] == "error"),
    ("idle", "runs as asked, with settings that have no effect", lambda finding: finding["severity"] == "warning"),
    ("noted", "runs as asked, something worth a note", lambda finding: True),
)


def knowledge():
    with open(os.path.join(HERE, "..", "src", "knowledge", "data", "accelerate.json"), encoding="utf-8") as data:
        return json.load(data)


def knowing(text, facts):
    """The releases that know all top-level keys of the file; all of them where none does."""
    releases = facts["releases"]
    keys = set(re.findall(r"^\"?([A-Za-z_0-9]+)\"?\s*:", text, re.MULTILINE)) or set(re.findall(r'^\s{0,4}"(\w+)"\s*:', text, re.MULTILINE))
    alive = set(range(len(releases)))
    for key in keys:
        held = set()
        for span in facts["config_keys"]:
            if span["fact"]["class"] == "ClusterConfig" and span["fact"]["name"] == key:
                last = releases.index(span["last"]) if span["last"] else len(releases) - 1
                held |= set(range(releases.index(span["first"]), last + 1))
        alive &= held
    return [releases[index] for index in sorted(alive)] or releases


def own_releases(binary, corpus, paths, facts):
    """The release of its own time for each file, with what is found under it."""
    left, own = {}, {}
    for path in paths:
        with open(os.path.join(corpus, path), encoding="utf-8", errors="replace") as text:
            left[path] = knowing(text.read(), facts)
    for release in facts["releases"]:
        now = [path for path, releases in left.items() if release in releases]
        found = collections.defaultdict(list)
        for finding in check(binary, corpus, now, release) if now else []:
            found[finding["primary"]["path"]].append(finding)
        for path in now:
            fails = any(finding["code"][:3] in ("FP1", "FP2") for finding in found[path])
            if not fails or release == left[path][-1]:
                own[path] = (release, found[path])
                del left[path]
    return own


def check(binary, corpus, paths, version):
    command = [binary, "--isolated", "--report", "json", "--target", f"accelerate={version}", *paths]
    answer = subprocess.run(command, cwd=corpus, stdout=subprocess.PIPE, check=False)
    return json.loads(answer.stdout)["findings"]


def names(binary):
    listed = subprocess.run([binary, "rules"], stdout=subprocess.PIPE, text=True, check=True).stdout
    return dict(re.findall(r"(FP\d{3})\s+(\S+)", listed))


def table(title, findings, count, rule_names):
    by_file = collections.defaultdict(list)
    for finding in findings:
        by_file[finding["primary"]["path"]].append(finding)
    worst, causes = collections.Counter(), collections.defaultdict(collections.Counter)
    for found in by_file.values():
        family = next(key for key, _, holds in FAMILIES if any(holds(finding) for finding in found))
        worst[family] += 1
        holds = next(holds for key, _, holds in FAMILIES if key == family)
        for code in {finding["code"] for finding in found if holds(finding)}:
            causes[family][code] += 1
    lines = [f"## {title}", "", "| what becomes of it | files | by cause |", "| --- | ---: | --- |"]
    for key, words, _ in FAMILIES:
        ordered = sorted(causes[key].items(), key=lambda item: (-item[1], item[0]))
        shown = ", ".join(f"{rule_names.get(code, code)} {number}" for code, number in ordered)
        lines.append(f"| {words} | {worst[key]} | {shown} |")
    lines.append(f"| nothing to say | {count - len(by_file)} | |")
    return "\n".join(lines)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--binary", default="target/release/fp8lint")
    options = arguments.parse_args()
    shared = os.environ.get("FP8LINT_SHARED") or os.path.join(HERE, "..", "..", "shared")
    corpus, binary, facts = os.path.join(shared, "corpus"), os.path.abspath(options.binary), knowledge()
    with open(os.path.join(corpus, "manifest.tsv"), encoding="utf-8") as manifest:
        rows = [line.rstrip("\n").split("\t") for line in manifest][1:]
    paths = [row[0] for row in rows if row[4] == "accelerate"]
    newest, rule_names = facts["releases"][-1], names(binary)
    own = own_releases(binary, corpus, paths, facts)
    then = [finding for _, found in own.values() for finding in found]
    by_release = collections.Counter(release for release, _ in own.values())
    ordered = sorted(by_release.items(), key=lambda item: (-item[1], item[0]))
    spread = ", ".join(f"{release} ({count})" for release, count in ordered)
    print("# What becomes of 205 real accelerate files\n")
    print(f"{len(paths)} accelerate files from public repositories, each taken as `accelerate launch --config_file FILE train.py`.")
    print("A file with several findings counts once, under the worst; one with several causes of that kind counts under each.")
    print("What counts as installed: what the file asks for. Made by `python3 tools/corpus_table.py`.\n")
    print(table(f"Under accelerate {newest}", check(binary, corpus, paths, newest), len(paths), rule_names))
    print()
    print(table("Under a release of its own time", then, len(paths), rule_names))
    print(f"\nThe oldest release that knows all top-level keys of the file and takes it, else the newest that knows them: {spread}.")


if __name__ == "__main__":
    sys.exit(main())
