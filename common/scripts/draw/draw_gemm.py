#!/usr/bin/env python3
"""Draws step 07's notions in float32: draw_gemm.py --check | --update [--pictures FOLDER]

The pictures follow from rules and from the kernels' constants. They show the rungs up to `to_and_fro`: a thread's loads
for its multiply-adds; the places of a tile of A, of a warp's lanes and of the next tiles; the work of producers and
consumers; the order of the multiply-adds. draw_gemm_shapes.py draws what lies outside a block. --update writes
docs/pictures/07_*.svg; --check compares.

Exit status: 0 no picture differs, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, PAPER, RED, SKY, Svg, constants_in,  # noqa: E402
                 draw_main, grid, in_chinese)


# ---- a thread's elements -------------------------------------------------------------------------


def draw_register_tiles():
    """Outer products: the loads for one k-step, and the multiply-adds that use them."""
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


# ---- a tile in shared memory ---------------------------------------------------------------------

BANKS = 32


def draw_transposed():
    """The floats of A's tile that the first thread of each half of a warp loads for one k-step, and their banks."""
    tile, depth, across, column, each = constants_in("07_gemm/float32/05_register_tile.cu", "BLOCK_M", "BLOCK_K", "BLOCK_N",
                                                     "THREAD_N", "THREAD_M")
    padded = tile + 4
    half, cell, top, shown = across // column, 20, 66, 2
    owners = (0, half)  # the second has the next rows of A
    rows = each * len(owners)
    svg = Svg("Two threads' floats of A for one p, in a tile by rows and in a transposed one")
    left = 48
    for name, note, is_transposed in (
            ("register_tile", "a thread's %d floats are %d apart," % (each, depth), False),
            ("transposed, vectorized", "a thread's %d floats are neighbours, %d instructions load them," % (each, each // 4),
             True)):
        def place(y, x, swap=is_transposed):
            return (x, y) if swap else (y, x)  # row, p

        def bank(row, p, swap=is_transposed):
            return (p * padded + row if swap else row * depth + p) % BANKS

        svg.text(left - 28, 20, name, 13, weight="bold")
        svg.text(left - 28, 36, note, 11, colour=FAINT)
        svg.text(left - 28, 50, "two threads' " + (
            "in the same bank" if bank(0, shown) == bank(each, shown) else "in different banks"), 11, colour=FAINT)
        high, wide = (depth, rows) if is_transposed else (rows, depth)
        grid(svg, left, top, cell, high, wide,
             lambda y, x: (BLUE, ORANGE)[place(y, x)[0] // each] if place(y, x)[1] == shown else EMPTY,
             lambda y, x: bank(*place(y, x)), 10)
        for begin in range(0, rows if is_transposed else 0, 4):
            x, y = left + cell * begin, top + cell * shown
            svg.polyline([(x + 1, y + 1), (x + cell * 4 - 1, y + 1), (x + cell * 4 - 1, y + cell - 1), (x + 1, y + cell - 1),
                          (x + 1, y + 1)], INK, 2)
        for y in (0, high - 1):
            svg.text(left - 5, top + cell * y + 13, y, 10, "end", FAINT)
        svg.text(left - 5, top + cell * (high // 2) + 2, "p" if is_transposed else "row", 10, "end", FAINT)
        svg.text(left, top + cell * high + 14, ("rows 0 to %d of %d" % (rows - 1, tile)) if is_transposed
                 else "p = 0 to %d" % (depth - 1), 10, colour=FAINT)
        left += max(cell * wide, 220) + 90
    y = top + cell * rows + 36
    svg.text(20, y, "A number is the bank in which a float lies. Blue: what thread 0 loads for p = %d; orange: thread %d, the "
             "first of the warp's other half." % (shown, owners[1]), 12)
    svg.text(20, y + 16, "Outlined: one load of 16 bytes; in transposed nvcc makes it of four. A transposed row is %d floats "
             "long, so that" % padded, 12)
    svg.text(20, y + 32, "the stores of a column spread over the banks.", 12)
    return svg.render()


# ---- a warp's elements ---------------------------------------------------------------------------


def places_in_square(lane, across, each):
    """(row, column, rows, columns) of a lane's elements in warp 0 of the rung vectorized."""
    return [(lane // across * each, lane % across * each, each, each)]


def places_in_warp(lane):
    """The same for the rung warp_tile: see coord_in_warp in float32/parts/eight_by_eight.cuh."""
    return [(lane // 8 * 4 + down, lane % 8 * 4 + right, 4, 4) for down in (0, 16) for right in (0, 32)]


def draw_warp_tile():
    """The block's tile by warps, warp 0 by lanes, and the floats that warp 0 needs for one k-step."""
    tile, each = constants_in("07_gemm/float32/parts/eight_by_eight.cuh", "BLOCK_N", "THREAD_N")
    unit, top, shown = 3, 74, 64
    svg = Svg("A warp's elements of the block's tile, vectorized and warp_tile")
    left = 44
    for name, places in (("vectorized", [places_in_square(lane, tile // each, each) for lane in range(32)]),
                         ("warp_tile", [places_in_warp(lane) for lane in range(32)])):
        down = max(y + high for lane in places for y, _, high, _ in lane)
        across = max(x + wide for lane in places for _, x, _, wide in lane)
        svg.text(left - 24, 20, name, 13, weight="bold")
        svg.text(left - 24, 38, "a warp: %d x %d elements, for one p %d + %d = %d floats" % (
            down, across, down, across, down + across), 11, colour=FAINT)
        for warp in range(tile // across * (shown // down)):
            x, y = left + warp % (tile // across) * across * unit, top + warp // (tile // across) * down * unit
            svg.box(x, y, across * unit, down * unit, EMPTY, GRID)
            if warp:
                svg.text(x + across * unit // 2, y + down * unit // 2 + 4, "warp %d" % warp, 11, "middle", FAINT)
        for lane, boxes in enumerate(places):
            for number, (y, x, high, wide) in enumerate(boxes):
                colour = BLUE if lane == 0 else SKY
                svg.box(left + x * unit, top + y * unit, wide * unit, high * unit, colour, PAPER)
                if number == 0:
                    svg.on(colour, left + x * unit + wide * unit // 2, top + y * unit + high * unit // 2 + 3, lane,
                           10 if wide > 4 else 8)
        svg.box(left - 10, top, 6, down * unit, GREEN)
        svg.box(left, top - 10, across * unit, 6, ORANGE)
        svg.text(left - 14, top + 10, "A", 11, "end", FAINT)
        svg.text(left, top - 14, "B", 11, "start", FAINT)
        left += tile * unit + 70
    y = top + shown * unit + 22
    svg.text(20, y, "The first %d rows of a block's tile of %d x %d. A number is a lane of warp 0; dark blue: all that lane 0 "
             "has, %d elements in both." % (shown, tile, tile, each * each), 12)
    svg.text(20, y + 16, "Green, orange: the floats of A and of B that warp 0 loads for one p.", 12)
    return svg.render()


# ---- loads ahead of the products -----------------------------------------------------------------


def draw_ahead():
    """The places of each step's tiles over time. Here a load takes three quarters of a multiplication's time."""
    stages = constants_in("07_gemm/float32/10_async_copies.cu", "STAGES")
    multiply, load, put, height, left, steps = 88, 66, 12, 24, 150, 5
    svg = Svg("Loads and products of the first steps: warp_tile, double_buffered, async_copies")
    y = 20

    def bar(row, at, width, colour, text):
        svg.box(left + at, row, width - 1, height, colour, GRID if colour == EMPTY else PAPER)
        if text:
            svg.on(colour, left + at + width // 2, row + 16, text, 11)

    def title(row, name, note):
        svg.text(20, row, name, 13, weight="bold")
        svg.text(left, row, note, 11, colour=FAINT)

    def barrier(at, row, rows):
        svg.line(left + at, row - 4, left + at, row + rows * (height + 4), INK, 2, "3 2")

    title(y, "warp_tile", "one pair of tiles: load, wait, multiply; two barriers a step")
    y += 12
    svg.text(20, y + 16, "tiles", 12)
    at = 0
    for step in range(3):
        bar(y, at, load, SKY, "load %d" % step)
        bar(y, at + load, put, GREEN, "")
        bar(y, at + load + put, multiply, BLUE, "x %d" % step)
        barrier(at + load + put, y, 1)
        barrier(at + load + put + multiply, y, 1)
        at += load + put + multiply
    y += height + 34
    title(y, "double_buffered", "while one pair is multiplied, the next is loaded into registers; one barrier a step")
    y += 12
    for row, text in enumerate(("registers", "tiles 0", "tiles 1")):
        svg.text(20, y + row * (height + 4) + 16, text, 12)
    at = load + put
    bar(y, 0, load, SKY, "load 0")
    bar(y + height + 4, load, put, GREEN, "")
    barrier(at, y, 3)
    for step in range(steps):
        bar(y + (1 + step % 2) * (height + 4), at, multiply, BLUE, "x %d" % step)
        bar(y, at, load, SKY, "load %d" % (step + 1))
        bar(y + (1 + (step + 1) % 2) * (height + 4), at + multiply, put, GREEN, "")
        at += multiply + put
        barrier(at, y, 3)
    y += 3 * (height + 4) + 30
    title(y, "async_copies", "copies go straight to shared memory, %d steps ahead, through %d stages; one barrier a step"
          % (stages - 1, stages))
    y += 12
    for row in range(stages):
        svg.text(20, y + row * (height + 4) + 16, "stage %d" % row, 12)
    begin = load  # when step 0's multiply-adds begin
    for step in range(steps + 1):
        row = y + step % stages * (height + 4)
        starts = 0 if step < stages - 1 else begin + (step - stages + 1) * multiply
        uses = begin + step * multiply
        bar(row, starts, load, SKY, "copy %d" % step)
        if uses > starts + load:
            bar(row, starts + load, uses - starts - load, EMPTY, "%d is there" % step)
        bar(row, uses, multiply, BLUE, "x %d" % step)
        barrier(uses, y, stages)
    y += stages * (height + 4) + 10
    x = 20
    for fill, text in ((SKY, "on its way"), (GREEN, "stored in shared memory"), (BLUE, "multiplied (x)"),
                       (EMPTY, "waits in shared memory")):
        svg.box(x, y, 12, 12, fill, GRID if fill == EMPTY else "none")
        svg.text(x + 18, y + 11, text, 12)
        x += 40 + 7 * len(text)
    svg.line(x + 6, y - 2, x + 6, y + 14, INK, 2, "3 2")
    svg.text(x + 14, y + 11, "__syncthreads. A number is a step along k.", 12)
    svg.text(20, y + 32, "From left to right: time, of one block, not to scale. What it costs to issue a copy is not shown.", 12)
    return svg.render()


# ---- producers and consumers ---------------------------------------------------------------------


def large_tile():
    """(rows, columns, k per stage, stages, consumer warps) of Large, the tile of the rungs from producer_warps on."""
    down, across, slices, depth, stages = constants_in("07_gemm/float32/parts/ring.cuh", "typedef Tile")
    warp = constants_in("07_gemm/float32/parts/ring.cuh", "WARP_M")  # WARP_N is the same
    return down * warp, across * warp, depth, stages, down * across * slices


def draw_producers():
    """Global memory, 4 producer warps and the TMA, the ring, 8 consumer warps, and what connects them for one stage."""
    rows, columns, depth, stages, consumers = large_tile()
    threads = constants_in("07_gemm/float32/parts/ring.cuh", "PRODUCERS")
    svg = Svg("Producer warps, a ring of stages, consumer warps")
    for x, name in ((20, "global memory"), (206, "producers: %d warps" % (threads // 32)),
                    (500, "a ring of %d stages, shared memory" % stages), (800, "consumers: %d warps" % consumers)):
        svg.text(x, 22, name, 13, weight="bold")
    svg.box(20, 44, 110, 66, BLUE)
    svg.on(BLUE, 75, 74, "A: a tile of", 11)
    svg.on(BLUE, 75, 90, "%d x %d" % (rows, depth), 11)
    svg.box(20, 148, 110, 88, ORANGE)
    svg.on(ORANGE, 75, 188, "B: a tile of", 11)
    svg.on(ORANGE, 75, 204, "%d x %d" % (depth, columns), 11)
    loads = rows * depth // 4 // threads
    svg.box(206, 44, 200, 66, PAPER, INK)
    svg.text(214, 64, "each thread: %d loads of 16 bytes" % loads, 11)
    svg.text(214, 80, "into registers, %d stores of 4:" % (4 * loads), 11)
    svg.text(214, 96, "so A is transposed", 11, weight="bold")
    copies = depth * columns // 4 // threads
    svg.box(206, 132, 200, 50, PAPER, INK)
    svg.text(214, 150, "producer_warps", 11, weight="bold")
    svg.text(214, 168, "each: %d copies of 16 bytes" % copies, 11)
    svg.box(206, 200, 200, 50, PAPER, INK)
    svg.text(214, 218, "tensor_copies: the TMA", 11, weight="bold")
    svg.text(214, 236, "1 instruction of 1 thread: %d KB" % (depth * columns * 4 // 1024), 11)
    state = ["being multiplied", "full", "full", "being filled"] + [""] * stages
    for stage in range(stages):
        y = 40 + 54 * stage
        svg.box(500, y, 210, 44, PAPER, INK)
        svg.text(508, y + 18, stage, 13, weight="bold")
        svg.box(526, y + 8, 46, 28, BLUE)
        svg.on(BLUE, 549, y + 26, "A", 11)
        svg.box(576, y + 8, 60, 28, ORANGE)
        svg.on(ORANGE, 606, y + 26, "B", 11)
        words = state[stage].split()
        for line, word in enumerate(words):
            svg.text(642, y + (27 if len(words) == 1 else 20 + 14 * line), word, 11, colour=FAINT)
    unit = 34
    for warp in range(consumers):
        x, y = 800 + warp % (columns // 64) * unit, 44 + warp // (columns // 64) * unit
        svg.box(x, y, unit, unit, GREEN, PAPER)
        svg.on(GREEN, x + unit // 2, y + 21, warp, 11)
    svg.text(800, 44 + 2 * unit + 18, "C: %d x %d," % (rows, columns), 11)
    svg.text(800, 44 + 2 * unit + 34, "64 x 64 a warp", 11)
    last = 40 + 54 * (stages - 1) + 22
    for y, to in ((77, last - 8), (157, last), (225, last + 8)):
        svg.arrow(406, y, 496, to)
    svg.arrow(132, 77, 202, 77)
    svg.arrow(132, 166, 202, 157)
    svg.arrow(132, 218, 202, 225)
    svg.arrow(712, 62, 796, 62)
    y = 40 + 54 * stages + 18
    svg.text(20, y + 17, "two mbarriers a stage:", 12)
    svg.arrow(408, y, 796, y)
    svg.text(602, y - 5, "full[s]: A and B of stage s are complete", 12, "middle")
    svg.arrow(796, y + 26, 408, y + 26)
    svg.text(602, y + 21, "free[s]: stage s has been read", 12, "middle")
    svg.text(398, y + 17, "producers", 12, "end")
    svg.text(804, y + 17, "consumers", 12)
    return svg.render()


def draw_registers():
    """Registers per thread in each warp, before and after setmaxnreg, and the registers that a consumer needs."""
    launch, consumer, producer = constants_in("07_gemm/float32/14_specialized.cu", "LAUNCH_REGISTERS", "CONSUMER_REGISTERS",
                                              "PRODUCER_REGISTERS")
    rows, columns, _, _, consumers = large_tile()
    producers = constants_in("07_gemm/float32/parts/ring.cuh", "PRODUCERS") // 32
    sums = rows * columns // (32 * consumers)
    down = constants_in("07_gemm/float32/parts/ring.cuh", "THREAD_M")
    fragments = 2 * (down + sums // down)  # for two k-steps
    wide, base, left = 30, 250, 56
    svg = Svg("Registers a thread, before and after setmaxnreg")
    for name, of_producer, of_consumer in (("tensor_copies", launch, launch), ("specialized", producer, consumer)):
        total = 32 * (producers * of_producer + consumers * of_consumer)
        svg.text(left - 36, 20, name, 13, weight="bold")
        svg.text(left - 36, 36, "{:,} registers in all".format(total), 11, colour=FAINT)
        x = left
        for warp in range(producers + consumers):
            have = of_producer if warp < producers else of_consumer
            svg.box(x, base - have, wide - 2, have, SKY if warp < producers else EMPTY, GRID)
            if warp >= producers:
                svg.box(x, base - sums, wide - 2, sums, BLUE)
                svg.box(x, base - min(have, sums + fragments), wide - 2, min(fragments, have - sums), ORANGE)
                if have < sums + fragments:
                    svg.box(x, base - sums - fragments, wide - 2, sums + fragments - have, RED)
            x += wide
        between = left + producers * wide
        svg.line(left, base - of_producer, between, base - of_producer, INK, 2)
        svg.line(between, base - of_consumer, x, base - of_consumer, INK, 2)
        svg.text((left + between) // 2, base + 16, "%d producers" % producers, 11, "middle")
        svg.text((between + x) // 2, base + 16, "%d consumers" % consumers, 11, "middle")
        svg.text(left - 6, base - of_producer + 4, of_producer, 11, "end", FAINT)
        svg.text(x + 4, base - of_consumer + 4, of_consumer, 11, "start", FAINT)
        left = x + 100
    y = base + 40
    x = 20
    for fill, text in ((BLUE, "%d sums" % sums), (ORANGE, "%d elements, for two values of p" % fragments),
                       (EMPTY, "addresses and the rest"), (RED, "no room for these"), (SKY, "a producer's")):
        svg.box(x, y, 12, 12, fill, GRID if fill == EMPTY else "none")
        svg.text(x + 18, y + 11, text, 12)
        x += 44 + 7 * len(text)
    return svg.render()


# ---- the order -----------------------------------------------------------------------------------


def order_of(to_and_fro, rows, columns):
    """(row, column) of each multiply-add."""
    return [(y, columns - 1 - x if to_and_fro and y % 2 else x) for y in range(rows) for x in range(columns)]


def draw_order():
    """4 x 4 multiply-adds of one k-step, marked if they share an operand with the multiply-add before."""
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


PICTURES = {"07_register_tiles.svg": draw_register_tiles, "07_register_tiles.zh.svg": in_chinese(draw_register_tiles),
            "07_transposed.svg": draw_transposed, "07_transposed.zh.svg": in_chinese(draw_transposed),
            "07_warp_tile.svg": draw_warp_tile,
            "07_warp_tile.zh.svg": in_chinese(draw_warp_tile), "07_ahead.svg": draw_ahead,
            "07_ahead.zh.svg": in_chinese(draw_ahead), "07_producers.svg": draw_producers,
            "07_producers.zh.svg": in_chinese(draw_producers),
            "07_registers.svg": draw_registers, "07_registers.zh.svg": in_chinese(draw_registers),
            "07_order.svg": draw_order, "07_order.zh.svg": in_chinese(draw_order)}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws step 07's notions in float32.", PICTURES))
# SPDX-License-Identifier: MIT
