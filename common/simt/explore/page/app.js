/* Where in time the page is, and what follows from that. */

/* Of launches, by number, the one with the most steps in a block; -1: there is none. */
function longest(launches) {
  const steps = i => Math.max(0, ...data.launches[i].blocks.map(block => block.steps.length));
  return launches.reduce((most, i) => most < 0 || steps(i) > steps(most) ? i : most, -1);
}

/* Why the launch has no end, and what that leaves out. */
function endInWords(launch, i) {
  const late = launch.blocks.find(block => block.late), index = late && late.index.filter((at, d) => d === 0 || launch.grid[d] > 1).join(",");
  return `Launch ${i + 1} did not come to its end${launch.stopped ? ": it was stopped, as told below" : ""}. Its counters are missing, and what lanes would have done that had not run yet.${late ? ` Of block ${index} there is only what its last warp did last; to see all of it, ask for number ${late.number}.` : ""}`;
}

/* What the gallery says of the page: title, place, what to look at; null: no page of the gallery. */
const lesson = JSON.parse(element("lesson").textContent);
/* Inside of a notebook a page has no address, so no place on it has one. */
const hasAddress = location.protocol !== "about:";

class App {
  constructor() {
    this.wrongPlace = "";
    /* The first launch that has something to watch. */
    this.launch = Math.max(0, data.launches.findIndex(launch => launch.blocks.some(block => block.steps.length > 4)));
    this.block = 0;
    this.compared = -1;
    this.column = 0;
    this.warp = 0;
    this.predicting = false;
    this.unfolded = false; /* the columns of counts */
    this.answers = new Map();
    this.timer = null;
    this.fillChoices();
    this.listen();
    const place = location.hash.length > 1 ? location.hash : lesson ? lesson.place : "";
    this.readPlace(place);
    if (!place && !this.goToStop()) this.goToCost();
  }

  /* The first step that costs more than it needs; without one, the first at which lanes part. */
  goToCost() {
    const {block} = this.panes[0], stepOf = (warp, column) => stepAt(block, this.columns, warp, column);
    for (const isIt of [step => costOf(block, step) > 1, step => step[0] === BRANCH]) {
      for (let column = 0; column < this.columns.count; column++) {
        const warp = block.time.phases[0].findIndex((none, warp) => isIt(stepOf(warp, column)));
        if (warp >= 0) { this.warp = warp; this.go(column); return; }
      }
    }
  }

  /* Where a report has stopped the program, if one has: at that step, or behind the last barrier. */
  goToStop() {
    const launch = data.launches.findIndex(one => one.stopped && one.blocks.some(block => String(block.index) === String(one.stopped) && block.steps.length));
    if (launch < 0) return false;
    this.launch = launch;
    this.block = data.launches[launch].blocks.findIndex(block => String(block.index) === String(data.launches[launch].stopped));
    this.build();
    const {block} = this.panes[0], stop = block.steps.find(step => step[0] === STOP), last = this.columns.starts.length - 1;
    const longest = block.time.phases[last].map(list => list.length).reduce((most, length, warp, lists) => length > lists[most] ? warp : most, 0);
    this.warp = stop ? stop[1] : longest;
    let column = this.columns.starts[last];
    while (stop && column + 1 < this.columns.count && stepAt(block, this.columns, this.warp, column) !== stop) column++;
    this.go(column);
    return true;
  }

  fillChoices() {
    const title = lesson ? lesson.title : data.title;
    document.title = `${title}: explorer`;
    element("title").textContent = title;
    const look = lesson ? lesson.look : "", isStacked = matchMedia("(max-width: 900px)").matches; /* two launches, one below the other */
    element("look").textContent = isStacked ? look.replace("on the left", "above").replace("On the right", "Below") : look;
    element("look").hidden = element("gallery").hidden = !lesson;
    element("copy-link").hidden = !hasAddress;
    const options = data.launches.map((launch, i) => `<option value="${i}"${launch.blocks.some(block => block.steps.length) ? "" : " disabled"}>${escapeText(launchName(launch))}</option>`).join("");
    element("launch").innerHTML = options;
    element("compare").innerHTML = `<option value="-1">one launch</option>` + options;
  }

