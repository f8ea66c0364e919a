#!/usr/bin/env python3
"""Reports which translations are behind: translated.py --check | --diff | --record PAGE...

An edition of the pages in another language is a folder of docs, such as docs/zh. Its translated.txt
has a line for each section of its pages. A section is a heading with the text up to the next heading:

  PAGE#SECTION ENGLISH_PAGE#SECTION HASH     translated from the English text that had this hash
  PAGE#SECTION -                             has no English text: written for the edition

Sections are named as in links. The hash is of the English text without line breaks and without the parts
that docs.py makes from sources. Therefore a new measurement or a reflowed paragraph changes nothing.

--check reports two kinds of problems. First, a translation is behind if the English text was changed,
added or removed since. An author of the English pages need not know the other language. Therefore this
is not a failure: the exit status stays 0, and a last line "skipped: ..." marks the test as skipped. The
same holds for an outdated or missing word of words.txt or message of messages.txt. Second, a mistake of
the translator is a failure: a section without a line, or a line without its section; a link to an English
page or picture that the edition has itself; and, in a section that is not behind, commands, code, comments
of docs.py, `names`, numbers or links that differ from the English. (Other languages write numbers of one
digit, and those before "million", differently; reading times differ also. These are not compared.)

--record writes the lines of pages whose translation is up to date. The first time, it pairs a page's
sections with the English sections one by one. If their numbers differ, write the lines by hand, with
any hash, and record again.

--diff shows from git's history how the English of the sections that are behind has changed.
--root FOLDER: use the repository in that folder.

Exit status: 0 nothing is wrong, 1 something is, 2 bad usage, 4 a file cannot be read or written."""
import argparse
import difflib
import hashlib
import os
import re
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import docs  # noqa: E402

RECORDS = "translated.txt"

# Numbers that English writes as words and another language may write as digits.
SPELLED = {"ten": 10, "eleven": 11, "twelve": 12, "thirteen": 13, "fourteen": 14, "fifteen": 15,
           "sixteen": 16, "seventeen": 17, "eighteen": 18, "nineteen": 19, "twenty": 20,
           "thirty": 30, "forty": 40, "fifty": 50, "hundred": 100, "thousand": 1000}

# A number with a word for a power of ten: 20 million is 2000 ten-thousands elsewhere.
SCALED = re.compile(r"\d[\d,.]*\s*(?:thousand|million|billion|万|亿)")

# A reading time, and a table whose last column has reading times.
MINUTES = re.compile(r"\d+ (?:minutes\b|分钟)")
TIMETABLE = re.compile(r"^\|.*\| (?:minutes|分钟) \|\n(?:\|.*\n?)+", re.M)

# ---- sections ------------------------------------------------------------------------------------


def sections_of(text):
    """{anchor: (title, text)} in the order of the page."""
    lines, headings = text.split("\n"), list(docs.headings_of(text))
    ends = [at for at, _, _ in headings[1:]] + [len(lines)]
    return {anchor: (title, "\n".join(lines[at:end]))
            for (at, title, anchor), end in zip(headings, ends)}


def by_hand(text):
    """The text without the parts that docs.py writes."""
    for pattern in (docs.SNIPPET, docs.FILE, docs.TABLE):
        text = pattern.sub(lambda match: match["head"].split("\n")[0], text)
    return re.sub(r"(<!-- plot: .*) = \w* -->", r"\1 -->", text)


def hash_of(section):
    return hashlib.sha256(" ".join(by_hand(section).split()).encode()).hexdigest()[:12]


# ---- comparison ----------------------------------------------------------------------------------

FENCE = re.compile(r"^[ \t]*```(\w*)\n(.*?)^[ \t]*```[ \t]*$", re.S | re.M)


def code_of(section):
    """Commands and code, without comments. Skips ```text, because a picture there may differ."""
    found = []
    for language, body in FENCE.findall(by_hand(section)):
        if language == "sh":
            body = re.sub(r"(^|\s+)# .*", r"\1", body)
        elif language in ("c", "cpp"):
            body = re.sub(r"\s*/\*.*?\*/|\s*//.*", "", body)
        if language != "text":
            found.append(" ".join(body.split()))
    return found


def comments_of(section):
    return re.findall(r"<!-- .* -->", by_hand(section))


def prose_of(section):
    text = re.sub(r"<!--.*?-->", "", FENCE.sub("", by_hand(section)))
    return docs.LINK.sub("]", text)


def names_of(section):
    """The words that are set in `code`."""
    return {" ".join(name.split()) for name in re.findall(r"`([^`]+)`", prose_of(section))}


