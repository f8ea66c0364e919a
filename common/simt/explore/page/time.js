/* Time: what each warp does between two barriers of the block, and what is under way meanwhile.

   The steps come in the order in which warps ran, one warp until it could go no further, then the
   next. The page lets all of them go at the same pace; only who waits goes on after what it waited
   for. A bulk copy is made when nobody can go on without it: as late as possible. */

/* ---- mbarriers, copies, products ---- */

const M_INIT = 0, M_INVALIDATE = 1, M_ARRIVE = 2, M_EXPECT = 3, M_COMPLETE = 4, M_WAIT = 5;

/* What the use of an mbarrier did; null: not recorded. */
function useOf(step) {
  if (step[0] === BULK_END) return {how: -1, before: step[5], after: step[6], pending: step[7], bytes: step[8], number: 0};
  if (step[0] === FAR_MBARRIER) return {how: step[4], before: step[5], after: step[6], pending: step[7], bytes: step[8], number: step[9]};
  return step.length < 14 ? null : {how: step[8], before: step[9], after: step[10], pending: step[11], bytes: step[12], number: step[13]};
}

/* Where its mbarrier lies: [memory, offset]; null: it has none. */
function mbarrierOf(step) {
  const at = {[MBARRIER]: 5, [BULK]: 10, [BULK_END]: 9, [FAR_MBARRIER]: 10, [FAR_BULK]: 10}[step[0]];
  return at === undefined || step[at] < 0 ? null : [step[at], step[at + 1]];
}

/* Of the cluster, the rank of the block that has this memory; -1: the block itself. */
const rankOf = (block, memory) => block.memory[memory][5];

const operationOf = step => step[0] === COLLECTIVE ? data.operations[step[4]] : "";
const GROUP_WARPS = 4; /* that make a product of wgmma together */

/* A wait that could not go on, as a name of what it waits for; or null. */
function waitsFor(step) {
  if (step[0] === NAMED_BARRIER) return step[6] && !step[5] ? `named ${step[4]}` : null;
  if (step[0] === DEED) return step[4] === CLUSTER_WAIT && !step[5] ? `cluster ${step[6]}` : null;
  const use = step[0] === MBARRIER ? useOf(step) : null;
  return use && use.how === M_WAIT && use.number >= use.before ? `${mbarrierOf(step)}/${use.number}` : null;
}

const isLater = ([phase, column], [otherPhase, otherColumn]) => phase > otherPhase || (phase === otherPhase && column > otherColumn);

/* Collects what is under way, from step to step. A place in time is [phase, column in it]. */
class Meanwhile {
  constructor(block, warps) {
    this.block = block;
    this.mbarriers = new Map(); /* by place: {place, uses: [{at, use, ...}], ends: [{phase, at}], copies: [{from, to, step}]} */
    this.out = [];              /* copies that leave shared memory */
    this.products = new Map();  /* by the first warp of a group: [{from, to, count}] */
    this.done = new Map();      /* what warps wait for: {at, step} */
    this.named = new Map();     /* how often a barrier with a number was complete */
    this.copies = new Map();    /* under way, by number */
    this.open = Array.from({length: warps}, () => ({count: 0, from: null, last: null, groups: []}));
  }

  mbarrier(place) {
    const key = place.join();
    if (!this.mbarriers.has(key)) this.mbarriers.set(key, {place, uses: [], ends: [], copies: []});
    return this.mbarriers.get(key);
  }

  /* What the wait is for, if it could not go on; of a barrier with a number, this time. */
  wait(step) {
    const name = waitsFor(step);
    return name && step[0] === NAMED_BARRIER ? `${name}/${this.named.get(step[4]) || 0}` : name;
  }

  take(step, at) {
    const of = mbarrierOf(step), place = of && rankOf(this.block, of[0]) < 0 ? of : null, isCopy = step[0] === BULK || step[0] === FAR_BULK;
    const use = place && !isCopy ? useOf(step) : null;
    if (use) this.takeUse(this.mbarrier(place), use, step, at);
    if (isCopy && of && !place) return; /* into another block, which has it on its page */
    if (isCopy) {
      const copy = {from: at, to: null, step};
      this.copies.set(step[4], copy);
      if (place) this.mbarrier(place).copies.push(copy); else this.out.push(copy);
    } else if (step[0] === BULK_END && this.copies.has(step[4])) {
      this.copies.get(step[4]).to = at;
    } else if (step[0] === NAMED_BARRIER && step[5]) {
      const count = this.named.get(step[4]) || 0;
      this.done.set(`named ${step[4]}/${count}`, {at, step});
      this.named.set(step[4], count + 1);
    } else if (step[0] === CLUSTER || (step[0] === DEED && step[4] === CLUSTER_ARRIVE && step[5])) {
      this.done.set(`cluster ${step[0] === CLUSTER ? step[4] : step[6]}`, {at, step});
    } else if (step[0] === COLLECTIVE) {
      this.multiply(step, at);
    }
  }

