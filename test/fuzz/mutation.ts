/**
 * Malformed input: real examples, cut, spliced, repeated and damaged. Seeded, so that what fails
 * once fails again.
 */
/** A number below `n`. */
export type Random = (n: number) => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return (n) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  };
}

/** Bytes at which parsers often fail. */
const EDGES = [
  0, 1, 9, 10, 13, 32, 34, 37, 38, 39, 45, 46, 47, 58, 59, 60, 62, 63, 92, 127, 128, 191, 192, 239,
  254, 255,
];
const LONGEST = 4096;

/**
 * One of the examples with a few mutations. `words` are pieces that mean something in the format.
 */
export function mutate(
  examples: readonly Buffer[],
  words: readonly Buffer[],
  random: Random,
): Buffer {
  let bytes = pick(examples, random);
  for (let times = random(6); times >= 0; times--) bytes = changed(bytes, examples, words, random);
  return bytes.subarray(0, LONGEST);
}

function changed(
  bytes: Buffer,
  examples: readonly Buffer[],
  words: readonly Buffer[],
  random: Random,
): Buffer {
  const at = random(bytes.length + 1);
  const to = at + random(Math.min(64, bytes.length - at + 1));
  const [before, middle, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, to),
    bytes.subarray(to),
  ];
  switch (random(7)) {
    case 0:
      return Buffer.concat([before, after]);
    case 1:
      return Buffer.concat([before, pick(words, random), middle, after]);
    case 2:
      return Buffer.concat([before, ...Array<Buffer>(1 + random(20)).fill(middle), after]);
    case 3:
      return Buffer.concat([before, Buffer.from([EDGES[random(EDGES.length)]]), middle, after]);
    case 4:
      return Buffer.concat([before, pick(examples, random).subarray(random(50)), after]);
    case 5:
      return before;
    default:
      return Buffer.concat([
        before,
        Buffer.from(middle.map((byte) => byte ^ (1 << random(8)))),
        after,
      ]);
  }
}

function pick(from: readonly Buffer[], random: Random): Buffer {
  return from.length === 0 ? Buffer.alloc(0) : from[random(from.length)];
}
