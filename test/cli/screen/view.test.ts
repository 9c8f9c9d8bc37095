/** The live view of a crawl: its picture, a function of a snapshot and a size; its terminal. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { showLive } from '../../../src/cli/screen/live.ts';
import { nearestLimit } from '../../../src/cli/screen/nearest-limit.ts';
import {
  plainLine,
  skippedText,
  summaryText,
  waitingText,
} from '../../../src/cli/screen/progress.ts';
import {
  clip,
  lineWidth,
  paint,
  piece,
  wantsColours,
  widthOf,
} from '../../../src/cli/screen/text-line.ts';
import { drawView, type Snapshot } from '../../../src/cli/screen/view.ts';
import { calmTime } from '../../../src/crawl/monitor/calm-time.ts';
import { Counters, type Summary } from '../../../src/crawl/record/counters.ts';
import type { Progress } from '../../../src/crawl/record/progress.ts';
import { type VirtualClock, virtualClock } from '../../fetch/virtual-clock.ts';

const NOW: Progress = {
  ...new Counters(),
  ...{ at: 1e12, startedAt: 1e12 - 5000, elapsed: 5000, agents: 2, checkpoint: 10_000 },
  ...{ maxTime: 10_000, maxPages: Infinity, maxBytes: Infinity },
  ...{ pages: 1234, bytes: 5e6, fetching: 7, queued: 99, backlog: 40, front: 12 },
  ...{ hosts: 3, domains: 2, urlsSeen: 4000, urlsUnique: 1333, disallowed: 1, forgotten: {} },
  statuses: { '200': 1234 },
  refused: { 'too-deep': 5 },
  errors: { reset: 2, 'connect-timeout': 40 },
  before: { ...new Counters() },
  vitals: {
    lastPageAt: 1e12,
    savedAt: 1e12 - 4000,
    saving: 300,
    top: [
      { name: 'one.example', pages: 700, rank: 1, budget: 5000 },
      { name: 'two.example', pages: 30, budget: 10 },
    ],
  },
};

const shot = (more: Partial<Snapshot> = {}, now: Partial<Progress> = {}): Snapshot => ({
  title: 'drumlin ▸ my-crawl',
  now: { ...NOW, ...now },
  rate: { pages: 250, bytes: 1e6 },
  pace: { pages: 250, bytes: 1e6 },
  history: [1, 5, 3, 8],
  trouble: undefined,
  notes: [],
  ended: false,
  ...more,
});

const textOf = (snapshot: Snapshot, columns: number, rows = 40): string =>
  drawView(snapshot, { columns, rows })
    .map((line) => paint(line, false))
    .join('\n');

describe('the picture of a crawl', () => {
  test('shows pages, bytes, front, backlog, failures by kind, the top domains with rank and budget, and the time left', () => {
    for (const columns of [60, 80, 140]) {
      const text = textOf(shot(), columns);
      expect(text).toMatch(/pages +1,234 +250\/s/);
      expect(text).toMatch(/data +5\.0 MB +1\.0 MB\/s/);
      expect(text).toMatch(/front +12 hosts, 7 requests under way/);
      expect(text).toMatch(/queued +99 URLs, 40 on disk/);
      expect(text).toMatch(/failed +42 connect-timeout 40, reset 2/);
      expect(text).toMatch(/skipped +1 URL \(robots\.txt 1\); 5 links \(too/);
      expect(text).toMatch(/one\.example +700 +#1 +5,000/);
      expect(text).toMatch(/two\.example +30 +– +10/);
      expect(text).toMatch(/checkpoint +4 s ago, took 0 s/);
      expect(text).toContain('5 s of 10 s · 5 s left');
    }
  });

  test('shows paused hosts and the cause, while there are any', () => {
    const waiting = { causes: { 'status-5xx': 1 }, until: NOW.at + 24_000, host: 'slow.example' };
    const paused = shot({}, { vitals: { ...NOW.vitals, waiting } });
    for (const columns of [60, 80, 140])
      expect(textOf(paused, columns)).toMatch(/paused +1 {2}slow\.example for 24 s \(status-5xx\)/);
    const several = { ...waiting, causes: { 'status-5xx': 1, reset: 2 } };
    expect(waitingText(several, NOW.at)).toBe(
      '3 hosts, the first for 24 s (reset 2, status-5xx 1)',
    );
    expect(textOf(shot(), 80)).not.toContain('paused');
    expect(plainLine(paused.now, paused.rate)).toContain(
      ', paused slow.example for 24 s (status-5xx)',
    );
  });

  test('of a resumed crawl includes the counts of earlier runs, and marks limits as those of this run', () => {
    const before = {
      ...new Counters(),
      pages: 1000,
      bytes: 1e6,
      urlsSeen: 10,
      disallowed: 4,
      errors: { reset: 1 },
    };
    const text = textOf(shot({}, { before }), 80);
    expect(text).toMatch(/pages +2,234 +250\/s/);
    expect(text).toMatch(/discovered +1,333 URLs in 4,010 links/);
    expect(text).toMatch(/failed +43 connect-timeout 40, reset 3/);
    expect(text).toMatch(/skipped +5 URLs \(robots\.txt 5\); 5 links \(too/);
    expect(text).toContain('5 s left (this run)');
    expect(plainLine({ ...NOW, before }, { pages: 250, bytes: 0 })).toContain(
      '2,234 pages, 1,234 of them in this run (250/s), 6.0 MB',
    );
  });

  test('shows no ranks without budgets, and says that there is no limit', () => {
    const top = [{ name: 'one.example', pages: 700 }];
    const text = textOf(shot({}, { maxTime: Infinity, vitals: { ...NOW.vitals, top } }), 80);
    expect(text).not.toContain('budget');
    expect(text).toMatch(/one\.example +700$/m);
    expect(text).toContain('no limit: runs until');
  });

  test('shows trouble and its remedy only if there is trouble', () => {
    const trouble = {
      code: 'network-gone',
      fact: 'Nobody answers.',
      remedy: 'Check the network.',
    } as const;
    expect(textOf(shot({ trouble }), 80)).toContain('▲ Nobody answers. Check the network.');
    expect(textOf(shot(), 80)).not.toContain('▲');
  });

  test('has no line wider than the terminal and fewer lines than rows, for any snapshot', () => {
    const number = fc.nat({ max: 1e15 });
    const name = fc.string({ unit: 'grapheme', maxLength: 90 });
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 200 }),
        fc.integer({ min: 6, max: 60 }),
        fc.array(fc.record({ name, pages: number, rank: number, budget: number }), {
          maxLength: 16,
        }),
        fc.dictionary(name, number),
        name,
        fc.array(fc.nat(1e6), { maxLength: 60 }),
        number,
        (columns, rows, top, errors, title, history, n) => {
          const now = {
            pages: n,
            bytes: n,
            front: n,
            errors,
            retries: errors,
            vitals: { ...NOW.vitals, top },
          };
          const lines = drawView(shot({ title, history }, now), { columns, rows });
          expect(lines.length).toBeLessThan(rows);
          for (const line of lines) expect(lineWidth(line)).toBeLessThan(Math.max(columns, 11));
          expect(lines.map((line) => paint(line, false)).join('')).not.toMatch(/\p{Cc}/u);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a line', () => {
  test('is shortened to its width in cells, with a mark, and unchanged when it fits', () => {
    expect(paint(clip([piece('abc'), piece('def')], 6), false)).toBe('abcdef');
    expect(paint(clip([piece('abc'), piece('def')], 5), false)).toBe('abcd…');
    expect(widthOf('日本')).toBe(4);
    expect(paint(clip([piece('日本語')], 5), false)).toBe('日本…');
    expect(paint(clip([piece('日本語')], 4), false)).toBe('日…');
  });

  test('cannot move the cursor, whatever is in it', () => {
    expect(piece('a\x1b[2Jb\nc').text).toBe('a\ufffd[2Jb\ufffdc');
  });

  test('has colours only where they are wanted', () => {
    expect(paint([piece('x', 'bad')], true)).toBe('\x1b[1;31mx\x1b[0m');
    expect(paint([piece('x', 'bad')], false)).toBe('x');
    expect(wantsColours({ TERM: 'xterm' })).toBe(true);
    expect(wantsColours({ NO_COLOR: '1' })).toBe(false);
    expect(wantsColours({ NO_COLOR: '' })).toBe(true);
    expect(wantsColours({ TERM: 'dumb' })).toBe(false);
  });
});

describe('the time left', () => {
  test('is that of the nearest limit', () => {
    const asked = {
      elapsed: 10_000,
      maxTime: 60_000,
      pages: 100,
      maxPages: 1000,
      bytes: 10,
      maxBytes: Infinity,
    };
    expect(nearestLimit(asked, { pages: 10, bytes: 1 })).toMatchObject({
      left: 50_000,
      done: '10 s of 1 min 00 s',
    });
    expect(nearestLimit(asked, { pages: 100, bytes: 1 })).toMatchObject({
      left: 9000,
      done: '100 of 1,000 pages',
    });
    expect(nearestLimit({ ...asked, maxTime: Infinity }, { pages: 0, bytes: 0 })).toMatchObject({
      left: undefined,
      share: 0.1,
    });
    expect(
      nearestLimit({ ...asked, maxTime: Infinity, maxPages: Infinity }, { pages: 1, bytes: 1 }),
    ).toBeUndefined();
  });

  test('is printed with a stable number of digits', () => {
    expect([0, 59_400, 60_000, 3_599_000, 3_600_000, 1e9].map(calmTime)).toEqual([
      '0 s',
      '59 s',
      '1 min 00 s',
      '59 min 59 s',
      '1 h 00 min',
      '11 d 13 h',
    ]);
  });
});

/** A terminal with what the view needs: lines, cursor up, erase to the end of line and screen. */
class Terminal {
  isTTY = true;
  columns = 100;
  rows = 30;
  lines: string[] = [''];
  writes = 0;
  cursor = true;
  #at = 0;
  readonly #listeners = new Set<() => void>();

