#!/usr/bin/env python3
"""Keeps the pages true: docs.py --check | --update [--root FOLDER]

The pages are every README.md of the steps, the README.md at the top and all of docs/. Their sources
contain five kinds of comments and no others. --check compares the contents of the comments with their
sources; --update writes them anew:

  <!-- snippet: PATH NAME -->       consecutive lines of the function, kernel, struct or macro NAME
  ```c                              in the source PATH. A page chooses the lines. If the source has
  ```                               changed, --update keeps the first and last line that still exist
  <!-- end snippet -->              and all lines between them.

  <!-- file: PATH -->               a whole file: a small program, or its output (test_programs.py in
  ```text                           common/tests writes the outputs docs/programs/*.txt)
  ```
  <!-- end file -->

  <!-- output: COMMAND -->          what a command prints: common/tests/test_outputs.py runs it, and
  ```text                           reports lines of the page that the command does not print
  ```
  <!-- end output -->

  <!-- table: NAME -->              the page's table NAME in docs/tables.txt
  <!-- end table -->

  <!-- plot: NAME OPTION... FILE.csv... = HASH -->
  ![...](pictures/NAME.svg)         drawn by plot_results.py from files of docs/results. HASH is of
                                    those files and of plot_results.py. It shows that a picture is
                                    outdated even if matplotlib is missing.

Prose says "about twice" or gives a rounded figure, without a comment. docs/claims.txt repeats each such
claim as a comparison of measured numbers, one per line; --check evaluates them.

Both .txt files have a part for each page. It begins with the page's path and defines names. A name stands
for rows of files in docs/results, or for the counts of a run in common/simt/tests/rung_counts.txt:

  docs/05_gpu_shared_tree.md                                   # and this is a comment
  us = reductions_h200.csv 05_gpu_shared_tree dot f32 warm
  counts = 05_gpu_shared_tree --n 65537

NAME[WORD...] is a number. The words choose its row. A word is COLUMN=VALUE, or just a value (naive,
f32, 64M) if one of the columns KEYS has it; a|b means a or b. Words in brackets override those of the
name. A word that is a column's name chooses the number, by default median_us or value; a*b is the
product of two columns. If several rows fit, write min NAME[...], or max, sum, median or count.
"NAME = min FILE.csv" does that for every use of the name.

A claim compares numbers. x ~ y holds if x is within a twentieth of y. "for" repeats a line for each
value, in either file:

  us[interleaved 1M] > us[strided 1M] > us[sequential 1M]
  for N in 1M 64M: us[last_warp N] / us[unrolled N] ~ 1

A table has rows and columns. A row's words also choose among rows of files, for all its numbers; words
of the name and in brackets override them. A column is HEADING = EXPRESSION : FORMAT, with a Python
format. @2 is the row's second cell, "x to y" is a range.

  table times
  rows: serial interleaved strided                             # or "each: rung of us"
  for N in 1M 64M: N, us = us[N] : ,.1f
  over `serial` = us[64M] / us[serial 64M] : .2f

  table notes
  heads: order | rung | ... | why                              # computed columns go to "..."
  row: a tree | `shuffle` | ... | a note = shuffle 06_gpu_warp_shuffle

An edition of the pages in another language is a folder of docs, named by the language's two letters
(docs/zh), and README.zh.md next to the README.md of each exercise. Its pages have the same comments.
docs/zh/NAME.md has the tables of docs/NAME.md; its headings and cells are translated by the edition's
words.txt, which has a line "English | translation" for each. Without a line, the English stays.
translated.py reports pages that are behind the English or differ from it.

--check also requires the following. Links and anchors lead somewhere. Paths in `code` exist. Every rung of
a step is on the step's page and in its README, there with the idea that --list prints (--update writes
it). Every exercise is in the step's README, and has its hints in each edition. Every page is in the index.
Every file of docs/results is on some page, and has no percentage of a peak above 100. Pictures are
well-formed SVG.

Exit status: 0 all is right, 1 something differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import argparse
import csv
import difflib
import functools
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

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "check"))
import tracked  # noqa: E402

# ---- pages ---------------------------------------------------------------------------------------


class Wrong(Exception):
    """An error, described in one line."""


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def find_pages(root):
    """The pages' paths relative to root, with forward slashes."""
    return [path for path in tracked.files(root)
            if path.endswith(".md") and re.match(r"(docs/(?!results/)|\d\d_[^/]*/)|[^/]*$", path)]


