#!/usr/bin/env python3
"""Mutation tests: mutate.py [--build FOLDER] [--step NN]... [--operator O]... [--sample N] [--seed N]
                          [--report FILE [--again W]]

Changes one place of a kernel or of a CPU rung at a time, as a slip would (a bound, a stride, a
barrier left out, a wrong stage of a ring ...), and looks for what notices it, in this order:

  verdict  the step's program at its default size: a result that is wrong
  checks   the same program: a data race, a bad access, a barrier that not all threads reach
  crash    it crashed or hung
  tests    the step's tests of the quick suite

Of the program only the rungs are run that the change can reach, those of the file itself first: on
the ladder that they are on, with the options that select it, and with the instruction set that the
file is for.

Each command is first run without a change, and has to succeed: if it does not, this script ends.
A refusal (exit status 2, 3 or 4) is no verdict, so it does not count as noticed.

A mutant that nothing notices survives. Those that cannot be told from the original are listed with
the reason in mutants_equivalent.txt, beside this file; one whose machine code is the original's is
"same code". Uses a build of the preset simt (build/simt), which it leaves as it is.

  --operator O  only of this operator, such as 'wait removed' (may be given again)
  --sample N    that many mutants, chosen at random, as many of each operator and step as there are
                (default: all)
  --list        say what would be tried, and try nothing
  --report FILE each mutant, what noticed it and how long that took, as CSV; mutants that are in FILE
                already are not tried again
  --again W     instead of a sample, tries those of FILE again that were noticed by W, such as tests
  --table FILE  the table of such a report, by operator, as CSV, to standard output; tries nothing

Exit status: 0 no mutant survived but the equivalent ones, 1 some did, 3 something is missing here or
fails without a change."""
import argparse
import collections
import concurrent.futures
import csv
import glob
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
EQUIVALENT = os.path.join(ROOT, "common/scripts/check/mutants_equivalent.txt")

# ---- what is changed ----------------------------------------------------------------------------