  on(_event: 'resize', listener: () => void): void {
    this.#listeners.add(listener);
  }

  off(_event: 'resize', listener: () => void): void {
    this.#listeners.delete(listener);
  }

  /** Wraps the lines, as terminals do. */
  resize(columns: number): void {
    this.columns = columns;
    const at = this.lines.length - this.#at;
    this.lines = this.lines.flatMap(
      (line) => line.match(new RegExp(`.{1,${columns}}`, 'gu')) ?? [''],
    );
    this.#at = this.lines.length - at;
    for (const listener of this.#listeners) listener();
  }

  write(text: string): void {
    this.writes++;
    for (const [, codes, letter, other] of text.matchAll(/\x1b\[([?0-9;]*)([A-Za-z])|([\s\S])/g)) {
      if (other === '\n') {
        this.#at++;
        if (this.#at === this.lines.length) this.lines.push('');
      } else if (other === '\r') continue;
      else if (other !== undefined) this.lines[this.#at] += other;
      else if (letter === 'A') {
        this.#at -= Number(codes);
        expect(this.#at).toBeGreaterThanOrEqual(0);
        this.#overwrite();
      } else if (letter === 'J') this.lines.splice(this.#at, Infinity, '');
      else if (codes === '?25' || codes === '?25l') this.cursor = letter === 'h';
    }
  }

  /** Clears the lines from the cursor on. */
  #overwrite(): void {
    for (let i = this.#at; i < this.lines.length; i++) this.lines[i] = '';
  }
}

describe('in a terminal', () => {
  const options = (clock: VirtualClock) => ({ title: 'title', clock, colours: false });

  test('each picture replaces the one before, and the last one stays', () => {
    const terminal = new Terminal();
    const clock = virtualClock();
    let pages = 0;
    const view = showLive(() => ({ ...NOW, pages: ++pages }), terminal, options(clock));
    clock.advance(10_000);
    expect(terminal.writes).toBe(21);
    view.note('stopping');
    view.end();
    const { writes } = terminal;
    view.end();
    clock.advance(10_000);
    expect(terminal.writes).toBe(writes);
    terminal.write('and then\n');
    const screen = terminal.lines.join('\n');
    expect(screen.match(/title/g)).toHaveLength(1);
    expect(screen).toMatch(/^title/);
    expect(screen).toMatch(/stopping *\nand then\n$/);
  });

  test('a resize between two pictures leaves no remains', () => {
    for (const columns of [20, 37, 60, 140]) {
      const terminal = new Terminal();
      const clock = virtualClock();
      terminal.write('before\n');
      const view = showLive(() => NOW, terminal, options(clock));
      terminal.resize(columns);
      clock.advance(1000);
      view.end();
      const screen = terminal.lines.join('\n');
      expect(screen.match(/title/g)).toHaveLength(1);
      expect(screen).toMatch(/^before\ntitle/);
    }
  });

  test('the cursor is hidden meanwhile, and shown at the end and when the process exits', () => {
    const terminal = new Terminal();
    const clock = virtualClock();
    const listeners = process.listenerCount('exit');
    const view = showLive(() => NOW, terminal, options(clock));
    expect(terminal.cursor).toBe(false);
    for (const leave of process.listeners('exit').slice(listeners)) leave(0);
    expect(terminal.cursor).toBe(true);
    clock.advance(1000);
    expect(terminal.cursor).toBe(false);
    view.end();
    expect(terminal.cursor).toBe(true);
    expect(process.listenerCount('exit')).toBe(listeners);
    expect(process.listenerCount('SIGTSTP')).toBe(0);
  });

  test('a terminal of unknown width counts as 80 columns', () => {
    const terminal = new Terminal();
    terminal.columns = 0;
    showLive(() => NOW, terminal, options(virtualClock())).end();
    expect(terminal.lines.join('\n')).toMatch(/pages +1,234/);
  });
});

describe('elsewhere', () => {
  test('a plain line is written every five seconds, and trouble below it', () => {
    const written: string[] = [];
    const pipe = { write: (text: string) => void written.push(text) };
    const clock = virtualClock();
    let now = NOW;
    const view = showLive(() => now, pipe, { title: 'title', clock, colours: true });
    clock.advance(5000);
    expect(written).toHaveLength(1);
    expect(written[0]).toMatch(
      /^5\.0 s: 1,234 pages \(.*\), 5\.0 MB, 99 queued of 1,333 URLs discovered, 7 fetching/,
    );
    now = { ...NOW, vitals: { ...NOW.vitals, outage: { of: 'network', since: NOW.at - 60_000 } } };
    clock.advance(5000);
    expect(written[2]).toMatch(/^trouble: No server has answered for 1 min 0 s\. /);
    view.note('stopping');
    view.end();
    clock.advance(60_000);
    expect(written).toHaveLength(4);
    expect(written[3]).toBe('stopping\n');
  });

  test('--quiet writes nothing at all', () => {
    const written: string[] = [];
    const clock = virtualClock();
    const screen = { isTTY: true, write: (text: string) => void written.push(text) };
    const view = showLive(() => NOW, screen, { title: 'title', clock, colours: true, quiet: true });
    clock.advance(60_000);
    view.end();
    expect(written).toEqual([]);
  });
});

describe('the summary', () => {
  const summary: Summary = {
    ...{
      ...new Counters(),
      pages: 60,
      bytes: 1e6,
      disallowed: 1,
      refused: { 'fetch-filter': 30, excluded: 2 },
    },
    ...{ end: 'finished', dir: 'c', agents: 1, seconds: 12, cpuSeconds: 1, pagesPerCpuSecond: 60 },
    ...{ maxRssBytes: 1e8, urlsUnique: 70, urlsQueued: 0, hosts: 1, domains: 1, forgotten: {} },
  };

  test('uses the singular for one host, and names why URLs were skipped', () => {
    expect(summaryText(summary)).toContain('sites      1 host of 1 domain\n');
    expect(summaryText(summary)).toContain('pages      60 in 12.0 s (5/s), 1.0 MB\n');
    expect(skippedText(summary)).toBe(
      'URLs 1 by robots.txt, 30 by the fetch filter; links 2 excluded',
    );
    expect(skippedText(new Counters())).toBe('none');
  });

  test('of a resumed crawl covers all runs, with the pages and time of this run', () => {
    const before = {
      ...new Counters(),
      pages: 10,
      bytes: 1e6,
      disallowed: 2,
      statuses: { 200: 10 },
    };
    const text = summaryText({ ...summary, statuses: { 200: 60 } }, before);
    expect(text).toContain('60 in 12.0 s (5/s), 1.0 MB; with earlier runs 70, 2.0 MB');
    expect(text).toContain('statuses   200: 70');
    expect(text).toContain('3 by robots.txt');
  });
});
