#!/usr/bin/env python3
"""Keeps the pages true: docs.py --check | --update [--root FOLDER]

In every README.md of the steps, the one at the top and all of docs/ these are compared with what they
come from, and with --update written anew:

  <!-- snippet: PATH NAME -->       lines of the function, kernel, struct or macro NAME in the source PATH:
  ```c                              a run of its lines as they stand there. A page chooses which; where
  ```                               the source has changed, --update keeps the first and last line that
  <!-- end snippet -->              are still there and takes all between them.

  <!-- table: FILE.csv              rows of docs/results/FILE.csv; see table_of().
  ... -->
  <!-- end table -->

  <!-- values: FILE.csv             names for numbers out of docs/results/FILE.csv, and what the text says
  gain = ... : .2f                  of them; see values_of(). The text has them as
  claim: gain > 1.5                 <!--=gain-->1.87<!--/--> times as fast
  -->

  <!-- counts: PROGRAM ARGUMENTS    counters of the CPU back end, from common/simt/tests/rung_counts.txt,
  ... -->                           which the tests compare with what the programs count; see counts_of().
  <!-- end counts -->

  <!-- plot: NAME OPTION... FILE.csv... = HASH -->
  ![...](pictures/NAME.svg)         drawn by plot_results.py from files of docs/results. HASH is of those files
                                    and of plot_results.py: it tells, also where matplotlib is missing, that
                                    the picture is not of these data; --update draws it anew.

A number with a unit, or one in a table, that stands in none of these looks like a measurement typed by
hand, and is refused. One that is none says so, and why, by a mark before it (before the first line of a table):
<!--calc--> follows by arithmetic or by counting in the code, <!--cited--> is somebody else's, with the source in
the text, <!--given--> is a setting or an assumption.

It further asks for: links and anchors that lead somewhere, paths in `code` that exist, every rung of a
step's main.c on the step's page and in its README, every page in the index, every file of docs/results on
some page, and pictures that are well-formed SVG.

Exit status: 0 all is as it should be, 1 something differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import argparse
import csv
import difflib
import hashlib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

# ---- pages ---------------------------------------------------------------------------------------


class Wrong(Exception):
    """What is wrong with a page, in one line."""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_pages(root):
    """Paths relative to root, with forward slashes."""
    pages = []
    for folder in [""] + sorted(os.listdir(root)):
        if folder and folder != "docs" and not re.match(r"\d\d_", folder):
            continue
        for here, folders, files in os.walk(os.path.join(root, folder)):
            folders.sort()
            if folder == "":
                folders.clear()
            for name in sorted(files):
                if name.endswith(".md"):
                    pages.append(os.path.relpath(os.path.join(here, name), root).replace(os.sep, "/"))
    return pages


def without_code(text):
    """The text with what stands in fences and comments blanked out, line by line."""
    text = re.sub(r"<!--.*?-->", lambda m: "\n" * m.group().count("\n"), text, flags=re.S)
    lines, fence = [], None
    for line in text.split("\n"):
        mark = re.match(r"\s*(```+|~~~+)", line)
        if fence is None and mark:
            fence = mark.group(1)
            line = ""
        elif fence is not None:
            if mark and mark.group(1).startswith(fence):
                fence = None
            line = ""
        lines.append(line)
    return "\n".join(lines)


def line_of(text, at):
    return text.count("\n", 0, at) + 1


# ---- snippets ------------------------------------------------------------------------------------


def code_only(line):
    """The line without comments, strings and characters, roughly: enough to count braces."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', "", line)
    return re.sub(r"//.*|/\*.*?(\*/|$)", "", line)


def end_of_definition(lines, start):
    """The line of the closing brace if what begins here has a body, else None."""
    depth = parentheses = 0
    opened = False
    for at in range(start, len(lines)):
        for sign in code_only(lines[at]):
            if sign == "(":
                parentheses += 1
            elif sign == ")":
                parentheses -= 1
            elif sign == "{":
                depth += 1
                opened = True
            elif sign == "}":
                depth -= 1
                if opened and depth == 0:
                    return at
            elif sign == ";" and not opened and parentheses == 0:
                return None
    return None


def definitions(lines, name):
    """Every (first, last) line of what may be the definition of name."""
    word = re.compile(r"\b%s\b" % re.escape(name))
    found = []
    for at, line in enumerate(lines):
        if re.match(r"\s*#\s*define\s+%s\b" % re.escape(name), line):
            last = at
            while lines[last].rstrip().endswith("\\") and last + 1 < len(lines):
                last += 1
            found.append((at, last))
        elif word.search(code_only(line)) and not re.match(
                r"\s*(#|\*|if|for|while|switch|return|else|do)\b|\s*[#*]", line):
            last = end_of_definition(lines, at)
            if last is not None:
                first = at
                while first > 0 and re.match(r"\s*(template\b|__|static\b|extern\b|inline\b)",
                                             lines[first - 1]) and not lines[first - 1].rstrip().endswith((";", "}")):
                    first -= 1
                found.append((first, last))
    return found


