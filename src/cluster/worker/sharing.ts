/**
 * What agents of different workers share beside parcels: addresses and hosts, with their delays.
 *
 *   hold.<agent>   questions about addresses, to the worker that runs the agent
 *   ask.<agent>    questions about hosts of the agent
 */
import type { Msg, NatsConnection } from '@nats-io/transport-node';
import type { Clock } from '../../base/clock.ts';
import type { Millis } from '../../base/units.ts';
import type { CrawlConfig } from '../../config/settings.ts';
import { type SharedHosts, SharedHostTable } from '../../crawl/transport/host-table.ts';
import { agentOf } from '../../crawl/transport/routing.ts';
import { fingerprint, partitionOfFingerprint } from '../../url/fingerprint.ts';
import { AddressExchange, type ToGrantor, type ToHolder } from '../addresses/exchange.ts';
import { type HoldTimes, holdTimes } from '../addresses/hold-times.ts';
import { HostLeaves } from '../addresses/host-leaves.ts';
import type { HostLeave } from '../addresses/host-table.ts';
import type { ClusterCrawl } from '../members/keys.ts';
import type { HostedAgent } from './hosted-agent.ts';

/** No agent has this number: the table of hosts knows by it what others ask. */
const OTHERS = 8191;

interface SharingParts {
  readonly worker: string;
  readonly crawl: Pick<ClusterCrawl, 'agents' | 'pace' | 'addressScope'>;
  readonly config: CrawlConfig;
  /** The clock that agents count delays by. */
  readonly clock: Clock;
  readonly connection: NatsConnection;
  readonly subject: (rest: string) => string;
  readonly timeout: Millis;
  readonly hosts: SharedHosts;
  readonly hosted: (agent: number) => HostedAgent | undefined;
}

/** A message about a host of an agent. */
interface AboutHost {
  readonly host: string;
  /** The host was asked; otherwise leave is asked for. */
  readonly askedWith?: Millis;
}

/** The agent that owns a host. */
export const ownerOfHost = (host: string, agents: number): number =>
  agentOf(partitionOfFingerprint(fingerprint(`http://${host}/`)), agents);

export class Sharing {
  /** Undefined where the delay of an address counts for each worker by itself. */
  readonly addresses: AddressExchange | undefined;
  readonly holdTimes: HoldTimes | undefined;
  readonly #parts: SharingParts;
  readonly #leaves: HostLeaves;
  /** By agent: when its hosts may be asked by others. */
  readonly #from = new Map<number, Millis>();

  constructor(parts: SharingParts) {
    this.#parts = parts;
    const { crawl, config, clock, hosts } = parts;
    this.#leaves = new HostLeaves(new SharedHostTable(hosts, OTHERS), clock);
    const lends = crawl.addressScope === 'cluster' && config.addressDelay > 0;
    this.holdTimes = lends ? holdTimes(crawl.pace) : undefined;
    this.addresses = this.holdTimes && this.#exchange(this.holdTimes);
  }

  #exchange(times: HoldTimes): AddressExchange {
    const { worker, crawl, clock, hosted } = this.#parts;
    return new AddressExchange({
      ...{ worker, agents: crawl.agents, times, now: () => clock.now() },
      askGrantor: (agent, message) => this.#ask(`hold.${agent}`, message),
      tellGrantor: (agent, message) => this.#tell(`hold.${agent}`, message),
      askHolder: (holder, message) => this.#ask(`worker.${holder}`, message),
      tellHolder: (holder, message) => this.#tell(`worker.${holder}`, message),
      tell: (agent, ip, until) => hosted(agent)?.held(ip, until),
      revoke: (agent, ip) => {
        const using = hosted(agent);
        if (using) using.revoked(ip);
        else this.addresses?.held.unused(agent, ip, 0);
      },
    });
  }

  /** An agent runs here from now on; the returned function ends that. */
  begin(agent: number, epoch: number): () => void {
    const { connection, subject, clock, config } = this.#parts;
    this.#from.set(agent, epoch === 1 ? 0 : clock.now() + config.maxCrawlDelay);
    this.addresses?.begin(agent, epoch === 1);
    const holds = connection.subscribe(subject(`hold.${agent}`), {
      callback: (_, message) => {
        const answer = this.addresses?.received(agent, message.json<ToGrantor>());
        if (answer && message.reply) message.respond(JSON.stringify(answer));
      },
    });
    const hosts = connection.subscribe(subject(`ask.${agent}`), {
      callback: (_, message) => this.#aboutHost(agent, message),
    });
    return () => {
      holds.unsubscribe();
      hosts.unsubscribe();
      this.#from.delete(agent);
      this.addresses?.end(agent);
    };
  }

  #aboutHost(agent: number, message: Msg): void {
    const { host, askedWith } = message.json<AboutHost>();
    if (askedWith !== undefined) this.#leaves.asked(host, askedWith);
    else {
      const given = this.#leaves.give(host, this.#from.get(agent) ?? Infinity);
      message.respond(JSON.stringify({ given }));
    }
  }

  /** Another worker asks about addresses; true if the message was about them. */
  answer(message: Msg): boolean {
    const asked = message.data.length === 0 ? undefined : message.json<ToHolder>();
    if (asked?.type === 'wanted') this.addresses?.held.wantedBack(asked.ip);
    else if (asked?.type === 'claims')
      message.respond(JSON.stringify(this.addresses?.claims(asked.agent) ?? []));
    return asked !== undefined;
  }

  /** An agent here wants to ask a host of another agent. */
  async leaveFor(host: string): Promise<HostLeave> {
    const owner = ownerOfHost(host, this.#parts.crawl.agents);
    if (this.#from.has(owner)) return 'here';
    try {
      const { given } = await this.#ask<{ given: boolean }>(`ask.${owner}`, { host });
      return given ? 'granted' : 'refused';
    } catch {
      return 'refused';
    }
  }

  hostAsked(host: string, askedWith: Millis): void {
    const message: AboutHost = { host, askedWith };
    this.#tell(`ask.${ownerOfHost(host, this.#parts.crawl.agents)}`, message);
  }

  close(): void {
    this.#leaves.close();
  }

  async #ask<Answer>(to: string, message: unknown): Promise<Answer> {
    const { connection, subject, timeout } = this.#parts;
    const answer = await connection.request(subject(to), JSON.stringify(message), { timeout });
    return answer.json<Answer>();
  }

  #tell(to: string, message: unknown): void {
    const { connection, subject } = this.#parts;
    connection.publish(subject(to), JSON.stringify(message));
  }
}
