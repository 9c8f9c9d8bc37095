/**
 * Records of runs to blocks of postings, in AssemblyScript. posting-writer.ts defines the format of
 * a list, numbers.ts and rice.ts those of numbers, build/run-builder.ts that of a record.
 *
 * Requires  `setVersions` once; then for each term `begin`, `feed` for each of its records in
 *           order, `end`. What `feed` and `end` leave at `positionsAt` is taken before the next
 *           call.
 * Ensures   Never reads outside of its memory, whatever a record holds; after a failed
 *           `memory.grow` it traps.
 *
 * `npm run kernels` compiles it into posting-kernel-wasm.ts, which the build and the tests load.
 */

const HEAP: usize = 1024;
/** The number of a version that has none. */
const NONE: u32 = 0xffffffff;
/** Quotients of Rice codes that are written otherwise, as in rice.ts. */
const ESCAPE: u32 = 20;

let top: usize = HEAP;
let versionCount: u32 = 0;
let renumbered: usize = 0;
/** Words of texts, and of titles, by new number. */
let lengths: usize = 0;

/** Growing memory: where it is, and how much. */
let input: usize = 0;
let inputRoom: usize = 0;
let blocks: usize = 0;
let blocksRoom: usize = 0;
let directory: usize = 0;
let directoryRoom: usize = 0;
let gaps: usize = 0;
let gapsRoom: usize = 0;
let positions: usize = 0;
let positionsRoom: usize = 0;

/** Versions and frequencies of the block that is being filled. */
let ids: usize = 0;
let frequencies: usize = 0;
let block: u32 = 0;

let fieldLengths: usize = 0;
let withPositions: bool = false;
/** How many things other than versions a list may number; 0 for lists of versions. */
let otherCount: u32 = 0;
let count: u32 = 0;
let inBlock: u32 = 0;
let inGaps: u32 = 0;
let lastId: u32 = 0;
let blockBefore: u32 = 0;
let blockBytes: usize = 0;
let directoryBytes: usize = 0;
let positionBytes: usize = 0;

function take(bytes: usize): usize {
  const at = top;
  top += (bytes + 15) & ~15;
  const pages = <i32>((top + 0xffff) >> 16) - memory.size();
  if (pages > 0 && memory.grow(pages) < 0) unreachable();
  return at;
}

/** Memory for `bytes`, with the first `filled` of what was there. */
function larger(at: usize, filled: usize, bytes: usize): usize {
  const copy = take(bytes);
  memory.copy(copy, at, filled);
  return copy;
}

/**
 * Sets how many versions the runs have, how many of them the part, and the postings of a block;
 * returns where the new numbers go, then the words of texts, then those of titles.
 */
export function setVersions(before: u32, after: u32, postings: u32): usize {
  versionCount = before;
  block = postings;
  renumbered = take((<usize>before) << 2);
  lengths = take((<usize>after) << 3);
  ids = take((<usize>block) << 2);
  frequencies = take((<usize>block) << 2);
  return renumbered;
}

export function lengthsAt(): usize {
  return lengths;
}

/** Where the next record goes. */
export function inputFor(bytes: usize): usize {
  if (bytes + 64 > inputRoom) {
    inputRoom = 2 * bytes + 4096;
    input = take(inputRoom);
  }
  return input;
}

/**
 * Begins a term; `field` is where its lengths begin, in versions, or -1 if it has none. A list of
 * `others` numbers other things than versions, which keep their numbers.
 */
export function begin(field: i32, hasPositions: bool, others: u32): void {
  otherCount = others;
  fieldLengths = field < 0 ? 0 : lengths + ((<usize>field) << 2);
  withPositions = hasPositions;
  count = 0;
  inBlock = 0;
  inGaps = 0;
  lastId = -1;
  blockBefore = -1;
  blockBytes = 0;
  directoryBytes = 0;
  positionBytes = 0;
}

let at: usize = 0;
let recordEnd: usize = 0;

// @ts-ignore: decorator
@inline
function varint(): u32 {
  let byte = <u32>load<u8>(at++);
  if (byte < 128) return byte;
  let value = byte & 127;
  for (let shift: u32 = 7; shift < 35; shift += 7) {
    byte = <u32>load<u8>(at++);
    value |= (byte & 127) << shift;
    if (byte < 128) break;
  }
  return value;
}

/** Adds a record of `postings` postings; false if it is damaged. */
export function feed(bytes: usize, postings: u32): bool {
  at = input;
  recordEnd = input + bytes;
  positionBytes = 0;
  let version: u32 = -1;
  for (let i: u32 = 0; i < postings; i++) {
    if (at >= recordEnd) return false;
    version += varint() + 1;
    const frequency = varint();
    if (version >= (otherCount > 0 ? otherCount : versionCount) || frequency == 0) return false;
    const id = otherCount > 0 ? version : u32At(renumbered, version);
    if (id != NONE) add(id, frequency);
    if (withPositions && !readGaps(frequency, id != NONE)) return false;
  }
  return at == recordEnd;
}

// @ts-ignore: decorator
@inline
function u32At(base: usize, place: u32): u32 {
  return load<u32>(base + ((<usize>place) << 2));
}

// @ts-ignore: decorator
@inline
function setU32(base: usize, place: u32, value: u32): void {
  store<u32>(base + ((<usize>place) << 2), value);
}

function add(id: u32, frequency: u32): void {
  if (inBlock == block) endBlock();
  setU32(ids, inBlock, id - lastId - 1);
  setU32(frequencies, inBlock, frequency - 1);
  inBlock++;
  lastId = id;
  count++;
}

