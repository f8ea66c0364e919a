"""Tests of common/scripts/docs/translated.py. Each test makes a small repository."""
import contextlib
import io
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts", "docs"))
import translated  # noqa: E402

ENGLISH = """# Step

The 128 threads of `tree` take 1,848.5 us, in sixteen rounds of 20 million. [Top](../README.md),
[sources](../05_step), [more](05_other.md). Time: 30 minutes.

| page | minutes |
|---|---:|
| 256 threads | 40 |

## Run it

```sh
./run.sh    # builds
```

```text
a picture of 99
```

<!-- table: times -->
| rung | us |
|---|---:|
| `tree` | 2.50 |
<!-- end table -->

## End

```cpp
x = 1; /* why */
```
"""

CHINESE = """# 步

`tree` 的 128 个线程用 16 轮，每轮 2000 万次，1848.5 us。[首页](README.md)，[源码](../../05_step)，[更多](../05_other.md)。时间：22 分钟。

| 页 | 分钟 |
|---|---:|
| 256 个线程 | 25 |

## 运行

```sh
./run.sh    # 编译
```

```text
图，共 77
```

<!-- table: times -->
| 梯级 | us |
|---|---:|
| `tree` | 2.50 |
<!-- end table -->

## 结尾

```cpp
x = 1; // 为什么
```
"""

FILES = {
    "README.md": "# Top\n\n[中文](docs/zh/README.md)\n",
    "docs/README.md": "# Documentation\n",
    "docs/05_step.md": ENGLISH,
    "docs/05_other.md": "# Other\n",
    "docs/zh/README.md": "# 首页\n\n[English](../../README.md), [步](05_step.md)\n",
    "docs/zh/05_step.md": CHINESE,
    "docs/zh/translated.txt": "# From which English\n",
    "docs/zh/words.txt": "rung | 梯级\n",
}
PAGES = ("docs/zh/README.md", "docs/zh/05_step.md")


