#!/usr/bin/env python3
"""Writes src/knowledge/data/accelerate.json from the released wheels of accelerate.

    python3 tools/extract_accelerate.py CACHE            write the data file, up to the newest release on the index
    python3 tools/extract_accelerate.py CACHE --check    compare the committed file with the releases that it names

CACHE is a folder that keeps the wheels. They are read as syntax trees: nothing of accelerate is imported or run.
Python 3.11 or newer, standard library only.

To support a new release of accelerate:
1. run this, and read the difference of the data file;
2. read the difference of the two wheels in commands/launch.py, utils/launch.py, commands/config/config_args.py,
   state.py, accelerator.py, parallelism_config.py and utils/dataclasses.py: what changes what is launched, raised or
   run becomes a row, or a new named behaviour, in src/knowledge/data/behaviours.toml (docs/knowledge.md);
3. run the oracle with the new release and compare its verdicts with `fp8lint resolve --batch`.

Every fact has `first` and `last`, both inclusive and both known releases; `last` null means that it holds in the newest
one. A fact that changes is a further row, one that goes and comes back too.
"""

import argparse
import ast
import difflib
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

OLDEST = (0, 18, 0)
DATA = Path(__file__).resolve().parent.parent / "src" / "knowledge" / "data" / "accelerate.json"

ENUMERATIONS = [
    "ComputeEnvironment",
    "DistributedType",
    "SageMakerDistributedType",
    "PrecisionType",
    "FP8BackendType",
    "DynamoBackend",
]
LITERALS = ["FP8Format", "AmaxComputeAlgorithm", "OptLevel", "Backend"]
CONSTANTS = [
    "FSDP_SHARDING_STRATEGY",
    "FSDP_AUTO_WRAP_POLICY",
    "FSDP_BACKWARD_PREFETCH",
    "FSDP_STATE_DICT_TYPE",
    "DEEPSPEED_MULTINODE_LAUNCHERS",
    "TORCH_DYNAMO_MODES",
]
VARIABLE = re.compile(r"(ACCELERATE|FSDP|MEGATRON_LM|PARALLELISM_CONFIG)_[A-Z0-9_]+")
# Helpers of utils/environment.py whose first argument is the name, or the list of names, of what they read.
ENVIRONMENT_READERS = {"parse_flag_from_env", "parse_choice_from_env", "get_int_from_env", "getenv"}
TYPES = {"str", "int", "float", "bool", "str_to_bool"}


# ------------------------------------------------------------------------------------------------------------ releases
def version_key(version):
    return tuple(int(part) for part in version.split("."))


