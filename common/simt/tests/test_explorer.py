#!/usr/bin/env python3
"""Tests the explorer's pages in a browser: test_explorer.py page|steps|gallery PROGRAM BIN

page: keys, clicks, touch, links, predictions, races. The page's own counts must equal those of the back end.
steps: the totals of every rung on the pages of steps 03 to 08 must equal those of a run without a page. No warp
may go on before the event that it waits for.
gallery: each page of common/scripts/draw/gallery.sh must show what the index says.
PROGRAM is simt_explored, BIN is the folder with the steps' programs.

Without a browser, prints why it is skipped. Exit status: 0 if all checks pass, 1 if not."""
import csv
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import browser  # noqa: E402

wrong = []


def check(right, what):
    if not right:
        wrong.append(what)
        print("WRONG: " + what)


def make_page(path, program, *arguments, status=0, blocks="0"):
    environment = dict(os.environ, SIMT_EXPLORE=path, SIMT_EXPLORE_BLOCKS=blocks)
    done = subprocess.run([program, *arguments], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    check(done.returncode == status, "%s %s: status %d" % (program, arguments, done.returncode))


def look(window, path, place=""):
    window.open("about:blank")
    window.open(browser.address_of(path) + place)
    window.settled()
    check(window.run("return typeof explorer") == "object", path + ": the scripts did not come to their end")


def quiet(window, what):
    complaints = window.complaints()
    check(not complaints, "%s: the console complains: %s" % (what, complaints))


def state(window):
    return window.run("return [explorer.launch, explorer.column, explorer.warp]")


# ---- page -------------------------------------------------------------------------------------------

def steps_and_keys(window):
    count = window.run("return explorer.columns.count")
    check(count > 50, "only %d columns" % count)
    check(window.run("return costOf(explorer.panes[0].block, explorer.panes[0].step()) > 1"), "it does not open at a costly step")
    window.press("Home", *["Up"] * window.run("return explorer.warp"))
    for keys, expected, what in ((["Right", "Right"], [0, 2, 0], "right arrow"),
                                 (["Left"], [0, 1, 0], "left arrow"),
                                 (["Down"], [0, 1, 1], "down arrow"), (["Up"], [0, 1, 0], "up arrow"),
                                 (["End"], [0, count - 1, 0], "End"), (["Home"], [0, 0, 0], "Home")):
        window.press(*keys)
        check(state(window) == expected, "%s: %s, not %s" % (what, state(window), expected))
    window.press("PageDown")
    check("barrier 1 of" in window.run("return document.querySelector('.step h2').textContent"), "Page Down is no barrier")
    window.press("PageUp", "n")
    check(window.run("return costOf(explorer.panes[0].block, explorer.panes[0].step()) > 1"), "n: no costly step")
    check(window.run("return document.querySelectorAll('.lane-table td').length") == 0, "a table before you open it")
    window.click(".lane-table summary")
    lanes = window.run("return countLanes(lanesOf(explorer.panes[0].step()))")
    rows = "return document.querySelectorAll('.lane-table tbody tr').length"
    check(window.run(rows) == lanes, "a row for each lane: %d" % window.run(rows))
    check(window.run("return document.querySelector('.lane-table caption') && !document.querySelector('.lane-table th:not([scope])')"), "a table's caption and heads")
    window.press("n")
    check(window.run(rows) > 0, "the table does not stay open")
    window.run("document.querySelector('.lane-table').open = false; scrollTo(0, 0)")
    for button, column in (("last", count - 1), ("back", count - 2), ("forward", count - 1), ("first", 0)):
        window.click("#" + button)
        check(state(window)[1] == column, "%s: column %d" % (button, state(window)[1]))
    window.run("element('speed').value = 60")
    window.click("#play")
    for _ in range(50):
        window.settled()
    check(state(window)[1] > 3, "play does not move on")
    window.click("#play")
    stopped = state(window)[1]
    window.settled()
    check(state(window)[1] == stopped and window.run("return explorer.timer") is None, "play does not stop")
    window.press("Home")
    box = window.run("const r = document.querySelector('.timeline').getBoundingClientRect(); return [r.left, r.top, r.width]")
    window.touch(box[0] + 60 + 40, box[1] + 30)
    check(0 < state(window)[1] < 6, "a finger on the timeline: column %d" % state(window)[1])
    window.press("?")
    check(window.run("return element('help').open"), "no help")
    window.press("Escape")
    check(not window.run("return element('help').open"), "the help stays")


def places_and_looks(window, path):
    look(window, path, "#launch=1,block=0,step=9,warp=1")
    check(state(window) == [0, 8, 1], "a link: %s" % state(window))
    window.press("Right")
    for _ in range(60): # within a second
        if window.run("return location.hash") == "#launch=1,block=0,step=10,warp=1":
            break
        window.settled()
    else:
        check(False, "the address does not follow: " + window.run("return location.hash"))
    window.run("location.hash = '#launch=banks,step=3'")
    window.settled()
    check(state(window)[1] == 2, "a new address is not followed")
    dark = "return getComputedStyle(document.body).backgroundColor"
    before = window.run(dark)
    window.press("d")
    check(window.run(dark) != before, "d changes no colours")
    window.press("d")
    check(window.run(dark) == before, "d does not change back")
    size = window.run("return getComputedStyle(document.body).fontSize")
    height = "return [document.querySelector('.timeline').clientHeight, document.querySelector('.picture').clientHeight]"
    before = window.run(height)
    for _ in range(10):
        window.click("#larger")
    check(window.run("return getComputedStyle(document.body).fontSize") != size, "A+ changes nothing")
    check(all(large > small for large, small in zip(window.run(height), before)), "A+ leaves the pictures small: %s, %s" % (before, window.run(height)))
    check(window.run("const a = document.querySelector('tr.now').getBoundingClientRect(), b = document.querySelector('.listing').getBoundingClientRect(); return a.top >= b.top && a.bottom <= b.bottom"),
          "A+: the line that runs is out of sight")
    for _ in range(10):
        window.click("#smaller")
    for width in (360, 700, 1280):
        window.resize(width, 800)
        check(window.run("return document.documentElement.scrollWidth <= innerWidth"), "too wide for %d pixels" % width)
    for missing in ("canvas:not([aria-label])", "svg[class]:not([aria-label])",
                    "th:not([scope])"):
        check(not window.run("return document.querySelector(arguments[0])", missing), "without a name: " + missing)
    check(window.run("return [...document.querySelectorAll('button')].every(one => one.textContent.trim() || one.ariaLabel)"),
          "a button without a name")


# Finds colours that are hard to distinguish, and text with too little contrast.
CONTRAST = """const wrong = [], ratio = (a, b) => { const [x, y] = [luminance(a), luminance(b)]; return (Math.max(x, y) + .05) / (Math.min(x, y) + .05); };
    for (const {name, colour} of Object.values(LOOKS)) if (ratio(colourOf(colour), inkOn(colourOf(colour))) < 4.5) wrong.push(name);
    for (const space of ["global", "shared"]) if (ratio(colourOf(`--${space}-load`), colourOf(`--${space}-store`)) < 2) wrong.push(space + " loads and stores");
    for (const text of ["key", "cuda", "note", "text", "number"]) for (const ground of ["--cell", "--now"]) if (ratio(colourOf("--c-" + text), colourOf(ground)) < 4.5) wrong.push(text + " on " + ground);
    for (const text of ["--text", "--dim", "--bad", "--good", "--accent"]) if (ratio(colourOf(text), colourOf("--panel")) < 4.5) wrong.push(text);
    return wrong"""


def looks(window):
    """Checks contrast in both themes; code, heat and counts; lanes that leave; a narrow window."""
    for theme in ("light", "dark"):
        window.run("explorer.setTheme(arguments[0])", theme)
        check(window.run(CONTRAST) == [], "%s: hard to see: %s" % (theme, window.run(CONTRAST)))
    window.run("delete document.documentElement.dataset.theme; explorer.setTheme()")
    check(window.run("return document.querySelectorAll('.listing .c-key, .listing .c-cuda, .listing .c-note').length") > 20, "the code has no colours")
    check(window.run("return document.querySelector('.listing tr.counted .heat i') !== null"), "no line has a bar")
    visible = "return document.querySelector('td.count').offsetWidth > 0"
    check(not window.run(visible), "the counts are unfolded")
    window.click(".unfold")
    check(window.run(visible), "the counts do not unfold")
    window.click(".unfold")
    leaving = """const {block} = explorer.panes[0], warps = block.time.warps;
        for (let column = 0; column < explorer.columns.count; column++) for (let warp = 0; warp < warps; warp++) {
            const step = stepAt(block, explorer.columns, warp, column);
            if (Array.isArray(step) && step[0] === BRANCH) { explorer.warp = warp; explorer.go(column); return [countLanes(step[4] >>> 0), countLanes((lanesOf(step) & ~step[4]) >>> 0)]; }
        }"""
    going = window.run(leaving)
    window.settled()
    shown = window.run("return ['.lane.on', '.lane.leaves'].map(kind => document.querySelectorAll('.lanes ' + kind).length)")
    check(going == shown and 0 not in shown, "lanes that go and leave: %s, shown: %s" % (going, shown))
    check("<code>out</code> in global memory" in window.run("return data.launches[0].blocks[0].memory.map((memory, i) => memoryName(data.launches[0].blocks[0], i)).join()"),
          "the argument's name is missing")
    window.run("explorer.warp = 0; explorer.go(explorer.panes[0].block.steps.length); explorer.goToCost()")
    window.resize(420, 900)
    check(window.run("""const box = node => node.getBoundingClientRect(), row = box(document.querySelector('tr.now .code')), list = box(document.querySelector('.listing')), picture = box(document.querySelector('.step .picture'));
        return row.left >= list.left && row.right <= list.right + 1 && list.top < innerHeight && picture.right <= innerWidth && picture.top < innerHeight"""), "420 pixels: the line or the picture is out of sight")
    window.resize(1280, 900)


def in_frame(window, path, folder):
    """Opens the page as a notebook does, without an address."""
    with open(path, encoding="utf-8") as file:
        text = file.read().replace("&", "&amp;").replace('"', "&quot;")
    frame = os.path.join(folder, "frame.html")
    with open(frame, "w", encoding="utf-8") as file:
        file.write('<!DOCTYPE html><link rel="icon" href="data:,"><iframe id="frame" width="1200" height="800" srcdoc="%s"></iframe>' % text)
    window.open(browser.address_of(frame))
    for step in range(3):
        window.run("document.getElementById('frame').contentWindow.eval('explorer.go(%d)')" % (step * 5))
        window.settled()
    check(window.run("return document.getElementById('frame').contentWindow.eval('explorer.column')") == 10, "a frame does not step")
    check(window.run("return document.getElementById('frame').contentDocument.getElementById('copy-link').hidden"), "a frame offers its address")
    quiet(window, "a frame")


def predictions(window):
    window.run("""const block = explorer.panes[0].block, list = [];
        for (let column = 0; column < explorer.columns.count; column++)
            if (costOf(block, stepAt(block, explorer.columns, 0, column)) > 2 && spaceOf(block, stepAt(block, explorer.columns, 0, column)) === "shared") list.push(column);
        explorer.warp = 0; explorer.go(list[0]);""")
    window.settled()
    asked = state(window)[1]
    text = "return document.querySelector('.step').textContent"
    check("wavefront" in window.run(text), "no wavefronts: " + window.run(text))
    window.press("p")
    shown = window.run("return document.querySelector('.pane').textContent")
    check("How many wavefronts" in shown and "bank conflict" not in shown, "predict first shows what it should hide")
    check(not window.run("return document.querySelector('td.count, .totals td, [data-wave]')"), "predict first shows counts")
    truth, lanes = window.run("""const pane = explorer.panes[0], question = questionOf(pane.block, pane.step());
        return [question.truth, countLanes(lanesOf(pane.step()))];""")
    if truth == lanes:
        lanes = 0
    window.type(".guess input", str(lanes))
    window.type(".guess input", browser.KEYS["Enter"])
    window.settled()
    verdict = window.run("return document.querySelector('.verdict').textContent")
    check("%d wavefronts" % truth in verdict and ("lanes for wavefronts" in verdict or lanes == 0), "the verdict on a wrong guess: " + verdict)
    check(window.run("return document.querySelector('td.count') !== null"), "the counts stay hidden after a guess")
    check(window.run("return element('score').textContent") == "0 of 1 right", "the score: " + window.run("return element('score').textContent"))
    window.click(".next-question")
    check(window.run("return document.querySelector('.guess') !== null"), "the next question asks nothing")
    window.type(".guess input", str(window.run("return questionOf(explorer.panes[0].block, explorer.panes[0].step()).truth")))
    window.type(".guess input", browser.KEYS["Enter"])
    window.settled()
    check(window.run("return element('score').textContent") == "1 of 2 right", "the score: " + window.run("return element('score').textContent"))
    window.run("explorer.go(arguments[0])", asked)
    window.settled()
    window.press("p", "w")
    check("Wavefront 1 serves" in window.run(text), "w: " + window.run(text))
    mistakes = window.run("""const pane = explorer.panes[0], question = questionOf(pane.block, pane.step());
        return question.mistakes.filter(([value]) => value !== question.truth).map(([value]) => judgeGuess(question, value).html)""")
    check(len(mistakes) > 4 and all("You took" in mistake or "You counted" in mistake or "One wavefront" in mistake
                                    for mistake in mistakes), "a mistake without a name: %s" % mistakes)


def under_way(window):
    """Checks the explanation while warp 1 waits for a copy."""
    check(window.run("return explorer.panes[0].block.time.rows.map(row => [row.name, row.copies.length])") ==
          [["full[0]", 1], ["full[1]", 1]], "the mbarriers' names and copies")
    check(window.run(ORDER) == [], "a warp goes on too early: %s" % window.run(ORDER))
    window.run("""const block = explorer.panes[0].block, columns = explorer.columns;
        let column = 0;
        while (!block.time.rows[0].copies.every(copy => isUnderWay(copy, columns, column)) || stepAt(block, columns, 1, column) !== "sleeps") column++;
        explorer.warp = 1;
        explorer.go(column);""")
    window.settled()
    text = window.run("return document.querySelector('.what').textContent")
    check("32 lanes wait at full[0] until phase 0 is over. It ends at step" in text, "a wait in words: " + text)
    cells = window.run("return [...document.querySelectorAll('.meanwhile tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
    check(cells[0] == ["full[0]", "0", "256 bytes", "1 copy, 256 bytes", "warp 1"], "what is under way: %s" % cells)
    check(window.run("return document.querySelector('tr.now .code').textContent").strip().startswith("wait(&full"), "the line of the wait")
    window.click(".what a")
    cells = window.run("return [...document.querySelectorAll('.meanwhile tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
    check(cells[0][1:3] == ["0", "nothing"], "where the wait ends: %s" % cells)
    text = window.run("return document.querySelector('.what').textContent")
    check("It ends in this step" in text, "where the wait ends, in words: " + text)
    window.press("Right")
    cells = window.run("return [...document.querySelectorAll('.meanwhile tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
    check(cells[0][1:3] == ["1", "1 arrival"], "the next phase: %s" % cells)


WORDS = """const {block} = explorer.panes[0], columns = explorer.columns, words = [];
    for (let warp = 0; warp < block.time.warps; warp++) for (let column = 0; column < columns.count; column++) {
        const step = stepAt(block, columns, warp, column);
        if (Array.isArray(step)) words.push(warp + ": " + stepInWords(block, columns, warp, step).html.replace(/<[^>]*>/g, ""));
    }
    return words"""


def cluster(window):
    """Checks how one block of a cluster affects the other."""
    words = "\n".join(window.run(WORDS))
    for part in ("fence.mbarrier_init", "fence.proxy.async", "setmaxnreg.dec: each thread needs 40 registers",
                 "waits at the barrier of the cluster", "256 bytes to tile in the shared memory of block 1 of the cluster",
                 "1: 32 lanes wait at freed until phase 0 is over. It ends at step",
                 "warp 0 of block 1 of the cluster arrives, the last of all"):
        check(part in words, "%r is not among a cluster's steps:\n%s" % (part, words))
    rows = window.run("return explorer.panes[0].block.time.rows.map(row => [row.name, row.copies.length, row.ends.length, row.uses.filter(one => one.step[0] === FAR_MBARRIER).map(one => countLanes(lanesOf(one.step)))])")
    check(rows == [["full", 1, 1, []], ["freed", 0, 1, [32]]], "the mbarriers of block 0: %s" % rows)
    window.run("explorer.warp = 1; explorer.go(columnAt(explorer.columns, explorer.panes[0].block.time.rows[1].ends[0].at))")
    window.settled()
    check("warp 0 of block 1 of the cluster arrives" in window.run("return document.querySelector('.meanwhile').textContent"), "the arrival is not in the table")
    check(window.run(ORDER) == [], "a warp goes on too early: %s" % window.run(ORDER))
    check(window.run("return checkSums(data.launches[0])") is True, "a cluster adds up to something else")
    window.run("explorer.block = 1; explorer.build()")
    window.settled()
    words = "\n".join(window.run(WORDS))
    check("32 lanes arrive at freed of block 0 of the cluster" in words, "the far arrival is no step of who makes it:\n" + words)
    rows = window.run("return explorer.panes[0].block.time.rows.map(row => [row.name, row.copies.map(copy => copy.to !== null && copy.step[0] === FAR_BULK)])")
    check(rows == [["full", [True]], ["freed", []]], "the copy that block 0 has begun: %s" % rows)


def stopped(window, name, line, said):
    """The page opens where the program was stopped and gives the reason."""
    now = window.run("return document.querySelector('tr.now .code').textContent")
    check(line in now, "%s: the line that stopped is not marked: %s" % (name, now))
    step = window.run("return document.querySelector('.what').textContent")
    check(name == "stuck" or "the program is stopped here" in step, "%s: %s" % (name, step))
    told = window.run("return document.querySelector('.findings').textContent")
    check("What stopped the program" in told and said in told, name + ": " + told)
    check(window.run("return document.querySelectorAll('.finding pre a').length") > 1, name + ": no line of the report is a link")
    window.click(".finding pre a:last-of-type")
    check("no counters" in window.run("return document.querySelector('.totals').textContent"), name + ": counters of a launch that has none")
    window.press("End", "Left", "n")


# For all launches: warps that go on before the event they wait for, and copies or MMAs that end before they begin.
ORDER = """const wrong = [];
    for (const launch of data.launches) for (const block of launch.blocks) {
        const {phases, meanwhile, rows} = block.time, later = ([p, c], [q, d]) => p > q || (p === q && c > d);
        phases.forEach((lists, phase) => lists.forEach((list, warp) => {
            let name = null;
            list.forEach((step, column) => {
                if (!step) return;
                const done = name && meanwhile.done.get(name);
                if (done && !later([phase, column], done.at)) wrong.push([launch.kernel, warp, column, name]);
                name = step[0] === MBARRIER ? waitsFor(step) : null;
            });
        }));
        for (const row of rows) for (const bar of row.bars || row.copies) if (bar.to && later(bar.from, bar.to)) wrong.push([launch.kernel, row.name]);
    }
    return wrong"""


def test_page(program, folder):
    with browser.Browser() as window:
        path = os.path.join(folder, "banks.html")
        make_page(path, program, "banks")
        look(window, path)
        check(window.run("return data.launches.length") == 1, "not one launch")
        check(window.run("return checkSums(data.launches[0])") is True, "the page counts otherwise than the back end")
        # It must also detect a difference.
        check(window.run("""const launch = data.launches[0], step = launch.blocks[0].steps.find(one => isAccess(one) && one[7] !== 0);
            const kept = step[6]; step[6] = 0; const other = step[7]; step[7] = 128;
            const same = checkSums(launch); step[6] = kept; step[7] = other; return same""") is False, "checkSums finds no difference")
        sizes = window.run("""const found = new Set(), block = data.launches[0].blocks[0];
            for (const step of block.steps) if (isAccess(step)) found.add(spaceOf(block, step) + step[0] + "/" + step[4]);
            return [...found].sort()""")
        check(len(sizes) > 14, "few kinds of accesses: %s" % sizes)
        check(window.run("""const block = data.launches[0].blocks[0], read = block.steps.filter(step => step[0] <= STORE);
            return read.every(step => listLanes(lanesOf(step)).every(lane => valuesOf(step)[lane]))"""), "accesses without values")
        # The last value is 0 ^ 5, which is 5, plus 16 for the half of the lanes that voted.
        check(window.run("""const last = data.launches[0].blocks[0].steps.filter(step => step[0] === STORE).pop();
            return valuesOf(last)[0].getInt32(0, true)""") == 21, "the last value written")
        steps_and_keys(window)
        places_and_looks(window, path)
        looks(window)
        predictions(window)
        quiet(window, "banks")
        look(window, path, "#launch=nothing,step=99999")
        check("no launch \"nothing\"" in window.run("return element('left-out').textContent") and "no step 99,999" in window.run("return element('left-out').textContent"),
              "a place that is not there: " + window.run("return element('left-out').textContent"))
        in_frame(window, path, folder)

        path = os.path.join(folder, "race.html")
        make_page(path, program, "race", status=1)
        look(window, path)
        check(window.run("return document.querySelectorAll('tr.racy').length") == 2, "two lines race")
        check(window.run("return document.querySelector('.listing svg.arrows path[marker-end]') !== null"), "no arrow joins them")
        window.click(".finding p a")
        check("racy" in window.run("return document.querySelector('tr.now').className"), "a finding does not lead to its line")
        quiet(window, "race")

        path = os.path.join(folder, "long.html")
        make_page(path, program, "long")
        look(window, path)
        check("too long for a page" in window.run("return element('left-out').textContent"), "what was left out is not told")
        window.press("End", "Home")
        quiet(window, "long")

        path = os.path.join(folder, "ring.html")
        make_page(path, program, "ring")
        look(window, path)
        kinds = window.run("""const pane = explorer.panes[0], found = {};
            for (const step of pane.block.steps) if (step[0] !== BARRIER && step[0] !== BULK_END) found[lookOf(pane.block, step).name] = (found[lookOf(pane.block, step).name] || "") + stepInWords(pane.block, explorer.columns, step[1], step).html;
            return found""")
        check(all(word in kinds.get("mbarrier", "") for word in ("initialized", "announces", "wait")), "no mbarrier: %s" % kinds)
        check("256 bytes" in kinds.get("bulk copy begins", "") and "counts the bytes" in kinds["bulk copy begins"], "no bulk copy: %s" % kinds)
        order = window.run("""const block = explorer.panes[0].block, columns = explorer.columns, found = {};
            for (let warp = 0; warp < 2; warp++) for (let column = 0; column < columns.count; column++) {
                const step = stepAt(block, columns, warp, column);
                if (Array.isArray(step) && step[0] === BULK) found.bulk = column;
                if (Array.isArray(step) && step[0] === LOAD && found["load" + warp] === undefined) found["load" + warp] = column;
            }
            return found""")
        check(order["bulk"] < order["load0"] and order["bulk"] < order["load1"], "bytes are read before they come: %s" % order)
        check(window.run("return countersOf(data.launches).bulk_bytes") == 512, "the bytes of bulk copies")
        under_way(window)
        check(window.run("return checkSums(data.launches[0])") is True, "a ring adds up to something else")
        window.press("End", "Home")
        quiet(window, "ring")

        path = os.path.join(folder, "cluster.html")
        make_page(path, program, "cluster", blocks="all")
        look(window, path)
        cluster(window)
        quiet(window, "cluster")

        for name, line, said in (("early", "out[threadIdx.x] = in[threadIdx.x]", "illegal address 0:"), ("fault", "*(volatile int *)8 = 1", "illegal address 0x8"),
                                 ("stuck", "__shfl_sync(", "livelock"), ("assertion", "assert(threadIdx.x != 35)", "assertion `threadIdx.x != 35' failed")):
            path = os.path.join(folder, name + ".html")
            make_page(path, program, name, status=710 % 256 if name == "assertion" else 1)
            look(window, path)
            stopped(window, name, line, said)
            quiet(window, name)

        path = os.path.join(folder, "blocks.html")
        make_page(path, program, "blocks", blocks="all")
        look(window, path, "#launch=1,block=5,beside=1")
        check(window.run("return explorer.panes.map(pane => pane.block.number)") == [5, 5], "block 5, twice")
        window.press("Home")
        window.click(".lane-table summary")
        check(window.run("return [...document.querySelectorAll('.lane-table')].map(one => one.open && one.querySelectorAll('td').length > 0)") == [True, True],
              "side by side, one table opens alone")
        check(window.run("return checkSums(data.launches[0])") is True, "six blocks add up to something else")
        quiet(window, "blocks")


# ---- steps ------------------------------------------------------------------------------------------

STEPS = (
    ("03_gpu_single_thread", ["--n", "512"]),
    ("04_gpu_atomic", ["--n", "4K"]),
    ("05_gpu_shared_tree", ["--n", "64K"]),
    ("06_gpu_warp_shuffle", ["--n", "64K"]),
    ("06_gpu_warp_shuffle", ["--ladder", "rows", "--m", "40", "--n", "300"]),
    ("06_gpu_warp_shuffle", ["--ladder", "columns", "--m", "300", "--n", "40"]),
    ("07_gemm", ["--all", "--m", "64", "--n", "128", "--k", "32"]),
    ("07_gemm", ["--all", "--type", "tf32", "--m", "64", "--n", "128", "--k", "64"]),
    ("07_gemm", ["--all", "--type", "bf16", "--m", "128", "--n", "128", "--k", "64"]),
    ("08_conv", ["--all", "--batch", "1", "--channels", "4", "--height", "18", "--width", "34", "--filters", "8"]),
)


def test_steps(bin_folder, folder):
    with browser.Browser() as window:
        for number, (step, options) in enumerate(STEPS):
            program = os.path.join(bin_folder, step)
            page, table = os.path.join(folder, "%d.html" % number), os.path.join(folder, "%d.csv" % number)
            for more in (["--explore", page], ["--counters", "--counters-csv", table]):
                done = subprocess.run([program, *options, *more], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                check(done.returncode == 0, "%s %s: status %d" % (step, more, done.returncode))
            look(window, page)
            parts = window.run("""const parts = {};
                for (const launch of data.launches) parts[launch.part] = countersOf(launchesOfPart(launch));
                return parts""")
            check(window.run("return data.launches.every(launch => checkSums(launch) !== false)"),
                  step + ": steps that do not add up to the counters")
            with open(table, newline="", encoding="utf-8") as file:
                rows = [row for row in csv.DictReader(file) if row["global_load_requests"]]
            check(len(rows) >= (1 if "tf32" in options else 3), step + ": hardly a row")
            check(window.run(ORDER) == [], "%s %s: a warp goes on too early: %s" % (step, options, window.run(ORDER)))
            for row in rows:
                shown = parts.get(row["rung"])
                same = [other for other in rows if other["rung"] == row["rung"]]  # the same rung in two ladders
                check(shown is not None, "%s %s is not on the page" % (step, row["rung"]))
                for name in list(row)[6:]:
                    check(name in (shown or {}), "%s: the page has no %s" % (step, name))
                for name, value in (shown or {}).items():
                    wanted = str(sum(int(other[name]) for other in same)) if name in row else str(value)
                    check(str(value) == wanted, "%s %s: %s is %s on the page, %s in the CSV" %
                          (step, row["rung"], name, value, wanted))
            window.press("n", "End")
            quiet(window, step)


# ---- gallery ----------------------------------------------------------------------------------------

def test_gallery(bin_folder, folder):
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts/draw/gallery.sh")
    made = subprocess.run([script, bin_folder, folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True)
    check(made.returncode == 0, "gallery.sh: status %d, %s" % (made.returncode, made.stderr))
    lessons = subprocess.run([script, "--list"], stdout=subprocess.PIPE, universal_newlines=True).stdout.splitlines()
    check(len(lessons) > 8, "only %d lessons" % len(lessons))
    with browser.Browser() as window:
        look_at = [line.split("|")[:4] for line in lessons]
        for page, _, place, seen in look_at:
            look(window, os.path.join(folder, page + ".html"), place)
            step = int(place.split("step=")[1].split(",")[0])
            check(state(window)[1] == step - 1, page + ": the step is not there")
            text = window.run("return document.querySelector('.step').textContent")
            check(seen in text, "%s: %r is not to be seen in: %s" % (page, seen, text[:300]))
            look(window, os.path.join(folder, page + ".html"))
            check(state(window)[1] == step - 1, page + ": without a place, it opens elsewhere")
            check(window.run("return element('look').textContent.length > 20 && element('title').textContent.length > 10 && !element('gallery').hidden"), page + ": no title, nothing to look at or no way back")
            quiet(window, page)
        window.open(browser.address_of(os.path.join(folder, "index.html")))
        links = window.run("return [...document.querySelectorAll('a')].map(a => a.href)")
        check(len(links) == 2 * len(lessons) + 1, "%d links" % len(links))
        check(window.run("return [...document.images].length") == len(lessons), "lessons without a picture")
        check(all(os.path.exists(link[len("file://"):].split("#")[0]) for link in links), "a link leads nowhere")
        window.open(links[2])
        window.settled()
        check(window.run("return explorer.predicting"), "the second link does not ask first")


def main():
    part, program, bin_folder = sys.argv[1:4]
    reason = browser.missing()
    if reason:
        print("skipped: " + reason)
        return 0
    with tempfile.TemporaryDirectory(prefix="explorer.") as folder:
        if part == "page":
            test_page(os.path.abspath(program), folder)
        elif part == "gallery":
            test_gallery(bin_folder, folder)
        else:
            test_steps(bin_folder, folder)
    print("%d wrong" % len(wrong) if wrong else "all passed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
