/* Where in time the page is, and what follows from that. */

class Pane {
  constructor(app, launch, block) {
    this.app = app;
    this.launch = launch;
    this.block = block;
    this.node = document.createElement("section");
    this.node.className = "pane";
    this.node.setAttribute("aria-label", launchName(launch));
    this.node.innerHTML = `<h2>${escapeText(launchName(launch))}<span class="dim">, ${launch.block.filter((size, i) => i === 0 || size > 1).join(" x ")} threads a block; block ${block.index.filter((at, i) => i === 0 || launch.grid[i] > 1).join(",")}</span></h2>
      <canvas class="timeline" tabindex="0" role="slider" aria-label="Timeline: a row for each warp, a column for each step"></canvas>
      <div class="legend">${legendOf(block)}<span>low block: few lanes</span><span>bar on top: costs more than it needs</span>${block.time.rows.length ? `<span>below: phases of mbarriers, and <i style="background: var(--bulk)"></i>copies and <i style="background: var(--collective)"></i>products under way</span>` : ""}</div>
      <div class="pane-body"><div class="source panel"></div><div class="now"><div class="panel step"></div><div class="panel findings" hidden></div><div class="panel totals"></div></div></div>`;
    this.timeline = new Timeline(this, this.node.querySelector("canvas"));
    this.source = new Source(this, this.node.querySelector(".source"));
    this.wave = null;
    this.open = false;
    this.showFindings();
    this.node.addEventListener("click", event => this.click(event));
    this.node.addEventListener("submit", event => this.submit(event));
    this.node.addEventListener("pointermove", event => { if (event.target.matches("path.idle")) tellIdleWord(this, event.target, event); });
  }

  warp() { return Math.min(this.app.warp, this.block.time.warps - 1); }

  step() { return stepAt(this.block, this.app.columns, this.warp(), this.app.column); }

  key() { return `${data.launches.indexOf(this.launch)}/${this.launch.blocks.indexOf(this.block)}/${this.warp()}/${this.app.column}`; }

  /* The site of what the warp does; of a wait, that of what it waits at. */
  site(step) {
    const phase = phaseOf(this.app.columns, this.app.column);
    if (Array.isArray(step)) return siteOf(step);
    if (step === "sleeps") return siteOf(sleepsAt(this.block, this.app.columns, this.warp(), this.app.column) || this.block.steps[0]);
    return step !== "done" && this.block.time.barriers[phase] ? siteOf(this.block.time.barriers[phase]) : null;
  }

  showFindings() {
    const box = this.node.querySelector(".findings");
    if (this.launch.findings.length === 0) return;
    box.hidden = false;
    box.innerHTML = `<h2>What the checks found</h2>` + this.launch.findings.map(([site, other, text]) => `<div class="finding"><pre>${escapeText(text.trim())}</pre><p>${[site, other].filter(one => one >= 0).map(one => `<a href="#" data-line="${data.sites[one][0]}:${data.sites[one][1]}">show ${escapeText(siteName(data.sites[one]))}</a>`).join(" &harr; ")}</p></div>`).join("");
  }

  click(event) {
    const wave = event.target.closest("[data-wave]"), line = event.target.closest("[data-line]"), column = event.target.closest("[data-column]");
    if (wave) {
      const index = wave.dataset.wave;
      if (index === "next") this.nextWave(); else { this.wave = this.wave === Number(index) ? null : Number(index); this.drawStep(); }
    } else if (column) {
      event.preventDefault();
      this.app.go(Number(column.dataset.column));
    } else if (line) {
      event.preventDefault();
      const [file, at] = line.dataset.line.split(":").map(Number);
      this.goToLine(file, at);
    }
  }

  nextWave() {
    const step = this.step();
    if (!Array.isArray(step) || !isAccess(step) || spaceOf(this.block, step) !== "shared") return;
    const count = bankAccess(step[0] !== LOAD && step[0] !== ATOMIC, step[4], addressesOf(this.block, step)).wavefronts.length;
    this.wave = this.wave === null ? 0 : this.wave + 1 < count ? this.wave + 1 : null;
    this.drawStep();
  }