def edition_of(page):
    """The folder of the edition that has the page or picture, or None for English. It is docs/zh for files in it
    and for NAME.zh.md and NAME.zh.svg in other folders."""
    match = re.match(r"docs/([a-z]{2})/|.*\.([a-z]{2})\.(?:md|svg)$", page)
    return "docs/" + (match.group(1) or match.group(2)) if match else None


def original_of(page):
    """The English original of a page; the page itself if it is English."""
    edition = edition_of(page)
    if edition is None:
        return page
    if not page.startswith(edition):
        return re.sub(r"\.[a-z]{2}(\.\w+)$", r"\1", page)
    name = page[len(edition) + 1:]
    return name if name == "README.md" else "docs/" + name


def without_code(text):
    """The text with fences and comments blanked out, line by line."""
    text = re.sub(r"<!--.*?-->", lambda match: "\n" * match.group().count("\n"), text, flags=re.S)
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


def renew(pattern, text, make, complain):
    """The text with make(match) instead of each match."""
    def one(match):
        try:
            return make(match)
        except (Wrong, OSError) as wrong:
            complain(line_of(text, match.start()), str(wrong))
            return match.group()

    return pattern.sub(one, text)


# ---- snippets ------------------------------------------------------------------------------------

SNIPPET = re.compile(r"(?P<head><!-- snippet: (?P<path>\S+) (?P<name>\S+) -->\n```\w*\n)"
                     r"(?P<excerpt>(?:(?!```).*\n)*)(?P<end>```\n<!-- end snippet -->)")
# A line that belongs to a definition and comes before the line with its name.
BEGINNING = re.compile(r"\s*(template\b|__|static\b|extern\b|inline\b)(?!.*[;}]\s*$)")


def code_only(line):
    """The line roughly without comments, strings and characters. That is enough to count braces."""
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', "", line)
    return re.sub(r"//.*|/\*.*?(\*/|$)", "", line)


def end_of_definition(lines, start):
    """The line of the closing brace if the definition that begins here has a body, else None."""
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
    """The lines of each definition of name."""
    word = re.compile(r"\b%s\b" % re.escape(name))
    found = []
    for at, line in enumerate(lines):
        first, last = at, None
        if re.match(r"\s*#\s*define\s+%s\b" % re.escape(name), line):
            last = at
            while lines[last].rstrip().endswith("\\") and last + 1 < len(lines):
                last += 1
        elif word.search(code_only(line)) and not re.match(
                r"\s*(if|for|while|switch|return|else|do)\b|\s*[#*]", line):
            last = end_of_definition(lines, at)
            while first > 0 and BEGINNING.match(lines[first - 1]):
                first -= 1
        if last is not None:
            found.append(lines[first:last + 1])
    return found


LANGUAGES = {".cu": "cpp", ".cuh": "cpp", ".c": "c", ".h": "c", ".txt": "text"}


def with_language(head, path):
    """The comment and the fence below it, with the language of the file."""
    language = LANGUAGES.get(os.path.splitext(path)[1])
    return re.sub(r"```\w*\n$", "```%s\n" % language, head) if language else head


def snippet_of(lines, name, excerpt):
    """The new excerpt from the source's lines: from the first to the last line of the old excerpt that
    still exist, or the whole definition if the old excerpt is empty."""
    bodies = definitions(lines, name)
    if not bodies:
        raise Wrong("no definition of %s" % name)
    if not excerpt:
        return bodies[0]
    best, most = None, 0
    for body in bodies:
        matcher = difflib.SequenceMatcher(None, excerpt, body, autojunk=False)
        blocks = matcher.get_matching_blocks()[:-1]
        kept = [line for block in blocks for line in excerpt[block.a:block.a + block.size]]
        if len(kept) > most and any(line.strip(" {}") for line in kept):
            first, last = blocks[0].b - blocks[0].a, blocks[-1].b + len(excerpt) - blocks[-1].a
            best, most = body[max(0, first):last], len(kept)
    if best is None:
        raise Wrong("none of its lines exist any more; choose others by hand")
    return best