# (operator, pattern, replacement). Each match in a line gives a mutant. The operators imitate the
# mistakes that programmers make in kernels.
OPERATORS = [
    ("bound", r"(?<=[\w)\]]) < (?=[\w(])", " <= "),
    ("bound", r"(?<=[\w)\]]) <= (?=[\w(])", " < "),
    ("bound", r"(?<=[\w)\]]) > (?=[\w(])", " >= "),
    ("bound", r"(?<=[\w)\]]) >= (?=[\w(])", " > "),
    ("bound", r" == (?=[\w(])", " != "),
    ("stride", r"(?<=; )(\w+) \+= (?=\w)", r"\1 += 1 + "),
    ("stride", r" /= 2\b", " /= 4"),
    ("stride", r" \*= 2\b", " *= 4"),
    ("stride", r" / 2\b", " / 4"),
    ("stride", r"\* (?=\w*(?:stride|ld[abc]|width|columns)\b)", "+ "),
    ("barrier removed", r"__sync(?:threads|warp)\([^;()]*\);", ";"),
    ("barrier weakened", r"__syncthreads\(\);", "__syncwarp();"),
    ("wait removed", r"\b(?:__pipeline_wait_prior|barrier_wait|wgmma_wait\w*|store_wait\w*|"
                     r"wait_for_kernel_before)\b(?:<[^;()]*>)?\([^;]*\);", ";"),
    ("wrong parity", r"\bparity \^ 1\b", "parity"),
    ("wrong parity", r"\bbarrier_wait\(([^;]*[.>]parity)\);", r"barrier_wait(\1 ^ 1);"),
    ("wrong parity", r"\b(?:\w+->)?parity \^= 1;", ";"),
    ("arrival removed", r"\bbarrier_arrive\w*\([^;]*\);", ";"),
    ("wait too late", r"__pipeline_wait_prior\(([^;]*)\);", r"__pipeline_wait_prior(1 + (\1));"),
    ("commit removed", r"\b(?:__pipeline_commit|wgmma_commit|store_commit)\(\);", ";"),
    ("fence removed", r"\b(?:__threadfence|wgmma_fence|before_async_reads|barriers_created)\(\);", ";"),
    ("atomic to plain", r"\batomicAdd\(&(\w+(?:\[[^\]]*\])?), ([^;()]+)\)", r"(\1 += \2)"),
    ("atomic to plain", r"\batomicAdd\((\w+), ([^;()]+)\)", r"(*(\1) += \2)"),
    ("atomic to plain", r"\batomic_(?:compare_exchange_weak_explicit)\(", "!!("),
    ("lanes", r"__shfl_down_sync\(", "__shfl_up_sync("),
    ("lanes", r"__shfl_(\w+)_sync\(([^,]+), ([^,]+), ([^)]+)\)",
     r"__shfl_\1_sync(\2, \3, (\4) + 1)"),
    ("lanes", r"\b0xffffffffu?\b", "0x0000ffffu"),
    ("lanes", r"% WARP\b", "% (WARP / 2)"),
    ("identity", r"\bIDENTITY\b", "1"),
    ("identity", r"(?<=\w) = 0;", " = 1;"),
    ("identity", r"(?<== )\{0\}|(?<== )\{\}", "{1}"),
    ("tail", r"\bdivided_up\(([^,()]+), ([^,()]+)\)", r"((\1) / (\2))"),
    ("tail", r" % (?=\w)", " / "),
    ("tail", r" - 1\b", ""),
    ("tail", r" \+ 1\b", ""),
    ("stage", r"\b((?:\w+(?:\.|->))*stage)(?=\])", r"(\1 ^ 1)"),
    ("stage", r"% STAGES\b", "% (STAGES - 1)"),
    ("stage", r"\b1 - (?=buffer|stage|half|phase)", ""),
    ("index", r"\bthreadIdx\.x\b", "threadIdx.y"),
    ("index", r"\bblockIdx\.x\b", "blockIdx.y"),
    ("index", r"(?<=[\w\]]) \+ (?=\w)", " - "),
    ("index", r"\brow\b(?= [*+])", "(row + 1)"),
    ("condition", r"\bif \(([^()]+)\)$", "if (true)"),
    ("condition", r" && ", " || "),
    ("condition", r" \|\| ", " && "),
    ("statement removed", r"^(\s+)[\w\[\]>.*-]+(?:\[[^;]*\])? [+]?= [^;{]+;$", r"\1;"),
]
OPERATORS = [(name, re.compile(pattern), to) for name, pattern, to in OPERATORS]

HEADERS = (".h", ".cuh") # headers of steps may contain code, such as the CPU's tile

Mutant = collections.namedtuple("Mutant", "step source line nth operator before after text")


def code_lines(text):
    """Yields (number, line) for each line of code. Skips comments, directives and tables of rungs."""
    in_comment = in_directive = False
    for number, line in enumerate(text.split("\n")):
        stripped = line.strip()
        skip = in_comment or in_directive or stripped.startswith(("//", "#", "/*", "*"))
        in_directive = line.endswith("\\") and (in_directive or stripped.startswith("#"))
        if stripped.startswith("/*") or in_comment:
            in_comment = "*/" not in line
        if not skip and stripped and '"' not in line and not stripped.startswith(("template", "static_assert")):
            yield number, line


def mutants_of(step, source):
    with open(source) as file:
        text = file.read()
    lines = text.split("\n")
    seen = set()
    alike = collections.Counter()
    for number, line in code_lines(text):
        code = line.split("/*")[0].rstrip()
        for name, pattern, to in OPERATORS:
            if "<<<" in code and name == "bound":
                continue
            for match in pattern.finditer(code):
                after = code[:match.start()] + match.expand(to) + code[match.end():]
                if after == code or (number, after) in seen:
                    continue
                seen.add((number, after))
                changed = lines[:number] + [after + line[len(code):]] + lines[number + 1:]
                alike[code.strip(), after.strip()] += 1
                yield Mutant(step, source, number + 1, alike[code.strip(), after.strip()], name,
                             code.strip(), after.strip(), "\n".join(changed))


# ---- a build that is there ----------------------------------------------------------------------

