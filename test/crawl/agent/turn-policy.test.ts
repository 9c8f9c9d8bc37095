/** The policy of a turn, step by step, with the real frontier and no I/O. */
import { describe, expect, test } from 'vitest';
import type { Millis } from '../../../src/base/units.ts';
import { type CrawlOptions, resolveConfig } from '../../../src/config/settings.ts';
import { type Step, TurnPolicy, type TurnState } from '../../../src/crawl/agent/turn-policy.ts';
import { Counters } from '../../../src/crawl/record/counters.ts';
import { Backlog } from '../../../src/frontier/backlog/backlog.ts';
import { Frontier, type HostTurn } from '../../../src/frontier/frontier.ts';
import { AskedDelays } from '../../../src/politeness/asked-delays.ts';
import { limitsOf } from '../../../src/politeness/front-limits.ts';
import { Politeness } from '../../../src/politeness/politeness.ts';
import { FENCE_PAUSE, RetryPolicy } from '../../../src/politeness/retries-and-pauses.ts';
import { parseRobots, type RobotsRules, UNREACHABLE } from '../../../src/robots/parse-robots.ts';
import { virtualClock } from '../../fetch/virtual-clock.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const ALL_ALLOWED = parseRobots(new Uint8Array(), 'drumlin');
const HEADERS = { get: () => undefined, all: () => [], entries: () => [] };

interface World {
  readonly policy: TurnPolicy;
  readonly frontier: Frontier;
  readonly counters: Counters;
  readonly clock: ReturnType<typeof virtualClock>;
  readonly refused: Record<string, number>;
  /** The next turn, which must be ready now. */
  turn(): HostTurn;
  answer(state: TurnState, status: number, elapsed?: number, retryAfter?: string): boolean;
}

interface Circumstances extends CrawlOptions {
  readonly urls?: readonly string[];
  readonly addresses?: readonly string[];
  /** 'unknown' before robots.txt was requested. */
  readonly rules?: RobotsRules | 'unknown';
  readonly claims?: number;
  readonly stopping?: boolean;
  readonly excuses?: boolean;
  /** For how long the host asked to be left in peace while its page was rendered. */
  readonly askedFor?: Millis;
}

/** One host with URLs to fetch. */
function world(circumstances: Circumstances = {}): World {
  const {
    urls = ['/1', '/2', '/3'],
    addresses = ['192.0.2.1'],
    rules = ALL_ALLOWED,
    claims = 100,
    stopping = false,
    excuses = false,
    askedFor,
    ...settings
  } = circumstances;
  const config = resolveConfig({ delay: 0, ...settings });
  const clock = virtualClock();
  const refused: Record<string, number> = {};
  const frontier = new Frontier({
    backlog: Backlog.inMemory(),
    store: undefined,
    clock,
    limits: { ...limitsOf(config), hosts: Infinity, urls: Infinity },
    onSkipped: (reason, count) => {
      refused[reason] = (refused[reason] ?? 0) + count;
    },
  });
  for (const path of urls)
    frontier.add({ url: new URL(path, 'http://host.test').href, depth: 0, redirects: 0 });
  const host = frontier.unresolved();
  if (host)
    frontier.resolved(
      host,
      addresses.map((ip) => ({ ip, family: 4 })),
    );
  const counters = new Counters();
  let left = claims;
  const policy = new TurnPolicy({
    clock,
    frontier,
    counters,
    politeness: new Politeness(config, new AskedDelays(config, undefined), undefined),
    retries: new RetryPolicy(config),
    robots: {
      lookUp: () => (rules === 'unknown' ? undefined : rules),
      askAt: (_, url) => (url.includes(':8080') ? clock.now() + MINUTE : 0),
    },
    stillWants: () => true,
    replaces: () => false,
    claimPage: () => left-- > 0,
    stopping: () => stopping,
    excuses: () => excuses,
    askedPause: () =>
      askedFor === undefined ? undefined : { until: clock.now() + askedFor, cause: 'status-429' },
  });
  return {
    policy,
    frontier,
    counters,
    clock,
    refused,
    turn: () => {
      const turn = frontier.acquire(clock.now());
      if (!turn) throw new Error('No host is ready.');
      return turn;
    },
    answer: (state, status, elapsed = 10, retryAfter) => {
      const headers = { ...HEADERS, get: () => retryAfter };
      const final = policy.answered(state, { status, headers, elapsed });
      if (final) frontier.countPage(state.turn);
      return final;
    },
  };
}

/** Begins a turn and takes its first step. */
function first({ policy, turn }: World): { state: TurnState; step: Step } {
  const state = policy.begin(turn());
  return { state, step: policy.next(state) };
}

