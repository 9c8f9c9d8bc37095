/**
 * The lines that an agent writes beside the archive: what each page, failure and exclusion adds to
 * them.
 *
 * Requires  `committed` in the step in which a page is committed, `ended` in the step in which a
 *           URL is counted: a checkpoint then has both or neither.
 */
import type { Clock } from '../../base/clock.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import { crawlLogLine, faultNumber } from '../record/crawl-log.ts';
import type { LineFiles } from '../record/line-files.ts';
import type { Fetched, Reading } from './commit.ts';

interface PageLinesParts {
  readonly files: LineFiles;
  readonly agent: number;
  readonly clock: Clock;
  /** Whether there is a crawl log. */
  readonly logs: boolean;
}

export class PageLines {
  readonly #parts: PageLinesParts;

  constructor(parts: PageLinesParts) {
    this.#parts = parts;
  }

  committed({ exchange, discovery }: Fetched, reading: Reading | undefined): void {
    const { files } = this.#parts;
    if (reading?.row !== undefined) files.add('extracted', reading.row);
    if (!this.logs) return;
    const { url, status, payload, headers, startedAt, elapsed, truncated } = exchange;
    const remarks = [
      ...(truncated ? [`trunc:${truncated}`] : []),
      ...(reading && reading.notKept === undefined ? [] : ['not-stored']),
    ];
    this.#log({
      ...{ url, trail: discovery.trail, status, bytes: payload.length, remarks },
      ...{ type: headers.get('content-type'), begun: startedAt, duration: elapsed },
      digest: reading?.sha1(),
    });
  }

  /** Whether there is a crawl log. */
  get logs(): boolean {
    return this.#parts.logs;
  }

  /** A URL has failed, or is excluded. */
  ended({ url, trail }: Discovery, fault: string): void {
    if (!this.logs) return;
    this.#log({ url, trail, status: faultNumber(fault), remarks: [fault] });
  }

  #log(logged: Parameters<typeof crawlLogLine>[0]): void {
    const { files, agent, clock } = this.#parts;
    files.add('crawl-log', crawlLogLine(logged, agent, clock.now()));
  }
}
