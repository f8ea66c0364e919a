#!/usr/bin/env python3
"""Writes a teacher's report on a class: report.py [--answers FOLDER] --output FILE.html RESULT.json...

Each RESULT.json is the output of ./test.sh exercise --json for one student; its name is the student's. The
page is one file without scripts. It shows what a teacher should look at, the distribution of the points,
each student's points per exercise, and the tests that cost the class most, with their messages. Answers
that could not be graded have no points and are not counted. Next to the page, the folder students has a
page for each student, with the student's open tests and their lines.

With --answers (the folder given to --class), the page also lists answers of several students that are
the same except for spaces and comments. It does not list unchanged skeletons.

Exit status: 0 done, 2 bad usage, 4 a file cannot be read or written. Needs nothing but Python 3.7."""
import argparse
import collections
import glob
import html
import itertools
import json
import os
import re
import statistics
import sys
import urllib.parse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

STYLE = """
:root { color-scheme: light dark; --bg: #fff; --fg: #1b1f23; --soft: #57606a; --line: #d0d7de; --bar: #0a6b5f; }
@media (prefers-color-scheme: dark) {
  :root { --bg: #14171c; --fg: #e6e9ee; --soft: #a0a8b3; --line: #39404a; --bar: #4db6ac; } }
body { font: 16px/1.5 system-ui, sans-serif; background: var(--bg); color: var(--fg); max-width: 80rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin: 0 0 .2rem; } h2 { margin-top: 2.2rem; } h2 span { font-size: .75em; font-weight: 400; } p, .soft { color: var(--soft); }
.tiles { display: flex; flex-wrap: wrap; gap: 1rem; margin: 1.2rem 0; }
.tiles div { border: 1px solid var(--line); border-radius: .5rem; padding: .6rem 1rem; min-width: 7rem; }
.tiles b { display: block; font-size: 1.7rem; line-height: 1.2; }
.wide, details { overflow-x: auto; } code { overflow-wrap: anywhere; } svg { max-width: 100%; height: auto; }
@media (max-width: 40rem) { .tiles div { flex: 1 1 40%; min-width: 0; box-sizing: border-box; }
  .open th { display: none; } .open td { display: inline; border: 0; padding: 0 .45rem 0 0; } .open td:last-child { display: block; }
  .open td.n::before { content: "open for "; } .open tr { display: block; padding: .3rem 0; border-bottom: 1px solid var(--line); } }
 table { border-collapse: collapse; font-size: .85rem; }
th { text-align: left; font-weight: 600; } th, td { padding: .25rem .45rem; border-bottom: 1px solid var(--line); vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.map td, .map th { text-align: center; padding: .2rem; } .map td:first-child, .map th:first-child { text-align: left; white-space: nowrap; position: sticky; left: 0; background: var(--bg);
  max-width: 11rem; overflow: hidden; text-overflow: ellipsis; }
@media (max-width: 40rem) { .map td:first-child, .map th:first-child { max-width: 6rem; } }
.map td.p { color: #10151a; min-width: 1.75rem; border: 1px solid var(--bg); }
.none { color: var(--soft); } svg text { fill: var(--fg); font: 12px system-ui, sans-serif; } svg rect { fill: var(--bar); }
a { color: inherit; } pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; margin: .3rem 0; } h3 { margin: .8rem 0 0; font-size: 1rem; } code { font-size: .92em; } details { margin: .3rem 0; } summary { cursor: pointer; }
@media print { details > * { display: block; } body { max-width: none; } }
"""


class Unreadable(Exception):
    """The reason why a file is not a result, in one line."""


def read_results(paths):
    """Returns {student: {exercise: result}}, students sorted by name."""
    students = {}
    for path in paths:
        try:
            with open(path, encoding="utf-8") as file:
                found = json.load(file)
            found = found if isinstance(found, list) else [found]
            results = {one["exercise"]: one for one in found}
            for one in found:
                if not all(isinstance(one_of["score"], int) or one_of["score"] is None and one["score"] is None
                           for one_of in [one, *one["tests"]]):
                    raise ValueError
        except (ValueError, KeyError, TypeError):
            raise Unreadable("%s: not what --json writes" % path) from None
        students[os.path.splitext(os.path.basename(path))[0]] = results
    return dict(sorted(students.items()))


