/**
 * One host's turn: steps 7 to 10 of a URL's life, in order.
 *
 *   next URL ─► robots.txt ─► fetch ─► intake (parse, store, count, discover) ─► room ─► next URL …
 *
 * Which URL is next, what is retried and how long the host is paused is `TurnPolicy`; here is the
 * I/O between its steps. A turn owns its host and its address until it is released.
 *
 * Ensures   the turn is released whatever happens. A page that was not committed is put back. An
 *           error of our own in the handling of a URL is that URL's failure, not the agent's.
 */
import {
  type Exchange,
  FetchError,
  type FetchRequest,
  type HttpClient,
} from '../../fetch/exchange.ts';
import type { Frontier, HostTurn } from '../../frontier/frontier.ts';
import type { Host } from '../../frontier/host.ts';
import type { Discovery } from '../../frontier/queue/discovered-url.ts';
import { RETRY_TABLE, type RetryCause } from '../../politeness/retries-and-pauses.ts';
import type { Outage } from '../hosts/outage.ts';
import type { RobotsKeeper } from '../hosts/robots-keeper.ts';
import type { SeedTrouble } from '../hosts/seed-trouble.ts';
import type { Counters } from '../record/counters.ts';
import type { HostWaits } from '../record/host-waits.ts';
import { endsAgent, type InternalErrors } from '../record/internal-errors.ts';
import type { EventLog } from '../record/log.ts';
import { RenderPutOff } from '../render/render-desk.ts';
import type { RequestChange, RequestHooks } from '../store/hooks.ts';
import type { CrawlFailure } from '../store/page.ts';
import type { FetchPermits } from './fetch-permits.ts';
import type { Admission } from './link-admission.ts';
import type { Intake } from './page-intake.ts';
import type { Requested, Requests } from './requests.ts';
import { discoverNamed } from './sitemaps.ts';
import type { TurnPolicy, TurnState } from './turn-policy.ts';

interface TurnParts {
  readonly policy: TurnPolicy;
  readonly robots: Pick<RobotsKeeper, 'ask'>;
  readonly client: Pick<HttpClient, 'fetch'>;
  readonly intake: Pick<Intake, 'process' | 'release' | 'bodyWish'>;
  readonly admission: Pick<Admission, 'room' | 'discover'>;
  readonly frontier: Pick<Frontier, 'putBack'>;
  readonly permits: Pick<FetchPermits, 'stopping' | 'closeClaim'>;
  readonly outage: Pick<Outage, 'answered'>;
  readonly waits: HostWaits;
  readonly failures: FailureParts;
  /** Sitemaps that a robots.txt names are discovered. */
  readonly sitemaps: boolean;
  /** How URLs are requested, where it is not a plain GET. */
  readonly requests: Requests | undefined;
  /** Asked before every request; only in a program that wants it. */
  readonly beforeRequest: RequestHooks['beforeRequest'];
}

/** How failed URLs and hosts are reported. */
interface FailureParts {
  readonly counters: Pick<Counters, 'countError' | 'countSkipped' | 'urlsSeen'>;
  readonly log: EventLog;
  /** For what may happen on every page. */
  readonly sparing: EventLog;
  readonly internal: InternalErrors;
  readonly seedTrouble: Pick<SeedTrouble, 'failed'>;
  readonly onError: ((failure: CrawlFailure) => void | Promise<void>) | undefined;
  /** Called with a URL that has failed, in the step in which it is counted. */
  readonly onUrlFailed: (discovery: Discovery, fault: string) => void;
  /** Counts a URL that is not fetched on purpose. */
  readonly onUrlSkipped: (url: string, reason: string) => void;
}

export class Turns {
  readonly #parts: TurnParts;
  readonly #stopping: () => boolean;

  constructor(parts: TurnParts) {
    this.#parts = parts;
    this.#stopping = () => parts.permits.stopping;
  }

  /** Takes URLs of the host until the policy ends the turn. */
  async run(turn: HostTurn): Promise<void> {
    const { policy, frontier, admission, waits } = this.#parts;
    const state = policy.begin(turn);
    waits.over(turn.host);
    try {
      while (await this.#step(state)) {
        // Back-pressure: the turn keeps its host until there is room for what it discovered.
        await admission.room();
        if (!policy.continues(state)) break;
      }
    } catch (error) {
      // The agent fails, but the page was not committed: a resumed crawl fetches it again.
      if (turn.host.underWay) frontier.putBack(turn, turn.host.underWay);
      throw error;
    } finally {
      policy.release(state);
      this.#notePause(state);
    }
  }