def renew_snippets(root, text, complain):
    def make(match):
        try:
            lines = read(os.path.join(root, match["path"])).rstrip("\n").split("\n")
            now = snippet_of(lines, match["name"], match["excerpt"].splitlines())
        except (Wrong, OSError) as wrong:
            raise Wrong("snippet %s %s: %s" % (match["path"], match["name"], wrong)) from wrong
        return with_language(match["head"], match["path"]) + "\n".join(now) + "\n" + match["end"]

    return renew(SNIPPET, text, make, complain)


FILE = re.compile(r"(?P<head><!-- file: (?P<path>\S+) -->\n```\w*\n)(?:(?!```).*\n)*"
                  r"(?P<end>```\n<!-- end file -->)")


OUTPUT = re.compile(r"<!-- output: (?P<command>[^\n]*) -->\n```text\n(?P<text>(?:(?!```).*\n)*)"
                    r"```\n<!-- end output -->")


def renew_files(root, text, complain):
    def make(match):
        now = read(os.path.join(root, match["path"])).rstrip("\n")
        return "%s%s\n%s" % (with_language(match["head"], match["path"]), now, match["end"])

    return renew(FILE, text, make, complain)


# ---- numbers -------------------------------------------------------------------------------------

KEYS = ("step", "rung", "kernel", "op", "type", "shape", "cache", "source", "backend", "metric")
SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
COMBINE = {"min": min, "max": max, "sum": sum, "median": statistics.median, "count": len}
REFERENCE = re.compile(r"(?:\b(%s) )?\b([A-Za-z]\w*)\[([^\]]*)\]" % "|".join(COMBINE))


def expand(value):
    """Writes 64K as the files do: 65536."""
    match = re.fullmatch(r"(\d+)([KMG])", value)
    return str(int(match.group(1)) * SIZES[match.group(2)]) if match else value


