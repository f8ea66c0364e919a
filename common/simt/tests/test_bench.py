#!/usr/bin/env python3
"""Tests the bench for addresses (common/simt/explore/page/bench.html) in a browser.

The page evaluates a thousand expressions from a fixed seed. A C program evaluates the same expressions and
counts with count/wavefronts.c of the CPU back end. Both must have the same addresses, wavefronts, conflicts,
sectors and bytes. Then the test uses the page like a reader.

Without a browser, prints why it is skipped. Exit status: 0 if all checks pass, 1 if not."""
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import browser  # noqa: E402

ROOT = os.path.join(HERE, "..", "..", "..")
SEED, EXPRESSIONS = 58, 1000
BLOCKS = ((256, 1, 1), (32, 8, 1), (16, 16, 1), (8, 8, 4), (40, 3, 1), (7, 5, 3))
NAMES = ("lane", "tid", "tid", "x", "y", "warp", "x", "y", "z", "threadIdx.x", "threadIdx.y", "blockDim.x", "stride", "pad", "pad")
wrong = []


def check(right, what):
    if not right:
        wrong.append(what)
        print("WRONG: " + what)


def expression(dice, depth):
    """Returns a C expression. It may divide by 0 or overflow. The page must then say so, and C is not run."""
    kind = dice.random()
    if depth == 0 or kind < 0.15:
        return dice.choice(NAMES) if dice.random() < 0.65 else dice.choice(("1", "2", "3", "4", "8", "31", "32", "33", "0x20", "7u", "(-7)", "99999"))
    if kind < 0.25:
        return dice.choice(("-", "~", "+")) + "(" + expression(dice, depth - 1) + ")"
    if kind < 0.4:
        return "%s %s %d" % (expression(dice, depth - 1), dice.choice(("<<", ">>")), dice.randrange(6))
    both = expression(dice, depth - 1), expression(dice, depth - 1)
    text = "%s %s %s" % (both[0], dice.choice("++-***/%&|^"), both[1])
    return "(" + text + ")" if dice.random() < 0.5 else text


def candidate(dice):
    return {"text": expression(dice, dice.choice((2, 3, 3, 4))), "size": dice.choice((1, 2, 4, 4, 8, 16)),
            "block": dice.choice(BLOCKS), "isStore": dice.random() < 0.4, "warp": dice.randrange(3),
            "own": {"stride": dice.choice((1, 2, 5, 8, 33)), "pad": dice.choice((-9, -1, 0, 1, 4))}}


ANSWERS = """return arguments[0].map(one => {
    try { const cost = costOfIndex(one.text, one);
          return [...cost.addresses.map(address => address === null ? 0 : address), cost.wavefronts, cost.conflicts, cost.sectors, cost.bytes]; }
    catch (error) { return error.message; } })"""

C_PROGRAM = """#include <stdio.h>
#include "count/wavefronts.h"
struct three { unsigned x, y, z; };
static void count(unsigned size, int store, unsigned lanes, const long long *at)
{
    static struct simt_site site;
    uint64_t addresses[32];
    unsigned wavefronts, conflicts;
    for (int lane = 0; lane < 32; lane++) {
        addresses[lane] = (uint64_t)at[lane] + (1ull << 50);
        printf("%%lld ", lanes >> lane & 1 ? at[lane] : 0);
    }
    site.counters = (struct simt_line_counters){0};
    simt_count_banks(store, size, lanes, addresses, &wavefronts, &conflicts);
    simt_count_access(&site, SPACE_GLOBAL, store ? EVENT_STORE : EVENT_LOAD, size, lanes, addresses);
    const struct simt_access_counters *global = &site.counters.access[store ? SIMT_GLOBAL_STORE : SIMT_GLOBAL_LOAD];
    printf("%%u %%u %%llu %%llu\\n", wavefronts, conflicts, (unsigned long long)global->units, (unsigned long long)global->bytes);
}
#define CASE(expression, size, store, dx, dy, dz, of_warp, stride_, pad_) { \\
    const struct three blockDim = {dx, dy, dz}; const int stride = stride_, pad = pad_; \\
    const unsigned warp = of_warp; long long at[32] = {0}; unsigned lanes = 0; \\
    for (unsigned lane = 0; lane < 32 && warp * 32 + lane < dx * dy * dz; lane++) { \\
        const unsigned tid = warp * 32 + lane, x = tid %% dx, y = tid / dx %% dy, z = tid / (dx * dy); \\
        const struct three threadIdx = {x, y, z}; \\
        (void)x; (void)y; (void)z; (void)stride; (void)pad; (void)threadIdx; (void)blockDim; \\
        at[lane] = (long long)(expression) * size; lanes |= 1u << lane; } \\
    count(size, store, lanes, at); }
%s
int main(void) { %s return 0; }
"""


