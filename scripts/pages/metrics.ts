/**
 * docs/reference/metrics.md, from the metrics that a crawl serves.
 *
 * Ensures   A metric that is not on the page cannot exist, and the page names none that does not.
 */
import { metricsPage } from '../../src/crawl/monitor/metrics.ts';
import { Counters } from '../../src/crawl/record/counters.ts';
import type { Progress } from '../../src/crawl/record/progress.ts';
import type { GeneratedPage } from './page.ts';

export const metricsReference: GeneratedPage = {
  path: 'docs/reference/metrics.md',
  text: metricsText,
};

const OPENING = `# Metrics

A crawl with \`--metrics-port 9090\` serves these metrics for Prometheus at
\`http://127.0.0.1:9090/metrics\`, in the text format 0.0.4. This page is generated from the metrics
themselves (\`scripts/pages/metrics.ts\`); [operations](../operations.md#metrics-and-health) says how to
use them.

Names are \`drumlin_<component>_<name>_<unit>\`. Counters end in \`_total\`, count this process only, and
start at 0 with it. A metric with a label has one sample for each value that has occurred.
`;

/** A crawl in which everything has happened once, so that every metric and label is served. */
const ONE = { some: 1 };
const SOME_CRAWL: Progress = {
  ...new Counters(),
  ...{ at: 0, startedAt: 0, elapsed: 0, agents: 1, checkpoint: 0, diskFree: 1e12 },
  ...{ maxTime: Infinity, maxPages: Infinity, maxBytes: Infinity },
  ...{ fetching: 0, queued: 0, backlog: 0, front: 0, hosts: 0, domains: 0, urlsUnique: 0 },
  ...{
    statuses: ONE,
    types: ONE,
    errors: ONE,
    retries: ONE,
    refused: ONE,
    forgotten: ONE,
    spam: ONE,
  },
  before: { ...new Counters() },
  vitals: {
    ...{ lastPageAt: 0, saving: 0, top: [] },
    waiting: { host: '', until: 0, causes: ONE },
  },
};

export function metricsText(): string {
  const text = metricsPage(SOME_CRAWL, { cpuSeconds: 0, memory: 0 });
  const rows = [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)\n(?:\S+?\{(\w+)=)?/gm)].map(
    ([, name, help, type, label]) =>
      `| \`${name}\` | ${type} | ${label ? `\`${label}\`` : ''} | ${help} |`,
  );
  return [OPENING, '| metric | type | label | meaning |', '|---|---|---|---|', ...rows, ''].join(
    '\n',
  );
}
