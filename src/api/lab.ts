/**
 * The lab: a synthetic web with real HTTP and DNS on loopback, for tests and experiments.
 *
 * Its pages are a pure function of a seed. So a test can compare what a crawler stored with what
 * the web serves, and knows which domains are spam.
 *
 * @example
 * ```ts
 * import { crawl } from 'drumlin';
 * import { startLab } from 'drumlin/lab';
 *
 * const lab = await startLab({ scenario: 'site', pages: 10 });
 * const pages = crawl({ seeds: lab.seeds, dns: [lab.dns], allowPrivate: true, delay: 0 });
 * for await (const { url, body } of pages) {
 *   const expected = lab.expected(url)?.body ?? [];
 *   console.log(url, Buffer.from(expected).equals(body)); // true
 * }
 * await lab.close();
 * ```
 *
 * @module lab
 */
import { SCENARIO_NAMES } from '../lab/scenario.ts';
import { type Lab as Inner, startLab as startInner } from '../lab/server/lab.ts';
import { startLabThread } from '../lab/server/thread.ts';

export { DrumlinError, EXIT, type ExitCode } from '../base/errors.ts';

/** A kind of web. */
export type ScenarioName =
  | 'clean'
  | 'mixed'
  | 'spam'
  | 'attack'
  | 'hostile'
  | 'site'
  | 'papers'
  | 'scripted';

/** What the web is like, and where it is served. */
export interface LabOptions {
  /** The seed of the web, 0 to 4294967295: the same seed gives the same web. Default: 1. */
  readonly seed?: number;
  /** The name of a scenario, one of {@link SCENARIOS}. Default: `clean`. */
  readonly scenario?: ScenarioName;
  /**
   * Shares of kinds of domains and servers that differ from the scenario, such as `{ farm: 0.2 }`.
   */
  readonly mix?: Readonly<Record<string, number>>;
  /** The age of the web in months; pages and domains change with it. Default: 0. */
  readonly step?: number;
  /** The number of domains at step 0. Default: 10,000; 1 in the scenario `site`. */
  readonly domains?: number;
  /**
   * The mean number of pages of a domain; exact in the scenario `site`. Default: 460; `site`: 100.
   */
  readonly pages?: number;
  /** The port for HTTP. Default: 0, any free port. */
  readonly httpPort?: number;
  /** The port for HTTPS, if the scenario has domains that use it. Default: 0, any free port. */
  readonly httpsPort?: number;
  /** The port for DNS. Default: 0, any free port. */
  readonly dnsPort?: number;
  /** The port of a page that shows the state of the lab. Default: no such page. */
  readonly controlPort?: number;
  /** A file to which each request is appended as a line of JSON. Default: none. */
  readonly log?: string;
  /** How long slow servers make a client wait, in milliseconds. Default: 5000. */
  readonly patience?: number;
  /**
   * Whether all hosts share 127.0.0.1, for systems without the rest of 127.0.0.0/8. Default: false.
   */
  readonly oneAddress?: boolean;
  /** The number of addresses to spread hosts over evenly. Default: as on the real web. */
  readonly addresses?: number;
  /** Whether domains have real suffixes instead of `.test`. Default: false. */
  readonly realSuffixes?: boolean;
  /** Whether the lab runs in a thread of its own. Default: false. */
  readonly thread?: boolean;
}

/** A running lab. */
export interface Lab {
  /** URLs to start a crawl from. */
  readonly seeds: readonly string[];
  /** The name server to use, `127.0.0.1:port`. */
  readonly dns: string;
  /** The ports of its servers. */
  readonly ports: LabPorts;
  /** The certificate authority of the lab in PEM; absent if it serves no HTTPS. */
  readonly ca?: string;
  /** The number of HTTP requests so far. */
  readonly requests: number;
  /**
   * What a domain really is.
   *
   * @param host Any host of the domain.
   * @returns Undefined if the lab has no such host.
   */
  truth(host: string): Truth | undefined;
  /**
   * The response that a URL of this web gets.
   *
   * @returns Undefined if there is no such host, or if its server never sends a whole response.
   */
  expected(url: string): Expected | undefined;
  /** Stops all servers. */
  close(): Promise<void>;
}

/** The ports of a lab; 0 where nothing is served. */
export interface LabPorts {
  /** HTTP. */
  readonly http: number;
  /** HTTPS; 0 if the scenario has no domain that uses it. */
  readonly https: number;
  /** DNS. */
  readonly dns: number;
  /** The page that shows the state of the lab; 0 if there is none. */
  readonly control: number;
}

/** The response that a URL of the lab gets. */
export interface Expected {
  /** The HTTP status. */
  readonly status: number;
  /** The headers, names in lower case, without those of the connection and of content coding. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body before content coding. */
  readonly body: Uint8Array;
}

/** What the lab knows about a domain, and no crawler sees. */
export interface Truth {
  /** The name of the domain. */
  readonly domain: string;
  /** Its kind, such as `ordinary`, `giant` or `farm`. */
  readonly kind: string;
  /** Its part in a group of spam domains, such as `target` or `booster`; empty if it has none. */
  readonly role: string;
  /** Whether the domain is spam. */
  readonly spam: boolean;
  /** The number of its topic. */
  readonly topic: number;
  /** The number of its pages up to this step. */
  readonly pages: number;
  /** Whether it exists at this step. */
  readonly alive: boolean;
  /** How its servers behave, such as `gzip` or `status-503`. */
  readonly behaviours: readonly string[];
}

/** The names of the scenarios. */
export const SCENARIOS: readonly ScenarioName[] = SCENARIO_NAMES as readonly ScenarioName[];

/**
 * Starts a lab on loopback.
 *
 * @throws DrumlinError if an option is wrong or a port is taken.
 */
export async function startLab(options: LabOptions = {}): Promise<Lab> {
  const { thread = false, ...others } = options;
  return faceOf(thread ? await startLabThread(others) : await startInner(others));
}

function faceOf(lab: Inner): Lab {
  const { seeds, dns, ports, ca } = lab;
  return {
    seeds,
    dns,
    ports,
    ...(ca !== undefined && { ca }),
    get requests() {
      return lab.requests;
    },
    truth: (host) => lab.truth(host),
    expected: (url) => lab.expected(url),
    close: () => lab.close(),
  };
}
