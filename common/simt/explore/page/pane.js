/* What the page shows of a launch: one of these, or two side by side. */

class Pane {
  constructor(app, launch, block) {
    this.app = app;
    this.launch = launch;
    this.block = block;
    this.node = document.createElement("section");
    this.node.className = "pane";
    this.node.setAttribute("aria-label", launchName(launch));
    this.node.innerHTML = `<h2>${escapeText(launchName(launch))}<span class="dim">, ${launch.block.filter((size, i) => i === 0 || size > 1).join(" x ")} threads per block; block ${block.index.filter((at, i) => i === 0 || launch.grid[i] > 1).join(",")}</span></h2>
      <canvas class="timeline" tabindex="0" role="slider" aria-label="Timeline: a row for each warp, a column for each step"></canvas>
      <div class="legend">${legendOf(block)}<span>low block: few lanes</span><span>bar on top: costs more than it needs</span>${block.time.rows.length ? `<span>below: phases of mbarriers, and <i style="background: var(--bulk)"></i>copies and <i style="background: var(--collective)"></i>MMAs in flight</span>` : ""}${block.steps.some(step => step[0] === FAR_MBARRIER) ? "<span>◂ another block of the cluster arrives</span>" : ""}</div>
      <div class="pane-body"><div class="source panel"></div><div class="now"><div class="panel step"></div><div class="panel findings" hidden></div><div class="panel totals"></div></div></div>`;
    this.timeline = new Timeline(this, this.node.querySelector("canvas"));
    this.source = new Source(this, this.node.querySelector(".source"));
    this.wave = null;
    this.open = false;
    this.showFindings();
    this.node.addEventListener("click", event => this.click(event));
    this.node.addEventListener("submit", event => this.submit(event));
    this.node.addEventListener("pointermove", event => {
      if (event.target.matches("path.idle")) event.target.querySelector("title").textContent = this.wordTitle(idleWord(event.target, event));
    });
    /* Pictures have another form where there is little room. */
    new ResizeObserver(() => { if (this.narrow !== undefined && this.narrow !== this.isNarrow()) this.drawStep(); }).observe(this.node);
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
    const groups = new Map(), line = site => site < 0 ? "" : data.sites[site].slice(0, 2).join(":");
    for (const finding of this.launch.findings) {
      const key = `${line(finding[0])} ${line(finding[1])}`;
      groups.set(key, [...(groups.get(key) || []), finding]);
    }
    const report = ([, , text]) => `<pre>${withLineLinks(escapeText(text.trim()))}</pre>`;
    box.innerHTML = `<h2>${this.launch.stopped ? "What stopped the program" : "What the checks found"}</h2>` + [...groups.values()].map(([first, ...others]) => `<div class="finding">${report(first)}<p>${first.slice(0, 2).filter(one => one >= 0 && data.files[data.sites[one][0]]).map(one => `<a href="#" data-line="${line(one)}">show ${escapeText(siteName(data.sites[one]))}</a>`).join(" &harr; ")}</p>${others.length ? `<details><summary>${plural(others.length, "more report")} of these lines</summary>${others.map(report).join("")}</details>` : ""}</div>`).join("");
  }

