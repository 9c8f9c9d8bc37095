/**
 * The life of a URL in a crawl: every part that decides about it, what the part says, and which one
 * settled it. It answers "why was this page not crawled?".
 *
 * Idea      The parts are those of the crawl itself, asked once more: canonical form, scope,
 *           filters, the operator's decision, robots.txt as archived, the sieve, the queues, the
 *           archive, the log. The first of them that explains where the URL is now is the reason.
 *           Of a URL that is neither queued nor in the archive, the list of skipped URLs holds why:
 *           also what a filter or a limit of an earlier time decided.
 * Requires  The folder of a crawl, running or stopped. What is in memory only is as old as the last
 *           checkpoint.
 * Ensures   Facts that are not stored are reported as not known, never guessed.
 */
import type { Capture } from '../../archive/index/cdxj.ts';
import { type Bytes, counted, formatCount, type Millis } from '../../base/units.ts';
import { type CrawlConfig, resolveConfig } from '../../config/settings.ts';
import { identityOf } from '../../crawl/agent/client-setup.ts';
import { createScope } from '../../crawl/agent/scope.ts';
import { type SkippedUrl, skippedUrl } from '../../crawl/skipped/list-skipped.ts';
import { askedOf } from '../../crawl/state/crawl-folder.ts';
import { placeOf, type UrlPlace } from '../../crawl/state/url-place.ts';
import type { Disk } from '../../disk/disk.ts';
import { readOverrides } from '../../reputation/budget/overrides.ts';
import { canonicaliseOrReason } from '../../url/canonical.ts';
import { payLevelDomain } from '../../url/domain.ts';
import { hostOf } from '../../url/parts.ts';
import type { CrawlArchive } from './crawl-archive.ts';
import type { DomainTables } from './domain-table.ts';
import { becauseOf, type FilterVerdicts, filterVerdicts } from './filter-verdicts.ts';
import { type LogLine, readLog } from './log.ts';
import { type RobotsView, robotsOf } from './robots.ts';
import { reasonOfSkip, skipSentence } from './skip-words.ts';

/** One part that was asked. */
interface UrlStep {
  readonly part: string;
  /** `stops` if the part alone keeps the URL from being fetched. */
  readonly verdict: 'passes' | 'stops' | 'unknown';
  readonly fact: string;
}

/** Why the URL is where it is; these have answers of their own. */
type KnownReason =
  | 'not-a-url'
  | 'fetched'
  | 'queued'
  | 'blocked'
  | 'budget-0'
  | 'url-too-long'
  | 'too-deep'
  | 'repeated-segments'
  | 'out-of-scope'
  | 'excluded'
  | 'not-included'
  | 'blacklist'
  | 'schedule-filter'
  | 'fetch-filter'
  | 'robots'
  | 'failed'
  | 'left-without-capture'
  | 'never-discovered';

/** Beside them, every reason of the list of skipped URLs. */
export type UrlReason = KnownReason | (string & {});

interface UrlLife {
  readonly given: string;
  readonly reason: UrlReason;
  /** The answer in a sentence. */
  readonly answer: string;
  readonly url: string | undefined;
  readonly domain: string | undefined;
  readonly partition: number | undefined;
  readonly agent: number | undefined;
  readonly stage: UrlPlace['stage'] | undefined;
  readonly depth: number | undefined;
  /** The time of the checkpoint that the queues are as of. */
  readonly asOf: Millis | undefined;
  readonly steps: readonly UrlStep[];
  readonly captures: readonly Capture[];
  readonly log: readonly LogLine[];
}

const MOST_CAPTURES = 100;
const MOST_LINES = 20;
/** Text of the list of skipped URLs that is looked through. */
const MOST_SKIPPED: Bytes = 256 * 2 ** 20;

interface UrlParts {
  readonly dir: string;
  readonly tables: DomainTables;
  readonly archive: CrawlArchive;
}

