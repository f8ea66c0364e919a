#!/usr/bin/env python3
"""Tests the files that run on a service, as far as this is possible locally: test_workflows.py

For the workflows, and for those that pages show: each job has a time limit; a matrix defines each value that
is used, and a step defines each output; each `run` is a valid bash script. Its commands of this repository
must exist and know the options. For the development container: its Dockerfile exists and creates its user. If
check-jsonschema is on PATH, it also checks the published schemas.
Skipped if Python cannot read YAML; the site's Python can (./run.sh --site installs it).
Exit status: 0 success, 1 failure."""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SITE = os.path.join(ROOT, "build", "site-venv", "bin", "python")
try:
    import yaml
except ImportError:
    if os.path.exists(SITE) and os.path.realpath(sys.prefix) != os.path.realpath(
            os.path.dirname(os.path.dirname(SITE))):
        os.execv(SITE, [SITE, "-B", *sys.argv])
    print("skipped: no Python here reads YAML (./run.sh --site installs one)")
    sys.exit(0)

wrong = []


def check(right, what):
    if not right:
        wrong.append(what)
        print("WRONG: " + what)


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def workflows():
    """(name, text) of the repository's workflows, then of those on pages."""
    folder = ".github/workflows"
    for name in sorted(os.listdir(os.path.join(ROOT, folder))):
        yield "%s/%s" % (folder, name), read("%s/%s" % (folder, name))
    for page in ("docs/simtcc.md", "docs/teaching.md"):
        blocks = re.findall(r"^```yaml\n(.*?)^```$", read(page), re.S | re.M)
        check(len(blocks) == 1, "%s: %d workflows, not one" % (page, len(blocks)))
        for text in blocks:
            yield page, text


# ---- commands ------------------------------------------------------------------------------------


def check_run(where, script):
    """Checks a script of a step, without the service's expressions, which bash does not know."""
    check("${{" not in script, "%s: an expression in a script: use env" % where)
    done = subprocess.run(["bash", "-n", "-c", script], stderr=subprocess.PIPE, text=True, check=False)
    check(done.returncode == 0, "%s: %s" % (where, done.stderr.strip()))
    for command in re.findall(r"(?:^|[;&|]|\bsudo)\s*((?:\./|\.ci/|common/)[^\n;&|]*)", script, re.M):
        words = command.split()
        path = os.path.join(ROOT, words[0])
        check(os.access(path, os.X_OK), "%s: %s is no program" % (where, words[0]))
        options = [word for word in words[1:] if re.match(r"--?[A-Za-z]", word)]
        if options and os.access(path, os.X_OK) and "exercise" not in words:
            usage = subprocess.run([path, "--help"], stdout=subprocess.PIPE, text=True, check=False).stdout
            for option in options:
                check(re.search(r"(?<![\w-])%s\b" % re.escape(option), usage),
                      "%s: %s has no option %s" % (where, words[0], option))


# ---- a workflow ----------------------------------------------------------------------------------


def matrix_keys(job):
    matrix = job.get("strategy", {}).get("matrix", {})
    return {key for key in matrix if key != "include"} | {
        key for row in matrix.get("include", []) for key in row}


def check_job(where, job, jobs, own):
    check(not own or "timeout-minutes" in job, "%s: no limit of time" % where)
    text = json.dumps(job)
    for key in re.findall(r"matrix\.(\w+)", text):
        check(key in matrix_keys(job), "%s: the matrix has no %s" % (where, key))
    steps = {step["id"] for step in job["steps"] if "id" in step}
    for step in re.findall(r"steps\.(\w+)\.", text):
        check(step in steps, "%s: no step has the id %s" % (where, step))
    for other in [job["needs"]] if isinstance(job.get("needs"), str) else job.get("needs", []):
        check(other in jobs, "%s: needs %s, which is no job" % (where, other))
    for at, step in enumerate(job["steps"], 1):
        check(("uses" in step) != ("run" in step), "%s, step %d: expected uses or run" % (where, at))
        if "run" in step and own:
            check_run("%s, step %d" % (where, at), step["run"])
        version = "[0-9a-f]{40}" if own else r"v\d+"  # a tag can be moved
        check("run" in step or re.search("@%s$" % version, step["uses"]),
              "%s, step %d: no %s" % (where, at, "commit" if own else "version"))


def check_schema(where, text, schema):
    if not shutil.which("check-jsonschema"):
        return
    with tempfile.NamedTemporaryFile("w", suffix=".yml", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(["check-jsonschema", "--builtin-schema", schema, file.name],
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        check(done.returncode == 0, "%s: %s" % (where, done.stdout.strip()))


def test_workflows():
    for name, text in workflows():
        own = name.startswith(".github/")
        jobs = yaml.safe_load(text)["jobs"]
        for job in jobs:
            check_job("%s: %s" % (name, job), jobs[job], jobs, own)
        check_schema(name, text, "vendor.github-workflows")


def test_container():
    name = ".devcontainer/devcontainer.json"
    container = json.loads(read(name))
    dockerfile = read(".devcontainer/" + container["build"]["dockerfile"])
    user = container["remoteUser"]
    check(re.search(r"^USER %s$" % re.escape(user), dockerfile, re.M), "%s: USER is not %s" % (name, user))
    check_run(name, container["postCreateCommand"])
    for base in re.findall(r"--build-arg BASE=(\S+)", dockerfile):
        for page in ("docs/room.md", "docs/zh/room.md"):
            check(base in read(page), "%s: the Dockerfile says %s" % (page, base))


if __name__ == "__main__":
    test_workflows()
    test_container()
    print("test_workflows.py: %s%s" % (
        "%d things are wrong" % len(wrong) if wrong else "all is well",
        "" if shutil.which("check-jsonschema") else " (without schemas: no check-jsonschema)"))
    sys.exit(1 if wrong else 0)
# SPDX-License-Identifier: MIT