class Step:
    """The commands that compile and link a step, read from CMake's files."""

    def __init__(self, build, name):
        self.name, self.folder = name, os.path.join(build, name)
        self.rewriter = os.path.join(build, "common/simt/simt_rewrite")
        self.commands = {}  # (source's name, target): (command, object)
        self.preprocessed = set()  # sources that the preprocessor reads before the rewriter
        with open(os.path.join(build, "compile_commands.json")) as file:
            for entry in json.load(file):
                if entry["directory"] != self.folder:
                    continue
                words = [word for word in shlex.split(entry["command"]) if word != "-Werror"]
                output = words[words.index("-o") + 1]
                target = re.match(r"CMakeFiles/(.*?)\.dir/", output).group(1)
                source = os.path.relpath(entry["file"], os.path.join(ROOT, name))
                if source.endswith(".cu.cpp"):
                    source = entry["file"].split("/simt_%s/" % target)[1][:-len(".cpp")]
                    if os.path.exists(entry["file"] + ".ii"):
                        self.preprocessed.add(source)
                self.commands[source, target] = (words, output)
        self.made = {}  # file that common/each_reduction.cmake has made: the sources that it includes
        folder = os.path.join(self.folder, "each_reduction")
        for unit in os.listdir(folder) if os.path.isdir(folder) else []:
            with open(os.path.join(folder, unit)) as file:
                self.made[unit] = set(re.findall(r'#include ".*/(\w+\.cu)"', file.read()))
        self.programs = {}  # target: command that links it
        for target in sorted(os.listdir(os.path.join(self.folder, "CMakeFiles"))):
            link = os.path.join(self.folder, "CMakeFiles", target, "link.txt")
            if os.path.exists(link):
                with open(link) as file:
                    self.programs[target[:-len(".dir")]] = shlex.split(file.read())
        self.build, self.bin = build, os.path.join(build, "bin")
        self.tests = self._tests(build)
        self.unchanged, self.lock = {}, threading.Lock()
        self.needs, self.has = self._symbols()
        self.rungs = self._rungs()

    def _tests(self, build):
        """[(command, environment)] of the step's tests in the quick suite."""
        listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"],
                                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
        tests = []
        for test in json.loads(listed.stdout)["tests"]:
            properties = {entry["name"]: entry["value"] for entry in test.get("properties", [])}
            if test["name"].startswith(self.name + ".") and "command" in test and \
                    test["name"] != self.name + ".run" and \
                    not {"all", "large"} & set(properties.get("LABELS", [])):
                tests.append((test["command"], dict(entry.split("=", 1) for entry in
                                                    properties.get("ENVIRONMENT", []))))
        return tests

    def require_success(self, command, environment, seconds):
        """Runs the unchanged command once. If it fails, it cannot say anything about a mutant."""
        key = (tuple(command), tuple(sorted(environment.items())))
        with self.lock:
            if key not in self.unchanged:
                with tempfile.TemporaryDirectory(prefix="mutate.") as folder:
                    self.unchanged[key] = run(command, seconds, cwd=folder,
                                              env=dict(os.environ, **environment))
            status, output = self.unchanged[key]
        if status != 0:
            raise Unusable("fails without a change (exit status %s): %s\n%s" % (
                status, shlex.join(command), output[-2000:]))

    def _symbols(self):
        """{source: the functions that it calls}, {function: the source that defines it}."""
        needs, has = {}, {}
        for (source, target), (_, output) in self.commands.items():
            path = os.path.join(self.folder, output)
            if target != self.name + "_rungs" or not os.path.exists(path):
                continue
            needs[source] = set()
            for line in subprocess.run(["nm", path], stdout=subprocess.PIPE, text=True,
                                       check=False).stdout.split("\n"):
                match = re.search(r" ([TU]) (\w+)$", line)
                if match and match.group(1) == "T":
                    has[match.group(2)] = source
                elif match:
                    needs[source].add(match.group(2))
        return needs, has

    def _rungs(self):
        """[(options that choose the rung's ladder, its name, its own sources, sources that it can reach)]"""
        rungs = []
        folder = os.path.join(ROOT, self.name)
        tables = sorted(path for path in glob.glob(os.path.join(folder, "**", "*.c"), recursive=True)
                        if path.endswith(("ladder.c", "step.c")))
        texts = []
        for path in tables:
            with open(path) as file:
                texts.append(file.read())
        match = re.search(r"\.ladder_option = \"(\w+)\"", "".join(texts))
        option = "--" + (match.group(1) if match else "ladder")
        # {climb: the name of the ladder that has it}
        climbs = {climb: name for text in texts
                  for array, listed in re.findall(r"struct climb \*const (\w+)\[\] = \{([^}]*)\}", text)
                  for name in re.findall(r"\.name = \"(\w+)\",[^}]*LADDER_CLIMBS\(%s\)" % array, text)
                  for climb in re.findall(r"&(\w+)", listed)}
        for path, text in zip(tables, texts):
            found = [(rows, re.findall(r"const struct (climb|ladder) (\w+) = (\{[^}]*?LADDER_RUNGS\(%s\))" % array, text))
                     for array, rows in re.findall(r"struct \w+_rung (\w+)\[\] = (.*?);\n", text, re.DOTALL)]
            if not found and not path.endswith("step.c"):
                raise Unusable("%s has no table of rungs" % path)
            for rows, users in found:
                if rows.startswith("RUNGS("): # all types have the same rungs
                    rows = text
                ladders = ['{ .name = "%s"' % climbs[name] if kind == "climb" and name in climbs else body
                           for kind, name, body in users]
                rungs += self._rungs_in(rows, ladders, option)
        return rungs

    def _rungs_in(self, rows, ladders, option):
        """The rungs of one table, once for each ladder that uses the table."""
        rungs = []
        for row in re.split(r"(?=\.name = \")", rows)[1:]:
            functions = dict(re.findall(r"\.(\w+) = (\w+)", row))
            functions.pop("unavailable", None)
            own = {self.has[functions["run"]]} if functions.get("run") in self.has else set()
            reached = set()
            ahead = [self.has[name] for name in functions.values() if name in self.has]
            while ahead:
                source = ahead.pop()
                if source not in reached and not source.endswith("ladder.c"):
                    reached.add(source)
                    ahead += [self.has[name] for name in self.needs[source] if name in self.has]
            for ladder in ladders:
                name = re.match(r"\{\s*\.name = \"(\w+)\"", ladder)
                selected = re.search(r"^    \.with = \"(\w+)\"", ladder, re.MULTILINE)
                rungs.append(([option, name.group(1)] if name else []) +
                             (["--" + selected.group(1), str(DEVICES)] if selected else []))
                rungs[-1] = (rungs[-1], row.split('"')[1], own, reached)
        return rungs

    def runs(self, sources):
        """Two lists of options, one run per ladder. The first is for the rungs in those sources, the
        second for the other rungs that reach the sources."""
        first, then = collections.OrderedDict(), collections.OrderedDict()
        for ladder, name, own, reached in self.rungs:
            if own & sources:
                first.setdefault(tuple(ladder), []).append(name)
            elif reached & sources:
                then.setdefault(tuple(ladder), []).append(name)
        return [[list(ladder) + [word for name in names for word in ("--rung", name)]
                 for ladder, names in runs.items()] for runs in (first, then)]

    def sources(self):
        """The step's sources that get mutants: those of rungs. Leaves out sources that compile to nothing
        on this machine, such as those for another processor."""
        folder = os.path.join(ROOT, self.name)
        names = {name for name, target in self.commands if target == self.name + "_rungs"}
        names |= {os.path.relpath(path, folder) for ending in HEADERS for path in
                  glob.glob(os.path.join(folder, "**", "*" + ending), recursive=True)}
        names |= {name for included in self.made.values() for name in included}
        return [os.path.join(folder, name) for name in sorted(names)
                if os.path.exists(os.path.join(folder, name)) and not name.endswith("ladder.c") and
                self.units(name) and (name.endswith(HEADERS) or set(self.units(name)) & set(self.has.values()))]

    def units(self, source):
        """The sources to compile if that one has changed: itself, or the sources that include it."""
        folder = os.path.join(ROOT, self.name)
        name = os.path.relpath(os.path.join(folder, source), folder)
        if not name.endswith(HEADERS):
            return [unit for unit, sources in self.made.items() if name in sources] or [name]
        changed, before = {name}, set()
        while changed != before:
            before = set(changed)
            for path in glob.glob(os.path.join(folder, "**", "*.[ch]*"), recursive=True):
                with open(path) as file:
                    included = re.findall(r'#include "([^"]*)"', file.read())
                places = [os.path.normpath(os.path.join(start, header)) for header in included
                          for start in (folder, os.path.dirname(path))]
                if changed & {os.path.relpath(place, folder) for place in places}:
                    changed.add(os.path.relpath(path, folder))
        return sorted(unit for unit in changed if (unit, self.name + "_rungs") in self.commands)


