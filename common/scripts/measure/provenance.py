#!/usr/bin/env python3
"""Where the figures of docs/results come from: each FILE.csv or .txt has a FILE.json beside it.

  provenance.py write FILE.csv COMMAND...   writes FILE.json for what COMMAND has just measured here
  provenance.py add FILE.csv COMMAND...     the same for rows that it has added: both origins are kept
  provenance.py --update                    writes the table of docs/results/README.md anew
  provenance.py --check                     fails where a file or a key is missing, or the table is old

The scripts that measure call these themselves. RUNGS_COMMIT in the environment is the commit where git
cannot tell it. A value that is not known is null, and `origin` says what that means: complete (nothing
is null), partial, or unknown (neither commit nor command).
Exit status: 0 all is well, 1 something is not, 2 bad usage, 4 a file not readable or not writable."""
import datetime
import json
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import tracked  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
RESULTS = "docs/results"
TABLE = re.compile(r"(?<=<!-- results -->\n).*?(?=<!-- end results -->)", re.S)
KEYS = ("commit", "date", "card", "processor", "driver", "cuda", "clocks", "command")


def said_by(*command):
    """The output of a program, or None if it is not installed or fails."""
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT,
                              universal_newlines=True, check=False)
    except OSError:
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def commit():
    """The commit of the sources, with a mark if they have changed since."""
    if os.environ.get("RUNGS_COMMIT"):
        return os.environ["RUNGS_COMMIT"]
    hash_ = said_by("git", "rev-parse", "--short=10", "HEAD")
    changed = said_by("git", "status", "--porcelain", "--untracked-files=no", "--", ":!" + RESULTS)
    return hash_ and hash_ + ("-changed" if changed else "")


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"^model name\s*: (.*)$", file.read(), re.M)
    return "%s; %d processors" % (model.group(1) if model else os.uname().machine, os.cpu_count())


def measured_here(command):
    asked = said_by("nvidia-smi", "--format=csv,noheader",
                    "--query-gpu=name,driver_version,clocks.max.sm,clocks.max.memory,power.limit")
    cards = [line.split(", ") for line in (asked or "").splitlines()]
    toolkit = re.search(r"release ([\d.]+)", said_by("nvcc", "--version") or "")
    facts = {
        "commit": commit(), "date": datetime.date.today().isoformat(), "card": None,
        "processor": processor(), "driver": None, "cuda": None, "clocks": None, "command": command}
    if cards:
        name, facts["driver"], sm, memory, power = cards[0]
        facts["card"] = name if len(cards) == 1 else "%d x %s" % (len(cards), name)
        facts["clocks"] = "SM at most %s, memory at most %s, power limit %s" % (sm, memory, power)
        facts["cuda"] = toolkit and toolkit.group(1)
    return facts


def origin(facts):
    """complete, partial or unknown. A run without a GPU needs no card, driver, CUDA or clocks."""
    wanted = [key for key in KEYS if facts.get("card") or key not in ("card", "driver", "cuda", "clocks")]
    if all(facts.get(key) for key in wanted):
        return "complete"
    return "partial" if facts.get("command") or facts.get("commit") else "unknown"


def write(path, facts, add=False):
    if add and os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            before = json.load(file)
        for key in KEYS:
            if before.get(key) and facts[key] and facts[key] not in before[key].split(" and "):
                facts[key] = before[key] + " and " + facts[key]
    with open(path, "w", encoding="utf-8") as file:
        json.dump(dict({"origin": origin(facts)}, **facts), file, indent=2, ensure_ascii=False)
        file.write("\n")


def table(root):
    """(the lines of the table, the errors)"""
    lines, wrong = ["| figures | origin | date | measured on |\n", "|---|---|---|---|\n"], []
    for path in tracked.files(root):
        if not re.match(RESULTS + r"/[^/]*\.(csv|txt)$", path):
            continue
        name = os.path.basename(path)[:-4]
        try:
            with open(os.path.join(root, RESULTS, name + ".json"), encoding="utf-8") as file:
                facts = json.load(file)
        except (OSError, ValueError) as problem:
            wrong.append("%s: expected %s.json beside it: %s" % (path, name, problem))
            continue
        wrong += ["%s.json has no %s" % (path[:-4], key) for key in KEYS if key not in facts]
        if facts.get("origin") != origin(facts):
            wrong.append("%s.json: its origin is %s" % (path[:-4], origin(facts)))
        where = facts.get("card") or facts.get("processor") or "not told"
        lines.append("| [%s](%s) | [%s](%s.json) | %s | %s |\n" % (
            name, os.path.basename(path), facts.get("origin"), name, facts.get("date") or "not told", where))
    return "".join(lines), wrong


def main(words):
    if len(words) > 2 and words[0] in ("write", "add"):
        write(os.path.splitext(words[1])[0] + ".json", measured_here(" ".join(words[2:])), words[0] == "add")
        return 0
    if words not in (["--update"], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    lines, wrong = table(ROOT)
    readme = os.path.join(ROOT, RESULTS, "README.md")
    with open(readme, encoding="utf-8") as file:
        text = file.read()
    now = TABLE.sub(lambda match: lines, text)
    if words == ["--update"]:
        with open(readme, "w", encoding="utf-8") as file:
            file.write(now)
    elif now != text or not TABLE.search(text):
        wrong.append(RESULTS + "/README.md: the table is old: common/scripts/measure/provenance.py --update")
    print("\n".join(wrong) if wrong else "provenance.py: %d files" % (lines.count("\n") - 2))
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except OSError as error:
        print("provenance.py: %s" % error, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