describe('a turn', () => {
  test('makes one request where delays are set, and pauses the host from its end', () => {
    const made = world({ delay: 4 * SECOND, addressDelay: 1 * SECOND });
    const { state, step } = first(made);
    expect([step, state.discovery.url]).toEqual(['fetch', 'http://host.test/1']);
    made.clock.advance(500);
    expect(made.answer(state, 200)).toBe(true);
    expect(made.policy.continues(state)).toBe(false);
    made.policy.release(state);
    expect(made.frontier.nextReadyAt()).toBe(made.clock.now() + 4 * SECOND);
  });

  test('whose request was cut off by a fence pauses longer: the server may read it only now', () => {
    const made = world({ delay: 4 * SECOND, addressDelay: 1 * SECOND });
    const { state } = first(made);
    made.clock.advance(500);
    expect(made.policy.failed(state, 'fenced')).toBe(true);
    made.policy.release(state);
    expect(made.frontier.nextReadyAt()).toBe(made.clock.now() + 4 * SECOND + FENCE_PAUSE);
  });

  test('whose only request was withdrawn pauses nothing, and takes the next URL', () => {
    const made = world({ delay: 4 * SECOND });
    const { state } = first(made);
    made.policy.withdrawn(state);
    expect(made.counters.requests).toBe(0);
    expect(made.policy.continues(state)).toBe(true);
    expect([made.policy.next(state), state.discovery.url]).toEqual(['fetch', 'http://host.test/2']);
    made.policy.withdrawn(state);
    made.policy.release(state);
    expect(made.frontier.nextReadyAt()).toBe(made.clock.now());
  });

  test('takes one URL after the other where delays are zero, for two seconds', () => {
    const made = world({ urls: Array.from({ length: 50 }, (_, i) => `/${i}`) });
    const { policy, clock } = made;
    const state = policy.begin(made.turn());
    let pages = 0;
    do {
      expect(policy.next(state)).toBe('fetch');
      clock.advance(100);
      made.answer(state, 200, 100);
      pages++;
    } while (policy.continues(state));
    expect(pages).toBe(20);
  });

  test('pauses the host for a second while other turns fetch the last pages of its domain', () => {
    const made = world({ maxPagesPerDomain: 1 });
    const turn = made.turn();
    turn.host.domain.underWay = 1;
    const state = made.policy.begin(turn);
    expect(made.policy.next(state)).toBe('end');
    made.policy.release(state);
    expect(made.frontier.nextReadyAt()).toBe(made.clock.now() + 1 * SECOND);
    expect(made.frontier.queued).toBe(3);
  });

  test('ends without a request, and keeps the URL, when no page is left to claim', () => {
    const made = world({ delay: 4 * SECOND, claims: 0 });
    const { state, step } = first(made);
    expect(step).toBe('end');
    made.policy.release(state);
    expect(made.frontier.queued).toBe(3);
    expect(made.frontier.nextReadyAt()).toBeLessThanOrEqual(made.clock.now());
  });
});

describe('robots.txt', () => {
  test('is requested before the URL, which stays queued', () => {
    const made = world({ rules: 'unknown' });
    expect(first(made).step).toBe('ask-robots');
    expect(made.frontier.queued).toBe(3);
  });

  test('is not requested again at once, and other origins of the host do not wait for it', () => {
    const made = world({ rules: 'unknown', urls: ['http://host.test:8080/', '/1'] });
    const { state, step } = first(made);
    expect(step).toBe('skip');
    expect(made.policy.continues(state)).toBe(true);
    expect(made.policy.next(state)).toBe('ask-robots');
    expect(state.discovery.url).toBe('http://host.test/1');
    expect(made.frontier.queued).toBe(2);
  });

  test('is not requested by an agent that is stopping', () => {
    expect(first(world({ rules: 'unknown', stopping: true })).step).toBe('end');
  });

  test('skips URLs that it disallows, and fails them when it cannot be fetched', () => {
    const rules = parseRobots(Buffer.from('User-agent: *\nDisallow: /1\n'), 'drumlin');
    const made = world({ rules });
    const { state, step } = first(made);
    expect([step, made.counters.disallowed]).toEqual(['skip', 1]);
    expect(made.policy.continues(state)).toBe(true);
    expect(made.policy.next(state)).toBe('fetch');
    expect(first(world({ rules: UNREACHABLE })).step).toBe('unreachable');
  });

  test('ends the turn when another turn holds the host that it redirects to', () => {
    const made = world({ rules: 'unknown' });
    const { state } = first(made);
    made.policy.askedRobots(state, { requested: false, pause: 250 });
    expect(made.policy.continues(state)).toBe(false);
    made.policy.release(state);
    expect(made.frontier.nextReadyAt()).toBe(made.clock.now() + 250);
  });
});

