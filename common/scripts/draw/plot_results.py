#!/usr/bin/env python3
"""Draws result rows: plot_results.py [OPTION]... RESULTS.csv...

RESULTS.csv is what a step's --csv or ./run.sh --benchmark writes. Each picture is written as PNG and SVG:

  bandwidth_vs_size     how fast the inputs are read (steps 07 and 08: arithmetic), against the size
  kernel_comparison     median time at one size of each step, with the span from minimum to maximum
  speedup_comparison    how many times as fast as the step's first rung, at the same size
  variance_analysis     standard deviation as a share of the mean (coefficient of variation), against size
  roofline              every rung: arithmetic against operations a byte, under the machine's roofs

Rows that were skipped, are wrong or have no time (all GPU steps on simt) are left out. Files that --counters-csv
writes are drawn, too, without times or beside them:

  counters_comparison   what the rungs of a GPU step do at one size: barriers, requests, sectors, conflicts, atomics

Exit status: 0 drawn, 2 bad usage, 3 matplotlib is missing, 4 a file unreadable, not of this format, without
anything to draw, or not writable. Needs Python 3.7 and matplotlib 3."""
import argparse
import collections
import csv
import math
import os
import re
import sys
import xml.etree.ElementTree

HEADER = ("step,rung,op,type,shape,seed,backend,device,cache,warmups,reps,min_us,median_us,mean_us,std_us,"
          "max_us,gb_per_s,gflop_per_s,percent_of_peak,speedup_first,speedup_library,error,error_bound,"
          "verdict").split(",")
NUMBERS = HEADER[11:21]
COUNTERS_BEGIN = "step,rung,op,type,shape,counted_shape".split(",")
# What is shown of the counters, and how it is computed from their columns.
FIGURES = (("barriers", ("block_barriers",)),
           ("global loads", ("global_load_requests",)),
           ("sectors loaded", ("global_load_sectors",)),
           ("shared requests", ("shared_load_requests", "shared_store_requests", "shared_atomic_requests")),
           ("bank conflicts", ("shared_load_conflicts", "shared_store_conflicts")),
           ("atomics", ("atomics",)),
           ("shuffles", ("shuffles",)))
LIBRARIES = ("openblas", "cublas", "cub", "cudnn")

# Okabe and Ito's colours, which people with any kind of colour vision can tell apart; black is the library's.
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#8C6D00", "#5E4FA2", "#777777")
MARKERS = "osD^vP*Xph<>d"
STYLES = ("-", "--", "-.", ":")

plt = None  # matplotlib.pyplot, once it is known to be there


class Failure(Exception):
    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- rows ----------------------------------------------------------------------------------------


def read_lines(path):
    try:
        with open(path, encoding="utf-8", newline="") as file:
            lines = list(csv.reader(file))
    except OSError as error:
        raise Failure(4, "%s: %s" % (path, error.strerror)) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise Failure(4, "%s: not a CSV file (%s)" % (path, error)) from error
    if not lines:
        raise Failure(4, "%s: the file is empty" % path)
    return lines


def are_counters(lines):
    """Whether --counters-csv has written them."""
    return lines[0][:len(COUNTERS_BEGIN)] == COUNTERS_BEGIN


def read_counters(path, lines):
    """The rows that were counted, with whole numbers."""
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if len(line) != len(lines[0]):
            raise Failure(4, "%s:%d: %d fields where there should be %d" % (path, number, len(line), len(lines[0])))
        row = dict(zip(lines[0], line))
        try:
            for name in lines[0][len(COUNTERS_BEGIN):]:
                row[name] = int(row[name]) if row[name] else None
            if row["counted_shape"]:
                row.update((title, sum(row[column] for column in columns)) for title, columns in FIGURES)
                rows.append(row)
        except (KeyError, TypeError, ValueError) as error:
            raise Failure(4, "%s:%d: not the counters that --counters-csv writes (%s)"
                          % (path, number, error)) from error
    return rows


def read_rows(path, lines):
    """The rows of a file; numbers are floats, or None where the field is empty."""
    if lines[0] != HEADER:
        raise Failure(4, "%s: not a file of results: the first line should be step,rung,op,... as the programs'"
                         " --csv writes it, and is '%.60s'" % (path, ",".join(lines[0])))
    rows = []
    for number, line in enumerate(lines[1:], 2):
        if line == HEADER or not line:
            continue
        if len(line) != len(HEADER):
            raise Failure(4, "%s:%d: %d fields where there should be %d" % (path, number, len(line), len(HEADER)))
        row = dict(zip(HEADER, line))
        for name in NUMBERS:
            try:
                row[name] = float(row[name]) if row[name] else None
            except ValueError as error:
                raise Failure(4, "%s:%d: %s is '%s', not a number" % (path, number, name, row[name])) from error
        rows.append(row)
    return rows