def position_of(excerpt, lines):
    """Where in lines the excerpt stands, or None."""
    for at in range(len(lines) - len(excerpt) + 1):
        if lines[at:at + len(excerpt)] == excerpt:
            return at
    return None


def snippet_of(root, path, name, excerpt):
    """What the source has in the excerpt's place."""
    try:
        lines = read(os.path.join(root, path)).rstrip("\n").split("\n")
    except OSError as error:
        raise Wrong("snippet %s: %s" % (path, error.strerror)) from error
    bodies = [lines[first:last + 1] for first, last in definitions(lines, name)]
    if not bodies:
        raise Wrong("snippet %s: no definition of %s" % (path, name))
    if not any(line.strip() for line in excerpt):
        return bodies[0]
    for body in bodies:
        if position_of(excerpt, body) is not None:
            return excerpt
    # The source has changed: the span from the first line that is still there to the last.
    best = None
    for body in bodies:
        matcher = difflib.SequenceMatcher(None, excerpt, body, autojunk=False)
        blocks = [block for block in matcher.get_matching_blocks() if block.size > 0]
        if not blocks or not any(line.strip(" {}") for block in blocks
                                 for line in excerpt[block.a:block.a + block.size]):
            continue
        first = max(0, blocks[0].b - blocks[0].a)
        last = min(len(body), blocks[-1].b + (len(excerpt) - blocks[-1].a))
        kept = sum(block.size for block in blocks)
        if best is None or kept > best[0]:
            best = (kept, body[first:last])
    if best is None:
        raise Wrong("snippet %s %s: none of its lines are there any more; choose others by hand"
                    % (path, name))
    return best[1]


SNIPPET = re.compile(r"<!-- snippet: (?P<path>\S+) (?P<name>\S+) -->\n(?P<inside>.*?)<!-- end snippet -->", re.S)


def renew_snippets(root, text, complain):
    def renew(match):
        inside = re.fullmatch(r"(```\w*)\n(.*?)```\n", match["inside"], re.S)
        if not inside:
            complain(line_of(text, match.start()), "a snippet is a fence with ```c and nothing else")
            return match.group()
        excerpt = inside.group(2).rstrip("\n").split("\n") if inside.group(2) else [""]
        try:
            now = snippet_of(root, match["path"], match["name"], excerpt)
        except Wrong as wrong:
            complain(line_of(text, match.start()), str(wrong))
            return match.group()
        if now == excerpt:
            return match.group()
        return "<!-- snippet: %s %s -->\n%s\n%s\n```\n<!-- end snippet -->" % (
            match["path"], match["name"], inside.group(1), "\n".join(now))

    if text.count("<!-- snippet:") != text.count("<!-- end snippet -->"):
        complain(1, "<!-- snippet: and <!-- end snippet --> do not pair")
    return SNIPPET.sub(renew, text)


# ---- tables --------------------------------------------------------------------------------------


def number_text(text, form):
    """`form` is what Python's format() takes; x0.5 in front multiplies: 'x0.001 ,.1f'."""
    if text == "":
        return "-"
    match = re.match(r"x(\S+)\s+(.*)", form)
    value = float(text)
    if match:
        value *= float(match.group(1))
        form = match.group(2)
    if form.endswith("d"):
        return format(int(round(value)), form)
    return format(value, form)


SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def expand(text):
    """64K as the files write it: 65536."""
    match = re.fullmatch(r"(\d+)([KMG])", text)
    return str(int(match.group(1)) * SIZES[match.group(2)]) if match else text


def parse_conditions(text):
    conditions = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise Wrong("want NAME=VALUE, not '%s'" % word)
        conditions[name] = [expand(one) for one in value.split("|")]
    return conditions


def select(rows, conditions):
    for name in conditions:
        if rows and name not in rows[0]:
            raise Wrong("no column '%s' in the file" % name)
    return [row for row in rows if all(row[name] in values for name, values in conditions.items())]


class Parameters(dict):
    """The lines 'key: value' and 'heading = value' of a comment. Those with a key of known are entries of this, those
    of repeated lists of it; of all others, which are columns, (heading, (value, '=' or ':')) is in .columns."""

    def __init__(self, text, known, repeated=()):
        super().__init__()
        self.columns = []
        self.repeated = {key: [] for key in repeated}
        for line in text.strip().split("\n"):
            if not line.strip():
                continue
            key, colon, value = line.partition(": ")
            if colon and key.strip() in repeated:
                self.repeated[key.strip()].append(value.strip())
            elif colon and key.strip() in known:
                self[key.strip()] = value.strip()
            else:
                if " = " in line:
                    key, colon, value = line.partition(" = ")
                if not colon:
                    raise Wrong("want 'KEY: VALUE' or 'HEADING = COLUMN ...', not '%s'" % line.strip())
                self.columns.append((key.strip(), (value.strip(), colon.strip())))


