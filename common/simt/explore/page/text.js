/* Values, names, and what each step does, in words. */

const element = id => document.getElementById(id);

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

const SIZES = [[/[*[&]/, 8], [/\b(double|size_t|ptrdiff_t|u?int64_t|long)\b/, 8], [/\b(short|u?int16_t|half|__half|__nv_bfloat16)\b/, 2], [/\b(bool|char|u?int8_t)\b/, 1], [/^(const |unsigned |signed )*(int|unsigned|float|u?int32_t)\b/, 4]];

/* The launch's kernel in the source, {name, parameters: [{name, size (0: a struct or the like),
   pointer}]}: by name, or, of one launched by a pointer, the one above its first step. Or null. */
function kernelOf(launch) {
  if (launch.source !== undefined) return launch.source;
  const blank = text => text.replace(/[^\n]/g, " "), name = /\w*/.exec(launch.kernel.replace(/.*::/, ""))[0], step = launch.blocks.flatMap(block => block.steps)[0];
  let above = null;
  for (const [i, file] of data.files.entries()) {
    const text = file.lines.join("\n").replace(/\/\*[^]*?\*\/|\/\/.*|__(launch_bounds|cluster_dims)__\s*\([^()]*\)/g, blank);
    for (const head of text.matchAll(/__global__[^;{}()]*?\b(\w+)\s*\(/g)) {
      const line = text.slice(0, head.index).split("\n").length, found = {name: head[1], parameters: parametersAt(text, head.index + head[0].length)};
      if (head[1] === name) return launch.source = found;
      if (step && siteOf(step)[0] === i && line <= siteOf(step)[1]) above = found;
    }
  }
  return launch.source = above;
}

function parametersAt(text, at) {
  const parts = [""];
  for (let depth = 1; at < text.length; at++) {
    depth += "(<".includes(text[at]) ? 1 : ")>".includes(text[at]) ? -1 : 0;
    if (depth === 0) break;
    if (depth === 1 && text[at] === ",") parts.push(""); else parts[parts.length - 1] += text[at];
  }
  return parts.map(part => part.trim()).filter(Boolean).map(part => ({name: (/(\w+)\s*(\[.*)?$/.exec(part) || ["", ""])[1], size: (SIZES.find(([type]) => type.test(part)) || [0, 0])[1], pointer: /[*[]/.test(part)}));
}

/* The names of the arguments' words: by offset. Parameters of unknown size are structs: the words of
   one are its own, and what lies behind the last is counted from the end. */
function argumentNames(launch) {
  if (launch.names) return launch.names;
  const names = launch.names = new Map(), {parameters} = kernelOf(launch) || {parameters: []}, place = (list, from, into = new Map()) => {
    for (const {name, size, pointer} of list) {
      from = Math.ceil(from / size) * size;
      if (pointer) into.set(from, name);
      from += size;
    }
    return Math.ceil(from / 8) * 8;
  };
  const first = parameters.findIndex(one => one.size === 0), last = parameters.length - 1 - [...parameters].reverse().findIndex(one => one.size === 0);
  const begin = place(first < 0 ? parameters : parameters.slice(0, first), 8, names); /* behind the kernel's own address */
  if (first < 0) return names;
  const behind = parameters.slice(last + 1), tail = behind.slice(behind.findIndex(one => one.pointer));
  const end = behind.some(one => one.pointer) ? launch.argumentBytes - place(tail, 0) : launch.argumentBytes;
  place(tail, end, names);
  if (first !== last) return names;
  const inside = [...new Set(launch.blocks.flatMap(block => block.memory.flatMap(memory => memory[6] || [])))].filter(offset => offset >= begin && offset < end).sort((a, b) => a - b);
  inside.forEach((offset, i) => names.set(offset, inside.length > 1 ? `${parameters[first].name}, array ${i + 1}` : parameters[first].name));
  return names;
}

function memoryName(block, index) {
  const [space, size, isDynamic, align, name, rank, pointers] = block.memory[index];
  if (rank >= 0) return `${name ? `<code>${escapeText(name)}</code> in ` : ""}the shared memory of <b>block ${rank} of the cluster</b>`;
  if (name) return `<code>${escapeText(name)}</code> in ${space} memory`;
  if (space === "shared") return isDynamic ? "dynamic shared memory" : "shared memory";
  const known = [...new Set((pointers || []).map(offset => argumentNames(block.launch).get(offset)).filter(Boolean))];
  if (known.length) return `${known.map(one => `<code>${escapeText(one)}</code>`).join(" or ")} in ${space} memory`;
  const same = block.memory.map((memory, i) => i).filter(i => block.memory[i][0] === space && block.memory[i][5] < 0);
  return same.length > 1 ? `${space} memory, allocation ${same.indexOf(index) + 1}` : `${space} memory`;
}

function launchName(launch) {
  const index = data.launches.indexOf(launch), same = launchesOfPart(launch);
  const text = launch.kernel.replace(/<[^>]*$/, ""); /* that is cut at a comma */
  const kernel = /^[\w:]+(<.*>)?$/.test(text) || !kernelOf(launch) ? text : kernelOf(launch).name;
  const name = launch.part && launch.part !== kernel ? `${launch.part}: ${kernel}` : kernel;
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

const TENSOR_CORES = /^(w?g?mma|ldmatrix|stmatrix|movmatrix)/;

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

function collectiveInWords(step) {
  const name = data.operations[step[4]];
  if (name === "mma.sync") return `<code>${name}</code>: the tensor core multiplies small matrices that are spread over the registers of the 32 lanes.`;
  if (/matrix/.test(name)) return `<code>${name}</code>: 8 x 8 matrices, whose rows some of the lanes have named, ${name === "ldmatrix" ? "go to" : "come from"} the registers of all.`;
  return `<code>${name}</code>: ${plural(countLanes(lanesOf(step)), "lane")} exchange${countLanes(lanesOf(step)) === 1 ? "s" : ""} values from register to register: no memory, no barrier of the block.`;
}

const saying = (html, why = "") => ({html, why, count: null});

function deedInWords(who, step) {
  const wait = "All threads of all blocks of the cluster arrive. The threads that wait go on when the last one has arrived. Only then may a block access what another block has prepared in its shared memory.";
  switch (step[4]) {
    case PROXY_FENCE: return saying(`${who}: <code>fence.proxy.async</code>: what the lanes have written is seen by bulk copies and tensor cores that begin after it.`, "Copies and tensor cores reach memory another way (the async proxy) than the loads and stores of threads do. Without this fence they may find what was there before.");
    case MBARRIER_FENCE: return saying(`${who}: <code>fence.mbarrier_init</code>: that mbarriers were initialized is seen by copies, and by the other blocks of the cluster.`);
    case MORE_REGISTERS: return saying(`${who}: <code>setmaxnreg.inc</code>: each thread may use <b>${step[6]} registers</b> from here on. It waits until others have given back as many as that takes.`);
    case FEWER_REGISTERS: return saying(`${who}: <code>setmaxnreg.dec</code>: each thread needs <b>${step[6]} registers</b> from here on, and gives back the others.`, "A warp that only issues copies needs few. The warps that multiply take the others.");
    case CLUSTER_ARRIVE: return saying(`${who} arrives at the <b>barrier of the cluster</b>${step[5] ? ", the last of all: the threads that wait there go on" : ""}.`, wait);
    default: return saying(`${who} ${step[5] ? "asks whether all have come to the <b>barrier of the cluster</b>: they have" : "<b>waits</b> at the <b>barrier of the cluster</b>"}.`, wait);
  }
}

const stopInWords = (who, step) => saying(`${who}${countLanes(lanesOf(step)) === 1 ? `, lane ${listLanes(lanesOf(step))[0]}` : ""}: <strong>the program is stopped here</strong>. What was wrong is told below.`,
  countLanes(lanesOf(step)) > 1 ? "" : "Lanes of a warp run one after another on the CPU back end, until they wait for each other. Those that are missing in the last steps had not come this far yet.");

/* {html: what happens, why, count: what a prediction is about, or null} */
function stepInWords(block, columns, warp, step, wait, now) {
  const who = `Warp ${warp}`;
  if (step === "barrier") return {html: "<b>Barrier</b>: all warps of the block have come to <code>__syncthreads()</code>, and go on together.", why: "", count: null};
  if (step === "waits") return {html: `${who} has nothing left to do before the barrier: it <b>waits</b> for the others.`, why: "", count: null};
  if (step === "sleeps" && wait && wait[0] === MBARRIER) return {html: `${who}: ${mbarrierInWords(block, columns, wait, now).html}`, why: "", count: null};
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
    const words = step[0] === BULK ? bulkInWords(block, step) : mbarrierInWords(block, columns, step, now);
    return {html: `${who}: ${words.html}`, why: words.why, count: null};
  }
  if (step[0] === NAMED_BARRIER) return {html: `${who} ${step[5] ? `comes last to the <b>barrier number ${step[4]}</b>: the warps that wait there go on` : `${step[6] ? "waits" : "arrives"} at the <b>barrier number ${step[4]}</b>`}.`, why: "A barrier with a number is one of some of the block's warps.", count: null};
  const memory = memoryName(block, step[5]), addresses = addressesOf(block, step);
  const html = `${who} ${DOES[step[0]]}: ${lanes}, ${plural(step[4], "byte")}${countLanes(lanesOf(step)) > 1 ? " each" : ""}, ${step[0] === LOAD ? "from" : step[0] === ATOMIC ? "in" : "to"} ${memory}.`;
  if (step[0] === COPIED) return {html, why: "The bytes of an asynchronous copy are there from here on: it was counted when it began.", count: null};
  if (spaceOf(block, step) === "constant") return {html, why: "", count: null};
  const shared = spaceOf(block, step) === "shared";
  const more = shared ? sharedInWords(isStored(step), step[4], addresses) : globalInWords(step[0] === STORE, step[4], addresses);
  let crowd = "";
  if (step[0] === ATOMIC) {
    const most = crowdOf(addresses);
    crowd = most > 1 ? ` Up to ${most} lanes change one word: they do so one after the other.` : countLanes(lanesOf(step)) > 1 ? " Each lane changes a word of its own." : "";
  }
  return {html, ...more, why: more.why + crowd, unit: shared ? "wavefronts" : "sectors"};
}
