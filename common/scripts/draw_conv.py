#!/usr/bin/env python3
"""Draws step 08's notions: draw_conv.py --check | --update [--pictures FOLDER]

The im2col matrix, a tile and its halo, Winograd's transforms, a float as two TF32 numbers: pictures that follow
from a rule. --update writes docs/pictures/08_*.svg; --check compares.

Exit status: 0 all is as it should be, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import os
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, PAPER, SKY, Svg, draw_main, grid)  # noqa: E402


# ---- im2col --------------------------------------------------------------------------------------


def draw_im2col():
    """A channel of 4 x 4, a filter of 3 x 3, no padding: a row for each tap, a column for each output."""
    side, taps, cell = 4, 3, 30
    out = side - taps + 1
    svg = Svg("im2col: a convolution as a matrix product")
    shown = 1  # the output whose inputs are marked
    inputs = [[(y + r) * side + x + s for y in range(out) for x in range(out)] for r in range(taps)
              for s in range(taps)]
    marked = {row[shown] for row in inputs}
    svg.text(20, 22, "a channel of 4 x 4 inputs", 13, weight="bold")
    grid(svg, 20, 36, cell, side, side, lambda y, x: SKY if y * side + x in marked else EMPTY,
         lambda y, x: y * side + x)
    svg.text(20, 186, "the 3 x 3 inputs of output 1", 12)
    svg.text(20, 236, "a filter, as a row", 13, weight="bold")
    grid(svg, 20, 250, cell, 1, taps * taps, lambda y, x: ORANGE, lambda y, x: "w%d" % x)
    svg.text(20 + cell * taps * taps + 14, 271, "x", 16)
    left = 20 + cell * taps * taps + 40
    svg.text(left, 22, "the im2col matrix: a row for", 13, weight="bold")
    svg.text(left, 38, "each tap, a column for each output", 13, weight="bold")
    grid(svg, left, 70, cell, taps * taps, out * out, lambda y, x: SKY if x == shown else EMPTY,
         lambda y, x: inputs[y][x])
    for x in range(out * out):
        svg.text(left + cell * x + cell // 2, 62, "out %d" % x, 10, "middle", FAINT)
    for y in range(taps * taps):
        svg.text(left + cell * out * out + 8, 70 + cell * y + 19, "tap (%d, %d)" % (y // taps, y % taps), 11, colour=FAINT)
    right = left + cell * out * out + 100
    svg.text(right, 160, "=", 16)
    svg.text(right + 24, 130, "the outputs", 13, weight="bold")
    grid(svg, right + 24, 140, cell, 1, out * out, lambda y, x: GREEN if x == shown else EMPTY, lambda y, x: "out %d" % x, 9)
    svg.text(right + 24, 200, "16 inputs fill 36 places: each", 12)
    svg.text(right + 24, 216, "is there once for each of its uses.", 12)
    svg.text(right + 24, 240, "More filters are more rows on the", 12)
    svg.text(right + 24, 256, "left, more channels more rows of", 12)
    svg.text(right + 24, 272, "the matrix.", 12)
    return svg.render()


# ---- a tile and its halo -------------------------------------------------------------------------


def draw_halo():
    """A tile of inputs for 8 x 4 outputs, and what one thread of `direct` has in registers."""
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
            (ORANGE, "halo: inputs beyond the tile's own outputs, loaded again by the neighbour"),
            (BLUE, "a thread's outputs, 4 x 2, each for 8 filters: 64 sums"),
            (SKY, "with them: the 6 x 4 inputs that it loads for a channel (also where it covers halo)"))):
        svg.box(20, y + 20 * row, 12, 12, fill)
        svg.text(40, y + 20 * row + 11, text, 12)
    halo = (height + 2) * (width + 2) - height * width
    left = 20 + cell * (width + 2) + 40
    for line, text in enumerate((
            "Loaded for a channel and 32 outputs: %d inputs," % ((height + 2) * (width + 2)),
            "%d of them halo. Tiles of 64 x 8: 660 for 512." % halo,
            "",
            "A thread of direct: 24 inputs and 9 x 8 weights",
            "are 96 numbers, for 4 x 2 x 8 x 9 = 576 products.")):
        svg.text(left, 60 + 20 * line, text, 12)
    assert (64 + 2) * (8 + 2) == 660
    return svg.render()


# ---- Winograd ------------------------------------------------------------------------------------


def draw_winograd():
    """F(2x2, 3x3): which inputs a transformed number takes, and what it costs."""
    cell = 26
    svg = Svg("Winograd's F(2x2, 3x3)")
    b = ((1, 0, -1, 0), (0, 1, 1, 0), (0, -1, 1, 0), (0, 1, 0, -1))
    shown = (1, 2)
    signs = [[b[shown[0]][y] * b[shown[1]][x] for x in range(4)] for y in range(4)]
    assert sum(sign != 0 for row in signs for sign in row) == 4
    top = 56
    svg.text(20, 22, "4 x 4 inputs", 13, weight="bold")
    svg.text(20, 40, "d, of one channel", 11, colour=FAINT)
    grid(svg, 20, top, cell, 4, 4, lambda y, x: SKY if signs[y][x] else EMPTY,
         lambda y, x: {1: "+", -1: "-", 0: ""}[signs[y][x]], 14)
    svg.arrow(132, top + 52, 172, top + 52)
    svg.text(180, 22, "transformed", 13, weight="bold")
    svg.text(180, 40, "B^T d B: additions", 11, colour=FAINT)
    grid(svg, 180, top, cell, 4, 4, lambda y, x: BLUE if (y, x) == shown else EMPTY)
    svg.text(306, top + 58, "x", 16, "middle")
    svg.text(328, 22, "the filter, 4 x 4", 13, weight="bold")
    svg.text(328, 40, "G g G^T: made once", 11, colour=FAINT)
    grid(svg, 328, top, cell, 4, 4, lambda y, x: ORANGE if (y, x) == shown else EMPTY)
    svg.text(454, top + 58, "=", 16, "middle")
    svg.text(476, 22, "16 products", 13, weight="bold")
    svg.text(476, 40, "summed over channels", 11, colour=FAINT)
    grid(svg, 476, top, cell, 4, 4, lambda y, x: GREEN)
    svg.arrow(588, top + 52, 628, top + 52)
    svg.text(636, 22, "2 x 2 outputs", 13, weight="bold")
    svg.text(636, 40, "A^T m A: additions", 11, colour=FAINT)
    grid(svg, 636, top + 26, cell, 2, 2, lambda y, x: GREEN)
    y = top + 4 * cell + 28
    svg.text(20, y, "products of a channel, for each output", 13, weight="bold")
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
    """pi as a float, and as the sum of two TF32 numbers: as the rungs split weights."""
    value = float_of(bits_of(3.14159265))
    high = float_of((bits_of(value) + 0x1000) & 0xFFFFE000)
    low = float_of(bits_of(value - high) & 0xFFFFE000)
    svg = Svg("A float as the sum of two TF32 numbers")
    left, cell, top = 90, 22, 44
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
            svg.on(colour, left + cell * i + cell // 2, y + 16, bit if not unused else "", 11)
        svg.text(left + 32 * cell + 10, y + 16, "%.9g" % number, 12)
    y = top + 3 * 44 + 12
    assert abs(value - high - low) == 2.0 ** -22
    svg.text(20, y, "high + low = %.9g: off by one unit in the float's last place" % (high + low), 12)
    svg.text(20, y + 30, "a b  =  (a high + a low) (b high + b low)", 13, weight="bold")
    for column, (text, fill, note) in enumerate((("high x high", BLUE, "the product, nearly"),
                                                 ("high x low", SKY, "2^-11 of it"),
                                                 ("low x high", SKY, "2^-11 of it"),
                                                 ("low x low", EMPTY, "2^-22: left out"))):
        svg.box(20 + 190 * column, y + 44, 180, 26, fill, INK if fill == EMPTY else "none")
        svg.on(fill, 110 + 190 * column, y + 62, text, 13)
        svg.text(110 + 190 * column, y + 88, note, 11, "middle", FAINT)
    return svg.render()


PICTURES = {"08_im2col.svg": draw_im2col, "08_halo.svg": draw_halo, "08_winograd.svg": draw_winograd,
            "08_tf32.svg": draw_split}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws step 08's notions.", PICTURES))
# SPDX-License-Identifier: MIT
