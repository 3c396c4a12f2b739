#!/usr/bin/env python3
"""Writes the lists of releases in src/knowledge/data/packages.toml again, as the package index has them today.

    python3 tools/list_releases.py            write the data file
    python3 tools/list_releases.py --check    compare the committed file with the index

Only the lists and the date are written: the names, and the oldest release of each list, are kept as the file has them.
A release that the file names stays in it, also where the index (or the Python that asks) does not offer it. Asks
through `pip index versions`. Python 3.11 or newer, and pip.
"""

import argparse
import datetime
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

from pip._vendor.packaging.version import Version

DATA = Path(__file__).resolve().parent.parent / "src" / "knowledge" / "data" / "packages.toml"
WIDTH = 120


def offered(distribution: str) -> list[str]:
    """The final releases on the index; none for a package that is not there."""
    command = [sys.executable, "-m", "pip", "index", "versions", "--ignore-requires-python", distribution]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        if "No matching distribution" in ran.stderr:
            return []
        sys.exit(f"{distribution}: {ran.stderr.strip()}")
    found = re.search(r"^Available versions: (.*)$", ran.stdout, re.MULTILINE)
    return found.group(1).split(", ") if found else []


def releases(package: dict) -> list[str]:
    """Ascending, from the oldest that is wanted."""
    oldest = Version(package.get("oldest", "0"))
    named = {Version(text) for text in package["releases"]}
    for distribution in package["distributions"][:1]:
        named |= {Version(text) for text in offered(distribution)}
    wanted = {version for version in named if version >= oldest and not version.is_prerelease}
    return [str(version) for version in sorted(wanted)]


def written(packages: list[dict], head: str) -> str:
    """The file."""
    text = head
    for package in packages:
        text += "\n[[package]]\n"
        for key, value in package.items():
            if key == "releases":
                text += f"releases = [{wrapped(value)}]\n"
            else:
                text += f"{key} = {json.dumps(value)}\n"
    return text


def wrapped(versions: list[str]) -> str:
    if not versions:
        return ""
    lines = [""]
    for version in versions:
        word = f'"{version}",'
        if lines[-1] and len(lines[-1]) + len(word) + 5 > WIDTH:
            lines.append("")
        lines[-1] += f" {word}" if lines[-1] else word
    return "\n" + "".join(f"    {line}\n" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    before = DATA.read_text(encoding="utf-8")
    packages = tomllib.loads(before)["package"]
    for package in packages:
        # Those of accelerate are in accelerate.json.
        if package["name"] != "accelerate":
            package["releases"] = releases(package)
    head = before.split("\n[[package]]\n", 1)[0]
    if not arguments.check:
        head = re.sub(r"read on \d{4}-\d{2}-\d{2}", f"read on {datetime.date.today()}", head)
    after = written(packages, head + "\n" if not head.endswith("\n") else head)
    if arguments.check:
        sys.exit(0 if after == before else "the index has other releases than the data file")
    DATA.write_text(after, encoding="utf-8")


if __name__ == "__main__":
    main()
