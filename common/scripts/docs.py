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

  <!-- counts: PROGRAM ARGUMENTS    counters of the CPU back end, from common/simt/tests/rung_counts.txt,
  ... -->                           which the tests compare with what the programs count; see counts_of().
  <!-- end counts -->

  <!-- plot: NAME OPTION... FILE.csv... = HASH -->
  ![...](pictures/NAME.svg)         drawn by plot_results.py from files of docs/results. HASH is of those files
                                    and of plot_results.py: it tells, also where matplotlib is missing, that
                                    the picture is not of these data; --update draws it anew.

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


def parse_conditions(text):
    conditions = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals:
            raise Wrong("want NAME=VALUE, not '%s'" % word)
        conditions[name] = value.split("|")
    return conditions


def select(rows, conditions):
    for name in conditions:
        if rows and name not in rows[0]:
            raise Wrong("no column '%s' in the file" % name)
    return [row for row in rows if all(row[name] in values for name, values in conditions.items())]


class Parameters(dict):
    """The lines 'key: value' of a table's comment; all that is neither of the known keys is a column."""

    def __init__(self, text, known):
        super().__init__()
        self.columns = []
        for line in text.strip().split("\n"):
            if not line.strip():
                continue
            key, colon, value = line.partition(" = ") if " = " in line else line.partition(": ")
            if not colon:
                raise Wrong("want 'KEY: VALUE' or 'HEADING = COLUMN ...', not '%s'" % line.strip())
            if colon == ": " and key.strip() in known:
                self[key.strip()] = value.strip()
            else:
                self.columns.append((key.strip(), value.strip()))


def markdown_table(headings, rows, left):
    lines = ["| %s |" % " | ".join(headings)]
    lines.append("|%s|" % "|".join("---" if at < left else "---:" for at in range(len(headings))))
    lines.extend("| %s |" % " | ".join(row) for row in rows)
    return "\n".join(lines) + "\n"


def table_of(root, arguments, body):
    """A table with a line for every value of one column, in the order of the file:

      <!-- table: FILE.csv
      where: op=dot type=f32 cache=warm          conditions on all rows; a|b for one of two
      row: rung                                  what a line stands for
      only: serial|interleaved                   these lines only, in this order
      64K: us = median_us .2f shape=65536        a column: heading, the file's column, how to write the
      GB/s = gb_per_s ,.0f shape=67108864        number, further conditions
      times = median_us .2f / median_us shape=.. over the same line's, under other conditions
      saved = median_us .2f / median_us rung=a   or over another line's
      -->"""
    parameters = Parameters(body, ("where", "row", "only"))
    path = os.path.join(root, "docs", "results", arguments.strip())
    try:
        with open(path, encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
    except OSError as error:
        raise Wrong("docs/results/%s: %s" % (arguments.strip(), error.strerror)) from error
    rows = select(rows, parse_conditions(parameters.get("where", "")))
    key = parameters.get("row", "rung")
    names = parameters["only"].split("|") if "only" in parameters else list(
        dict.fromkeys(row[key] for row in rows))
    if not names:
        raise Wrong("no row of %s fits" % arguments.strip())

    def cell(name, column, conditions):
        wanted = dict(conditions)
        wanted.setdefault(key, [name])
        found = select(rows, wanted)
        if len(found) > 1:
            raise Wrong("%s of %s: %d rows fit" % (column, name, len(found)))
        if found and column not in found[0]:
            raise Wrong("no column '%s' in %s" % (column, arguments.strip()))
        return found[0][column] if found else ""

    lines = []
    for name in names:
        cells = ["`%s`" % name if key in ("rung", "kernel") else name]
        for _, value in parameters.columns:
            column, form, conditions, over = parse_column(value)
            text = cell(name, column, conditions)
            if over and text != "":
                other = cell(name, *over)
                text = str(float(text) / float(other)) if other != "" else ""
            cells.append(number_text(text, form))
        if any(cell_text != "-" for cell_text in cells[1:]) or "only" in parameters:
            lines.append(cells)
    return markdown_table([key] + [heading for heading, _ in parameters.columns], lines, 1)


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
        for _, value in parameters.columns:
            words = value.split()
            form = ",d"
            if re.fullmatch(r"[,.]\S*[df%]", words[-1]):
                form = words.pop()
            cells.append(evaluate(words, run[rung], form))
        lines.append(cells)
    return markdown_table(["rung"] + [heading for heading, _ in parameters.columns], lines, 1)


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
            named = any("results/%s" % name in texts[page] or "table: %s" % name in texts[page]
                        or re.search(r"plot: .*\b%s" % re.escape(name), texts[page]) for page in pages)
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
