/* The data of the run: launches, blocks, and what each warp did. */

const data = JSON.parse(document.getElementById("data").textContent);

/* Of a long file some lines are left out: a number says how many. */
for (const file of data.files) file.lines = file.lines.flatMap(line => typeof line === "number" ? new Array(line).fill(null) : [line]);

/* A step is an array: kind, warp, lanes, site, and what its kind has besides. */
const LOAD = 0, STORE = 1, ATOMIC = 2, COPY = 3, COPIED = 4, BARRIER = 5, SYNCWARP = 6, COLLECTIVE = 7, FENCE = 8, BRANCH = 9, MBARRIER = 10, BULK = 11, NAMED_BARRIER = 12, BULK_END = 13,
  DEED = 14, FAR_MBARRIER = 15, FAR_BULK = 16, CLUSTER = 17, STOP = 18;
/* What a DEED is. */
const PROXY_FENCE = 0, MBARRIER_FENCE = 1, MORE_REGISTERS = 2, FEWER_REGISTERS = 3, CLUSTER_ARRIVE = 4, CLUSTER_WAIT = 5;
/* What no warp of the block does. */
const isElsewhere = step => step[0] === BULK_END || (step[0] >= FAR_MBARRIER && step[0] <= CLUSTER);
const isAccess = step => step[0] <= COPIED;
/* Whether banks serve it as they serve a store. */
const isStored = step => step[0] !== LOAD && step[0] !== ATOMIC;
const lanesOf = step => step[2] >>> 0;
const siteOf = step => data.sites[step[3]];
const hasLane = (lanes, lane) => (lanes >>> lane & 1) === 1;

function countLanes(lanes) {
  let count = 0;
  for (let set = lanes >>> 0; set; set = (set & (set - 1)) >>> 0) count++;
  return count;
}

function listLanes(lanes) {
  const list = [];
  for (let lane = 0; lane < WARP; lane++) if (hasLane(lanes, lane)) list.push(lane);
  return list;
}

const spaceOf = (block, step) => block.memory[step[5]][0];

/* 32 addresses, null where a lane takes no part. From the start of the memory, which is given out at
   multiples of 128 bytes, or so many bytes behind one. */
function addressesOf(block, step) {
  const addresses = new Array(WARP).fill(null), align = block.memory[step[5]][3], place = step[7];
  const lanes = listLanes(lanesOf(step));
  lanes.forEach((lane, i) => {
    addresses[lane] = align + step[6] + (Array.isArray(place) ? place[i] : place * (lane - lanes[0]));
  });
  return addresses;
}

/* The bytes that lanes read or wrote: for each lane a DataView, or null. */
function valuesOf(step) {
  const text = isAccess(step) ? step[8] : step[7], values = new Array(WARP).fill(null);
  if (typeof text !== "string") return values;
  const same = text[0] === "*";
  const bytes = Uint8Array.from(atob(same ? text.slice(1) : text), character => character.charCodeAt(0));
  const lanes = listLanes(lanesOf(step)), width = same ? bytes.length : bytes.length / lanes.length;
  lanes.forEach((lane, i) => { values[lane] = new DataView(bytes.buffer, same ? 0 : i * width, width); });
  return values;
}

/* ---- counters ---- */

const ACCESSES = ["global loads", "global stores", "global atomics", "shared loads", "shared stores", "shared atomics", "constant loads"];

/* Which of these a step counts as; -1: none (an asynchronous copy's end). */
function accessOf(block, step) {
  const space = spaceOf(block, step), kind = step[0] === COPY ? STORE : step[0];
  if (step[0] === COPIED) return -1;
  return space === "constant" ? 6 : kind + (space === "shared" ? 3 : 0);
}

/* requests, lanes, units (sectors or wavefronts), conflicts, bytes, crowd */
function countStep(block, step) {
  const addresses = addressesOf(block, step), lanes = countLanes(lanesOf(step)), size = step[4];
  const crowd = step[0] === ATOMIC ? crowdOf(addresses) : 0;
  if (spaceOf(block, step) === "shared") {
    const access = bankAccess(isStored(step), size, addresses);
    return [1, lanes, access.wavefronts.length, access.conflicts, 0, crowd];
  }
  const access = sectorAccess(size, addresses);
  return [1, lanes, crowd ? atomicSectors(addresses) : access.sectors.length, 0, access.bytes, crowd];
}

const emptyAccesses = () => ACCESSES.map(() => [0, 0, 0, 0, 0, 0]);

/* What the steps of a recorded block add up to. */
function sumSteps(block) {
  const sums = emptyAccesses();
  for (const step of block.steps) {
    const access = isAccess(step) ? accessOf(block, step) : -1;
    if (access >= 0) countStep(block, step).forEach((value, i) => { sums[access][i] += value; });
  }
  return sums;
}

