"""What PyYAML and Python's json make of a text, in a form that Rust can compare."""

import contextlib
import datetime
import io
import json
import re
import sys

import yaml


def typed(value, above=()):
    """JSON that keeps Python's types apart."""
    if id(value) in above:
        return {"recursive": True}
    inner = (*above, id(value))
    match value:
        case None | bool():
            return value
        case str():
            # Rust has no lone surrogates.
            return re.sub("[\ud800-\udfff]", "\ufffd", value)
        case int():
            return {"int": str(value)}
        case float():
            return {"float": repr(value)}
        case bytes():
            return {"bytes": value.hex()}
        case datetime.datetime():
            return {"datetime": str(value)}
        case datetime.date():
            return {"date": str(value)}
        case list():
            return [typed(element, inner) for element in value]
        case tuple():
            return {"tuple": [typed(element, inner) for element in value]}
        case dict():
            return {"dict": [[typed(key, inner), typed(element, inner)] for key, element in value.items()]}
        case set():
            return {"set": sorted((typed(element, inner) for element in value), key=canonical)}
    raise TypeError(type(value))


def canonical(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def fnv(text):
    """FNV-1a, 64 bits."""
    state = 0xCBF29CE484222325
    for byte in text.encode("utf-8"):
        state = (state ^ byte) * 0x100000001B3 & 0xFFFFFFFFFFFFFFFF
    return f"{state:016x}"


def opened(text):
    """The text as `open(file, encoding="utf-8")` gives it: with universal newlines."""
    return io.TextIOWrapper(io.BytesIO(text.encode("utf-8")), encoding="utf-8")


@contextlib.contextmanager
def deep():
    """Room for this script's own recursion over what Python's limit let through."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(20_000)
    yield
    sys.setrecursionlimit(limit)


def load(syntax, text):
    """("value", value) or ("error", class name)."""
    try:
        return "value", yaml.safe_load(opened(text)) if syntax == "yaml" else json.load(opened(text))
    except Exception as error:
        return "error", type(error).__name__


def record(syntax, text):
    kind, outcome = load(syntax, text)
    row = {"syntax": syntax, "text": text}
    if kind == "error":
        return row | {"error": outcome}
    with deep():
        value = typed(outcome)
        text = canonical(value)
    # serde_json reads 128 levels.
    if len(text) > 900:
        return row | {"hash": fnv(text)}
    row["value"] = value
    shown = repr(outcome)
    # The order of a Python set is not that of the file, and a recursive object has no end.
    if "..." not in shown and "\"set\"" not in text and "\\ud" not in shown:
        row["repr"] = shown
    return row
