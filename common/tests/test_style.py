#!/usr/bin/env python3
"""Tests the rules of style that a pattern can check: test_style.py [PAGE... | --sample SEED COUNT [zh]]

Reads the prose of the PAGES below, or of the named pages. Skips code, targets of links and output of programs. Each
rule has a text that it must find, so a rule that finds nothing fails. ALLOWED lists the places that must stay, at
most ten in all, with the reasons.

The groups of pages are the sections of docs/README.md. A page of The path or of Topics says how many minutes it
takes, computed from its number of words; the index says the same. Its tables are not too large for readers. The last
lines of the output give the words per group (words as wc -w counts them).

--sample SEED COUNT prints sentences of readers' pages for people to judge, or of the Chinese pages with zh. The same
pages and seed give the same sentences.

Exit status: 0 no rule is broken, 1 a rule is broken. Needs nothing but Python 3.7."""
import os
import random
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "common", "scripts", "docs"))
import docs  # noqa: E402

PAGES = ["CONTRIBUTING.md", "README.md"] + ["docs/%s.md" % name for name in (
    "01_cpu_naive", "02_cpu_simd_threads", "03_gpu_single_thread", "04_gpu_atomic", "05_gpu_shared_tree",
    "06_gpu_warp_shuffle", "06_matrices", "07_any_shape", "07_attempts", "07_cpu", "07_float32_on_tensor_cores", "07_gemm",
    "07_gemm_top", "07_tensor_cores", "07_tensor_cores_top", "08_conv", "08_conv_gemm", "08_conv_tensor_cores",
    "08_conv_winograd", "README", "atomics_and_races", "bank_conflicts", "coalescing", "course", "divergence", "exercises",
    "explorer", "first_program", "floating_point", "glossary", "it_does_not_work", "littles_law", "mistakes", "nsight_compute", "occupancy", "reference",
    "roofline", "room", "several_gpus", "several_hosts", "simt_back_end", "simt_inside", "simt_reference", "simtcc",
    "streams_and_graphs", "teaching", "testing", "timing", "tma_wgmma", "unrolling", "warp_scheduler")]
PAGES += [page for page in docs.find_pages(ROOT) if re.match(r"docs/slides/|0[1-8]_\w+/exercise/|0[1-8]_\w+/README", page)]

LONGEST = 25  # words in a sentence
PER_MINUTE = 200  # words read per minute; trying things takes the same time again
MOST_COLUMNS, MOST_ROWS = 6, 15  # in a table on readers' pages
READERS = ("The path", "Topics")

UNITS = r"(block|warp|request|thread|launch|lane|cycle|element|call|result|load|store|second|row|multiprocessor|SM)"
THINGS = r"(\d[\d,]*(?:\.\d+)?|numbers?|threads|warps|registers|bytes|words|sectors|loads|stores|requests|conflicts|products)"

# (pattern, what to write, a text that breaks the rule)
RULES = [
    (r"\b(nobody|somebody|whoever|whomever)\b", "name the actor", "Nobody loads it."),
    (r"\b(for|to) who\b", "name the actor", "for who knows C"),
    (r", too(?=[.,;:)]|$)", "'also' before the verb", "It copies, too."),
    (r"\ball the same\b", "anyway, still", "It is right all the same."),
    (r"\bin place of\b", "instead of", "eight in place of one"),
    (r"\balike\b", "equal, the same", "Both are alike."),
    (r"\bbut for\b", "except for", "all but for one"),
    (r"\bno multiple of\b", "not a multiple of", "is no multiple of 32"),
    (r"\bbeside\b", "next to, compared with", "beside the line"),
    (r"\b(under ?way|on (its|their) way)\b", "in flight", "copies are under way"),
    (r"\bas (many|much|long|fast) (more|again)\b|\bas long again\b", "give the percentage", "takes half as long again"),
    (r"\b%s an? %s\b" % (THINGS, UNITS), "per", "3.91 a request"),
    (r"\bone (watches|would|writes|sees|first|wants|needs to)\b", "you", "as one writes it"),
    (r"\bon the ground that\b", "on the grounds that", "on the ground that it runs"),
    (r"\b(synchron|initial|vector|recogn|serial|optim|parallel|normal|organ|minim|maxim|special|general|summar|memor)"
     r"is(e|es|ed|ing|ation)\b", "-ize", "they synchronise"),
    (r"[\d,|] us\b", "µs", "| median, us |"),
    (r"(?<!streaming )\bmultiprocessors?\b", "SM", "on a multiprocessor"),
]

# (page, words of the place): the reason why it stays.
ALLOWED = {
    ("docs/floating_point.md", "beside the bound"): "step 04 links to the heading",
    ("docs/tma_wgmma.md", "that is under way"): "a program's message",
    ("docs/tma_wgmma.md", "mbarrier initialised"): "a program's message",
}


def prose(text):
    """The text without code, comments and targets of links. Line numbers stay the same."""
    text = docs.without_code(text)
    text = re.sub(r"```.*?```|<[^>\n]*>|https?://\S+", " ", text)
    text = re.sub(r"`[^`\n]*(?:\n[^`\n]+)?`", "CODE", text)
    return re.sub(r"\]\([^)\s]*\)", "]", text)


def sentences(text):
    """(line, sentence) of the paragraphs. Leaves out tables, headings, formulas and lists of literature."""
    text = text.partition("\n## Further reading")[0]
    for block in re.finditer(r"(?:^(?![|#>]|    ).+\n?)+", text, re.M):
        items = re.split(r"(?m)^\s*(?:[-*]|\d+\.)\s+", block.group())
        at = docs.line_of(text, block.start())
        for item in items:
            for sentence in re.split(r"[;:]\s|(?<=[.!?])[*)\"]*\s+(?=[A-Z*\[(\"0-9])|(?<=[.!?])[*)\"]+\s", item):
                yield at, " ".join(sentence.split())


