/**
 * The kernels of adjacency lists in AssemblyScript: loops over raw memory that the caller lays out,
 * without allocation or state.
 *
 * `npm run kernels` compiles it into kernel-wasm.ts, which is what the build and the
 * tests load. The meaning of each function, and the layout it works on, is stated once, in
 * kernel.ts.
 */

const SHUFFLES: usize = 0;
const LENGTHS: usize = 4096;

export function prepare(tables: usize): void {
  for (let widths: u32 = 0; widths < 256; widths++) {
    let at: u32 = 0;
    for (let i: u32 = 0; i < 4; i++) {
      const width = ((widths >> (2 * i)) & 3) + 1;
      for (let byte: u32 = 0; byte < 4; byte++) {
        // An index beyond 15 gives zero.
        store<u8>(tables + SHUFFLES + widths * 16 + i * 4 + byte, byte < width ? at + byte : 255);
      }
      at += width;
    }
    store<u8>(tables + LENGTHS + widths, at);
  }
}

export function unpack(tables: usize, widths: usize, groups: u32, data: usize, out: usize): usize {
  const end = out + groups * 16;
  while (out < end) {
    const w: usize = load<u8>(widths++);
    v128.store(out, i8x16.swizzle(v128.load(data), v128.load(tables + SHUFFLES + w * 16)));
    data += load<u8>(tables + LENGTHS + w);
    out += 16;
  }
  return data;
}

export function sumLists(offsets: usize, count: u32, node: u32, targets: usize): u32 {
  let largest: u32 = 0;
  let at = targets;
  for (let i: u32 = 0; i < count; i++) {
    offsets += 4;
    const end = targets + (<usize>load<u32>(offsets) << 2);
    if (at === end) continue;
    const first = load<u32>(at);
    let target = node + i + ((first >> 1) ^ (0 - (first & 1)));
    store<u32>(at, target);
    at += 4;
    while (at < end) {
      target += load<u32>(at) + 1;
      store<u32>(at, target);
      at += 4;
    }
    if (target > largest) largest = target;
  }
  return largest;
}