def is_timed(row):
    return row["verdict"] in ("pass", "racy") and row["median_us"] is not None and row["median_us"] > 0


def is_library(rung):
    return rung.split("_")[0] in LIBRARIES


def size_of(shape):
    """Elements; of a matrix product or a convolution, products; of a matrix, elements."""
    try:
        if ":" in shape:  # BxCxHxW:FxRxS:sSpPdD, S one number or two
            images, filters, how = shape.split(":")
            batch, channels, height, width = (int(word) for word in images.split("x"))
            count, rows, columns = (int(word) for word in filters.split("x"))
            stride, rest = how[1:].split("p")
            pad, dilation = (int(word) for word in rest.split("d"))
            strides = [int(word) for word in stride.split("x")]
            out = [(extent + 2 * pad - dilation * (taps - 1) - 1) // step + 1
                   for extent, taps, step in ((height, rows, strides[0]), (width, columns, strides[-1]))]
            return batch * out[0] * out[1] * channels * count * rows * columns
        size = 1
        for word in shape.split("x"):
            size *= int(word)
        return size
    except ValueError:
        return 0


def counts_products(step):
    return step[:2] in ("07", "08")


def short(number):
    """1048576 as 1M."""
    number = int(number)
    for suffix in ("", "K", "M", "G"):
        if number % 1024 or number < 1024:
            return "%d%s" % (number, suffix)
        number //= 1024
    return "%dT" % number


def shape_text(shape):
    return short(shape) if shape.isdigit() else shape


def time_text(microseconds):
    for unit, size in (("s", 1e6), ("ms", 1e3), ("us", 1.0), ("ns", 1e-3)):
        if microseconds >= size or unit == "ns":
            value = microseconds / size
            return "%.*f %s" % (2 if value < 9.995 else 1 if value < 99.95 else 0, value, unit)
    return ""


def factor_text(factor):
    """Two decimals; of a small factor two digits, never 0.00x; of a large one none."""
    if factor >= 99.5:
        return "%.0fx" % factor
    if 0 < factor < 0.095:
        return "%.*fx" % (1 - math.floor(math.log10(factor)), factor)
    return "%.2fx" % factor


def tick_time(microseconds):
    number, unit = time_text(microseconds).split()
    return "%g %s" % (float(number), unit)


def choose_rows(rows, options, matrices=False):
    """One kind of problem for each step, by step: the one asked for, or else the one with most sizes. With matrices,
    the rungs for a matrix's rows and columns, which are others than those for vectors, count as steps of their own."""
    steps = collections.OrderedDict()
    for row in rows:
        if not is_timed(row):
            continue
        if all(wanted is None or row[name] == wanted for name, wanted in
               (("op", options.op), ("type", options.type), ("cache", options.cache))):
            axis = row["op"].partition("_")[0] if matrices else ""
            name = {"row": " rows", "column": " columns"}.get(axis, "")
            steps.setdefault(row["step"] + name, []).append(row)
    chosen = collections.OrderedDict()
    for step in sorted(steps):
        kinds = collections.Counter((row["op"], row["type"], row["cache"]) for row in steps[step])
        # Most rows first; among equals the one that comes first in the file.
        kind = kinds.most_common(1)[0][0]
        chosen[step] = [row for row in steps[step] if (row["op"], row["type"], row["cache"]) == kind]
    return chosen


def first_device_rows(rows):
    """Of a step's rows, those of its own processor: the GPU's where there are any."""
    on_gpu = [row for row in rows if row["backend"] != "cpu"]
    return on_gpu or rows


def rungs_in(rows):
    return list(collections.OrderedDict((row["rung"], None) for row in rows))


def series_of(rows, value):
    """{rung: sorted [(size, value(row), row)]}; where a size was measured again, the last row counts."""
    series = collections.OrderedDict((rung, {}) for rung in rungs_in(rows))
    for row in rows:
        number = value(row)
        if number is not None:
            series[row["rung"]][(size_of(row["shape"]), row["shape"])] = (number, row)
    return collections.OrderedDict(
        (rung, [(size, *points[size, shape]) for size, shape in sorted(points)])
        for rung, points in series.items() if points)


