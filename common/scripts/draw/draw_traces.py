#!/usr/bin/env python3
"""Draws what kernels do: draw_traces.py --check | --update BIN_DIR [--pictures FOLDER]

Runs the steps' programs of a simt build with --counters and SIMT_REQUESTS, which records every memory request
of a launch's first block. Draws from that which lane accesses which word, when, and in which bank or sector.
--update writes docs/pictures/*.svg; --check compares and so detects that a kernel has changed but its picture
has not. The pictures do not depend on the compiler: gcc's programs and clang's give the same pictures.
PICTURES, at the end, says which run each picture is drawn from.

Exit status: 0 no picture differs, 1 a picture differs, 2 bad usage, 3 the programs do not run, 4 a file cannot
be read or written. Prints "skipped: ..." if the programs in BIN_DIR do not count (cuda, sanitizers). Needs
nothing but Python 3.7."""
import functools
import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from draw_pipeline import draw_pipeline  # noqa: E402
from svg import BLUE, COLOURS, EMPTY, FAINT, GRID, ORANGE, PAPER, Failure, Svg, check_or_update, in_chinese, parser_of  # noqa: E402

WARP = 32
BANKS = 32


# ---- traces --------------------------------------------------------------------------------------


def trace(bin_dir, step, arguments, rung):
    """The requests of the rung's kernel in its first launch, in order."""
    program = os.path.join(bin_dir, step)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "requests.json")
        command = [program, *arguments.split(), "--rung", rung, "--counters"]
        result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True,
                                env=dict(os.environ, SIMT_REQUESTS=path), check=False)
        if result.returncode != 0 or not os.path.exists(path):
            raise Failure(3, "%s: exit status %d: %s" % (" ".join(command), result.returncode,
                                                         result.stderr.strip().split("\n")[-1]))
        with open(path, encoding="utf-8") as file:
            requests = json.load(file)
    kernel = rung
    mine = [request for request in requests if request["kernel"].split("<")[0] == kernel]
    if not mine:
        names = sorted({request["kernel"] for request in requests})
        raise Failure(3, "%s: no launch of %s, but of %s" % (" ".join(command), kernel, ", ".join(names)))
    first = mine[0]["launch"]
    return [request for request in mine if request["launch"] == first]


def lanes_of(request):
    return [lane for lane, offset in enumerate(request["offsets"]) if offset is not None]


def of_space(requests, space):
    return [request for request in requests if request["space"] == space]


