"""Hooks of MkDocs: addresses for the links of stage.py, mathematics, links to the other language.

The environment variable RUNGS_SOURCE is the address of the repository's files, such as
https://github.com/NAME/rungs. A file is at RUNGS_SOURCE/blob/main/PATH, a folder at
RUNGS_SOURCE/tree/main/PATH (RUNGS_BRANCH names another branch). Without the variable, links lead to the
files of this working tree, which is right if the site is read on the machine that built it."""
import html
import os
import posixpath
import re
import sys

from latex2mathml.converter import convert

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import stage  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCE = os.environ.get("RUNGS_SOURCE", "").rstrip("/")
BRANCH = os.environ.get("RUNGS_BRANCH", "main")
# The sections of the navigation that get the pages not listed elsewhere.
FOUND = {"Exercises": r"\d\d_\w+/exercise/\w+/README\.md", "Sources": r"\d\d_\w+/README\.md",
         "Topics": r"docs/\w+\.md", "专题": r"docs/zh/\w+\.md",
         "练习": r"\d\d_\w+/exercise/\w+/README\.zh\.md"}
NAMES = {"en": "English", "zh": "中文"}


def language_of(config):
    return str(config.theme["language"])


def place_of(page, config):
    """The page's address from the top of the whole site."""
    return page.file.dest_uri if language_of(config) == "en" else "zh/" + page.file.dest_uri


def source_address(path, here):
    name, _, anchor = path.partition("#")
    anchor = anchor and "#" + anchor
    if SOURCE:
        kind = "tree" if os.path.isdir(os.path.join(ROOT, name)) else "blob"
        return "%s/%s/%s/%s%s" % (SOURCE, kind, BRANCH, name, anchor)
    # The site is in build/site.
    return "../" * here.count("/") + "../../" + name + anchor


def listed_in(nav):
    for one in nav:
        value = next(iter(one.values())) if isinstance(one, dict) else one
        yield from listed_in(value) if isinstance(value, list) else [value]


def add_pages(nav):
    """Completes the sections of FOUND."""
    listed = set(listed_in(nav))
    for section in nav:
        pattern = isinstance(section, dict) and FOUND.get(next(iter(section)))
        if pattern:
            next(iter(section.values())).extend(
                stage.staged_at(page) for page in stage.pages_of(ROOT)
                if re.fullmatch(pattern, page) and stage.staged_at(page) not in listed)


def on_config(config):
    if SOURCE:
        config.repo_url = SOURCE
        config.repo_name = "rungs"
        config.edit_uri = "blob/%s/%s" % (BRANCH, "" if language_of(config) == "en" else "docs/zh/")
    add_pages(config.nav)
    return config


def other_page(page, language):
    """The same page in the other language, or that language's first page."""
    edition = {stage.docs.original_of(one): one for one in stage.pages_of(ROOT) if stage.docs.edition_of(one)}
    if language == "zh":
        return edition.get(page, "docs/zh/README.md")
    return next(one for one, other in edition.items() if stage.staged_at(other) == page)


def on_page_context(context, page, config, nav):
    links = []
    for language, name in NAMES.items():
        place = place_of(page, config)
        if language != language_of(config):
            place = stage.place_of(other_page(page.file.src_uri, language))
        links.append({"name": name, "link": "site:" + place, "lang": language})
    config.extra["alternate"] = links
    return context


WIDE = "[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]"


def with_columns(pre):
    """Code in which a Chinese character takes two columns with any font, as in the source."""
    return re.sub("<[^>]*>|(%s)" % WIDE, lambda found: '<span class="wide">%s</span>' % found[1] if found[1] else found[0],
                  pre)


SHIM = "https://unpkg.com/iframe-worker/shim"  # the only thing that the theme loads from elsewhere


def on_post_page(output, page, config):
    here = place_of(page, config)
    top = "../" * page.file.dest_uri.count("/")
    output = output.replace(SHIM, top + "worker.js")
    if not config.site_url:  # otherwise the theme would look for a sitemap
        output = re.sub(r'<link rel="alternate"[^>]*>', "", output)

    def address(match):
        kind, target = match[2], html.unescape(match[3])
        if kind == "source":
            return '%s"%s"' % (match[1], html.escape(source_address(target, here)))
        path, _, anchor = target.partition("#")
        path = posixpath.relpath(path, posixpath.dirname(here) or ".")
        return '%s"%s"' % (match[1], html.escape(path + (anchor and "#" + anchor)))

    def formula(match):
        return convert(html.unescape(match[3]), display="block" if match[1] == "div" else "inline")

    output = re.sub("<pre>.*?</pre>", lambda match: with_columns(match[0]), output, flags=re.S)
    output = re.sub(r'(href=|src=)"(site|source):([^"]*)"', address, output)
    return re.sub(r'<(span|div) class="arithmatex">\\([(\[])(.*?)\\[)\]]</\1>', formula, output,
                  flags=re.S)
# SPDX-License-Identifier: MIT
