"""Tests of SIMT_REQUESTS and of common/scripts/draw/draw_traces.py: test_draw_traces.py BIN_DIR"""
import filecmp
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
DRAW = os.path.join(HERE, "..", "scripts", "draw", "draw_traces.py")
PICTURES = os.path.join(HERE, "..", "..", "docs", "pictures")
BIN = None

spec = importlib.util.spec_from_file_location("draw_traces", DRAW)
draw_traces = importlib.util.module_from_spec(spec)
spec.loader.exec_module(draw_traces)


class Requests(unittest.TestCase):
    def run_step(self, path, rung):
        return subprocess.run([os.path.join(BIN, "05_gpu_shared_tree"), "--n", "256", "--rung", rung,
                               "--counters=json"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False,
                              universal_newlines=True, env=dict(os.environ, SIMT_REQUESTS=path))

    def test_as_many_as_are_counted(self):
        """If a launch has one block, the recorded requests are the counted requests."""
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "requests.json")
            counted = self.run_step(path, "strided")
            with open(path, encoding="utf-8") as file:
                requests = json.load(file)
        text = counted.stdout[counted.stdout.index("{\"instrumented\""):]
        kernel = json.JSONDecoder().raw_decode(text)[0]["kernels"][0]
        for space in ("global", "shared"):
            for access in ("load", "store"):
                mine = [request for request in requests if request["space"] == space and request["access"] == access]
                total = kernel["%s_%ss" % (space, access)]
                self.assertEqual(len(mine), total["requests"], (space, access))
                self.assertEqual(sum(len(draw_traces.lanes_of(request)) for request in mine), total["lanes"])
        shared = draw_traces.in_words(draw_traces.of_space(requests, "shared"))
        for access in ("load", "store"):
            self.assertEqual(sum(draw_traces.wavefronts(words, 4) for request, words in shared
                                 if request["access"] == access), kernel["shared_%ss" % access]["wavefronts"])
        self.assertEqual({request["kernel"] for request in requests}, {"strided"})
        self.assertEqual(max(request["barriers"] for request in requests), 9)
        self.assertTrue(any("partial[" in request["source"] for request in requests))

    def test_not_writable(self):
        result = self.run_step("/proc/none/requests.json", "serial")
        self.assertIn("SIMT_REQUESTS: cannot write /proc/none/requests.json", result.stderr)


class Draw(unittest.TestCase):
    def draw(self, *arguments):
        return subprocess.run([sys.executable, "-B", DRAW, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, check=False)

    def test_pictures_are_up_to_date(self):
        result = self.draw("--check", BIN)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_drift(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in draw_traces.PICTURES:
                shutil.copy(os.path.join(PICTURES, name), folder)
            path = os.path.join(folder, "05_banks.svg")
            with open(path, "a", encoding="utf-8") as file:
                file.write("\n")
            os.remove(os.path.join(folder, "05_trees.svg"))
            result = self.draw("--check", BIN, "--pictures", folder)
            self.assertEqual(result.returncode, 1)
            self.assertIn("05_banks.svg: is not what is drawn now", result.stdout)
            self.assertIn("05_trees.svg: is not there", result.stdout)
            self.assertEqual(self.draw("--update", BIN, "--pictures", folder).returncode, 0)
            for name in draw_traces.PICTURES:
                self.assertTrue(filecmp.cmp(os.path.join(PICTURES, name), os.path.join(folder, name), shallow=False), name)

    def test_no_programs(self):
        with tempfile.TemporaryDirectory() as folder:
            result = self.draw("--check", folder)
            self.assertEqual((result.returncode, result.stdout[:9]), (0, "skipped: "))
            os.symlink("/bin/false", os.path.join(folder, "05_gpu_shared_tree"))
            self.assertNotEqual(self.draw("--check", folder).returncode, 0)
        self.assertEqual(self.draw("--check").returncode, 2)

    def test_wavefronts(self):
        self.assertEqual(draw_traces.wavefronts({lane: lane for lane in range(32)}, 4), 1)
        self.assertEqual(draw_traces.wavefronts({lane: 2 * lane for lane in range(32)}, 4), 2)
        self.assertEqual(draw_traces.wavefronts({lane: 32 * lane for lane in range(32)}, 4), 32)
        self.assertEqual(draw_traces.wavefronts({lane: 7 for lane in range(32)}, 4), 1)
        self.assertEqual(draw_traces.wavefronts({lane: 4 * lane for lane in range(32)}, 16), 4)
        self.assertEqual(draw_traces.wavefronts({lane: 8 * lane for lane in range(32)}, 16), 8)

    def test_runs(self):
        self.assertEqual(draw_traces.runs_of({5, 0, 2, 1}), [(0, 3), (5, 1)])


if __name__ == "__main__":
    BIN = sys.argv.pop(1)
    unittest.main()
# SPDX-License-Identifier: MIT
