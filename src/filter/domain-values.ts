/** A list of domains with values: `example.org 0.93`, or the output of `drumlin rank`. */
import { DrumlinError } from '../base/errors.ts';
import type { Disk } from '../disk/disk.ts';
import { readLines } from '../disk/lines.ts';
import { ListBuilder, ListTable } from './list-table.ts';

interface DomainValues {
  readonly values: ListTable;
  readonly greatest: number;
}

/** Of the output of `drumlin rank` the value of a domain is its place. */
export async function readDomainValues(disk: Disk, path: string): Promise<DomainValues> {
  const builder = new ListBuilder(true);
  let [number, greatest] = [0, 0];
  for await (const lines of readLines(disk, path)) {
    for (const line of lines) {
      number++;
      if (line.trim() === '' || line.startsWith('#')) continue;
      const ranked = /^(\d+)\t([^\t\s]+)\t\S+$/.exec(line);
      const listed = /^(\S+)\s+(-?[\d.e+-]+)\s*$/i.exec(line);
      const [name, value] = ranked ? [ranked[2], ranked[1]] : (listed?.slice(1) ?? []);
      if (name === undefined || !Number.isFinite(Number(value)))
        throw new DrumlinError(
          'LIST',
          `${path}:${number}: "${line}" is not a domain with a value.`,
          'Write a domain and a number, like example.org 0.93, or give a file of "drumlin rank".',
        );
      builder.add(name.toLowerCase(), Number(value));
      greatest = Math.max(greatest, Number(value));
    }
  }
  return { values: new ListTable(builder.finish()), greatest };
}