def numbers_of(section):
    """Numbers of two or more digits, as written except for the commas."""
    prose = TIMETABLE.sub(lambda match: re.sub(r"\d+ \|$", "|", match.group(), flags=re.M),
                          MINUTES.sub("", prose_of(section)))
    prose = SCALED.sub("", re.sub(r"`[^`]+`|<https?:[^>]*>", " ", prose))
    found = re.findall(r"\d[\d,]*(?:\.\d+)?", prose)
    return {number.replace(",", "") for number in found if len(number.strip(",")) > 1}


def spelled_in(section):
    words = re.findall(r"[a-z]+", prose_of(section).lower())
    return {str(SPELLED[word]) for word in words if word in SPELLED}


def targets_of(section, page):
    """The pages, files and addresses that the section links to. Pages have their English names."""
    found = set()
    for _, target in docs.links_of(by_hand(section)):
        path = target.partition("#")[0]
        if re.match(r"[a-z][a-z+.-]*:", target):
            found.add(target)
        elif path:
            path = os.path.normpath(os.path.join(os.path.dirname(page), path))
            path = docs.original_of(path.replace(os.sep, "/"))
            # An edition's README.md replaces both the README.md at the top and the index.
            found.add("README.md" if path == "docs/README.md" else path)
    return found


def tell_difference(english, translation, complain):
    """Reports differences between (page, section) and its translation, also a (page, section)."""
    missing = targets_of(english[1], english[0]) - targets_of(translation[1], translation[0])
    if missing:
        complain("lacks links of the English: %s" % ", ".join(sorted(missing)))
    english, translation = english[1], translation[1]
    for what, of in (("comments of docs.py", comments_of), ("commands or code", code_of)):
        if of(english) != of(translation):
            complain("other %s than in the English: %s" % (
                what, "; ".join(map(str, [one for one in of(english) + of(translation)
                                          if (one in of(english)) != (one in of(translation))]))
                or "in another order"))
    for what, of, allowed in (("`names`", names_of, set()),
                              ("numbers", numbers_of, spelled_in(english))):
        missing = of(english) - of(translation)
        added = of(translation) - of(english) - allowed
        if missing:
            complain("lacks %s of the English: %s" % (what, ", ".join(sorted(missing))))
        if added:
            complain("%s that the English lacks: %s" % (what, ", ".join(sorted(added))))


# ---- records -------------------------------------------------------------------------------------