def is_missing(result):
    return any(test["name"] == "no_answer" for test in result["tests"])


def is_graded(result):
    return result["score"] is not None


def share_of(results):
    """The share of the points that the graded answers could earn; None if none was graded."""
    graded = [result for result in results.values() if is_graded(result)]
    return sum(result["score"] for result in graded) / sum(result["max_score"] for result in graded) if graded else None


def known(shares):
    return [share for share in shares.values() if share is not None]


def percent(share):
    return "?" if share is None else "%.0f%%" % (100 * share)


def short(exercise):
    return exercise.split("_")[0]


def counted(count, what):
    return "%d %s%s" % (count, what, "" if count == 1 else "s")


def title_of(exercise):
    found = glob.glob(os.path.join(ROOT, "0[1-8]_*", "exercise", exercise, "README.md"))
    if not found:
        return exercise
    with open(found[0], encoding="utf-8") as file:
        return file.readline().strip("# \n")


# ---- answers that are the same -------------------------------------------------------------------


def essence_of(path):
    """The text without comments and spaces."""
    with open(path, encoding="utf-8", errors="replace") as file:
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", file.read(), flags=re.S)
    return re.sub(r"\s", "", text)


def same_answers(folder, students, exercises):
    """[(exercise, [student])]: groups of students with the same answer, other than the skeleton."""
    groups = []
    for exercise in exercises:
        given = glob.glob(os.path.join(ROOT, "0[1-8]_*", "exercise", exercise, "skeleton", "task.*"))
        known = {essence_of(path) for path in given}
        by_essence = collections.defaultdict(list)
        for student in students:
            own = os.path.join(folder, student)
            for path in glob.glob(os.path.join(glob.escape(own), "0[1-8]_*", "exercise", exercise, "task.c*")):
                if path.endswith((".c", ".cu")) and os.path.realpath(path) == os.path.join(
                        os.path.realpath(own), os.path.relpath(path, own)): # not a link
                    by_essence[essence_of(path)].append(student)
        groups += [(exercise, who) for essence, who in by_essence.items()
                   if len(who) > 1 and essence not in known]
    return groups


def pairs_of(groups):
    """[(number of shared answers, two students)]: pairs that share at least three, the largest number first."""
    shared = collections.Counter(pair for _, who in groups for pair in itertools.combinations(who, 2))
    return [(count, pair) for pair, count in shared.most_common(10) if count >= 3]


# ---- the page ------------------------------------------------------------------------------------


def colour(share):
    """A colour from red through yellow to green, light enough for dark text."""
    return "hsl(%d 62%% %d%%)" % (round(8 + 132 * share), round(76 - 10 * abs(2 * share - 1)))


def histogram(shares):
    """The number of students in each tenth of all points."""
    counts = [0] * 10
    for share in shares:
        counts[min(int(share * 10), 9)] += 1
    most, bars = max(counts) or 1, []
    for at, count in enumerate(counts):
        height = 90 * count / most
        bars.append('<rect x="%d" y="%.1f" width="44" height="%.1f" rx="2"/>' % (
            at * 50 + 3, 110 - height, height))
        if count:
            bars.append('<text x="%d" y="%.1f" text-anchor="middle">%d</text>' % (
                at * 50 + 25, 105 - height, count))
        bars.append('<text x="%d" y="126" text-anchor="middle">%d-%d</text>' % (
            at * 50 + 25, at * 10, at * 10 + (10 if at == 9 else 9)))
    return ('<svg viewBox="0 0 500 132" width="500" role="img" aria-label="Students by share of the '
            'points">%s</svg>' % "".join(bars))


def esc(text):
    return html.escape(str(text))


def tiles(students, exercises, shares):
    done = sum(result["score"] == result["max_score"]
               for results in students.values() for result in results.values())
    missing = sum(is_missing(result) for results in students.values() for result in results.values())
    stuck = [share for share in known(shares) if share < 0.5]
    graded = sum(is_graded(result) for results in students.values() for result in results.values()) or 1
    for value, label in ((len(students), "students"), (len(exercises), "exercises"),
                         (percent(statistics.median(known(shares)) if known(shares) else None), "median of points"),
                         (percent(done / graded), "answers with all points"),
                         (missing, "answers missing"), (len(stuck), "students below half")):
        yield "<div><b>%s</b>%s</div>" % (value, label)