  /* A phase ends where the last of its arrivals is, which need not be the one that came last when
     warps ran one after another. */
  takeUse(mbarrier, use, step, at) {
    const lanes = use.how === M_ARRIVE ? countLanes(lanesOf(step)) : 0, copy = this.copies.get(step[4]);
    const bytes = step[0] === BULK_END ? copy ? -copy.step[5] : 0 : use.how === M_COMPLETE ? -use.number : use.how === M_WAIT || use.how === M_INIT ? 0 : use.number;
    mbarrier.uses.push({at, step, use, lanes, bytes});
    if (use.after <= use.before) return;
    const last = mbarrier.uses.filter(one => one.use.before === use.before && one.use.how !== M_WAIT).reduce((latest, one) => isLater(one.at, latest) ? one.at : latest, at);
    mbarrier.ends.push({phase: use.before, at: last});
    this.done.set(`${mbarrier.place}/${use.before}`, {at: last, step});
  }

  /* The column in which the warps of the group have all begun their last product. */
  lastProduct(warp, phase) {
    const first = warp - warp % GROUP_WARPS;
    return Math.max(-1, ...this.open.slice(first, first + GROUP_WARPS).map(({last}) => last && last[0] === phase ? last[1] : -1));
  }

  multiply(step, at) {
    const open = this.open[step[1]], operation = operationOf(step);
    if (operation === "wgmma.mma_async") {
      open.from = open.from || at;
      open.last = at;
      open.count++;
    } else if (operation === "wgmma.commit_group" && open.from) {
      const group = {from: open.from, to: null, count: open.count};
      open.groups.push(group);
      if (step[1] % GROUP_WARPS === 0) this.products.set(step[1], [...(this.products.get(step[1]) || []), group]);
      open.from = null;
      open.count = 0;
    } else if (operation === "wgmma.wait_group") {
      while (open.groups.length > step[7]) open.groups.shift().to = at;
    }
  }
}

/* ---- columns ---- */

function lastOf(list) {
  let last = list.length - 1;
  while (last >= 0 && !list[last]) last--;
  return list[last];
}

/* A wait that was given up for a while, and is taken up again: at an mbarrier, or for a product of
   which another warp had not begun its part. */
function asksAgain(step, last) {
  if (!last || last[0] !== step[0] || last[3] !== step[3]) return false;
  if (operationOf(step) === "wgmma.wait_group") return operationOf(last) === operationOf(step);
  return waitsFor(last) !== null && step[0] === MBARRIER && waitsFor(last) === `${mbarrierOf(step)}/${(useOf(step) || {}).number}`;
}

/* phases[phase][warp] is a list of steps, null where the warp waits for what others do; barriers[phase]
   is the one that ends it, if it does. */
function phasesOf(block) {
  const warps = Math.ceil(block.threads / WARP), row = () => Array.from({length: warps}, () => []);
  const phases = [row()], barriers = [], meanwhile = new Meanwhile(block, warps);
  let asleep = new Array(warps).fill(null);
  for (const step of block.steps) {
    const lists = phases[phases.length - 1], phase = phases.length - 1, list = lists[step[1]];
    if (step[0] === BARRIER) {
      barriers.push(step);
      phases.push(row());
      asleep = new Array(warps).fill(null);
      continue;
    }
    if (isElsewhere(step)) {
      const column = step[0] === BULK_END && lanesOf(step) ? list.length : Math.max(0, ...lists.map(other => other.length));
      meanwhile.take(step, [phase, column]);
      /* A column for what other blocks do: who waits goes on waiting. */
      if (step[0] !== BULK_END) lists.forEach((waits, warp) => {
        while (asleep[warp] && !meanwhile.done.has(asleep[warp]) && waits.length <= column) waits.push(null);
      });
      continue;
    }
    const done = asleep[step[1]] && meanwhile.done.get(asleep[step[1]]);
    while (done && done.at[0] === phase && list.length <= done.at[1]) list.push(null);
    const last = lastOf(list);
    if (!asksAgain(step, last)) {
      list.push(step);
      asleep[step[1]] = meanwhile.wait(step);
    } else if (operationOf(step)) {
      while (list.length <= meanwhile.lastProduct(step[1], phase)) list.push(null);
    }
    meanwhile.take(step, [phase, list.length - 1]);
  }
  if (phases.length > 1 && phases[phases.length - 1].every(list => list.length === 0)) phases.pop();
  return {phases, barriers, warps, meanwhile, rows: rowsOf(block, meanwhile)};
}

