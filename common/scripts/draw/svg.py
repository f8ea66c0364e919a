"""The pages' pictures as SVG, for the programs draw_*.py: the class Svg, the colours, and the code for --check and
--update. A picture has its own background. Both change colour if the reader's system uses a dark theme."""
import argparse
import os
import re
import sys

# These colours change in a dark theme.
PAPER, INK, FAINT, GRID, EMPTY = "#ffffff", "#1b1b1b", "#666666", "#c8c8c8", "#eeeeee"
IN_THE_DARK = ((PAPER, "#0d1117"), (INK, "#e6edf3"), (FAINT, "#a2acb8"), (GRID, "#484f58"), (EMPTY, "#262c36"))
# Colours of Okabe and Ito, which people with any kind of colour vision can distinguish. They never change.
BLUE, ORANGE, GREEN, RED, SKY = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9"
COLOURS = (BLUE, ORANGE, GREEN, RED, SKY, "#CC79A7", "#F0E442", "#999999")
BLACK, WHITE = "#000000", "#fffffe"  # for text on those colours; they also never change
DARK = (BLUE, GREEN, RED)  # text on these is white

STYLE = "<style>@media (prefers-color-scheme: dark) {%s}</style>" % "".join(
    " [fill=\"%s\"] {fill: %s} [stroke=\"%s\"] {stroke: %s}" % (light, dark, light, dark)
    for light, dark in IN_THE_DARK)