def score_map(students, exercises, shares):
    yield '<div class="wide"><table class="map"><tr><th scope="col">student</th>'
    yield '<th scope="col" class="n">of all</th>'
    for exercise in exercises:
        yield '<th scope="col" title="%s">%s</th>' % (esc(title_of(exercise)), short(exercise))
    yield "</tr>"
    for student in sorted(students, key=lambda name: -1 if shares[name] is None else shares[name], reverse=True):
        yield '<tr><td title="%s"><a href="%s">%s</a></td><td class="n">%s</td>' % (
            esc(student), esc(address_of(student)), esc(student), percent(shares[student]))
        for exercise in exercises:
            result = students[student].get(exercise)
            if result is None or is_missing(result):
                yield '<td class="none" title="no answer">-</td>'
            elif not is_graded(result):
                yield '<td class="none" title="not graded">?</td>'
            else:
                yield '<td class="p" style="background:%s">%d</td>' % (
                    colour(result["score"] / result["max_score"]), result["score"])
        yield "</tr>"
    yield '<tr><td>mean</td><td class="n">%s</td>' % percent(statistics.mean(known(shares)) if known(shares) else None)
    for exercise in exercises:
        scores = [results[exercise]["score"] for results in students.values()
                  if exercise in results and is_graded(results[exercise])]
        yield "<td>%.0f</td>" % statistics.mean(scores) if scores else "<td>-</td>"
    yield "</tr></table></div>"


def to_look_at(students):
    """What a mistake cannot explain and what could not be graded: [(student, exercises, why)]."""
    for student, results in students.items():
        reasons = collections.defaultdict(list)
        for exercise, result in results.items():
            if not is_graded(result):
                reasons["not graded: " + result["tests"][0]["message"].split("\n")[0]].append(short(exercise))
            if result.get("look"):
                reasons[result["look"]].append(short(exercise))
        for why, exercises in reasons.items():
            yield student, "all exercises" if len(exercises) == len(results) > 1 else ", ".join(exercises), why


def notes_of(students):
    """Changes outside the marks: [(student, exercise, the first lines)]."""
    return [(student, exercise, " / ".join(line.strip() for line in result["note"].split("\n")[1:3]))
            for student, results in students.items() for exercise, result in results.items() if result.get("note")]


def hard_tests(students):
    """The tests that most students fail, each with its most common message. Missing answers do not count."""
    failed = collections.defaultdict(list)
    for student, results in students.items():
        for exercise, result in results.items():
            if not is_missing(result) and is_graded(result):
                for test in open_tests(result):
                    failed[exercise, test["name"]].append((student, test["message"]))
    yield ('<table class="open"><tr><th scope="col">exercise</th><th scope="col">test</th>'
           '<th scope="col" class="n">open for</th><th scope="col">most often, and for example</th></tr>')
    for (exercise, name), who in sorted(failed.items(), key=lambda one: -len(one[1]))[:12]:
        shapes = collections.Counter(re.sub(r"\d[\d.,]*", "#", text.split("\n")[0]) for _, text in who)
        shape = shapes.most_common(1)[0][0]
        example = next(text for _, text in who
                       if re.sub(r"\d[\d.,]*", "#", text.split("\n")[0]) == shape)
        yield '<tr><td>%s</td><td>%s</td><td class="n">%d</td><td><code>%s</code></td></tr>' % (
            short(exercise), esc(name), len(who), esc(example.split("\n")[0]))
    yield "</table>"


def open_tests(result):
    return [test for test in result["tests"] if test["status"] != "pass" and not test["message"].startswith("graded once")]


