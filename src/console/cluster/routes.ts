/**
 * The routes of the console of a cluster, below `/api/v1`: those of a crawl in a folder as far as
 * the book and the workers can answer them, with the same paths and meanings; and `workers`.
 */
import type { Clock } from '../../base/clock.ts';
import { parseCount } from '../../base/units.ts';
import { type ClusterTuning, KEYS, type SteeredText } from '../../cluster/members/keys.ts';
import { CLUSTER_TUNABLE, drainWorker } from '../../cluster/steer.ts';
import { filterSettings } from '../../config/settings.ts';
import type { Disk } from '../../disk/disk.ts';
import { OVERRIDES_FILE, parseOverrides } from '../../reputation/budget/overrides.ts';
import { DECISIONS } from '../control/decide.ts';
import { choice, maybe, text, textsByName, whole } from '../fields/schema.ts';
import { settingsSchema, settingViews } from '../look/settings.ts';
import { type Route, routesOver } from '../route.ts';
import type { ClusterWatch } from './cluster-watch.ts';
import { changeSettings, configOf, control, decide, filtersOf } from './control.ts';
import { ownedUrl } from './url.ts';

interface ClusterParts {
  readonly disk: Disk;
  readonly clock: Clock;
  readonly cluster: ClusterWatch;
}

const route = routesOver<ClusterParts, ClusterWatch>();
type ClusterRoute = Route<ClusterParts, ClusterWatch>;

const LOOKING: readonly ClusterRoute[] = [
  route(
    'GET',
    '/crawls',
    'The cluster that this console shows.',
    {},
    { crawls: 'one, with `id`, `kind`, `state`, `paused`, `pages` and `sentence`' },
    ({ cluster }) => {
      const { kind, state, paused, counters, sentence } = cluster.overview;
      return {
        crawls: [{ id: cluster.name, kind, state, paused, pages: counters.pages, sentence }],
      };
    },
  ),
  route(
    'GET',
    '/schema',
    'The settings of crawls and the predicates of filters.',
    {},
    {
      settings: 'each with `key`, `flag`, `placeholder`, `preset` and `doc`',
      predicates: 'each with `name`, `from` (the stage), `doc` and `example`',
    },
    () => settingsSchema(),
  ),
  route(
    'GET',
    '/crawls/{crawl}/status',
    'The state of the whole cluster, a few seconds old.',
    {},
    {
      sentence: 'how it is, what is wrong, what to do: as `drumlin cluster status`',
      state: '`running`, `stopping`, `silent` (the brokers do not answer), `ended` or `new`',
      counters:
        '`pages` and `bytes` of the whole crawl up to now; the others since the workers started',
      rate: 'pages and bytes a second, over ten seconds; absent at first',
      committed: 'pages and bytes in committed checkpoints, and the time of the oldest commit',
      limits: 'how far it is from each limit, and the time that is left',
      top: 'the domains with the most pages, of all workers',
    },
    (_, cluster) => cluster.overview,
  ),
  route(
    'GET',
    '/crawls/{crawl}/workers',
    'Workers and agents.',
    {},
    {
      workers:
        'each with `worker`, `host`, `agents`, `leads`, `draining`, `silent`, memory and CPU',
      agents: 'each with `agent`, `worker` (empty for none), `epoch`, `committedAt` and `pages`',
    },
    (_, cluster) => ({ workers: cluster.overview.workers, agents: cluster.overview.agents }),
  ),
  route(
    'GET',
    '/crawls/{crawl}/history',
    'Counts and levels over time, since this console was opened.',
    {},
    {
      stretches: 'at most 360, each with `begins`, `millis`, counts in it and levels at its end',
    },
    (_, cluster) => ({ stretches: cluster.history() }),
  ),
  route(
    'GET',
    '/crawls/{crawl}/domains',
    'The domains with the most pages of each worker, and all decisions.',
    { contains: maybe(text('only names with this in them', 253), '') },
    { rows: 'each with `domain`, and as far as known `pages`, `rank`, `budget` and `decision`' },
    (_, cluster, { contains }) => ({ rows: domainRows(cluster, contains) }),
  ),
  route(
    'GET',
    '/crawls/{crawl}/url',
    'Who owns a URL, and whether the operator or a filter keeps it away.',
    { url: text('the URL', 8192) },
    {
      reason: '`not-a-url`, `blocked`, `blacklist`, `schedule-filter`, `fetch-filter`, or `owned`',
      answer: 'the same as a sentence',
      steps: 'each part that decides: `part`, `verdict`, `fact`',
    },
    ({ disk }, cluster, { url }) => ownedUrl(disk, cluster, url),
  ),
  route(
    'GET',
    '/crawls/{crawl}/settings',
    'The settings that hold.',
    {},
    {
      settings: 'each with `value`, `source` and `isTunable`',
      tuning: 'what was changed while it runs',
    },
    (_, cluster) => settingsNow(cluster),
  ),
  route(
    'GET',
    '/crawls/{crawl}/log',
    'What has happened since this console was opened, newest first.',
    {
      event: maybe(text('only this event', 40)),
      contains: maybe(text('only lines with this text', 2048)),
      before: maybe(whole('`before` of the last page', 0, Number.MAX_SAFE_INTEGER)),
      count: maybe(whole('lines to return', 1, 1000), 100),
    },
    { lines: 'the events', before: 'for the next page; 0 at the end', end: 'how many there were' },
    (_, { events }, query) => events.page(query),
  ),
];

