#!/usr/bin/env python3
"""Tests the sources of the site, or the built site: test_site.py [--built]

Without an option: tests the output of stage.py for samples and for all pages. Needs nothing but Python.
--built builds the site in build/site-test with common/site/build.sh, which checks its links. It compares each
page with the result of a parser of GitHub's Markdown: the same numbers of headings, tables, items and so on,
and the same text. If there is a browser, it opens some pages, wide and narrow: nothing is wider than the
window, the console has no errors, the search finds something, and the content of each slide fits on its page.
Skipped if MkDocs is not installed.
Exit status: 0 success, 1 failure."""
import collections
import html.parser
import os
import re
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "common", "site"))
sys.path.insert(0, os.path.join(ROOT, "common", "simt", "tests"))
sys.path.insert(0, os.path.join(ROOT, "common", "tests"))
import browser  # noqa: E402
import stage  # noqa: E402
import test_style as style  # noqa: E402
from stage import docs  # noqa: E402

wrong = []


def check(right, what):
    if not right:
        wrong.append(what)
        print("WRONG: " + what)


# ---- samples -------------------------------------------------------------------------------------

SAMPLES = (
    ("# A `b` (c)\n", "# A `b` (c) {#a-b-c}\n"),
    ("## 先预测，再测量\n", "## 先预测，再测量 {#先预测再测量}\n"),
    ("## Hint 2\n", "## Hint 2 {#hint-2 data-search-exclude}\n"),
    ("## 提示 2\n", "## 提示 2 {#提示-2 data-search-exclude}\n"),
    ("text\n- one\n- two\n", "text\n\n- one\n- two\n"),
    ("1. one\n   more\n\n   - deep\n2. two\n", "1. one\n    more\n\n    - deep\n\n2. two\n"),
    ("text\n2024. was a year\n", "text\n2024. was a year\n"),
    ("1. a\n\n   ```sh\n   x\n     y\n   ```\n", "1. a\n\n    ```sh\n    x\n      y\n    ```\n"),
    ("a\n\n    * code\n    - code\n", "a\n\n    * code\n    - code\n"),
    ("a\n| b |\n|---|\n| `c\\|d<e` |\n", "a\n\n| b |\n|---|\n| <code>c&#124;d&lt;e</code> |\n"),
    ("<details><summary>A</summary>\n\nb\n\n</details>\n", "\n//// details | A\n\nb\n\n////\n"),
    ("<details>\n<summary>A</summary>\n\nb\n\n</details>\n", "\n//// details | A\n\n\nb\n\n////\n"),
    ("<details><summary>A\n(b)</summary>\n\nc\n\n</details>\n", "\n//// details | A (b)\n\n\nc\n\n////\n"),
    ("English | [中文](zh/README.md)\n\na\n", "a\n"),
    ("<!-- table: a -->\n| a |\n|---|\n<!-- end table -->\n", "| a |\n|---|\n"),
    ("<!-- snippet: a/b.cu c -->\n```c\n<!-- x -->\n```\n<!-- end snippet -->\n",
     '```cuda title="a/b.cu"\n<!-- x -->\n```\n'),
    ("<!-- snippet: a/b.cu c -->\n```c\n        if (x)\n            y;\n```\n<!-- end snippet -->\n",
     '```cuda title="a/b.cu"\nif (x)\n    y;\n```\n'),
    ("<!-- snippet: a/b.cu c -->\n```c\n#pragma unroll\n    for (;;)\n        x;\n```\n<!-- end snippet -->\n",
     '```cuda title="a/b.cu"\n#pragma unroll\nfor (;;)\n    x;\n```\n'),
    ("[a](b.md#c) `](d)` [`e`](f.c)\n", "[a](<b.md#c>) `](d)` [`e`](<f.c>)\n"),
)


def test_samples():
    for text, expected in SAMPLES:
        got = stage.staged(text, lambda target: "<%s>" % target)
        check(got == expected, "%r becomes %r, not %r" % (text, got, expected))


