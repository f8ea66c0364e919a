"""Lists the files that the checks of pages, layers and formatting read: those that git tracks.

A reader's notes, kernels and build folders may be in the same folders; they are not checked. Without a git
checkout (an unpacked archive, or git is not installed), all files are checked except for those in hidden
folders and build folders. The checks may then report too much; note() says so."""
import os
import subprocess

BUILD_FOLDERS = ("build", "Testing", "__pycache__")


def git(root, *arguments):
    """The output of git, or None if it fails or is not installed."""
    try:
        done = subprocess.run(["git", "-C", root, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              check=False)
    except OSError:
        return None
    return os.fsdecode(done.stdout) if done.returncode == 0 else None


def listed_by_git(root):
    """None if root is not the top of a checkout. Inside another repository, git would list its files."""
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
    """Sorted paths relative to root, with forward slashes, without deleted files."""
    listed = listed_by_git(root)
    return sorted(path for path in (everything(root) if listed is None else listed)
                  if os.path.isfile(os.path.join(root, path)))


def note(root):
    """A line to print if git cannot list the files, or None."""
    if listed_by_git(root) is None:
        return "no git checkout here: all files are checked, also those that are not the project's"
    return None
# SPDX-License-Identifier: MIT