  /* What the page does not show, of the launches that it shows now. */
  tellLeftOut(shown) {
    const left = this.wrongPlace ? [this.wrongPlace] : [];
    this.wrongPlace = "";
    const missing = data.launches.filter(launch => launch.notKept > 0);
    for (const launch of missing.slice(0, 3)) left.push(`Launch ${data.launches.indexOf(launch) + 1}: ${plural(launch.notKept, "block")} that ${launch.notKept === 1 ? "was" : "were"} asked for found no room; ${launch.blocks.length ? `the page has ${plural(launch.blocks.length, "block")}, up to number ${number(launch.blocks[launch.blocks.length - 1].number)}` : "the page has none of it"}. Its counters are those of all. A page of fewer launches or blocks has room.`);
    if (missing.length > 3) left.push(`So it is with ${plural(missing.length - 3, "other launch", "other launches")}.`);
    for (const [launch, block] of shown) if (block.full) left.push(
      `Launch ${data.launches.indexOf(launch) + 1}, block ${block.number}: too long for a page; kept are ${number(block.steps.length)} of its ${number(block.seen)} steps${block.barriers ? `, up to barrier ${block.keptBarriers} of ${block.barriers}` : ", of its first warps"}.${launch.ended ? " Its counters are those of all." : ""} ${data.launches.length > 1 ? "A page of fewer launches has more room." : "A smaller problem has room."}`);
    data.launches.forEach((launch, i) => { if (!launch.ended) left.push(endInWords(launch, i)); });
    element("left-out").hidden = left.length === 0;
    element("left-out").innerHTML = left.map(line => `<p>${escapeText(line)}</p>`).join("");
  }

  /* ---- panes ---- */

  build() {
    const usable = index => data.launches[index] && data.launches[index].blocks.some(block => block.steps.length);
    if (!usable(this.launch)) this.launch = Math.max(0, data.launches.findIndex((launch, i) => usable(i)));
    if (!usable(this.compared)) this.compared = -1;
    const launch = data.launches[this.launch];
    this.block = Math.max(0, Math.min(this.block, launch.blocks.length - 1));
    const shown = [[launch, launch.blocks[this.block]]];
    if (this.compared >= 0) {
      const other = data.launches[this.compared];
      shown.push([other, other.blocks[Math.min(this.block, other.blocks.length - 1)]]);
    }
    this.columns = columnsOf(shown.map(([, block]) => block));
    if (this.column >= this.columns.count) this.wrongPlace += ` There is no step ${number(this.column + 1)}: the last is ${number(this.columns.count)}.`;
    this.tellLeftOut(shown);
    this.warps = Math.max(...shown.map(([, block]) => block.time.warps));
    this.panes = shown.map(([of, block]) => new Pane(this, of, block));
    element("panes").className = shown.length > 1 ? "two" : "";
    element("panes").replaceChildren(...this.panes.map(pane => pane.node));
    element("launch").value = this.launch;
    element("compare").value = this.compared;
    element("block").innerHTML = launch.blocks.map((block, i) => `<option value="${i}">${block.index.filter((at, d) => d === 0 || launch.grid[d] > 1).join(",")}</option>`).join("");
    element("block").value = this.block;
    element("block-choice").hidden = launch.blocks.length < 2;
    element("warp").innerHTML = Array.from({length: this.warps}, (none, warp) => `<option value="${warp}">${warp}</option>`).join("");
    this.warp = Math.min(this.warp, this.warps - 1);
    this.go(this.column);
  }

  isAnswered() { return this.panes.some(pane => this.answers.has(pane.key())); }

  isHidden() { return this.predicting; }

  draw() {
    element("warp").value = this.warp;
    const answers = [...this.answers.values()], right = answers.filter(answer => answer.right).length;
    element("score").textContent = this.predicting ? `${right} of ${answers.length} right` : "";
    element("position").textContent = `step ${number(this.column + 1)} of ${number(this.columns.count)}`;
    for (const pane of this.panes) pane.draw();
    if (!this.drawn) performance.mark("explorer drawn"); /* for measure_explorer.py */
    this.drawn = true;
  }

  /* ---- time ---- */

  go(column) {
    this.column = Math.max(0, Math.min(this.columns.count - 1, column));
    if (!this.waiting) {
      this.waiting = true; /* once a frame */
      requestAnimationFrame(() => { this.waiting = false; this.draw(); this.writePlace(); this.announce(); });
    }
  }

  phase(by) {
    const phase = phaseOf(this.columns, this.column), {starts, widths} = this.columns;
    const end = starts[phase] + widths[phase] - 1;
    if (by > 0) this.go(this.column < end ? end : starts[phase + 1] === undefined ? end : starts[phase + 1] + widths[phase + 1] - 1);
    else this.go(phase > 0 ? starts[phase - 1] + widths[phase - 1] - 1 : 0);
  }

