/**
 * The numbers of words: the same word has the same number.
 *
 * Idea      Most words of most texts are ASCII. They are looked up by their bytes in a table of our
 *           own, so a known word makes no string; other words are in a `Map`.
 * Ensures   `read` numbers the words that `wordsIn` finds, in their order.
 * Cost      One look-up a word; a known ASCII word allocates nothing.
 */
import { LONGEST_WORD, wordsIn } from '../store/words.ts';

/** For each byte of ASCII: itself in lower case if it belongs to a word, otherwise 0. */
const LOWER = Uint8Array.from({ length: 128 }, (_, byte) => {
  const character = String.fromCharCode(byte).toLowerCase();
  return /[a-z0-9]/.test(character) ? character.charCodeAt(0) : 0;
});

/** The text being read, one at a time. */
let source = Buffer.alloc(1 << 16);

export class WordIds {
  readonly #isNew: (word: string) => number;
  readonly #others = new Map<string, number>();
  /** Open addressing: the number of an entry plus 1, or 0. */
  #table = new Int32Array(1 << 12);
  #entries = 0;
  /** Of each entry: its hash, where its bytes begin, its number. */
  #hashes = new Int32Array(1 << 10);
  #starts = new Int32Array((1 << 10) + 1);
  #ids = new Int32Array(1 << 10);
  #bytes = new Uint8Array(1 << 14);

  /** `isNew` numbers a word when it is first seen. */
  constructor(isNew: (word: string) => number) {
    this.#isNew = isNew;
  }

  /** Calls `take` with the number of each word of a text; returns how many there are. */
  read(text: string, take: (id: number) => void): number {
    if (Buffer.byteLength(text) === text.length) return this.#readAscii(text, take);
    const words = wordsIn(text);
    for (const word of words) take(this.of(word));
    return words.length;
  }

  of(word: string): number {
    if (/^[a-z0-9]+$/.test(word)) {
      let id = 0;
      this.#readAscii(word, (found) => {
        id = found;
      });
      return id;
    }
    const known = this.#others.get(word);
    if (known !== undefined) return known;
    const id = this.#isNew(word);
    this.#others.set(word, id);
    return id;
  }

  #readAscii(text: string, take: (id: number) => void): number {
    if (source.length < text.length + 1) source = Buffer.alloc(2 * text.length + 1);
    const bytes = source;
    const length = bytes.write(text, 0, 'latin1');
    bytes[length] = 0;
    let count = 0;
    for (let at = 0; at < length; at++) {
      let byte = LOWER[bytes[at]];
      if (byte === 0) continue;
      const start = at;
      let hash = 0;
      do {
        bytes[at] = byte;
        hash = Math.imul(hash ^ byte, 0x01000193) + 0x9e37;
        byte = LOWER[bytes[++at]];
      } while (byte !== 0);
      const end = Math.min(at, start + LONGEST_WORD);
      if (at - start >= LONGEST_WORD) hash = LONGEST_WORD; // one slot for long words: they are rare
      take(this.#find(bytes, start, end, hash ^ (hash >>> 15)));
      count++;
    }
    return count;
  }

  #find(bytes: Uint8Array, start: number, end: number, hash: number): number {
    const mask = this.#table.length - 1;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const entry = this.#table[slot] - 1;
      if (entry < 0) return this.#add(bytes, start, end, hash, slot);
      if (this.#hashes[entry] === hash && this.#equals(entry, bytes, start, end))
        return this.#ids[entry];
    }
  }

  #equals(entry: number, bytes: Uint8Array, start: number, end: number): boolean {
    let at = this.#starts[entry];
    if (this.#starts[entry + 1] - at !== end - start) return false;
    for (let i = start; i < end; i++) if (this.#bytes[at++] !== bytes[i]) return false;
    return true;
  }

  #add(bytes: Uint8Array, start: number, end: number, hash: number, slot: number): number {
    const entry = this.#entries++;
    const id = this.#isNew(
      Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('latin1'),
    );
    const from = this.#starts[entry];
    if (from + end - start > this.#bytes.length) {
      const larger = new Uint8Array(2 * this.#bytes.length);
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes.subarray(start, end), from);
    if (entry + 2 > this.#ids.length) this.#grow();
    this.#hashes[entry] = hash;
    this.#starts[entry + 1] = from + end - start;
    this.#ids[entry] = id;
    this.#table[slot] = entry + 1;
    if (2 * this.#entries > this.#table.length) this.#rehash();
    return id;
  }

  #grow(): void {
    const size = 2 * this.#ids.length;
    const grown = (numbers: Int32Array, room: number) => {
      const larger = new Int32Array(room);
      larger.set(numbers);
      return larger;
    };
    this.#hashes = grown(this.#hashes, size);
    this.#starts = grown(this.#starts, size + 1);
    this.#ids = grown(this.#ids, size);
  }

  #rehash(): void {
    const table = new Int32Array(2 * this.#table.length);
    const mask = table.length - 1;
    for (let entry = 0; entry < this.#entries; entry++) {
      let slot = this.#hashes[entry] & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = entry + 1;
    }
    this.#table = table;
  }
}