def markdown_table(headings, rows, left):
    """left: whether a column is of words."""
    lines = ["| %s |" % " | ".join(headings)]
    lines.append("|%s|" % "|".join("---" if is_left else "---:" for is_left in left))
    lines.extend("| %s |" % " | ".join(row) for row in rows)
    return "\n".join(lines) + "\n"


class Results:
    """Rows of one file of docs/results, or of the counts of one run, and what expressions say of them."""

    def __init__(self, root, source, where=""):
        self.root = root
        self.rows = select(rows_of(root, source), parse_conditions(where))

    def look_up(self, text, defaults, combine):
        """[COLUMN NAME=VALUE ...], or of another file [FILE.csv COLUMN NAME=VALUE ...], to which where: does not
        apply. COLUMN may be a product, COLUMN*COLUMN."""
        words, rows = text.split(), self.rows
        if words and words[0].endswith(".csv"):
            rows = rows_of(self.root, words.pop(0))
        if not words:
            raise Wrong("want a column in []")
        conditions = parse_conditions(" ".join(words[1:]))
        for name in set(conditions) & {"rung", "kernel"}:
            for value in conditions[name]:
                if not any(row.get(name) == value for row in rows):
                    raise Wrong("there is no %s '%s' for [%s]" % (name, value, text))
        for name, allowed in defaults.items():
            if rows and name in rows[0]:
                conditions.setdefault(name, allowed)
        found = select(rows, conditions)
        columns = words[0].split("*")
        for column in columns:
            if found and column not in found[0]:
                raise Wrong("no column '%s'" % column)
        numbers = []
        for row in found:
            if all(row[column] != "" for column in columns):
                numbers.append(1.0)
                for column in columns:
                    numbers[-1] *= float(row[column])
        if combine == "count":
            return len(numbers)
        if not numbers:
            return None
        if not combine and len(numbers) > 1:
            raise Wrong("%d rows fit [%s]; say which, or min[], max[], median[]" % (len(numbers), text))
        return {"": min, "min": min, "max": max, "sum": sum, "median": statistics.median}[combine](numbers)

    def calculate(self, expression, names, defaults):
        """The value of an expression, or None where a row is missing; True or False of a comparison. min and max
        pass over what is missing."""
        missing = []

        def number(match):
            value = self.look_up(match["text"], defaults, match["combine"] or "")
            if value is None:
                missing.append(match["text"])
            return "(%r)" % value

        def of_those_there(choose):
            return lambda *values: choose([value for value in values if value is not None], default=None)

        def name(match):
            if match.group() not in names:
                raise Wrong("no value '%s'" % match.group())
            return "(%r)" % names[match.group()]

        expression = LOOK_UP.sub(number, expression)
        expression = re.sub(r"(?<![\w.)])(?!(?:min|max|abs|and|None)\b)[A-Za-z_]\w*", name, expression)
        if re.search(r"[^\w.+\-*/()<>=, ]|__", expression):
            raise Wrong("cannot calculate '%s'" % expression)
        try:
            return eval(expression, {"__builtins__": {}},
                        {"min": of_those_there(min), "max": of_those_there(max), "abs": abs})
        except TypeError as error:
            if missing:
                return None
            raise Wrong("cannot calculate '%s': %s" % (expression, error)) from error
        except (SyntaxError, NameError, ZeroDivisionError) as error:
            raise Wrong("cannot calculate '%s': %s" % (expression, error)) from error

    def text_of(self, expression, names, defaults):
        """EXPRESSION : FORM, or LOW to HIGH : FORM; range[...] is min[...] to max[...]. And the last number."""
        expression, colon, form = expression.rpartition(" : ")
        if not colon:
            raise Wrong("want EXPRESSION : FORMAT, not '%s'" % form)
        expression = re.sub(r"\brange(\[[^\]]*\])", r"min\1 to max\1", expression)
        values = [self.calculate(part, names, defaults) for part in expression.split(" to ")]
        texts = [number_text("" if value is None else repr(value), form.strip()) for value in values]
        return " to ".join(dict.fromkeys(texts)), values[-1]


LOOK_UP = re.compile(r"(?P<combine>\b(?:min|max|sum|median|count))?\[(?P<text>[^\]]*)\]")