  /** Takes the next step; false when it is the last. An error of our own ends no turn. */
  async #step(state: TurnState): Promise<boolean> {
    try {
      const step = this.#parts.policy.next(state);
      if (step === 'end') return false;
      if (step === 'fetch') await this.#fetch(state);
      else if (step === 'ask-robots') await this.#askRobots(state);
      else if (step === 'unreachable') await this.#robotsUnreachable(state);
    } catch (error) {
      await this.#broke(state, error);
    }
    return true;
  }

  /** The step could not be finished: its URL is retried, or has failed. */
  async #broke(state: TurnState, error: unknown): Promise<void> {
    const { host } = state.turn;
    const discovery = host.underWay;
    const place = { host: host.name, url: discovery?.url };
    const message = this.#parts.failures.internal.note(error, place);
    if (!this.#parts.policy.broke(state) && discovery)
      await this.#urlFailed(host, discovery, 'internal-error', message);
    await this.#giveUpHost(state, 'internal-error', message);
  }

  async #askRobots(state: TurnState): Promise<void> {
    const { policy, robots, sitemaps, admission, failures } = this.#parts;
    const { counters } = failures;
    const { turn, discovery } = state;
    const cost = await robots.ask(turn, discovery.url, this.#stopping, (named) => {
      if (sitemaps) discoverNamed(named, discovery, { admission, counters });
    });
    policy.askedRobots(state, cost);
    if (cost.cause) await this.#noteTrouble(state, cost.cause, cost.why ?? '');
  }

  async #robotsUnreachable({ turn, discovery }: TurnState): Promise<void> {
    const message = 'Its robots.txt could not be fetched.';
    await this.#urlFailed(turn.host, discovery, 'robots-unreachable', message);
  }

  async #fetch(state: TurnState): Promise<void> {
    const { policy, client, intake, permits, outage } = this.#parts;
    const { turn, discovery } = state;
    // A requisite has claimed no page, so there is none to give back.
    const isRequisite = discovery.isRequisite === true;
    let exchange: Exchange;
    let asked: Requested | undefined;
    try {
      const isLast = turn.host.queue.length === 0;
      const { url } = discovery;
      asked = await this.#parts.requests?.requestOf(url);
      const change = await this.#askUser(discovery);
      if (change?.skip) {
        permits.closeClaim(isRequisite);
        policy.withdrawn(state);
        this.#parts.failures.onUrlSkipped(url, 'before-request');
        return;
      }
      const wantsBody = intake.bodyWish(url);
      const request = { url, address: turn.address, isLast, ...(wantsBody && { wantsBody }) };
      exchange = await client.fetch(withHeaders({ ...request, ...asked?.request }, change));
    } catch (error) {
      permits.closeClaim(isRequisite);
      if (!(error instanceof FetchError)) throw error;
      await this.#failed(state, error);
      return;
    }
    let isPage = isRequisite;
    try {
      outage.answered(turn.address.ip);
      if (policy.answered(state, exchange)) {
        await intake.process({ exchange, discovery, turn, asked });
        isPage = true;
      }
    } catch (error) {
      if (!(error instanceof RenderPutOff)) throw error;
      policy.putOff(state, error.pause);
    } finally {
      permits.closeClaim(isPage, exchange.bytesReceived);
    }
    intake.release(exchange);
  }

  async #askUser(discovery: Discovery): Promise<RequestChange | undefined> {
    const { beforeRequest } = this.#parts;
    if (!beforeRequest) return undefined;
    const { url, depth, redirects, isRequisite = false } = discovery;
    const request = { url, depth, redirects, isRequisite };
    return (await endsAgent(() => beforeRequest(request))) ?? undefined;
  }

  async #failed(state: TurnState, { fault, message }: FetchError): Promise<void> {
    const { host } = state.turn;
    const isQueued = this.#parts.policy.failed(state, fault);
    if (!this.#stopping()) await this.#noteTrouble(state, fault, message, isQueued);
    if (!isQueued) await this.#urlFailed(host, state.discovery, fault, message);
    await this.#giveUpHost(state, fault, message);
  }

  #noteTrouble(
    { turn, pause }: TurnState,
    fault: RetryCause,
    why: string,
    isQueued = true,
  ): Promise<void> {
    return this.#parts.failures.seedTrouble.failed(
      turn.host,
      fault,
      why,
      isQueued && RETRY_TABLE[fault].retries > 0 ? pause : undefined,
    );
  }

  /** Gives the host up and reports it, if the policy says so. */
  async #giveUpHost(state: TurnState, fault: RetryCause, message: string): Promise<void> {
    const { log, onError } = this.#parts.failures;
    const { host } = state.turn;
    const urls = this.#parts.policy.givesUpHost(state, fault);
    if (urls === undefined) return;
    log.event('host-given-up', { host: host.name, fault, why: message, urls });
    await endsAgent(() => onError?.({ host: host.name, fault, message, urls }));
  }

  /** Reports a failed URL, then counts it: a checkpoint made in between still has it queued. */
  async #urlFailed(
    host: Host,
    discovery: Discovery,
    fault: RetryCause | 'robots-unreachable',
    message: string,
  ): Promise<void> {
    const { url } = discovery;
    const { counters, sparing, onError, onUrlFailed } = this.#parts.failures;
    await endsAgent(() => onError?.({ url, host: host.name, fault, message, urls: 1 }));
    counters.countError(fault);
    onUrlFailed(discovery, fault);
    sparing.event('url-given-up', { url, fault, why: message });
  }

  /** Records which hosts are paused for longer than usual, for the status of the crawl. */
  #notePause({ turn: { host }, pause, cause, retriesAfter }: TurnState): void {
    const { waits } = this.#parts;
    if (retriesAfter !== undefined && cause) waits.only(host, cause, retriesAfter);
    else if (pause > 0 && cause) waits.begin(host, cause, pause);
  }
}

/** The request with the headers that the user adds. */
function withHeaders(request: FetchRequest, change: RequestChange | undefined): FetchRequest {
  if (!change?.headers) return request;
  return { ...request, headers: [...(request.headers ?? []), ...Object.entries(change.headers)] };
}