class Edition:
    def __init__(self, root, folder, complain):
        self.root, self.folder = root, folder
        self.path = "%s/%s" % (folder, RECORDS)
        self.pages = {page: sections_of(docs.read(os.path.join(root, page)))
                      for page in docs.find_pages(root) if docs.edition_of(page) == folder}
        self.heading = []  # comments
        self.records = {}  # "PAGE#SECTION": ("ENGLISH_PAGE#SECTION", hash), or None
        path = os.path.join(root, self.path)
        for at, line in enumerate(docs.read(path).split("\n") if os.path.exists(path) else [], 1):
            words = line.split()
            if line.startswith("#"):
                self.heading.append(line)
            elif words and words[0] in self.records:
                complain(self.path, at, "a second line of %s" % words[0])
            elif len(words) == 2 and words[1] == "-":
                self.records[words[0]] = None
            elif len(words) == 3 and "#" in words[1] and re.fullmatch(r"[0-9a-f]+", words[2]):
                self.records[words[0]] = (words[1], words[2])
            elif words:
                complain(self.path, at, "expected PAGE#SECTION ENGLISH_PAGE#SECTION HASH: '%s'" % line)
        self.english = {}

    def english_of(self, page):
        """{anchor: (title, text)} of an English page, {} if there is none."""
        if page not in self.english:
            path = os.path.join(self.root, page)
            text = docs.read(path) if os.path.isfile(path) else ""
            self.english[page] = sections_of(text)
        return self.english[page]

    def source_of(self, record):
        """(title, text) of the English section, or None."""
        page, _, anchor = record.partition("#")
        return self.english_of(page).get(anchor)

    def check_section(self, page, anchor, complain, tell):
        title, text = self.pages[page][anchor]
        where = "section %s" % title
        if "%s#%s" % (page, anchor) not in self.records:
            complain(page, "%s: %s has no line for it" % (where, self.path))
            return
        record = self.records["%s#%s" % (page, anchor)]
        if record is None:
            return
        source = self.source_of(record[0])
        if source is None:
            tell(page, "%s: the English has no section %s any more" % (where, record[0]))
        elif hash_of(source[1]) != record[1]:
            tell(page, "%s (%s): the English has changed since it was translated"
                 % (where, source[0]))
        else:
            tell_difference((record[0].partition("#")[0], source[1]), (page, text),
                            lambda what: complain(page, "%s (%s): %s" % (where, source[0], what)))

    def check_links(self, page, complain):
        for _, target in docs.links_of(docs.read(os.path.join(self.root, page))):
            path = os.path.normpath(os.path.join(os.path.dirname(page), target.partition("#")[0]))
            path = path.replace(os.sep, "/")
            if page == self.folder + "/README.md" and path == "README.md":
                continue  # this link leads back to the English page
            picture = path.replace(".svg", ".%s.svg" % self.folder[-2:])
            if picture != path and os.path.exists(os.path.join(self.root, picture)):
                complain(page, "shows %s, and there is %s" % (path, picture))
            for other in self.pages:
                # An edition's README.md replaces both the README.md at the top and the index.
                is_index = path == "docs/README.md" and other == self.folder + "/README.md"
                if page != other and is_index or docs.original_of(other) == path != other:
                    complain(page, "links to %s, and there is %s" % (path, other))

    def check_records(self, complain, tell):
        translated = set()
        for name, record in self.records.items():
            page, _, anchor = name.partition("#")
            if anchor not in self.pages.get(page, {}):
                complain(self.path, "there is no section %s" % name)
            elif record is not None:
                translated.add(record[0])
        for page in sorted({name.partition("#")[0] for name in self.records} & set(self.pages)):
            original = docs.original_of(page)
            for anchor, (title, _) in self.english_of(original).items():
                if "%s#%s" % (original, anchor) not in translated:
                    tell(page, "lacks the section %s of %s" % (title, original))

    def translated(self):
        """[(name, (English section, hash))]: the sections that have an English original."""
        return [(name, record) for name, record in self.records.items() if record is not None]

    def record(self, page):
        """Pairs the page's sections with the English ones and stores the hashes. Returns a reason if it cannot."""
        sections = self.pages.get(page)
        if sections is None:
            return "no page of %s" % self.folder
        known = {name: record for name, record in self.records.items()
                 if name.partition("#")[0] == page}
        names = ["%s#%s" % (page, anchor) for anchor in sections]
        if set(known) != set(names):
            original = docs.original_of(page)
            anchors = list(self.english_of(original))
            if len(anchors) != len(names):
                return "%d sections, and %d in %s: write its lines by hand" % (
                    len(names), len(anchors), original)
            known = {name: ("%s#%s" % (original, anchor), "0")
                     for name, anchor in zip(names, anchors)}
        for name, record in known.items():
            if record is not None and self.source_of(record[0]) is None:
                return "there is no English section %s" % record[0]
        for name in [name for name in self.records if name.partition("#")[0] == page]:
            del self.records[name]
        for name in names:
            record = known[name]
            self.records[name] = record and (record[0], hash_of(self.source_of(record[0])[1]))
        return None

    def write(self):
        lines = list(self.heading)
        for page in sorted(self.pages):
            lines += ["%s %s" % (name, "-" if record is None else " ".join(record))
                      for name, record in self.records.items() if name.partition("#")[0] == page]
        with open(os.path.join(self.root, self.path), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")


# ---- commands ------------------------------------------------------------------------------------


def check_words(root, edition, tell):
    """Reports words that are no longer in any table."""
    cells = set()
    for page in docs.find_pages(root):
        text = "" if docs.edition_of(page) else docs.read(os.path.join(root, page))
        for match in docs.TABLE.finditer(text):
            cells.update(cell.strip() for cell in re.split(r"[|\n]", match.group()))
    name = edition.folder + "/words.txt"
    for word in docs.words_of(root, edition.folder, lambda *_: None):
        if word not in cells:
            tell(name, "no table has '%s' any more" % word)


SAYS = re.compile(r"common/(exercise|simt)/.*\.c$|\d\d_\w+/exercise/.*(check\.c|\.h)$|"
                  r"common/scripts/(setup/exercise\.sh|draw/\w+\.py)$")


def check_messages(root, edition, tell):
    """Reports lines of messages.txt and labels.txt that are in no source, and tests of exercises, and their reasons,
    that have no line."""
    name, known, said, needed = edition.folder + "/messages.txt", set(), "", set()
    for path in (os.path.join(root, edition.folder, one) for one in ("messages.txt", "labels.txt")):
        for line in docs.read(path).split("\n") if os.path.exists(path) else []:
            known.update([] if line.startswith("#") else line.split(" | ")[:-1])
    if not known:
        return
    for path in filter(SAYS.match, docs.tracked.files(root)):
        text = re.sub(r'"\s*"', "", docs.read(os.path.join(root, path)))
        said += text
        if path.endswith("/check.c"):
            needed.update(re.findall(r'\{"([^"]*)", GRADE_', text))
            for call in re.findall(r"grade_fail\((.*?)\);", text, re.S):
                needed.update(re.findall(r'"(.*?)"', call))
    for message in sorted(known):
        if not all(piece.strip(" :") in said for piece in re.split("%[dfs]", message)):
            tell(name, "no source says '%s' any more" % message)
    for message in sorted(needed):
        message = re.sub(r"%[.\d]*([fge])", "%f", re.sub(r"%[hlz]*([diu])", "%d", message)).replace("%%", "%")
        if message not in known:
            tell(name, "lacks '%s'" % message)


def check(root):
    wrongs, behind = [], []

    def complain(path, at_or_what, what=None):
        wrongs.append("%s:%d: %s" % (path, at_or_what, what) if what
                      else "%s: %s" % (path, at_or_what))

    def tell(path, what):
        behind.append("%s: %s" % (path, what))

    sections = 0
    for folder in sorted({docs.edition_of(page) for page in docs.find_pages(root)} - {None}):
        edition = Edition(root, folder, complain)
        for page, anchors in edition.pages.items():
            sections += len(anchors)
            for anchor in anchors:
                edition.check_section(page, anchor, complain, tell)
            edition.check_links(page, complain)
        edition.check_records(complain, tell)
        check_words(root, edition, tell)
        check_messages(root, edition, tell)

    for line in behind + wrongs:
        print(line)
    if wrongs:
        print("translated.py: %d things to put right" % len(wrongs), file=sys.stderr)
        return 1
    print("translated.py: %d translated sections" % sections)
    if behind:
        print("skipped: the translation is behind in %d places" % len(behind))
    return 0


def revisions_of(root, page):
    """The page's text in each commit that changed it, the latest first."""
    def git(*arguments):
        done = subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        return done.stdout.decode("utf-8", "replace") if done.returncode == 0 else ""

    for commit in git("log", "--format=%H", "--", page).split():
        yield git("show", "%s:./%s" % (commit, page))


def show_differences(root):
    for folder in sorted({docs.edition_of(page) for page in docs.find_pages(root)} - {None}):
        edition = Edition(root, folder, lambda *_: None)
        for name, (source, known) in edition.translated():
            page, _, anchor = source.partition("#")
            now = (edition.source_of(source) or ("", ""))[1]
            if hash_of(now) == known:
                continue
            print("== %s" % name)
            for text in revisions_of(root, page):
                before = sections_of(text).get(anchor, ("", ""))[1]
                if hash_of(before) == known:
                    print("\n".join(difflib.unified_diff(
                        by_hand(before).split("\n"), by_hand(now).split("\n"), source, source,
                        lineterm="")))
                    break
            else:
                print("no commit has the English that it was translated from")
    return 0


def record(root, pages):
    wrongs, editions = [], {}
    for page in pages:
        folder = docs.edition_of(page)
        if folder is None:
            wrongs.append("%s: expected a page of an edition, such as docs/zh/README.md" % page)
            continue
        if folder not in editions:
            editions[folder] = Edition(root, folder, lambda path, at, what: wrongs.append(
                "%s:%d: %s" % (path, at, what)))
        reason = editions[folder].record(page)
        if reason:
            wrongs.append("%s: %s" % (page, reason))
    for wrong in wrongs:
        print(wrong, file=sys.stderr)
    if wrongs:
        return 1
    for edition in editions.values():
        edition.write()
    return 0


def main(arguments=None):
    parser = argparse.ArgumentParser(description="Tells which translations are behind.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="tell; change nothing")
    what.add_argument("--diff", action="store_true", help="show the English that has changed")
    what.add_argument("--record", nargs="+", metavar="PAGE", help="these are up to date now")
    here = os.path.dirname(os.path.abspath(__file__))
    parser.add_argument("--root", default=os.path.join(here, "..", "..", ".."),
                        help="the repository's folder")
    options = parser.parse_args(arguments)
    root = os.path.abspath(options.root)
    if options.diff:
        return show_differences(root)
    return record(root, options.record) if options.record else check(root)


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (OSError, UnicodeDecodeError) as problem:
        print("translated.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