/* Columns for one block, or for two that step together: a phase is as wide as its longest warp, and
   a column more for the barrier. */
function columnsOf(blocks) {
  const starts = [], widths = [], count = Math.max(...blocks.map(block => block.time.phases.length));
  let at = 0;
  for (let phase = 0; phase < count; phase++) {
    const lengths = blocks.map(block => Math.max(0, ...(block.time.phases[phase] || []).map(list => list.length)));
    const ends = blocks.some(block => phase < block.time.barriers.length);
    starts.push(at);
    widths.push(Math.max(...lengths) + (ends ? 1 : 0));
    at += widths[phase];
  }
  return {starts, widths, count: Math.max(1, at)};
}

function phaseOf(columns, column) {
  let low = 0, high = columns.starts.length - 1;
  while (low < high) {
    const middle = low + high + 1 >> 1;
    if (columns.starts[middle] <= column) low = middle; else high = middle - 1;
  }
  return low;
}

const columnAt = (columns, [phase, offset]) => columns.starts[phase] + offset;

/* What a warp does in a column: its step; "barrier" where the block meets; "waits" for that; "sleeps"
   until others have come or copies have been made; or "done". */
function stepAt(block, columns, warp, column) {
  const phase = phaseOf(columns, column), offset = column - columns.starts[phase], time = block.time;
  const list = time.phases[phase] && time.phases[phase][warp];
  if (list && offset < list.length) return list[offset] || "sleeps";
  if (phase < time.barriers.length) return offset === columns.widths[phase] - 1 ? "barrier" : "waits";
  return "done";
}

/* The wait in which the warp is, if it sleeps. */
function sleepsAt(block, columns, warp, column) {
  const phase = phaseOf(columns, column), list = block.time.phases[phase][warp];
  let offset = column - columns.starts[phase];
  while (offset >= 0 && !list[offset]) offset--;
  return offset >= 0 ? list[offset] : null;
}

/* ---- rows of what is under way ---- */

/* The name of an mbarrier: full[2]; without a variable's name, where it lies. */
function mbarrierName(block, place, places) {
  const [memory, offset] = place, [space, , isDynamic, , name, rank] = block.memory[memory], of = rank < 0 ? "" : ` of block ${rank} of the cluster`;
  if (!name) return `${isDynamic ? "dynamic" : space}, byte ${offset}${of}`;
  return (offset > 0 || places.some(other => block.memory[other[0]][4] === name && other[1] > 0) ? `${name}[${offset / 8}]` : name) + of;
}

const MOST_ROWS = 24;

function rowsOf(block, meanwhile) {
  const of = [...meanwhile.mbarriers.values()].sort((a, b) => a.place[0] - b.place[0] || a.place[1] - b.place[1]);
  const places = of.map(one => one.place), rows = [];
  for (const one of of) rows.push({kind: "mbarrier", name: mbarrierName(block, one.place, places), ...one});
  for (const [warp, bars] of meanwhile.products) rows.push({kind: "products", name: `wgmma, warps ${warp} to ${warp + GROUP_WARPS - 1}`, short: `wgmma ${warp}-${warp + GROUP_WARPS - 1}`, bars});
  if (meanwhile.out.length > 0) rows.push({kind: "out", name: "copies out", bars: meanwhile.out});
  return rows.slice(0, MOST_ROWS);
}

/* The mbarrier's phase, and what that still waits for, in a column; null: it is not there yet. The
   column in which a phase ends still belongs to it. */
function mbarrierAt(row, columns, column) {
  const until = row.uses.filter(one => columnAt(columns, one.at) <= column);
  const setUp = until.filter(one => one.use.how === M_INIT || one.use.how === M_INVALIDATE).pop();
  if (!setUp || setUp.use.how === M_INVALIDATE) return null;
  const ended = row.ends.filter(one => !isLater(setUp.at, one.at) && columnAt(columns, one.at) < column), phase = ended.length ? Math.max(...ended.map(one => one.phase)) + 1 : 0;
  const here = until.filter(one => one.use.before === phase && !isLater(setUp.at, one.at));
  return {phase, pending: Math.max(0, setUp.use.number - here.reduce((sum, one) => sum + one.lanes, 0)), bytes: here.reduce((sum, one) => sum + one.bytes, 0)};
}

/* Whether what began, and ends (null: later than what the page shows), is under way. */
const isUnderWay = (bar, columns, column) => columnAt(columns, bar.from) <= column && (bar.to === null || column < columnAt(columns, bar.to));

for (const launch of data.launches) for (const block of launch.blocks) { block.ended = launch.ended; block.launch = launch; block.time = phasesOf(block); }
