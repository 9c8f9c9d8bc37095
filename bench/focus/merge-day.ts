/** Merges a day into a large book; run by bench/focus.ts in a process of its own. */
import { Disk } from '../../src/disk/disk.ts';
import { BookFolder } from '../../src/focus/book/book.ts';
import { learn } from '../../src/focus/learn/learn.ts';
import { dayOf } from './large-book.ts';

const [folder, sizes, documents, pages] = process.argv.slice(2);
const disk = new Disk();
const book = await BookFolder.open(disk, folder);
const harvest = dayOf(JSON.parse(sizes), Number(documents), Number(pages));
const day = await learn(disk, book, harvest, { rules: { wanted: 'true', useful: 'true' } });
book.close();
process.stdout.write(`${JSON.stringify(day)}\n`);
