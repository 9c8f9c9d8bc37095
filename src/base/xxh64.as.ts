/**
 * xxHash64 with seed 0, in AssemblyScript: no allocation, no state. `npm run kernels` compiles it
 * into xxh64-wasm.ts; the kernel of DRUM has it too.
 */

const P1: u64 = 0x9e3779b185ebca87;
const P2: u64 = 0xc2b2ae3d27d4eb4f;
const P3: u64 = 0x165667b19e3779f9;
const P4: u64 = 0x85ebca77c2b2ae63;
const P5: u64 = 0x27d4eb2f165667c5;

// @ts-ignore: decorator
@inline
function lane(acc: u64, input: u64): u64 {
  return rotl<u64>(acc + input * P2, 31) * P1;
}

// @ts-ignore: decorator
@inline
function fold(hash: u64, acc: u64): u64 {
  return (hash ^ lane(0, acc)) * P1 + P4;
}

/** The hash of `length` bytes. */
export function xxh64(at: usize, length: usize): u64 {
  const end = at + length;
  let hash: u64;
  if (length >= 32) {
    let a = P1 + P2;
    let b = P2;
    let c: u64 = 0;
    let d: u64 = 0 - P1;
    const last = end - 32;
    do {
      a = lane(a, load<u64>(at));
      b = lane(b, load<u64>(at, 8));
      c = lane(c, load<u64>(at, 16));
      d = lane(d, load<u64>(at, 24));
      at += 32;
    } while (at <= last);
    hash = rotl<u64>(a, 1) + rotl<u64>(b, 7) + rotl<u64>(c, 12) + rotl<u64>(d, 18);
    hash = fold(fold(fold(fold(hash, a), b), c), d);
  } else {
    hash = P5;
  }
  hash += length;
  for (; at + 8 <= end; at += 8) hash = rotl<u64>(hash ^ lane(0, load<u64>(at)), 27) * P1 + P4;
  if (at + 4 <= end) {
    hash = rotl<u64>(hash ^ (<u64>load<u32>(at) * P1), 23) * P2 + P3;
    at += 4;
  }
  for (; at < end; at++) hash = rotl<u64>(hash ^ (<u64>load<u8>(at) * P5), 11) * P1;
  hash = (hash ^ (hash >> 33)) * P2;
  hash = (hash ^ (hash >> 29)) * P3;
  return hash ^ (hash >> 32);
}
