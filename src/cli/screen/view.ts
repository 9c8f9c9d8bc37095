/**
 * The picture of a running crawl: lines for a terminal of a given size, from one snapshot. A pure
 * function: it reads no clock and writes nothing.
 *
 * Ensures   No line is wider than the terminal, and there are fewer lines than rows. Numbers keep
 *           their places from one picture to the next.
 */

import { counted, formatBytes, formatCount } from '../../base/units.ts';
import { calmTime } from '../../crawl/monitor/calm-time.ts';
import type { Trouble } from '../../crawl/monitor/health.ts';
import type { Rate } from '../../crawl/monitor/rates.ts';
import { type Tally, total } from '../../crawl/record/counters.ts';
import type { Waiting } from '../../crawl/record/host-waits.ts';
import { inAll, type Progress } from '../../crawl/record/progress.ts';
import type { TopDomain } from '../../crawl/record/top-domains.ts';
import { byUnit } from '../../crawl/skipped/skip-reasons.ts';
import { type Limit, nearestLimit } from './nearest-limit.ts';
import { waitingText } from './progress.ts';
import {
  apart,
  clip,
  type Line,
  lineWidth,
  type Piece,
  padLine,
  piece,
  widthOf,
} from './text-line.ts';

export interface Snapshot {
  readonly title: string;
  readonly now: Progress;
  readonly rate: Rate;
  /** The rate over a longer time, for the time left. */
  readonly pace: Rate;
  /** Pages per second, oldest first. */
  readonly history: readonly number[];
  readonly trouble: Trouble | undefined;
  readonly notes: readonly string[];
  readonly ended: boolean;
}

interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** From this width on there is room for two columns. */
const WIDE = 100;
const LABEL = 11;
/** The width of the left of two columns. */
const LEFT = 60;
/** The most columns used: wider lines are hard to read. */
const WIDEST = 132;

export function drawView(snapshot: Snapshot, size: Size): Line[] {
  const columns = Math.min(Math.max(size.columns - 1, 10), WIDEST);
  const head = [heading(snapshot, columns), limitLine(snapshot, columns)];
  const foot = [
    ...troubleLines(snapshot, columns),
    ...snapshot.notes.map((note) => [piece(note, 'warn')]),
  ];
  const room = Math.max(0, size.rows - 1 - head.length - foot.length);
  const rows = factRows(snapshot, columns);
  const body =
    columns >= WIDE ? sideBySide(rows, snapshot, columns) : stacked(rows, snapshot, columns, room);
  return [...head, ...body.slice(0, room), ...foot].map((line) => clip(line, columns));
}

function heading({ title, now, ended }: Snapshot, columns: number): Line {
  const state = ended
    ? piece('ended')
    : now.ending
      ? piece('stopping', 'warn')
      : piece('running', 'good');
  const facts = ` · ${counted(now.agents, 'agent')} · ${calmTime(now.elapsed)}`;
  return apart([piece(title, 'title')], [state, piece(facts, 'faint')], columns);
}

/** A bar with the progress towards the nearest limit. */
function limitLine({ now, pace }: Snapshot, columns: number): Line {
  const limit = nearestLimit(now, pace);
  if (!limit)
    return [piece('no limit: runs until nothing is left to fetch; Ctrl-C stops it', 'faint')];
  const text = limitText(limit) + (now.before.pages > 0 ? ' (this run)' : '');
  const cells = Math.min(40, columns - widthOf(text) - 2);
  if (cells < 8) return [piece(text)];
  const full = Math.round(Math.min(limit.share, 1) * cells);
  return [
    piece('━'.repeat(full), 'bar'),
    piece('─'.repeat(cells - full), 'faint'),
    piece(`  ${text}`),
  ];
}

function limitText({ done, left }: Limit): string {
  return left === undefined ? done : `${done} · ${calmTime(left)} left`;
}

interface Row {
  readonly label: string;
  readonly pieces: readonly Piece[];
  /** Dropped first when there is little room. */
  readonly minor?: boolean;
}

function factRows({ now, rate, history }: Snapshot, columns: number): Row[] {
  const wide = columns >= WIDE;
  const count = (n: number) => formatCount(n).padStart(11);
  const { vitals } = now;
  const all = inAll(now);
  const pages: Piece[] = [
    piece(count(all.pages), 'title'),
    piece(`${formatCount(rate.pages)}/s`.padStart(9)),
  ];
  const curve = sparkline(history, Math.min(30, (wide ? LEFT : columns) - LABEL - 24));
  if (curve) pages.push(piece(`  ${curve}`, 'bar'));
  return [
    { label: 'pages', pieces: pages },
    {
      label: 'data',
      pieces: [
        piece(formatBytes(all.bytes).padStart(11), 'title'),
        piece(`${formatBytes(rate.bytes)}/s`.padStart(9)),
      ],
    },
    {
      label: 'front',
      pieces: [
        piece(count(now.front), 'title'),
        piece(
          ` ${now.front === 1 ? 'host' : 'hosts'}, ${formatCount(now.fetching)} requests under way`,
        ),
      ],
    },
    {
      label: 'queued',
      pieces: [
        piece(count(now.queued), 'title'),
        piece(now.backlog > 0 ? ` URLs, ${formatCount(now.backlog)} on disk` : ' URLs'),
      ],
    },
    {
      label: 'discovered',
      pieces: [
        piece(count(now.urlsUnique)),
        piece(` URLs in ${formatCount(all.urlsSeen)} links`, 'faint'),
      ],
      minor: true,
    },
    {
      label: 'sites',
      pieces: [
        piece(count(now.hosts)),
        piece(
          ` ${now.hosts === 1 ? 'host' : 'hosts'} of ${counted(now.domains, 'domain')}`,
          'faint',
        ),
      ],
      minor: true,
    },
    { label: 'skipped', pieces: refusedPieces(all), minor: true },
    { label: 'failed', pieces: tallyPieces(all.errors, 'warn') },
    { label: 'retries', pieces: tallyPieces(all.retries, 'plain'), minor: true },
    ...(now.checkpoint > 0
      ? [{ label: 'checkpoint', pieces: [savedPiece(now.at, vitals)], minor: true }]
      : []),
    // Last, because it is not always there.
    ...(vitals.waiting ? [{ label: 'paused', pieces: pausedPieces(vitals.waiting, now.at) }] : []),
  ];
}

