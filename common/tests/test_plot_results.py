"""Tests of common/scripts/draw/plot_results.py: test_plot_results.py [all], with more pictures, seconds each."""
import argparse
import csv
import functools
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
PLOT = os.path.join(HERE, "..", "scripts", "draw", "plot_results.py")
ROOT = os.path.join(HERE, "..", "..")
RESULTS = os.path.join(ROOT, "docs", "results")
NAMES = ("bandwidth_vs_size", "kernel_comparison", "speedup_comparison", "variance_analysis", "roofline")

spec = importlib.util.spec_from_file_location("plot_results", PLOT)
plot_results = importlib.util.module_from_spec(spec)
spec.loader.exec_module(plot_results)

sys.path.insert(0, os.path.join(HERE, "..", "scripts", "docs"))
import docs  # noqa: E402

HEADER = ",".join(plot_results.HEADER)
ALL = sys.argv[1:] == ["all"]


@functools.lru_cache()
def has_matplotlib():
    return subprocess.run([sys.executable, "-c", "import matplotlib"], stderr=subprocess.DEVNULL,
                          check=False).returncode == 0


def row(step="06_step", rung="tree", shape="1024", backend="cuda", median="2", verdict="pass", gb="4", gflop="1",
        percent="50", reps="9"):
    times = "" if median == "" else "%s,%s,%s,0.1,3" % (median, median, median)
    times = times or ",,,,"
    return ("%s,%s,dot,f32,%s,1,%s,\"GPU, one\",warm,3,%s,%s,%s,%s,%s,1,,0,1,%s" %
            (step, rung, shape, backend, reps, times, gb, gflop, percent, verdict))


