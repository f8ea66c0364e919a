#!/usr/bin/env python3
"""Counters of the CPU back end beside those of an H200, as docs/results/counters_simt_h200.csv.

compare_counters.py BIN RESULTS [--all]          writes the file
compare_counters.py BIN RESULTS [--all] --check  compares it with what would be written

BIN is build/simt/bin, RESULTS docs/results with the H200's counters. Steps 05 and 07 are counted anew, which
takes seconds; step 08, which takes minutes, only with --all: else its counts are the file's own.
"""
import csv
import io
import json
import subprocess
import sys

COUNTERS = {  # name in the H200's files of steps 07 and 08: (ncu's name, where it is in --counters=json)
    "global_load_requests": ("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "global_loads", "requests"),
    "global_load_sectors": ("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "global_loads", "sectors"),
    "shared_loads": ("smsp__sass_inst_executed_op_shared_ld.sum", "shared_loads", "requests"),
    "shared_stores": ("smsp__sass_inst_executed_op_shared_st.sum", "shared_stores", "requests"),
    "shared_load_conflicts": (
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum", "shared_loads", "bank_conflicts"),
    "shared_store_conflicts": (
        "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum", "shared_stores", "bank_conflicts"),
}
HEADER = ["step", "rung", "kernel", "counter", "h200", "simt", "equal", "simt_problem",
          "expected_to_differ_and_why"]
COPIES = {"async_copies", "direct", "multiply_components"}
GEMM, CONV = "2048x2048x1024", "2x12x130x514:24x3x3:s1p0d1"


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def count(folder, step, options):
    """{(rung, kernel): [counts, launches]}; kernels without a name of their own have their rung's."""
    command = [f"{folder}/counted/{step}", *options, "--counters=json"]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    counts = {}
    for rung in json.loads(text)["rungs"]:
        for kernel in rung["counters"]["kernels"]:
            name = kernel["name"].split("<")[0]
            name = rung["rung"] if name == "kernel" else name
            counts[rung["rung"], name] = {
                short: kernel[space][field] for short, (_, space, field) in COUNTERS.items()
            } | {"launches": kernel["launches"]}
    return counts


def why(step, kernel, counter, h200, simt):
    """What is known of the difference; empty where it is not expected."""
    if kernel in ("transform_inputs", "transform_outputs"):
        return "two launches of unequal size; h200 is the first and simt their mean"
    if kernel in COPIES and counter in ("shared_stores", "shared_store_conflicts") and h200 == 0:
        return "an asynchronous copy is no shared store to ncu"
    if counter == "shared_loads" and h200 < simt:
        return "loads of neighbouring words joined to wider ones"
    if counter == "shared_stores" and h200 < simt:
        return "stores joined or left out by the compiler; not looked into"
    if step == "08_conv" and kernel == "shared_tile" and not counter.endswith("conflicts"):
        return "a loop of which lanes make different numbers of turns is compiled differently"
    if counter == "shared_load_conflicts" and h200 < simt:
        return "the wider loads, of which there are fewer, conflict less often"
    if counter.endswith("conflicts") and h200 > simt:
        return "more conflicts than the addresses have; not modelled"
    return ""


def row(step, rung, kernel, counter, h200, simt, problem):
    equal = h200 == simt
    return [step, rung, kernel, counter, h200, simt, "yes" if equal else "no", problem,
            "" if equal else why(step, kernel, counter, h200, simt)]


def shared_tree(folder, results):
    """ncu saw the first of two launches. The second one is that of a sum of 256, whose own second has one load."""
    total = count(folder, "05_gpu_shared_tree", ["--n", "65536"])
    second = count(folder, "05_gpu_shared_tree", ["--n", "256", "--op", "sum"])
    names = {ncu: short for short, (ncu, _, _) in COUNTERS.items()}
    for line in read(f"{results}/shared_tree_counters_h200.csv"):
        short = names.get(line["metric"])
        if not short:
            continue
        rung = line["rung"]
        simt = total[rung, rung][short]
        if short.startswith("global"):
            simt += 1 - second[rung, rung][short]
        else:
            simt = simt * 256 // 257  # every block's tree is the same
        yield row("05_gpu_shared_tree", rung, rung, short, int(line["value"]), simt, "the same")


def gemm(folder, results):
    """Of 256 x 256 x 128, a 512th of the products: tiles and turns scale, and so do these counts."""
    counts = count(folder, "07_gemm", ["--m", "256", "--n", "256", "--k", "128"])
    for line in read(f"{results}/gemm_counters_h200.csv"):
        rung = line["kernel"]
        if line["shape"] != GEMM or (rung, rung) not in counts:
            continue
        for short in COUNTERS:
            yield row("07_gemm", rung, rung, short, int(line[short]), counts[rung, rung][short] * 512,
                      "256x256x128, times 512")


def conv(folder, results, anew):
    if anew:
        options = ["--batch", "2", "--channels", "12", "--height", "130", "--width", "514",
                   "--filters", "24"]
        counted = {
            (*key, short): value[short] // value["launches"]
            for key, value in count(folder, "08_conv", options).items() for short in COUNTERS
        }
    else:
        counted = {
            (line["rung"], line["kernel"], line["counter"]): int(line["simt"])
            for line in read(f"{results}/counters_simt_h200.csv") if line["step"] == "08_conv"
        }
    for line in read(f"{results}/08_conv_h200_counters.csv"):
        for short in COUNTERS:
            key = line["rung"], line["kernel"], short
            if line["shape"] == CONV and key in counted:
                yield row("08_conv", *key, int(line[short]), counted[key], "the same, a launch's mean")


def main():
    options = {argument for argument in sys.argv[1:] if argument.startswith("--")}
    paths = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    if len(paths) != 2 or options - {"--all", "--check"}:
        sys.exit(__doc__)
    folder, results = paths
    rows = [*shared_tree(folder, results), *gemm(folder, results),
            *conv(folder, results, "--all" in options)]
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    path = f"{results}/counters_simt_h200.csv"
    if "--check" in options:
        with open(path, encoding="utf-8") as file:
            for number, (old, new) in enumerate(zip(file.read().split("\n"),
                                                    text.getvalue().split("\n"), strict=True), 1):
                if old != new:
                    sys.exit(f"{path}:{number}:\nis:        {old}\nshould be: {new}")
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.getvalue())
    for step in sorted({line[0] for line in rows}):
        for counter in COUNTERS:
            cells = [line for line in rows if line[0] == step and line[3] == counter]
            equal = sum(line[6] == "yes" for line in cells)
            print(f"{step:20} {counter:24} {equal:3} of {len(cells):3} equal")
    equal = sum(line[6] == "yes" for line in rows)
    print(f"{equal} of {len(rows)} equal; {sum(line[6] == 'no' and not line[8] for line in rows)} "
          "differ without a reason given")


if __name__ == "__main__":
    main()
