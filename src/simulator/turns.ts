/**
 * Turns of hosts in virtual time. They follow the crawler's own `TurnPolicy`; where the agent
 * awaits a request, an event of the virtual clock is scheduled. In place of fetching, parsing and
 * storing a page they take a glimpse of it.
 *
 * Verdicts on spam need the text of pages. Only for the first pages of a domain, those that
 * verdicts are made of, the page is written and read.
 *
 * A page that does not arrive complete counts as fetched and has no links; a real crawl would read
 * the part that arrived.
 */

import type { CrawlConfig } from '../config/settings.ts';
import type { Admission } from '../crawl/agent/link-admission.ts';
import { type Step, TurnPolicy, type TurnState } from '../crawl/agent/turn-policy.ts';
import { fingerprintAndWords } from '../duplicates/fingerprint.ts';
import type { HeaderView } from '../fetch/exchange.ts';
import type { Frontier, HostTurn } from '../frontier/frontier.ts';
import type { Discovery } from '../frontier/queue/discovered-url.ts';
import { BEHAVIOURS } from '../lab/behaviour.ts';
import { type Glimpse, glimpseOf } from '../lab/judge/glimpse.ts';
import { RETRY_SECONDS } from '../lab/page-faults.ts';
import type { Web } from '../lab/web.ts';
import type { Politeness } from '../politeness/politeness.ts';
import type { RetryPolicy } from '../politeness/retries-and-pauses.ts';
import type { Reputation } from '../reputation/reputation.ts';
import { hostOf, pathOf } from '../url/parts.ts';
import type { VirtualClock } from './clock.ts';
import type { Network } from './network.ts';
import type { PageWatch } from './policies.ts';
import type { VirtualRobots } from './robots.ts';
import type { Takeover } from './takeover.ts';
import type { Tally } from './tally.ts';

interface VirtualTurnsParts {
  readonly web: Web;
  readonly clock: VirtualClock;
  readonly network: Network;
  readonly frontier: Frontier;
  readonly admission: Admission;
  readonly politeness: Politeness;
  readonly retries: RetryPolicy;
  readonly robots: VirtualRobots;
  readonly config: Pick<CrawlConfig, 'maxRedirects'>;
  readonly tally: Tally;
  readonly takeover: Takeover;
  /** Learns which domain links to which; only in the order of budgets. */
  readonly reputation: Pick<Reputation, 'page' | 'fetched'> | undefined;
  /** Only with verdicts on spam. */
  readonly spam: PageWatch | undefined;
  /** Takes back a URL of a domain that a verdict has shut out. */
  readonly putOff: ((discovery: Discovery) => void) | undefined;
}

/** All that the policy reads of a response. */
const headersOf = (status: number): HeaderView => {
  const asks = status === 429 || status === 503;
  const get = (name: string) =>
    asks && name === 'retry-after' ? String(RETRY_SECONDS) : undefined;
  return { get, all: () => [], entries: () => [] };
};

export class VirtualTurns {
  readonly #parts: VirtualTurnsParts;
  readonly #policy: TurnPolicy;