@functools.lru_cache(maxsize=None)
def rows_of(root, source):
    """The rows of a file of docs/results, or the counts of a run."""
    if source.endswith(".csv"):
        path = os.path.join(root, "docs", "results", source)
        with open(path, encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    rows, here = [], False
    for line in read(os.path.join(root, "common/simt/tests/rung_counts.txt")).split("\n"):
        if not line.startswith("  "):
            here = line.strip() == source
        elif here:
            rung, _, counters = line.strip().partition(" ")
            rows.append(dict(json.loads("{%s}" % counters), rung=rung))
    if not rows:
        raise Wrong("rung_counts.txt has no run '%s'" % source)
    return rows


class Name:
    """A name's definition: the rows of [min|max|...] FILE.csv... WORD..., or of PROGRAM ARGUMENT..."""

    def __init__(self, root, text):
        words = text.split()
        self.combine = words.pop(0) if words[0] in COMBINE else None
        files = [word for word in words if word.endswith(".csv")]
        self.words = [word for word in words if word not in files] if files else []
        self.rows = [row for file in files or [" ".join(words)] for row in rows_of(root, file)]
        self.columns = {column for row in self.rows for column in row}
        self.parsed = {}

    def parse(self, word):
        """(column, values) for a condition, (None, columns) for a number, or None."""
        if word not in self.parsed:
            self.parsed[word] = self.parse_anew(word)
        return self.parsed[word]

    def parse_anew(self, word):
        column, equals, value = word.partition("=")
        if equals:
            values = [expand(one) for one in value.split("|")]
            return (column, values) if column in self.columns else None
        if all(factor in self.columns for factor in word.split("*")):
            return None, word.split("*")
        values = [expand(value) for value in word.split("|")]
        for column in KEYS:
            if all(any(row.get(column) == value for row in self.rows) for value in values):
                return column, values
        return None

    def matching(self, words, of_row=()):
        """The rows that match the words, and the columns of the number."""
        chosen = {}
        for word in of_row:
            parsed = self.parse(word)
            if parsed:
                chosen[parsed[0]] = parsed[1]
            elif "=" not in word:
                return [], []
        for word in self.words + words:
            parsed = self.parse(word)
            if not parsed:
                raise Wrong("there is no '%s'" % word)
            chosen[parsed[0]] = parsed[1]
        columns = chosen.pop(None, None) or [
            column for column in ("median_us", "value") if column in self.columns][:1]
        return [row for row in self.rows
                if all(row.get(column) in values for column, values in chosen.items())], columns

    def number(self, words, of_row, combine):
        """The number, or None if no row fits."""
        rows, columns = self.matching(words, of_row)
        if rows and not columns:
            raise Wrong("which column? [%s]" % " ".join(words))
        combine = combine or self.combine
        numbers = []
        for row in rows:
            if all(row.get(column, "") != "" for column in columns):
                numbers.append(1.0)
                for column in columns:
                    numbers[-1] *= 1 if combine == "count" else float(row[column])
        if not combine and len(numbers) > 1:
            raise Wrong("%d rows fit [%s]" % (len(numbers), " ".join(words)))
        if not numbers and combine != "count":
            return None
        return COMBINE[combine or "sum"](numbers)


def calculate(expression, names, of_row=()):
    """(value, expression with its numbers). The value is None if a row is missing."""
    missing = []

    def number(match):
        combine, name, words = match.groups()
        if name not in names:
            raise Wrong("no name '%s'" % name)
        value = names[name].number(words.split(), of_row, combine)
        if value is None:
            missing.append(match.group())
            return ""
        return "(%r)" % value

    text = REFERENCE.sub(number, expression)
    if missing:
        return None, "no row fits %s" % missing[0]
    left, about, right = text.partition(" ~ ")
    if about:
        text = "abs((%s) - (%s)) <= abs(%s) / 20" % (left, right, right)
    if re.search(r"[^\w.+\-*/()<>=, ]|__", text):
        raise Wrong("cannot calculate '%s'" % expression)
    try:
        value = eval(text, {"__builtins__": {}}, {"min": min, "max": max, "abs": abs})
    except ZeroDivisionError:
        value = None
    except (SyntaxError, NameError, TypeError) as error:
        raise Wrong("cannot calculate '%s': %s" % (expression, error)) from error
    return value, re.sub(r"\((-?\d+\.\d+(?:e[+-]?\d+)?)\)",
                         lambda match: "%.6g" % float(match.group(1)),
                         "%s ~ %s" % (left, right) if about else text)


class Part:
    """The part of tables.txt or claims.txt for one page."""

    def __init__(self):
        self.names = {}
        self.tables = {}  # name: lines
        self.claims = []  # (line, text)


def lines_of(path):
    """Yields (number, line) without comments and with each "for N in 1 2: ..." expanded."""
    for at, line in enumerate(read(path).split("\n") if os.path.exists(path) else [], 1):
        line = re.sub(r"(^|\s)# .*|^#$", "", line).strip()
        loop = re.fullmatch(r"for (\w+) in ([^:]*): (.*)", line)
        for value in loop.group(2).split() if loop else [None]:
            yield at, re.sub(r"\b%s\b" % loop.group(1), value, loop.group(3)) if loop else line


def parts_of(root, file, complain):
    """{page: Part}"""
    parts, part, table = {}, None, None
    for at, line in lines_of(os.path.join(root, file)):
        definition = re.fullmatch(r"(\w+) = (.*)", line)
        try:
            if re.fullmatch(r"\S+\.md", line):
                if line in parts or not os.path.exists(os.path.join(root, line)):
                    raise Wrong("no such page, or a second time: %s" % line)
                part, table = parts.setdefault(line, Part()), None
            elif line and part is None:
                raise Wrong("expected the path of a page before '%s'" % line)
            elif re.match(r"table \S+$", line):
                if line[6:] in part.tables:
                    raise Wrong("a second table '%s'" % line[6:])
                table = part.tables.setdefault(line[6:], [])
            elif table is not None and line:
                table.append(line)
            elif definition:
                part.names[definition.group(1)] = Name(root, definition.group(2))
            elif line:
                part.claims.append((at, line))
        except (Wrong, OSError) as wrong:
            complain(file, at, str(wrong))
    return parts


def check_claims(root, complain):
    for page, part in parts_of(root, "docs/claims.txt", complain).items():
        for line, claim in part.claims:
            try:
                holds, text = calculate(claim, part.names)
                if not isinstance(holds, bool):
                    raise Wrong("'%s' compares nothing: %s" % (claim, text))
                if not holds:
                    raise Wrong("no longer so, but %s says it: %s  (%s)" % (page, claim, text))
            except Wrong as wrong:
                complain("docs/claims.txt", line, str(wrong))


# ---- tables --------------------------------------------------------------------------------------

TABLE = re.compile(r"(?P<head><!-- table: (?P<name>\S+) -->\n)(?:\|.*\n)*<!-- end table -->")


def cell_of(word):
    """A row's word, written as its first cell: a rung in `code`, 2048x2048x1024 as 2048 x 2048 x 1024."""
    word = word.rpartition("=")[2]
    if re.fullmatch(r"\d+(x\d+)+", word):
        return word.replace("x", " x ")
    return "`%s`" % word if word[0].isalpha() else word


def rows_and_columns(lines, names):
    """The headings, the rows as (cells, words), and the columns as (heading, expression, format)."""
    heads, rows, columns = ["rung"], [], []
    for line in lines:
        key, _, value = line.partition(": ")
        if key == "heads":
            heads = [cell.strip() for cell in value.split("|")]
        elif key == "rows":
            rows += [([cell_of(word)], [word]) for word in value.split()]
        elif key == "each":
            column, _, name = value.partition(" of ")
            if name not in names:
                raise Wrong("no name '%s'" % name)
            heads = [column]
            form = "`%s`" if column in ("rung", "kernel") else "%s"
            for one in dict.fromkeys(row[column] for row in names[name].matching([])[0]):
                rows.append(([form % one], ["%s=%s" % (column, one)]))
        elif key == "row":
            cells, _, words = value.rpartition(" = ")
            rows.append(([cell.strip() for cell in (cells or value).split("|")],
                         words.split() if cells else [value.partition("|")[0].strip(" `")]))
        else:
            column = re.fullmatch(r"(.*) = (.*) : (\S+)", line)
            if not column:
                raise Wrong("expected HEADING = EXPRESSION : FORMAT, not '%s'" % line)
            columns.append(column.groups())
    return heads, rows, columns


def words_of(root, edition, complain):
    """{English: translation} from an edition's words.txt."""
    words, name = {}, edition + "/words.txt"
    path = os.path.join(root, name)
    for at, line in enumerate(read(path).split("\n") if os.path.exists(path) else [], 1):
        parts = [part.strip() for part in line.split("|")]
        if line.startswith("#") or not line.strip():
            continue
        if len(parts) != 2 or not all(parts) or parts[0] in words:
            complain(name, at, "expected 'English | translation', each once, not '%s'" % line)
        else:
            words[parts[0]] = parts[1]
    return words


def moved(target, page):
    """A link's target in the English page, as this page must write it."""
    if re.match(r"[a-z][a-z+.-]*:|#", target):
        return target
    path = os.path.join(os.path.dirname(original_of(page)), target)
    return os.path.relpath(path, os.path.dirname(page)).replace(os.sep, "/")


def translated_cell(cell, page, words):
    if cell in words:
        return words[cell]
    return LINK.sub(lambda link: "](%s)" % moved(link.group(1), page), cell)


def table_of(lines, names, translate):
    heads, rows, columns = rows_and_columns(lines, names)
    at = heads.index("...") if "..." in heads else len(heads)

    def line(cells, computed):
        return "| %s |\n" % " | ".join(
            cell if translate is None else translate(cell)
            for cell in cells[:at] + computed + cells[at + 1:])

    table = line(heads, [heading for heading, _, _ in columns])
    table += "|%s|\n" % "|".join(
        ["---"] * at + ["---:"] * len(columns) + ["---"] * len(heads[at + 1:]))
    for cells, chosen in rows:
        if len(cells) != len(heads):
            raise Wrong("expected %d cells in '%s'" % (len(heads), " | ".join(cells)))
        computed = []
        for _, expression, form in columns:
            for number, cell in enumerate(cells, 1):
                expression = expression.replace("@%d" % number, cell.strip("`").replace(",", ""))
            values = [calculate(part, names, chosen)[0] for part in expression.split(" to ")]
            texts = ["-" if value is None else format(value, form) for value in values]
            computed.append(" to ".join(dict.fromkeys(texts)))
        if set(computed) == {"-"}:
            raise Wrong("no number for '%s'" % " | ".join(cells))
        table += line(cells, computed)
    return table


def renew_tables(part, text, translate, complain):
    def make(match):
        if match["name"] not in part.tables:
            raise Wrong("docs/tables.txt has no table '%s' for this page" % match["name"])
        used.add(match["name"])
        try:
            table = table_of(part.tables[match["name"]], part.names, translate)
        except (Wrong, ValueError, KeyError) as wrong:
            raise Wrong("table %s: %s" % (match["name"], wrong)) from wrong
        return match["head"] + table + "<!-- end table -->"

    used = set()
    text = renew(TABLE, text, make, complain)
    for name in part.tables if translate is None else ():  # translated.py reports the others
        if name not in used:
            complain(1, "docs/tables.txt has a table '%s' that is not on this page" % name)
    return text


# ---- plots ---------------------------------------------------------------------------------------

PLOT = re.compile(r"<!-- plot: (?P<name>\w+) (?P<arguments>[^\n]*?) = (?P<hash>\w*) -->\n"
                  r"!\[[^\]]*\]\((?:\.\./)?pictures/(?P=name)\.svg\)")


def plot_hash(root, arguments):
    digest = hashlib.sha256()
    paths = ["docs/results/" + word for word in arguments if word.endswith(".csv")]
    for path in ["common/scripts/draw/plot_results.py"] + paths:
        digest.update(read(os.path.join(root, path)).encode())
    digest.update(" ".join(arguments).encode())
    return digest.hexdigest()[:16]


def draw_plot(root, name, arguments):
    results = os.path.join(root, "docs", "results")
    words = [os.path.join(results, word) if word.endswith(".csv") else word for word in arguments]
    program = os.path.join(root, "common", "scripts", "draw", "plot_results.py")
    with tempfile.TemporaryDirectory() as folder:
        result = subprocess.run([sys.executable, program, "-o", folder, *words], check=False,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                universal_newlines=True)
        if result.returncode != 0:
            raise Wrong("cannot draw %s: %s" % (name, result.stderr.strip()))
        shutil.copy(os.path.join(folder, name + ".svg"), os.path.join(root, "docs", "pictures"))


def renew_plots(root, text, complain, update):
    def make(match):
        arguments = match["arguments"].split()
        now = plot_hash(root, arguments)
        picture = "docs/pictures/%s.svg" % match["name"]
        if now == match["hash"] and os.path.exists(os.path.join(root, picture)):
            return match.group()
        if not update:
            raise Wrong("%s is not drawn from these results" % picture)
        draw_plot(root, match["name"], arguments)
        return match.group().replace(" = %s -->" % match["hash"], " = %s -->" % now)

    return renew(PLOT, text, make, complain)


# ---- links and comments --------------------------------------------------------------------------


def check_comments(text, complain):
    """Complains about comments that are not closed or are not one of the five kinds."""
    for pattern in (SNIPPET, FILE, OUTPUT, TABLE, PLOT):
        text = pattern.sub(lambda match: "\n" * match.group().count("\n"), text)
    for match in re.finditer("<!--.*", text):
        complain(line_of(text, match.start()), "allowed are only whole snippets, files, outputs, "
                 "tables and plots (see docs.py): %s" % match.group())


def headings_of(text):
    """Yields (line from 0, title, the id that GitHub gives it) for each heading."""
    seen = {}
    for at, line in enumerate(without_code(text).split("\n")):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*\s*$", line)
        if not heading:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.group(1)).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        yield at, heading.group(1), "%s-%d" % (anchor, count) if count else anchor


