/* What is under way while warps run: phases of mbarriers, bulk copies, products of tensor cores. Its
   rows of the timeline, and the same as a table. */

const ROW_COLOURS = {copy: "--bulk", products: "--collective"};

/* Draws a row into the timeline's canvas. */
function drawMeanwhile(timeline, row, top) {
  const {context, cell, left, meanwhileHeight: height, from} = timeline, {block, app} = timeline.pane, {columns} = app;
  const last = Math.min(columns.count, from + timeline.visible + 1), x = column => left + (Math.max(from, Math.min(last, column)) - from) * cell;
  const end = bar => bar.to === null ? columns.count : columnAt(columns, bar.to), seen = (begin, to) => begin < last && to > from;
  context.textBaseline = "middle";
  context.textAlign = "left";
  context.font = `${height - 4}px system-ui, sans-serif`;
  if (row.kind === "mbarrier") {
    const setUp = row.uses.find(one => one.use.how === M_INIT), phases = setUp ? [{phase: 0, from: columnAt(columns, setUp.at), to: columns.count}] : [];
    for (const {phase, at} of row.ends) {
      const begin = columnAt(columns, at) + 1; /* this column still belongs to what ends the phase */
      if (phases.length) phases[phases.length - 1].to = begin;
      phases.push({phase: phase + 1, from: begin, to: columns.count});
    }
    for (const {phase, from: begin, to} of phases) {
      if (!seen(begin, to)) continue;
      context.fillStyle = timeline.colour(phase % 2 ? "--line" : "--off");
      context.fillRect(x(begin), top + 1, x(to) - x(begin), height - 2);
      context.fillStyle = timeline.colour("--text");
      context.fillRect(x(begin) - (begin > from ? 1 : 0), top + 1, begin >= from ? 2 : 0, height - 2);
      if (x(to) - x(begin) > 2 * height) context.fillText(`${x(to) - x(begin) > 60 ? "phase " : ""}${phase}`, x(begin) + 5, top + height / 2);
    }
  }
  for (const {at, step} of row.uses || []) {
    const column = columnAt(columns, at);
    if (step[0] === FAR_MBARRIER && seen(column, column + 1)) context.fillText("◂", x(column) + cell / 2 - 3, top + height / 2 - 1);
  }
  for (const [i, bar] of (row.bars || row.copies).entries()) {
    const begin = columnAt(columns, bar.from), to = end(bar);
    if (!seen(begin, to) || (row.kind === "mbarrier" && bar.to === null && !block.full)) continue;
    context.fillStyle = timeline.colour(row.kind === "products" ? ROW_COLOURS.products : ROW_COLOURS.copy);
    if (row.kind === "mbarrier") context.fillRect(x(begin), top + height - 5, Math.max(2, x(to) - x(begin)), 4);
    else context.fillRect(x(begin), top + 1 + i % 2 * (height - 2) / 2, Math.max(2, x(to) - x(begin)), (height - 3) / 2); /* neighbours overlap */
  }
  context.fillStyle = timeline.colour("--dim");
  context.clearRect(0, top, left, height);
  context.fillText(row.short || row.name, 1, top + height / 2, left - 4);
}

/* Which warps wait for this phase of this mbarrier, in words. */
function waitersOf(pane, row) {
  const {block, app} = pane, warps = [];
  for (let warp = 0; warp < block.time.warps; warp++) {
    const wait = stepAt(block, app.columns, warp, app.column) === "sleeps" ? sleepsAt(block, app.columns, warp, app.column) : null;
    if (wait && wait[0] === MBARRIER && String(mbarrierOf(wait)) === String(row.place)) warps.push(warp);
  }
  return warps;
}

const missingInWords = use => [use.pending ? plural(use.pending, "arrival") : "", use.bytes > 0 ? plural(use.bytes, "byte") : use.bytes < 0 ? `(${plural(-use.bytes, "byte")} came that no thread has announced)` : ""].filter(Boolean).join(", ");

/* A line for each mbarrier, and what else is under way; "" if the block has nothing of the kind. */
function meanwhileTable(pane) {
  const {block, app} = pane, {columns, column} = app, rows = [];
  for (const row of block.time.rows) {
    const underWay = (row.bars || row.copies).filter(bar => (row.kind !== "mbarrier" || bar.to !== null || block.full) && isUnderWay(bar, columns, column));
    const copies = underWay.length && row.kind !== "products" ? `${plural(underWay.length, "copy", "copies")}, ${plural(underWay.reduce((sum, bar) => sum + bar.step[5], 0), "byte")}` : "";
    if (row.kind === "mbarrier") {
      const use = mbarrierAt(row, columns, column), waiting = use ? waitersOf(pane, row) : [];
      const far = row.uses.filter(one => one.step[0] === FAR_MBARRIER && columnAt(columns, one.at) === column).map(one => arriverInWords(one.step));
      rows.push([row.name, use ? use.phase : "not there yet", use ? missingInWords(use) || "nothing" : "", [...far, copies].filter(Boolean).join("; "), waiting.length ? `warp${waiting.length > 1 ? "s" : ""} ${lanesInWords(waiting)}` : ""]);
    } else {
      rows.push([row.name, "", "", row.kind === "products" ? underWay.length ? `${plural(underWay.length, "group")} of MMAs` : "" : copies, ""]);
    }
  }
  if (rows.length === 0) return "";
  return `<h3>Mbarriers, and what is in flight</h3><div class="scroll"><table class="counts meanwhile"><caption class="unseen">Mbarriers, copies and MMAs at this step</caption><thead><tr>${["", "phase", "still waits for", "in flight", "who waits here"].map(head => `<th scope="col">${head}</th>`).join("")}</tr></thead><tbody>${rows.map(cells => `<tr>${cells.map((cell, i) => i === 0 ? `<th scope="row">${escapeText(String(cell))}</th>` : `<td>${cell}</td>`).join("")}</tr>`).join("")}</tbody></table></div>`;
}

