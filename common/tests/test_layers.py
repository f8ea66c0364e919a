#!/usr/bin/env python3
"""Tests that includes between layers go one way: test_layers.py [--list]

ROOMS lists the layers (directories). This test reads every #include "..." of the project. It fails if a layer
includes a layer that comes later in ROOMS, or if a directory or file is in no layer. --list prints the arrows.

It also finds calls without an include: a function or object that a layer's header declares and that a C
source of an earlier layer names.

Exit status: 0 every arrow is allowed, 1 an arrow is not. Needs nothing but Python 3.7."""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "common", "scripts", "check"))
import tracked  # noqa: E402

# The layers of the CPU back end, which is a CUDA runtime of its own, also from the ground up.
SIMT = ["common/simt/" + name for name in (
    "cuda",     # the headers that a CUDA program includes, and the interface behind them
    "cc",       # the rewriter of simtcc, which changes a source before the compiler reads it
    "base",     # code that all the others share
    "program",  # facts about the running program: its symbols, its source lines
    "observe",  # records events of instrumented code and of the machine, and passes them to observers
    "memory",   # the device's memory and the kernels' heap
    "machine",  # runs blocks, warps and threads
    "model",    # interprets a warp's recorded events: which lanes execute together
    "check",    # finds races, accesses out of bounds, reads of memory never written
    "count",    # counts requests, sectors and wavefronts; prints them
    "explore",  # writes the events of the watched blocks as a page
    "api",      # the functions that the host calls
    "tests",
)]

# Each problem's folder is a separate layer, because no problem may use another, except for these.
MADE_OF = {"common/problem/matrix_reduction": "common/problem/reduction"}
PROBLEMS = sorted({os.path.dirname(path) for path in tracked.files(ROOT)
                   if re.match("common/problem/[^/]+/[^/]+$", path)},
                  key=lambda room: (room in MADE_OF, room))

# From the ground up: a layer may include itself and the layers before it.
ROOMS = [
    "docs/programs",  # complete programs: they use no layer, and no layer uses them
    "common/base",
] + SIMT + [  # only EXCEPTIONS, the grader and tests may use more of these
    "common/device",
    "common/problem",
] + PROBLEMS + [
    "common/kernel",
    "common/library",
    "common/measure",
    "common/report",
    "common/run",
    "common/exercise",
    "step",  # 01_cpu_naive to 08_conv, and their exercises
    "common/tests",
]

# Layers that may not use each other although one comes before the other.
APART = {
    **{room: [other for other in PROBLEMS if other not in (room, MADE_OF.get(room))] for room in PROBLEMS},
    "common/report": ["common/library", "common/kernel"],
    "common/run": ["common/library", "common/kernel"] + PROBLEMS,
    "common/measure": ["common/library", "common/kernel"] + PROBLEMS,
    "common/kernel": ["common/device"],
}

# (file, included file): the reason why this is allowed.
EXCEPTIONS = {
    ("common/device/simt.c", "common/simt/cuda/simt.h"): "the one door to the CPU back end: its counters",
    ("common/device/simt.c", "common/simt/cuda/simt_analysis.h"): "the same door: its analysis",
    ("common/problem/conv/conv.c", "common/problem/gemm/gemm.h"):
        "im2col is a matrix product: its workspace is part of the convolution's",
}
# Layers whose headers and sources calls() does not read.
UNREAD = ["step", "common/tests", "common/exercise", "common/simt/cc", "common/simt/tests"]


# The folders of a step, from the ground up: a file may include its own folder and those before it. The other
# entries are files: the header that every ladder includes, and the files that list the ladders.
FOLDERS = {
    "07_gemm": ["rungs.h", "parts", "cpu", "float32", "tf32", "float32_tensor_cores", "bfloat16", "bfloat16_mma",
                "any_shape/float32", "any_shape/bfloat16", "several_gpus", "ladders.h", "any_shape", "step.c"],
    "08_conv": ["rungs.h", "parts", "cpu", "direct", "gemm", "winograd", "tensor_cores", "grouped", "any_shape",
                "ladders.h", "step.c"],
}


