#!/usr/bin/env python3
"""Draws step 07's notions of tensor cores: draw_tensor.py --check | --update [--pictures FOLDER]

The pictures follow from rules. They show fragments over lanes, the swizzle, a ring of stages, and a cluster that shares
a tile. --update writes docs/pictures/07_*.svg; --check compares.

Exit status: 0 no picture differs, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, COLOURS, EMPTY, FAINT, GREEN, INK, ORANGE, PAPER, SKY, Svg, draw_main, grid, in_chinese)  # noqa: E402


# ---- fragments -----------------------------------------------------------------------------------


def owner_of_rows(y, x):
    """(lane, register) of an element in A's and C's tiles. A register holds two neighbours in a row."""
    return y % 8 * 4 + x % 8 // 2, y // 8 + 2 * (x // 8)


def owner_of_columns(y, x):
    """The same for B's tile, where a register holds two neighbours in a column."""
    return x * 4 + y % 8 // 2, y // 8


def draw_fragments():
    """mma.sync m16n8k16 in bfloat16: each cell shows its lane; the registers of lane 5 are marked."""
    cell, mine = 22, 5
    svg = Svg("Which lane has which element: mma.sync m16n8k16")
    top = 44

    def tile(left, rows, columns, owner, name, note):
        svg.text(left, 20, name, 13, weight="bold")
        svg.text(left, 36, note, 11, colour=FAINT)

        def colour(y, x):
            lane, register = owner(y, x)
            return COLOURS[register] if lane == mine else EMPTY
        grid(svg, left, top, cell, rows, columns, colour, lambda y, x: owner(y, x)[0], 10)

    tile(20, 16, 16, owner_of_rows, "A, 16 x 16", "a lane: four registers of two elements")
    tile(20 + 17 * cell, 16, 8, owner_of_columns, "B, 16 x 8", "two registers of two")
    tile(20 + 26 * cell, 16, 8, owner_of_rows, "C, 16 x 8", "four sums")
    y = top + 16 * cell + 24
    svg.text(20, y, "A number is a lane; coloured: all that lane %d holds, a colour for each register (of C: two sums)." % mine, 12)
    svg.text(20, y + 18, "wgmma's tile of C goes on like this: below, the rows of the warpgroup's other three warps; to the right, "
             "more columns.", 12)
    return svg.render()


# ---- the swizzle ---------------------------------------------------------------------------------


