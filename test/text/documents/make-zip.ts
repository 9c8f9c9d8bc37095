/** Zip files for tests: deflated, with a list of files. */
import { crc32, deflateRawSync } from 'node:zlib';

export function zipOf(files: Readonly<Record<string, Uint8Array>>): Uint8Array {
  const bodies: Buffer[] = [];
  const list: Buffer[] = [];
  let at = 0;
  for (const [name, content] of Object.entries(files)) {
    const packed = deflateRawSync(content);
    const sizes = Buffer.alloc(12);
    sizes.writeUInt32LE(crc32?.(content) ?? 0, 0);
    sizes.writeUInt32LE(packed.length, 4);
    sizes.writeUInt32LE(content.length, 8);
    const facts = Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 0, 0]);
    const lengths = Buffer.from([name.length, 0, 0, 0]);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), facts, sizes, lengths]);
    const where = Buffer.alloc(14);
    where.writeUInt32LE(at, 10);
    bodies.push(local, Buffer.from(name), packed);
    list.push(Buffer.from('PK\x01\x02\x14\x00'), facts, sizes, lengths, where, Buffer.from(name));
    at += local.length + name.length + packed.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(Object.keys(files).length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...bodies, directory, end]));
}
