#!/usr/bin/env python3
"""Writes the pages in the form that MkDocs needs: stage.py FOLDER [--root ROOT] [--pictures FOLDER]

FOLDER/en gets the English pages at their paths in the repository. FOLDER/zh gets the pages of docs/zh, and
README.zh.md of the exercises as README.md. The pages are written for GitHub, so this script rewrites the
Markdown that MkDocs reads differently:

  headings     get the id that GitHub gives them, because links use it
  lists        items' contents are indented by 4; a blank line before a list or a table
  <details>    become blocks that may contain Markdown
  links        to a page of the same language stay. Other links become site:PATH, a file of the built site, or
               source:PATH, a file of the repository. hooks.py turns both into addresses.
               docs/explorer.md#watch-PAGE leads to that page of the explorer's gallery,
               docs/explorer.md#bench-NAME to that example of the bench
  snippets     have the name of their file as a title, CUDA's words as keywords, and no indentation
  comments     of docs.py are removed
en/gallery.md, which leads to the explorer's gallery, is made from the output of gallery.sh --list.
Needs nothing but Python 3.8. Exit status: 0 done, 2 bad usage, 4 a file cannot be read or written."""
import argparse
import functools
import html
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "scripts", "docs"))
import docs  # noqa: E402

EDITION = "docs/zh"
GALLERY = os.path.join(os.path.dirname(HERE), "scripts", "draw", "gallery.sh")


def pages_of(root):
    """The pages of the site. Excludes pages in learners' copies and in others' programs."""
    return [page for page in docs.find_pages(root) if not re.search(r"/(build|wrong)/", page)]


def staged_at(page):
    """The page's path within the folder of its language."""
    return re.sub(r"^%s/|(?<=\.)zh\.(?=md$)" % EDITION, "", page)


def place_of(page):
    """The page's address from the top of the site."""
    page = ("zh/" if docs.edition_of(page) else "") + staged_at(page)
    if os.path.basename(page) == "README.md":
        return page[:-len("README.md")] + "index.html"
    return page[:-len(".md")] + ".html"


# ---- links ---------------------------------------------------------------------------------------


@functools.lru_cache()
def lessons():
    """For each page of the gallery, the place where it opens."""
    listed = subprocess.run([GALLERY, "--list"], check=True, stdout=subprocess.PIPE, universal_newlines=True).stdout
    return dict(line.split("|")[0:3:2] for line in listed.splitlines())


def explorer_page(path, anchor):
    """The address of the gallery's page or the bench's example that an anchor of docs/explorer.md names, or None."""
    kind, _, name = anchor.partition("-")
    if not re.fullmatch(r"docs/(zh/)?explorer\.md", path) or kind not in ("watch", "bench"):
        return None
    return "site:gallery/bench.html#example=" + name if kind == "bench" else "site:gallery/%s.html%s" % (name, lessons()[name])


def target_for(root, pages, page, target):
    """The target that a link of the page must have on the site."""
    path, _, anchor = target.partition("#")
    if re.match(r"[a-z][a-z+.-]*:", target) or not path:
        return target
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)).replace(os.sep, "/")
    if os.path.isdir(os.path.join(root, path)) and path + "/README.md" in pages:
        path += "/README.md"
    watched = explorer_page(path, anchor)
    if watched:
        return watched
    anchor = anchor and "#" + anchor
    here = docs.edition_of(page)
    if path in pages:
        if docs.edition_of(path) != here:
            return "site:" + place_of(path) + anchor
        return os.path.relpath(staged_at(path), os.path.dirname(staged_at(page))).replace(os.sep, "/") + anchor
    if path.startswith("docs/pictures/"):
        return target if here is None else "site:" + path
    return "source:" + ("" if path == "." else path) + anchor


def with_links(text, target_of):
    """The text with new targets of links. Code stays unchanged."""
    def link(match):
        old = match.group(1) or match.group(2)
        return match.group().replace(old, target_of(old), 1)

    parts = re.split(r"(^[ \t]*```.*?^[ \t]*```[ \t]*$|`[^`]+`)", text, flags=re.S | re.M)
    # A link's text may contain code, so only its end, "](target)", must be outside of code.
    return "".join(part if at % 2 else docs.LINK.sub(link, part) for at, part in enumerate(parts))


# ---- blocks --------------------------------------------------------------------------------------

SNIPPET = re.compile(r"^<!-- snippet: (\S+) \S+ -->\n```(\w*)\n(.*?)^```$", re.M | re.S)
MARKER = re.compile(r"( *)([-*+]|\d{1,9}[.)])( +)(?=\S)")