  constructor(parts: VirtualTurnsParts) {
    const { clock, frontier, politeness, retries, robots, tally, spam, putOff } = parts;
    this.#parts = parts;
    const isShut = ({ host }: HostTurn) => spam?.shuts(host.domain) ?? false;
    // Nothing is filtered, limited or stopped here, and the network never fails.
    this.#policy = new TurnPolicy({
      ...{ clock, frontier, politeness, retries, robots, counters: tally },
      stillWants: (turn, discovery) => {
        const isPutOff = putOff !== undefined && isShut(turn);
        if (isPutOff) putOff(discovery);
        return !isPutOff;
      },
      replaces: () => false,
      claimPage: () => true,
      stopping: () => false,
      excuses: () => false,
    });
  }

  begin(turn: HostTurn): void {
    this.#next(this.#policy.begin(turn));
  }

  /** Takes URLs of the host until one needs a request, or the turn ends. */
  #next(state: TurnState): void {
    let step: Step;
    do {
      step = this.#policy.next(state);
      if (step === 'unreachable') this.#parts.tally.disallowed++;
    } while ((step === 'skip' || step === 'unreachable') && this.#policy.continues(state));
    if (step === 'fetch') this.#fetch(state);
    else if (step === 'ask-robots') this.#askRobots(state);
    else this.#policy.release(state);
  }

  #askRobots(state: TurnState): void {
    const { clock, robots, tally } = this.#parts;
    const { host } = state.turn;
    const { url } = state.discovery;
    const { takes, outcome } = robots.ask(host, url);
    clock.after(takes, () => {
      tally.robots++;
      this.#policy.askedRobots(state, robots.keep(host, url, outcome));
      this.#requested(state);
    });
  }

  #fetch(state: TurnState): void {
    const { web, clock, network } = this.#parts;
    const { turn, discovery } = state;
    const { host } = turn;
    const glimpse = glimpseOf(web, discovery.url);
    if (!glimpse) throw new Error(`${host.name} has an address and no domain.`);
    const elapsed = network.takes(host.name, glimpse.behaviour);
    clock.after(elapsed, () => {
      const response = { status: glimpse.status, headers: headersOf(glimpse.status), elapsed };
      if (this.#policy.answered(state, response)) this.#commit(glimpse, turn, discovery);
      this.#requested(state);
    });
  }

  /** Another request in the same turn, if there are no delays. */
  #requested(state: TurnState): void {
    if (this.#policy.continues(state)) this.#next(state);
    else this.#policy.release(state);
  }

  #commit(glimpse: Glimpse, turn: HostTurn, discovery: Discovery): void {
    const { frontier, tally } = this.#parts;
    const isWhole = !glimpse.behaviour || !BEHAVIOURS[glimpse.behaviour].spoils;
    frontier.countPage(turn);
    tally.page(glimpse.domain, glimpse.isPage && isWhole);
    this.#judge(glimpse, isWhole, turn, discovery);
    if (glimpse.redirect !== undefined) this.#followRedirect(glimpse.redirect, turn, discovery);
    else if (isWhole) this.#followLinks(glimpse, turn, discovery);
  }

  /** Reads a page for a verdict on its domain, if that is to be measured. */
  #judge(
    { status, redirect }: Glimpse,
    isWhole: boolean,
    { host }: HostTurn,
    { url }: Discovery,
  ): void {
    const { spam, web, reputation } = this.#parts;
    const { domain } = host;
    if (!spam) return;
    reputation?.fetched(domain.hash);
    const isRead = status === 200 && redirect === undefined && isWhole;
    const measures = isRead && spam.wants(domain);
    const body = measures ? bodyOf(web, url) : undefined;
    spam.committed(domain, url, body && spam.measure(fingerprintAndWords(body).words));
  }

  #followRedirect(target: string, { host }: HostTurn, { url, depth, redirects }: Discovery): void {
    const { config, admission, reputation } = this.#parts;
    reputation?.page(host.domain.hash, url, [target]);
    if (redirects < config.maxRedirects) admission.discover([target], depth, url, redirects + 1);
  }

  #followLinks(glimpse: Glimpse, { host }: HostTurn, { url, depth }: Discovery): void {
    const { admission, reputation, takeover } = this.#parts;
    const links = takeover.linksOf(glimpse.domain, glimpse.links);
    if (links.length === 0) return;
    reputation?.page(host.domain.hash, url, links);
    admission.discover(links, depth + 1, url);
  }
}

/** The page as a server would send it; undefined if it is not HTML. */
function bodyOf(web: Web, url: string): Uint8Array | undefined {
  const answer = web.answer(hostOf(url), pathOf(url), url.startsWith('https:'));
  return answer && /^Content-Type: text\/html/im.test(answer.headers)
    ? Buffer.from(answer.body, 'latin1')
    : undefined;
}
