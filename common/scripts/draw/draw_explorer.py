#!/usr/bin/env python3
"""Makes the screens of docs/explorer.md: draw_explorer.py BIN_DIR [FOLDER]

Makes pages with the programs of a build with the preset simt, opens them in a headless Chromium, and writes
FOLDER/explorer_*.png (docs/pictures). Fonts differ from machine to machine, so nothing compares the pictures: look
at them. Needs chromium, chromedriver and Pillow, which gives the pictures few colours.

Exit status: 0 done, 1 a page could not be made, 2 bad usage, 3 something is missing, 4 a file cannot be written."""
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "simt", "tests"))
import browser  # noqa: E402

TREES = "05_gpu_shared_tree --n 64K --rung strided --rung sequential"
RING = "07_gemm --type bf16 --m 128 --n 128 --k 384 --rung producers"
# name, program and options, place in the page, width, height, theme
SCREENS = (
    ("banks", TREES, "#launch=strided,step=15,beside=sequential", 1240, 900, "light"),
    ("predict", TREES, "#launch=strided,step=15,predict=1", 1240, 900, "dark"),
    ("narrow", TREES, "#launch=strided,step=15", 400, 860, "light"),
    ("ring", RING, "#launch=producers,step=51,warp=8", 1240, 1000, "light"),
)


def main():
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    pictures = sys.argv[2] if len(sys.argv) == 3 else os.path.join(HERE, "..", "..", "docs", "pictures")
    reason = browser.missing()
    try:
        from PIL import Image
    except ImportError:
        reason = reason or "Pillow is not installed"
    if reason:
        print("draw_explorer.py: " + reason, file=sys.stderr)
        return 3
    with tempfile.TemporaryDirectory() as folder, browser.Browser() as window:
        for name, command, place, width, height, theme in SCREENS:
            program, *options = command.split()
            page = os.path.join(folder, "page.html")
            made = subprocess.run([os.path.join(sys.argv[1], program), *options, "--explore", page], stdout=subprocess.DEVNULL, check=False)
            if made.returncode != 0:
                print("draw_explorer.py: %s: exit status %d" % (command, made.returncode), file=sys.stderr)
                return 1
            window.resize(width, height)
            window.open("about:blank")
            window.open(browser.address_of(page) + place)
            window.run("explorer.setTheme(arguments[0])", theme)
            window.settled()
            path = os.path.join(pictures, "explorer_%s.png" % name)
            window.picture(path)
            Image.open(path).convert("RGB").quantize(160).save(path, optimize=True)
            print(path)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except OSError as problem:
        print("draw_explorer.py: %s" % problem, file=sys.stderr)
        sys.exit(4)
# SPDX-License-Identifier: MIT