def without_indentation(code):
    """Like textwrap.dedent, but ignores the indentation of preprocessor directives."""
    inner = min((len(line) - len(line.lstrip()) for line in code.split("\n")
                 if line.strip() and line[0] != "#"), default=0)
    return re.sub("^ {%d}" % inner, "", code, flags=re.M)


def with_titles(text):
    def fence(match):
        language = "cuda" if match[1].endswith((".cu", ".cuh")) else match[2]
        return '```%s title="%s"\n%s```' % (language, match[1], without_indentation(match[3]))

    return SNIPPET.sub(fence, text)


def without_comments(text):
    """Removes the comments of docs.py (one per line) and the line that links to the other language."""
    parts = re.split(r"(^[ \t]*```.*?^[ \t]*```[ \t]*$)", text, flags=re.S | re.M)
    text = "".join(part if at % 2 else re.sub(r"^<!-- .* -->\n?", "", part, flags=re.M)
                   for at, part in enumerate(parts))
    return re.sub(r"^(English \| \[.*|\[English\].*\| 中文)\n\n", "", text, flags=re.M)


def with_anchors(text):
    lines = text.split("\n")
    for at, _, anchor in docs.headings_of(text):
        hint = " data-search-exclude" if anchor.startswith(("hint-", "提示-")) else ""  # the search must not find hints
        lines[at] = "%s {#%s%s}" % (lines[at].rstrip(" #"), anchor, hint)
    return "\n".join(lines)


def with_details(text):
    """Folded parts as blocks of pymdownx, because MkDocs does not read Markdown inside <details> in a list."""
    lines = text.split("\n")
    prose = docs.without_code(text).split("\n")
    for at, line in enumerate(prose):
        begun = re.match(r"( *)<details>(?=$|<summary>)", line)
        if begun:  # the summary begins on this line or the next, and may continue
            end = next(end for end in range(at, len(lines)) if prose[end].endswith("</summary>"))
            title = re.fullmatch(r"\s*<details>\s*<summary>(.*)</summary>", "\n".join(lines[at:end + 1]), re.S)[1]
            lines[at:end + 1] = [""] * (end + 1 - at)
            lines[at] = "\n%s//// details | %s" % (begun[1], " ".join(title.split()))
        elif line.strip() == "</details>":
            lines[at] = line.replace("</details>", "////")
    return "\n".join(lines)


def is_table(lines, at):
    return (lines[at].lstrip().startswith("|") and at + 1 < len(lines)
            and re.fullmatch(r"\s*\|?[\s:|-]*-[\s:|-]*", lines[at + 1]) is not None)


class Lists:
    """Indents the contents of list items by 4, line by line."""

    def __init__(self):
        self.contents = []  # the column of each open item's contents
        self.loose = []     # whether it has had an empty line
        self.fence = None   # (column of the open fence, number of columns it is moved)
        self.lines = []

    def put(self, line):
        self.lines.append(line)

    def last_is_text(self):
        return bool(self.lines) and bool(self.lines[-1].strip())

    def leave(self, indent):
        """Closes the items whose contents begin further to the right. Returns whether the last was loose."""
        loose = False
        while self.contents and indent < self.contents[-1]:
            self.contents.pop()
            loose = self.loose.pop()
        return loose

    def in_fence(self, line, indent):
        """Whether the line belongs to a block of code, which moves as a whole."""
        mark = re.match(r"\s*(```+)", line)
        if self.fence is None and not mark:
            return False
        if self.fence is None:
            self.leave(indent)
            depth = len(self.contents)
            moved = 4 * depth - self.contents[-1] if depth else 0
            self.fence = (mark[1], moved)
            if self.last_is_text() and not depth:
                self.put("")
            self.put(" " * (indent + moved) + line.strip())
            return True
        closing, moved = self.fence
        self.put((" " * moved + line) if moved >= 0 else line[-moved:])
        if mark and line.strip() == closing:
            self.fence = None
        return True

    def is_code(self, indent, after_text):
        """Whether a line outside of lists is code because it is indented."""
        if self.contents and indent >= self.contents[0]:
            return False
        return indent >= 4 and (not after_text or self.lines[-1].startswith("    "))

    def item(self, line, marker, after_text):
        begins = not self.contents
        if (self.leave(len(marker[1])) or begins) and after_text:
            self.put("")
        self.loose.append(False)
        self.contents.append(marker.end())
        self.put(" " * (4 * (len(self.contents) - 1)) + marker[2] + " " + line[marker.end():])

    def line(self, line, table):
        indent = len(line) - len(line.lstrip())
        if self.in_fence(line, indent):
            return
        if not line.strip():
            self.loose = [True for _ in self.loose]
            self.put("")
            return
        marker, after_text = MARKER.match(line), self.last_is_text()
        if self.is_code(indent, after_text):
            self.put(line)
            return
        # In the middle of a paragraph, a number other than 1 does not begin a list.
        if marker and (self.contents or not after_text or marker[2] in ("-", "*", "+", "1.")):
            self.item(line, marker, after_text)
            return
        if not after_text:
            self.leave(indent)
        if table and after_text:
            self.put("")
        depth = len(self.contents)
        left = max(indent - self.contents[-1], 0) if depth else indent
        self.put(" " * (4 * depth + left) + line.lstrip())