class Plot(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def write(self, *lines):
        path = os.path.join(self.folder.name, "r.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        return path

    def plot(self, *arguments, **environment):
        return subprocess.run([sys.executable, "-B", PLOT, *arguments], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, universal_newlines=True, check=False,
                              env=dict(os.environ, **environment))

    def assert_fails(self, status, text, *arguments, **environment):
        result = self.plot(*arguments, **environment)
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(result.stderr.count("\n"), 1, "more than one line: " + result.stderr)
        self.assertNotIn("Traceback", result.stderr)
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.endswith((".png", ".svg"))])

    def assert_drawn(self, result):
        self.assertEqual(result.returncode, 0, result.stderr)
        for name in NAMES:
            png = os.path.join(self.folder.name, name + ".png")
            with open(png, "rb") as file:
                self.assertEqual(file.read(8), b"\x89PNG\r\n\x1a\n")
            self.assertGreater(os.path.getsize(png), 10000)
            root = xml.etree.ElementTree.parse(os.path.join(self.folder.name, name + ".svg")).getroot()
            self.assertTrue(root.tag.endswith("svg"))

    def texts(self, name):
        tree = xml.etree.ElementTree.parse(os.path.join(self.folder.name, name + ".svg"))
        return [element.text for element in tree.iter() if element.tag.endswith("}text")]

    # ---- what cannot be drawn ----

    def test_usage(self):
        self.assertEqual(self.plot().returncode, 2)
        self.assertEqual(self.plot("--no-such-option", "x.csv").returncode, 2)

    def test_no_file(self):
        self.assert_fails(4, "No such file", os.path.join(self.folder.name, "gone.csv"))

    def test_empty(self):
        self.assert_fails(4, "the file is empty", self.write())

    def test_header_only(self):
        self.assert_fails(4, "a header and no rows", self.write(HEADER))

    def test_foreign(self):
        self.assert_fails(4, "not a file of results", self.write("name,value", "a,1"))

    def test_binary(self):
        path = self.write()
        with open(path, "wb") as file:
            file.write(b"\x89PNG\xff\x00\xfe")
        self.assert_fails(4, "not a CSV file", path)

    def test_cut_off(self):
        self.assert_fails(4, ":3: 4 fields where there should be 24", self.write(HEADER, row(), "06,a,dot,f32"))

    def test_not_a_number(self):
        self.assert_fails(4, ":2: median_us is 'x', not a number", self.write(HEADER, row().replace("9,2,2,2,", "9,2,x,2,")))

    def test_simt(self):
        self.assert_fails(4, "has no times", self.write(HEADER, row(backend="simt", median="")))

    def test_all_wrong(self):
        self.assert_fails(4, "no row is verified and timed", self.write(HEADER, row(verdict="fail")))

    def test_not_of_that_kind(self):
        self.assert_fails(4, "--op, --type and --cache", self.write(HEADER, row()), "--op", "max")

    def test_folder_not_writable(self):
        path = self.write(HEADER, row())
        if has_matplotlib():
            self.assert_fails(4, "r.csv", path, "-o", path)

    def test_no_matplotlib(self):
        with tempfile.TemporaryDirectory() as away:
            with open(os.path.join(away, "matplotlib.py"), "w", encoding="utf-8") as file:
                file.write("raise ImportError('No module named matplotlib')\n")
            self.assert_fails(3, "needs matplotlib", self.write(HEADER, row()), PYTHONPATH=away)

    # ---- what can ----

    @unittest.skipUnless(has_matplotlib(), "matplotlib is not installed")
    def test_one_row(self):
        self.assert_drawn(self.plot(self.write(HEADER, row())))

    @unittest.skipUnless(ALL and has_matplotlib(), "for `all`, with matplotlib installed")
    def test_committed(self):
        result = self.plot(os.path.join(RESULTS, "reductions_h200.csv"),
                           os.path.join(RESULTS, "02_cpu_simd_threads_2core.csv"), "-o", self.folder.name,
                           "--op", "dot", "--type", "f32", "--cache", "warm")
        self.assert_drawn(result)
        for rung in ("single_thread", "atomic_block", "sequential", "bulk_copies", "simd_threads"):
            self.assertIn(rung, self.texts("roofline"))
            self.assertIn(rung, self.texts("kernel_comparison"))
        self.assertIn("4,814 GB/s", self.texts("roofline"))

    @unittest.skipUnless(ALL and has_matplotlib(), "for `all`, with matplotlib installed")
    def test_skipped_rows_are_left_out(self):
        self.assert_drawn(self.plot(self.write(HEADER, row(), row(shape="2048"), row(rung="bad", verdict="fail"),
                                               row(rung="absent", median="", verdict="skip"))))
        self.assertNotIn("bad", self.texts("kernel_comparison"))
        self.assertNotIn("absent", self.texts("bandwidth_vs_size"))

    @unittest.skipUnless(ALL and has_matplotlib(), "for `all`, with matplotlib installed")
    def test_one_sample_has_no_scatter(self):
        self.assert_drawn(self.plot(self.write(HEADER, row(), row(shape="2048"), row(rung="once", reps="1"),
                                               row(rung="once", shape="2048", reps="1"))))
        self.assertIn("once", self.texts("bandwidth_vs_size"))
        self.assertNotIn("once", self.texts("variance_analysis"))
        self.assert_drawn(self.plot(self.write(HEADER, row(reps="1"))))

    def test_every_rung_stands_under_its_roof(self):
        """The committed picture has all rungs of all steps in its files. A rung that a reader added, or that is not
        measured yet, may be missing."""
        with open(os.path.join(ROOT, "docs", "pictures", "roofline.svg"), encoding="utf-8") as file:
            words = set(re.findall(r">([^<>]+)</text>", file.read()))
        with open(os.path.join(ROOT, "docs", "roofline.md"), encoding="utf-8") as file:
            files = re.search(r"<!-- plot: roofline (.*) = ", file.read()).group(1)
        measured = set()
        for name in re.findall(r"\S+\.csv", files):
            with open(os.path.join(RESULTS, name), encoding="utf-8", newline="") as file:
                measured.update((row["step"], row["rung"]) for row in csv.DictReader(file) if row["median_us"])
        for step in docs.steps_of(ROOT):
            rungs = [rung for rung in docs.rungs_of(ROOT, step) if (step, rung) in measured]
            self.assertTrue(rungs, step)
            self.assertEqual([rung for rung in rungs if rung not in words], [], step)

    # ---- the arithmetic ----

    def counters(self, *rungs):
        columns = [name for _, names in plot_results.FIGURES for name in names]
        lines = [",".join(plot_results.COUNTERS_BEGIN + columns)]
        lines += ["05_step,%s,dot,f32,1024,%s,%s" % (rung, "1024" if value != "" else "",
                                                     ",".join([str(value)] * len(columns))) for rung, value in rungs]
        return self.write(*lines)

    @unittest.skipUnless(has_matplotlib(), "matplotlib is not installed")
    def test_counters(self):
        """Steps without times also have a picture. A rung that was not counted is not in it."""
        result = self.plot(self.counters(("strided", 4761), ("none", 0), ("cublas", "")))
        self.assertEqual(result.returncode, 0, result.stderr)
        words = self.texts("counters_comparison")
        self.assertIn("strided", words)
        self.assertIn("4,761", words)
        self.assertIn("bank conflicts", words)
        self.assertNotIn("cublas", words)

    def test_bad_counters(self):
        self.assert_fails(4, ":2: not the counters", self.counters(("strided", "many")))
        self.assert_fails(4, ":2: 3 fields", self.write(",".join(plot_results.COUNTERS_BEGIN), "a,b,c"))
        self.assert_fails(4, "a header and no rows", self.counters())

    def test_factors(self):
        self.assertEqual([plot_results.factor_text(factor) for factor in (0.00123, 0.0949, 0.5, 1, 99.4, 250)],
                         ["0.0012x", "0.095x", "0.50x", "1.00x", "99.40x", "250x"])

    def test_sizes(self):
        self.assertEqual(plot_results.size_of("1048576"), 1 << 20)
        self.assertEqual(plot_results.size_of("2048x2048x1024"), 1 << 32)
        self.assertEqual(plot_results.size_of("2x12x130x514:24x3x3:s1p0d1"), 2 * 128 * 512 * 12 * 24 * 9)
        self.assertEqual(plot_results.size_of("1x1x5x5:1x3x3:s2p1d1"), 9 * 9)
        self.assertEqual(plot_results.size_of("1x1x5x5:1x3x3:s2x1p1d1"), 3 * 5 * 9)
        self.assertEqual(plot_results.size_of("nonsense"), 0)

    def test_one_shape_a_size(self):
        """A part of a shape, or a shape of nearly the same size, does not add a second point at the same size."""
        def points(*shapes):
            return [(plot_results.size_of(shape), 1.0, {"shape": shape}) for shape in shapes]

        series = {"slow": points("64x64x64", "32x128x64", "64x4096x1024"), "fast": points("64x64x64", "512x512x1024"),
                  "other": points("64x64x64", "511x513x1024", "512x512x1024")}
        kept = plot_results.one_shape_a_size(series)
        self.assertEqual([point[2]["shape"] for point in kept["slow"]], ["64x64x64", "64x4096x1024"])
        self.assertEqual([point[2]["shape"] for point in kept["fast"]], ["64x64x64", "512x512x1024"])
        self.assertEqual([point[2]["shape"] for point in kept["other"]], ["64x64x64", "512x512x1024"])

    def test_roofs(self):
        """A machine with 100 GB/s and 1000 GFLOP/s: the roofs are computed from shares of the peak."""
        rows = []
        for intensity, share in ((0.25, 0.5), (5.0, 0.9), (100.0, 0.3)):
            roof = min(1000, intensity * 100)
            rows.append({"gflop_per_s": roof * share, "gb_per_s": roof * share / intensity,
                         "percent_of_peak": 100 * share})
        bandwidth, arithmetic = plot_results.roofs_of(rows)
        self.assertAlmostEqual(bandwidth, 100)
        self.assertAlmostEqual(arithmetic, 1000)
        self.assertEqual(plot_results.roofs_of(rows[:2])[1], None)
        for one in rows:
            one["backend"] = "cpu"
        self.assertEqual(plot_results.roofs_of(rows)[1], None)

    def test_matrix_rungs_are_steps_of_their_own(self):
        options = argparse.Namespace(op=None, type=None, cache=None)
        rows = [{"step": "06_step", "rung": "a", "op": op, "type": "f32", "cache": "warm", "verdict": "pass",
                 "median_us": 1.0} for op in ("dot", "dot", "row_sum", "column_sum")]
        self.assertEqual(list(plot_results.choose_rows(rows, options, matrices=True)),
                         ["06_step", "06_step columns", "06_step rows"])
        self.assertEqual(list(plot_results.choose_rows(rows, options)), ["06_step"])

    def test_labels_keep_their_distance(self):
        places = plot_results.spread([1, 1, 1.1, 5], 1)
        self.assertEqual(len(places), 4)
        for low, high in zip(places, places[1:]):
            self.assertGreaterEqual(high - low, 1 - 1e-9)
        self.assertEqual(places[3], 5)

    def test_words(self):
        self.assertEqual(plot_results.short(1 << 20), "1M")
        self.assertEqual(plot_results.short(1000), "1000")
        self.assertEqual(plot_results.time_text(0.5), "500 ns")
        self.assertEqual(plot_results.time_text(25503.46), "25.5 ms")
        self.assertEqual(plot_results.tick_time(1500), "1.5 ms")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
# SPDX-License-Identifier: MIT
