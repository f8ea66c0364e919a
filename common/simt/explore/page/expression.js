/* An index as C has it: int and unsigned int of 32 bits, with C's operators and conversions. */

const BINARY = [["|"], ["^"], ["&"], ["<<", ">>"], ["+", "-"], ["*", "/", "%"]]; /* from the loosest */
const int = value => ({value, unsigned: false}), unsigned = value => ({value: value >>> 0, unsigned: true});

function fail(text) {
  throw new Error(text);
}

function fitting(value) {
  return value >= -(2 ** 31) && value < 2 ** 31 ? int(value) : fail(`${value} does not fit into an int`);
}

/* Of two operands, of which neither or both are unsigned. */
function calculate(operator, a, b, isUnsigned) {
  const result = isUnsigned ? unsigned : fitting;
  switch (operator) {
    case "+": return result(a + b);
    case "-": return result(a - b);
    case "*": return isUnsigned ? unsigned(Math.imul(a, b)) : fitting(a * b);
    case "/": return b === 0 ? fail("division by 0") : result(Math.trunc(a / b));
    case "%": return b === 0 ? fail("division by 0") : result(a % b + 0);
    case "&": return isUnsigned ? unsigned(a & b) : int(a & b);
    case "^": return isUnsigned ? unsigned(a ^ b) : int(a ^ b);
    default: return isUnsigned ? unsigned(a | b) : int(a | b);
  }
}

/* A shift has the type of what is shifted. C does not define shifts by less than 0 or more than 31. */
function shift(operator, a, b) {
  if (b.value < 0 || b.value > 31) fail(`a shift by ${b.value}`);
  if (operator === ">>") return a.unsigned ? unsigned(a.value >>> b.value) : int(a.value >> b.value);
  if (!a.unsigned && a.value < 0) fail("a negative number is shifted to the left");
  return a.unsigned ? unsigned(a.value << b.value) : fitting(a.value * 2 ** b.value);
}

/* {names: the names in it, evaluate(lookup): its value}; lookup(name) is {value, unsigned}. */
function expressionOf(text) {
  const tokens = text.match(/\s+|0[xX][\da-fA-F]+[uU]?|\d+[uU]?|[A-Za-z_][\w.]*|<<|>>|[-+*/%&|^~()]|[^]/g) || [], names = new Set();
  const words = tokens.filter(token => token.trim());
  let at = 0;

  function primary() {
    const token = words[at++];
    if (token === undefined) return fail("something is missing at the end");
    if (token === "-" || token === "+" || token === "~") {
      const operand = primary();
      return lookup => {
        const one = operand(lookup);
        return token === "~" ? one.unsigned ? unsigned(~one.value) : int(~one.value) : token === "+" ? one : one.unsigned ? unsigned(-one.value) : fitting(-one.value + 0);
      };
    }
    if (token === "(") {
      const inner = level(0);
      return words[at++] === ")" ? inner : fail("a parenthesis is not closed");
    }
    if (/^\d/.test(token)) {
      const value = Number(token.replace(/[uU]$/, "").replace(/^0(?=\d)/, "0o")), isUnsigned = /[uU]$/.test(token);
      if (!(value < 2 ** (isUnsigned ? 32 : 31))) fail(`${token} is no constant of 32 bits`);
      return () => isUnsigned ? unsigned(value) : int(value);
    }
    if (!/^[A-Za-z_]/.test(token)) return fail(`"${token}" cannot stand here`);
    names.add(token);
    return lookup => lookup(token);
  }

  function level(depth) {
    if (depth === BINARY.length) return primary();
    let left = level(depth + 1);
    while (BINARY[depth].includes(words[at])) {
      const operator = words[at++], first = left, second = level(depth + 1);
      left = lookup => {
        const a = first(lookup), b = second(lookup), isUnsigned = a.unsigned || b.unsigned;
        if (operator === "<<" || operator === ">>") return shift(operator, a, b);
        return isUnsigned ? calculate(operator, a.value >>> 0, b.value >>> 0, true) : calculate(operator, a.value, b.value, false);
      };
    }
    return left;
  }

  const evaluate = level(0);
  if (at < words.length) fail(`"${words[at]}" cannot stand here`);
  return {names: [...names], evaluate};
}

/* ---- the threads of a warp ---- */

const KNOWN = /^(lane|tid|warp|[xyz]|(threadIdx|blockDim|blockIdx|gridDim)\.[xyz])$/;

/* What a thread calls its names, all of them unsigned; names of the reader's own are int. */
function lookupOf([dx, dy, dz], tid, own) {
  const at = {x: tid % dx, y: Math.floor(tid / dx) % dy, z: Math.floor(tid / (dx * dy))}, size = {x: dx, y: dy, z: dz};
  return name => {
    if (!KNOWN.test(name)) return own[name] === undefined ? fail(`${name} has no value`) : fitting(own[name]);
    const [first, second] = name.split(".");
    return unsigned({lane: tid % WARP, tid, warp: Math.floor(tid / WARP), threadIdx: at[second], blockDim: size[second], blockIdx: 0, gridDim: 1, ...at}[first]);
  };
}

/* The index of each lane of a warp; null where the block has no such thread. */
function indicesOf(expression, block, warp, own) {
  return Array.from({length: WARP}, (none, lane) => {
    const tid = warp * WARP + lane;
    return tid < block[0] * block[1] * block[2] ? expression.evaluate(lookupOf(block, tid, own)).value : null;
  });
}

/* What an access to array[index] costs, with elements of `size` bytes and the array at byte 0. */
function costOfIndex(text, {size, block, warp, isStore, own}) {
  const indices = indicesOf(expressionOf(text), block, warp, own), addresses = indices.map(index => index === null ? null : index * size);
  const shared = bankAccess(isStore, size, addresses), global = sectorAccess(size, addresses);
  return {indices, addresses, wavefronts: shared.wavefronts.length, conflicts: shared.conflicts, sectors: global.sectors.length, bytes: global.bytes};
}