def page_of_student(student, results):
    """The page for one student: the student's points, and the line and message of each open test."""
    rows, done = [], [short(exercise) for exercise, result in results.items() if result["score"] == result["max_score"]]
    missing = [short(exercise) for exercise, result in results.items() if is_missing(result)]
    for what, which in (("All points", done), ("No answer", missing)):
        rows += ["<p>%s: %s.</p>" % (what, ", ".join(which))] if which else []
    for exercise, result in results.items():
        if short(exercise) in missing or short(exercise) in done and not result.get("note"):
            continue
        tests = open_tests(result)
        rows.append('<h2>%s: %s <span class="%s">%s</span></h2>' % (
            short(exercise), esc(title_of(exercise)), "soft" if is_graded(result) else "none",
            "not graded" if not is_graded(result) else "%d of %d points" % (result["score"], result["max_score"])))
        for test in tests:
            rows.append("<h3>%s%s</h3><pre>%s</pre>" % (
                esc(test["name"]), ", line %d" % test["line_no"] if test["line_no"] else "", esc(test["message"])))
        if result.get("note"):
            rows.append("<pre>%s</pre>" % esc(result["note"]))
    return html_page(student, [
        "<h1>%s</h1>" % esc(student),
        "<p>%s of all points. The tests that are open stand below each exercise.</p>" % percent(share_of(results)), *rows])


def html_page(title, parts):
    return ('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width, initial-scale=1">'
            "<title>%s</title><style>%s</style></head><body>\n%s\n</body></html>\n"
            % (esc(title), STYLE, "\n".join(parts)))


def address_of(student):
    return "students/%s.html" % urllib.parse.quote(student)


def page_of(students, answers):
    exercises = sorted({name for results in students.values() for name in results})
    shares = {student: share_of(results) for student, results in students.items()}
    look, notes = list(to_look_at(students)), notes_of(students)
    parts = ["<h1>The class</h1>",
             '<p>Points as the grader of ./test.sh exercise gives them; docs/teaching.md tells what '
             'they mean.</p>', '<div class="tiles">', *tiles(students, exercises, shares), "</div>",
             *(["<h2>To look at</h2>", "<ul>", *("<li>%s, %s: %s</li>" % (
                 esc(student), which, esc(why[:300])) for student, which, why in look), "</ul>"]
               if look else []),
             *(["<details><summary>Changed outside of the marks, which costs nothing: %s</summary><ul>" % counted(len(notes), "answer"),
                *("<li>%s, %s: <code>%s</code></li>" % (esc(student), short(exercise), esc(why[:300]))
                  for student, exercise, why in notes), "</ul></details>"] if notes else []),
             "<h2>Students by their share of all points, in %</h2>", histogram(known(shares)),
             "<h2>Who has what</h2>", *score_map(students, exercises, shares),
             "<h2>What to come back to</h2>",
             "<p>The tests that most students with an answer have not passed.</p>",
             '<div class="wide">', *hard_tests(students), "</div>"]
    if answers:
        groups = same_answers(answers, students, exercises)
        parts += ["<h2>The same answer</h2>",
                  "<p>Apart from spaces and comments. Two short answers are often the same by chance; many "
                  "answers of two students are not.</p>" if groups
                  else "<p>There are none, apart from untouched skeletons.</p>",
                  "<ul>", *("<li>%s share %d answers</li>" % (esc(" and ".join(pair)), count)
                            for count, pair in pairs_of(groups)), "</ul>",
                  "<details><summary>By exercise</summary><ul>",
                  *("<li>%s: %s</li>" % (short(exercise), esc(", ".join(who)))
                    for exercise, who in groups), "</ul></details>"]
    return html_page("The class", parts)


def main():
    parser = argparse.ArgumentParser(description="Makes the report of a class.")
    parser.add_argument("--answers")
    parser.add_argument("--output", required=True)
    parser.add_argument("results", nargs="+")
    options = parser.parse_args()
    students = read_results(options.results)
    page, folder = page_of(students, options.answers), os.path.join(os.path.dirname(options.output), "students")
    os.makedirs(folder, exist_ok=True)
    for student, results in students.items():
        with open(os.path.join(folder, student + ".html"), "w", encoding="utf-8") as file:
            file.write(page_of_student(student, results))
    with open(options.output, "w", encoding="utf-8") as file:
        file.write(page)
    print("To read: %s" % options.output)


if __name__ == "__main__":
    try:
        main()
    except (OSError, Unreadable) as problem:
        print("report.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