/** The positions of a posting, which stay if `keeps`; false if the record ends before. */
function readGaps(frequency: u32, keeps: bool): bool {
  if (<usize>frequency > recordEnd - at) return false;
  if (!keeps) {
    for (let i: u32 = 0; i < frequency; i++) varint();
    return true;
  }
  const needed = (<usize>inGaps + <usize>frequency) << 2;
  if (needed > gapsRoom) {
    gaps = larger(gaps, (<usize>inGaps) << 2, 2 * needed + 4096);
    gapsRoom = 2 * needed + 4096;
  }
  for (let i: u32 = 0; i < frequency; i++) setU32(gaps, inGaps++, varint());
  return true;
}

/** Ends the term; returns how many postings it has. */
export function end(): u32 {
  positionBytes = 0;
  if (inBlock > 0) endBlock();
  return count;
}

export function blocksAt(): usize {
  return blocks;
}

export function blocksLength(): usize {
  return blockBytes;
}

export function directoryAt(): usize {
  return directory;
}

export function directoryLength(): usize {
  return directoryBytes;
}

export function positionsAt(): usize {
  return positions;
}

export function positionsLength(): usize {
  return positionBytes;
}

function endBlock(): void {
  const most = blockBytes + 2 * (<usize>((inBlock + 3) >> 2) + 4 * <usize>inBlock) + 16;
  if (most > blocksRoom) {
    blocks = larger(blocks, blockBytes, 2 * most + 4096);
    blocksRoom = 2 * most + 4096;
  }
  const start = blockBytes;
  blockBytes = writeNumbers(ids, blocks + blockBytes) - blocks;
  blockBytes = writeNumbers(frequencies, blocks + blockBytes) - blocks;
  let rice: usize = 0;
  if (withPositions) {
    const needed = positionBytes + ((<usize>inGaps * <usize>(ESCAPE + 32)) >> 3) + 16;
    if (needed > positionsRoom) {
      positions = larger(positions, positionBytes, 2 * needed + 4096);
      positionsRoom = 2 * needed + 4096;
    }
    const before = positionBytes;
    positionBytes = writeRice(positions + positionBytes) - positions;
    rice = positionBytes - before;
  }
  describe(blockBytes - start, rice);
  inBlock = 0;
  inGaps = 0;
}

/** Stream VByte: widths of 0, 1, 2 and 4 bytes. */
function writeNumbers(values: usize, to: usize): usize {
  let next = to + <usize>((inBlock + 3) >> 2);
  for (let i: u32 = 0; i < inBlock; i += 4) {
    let widths: u32 = 0;
    const stop = min(inBlock, i + 4);
    for (let j = i; j < stop; j++) {
      const value = u32At(values, j);
      const width: u32 = value == 0 ? 0 : value < 0x100 ? 1 : value < 0x10000 ? 2 : 3;
      widths |= width << ((j - i) << 1);
      store<u32>(next, value);
      next += width == 3 ? 4 : <usize>width;
    }
    store<u8>(to + <usize>(i >> 2), <u8>widths);
  }
  return next;
}

function writeRice(to: usize): usize {
  let sum: f64 = 0;
  for (let i: u32 = 0; i < inGaps; i++) sum += <f64>u32At(gaps, i);
  const mean = <u32>max<f64>(1, (0.7 * sum) / <f64>inGaps);
  const shift = <u64>min<u32>(24, 31 - clz(mean));
  store<u8>(to, <u8>shift);
  let next = to + 1;
  let held: u64 = 0;
  let filled: u64 = 0;
  const low = ((<u64>1) << shift) - 1;
  for (let i: u32 = 0; i < inGaps; i++) {
    const value = <u64>u32At(gaps, i);
    const quotient = value >> shift;
    if (quotient < <u64>ESCAPE) {
      // The ones, a zero, the rest.
      held |= ((((<u64>1) << quotient) - 1) | ((value & low) << (quotient + 1))) << filled;
      filled += quotient + 1 + shift;
    } else {
      held |= (((<u64>1) << ESCAPE) - 1) << filled;
      filled += ESCAPE;
      store<u64>(next, held);
      next += <usize>(filled >> 3);
      held >>= filled & ~7;
      filled &= 7;
      held |= value << filled;
      filled += 32;
    }
    store<u64>(next, held);
    next += <usize>(filled >> 3);
    // 64 bits are never full: at most 7 + 20 + 24.
    held >>= filled & ~7;
    filled &= 7;
  }
  if (filled > 0) store<u8>(next++, <u8>held);
  return next;
}

/** Adds the block to the directory: last version, bytes, greatest frequency, least length. */
function describe(bytes: usize, rice: usize): void {
  if (directoryBytes + 64 > directoryRoom) {
    directory = larger(directory, directoryBytes, 2 * directoryBytes + 4096);
    directoryRoom = 2 * directoryBytes + 4096;
  }
  let greatest: u32 = 0;
  let least: u32 = fieldLengths == 0 ? 0 : 0xffffffff;
  let id = blockBefore;
  for (let i: u32 = 0; i < inBlock; i++) {
    id += u32At(ids, i) + 1;
    greatest = max(greatest, u32At(frequencies, i) + 1);
    if (fieldLengths != 0) least = min(least, u32At(fieldLengths, id));
  }
  let to = directory + directoryBytes;
  to = putVarint(to, id - blockBefore - 1);
  to = putVarint(to, <u32>bytes);
  to = putVarint(to, greatest);
  to = putVarint(to, least);
  if (withPositions) to = putVarint(to, <u32>rice);
  directoryBytes = to - directory;
  blockBefore = id;
}

function putVarint(to: usize, value: u32): usize {
  let next = to;
  let rest = value;
  while (rest >= 128) {
    store<u8>(next++, <u8>(rest | 128));
    rest >>= 7;
  }
  store<u8>(next, <u8>rest);
  return next + 1;
}
