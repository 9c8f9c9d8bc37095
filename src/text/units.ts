/**
 * The UTF-16 units of a text as an array: a loop over it is three times as fast as one over the
 * string.
 *
 * Requires  one text at a time: the array is valid until the next call.
 * Cost      one copy, about 0.3 ns a unit.
 */
let room = Buffer.alloc(1 << 16);
let view = new Uint16Array(room.buffer, room.byteOffset, room.length >> 1);

export function unitsOf(text: string): Uint16Array {
  if (view.length < text.length) {
    const units = new Uint16Array(2 ** Math.ceil(Math.log2(text.length)));
    room = Buffer.from(units.buffer);
    view = units;
  }
  room.write(text, 'utf16le');
  return view.subarray(0, text.length);
}

/** Whether a pair of surrogates stands at a place. */
export function isPairAt(units: Uint16Array, at: number): boolean {
  const unit = units[at];
  if (unit < 0xd800 || unit >= 0xdc00) return false;
  const next = units[at + 1];
  return next >= 0xdc00 && next < 0xe000;
}