def groups(root):
    """{title of a section of docs/README.md: the pages that it links to}"""
    found = {}
    for section in re.split(r"(?m)^## ", docs.read(os.path.join(root, "docs", "README.md")))[1:]:
        title, _, text = section.partition("\n")
        targets = [target.partition("#")[0] for _, target in docs.links_of(text)]
        found[title] = [os.path.normpath(os.path.join("docs", target)) for target in targets
                        if target.endswith(".md") and not target.startswith("results/")]
    return found


def table_complaints(text):
    """Complaints about tables that are too large for a reader's page."""
    plain = docs.without_code(text)
    for table in re.finditer(r"^ *\|.*\n *\|[ :|]*-[ :|-]*\n(?:^ *\|.*\n)*", plain, re.M):
        rows = table.group().strip().split("\n")
        columns = len(re.findall(r"(?<!\\)\|", rows[0])) - 1
        if columns > MOST_COLUMNS or len(rows) - 2 > MOST_ROWS:
            yield docs.line_of(plain, table.start()), "%d columns and %d rows in a table, at most %d and %d" % (
                columns, len(rows) - 2, MOST_COLUMNS, MOST_ROWS), rows[0]


def time_complaints(page, text, index):
    """Complaints if the page's reading time does not fit its words, or differs from the index."""
    said = re.search(r"\bTime:\s+(\d+)\s+minutes", text)
    if not said:
        return
    minutes, reading = int(said.group(1)), 2 * len(text.split()) / PER_MINUTE
    at = docs.line_of(text, said.start())
    if not reading - 1 <= minutes <= max(reading + 5, 2 * reading):
        yield at, "%d minutes: its words take %.0f" % (minutes, reading), said.group()
    row = re.search(r"^\|.*\(%s\).*\|\s*(\d+)\s*\|$" % re.escape(os.path.basename(page)), index, re.M)
    if row and int(row.group(1)) != minutes:
        yield at, "docs/README.md says %s minutes" % row.group(1), said.group()


ENDS = {"": r"(?<=[.!?])[*)\"]*\s+(?=[A-Z*\[(\"`0-9])", "zh": "(?<=[。！？])"}  # between two sentences


def sample(seed, count, edition=""):
    """Sentences of readers' pages, drawn with the seed, each as 'page:line: sentence'."""
    found = []
    for group in READERS:
        for page in groups(ROOT)[group]:
            page = page.replace("docs/", "docs/%s/" % edition) if edition else page
            text = docs.without_code(docs.read(os.path.join(ROOT, page)))
            text = re.split("\n## (?:Further reading|延伸阅读)", text)[0]
            text = re.sub(r"<[^>\n]*>", " ", re.sub(r"\]\([^)\s]*\)", "]", text))
            for block in re.finditer(r"(?:^(?![|#>]|    ).+\n?)+", text, re.M):
                for item in re.split(r"(?m)^\s*(?:[-*]|\d+\.)\s+", block.group()):
                    for sentence in re.split(ENDS[edition], " ".join(item.split())):
                        words = len(sentence) // 3 if edition else len(re.findall(r"\w+", sentence))
                        if words > 3 and not re.match(r"!\[|\*[A-Z]|\*测量", sentence):
                            found.append("%s:%d: %s" % (page, docs.line_of(text, block.start()), sentence))
    return random.Random(seed).sample(found, count)


def complaints(page, text):
    plain = prose(text)
    for pattern, instead, _ in RULES:
        for match in re.finditer(pattern, plain, re.I | re.M):
            around = " ".join(plain[max(0, match.start() - 20):match.end() + 20].split())
            yield docs.line_of(plain, match.start()), "'%s': write %s" % (match.group(), instead), around
    for line, sentence in sentences(plain):
        words = [word for word in sentence.split() if re.search(r"\w", word)]
        if len(words) > LONGEST and not sentence.startswith("*"):
            yield line, "%d words in a sentence, at most %d" % (len(words), LONGEST), sentence


def main(pages):
    wrong, used, index = [], set(), docs.read(os.path.join(ROOT, "docs", "README.md"))
    readers = {page for group in READERS for page in groups(ROOT)[group]}
    for pattern, _, example in RULES:
        if not re.search(pattern, example, re.I | re.M):
            wrong.append("the rule %s does not find '%s'" % (pattern, example))
    for page in pages or PAGES:
        text = docs.read(os.path.join(ROOT, page))
        more = [*table_complaints(text), *time_complaints(page, text, index)] if page in readers else []
        for line, what, around in [*complaints(page, text), *more]:
            place = next((place for place in ALLOWED if place[0] == page and place[1] in around), None)
            used.add(place)
            if place is None:
                wrong.append("%s:%d: %s: %s" % (page, line, what, around[:300]))
    if not pages:
        wrong += ["%s: '%s' is allowed and not there" % place for place in ALLOWED if place not in used]
    if len(ALLOWED) > 10:
        wrong.append("%d places are allowed, at most 10" % len(ALLOWED))
    print("\n".join(wrong) or "%d pages, %d rules" % (len(pages or PAGES), len(RULES)))
    for group, members in groups(ROOT).items():
        print("%s: %d pages, %d words" % (group, len(members), sum(
            len(docs.read(os.path.join(ROOT, page)).split()) for page in members)))
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--sample"] and len(sys.argv) in (4, 5):
        print("\n".join(sample(int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])))
        sys.exit(0)
    sys.exit(main(sys.argv[1:]))
# SPDX-License-Identifier: MIT
