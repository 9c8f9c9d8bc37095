/** A crawl of the table: its sites, its flags, and what shows that each flag has an effect. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { Asked, Ended, Stage } from '../stage.ts';

export interface CrawlRow {
  readonly name: string;
  /** Puts the sites on the web and the files into the folder; returns what to type. */
  readonly prepare: (stage: Stage) => readonly string[] | Promise<readonly string[]>;
  /** By flag: throws if it has no effect. */
  readonly shows: Readonly<Record<string, (crawled: Crawled) => void>>;
  /** What happens between the preparation and the row, such as an earlier crawl. */
  readonly before?: (stage: Stage) => Promise<void>;
  /** What another command prints about the crawl: `extra` of what is checked. */
  readonly after?: (stage: Stage) => Promise<string>;
  readonly code?: number;
}

/** What the tables use of the summary. */
interface Summed {
  readonly end: string;
  readonly pages: number;
  readonly forgotten: Readonly<Record<string, number>>;
  readonly render?: Readonly<Record<string, number>>;
}

/** What a crawl printed, asked for and left. */
export class Crawled {
  readonly ended: Ended;
  readonly dir: string;
  readonly extra: string;
  readonly #asked: readonly Asked[];

  constructor(ended: Ended, dir: string, asked: readonly Asked[], extra: string) {
    this.ended = ended;
    this.extra = extra;
    this.dir = dir;
    this.#asked = asked;
  }

  /** The requests for a path, of all hosts or of one. */
  requests(path: string, host?: string): Asked[] {
    return this.#asked.filter((one) => one.path === path && (host ?? one.host) === one.host);
  }

  asked(path: string, host?: string): boolean {
    return this.requests(path, host).length > 0;
  }

  /** All requests but those for robots.txt. */
  get pages(): readonly Asked[] {
    return this.#asked.filter(({ path }) => path !== '/robots.txt');
  }

  get summary(): Summed {
    return JSON.parse(this.ended.out);
  }

  file(...names: string[]): string {
    return readFileSync(join(this.dir, ...names), 'utf8');
  }

  has(...names: string[]): boolean {
    return existsSync(join(this.dir, ...names));
  }

  files(...names: string[]): string[] {
    if (!this.has(...names)) return [];
    return readdirSync(join(this.dir, ...names), { recursive: true, encoding: 'utf8' }).sort();
  }

  /** The events of its log with a name. */
  events(name: string): Record<string, unknown>[] {
    const lines = this.file('log.jsonl').trim().split('\n');
    return lines.map((line) => JSON.parse(line)).filter(({ event }) => event === name);
  }

  /** All files of a folder as text, decompressed. */
  text(folder: string): string {
    return this.files(folder)
      .map((name) => {
        const bytes = readFileSync(join(this.dir, folder, name));
        return (name.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('latin1');
      })
      .join('\n');
  }

  /** The text of the files of a folder whose names match. */
  textOf(folder: string, names: RegExp): string {
    return this.files(folder)
      .filter((name) => names.test(name))
      .map((name) => this.file(folder, name))
      .join('\n');
  }

  /** The bytes of the first file of a folder. */
  bytes(folder: string): Buffer {
    return readFileSync(join(this.dir, folder, this.files(folder)[0]));
  }

  get archive(): string {
    return this.text('archive');
  }

  get skipped(): string {
    return this.text('skipped');
  }

  /** Whether the archive has a record of this kind for a path. */
  stored(path: string, type = 'response'): boolean {
    return this.#records(type).some((record) => record.path === path);
  }

  /** When the requests for pages began, by the program's own clock: the archive has them. */
  began(host?: string): { readonly path: string; readonly time: number }[] {
    return this.#records('response')
      .filter((one) => one.path !== '/robots.txt' && (host ?? one.host) === one.host)
      .sort((a, b) => a.time - b.time);
  }

  #records(type: string): { host: string; path: string; time: number }[] {
    return this.archive.split('WARC/1.1\r\n').flatMap((record) => {
      if (!record.startsWith(`WARC-Type: ${type}\r\n`)) return [];
      const [, host, path] = /^WARC-Target-URI: \w+:\/\/([^/:]*)[^/]*(.*)\r$/m.exec(record) ?? [];
      const time = Date.parse(/^WARC-Date: (.*)\r$/m.exec(record)?.[1] ?? '');
      return [{ host: host ?? '', path: path ?? '', time }];
    });
  }
}

/** Runs one crawl. The names of its hosts have the name of the row in them. */
export async function runCrawl(stage: Stage, row: CrawlRow): Promise<Crawled> {
  await row.before?.(stage);
  const first = stage.asked.length;
  const words = await row.prepare(stage);
  // What every crawl of the table has, unless the row says otherwise.
  const base = [
    ['--private-delay', '0'],
    ['--address-delay', '0'],
    ['--agents', '1'],
    ['--dns', stage.dns],
    ['--allow-private'],
    ['--dir', row.name],
    ['--json'],
  ].filter(([flag]) => !words.includes(flag));
  const ended = await stage.run(['crawl', ...words, ...base.flat()]);
  if (ended.code !== (row.code ?? 0))
    throw new Error(`exit code ${ended.code} instead of ${row.code ?? 0}: ${ended.err}`);
  const asked = stage.asked.slice(first).filter(({ host }) => host.includes(row.name));
  const extra = (await row.after?.(stage)) ?? '';
  return new Crawled(ended, stage.path(row.name), asked, extra);
}
