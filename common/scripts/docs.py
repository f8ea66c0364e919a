#!/usr/bin/env python3
"""Keeps the pages true: docs.py --check | --update [--root FOLDER]

The pages are every README.md of the steps, the one at the top and all of docs/. Their sources have three kinds of
comments and no others; what these hold is compared with what it comes from, and with --update written anew:

  <!-- snippet: PATH NAME -->       lines of the function, kernel, struct or macro NAME in the source PATH:
  ```c                              a run of its lines as they stand there. A page chooses which; where
  ```                               the source has changed, --update keeps the first and last line that
  <!-- end snippet -->              are still there and takes all between them.

  <!-- table: NAME -->              a table that docs/tables.txt describes
  <!-- end table -->

  <!-- plot: NAME OPTION... FILE.csv... = HASH -->
  ![...](pictures/NAME.svg)         drawn by plot_results.py from files of docs/results. HASH is of those files
                                    and of plot_results.py: it tells, also where matplotlib is missing, that
                                    the picture is not of these data; --update draws it anew.

Prose says "about twice" or gives a rounded figure, and that is all. docs/claims.txt has what it says as comparisons
of numbers in docs/results; one that no longer holds after a new measurement is told with its page.

Both files have a part for each page. A line with the page's path begins it; # begins a comment. A name stands for
rows of files in docs/results, or for what a run counted (common/simt/tests/rung_counts.txt):

  docs/05_gpu_shared_tree.md
  us = reductions_h200.csv 05_gpu_shared_tree dot f32 warm
  counts = 05_gpu_shared_tree --n 65537

NAME[WORDS] is one number. Words choose its row: COLUMN=VALUE, or just a value (naive, f32, 64M) of a column in KEYS;
a|b is one or the other. One word may name the number's column, else it is median_us or value; a*b is the product of
two. Words in the brackets overrule the name's. If several rows fit: min NAME[WORDS], or max, sum, median, count; the
same word right after the = of the name makes that its habit. A claim compares such numbers; x ~ y means that x is
within a tenth of y:

  us[interleaved 1M] > us[strided 1M] > us[sequential 1M]
  for N in 1M 64M: us[last_warp N] / us[unrolled N] ~ 1

A table has rows, and columns HEADING = EXPRESSION : FORMAT (one of Python's). A row is words, too, which hold for
each number of the row, unless its name or brackets say otherwise. @2 is the row's second cell.

  table times
  rows: serial interleaved strided              or "each: rung of us", in the file's order
  64M: us = us[64M] : ,.1f
  over `serial` = us[64M] / us[serial 64M] : .2f

  table notes
  heads: order | rung | ... | why               in place of "rows:"; computed columns go to "..."
  row: a tree | `shuffle` | ... | words = shuffle 06_gpu_warp_shuffle

docs.py further asks for: links and anchors that lead somewhere, paths in `code` that exist, every rung of a step
on the step's page and in its README, every page in the index, every file of docs/results on some page, and
pictures that are well-formed SVG.

Exit status: 0 all is as it should be, 1 something differs, 2 bad usage, 4 a file cannot be read or written.
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


# ---- numbers -------------------------------------------------------------------------------------

KEYS = ("step", "rung", "kernel", "op", "type", "shape", "cache", "source", "backend", "metric")
SIZES = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
COMBINE = {"min": min, "max": max, "sum": sum, "median": statistics.median, "count": len}
REFERENCE = re.compile(r"(?:\b(%s) )?\b([A-Za-z]\w*)\[([^\]]*)\]" % "|".join(COMBINE))


def expand(value):
    """64K as the files write it: 65536."""
    match = re.fullmatch(r"(\d+)([KMG])", value)
    return str(int(match.group(1)) * SIZES[match.group(2)]) if match else value


@functools.lru_cache(maxsize=None)
def rows_of(root, source):
    """The rows of a file of docs/results, or the counts of a run."""
    if source.endswith(".csv"):
        with open(os.path.join(root, "docs", "results", source), encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))
    rows, here = [], False
    for line in read(os.path.join(root, "common", "simt", "tests", "rung_counts.txt")).split("\n"):
        if not line.startswith("  "):
            here = line.strip() == source
        elif here:
            rung, _, counters = line.strip().partition(" ")
            rows.append(dict(json.loads("{%s}" % counters), rung=rung))
    if not rows:
        raise Wrong("rung_counts.txt has no run '%s'" % source)
    return rows


class Name:
    """A name's rows: [min|max|...] FILE.csv... WORD..., or PROGRAM ARGUMENT..."""

    def __init__(self, root, text):
        words = text.split()
        self.combine = words.pop(0) if words[0] in COMBINE else None
        files = [word for word in words if word.endswith(".csv")]
        self.words = [word for word in words if word not in files] if files else []
        self.rows = [row for file in files or [" ".join(words)] for row in rows_of(root, file)]
        self.columns = {column for row in self.rows for column in row}

    def parse(self, word):
        """(column, values) of a condition, (None, columns) of the number's column, None of what is not there."""
        column, equals, value = word.partition("=")
        if equals:
            return (column, [expand(one) for one in value.split("|")]) if column in self.columns else None
        values = word.split("*")
        if all(value in self.columns for value in values):
            return None, values
        values = [expand(value) for value in word.split("|")]
        for column in KEYS:
            if all(any(row.get(column) == value for row in self.rows) for value in values):
                return column, values
        return None

    def matching(self, words, of_row=()):
        """The rows that fit, and the number's columns."""
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
        """None if no row fits."""
        rows, columns = self.matching(words, of_row)
        if rows and not columns:
            raise Wrong("which column? [%s]" % " ".join(words))
        numbers = []
        for row in rows:
            if all(row.get(column, "") != "" for column in columns):
                numbers.append(1.0)
                for column in columns:
                    numbers[-1] *= 1 if combine == "count" else float(row[column])
        if not combine and len(numbers) > 1:
            raise Wrong("%d rows fit [%s]; say which, or min, max, median" % (len(numbers), " ".join(words)))
        return COMBINE[combine or "sum"](numbers) if numbers or combine == "count" else None


