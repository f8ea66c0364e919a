/* Words and numbers. */

const element = id => document.getElementById(id);
const number = value => value.toLocaleString("en-US");
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many || one + "s"}`;
const escapeText = text => text.replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);

/* Lanes as people write them: 0 to 7, 16. */
function lanesInWords(list) {
  const ranges = [];
  for (const lane of list) {
    const last = ranges[ranges.length - 1];
    if (last && last[1] === lane - 1) last[1] = lane; else ranges.push([lane, lane]);
  }
  const words = ranges.map(([from, to]) => from === to ? `${from}` : to === from + 1 ? `${from}, ${to}` : `${from} to ${to}`);
  if (words.length > 5) {
    const step = list[1] - list[0];
    if (list.every((lane, i) => lane === list[0] + i * step)) return `${list[0]}, ${list[1]}, ${list[2]}, … ${list[list.length - 1]}`;
    return words.slice(0, 4).join(", ") + `, … (${list.length} in all)`;
  }
  return words.join(", ");
}

/* ---- values ---- */

/* The bits tell not which type they are: what looks like a float is taken for one. */
function wordInWords(bits) {
  if (bits === 0) return "0";
  const view = new DataView(new ArrayBuffer(4));
  view.setUint32(0, bits);
  const float = view.getFloat32(0), size = Math.abs(float), integer = bits | 0;
  if (Math.abs(integer) < 1 << 20) return String(integer);
  if (Number.isNaN(float)) return "NaN";
  if (size > 1e-20 && size < 1e20) return String(Number(float.toPrecision(4)));
  return "0x" + bits.toString(16).padStart(8, "0");
}

function valueInWords(view, from, size) {
  if (!view) return "";
  if (size === 1) return String(view.getUint8(from));
  if (size === 2) return String(view.getUint16(from, true));
  if (size === 8) {
    const double = view.getFloat64(from, true), magnitude = Math.abs(double);
    if (magnitude > 1e-30 && magnitude < 1e30) return String(Number(double.toPrecision(6)));
  }
  const words = [];
  for (let byte = 0; byte + 4 <= size; byte += 4) words.push(wordInWords(view.getUint32(from + byte, true)));
  return words.join(" ");
}

/* ---- names ---- */

const lineName = (file, line) => file < 0 || !data.files[file] ? "?" : `${data.files[file].name}:${line}`;
const siteName = site => lineName(site[0], site[1]);

/* FILE:LINE in a report leads there. */
function withLineLinks(html) {
  const names = data.files.flatMap((file, i) => [[escapeText(file.name), i], [escapeText(file.name.replace(/.*\//, "")), i]]).sort((a, b) => b[0].length - a[0].length);
  const pattern = names.map(([name]) => name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|");
  if (!pattern) return html;
  return html.replace(new RegExp(`(?<![\\w/.-])(${pattern}):(\\d+)`, "g"), (all, name, line) => `<a href="#" data-line="${names.find(one => one[0] === name)[1]}:${line}">${all}</a>`);
}

function memoryName(block, index) {
  const [space, size, isDynamic, align, name, rank] = block.memory[index];
  if (rank >= 0) return `${name ? `<code>${escapeText(name)}</code> in ` : ""}the shared memory of <b>block ${rank} of the cluster</b>`;
  if (name) return `<code>${escapeText(name)}</code> in ${space} memory`;
  if (space === "shared") return isDynamic ? "dynamic shared memory" : "shared memory";
  const same = block.memory.map((memory, i) => i).filter(i => block.memory[i][0] === space && block.memory[i][5] < 0);
  return same.length > 1 ? `${space} memory, allocation ${same.indexOf(index) + 1}` : `${space} memory`;
}

function launchName(launch) {
  const index = data.launches.indexOf(launch), same = launchesOfPart(launch);
  const name = launch.part && launch.part !== launch.kernel ? `${launch.part}: ${launch.kernel}` : launch.kernel;
  const grid = launch.grid.filter((size, i) => i === 0 || launch.grid.slice(i).some(s => s > 1)).join(" x ");
  return `${index + 1}. ${name}${same.length > 1 ? ` (${same.indexOf(launch) + 1} of ${same.length})` : ""}, ${grid} ${grid === "1" ? "block" : "blocks"}`;
}

/* How a step is drawn and called. */
const LOOKS = {
  globalLoad: {name: "global load", letter: "L", colour: "--global-load"},
  globalStore: {name: "global store", letter: "S", colour: "--global-store"},
  sharedLoad: {name: "shared load", letter: "l", colour: "--shared-load"},
  sharedStore: {name: "shared store", letter: "s", colour: "--shared-store"},
  atomic: {name: "atomic", letter: "A", colour: "--atomic"},
  constant: {name: "constant load", letter: "c", colour: "--constant"},
  copy: {name: "copy begins", letter: "a", colour: "--shared-store"},
  copied: {name: "copy arrives", letter: "o", colour: "--shared-store"},
  syncwarp: {name: "__syncwarp", letter: "|", colour: "--barrier"},
  collective: {name: "shuffle or vote", letter: "x", colour: "--collective"},
  fence: {name: "fence", letter: "f", colour: "--fence"},
  branch: {name: "lanes part", letter: "Y", colour: "--branch"},
  mbarrier: {name: "mbarrier", letter: "m", colour: "--barrier"},
  bulk: {name: "bulk copy begins", letter: "B", colour: "--bulk"},
  named: {name: "named barrier", letter: "|", colour: "--barrier"},
  matrix: {name: "tensor core", letter: "T", colour: "--collective"},
  matrixWait: {name: "wgmma: fence, commit, wait", letter: "t", colour: "--fence"},
  registers: {name: "setmaxnreg", letter: "r", colour: "--fence"},
  cluster: {name: "barrier of the cluster", letter: "|", colour: "--barrier"},
  stop: {name: "the program is stopped", letter: "!", colour: "--bad"},
  barrier: {name: "barrier", letter: "", colour: "--barrier"}
};

const TENSOR_CORES = /^(w?g?mma|ldmatrix|stmatrix)/;

function lookOf(block, step) {
  if (step === "barrier") return LOOKS.barrier;
  switch (step[0]) {
    case ATOMIC: return LOOKS.atomic;
    case COPY: return LOOKS.copy;
    case COPIED: return LOOKS.copied;
    case SYNCWARP: return LOOKS.syncwarp;
    case COLLECTIVE: return !TENSOR_CORES.test(operationOf(step)) ? LOOKS.collective : /wait|commit|fence/.test(operationOf(step)) ? LOOKS.matrixWait : LOOKS.matrix;
    case MBARRIER: return LOOKS.mbarrier;
    case BULK: return LOOKS.bulk;
    case NAMED_BARRIER: return LOOKS.named;
    case FENCE: return LOOKS.fence;
    case DEED: return step[4] <= MBARRIER_FENCE ? LOOKS.fence : step[4] >= CLUSTER_ARRIVE ? LOOKS.cluster : LOOKS.registers;
    case STOP: return LOOKS.stop;
    case BRANCH: return LOOKS.branch;
    default: {
      const space = spaceOf(block, step);
      if (space === "constant") return LOOKS.constant;
      return step[0] === LOAD ? (space === "shared" ? LOOKS.sharedLoad : LOOKS.globalLoad)
                              : space === "shared" ? LOOKS.sharedStore : LOOKS.globalStore;
    }
  }
}

/* How many times what it needs a step costs: wavefronts, or sectors. 1: no more than it needs. */
function costOf(block, step) {
  if (!Array.isArray(step) || !isAccess(step) || step[0] === COPIED || spaceOf(block, step) === "constant") return 1;
  if (step.cost === undefined) {
    const counts = countStep(block, step);
    step.cost = spaceOf(block, step) === "shared" ? counts[2] / Math.max(1, counts[2] - counts[3])
                                                  : counts[2] / Math.ceil(counts[4] / SECTOR);
  }
  return step.cost;
}

/* ---- what a step does, in a sentence or two ---- */

const DOES = ["loads", "stores", "adds or exchanges atomically", "begins an asynchronous copy", "has copied asynchronously"];

/* How far it is from lane to lane, and when that comes round to the same bank. */
function strideInWords(step) {
  const words = step[7] / WORD, common = (a, b) => b ? common(b, a % b) : a;
  if (Array.isArray(step[7]) || step[4] !== WORD || words % 1 !== 0 || words === 0 || countLanes(lanesOf(step)) < 2) return "";
  const every = BANKS / common(Math.abs(words), BANKS), around = every * Math.abs(words), times = around / BANKS;
  if (every >= WARP) return `From lane to lane it is ${plural(Math.abs(words), "word")}, so the lanes come to different banks. `;
  const rounds = times === 1 ? "once around the 32 banks" : `${times} times around the 32 banks`;
  return `From lane to lane it is ${plural(Math.abs(words), "word")}${every === 1 ? `, ${rounds}: every lane comes to the same bank` : `; ${every} lanes further it is ${around}, ${rounds}: every ${every}${every === 2 ? "nd" : "th"} lane comes to the same bank`}. `;
}

function sharedInWords(block, step, addresses) {
  const access = bankAccess(step[0] !== LOAD && step[0] !== ATOMIC, step[4], addresses), count = access.wavefronts.length;
  const first = access.wavefronts[0].part, words = new Map();
  let busiest = [];
  for (const wavefront of access.wavefronts) {
    if (wavefront.part !== first) continue;
    for (const word of wavefront.words) words.set(word.bank, [...(words.get(word.bank) || []), word]);
  }
  for (const list of words.values()) if (list.length > busiest.length) busiest = list;
  const parts = access.wavefronts[access.wavefronts.length - 1].part + 1;
  let why;
  if (access.conflicts > 0) {
    const lanes = busiest.slice(0, 3).map(word => word.lanes.length > 1 ? `${word.lanes.length} lanes` : `lane ${word.lanes[0]}`);
    const wants = busiest.slice(0, 3).map(word => word.word);
    why = `${strideInWords(step)}Bank ${busiest[0].bank} holds ${busiest.length} of the words that are wanted at once: ${lanes.join(", ")}${busiest.length > 3 ? " and so on" : ""} want word${wants.length > 1 ? "s" : ""} ${wants.join(", ")}${busiest.length > 3 ? " and so on" : ""}. A bank gives one word at a time, and each such pass through the banks is a wavefront: ${parts > 1 ? "this part of the warp takes" : "it takes"} ${busiest.length}. ${words.size} of the 32 banks work${words.size < 32 ? `, ${32 - words.size} are idle` : ""}.`;
  } else if (access.wavefronts.some(wavefront => wavefront.words.some(word => word.lanes.length > 1)) && step[4] <= 4) {
    why = "Lanes that want the same word get it together, and no bank holds two of the words that are wanted: one wavefront.";
  } else if (parts > 1) {
    why = `${step[4]} bytes a lane: ${access.together} lanes go together. Within each such part, no bank holds two of the words that are wanted.`;
  } else {
    why = `${strideInWords(step)}No bank holds two of the words that are wanted: every lane is served at once.`;
  }
  return {
    count, conflicts: access.conflicts, why,
    cost: access.conflicts > 0
      ? `<strong>${plural(count, "wavefront")}</strong> where ${access.needed} would do: <strong>${plural(access.conflicts, "bank conflict")}</strong>.`
      : `${plural(count, "wavefront")}, no bank conflicts.`
  };
}

function globalInWords(step, addresses) {
  const access = sectorAccess(step[4], addresses), moved = access.sectors.length * SECTOR, count = access.sectors.length;
  const lines = new Set(access.sectors.map(sector => Math.floor(sector * SECTOR / LINE))).size;
  const least = Math.ceil(access.bytes / SECTOR), share = Math.round(100 * access.bytes / moved);
  const words = new Set(activeLanes(addresses).map(lane => addresses[lane])).size, lanes = activeLanes(addresses).length;
  const why = words === 1 && lanes > 1
    ? "All lanes want the same: it moves once, and each of them gets it."
    : count > least
    ? `The ${number(access.bytes)} bytes that the lanes want would fit into ${plural(least, "sector")}, but they lie in ${number(count)}. Memory moves whole sectors of 32 bytes.`
    : `The lanes want all of what moves${access.bytes < moved ? ", as nearly as whole sectors of 32 bytes allow" : ""}.`;
  return {
    count, conflicts: count - least, why, lines,
    cost: `${count > least ? "<strong>" : ""}${plural(count, "sector")}${count > least ? "</strong>" : ""} in ${plural(lines, "line")}: ${number(moved)} bytes move, ${number(access.bytes)} are needed (${share}%).`
  };
}

function collectiveInWords(step) {
  const name = data.operations[step[4]];
  if (name === "mma.sync") return `<code>${name}</code>: the tensor core multiplies small matrices that are spread over the registers of the 32 lanes.`;
  if (/matrix/.test(name)) return `<code>${name}</code>: 8 x 8 matrices, whose rows some of the lanes have named, ${name === "ldmatrix" ? "go to" : "come from"} the registers of all.`;
  return `<code>${name}</code>: ${plural(countLanes(lanesOf(step)), "lane")} exchange${countLanes(lanesOf(step)) === 1 ? "s" : ""} values from register to register: no memory, no barrier of the block.`;
}

const saying = (html, why = "") => ({html, why, count: null});

function deedInWords(who, step) {
  const wait = "All threads of all blocks of the cluster arrive; who waits goes on when the last has come. Only then may a block touch what another one has prepared in its shared memory.";
  switch (step[4]) {
    case PROXY_FENCE: return saying(`${who}: <code>fence.proxy.async</code>: what the lanes have written is seen by bulk copies and tensor cores that begin after it.`, "Copies and tensor cores reach memory another way (the async proxy) than the loads and stores of threads do. Without this fence they may find what was there before.");
    case MBARRIER_FENCE: return saying(`${who}: <code>fence.mbarrier_init</code>: that mbarriers were initialised is seen by copies, and by the other blocks of the cluster.`);
    case MORE_REGISTERS: return saying(`${who}: <code>setmaxnreg.inc</code>: each thread may use <b>${step[6]} registers</b> from here on. It waits until others have given back as many as that takes.`);
    case FEWER_REGISTERS: return saying(`${who}: <code>setmaxnreg.dec</code>: each thread needs <b>${step[6]} registers</b> from here on, and gives back the others.`, "A warp that only asks for copies needs few. Those that multiply take what it leaves.");
    case CLUSTER_ARRIVE: return saying(`${who} arrives at the <b>barrier of the cluster</b>${step[5] ? ", the last of all: who waits there goes on" : ""}.`, wait);
    default: return saying(`${who} ${step[5] ? "asks whether all have come to the <b>barrier of the cluster</b>: they have" : "<b>waits</b> at the <b>barrier of the cluster</b>"}.`, wait);
  }
}

const stopInWords = (who, step) => saying(`${who}${countLanes(lanesOf(step)) === 1 ? `, lane ${listLanes(lanesOf(step))[0]}` : ""}: <strong>the program is stopped here</strong>. What was wrong is told below.`,
  countLanes(lanesOf(step)) > 1 ? "" : "Lanes of a warp run one after another on the CPU back end, until they wait for each other. Those that are missing in the last steps had not come this far yet.");

/* {html: what happens, why, count: what a prediction is about, or null} */
function stepInWords(block, columns, warp, step, wait) {
  const who = `Warp ${warp}`;
  if (step === "barrier") return {html: "<b>Barrier</b>: all warps of the block have come to <code>__syncthreads()</code>, and go on together.", why: "", count: null};
  if (step === "waits") return {html: `${who} has nothing left to do before the barrier: it <b>waits</b> for the others.`, why: "", count: null};
  if (step === "sleeps" && wait && wait[0] === MBARRIER) return {html: `${who}: ${mbarrierInWords(block, columns, wait).html}`, why: "", count: null};
  if (step === "sleeps" && wait && wait[0] === DEED) return deedInWords(who, wait);
  if (step === "sleeps") return {html: `${who} <b>waits</b> for other warps${wait && wait[0] === NAMED_BARRIER ? `, at the barrier number ${wait[4]}` : ""}.`, why: "", count: null};
  if (step === "done") return {html: !block.ended ? `${who} has come no further by the time the program is stopped.` : block.full ? `What ${who.toLowerCase()} does here was left out of this page.` : `${who} is <b>done</b>.`, why: "", count: null};
  const lanes = plural(countLanes(lanesOf(step)), "lane");
  if (step[0] === SYNCWARP) return {html: `${who}: <code>__syncwarp()</code>: ${lanes} wait for one another.`, why: "", count: null};
  if (step[0] === DEED) return deedInWords(who, step);
  if (step[0] === STOP) return stopInWords(who, step);
  if (step[0] === FENCE) return {html: `${who}: a fence: what was written before is seen before what is written after.`, why: "", count: null};
  if (operationOf(step).startsWith("wgmma")) { const words = wgmmaInWords(block, step); return {html: `${who}: ${words.html}`, why: words.why, count: null}; }
  if (step[0] === COLLECTIVE) return {html: `${who}: ${collectiveInWords(step)}`, why: "", count: null};
  if (step[0] === BRANCH) {
    const going = step[4] >>> 0, staying = (lanesOf(step) & ~going) >>> 0;
    return {html: `${who}: <b>lanes part</b>. ${countLanes(going) === 1 ? `Lane ${listLanes(going)[0]} goes` : `Lanes ${lanesInWords(listLanes(going))} go`} on; ${countLanes(staying) === 1 ? `lane ${listLanes(staying)[0]} goes another way: it comes later or skips` : `lanes ${lanesInWords(listLanes(staying))} go another way: they come later or skip`} what follows.`,
            why: "While some lanes of a warp go one way, the others are switched off: the instructions take as long as for all 32.", count: null};
  }
  if (step[0] === BULK || step[0] === MBARRIER) {
    const words = step[0] === BULK ? bulkInWords(block, step) : mbarrierInWords(block, columns, step);
    return {html: `${who}: ${words.html}`, why: words.why, count: null};
  }
  if (step[0] === NAMED_BARRIER) return {html: `${who} ${step[5] ? `comes last to the <b>barrier number ${step[4]}</b>: all who wait there go on` : `${step[6] ? "waits" : "arrives"} at the <b>barrier number ${step[4]}</b>`}.`, why: "A barrier with a number is one of some of the block's warps.", count: null};
  const memory = memoryName(block, step[5]), addresses = addressesOf(block, step);
  const html = `${who} ${DOES[step[0]]}: ${lanes}, ${plural(step[4], "byte")} each, ${step[0] === LOAD ? "from" : step[0] === ATOMIC ? "in" : "to"} ${memory}.`;
  if (step[0] === COPIED) return {html, why: "The bytes of an asynchronous copy are there from here on: it was counted when it began.", count: null};
  if (spaceOf(block, step) === "constant") return {html, why: "", count: null};
  const shared = spaceOf(block, step) === "shared";
  const more = shared ? sharedInWords(block, step, addresses) : globalInWords(step, addresses);
  let crowd = "";
  if (step[0] === ATOMIC) {
    const most = crowdOf(addresses);
    crowd = most > 1 ? ` Up to ${most} lanes change one word: they do so one after the other.` : " Each lane changes a word of its own.";
  }
  return {html, ...more, why: more.why + crowd, unit: shared ? "wavefronts" : "sectors"};
}
