/**
 * A crawl in the text format of Prometheus (0.0.4): every metric with its help and its type, `drumlin_<component>_<name>_<unit>`, counters
 * with `_total` at the end. Counters are those of this process and begin at 0 with it, as Prometheus expects.
 */
import { VERSION } from '../../base/version.ts';
import type { Tally } from '../record/counters.ts';
import type { Progress } from '../record/progress.ts';
import { troubleOf } from './health.ts';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge';
  readonly samples: readonly Sample[];
}

interface Sample {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Of the process, beside what the crawl tells. */
export interface ProcessNumbers {
  readonly cpuSeconds: number;
  readonly memory: number;
}

export function metricsPage(now: Progress, own: ProcessNumbers): string {
  return metricsOf(now, own).map(paragraph).join('');
}

function metricsOf(now: Progress, { cpuSeconds, memory }: ProcessNumbers): Metric[] {
  const { vitals } = now;
  return [
    gauge('drumlin_build_info', 'Always 1; the version is in its label.', { version: VERSION }),
    counter('drumlin_fetch_pages_total', 'Responses received, robots.txt aside.', now.pages),
    counter('drumlin_fetch_received_bytes_total', 'Bytes of responses.', now.bytes),
    tally('drumlin_fetch_responses_total', 'Responses by status.', 'status', now.statuses),
    tally('drumlin_fetch_typed_responses_total', 'Responses by content type.', 'type', now.types),
    tally('drumlin_fetch_errors_total', 'URLs given up, by what went wrong.', 'fault', now.errors),
    tally(
      'drumlin_fetch_retries_total',
      'Requests and look-ups that will be made again.',
      'fault',
      now.retries,
    ),
    gauge('drumlin_fetch_active_requests', 'Requests under way.', now.fetching),
    gauge(
      'drumlin_fetch_last_page_timestamp_seconds',
      'When a page came last; when the crawl began, before the first.',
      vitals.lastPageAt / 1000,
    ),
    counter(
      'drumlin_robots_disallowed_urls_total',
      'URLs that robots.txt keeps us from.',
      now.disallowed,
    ),
    tally(
      'drumlin_scope_refused_urls_total',
      'Links not followed, by what kept them out.',
      'reason',
      now.refused,
    ),
    counter('drumlin_parse_links_total', 'Links found, with repeats.', now.urlsSeen),
    counter(
      'drumlin_archive_duplicates_total',
      'Pages whose payload had been seen before.',
      now.duplicates,
    ),
    tally(
      'drumlin_memory_forgotten_total',
      'What had to make room for newer: digests of stored pages, pages that others are compared with.',
      'what',
      now.forgotten,
    ),
    gauge('drumlin_sieve_known_urls', 'URLs that were ever admitted.', now.urlsUnique),
    gauge('drumlin_frontier_front_hosts', 'Hosts in memory with something to fetch.', now.front),
    {
      ...tally(
        'drumlin_frontier_waiting_hosts',
        'Hosts that are left alone for a while, by what for.',
        'cause',
        vitals.waiting?.causes ?? {},
      ),
      type: 'gauge',
    },
    gauge('drumlin_frontier_queued_urls', 'URLs that wait, in memory and on disk.', now.queued),
    gauge('drumlin_frontier_backlog_urls', 'URLs that wait on disk.', now.backlog),
    gauge('drumlin_frontier_met_hosts', 'Hosts met in the life of the crawl.', now.hosts),
    gauge('drumlin_frontier_met_domains', 'Domains met in the life of the crawl.', now.domains),
    gauge('drumlin_crawl_agents', 'Agents that crawl.', now.agents),
    gauge('drumlin_crawl_start_timestamp_seconds', 'When this run began.', now.startedAt / 1000),
    gauge(
      'drumlin_checkpoint_last_timestamp_seconds',
      'When the oldest of the agents’ last checkpoints was made; 0 before.',
      (vitals.savedAt ?? 0) / 1000,
    ),
    gauge(
      'drumlin_checkpoint_last_duration_seconds',
      'What the slowest took.',
      vitals.saving / 1000,
    ),
    ...(now.diskFree === undefined
      ? []
      : [
          gauge(
            'drumlin_disk_free_bytes',
            'Room left on the disk that the crawl is kept on.',
            now.diskFree,
          ),
        ]),
    gauge('drumlin_crawl_healthy', '1 while /healthz says so.', troubleOf(now) ? 0 : 1),
    counter(
      'drumlin_process_cpu_seconds_total',
      'Processor time of the whole process.',
      cpuSeconds,
    ),
    gauge('drumlin_process_resident_memory_bytes', 'Memory of the whole process.', memory),
  ];
}

function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', samples: [{ value }] };
}

/** A number, or labels with the value 1. */
function gauge(
  name: string,
  help: string,
  value: number | Readonly<Record<string, string>>,
): Metric {
  const sample = typeof value === 'number' ? { value } : { labels: value, value: 1 };
  return { name, help, type: 'gauge', samples: [sample] };
}

function tally(name: string, help: string, label: string, counts: Readonly<Tally>): Metric {
  const samples = Object.entries(counts).map(([key, value]) => ({
    labels: { [label]: key },
    value,
  }));
  return { name, help, type: 'counter', samples };
}

function paragraph({ name, help, type, samples }: Metric): string {
  const lines = samples.map(({ labels, value }) => `${name}${labelText(labels)} ${value}\n`);
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Sample['labels']): string {
  if (!labels) return '';
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