def anchors_of(text):
    anchors = {anchor for _, _, anchor in headings_of(text)}
    return anchors.union(re.findall(r'<a (?:id|name)="([^"]+)"', text))


LINK = re.compile(r"(?<!\\)\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)|<img [^>]*src=\"([^\"]+)\"")


def links_of(text):
    """Yields (line, target) for each link and picture."""
    plain = without_code(text)
    for match in LINK.finditer(plain):
        yield line_of(plain, match.start()), match.group(1) or match.group(2)


def check_links(root, page, text, complain):
    for line, target in links_of(text):
        if re.match(r"[a-z][a-z+.-]*:", target):
            continue
        path, _, anchor = target.partition("#")
        where = os.path.join(root, page)
        if path:
            where = os.path.normpath(os.path.join(os.path.dirname(where), path))
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
    """Checks that the paths that a page names in `code` exist."""
    plain = without_code(text)
    for match in re.finditer(r"`((?:common|docs|\d\d_[a-z_]+)/[\w./+-]*\w)`", plain):
        path = match.group(1)
        # A task is the reader's copy of a skeleton. ./test.sh exercise creates it.
        if not os.path.exists(os.path.join(root, path)) and "/task." not in path:
            complain(line_of(plain, match.start()), "no such file: %s" % path)


