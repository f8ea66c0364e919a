#!/usr/bin/env python3
"""Draws step 07's shapes of C in float32: draw_gemm_shapes.py --check | --update [--pictures FOLDER]

The rungs from `overlapped` on: launches and multiprocessors, equal shares of the steps along k, slices of a small tile,
sums added later and in clusters, rows that are not aligned, few rows, edges, narrow and small tiles. Pictures that
follow from a rule and from the kernels' constants, as those of draw_gemm.py do. --update writes docs/pictures/07_*.svg;
--check compares.

Exit status: 0 all is as it should be, 1 a picture differs, 2 bad usage, 4 a file cannot be read or written.
Needs nothing but Python 3.7."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from svg import (BLUE, COLOURS, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, PAPER, RED, SKY, Svg, constants_in,  # noqa: E402
                 draw_main, grid)


# ---- launches that overlap -----------------------------------------------------------------------


def draw_overlapped():
    """Two launches of as many tiles as one multiprocessor less than there are, and programmatic dependent launch."""
    svg = Svg("The end of a launch and the beginning of the next: to_and_fro and overlapped")
    ends, ring, gap, length, height, left = (250, 236, 262, 244, 0), 40, 44, 170, 22, 140
    last, rows = max(ends), len(ends)
    y = 20
    for name, note, overlaps in (
            ("to_and_fro", "the next launch begins when all blocks of this one have ended", False),
            ("overlapped", "its blocks begin, and make their rings, where there is room, and wait", True)):
        svg.text(20, y, name, 13, weight="bold")
        svg.text(left, y, note, 11, colour=FAINT)
        y += 14
        svg.line(left + last, y - 4, left + last, y + rows * (height + 4) + 2, INK, 1, "4 3")
        for processor, end in enumerate(ends):
            row = y + processor * (height + 4)
            svg.text(20, row + 15, "multiprocessor %d" % processor, 11, colour=FAINT)
            if end:
                svg.box(left, row, end - 1, height, BLUE, PAPER)
                svg.on(BLUE, left + end // 2, row + 15, "launch 1: multiplies", 11)
            if end == (last if overlaps else 0):
                continue  # launch 2 has a tile less, too: for the one where there was room last
            start = max(end, 36) + 4 if overlaps else last + gap
            begin = max(start + ring, last + 6)
            svg.box(left + start, row, ring - 1, height, ORANGE, PAPER)
            svg.on(ORANGE, left + start + ring // 2, row + 15, "ring", 11)
            if begin > start + ring:
                svg.box(left + start + ring, row, begin - start - ring - 1, height, EMPTY, GRID)
                svg.on(EMPTY, left + (start + ring + begin) // 2, row + 15, "waits", 11)
            svg.box(left + begin, row, length, height, GREEN, PAPER)
            svg.on(GREEN, left + begin + length // 2, row + 15, "launch 2: multiplies", 11)
        svg.text(left + last, y + rows * (height + 4) + 14, "launch 1 has ended", 11, "middle")
        y += rows * (height + 4) + 44
    svg.text(20, y - 6, "From left to right: time, not to scale; here launches of %d tiles on %d multiprocessors. Two rings do "
             "not fit in a multiprocessor." % (rows - 1, rows), 12)
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


# ---- sums added later ----------------------------------------------------------------------------


def draw_added_later():
    """C of 64 x 64, k of 65536: the parts of one tile, added by a block or by all. The numbers of blocks are plan.c's."""
    side, threads, of_warp = 64, constants_in("07_gemm/float32/parts/stream_k_work.cuh", "ADD_THREADS"), 128
    warps, parts, blocks = threads // 32, 128, (64, 128)
    adding = side * side * warps // 1024  # blocks of add_parts: all warps of a block take the same elements
    svg = Svg("The partial sums of a tile: one block adds them, or many")
    left, top, wide, high = 30, 66, 384, 256
    svg.text(left - 10, 20, "sliced_tiles, 64 x 64 x 65536: %d blocks" % blocks[0], 13, weight="bold")
    svg.text(left - 10, 38, "the last of them adds up the others' %d parts, one after another" % (blocks[0] - 1), 11,
             colour=FAINT)
    step = high // blocks[0]
    for part in range(blocks[0] - 1):
        svg.box(left, top + step * part, wide, step - 1, ORANGE)
    svg.arrow(left + wide + 10, top, left + wide + 10, top + step * (blocks[0] - 1))
    svg.text(left + wide + 16, top + high // 2, "time", 11, colour=FAINT)
    left += wide + 80
    svg.text(left - 10, 20, "added_later: %d blocks" % blocks[1], 13, weight="bold")
    svg.text(left - 10, 38, "then %d blocks of %d warps add up %d parts, each warp %d of them" % (
        adding, warps, parts, parts // warps), 11, colour=FAINT)
    for warp in range(warps):
        for block in range(adding):
            svg.box(left + wide * block // adding, top + high * warp // warps, wide // adding - 1, high // warps - 1,
                    COLOURS[warp])
    for at in (30, left):
        svg.text(at, top - 8, "the tile's %d x %d elements, %d at a time" % (side, side, of_warp)
                 if at == left else "the tile's %d x %d elements" % (side, side), 11, colour=FAINT)
    svg.text(20, top + high + 24, "Left: a row is what a block has left in memory. Right: a row is %d of these, and a cell is one "
             "warp's work; a colour is the same" % (parts // warps), 12)
    svg.text(20, top + high + 40, "warp of each block. All cells are added up at the same time, and then the %d sums of a block's "
             "warps." % warps, 12)
    return svg.render()


# ---- clusters ------------------------------------------------------------------------------------


def draw_clustered():
    """1024^3: the way of the partial sums of two blocks that share a tile, without a cluster and in one."""
    fours, side, blocks = 16, 128, 2  # a thread's fours in a tile of 128 x 128: 4 rows of 16, its slice's share
    svg = Svg("The sums of two blocks that share a tile: by way of global memory, and in a cluster")
    wide, high, top, step = 120, 11, 84, 180
    left = 30
    for name, note, clustered in (
            ("added_later", "all sums go to global memory and, in a second launch, back", False),
            ("clustered", "each block reads half of the other's sums where they are, and stores half of the tile", True)):
        svg.text(left - 10, 20, name, 13, weight="bold")
        svg.text(left - 10, 38, note, 11, colour=FAINT)
        for block in range(blocks):
            x = left + step * block
            svg.text(x, top - 22, "block %d" % block, 11)
            svg.text(x, top - 8, "shared memory" if clustered else "registers", 11, colour=FAINT)
            for four in range(fours):
                svg.box(x, top + high * four, wide, high - 1,
                        (BLUE if four < fours // 2 else ORANGE) if clustered else SKY)
        bottom = top + high * fours
        if clustered:
            middle = left + wide
            svg.arrow(left + step, top + high * fours // 4, middle, top + high * fours // 4)
            svg.arrow(middle, top + high * fours * 3 // 4, left + step, top + high * fours * 3 // 4)
            for block, colour in enumerate((BLUE, ORANGE)):
                x = left + step * block
                svg.arrow(x + wide // 2, bottom + 2, x + wide // 2, bottom + 26)
                svg.box(x, bottom + 30, wide, 22, colour)
                svg.on(colour, x + wide // 2, bottom + 45, "half of C's tile", 11)
        else:
            for block in range(blocks):
                x = left + step * block
                svg.arrow(x + wide // 2, bottom + 2, x + wide // 2, bottom + 26)
                svg.box(x, bottom + 30, wide, 22, SKY)
                svg.on(SKY, x + wide // 2, bottom + 45, "global memory", 11)
                svg.arrow(x + wide // 2, bottom + 54, left + (step + wide) // 2, bottom + 78)
            svg.box(left + (step + wide) // 2 - 75, bottom + 82, 150, 22, GREEN)
            svg.on(GREEN, left + (step + wide) // 2, bottom + 97, "add_parts: C's tile", 11)
        left += step * blocks + 60
    svg.text(20, top + high * fours + 128, "A stripe is one of the %d fours of sums of each thread, of a tile of %d x %d; a colour, "
             "the block that adds them up." % (fours, side, side), 12)
    return svg.render()


# ---- shares --------------------------------------------------------------------------------------


def draw_in_shares():
    """64 x 64 x 65536: what each of the blocks of a tile leaves in global memory, and what it adds up. As plan.c divides."""
    side, blocks, shown = 64, 128, 8
    svg = Svg("The sums of the blocks of one tile: each block adds up a share of all")
    left, top, wide, high = 120, 66, 60, 24
    svg.text(20, 20, "added_in_shares, 64 x 64 x 65536: %d blocks, of which the first %d are shown" % (blocks, shown), 13,
             weight="bold")
    svg.text(20, 38, "the parts of the tile's %d elements in global memory; a share has %d elements" % (
        side * side, side * side // blocks), 11, colour=FAINT)
    for block in range(shown):
        svg.text(20, top + high * block + 16, "from block %d" % block, 11, colour=FAINT)
        for share in range(shown):
            svg.box(left + wide * share, top + high * block, wide - 1, high - 1, COLOURS[share % len(COLOURS)])
        svg.text(left + wide * shown + 8, top + high * block + 16, "...", 11, colour=FAINT)
    bottom = top + high * shown
    for share in range(shown):
        middle = left + wide * share + wide // 2
        svg.text(middle, bottom + 10, "...", 11, "middle", FAINT)
        svg.arrow(middle, bottom + 18, middle, bottom + 38)
        svg.text(middle, bottom + 54, "block %d" % share, 11, "middle")
    svg.text(20, bottom + 84, "A row is what a block has left. When all %d have left theirs, each block reads one column, and stores "
             "that share of C." % blocks, 12)
    return svg.render()


# ---- rows that are not aligned -------------------------------------------------------------------


def draw_aligned_copies():
    """Where the first rows of a B of 2049 columns begin in lines of 128 bytes, and where those of its copy do."""
    columns, line, rows, cell, top = 2049, 32, 8, 12, 78
    pitch = (columns + line - 1) // line * line  # aligned_pitch
    svg = Svg("Rows of B as they lie, and in an aligned copy")
    left = 64
    for name, leading in (("B, %d columns" % columns, columns), ("its copy: rows %d floats apart" % pitch, pitch)):
        begins = [row * leading % line for row in range(rows)]
        good = sum(begin % 4 == 0 for begin in begins)
        svg.text(left - 44, 20, name, 13, weight="bold")
        svg.text(left - 44, 38, "%d of %d rows begin at a multiple of 16 bytes" % (good, rows), 11, colour=FAINT)
        for x in range(0, line + 1, 4):
            svg.text(left + cell * x, top - 6, 4 * x, 9, "middle", FAINT)
        for row, begin in enumerate(begins):
            svg.text(left - 8, top + 26 * row + 14, "row %d" % row, 11, "end", FAINT)
            for x in range(line):
                colour = (BLUE if begin % 4 == 0 else RED) if x == begin else SKY if x > begin else EMPTY
                svg.box(left + cell * x, top + 26 * row, cell, 20, colour, PAPER if x >= begin else GRID)
        for x in range(0, line + 1, 4):
            svg.line(left + cell * x, top - 3, left + cell * x, top + 26 * rows - 4, INK, 1, "2 2")
        left += cell * line + 84
    y = top + 26 * rows + 20
    svg.text(20, y, "The line of 128 bytes in which a row begins, a cell for each float, with its byte above. Dark blue: a "
             "first float from which the TMA can copy;", 12)
    svg.text(20, y + 16, "red: one from which it cannot. Grey: the end of the row before.", 12)
    return svg.render()


# ---- few rows ------------------------------------------------------------------------------------


def draw_thin():
    """5 x 5000 x 5000: B's blocks (k in 6 parts, plan.c), and what one block has in flight."""
    lane, turn = constants_in("07_gemm/any_shape/float32/thin.cuh", "LANE"), constants_in("07_gemm/any_shape/float32/few_rows.cu", "TURN")
    threads = constants_in("07_gemm/any_shape/float32/split_k_ticket.cuh", "SPLIT_THREADS")
    rows, columns, splits, warps, strip = 5, 5000, 6, threads // 32, 32 * lane
    strips, ahead = (columns + strip - 1) // strip, turn // warps
    svg = Svg("A product with few rows: what blocks, warps and lanes read of B")
    left, top, wide, high = 60, 66, 6, 38
    svg.text(20, 20, "%d x %d x %d: %d blocks" % (rows, columns, columns, strips * splits), 13, weight="bold")
    svg.text(20, 38, "B in %d strips of %d columns, k in %d parts" % (strips, strip, splits), 11, colour=FAINT)
    at = (2, 12)
    for y in range(splits):
        for x in range(strips):
            svg.box(left + wide * x, top + high * y, wide, high, SKY if (y, x) == at else EMPTY, GRID)
    svg.text(left - 6, top + high * splits // 2, "k", 11, "end", FAINT)
    below = top + high * splits + 16
    for x in range(strips):
        svg.box(left + wide * x, below, wide, 10, GREEN if x == at[1] else EMPTY, GRID)
    svg.text(left - 6, below + 9, "C", 11, "end", FAINT)
    cell, right = 13, left + wide * strips + 110
    shown, tall = 2 * warps, 15
    svg.text(right - 10, 20, "thin: a block", 13, weight="bold")
    svg.text(right - 10, 38, "32 lanes of a warp read %d floats of a row, 16 bytes each; a warp every %dth row, %d at a time" % (
        strip, warps, ahead), 11, colour=FAINT)
    for p in range(shown):
        colour = COLOURS[p % warps]
        for x in range(32):
            svg.box(right + cell * x, top + tall * p, cell - 1, tall - 1, colour)
        svg.text(right - 6, top + tall * p + 11, p, 10, "end", FAINT)
        svg.text(right + cell * 32 + 6, top + tall * p + 11, "warp %d, load %d" % (p % warps, p // warps), 10, colour=FAINT)
    svg.text(right + cell * 16, top + tall * shown + 12, "... to row %d" % (turn - 1), 11, "middle", FAINT)
    svg.line(left + wide * (at[1] + 1), top + high * at[0], right - 24, top, FAINT, 1, "3 3")
    svg.line(left + wide * (at[1] + 1), top + high * (at[0] + 1), right - 24, top + tall * shown, FAINT, 1, "3 3")
    svg.text(20, below + 36, "A number is a row of B, counted from the block's first: %d rows are on their way to registers at "
             "once. A's %d rows wait in shared memory." % (turn, rows), 12)
    svg.text(20, below + 52, "In the end the %d warps' sums are added up, and those of the %d blocks of a strip." % (warps, splits), 12)
    return svg.render()


# ---- a stream of B -------------------------------------------------------------------------------


def draw_streamed():
    """16 x 4096 x 4096: a block's part of B, the ring that it passes through, and what a warp takes of a stage."""
    depth, (_, fours, stages, _) = constants_in("07_gemm/any_shape/float32/few_rows_streamed.cu", "DEPTH", "Streamed")
    warps, columns, shown = constants_in("07_gemm/any_shape/float32/split_k_ticket.cuh", "SPLIT_THREADS") // 32, 128 * fours, 9
    svg = Svg("B's way through the ring of a block with 16 rows of C")
    top, high, cell, left = 66, 26, 10, 40
    svg.text(20, 20, "B, %d columns of it" % columns, 13, weight="bold")
    svg.text(20, 38, "a block's values of p, %d in a stage" % depth, 11, colour=FAINT)
    colours = {1: EMPTY, 2: ORANGE}  # and those on their way
    for stage in range(shown):
        colour = colours.get(stage, SKY if 2 < stage < 1 + stages else EMPTY)
        svg.box(left, top + high * stage, 110, high - 2, colour, GRID)
        svg.on(colour, left + 55, top + high * stage + 16, "stage %d" % stage, 11)
    svg.text(left + 55, top + high * shown + 12, "...", 11, "middle", FAINT)
    ring = left + 220
    svg.text(ring - 10, 20, "the ring", 13, weight="bold")
    svg.text(ring - 10, 38, "%d stages in shared memory" % stages, 11, colour=FAINT)
    for stage in range(1, 1 + stages):
        colour, y = colours.get(stage, SKY), top + (high + 8) * (stage % stages)
        svg.box(ring, y, 130, high, colour, GRID)
        svg.on(colour, ring + 65, y + 17, "stage %d: %s" % (stage, {1: "was read", 2: "is read"}.get(stage, "on its way")), 11)
        svg.line(left + 112, top + high * stage + high // 2, ring - 4, y + high // 2, FAINT, 1, "3 3")
    right = ring + 220
    svg.text(right - 10, 20, "a stage", 13, weight="bold")
    svg.text(right - 10, 38, "32 lanes with 4 columns each; %d values of p a warp" % (depth // warps), 11, colour=FAINT)
    for p in range(depth):
        for x in range(columns // 4):
            svg.box(right + cell * x, top + 8 * p, cell - 1, 7, COLOURS[p // (depth // warps)])
    for warp in range(warps):
        svg.text(right + cell * columns // 4 + 8, top + 8 * (depth // warps) * warp + 20, "warp %d" % warp, 11)
    y = max(top + high * shown, top + 8 * depth) + 34
    svg.text(20, y, "While a stage is read, the TMA brings the next %d: %d KB of B are on their way to each block, and no register "
             "waits for them." % (stages - 2, (stages - 2) * depth * columns * 4 // 1024), 12)
    return svg.render()


# ---- what L2 keeps -------------------------------------------------------------------------------


def draw_kept():
    """Two products with the same B of 4096 x 4096, on a GPU with 50 MB of L2: what is found there, as plan.c hints."""
    whole, l2, per_cent = 64, 50, 45  # MB, and of L2 (floats_to_keep)
    kept = l2 * per_cent / 100
    scale, top, wide, left = 4, 66, 120, 30
    svg = Svg("What two products with the same B find in L2, without hints and with them")
    for name, note, hinted in (("streamed", "each line is evicted before its turn comes again", False),
                               ("kept_in_l2", "what passes evicts what passed, and the first part stays", True)):
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
    svg.text(end + 16, top + 26, "but for its last row", 11)
    svg.text(end + 16, bottom + 8, "few_rows: the last row", 11)
    svg.text(20, bottom + 36, "Red: a tile that has one row or one column of C, and as many products as any other.", 12)
    return svg.render()


# ---- beyond k ------------------------------------------------------------------------------------


def draw_short_stage():
    """The stages of a tile of 5000 x 5000 x 100, in turns of 8 values of p: all of them, and those up to k."""
    k, turn, depth = 100, 8, constants_in("07_gemm/float32/parts/ring.cuh", "typedef Tile")[3]
    cell, high, left, top = 34, 30, 130, 46
    stages = -(-k // depth)
    svg = Svg("The last stage of a tile, multiplied beyond k and up to k")
    svg.text(20, 22, "A tile's values of p, %d of them, in %d stages of %d" % (k, stages, depth), 13, weight="bold")
    for row, (name, turns) in enumerate((("edges", stages * depth // turn), ("short_stage", -(-k // turn)))):
        y = top + row * (high + 34)
        svg.text(20, y + 20, name, 12)
        for i in range(stages * depth // turn):
            x = left + i * cell + i * turn // depth * 12
            inside = min(max(k - i * turn, 0), turn) * cell // turn
            multiplied = i < turns
            svg.box(x, y, cell, high, RED if multiplied else PAPER, GRID)
            if inside:
                svg.box(x, y, inside, high, SKY, GRID)
        svg.text(left + stages * depth // turn * cell + stages * 12 + 4, y + 20, "%d turns" % turns, 11)
    svg.text(20, top + 2 * (high + 34) + 4, "A box is a turn of a consumer's loop, %d values of p. Light blue: values up to k. Red: zeros "
             "that are multiplied all the same." % turn, 12)
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


# ---- small products ------------------------------------------------------------------------------


def draw_small_tiles():
    """256 x 256 x 256: tiles of 64 x 64, k in 4 parts, and of 16 x 32, as plan.c has them."""
    side, top = 256, 66
    rows, columns, warps, chunk, resident = constants_in("07_gemm/any_shape/float32/small_tiles.cu", "Small")
    svg = Svg("C of 256 x 256: 64 blocks of the ring's kernel, and 128 of small_tiles")
    left = 20
    for name, high, wide, parts, sharing, each, stage, note in (
            ("narrow", 64, 64, 4, 8, 8, 64, "a ring; then a kernel that adds up the parts"),
            ("any_shape", rows, columns, 1, warps, chunk, warps * chunk, "a ring for each warp")):
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


PICTURES = {"07_overlapped.svg": draw_overlapped, "07_stream_k.svg": draw_stream_k, "07_slices.svg": draw_slices,
            "07_added_later.svg": draw_added_later, "07_clustered.svg": draw_clustered,
            "07_in_shares.svg": draw_in_shares, "07_aligned_copies.svg": draw_aligned_copies, "07_thin.svg": draw_thin, "07_edges.svg": draw_edges,
            "07_short_stage.svg": draw_short_stage,
            "07_narrow.svg": draw_narrow, "07_streamed.svg": draw_streamed, "07_kept.svg": draw_kept,
            "07_small_tiles.svg": draw_small_tiles}


if __name__ == "__main__":
    sys.exit(draw_main(os.path.basename(__file__), "Draws step 07's shapes of C in float32.", PICTURES))
# SPDX-License-Identifier: MIT