def test_targets():
    pages = ["README.md", "docs/a.md", "docs/zh/a.md", "docs/README.md", "05_gpu_shared_tree/README.md",
             "05_gpu_shared_tree/exercise/a/README.zh.md"]
    for page, target, expected in (
            ("docs/a.md", "README.md#x", "README.md#x"),
            ("docs/a.md", "zh/a.md#x", "site:zh/a.html#x"),
            ("docs/zh/a.md", "../a.md", "site:docs/a.html"),
            ("docs/zh/a.md", "../../05_gpu_shared_tree/exercise/a/README.zh.md", "05_gpu_shared_tree/exercise/a/README.md"),
            ("05_gpu_shared_tree/exercise/a/README.zh.md", "../../../docs/zh/a.md", "../../../a.md"),
            ("docs/zh/a.md", "../../README.md", "site:index.html"),
            ("docs/zh/a.md", "../pictures/b.svg", "site:docs/pictures/b.svg"),
            ("docs/a.md", "pictures/b.svg", "pictures/b.svg"),
            ("docs/a.md", "../05_gpu_shared_tree", "../05_gpu_shared_tree/README.md"),
            ("docs/a.md", "../common/base", "source:common/base"),
            ("docs/a.md", "..", "source:"),
            ("docs/a.md", "explorer.md#watch-shuffles", "site:gallery/shuffles.html#launch=shuffle,step=6"),
            ("docs/a.md", "explorer.md#bench-column", "site:gallery/bench.html#example=column"),
            ("docs/a.md", "https://a.b/c", "https://a.b/c"), ("docs/a.md", "#x", "#x")):
        got = stage.target_for(ROOT, pages, page, target)
        check(got == expected, "%s in %s becomes %s, not %s" % (target, page, got, expected))


# ---- all pages -----------------------------------------------------------------------------------


def check_target(path, target, places, top):
    kind, _, rest = target.partition(":")
    name = rest.partition("#")[0]
    if kind == "site":
        check(name in places or re.match("(gallery|slides)/", name)
              or os.path.exists(os.path.join(ROOT, name)), "%s: no page %s" % (path, target))
    elif kind == "source":
        check(os.path.exists(os.path.join(ROOT, name)), "%s: no file %s" % (path, target))
    elif kind not in ("http", "https", "mailto") and target[0] != "#":
        name = os.path.normpath(os.path.join(os.path.dirname(path), target.partition("#")[0]))
        check(os.path.exists(os.path.join(top, name)), "%s: no page %s" % (path, target))


def test_pages():
    pages = stage.pages_of(ROOT)
    places = {stage.place_of(page) for page in pages} | {"gallery.html"}
    check(len(places) == len(pages) + 1, "two pages have one place")
    with tempfile.TemporaryDirectory() as folder:
        stage.stage(ROOT, folder)
        for language in ("en", "zh"):
            top = os.path.join(folder, language)
            for here, _, names in os.walk(top):
                for name in names:
                    path = os.path.relpath(os.path.join(here, name), top)
                    if name.endswith(".md"):
                        text = docs.read(os.path.join(here, name))
                        check("<!--" not in docs.without_code(text), path + ": a comment is left")
                        check("<summary>" not in docs.without_code(text), path + ": a summary is left")
                        for _, target in docs.links_of(text):
                            check_target(path, target, places, top)


def test_navigation():
    """The navigation lists nothing twice, and all listed pages exist."""
    for folder, config in (("", "mkdocs.yml"), ("docs/zh/", "mkdocs.zh.yml")):
        listed = re.findall(r"^ +- (?:\S+: )?(\S+\.md)$", docs.read(os.path.join(
            ROOT, "common", "site", config)), re.M)
        check(len(listed) == len(set(listed)) > 10, config + ": a page is listed twice")
        for page in listed:
            check(page == "gallery.md" or os.path.exists(os.path.join(ROOT, folder + page)),
                  "%s: there is no %s" % (config, page))
    # The English navigation has the groups of docs/README.md, each with the same pages.
    nav = docs.read(os.path.join(ROOT, "common", "site", "mkdocs.yml")).partition("\nnav:")[2]
    sections = {name: re.findall(r"- (\S+\.md)", pages)
                for name, pages in re.findall(r"^  - ([^:\n]+):[^\n]*\n((?:      - .*\n)+)", nav, re.M)}
    for group, pages in style.groups(ROOT).items():
        there = sections.get(group, []) + (sections.get("Exercises", []) if group == "Reference" else [])
        for page in pages:
            check(page in there or page.startswith("docs/slides/"), "mkdocs.yml: '%s' lacks %s" % (group, page))