def one_shape_a_size(series):
    """Of each rung's points at sizes that differ by less than 1%, the one with the shape that most rungs have: a
    line through several would go up and down. (Rungs that are slow are measured at a part of the shape asked for.)"""
    rungs = collections.Counter(shape for points in series.values() for shape in {row["shape"] for _, _, row in points})
    thinned = collections.OrderedDict()
    for rung, points in series.items():
        kept = []
        for point in points:
            if not kept or point[0] > 1.01 * kept[-1][0]:
                kept.append(point)
            elif rungs[point[2]["shape"]] > rungs[kept[-1][2]["shape"]]:
                kept[-1] = point
        thinned[rung] = kept
    return thinned


def at_one_size(rows):
    """The last row of each rung at the largest shape that most rungs have, and that shape."""
    shapes = collections.defaultdict(set)
    for row in rows:
        shapes[row["shape"]].add(row["rung"])
    most = max(len(rungs) for rungs in shapes.values())
    shape = max((shape for shape in shapes if len(shapes[shape]) == most), key=size_of)
    return shape, list({row["rung"]: row for row in rows if row["shape"] == shape}.values())


# ---- drawing -------------------------------------------------------------------------------------


def look_of(rungs):
    """A colour, a marker and a line for each rung."""
    looks, at = {}, 0
    for rung in rungs:
        if is_library(rung):
            libraries = [name for name in rungs if is_library(name)]
            looks[rung] = {"color": "black", "marker": "x+1"[libraries.index(rung) % 3],
                           "linestyle": STYLES[libraries.index(rung) % 4], "linewidth": 1.2}
        else:
            looks[rung] = {"color": COLOURS[at % len(COLOURS)], "marker": MARKERS[at % len(MARKERS)],
                           "linestyle": STYLES[at // len(COLOURS) % 4], "linewidth": 1.6}
            at += 1
    return looks


def facets(heights, width, columns=2):
    """A figure with a plot of each height (a line of plots is as high as its highest), and the plots."""
    count = len(heights)
    columns = min(columns, count)
    lines = [max(heights[at:at + columns]) for at in range(0, count, columns)]
    figure, axes = plt.subplots(len(lines), columns, figsize=(width * columns, sum(lines)), squeeze=False,
                                gridspec_kw={"height_ratios": lines})
    axes = [axis for line in axes for axis in line]
    for axis in axes[count:]:
        axis.set_visible(False)
    return figure, axes[:count]


def title_of(step, rows):
    row = rows[0]
    return "%s: %s %s, %s" % (step, row["op"], row["type"], row["cache"])


def device_of(rows):
    return " / ".join(collections.OrderedDict((row["device"].split(";")[0], None) for row in rows))


# A picture keeps its own background, which is dark where the reader's system is.
STYLE = """<style>@media (prefers-color-scheme: dark) {
[style*="fill: #ffffff"] {fill: #0d1117 !important}
text:not([style*="fill: #"]), text[style*="fill: #555555"] {fill: #e6edf3 !important}
[style*="fill: #000000"] {fill: #e6edf3 !important}
[style*="stroke: #000000"] {stroke: #e6edf3 !important}
[style*="stroke: #dddddd"], [style*="stroke: #e4e4e4"], [style*="stroke: #cccccc"] {stroke: #30363d !important}
}</style>
"""


SVG = "http://www.w3.org/2000/svg"
FONT = "font-family: 'DejaVu Sans', Verdana, Arial, sans-serif"


def compact(element):
    """What Matplotlib wraps into a group of its own that changes nothing, it writes without the group."""
    children = []
    for child in element:
        compact(child)
        if child.tag == "{%s}g" % SVG and set(child.attrib) <= {"id"}:
            children += list(child)
        elif child.tag != "{%s}metadata" % SVG:
            children.append(child)
    element[:] = children
    for name, value in element.attrib.items():
        value = " ".join(re.sub(r"font-family: [^;]*", FONT, value).split())
        element.set(name, re.sub(r"\d+\.\d{3,}", lambda number: "%.6g" % round(float(number[0]), 2), value))
    element.tail = "\n"
    if children:
        element.text = "\n"


def finish_svg(path):
    """One element per line, coordinates to a hundredth of a point, and the style for a dark screen."""
    xml.etree.ElementTree.register_namespace("", SVG)
    xml.etree.ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = xml.etree.ElementTree.parse(path).getroot()
    compact(root)
    text = xml.etree.ElementTree.tostring(root, encoding="unicode")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text.replace(">\n", ">\n" + STYLE, 1))


def save(figure, folder, name, note):
    figure.text(0.995, 0.004, note, ha="right", va="bottom", fontsize=7, color="#555555")
    for kind in ("png", "svg"):
        path = os.path.join(folder, "%s.%s" % (name, kind))
        try:
            figure.savefig(path, dpi=130, metadata={"Date": None} if kind == "svg" else None)
            if kind == "svg":
                finish_svg(path)
        except OSError as error:
            raise Failure(4, "%s: %s" % (path, error.strerror)) from error
        print(path)
    plt.close(figure)


def plain_ticks(axis, text=lambda value: "{:,g}".format(value)):
    """Numbers as one writes them on a logarithmic axis ('x' or 'y' of a plot), not powers of ten."""
    low, high = axis.get_view_interval()
    decades = math.log10(high / low)
    steps = (1,) if decades > 4 else (1, 3) if decades > 2.2 else (1, 2, 5) if decades > 0.9 else \
        (1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8) if decades > 0.18 else tuple(1 + at / 20 for at in range(180))
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    ticks = [step * 10.0 ** exponent for exponent in exponents for step in steps]
    ticks = [tick for tick in ticks if low <= tick <= high]
    if len(ticks) > 12:
        ticks = ticks[::len(ticks) // 6]
    axis.set_ticks(ticks)
    axis.set_ticklabels([text(float("%.3g" % tick)) for tick in ticks])
    axis.set_ticks([], minor=True)


def size_axis(axis, step, sizes):
    axis.set_xscale("log", base=2)
    if counts_products(step):
        axis.set_xlabel("products (multiply and add)")
    else:
        axis.set_xlabel("elements of a vector")
        sizes = sorted(set(sizes))
        every = (len(sizes) + 7) // 8
        axis.set_xticks(sizes[::every])
        axis.set_xticklabels([short(size) for size in sizes[::every]])
    axis.minorticks_off()
    if len(set(sizes)) == 1:  # one size: room on both sides
        axis.set_xlim(sizes[0] / 2, sizes[0] * 2)
    axis.grid(True, which="major", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)


def label_lines(axis, series, looks):
    """Each rung's name to the right of the plot, as near to its line's end as the other names allow."""
    low, high = (math.log10(limit) for limit in axis.get_ylim())
    distance = min((high - low) / 17, (high - low) / max(len(series) - 1, 1))
    ends = sorted((points[-1][1], rung) for rung, points in series.items())
    places = spread([math.log10(end) for end, _ in ends], distance)
    up = max(0, low - places[0]) - max(0, places[-1] - high)
    for (end, rung), place in zip(ends, places):
        axis.annotate(rung, (series[rung][-1][0], end), xytext=(1.05, 10 ** (place + up)), fontsize=8, va="center",
                      textcoords=axis.get_yaxis_transform(), color=looks[rung]["color"], annotation_clip=False,
                      arrowprops={"arrowstyle": "-", "linewidth": 0.5, "color": looks[rung]["color"], "shrinkA": 1,
                                  "shrinkB": 2, "relpos": (0, 0.5)})


def plot_lines(steps, folder, name, title, value, label, note):
    figure, axes = facets([3.6] * len(steps), 7.4)
    for axis, (step, rows) in zip(axes, steps.items()):
        looks = look_of(rungs_in(rows))
        series = one_shape_a_size(series_of(rows, lambda row, step=step: value(step, row)))
        axis.set_title(title_of(step, rows), fontsize=10, loc="left")
        shapes = list(collections.OrderedDict((point[2]["shape"], None) for points in series.values()
                                              for point in points))
        if not shapes:
            axis.text(0.5, 0.5, "nothing to show", ha="center", transform=axis.transAxes)
            axis.set_axis_off()
            continue
        if len(shapes) == 1:  # no lines to draw: rungs below each other
            for at, (rung, points) in enumerate(series.items()):
                axis.plot(points[0][1], at, marker=looks[rung]["marker"], color=looks[rung]["color"], markersize=6)
            axis.set_xscale("log")
            axis.margins(x=0.1)
            plain_ticks(axis.xaxis)
            ladder_axis(axis, list(series))
            axis.set_xlabel("%s, at %s only" % (label(step), shape_text(shapes[0])))
            continue
        for rung, points in series.items():
            axis.plot([point[0] for point in points], [point[1] for point in points], markersize=4.5, label=rung,
                      **looks[rung])
        size_axis(axis, step, [point[0] for points in series.values() for point in points])
        axis.set_yscale("log")
        plain_ticks(axis.yaxis)
        axis.set_ylabel(label(step))
        label_lines(axis, series, looks)
    figure.suptitle(title, fontsize=13, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0.015, 1, 0.985), w_pad=2.5)
    save(figure, folder, name, note)


def plot_bandwidth(steps, folder, note):
    def value(step, row):
        return row["gflop_per_s"] if counts_products(step) else row["gb_per_s"]

    plot_lines(steps, folder, "bandwidth_vs_size", "Rate against size", value,
               lambda step: "GFLOP/s" if counts_products(step) else "GB/s", note)


def plot_variance(steps, folder, note):
    def value(_, row):
        if not row["mean_us"] or row["std_us"] is None or int(row["reps"]) < 2:  # one sample does not scatter
            return None
        return max(100 * row["std_us"] / row["mean_us"], 1e-3)  # 0 has no place on a logarithmic axis

    plot_lines(steps, folder, "variance_analysis", "Scatter of the samples: standard deviation, % of the mean",
               value, lambda step: "CV, %", note)


def ladder_axis(axis, rungs):
    """Names from top to bottom in the order of the ladder."""
    axis.set_yticks(range(len(rungs)))
    axis.set_yticklabels(rungs, fontsize=8.5)
    axis.set_ylim(len(rungs) - 0.4, -0.6)
    axis.grid(True, axis="x", which="major", color="#dddddd", linewidth=0.6)
    axis.set_axisbelow(True)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    axis.tick_params(axis="y", length=0)


def ladder_height(rows):
    return 1.1 + 0.25 * len(at_one_size(first_device_rows(rows))[1])


def plot_comparison(steps, folder, note):
    figure, axes = facets([ladder_height(rows) for rows in steps.values()], 6.4)
    for axis, (step, rows) in zip(axes, steps.items()):
        shape, rows = at_one_size(first_device_rows(rows))
        for at, row in enumerate(rows):
            median = row["median_us"]
            spans = [[max(0, median - (row["min_us"] or median))], [max(0, (row["max_us"] or median) - median)]]
            colour = "black" if is_library(row["rung"]) else COLOURS[0]
            axis.errorbar(median, at, xerr=spans, fmt="x" if is_library(row["rung"]) else "o", color=colour,
                          ecolor=COLOURS[3], elinewidth=2, capsize=3, markersize=5)
            axis.annotate(time_text(median), (max(median, row["max_us"] or median), at), xytext=(7, 0),
                          textcoords="offset points", va="center", fontsize=8)
        axis.set_xscale("log")
        low = min(row["min_us"] or row["median_us"] for row in rows)
        high = max(row["max_us"] or row["median_us"] for row in rows)
        axis.set_xlim(low / 1.3, high * (high / low) ** 0.25 * 1.9)
        plain_ticks(axis.xaxis, tick_time)
        ladder_axis(axis, [row["rung"] for row in rows])
        axis.set_xlabel("median, and from minimum to maximum")
        axis.set_title("%s, %s" % (title_of(step, rows), shape_text(shape)), fontsize=10, loc="left")
    figure.suptitle("Time of each rung (x: a library)", fontsize=13, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0.015, 1, 0.985), w_pad=2.5)
    save(figure, folder, "kernel_comparison", note)


