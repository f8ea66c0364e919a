/* 32 lanes, on and off; what each of them reads, writes or exchanges. */

/* A colour of the page, as it is now: "#rrggbb". */
const colourOf = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/* {html, off: the lanes that take no part}. At a branch, lanes that go on are full, those that leave
   are striped. */
function lanesPicture(pane, step, served) {
  const {block} = pane, isStep = Array.isArray(step), lanes = isStep ? lanesOf(step) : 0, isBranch = isStep && step[0] === BRANCH;
  const look = isStep ? lookOf(block, step) : LOOKS.barrier, warp = pane.warp(), going = isBranch ? step[4] >>> 0 : lanes;
  let html = "", off = [];
  for (let lane = 0; lane < WARP; lane++) {
    const on = hasLane(lanes, lane), goes = on && hasLane(going, lane), exists = warp * WARP + lane < block.threads;
    if (!on && exists) off.push(lane);
    html += `<span class="lane ${goes ? "on" : on ? "leaves" : "off"}${served && served.has(lane) ? " served" : ""}" title="lane ${lane}, thread ${warp * WARP + lane}${!exists ? ": not there" : !on ? ": off" : !isBranch ? "" : goes ? ": goes on" : ": leaves"}">${exists ? lane : "–"}</span>`;
  }
  const colours = `--lane: var(${look.colour}); --ink: ${inkOn(colourOf(look.colour))}`, label = isStep ? `Lanes ${lanesInWords(listLanes(lanes))} take part${isBranch ? `, lanes ${lanesInWords(listLanes(going))} go on` : ""}` : "No lane does anything";
  return {html: `<div class="lanes" style="${colours}" role="img" aria-label="${label}">${html}</div>${isBranch ? `<p class="legend" style="${colours}"><span><i class="lane on"></i>goes on now</span><span><i class="lane leaves"></i>leaves: comes later or skips this</span><span><i class="lane off"></i>was off before</span></p>` : ""}`, off};
}

/* Why lanes are off. */
function offInWords(pane, step, off) {
  if (!Array.isArray(step) || off.length === 0 || step[0] === BRANCH || step[0] === STOP) return "";
  const branches = new Map(), others = [];
  for (const lane of off) {
    const branch = partedAt(pane.block, step, lane);
    if (!branch) { others.push(lane); continue; }
    const site = siteOf(branch), key = siteName(site);
    if (!branches.has(key)) branches.set(key, {site, lanes: []});
    branches.get(key).lanes.push(lane);
  }
  const words = [...branches.values()].map(({site, lanes}) => `${lanes.length === 1 ? `Lane ${lanes[0]} is off: it` : `Lanes ${lanesInWords(lanes)} are off: they`} went another way at ${lineLink(site)}.`);
  if (others.length > 0) words.push(others.length === 1 ? `Lane ${others[0]} is off.` : `Lanes ${lanesInWords(others)} are off.`);
  return `<p class="dim">${words.join(" ")}</p>`;
}

const lineLink = site => `<a href="#" data-line="${site[0]}:${site[1]}">line ${site[1]}</a>`;

/* ---- shuffles and votes ---- */

function collectivePicture(step) {
  const values = valuesOf(step), sources = Array.isArray(step[6]) ? step[6] : null, lanes = listLanes(lanesOf(step)), width = 24, ink = inkOn(colourOf("--collective"));
  if (!sources) return "";
  const x = lane => lane * width + width / 2;
  let svg = "";
  lanes.forEach((lane, i) => {
    const source = sources[i];
    svg += `<path d="M${x(source)} 34 L${x(lane)} 92" stroke="var(--collective)" stroke-width="1.6" fill="none"/><circle cx="${x(lane)}" cy="92" r="2.6" fill="var(--collective)"/>`;
  });
  for (let lane = 0; lane < WARP; lane++) {
    const on = hasLane(lanesOf(step), lane), fill = on ? "var(--collective)" : "var(--off)";
    for (const y of [16, 96]) svg += `<rect x="${lane * width + 1}" y="${y}" width="${width - 2}" height="18" rx="3" fill="${fill}"/><text x="${x(lane)}" y="${y + 14}" font-size="15" text-anchor="middle"${on ? ` style="fill:${ink}"` : ""}>${lane}</text>`;
  }
  return `<h3>Which lane reads from which</h3><div class="scroll"><svg class="picture" style="min-width: 30rem" viewBox="0 0 ${WARP * width} 130" role="img" aria-label="Each lane below takes the value of the lane above that an arrow comes from; the table has the same">
    <text x="0" y="12" font-size="15">lanes give</text><text x="0" y="128" font-size="15">lanes get</text>${svg}</svg></div>`;
}

