/* The bench: an index is typed, and the page shows what a warp's access with it costs. */

const element = id => document.getElementById(id);
const TILE = [32, 8, 1];
/* name, index, title, bytes of an element, the reader's own names, block */
const EXAMPLES = [
  ["tid", "tid", "neighbours", 4, {}, null], ["stride", "tid * stride", "lanes that are some elements apart", 4, {stride: 2}, null],
  ["column", "x * 32 + y", "a column of a tile", 4, {}, TILE], ["padded", "x * 33 + y", "the column, with a word of padding per row", 4, {}, TILE],
  ["rows", "lane * 8 + chunk", "chunks of 16 bytes, one below the other, in rows of 128 bytes", 16, {chunk: 0}, null],
  ["swizzle", "lane * 8 + (chunk ^ lane % 8)", "the same chunks, swizzled", 16, {chunk: 0}, null], ["fourth", "(y ^ x) * 4", "every fourth word", 4, {}, TILE]
];
let chosen = null, own = {stride: 2, pad: 0};

/* ---- the address of a place: #example=column, or #index=tid*2,size=4,block=32x8x1,warp=0,store=0,stride=2 ---- */

function readPlace() {
  const asked = Object.fromEntries(location.hash.slice(1).split(",").filter(Boolean).map(word => word.split("=").map(decodeURIComponent)));
  if (EXAMPLES.some(([name]) => name === asked.example)) return showExample(asked.example);
  const {index, size, block, warp, store, ...others} = asked, put = (id, value) => { if (value !== undefined) element(id).value = value; };
  put("index", index);
  put("size", size);
  (block || "").split("x").filter(Boolean).forEach((value, i) => put("block-" + "xyz"[i], value));
  own = Object.keys(asked).length === 0 ? own : Object.fromEntries(Object.entries(others).map(([name, value]) => [name, Number(value)]));
  element("store").value = store === "1" ? "1" : "0";
  return draw(Number(warp) || 0);
}

function showExample(wanted) {
  const [, index, , size, names, block] = EXAMPLES.find(([name]) => name === wanted);
  element("index").value = index;
  element("size").value = size;
  own = {...names};
  element("names").dataset.names = "-"; /* its fields are made anew */
  chosen = null;
  if (block) block.forEach((size, i) => { element("block-" + "xyz"[i]).value = size; });
  draw(block ? 1 : 0); /* in a tile's second warp y is 1 */
}

function writePlace(block, warp) {
  const parts = {index: element("index").value, size: element("size").value, block: block.join("x"), warp, store: element("store").value, ...own};
  const place = "#" + Object.entries(parts).map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join(",");
  if (location.protocol !== "about:" && location.hash !== place) history.replaceState(null, "", place);
}

/* ---- what is shown ---- */

/* A field for each name that the index has and no thread knows. */
function showNames(names) {
  const missing = names.filter(name => !KNOWN.test(name)), box = element("names");
  own = Object.fromEntries(missing.map(name => [name, Number.isInteger(own[name]) ? own[name] : 1]));
  if (box.dataset.names === missing.join()) return;
  box.dataset.names = missing.join();
  box.innerHTML = missing.map(name => `<label><code>${escapeText(name)}</code> <input type="number" step="1" data-name="${escapeText(name)}" value="${own[name]}"></label>`).join("");
}

function sizes() {
  const block = [..."xyz"].map(axis => Number(element("block-" + axis).value)), threads = block[0] * block[1] * block[2];
  if (!block.every(size => Number.isInteger(size) && size > 0) || threads > 1024) fail("a block has 1 to 1,024 threads");
  return [block, Math.ceil(threads / WARP)];
}

function laneRows({indices, addresses}) {
  const rows = indices.map((index, lane) => index === null ? "" : `<tr><td>${lane}</td><td>${number(index)}</td><td>${number(addresses[lane])}</td><td>${bankOf(Math.floor(addresses[lane] / WORD))}</td><td>${number(Math.floor(addresses[lane] / SECTOR))}</td></tr>`);
  return `<table class="counts"><thead><tr>${["lane", "index", "byte", "bank", "sector"].map(head => `<th scope="col">${head}</th>`).join("")}</tr></thead><tbody>${rows.join("")}</tbody></table>`;
}

function draw(warp = Number(element("warp").value) || 0) {
  try {
    const expression = expressionOf(element("index").value), [block, warps] = sizes(), size = Number(element("size").value), isStore = element("store").value === "1";
    showNames(expression.names);
    warp = Math.min(warp, warps - 1);
    element("warp").innerHTML = Array.from({length: warps}, (none, i) => `<option>${i}</option>`).join("");
    element("warp").value = warp;
    const cost = costOfIndex(element("index").value, {size, block, warp, isStore, own}), narrow = innerWidth < 560;
    const access = bankAccess(isStore, size, cost.addresses), banks = sharedInWords(isStore, size, cost.addresses), sectors = globalInWords(isStore, size, cost.addresses);
    chosen = chosen !== null && chosen < access.wavefronts.length ? chosen : null;
    element("wrong").textContent = cost.indices.some(index => index !== null && index < 0) ? "Some lanes have a negative index: they would leave the array." : cost.indices.some(index => index > 1e8) ? "Some index is huge: unsigned numbers below 0 wrap around." : "";
    element("shared").innerHTML = `<h2>In shared memory</h2><p class="what">${banks.cost}</p><p>${banks.why}</p>${banksPicture(access, {chosen, hidden: false, narrow, title: word => `word ${word}, bank ${bankOf(word)}`})}`;
    element("global").innerHTML = `<h2>In global memory</h2><p class="what">${sectors.cost}</p><p>${sectors.why}</p>${sectorsPicture(size, cost.addresses, {hidden: false, narrow})}`;
    element("rows").innerHTML = laneRows(cost);
    writePlace(block, warp);
  } catch (error) {
    element("wrong").textContent = `The index has no value: ${error.message}.`;
    for (const id of ["shared", "global", "rows"]) element(id).innerHTML = "";
  }
}

element("examples").innerHTML = EXAMPLES.map(([name, index, what]) => `<button data-example="${name}" title="${what}"><code>${index}</code></button>`).join("");
document.addEventListener("input", event => {
  if (event.target.dataset.name) own[event.target.dataset.name] = Math.trunc(Number(event.target.value));
  chosen = null;
  draw();
});
document.addEventListener("click", event => {
  const example = event.target.closest("[data-example]"), wave = event.target.closest("[data-wave]");
  if (example) {
    showExample(example.dataset.example);
  } else if (wave) {
    chosen = wave.dataset.wave === "next" ? (chosen === null ? 0 : chosen + 1) : chosen === Number(wave.dataset.wave) ? null : Number(wave.dataset.wave);
    draw();
  }
});
addEventListener("hashchange", readPlace);
addEventListener("resize", () => draw());
readPlace();
