#!/usr/bin/env python3
"""Draws step 07's notions in float32: draw_gemm.py --check | --update [--pictures FOLDER]

What a thread loads for its products, the order of its multiply-adds, equal shares of the steps along k, slices of a
small tile, and where a narrow tile's rows of A lie: pictures that follow from a rule. --update writes
docs/pictures/07_*.svg; --check compares.

Exit status: 0 all is as it should be, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, COLOURS, EMPTY, FAINT, GRID, INK, ORANGE, PAPER, RED, SKY, Svg, draw_main, grid)  # noqa: E402


# ---- a thread's elements -------------------------------------------------------------------------


def draw_register_tiles():
    """Outer products: what one p costs in loads, and what it gives."""
    cell, top, left = 13, 62, 30
    svg = Svg("A thread's products for one p, and the floats that it loads for them")
    for name, rows, columns in (("shared_tile", 1, 1), ("register_column", 8, 1), ("register_tile", 8, 8),
                                ("wide_tile", 8, 16)):
        svg.text(left - 10, 20, name, 13, weight="bold")
        svg.text(left - 10, 36, "%d x %d" % (rows, columns), 11, colour=FAINT)
        for x in range(columns):
            svg.box(left + 6 + cell * x, top - cell - 6, cell - 1, cell - 1, ORANGE)
        for y in range(rows):
            svg.box(left - cell, top + cell * y, cell - 1, cell - 1, BLUE)
            for x in range(columns):
                svg.box(left + 6 + cell * x, top + cell * y, cell - 1, cell - 1, EMPTY, GRID)
        loads, products = rows + columns, rows * columns
        y = top + 8 * cell + 22
        svg.text(left - 10, y, "%d product%s," % (products, "s" if products > 1 else ""), 12)
        svg.text(left - 10, y + 16, "%d floats:" % loads, 12)
        svg.text(left - 10, y + 32, "%.2f each" % (loads / products), 12, weight="bold")
        left += max(cell * columns, 96) + 44
    svg.text(20, top + 8 * cell + 82, "Blue: floats of A. Orange: floats of B. Grey: the sums, which stay in registers "
             "until k is done.", 12)
    return svg.render()


# ---- the order -----------------------------------------------------------------------------------


def order_of(to_and_fro, rows, columns):
    """(row, column) of each multiply-add."""
    return [(y, columns - 1 - x if to_and_fro and y % 2 else x) for y in range(rows) for x in range(columns)]


def draw_order():
    """4 x 4 of the products for one p: which share an operand with the one before."""
    cell, side, top = 46, 4, 64
    svg = Svg("The order of the multiply-adds: row by row, and to and fro")
    for turn, name in enumerate(("row by row", "to_and_fro")):
        left = 20 + turn * (side * cell + 90)
        order = order_of(turn == 1, side, side)
        number = {place: i for i, place in enumerate(order)}

        def shares(place):
            before = order[number[place] - 1] if number[place] else None
            return before is not None and (before[0] == place[0] or before[1] == place[1])

        svg.text(left, 22, name, 13, weight="bold")
        alone = sum(not shares(place) for place in order)
        svg.text(left, 40, "%d of %d share no operand with the one before" % (alone, len(order)), 11, colour=FAINT)
        grid(svg, left, top, cell, side, side, lambda y, x: SKY if shares((y, x)) else ORANGE,
             lambda y, x: number[y, x] + 1, 13)
        for x in range(side):
            svg.text(left + cell * x + cell // 2, top - 6, "b%d" % x, 11, "middle", FAINT)
        for y in range(side):
            svg.text(left + side * cell + 6, top + cell * y + 28, "a%d" % y, 11, colour=FAINT)
    y = top + side * cell + 24
    svg.text(20, y, "sum[row][column] += a[row] * b[column]. Blue: a or b is still in the operand reuse cache.", 12)
    return svg.render()


# ---- stream-K ------------------------------------------------------------------------------------

TILES, STEPS, PROCESSORS = 8, 6, 5


def shares_of(block):
    """(tile, first step, steps) of the block's equal share, from its end to its beginning."""
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
    """Two waves of whole tiles, and equal shares."""
    cell, height, top = 30, 26, 66
    svg = Svg("Whole tiles in waves, and equal shares of their steps along k")
    for turn, name in enumerate(("a block for each tile", "stream_k")):
        left = 150 + turn * 440
        svg.text(left, 22, name, 13, weight="bold")
        svg.text(left, 40, "%d tiles of %d steps on %d multiprocessors" % (TILES, STEPS, PROCESSORS), 11, colour=FAINT)
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
    """Eight warps of 64 x 64 elements in tiles of three sizes, and a stage's 32 values of p."""
    unit, top, left = 56, 60, 20
    svg = Svg("Eight warps in tiles of three sizes")
    for down, across in ((2, 4), (2, 2), (1, 2)):
        slices = 8 // (down * across)
        svg.text(left, 22, "%d x %d" % (64 * down, 64 * across), 13, weight="bold")
        svg.text(left, 40, "%d slice%s" % (slices, "s" if slices > 1 else ""), 11, colour=FAINT)
        for y in range(down):
            for x in range(across):
                place = y * across + x
                colour = COLOURS[place % len(COLOURS)]
                svg.box(left + unit * x, top + unit * y, unit, unit, colour, PAPER)
                for part in range(slices):
                    svg.on(colour, left + unit * x + unit // 2, top + unit * y + unit // 2 + 5 + 11 * part
                           - 11 * (slices - 1) // 2, part * down * across + place, 11)
        depth = 152
        y = top + 2 * unit + 34
        svg.text(left, y - 8, "a stage's 32 values of p", 11, colour=FAINT)
        for part in range(slices):
            x = left + depth * part // slices
            svg.box(x, y, depth // slices, 22, EMPTY, GRID)
            first = part * down * across
            svg.text(x + depth // slices // 2, y + 15, "%d-%d" % (first, first + down * across - 1), 11, "middle")
        left += max(unit * across, depth) + 50
    svg.text(20, top + 2 * unit + 80, "A number is a warp. Warps in one place have the same 64 x 64 elements and other values of p; "
             "in the end they exchange sums.", 12)
    return svg.render()


# ---- narrow tiles --------------------------------------------------------------------------------


def draw_narrow():
    """Rows of A of 128 bytes, chunk c of row r at place c ^ r % 8: what 8 rows of threads read at once."""
    cell, rows, top, chunk = 18, 32, 62, 2
    svg = Svg("Eight threads' chunks of A: neighbouring rows of a thread, and rows eight apart")
    for turn, (name, read) in enumerate((("a thread's rows are neighbours: rows 0, 4, ... 28", set(range(0, 32, 4))),
                                         ("narrow: rows 0 to 7", set(range(8))))):
        left = 60 + turn * 400
        places = {(row, chunk ^ row % 8) for row in read}
        busiest = max(sum(x == place for _, x in places) for place in range(8))
        svg.text(left - 30, 22, name, 13, weight="bold")
        svg.text(left - 30, 40, "at most %d of them in the same four banks" % busiest, 11, colour=FAINT)
        for x in range(8):
            svg.text(left + cell * x + cell // 2, top - 6, 4 * x, 9, "middle", FAINT)
        grid(svg, left, top, cell, rows // 2 if turn else rows, 8,
             lambda y, x: (RED if busiest > 1 else BLUE) if (y, x) in places else EMPTY,
             lambda y, x: x ^ y % 8, 10)
        for y in range(0, rows // 2 if turn else rows, 4):
            svg.text(left - 6, top + cell * y + 13, y, 10, "end", FAINT)
    x, y = 460, top + 17 * cell + 16
    for line in ("A number is the chunk of 16 bytes that lies there: values", "4c to 4c + 3 of p. Above: its first bank. Coloured: what the",
                 "eight rows of a warp's threads read in one instruction,", "chunk %d of a row each. (The four threads of a row" % chunk,
                 "read the same.)"):
        svg.text(x - 30, y, line, 12)
        y += 17
    return svg.render()


PICTURES = {"07_register_tiles.svg": draw_register_tiles, "07_order.svg": draw_order, "07_stream_k.svg": draw_stream_k,
            "07_slices.svg": draw_slices, "07_narrow.svg": draw_narrow}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws step 07's notions in float32.", PICTURES))
