/** The picture of a crawl: a function of what is known and of the terminal's size; and its place in a terminal. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { calmTime } from '../../../src/cli/screen/calm-time.ts';
import { showLive } from '../../../src/cli/screen/live.ts';
import { nearestLimit } from '../../../src/cli/screen/nearest-limit.ts';
import {
  plainLine,
  refusedText,
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
  test('tells pages, bytes, front, backlog, errors by kind, the most fetched domains with rank and budget, and what is left', () => {
    for (const columns of [60, 80, 140]) {
      const text = textOf(shot(), columns);
      expect(text).toMatch(/pages +1,234 +250\/s/);
      expect(text).toMatch(/data +5\.0 MB +1\.0 MB\/s/);
      expect(text).toMatch(/front +12 hosts, 7 of them being asked/);
      expect(text).toMatch(/waiting +99 URLs, 40 of them on disk/);
      expect(text).toMatch(/errors +42 connect-timeout 40, reset 2/);
      expect(text).toMatch(/refused +6 too-deep 5, robots\.txt 1/);
      expect(text).toMatch(/one\.example +700 +#1 +5,000/);
      expect(text).toMatch(/two\.example +30 +– +10/);
      expect(text).toMatch(/saved +4 s ago, in 0 s/);
      expect(text).toContain('5 s of 10 s · 5 s left');
    }
  });

  test('says who waits, and for what, while anybody does', () => {
    const waiting = { causes: { 'status-5xx': 1 }, until: NOW.at + 24_000, host: 'slow.example' };
    const paused = shot({}, { vitals: { ...NOW.vitals, waiting } });
    for (const columns of [60, 80, 140])
      expect(textOf(paused, columns)).toMatch(
        /paused +1 {2}slow\.example waits 24 s \(status-5xx\)/,
      );
    const several = { ...waiting, causes: { 'status-5xx': 1, reset: 2 } };
    expect(waitingText(several, NOW.at)).toBe(
      '3 hosts wait, the first for 24 s (reset 2, status-5xx 1)',
    );
    expect(textOf(shot(), 80)).not.toContain('paused');
    expect(plainLine(paused.now, paused.rate)).toContain(', slow.example waits 24 s (status-5xx)');
  });

  test('of a crawl that goes on counts what was counted before, and says that limits are of this run', () => {
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
    expect(text).toMatch(/known +1,333 URLs of 4,010 links/);
    expect(text).toMatch(/errors +43 connect-timeout 40, reset 3/);
    expect(text).toMatch(/refused +10 robots\.txt 5, too-deep 5/);
    expect(text).toContain('5 s left (this run)');
    expect(plainLine({ ...NOW, before }, { pages: 250, bytes: 0 })).toContain(
      '2,234 pages, 1,234 of them in this run (250/s), 6.0 MB',
    );
  });

  test('shows no ranks where there are no budgets, and says so when there is no limit', () => {
    const top = [{ name: 'one.example', pages: 700 }];
    const text = textOf(shot({}, { maxTime: Infinity, vitals: { ...NOW.vitals, top } }), 80);
    expect(text).not.toContain('budget');
    expect(text).toMatch(/one\.example +700$/m);
    expect(text).toContain('no limit is set');
  });

  test('begins with what is wrong and what to do only when something is', () => {
    const trouble = {
      code: 'network-gone',
      fact: 'Nobody answers.',
      remedy: 'Check the network.',
    } as const;
    expect(textOf(shot({ trouble }), 80)).toContain('▲ Nobody answers. Check the network.');
    expect(textOf(shot(), 80)).not.toContain('▲');
  });

  test('has no line wider than the terminal and no more lines than it has rows, whatever is told', () => {
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
  test('is cut to its width in cells, with a mark, and left alone when it fits', () => {
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

describe('what is left', () => {
  test('is counted to the limit that comes first', () => {
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

  test('is told in times that do not jump', () => {
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

/** A terminal that understands as much as the view needs: lines, up, erase to the end of the line and of the screen. */
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

  /** Wraps what is there, as terminals do. */
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

  /** From here on lines are written anew. */
  #overwrite(): void {
    for (let i = this.#at; i < this.lines.length; i++) this.lines[i] = '';
  }
}

describe('in a terminal', () => {
  const options = (clock: VirtualClock) => ({ title: 'title', clock, colours: false });

  test('every picture is drawn over the last, and the last one stays', () => {
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

  test('also when it becomes narrower or wider in between', () => {
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

  test('the cursor is hidden meanwhile, and there again at the end and when the process exits', () => {
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

  test('one that does not know its width is taken for 80 columns', () => {
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
      /^5\.0 s: 1,234 pages \(.*\), 5\.0 MB, 99 waiting of 1,333 URLs known, 7 fetching/,
    );
    now = { ...NOW, vitals: { ...NOW.vitals, outage: { of: 'network', since: NOW.at - 60_000 } } };
    clock.advance(5000);
    expect(written[2]).toMatch(/^trouble: Nobody has answered for 1 min 0 s\. /);
    view.note('stopping');
    view.end();
    clock.advance(60_000);
    expect(written).toHaveLength(4);
    expect(written[3]).toBe('stopping\n');
  });

  test('nothing at all with --quiet', () => {
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

  test('tells of one host in the singular, and what kept URLs out in words', () => {
    expect(summaryText(summary)).toContain('sites     1 host of 1 domain\n');
    expect(summaryText(summary)).toContain('pages     60 in 12.0 s (5/s), 1.0 MB\n');
    expect(refusedText(summary)).toBe('1 by robots.txt, 30 by the fetch filter, 2 excluded');
    expect(refusedText(new Counters())).toBe('none');
  });

  test('of a crawl that went on tells of all of it, and of this run what is its own', () => {
    const before = {
      ...new Counters(),
      pages: 10,
      bytes: 1e6,
      disallowed: 2,
      statuses: { 200: 10 },
    };
    const text = summaryText({ ...summary, statuses: { 200: 60 } }, before);
    expect(text).toContain('60 in 12.0 s (5/s), 1.0 MB; with earlier runs 70, 2.0 MB');
    expect(text).toContain('statuses  200: 70');
    expect(text).toContain('3 by robots.txt');
  });
});