export async function lifeOf(
  disk: Disk,
  { dir, tables, archive: archived }: UrlParts,
  given: string,
): Promise<UrlLife> {
  const { settings, agents, seeds, moved } = await askedOf(disk, dir);
  const config = resolveConfig({ ...settings, dir });
  const url = canonicaliseOrReason(given);
  if (typeof url !== 'string') return noUrl(given, url.fact);
  const host = hostOf(url);
  const domain = payLevelDomain(host);
  const place = await placeOf(dir, agents, url);
  const isSeed = seeds.includes(url);
  const depth = place.discovery?.depth ?? (isSeed ? 0 : undefined);
  const captures = await capturesOf(archived, url);
  const isOpen = captures.length === 0 && !QUEUED.includes(place.stage);
  const facts: Facts = {
    ...{ disk, dir, config, url, domain, place, depth, isSeed, captures },
    skipped: isOpen ? await skippedUrl(disk, dir, url, MOST_SKIPPED) : undefined,
    log: await failuresOf(disk, dir, url, host),
    robots: await robotsOf(archived, url, identityOf(config).productToken, place.host),
    override: (await readOverrides(disk, dir)).get(domain),
    budget: config.order === 'budget' ? await tables.budgetOf(domain) : undefined,
    scope: scopeOf(config, seeds, moved, url, depth ?? (isSeed ? 0 : 1)),
    filters: await filterVerdicts(disk, dir, config, url, depth ?? 1),
  };
  const reason = reasonFor(facts);
  const answer = ANSWERS[reason as KnownReason] ?? answerOfSkip;
  return {
    ...{ given, reason, url, domain, partition: place.partition, agent: place.agent, depth },
    ...{ stage: place.stage, asOf: place.savedAt, captures: facts.captures, log: facts.log },
    answer: answer(facts),
    steps: stepsOf(facts),
  };
}

interface Facts {
  readonly disk: Disk;
  readonly dir: string;
  readonly config: CrawlConfig;
  readonly url: string;
  readonly domain: string;
  readonly place: UrlPlace;
  readonly depth: number | undefined;
  readonly isSeed: boolean;
  readonly captures: readonly Capture[];
  /** What the list of skipped URLs has of it. */
  readonly skipped: SkippedUrl | undefined;
  readonly log: readonly LogLine[];
  readonly robots: RobotsView;
  readonly override: number | 'blocked' | 'trusted' | undefined;
  readonly budget: number | undefined;
  readonly scope: ScopeReason | undefined;
  readonly filters: FilterVerdicts;
}

function noUrl(given: string, fact: string): UrlLife {
  return {
    ...{ given, reason: 'not-a-url', answer: `It cannot be crawled: ${fact}` },
    ...{ url: undefined, domain: undefined, partition: undefined, agent: undefined },
    ...{ stage: undefined, depth: undefined, asOf: undefined, captures: [], log: [] },
    steps: [{ part: 'canonical form', verdict: 'stops', fact }],
  };
}

async function capturesOf(archived: CrawlArchive, url: string): Promise<Capture[]> {
  const archive = await archived.open();
  const found: Capture[] = [];
  if (!archive) return found;
  for await (const capture of archive.captures({ url })) {
    // The key of the index is the same for http and https, with and without www.
    if (capture.url === url) found.push(capture);
    if (found.length === MOST_CAPTURES) break;
  }
  return found;
}

/** What the log says of the URL, or of its host. */
async function failuresOf(disk: Disk, dir: string, url: string, host: string): Promise<LogLine[]> {
  const { lines } = await readLog(disk, dir, { contains: host, count: 1000 });
  const about = lines.filter(
    (line) => line.url === url || (line.host === host && /^host-/.test(line.event)),
  );
  return about.slice(0, MOST_LINES);
}

type ScopeReason = NonNullable<ReturnType<ReturnType<typeof createScope>['refusal']>>;

function scopeOf(
  config: CrawlConfig,
  seeds: readonly string[],
  moved: readonly (readonly [string, string])[],
  url: string,
  depth: number,
): ScopeReason | undefined {
  const scope = createScope(config, seeds);
  for (const [from, to] of moved) scope.admitSeedRedirect(from, to);
  return scope.refusal(url, depth) ?? scope.trap(url);
}

const QUEUED: readonly UrlPlace['stage'][] = [
  ...(['in-transit', 'offered', 'answered', 'placing', 'round', 'backlog', 'front'] as const),
  'under-way',
];

/** The first part that explains where the URL is. */
function reasonFor(facts: Facts): UrlReason {
  const { captures, place, override, budget } = facts;
  if (captures.length > 0) return 'fetched';
  const { stage } = place;
  if (QUEUED.includes(stage)) {
    if (override === 'blocked') return 'blocked';
    const isPutOff = stage === 'round' || stage === 'placing';
    return isPutOff && (override ?? budget) === 0 ? 'budget-0' : 'queued';
  }
  return stage === 'gone' ? reasonGone(facts) : reasonNever(facts);
}

/** What the list of skipped URLs says, where no part says it now. */
const recorded = ({ skipped }: Facts): UrlReason | undefined =>
  skipped && reasonOfSkip(skipped.reason);

const answerOfSkip = ({ skipped }: Facts): string => skipSentence(skipped?.reason ?? '');

/** The answer of a part that says so now; else that of the list. */
const nowOrThen =
  (isNow: (facts: Facts) => boolean, now: (facts: Facts) => string) =>
  (facts: Facts): string =>
    isNow(facts) || !facts.skipped ? now(facts) : answerOfSkip(facts);

