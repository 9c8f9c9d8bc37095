/**
 * Metrics and health of a crawl, from its status file: what `--metrics-port` serves on loopback,
 * for monitors on other machines, with the token of the console.
 */
import type { Millis } from '../../base/units.ts';
import { METRICS_TYPE, metricsPage } from '../../crawl/monitor/metrics.ts';
import { healthOf } from '../../crawl/monitor/metrics-server.ts';
import { statusOf } from '../../crawl/monitor/status.ts';
import type { Disk } from '../../disk/disk.ts';

interface MonitorPage {
  readonly status: number;
  readonly text: string;
  readonly type: string;
}

const PLAIN = 'text/plain; charset=utf-8';

/** As old as the status file: a few seconds at most. */
export async function metricsIn(disk: Disk, dir: string, now: Millis): Promise<MonitorPage> {
  const { live } = await statusOf(disk, dir, now);
  if (!live) return { status: 503, text: 'The crawl is not running.\n', type: PLAIN };
  return { status: 200, text: metricsPage(live, live), type: METRICS_TYPE };
}

export async function healthIn(disk: Disk, dir: string, now: Millis): Promise<MonitorPage> {
  const { state, trouble } = await statusOf(disk, dir, now);
  if (state !== 'running' && state !== 'stopping')
    return { status: 503, text: `unhealthy: the crawl is ${state}.\n`, type: PLAIN };
  const { status, text } = healthOf(trouble);
  return { status, text: String(text), type: PLAIN };
}
