/** The status of a crawl as text, as JSON, or as the live view. */
import { setTimeout as wait } from 'node:timers/promises';
import { systemClock } from '../../base/clock.ts';
import { counted, formatBytes, formatCount, type Millis } from '../../base/units.ts';
import { calmTime } from '../../crawl/monitor/calm-time.ts';
import { type CrawlStatus, statusOf } from '../../crawl/monitor/status.ts';
import { stateText } from '../../crawl/monitor/status-words.ts';
import type { Tally } from '../../crawl/record/counters.ts';
import { Disk } from '../../disk/disk.ts';
import { interruptible } from '../input/interrupt.ts';
import { asTyped } from './as-typed.ts';
import { Canvas } from './canvas.ts';
import { nearestLimit } from './nearest-limit.ts';
import { printable } from './printable.ts';
import { errorList, renderedText, skippedText, truncatedText, waitingText } from './progress.ts';
import { wantsColours } from './text-line.ts';
import { drawView } from './view.ts';

const WATCH_EVERY: Millis = 1000;
const HISTORY = 60;

export async function printStatus(folder: string, json: boolean): Promise<void> {
  const status = await statusOf(new Disk(), folder, systemClock.now());
  print(status, json);
}

/** Shows the live view until the crawl ends or Ctrl-C; then prints the status once more. */
export async function watchStatus(folder: string, json: boolean): Promise<void> {
  await interruptible(async (signal) => {
    const disk = new Disk();
    const screen = process.stdout;
    const history: number[] = [];
    let last: CrawlStatus | undefined;
    const draw = () => {
      if (!last?.live) return;
      const { live } = last;
      const snapshot = {
        title: `drumlin ▸ ${folder}`,
        now: live,
        rate: live.rate,
        pace: live.rate,
        history,
        trouble: live.trouble,
        notes: [],
        ended: false,
      };
      canvas?.draw(drawView(snapshot, canvas.size));
    };
    const canvas =
      !json && screen.isTTY ? new Canvas(screen, wantsColours(process.env), draw) : undefined;
    try {
      for (;;) {
        const heard = last?.heardAt;
        last = await statusOf(disk, folder, systemClock.now());
        if (last.live === undefined || signal.aborted) break;
        if (last.heardAt !== heard) history.push(last.live.rate.pages);
        history.splice(0, history.length - HISTORY);
        if (canvas) draw();
        else if (last.heardAt !== heard) print(last, json);
        await wait(WATCH_EVERY, undefined, { signal }).catch(() => {});
      }
    } finally {
      canvas?.end();
    }
    print(last, json);
  });
}

function print(status: CrawlStatus, json: boolean): void {
  const { live, ...told } = status;
  process.stdout.write(
    json
      ? `${JSON.stringify({ ...told, metrics: live?.metrics })}\n`
      : asTyped(statusText(status, systemClock.now())),
  );
}

export function statusText(status: CrawlStatus, now: Millis): string {
  const { counters, rate, live, trouble, checkpoint, disk, next } = status;
  const limit = live && nearestLimit(live, live.rate);
  const ago = (time: Millis) => `${calmTime(now - time)} ago`;
  const rows: [string, string | undefined][] = [
    ['trouble', trouble && `${trouble.fact} ${trouble.remedy}`],
    ['error', status.error],
    ['pages', `${formatCount(counters.pages)}${rate ? ` at ${formatCount(rate.pages)}/s` : ''}`],
    ['data', `${formatBytes(counters.bytes)}${rate ? ` at ${formatBytes(rate.bytes)}/s` : ''}`],
    [
      'requisites',
      counters.requisites === undefined ? undefined : formatCount(counters.requisites),
    ],
    ['statuses', tallyText(counters.statuses)],
    [
      'front',
      live && `${counted(live.front, 'host')}, ${formatCount(live.fetching)} requests under way`,
    ],
    ['paused', live?.vitals.waiting && waitingText(live.vitals.waiting, now)],
    [
      'queued',
      `${formatCount(status.waiting)} of ${formatCount(status.urlsUnique)} URLs discovered${status.onDisk ? `, ${formatCount(status.onDisk)} on disk` : ''}`,
    ],
    ['sites', `${counted(status.hosts, 'host')} of ${counted(status.domains, 'domain')}`],
    ['skipped', skippedText(counters)],
    ['failed', errorList(counters.errors)],
    ['rendered', renderedText(counters.render)],
    ['truncated', truncatedText(counters.truncated)],
    [
      'limit',
      limit && `${limit.done}${limit.left === undefined ? '' : `, ${calmTime(limit.left)} left`}`,
    ],
    [
      'checkpoint',
      checkpoint ? `${ago(checkpoint.savedAt)}, ${counted(checkpoint.pages, 'page')}` : 'none yet',
    ],
    [
      'disk',
      `${formatBytes(disk.archive)} archive, ${formatBytes(disk.agents)} crawl state, ${formatBytes(disk.free)} free`,
    ],
    ['metrics', live?.metrics],
    ['next', `${next.why}: ${next.command}`],
  ];
  const lines = rows.flatMap(([name, value]) =>
    value === undefined ? [] : [`  ${name.padEnd(10)} ${printable(value)}`],
  );
  return `${status.dir}: ${stateText(status, now)}\n${lines.join('\n')}\n`;
}

const tallyText = (tally: Readonly<Tally>): string | undefined =>
  Object.entries(tally)
    .sort((a, b) => b[1] - a[1])
    .map(([name, n]) => `${name}: ${formatCount(n)}`)
    .join(', ') || undefined;