  /* The next step (by: 1, or -1: the one before) of any warp that costs more than it needs. */
  costly(by) {
    const {block} = this.panes[0];
    for (let column = this.column, first = true; column >= 0 && column < this.columns.count; column += by, first = false) {
      for (let i = 0; i < block.time.warps; i++) {
        const warp = by > 0 ? i : block.time.warps - 1 - i;
        if (first && (by > 0 ? warp <= this.warp : warp >= this.warp)) continue;
        if (costOf(block, stepAt(block, this.columns, warp, column)) > 1) { this.warp = warp; this.go(column); return; }
      }
    }
    element("position").textContent = by > 0 ? "no costly step from here on" : "no costly step before this";
  }

  /* The next count to predict, of this warp, that asks for something else than those before. */
  nextQuestion() {
    const pane = this.panes[0], asked = new Set([...this.answers.values()].map(answer => answer.asks));
    for (let i = 1; i < this.columns.count; i++) {
      const column = (this.column + i) % this.columns.count, step = stepAt(pane.block, this.columns, pane.warp(), column), question = questionOf(pane.block, step);
      if (question && !asked.has(asksWhat(step, question))) return this.go(column);
    }
    element("score").textContent += ", no other question for this warp";
    return undefined;
  }

  play() {
    if (this.timer !== null) return this.stop();
    if (this.column >= this.columns.count - 1) this.go(0);
    element("play").innerHTML = "&#x23F8;&#xFE0E; Stop";
    element("play").setAttribute("aria-label", "Stop");
    this.timer = setInterval(() => {
      if (this.column >= this.columns.count - 1) this.stop(); else this.go(this.column + 1);
    }, 1000 / Number(element("speed").value));
    return undefined;
  }

  stop() {
    clearInterval(this.timer);
    this.timer = null;
    element("play").innerHTML = "&#x25B6;&#xFE0E; Play";
    element("play").setAttribute("aria-label", "Play");
  }

  /* For screen readers, once things are quiet. */
  announce() {
    clearTimeout(this.quiet);
    if (this.timer !== null) return;
    this.quiet = setTimeout(() => { element("announce").textContent = this.panes.map(pane => pane.node.querySelector(".what").textContent).join(" "); }, 400);
  }

  /* ---- the address of a place ---- */

  place() {
    return `#launch=${this.launch + 1},block=${this.block},step=${this.column + 1},warp=${this.warp}${this.compared >= 0 ? `,beside=${this.compared + 1}` : ""}`;
  }

  /* Not at every step of many: a browser allows some hundred in ten seconds. */
  writePlace() {
    clearTimeout(this.writing);
    if (performance.now() - (this.written || 0) < 200) {
      this.writing = setTimeout(() => this.writePlace(), 250);
    } else if (hasAddress && location.hash !== this.place()) {
      this.written = performance.now();
      history.replaceState(null, "", this.place());
    }
  }

  /* launch and beside: a number from 1, or the name of a rung or kernel: its longest launch. */
  launchNamed(text) {
    if (/^\d+$/.test(text)) return data.launches[Number(text) - 1] ? Number(text) - 1 : -1;
    return longest(data.launches.map((launch, i) => i).filter(i => data.launches[i].part === text || data.launches[i].kernel === text));
  }

  readPlace(place) {
    const asked = Object.fromEntries(decodeURIComponent(place.slice(1)).split(",").map(word => word.split("=")));
    if (asked.launch !== undefined) {
      const found = this.launchNamed(asked.launch);
      if (found < 0) this.wrongPlace = `There is no launch "${asked.launch}" on this page.`;
      this.launch = Math.max(0, found);
    }
    document.body.classList.toggle("pictures", asked.only === "pictures");
    this.compared = asked.beside !== undefined ? this.launchNamed(asked.beside) : asked.launch !== undefined ? -1 : this.compared;
    if (/^\d+$/.test(asked.block)) this.block = Number(asked.block);
    if (/^\d+$/.test(asked.warp)) this.warp = Number(asked.warp);
    this.column = /^\d+$/.test(asked.step) ? Number(asked.step) - 1 : this.column;
    if (asked.predict !== undefined) this.setPredicting(asked.predict !== "0");
    this.build();
    if (/^\d+$/.test(asked.line)) {
      const file = this.panes[0].source.mainFile();
      if (asked.step === undefined) this.column = this.columns.count - 1; /* the search goes on from the start */
      this.panes[0].goToLine(file, Number(asked.line));
    }
  }