def rows_of(root, source):
    """Of FILE.csv, or of PROGRAM ARGUMENTS in common/simt/tests/rung_counts.txt."""
    if not source.endswith(".csv"):
        run = read_counts(root).get(source)
        if run is None:
            raise Wrong("no run '%s' in common/simt/tests/rung_counts.txt" % source)
        return [dict({name: str(value) for name, value in counters.items()}, rung=rung)
                for rung, counters in run.items()]
    try:
        with open(os.path.join(root, "docs", "results", source), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    except OSError as error:
        raise Wrong("docs/results/%s: %s" % (source, error.strerror)) from error


def heading_text(name):
    """A size as people write it: 1048576 as 1M, 2048x2048x1024 as 2048 x 2048 x 1024."""
    if re.fullmatch(r"\d+(x\d+)+", name):
        return name.replace("x", " x ")
    if name.isdigit():
        for letter, size in reversed(list(SIZES.items())):
            if int(name) % size == 0 and int(name) > 0:
                return "%d%s" % (int(name) // size, letter)
    return name


def table_of(root, arguments, body):
    """A table with a line for every value of one column, in the order of the file:

      <!-- table: FILE.csv
      where: op=dot type=f32 cache=warm          conditions on all rows; a|b for one of two
      row: rung                                  what a line stands for; "row: shape as n" has another heading
      only: serial|interleaved                   these lines only, in this order
      64K: us = median_us .2f shape=64K          a column: heading, the file's column, how to write the
      GB/s = gb_per_s ,.0f shape=64M             number, further conditions
      times = median_us .2f / median_us shape=.. over the same line's, under other conditions
      saved = median_us .2f / median_us rung=a   or over another line's
      best = min[median_us] * 2 : .2f            an expression as in values_of(), with the line's conditions;
                                                 @ stands for the line's name
      why = text                                 words
      serial: 255 additions in a row             of this line, one for each column of words
      -->

    In place of row: and only:, lines may be spelled out, with their first cells and conditions; in expressions
    @1 is the number in the first cell, and a condition may have @2 for the second one, without its `:

      cells: bytes | rung                        headings of the first cells
      line: 4 KB | `shuffle` = rung=shuffle op=sum"""
    parameters = Parameters(body, ("where", "row", "only", "cells"), ("line",))
    source = arguments.strip()
    results = Results(root, source, parameters.get("where", ""))
    key, _, heading = parameters.get("row", "rung").partition(" as ")
    if parameters.repeated["line"]:
        lines = []
        for line in parameters.repeated["line"]:
            cells, equals, conditions = line.rpartition(" = ")
            if not equals:
                raise Wrong("want 'line: CELL | CELL = CONDITIONS', not '%s'" % line)
            lines.append(([cell.strip() for cell in cells.split("|")], parse_conditions(conditions)))
        headings = [cell.strip() for cell in parameters.get("cells", "").split("|")]
    else:
        wanted = parameters["only"].split("|") if "only" in parameters else list(
            dict.fromkeys(row.get(key, "") for row in results.rows))
        lines = [(["`%s`" % name if key in ("rung", "kernel") else heading_text(expand(name))], {key: [expand(name)]})
                 for name in wanted]
        headings = [heading or key]
    if not lines:
        raise Wrong("no row of %s fits" % source)

    def cell(line_conditions, column, conditions):
        wanted = dict(line_conditions)
        wanted.update(conditions)
        found = select(results.rows, wanted)
        if len(found) > 1:
            raise Wrong("%s of %s: %d rows fit" % (column, " ".join(sum(line_conditions.values(), [])), len(found)))
        if found and column not in found[0]:
            raise Wrong("no column '%s' in %s" % (column, source))
        return found[0][column] if found else ""

    rows, words_before = [], len(headings)
    columns = [(name, value) for name, value in parameters.columns if value[1] == "="]
    words = {name: value[0].split(" | ") for name, value in parameters.columns if value[1] == ":"}
    for cells, conditions in lines:
        name = cells[0].strip("`")
        row, at_word = list(cells), 0
        for _, (value, _) in columns:
            if value == "text":
                here = words.get(name, [])
                row.append(here[at_word] if at_word < len(here) else "")
                at_word += 1
            elif "[" in value:
                first = re.search(r"[\d.]+", cells[0])
                value = value.replace("@1", first.group() if first else "0")
                if len(cells) > 1:
                    value = value.replace("@2", cells[1].strip("`"))
                value = re.sub(r"@(?=[\] ])", next(iter(conditions.values()), [""])[0], value)
                row.append(results.text_of(value, {}, conditions)[0])
            else:
                column, form, further, over = parse_column(value)
                text = cell(conditions, column, further)
                if over and text != "":
                    other = cell(conditions, *over)
                    text = str(float(text) / float(other)) if other != "" else ""
                row.append(number_text(text, form))
        if any(cell_text not in ("-", "") for cell_text in row[words_before:]) or len(lines) == len(words) \
                or "only" in parameters or parameters.repeated["line"]:
            rows.append(row)
    for name in words:
        if name not in [cells[0].strip("`") for cells, _ in lines]:
            raise Wrong("words for '%s', which is no line" % name)
    left = [True] * words_before + [value == "text" for _, (value, _) in columns]
    return markdown_table(headings + [heading for heading, _ in columns], rows, left)


def parse_column(value):
    """COLUMN FORM [NAME=VALUE ...] [/ COLUMN NAME=VALUE ...]"""
    first, slash, second = value.partition(" / ")
    words = first.split()
    if len(words) < 2:
        raise Wrong("want COLUMN FORMAT [NAME=VALUE ...], not '%s'" % value)
    at = 3 if words[1].startswith("x") and len(words) > 2 and "=" not in words[2] else 2
    over = None
    if slash:
        others = second.split()
        over = (others[0], parse_conditions(" ".join(others[1:])))
    return words[0], " ".join(words[1:at]), parse_conditions(" ".join(words[at:])), over


def read_counts(root):
    """{'05_gpu_shared_tree --n 65537': {'serial': {'launches': 2, ...}, ...}, ...}"""
    counts, of_command = {}, None
    for line in read(os.path.join(root, "common", "simt", "tests", "rung_counts.txt")).split("\n"):
        if line.startswith("  "):
            rung, _, rest = line.strip().partition(" ")
            of_command[rung] = json.loads("{%s}" % rest)
        elif line.strip():
            of_command = counts.setdefault(line.strip(), {})
    return counts


def counts_of(root, arguments, body):
    """Counters of the rungs of one run:

      <!-- counts: 05_gpu_shared_tree --n 65537
      only: interleaved|strided
      loads = shared_load_requests               a heading and a counter, a sum of counters or a quotient
      conflicts = shared_load_conflicts + shared_store_conflicts
      sectors a load = global_load_sectors / global_load_requests .2f
      -->"""
    parameters = Parameters(body, ("only",))
    run = read_counts(root).get(arguments.strip())
    if run is None:
        raise Wrong("no run '%s' in common/simt/tests/rung_counts.txt" % arguments.strip())
    lines = []
    for rung in parameters["only"].split("|") if "only" in parameters else run:
        if rung not in run:
            raise Wrong("no rung '%s' in the run '%s'" % (rung, arguments.strip()))
        cells = ["`%s`" % rung]
        for _, (value, _) in parameters.columns:
            words = value.split()
            form = ",d"
            if re.fullmatch(r"[,.]\S*[df%]", words[-1]):
                form = words.pop()
            cells.append(evaluate(words, run[rung], form))
        lines.append(cells)
    return markdown_table(["rung"] + [heading for heading, _ in parameters.columns], lines,
                          [True] + [False] * len(parameters.columns))


def evaluate(words, counters, form):
    """COUNTER + COUNTER ... / COUNTER + COUNTER ..."""
    parts = [[]]
    for word in words:
        if word == "/":
            parts.append([])
        elif word != "+":
            if word not in counters:
                raise Wrong("no counter '%s'" % word)
            parts[-1].append(counters[word])
    value = sum(parts[0])
    if len(parts) > 1:
        if sum(parts[1]) == 0:
            return "-"
        value /= sum(parts[1])
    return format(value, form)


GENERATED = re.compile(
    r"<!-- (?P<kind>table|counts): (?P<arguments>[^\n]*)\n(?P<body>.*?)-->\n(?P<inside>.*?)<!-- end (?P=kind) -->",
    re.S)


def renew_tables(root, text, complain):
    def renew(match):
        make = {"table": table_of, "counts": counts_of}[match["kind"]]
        try:
            now = make(root, match["arguments"], match["body"])
        except (Wrong, OSError, ValueError, KeyError) as wrong:
            complain(line_of(text, match.start()), "%s: %s" % (match["kind"], wrong))
            return match.group()
        return match.group()[:match.start("inside") - match.start()] + now + "<!-- end %s -->" % match["kind"]

    for kind in ("table", "counts"):
        if text.count("<!-- %s: " % kind) != text.count("<!-- end %s -->" % kind):
            complain(1, "<!-- %s: and <!-- end %s --> do not pair" % (kind, kind))
    return GENERATED.sub(renew, text)


# ---- values in the text --------------------------------------------------------------------------

VALUES = re.compile(r"<!-- values: (?P<source>[^\n]*)\n(?P<body>.*?)-->", re.S)
MARK = r"<!--(?:calc|cited|given)-->"
VALUE = re.compile(r"<!--=(?P<name>\w+)-->(?P<text>[^<]*)<!--/-->")


def values_of(root, source, body, values, complain):
    """Adds the values that a comment names to values, name: (text, number), and complains of untrue claims:

      <!-- values: FILE.csv                      or PROGRAM ARGUMENTS, a run of rung_counts.txt
      where: op=dot type=f32 shape=64M           conditions on all rows
      tree = [median_us rung=serial] : .1f       a name, an expression and how to write its number; [COLUMN
                                                 CONDITION...] is a number of the one row that fits
      trees = range[median_us rung=a|b] : .0f    "239 to 241"; min[], max[], median[], sum[], count[] of many rows
      gain = tree / [median_us rung=b] : .2f     arithmetic, also with the values above
      loss = (1 - 1 / gain) * 100 : .0f
      claim: 0.98 < gain < 1.02                  what the text says in words, such as "nothing is gained"
      -->"""
    results, where = None, ""
    for line in body.strip().split("\n"):
        line = line.strip()
        if line.startswith("where: "):
            where = line[7:]
            continue
        if results is None:
            results = Results(root, source.strip(), where)
        numbers = {name: number for name, (_, number) in values.items()}
        if line.startswith("claim: "):
            if results.calculate(line[7:], numbers, {}) is not True:
                complain("no longer so: %s" % line[7:])
            continue
        name, equals, expression = line.partition(" = ")
        if not equals or not re.fullmatch(r"[a-zA-Z]\w*", name):
            raise Wrong("want 'NAME = EXPRESSION : FORMAT' or 'claim: COMPARISON', not '%s'" % line)
        if name in values:
            raise Wrong("'%s' is named twice" % name)
        text, number = results.text_of(expression, numbers, {})
        if number is None:
            raise Wrong("no row fits '%s'" % line)
        values[name] = (text, number)


def renew_values(root, text, complain):
    values, used = {}, set()
    for block in VALUES.finditer(text):
        line = line_of(text, block.start())
        try:
            values_of(root, block["source"], block["body"], values, lambda what, line=line: complain(line, what))
        except (Wrong, ValueError, KeyError) as wrong:
            complain(line, "values: %s" % wrong)

    def renew(match):
        used.add(match["name"])
        if match["name"] not in values:
            complain(line_of(text, match.start()), "no value '%s'" % match["name"])
            return match.group()
        now = values[match["name"]][0]
        if now.split() == match["text"].split():
            return match.group()
        return "<!--=%s-->%s<!--/-->" % (match["name"], now)

    # A line that begins with a comment would end the paragraph: the last word of the line before comes down.
    now = re.sub(r"^(?!\|)(.*\S) +(\S+)\n( *)(?=%s|<!--=\w+-->)" % MARK,
                 lambda match: match.group() if match.group(2).endswith("-->") and "<!--/-->" not in match.group(2)
                 else "%s\n%s%s " % match.group(1, 3, 2), VALUE.sub(renew, text), flags=re.M)
    for match in re.finditer(r"^ *(?:(?:[*+>-]|\d+\.) +)*(?:<!--=|%s(?!\n))" % MARK, now, re.M):
        complain(line_of(now, match.start()), "a line that begins with a comment is no part of the paragraph: put a"
                 " word before it")
    if text.count("<!--=") != len(VALUE.findall(text)) or text.count("<!--/-->") != text.count("<!--="):
        complain(1, "<!--=NAME--> and <!--/--> do not pair")
    defined = " ".join(block["body"] for block in VALUES.finditer(text))
    for name in values:
        if name not in used and len(re.findall(r"\b%s\b" % name, defined)) < 2:
            complain(1, "the value '%s' is not used" % name)
    return now


# ---- numbers typed by hand -----------------------------------------------------------------------

NUMBER = r"(?<![\w.,^/*-])~?\d+(?:,\d{3})*(?:\.\d+)?(?:(?:,?\sand|,?\sor|\sto|,)\s\d+(?:,\d{3})*(?:\.\d+)?)*"
UNIT = (r"(?:\s?(?:ns|us|ms|[GTM]B/s|[GT]FLOP/s|%)(?!\w)|x(?!\w| \d)"
        r"|\s+times\s(?=as\b|the\b|that\b|slower|faster|longer|more|`|[\w`]+'s))")
MEASURED = re.compile(NUMBER + UNIT + r"|(?<![\w.])\d*\.\d+\s+times\b|\bfactors? of \d+(?:\.\d+)?")
# In a table units stand in headings, so there any number with a fraction or with thousands counts.
IN_TABLE = re.compile(r"(?<![\w.^*/-])(?:\d+\.\d+|\d+(?:,\d{3})+)(?![\w.])")


def check_numbers(text, complain):
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())

    text = GENERATED.sub(blank, text)
    text = re.sub(VALUE, blank, text)
    text = re.sub(r"^ *(```+|~~~+).*?^ *\1", blank, text, flags=re.S | re.M)
    text = re.sub(r"`[^`\n]*`", lambda match: "`" + " " * (len(match.group()) - 2) + "`", text)
    text = re.sub(MARK + r"\n(?:\|.*\n)+", blank, text)
    text = re.sub(MARK + r"[*(]*(?:%s|%s)" % (MEASURED.pattern, IN_TABLE.pattern), blank, text)
    for match in re.finditer(MARK, text):
        complain(line_of(text, match.start()), "%s stands before nothing that needs it" % match.group())
    text = re.sub(r"<!--.*?-->", blank, text, flags=re.S)
    found = list(MEASURED.finditer(text))
    for table in re.finditer(r"(?:^\|.*\n)+", text, re.M):
        inside = [one for one in found if table.start() <= one.start() < table.end()]
        first = IN_TABLE.search(text, table.start(), table.end())
        # One complaint for each table is enough: it is marked, or generated, as a whole.
        found = [one for one in found if one not in inside] + (inside[:1] or [first] if first or inside else [])
    for match in sorted(found, key=lambda one: one.start()):
        complain(line_of(text, match.start()), "'%s' looks like a measurement typed by hand: take it from docs/results"
                 " by a value or table, or mark it <!--calc-->, <!--cited--> or <!--given-->"
                 % " ".join(match.group().split()))


# ---- plots ---------------------------------------------------------------------------------------

PLOT = re.compile(r"<!-- plot: (?P<name>\w+) (?P<arguments>[^\n]*?) = (?P<hash>\w*) -->\n!\[[^\]]*\]\(pictures/(?P=name)\.svg\)")


def plot_hash(root, arguments):
    digest = hashlib.sha256()
    paths = ["docs/results/" + word for word in arguments if word.endswith(".csv")]
    for path in ["common/scripts/plot_results.py"] + paths:
        digest.update(read(os.path.join(root, path)).encode())
    digest.update(" ".join(arguments).encode())
    return digest.hexdigest()[:16]


def draw_plot(root, name, arguments):
    with tempfile.TemporaryDirectory() as folder:
        words = [os.path.join(root, "docs", "results", word) if word.endswith(".csv") else word for word in arguments]
        result = subprocess.run([sys.executable, os.path.join(root, "common", "scripts", "plot_results.py"), "-o", folder,
                                 *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
        if result.returncode != 0:
            raise Wrong("cannot draw %s: %s" % (name, result.stderr.strip()))
        shutil.copy(os.path.join(folder, name + ".svg"), os.path.join(root, "docs", "pictures"))


def renew_plots(root, text, complain, update):
    def renew(match):
        arguments = match["arguments"].split()
        line = line_of(text, match.start())
        try:
            now = plot_hash(root, arguments)
            picture = os.path.join(root, "docs", "pictures", match["name"] + ".svg")
            if now == match["hash"] and os.path.exists(picture):
                return match.group()
            if not update:
                complain(line, "docs/pictures/%s.svg is not drawn from these results" % match["name"])
                return match.group()
            draw_plot(root, match["name"], arguments)
        except (Wrong, OSError) as wrong:
            complain(line, "plot: %s" % wrong)
            return match.group()
        return match.group().replace(" = %s -->" % match["hash"], " = %s -->" % now)

    if text.count("<!-- plot: ") != len(PLOT.findall(text)):
        complain(1, "want '<!-- plot: NAME OPTION... FILE.csv... = HASH -->' and in the next line the picture")
    return PLOT.sub(renew, text)


# ---- links ---------------------------------------------------------------------------------------


def anchors_of(text):
    """The ids that GitHub gives the headings."""
    seen, anchors = {}, set(re.findall(r'<a (?:id|name)="([^"]+)"', text))
    for line in without_code(text).split("\n"):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*\s*$", line)
        if not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        anchors.add("%s-%d" % (anchor, count) if count else anchor)
    return anchors


def links_of(text):
    """(line, target) of every link and picture."""
    plain = without_code(text)
    for match in re.finditer(r"(?<!\\)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|<img [^>]*src=\"([^\"]+)\"", plain):
        yield line_of(plain, match.start()), match.group(1) or match.group(2)


def check_links(root, page, text, complain):
    for line, target in links_of(text):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        where = os.path.normpath(os.path.join(root, os.path.dirname(page), path)) if path else os.path.join(root, page)
        if not os.path.exists(where):
            complain(line, "dead link: %s" % target)
        elif not os.path.abspath(where).startswith(os.path.abspath(root)):
            complain(line, "the link leads out of the repository: %s" % target)
        elif anchor and where.endswith(".md") and anchor not in anchors_of(read(where)):
            complain(line, "no such heading: %s" % target)
        elif where.endswith(".svg"):
            try:
                xml.etree.ElementTree.parse(where)
            except xml.etree.ElementTree.ParseError as error:
                complain(line, "%s is no well-formed SVG: %s" % (target, error))


def check_paths(root, text, complain):
    """Paths that a page names in `code`."""
    plain = without_code(text)
    for match in re.finditer(r"`((?:common|docs|\d\d_[a-z_]+)/[\w./+-]*\w)`", plain):
        # A task is the reader's own copy of a skeleton: ./test.sh exercise puts it there.
        if not os.path.exists(os.path.join(root, match.group(1))) and "/task." not in match.group(1):
            complain(line_of(plain, match.start()), "no such file: %s" % match.group(1))


# ---- rungs and index -----------------------------------------------------------------------------


def rungs_of(main):
    """Names in the tables of rungs, not those of the steps."""
    names = []
    for table in re.finditer(r"struct rung \w+\[\] = \{(.*?)\n\};", main, re.S):
        names += re.findall(r'\.name = "([^"]+)"', table.group(1))
    return list(dict.fromkeys(names))


def check_rungs(root, complain):
    for step in sorted(os.listdir(root)):
        main = os.path.join(root, step, "main.c")
        if not re.match(r"\d\d_", step) or not os.path.exists(main):
            continue
        rungs = rungs_of(read(main))
        if not rungs:
            complain("%s/main.c" % step, 1, "no table of rungs found")
        for page in ("docs/%s.md" % step, "%s/README.md" % step):
            if not os.path.exists(os.path.join(root, page)):
                complain(page, 1, "there is no such page")
                continue
            text = read(os.path.join(root, page))
            for rung in rungs:
                if not re.search(r"`[^`\n]*(?<!\w)%s(?!\w)[^`\n]*`" % re.escape(rung), text):
                    complain(page, 1, "`%s`, a rung of %s, is not on this page" % (rung, step))


def check_index(root, pages, texts, complain):
    linked = {}
    for page in pages:
        for _, target in links_of(texts[page]):
            where = os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0]))
            linked.setdefault(where.replace(os.sep, "/"), set()).add(page)
    for page in pages:
        if "/exercise/" in page: # ./test.sh exercise lists those
            continue
        index = "docs/README.md" if page.startswith("docs/") else "README.md"
        if page != index and page != "docs/README.md" and index not in linked.get(page, ()):
            complain(index, 1, "does not link to %s" % page)
    for folder in ("results", "pictures"):
        path = os.path.join(root, "docs", folder)
        for name in sorted(os.listdir(path)) if os.path.isdir(path) else []:
            file = "docs/%s/%s" % (folder, name)
            named = any(re.search(r"(?<![\w.])%s" % re.escape(name), texts[page]) for page in pages)
            if file not in linked and not named and os.path.isfile(os.path.join(root, file)):
                complain(file, 1, "is on no page")


