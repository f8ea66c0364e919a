#!/usr/bin/env python3
"""Checks the built site: links.py SITE [--root ROOT] [--source URL]

Every link, picture and script of every page must lead to a file of the site. A link with an anchor must lead
to a place on that page. A link to the repository's files (below URL, or out of the site) must lead to a file
that exists. Other addresses on the web are neither listed nor checked.

Prints the errors, or the site's size. Exit status: 0 all links are good, 1 some are not."""
import argparse
import html.parser
import os
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.links, self.places = [], set()

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name in ("href", "src") and value:
                self.links.append(value)
            elif name in ("id", "name") and value:
                self.places.add(value)


def read_pages(site):
    pages = {}
    for here, _, files in os.walk(site):
        for name in files:
            path = os.path.join(here, name)
            if name.endswith(".html"):
                pages[path] = Page()
                with open(path, encoding="utf-8") as file:
                    pages[path].feed(file.read())
    return pages


def wrong_with(link, path, pages, options):
    """What is wrong with a link of the page, or None."""
    source = options.source.rstrip("/")
    if source and link.startswith(source + "/"):
        kind, _, rest = link[len(source) + 1:].partition("/")
        name = urllib.parse.unquote(rest.partition("/")[2].partition("#")[0])
        known = kind in ("blob", "tree", "edit", "raw")
        return None if known and os.path.exists(os.path.join(options.root, name)) else "no such file"
    parts = urllib.parse.urlsplit(link)
    if parts.scheme or parts.netloc:
        return None if parts.scheme in ("http", "https", "mailto", "data") else "left as it was"
    target = urllib.parse.unquote(parts.path)
    target = os.path.normpath(os.path.join(os.path.dirname(path), target)) if target else path
    if os.path.isdir(target) and os.path.exists(os.path.join(target, "index.html")):
        target = os.path.join(target, "index.html")
    if not os.path.exists(target):
        return "no such file"
    is_place = parts.fragment and target in pages and "=" not in parts.fragment
    if is_place and urllib.parse.unquote(parts.fragment) not in pages[target].places:
        return "no such place on that page"
    return None


def main():
    parser = argparse.ArgumentParser(description="Checks the links of the built site.")
    parser.add_argument("site")
    parser.add_argument("--root", default=os.path.join(os.path.dirname(__file__), "..", ".."))
    parser.add_argument("--source", default=os.environ.get("RUNGS_SOURCE", ""))
    options = parser.parse_args()
    site = os.path.abspath(options.site)
    pages, count, wrong = read_pages(site), 0, 0
    for path, page in sorted(pages.items()):
        if os.path.basename(path) == "404.html":
            continue  # the server shows this page at any address, so its links begin at the server's top
        for link in page.links:
            count += 1
            what = wrong_with(link, path, pages, options)
            if what:
                print("%s: %s: %s" % (os.path.relpath(path, site), link, what))
                wrong += 1
    size = sum(os.path.getsize(os.path.join(here, name))
               for here, _, files in os.walk(site) for name in files)
    print("links.py: %d pages, %d links, %.1f MB%s" % (
        len(pages), count, size / 1e6, ", %d links wrong" % wrong if wrong else ""))
    return 1 if wrong or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
