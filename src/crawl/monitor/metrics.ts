/**
 * The metrics of a crawl in the text format of Prometheus (0.0.4). Every metric has a help text and
 * a type and is called `drumlin_<component>_<name>_<unit>`; counters end in `_total`. Counters
 * start at 0 with the process, as Prometheus expects.
 */
import { VERSION } from '../../base/version.ts';
import type { Tally } from '../record/counters.ts';
import type { Progress } from '../record/progress.ts';
import { isHealthy } from './health.ts';

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

/** Figures of the process, which the crawl itself does not know. */
interface ProcessNumbers {
  readonly cpuSeconds: number;
  readonly memory: number;
}

export function metricsPage(now: Progress, own: ProcessNumbers): string {
  return metricsOf(now, own).map(paragraph).join('');
}

function metricsOf(now: Progress, own: ProcessNumbers): Metric[] {
  return [
    gauge('drumlin_build_info', 'Always 1; the label holds the version.', { version: VERSION }),
    ...fetchMetrics(now),
    ...discoveryMetrics(now),
    ...frontierMetrics(now),
    ...crawlMetrics(now),
    ...processMetrics(own),
  ];
}

function fetchMetrics(now: Progress): Metric[] {
  return [
    counter('drumlin_fetch_pages_total', 'Responses received, robots.txt aside.', now.pages),
    counter('drumlin_fetch_received_bytes_total', 'Bytes of responses.', now.bytes),
    tally('drumlin_fetch_responses_total', 'Responses by status.', 'status', now.statuses),
    tally('drumlin_fetch_typed_responses_total', 'Responses by content type.', 'type', now.types),
    tally(
      'drumlin_fetch_errors_total',
      'URLs that failed after the last retry, by fault.',
      'fault',
      now.errors,
    ),
    tally(
      'drumlin_fetch_retries_total',
      'Requests and look-ups that will be tried again, by fault.',
      'fault',
      now.retries,
    ),
    gauge('drumlin_fetch_active_requests', 'Requests under way.', now.fetching),
    gauge(
      'drumlin_fetch_last_page_timestamp_seconds',
      'Time of the last page; before the first page, the start of the crawl.',
      now.vitals.lastPageAt / 1000,
    ),
  ];
}

function discoveryMetrics(now: Progress): Metric[] {
  return [
    counter(
      'drumlin_robots_disallowed_urls_total',
      'URLs skipped because of robots.txt.',
      now.disallowed,
    ),
    tally(
      'drumlin_scope_refused_urls_total',
      'Skipped because of a limit, a pattern or a filter, by reason. Some reasons count links, some URLs, some pages: see docs/scope.md.',
      'reason',
      now.refused,
    ),
    counter('drumlin_parse_links_total', 'Links discovered, with repeats.', now.urlsSeen),
    counter(
      'drumlin_archive_duplicates_total',
      'Pages whose payload was seen before.',
      now.duplicates,
    ),
    tally(
      'drumlin_fetch_truncated_pages_total',
      'Pages whose body was cut, by cause.',
      'why',
      now.truncated,
    ),
    tally(
      'drumlin_memory_forgotten_total',
      'Entries dropped from memory for newer ones: digests of stored pages, pages for comparison.',
      'what',
      now.forgotten,
    ),
    ...spamMetrics(now),
    gauge('drumlin_sieve_known_urls', 'URLs discovered and admitted.', now.urlsUnique),
  ];
}

/** Only with verdicts on spam. */
function spamMetrics({ spam }: Progress): Metric[] {
  if (!spam) return [];
  const { verdicts = 0, pages = 0, found = 0, cleared = 0 } = spam;
  return [
    counter('drumlin_spam_verdicts_total', 'Verdicts on domains.', verdicts),
    counter(
      'drumlin_spam_pages_total',
      'Pages of domains that were spam by their last verdict.',
      pages,
    ),
    tally('drumlin_spam_domains_total', 'Domains whose verdict became spam, or ham.', 'verdict', {
      spam: found,
      ham: cleared,
    }),
  ];
}

function frontierMetrics(now: Progress): Metric[] {
  return [
    gauge('drumlin_frontier_front_hosts', 'Hosts in memory with URLs to fetch.', now.front),
    {
      ...tally(
        'drumlin_frontier_waiting_hosts',
        'Paused hosts, by cause.',
        'cause',
        now.vitals.waiting?.causes ?? {},
      ),
      type: 'gauge',
    },
    gauge('drumlin_frontier_queued_urls', 'Queued URLs, in memory and on disk.', now.queued),
    gauge('drumlin_frontier_backlog_urls', 'Queued URLs on disk.', now.backlog),
    gauge('drumlin_frontier_met_hosts', 'Hosts discovered over the whole crawl.', now.hosts),
    gauge('drumlin_frontier_met_domains', 'Domains discovered over the whole crawl.', now.domains),
  ];
}

function crawlMetrics(now: Progress): Metric[] {
  const { vitals, diskFree } = now;
  return [
    gauge('drumlin_crawl_agents', 'Number of agents.', now.agents),
    gauge('drumlin_crawl_start_timestamp_seconds', 'Start of this run.', now.startedAt / 1000),
    gauge(
      'drumlin_checkpoint_last_timestamp_seconds',
      'Time of the last checkpoint, of the agent whose checkpoint is oldest; 0 before the first.',
      (vitals.savedAt ?? 0) / 1000,
    ),
    gauge(
      'drumlin_checkpoint_last_duration_seconds',
      'Duration of the last checkpoint, of the slowest agent.',
      vitals.saving / 1000,
    ),
    ...(diskFree === undefined
      ? []
      : [gauge('drumlin_disk_free_bytes', 'Free space on the disk of the crawl.', diskFree)]),
    gauge('drumlin_crawl_healthy', '1 if /healthz reports healthy.', isHealthy(now) ? 1 : 0),
  ];
}

function processMetrics({ cpuSeconds, memory }: ProcessNumbers): Metric[] {
  return [
    counter('drumlin_process_cpu_seconds_total', 'CPU time of the whole process.', cpuSeconds),
    gauge('drumlin_process_resident_memory_bytes', 'Memory of the whole process.', memory),
  ];
}

function counter(name: string, help: string, value: number): Metric {
  return { name, help, type: 'counter', samples: [{ value }] };
}

/** A gauge with a value, or with labels and the value 1. */
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
