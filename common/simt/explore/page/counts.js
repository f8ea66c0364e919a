/* The counters: of the launch, and of all launches that belong together. */

const COUNTER_NAMES = {
  launches: "launches", blocks: "blocks", threads: "threads", block_barriers: "barriers (a block each)", warp_barriers: "__syncwarp (a warp each)",
  shuffles: "shuffles", votes: "votes", atomics: "atomics (a lane each)",
  global_load_requests: "global loads: requests", global_load_sectors: "global loads: sectors", global_load_bytes_needed: "global loads: bytes needed",
  global_store_requests: "global stores: requests", global_store_sectors: "global stores: sectors", global_store_bytes_needed: "global stores: bytes needed",
  global_atomic_requests: "global atomics: requests", shared_load_requests: "shared loads: requests", shared_load_conflicts: "shared loads: bank conflicts",
  shared_store_requests: "shared stores: requests", shared_store_conflicts: "shared stores: bank conflicts",
  shared_atomic_requests: "shared atomics: requests", constant_load_requests: "constant loads: requests",
  lanes_on_one_address: "atomics: lanes on one address", active_lanes: "active lanes, of all requests", splits: "splits (branches that part lanes)",
  bulk_copies: "bulk copies (cp.async.bulk)", bulk_bytes: "bulk copies: bytes", matrix: "mma.sync, ldmatrix, stmatrix (a warp each)"
};

/* Whether the recorded steps are all that the launch did: then they add up to its counters. */
function checkSums(launch) {
  const blocks = launch.grid[0] * launch.grid[1] * launch.grid[2];
  if (launch.blocks.length !== blocks || launch.blocks.some(block => block.full) || !launch.ended) return null;
  const sums = emptyAccesses(), counted = sumCounted([launch]).access;
  for (const block of launch.blocks) sumSteps(block).forEach((access, i) => access.forEach((value, j) => { sums[i][j] += value; }));
  return sums.every((access, i) => access.every((value, j) => j === 4 && i >= 3 && i <= 5 || value === counted[i][j]));
}

function sumsOf(launch) {
  if (launch.sums === undefined) launch.sums = checkSums(launch);
  return launch.sums;
}

function countersPanel(launch) {
  if (!launch.ended) return `<p class="dim">The launch did not come to its end: there are no counters of it.</p>`;
  const own = countersOf([launch]), part = launchesOfPart(launch), all = countersOf(part), several = part.length > 1;
  const rows = Object.keys(COUNTER_NAMES).filter(name => own[name] || all[name]).map(name =>
    `<tr data-counter="${name}"><td>${COUNTER_NAMES[name]}</td><td>${number(own[name])}</td>${several ? `<td data-total="${all[name]}">${number(all[name])}</td>` : ""}</tr>`);
  const sums = sumsOf(launch);
  return `<details open class="counters"><summary><b>Counters</b></summary><div class="scroll"><table class="counts"><thead><tr><th scope="col">whole grid, as <code>--counters</code> counts it</th><th scope="col">this launch</th>${several ? `<th scope="col">all ${part.length} of ${escapeText(launch.part || "the program")}</th>` : ""}</tr></thead><tbody>${rows.join("")}</tbody></table></div>
    ${sums === null ? `<p class="dim">The timeline has ${plural(launch.blocks.length, "block")} of ${number(launch.grid[0] * launch.grid[1] * launch.grid[2])}; these are the counts of all.</p>` : sums ? `<p class="dim">All of this launch was recorded: its steps add up to these counts.</p>` : `<p class="bad">The steps of the timeline do not add up to these counts.</p>`}</details>`;
}

/* ---- by line, as --counters=lines has them ---- */

const LINE_COLUMNS = [
  ["global req.", line => line.global || null],
  ["sect. / req.", line => line.global ? (line.sectors / line.global).toFixed(1) : null],
  ["shared req.", line => line.shared || null],
  ["conflicts", line => line.conflicts || null],
  ["lanes", line => line.all ? (line.lanes / line.all).toFixed(1) : null],
  ["splits", line => line.splits || null],
  ["barriers", line => line.barriers || null],
  ["shuffles", line => line.shuffles || null]
];

/* By "file:line". */
function countsByLine(launch) {
  const lines = new Map();
  for (const [site] of launch.counted) {
    const [file, line] = data.sites[site], key = `${file}:${line}`;
    if (lines.has(key)) continue;
    const sums = sumCounted([launch], other => other[0] === file && other[1] === line), a = sums.access;
    lines.set(key, {
      units: a.slice(0, 6).reduce((sum, one) => sum + one[2], 0),
      wasted: a.slice(0, 6).reduce((sum, one, i) => sum + (i < 3 ? Math.max(0, one[2] - Math.max(one[0], Math.ceil(one[4] / SECTOR))) : one[3]), 0),
      global: a[0][0] + a[1][0] + a[2][0], sectors: a[0][2] + a[1][2] + a[2][2],
      shared: a[3][0] + a[4][0] + a[5][0], conflicts: a[3][3] + a[4][3] + a[5][3],
      all: a.reduce((sum, one) => sum + one[0], 0), lanes: a.reduce((sum, one) => sum + one[1], 0),
      splits: sums.splits, barriers: sums.barriers + sums.syncwarps, shuffles: sums.shuffles + sums.votes
    });
  }
  return lines;
}