def plot_speedup(steps, folder, note):
    figure, axes = facets([ladder_height(rows) for rows in steps.values()], 6.4)
    for axis, (step, rows) in zip(axes, steps.items()):
        shape, rows = at_one_size(first_device_rows(rows))
        rows = [row for row in rows if row["speedup_first"]]
        low = 1.0
        for at, row in enumerate(rows):
            factor = row["speedup_first"]
            library = is_library(row["rung"])
            axis.barh(at, factor - 1, left=1, height=0.62, color="white" if library else
                      COLOURS[0] if factor >= 1 else COLOURS[3], edgecolor="black" if library else "none",
                      hatch="///" if library else None)
            axis.annotate(factor_text(factor), (max(factor, 1), at), xytext=(4, 0), textcoords="offset points",
                          va="center", fontsize=8)
            low = min(low, factor)
        axis.set_xscale("log")
        high = max([row["speedup_first"] for row in rows] + [1.01])
        axis.set_xlim(low / 1.1, high * (high / low) ** 0.16 * 1.1)
        axis.axvline(1, color="black", linewidth=1)
        plain_ticks(axis.xaxis)
        ladder_axis(axis, [row["rung"] for row in rows])
        axis.set_xlabel("times as fast as the step's first rung")
        axis.set_title("%s, %s" % (title_of(step, rows), shape_text(shape)), fontsize=10, loc="left")
    figure.suptitle("Speed-up over each step's first rung (hatched: a library)", fontsize=13, x=0.01, ha="left")
    figure.tight_layout(rect=(0, 0.015, 1, 0.985), w_pad=2.5)
    save(figure, folder, "speedup_comparison", note)


