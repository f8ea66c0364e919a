/* Numbers, and what an access costs, in words: for the explorer and for the bench. */

const number = value => value.toLocaleString("en-US");
const plural = (count, one, many) => `${number(count)} ${count === 1 ? one : many || one + "s"}`;
const escapeText = text => text.replace(/[&<>"]/g, c => ({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"})[c]);

/* How bright a colour "#rrggbb" is, and black or white, whichever is easier to read on it. */
function luminance(colour) {
  const [red, green, blue] = [1, 3, 5].map(at => parseInt(colour.slice(at, at + 2), 16) / 255).map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4);
  return .2126 * red + .7152 * green + .0722 * blue;
}
const inkOn = colour => luminance(colour) > .179 ? "#000000" : "#ffffff";

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

/* The bytes from each lane to the next; null: the distance is not always the same. */
function strideOf(addresses) {
  const lanes = activeLanes(addresses), [first, second] = lanes;
  if (lanes.length < 2) return null;
  const stride = (addresses[second] - addresses[first]) / (second - first);
  return lanes.every(lane => addresses[lane] === addresses[first] + stride * (lane - first)) ? stride : null;
}

/* How far it is from lane to lane, and when that comes round to the same bank. */
function strideInWords(size, addresses) {
  const stride = strideOf(addresses), words = stride / WORD, common = (a, b) => b ? common(b, a % b) : a;
  if (stride === null || size !== WORD || words % 1 !== 0 || words === 0) return "";
  const every = BANKS / common(Math.abs(words), BANKS), around = every * Math.abs(words), times = around / BANKS;
  if (every >= WARP) return `From lane to lane it is ${plural(Math.abs(words), "word")}, so the lanes come to different banks. `;
  const rounds = times === 1 ? "once around the 32 banks" : `${times} times around the 32 banks`;
  return `From lane to lane it is ${plural(Math.abs(words), "word")}${every === 1 ? `, ${rounds}: every lane comes to the same bank` : `; ${every} lanes further it is ${around}, ${rounds}: every ${every}${every === 2 ? "nd" : "th"} lane comes to the same bank`}. `;
}

function sharedInWords(isStore, size, addresses) {
  const access = bankAccess(isStore, size, addresses), count = access.wavefronts.length;
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
    const lanes = busiest.slice(0, 3).map(word => word.lanes.length > 1 ? `${word.lanes.length} lanes` : `lane ${word.lanes[0]}`), more = busiest.length > 3 ? " and so on" : "";
    const needed = busiest.slice(0, 3).map(word => word.word);
    why = `${strideInWords(size, addresses)}Bank ${busiest[0].bank} holds ${busiest.length} of the words that are needed at once: ${lanes.join(", ")}${more} need word${needed.length > 1 ? "s" : ""} ${needed.join(", ")}${more}. A bank gives one word at a time, and each such pass through the banks is a wavefront: ${parts > 1 ? "this part of the warp takes" : "it takes"} ${busiest.length}. ${words.size} of the 32 banks ${words.size === 1 ? "works" : "work"}${words.size < 32 ? `, ${32 - words.size} ${words.size === 31 ? "is" : "are"} idle` : ""}.`;
  } else if (access.wavefronts.some(wavefront => wavefront.words.some(word => word.lanes.length > 1)) && size <= 4) {
    why = "Lanes that need the same word get it together, and no bank holds two of the needed words: one wavefront.";
  } else if (parts > 1) {
    why = `${size} bytes per lane: ${access.together} lanes go together. Within each such part, no bank holds two of the needed words.`;
  } else {
    why = `${strideInWords(size, addresses)}No bank holds two of the needed words: every lane is served at once.`;
  }
  return {
    count, conflicts: access.conflicts, why,
    cost: access.conflicts > 0
      ? `<strong>${plural(count, "wavefront")}</strong> where ${access.needed} would do: <strong>${plural(access.conflicts, "bank conflict")}</strong>.`
      : `${plural(count, "wavefront")}, no bank conflicts.`
  };
}

function globalInWords(isStore, size, addresses) {
  const access = sectorAccess(size, addresses), moved = access.sectors.length * SECTOR, count = access.sectors.length;
  const lines = new Set(access.sectors.map(sector => Math.floor(sector * SECTOR / LINE))).size;
  const least = Math.ceil(access.bytes / SECTOR), share = Math.round(100 * access.bytes / moved);
  const words = new Set(activeLanes(addresses).map(lane => addresses[lane])).size, lanes = activeLanes(addresses).length;
  const why = words === 1 && lanes > 1
    ? isStore ? `All lanes store to the same word: one of the ${lanes} values stays, and the others are lost.`
              : "All lanes need the same word: it moves once, and each lane gets it."
    : count > least
    ? `The ${number(access.bytes)} bytes that the lanes need would fit into ${plural(least, "sector")}, but they lie in ${number(count)}. Memory moves whole sectors of 32 bytes.`
    : access.bytes < moved ? `Memory moves whole sectors of 32 bytes, and ${count === 1 ? "one" : count} is the least for ${plural(access.bytes, "byte")}.`
    : "The lanes need all bytes that move.";
  return {
    count, conflicts: count - least, why, lines,
    cost: `${count > least ? "<strong>" : ""}${plural(count, "sector")}${count > least ? "</strong>" : ""} in ${plural(lines, "line")}: ${number(moved)} bytes move, ${number(access.bytes)} ${access.bytes === 1 ? "is" : "are"} needed (${share}%).`
  };
}
