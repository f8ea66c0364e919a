"""Tests that a reader's own files do not make the checks of pages, layers or formatting fail: test_own_files.py

Copies the repository, adds files that readers might add, and runs the checks there. They must pass in a git
checkout. In an unpacked archive they cannot tell which files are a reader's. They must check all, and say so."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
sys.path.insert(0, os.path.join(ROOT, "common", "scripts", "check"))
import tracked  # noqa: E402

LONG = "/* %s */\n" % ("x" * 120)
OWN = {  # one file of each kind, each with every error that the checks know
    "notes.md": "# Mine\n\n[nowhere](missing.md) and `common/missing.c`\n\n<!-- snippet: none none -->\n",
    "docs/mine.md": "# Mine\n\n[nowhere](missing.md)\n",
    "docs/zh/mine.md": "# Mine\n",
    "docs/programs/mine.cu": LONG,
    "docs/results/mine.csv": "a,b\n",
    "scratch/mine.cu": '#include "missing.h"\n' + LONG,
    "05_gpu_shared_tree/mine.cu": LONG,
    "common/problem/mine/mine.c": '#include "run/step.h"\n' + LONG,
    "09_mine/ladder.c": LONG,
    "cmake-build-debug/CMakeCache.txt": "",
    "cmake-build-debug/CMakeFiles/3.22/CompilerIdC/CMakeCCompilerId.c": LONG,
    "b/CMakeCache.txt": "",
    "b/CMakeFiles/3.22/CompilerIdC/CMakeCCompilerId.c": LONG,
    "b/README.md": "[nowhere](missing.md)\n",
}
CHECKS = [["common/tests/test_layers.py"], ["common/tests/test_source_format.py"],
          ["common/scripts/docs/docs.py", "--check"], ["common/scripts/docs/translated.py", "--check"]]


class OwnFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.outer = os.path.realpath(cls.folder.name)
        cls.root = os.path.join(cls.outer, "rungs")
        cls.ours = tracked.files(ROOT)
        for path in cls.ours:
            os.makedirs(os.path.join(cls.root, os.path.dirname(path)), exist_ok=True)
            shutil.copy2(os.path.join(ROOT, path), os.path.join(cls.root, path))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def tearDown(self):
        for folder in (self.root, self.outer):
            shutil.rmtree(os.path.join(folder, ".git"), ignore_errors=True)
        for path in OWN:
            if os.path.exists(os.path.join(self.root, path)):
                os.remove(os.path.join(self.root, path))

    def git(self, folder, *arguments):
        subprocess.run(["git", "-C", folder, *arguments], check=True, stdout=subprocess.DEVNULL)

    def add_own(self):
        for path, text in OWN.items():
            os.makedirs(os.path.join(self.root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(self.root, path), "w", encoding="utf-8") as file:
                file.write(text)

    def run_check(self, check):
        """The exit status and output of a check. Skips clang-format, which takes long and gets the same files."""
        return subprocess.run([sys.executable, "-B"] + check, cwd=self.root, check=False, universal_newlines=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=dict(os.environ, PATH=self.path()))

    def path(self):
        tools = os.path.join(self.outer, "tools")
        if not os.path.exists(tools):
            os.makedirs(tools)
            os.symlink(shutil.which("git"), os.path.join(tools, "git"))
        return tools

    def test_a_checkout_passes(self):
        self.git(self.root, "init", "--quiet")
        self.git(self.root, "add", "--intent-to-add", "--force", ".")
        self.add_own()
        self.assertEqual(tracked.files(self.root), self.ours)
        self.assertIsNone(tracked.note(self.root))
        for check in CHECKS:
            done = self.run_check(check)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertNotIn("mine", done.stdout)

    def test_what_is_tracked_is_checked(self):
        self.add_own()
        self.git(self.root, "init", "--quiet")
        self.git(self.root, "add", "--intent-to-add", "--force", ".")
        self.assertEqual(self.run_check(CHECKS[3]).returncode, 1)

    def test_an_archive_checks_all_and_says_so(self):
        self.add_own()
        listed = tracked.files(self.root)
        self.assertEqual([path for path in self.ours if path not in listed and not path.startswith(".")], [])
        self.assertEqual([path for path in listed if path.startswith(("b/", "cmake-build-debug/"))], [])
        self.assertIn("scratch/mine.cu", listed)
        for check in CHECKS[:3]:
            done = self.run_check(check)
            self.assertEqual(done.returncode, 1, check)
            self.assertIn("no git checkout here", done.stdout)

    def test_a_folder_of_another_repository_is_no_checkout(self):
        self.git(self.outer, "init", "--quiet")
        self.git(self.outer, "add", "rungs/README.md")
        self.add_own()
        self.assertIn("scratch/mine.cu", tracked.files(self.root))
        self.assertIsNotNone(tracked.note(self.root))


if __name__ == "__main__":
    if shutil.which("git") is None:
        print("skipped: needs git")
        sys.exit(0)
    unittest.main()
# SPDX-License-Identifier: MIT