def calculate(expression, names, of_row=()):
    """(value, the expression with its numbers); the value is None where a row is missing."""
    missing = []

    def number(match):
        combine, name, words = match.groups()
        if name not in names:
            raise Wrong("no name '%s'" % name)
        value = names[name].number(words.split(), of_row, combine or names[name].combine)
        if value is None:
            missing.append(match.group())
        return "%.6g" % value if shown else "(%r)" % value

    shown = False
    text = REFERENCE.sub(number, expression)
    if missing:
        return None, "no row fits %s" % missing[0]
    left, about, right = text.partition(" ~ ")
    if about:
        text = "abs((%s) - (%s)) <= abs(%s) / 10" % (left, right, right)
    if re.search(r"[^\w.+\-*/()<>=, ]|__", text):
        raise Wrong("cannot calculate '%s'" % expression)
    try:
        value = eval(text, {"__builtins__": {}}, {"min": min, "max": max, "abs": abs})
    except ZeroDivisionError:
        value = None
    except (SyntaxError, NameError, TypeError) as error:
        raise Wrong("cannot calculate '%s': %s" % (expression, error)) from error
    shown = True
    return value, REFERENCE.sub(number, expression)


class Part:
    """What tables.txt or claims.txt has of a page."""

    def __init__(self):
        self.names = {}
        self.tables = {}  # name: lines
        self.claims = []  # (line, text)


def parts_of(root, file, complain):
    """{page: Part}"""
    parts, part, table = {}, None, None
    path = os.path.join(root, file)
    for at, line in enumerate(read(path).split("\n") if os.path.exists(path) else [], 1):
        line = re.sub(r"(^|\s)# .*|^#$", "", line).strip()
        definition = re.fullmatch(r"(\w+) = (.*)", line)
        try:
            if re.fullmatch(r"\S+\.md", line):
                if line in parts or not os.path.exists(os.path.join(root, line)):
                    raise Wrong("%s: %s" % (line, "a second time" if line in parts else "there is no such page"))
                part, table = parts.setdefault(line, Part()), None
            elif line and part is None:
                raise Wrong("want the path of a page before '%s'" % line)
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
                loop = re.fullmatch(r"for (\w+) in ([^:]*): (.*)", claim)
                claims = [re.sub(r"\b%s\b" % loop.group(1), value, loop.group(3))
                          for value in loop.group(2).split()] if loop else [claim]
                for one in claims:
                    holds, text = calculate(one, part.names)
                    if not isinstance(holds, bool):
                        raise Wrong("'%s' compares nothing: %s" % (one, text))
                    if not holds:
                        complain("docs/claims.txt", line, "no longer so, and %s says it: %s, with numbers %s"
                                 % (page, one, text))
            except Wrong as wrong:
                complain("docs/claims.txt", line, str(wrong))


# ---- tables --------------------------------------------------------------------------------------


def cell_of(word):
    """A row's word as its first cell: a rung in `code`, 2048x2048x1024 as 2048 x 2048 x 1024."""
    word = word.rpartition("=")[2]
    if re.fullmatch(r"\d+(x\d+)+", word):
        return word.replace("x", " x ")
    return "`%s`" % word if word[0].isalpha() else word


