"""Records what PyYAML 6.0.4 and Python's json make of tests/reader's inputs and of the corpus.

    python tools/record_pyyaml.py [CORPUS]

Needs PyYAML 6.0.4. Writes tests/reader/recorded.jsonl and, where CORPUS is given, tests/reader/corpus.tsv.
"""

import json
import pathlib
import sys

import yaml

from pyyaml_oracle import canonical, fnv, load, record, typed
from reader_inputs import JSON, YAML

HERE = pathlib.Path(__file__).resolve().parent.parent / "tests" / "reader"
SCALAR_PLACES = ["k: {}", "- {}", "{}: v", "[{}]", "{{a: {}}}", "{}", "k: ! {}", "!!set {{{}}}", "? {}"]


def main():
    assert yaml.__version__ == "6.0.4", yaml.__version__
    scalars = [line.replace("\\n", "\n") for line in (HERE / "scalars.txt").read_text().split("\n")[:-1]]
    texts = [("yaml", place.format(scalar)) for scalar in scalars for place in SCALAR_PLACES]
    texts += [("yaml", text) for text in YAML] + [("json", text) for text in JSON]
    with open(HERE / "recorded.jsonl", "w") as out:
        for syntax, text in dict.fromkeys(texts):
            out.write(json.dumps(record(syntax, text)) + "\n")
    if len(sys.argv) > 1:
        corpus = pathlib.Path(sys.argv[1])
        with open(HERE / "corpus.tsv", "w") as out:
            for path in sorted(corpus.rglob("*")):
                if path.suffix in (".yaml", ".yml", ".json") and path.is_file():
                    out.write(f"{path.relative_to(corpus)}\t{corpus_outcome(path)}\n")


def corpus_outcome(path):
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return "UnicodeDecodeError"
    kind, outcome = load("json" if path.suffix == ".json" else "yaml", text)
    return outcome if kind == "error" else fnv(canonical(typed(outcome)))


if __name__ == "__main__":
    main()
