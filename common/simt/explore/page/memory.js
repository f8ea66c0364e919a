/* Shared memory as 32 banks, global memory as sectors and lines. */

const WAVE_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8a9099"];
const waveColour = index => WAVE_COLOURS[index % WAVE_COLOURS.length];
const lanesLabel = lanes => lanes.length === 1 ? `${lanes[0]}` : lanes.length === 2 ? `${lanes[0]},${lanes[1]}` : `${lanes.length}×`;

/* Labels of many cells: one element for all that look alike, since a browser lays out few elements
   with many glyphs much faster than many with few. */
class Labels {
  constructor() { this.looks = new Map(); }

  put(x, y, text, look = "", size = 12) {
    const key = `font-size="${size}"${look ? ` style="${look}"` : ""}`, glyphs = [...String(text)], wide = size * .6;
    if (!this.looks.has(key)) this.looks.set(key, {text: "", xs: [], ys: []});
    const all = this.looks.get(key);
    glyphs.forEach((glyph, i) => {
      all.text += glyph;
      all.xs.push((x + (i - (glyphs.length - 1) / 2) * wide).toFixed(1));
      all.ys.push(y);
    });
  }

  html() {
    return [...this.looks].map(([key, {text, xs, ys}]) => `<text ${key} text-anchor="middle" x="${xs.join(" ")}" y="${ys.join(" ")}">${text}</text>`).join("");
  }
}

/* Which words lanes need, by word: [{index, lanes}], index being the wavefront's; and how many
   different ones each bank must give to the part of the warp that is shown. */
function wantedWords(access, chosen) {
  const cells = new Map(), perBank = new Array(BANKS).fill(0);
  access.wavefronts.forEach((wavefront, index) => {
    for (const word of wavefront.words) {
      cells.set(word.word, [...(cells.get(word.word) || []), {index, lanes: word.lanes}]);
      if (wavefront.part === access.wavefronts[chosen === null ? 0 : chosen].part) perBank[word.bank]++;
    }
  });
  return {cells, perBank};
}

/* The rows of 32 words that are shown: those with a needed word, and what lies closely between. */
function rowsOfWords(cells) {
  const rows = [];
  for (const row of [...new Set([...cells.keys()].map(word => Math.floor(word / BANKS)))].sort((a, b) => a - b)) {
    const last = rows[rows.length - 1];
    for (let between = last + 1; row - last <= 3 && between < row; between++) rows.push(between);
    rows.push(row);
  }
  return rows;
}

const BANK_WIDTH = 25;

/* Rows of 32 words: a column is a bank. Coloured by the wavefront that serves the word. Rows between
   two with needed words are left out. `look` has the wavefront that is picked out, or null; whether
   counts are hidden; whether the window is narrow, which shows the banks in use, or banks 16 to 31 below the others; and
   the title of a word. */
