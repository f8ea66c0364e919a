#!/usr/bin/env python3
"""Makes slides of docs/slides: slides.py FOLDER [--root ROOT]

FOLDER is the site's slides/. Python-Markdown makes NAME.html from each page: one slide for the title and
one per heading of the second level. If Chromium is installed, it prints NAME.pdf, with the answers folded,
and NAME_answers.pdf, with the answers open. build.sh runs this script in the environment that has Markdown.

Exit status: 0 done, 1 a PDF could not be printed, 4 a file cannot be read or written."""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import markdown
from pygments.formatters import HtmlFormatter

import hooks
import stage

EXTENSIONS = ["attr_list", "md_in_html", "sane_lists", "tables", "pymdownx.blocks.details",
              "pymdownx.highlight", "pymdownx.superfences"]

STYLE = """
@page { size: 1280px 720px; margin: 0; }
* { box-sizing: border-box; }
body { margin: 0; background: #22272e; font: 27px/1.45 system-ui, "Noto Sans", sans-serif; color: #1b1f23; }
section { width: 1280px; height: 720px; padding: 44px 64px 52px; background: #fff; position: relative;
  overflow: hidden; display: flex; flex-direction: column; gap: 16px; }
section > * { margin: 0; flex: none; }
section > p:has(img) { flex: 1 1 0; min-height: 0; text-align: center; }
section > p:has(img) img { max-width: 100%; max-height: 100%; height: 100%; object-fit: contain; }
section.title { justify-content: center; background: #00473f; color: #fff; }
section.title a { color: #a7ece2; }
h1 { font-size: 58px; line-height: 1.15; } h2 { font-size: 40px; line-height: 1.2; color: #00695c; }
a { color: #00695c; } ul, ol { padding-left: 1.2em; } li { margin: .2em 0; }
code { font: 0.85em ui-monospace, "DejaVu Sans Mono", monospace; background: #f0f2f4; padding: 0 .2em; border-radius: 4px; }
pre { margin: 0; padding: 14px 18px; background: #f5f7f8; border-radius: 8px; font-size: 23px; line-height: 1.4; }
pre code { background: none; padding: 0; font-size: 22px; } .filename { font: 16px ui-monospace, monospace; color: #57606a; }
details { border-left: 5px solid #00897b; padding: 4px 18px; background: #eef6f5; border-radius: 4px; }
details p { margin: .2em 0; } summary { cursor: pointer; font-weight: 600; } .headerlink { display: none; }
table { border-collapse: collapse; } th, td { padding: .2em .7em; border-bottom: 1px solid #d0d7de; text-align: left; }
footer { position: absolute; right: 28px; bottom: 14px; font-size: 16px; color: #6b7480; }
.title footer { color: #a7c9c4; }
@media screen { section { transform-origin: top left; position: absolute; visibility: hidden; }
  section.now { visibility: visible; } }
@media print { body { background: none; } section { break-after: page; } }
"""

SCRIPT = """
const slides = [...document.querySelectorAll("section")];
if (location.hash === "#answers")
    document.querySelectorAll("details").forEach((one) => { one.open = true; });
let now = Math.min(Math.max(parseInt(location.hash.slice(1)) || 1, 1), slides.length) - 1;
function show(number) {
    now = Math.min(Math.max(number, 0), slides.length - 1);
    const scale = Math.min(innerWidth / 1280, innerHeight / 720);
    slides.forEach((slide, at) => {
        slide.classList.toggle("now", at === now);
        slide.style.left = (innerWidth - 1280 * scale) / 2 + "px";
        slide.style.top = (innerHeight - 720 * scale) / 2 + "px";
        slide.style.transform = `scale(${scale})`;
    });
    history.replaceState(null, "", "#" + (now + 1));
}
addEventListener("resize", () => show(now));
addEventListener("beforeprint", () => slides.forEach((slide) => { slide.style = ""; }));
addEventListener("afterprint", () => show(now));
addEventListener("keydown", (event) => {
    const step = {ArrowRight: 1, PageDown: 1, " ": 1, ArrowLeft: -1, PageUp: -1}[event.key];
    if (step || event.key === "Home" || event.key === "End") {
        show(step ? now + step : event.key === "Home" ? 0 : slides.length - 1);
        event.preventDefault();
    }
});
addEventListener("click", (event) => {
    if (!event.target.closest("a, summary, details, pre"))
        show(now + (event.clientX < innerWidth / 4 ? -1 : 1));
});
let from = null;
addEventListener("touchstart", (event) => { from = event.touches[0].clientX; }, {passive: true});
addEventListener("touchend", (event) => {
    const by = event.changedTouches[0].clientX - from;
    if (Math.abs(by) > 50)
        show(now + (by < 0 ? 1 : -1));
});
if (!["#print", "#answers"].includes(location.hash))
    show(now);
"""


