/**
 * Removes repeated lines from a stream, and counts words, in 2 MiB of memory each.
 *
 *   npx tsx examples/drum.ts
 *
 * Both keep their data in a folder: the next run could continue with it.
 */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { add64, DrumMap, from64, to64, UniqueKeys } from 'drumlin/drum';

const folder = await mkdtemp(join(tmpdir(), 'example-'));
const lines = Array.from({ length: 10_000 }, (_, i) => `https://example.org/${(i * i) % 1000}`);

const seen = await UniqueKeys.open(join(folder, 'seen'), { memory: 2 ** 21, order: 'arrival' });
for (const line of lines) await seen.add(line);
let novel = 0;
for await (const line of seen.novel()) if (novel++ < 3) console.log(line);
console.log(`${novel} of ${lines.length} lines are distinct`);
await seen.close();

const counts = await DrumMap.open(join(folder, 'counts'), {
  memory: 2 ** 21,
  valueBytes: 8,
  combine: add64,
});
for (const line of lines) await counts.update(line, from64(1));
await counts.check('https://example.org/0', 'the first page');
for await (const { value, note } of counts.answers()) {
  console.log(`${Buffer.from(note)}: ${value && to64(value)} times`);
}
await counts.close();