const OTHERS = ["splits", "barriers", "syncwarps", "shuffles", "votes", "bulk_copies", "bulk_bytes", "matrix"];

/* What the back end counted of launches: by access, and each of OTHERS. */
function sumCounted(launches, filter) {
  const sums = {access: emptyAccesses()};
  for (const name of OTHERS) sums[name] = 0;
  for (const launch of launches) {
    for (const [site, ...counts] of launch.counted) {
      if (filter && !filter(data.sites[site])) continue;
      OTHERS.forEach((name, i) => { sums[name] += counts[i]; });
      for (const [access, ...values] of counts.slice(OTHERS.length)) values.forEach((value, i) => { sums.access[access][i] += value; });
    }
  }
  return sums;
}

/* The columns of --counters-csv, with their names there. */
function countersOf(launches) {
  const sums = sumCounted(launches), access = sums.access, run = name => launches.reduce((sum, launch) => sum + launch.counts[name], 0);
  const all = index => access.reduce((sum, one) => sum + one[index], 0);
  return {
    launches: run("launches"), blocks: run("blocks"), threads: run("threads"),
    block_barriers: run("block_barriers"), warp_barriers: run("warp_barriers"), shuffles: run("shuffles"),
    votes: run("votes"), atomics: run("atomics"),
    global_load_requests: access[0][0], global_load_sectors: access[0][2], global_load_bytes_needed: access[0][4],
    global_store_requests: access[1][0], global_store_sectors: access[1][2], global_store_bytes_needed: access[1][4],
    global_atomic_requests: access[2][0],
    shared_load_requests: access[3][0], shared_load_conflicts: access[3][3],
    shared_store_requests: access[4][0], shared_store_conflicts: access[4][3],
    shared_atomic_requests: access[5][0], constant_load_requests: access[6][0],
    lanes_on_one_address: access[2][5] + access[5][5], active_lanes: all(1), splits: sums.splits,
    bulk_copies: sums.bulk_copies, bulk_bytes: sums.bulk_bytes, matrix: sums.matrix
  };
}

const launchesOfPart = launch => data.launches.filter(other => other.part === launch.part);

/* ---- where lanes parted ---- */

/* Of each warp the branches, with their numbers among the steps; and the number of each step. */
function branchesOf(block) {
  if (!block.branches) {
    block.branches = [];
    block.numbers = new Map(block.steps.map((step, i) => [step, i]));
    block.steps.forEach((step, i) => { if (step[0] === BRANCH) (block.branches[step[1]] = block.branches[step[1]] || []).push({step, number: i}); });
  }
  return block.branches;
}

/* The last branch before the step that sent this lane another way than the step's lanes; or null. */
function partedAt(block, step, lane) {
  const lanes = lanesOf(step), branches = branchesOf(block)[step[1]] || [], from = block.numbers.get(step);
  for (let i = branches.length - 1; i >= 0; i--) {
    const other = branches[i].step, going = other[4] >>> 0;
    if (branches[i].number >= from || !hasLane(lanesOf(other), lane)) continue;
    const with_us = lanesOf(other) & lanes;
    if (with_us && hasLane(going, lane) !== ((with_us & going) !== 0)) return other;
  }
  return null;
}

/* ---- shared memory at a column ---- */

/* What the step leaves in words of shared memory. */
function writeShared(block, step, words) {
  if (!isAccess(step) || step[0] === LOAD || step[0] === COPY || step[4] % WORD !== 0 || spaceOf(block, step) !== "shared") return;
  const addresses = addressesOf(block, step), values = valuesOf(step), from = step[0] === ATOMIC ? step[4] : 0;
  for (const lane of activeLanes(addresses)) {
    for (let byte = 0; values[lane] && byte < step[4]; byte += WORD) {
      words.set(step[5] + ":" + (addresses[lane] + byte) / WORD, values[lane].getUint32(from + byte, true));
    }
  }
}

/* The words of shared memory that were written up to and with this column. What is known of an
   earlier column is kept, so that a step forward costs a step. */
function sharedAt(block, columns, column) {
  let kept = block.shared;
  if (!kept || kept.columns !== columns || kept.column > column) kept = block.shared = {columns, column: -1, words: new Map()};
  for (; kept.column < column; kept.column++) {
    for (let warp = 0; warp < block.time.warps; warp++) {
      const step = stepAt(block, columns, warp, kept.column + 1);
      if (Array.isArray(step)) writeShared(block, step, kept.words);
    }
  }
  return kept.words;
}