class Failed(Exception):
    pass


class Unusable(Exception):
    """A command fails without a mutant."""


DEVICES = 2  # for the ladders for several devices


def run(command, seconds, **more):
    """Returns (exit status, output). The status is None if the command was stopped: after `seconds` of
    processor time, or ten times that by the clock, since the machine may be busy. Stops its children also."""
    def limit():
        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds), int(seconds)))
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                               stderr=subprocess.STDOUT, start_new_session=True, preexec_fn=limit,
                               **more)
    try:
        output = process.communicate(timeout=10 * seconds)[0]
        return process.returncode, output.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return None, ""
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()


def link_others(folder, to, changed):
    """Links everything in a folder, except for one file. Creates the folders that contain the file."""
    os.makedirs(to, exist_ok=True)
    first, _, rest = changed.partition(os.sep)
    for name in os.listdir(folder):
        if name != first:
            os.symlink(os.path.join(folder, name), os.path.join(to, name))
    if rest:
        link_others(os.path.join(folder, first), os.path.join(to, first), rest)


def instructions_of(source):
    """The environment that selects the instruction set of a source."""
    named = re.search(r"vector_(\w+)\.c$", source)
    return {"RUNGS_SIMD": named[1]} if named else {}


def runs_here(step, source):
    """Whether this CPU has the instructions that the source is for."""
    environment = instructions_of(source)
    return not environment or run([os.path.join(step.bin, step.name), "--list"], 60,
                                  env=dict(os.environ, **environment))[0] == 0


