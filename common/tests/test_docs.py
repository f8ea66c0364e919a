"""Tests of common/scripts/docs/docs.py. Each test makes a small repository."""
import contextlib
import io
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts", "docs"))
import docs  # noqa: E402

EXCERPT = """        mine += in.term(i); /* } */
        mine *= 2;
"""

SOURCE = """/* tree.cu */
static int other(int x);

template <typename R>
__global__ void tree(R in, float *out)
{
    float mine = 0;

    for (int i = 0; i < 4; i++) {
        mine += in.term(i); /* } */
        mine *= 2;
    }
    *out = mine;
}

#define TWICE(x) \\
    ((x) + (x))
"""

LADDER = """static const struct reduction_rung rungs[] = {
    {
        .rung = {.name = "tree", .idea = "a tree"},
    },
};
const struct step step = {
    .name = "05_step",
};
"""

RESULTS = """step,rung,shape,median_us,gb_per_s,cache
05_step,tree,1024,2.5,1000.4,warm
05_step,tree,2048,4,2000.6,warm
05_step,flat,1024,5,500,warm
05_step,flat,1024,9,50,cold
"""

COUNTS = """05_step --n 65
  tree "launches": 2, "loads": 1500, "sectors": 6000
  flat "launches": 1, "loads": 0, "sectors": 0
"""

PAGE = """# Step

[Sources](../05_step/README.md), [below](#the-code-of-tree), [data](results/times.csv),
`05_step/ladder.c`, the rung `tree`.

## The code of `tree`

<!-- snippet: 05_step/tree.cu tree -->
```cpp
        mine += in.term(i); /* } */
        mine *= 2;
```
<!-- end snippet -->

<!-- table: times -->
| rung | 1K: us | 2K: us | GB/s | over tree |
|---|---:|---:|---:|---:|
| `tree` | 2.50 | 4.00 | 1,000 | 1.00 |
| `flat` | 5.00 | - | 500 | 2.00 |
<!-- end table -->

<!-- table: counts -->
| what | loads | both | a load | why |
|---|---:|---:|---:|---|
| 2 KB | 1,500 | 7,500 | 4.0 | it branches |
| `flat` | 0 | 0 | - |  |
<!-- end table -->

<!-- table: ranges -->
| shape | us | rows |
|---|---:|---:|
| 1024 | 2.5 to 9.0 | 3 |
| 2048 | 4.0 | 1 |
<!-- end table -->

<!-- file: docs/programs/tree.txt -->
```text
<4 ones: 4>
```
<!-- end file -->
"""

TABLES = """# Tables
docs/05_step.md
us = times.csv warm
all = times.csv  # cold rows, too
counts = 05_step --n 65

table times
rows: tree flat
for N in 1K 2K: N: us = us[N] : .2f
GB/s = us[gb_per_s 1K] : ,.0f
over tree = us[1K] / us[tree 1K] : .2f

table counts
heads: what | ... | why
row: 2 KB | ... | it branches = rung=tree
row: `flat` | ... |
loads = counts[loads] : ,.0f
both = counts[loads] + counts[sectors] : ,.0f
a load = counts[sectors] / counts[loads] : .1f

table ranges
each: shape of all
us = min all[] to max all[] : .1f
rows = count all[] : .0f
"""

CLAIMS = """docs/05_step.md
us = times.csv
least = min times.csv
counts = 05_step --n 65
us[tree 1K] < us[flat 1K warm]
for N in 1024 2048: us[tree N] < 5
us[flat 1K warm] / us[tree 1K] ~ 2.1
least[flat] == 5 and max us[rung=flat] == 9 and count us[warm] == 3
max us[median_us*gb_per_s tree] > 8000
counts[tree sectors] == 4 * counts[tree loads]
"""

FILES = {
    "README.md": "[05](05_step/README.md), [elsewhere](https://example.org)\n",
    "docs/README.md": "[Step](05_step.md)\n",
    "docs/05_step.md": PAGE,
    "docs/tables.txt": TABLES,
    "docs/claims.txt": CLAIMS,
    "docs/results/times.csv": RESULTS,
    "05_step/README.md": "`tree`\n",
    "05_step/ladder.c": LADDER,
    "05_step/tree.cu": SOURCE,
    "docs/programs/tree.txt": "<4 ones: 4>\n",
    "common/simt/tests/rung_counts.txt": COUNTS,
}