  click(event) {
    const wave = event.target.closest("[data-wave]"), line = event.target.closest("[data-line]"), column = event.target.closest("[data-column]");
    if (event.target.matches(".next-question")) {
      this.app.nextQuestion();
    } else if (wave) {
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
    const count = bankAccess(isStored(step), step[4], addressesOf(this.block, step)).wavefronts.length;
    this.wave = this.wave === null ? 0 : this.wave + 1 < count ? this.wave + 1 : null;
    this.drawStep();
  }

  submit(event) {
    if (!event.target.matches("form.guess")) return;
    event.preventDefault();
    const question = questionOf(this.block, this.step()), input = event.target.querySelector("input");
    this.app.answers.set(this.key(), {...judgeGuess(question, Number(input.value)), asks: asksWhat(this.step(), question)});
    this.app.draw();
    this.node.querySelector(".verdict").focus();
  }

  isNarrow() { return (this.node.querySelector(".step").clientWidth || innerWidth) < 34 * parseFloat(getComputedStyle(document.documentElement).fontSize); }

  /* Which word of the memory that the step uses this is, and what it holds. */
  wordTitle(word) {
    const value = sharedAt(this.block, this.app.columns, this.app.column).get(`${this.step()[5]}:${word}`);
    return `word ${word}, bank ${bankOf(word)}${value === undefined ? "" : `, holds ${wordInWords(value)}`}`;
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
    const {app} = this, step = this.step(), words = stepInWords(this.block, app.columns, this.warp(), step, step === "sleeps" ? sleepsAt(this.block, app.columns, this.warp(), app.column) : null, app.column), site = this.site(step);
    const question = questionOf(this.block, step), answer = app.answers.get(this.key()), hidden = app.predicting && question !== null && !answer;
    const key = this.key();
    this.narrow = this.isNarrow();
    if (this.lastKey !== key) { this.wave = null; this.lastKey = key; }
    const box = this.node.querySelector(".step");
    this.open = box.querySelector(".lane-table") ? box.querySelector(".lane-table").open : this.open;
    const isShared = Array.isArray(step) && isAccess(step) && step[0] !== COPIED && spaceOf(this.block, step) === "shared";
    const isGlobal = Array.isArray(step) && isAccess(step) && step[0] !== COPIED && spaceOf(this.block, step) === "global";
    let served = null;
    if (isShared && this.wave !== null) served = new Set(bankAccess(isStored(step), step[4], addressesOf(this.block, step)).wavefronts[this.wave].words.flatMap(word => word.lanes));
    const lanes = lanesPicture(this, step, served);
    const helper = site && (site[2] !== site[0] || site[3] !== site[1]) && site[2] >= 0 ? `, in <code>${escapeText(site[4])}</code> (${escapeText(lineName(site[2], site[3]))})` : "";
    box.innerHTML = `<h2>Step ${app.column + 1}, ${this.roundName()}</h2>
      <p class="what">${words.html}${words.cost && !hidden ? ` ${words.cost}` : ""}</p>
      ${site && !data.files[site[0]] ? `<p class="dim">Its line is not known.</p>` : site ? `<p class="dim at">${lineLink(site)}${helper}: <code>${escapeText(((data.files[site[0]] || {lines: []}).lines[site[1] - 1] || "").trim())}</code></p>` : ""}
      ${hidden ? guessForm(question, key) : ""}
      ${answer && app.predicting ? `<p class="verdict" tabindex="-1">${answer.html} <button class="next-question">Next question</button></p>` : ""}
      ${words.why && !hidden ? `<p class="why">${words.why}</p>` : ""}
      ${lanes.html}${offInWords(this, step, lanes.off)}
      ${isShared ? banksPicture(bankAccess(isStored(step), step[4], addressesOf(this.block, step)), {chosen: this.wave, hidden, narrow: this.narrow, title: word => this.wordTitle(word)}) : isGlobal ? sectorsPicture(step[4], addressesOf(this.block, step), {hidden, narrow: this.narrow}) : Array.isArray(step) && step[0] === COLLECTIVE ? collectivePicture(step) : ""}
      ${meanwhileTable(this)}
      ${Array.isArray(step) && !hidden ? laneTable(this.block, step) : ""}`;
    const table = box.querySelector(".lane-table");
    if (table) {
      table.open = this.open;
      fillLaneTable(table, this.block, step);
      table.addEventListener("toggle", () => {
        fillLaneTable(table, this.block, step);
        for (const other of app.panes) other.openLaneTable(table.open);
      });
    }
    this.source.mark(site);
    const totals = this.node.querySelector(".totals"), hideTotals = app.predicting && !app.isAnswered();
    if (this.totalsHidden !== hideTotals) {
      this.totalsHidden = hideTotals;
      totals.innerHTML = hideTotals ? `<p class="dim">The counters are hidden until you have guessed.</p>` : countersPanel(this.launch);
    }
  }

  /* Side by side, both tables are open or none. */
  openLaneTable(open) {
    const table = this.node.querySelector(".lane-table");
    if (table && table.open !== open) table.open = open;
  }

  /* Which barriers the block has behind it. */
  roundName() {
    const phase = phaseOf(this.app.columns, this.app.column), count = this.block.barriers;
    if (this.step() === "barrier") return `barrier ${phase + 1} of ${count}`;
    if (count === 0) return "no barriers in this block";
    return phase === 0 ? `before the first of ${plural(count, "barrier")}` : `after barrier ${Math.min(phase, count)} of ${count}`;
  }
}