# ---- rungs and index -----------------------------------------------------------------------------


def tables_of(root, step):
    """The texts of a step's tables of rungs, one for each ladder.c in its folder and in its subfolders."""
    tables = []
    for path in tracked.files(root):
        if re.match(r"%s/(?!exercise/|tests?/|test_).*\.c$" % step, path):
            found = re.findall(r"\bstruct \w*rung \w+\[\] = \{(.*?)\n\};", read(os.path.join(root, path)), re.S)
            if not found and path.endswith("/ladder.c") and "RUNGS(" not in read(os.path.join(root, path)):
                raise Wrong("%s has no table of rungs" % path)
            tables += found
    return tables


def rungs_of(root, step):
    """The names in a step's tables of rungs, except for a learner's rungs, whose names begin with my_."""
    names = []
    for table in tables_of(root, step):
        names += re.findall(r'\.rung =\s*\{\.name = "(?!my_)([^"]+)"', table)
    return list(dict.fromkeys(names))


def ideas_of(root, step):
    """{rung: the ideas that the step's tables of rungs give for it, in one or more ladders}"""
    ideas = {}
    for table in tables_of(root, step):
        for name, idea in re.findall(r'\{\.name = "([^"]+)",\s*\.idea\s*=\s*((?:"[^"]*"\s*)+)', table):
            ideas.setdefault(name, []).append("".join(re.findall(r'"([^"]*)"', idea)))
    return ideas