class Docs(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for path, text in FILES.items():
            self.write(path, text)

    def write(self, path, text):
        whole = os.path.join(self.folder.name, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)

    def read(self, path):
        with open(os.path.join(self.folder.name, path), encoding="utf-8") as file:
            return file.read()

    def change(self, path, old, new):
        text = self.read(path)
        self.assertIn(old, text)
        self.write(path, text.replace(old, new))

    def run_docs(self, *arguments):
        """(exit status, standard output)"""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(io.StringIO()):
            try:
                status = docs.main([*arguments, "--root", self.folder.name])
            except SystemExit as end:
                status = end.code
        return status, output.getvalue()

    def assert_right(self, what="--check"):
        status, output = self.run_docs(what)
        self.assertEqual(status, 0, output)

    def assert_wrong(self, text):
        status, output = self.run_docs("--check")
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def assert_updates(self, path, text):
        before = {name: self.read(name) for name in FILES}
        self.assert_wrong(path)
        after = {name: self.read(name) for name in FILES}
        self.assertEqual(before, after, "--check has changed a file")
        self.assert_right("--update")
        self.assertIn(text, self.read(path))
        self.assert_right()

    def test_right(self):
        self.assertEqual(self.run_docs("--check"), (0, "docs.py: 4 pages are as they should be\n"))

    def test_usage(self):
        self.assertEqual(self.run_docs()[0], 2)
        self.assertEqual(self.run_docs("--check", "--update")[0], 2)
        os.remove(os.path.join(self.folder.name, "docs/README.md"))
        self.assertEqual(self.run_docs("--check")[0], 2)

    def test_unreadable(self):
        with open(os.path.join(self.folder.name, "docs/05_step.md"), "wb") as file:
            file.write(b"\xff")
        result = subprocess.run([sys.executable, docs.__file__, "--check", "--root",
                                 self.folder.name], stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 4)

    def test_snippet_changed(self):
        self.change("05_step/tree.cu", "mine *= 2;", "mine *= 3;")
        self.assert_updates("docs/05_step.md", "        mine *= 3;\n```\n")

    def test_snippet_line_between(self):
        self.change("05_step/tree.cu", "        mine *= 2;\n",
                    "        mine += 1;\n        mine *= 2;\n")
        self.assert_updates("docs/05_step.md",
                            "term(i); /* } */\n        mine += 1;\n        mine *= 2;\n```\n")

    def test_exercise_without_link(self):
        self.write("05_step/exercise/05a_trees/README.md", "# Trees\n")
        self.assert_wrong("05_step/README.md:1: does not link to exercise 05a_trees")
        self.write("05_step/README.md", "`tree`, [05a](exercise/05a_trees/README.md)\n")
        self.assert_right()

    def test_idea_of_a_rung(self):
        self.write("05_step/README.md", "| `tree` | [a](../README.md) `tree`, wrong only on `simt` |\n| `other` | mine |\n")
        self.assert_right()
        self.write("05_step/README.md", "| `tree` | a bush | n |\n")
        self.assert_wrong("05_step/README.md:1: is out of date")
        self.assert_right("--update")
        self.assertEqual(self.read("05_step/README.md"), "| `tree` | a tree | n |\n")

    def test_more_than_the_peak(self):
        self.change("docs/README.md", "Step]", "Step](05_step.md), [peaks](results/peaks.csv), [more]")
        self.write("docs/results/peaks.csv", "rung,percent_of_peak\ntree,100\nflat,\n")
        self.assert_right()
        self.write("docs/results/peaks.csv", "rung,percent_of_peak\ntree,100\nflat,100.4\n")
        self.assert_wrong("docs/results/peaks.csv:3: 100.4% of the peak")

    def test_snippet_elsewhere(self):
        """The lines are still in the file, but not in the named kernel."""
        self.change("05_step/tree.cu", "__global__ void tree(", "__global__ void bush(")
        self.assert_wrong("no definition of tree")

    def test_snippet_of_declaration(self):
        self.change("docs/05_step.md", "tree.cu tree", "tree.cu other")
        self.assert_wrong("no definition of other")

    def test_snippet_gone(self):
        self.change("05_step/tree.cu", EXCERPT, "")
        self.assert_wrong("none of its lines")

    def test_snippet_whole(self):
        """An empty fence is filled with the whole definition, including the template line."""
        self.change("docs/05_step.md", EXCERPT, "")
        self.assert_right("--update")
        self.assertIn("```cpp\ntemplate <typename R>\n__global__ void tree(",
                      self.read("docs/05_step.md"))
        self.assertIn("    *out = mine;\n}\n```", self.read("docs/05_step.md"))

    def test_snippet_of_macro(self):
        self.change("docs/05_step.md", "tree.cu tree -->\n```cpp\n" + EXCERPT,
                    "tree.cu TWICE -->\n```cpp\n    ((x) + (x))\n")
        self.assert_right()

    def test_snippet_without_file(self):
        self.change("docs/05_step.md", "snippet: 05_step/tree.cu", "snippet: 05_step/gone.cu")
        self.assert_wrong("docs/05_step.md:8: snippet 05_step/gone.cu tree: ")

    def test_comments(self):
        """Other comments, and parts of known comments, are refused."""
        for old, new, said in (
                ("<!-- end snippet -->", "", "05_step.md:8: allowed are only whole snippets"),
                ("<!-- end table -->", "", "05_step.md:15: allowed are only whole snippets"),
                ("```cpp\n", "", "05_step.md:8: allowed are only whole snippets"),
                ("| `tree` | 2", "words\n| `tree` | 2", "05_step.md:15: allowed are only whole snippets"),
                ("[data]", "<!--given-->[data]", "05_step.md:3: allowed are only whole snippets")):
            with self.subTest(new):
                self.write("docs/05_step.md", PAGE)
                self.change("docs/05_step.md", old, new)
                self.assert_wrong(said)

    def test_file_changed(self):
        self.change("docs/programs/tree.txt", "4 ones", "5 ones")
        self.assert_updates("docs/05_step.md", "```text\n<5 ones: 4>\n```\n<!-- end file -->")

    def test_language(self):
        self.change("docs/05_step.md", "```cpp", "```c")
        self.assert_updates("docs/05_step.md", "<!-- snippet: 05_step/tree.cu tree -->\n```cpp\n")

    def test_file_gone(self):
        os.remove(os.path.join(self.folder.name, "docs/programs/tree.txt"))
        self.assert_wrong("docs/05_step.md:36: ")

    def test_program_on_no_page(self):
        self.write("docs/programs/lost.cu", "")
        self.assert_wrong("docs/programs/lost.cu:1: no page links to it")

    def test_table_changed(self):
        self.change("docs/results/times.csv", "tree,1024,2.5", "tree,1024,2.4")
        self.assert_updates("docs/05_step.md", "| `tree` | 2.40 | 4.00 | 1,000 | 1.00 |\n"
                            "| `flat` | 5.00 | - | 500 | 2.08 |")
        self.assertIn("| 1024 | 2.4 to 9.0 | 3 |", self.read("docs/05_step.md"))

    def test_table_edited_by_hand(self):
        self.change("docs/05_step.md", "| 2.50 |", "| 2.05 |")
        self.assert_updates("docs/05_step.md", "| 2.50 |")

    def test_counts_changed(self):
        self.change("common/simt/tests/rung_counts.txt", '"loads": 1500, "sectors": 6000',
                    '"loads": 3000, "sectors": 12000')
        self.assert_updates("docs/05_step.md", "| 2 KB | 3,000 | 15,000 | 4.0 | it branches |")

    def test_cells(self):
        """A row's cell in an expression, the format of a shape, and a table that is on no page."""
        self.write("docs/results/times.csv", RESULTS + "05_step,cube,2x3x4,1,1,cold\n")
        self.write("docs/tables.txt", TABLES + """
table cells
heads: what | n
row: `tree` | 1,000 = 1K
us a thousand = us[@1] * @2 / 1000 : .1f

table cube
rows: 2x3x4
us = all[] : .1f
""")
        self.write("docs/05_step.md", PAGE + "<!-- table: cells -->\n<!-- end table -->\n")
        self.assert_wrong("docs/tables.txt has a table 'cube' that is not on this page")
        self.change("docs/05_step.md", "table: cells",
                    "table: cube -->\n<!-- end table -->\n<!-- table: cells")
        self.assert_updates("docs/05_step.md", "| `tree` | 1,000 | 2.5 |\n")
        self.assertIn("| 2 x 3 x 4 | 1.0 |\n", self.read("docs/05_step.md"))

    def test_tables_that_are_wrong(self):
        for old, new, said in (
                ("us = times.csv warm", "us = times.csv", "05_step.md:15: table times: 2 rows fit"),
                ("us = times.csv warm", "us = gone.csv", "docs/tables.txt:3: "),
                ("05_step --n 65", "05_step --n 66", "rung_counts.txt has no run '05_step --n 66'"),
                ("us[gb_per_s 1K]", "us[rate 1K]", "there is no 'rate'"),
                ("us[gb_per_s 1K]", "her[gb_per_s 1K]", "no name 'her'"),
                ("counts[loads] :", "counts[] :", "which column?"),
                ("rows: tree flat", "rows: tree flat bush", "no number for '`bush`'"),
                ("row: `flat` | ... |", "row: `flat` | ...", "expected 3 cells in '`flat` | ...'"),
                ("both = counts", "both: counts", "expected HEADING = EXPRESSION : FORMAT"),
                (" : ,.0f", " : ,.0q", "table times: "),
                ("shape of all", "form of all", "table ranges: 'form'"),
                ("shape of all", "shape of her", "no name 'her'"),
                ("table ranges", "table ranges\ntable ranges", "a second table 'ranges'"),
                ("table ranges", "table strange", "no table 'ranges' for this page"),
                ("docs/05_step.md", "docs/06_step.md", "docs/tables.txt:2: no such page"),
                ("docs/05_step.md", "", "expected the path of a page before 'us = times.csv warm'")):
            with self.subTest(new):
                self.write("docs/tables.txt", TABLES)
                self.change("docs/tables.txt", old, new)
                self.assert_wrong(said)

    def test_claims_that_are_untrue(self):
        """Each claim can fail, by its own relation or by a new measurement."""
        for path, old, new, line in (
                ("docs/results/times.csv", "tree,1024,2.5", "tree,1024,6", 5),
                ("docs/results/times.csv", "tree,2048,4", "tree,2048,5", 6),
                ("docs/results/times.csv", "flat,1024,5,500,warm", "flat,1024,6,500,warm", 7),
                ("docs/results/times.csv", "flat,1024,9,50,cold", "flat,1024,10,50,cold", 8),
                ("docs/claims.txt", "count us[warm] == 3", "count us[warm] == 4", 8),
                ("docs/results/times.csv", "tree,2048,4,2000.6", "tree,2048,4,1999", 9),
                ("common/simt/tests/rung_counts.txt", '"sectors": 6000', '"sectors": 6001', 10)):
            with self.subTest(new):
                before = self.read(path)
                self.change(path, old, new)
                self.assert_wrong("docs/claims.txt:%d: no longer so, but docs/05_step.md says it:"
                                  % line)
                self.write(path, before)

    def test_about(self):
        """x ~ y means that x is within a twentieth of y."""
        for number, holds in (("2.10", True), ("2.11", False), ("1.91", True), ("1.90", False)):
            with self.subTest(number):
                self.write("docs/claims.txt", CLAIMS.replace("~ 2.1", "~ %s" % number))
                self.assertEqual(self.run_docs("--check")[0], 0 if holds else 1)

    def test_claims_that_are_wrong(self):
        for old, new, said in (
                ("us[tree 1K] <", "us[bush 1K] <", "there is no 'bush'"),
                ("us[tree 1K] <", "us[form=1 tree] <", "there is no 'form=1'"),
                ("us[tree 1K] <", "us[tree cold] <", "compares nothing: no row fits us[tree cold]"),
                ("us[tree 1K] <", "us[flat 1K] <", "2 rows fit"),
                ("us[tree 1K] <", "her[tree 1K] <", "no name 'her'"),
                ("us[tree 1K] < us", "us[tree 1K] + us", "compares nothing: 2.5 + 5"),
                ("us[tree 1K] <", "tree <", "cannot calculate"),
                ("us[tree 1K] <", "__import__ <", "cannot calculate"),
                ("us[tree 1K] <", "us[tree 1K] / 0 <", "compares nothing")):
            with self.subTest(new):
                self.write("docs/claims.txt", CLAIMS)
                self.change("docs/claims.txt", old, new)
                self.assert_wrong("docs/claims.txt:5: ")
                self.assert_wrong(said)

    def test_links(self):
        self.change("docs/README.md", "[Step]", "[gone](gone.md) [Step]")
        self.assert_wrong("docs/README.md:1: dead link: gone.md")

    def test_anchors(self):
        self.change("docs/05_step.md", "(#the-code-of-tree)", "(#the-code)")
        self.assert_wrong("docs/05_step.md:3: no such heading: #the-code")

    def test_anchors_of_headings_alike(self):
        self.write("docs/README.md", "[Step](05_step.md) [second](#a-1)\n# A\n# A\n")
        self.assert_right()
        self.change("docs/README.md", "#a-1", "#a-2")
        self.assert_wrong("docs/README.md:1: no such heading: #a-2")

    def test_link_out_of_the_repository(self):
        self.change("docs/README.md", "[Step]", "[out](../..) [Step]")
        self.assert_wrong("docs/README.md:1: the link leads out of the repository: ../..")

    def test_step_without_page(self):
        self.write("06_step/ladder.c", LADDER)
        self.assert_wrong("06_step/README.md:1: there is no such page")

    def test_link_in_code_is_none(self):
        self.change("docs/README.md", "[Step]", "```\n[a](b.md)\n```\n[Step]")
        self.assert_right()

    def test_paths(self):
        self.change("docs/05_step.md", "`05_step/ladder.c`", "`05_step/gone.c`")
        self.assert_wrong("docs/05_step.md:4: no such file: 05_step/gone.c")

    def test_picture(self):
        self.write("docs/pictures/a.svg", "<svg><g></svg>")
        self.change("docs/README.md", "[Step]", "![a](pictures/a.svg) [Step]")
        self.assert_wrong("no well-formed SVG")

    def test_plot(self):
        """--check detects an outdated picture without drawing it. --update says why it cannot draw."""
        self.write("common/scripts/draw/plot_results.py", "import sys\nsys.exit('no matplotlib')\n")
        self.write("docs/pictures/roofline.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
        self.change("docs/05_step.md", "# Step\n",
                    "# Step\n\n<!-- plot: roofline times.csv = 0 -->\n"
                    "![roofs](pictures/roofline.svg)\n")
        self.assert_wrong("docs/pictures/roofline.svg is not drawn from these results")
        status, output = self.run_docs("--update")
        self.assertEqual(status, 1)
        self.assertIn("cannot draw roofline: no matplotlib", output)
        self.write("common/scripts/draw/plot_results.py",
                   "import sys\nopen(sys.argv[2] + '/roofline.svg', 'w').write("
                   "'<svg><g/></svg>')\n")
        self.assert_right("--update")
        self.assertEqual(self.read("docs/pictures/roofline.svg"), "<svg><g/></svg>")
        self.assert_right()
        self.change("docs/results/times.csv", "9,50,cold", "8,50,cold")
        self.assert_wrong("docs/pictures/roofline.svg is not drawn from these results")

    def test_rung_without_page(self):
        self.change("05_step/ladder.c", '.name = "tree"', '.name = "bush"')
        self.assert_wrong("docs/05_step.md:1: `bush`, a rung of 05_step, is not on this page")
        self.assert_wrong("05_step/README.md:1: `bush`, a rung of 05_step, is not on this page")

    def test_rung_of_a_learner(self):
        self.change("05_step/ladder.c", '        .rung = {.name = "tree", .idea = "a tree"},\n',
                    '        .rung = {.name = "tree", .idea = "a tree"},\n    },\n    {\n'
                    '        .rung = {.name = "my_tree", .idea = "mine"},\n')
        self.assert_right()
        self.change("05_step/ladder.c", "my_tree", "mytree")
        self.assert_wrong("docs/05_step.md:1: `mytree`, a rung of 05_step, is not on this page")

    def test_rungs_in_any_source(self):
        self.write("05_step/rows.c",
                   LADDER.replace("struct reduction_rung", "struct gemm_rung").replace("tree", "bush"))
        self.assert_wrong("docs/05_step.md:1: `bush`, a rung of 05_step, is not on this page")
        os.remove(os.path.join(self.folder.name, "05_step/ladder.c"))
        os.remove(os.path.join(self.folder.name, "05_step/rows.c"))
        self.assert_wrong("05_step:1: no table of rungs found")

    def test_page_not_in_index(self):
        self.write("docs/lost.md", "# Lost\n")
        self.assert_wrong("docs/README.md:1: does not link to docs/lost.md")

    def test_result_on_no_page(self):
        self.write("docs/results/lost.csv", "a\n")
        self.assert_wrong("docs/results/lost.csv:1: no page links to it")

    def write_edition(self):
        """The page in another language: the same comments, empty tables."""
        page = re.sub(r"(<!-- table: \w+ -->\n)(\|.*\n)*", r"\1", PAGE).replace("../05", "../../05")
        page = page.replace("](results", "](../results").replace("# Step", "# 步")
        self.write("docs/zh/05_step.md", page.replace("below](#the-code-of-tree)", "](#tree-的代码)")
                   .replace("The code of `tree`", "`tree` 的代码"))
        self.write("docs/zh/README.md", "[步](05_step.md)\n")
        self.write("docs/zh/words.txt", "# words\n\nrung | 梯级\nit branches | 有分支\n")
        self.change("README.md", "[05]", "[中文](docs/zh/README.md) [05]")

    def test_edition(self):
        """A translated page has the English page's tables, with its own words."""
        self.write_edition()
        self.assert_wrong("docs/zh/05_step.md:16: is out of date")
        self.assert_right("--update")
        self.assertIn("| 梯级 | 1K: us |", self.read("docs/zh/05_step.md"))
        self.assertIn("| `tree` | 2.50 | 4.00 |", self.read("docs/zh/05_step.md"))
        self.assertIn("| 4.0 | 有分支 |", self.read("docs/zh/05_step.md"))
        self.assert_right()
        self.change("docs/results/times.csv", "tree,1024,2.5", "tree,1024,2.4")
        self.assert_right("--update")
        self.assertIn("| `tree` | 2.40 | 4.00 |", self.read("docs/zh/05_step.md"))
        self.assertEqual(PAGE.count("rung |"), self.read("docs/05_step.md").count("rung |"))

    def test_edition_without_a_table(self):
        """docs.py does not report this, because an author of a new table need not translate. translated.py does."""
        self.write_edition()
        self.change("docs/zh/05_step.md", "<!-- table: counts -->\n<!-- end table -->", "")
        self.assert_right("--update")

    def test_edition_links(self):
        """Links in cells without a translation lead to the same places as the English ones."""
        self.write_edition()
        self.change("docs/tables.txt", "row: 2 KB", "row: [2 KB](README.md#a) [x](#step)")
        self.write("docs/README.md", "# A\n[Step](05_step.md)\n")
        self.change("docs/zh/05_step.md", "# 步", "# Step")
        self.assert_right("--update")
        self.assertIn("| [2 KB](README.md#a) [x](#step) |", self.read("docs/05_step.md"))
        self.assertIn("| [2 KB](../README.md#a) [x](#step) |", self.read("docs/zh/05_step.md"))

    def test_edition_is_wrong(self):
        for path, old, new, said in (
                ("docs/zh/README.md", "05_step.md", "../05_step.md",
                 "docs/zh/README.md:1: does not link to docs/zh/05_step.md"),
                ("README.md", "docs/zh/README.md", "docs/README.md",
                 "README.md:1: does not link to docs/zh/README.md"),
                ("docs/zh/05_step.md", "#tree-的代码", "#the-code-of-tree",
                 "docs/zh/05_step.md:3: no such heading"),
                ("docs/zh/words.txt", "rung | 梯级", "rung |", "docs/zh/words.txt:3: expected 'English"),
                ("docs/zh/words.txt", "it branches", "rung", "docs/zh/words.txt:4: expected 'English"),
                ("docs/zh/words.txt", "有分支", "有|分支", "docs/zh/words.txt:4: expected 'English")):
            with self.subTest(said):
                self.write("README.md", FILES["README.md"])
                self.write_edition()
                self.change(path, old, new)
                self.assert_wrong(said)

    def test_exercise_of_an_edition(self):
        """Each edition has the task, with the same number of hints."""
        self.write_edition()
        self.assert_right("--update")
        hint = "\n## Hint\n\n<details>\n\na\n\n</details>\n"
        self.write("05_step/README.md", "`tree`, [05a](exercise/05a_trees/README.md)\n")
        self.write("05_step/exercise/05a_trees/README.md", "# Trees\n" + 2 * hint)
        said = "05_step/exercise/05a_trees/README.zh.md:1: has %d hints, and the English 2"
        self.assert_wrong(said % 0)
        self.write("05_step/exercise/05a_trees/README.zh.md", "# 树\n" + hint)
        self.assert_wrong(said % 1)
        self.write("05_step/exercise/05a_trees/README.zh.md", "# 树\n" + 2 * hint)
        self.assert_right()

    def test_edition_without_original(self):
        self.write_edition()
        self.write("docs/zh/lost.md", "# 失\n")
        self.assert_wrong("docs/zh/lost.md:1: there is no English page docs/lost.md")


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: MIT
