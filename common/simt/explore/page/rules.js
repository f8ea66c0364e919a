"use strict";
/* The rules of the memory system, as common/simt/count has them; a test holds the two equal.
   `addresses` has 32 entries: a lane's address, or null where the lane takes no part. */

const WARP = 32, BANKS = 32, WORD = 4, SECTOR = 32, LINE = 128;

function activeLanes(addresses) {
  const lanes = [];
  for (let lane = 0; lane < WARP; lane++) if (addresses[lane] !== null) lanes.push(lane);
  return lanes;
}

/* Whether lanes 2 i and 2 i + 1 are both active, or both not, and want the same. */
function arePairs(addresses) {
  for (let i = 0; i < WARP; i += 2) if (addresses[i] !== addresses[i + 1]) return false;
  return true;
}

/* How many lanes go together: accesses of 8 bytes go by half warps, of 16 by quarters; loads of
   pairs of lanes by parts twice as large. */
function lanesTogether(isStore, size, addresses) {
  const together = size <= 4 ? 32 : size === 8 ? 16 : 8;
  return !isStore && size > 4 && arePairs(addresses) ? 2 * together : together;
}

/* An access to shared memory: its wavefronts, each with the words that it serves and for which
   lanes; how many are needed; the rest are bank conflicts. A wavefront serves one word of a bank. */
function bankAccess(isStore, size, addresses) {
  const together = lanesTogether(isStore, size, addresses), wavefronts = [];
  let parts = 0, lanes = 0;
  for (let first = 0; first < WARP; first += together) {
    const banks = new Map();
    let most = 0;
    for (let lane = first; lane < Math.min(first + together, WARP); lane++) {
      if (addresses[lane] === null) continue;
      lanes++;
      for (let word = Math.floor(addresses[lane] / WORD); word <= Math.floor((addresses[lane] + size - 1) / WORD); word++) {
        const bank = (word % BANKS + BANKS) % BANKS;
        if (!banks.has(bank)) banks.set(bank, new Map());
        const words = banks.get(bank);
        if (!words.has(word)) words.set(word, []);
        words.get(word).push(lane);
        most = Math.max(most, words.size);
      }
    }
    if (most === 0) continue;
    parts++;
    const rows = Array.from({length: most}, () => ({part: first / together, words: []}));
    for (const [bank, words] of banks) {
      [...words.keys()].sort((a, b) => a - b).forEach((word, i) => rows[i].words.push({bank, word, lanes: words.get(word)}));
    }
    wavefronts.push(...rows);
  }
  const needed = isStore ? parts : Math.ceil(lanes * size / (BANKS * WORD));
  return {wavefronts, needed, together, conflicts: Math.max(0, wavefronts.length - needed)};
}

/* An access to global memory: the sectors that it moves, and the distinct bytes that lanes want. */
function sectorAccess(size, addresses) {
  const sorted = activeLanes(addresses).map(lane => addresses[lane]).sort((a, b) => a - b);
  const sectors = new Set();
  let bytes = 0, next = -Infinity;
  for (const address of sorted) {
    for (let sector = Math.floor(address / SECTOR); sector <= Math.floor((address + size - 1) / SECTOR); sector++) sectors.add(sector);
    bytes += address + size - Math.max(address, Math.min(next, address + size));
    next = Math.max(next, address + size);
  }
  return {sectors: [...sectors], bytes};
}

/* How many lanes are on each address. */
function lanesOn(addresses) {
  const on = new Map();
  for (const lane of activeLanes(addresses)) on.set(addresses[lane], (on.get(addresses[lane]) || 0) + 1);
  return on;
}

/* The most lanes on one address. */
const crowdOf = addresses => Math.max(0, ...lanesOn(addresses).values());

/* Sectors of atomics: each as often as the most lanes are on one address in it. */
function atomicSectors(addresses) {
  const most = new Map();
  for (const [address, lanes] of lanesOn(addresses)) {
    const sector = Math.floor(address / SECTOR);
    most.set(sector, Math.max(lanes, most.get(sector) || 0));
  }
  return [...most.values()].reduce((sum, lanes) => sum + lanes, 0);
}
