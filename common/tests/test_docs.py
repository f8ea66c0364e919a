"""Tests of common/scripts/docs.py on a small repository made for each."""
import os
import subprocess
import sys
import tempfile
import unittest

DOCS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts", "docs.py")

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

MAIN = """static const struct rung rungs[] = {
    {
        .name = "tree",
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

[Sources](../05_step/README.md), [below](#the-code-of-tree), `05_step/main.c`, the rung `tree`.

## The code of `tree`

<!-- snippet: 05_step/tree.cu tree -->
```c
        mine += in.term(i); /* } */
        mine *= 2;
```
<!-- end snippet -->

<!-- table: times.csv
where: cache=warm
row: rung
1K: us = median_us .2f shape=1024
2K: us = median_us .1f shape=2048
GB/s = gb_per_s ,.0f shape=1024
over tree = median_us .2f shape=1024 / median_us shape=1024 rung=tree
-->
| rung | 1K: us | 2K: us | GB/s | over tree |
|---|---:|---:|---:|---:|
| `tree` | 2.50 | 4.0 | 1,000 | 1.00 |
| `flat` | 5.00 | - | 500 | 2.00 |
<!-- end table -->

<!-- counts: 05_step --n 65
loads = loads
both = loads + sectors
a load = sectors / loads .1f
-->
| rung | loads | both | a load |
|---|---:|---:|---:|
| `tree` | 1,500 | 7,500 | 4.0 |
| `flat` | 0 | 0 | - |
<!-- end counts -->
"""

VALUES = """<!-- values: times.csv
flat = [median_us rung=flat shape=1K cache=warm] : .1f
half = [median_us rung=tree shape=1K cache=warm] / flat : .2f
all = min[median_us] / 2 to max[median_us] / 2 : .2f
rows = count[median_us] : d
claim: half < 0.6
-->
<!-- values: 05_step --n 65
loads = [loads rung=tree] : ,d
-->
It takes <!--=half-->x<!--/--> of `flat`'s <!--=flat-->x<!--/--> us, <!--=all-->x<!--/--> in all,
of <!--=rows-->x<!--/--> rows, <!--=loads-->x<!--/--> loads.
"""