class Trial:
    """One mutant, which is compiled and run in a separate folder."""

    def __init__(self, step, mutant, folder):
        self.step, self.mutant, self.folder = step, mutant, folder
        self.environment = dict(instructions_of(mutant.source), SIMT_DEVICES=str(DEVICES))
        # The tree of sources as links, with this one changed: sources include "../07_gemm/parts/matrix.cuh".
        self.sources = os.path.join(folder, "sources", step.name)
        os.makedirs(self.sources)
        for name in os.listdir(ROOT):
            if name != step.name:
                os.symlink(os.path.join(ROOT, name), os.path.join(folder, "sources", name))
        changed = os.path.relpath(mutant.source, os.path.join(ROOT, step.name))
        link_others(os.path.join(ROOT, step.name), self.sources, changed)
        with open(os.path.join(self.sources, changed), "w") as file:
            file.write(mutant.text)

    def compiled(self, target, unit):
        """{original object: mutant object} of a unit, for that target."""
        words, original = self.step.commands[unit, target]
        words = list(words)
        # __FILE__ must be the same as in the original.
        words[1:1] = ["-I" + self.sources,
                      "-fmacro-prefix-map=%s/=%s/" % (os.path.join(self.folder, "sources"), ROOT)]
        source = os.path.join(self.sources, unit)
        to = os.path.join(self.folder, target + "_" + unit.replace("/", "_") + ".o")
        commands = []
        if unit.endswith(".cu"):
            rewritten = os.path.join(self.folder, target + "_" + unit.replace("/", "_") + ".cpp")
            made = os.path.join(self.step.folder, "each_reduction", unit)
            if os.path.exists(made):  # made by common/each_reduction.cmake; it includes the source
                with open(made) as file:
                    text = file.read().replace(os.path.join(ROOT, self.step.name), self.sources)
                source = os.path.join(self.folder, target + "_" + unit)
                with open(source, "w") as file:
                    file.write(text)
            if unit in self.step.preprocessed:
                with_output = words[:words.index("-o")]
                commands.append(with_output +
                                ["-x", "c++", "-E", "-DSIMT_PREPROCESSED",
                                 "-isystem", os.path.join(ROOT, "common/simt/cuda"), "-include",
                                 "cuda_runtime.h", source, "-o", rewritten + ".ii"])
                commands.append([self.step.rewriter, "--preprocessed", rewritten + ".ii", rewritten])
            else:
                commands.append([self.step.rewriter, source, rewritten])
            source = rewritten
        words[words.index("-o") + 1] = to
        words[words.index("-c") + 1] = source
        commands.append(words)
        for command in commands:
            if run(command, 600, cwd=self.step.folder)[0] != 0:
                raise Failed("does not compile")
        return {original: to}

    def linked(self, target, objects, to):
        """Links a program with the mutant's objects instead of the original's. They come first, because
        the linker takes the first definition if several objects have one, as with templates of a header."""
        words = [word for word in self.step.programs[target] if word not in objects]
        after = words.index(next(word for word in words if word.endswith(".o")))
        words[after:after] = objects.values()
        words[words.index("-o") + 1] = to
        os.makedirs(os.path.dirname(to), exist_ok=True)
        if run(words, 120, cwd=self.step.folder)[0] != 0:
            raise Failed("does not compile")
        return to

    def noticed_by(self, seconds):
        """What notices the mutant, or None."""
        step, name = self.step, self.step.name
        units = step.units(self.mutant.source)
        target = name + "_rungs"
        program = os.path.join(self.folder, "bin", name)
        objects = {}
        for unit in units:
            objects.update(self.compiled(target, unit))
            self.linked(name, objects, program)
            noticed = self.runs_of(program, {unit}, 0, seconds)
            if noticed is not None:
                return noticed
        if all(same_code(mutated, os.path.join(step.folder, original))
               for original, mutated in objects.items()):
            return "same code"
        noticed = self.runs_of(program, set(units), 1, seconds)
        if noticed is not None:
            return noticed
        for test in step.programs:
            if test.startswith("test_") and any(original in step.programs[test] for original in objects):
                self.linked(test, objects, os.path.join(self.folder, "tests", test))
        for command, environment in step.tests:
            changed = [self.with_mutant(word) for word in command]
            if changed == command:
                continue
            step.require_success(command, environment, 4 * seconds)
            if run(changed, 4 * seconds, cwd=self.folder,
                   env=dict(os.environ, **environment))[0] != 0:
                return "tests"
        return None

    def with_mutant(self, word):
        """The word of a command, with the mutant's program instead of the build's."""
        return re.sub(re.escape(self.step.build + os.sep) + r"((?:bin|tests)/\w+)", lambda match:
                      os.path.join(self.folder, match[1])
                      if os.path.exists(os.path.join(self.folder, match[1])) else match[0], word)

    def runs_of(self, program, units, turn, seconds):
        """What the program notices in the runs of Step.runs: turn 0 is its first list, turn 1 its second."""
        original = os.path.join(self.step.bin, self.step.name)
        for options in self.step.runs(units)[turn]:
            options = ["--warmup", "0", "--reps", "1"] + options
            self.step.require_success([original] + options, self.environment, seconds)
            status, output = run([program] + options, seconds, cwd=self.folder,
                                 env=dict(os.environ, **self.environment))
            noticed = what_noticed(status, output)
            if noticed is not None:
                return noticed
        return None


