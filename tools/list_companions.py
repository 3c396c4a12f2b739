#!/usr/bin/env python3
"""Writes src/knowledge/data/companions.toml again: which transformers and accelerate each release of a framework allows.

    python3 tools/list_companions.py            write the data file
    python3 tools/list_companions.py --check    compare the committed file with the index

Asks pip for the metadata of every release that src/knowledge/data/packages.toml names (`pip install --dry-run --no-deps
--report`), so that nothing is installed. Requirements under a marker about the platform or the Python version are taken as
they stand for CPython 3.11 on Linux; those of extras are left out. Neighbouring releases that allow the same are one row.
Python 3.11 or newer, and pip.
"""

import argparse
import datetime
import json
import subprocess
import sys
import tomllib
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.specifiers import SpecifierSet
from pip._vendor.packaging.version import Version

DATA = Path(__file__).resolve().parent.parent / "src" / "knowledge" / "data"
FILE = DATA / "companions.toml"
# The oldest release that is asked for.
FRAMEWORKS = {"trl": "0.7", "llamafactory": "0.7", "axolotl": "0.5", "ms-swift": "3.0"}
COMPANIONS = ("transformers", "accelerate")
PLACE = {
    "extra": "", "sys_platform": "linux", "platform_system": "Linux", "platform_machine": "x86_64", "os_name": "posix",
    "python_version": "3.11", "python_full_version": "3.11.9", "implementation_name": "cpython",
    "platform_python_implementation": "CPython",
}
HEAD = """\
# Which releases of transformers and accelerate each release of a framework allows, as its metadata says (`Requires-Dist`).
# Written by tools/list_companions.py, read on {today}. A row holds from `from` on, until the next row of its framework; an
# empty range allows everything, or is not said.
"""


def metadata(name: str, version: str) -> dict | None:
    """What a release requires; nothing where pip cannot tell."""
    command = [
        sys.executable, "-m", "pip", "install", "--dry-run", "--no-deps", "--ignore-installed",
        "--ignore-requires-python", "--disable-pip-version-check", "--quiet", "--report", "-", f"{name}=={version}",
    ]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        print(f"{name} {version}: {ran.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    return json.loads(ran.stdout)["install"][0]["metadata"]


def allowed(required: list[str]) -> tuple[str, ...]:
    """The ranges of the companions."""
    ranges = {name: SpecifierSet() for name in COMPANIONS}
    for text in required:
        requirement = Requirement(text)
        applies = requirement.marker is None or requirement.marker.evaluate(PLACE)
        if requirement.name in ranges and applies and requirement.url is None:
            ranges[requirement.name] &= requirement.specifier
    return tuple(written(ranges[name]) for name in COMPANIONS)


def written(range_: SpecifierSet) -> str:
    """The lower bounds first."""
    return ",".join(sorted(map(str, range_), key=lambda text: ("!=" in text, not text.startswith((">", "=", "~")), text)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    packages = tomllib.loads((DATA / "packages.toml").read_text(encoding="utf-8"))["package"]
    releases = {package["name"]: package["releases"] for package in packages}
    text = HEAD.format(today=datetime.date.today())
    for name, oldest in FRAMEWORKS.items():
        last = None
        for version in releases[name]:
            if Version(version) < Version(oldest):
                continue
            found = metadata(name, version)
            if found is None:
                continue
            ranges = allowed(found.get("requires_dist", []))
            if ranges == last:
                continue
            last = ranges
            text += f'\n[[companions]]\npackage = "{name}"\nfrom = "{version}"\n'
            text += "".join(f'{key} = "{value}"\n' for key, value in zip(COMPANIONS, ranges))
    if arguments.check:
        before = FILE.read_text(encoding="utf-8")
        same = [line for line in text.splitlines() if "read on" not in line] == [
            line for line in before.splitlines() if "read on" not in line
        ]
        sys.exit(0 if same else "the index says other ranges than the data file")
    FILE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
