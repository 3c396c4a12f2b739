"""Holds the reader of launch commands against an independent one: lines, shlex and argparse.

    FP8LINT_LAUNCH_FILES=FOLDER cargo test --test launch_files -- --nocapture | grep '^{' > OURS.jsonl
    python tools/launch_commands.py FOLDER OURS.jsonl

Every line of FOLDER that holds `accelerate launch` is read here as well: continuation lines are joined, words are
split by shlex, flags are read by argparse with the options of all releases. Differences are printed to be judged by
people: text that is no command (an `echo`, Python code, a comment at the end of a line) counts as "not found".
"""

import argparse
import collections
import json
import pathlib
import re
import shlex
import sys

FACTS = pathlib.Path(__file__).parent.parent / "src/knowledge/data/accelerate.json"
LAUNCH = re.compile(r"accelerate[ -]launch\b|accelerate\.commands\.launch\b")
ASSIGNMENT = re.compile(r"^\s*(?:export\s+|local\s+)?([A-Za-z_]\w*)=(.*)$")
COMPUTED = re.compile(r"\$\(\((?:[^()]|\([^()]*\))*\)\)|\$\([^()]*\)|`[^`]*`")
VARIABLE = re.compile(r"\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))")
PROSE = (".md", ".mdx", ".rst", ".qmd")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        raise ValueError(message)


def parser():
    """The options of every release; where releases differ, those of the newest."""
    made = Parser(add_help=False, allow_abbrev=False)
    seen = set()
    for row in reversed(json.loads(FACTS.read_text())["flags"]):
        fact = row["fact"]
        options = [option for option in fact["options"] if option not in seen]
        if not options:
            continue
        seen.update(options)
        options += [option.replace("_", "-") for option in options if "_" in option]
        takes_value = fact["action"] in ("store", "append")
        made.add_argument(*options, dest=fact["dest"], action="store" if takes_value else "store_true")
    made.add_argument("training_script", nargs="?")
    made.add_argument("rest", nargs=argparse.REMAINDER)
    return made


def joined(lines, start):
    """The line with its continuation lines, and the number of the last one."""
    parts = []
    for number in range(start, len(lines)):
        line = lines[number].rstrip("\r")
        if not line.endswith("\\"):
            return " ".join([*parts, line]), number
        parts.append(line[:-1])
    return " ".join(parts), len(lines)


def split(text):
    """The words up to the end of the command, and what shlex says against the text."""
    for _ in range(4):
        text = COMPUTED.sub("$COMPUTED", text)
    lexer = shlex.shlex(text, posix=True, punctuation_chars=";&|<>()")
    lexer.whitespace_split = True
    words = []
    try:
        for word in lexer:
            if word and set(word) <= set(";&|<>()"):
                if words and words[-1] in ("1", "2"):
                    words.pop()
                break
            words.append(word)
    except ValueError as error:
        return words, str(error)
    return words, None


def literals(lines):
    """The variables that are assigned one word once."""
    values = collections.defaultdict(list)
    for number, line in enumerate(lines):
        if ASSIGNMENT.match(line):
            name, value = ASSIGNMENT.match(joined(lines, number)[0]).groups()
            values[name].append(value)
    found = {}
    for name, given in values.items():
        try:
            words = shlex.split(given[0], comments=True)
        except ValueError:
            continue
        if len(given) == len(words) == 1:
            found[name] = words[0]
    return found


def filled(word, known):
    for _ in range(4):
        word = VARIABLE.sub(lambda match: known.get(match[1] or match[2], match[0]), word)
    return word


def commands(path):
    """Line, words, what is wrong, config file, script and flags of each command."""
    lines = path.read_text(encoding="utf-8", errors="replace").split("\n")
    known = literals(lines)
    in_fence, last = False, -1
    for number, line in enumerate(lines):
        if line.lstrip(" >").startswith(("```", "~~~")):
            in_fence = not in_fence
        found = LAUNCH.search(line)
        if number <= last or not found or line.lstrip().startswith("#"):
            continue
        if path.suffix in PROSE and not in_fence:
            continue
        text, last = joined(lines, number)
        words, error = split(text[found.end() :])
        words = [filled(word, known) for word in words]
        try:
            read = PARSER.parse_args(words)
        except ValueError as refused:
            yield number + 1, words, error or str(refused), None, None, None
            continue
        script = read.training_script
        flags = words[: len(words) - len(read.rest) - (script is not None)]
        yield number + 1, words, error, read.config_file, script, flags


def is_same(ours, theirs):
    return ours == theirs or (ours is None and theirs is not None and "$" in theirs)


def agrees(ours, config, script, flags):
    return (
        flags is not None
        and is_same(ours["config"], config)
        and is_same(ours["script"], script)
        and len(ours["flags"]) == len(flags)
        and all(map(is_same, ours["flags"], flags))
    )


def main(folder, answers):
    ours = collections.defaultdict(list)
    for line in open(answers):
        command = json.loads(line)
        if command["program"] == "AccelerateLaunch":
            ours[command["path"]].append(command)
    counts = collections.Counter()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = str(path.relative_to(folder))
        left, pending = list(ours[name]), []

        def count(what, *shown):
            counts[what] += 1
            if what != "same":
                print(what.upper(), name, *shown, sep="\n   ")

        for line, words, error, *read in commands(path):
            counts["commands"] += 1
            here = [one for one in left if one["line"] <= line <= one["line"] + one["written"].count("\n")]
            here.sort(key=lambda one: not agrees(one, *read))
            if not here:
                pending.append((line, words, error, read))
                continue
            left.remove(here[0])
            if agrees(here[0], *read):
                count("same")
            else:
                own = [here[0][key] for key in ("config", "script", "flags")]
                count("different", line, f"ours:   {own}", f"theirs: {read}", error)
        # The text may stand in a variable that another line runs.
        for line, words, error, read in pending:
            alike = [one for one in left if agrees(one, *read)]
            if alike:
                left.remove(alike[0])
                count("same")
            else:
                count("not found", line, " ".join(words)[:200], error)
        for one in left:
            count("ours alone", one["line"], one["written"][:160], one["config"], one["script"], one["flags"])
    print(dict(counts))


PARSER = parser()
if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]), sys.argv[2])
