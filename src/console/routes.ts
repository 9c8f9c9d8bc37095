/**
 * All routes of the HTTP API, below `/api/v1`. The server checks requests against this table;
 * `docs/openapi.json` and `docs/api-http.md` are generated from it.
 */

import { parseCount } from '../base/units.ts';
import { EVENTS, type EventName } from '../crawl/record/log-events.ts';
import { askedOf } from '../crawl/state/crawl-folder.ts';
import { COLUMNS } from '../crawl/state/domain-list.ts';
import { readTuning } from '../crawl/state/tuning-file.ts';
import { changeCrawl } from './control/change.ts';
import { DECISIONS, decideDomain } from './control/decide.ts';
import { choice, maybe, text, texts, textsByName, whole, yesNo } from './fields/schema.ts';
import { capturedBody, compareCaptures, listCaptures, viewCapture } from './look/captures.ts';
import { domainOf } from './look/domain.ts';
import { waczOf, warcOf } from './look/downloads.ts';
import { graphAround } from './look/graph.ts';
import { HOST_SORTS, listHosts } from './look/hosts.ts';
import { readLog } from './look/log.ts';
import { healthIn, metricsIn } from './look/metrics.ts';
import { historyOf, overviewOf, summaryOf } from './look/overview.ts';
import { settingsOf, settingsSchema } from './look/settings.ts';
import { lifeOf } from './look/url.ts';
import { RawAnswer, type Route, route } from './route.ts';

const BY = 'console';
const url = text('the URL', 8192);
const time = text('the time of the capture: 14 digits', 17);
const EVENT_NAMES = Object.keys(EVENTS) as EventName[];

/** Which captures. */
const SELECTION = {
  prefix: maybe(text('only URLs that begin with this: scheme, host and more', 8192)),
  url: maybe(text('only this URL', 8192)),
  status: maybe(text('a status like 404, or 5xx', 3)),
  type: maybe(text('only content types that begin with this', 100)),
  from: maybe(text('the earliest time: leading digits of 20260314150926', 14)),
  to: maybe(text('the latest time, in the same form', 14)),
};