/** It has left the queues without a capture. */
function reasonGone(facts: Facts): UrlReason {
  const then = recorded(facts);
  if (then !== undefined) return then;
  const { log, override, robots, filters, scope, place } = facts;
  if (hasFailed(log) || place.host?.givenUp) return 'failed';
  if (override === 'blocked') return 'blocked';
  if (filters.blacklisted) return 'blacklist';
  if (robots.allowed === false) return 'robots';
  if (filters.stages.get('fetch')?.accepted === false) return 'fetch-filter';
  return scope ?? 'left-without-capture';
}

/** No checkpoint knows it. */
function reasonNever(facts: Facts): UrlReason {
  const { scope, filters, isSeed } = facts;
  if (scope) return scope;
  if (filters.blacklisted) return 'blacklist';
  if (!isSeed && filters.stages.get('schedule')?.accepted === false) return 'schedule-filter';
  return recorded(facts) ?? 'never-discovered';
}

const isOutside = ({ scope }: Facts): boolean => scope !== undefined;
const rejects =
  (stage: 'schedule' | 'fetch') =>
  ({ filters }: Facts) =>
    filters.stages.get(stage)?.accepted === false;

const ANSWERS: Readonly<Record<KnownReason, (facts: Facts) => string>> = {
  'not-a-url': () => 'It cannot be crawled.',
  fetched: ({ captures }) =>
    `It was fetched ${captures.length === 1 ? 'once' : `${captures.length} times`}; last with status ${captures.at(-1)?.status || 'unknown'}.`,
  queued: ({ place }) => `It is queued: ${whereText(place)}.`,
  blocked: nowOrThen(
    ({ override }) => override === 'blocked',
    ({ domain }) => `Its domain ${domain} is blocked by the operator (domains.tsv).`,
  ),
  'budget-0': ({ domain }) =>
    `It is put off: the budget of its domain ${domain} is 0 URLs a round.`,
  'url-too-long': nowOrThen(
    isOutside,
    ({ config }) => `It is longer than --max-url-length ${config.maxUrlLength}.`,
  ),
  'too-deep': nowOrThen(
    isOutside,
    ({ config }) => `It is deeper than --max-depth ${config.maxDepth}.`,
  ),
  'repeated-segments': () => 'Its path repeats itself, as in a trap (--max-repeats).',
  'out-of-scope': nowOrThen(
    isOutside,
    ({ config }) => `It is outside of the scope (--scope ${config.scope}).`,
  ),
  excluded: nowOrThen(isOutside, () => 'A pattern of --exclude matches it.'),
  'not-included': nowOrThen(isOutside, () => 'No pattern of --include matches it.'),
  blacklist: ({ config }) => `It is in the blacklist ${config.blacklist}.`,
  'schedule-filter': nowOrThen(
    rejects('schedule'),
    ({ filters }) => `The schedule filter rejects it: ${becauseOf(filters, 'schedule')}.`,
  ),
  'fetch-filter': nowOrThen(
    rejects('fetch'),
    ({ filters }) => `The fetch filter rejects it: ${becauseOf(filters, 'fetch')}.`,
  ),
  robots: nowOrThen(
    ({ robots }) => robots.allowed === false,
    ({ robots }) => `robots.txt forbids it: ${robots.fact}.`,
  ),
  failed: nowOrThen(
    ({ log, place }) => hasFailed(log) || place.host?.givenUp !== undefined,
    ({ log, place }) => `It failed: ${failureText(log, place)}.`,
  ),
  'left-without-capture': ({ config }) =>
    config.store === 'warc'
      ? `It was discovered and is no longer queued, and the archive has no capture of it. ${config.listSkipped ? 'Nothing says why.' : 'The crawl keeps no list of skipped URLs (--list-skipped), which would say why.'}`
      : `It was discovered and is no longer queued; this crawl keeps no archive (--store ${config.store}).`,
  'never-discovered': () =>
    'No page that was fetched so far links to it, as of the last checkpoint.',
};

const hasFailed = (log: readonly LogLine[]): boolean =>
  log.some(({ event }) => event === 'url-given-up' || event === 'host-given-up');

function failureText(log: readonly LogLine[], place: UrlPlace): string {
  const line = log.find(({ event }) => /-given-up$/.test(event));
  if (!line) return `its host cannot be reached (${place.host?.givenUp?.fault})`;
  const subject = line.event === 'host-given-up' ? `the host ${line.host} was given up, ` : '';
  // Some causes are sentences of their own.
  const why = String(line.why ?? '').replace(/\.$/, '');
  return `${subject}${line.fault}${why === '' ? '' : ` (${why})`}`;
}