# ---- roofline ------------------------------------------------------------------------------------


def plot_counters(rows, folder):
    """A line of plots for each step, with the counters that are not 0 in all of its rungs."""
    steps = collections.OrderedDict()
    for row in rows:
        steps.setdefault((row["step"], row["op"], row["type"]), collections.OrderedDict()) \
            .setdefault(row["counted_shape"], []).append(row)
    chosen = []
    for step, shapes in steps.items():
        rows = shapes[max(shapes, key=size_of)]
        titles = [title for title, _ in FIGURES if any(row[title] for row in rows)]
        chosen.append((step, rows, titles))
    heights = [1.0 + 0.22 * len(rows) for _, rows, _ in chosen]
    columns = max(len(titles) for _, _, titles in chosen)
    figure, axes = plt.subplots(len(chosen), columns, figsize=(1.6 + 1.9 * columns, sum(heights)), squeeze=False,
                                gridspec_kw={"height_ratios": heights})
    for line, (step, rows, titles) in zip(axes, chosen):
        for axis, title in zip(line, titles):
            most = max(row[title] for row in rows)
            ladder_axis(axis, [row["rung"] for row in rows] if title == titles[0] else [""] * len(rows))
            axis.barh(range(len(rows)), [row[title] for row in rows], height=0.62, color=COLOURS[0])
            for at, row in enumerate(rows):
                axis.annotate("{:,}".format(row[title]), (row[title], at), xytext=(3, 0), textcoords="offset points",
                              va="center", fontsize=7)
            axis.set_xlim(0, 1.5 * most)
            axis.set_xticks([])
            axis.spines["bottom"].set_visible(False)
            axis.set_title(title, fontsize=8.5, loc="left", fontweight="normal")
        for axis in line[len(titles):]:
            axis.set_visible(False)
        line[0].set_title("%s %s %s, %s\n%s" % (*step, shape_text(rows[0]["counted_shape"]), titles[0]), fontsize=8.5,
                          loc="left")
    figure.tight_layout()
    save(figure, folder, "counters_comparison", "counted on the CPU back end")