def address_of(root, pages, page, target):
    """The address of a page's link or picture, seen from slides/."""
    found = stage.target_for(root, pages, page, target)
    kind, _, rest = found.partition(":")
    if kind == "source":
        return hooks.source_address(rest, "slides/x.html")
    if kind in ("http", "https", "site"):
        return found if kind != "site" else "../" + rest
    path, _, anchor = found.partition("#")
    path = os.path.normpath(os.path.join(os.path.dirname(page), path)).replace(os.sep, "/")
    place = stage.place_of(path) if path in pages else path
    return "../" + place + (anchor and "#" + anchor)


def deck_of(root, pages, page):
    """The slides of a page, as HTML."""
    text = stage.staged(stage.docs.read(os.path.join(root, page)),
                        lambda target: address_of(root, pages, page, target))
    body = markdown.markdown(text, extensions=EXTENSIONS)
    title = re.search(r"<h1[^>]*>(.*?)</h1>", body)[1]
    parts = re.split(r"(?=<h2)", body)
    slides = []
    for at, part in enumerate(parts):
        slides.append('<section class="%s">%s<footer>%s &nbsp; %d</footer></section>' % (
            "title" if at == 0 else "", part, title, at + 1))
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" '
            'content="width=device-width, initial-scale=1"><title>%s</title>\n<style>%s\n%s</style>'
            "</head>\n<body>\n%s\n<script>%s</script></body></html>\n" % (
                title, HtmlFormatter().get_style_defs(".highlight"), STYLE, "\n".join(slides), SCRIPT))


def print_pdf(chromium, path, ending, place):
    """Prints a page as PDF. Chromium's messages do not help, so this checks whether there is a file."""
    pdf = os.path.splitext(path)[0] + ending
    with tempfile.TemporaryDirectory() as profile:
        subprocess.run([chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--no-pdf-header-footer",
                        "--disable-dev-shm-usage", "--user-data-dir=" + profile, "--print-to-pdf=" + pdf,
                        "file://" + os.path.abspath(path) + place], check=False, timeout=120,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return os.path.exists(pdf)


def main():
    parser = argparse.ArgumentParser(description="Makes slides of docs/slides.")
    parser.add_argument("folder")
    parser.add_argument("--root", default=hooks.ROOT)
    parser.add_argument("--no-pdf", action="store_true")
    options = parser.parse_args()
    root, pages = os.path.abspath(options.root), stage.pages_of(os.path.abspath(options.root))
    chromium = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    os.makedirs(options.folder, exist_ok=True)
    made = 0
    for path in sorted(glob.glob(os.path.join(root, "docs", "slides", "*.md"))):
        deck = os.path.join(options.folder, os.path.basename(path)[:-len(".md")] + ".html")
        with open(deck, "w", encoding="utf-8") as file:
            file.write(deck_of(root, pages, os.path.relpath(path, root).replace(os.sep, "/")))
        made += 1
        if chromium and not options.no_pdf:
            for ending, place in ((".pdf", "#print"), ("_answers.pdf", "#answers")):
                if not print_pdf(chromium, deck, ending, place):
                    print("slides.py: %s could not be printed" % deck, file=sys.stderr)
                    return 1
    print("slides.py: %d decks%s" % (made, "" if chromium and not options.no_pdf else ", no PDF"))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as problem:
        print("slides.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
