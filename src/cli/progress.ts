/**
 * The crawl as a person sees it: a few lines drawn over in a terminal, one plain line every few seconds elsewhere.
 * Drawing only; what is drawn comes from `CrawlRun.progress()`.
 */
import type { Progress, Summary } from '../crawl/crawl.ts';
import { formatBytes, formatCount, formatDuration, type Millis } from '../units.ts';

const REDRAW: Millis = 250;
const PLAIN_LINE: Millis = 5000;
const RATE_WINDOW: Millis = 3000;

export interface View {
  /** Adds a line that stays. */
  note(text: string): void;
  /** Stops drawing; in a terminal the last picture stays. Calling it again does nothing. */
  end(): void;
}

interface Screen {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export function showProgress(progress: () => Progress, title: string, screen: Screen): View {
  const rates = new Rates();
  if (!screen.isTTY) {
    const timer = setInterval(() => screen.write(`${plainLine(progress(), rates)}\n`), PLAIN_LINE);
    return { note: (text) => void screen.write(`${text}\n`), end: () => clearInterval(timer) };
  }
  const notes: string[] = [];
  let drawn = 0;
  let ended = false;
  const draw = () => {
    // A terminal that does not know its size says 0.
    const columns = screen.columns || 80;
    const lines = [...picture(progress(), title, rates), ...notes].map((line) => clip(line, columns));
    screen.write(`${drawn > 0 ? `\x1b[${drawn}A` : ''}${lines.map((line) => `\x1b[2K${line}\n`).join('')}`);
    drawn = lines.length;
  };
  draw();
  const timer = setInterval(draw, REDRAW);
  return {
    note(text) {
      notes.push(`  ${text}`);
      draw();
    },
    end() {
      if (ended) return;
      ended = true;
      clearInterval(timer);
      draw();
    },
  };
}

/** Pages and bytes per second over the last moments, which is what the eye wants, not since the start. */
class Rates {
  #samples: { at: Millis; pages: number; bytes: number }[] = [];

  update({ elapsed, pages, bytes }: Progress): { pages: number; bytes: number } {
    this.#samples.push({ at: elapsed, pages, bytes });
    while (this.#samples.length > 2 && this.#samples[1].at <= elapsed - RATE_WINDOW) this.#samples.shift();
    const oldest = this.#samples[0];
    const seconds = Math.max(elapsed - oldest.at, 1) / 1000;
    return { pages: (pages - oldest.pages) / seconds, bytes: (bytes - oldest.bytes) / seconds };
  }
}

function picture(now: Progress, title: string, rates: Rates): string[] {
  const rate = rates.update(now);
  return [
    `\x1b[1m${title}\x1b[0m`,
    `  ${bar(now)}`,
    `  pages   ${formatCount(now.pages)} at ${formatCount(rate.pages)}/s · ${formatBytes(now.bytes)} at ${formatBytes(rate.bytes)}/s`,
    `  front   ${formatCount(now.front)} hosts, ${formatCount(now.fetching)} of them being asked · ${formatCount(now.hosts)} hosts of ${formatCount(now.domains)} domains met`,
    `  queue   ${formatCount(now.queued)} waiting · ${formatCount(now.urlsUnique)} URLs known of ${formatCount(now.urlsSeen)} links`,
    `  refused ${formatCount(now.disallowed)} by robots.txt, ${formatCount(total(now.refused))} by limits · errors ${errorList(now.errors)} · tried again ${errorList(now.retries)}`,
  ];
}

function plainLine(now: Progress, rates: Rates): string {
  const rate = rates.update(now);
  return (
    `${formatDuration(now.elapsed)}: ${formatCount(now.pages)} pages (${formatCount(rate.pages)}/s), ` +
    `${formatBytes(now.bytes)}, ${formatCount(now.queued)} waiting of ${formatCount(now.urlsUnique)} URLs known, ` +
    `${formatCount(now.fetching)} fetching, front ${formatCount(now.front)} of ${formatCount(now.hosts)} hosts, errors ${errorList(now.errors)}, tried again ${errorList(now.retries)}`
  );
}

/** How far along the nearest limit the crawl is; without limits, only the time. */
function bar(now: Progress): string {
  const shares = [
    {
      share: now.elapsed / now.maxTime,
      text: `${formatDuration(now.elapsed)} of ${formatDuration(now.maxTime)}`,
    },
    {
      share: now.pages / now.maxPages,
      text: `${formatCount(now.pages)} of ${formatCount(now.maxPages)} pages`,
    },
  ];
  const nearest = shares[0].share >= shares[1].share ? shares[0] : shares[1];
  if (nearest.share === 0) return `${formatDuration(now.elapsed)}`;
  const full = Math.round(Math.min(nearest.share, 1) * 30);
  return `${'█'.repeat(full)}${'░'.repeat(30 - full)} ${nearest.text}`;
}

export function errorList(errors: Readonly<Record<string, number>>): string {
  const kinds = Object.entries(errors).sort((a, b) => b[1] - a[1]);
  if (kinds.length === 0) return '0';
  const shown = kinds.slice(0, 4).map(([fault, n]) => `${fault} ${formatCount(n)}`);
  return shown.join(', ') + (kinds.length > 4 ? ', …' : '');
}

const total = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((sum, n) => sum + n, 0);

/** Cuts a line to the width of the terminal; a line that wrapped could not be drawn over. */
function clip(line: string, columns: number): string {
  const plain = line.replace(/\x1b\[[0-9;]*m/g, '');
  return plain.length < columns ? line : `${plain.slice(0, columns - 2)}…`;
}

/** Links that a limit or a pattern kept out, by which. */
const refusals = (refused: Summary['refused']): string[] =>
  Object.entries(refused).map(([reason, n]) => `${formatCount(n)} ${reason}`);

const ENDINGS: Record<Summary['end'], string> = {
  finished: 'finished: nothing is left to fetch',
  'max-pages': 'the limit of pages is reached',
  'max-bytes': 'the limit of bytes is reached',
  'max-time': 'the limit of time is reached',
  interrupted: 'stopped on request',
};

export function summaryText(summary: Summary): string {
  const { pages, bytes, seconds, cpuSeconds, statuses } = summary;
  const rows: [string, string][] = [
    ['ended', ENDINGS[summary.end]],
    [
      'pages',
      `${formatCount(pages)} in ${formatDuration(seconds * 1000)} (${formatCount(pages / seconds)}/s), ${formatBytes(bytes)}`,
    ],
    [
      'statuses',
      Object.entries(statuses)
        .map(([status, n]) => `${status}: ${formatCount(n)}`)
        .join(', ') || 'none',
    ],
    [
      'links',
      `${formatCount(summary.urlsSeen)} met in this run; ${formatCount(summary.urlsUnique)} URLs known, ${formatCount(summary.urlsQueued)} of them still waiting`,
    ],
    ['sites', `${formatCount(summary.hosts)} hosts of ${formatCount(summary.domains)} domains`],
    [
      'refused',
      [`${formatCount(summary.disallowed)} URLs by robots.txt`, ...refusals(summary.refused)].join(', '),
    ],
    ['errors', errorList(summary.errors)],
    ['retries', errorList(summary.retries)],
    ['repeats', `${formatCount(summary.duplicates)} pages with a body seen before`],
    [
      'cost',
      `${cpuSeconds.toFixed(1)} s of processor, ${formatCount(summary.pagesPerCpuSecond)} pages a second of it; ${formatBytes(summary.maxRssBytes)} of memory at most`,
    ],
  ];
  return rows.map(([name, value]) => `  ${name.padEnd(9)} ${value}`).join('\n');
}