def with_bars(line):
    """A table's row whose code contains bars. MkDocs would also show the backslash before a bar."""
    def code(match):
        return "<code>%s</code>" % html.escape(match[1]).replace("\\|", "&#124;")

    return re.sub(r"`([^`]*\\\|[^`]*)`", code, line) if line.lstrip().startswith("|") else line


def with_lists(text):
    lists, lines = Lists(), [with_bars(line) for line in text.split("\n")]
    for at, line in enumerate(lines):
        lists.line(line, is_table(lines, at))
    return "\n".join(lists.lines)


def staged(text, target_of):
    text = with_links(text, target_of)
    return with_lists(with_details(with_anchors(without_comments(with_titles(text)))))


# ---- the gallery ---------------------------------------------------------------------------------


def gallery(pictures):
    """The page that leads to the explorer's gallery, with the pictures that are in the folder."""
    cards = subprocess.run([GALLERY, "--cards", "site:gallery", "", pictures or os.devnull], check=True,
                           stdout=subprocess.PIPE, universal_newlines=True).stdout
    return """---
hide: [toc]
---

# Kernels to watch {#kernels-to-watch}

Each page replays a real run of a kernel, step by step, warp by warp, lane by lane;
[the explorer](docs/explorer.md) says what is on it. Start with the first. *Guess first* hides each
count until you have typed one.

The [bench for addresses](site:gallery/bench.html) shows what an index of your own costs: banks,
wavefronts and sectors.

""" + cards


# ---- all of it -----------------------------------------------------------------------------------


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def stage(root, folder, pictures=""):
    """Writes all pages. Returns their number."""
    for language in ("en", "zh"):
        shutil.rmtree(os.path.join(folder, language), ignore_errors=True)
    pages = pages_of(root)
    for page in pages:
        text = staged(docs.read(os.path.join(root, page)),
                      lambda target, page=page: target_for(root, pages, page, target))
        path = ("zh/" if docs.edition_of(page) else "en/") + staged_at(page)
        solution = page.replace("README.md", "solution/README.md")
        if "/exercise/" in page and solution != page and solution in pages:
            text += "\n[A solution, why it is right, and what wrong answers cost](solution/README.md).\n"
        if page.startswith("docs/slides/"):
            deck = "site:slides/" + os.path.basename(page).replace(".md", ".html")
            text = text.replace("\n\n", "\n\n[As slides](%s)\n\n" % deck, 1)
        if "/solution/" in page:
            text = "---\nsearch: {exclude: true}\n---\n" + text
        write(os.path.join(folder, path), text)
    write(os.path.join(folder, "en/gallery.md"), gallery(pictures))
    shutil.copytree(os.path.join(root, "docs/pictures"), os.path.join(folder, "en/docs/pictures"))
    for language in ("en", "zh"):
        for name in ("site.css", "worker.js", "zoom.js"):
            shutil.copy(os.path.join(HERE, name), os.path.join(folder, language, name))
    return len(pages) + 1


def main():
    parser = argparse.ArgumentParser(description="Writes the pages as MkDocs wants them.")
    parser.add_argument("folder")
    parser.add_argument("--root", default=os.path.dirname(os.path.dirname(HERE)))
    parser.add_argument("--pictures", default="", help="the gallery's folder, where its pictures are")
    options = parser.parse_args()
    print("stage.py: %d pages" % stage(os.path.abspath(options.root), options.folder, options.pictures))


if __name__ == "__main__":
    try:
        main()
    except (OSError, UnicodeDecodeError, subprocess.CalledProcessError) as problem:
        print("stage.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
