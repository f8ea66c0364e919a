#!/usr/bin/env python3
"""Draws notions: draw_notions.py --check | --update [--pictures FOLDER]

The pictures follow from rules (which thread a lane is, where a shuffle moves a value, when a warp can issue) or from
rows of docs/results. --update writes docs/pictures/*.svg; --check compares. draw_traces.py draws what
kernels do.

Exit status: 0 no picture differs, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import csv
import math
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, COLOURS, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, PAPER, RED, SKY, Svg, draw_main, in_chinese)  # noqa: E402

from draw_overlap import draw_overlap  # noqa: E402

ROOT = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", ".."))
WARP = 32
# An H200, as reported by its driver and by NVIDIA's Hopper Tuning Guide.
MULTIPROCESSORS, PEAK = 132, 4814  # GB/s


def rows_of(name):
    with open(os.path.join(ROOT, "docs", "results", name), encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


# ---- from grid to lane ---------------------------------------------------------------------------


def draw_grid():
    """A grid of 3 x 2 blocks, a block of 16 x 4 threads, and the block's two warps."""
    svg = Svg("From the grid to the lanes of a warp")
    svg.text(10, 22, "grid: 3 x 2 blocks", 14, weight="bold")
    svg.text(10, 40, "kernel<<<dim3(3, 2), dim3(16, 4)>>>(...)", 12, colour=FAINT)
    for y in range(2):
        for x in range(3):
            mine = (x, y) == (1, 1)
            svg.box(10 + 112 * x, 54 + 62 * y, 104, 54, SKY if mine else EMPTY, GRID)
            svg.on(SKY if mine else EMPTY, 62 + 112 * x, 77 + 62 * y, "block", 12)
            svg.on(SKY if mine else EMPTY, 62 + 112 * x, 95 + 62 * y, "(%d, %d)" % (x, y), 12)
    svg.text(360, 77, "Blocks run in any order, on any SM that has room.", 13)

    left, top, cell = 10, 252, 40
    svg.text(left, top - 40, "block (1, 1): 16 x 4 threads, x runs first", 14, weight="bold")
    for at, text in ((0, "thread = threadIdx.x + 16 * threadIdx.y"), (300, "warp = thread / 32"),
                     (470, "lane = thread % 32")):
        svg.text(left + at, top - 20, text, 13, colour=FAINT)
    svg.line(122, 170, left, top - 56, FAINT)
    svg.line(226, 170, left + 16 * cell, top - 56, FAINT)
    for x in range(16):
        svg.text(left + cell * x + cell // 2, top - 4, "x %d" % x, 11, "middle", FAINT)
    for y in range(4):
        svg.text(left + 16 * cell + 6, top + cell * y + 25, "y %d" % y, 11, colour=FAINT)
        for x in range(16):
            thread = x + 16 * y
            colour = (BLUE, ORANGE)[thread // WARP]
            svg.box(left + cell * x, top + cell * y, cell, cell, colour, PAPER)
            svg.on(colour, left + cell * x + cell // 2, top + cell * y + 25, thread % WARP, 13)
    y = top + 4 * cell + 14
    for warp, colour in enumerate((BLUE, ORANGE)):
        svg.box(left + 230 * warp, y, 12, 12, colour)
        svg.text(left + 230 * warp + 18, y + 11, "warp %d: the number is the lane" % warp, 12)
    svg.text(left, y + 36, "The 32 lanes of a warp share one instruction stream. A row of 16 threads is half a warp. If y", 12)
    svg.text(left, y + 52, "counts the rows of a matrix, this warp reads two rows, with 16 neighbours in each.", 12)
    return svg.render()


# ---- memory --------------------------------------------------------------------------------------


def cycles(level):
    return next(float(row["value"]) for row in rows_of("elsewhere.csv")
                if row["source"] == "dewing" and row["version"] == level)


def draw_memory():
    """An SM and the memories beyond it, with sizes and latencies."""
    svg = Svg("SM and memory hierarchy of a Hopper GPU")
    left, wide = 10, 560
    svg.text(left, 22, "one of 132 SMs (H200)", 14, weight="bold")
    svg.box(left, 32, wide, 212, EMPTY, GRID)
    for part in range(4):
        x = left + 10 + 136 * part
        svg.box(x, 42, 130, 124, PAPER, GRID)
        svg.text(x + 65, 60, "warp scheduler", 12, "middle", weight="bold")
        svg.text(x + 65, 76, "up to 16 warps;", 12, "middle")
        svg.text(x + 65, 90, "issues 1 per cycle", 12, "middle")
        svg.box(x + 6, 98, 118, 22, SKY)
        svg.on(SKY, x + 65, 113, "16,384 registers", 12)
        svg.box(x + 6, 124, 118, 16, ORANGE)
        svg.on(ORANGE, x + 65, 136, "32 float lanes", 12)
        svg.box(x + 6, 143, 118, 16, "#CC79A7")
        svg.on("#CC79A7", x + 65, 155, "1 tensor core", 12)
    svg.box(left + 10, 176, 264, 58, GREEN)
    svg.on(GREEN, left + 142, 200, "shared memory, up to 228 KB", 13, "bold")
    svg.on(GREEN, left + 142, 219, "a block's own, for its threads", 12)
    svg.box(left + 282, 176, 268, 58, GREEN)
    svg.on(GREEN, left + 416, 200, "L1 cache, the rest of 256 KB", 13, "bold")
    svg.on(GREEN, left + 416, 219, "%.0f cycles" % cycles("L1"), 12)
    svg.arrow(left + wide // 2, 244, left + wide // 2, 266)
    svg.box(left, 268, wide, 42, BLUE)
    svg.on(BLUE, left + wide // 2, 287, "L2 cache, 60 MB, for all SMs", 13, "bold")
    svg.on(BLUE, left + wide // 2, 303, "%.0f cycles" % cycles("L2"), 12)
    svg.arrow(left + wide // 2, 310, left + wide // 2, 332)
    svg.box(left, 334, wide, 42, RED)
    svg.on(RED, left + wide // 2, 353, "global memory, 141 GB; at most 4,814 GB/s", 13, "bold")
    svg.on(RED, left + wide // 2, 369, "%.0f cycles, more when it is busy" % cycles("memory"), 12)
    svg.arrow(left + wide // 2, 376, left + wide // 2, 398)
    svg.box(left, 400, wide, 30, EMPTY, GRID)
    svg.text(left + wide // 2, 419, "the host's memory, behind PCIe: cudaMemcpy", 13, "middle")

    x, y = left + wide + 24, 60
    svg.text(x, 22, "latency of a load, to scale", 14, weight="bold")
    scale = 0.28
    for name, level, colour in (("L1 cache", "L1", GREEN), ("L2 cache", "L2", BLUE), ("global memory", "memory", RED)):
        svg.text(x, y, name, 13)
        svg.box(x, y + 6, scale * cycles(level), 22, colour)
        svg.text(x + scale * cycles(level) + 6, y + 22, "%.0f cycles" % cycles(level), 12)
        y += 48
    svg.text(x, y, "an addition of floats", 13)
    svg.box(x, y + 6, max(2, scale * 4), 22, ORANGE)
    svg.text(x + 10, y + 22, "4 cycles", 12)
    y += 62
    for line in ("While one warp waits for memory,", "others of the same scheduler issue.", "Each thread keeps its registers until",
                 "its block ends, so changing from one", "warp to another costs nothing."):
        svg.text(x, y, line, 13)
        y += 17
    return svg.render()


# ---- the warp scheduler --------------------------------------------------------------------------


LOAD, ADDITION, ADDITIONS, ROUNDS = 20, 4, 2, 3


def schedule(warps):
    """[(cycle, warp, name)]: what one scheduler issues in each cycle. A warp's program repeats ROUNDS times a load and
    ADDITIONS that depend on the load and on each other. In each cycle the ready warp that has waited longest issues."""
    ready, program, issued = [0] * warps, [0] * warps, []
    cycle = 0
    while min(program) < ROUNDS * (1 + ADDITIONS):
        able = [warp for warp in range(warps) if program[warp] < ROUNDS * (1 + ADDITIONS) and ready[warp] <= cycle]
        if able:
            warp = min(able, key=lambda one: (ready[one], one))
            is_load = program[warp] % (1 + ADDITIONS) == 0
            issued.append((cycle, warp, "load" if is_load else "add"))
            ready[warp] = cycle + (LOAD if is_load else ADDITION)
            program[warp] += 1
        cycle += 1
    return issued


def draw_issue():
    svg = Svg("What a warp scheduler issues, with one, four and eight warps")
    left, cell, y = 72, 7, 22
    longest = max(schedule(warps)[-1][0] for warps in (1, 4, 8)) + 1
    for warps in (1, 4, 8):
        issued = schedule(warps)
        total = issued[-1][0] + 1
        svg.text(10, y, "%d warp%s: %d instructions in %d cycles, %.0f%% of the issue slots" % (
            warps, "s" if warps > 1 else "", len(issued), total, 100 * len(issued) / total), 13, weight="bold")
        y += 8
        for warp in range(warps):
            svg.text(left - 8, y + 9, "warp %d" % warp, 11, "end", FAINT)
            svg.box(left, y, cell * longest, 10, EMPTY)
            mine = [(cycle, name) for cycle, of, name in issued if of == warp]
            for at, (cycle, name) in enumerate(mine):
                waits = LOAD if name == "load" else ADDITION
                end = mine[at + 1][0] if at + 1 < len(mine) else cycle + 1
                svg.box(left + cell * (cycle + 1), y + 4, cell * (min(cycle + waits, end) - cycle - 1), 3,
                        RED if name == "load" else ORANGE)
                svg.box(left + cell * cycle, y, cell - 1, 10, BLUE if name == "load" else GREEN)
            y += 12
        svg.text(left - 8, y + 11, "issued", 11, "end", weight="bold")
        svg.box(left, y + 2, cell * longest, 10, PAPER, GRID)
        for cycle, _, name in issued:
            svg.box(left + cell * cycle, y + 2, cell - 1, 10, BLUE if name == "load" else GREEN)
        y += 36
    x = left
    for colour, text, wide in ((BLUE, "issues a load", 120), (RED, "waits for it (long scoreboard)", 230),
                               (GREEN, "issues an addition", 150), (ORANGE, "waits for its result (wait)", 190)):
        svg.box(x, y - 10, 12, 12, colour)
        svg.text(x + 17, y, text, 12)
        x += wide
    svg.text(left, y + 20, "A model: a load takes %d cycles, an addition %d. A real load takes %.0f to %.0f; a scheduler"
             " has up to 16 warps." % (LOAD, ADDITION, cycles("L1"), cycles("memory")), 11, colour=FAINT)
    return svg.render()


# ---- Little's law --------------------------------------------------------------------------------


# Kilobytes in flight per SM, by the loads of one iteration in the source (docs/06_gpu_warp_shuffle.md).
IN_FLIGHT = ((4, "shuffle", "sum", "f32"), (5, "shuffle", "dot", "mixed"), (8, "shuffle", "dot", "f32"),
             (16, "vectorized", "sum", "f32"), (16, "shuffle", "dot", "f64"), (20, "vectorized", "dot", "mixed"),
             (32, "vectorized", "dot", "f32"), (64, "in_flight", "sum", "f32"), (80, "in_flight", "dot", "mixed"),
             (128, "in_flight", "dot", "f32"))


def draw_little():
    rate = {(row["rung"], row["op"], row["type"]): float(row["gb_per_s"]) for row in rows_of("reductions_h200.csv")
            if row["step"].startswith("06") and row["shape"] == str(1 << 28) and row["cache"] == "warm"}
    points = [(kilobytes, rate[rung, op, kind], "%s, %s %s" % (rung, op, kind)) for kilobytes, rung, op, kind in IN_FLIGHT]
    latency = points[0][0] * 1024 * MULTIPROCESSORS / points[0][1]  # ns, at the point with the least memory traffic
    svg = Svg("Little's law: bytes in flight and bandwidth on an H200")
    left, top, wide, high = 70, 40, 620, 300
    low, most = 2, 256

    def x_of(kilobytes):
        return left + wide * math.log2(kilobytes / low) / math.log2(most / low)

    def y_of(gb):
        return top + high - high * gb / 5500

    svg.text(10, 20, "GB/s reached, against KB in flight per SM (H200, 132 SMs, n = 2^28)", 13, weight="bold")
    for gb in range(0, 4001, 1000):
        svg.line(left, y_of(gb), left + wide, y_of(gb), GRID)
        svg.text(left - 6, y_of(gb) + 4, "{:,}".format(gb), 11, "end", FAINT)
    kilobytes = low
    while kilobytes <= most:
        svg.line(x_of(kilobytes), top + high, x_of(kilobytes), top + high + 5, INK)
        svg.text(x_of(kilobytes), top + high + 18, "%d KB" % kilobytes, 11, "middle", FAINT)
        kilobytes *= 2
    svg.line(left, y_of(PEAK), left + wide, y_of(PEAK), RED, 2)
    svg.text(left + wide, y_of(PEAK) - 6, "the memory's peak, {:,} GB/s".format(PEAK), 11, "end", RED)
    law = [2 * 2 ** (step / 10) for step in range(70)]
    law = [(x_of(kb), y_of(kb * 1024 * MULTIPROCESSORS / latency)) for kb in law
           if kb * 1024 * MULTIPROCESSORS / latency <= PEAK]
    svg.polyline(law, BLUE, 2)
    svg.text(x_of(9.3), y_of(3700), "the law, if a load", 11, "end")
    svg.text(x_of(9.3), y_of(3700) + 14, "always took %.0f ns" % latency, 11, "end")
    for kb, gb, name in points:
        svg.dot(x_of(kb), y_of(gb), 5, ORANGE)
    for kb, gb, name in points:
        if name in ("shuffle, sum f32", "shuffle, dot mixed", "shuffle, dot f32", "vectorized, sum f32"):
            svg.text(x_of(kb) + 10, y_of(gb) + 16, name, 11)
        elif name in ("vectorized, dot f32", "in_flight, dot f32"):
            svg.text(x_of(kb) - 5, y_of(gb) + 17, name, 11)
    svg.text(left, top + high + 40, "Each point is a rung of step 06 on one problem; two have 16 KB. Beyond about 16 KB, requests"
             " queue up: the memory is busy.", 11, colour=FAINT)
    return svg.render()


# ---- step 06 -------------------------------------------------------------------------------------


def draw_shuffle():
    """The lanes whose values each lane holds after each shuffle of a tree. Shows 16 lanes instead of 32."""
    svg = Svg("A tree of shuffles: what each lane holds")
    lanes, left, cell, y = 16, 110, 44, 26
    held = [{lane} for lane in range(lanes)]
    svg.text(10, y - 6, "16 lanes instead of 32: how many lanes' values each one holds", 13, weight="bold")
    y += 14
    for lane in range(lanes):
        svg.text(left + cell * lane + cell // 2, y, "lane %d" % lane, 9, "middle", FAINT)
    y += 6
    offset = lanes
    while True:
        svg.text(left - 10, y + 19, "at first" if offset == lanes else "offset %d" % offset, 11, "end", FAINT)
        for lane in range(lanes):
            # A value is useful if lane 0 has it or adds it later, which holds for lanes below the distance.
            useful = lane < offset
            colour = BLUE if lane == 0 else SKY if useful else EMPTY
            svg.box(left + cell * lane, y, cell - 4, 28, colour, GRID)
            svg.on(colour, left + cell * lane + (cell - 4) // 2, y + 19, len(held[lane]), 12)
        if offset == 1:
            break
        offset //= 2
        for lane in range(offset):
            svg.arrow(left + cell * (lane + offset) + cell // 2 - 2, y + 29, left + cell * lane + cell // 2 + 4, y + 59,
                      ORANGE if lane else RED, 1.4)
        # A lane whose source would be past the last lane gets its own value back.
        held = [held[lane] | (held[lane + offset] if lane + offset < lanes else set()) for lane in range(lanes)]
        y += 60
    svg.text(left, y + 50, "Arrows: the values that are used. Every lane executes every shuffle and every addition; what the"
             " grey ones get does not matter.", 11)
    assert held[0] == set(range(lanes))
    return svg.render()


def draw_ticket():
    """Blocks end in any order. The block that draws the last ticket adds the partial sums in block order."""
    svg = Svg("One launch: the block that draws the last ticket finishes")
    left, scale, y = 90, 5.2, 40
    ends = (64, 52, 81, 47, 96, 70)  # an example order, in which block 4 is last
    order = sorted(range(len(ends)), key=lambda block: ends[block])
    svg.text(10, 20, "six blocks, which end in any order", 13, weight="bold")
    for block, end in enumerate(ends):
        ticket = order.index(block)
        svg.text(left - 8, y + 16, "block %d" % block, 12, "end")
        svg.box(left, y, scale * end, 22, BLUE)
        svg.on(BLUE, left + scale * end / 2, y + 15, "sums its share", 11)
        svg.box(left + scale * end + 2, y, 46, 22, ORANGE)
        svg.on(ORANGE, left + scale * end + 25, y + 15, "store", 11)
        svg.box(left + scale * end + 50, y, 62, 22, GREEN)
        svg.on(GREEN, left + scale * end + 81, y + 15, "ticket %d" % ticket, 11)
        if ticket == len(ends) - 1:
            svg.box(left + scale * end + 114, y, 196, 22, RED)
            svg.on(RED, left + scale * end + 212, y + 15, "adds results 0, 1, 2, 3, 4, 5", 11)
        else:
            svg.text(left + scale * end + 120, y + 16, "returns", 11, colour=FAINT)
        y += 30
    svg.text(left, y + 14, "A fence between store and ticket: the block that draws ticket 5 sees all six results. Another block may be last"
             " in the", 11)
    svg.text(left, y + 30, "next run; it adds the same numbers in the same order, so the result has the same bits.", 11)
    return svg.render()


# ---- README --------------------------------------------------------------------------------------


CLIMB = (("03_gpu_single_thread", "single_thread", "one thread"),
         ("03_gpu_single_thread", "loads_in_flight", "one thread, 16 loads at a time"),
         ("04_gpu_atomic", "atomic_element", "256 threads, an atomic for each element"),
         ("04_gpu_atomic", "one_block", "an atomic for each thread"),
         ("04_gpu_atomic", "atomic_thread", "the whole GPU"),
         ("04_gpu_atomic", "atomic_block", "an atomic for each block"),
         ("05_gpu_shared_tree", "sequential", "a tree in shared memory"),
         ("05_gpu_shared_tree", "first_add", "two loads at a time"),
         ("05_gpu_shared_tree", "vectorized", "loads of 16 bytes"),
         ("06_gpu_warp_shuffle", "in_flight", "shuffles, four loads at a time"),
         ("06_gpu_warp_shuffle", "bulk_copies", "copies by TMA"),
         ("06_gpu_warp_shuffle", "cub", "CUB, NVIDIA's library"))


def draw_climb():
    """The dot product of 2^26 floats, rung by rung: GB/s on a logarithmic scale."""
    best = {}
    for row in rows_of("benchmark_h200.csv"):
        if (row["op"], row["type"], row["cache"], row["backend"]) == ("dot", "f32", "warm", "cuda") and row["gb_per_s"]:
            key, size = (row["step"], row["rung"]), int(row["shape"])
            if size <= 1 << 26 and size >= best.get(key, (0, 0))[0]:
                best[key] = (size, float(row["gb_per_s"]))
    svg = Svg("Steps 03 to 06: how fast a dot product is on an H200, rung by rung")
    left, wide, high, y = 310, 400, 19, 46

    def x_of(gb):
        return left + wide * (math.log10(gb) + 1) / 4.8

    svg.text(10, 20, "A dot product of floats on an H200: GB/s, on a logarithmic scale", 13, weight="bold")
    bottom = y + len(CLIMB) * (high + 5) + 4
    for power in range(-1, 4):
        svg.line(x_of(10.0 ** power), y - 6, x_of(10.0 ** power), bottom, GRID)
        svg.text(x_of(10.0 ** power), y - 10, "{:,g}".format(10.0 ** power), 10, "middle", FAINT)
    for step, rung, idea in CLIMB:
        size, rate = best[step, rung]
        svg.text(10, y + 14, step[:2] if rung != "cub" else "", 12, colour=FAINT)
        svg.text(left - 8, y + 14, idea, 12, "end")
        svg.box(left, y, x_of(rate) - left, high, FAINT if rung == "cub" else COLOURS[int(step[:2]) - 3])
        svg.text(left + wide + 60, y + 14, "{:,.0f}".format(rate) if rate >= 100 else "%.2g" % rate, 12, "end")
        if size < 1 << 26:
            svg.text(left + wide + 70, y + 14, "(2^%d elements)" % (size.bit_length() - 1), 11, colour=FAINT)
        y += high + 5
    svg.line(x_of(PEAK), 40, x_of(PEAK), bottom, RED, 2, "5 4")
    svg.text(x_of(PEAK), bottom + 13, "the memory's peak, {:,}".format(PEAK), 11, "middle", RED)
    svg.text(10, bottom + 13, "2^26 elements; step numbers on the left", 11, colour=FAINT)
    return svg.render()


# ---- inside the CPU back end ---------------------------------------------------------------------


def station(path, name):
    """Draws a source of the CPU back end and a name in it. Fails if the source does not have the name."""
    with open(os.path.join(ROOT, "common", "simt", path), encoding="utf-8") as file:
        if not re.search(r"\b%s\b" % re.escape(name), file.read()):
            raise ValueError("common/simt/%s has no %s" % (path, name))
    return path, name


def draw_access():
    """The path of one store of 32 lanes, from the hook to the counter and the check."""
    svg = Svg("The life of one access, from the hook to the counter and the check")
    left, wide, high = 10, 400, 44

    def place(x, y, path, name, colour, note, width=wide):
        path, name = station(path, name)
        svg.box(x, y, width, high, colour)
        svg.on(colour, x + width // 2, y + 18, name, 13, "bold")
        svg.on(colour, x + width // 2, y + 35, path, 11)
        for i, line in enumerate(note):
            svg.text(x + width + 12, y + 14 + 15 * i, line, 11)

    svg.text(left, 20, "partial[tid] = mine;", 14, weight="bold")
    svg.text(left + 170, 20, "in a kernel that was compiled with hooks, as each lane comes to it", 12, colour=FAINT)
    place(left, 32, "machine/hooks.c", "record", ORANGE,
          ["the compiler has put a call before the store;", "it appends an event: depth of calls, place, store,",
           "4 bytes, address"])
    svg.arrow(left + wide // 2, 76, left + wide // 2, 96)
    station("observe/recorder.h", "simt_traces")
    svg.box(left, 98, wide, 74, EMPTY, GRID)
    for lane in range(WARP):
        for row in range(4):
            filled = (lane < 20 and row < 4) or (20 <= lane and row < 3)
            svg.box(left + 8 + 12 * lane, 106 + 10 * row, 10, 8, (SKY if row != 2 else RED) if filled else PAPER)
    svg.text(left + wide // 2, 163, "observe/recorder.h: a trace for each lane", 11, "middle")
    for i, line in enumerate(("a column is a lane; the store is red.", "One lane runs at a time, up to a barrier, a",
                              "collective, its end, or a full trace")):
        svg.text(left + wide + 12, 118 + 15 * i, line, 11)
    svg.arrow(left + wide // 2, 172, left + wide // 2, 192)
    place(left, 194, "machine/turns.c", "simt_find_ready_warp", ORANGE,
          ["no lane of the warp can go on: the traces are", "drained, through the one observer that the",
           "machine knows (observe/observer.h)"])
    svg.arrow(left + wide // 2, 238, left + wide // 2, 258)
    place(left, 260, "count/replay.c", "simt_replay", GREEN,
          ["goes through the 32 traces together: which lanes", "do the same next? A plan that was kept tells",
           "(model/plans.c), or the flow of control does"])
    station("model/plans.c", "simt_plan_find")
    station("model/lanes.c", "simt_lanes_first")
    svg.arrow(left + wide // 2, 304, left + wide // 2, 324)
    place(left, 326, "count/step.c", "simt_step", GREEN,
          ["32 lanes, one store: one request. Where do its", "addresses lie? In shared memory (model/spaces.c)"])
    station("model/spaces.c", "simt_range_of")
    half, right = 340, left + 400
    svg.arrow(left + 120, 370, left + 120, 396)
    svg.arrow(left + 300, 370, right + 120, 396)
    svg.text(left, 390, "count", 12, weight="bold")
    svg.text(right + half, 390, "check", 12, "end", weight="bold")
    place(left, 398, "count/wavefronts.c", "simt_count_access", BLUE, [], half)
    place(right, 398, "check/check.c", "simt_check_access", RED, [], half)
    svg.arrow(left + half // 2, 442, left + half // 2, 462)
    svg.arrow(right + half // 2, 442, right + half // 2, 462)
    place(left, 464, "model/sites.c", "simt_site", BLUE, [], half)
    place(right, 464, "check/races.h", "simt_visit_store", RED, [], half)
    for i, line in enumerate(("the counters of this place in the program:", "requests, lanes, wavefronts, conflicts")):
        svg.text(left, 524 + 15 * i, line, 11)
    for i, line in enumerate(("what the word's shadow remembers (check/shadow.h);",
                              "is that ordered before this (check/causality.c)?")):
        svg.text(right, 524 + 15 * i, line, 11)
    station("check/shadow.h", "simt_cell")
    station("check/causality.h", "simt_may_race")
    svg.line(left, 554, right + half, 554, FAINT, 1, "4 4")
    svg.text(left, 572, "the launch ends", 12, weight="bold")
    place(left, 580, "count/listing.c", "simt_listing_add", BLUE, [], half)
    place(right, 580, "check/findings.c", "simt_tell_findings", RED, [], half)
    for i, line in enumerate(("added up by kernel and line;", "SIMT_COUNTERS prints them when the program ends")):
        svg.text(left, 640 + 15 * i, line, 11)
    for i, line in enumerate(("told in words (check/wording.c), with lines of", "source (program/source.c); the program ends")):
        svg.text(right, 640 + 15 * i, line, 11)
    return svg.render()


def draw_several_gpus():
    """The picture of several GPUs, computed from the time of the top rung on one GPU."""
    found = [row for row in rows_of("07_tensor_h200.csv") if row["rung"] == "any_shape" and row["type"] == "bf16"
             and row["shape"] == "8192x8192x8192" and row["cache"] == "warm"]
    return draw_overlap(float(found[0]["median_us"]))


PICTURES = {
    "simt_access.svg": draw_access,
    "grid_to_lane.svg": draw_grid,
    "grid_to_lane.zh.svg": in_chinese(draw_grid),
    "memory_hierarchy.svg": draw_memory,
    "memory_hierarchy.zh.svg": in_chinese(draw_memory),
    "issue_timeline.svg": draw_issue,
    "issue_timeline.zh.svg": in_chinese(draw_issue),
    "littles_law.svg": draw_little,
    "littles_law.zh.svg": in_chinese(draw_little),
    "06_shuffle_tree.svg": draw_shuffle,
    "06_shuffle_tree.zh.svg": in_chinese(draw_shuffle),
    "06_ticket.svg": draw_ticket,
    "06_ticket.zh.svg": in_chinese(draw_ticket),
    "climb.svg": draw_climb,
    "climb.zh.svg": in_chinese(draw_climb),
    "07_overlap.svg": draw_several_gpus,
    "07_overlap.zh.svg": in_chinese(draw_several_gpus),
}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws notions and measurements.", PICTURES))
# SPDX-License-Identifier: MIT