def same_code(one, other):
    texts = []
    for path in (one, other):
        to = one + ".text"
        subprocess.run(["objcopy", "-O", "binary", "--only-section=.text*",
                        "--only-section=.rodata*", path, to], check=False)
        listing = subprocess.run(["objdump", "-dr", "--no-show-raw-insn", path],
                                 stdout=subprocess.PIPE, check=False).stdout
        with open(to, "rb") as file:
            texts.append((file.read(), listing.split(b"\n", 3)[-1]))
    return texts[0] == texts[1]


def what_noticed(status, output):
    """What a run says about the mutant, or None. Status 2 to 4 means that the program refused to run."""
    if status in (0, 2, 3, 4):
        return None
    if status == 1 and "verdict" in output and not re.search(r"(?m)^  \S+: ended the run: ", output):
        wrong = re.search(r"(?m)^  \S+: (?!right)(?:on the probe|.*got |.*never written|"
                          r".*written outside)", output)
        return "verdict" if wrong else "checks"
    return "crash"


# ---- the equivalent ones ------------------------------------------------------------------------

def keys_of(mutant):
    """The keys that may name a mutant in that file: every such change in a source, or the N-th (#N)."""
    path = os.path.relpath(mutant.source, ROOT)
    return [(path, mutant.before, mutant.after),
            ("%s #%d" % (path, mutant.nth), mutant.before, mutant.after)]