def roofs_of(rows):
    """(GB/s, GFLOP/s or None): what the rows' percent_of_peak was computed from.

    It is the time that bandwidth and arithmetic allow, the longer of the two, as a share of the median. So
    rate * 100 / percent is the lower of bandwidth and arithmetic roof at the row's operations a byte."""
    bandwidth, arithmetic = 0.0, 0.0
    on_cpu = all(row.get("backend") == "cpu" for row in rows)
    for row in rows:
        if row["percent_of_peak"] and row["gb_per_s"] and row["gflop_per_s"]:
            bandwidth = max(bandwidth, row["gb_per_s"] * 100 / row["percent_of_peak"])
            arithmetic = max(arithmetic, row["gflop_per_s"] * 100 / row["percent_of_peak"])
    limited = [row for row in rows if row["percent_of_peak"] and row["gb_per_s"] and
               row["gb_per_s"] * 100 / row["percent_of_peak"] < 0.97 * bandwidth]
    # A CPU has no known peak of arithmetic; its bandwidth was measured for each size by itself.
    return bandwidth, arithmetic if limited and arithmetic and not on_cpu else None


def spread(wanted, distance):
    """Places near those wanted (ascending), no two closer than distance."""
    groups = []
    for place in wanted:
        groups.append([place, 1])
        while len(groups) > 1:
            (low, low_count), (high, high_count) = groups[-2], groups[-1]
            if low + (low_count - 1) * distance / 2 + distance <= high - (high_count - 1) * distance / 2 + 1e-12:
                break
            count = low_count + high_count
            middle = (low * low_count + high * high_count) / count
            groups[-2:] = [[middle, count]]
    places = []
    for middle, count in groups:
        places += [middle + (at - (count - 1) / 2) * distance for at in range(count)]
    return places


