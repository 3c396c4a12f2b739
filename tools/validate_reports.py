#!/usr/bin/env python3
"""Holds the reports for other programs against other people's schemas and tools.

    python3 tools/validate_reports.py [--binary target/debug/fp8lint]

| report | held against |
| --- | --- |
| json, json-lines | the schema that `fp8lint schema output` prints, by the PyPI package jsonschema |
| gitlab | Code Climate's issue as the npm package codeclimate-types has it, by the TypeScript compiler; the keys of the
           report that ruff, from PyPI, writes for GitLab |
| junit | Jenkins' XSD, which the sources of pytest hold, by lxml; counts by the PyPI package junitparser |
| rdjson | reviewdog's JSON Schema, which the crate rdfmt holds, by jsonschema; the suggestions are made as reviewdog
           defines ranges and must give what `fp8lint --fix --unsafe-fixes` writes |

What only a terminal shows (links, a progress bar) is looked at on a pseudo-terminal.

Each of them is shown a spoilt report too, and must refuse it. Needs python3 with venv, npm and cargo, and their package
registries; what it takes from there is pinned and goes to `validate-reports` in Cargo's target folder.
"""

import argparse
import copy
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

PYTHON = ["jsonschema==4.26.0", "junitparser==5.0.3", "lxml==6.1.3", "ruff==0.17.6"]
NPM = ["codeclimate-types@0.3.1", "typescript@5.8.3"]
CRATE = "rdfmt@0.3.0"
PYTEST = "pytest==8.4.2"

ROOT = Path(__file__).resolve().parent.parent
TARGET = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).resolve()
TOOLS = TARGET / "validate-reports"
FORMATS = ["json", "json-lines", "gitlab", "junit", "rdjson"]

LOWER = "distributed_type: 'NO'\nmixed_precision: fp8\nfp8_config:\n  backend: te\n"
BARE = "distributed_type: 'NO'\nfp8: true\nmixed_precision: bf16\nnum_processes: 1\n"
WIDE = "{main_training_function: é漢, mixed_precision: fp8, distributed_type: 'NO', fp8_config: {backend: te}}\n"
CLEAN = "distributed_type: 'NO'\nmixed_precision: bf16\nnum_processes: 1\n"
HOSTILE = "a,b:c%d::error::e\n\r\x1b[31m|`<script>&\"']]>\u202e\x07\ufffe\uffff"
REPOSITORY = {
    "conf/lower.yaml": LOWER,
    "conf/crlf.yaml": LOWER.replace("\n", "\r\n"),
    "conf/bare.yaml": BARE,
    "conf/bom.yaml": "\ufeff" + LOWER,
    "conf/wide.yaml": WIDE,
    "clean.yaml": CLEAN,
    HOSTILE + ".yaml": "# é\u202e<b>`|]]>\n" + BARE,
}