# ---- the built site ------------------------------------------------------------------------------

COUNTED = ("h1", "h2", "h3", "h4", "table", "tr", "td", "th", "ul", "ol", "li", "pre", "details",
           "summary", "img", "strong", "em", "sup", "sub", "blockquote")


class Shape(html.parser.HTMLParser):
    """The elements of a page, and its text without spaces."""

    def __init__(self, text):
        super().__init__()
        self.counts, self.parts, self.hidden = collections.Counter(), [], []
        self.feed(text)
        self.text = re.sub(r"\s", "", "".join(self.parts))

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        style = attributes.get("class") or ""
        if self.hidden or "headerlink" in style or "button" in style or style == "filename":
            if tag not in ("img", "br", "hr", "path"):
                self.hidden.append(tag)
        elif tag in COUNTED:
            self.counts[tag] += 1

    def handle_endtag(self, tag):
        if self.hidden and tag == self.hidden[-1]:
            self.hidden.pop()

    def handle_data(self, data):
        if not self.hidden:
            self.parts.append(data)


def compare(built):
    from markdown_it import MarkdownIt
    reader = MarkdownIt("gfm-like", {"html": True, "linkify": False})
    for page in stage.pages_of(ROOT):
        source = docs.read(os.path.join(ROOT, page))
        if page.startswith("docs/slides/"):
            source = source.replace("\n\n", "\n\n[As slides](x)\n\n", 1)
        if os.path.exists(os.path.join(ROOT, os.path.dirname(page), "solution", "README.md")) and not docs.edition_of(page):
            source += "\n[A solution, why it is right, and what wrong answers cost](solution/README.md).\n"
        wanted = Shape(reader.render(stage.without_comments(source)))
        text = docs.read(os.path.join(built, stage.place_of(page)))
        article = re.search(r"<article[^>]*>(.*?)</article>", text, re.S)
        got = Shape(article[1])
        check(got.counts == wanted.counts, "%s: has %s, and its source %s" % (
            page, got.counts - wanted.counts, wanted.counts - got.counts))
        if not re.search(r"\$[^$\n]+\$", docs.without_code(source)):  # the site renders formulas differently
            at = next((at for at, (one, other) in enumerate(zip(got.text, wanted.text))
                       if one != other), min(len(got.text), len(wanted.text)))
            check(got.text == wanted.text, "%s: has the text '%s', and its source '%s'" % (
                page, got.text[max(0, at - 20):at + 40], wanted.text[max(0, at - 20):at + 40]))


# ---- in a browser --------------------------------------------------------------------------------

LOOKED_AT = ("index.html", "docs/first_program.html", "docs/05_gpu_shared_tree.html",
             "docs/roofline.html", "docs/exercises.html", "gallery.html",
             "05_gpu_shared_tree/exercise/05a_bank_conflict_index/index.html",
             "zh/index.html", "zh/05_gpu_shared_tree.html", "zh/glossary.html")

TOO_LARGE = """return [...document.querySelectorAll("section")].flatMap((slide, at) => {
    slide.querySelectorAll("details").forEach((one) => { one.open = true; });
    const wide = [...slide.querySelectorAll("pre")].some((one) => one.scrollWidth > one.clientWidth);
    const small = [...slide.querySelectorAll("img")].some((one) => one.height < 250);
    return slide.scrollHeight > slide.clientHeight || wide || small ? [at + 1] : [];
});"""


