#!/usr/bin/env python3
"""
Chooses, from many recorded answers of the oracle, a few that cover every branch seen: tests/recorded/accelerate.jsonl.

  python3 tools/select_recorded.py ANSWERS.jsonl ... > tests/recorded/accelerate.jsonl
  python3 tools/select_recorded.py --boundaries ANSWERS.jsonl > tests/recorded/boundaries.jsonl
  python3 tools/select_recorded.py --all CASES.jsonl ANSWERS.jsonl > tests/recorded/examples.jsonl

A case is kept where it shows something that no kept one shows: an exception (type, message without its values, function)
or a verdict with its launcher and the recipe variables, each in the versions given. Of each answer only what the tests
compare is kept. Of the same case under many releases (tools/boundary_cases.py), the first and the last of each run of
releases with the same answer are kept.
"""

import json
import re
import sys

from agreement import STAGES, exception_of, left_out, recipe


def general(message):
    """The message without the values that it quotes."""
    message = re.sub(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\[.*?\]|\d+(\.\d+)*", "*", message)
    return message[:80]


def function(exception):
    return re.sub(r":\d+$", "", exception.get("where") or "")


def shows(case, result):
    seen = []
    for stage in STAGES:
        exception = exception_of(result, stage)
        if exception:
            seen.append((stage, exception["type"], general(exception["message"]), function(exception)))
    launch = result.get("launch") or {}
    environment = recipe(launch.get("env") or {})
    outcome = (result["verdict"], launch.get("launcher"), case.get("mode"), tuple(sorted(environment)), bool(case.get("code")))
    return [("exception", case["accelerate"], item) for item in seen] or [("outcome", case["accelerate"], outcome)]


def kept(result):
    launch = result.get("launch")
    answer = {"verdict": result["verdict"]}
    if launch is not None and result["verdict"] != "raises@import":
        answer["launcher"] = launch.get("launcher")
        answer["environment"] = recipe(launch.get("env") or {})
    for stage in STAGES:
        kind = exception_of(result, stage).get("type")
        if kind:
            answer[f"{stage}_exception"] = kind
    return answer


def keep_all(cases, answers):
    with open(cases, encoding="utf-8") as left, open(answers, encoding="utf-8") as right:
        for case, result in zip(left, right, strict=True):
            print(json.dumps({"case": json.loads(case), "answer": kept(json.loads(result))}))


def keep_boundaries(answers):
    runs = {}
    with open(answers, encoding="utf-8") as lines:
        for line in lines:
            record = json.loads(line)
            case, result = record["case"], record["result"]
            case.pop("id", None)
            # The oracle imports the program even where a case does not launch with it.
            imports = result["verdict"] == "raises@import" and case.get("mode")
            if left_out(case, result) or imports:
                continue
            same = json.dumps({key: value for key, value in case.items() if key != "accelerate"}, sort_keys=True)
            found = runs.setdefault(same, [])
            answer = kept(result)
            if found and found[-1][-1]["answer"] == answer:
                found[-1][1:] = [{"case": case, "answer": answer}]
            else:
                found.append([{"case": case, "answer": answer}])
    for found in runs.values():
        for run in found:
            for record in run:
                print(json.dumps(record))


def main():
    if sys.argv[1] == "--boundaries":
        return keep_boundaries(sys.argv[2])
    if sys.argv[1] == "--all":
        return keep_all(*sys.argv[2:])
    seen, budget = set(), {}
    for name in sys.argv[1:]:
        with open(name, encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                case, result = record["case"], record["result"]
                new = [item for item in shows(case, result) if item not in seen]
                if left_out(case, result) or case.get("config") or not new:
                    continue
                # Enough of one thing in enough versions.
                if all(budget.get(item[2], 0) >= 4 for item in new):
                    continue
                for item in new:
                    seen.add(item)
                    budget[item[2]] = budget.get(item[2], 0) + 1
                case.pop("id", None)
                print(json.dumps({"case": case, "answer": kept(result)}))


if __name__ == "__main__":
    main()