def run(*command, **settings):
    """Runs a program to its end; one that fails ends this one."""
    ran = subprocess.run(list(map(str, command)), capture_output=True, text=True, **settings)
    if ran.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def install():
    """Makes the tools, and starts this program again in their Python."""
    python = TOOLS / "venv" / "bin" / "python"
    wanted = "\n".join([*PYTHON, *NPM, CRATE, PYTEST])
    stamp = TOOLS / "installed"
    if not stamp.is_file() or stamp.read_text() != wanted:
        shutil.rmtree(TOOLS, ignore_errors=True)
        TOOLS.mkdir(parents=True)
        run(sys.executable, "-m", "venv", TOOLS / "venv")
        run(python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *PYTHON)
        run(python, "-m", "pip", "download", "-q", "--disable-pip-version-check", "--no-deps",
            "--no-binary", ":all:", PYTEST, "-d", TOOLS)
        with tarfile.open(next(TOOLS.glob("pytest-*.tar.gz"))) as sources:
            name = next(name for name in sources.getnames() if name.endswith("/junit-10.xsd"))
            (TOOLS / "junit.xsd").write_bytes(sources.extractfile(name).read())
        (TOOLS / "package.json").write_text("{}")
        run("npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *NPM, cwd=TOOLS)
        # `cargo info` loads the one crate, and none of those that it would be built with.
        run("cargo", "info", "-q", CRATE, cwd=TOOLS)
        cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
        folder = CRATE.replace("@", "-")
        schema = next(cargo.glob(f"registry/src/*/{folder}/json_schema/DiagnosticResult.jsonschema"))
        (TOOLS / "rdjson.jsonschema").write_bytes(schema.read_bytes())
        stamp.write_text(wanted)
    if Path(sys.prefix) != TOOLS / "venv":
        os.execv(python, [python, *sys.argv])


def fail(message):
    sys.exit(f"FAILED: {message}")


def check(name, good, spoilt, faults):
    """Holds a report, and a spoilt one, against something that lists faults."""
    found = list(faults(good))
    if found:
        fail(f"{name}: {found[:5]}")
    for how, report in spoilt.items():
        if not list(faults(report)):
            fail(f"{name} takes a report that is spoilt: {how}")
    print(f"{name}: taken; refused: {', '.join(spoilt)}")


def changed(value, *path, to=None):
    """A copy in which the key at the end of the path has another value, or is gone."""
    value = copy.deepcopy(value)
    below = value
    for key in path[:-1]:
        below = below[key]
    if to is None:
        del below[path[-1]]
    else:
        below[path[-1]] = to
    return value


def check_json(reports, binary):
    from jsonschema import Draft202012Validator

    schema = json.loads(run(binary, "schema", "output"))
    Draft202012Validator.check_schema(schema)
    faults = lambda report: (error.message for error in Draft202012Validator(schema).iter_errors(report))
    report = json.loads(reports["json"])
    fixes = next(i for i, finding in enumerate(report["findings"]) if finding["fixes"])
    check("json", report, {
        "no fingerprint": changed(report, "findings", 0, "fingerprint"),
        "a safety of another name": changed(report, "findings", fixes, "fixes", 0, "safety", to="sure"),
        "an edit without a place": changed(report, "findings", fixes, "fixes", 0, "edits", 0, "start"),
        "line 0": changed(report, "findings", 0, "primary", "start", "line", to=0),
        "set aside by nothing": changed(report, "suppressed", to=[report["findings"][0]]),
    }, faults)
    lines = [json.loads(line) for line in reports["json-lines"].splitlines()]
    if lines != report["findings"]:
        fail("json-lines: other findings than json")
    of_finding = {**schema, "$ref": "#/$defs/finding"}
    for key in ["type", "required", "properties"]:
        del of_finding[key]
    faults = lambda lines: (
        error.message for line in lines for error in Draft202012Validator(of_finding).iter_errors(line)
    )
    check("json-lines", lines, {"no code": changed(lines, 0, "code")}, faults)


def check_gitlab(reports, folder):
    report = json.loads(reports["gitlab"])
    names = iter(range(100))

    def faults(report):
        name = folder / f"report{next(names)}.ts"
        text = json.dumps(report)
        name.write_text(f"import type {{ Issue }} from 'codeclimate-types'\nexport const report: Issue[] = {text}\n")
        (folder / "node_modules").exists() or (folder / "node_modules").symlink_to(TOOLS / "node_modules")
        compiler = TOOLS / "node_modules" / "typescript" / "bin" / "tsc"
        ran = subprocess.run(["node", compiler, "--noEmit", "--strict", name], capture_output=True, text=True)
        return ran.stdout.splitlines()

    check("gitlab (Code Climate)", report, {
        "no description": changed(report, 0, "description"),
        "a severity of another name": changed(report, 0, "severity", to="error"),
    }, faults)

    # What GitLab reads of it, as a linter writes it that many use there.
    (folder / "peer.py").write_text("import os\n")
    ruff = Path(sys.prefix) / "bin" / "ruff"
    peer = json.loads(run(ruff, "check", "--isolated", "--exit-zero", "--output-format", "gitlab", "peer.py", cwd=folder))

    def faults(report):
        for issue in report:
            lacking = peer[0].keys() - issue.keys()
            yield from (f"no {key}" for key in lacking)
            if not lacking:
                yield from (key for key in peer[0] if type(peer[0][key]) is not type(issue[key]))
                lines = issue["location"].get("lines", {})
                if not isinstance(lines.get("begin"), int):
                    yield "no line"
        if len({issue.get("fingerprint") for issue in report}) != len(report):
            yield "fingerprints that are not unique"

    check("gitlab (ruff)", report, {
        "no check name": changed(report, 0, "check_name"),
        "no line": changed(report, 0, "location", "lines", "begin"),
        "equal fingerprints": report + report[:1],
    }, faults)


def check_junit(reports):
    import io

    import junitparser
    from lxml import etree

    schema = etree.XMLSchema(etree.parse(TOOLS / "junit.xsd"))

    def faults(report):
        try:
            document = etree.fromstring(report.encode())
        except etree.XMLSyntaxError as error:
            return [str(error)]
        schema.validate(document)
        return [error.message for error in schema.error_log]

    report = reports["junit"]
    check("junit (Jenkins)", report, {
        "no name": report.replace("<testcase name=", "<testcase classname2=", 1),
        "no count": report.replace(' failures="', ' fails="'),
        "a control character": report.replace("help: ", "\x01", 1),
        "an element of another name": report.replace("failure", "fault"),
    }, faults)

    def faults(report):
        for suite in junitparser.JUnitXml.fromfile(io.BytesIO(report.encode())):
            said = suite.tests, suite.failures, suite.errors
            suite.update_statistics()
            if said != (suite.tests, suite.failures, suite.errors):
                yield f"{suite.name}: {said}"
            names = [case.name for case in suite]
            if len(names) != len(set(names)):
                yield f"{suite.name}: tests of one name"

    check("junit (junitparser)", report, {
        "a wrong count": report.replace('tests="1"', 'tests="7"'),
    }, faults)


def offset(text, position):
    """The place in the bytes of a file, as reviewdog defines it: lines end at a line feed, columns count bytes."""
    lines = text.split(b"\n")
    return sum(len(line) + 1 for line in lines[: position["line"] - 1]) + position["column"] - 1


def check_rdjson(reports, before, after):
    from jsonschema import Draft4Validator

    schema = json.loads((TOOLS / "rdjson.jsonschema").read_text())

    # The schema refers to its definitions by name.
    def resolved(value):
        if isinstance(value, list):
            return [resolved(one) for one in value]
        if not isinstance(value, dict):
            return value
        value = {key: resolved(below) for key, below in value.items() if key != "id"}
        if "$ref" in value:
            value["$ref"] = "#/definitions/" + value["$ref"].rsplit("/", 1)[-1]
        return value

    schema = resolved(schema)
    report = json.loads(reports["rdjson"])
    faults = lambda report: (error.message for error in Draft4Validator(schema).iter_errors(report))
    check("rdjson (reviewdog)", report, {
        "a path that is no text": changed(report, "diagnostics", 0, "location", "path", to=1),
        "a line that is no number": changed(report, "diagnostics", 0, "location", "range", "start", "line", to="1"),
        "a suggestion that is no text": changed(report, "diagnostics", 0, "suggestions", to=[{"text": 1}]),
    }, faults)

    def faults(report):
        made = set()
        for diagnostic in report["diagnostics"]:
            path = diagnostic["location"]["path"]
            if diagnostic["severity"] not in ["ERROR", "WARNING", "INFO"]:
                yield diagnostic["severity"]
            for suggestion in diagnostic.get("suggestions", []):
                text = (before / path).read_bytes()
                start, end = (offset(text, suggestion["range"][at]) for at in ["start", "end"])
                text = text[:start] + suggestion["text"].encode() + text[end:]
                if text != (after / path).read_bytes():
                    yield f"{path!r}: {text}"
                made.add(path)
        yield from (f"no suggestion for {path!r}" for path in REPOSITORY if path not in made | {"clean.yaml"})

    first = next(i for i, diagnostic in enumerate(report["diagnostics"]) if "suggestions" in diagnostic)
    start = ["diagnostics", first, "suggestions", 0, "range", "start", "column"]
    check("rdjson (suggestions)", report, {
        "a column further": changed(report, *start, to=3),
        "a severity of another name": changed(report, "diagnostics", 0, "severity", to="NOTE"),
    }, faults)


def on_terminal(folder, *command, **environment):
    """What a program writes to a terminal."""
    import pty

    child, terminal = pty.fork()
    if child == 0:
        os.chdir(folder)
        os.execve(command[0], [*map(str, command)], {"TERM": "xterm-kitty", "PATH": os.environ["PATH"], **environment})
    shown = b""
    try:
        while read := os.read(terminal, 1 << 16):
            shown += read
    except OSError:
        pass  # So Linux says that the program has closed it.
    os.waitpid(child, 0)
    return shown.decode()


def check_terminal(binary, before, folder):
    link = "\x1b]8;;file://"
    for expected, arguments, environment in [
        (True, [], {}),
        (False, ["--color", "never"], {}),
        (False, [], {"FORCE_HYPERLINK": "0"}),
        (False, [], {"TERM": "xterm"}),
        (True, [], {"TERM": "xterm", "FORCE_HYPERLINK": "1"}),
    ]:
        shown = on_terminal(before, binary, *arguments, "conf", **environment)
        if (link in shown) != expected:
            fail(f"links with {arguments} {environment}: {shown[:300]!r}")
        if "checking" in shown:
            fail("a progress bar of a short check")
    many = folder / "many"
    many.mkdir()
    for number in range(3000):
        (many / f"{number}.yaml").write_text(BARE)
    for expected, arguments, environment in [
        (True, [], {}),
        (False, ["--no-progress"], {}),
        (False, ["--quiet"], {}),
        (False, [], {"CI": "true"}),
    ]:
        shown = on_terminal(many, binary, "--report=json=/dev/null", *arguments, **environment)
        if ("checking" in shown) != expected:
            fail(f"a progress bar with {arguments} {environment}: {shown[:300]!r}")
    print("terminal: links and a progress bar only where they belong")


def repository(folder):
    for path, text in REPOSITORY.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(text.encode())
    run("git", "init", "-q", cwd=folder)
    return folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", type=Path, default=TARGET / "debug" / "fp8lint")
    binary = parser.parse_args().binary.resolve()
    install()
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder).resolve()
        before, after = (repository(folder / name) for name in ["before", "after"])
        (folder / "out").mkdir()
        arguments = [f"--report={name}=../../out/{name}" for name in FORMATS]
        # From a folder below the root, as people do.
        run(binary, "--exit-zero", *arguments, "..", cwd=before / "conf")
        run(binary, "--exit-zero", "--fix", "--unsafe-fixes", cwd=after)
        reports = {name: (folder / "out" / name).read_text(encoding="utf-8") for name in FORMATS}
        check_json(reports, binary)
        check_gitlab(reports, folder)
        check_junit(reports)
        check_rdjson(reports, before, after)
        check_terminal(binary, before, folder)


if __name__ == "__main__":
    main()