/* What lanes get from a collective, where it follows from what they give; or null. */
function collectiveResult(step, lane, index, values) {
  if (Array.isArray(step[6])) {
    const source = step[6][index];
    return values[source] ? valueInWords(values[source], 0, step[5]) : "nothing: that lane takes no part";
  }
  const lanes = listLanes(lanesOf(step)), isSet = other => { for (let i = 0; i < step[5]; i++) if (values[other].getUint8(i)) return true; return false; };
  if (!values[lane]) return null;
  switch (data.operations[step[4]]) {
    case "__ballot_sync": return "0x" + lanes.reduce((set, other) => isSet(other) ? set | 1 << other : set, 0).toString(16).replace("-", "") ;
    case "__any_sync": return lanes.some(isSet) ? "1" : "0";
    case "__all_sync": return lanes.every(isSet) ? "1" : "0";
    default: return null;
  }
}

/* ---- lane by lane, as a table: its rows are made once it is opened ---- */

function laneTable(block, step) {
  if (!isAccess(step) && (step[0] !== COLLECTIVE || TENSOR_CORES.test(operationOf(step)))) return "";
  return `<details class="lane-table"><summary>Lane by lane: addresses and values</summary><div class="scroll"></div></details>`;
}

function fillLaneTable(details, block, step) {
  if (details && details.open && details.lastElementChild.childElementCount === 0) details.lastElementChild.innerHTML = laneRows(block, step);
}

function laneRows(block, step) {
  const lanes = listLanes(lanesOf(step)), values = valuesOf(step), rows = [], size = isAccess(step) ? step[4] : step[5];
  let heads;
  if (step[0] === COLLECTIVE) {
    heads = ["lane", "gives", ...(Array.isArray(step[6]) ? ["takes from lane"] : []), "gets"];
    lanes.forEach((lane, i) => rows.push([lane, valueInWords(values[lane], 0, size), ...(Array.isArray(step[6]) ? [step[6][i]] : []), collectiveResult(step, lane, i, values) || ""]));
  } else {
    const addresses = addressesOf(block, step), shared = spaceOf(block, step) === "shared";
    heads = ["lane", "byte", ...(shared ? ["word", "bank"] : ["sector"]), ...(step[0] === ATOMIC ? ["before", "after"] : [step[0] === LOAD ? "value read" : "value written"])];
    for (const lane of lanes) {
      const word = Math.floor(addresses[lane] / WORD), view = values[lane];
      rows.push([lane, addresses[lane], ...(shared ? [word, (word % BANKS + BANKS) % BANKS] : [Math.floor(addresses[lane] / SECTOR)]),
                 ...(step[0] === ATOMIC ? [valueInWords(view, 0, size), valueInWords(view, size, size)] : [valueInWords(view, 0, size) || "not recorded"])]);
    }
  }
  return `<table class="counts"><caption class="unseen">What each lane does in this step</caption><thead><tr>${heads.map(head => `<th scope="col">${head}</th>`).join("")}</tr></thead><tbody>${rows.map(row => `<tr>${row.map(cell => `<td>${escapeText(String(cell))}</td>`).join("")}</tr>`).join("")}</tbody></table>`;
}
