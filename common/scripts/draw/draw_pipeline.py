"""How TMA copies, mbarriers and wgmma work together: a picture of step 07's rung producers in bfloat16. It is drawn
from the steps in the rung's page of the explorer (docs/explorer.md). draw_traces.py draws it."""
import json
import os
import re
import subprocess
import tempfile

from svg import BLUE, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, RED, SKY, Failure, Svg

COLLECTIVE, MBARRIER, BULK, BULK_END, BARRIER = 7, 10, 11, 13, 5  # common/simt/explore/explore.h
ARRIVE, WAIT = 2, 5  # common/simt/observe/watcher.h
RUNG, SHAPE, STAGES = "producers", "--type bf16 --m 128 --n 128 --k 384", 4
GROUPS = ((0, "warpgroup 0"), (4, "warpgroup 1"))  # the first warp of each stands for all four


def read_block(bin_dir):
    """The first block of the rung's launch, and the names of operations."""
    with tempfile.TemporaryDirectory() as folder:
        page = os.path.join(folder, "page.html")
        command = [os.path.join(bin_dir, "07_gemm"), *SHAPE.split(), "--rung", RUNG, "--explore", page]
        try:
            result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, check=False)
        except OSError as problem:
            raise Failure(3, str(problem)) from None
        if result.returncode != 0 or not os.path.exists(page):
            raise Failure(3, "%s: exit status %d: %s" % (" ".join(command), result.returncode, result.stderr.strip()))
        with open(page, encoding="utf-8") as file:
            text = re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read(), re.S).group(1)
    data = json.loads(text)
    return data["launches"][0]["blocks"][0], data["operations"]


class Time:
    """The column of each step, computed as in page/time.js, but for these steps only: then the picture does not depend
    on the compiler. A warp continues after the step it waits for. Between barriers, nothing else orders the warps."""

    def __init__(self, block, operations):
        warps = (block["threads"] + 31) // 32
        self.next, self.waits = [0] * warps, [None] * warps
        self.over, self.arrivals = {}, {}  # by mbarrier and phase: the column of its end; of its arrivals
        self.fills, self.copies = [], {}  # [(stage, column, last column)]; by number: [stage, from, to]
        self.products = {warp: [] for warp, _ in GROUPS}  # [[from, to]]
        self.open = {warp: None for warp, _ in GROUPS}
        self.frees = []  # [(warp, stage, column)]
        self.names = [memory[4] for memory in block["memory"]]
        for step in block["steps"]:
            operation = operations[step[4]] if step[0] == COLLECTIVE else ""
            if step[0] == BARRIER:
                self.next = [max(self.next) + 1] * warps
            elif step[0] == BULK_END:
                self.end_copy(step)
            elif step[0] in (MBARRIER, BULK) or operation.startswith("wgmma"):
                self.take(step, operation)

    def mbarrier(self, step, at):
        return self.names[step[at]], step[at + 1] // 8

    def end_copy(self, step):
        column = max(self.next)
        self.copies[step[4]][2] = column
        if step[6] > step[5]:
            self.over[self.mbarrier(step, 9) + (step[5],)] = column

    def take(self, step, operation):
        warp = step[1]
        what = None
        if step[0] == MBARRIER and step[8] == WAIT:
            what = self.mbarrier(step, 5) + (step[13],)
            if what == self.waits[warp] and what not in self.over:
                return  # the warp tests again
        self.next[warp] = max(self.next[warp], self.over.get(self.waits[warp], -1) + 1)
        if what and what == self.waits[warp]:
            self.waits[warp] = None
            return
        self.waits[warp] = what if what and step[13] >= step[9] else None
        column = self.next[warp]
        self.next[warp] += 1
        if step[0] == MBARRIER and step[8] == ARRIVE:
            self.arrive(step, warp, column)
        elif step[0] == BULK:
            stage = self.mbarrier(step, 10)[1]
            self.copies[step[4]] = [stage, column, None]
            if self.fills and self.fills[-1][0] == stage and self.fills[-1][2] == column - 1:
                self.fills[-1] = (stage, self.fills[-1][1], column)
            else:
                self.fills.append((stage, column, column))
        elif warp in self.products:
            self.multiply(step, operation, warp, column)

    def arrive(self, step, warp, column):
        name, stage = self.mbarrier(step, 5)
        key = (name, stage, step[9])
        self.arrivals[key] = max(self.arrivals.get(key, 0), column)
        if step[10] > step[9]:
            self.over[key] = self.arrivals[key]
        if name == "free" and warp in self.products:
            self.frees.append((warp, stage, column))

    def multiply(self, step, operation, warp, column):
        if operation == "wgmma.mma_async" and self.open[warp] is None:
            self.open[warp] = column
        elif operation == "wgmma.commit_group" and self.open[warp] is not None:
            self.products[warp].append([self.open[warp], None])
            self.open[warp] = None
        elif operation == "wgmma.wait_group":
            under_way = [group for group in self.products[warp] if group[1] is None]
            for group in under_way[:len(under_way) - step[7]]:
                group[1] = column


CELL, LEFT, HIGH = 8, 104, 22