const CHANGING: readonly ClusterRoute[] = [
  route(
    'PATCH',
    '/crawls/{crawl}/settings',
    'Changes settings and filters; every agent applies them at a checkpoint.',
    { settings: textsByName('values by key or flag, as on the command line', 40) },
    { changed: 'what holds now, a line each' },
    async ({ disk }, cluster, { settings }) => ({
      changed: await changeSettings(disk, cluster, settings),
    }),
  ),
  route(
    'POST',
    '/crawls/{crawl}/control',
    'Pauses, resumes or stops the crawl; `run` lets one that has ended run again.',
    { action: choice('what to do', ['pause', 'resume', 'stop', 'run']) },
    { changed: 'what holds now, a line each' },
    async ({ clock }, cluster, { action }) => ({
      changed: await control(cluster, action, clock.now()),
    }),
  ),
  route(
    'POST',
    '/crawls/{crawl}/workers/{name}',
    'Drains a worker: it gives its agents to others, and ends.',
    { action: choice('what to do', ['drain']) },
    { changed: 'what holds now, a line each' },
    async (_, { book }, __, worker) => {
      await drainWorker(book, worker);
      return { changed: [`${worker} is draining`] };
    },
  ),
  route(
    'PUT',
    '/crawls/{crawl}/domains/{name}',
    'Decides about a domain.',
    {
      decision: choice('what holds for it', DECISIONS),
      budget: maybe(text('URLs a round, for `budget`', 20)),
    },
    { domain: 'its name', decision: 'what holds now' },
    (_, cluster, { decision, budget }, name) =>
      decide(cluster, name, decision, budget === undefined ? undefined : parseCount(budget)),
  ),
];

export const CLUSTER_ROUTES: readonly ClusterRoute[] = [...LOOKING, ...CHANGING];

function domainRows(cluster: ClusterWatch, contains: string): object[] {
  const { text: file = '' } = cluster.value<SteeredText>(KEYS.domains) ?? {};
  const decisions = new Map(parseOverrides(file, OVERRIDES_FILE));
  const rows = cluster.overview.top.map(({ name, ...row }) => {
    const decision = decisions.get(name);
    decisions.delete(name);
    return { domain: name, ...row, ...(decision !== undefined && { decision }) };
  });
  const others = [...decisions].map(([domain, decision]) => ({ domain, decision }));
  return [...rows, ...others].filter(({ domain }) => domain.includes(contains));
}

function settingsNow(cluster: ClusterWatch) {
  const tuning = cluster.value<ClusterTuning>(KEYS.tuning);
  const changed = tuning?.settings ?? {};
  const config = configOf(cluster, { ...changed, ...filterSettings(filtersOf(cluster)) });
  return { settings: settingViews(config, changed, CLUSTER_TUNABLE), tuning: tuning ?? {} };
}