function banksPicture(access, {chosen, hidden, narrow, title}) {
  const width = BANK_WIDTH, height = 20, left = narrow ? 80 : 88;
  const {cells, perBank} = wantedWords(access, chosen), rows = rowsOfWords(cells), labels = new Labels(), most = Math.max(...perBank);
  const all = Array.from({length: BANKS}, (none, bank) => bank), used = all.filter(bank => [...cells.keys()].some(word => bankOf(word) === bank));
  const groups = !narrow ? [all] : used.length <= BANKS / 2 ? [used] : [all.slice(0, BANKS / 2), all.slice(BANKS / 2)], across = groups[0].length;
  let svg = "", y = 0;
  for (const banks of groups) {
    const at = bank => left + (banks.indexOf(Math.floor(bank)) + bank % 1) * width;
    y += 20;
    labels.put(narrow ? 16 : 14, y - 6, "bank", "", 12.5);
    for (const bank of banks) labels.put(at(bank + .5), y - 6, bank, "", 12.5);
    rows.forEach((row, i) => {
      if (i > 0 && row > rows[i - 1] + 1) {
        svg += `<text x="${left + across / 2 * width}" y="${y + 11}" font-size="12" text-anchor="middle" style="fill:var(--dim)">… ${plural(row - rows[i - 1] - 1, "row")} without a needed word …</text>`;
        y += 15;
      }
      svg += `<text x="${left - 5}" y="${y + 14}" font-size="12" text-anchor="end" style="fill:var(--dim)">word ${row * BANKS + banks[0]}…</text>`;
      let idle = "";
      for (const bank of banks) {
        const word = row * BANKS + bank, here = cells.get(word), x = at(bank);
        if (!here) {
          idle += `M${x + 1} ${y + 1}h${width - 2}v${height - 2}h${2 - width}z`;
          continue;
        }
        const lanes = [...new Set(here.flatMap(one => one.lanes))], dim = chosen !== null && !here.some(one => one.index === chosen);
        const look = dim ? ";opacity:.25" : "", colour = hidden ? "#8a9099" : waveColour(here[0].index);
        svg += `<rect x="${x + 1}" y="${y + 1}" width="${width - 2}" height="${height - 2}" rx="2" style="fill:${colour}${look}"><title>${title(word)}, needed by ${lanes.length === 1 ? "lane" : "lanes"} ${lanesInWords(lanes)}${hidden ? "" : `, wavefront ${here.map(one => one.index + 1).join(", ")}`}</title></rect>`;
        labels.put(x + width / 2, y + 14, lanesLabel(lanes), `fill:${inkOn(colour)};pointer-events:none${look}`);
      }
      svg += `<path class="idle" data-row="${row}" data-banks="${banks}" data-left="${left}" d="${idle}" fill="var(--off)" opacity=".55"><title></title></path>`;
      y += height;
    });
    if (!hidden) {
      svg += `<text x="${left - 5}" y="${y + 16}" font-size="12" text-anchor="end">${narrow ? "words" : "words needed"}</text>`;
      for (const bank of banks) labels.put(at(bank + .5), y + 16, perBank[bank], perBank[bank] === most && most > 1 ? "fill:var(--bad);font-weight:700" : perBank[bank] ? "" : "fill:var(--dim)", 12.5);
      y += 22;
    }
  }
  return `<h3>Shared memory: ${across === used.length && across < BANKS ? `${plural(across, "bank")} of 32` : "32 banks"} side by side</h3><p class="legend">A row has one word in each bank. The number in a cell is the lane that needs the word.</p><svg class="picture" style="max-width: ${((left + across * width) / 12).toFixed(1)}rem" viewBox="0 0 ${left + across * width} ${y + 2}" role="img" aria-label="The words of shared memory that lanes need, a column for each bank; the wavefronts below say the same in words">
    ${svg}${labels.html()}</svg>
    ${hidden ? "" : wavefrontList(access, chosen)}`;
}

/* The pointer is over a row's words that no lane needs: which word that is. */
function idleWord(path, event) {
  const x = new DOMPoint(event.clientX, event.clientY).matrixTransform(path.ownerSVGElement.getScreenCTM().inverse()).x;
  const banks = path.dataset.banks.split(","), at = Math.floor((x - Number(path.dataset.left)) / BANK_WIDTH);
  return Number(path.dataset.row) * BANKS + Number(banks[Math.max(0, Math.min(banks.length - 1, at))]);
}

const bankOf = word => (word % BANKS + BANKS) % BANKS;

function wavefrontList(access, chosen) {
  const shown = chosen === null ? null : access.wavefronts[chosen];
  const buttons = access.wavefronts.map((wavefront, i) => `<button data-wave="${i}" aria-pressed="${i === chosen}" style="border-bottom: 4px solid ${waveColour(i)}">${i + 1}</button>`).join("");
  const lanes = wavefront => [...new Set(wavefront.words.flatMap(word => word.lanes))].sort((a, b) => a - b);
  const rule = access.together < WARP ? ` ${access.together} lanes go together, since a lane needs more than 4 bytes.` : "";
  return `<div class="wavefronts"><span>Wavefront by wavefront:</span>${buttons}${access.wavefronts.length > 1 ? `<button data-wave="next">next (w)</button>` : ""}</div>
    <p class="dim">${shown ? `Wavefront ${chosen + 1} serves lanes ${lanesInWords(lanes(shown))}, from ${plural(shown.words.length, "bank")}.` : `The rule: in each bank, count the <em>different</em> words that lanes need. The largest count is the number of wavefronts.${rule}`}</p>`;
}