const LOOKING: readonly Route[] = [
  route(
    'GET',
    '/crawls',
    'The crawls that this console shows.',
    {},
    {
      crawls: 'each with `id`, `dir`, `state`, `paused`, `pages` and `sentence`',
    },
    async ({ disk, clock, crawls }) => ({
      crawls: await Promise.all(
        (await crawls.list()).map(async ({ id, dir }) => ({
          ...{ id, dir },
          ...(await summaryOf(disk, dir, clock.now())),
        })),
      ),
    }),
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
    'The state of a crawl, as `drumlin status --json`.',
    {},
    {
      sentence: 'how the crawl is, what is wrong, what to do',
      state: '`running`, `stopping`, `silent`, `ended`, `failed`, `killed` or `new`',
      counters: 'the counts of all runs',
      limits: 'how far it is from each limit, and the time that is left',
    },
    ({ disk, clock }, { dir }) => overviewOf(disk, dir, clock.now()),
  ),
  route(
    'GET',
    '/crawls/{crawl}/metrics',
    'The metrics of a running crawl, for Prometheus.',
    {},
    {},
    async ({ disk, clock }, { dir }) => {
      const page = await metricsIn(disk, dir, clock.now());
      return new RawAnswer(page.text, page.type, undefined, page.status);
    },
  ),
  route(
    'GET',
    '/crawls/{crawl}/healthz',
    'Whether a crawl is healthy: status 200, else 503.',
    {},
    {},
    async ({ disk, clock }, { dir }) => {
      const page = await healthIn(disk, dir, clock.now());
      return new RawAnswer(page.text, page.type, undefined, page.status);
    },
  ),
  route(
    'GET',
    '/crawls/{crawl}/history',
    'Counts and levels over time, from the first second.',
    {},
    {
      stretches: 'at most 360, each with `begins`, `millis`, counts in it and levels at its end',
    },
    async ({ disk }, { dir }) => ({ stretches: await historyOf(disk, dir) }),
  ),
  route(
    'GET',
    '/crawls/{crawl}/domains',
    'Domains, sorted and searched.',
    {
      sort: maybe(choice('the column', COLUMNS), 'rank'),
      reverse: maybe(yesNo('turn the order round'), false),
      contains: maybe(text('only names with this in them', 253), ''),
      state: maybe(
        choice('only domains in this state', ['any', 'blocked', 'trusted', 'set', 'exchange']),
        'any',
      ),
      from: maybe(whole('rows to pass over', 0, 1e7), 0),
      count: maybe(whole('rows to return', 1, 500), 50),
    },
    {
      by: 'what ranks them',
      domains: 'all domains',
      matching: 'those that match',
      rows: 'the rows of `drumlin domains --json`',
    },
    async (_, { tables }, query) => (await tables.current()).page(query),
  ),
  route(
    'GET',
    '/crawls/{crawl}/domains/{name}',
    'One domain.',
    {},
    {
      row: 'as in the list; absent if it has no record',
      hosts: 'its hosts in memory',
      decision: 'the decision of the operator',
      log: 'the last events about it',
      captures: 'its last captures',
    },
    ({ disk }, crawl, _, name) => domainOf(disk, crawl, name),
  ),
  route(
    'GET',
    '/crawls/{crawl}/hosts',
    'The hosts in memory, as of the last checkpoint.',
    {
      sort: maybe(choice('the order', HOST_SORTS), 'ready'),
      contains: maybe(text('only hosts with this in the name, or with this address', 253), ''),
      count: maybe(whole('rows to return', 1, 1000), 100),
    },
    {
      hosts: 'hosts in memory',
      rows: 'the hosts',
      addresses: 'addresses with the most hosts',
      savedAt: 'the time of the checkpoint',
    },
    async ({ disk }, { dir }, query) => listHosts(dir, (await askedOf(disk, dir)).agents, query),
  ),
  route(
    'GET',
    '/crawls/{crawl}/url',
    'The life of a URL, and why it is where it is.',
    { url },
    {
      reason: 'a word for programs',
      answer: 'the same as a sentence',
      steps: 'each part that decides: `part`, `verdict`, `fact`',
      captures: 'its captures',
      log: 'events about it and its host',
    },
    ({ disk }, crawl, values) => lifeOf(disk, crawl, values.url),
  ),
  route(
    'GET',
    '/crawls/{crawl}/captures',
    'Captures in the order of the index.',
    {
      ...SELECTION,
      after: maybe(text('`next` of the page before', 10_000)),
      count: maybe(whole('captures to return', 1, 500), 50),
    },
    { captures: 'as in CDXJ', next: 'for the next page; absent on the last' },
    (_, { archive }, query) => listCaptures(archive, query),
  ),
  route(
    'GET',
    '/crawls/{crawl}/capture',
    'One capture: record, headers, text.',
    { url, time },
    {
      capture: 'as in CDXJ',
      warc: 'the fields of the record',
      head: 'the head of the response',
      text: 'its visible text',
      frame: 'the port and path of the sandboxed page',
    },
    async ({ frame }, { archive }, values) => {
      const view = await viewCapture(archive, values.url, values.time);
      const path = frame.ticket(() => capturedBody(archive, values.url, values.time));
      return { ...view, frame: { port: frame.port, path } };
    },
  ),
  route(
    'GET',
    '/crawls/{crawl}/capture/raw',
    'The response as stored, to download.',
    { url, time },
    {},
    async (_, { archive }, values) => {
      const { block } = await capturedBody(archive, values.url, values.time);
      return new RawAnswer(block, 'application/octet-stream', 'response.http');
    },
  ),
  route(
    'GET',
    '/crawls/{crawl}/download',
    'The records of captures as one file; a revisit comes with the page that it refers to.',
    {
      ...SELECTION,
      time: maybe(time),
      format: maybe(choice('the kind of file', ['warc', 'wacz']), 'warc'),
    },
    {},
    async ({ disk, clock }, { id, archive }, { format, ...query }) =>
      format === 'warc'
        ? new RawAnswer(await warcOf(archive, query), 'application/warc', `${id}.warc.gz`)
        : new RawAnswer(
            await waczOf(disk, archive, query, id, clock.now()),
            'application/wacz',
            `${id}.wacz`,
          ),
  ),
  route(
    'GET',
    '/crawls/{crawl}/search',
    'Full text, where the console finds an index of `drumlin search index`.',
    {
      query: maybe(
        text('words and phrases, as `drumlin search` takes them; none: only `indexes`'),
        '',
      ),
      count: maybe(whole('pages to return', 1, 100), 20),
    },
    {
      indexes: 'folders of indexes with pages of this crawl',
      results: 'each with `url`, `title`, `snippet`, `stored`, `first`, `last` and `captures`',
    },
    (_, { fullText }, query) => fullText.search(query),
  ),
  route(
    'GET',
    '/crawls/{crawl}/compare',
    'What differs in the text of two captures.',
    {
      url,
      a: time,
      b: time,
    },
    { pieces: 'each `same`, `old` or `new`, with its `text`' },
    async (_, { archive }, values) => ({
      pieces: await compareCaptures(archive, values.url, [values.a, values.b]),
    }),
  ),
  route(
    'GET',
    '/crawls/{crawl}/graph',
    'Domains that link to a domain, and those that it links to.',
    {
      domain: text('the domain in the middle', 253),
      count: maybe(whole('domains to return', 1, 200), 60),
    },
    {
      domain: 'its row',
      sources: 'the best-ranked domains that link to it',
      known: 'how many do',
      targets: 'domains that it links to, with the `pages` that do; from a sample of its pages',
      linked: 'how many there are',
      pagesRead: 'pages in the sample',
    },
    (_, crawl, values) => graphAround(crawl, values),
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
    async ({ disk }, { dir }) => ({
      settings: await settingsOf(disk, dir),
      tuning: await readTuning(disk, dir),
    }),
  ),
  route(
    'GET',
    '/crawls/{crawl}/log',
    'The log, newest first.',
    {
      event: maybe(choice('only this event', EVENT_NAMES)),
      contains: maybe(text('only lines with this text', 2048)),
      before: maybe(whole('`before` of the last page', 0, Number.MAX_SAFE_INTEGER)),
      count: maybe(whole('lines to return', 1, 1000), 100),
    },
    { lines: 'the events', before: 'for the next page; 0 at the end', end: 'length of the file' },
    ({ disk }, { dir }, query) => readLog(disk, dir, query),
  ),
];