def table_of(lines, names):
    heads, rows, columns = [], [], []
    for line in lines:
        key, _, value = line.partition(": ")
        if key == "heads":
            heads = [cell.strip() for cell in value.split("|")]
        elif key == "rows":
            heads = heads or ["rung"]
            rows += [([cell_of(word)], [word]) for word in value.split()]
        elif key == "each":
            column, _, name = value.partition(" of ")
            if name not in names:
                raise Wrong("no name '%s'" % name)
            heads = heads or [column]
            seen = dict.fromkeys(row[column] for row in names[name].matching([])[0])
            rows += [(["`%s`" % one if column in ("rung", "kernel") else one], ["%s=%s" % (column, one)])
                     for one in seen]
        elif key == "row":
            cells, _, words = value.rpartition(" = ")
            rows.append(([cell.strip() for cell in (cells or value).split("|")],
                         words.split() if cells else [value.partition("|")[0].strip(" `")]))
        else:
            match = re.fullmatch(r"(.*) = (.*) : (\S+)", line)
            if not match:
                raise Wrong("want HEADING = EXPRESSION : FORMAT, not '%s'" % line)
            columns.append(match.groups())
    at = heads.index("...") if "..." in heads else len(heads)

    def whole(cells, computed):
        return "| %s |" % " | ".join(cells[:at] + computed + cells[at + 1:])

    table = [whole(heads, [heading for heading, _, _ in columns]),
             "|%s|" % "|".join(["---"] * at + ["---:"] * len(columns) + ["---"] * len(heads[at + 1:]))]
    for cells, words in rows:
        computed = []
        for _, expression, form in columns:
            expression = re.sub(r"@(\d)", lambda match, cells=cells: cells[int(match.group(1)) - 1]
                                .strip("`").replace(",", ""),
                                expression)
            values = [calculate(part, names, words)[0] for part in expression.split(" to ")]
            computed.append(" to ".join(dict.fromkeys(
                "-" if value is None else format(value, form) for value in values)))
        if len(cells) != len(heads) or set(computed) == {"-"}:
            raise Wrong("%s '%s'" % ("no number for" if len(cells) == len(heads) else "too many or few cells in",
                                     " | ".join(cells)))
        table.append(whole(cells, computed))
    return "\n".join(table) + "\n"


TABLE = re.compile(r"<!-- table: (?P<name>\S+) -->\n(?P<inside>.*?)<!-- end table -->", re.S)


def renew_tables(part, text, complain):
    def renew(match):
        used.add(match["name"])
        try:
            if match["name"] not in part.tables:
                raise Wrong("docs/tables.txt has no such table for this page")
            inside = table_of(part.tables[match["name"]], part.names)
        except (Wrong, ValueError, KeyError, IndexError) as wrong:
            complain(line_of(text, match.start()), "table %s: %s" % (match["name"], wrong))
            return match.group()
        return "<!-- table: %s -->\n%s<!-- end table -->" % (match["name"], inside)

    used = set()
    if text.count("<!-- table:") != text.count("<!-- end table -->"):
        complain(1, "<!-- table: and <!-- end table --> do not pair")
    text = TABLE.sub(renew, text)
    for name in part.tables:
        if name not in used:
            complain(1, "the table '%s' of docs/tables.txt is not on this page" % name)
    return text


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


def rungs_of(folder):
    """The names in a step's tables of rungs."""
    names = []
    for file in sorted(os.listdir(folder)):
        for table in re.finditer(r"\bstruct \w*rung \w+\[\] = \{(.*?)\n\};", read(os.path.join(folder, file))
                                 if file.endswith(".c") else "", re.S):
            names += re.findall(r'\.name = "([^"]+)"', table.group(1))
    return list(dict.fromkeys(names))


def check_rungs(root, complain):
    for step in sorted(os.listdir(root)):
        if not re.match(r"\d\d_", step):
            continue
        rungs = rungs_of(os.path.join(root, step))
        if not rungs:
            complain(step, 1, "no table of rungs found")
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
    parts, texts, updated = parts_of(root, "docs/tables.txt", complain), {}, 0
    for page in pages:
        def here(line, what_is_wrong, page=page):
            complain(page, line, what_is_wrong)

        text = read(os.path.join(root, page))
        now = renew_tables(parts.pop(page, Part()), renew_snippets(root, text, here), here)
        now = renew_plots(root, now, here, options.update)
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
    check_claims(root, complain)
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