/* Lines of 128 bytes in four sectors of eight words; two and two on a narrow window. */
function sectorsPicture(size, addresses, {hidden, narrow}) {
  const width = 25, height = 20, across = narrow ? 2 : 4, labels = new Labels();
  const access = sectorAccess(size, addresses), moved = new Set(access.sectors), wanted = new Map();
  for (const lane of activeLanes(addresses)) {
    for (let word = Math.floor(addresses[lane] / WORD); word <= Math.floor((addresses[lane] + size - 1) / WORD); word++) {
      wanted.set(word, [...(wanted.get(word) || []), lane]);
    }
  }
  const lines = [...new Set(access.sectors.map(sector => Math.floor(sector * SECTOR / LINE)))].sort((a, b) => a - b);
  const left = Math.max(narrow ? 84 : 96, 14 + 6.6 * `byte ${number(lines[lines.length - 1] * LINE)}`.length);
  const at = sector => left + sector % across * (8 * width + 6);
  let svg = "", y = 20;
  for (let sector = 0; sector < across; sector++) svg += `<text x="${at(sector) + 4 * width}" y="${y - 6}" font-size="12.5" text-anchor="middle">sector ${sector}${narrow ? ` or ${sector + 2}` : ""}</text>`;
  lines.forEach((line, i) => {
    if (i > 0 && line > lines[i - 1] + 1) {
      svg += `<text x="${left + across * 4 * width}" y="${y + 11}" font-size="12" text-anchor="middle" style="fill:var(--dim)">… ${plural(line - lines[i - 1] - 1, "line")} …</text>`;
      y += 15;
    }
    svg += `<text x="${left - 6}" y="${y + 14}" font-size="12" text-anchor="end" style="fill:var(--dim)">byte ${number(line * LINE)}</text>`;
    for (let sector = 0; sector < 4; sector++) {
      const number_ = line * 4 + sector, moves = moved.has(number_), x0 = at(sector);
      y += sector > 0 && sector % across === 0 ? height + 1 : 0;
      if (moves && !hidden) svg += `<rect x="${x0 - 1}" y="${y}" width="${8 * width + 2}" height="${height}" rx="3" fill="none" stroke="var(--text)" stroke-width="1.6"/>`;
      const idle = (from, count) => `<rect x="${x0 + from * width + 1}" y="${y + 2}" width="${count * width - 2}" height="${height - 4}" fill="${moves && !hidden ? "var(--shared-load)" : "var(--off)"}" opacity="${moves && !hidden ? .45 : .5}"><title>${moves ? "moves, though no lane needs it" : "stays where it is"}</title></rect>`;
      for (let word = 0, first = 0; word < 8; word++) {
        const lanes = wanted.get(number_ * 8 + word), x = x0 + word * width;
        if (lanes) {
          svg += `<rect x="${x + 1}" y="${y + 2}" width="${width - 2}" height="${height - 4}" rx="2" fill="#0072b2"><title>${lanes.length === 1 ? "lane" : "lanes"} ${lanesInWords(lanes)}</title></rect>`;
          labels.put(x + width / 2, y + 14, lanesLabel(lanes), "fill:#fff;pointer-events:none");
          first = word + 1;
        } else if (word === 7 || wanted.has(number_ * 8 + word + 1)) {
          svg += idle(first, word + 1 - first);
        }
      }
    }
    y += height + 3;
  });
  const bytes = access.sectors.length * SECTOR, whole = narrow ? 240 : 520;
  const bars = hidden ? "" : `<h3>Needed and moved</h3><svg class="picture" viewBox="0 0 ${whole + 180} 44" role="img" aria-label="${access.bytes} bytes needed, ${bytes} bytes moved"><rect x="70" y="2" width="${Math.max(2, whole * access.bytes / bytes)}" height="16" fill="#0072b2"/><rect x="70" y="24" width="${whole}" height="16" fill="var(--shared-load)"/><text x="0" y="14" font-size="12">needed</text><text x="0" y="36" font-size="12">moved</text><text x="${whole + 80}" y="14" font-size="12">${number(access.bytes)} bytes</text><text x="${whole + 80}" y="36" font-size="12">${number(bytes)} bytes</text></svg>`;
  return `<h3>Global memory: lines of four sectors</h3><p class="legend">A line has 128 bytes. Blue: a lane needs the word.${hidden ? "" : " Framed: the sector moves. Orange: it moves in vain."}</p><svg class="picture" viewBox="0 0 ${left + across * (8 * width + 6)} ${y}" role="img" aria-label="The words that lanes need, in the sectors that move; the text above says how many">${svg}${labels.html()}</svg>${bars}`;
}
