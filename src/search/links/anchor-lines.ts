/**
 * Anchor texts as lines, so that they can be sorted by the page that the links lead to.
 *
 *   KEY HASH TIME LANGUAGE TEXT
 *
 * Idea      The same text from one site to one page counts once, however many pages of the site have
 *           the link: so a menu counts like one link, and a run holds each such *anchor* once, with
 *           the time of its first sighting.
 * Format    KEY (of the target) and HASH (of site, language and text) are 16 hexadecimal digits,
 *           TIME is 12. LANGUAGE is that of the page with the link, or `-`. The text is in UTF-8.
 */
import type { Bytes, Millis } from '../../base/units.ts';
import { xxh64 } from '../../base/xxh64.ts';
import type { Disk } from '../../disk/disk.ts';
import { writeText } from '../../disk/text-file.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
import { hex } from './link-lines.ts';

export interface PageLink {
  /** In canonical form. */
  readonly url: string;
  /** What the link shows, with white space collapsed. */
  readonly text?: string | undefined;
}

/** Memory of an anchor besides its characters. */
const PER_ANCHOR: Bytes = 120;
/** Sites of hosts that are kept. */
const KEPT = 10_000;
const SLICE = 10_000;

/** The anchors of the captures of a run. */
export class AnchorLines {
  /** The first sighting by target, site, language and text. */
  readonly #times = new Map<string, Millis>();
  readonly #sites = new Map<string, string>();
  /** Memory that they take. */
  bytes: Bytes = 0;

  /** The links of a page; those to itself do not count. */
  add(page: string, time: Millis, language: string, links: readonly PageLink[]): void {
    const site = this.#siteOf(page);
    for (const { url, text = '' } of links) {
      if (text === '' || url === page) continue;
      const name = `${url} ${site} ${language || '-'} ${text}`;
      const known = this.#times.get(name);
      if (known === undefined) this.bytes += 2 * name.length + PER_ANCHOR;
      if (known === undefined || time < known) this.#times.set(name, time);
    }
  }

  /** Writes the lines to a file, and forgets them. */
  async write(disk: Disk, path: string): Promise<void> {
    await writeText(disk, path, async (file) => {
      let lines: string[] = [];
      for (const [name, time] of this.#times) {
        lines.push(lineOf(name, time));
        if (lines.length < SLICE) continue;
        await file.write(Buffer.from(`${lines.join('\n')}\n`));
        lines = [];
      }
      if (lines.length > 0) await file.write(Buffer.from(`${lines.join('\n')}\n`));
    });
    this.#times.clear();
    this.bytes = 0;
  }

  #siteOf(page: string): string {
    const host = hostOf(page);
    let site = this.#sites.get(host);
    if (site === undefined) {
      if (this.#sites.size >= KEPT) this.#sites.clear();
      site = payLevelDomain(host);
      this.#sites.set(host, site);
    }
    return site;
  }
}

/** A URL, a site and a language have no spaces. */
function lineOf(name: string, time: Millis): string {
  const end = name.indexOf(' ');
  const rest = name.slice(end + 1);
  const shown = rest.slice(rest.indexOf(' ') + 1);
  return `${hex(xxh64(name.slice(0, end)), 16)} ${hex(xxh64(rest), 16)} ${hex(time, 12)} ${shown}`;
}

export interface AnchorLine {
  readonly key: bigint;
  readonly hash: bigint;
  readonly time: Millis;
  readonly language: string;
  readonly text: string;
}

/** A line, as it was read: a byte is a character. */
export function anchorOf(line: string): AnchorLine {
  const end = line.indexOf(' ', 47);
  const language = line.slice(47, end);
  return {
    key: BigInt(`0x${line.slice(0, 16)}`),
    hash: BigInt(`0x${line.slice(17, 33)}`),
    time: Number.parseInt(line.slice(34, 46), 16),
    language: language === '-' ? '' : language,
    text: Buffer.from(line.slice(end + 1), 'latin1').toString(),
  };
}
