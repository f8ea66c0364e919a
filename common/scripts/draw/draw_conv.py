#!/usr/bin/env python3
"""Draws step 08's notions: draw_conv.py --check | --update [--pictures FOLDER]

The pictures follow from rules. They show the im2col matrix, a tile and its halo, Winograd's transforms, and a float
as two TF32 numbers. --update writes docs/pictures/08_*.svg; --check compares.

Exit status: 0 no picture differs, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, PAPER, SKY, Svg, draw_main, grid, in_chinese)  # noqa: E402


# ---- im2col --------------------------------------------------------------------------------------


def draw_im2col():
    """A channel of 4 x 4, a filter of 3 x 3, no padding. The matrix has a row per tap and a column per output."""
    side, taps, cell = 4, 3, 27
    out = side - taps + 1
    svg = Svg("im2col: a convolution as a matrix product")
    shown = 1  # the output whose inputs are marked
    inputs = [[(y + r) * side + x + s for y in range(out) for x in range(out)] for r in range(taps)
              for s in range(taps)]
    marked = {row[shown] for row in inputs}
    svg.text(20, 22, "a channel of 4 x 4 inputs", 13, weight="bold")
    grid(svg, 20, 36, cell, side, side, lambda y, x: SKY if y * side + x in marked else EMPTY,
         lambda y, x: y * side + x)
    svg.text(20, 168, "blue: the 3 x 3 inputs of output 1", 12)
    svg.text(20, 226, "a filter, as a row", 13, weight="bold")
    grid(svg, 20, 240, cell, 1, taps * taps, lambda y, x: ORANGE, lambda y, x: "w%d" % x)
    svg.text(20 + cell * taps * taps + 8, 260, "x", 16)
    left = 20 + cell * taps * taps + 30
    svg.text(left, 22, "the im2col matrix: a row per tap,", 13, weight="bold")
    svg.text(left, 38, "a column per output", 13, weight="bold")
    grid(svg, left, 70, cell, taps * taps, out * out, lambda y, x: SKY if x == shown else EMPTY,
         lambda y, x: inputs[y][x])
    for x in range(out * out):
        svg.text(left + cell * x + cell // 2, 62, x, 11, "middle", FAINT)
    for y in range(taps * taps):
        svg.text(left + cell * out * out + 8, 70 + cell * y + 19, "tap (%d, %d)" % (y // taps, y % taps), 11, colour=FAINT)
    right = left + cell * out * out + 78
    svg.text(right, 159, "=", 16)
    svg.text(right + 24, 130, "outputs 0 to 3", 13, weight="bold")
    grid(svg, right + 24, 140, cell, 1, out * out, lambda y, x: GREEN if x == shown else EMPTY, lambda y, x: x)
    svg.text(right + 24, 200, "16 inputs fill 36 places,", 12)
    svg.text(right + 24, 216, "one per use of an input.", 12)
    svg.text(right + 24, 240, "More filters: more rows on", 12)
    svg.text(right + 24, 256, "the left. More channels:", 12)
    svg.text(right + 24, 272, "more rows of the matrix.", 12)
    return svg.render()


# ---- a tile and its halo -------------------------------------------------------------------------


def draw_halo():
    """A tile of inputs for 8 x 4 outputs, and the values that a thread of `register_tile` has in registers."""
    width, height, cell = 8, 4, 26
    svg = Svg("A tile with its halo, and the part of a thread")
    svg.text(20, 22, "a block's tile: 8 x 4 outputs, 3 x 3 taps", 13, weight="bold")

    def colour(y, x):
        inside = 1 <= y <= height and 1 <= x <= width
        mine = y < 4 and x < 6
        return (BLUE if 1 <= y <= 2 and 1 <= x <= 4 else SKY) if mine else EMPTY if inside else ORANGE

    grid(svg, 20, 36, cell, height + 2, width + 2, colour)
    y = 36 + cell * (height + 2) + 18
    for row, (fill, text) in enumerate((
            (ORANGE, "halo: inputs around the tile's own places, which the neighbour also loads"),
            (BLUE, "a thread of register_tile: its 4 x 2 outputs of 8 filters, 64 sums"),
            (SKY, "and the 6 x 4 inputs that it loads per channel, some of them halo"))):
        svg.box(20, y + 20 * row, 12, 12, fill)
        svg.text(40, y + 20 * row + 11, text, 12)
    halo = (height + 2) * (width + 2) - height * width
    left = 20 + cell * (width + 2) + 40
    for line, text in enumerate((
            "Loaded per channel for 32 outputs: %d inputs," % ((height + 2) * (width + 2)),
            "%d of them halo. A tile of 64 x 8 outputs: 660." % halo,
            "",
            "Per thread, 24 inputs and 9 x 8 weights are",
            "96 numbers for 4 x 2 x 8 x 9 = 576 products.")):
        svg.text(left, 60 + 20 * line, text, 12)
    assert (64 + 2) * (8 + 2) == 660
    return svg.render()


# ---- Winograd ------------------------------------------------------------------------------------


def draw_one_dimension(svg, top):
    """F(2, 3) with numbers, from left to right."""
    d, g = (1, 3, 2, 5), (2, 4, -2)
    patch = (d[0] - d[2], d[1] + d[2], d[2] - d[1], d[1] - d[3])
    weights = (g[0], (g[0] + g[1] + g[2]) // 2, (g[0] - g[1] + g[2]) // 2, g[2])
    m = [a * b for a, b in zip(patch, weights)]
    y = (m[0] + m[1] + m[2], m[1] - m[2] - m[3])
    assert y == tuple(sum(d[i + tap] * g[tap] for tap in range(3)) for i in range(2))
    cell = 30
    svg.text(20, top, "F(2, 3): 4 multiplications for 2 outputs", 13, weight="bold")
    for left, heading, note, colour, numbers in (
            (20, "inputs", "d", SKY, d), (166, "transformed", "B^T d", BLUE, patch),
            (312, "filter 2, 4, -2", "G g", ORANGE, weights), (458, "products", "m", GREEN, m),
            (604, "outputs", "A^T m", GREEN, y)):
        svg.text(left, top + 22, heading, 12)
        svg.text(left, top + 38, note, 11, colour=FAINT)
        grid(svg, left, top + 46, cell, 1, len(numbers), lambda y, x, colour=colour: colour,
             lambda y, x, numbers=numbers: numbers[x], 12)
    for left, sign in ((296, "x"), (442, "=")):
        svg.text(left + 4, top + 66, sign, 16, "middle")
    for left in (144, 582):
        svg.arrow(left, top + 61, left + 18, top + 61)


def draw_winograd():
    """F(2, 3) with numbers, and F(2x2, 3x3): the inputs of a transformed number, and its cost."""
    cell = 26
    svg = Svg("Winograd's F(2, 3) and F(2x2, 3x3)")
    b = ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1))
    shown = (1, 2)
    signs = [[b[shown[0]][y] * b[shown[1]][x] for x in range(4)] for y in range(4)]
    assert sum(sign != 0 for row in signs for sign in row) == 4
    draw_one_dimension(svg, 22)
    top = 176
    svg.text(20, top - 40, "F(2x2, 3x3): 16 multiplications for 4 outputs", 13, weight="bold")
    for left, note in ((20, "4 x 4 inputs"), (166, "additions"), (312, "once per filter"), (458, "added over channels"),
                       (604, "additions")):
        svg.text(left, top - 12, note, 11, colour=FAINT)
    grid(svg, 20, top, cell, 4, 4, lambda y, x: SKY if signs[y][x] else EMPTY,
         lambda y, x: {1: "+", -1: "-", 0: ""}[signs[y][x]], 14)
    svg.arrow(138, top + 52, 158, top + 52)
    grid(svg, 166, top, cell, 4, 4, lambda y, x: BLUE if (y, x) == shown else EMPTY)
    svg.text(291, top + 58, "x", 16, "middle")
    grid(svg, 312, top, cell, 4, 4, lambda y, x: ORANGE if (y, x) == shown else EMPTY)
    svg.text(437, top + 58, "=", 16, "middle")
    grid(svg, 458, top, cell, 4, 4, lambda y, x: GREEN)
    svg.arrow(576, top + 52, 596, top + 52)
    grid(svg, 604, top + 26, cell, 2, 2, lambda y, x: GREEN)
    y = top + 4 * cell + 30
    svg.text(20, y, "multiplications per output, channel and filter", 13, weight="bold")
    for row, (name, patch, tile, taps) in enumerate((("3 x 3, as defined", 0, 1, 3), ("F(2x2, 3x3)", 4, 2, 3),
                                                     ("F(4x4, 3x3)", 6, 4, 3), ("5 x 5, as defined", 0, 1, 5),
                                                     ("F(4x4, 5x5)", 8, 4, 5))):
        products = patch * patch / tile / tile if patch else taps * taps
        svg.text(20, y + 22 + 20 * row, name, 12)
        svg.box(150, y + 11 + 20 * row, int(20 * products), 13, BLUE if patch else ORANGE)
        svg.text(158 + int(20 * products), y + 22 + 20 * row, "%g" % products, 12)
    return svg.render()


# ---- TF32 ----------------------------------------------------------------------------------------


def bits_of(value):
    return struct.unpack("<I", struct.pack("<f", value))[0]


def float_of(bits):
    return struct.unpack("<f", struct.pack("<I", bits))[0]


def draw_split():
    """pi as a float and as the sum of two TF32 numbers. The rungs split weights in this way."""
    value = float_of(bits_of(3.14159265))
    high = float_of((bits_of(value) + 0x1000) & 0xFFFFE000)
    low = float_of(bits_of(value - high) & 0xFFFFE000)
    svg = Svg("A float as the sum of two TF32 numbers")
    left, cell, top = 62, 18, 44
    svg.text(20, 22, "pi in 32 bits: sign, exponent, fraction", 13, weight="bold")
    for row, (name, number) in enumerate((("float", value), ("high", high), ("low", low))):
        y = top + 44 * row
        svg.text(20, y + 16, name, 13, weight="bold")
        for i in range(32):
            bit = bits_of(number) >> (31 - i) & 1
            unused = row > 0 and i > 18
            colour = EMPTY if unused else (FAINT, ORANGE, BLUE)[0 if i == 0 else 1 if i < 9 else 2]
            colour = GREEN if colour == FAINT else colour
            svg.box(left + cell * i, y, cell, cell, colour, PAPER if not unused else GRID)
            svg.on(colour, left + cell * i + cell // 2, y + 13, bit if not unused else "", 11)
        svg.text(left + 32 * cell + 10, y + 16, "%.9g" % number, 12)
    y = top + 3 * 44 + 12
    assert abs(value - high - low) == 2.0 ** -22
    svg.text(20, y, "high + low = %.9g: off by one unit in the float's last place" % (high + low), 12)
    svg.text(20, y + 30, "a b  =  (a high + a low) (b high + b low)", 13, weight="bold")
    for column, (text, fill, note) in enumerate((("high x high", BLUE, "the product, nearly"),
                                                 ("high x low", SKY, "2^-11 of it"),
                                                 ("low x high", SKY, "2^-11 of it"),
                                                 ("low x low", EMPTY, "2^-22: left out"))):
        svg.box(20 + 170 * column, y + 44, 160, 26, fill, INK if fill == EMPTY else "none")
        svg.on(fill, 100 + 170 * column, y + 62, text, 13)
        svg.text(100 + 170 * column, y + 88, note, 11, "middle", FAINT)
    return svg.render()


PICTURES = {"08_im2col.svg": draw_im2col, "08_im2col.zh.svg": in_chinese(draw_im2col), "08_halo.svg": draw_halo,
            "08_halo.zh.svg": in_chinese(draw_halo), "08_winograd.svg": draw_winograd,
            "08_winograd.zh.svg": in_chinese(draw_winograd), "08_tf32.svg": draw_split,
            "08_tf32.zh.svg": in_chinese(draw_split)}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws step 08's notions.", PICTURES))
# SPDX-License-Identifier: MIT
