"""Which files the checks of pages, layers and formatting read: those that git tracks.

A reader's notes, kernels and build folders lie among them and are not checked. Without a git
checkout (an unpacked archive, or no git), every file is checked except hidden folders and build
folders, and note() says so: the checks then find too much rather than too little."""
import os
import subprocess

BUILD_FOLDERS = ("build", "Testing", "__pycache__")


def git(root, *arguments):
    """What git prints, or None if it fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False)
    except OSError:
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def listed_by_git(root):
    """None if root is not the top of a checkout: inside another repository git lists that one's files."""
    top = git(root, "rev-parse", "--show-toplevel")
    if top is None or os.path.realpath(top.rstrip("\n")) != os.path.realpath(root):
        return None
    listed = git(root, "ls-files", "-z")
    return listed.split("\0")[:-1] if listed else None


def everything(root):
    for here, folders, names in os.walk(root):
        folders[:] = [name for name in folders if not name.startswith((".",) + BUILD_FOLDERS) and
                      not os.path.exists(os.path.join(here, name, "CMakeCache.txt"))]
        for name in names:
            yield os.path.relpath(os.path.join(here, name), root).replace(os.sep, "/")


def files(root):
    """Paths relative to root, with forward slashes, sorted; without those that were deleted."""
    listed = listed_by_git(root)
    return sorted(path for path in (everything(root) if listed is None else listed)
                  if os.path.isfile(os.path.join(root, path)))


def note(root):
    """A line to print where git cannot tell, or None."""
    if listed_by_git(root) is None:
        return "no git checkout here: all files are checked, also those that are not the project's"
    return None
# SPDX-License-Identifier: MIT