def read_equivalent():
    """{(file, before, after): reason}. The file has a paragraph per entry: three lines, then the reason."""
    found = {}
    with open(EQUIVALENT) as file:
        blocks = [block for block in re.split(r"\n\s*\n", file.read()) if block.strip()]
    for block in blocks:
        lines = [line for line in block.split("\n") if line and not line.startswith("#")]
        if not lines:
            continue
        if len(lines) < 4 or not lines[1].startswith("- ") or not lines[2].startswith("+ "):
            sys.exit("mutate.py: %s: a file, '- before', '+ after', reason: %s" % (EQUIVALENT, lines))
        found[lines[0], lines[1][2:], lines[2][2:]] = " ".join(lines[3:])
    return found


def stale(equivalent):
    """The entries that no longer match a mutant."""
    for path, before, after in equivalent:
        source = os.path.join(ROOT, path.split(" #")[0])
        if not os.path.exists(source) or not any(
                (path, before, after) in keys_of(mutant) for mutant in mutants_of("", source)):
            yield path, before, after


# ---- main ---------------------------------------------------------------------------------------

ORDER = ["verdict", "checks", "crash", "tests", "same code", "equivalent", "does not compile",
         "survived"]


def sample_of(mutants, count, choose):
    """A sample of that size, with about the same number of mutants per operator and step."""
    choose.shuffle(mutants)
    turns = collections.Counter()
    ranked = []
    for mutant in mutants:
        turns[mutant.operator, mutant.step] += 1
        ranked.append((turns[mutant.operator, mutant.step], mutant))
    ranked.sort(key=lambda pair: pair[0])
    return [mutant for _, mutant in ranked[:count]]


HEADER = ["file", "line", "operator", "before", "after", "nth", "noticed_by", "seconds"]


def row_of(mutant):
    return {"file": os.path.relpath(mutant.source, ROOT), "line": mutant.line,
            "operator": mutant.operator, "before": mutant.before, "after": mutant.after,
            "nth": mutant.nth}


def row_key(row):
    return row["file"], row["before"], row["after"], str(row["nth"])


def read_report(path):
    """The rows of a report that may be incomplete."""
    if not os.path.exists(path):
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def noticed_before(mutants, path, noticed_by):
    """The mutants that, according to the report, were noticed by `noticed_by`."""
    keys = {row_key(row) for row in read_report(path) if row["noticed_by"] == noticed_by}
    return [mutant for mutant in mutants if row_key(row_of(mutant)) in keys]