  submit(event) {
    if (!event.target.matches("form.guess")) return;
    event.preventDefault();
    const question = questionOf(this.block, this.step()), input = event.target.querySelector("input");
    this.app.answers.set(this.key(), judgeGuess(question, Number(input.value)));
    this.app.draw();
    this.node.querySelector(".verdict").focus();
  }

  /* The next step, of any warp, that is at the line; from the start again if there is none. */
  goToLine(file, line) {
    const {app} = this, {columns} = app, warps = this.block.time.warps;
    for (let i = 1; i <= columns.count; i++) {
      const column = (app.column + i) % columns.count;
      for (let j = 0; j < warps; j++) {
        const warp = (this.warp() + j) % warps, step = stepAt(this.block, columns, warp, column);
        const site = Array.isArray(step) ? siteOf(step) : step === "barrier" ? siteOf(this.block.time.barriers[phaseOf(columns, column)]) : null;
        if (site && site[0] === file && site[1] === line) { app.warp = warp; app.go(column); return true; }
      }
    }
    this.source.show(file);
    this.source.mark([file, line, file, line, ""]);
    return false;
  }

  draw() {
    this.timeline.draw();
    this.drawStep();
  }

  drawStep() {
    const {app} = this, step = this.step(), words = stepInWords(this.block, app.columns, this.warp(), step, step === "sleeps" ? sleepsAt(this.block, app.columns, this.warp(), app.column) : null), site = this.site(step);
    const question = questionOf(this.block, step), answer = app.answers.get(this.key()), hidden = app.predicting && question !== null && !answer;
    const key = this.key();
    if (this.lastKey !== key) { this.wave = null; this.lastKey = key; }
    const box = this.node.querySelector(".step");
    this.open = box.querySelector(".lane-table") ? box.querySelector(".lane-table").open : this.open;
    const isShared = Array.isArray(step) && isAccess(step) && step[0] !== COPIED && spaceOf(this.block, step) === "shared";
    const isGlobal = Array.isArray(step) && isAccess(step) && step[0] !== COPIED && spaceOf(this.block, step) === "global";
    let served = null;
    if (isShared && this.wave !== null) served = new Set(bankAccess(step[0] !== LOAD && step[0] !== ATOMIC, step[4], addressesOf(this.block, step)).wavefronts[this.wave].words.flatMap(word => word.lanes));
    const lanes = lanesPicture(this, step, served);
    const helper = site && (site[2] !== site[0] || site[3] !== site[1]) && site[2] >= 0 ? `, in <code>${escapeText(site[4])}</code> (${escapeText(lineName(site[2], site[3]))})` : "";
    box.innerHTML = `<h2>Step ${app.column + 1}, ${this.roundName()}</h2>
      <p class="what">${words.html}${words.cost && !hidden ? ` ${words.cost}` : ""}</p>
      ${site ? `<p class="dim">${lineLink(site)}${helper}: <code>${escapeText(((data.files[site[0]] || {lines: []}).lines[site[1] - 1] || "").trim())}</code></p>` : ""}
      ${hidden ? guessForm(question, key) : ""}
      ${answer && app.predicting ? `<p class="verdict" tabindex="-1">${answer.html}</p>` : ""}
      ${words.why && !hidden ? `<p class="why">${words.why}</p>` : ""}
      ${lanes.html}${offInWords(this, step, lanes.off)}
      ${isShared ? banksPicture(this, step, this.wave, hidden) : isGlobal ? sectorsPicture(this, step, hidden) : Array.isArray(step) && step[0] === COLLECTIVE ? collectivePicture(step) : ""}
      ${meanwhileTable(this)}
      ${Array.isArray(step) && !hidden ? laneTable(this.block, step) : ""}`;
    const table = box.querySelector(".lane-table");
    if (table) {
      table.open = this.open;
      fillLaneTable(table, this.block, step);
      table.addEventListener("toggle", () => fillLaneTable(table, this.block, step));
    }
    this.source.mark(site);
    const totals = this.node.querySelector(".totals"), hideTotals = app.predicting && !app.isAnswered();
    if (this.totalsHidden !== hideTotals) {
      this.totalsHidden = hideTotals;
      totals.innerHTML = hideTotals ? `<p class="dim">The counters are hidden until you have guessed.</p>` : countersPanel(this.launch);
    }
  }