def releases_on_index():
    """Final releases of accelerate, ascending, as pip's index knows them."""
    command = [sys.executable, "-m", "pip", "index", "versions", "accelerate"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    listed = re.search(r"^Available versions: (.*)$", output, re.MULTILINE)
    versions = listed.group(1).split(", ")
    final = [version for version in versions if re.fullmatch(r"\d+\.\d+\.\d+", version)]
    return sorted((version for version in final if version_key(version) >= OLDEST), key=version_key)


def wheel_of(version, cache):
    """The wheel in the cache, downloaded if need be; None when the index does not give it."""
    pattern = f"accelerate-{version}-*.whl"
    found = next(cache.glob(pattern), None)
    if found is None:
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--disable-pip-version-check"]
        subprocess.run([*command, "--dest", str(cache), f"accelerate=={version}"], check=False)
        found = next(cache.glob(pattern), None)
    return found


# -------------------------------------------------------------------------------------------------------------- source
class Release:
    """The syntax trees of one wheel, by path inside the package."""

    def __init__(self, wheel):
        self.trees = {}
        with zipfile.ZipFile(wheel) as archive:
            for name in sorted(archive.namelist()):
                path = name.removeprefix("accelerate/")
                if path != name and path.endswith(".py") and not path.startswith("test_utils/"):
                    self.trees[path] = ast.parse(archive.read(name), name)
        self.constants = {}
        for path in ("commands/config/config_utils.py", "utils/constants.py"):
            for name, node in assignments(self.trees[path]):
                try:
                    self.constants[name] = evaluate(node, self.constants)
                except ValueError:
                    pass  # not a literal: nothing that the facts below refer to

    def class_of(self, path, name):
        return next((n for n in self.trees[path].body if isinstance(n, ast.ClassDef) and n.name == name), None)

    def function_of(self, path, name):
        return next(n for n in ast.walk(self.trees[path]) if isinstance(n, ast.FunctionDef) and n.name == name)


def assignments(tree):
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            yield node.targets[0].id, node.value


def evaluate(node, names):
    """The value of an expression of literals, names, `+`, f-strings, `int(…)` and `[x.lower() for x in NAME]`."""
    match node:
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return evaluate(left, names) + evaluate(right, names)
        case ast.JoinedStr(values=values):
            return "".join(str(evaluate(value, names)) for value in values)
        case ast.FormattedValue(value=value):
            return evaluate(value, names)
        case ast.Call(func=ast.Name(id="int"), args=[argument]):
            return int(evaluate(argument, names))
        case ast.ListComp(
            elt=ast.Call(func=ast.Attribute(value=ast.Name(id=item), attr="lower"), args=[]),
            generators=[ast.comprehension(target=ast.Name(id=variable), iter=source, ifs=[])],
        ) if item == variable:
            return [value.lower() for value in evaluate(source, names)]
    return ast.literal_eval(node)


def literal(value):
    """A Python value as JSON that keeps lists and tuples apart."""
    if isinstance(value, tuple):
        return {"tuple": [literal(item) for item in value]}
    if isinstance(value, list):
        return [literal(item) for item in value]
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    raise ValueError(f"no literal: {value!r}")


# --------------------------------------------------------------------------------------------------------------- facts
# Each function below yields (identity, fact): the identity names the fact in all releases, its order is the file's
# order, and the fact is what may change between releases.


def config_keys(release):
    path = "commands/config/config_args.py"
    base = release.class_of(path, "BaseConfig")
    for name in ("ClusterConfig", "SageMakerConfig"):
        defaults = dict(release.constants)
        for owner in (base, release.class_of(path, name)):
            for node in owner.body:
                if not isinstance(node, ast.AnnAssign):
                    continue
                key, default = node.target.id, node.value
                if isinstance(default, ast.Call) and default.func.id == "field":
                    default = next((k.value for k in default.keywords if k.arg == "default"), None)
                value = None if default is None else evaluate(default, defaults)
                defaults[key] = value
                fact = {"required": default is None, "default": literal(value), "source": f"{path}:{owner.name}"}
                yield (name, key), {"class": name, "name": key, **fact}


def argument_type(node):
    if node is None:
        return None
    if isinstance(node, ast.Name) and node.id in TYPES:
        return node.id
    if isinstance(node, ast.Lambda) and "map(str_to_bool" in ast.unparse(node):
        return "bool_tuple"
    raise ValueError(f"unknown argument type: {ast.unparse(node)}")


def flags(release):
    path = "commands/launch.py"
    function = release.function_of(path, "launch_command_parser")
    hyphens = parser_facts(release)["hyphens_allowed"]
    calls = [
        node
        for node in ast.walk(function)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "add_argument"
    ]
    for order, call in enumerate(sorted(calls, key=lambda call: call.lineno)):
        names = [ast.literal_eval(argument) for argument in call.args]
        keywords = {keyword.arg: keyword.value for keyword in call.keywords}
        options = [name for name in names if name.startswith("-")]
        long = next((option for option in options if option.startswith("--")), names[0])
        dest = ast.literal_eval(keywords["dest"]) if "dest" in keywords else long.lstrip("-").replace("-", "_")
        action = ast.literal_eval(keywords["action"]) if "action" in keywords else "store"
        if "nargs" in keywords:
            if ast.unparse(keywords["nargs"]) != "argparse.REMAINDER":
                raise ValueError(f"{dest}: unknown nargs")
            action = "remainder"
        if "default" in keywords:
            default = evaluate(keywords["default"], release.constants)
        elif action == "store_false":
            default = True
        elif action == "store_true":
            # CustomArgumentParser.add_argument puts in its own action class, whose default is None; its groups convert
            # argparse's own action and so keep False (commands/utils.py).
            default = None if hyphens and call.func.value.id == "parser" else False
        else:
            default = None
        choices = evaluate(keywords["choices"], release.constants) if "choices" in keywords else None
        yield (
            (dest, order),
            {
                "options": options,
                "dest": dest,
                "action": action,
                "type": argument_type(keywords.get("type")),
                "choices": choices,
                "default": literal(default),
                "source": f"{path}:launch_command_parser",
            },
        )


def parser_facts(release):
    """How the parser of `accelerate launch` takes option strings."""
    launch = release.function_of("commands/launch.py", "launch_command_parser")
    program = release.function_of("commands/accelerate_cli.py", "main")
    calls = [node for node in ast.walk(launch) if isinstance(node, ast.Call)]
    parsers = [call for call in calls if ast.unparse(call.func) == "subparsers.add_parser" or is_parser(call)]
    classes = {ast.unparse(call.func) for call in ast.walk(program) if isinstance(call, ast.Call) and is_parser(call)}
    classes |= {ast.unparse(call.func) for call in calls if is_parser(call)}
    custom = classes == {"CustomArgumentParser"}
    abbreviations = not all(
        any(k.arg == "allow_abbrev" and ast.literal_eval(k.value) is False for k in call.keywords) for call in parsers
    )
    helper = ast.unparse(release.trees["commands/utils.py"]) if custom else ""
    return {
        "hyphens_allowed": "option_string.replace('_', '-')" in helper,
        "abbreviations_allowed": abbreviations,
        "given_flags_recorded": "namespace.nondefault" in helper,
        "source": "commands/utils.py:CustomArgumentParser" if custom else "commands/launch.py:launch_command_parser",
    }


def is_parser(call):
    return ast.unparse(call.func).rpartition(".")[2] in ("ArgumentParser", "CustomArgumentParser")


def parser(release):
    yield ("parser",), parser_facts(release)


def enumerations(release):
    path = "utils/dataclasses.py"
    for name in ENUMERATIONS:
        owner = release.class_of(path, name)
        if owner is not None:
            members = [(key, node.value) for key, node in assignments(owner) if isinstance(node, ast.Constant)]
            names, values = [key for key, _ in members], [value for _, value in members]
            yield (name,), {"enumeration": name, "values": values, "names": names, "source": f"{path}:{name}"}
    types = dict(assignments(release.trees[path]))
    for name in LITERALS:
        if name in types:
            values = list(ast.literal_eval(types[name].slice))
            yield (name,), {"enumeration": name, "values": values, "names": [], "source": f"{path}:{name}"}
    for name in CONSTANTS:
        if name in release.constants:
            fact = {"values": release.constants[name], "names": [], "source": f"utils/constants.py:{name}"}
            yield (name,), {"enumeration": name, **fact}


class Environment:
    """Which function of the package reads, and which function of the launcher sets, which environment variable."""

    def __init__(self, release):
        self.reads, self.writes = set(), set()
        for path, tree in release.trees.items():
            self.visit(tree, path, "")

    def visit(self, scope, path, name):
        place = f"{path}:{name}" if name else path
        prefixes = [
            (node.lineno, node.targets[0].id, node.value.value)
            for node in ast.walk(scope)
            if isinstance(node, ast.Assign)
            and len(node.targets) == 1
            and isinstance(node.targets[0], ast.Name)
            and isinstance(node.value, ast.Constant)
            and isinstance(node.value.value, str)
        ]
        nodes = list(ast.iter_child_nodes(scope))
        while nodes:
            node = nodes.pop()
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                self.visit(node, path, f"{name}.{node.name}" if name else node.name)
                continue
            nodes.extend(ast.iter_child_nodes(node))
            for expression in read_names(node):
                self.record(self.reads, string_of(expression, prefixes), place)
            if path in ("utils/launch.py", "commands/launch.py"):
                for expression in written_names(node):
                    self.record(self.writes, string_of(expression, prefixes), place)

    @staticmethod
    def record(where, variable, place):
        if variable is not None and VARIABLE.fullmatch(variable):
            where.add((variable, place))


def is_environ(node):
    return ast.unparse(node) in ("os.environ", "environ")


def read_names(node):
    """The expressions whose values are names of environment variables that this node reads."""
    match node:
        case ast.Call(func=function, args=[first, *_]):
            called = ast.unparse(function).rpartition(".")[2]
            if called in ENVIRONMENT_READERS:
                return first.elts if isinstance(first, (ast.List, ast.Tuple)) else [first]
            if called in ("get", "pop", "setdefault") and is_environ(function.value):
                return [first]
        case ast.Subscript(value=value, slice=name, ctx=ast.Load()) if is_environ(value):
            return [name]
        case ast.Compare(left=name, ops=[ast.In() | ast.NotIn()], comparators=[right]) if is_environ(right):
            return [name]
    return []


def written_names(node):
    match node:
        case ast.Subscript(value=ast.Name(id="current_env" | "environment"), slice=name, ctx=ast.Store()):
            return [name]
        case ast.Dict(keys=names):
            return [name for name in names if isinstance(name, ast.Constant)]
    return []


def string_of(node, prefixes):
    """The text of a constant, of `prefix + "X"` or of an f-string, with the last literal assigned above that line."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name):
            assigned = [(line, text) for line, variable, text in prefixes if variable == name and line <= node.lineno]
            return max(assigned)[1] if assigned else None
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = [left, right]
        case ast.JoinedStr(values=values):
            parts = [value.value if isinstance(value, ast.FormattedValue) else value for value in values]
        case _:
            return None
    texts = [string_of(part, prefixes) for part in parts]
    return None if None in texts else "".join(texts)


def environment_reads(release):
    for variable, place in Environment(release).reads:
        yield (variable, place), {"variable": variable, "source": place}


def environment_writes(release):
    for variable, place in Environment(release).writes:
        yield (variable, place), {"variable": variable, "source": place}


def wizard_keys(release):
    path = "commands/config/cluster.py"
    function = release.function_of(path, "get_cluster_input")
    prefixes = [
        (node.lineno, node.targets[0].id, node.value.value)
        for node in ast.walk(function)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant) and isinstance(node.targets[0], ast.Name)
    ]
    for node in ast.walk(function):
        match node:
            case ast.Subscript(value=ast.Name(id=section), slice=name, ctx=ast.Store()) if section.endswith("_config"):
                key = string_of(name, prefixes)
                if key is None:
                    raise ValueError(f"{section}: unknown key {ast.unparse(name)}")
                yield (section, key), {"section": section, "key": key, "source": f"{path}:get_cluster_input"}


CATEGORIES = {
    "config_keys": config_keys,
    "flags": flags,
    "parser": parser,
    "enumerations": enumerations,
    "environment_reads": environment_reads,
    "environment_writes": environment_writes,
    "wizard_keys": wizard_keys,
}


# ---------------------------------------------------------------------------------------------------------------- rows
def rows_of(category, extracted):
    """Joins the facts of all releases to rows with intervals. `extracted`: [(version, [(identity, fact)])], ascending."""
    rows = {}
    for index, (_, facts) in enumerate(extracted):
        for identity, fact in facts:
            # A flag is the same fact wherever in the parser it stands: the position only orders flags of one `dest`.
            name = (identity[0], tuple(fact["options"])) if category == "flags" else identity
            history = rows.setdefault(name, {"order": identity, "spans": []})
            history["order"] = identity
            spans = history["spans"]
            if spans and spans[-1]["fact"] == fact and spans[-1]["end"] == index:
                continue  # the same key written at two places of one function
            if spans and spans[-1]["end"] == index:
                raise ValueError(f"{category} {name}: two different facts in one release")
            # `==` would take 1, 1.0 and True for equal.
            same = spans and json.dumps(spans[-1]["fact"]) == json.dumps(fact) and spans[-1]["end"] == index - 1
            if same:
                spans[-1]["end"] = index
            else:
                spans.append({"fact": fact, "begin": index, "end": index})
    newest = len(extracted) - 1
    for history in sorted(rows.values(), key=lambda history: history["order"]):
        for span in history["spans"]:
            fact = dict(span["fact"])
            source = fact.pop("source")
            last = None if span["end"] == newest else extracted[span["end"]][0]
            yield {"fact": fact, "first": extracted[span["begin"]][0], "last": last, "source": source}


def render(versions, cache):
    extracted = []
    for version in versions:
        wheel = wheel_of(version, cache)
        if wheel is None:
            print(f"accelerate {version}: no wheel, left out", file=sys.stderr)
            continue
        release = Release(wheel)
        extracted.append((version, {name: list(facts(release)) for name, facts in CATEGORIES.items()}))
    lines = ["{", '"releases": ' + json.dumps([version for version, _ in extracted])]
    for category in CATEGORIES:
        rows = list(rows_of(category, [(version, facts[category]) for version, facts in extracted]))
        lines[-1] += ","
        lines.append(f'"{category}": [')
        lines.extend(json.dumps(row) + "," for row in rows)
        lines[-1] = lines[-1].removesuffix(",")
        lines.append("]")
    return "\n".join([*lines, "}", ""])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("cache", type=Path, help="folder that keeps the downloaded wheels")
    arguments.add_argument("--check", action="store_true", help="write nothing, fail if the committed file differs")
    options = arguments.parse_args()
    options.cache.mkdir(parents=True, exist_ok=True)
    if not options.check:
        DATA.write_text(render(releases_on_index(), options.cache), encoding="utf-8")
        return 0
    committed = DATA.read_text(encoding="utf-8")
    extracted = render(json.loads(committed)["releases"], options.cache)
    difference = difflib.unified_diff(committed.splitlines(), extracted.splitlines(), "committed", "extracted", "", "", 0)
    text = "\n".join(difference)
    if text:
        print(text)
    return 1 if text else 0


if __name__ == "__main__":
    sys.exit(main())