def renew_ideas(root, page, text):
    """Renews the rungs' ideas in a step's README: the cell after a rung's name begins with its idea from --list."""
    if not re.match(r"\d\d_[^/]+/README\.md$", page):
        return text
    ideas = ideas_of(root, page.split("/")[0])

    def make(match):
        cell = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda link: link.group(1) or "", match["cell"])
        choices = ideas.get(match["name"], [])
        if not choices or any(cell.startswith(idea.replace("*", "")) for idea in choices):
            return match.group()
        idea = max(choices, key=lambda idea: difflib.SequenceMatcher(None, idea, cell).ratio())
        return match["before"] + idea + match["after"]

    return re.sub(r"^(?P<before>\| `(?P<name>\w+)` \| )(?P<cell>[^|\n]*?)(?P<after> \|)", make, text, flags=re.M)


def steps_of(root):
    return sorted({path.split("/")[0] for path in tracked.files(root) if re.match(r"\d\d_[^/]*/", path)})


def check_rungs(root, complain):
    """Checks that each rung is on a page of its step. A README names each rung, or each folder with a ladder."""
    for step in steps_of(root):
        rungs = rungs_of(root, step)
        if not rungs:
            complain(step, 1, "no table of rungs found")
        readme = "%s/README.md" % step
        pages = [path for path in tracked.files(root) if re.match(r"docs/(%s_[^/]*|several_gpus)\.md$" % step[:2], path)]
        missing = [page for page in ("docs/%s.md" % step, readme) if not os.path.exists(os.path.join(root, page))]
        for page in missing:
            complain(page, 1, "there is no such page")
        if missing:
            continue
        folders = sorted({path.split("/")[1] for path in tracked.files(root)
                          if re.match(r"%s/[^/]+/ladder\.c$" % step, path)})
        for folder in folders:
            if "](%s)" % folder not in read(os.path.join(root, readme)):
                complain(readme, 1, "does not link to the ladder %s" % folder)
        for wanted in [pages] + ([[readme]] if not folders else []):
            text = "".join(read(os.path.join(root, page)) for page in wanted)
            for rung in rungs:
                if not re.search(r"`[^`\n]*(?<!\w)%s(?!\w)[^`\n]*`" % re.escape(rung), text):
                    complain(wanted[0], 1, "`%s`, a rung of %s, is not on this page" % (rung, step))


def check_exercises(root, texts, complain):
    """Checks that a step's README links to each exercise, and that each edition has its task and hints."""
    languages = {edition_of(page)[-2:] for page in texts if edition_of(page)}
    for page in texts:
        match = re.match(r"(\d\d_[^/]+)/exercise/([^/]+)/README\.md$", page)
        readme = "%s/README.md" % match.group(1) if match else None
        if readme in texts and "(exercise/%s/README.md)" % match.group(2) not in texts[readme]:
            complain(readme, 1, "does not link to exercise %s" % match.group(2))
        for language in languages if match else ():
            translation = page.replace("README.md", "README.%s.md" % language)
            hints = [texts.get(name, "").count("\n<details>") for name in (page, translation)]
            if translation not in texts or hints[0] != hints[1]:
                complain(translation, 1, "has %d hints, and the English %d" % (hints[1], hints[0]))