def room_of(path):
    if re.match(r"0\d_\w+/tests?[/_]", path):
        return "common/tests"
    if re.match(r"0\d_\w+/", path):
        return "step"
    found = [room for room in ROOMS if path.startswith(room + "/")]
    return max(found, key=len) if found else None


def sources():
    return [name for name in tracked.files(ROOT) if re.search(r"\.(c|h|cu|cuh)$", name)]


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def target_of(path, name, known):
    """The file of this project that an include names, or None for a foreign file."""
    folders = [os.path.dirname(path), "common", "common/tests", "common/exercise"]
    if path.startswith("common/simt/"):
        folders.insert(1, "common/simt")
    if re.match("common/(simt/tests|exercise|tests)/", path):
        folders.append("common/simt/cuda")
    if path.startswith("0"):
        folders.append(path.split("/")[0] + "/exercise")
        folders.append(path.split("/")[0])
    folders.append("08_conv")
    for folder in folders:
        candidate = os.path.normpath(os.path.join(folder, name)).replace(os.sep, "/")
        if candidate in known:
            return candidate
    return None


def includes(files):
    """Yields (including file, line, included file) for includes within the project."""
    known = set(files)
    for path in files:
        for number, line in enumerate(read(path).split("\n"), 1):
            match = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            target = match and target_of(path, match.group(1), known)
            if target:
                yield path, number, target
            elif match and room_of(path) not in ("common/simt/tests", "common/exercise"):
                yield path, number, None