describe('a response', () => {
  test.each([
    503, 429,
  ])('of status %i does not pause the host, and is retried after the others', (status) => {
    const made = world({ urls: ['/1', '/2'] });
    const { state } = first(made);
    expect(made.answer(state, status)).toBe(false);
    expect(state.pause).toBe(0);
    expect([made.policy.next(state), state.discovery.url]).toEqual(['fetch', 'http://host.test/2']);
    made.answer(state, 200);
    expect(made.policy.next(state)).toBe('end');
    expect(state.cause).toBe(`status-${status}`);
    expect(state.retriesAfter).toBe((status === 429 ? 5 : 2) * MINUTE);
    expect(made.counters.retries).toEqual({ [`status-${status}`]: 1 });
  });

  test('with Retry-After pauses the host for as long as it asks, up to an hour', () => {
    for (const [asked, pause] of [
      ['2', 2 * SECOND],
      ['900', 15 * MINUTE],
      ['999999', 60 * MINUTE],
    ] as const) {
      const made = world({ urls: ['/1', '/2'] });
      const { state } = first(made);
      made.answer(state, 429, 10, asked);
      expect([state.pause, state.cause]).toEqual([pause, 'status-429']);
      expect(made.policy.continues(state)).toBe(false);
      made.policy.release(state);
      made.clock.advance(pause);
      const next = first(made).state;
      expect(next.discovery.url).toBe('http://host.test/2');
      made.answer(next, 200);
      expect(made.policy.next(next)).toBe('fetch');
      expect(next.discovery).toMatchObject({ url: 'http://host.test/1', attempts: 1 });
    }
  });

  test('that fails again and again pauses the host longer each time', () => {
    const made = world({ urls: Array.from({ length: 9 }, (_, i) => `/${i}`) });
    const pauses = Array.from({ length: 9 }, () => {
      const { state } = first(made);
      made.answer(state, 503);
      made.policy.release(state);
      made.clock.advance(state.pause);
      return state.pause / SECOND;
    });
    expect(pauses).toEqual([0, 0, 1, 2, 4, 8, 16, 32, 64]);
  });

  test('waits for its own retry, whatever other URLs of the host wait for', () => {
    const made = world({ urls: ['/1', '/2'] });
    const { state } = first(made);
    made.answer(state, 503);
    made.policy.next(state);
    made.answer(state, 500);
    expect(made.policy.next(state)).toBe('end');
    expect(state.retriesAfter).toBe(30 * SECOND);
    made.policy.release(state);
    made.clock.advance(30 * SECOND);
    const again = first(made);
    expect(again.state.discovery.url).toBe('http://host.test/2');
    made.answer(again.state, 200);
    expect(made.policy.next(again.state)).toBe('end');
    expect(again.state.retriesAfter).toBe(90 * SECOND);
  });

  test('of status 503 is final after three retries', () => {
    const made = world({ urls: ['/1'] });
    const finals: boolean[] = [];
    for (let i = 0; i < 4; i++) {
      const { state } = first(made);
      finals.push(made.answer(state, 503));
      made.policy.release(state);
      made.clock.advance(2 * MINUTE);
    }
    expect(finals).toEqual([false, false, false, true]);
    expect(made.frontier.queued).toBe(0);
  });

  test('of status 500 is retried after the other URLs, and then the host waits for it', () => {
    const made = world({ urls: ['/1', '/2'] });
    const { policy, clock } = made;
    const { state } = first(made);
    expect(made.answer(state, 500)).toBe(false);
    expect(policy.continues(state)).toBe(true);
    expect([policy.next(state), state.discovery.url]).toEqual(['fetch', 'http://host.test/2']);
    made.answer(state, 200);
    expect(policy.next(state)).toBe('end');
    expect(state.retriesAfter).toBe(30 * SECOND);
    policy.release(state);
    // New URLs of the host may come meanwhile.
    expect(made.frontier.nextReadyAt()).toBe(clock.now() + 1 * SECOND);
    clock.advance(30 * SECOND);
    expect(first(made).state.discovery).toMatchObject({ url: 'http://host.test/1', attempts: 1 });
  });
});

