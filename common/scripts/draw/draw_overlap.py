"""What overlaps if several GPUs multiply together: a picture of step 07's rungs on four GPUs, for draw_notions.py. It
follows from the rungs' rule. A GPU computes its products in one stream and receives pieces in another, each in order. A
product waits for its pieces. The times are computed, not measured: a product takes its share of one H200's measured
time, and a piece takes the time that follows from the nominal rate of the link."""
from svg import BLUE, EMPTY, FAINT, GREEN, GRID, INK, ORANGE, Svg

SIZE, GPUS = 8192, 4
LINK = 450e3  # bytes per microsecond in one direction: 18 links of NVLink 4 (NVIDIA's H200 data sheet)
SCALE, LEFT, HIGH = 0.95, 128, 22  # width of a microsecond; left edge of the bars; height of a bar


def first_all(gpu):
    """all_gather: [(piece received, its share of a matrix)], [(product, its share of C, received pieces it waits for)]."""
    others = [(gpu + step) % GPUS for step in range(1, GPUS)]
    return [("B%d" % piece, 1 / GPUS) for piece in others], [("all of B", 1 / GPUS, GPUS - 1)]


def in_pieces(gpu):
    """nccl_pieces and copy_engines: one product per piece of B, the GPU's own piece first."""
    order = [(gpu + step) % GPUS for step in range(GPUS)]
    return [("B%d" % piece, 1 / GPUS) for piece in order[1:]], [
        ("B%d" % piece, 1 / GPUS ** 2, step) for step, piece in enumerate(order)]


def in_grid(gpu):
    """grid, 2 x 2: the GPU receives one piece of B and one of A, and computes four products."""
    row, column = gpu // 2, gpu % 2
    a = [row * 2 + (column + i) % 2 for i in range(2)]
    b = [column * 2 + (row + i) % 2 for i in range(2)]
    return [("B%d" % b[1], 1 / GPUS), ("A%d" % a[1], 1 / GPUS)], [
        ("A%d B%d" % (a[i], b[j]), 1 / GPUS ** 2, 2 if i else j) for i in range(2) for j in range(2)]


def schedule(rung, gpu, one_gpu_us):
    """Returns [(received piece, from, to)] and [(product, from, to)], in microseconds."""
    comes, products = rung(gpu)
    received, made, now = [], [], 0
    for name, share in comes:
        received.append((name, now, now + share * SIZE * SIZE * 2 / LINK))
        now = received[-1][2]
    now = 0
    for name, share, needs in products:
        begin = max(now, received[needs - 1][2] if needs else 0)
        now = begin + share * one_gpu_us
        made.append((name, begin, now))
    return received, made


def draw_overlap(one_gpu_us):
    """What GPUs 0 and 1 receive and multiply. Time runs from left to right."""
    svg = Svg("Four GPUs multiply: what overlaps")
    svg.text(10, 16, "C = A B in bfloat16, %d x %d x %d, on four GPUs: what each rung lets overlap" % (SIZE, SIZE, SIZE),
             13, "start", INK, "bold")
    top, right = 40, 0
    for title, rung in (("all_gather", first_all), ("nccl_pieces, copy_engines", in_pieces), ("grid of 2 x 2", in_grid)):
        plans = [schedule(rung, gpu, one_gpu_us) for gpu in range(2)]
        end = max(made[-1][2] for _, made in plans)
        right = max(right, LEFT + round(end * SCALE))
        svg.text(LEFT, top, title, 12, "start", INK, "bold")
        svg.text(LEFT + round(end * SCALE), top, "%d us" % round(end), 12, "end", INK)
        top += 8
        for gpu, (received, made) in enumerate(plans):
            for name, operations, colour in (("receives", received, ORANGE), ("multiplies", made, GREEN)):
                svg.text(LEFT - 8, top + 15, "GPU %d %s" % (gpu, name), 11, "end")
                svg.box(LEFT, top, round(end * SCALE), HIGH, EMPTY)
                for label, begin, to in operations:
                    x, wide = LEFT + round(begin * SCALE), round((to - begin) * SCALE)
                    svg.box(x, top, wide - 1, HIGH, colour)
                    svg.on(colour, x + wide // 2, top + 15, label, 11)
                top += HIGH + 2
            top += 4
        top += 22
    svg.line(LEFT, top - 14, right, top - 14, GRID)
    svg.text(right, top, "time", 11, "end", FAINT)
    for colour, text in ((ORANGE, "a piece comes from the GPU of that number (in the grid: from that one's owner)"),
                         (GREEN, "the product with that piece"), (EMPTY, "nothing to do, or nothing left to do")):
        top += 18
        svg.box(LEFT, top - 10, 12, 12, colour)
        svg.text(LEFT + 18, top, text, 11)
    svg.text(LEFT, top + 22, "Not measured: products take their share of what one H200 took, copies what 450 GB/s make of them.",
             11, "start", BLUE)
    return svg.render()
# SPDX-License-Identifier: MIT