def draw_swizzle():
    """Rows of 128 bytes in chunks of 16 bytes: the places of the eight chunks of one column."""
    cell, shown = 34, 2
    svg = Svg("The swizzle: chunk c of row r lies at place c ^ r % 8")

    def tile(left, name, chunk_at, note):
        svg.text(left, 20, name, 13, weight="bold")
        for place in range(8):
            svg.text(left + cell * place + cell // 2, 40, "%d-%d" % (4 * place, 4 * place + 3), 10, "middle", FAINT)
        grid(svg, left, 48, cell, 8, 8, lambda y, x: BLUE if chunk_at(y, x) == shown else EMPTY, chunk_at, 12)
        svg.text(left, 48 + 8 * cell + 22, note, 12)

    tile(70, "as it comes", lambda y, x: x, "chunk %d of all eight rows: the same four banks, 8 wavefronts" % shown)
    tile(70 + 8 * cell + 120, "swizzled", lambda y, x: x ^ y, "in eight different places: 1 wavefront")
    svg.text(20, 40, "banks", 10, colour=FAINT)
    for y in range(8):
        svg.text(20, 48 + cell * y + cell // 2 + 4, "row %d" % y, 11, colour=FAINT)
    return svg.render()


# ---- the ring ------------------------------------------------------------------------------------


def draw_ring():
    """Four stages. A copy takes the time of three k-steps, so three copies are in flight."""
    stages, steps, late, width, height = 4, 10, 3, 64, 26
    svg = Svg("A ring of four stages: who works on which stage when")
    left, top = 90, 40
    svg.text(20, 20, "what happens to each stage; a number is a step along k", 13, weight="bold")
    for stage in range(stages):
        svg.text(20, top + stage * (height + 8) + 17, "stage %d" % stage, 12)
    for step in range(steps):
        stage, begin = step % stages, step
        y = top + stage * (height + 8)
        x = left + width * begin
        svg.box(x, y, width * late - 2, height, SKY, PAPER)
        svg.on(SKY, x + width * late // 2, y + 17, "%d on its way" % step, 11)
        svg.box(x + width * late, y, width - 2, height, BLUE, PAPER)
        svg.on(BLUE, x + width * late + width // 2, y + 17, "x %d" % step, 11)
    y = top + stages * (height + 8) + 6
    svg.line(left + width * late, top - 6, left + width * late, y, INK, 1, "3 3")
    svg.line(left + width * stages, top - 6, left + width * stages, y, INK, 1, "3 3")
    svg.text(left + width * late - 4, y + 16, "full: the bytes are there", 11, "end")
    svg.text(left + width * stages + 4, y + 16, "free: the consumers have arrived; the next copy may begin", 11)
    y += 36
    for row, (fill, text) in enumerate(((SKY, "the TMA copies, begun by the producer as soon as the stage is free"),
                                        (BLUE, "the consumers multiply (x); from step 0 on without a pause"))):
        svg.box(20, y + 20 * row, 12, 12, fill)
        svg.text(40, y + 20 * row + 11, text, 12)
    return svg.render()


# ---- a cluster -----------------------------------------------------------------------------------


def draw_cluster():
    """Two blocks, one below the other: what each block copies per k-step, in KB (128 x 256 tiles, 64 terms)."""
    svg = Svg("A cluster of two blocks: each brings half of B's tile, for both")
    rows, columns, terms = 128, 256, 64
    a, b = rows * terms * 2 // 1024, columns * terms * 2 // 1024

    def block(left, top, name, own, colour):
        svg.box(left, top, 250, 74, PAPER, INK)
        svg.text(left + 8, top + 18, name + "'s shared memory", 12, weight="bold")
        svg.box(left + 8, top + 30, 60, 32, colour)
        svg.on(colour, left + 38, top + 50, own, 12)
        for half, shade in enumerate((ORANGE, GREEN)):
            svg.box(left + 78 + 80 * half, top + 30, 80, 32, shade)
            svg.on(shade, left + 118 + 80 * half, top + 50, "B, half %d" % half, 12)

    svg.text(20, 22, "in L2", 13, weight="bold")
    for row, (text, colour) in enumerate((("A, rows of block 0: %d KB" % a, BLUE), ("B, half 0: %d KB" % (b // 2), ORANGE),
                                          ("B, half 1: %d KB" % (b // 2), GREEN), ("A, rows of block 1: %d KB" % a, SKY))):
        svg.box(20, 34 + 48 * row, 190, 36, colour)
        svg.on(colour, 115, 34 + 48 * row + 23, text, 12)
    block(400, 22, "block 0", "A 0", BLUE)
    block(400, 132, "block 1", "A 1", SKY)
    for y, targets in ((52, (60,)), (100, (70, 150)), (148, (90, 170)), (196, (190,))):
        for target in targets:
            svg.arrow(214, y, 396, target, INK, 1)
    svg.text(20, 246, "A step along k: %d KB for two blocks instead of %d KB. A copy with multicast is read once and written to"
             % (2 * a + b, 2 * (a + b)), 12)
    svg.text(20, 262, "both; each block's barrier counts what arrives in its own memory, from any block.", 12)
    return svg.render()


# ---- stores during the next products -------------------------------------------------------------


def draw_stored_later():
    """A tile's last k-steps and the next tile's first: when the sums are rounded and stored. Not to scale."""
    svg = Svg("A consumer at the end of a tile: stores after the products, and during the next tile's products")
    step, rounds, store, height, left = 74, 26, 44, 24, 130

    def row(top, name, fill, boxes):
        svg.text(20, top + 16, name, 12)
        for x, width, text, colour in boxes:
            svg.box(left + x, top, width - 2, height, colour, PAPER)
            svg.on(colour, left + x + width // 2 - 1, top + 16, text, 10)

    top = 44
    for name, gap, later in (("tma_stores", rounds + 4 * store, False), ("stored_later", rounds, True)):
        svg.text(20, top - 12, name, 13, weight="bold")
        end = 2 * step
        products = [(i * step, step, "tile 0", SKY) for i in range(2)]
        count = 6 if later else 4
        products += [(end + gap + i * step, step, "tile 1", BLUE) for i in range(count)]
        row(top, "tensor cores", SKY, products)
        stores = [(end, rounds, "R", GREEN)]
        stores += [(end + rounds + i * (step if later else store), store, "S %d" % i, ORANGE) for i in range(4)]
        row(top + height + 6, "the consumer", GREEN, stores)
        top += 2 * height + 56
    svg.text(20, top, "R: the sums of tile 0 are rounded. S: 64 columns of them are put into shared memory, from where the TMA "
             "stores them. Not to scale.", 12)
    return svg.render()


# ---- waves that come out even --------------------------------------------------------------------


def draw_even_waves():
    """C of 4096 x 4096 on 132 SMs: the tiles with fewer rows, and what each SM computes at the same time."""
    svg = Svg("Waves of tiles before and after some of them are lower")
    rows, columns, cores, high, low, width = 4096, 32, 132, 256, 232, 128
    shown, left, row = 192, 300, 22

    def last_wave(low_columns):
        tiles = (columns - low_columns) * -(-rows // high) + low_columns * -(-rows // low)
        return tiles, -(-tiles // cores), (tiles - 1) % cores + 1

    top = 44
    for name, low_columns in (("tiles of 256 rows", 0), ("%d rows in 8 of 32 columns of tiles" % low, 8)):
        tiles, waves, busy = last_wave(low_columns)
        svg.text(20, top - 12, name, 13, weight="bold")
        for column in range(columns):
            is_low = column >= columns - low_columns
            height = low if is_low else high
            for first in range(0, rows, height):
                end = min(first + height, rows)
                svg.box(20 + column * shown // columns, top + first * shown // rows, shown // columns,
                        end * shown // rows - first * shown // rows, ORANGE if is_low else SKY, PAPER)
        svg.text(20, top + shown + 18, "%d tiles, %.2f waves" % (tiles, tiles / cores), 12)

        first_low = (columns - low_columns) * (rows // high)
        lines = sorted({(tuple(tile >= first_low for tile in range(core, tiles, cores))) for core in range(cores)})
        for index, line in enumerate(lines):
            count = sum(tuple(tile >= first_low for tile in range(core, tiles, cores)) == line for core in range(cores))
            y, x = top + 20 + index * 56, left
            svg.text(left, y - 6, "%d multiprocessors" % count, 12)
            for is_low in line:
                step = (low if is_low else high) * 2 // 5
                svg.box(x, y, step - 2, row, ORANGE if is_low else SKY)
                svg.on(ORANGE if is_low else SKY, x + step // 2 - 1, y + 15, str(low if is_low else high), 10)
                x += step
            if len(line) < waves:
                svg.text(x + 6, y + 15, "idle", 12, colour=FAINT)
            else:
                svg.text(x + 6, y + 15, "%d rows" % sum(low if is_low else high for is_low in line), 12)
        top += shown + 60
    svg.text(20, top - 14, "C, 4096 x 4096, in tiles %d columns wide; right: the rows that a multiprocessor multiplies, tile after "
             "tile." % width, 12)
    return svg.render()


PICTURES = {"07_even_waves.svg": draw_even_waves, "07_even_waves.zh.svg": in_chinese(draw_even_waves),
            "07_stored_later.svg": draw_stored_later, "07_stored_later.zh.svg": in_chinese(draw_stored_later),
            "07_fragments.svg": draw_fragments, "07_fragments.zh.svg": in_chinese(draw_fragments),
            "07_swizzle.svg": draw_swizzle, "07_swizzle.zh.svg": in_chinese(draw_swizzle),
            "07_ring.svg": draw_ring, "07_ring.zh.svg": in_chinese(draw_ring),
            "07_cluster.svg": draw_cluster, "07_cluster.zh.svg": in_chinese(draw_cluster)}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws step 07's notions of tensor cores.", PICTURES))
# SPDX-License-Identifier: MIT