def search(window, address, word):
    window.open("about:blank")
    window.open(address)
    window.settled()
    window.click(".md-search__input")
    window.type(".md-search__input", word)
    for _ in range(100):
        if window.run("return document.querySelectorAll('.md-search-result__link').length"):
            return True
        time.sleep(0.1)
    return False


def look(built):
    reason = browser.missing()
    if reason:
        print("not looked at: " + reason)
        return
    with browser.Browser() as window:
        for page in LOOKED_AT:
            for width in (1280, 390):
                window.resize(width, 800)
                window.open("about:blank")
                window.open(browser.address_of(os.path.join(built, page)))
                window.settled()
                check(window.run("return document.documentElement.scrollWidth <= innerWidth"),
                      "%s is wider than %d pixels" % (page, width))
            complaints = window.complaints()
            check(not complaints, "%s: the console complains: %s" % (page, complaints))
        window.resize(1280, 800)
        for page, word in (("docs/05_gpu_shared_tree.html", "bank"),
                           ("zh/05_gpu_shared_tree.html", "存储体")):
            check(search(window, browser.address_of(os.path.join(built, page)), word),
                  "%s: the search finds nothing for %s" % (page, word))
        window.open(browser.address_of(os.path.join(built, "docs/05_gpu_shared_tree.html")))
        window.settled()
        window.run("document.querySelector('img.zooms').scrollIntoView({block: 'center'})")
        window.click("img.zooms")
        check(window.run("return document.querySelector('dialog.zoom[open] img').clientWidth > 1000"), "a figure does not zoom")
        window.press("Escape")
        check(window.run("return document.querySelector('dialog.zoom') === null"), "a figure stays large")
        check(window.run("return [...document.querySelectorAll('article a')].some(a => a.href.includes('gallery/bank_conflicts.html#launch=strided'))"),
              "step 05 has no link to what there is to watch")
        window.resize(1280, 720)
        decks = sorted(os.listdir(os.path.join(built, "slides")))
        check(len(decks) == 8, "%d decks, not 8" % len(decks))
        for deck in decks:
            window.open(browser.address_of(os.path.join(built, "slides", deck)))
            window.settled()
            folded = "return document.querySelectorAll('details:not([open])').length"
            count = window.run(folded)
            large = window.run(TOO_LARGE)
            check(not large, "%s: slides that hold too much: %s" % (deck, large))
            for place, wanted in (("print", count), ("answers", 0)):
                window.open("%s?%s#%s" % (browser.address_of(os.path.join(built, "slides", deck)), place, place))
                window.settled()
                check(window.run(folded) == wanted, "%s: what is folded in the PDF #%s" % (deck, place))


def test_built():
    venv = os.path.join(ROOT, "build", "site-venv")
    if not os.path.exists(os.path.join(venv, "ready")):
        print("skipped: MkDocs is not installed (./run.sh --site installs it)")
        return
    if not sys.prefix.startswith(os.path.realpath(venv)) and not os.environ.get("RUNGS_SITE_TEST"):
        os.environ["RUNGS_SITE_TEST"] = "1"
        python = os.path.join(venv, "bin", "python")
        os.execv(python, [python, "-B", *sys.argv])
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([os.path.join(ROOT, "common/site/build.sh"), "--no-install", "--test"],
                              check=False, env=dict(os.environ, TMPDIR=folder))
        check(os.listdir(folder) == [], "left in the folder for temporary files: %s" % os.listdir(folder))
    check(done.returncode == 0, "build.sh: status %d" % done.returncode)
    if done.returncode == 0:
        compare(os.path.join(ROOT, "build", "site-test"))
        look(os.path.join(ROOT, "build", "site-test"))


if __name__ == "__main__":
    if "--built" in sys.argv[1:]:
        test_built()
    else:
        for test in (test_samples, test_targets, test_pages, test_navigation):
            test()
        print("test_site.py: %s" % ("%d things are wrong" % len(wrong) if wrong else "all is well"))
    sys.exit(1 if wrong else 0)
# SPDX-License-Identifier: MIT
