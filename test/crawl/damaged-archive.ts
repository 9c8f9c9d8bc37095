/**
 * The records of an archive that may be damaged, read by other means than the product's: every
 * gzip member that decompresses, wherever it begins.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';

export interface FoundRecord {
  /** Below `archive/`. */
  readonly file: string;
  readonly offset: number;
  readonly length: number;
  readonly url: string;
  /** The identifier of the record: no two have the same. */
  readonly id: string;
}

const MAGIC = Buffer.from([0x1f, 0x8b, 8]);

/** Responses and revisits of pages in the archive of a crawl, orphans included. */
export function recordsIn(dir: string): FoundRecord[] {
  const archive = join(dir, 'archive');
  if (!existsSync(archive)) return [];
  return (readdirSync(archive, { recursive: true }) as string[])
    .filter((file) => file.includes('.warc.gz'))
    .flatMap((file) => recordsOf(file, readFileSync(join(archive, file))));
}

export const isOrphan = ({ file }: FoundRecord): boolean => file.startsWith('orphans');

function recordsOf(file: string, bytes: Buffer): FoundRecord[] {
  const found: FoundRecord[] = [];
  let offset = bytes.indexOf(MAGIC);
  while (offset >= 0) {
    const member = memberAt(bytes, offset);
    if (member) {
      const field = (name: string) => new RegExp(`^${name}: (.*)\r$`, 'm').exec(member.text)?.[1];
      const url = field('WARC-Target-URI') ?? '';
      const isPage = /^(?:response|revisit)$/.test(field('WARC-Type') ?? '');
      if (isPage && !url.endsWith('/robots.txt'))
        found.push({
          ...{ file, offset, length: member.length, url },
          id: field('WARC-Record-ID') ?? '',
        });
    }
    offset = bytes.indexOf(MAGIC, offset + (member?.length ?? 1));
  }
  return found;
}

/** The head of a record's member; undefined if there is none at this offset. */
function memberAt(bytes: Buffer, offset: number): { text: string; length: number } | undefined {
  for (let end = offset; end < bytes.length; ) {
    const next = bytes.indexOf(MAGIC, end + 1);
    end = next < 0 ? bytes.length : next;
    try {
      const text = gunzipSync(bytes.subarray(offset, end)).toString('latin1');
      return { text: text.slice(0, text.indexOf('\r\n\r\n') + 2), length: end - offset };
    } catch {}
  }
  return undefined;
}
