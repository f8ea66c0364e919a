#!/usr/bin/env python3
"""Draws step 07's shapes of C in float32: draw_gemm_shapes.py --check | --update [--pictures FOLDER]

The pictures follow from rules and from the kernels' constants, as those of draw_gemm.py do. They show stream_k's equal
shares of the k-steps, slices of a small tile, data that L2 keeps, edges, and small tiles. --update writes
docs/pictures/07_*.svg; --check compares.

Exit status: 0 no picture differs, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, COLOURS, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, PAPER, RED, SKY, Svg, constants_in,  # noqa: E402
                 draw_main, in_chinese)


# ---- stream-K ------------------------------------------------------------------------------------

TILES, STEPS, PROCESSORS = 8, 6, 5


def shares_of(block):
    """[(tile, first step, steps)] of a block's equal share, from its end to its beginning."""
    units = TILES * STEPS
    begin, end = units * block // PROCESSORS, units * (block + 1) // PROCESSORS
    shares = []
    while begin < end:
        tile = (end - 1) // STEPS
        start = max(begin, tile * STEPS)
        shares.append((tile, start % STEPS, end - start))
        end = start
    return shares


def draw_stream_k():
    """Two waves of whole tiles, compared with equal shares."""
    cell, height, top = 30, 26, 66
    svg = Svg("Whole tiles in waves, and equal shares of their steps along k")
    for turn, name in enumerate(("one block per tile", "stream_k")):
        left = 150 + turn * 440
        svg.text(left, 22, name, 13, weight="bold")
        svg.text(left, 40, "%d tiles of %d k-steps on %d SMs" % (TILES, STEPS, PROCESSORS), 11, colour=FAINT)
        longest = 0
        for block in range(PROCESSORS):
            y = top + block * (height + 8)
            work = [(tile, 0, STEPS) for tile in range(block, TILES, PROCESSORS)] if turn == 0 else shares_of(block)
            svg.text(left - 10, y + 18, block, 12, "end", FAINT)
            at = 0
            for tile, first, steps in work:
                colour = COLOURS[tile % len(COLOURS)]
                for step in range(steps):
                    svg.box(left + cell * (at + step), y, cell, height, colour, PAPER)
                    svg.on(colour, left + cell * (at + step) + cell // 2, y + 18, "%d.%d" % (tile, first + step), 11)
                at += steps
            longest = max(longest, at)
        svg.line(left + cell * longest, top - 8, left + cell * longest, top + PROCESSORS * (height + 8), INK, 1, "4 3")
        svg.text(left + cell * longest, top + PROCESSORS * (height + 8) + 14, "%d steps" % longest, 12, "middle", weight="bold")
    y = top + PROCESSORS * (height + 8) + 42
    svg.text(20, y, "tile.step. A block does its share from the end: first the head of a tile whose tail the next block has, and "
             "leaves those sums in memory;", 12)
    svg.text(20, y + 16, "last the tail of a tile whose head the block before has left there.", 12)
    svg.text(20, top + 18, "multiprocessor", 11, colour=FAINT)
    return svg.render()


# ---- slices --------------------------------------------------------------------------------------


def draw_slices():
    """Eight warps in tiles of three sizes, and the 32 k-steps of a stage."""
    unit, top, left = 56, 60, 20
    svg = Svg("Eight warps in tiles of three sizes")
    for down, across, width in ((2, 4, 64), (2, 2, 48), (1, 4, 32)):
        slices = 8 // (down * across)
        wide = unit * width // 64
        svg.text(left, 22, "%d x %d" % (64 * down, width * across), 13, weight="bold")
        svg.text(left, 40, "%d slice%s" % (slices, "s" if slices > 1 else ""), 11, colour=FAINT)
        for y in range(down):
            for x in range(across):
                place = y * across + x
                colour = COLOURS[place % len(COLOURS)]
                svg.box(left + wide * x, top + unit * y, wide, unit, colour, PAPER)
                for part in range(slices):
                    svg.on(colour, left + wide * x + wide // 2, top + unit * y + unit // 2 + 5 + 11 * part
                           - 11 * (slices - 1) // 2, part * down * across + place, 11)
        depth = 152
        y = top + 2 * unit + 34
        svg.text(left, y - 8, "a stage's 32 values of p", 11, colour=FAINT)
        for part in range(slices):
            x = left + depth * part // slices
            svg.box(x, y, depth // slices, 22, EMPTY, GRID)
            first = part * down * across
            svg.text(x + depth // slices // 2, y + 15, "%d-%d" % (first, first + down * across - 1), 11, "middle")
        left += max(wide * across, depth) + 50
    svg.text(20, top + 2 * unit + 80, "Each number names a warp. Warps in one place have the same elements and different values of p. "
             "In the end they exchange sums.", 12)
    return svg.render()


# ---- what L2 keeps -------------------------------------------------------------------------------


def draw_kept():
    """Two products with the same B of 4096 x 4096, on a GPU with 50 MB of L2: the hits in L2 with plan.c's hints."""
    whole, l2, per_cent = 64, 50, 45  # MB, MB, percent of L2 (floats_to_keep)
    kept = l2 * per_cent / 100
    scale, top, wide, left = 4, 66, 120, 30
    svg = Svg("What two products with the same B find in L2, without hints and with them")
    for name, note, hinted in (("without hints", "each line is evicted before its turn comes again", False),
                               ("with hints", "what passes evicts what passed, and the first part stays", True)):
        svg.text(left - 10, 20, name, 13, weight="bold")
        svg.text(left - 10, 38, note, 11, colour=FAINT)
        for launch in range(2):
            x, found = left + (wide + 40) * launch, int(scale * kept) if hinted and launch else 0
            svg.text(x, top - 8, "launch %d" % (launch + 1), 11)
            if found:
                svg.box(x, top, wide, found, GREEN)
                svg.on(GREEN, x + wide // 2, top + found // 2 + 4, "%.1f MB from L2" % kept, 11)
            svg.box(x, top + found, wide, scale * whole - found, ORANGE)
            svg.on(ORANGE, x + wide // 2, top + (found + scale * whole) // 2 + 4,
                   "%.4g MB from memory" % (whole - (kept if found else 0)), 11)
        left += 2 * (wide + 40) + 40
    svg.text(20, top + scale * whole + 28, "A bar is B, %d MB, read from top to bottom, with %d MB of L2. A product with another B "
             "would find nothing, with hints or without." % (whole, l2), 12)
    return svg.render()


# ---- beyond the last whole tile ------------------------------------------------------------------


def draw_edges():
    """C of 4097 x 4097 in tiles of 128 x 256, and whole tiles with few_rows and few_columns."""
    down, across = constants_in("07_gemm/float32/parts/ring.cuh", "typedef Tile")[:2]
    rows, columns, side = 64 * down, 64 * across, 4097
    high, wide, top, thin = 7, 14, 52, 4
    whole_down, whole_across = side // rows, side // columns
    svg = Svg("C of 4097 x 4097: tiles for all of it, and whole tiles with a row and a column left over")
    left = 20
    tiles_down, tiles_across = whole_down + 1, whole_across + 1
    svg.text(left, 20, "tiles for all of C, %d x %d" % (side, side), 13, weight="bold")
    svg.text(left, 38, "%d x %d = %d tiles, %d of them for one row or column" % (
        tiles_down, tiles_across, tiles_down * tiles_across, tiles_down + tiles_across - 1), 11, colour=FAINT)
    for y in range(tiles_down):
        for x in range(tiles_across):
            svg.box(left + wide * x, top + high * y, wide, high, RED if y == whole_down or x == whole_across else SKY,
                    PAPER)
    left += 380
    svg.text(left, 20, "edges", 13, weight="bold")
    svg.text(left, 38, "%d x %d = %d tiles" % (whole_down, whole_across, whole_down * whole_across), 11, colour=FAINT)
    for y in range(whole_down):
        for x in range(whole_across):
            svg.box(left + wide * x, top + high * y, wide, high, SKY, PAPER)
    bottom, end = top + high * whole_down, left + wide * whole_across
    svg.box(left, bottom + 3, wide * whole_across + 3 + thin, thin, BLUE)
    svg.box(end + 3, top, thin, high * whole_down, ORANGE)
    svg.text(end + 16, top + 12, "few_columns: the last column,", 11)
    svg.text(end + 16, top + 26, "except for its last row", 11)
    svg.text(end + 16, bottom + 8, "few_rows: the last row", 11)
    svg.text(20, bottom + 36, "Red: a tile that has one row or one column of C, and as many products as any other.", 12)
    return svg.render()


# ---- small products ------------------------------------------------------------------------------


def draw_small_tiles():
    """256 x 256 x 256 in plan.c's tiles: 64 x 128 with k in 8 parts, and 16 x 32."""
    side, top = 256, 66
    small, chunk = constants_in("07_gemm/any_shape/float32/small_tiles.cu", "Small", "DEPTH_")
    down, across, warps, rows, _, _ = small
    rows, columns = down * rows * 4, across * 32
    svg = Svg("C of 256 x 256: 64 blocks of the ring's kernel, and 128 of small_tiles")
    left = 20
    for name, high, wide, parts, sharing, each, stage, note in (
            ("tiles of 64 x 128", 64, 128, 8, 2, 16, 32, "a ring; then a kernel that adds up the parts"),
            ("tiles of %d x %d" % (rows, columns), rows, columns, 1, warps, chunk, warps * chunk, "one ring per warp")):
        tiles = side // high * (side // wide)
        svg.text(left, 20, "%s, %d x %d x %d" % (name, side, side, side), 13, weight="bold")
        svg.text(left, 38, "%d tiles of %d x %d, %s %d blocks" % (
            tiles, high, wide, "%d parts of k each:" % parts if parts > 1 else "k undivided:", tiles * parts), 11,
            colour=FAINT)
        svg.text(left, 54, note, 11, colour=FAINT)
        for y in range(side // high):
            for x in range(side // wide):
                svg.box(left + wide * x, top + high * y, wide, high, SKY if y + x == 0 else EMPTY, GRID)
        right = left + side + 24
        svg.text(right, top + 12, "a block's k", 11, colour=FAINT)
        begin = top + 22
        for first in range(0, side // parts, stage):
            for warp in range(sharing):
                svg.box(right, begin + first + warp * each, 56, each - 1, COLOURS[warp % len(COLOURS)])
            y = begin + first + stage // 2
            svg.text(right + 64, y, "%d values of p," % stage, 11)
            svg.text(right + 64, y + 15, "%d for each" % each, 11)
            svg.text(right + 64, y + 30, "of %d warps" % sharing, 11)
        left += side + 210
    svg.text(20, top + side + 44, "Left of each: C, light blue the tile of block 0. Right: the values of p that the block's warps "
             "share, all for the same elements.", 12)
    return svg.render()


PICTURES = {"07_stream_k.svg": draw_stream_k, "07_stream_k.zh.svg": in_chinese(draw_stream_k),
            "07_slices.svg": draw_slices, "07_slices.zh.svg": in_chinese(draw_slices),
            "07_edges.svg": draw_edges, "07_edges.zh.svg": in_chinese(draw_edges),
            "07_kept.svg": draw_kept, "07_kept.zh.svg": in_chinese(draw_kept),
            "07_small_tiles.svg": draw_small_tiles, "07_small_tiles.zh.svg": in_chinese(draw_small_tiles)}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws step 07's shapes of C in float32.", PICTURES))
# SPDX-License-Identifier: MIT