def plot_roofline(steps, folder, note):
    """A plot for each processor, and one for its rungs for matrices; steps stand in columns of labels to the right of
    their points."""
    devices = collections.OrderedDict()
    for step, rows in steps.items():
        for backend in ("cpu", "other"):
            here = [row for row in rows if (row["backend"] == "cpu") == (backend == "cpu") and row["gflop_per_s"]]
            if here:
                shape, at_shape = at_one_size(here)
                # A rung that has not done this problem (a slow one) stands for itself at its own.
                latest = {row["rung"]: row for row in here}
                latest.update((row["rung"], row) for row in at_shape)
                here = [latest[rung] for rung in rungs_in(here)]
                title = here[0]["device"] + ("; rows and columns of a matrix" if " " in step else "")
                devices.setdefault(title, collections.OrderedDict())[step] = (shape, here)
    if not devices:
        return
    heights = [4 + 0.26 * max(len(rows) for _, rows in of_device.values()) for of_device in devices.values()]
    figure, axes = facets(heights, 12, 1)
    for axis, (device, of_device) in zip(axes, devices.items()):
        draw_roofline(axis, device, of_device)
    figure.suptitle("Roofline: every rung under the machine's bandwidth and arithmetic", fontsize=13, x=0.01,
                    ha="left")
    figure.tight_layout(rect=(0, 0.015, 1, 0.985), w_pad=2.5)
    save(figure, folder, "roofline", note)


def draw_roofline(axis, device, steps):
    everything = [row for _, rows in steps.values() for row in rows]
    bandwidth, arithmetic = roofs_of(everything)
    # On a CPU every size has a roof of its own: that of the cache or memory that it lies in.
    slopes = collections.OrderedDict()
    if bandwidth and everything[0]["backend"] == "cpu":
        for step, (shape, rows) in steps.items():
            slope = roofs_of(rows)[0]
            if slope:
                name = "%s at %s" % (step[:2], shape_text(shape))
                alike = next((label for label in slopes if 0.9 < slopes[label] / slope < 1.1), None)
                if alike:  # two lines and labels in one place could not be read
                    slopes[alike + ", " + name] = slopes.pop(alike)
                else:
                    slopes["{:,.0f} GB/s, {}".format(slope, name)] = slope
    elif bandwidth:
        slopes["{:,.0f} GB/s".format(bandwidth)] = bandwidth
    intensities = [row["gflop_per_s"] / row["gb_per_s"] for row in everything]
    rates = [row["gflop_per_s"] for row in everything]
    left = min(intensities) / 3
    # Room for the labels: a column for each step that shares its place with others.
    clusters = collections.OrderedDict()
    for number, (step, (_, rows)) in enumerate(steps.items()):
        place = rows[0]["gflop_per_s"] / rows[0]["gb_per_s"]
        key = next((known for known in clusters if abs(math.log10(known / place)) < 0.6), place)
        clusters.setdefault(key, []).append((number, step, rows))
    # A cluster's place is that of its rightmost point.
    clusters = {max(row["gflop_per_s"] / row["gb_per_s"] for _, _, rows in members for row in rows): members
                for members in clusters.values()}
    column = 0.125 * (math.log10(max(intensities) / left) + 1.5)  # decades
    right = max(math.log10(key) + 0.35 + column * len(members) for key, members in clusters.items())
    right = 10 ** max(right, math.log10(max(intensities)) + 1)
    bottom = math.log10(min(rates)) - 0.4
    top = math.log10(max(rates + [bandwidth * max(intensities)] if not arithmetic else rates + [arithmetic])) + 0.5
    axis.set_xscale("log")
    axis.set_yscale("log")
    axis.set_xlim(left, right)
    axis.set_ylim(10 ** bottom, 10 ** top)

    if bandwidth:
        ridge = arithmetic / bandwidth if arithmetic else right
        xs = [left, min(ridge, right)]
        for label, slope in slopes.items():
            axis.plot(xs, [slope * x for x in xs], color="black", linewidth=1.8)
            axis.annotate(label, (left, slope * left), xytext=(14, 2), va="top", fontsize=10, textcoords="offset points")
        if arithmetic:
            axis.plot([ridge, right], [arithmetic, arithmetic], color="black", linewidth=1.8)
            axis.annotate("{:,.0f} GFLOP/s".format(arithmetic), (ridge, arithmetic), xytext=(14, 5), fontsize=10,
                          textcoords="offset points")
    distance = (top - bottom) / (72 * axis.get_position().height * axis.figure.get_size_inches()[1] / 10.5)
    for key, members in clusters.items():
        for at, (number, step, rows) in enumerate(members):
            colour, marker = COLOURS[number % len(COLOURS)], MARKERS[number % len(MARKERS)]
            rows = sorted(rows, key=lambda row: row["gflop_per_s"])
            places = spread([math.log10(row["gflop_per_s"]) for row in rows], distance)
            bottom, top = min(bottom, places[0] - distance), max(top, places[-1] + distance)
            text_at = 10 ** (math.log10(key) + 0.3 + column * at)
            for row, place in zip(rows, places):
                x, y = row["gflop_per_s"] / row["gb_per_s"], row["gflop_per_s"]
                axis.plot([x, text_at], [y, 10 ** place], color=colour, linewidth=0.4, alpha=0.5)
                axis.plot(x, y, marker=marker, color="black" if is_library(row["rung"]) else colour, markersize=5,
                          linestyle="none", fillstyle="none" if is_library(row["rung"]) else "full")
                axis.annotate(row["rung"], (text_at, 10 ** place), va="center", fontsize=9, color="black",
                              annotation_clip=True, bbox={"boxstyle": "square,pad=0.1", "fc": "white", "ec": "none"})
    axis.set_ylim(10 ** bottom, 10 ** top)
    for number, (step, (shape, rows)) in enumerate(steps.items()):
        axis.plot([], [], marker=MARKERS[number % len(MARKERS)], color=COLOURS[number % len(COLOURS)],
                  linestyle="none", label="%s, %s %s %s" % (step, rows[0]["op"], rows[0]["type"], shape_text(shape)))
    axis.legend(fontsize=9, loc="lower right", frameon=True)
    plain_ticks(axis.xaxis)
    plain_ticks(axis.yaxis)
    axis.grid(True, which="major", color="#e4e4e4", linewidth=0.6)
    axis.set_axisbelow(True)
    axis.set_xlabel("operations for each byte of input and output (FLOP/byte)")
    axis.set_ylabel("GFLOP/s")
    axis.set_title(device, fontsize=10, loc="left")


