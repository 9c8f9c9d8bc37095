/** Checks the index of a crawl with an independent reader of its archive. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isWarcName } from '../../../src/archive/warc/warc-names.ts';
import { readWithWarcio, type SecondOpinion } from './fixtures.ts';

/**
 * What is wrong with the index: lines out of order, missing captures, and captures that do not
 * exist.
 */
export async function indexFaults(dir: string): Promise<string[]> {
  const archive = join(dir, 'archive');
  const truth = new Set<string>();
  for (const file of readdirSync(archive).filter(isWarcName)) {
    for (const record of await readWithWarcio(join(archive, file))) {
      if (record.type === 'response' || record.type === 'revisit') truth.add(entry(file, record));
    }
  }
  const lines = readFileSync(join(dir, 'indexes/index.cdxj'), 'latin1').split('\n').slice(0, -1);
  const faults = lines.flatMap((line, i) =>
    i > 0 && line < lines[i - 1] ? [`out of order: ${line}`] : [],
  );
  for (const line of lines) {
    const { filename, offset, length, url, mime } = JSON.parse(line.slice(line.indexOf('{')));
    const said = `${filename} ${offset} ${length} ${mime === 'warc/revisit' ? 'revisit' : 'response'} ${url}`;
    if (!truth.delete(said)) faults.push(`not there: ${said}`);
  }
  return [...faults, ...[...truth].map((missing) => `lacks: ${missing}`)];
}

function entry(file: string, { offset, length, type, url }: SecondOpinion): string {
  return `${file} ${offset} ${length} ${type} ${url}`;
}