const CHANGING: readonly Route[] = [
  route(
    'PATCH',
    '/crawls/{crawl}/settings',
    'Changes settings; a running crawl applies them at a checkpoint.',
    {
      settings: textsByName('values by key or flag, as on the command line', 40),
    },
    { changed: 'what holds now, a line each' },
    async ({ disk }, { dir }, { settings }) => ({
      changed: await changeCrawl(disk, dir, BY, { settings }),
    }),
  ),
  route(
    'POST',
    '/crawls/{crawl}/control',
    'Pauses, resumes or stops a crawl, or makes a checkpoint.',
    {
      action: choice('what to do', ['pause', 'resume', 'stop', 'checkpoint']),
    },
    { changed: 'what holds now, a line each' },
    async ({ disk }, { dir }, { action }) => ({
      changed: await changeCrawl(disk, dir, BY, CONTROLS[action]),
    }),
  ),
  route(
    'POST',
    '/crawls/{crawl}/seeds',
    'Adds seeds.',
    {
      seeds: texts('URLs', 1000),
    },
    { changed: 'the seeds that are new' },
    async ({ disk }, { dir }, { seeds }) => ({
      changed: await changeCrawl(disk, dir, BY, { seeds }),
    }),
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
    ({ disk }, { dir }, { decision, budget }, name) =>
      decideDomain(
        disk,
        dir,
        name,
        decision,
        budget === undefined ? undefined : parseCount(budget),
        BY,
      ),
  ),
];

const CONTROLS = {
  pause: { paused: true },
  resume: { paused: false },
  stop: { stop: true },
  checkpoint: {},
} as const;

export const ROUTES: readonly Route[] = [...LOOKING, ...CHANGING];