# ---- main ----------------------------------------------------------------------------------------


def main():
    parser = argparse.ArgumentParser(description="Draws result rows of the steps.", epilog="See the comment at the"
                                     " top of this file for the pictures.")
    parser.add_argument("files", nargs="+", metavar="RESULTS.csv")
    parser.add_argument("-o", "--output", metavar="FOLDER", help="where the pictures go (default: beside the first"
                        " file)")
    parser.add_argument("--op", help="dot, sum, ... (default: what most rows of a step have)")
    parser.add_argument("--type", help="f32, f64, ... (likewise)")
    parser.add_argument("--cache", choices=("warm", "cold"), help="(likewise)")
    options = parser.parse_args()

    rows, counted, has_times = [], [], False
    for path in options.files:
        lines = read_lines(path)
        if are_counters(lines):
            counted += read_counters(path, lines)
        else:
            rows += read_rows(path, lines)
            has_times = True
    if not rows and not counted:
        raise Failure(4, "%s: a header and no rows" % options.files[0])
    timed = [row for row in rows if is_timed(row)]
    if not timed and counted:
        has_times = False
    if has_times:
        check_times(rows, timed, options)
    load_matplotlib()
    folder = options.output or os.path.dirname(options.files[0]) or "."
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Failure(4, "%s: %s" % (folder, error.strerror)) from error
    if counted:
        plot_counters(counted, folder)
    if has_times:
        steps = choose_rows(rows, options)
        note = device_of(timed)
        plot_bandwidth(steps, folder, note)
        plot_comparison(steps, folder, note)
        plot_speedup(steps, folder, note)
        plot_variance(steps, folder, note)
        plot_roofline(choose_rows(rows, options, matrices=True), folder, note)


def check_times(rows, timed, options):
    """There is something to draw."""
    if not timed and all(row["backend"] == "simt" for row in rows):
        raise Failure(4, "%s: all rows are of the CPU back end (simt), which has no times; measure on a GPU, or the"
                         " CPU steps 01 and 02" % options.files[0])
    if not timed:
        raise Failure(4, "%s: no row is verified and timed" % options.files[0])
    if not choose_rows(rows, options):
        raise Failure(4, "%s: no timed row has the --op, --type and --cache asked for" % options.files[0])


def load_matplotlib():
    global plt
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot
        plt = matplotlib.pyplot
    except ImportError as error:
        raise Failure(3, "needs matplotlib (%s); apt-get install python3-matplotlib, or pip install matplotlib"
                      % error) from error
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "rungs", "font.size": 9, "axes.titleweight": "bold"})


if __name__ == "__main__":
    try:
        main()
    except Failure as failure:
        print("plot_results.py: %s" % failure, file=sys.stderr)
        sys.exit(failure.status)