  /* ---- settings ---- */

  setPredicting(on) {
    this.predicting = on;
    element("predict").setAttribute("aria-pressed", on);
  }

  isDark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  setTheme(theme) {
    if (theme) document.documentElement.dataset.theme = theme;
    element("theme").textContent = this.isDark() ? "Light" : "Dark";
    if (this.panes) this.draw();
  }

  remember(name, value) {
    try { localStorage.setItem(`explorer-${name}`, value); } catch (error) { /* not allowed: not remembered */ }
  }

  recall(name) {
    try { return localStorage.getItem(`explorer-${name}`); } catch (error) { return null; }
  }

  textSize(by) {
    const size = Math.max(10, Math.min(26, parseFloat(getComputedStyle(document.documentElement).fontSize) + by));
    document.documentElement.style.fontSize = `${size}px`;
    this.remember("size", size);
    for (const pane of this.panes || []) pane.source.marked = null; /* its line has moved */
    if (this.panes) this.draw();
  }

  /* ---- what the reader does ---- */

  listen() {
    const click = (id, action) => element(id).addEventListener("click", () => action());
    click("first", () => this.go(0));
    click("last", () => this.go(this.columns.count - 1));
    click("back", () => this.go(this.column - 1));
    click("forward", () => this.go(this.column + 1));
    click("phase-back", () => this.phase(-1));
    click("phase-forward", () => this.phase(1));
    click("play", () => this.play());
    click("next-cost", () => this.costly(1));
    click("predict", () => { this.setPredicting(!this.predicting); this.draw(); });
    click("theme", () => { const theme = this.isDark() ? "light" : "dark"; this.remember("theme", theme); this.setTheme(theme); });
    click("smaller", () => this.textSize(-1));
    click("larger", () => this.textSize(1));
    click("help-button", () => element("help").showModal());
    click("copy-link", () => {
      const address = location.href.replace(/#.*/, "") + this.place();
      const done = () => { element("copy-link").textContent = "Copied"; setTimeout(() => { element("copy-link").textContent = "Copy link"; }, 1500); };
      if (navigator.clipboard) navigator.clipboard.writeText(address).then(done, () => prompt("The address of this place", address));
      else prompt("The address of this place", address);
    });
    element("launch").addEventListener("change", event => { this.launch = Number(event.target.value); this.block = 0; this.stop(); this.build(); });
    element("block").addEventListener("change", event => { this.block = Number(event.target.value); this.stop(); this.build(); });
    element("compare").addEventListener("change", event => { this.compared = Number(event.target.value); this.stop(); this.build(); });
    element("warp").addEventListener("change", event => { this.warp = Number(event.target.value); this.go(this.column); });
    element("speed").addEventListener("change", () => { if (this.timer !== null) { this.stop(); this.play(); } });
    addEventListener("hashchange", () => { if (location.hash !== this.place()) this.readPlace(location.hash); });
    addEventListener("keydown", event => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.setTheme());
    const size = parseFloat(this.recall("size"));
    if (size) document.documentElement.style.fontSize = `${size}px`;
    this.setTheme(this.recall("theme"));
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.matches("input, select, textarea") || element("help").open) return;
    const onButton = event.target.matches("button, summary, a");
    const scrolls = event.target.matches(".listing");
    const actions = {
      ArrowRight: () => this.go(this.column + 1), ArrowLeft: () => this.go(this.column - 1),
      ArrowDown: () => { this.warp = Math.min(this.warps - 1, this.warp + 1); this.go(this.column); },
      ArrowUp: () => { this.warp = Math.max(0, this.warp - 1); this.go(this.column); },
      PageDown: () => this.phase(1), PageUp: () => this.phase(-1), Home: () => this.go(0), End: () => this.go(this.columns.count - 1),
      " ": () => this.play(), n: () => this.costly(1), N: () => this.costly(-1), w: () => this.panes.forEach(pane => pane.nextWave()),
      p: () => element("predict").click(), d: () => element("theme").click(), "?": () => element("help").showModal()
    };
    if (!actions[event.key] || (event.key === " " && onButton) || (scrolls && /^(Arrow(Up|Down)|Page|Home|End)/.test(event.key))) return;
    event.preventDefault();
    actions[event.key]();
  }
}

const explorer = new App();
