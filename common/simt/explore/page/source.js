/* C and CUDA, as far as colours need it: comments, texts, directives, numbers, words. */
const TOKENS = /(\/\*[^]*?\*\/|\/\/[^\n]*)|("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|^[ \t]*#[ \t]*\w+)|\b(\d[\w.]*)|\b([A-Za-z_]\w*)/gm;
const KEYWORDS = /^(auto|bool|break|case|char|class|const|constexpr|continue|default|do|double|else|enum|extern|false|float|for|if|inline|int|long|namespace|nullptr|operator|return|short|signed|sizeof|static|struct|switch|template|true|typedef|typename|union|unsigned|using|void|volatile|while|\w+_t)$/;
const CUDA_WORDS = /^(__\w+|threadIdx|blockIdx|blockDim|gridDim|warpSize|atomic[A-Z]\w*)$/;

/* The lines of a file as HTML. */
function highlighted(file) {
  if (!file.html) {
    const text = file.lines.map(line => line || "").join("\n"), look = (name, part) => part.split("\n").map(line => `<span class="${name}">${escapeText(line)}</span>`).join("\n");
    let html = "", from = 0;
    for (const match of text.matchAll(TOKENS)) {
      const [all, comment, string, digits, word] = match;
      const name = comment ? "c-note" : string ? "c-text" : digits ? "c-number" : KEYWORDS.test(word) ? "c-key" : CUDA_WORDS.test(word) ? "c-cuda" : "";
      html += escapeText(text.slice(from, match.index)) + (name ? look(name, all) : escapeText(all));
      from = match.index + all.length;
    }
    file.html = (html + escapeText(text.slice(from))).split("\n");
  }
  return file.html;
}

/* A bar as long as the line's share of the costliest line's sectors and wavefronts. */
function heatOf({units, wasted}, most) {
  if (units === 0) return "";
  const share = Math.max(8, 100 * units / most), hot = wasted / units;
  return `<i style="width: ${share.toFixed(0)}%; background: linear-gradient(90deg, var(--hot) ${(100 * hot).toFixed(0)}%, var(--warm) 0)"></i>`;
}

/* The source: counts beside the lines, the line that runs, and the lines that race. */

class Source {
  constructor(pane, panel) {
    this.pane = pane;
    this.panel = panel;
    this.file = -1;
    panel.addEventListener("click", event => {
      if (event.target.matches(".unfold")) {
        pane.app.unfolded = !pane.app.unfolded;
        for (const one of pane.app.panes) one.source.unfold();
        return;
      }
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
    const most = Math.max(1, ...[...lines.values()].map(line => line.units)), html = highlighted(data.files[file]);
    const texts = data.files[file].lines, rows = texts.map((text, i) => {
      if (text === null && texts[i - 1] === null) return "";
      if (text === null) return `<tr><td class="number"></td><td></td><td class="code dim">… lines are left out …</td></tr>`;
      const key = `${file}:${i + 1}`, counts = lines.get(key);
      const cells = columns.map(([, of]) => `<td class="count">${counts && of(counts) !== null ? of(counts).toLocaleString("en-US") : ""}</td>`).join("");
      const told = counts && !hidden ? ` title="${columns.filter(([, of]) => of(counts) !== null).map(([name, of]) => `${name}: ${of(counts).toLocaleString("en-US")}`).join(", ")}"` : "";
      return `<tr data-number="${i + 1}" class="${counts ? "counted" : ""}${racy.has(key) ? " racy" : ""}"${told}><td class="number">${i + 1}</td><td class="heat">${counts && !hidden ? heatOf(counts, most) : ""}</td><td class="code">${html[i]}</td>${cells}</tr>`;
    });
    this.panel.innerHTML = `<h2>${escapeText(data.files[file].name)} ${hidden ? `<span class="dim">(counts are hidden)</span>` : `<button class="unfold" aria-expanded="${app.unfolded}">Counts</button>`}</h2>
      <div class="listing${app.unfolded ? " unfolded" : ""}" tabindex="0" role="region" aria-label="Source"><table><thead><tr><th scope="col">line</th><th scope="col" title="Sectors and wavefronts of the line; red: more than its bytes need">cost</th><th scope="col" class="code"></th>${columns.map(([name]) => `<th scope="col" class="count">${name}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table></div>
      ${hidden ? "" : `<p class="legend"><span>bar: sectors and wavefronts of the line in the whole launch</span><span><i style="background: var(--hot)"></i>more than its bytes need</span></p>`}`;
    this.listing = this.panel.querySelector(".listing");
    this.rows = [];
    for (const row of this.panel.querySelectorAll("tbody tr[data-number]")) this.rows[Number(row.dataset.number) - 1] = row;
    this.drawArrows();
  }

  /* The columns of counts appear, or go away. */
  unfold() {
    if (!this.rows) return;
    this.listing.classList.toggle("unfolded", this.pane.app.unfolded);
    const button = this.panel.querySelector(".unfold");
    if (button) button.setAttribute("aria-expanded", this.pane.app.unfolded);
    this.drawArrows();
    this.showRow();
  }

  /* From the line of a race to the other. */
  drawArrows() {
    const pairs = this.pane.launch.findings.filter(finding => finding[0] >= 0 && finding[1] >= 0)
      .map(finding => [data.sites[finding[0]], data.sites[finding[1]]])
      .filter(([a, b]) => a[0] === this.file && b[0] === this.file && a[1] !== b[1]);
    if (pairs.length === 0) return;
    for (const old of this.listing.querySelectorAll("svg.arrows")) old.remove();
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
    this.showRow();
  }

  /* Scrolls to the line that runs, if that is out of sight. */
  showRow() {
    const row = this.shown && this.shown[0], {listing} = this;
    if (!row) return;
    if (!this.scrolled && listing.clientHeight) listing.scrollTop = row.offsetTop - listing.clientHeight / 3;
    this.scrolled = true;
    const top = row.offsetTop - 30, bottom = row.offsetTop + row.offsetHeight + 40;
    if (top < listing.scrollTop || bottom > listing.scrollTop + listing.clientHeight) {
      listing.scrollTop = Math.max(0, row.offsetTop - listing.clientHeight / 2);
    }
  }
}
