/** Settings for politeness, the crawler's identity and the network. */
import { setting } from './setting.ts';
import { countOf, duration, file, flag, list, proxyUrl, ranges, text } from './value-types.ts';

export const FETCH_SETTINGS = {
  delay: setting('delay', duration, 4000, 'time between two requests to one host'),
  addressDelay: setting(
    'address-delay',
    duration,
    500,
    'time between two requests to one IP address; never more than the delay of a host',
  ),
  slowDelay: setting(
    'slow-delay',
    duration,
    40_000,
    'time between two requests to one host of a domain with the least budget, while other hosts are ready; larger budgets shorten it down to the delay',
  ),
  slowAddressDelay: setting(
    'slow-address-delay',
    duration,
    1000,
    'time between two requests to one IP address, for domains with the least budget; larger budgets shorten it down to the address delay',
  ),
  delays: setting(
    'delays',
    file,
    '',
    'file with other delays, one per line: host example.org 10s, host .example.org 10s (the domain and all below it), address 192.0.2.1 2s',
  ),
  maxCrawlDelay: setting(
    'max-crawl-delay',
    duration,
    60_000,
    'longest Crawl-delay to accept from a robots.txt; a longer one counts as this',
  ),
  retries: setting(
    'retries',
    countOf('retries'),
    3,
    'retries of a URL after status 429 or 503, or of a failed DNS look-up; other failures get up to two fewer',
  ),
  retryWait: setting(
    'retry-wait',
    duration,
    60_000,
    'wait before a URL that timed out is retried; waits after other failures change in proportion (a reset waits 1/6 of it, status 429 five times as long)',
  ),
  maxRetryAfter: setting(
    'max-retry-after',
    duration,
    3_600_000,
    'longest Retry-After of a server to obey; a longer one counts as this',
  ),
  connectTimeout: setting(
    'connect-timeout',
    duration,
    10_000,
    'longest time to connect to a server, and as long again for TLS',
  ),
  responseTimeout: setting(
    'response-timeout',
    duration,
    30_000,
    'longest time from a request to the first byte of its response',
  ),
  idleTimeout: setting(
    'idle-timeout',
    duration,
    20_000,
    'longest silence of a server in the middle of a response; the part that came is kept',
  ),
  fetchTimeout: setting(
    'fetch-timeout',
    duration,
    120_000,
    'longest time for a whole request and its response; the part that came is kept',
  ),
  fetches: setting(
    'fetches',
    countOf('requests'),
    256,
    'requests in flight at once, each to another IP address',
    1,
  ),
  userAgent: setting(
    'user-agent',
    text,
    '',
    'the whole User-Agent header, in place of the one that Drumlin makes',
  ),
  contact: setting(
    'contact',
    text,
    '',
    'URL or e-mail address of the person who runs the crawl; required for public sites',
  ),
  auth: setting(
    'auth',
    file,
    '',
    'file with passwords for Basic authentication, one "host user password" per line',
  ),
  cookies: setting(
    'cookies',
    file,
    '',
    'file with cookies to send, as browsers and wget export them (cookies.txt)',
  ),
  proxy: setting(
    'proxy',
    proxyUrl,
    '',
    'HTTP proxy to fetch through, http://user:password@host:port; crawl.json keeps it without the password',
  ),
  dns: setting('dns', list, [], 'name servers to ask, host:port, in place of those of the system'),
  allowPrivate: setting(
    'allow-private',
    ranges,
    false,
    'also fetch from loopback and private addresses: all of them, or only the ranges listed',
  ),
  ca: setting(
    'ca',
    file,
    '',
    'file with certificate authorities (PEM) to trust beside the usual ones',
  ),
  insecure: setting(
    'insecure',
    flag,
    false,
    'accept certificates that cannot be verified: expired, self-signed or for another name',
  ),
} as const;