def declared(text):
    """The functions and objects that a header declares for other sources."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    text = re.sub(r"static inline.*?\n\}", " ", text, flags=re.S)
    names = re.findall(r"^(?:extern )?(?:const )?[\w ]+?[ *]+(\w+)\([^;{]*\);", text, re.M)
    for objects in re.findall(r"^extern (?:const )?[\w ]+?[ *]+([\w, ]+)(?:\[\w*\])?;", text, re.M):
        names += [name.strip() for name in objects.split(",")]
    return [name for name in names if name != "__attribute__"]


def calls(files):
    """Yields (file, line, header) if a source names what the header of a later layer declares."""
    owners = {}
    for path in files:
        room = room_of(path)
        if path.endswith(".h") and room in ROOMS and room not in UNREAD + ["common/simt/cuda"]:
            for name in declared(read(path)):
                owners[name] = path
    for path in files:
        room = room_of(path)
        if not path.endswith((".c", ".h")) or room in [None] + UNREAD:
            continue
        text = re.sub(r"/\*.*?\*/|\"(\\.|[^\"\\])*\"", lambda m: "\n" * m.group().count("\n"),
                      read(path), flags=re.S)
        for number, line in enumerate(text.split("\n"), 1):
            for name in re.findall(r"(?<![.>\w])(?<!struct )(\w+)\b", line):
                if name in owners and ROOMS.index(room_of(owners[name])) > ROOMS.index(room):
                    yield path, number, owners[name]


def place_in_step(path):
    """The index of the file's folder in FOLDERS. A ladder.c comes last, because it lists other folders' rungs."""
    step, _, rest = path.partition("/")
    folders = FOLDERS.get(step)
    if folders is None or rest.startswith("exercise/"):
        return None
    if rest.endswith("ladder.c"):
        return len(folders)
    found = [folder for folder in folders if rest == folder or rest.startswith(folder + "/")]
    return folders.index(max(found, key=len)) if found else -1


def verdict_in_steps(path, target):
    """What is wrong with an arrow from a step to a step, or None."""
    start, end = path.split("/")[0], target.split("/")[0]
    if start != end:
        return None if start > end else "%s comes before %s" % (start, end)
    first, second = place_in_step(path), place_in_step(target)
    if first is None or second is None:
        return None
    if -1 in (first, second):
        return "FOLDERS does not have it"
    return "its folder comes before that one in FOLDERS" if second > first else None


def compiled():
    """Yields (CMakeLists.txt, line, source) for each source of another step that a step compiles."""
    for name in tracked.files(ROOT):
        if re.match(r"0\d_\w+/CMakeLists.txt$", name):
            for number, line in enumerate(read(name).split("\n"), 1):
                for source in re.findall(r"\.\./(0\d_\w+/[\w/.]+\.(?:cu|c))\b", line):
                    yield name, number, source


def verdict(path, target):
    """What is wrong with an arrow, or None."""
    start, end = room_of(path), room_of(target)
    if start == end == "step":
        return verdict_in_steps(path, target)
    if (path, target) in EXCEPTIONS or start == end:
        return None
    if ROOMS.index(end) > ROOMS.index(start):
        return "%s comes before %s in ROOMS and may not use it" % (start, end)
    door = ["common/exercise", "common/tests"] + SIMT
    if end in APART.get(start, []) or (end in SIMT and start not in door) or (start in SIMT and end not in SIMT) or \
            (end == "common/simt/cc" or start == "common/simt/cc"):
        return "%s keeps apart from %s" % (start, end)
    return None


def main():
    files = sources()
    if tracked.note(ROOT):
        print(tracked.note(ROOT))
    wrong, used, arrows = [], set(), {}
    # Check that this test can fail: it must reject arrows that are never allowed.
    for start, end in (("common/base/error.c", "common/run/options.h"),
                       ("common/report/table.c", "common/run/step.h"),
                       ("common/problem/gemm/gemm.c", "common/problem/conv/conv.h"),
                       ("common/measure/trial.c", "common/problem/gemm/gemm.h"),
                       ("05_gpu_shared_tree/ladder.c", "common/simt/cuda/simt.h"),
                       ("common/device/cpu.c", "common/simt/cuda/simt.h"),
                       ("common/simt/memory/memory.c", "common/base/error.h"),
                       ("common/simt/machine/atomics.c", "common/simt/check/shadow.h"),
                       ("common/simt/check/check.c", "common/simt/cc/simt_tokens.h"),
                       ("07_gemm/float32/parts/ring.cuh", "07_gemm/any_shape/float32/plan.h"),
                       ("07_gemm/bfloat16/01_wmma.cu", "08_conv/parts/conv_device.cuh")):
        if verdict(start, end) is None:
            wrong.append("%s -> %s is not found wrong" % (start, end))
    for path in files:
        if room_of(path) is None:
            wrong.append("%s: in no room" % path)
    names = {}
    for path in files:
        if path.startswith("common/simt/") and path.endswith(".c") and not path.startswith("common/simt/tests/"):
            if os.path.basename(path) in names:
                wrong.append("%s: simtcc keeps all objects in one folder, where %s has this name, too" %
                             (path, names[os.path.basename(path)]))
            names[os.path.basename(path)] = path
    if not any(path.startswith("common/run/") for path in files) or len(files) < 100:
        wrong.append("only %d sources were found" % len(files))
    for path, line, target in includes(files):
        if target is None:
            if not re.search(r"^common/exercise/|^0\d_", path):
                wrong.append("%s:%d: includes a file that is not there" % (path, line))
            continue
        used.add((path, target))
        arrows.setdefault((room_of(path), room_of(target)), []).append(path)
        problem = verdict(path, target)
        if problem:
            wrong.append("%s:%d: includes %s, but %s" % (path, line, target, problem))
    for path, line, source in compiled():
        problem = verdict_in_steps(path, source) or (None if source in files else "it is not there")
        if problem:
            wrong.append("%s:%d: compiles %s, but %s" % (path, line, source, problem))
    for path, line, target in calls(files):
        wrong.append("%s:%d: names what %s declares, but %s comes first in ROOMS" %
                     (path, line, target, room_of(path)))
    for arrow in EXCEPTIONS:
        if arrow not in used:
            wrong.append("%s no longer includes %s: take the exception out" % arrow)
    if len(EXCEPTIONS) > 3:
        wrong.append("%d exceptions: at most three" % len(EXCEPTIONS))
    if "--list" in sys.argv[1:]:
        for (start, end), paths in sorted(arrows.items(), key=lambda item: (ROOMS.index(item[0][0]),
                                                                            ROOMS.index(item[0][1]))):
            if start != end:
                print("%-34s -> %-34s %3d" % (start, end, len(paths)))
    print("\n".join(wrong) if wrong else "%d sources, %d includes: every arrow points one way" %
          (len(files), sum(map(len, arrows.values()))))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
