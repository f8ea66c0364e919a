/* The source: counts beside the lines, the line that runs, and the lines that race. */

class Source {
  constructor(pane, panel) {
    this.pane = pane;
    this.panel = panel;
    this.file = -1;
    panel.addEventListener("click", event => {
      const row = event.target.closest("tr.counted");
      if (row) pane.goToLine(this.file, Number(row.dataset.number));
    });
  }

  /* The file that has the kernel: most of what was counted is there. */
  mainFile() {
    const counts = new Map();
    for (const [site] of this.pane.launch.counted) {
      const file = data.sites[site][0];
      counts.set(file, (counts.get(file) || 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([file]) => file).find(file => file >= 0) ?? this.pane.launch.launched[0];
  }

  show(file) {
    const {launch, app} = this.pane, lines = this.counts || (this.counts = countsByLine(launch));
    const hidden = app.predicting && !app.isAnswered();
    if (this.file === file && this.hidden === hidden) return;
    this.file = file;
    this.hidden = hidden;
    this.rows = null;
    this.marked = null;
    this.shown = [];
    if (!data.files[file]) {
      this.panel.innerHTML = `<h2>Source</h2><p class="dim">The source was not there when this page was made.</p>`;
      return;
    }
    const columns = LINE_COLUMNS.filter(([, of]) => !hidden && [...lines].some(([key, line]) => key.startsWith(`${file}:`) && of(line) !== null));
    const racy = new Set(launch.findings.flatMap(finding => [finding[0], finding[1]]).filter(site => site >= 0).map(site => `${data.sites[site][0]}:${data.sites[site][1]}`));
    const texts = data.files[file].lines, rows = texts.map((text, i) => {
      if (text === null && texts[i - 1] === null) return "";
      if (text === null) return `<tr>${columns.map(() => "<td></td>").join("")}<td class="number"></td><td class="code dim">… lines are left out …</td></tr>`;
      const key = `${file}:${i + 1}`, counts = lines.get(key);
      const cells = columns.map(([, of]) => `<td class="count">${counts && of(counts) !== null ? of(counts).toLocaleString("en-US") : ""}</td>`).join("");
      return `<tr data-number="${i + 1}" class="${counts ? "counted" : ""}${racy.has(key) ? " racy" : ""}">${cells}<td class="number">${i + 1}</td><td class="code">${escapeText(text)}</td></tr>`;
    });
    this.panel.innerHTML = `<h2>${escapeText(data.files[file].name)}${hidden ? ` <span class="dim">(counts are hidden)</span>` : ""}</h2><div class="listing" tabindex="0" role="region" aria-label="Source"><table><thead><tr>${columns.map(([name]) => `<th scope="col">${name}</th>`).join("")}<th scope="col">line</th><th scope="col" class="code">counts of the whole launch, beside the lines</th></tr></thead><tbody>${rows.join("")}</tbody></table></div>`;
    this.listing = this.panel.querySelector(".listing");
    this.rows = [];
    for (const row of this.panel.querySelectorAll("tbody tr[data-number]")) this.rows[Number(row.dataset.number) - 1] = row;
    this.drawArrows();
  }

  /* From the line of a race to the other. */
  drawArrows() {
    const pairs = this.pane.launch.findings.filter(finding => finding[0] >= 0 && finding[1] >= 0)
      .map(finding => [data.sites[finding[0]], data.sites[finding[1]]])
      .filter(([a, b]) => a[0] === this.file && b[0] === this.file && a[1] !== b[1]);
    if (pairs.length === 0) return;
    let paths = "";
    this.listing.classList.add("arrowed");
    pairs.forEach(([a, b], i) => {
      const y = site => this.rows[site[1] - 1].offsetTop + this.rows[site[1] - 1].offsetHeight / 2, x = 8 + 4 * (i % 3);
      paths += `<path d="M${x + 8} ${y(b)} H${x} V${y(a)} H${x + 8}" fill="none" stroke="var(--shared-store)" stroke-width="2.5" marker-end="url(#arrow)"/>`;
    });
    this.listing.insertAdjacentHTML("beforeend", `<svg class="arrows" width="30" height="10" role="img" aria-label="An arrow joins the two lines of each race"><defs><marker id="arrow" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="5" markerHeight="5" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="var(--shared-store)"/></marker></defs>${paths}</svg>`);
  }

  /* The line of this site runs; null: none does. */
  mark(site) {
    const file = site && data.files[site[0]] ? site[0] : this.file >= 0 ? this.file : this.mainFile();
    this.show(file);
    const marked = site ? site.slice(0, 4).join() : "";
    if (!this.rows || this.marked === marked) return;
    this.marked = marked;
    for (const row of this.shown || []) row.classList.remove("now", "helper");
    this.shown = [];
    if (!site || site[0] !== file) return;
    const row = this.rows[site[1] - 1];
    if (!row) return;
    row.classList.add("now");
    const helper = site[2] === file && site[3] !== site[1] ? this.rows[site[3] - 1] : null;
    if (helper) helper.classList.add("helper");
    this.shown = [row, helper].filter(Boolean);
    const top = row.offsetTop - 30, bottom = row.offsetTop + row.offsetHeight + 40, listing = this.listing;
    if (top < listing.scrollTop || bottom > listing.scrollTop + listing.clientHeight) {
      listing.scrollTop = Math.max(0, row.offsetTop - listing.clientHeight / 2);
    }
  }
}