def check_results(root, complain):
    """Checks that no percentage of a peak is above 100. If one is, that peak does not limit the rung."""
    for path in tracked.files(root):
        if re.match(r"docs/results/.*\.csv$", path):
            with open(os.path.join(root, path), encoding="utf-8", newline="") as file:
                for line, row in enumerate(csv.DictReader(file), 2):
                    if float(row.get("percent_of_peak") or 0) > 100:
                        complain(path, line, "%s%% of the peak" % row["percent_of_peak"])


def check_index(root, texts, complain):
    linked = {}
    for page, text in texts.items():
        for _, target in links_of(text):
            where = os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0]))
            linked.setdefault(where.replace(os.sep, "/"), set()).add(page)
        for match in FILE.finditer(text):
            linked.setdefault(match["path"], set()).add(page)
    for page in texts:
        if "/exercise/" in page or page in ("README.md", "docs/README.md"):
            continue  # ./test.sh exercise lists the exercises
        index = "docs/README.md" if page.startswith("docs/") else "README.md"
        if edition_of(page):
            first = edition_of(page) + "/README.md"
            index = "README.md" if page == first else first
        if index not in linked.get(page, ()):
            complain(index, 1, "does not link to %s" % page)
    for path in tracked.files(root):
        if re.match(r"docs/(results/.*\.csv$|pictures/|programs/)", path) and path not in linked:
            complain(path, 1, "no page links to it")


# ---- commands ------------------------------------------------------------------------------------


def tell_difference(text, now, complain):
    """Complains in one line about each range of lines that differs."""
    old, new = text.split("\n"), now.split("\n")
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, other, end in matcher.get_opcodes():
        if tag != "equal":
            complain(first + 1, "is out of date: '%s' should be '%s'" % (
                "; ".join(line.strip() for line in old[first:last][:2]),
                "; ".join(line.strip() for line in new[other:end][:2])))


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Compares the pages with their sources.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="tell what differs; change nothing")
    what.add_argument("--update", action="store_true", help="write snippets and tables anew")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.join(here, "..", "..", ".."),
                        help="the repository's folder")
    options = parser.parse_args(arguments)
    rows_of.cache_clear()
    root = os.path.abspath(options.root)
    wrongs = []

    def complain(page, line, what_is_wrong):
        wrongs.append("%s:%d: %s" % (page, line, what_is_wrong))

    pages = find_pages(root)
    if tracked.note(root) and "--root" not in (arguments or sys.argv[1:]):
        print(tracked.note(root))
    if "docs/README.md" not in pages:
        print("docs.py: %s: no docs/README.md there" % root, file=sys.stderr)
        return 2
    parts, texts, updated = parts_of(root, "docs/tables.txt", complain), {}, 0
    words = {edition: words_of(root, edition, complain)
             for edition in sorted({edition_of(page) for page in pages if edition_of(page)})}
    for page in pages:
        complain_here = functools.partial(complain, page)
        text = read(os.path.join(root, page))
        now = renew_files(root, renew_snippets(root, text, complain_here), complain_here)
        translate = functools.partial(translated_cell, page=page, words=words[
            edition_of(page)]) if edition_of(page) else None
        now = renew_tables(parts.get(original_of(page), Part()), now, translate, complain_here)
        now = renew_plots(root, renew_ideas(root, page, now), complain_here, options.update)
        if now != text and options.update:
            with open(os.path.join(root, page), "w", encoding="utf-8") as file:
                file.write(now)
            updated += 1
            text = now
        elif now != text:
            tell_difference(text, now, complain_here)
        texts[page] = text
        if original_of(page) not in pages:
            complain(page, 1, "there is no English page %s" % original_of(page))
        check_comments(text, complain_here)
        check_links(root, page, text, complain_here)
        check_paths(root, text, complain_here)
    check_claims(root, complain)
    check_rungs(root, complain)
    check_index(root, texts, complain)
    check_exercises(root, texts, complain)
    check_results(root, complain)

    for wrong in wrongs:
        print(wrong)
    if wrongs:
        print("docs.py: %d things to put right; --update writes snippets and tables anew"
              % len(wrongs), file=sys.stderr)
        return 1
    print("docs.py: %d pages are as they should be%s" % (
        len(pages), ", %d updated" % updated if options.update else ""))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, UnicodeDecodeError) as problem:
        print("docs.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