function whereText({ stage, before = 0, round, roundNow }: UrlPlace): string {
  const behind =
    before === 0 ? 'first of its host' : `behind ${formatCount(before)} others of its host`;
  switch (stage) {
    case 'under-way':
      return 'it is next at its host, or being fetched';
    case 'front':
      return `in memory, ${behind}`;
    case 'backlog':
      return `on disk, ${behind}`;
    case 'round':
      return round === 'later'
        ? 'put off to a later round: the coming ones hold all that its domain may put there'
        : `for round ${round}; round ${roundNow} was read last`;
    case 'placing':
      return 'its domain has not placed it in a round yet';
    case 'answered':
      return 'it is new, and waits to be taken from the sieve';
    case 'offered':
      return 'it is discovered, and waits to be compared with the URLs seen';
    default:
      return 'it is on its way to the agent that owns its domain';
  }
}

/** The parts that decide now; the list only where none of them stops the URL. */
function stepsOf(facts: Facts): UrlStep[] {
  const steps = partsOf(facts);
  const { skipped } = facts;
  if (!skipped || steps.some(({ verdict }) => verdict === 'stops')) return steps;
  const fact = `${skipped.reason} (${skipped.kind})`;
  return [...steps, { part: 'list of skipped URLs', verdict: 'stops', fact }];
}

function partsOf(facts: Facts): UrlStep[] {
  const { url, domain, place, isSeed, depth, scope, config, override, robots, captures } = facts;
  const { budget } = facts;
  const step = (part: string, stops: boolean | undefined, fact: string): UrlStep => ({
    ...{ part, fact },
    verdict: stops === undefined ? 'unknown' : stops ? 'stops' : 'passes',
  });
  const at = depth === undefined ? 'as a link (its depth is not stored)' : `at depth ${depth}`;
  return [
    step('canonical form', false, url),
    step('domain', false, `${domain}, partition ${place.partition}, agent ${place.agent}`),
    ...(isSeed ? [step('seed', false, 'it is a seed of the crawl')] : []),
    step(
      'scope',
      scope !== undefined,
      scope ? `${scope}, ${at}` : `--scope ${config.scope}, ${at}`,
    ),
    ...filterSteps(facts, step),
    step(
      'operator',
      override === 'blocked',
      override === undefined ? 'no decision for its domain' : `${domain}: ${override}`,
    ),
    ...(budget === undefined
      ? []
      : [step('budget', budget === 0, `${counted(budget, 'URL')} a round`)]),
    step('seen', false, SEEN[place.stage]),
    step('queue', false, QUEUED.includes(place.stage) ? whereText(place) : 'not queued'),
    step('robots.txt', robots.allowed === undefined ? undefined : !robots.allowed, robots.fact),
    step('host', place.host?.givenUp !== undefined, hostText(place)),
    step(
      'archive',
      captures.length > 0 ? false : undefined,
      captures.length === 0 ? 'no capture' : counted(captures.length, 'capture'),
    ),
  ];
}

function filterSteps(
  { filters, config }: Facts,
  step: (part: string, stops: boolean | undefined, fact: string) => UrlStep,
): UrlStep[] {
  const listed =
    config.blacklist === ''
      ? []
      : [
          step(
            'blacklist',
            filters.blacklisted,
            filters.blacklisted ? 'it is in it' : 'it is not in it',
          ),
        ];
  const stages = [...filters.stages].map(([stage, { accepted, text }]) => {
    const stops = accepted === undefined ? undefined : !accepted;
    return step(`${stage} filter`, stops, `${text}: ${becauseOf(filters, stage)}`);
  });
  return [...listed, ...stages];
}

const SEEN: Readonly<Record<UrlPlace['stage'], string>> = {
  never: 'never discovered, as of the last checkpoint',
  'in-transit': 'discovered, on its way to its agent',
  offered: 'discovered, and not compared with the URLs seen yet',
  answered: 'discovered, and new',
  placing: 'discovered, and new',
  round: 'discovered, and new',
  backlog: 'discovered, and new',
  front: 'discovered, and new',
  'under-way': 'discovered, and new',
  gone: 'discovered, and no longer queued',
};

function hostText({ host }: UrlPlace): string {
  if (!host) return 'not in memory';
  if (host.givenUp) return `given up (${host.givenUp.fault}) until ${iso(host.givenUp.until)}`;
  const address = host.addresses[0]?.ip ?? 'no address yet';
  return `${address}, ${formatCount(host.pages)} pages fetched, ready at ${iso(host.readyAt)}`;
}

const iso = (time: Millis): string => new Date(time).toISOString();