/** Shows why a crawl is slow: a crawl with paused hosts must not look like one that hangs. */
function pausedPieces(waiting: Waiting, at: number): Piece[] {
  return [
    piece(formatCount(total(waiting.causes)).padStart(11), 'warn'),
    piece(`  ${waitingText(waiting, at)}`),
  ];
}

function savedPiece(at: number, { savedAt, saving }: Progress['vitals']): Piece {
  if (savedAt === undefined) return piece(`${'none yet'.padStart(11)}`, 'faint');
  const took = saving > 0 ? `, took ${calmTime(saving)}` : ', by an earlier run';
  return piece(`${calmTime(at - savedAt).padStart(11)} ago${took}`, 'faint');
}

const NAMES = { url: 'URL', link: 'link', page: 'page' };

function refusedPieces({ disallowed, refused }: Pick<Progress, 'disallowed' | 'refused'>): Piece[] {
  const units = byUnit(disallowed, refused);
  if (units.length === 0) return [piece('0'.padStart(11), 'faint')];
  return units.flatMap(([unit, tally], i) => [
    piece(i === 0 ? formatCount(total(tally)).padStart(11) : `; ${formatCount(total(tally))}`),
    piece(` ${total(tally) === 1 ? NAMES[unit] : `${NAMES[unit]}s`} (${kinds(tally)})`, 'faint'),
  ]);
}

function tallyPieces(tally: Readonly<Tally>, tone: Piece['tone']): Piece[] {
  const all = total(tally);
  if (all === 0) return [piece('0'.padStart(11), 'faint')];
  return [piece(formatCount(all).padStart(11), tone), piece(` ${kinds(tally)}`, 'faint')];
}

/** The most frequent first. */
const kinds = (tally: Readonly<Tally>): string =>
  Object.entries(tally)
    .sort((a, b) => b[1] - a[1])
    .map(([kind, n]) => `${kind} ${formatCount(n)}`)
    .join(', ');

const lineOf = ({ label, pieces }: Row): Line => [piece(label.padEnd(LABEL), 'faint'), ...pieces];

function sideBySide(rows: readonly Row[], { now }: Snapshot, columns: number): Line[] {
  const table = domainTable(now.vitals.top, columns - LEFT - 3, rows.length - 1);
  const lines = rows.map((row, i) => {
    const left = clip(lineOf(row), LEFT);
    return i < table.length ? [...padLine(left, LEFT + 3), ...table[i]] : left;
  });
  return [[], ...lines];
}

function stacked(rows: readonly Row[], { now }: Snapshot, columns: number, room: number): Line[] {
  const shown = rows.length <= room ? rows : rows.filter(({ minor }) => !minor);
  const gap = shown.length < room ? [[]] : [];
  const lines = [...gap, ...shown.map(lineOf)];
  const left = room - lines.length - 1;
  const table = left >= 3 ? domainTable(now.vitals.top, columns, Math.min(left - 1, 6)) : [];
  return table.length > 0 ? [...lines, [], ...table] : lines;
}

const MOST_PAGES = 'top domains';

/** A heading and at most `most` domains; with ranks and budgets if there are any. */
function domainTable(top: readonly TopDomain[], width: number, most: number): Line[] {
  if (top.length === 0 || most < 1) return [];
  const ranked = top.some(({ budget }) => budget !== undefined);
  const cells = ({ name, pages, rank, budget }: TopDomain) => [
    name,
    formatCount(pages),
    ...(ranked
      ? [rank === undefined ? '–' : `#${formatCount(rank)}`, formatCount(budget ?? 0)]
      : []),
  ];
  const longest = Math.max(
    MOST_PAGES.length,
    ...top.slice(0, most).map(({ name }) => widthOf(name)),
  );
  const name = Math.min(longest, width - 10 - (ranked ? 18 : 0));
  const line = ([first, ...others]: readonly string[], tone: Piece['tone']): Line => [
    ...padLine(clip([piece(first, tone)], name), name),
    piece(others.map((cell, i) => cell.padStart(i === 0 ? 10 : 9)).join(''), tone),
  ];
  const heading = [MOST_PAGES, 'pages', ...(ranked ? ['rank', 'budget'] : [])];
  return [
    line(heading, 'faint'),
    ...top.slice(0, most).map((domain) => line(cells(domain), 'plain')),
  ];
}

function troubleLines({ trouble }: Snapshot, columns: number): Line[] {
  if (!trouble) return [];
  const fact: Line = [piece(`▲ ${trouble.fact} `, 'bad')];
  const both: Line = [...fact, piece(trouble.remedy)];
  return lineWidth(both) <= columns ? [both] : [fact, [piece(`  ${trouble.remedy}`)]];
}

const LEVELS = '▁▂▃▄▅▆▇█';

function sparkline(history: readonly number[], cells: number): string {
  const last = cells > 4 ? history.slice(-cells) : [];
  const most = Math.max(...last, 0);
  if (most === 0) return '';
  return last.map((value) => LEVELS[Math.round((value / most) * (LEVELS.length - 1))]).join('');
}
