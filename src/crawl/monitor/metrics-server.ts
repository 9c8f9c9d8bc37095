/**
 * Serves `/metrics` for Prometheus and `/healthz` for a process monitor, on loopback only: to
 * publish them on a network, put a proxy in front.
 *
 * Ensures   A request never waits for the crawl, nor the crawl for a request; no request can end
 *           the crawl. A request with another host name is rejected (see `serveLoopback`), and so
 *           is one that a page of another site makes. Other machines are served by the console
 *           alone, which asks for its token.
 */
import { DrumlinError, systemCode } from '../../base/errors.ts';
import { isForeign, LOOPBACK, type Reply, serveLoopback } from '../../net/loopback-server.ts';
import type { Progress } from '../record/progress.ts';
import { type Trouble, troubleOf } from './health.ts';
import { METRICS_TYPE, metricsPage } from './metrics.ts';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

/** Port 0 takes a free one. `progress` returns undefined while the crawl is starting. */
export async function serveMetrics(
  port: number,
  progress: () => Progress | undefined,
): Promise<MetricsServer> {
  const server = await serveLoopback(port, (path, _, { headers }) =>
    isForeign(headers) ? FOREIGN : pageAt(path, progress),
  ).catch((cause) => {
    throw unserved(port, cause);
  });
  return { url: `http://${LOOPBACK}:${server.port}/metrics`, close: server.close };
}

const FOREIGN: Reply = { status: 403, text: 'This request comes from another site.\n' };

function pageAt(path: string, progress: () => Progress | undefined): Reply {
  if (path !== '/metrics' && path !== '/healthz')
    return { status: 404, text: 'Not found. Use /metrics or /healthz.\n' };
  const now = progress();
  if (!now) return { status: 503, text: 'The crawl is starting.\n' };
  if (path === '/healthz') return healthOf(troubleOf(now));
  return { status: 200, text: metricsPage(now, processNumbers()), type: METRICS_TYPE };
}

/** The answer to a process monitor. */
export function healthOf(trouble: Trouble | undefined): Reply {
  if (!trouble) return { status: 200, text: 'healthy\n' };
  const { code, fact, remedy, isHealthy } = trouble;
  const text = `(${code}): ${fact} ${remedy}\n`;
  if (isHealthy) return { status: 200, text: `healthy, but ${text}` };
  return { status: 503, text: `unhealthy ${text}` };
}

function processNumbers(): { cpuSeconds: number; memory: number } {
  const { user, system } = process.cpuUsage();
  return { cpuSeconds: (user + system) / 1e6, memory: process.memoryUsage.rss() };
}

function unserved(port: number, cause: unknown): DrumlinError {
  const why = systemCode(cause) === 'EADDRINUSE' ? 'the port is in use' : systemCode(cause);
  return new DrumlinError(
    'METRICS_PORT',
    `Metrics cannot be served on port ${port}: ${why}.`,
    'Choose another --metrics-port, or remove the option.',
    { cause },
  );
}
