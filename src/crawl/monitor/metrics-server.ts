/**
 * Serves `/metrics` for Prometheus and `/healthz` for a process monitor, on loopback only: to
 * publish them on a network, put a proxy in front.
 *
 * Ensures   A request never waits for the crawl, nor the crawl for a request. A request with
 *           another host name is rejected, so that no page in a browser can read the metrics (DNS
 *           rebinding).
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DrumlinError, systemCode } from '../../base/errors.ts';
import type { Progress } from '../record/progress.ts';
import { type Trouble, troubleOf } from './health.ts';
import { METRICS_TYPE, metricsPage } from './metrics.ts';

export interface MetricsServer {
  readonly url: string;
  close(): Promise<void>;
}

const LOOPBACK = '127.0.0.1';
const NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/;

/** Port 0 takes a free one. `progress` returns undefined while the crawl is starting. */
export async function serveMetrics(
  port: number,
  progress: () => Progress | undefined,
): Promise<MetricsServer> {
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    if (!NAMES.test(request.headers.host ?? LOOPBACK))
      return say(response, 403, 'Forbidden host name. Use 127.0.0.1 or localhost.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD')
      return say(response, 405, 'Method not allowed. Use GET.\n');
    if (pathname !== '/metrics' && pathname !== '/healthz')
      return say(response, 404, 'Not found. Use /metrics or /healthz.\n');
    const now = progress();
    if (!now) return say(response, 503, 'The crawl is starting.\n');
    if (pathname === '/metrics')
      say(response, 200, metricsPage(now, processNumbers()), METRICS_TYPE);
    else sayHealth(response, troubleOf(now));
  });
  server.requestTimeout = 5000;
  await listen(server, port);
  // An open server must not keep the process of an ended crawl alive.
  server.unref();
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/metrics`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

function sayHealth(response: ServerResponse, trouble: Trouble | undefined): void {
  if (trouble && !trouble.isHealthy)
    say(response, 503, `unhealthy (${trouble.code}): ${trouble.fact} ${trouble.remedy}\n`);
  else if (trouble)
    say(response, 200, `healthy, but (${trouble.code}): ${trouble.fact} ${trouble.remedy}\n`);
  else say(response, 200, 'healthy\n');
}

function say(
  response: ServerResponse,
  status: number,
  text: string,
  type = 'text/plain; charset=utf-8',
): void {
  response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
}

function processNumbers(): { cpuSeconds: number; memory: number } {
  const { user, system } = process.cpuUsage();
  return { cpuSeconds: (user + system) / 1e6, memory: process.memoryUsage.rss() };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((listening, failed) => {
    server.once('error', (cause) => {
      const why = systemCode(cause) === 'EADDRINUSE' ? 'the port is in use' : systemCode(cause);
      failed(
        new DrumlinError(
          'METRICS_PORT',
          `Metrics cannot be served on port ${port}: ${why}.`,
          'Choose another --metrics-port, or remove the option.',
          { cause },
        ),
      );
    });
    server.listen(port, LOOPBACK, listening);
  });
}
