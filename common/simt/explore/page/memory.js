/* Shared memory as 32 banks, global memory as sectors and lines. */

const WAVE_COLOURS = ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442", "#8a9099"];
const waveColour = index => WAVE_COLOURS[index % WAVE_COLOURS.length];
const waveText = index => [1, 4, 6, 3, 7].includes(index % 8) ? "#111" : "#fff";
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

/* Which words lanes want, by word: [{index, lanes}], index being the wavefront's; and how many different
   ones each bank has to give to the part of the warp that is shown. */
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

/* The rows of 32 words that are shown: those with a wanted word, and what lies closely between. */
function rowsOfWords(cells) {
  const rows = [];
  for (const row of [...new Set([...cells.keys()].map(word => Math.floor(word / BANKS)))].sort((a, b) => a - b)) {
    const last = rows[rows.length - 1];
    for (let between = last + 1; row - last <= 3 && between < row; between++) rows.push(between);
    rows.push(row);
  }
  return rows;
}

const BANK_WIDTH = 25, BANKS_LEFT = 88;

/* Rows of 32 words: a column is a bank. Coloured by the wavefront that serves the word. Rows between
   two that are wanted are left out. */
function banksPicture(pane, step, chosen, hidden) {
  const {block, app} = pane, addresses = addressesOf(block, step), width = BANK_WIDTH, height = 20, left = BANKS_LEFT, top = 36;
  const access = bankAccess(step[0] !== LOAD && step[0] !== ATOMIC, step[4], addresses), {cells, perBank} = wantedWords(access, chosen);
  const values = sharedAt(block, app.columns, app.column), rows = rowsOfWords(cells), labels = new Labels();
  let svg = "", y = top;
  for (let bank = 0; bank < BANKS; bank++) labels.put(left + (bank + .5) * width, top - 6, bank, "", 12.5);
  rows.forEach((row, i) => {
    if (i > 0 && row > rows[i - 1] + 1) {
      svg += `<text x="${left + 16 * width}" y="${y + 11}" font-size="12" text-anchor="middle" style="fill:var(--dim)">… ${plural(row - rows[i - 1] - 1, "row")} that nobody wants …</text>`;
      y += 15;
    }
    svg += `<text x="${left - 5}" y="${y + 14}" font-size="12" text-anchor="end" style="fill:var(--dim)">word ${row * BANKS}…</text>`;
    let idle = "";
    for (let bank = 0; bank < BANKS; bank++) {
      const word = row * BANKS + bank, here = cells.get(word), x = left + bank * width;
      if (!here) {
        idle += `M${x + 1} ${y + 1}h${width - 2}v${height - 2}h${2 - width}z`;
        continue;
      }
      const lanes = [...new Set(here.flatMap(one => one.lanes))], dim = chosen !== null && !here.some(one => one.index === chosen);
      const look = dim ? ";opacity:.25" : "";
      svg += `<rect x="${x + 1}" y="${y + 1}" width="${width - 2}" height="${height - 2}" rx="2" style="fill:${hidden ? "#8a9099" : waveColour(here[0].index)}${look}"><title>${wordTitle(values, step[5], word)}, wanted by ${lanes.length === 1 ? "lane" : "lanes"} ${lanesInWords(lanes)}${hidden ? "" : `, wavefront ${here.map(one => one.index + 1).join(", ")}`}</title></rect>`;
      labels.put(x + width / 2, y + 14, lanesLabel(lanes), `fill:${hidden ? "#111" : waveText(here[0].index)};pointer-events:none${look}`);
    }
    svg += `<path class="idle" data-row="${row}" data-memory="${step[5]}" d="${idle}" fill="var(--off)" opacity=".55"><title></title></path>`;
    y += height;
  });
  if (!hidden) {
    const most = Math.max(...perBank);
    svg += `<text x="${left - 5}" y="${y + 16}" font-size="12" text-anchor="end">words wanted</text>`;
    perBank.forEach((count, bank) => labels.put(left + (bank + .5) * width, y + 16, count, count === most && most > 1 ? "fill:var(--bad);font-weight:700" : count ? "" : "fill:var(--dim)", 12.5));
    y += 22;
  }
  return `<h3>Shared memory: 32 banks side by side</h3><div class="scroll"><svg class="picture" style="min-width: 36rem" viewBox="0 0 ${left + BANKS * width} ${y + 2}" role="img" aria-label="The words of shared memory that lanes want, a column for each bank; the wavefronts below say the same in words">
    <text x="0" y="12" font-size="12.5">bank</text><text x="${left}" y="12" font-size="12" style="fill:var(--dim)">a row is 32 words, one in each bank; a number in a cell is the lane that wants the word</text>${svg}${labels.html()}</svg></div>
    ${hidden ? "" : wavefrontList(access, chosen)}`;
}

function wordTitle(values, memory, word) {
  const value = values.get(memory + ":" + word);
  return `word ${word}, bank ${(word % BANKS + BANKS) % BANKS}${value === undefined ? "" : `, holds ${wordInWords(value)}`}`;
}

/* The pointer is over a row's words that nobody wants: which one, and what it holds. */
function tellIdleWord(pane, path, event) {
  const svg = path.ownerSVGElement, x = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse()).x;
  const word = Number(path.dataset.row) * BANKS + Math.floor((x - BANKS_LEFT) / BANK_WIDTH);
  path.querySelector("title").textContent = wordTitle(sharedAt(pane.block, pane.app.columns, pane.app.column), path.dataset.memory, word);
}