def counted_in_c(cases, folder):
    functions = "\n".join("static void case%d(void) CASE((%s), %d, %d, %d, %d, %d, %d, %d, %d)" % (
        i, one["text"], one["size"], one["isStore"], *one["block"], one["warp"], one["own"]["stride"], one["own"]["pad"]) for i, one in enumerate(cases))
    source, program = os.path.join(folder, "cases.c"), os.path.join(folder, "cases")
    with open(source, "w", encoding="utf-8") as file:
        file.write(C_PROGRAM % (functions, " ".join("case%d();" % i for i in range(len(cases)))))
    simt = os.path.join(ROOT, "common", "simt")
    # The program aborts on undefined behaviour, so the test notices a case that the page accepts by mistake.
    subprocess.run([os.environ.get("CC", "cc"), "-w", "-D_GNU_SOURCE", "-fsanitize=undefined", "-fsanitize-undefined-trap-on-error",
                    "-I", simt, "-I", os.path.join(simt, "cuda"), source, os.path.join(simt, "count", "wavefronts.c"), "-o", program], check=True)
    done = subprocess.run([program], stdout=subprocess.PIPE, universal_newlines=True)
    check(done.returncode == 0, "C stops at an expression that the page has a value for: case %d" % done.stdout.count("\n"))
    return [[int(word) for word in line.split()] for line in done.stdout.splitlines()]


def thousand(window, folder):
    dice, cases, answers, refused = random.Random(SEED), [], [], set()
    while len(cases) < EXPRESSIONS:
        some = [candidate(dice) for _ in range(500)]
        some = [one for one in some if one["warp"] * 32 < one["block"][0] * one["block"][1] * one["block"][2]]
        for one, answer in zip(some, window.run(ANSWERS, some)):
            if isinstance(answer, str):
                refused.add(" ".join(word for word in answer.split() if not word.lstrip("-").isdigit()))
            elif len(cases) < EXPRESSIONS:
                cases.append(one)
                answers.append(answer)
    check({"division by", "a shift by", "does not fit into an int"} <= refused, "what the page refuses: %s" % refused)
    counted = counted_in_c(cases, folder)
    for one, page, back_end in zip(cases, answers, counted):
        check(page == back_end, "%s: the page says %s, the back end %s" % (one, page, back_end))
    costs = [answer[32] for answer in answers]
    check(len(set(costs)) > 12 and sum(answer[33] > 0 for answer in answers) > 150, "hardly a conflict among the cases")
    print("%d expressions of seed %d, %d of them with bank conflicts; all have the counts of count/wavefronts.c" %
          (len(counted), SEED, sum(answer[33] > 0 for answer in answers)))


def use(window, path):
    text = "return document.querySelector('#%s').textContent"
    for place, box, said in (("#example=column", "shared", "31 bank conflicts"), ("#example=padded", "shared", "no bank conflicts"), ("#example=rows", "shared", "28 bank conflicts"), ("#example=swizzle", "shared", "no bank conflicts"), ("#example=stride", "global", "8 sectors"),
                             ("#index=tid*8", "shared", "8 wavefronts"), ("#index=x*32%2By,block=32x8", "shared", "31 bank conflicts"),
                             ("#index=x*33%2By,block=32x8", "shared", "no bank conflicts"), ("#index=tid*stride,stride=2,size=8", "global", "16 sectors"),
                             ("#index=tid/0", "wrong", "division by 0"), ("#index=tid*", "wrong", "something is missing"), ("#index=tid-1", "wrong", "wrap around")):
        window.open("about:blank")
        window.open(browser.address_of(path) + place)
        window.settled()
        check(said in window.run(text % box), "%s: %r is not in: %s" % (place, said, window.run(text % box)))
    window.open("about:blank")
    window.open(browser.address_of(path))
    window.run("element('index').value = ''")
    window.type("#index", "(y ^ x) * step")
    check(window.run("return element('names').textContent.trim()") == "step", "a name of the reader's own has no field")
    window.run("document.querySelector('[data-name]').value = ''")
    window.type("[data-name]", "4")
    window.settled()
    check("4 wavefronts" in window.run(text % "shared"), "a constant that is typed: " + window.run(text % "shared"))
    window.click("[data-wave='next']")
    check("Wavefront 1 serves" in window.run(text % "shared"), "a click on a wavefront")
    for width in (360, 700, 1280):
        window.resize(width, 800)
        check(window.run("return document.documentElement.scrollWidth <= innerWidth"), "too wide for %d pixels" % width)
    check(not window.complaints(), "the console complains")


def main():
    reason = browser.missing()
    if reason:
        print("skipped: " + reason)
        return 0
    with tempfile.TemporaryDirectory(prefix="bench.") as folder, browser.Browser() as window:
        subprocess.run([os.path.join(ROOT, "common", "scripts", "draw", "gallery.sh"), "--bench", folder, folder], check=True)
        path = os.path.join(folder, "bench.html")
        window.open(browser.address_of(path))
        thousand(window, folder)
        use(window, path)
    print("all is well" if not wrong else "%d wrong" % len(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