def in_words(requests):
    """[(request, {lane: word})] for shared memory. Words are counted from the lowest word that is accessed."""
    lowest = min(offset for request in requests for offset in request["offsets"] if offset is not None)
    return [(request, {lane: (request["offsets"][lane] - lowest) // 4 for lane in lanes_of(request)})
            for request in requests]


def wavefronts(words, size):
    """The number of wavefronts of a shared-memory request: the most different words in one bank. Accesses of 8 bytes
    are counted per half warp, of 16 bytes per quarter (as simt_count_banks in common/simt/count/wavefronts.c)."""
    together = 32 if size <= 4 else 16 if size == 8 else 8
    turns = 0
    for first in range(0, WARP, together):
        in_bank = {}
        for lane, word in words.items():
            if first <= lane < first + together:
                for at in range(max(1, size // 4)):
                    in_bank.setdefault((word + at) % BANKS, set()).add(word + at)
        turns += max((len(bank) for bank in in_bank.values()), default=0)
    return turns


# ---- pictures ------------------------------------------------------------------------------------


def runs_of(lanes):
    """Writes {0, 1, 2, 5} as [(0, 3), (5, 1)]: first lane and count."""
    runs = []
    for lane in sorted(lanes):
        if runs and sum(runs[-1]) == lane:
            runs[-1] = (runs[-1][0], runs[-1][1] + 1)
        else:
            runs.append((lane, 1))
    return runs


def draw_lanes(bin_dir):
    """The lanes that store to the tree in each round: 8 warps side by side, one line per round."""
    svg = Svg("Which threads work in which round of three trees")
    y = 20
    for rung in ("interleaved", "strided", "sequential"):
        requests = of_space(trace(bin_dir, "05_gpu_shared_tree", "--n 1024", rung), "shared")
        stores = [request for request in requests if request["access"] == "store" and request["barriers"] > 0]
        loads = [request for request in requests if request["access"] == "load" and request["barriers"] > 0]
        rounds = max(request["barriers"] for request in stores)
        warps = 1 + max(request["warp"] for request in requests)
        svg.text(10, y, rung, 14, weight="bold")
        y += 8
        busy = 0
        for at in range(1, rounds + 1):
            here = {request["warp"]: set(lanes_of(request)) for request in stores if request["barriers"] == at}
            svg.text(62, y + 11, "round %d" % at, 11, "end", FAINT)
            for warp in range(warps):
                x = 70 + warp * 74
                lanes = here.get(warp, set())
                svg.box(x, y + 1, 2 * WARP, 12, ORANGE if lanes else EMPTY)
                for first, count in runs_of(lanes):
                    svg.box(x + 2 * first, y + 1, 2 * count, 12, BLUE)
            busy += len(here)
            count = sum(len(lanes) for lanes in here.values())
            svg.text(70 + warps * 74 + 4, y + 11, "%d thread%s in %d warp%s" % (
                count, "s" if count != 1 else "", len(here), "s" if len(here) != 1 else ""), 11)
            y += 15
        for warp in range(warps):
            svg.text(70 + warp * 74 + 32, y + 12, "warp %d" % warp, 11, "middle", FAINT)
        svg.text(70 + warps * 74 + 4, y + 12, "%d in all; %d loads" % (busy, len(loads)), 11, weight="bold")
        y += 40
    svg.box(70, y - 12, 12, 12, BLUE)
    svg.text(88, y - 2, "lane works", 11)
    svg.box(180, y - 12, 12, 12, ORANGE)
    svg.text(198, y - 2, "lane is off, but its warp is active", 11)
    svg.box(430, y - 12, 12, 12, EMPTY)
    svg.text(448, y - 2, "the whole warp has nothing to do", 11)
    return svg.render()


def draw_trees(bin_dir):
    """The words that each round stores, with the warp that stores them, and the words that it reads."""
    svg = Svg("Which words three trees combine, and which warp does it")
    left, wide, high, y = 92, 3, 15, 20
    colours = COLOURS[:7] + ("#5E4FA2",)  # COLOURS' grey is too similar to the grey of words that are read
    for rung in ("interleaved", "strided", "sequential"):
        requests = of_space(trace(bin_dir, "05_gpu_shared_tree", "--n 1024", rung), "shared")
        rounds = {}
        for request, words in in_words(requests):
            for lane, word in words.items():
                thread = rounds.setdefault(request["barriers"], {}).setdefault(
                    request["warp"] * WARP + lane, {"load": set(), "store": set()})
                thread[request["access"]].add(word)
        count = 1 + max(max(touched["store"]) for touched in rounds.pop(0).values())
        svg.text(10, y, rung, 14, weight="bold")
        y += 16
        for word in range(0, count + 1, WARP):
            svg.text(left + wide * word, y, word, 10, "middle", FAINT)
        svg.text(left - 14, y, "word", 10, "end", FAINT)
        y += 6
        for at in sorted(rounds):
            # At the end one thread reads the block's result and stores nothing.
            moves = [(thread, min(touched["store"]), max(touched["load"]))
                     for thread, touched in sorted(rounds[at].items()) if touched["store"]]
            if not moves:
                continue
            svg.text(left - 14, y + 11, "stride %d" % (moves[0][2] - moves[0][1]), 11, "end", FAINT)
            svg.box(left, y, wide * count, high - 2, EMPTY)
            for words, colour in [({move[2] for move in moves}, FAINT)] + [
                    ({move[1] for move in moves if move[0] // WARP == warp}, colours[warp])
                    for warp in range(count // WARP)]:
                for first, length in runs_of(words):
                    svg.box(left + wide * first, y, wide * length, high - 2, colour)
            warps = len({move[0] // WARP for move in moves})
            svg.text(left + wide * count + 8, y + 11, "%s by %s" % (plural(len(moves), "addition"), plural(warps, "warp")),
                     11)
            y += high
        y += 26
    for warp in range(count // WARP):
        svg.box(left + 95 * (warp % 4), y - 14 + 18 * (warp // 4), 12, 12, colours[warp])
        svg.text(left + 95 * (warp % 4) + 17, y - 4 + 18 * (warp // 4), "warp %d adds" % warp, 11)
    svg.box(left + 400, y - 14, 12, 12, FAINT)
    svg.text(left + 417, y - 4, "taken in by the word that lies a stride further left", 11)
    svg.box(left + 400, y + 4, 12, 12, EMPTY)
    svg.text(left + 417, y + 14, "not touched in this round", 11)
    return svg.render()


def bank_map(svg, y, title, words, size):
    """32 banks per line, one line per 32 words. Each cell shows the lane that loads it."""
    left, cell, high = 62, 24, 17
    svg.text(10, y, title, 13, weight="bold")
    y += 18
    for bank in range(BANKS):
        svg.text(left + cell * bank + cell // 2, y, bank, 11, "middle", FAINT)
    svg.text(left - 6, y, "bank", 11, "end", FAINT)
    y += 5
    wanted = {}
    for lane, word in words.items():
        for at in range(max(1, size // 4)):
            wanted.setdefault(word + at, []).append(lane)
    rows = sorted({word // BANKS for word in wanted})
    in_bank = {}
    for word in sorted(wanted):
        in_bank.setdefault(word % BANKS, []).append(word)
    for row in rows:
        svg.text(left - 6, y + 13, "word %d" % (row * BANKS), 11, "end", FAINT)
        for bank in range(BANKS):
            word = row * BANKS + bank
            turn = in_bank[bank].index(word) if word in wanted else None
            svg.box(left + cell * bank, y, cell, high, PAPER if turn is None else COLOURS[turn % len(COLOURS)], GRID)
            if turn is not None:
                lanes = wanted[word]
                text = str(lanes[0]) if len(lanes) == 1 else "%d+" % lanes[0]
                svg.on(COLOURS[turn % len(COLOURS)], left + cell * bank + cell // 2, y + 13, text, 11)
        y += high
    return y


def first_request(requests, **wanted):
    for request in requests:
        if all(request[name] == value for name, value in wanted.items()):
            return request
    raise Failure(3, "no request fits %s" % wanted)


def plural(count, word):
    return "%d %s%s" % (count, word, "" if count == 1 else "s")


def draw_banks(bin_dir):
    """Step 05: the left words that warp 0 loads, in two rounds of strided and in the first round of sequential."""
    svg = Svg("Banks of shared memory in the trees of step 05")
    y = 20
    for rung, at, name in (("strided", 1, "stride 1"), ("strided", 4, "stride 8"), ("sequential", 1, "stride 128")):
        requests = of_space(trace(bin_dir, "05_gpu_shared_tree", "--n 1024", rung), "shared")
        loads = [(request, words) for request, words in in_words(requests)
                 if request["access"] == "load" and request["warp"] == 0 and request["barriers"] == at]
        _, words = min(loads, key=lambda load: min(load[1].values()))  # the left one
        y = bank_map(svg, y, "%s, round %d (%s): warp 0 loads its left words: %s, %s" % (
            rung, at, name, plural(len(words), "lane"), plural(wavefronts(words, 4), "wavefront")), words, 4) + 30
    svg.text(10, y - 4, "In a cell: the lane that loads the word. A colour for each wavefront: in one, a bank serves"
             " one word.", 11)
    return svg.render()


def draw_gemm_banks(bin_dir):
    """Step 07: the 16-byte loads of B's tile by the first quarter of a warp, before and after the lanes were rearranged."""
    svg = Svg("Banks of shared memory in the loads of step 07")
    y = 20
    for rung in ("vectorized", "warp_tile"):
        requests = of_space(trace(bin_dir, "07_gemm", "--m 128 --n 128 --k 32", rung), "shared")
        # The inner loop loads twice from A's tile, then from B's. The load of B is the first that differs between lanes.
        loads = [request for request in requests if request["access"] == "load" and request["warp"] == 0
                 and request["bytes"] == 16 and request["barriers"] == 1
                 and request["offsets"][0] != request["offsets"][1]]
        _, words = in_words(loads[:1])[0]
        quarter = {lane: words[lane] for lane in range(8)}
        y = bank_map(svg, y, "%s: a quarter warp loads 16 bytes per lane from B's tile: %s" % (
            rung, plural(wavefronts(quarter, 16), "wavefront")), quarter, 16) + 30
    svg.text(10, y - 4, "In a cell: the lane that loads the word. A colour for each wavefront.", 11)
    return svg.render()


def sector_map(svg, y, title, offsets, size):
    """Each sector that the lanes access, as 8 words of 4 bytes. Requested words are blue."""
    asked = {}
    for lane, offset in enumerate(offsets):
        if offset is not None:
            for byte in range(offset, offset + size, 4):
                asked.setdefault(byte // 4, []).append(lane)
    sectors = sorted({word // 8 for word in asked})
    needed, moved = 4 * len(asked), 32 * len(sectors)
    svg.text(10, y, title, 13, weight="bold")
    svg.text(10, y + 17, "%s: %d bytes moved, %d of them requested" % (plural(len(sectors), "sector"), moved, needed), 12)
    y += 26
    across, cell, high = 4, 25, 16
    for number, sector in enumerate(sectors):
        x = 10 + (number % across) * (8 * cell + 12)
        line = y + (number // across) * (high + 6)
        for word in range(8):
            lanes = asked.get(sector * 8 + word)
            svg.box(x + cell * word, line, cell, high, BLUE if lanes else EMPTY, GRID)
            if lanes:
                svg.on(BLUE, x + cell * word + cell // 2, line + 12,
                       lanes[0] if len(lanes) == 1 else "all" if len(lanes) == WARP else "%d+" % lanes[0], 10)
    return y + (len(sectors) + across - 1) // across * (high + 6)


def draw_sectors(svg, bin_dir, parts):
    y = 20
    for step, arguments, rung, which, title in parts:
        requests = [request for request in of_space(trace(bin_dir, step, arguments, rung), "global")
                    if request["warp"] == 0 and request["access"] == "load"]
        # Each input has its own allocation. Sorting their addresses tells which input a request is for.
        bases = sorted({request["base"] for request in requests})
        request = first_request(requests, base=bases[which])
        lowest = min(offset for offset in request["offsets"] if offset is not None) // 32 * 32
        offsets = [None if offset is None else offset - lowest for offset in request["offsets"]]
        y = sector_map(svg, y, "%s: %s" % (rung, title), offsets, request["bytes"]) + 26
    svg.text(10, y - 4, "A row of 8 cells: a sector of 32 bytes. Blue: a word that a lane requests, with the lane's number.", 11)
    return svg.render()


def draw_coalescing(bin_dir):
    shape = "--m 128 --n 128 --k 32"
    return draw_sectors(Svg("Sectors of global memory that a warp's first loads touch in step 07"), bin_dir, (
        ("07_gemm", shape, "naive_rows", 0, "a warp's load of A, neighbouring lanes in neighbouring rows"),
        ("07_gemm", shape, "naive", 0, "a warp's load of A, all lanes in one row"),
        ("07_gemm", shape, "naive", 1, "a warp's load of B, neighbouring lanes in neighbouring columns")))


def draw_rows(bin_dir):
    shape = "--ladder rows --m 256 --n 512"
    return draw_sectors(Svg("Sectors of global memory that a warp's first load touches in step 06"), bin_dir, (
        ("06_gpu_warp_shuffle", shape, "row_thread", 0, "a lane for each row"),
        ("06_gpu_warp_shuffle", shape, "row_warp", 0, "lanes side by side in one row")))


PICTURES = {
    "05_lanes.svg": draw_lanes,
    "05_lanes.zh.svg": in_chinese(draw_lanes),
    "05_trees.svg": draw_trees,
    "05_trees.zh.svg": in_chinese(draw_trees),
    "05_banks.svg": draw_banks,
    "05_banks.zh.svg": in_chinese(draw_banks),
    "06_sectors.svg": draw_rows,
    "06_sectors.zh.svg": in_chinese(draw_rows),
    "07_sectors.svg": draw_coalescing,
    "07_sectors.zh.svg": in_chinese(draw_coalescing),
    "07_banks.svg": draw_gemm_banks,
    "07_banks.zh.svg": in_chinese(draw_gemm_banks),
    "07_pipeline.svg": draw_pipeline,
    "07_pipeline.zh.svg": in_chinese(draw_pipeline),
}


def counts(bin_dir):
    """Whether the programs count. Programs for a GPU and programs with sanitizers do not."""
    program = os.path.join(bin_dir, "05_gpu_shared_tree")
    if not os.path.exists(program):
        return False
    result = subprocess.run([program, "--n", "1", "--counters"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                            universal_newlines=True, check=False)
    return "cannot count" not in result.stderr and "ncu --" not in result.stdout


def main():
    parser = parser_of("Draws pictures from the kernels' requests to memory.")
    parser.add_argument("bin_dir", metavar="BIN_DIR", help="the programs of a build with the preset simt")
    options = parser.parse_args()
    if not counts(options.bin_dir):
        print("skipped: %s has no programs that count; they are built with the preset simt" % options.bin_dir)
        return 0
    wrong = check_or_update(options, [(name, functools.partial(draw, options.bin_dir))
                                      for name, draw in PICTURES.items()])
    if wrong:
        print("draw_traces.py: common/scripts/draw/draw_traces.py --update %s draws them anew" % options.bin_dir,
              file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failure as failure:
        print("draw_traces.py: %s" % failure, file=sys.stderr)
        sys.exit(failure.status)
    except (OSError, UnicodeDecodeError) as problem:
        print("draw_traces.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