describe('a failure', () => {
  test('is retried by the table, and repeated ones pause the host', () => {
    const made = world({ urls: ['/1'] });
    const outcomes: [boolean, number][] = [];
    for (let i = 0; i < 3; i++) {
      const { state } = first(made);
      outcomes.push([made.policy.failed(state, 'connect-refused'), state.pause / SECOND]);
      made.policy.release(state);
      made.clock.advance(1 * MINUTE);
    }
    expect(outcomes).toEqual([
      [true, 0],
      [true, 5],
      [false, 10],
    ]);
    expect(made.counters.retries).toEqual({ 'connect-refused': 2 });
  });

  test('of one URL lets the others of the host go first', () => {
    const made = world({ urls: ['/1', '/2', '/3'] });
    const { state } = first(made);
    expect(made.policy.failed(state, 'response-timeout')).toBe(true);
    for (const path of ['/2', '/3']) {
      expect(made.policy.continues(state)).toBe(true);
      expect([made.policy.next(state), state.discovery.url]).toEqual([
        'fetch',
        `http://host.test${path}`,
      ]);
      made.answer(state, 200);
    }
    expect(made.policy.next(state)).toBe('end');
    expect([state.retriesAfter, state.cause]).toEqual([1 * MINUTE, 'response-timeout']);
  });

  test.each([
    [0, 3],
    [3, 9],
    [5, 15],
  ])('with --retries %i gives the host up after %i requests in a row without an answer', (retries, inRow) => {
    const urls = Array.from({ length: 30 }, (_, i) => `/${i}`);
    const made = world({ retries, urls, retryWait: 60 });
    let requests = 0;
    for (let lost: number | undefined; lost === undefined; requests++) {
      const { state } = first(made);
      expect(made.policy.failed(state, 'response-timeout')).toBe(retries > 0);
      lost = made.policy.givesUpHost(state, 'response-timeout');
      made.policy.release(state);
      made.clock.advance(state.pause);
    }
    expect(requests).toBe(inRow);
    expect(made.frontier.queued).toBe(0);
  });

  test('is retried at once at the other address of the host', () => {
    const made = world({ addresses: ['192.0.2.1', '192.0.2.2'] });
    const { state } = first(made);
    expect(made.policy.failed(state, 'connect-timeout')).toBe(true);
    expect(state.pause).toBe(0);
    expect(made.policy.continues(state)).toBe(false);
    made.policy.release(state);
    expect(made.turn().address.ip).toBe('192.0.2.2');
  });

  test('that an outage explains is retried without end', () => {
    const made = world({ urls: ['/1'], excuses: true });
    for (let i = 0; i < 10; i++) {
      const { state } = first(made);
      expect(made.policy.failed(state, 'connect-timeout')).toBe(true);
      made.policy.release(state);
      made.clock.advance(2 * MINUTE);
    }
  });

  test('of an agent that is stopping says nothing about the server', () => {
    const made = world({ stopping: true });
    const { state } = first(made);
    expect(made.policy.failed(state, 'reset')).toBe(true);
    expect([state.pause, made.counters.retries]).toEqual([0, {}]);
    made.policy.release(state);
    expect(first(made).state.discovery.attempts ?? 0).toBe(0);
  });

  test('gives up the host with the third URL in a row, and no host for a bad page', () => {
    const made = world({ urls: ['/1', '/2', '/3', '/4', '/5'] });
    const state = made.policy.begin(made.turn());
    const lost = ['tls-failed', 'tls-failed', 'tls-failed'].map(() => {
      made.policy.next(state);
      expect(made.policy.failed(state, 'tls-failed')).toBe(false);
      return made.policy.givesUpHost(state, 'tls-failed');
    });
    expect(lost).toEqual([undefined, undefined, 2]);
    expect(made.refused).toEqual({ 'tls-failed': 2 });
    const other = world();
    const { state: bad } = first(other);
    for (let i = 0; i < 5; i++)
      expect(other.policy.givesUpHost(bad, 'bad-response')).toBeUndefined();
  });
});

/** When the host has its next turn, from the end of one in which this happens. */
function pauseAfter(
  circumstances: Circumstances,
  happens: (world: World, state: TurnState) => void,
) {
  const all = world(circumstances);
  const state = all.policy.begin(all.turn());
  expect(all.policy.next(state)).toBe('fetch');
  happens(all, state);
  expect(all.policy.continues(state)).toBe(false);
  all.policy.release(state);
  return all.frontier.nextReadyAt() - all.clock.now();
}

test.each([
  [{ delay: 4 * SECOND, addressDelay: 0 }, 10 * SECOND, 10 * SECOND],
  [{ delay: 4 * SECOND, addressDelay: 0 }, SECOND, 4 * SECOND],
  [{ delay: 0 }, 10 * SECOND, 10 * SECOND],
])('with %j, a host that asked for %d ms while its page was rendered is paused for %d ms', (delays, askedFor, pause) => {
  const rendered = (all: World, state: TurnState) => void all.answer(state, 200);
  expect(pauseAfter({ ...delays, askedFor }, rendered)).toBe(pause);
});

test.each([
  [0, 1, SECOND],
  [0, 3, 4 * SECOND],
  [0, 20, MINUTE],
  [3 * SECOND, 1, 3 * SECOND],
])('with a delay of %d ms, the error of our own that is number %d in a row pauses for %d ms', (delay, inRow, pause) => {
  const breaks = ({ policy }: World, state: TurnState) => {
    state.turn.host.errorsInRow = inRow - 1;
    expect(policy.broke(state)).toBe(true);
  };
  expect(pauseAfter({ delay, addressDelay: 0 }, breaks)).toBe(pause);
});
