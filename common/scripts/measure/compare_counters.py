#!/usr/bin/env python3
"""Counters of the CPU back end beside those of an H200, as docs/results/counters_simt_h200.csv: each cell that
differs from counters_h200.csv, with the reason; of the other cells their number by step and counter.

compare_counters.py BIN RESULTS             counts anew and writes the file, which takes half a minute
compare_counters.py BIN RESULTS --check     compares it with what would be written; counts only the rungs' smaller
                                            runs and some programs, and takes the file's own counts for the others
compare_counters.py BIN RESULTS --from RAW  first renews docs/results/counters_h200.csv from a file of
                                            measure_counters.sh: the lines of each command in it, of the launches those
                                            that are counted here. May be given again: what a later file has replaces
                                            what an earlier one has

BIN is build/simt/bin, RESULTS docs/results. The programs are those of common/simt/tests/programs, compiled with
simtcc by $CXX. Exit status: 0 done, 1 something differs, or differs from the H200 without a reason in WHY below."""
import argparse
import collections
import concurrent.futures
import csv
import io
import json
import os
import re
import subprocess
import sys
import tempfile

COUNTERS = {  # (kind, ncu's name, where it is in --counters=json)
    "global_load_requests": ("memory", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_loads", "requests"),
    "global_load_sectors": ("memory", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_loads", "sectors"),
    "global_store_requests": ("memory", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", "global_stores", "requests"),
    "global_store_sectors": ("memory", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", "global_stores", "sectors"),
    "shared_load_conflicts": (
        "memory", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared_loads", "bank_conflicts"),
    "shared_store_conflicts": (
        "memory", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "shared_stores", "bank_conflicts"),
    "shared_loads": ("instructions", "smsp__sass_inst_executed_op_shared_ld.sum", "shared_loads", "requests"),
    "shared_stores": ("instructions", "smsp__sass_inst_executed_op_shared_st.sum", "shared_stores", "requests"),
    "shared_load_wavefronts": (
        "wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", "shared_loads", "wavefronts"),
    "shared_store_wavefronts": (
        "wavefronts", "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum", "shared_stores", "wavefronts"),
}
H200_HEADER = ["program", "arguments", "rung", "kernel", "launches", *COUNTERS]
HEADER = ["step", "program", "arguments", "rung", "kernel", "counter", "kind", "h200", "simt", "equal", "cells",
          "reason", "expected_to_differ_and_why"]
# --check takes these counts from the file, because each run takes seconds. It counts only CHECKED_PROGRAMS anew.
LONG = {("07_gemm", "--m 256 --n 256 --k 128"),
        ("07_gemm", "--type bf16 --m 300 --n 520 --k 264"), ("07_gemm", "--type tf32 --m 300 --n 520 --k 264"),
        ("08_conv", "--batch 1 --channels 12 --height 34 --width 130 --filters 24")}
CHECKED_PROGRAMS = {"program_transpose", "program_bitonic_sort"}
# A kernel of step 04 that sets one number.
LEFT_OUT = {"set_identity"}

# Cells that differ: (program, rung, kernel, prefix of the counters, "REASON: why"). Rung and kernel are regular
# expressions for the whole name; * means any. The first match applies. REASON is a word; the page counts the cells per
# REASON. Statements about the GPU's code come from reading the code that nvcc 13.0 generates for sm_90.
JOINED = "joined: loads of neighbouring words, joined to ones of 16 bytes by nvcc"
COPIED = "copied: an asynchronous copy is no shared store to ncu"
UNROLLED = ("unrolled: lanes make different numbers of turns of a loop that nvcc unrolls: those of the remainder "
            "stand at different places of it")
ARBITER = ("arbiter: the H200 counts conflicts that the addresses do not have, not the same number in each launch; "
           "not modelled")
MATRIX = "matrix: ldmatrix and stmatrix are no shared loads and stores to ncu, their conflicts are"
UNEXPLAINED = "unexplained: not known yet"
HEAP = "heap: on the GPU, malloc and free work on global memory that is counted"
PRINTF = "printf: on the GPU, its buffer is global memory that is counted"
WHY = [
    ("04_gpu_atomic", "race", "race", "global_load",
     "kept: nvcc keeps *result in a register and loads it before the loop only"),
    ("04_gpu_atomic", "atomic_block", "atomic_block", "shared_load",
     "swap: an atomic addition of floats in shared memory is a loop of load and compare-and-swap on the GPU; how often "
     "it turns differs between runs"),
    ("05_gpu_shared_tree", "serial", "serial", "shared_load", JOINED),
    ("06_gpu_warp_shuffle", "shuffle", "shuffle", "shared_load", JOINED),
    ("06_gpu_warp_shuffle", "row_block", "row_block", "global_load", UNROLLED),
    ("06_gpu_warp_shuffle", "column_block", "column_block", "global_load", UNROLLED),
    ("06_gpu_warp_shuffle", "column_tile", "column_tile", "shared_store_conflicts", ARBITER),
    ("06_gpu_warp_shuffle", "*", "column_in_flight", "shared_store_conflicts", ARBITER),
    ("07_gemm", "shared_tile", "shared_tile", "shared_load", JOINED),
    ("07_gemm", "register_column", "register_column", "shared_load", JOINED),
    ("07_gemm", "(register_tile|transposed)", "*", "shared_load_conflicts", JOINED + ", which conflict less often"),
    ("07_gemm", "(register_tile|transposed)", "*", "shared_load", JOINED),
    ("07_gemm", "wmma", "wmma_tile", "shared",
     "pieces: how nvcuda::wmma moves a fragment is nvcc's choice; here each number by itself"),
    ("07_gemm", "(mma_sync|swizzled)", "*", "shared", MATRIX),
    ("07_gemm", "(mma_sync|swizzled)", "*", "global_load_sectors", UNEXPLAINED),
    ("07_gemm", "*", "tma_stores", "shared_store_conflicts", ARBITER),
    ("07_gemm", "*", "tma_stores", "shared_store", MATRIX),
    ("07_gemm", "*", "(tensor_3xtf32|tensor_bf16x6|tf32_wgmma)", "global_store",
     "pieces: nvcc stores one of a thread's pairs as two words"),
    ("07_gemm", "tma_stores", "tf32_registers", "shared_store_conflicts", ARBITER),
    ("07_gemm", "*", "(async_copies|wide_tile|producer_warps)", "shared_store", COPIED),
    ("07_gemm", "*", "(double_buffered|producer_warps|tensor_copies|overlapped|tiles_of_c)", "shared_load_conflicts",
     ARBITER),
    ("07_gemm", "*", "(register_tile|tensor_copies|specialized|to_and_fro|overlapped|tiles_of_c)",
     "shared_store_conflicts", ARBITER),
    ("08_conv", "(shared_tile|shared_filters|register_tile)", "*", "(global_load|shared_store)", UNROLLED),
    ("08_conv", "async_tile", "async_tile", "global_load", UNROLLED),
    ("08_conv", "(async_tile|planned_copies)", "*", "shared_store", COPIED),
    ("08_conv", "im2col", "async_copies", "shared_store", COPIED),
    ("08_conv", "implicit_gemm", "implicit_gemm", "shared_load", JOINED),
    ("08_conv", "(direct|any_shape|any_shape_3xtf32)", "(direct|any_shape|any_shape_3xtf32)", "shared_store", COPIED),
    ("08_conv", "(implicit_gemm_(packed|async|fitted|ordered|split)|implicit_3xtf32)", "*", "shared_store", COPIED),
    ("08_conv", "winograd_(2x2|4x4|3xtf32)", "*", "global_load_sectors", UNEXPLAINED),
    ("08_conv", "winograd_(2x2|4x4|3xtf32)", "*", "shared_store", COPIED),
    ("08_conv", "tensor_3xtf32", "tensor_3xtf32", "shared_load", UNEXPLAINED),
    ("08_conv", "tensor_3xtf32", "tensor_3xtf32", "shared_store", COPIED),
    ("08_conv", "*", "winograd", "shared_store_conflicts", ARBITER),
    ("08_conv", "*", "winograd", "shared_load",
     "kept: sums of filters that do not exist are not stored: nvcc does not load them either"),
    ("08_conv", "*", "winograd", "shared_store", COPIED),
    ("program_async_copy", "*", "*", "global_load",
     "pieces: memcpy_async of a group copies 16 bytes a thread here, 4 there"),
    ("program_async_copy", "*", "*", "shared_store", COPIED),
    ("program_atomics", "*", "test", "global_load",
     "swap: loops around atomicCAS load again as often as another thread was first"),
    ("program_classes", "*", "createWorld", "global", HEAP),
    ("program_classes", "*", "freeWorld", "global", HEAP + "; so are virtual function tables"),
    ("program_classes", "*", "render", "global",
     "tables: virtual function tables are in memory that is counted; a value stored and added to stays in a register"),
    ("program_device_heap", "*", "*", "global", HEAP),
    ("program_device_heap", "*", "perBlockArray", "shared_load",
     "kept: a pointer in shared memory is loaded once, not in each turn of the loop"),
    ("program_function_pointers", "*", "calculate", "global_store",
     "parted: lanes that called different functions do not meet again before the store"),
    ("program_grid_sync", "*", "rotate", "global_load",
     "polls: on the GPU a block that waits for the grid reads the barrier's word again and again"),
    ("program_half_precision", "*", "haxpy", "global",
     "pieces: two numbers of a half2 are one access on the GPU, two here"),
    ("program_half_precision", "*", "facts", "global_load",
     "swap: an atomic addition of half numbers is a loop of load and compare-and-swap on the GPU"),
    ("program_intrinsics", "*", "floats", "global_load",
     "tables: sin and cos of double load coefficients from a table"),
    ("program_intrinsics", "*", "loads", "global_load",
     "pieces: of a float4 nvcc loads the two numbers that are used, one by one"),
    ("program_launch_kernel", "*", "byAddress", "global_store",
     "kept: two stores to one place in a loop; nvcc leaves the first out"),
    ("program_odds_and_ends", "*", "qualifiers", "(global_load|shared_load)",
     "tables: a constant table of a function is global memory; not all shared words of one known value are loaded"),
    ("program_printf_assert", "*", "*", "global", PRINTF),
    ("program_reduce_cg", "*", "keep_odd", "global_store_sectors",
     "order: which warp writes where depends on the order of atomics"),
    ("program_reduce_cg", "*", "group_facts", "global_store_requests",
     "parted: lanes parted by labeled_partition meet again before the store on the GPU, as it seems, and not here"),
    ("program_scan_blelloch", "*", "prescan", "shared_load",
     "kept: nvcc loads again what a store in between may have changed; the compiler for the CPU knows that it has not"),
    ("program_spmv", "*", "spmvScalar", "global_load", UNROLLED),
    ("program_vector_loads", "*", "arithmetic", "(global|shared)",
     "pieces: nvcc moves each struct whole and once; here members are moved apart, and loaded again after a store"),
]


class NotCounted(Exception):
    """The reason why a program has no counters."""


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def name_of(signature):
    """The name of a kernel in ncu's output: void outer::<unnamed>::inner<int>(float *) is outer::inner."""
    signature = re.sub(r"<unnamed>::", "", re.sub(r"^void ", "", signature))
    return re.split(r"[<(]", signature)[0]


# ---- the H200's launches -------------------------------------------------------------------------


def launches_of(paths):
    """{(program, arguments): {kernel: [{metric: value}, ...]}}, with the launches in order."""
    runs = {}
    for path in paths:
        renewed, run, header = {}, None, None
        with open(path, newline="", encoding="utf-8") as file:
            for line in file:
                if line.startswith("# "):
                    program, *arguments = line[2:].replace(" --warmup 0 --reps 1", "").replace(" --skip-small", "").split()
                    run = renewed.setdefault((os.path.basename(program), " ".join(arguments)), {})
                    header = None
                    continue
                cells = next(csv.reader([line]))
                if header is None:
                    header = cells
                elif cells[0].isdigit():
                    launch = dict(zip(header, cells, strict=True))
                    run.setdefault(name_of(launch["Kernel Name"]), []).append(launch)
        for key, kernels in renewed.items():
            runs.setdefault(key, {}).update(kernels)
    return runs


def sums(launches):
    return [sum(int(launch[ncu].replace(",", "")) for launch in launches) for _, ncu, _, _ in COUNTERS.values()]


def first_round(counted, kernels):
    """{(rung, kernel): [launch, ...]} of a program's first round, which runs each rung once, one after the other. A
    kernel launched by a pointer has its rung's name here: it is the next one with none of the rung's other names."""
    in_order = sorted((launch for launches in kernels.values() for launch in launches), key=lambda at: int(at["ID"]))
    names = [name_of(launch["Kernel Name"]) for launch in in_order]
    taken, begin = {}, 0
    for of_rung in dict.fromkeys(rung for rung, _ in counted):
        own = [kernel for rung, kernel in counted if rung == of_rung]
        end = begin
        for kernel in own:
            here = [at for at in range(begin, len(names))
                    if names[at] == kernel or kernel not in kernels and names[at] not in [*own, *LEFT_OUT]]
            here = here[:counted[of_rung, kernel][0]]
            taken[of_rung, kernel] = [in_order[at] for at in here]
            end = max([end, *(at + 1 for at in here)])
        begin = end
    return taken


def h200_rows(runs, bin_folder, programs_folder):
    """Rows of the H200, with the number of launches per kernel that is counted here."""
    rows = []
    for (program, arguments), kernels in runs.items():
        try:
            counted = count(bin_folder, programs_folder, program, arguments)
        except NotCounted as why:
            print(f"left out: {program} {arguments}: {why}", file=sys.stderr)
            continue
        if program.startswith("program_"):
            for kernel, (launches, _) in pooled(counted, {name: len(all_) for name, all_ in kernels.items()}).items():
                taken = [launch for name in kernel.split("+") for launch in kernels[name]]
                if len(taken) != launches:
                    sys.exit(f"{program}: {launches} launches of {kernel} are counted, ncu saw {len(taken)}")
                rows.append([program, arguments, "", kernel, launches, *sums(taken)])
            continue
        for (rung, kernel), seen in first_round(counted, kernels).items():
            launches = counted[rung, kernel][0]
            if len(seen) < launches:
                sys.exit(f"{program} {arguments}: {launches} launches of {kernel} are counted, ncu saw {len(seen)}")
            rows.append([program, arguments, rung, kernel, launches, *sums(seen)])
    return rows


# ---- counting here -------------------------------------------------------------------------------


def run_json(command, **environment):
    """The counters of a command, which writes them to the file $SIMT_OUT or to its output."""
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "counters.json")
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "SIMT_OUT": out, **environment})
        if done.returncode != 0:
            raise NotCounted(f"exit status {done.returncode}")
        if environment:
            with open(out, encoding="utf-8") as file:
                return json.load(file)
        return json.loads(done.stdout)


def count(bin_folder, programs_folder, program, arguments, rungs_of_step=()):
    """{(rung, kernel): (launches, {counter: value})} of a program, or of these rungs of a step. Adds up the launches of
    a kernel with any template arguments and any shape at the end of its name. A kernel launched by a pointer has no
    name here, so it gets its rung's."""
    if program.startswith("program_"):
        name = program[len("program_"):]
        sources = [os.path.join(programs_folder, file) for file in sorted(os.listdir(programs_folder))
                   if re.fullmatch(rf"{name}(_device|_host|_other)?\.cu?", file)]
        simtcc = os.path.join(programs_folder, "..", "..", "simtcc")
        compiler = ["-ccbin", os.environ["CXX"]] if "CXX" in os.environ else []
        with tempfile.TemporaryDirectory() as folder:
            binary = os.path.join(folder, name)
            subprocess.run([simtcc, *compiler, "-w", "--extended-lambda", "-o", binary, *sources], check=True)
            rungs = [("", run_json([binary], SIMT_COUNTERS="json")["kernels"])]
    else:
        command = [os.path.join(bin_folder, program), *arguments.split(), "--counters=json"]
        command += [word for rung in rungs_of_step for word in ("--rung", rung)]
        rungs = [(rung["rung"], rung["counters"]["kernels"]) for rung in run_json(command)["rungs"]]
    counts = {}
    for rung, kernels in rungs:
        for kernel in kernels:
            name = re.sub(r"_(\d+x\d+|narrow|wide)$", "", re.split(r"[<(\[]", kernel["name"])[0])
            if rung and name in ("kernel", ""):
                name = rung
            if name in LEFT_OUT:
                continue
            launches, values = counts.get((rung, name), (0, dict.fromkeys(COUNTERS, 0)))
            counts[rung, name] = (launches + kernel["launches"], {
                counter: values[counter] + kernel[space][field]
                for counter, (_, _, space, field) in COUNTERS.items()})
    return counts


def pooled(counted, seen):
    """{kernel: (launches, values)} of a program. Launches through pointers have no kernel name here. They become one
    entry, NAME+NAME, with all the kernels of ncu that match no name."""
    kernels, rest, others = {}, [], dict(seen)
    for (_, name), (launches, values) in counted.items():
        if seen.get(name) == launches:
            kernels[name] = (launches, values)
            del others[name]
        else:
            rest.append((launches, values))
    if rest:
        kernels["+".join(sorted(others))] = (
            sum(launches for launches, _ in rest),
            {counter: sum(values[counter] for _, values in rest) for counter in COUNTERS})
    return kernels


# ---- the comparison ------------------------------------------------------------------------------


def fits(pattern, name):
    return pattern == "*" or re.fullmatch(pattern, name)


def compare(h200, old, bin_folder, programs_folder, quick):
    """Rows under HEADER. If `quick`, counts that take long come from the old rows."""
    runs = {}
    for line in h200:
        runs.setdefault((line["program"], line["arguments"]), []).append(line)
    known = {}
    for line in old:
        if line["equal"] == "no":
            known[line["program"], line["arguments"], line["rung"], line["kernel"], line["counter"]] = int(line["simt"])

    def values_of(key):
        program, arguments = key
        if quick and (key in LONG or program.startswith("program_") and program not in CHECKED_PROGRAMS):
            return {(line["rung"], line["kernel"]): {
                counter: known.get((*key, line["rung"], line["kernel"], counter), int(line[counter]))
                for counter in COUNTERS
            } for line in runs[key]}
        counted = count(bin_folder, programs_folder, program, arguments, sorted({line["rung"] for line in runs[key]}))
        if program.startswith("program_"):
            seen = {line["kernel"]: int(line["launches"]) for line in runs[key]}
            seen = {one: launches for name, launches in seen.items() for one in name.split("+")}
            return {("", name): values for name, (_, values) in pooled(counted, seen).items()}
        return {name: values for name, (_, values) in counted.items()}

    rows, used = [], set()
    with concurrent.futures.ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        for (key, lines), counted in zip(runs.items(), pool.map(values_of, runs)):
            program, arguments = key
            for line in lines:
                for counter, (kind, _, _, _) in COUNTERS.items():
                    there = int(line[counter])
                    try:
                        here = counted[line["rung"], line["kernel"]][counter]
                    except KeyError:
                        sys.exit(f"{program} {arguments}: no kernel {line['kernel']} is counted")
                    why = ""
                    if here != there:
                        for at, (of_program, of_rung, kernel, begin, text) in enumerate(WHY):
                            if program == of_program and fits(of_rung, line["rung"]) \
                                    and fits(kernel, line["kernel"]) and re.match(begin, counter):
                                why = text
                                used.add(at)
                                break
                    equal = "no" if here != there else "yes" if here else "zero"
                    step = "programs" if program.startswith("program_") else program
                    rows.append([step, program.removeprefix("program_"), arguments, line["rung"], line["kernel"],
                                 counter, kind, there, here, equal, 1, *(why.split(": ", 1) if why else ("", ""))])
    wrong = [f"{' '.join(map(str, row[1:6]))}: {row[7]} there, {row[8]} here, and no reason is given"
             for row in rows if row[9] == "no" and not row[11]]
    wrong += [f"no cell differs any more for this reason: {WHY[at][:4]}" for at in range(len(WHY)) if at not in used]
    return rows, wrong


def shortened(rows):
    """The rows of the cells that differ, and one row per step and counter for the cells that are equal."""
    equal = collections.Counter((row[0], row[5], row[6], row[9]) for row in rows if row[9] != "no")
    return [row for row in rows if row[9] == "no"] + [
        [step, "", "", "", "", counter, kind, "", "", how, cells, "", ""]
        for (step, counter, kind, how), cells in sorted(equal.items())]


def print_totals(rows):
    for column, values in ((6, ("memory", "instructions", "wavefronts")), (5, COUNTERS),
                           (0, sorted({row[0] for row in rows}))):
        for value in values:
            for what in ("rungs", "programs"):
                cells = [row for row in rows if row[column] == value and (row[0] == "programs") == (what == "programs")
                         and (column != 0 or row[6] == "memory")]
                if cells:
                    equal = sum(row[9] != "no" for row in cells)
                    zero = sum(row[9] == "zero" for row in cells)
                    print(f"{value:26} {what:8} {equal:4} of {len(cells):4} equal, {100 * equal / len(cells):6.2f}%;"
                          f" {equal - zero:4} of {len(cells) - zero:4} without those that are 0 in both")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("bin")
    parser.add_argument("results")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--from", dest="raw", action="append", default=[], metavar="RAW")
    options = parser.parse_args()
    programs_folder = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "simt", "tests", "programs")
    h200_path = os.path.join(options.results, "counters_h200.csv")
    path = os.path.join(options.results, "counters_simt_h200.csv")
    if options.raw:
        renewed = {}
        for row in [list(line.values()) for line in read(h200_path)]:
            renewed.setdefault((row[0], row[1]), []).append(row)
        for key, run in launches_of(options.raw).items():
            renewed[key] = h200_rows({key: run}, options.bin, programs_folder)
        with open(h200_path, "w", encoding="utf-8", newline="") as file:
            csv.writer(file, lineterminator="\n").writerows([H200_HEADER, *sum(renewed.values(), [])])
    old = read(path) if options.check else []
    for line in old:
        line["program"] = ("program_" if line["step"] == "programs" else "") + line["program"]
    rows, wrong = compare(read(h200_path), old, options.bin, programs_folder, options.check)
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *shortened(rows)])
    if options.check:
        with open(path, encoding="utf-8") as file:
            is_, should_be = file.read().split("\n"), text.getvalue().split("\n")
        if len(is_) != len(should_be):
            wrong.append(f"{path} has {len(is_)} lines, and should have {len(should_be)}")
        wrong += [f"{path}:{number}:\nis:        {old}\nshould be: {new}"
                  for number, (old, new) in enumerate(zip(is_, should_be), 1) if old != new]
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.getvalue())
    print_totals(rows)
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (NotCounted, OSError, subprocess.CalledProcessError) as problem:
        sys.exit(f"compare_counters.py: {problem}")
# SPDX-License-Identifier: MIT