class Translated(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for path, text in FILES.items():
            self.write(path, text)
        self.assertEqual(self.run_it("--record", *PAGES)[0], 0)

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

    def run_it(self, *arguments):
        """(exit status, both outputs)"""
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                status = translated.main([*arguments, "--root", self.folder.name])
            except SystemExit as end:
                status = end.code
        return status, output.getvalue()

    def assert_behind(self, *lines):
        """translated.py must report exactly these lines, and must not fail."""
        status, output = self.run_it("--check")
        self.assertEqual(status, 0, output)
        last = ["translated.py: 4 translated sections"]
        if lines:
            last.append("skipped: the translation is behind in %d places" % len(lines))
        self.assertEqual(output.splitlines(), list(lines) + last)

    def assert_wrong(self, said):
        status, output = self.run_it("--check")
        self.assertEqual(status, 1, output)
        self.assertIn(said, output)
        self.assertNotIn("skipped: ", output)

    def test_right(self):
        self.assert_behind()

    def test_record(self):
        lines = self.read("docs/zh/translated.txt").splitlines()
        self.assertEqual(lines[0], "# From which English")
        self.assertEqual([line.rpartition(" ")[0] for line in lines[1:]], [
            "docs/zh/05_step.md#步 docs/05_step.md#step",
            "docs/zh/05_step.md#运行 docs/05_step.md#run-it",
            "docs/zh/05_step.md#结尾 docs/05_step.md#end",
            "docs/zh/README.md#首页 README.md#top"])

    def test_english_changed(self):
        self.change("docs/05_step.md", "a picture of 99", "a picture of 98")
        self.assert_behind("docs/zh/05_step.md: section 运行 (Run it): the English has changed "
                           "since it was translated")
        self.assertEqual(self.run_it("--record", "docs/zh/05_step.md")[0], 0)
        self.assert_behind()

    def test_english_reflowed_or_measured_anew(self):
        self.change("docs/05_step.md", "us, in sixteen", "us,\nin  sixteen")
        self.change("docs/05_step.md", "2.50", "2.40")
        self.assert_behind()

    def test_english_added(self):
        self.write("docs/05_step.md", ENGLISH + "\n## New\n")
        self.assert_behind("docs/zh/05_step.md: lacks the section New of docs/05_step.md")

    def test_english_removed(self):
        self.write("docs/05_step.md", ENGLISH.partition("## End")[0].rstrip() + "\n")
        self.assert_behind("docs/zh/05_step.md: section 结尾: the English has no section "
                           "docs/05_step.md#end any more")

    def test_word_of_no_table(self):
        self.change("docs/05_step.md", "| rung |", "| variant |")
        self.assert_behind("docs/zh/words.txt: no table has 'rung' any more")

    def test_messages(self):
        """Reports messages that are no longer in a source, and texts of a check without a translation."""
        self.write("docs/zh/messages.txt", "# a\n%d of %s | %2 的 %1\nmore | 更多\nall | 全部\n")
        self.write("05_step/exercise/05a/check.c", """{"all", GRADE_RESULT, f}, {"none", GRADE_QUALITY, f},
            grade_fail(grade, 0, "more", "%lu "
                       "of %s", 1, ""); grade_fail(grade, 0, NULL, "%.1f%% too many");""")
        self.assert_behind("docs/zh/messages.txt: lacks '%f% too many'", "docs/zh/messages.txt: lacks 'none'")
        self.change("05_step/exercise/05a/check.c", '"more"', "NULL")
        self.assert_behind("docs/zh/messages.txt: no source says 'more' any more",
                           "docs/zh/messages.txt: lacks '%f% too many'", "docs/zh/messages.txt: lacks 'none'")

    def test_behind_is_not_compared(self):
        """A change of the English is reported once, and not also as a mistake of the translation."""
        self.change("docs/05_step.md", "128", "256")
        self.assert_behind("docs/zh/05_step.md: section 步 (Step): the English has changed since it "
                           "was translated")

    def test_translation_differs(self):
        for old, new, said in (
                ("128", "182", "lacks numbers of the English: 128"),
                ("1848.5", "1,848.50", "numbers that the English lacks: 1848.50"),
                ("256 个", "255 个", "lacks numbers of the English: 256"),
                ("16 轮", "17 轮", "numbers that the English lacks: 17"),
                ("`tree` 的", "`three` 的", "lacks `names` of the English: tree"),
                ("`tree` 的", "`three` `tree` 的", "`names` that the English lacks: three"),
                ("](../05_other.md)", "](README.md)", "lacks links of the English: docs/05_other.md"),
                ("./run.sh ", "./run ", "section 运行 (Run it): other commands or code"),
                ("x = 1;", "x = 2;", "section 结尾 (End): other commands or code"),
                ("table: times", "table: time", "other comments of docs.py than in the English: <!--")):
            with self.subTest(new):
                self.write("docs/zh/05_step.md", CHINESE)
                self.change("docs/zh/05_step.md", old, new)
                self.assert_wrong(said)

    def test_records_are_wrong(self):
        records = self.read("docs/zh/translated.txt")
        end = records.splitlines()[3]
        for old, new, said in (
                (end, "", "docs/zh/05_step.md: section 结尾: docs/zh/translated.txt has no line"),
                (end, end + "\n" + end, "docs/zh/translated.txt:5: a second line of docs/zh/05_step"),
                (end, end + "1g", "docs/zh/translated.txt:4: expected PAGE#SECTION"),
                (end, end + "\nx y z z", "docs/zh/translated.txt:5: expected PAGE#SECTION"),
                ("#结尾", "#结束", "docs/zh/translated.txt: there is no section docs/zh/05_step.md#结束")):
            with self.subTest(said):
                self.write("docs/zh/translated.txt", records)
                self.change("docs/zh/translated.txt", old, new)
                self.assert_wrong(said)

    def test_section_of_its_own(self):
        self.write("docs/zh/05_step.md", CHINESE + "\n## 译注\n\n`names` 2024\n")
        self.assert_wrong("section 译注: docs/zh/translated.txt has no line for it")
        status, output = self.run_it("--record", "docs/zh/05_step.md")
        self.assertEqual(status, 1)
        self.assertIn("4 sections, and 3 in docs/05_step.md: write its lines by hand", output)
        self.write("docs/zh/translated.txt",
                   self.read("docs/zh/translated.txt") + "docs/zh/05_step.md#译注 -\n")
        self.assertEqual(self.run_it("--check")[0], 0)
        self.assertEqual(self.run_it("--record", "docs/zh/05_step.md")[0], 0)
        self.assertIn("docs/zh/05_step.md#译注 -\n", self.read("docs/zh/translated.txt"))

    def test_link_to_english(self):
        self.change("docs/zh/05_step.md", "](README.md)", "](../../README.md)")
        self.assert_wrong("docs/zh/05_step.md: links to README.md, and there is docs/zh/README.md")
        self.write("docs/zh/05_step.md", CHINESE)
        self.change("docs/zh/05_step.md", "](README.md)", "](../README.md)")
        self.assert_wrong("docs/zh/05_step.md: links to docs/README.md, and there is docs/zh/README.md")
        self.write("docs/zh/05_step.md", CHINESE)
        self.write("docs/05_step.md", ENGLISH + "![a](a.svg)\n")
        self.write("docs/zh/05_step.md", CHINESE + "![a](../a.svg)\n")
        self.assertEqual(self.run_it("--record", "docs/zh/05_step.md")[0], 0)
        self.assertEqual(self.run_it("--check")[0], 0)
        self.write("docs/a.zh.svg", "")
        self.assert_wrong("docs/zh/05_step.md: shows docs/a.svg, and there is docs/a.zh.svg")
        self.change("docs/zh/05_step.md", "a.svg", "a.zh.svg")
        self.assertEqual(self.run_it("--check")[0], 0)
        self.write("docs/zh/05_other.md", "# 其他\n")
        self.assert_wrong("links to docs/05_other.md, and there is docs/zh/05_other.md")

    @unittest.skipUnless(shutil.which("git"), "needs git")
    def test_diff(self):
        """Changes over several commits, and a hash that is in no commit."""
        def git(*arguments):
            subprocess.run(["git", "-C", self.folder.name, "-c", "user.name=a", "-c",
                            "user.email=a@example.org", *arguments], check=True,
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        git("init")
        for number in ("99", "98", "97"):
            self.write("docs/05_step.md", ENGLISH.replace("of 99", "of " + number))
            git("add", ".")
            git("commit", "-m", number)
        status, output = self.run_it("--diff")
        self.assertEqual(status, 0)
        self.assertEqual(output.splitlines()[0], "== docs/zh/05_step.md#运行")
        self.assertIn("\n-a picture of 99\n+a picture of 97\n", output)
        self.assertEqual(output.count("=="), 1)
        self.change("docs/zh/translated.txt", "#end ", "#end 0")
        self.assertIn("== docs/zh/05_step.md#结尾\nno commit has the English",
                      self.run_it("--diff")[1])

    def test_usage(self):
        self.assertEqual(self.run_it()[0], 2)
        status, output = self.run_it("--record", "docs/05_step.md", "docs/zh/gone.md")
        self.assertEqual(status, 1)
        self.assertIn("docs/05_step.md: expected a page of an edition", output)
        self.assertIn("docs/zh/gone.md: no page of docs/zh", output)

    def test_unreadable(self):
        with open(os.path.join(self.folder.name, "docs/zh/translated.txt"), "wb") as file:
            file.write(b"\xff")
        result = subprocess.run([sys.executable, translated.__file__, "--check", "--root",
                                 self.folder.name], stderr=subprocess.PIPE, check=False)
        self.assertEqual(result.returncode, 4)


if __name__ == "__main__":
    unittest.main()
# SPDX-License-Identifier: MIT