FILES = {
    "README.md": "[05](05_step/README.md)\n",
    "docs/README.md": "[Step](05_step.md)\n",
    "docs/05_step.md": PAGE,
    "docs/results/times.csv": RESULTS,
    "05_step/README.md": "`tree`\n",
    "05_step/main.c": MAIN,
    "05_step/tree.cu": SOURCE,
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
        return subprocess.run([sys.executable, DOCS, *arguments, "--root", self.folder.name],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)

    def assert_wrong(self, text):
        result = self.run_docs("--check")
        self.assertEqual(result.returncode, 1, result.stdout + result.stderr)
        self.assertIn(text, result.stdout)

    def assert_updates(self, path, text):
        before = {name: self.read(name) for name in FILES}
        self.assert_wrong(path)
        self.assertEqual(before, {name: self.read(name) for name in FILES}, "--check has changed a file")
        self.assertEqual(self.run_docs("--update").returncode, 0)
        self.assertIn(text, self.read(path))
        self.assertEqual(self.run_docs("--check").returncode, 0)

    def test_right(self):
        result = self.run_docs("--check")
        self.assertEqual((result.returncode, result.stderr), (0, ""), result.stdout)

    def test_usage(self):
        self.assertEqual(self.run_docs().returncode, 2)
        self.assertEqual(self.run_docs("--check", "--update").returncode, 2)
        os.remove(os.path.join(self.folder.name, "docs/README.md"))
        self.assertEqual(self.run_docs("--check").returncode, 2)

    def test_snippet_changed(self):
        self.change("05_step/tree.cu", "mine *= 2;", "mine *= 3;")
        self.assert_updates("docs/05_step.md", "        mine *= 3;\n```\n")

    def test_snippet_line_between(self):
        self.change("05_step/tree.cu", "        mine *= 2;\n", "        mine += 1;\n        mine *= 2;\n")
        self.assert_updates("docs/05_step.md", "term(i); /* } */\n        mine += 1;\n        mine *= 2;\n```\n")

    def test_snippet_elsewhere(self):
        """The lines are still in the file, but not in the kernel that is named."""
        self.change("05_step/tree.cu", "__global__ void tree(", "__global__ void bush(")
        self.assert_wrong("no definition of tree")

    def test_snippet_gone(self):
        self.change("05_step/tree.cu", "        mine += in.term(i); /* } */\n        mine *= 2;\n", "")
        self.assert_wrong("none of its lines")

    def test_snippet_whole(self):
        """An empty fence is filled with the whole definition, template line and all."""
        self.change("docs/05_step.md", "        mine += in.term(i); /* } */\n        mine *= 2;\n", "")
        self.assertEqual(self.run_docs("--update").returncode, 0)
        self.assertIn("```c\ntemplate <typename R>\n__global__ void tree(", self.read("docs/05_step.md"))
        self.assertIn("    *out = mine;\n}\n```", self.read("docs/05_step.md"))

    def test_snippet_of_macro(self):
        self.change("docs/05_step.md", "tree.cu tree -->\n```c\n        mine += in.term(i); /* } */\n        mine *= 2;\n",
                    "tree.cu TWICE -->\n```c\n    ((x) + (x))\n")
        self.assertEqual(self.run_docs("--check").returncode, 0)

    def test_snippet_not_closed(self):
        self.change("docs/05_step.md", "<!-- end snippet -->", "")
        self.assert_wrong("do not pair")

    def test_snippet_without_file(self):
        self.change("docs/05_step.md", "snippet: 05_step/tree.cu", "snippet: 05_step/gone.cu")
        self.assert_wrong("snippet 05_step/gone.cu: No such file")

    def test_table_changed(self):
        self.change("docs/results/times.csv", "tree,1024,2.5", "tree,1024,2")
        self.assert_updates("docs/05_step.md", "| `tree` | 2.00 | 4.0 | 1,000 | 1.00 |\n| `flat` | 5.00 | - | 500 | 2.50 |")

    def test_table_edited_by_hand(self):
        self.change("docs/05_step.md", "| 2.50 |", "| 2.05 |")
        self.assert_updates("docs/05_step.md", "| 2.50 |")

    def test_table_ambiguous(self):
        self.change("docs/05_step.md", "where: cache=warm\n", "")
        self.assert_wrong("2 rows fit")

    def test_table_of_no_column(self):
        self.change("docs/05_step.md", "= median_us .1f", "= median .1f")
        self.assert_wrong("no column 'median'")

    def test_counts_changed(self):
        self.change("common/simt/tests/rung_counts.txt", '"loads": 1500', '"loads": 3000')
        self.assert_updates("docs/05_step.md", "| `tree` | 3,000 | 9,000 | 2.0 |")

    def test_counts_of_no_run(self):
        self.change("docs/05_step.md", "counts: 05_step --n 65", "counts: 05_step --n 66")
        self.assert_wrong("no run '05_step --n 66'")

    def add(self, text):
        """Text at the end of the page."""
        self.write("docs/05_step.md", self.read("docs/05_step.md") + "\n" + text)

    def test_values(self):
        self.add(VALUES)
        self.assert_updates("docs/05_step.md",
                            "It takes <!--=half-->0.50<!--/--> of `flat`'s <!--=flat-->5.0<!--/--> us, "
                            "<!--=all-->1.25 to 4.50<!--/--> in all,\n"
                            "of <!--=rows-->4<!--/--> rows, <!--=loads-->1,500<!--/--> loads.\n")

    def test_value_changed(self):
        self.add(VALUES)
        self.assertEqual(self.run_docs("--update").returncode, 0)
        self.change("docs/results/times.csv", "tree,1024,2.5", "tree,1024,1")
        self.assert_updates("docs/05_step.md", "It takes <!--=half-->0.20<!--/--> of")

    def test_value_edited_by_hand(self):
        self.add(VALUES)
        self.assertEqual(self.run_docs("--update").returncode, 0)
        self.change("docs/05_step.md", "-->0.50<!--/-->", "-->0.60<!--/-->")
        self.assert_updates("docs/05_step.md", "It takes <!--=half-->0.50<!--/--> of")

    def test_claim(self):
        self.add(VALUES)
        self.change("docs/05_step.md", "claim: half < 0.6", "claim: half < 0.4")
        self.assert_wrong("no longer so: half < 0.4")

    def test_values_that_are_wrong(self):
        for old, new, said in (
                ("half = ", "half: ", "want 'NAME = EXPRESSION : FORMAT'"),
                (" : .2f", " .2f", "want EXPRESSION : FORMAT"),
                ("shape=1K cache=warm] /", "shape=4K cache=warm] /", "no row fits"),
                ("rung=tree shape=1K cache=warm] /", "rung=flat shape=1K] /", "2 rows fit"),
                ("[median_us rung=tree", "[median rung=tree", "no column 'median'"),
                ("[median_us rung=tree", "[median_us rung=bush", "there is no rung 'bush'"),
                ("flat = ", "half = ", "'half' is named twice"),
                ("<!--=flat-->", "<!--=float-->", "no value 'float'"),
                (" / flat ", " / flut ", "no value 'flut'"),
                (" / flat ", " / __import__ ", "no value '__import__'"),
                (" / flat ", " / 0 ", "cannot calculate"),
                ("<!--=rows-->x<!--/-->", "x", "the value 'rows' is not used"),
                ("<!--=rows-->x<!--/-->", "<!--=rows-->x", "do not pair"),
                ("values: times.csv", "values: gone.csv", "docs/results/gone.csv: No such file")):
            with self.subTest(new):
                self.write("docs/05_step.md", PAGE + "\n" + VALUES)
                self.change("docs/05_step.md", old, new)
                self.assert_wrong(said)

    def test_table_of_expressions(self):
        self.add("""<!-- table: times.csv
where: shape=1K cache=warm
cells: KB | rung
line: 2 KB | `flat` = rung=flat
line: 4 KB | `tree` = rung=tree
bytes / rate = @1 * 1000 / [gb_per_s] : .2f
twice = min[median_us] * 2 : .1f
sectors = [times.csv gb_per_s rung=@2 shape=1K cache=warm] / 1000.4 : .1f
why = text
flat: wide
2 KB: narrow
-->
<!-- end table -->
""")
        self.assert_wrong("words for 'flat', which is no line")
        self.change("docs/05_step.md", "flat: wide\n", "")
        self.assert_updates("docs/05_step.md", "| KB | rung | bytes / rate | twice | sectors | why |\n"
                            "|---|---|---:|---:|---:|---|\n"
                            "| 2 KB | `flat` | 4.00 | 10.0 | 0.5 | narrow |\n"
                            "| 4 KB | `tree` | 4.00 | 5.0 | 1.0 |  |\n")

    def test_numbers_typed_by_hand(self):
        for text, said in (("It took 3.5 us.", "3.5 us"), ("At 1,200 GB/s it waits.", "1,200 GB/s"),
                           ("Between 3 and\n4 ms each.", "3 and 4 ms"), ("It is 12% faster.", "12%"),
                           ("It is 2 times as fast.", "2 times"), ("1.5 times.", "1.5 times"),
                           ("A factor of 3.", "factor of 3"),
                           ("A gain of 1.5x here.", "1.5x"), ("| a |\n|---|\n| 2.5 |\n", "2.5"),
                           ("| a |\n|---|\n| 1,024 |\n", "1,024")):
            with self.subTest(text):
                self.write("docs/05_step.md", PAGE + "\n" + text + "\n")
                self.assert_wrong("'%s' looks like a measurement typed by hand" % said)

    def test_numbers_that_are_none(self):
        for text in ("Blocks of 32 x 32, 2^20 elements, 64 KB, CUDA 13.0.", "It runs 3 times.", "`--sweep 3 us`",
                     "A limit of <!--given-->200 us, <!--calc-->1.5 times as much, <!--cited-->64 GB/s.",
                     "```text\n107 us  78.2 GB/s\n```", "<!--calc-->\n| a |\n|---|\n| 2.5 us |\n",
                     "| a |\n|---|\n| 12 |\n"):
            with self.subTest(text):
                self.write("docs/05_step.md", PAGE + "\n" + text + "\n")
                result = self.run_docs("--check")
                self.assertEqual(result.returncode, 0, result.stdout)

    def test_marks(self):
        self.add("It has <!--calc-->three words.\n")
        self.assert_wrong("<!--calc--> stands before nothing that needs it")

    def test_comment_that_begins_a_line(self):
        """It would end the paragraph in Markdown: a word goes before it, or the maintainer is told."""
        self.add("It waits at least\n<!--given-->200 us.\n")
        self.assert_updates("docs/05_step.md", "It waits at\nleast <!--given-->200 us.\n")
        self.add("- <!--given-->200 us.\n")
        self.assert_wrong("a line that begins with a comment")

    def test_links(self):
        self.change("docs/README.md", "[Step]", "[gone](gone.md) [Step]")
        self.assert_wrong("docs/README.md:1: dead link: gone.md")

    def test_anchors(self):
        self.change("docs/05_step.md", "(#the-code-of-tree)", "(#the-code)")
        self.assert_wrong("docs/05_step.md:3: no such heading: #the-code")

    def test_link_in_code_is_none(self):
        self.change("docs/README.md", "[Step]", "```\n[a](b.md)\n```\n[Step]")
        self.assertEqual(self.run_docs("--check").returncode, 0)

    def test_paths(self):
        self.change("docs/05_step.md", "`05_step/main.c`", "`05_step/gone.c`")
        self.assert_wrong("docs/05_step.md:3: no such file: 05_step/gone.c")

    def test_picture(self):
        self.write("docs/pictures/a.svg", "<svg><g></svg>")
        self.change("docs/README.md", "[Step]", "![a](pictures/a.svg) [Step]")
        self.assert_wrong("no well-formed SVG")

    def test_plot(self):
        """The picture is known to be out of date without drawing it; --update says why it cannot draw."""
        self.write("common/scripts/plot_results.py", "import sys\nsys.exit('no matplotlib')\n")
        self.write("docs/pictures/roofline.svg", "<svg xmlns='http://www.w3.org/2000/svg'/>")
        self.change("docs/05_step.md", "# Step\n", "# Step\n\n<!-- plot: roofline times.csv = 0 -->\n"
                    "![roofs](pictures/roofline.svg)\n")
        self.assert_wrong("docs/pictures/roofline.svg is not drawn from these results")
        result = self.run_docs("--update")
        self.assertEqual(result.returncode, 1)
        self.assertIn("cannot draw roofline: no matplotlib", result.stdout)
        self.write("common/scripts/plot_results.py", "import sys\nopen(sys.argv[2] + '/roofline.svg', 'w').write("
                   "'<svg><g/></svg>')\n")
        self.assertEqual(self.run_docs("--update").returncode, 0)
        self.assertEqual(self.read("docs/pictures/roofline.svg"), "<svg><g/></svg>")
        self.assertEqual(self.run_docs("--check").returncode, 0)
        self.change("docs/results/times.csv", "9,50,cold", "8,50,cold")
        self.assert_wrong("docs/pictures/roofline.svg is not drawn from these results")

    def test_rung_without_page(self):
        self.change("05_step/main.c", '.name = "tree"', '.name = "bush"')
        self.assert_wrong("docs/05_step.md:1: `bush`, a rung of 05_step, is not on this page")
        self.assert_wrong("05_step/README.md:1: `bush`, a rung of 05_step, is not on this page")

    def test_page_not_in_index(self):
        self.write("docs/lost.md", "# Lost\n")
        self.assert_wrong("docs/README.md:1: does not link to docs/lost.md")

    def test_result_on_no_page(self):
        self.write("docs/results/lost.csv", "a\n")
        self.assert_wrong("docs/results/lost.csv:1: is on no page")


if __name__ == "__main__":
    unittest.main()
