/* Predict first: a count is hidden until the reader has guessed it. */

const QUESTIONS = {
  wavefronts: "How many wavefronts does this request take?",
  sectors: "How many sectors of 32 bytes does this request move?"
};

/* What two questions have in common that ask for the same. */
const asksWhat = (step, question) => `${step[3]}/${step[0]}/${question.truth}`;

/* What the question is about, or null: {unit, truth, mistakes: [[number, what was mistaken], ...]} */
function questionOf(block, step) {
  if (!Array.isArray(step) || !isAccess(step) || step[0] === COPIED || spaceOf(block, step) === "constant") return null;
  const addresses = addressesOf(block, step), lanes = countLanes(lanesOf(step)), size = step[4];
  const warps = block.time.warps, bytes = lanes * size;
  if (spaceOf(block, step) === "shared") {
    const access = bankAccess(isStored(step), size, addresses), truth = access.wavefronts.length;
    const words = new Set(access.wavefronts.flatMap(wavefront => wavefront.words.map(word => word.word))).size;
    const banks = new Map(), ofWarp = new Map();
    for (const {words: some} of access.wavefronts) for (const {bank, word} of some) ofWarp.set(bank, (ofWarp.get(bank) || new Set()).add(word));
    const atOnce = Math.max(...[...ofWarp.values()].map(set => set.size));
    for (const wavefront of access.wavefronts) for (const word of wavefront.words) banks.set(word.bank, (banks.get(word.bank) || 0) + word.lanes.length);
    return {unit: "wavefronts", truth, mistakes: [
      [access.conflicts, `That is the number of bank conflicts, the wavefronts <em>beyond</em> the ${access.needed} that the bytes need. You took conflicts for wavefronts.`],
      ...(access.together < WARP ? [[atOnce, `So many different words one bank must give to all 32 lanes. But of accesses of ${size} bytes only ${access.together} lanes go together, one part of the warp after another, and what the parts take adds up. You took the warp for its parts.`]] : []),
      [lanes, `That is the number of lanes. Lanes go together; they wait for one another only if they need <em>different words</em> of the <em>same bank</em>. You took lanes for wavefronts.`],
      [words, `That is the number of different words. Words in different banks come in the same wavefront: only the words <em>of one bank</em> queue. You took words for wavefronts.`],
      [banks.size, `That is the number of banks that are used. Banks work at the same time: what counts is how many words the busiest one must give. You took banks for wavefronts.`],
      [Math.max(...banks.values()), "You counted the lanes of the busiest bank. Lanes that need the <em>same word</em> get it together: count different words. You took lanes for words."],
      [bytes, "That is the number of bytes. A wavefront moves up to 128 of them, one word of 4 bytes from each bank. You took bytes for wavefronts."],
      [warps, "That is the number of warps of the block. Each warp's request is served by itself. You took warps for wavefronts."],
      [1, `One wavefront serves one word of each bank. Here a bank holds more than one of the needed words${size > 4 ? `, or ${size} bytes per lane are too many for one wavefront` : ""}.`]
    ]};
  }
  const access = sectorAccess(size, addresses), truth = access.sectors.length;
  const lines = new Set(access.sectors.map(sector => Math.floor(sector * SECTOR / LINE))).size;
  const words = new Set(activeLanes(addresses).map(lane => Math.floor(addresses[lane] / WORD))).size;
  return {unit: "sectors", truth, mistakes: [
    [Math.ceil(access.bytes / SECTOR), "So many sectors would hold the bytes if they lay side by side. They do not, and memory moves whole sectors. You took needed bytes for moved ones."],
    [lines, "That is the number of cache lines of 128 bytes. A line has four sectors, and they move one by one. You took lines for sectors."],
    [lanes, "That is the number of lanes. Lanes whose words lie in the same 32 bytes share a sector. You took lanes for sectors."],
    [words, "That is the number of words. A sector holds eight of them. You took words for sectors."],
    [access.bytes, "That is the number of bytes that the lanes need. A sector is 32 bytes. You took bytes for sectors."],
    [truth * SECTOR, "That is the number of bytes that move. A sector is 32 of them. You took bytes for sectors."],
    [warps, "That is the number of warps of the block. Each warp's request is counted by itself. You took warps for sectors."],
    [1, "One request of the warp it is; but it touches more than one piece of 32 bytes. You took requests for sectors."]
  ]};
}

function judgeGuess(question, guess) {
  const truth = `${plural(question.truth, question.unit.slice(0, -1))}`;
  if (guess === question.truth) return {right: true, html: `<span class="good">Right: ${truth}.</span>`};
  const mistake = question.mistakes.find(([value]) => value === guess && value !== question.truth);
  return {right: false, html: `<span class="bad">Not ${number(guess)}: ${truth}.</span> ${mistake ? mistake[1] : guess > question.truth ? "Too many: look for lanes that are served together." : "Too few: look for words that share a bank, or bytes that lie in different sectors."}`};
}

function guessForm(question, key) {
  return `<form class="guess" data-key="${key}"><label><b>${QUESTIONS[question.unit]}</b> <input type="number" min="0" step="1" inputmode="numeric" required></label> <button>Check</button></form>`;
}