/* ---- in words ---- */

const stepLink = (column, text) => `<a href="#" data-column="${column}">${text}</a>`;

const arriverInWords = step => `warp ${step[1]}${step[0] === FAR_MBARRIER ? ` of block ${step[12]} of the cluster` : ""} arrives`;

/* What ends a wait, seen from column `now`: who came last, or a copy; with the step. */
function endOfWait(block, columns, step, now) {
  const name = waitsFor(step), done = name && step[0] === MBARRIER ? block.time.meanwhile.done.get(name) : null;
  if (!done) return "";
  const column = columnAt(columns, done.at), who = done.step[0] === BULK_END ? "the last of its bytes are there" : `${arriverInWords(done.step)}, the last of all`;
  return ` It ends ${column === now ? "in this step" : `at ${stepLink(column, `step ${number(column + 1)}`)}`}: ${who}.`;
}

function mbarrierInWords(block, columns, step, now) {
  const use = useOf(step), lanes = plural(countLanes(lanesOf(step)), "lane"), one = countLanes(lanesOf(step)) === 1;
  const places = block.time.rows.filter(row => row.kind === "mbarrier").map(row => row.place), name = `<code>${escapeText(mbarrierName(block, mbarrierOf(step), places))}</code>`;
  if (!use) return {html: `${lanes} ${one ? "uses" : "use"} the mbarrier ${name}.`, why: ""};
  const state = use.after > use.before ? `With that <b>phase ${use.before} ends</b>: the threads that wait for it go on.` : "";
  const announced = use.number ? `, and ${one ? "announces" : "announce"} <b>${plural(use.number, "byte")}</b> that copies will write` : "";
  switch (use.how) {
    case M_INIT: return {html: `${lanes}: the mbarrier ${name} is <b>initialized</b>: each of its phases waits for ${plural(use.number, "arrival")}.`, why: "An mbarrier is a word in shared memory that counts what its current phase still waits for: arrivals of threads, and bytes of copies. When both are 0, the phase ends, and the next one begins."};
    case M_INVALIDATE: return {html: `${lanes}: the mbarrier ${name} is given up; its 8 bytes are free.`, why: ""};
    case M_ARRIVE: return {html: `${lanes} <b>${one ? "arrives" : "arrive"}</b> at ${name}${announced}. ${state}`, why: "The threads that wait for the phase see what these threads did before."};
    case M_EXPECT: return {html: `${lanes}: ${name} now waits for <b>${plural(use.number, "more byte")}</b>. ${state}`, why: ""};
    case M_COMPLETE: return {html: `${lanes}: ${plural(use.number, "byte")} have arrived at ${name}. ${state}`, why: ""};
    default: return use.number < use.before
      ? {html: `${lanes} ${one ? "asks" : "ask"} whether phase ${use.number < 0 ? "before the first" : use.number} of ${name} is over. <b>It is</b>: ${one ? "it goes" : "they go"} on.`, why: use.number < 0 ? "The phase before the first counts as over: so a producer may fill a stage that no thread has used yet." : ""}
      : {html: `${lanes} <b>${one ? "waits" : "wait"}</b> at ${name} until phase ${use.number} is over.${endOfWait(block, columns, step, now)}`, why: ""};
  }
}

function bulkInWords(block, step) {
  const place = mbarrierOf(step), places = block.time.rows.filter(row => row.kind === "mbarrier").map(row => row.place), leaves = step[6], to = step[8] >= 0 ? ` to ${memoryName(block, step[8])}, from byte ${number(step[9])} on` : "";
  const lane = listLanes(lanesOf(step))[0], what = step[7] ? "a <b>TMA copy</b> of a tensor's box" : "a <b>bulk copy</b>";
  return {html: `lane ${lane} begins ${what}: ${plural(step[5], "byte")}${to}.${place ? ` <code>${escapeText(mbarrierName(block, place, places))}</code> counts the bytes as they come.` : ""}`,
          why: leaves ? "One lane issues it; the copy engine reads shared memory and writes while the warps go on. Before that memory is written again, the lane waits for its group of copies."
                      : "One lane issues it; the copy engine moves the bytes while the warps go on. The mbarrier tells when they are there. The CPU back end does not know how long that takes: it completes a copy when no warp can go on without it."};
}

function wgmmaInWords(block, step) {
  const where = at => step[at] < 0 ? "registers" : `${memoryName(block, step[at])} from byte ${number(step[at + 1])} on`;
  switch (operationOf(step)) {
    case "wgmma.mma_async": return {html: `<code>wgmma.mma_async</code>: an <b>MMA begins</b>, 64 x ${step[7]}, ${step[8]} deep, by four warps. It reads A in ${where(9)}, and B in ${where(11)}.`, why: "The tensor cores read the tiles and compute while the warps go on. Until wgmma.wait_group, no thread may use the accumulators or overwrite the tiles."};
    case "wgmma.fence": return {html: "<code>wgmma.fence</code>: the warp's accesses to the accumulators come before the MMAs that follow.", why: ""};
    case "wgmma.commit_group": return {html: "<code>wgmma.commit_group</code>: the MMAs issued so far are a group, for which the warp can wait.", why: ""};
    default: return {html: `<code>wgmma.wait_group</code>: waits until ${step[7] ? `at most ${plural(step[7], "group")} of MMAs ${step[7] === 1 ? "is" : "are"} in flight` : "all MMAs are done"}.`, why: ""};
  }
}