def forget(path, mutants):
    """Removes the rows of these mutants from the report."""
    keys = {row_key(row_of(mutant)) for mutant in mutants}
    rows = [row for row in read_report(path) if row_key(row) not in keys]
    with open(path + ".new", "w", newline="") as file:
        writer = csv.DictWriter(file, HEADER, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    os.replace(path + ".new", path)


def print_table(rows):
    """Prints a table by operator from rows of (operator, noticed by)."""
    columns = [column for column in ORDER if any(noticed == column for _, noticed in rows)]
    counts = collections.Counter(rows)
    print("%-18s" % "operator" + "".join("%18s" % column for column in columns) + "%8s" % "all")
    for operator in sorted({operator for operator, _ in rows}) + ["all"]:
        row = [sum(count for (name, noticed), count in counts.items()
                   if operator in (name, "all") and noticed == column) for column in columns]
        print("%-18s" % operator + "".join("%18d" % count for count in row) + "%8d" % sum(row))


def print_csv(rows):
    """Prints the same table as CSV, with the steps and with a column for each way to notice a mutant."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(["of"] + [column.replace(" ", "_") for column in ORDER] + ["all"])
    steps = [(row["file"].split("/")[0], row["noticed_by"]) for row in rows]
    operators = [(row["operator"], row["noticed_by"]) for row in rows]
    folders = {name for name in os.listdir(ROOT) if re.match(r"0[1-8]_", name)}
    for of, names in ((operators, set()), (steps, folders),
                      ([("all", noticed) for _, noticed in steps], set())):
        counts = collections.Counter(of)
        for name in sorted({name for name, _ in of} | names):
            row = [counts[name, column] for column in ORDER]
            writer.writerow([name.replace(" ", "_")] + row + [sum(row)])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build/simt"))
    parser.add_argument("--step", action="append", default=[])
    parser.add_argument("--operator", action="append", default=[])
    parser.add_argument("--sample", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=60, help="a run may take")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--report")
    parser.add_argument("--again")
    parser.add_argument("--table")
    options = parser.parse_args()
    if options.table is not None:
        print_csv(read_report(options.table))
        return 0
    if options.again is not None and options.report is None:
        parser.error("--again takes mutants from --report FILE")
    build = os.path.abspath(options.build)

    names = sorted(name for name in os.listdir(ROOT) if re.match(r"0[1-8]_", name))
    names = [name for name in names if not options.step or name[:2] in options.step]
    if not os.path.exists(os.path.join(build, "compile_commands.json")) or not names:
        print("mutate.py: no build in %s, or no such step" % build, file=sys.stderr)
        return 3
    steps = {name: Step(build, name) for name in names}
    sources = [(name, source) for name in names for source in steps[name].sources()]
    for name, source in sources[:]:
        if not runs_here(steps[name], source):
            sources.remove((name, source))
            print("left out: %s: this CPU lacks its instructions" % os.path.relpath(source, ROOT))
    mutants = [mutant for name, source in sources for mutant in mutants_of(name, source)
               if not options.operator or mutant.operator in options.operator]
    if options.again is not None:
        mutants = noticed_before(mutants, options.report, options.again)
    elif options.sample is not None and options.sample < len(mutants):
        mutants = sample_of(mutants, options.sample, random.Random(options.seed))
    if options.list:
        for mutant in mutants:
            print("%s:%d: %s: %s  ->  %s" % (os.path.relpath(mutant.source, ROOT), mutant.line,
                                             mutant.operator, mutant.before, mutant.after))
        print("%d mutants" % len(mutants))
        return 0
    if options.again is not None:
        forget(options.report, mutants)

    equivalent = read_equivalent()
    gone = list(stale(equivalent))
    for entry in gone:
        print("not a mutant any more: %s: - %s + %s" % entry)

    def judge(mutant):
        if any(key in equivalent for key in keys_of(mutant)):
            return mutant, "equivalent", 0.0
        start = time.monotonic()
        folder = tempfile.mkdtemp(prefix="mutate.")
        try:
            noticed = Trial(steps[mutant.step], mutant, folder).noticed_by(options.seconds)
        except Failed as error:
            noticed = str(error)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        return mutant, noticed or "survived", time.monotonic() - start

    rows = read_report(options.report) if options.report else []
    done = {row_key(row) for row in rows}
    mutants = [mutant for mutant in mutants if row_key(row_of(mutant)) not in done]
    report = open(options.report, "a", newline="") if options.report else None
    if report is not None and not rows:
        csv.DictWriter(report, HEADER, lineterminator="\n").writeheader()
    results = [(row["operator"], row["noticed_by"]) for row in rows]
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        submitted = [pool.submit(judge, mutant) for mutant in mutants]
        for result in concurrent.futures.as_completed(submitted):
            try:
                mutant, noticed, seconds = result.result()
            except Unusable as error:
                for other in submitted:
                    other.cancel()
                print("mutate.py: %s" % error, file=sys.stderr)
                return 3
            results.append((mutant.operator, noticed))
            if report is not None:
                csv.DictWriter(report, HEADER, lineterminator="\n").writerow(
                    dict(row_of(mutant), noticed_by=noticed, seconds="%.1f" % seconds))
                report.flush()
            if noticed == "survived":
                print("survived: %s:%d: %s\n  - %s\n  + %s" % (
                    os.path.relpath(mutant.source, ROOT), mutant.line, mutant.operator,
                    mutant.before, mutant.after), flush=True)
    if report is not None:
        report.close()
    print_table(results)
    survived = sum(noticed == "survived" for _, noticed in results)
    print("%d mutants, %d survived" % (len(results), survived))
    return 1 if survived or gone else 0


if __name__ == "__main__":
    sys.exit(main())
# SPDX-License-Identifier: MIT
