import { expect, test } from 'vitest';
import { showProgress } from '../../src/cli/progress.ts';
import type { Progress } from '../../src/crawl/crawl.ts';

const NOW: Progress = {
  ...{ elapsed: 5000, maxTime: 10_000, pages: 1234, maxPages: Infinity, bytes: 5e6, fetching: 7, queued: 99 },
  ...{ hosts: 3, domains: 2, urlsSeen: 4000, urlsUnique: 1333, disallowed: 1, duplicates: 0, front: 2 },
  statuses: { '200': 1234 },
  refused: { 'too-deep': 5 },
  retries: {},
  errors: { reset: 2 },
};

function screen(isTTY: boolean, columns?: number) {
  const written: string[] = [];
  return {
    written,
    isTTY,
    ...(columns !== undefined && { columns }),
    write: (text: string) => void written.push(text),
  };
}

test('in a terminal the last picture stays, and what is printed after it is not drawn over', () => {
  const terminal = screen(true, 100);
  const view = showProgress(() => NOW, 'title', terminal);
  view.note('stopping');
  view.end();
  const before = terminal.written.length;
  view.end();
  expect(terminal.written.length).toBe(before);
  const last = terminal.written.at(-1) ?? '';
  expect(last).toContain('1,234');
  expect(last).toContain('reset 2');
  expect(last).toContain('stopping');
});

test('no line is wider than the terminal, since a wrapped line cannot be drawn over', () => {
  for (const columns of [20, 40, 80]) {
    const terminal = screen(true, columns);
    showProgress(() => NOW, 'a title that is quite long for a narrow terminal', terminal).end();
    const lines = terminal.written
      .join('')
      .replace(/\x1b\[[0-9;]*[A-Za-z]/g, '')
      .split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(columns);
  }
});

test('a terminal that does not know its width is taken for 80 columns', () => {
  const terminal = screen(true, 0);
  showProgress(() => NOW, 'title', terminal).end();
  expect(terminal.written.join('')).toContain('1,234 at');
});

test('elsewhere nothing is drawn, and notes are plain lines', () => {
  const pipe = screen(false);
  const view = showProgress(() => NOW, 'title', pipe);
  view.note('stopping');
  view.end();
  expect(pipe.written).toEqual(['stopping\n']);
});