class Svg:
    """A picture. Its elements have whole coordinates, so the same data always give the same bytes."""

    in_words = staticmethod(str)  # translates a text into the picture's language

    def __init__(self, title):
        self.title, self.parts = title, []  # a part is SVG text, or [look, place, ...] for boxes
        self.width = self.height = 0

    def grow(self, x, y):
        self.width, self.height = max(self.width, x), max(self.height, y)

    def boxes_like(self, look, place):
        """The boxes with this look that a box at `place` may join, if nothing drawn since then covers that place."""
        for part in reversed(self.parts):
            if isinstance(part, str):
                if not part.startswith("<text"):  # a text is always on a box that was drawn before it
                    return None
            elif part[0] == look:
                return part
            elif any(x < place[0] + place[2] and place[0] < x + width and y < place[1] + place[3] and
                     place[1] < y + height for x, y, width, height in part[1:]):
                return None
        return None

    def text(self, x, y, text, size=12, anchor="start", colour=INK, weight="normal"):
        text = self.in_words(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        self.parts.append('<text x="%d" y="%d" font-family="sans-serif" font-size="%d" text-anchor="%s" fill="%s"%s>%s'
                          '</text>' % (x, y, size, anchor, colour,
                                       ' font-weight="bold"' if weight == "bold" else "", text))
        wide = sum(1 if one > "\u2fff" else 0.6 if weight == "bold" else 0.56 for one in text) * size
        self.grow(x + {"start": wide, "middle": wide / 2, "end": 0}[anchor], y + 4)

    def on(self, colour, x, y, text, size=12, weight="normal"):
        """Text in the middle of an element of this colour."""
        self.text(x, y, text, size, "middle", WHITE if colour in DARK else BLACK if colour in COLOURS else INK, weight)

    def box(self, x, y, width, height, fill, stroke="none"):
        look = 'fill="%s"%s' % (fill, ' stroke="%s"' % stroke if stroke != "none" else "")
        place = (int(x), int(y), int(width), int(height))
        boxes = self.boxes_like(look, place)
        if boxes:
            boxes.append(place)
        else:
            self.parts.append([look, place])
        self.grow(x + width, y + height)

    def line(self, x, y, to_x, to_y, colour=INK, width=1, dashes=""):
        self.parts.append('<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="%g"%s/>' % (
            x, y, to_x, to_y, colour, width, ' stroke-dasharray="%s"' % dashes if dashes else ""))
        self.grow(max(x, to_x), max(y, to_y))

    def arrow(self, x, y, to_x, to_y, colour=INK, width=1):
        """A line with a head at its end."""
        self.line(x, y, to_x, to_y, colour, width)
        long = max(((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5, 1)
        along, across = ((to_x - x) / long, (to_y - y) / long), ((y - to_y) / long, (to_x - x) / long)
        self.polygon([(to_x, to_y)] + [(to_x - 7 * along[0] + side * across[0], to_y - 7 * along[1] + side * across[1])
                                       for side in (3, -3)], colour)

    def polygon(self, points, fill):
        self.parts.append('<polygon points="%s" fill="%s"/>' % (" ".join("%d,%d" % point for point in points), fill))

    def polyline(self, points, colour=INK, width=1, dashes=""):
        self.parts.append('<polyline points="%s" fill="none" stroke="%s" stroke-width="%g"%s/>' % (
            " ".join("%d,%d" % point for point in points), colour, width,
            ' stroke-dasharray="%s"' % dashes if dashes else ""))

    def dot(self, x, y, radius, fill):
        self.parts.append('<circle cx="%d" cy="%d" r="%d" fill="%s"/>' % (x, y, radius, fill))
        self.grow(x + radius, y + radius)

    def render(self):
        def drawn(part):
            if isinstance(part, str):
                return part
            return '<path d="%s" %s/>' % ("".join("M%d %dh%dv%dh%dz" % (x, y, width, height, -width)
                                                  for x, y, width, height in part[1:]), part[0])

        width, height = int(self.width) + 16, int(self.height) + 12
        return ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img">\n'
                '<title>%s</title>\n%s\n<rect width="100%%" height="100%%" fill="%s"/>\n%s\n</svg>\n'
                % (width, height, width, height, self.in_words(self.title), STYLE, PAPER, "\n".join(map(drawn, self.parts))))


def in_chinese(draw):
    """The same picture with its texts translated by docs/zh/labels.txt (see messages.txt there)."""
    table, formats = [], {"%s": "(.*?)", "%d": r"(\d+)", "%f": r"([\d.]+)"}
    with open(os.path.join(ROOT, "docs", "zh", "labels.txt"), encoding="utf-8") as file:
        for english, chinese in (line.rstrip("\n").split(" | ") for line in file if not line.startswith("#")):
            table.append(("".join(formats.get(part, re.escape(part)) for part in re.split("(%[dfs])", english)), chinese))

    def said(text):
        for pattern, chinese in table:
            match = re.fullmatch(pattern, str(text))
            if match:
                return re.sub("%([1-9])", lambda place: said(match.group(int(place.group(1)))), chinese)
        return str(text)

    def drawn(*arguments):
        Svg.in_words = staticmethod(said)
        try:
            return draw(*arguments)
        finally:
            Svg.in_words = staticmethod(str)

    return drawn


def grid(svg, left, top, cell, rows, columns, colour_of, text_of=lambda y, x: "", size=11):
    """Draws rows x columns cells. colour_of and text_of give the colour and text of each."""
    for y in range(rows):
        for x in range(columns):
            colour = colour_of(y, x)
            svg.box(left + cell * x, top + cell * y, cell, cell, colour, GRID if colour in (EMPTY, PAPER) else PAPER)
            svg.on(colour, left + cell * x + cell // 2, top + cell * y + cell // 2 + 4, text_of(y, x), size)


def seen_in_the_dark(text):
    """The picture as a dark theme shows it, for viewers that do not support media queries."""
    return re.sub(r"@media \(prefers-color-scheme: dark\) \{(.*?)\}</style>", r"\1</style>", text, flags=re.S)


class Failure(Exception):
    """The reason why nothing is drawn, and the exit status."""

    def __init__(self, status, text):
        super().__init__(text)
        self.status = status


# ---- the programs --------------------------------------------------------------------------------

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..")
PICTURES = os.path.join(ROOT, "docs", "pictures")


def constants_in(path, *names):
    """The numbers that a source gives to these names as NAME = NUMBER, or a list for Type<NUMBER...>."""
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        text = file.read()
    values = []
    for name in names:
        match = re.search(r"\b%s\b(?: = (\d+)\b|<([\d, ]+)>)" % name, text)
        if match is None:
            raise ValueError("%s has no constant %s" % (path, name))
        values.append(int(match.group(1)) if match.group(1) else [int(word) for word in match.group(2).split(",")])
    return values if len(values) > 1 else values[0]


def parser_of(description):
    """The options of a program that draws: --check or --update, --pictures."""
    parser = argparse.ArgumentParser(description=description)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--check", action="store_true", help="tell which pictures differ; change nothing")
    what.add_argument("--update", action="store_true", help="draw them anew")
    parser.add_argument("--pictures", default=os.path.normpath(PICTURES), metavar="FOLDER")
    return parser


def check_or_update(options, pictures):
    """`pictures` has names and the functions that draw them. Returns how many differ from the files (--check)."""
    wrong = 0
    for name, draw in pictures:
        path = os.path.join(options.pictures, name)
        now = draw()
        before = None
        if os.path.exists(path):
            with open(path, encoding="utf-8") as file:
                before = file.read()
        if before == now:
            continue
        if options.update:
            with open(path, "w", encoding="utf-8") as file:
                file.write(now)
            print("%s: drawn" % path)
        else:
            wrong += 1
            print("%s: %s" % (path, "is not what is drawn now" if before is not None else "is not there"))
    return wrong


def draw_main(program, description, pictures):
    """The main function of a draw_*.py that has only these options. Returns its exit status."""
    options = parser_of(description).parse_args()
    try:
        wrong = check_or_update(options, pictures.items())
    except (OSError, UnicodeDecodeError, ValueError) as problem:
        print("%s: %s" % (program, problem), file=sys.stderr)
        return 4
    if wrong:
        print("%s: common/scripts/draw/%s --update draws them anew" % (program, program), file=sys.stderr)
    return 1 if wrong else 0
# SPDX-License-Identifier: MIT