def draw_pipeline(bin_dir):
    """The warps that fill and read each stage, and the mbarrier phases they wait for. Time runs from left to right."""
    time = Time(*read_block(bin_dir))
    first = min(column for _, column, _ in time.fills) - 1
    last = max(group[1] for groups in time.products.values() for group in groups) + 2
    svg = Svg("A ring of four stages: TMA copies, mbarriers and MMAs")
    x = lambda column: LEFT + CELL * (column - first)  # noqa: E731
    tops = {"producer": 26}
    for stage in range(STAGES):
        tops[stage] = 78 + stage * (HIGH + 6)
    for i, (warp, _) in enumerate(GROUPS):
        tops[("group", warp)] = 78 + STAGES * (HIGH + 6) + 26 + i * (2 * HIGH + 2)
    names = [(tops["producer"], "producer"), *((tops[stage], "stage %d" % stage) for stage in range(STAGES)),
             *((tops[("group", warp)] + HIGH // 2, name) for warp, name in GROUPS)]
    for top, name in names:
        svg.text(LEFT - 10, top + 15, name, 12, "end", weight="bold")
    for stage in range(STAGES):
        svg.box(LEFT, tops[stage], x(last) - LEFT, HIGH, EMPTY)
    bottom = tops[("group", GROUPS[-1][0])] + 2 * HIGH
    for i, (stage, begin, end) in enumerate(time.fills):
        made = max(copy[2] for copy in time.copies.values() if copy[0] == stage and begin <= copy[1] <= end)
        read = [time.products[warp][i] for warp, _ in GROUPS]
        from_, until = min(group[0] for group in read), max(group[1] for group in read)
        freed = [(warp, column) for warp, of, column in time.frees if of == stage and column >= until][:len(GROUPS)]
        svg.box(x(begin), tops["producer"], x(end + 1) - x(begin), HIGH, ORANGE)
        svg.on(ORANGE, (x(begin) + x(end + 1)) // 2, tops["producer"] + 15, i, 12)
        svg.box(x(begin), tops[stage], x(made + 1) - x(begin), HIGH, ORANGE)
        svg.on(ORANGE, (x(begin) + x(made + 1)) // 2, tops[stage] + 15, "TMA writes %d" % i if made - begin > 9 else i, 11)
        svg.box(x(made + 1), tops[stage], x(from_) - x(made + 1), HIGH, SKY)
        svg.box(x(from_), tops[stage], x(until + 1) - x(from_), HIGH, GREEN)
        svg.on(GREEN, (x(from_) + x(until + 1)) // 2, tops[stage] + 15, "wgmma reads %d" % i if until - from_ > 11 else i, 11)
        for warp, _ in GROUPS:
            group = time.products[warp][i]
            top = tops[("group", warp)] + i % 2 * HIGH
            svg.box(x(group[0]), top, x(group[1] + 1) - x(group[0]), HIGH - 2, GREEN)
            svg.on(GREEN, (x(group[0]) + x(group[1] + 1)) // 2, top + 14, i, 12)
        svg.arrow(x(made + 1), tops[stage] + HIGH, x(made + 1), tops[("group", 0)] - 2, BLUE, 1.5)
        svg.text(x(made + 1) + 3, tops[("group", 0)] - 8, "full[%d]" % stage, 10, "start", BLUE)
        if freed and freed[-1][1] < last:
            at = x(max(column for _, column in freed) + 1) - CELL // 2
            svg.line(at, bottom, at, tops[stage] + HIGH, RED, 1.5, "4 3")
            goes_on = any(begun > until for of, begun, _ in time.fills if of == stage)
            svg.arrow(at, tops[stage], at, tops["producer"] + HIGH + (2 if goes_on else 22), RED, 1.5)
            svg.text(at + 4, tops["producer"] + HIGH + 14, "free[%d]" % stage, 10, "start", RED)
    svg.line(LEFT, bottom + 14, x(last), bottom + 14, GRID)
    svg.text(x(last), bottom + 28, "time", 11, "end", FAINT)
    y = bottom + 34
    for colour, text in ((ORANGE, "tiles of a k-step (its number) are requested; the TMA writes them"), (SKY, "the tiles are there, not yet read"),
                         (GREEN, "a group of MMAs is in flight"), (EMPTY, "the stage is free")):
        svg.box(LEFT, y, 12, 12, colour)
        svg.text(LEFT + 18, y + 10, text, 11)
        y += 18
    svg.arrow(LEFT + 400, bottom + 34, LEFT + 400, bottom + 50, BLUE, 1.5)
    svg.text(LEFT + 410, bottom + 46, "the last bytes have arrived: full[...] ends its phase, both groups go on", 11)
    svg.line(LEFT + 400, bottom + 68, LEFT + 400, bottom + 56, RED, 1.5, "4 3")
    svg.text(LEFT + 410, bottom + 66, "the last of 8 warps arrives: free[...] ends its phase, the producer goes on", 11)
    svg.text(10, 14, "Step 07, bfloat16, producers: one block multiplies 128 x 128 x 384, six steps of 64", 13, "start", INK, "bold")
    return svg.render()
# SPDX-License-Identifier: MIT