function wavefrontList(access, chosen) {
  const shown = chosen === null ? null : access.wavefronts[chosen];
  const buttons = access.wavefronts.map((wavefront, i) => `<button data-wave="${i}" aria-pressed="${i === chosen}" style="border-bottom: 4px solid ${waveColour(i)}">${i + 1}</button>`).join("");
  const lanes = wavefront => [...new Set(wavefront.words.flatMap(word => word.lanes))].sort((a, b) => a - b);
  const rule = access.together < WARP ? ` ${access.together} lanes go together, since a lane wants more than 4 bytes.` : "";
  return `<div class="wavefronts"><span>Wavefront by wavefront:</span>${buttons}${access.wavefronts.length > 1 ? `<button data-wave="next">next (w)</button>` : ""}</div>
    <p class="dim">${shown ? `Wavefront ${chosen + 1} serves lanes ${lanesInWords(lanes(shown))}, from ${plural(shown.words.length, "bank")}.` : `The rule: in each bank, count the <em>different</em> words that are wanted. The largest count is the number of wavefronts.${rule}`}</p>`;
}

/* Lines of 128 bytes in four sectors of eight words. */
function sectorsPicture(pane, step, hidden) {
  const {block} = pane, addresses = addressesOf(block, step), size = step[4], width = 25, height = 20, left = 96, top = 34;
  const access = sectorAccess(size, addresses), moved = new Set(access.sectors), wanted = new Map();
  for (const lane of activeLanes(addresses)) {
    for (let word = Math.floor(addresses[lane] / WORD); word <= Math.floor((addresses[lane] + size - 1) / WORD); word++) {
      wanted.set(word, [...(wanted.get(word) || []), lane]);
    }
  }
  const lines = [...new Set(access.sectors.map(sector => Math.floor(sector * SECTOR / LINE)))].sort((a, b) => a - b);
  const labels = new Labels();
  let svg = "", y = top;
  for (let sector = 0; sector < 4; sector++) svg += `<text x="${left + sector * (8 * width + 6) + 4 * width}" y="${top - 6}" font-size="12.5" text-anchor="middle">sector ${sector}</text>`;
  lines.forEach((line, i) => {
    if (i > 0 && line > lines[i - 1] + 1) {
      svg += `<text x="${left + 16 * width}" y="${y + 11}" font-size="12" text-anchor="middle" style="fill:var(--dim)">… ${plural(line - lines[i - 1] - 1, "line")} …</text>`;
      y += 15;
    }
    svg += `<text x="${left - 6}" y="${y + 14}" font-size="12" text-anchor="end" style="fill:var(--dim)">byte ${number(line * LINE)}</text>`;
    for (let sector = 0; sector < 4; sector++) {
      const number_ = line * 4 + sector, moves = moved.has(number_), x0 = left + sector * (8 * width + 6);
      if (moves && !hidden) svg += `<rect x="${x0 - 1}" y="${y}" width="${8 * width + 2}" height="${height}" rx="3" fill="none" stroke="var(--text)" stroke-width="1.6"/>`;
      const idle = (from, count) => `<rect x="${x0 + from * width + 1}" y="${y + 2}" width="${count * width - 2}" height="${height - 4}" fill="${moves && !hidden ? "var(--shared-load)" : "var(--off)"}" opacity="${moves && !hidden ? .45 : .5}"><title>${moves ? "moves, though nobody wants it" : "stays where it is"}</title></rect>`;
      for (let word = 0, first = 0; word < 8; word++) {
        const lanes = wanted.get(number_ * 8 + word), x = x0 + word * width;
        if (lanes) {
          svg += `<rect x="${x + 1}" y="${y + 2}" width="${width - 2}" height="${height - 4}" rx="2" fill="var(--global-load)"><title>${lanes.length === 1 ? "lane" : "lanes"} ${lanesInWords(lanes)}</title></rect>`;
          labels.put(x + width / 2, y + 14, lanesLabel(lanes), "fill:#fff;pointer-events:none");
          first = word + 1;
        } else if (word === 7 || wanted.has(number_ * 8 + word + 1)) {
          svg += idle(first, word + 1 - first);
        }
      }
    }
    y += height + 3;
  });
  const bytes = access.sectors.length * SECTOR;
  const bars = hidden ? "" : `<h3>Needed beside moved</h3><svg class="picture" viewBox="0 0 700 44" role="img" aria-label="${access.bytes} bytes needed, ${bytes} bytes moved"><rect x="70" y="2" width="${Math.max(2, 520 * access.bytes / bytes)}" height="16" fill="var(--global-load)"/><rect x="70" y="24" width="520" height="16" fill="var(--shared-load)"/><text x="0" y="14" font-size="12">needed</text><text x="0" y="36" font-size="12">moved</text><text x="600" y="14" font-size="12">${number(access.bytes)} bytes</text><text x="600" y="36" font-size="12">${number(bytes)} bytes</text></svg>`;
  return `<h3>Global memory: lines of four sectors</h3><div class="scroll"><svg class="picture" style="min-width: 36rem" viewBox="0 0 ${left + 32 * width + 26} ${y}" role="img" aria-label="The words that lanes want, in the sectors that move; the text above says how many"><text x="${left}" y="12" font-size="12" style="fill:var(--dim)">a row is a line of 128 bytes; blue: wanted, with the lane; ${hidden ? "" : "framed: moves; orange: moves in vain"}</text>${svg}${labels.html()}</svg></div>${bars}`;
}