  /* Which barriers the block has behind it. */
  roundName() {
    const phase = phaseOf(this.app.columns, this.app.column), count = this.block.barriers;
    if (this.step() === "barrier") return `barrier ${phase + 1} of ${count}`;
    if (count === 0) return "no barriers in this block";
    return phase === 0 ? `before the first of ${plural(count, "barrier")}` : `after barrier ${Math.min(phase, count)} of ${count}`;
  }
}

/* Of launches, by number, the one with the most steps in a block; -1: there is none. */
function longest(launches) {
  const steps = i => Math.max(0, ...data.launches[i].blocks.map(block => block.steps.length));
  return launches.reduce((most, i) => most < 0 || steps(i) > steps(most) ? i : most, -1);
}

class App {
  constructor() {
    /* The first launch that has something to watch. */
    this.launch = Math.max(0, data.launches.findIndex(launch => launch.blocks.some(block => block.steps.length > 4)));
    this.block = 0;
    this.compared = -1;
    this.column = 0;
    this.warp = 0;
    this.predicting = false;
    this.answers = new Map();
    this.timer = null;
    this.fillChoices();
    this.listen();
    this.readPlace();
  }

  fillChoices() {
    document.title = `${data.title}: explorer`;
    element("title").textContent = data.title;
    const options = data.launches.map((launch, i) => `<option value="${i}"${launch.blocks.some(block => block.steps.length) ? "" : " disabled"}>${escapeText(launchName(launch))}</option>`).join("");
    element("launch").innerHTML = options;
    element("compare").innerHTML = `<option value="-1">one launch</option>` + options;
  }

  /* What the page does not show, of the launches that it shows now. */
  tellLeftOut(shown) {
    const left = [];
    const missing = data.launches.filter(launch => launch.notKept > 0).length;
    if (missing > 0) left.push(`The page was full: of ${plural(missing, "launch", "launches")} some or all of the blocks asked for were left out. Their counters are whole. A page of fewer launches has room for them.`);
    for (const [launch, block] of shown) if (block.full) left.push(
      `Launch ${data.launches.indexOf(launch) + 1}, block ${block.number}: too long for a page; kept are ${number(block.steps.length)} of its ${number(block.seen)} steps${block.barriers ? `, up to barrier ${block.keptBarriers} of ${block.barriers}` : ", of its first warps"}. Its counters are those of all. ${data.launches.length > 1 ? "A page of fewer launches has more room." : "A smaller problem has room."}`);
    data.launches.forEach((launch, i) => { if (!launch.ended) left.push(`Launch ${i + 1} did not come to its end: its counters are missing, and what its lanes did last.`); });
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
    this.tellLeftOut(shown);
    this.columns = columnsOf(shown.map(([, block]) => block));
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
    } else if (location.hash !== this.place()) {
      this.written = performance.now();
      history.replaceState(null, "", this.place());
    }
  }

  /* launch and beside: a number from 1, or the name of a rung or kernel: its longest launch. */
  launchNamed(text) {
    if (/^\d+$/.test(text)) return data.launches[Number(text) - 1] ? Number(text) - 1 : -1;
    return longest(data.launches.map((launch, i) => i).filter(i => data.launches[i].part === text || data.launches[i].kernel === text));
  }

  readPlace() {
    const asked = Object.fromEntries(decodeURIComponent(location.hash.slice(1)).split(",").map(word => word.split("=")));
    if (asked.launch !== undefined) this.launch = Math.max(0, this.launchNamed(asked.launch));
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
    addEventListener("hashchange", () => { if (location.hash !== this.place()) this.readPlace(); });
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