# ---- commands ------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description="Compares the pages with what they come from.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="tell what differs; change nothing")
    what.add_argument("--update", action="store_true", help="write snippets and tables anew")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."),
                        help="the repository's folder")
    options = parser.parse_args()
    root = os.path.abspath(options.root)
    wrongs = []

    def complain(page, line, what_is_wrong):
        wrongs.append("%s:%d: %s" % (page, line, what_is_wrong))

    pages = find_pages(root)
    if "docs/README.md" not in pages:
        print("docs.py: %s: no docs/README.md there" % root, file=sys.stderr)
        return 2
    texts, updated = {}, 0
    for page in pages:
        def here(line, what_is_wrong, page=page):
            complain(page, line, what_is_wrong)

        text = read(os.path.join(root, page))
        now = renew_tables(root, renew_snippets(root, text, here), here)
        now = renew_plots(root, renew_values(root, now, here), here, options.update)
        if now != text and options.update:
            with open(os.path.join(root, page), "w", encoding="utf-8") as file:
                file.write(now)
            updated += 1
            text = now
        elif now != text:
            tell_difference(text, now, here)
        texts[page] = text
        check_links(root, page, text, here)
        check_paths(root, text, here)
        check_numbers(text, here)
    check_rungs(root, complain)
    check_index(root, pages, texts, complain)

    for wrong in wrongs:
        print(wrong)
    if wrongs:
        print("docs.py: %d things to put right; snippets and tables: common/scripts/docs.py --update"
              % len(wrongs), file=sys.stderr)
        return 1
    print("docs.py: %d pages are as they should be%s" % (
        len(pages), ", %d updated" % updated if options.update else ""))
    return 0


def tell_difference(text, now, complain):
    """One line for each run of lines that differs."""
    matcher = difflib.SequenceMatcher(None, text.split("\n"), now.split("\n"), autojunk=False)
    for tag, first, last, other, end in matcher.get_opcodes():
        if tag == "equal":
            continue
        new = now.split("\n")[other:end]
        complain(first + 1, "is out of date: '%s' should be '%s'" % (
            "; ".join(line.strip() for line in text.split("\n")[first:last][:2]),
            "; ".join(line.strip() for line in new[:2])))


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, UnicodeDecodeError) as problem:
        print("docs.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
